//! Updates of a value by itself, and integer combinations of names.

use profile::lens::{Affine, Operator, Update};

use super::super::written::{Binary, Expression, Term};
use super::{Walker, known};

/// What an assignment updates its target by, and which comparison decided.
struct Comparison<'e> {
    operator: Operator,
    operand: &'e Expression,
    comparison: &'static str,
}

impl Walker<'_> {
    /// How `target = value` updates the target, if it does.
    pub(super) fn update(&mut self, target: &Expression, value: &Expression) -> Option<Update> {
        let name = self.tight(target);
        match &value.what {
            Term::Chain { first, rest } => {
                let (first, rest) = flattened(first, rest);
                self.chain_update(&name, &first, &rest, value)
            }
            // What is cut in every iteration is not what is cut at the end, but for single bits.
            Term::Cast { to, of } => {
                let update = self.update(target, of)?;
                let is_bits = matches!(update.operator, Operator::And | Operator::Or | Operator::Xor);
                let own = self.root(target).map(|variable| self.trace.variables[variable].type_text.as_str());
                let is_own = own.is_some_and(|own| {
                    own.split_whitespace().filter(|word| !is_qualifier(word)).collect::<String>() == *to
                });
                (is_bits || is_own).then_some(update)
            }
            Term::Call { callee, arguments } => self.call_update(&name, callee, arguments),
            Term::Choice { condition, then, otherwise } => {
                let found = self.chosen(&name, condition, then, otherwise);
                found
                    .map(|found| self.plain(&name, found.operator, found.operand, Some(found.comparison)))
                    .or_else(|| self.either_update(target, (condition, then, otherwise)))
            }
            _ => None,
        }
    }

    /// `s = c ? s + e : s`, and `s = c ? s + e : s - f`: the same as the update under the condition.
    fn either_update(
        &mut self,
        target: &Expression,
        (condition, then, otherwise): (&Expression, &Expression, &Expression),
    ) -> Option<Update> {
        let name = self.tight(target);
        if self.mentions(condition, &name) {
            return None;
        }
        match [then, otherwise].map(|arm| self.tight(arm) == name) {
            [true, true] => None,
            [false, true] => self.update(target, then),
            [true, false] => self.update(target, otherwise),
            [false, false] => {
                let (first, second) = (self.update(target, then)?, self.update(target, otherwise)?);
                let is_sum = |update: &Update| matches!(update.operator, Operator::Add | Operator::Subtract);
                let is_extremum = first.comparison.is_some() || second.comparison.is_some();
                let is_same = first.operator == second.operator && !is_extremum;
                (is_same || is_sum(&first) && is_sum(&second)).then(|| Update {
                    operator: if is_same { first.operator } else { Operator::Add },
                    operand: format!("{}, {}", first.operand, second.operand),
                    operand_reads_itself: first.operand_reads_itself || second.operand_reads_itself,
                    ..first
                })
            }
        }
    }

    /// An update of an element whose result is converted to another type: no operator that is known.
    pub(super) fn cut(&mut self, target: &Expression, value: &Expression) -> Option<Update> {
        let Term::Cast { of, .. } = &value.what else { return None };
        let is_element = super::evaluate::subscripted(target).is_some();
        let update = self.update(target, of).filter(|_| is_element)?;
        Some(Update { operator: Operator::Other, ..update })
    }

    /// `if (condition) target = value;` as a minimum or maximum: one of some conditions that all have to hold compares the two, and the
    /// others do not ask for the target.
    pub(super) fn guarded_update(
        &self,
        condition: &Expression,
        target: &Expression,
        value: &Expression,
    ) -> Option<Update> {
        let (name, new) = (self.tight(target), self.tight(value));
        let parts = all_of(condition).into_iter();
        let deciding: Vec<_> = parts.filter(|part| self.mentions(part, &name)).collect();
        let [deciding] = &deciding[..] else { return None };
        let (left, comparison, right) = compared(deciding)?;
        let comparison = if self.tight(right) == name && self.tight(left) == new {
            comparison
        } else if self.tight(left) == name && self.tight(right) == new {
            comparison.mirrored()
        } else {
            return None;
        };
        let operator = extremum(comparison)?;
        Some(self.plain(&name, operator, value, comparison.comparison()))
    }

    fn plain(
        &self,
        name: &str,
        operator: Operator,
        operand: &Expression,
        comparison: Option<&'static str>,
    ) -> Update {
        Update {
            operator,
            operand: self.text.range(&operand.text),
            operand_reads_itself: self.mentions(operand, name),
            companions: Vec::new(),
            comparison: comparison.map(str::to_owned),
        }
    }

    /// Whether an expression, or a part of it, is written like `name`.
    pub(super) fn mentions(&self, of: &Expression, name: &str) -> bool {
        let is_itself = matches!(
            of.what,
            Term::Name(_) | Term::Member { .. } | Term::Index { .. } | Term::Dereference(_)
        ) && self.tight(of) == name;
        is_itself || of.parts().into_iter().any(|part| self.mentions(part, name))
    }

    fn chain_update(
        &self,
        name: &str,
        first: &Expression,
        rest: &[(Binary, Expression)],
        whole: &Expression,
    ) -> Option<Update> {
        let operand = |index: usize| match index {
            0 => first,
            _ => &rest[index - 1].1,
        };
        let own = (0..=rest.len()).find(|&index| self.tight(operand(index)) == name)?;
        let operators: Option<Vec<Operator>> = rest
            .iter()
            .map(|(operator, _)| match operator {
                Binary::Update(operator) => Some(*operator),
                _ => None,
            })
            .collect();
        let operators = operators?;
        let (before, after) = operators.split_at(own);
        let joins = before.last().or(after.first()).copied()?;
        let is_sum = |operator: &Operator| matches!(operator, Operator::Add | Operator::Subtract);
        let operator = match joins {
            Operator::Subtract if own > 0 => {
                return (after.is_empty()).then(|| Update {
                    operator: Operator::SubtractFrom,
                    operand: self.text.range(&(whole.text.start..operand(own - 1).text.end)),
                    operand_reads_itself: (0..own).any(|index| self.mentions(operand(index), name)),
                    companions: Vec::new(),
                    comparison: None,
                });
            }
            Operator::Add | Operator::Subtract if after.iter().all(is_sum) => {
                if own == 0 && after.len() == 1 { joins } else { Operator::Add }
            }
            Operator::Divide | Operator::Remainder | Operator::ShiftLeft | Operator::ShiftRight
                if own == 0 && after.len() == 1 =>
            {
                joins
            }
            Operator::Add | Operator::Subtract | Operator::Divide | Operator::Remainder => return None,
            Operator::ShiftLeft | Operator::ShiftRight | Operator::Other => return None,
            other => {
                // `a + s * b` is nested otherwise, so what stands before is one operand; what stands after must agree.
                let is_same = |operator: &Operator| *operator == other;
                if !after.iter().all(is_same) {
                    return None;
                }
                other
            }
        };
        let mut texts = Vec::new();
        if own > 0 {
            texts.push(self.text.range(&(whole.text.start..operand(own - 1).text.end)));
        }
        if own < rest.len() {
            let is_single = own == 0 && after.len() == 1;
            let from = if is_single { operand(own + 1).text.start } else { operand(own).text.end };
            let text = self.text.range(&(from..whole.text.end));
            let first_sign = after.first() == Some(&Operator::Subtract);
            let text = if own == 0 && !is_single && !first_sign {
                self.text.range(&(operand(1).text.start..whole.text.end))
            } else {
                text
            };
            texts.push(text);
        }
        let others = (0..=rest.len()).filter(|&index| index != own);
        Some(Update {
            operator,
            operand: texts.join(" "),
            operand_reads_itself: others.into_iter().any(|index| self.mentions(operand(index), name)),
            companions: Vec::new(),
            comparison: None,
        })
    }

    fn call_update(&self, name: &str, callee: &Expression, arguments: &[Expression]) -> Option<Update> {
        let (function, object) = match &callee.what {
            Term::Name(function) => (function.as_str(), None),
            Term::Member { base, field, .. } => (field.as_str(), Some(&**base)),
            _ => return None,
        };
        let function = function.rsplit("::").next().unwrap_or(function);
        let operands: Vec<&Expression> = object.into_iter().chain(arguments).collect();
        let is_own = |operand: &&Expression| self.tight(operand) == name;
        if known::is_multiply_add(function) {
            let [factor, other, addend] = operands.as_slice() else { return None };
            if !is_own(addend) {
                return None;
            }
            let product = format!("{} * {}", self.text.range(&factor.text), self.text.range(&other.text));
            return Some(Update {
                operator: Operator::Add,
                operand: product,
                operand_reads_itself: self.mentions(factor, name) || self.mentions(other, name),
                companions: Vec::new(),
                comparison: None,
            });
        }
        let operator = known::operator(function)?;
        // Methods that are no methods of numbers are other functions: `a.max(b)` of two operands alone.
        if operands.iter().filter(|operand| is_own(operand)).count() != 1 || operands.len() < 2 {
            return None;
        }
        let others: Vec<_> = operands.iter().filter(|operand| !is_own(operand)).collect();
        Some(Update {
            operator,
            operand: others.iter().map(|o| self.text.range(&o.text)).collect::<Vec<_>>().join(", "),
            operand_reads_itself: others.iter().any(|operand| self.mentions(operand, name)),
            companions: Vec::new(),
            comparison: None,
        })
    }

    fn chosen<'e>(
        &self,
        name: &str,
        condition: &Expression,
        then: &'e Expression,
        otherwise: &'e Expression,
    ) -> Option<Comparison<'e>> {
        let (left, comparison, right) = compared(condition)?;
        let (new, replaces) = match (self.tight(then) == name, self.tight(otherwise) == name) {
            (false, true) => (then, true),
            (true, false) => (otherwise, false),
            _ => return None,
        };
        let new_text = self.tight(new);
        let comparison = if self.tight(left) == new_text && self.tight(right) == name {
            comparison
        } else if self.tight(left) == name && self.tight(right) == new_text {
            comparison.mirrored()
        } else {
            return None;
        };
        let comparison = if replaces { comparison } else { negated(comparison)? };
        Some(Comparison {
            operator: extremum(comparison)?,
            operand: new,
            comparison: comparison.comparison()?,
        })
    }
}

