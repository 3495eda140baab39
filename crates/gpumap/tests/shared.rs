//! What blocks keep in shared memory: overlaps and needs of sources, and random sections against sets of bytes.

use crate::support;

use std::collections::BTreeSet;

use gpumap::control::{Control, LoopId};
use gpumap::device::{Block, Device, Limit};
use gpumap::memory::Object;
use gpumap::shared::group::groups;

use gpumap::shared::show::show_opportunities;
use gpumap::shared::{Dimension, Opportunity, Scheme, Section, Shape, Shapeless, Why, opportunities};
use gpumap::symbolic::{Atoms, Facts, Polynomial};
use support::interpreter::Sequence;
use support::nests::{Source, with_nest};
use support::read;

const HOPPER: (&str, &str) = ("32x8", "sm_90");
const CLOSE: Scheme = Scheme::Close(32);

fn found(source: Source, values: &[(&str, i64)], scheme: Scheme) -> Vec<Opportunity> {
    with_nest(source, HOPPER, values, |accesses, found, block, device| {
        opportunities(accesses, found, block, device, scheme)
    })
}

fn shown(source: Source, values: &[(&str, i64)], scheme: Scheme) -> Vec<String> {
    with_nest(source, HOPPER, values, |accesses, found, block, device| {
        let list = opportunities(accesses, found, block, device, scheme);
        let text = show_opportunities(accesses, &list, block, device);
        let plain = |line: &str| {
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" | ")
        };
        text.lines().skip(2).map(plain).collect()
    })
}

/// Bytes of a tile, of a thread, and in common with neighbours.
fn bytes(opportunity: &Opportunity) -> (i64, i64, Vec<i64>) {
    let number = |of: &Polynomial| i64::try_from(of.integer().unwrap()).unwrap();
    let shape = opportunity.shape.as_ref().unwrap();
    let common = shape.common.iter().map(|common| number(&common.bytes)).collect();
    (number(&shape.tile.bytes), number(&shape.of_thread), common)
}

/// The convolution of ALGORITHMS 8.6: a filter of 5 × 3 in blocks of 32 × 8.
#[test]
fn colours_of_an_image() {
    let nest = ("colour_convolution", "convolve", 2);
    let list = found(nest, &[("filter_width", 5), ("filter_height", 3), ("in->width", 640)], CLOSE);
    let names: Vec<(&str, usize)> = list.iter().map(|of| (of.name.as_str(), of.accesses.len())).collect();
    assert_eq!(names, [("filter", 1), ("in->pixels", 3), ("out->pixels", 3)]);
    // The whole filter, for everyone.
    assert_eq!(bytes(&list[0]), (60, 60, vec![60, 60]));
    assert_eq!(list[0].why, [Why::Overlap(0), Why::Overlap(1)]);
    // 108 bytes in 10 rows; of 45 bytes 36 are those of the neighbour along x, 30 of the one along y.
    assert_eq!(bytes(&list[1]), (1080, 45, vec![36, 30]));
    let tile = &list[1].shape.as_ref().unwrap().tile;
    assert_eq!(tile.extents, [Polynomial::from(36), Polynomial::from(10)]);
    assert_eq!(tile.element, 3);
    // A row above and two columns to the left.
    assert_eq!(tile.start, Polynomial::from(-3 * 640 - 3 * 2));
    let occupancy = tile.occupancy(Block::default(), Device::named("sm_90").unwrap()).unwrap().unwrap();
    assert_eq!((occupancy.blocks, occupancy.percent(), occupancy.limit), (8, 100, Limit::Warps));
    // Three stores together use all that they move.
    assert!(list[2].why.is_empty());
    let row = "in->pixels (22, 23, 24) | 1080 bytes: 36 x 10 of 3 | x: 36, y: 30 of 45 | 3 accesses grouped; \
               2-D, rows of 640, x along columns, y along rows; 8 blocks per multiprocessor, 100 % of its warps";
    let values = [("filter_width", 5), ("filter_height", 3), ("in.width", 640)];
    assert_eq!(shown(nest, &values, CLOSE)[1], row);
}

