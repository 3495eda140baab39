//! Nests of three loops as grids of three axes: candidates, what warps move for every choice of x, and tiles, against threads that are
//! looked at one by one.

use crate::support;

use std::collections::BTreeSet;

use gpumap::access::Accesses;
use gpumap::calls::{Cone, LENGTH};
use gpumap::coalescing::{Coalescing, Requested};
use gpumap::device::{Block, Device};
use gpumap::offload::show::Asked;
use gpumap::offload::{Candidate, with_candidates};
use gpumap::recurrence::Given;
use gpumap::shared::{Scheme, opportunities};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use support::read;

/// The first candidate of a function, its inputs having these values.
fn with_first<T>(
    function: &str,
    block: &str,
    values: &[(&str, i64)],
    look: impl FnOnce(&mut Accesses<'_>, &Candidate, Block, &Device) -> T,
) -> T {
    let module = read("cubes");
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    let mut given = Given::default();
    values.iter().for_each(|(name, value)| given.set(name, *value));
    let (block, device) = (block.parse().unwrap(), Device::named("sm_90").unwrap());
    let asked = Asked { observed: None, line: None, given: &given, block, device, scheme: Scheme::default() };
    with_candidates(&module, &cone, asked, |analysed, all| {
        look(&mut analysed.accesses, &all[0], block, device)
    })
}

#[test]
fn three_loops_are_a_nest() {
    let shape = |function: &str| {
        with_first(function, "8x8x4", &[], |_, candidate, _, _| {
            (candidate.loops.len(), candidate.repeated.clone())
        })
    };
    for function in ["weigh", "turn", "boxes", "four", "pyramid"] {
        assert_eq!(shape(function), (3, vec![]), "{function}");
    }
    assert_eq!(shape("between"), (3, vec![38, 40]));
    assert_eq!(shape("ended").0, 2);
    assert_eq!(shape("ragged").0, 2);
}

/// Units of every access under every mapping lie where they are said to.
#[test]
fn every_choice_of_x_moves_what_lanes_say() {
    let mut checked = 0;
    for function in ["weigh", "turn", "boxes", "four"] {
        for (block, n) in [("8x8x4", 16), ("32x4x2", 32), ("4x4x4", 12)] {
            with_first(function, block, &[("n", n), ("m", 40)], |accesses, candidate, block, device| {
                let found = Coalescing::new(accesses, &candidate.loops, block, device).unwrap();
                let all: Vec<Requested> = found.accesses.clone();
                for requested in all.iter().filter(|requested| !requested.is_scalar) {
                    for x in 0..3 {
                        let claimed = requested.mappings[x].as_ref().unwrap()[0].sectors.numbers().unwrap();
                        let Ok(counted) = found.enumerate(accesses, requested, x, block, device.sector)
                        else {
                            continue;
                        };
                        let range = counted[0].range();
                        let is_within = claimed.0 <= *range.start() && *range.end() <= claimed.1;
                        assert!(is_within, "{function} in {block}, x {x}: {range:?} and {claimed:?}");
                        checked += 1;
                    }
                }
            });
        }
    }
    assert!(checked > 40, "{checked}");
}

/// The tile of a box is the bytes that the threads of a block touch, and neighbours have in common what is said.
#[test]
fn tiles_have_three_dimensions() {
    for block in ["8x8x4", "32x2x2", "4x4x4"] {
        with_first("boxes", block, &[("n", 64), ("m", 80)], |accesses, candidate, block, device| {
            let found = Coalescing::new(accesses, &candidate.loops, block, device).unwrap();
            let list = opportunities(accesses, &found, block, device, Scheme::default());
            let of_a = list.iter().find(|opportunity| opportunity.name == "a").unwrap();
            let shape = of_a.shape.as_ref().unwrap();
            let requested = &found.accesses[of_a.accesses[0]];
            let offset = requested.ways.as_ref().unwrap().list[0].offset.clone();
            let axes = found.axes_from(found.advice.x);
            let forms = accesses.assumed_mut();
            let control = forms.control;
            let inside: Vec<_> =
                control.loops.iter().map(|(id, _)| id).filter(|id| !axes.contains(id)).collect();
            let atoms: Vec<_> = axes.iter().chain(&inside).map(|&id| forms.iteration(id)).collect();
            let touched = |[x, y, z]: [u32; 3]| {
                let mut bytes = BTreeSet::new();
                for (u, v, w) in (0..2).flat_map(|u| (0..2).flat_map(move |v| (0..3).map(move |w| (u, v, w))))
                {
                    let places = [x, y, z, u, v, w];
                    let known = |atom| {
                        let at = atoms.iter().position(|own| *own == atom)?;
                        Some(BigRational::from(BigInt::from(places[at])))
                    };
                    let start = forms.atoms.value(&offset, &known).unwrap().to_integer().to_i64().unwrap();
                    bytes.extend(start..start + 4);
                }
                bytes
            };
            let all: BTreeSet<i64> =
                (0..block.warps()).flat_map(|warp| block.lanes(warp)).flat_map(&touched).collect();
            assert_eq!(shape.tile.bytes.integer(), Some(BigInt::from(all.len())), "{block}");
            assert_eq!((shape.tile.extents.len(), shape.common.len()), (3, 3));
            let first = touched([0, 0, 0]);
            for (axis, neighbour) in [[1, 0, 0], [0, 1, 0], [0, 0, 1]].into_iter().enumerate() {
                let common = first.intersection(&touched(neighbour)).count();
                assert_eq!(
                    shape.common[axis].bytes.integer(),
                    Some(BigInt::from(common)),
                    "{block}, axis {axis}"
                );
            }
        });
    }
}
