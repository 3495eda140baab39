//! What a run says about inputs, as text for people.

use std::fmt;

use num_bigint::BigInt;

use super::Instance;
use super::equations::{Counted, Unused};
use super::solving::{Conflict, Solved};

/// Numbers of a list that are written out; of longer ones the ends.
const WRITTEN: usize = 4;

/// A line for each value, each loop without an equation, and each contradiction; no lines if no run was looked at.
pub fn lines(instance: &Instance) -> Vec<String> {
    let values =
        instance.values.iter().map(|value| format!("from the run: {value}{}", assumed(instance, value)));
    let open =
        instance.counted.iter().filter_map(|counted| Some(format!("from the run: {}", unused(counted)?)));
    let conflicts = instance.conflicts.iter().map(|conflict| format!("contradiction: {conflict}"));
    values.chain(open).chain(conflicts).collect()
}

/// What the equations of a value rest on.
fn assumed(instance: &Instance, value: &Solved) -> String {
    let is_of = |counted: &&Counted| value.from.iter().any(|of| of.0 == counted.line);
    let all = instance.counted.iter().filter(is_of).flat_map(|counted| &counted.assumptions);
    let mut list: Vec<String> = all.map(ToString::to_string).collect();
    list.sort();
    list.dedup();
    if list.is_empty() { String::new() } else { format!(" (assumed: {})", list.join("; ")) }
}

fn unused(counted: &Counted) -> Option<String> {
    let why = counted.unused?;
    let times = match (why, counted.trips) {
        // The number is that of another loop than the one that is written.
        (Unused::Pieces(_) | Unused::Changed(_), _) | (_, None) => " ran".into(),
        (_, Some((least, most))) if least == most => format!(" goes on {}", times(least)),
        (_, Some((least, most))) => format!(" goes on {least} to {}", times(most)),
    };
    Some(format!("the loop of line {}{times} and says nothing about inputs: {why}", counted.line))
}

fn times(count: u64) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}

impl fmt::Display for Solved {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} is {}, as ", self.name, one_of(&self.numbers))?;
        let mut counts: Vec<u64> = self.from.iter().map(|of| of.1).collect();
        counts.dedup();
        let of_count = |count: &u64| {
            let own = self.from.iter().filter(|of| of.1 == *count);
            let lines: Vec<String> = own.map(|of| of.0.to_string()).collect();
            match lines.as_slice() {
                [line] => format!("the loop of line {line} goes on {}", times(*count)),
                _ => format!("the loops of lines {} go on {}", lines.join(", "), times(*count)),
            }
        };
        to.write_str(&counts.iter().map(of_count).collect::<Vec<_>>().join(" and "))
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Conflict::Given { name, given, line, count, form, needed } => {
                let count = times(*count);
                write!(
                    to,
                    "{name} is given as {given}, but the loop of line {line} goes on {count} in the run, and that is {form}: "
                )?;
                match needed.as_slice() {
                    [] => write!(to, "no values of the other inputs fit"),
                    needed => write!(to, "{name} would have to be {}", one_of(needed)),
                }
            }
            Conflict::Loops { one: (line, count), form, other } => {
                let count = times(*count);
                write!(to, "the loop of line {line} goes on {count} in the run, and that is {form}: ")?;
                match other {
                    Some((line, count)) => {
                        write!(
                            to,
                            "no value fits that and the loop of line {line}, which goes on {}",
                            times(*count)
                        )
                    }
                    None => to.write_str("no values of inputs fit that"),
                }
            }
        }
    }
}

/// Numbers as a choice.
fn one_of(numbers: &[BigInt]) -> String {
    let written: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    match written.as_slice() {
        [] => "not known".into(),
        [first, .., last] if written.len() > WRITTEN => {
            format!("one of {} numbers from {first} to {last}", written.len())
        }
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => written.concat(),
    }
}
