//! Variables of the source program, from debug information: name, scope and storage.
//!
//! Only what naming an address needs is read: variables and parameters at a fixed address, or at a fixed offset from the
//! canonical frame address (`DW_OP_fbreg` where the frame base is the call frame's, the frame pointer at its usual place, or
//! the stack pointer, which stays where the prologue puts it; or at an offset from one of these pointers). Variables in registers or
//! with location lists have no storage here.

use std::cell::OnceCell;
use std::path::Path;

use gimli::{AttributeValue, DwTag, EndianSlice, Operation, Register, RunTimeEndian};
use object::{Architecture, Object, ObjectSection};

use crate::aligned::{self, Pointer, Pointers};
use crate::frames::{self, Rule};

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// At this address of the file (without load bias).
    Fixed(u64),
    /// At this offset from the canonical frame address (the stack pointer before the call).
    Frame(i64),
    /// At this offset from the canonical frame address less `below`, rounded down to a multiple of `alignment`.
    Aligned {
        /// Bytes from that address to what is rounded.
        below: i64,
        /// A power of two.
        alignment: i64,
        /// Bytes from there to the variable.
        offset: i64,
    },
}

impl Storage {
    /// The first address of a variable in the activation with this canonical frame address; `None` if it is in no frame.
    pub fn in_frame(self, frame: u64) -> Option<u64> {
        match self {
            Storage::Fixed(_) => None,
            Storage::Frame(offset) => Some(frame.wrapping_add_signed(offset)),
            Storage::Aligned { below, alignment, offset } => {
                let rounded = frame.wrapping_add_signed(-below) & alignment.wrapping_neg().cast_unsigned();
                Some(rounded.wrapping_add_signed(offset))
            }
        }
    }
}

/// One variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Source name.
    pub name: String,
    /// Where it lives.
    pub storage: Storage,
    /// Size in bytes, 0 if unknown.
    pub size: u64,
    /// Size of one element for arrays, else of the variable.
    pub element: u64,
    /// Function it belongs to: address range in the file. `None` for globals.
    pub function: Option<(u64, u64)>,
    /// Its lexical block: address ranges in the file. Empty means the whole function or program.
    pub scope: Vec<(u64, u64)>,
    /// It is a parameter.
    pub parameter: bool,
    /// Its type is volatile or atomic.
    pub is_volatile: bool,
    /// It lies in a common block of Fortran, as one of the program units that have the block calls it.
    pub in_common: bool,
}

/// The variables in common blocks, by index, with their first addresses and one past their last: those that all program
/// units which name their storage call the same. In the order of their addresses.
pub fn common_members(variables: &[Variable]) -> Vec<(u64, u64, usize)> {
    let mut all: Vec<(u64, u64, usize)> = Vec::new();
    for (index, own) in variables.iter().enumerate().filter(|(_, own)| own.in_common && own.size > 0) {
        if let Storage::Fixed(address) = own.storage {
            all.push((address, address.saturating_add(own.size), index));
        }
    }
    all.sort_unstable_by_key(|&(start, end, index)| (start, end, &variables[index].name, index));
    all.dedup_by(|a, b| (a.0, a.1) == (b.0, b.1) && variables[a.2].name == variables[b.2].name);
    // What overlaps is one storage by several names.
    let mut out: Vec<(u64, u64, usize)> = Vec::new();
    let mut reach = (0, false);
    for own in all {
        if own.0 < reach.0 {
            if !std::mem::replace(&mut reach.1, true) {
                out.pop();
            }
            reach.0 = reach.0.max(own.1);
        } else {
            reach = (own.1, false);
            out.push(own);
        }
    }
    out
}

/// Address ranges, in the file, of functions of which every variable lies in one place as long as it is in scope: those that the
/// compiler did not optimise. Functions without variables are as the others of their unit. Variables without a place count only where
/// the compiler may have optimised them away: without optimisation GCC gives none to those that nobody uses.
pub fn settled_functions(path: &Path) -> Vec<(u64, u64)> {
    let mut out = Vec::new();
    with_units(path, |dwarf, unit, _| settled(dwarf, unit, &mut out));
    out
}

