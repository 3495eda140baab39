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
mod steps;
mod sunk;
mod written;

pub use emit::replaced;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use isl::worker::{Limits, Worker};
use isl::{Fusion, Tree};
use profile::Profile;
use source::{Clang, Nest, Source};

use crate::SourceLoop;
use crate::graph::inside;
use crate::options::choose::{SLOWER, weight};
use crate::options::cost::estimate;
use crate::options::{Advice, Chosen, Estimate, Facts, choose, times};
use crate::propose::check::check;
use crate::propose::ladder::climb;
use crate::propose::outline::outline;
use crate::propose::problem::{Formulated, formulate_cut};
use crate::propose::region::Region;
use crate::propose::sequence::{Step, Target, sequence};
use crate::propose::{Budget, Node};
use matched::Matched;

/// Most processor time for the loops of one nest, in seconds.
const LOOPS: u64 = 20;

/// Why no code is written of what is legal.
const NO_GAIN: &str = "other orders are legal, but not expected to pay for loops as long as these";
/// Iterations in a tile of a loop that is moved inwards.
const LANES: [i64; 3] = [64, 256, 1024];

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
    /// What it is expected to gain; `None` if that cannot be estimated.
    pub advice: Option<Advice>,
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
    let mut found = Found { best: None, why: String::new(), whole: BTreeSet::new() };
    loop {
        let nest = match source.nest(&root.function, root.line, &whole) {
            Ok(nest) => nest,
            Err(uncut) if whole.is_empty() => return Err(uncut.to_string()),
            Err(_) => break,
        };
        let matched = match matched::matched(profile, &nest, &region.contexts) {
            Ok(matched) => matched,
            Err(why) if whole.is_empty() => return Err(why),
            Err(_) => break,
        };
        let cut = Cut { source, nest: &nest, matched: &matched };
        let seeker = Seeker { profile, loops, region: &region, cut: &cut, worker, budget };
        seeker.seek(&mut found)?;
        let is_new = found.whole.iter().any(|line| !whole.contains(line));
        if !is_new || found.best.is_some() {
            break;
        }
        whole.append(&mut found.whole);
    }
    let Found { best, why, .. } = found;
    let Written { text, prelude, sequence, outline, advice, notes, range, .. } = best.ok_or(why)?;
    Ok(Code { of, file: path.clone(), range, text, prelude, sequence, outline, notes, advice })
}

/// A nest of a source in a profile.
struct Cut<'a> {
    source: &'a Source,
    nest: &'a Nest,
    matched: &'a Matched,
}

/// Code of a nest.
struct Written {
    text: String,
    prelude: &'static str,
    sequence: Vec<Step>,
    outline: Vec<Node>,
    advice: Option<Advice>,
    notes: Vec<String>,
    range: Range<usize>,
}

/// What was found so far.
struct Found {
    best: Option<Written>,
    /// The first reason why there is nothing.
    why: String,
    /// Lines of loops that could be left in one piece instead.
    whole: BTreeSet<u32>,
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

/// Seeks the best code of a nest.
struct Seeker<'a> {
    profile: &'a Profile,
    loops: &'a [SourceLoop],
    region: &'a Region,
    cut: &'a Cut<'a>,
    worker: &'a Worker,
    budget: Budget,
}

/// A legal order of a nest.
struct Candidate {
    tree: Tree,
    chosen: Chosen,
    homes: Vec<privacy::Home>,
    weight: f64,
}

impl Candidate {
    /// Whether it may gain: it is slower on one processor at most by as much as estimates are off, or faster on all.
    fn is_worth(&self, before: Estimate) -> bool {
        self.chosen.estimate.is_none_or(|own| own.one <= SLOWER * before.one || own.all < before.one)
    }
}