/// In terms of the inputs, with what is assumed of them.
#[test]
fn needs_are_expressions() {
    let row = "in->pixels (22, 23, 24) | 3*filter_width*filter_height + 21*filter_width + 93*filter_height + 651 bytes: \
               filter_width + 31 x filter_height + 7 of 3 | x: 3*filter_width*filter_height - 3*filter_height, \
               y: 3*filter_width*filter_height - 3*filter_width of 3*filter_width*filter_height | 3 accesses grouped; \
               2-D, rows of in->width, x along columns, y along rows; \
               assumed: -3*filter_width + 3*in->width - 3 is not negative";
    let lines = shown(("colour_convolution", "convolve", 2), &[], CLOSE);
    assert_eq!(lines[1], row);
    let assumed = ["in->height", "in->pixels", "in->width"]
        .map(|content| format!("assumed: writes to out->pixels leave {content} unchanged"));
    assert_eq!(lines[2..], assumed);
    let product = shown(("mappings", "product", 2), &[], CLOSE);
    assert_eq!(
        product[0],
        "a (57) | 32*n bytes: n x 8 of 4 | x: all, y: none of 4*n | 2-D, rows of n, y along rows"
    );
    // A matrix of this size is too large for a block.
    let product = shown(("mappings", "product", 2), &[("n", 4096)], CLOSE);
    assert!(
        product[1].contains("524288 bytes of shared memory per block are more than the 232448 of sm_90"),
        "{product:?}"
    );
}

#[test]
fn neighbours_that_interleave_share_nothing() {
    let list = found(("mappings", "spread", 1), &[], CLOSE);
    assert_eq!(bytes(&list[0]), (32 * 8 * 4, 32, vec![0]));
    assert!(list.iter().all(|opportunity| opportunity.why.is_empty()));
    let text = "no opportunities: neighbours touch nothing in common, and requests use what they move";
    assert_eq!(shown(("mappings", "spread", 1), &[], CLOSE).len(), 0, "{text}");
}

/// A filter that is read backwards is the same set of bytes.
#[test]
fn backwards_and_triangular() {
    let list = found(("mappings", "filtered", 1), &[("m", 9)], CLOSE);
    assert_eq!(bytes(&list[0]), ((31 + 9) * 4, 36, vec![32]));
    assert_eq!(bytes(&list[1]), (36, 36, vec![36]));
    let list = found(("mappings", "triangle", 1), &[], CLOSE);
    assert_eq!(list[0].shape.as_ref().unwrap_err().why, Shapeless::Count);
}

/// Both schemes of grouping: starts that differ by rows are joined by the second one alone.
#[test]
fn schemes_of_grouping() {
    let nest = ("mappings", "heat", 2);
    let close = found(nest, &[("n", 500)], CLOSE);
    let members: Vec<usize> = close.iter().map(|opportunity| opportunity.accesses.len()).collect();
    assert_eq!(members, [3, 1, 1, 1]);
    assert_eq!(bytes(&close[0]), (34 * 8 * 8, 24, vec![16, 0]));
    let whole = found(nest, &[("n", 500)], Scheme::Whole);
    // Of five points two are those of a neighbour; the tile is the box around the cross.
    assert_eq!((whole.len(), whole[0].accesses.len()), (2, 5));
    assert_eq!(bytes(&whole[0]), (34 * 10 * 8, 40, vec![16, 16]));
    let symbolic = shown(nest, &[], Scheme::Whole);
    assert!(
        symbolic[0].starts_with("a (67) | 2720 bytes: 34 x 10 of 8 | x: 16, y: 16 of 40"),
        "{symbolic:?}"
    );
    // Points beside a missing one: the next neighbour reads neither of them.
    let line = found(("mappings", "line", 1), &[], CLOSE);
    assert_eq!((bytes(&line[0]), bytes(&line[1])), ((136, 12, vec![8]), (136, 8, vec![0])));
}

/// Threads two elements apart with windows of three share one.
#[test]
fn windows_that_overlap_in_part() {
    let list = found(("mappings", "pooled", 1), &[], CLOSE);
    assert_eq!(bytes(&list[0]), ((3 + 2 * 31) * 4, 12, vec![4]));
    assert_eq!(list[0].why, [Why::Overlap(0)]);
}

