//! Cycles of registers through which the iterations of a loop take different ways.
//!
//! Where the body of a loop branches, compilers repeat the advance of an induction variable on every way. Several statements
//! then form the cycle, each executed in some iterations only. The value is a function of the iteration if all ways add the
//! same: the same constant, or one register that the loop leaves as it was.

use profile::{Addend, ContextIndex, Operation, Profile, StatementIndex};
use rustc_hash::FxHashMap;

use crate::graph::dimension;
use crate::scev::Reads;

/// Whether the members of a cycle inside loop `context` hand on a value that grows by the same in every iteration,
/// whatever way through the body it takes. `members` are sorted.
pub fn add_the_same(
    profile: &Profile,
    members: &[StatementIndex],
    context: ContextIndex,
    reads: &Reads,
) -> bool {
    let dim = dimension(profile, context);
    add_the_same_constant(profile, members, dim, reads) || add_one_register(profile, members, context, reads)
}

/// Whether the members of a cycle all add one register to another one, once in every iteration, and nothing in the loop
/// writes the register that is added.
///
/// Each member reads two registers, R, which it replaces, and D. No value that another statement of the loop wrote
/// reaches a member, so what it reads in D was there when the loop was entered. A member that reads R as a member left
/// it does so exactly one iteration later: no iteration executes two members. If there are as many executions as
/// iterations, every iteration executes one, and adds D as of the loop's entry to R.
fn add_one_register(
    profile: &Profile,
    members: &[StatementIndex],
    context: ContextIndex,
    reads: &Reads,
) -> bool {
    let node = &profile.contexts[context as usize];
    let dim = dimension(profile, context);
    let addend = |s: StatementIndex| match profile.statements[s as usize].addend {
        Some(Addend::Register { to, from, bytes, negated }) => Some((to, from, bytes, negated)),
        _ => None,
    };
    let Some(first) = members.first().and_then(|&s| addend(s)) else { return false };
    let is_alike = |&s: &StatementIndex| profile.context_of(s) == context && addend(s) == Some(first);
    // What a recursive call does to a loop that it suspends is not seen from the loop's counter.
    if node.suspended || !members.iter().all(is_alike) {
        return false;
    }
    let executions: u64 = members.iter().map(|&s| profile.executions(s)).sum();
    executions == node.iterations
        && members.iter().all(|&sink| {
            reads.sources(profile, sink).all(|d| {
                let is_member = members.binary_search(&d.source).is_ok();
                d.levels.iter().all(|level| {
                    let at = usize::from(level.level);
                    let is_outside = at < dim || usize::from(d.common) <= dim;
                    let is_next = || at == dim && (level.minimum[dim], level.maximum[dim]) == (1, 1);
                    is_outside || is_member && is_next()
                })
            })
        })
}

/// Whether the members of a cycle, moves and additions of constants in the body of the loop of dimension `dim`, hand on a
/// value that grows by the same constant in every iteration, whatever way through the body it takes.
///
/// The value of a member s in iteration t is c·t + p(s) with one c for all iff p(s) = p(r) + a(s) − c·δ for every member r
/// it reads, where s adds a(s) and the value is δ iterations old, always; and if a value from outside the loop is read in
/// the first iteration alone.
fn add_the_same_constant(profile: &Profile, members: &[StatementIndex], dim: usize, reads: &Reads) -> bool {
    let addend = |s: StatementIndex| {
        let statement = &profile.statements[s as usize];
        match statement.operation {
            Operation::Copy => Some(0),
            Operation::Add if !statement.float => match statement.addend? {
                Addend::Constant(constant) => Some(constant),
                Addend::Register { .. } => None,
            },
            _ => None,
        }
    };
    let is_plain = |s: &StatementIndex| {
        usize::from(profile.contexts[profile.context_of(*s) as usize].dims) == dim + 1
            && reads.are_fixed(profile, *s, dim)
            && addend(*s).is_some()
    };
    if !members.iter().all(is_plain) {
        return false;
    }
    // Equations (r, s, a(s), δ).
    let mut equations = Vec::new();
    for &sink in members {
        for d in reads.sources(profile, sink) {
            let is_member = members.binary_search(&d.source).is_ok();
            for level in &d.levels {
                let at = usize::from(level.level);
                if at < dim || usize::from(d.common) <= dim {
                    if level.later >> dim & 1 == 1 {
                        return false;
                    }
                    continue;
                }
                let age = if at == dim { (level.minimum[dim], level.maximum[dim]) } else { (0, 0) };
                match addend(sink) {
                    Some(constant) if is_member && age.0 == age.1 => {
                        equations.push((d.source, sink, constant, age.0));
                    }
                    _ => return false,
                }
            }
        }
    }
    consistent(&equations)
}

/// Whether numbers p and a constant c exist with p(s) = p(r) + a − c·δ for every (r, s, a, δ).
fn consistent(equations: &[(StatementIndex, StatementIndex, i64, i64)]) -> bool {
    // p(s) = known.0 − c·known.1, from one member on along the equations.
    let mut known: FxHashMap<StatementIndex, (i128, i128)> = FxHashMap::default();
    let Some(first) = equations.first() else { return false };
    known.insert(first.0, (0, 0));
    let mut slope: Option<(i128, i128)> = None;
    loop {
        let before = known.len();
        for &(from, to, constant, age) in equations {
            let Some(&(sum, ages)) = known.get(&from) else { continue };
            let reached = (sum + i128::from(constant), ages + i128::from(age));
            let Some(&(sum, ages)) = known.get(&to) else {
                known.insert(to, reached);
                continue;
            };
            // Two ways to one member: what they add is c times how many iterations they take.
            let (adds, takes) = (reached.0 - sum, reached.1 - ages);
            if takes == 0 {
                if adds != 0 {
                    return false;
                }
                continue;
            }
            let (total, iterations) = *slope.get_or_insert((adds, takes));
            let products = adds.checked_mul(iterations).zip(total.checked_mul(takes));
            if products.is_none_or(|(a, b)| a != b) {
                return false;
            }
        }
        if known.len() == before {
            return equations.iter().all(|(from, ..)| known.contains_key(from));
        }
    }
}
