//! The truth of a random function: it is run, and every access compared with those before it.

use std::collections::{HashMap, HashSet};

use super::{
    Array, Bound, COLUMNS, Condition, Form, Function, Loop, Place, ROWS, Road, SIZE, Scalar, Statement,
    Subscript, Trips, Twist, Update,
};

/// What counters begin with.
pub(super) const FIRST_COUNT: i64 = 3;
/// Assignments of a function, at most.
const OPERATIONS: usize = 30_000;

impl Function {
    /// What is true of each loop; `None` if the function leaves an array, or takes too long. What nobody asks for need not be computed:
    /// where that makes a difference both may be said.
    pub(super) fn truths(&self) -> Option<Vec<String>> {
        let run = |uses: Option<Vec<Use>>| {
            let mut run = Run {
                n: self.n,
                iterators: Vec::new(),
                counter: FIRST_COUNT,
                fresh: 0,
                inner: HashMap::new(),
                active: Vec::new(),
                found: vec![Found::default(); self.loops],
                operations: Vec::new(),
                uses,
            };
            run.nest(&self.body).map(|()| run)
        };
        let whole = run(None)?;
        let used = run(Some(uses(&whole.operations)))?;
        let both = whole.found.iter().zip(&used.found).enumerate().map(|(number, (whole, used))| {
            let (whole, used) = (whole.words(), used.words());
            let mut words = if whole == used { whole.to_owned() } else { format!("{whole}|{used}") };
            // What counts a `while` loop is a variable like others.
            if self.has_counter(number) && words != "no" {
                words.push_str("|induction");
            }
            words
        });
        Some(both.collect())
    }

    /// Whether the loop of this number is counted by a variable that its body advances.
    fn has_counter(&self, number: usize) -> bool {
        fn is_one(nest: &Loop, number: usize) -> bool {
            nest.number == number && nest.form == Form::While
                || nest.body.iter().any(|statement| is_one_of(statement, number))
        }
        fn is_one_of(statement: &Statement, number: usize) -> bool {
            match statement {
                Statement::Loop(nest) => is_one(nest, number),
                Statement::Unless(_, rest) => rest.iter().any(|own| is_one_of(own, number)),
                _ => false,
            }
        }
        is_one(&self.body, number)
    }
}

/// What a place of a run is: a scalar or an element, of this generation of its scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Location {
    Scalar(Scalar, u64),
    Element(Array, i64, u64),
}

/// What an access does with a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Plain,
    Updated(Update),
}

/// What an execution of a loop has done with a location.
struct Seen {
    /// The iteration that wrote it last.
    wrote: Option<(i64, Manner)>,
    /// The first that read it.
    read: Option<i64>,
    /// Some access does not combine.
    is_plain: bool,
    flow: Flow,
    other: bool,
}

/// What iterations hand on to later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Flow {
    None,
    /// What they combine with one operator.
    Combined,
    Plain,
}

struct Active {
    number: usize,
    iteration: i64,
    seen: HashMap<Location, Seen>,
}

/// What all executions of a loop carry.
#[derive(Debug, Clone, Default)]
struct Found {
    flow: bool,
    counter: bool,
    reduction: bool,
    /// Combined by some iterations, and read by others before that.
    apart: bool,
    storage: bool,
}

impl Found {
    fn words(&self) -> &'static str {
        match (self.flow, self.counter, self.reduction, self.storage) {
            (true, ..) => "no",
            _ if self.apart => "no|words",
            (_, true, ..) => "no|induction",
            (_, _, true, true) => "reduction|private|words",
            (_, _, true, false) => "reduction|words",
            (_, _, _, true) => "private|words",
            _ => "yes",
        }
    }
}

/// What an assignment does: what it reads, its own subscripts included, and what it writes.
struct Operation {
    reads: Vec<(Location, Manner)>,
    write: (Location, Manner),
}

/// What of an assignment counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    All,
    /// Its value is overwritten before anybody asks for it.
    Write,
    /// Nobody ever asks for what it writes to.
    Nothing,
}