/// Accesses of different shapes are joined by the second scheme, with the need of their hull; where starts are not comparable it
/// goes from the lesser one to the greater one.
#[test]
fn all_of_a_pointer() {
    let nest = ("mappings", "mixed", 1);
    assert_eq!(found(nest, &[], CLOSE).len(), 3);
    let whole = found(nest, &[("m", 10)], Scheme::Whole);
    assert_eq!((whole.len(), whole[0].accesses.len()), (2, 2));
    assert_eq!(whole[0].shape.as_ref().unwrap_err().why, Shapeless::Several);
    // From element 0 to 10·31 + 64 + 9.
    let row = "a (130, 132) | 1536 bytes | ? | accesses of different strides or counts";
    assert_eq!(shown(nest, &[("m", 10)], Scheme::Whole), [row]);
    let gathered = shown(("mappings", "irregular", 1), &[], CLOSE);
    assert_eq!(gathered[0], "a (31) | ? | ? | threads differ by values without a rule");
}

/// A store that goes down columns under either mapping is worth a tile, which is padded.
#[test]
fn uncoalesced_stores() {
    let list = found(("mappings", "transpose", 2), &[("n", 1000)], CLOSE);
    let store = list.iter().find(|opportunity| opportunity.name == "b").unwrap();
    assert_eq!(store.why, [Why::Uncoalesced]);
    assert_eq!(bytes(store), (8 * 32 * 8, 8, vec![0, 0]));
    // Lanes go down a column of rows of 64 bytes: every second one lies in the same banks.
    let passes = |more| store.shape.as_ref().unwrap().passes(Block::default(), more).unwrap().ways();
    assert_eq!((passes(0), passes(1)), (8, 1));
    let remark = "8-way bank conflicts, 1-way if rows are padded by 1";
    let lines = shown(("mappings", "transpose", 2), &[("n", 1000)], CLOSE);
    assert!(lines[0].contains(remark), "{lines:?}");
    assert!(list.iter().find(|opportunity| opportunity.name == "a").unwrap().why.is_empty());
}

/// Some loops of a source, to name the dimensions of random sections by.
fn some_loops() -> Vec<LoopId> {
    let module = read("colour_convolution");
    let control = Control::new(module.function("convolve").unwrap());
    control.loops.iter().map(|(id, _)| id).collect()
}

/// Random sections with numbers: what is said of a thread and its neighbours is what their sets of bytes have in common, and a
/// tile holds the sets of all threads of its block.
#[test]
fn sections_are_their_sets_of_bytes() {
    let loops = some_loops();
    let (atoms, facts) = (Atoms::default(), Facts::none());
    let mut from = Sequence(5);
    let mut said = 0;
    for case in 0..20_000 {
        let (section, others) = random_sections(&mut from, &loops);
        let sections: Vec<Section> = std::iter::once(section).chain(others).collect();
        let scheme = if from.next().is_multiple_of(2) { CLOSE } else { Scheme::Whole };
        let block = Block::new(1 + (from.next() % 4) as u32, 1 + (from.next() % 3) as u32, 1).unwrap();
        for group in groups(&sections, scheme) {
            let first = &sections[group.members[0]];
            let Some(shape) = Shape::of(&atoms, &facts, first, &group, block) else { continue };
            assert!(shape.assumed.is_empty(), "case {case}: numbers need no assumptions");
            said += 1;
            let members: Vec<&Section> = group.members.iter().map(|&member| &sections[member]).collect();
            let of = |x: i128, y: i128| touched(&members, x, y);
            let number = |of: &Polynomial| usize::try_from(of.integer().unwrap()).unwrap();
            let is_exact = !group.has_holes() || first.inside.is_empty();
            let own = of(0, 0);
            let compare =
                |claimed: usize, seen: usize| if is_exact { claimed == seen } else { claimed >= seen };
            assert!(compare(number(&shape.of_thread), own.len()), "case {case}: {members:?} {shape:?}");
            for (axis, common) in shape.common.iter().enumerate() {
                let neighbour = if axis == 0 { of(1, 0) } else { of(0, 1) };
                let seen = own.intersection(&neighbour).count();
                assert!(compare(number(&common.bytes), seen), "case {case}: {seen} of {members:?} {shape:?}");
            }
            let mut all = BTreeSet::new();
            for x in 0..block.extent(0) {
                (0..block.extent(1)).for_each(|y| all.extend(of(x.into(), y.into())));
            }
            let tile = bytes_of_tile(&shape);
            assert_eq!(number(&shape.tile.bytes), tile.1, "case {case}: {shape:?}");
            assert!(all.is_subset(&tile.0), "case {case}: {block} of {members:?} {shape:?}");
        }
    }
    assert!(said > 10_000, "{said} claims");
}