fn is_qualifier(word: &str) -> bool {
    matches!(word, "const" | "static" | "register" | "auto" | "extern" | "*")
}

/// Most operands of a chain that is made of others.
const MOST_OPERANDS: usize = 256;

/// A sum in which sums stand in parentheses as one sum, and the same for products.
fn flattened(first: &Expression, rest: &[(Binary, Expression)]) -> (Expression, Vec<(Binary, Expression)>) {
    let (add, subtract) = (Binary::Update(Operator::Add), Binary::Update(Operator::Subtract));
    let multiply = Binary::Update(Operator::Multiply);
    let is_of = |operator: Binary, product: bool| match product {
        true => operator == multiply,
        false => operator == add || operator == subtract,
    };
    let product = rest.first().is_some_and(|(operator, _)| *operator == multiply);
    let inner = |of: &Expression| match &of.what {
        Term::Chain { first, rest } if rest.iter().all(|(operator, _)| is_of(*operator, product)) => {
            Some(((**first).clone(), rest.clone()))
        }
        _ => None,
    };
    let (mut head, mut out) = (first.clone(), Vec::new());
    if !rest.iter().all(|(operator, _)| is_of(*operator, product)) {
        return (head, rest.to_vec());
    }
    while let Some((first, mut more)) = inner(&head).filter(|(_, more)| more.len() < MOST_OPERANDS) {
        more.append(&mut out);
        (head, out) = (first, more);
    }
    for (operator, operand) in rest {
        match inner(operand).filter(|_| *operator != subtract) {
            Some((first, more)) => {
                out.push((*operator, first));
                out.extend(more);
            }
            None => out.push((*operator, operand.clone())),
        }
    }
    (head, out)
}