impl Seeker<'_> {
    /// Weighs what is written against all kinds of fusion, and writes the best.
    fn seek(&self, found: &mut Found) -> Result<(), String> {
        let private = privacy::Private::new(self.profile, self.loops, self.cut);
        let formulated = self.formulated(&private)?;
        let machine = &self.budget.machine;
        let grown = |own: &Facts| own.clone().grown(machine.growth);
        let facts: Vec<Facts> = self.cut.matched.facts.iter().map(grown).collect();
        let written = written::tree(self.cut, &formulated);
        let (plain, _) = times::order(&facts, &written, &[])?;
        let before = estimate(&facts, &plain, machine);
        let limit = before.map(|before| before.one);
        let mut trees = vec![written];
        for fusion in [Fusion::Smart, Fusion::Maximal, Fusion::Apart] {
            match self.scheduled(&formulated, fusion) {
                Ok(tree) if !trees.contains(&tree) => trees.push(tree),
                Ok(_) => {}
                Err(why) => found.refused(why.into()),
            }
        }
        let mut candidates = Vec::new();
        for sunk in sunk::all(&facts, &trees[0], &LANES) {
            match self.sunk(&formulated, &private, &facts, sunk, limit) {
                Ok(candidate) => candidates.push(candidate),
                Err(refused) => found.refused(refused.why.into()),
            }
        }
        for tree in trees {
            match self.candidate(&formulated, &private, &facts, tree, limit) {
                Ok(candidate) => candidates.push(candidate),
                Err(refused) => found.refused(refused),
            }
        }
        let worth = |candidate: &Candidate| {
            self.budget.regardless || before.is_none_or(|before| candidate.is_worth(before))
        };
        if !candidates.is_empty() && candidates.iter().all(|candidate| !worth(candidate)) {
            found.why = NO_GAIN.to_owned();
        }
        candidates.retain(worth);
        candidates.sort_by(|a, b| a.weight.total_cmp(&b.weight));
        for candidate in candidates {
            match self.written(&formulated, &candidate) {
                Ok(code) => {
                    let compared =
                        before.map(|before| Advice::new(&facts, &plain, before, &candidate.chosen));
                    found.best = Some(Written { advice: compared.flatten(), ..code });
                    break;
                }
                Err(why) => found.refused(why.into()),
            }
        }
        Ok(())
    }

    fn formulated(&self, private: &privacy::Private) -> Result<Formulated, String> {
        let is_private = |verdict: &crate::Verdict, object| private.covers(verdict, object);
        let problem = crate::propose::problem::Cut {
            statements: self.cut.matched.statements.clone(),
            renaming: self.cut.matched.renaming.clone(),
            is_private: &is_private,
        };
        formulate_cut(self.profile, self.loops, self.region, problem).map_err(|unfit| unfit.to_string())
    }

    /// A schedule of isl.
    fn scheduled(&self, formulated: &Formulated, fusion: Fusion) -> Result<Tree, String> {
        let mut failed = Vec::new();
        let budget = Budget { fusion, ..self.budget };
        let is_right = |tree: &Tree| check(self.profile, formulated, tree, budget.pairs);
        let scheduled = climb(formulated, true, self.worker, budget, (&is_right, &mut failed));
        let (_, schedule, _) = scheduled.map_err(|why| match failed.last() {
            Some((_, last)) => format!("{why} ({last})"),
            None => why,
        })?;
        Ok(schedule.tree)
    }

    /// The best order of a tree.
    fn candidate(
        &self,
        formulated: &Formulated,
        private: &privacy::Private,
        facts: &[Facts],
        tree: Tree,
        limit: Option<f64>,
    ) -> Result<Candidate, Refused> {
        let chosen = choose(facts, &tree, &self.budget.machine, limit)?;
        self.weighed(formulated, private, tree, chosen, limit)
    }

    /// An order with a loop moved inwards, as it is.
    fn sunk(
        &self,
        formulated: &Formulated,
        private: &privacy::Private,
        facts: &[Facts],
        sunk: sunk::Sunk,
        limit: Option<f64>,
    ) -> Result<Candidate, Refused> {
        let sunk::Sunk { tree, order } = sunk;
        let estimate = estimate(facts, &order, &self.budget.machine);
        let chosen = Chosen { order, choices: Vec::new(), estimate, is_tilable: false };
        self.weighed(formulated, private, tree, chosen, limit)
    }

    /// An order that was chosen, if it stands the enumeration of dependences. `limit`: cycles on one processor of what is written.
    fn weighed(
        &self,
        formulated: &Formulated,
        private: &privacy::Private,
        tree: Tree,
        chosen: Chosen,
        limit: Option<f64>,
    ) -> Result<Candidate, Refused> {
        let tree = chosen.permuted(&tree);
        check(self.profile, formulated, &tree, self.budget.pairs)
            .map_err(|violation| violation.to_string())?;
        let homes = private.homes(self.cut, &chosen.order)?;
        let weight = chosen.estimate.map_or(f64::INFINITY, |own| weight(own, limit));
        Ok(Candidate { tree, chosen, homes, weight })
    }

    /// The code of an order.
    fn written(&self, formulated: &Formulated, candidate: &Candidate) -> Result<Written, String> {
        let Candidate { tree, chosen, homes, .. } = candidate;
        let by_block = formulated.renaming.of_blocks(tree);
        let outline = outline(self.profile, self.loops, &formulated.statements, &by_block);
        let target = Target {
            nodes: &outline,
            is_tiled: chosen.choices.iter().any(|choice| choice.tiles.is_some()),
            has_diagonals: chosen.choices.iter().any(|choice| choice.has_diagonals),
        };
        let sequence = sequence(self.profile, self.loops, self.region, &formulated.sorted, target);
        if sequence.is_empty() {
            let why =
                if chosen.is_tilable { NO_GAIN } else { "nothing better than what is written was found" };
            return Err(why.to_owned());
        }
        let limits = Limits { seconds: LOOPS.min(self.budget.seconds), bytes: self.budget.bytes };
        let isl_order = order::for_isl(self.cut, &chosen.order)?;
        let ast = self.worker.loops(isl_order, limits).map_err(|failure| failure.to_string())?;
        let (text, prelude) = emit::text(self.cut, &chosen.order, homes, &ast)?;
        Ok(Written {
            text,
            prelude,
            sequence: steps::of_source(self.loops, sequence),
            outline,
            advice: None,
            notes: self.cut.nest.uncut.iter().map(|uncut| uncut.to_string()).collect(),
            range: self.cut.nest.range.clone(),
        })
    }
}

impl Found {
    fn refused(&mut self, refused: Refused) {
        self.whole.extend(refused.whole);
        // What is legal and of no use says more than that something else failed.
        if self.why.is_empty() || refused.why == NO_GAIN {
            self.why = refused.why;
        }
    }
}
