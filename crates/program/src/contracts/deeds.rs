//! The part of a row that says what a function does to memory: read, and related to the function's arguments.
//!
//! Definition: a deed is written as `WHERE BYTES [if CONDITION]`. `WHERE` is an argument by its name, `*` and one for the address that lies where
//! it leads, or `result`. The deed is done if the condition holds: `VALUE` if it is positive, or no null pointer, `VALUE=VALUE`, or `VALUE<VALUE` of
//! numbers with signs. Conditions joined by `and` say when the deeds of a call cannot be told (`unclear`): its function has failed midway, or libraries
//! differ in what they do. `BYTES` is one of
//!
//! - a product of numbers, arguments and `result`, `+` a number;
//! - `text`: all up to the byte 0 and with it; `text of NAME`: as many as that has;
//! - `line`: all of a line that was read from the row's stream, up to its end and the byte 0 behind it, whatever bytes it has;
//! - `like NAME`: all up to the first byte that differs from what lies there, or the byte 0;
//! - `upto NAME`: all up to that address, and with what lies there, or the greatest number if it is null;
//! - `number`: all that may be part of a number that begins there;
//! - `appended NAME`: reading, the text before that was added, and writing, what was added;
//!
//! and each but `number` may be followed by `<=` and a product that it does not exceed.

use serde::Deserialize;
use trace::block::Access;
use trace::contract::{
    Condition, Deed, Deeds, Extent, Mark, Place, Product, REGISTER_ARGUMENTS, STATES, Value,
};

use super::{Prototype, Type};

/// Bytes of a stream that are taken for its state: flags, and the addresses of what is read and written next, which all functions on streams
/// use, in the library of GNU as in musl.
pub const STREAM: u64 = 64;
/// Bytes that stand for a hidden state, or for a block that ends.
const WORD: u64 = 8;

/// What a row says of memory and hidden state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Described {
    /// Other names of the same function.
    aliases: Vec<String>,
    /// Deeds that read.
    reads: Vec<String>,
    /// Deeds that write.
    writes: Vec<String>,
    /// Deeds that read and write.
    updates: Vec<String>,
    /// Blocks that are there from now on.
    allocates: Vec<String>,
    /// The same, with what they held.
    resizes: Vec<String>,
    /// Arguments with blocks that end.
    frees: Vec<String>,
    /// When what it has done cannot be told.
    unclear: Vec<String>,
    /// States of streams, if there are any, which are handed on to their files.
    flushes: Vec<String>,
    /// Hidden states that it depends on and changes.
    keeps: Vec<String>,
    /// Hidden states that it depends on.
    asks: Vec<String>,
    /// The variable with the stream that it works on without being told.
    stream: Option<String>,
    /// It gives a stream that has not been there before; its last argument says how it is used.
    opens: bool,
    /// It sets `errno` where it fails.
    errno: Option<bool>,
}

impl Described {
    pub(super) fn is_empty(&self) -> bool {
        *self == Described::default()
    }

    /// Other names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.aliases.iter().map(String::as_str)
    }

    /// Whether it leaves `errno` alone.
    pub(super) fn keeps_errno(&self) -> bool {
        self.errno == Some(false)
    }

    /// All that it says, related to the arguments. `variable` gives the address of a variable of the library.
    ///
    /// # Errors
    /// What is wrong with a deed.
    pub(super) fn deeds(
        &self,
        own: &Prototype,
        variable: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<Deeds, String> {
        let names = Names::new(own)?;
        let mut deeds = Deeds { integers: names.integers, vectors: names.vectors, ..Deeds::default() };
        let mut streams = Vec::new();
        if self.opens {
            let result = names.value("result")?;
            let condition = Some(Condition::Some(result));
            let made = Deed { condition, ..deed(Place::At(result), bytes(STREAM), Access::Write) };
            deeds.list.push(Deed { mark: Mark::Allocated, ..made.clone() });
            deeds.list.push(Deed { mark: Mark::Input, ..made });
            deeds.mode = names.parameters.last().copied().flatten();
        }
        for (parameter, at) in own.takes.iter().zip(&names.parameters) {
            let Some(at) = at.map(Place::At) else { continue };
            match parameter.of {
                Type::Format(format) => {
                    deeds.format = Some(format);
                    deeds.list.push(deed(at, Extent::Text(None, None), Access::Read));
                }
                Type::Text => deeds.list.push(deed(at, Extent::Text(None, None), Access::Read)),
                Type::Input => streams.push((at, Mark::Input)),
                Type::Output => streams.push((at, Mark::Output)),
                of if parameter.is_out => {
                    deeds.list.push(deed(at, bytes(of.bytes().into()), Access::Write));
                }
                _ => {}
            }
        }
        if let Some(name) = &self.stream {
            let mark = if name == "stdin" { Mark::Input } else { Mark::Output };
            let address = variable(name).ok_or_else(|| format!("{name}: no variable of its library"))?;
            streams.push((Place::Behind(Value::Constant(address)), mark));
        }
        for list in [&self.reads, &self.updates] {
            deeds.list.extend(names.all(list, Access::Read)?);
        }
        for access in [Access::Read, Access::Write] {
            let own = names.all(&self.flushes, access)?;
            deeds.list.extend(own.into_iter().map(|own| Deed { mark: Mark::Output, ..own }));
        }
        for name in self.asks.iter().chain(&self.keeps) {
            deeds.list.push(deed(state(name)?, bytes(WORD), Access::Read));
        }
        for &(place, mark) in &streams {
            for access in [Access::Read, Access::Write] {
                deeds.list.push(Deed { mark, ..deed(place, bytes(STREAM), access) });
            }
        }
        for (list, mark) in [(&self.allocates, Mark::Allocated), (&self.resizes, Mark::Resized)] {
            let own = names.all(list, Access::Write)?;
            deeds.list.extend(own.into_iter().map(|own| Deed { mark, ..own }));
        }
        for list in [&self.updates, &self.writes] {
            deeds.list.extend(names.all(list, Access::Write)?);
        }
        for name in &self.keeps {
            deeds.list.push(deed(state(name)?, bytes(WORD), Access::Write));
        }
        for name in &self.frees {
            let at = Place::At(names.value(name)?);
            deeds.list.push(Deed { mark: Mark::Freed, ..deed(at, bytes(WORD), Access::Write) });
        }
        let conditions = |text: &String| text.split(" and ").map(|own| names.condition(own)).collect();
        deeds.unclear = self.unclear.iter().map(conditions).collect::<Result<_, _>>()?;
        Ok(deeds)
    }
}

