//! The sources of programs: that of the function, as it is written or changed, and a caller.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::Check;
use super::inputs::{Argument, Element, Inputs};
use crate::emit::{Kernel, KernelLanguage, host};

/// What all callers have.
const RUNTIME: &str = include_str!("runtime.c");
/// Calls the function on the inputs of each number that is named. What it leaves behind is made anew before each call, so that one process
/// can do so for all numbers.
const MAIN: &str = "int main(int argc, char **argv)
{
    for (int next = 1; next < argc; next++) {
        lw_seed = atoi(argv[next]);
        printf(\"inputs %d\\n\", lw_seed);
        lw_call();
        fflush(stdout);
    }
    return 0;
}
";

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
    /// A kernel and its host in a file of their own, called in place of lines.
    Kernel {
        /// What the other file is written in.
        language: KernelLanguage,
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

impl Change {
    /// A kernel in place of its loops. `source` is the name of the source, whose definitions of macros are given by name.
    pub fn kernel(
        kernel: &Kernel,
        language: KernelLanguage,
        source: &str,
        macros: &BTreeMap<String, String>,
    ) -> Change {
        Change::Kernel {
            language,
            lines: kernel.lines,
            call: host::call(kernel),
            declaration: host::head(kernel),
            file: language.file(source, std::slice::from_ref(kernel), macros),
        }
    }

    /// A source with this change, and without directives of its own.
    pub fn applied(&self, text: &str) -> String {
        changed(&without_pragmas(text), Some(self))
    }
}

/// The files of a program, by their names in its directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files {
    /// The function's source, which the caller includes.
    pub source: &'static str,
    /// What calls the function.
    pub caller: &'static str,
    /// Kernels and their hosts.
    pub kernels: Option<&'static str>,
}

/// Writes the files of a program into a directory.
pub(super) fn write(directory: &Path, of: Check<'_>, change: Option<&Change>) -> std::io::Result<Files> {
    let (source, caller) = if of.is_cpp() { ("source.cpp", "caller.cpp") } else { ("source.c", "caller.c") };
    let kernels = match change {
        Some(Change::Kernel { language: KernelLanguage::OpenCl, file, .. }) => Some(("kernels.c", file)),
        Some(Change::Kernel { language: KernelLanguage::Cuda, file, .. }) => Some(("kernels.cu", file)),
        Some(Change::Directive { .. }) | None => None,
    };
    // Comments may be in any encoding; both programs get the same text.
    let text = std::fs::read(of.file)?;
    let text = String::from_utf8_lossy(&text);
    std::fs::write(directory.join(source), changed(&without_pragmas(&text), change))?;
    std::fs::write(directory.join(caller), calling(of.inputs, source, of.is_cpp()))?;
    if let Some((name, text)) = kernels {
        std::fs::write(directory.join(name), text)?;
    }
    Ok(Files { source, caller, kernels: kernels.map(|(name, _)| name) })
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
        Change::Kernel { lines: (first, last), call, declaration, .. } => {
            let call = format!("if ({call} != 0) lw_refused();");
            let range = place(*first)..place(last.saturating_add(1));
            lines.splice(range, [call.as_str()]);
            format!("{}{}\n", refusing(declaration), lines.join("\n"))
        }
    }
}

/// What stands before a source that calls the host's function of a kernel: its declaration, and what happens if it does nothing.
fn refusing(declaration: &str) -> String {
    format!(
        "#include <stdlib.h>\n#ifdef __cplusplus\nextern \"C\"\n#endif\n{declaration};\nstatic void lw_refused(void) {{ exit(4); }}\n"
    )
}

fn kind(element: Element) -> char {
    match element {
        Element::Float => 'f',
        Element::Double => 'd',
        Element::Integer(_) => 'i',
        Element::Words => 'w',
    }
}

/// A program that calls the function once for each number of inputs that it is given, on inputs of that number. Writing to a string cannot
/// fail.
fn calling(inputs: &Inputs, source: &str, is_cpp: bool) -> String {
    let mut out = String::from("#include <stdlib.h>\n");
    let _ = writeln!(out, "#define main lw_main_of_source\n#include \"{source}\"\n#undef main");
    out += RUNTIME;
    if is_cpp {
        // Memory is passed as what the function takes.
        out += "struct lw_any { void *at; template <class T> operator T *() const { return static_cast<T *>(at); } };\n";
    }
    out += "static void lw_call(void)\n{\n";
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
                passed.push(if is_cpp { format!("lw_any{{{array}}}") } else { array });
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
    out + "}\n\n" + MAIN
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
        let (call, declaration, file) = ("f()".to_owned(), "int f(void)".to_owned(), String::new());
        let language = KernelLanguage::Cuda;
        let kernel = Change::Kernel { language, lines: (2, 3), call, declaration, file };
        let text = changed("a\nb\nc\nd\n", Some(&kernel));
        assert!(text.contains("int f(void);\n"), "{text}");
        assert!(text.ends_with("}\na\nif (f() != 0) lw_refused();\nd\n"), "{text}");
    }
}