/// A function, its variables counted.
struct Counted {
    depth: isize,
    ranges: Vec<(u64, u64)>,
    variables: usize,
    /// All of them lie in one place.
    is_settled: bool,
}

fn settled<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    out: &mut Vec<(u64, u64)>,
) -> gimli::Result<()> {
    let mut functions: Vec<Counted> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut entries = unit.entries();
    let mut depth = 0;
    let mut is_plain = false;
    while let Some((delta, entry)) = entries.next_dfs()? {
        depth += delta;
        if let Some(producer) = entry.attr_value(gimli::DW_AT_producer)? {
            let text = dwarf.attr_string(unit, producer)?.to_string_lossy();
            is_plain = is_unoptimised(&text);
            // Where all variables are static or escape, they lie in one place, whatever happens to their values in between.
            if is_optimised(&text) {
                return Ok(());
            }
        }
        while open.last().is_some_and(|&at| functions[at].depth >= depth) {
            open.pop();
        }
        match entry.tag() {
            gimli::DW_TAG_subprogram => {
                open.push(functions.len());
                let ranges = ranges(dwarf, unit, entry)?;
                functions.push(Counted { depth, ranges, variables: 0, is_settled: true });
            }
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                let Some(own) = open.last().and_then(|&at| functions.get_mut(at)) else { continue };
                if entry.attr(gimli::DW_AT_declaration)?.is_some() {
                    continue;
                }
                let place = entry.attr_value(gimli::DW_AT_location)?.and_then(|value| value.exprloc_value());
                // Where an array lies whose size is not constant, clang knows from its allocation on.
                if place.is_none() && entry.attr(gimli::DW_AT_location)?.is_some() && is_array(unit, entry)? {
                    continue;
                }
                // Where what a caller has made lies, its address says, wherever that is kept.
                if place.is_none() && is_by_address(dwarf, unit, entry)? {
                    continue;
                }
                own.variables += 1;
                own.is_settled &= match place {
                    Some(expression) => matches!(
                        expression.operations(unit.encoding()).next()?,
                        Some(
                            Operation::FrameOffset { .. }
                                | Operation::Address { .. }
                                | Operation::AddressIndex { .. }
                                | Operation::RegisterOffset { .. }
                        )
                    ),
                    None => is_plain,
                };
            }
            _ => {}
        }
    }
    let known = || functions.iter().filter(|own| own.variables > 0 && !own.ranges.is_empty());
    let is_settled_unit = known().next().is_some() && known().all(|own| own.is_settled);
    let is_settled = |own: &&Counted| if own.variables > 0 { own.is_settled } else { is_settled_unit };
    out.extend(functions.iter().filter(is_settled).flat_map(|own| own.ranges.iter().copied()));
    Ok(())
}

/// Whether a variable lies in memory as long as it is in scope, at an address that the function was handed: in a register at times, and
/// in its frame.
fn is_by_address<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    variable: &gimli::DebuggingInformationEntry<'_, '_, Slice<'a>>,
) -> gimli::Result<bool> {
    let Some(value) = variable.attr_value(gimli::DW_AT_location)? else { return Ok(false) };
    let Some(mut places) = dwarf.attr_locations(unit, value)? else { return Ok(false) };
    let mut is_in_frame = false;
    while let Some(place) = places.next()? {
        let mut operations = place.data.operations(unit.encoding());
        let [first, second, third] = [operations.next()?, operations.next()?, operations.next()?];
        let is_address =
            matches!(first, Some(Operation::FrameOffset { .. } | Operation::RegisterOffset { .. }));
        match second {
            None if is_address => {}
            Some(Operation::Deref { .. }) if is_address && third.is_none() => is_in_frame = true,
            _ => return Ok(false),
        }
    }
    Ok(is_in_frame)
}

/// Whether a variable is an array.
fn is_array<'a>(
    unit: &gimli::Unit<Slice<'a>>,
    variable: &gimli::DebuggingInformationEntry<'_, '_, Slice<'a>>,
) -> gimli::Result<bool> {
    Ok(match variable.attr_value(gimli::DW_AT_type)? {
        Some(gimli::AttributeValue::UnitRef(at)) => unit.entry(at)?.tag() == gimli::DW_TAG_array_type,
        _ => false,
    })
}

