//! The accesses of a function with their sections.

use crate::control::obstacles::obstacles;
use crate::control::{Control, LoopId, Obstacle};
use crate::ir::instruction::Callee;
use crate::ir::{BlockId, Function, Instruction, MetadataId, Module, Operand, Operation};
use crate::memory::effects::Summaries;
use crate::memory::{Bases, Memory, Object, library};
use crate::ranges::{self, Fact, Usage};
use crate::recurrence::forms::Premises;
use crate::recurrence::{Forms, Given, Reading};
use crate::symbolic::range::Arithmetic;
use crate::symbolic::{Atom, Atoms, Bound, Polynomial, Range};

use super::Known;

/// Where an access goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The object.
    pub object: Object,
    /// What it is called in the source.
    pub name: String,
    /// Bytes from its start to the start of the access, all that there are.
    pub starts: Range,
}

/// Why the section of an access is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// It is in a loop that is not analysed.
    Obstacle(Obstacle),
    /// The address may lie in any object.
    Anywhere,
    /// The address may lie in one of several objects: their names.
    Several(Vec<String>),
    /// The address is not the object's start and a number of bytes: the object's name.
    Address(String),
    /// Nothing bounds the offset: the object's name.
    Unbounded(String),
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unknown::Obstacle(obstacle) => write!(to, "in a loop that is not analysed: {obstacle}"),
            Unknown::Anywhere => to.write_str("anywhere"),
            Unknown::Several(names) => write!(to, "somewhere in {}", names.join(" or ")),
            Unknown::Address(name) => write!(to, "somewhere in {name}: the address has no closed form"),
            Unknown::Unbounded(name) => write!(to, "somewhere in {name}: nothing bounds the offset"),
        }
    }
}

/// An access.
#[derive(Debug, Clone)]
pub struct Access {
    /// Its block.
    pub block: BlockId,
    /// Its place in the block.
    pub place: usize,
    /// Its place in the source.
    pub location: Option<MetadataId>,
    /// Whether it writes.
    pub writes: bool,
    /// How many bytes it touches; `None` for types without a size.
    pub bytes: Option<u64>,
    /// Its address.
    pub address: Operand,
    /// The objects that it may go to.
    pub of: Bases,
    /// Where it goes, or why that is not known.
    pub section: Result<Place, Unknown>,
    /// How that is known.
    pub known: Known,
    /// The assumptions of that, by their numbers.
    pub(super) premises: Premises,
}

/// The accesses of a function.
#[derive(Debug)]
pub struct Accesses<'f> {
    /// All loads and stores, in order.
    pub list: Vec<Access>,
    proved: Forms<'f>,
    assumed: Option<Forms<'f>>,
}

