//! Why a static polyhedral tool could not model a region, from what the run showed: the reasons of the publication, which
//! found them by reading what Polly printed.

use profile::{
    AccessIndex, ContextIndex, ContextKind, Kind, ObjectIndex, ObjectKind, Operation, Profile, Use,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::is_call;
use crate::SourceLoop;
use crate::graph::dimension;

/// Reasons, in the order in which the publication lists them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Obstacles {
    /// R: a call that is not inlined.
    pub call: bool,
    /// C: a loop that is left at several places, or a recursion.
    pub control: bool,
    /// B: a bound or a condition that is no affine function of the loops around it.
    pub bound: bool,
    /// F: an address that is none, or that is loaded (pointer indirection).
    pub access: bool,
    /// A: several blocks of memory that are reached through pointers, one of them written.
    pub alias: bool,
    /// P: a base pointer that changes inside.
    pub pointer: bool,
}

impl Obstacles {
    /// The letters of the publication; `-` for none.
    pub fn letters(&self) -> String {
        let all = [
            (self.call, 'R'),
            (self.control, 'C'),
            (self.bound, 'B'),
            (self.access, 'F'),
            (self.alias, 'A'),
            (self.pointer, 'P'),
        ];
        let letters: String = all.iter().filter(|(is, _)| *is).map(|(_, letter)| *letter).collect();
        if letters.is_empty() { "-".to_owned() } else { letters }
    }
}

/// The reasons for the code of the program itself in some contexts.
pub fn of(profile: &Profile, loops: &[SourceLoop], contexts: &FxHashSet<ContextIndex>) -> Obstacles {
    let is_inside = |context: ContextIndex| contexts.contains(&context) && profile.is_own(context);
    let inside = |statement: u32| is_inside(profile.context_of(statement));
    let kind = |context: ContextIndex| &profile.contexts[context as usize];
    let control =
        |context: ContextIndex| kind(context).exits > 1 || kind(context).kind == ContextKind::Recursive;
    let addresses = Addresses::new(profile, loops, &inside);
    let inexact = |(index, access): (usize, &profile::Access)| {
        let limit = most_pieces(profile, profile.context_of(access.statement));
        // Where data decides whether it happens, one function has many pieces.
        let pieces = access.address.iter().flat_map(|folded| &folded.pieces);
        let mut functions = FxHashSet::default();
        let mut has_many = || pieces.clone().any(|p| functions.insert(p.label(0)) && functions.len() > limit);
        let block = &profile.blocks[profile.statements[access.statement as usize].block as usize];
        let mut is_known = || access.address.iter().all(fold::Folded::is_exact) && !has_many();
        inside(access.statement)
            && access.executions > 0
            && !access.is_of_calls()
            && (is_affine(profile, block) && !is_known()
                || addresses.is_indirect(profile, index as AccessIndex))
    };
    Obstacles {
        call: contexts.iter().any(|&c| is_call(profile, c) && is_inside(kind(c).parent)),
        control: contexts.iter().any(|&c| is_inside(c) && control(c)),
        bound: profile.blocks.iter().any(|block| is_inside(block.context) && !is_affine(profile, block)),
        access: profile.accesses.iter().enumerate().any(inexact),
        alias: may_alias(profile, &inside),
        pointer: addresses.changes_base,
    }
}

/// Pieces beyond which something is not called affine, as when the published algorithm gives up.
fn most_pieces(profile: &Profile, context: ContextIndex) -> usize {
    4 * usize::from(profile.contexts[context as usize].dims) + 1
}

fn is_affine(profile: &Profile, block: &profile::Block) -> bool {
    let pieces: usize = block.domain.iter().map(|folded| folded.pieces.len()).sum();
    block.executions == 0
        || block.domain.iter().all(|folded| !folded.gave_up) && pieces <= most_pieces(profile, block.context)
}

/// Whether blocks of memory that a compiler sees as pointers are written and others accessed.
fn may_alias(profile: &Profile, inside: &dyn Fn(u32) -> bool) -> bool {
    let mut all: FxHashSet<ObjectIndex> = FxHashSet::default();
    let mut is_written = false;
    for d in profile.dependences.iter().filter(|d| d.memory) {
        let ends = [(d.source, d.kind != Kind::Anti), (d.sink, d.kind != Kind::Flow)];
        let here = ends.iter().filter(|(statement, _)| inside(*statement));
        let writes: Vec<bool> = here.map(|(_, writes)| *writes).collect();
        if writes.is_empty() {
            continue;
        }
        let objects = d.levels.iter().flat_map(|level| &level.objects).map(|use_of| use_of.object);
        let pointed = objects
            .filter(|&o| matches!(profile.objects[o as usize].kind, ObjectKind::Heap | ObjectKind::Other));
        let before = all.len();
        all.extend(pointed);
        is_written |= all.len() > before && writes.contains(&true);
    }
    is_written && all.len() > 1
}

