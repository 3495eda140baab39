//! What warps move per access of the loops of sources, under every mapping, and the mapping that is advised.

use crate::support;

use gpumap::coalescing::Basis;
use gpumap::coalescing::show::show_coalescing;
use support::nests::{Source, with_nest};

const HOPPER: (&str, &str) = ("32x8", "sm_90");

/// The text about a nest.
fn shown(source: Source, on: (&str, &str), values: &[(&str, i64)]) -> Vec<String> {
    with_nest(source, on, values, |accesses, found, block, device| {
        let text = show_coalescing(accesses, found, block, device);
        // Columns are as wide as their cells: two spaces are enough to tell them apart here.
        let plain = |line: &str| {
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" | ")
        };
        text.lines().skip(2).map(plain).collect()
    })
}

/// Fewest and most sectors and lines of every access under each mapping, its pointers one after the other.
fn counts(source: Source, on: (&str, &str), values: &[(&str, i64)]) -> Vec<Vec<[(u32, u32); 2]>> {
    with_nest(source, on, values, |_, found, _, _| {
        let of = |x: usize| {
            let mapped = found.accesses.iter().filter(|requested| !requested.is_scalar);
            let mapped = mapped.flat_map(|requested| requested.mappings[x].as_ref().unwrap());
            mapped
                .map(|mapped| [mapped.sectors.numbers().unwrap(), mapped.lines.numbers().unwrap()])
                .collect()
        };
        (0..found.loops.len()).map(of).collect()
    })
}

fn advice(source: Source, on: (&str, &str), values: &[(&str, i64)]) -> (usize, Basis) {
    with_nest(source, on, values, |_, found, _, _| (found.advice.x, found.advice.basis))
}

/// 32 lines per request as written against 1 swapped.
#[test]
fn matrix_addition() {
    let nest = ("matrix_addition", "add", 2);
    let expected = [
        "11:34 | load | a | 32 / 32 if n >= 8 / 32 | 4 to 5 / 1 to 2 | coalesced",
        "11:49 | load | b | 32 / 32 if n >= 8 / 32 | 4 to 5 / 1 to 2 | coalesced",
        "11:32 | store | c->data | 32 / 32 if n >= 8 / 32 | 4 to 5 / 1 to 2 | coalesced",
        "advice: map the loop of j to x, which moves the fewest sectors",
    ];
    assert_eq!(shown(nest, HOPPER, &[]), expected);
    let at_1024 = counts(nest, HOPPER, &[("n", 1024)]);
    assert_eq!(at_1024, [vec![[(32, 32), (32, 32)]; 3], vec![[(4, 4), (1, 1)]; 3]]);
    assert_eq!(advice(nest, HOPPER, &[("n", 1024)]), (1, Basis::Proved));
    let published = ("32x8", "fermi");
    assert!(
        shown(nest, published, &[])[0].contains("| 32 if n >= 8 / min(32, 1/4*n) | 4 to 5 / 1 |"),
        "{:?}",
        shown(nest, published, &[])
    );
    assert!(
        shown(nest, published, &[("n", 80)])[0].contains("32 / 20 | 4 / 1"),
        "{:?}",
        shown(nest, published, &[("n", 80)])
    );
}

