//! In which loops forms change.

use super::forms::Forms;
use crate::control::LoopId;
use crate::symbolic::{Atom, AtomId, Polynomial};

impl Forms<'_> {
    /// A form that mentions iterations of no loop, so that it means the same everywhere.
    pub fn has_no_iterations(&self, of: &Polynomial) -> bool {
        of.atoms().into_iter().all(|atom| match self.atoms.get(atom) {
            Atom::Induction(..) => false,
            Atom::Floor(inner, _) | Atom::Modulo(inner, _) | Atom::Least(inner) => {
                self.has_no_iterations(inner)
            }
            Atom::Load { address, .. } => self.has_no_iterations(address) && self.loop_of(atom).is_none(),
            Atom::Opaque(_) => self.loop_of(atom).is_none(),
            Atom::Symbol(_) => true,
        })
    }

    /// Whether all that changes in a form changes with a loop or those around it.
    pub(super) fn is_fixed_outside_of_others(&self, of: &Polynomial, id: LoopId) -> bool {
        of.atoms().into_iter().all(|atom| self.loop_of(atom).is_none_or(|of| self.is_around(of, id)))
    }

    /// Whether a loop is another one or around it.
    fn is_around(&self, outer: LoopId, inner: LoopId) -> bool {
        self.control.loops.around(self.control.loops.get(inner).header).any(|id| id == outer)
    }

    /// The innermost loop in which an atom changes.
    fn loop_of(&self, atom: AtomId) -> Option<LoopId> {
        let deeper = |of: &Polynomial| {
            let loops = of.atoms().into_iter().filter_map(|atom| self.loop_of(atom));
            loops.max_by_key(|&id| self.control.loops.get(id).depth)
        };
        match self.atoms.get(atom) {
            Atom::Induction(number, _) => self.control.loops.iter().map(|(id, _)| id).nth(*number),
            Atom::Opaque(_) => {
                let value = *self.opaque.get(&atom)?;
                let (block, _) = self.definition(value)?;
                let changes = self.invariance.as_ref().and_then(|invariance| invariance.of(value));
                changes.unwrap_or_else(|| self.control.loops.innermost(block))
            }
            Atom::Floor(inner, _) | Atom::Modulo(inner, _) | Atom::Least(inner) => deeper(inner),
            Atom::Load { address, epoch, .. } => {
                let loops = deeper(address).into_iter().chain(self.loop_of_epoch(*epoch));
                loops.max_by_key(|&id| self.control.loops.get(id).depth)
            }
            Atom::Symbol(_) => None,
        }
    }

    /// Whether a loop leaves a form unchanged.
    pub fn is_fixed(&self, of: &Polynomial, id: LoopId) -> bool {
        of.atoms()
            .into_iter()
            .all(|atom| self.loop_of(atom).is_none_or(|changes| !self.is_around(id, changes)))
    }

    /// Whether a form is the same in all iterations of a loop that are in the same iterations of the loops inside it: what threads
    /// have in common that do one iteration each, in step.
    pub fn is_uniform(&self, of: &Polynomial, id: LoopId) -> bool {
        let changes_inside = |changes: Option<LoopId>| changes.is_some_and(|inner| self.is_around(id, inner));
        of.atoms().into_iter().all(|atom| match self.atoms.get(atom) {
            Atom::Symbol(_) => true,
            Atom::Induction(number, _) => *number != id.index(),
            Atom::Floor(inner, _) | Atom::Modulo(inner, _) | Atom::Least(inner) => self.is_uniform(inner, id),
            Atom::Load { address, epoch, .. } => {
                self.is_uniform(address, id) && !changes_inside(self.loop_of_epoch(*epoch))
            }
            Atom::Opaque(_) => !changes_inside(self.loop_of(atom)),
        })
    }
}
