//! Known nests: found exactly, in one nest, with no more loops than they were written with.

use reconstruct::check;
use reconstruct::generators::{self, Generator, Sizes};
use reconstruct::run::Run;
use reconstruct::stream::{Options, Reconstruction, Reconstructor};

fn reconstructed(runs: &[Run], threads: usize) -> Reconstruction {
    let mut options = Options::default();
    options.effort.threads = threads;
    let mut r = Reconstructor::new(options);
    runs.iter().for_each(|&run| r.push_run(run));
    r.finish()
}

fn values(runs: &[Run]) -> impl Iterator<Item = i64> + '_ {
    runs.iter().flat_map(|r| r.values())
}

fn one_nest(g: &Generator, sizes: &Sizes) {
    let runs = g.at(sizes);
    let result = reconstructed(&runs, 2);
    assert_eq!(check::check(&result.nests, values(&runs)), Ok(()), "{}", g.name);
    assert_eq!(result.nests.len(), 1, "{}", g.name);
    assert!(result.nests[0].depth() <= g.depth, "{}: {} loops", g.name, result.nests[0].depth());
}

#[test]
fn affine_kernels_at_a_twentieth_of_their_size() {
    for g in generators::SINGLE {
        let s = g.sizes;
        one_nest(g, &Sizes { n: s.n / 20, m: s.m / 20, p: s.p / 20, ..s });
    }
}

#[test]
fn examples_of_the_publications() {
    for g in generators::SMALL {
        one_nest(g, &g.sizes);
    }
}

#[test]
fn tiles() {
    for name in
        ["tiled_lower", "tiled_upper", "tiled_transpose", "tiled_banded", "tiled_reversed", "tiled_jacobi1d"]
    {
        let g = generators::named(name).expect("a generator");
        one_nest(g, &g.sizes);
    }
}

/// Tiles cut at both sides, and few of them: no grouping by corners gets these in one nest.
#[test]
fn tiles_that_need_a_part_to_be_extended() {
    for (name, n, m) in [("tiled_gramschmidt_k", 35, 34), ("tiled_seidel2d", 48, 48)] {
        let g = generators::named(name).expect("a generator");
        one_nest(g, &Sizes { n, m, p: 0, tile: 8, steps: 24 });
    }
}

/// Regression 4: the last row of a tile that the first row of the next tile continues by chance ended the extension.
#[test]
fn regression_4_a_tile_that_runs_into_the_next() {
    let g = generators::named("tiled_two_level").expect("a generator");
    one_nest(g, &Sizes { n: 83, m: 82, tile: 8, ..g.sizes });
}

/// Regression 6: the plane through one point beyond all others was taken as level, so no bounds seemed to begin a new tile.
#[test]
fn regression_6_diamonds_cut_at_all_sides() {
    let g = generators::named("tiled_diamond1d").expect("a generator");
    for (n, steps) in [(32, 16), (48, 24), (83, 43)] {
        one_nest(g, &Sizes { n, tile: 8, steps, ..g.sizes });
    }
}

/// Regression 7: facets through few points had odd slopes; no bounds with small denominators were found.
#[test]
fn regression_7_a_few_points_of_a_new_bound() {
    let g = generators::named("tiled_diamond1d").expect("a generator");
    one_nest(g, &Sizes { n: 160, tile: 8, steps: 80, ..g.sizes });
    let g = generators::named("tiled_two_level").expect("a generator");
    one_nest(g, &Sizes { n: 163, m: 162, tile: 8, ..g.sizes });
}

#[test]
fn the_result_does_not_depend_on_threads() {
    for name in ["two_lower", "tiled_banded", "tiled_two_level"] {
        let g = generators::named(name).expect("a generator");
        let runs = g.at(&Sizes { n: 60, m: 55, ..g.sizes });
        let one = reconstructed(&runs, 1);
        assert!((2..4).all(|threads| reconstructed(&runs, threads) == one), "{name}");
    }
}

