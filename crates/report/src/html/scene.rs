//! What a drawing of an iteration domain shows: a window of its points, its outline, and the dependences between them.
//!
//! The innermost three dimensions of a loop that have more than one value are shown, around the later iteration of the dependence that blocks, or around the
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
/// Most blocks looked at, of a loop.
const BLOCKS: usize = 24;
/// Most pieces looked at.
const PIECES: usize = 400;
/// Most dependences looked at.
const DEPENDENCES: usize = 200;
/// Most instances of dependences looked at, and of those into one point, where loops further in are left out.
const INSTANCES: u64 = 60_000;
const INSTANCES_OF_POINT: u64 = 256;
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
    /// Blocks in every loop context, those executed most first.
    blocks: FxHashMap<ContextIndex, Vec<u32>>,
}

impl<'a> Stage<'a> {
    /// Of a program.
    pub fn new(profile: &'a Profile, loops: &'a [SourceLoop]) -> Stage<'a> {
        let mut around: FxHashMap<ContextIndex, Vec<ContextIndex>> = FxHashMap::default();
        let mut blocks: FxHashMap<ContextIndex, Vec<u32>> = FxHashMap::default();
        for (index, block) in profile.blocks.iter().enumerate().filter(|(_, b)| !b.domain.is_empty()) {
            let chain = around.entry(block.context).or_insert_with(|| profile.loops_around(block.context));
            for &context in chain.iter() {
                blocks.entry(context).or_default().push(index as u32);
            }
        }
        for of_context in blocks.values_mut() {
            of_context.sort_by_key(|&b| (std::cmp::Reverse(profile.blocks[b as usize].executions), b));
            of_context.truncate(BLOCKS);
        }
        Stage { profile, loops, blocks }
    }

    /// The scene of a loop; `None` if nothing is known of its iterations.
    pub fn scene(&self, at: usize) -> Option<Scene> {
        let l = &self.loops[at];
        let iterations = |&c: &ContextIndex| self.profile.contexts[c as usize].iterations;
        let context = l.contexts.iter().copied().max_by_key(iterations)?;
        let dims = usize::from(self.profile.contexts[context as usize].dims);
        let blocks = self.blocks.get(&context)?.iter().map(|&block| &self.profile.blocks[block as usize]);
        let all = blocks.clone().flat_map(|block| &block.domain).flat_map(|folded| &folded.pieces);
        let pieces: Vec<&Piece> = all.clone().take(PIECES).collect();
        let mut domains: Vec<Domain> = Vec::new();
        for domain in pieces.iter().filter_map(|piece| outer(piece, dims)) {
            if !domains.contains(&domain) {
                domains.push(domain);
            }
        }
        let is_exact = |piece: &&Piece| !piece.over_approximated && piece.domain().is_some();
        let is_approximate = all.count() > PIECES || !pieces.iter().all(is_exact);
        let dependences = self.dependences(at, dims);
        let focus = self.focus(at, dims, &domains)?;
        let frame = Frame::of(&pieces, focus)?;
        let names = self.names(context, dims);
        let held = (0..dims).filter(|q| !frame.shown.contains(q) && !frame.is_single(*q));
        let mut scene = Scene {
            held: held.map(|q| (names[q].clone(), frame.focus[q])).collect(),
            axes: frame.axes(&names)?,
            outline: Vec::new(),
            points: Vec::new(),
            is_approximate,
            focus: None,
            arrows: Vec::new(),
            leads_out: false,
        };
        scene.points = points(&domains, &scene.axes, &frame);
        scene.outline = outline(&domains, &scene.axes, &frame);
        self.connect(&mut scene, &dependences, &frame);
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
    fn connect(&self, scene: &mut Scene, dependences: &[(&Dependence, bool)], frame: &Frame) {
        let mut arrows: BTreeSet<Arrow> = BTreeSet::new();
        let known: BTreeSet<&Vec<i64>> = scene.points.iter().collect();
        let mut leads_out = false;
        let mut budget = INSTANCES;
        for &(d, blocks) in dependences {
            let mut add = |source: &[i64], sink: &[i64]| {
                let Some((source, sink)) = frame.place(source).zip(frame.place(sink)) else { return };
                if !known.contains(&sink.inner) || source == sink || sink.outer != frame.held() {
                    return;
                }
                leads_out |= source.outer != sink.outer;
                if source.outer == sink.outer && known.contains(&source.inner) {
                    let (source, sink) = (source.inner, sink.inner);
                    arrows.insert(Arrow { is_harmless: !blocks, source, sink, kind: d.kind });
                }
            };
            let sink_dims = usize::from(self.profile.contexts[self.profile.context_of(d.sink) as usize].dims);
            let relation = d.relation.as_ref().map(Relation::of);
            match relation.filter(|relation| !relation.0.is_empty()) {
                Some(relation) if sink_dims == frame.focus.len() => {
                    for sink in known.iter().map(|point| frame.whole(point)) {
                        relation.sources(&sink).iter().for_each(|source| add(source, &sink));
                    }
                }
                // Of loops further in, the first instances stand for all.
                Some(relation) => {
                    for sink in known.iter().map(|point| frame.whole(point)) {
                        relation.instances(&sink, &mut budget, &mut add);
                    }
                }
                None => {
                    for sink in known.iter().map(|point| frame.whole(point)) {
                        differing(d, &sink).iter().for_each(|source| add(source, &sink));
                    }
                }
            }
        }
        scene.leads_out = leads_out;
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
    let domain = piece
        .domain()
        .unwrap_or_else(|| Domain { dimensions: piece.extent().into_iter().map(constant_bounds).collect() });
    Some(Domain { dimensions: domain.dimensions.get(..dims)?.to_vec() })
}

fn constant_bounds((least, most): (i64, i64)) -> Bounds {
    Bounds { lower: Affine::constant(least), upper: Affine::constant(most), step: 1 }
}

/// Which dimensions are shown, and where.
struct Frame {
    /// The iteration around which is shown, in all dimensions.
    focus: Vec<i64>,
    /// Smallest and largest value of each.
    extents: Vec<(i64, i64)>,
    /// Dimensions shown, ascending.
    shown: Vec<usize>,
}

/// An iteration in a frame: the coordinates shown and the others.
#[derive(PartialEq, Eq)]
struct Placed {
    inner: Vec<i64>,
    outer: Vec<i64>,
}

impl Frame {
    fn of(pieces: &[&Piece], focus: Vec<i64>) -> Option<Frame> {
        let all: Vec<Vec<(i64, i64)>> = pieces.iter().map(|piece| piece.extent()).collect();
        let extent = |q: usize| {
            let of = all.iter().filter_map(|extent| extent.get(q));
            Some((of.clone().map(|e| e.0).min()?, of.map(|e| e.1).max()?))
        };
        let extents: Vec<(i64, i64)> = (0..focus.len()).map(extent).collect::<Option<_>>()?;
        let mut shown: Vec<usize> = (0..focus.len()).filter(|&q| extents[q].0 < extents[q].1).collect();
        if shown.is_empty() {
            shown.push(focus.len().checked_sub(1)?);
        }
        shown.drain(..shown.len().saturating_sub(DIMS));
        Some(Frame { focus, extents, shown })
    }

    fn is_single(&self, q: usize) -> bool {
        self.extents[q].0 == self.extents[q].1
    }

    fn axes(&self, names: &[String]) -> Option<Vec<Axis>> {
        let (window, whole) = *WINDOW.get(self.shown.len().checked_sub(1)?)?;
        let axis = |(k, &q): (usize, &usize)| {
            let (least, most) = self.extents[q];
            let length = most.checked_sub(least)?.checked_add(1)?;
            let is_layer = self.shown.len() == DIMS && k == 0;
            let (window, whole) = if is_layer { (LAYERS, LAYERS) } else { (window, whole) };
            let window = if length <= whole {
                (least, most)
            } else {
                // Arrows come from earlier iterations, so there is more to see before the focus.
                let before = if is_layer { 1 } else { 2 * window / 3 };
                let from = self.focus[q].saturating_sub(before).clamp(least, most - window + 1);
                (from, from + window - 1)
            };
            Some(Axis { name: names[q].clone(), extent: (least, most), window })
        };
        self.shown.iter().enumerate().map(axis).collect()
    }

    /// The iteration with these coordinates shown, the others as in the focus.
    fn whole(&self, point: &[i64]) -> Vec<i64> {
        let mut out = self.focus.clone();
        self.shown.iter().zip(point).for_each(|(&q, &x)| out[q] = x);
        out
    }

    /// The place of an iteration, of which the outermost dimensions count; `None` if it has too few.
    fn place(&self, iteration: &[i64]) -> Option<Placed> {
        let own = iteration.get(..self.focus.len())?;
        let (inner, outer): (Vec<usize>, Vec<usize>) = (0..own.len()).partition(|q| self.shown.contains(q));
        let of = |dims: Vec<usize>| dims.into_iter().map(|q| own[q]).collect();
        Some(Placed { inner: of(inner), outer: of(outer) })
    }

    /// The coordinates of the focus that are not shown.
    fn held(&self) -> Vec<i64> {
        (0..self.focus.len()).filter(|q| !self.shown.contains(q)).map(|q| self.focus[q]).collect()
    }
}

/// All points of the window that some piece holds.
fn points(domains: &[Domain], axes: &[Axis], frame: &Frame) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for axis in axes {
        let longer = |point: &Vec<i64>| -> Vec<Vec<i64>> {
            (axis.window.0..=axis.window.1).map(|x| [&point[..], &[x]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|point| {
        let whole = frame.whole(point);
        domains.iter().any(|domain| domain.contains(&whole))
    });
    all
}

/// Rows of the innermost two dimensions; none if there is one dimension, or all is shown. Of three dimensions, the largest
/// of the first, middle and last layer stands for all.
fn outline(domains: &[Domain], axes: &[Axis], frame: &Frame) -> Vec<(i64, i64, i64)> {
    let [layers @ .., rows, columns] = axes else { return Vec::new() };
    if rows.is_whole() && columns.is_whole() {
        return Vec::new();
    }
    let middle = |(least, most): (i64, i64)| least + (most - least) / 2;
    let candidates = match layers {
        [layer] => vec![vec![layer.extent.0], vec![middle(layer.extent)], vec![layer.extent.1]],
        _ => vec![Vec::new()],
    };
    let all = candidates.into_iter().map(|layer| rows_of(domains, rows, &layer, frame));
    let size = |rows: &[(i64, i64, i64)]| {
        rows.iter().map(|(_, a, b)| i128::from(*b) - i128::from(*a) + 1).sum::<i128>()
    };
    all.max_by_key(|rows| size(rows)).unwrap_or_default()
}

/// Rows of one layer.
fn rows_of(domains: &[Domain], rows: &Axis, layer: &[i64], frame: &Frame) -> Vec<(i64, i64, i64)> {
    let Some(&last) = frame.shown.last() else { return Vec::new() };
    let (least, most) = rows.extent;
    let count = (most - least + 1).min(ROWS);
    let mut out = Vec::new();
    for k in 0..count {
        // At most 64 rows, whatever their number.
        let x = least + (i128::from(most - least) * i128::from(k) / i128::from((count - 1).max(1))) as i64;
        let point = frame.whole(&[layer, &[x]].concat());
        let (outer, _) = point.split_at(last);
        for domain in domains {
            let is_row = domain
                .dimensions
                .get(..last)
                .is_some_and(|d| Domain { dimensions: d.to_vec() }.contains(outer));
            let ends =
                domain.dimensions.get(last).and_then(|b| Some((b.lower.at(outer)?, b.upper.at(outer)?)));
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

    /// Visits (source, sink) of the first instances whose sink begins with some coordinates, as many as the budget allows.
    fn instances(&self, begin: &[i64], budget: &mut u64, visit: &mut dyn FnMut(&[i64], &[i64])) {
        for (domain, outputs) in &self.0 {
            let Some((outer, inner)) = domain.dimensions.split_at_checked(begin.len()) else { continue };
            if !(Domain { dimensions: outer.to_vec() }).contains(begin) {
                continue;
            }
            let only = begin.iter().map(|&x| constant_bounds((x, x)));
            let pinned = Domain { dimensions: only.chain(inner.iter().cloned()).collect() };
            pinned.points(INSTANCES_OF_POINT.min(*budget), &mut |sink| {
                *budget = budget.saturating_sub(1);
                let source: Option<Vec<i64>> = outputs.iter().map(|f| f.at(sink)).collect();
                source.iter().for_each(|source| visit(source, sink));
            });
        }
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