/// `a < b` and the like, `!(a >= b)` too; parentheses and blocks of one expression are looked through.
fn compared(of: &Expression) -> Option<(&Expression, Binary, &Expression)> {
    let (first, rest) = match &of.what {
        Term::Not(of) => {
            let (first, comparison, second) = compared(of)?;
            return Some((first, negated(comparison)?, second));
        }
        Term::Chain { first, rest } => (first, rest),
        _ => return None,
    };
    match rest.as_slice() {
        [(operator, second)] if operator.comparison().is_some() => Some((first, *operator, second)),
        _ => None,
    }
}

/// The conditions that have to hold for `a && b && c` to do so, or for `!(a || b || c)`. (`a < 1 && b` is one chain.)
fn all_of(of: &Expression) -> Vec<Expression> {
    if let Term::Not(inner) = &of.what {
        let parts = joined(inner, Operator::LogicalOr).into_iter();
        return parts.map(|part| not(&part)).collect();
    }
    joined(of, Operator::LogicalAnd)
}

/// The negation of a condition.
pub(super) fn not(of: &Expression) -> Expression {
    Expression { what: Term::Not(Box::new(of.clone())), ..of.clone() }
}

/// The operands that `&&`, or `||`, joins on the outside.
fn joined(of: &Expression, operator: Operator) -> Vec<Expression> {
    let is_and = |one: &(Binary, Expression)| one.0 == Binary::Update(operator);
    let Term::Chain { first, rest } = &of.what else { return vec![of.clone()] };
    let from = rest.iter().position(is_and).unwrap_or(rest.len());
    if from == rest.len() || !rest[from..].iter().all(is_and) {
        return vec![of.clone()];
    }
    let head = match from {
        0 => (**first).clone(),
        _ => Expression {
            what: Term::Chain { first: first.clone(), rest: rest[..from].to_vec() },
            ..(**first).clone()
        },
    };
    std::iter::once(head).chain(rest[from..].iter().map(|(_, part)| part.clone())).collect()
}

