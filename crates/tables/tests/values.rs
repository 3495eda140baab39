//! Address streams as files.

use std::fs::File;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tables::values::Writer;
use trace::accesses::{Accesses, Kind, StreamId};

#[test]
fn rows_are_the_accesses_in_their_order() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("t.parquet");
    let streams = [StreamId { number: 0x401000, kind: Kind::Load }, StreamId::plain(7)];
    let mut expected: Vec<(String, i64)> = Vec::new();
    let mut writer = Writer::new(File::create(&path).unwrap()).unwrap();
    for round in 0..50 {
        writer.run(streams[0], 1000 * round, 8, 3000);
        expected.extend((0..3000).map(|k| ("0x401000:load".to_owned(), 1000 * round + 8 * k)));
        writer.values(streams[1], &[i64::MIN, i64::MAX, round]);
        expected.extend([i64::MIN, i64::MAX, round].map(|value| ("7".to_owned(), value)));
    }
    writer.run(streams[1], i64::MAX, 1, 2);
    expected.extend([i64::MAX, i64::MIN].map(|value| ("7".to_owned(), value)));
    assert_eq!(writer.rows(), expected.len() as u64);
    writer.finish().unwrap();
    let mut found = Vec::new();
    for batch in
        ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap().build().unwrap()
    {
        let batch = batch.unwrap();
        let streams = batch.column(0).as_dictionary::<Int32Type>();
        let names = streams.values().as_string::<i32>();
        let values = batch.column(1).as_primitive::<Int64Type>();
        for (key, value) in streams.keys().values().iter().zip(values.values()) {
            found.push((names.value(*key as usize).to_owned(), *value));
        }
    }
    assert!(found == expected);
    // Runs take hardly any room: 150,000 accesses here.
    assert!(std::fs::metadata(&path).unwrap().len() < 50_000, "{}", std::fs::metadata(&path).unwrap().len());
}

#[test]
fn nothing_is_a_file_without_rows() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("t.parquet");
    Writer::new(File::create(&path).unwrap()).unwrap().finish().unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    assert_eq!(reader.schema().fields().len(), 2);
}
