//! A claim beside what was seen in an invocation.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::claims::{self, Claim, Claims, Kind, Origin, Terms};
use super::instrument::Numbers;
use super::reasons::Unknown;
use super::run::{Invocation, Log, Noted, Seen};
use super::{Failure, Verdict};
use crate::ir::{Function, Module, Type, ValueId};
use crate::recurrence::Reading;
use crate::symbolic::{AtomId, Bound, Range, Side};

/// What symbols are in an invocation.
pub(super) struct Values<'a> {
    pub module: &'a Module,
    pub function: &'a Function,
    pub claims: &'a Claims,
    pub numbers: &'a Numbers,
    pub log: &'a Log,
    pub invocation: &'a Invocation,
}

impl Values<'_> {
    /// How a claim compares with what was seen in the invocation.
    pub fn verdict(&self, claim: &Claim, seen: &Seen) -> Result<Verdict, Failure> {
        if seen.announced == 0 {
            return Ok(Verdict::NotRun);
        }
        if seen.seen == 0 {
            return Ok(Verdict::NotSeen);
        }
        let is_matched = seen.seen == seen.announced
            && claim.bytes == Some(seen.bytes)
            && seen.is_store == (claim.kind == Kind::Store);
        if !is_matched {
            let Claim { place, kind, bytes, .. } = claim.clone();
            return Err(Failure::Mismatch { place, kind, bytes });
        }
        let section = match &claim.section {
            Ok(section) => section,
            Err(unknown) => return Ok(Verdict::Unknown(*unknown)),
        };
        let terms = self.claims.terms(claim);
        let outside = if claim.is_assumed { Verdict::Refuted } else { Verdict::Uncovered };
        let Range::Between(lower, upper) = section else { return Ok(outside) };
        if claims::leaves(&terms.atoms, section).into_iter().any(|atom| self.is_several(terms, atom)) {
            return Ok(outside);
        }
        let (Some(lower), Some(upper)) =
            (self.end(terms, lower, Side::Lower), self.end(terms, upper, Side::Upper))
        else {
            return Ok(Verdict::Unknown(claim.depends.unwrap_or(Unknown::Operation)));
        };
        let (least, most) =
            (BigRational::from(BigInt::from(seen.least)), BigRational::from(BigInt::from(seen.most)));
        let is_outside =
            lower.as_ref().is_some_and(|end| least < *end) || upper.as_ref().is_some_and(|end| most > *end);
        Ok(if is_outside {
            outside
        } else if let Some(unknown) = claim.depends {
            Verdict::Unknown(unknown)
        } else if lower == Some(least) && upper == Some(most) {
            Verdict::Equal
        } else {
            Verdict::Wider(claim.excess)
        })
    }

    /// The number that an end of a section is: the greatest of the least members of its clauses, or the mirror image; `Some(None)`
    /// where there is no end, and `None` where something in it was not noted.
    fn end(&self, terms: &Terms, of: &Bound, side: Side) -> Option<Option<BigRational>> {
        let mut ends = Vec::new();
        for clause in of.clauses() {
            let members = clause.iter().map(|end| terms.atoms.value(end, &|atom| self.number(terms, atom)));
            let members = members.collect::<Option<Vec<_>>>()?;
            ends.extend(match side {
                Side::Lower => members.into_iter().min(),
                Side::Upper => members.into_iter().max(),
            });
        }
        Some(match side {
            Side::Lower => ends.into_iter().max(),
            Side::Upper => ends.into_iter().min(),
        })
    }

    fn origin<'t>(&self, terms: &'t Terms, atom: AtomId) -> Option<&'t Origin> {
        terms.origins.iter().find(|origin| origin.0 == atom).map(|(_, origin)| origin)
    }

    /// Whether an atom had several values in the invocation: then no section can be made of it.
    fn is_several(&self, terms: &Terms, atom: AtomId) -> bool {
        let Some(Origin::Values(values, _)) = self.origin(terms, atom) else { return false };
        let noted: Vec<Noted> = values.iter().filter_map(|value| self.noted(*value)).collect();
        noted.iter().any(|of| of.changed || Some(of.bits) != noted.first().map(|first| first.bits))
    }

    /// The number that an atom is; `None` if it was not noted.
    fn number(&self, terms: &Terms, atom: AtomId) -> Option<BigRational> {
        let number: BigInt = match self.origin(terms, atom)? {
            Origin::Address(name) => {
                let place = self.numbers.globals.iter().position(|global| global == name)?;
                self.log.globals.iter().find(|global| global.0 == place as u64)?.1.into()
            }
            Origin::Values(values, reading) => values.iter().find_map(|value| self.read(*value, *reading))?,
        };
        Some(number.into())
    }

    fn noted(&self, value: ValueId) -> Option<Noted> {
        let place = self.numbers.values.get(self.invocation.function)?.binary_search(&value).ok()?;
        *self.invocation.values.get(place)?
    }

    fn read(&self, value: ValueId, reading: Reading) -> Option<BigInt> {
        let noted = self.noted(value)?;
        let bits = match self.module.types.get(self.function.value(value).of) {
            Type::Integer(bits) => *bits,
            _ => 64,
        };
        let unused = 64_u32.checked_sub(bits)?;
        Some(match reading {
            Reading::Unsigned => noted.bits.into(),
            Reading::Signed => (((noted.bits << unused) as i64) >> unused).into(),
        })
    }
}