impl<'f> Accesses<'f> {
    /// Those of a function.
    pub fn new(
        module: &'f Module,
        function: &'f Function,
        control: &'f Control,
        summaries: &mut Summaries,
    ) -> Accesses<'f> {
        Accesses::with_values(module, function, control, summaries, &Given::default())
    }

    /// Those of a function with these values for inputs.
    pub fn with_values(
        module: &'f Module,
        function: &'f Function,
        control: &'f Control,
        summaries: &mut Summaries,
        given: &Given,
    ) -> Accesses<'f> {
        let forms = |summaries: &mut Summaries, assuming: bool| {
            let memory = Memory::new(module, function, control, summaries);
            Forms::with_memory(module, function, control, memory, assuming, given.clone())
        };
        let mut proved = forms(summaries, false);
        let mut list = plain(module, function, control);
        for access in &mut list {
            if let Some(memory) = proved.memory() {
                access.of = memory.objects.bases(access.address);
            }
        }
        let mut open: Vec<&mut Access> = list.iter_mut().filter(|access| !access.is_left_out()).collect();
        let found = sections(&mut proved, &open.iter().map(|access| &**access).collect::<Vec<_>>(), None);
        for (access, (section, premises)) in open.iter_mut().zip(found) {
            access.section = section;
            access.known = proved.known(&premises);
            access.premises = premises;
        }
        let assumed = proved.may_assume() && list.iter().any(Access::is_open);
        let assumed = assumed.then(|| {
            let mut forms = forms(summaries, true);
            let mut open: Vec<&mut Access> = list.iter_mut().filter(|access| access.is_open()).collect();
            let found = sections(&mut forms, &open.iter().map(|access| &**access).collect::<Vec<_>>(), None);
            for (access, (section, premises)) in open.iter_mut().zip(found) {
                let known = forms.known(&premises);
                // Without assumptions it would have been found before.
                if known.is_assumed() && section.is_ok() {
                    access.section = section;
                    access.known = known;
                    access.premises = premises;
                }
            }
            forms
        });
        Accesses { list, proved, assumed }
    }

    /// Atoms in which an access is described.
    pub fn atoms(&self, access: &Access) -> &Atoms {
        self.atoms_of(&access.known)
    }

    /// Atoms in which something is described that is known in this way.
    pub fn atoms_of(&self, known: &Known) -> &Atoms {
        self.assumed.as_ref().filter(|_| known.is_assumed()).map_or(&self.proved.atoms, |of| &of.atoms)
    }

    /// Forms under assumptions, if they are asked for and there are any.
    pub(crate) fn forms_mut(&mut self, is_assumed: bool) -> &mut Forms<'f> {
        match &mut self.assumed {
            Some(assumed) if is_assumed => assumed,
            _ => &mut self.proved,
        }
    }

    /// Forms without assumptions, and those under them.
    pub(crate) fn into_forms(self) -> (Forms<'f>, Option<Forms<'f>>) {
        (self.proved, self.assumed)
    }

    /// Forms in whose atoms something is described that is known in this way.
    pub(crate) fn forms_of(&mut self, known: &Known) -> &mut Forms<'f> {
        self.forms_mut(known.is_assumed())
    }

    pub(crate) fn control(&self) -> &'f Control {
        self.proved.control
    }

    /// Where an access goes during one entry of a loop around it, in terms of what the loop does not change.
    pub fn within(&mut self, access: &Access, id: LoopId) -> Result<Place, Unknown> {
        if let Err(Unknown::Obstacle(obstacle)) = access.section {
            return Err(Unknown::Obstacle(obstacle));
        }
        let forms = self.forms_of(&access.known);
        let found = sections(forms, &[access], Some(id)).pop();
        found.map_or(Err(Unknown::Anywhere), |(section, _)| section)
    }

    /// Whether the function was too large for the limits: what is not known may be so for that reason alone.
    pub fn is_truncated(&self) -> bool {
        self.proved.is_truncated() || self.assumed.as_ref().is_some_and(Forms::is_truncated)
    }

    /// Whether the function writes by other means than stores: calls that are not followed, atomic operations.
    pub fn has_other_writes(&self) -> bool {
        let memory = self.proved.memory();
        memory.is_some_and(|memory| memory.writes().iter().any(|write| write.at.is_none()))
    }

    /// What is known with assumptions, if any were needed: the forms in which nests are described (`coalescing`).
    pub fn assumed_mut(&mut self) -> &mut Forms<'f> {
        self.forms_mut(true)
    }

    /// Names of given values that no input has.
    pub fn unknown_names<'g>(&self, given: &'g Given) -> Vec<&'g str> {
        let all = || std::iter::once(&self.proved).chain(&self.assumed).filter_map(Forms::memory);
        given.names().filter(|name| !all().any(|memory| memory.is_given(name))).collect()
    }

    /// What is known without assumptions.
    pub fn proved_mut(&mut self) -> &mut Forms<'f> {
        &mut self.proved
    }
}

impl Access {
    /// The one object that it goes to.
    pub fn object(&self) -> Option<Object> {
        self.of.single()
    }

    /// Whether it is a load or a store, no block that an intrinsic copies or fills.
    pub fn is_single(&self, function: &Function) -> bool {
        let instruction = function.block(self.block).instructions.get(self.place);
        instruction.is_some_and(|of| matches!(of.operation, Operation::Load { .. } | Operation::Store { .. }))
    }

