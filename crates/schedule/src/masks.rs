//! Lanes that a mask leaves out (ALGORITHMS 2.6a).
//!
//! A masked load keeps in the other lanes what its register held; compilers load into registers that hold anything. Nobody reads those
//! lanes if all that is computed of the register lane by lane ends in operations and stores under the same mask: then what an earlier
//! iteration left in the register is read by nobody.

use profile::{ContextIndex, Dependence, Operation, Profile, StatementIndex, Use};

use crate::graph::{LoopEdges, is_flow, is_inside};

/// Whether a register dependence of a loop only hands on lanes that a masked load keeps and nobody reads.
pub fn is_left_out(profile: &Profile, context: ContextIndex, inside: &LoopEdges, d: &Dependence) -> bool {
    let load = d.sink;
    if d.memory || d.role != Use::Value || d.source != load {
        return false;
    }
    let is_load = profile.statements[load as usize].operation == Operation::Copy
        && profile.accesses.iter().any(|access| access.statement == load && !access.write);
    if !is_load {
        return false;
    }
    let edges = || inside.edges.iter().map(|edge| (edge, &profile.dependences[edge.dependence as usize]));
    let registers = || edges().filter(|(_, own)| is_flow(own) && !own.memory);
    // What decides which lanes are loaded, in the same iteration.
    let deciding = |statement: StatementIndex| {
        let into =
            registers().filter(move |(edge, own)| edge.within && !edge.carried && own.sink == statement);
        into.filter(|(_, own)| own.role == Use::Value).map(|(_, own)| own.source)
    };
    deciding(load).any(|mask| {
        let is_masked = |statement: StatementIndex| deciding(statement).any(|own| own == mask);
        let mut reached = vec![load];
        let mut at = 0;
        while let Some(&statement) = reached.get(at) {
            at += 1;
            let is_read_after = profile.dependences.iter().any(|own| {
                is_flow(own)
                    && own.source == statement
                    && !own.memory
                    && !is_inside(profile, own.sink, context)
            });
            if is_read_after || statement == mask {
                return false;
            }
            for (_, own) in registers().filter(|(_, own)| own.source == statement) {
                let by_lanes = matches!(
                    profile.statements[own.sink as usize].operation,
                    Operation::Copy
                        | Operation::Add
                        | Operation::Multiply
                        | Operation::Minimum
                        | Operation::Maximum
                        | Operation::And
                        | Operation::Or
                        | Operation::Xor
                );
                if own.sink == load {
                    continue;
                }
                if own.role == Use::Address || !by_lanes {
                    return false;
                }
                if !is_masked(own.sink) && !reached.contains(&own.sink) {
                    let stores =
                        profile.accesses.iter().any(|access| access.statement == own.sink && access.write);
                    if stores {
                        return false;
                    }
                    reached.push(own.sink);
                }
            }
        }
        true
    })
}
