//! What functions of libraries do, as data: a row for each, with its prototype and what it costs.
//!
//! Definition: a *contract* says what a function reads and writes, so that a call of it need not be recorded: it takes its arguments, gives
//! its result, and does to memory what its row says, beside what is the thread's own (`errno`, unless a program looks at it; the exceptions
//! and the rounding of floating-point arithmetic). What else it reads of memory is constant. A function that calls back has no row.
//!
//! A row of the C library says in its prototype what arguments are: an `out` argument leads to one of the type, which is written; a `text` is
//! read up to the byte 0 and with it; an `input` or `output` is a stream, the state of which is read and written; `print` and `scan` are texts that
//! describe the arguments behind them. What a `pointer` leads to says the rest of the row: lists of deeds as `"to size*count"`, an argument and so
//! many bytes there (module `deeds`). Allocation is one too; how allocators keep their books is nobody's business (ALGORITHMS 2.6).
//! Rows rely on streams being the library's alone: where a program makes its own (`fopencookie`), hands a buffer over (`setvbuf`), replaces the
//! allocator or starts threads, none of these rows holds: what a call has done is known when it has returned, and not which thread's turn it was.
//!
//! A function that starts its library has a row with that library's name: what it sets up belongs to what loads a program, and is
//! left out as that is.
//!
//! Sources: the C standard (ISO/IEC 9899:2018, 7.3 and 7.12), the manual of the GNU C library, the System V ABI, AMD64 supplement, "Parameter
//! Passing", for registers; the names of vector functions from the "Vector Function ABI" of the same processor. Each row is held to
//! what a recording of the function shows (`cli/tests/contracts.rs`).

mod deeds;

use std::path::Path;
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;
use serde::Deserialize;
use trace::block::{REG_GENERAL, REG_VECTOR, RegRange};
use trace::contract::{Deeds, Format, INTEGER_ARGUMENTS, VECTOR_ARGUMENTS};
use trace::sink::Contract;

use self::deeds::Described;
use crate::owners;

/// Names of the mathematical library and of its part for vectors.
const MATHEMATICAL: [&str; 2] = ["libm", "libmvec"];
/// Names of the C library: the loader of musl is it.
const C: [&str; 2] = ["libc", "ld-musl-x86_64"];
/// Bytes of a vector register.
const WHOLE: u8 = 64;

/// A function.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    prototype: String,
    instructions: u16,
    /// The library that it starts; functions without are those of the mathematical library.
    #[serde(default)]
    starts: Option<String>,
    /// What it does to memory and hidden state.
    #[serde(default, rename = "does")]
    described: Described,
    /// It is a function of the C library.
    #[serde(skip)]
    is_of_c: bool,
    /// From the prototype.
    #[serde(skip)]
    own: Option<Prototype>,
    /// Bytes that a vector holds, where it is that of a function for scalars.
    #[serde(skip)]
    lanes: Option<u8>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    function: Vec<Row>,
}

/// A type of an argument or a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Void,
    Float,
    Double,
    Int,
    Long,
    ComplexFloat,
    ComplexDouble,
    /// An address.
    Pointer,
    /// The address of a text, which is read.
    Text,
    /// A stream that is read from.
    Input,
    /// A stream that is written to.
    Output,
    /// A text that describes the arguments behind it.
    Format(Format),
}

impl Type {
    fn of(text: &str) -> Option<Type> {
        Some(match text {
            "void" => Type::Void,
            "float" => Type::Float,
            "double" => Type::Double,
            "int" => Type::Int,
            "long" => Type::Long,
            "complex float" => Type::ComplexFloat,
            "complex double" => Type::ComplexDouble,
            "pointer" => Type::Pointer,
            "text" => Type::Text,
            "input" => Type::Input,
            "output" => Type::Output,
            "print" => Type::Format(Format::Print),
            "scan" => Type::Format(Format::Scan),
            _ => return None,
        })
    }

    /// Vector registers that one of them takes, and the bytes in each; none for integers.
    fn vectors(self) -> (u8, u8) {
        match self {
            Type::Float => (1, 4),
            Type::Double | Type::ComplexFloat => (1, 8),
            Type::ComplexDouble => (2, 8),
            _ => (0, 0),
        }
    }

    fn bytes(self) -> u16 {
        match self {
            Type::Void => 0,
            Type::Float | Type::Int => 4,
            Type::ComplexDouble => 16,
            _ => 8,
        }
    }
}

