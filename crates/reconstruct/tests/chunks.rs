//! A stream that is cut anywhere, folded chunk by chunk and put together is reconstructed as if it had come in one piece.

use proptest::prelude::*;
use reconstruct::check;
use reconstruct::chunk::{Chunker, append};
use reconstruct::fuzzing::{self, Random};
use reconstruct::generators::{self, Sizes};
use reconstruct::run::Run;
use reconstruct::stream::{Options, Reconstruction, Reconstructor};

/// A reconstructor that searches little and closes a part after so many items.
fn quick(items: usize) -> Reconstructor {
    let mut options = Options { items, ..Options::default() };
    options.effort.rounds = 0;
    Reconstructor::new(options)
}

fn whole(values: &[i64], items: usize) -> Reconstruction {
    let mut all = quick(items);
    all.push(values);
    all.finish()
}

/// The same from chunks that end at the cuts.
fn joined(values: &[i64], cuts: &[usize], items: usize) -> Reconstruction {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (values.len() + 1)).collect();
    cuts.extend([0, values.len()]);
    cuts.sort_unstable();
    let mut all = quick(items);
    for cut in cuts.windows(2) {
        let mut chunker = Chunker::default();
        chunker.push(&values[cut[0]..cut[1]]);
        append(&chunker.finish(), &mut all).expect("a chunk");
    }
    all.finish()
}

fn same(values: &[i64], cuts: &[usize]) -> Result<(), TestCaseError> {
    // With room for everything, and with parts that are closed all the time.
    for items in [1 << 20, 60] {
        let one = whole(values, items);
        check::check(&one.nests, values.iter().copied()).map_err(TestCaseError::fail)?;
        prop_assert!(joined(values, cuts, items) == one, "{} integers, parts of {items} items", values.len());
    }
    Ok(())
}

/// Integers of any generator at a random small size.
fn generated() -> impl Strategy<Value = Vec<i64>> {
    let all: Vec<_> = [generators::SINGLE, generators::SMALL, generators::TILED].concat();
    (0..all.len(), 8i64..24, 3i64..9).prop_map(move |(index, n, tile)| {
        let g = &all[index];
        let sizes = Sizes { n, m: n + 1, p: n - 3, tile, steps: 2 * tile };
        let mut values: Vec<i64> = g.at(&sizes).iter().flat_map(Run::values).collect();
        values.truncate(8000);
        values
    })
}

fn cuts() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(any::<usize>(), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(kernels::cases(32, 8)))]

    #[test]
    fn generators_in_chunks(values in generated(), cuts in cuts()) {
        same(&values, &cuts)?;
    }

    #[test]
    fn random_nests_in_chunks(seed: u64, cuts in cuts()) {
        let mut values = fuzzing::integers(&fuzzing::planted(seed));
        values.truncate(5000);
        same(&values, &cuts)?;
    }

    #[test]
    fn irregular_streams_in_chunks(values in generated(), one_in in 3u64..200, seed: u64, cuts in cuts()) {
        let mut values = values;
        values.truncate(5000);
        let mut random = Random::new(seed);
        for _ in 0..values.len() as u64 / one_in {
            let at = random.below(values.len() as u64) as usize;
            values[at] = values[at].wrapping_add(random.below(u64::MAX) as i64 >> random.below(64));
        }
        same(&values, &cuts)?;
    }

    #[test]
    fn any_integers_in_chunks(values in proptest::collection::vec(any::<i64>(), 0..200),
        small in proptest::collection::vec(-2i64..3, 0..300), cuts in cuts()) {
        same(&values, &cuts)?;
        same(&small, &cuts)?;
    }
}

/// Every cut of a short stream, once with a third chunk of one integer.
#[test]
fn every_cut() {
    let g = generators::named("two_lower").expect("a generator");
    let values: Vec<i64> = g.all().iter().flat_map(Run::values).take(200).collect();
    let one = whole(&values, 1 << 20);
    for cut in 0..values.len() {
        assert!(joined(&values, &[cut], 1 << 20) == one, "cut at {cut}");
        assert!(joined(&values, &[cut, cut + 1], 1 << 20) == one, "cut at {cut} and after the next");
    }
}

/// Regression 10: where a part was closed depended on whether integers or runs were pushed.
#[test]
fn regression_10_parts_close_at_the_same_place_for_runs() {
    let mut random = Random::new(3);
    let runs: Vec<Run> = (0..4000)
        .map(|_| Run { start: random.between(0, 1 << 30), stride: 8, count: 2 + random.below(9) })
        .collect();
    let values: Vec<i64> = runs.iter().flat_map(Run::values).collect();
    let mut by_run = quick(50);
    runs.iter().for_each(|&run| by_run.push_run(run));
    assert!(by_run.finish() == whole(&values, 50));
}
