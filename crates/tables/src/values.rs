//! Address streams as a Parquet file: columns `stream` and `value`, a row per access.
//!
//! Rows of one stream are in their order; streams alternate as the runs of the trace do. Memory is that of one group of rows,
//! whatever the length of the trace.

use std::io::Write;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Encoding;
use parquet::schema::types::ColumnPath;
use rustc_hash::FxHashMap;
use trace::accesses::{Accesses, StreamId};

use crate::file::properties;
use crate::{Error, schema};

/// Rows that are handed on together.
const ROWS: usize = 1 << 16;
/// Rows of a group, which readers take as a whole.
const GROUP: usize = 1 << 20;

/// Writes a file, access by access.
pub struct Writer<W: Write + Send> {
    to: ArrowWriter<W>,
    schema: SchemaRef,
    streams: Vec<StreamId>,
    values: Vec<i64>,
    rows: u64,
    error: Option<Error>,
}

impl<W: Write + Send> Writer<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(to: W) -> Result<Writer<W>, Error> {
        let schema = Arc::new(schema::values());
        let value = ColumnPath::from("value");
        let properties = properties()?
            .set_max_row_group_row_count(Some(GROUP))
            // Addresses of a run are constant differences.
            .set_column_dictionary_enabled(value.clone(), false)
            .set_column_encoding(value, Encoding::DELTA_BINARY_PACKED)
            .build();
        Ok(Writer {
            to: ArrowWriter::try_new(to, Arc::clone(&schema), Some(properties))?,
            schema,
            streams: Vec::with_capacity(ROWS),
            values: Vec::with_capacity(ROWS),
            rows: 0,
            error: None,
        })
    }

    /// Accesses written so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The first thing that went wrong since its start.
    pub fn finish(mut self) -> Result<(), Error> {
        self.flush();
        if let Some(error) = self.error {
            return Err(error);
        }
        self.to.close()?;
        Ok(())
    }

    fn push(&mut self, stream: StreamId, value: i64) {
        self.streams.push(stream);
        self.values.push(value);
        self.rows += 1;
        if self.values.len() == ROWS {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.error.is_none() && !self.values.is_empty() {
            self.error = self.batch().and_then(|batch| Ok(self.to.write(&batch)?)).err();
        }
        self.streams.clear();
        self.values.clear();
    }

    /// The rows at hand; of their streams, which are at most as many, each is named once.
    fn batch(&self) -> Result<RecordBatch, Error> {
        let mut numbers: FxHashMap<StreamId, i32> = FxHashMap::default();
        let mut names: Vec<String> = Vec::new();
        let number = |stream: &StreamId| {
            *numbers.entry(*stream).or_insert_with(|| {
                names.push(stream.to_string());
                names.len() as i32 - 1
            })
        };
        let keys: Int32Array = self.streams.iter().map(number).map(Some).collect();
        let streams = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(StringArray::from(names)))?;
        let values = Int64Array::from(self.values.clone());
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), vec![Arc::new(streams), Arc::new(values)])?)
    }
}

impl<W: Write + Send> Accesses for Writer<W> {
    fn values(&mut self, stream: StreamId, values: &[i64]) {
        values.iter().for_each(|&value| self.push(stream, value));
    }

    fn run(&mut self, stream: StreamId, start: i64, stride: i64, count: u64) {
        let mut value = start;
        for _ in 0..count {
            if self.error.is_some() {
                return;
            }
            self.push(stream, value);
            value = value.wrapping_add(stride);
        }
    }
}
