//! From a proposed schedule to C.
//!
//! A nest of the source ([`source::Nest`]) is matched with the loops and blocks of the profile (`matched`), scheduled as
//! statements of the source, turned into an order of execution with blocks, diagonals and parallel loops (`order`), for which
//! isl generates loops, and written as C with the text of its statements (`emit`). What every iteration needs its own copy
//! of is declared where the new loops leave it in one iteration (`privacy`).
//!
//! Invariants: the schedule respects all observed dependences (those of [`crate::propose`], and all storage that is not
//! declared anew in the code); a nest of which anything is not understood is refused with the reason.
//!
//! Limits: C; the program must have been compiled so that its loops are those of the source (`-O0`, mostly `-O1`); conditions
//! are part of statements.

mod emit;
mod matched;
mod order;
mod privacy;

pub use emit::replaced;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use isl::Fusion;
use isl::worker::{Limits, Worker};
use profile::Profile;
use source::{Clang, Nest, Source};

use crate::SourceLoop;
use crate::propose::ladder::climb;
use crate::propose::outline::outline;
use crate::propose::problem::formulate_cut;
use crate::propose::region::{Region, inside};
use crate::propose::sequence::{Change, Step, sequence};
use crate::propose::{Budget, Node};
use matched::Matched;
use order::Tiling;

/// Most processor time for the loops of one nest, in seconds.
const LOOPS: u64 = 20;

/// The transformed code of a nest.
#[derive(Debug, Clone)]
pub struct Code {
    /// The nest's outermost loop, as an index into the loops of the source.
    pub of: usize,
    /// The source.
    pub file: PathBuf,
    /// The bytes of it that are replaced.
    pub range: Range<usize>,
    /// By this.
    pub text: String,
    /// To stand before everything else in the file.
    pub prelude: &'static str,
    /// The core transformations that lead to it.
    pub sequence: Vec<Step>,
    /// The transformed nest.
    pub outline: Vec<Node>,
    /// What was not transformed, in words.
    pub notes: Vec<String>,
}

/// What became of a nest.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Its outermost loop.
    pub of: usize,
    /// The code, or why there is none.
    pub code: Result<Code, String>,
}

/// Sources by the names that debug information gives them.
pub struct Sources<'a> {
    clang: Result<Clang, String>,
    options: &'a [String],
    directory: &'a Path,
    read: BTreeMap<String, Result<(PathBuf, Source), String>>,
}

impl<'a> Sources<'a> {
    /// Sources that are found by their names, or by their last component in `directory`, and read with these options.
    pub fn new(directory: &'a Path, options: &'a [String]) -> Sources<'a> {
        let clang = Clang::find().map_err(|missing| missing.to_string());
        Sources { clang, options, directory, read: BTreeMap::new() }
    }

    fn get(&mut self, name: &str) -> Result<&(PathBuf, Source), String> {
        let clang = self.clang.as_ref().map_err(Clone::clone)?;
        let read = self.read.entry(name.to_owned()).or_insert_with(|| {
            let beside = self.directory.join(name.rsplit('/').next().unwrap_or(name));
            let path = if Path::new(name).is_file() { PathBuf::from(name) } else { beside };
            clang.read(&path, self.options).map(|source| (path, source)).map_err(|why| why.to_string())
        });
        read.as_ref().map_err(Clone::clone)
    }

    /// The text of a source that was read.
    pub fn text(&self, file: &Path) -> Option<&str> {
        self.read.values().flatten().find(|(path, _)| path == file).map(|(_, source)| source.text.as_str())
    }
}

/// The code of all nests of some regions: of their outermost loops, and of those in functions that they call.
pub fn generate(
    profile: &Profile,
    loops: &[SourceLoop],
    regions: &[&Region],
    sources: &mut Sources,
    (worker, budget): (&Worker, Budget),
) -> Vec<Outcome> {
    let mut roots: Vec<usize> = Vec::new();
    for region in regions {
        let contexts = inside(profile, &region.contexts);
        let is_root = |&(at, l): &(usize, &SourceLoop)| {
            let is_called = at == region.outermost || !l.calls.is_empty();
            l.main && !l.recursive && is_called && l.contexts.iter().any(|c| contexts.contains(c))
        };
        for (at, l) in loops.iter().enumerate().filter(is_root) {
            if roots.iter().all(|&root| !is_same(&loops[root], l)) {
                roots.push(at);
            }
        }
    }
    let each = Budget { seconds: (budget.seconds / (roots.len() as u64).max(1)).max(1), ..budget };
    let nest = |of| Outcome { of, code: one(profile, loops, of, sources, (worker, each)) };
    roots.into_iter().map(nest).collect()
}

/// Whether two entries are one loop of the source.
fn is_same(a: &SourceLoop, b: &SourceLoop) -> bool {
    a.line > 0 && (&a.file, &a.function, a.line, a.column) == (&b.file, &b.function, b.line, b.column)
}

