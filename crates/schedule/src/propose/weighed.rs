//! The preferred order of a schedule of blocks, against the program as it is.

use isl::Tree;
use profile::Profile;
use rustc_hash::FxHashSet;

use super::problem::Formulated;
use super::region::Region;
use crate::SourceLoop;
use crate::graph::dimension;
use crate::options::cost::estimate;
use crate::options::facts::{Facts, extents, instructions, touch, unit};
use crate::options::{Advice, Component, Dimension, Machine, Order, Row, choose};
use crate::verdict::Parallel;

/// A schedule with its loops in the preferred order, and what the model says of it; `None` if it cannot be weighed.
pub fn preferred(
    profile: &Profile,
    loops: &[SourceLoop],
    region: &Region,
    formulated: &Formulated,
    tree: &Tree,
    machine: &Machine,
) -> Option<(Tree, Option<Advice>)> {
    let entries = region.contexts.iter().map(|&c| profile.contexts[c as usize].entries as f64).sum::<f64>();
    let of_statement = |(block, members): &(u32, Vec<u32>)| {
        let own = facts(profile, *block, members);
        // What runs once, such as the last test of a condition, has no loop in a schedule and costs nothing.
        let is_active = own.executions > entries.max(1.0);
        Facts { is_active, entries: entries.max(1.0), ..own }.grown(machine.growth)
    };
    let facts: Vec<Facts> = formulated.statements.iter().map(of_statement).collect();
    let times = |(block, _): &(u32, Vec<u32>)| as_it_is(profile, loops, *block);
    let times: Vec<Vec<Dimension>> = formulated.statements.iter().map(times).collect();
    let before = Order { length: times.iter().map(Vec::len).max().unwrap_or(0), times };
    let estimated = estimate(&facts, &before, machine)?;
    let chosen = choose(&facts, &formulated.renaming.of_blocks(tree), machine, Some(estimated.one)).ok()?;
    Some((chosen.permuted(tree), Advice::new(&facts, &before, estimated, &chosen)))
}

pub(crate) fn facts(profile: &Profile, block: u32, members: &[u32]) -> Facts {
    let own = &profile.blocks[block as usize];
    let mut observed = extents(profile, block, 0);
    let dims = profile.contexts[own.context as usize].dims as usize;
    observed.resize(dims, 1);
    let all: FxHashSet<u32> = members.iter().copied().collect();
    let executions = own.executions.max(1) as f64;
    let accesses = profile
        .accesses
        .iter()
        .filter(|a| a.executions > 0 && all.contains(&profile.statements[a.statement as usize].block));
    Facts {
        name: format!("S{block}"),
        is_active: true,
        executions,
        entries: 1.0,
        instructions: instructions(profile, members) / executions,
        observed,
        growth: 1.0,
        touches: accesses.map(|access| touch(access, 0, &unit(dims))).collect(),
        is_plain: members.iter().all(|&member| profile.blocks[member as usize].context == own.context),
    }
}

/// The loops around a block, with those parallel that are so without reductions.
pub(crate) fn as_it_is(profile: &Profile, loops: &[SourceLoop], block: u32) -> Vec<Dimension> {
    let own = &profile.blocks[block as usize];
    let around = profile.loops_around(own.context);
    let dims = around.len();
    let is_parallel = |context: u32| {
        let entry = loops.iter().find(|l| l.contexts.contains(&context));
        entry.is_some_and(|l| matches!(l.parallel, Parallel::Yes | Parallel::AfterPrivatisation))
    };
    let loop_ = |(q, &context): (usize, &u32)| {
        let coefficients = (0..dims).map(|r| i64::from(q == r)).collect();
        let component = Component::Point(Row { coefficients, constant: 0 });
        Dimension { component, is_parallel: is_parallel(context) && dimension(profile, context) == q }
    };
    around.iter().enumerate().map(loop_).collect()
}
