//! Tables of profiles that were stored, against the report and against what they are made of.

use std::collections::BTreeSet;
use std::path::PathBuf;

use arrow_schema::{DataType, Fields, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use profile::Profile;
use serde_json::Value;
use tables::{Name, schema, table};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn stored() -> Vec<Profile> {
    let directory = root().join("crates/report/tests/profiles");
    let files = std::fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
    let profiles: Vec<Profile> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "lwp"))
        .map(|path| profile::file::read(&path).unwrap())
        .collect();
    assert!(profiles.len() >= 3);
    profiles
}

#[test]
fn every_profile_has_all_tables_with_the_columns_of_an_empty_one() {
    let empty = Profile {
        locations: vec![profile::Location::default()],
        contexts: vec![profile::Context::new(0, profile::ContextKind::Root, 0)],
        ..Profile::default()
    };
    let nothing = report::report(&empty);
    for profile in &stored() {
        let report = report::report(profile);
        let rows = |name| table(&report, name).unwrap().num_rows();
        assert_eq!(rows(Name::Loops), report.loops.len());
        assert_eq!(rows(Name::Statements), profile.statements.len());
        assert_eq!(rows(Name::Accesses), profile.accesses.len());
        assert_eq!(rows(Name::Dependences), profile.dependences.len());
        assert!(rows(Name::Nests) > 0);
        for (_, name) in Name::ALL {
            let none = table(&nothing, name).unwrap();
            assert_eq!(none.num_rows(), 0);
            assert_eq!(none.schema(), table(&report, name).unwrap().schema(), "{name:?}");
        }
    }
}

/// Merged profiles have fields of their own.
#[test]
fn merged_profiles_have_the_same_columns() {
    let one = stored().remove(0);
    let merged = profile::merge::merge([one.clone(), one]).unwrap();
    let report = report::report(&merged);
    for (_, name) in Name::ALL {
        assert!(table(&report, name).unwrap().num_rows() > 0, "{name:?}");
    }
}

#[test]
fn files_hold_what_was_written() {
    let place = tempfile::tempdir().unwrap();
    for profile in &stored() {
        let report = report::report(profile);
        for (file, name) in Name::ALL {
            let batch = table(&report, name).unwrap();
            let path = place.path().join(file);
            tables::file::write(&batch, std::fs::File::create(&path).unwrap()).unwrap();
            let reader =
                ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(&path).unwrap()).unwrap();
            let read: Vec<_> =
                reader.with_batch_size(1 << 20).build().unwrap().collect::<Result<_, _>>().unwrap();
            let expected: Vec<_> = Some(batch).into_iter().filter(|batch| batch.num_rows() > 0).collect();
            assert_eq!(read, expected, "{name:?}");
        }
    }
}

/// The fields of an object of the report's schema, with those inside as `a.b`.
fn documented(all: &Value, of: &Value, way: &str, out: &mut BTreeSet<String>) {
    let own = match of["$ref"].as_str() {
        Some(name) => &all["$defs"][name.rsplit('/').next().unwrap()],
        None => of,
    };
    for (name, field) in own["properties"].as_object().into_iter().flatten() {
        let way = format!("{way}{name}");
        out.insert(way.clone());
        let inner = field["items"].as_object().map_or(field, |_| &field["items"]);
        let choices = inner["anyOf"].as_array().cloned().unwrap_or_else(|| vec![inner.clone()]);
        choices.iter().for_each(|choice| documented(all, choice, &format!("{way}."), out));
    }
}

fn columns(fields: &Fields, way: &str, out: &mut BTreeSet<String>) {
    for field in fields {
        let way = format!("{way}{}", field.name());
        out.insert(way.clone());
        let mut kind = field.data_type();
        while let DataType::List(inner) = kind {
            kind = inner.data_type();
        }
        if let DataType::Struct(inner) = kind {
            columns(inner, &format!("{way}."), out);
        }
    }
}

/// A field that is added to the report is a column, though no stored profile may have it.
#[test]
fn columns_are_the_fields_of_the_report() {
    let text = std::fs::read_to_string(root().join("docs/report.schema.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    for (of, schema) in [("Loop", schema::loops()), ("Nest", schema::nests())] {
        let (mut expected, mut found) = (BTreeSet::new(), BTreeSet::new());
        documented(&all, &all["$defs"][of], "", &mut expected);
        columns(Schema::fields(&schema), "", &mut found);
        assert!(expected.len() > 6, "{of}: {expected:?}");
        assert_eq!(found, expected, "{of}");
    }
}
