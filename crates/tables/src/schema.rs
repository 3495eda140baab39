//! The columns of every table.
//!
//! Those of loops and nests are the fields of `loopwright.report/1`; where that has `"*"` for a distance or stride that is not
//! constant, the table has null.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema};

/// A column that always has a value.
fn is(name: &str, kind: DataType) -> Field {
    Field::new(name, kind, false)
}

/// A column that may have none.
fn may(name: &str, kind: DataType) -> Field {
    Field::new(name, kind, true)
}

const TEXT: DataType = DataType::Utf8;
const COUNT: DataType = DataType::UInt64;
const INDEX: DataType = DataType::UInt32;
const INTEGER: DataType = DataType::Int64;
const FRACTION: DataType = DataType::Float64;
const TRUTH: DataType = DataType::Boolean;

fn list(of: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(of, false)))
}

/// A list of numbers some of which are not known.
fn known_or_not(of: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(of, true)))
}

fn record(fields: Vec<Field>) -> DataType {
    DataType::Struct(Fields::from(fields))
}

fn place() -> DataType {
    record(vec![is("file", TEXT), is("line", INDEX), is("pc", COUNT)])
}

fn blocking() -> DataType {
    let object = record(vec![is("name", TEXT), is("offset", INTEGER)]);
    let example =
        record(vec![is("source_iv", list(INTEGER)), is("sink_iv", list(INTEGER)), is("address", COUNT)]);
    record(vec![
        is("kind", TEXT),
        is("via", TEXT),
        is("distance", known_or_not(INTEGER)),
        is("source", place()),
        is("sink", place()),
        may("object", object),
        is("example", example),
        may("between_members", TRUTH),
        is("count", COUNT),
        may("input", COUNT),
    ])
}

/// Of loops.
pub fn loops() -> Schema {
    let trips = record(vec![may("minimum", COUNT), is("mean", FRACTION), may("maximum", COUNT)]);
    let input =
        record(vec![is("input", COUNT), is("parallel", TEXT), is("entries", COUNT), is("iterations", COUNT)]);
    let need =
        record(vec![is("variable", TEXT), is("way", TEXT), may("bytes", COUNT), is("lines", list(INDEX))]);
    let reduction = record(vec![is("operator", TEXT), may("variable", TEXT), is("line", INDEX)]);
    let part = record(vec![is("lines", list(INDEX)), is("parallel", TRUTH)]);
    let tried = record(vec![
        is("kept", TRUTH),
        may("why", TEXT),
        is("alone", TRUTH),
        may("threads", INDEX),
        may("speedup", FRACTION),
        may("same_output", INDEX),
        may("runs", INDEX),
    ]);
    let race = record(vec![is("kind", TEXT), may("variable", TEXT), is("lines", list(INDEX))]);
    let doubt = record(vec![is("variable", TEXT), is("lines", list(INDEX)), is("why", TEXT)]);
    let existing = record(vec![
        is("directive", TEXT),
        is("line", INDEX),
        is("parallel", TRUTH),
        is("races", list(race)),
        is("unknown", list(doubt)),
    ]);
    let access = record(vec![
        is("line", INDEX),
        is("op", TEXT),
        is("size", INDEX),
        is("strides", known_or_not(INTEGER)),
        is("executions", COUNT),
    ]);
    Schema::new(vec![
        is("id", TEXT),
        is("function", TEXT),
        may("file", TEXT),
        may("line", INDEX),
        may("column", INDEX),
        may("parent", TEXT),
        is("depth", COUNT),
        is("context", list(TEXT)),
        is("recursive", TRUTH),
        is("main", TRUTH),
        is("entries", COUNT),
        is("iterations", COUNT),
        is("trip_count", trips),
        is("instructions", COUNT),
        is("ops_fraction", FRACTION),
        is("parallel", TEXT),
        may("inputs", list(input)),
        may("class", TEXT),
        is("needs", list(need)),
        is("blocking", list(blocking())),
        is("privatise", list(TEXT)),
        is("reductions", list(reduction)),
        may("directive", TEXT),
        may("directive_alone", TEXT),
        may("algorithm", TEXT),
        may("directive_withheld", TEXT),
        may("tried", tried),
        may("existing", existing),
        is("data_dependent_trip_count", TRUTH),
        may("reason", TEXT),
        may("stride01_fraction", FRACTION),
        is("distribution", list(part)),
        is("simd", TRUTH),
        may("simd_lanes", INTEGER),
        is("accesses", list(access)),
    ])
}

/// Of nests.
pub fn nests() -> Schema {
    let advice =
        record(vec![is("kind", TEXT), is("loops", list(TEXT)), is("why", TEXT), is("lines", list(INDEX))]);
    let metrics = record(vec![
        is("aff", FRACTION),
        is("par_ops", FRACTION),
        is("simd_ops", FRACTION),
        may("reuse", FRACTION),
        may("preuse", FRACTION),
        is("til_ops", FRACTION),
        is("components_before", COUNT),
        may("components_after", COUNT),
        may("fusion", TEXT),
    ]);
    Schema::new(vec![
        is("loops", list(TEXT)),
        is("permutable", list(list(TEXT))),
        is("tilable_depth", COUNT),
        may("skew", list(list(INTEGER))),
        is("advice", list(advice)),
        is("judged_by_ranges", TRUTH),
        may("metrics", metrics),
    ])
}

/// Of statements: instructions in their contexts.
pub fn statements() -> Schema {
    Schema::new(vec![
        is("statement", INDEX),
        is("input", COUNT),
        is("loops", list(TEXT)),
        is("pc", COUNT),
        is("function", TEXT),
        is("file", TEXT),
        is("line", INDEX),
        is("column", INDEX),
        is("operation", TEXT),
        is("float", TRUTH),
        is("executions", COUNT),
        is("is_exact", TRUTH),
        is("domain", TEXT),
    ])
}

/// Of memory operands.
pub fn accesses() -> Schema {
    Schema::new(vec![
        is("access", INDEX),
        is("statement", INDEX),
        is("write", TRUTH),
        is("size", INDEX),
        is("executions", COUNT),
        is("is_exact", TRUTH),
        may("lowest", INTEGER),
        may("end", INTEGER),
        is("addresses", TEXT),
    ])
}

/// Of dependences.
pub fn dependences() -> Schema {
    let level = record(vec![
        is("level", DataType::UInt8),
        is("count", COUNT),
        is("minimum", list(INTEGER)),
        is("maximum", list(INTEGER)),
        is("source_iv", list(INTEGER)),
        is("sink_iv", list(INTEGER)),
        is("address", COUNT),
        is("objects", list(TEXT)),
    ]);
    Schema::new(vec![
        is("kind", TEXT),
        is("via", TEXT),
        is("source", INDEX),
        is("sink", INDEX),
        may("source_access", INDEX),
        may("sink_access", INDEX),
        is("common", DataType::UInt8),
        is("count", COUNT),
        is("levels", list(level)),
        is("relation", TEXT),
    ])
}

/// Of address streams.
pub fn values() -> Schema {
    let stream = DataType::Dictionary(Box::new(DataType::Int32), Box::new(TEXT));
    Schema::new(vec![is("stream", stream), is("value", INTEGER)])
}
