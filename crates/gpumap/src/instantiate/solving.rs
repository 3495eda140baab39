//! Equations of a function solved together.
//!
//! Equations are taken one by one, those in few unknowns first; those that cannot be solved yet wait for others, or are taken two at a
//! time, or all together. What is left at the end has too many unknowns. Solutions that contradict what is known where a loop begins are none. Two equations without a
//! common solution contradict each other; both are left out then, as the function may have run with several values.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;

use super::equations::Equation;
use super::number;
use crate::recurrence::{Forms, Given};
use crate::symbolic::solve::{Solution, solve};
use crate::symbolic::{Atom, AtomId, Bound, Polynomial, Side};

/// Most choices of ways of several equations.
const CHOICES: usize = 64;
/// Most sets of equations that are tried at a time.
const SETS: usize = 100;

/// What something was in the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solved {
    /// What it is called in the source.
    pub name: String,
    /// Whether it is an input, else a value without a closed form.
    pub is_input: bool,
    /// The values that it may have had, ascending.
    pub numbers: Vec<BigInt>,
    /// The loops whose equations say so, by their lines, with how often they went on.
    pub from: Vec<(u32, u64)>,
}

/// What contradicts an equation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflict {
    /// A value that was given.
    Given {
        /// The input.
        name: String,
        /// The value.
        given: BigInt,
        /// The loop, by its line.
        line: u32,
        /// How often it went on.
        count: u64,
        /// How often it goes on, in terms of inputs.
        form: String,
        /// What the input would have to be; nothing if no value fits.
        needed: Vec<BigInt>,
    },
    /// The equation of another loop, or nothing: no value of any input fits.
    Loops {
        /// Line and iterations of the loop.
        one: (u32, u64),
        /// How often it goes on, in terms of inputs.
        form: String,
        /// The other one.
        other: Option<(u32, u64)>,
    },
}

/// The equations of a function.
pub struct System<'a, 'f> {
    forms: &'a mut Forms<'f>,
    equations: Vec<Equation>,
    given: &'a Given,
}

/// Solutions of some of the equations.
struct Partial {
    /// The equations, by their places.
    of: Vec<usize>,
    solutions: Vec<Solution>,
}

impl<'a, 'f> System<'a, 'f> {
    /// Those of a function in which these values are given.
    pub fn new(forms: &'a mut Forms<'f>, mut equations: Vec<Equation>, given: &'a Given) -> System<'a, 'f> {
        let unknowns = |equation: &Equation| {
            let leaves = equation.ways.iter().flat_map(|way| forms.atoms.leaves(way));
            leaves.collect::<BTreeSet<AtomId>>().len()
        };
        equations.sort_by_cached_key(|equation| (unknowns(equation), equation.line));
        System { forms, equations, given }
    }

    /// What inputs and other values were in the run, and what contradicts that.
    pub fn solved(mut self) -> (Vec<Solved>, Vec<Conflict>) {
        let mut conflicts = Vec::new();
        let alone = loop {
            match self.partial(&[]) {
                Ok(found) => break found,
                Err(at) => conflicts.push(self.contradiction(at)),
            }
        };
        let given = self.given_values();
        for (atom, value) in &given {
            conflicts.extend(self.contradicted(&alone, *atom, value));
        }
        if given.is_empty() || conflicts.iter().any(|conflict| matches!(conflict, Conflict::Given { .. })) {
            let values = if given.is_empty() { self.values(&alone) } else { Vec::new() };
            return (values, conflicts);
        }
        let fixed: Vec<Polynomial> = given.iter().map(|(atom, value)| equal(*atom, value)).collect();
        match self.partial(&fixed) {
            Ok(found) => (self.values(&found), conflicts),
            Err(at) => {
                conflicts.extend(given.first().map(|(atom, value)| self.of_given(at, *atom, value, &[])));
                (Vec::new(), conflicts)
            }
        }
    }

    /// The solutions of as many equations as can be solved, with others that hold beside them; the place of the first equation that
    /// contradicts those before it.
    fn partial(&mut self, beside: &[Polynomial]) -> Result<Partial, usize> {
        let mut partial = Partial { of: Vec::new(), solutions: Vec::new() };
        while let Some((more, solutions)) = self.next(&partial.of, beside) {
            if solutions.is_empty() {
                return Err(more.last().copied().unwrap_or_default());
            }
            partial.of.extend(more);
            partial.solutions = solutions;
        }
        Ok(partial)
    }

