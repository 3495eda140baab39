//! Loads: a content that stays the same is one atom for each address, or the value that it is given.
//!
//! `Memory` says in which part of the function it does; the number of that part is the atom's epoch, so that contents of
//! different times are different atoms.

use super::forms::{Forms, Reading};
use crate::control::LoopId;
use crate::ir::{BlockId, Instruction, Operand, Type};
use crate::memory::{Object, Span};
use crate::symbolic::{Atom, Polynomial};

impl Forms<'_> {
    /// What a load gives; `None` if its content may change from one iteration to the next.
    pub(super) fn loaded(
        &mut self,
        block: BlockId,
        instruction: &Instruction,
        address: Operand,
        reading: Reading,
    ) -> Option<Polynomial> {
        let of = self.function.value(instruction.result?).of;
        let bits = self.bits(of)?;
        let is_address = *self.module.types.get(of) == Type::Pointer;
        if is_address && reading == Reading::Signed {
            return None;
        }
        let assuming = self.assuming;
        let (span, premises) = self.memory.as_mut()?.stays(block, instruction, assuming)?;
        self.premises.extend(premises);
        let address_form = self.of(address, Reading::Unsigned)?;
        let epoch = match span {
            Span::Function => 0,
            // Loops are fewer than blocks.
            Span::Loop(id) => 1 + id.index() as u32,
        };
        let signed = reading == Reading::Signed;
        let is_plain = self.has_no_iterations(&address_form);
        let name = self.memory.as_ref()?.names().content(address, Some(u64::from(bits.div_ceil(8))));
        let name = name.filter(|_| is_plain);
        if let Some(name) = name.as_ref().filter(|_| epoch == 0 && !is_address)
            && let Some(number) = self.given(name, bits, reading)
        {
            return Some(number);
        }
        let atom = self.atoms.number(Atom::Load { address: address_form, epoch, bits, signed });
        if let Some(name) = name {
            let name = if name.starts_with('*') { format!("({name})") } else { name };
            let name = if epoch == 0 { name } else { format!("{name}@#{}", epoch - 1) };
            self.atoms.call(atom, &name);
        }
        Some(atom.into())
    }

    /// The loop around the part of the function in which a content of this epoch stays the same.
    pub(super) fn loop_of_epoch(&self, epoch: u32) -> Option<LoopId> {
        let (id, _) = self.control.loops.iter().nth(epoch.checked_sub(1)? as usize)?;
        self.control.loops.get(id).parent
    }

    /// The address at which an object starts, as an atom of its own; `None` if what is known of it is no object's start.
    pub fn start_of(&mut self, object: Object) -> Option<Polynomial> {
        match object {
            Object::Argument(place) => {
                let value = self.function.parameters.get(place)?.value;
                Some(self.of_value(value, Reading::Unsigned))
            }
            Object::Global(symbol) => {
                let name = format!("&{}", self.module.name(symbol));
                Some(self.atoms.symbol(&name))
            }
            Object::Local(value) | Object::Heap(value) | Object::Pointed(value) => {
                Some(self.of_value(value, Reading::Unsigned))
            }
        }
    }
}