/// An argument of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    of: Type,
    /// It is an address to which one of the type is written.
    is_out: bool,
    /// Empty if it has none.
    name: String,
}

/// A function's name, result and arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Prototype {
    name: String,
    gives: Type,
    takes: Vec<Parameter>,
    /// More arguments may follow, which the last one describes.
    is_variadic: bool,
}

impl Prototype {
    fn of(text: &str) -> Option<Prototype> {
        let (head, arguments) = text.strip_suffix(')')?.split_once('(')?;
        let (gives, name) = head.rsplit_once(' ')?;
        let argument = |text: &str| {
            let text = text.trim();
            let rest = text.strip_prefix("out ");
            let (of, is_out) = (rest.unwrap_or(text), rest.is_some());
            let (of, name) = match (Type::of(of), of.rsplit_once(' ')) {
                (Some(of), _) => (of, ""),
                (None, Some((of, name))) => (Type::of(of)?, name),
                (None, None) => return None,
            };
            (of != Type::Void).then(|| Parameter { of, is_out, name: name.to_owned() })
        };
        let fixed = arguments.strip_suffix(", ...");
        let (fixed, is_variadic) = (fixed.unwrap_or(arguments), fixed.is_some());
        let takes: Vec<Parameter> = match fixed {
            "void" => Vec::new(),
            _ => fixed.split(',').map(argument).collect::<Option<_>>()?,
        };
        let describes = takes.last().is_some_and(|last| matches!(last.of, Type::Format(_)));
        let own = Prototype { name: name.to_owned(), gives: Type::of(gives)?, takes, is_variadic };
        (describes == is_variadic).then_some(own)
    }
}

impl Row {
    /// Its name.
    pub fn name(&self) -> &str {
        self.own.as_ref().map_or(&self.prototype, |own| &own.name)
    }

    /// Its prototype; empty for forms for vectors.
    pub fn prototype(&self) -> &str {
        if self.lanes.is_none() { &self.prototype } else { "" }
    }

    /// Whether it starts its library.
    pub fn starts_library(&self) -> bool {
        self.starts.is_some()
    }

    /// Whether it is one of the functions of a file.
    pub fn is_of(&self, path: &Path) -> bool {
        match &self.starts {
            Some(library) => is_one_of([library], path),
            None if self.is_of_c => is_c_library(path),
            None => is_one_of(MATHEMATICAL, path),
        }
    }

    /// Whether it may say in `errno` that it could not do what it was to.
    pub fn sets_errno(&self) -> bool {
        const NEVER: [&str; 18] = [
            "fabs",
            "ceil",
            "floor",
            "trunc",
            "rint",
            "nearbyint",
            "round",
            "roundeven",
            "copysign",
            "fmax",
            "fmin",
            "cbrt",
            "atan",
            "asinh",
            "tanh",
            "frexp",
            "modf",
            "carg",
        ];
        if self.is_of_c {
            return !self.described.keeps_errno();
        }
        let name = self.name();
        !self.starts_library()
            && !NEVER
                .iter()
                .any(|own| name.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest == "f"))
    }

    /// Whether it relies on streams and allocation being the C library's.
    pub fn is_of_c(&self) -> bool {
        self.is_of_c
    }

    /// What it does to registers and memory; `None` if it takes more than registers, or a variable of its library that it uses is not found.
    /// `variable` gives the address of one.
    pub fn contract(&self, variable: &dyn Fn(&str) -> Option<u64>) -> Option<Contract> {
        let own = self.own.as_ref()?;
        let (mut vectors, mut integers) = (0, INTEGER_ARGUMENTS.iter());
        let (mut uses, mut writes) = (Vec::new(), Vec::new());
        for &Parameter { of, is_out, .. } in &own.takes {
            let (count, bytes) = if is_out { (0, 0) } else { of.vectors() };
            if count == 0 {
                let reg = REG_GENERAL + integers.next()?;
                uses.push(RegRange { reg, lo: 0, hi: if is_out { 8 } else { of.bytes() as u8 } });
                writes.extend(is_out.then_some((reg, of.bytes())));
            }
            for _ in 0..count {
                let hi = self.lanes.unwrap_or(bytes);
                uses.push(RegRange { reg: REG_VECTOR + vectors, lo: 0, hi });
                vectors += 1;
            }
        }
        if vectors > VECTOR_ARGUMENTS {
            return None;
        }
        let defs = match own.gives {
            Type::Void => Vec::new(),
            of if of.vectors().0 == 0 => vec![RegRange { reg: REG_GENERAL, lo: 0, hi: 8 }],
            // The rest of the register means nothing: nobody may find in it what was there before.
            of => (0..of.vectors().0).map(|k| RegRange { reg: REG_VECTOR + k, lo: 0, hi: WHOLE }).collect(),
        };
        let (name, instructions) = (own.name.clone(), self.instructions);
        let deeds = if self.is_of_c { Some(self.deeds(own, variable)?) } else { None };
        let starts_library = self.starts_library();
        // What is written through arguments is one of the deeds.
        writes.retain(|_| deeds.is_none());
        Some(Contract { name, uses, defs, writes, instructions, starts_library, deeds: deeds.map(Arc::new) })
    }

    fn deeds(&self, own: &Prototype, variable: &dyn Fn(&str) -> Option<u64>) -> Option<Deeds> {
        self.described.deeds(own, variable).ok()
    }

    /// The same function for vectors, by the name that compilers give it: of so many bytes in a register.
    fn of_vectors(&self, name: &str, bytes: u8) -> Option<Row> {
        let own = self.own.as_ref()?;
        let is_scalar = |of: Type| matches!(of, Type::Float | Type::Double);
        if self.is_of_c || !is_scalar(own.gives) || own.takes.iter().any(|p| p.is_out || !is_scalar(p.of)) {
            return None;
        }
        let own = Some(Prototype { name: name.to_owned(), ..own.clone() });
        Some(Row { own, lanes: Some(bytes), ..self.clone() })
    }
}

