//! Statements as text, C, isl notation and JSON. Pure functions.

use std::fmt::Write;

use serde::Serialize;

use crate::approximate::{Approximation, Exception, Which};
use crate::nest::{Bound, Level, Nest};
use crate::packed::Packed;
use crate::statement::Statement;
use crate::stream::Reconstruction;

/// How integers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// As they are.
    Signed,
    /// Negative ones stand for themselves plus 2^64.
    Unsigned,
}

impl Numbers {
    /// Unsigned or signed ones.
    pub fn of(unsigned: bool) -> Numbers {
        if unsigned { Numbers::Unsigned } else { Numbers::Signed }
    }

    /// What prints one, as a format of printf.
    fn format(self) -> &'static str {
        if self == Numbers::Unsigned { "%llu" } else { "%lld" }
    }

    fn value(self, value: i64) -> i128 {
        match self {
            Numbers::Signed => i128::from(value),
            Numbers::Unsigned => i128::from(value as u64),
        }
    }
}

/// Name of a counter.
pub(crate) fn counter(q: usize) -> String {
    format!("i{q}")
}

/// `constant + Σ coefficient·name`, constant last.
pub(crate) fn affine(coefficients: &[i64], constant: i128, times: &str) -> String {
    let mut out = String::new();
    for (q, &c) in coefficients.iter().enumerate().filter(|e| *e.1 != 0) {
        let name = counter(q);
        let sign = if c < 0 {
            "-"
        } else if out.is_empty() {
            ""
        } else {
            "+"
        };
        let spaced = if out.is_empty() { sign.to_owned() } else { format!(" {sign} ") };
        out.push_str(&spaced);
        match c.unsigned_abs() {
            1 => out.push_str(&name),
            n => {
                // Writing to a string cannot fail.
                let _ = write!(out, "{n}{times}{name}");
            }
        }
    }
    if out.is_empty() {
        return constant.to_string();
    }
    let sign = if constant < 0 { '-' } else { '+' };
    if constant != 0 {
        let _ = write!(out, " {sign} {}", constant.unsigned_abs());
    }
    out
}

/// A bound, or what is chosen among several.
fn chosen(bounds: &[Bound], which: &str, one: impl Fn(&Bound) -> String) -> String {
    let mut out = String::new();
    for (k, bound) in bounds.iter().enumerate() {
        if k == 0 {
            out = one(bound);
        } else {
            out = format!("{which}({out}, {})", one(bound));
        }
    }
    out
}

/// A reconstruction in one line: how long the trace is, how many nests of how many loops it is.
pub fn summary(found: &Reconstruction) -> String {
    let plural = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let depth = found.nests.iter().map(Statement::depth).max().unwrap_or(0) as u64;
    let (mut nests, mut integers) = (0, 0);
    for statement in &found.nests {
        match statement {
            Statement::Integers(packed) => integers += packed.count(),
            Statement::Nest(_) | Statement::Loop(_) => nests += 1,
        }
    }
    let what = match (nests, integers) {
        (0, 1..) => "no nest".to_owned(),
        (_, 0) => format!("{} of {}", plural(nests, "nest"), plural(depth, "loop")),
        _ => format!(
            "{} of {}, {} as they are",
            plural(nests, "nest"),
            plural(depth, "loop"),
            plural(integers, "integer")
        ),
    };
    format!("{} integers, {what}, exact", found.accesses)
}

/// The same of a trace with exceptions.
pub fn summary_with_exceptions(found: &Approximation) -> String {
    let count = found.exceptions.len();
    if count == 0 {
        return summary(&found.regular);
    }
    let share = count as f64 * 100.0 / found.accesses.max(1) as f64;
    let of = summary(&Reconstruction { nests: found.regular.nests.clone(), accesses: found.accesses });
    let of = of.trim_end_matches(", exact");
    format!(
        "{of} but for {count} exception{} ({share:.3} %), exact with them",
        if count == 1 { "" } else { "s" }
    )
}

