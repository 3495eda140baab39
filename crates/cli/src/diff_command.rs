//! `loopwright diff`.

use anyhow::{Result, bail};
use report::diff::diff;

use crate::args::{DiffArgs, PlainFormat};
use crate::output;
use crate::progress::Progress;

/// Runs the command; gives the exit code: 0 if nothing differs, 1 if something does.
pub fn run(args: &DiffArgs) -> Result<u8> {
    if !(0.0..f64::INFINITY).contains(&args.tolerance) {
        bail!("--tolerance is a number of percent, such as 2.5");
    }
    let mut progress = Progress::new(false);
    progress.phase("reading", true);
    let (before, after) = (profile::file::read(&args.before)?, profile::file::read(&args.after)?);
    progress.phase("judging loops", true);
    let found = diff(&report::report(&before), &report::report(&after), args.tolerance / 100.0);
    let text = match args.format {
        PlainFormat::Text => found.text(),
        PlainFormat::Json => output::json(&found)?,
    };
    progress.end();
    output::print(&text, args.output.as_deref(), false)?;
    Ok(u8::from(!found.is_empty()))
}
