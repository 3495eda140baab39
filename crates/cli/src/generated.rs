//! Completions and manual pages, generated from the definition of the command line.

use std::io::Write;

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::args::{CompletionsArgs, ManArgs, Options};
use crate::output;
use crate::streams::note;

/// Prints completions for a shell; gives the exit code.
pub fn completions(args: &CompletionsArgs) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Options::command(), "loopwright", &mut text);
    output::print(&String::from_utf8_lossy(&text), None, true)?;
    Ok(0)
}

/// Writes a manual page per command; gives the exit code.
pub fn manual(args: &ManArgs) -> Result<u8> {
    let directory = &args.directory;
    std::fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    let mut root = Options::command();
    root.build();
    let mut pages = vec![("loopwright".to_owned(), root.clone())];
    for own in root.get_subcommands().filter(|own| !own.is_hide_set() && own.get_name() != "help") {
        let name = format!("loopwright-{}", own.get_name());
        pages.push((name.clone(), own.clone().name(name)));
    }
    let count = pages.len();
    for (name, command) in pages {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).render(&mut text).context("manual page")?;
        let path = directory.join(format!("{name}.1"));
        profile::file::replace(&path, |file| file.write_all(&text))
            .with_context(|| format!("{} could not be written", path.display()))?;
    }
    note(&format!("{count} pages in {}", directory.display()));
    Ok(0)
}

/// Prints the C header with the functions that mark what is recorded.
pub fn header() -> Result<u8> {
    crate::output::print(include_str!("../include/loopwright.h"), None, true)?;
    Ok(0)
}
