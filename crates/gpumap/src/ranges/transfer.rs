//! What instructions make of ranges.

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::refine::node;
use super::{Found, Node, Ranges};
use crate::ir::instruction::{BinaryOperator, Conversion, Flags};
use crate::ir::{BlockId, Choice, Instruction, Module, Operand, Operation, Type, TypeId};
use crate::recurrence::Reading;
use crate::recurrence::operators::limits;
use crate::symbolic::{Bound, Polynomial, Range};

/// Types of at most so many bits bound their values.
pub const NARROW: u32 = 16;

impl Ranges<'_, '_> {
    /// The nodes that a node's range is computed from.
    pub(super) fn operands(&mut self, (value, reading): Node) -> Vec<Node> {
        let Some((block, instruction)) = self.forms.definition(value) else { return Vec::new() };
        let mut list = Vec::new();
        for (operand, reading, from) in used(self.forms.module, instruction, reading) {
            let place = (from.unwrap_or(block), from.map(|_| block));
            list.extend(node(operand, reading));
            list.extend(self.compared_with(operand, reading, &[place]));
        }
        list.retain(|(value, _)| self.forms.bits(self.forms.function.value(*value).of).is_some());
        list
    }

    /// The range that follows from the operands.
    pub(super) fn computed(&mut self, (value, reading): Node, found: &Found) -> Range {
        let Some((block, instruction)) = self.forms.definition(value) else { return Range::all() };
        let of = self.forms.function.value(value).of;
        let mut ranges = Vec::new();
        for (operand, reading, from) in used(self.forms.module, instruction, reading) {
            let to = from.map(|_| block);
            ranges.push(self.refined(operand, reading, from.unwrap_or(block), to, found));
        }
        if matches!(instruction.operation, Operation::Phi(_)) {
            let all = ranges.iter().fold(Range::Unreached, |all, range| all.union(range));
            return self.with_facts(block, |arithmetic| arithmetic.pruned(&all));
        }
        // Until operands are looked at.
        if ranges.contains(&Range::Unreached) {
            return Range::Unreached;
        }
        let exact = self.exact(block, instruction, reading, &ranges);
        exact.unwrap_or_else(|| self.limited(of, reading))
    }

    /// The values of a type, if it is narrow.
    fn limited(&self, of: TypeId, reading: Reading) -> Range {
        match self.forms.bits(of) {
            Some(bits) if bits <= NARROW => {
                let (least, most) = limits(bits, reading);
                Range::between(least, most)
            }
            _ => Range::all(),
        }
    }

    fn exact(
        &mut self,
        block: BlockId,
        instruction: &Instruction,
        reading: Reading,
        ranges: &[Range],
    ) -> Option<Range> {
        match (&instruction.operation, ranges) {
            (Operation::Binary(operator, flags, left, right), [x, y]) => {
                let second = self.forms.of(*right, reading).and_then(|form| form.integer());
                self.binary(block, (*operator, *flags), (x, y), (self.forms.bits(left.of)?, second), reading)
            }
            (Operation::Convert(conversion, flags, _), [x, other]) => {
                let to = self.forms.function.value(instruction.result?).of;
                self.converted(block, (*conversion, *flags), (x, other), self.forms.bits(to)?, reading)
            }
            (Operation::Freeze(_), [x]) => Some(x.clone()),
            (Operation::Call { .. }, _) => {
                let choice = self.forms.module.choice(&instruction.operation)?;
                self.chosen(block, choice, ranges, reading)
            }
            (Operation::Element { source, indices, inbounds: true, .. }, [base, steps @ ..]) => {
                self.element(block, *source, indices, base, steps)
            }
            _ => None,
        }
    }

    fn binary(
        &mut self,
        block: BlockId,
        (operator, flags): (BinaryOperator, Flags),
        (x, y): (&Range, &Range),
        (bits, second): (u32, Option<BigInt>),
        reading: Reading,
    ) -> Option<Range> {
        let keeps = if reading == Reading::Signed { flags.no_signed_wrap } else { flags.no_unsigned_wrap };
        let power = || {
            let shift: u32 = second.clone()?.try_into().ok()?;
            (shift < bits).then(|| Range::from(Polynomial::from(BigInt::one() << shift)))
        };
        let is_signed = reading == Reading::Signed;
        let exact = match operator {
            BinaryOperator::Add => self.with_facts(block, |a| a.pruned(&x.plus(y))),
            BinaryOperator::Subtract => self.with_facts(block, |a| a.pruned(&x.minus(y))),
            BinaryOperator::Multiply => self.with_facts(block, |a| a.times(x, y)),
            BinaryOperator::ShiftLeft => {
                let by = power()?;
                self.with_facts(block, |a| a.times(x, &by))
            }
            BinaryOperator::DivideSigned if is_signed => {
                return Some(self.with_facts(block, |a| a.over(x, y)));
            }
            BinaryOperator::DivideUnsigned if !is_signed => {
                return Some(self.with_facts(block, |a| a.over(x, y)));
            }
            BinaryOperator::RemainderSigned if is_signed => {
                return Some(self.with_facts(block, |a| a.modulo(x, y)));
            }
            BinaryOperator::RemainderUnsigned if !is_signed => {
                return Some(self.with_facts(block, |a| a.modulo(x, y)));
            }
            BinaryOperator::ShiftRightLogical if !is_signed => {
                let by = power()?;
                return Some(self.with_facts(block, |a| a.over(x, &by)));
            }
            BinaryOperator::ShiftRightArithmetic if is_signed => {
                let by = power()?;
                // Rounding down is rounding towards zero where nothing is negative.
                return self.with_facts(block, |a| a.is_not_negative(x).then(|| a.over(x, &by)));
            }
            BinaryOperator::And => {
                let mask = second.filter(|mask| !mask.is_negative())?;
                let masked = Range::between(0, Polynomial::from(mask));
                let upper = match x {
                    Range::Between(_, upper) => Range::Between(Bound::none(), upper.clone()),
                    Range::Unreached => return Some(Range::Unreached),
                };
                return Some(self.with_facts(block, |a| {
                    if a.is_not_negative(x) { a.refined(&masked, &upper) } else { masked }
                }));
            }
            _ => return None,
        };
        (keeps || self.fits(block, &exact, bits, reading)).then_some(exact)
    }

