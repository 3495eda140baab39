//! Parquet files: zstd, integers as differences where that helps.

use std::io::Write;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};

use crate::Error;

/// What all files have in common.
pub(crate) fn properties() -> Result<WriterPropertiesBuilder, Error> {
    let created_by = concat!("loopwright ", env!("CARGO_PKG_VERSION"));
    let compression = Compression::ZSTD(ZstdLevel::try_new(3)?);
    Ok(WriterProperties::builder().set_compression(compression).set_created_by(created_by.to_owned()))
}

/// Writes a table.
///
/// # Errors
/// If the file cannot be written.
pub fn write<W: Write + Send>(table: &RecordBatch, to: W) -> Result<(), Error> {
    let mut writer = ArrowWriter::try_new(to, table.schema(), Some(properties()?.build()))?;
    writer.write(table)?;
    writer.close()?;
    Ok(())
}