/// Whether a compiler says that it did not optimise: GCC writes down its options, the machine among them, unless it is told not to.
pub(crate) fn is_unoptimised(producer: &str) -> bool {
    let options = || producer.split_whitespace();
    producer.starts_with("GNU ")
        && options().any(|option| option.starts_with("-m"))
        && options().all(|option| !option.starts_with("-O") || option == "-O0")
}

/// Whether a compiler says that it did; GCC's `-Og` leaves values where they belong.
fn is_optimised(producer: &str) -> bool {
    let mut options = producer.split_whitespace().filter(|option| option.starts_with("-O"));
    producer.starts_with("GNU ") && options.next_back().is_some_and(|last| !matches!(last, "-O0" | "-Og"))
}

/// Reads all variables of a file. Malformed or missing debug information gives fewer variables, never an error.
pub fn read(path: &Path) -> Vec<Variable> {
    let mut out = Vec::new();
    with_units(path, |dwarf, unit, below| read_unit(dwarf, unit, below, &mut out));
    out
}

/// Hands over the units of a file's debug information, and where frames lie. A unit that stops being readable keeps what was read of
/// it.
pub(crate) fn with_units(
    path: &Path,
    mut take: impl for<'a> FnMut(
        &gimli::Dwarf<Slice<'a>>,
        &gimli::Unit<Slice<'a>>,
        &Frames<'a>,
    ) -> gimli::Result<()>,
) {
    let Ok(bytes) = std::fs::read(path) else { return };
    let Ok(file) = object::File::parse(&*bytes) else { return };
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let sections = gimli::DwarfSections::load(|id| -> Result<_, gimli::Error> {
        Ok(file.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
    });
    let Ok(sections) = sections else { return };
    let dwarf = sections.borrow(|section| EndianSlice::new(section, endian));
    let pointers = frames::pointers(file.architecture());
    let frames = Frames {
        below: if file.architecture() == Architecture::Riscv64 { 0 } else { 16 },
        stack_pointer: pointers.map(|pointers| pointers.0),
        frame_pointer: pointers.map(|pointers| pointers.1),
        file: &file,
        rules: OnceCell::new(),
    };
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        if let Ok(unit) = dwarf.unit(header) {
            let _ = take(&dwarf, &unit, &frames);
        }
    }
}

pub(crate) type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// Where the frames of a file's functions lie.
pub(crate) struct Frames<'a> {
    /// How far the frame pointer lies below the canonical frame address, at its usual place.
    below: i64,
    stack_pointer: Option<Register>,
    frame_pointer: Option<Register>,
    file: &'a object::File<'a>,
    /// How functions find their frames, by address.
    rules: OnceCell<Vec<Rule>>,
}

impl Frames<'_> {
    /// What a register points to in the body of a function.
    fn base(&self, register: Register, function: Option<(u64, u64)>) -> Option<Base> {
        let pointers = || function.map(|function| self.aligned(function)).unwrap_or_default();
        match Some(register) {
            pointer if pointer == self.stack_pointer => {
                match self.rule(function?.0).and_then(|rule| rule.size) {
                    Some(size) => Some(Base::Below(size)),
                    None => pointers().stack.map(Base::Aligned),
                }
            }
            pointer if pointer == self.frame_pointer => {
                let rule = function.and_then(|function| self.rule(function.0));
                let is_usual = rule.is_none_or(|rule| !rule.is_expression);
                let usual = || is_usual.then_some(Base::Below(self.below));
                pointers().frame.map(Base::Aligned).or_else(usual)
            }
            _ => None,
        }
    }

    /// The pointers that the prologue of a function aligns.
    fn aligned(&self, (first, end): (u64, u64)) -> Pointers {
        if self.file.architecture() != Architecture::X86_64 {
            return Pointers::default();
        }
        let length = end.saturating_sub(first).min(MOST_PROLOGUE);
        let code = self.file.sections().find_map(|section| section.data_range(first, length).ok().flatten());
        code.map(aligned::pointers).unwrap_or_default()
    }

    /// What the file is for.
    pub(crate) fn architecture(&self) -> Architecture {
        self.file.architecture()
    }

    /// How the function at an address finds its frame.
    fn rule(&self, function: u64) -> Option<&Rule> {
        let rules = self.rules.get_or_init(|| frames::rules(self.file));
        let at = rules.partition_point(|own| own.first <= function).checked_sub(1)?;
        rules.get(at).filter(|own| function < own.end)
    }
}