/// Where addresses come from.
struct Addresses {
    /// Per statement whose address comes through registers: the loads that give it.
    loaded_by: FxHashMap<u32, Vec<u32>>,
    /// Loads whose own address does not change.
    fixed: FxHashSet<u32>,
    inductions: FxHashSet<u32>,
    changes_base: bool,
}

impl Addresses {
    fn new(profile: &Profile, loops: &[SourceLoop], inside: &dyn Fn(u32) -> bool) -> Addresses {
        let verdicts = || loops.iter().flat_map(|l| &l.verdicts);
        let inductions: FxHashSet<u32> = verdicts().flat_map(|v| v.scevs.iter().copied()).collect();
        let ordering: FxHashSet<u32> = loops
            .iter()
            .filter(|l| l.contexts.iter().any(|&c| profile.is_own(c)))
            .flat_map(|l| &l.verdicts)
            .flat_map(|v| v.ordering.iter().copied())
            .collect();
        let (mut loads, mut fixed) = (FxHashSet::default(), FxHashSet::default());
        for access in profile.accesses.iter().filter(|a| !a.write && !a.is_of_calls() && inside(a.statement))
        {
            loads.insert(access.statement);
            if access.address.iter().all(|folded| folded.ranges.first().is_some_and(|r| r.0 == r.1)) {
                fixed.insert(access.statement);
            }
        }
        let mut loaded_by: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        // Values that iterations hand on, other than by counting, and what takes them to where they are used.
        let mut open: Vec<u32> = Vec::new();
        let mut uses: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut addressed: FxHashSet<u32> = FxHashSet::default();
        let flow = |d: &&profile::Dependence| d.kind == Kind::Flow && inside(d.source) && inside(d.sink);
        for (index, d) in profile.dependences.iter().enumerate().filter(|(_, d)| flow(d)) {
            // Memory is followed through variables alone.
            if d.memory && !fixed.contains(&d.sink) {
                continue;
            }
            let is_address = d.role == Use::Address && !d.memory;
            if is_address && loads.contains(&d.source) {
                loaded_by.entry(d.sink).or_default().push(d.source);
            }
            let is_handed_on = ordering.contains(&(index as u32)) && !inductions.contains(&d.source);
            if is_handed_on && carried_inside(profile, d) {
                open.push(if is_address { d.source } else { d.sink });
            }
            if is_address {
                addressed.insert(d.source);
            } else {
                uses.entry(d.source).or_default().push(d.sink);
            }
        }
        let moves = |s: u32| {
            let statement = &profile.statements[s as usize];
            !statement.float && matches!(statement.operation, Operation::Copy | Operation::Add)
        };
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut changes_base = false;
        while let Some(s) = open.pop() {
            if moves(s) && seen.insert(s) {
                changes_base |= addressed.contains(&s);
                open.extend(uses.get(&s).into_iter().flatten());
            }
        }
        Addresses { loaded_by, fixed, inductions, changes_base }
    }

    /// Whether an address comes from a load whose own address changes, and that is no counter kept in memory.
    fn is_indirect(&self, profile: &Profile, access: AccessIndex) -> bool {
        let statement = profile.accesses[access as usize].statement;
        let loads = self.loaded_by.get(&statement).into_iter().flatten();
        loads.into_iter().any(|load| !self.fixed.contains(load) && !self.inductions.contains(load))
    }
}

/// Whether a loop around both ends carries the dependence.
fn carried_inside(profile: &Profile, d: &profile::Dependence) -> bool {
    let around = profile.loops_around(profile.context_of(d.sink));
    let is_carried = |context: ContextIndex| {
        let dim = dimension(profile, context);
        d.levels.iter().any(|level| usize::from(level.level) == dim)
    };
    around.into_iter().any(is_carried)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_in_the_order_of_the_publication() {
        assert_eq!(Obstacles::default().letters(), "-");
        let all =
            Obstacles { call: true, control: true, bound: true, access: true, alias: true, pointer: true };
        assert_eq!(all.letters(), "RCBFAP");
        assert_eq!(Obstacles { access: true, call: true, ..Obstacles::default() }.letters(), "RF");
    }
}