/// What is said of exceptions below the statements that a trace makes but for them: their places and integers, as nests.
pub fn exceptions(found: &Approximation, options: &crate::stream::Options, numbers: Numbers) -> String {
    let mut out = String::new();
    for which in Which::ALL {
        let (places, integers) = found.traces(which, options);
        let (one, many) = match which {
            Which::Replaced => ("integer is another", "integers are others"),
            Which::Added => ("integer comes in addition, before", "integers come in addition, each before"),
            Which::Missing => ("integer is missing", "integers are missing"),
        };
        let list = |of: &Reconstruction, numbers| match of.accesses {
            0..FEW => text(&[Statement::Integers(Packed::of(&of.integers()))], numbers),
            _ => text(&of.nests, numbers),
        };
        if places.accesses == 0 {
            continue;
        }
        let words = if places.accesses == 1 { one } else { many };
        let _ = writeln!(out, "# {} {words}; place in what the loops make, from 0:", places.accesses);
        out.push_str(&list(&places, Numbers::Signed));
        if which != Which::Missing {
            let _ = writeln!(out, "# what is there:");
            out.push_str(&list(&integers, numbers));
        }
    }
    out
}

/// Fewer exceptions are listed, whatever rule they might follow.
const FEW: u64 = 8;

/// What a statement looks like, line by line.
trait Style {
    /// The head of a loop over counter `q`, and whether several statements follow in it.
    fn head(&mut self, q: usize, level: &Level, several: bool);
    /// An access under so many loops.
    fn access(&mut self, depth: usize, nest: &Nest);
    /// Integers as they are.
    fn integers(&mut self, values: &[i64]);
    /// The loop over counter `q`, in which several statements stood, is over.
    fn end(&mut self, q: usize);
}

/// Writes a statement under so many loops.
fn write_statement(statement: &Statement, outer: usize, style: &mut impl Style) {
    match statement {
        Statement::Nest(nest) => {
            for (q, level) in nest.levels.iter().enumerate() {
                style.head(outer + q, level, false);
            }
            style.access(outer + nest.depth(), nest);
        }
        Statement::Loop(l) => {
            style.head(outer, &l.level, true);
            l.body.iter().for_each(|inner| write_statement(inner, outer + 1, style));
            style.end(outer);
        }
        Statement::Integers(packed) => style.integers(&packed.values()),
    }
}

/// Loops as the publications print them, each access a line with its address.
pub fn text(statements: &[Statement], numbers: Numbers) -> String {
    let mut text = Text(String::new(), numbers);
    statements.iter().for_each(|statement| write_statement(statement, 0, &mut text));
    text.0
}

/// One statement under so many loops, as text.
pub fn part(statement: &Statement, outer: usize) -> String {
    let mut text = Text(String::new(), Numbers::Signed);
    write_statement(statement, outer, &mut text);
    text.0
}

/// The loop over counter `q`, as text.
pub(crate) fn loop_text(q: usize, level: &Level) -> String {
    let side = |bounds: &[Bound], which: &str, round: &str| {
        let one = |b: &Bound| {
            let sum = affine(&b.coefficients, b.constant.into(), "*");
            if b.divisor == 1 { sum } else { format!("{round}(({sum})/{})", b.divisor) }
        };
        match bounds {
            [b] => one(b),
            _ => format!("{which}({})", bounds.iter().map(one).collect::<Vec<_>>().join(", ")),
        }
    };
    let (low, high) = (side(&level.lower, "max", "ceil"), side(&level.upper, "min", "floor"));
    format!("for {} = {low} .. {high}", counter(q))
}

struct Text(String, Numbers);

// Writing to a string cannot fail.
impl Style for Text {
    fn head(&mut self, q: usize, level: &Level, _: bool) {
        let _ = writeln!(self.0, "{:indent$}{}", "", loop_text(q, level), indent = 2 * q);
    }

