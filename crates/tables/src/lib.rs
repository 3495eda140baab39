//! Profiles and traces as tables that other tools read: Arrow in memory, Parquet in files.
//!
//! - [`profile_tables`]: loops and nests as the JSON report has them, statements, accesses and dependences as the profile has
//!   them; sets and maps are text in the notation of isl;
//! - [`schema`]: their columns;
//! - [`values`]: address streams, a row per access;
//! - [`file`](mod@file): Parquet.
//!
//! Invariants: the columns of a table do not depend on what is in it; rows are in the order of the report or of the profile; the same
//! profile gives the same bytes.
#![forbid(unsafe_code)]

pub mod file;
pub mod profile_tables;
pub mod schema;
pub mod values;

pub use arrow_array::RecordBatch;
pub use profile_tables::{Name, table};

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library refused.
    #[error("table: {0}")]
    Arrow(#[from] arrow_schema::ArrowError),
    /// The file could not be written.
    #[error("Parquet: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// The report is not what its schema says.
    #[error("report: {0}")]
    Report(#[from] serde_json::Error),
}
