//! The program that calls a function, as it is written or changed, and runs of it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use source::program;

use super::Check;
use super::inputs::{Argument, Element, Inputs};

/// What both programs have.
const RUNTIME: &str = include_str!("runtime.c");
/// Floating-point numbers are computed as they are written.
///
/// Functions that are not there matter only if they are called.
const CLANG: [&str; 6] =
    ["-O1", "-g0", "-w", "-ffp-contract=off", "-no-pie", "-Wl,--unresolved-symbols=ignore-all"];
/// A device with memory of its own.
const OPENMP: [&str; 2] = ["-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu"];
/// A run that takes longer has failed.
const LONGEST: Duration = Duration::from_secs(30);

/// What is changed in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A directive of OpenMP before a line.
    Directive {
        /// The line.
        line: u32,
        /// The directive.
        text: String,
    },
    /// Kernels and their hosts in a file of their own, called in place of lines.
    Kernel {
        /// First and last line.
        lines: (u32, u32),
        /// The call, which gives 0 if it did what the lines do.
        call: String,
        /// What declares it.
        declaration: String,
        /// The other file.
        file: String,
    },
}

pub(super) enum Failure {
    Compiler(String),
    Missing(String),
}

/// How a run ended.
pub(super) enum Ended {
    /// Well, after it printed this.
    Well(String),
    Failed,
}

/// A program.
pub(super) struct Built {
    directory: tempfile::TempDir,
    /// Where libraries of the device are.
    libraries: Option<PathBuf>,
}

impl Built {
    pub(super) fn new(of: Check<'_>, change: Option<&Change>) -> Result<Built, Failure> {
        let missing = |error: std::io::Error| Failure::Missing(error.to_string());
        let directory = tempfile::tempdir().map_err(missing)?;
        let at = |name: &str| directory.path().join(name);
        let ending = if program::is_cpp_source(of.file) { "cpp" } else { "c" };
        // Comments may be in any encoding; both programs get the same text.
        let text = std::fs::read(of.file).map_err(missing)?;
        let text = String::from_utf8_lossy(&text);
        let text = changed(&without_pragmas(&text), change);
        std::fs::write(at(&format!("source.{ending}")), text).map_err(missing)?;
        let caller = caller(of.inputs, ending, change);
        let main = at(&format!("caller.{ending}"));
        std::fs::write(&main, caller).map_err(missing)?;
        let own = of.file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut clang = Command::new(of.clang);
        clang.args(of.options).args(CLANG).arg("-I").arg(own).arg(&main);
        match change {
            Some(Change::Directive { .. }) => drop(clang.args(OPENMP)),
            Some(Change::Kernel { file, .. }) => {
                let kernels = at("kernels.c");
                std::fs::write(&kernels, file).map_err(missing)?;
                let object = at("kernels.o");
                let mut host = Command::new(of.clang);
                host.args(["-O1", "-w", "-x", "c", "-c"]).arg(&kernels).arg("-o").arg(&object);
                output(&mut host)?;
                clang.arg("-fno-openmp").arg(object).arg("-lOpenCL");
            }
            None => drop(clang.arg("-fno-openmp")),
        }
        if ending == "cpp" {
            clang.arg("-lstdc++");
        }
        output(clang.arg("-o").arg(at("program")).arg("-lm"))?;
        let libraries = match change {
            Some(Change::Directive { .. }) => {
                let found = output(Command::new(of.clang).arg("-print-file-name=libomptarget.so"))?;
                let found = PathBuf::from(String::from_utf8_lossy(&found).trim());
                found.parent().map(Path::to_owned)
            }
            _ => None,
        };
        Ok(Built { directory, libraries })
    }

    /// Runs it on the inputs of a number.
    pub(super) fn run(&self, seed: u32) -> Ended {
        let at = |name: &str| self.directory.path().join(name);
        let Ok(printed) = std::fs::File::create(at("printed")) else { return Ended::Failed };
        let mut command = Command::new(at("program"));
        command.arg(seed.to_string()).stdin(Stdio::null()).stdout(printed).stderr(Stdio::null());
        command.env("POCL_CACHE_DIR", self.directory.path()).env("OMP_TARGET_OFFLOAD", "MANDATORY");
        // What freed memory holds must not look right by chance.
        command.env("MALLOC_PERTURB_", "165").env("OMP_NUM_THREADS", "4");
        if let Some(libraries) = &self.libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        let Ok(mut child) = command.spawn() else { return Ended::Failed };
        let start = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if start.elapsed() < LONGEST => std::thread::sleep(Duration::from_millis(5)),
                _ => {
                    // It may have ended meanwhile.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Ended::Failed;
                }
            }
        };
        match std::fs::read_to_string(at("printed")) {
            Ok(text) if status.success() => Ended::Well(text),
            _ => Ended::Failed,
        }
    }
}

fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    program::output(command).map_err(|failure| match failure {
        program::Failure::Start(error) => Failure::Missing(error.to_string()),
        program::Failure::Said(said) => {
            let line = said.lines().find(|line| line.contains("error")).unwrap_or("no reason given");
            // The name of the file is of a place that is gone.
            let text = line.split_once("source.").map_or(line, |(_, rest)| rest);
            Failure::Compiler(text.to_owned())
        }
    })
}