#[test]
fn reversal_shift_and_scale_change_nothing_but_signs_and_constants() {
    for name in ["cholesky_Aik", "two_upper", "two_lower", "lu_Akj"] {
        let g = generators::named(name).expect("a generator");
        let runs = g.at(&Sizes { n: 20, m: 10, p: 8, ..g.sizes });
        let plain: Vec<i64> = values(&runs).collect();
        let of = |values: &[i64]| {
            let mut r = Reconstructor::default();
            r.push(values);
            let result = r.finish();
            assert_eq!(check::check(&result.nests, values.iter().copied()), Ok(()), "{name}");
            result
        };
        let shape =
            |r: &Reconstruction| (r.nests.len(), r.nests.iter().map(|n| n.depth()).collect::<Vec<_>>());
        let expected = of(&plain);
        let moved: Vec<i64> = plain.iter().map(|v| v - 12_345).collect();
        let scaled: Vec<i64> = plain.iter().map(|v| v * 8).collect();
        let reversed: Vec<i64> = plain.iter().rev().copied().collect();
        assert_eq!(shape(&of(&moved)), shape(&expected), "{name} moved");
        assert_eq!(shape(&of(&scaled)), shape(&expected), "{name} scaled");
        assert_eq!(of(&reversed).nests.len(), expected.nests.len(), "{name} reversed");
    }
}

#[test]
fn the_worked_examples() {
    let of = |values: &[i64]| {
        let mut r = Reconstructor::default();
        r.push(values);
        r.finish().nests
    };
    let cholesky =
        [100, 100, 100, 100, 200, 201, 200, 201, 200, 201, 300, 301, 302, 300, 301, 302, 400, 401, 402, 403];
    let nests = of(&cholesky);
    assert_eq!((nests.len(), nests[0].depth()), (1, 3));
    let upper: Vec<i64> = (0..20).flat_map(|i| (0..=9.min(i + 2)).map(move |j| 100 * i + j)).collect();
    let nests = of(&upper);
    assert_eq!(
        (
            upper.len(),
            nests.len(),
            nests[0].depth(),
            nests[0].nest().expect("a perfect nest").levels[1].upper.len()
        ),
        (172, 1, 2, 2)
    );
    let lower: Vec<i64> = (0..20).flat_map(|i| (0.max(i - 10)..=9).map(move |j| 100 * i + j)).collect();
    let nests = of(&lower);
    assert_eq!(
        (
            lower.len(),
            nests.len(),
            nests[0].depth(),
            nests[0].nest().expect("a perfect nest").levels[1].lower.len()
        ),
        (155, 1, 2, 2)
    );
    let third: Vec<i64> = (0..300).flat_map(|i| (0..=i / 3 + 5).map(move |j| 1000 * i + j)).collect();
    let nests = of(&third);
    assert_eq!(
        (nests.len(), nests[0].depth(), nests[0].nest().expect("a perfect nest").levels[1].upper[0].divisor),
        (1, 2, 3)
    );
}

#[test]
fn noise_is_lossless() {
    let g = generators::named("syrk_Ajk").expect("a generator");
    let clean: Vec<i64> = values(&g.at(&Sizes { n: 60, m: 50, ..g.sizes })).collect();
    let mut random = reconstruct::fuzzing::Random::new(3);
    for one_in in [2000, 100, 20] {
        let mut noisy = clean.clone();
        for value in &mut noisy {
            if random.below(one_in) == 0 {
                *value += random.between(-5000, 5000);
            }
        }
        let mut r = Reconstructor::default();
        r.push(&noisy);
        let result = r.finish();
        assert_eq!(check::check(&result.nests, noisy.iter().copied()), Ok(()));
        let delta: Vec<u8> = std::iter::once(noisy[0])
            .chain(noisy.windows(2).map(|w| w[1] - w[0]))
            .flat_map(i64::to_le_bytes)
            .collect();
        let baseline = zstd::encode_all(&delta[..], 3).expect("memory").len() as f64;
        let file = reconstruct::codec::encode(&[((0, 0), &result)], None).len() as f64;
        assert!(file <= baseline * 1.01 + 64.0, "one in {one_in}: {file} bytes against {baseline}");
    }
}

/// Regression 3: rows that run into one another were not told apart where there are few of them, or at the end.
#[test]
fn regression_3_joined_rows_of_small_nests() {
    let quick = |values: &[i64]| reconstruct::fuzzing::reconstructed(values, 1).nests;
    let joined = generators::named("floyd_kj").expect("a generator");
    for n in 6..20 {
        let nests = quick(&values(&joined.at(&Sizes { n, ..joined.sizes })).collect::<Vec<_>>());
        assert_eq!(nests.len(), 1, "{n}");
    }
    let triangle = generators::named("antitriangle").expect("a generator");
    for n in 8..20 {
        let mut reversed: Vec<i64> = values(&triangle.at(&Sizes { n, ..triangle.sizes })).collect();
        reversed.reverse();
        let nests = quick(&reversed);
        assert_eq!((nests.len(), nests[0].depth()), (1, 2), "{n}");
    }
}