/// The table.
///
/// # Errors
/// The line that is wrong, and why.
fn read(text: &str, is_of_c: bool) -> Result<FxHashMap<String, Row>, String> {
    let table: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut out: FxHashMap<String, Row> = FxHashMap::default();
    for mut row in table.function {
        row.own = Prototype::of(&row.prototype);
        row.is_of_c = is_of_c;
        let line = || 1 + text.lines().take_while(|line| !line.contains(&row.prototype)).count();
        let somewhere = |_: &str| Some(0);
        if is_of_c && let Some(own) = &row.own {
            let wrong = row.described.deeds(own, &somewhere).err();
            if let Some(wrong) = wrong {
                return Err(format!("line {}: {}: {wrong}", line(), row.prototype));
            }
        }
        if row.contract(&somewhere).is_none() || !is_of_c && !row.described.is_empty() {
            return Err(format!("line {}: {}: no prototype of types with a contract", line(), row.prototype));
        }
        let vectors = vector_names(&row);
        for other in row.described.names() {
            let own = row.own.clone().map(|own| Prototype { name: other.to_owned(), ..own });
            if out.insert(other.to_owned(), Row { own, ..row.clone() }).is_some() {
                return Err(format!("line {}: {other}: stands there twice", line()));
            }
        }
        if out.insert(row.name().to_owned(), row.clone()).is_some() {
            return Err(format!("line {}: {}: stands there twice", line(), row.prototype));
        }
        out.extend(vectors);
    }
    Ok(out)
}

/// The forms of a function for vectors of 16, 32 and 64 bytes.
fn vector_names(row: &Row) -> Vec<(String, Row)> {
    let Some(own) = &row.own else { return Vec::new() };
    let parameters = "v".repeat(own.takes.len());
    let mut out = Vec::new();
    for (isa, bytes) in [('b', 16), ('c', 32), ('d', 32), ('e', 64)] {
        let lanes = u16::from(bytes) / own.gives.bytes().max(1);
        let name = format!("_ZGV{isa}N{lanes}{parameters}_{}", own.name);
        out.extend(row.of_vectors(&name, bytes).map(|row| (name, row)));
    }
    out
}

static TABLE: LazyLock<FxHashMap<String, Row>> =
    // The table is part of the program, and a test reads it.
    LazyLock::new(|| {
        let mut all = read(include_str!("contracts.toml"), false).unwrap_or_default();
        all.extend(read(include_str!("contracts_of_c.toml"), true).unwrap_or_default());
        all
    });

/// Libraries that they start.
static STARTED: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| rows().filter_map(|row| row.starts.as_deref()).collect());

/// Whether a file is one of those whose functions have rows: `libm.so.6`, `libm-2.31.so`, `libmvec.so.1`.
pub fn is_file(path: &Path) -> bool {
    is_one_of(MATHEMATICAL.into_iter().chain(C).chain(STARTED.iter().copied()), path)
}

