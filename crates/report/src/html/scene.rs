//! What a drawing of an iteration domain shows: a window of its points, its outline, and the dependences between them.
//!
//! The innermost three dimensions of a loop are shown, around the later iteration of the dependence that blocks, or around the
//! first iteration; dimensions further out are held at it. Points and arrows come from the folded pieces: a point is shown if a piece
//! holds it, an arrow if the relation of a dependence (or a difference that is the same for all its instances) leads from one
//! point shown to another.

use std::collections::{BTreeMap, BTreeSet};

use fold::Piece;
use poly::{Affine, Bounds, Domain};
use profile::{ContextIndex, Dependence, Kind, Profile};
use rustc_hash::FxHashMap;
use schedule::SourceLoop;

/// Most dimensions shown.
const DIMS: usize = 3;
/// Most values shown of a dimension, by number of dimensions shown; slightly longer ones are shown whole.
const WINDOW: [(i64, i64); DIMS] = [(18, 24), (9, 12), (5, 6)];
/// Most layers shown of the outermost of three dimensions.
const LAYERS: i64 = 3;
/// Most pieces looked at.
const PIECES: usize = 400;
/// Most dependences looked at.
const DEPENDENCES: usize = 200;
/// Most arrows shown.
const ARROWS: usize = 160;
/// Rows by which an outline is drawn.
const ROWS: i64 = 64;

/// A dimension shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The loop: its place in the source.
    pub name: String,
    /// Smallest and largest value.
    pub extent: (i64, i64),
    /// Smallest and largest value shown.
    pub window: (i64, i64),
}

impl Axis {
    /// Whether all values are shown.
    pub fn is_whole(&self) -> bool {
        self.extent == self.window
    }
}

/// A dependence between two points.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// It does not block: what is to be accumulated, or private elsewhere.
    pub is_harmless: bool,
    /// The earlier iteration.
    pub source: Vec<i64>,
    /// The later one.
    pub sink: Vec<i64>,
    /// Its kind.
    pub kind: Kind,
}

/// What is drawn.
#[derive(Debug, Clone)]
pub struct Scene {
    /// Dimensions shown, outermost first: one to three.
    pub axes: Vec<Axis>,
    /// Loops further out, with the iteration that is shown.
    pub held: Vec<(String, i64)>,
    /// Points of the window.
    pub points: Vec<Vec<i64>>,
    /// Some of the pieces are boxes around what is not known exactly.
    pub is_approximate: bool,
    /// Per row of an outline of the two innermost dimensions: the row, and from where to where.
    pub outline: Vec<(i64, i64, i64)>,
    /// The iteration with the most arrows into it; none without arrows.
    pub focus: Option<Vec<i64>>,
    /// Dependences, those that block first.
    pub arrows: Vec<Arrow>,
    /// Carried by a loop that is held: they lead out of what is shown.
    pub leads_out: bool,
}

/// Domains and dependences of loops, found once for all drawings.
#[derive(Debug)]
pub struct Stage<'a> {
    profile: &'a Profile,
    loops: &'a [SourceLoop],
    /// The block executed most in every loop context.
    busiest: FxHashMap<ContextIndex, u32>,
}

