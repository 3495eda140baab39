//! The source files that debug information names: those of the program, and the headers that they include.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use object::{Object, ObjectSymbol};

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
    let header = lines.header();
    for file in header.file_names() {
        out.insert(path_of(dwarf, unit, header, file)?);
    }
    Ok(())
}

/// What debug information says of the lines of a source file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLines {
    /// Lines with code, or on which something is declared.
    pub lines: BTreeSet<u32>,
    /// Those among them that every unit has of which this is the main file; of a header all.
    pub always: BTreeSet<u32>,
    /// Lines on which functions are declared that have code, or whose code is in others.
    pub functions: BTreeSet<u32>,
    /// The compiler says that it did not optimise.
    pub is_unoptimised: bool,
    /// The compiler obeyed directives of OpenMP; `None` if neither it nor the program says.
    pub openmp: Option<bool>,
    /// Its language is C++ in all units that have it (DWARF 5, 3.1.1), and C or another in none; `None` if in some, or if one does not say.
    pub is_cplusplus: Option<bool>,
    /// Units of which it is the main file.
    units: u32,
}

/// What the debug information of a program says of the lines of its source files. Malformed or missing debug information gives fewer lines,
/// never an error.
pub fn lines(program: &Path) -> BTreeMap<PathBuf, FileLines> {
    let has_runtime = calls_openmp(program);
    let mut out = BTreeMap::new();
    variables::with_units(program, |dwarf, unit, _| {
        let mut own = UnitLines::default();
        // What was read of a unit that stops being readable holds nevertheless.
        let result = own.read(dwarf, unit);
        own.add_to(&mut out, has_runtime);
        result
    });
    out
}

/// Whether a program calls the runtime of OpenMP as compilers do.
fn calls_openmp(program: &Path) -> bool {
    let Ok(bytes) = std::fs::read(program) else { return false };
    let Ok(file) = object::File::parse(&*bytes) else { return false };
    let symbols = file.symbols().chain(file.dynamic_symbols());
    let mut names = symbols.filter_map(|symbol| symbol.name().ok());
    names.any(|name| name.starts_with("GOMP_") || name.starts_with("__kmpc_"))
}

/// What one unit says.
#[derive(Default)]
struct UnitLines {
    main: PathBuf,
    producer: String,
    is_cplusplus: Option<bool>,
    lines: BTreeMap<PathBuf, BTreeSet<u32>>,
    functions: BTreeMap<PathBuf, BTreeSet<u32>>,
}