/// Whether a file is the C library.
pub fn is_c_library(path: &Path) -> bool {
    is_one_of(C, path)
}

fn is_one_of<T: AsRef<str>>(libraries: impl IntoIterator<Item = T>, path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    libraries.into_iter().any(|own| owners::is_version_of(&name, own.as_ref()))
}

/// The row of a function.
pub fn row(name: &str) -> Option<&'static Row> {
    TABLE.get(name)
}

/// All rows, in no particular order.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.values()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        let table = read(include_str!("contracts.toml"), false).expect("it is right");
        assert!(table.len() > 300, "{}", table.len());
        let of = |name: &str| table[name].contract(&|_| None).expect(name);
        let vector = |reg, hi| RegRange { reg: REG_VECTOR + reg, lo: 0, hi };
        assert_eq!(of("pow").uses, [vector(0, 8), vector(1, 8)]);
        assert_eq!(of("cexpf").uses, [vector(0, 8)]);
        assert_eq!(of("cexp").defs, [vector(0, 64), vector(1, 64)]);
        let sincos = of("sincos");
        assert_eq!((sincos.writes, sincos.defs), (vec![(7, 8), (6, 8)], vec![]));
        assert_eq!(of("_ZGVdN4vv_pow").uses, [vector(0, 32), vector(1, 32)]);
        assert_eq!(of("lrint").defs, [RegRange { reg: 0, lo: 0, hi: 8 }]);
    }

    #[test]
    fn the_table_of_the_c_library_can_be_read() {
        let table = read(include_str!("contracts_of_c.toml"), true).expect("it is right");
        assert!(table.len() > 240, "{}", table.len());
        assert!(table["fread"].contract(&|_| None).expect("fread").deeds.is_some());
        assert!(table["puts"].contract(&|_| None).is_none(), "its stream is not known");
        assert!(row("strlen").is_some_and(|row| row.is_of(Path::new("/lib/libc.so.6")) && !row.sets_errno()));
        assert!(row("fgets").is_some_and(|row| row.is_of(Path::new("/lib/ld-musl-x86_64.so.1"))));
    }

    #[test]
    fn files_of_the_library_alone() {
        let is_of = |function: &str, file: &str| row(function).expect(function).is_of(Path::new(file));
        for name in ["/lib/libm.so.6", "libm-2.31.so", "/usr/lib/libmvec.so.1", "libm.so"] {
            assert!(is_of("exp", name), "{name}");
        }
        for name in
            ["libm-user.so", "libmine.so", "libm.so.old", "libc.so.6", "libmpi.so.40", "libstdc++.so.6"]
        {
            assert!(!is_of("exp", name), "{name}");
        }
        let init = "_ZNSt8ios_base4InitC1Ev";
        assert!(is_of(init, "/usr/lib/libstdc++.so.6.0.30") && !is_of(init, "libm.so.6"));
    }

    #[test]
    fn wrong_rows_are_refused_with_their_line() {
        let row = |prototype: &str| format!("[[function]]\nprototype = \"{prototype}\"\ninstructions = 1\n");
        let refused = |text: &str| read(text, false).expect_err(text);
        let good = row("double f(double)");
        assert!(refused(&format!("{good}{}", row("quad g(double)"))).starts_with("line 5: quad g(double)"));
        assert!(refused(&format!("{good}{good}")).contains("twice"));
        assert!(refused("[[function]]\nprototype = \"double f(double)\"\n").contains("instructions"));
        assert!(refused("[[function]]\nsize = 3\n").contains("line 2"));
        assert!(refused(&row("double f()")).contains("line 2"));
        let deed = |list: &str| {
            let text = format!(
                "[[function]]\nprototype = \"int f(pointer to, long n)\"\ndoes.{list}\ninstructions = 1\n"
            );
            read(&text, true).expect_err(list)
        };
        for (list, what) in [
            ("writes = [\"to m\"]", "line 2: int f(pointer to, long n): m: no argument of this name"),
            ("writes = [\"to\"]", "no size"),
            ("writes = [\"to n+n\"]", "no number is added"),
            ("reads = [\"to long n\"]", "no size"),
            ("reads = [\"to upto n\"]", "no greatest number"),
            ("keeps = [\"secrets\"]", "no hidden state"),
            ("write = [\"to n\"]", "unknown field"),
        ] {
            assert!(deed(list).contains(what), "{list}: {}", deed(list));
        }
    }
}