fn deed(place: Place, extent: Extent, access: Access) -> Deed {
    Deed { place, extent, access, mark: Mark::None, condition: None }
}

/// So many bytes, whatever the arguments are.
fn bytes(count: u64) -> Extent {
    Extent::Bytes(Product { factors: Vec::new(), plus: count }, None)
}

fn state(name: &str) -> Result<Place, String> {
    let number = STATES.iter().position(|(own, _)| *own == name);
    let number = number.ok_or_else(|| format!("{name}: no hidden state of this name"))?;
    Ok(Place::State(number as u8))
}

/// Integer arguments and the result, by their names.
struct Names<'a> {
    /// What is known of each argument, in their order; nothing of those in vector registers.
    parameters: Vec<Option<Value>>,
    values: Vec<(&'a str, Value)>,
    integers: u8,
    vectors: u8,
}

impl<'a> Names<'a> {
    fn new(own: &'a Prototype) -> Result<Names<'a>, String> {
        let (mut integers, mut vectors) = (0, 0);
        let (mut values, mut parameters) = (Vec::new(), Vec::new());
        for parameter in &own.takes {
            let (count, _) = if parameter.is_out { (0, 0) } else { parameter.of.vectors() };
            vectors += count;
            let value = (count == 0).then(|| {
                let is_int = parameter.of == Type::Int && !parameter.is_out;
                integers += 1;
                Value::Argument { number: integers - 1, is_int }
            });
            values.extend(value.map(|value| (parameter.name.as_str(), value)));
            parameters.push(value);
        }
        if usize::from(integers) > REGISTER_ARGUMENTS {
            return Err("more arguments than registers".to_owned());
        }
        if own.gives.vectors().0 == 0 && own.gives != Type::Void {
            values.push(("result", Value::Result { is_int: own.gives == Type::Int }));
        }
        Ok(Names { parameters, values, integers, vectors })
    }

    fn value(&self, text: &str) -> Result<Value, String> {
        if let Ok(constant) = text.parse() {
            return Ok(Value::Constant(constant));
        }
        let found = self.values.iter().find(|(name, _)| *name == text && !text.is_empty());
        found.map(|own| own.1).ok_or_else(|| format!("{text}: no argument of this name"))
    }

    fn condition(&self, text: &str) -> Result<Condition, String> {
        if let Some((a, b)) = text.split_once('=') {
            return Ok(Condition::Equal(self.value(a)?, self.value(b)?));
        }
        if let Some((a, b)) = text.split_once('<') {
            return Ok(Condition::Less(self.value(a)?, self.value(b)?));
        }
        Ok(Condition::Some(self.value(text)?))
    }

    fn all(&self, list: &[String], access: Access) -> Result<Vec<Deed>, String> {
        list.iter().map(|text| self.deed(text, access)).collect()
    }

    fn deed(&self, text: &str, access: Access) -> Result<Deed, String> {
        let (text, condition) = match text.split_once(" if ") {
            Some((text, condition)) => (text, Some(self.condition(condition)?)),
            None => (text, None),
        };
        let (place, bytes) = text.split_once(' ').ok_or_else(|| format!("{text}: no size"))?;
        let place = match place.strip_prefix('*') {
            Some(name) => Place::Behind(self.value(name)?),
            None => Place::At(self.value(place)?),
        };
        let (bytes, most) = match bytes.split_once("<=") {
            Some((bytes, most)) => (bytes, Some(self.product(most)?)),
            None => (bytes, None),
        };
        let extent = match bytes.split_once(' ') {
            Some(("like", name)) => Extent::Compared(self.value(name)?, most),
            Some(("appended", name)) => Extent::Appended(self.value(name)?, most),
            Some(("upto", name)) => {
                let most = most.ok_or_else(|| format!("{text}: no greatest number of bytes"))?;
                Extent::UpTo(self.value(name)?, most)
            }
            Some(("text", of)) => {
                let name = of.strip_prefix("of ").ok_or_else(|| format!("{text}: no size"))?;
                Extent::Text(Some(self.value(name)?), most)
            }
            Some(_) => return Err(format!("{text}: no size")),
            None if bytes == "text" => Extent::Text(None, most),
            None if bytes == "line" => {
                Extent::Line(most.ok_or_else(|| format!("{text}: no greatest number of bytes"))?)
            }
            None if bytes == "number" => Extent::Number,
            None => Extent::Bytes(self.product(bytes)?, most),
        };
        Ok(Deed { place, extent, access, mark: Mark::None, condition })
    }

    fn product(&self, text: &str) -> Result<Product, String> {
        let (product, plus) = match text.split_once('+') {
            Some((product, plus)) => {
                (product, plus.parse().map_err(|_| format!("{text}: no number is added"))?)
            }
            None => (text, 0),
        };
        let factors = product.split('*').map(|factor| self.value(factor)).collect::<Result<_, _>>()?;
        Ok(Product { factors, plus })
    }
}