/// Expressions hold at every number, and are the numbers where the alignment is known.
#[test]
fn expressions_hold_at_numbers() {
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use num_traits::ToPrimitive;
    for nest in [("mappings", "add", 2), ("mappings", "transpose", 2), ("mappings", "product", 2)] {
        let symbolic = |n: i64| {
            with_nest(nest, HOPPER, &[], |accesses, found, _, _| {
                let atoms = accesses.atoms(&accesses.list[0]);
                let known = |_| Some(BigRational::from(BigInt::from(n)));
                let value = |units: &gpumap::coalescing::Units| {
                    let value =
                        units.of.iter().map(|of| atoms.value(of, &known).unwrap().to_u32().unwrap()).max();
                    value.unwrap().min(units.cap)
                };
                let mapped =
                    found.accesses.iter().flat_map(|requested| &requested.mappings).flatten().flatten();
                mapped
                    .map(|mapped| (value(&mapped.sectors.least), value(&mapped.sectors.most)))
                    .collect::<Vec<_>>()
            })
        };
        for n in [1, 3, 8, 33, 1000] {
            let exact = with_nest(nest, HOPPER, &[("n", n)], |_, found, _, _| {
                let mapped =
                    found.accesses.iter().flat_map(|requested| &requested.mappings).flatten().flatten();
                mapped.map(|mapped| mapped.sectors.numbers().unwrap()).collect::<Vec<_>>()
            });
            for ((least, most), (fewest, highest)) in symbolic(n).into_iter().zip(exact) {
                assert!(
                    least <= fewest && highest <= most,
                    "{nest:?} at {n}: {fewest} to {highest} in {least} to {most}"
                );
            }
        }
    }
}

#[test]
fn no_mapping_is_best_for_a_transpose() {
    let nest = ("mappings", "transpose", 2);
    assert_eq!(advice(nest, HOPPER, &[]), (1, Basis::Equal));
    assert_eq!(
        counts(nest, HOPPER, &[("n", 1000)]),
        [vec![[(32, 32), (32, 32)], [(8, 8), (2, 3)]], vec![[(8, 8), (2, 3)], [(32, 32), (32, 32)]],]
    );
}

/// A loop inside is run by all lanes in step: they read one element of `a`, a row of `b`.
#[test]
fn products_of_matrices() {
    let nest = ("mappings", "product", 2);
    let expected = [
        "57:24 | load | a | 32 / 32 if n >= 8 / 32 | 1 / 1 | the same for all lanes",
        "57:39 | load | b | 1 / 1 | 4 to 5 / 1 to 2 | coalesced",
        "58:26 | store | c | 32 / 32 if n >= 8 / 32 | 4 to 5 / 1 to 2 | coalesced",
        "advice: map the loop of j to x, which moves the fewest sectors if inputs are large",
    ];
    assert_eq!(shown(nest, HOPPER, &[]), expected);
    assert_eq!(advice(nest, HOPPER, &[("n", 512)]), (1, Basis::Proved));
    assert_eq!(advice(("mappings", "scale", 3), HOPPER, &[]), (2, Basis::Proved));
    assert_eq!(advice(("mappings", "strides", 1), HOPPER, &[]), (0, Basis::Only));
}

/// Lanes that take different ways count together; of a choice that all share the greater one is the most; pointers count one by one.
#[test]
fn several_ways_and_pointers() {
    let found = counts(("mappings", "either", 1), HOPPER, &[("m", 100)]);
    assert_eq!(found, [[[(1, 13), (1, 4)], [(12, 12), (3, 3)], [(12, 12), (3, 3)], [(4, 4), (1, 1)]]]);
    let found = counts(("mappings", "shared_choice", 1), HOPPER, &[]);
    assert_eq!(found, [[[(4, 8), (1, 2)], [(4, 4), (1, 1)]]]);
    // Each lane has a pointer of its own.
    let found = counts(("mappings", "pointers", 1), HOPPER, &[]);
    assert_eq!(found, [[[(1, 4), (1, 1)], [(1, 4), (1, 1)], [(4, 4), (1, 1)]]]);
}

#[test]
fn what_has_no_expression_has_a_reason() {
    let lines = shown(("mappings", "irregular", 1), HOPPER, &[]);
    assert_eq!(lines[1], "31:24 | load | a | ? | lanes of a differ by values without a rule");
    let not_linear = "offsets in a are not linear in the lane: numbers for the inputs are needed";
    assert_eq!(
        lines[2..4],
        [format!("31:38 | load | a | ? | {not_linear}"), format!("31:49 | load | a | ? | {not_linear}")]
    );
    assert_eq!(lines[4], "31:22 | store | b | 4 to 5 / 1 to 2 | coalesced");
    let strides = shown(("mappings", "strides", 1), HOPPER, &[]);
    assert_eq!(strides[3], "38:87 | load | a | 32 / 32 if s >= 8 / 32 | uses 12 % of what it moves");
    assert_eq!(strides.last().unwrap(), "assumed: 4*s is not negative");
    // Numbers of either sign need no assumption.
    assert_eq!(counts(("mappings", "strides", 1), HOPPER, &[("s", -1)])[0][3], [(5, 5), (2, 2)]);
}