/// A text with its own directives of OpenMP as empty lines: what is compared is the sequential program.
fn without_pragmas(text: &str) -> String {
    let (mut out, mut goes_on) = (String::with_capacity(text.len()), false);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().take(3).collect();
        let is_pragma = matches!(words.as_slice(), ["#pragma", "omp", ..] | ["#", "pragma", "omp"]);
        let is_gone = is_pragma || goes_on;
        goes_on = is_gone && line.trim_end().ends_with('\\');
        out += if is_gone { "" } else { line };
        out.push('\n');
    }
    out
}

/// A text with a change.
fn changed(text: &str, change: Option<&Change>) -> String {
    let Some(change) = change else { return text.to_owned() };
    let mut lines: Vec<&str> = text.lines().collect();
    let place = |line: u32| usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX).min(lines.len());
    match change {
        Change::Directive { line, text } => {
            let place = place(*line);
            lines.insert(place, text);
            lines.join("\n") + "\n"
        }
        Change::Kernel { lines: (first, last), call, .. } => {
            let call = format!("if ({call} != 0) lw_refused();");
            let range = place(*first)..place(last.saturating_add(1));
            lines.splice(range, [call.as_str()]);
            lines.join("\n") + "\n"
        }
    }
}

fn kind(element: Element) -> char {
    match element {
        Element::Float => 'f',
        Element::Double => 'd',
        Element::Integer(_) => 'i',
    }
}

/// A program that calls the function. Writing to a string cannot fail.
fn caller(inputs: &Inputs, ending: &str, change: Option<&Change>) -> String {
    let mut out = String::from("#include <stdlib.h>\n");
    if let Some(Change::Kernel { declaration, .. }) = change {
        let outside = if ending == "cpp" { "extern \"C\" " } else { "" };
        let _ = writeln!(out, "{outside}{declaration};\nstatic void lw_refused(void) {{ exit(4); }}");
    }
    let _ = writeln!(out, "#define main lw_main_of_source\n#include \"source.{ending}\"\n#undef main");
    out += RUNTIME;
    if ending == "cpp" {
        // Memory is passed as what the function takes.
        out += "struct lw_any { void *at; template <class T> operator T *() const { return static_cast<T *>(at); } };\n";
    }
    out += "int main(int argc, char **argv)\n{\n    lw_seed = argc > 1 ? atoi(argv[1]) : 0;\n";
    for (place, argument) in inputs.arguments.iter().enumerate() {
        let _ = match argument {
            Argument::Integer(name) => writeln!(out, "    const long {name} = lw_number({place});"),
            Argument::Float(name) => writeln!(out, "    const double {name} = lw_number({place}) + 0.5;"),
            Argument::Reference { name, type_name } => {
                writeln!(out, "    {type_name} {name} = ({type_name})lw_number({place});")
            }
            Argument::Array { .. } => Ok(()),
        };
    }
    let mut passed = Vec::new();
    for (place, argument) in inputs.arguments.iter().enumerate() {
        match argument {
            Argument::Integer(name) | Argument::Float(name) | Argument::Reference { name, .. } => {
                passed.push(name.clone());
            }
            Argument::Array { from, to, element, whole, .. } => {
                let (kind, unit) = (kind(*element), element.bytes());
                let whole = whole.unwrap_or(0);
                let _ = writeln!(out, "    struct lw_block lw_block_{place};");
                let _ = writeln!(
                    out,
                    "    void *lw_array_{place} = lw_array(&lw_block_{place}, {from}, {to}, {whole}, '{kind}', {unit});"
                );
                let array = format!("lw_array_{place}");
                passed.push(if ending == "cpp" { format!("lw_any{{{array}}}") } else { array });
            }
        }
    }
    for (name, element) in &inputs.globals {
        let (kind, unit) = (kind(*element), element.bytes());
        let _ = writeln!(out, "    lw_fill((void *)&{name}, (long)sizeof {name}, '{kind}', {unit});");
    }
    let call = format!("{}({})", inputs.function, passed.join(", "));
    let _ = if inputs.gives_number {
        writeln!(out, "    printf(\"result %.17g\\n\", (double){call});")
    } else {
        writeln!(out, "    {call};")
    };
    for (place, argument) in inputs.arguments.iter().enumerate() {
        let _ = match argument {
            Argument::Array { name, .. } => {
                writeln!(out, "    lw_show_block(\"{name}\", &lw_block_{place});")
            }
            Argument::Reference { name, .. } => {
                writeln!(out, "    printf(\"{name} %.17g\\n\", (double){name});")
            }
            Argument::Integer(_) | Argument::Float(_) => Ok(()),
        };
    }
    for (name, element) in &inputs.globals {
        let (kind, unit) = (kind(*element), element.bytes());
        let _ =
            writeln!(out, "    lw_show(\"{name}\", (void *)&{name}, (long)sizeof {name}, '{kind}', {unit});");
    }
    out + "    return 0;\n}\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_of_the_source_are_gone() {
        let text = "a\n#pragma omp parallel for \\\n  private(x)\nb\n # pragma once\n";
        assert_eq!(without_pragmas(text), "a\n\n\nb\n # pragma once\n");
    }

    #[test]
    fn changes_stand_in_their_lines() {
        let directive = Change::Directive { line: 2, text: "#pragma".into() };
        assert_eq!(changed("a\nb\nc\n", Some(&directive)), "a\n#pragma\nb\nc\n");
        let (call, declaration, file) = ("f()".to_owned(), String::new(), String::new());
        let kernel = Change::Kernel { lines: (2, 3), call, declaration, file };
        assert_eq!(changed("a\nb\nc\nd\n", Some(&kernel)), "a\nif (f() != 0) lw_refused();\nd\n");
    }
}