    /// The lesser or greater of two numbers, or the absolute value of one.
    fn chosen(&mut self, block: BlockId, choice: Choice, of: &[Range], reading: Reading) -> Option<Range> {
        let is_read_so = |signed: bool| signed == (reading == Reading::Signed);
        let range = match (choice, of) {
            (Choice::Least { signed, .. }, [Range::Between(a, b), Range::Between(c, d)])
                if is_read_so(signed) =>
            {
                Range::Between(a.or(c), b.and(d))
            }
            (Choice::Greatest { signed, .. }, [Range::Between(a, b), Range::Between(c, d)])
                if is_read_so(signed) =>
            {
                Range::Between(a.and(c), b.or(d))
            }
            (Choice::Size(_), [x @ Range::Between(least, most)]) => {
                let Range::Between(of_most, of_least) = x.negated() else { return None };
                let zero = Bound::from(Polynomial::default());
                Range::Between(least.and(&of_most).and(&zero), most.or(&of_least))
            }
            _ => return None,
        };
        Some(self.with_facts(block, |arithmetic| arithmetic.pruned(&range)))
    }

    /// Whether all values of a range are numbers of so many bits.
    fn fits(&mut self, block: BlockId, range: &Range, bits: u32, reading: Reading) -> bool {
        let (least, most) = limits(bits, reading);
        self.with_facts(block, |arithmetic| {
            arithmetic.is_not_negative(&range.minus(&least.into()))
                && arithmetic.is_not_negative(&Range::from(most).minus(range))
        })
    }

    /// A conversion of what lies in one range signed, in the other one unsigned.
    fn converted(
        &mut self,
        block: BlockId,
        (conversion, flags): (Conversion, Flags),
        (signed, unsigned): (&Range, &Range),
        to_bits: u32,
        reading: Reading,
    ) -> Option<Range> {
        let is_not_negative = |ranges: &mut Self| ranges.with_facts(block, |a| a.is_not_negative(signed));
        let own = if reading == Reading::Signed { signed } else { unsigned };
        match conversion {
            Conversion::ExtendSign => {
                (reading == Reading::Signed || is_not_negative(self)).then(|| signed.clone())
            }
            Conversion::ExtendZero if flags.not_negative || is_not_negative(self) => {
                Some(self.with_facts(block, |a| a.refined(signed, unsigned)))
            }
            Conversion::ExtendZero => Some(unsigned.clone()),
            Conversion::Truncate => self.fits(block, own, to_bits, reading).then(|| own.clone()),
            Conversion::PointerToInteger | Conversion::IntegerToPointer if reading == Reading::Unsigned => {
                (to_bits == 64).then(|| unsigned.clone())
            }
            _ => None,
        }
    }

    /// The address of a part.
    fn element(
        &mut self,
        block: BlockId,
        source: TypeId,
        indices: &[Operand],
        base: &Range,
        steps: &[Range],
    ) -> Option<Range> {
        let (types, layout) = (&self.forms.module.types, &self.forms.module.layout);
        let (mut address, mut of) = (base.clone(), source);
        for (place, (&index, range)) in indices.iter().zip(steps).enumerate() {
            if place > 0 {
                let resolved = types.resolved(of)?;
                if let Type::Structure { .. } = types.get(resolved) {
                    let field = u64::try_from(self.forms.module.integer(index)?).ok()?;
                    let offset = layout.field(types, resolved, usize::try_from(field).ok()?)?;
                    address = address.plus(&Polynomial::from(BigInt::from(offset)).into());
                    of = types.part(resolved, field)?;
                    continue;
                }
                of = types.part(resolved, 0)?;
            }
            let size = Range::from(Polynomial::from(BigInt::from(layout.size(types, of)?)));
            address = self.with_facts(block, |arithmetic| address.plus(&arithmetic.times(range, &size)));
        }
        Some(address)
    }
}

/// What an instruction uses: operands, the reading that counts, and the block from which a φ has it. Conversions use both readings.
pub(crate) fn used(
    module: &Module,
    instruction: &Instruction,
    reading: Reading,
) -> Vec<(Operand, Reading, Option<BlockId>)> {
    match &instruction.operation {
        Operation::Binary(_, _, left, right) => vec![(*left, reading, None), (*right, reading, None)],
        Operation::Convert(_, _, of) => vec![(*of, Reading::Signed, None), (*of, Reading::Unsigned, None)],
        Operation::Freeze(of) => vec![(*of, reading, None)],
        Operation::Element { base, indices, .. } => {
            let steps = indices.iter().map(|&index| (index, Reading::Signed, None));
            std::iter::once((*base, Reading::Unsigned, None)).chain(steps).collect()
        }
        Operation::Phi(inputs) => inputs.iter().map(|&(of, from)| (of, reading, Some(from))).collect(),
        call @ Operation::Call { .. } => match module.choice(call) {
            Some(Choice::Size(of)) => vec![(of, Reading::Signed, None)],
            Some(choice) => choice.operands().into_iter().map(|of| (of, reading, None)).collect(),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}