/// What of each assignment somebody asks for, in the end or on the way.
fn uses(operations: &[Operation]) -> Vec<Use> {
    let is_kept = |location: &Location| match location {
        Location::Scalar(scalar, _) => matches!(scalar, Scalar::Kept | Scalar::Global),
        Location::Element(Array::Own, at, _) => *at == 2,
        Location::Element(array, ..) => *array != Array::Inner,
    };
    let (mut wanted, mut written) = (HashSet::new(), HashSet::new());
    let mut read = HashSet::new();
    let mut is_wanted = vec![false; operations.len()];
    for (operation, is_wanted) in operations.iter().zip(&mut is_wanted).rev() {
        let to = operation.write.0;
        // What is kept is wanted until something is written later.
        *is_wanted = wanted.remove(&to) || is_kept(&to) && !written.contains(&to);
        written.insert(to);
        if *is_wanted {
            for (from, _) in &operation.reads {
                wanted.insert(*from);
                read.insert(*from);
            }
        }
    }
    let of = |(operation, is_wanted): (&Operation, bool)| match operation.write.0 {
        _ if is_wanted => Use::All,
        to if is_kept(&to) || read.contains(&to) => Use::Write,
        _ => Use::Nothing,
    };
    operations.iter().zip(is_wanted).map(of).collect()
}

struct Run {
    n: Trips,
    iterators: Vec<i64>,
    counter: i64,
    fresh: u64,
    /// Generation of the scopes in which scalars of each depth, and arrays, are declared.
    inner: HashMap<usize, u64>,
    active: Vec<Active>,
    found: Vec<Found>,
    operations: Vec<Operation>,
    /// What counts of each; everything if not given.
    uses: Option<Vec<Use>>,
}

impl Run {
    fn bound(&self, bound: Bound) -> i64 {
        match bound {
            Bound::Constant(value) => value,
            Bound::Parameter(less) => self.n - less,
            Bound::Iterator(of, more) => self.iterators[of] + more,
            Bound::Table(of) => shared(self.iterators[of]) % 12,
        }
    }

    fn nest(&mut self, nest: &Loop) -> Option<()> {
        let (from, to) = (self.bound(nest.from), self.bound(nest.to));
        self.active.push(Active { number: nest.number, iteration: 0, seen: HashMap::new() });
        self.iterators.push(0);
        let mut at = if nest.form == Form::Downwards { to - 1 } else { from };
        while if nest.form == Form::Downwards { at >= from } else { at < to } {
            *self.iterators.last_mut()? = at;
            self.active.last_mut()?.iteration = at;
            self.fresh += 1;
            self.inner.insert(nest.depth, self.fresh);
            self.statements(&nest.body)?;
            at += if nest.form == Form::Downwards { -nest.step } else { nest.step };
        }
        self.iterators.pop();
        let ended = self.active.pop()?;
        let found = &mut self.found[ended.number];
        for (location, seen) in ended.seen {
            let is_counter = matches!(location, Location::Scalar(Scalar::Counter, _));
            match seen.flow {
                Flow::Plain if is_counter => found.counter = true,
                Flow::Plain => found.flow = true,
                Flow::Combined if seen.is_plain && is_counter => found.counter = true,
                // Who combines has to keep the first value for those that ask for it.
                Flow::Combined if seen.is_plain => found.apart = true,
                Flow::Combined => found.reduction = true,
                Flow::None => found.storage |= seen.other,
            }
        }
        Some(())
    }

    fn statements(&mut self, of: &[Statement]) -> Option<()> {
        for statement in of {
            match statement {
                Statement::Loop(nest) => self.nest(nest)?,
                Statement::If(condition, then) => {
                    if self.holds(*condition)? {
                        self.statements(then)?;
                    }
                }
                Statement::Unless(condition, rest) => {
                    if !self.holds(*condition)? {
                        self.statements(rest)?;
                    }
                }
                Statement::Write { to, update, from } => {
                    let mut reads = self.reads(from)?;
                    self.counters(to, &mut reads);
                    let location = self.location(to)?;
                    let manner = update.map_or(Manner::Plain, |(how, _)| Manner::Updated(how));
                    reads.extend(update.is_some().then_some((location, manner)));
                    self.operation(Operation { reads, write: (location, manner) })?;
                }
                Statement::Declare(depth, from) => {
                    let reads = self.reads(from)?;
                    let location = self.location(&Place::Scalar(Scalar::Inner(*depth)))?;
                    self.operation(Operation { reads, write: (location, Manner::Plain) })?;
                }
                Statement::Count(step) => {
                    let counter = (Location::Scalar(Scalar::Counter, 0), Manner::Updated(Update::Add));
                    self.operation(Operation { reads: vec![counter], write: counter })?;
                    self.counter += step;
                }
            }
        }
        Some(())
    }

    fn reads(&self, from: &[Place]) -> Option<Vec<(Location, Manner)>> {
        let mut out = Vec::new();
        for place in from {
            self.counters(place, &mut out);
            out.push((self.location(place)?, Manner::Plain));
        }
        Some(out)
    }

