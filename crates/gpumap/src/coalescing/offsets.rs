//! Where an access goes: for each pointer and each way to its index, the offset as a polynomial.

use std::fmt;

use crate::access::{Access, Unknown};
use crate::control::LoopId;
use crate::ir::BlockId;
use crate::memory::{Bases, Object};
use crate::recurrence::{Forms, Reading};
use crate::symbolic::{Atom, AtomId, Polynomial};

/// One of the places that an access may go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The object.
    pub object: Object,
    /// What it is called in the source.
    pub name: String,
    /// The address at which it starts.
    pub base: Polynomial,
    /// Bytes from its start, in terms of inputs and iterations.
    pub offset: Polynomial,
}

/// The places that an access may go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ways {
    /// The places.
    pub list: Vec<Way>,
    /// Blocks where the ways to the address meet.
    pub meetings: Vec<BlockId>,
    /// Polynomials whose signs decide between ways.
    pub deciding: Vec<Polynomial>,
}

/// Why the units of an access have no expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Irregular {
    /// Where it goes is not known.
    Unknown(Unknown),
    /// It may go to too many places.
    Ways,
    /// Its type has no size, or one that no lane accesses at once.
    Size,
    /// Lanes differ by what has no rule: a content of memory, or a value without a closed form.
    Gathered(String),
    /// Offsets do not advance by a constant; with numbers, lanes are enumerated.
    NotLinear(String),
    /// The block is no multiple of 32 wide, so that strides have to be numbers.
    NarrowBlock,
    /// The expression is too large.
    Large,
}

impl fmt::Display for Irregular {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Irregular::Unknown(unknown) => write!(to, "{unknown}"),
            Irregular::Ways => to.write_str("goes to too many places"),
            Irregular::Size => to.write_str("of a type whose size no lane accesses at once"),
            Irregular::Gathered(name) => write!(to, "lanes of {name} differ by values without a rule"),
            Irregular::NotLinear(name) => {
                write!(to, "offsets in {name} are not linear in the lane: numbers for the inputs are needed")
            }
            Irregular::NarrowBlock => {
                to.write_str("warps cross rows of a block that is no multiple of 32 wide: numbers for the inputs are needed")
            }
            Irregular::Large => to.write_str("the expression is too large"),
        }
    }
}

/// Where an access may go, by all ways to its address.
pub fn ways(forms: &mut Forms<'_>, access: &Access) -> Result<Ways, Irregular> {
    if let Err(Unknown::Obstacle(obstacle)) = access.section {
        return Err(Irregular::Unknown(Unknown::Obstacle(obstacle)));
    }
    let anywhere = Irregular::Unknown(Unknown::Anywhere);
    let Bases::Among(objects) = &access.of else { return Err(anywhere) };
    let form = forms.of(access.address, Reading::Unsigned).ok_or_else(|| anywhere.clone())?;
    let found = forms.ways(&form).ok_or(Irregular::Ways)?;
    let mut list = Vec::new();
    for form in found.forms {
        let way = objects.iter().find_map(|&object| within(forms, object, &form));
        let way = way.ok_or_else(|| match objects.as_slice() {
            &[one] => Irregular::Unknown(Unknown::Address(name(forms, one))),
            _ => Irregular::Unknown(Unknown::Several(objects.iter().map(|&of| name(forms, of)).collect())),
        })?;
        list.push(way);
    }
    if list.is_empty() {
        Err(anywhere)
    } else {
        Ok(Ways { list, meetings: found.meetings, deciding: found.deciding })
    }
}

/// An address as an offset from the start of an object, if it is one: the start stands in it once and nowhere else.
fn within(forms: &mut Forms<'_>, object: Object, address: &Polynomial) -> Option<Way> {
    let start = forms.start_of(object)?;
    let offset = address - &start;
    let is_free = start.atoms().iter().all(|&atom| !forms.atoms.involves(&offset, atom));
    let name = name(forms, object);
    (is_free && !start.atoms().is_empty()).then_some(Way { object, name, base: start, offset })
}

fn name(forms: &Forms<'_>, object: Object) -> String {
    forms.memory().map_or_else(String::new, |memory| memory.names().object(object))
}

/// Whether a form changes with a loop by its iteration alone, and not by contents of memory or values without a closed form.
pub(crate) fn has_rule(forms: &Forms<'_>, of: &Polynomial, id: LoopId) -> bool {
    let is_iteration =
        |leaf: AtomId| matches!(forms.atoms.get(leaf), Atom::Induction(number, _) if *number == id.index());
    forms.atoms.leaves(of).into_iter().all(|leaf| is_iteration(leaf) || forms.is_uniform(&leaf.into(), id))
}