impl<'a> Stage<'a> {
    /// Of a program.
    pub fn new(profile: &'a Profile, loops: &'a [SourceLoop]) -> Stage<'a> {
        let mut around: FxHashMap<ContextIndex, Vec<ContextIndex>> = FxHashMap::default();
        let mut busiest: FxHashMap<ContextIndex, u32> = FxHashMap::default();
        for (index, block) in profile.blocks.iter().enumerate().filter(|(_, b)| !b.domain.is_empty()) {
            let chain = around.entry(block.context).or_insert_with(|| profile.loops_around(block.context));
            for &context in chain.iter() {
                let best = busiest.entry(context).or_insert(index as u32);
                if profile.blocks[*best as usize].executions < block.executions {
                    *best = index as u32;
                }
            }
        }
        Stage { profile, loops, busiest }
    }

    /// The scene of a loop; `None` if nothing is known of its iterations.
    pub fn scene(&self, at: usize) -> Option<Scene> {
        let l = &self.loops[at];
        let iterations = |&c: &ContextIndex| self.profile.contexts[c as usize].iterations;
        let context = l.contexts.iter().copied().max_by_key(iterations)?;
        let dims = usize::from(self.profile.contexts[context as usize].dims);
        let block = &self.profile.blocks[*self.busiest.get(&context)? as usize];
        let pieces: Vec<&Piece> =
            block.domain.iter().flat_map(|folded| &folded.pieces).take(PIECES).collect();
        let domains: Vec<Domain> = pieces.iter().filter_map(|piece| outer(piece, dims)).collect();
        let all: usize = block.domain.iter().map(|folded| folded.pieces.len()).sum();
        let is_exact = |piece: &&Piece| !piece.over_approximated && piece.domain().is_some();
        let is_approximate = all > PIECES || !pieces.iter().all(is_exact);
        let dependences = self.dependences(at, dims);
        let focus = self.focus(at, dims, &domains)?;
        let first = dims.saturating_sub(DIMS);
        let names = self.names(context, dims);
        let axes = axes(&pieces, &focus, &names, first)?;
        let mut scene = Scene {
            outline: outline(&domains, &axes, &focus),
            held: names.into_iter().zip(focus.iter().copied()).take(first).collect(),
            points: points(&domains, &axes, &focus[..first]),
            is_approximate,
            focus: None,
            arrows: Vec::new(),
            leads_out: false,
            axes,
        };
        self.connect(&mut scene, &dependences, &focus[..first], dims);
        Some(scene)
    }

    /// Places of the loops around, from the outermost.
    fn names(&self, context: ContextIndex, dims: usize) -> Vec<String> {
        let chain = self.profile.loops_around(context);
        let name = |c: Option<&ContextIndex>| {
            let of = c.and_then(|c| self.loops.iter().find(|l| l.contexts.contains(c)));
            of.map_or_else(|| "a loop that did not repeat".to_owned(), SourceLoop::place)
        };
        (0..dims).map(|q| name(chain.get(q))).collect()
    }

    /// Dependences among iterations of a loop that order them or those of loops around, with whether they block one.
    fn dependences(&self, at: usize, dims: usize) -> Vec<(&'a Dependence, bool)> {
        let chain = std::iter::successors(Some(at), |&at| self.loops[at].parent);
        let mut found: BTreeSet<(u32, bool)> = BTreeSet::new();
        for verdict in chain.flat_map(|at| &self.loops[at].verdicts) {
            found.extend(verdict.blocking.iter().map(|b| (b.dependence, true)));
            found.extend(verdict.ordering.iter().map(|&d| (d, false)));
        }
        let contexts = &self.loops[at].contexts;
        let is_inside = |statement: u32| {
            let chain = self.profile.loops_around(self.profile.context_of(statement));
            dims.checked_sub(1).and_then(|q| chain.get(q)).is_some_and(|c| contexts.contains(c))
        };
        let of = |&(index, blocks): &(u32, bool)| {
            let d = &self.profile.dependences[index as usize];
            let is_other = !blocks && found.contains(&(index, true));
            let belongs = usize::from(d.common) >= dims && is_inside(d.source) && is_inside(d.sink);
            (belongs && !is_other).then_some((d, blocks))
        };
        let mut out: Vec<(&Dependence, bool)> = found.iter().filter_map(of).collect();
        out.sort_by_key(|(_, blocks)| !blocks);
        out.truncate(DEPENDENCES);
        out
    }

    /// The iteration looked at: the later one of the first dependence that blocks the loop or one around it.
    fn focus(&self, at: usize, dims: usize, domains: &[Domain]) -> Option<Vec<i64>> {
        let chain = std::iter::successors(Some(at), |&at| self.loops[at].parent);
        for blocking in chain.flat_map(|at| &self.loops[at].verdicts).flat_map(|v| &v.blocking) {
            let level = &self.profile.dependences[blocking.dependence as usize].levels[blocking.level];
            if let Some(point) = level.sink_iv.get(..dims)
                && domains.iter().any(|domain| domain.contains(point))
            {
                return Some(point.to_vec());
            }
        }
        let mut first = None;
        domains.first()?.points(1, &mut |point| first = Some(point.to_vec()));
        first
    }

    /// Adds the arrows.
    fn connect(&self, scene: &mut Scene, dependences: &[(&Dependence, bool)], held: &[i64], dims: usize) {
        let mut arrows: BTreeSet<Arrow> = BTreeSet::new();
        for &(d, blocks) in dependences {
            let sink_dims = self.profile.contexts[self.profile.context_of(d.sink) as usize].dims;
            let relation = d.relation.as_ref().filter(|_| usize::from(sink_dims) == dims).map(Relation::of);
            for point in &scene.points {
                let sink: Vec<i64> = held.iter().chain(point).copied().collect();
                let sources = match &relation {
                    Some(relation) => relation.sources(&sink),
                    None => differing(d, &sink),
                };
                for source in sources.iter().filter_map(|source| source.get(..dims)) {
                    let (outer, inner) = source.split_at(held.len());
                    scene.leads_out |= outer != held;
                    if outer == held && inner != point && scene.points.iter().any(|p| p == inner) {
                        let (source, sink) = (inner.to_vec(), point.clone());
                        arrows.insert(Arrow { is_harmless: !blocks, source, sink, kind: d.kind });
                    }
                }
            }
        }
        scene.focus = busiest_sink(&arrows);
        let is_into_focus = |arrow: &Arrow| scene.focus.as_ref() == Some(&arrow.sink);
        let mut arrows: Vec<Arrow> = arrows.into_iter().collect();
        // Of a few thousand, those that are looked at stay.
        arrows.sort_by_key(|arrow| (arrow.is_harmless, !is_into_focus(arrow)));
        arrows.dedup_by(|a, b| (&a.source, &a.sink, a.kind) == (&b.source, &b.sink, b.kind));
        arrows.truncate(ARROWS);
        scene.arrows = arrows;
    }
}

