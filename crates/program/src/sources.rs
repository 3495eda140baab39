//! The source files that debug information names: those of the program, and the headers that they include.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::variables::{self, Slice};

/// The source files that a program was built from, as its line tables name them. Malformed or missing debug information gives fewer
/// files, never an error.
pub fn files(program: &Path) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::new();
    variables::with_units(program, |dwarf, unit, _| named(dwarf, unit, &mut out));
    out
}

fn named<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    out: &mut BTreeSet<PathBuf>,
) -> gimli::Result<()> {
    let Some(lines) = &unit.line_program else { return Ok(()) };
    let text = |bytes: Slice<'a>| PathBuf::from(bytes.to_string_lossy().into_owned());
    let header = lines.header();
    for file in header.file_names() {
        // Where the unit was compiled; names that are absolute replace what is before them.
        let mut path = unit.comp_dir.map(text).unwrap_or_default();
        if let Some(directory) = file.directory(header).filter(|_| file.directory_index() > 0) {
            path.push(text(dwarf.attr_string(unit, directory)?));
        }
        path.push(text(dwarf.attr_string(unit, file.path_name())?));
        out.insert(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_a_compiled_program() {
        let folder = std::env::temp_dir().join(format!("loopwright-sources-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("include")).expect("temporary directory");
        std::fs::write(folder.join("include/real.h"), "typedef double real;\nstruct pair { real a, b; };\n")
            .expect("header");
        std::fs::write(
            folder.join("main.c"),
            "#include \"real.h\"\nstruct pair two;\nint main(void) { two.a = 1; return 0; }\n",
        )
        .expect("source");
        for format in ["-gdwarf-4", "-gdwarf-5"] {
            let program = folder.join("main");
            let done = std::process::Command::new("cc")
                .args([format, "-O0", "-Iinclude", "-o"])
                .arg(&program)
                .arg("main.c")
                .current_dir(&folder)
                .status();
            assert!(done.expect("cc").success());
            let found = files(&program);
            for name in ["main.c", "include/real.h"] {
                let place = folder.join(name);
                assert!(found.contains(&place), "{format} {name}: {found:?}");
            }
        }
        assert!(files(Path::new("/proc/self/stat")).is_empty());
        std::fs::remove_dir_all(&folder).expect("temporary directory");
    }
}
