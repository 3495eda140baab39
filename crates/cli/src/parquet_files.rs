//! Tables as Parquet files.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use profile::Profile;
use tables::Name;
use tables::values::Writer;

/// Makes the directory for tables if need be.
///
/// # Errors
/// If that is not possible.
pub fn prepare(directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory).with_context(|| directory.display().to_string())
}

/// Writes the tables of a profile into a directory, which is made if need be.
///
/// # Errors
/// The file that cannot be written.
pub fn of_profile(profile: &Profile, directory: &Path) -> Result<()> {
    prepare(directory)?;
    let report = report::report(profile);
    for (name, which) in Name::ALL {
        let path = directory.join(format!("{name}.parquet"));
        let table = tables::table(&report, which)?;
        profile::file::replace(&path, |file| tables::file::write(&table, file).map_err(io::Error::other))
            .with_context(|| format!("{} could not be written", path.display()))?;
    }
    Ok(())
}

/// Writes the accesses of a trace (`.lwt`), a row each; gives their number.
///
/// # Errors
/// If the trace cannot be read or the file cannot be written.
pub fn of_trace(trace: &Path, path: &Path) -> Result<u64> {
    let mut rows = 0;
    profile::file::replace(path, |file| {
        let mut from = BufReader::new(File::open(trace)?);
        let mut writer = Writer::new(file).map_err(io::Error::other)?;
        trace::lwt::read(&mut from, &mut writer).map_err(io::Error::other)?;
        rows = writer.rows();
        writer.finish().map_err(io::Error::other)
    })
    .with_context(|| format!("{} could not be written", path.display()))?;
    Ok(rows)
}