    fn access(&mut self, depth: usize, nest: &Nest) {
        let address = affine(&nest.coefficients, self.1.value(nest.base), "*");
        let _ = writeln!(self.0, "{:indent$}{address}", "", indent = 2 * depth);
    }

    fn integers(&mut self, values: &[i64]) {
        values.iter().for_each(|&value| {
            let _ = writeln!(self.0, "{}", self.1.value(value));
        });
    }

    fn end(&mut self, _: usize) {}
}

/// All loops of statements.
fn levels<'a>(statements: &'a [Statement], visit: &mut dyn FnMut(&'a Level)) {
    for statement in statements {
        match statement {
            Statement::Nest(nest) => nest.levels.iter().for_each(&mut *visit),
            Statement::Loop(l) => {
                visit(&l.level);
                levels(&l.body, visit);
            }
            Statement::Integers(_) => {}
        }
    }
}

/// The functions of C that bounds of these loops need.
pub(crate) fn c_helpers(levels: &[&Level]) -> String {
    let mut out = String::new();
    let any = |of: &dyn Fn(&Level) -> bool| levels.iter().any(|level| of(level));
    if any(&|level| level.lower.iter().chain(&level.upper).any(|b| b.divisor != 1)) {
        out.push_str(
            "static long long down(long long a, long long b) { return a / b - (a % b < 0); }\n\
             static long long up(long long a, long long b) { return a / b + (a % b > 0); }\n",
        );
    }
    if any(&|level| level.lower.len() > 1 || level.upper.len() > 1) {
        out.push_str(
            "static long long least(long long a, long long b) { return a < b ? a : b; }\n\
             static long long most(long long a, long long b) { return a > b ? a : b; }\n",
        );
    }
    out
}

/// First and last value of a counter as expressions of C, with [`c_helpers`].
pub(crate) fn c_range(level: &Level) -> (String, String) {
    let term = |b: &Bound, round: &str| {
        let sum = c_affine(&b.coefficients, b.constant);
        if b.divisor == 1 { sum } else { format!("{round}({sum}, {}LL)", b.divisor) }
    };
    (chosen(&level.lower, "most", |b| term(b, "up")), chosen(&level.upper, "least", |b| term(b, "down")))
}

/// The head of the loop over counter `q` in C, with [`c_helpers`].
pub(crate) fn c_head(q: usize, level: &Level) -> String {
    let (i, (low, high)) = (counter(q), c_range(level));
    format!("for (long long {i} = {low}, end{q} = {high}; {i} <= end{q}; {i}++)")
}

/// A C program that prints the integers, one per line.
pub fn c(statements: &[Statement], numbers: Numbers) -> String {
    c_with_exceptions(statements, &[], numbers)
}

/// A C program that prints the integers of a trace that its statements make but for exceptions, one per line.
pub fn c_with_exceptions(statements: &[Statement], exceptions: &[Exception], numbers: Numbers) -> String {
    let mut all = Vec::new();
    levels(statements, &mut |level| all.push(level));
    let helpers = c_helpers(&all);
    let gap = if helpers.is_empty() { "" } else { "\n" };
    let mut out = format!("#include <stdio.h>\n\n{helpers}{gap}");
    let of = |which: Which| exceptions.iter().filter(move |e| Which::of(e.change) == which);
    if !exceptions.is_empty() {
        // A kind alone does not need to be looked at; an empty list would be no C.
        for which in Which::ALL {
            c_list(&mut out, which, of(which));
        }
        let _ = write!(out, "{}", C_EXCEPTIONS.replace("FORMAT", numbers.format()));
    }
    out.push_str("int main(void) {\n");
    let print = if exceptions.is_empty() {
        format!("printf(\"{}\\n\", ", numbers.format())
    } else {
        "regular(".to_owned()
    };
    let mut program = C { out, print };
    statements.iter().for_each(|statement| write_statement(statement, 0, &mut program));
    let mut out = program.out;
    if !exceptions.is_empty() {
        out.push_str("    added_here();\n");
    }
    out.push_str("    return 0;\n}\n");
    out
}