/// The point that most arrows lead into, the first if there are several.
fn busiest_sink(arrows: &BTreeSet<Arrow>) -> Option<Vec<i64>> {
    let mut counts: BTreeMap<&Vec<i64>, usize> = BTreeMap::new();
    arrows.iter().for_each(|arrow| *counts.entry(&arrow.sink).or_default() += 1);
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(sink, _)| sink.clone())
}

/// The outermost dimensions of a piece; its box where it does not exist in coordinates.
fn outer(piece: &Piece, dims: usize) -> Option<Domain> {
    let domain = piece.domain().unwrap_or_else(|| {
        let bounds = |(least, most): (i64, i64)| Bounds {
            lower: Affine::constant(least),
            upper: Affine::constant(most),
            step: 1,
        };
        Domain { dimensions: piece.extent().into_iter().map(bounds).collect() }
    });
    Some(Domain { dimensions: domain.dimensions.get(..dims)?.to_vec() })
}

/// The dimensions from `first` on.
fn axes(pieces: &[&Piece], focus: &[i64], names: &[String], first: usize) -> Option<Vec<Axis>> {
    let extents: Vec<Vec<(i64, i64)>> = pieces.iter().map(|piece| piece.extent()).collect();
    let shown = focus.len() - first;
    let (window, whole) = *WINDOW.get(shown.checked_sub(1)?)?;
    let axis = |q: usize| {
        let of = extents.iter().filter_map(|extent| extent.get(q));
        let least = of.clone().map(|e| e.0).min()?;
        let most = of.map(|e| e.1).max()?;
        let length = most.checked_sub(least)?.checked_add(1)?;
        let is_layer = shown == DIMS && q == first;
        let (window, whole) = if is_layer { (LAYERS, LAYERS) } else { (window, whole) };
        let window = if length <= whole {
            (least, most)
        } else {
            // Arrows come from earlier iterations, so there is more to see before the focus.
            let before = if is_layer { 1 } else { 2 * window / 3 };
            let from = focus[q].saturating_sub(before).clamp(least, most - window + 1);
            (from, from + window - 1)
        };
        Some(Axis { name: names[q].clone(), extent: (least, most), window })
    };
    (first..focus.len()).map(axis).collect()
}

