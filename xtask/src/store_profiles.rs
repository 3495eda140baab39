//! The profiles on which the renderers are tested: `crates/report/tests/profiles`.
//!
//! They are recorded again when the format changes. Directories of this machine are taken out.

use anyhow::{Context, Result};
use kernels::Level;
use profile::Profile;

use crate::ci;
use crate::product::Loopwright;

/// Kernel, level and options of each.
const STORED: [(&str, Level, &[&str]); 4] = [
    ("jacobi", Level::O2, &["--scope", "main"]),
    ("renamed", Level::O2, &["--scope", "main"]),
    ("smooth", Level::O0, &["--scope", "main"]),
    ("sweeps", Level::O2, &["--fast"]),
];

/// What stands for the directories of this machine.
const PLACE: &str = "/example";

/// Records all of them.
pub fn run() -> Result<()> {
    let table = kernels::load()?;
    let loopwright = Loopwright::for_tests()?;
    let directory = tempfile::tempdir()?;
    let stored = ci::root().join("crates/report/tests/profiles");
    std::fs::create_dir_all(&stored)?;
    for (name, level, options) in STORED {
        let kernel = table.iter().find(|k| k.name() == name).with_context(|| format!("no kernel {name}"))?;
        let program = kernels::compile(kernel, level, directory.path())?;
        let file = directory.path().join("recorded.lwp");
        loopwright.profile(options, &program.path, &kernel.arguments, &file)?;
        let mut profile = profile::file::read(&file)?;
        for here in [directory.path(), &kernels::directory()] {
            move_files(&mut profile, &here.to_string_lossy());
        }
        let to = stored.join(format!("{name}.lwp"));
        profile::file::write(&profile, &to)?;
        println!("{}: {} bytes", to.display(), std::fs::metadata(&to)?.len());
    }
    Ok(())
}

/// Names files as if a directory were [`PLACE`].
fn move_files(profile: &mut Profile, directory: &str) {
    let move_name = |name: &mut String| *name = name.replace(directory, PLACE);
    profile.program.argv.iter_mut().for_each(move_name);
    profile.locations.iter_mut().for_each(|location| move_name(&mut location.file));
    profile.functions.iter_mut().for_each(|function| move_name(&mut function.module));
    profile.objects.iter_mut().for_each(|object| move_name(&mut object.name));
    profile.trust.missing_debug_information.iter_mut().for_each(move_name);
    profile.sources.iter_mut().for_each(|source| move_name(&mut source.file));
}
