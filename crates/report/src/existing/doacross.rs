//! Loops whose iterations wait for others by their vectors: `ordered(n)` with `depend(sink: …)` or `doacross(…)`.
//!
//! Definition (OpenMP 5.2, sections 4.4.2 and 15.9.7): an iteration that comes to a *sink* goes on when the iteration of that vector has come
//! to its *source*. So a dependence of distance `d` is ordered if `d` is a sum of the distances of sinks, where it leaves its iteration before
//! the source stands and comes to the other one behind the sink; iterations of loops that are not shared out follow one another anyway.
//!
//! Limits: a sink outside the loop's domain waits for nothing, which is not followed; subscripts that are no sums of one iterator and
//! what does not change say nothing.

use std::collections::BTreeSet;

use profile::lens::{Affine, Array, ArrayAccess, SourceLoop};

use super::guards::Guards;
use super::{clauses, lines_of_loop};

/// How many sums of distances are looked at for one dependence.
const MOST_SUMS: usize = 4096;
/// How much farther than the dependence itself a sum may reach on its way.
const FARTHEST: i64 = 16;

/// What the iterations of a loop wait for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Doacross {
    /// The iterators of the loops that a vector is of, and what each adds.
    iterators: Vec<(String, i64)>,
    /// How many of the loops, from the outermost, are shared out.
    shared_out: usize,
    /// Lines that wait, and the distances that they wait for.
    sinks: Vec<(u32, Vec<i64>)>,
    /// Lines that let others go on.
    sources: Vec<u32>,
    /// A sink could not be read.
    is_unknown: bool,
}

/// Two accesses to one element by different iterations, the first by the earlier one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Passed {
    /// The lines.
    pub lines: (u32, u32),
    /// The distance of the iterations, outermost loop first.
    pub distance: Vec<i64>,
}

/// Steps from one iteration to a later one, each of which waits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Steps {
    /// The distance that is left.
    left: Vec<i64>,
    /// There is one.
    has_waited: bool,
    /// One waits before the second access.
    is_waited_before: bool,
}

impl Doacross {
    /// That of a loop; `of`: the loops of its file.
    pub fn of(source: &SourceLoop, of: &[SourceLoop], guards: &Guards) -> Option<Doacross> {
        let directive = source.directive.as_ref()?;
        let own = clauses(&directive.text).into_iter().find(|clause| clause.name == "ordered")?;
        let count: usize = own.variables.first()?.parse().ok()?;
        // The loops of a vector stand one in the other.
        let mut nest = vec![source];
        let mut at = of.iter().position(|own| own == source);
        while let Some(outer) = at.filter(|_| nest.len() < count) {
            at = of.iter().position(|own| own.parent == Some(outer as u32));
            nest.extend(at.map(|inner| &of[inner]));
        }
        let iterators = nest.into_iter().flat_map(|own| &own.iterators).take(count);
        let mut out = Doacross {
            iterators: iterators.map(|own| (own.name.clone(), own.step_value.unwrap_or(0))).collect(),
            shared_out: directive.joined() as usize,
            ..Doacross::default()
        };
        out.is_unknown = out.iterators.len() != count || out.iterators.iter().any(|own| own.1 == 0);
        let lines = lines_of_loop(source);
        for (text, (line, _)) in guards.constructs().filter(|(_, at)| lines.contains(&at.0)) {
            let text: String = text.to_ascii_lowercase().split_whitespace().collect();
            for (kind, inside) in waits(&text) {
                match (kind, out.distance(inside)) {
                    ("source", _) => out.sources.push(line),
                    (_, Some(distance)) => out.sinks.push((line, distance)),
                    (_, None) => out.is_unknown = true,
                }
            }
        }
        (!out.sinks.is_empty() || !out.sources.is_empty()).then_some(out)
    }

    /// How far the iteration of a sink's vector is before the one that waits.
    fn distance(&self, vector: &str) -> Option<Vec<i64>> {
        let items: Vec<&str> = vector.split(',').collect();
        if items.len() != self.iterators.len() {
            return None;
        }
        let one = |(item, (name, step)): (&str, &(String, i64))| {
            let name = name.to_ascii_lowercase();
            if let Some(rest) = item.strip_prefix("omp_cur_iteration") {
                return if rest.is_empty() { Some(0) } else { rest.parse::<i64>().ok()?.checked_neg() };
            }
            let rest = item.strip_prefix(name.as_str())?;
            let by: i64 = if rest.is_empty() { 0 } else { rest.parse().ok()? };
            (*step != 0 && by % step == 0).then(|| by.checked_div(*step)?.checked_neg()).flatten()
        };
        items.into_iter().zip(&self.iterators).map(one).collect()
    }