    /// The next equations that can be solved with those before: one, or two that need each other, or all that are left.
    fn next(&mut self, before: &[usize], beside: &[Polynomial]) -> Option<(Vec<usize>, Vec<Solution>)> {
        let open: Vec<usize> = (0..self.equations.len()).filter(|at| !before.contains(at)).collect();
        let single = open.iter().map(|&at| vec![at]);
        let pairs = open
            .iter()
            .enumerate()
            .flat_map(|(place, &at)| open.iter().skip(place + 1).map(move |&other| vec![at, other]));
        let sets: Vec<Vec<usize>> = single.chain(pairs).take(SETS).chain([open.clone()]).collect();
        sets.into_iter().filter(|more| !more.is_empty()).find_map(|more| {
            let all: Vec<usize> = before.iter().chain(&more).copied().collect();
            Some((more, self.solutions(&all, beside)?))
        })
    }

    /// All common solutions of some equations; `None` if they are not all known.
    fn solutions(&mut self, of: &[usize], beside: &[Polynomial]) -> Option<Vec<Solution>> {
        let mut choices: Vec<Vec<Polynomial>> = vec![beside.to_vec()];
        for &at in of {
            let Equation { ways, count, .. } = &self.equations[at];
            let more = |choice: &Vec<Polynomial>| {
                let with = |way: &Polynomial| {
                    let mut choice = choice.clone();
                    choice.push(way - &number(*count).into());
                    choice
                };
                ways.iter().map(with).collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(more).collect();
            if choices.len() > CHOICES {
                return None;
            }
        }
        let mut list: Vec<Solution> = Vec::new();
        for choice in choices {
            let found = solve(&mut self.forms.atoms, &choice);
            if !found.complete {
                return None;
            }
            list.extend(found.list);
        }
        list.retain(|solution| of.iter().all(|&at| self.is_possible(at, solution)));
        list.sort();
        list.dedup();
        Some(list)
    }

    /// Whether nothing that is known where a loop begins excludes a solution.
    fn is_possible(&mut self, at: usize, solution: &Solution) -> bool {
        let id = self.equations[at].id;
        let header = self.forms.control.loops.get(id).header;
        let facts = self.forms.facts_at(header);
        let known = |atom: AtomId| solution.get(&atom).map(|number| BigRational::from(number.clone()));
        let value = |of: &Polynomial| self.forms.atoms.value(of, &known);
        let is_within = |(atom, number): (&AtomId, &BigInt)| {
            let number = BigRational::from(number.clone());
            facts.bounds(*atom).is_none_or(|(lower, upper)| {
                let fits = |bound: &Bound, side: Side| {
                    end(bound, side, &value).is_none_or(|end| match side {
                        Side::Lower => number >= end,
                        Side::Upper => number <= end,
                    })
                };
                fits(lower, Side::Lower) && fits(upper, Side::Upper)
            })
        };
        let is_excluded = |of: &Polynomial| value(of).is_some_and(|value| value.is_negative());
        solution.iter().all(is_within) && !facts.not_negative().iter().any(is_excluded)
    }

    /// Takes an equation that contradicts those before it out, with the one that it contradicts.
    fn contradiction(&mut self, at: usize) -> Conflict {
        let is_alone = self.solutions(&[at], &[]).is_some_and(|list| list.is_empty());
        let contradicts = |system: &mut Self, other: usize| {
            system.solutions(&[other, at], &[]).is_some_and(|list| list.is_empty())
        };
        let mut others = (0..self.equations.len()).filter(|&other| other != at);
        let other = if is_alone { None } else { others.find(|&other| contradicts(self, other)) };
        let of = |equation: &Equation| (equation.line, equation.count);
        let conflict = Conflict::Loops {
            one: of(&self.equations[at]),
            form: self.shown(at),
            other: other.map(|other| of(&self.equations[other])),
        };
        let mut place = 0;
        self.equations.retain(|_| {
            place += 1;
            place - 1 != at && Some(place - 1) != other
        });
        conflict
    }

    fn shown(&self, at: usize) -> String {
        let ways = self.equations[at].ways.iter().map(|way| self.forms.atoms.show(way));
        ways.collect::<Vec<String>>().join(" or ")
    }

    /// The unknowns that are given a value.
    fn given_values(&self) -> Vec<(AtomId, BigInt)> {
        let leaves = self.unknowns(0..self.equations.len());
        let value = |atom: AtomId| Some((atom, self.given.value(&self.input(atom)?)?.clone()));
        leaves.into_iter().filter_map(value).collect()
    }

    fn unknowns(&self, of: impl IntoIterator<Item = usize>) -> BTreeSet<AtomId> {
        let ways = of.into_iter().flat_map(|at| &self.equations[at].ways);
        ways.flat_map(|way| self.forms.atoms.leaves(way)).collect()
    }

    /// A value that is given and that no solution has.
    fn contradicted(&self, found: &Partial, atom: AtomId, value: &BigInt) -> Option<Conflict> {
        let numbers = numbers(found, atom);
        if numbers.is_empty() || numbers.contains(value) {
            return None;
        }
        let at = found.of.iter().copied().find(|&at| self.unknowns([at]).contains(&atom))?;
        Some(self.of_given(at, atom, value, &numbers))
    }

    fn of_given(&self, at: usize, atom: AtomId, value: &BigInt, needed: &[BigInt]) -> Conflict {
        let Equation { line, count, .. } = self.equations[at];
        Conflict::Given {
            name: self.input(atom).unwrap_or_default(),
            given: value.clone(),
            line,
            count,
            form: self.shown(at),
            needed: needed.to_vec(),
        }
    }

    /// What an input is called, as values are given to it; `None` for what is none.
    fn input(&self, atom: AtomId) -> Option<String> {
        let name = self.forms.atoms.name(atom)?;
        match self.forms.atoms.get(atom) {
            Atom::Symbol(_) => Some(name.to_owned()),
            Atom::Load { epoch: 0, .. } => {
                let inner = name.strip_prefix('(').and_then(|name| name.strip_suffix(')'));
                Some(inner.unwrap_or(name).to_owned())
            }
            _ => None,
        }
    }

    fn values(&self, found: &Partial) -> Vec<Solved> {
        let mut list: BTreeMap<String, Solved> = BTreeMap::new();
        for atom in self.unknowns(found.of.iter().copied()) {
            let input = self.input(atom);
            let is_input = input.is_some();
            let plain = || {
                // Without the number of the value, and without the loop in which the content stays the same.
                let name = self.forms.atoms.name(atom)?;
                Some(name.split(['?', '@']).next().unwrap_or(name).to_owned())
            };
            let (Some(name), numbers) = (input.or_else(plain), numbers(found, atom)) else { continue };
            if numbers.is_empty() {
                continue;
            }
            let of: Vec<usize> =
                found.of.iter().copied().filter(|&at| self.unknowns([at]).contains(&atom)).collect();
            let mut from: Vec<(u32, u64)> =
                of.into_iter().map(|at| (self.equations[at].line, self.equations[at].count)).collect();
            // Those of one number beside each other.
            from.sort_unstable_by_key(|&(line, count)| (count, line));
            from.dedup();
            list.entry(name.clone()).or_insert(Solved { name, is_input, numbers, from });
        }
        list.into_values().collect()
    }
}

/// The values of an unknown over all solutions; none if one of them leaves it open, as another way does not involve it.
fn numbers(found: &Partial, atom: AtomId) -> Vec<BigInt> {
    let all: Option<BTreeSet<&BigInt>> = found.solutions.iter().map(|solution| solution.get(&atom)).collect();
    all.into_iter().flatten().cloned().collect()
}

fn equal(atom: AtomId, value: &BigInt) -> Polynomial {
    &Polynomial::from(atom) - &value.clone().into()
}

/// The number that a bound is, as far as its clauses are numbers.
fn end(of: &Bound, side: Side, value: &dyn Fn(&Polynomial) -> Option<BigRational>) -> Option<BigRational> {
    let clause = |members: &Vec<Polynomial>| {
        let members = members.iter().map(value).collect::<Option<Vec<_>>>()?;
        match side {
            Side::Lower => members.into_iter().min(),
            Side::Upper => members.into_iter().max(),
        }
    };
    let clauses = of.clauses().iter().filter_map(clause);
    match side {
        Side::Lower => clauses.max(),
        Side::Upper => clauses.min(),
    }
}
