//! Writing the records of a unit that has run.

use trace::block::Terminator;
use trace::stream::Special;

use super::{Arrival, Recorder};
use crate::blocks::{self, GOES_ON, Key, Made, Making, Piece, Tail, Unit, Version};
use crate::output::Table;

impl Recorder<'_> {
    /// The word that the record written last left open is told now.
    pub(super) fn close_word(&mut self, arrival: Arrival) {
        let is_known = self.has_registers && self.are_fresh && arrival == Arrival::Expected;
        let frame =
            matches!(self.terminator(), Some(Terminator::Call { .. } | Terminator::IndirectCall { .. }));
        let word = if frame { self.registers.stack } else { self.registers.arguments[0] };
        self.output.close(if is_known { word } else { 0 });
    }

    /// The unit that runs has come to its end, or as far as it does.
    pub(super) fn complete(&mut self, arrival: Arrival) {
        let Some(number) = self.current.filter(|_| !std::mem::take(&mut self.is_complete)) else {
            self.made.clear();
            return;
        };
        let mut made = std::mem::take(&mut self.made);
        if let Some(mut unit) = self.units.get_mut(number as usize).and_then(Option::take) {
            self.write(&mut unit, &mut made, arrival);
            self.units[number as usize] = Some(unit);
        }
        made.clear();
        self.made = made;
    }

    fn write(&mut self, unit: &mut Unit, made: &mut Vec<Made>, arrival: Arrival) {
        if let Arrival::Again(pc) = arrival
            && let Some(end) = unit.at(pc)
        {
            made.retain(|access| blocks::index(access.key) < end);
            return self.write_part(unit, made, end);
        }
        if !unit.can_make(made) {
            self.is_broken = true;
            return;
        }
        let at = self.version(unit, made);
        let version = &unit.versions[at];
        let stuck_at = version.stuck_at.filter(|_| matches!(arrival, Arrival::Handler | Arrival::End));
        match stuck_at {
            Some(stuck_at) => self.write_torn(version, made, (stuck_at, unit)),
            None => {
                self.instructions += version.instructions;
                for piece in &version.pieces {
                    self.write_piece(version, piece, made);
                }
            }
        }
    }

    fn write_piece(&mut self, version: &Version, piece: &Piece, made: &[Made]) {
        self.output.word(u64::from(piece.id));
        if piece.arguments {
            self.arguments().into_iter().for_each(|word| self.output.word(word));
        }
        addresses(version, piece, made).for_each(|address| self.output.word(address));
        if piece.tail != Tail::None {
            self.output.open_word();
        }
    }

    /// Arguments of the function that the current unit enters; 0 if they are not known.
    fn arguments(&self) -> [u64; 3] {
        if self.are_fresh { self.registers.arguments } else { [0; 3] }
    }

    /// Only the first instructions ran; the next one faults.
    fn write_torn(&mut self, version: &Version, made: &[Made], (stuck_at, unit): (usize, &Unit)) {
        for piece in &version.pieces {
            if piece.instrs.1 <= stuck_at {
                self.write_piece(version, piece, made);
                self.instructions += (piece.instrs.1 - piece.instrs.0) as u64;
                continue;
            }
            let mut words = Vec::new();
            if piece.arguments {
                words.extend(self.arguments());
            }
            words.extend(addresses(version, piece, made));
            let ran = &unit.instrs[piece.instrs.0..stuck_at.max(piece.instrs.0)];
            // As the block counts them, with moves of base registers.
            let instructions = ran.iter().map(|d| 1 + u64::from(d.moves_base.is_some())).sum();
            let block = piece.id;
            self.output.special(&Special::Partial { block, iterations: 0, instructions, words: &words });
            self.instructions += ran.len() as u64;
            return;
        }
    }

    /// The instructions before `end` ran, and control goes on there as if they were all.
    fn write_part(&mut self, unit: &Unit, made: &mut [Made], end: usize) {
        if end == 0 {
            return;
        }
        if !unit.can_make(made) {
            self.is_broken = true;
            return;
        }
        let mut part = Unit::new(unit.pc, unit.instrs[..end].to_vec(), |_| false);
        let at = self.version(&mut part, made);
        let version = &part.versions[at];
        self.instructions += version.instructions;
        for piece in &version.pieces {
            self.write_piece(version, piece, made);
        }
    }

    /// Index of the version of a unit for these accesses, which is made if it is new.
    fn version(&mut self, unit: &mut Unit, made: &mut [Made]) -> usize {
        if unit.epoch != self.epoch {
            self.cut_again(unit);
        }
        blocks::shape(made);
        let fits = |version: &Version| {
            version.shape.len() == made.len()
                && version.shape.iter().zip(&*made).all(|(&key, m)| key == m.key)
        };
        if unit.versions.get(unit.latest).is_some_and(fits) {
            return unit.latest;
        }
        unit.latest = match unit.versions.iter().position(fits) {
            Some(at) => at,
            None => {
                let shape = made.iter().map(|access| access.key).collect();
                let version = self.make(unit, shape);
                unit.versions.push(version);
                unit.versions.len() - 1
            }
        };
        unit.latest
    }

    /// Something was learnt since the unit was cut: where it makes a difference, it is cut again.
    fn cut_again(&mut self, unit: &mut Unit) {
        unit.epoch = self.epoch;
        let Some(version) = unit.versions.first() else { return };
        let cuts = unit.cuts(|pc| self.leaders.contains(&pc));
        let is_same = version.pieces.len() == cuts.len();
        let marked = unit.instrs.iter().any(|d| self.marks.contains_key(&d.instr.pc));
        let entered = version.pieces.iter().any(|piece| !piece.arguments && self.wants_arguments(piece.pc));
        if !is_same || entered || (marked && !unit.is_marked) {
            unit.versions.clear();
            unit.latest = 0;
        }
    }

    fn wants_arguments(&mut self, pc: u64) -> bool {
        self.has_registers && self.entries.contains(&pc) && self.guide.wants_arguments(pc)
    }

    fn make(&mut self, unit: &mut Unit, shape: Vec<Key>) -> Version {
        let cuts = unit.cuts(|pc| self.leaders.contains(&pc));
        unit.is_marked = unit.instrs.iter().any(|d| self.marks.contains_key(&d.instr.pc));
        let mut pieces = Vec::new();
        let mut first = 0;
        for (at, &from) in cuts.iter().enumerate() {
            let to = cuts.get(at + 1).copied().unwrap_or(unit.instrs.len());
            let end =
                shape.iter().position(|&key| blocks::index(key) >= to).unwrap_or(shape.len()).max(first);
            let pc = unit.instrs.get(from).map_or(unit.pc, |d| d.instr.pc);
            let arguments = at == 0 && self.wants_arguments(pc);
            let making = Making { marks: &self.marks, id: self.output.next_id(), arguments };
            let (block, tail) = blocks::make(unit, (from, to), &shape, (first, end), &making);
            pieces.push(Piece {
                id: block.id,
                pc,
                accesses: (first, end),
                instrs: (from, to),
                arguments,
                tail,
            });
            self.output.table(Table::Block(Box::new(block)));
            first = end;
        }
        let stuck_at = unit.stuck_at(&shape);
        Version { stuck_at, instructions: unit.instrs.len() as u64, shape, pieces }
    }
}

/// Addresses that a piece's record has, of what its unit has accessed.
fn addresses<'a>(version: &'a Version, piece: &Piece, made: &'a [Made]) -> impl Iterator<Item = u64> + 'a {
    let (first, end) = piece.accesses;
    let all = version.shape.iter().zip(made).take(end).skip(first);
    all.filter(|(key, _)| **key & GOES_ON == 0).map(|(_, made)| made.address)
}