    /// Whether all is known that is needed to say that something is not ordered.
    pub fn is_known(&self) -> bool {
        !self.is_unknown
    }

    /// Whether what all iterations do on some lines they do one after the other.
    pub fn are_in_turn(&self, lines: &[u32]) -> bool {
        let mut next = vec![0; self.iterators.len()];
        if let Some(last) = next.last_mut() {
            *last = 1;
        }
        let pairs = lines.iter().flat_map(|&a| lines.iter().map(move |&b| (a, b)));
        pairs.into_iter().all(|lines| self.is_ordered(&Passed { lines, distance: next.clone() }))
            && self.shared_out == self.iterators.len()
    }

    /// Whether what is passed on waits for what it is passed on from.
    pub fn is_ordered(&self, passed: &Passed) -> bool {
        let (first, second) = passed.lines;
        let is_left_before = self.sources.iter().any(|&line| line > first);
        let most =
            passed.distance.iter().map(|by| by.saturating_abs()).max().unwrap_or(0).saturating_add(FARTHEST);
        let mut open =
            vec![Steps { left: passed.distance.clone(), has_waited: false, is_waited_before: false }];
        let mut known: BTreeSet<Steps> = BTreeSet::new();
        while let Some(own) = open.pop() {
            // What a thread goes by itself: iterations of the inner loops.
            let (shared_out, inner) = own.left.split_at(self.shared_out.min(own.left.len()));
            if shared_out.iter().all(|&by| by == 0) && inner.iter().all(|&by| by >= 0) {
                let by_itself: i64 = inner.iter().sum();
                // Such steps stand where the first access is behind the source, or the second before the sink.
                let missing = i64::from(!is_left_before) + i64::from(!own.is_waited_before);
                if !own.has_waited || missing <= by_itself {
                    return true;
                }
            }
            let is_too_far = own.left.iter().find(|&&by| by != 0).is_none_or(|&by| by < 0)
                || own.left.iter().any(|by| by.saturating_abs() > most);
            if is_too_far || known.contains(&own) {
                continue;
            }
            if known.len() >= MOST_SUMS {
                return true;
            }
            for (line, by) in &self.sinks {
                let left = own.left.iter().zip(by).map(|(a, b)| a.saturating_sub(*b)).collect();
                let is_waited_before = own.is_waited_before || *line < second;
                open.push(Steps { left, has_waited: true, is_waited_before });
            }
            known.insert(own);
        }
        false
    }

    /// What iterations pass on through an array.
    pub fn passed_on(&self, array: &Array) -> Vec<Passed> {
        let mut out = Vec::new();
        let writes = array.accesses.iter().filter(|access| access.mode.may(true));
        for (write, other) in writes.flat_map(|write| array.accesses.iter().map(move |other| (write, other)))
        {
            for distance in self.distances(write, other) {
                let (a, b) = (write.at.line, other.at.line);
                let is_later = distance.iter().find(|&&by| by != 0).is_some_and(|&by| by > 0);
                let (lines, distance) = match is_later {
                    true => ((a, b), distance),
                    false => ((b, a), distance.iter().map(|by| -by).collect()),
                };
                out.push(Passed { lines, distance });
            }
        }
        out
    }

    /// By how many iterations a second access comes to the element of a first one; none if it does not, or if that is not known.
    fn distances(&self, first: &ArrayAccess, second: &ArrayAccess) -> Vec<Vec<i64>> {
        let mut known: Vec<Option<i64>> = vec![None; self.iterators.len()];
        if first.affine.len() != second.affine.len() || first.member != second.member {
            return Vec::new();
        }
        for (a, b) in first.affine.iter().zip(&second.affine) {
            let (Some(a), Some(b)) = (a, b) else { return Vec::new() };
            let Some(at) = self.only_iterator(a, b) else {
                // Rows that stay the same, or never do.
                if a.terms != b.terms || a.constant != b.constant {
                    return Vec::new();
                }
                continue;
            };
            let (name, step) = &self.iterators[at];
            let factor = a.of(name).checked_mul(*step).filter(|&factor| factor != 0);
            let by = a.constant.checked_sub(b.constant);
            let Some(by) =
                by.zip(factor).filter(|(by, factor)| by % factor == 0).map(|(by, factor)| by / factor)
            else {
                return Vec::new();
            };
            if known[at].replace(by).is_some_and(|other| other != by) {
                return Vec::new();
            }
        }
        // Of loops that name no element the next iteration comes to the same.
        let mut out = vec![Vec::new()];
        for by in known {
            let own = by.map_or(vec![0, 1], |by| vec![by]);
            let longer =
                |rest: &Vec<i64>| own.iter().map(|&by| [&rest[..], &[by]].concat()).collect::<Vec<_>>();
            out = out.iter().flat_map(longer).collect();
        }
        out.retain(|distance| distance.iter().any(|&by| by != 0));
        out
    }

