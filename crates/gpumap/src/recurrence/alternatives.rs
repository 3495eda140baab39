//! Forms that a value may have, one for each way on which it comes about.
//!
//! A φ that joins ways is one of the values that they bring. Where they differ it has no form of its own, but it has a set of
//! forms. A φ at the header of a loop without a closed form has two: what it starts as, and what it becomes in terms of itself;
//! that is a form, never a set of values.
//!
//! Limit: sets of more than [`MOST`] forms are not made.
//!
//! Source: ALGORITHMS 7.5 and 7.6.

use std::collections::BTreeSet;

use super::forms::{Forms, Reading};
use crate::ir::{Operation, ValueId};
use crate::symbolic::{Atom, AtomId, Polynomial};

/// Most forms of a set.
pub const MOST: usize = 8;

impl Forms<'_> {
    /// Forms of which one is the value of this one: what differs between ways is replaced by what it is on each. Itself
    /// alone if nothing in it does, or there are too many.
    pub fn alternatives(&mut self, form: &Polynomial) -> Vec<Polynomial> {
        let (mut open, mut done) = (vec![form.clone()], BTreeSet::new());
        while let Some(of) = open.pop() {
            match self.replaced_by_ways(&of) {
                Some(ways) => open.extend(ways),
                None => drop(done.insert(of)),
            }
            if open.len() + done.len() > MOST {
                return vec![form.clone()];
            }
        }
        done.into_iter().collect()
    }

    /// A form with the first value in it that differs between ways replaced by what it is on each.
    fn replaced_by_ways(&mut self, of: &Polynomial) -> Option<Vec<Polynomial>> {
        for atom in self.atoms.leaves(of) {
            let Some(ways) = self.values_by_way(atom) else { continue };
            let replaced = ways.iter().map(|way| self.atoms.replaced(of, atom, way));
            if let Some(replaced) = replaced.collect() {
                return Some(replaced);
            }
        }
        None
    }

    /// What the φ that an atom stands for is on each way; `None` if it is none that joins ways.
    fn values_by_way(&mut self, atom: AtomId) -> Option<Vec<Polynomial>> {
        let Atom::Opaque(code) = self.atoms.get(atom) else { return None };
        let reading = if code % 2 == 0 { Reading::Signed } else { Reading::Unsigned };
        let (block, instruction) = self.definition(*self.opaque.get(&atom)?)?;
        let Operation::Phi(inputs) = &instruction.operation else { return None };
        if self.control.loops.headed_by(block).is_some() {
            return None;
        }
        let mut ways = Vec::new();
        for &(operand, from) in inputs {
            let way = self.left_with(operand, from, block, reading)?;
            if self.atoms.involves(&way, atom) || !self.is_of(block, &way) {
                return None;
            }
            ways.push(way);
        }
        Some(ways)
    }

    /// What a φ at the header of a loop starts as, and what it becomes in terms of itself.
    pub fn recursion(&mut self, value: ValueId, reading: Reading) -> Option<(Polynomial, Polynomial)> {
        let (block, instruction) = self.definition(value)?;
        let Operation::Phi(inputs) = &instruction.operation else { return None };
        let id = self.control.loops.headed_by(block)?;
        let ((init, _), (next, latch)) = self.ends_of_phi(id, inputs)?;
        Some((self.of(init, reading)?, self.of_at(latch, next, reading)?))
    }
}