    /// Whether it is in a loop that is not analysed.
    pub fn is_left_out(&self) -> bool {
        matches!(self.section, Err(Unknown::Obstacle(_)))
    }

    /// Whether more could be known of it.
    fn is_open(&self) -> bool {
        !self.is_complete() && !self.is_left_out()
    }

    /// Whether both ends of its section are known.
    pub fn is_complete(&self) -> bool {
        self.section.as_ref().is_ok_and(|place| place.starts.is_bounded())
    }
}

/// Loads and stores, nothing known of where they go.
fn plain(module: &Module, function: &Function, control: &Control) -> Vec<Access> {
    let mut list = Vec::new();
    let obstacle = |(id, _)| Some((id, obstacles(module, function, control, id).first()?.0));
    let left_out: Vec<(LoopId, Obstacle)> = control.loops.iter().filter_map(obstacle).collect();
    for block in function.block_ids().filter(|&block| control.is_reached(block)) {
        let around = left_out.iter().find(|(id, _)| control.loops.contains(*id, block));
        let unknown = around.map_or(Unknown::Anywhere, |(_, obstacle)| Unknown::Obstacle(*obstacle));
        for (place, instruction) in function.block(block).instructions.iter().enumerate() {
            for (writes, address, bytes) in touched(module, function, instruction) {
                list.push(Access {
                    block,
                    place,
                    location: instruction.location,
                    writes,
                    bytes,
                    address,
                    of: Bases::Any,
                    section: Err(unknown.clone()),
                    known: Known::Proved,
                    premises: Premises::new(),
                });
            }
        }
    }
    list
}

/// What an instruction touches: whether it writes, where, and how many bytes if they are always as many.
fn touched(
    module: &Module,
    function: &Function,
    instruction: &Instruction,
) -> Vec<(bool, Operand, Option<u64>)> {
    let stored = |of| module.layout.stored(&module.types, of);
    match &instruction.operation {
        Operation::Load { address, .. } => {
            let of = instruction.result.map(|result| function.value(result).of);
            vec![(false, *address, of.and_then(stored))]
        }
        Operation::Store { address, value, .. } => vec![(true, *address, stored(value.of))],
        // Structures are assigned by these, and arrays filled.
        Operation::Call { callee: Callee::Symbol(symbol), arguments, .. } => {
            let bytes = arguments.get(2).and_then(|&count| u64::try_from(module.integer(count)?).ok());
            let blocks = library::blocks_touched(module, *symbol).iter();
            blocks.filter_map(|&(writes, place)| Some((writes, *arguments.get(place)?, bytes))).collect()
        }
        _ => Vec::new(),
    }
}

/// Where accesses go, and what is assumed for that.
pub(super) fn sections(
    forms: &mut Forms<'_>,
    accesses: &[&Access],
    within: Option<LoopId>,
) -> Vec<(Result<Place, Unknown>, Premises)> {
    let closed: Vec<_> =
        accesses.iter().map(|access| forms.tracked(|forms| closed_section(forms, access, within))).collect();
    // Only where the closed form does not say all.
    let of =
        |access: &Access| Usage { block: access.block, operand: access.address, reading: Reading::Unsigned };
    let is_open = |found: &Result<Found, Unknown>| found.as_ref().is_ok_and(|found| !found.is_all);
    let open = accesses.iter().zip(&closed).filter(|(_, (found, _))| is_open(found));
    let uses: Vec<Usage> = open.map(|(access, _)| of(access)).collect();
    let mut addresses = ranges::ranges_of(forms, &uses, within).into_iter();
    let mut list = Vec::new();
    for (access, (found, mut premises)) in accesses.iter().zip(closed) {
        let section = found.and_then(|mut found| {
            if !found.is_all
                && let Some(address) = addresses.next()
            {
                let (starts, needed) =
                    forms.tracked(|forms| both(forms, access.block, &found, &address, within));
                found.place.starts = starts;
                premises.extend(needed);
            }
            found.bounded()
        });
        list.push((section, premises));
    }
    list
}

/// What the closed form of an address says.
struct Found {
    place: Place,
    /// The start of the object.
    start: Polynomial,
    /// Whether nothing else can say more.
    is_all: bool,
}