/// What the offsets of a function's variables count from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// The canonical frame address, or this far below it.
    Below(i64),
    /// A pointer that the prologue aligns.
    Aligned(Pointer),
    /// Not known.
    Unknown,
}

impl Base {
    /// The storage at an offset from it.
    fn at(self, offset: i64) -> Option<Storage> {
        match self {
            Base::Below(below) => Some(Storage::Frame(offset.wrapping_sub(below))),
            Base::Aligned(Pointer { below, alignment, size }) => {
                Some(Storage::Aligned { below, alignment, offset: offset.wrapping_sub(size) })
            }
            Base::Unknown => None,
        }
    }
}

/// Most bytes of a function that its prologue is looked for in.
const MOST_PROLOGUE: u64 = 512;

struct Scope {
    depth: isize,
    function: Option<(u64, u64)>,
    base: Base,
    ranges: Vec<(u64, u64)>,
}

fn read_unit<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    frames: &Frames<'_>,
    out: &mut Vec<Variable>,
) -> gimli::Result<()> {
    let mut scopes = vec![Scope { depth: -1, function: None, base: Base::Below(0), ranges: Vec::new() }];
    let mut entries = unit.entries();
    let mut depth = 0;
    let mut common: Option<isize> = None;
    while let Some((delta, entry)) = entries.next_dfs()? {
        depth += delta;
        while scopes.len() > 1 && scopes.last().is_some_and(|s| s.depth >= depth) {
            scopes.pop();
        }
        common = common.filter(|&block| block < depth);
        match entry.tag() {
            gimli::DW_TAG_common_block => common = Some(depth),
            gimli::DW_TAG_subprogram => {
                let ranges = ranges(dwarf, unit, entry)?;
                let function = hull(&ranges);
                let place = entry.attr_value(gimli::DW_AT_frame_base)?.and_then(|v| v.exprloc_value());
                let base =
                    place.map_or(Base::Below(0), |place| base(place, unit.encoding(), frames, function));
                scopes.push(Scope { depth, function, base, ranges: Vec::new() });
            }
            gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine => {
                let ranges = ranges(dwarf, unit, entry)?;
                let (function, base) = scopes.last().map_or((None, Base::Below(0)), |s| (s.function, s.base));
                scopes.push(Scope { depth, function, base, ranges });
            }
            tag @ (gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter) => {
                let Some(scope) = scopes.last() else { continue };
                if let Some(mut variable) = variable(dwarf, unit, entry, frames, scope, tag)? {
                    variable.in_common = common.is_some();
                    out.push(variable);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn base(
    expression: gimli::Expression<Slice<'_>>,
    encoding: gimli::Encoding,
    frames: &Frames<'_>,
    function: Option<(u64, u64)>,
) -> Base {
    match expression.operations(encoding).next() {
        Ok(Some(
            Operation::Register { register } | Operation::RegisterOffset { register, offset: 0, .. },
        )) => frames.base(register, function).unwrap_or(Base::Unknown),
        Ok(Some(Operation::RegisterOffset { .. })) => Base::Unknown,
        _ => Base::Below(0),
    }
}

fn variable<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    entry: &gimli::DebuggingInformationEntry<'_, '_, Slice<'a>>,
    frames: &Frames<'_>,
    scope: &Scope,
    tag: DwTag,
) -> gimli::Result<Option<Variable>> {
    let Some(expression) = entry.attr_value(gimli::DW_AT_location)?.and_then(|v| v.exprloc_value()) else {
        return Ok(None);
    };
    let mut operations = expression.operations(unit.encoding());
    let storage = match (operations.next()?, operations.next()?) {
        (Some(Operation::Address { address }), None) => Some(Storage::Fixed(address)),
        // As LLVM has it from DWARF 5 on.
        (Some(Operation::AddressIndex { index }), None) => Some(Storage::Fixed(dwarf.address(unit, index)?)),
        (Some(Operation::FrameOffset { offset }), None) => scope.base.at(offset),
        (Some(Operation::RegisterOffset { register, offset, .. }), None) => {
            frames.base(register, scope.function).and_then(|base| base.at(offset))
        }
        _ => None,
    };
    let Some(storage) = storage else { return Ok(None) };
    // Name and type may stand in the abstract origin or the declaration.
    let mut name = None;
    let mut size = (0, 0);
    let mut is_volatile = false;
    each_of(unit, entry.offset(), |die| {
        if name.is_none()
            && let Some(value) = die.attr_value(gimli::DW_AT_name)?
        {
            name = Some(dwarf.attr_string(unit, value)?.to_string_lossy().into_owned());
        }
        if size.0 == 0
            && let Some(AttributeValue::UnitRef(offset)) = die.attr_value(gimli::DW_AT_type)?
        {
            size = type_size(unit, offset, 0)?;
            is_volatile = is_volatile_type(unit, offset)?;
        }
        Ok(())
    })?;
    let Some(name) = name else { return Ok(None) };
    Ok(Some(Variable {
        name,
        storage,
        size: size.0,
        element: size.1,
        function: scope.function.filter(|_| !matches!(storage, Storage::Fixed(_))),
        scope: scope.ranges.clone(),
        parameter: tag == gimli::DW_TAG_formal_parameter,
        is_volatile,
        in_common: false,
    }))
}

/// Looks at an entry, then at what it is an instance or the definition of.
fn each_of<'a>(
    unit: &gimli::Unit<Slice<'a>>,
    entry: gimli::UnitOffset,
    mut look: impl FnMut(&gimli::DebuggingInformationEntry<'_, '_, Slice<'a>>) -> gimli::Result<()>,
) -> gimli::Result<()> {
    let mut at = entry;
    for _ in 0..4 {
        let die = unit.entry(at)?;
        look(&die)?;
        let next = match die.attr_value(gimli::DW_AT_abstract_origin)? {
            Some(value) => Some(value),
            None => die.attr_value(gimli::DW_AT_specification)?,
        };
        match next {
            Some(AttributeValue::UnitRef(offset)) => at = offset,
            _ => break,
        }
    }
    Ok(())
}

/// The name of a variable.
pub(crate) fn name_of<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    entry: gimli::UnitOffset,
) -> gimli::Result<Option<String>> {
    let mut name = None;
    each_of(unit, entry, |die| {
        if name.is_none()
            && let Some(value) = die.attr_value(gimli::DW_AT_name)?
        {
            name = Some(dwarf.attr_string(unit, value)?.to_string_lossy().into_owned());
        }
        Ok(())
    })?;
    Ok(name)
}

/// Whether a type, or that of its elements, is volatile or atomic.
fn is_volatile_type(unit: &gimli::Unit<Slice<'_>>, offset: gimli::UnitOffset) -> gimli::Result<bool> {
    let mut at = offset;
    for _ in 0..16 {
        let die = unit.entry(at)?;
        match die.tag() {
            gimli::DW_TAG_volatile_type | gimli::DW_TAG_atomic_type => return Ok(true),
            gimli::DW_TAG_const_type | gimli::DW_TAG_typedef | gimli::DW_TAG_array_type => {}
            _ => return Ok(false),
        }
        match die.attr_value(gimli::DW_AT_type)? {
            Some(AttributeValue::UnitRef(next)) => at = next,
            _ => return Ok(false),
        }
    }
    Ok(false)
}

/// Size of a type and of its innermost array element.
fn type_size(
    unit: &gimli::Unit<Slice<'_>>,
    offset: gimli::UnitOffset,
    level: u32,
) -> gimli::Result<(u64, u64)> {
    if level > 16 {
        return Ok((0, 0));
    }
    let die = unit.entry(offset)?;
    let inner = match die.attr_value(gimli::DW_AT_type)? {
        Some(AttributeValue::UnitRef(next)) if die.tag() != gimli::DW_TAG_pointer_type => {
            Some(type_size(unit, next, level + 1)?)
        }
        _ => None,
    };
    if let Some(size) = die.attr_value(gimli::DW_AT_byte_size)?.and_then(|v| v.udata_value()) {
        return Ok((
            size,
            if die.tag() == gimli::DW_TAG_array_type { inner.map_or(size, |i| i.1) } else { size },
        ));
    }
    if die.tag() == gimli::DW_TAG_pointer_type || die.tag() == gimli::DW_TAG_reference_type {
        return Ok((8, 8));
    }
    let Some((size, element)) = inner else { return Ok((0, 0)) };
    if die.tag() != gimli::DW_TAG_array_type {
        return Ok((size, element));
    }
    let mut total = size;
    let mut tree = unit.entries_tree(Some(offset))?;
    let mut children = tree.root()?.children();
    while let Some(child) = children.next()? {
        let range = child.entry();
        let count = match range.attr_value(gimli::DW_AT_count)?.and_then(|v| v.udata_value()) {
            Some(count) => Some(count),
            None => {
                let upper = range.attr_value(gimli::DW_AT_upper_bound)?.and_then(|v| bound(&v));
                let lower = range.attr_value(gimli::DW_AT_lower_bound)?.map(|v| bound(&v));
                let lower = lower.unwrap_or_else(|| default_lower_bound(unit).ok());
                let count =
                    upper.zip(lower).and_then(|(upper, lower)| upper.checked_sub(lower)?.checked_add(1));
                count.and_then(|count| u64::try_from(count).ok())
            }
        };
        total = count.map_or(0, |c| total.saturating_mul(c));
    }
    Ok((total, element))
}

/// A bound of an array that debug information gives as a number.
fn bound(value: &AttributeValue<Slice<'_>>) -> Option<i64> {
    match value.udata_value() {
        Some(value) => i64::try_from(value).ok(),
        None => value.sdata_value(),
    }
}

/// Where indices begin in a unit's language if nothing else is said (DWARF Debugging Information Format, version 5, 2017, 7.12).
fn default_lower_bound(unit: &gimli::Unit<Slice<'_>>) -> gimli::Result<i64> {
    let mut entries = unit.entries();
    let language = match entries.next_dfs()? {
        Some((_, root)) => root.attr_value(gimli::DW_AT_language)?,
        None => None,
    };
    let language = match language {
        Some(AttributeValue::Language(language)) => language,
        _ => return Ok(0),
    };
    Ok(i64::from(matches!(
        language,
        gimli::DW_LANG_Fortran77
            | gimli::DW_LANG_Fortran90
            | gimli::DW_LANG_Fortran95
            | gimli::DW_LANG_Fortran03
            | gimli::DW_LANG_Fortran08
            | gimli::DW_LANG_Ada83
            | gimli::DW_LANG_Ada95
            | gimli::DW_LANG_Cobol74
            | gimli::DW_LANG_Cobol85
            | gimli::DW_LANG_Pascal83
            | gimli::DW_LANG_Modula2
            | gimli::DW_LANG_Modula3
            | gimli::DW_LANG_PLI
            | gimli::DW_LANG_Julia
    )))
}

pub(crate) fn ranges<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    entry: &gimli::DebuggingInformationEntry<'_, '_, Slice<'a>>,
) -> gimli::Result<Vec<(u64, u64)>> {
    let mut out = Vec::new();
    let mut iter = dwarf.die_ranges(unit, entry)?;
    while let Some(range) = iter.next()? {
        if range.begin < range.end {
            out.push((range.begin, range.end));
        }
    }
    Ok(out)
}

fn hull(ranges: &[(u64, u64)]) -> Option<(u64, u64)> {
    Some((ranges.iter().map(|r| r.0).min()?, ranges.iter().map(|r| r.1).max()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn options_say_what_was_optimised() {
        for (producer, expected) in [
            ("GNU C17 12.2.0 -mtune=generic -march=x86-64 -g", true),
            ("GNU C++17 12.2.0 -mtune=generic -march=x86-64 -g -O0", true),
            ("GNU Fortran2008 12.2.0 -mtune=generic -march=x86-64 -g -Og", false),
            ("GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2", false),
            // Its options are not recorded.
            ("GNU C17 12.2.0", false),
            ("Debian clang version 14.0.6", false),
        ] {
            assert_eq!(is_unoptimised(producer), expected, "{producer}");
        }
    }

    /// Of a variable that nobody uses debug information has no place, whether or not the rest was optimised.
    #[test]
    fn unused_variables_do_not_make_a_function_optimised() {
        let dir = tempfile::tempdir().expect("a directory");
        let source = dir.path().join("u.c");
        std::fs::write(
            &source,
            "int f(int n) { int k; int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n",
        )
        .expect("source");
        for (level, expected) in [("-O0", 1), ("-O2", 0)] {
            let object = dir.path().join("u.o");
            let mut gcc = Command::new("gcc");
            let status = gcc.args(["-g", level, "-c", "-o"]).arg(&object).arg(&source).status().expect("gcc");
            assert!(status.success());
            assert_eq!(settled_functions(&object).len(), expected, "{level}");
        }
    }

    #[test]
    fn scopes_and_storage_of_a_compiled_program() {
        let dir = tempfile::tempdir().expect("a directory");
        let source = dir.path().join("v.c");
        let binary = dir.path().join("v");
        std::fs::write(
            &source,
            "double table[10][4];\nint main(int argc, char **argv) { (void)argv;\n\
             for (int i = 0; i < 10; i++) { double row[4]; for (int k = 0; k < 4; k++) row[k] = argc;\n\
             for (int k = 0; k < 4; k++) table[i][k] = row[k]; } return (int)table[3][2]; }\n",
        )
        .expect("source");
        // Regression: where clang has addresses in a table of their own, globals had no types.
        for compiler in ["clang-19", "cc"] {
            let mut command = Command::new(compiler);
            let status = command.args(["-g", "-O0", "-o"]).arg(&binary).arg(&source).status();
            assert!(status.expect(compiler).success());
            let all = read(&binary);
            let table = all.iter().find(|v| v.name == "table").map(|v| (v.size, v.element));
            assert_eq!(table, Some((320, 8)), "{compiler}");
        }
        let all = read(&binary);
        let find =
            |name: &str| all.iter().find(|v| v.name == name).unwrap_or_else(|| panic!("{name} in {all:?}"));
        assert_eq!((find("table").size, find("table").element), (320, 8));
        assert!(matches!(find("table").storage, Storage::Fixed(_)));
        let row = find("row");
        assert_eq!(row.size, 32);
        assert!(matches!(row.storage, Storage::Frame(offset) if offset < 0));
        assert_eq!(row.scope.len(), 1);
        assert!(row.scope[0].0 >= row.function.expect("function").0);
        assert!(find("argc").parameter);
        assert_eq!(all.iter().filter(|v| v.name == "k").count(), 2);
    }

    /// Regression: an array of 100 x 100 counted as one of 101 x 101, so that its neighbour in memory had its name.
    #[test]
    fn arrays_of_fortran_begin_at_one_or_where_they_say() {
        let dir = tempfile::tempdir().expect("a directory");
        let (source, binary) = (dir.path().join("f.f90"), dir.path().join("f"));
        let text = "program bounds\n integer :: i\n real(8), save :: whole(100,100), next(-3:5), zero(0:9), none(1:0)\n\
             do i = 1, 5\n whole(i,i) = i; next(i) = i; zero(i) = i\n end do\n\
             print *, whole(2,2), next(1), zero(2), size(none)\nend program\n";
        std::fs::write(&source, text).expect("source");
        let mut compiler = Command::new("gfortran");
        let status = compiler.args(["-g", "-O0", "-o"]).arg(&binary).arg(&source).status().expect("gfortran");
        assert!(status.success());
        let all = read(&binary);
        let size = |name: &str| all.iter().find(|v| v.name == name).map(|v| (v.size, v.element));
        assert_eq!(size("whole"), Some((80_000, 8)), "{all:?}");
        assert_eq!(size("next"), Some((72, 8)));
        assert_eq!(size("zero"), Some((80, 8)));
    }
}
