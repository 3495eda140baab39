//! Outcomes beside their profiles: `PROFILE.try.json`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::outcome::{Identity, Outcome, SCHEMA};

/// Bytes beyond which a file is no outcome.
const MOST: u64 = 64 << 20;

/// Where the outcome for a profile is kept.
pub fn path(profile: &Path) -> PathBuf {
    let mut name: OsString = profile.as_os_str().to_owned();
    name.push(".try.json");
    name.into()
}

/// What tells a profile from others.
///
/// # Errors
/// If it cannot be read.
pub fn identity(profile: &Path) -> Result<Identity, Error> {
    let bytes = std::fs::read(profile).map_err(Error::io(profile))?;
    Ok(Identity { bytes: bytes.len() as u64, crc32: crc32fast::hash(&bytes) })
}

/// The outcome for a profile; `None` if there is none, or it is of another profile.
pub fn read(profile: &Path) -> Option<Outcome> {
    let path = path(profile);
    let size = std::fs::metadata(&path).ok().filter(|file| file.is_file())?.len();
    let bytes = std::fs::read(&path).ok().filter(|_| size <= MOST)?;
    let outcome: Outcome = serde_json::from_slice(&bytes).ok()?;
    (outcome.schema == SCHEMA && Some(&outcome.profile) == identity(profile).ok().as_ref()).then_some(outcome)
}

/// The text that is kept.
pub fn text(outcome: &Outcome) -> String {
    // Plain data cannot fail to become text.
    serde_json::to_string_pretty(outcome).unwrap_or_default() + "\n"
}
