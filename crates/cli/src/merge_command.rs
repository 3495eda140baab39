//! `loopwright merge`.

use std::io::IsTerminal;

use anyhow::{Context, Result};
use profile::Profile;
use profile::merge::merge;

use crate::args::{Format, MergeArgs, PlainFormat};
use crate::output;
use crate::progress::Progress;
use crate::report_command::{Judged, Rendering};
use crate::streams::note;

/// Runs the command; gives the exit code.
pub fn run(args: &MergeArgs) -> Result<u8> {
    let mut progress = Progress::new(args.quiet);
    progress.phase("reading", true);
    let profiles: Vec<Profile> =
        args.profiles.iter().map(|path| profile::file::read(path)).collect::<Result<_, _>>()?;
    progress.phase("merging", true);
    let merged = match merge(profiles) {
        Ok(merged) => merged,
        Err((at, error)) => {
            let named = args.profiles.get(at).map_or_else(String::new, |path| path.display().to_string());
            return Err(error).context(named);
        }
    };
    profile::file::write(&merged, &args.output)?;
    if args.quiet {
        return Ok(0);
    }
    progress.phase("judging loops", true);
    let format = match args.format {
        PlainFormat::Text => Format::Text,
        PlainFormat::Json => Format::Json,
    };
    let terminal = std::io::stdout().is_terminal();
    let text = Judged::new(&merged).render(format, Rendering { top: args.top, terminal, function: None })?;
    progress.end();
    output::print(&text, None, false)?;
    note(&format!("Profile: {}", args.output.display()));
    Ok(0)
}
