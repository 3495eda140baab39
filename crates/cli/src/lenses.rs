//! What the program's source files say of its loops, put into its profile while they are at hand; and the loops put where those have
//! them.

use std::collections::BTreeSet;
use std::path::Path;

use profile::lens::Integer;
use profile::{ContextKind, Profile, SourceFile};
use program::numbers;
use source::lens::{Name, Number};

/// Reads the files in which loops of the program's own code are. Those that are missing, or were changed after the program was
/// built, say nothing.
pub fn read(profile: &mut Profile, program: &Path) {
    let built = std::fs::metadata(program).and_then(|about| about.modified()).ok();
    // Of what members of teams do to one another the texts say what keeps them apart.
    let between = profile.dependences.iter().filter(|d| d.between_members);
    let between = between.flat_map(|d| [d.source, d.sink]).map(|end| profile.location_of(end).file.clone());
    let mut files: BTreeSet<String> = between.filter(|file| !file.starts_with("/usr/")).collect();
    for (index, context) in profile.contexts.iter().enumerate() {
        let is_loop = matches!(context.kind, ContextKind::Loop | ContextKind::Recursive);
        if is_loop && profile.is_own(index as u32) {
            // Where its first instructions are those of functions put into it, also what has called those.
            files.extend(context.places().map(|place| profile.location(place).file.clone()));
        }
    }
    files.remove("");
    let mut methods = source::lens::Methods::default();
    let mut known = program::sources::files(program);
    known.retain(|file| !file.starts_with("/usr/"));
    let directories = known.iter().filter_map(|file| file.parent()).collect::<BTreeSet<_>>();
    let directories = directories.into_iter().map(Path::to_owned).collect();
    let compiled = program::sources::lines(program).into_iter().filter_map(|(file, own)| {
        let said = source::lens::Compiled {
            lines: own.lines,
            always: own.always,
            functions: own.functions,
            is_unoptimised: own.is_unoptimised,
            openmp: own.openmp,
            is_cplusplus: own.is_cplusplus,
        };
        Some((file.canonicalize().ok()?, said))
    });
    let compiled = compiled.collect();
    let mut reader = source::lens::Reader { built, directories, compiled, ..source::lens::Reader::default() };
    let mut modules = source::lens::Modules::default();
    for file in &known {
        // A file that cannot be read defines nothing that is known, here and below.
        _ = modules.read(file, &reader);
    }
    reader.modules = modules;
    // Methods of classes are often defined in headers that have no loops; those of the system are known.
    let others = profile.locations.iter().map(|location| &location.file);
    for file in others.filter(|file| !file.starts_with("/usr/")).collect::<BTreeSet<_>>() {
        _ = methods.read(Path::new(file));
    }
    let types_of = numbers::Numbers::read(program);
    let types = |name: Name<'_>| {
        let found = match name {
            Name::Variable { function, name } => types_of.of_variable(function, name),
            Name::Member(name) => types_of.of_member(name),
        };
        let number = |number: &numbers::Number| match *number {
            numbers::Number::Integer { bits, is_signed } => Number::Integer(Integer::new(bits, is_signed)),
            numbers::Number::Float { bits } => Number::Float(bits),
        };
        found.iter().map(number).collect()
    };
    profile.sources = files
        .into_iter()
        .map(|file| {
            let mut loops = reader.read(Path::new(&file)).ok();
            if let Some(loops) = &mut loops {
                methods.refine(loops);
                source::lens::take_back_narrowed(loops, &types);
            }
            SourceFile { loops, file }
        })
        .collect();
    schedule::places::settle(profile);
}
