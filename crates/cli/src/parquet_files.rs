//! Tables as Parquet files, in builds with the feature `parquet`.

use std::path::Path;

use anyhow::{Context, Result};

#[cfg(feature = "parquet")]
pub use written::{of_profile, of_trace};

/// Whether this build writes Parquet files.
///
/// # Errors
/// What to do if it does not.
pub fn check() -> Result<()> {
    if cfg!(feature = "parquet") {
        return Ok(());
    }
    anyhow::bail!(
        "this build writes no Parquet files; one with them: cargo install --path crates/cli --features parquet"
    )
}

/// Makes the directory for tables if need be.
///
/// # Errors
/// If that is not possible, or this build writes none.
pub fn prepare(directory: &Path) -> Result<()> {
    check()?;
    std::fs::create_dir_all(directory).with_context(|| directory.display().to_string())
}

/// This build writes none.
///
/// # Errors
/// Always.
#[cfg(not(feature = "parquet"))]
pub fn of_profile(_: &profile::Profile, _: &Path) -> Result<()> {
    check()
}

/// This build writes none.
///
/// # Errors
/// Always.
#[cfg(not(feature = "parquet"))]
pub fn of_trace(_: &Path, _: &Path) -> Result<u64> {
    check().map(|()| 0)
}

#[cfg(feature = "parquet")]
mod written {
    use std::fs::File;
    use std::io::{self, BufReader};
    use std::path::Path;

    use anyhow::{Context, Result};
    use profile::Profile;
    use tables::Name;
    use tables::values::Writer;

    use super::prepare;

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
}
