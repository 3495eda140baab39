//! `loopwright demo`: the main job on a shipped kernel.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use ddg::guide::Part;
use record::Config;

use crate::args::{DemoArgs, Format};
use crate::profile_command::{Plan, print_report, record_program};
use crate::progress::Progress;

const SOURCE: &str = include_str!("../include/perceptron.c");

/// Runs the command; gives the exit code.
pub fn run(args: &DemoArgs) -> Result<u8> {
    let directory = match &args.directory {
        Some(directory) => directory.clone(),
        // A name that nobody can have taken before, in a folder that nobody else may write to.
        None => tempfile::Builder::new()
            .prefix("loopwright-demo-")
            .tempdir()
            .context("a temporary folder cannot be made")?
            .keep(),
    };
    std::fs::create_dir_all(&directory).with_context(|| format!("{} cannot be made", directory.display()))?;
    let source = directory.join("perceptron.c");
    let binary = directory.join("perceptron");
    std::fs::write(&source, SOURCE).with_context(|| format!("{} cannot be written", source.display()))?;
    let mut cc = Command::new("cc");
    cc.args(["-g", "-O2", "-o"]).arg(&binary).arg(&source).arg("-lm");
    let status =
        cc.status().context("`cc` cannot be run; install a C compiler (for example the package gcc)")?;
    if !status.success() {
        bail!("`cc` could not compile {}", source.display());
    }
    anstream::eprintln!("Compiled {} with cc -g -O2; recording it.\n", source.display());
    let mut config = Config::new(&binary);
    config.skip_startup = true;
    config.args = vec![binary.clone().into_os_string()];
    let plan = Plan {
        part: Part::Whole,
        folding: ddg::Folding::default(),
        limit: 700,
        time: None,
        known: None,
        no_arguments: false,
    };
    let (profile, _) = record_program(&config, plan, &mut Progress::new(false))?;
    print_report(&profile, Format::Text, 12);
    let path: PathBuf = directory.join("perceptron.lwp");
    profile::file::write(&profile, &path)?;
    anstream::eprintln!("\nProfile: {}", path.display());
    anstream::eprintln!("Report for programs: loopwright report {} --format json", path.display());
    Ok(0)
}
