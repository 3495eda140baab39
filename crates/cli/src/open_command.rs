//! `loopwright open`.

use std::io::Write;

use anyhow::{Context, Result};
use report::plain::plain;

use crate::args::OpenArgs;
use crate::progress::Progress;
use crate::report_command;

/// Runs the command; gives the exit code. The page is a temporary file that stays: the browser reads it after this program has ended.
pub fn run(args: &OpenArgs) -> Result<u8> {
    let mut progress = Progress::new(false);
    let page = report_command::page(&args.profile, args.top, &mut progress)?;
    progress.end();
    let stem = args.profile.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut file = tempfile::Builder::new().prefix(&format!("{stem}.")).suffix(".html").tempfile()?;
    file.write_all(plain(&page).as_bytes()).with_context(|| file.path().display().to_string())?;
    let (_, path) = file.keep().context("the page")?;
    if !args.no_browser
        && let Err(error) = open::that_detached(&path)
    {
        let _ = writeln!(anstream::stderr(), "loopwright: no browser could be started: {error}");
    }
    // Where standard output is closed nobody wants to know.
    let _ = writeln!(anstream::stdout(), "Page: {}", path.display());
    Ok(0)
}