fn negated(comparison: Binary) -> Option<Binary> {
    Some(match comparison {
        Binary::Less => Binary::GreaterEqual,
        Binary::LessEqual => Binary::Greater,
        Binary::Greater => Binary::LessEqual,
        Binary::GreaterEqual => Binary::Less,
        _ => return None,
    })
}

/// What replacing the old value where `new <comparison> old` holds computes.
fn extremum(comparison: Binary) -> Option<Operator> {
    match comparison {
        Binary::Less | Binary::LessEqual => Some(Operator::Minimum),
        Binary::Greater | Binary::GreaterEqual => Some(Operator::Maximum),
        _ => None,
    }
}

/// An expression as an integer combination of names, if it is one. `spell` writes names that are more than one word.
pub(in super::super) fn affine(of: &Expression, spell: &dyn Fn(&Expression) -> String) -> Option<Affine> {
    let mut out = match &of.what {
        Term::Integer(value) => Affine { terms: Vec::new(), constant: *value },
        Term::Name(name) => Affine { terms: vec![(name.clone(), 1)], constant: 0 },
        Term::Member { .. } => Affine { terms: vec![(spell(of), 1)], constant: 0 },
        Term::Negative(inner) => scaled(affine(inner, spell)?, -1)?,
        Term::Cast { of, .. } => affine(of, spell)?,
        Term::Chain { first, rest } => {
            let mut sum = affine(first, spell)?;
            for (operator, operand) in rest {
                let operand = affine(operand, spell)?;
                let Binary::Update(operator) = operator else { return None };
                sum = match operator {
                    Operator::Add => added(sum, operand)?,
                    Operator::Subtract => added(sum, scaled(operand, -1)?)?,
                    Operator::Multiply if operand.terms.is_empty() => scaled(sum, operand.constant)?,
                    Operator::Multiply if sum.terms.is_empty() => scaled(operand, sum.constant)?,
                    Operator::ShiftLeft
                        if operand.terms.is_empty() && (0..62).contains(&operand.constant) =>
                    {
                        scaled(sum, 1_i64 << operand.constant)?
                    }
                    _ => return None,
                };
            }
            sum
        }
        _ => return None,
    };
    out.terms.retain(|term| term.1 != 0);
    Some(out)
}

fn scaled(mut of: Affine, by: i64) -> Option<Affine> {
    for term in &mut of.terms {
        term.1 = term.1.checked_mul(by)?;
    }
    of.constant = of.constant.checked_mul(by)?;
    Some(of)
}

fn added(mut to: Affine, other: Affine) -> Option<Affine> {
    for (name, coefficient) in other.terms {
        match to.terms.binary_search_by(|term| term.0.cmp(&name)) {
            Ok(at) => to.terms[at].1 = to.terms[at].1.checked_add(coefficient)?,
            Err(at) => to.terms.insert(at, (name, coefficient)),
        }
    }
    to.constant = to.constant.checked_add(other.constant)?;
    Some(to)
}