/// What prints an integer of a trace with exceptions.
const C_EXCEPTIONS: &str = "\
static long long place, next_replaced, next_added, next_missing;

static void added_here(void) {
    for (; added_at[next_added] == place; next_added++)
        printf(\"FORMAT\\n\", added[next_added]);
}

static void regular(long long value) {
    added_here();
    if (replaced_at[next_replaced] == place)
        printf(\"FORMAT\\n\", replaced[next_replaced++]);
    else if (missing_at[next_missing] == place)
        next_missing++;
    else
        printf(\"FORMAT\\n\", value);
    place++;
}

";

/// The places of exceptions of a kind, ended by -1, and the integers there.
fn c_list<'a>(out: &mut String, which: Which, exceptions: impl Iterator<Item = &'a Exception>) {
    let (places, integers): (Vec<String>, Vec<Option<i64>>) =
        exceptions.map(|e| (e.place.to_string(), e.change.integer())).unzip();
    let end = ["-1".to_owned()];
    let places: Vec<&str> = places.iter().chain(&end).map(String::as_str).collect();
    c_array(out, &format!("{}_at", which.name()), &places);
    if which != Which::Missing {
        let integers: Vec<String> = integers.into_iter().flatten().chain([0]).map(literal).collect();
        c_array(out, which.name(), &integers.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

fn c_array(out: &mut String, name: &str, numbers: &[&str]) {
    let _ = writeln!(out, "static const long long {name}[] = {{");
    for line in numbers.chunks(IN_A_LINE) {
        let _ = writeln!(out, "    {},", line.join(", "));
    }
    out.push_str("};\n");
}

struct C {
    out: String,
    /// The beginning of what prints an integer.
    print: String,
}

/// Integers on a line of C.
const IN_A_LINE: usize = 8;

impl Style for C {
    fn head(&mut self, q: usize, level: &Level, several: bool) {
        let (head, brace) = (c_head(q, level), if several { " {" } else { "" });
        let _ = writeln!(self.out, "{:indent$}{head}{brace}", "", indent = 4 + 2 * q);
    }

    fn access(&mut self, depth: usize, nest: &Nest) {
        let address = c_affine(&nest.coefficients, nest.base);
        let _ = writeln!(self.out, "{:indent$}{}{address});", "", self.print, indent = 4 + 2 * depth);
    }

    fn integers(&mut self, values: &[i64]) {
        self.out.push_str("    {\n        static const long long list[] = {\n");
        for line in values.chunks(IN_A_LINE) {
            let line: Vec<String> = line.iter().map(|&v| literal(v)).collect();
            let _ = writeln!(self.out, "            {},", line.join(", "));
        }
        let _ = writeln!(
            self.out,
            "        }};\n        for (long long k = 0; k < {}; k++)\n            {}list[k]);\n    }}",
            values.len(),
            self.print
        );
    }

    fn end(&mut self, q: usize) {
        let _ = writeln!(self.out, "{:indent$}}}", "", indent = 4 + 2 * q);
    }
}

/// An integer as a C expression of type long long.
fn literal(value: i64) -> String {
    match value {
        i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        v if v < 0 => format!("({v}LL)"),
        v => format!("{v}LL"),
    }
}

/// An affine sum as a C expression of type long long.
pub(crate) fn c_affine(coefficients: &[i64], constant: i64) -> String {
    let mut terms: Vec<String> = Vec::new();
    for (q, &c) in coefficients.iter().enumerate().filter(|e| *e.1 != 0) {
        terms.push(if c == 1 { counter(q) } else { format!("{}*{}", literal(c), counter(q)) });
    }
    if constant != 0 || terms.is_empty() {
        terms.push(literal(constant));
    }
    terms.join(" + ")
}

/// isl notation: per access its domain, the order and the address. Where loops have several statements in them, the order
/// has the position in each body after the counter of its loop, and is as long for every access.
pub fn isl(statements: &[Statement], numbers: Numbers) -> String {
    let mut isl = Isl {
        out: String::new(),
        numbers,
        width: statements.iter().map(ordered).max().unwrap_or(0),
        constraints: Vec::new(),
    };
    for (k, statement) in statements.iter().enumerate() {
        isl.statement(statement, &format!("S{k}"), &mut vec![k.to_string()], 0);
    }
    isl.out
}

/// Length of the longest order in a statement with several in a loop; 0 for others.
fn ordered(statement: &Statement) -> usize {
    fn longest(statement: &Statement) -> usize {
        match statement {
            Statement::Nest(nest) => nest.depth(),
            Statement::Loop(l) => 2 + l.body.iter().map(longest).max().unwrap_or(0),
            Statement::Integers(_) => 0,
        }
    }
    if matches!(statement, Statement::Loop(_)) { 1 + longest(statement) } else { 0 }
}

/// The bounds of counter `q`, in isl notation.
pub(crate) fn isl_bounds(q: usize, level: &Level) -> Vec<String> {
    let one = |b: &Bound, relation: &str| {
        let left = if b.divisor == 1 { counter(q) } else { format!("{}{}", b.divisor, counter(q)) };
        let right = affine(&b.coefficients, b.constant.into(), "");
        format!("{left} {relation} {right}")
    };
    let lower = level.lower.iter().map(|b| one(b, ">="));
    lower.chain(level.upper.iter().map(|b| one(b, "<="))).collect()
}

struct Isl {
    out: String,
    numbers: Numbers,
    /// Least length of an order.
    width: usize,
    /// Those of the loops around.
    constraints: Vec<String>,
}

impl Isl {
    fn bound(&mut self, q: usize, level: &Level) {
        self.constraints.extend(isl_bounds(q, level));
    }

    fn write(&mut self, name: &str, depth: usize, order: &[String], access: &[(String, String)]) {
        let names: Vec<String> = (0..depth).map(counter).collect();
        let tuple = format!("{name}[{}]", names.join(", "));
        let condition = match self.constraints.is_empty() {
            true => String::new(),
            false => format!(" : {}", self.constraints.join(" and ")),
        };
        let mut order = order.to_vec();
        order.resize(self.width.max(order.len()), "0".to_owned());
        let access: Vec<String> =
            access.iter().map(|(at, address)| format!("{name}[{at}] -> M[{address}]")).collect();
        let _ = writeln!(self.out, "domain:   {{ {tuple}{condition} }}");
        let _ = writeln!(self.out, "schedule: {{ {tuple} -> [{}] }}", order.join(", "));
        let _ = writeln!(self.out, "access:   {{ {} }}", access.join("; "));
    }

    fn statement(&mut self, statement: &Statement, name: &str, order: &mut Vec<String>, outer: usize) {
        let (constraints, length) = (self.constraints.len(), order.len());
        match statement {
            Statement::Nest(nest) => {
                for (q, level) in nest.levels.iter().enumerate() {
                    self.bound(outer + q, level);
                    order.push(counter(outer + q));
                }
                let depth = outer + nest.depth();
                let at = (0..depth).map(counter).collect::<Vec<_>>().join(", ");
                let address = affine(&nest.coefficients, self.numbers.value(nest.base), "");
                self.write(name, depth, order, &[(at, address)]);
            }
            Statement::Loop(l) => {
                self.bound(outer, &l.level);
                order.push(counter(outer));
                for (k, inner) in l.body.iter().enumerate() {
                    order.push(k.to_string());
                    self.statement(inner, &format!("{name}_{k}"), order, outer + 1);
                    order.pop();
                }
            }
            Statement::Integers(packed) => {
                let last = packed.count().saturating_sub(1);
                self.constraints.push(format!("i0 >= 0 and i0 <= {last}"));
                order.push(counter(0));
                let list = packed.values();
                let access: Vec<_> = list
                    .iter()
                    .enumerate()
                    .map(|(k, &v)| (k.to_string(), self.numbers.value(v).to_string()))
                    .collect();
                self.write(name, 1, order, &access);
            }
        }
        self.constraints.truncate(constraints);
        order.truncate(length);
    }
}

/// Schema `loopwright.nest/1`.
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    accesses: u64,
    exact: bool,
    bytes: u64,
    /// The nests of the only stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    nests: Option<Vec<WireStatement>>,
    streams: Vec<WireStream>,
}

#[derive(Debug, Serialize)]
struct WireStream {
    id: String,
    accesses: u64,
    exact: bool,
    bytes: u64,
    nests: Vec<WireStatement>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exceptions: Vec<WireException>,
}

/// Where a trace is another than its nests make it.
#[derive(Debug, Serialize)]
struct WireException {
    /// Which integer of the nests.
    place: u64,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    integer: Option<Number>,
}

fn wire_exception(e: &Exception, numbers: Numbers) -> WireException {
    WireException {
        place: e.place,
        kind: Which::of(e.change).name(),
        integer: e.change.integer().map(|value| numbers.wire(value)),
    }
}

/// Loops around one access, around a body of several statements, or integers.
#[derive(Debug, Serialize)]
struct WireStatement {
    depth: usize,
    levels: Vec<WireLevel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<WireAccess>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Vec<WireStatement>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    integers: Option<Vec<Number>>,
    /// Of a whole statement; how often one in a body is executed depends on the loops around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    accesses: Option<u64>,
}

#[derive(Debug, Serialize)]
struct WireLevel {
    lower: Vec<WireAffine>,
    upper: Vec<WireAffine>,
}

#[derive(Debug, Serialize)]
struct WireAccess {
    base: Number,
    coefficients: Vec<i64>,
}

/// An integer of the trace.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Number {
    Signed(i64),
    Unsigned(u64),
}

impl Numbers {
    fn wire(self, value: i64) -> Number {
        match self {
            Numbers::Signed => Number::Signed(value),
            Numbers::Unsigned => Number::Unsigned(value as u64),
        }
    }
}

/// `terms` are pairs (coefficient, level of the counter).
#[derive(Debug, Serialize)]
struct WireAffine {
    terms: Vec<(i64, usize)>,
    constant: i64,
    divisor: i64,
}

fn wire_level(level: &Level) -> WireLevel {
    let bound = |b: &Bound| WireAffine {
        terms: b.coefficients.iter().enumerate().filter(|e| *e.1 != 0).map(|(q, &c)| (c, q)).collect(),
        constant: b.constant,
        divisor: b.divisor,
    };
    WireLevel {
        lower: level.lower.iter().map(bound).collect(),
        upper: level.upper.iter().map(bound).collect(),
    }
}

/// A statement; `whole` if it stands in no loop.
fn wire(statement: &Statement, whole: bool, numbers: Numbers) -> WireStatement {
    let accesses = whole.then(|| u64::try_from(statement.accesses()).unwrap_or(u64::MAX));
    let depth = statement.depth();
    let empty = WireStatement { depth, levels: vec![], access: None, body: None, integers: None, accesses };
    match statement {
        Statement::Nest(nest) => WireStatement {
            levels: nest.levels.iter().map(wire_level).collect(),
            access: Some(WireAccess {
                base: numbers.wire(nest.base),
                coefficients: nest.coefficients.clone(),
            }),
            ..empty
        },
        Statement::Loop(l) => WireStatement {
            levels: vec![wire_level(&l.level)],
            body: Some(l.body.iter().map(|inner| wire(inner, false, numbers)).collect()),
            ..empty
        },
        Statement::Integers(packed) => WireStatement {
            integers: Some(packed.values().into_iter().map(|v| numbers.wire(v)).collect()),
            ..empty
        },
    }
}

/// One stream as the renderers need it.
#[derive(Debug, Clone, Copy)]
pub struct Stream<'a> {
    /// Its name.
    pub id: &'a str,
    /// Its statements, in order.
    pub nests: &'a [Statement],
    /// Length of the trace.
    pub accesses: u64,
    /// Size of the statements in a compressed file.
    pub bytes: u64,
    /// Where the trace is another than the statements make it.
    pub exceptions: &'a [Exception],
}

/// JSON, schema `loopwright.nest/1`: a list of streams; the nests of an only one also in the document itself. The streams
/// given must have been verified: the document says that they are exact.
pub fn json(streams: &[Stream<'_>], numbers: Numbers) -> String {
    let total = |f: fn(&Stream<'_>) -> u64| streams.iter().map(f).sum();
    let list =
        |s: &Stream<'_>| s.nests.iter().map(|statement| wire(statement, true, numbers)).collect::<Vec<_>>();
    let stream = |s: &Stream<'_>| WireStream {
        id: s.id.to_owned(),
        accesses: s.accesses,
        exact: true,
        bytes: s.bytes,
        nests: list(s),
        exceptions: s.exceptions.iter().map(|e| wire_exception(e, numbers)).collect(),
    };
    let document = Document {
        schema: "loopwright.nest/1",
        accesses: total(|s| s.accesses),
        exact: true,
        bytes: total(|s| s.bytes),
        nests: match streams {
            [] => Some(Vec::new()),
            [one] => Some(list(one)),
            _ => None,
        },
        streams: streams.iter().map(stream).collect(),
    };
    // Integers, strings and lists always serialise.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest() -> Statement {
        let bound = |c: &[i64], constant, divisor| Bound { coefficients: c.to_vec(), constant, divisor };
        Nest {
            levels: vec![
                Level { lower: vec![bound(&[], 0, 1)], upper: vec![bound(&[], 9, 1)] },
                Level {
                    lower: vec![bound(&[0], 0, 1), bound(&[1], -5, 1)],
                    upper: vec![bound(&[1], 15, 3), bound(&[0], 7, 1)],
                },
            ],
            base: -4,
            coefficients: vec![100, -1],
        }
        .into()
    }

    /// `for i0 <= 9 { 2*i0; for i1 <= i0 { i1 + 7 } }`
    fn imperfect() -> Statement {
        let bound = |c: &[i64], constant| Bound { coefficients: c.to_vec(), constant, divisor: 1 };
        let level = |upper: Bound| Level {
            lower: vec![Bound::constant(upper.coefficients.len(), 0)],
            upper: vec![upper],
        };
        let access = |base, coefficients: &[i64]| -> Statement {
            Nest { levels: Vec::new(), base, coefficients: coefficients.to_vec() }.into()
        };
        let inner = Statement::of_loop(level(bound(&[1], 0)), vec![access(7, &[0, 1])]);
        Statement::of_loop(level(bound(&[], 9)), vec![access(0, &[2]), inner])
    }

    #[test]
    fn text_names_all_bounds() {
        let expected =
            "for i0 = 0 .. 9\n  for i1 = max(0, i0 - 5) .. min(floor((i0 + 15)/3), 7)\n    100*i0 - i1 - 4\n";
        assert_eq!(text(&[nest()], Numbers::Signed), expected);
        assert_eq!(text(&[Nest::point(5).into()], Numbers::Signed), "5\n");
        let expected = "for i0 = 0 .. 9\n  2*i0\n  for i1 = 0 .. i0\n    i1 + 7\n3\n1\n";
        assert_eq!(text(&[imperfect(), Statement::Integers(Packed::of(&[3, 1]))], Numbers::Signed), expected);
    }

    #[test]
    fn the_summary_counts_nests_and_integers() {
        let of = |nests: Vec<Statement>| summary(&Reconstruction { nests, accesses: 9 });
        let two = Statement::Integers(Packed::of(&[3, 1]));
        assert_eq!(of(vec![imperfect()]), "9 integers, 1 nest of 2 loops, exact");
        assert_eq!(of(vec![two.clone()]), "9 integers, no nest, exact");
        assert_eq!(of(vec![nest(), two]), "9 integers, 1 nest of 2 loops, 2 integers as they are, exact");
    }

    #[test]
    fn loops_of_several_statements_have_braces_and_positions() {
        let program = c(&[imperfect()], Numbers::Signed);
        assert!(program.contains("i0 <= end0; i0++) {\n      printf(\"%lld\\n\", 2LL*i0);\n"), "{program}");
        assert!(program.contains("printf(\"%lld\\n\", i1 + 7LL);\n    }\n"), "{program}");
        let notation = isl(&[imperfect(), nest()], Numbers::Signed);
        assert!(notation.contains("schedule: { S0_0[i0] -> [0, i0, 0, 0] }"), "{notation}");
        assert!(notation.contains("schedule: { S0_1[i0, i1] -> [0, i0, 1, i1] }"), "{notation}");
        assert!(notation.contains("i0 <= 9 and i1 >= 0 and i1 <= i0 }"), "{notation}");
        assert!(notation.contains("schedule: { S1[i0, i1] -> [1, i0, i1, 0] }"), "{notation}");
        let notation = isl(&[Statement::Integers(Packed::of(&[3, 1]))], Numbers::Signed);
        assert!(notation.contains("access:   { S0[0] -> M[3]; S0[1] -> M[1] }"), "{notation}");
    }

    #[test]
    fn unsigned_integers_are_written_as_such() {
        let high: Statement = Nest::line(-4096, 8, 3).into();
        assert!(
            text(std::slice::from_ref(&high), Numbers::Unsigned).ends_with("8*i0 + 18446744073709547520\n")
        );
        assert!(c(std::slice::from_ref(&high), Numbers::Unsigned).contains("%llu"));
        let stream = Stream { id: "a", nests: &[high], accesses: 3, bytes: 3, exceptions: &[] };
        assert!(json(&[stream], Numbers::Unsigned).contains("18446744073709547520"));
    }

    #[test]
    fn isl_multiplies_instead_of_dividing() {
        let text = isl(&[nest()], Numbers::Signed);
        assert!(text.contains("3i1 <= i0 + 15 and i1 <= 7"), "{text}");
        assert!(text.contains("{ S0[i0, i1] -> M[100i0 - i1 - 4] }"), "{text}");
    }

    #[test]
    fn json_has_the_fields_of_its_schema() {
        let nests = [nest()];
        let stream = Stream { id: "a", nests: &nests, accesses: 10, bytes: 3, exceptions: &[] };
        let one: serde_json::Value = serde_json::from_str(&json(&[stream], Numbers::Signed)).expect("JSON");
        assert_eq!(one["schema"], "loopwright.nest/1");
        assert_eq!(one["nests"][0]["levels"][1]["upper"][0]["divisor"], 3);
        assert_eq!(one["nests"][0]["levels"][1]["upper"][0]["terms"][0], serde_json::json!([1, 0]));
        assert_eq!(one["nests"][0]["access"]["coefficients"], serde_json::json!([100, -1]));
        let two: serde_json::Value =
            serde_json::from_str(&json(&[stream, stream], Numbers::Signed)).expect("JSON");
        assert_eq!((&two["streams"][1]["id"], &two["accesses"]), (&"a".into(), &20.into()));
        assert_eq!(one["streams"][0]["nests"], one["nests"]);
        let nests = [imperfect(), Statement::Integers(Packed::of(&[3, 1]))];
        let stream = Stream { id: "a", nests: &nests, accesses: 67, bytes: 3, exceptions: &[] };
        let one: serde_json::Value = serde_json::from_str(&json(&[stream], Numbers::Signed)).expect("JSON");
        assert_eq!((&one["nests"][0]["depth"], &one["nests"][0]["accesses"]), (&2.into(), &65.into()));
        assert_eq!(
            one["nests"][0]["body"][1]["levels"][0]["upper"][0]["terms"][0],
            serde_json::json!([1, 0])
        );
        assert_eq!(one["nests"][1]["integers"], serde_json::json!([3, 1]));
    }
}
