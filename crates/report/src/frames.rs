//! The dynamic schedule tree as frames of a flame graph.
//!
//! A frame is a call, a loop of the source or the program; its width is what was executed inside. Contexts of one function
//! called from one frame are one frame, as are the pieces a compiler made of a loop.
//!
//! Invariants: the program is frame 0; a frame stands directly before what is inside it, siblings in order of first
//! execution; the own operations of all frames add up to those recorded and those known to have run unrecorded.

use profile::{ContextKind, Profile};
use rustc_hash::FxHashMap;
use schedule::metrics::Survey;
use schedule::{Parallel, SourceLoop, by_context};

use crate::finding::{Report, verdict_name};

/// Frames with less than this share of exact operations are [`Shade::NotAffine`].
const AFFINE: f64 = 0.5;

/// What a frame stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// The whole run.
    Program,
    /// Calls of a function: index into [`Profile::functions`].
    Call(u32),
    /// A loop: index into [`Report::loops`].
    Loop(usize),
    /// What is known to have run unrecorded.
    Unrecorded,
}

/// How much is known about a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shade {
    /// Most of it is exact.
    Affine,
    /// Less than half of its operations have an exact domain, exact addresses and exact dependences.
    NotAffine,
    /// Code of a library.
    Library,
    /// Dependences were not recorded.
    NotRecorded,
}

/// A frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Name of the loop, the function or the program; without control characters and no longer than [`MOST_NAME`].
    pub name: String,
    /// What it stands for.
    pub what: What,
    /// The frame around it; the program has none.
    pub parent: Option<usize>,
    /// Operations executed directly in it.
    pub own: u64,
    /// Operations with those of all frames inside.
    pub total: u64,
    /// The verdict on a loop, unless executions were counted alone.
    pub verdict: Option<Parallel>,
    /// How much is known about it.
    pub shade: Shade,
}

impl Frame {
    /// The name with what is said about it in brackets, the same for everything of one colour.
    pub fn label(&self) -> String {
        let verdict = self.verdict.map(|verdict| match verdict {
            Parallel::Yes => "parallel",
            Parallel::No => "not parallel",
            other => verdict_name(other),
        });
        let shade = match self.shade {
            Shade::Affine => None,
            Shade::NotAffine => Some("not affine"),
            Shade::Library => Some("library"),
            Shade::NotRecorded => Some("not recorded").filter(|_| self.verdict.is_some()),
        };
        let words: Vec<&str> = verdict.into_iter().chain(shade).collect();
        match words.is_empty() {
            true => self.name.clone(),
            false => format!("{} [{}]", self.name, words.join(", ")),
        }
    }
}

/// Characters of a name beyond which it is cut.
pub const MOST_NAME: usize = 240;

/// A name on one line, cut where it is very long.
pub fn clean(name: &str) -> String {
    let printable = |c: char| if c.is_control() || is_format(c) { '\u{fffd}' } else { c };
    let mut out: String = name.chars().take(MOST_NAME).map(printable).collect();
    if name.chars().nth(MOST_NAME).is_some() {
        out.push('…');
    }
    out
}

/// Characters that turn the order of text around, or are no characters of XML.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// The program's own name.
pub fn program_name(profile: &Profile) -> String {
    let name = profile.program.argv.first().map_or("program", |a| a.rsplit('/').next().unwrap_or(a));
    clean(name)
}

/// The frames of a report, in order.
pub fn frames(report: &Report<'_>) -> Vec<Frame> {
    let mut tree = Tree::of(report);
    tree.shade(report);
    tree.in_order()
}

/// Frames as they are found, with their children.
struct Tree {
    all: Vec<Frame>,
    children: Vec<Vec<usize>>,
    /// The frame of every context.
    of_context: Vec<usize>,
}

