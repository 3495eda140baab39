//! The runs of a statement one at a time: what [`Statement::runs`] visits, as an iterator.

use std::borrow::Borrow;

use crate::nest::Nest;
use crate::run::Run;
use crate::statement::{Loop, Statement};

/// Iterator over the runs `(start, count)` of the innermost loop of a perfect nest.
#[derive(Debug, Clone)]
pub struct Cursor<N> {
    nest: N,
    /// The counters around the nest, then its own but the innermost.
    point: Vec<i64>,
    outer: usize,
    /// Last value of each counter of the nest in `point`.
    ends: Vec<i64>,
    started: bool,
}

impl<N: Borrow<Nest>> Cursor<N> {
    /// Before the first run.
    pub fn new(nest: N) -> Cursor<N> {
        Cursor::at(nest, &[])
    }

    /// Before the first run, at a point of the counters around the nest.
    fn at(nest: N, point: &[i64]) -> Cursor<N> {
        Cursor { nest, point: point.to_vec(), outer: point.len(), ends: Vec::new(), started: false }
    }

    /// Advances the innermost outer loop that still can; false at the end.
    fn advance(&mut self) -> bool {
        while let (Some(x), Some(end)) = (self.point.last_mut(), self.ends.last()) {
            if *x < *end {
                *x += 1;
                return true;
            }
            self.point.pop();
            self.ends.pop();
        }
        false
    }
}

impl<N: Borrow<Nest>> Iterator for Cursor<N> {
    type Item = (i64, i64);

    fn next(&mut self) -> Option<(i64, i64)> {
        if self.started && (self.nest.borrow().levels.len() < 2 || !self.advance()) {
            return None;
        }
        self.started = true;
        loop {
            let nest = self.nest.borrow();
            let (own, depth) = (self.point.len() - self.outer, nest.levels.len());
            let mut innermost = None;
            if own < depth {
                let (low, high) = nest.levels[own].range(&self.point)?;
                if low > high {
                    if !self.advance() {
                        return None;
                    }
                    continue;
                }
                if own + 1 < depth {
                    self.point.push(low);
                    self.ends.push(high);
                    continue;
                }
                innermost = Some((low, high));
            }
            let low = innermost.map(|range| range.0);
            let mut start = i128::from(nest.base);
            for (c, x) in nest.coefficients.iter().zip(self.point.iter().copied().chain(low)) {
                start += i128::from(*c) * i128::from(x);
            }
            return Some((i64::try_from(start).ok()?, innermost.map_or(1, |(low, high)| high - low + 1)));
        }
    }
}

/// Iterator over the runs of statements, one statement after the other.
#[derive(Debug, Clone)]
pub struct Runs<'a> {
    statements: std::slice::Iter<'a, Statement>,
    /// The loops around the statement that is executed, outermost first, each with its counter's last value and what is
    /// left of its body.
    loops: Vec<Executed<'a>>,
    point: Vec<i64>,
    nest: Option<(Cursor<&'a Nest>, i64)>,
    integers: std::vec::IntoIter<i64>,
}

#[derive(Debug, Clone)]
struct Executed<'a> {
    of: &'a Loop,
    end: i64,
    rest: std::slice::Iter<'a, Statement>,
}

impl<'a> Runs<'a> {
    /// Before the first run.
    pub fn of(statements: &'a [Statement]) -> Runs<'a> {
        Runs {
            statements: statements.iter(),
            loops: Vec::new(),
            point: Vec::new(),
            nest: None,
            integers: Vec::new().into_iter(),
        }
    }

    /// The next statement to be executed that is no loop around others.
    fn enter(&mut self) -> Option<&'a Statement> {
        loop {
            let next = match self.loops.last_mut() {
                None => Some(self.statements.next()?),
                Some(inner) => inner.rest.next(),
            };
            match next {
                Some(Statement::Loop(l)) => {
                    let (low, high) = l.level.range(&self.point)?;
                    if low <= high {
                        self.loops.push(Executed { of: l, end: high, rest: l.body.iter() });
                        self.point.push(low);
                    }
                }
                Some(other) => return Some(other),
                None => {
                    let (inner, x) = (self.loops.last_mut()?, self.point.last_mut()?);
                    if *x < inner.end {
                        *x += 1;
                        inner.rest = inner.of.body.iter();
                    } else {
                        self.loops.pop();
                        self.point.pop();
                    }
                }
            }
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        loop {
            if let Some(value) = self.integers.next() {
                return Some(Run::single(value));
            }
            if let Some((cursor, stride)) = &mut self.nest {
                if let Some((start, count)) = cursor.next() {
                    return Some(Run { start, stride: *stride, count: count.unsigned_abs() });
                }
                self.nest = None;
            }
            match self.enter()? {
                Statement::Nest(nest) => {
                    self.nest = Some((Cursor::at(nest, &self.point), nest.stride()));
                }
                Statement::Integers(packed) => self.integers = packed.values().into_iter(),
                Statement::Loop(_) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzing::Random;
    use crate::generators;
    use crate::recognise::Recogniser;
    use crate::stream::Reconstructor;

    fn same(statements: &[Statement], what: &str) {
        let mut walked = Vec::new();
        for statement in statements {
            statement.runs(&mut |start, stride, count| {
                walked.push(Run { start, stride, count: count.unsigned_abs() });
                true
            });
        }
        assert_eq!(Runs::of(statements).collect::<Vec<_>>(), walked, "{what}");
    }

    #[test]
    fn the_same_runs_as_the_walker() {
        for name in ["two_upper", "two_lower", "rational"] {
            let mut r = Reconstructor::default();
            generators::named(name).expect("a generator").all().into_iter().for_each(|run| r.push_run(run));
            let mut nests = r.finish().nests;
            nests.extend([Nest::point(3).into(), Nest::line(2, 5, 4).into()]);
            same(&nests, name);
        }
        let mut random = Random::new(4);
        for case in 0..50 {
            let mut recogniser = Recogniser::new(6);
            for i in 0..20 {
                recogniser.single(100 * i);
                recogniser.line(7 * i, 3, random.below(6));
                recogniser.line(5000 + i, 1, i.unsigned_abs() / 3);
            }
            same(&crate::description::statements(recogniser.take(0)), &format!("case {case}"));
        }
    }
}