impl Found {
    fn bounded(self) -> Result<Place, Unknown> {
        match &self.place.starts {
            Range::Between(lower, upper) if lower.is_none() && upper.is_none() => {
                Err(Unknown::Unbounded(self.place.name))
            }
            _ => Ok(self.place),
        }
    }
}

fn closed_section(forms: &mut Forms<'_>, access: &Access, within: Option<LoopId>) -> Result<Found, Unknown> {
    let (object, name) = object(forms, access)?;
    let unknown = || Unknown::Address(name.clone());
    let start = forms.start_of(object).ok_or_else(unknown)?;
    let starts = closed_starts(forms, access, &start, within).ok_or_else(unknown)?;
    let is_one = starts.single().is_some();
    let is_all =
        starts.is_bounded() && is_known(forms, &starts) && (is_one || !forms.has_guards(access.block));
    Ok(Found { place: Place { object, name, starts }, start, is_all })
}

/// What the closed form and the range of an address say together.
fn both(
    forms: &mut Forms<'_>,
    block: BlockId,
    closed: &Found,
    address: &Fact,
    within: Option<LoopId>,
) -> Range {
    if !forms.is_settled(&closed.start, within) {
        return closed.place.starts.clone();
    }
    forms.suppose(&address.premises);
    let computed = address.range.minus(&closed.start.clone().into());
    let facts = forms.facts_of_iterations(block);
    let both = Arithmetic { atoms: &mut forms.atoms, facts: &facts }.refined(&closed.place.starts, &computed);
    plainest(forms, both)
}

/// Whether nothing unknown stands in the ends of a range.
fn is_known(forms: &Forms<'_>, range: &Range) -> bool {
    let Range::Between(lower, upper) = range else { return true };
    let ends = lower.clauses().iter().chain(upper.clauses()).flatten();
    ends.into_iter().all(|end| !forms.mentions_opaque(end))
}

/// A range without the clauses of its bounds in which something unknown stands, or a quotient, if there are others:
/// less is said, and more is understood.
fn plainest(forms: &Forms<'_>, range: Range) -> Range {
    let Range::Between(lower, upper) = range else { return range };
    let rank = |clause: &Vec<Polynomial>| {
        let is_plain = |atom: &crate::symbolic::AtomId| {
            !matches!(forms.atoms.get(*atom), Atom::Floor(..) | Atom::Modulo(..) | Atom::Least(_))
        };
        let is_known = clause.iter().all(|end| !forms.mentions_opaque(end));
        let is_plain = clause.iter().all(|end| end.atoms().iter().all(is_plain));
        u32::from(!is_known) * 2 + u32::from(!is_plain)
    };
    let best = |bound: &Bound| {
        let least = bound.clauses().iter().map(rank).min();
        Bound::of(bound.clauses().iter().filter(|clause| Some(rank(clause)) == least).cloned())
    };
    Range::Between(best(&lower), best(&upper))
}

/// The one object that an access goes to, and its name.
fn object(forms: &Forms<'_>, access: &Access) -> Result<(Object, String), Unknown> {
    let memory = forms.memory().ok_or(Unknown::Anywhere)?;
    match &access.of {
        Bases::Among(list) => match list.as_slice() {
            [] => Err(Unknown::Anywhere),
            &[one] => Ok((one, memory.names().object(one))),
            several => {
                Err(Unknown::Several(several.iter().map(|object| memory.names().object(*object)).collect()))
            }
        },
        Bases::Any => Err(Unknown::Anywhere),
    }
}

/// Bytes from the start of an object to the starts of an access, by the closed form of its address.
fn closed_starts(
    forms: &mut Forms<'_>,
    access: &Access,
    start: &Polynomial,
    within: Option<LoopId>,
) -> Option<Range> {
    let offset = &forms.of_at(access.block, access.address, Reading::Unsigned)? - start;
    if !start.atoms().iter().all(|&atom| !offset.mentions(atom)) {
        return Some(Range::all());
    }
    Some(forms.ends(access.block, &offset, within))
}