impl Tree {
    fn of(report: &Report<'_>) -> Tree {
        let (profile, loops) = (report.profile, &report.loops);
        let mut tree = Tree { all: Vec::new(), children: Vec::new(), of_context: Vec::new() };
        let root = Frame {
            name: program_name(profile),
            what: What::Program,
            parent: None,
            own: 0,
            total: 0,
            verdict: None,
            shade: Shade::Affine,
        };
        tree.push(root);
        let entry_of = by_context(loops);
        // Functions of one name are one.
        let mut callees: FxHashMap<&str, u32> = FxHashMap::default();
        let mut found: FxHashMap<(usize, What), usize> = FxHashMap::default();
        for (index, context) in profile.contexts.iter().enumerate() {
            let around = tree.of_context.get(context.parent as usize).copied().unwrap_or(0);
            let what = match context.kind {
                ContextKind::Call { callee, .. } => profile
                    .functions
                    .get(callee as usize)
                    .map(|f| What::Call(*callees.entry(&f.name).or_insert(callee))),
                _ => entry_of.get(&(index as u32)).map(|&at| What::Loop(at)),
            };
            let frame = match what {
                Some(what) => {
                    *found.entry((around, what)).or_insert_with(|| tree.push(new(report, around, what)))
                }
                None => around,
            };
            tree.all[frame].own = tree.all[frame].own.saturating_add(context.own_instructions);
            tree.of_context.push(frame);
        }
        if profile.trust.unrecorded > 0 {
            let mut frame = new(report, 0, What::Unrecorded);
            frame.own = profile.trust.unrecorded;
            tree.push(frame);
        }
        for at in (0..tree.all.len()).rev() {
            tree.all[at].total = tree.all[at].total.saturating_add(tree.all[at].own);
            if let Some(parent) = tree.all[at].parent {
                tree.all[parent].total = tree.all[parent].total.saturating_add(tree.all[at].total);
            }
        }
        tree
    }

    fn push(&mut self, frame: Frame) -> usize {
        let at = self.all.len();
        if let Some(parent) = frame.parent {
            self.children[parent].push(at);
        }
        self.all.push(frame);
        self.children.push(Vec::new());
        at
    }

    /// Says how much is known about each.
    fn shade(&mut self, report: &Report<'_>) {
        let survey = Survey::new(report.profile, &report.loops);
        // Per frame all operations and the exact ones, with those inside.
        let mut sums = vec![(0u64, 0u64); self.all.len()];
        for (own, &frame) in survey.exact_operations().iter().zip(&self.of_context) {
            sums[frame] = (sums[frame].0.saturating_add(own.all), sums[frame].1.saturating_add(own.exact));
        }
        for at in (0..self.all.len()).rev() {
            if let Some(parent) = self.all[at].parent {
                let (inner, outer) = (sums[at], sums[parent]);
                sums[parent] = (outer.0.saturating_add(inner.0), outer.1.saturating_add(inner.1));
            }
            let (all, exact) = sums[at];
            let frame = &mut self.all[at];
            let is_recorded = !report.profile.trust.counted_only && frame.shade != Shade::NotRecorded;
            if !is_recorded {
                frame.shade = Shade::NotRecorded;
            } else if frame.shade == Shade::Affine
                && frame.what != What::Program
                && (exact as f64) < AFFINE * all as f64
            {
                frame.shade = Shade::NotAffine;
            }
        }
    }

    /// Each directly before what is inside it.
    fn in_order(self) -> Vec<Frame> {
        let mut out: Vec<Frame> = Vec::with_capacity(self.all.len());
        let mut place = vec![0; self.all.len()];
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            place[at] = out.len();
            let mut frame = self.all[at].clone();
            frame.parent = frame.parent.map(|parent| place[parent]);
            out.push(frame);
            open.extend(self.children[at].iter().rev());
        }
        out
    }
}

/// A frame in which nothing ran yet.
fn new(report: &Report<'_>, parent: usize, what: What) -> Frame {
    let profile = report.profile;
    let of_loop = |l: &SourceLoop| match (l.main, l.parallel) {
        (false, _) => Shade::Library,
        (true, Parallel::Unknown) => Shade::NotRecorded,
        (true, _) => Shade::Affine,
    };
    let (name, verdict, shade) = match what {
        What::Program => (program_name(profile), None, Shade::Affine),
        What::Call(callee) => {
            let function = &profile.functions[callee as usize];
            (clean(&function.name), None, if function.main { Shade::Affine } else { Shade::Library })
        }
        What::Loop(at) => {
            let l = &report.loops[at];
            (clean(&l.id), Some(l.parallel).filter(|_| !profile.trust.counted_only), of_loop(l))
        }
        What::Unrecorded => ("not recorded".to_owned(), None, Shade::NotRecorded),
    };
    Frame { name, what, parent: Some(parent), own: 0, total: 0, verdict, shade }
}

/// Calls `visit` with every frame that executed something itself and the frames around it, the program first.
pub fn stacks<'a>(frames: &'a [Frame], mut visit: impl FnMut(&[usize], &'a Frame)) {
    let mut stack: Vec<usize> = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        while stack.last().copied() != frame.parent {
            if stack.pop().is_none() {
                break;
            }
        }
        stack.push(at);
        if frame.own > 0 {
            visit(&stack, frame);
        }
    }
}