/// All points of the window that some piece holds.
fn points(domains: &[Domain], axes: &[Axis], held: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for axis in axes {
        let longer = |point: &Vec<i64>| -> Vec<Vec<i64>> {
            (axis.window.0..=axis.window.1).map(|x| [&point[..], &[x]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let is_in = |point: &Vec<i64>| {
        let whole = [held, point].concat();
        domains.iter().any(|domain| domain.contains(&whole))
    };
    all.retain(is_in);
    all
}

/// Rows of the innermost two dimensions, the others as in the focus; none if there is one dimension, or all is shown.
fn outline(domains: &[Domain], axes: &[Axis], focus: &[i64]) -> Vec<(i64, i64, i64)> {
    let [.., rows, columns] = axes else { return Vec::new() };
    if rows.is_whole() && columns.is_whole() {
        return Vec::new();
    }
    let (least, most) = rows.extent;
    let count = (most - least + 1).min(ROWS);
    let mut out = Vec::new();
    for k in 0..count {
        // At most 64 rows, whatever their number.
        let x = least + (i128::from(most - least) * i128::from(k) / i128::from((count - 1).max(1))) as i64;
        let mut point = focus[..focus.len() - 2].to_vec();
        point.push(x);
        for domain in domains {
            let (outer, last) = domain.dimensions.split_at(point.len());
            let is_row = Domain { dimensions: outer.to_vec() }.contains(&point);
            let ends = last.first().and_then(|b| Some((b.lower.at(&point)?, b.upper.at(&point)?)));
            if let Some((from, to)) = ends.filter(|(from, to)| is_row && from <= to) {
                out.push((x, from, to));
            }
        }
    }
    out
}

/// The pieces of a folded relation that exist in coordinates: where they hold, and the coordinates of the source.
struct Relation(Vec<(Domain, Vec<Affine>)>);

impl Relation {
    fn of(folded: &fold::Folded) -> Relation {
        let piece = |piece: &Piece| {
            let outputs =
                (0..piece.labels.len()).map(|o| piece.label(o)?.function()).collect::<Option<_>>()?;
            Some((piece.domain()?, outputs))
        };
        Relation(folded.pieces.iter().take(PIECES).filter_map(piece).collect())
    }

    fn sources(&self, sink: &[i64]) -> Vec<Vec<i64>> {
        let holding = self.0.iter().filter(|(domain, _)| domain.contains(sink));
        holding.filter_map(|(_, outputs)| outputs.iter().map(|f| f.at(sink)).collect()).collect()
    }
}

/// The sources of a sink by differences that are the same for all instances; where they vary, those of the examples.
fn differing(d: &Dependence, sink: &[i64]) -> Vec<Vec<i64>> {
    let of = |level: &profile::LevelSummary| {
        let least = level.minimum.get(..sink.len())?;
        if level.maximum.get(..sink.len()) == Some(least) {
            return sink.iter().zip(least).map(|(x, d)| x.checked_sub(*d)).collect();
        }
        let is_example = level.count > 0 && level.sink_iv.get(..sink.len()) == Some(sink);
        is_example.then(|| level.source_iv.clone())
    };
    d.levels.iter().filter_map(of).collect()
}
