//! What an earlier run of the same program showed, asked at the addresses of the present one.
//!
//! Definition: a place is the same in both runs if it lies at the same offset of the same file; code of no file (generated,
//! the kernel's page) only if it lies at the same address.
//!
//! Limit: what the earlier run did not execute is not known here, and has to be handled as if there had been none.

use rustc_hash::{FxHashMap, FxHashSet};
use trace::block::{FunctionCode, Terminator};
use trace::sink::Mapping;
use trace::survey::{Survey, Way};

use crate::executed::Executed;

/// An earlier run.
#[derive(Debug, Clone, Default)]
pub struct Known {
    before: Vec<Mapping>,
    /// Mappings of the present run, and what leads from their addresses to those of the earlier run.
    now: Vec<(u64, u64, u64)>,
    instructions: FxHashSet<u64>,
    transfers: FxHashMap<u64, Vec<(u64, Way)>>,
    /// By entry: number of the recursive component, and whether the function is a header of it.
    members: FxHashMap<u64, (u32, bool)>,
    components: usize,
}

impl Known {
    /// What a survey shows.
    pub fn new(survey: &Survey) -> Known {
        let executed = Executed::new(survey);
        let components = executed.components();
        let mut known = Known {
            before: survey.mappings.clone(),
            instructions: survey.stretches.iter().flat_map(|s| s.instrs.iter().copied()).collect(),
            components: components.len(),
            ..Known::default()
        };
        for t in &survey.transfers {
            known.transfers.entry(t.from).or_default().push((t.to, t.way));
        }
        for (number, component) in components.iter().enumerate() {
            for &f in &component.functions {
                let header = component.headers.contains(&f);
                known.members.insert(executed.functions[f].entry, (number as u32, header));
            }
        }
        known
    }

    /// An executable mapping appeared in the present run.
    pub fn mapping(&mut self, mapping: &Mapping) {
        let end = |m: &Mapping| m.offset.saturating_add(m.end - m.start);
        let same = self.before.iter().rev().find(|m| match &m.path {
            Some(path) => {
                mapping.path.as_ref() == Some(path) && m.offset < end(mapping) && mapping.offset < end(m)
            }
            None => mapping.path.is_none() && m.start == mapping.start,
        });
        if let Some(m) = same {
            let base = |m: &Mapping| m.start.wrapping_sub(m.offset);
            self.now.push((mapping.start, mapping.end, base(m).wrapping_sub(base(mapping))));
        }
    }

    /// What to add to an address of the present run.
    fn shift(&self, pc: u64) -> Option<u64> {
        self.now.iter().rev().find(|n| (n.0..n.1).contains(&pc)).map(|n| n.2)
    }

    /// Number of recursive components.
    pub fn components(&self) -> usize {
        self.components
    }

    /// The recursive component of the function entered at `pc`, and whether it is a header of it.
    pub fn member(&self, pc: u64) -> Option<(u32, bool)> {
        self.members.get(&pc.wrapping_add(self.shift(pc)?)).copied()
    }

    /// Where the indirect jump that ends at `after` led.
    pub fn jump_targets(&self, after: u64) -> Vec<u64> {
        // The address after a jump may lie behind its mapping.
        let Some(shift) = self.shift(after.wrapping_sub(1)) else { return Vec::new() };
        let targets = self.transfers.get(&after.wrapping_add(shift)).into_iter().flatten();
        targets
            .filter(|t| t.1 == Way::IndirectJump)
            .map(|t| t.0.wrapping_sub(shift))
            .filter(|&target| self.shift(target) == Some(shift))
            .collect()
    }

    /// The executed edges between the blocks of a function; `None` if its entry was not executed.
    pub fn edges(&self, code: &FunctionCode) -> Option<Vec<(u64, u64)>> {
        let shift = self.shift(code.entry)?;
        let ran = |pc: u64| self.instructions.contains(&pc.wrapping_add(shift));
        if !ran(code.entry) {
            return None;
        }
        let starts: FxHashSet<u64> = code.blocks.iter().map(|b| b.start).collect();
        let mut edges = Vec::new();
        for block in code.blocks.iter().filter(|b| ran(b.start)) {
            let mut add = |to: u64| {
                if starts.contains(&to) && ran(to) {
                    edges.push((block.start, to));
                }
            };
            match block.terminator {
                Terminator::Fallthrough(next)
                | Terminator::Jump(next)
                | Terminator::Call { next, .. }
                | Terminator::IndirectCall { next }
                | Terminator::Syscall { next } => add(next),
                Terminator::Branch { .. } | Terminator::IndirectJump => {
                    for &(to, _) in self.transfers.get(&block.end.wrapping_add(shift)).into_iter().flatten() {
                        add(to.wrapping_sub(shift));
                    }
                }
                Terminator::Return | Terminator::Leaves | Terminator::Trap => {}
            }
        }
        let has_run = |&(call, pad): &(u64, u64)| ran(call) && ran(pad);
        edges.extend(code.landings.iter().copied().filter(has_run));
        Some(edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::block::{CodeBlock, Registers};
    use trace::survey::{Stretch, Transfer};

    fn mapping(start: u64, offset: u64, path: &str) -> Mapping {
        Mapping { start, end: start + 0x1000, offset, path: Some(path.into()) }
    }

    /// A function of a file that lies elsewhere this time: only one side of its branch and one target of its switch ran.
    #[test]
    fn places_are_those_of_the_file() {
        let stretch =
            |pc: u64| Stretch { instrs: vec![pc], end: pc + 1, executions: 1, continues: false, trips: None };
        let transfer = |from, to, way| Transfer { from, to, way, count: 1 };
        let survey = Survey {
            mappings: vec![mapping(0x1000, 0x3000, "/lib/a"), mapping(0x9000, 0x3000, "/lib/b")],
            entries: vec![0x1010],
            stretches: [0x1010, 0x1011, 0x1030].map(stretch).to_vec(),
            transfers: vec![
                transfer(0x1011, 0x1011, Way::Jump),
                transfer(0x1012, 0x1030, Way::IndirectJump),
                transfer(0x1031, 0x1010, Way::Call),
            ],
        };
        let mut known = Known::new(&survey);
        let at = |start: u64, terminator| CodeBlock {
            start,
            end: start + 1,
            terminator,
            registers: Registers::default(),
        };
        let code = |base: u64| FunctionCode {
            entry: base + 0x10,
            blocks: vec![
                at(base + 0x10, Terminator::Branch { taken: base + 0x20, next: base + 0x11 }),
                at(base + 0x11, Terminator::IndirectJump),
                at(base + 0x20, Terminator::Return),
                at(base + 0x30, Terminator::Return),
            ],
            landings: Vec::new(),
        };
        assert_eq!(known.edges(&code(0x1000)), None, "nothing is mapped yet");
        known.mapping(&mapping(0x7000, 0x3000, "/lib/a"));
        let expected = vec![(0x7010, 0x7011), (0x7011, 0x7030)];
        assert_eq!(known.edges(&code(0x7000)), Some(expected));
        assert_eq!(known.jump_targets(0x7012), [0x7030]);
        assert_eq!(known.jump_targets(0x1012), [0u64; 0]);
        // It called itself.
        assert_eq!((known.components(), known.member(0x7010)), (1, Some((0, true))));
        assert_eq!(known.edges(&code(0x9000)), None, "another file");
    }
}