    /// The counters that a place's subscripts are made of.
    fn counters(&self, place: &Place, reads: &mut Vec<(Location, Manner)>) {
        let Place::Element(_, _, subscripts) = place else { return };
        let counters = subscripts.iter().filter(|own| own.counter);
        reads.extend(counters.map(|_| (Location::Scalar(Scalar::Counter, 0), Manner::Plain)));
    }

    fn operation(&mut self, operation: Operation) -> Option<()> {
        let at = self.operations.len();
        let counts = self.uses.as_ref().and_then(|uses| uses.get(at)).copied().unwrap_or(Use::All);
        if counts == Use::All {
            for &(location, manner) in &operation.reads {
                self.access(location, false, manner);
            }
        }
        if counts != Use::Nothing {
            let (location, manner) = operation.write;
            self.access(location, true, manner);
        }
        self.operations.push(operation);
        (at < OPERATIONS).then_some(())
    }

    fn holds(&self, condition: Condition) -> Option<bool> {
        let at = |of: usize| self.iterators[of];
        Some(match condition {
            Condition::Odd(of) => at(of) & 1 == 1,
            Condition::Rest(of, by, rest) => at(of) % by == rest,
            Condition::Below(of, end) => at(of) < end,
            Condition::Is(of, value) => at(of) == value,
            Condition::Greater(a, b) => at(a) > at(b),
            Condition::Table(of) => shared(at(of)) > 30,
        })
    }

    fn value(&self, subscript: &Subscript) -> Option<i64> {
        let affine = &subscript.affine;
        let sum = affine.terms.iter().map(|&(of, by)| self.iterators[of] * by).sum::<i64>() + affine.constant;
        let sum = if subscript.counter { sum + self.counter } else { sum };
        let Some(twist) = subscript.twist else { return Some(sum) };
        (0..SIZE).contains(&sum).then(|| match twist {
            Twist::Xor(by) => sum ^ by,
            Twist::Without(by) => sum & !by,
            Twist::Or(by) => sum | by,
            Twist::Shift(by) => sum >> by,
            Twist::Quotient(by) => sum / by,
            Twist::Rest(by) => sum % by,
            Twist::Turned => (sum * 37 + 11) % 1024,
            Twist::Shared => shared(sum),
        })
    }

    fn location(&self, place: &Place) -> Option<Location> {
        let (array, road, subscripts) = match place {
            Place::Scalar(Scalar::Inner(depth)) => {
                return Some(Location::Scalar(Scalar::Inner(*depth), *self.inner.get(depth)?));
            }
            Place::Scalar(scalar) => return Some(Location::Scalar(*scalar, 0)),
            Place::Element(array, road, subscripts) => (*array, *road, subscripts),
        };
        let values = subscripts.iter().map(|own| self.value(own)).collect::<Option<Vec<_>>>()?;
        let index = match (&values[..], road) {
            (&[row, column], _) => {
                let fits = (0..ROWS).contains(&row) && (0..COLUMNS).contains(&column);
                fits.then_some(row * COLUMNS + column)?
            }
            (&[at], Road::Name) => at,
            (&[at], Road::Parameter(_, offset) | Road::Call(_, offset)) => at + offset,
            _ => return None,
        };
        let generation = if array == Array::Inner { *self.inner.get(&0)? } else { 0 };
        (0..array.size()).contains(&index).then_some(Location::Element(array, index, generation))
    }

    fn access(&mut self, location: Location, is_write: bool, form: Manner) {
        for active in &mut self.active {
            let now = active.iteration;
            let first = Seen { wrote: None, read: None, is_plain: false, flow: Flow::None, other: false };
            let seen = active.seen.entry(location).or_insert(first);
            seen.is_plain |= form == Manner::Plain;
            let is_earlier = |then: Option<i64>| then.is_some_and(|then| then != now);
            if is_write {
                seen.other |= is_earlier(seen.wrote.map(|own| own.0)) || is_earlier(seen.read);
                seen.wrote = Some((now, form));
            } else {
                let of = |source: Manner| match form {
                    Manner::Updated(_) if source == form => Flow::Combined,
                    _ => Flow::Plain,
                };
                let source = seen.wrote.filter(|own| own.0 != now).map(|own| own.1);
                seen.flow = seen.flow.max(source.map_or(Flow::None, of));
                seen.read.get_or_insert(now);
            }
        }
    }
}

fn shared(at: i64) -> i64 {
    at * at % 61
}