/// The bytes of the array that a tile is a copy of, and how many it has, elements that lie over each other counted twice.
fn bytes_of_tile(shape: &Shape) -> (BTreeSet<i128>, usize) {
    let number = |of: &Polynomial| i128::try_from(of.integer().unwrap()).unwrap();
    let mut starts = vec![number(&shape.tile.start)];
    for (stride, extent) in shape.pattern.strides.iter().zip(&shape.tile.extents) {
        let (stride, extent) = (number(stride), number(extent));
        starts = starts.into_iter().flat_map(|start| (0..extent).map(move |k| start + k * stride)).collect();
    }
    let count = starts.len() * usize::try_from(shape.tile.element).unwrap();
    let element = i128::from(shape.tile.element);
    (starts.into_iter().flat_map(|start| start..start + element).collect(), count)
}

/// A section and others of its shape.
fn random_sections(from: &mut Sequence, loops: &[LoopId]) -> (Section, Vec<Section>) {
    let size = [1, 4, 8][(from.next() % 3) as usize];
    let pitch = i64::from(size) * (1 + (from.next() % 40) as i64);
    let unit = i64::from(size);
    let strides = [0, unit, -unit, 2 * unit, -3 * unit, pitch, -pitch, 2 * pitch, 3, 64];
    let threads = [(); 2].map(|()| Polynomial::from(strides[(from.next() % 10) as usize])).to_vec();
    let steps = [(); 2].map(|()| Polynomial::from(strides[(from.next() % 10) as usize].abs()));
    let dimensions = (from.next() % 3) as usize;
    let mut dimension = |(step, id): (Polynomial, &LoopId)| Dimension {
        id: *id,
        step,
        count: Polynomial::from(1 + (from.next() % 5) as i64),
    };
    let inside: Vec<Dimension> = steps
        .into_iter()
        .zip(loops)
        .filter(|(step, _)| !step.is_zero())
        .take(dimensions)
        .map(&mut dimension)
        .collect();
    let base = Polynomial::from(0);
    let (object, name) = (Object::Argument(0), "a".to_owned());
    let section = Section { object, name, base, start: 0.into(), threads, inside, size };
    let mut others = Vec::new();
    for _ in 0..from.next() % 4 {
        let (rows, columns) = ((from.next() % 3) as i64 - 1, (from.next() % 5) as i64 - 2);
        let start = Polynomial::from(rows * pitch + columns * i64::from(size));
        others.push(Section { start, ..section.clone() });
    }
    (section, others)
}

/// The bytes that a thread touches by several accesses.
fn touched(members: &[&Section], x: i128, y: i128) -> BTreeSet<i128> {
    let number = |of: &Polynomial| i128::try_from(of.integer().unwrap()).unwrap();
    let mut all = BTreeSet::new();
    for section in members {
        let mut starts =
            vec![number(&section.start) + number(&section.threads[0]) * x + number(&section.threads[1]) * y];
        for dimension in &section.inside {
            let (step, count) = (number(&dimension.step), number(&dimension.count));
            starts = starts.into_iter().flat_map(|start| (0..count).map(move |k| start + k * step)).collect();
        }
        all.extend(starts.into_iter().flat_map(|start| start..start + i128::from(section.size)));
    }
    all
}