impl UnitLines {
    fn read<'a>(
        &mut self,
        dwarf: &gimli::Dwarf<Slice<'a>>,
        unit: &gimli::Unit<Slice<'a>>,
    ) -> gimli::Result<()> {
        let Some(program) = unit.line_program.clone() else { return Ok(()) };
        let header = program.header().clone();
        let mut names: BTreeMap<u64, PathBuf> = BTreeMap::new();
        let mut path = |index: u64| -> gimli::Result<PathBuf> {
            if let Some(known) = names.get(&index) {
                return Ok(known.clone());
            }
            let own = match header.file(index) {
                Some(file) => path_of(dwarf, unit, &header, file)?,
                None => PathBuf::new(),
            };
            names.insert(index, own.clone());
            Ok(own)
        };
        let mut rows = program.rows();
        while let Some((_, row)) = rows.next_row()? {
            if let Some(line) = row.line().filter(|_| !row.end_sequence()) {
                let line = u32::try_from(line.get()).unwrap_or(u32::MAX);
                self.lines.entry(path(row.file_index())?).or_default().insert(line);
            }
        }
        let mut entries = unit.entries();
        while let Some((_, entry)) = entries.next_dfs()? {
            if let Some(producer) = entry.attr_value(gimli::DW_AT_producer)? {
                self.producer = dwarf.attr_string(unit, producer)?.to_string_lossy().into_owned();
                self.is_cplusplus = match entry.attr_value(gimli::DW_AT_language)? {
                    Some(gimli::AttributeValue::Language(language)) => Some(matches!(
                        language,
                        gimli::DW_LANG_C_plus_plus
                            | gimli::DW_LANG_C_plus_plus_03
                            | gimli::DW_LANG_C_plus_plus_11
                            | gimli::DW_LANG_C_plus_plus_14
                            | gimli::DW_LANG_C_plus_plus_17
                            | gimli::DW_LANG_C_plus_plus_20
                    )),
                    _ => None,
                };
                let text = |bytes: Slice<'a>| PathBuf::from(bytes.to_string_lossy().into_owned());
                let name = unit.name.map(text).unwrap_or_default();
                self.main = unit.comp_dir.map(text).unwrap_or_default().join(name);
            }
            let is_function = entry.tag() == gimli::DW_TAG_subprogram;
            let pairs = [
                (gimli::DW_AT_decl_file, gimli::DW_AT_decl_line),
                (gimli::DW_AT_call_file, gimli::DW_AT_call_line),
            ];
            // What is only declared, some other unit may define.
            if is_function && entry.attr(gimli::DW_AT_declaration)?.is_some() {
                continue;
            }
            for (file, line) in pairs {
                let number = |name| -> gimli::Result<Option<u64>> {
                    Ok(entry.attr(name)?.and_then(|own| own.udata_value()))
                };
                let file = entry.attr_value(file)?.and_then(|own| match own {
                    gimli::AttributeValue::FileIndex(index) => Some(index),
                    other => other.udata_value(),
                });
                let (Some(file), Some(line)) = (file, number(line)?) else { continue };
                let line = u32::try_from(line).unwrap_or(u32::MAX);
                let file = path(file)?;
                if is_function {
                    self.functions.entry(file.clone()).or_default().insert(line);
                }
                self.lines.entry(file).or_default().insert(line);
            }
        }
        Ok(())
    }

    fn add_to(self, out: &mut BTreeMap<PathBuf, FileLines>, has_runtime: bool) {
        let options = || self.producer.split_whitespace();
        let is_unoptimised = variables::is_unoptimised(&self.producer);
        let names_options = self.producer.starts_with("GNU ") && options().any(|own| own.starts_with("-m"));
        let openmp = match names_options {
            true => Some(options().any(|option| option == "-fopenmp")),
            false => has_runtime.then_some(true),
        };
        for (file, lines) in self.lines {
            let is_main = file == self.main;
            let is_new = !out.contains_key(&file);
            let own = out.entry(file.clone()).or_default();
            if is_new {
                own.is_unoptimised = is_unoptimised;
                own.openmp = openmp;
                own.is_cplusplus = self.is_cplusplus;
            }
            if own.is_cplusplus != self.is_cplusplus {
                own.is_cplusplus = None;
            }
            own.is_unoptimised &= is_unoptimised;
            if own.openmp != openmp {
                own.openmp = None;
            }
            if is_main {
                own.always = match own.units {
                    0 => lines.clone(),
                    _ => own.always.intersection(&lines).copied().collect(),
                };
                own.units += 1;
            } else if own.units == 0 {
                own.always.extend(&lines);
            }
            own.lines.extend(lines);
            own.functions.extend(self.functions.get(&file).into_iter().flatten());
        }
    }
}

fn path_of<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &gimli::Unit<Slice<'a>>,
    header: &gimli::LineProgramHeader<Slice<'a>>,
    file: &gimli::FileEntry<Slice<'a>>,
) -> gimli::Result<PathBuf> {
    let text = |bytes: Slice<'a>| PathBuf::from(bytes.to_string_lossy().into_owned());
    // Where the unit was compiled; names that are absolute replace what is before them.
    let mut path = unit.comp_dir.map(text).unwrap_or_default();
    if let Some(directory) = file.directory(header).filter(|_| file.directory_index() > 0) {
        path.push(text(dwarf.attr_string(unit, directory)?));
    }
    path.push(text(dwarf.attr_string(unit, file.path_name())?));
    Ok(path)
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
