//! A profile for `loopwright gpu`: read, and compared with the source that it is to speak of.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use gpumap::control::Control;
use gpumap::ir::Module;
use gpumap::offload::Observed;
use profile::Profile;

/// Lines of a list that are written out.
const WRITTEN: usize = 6;

/// What a profile says of the loops of a source. What speaks for another program or another version of the source is an error if
/// nothing agrees, else a warning.
pub fn observed(path: &Path, source: &Path, module: &Module) -> Result<Observed> {
    let profile = profile::file::read(path)?;
    let observed = report::gpu::observed(&report::report(&profile));
    let (name, file) = (path.display(), source.display());
    let seen: BTreeSet<u32> = observed.of_file(&source.to_string_lossy()).map(|seen| seen.line).collect();
    if seen.is_empty() {
        bail!(
            "{name} has no loop of {file}: it is a profile of another program{}, or of one compiled without -g",
            command(&profile)
        )
    }
    let written = starts(module);
    let others: BTreeSet<u32> = seen.difference(&written).copied().collect();
    if others.len() == seen.len() {
        bail!(
            "{name} is of another version of {file}: its loops begin on {}, those of the source on {}",
            lines(&seen),
            lines(&written)
        )
    }
    if !others.is_empty() {
        warn(&format!(
            "{name} has loops on {} of {file}, where none begins: the source may have changed since, or functions were inlined there",
            lines(&others)
        ));
    }
    if let Some(program) = rebuilt(&profile) {
        warn(&format!("{program} was built anew since {name} was recorded: what it says may be out of date"));
    }
    Ok(observed)
}

/// The program that ran, as it was called.
fn command(profile: &Profile) -> String {
    profile.program.argv.first().map_or_else(String::new, |program| format!(" ({program})"))
}

/// The lines on which loops of a source begin, those of functions of headers too.
fn starts(module: &Module) -> BTreeSet<u32> {
    let with_bodies = module.functions.iter().filter(|function| !function.blocks.is_empty());
    let of = |function| {
        let control = Control::new(function);
        let places: Vec<u32> =
            control.loops.iter().filter_map(|(_, found)| Some(found.places(module)?.0.line)).collect();
        places
    };
    with_bodies.flat_map(of).collect()
}

/// The program of a profile, if it is still there and is another one by now.
fn rebuilt(profile: &Profile) -> Option<&str> {
    let (program, recorded) = (profile.program.argv.first()?, profile.program.build_id.as_ref()?);
    let present = program::image::build_id(Path::new(program))?;
    (present != *recorded).then_some(program)
}

fn lines(all: &BTreeSet<u32>) -> String {
    let written: Vec<String> = all.iter().take(WRITTEN).map(ToString::to_string).collect();
    let more = if all.len() > WRITTEN { " and others" } else { "" };
    match all.len() {
        0 => "no line".into(),
        1 => format!("line {}", written.concat()),
        _ => format!("lines {}{more}", written.join(", ")),
    }
}

fn warn(text: &str) {
    // Nothing can be done if that fails.
    let _ = writeln!(anstream::stderr(), "loopwright: warning: {text}");
}
