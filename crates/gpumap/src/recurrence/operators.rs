//! What operators make of forms.

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::forms::{Forms, Reading};
use crate::ir::instruction::{BinaryOperator, Conversion, Flags};
use crate::ir::{
    BlockId, Choice, ConstantExpression, Instruction, Operand, Operation, Type, TypeId, ValueId,
};
use crate::symbolic::{Atom, Polynomial, Prover};

impl Forms<'_> {
    /// The form of what an instruction computes; `None` if it has none.
    pub(super) fn computed(
        &mut self,
        block: BlockId,
        instruction: &Instruction,
        reading: Reading,
    ) -> Option<Polynomial> {
        match &instruction.operation {
            &Operation::Binary(operator, flags, left, right) => {
                self.binary(block, (operator, flags), left, right, reading)
            }
            &Operation::Convert(conversion, flags, operand) => {
                let to = self.function.value(instruction.result?).of;
                self.converted(block, (conversion, flags), operand, to, reading)
            }
            Operation::Element { source, base, indices, inbounds: true } => {
                self.element(Some(block), *source, *base, indices)
            }
            Operation::Freeze(operand) => self.of(*operand, reading),
            Operation::Load { address, .. } => self.loaded(block, instruction, *address, reading),
            call @ Operation::Call { .. } => self.chosen(block, self.module.choice(call)?, reading),
            _ => None,
        }
    }

    fn binary(
        &mut self,
        block: BlockId,
        (operator, flags): (BinaryOperator, Flags),
        left: Operand,
        right: Operand,
        reading: Reading,
    ) -> Option<Polynomial> {
        let (x, y) = (self.of_at(block, left, reading)?, self.of_at(block, right, reading)?);
        let bits = self.bits(left.of)?;
        let number = y.integer();
        let power = || {
            let shift: u32 = number.clone()?.try_into().ok()?;
            (shift < bits).then(|| BigInt::one() << shift)
        };
        let keeps = if reading == Reading::Signed { flags.no_signed_wrap } else { flags.no_unsigned_wrap };
        match operator {
            BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply => {
                let exact = match operator {
                    BinaryOperator::Add => &x + &y,
                    BinaryOperator::Subtract => &x - &y,
                    _ => x.times(&y)?,
                };
                let may_count_up = operator == BinaryOperator::Add && y == Polynomial::from(1);
                let is_exact = keeps
                    || self.is_within(block, &exact, bits, reading)
                    || may_count_up
                        && (self.is_below_something(block, left, reading)
                            || self.is_before_end(block, left, reading));
                if is_exact || reading == Reading::Signed {
                    return is_exact.then_some(exact);
                }
                // Unsigned numbers whose difference is not negative: it is not greater than the first one either. Clang adds
                // the complement of a constant that is taken away.
                let modulus = BigInt::one() << bits;
                let less = match operator {
                    BinaryOperator::Subtract => exact,
                    BinaryOperator::Add if number.is_some_and(|number| number * 2 >= modulus) => {
                        &exact - &Polynomial::from(modulus)
                    }
                    _ => return None,
                };
                self.is_not_negative(block, &less).then_some(less)
            }
            BinaryOperator::ShiftLeft => {
                let exact = x.times(&power()?.into())?;
                (keeps || self.is_within(block, &exact, bits, reading)).then_some(exact)
            }
            // Bits that follow are those of the number rounded down.
            BinaryOperator::ShiftRightArithmetic if reading == Reading::Signed => {
                self.atoms.floor(&x, &power()?)
            }
            BinaryOperator::ShiftRightLogical if reading == Reading::Unsigned => {
                self.atoms.floor(&x, &power()?)
            }
            BinaryOperator::DivideUnsigned if reading == Reading::Unsigned => {
                self.atoms.floor(&x, &number.filter(BigInt::is_positive)?)
            }
            BinaryOperator::RemainderUnsigned if reading == Reading::Unsigned => {
                self.atoms.modulo(&x, &number.filter(BigInt::is_positive)?)
            }
            BinaryOperator::DivideSigned if reading == Reading::Signed => {
                let divisor = number.filter(BigInt::is_positive)?;
                // Nothing is rounded, or downwards.
                if flags.exact || self.is_not_negative(block, &x) {
                    self.atoms.floor(&x, &divisor)
                } else if self.is_not_negative(block, &-&x) {
                    self.atoms.ceiling(&x, &divisor)
                } else {
                    None
                }
            }
            BinaryOperator::RemainderSigned if reading == Reading::Signed => {
                let divisor = number.filter(BigInt::is_positive)?;
                self.is_not_negative(block, &x).then(|| self.atoms.modulo(&x, &divisor))?
            }
            // The last bits are the remainder in either reading.
            BinaryOperator::And => {
                let divisor: BigInt = number? + 1;
                let is_mask = divisor.is_positive() && divisor.to_biguint()?.count_ones() == 1;
                is_mask.then(|| self.atoms.modulo(&x, &divisor))?
            }
            BinaryOperator::Or if flags.disjoint && reading == Reading::Unsigned => Some(&x + &y),
            BinaryOperator::Xor if reading == Reading::Signed && number == Some(BigInt::from(-1)) => {
                Some(&-&x - &Polynomial::from(1))
            }
            _ => None,
        }
    }

    /// The lesser or greater of two numbers, or an absolute value.
    fn chosen(&mut self, block: BlockId, choice: Choice, reading: Reading) -> Option<Polynomial> {
        let (a, b, is_least) = match choice {
            Choice::Least { signed, a, b } if signed == (reading == Reading::Signed) => (a, b, true),
            Choice::Greatest { signed, a, b } if signed == (reading == Reading::Signed) => (a, b, false),
            Choice::Size(of) => {
                let of = self.of_at(block, of, Reading::Signed)?;
                return if self.is_not_negative(block, &of) {
                    Some(of)
                } else if self.is_not_negative(block, &-&of) {
                    Some(-&of)
                } else {
                    self.atoms.greatest(&of, &-&of)
                };
            }
            Choice::Least { .. } | Choice::Greatest { .. } => return None,
        };
        let (a, b) = (self.of_at(block, a, reading)?, self.of_at(block, b, reading)?);
        if self.is_not_negative(block, &(&b - &a)) {
            Some(if is_least { a } else { b })
        } else if self.is_not_negative(block, &(&a - &b)) {
            Some(if is_least { b } else { a })
        } else if is_least {
            self.atoms.least(&a, &b)
        } else {
            self.atoms.greatest(&a, &b)
        }
    }

    fn converted(
        &mut self,
        block: BlockId,
        (conversion, flags): (Conversion, Flags),
        operand: Operand,
        to: TypeId,
        reading: Reading,
    ) -> Option<Polynomial> {
        let (from_bits, to_bits) = (self.bits(operand.of)?, self.bits(to)?);
        match conversion {
            // More bits: the number in the reading of the extension; in the other one only if it is not negative.
            Conversion::ExtendSign => {
                let form = self.of_at(block, operand, Reading::Signed)?;
                let holds = reading == Reading::Signed || self.is_not_negative(block, &form);
                holds.then_some(form)
            }
            Conversion::ExtendZero => {
                let unsigned = self.of_at(block, operand, Reading::Unsigned)?;
                if !self.is_opaque(&unsigned) {
                    return Some(unsigned);
                }
                let signed = self.of_at(block, operand, Reading::Signed)?;
                let is_same = flags.not_negative || self.is_not_negative(block, &signed);
                Some(if is_same { signed } else { unsigned })
            }
            Conversion::Truncate => {
                let form = self.of(operand, reading)?;
                self.is_within(block, &form, to_bits, reading).then_some(form)
            }
            Conversion::PointerToInteger | Conversion::IntegerToPointer if from_bits == to_bits => {
                (reading == Reading::Unsigned).then(|| self.of(operand, reading))?
            }
            _ => None,
        }
    }

    /// The form of a constant that is computed from others.
    pub(super) fn expression(&mut self, expression: &ConstantExpression) -> Option<Polynomial> {
        match expression {
            ConstantExpression::Element { source, base, indices, inbounds: true } => {
                self.element(None, *source, *base, indices)
            }
            _ => None,
        }
    }

    /// An index, which is a signed number; `block` is where it is used.
    fn index(&mut self, block: Option<BlockId>, index: Operand) -> Option<Polynomial> {
        let Some(block) = block else { return self.of(index, Reading::Signed) };
        let signed = self.of_at(block, index, Reading::Signed)?;
        if !self.is_opaque(&signed) {
            return Some(signed);
        }
        let bits = self.bits(index.of)?;
        let unsigned = self.of_at(block, index, Reading::Unsigned)?;
        let is_same = !self.is_opaque(&unsigned) && self.is_within(block, &unsigned, bits, Reading::Signed);
        Some(if is_same { unsigned } else { signed })
    }

    /// The address of a part: bytes from the base.
    fn element(
        &mut self,
        block: Option<BlockId>,
        source: TypeId,
        base: Operand,
        indices: &[Operand],
    ) -> Option<Polynomial> {
        let mut address = match block {
            Some(block) => self.of_at(block, base, Reading::Unsigned)?,
            None => self.of(base, Reading::Unsigned)?,
        };
        let (types, layout) = (&self.module.types, &self.module.layout);
        let mut of = source;
        for (place, &index) in indices.iter().enumerate() {
            let number = self.index(block, index)?;
            if place > 0 {
                let resolved = types.resolved(of)?;
                if let Type::Structure { .. } = types.get(resolved) {
                    let field: u64 = number.integer()?.try_into().ok()?;
                    let offset = layout.field(types, resolved, usize::try_from(field).ok()?)?;
                    address = &address + &Polynomial::from(BigInt::from(offset));
                    of = types.part(resolved, field)?;
                    continue;
                }
                of = types.part(resolved, 0)?;
            }
            let size = Polynomial::from(BigInt::from(layout.size(types, of)?));
            address = &address + &number.times(&size)?;
        }
        Some(address)
    }

    /// Whether a form is one atom of which nothing is known.
    pub fn is_opaque(&self, of: &Polynomial) -> bool {
        let atoms = of.atoms();
        atoms.len() == 1 && matches!(self.atoms.get(atoms[0]), Atom::Opaque(_))
    }

    /// Whether the atom that stands for a value of which nothing is known is in a form.
    pub fn mentions_opaque_of(&mut self, form: &Polynomial, value: ValueId) -> bool {
        let value = self.same(value);
        [Reading::Signed, Reading::Unsigned].into_iter().any(|reading| {
            let own = self.opaque(value, reading);
            own.atoms().into_iter().any(|atom| self.atoms.involves(form, atom))
        })
    }

    /// Whether something of which nothing is known is in a form.
    pub fn mentions_opaque(&self, of: &Polynomial) -> bool {
        of.atoms().into_iter().any(|atom| match self.atoms.get(atom) {
            Atom::Opaque(_) => true,
            Atom::Floor(inner, _)
            | Atom::Modulo(inner, _)
            | Atom::Least(inner)
            | Atom::Load { address: inner, .. } => self.mentions_opaque(inner),
            Atom::Symbol(_) | Atom::Induction(..) => false,
        })
    }

    /// Whether a form is proved not to be negative in a block.
    pub(super) fn is_not_negative(&mut self, block: BlockId, of: &Polynomial) -> bool {
        let facts = self.facts_at(block);
        Prover::new(&self.atoms, &facts).is_not_negative(of)
    }

    /// Whether a form is proved to be a number of so many bits in a block.
    fn is_within(&mut self, block: BlockId, of: &Polynomial, bits: u32, reading: Reading) -> bool {
        let (least, most) = limits(bits, reading);
        let facts = self.facts_at(block);
        let prover = Prover::new(&self.atoms, &facts);
        prover.is_not_negative(&(of - &least)) && prover.is_not_negative(&(&most - of))
    }
}

/// The least and greatest number of so many bits.
pub(crate) fn limits(bits: u32, reading: Reading) -> (Polynomial, Polynomial) {
    let (low, high): (BigInt, BigInt) = match reading {
        Reading::Signed => {
            let half = BigInt::one() << bits.saturating_sub(1);
            (-half.clone(), half - 1)
        }
        Reading::Unsigned => (BigInt::from(0), (BigInt::one() << bits) - 1),
    };
    (low.into(), high.into())
}