    /// The one name that changes in two subscripts, by one factor, if it is an iterator of the loops.
    fn only_iterator(&self, a: &Affine, b: &Affine) -> Option<usize> {
        let [(name, _)] = &a.terms[..] else { return None };
        let at = self.iterators.iter().position(|own| own.0 == *name)?;
        (a.terms == b.terms).then_some(at)
    }
}

/// What a directive's text, without spaces, says of waiting: `sink` or `source`, and the vector.
fn waits(text: &str) -> Vec<(&str, &str)> {
    let mut out = Vec::new();
    for name in ["depend(", "doacross("] {
        for (at, _) in text.match_indices(name) {
            let inside = text[at + name.len()..].split(')').next().unwrap_or_default();
            let (kind, vector) = inside.split_once(':').unwrap_or((inside, ""));
            if matches!(kind, "sink" | "source") {
                out.push((kind, vector));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(iterators: &[&str], shared_out: usize, sinks: &[(u32, &str)], sources: &[u32]) -> Doacross {
        let iterators = iterators.iter().map(|name| (name.to_string(), 1)).collect();
        let mut out = Doacross { iterators, shared_out, sources: sources.to_vec(), ..Doacross::default() };
        out.sinks =
            sinks.iter().map(|(line, vector)| (*line, out.distance(vector).unwrap_or_default())).collect();
        out
    }

    fn passed(lines: (u32, u32), distance: &[i64]) -> Passed {
        Passed { lines, distance: distance.to_vec() }
    }

    #[test]
    fn distances_are_sums_of_those_waited_for() {
        let one = own(&["i"], 1, &[(2, "i-1")], &[4]);
        assert!(one.is_ordered(&passed((3, 3), &[1])) && one.is_ordered(&passed((3, 3), &[5])));
        let two = own(&["i"], 1, &[(2, "i-2")], &[4]);
        assert!(two.is_ordered(&passed((3, 3), &[4])) && !two.is_ordered(&passed((3, 3), &[1])));
        // Where nobody has waited yet, or nobody is told of it.
        assert!(!one.is_ordered(&passed((3, 1), &[1])) && !one.is_ordered(&passed((5, 3), &[1])));
        let late = own(&["i"], 1, &[(2, "i-1"), (6, "i-3")], &[4, 8]);
        assert!(late.is_ordered(&passed((7, 7), &[3])));
    }

    #[test]
    fn loops_that_are_not_shared_out_go_by_themselves() {
        let skewed = own(&["i", "j"], 1, &[(2, "i-1,j+1")], &[4]);
        assert!(skewed.is_ordered(&passed((3, 3), &[1, 0])) && skewed.is_ordered(&passed((3, 3), &[0, 1])));
        assert!(!skewed.is_ordered(&passed((3, 3), &[1, -2])));
        let joined = own(&["i", "j"], 2, &[(2, "i-1,j")], &[4]);
        assert!(joined.is_ordered(&passed((3, 3), &[1, 0])) && !joined.is_ordered(&passed((3, 3), &[0, 1])));
    }

    #[test]
    fn directives_say_what_is_waited_for() {
        let text = "#pragmaompordereddepend(sink:i-1,j)depend(sink:i,j-1)";
        assert_eq!(waits(text), [("sink", "i-1,j"), ("sink", "i,j-1")]);
        assert_eq!(waits("#pragmaompordereddoacross(source:)"), [("source", "")]);
        let one = own(&["i"], 1, &[], &[]);
        assert_eq!(one.distance("omp_cur_iteration-1"), Some(vec![1]));
        assert_eq!((one.distance("i+2"), one.distance("k-1")), (Some(vec![-2]), None));
    }
}