fn one(
    profile: &Profile,
    loops: &[SourceLoop],
    of: usize,
    sources: &mut Sources,
    (worker, budget): (&Worker, Budget),
) -> Result<Code, String> {
    let root = &loops[of];
    if root.line == 0 {
        return Err("its line is not known: compile with -g".to_owned());
    }
    let (path, source) = sources.get(&root.file)?;
    let all: Vec<&SourceLoop> = loops.iter().filter(|l| is_same(l, root)).collect();
    let contexts = all.iter().flat_map(|l| l.contexts.iter().copied()).collect();
    let region = Region { outermost: of, contexts, instructions: root.instructions, share: root.share };
    // Loops that pass values on in a variable which the new order would have to expand stay whole, if need be.
    let mut whole = BTreeSet::new();
    let mut why = String::new();
    loop {
        let nest = source.nest(&root.function, root.line, &whole).map_err(|uncut| uncut.to_string())?;
        let matched = matched::matched(profile, &nest, &region.contexts)?;
        let cut = Cut { source, nest: &nest, matched: &matched };
        let before = whole.len();
        for (fusion, tiling) in attempts(budget.fusion) {
            let budget = Budget { fusion, ..budget };
            match attempt(profile, loops, &region, &cut, (worker, budget), tiling) {
                Ok(Written { text, prelude, sequence, outline }) => {
                    let notes = nest.uncut.iter().map(|uncut| uncut.to_string()).collect();
                    let (file, range) = (path.clone(), nest.range.clone());
                    return Ok(Code { of, file, range, text, prelude, sequence, outline, notes });
                }
                Err(refused) => {
                    whole.extend(refused.whole);
                    if why.is_empty() {
                        why = refused.why;
                    }
                }
            }
        }
        if whole.len() == before {
            return Err(why);
        }
    }
}

/// What is tried in turn: all kinds of fusion with tiles and diagonals, then with plain loops.
fn attempts(fusion: Fusion) -> Vec<(Fusion, Tiling)> {
    let mut kinds = vec![fusion];
    kinds.extend([Fusion::Smart, Fusion::Maximal, Fusion::Apart].into_iter().filter(|kind| *kind != fusion));
    let with = |tiling| kinds.iter().map(move |&kind| (kind, tiling));
    with(Tiling::Full).chain(with(Tiling::None)).collect()
}

/// A nest of a source in a profile.
struct Cut<'a> {
    source: &'a Source,
    nest: &'a Nest,
    matched: &'a Matched,
}

struct Written {
    text: String,
    prelude: &'static str,
    sequence: Vec<Step>,
    outline: Vec<Node>,
}

/// Why an attempt led to nothing.
struct Refused {
    why: String,
    /// Lines of loops that could be left in one piece instead.
    whole: Vec<u32>,
}

impl From<String> for Refused {
    fn from(why: String) -> Refused {
        Refused { why, whole: Vec::new() }
    }
}

fn attempt(
    profile: &Profile,
    loops: &[SourceLoop],
    region: &Region,
    cut: &Cut,
    (worker, budget): (&Worker, Budget),
    tiling: Tiling,
) -> Result<Written, Refused> {
    let private = privacy::Private::new(profile, loops, cut);
    let is_private = |verdict: &crate::Verdict, object| private.covers(verdict, object);
    let problem = crate::propose::problem::Cut {
        statements: cut.matched.statements.clone(),
        renaming: cut.matched.renaming.clone(),
        is_private: &is_private,
    };
    let formulated = formulate_cut(profile, loops, region, problem).map_err(|unfit| unfit.to_string())?;
    let mut failed = Vec::new();
    let scheduled = climb(profile, &formulated, true, worker, budget, &mut failed);
    let (_, schedule, _) = scheduled.map_err(|why| match failed.last() {
        Some((_, last)) => format!("{why} ({last})"),
        None => why,
    })?;
    let order = order::order(cut, &schedule.tree, tiling)?;
    let homes = private.homes(cut, &order)?;
    let isl_order = order.for_isl(cut)?;
    let ast = worker
        .loops(isl_order, Limits { seconds: LOOPS.min(budget.seconds), bytes: budget.bytes })
        .map_err(|failure| failure.to_string())?;
    let by_block = formulated.renaming.of_blocks(&schedule.tree);
    let outline = outline(profile, loops, &formulated.statements, &by_block);
    let mut steps = sequence(profile, loops, region, &formulated.sorted, &outline);
    let (text, prelude) = emit::text(cut, &order, &homes, &ast)?;
    if tiling == Tiling::None {
        steps.retain(|step| !matches!(step.change, Change::Tile { .. } | Change::Wavefront { .. }));
    }
    if steps.is_empty() {
        return Err("nothing better than what is written was found".to_owned().into());
    }
    Ok(Written { text, prelude, sequence: steps, outline })
}