/// Squares and halves, lane by lane.
#[test]
fn lanes_are_enumerated_with_numbers() {
    with_nest(
        ("mappings", "irregular", 1),
        ("32", "sm_90"),
        &[("n", 100)],
        |accesses, found, block, device| {
            let mut of = |at: usize| {
                let requests =
                    found.enumerate(accesses, &found.accesses[at], 0, block, device.sector).unwrap();
                (requests[0].count, requests[0].units)
            };
            let sectors = |warp: u64, offset: fn(u64) -> u64| {
                let lanes = (32 * warp..100.min(32 * warp + 32)).map(|i| 4 * offset(i) / 32);
                lanes.collect::<std::collections::BTreeSet<_>>().len() as u64
            };
            let all = |offset: fn(u64) -> u64| (0..4).map(|warp| sectors(warp, offset)).sum::<u64>();
            assert_eq!(of(2), (4, all(|i| i * i)));
            assert_eq!(of(3), (4, all(|i| i / 2)));
        },
    );
    let open =
        with_nest(("mappings", "irregular", 1), ("32", "sm_90"), &[], |accesses, found, block, device| {
            found
                .enumerate(accesses, &found.accesses[2], 0, block, device.sector)
                .map_err(|error| error.to_string())
        });
    assert_eq!(open, Err("a value in the offset has no number".to_owned()));
}

/// Warps of narrow blocks cross rows: strides have to be numbers then.
#[test]
fn narrow_blocks() {
    let nest = ("mappings", "add", 2);
    let narrow = ("16x16", "sm_90");
    assert!(shown(nest, narrow, &[])[0].contains("warps cross rows of a block"));
    let found = counts(nest, narrow, &[("n", 1000)]);
    assert_eq!((found[0][0][0], found[1][0][0]), ((16, 16), (4, 4)));
    let found = counts(nest, ("24x8", "sm_90"), &[("n", 1000)]);
    assert_eq!(found[0][0][0].1, 24);
}

/// Stride 3 of bytes; 32 sectors from a width of 11 on. Contents that stay the same by assumption are named.
#[test]
fn colours_of_an_image() {
    let nest = ("colour_convolution", "convolve", 2);
    let lines = shown(nest, HOPPER, &[]);
    assert_eq!(lines[0], "20:40 | load | filter | 1 / 1 | 1 / 1 | the same for all lanes");
    let pixels = "32 / 32 if in->width >= 11 / 43 | 3 to 4 / 1 to 2 | uses 25 % of what it moves";
    assert_eq!(lines[1], format!("22:41 | load | in->pixels | {pixels}"));
    assert_eq!(lines[4], format!("28:50 | store | out->pixels | {pixels}"));
    assert_eq!(lines[7], "advice: map the loop of x to x, which moves the fewest sectors");
    assert_eq!(lines[8], "assumed: writes to out->pixels leave in->height unchanged");
    let at_1024 = counts(nest, HOPPER, &[("in.width", 1024), ("filter_width", 5)]);
    // Warps start at multiples of 96 bytes of a row.
    assert_eq!(at_1024[1][4..], [[(3, 3), (1, 2)]; 3]);
}

#[test]
fn names_that_stand_for_nothing_are_refused() {
    let error = with_nest(("mappings", "add", 2), HOPPER, &[], |accesses, found, block, device| {
        found
            .with_values(accesses, block, device, &[("width", 3)])
            .map(|_| ())
            .map_err(|error| error.to_string())
    });
    assert_eq!(error, Err("no offset and no number of iterations in the nest has width in it".to_owned()));
}
