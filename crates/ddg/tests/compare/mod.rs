//! Whether two ways of taking a recording say the same.

use std::collections::BTreeSet;

use fold::Folded;
use profile::{Dependence, Kind, Profile};

/// Takes all folded streams out of a profile, with what they are of.
fn streams(profile: &mut Profile) -> Vec<(String, Vec<Folded>)> {
    let mut out = Vec::new();
    for block in &mut profile.blocks {
        out.push((format!("domain of statement {}", block.first), std::mem::take(&mut block.domain)));
    }
    for access in &mut profile.accesses {
        out.push((format!("address of statement {}", access.statement), std::mem::take(&mut access.address)));
    }
    for d in profile.dependences.iter_mut().filter(|d| d.kind != Kind::Anti) {
        let what = format!("{:?} relation from statement {} to {}", d.kind, d.source, d.sink);
        out.push((what, d.relation.take().into_iter().collect()));
    }
    out
}

/// Pieces at a time below which a stream is far from having too many.
const SIMPLE: usize = 24;

/// A point and its labels.
type Point = (Vec<i64>, Vec<Option<i64>>);

/// Whether some domain is only known to lie in a larger one.
pub fn are_bounded(folded: &[Folded]) -> bool {
    folded.iter().flat_map(|f| &f.pieces).any(|p| p.over_approximated)
}

/// All points of exactly known domains, in order.
pub fn points(folded: &[Folded]) -> Vec<Point> {
    let mut out = Vec::new();
    for piece in folded.iter().flat_map(|f| &f.pieces) {
        assert!(piece.points(1 << 20, &mut |point, labels| out.push((point.to_vec(), labels.to_vec()))));
    }
    out.sort();
    out
}

/// Streams may be cut into other pieces where rows are recorded and counted in other lengths; their points are the same.
fn same_streams(what: &str, counted: Vec<(String, Vec<Folded>)>, applied: Vec<(String, Vec<Folded>)>) {
    if counted.len() != applied.len() {
        let names =
            |all: &[(String, Vec<Folded>)]| all.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
        let (one, other) = (names(&counted), names(&applied));
        panic!(
            "only one way: {:?}; only the other: {:?}: {what}",
            one.difference(&other).collect::<Vec<_>>(),
            other.difference(&one).collect::<Vec<_>>()
        );
    }
    for ((name, a), (other, b)) in counted.into_iter().zip(applied) {
        assert_eq!(name, other, "{what}");
        let total = |folded: &[Folded]| folded.iter().map(|f| f.points).sum::<u64>();
        assert_eq!(total(&a), total(&b), "{name}: {what}");
        // One that had many pieces at a time may have had one too many.
        let is_simple = b.iter().all(|folded| folded.most_alive < SIMPLE && !are_bounded(&b));
        assert!(!are_bounded(&a) || !is_simple, "{name}, {} points, is not exact: {what}", total(&a));
        if a == b || are_bounded(&a) || are_bounded(&b) {
            continue;
        }
        for (one, other) in points(&a).iter().zip(&points(&b)) {
            assert_eq!(one.0, other.0, "{name}: {what}");
            for (x, y) in one.1.iter().zip(&other.1) {
                assert!(x.is_none() || y.is_none() || x == y, "{name} at {:?}: {x:?}, {y:?}: {what}", one.0);
            }
        }
    }
}

/// Takes the anti dependences out of a profile: which writes have any at which levels.
///
/// Which of the readers of a byte stands for the others, and how many instances are told apart, depends on how the memory
/// keeps its readers.
fn antis(profile: &mut Profile) -> BTreeSet<(u32, Option<u8>)> {
    let (antis, others) =
        std::mem::take(&mut profile.dependences).into_iter().partition(|d| d.kind == Kind::Anti);
    profile.dependences = others;
    profile.trust.dependences = 0;
    let levels = |d: &Dependence| -> Vec<(u32, Option<u8>)> {
        d.levels.iter().map(|l| (d.sink, (l.level < d.common).then_some(l.level))).collect()
    };
    let antis: Vec<Dependence> = antis;
    antis.iter().flat_map(levels).collect()
}

/// Two profiles of one recording say the same.
pub fn compare(what: &str, (mut counted, mut applied): (Profile, Profile)) {
    let (one, other) = (antis(&mut counted), antis(&mut applied));
    assert!(
        one == other,
        "only one way: {:?}; only the other: {:?}: {what}",
        one.difference(&other).collect::<Vec<_>>(),
        other.difference(&one).collect::<Vec<_>>()
    );
    same_streams(what, streams(&mut counted), streams(&mut applied));
    assert_eq!(counted.trust, applied.trust, "{what}");
    assert_eq!(counted.contexts, applied.contexts, "{what}");
    assert_eq!(counted.blocks, applied.blocks, "{what}");
    for (a, b) in counted.dependences.iter().zip(&applied.dependences) {
        assert_eq!(a, b, "{what}");
    }
    assert_eq!(counted.dependences.len(), applied.dependences.len(), "{what}");
    assert_eq!(counted.objects, applied.objects, "{what}");
    assert!(counted.accesses == applied.accesses, "accesses: {what}");
    assert_eq!(counted.folding, applied.folding, "{what}");
    assert!(counted == applied, "{what}");
}
