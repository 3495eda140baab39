//! The tables of a profile.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_json::ReaderBuilder;
use arrow_schema::Schema;
use profile::{Operation, Profile};
use report::{Report, isl, wire};
use serde::Serialize;
use serde_json::Value;

use crate::{Error, schema};

/// A table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// Loops of the source, as the JSON report has them.
    Loops,
    /// Nests of loops with what they could become, as the JSON report has them.
    Nests,
    /// Instructions in their contexts, with their iterations.
    Statements,
    /// Memory operands, with their addresses.
    Accesses,
    /// Dependences between statements.
    Dependences,
}

impl Name {
    /// All, with the names of their files.
    pub const ALL: [(&str, Name); 5] = [
        ("loops", Name::Loops),
        ("nests", Name::Nests),
        ("statements", Name::Statements),
        ("accesses", Name::Accesses),
        ("dependences", Name::Dependences),
    ];
}

/// A table of a profile.
///
/// # Errors
/// Never for what a [`Report`] holds; see [`Error`].
pub fn table(report: &Report<'_>, name: Name) -> Result<RecordBatch, Error> {
    let profile = report.profile;
    match name {
        Name::Loops => batch(schema::loops(), &of_report(report, "loops")?),
        Name::Nests => batch(schema::nests(), &of_report(report, "nests")?),
        Name::Statements => batch(schema::statements(), &statements(report)),
        Name::Accesses => batch(schema::accesses(), &accesses(profile)),
        Name::Dependences => batch(schema::dependences(), &dependences(profile)),
    }
}

/// Rows as a batch. What no column takes is an error.
fn batch<R: Serialize>(schema: Schema, rows: &[R]) -> Result<RecordBatch, Error> {
    let schema = Arc::new(schema);
    let reader = ReaderBuilder::new(Arc::clone(&schema)).with_batch_size(rows.len().max(1));
    let mut decoder = reader.with_strict_mode(true).build_decoder()?;
    decoder.serialize(rows)?;
    Ok(decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(schema)))
}

/// A list of the JSON report.
fn of_report(report: &Report<'_>, list: &str) -> Result<Vec<Value>, Error> {
    let mut root: Value = serde_json::from_str(&wire::json(report))?;
    let Value::Array(mut rows) = root[list].take() else { return Ok(Vec::new()) };
    rows.iter_mut().for_each(without_stars);
    Ok(rows)
}

/// Null where a distance or stride varies.
fn without_stars(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::Array(numbers) if name == "distance" || name == "strides" => {
                        numbers.iter_mut().filter(|n| n.is_string()).for_each(|n| *n = Value::Null);
                    }
                    _ => without_stars(field),
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(without_stars),
        _ => {}
    }
}

#[derive(Serialize)]
struct Statement<'a> {
    statement: u32,
    input: usize,
    loops: Vec<&'a str>,
    pc: u64,
    function: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    operation: &'static str,
    float: bool,
    executions: u64,
    is_exact: bool,
    domain: String,
}

fn statements<'a>(report: &'a Report<'_>) -> Vec<Statement<'a>> {
    let profile = report.profile;
    let entry_of = schedule::by_context(&report.loops);
    let row = |(index, own): (u32, &profile::Statement)| {
        let context = profile.context_of(index);
        let around = profile.loops_around(context);
        let ids = around.iter().filter_map(|at| entry_of.get(at)).map(|&at| report.loops[at].id.as_str());
        let at = profile.location_of(index);
        let block = &profile.blocks[own.block as usize];
        Statement {
            statement: index,
            input: profile.run_of(context),
            loops: ids.collect(),
            pc: own.pc,
            function: &at.function,
            file: &at.file,
            line: at.line,
            column: at.column,
            operation: operation(own.operation),
            float: own.float,
            executions: block.executions,
            is_exact: !block.domain.is_empty() && block.domain.iter().all(fold::Folded::is_exact),
            domain: isl::domain(profile, index),
        }
    };
    (0u32..).zip(&profile.statements).map(row).collect()
}

fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Copy => "copy",
        Operation::Constant => "constant",
        Operation::Shuffle => "shuffle",
        Operation::Add => "add",
        Operation::Multiply => "multiply",
        Operation::Minimum => "minimum",
        Operation::Maximum => "maximum",
        Operation::And => "and",
        Operation::Or => "or",
        Operation::Xor => "xor",
        Operation::Compare => "compare",
        Operation::Convert => "convert",
        Operation::Control => "control",
        Operation::System => "system",
        Operation::Divide => "divide",
        Operation::Shift => "shift",
        Operation::Select => "select",
        Operation::Other => "other",
    }
}

#[derive(Serialize)]
struct Access {
    access: u32,
    statement: u32,
    write: bool,
    size: u32,
    executions: u64,
    is_exact: bool,
    lowest: Option<i64>,
    end: Option<i64>,
    addresses: String,
}

fn accesses(profile: &Profile) -> Vec<Access> {
    let row = |(index, own): (u32, &profile::Access)| {
        let bytes = own.bytes();
        Access {
            access: index,
            statement: own.statement,
            write: own.write,
            size: own.size,
            executions: own.executions,
            is_exact: !own.address.is_empty() && own.address.iter().all(fold::Folded::is_exact),
            lowest: bytes.map(|bytes| bytes.0),
            end: bytes.map(|bytes| bytes.1),
            addresses: isl::access(profile, own),
        }
    };
    (0u32..).zip(&profile.accesses).map(row).collect()
}

#[derive(Serialize)]
struct Dependence<'a> {
    kind: &'static str,
    via: &'static str,
    source: u32,
    sink: u32,
    source_access: Option<u32>,
    sink_access: Option<u32>,
    common: u8,
    count: u64,
    levels: Vec<Level<'a>>,
    relation: String,
}

#[derive(Serialize)]
struct Level<'a> {
    level: u8,
    count: u64,
    minimum: &'a [i64],
    maximum: &'a [i64],
    source_iv: &'a [i64],
    sink_iv: &'a [i64],
    address: u64,
    objects: Vec<&'a str>,
}

fn dependences(profile: &Profile) -> Vec<Dependence<'_>> {
    let row = |own| Dependence {
        kind: report::finding::kind_name(own),
        via: report::finding::via_name(own),
        source: own.source,
        sink: own.sink,
        source_access: own.source_access,
        sink_access: own.sink_access,
        common: own.common,
        count: own.count,
        levels: own.levels.iter().map(|level| of_level(profile, level)).collect(),
        relation: isl::dependence(profile, own),
    };
    profile.dependences.iter().map(row).collect()
}

fn of_level<'a>(profile: &'a Profile, own: &'a profile::LevelSummary) -> Level<'a> {
    let name = |used: &profile::ObjectUse| {
        profile.objects.get(used.object as usize).map_or("", |object| object.name.as_str())
    };
    Level {
        level: own.level,
        count: own.count,
        minimum: &own.minimum,
        maximum: &own.maximum,
        source_iv: &own.source_iv,
        sink_iv: &own.sink_iv,
        address: own.address,
        objects: own.objects.iter().map(name).collect(),
    }
}
