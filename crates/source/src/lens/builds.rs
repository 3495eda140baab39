//! What a build with OpenMP has otherwise than one without, by the text: OpenMP 5.2, section 3.3.
//!
//! Definition: a line *differs* if it stands in an arm of a conditional of the preprocessor that asks for `_OPENMP`, or for a macro that is
//! defined or undefined on a line that differs; in Fortran also if it begins with the sentinel of conditional compilation.
//!
//! Limits: what headers define is not looked at.

use std::collections::BTreeSet;

use profile::lens::Language;

use super::phases::Phases;
use super::text::words;

/// The macro that compilers define where they obey directives of OpenMP.
const OPENMP: &str = "_OPENMP";

/// The lines of a text that differ, from 1, and the macros that are defined on such.
pub fn differing(bytes: &[u8], language: Language) -> (BTreeSet<u32>, BTreeSet<String>) {
    let phases = Phases::of(bytes, language);
    let mut macros: BTreeSet<String> = BTreeSet::new();
    // What is defined so may be asked for by others.
    let mut lines = loop {
        let known = macros.len();
        let lines = arms(&phases, &macros);
        for directive in &phases.directives {
            let is_definition = matches!(directive.word.as_str(), "define" | "undef");
            if is_definition && lines.contains(&(directive.lines.0 as u32 + 1)) {
                macros.extend(words(&directive.rest).next().map(str::to_owned));
            }
        }
        if macros.len() == known {
            break lines;
        }
    };
    if matches!(language, Language::Fortran | Language::FixedFortran) {
        let own = (1..).zip(&phases.plain).filter(|(_, line)| is_sentinel(line, language));
        lines.extend(own.map(|(number, _)| number));
    }
    (lines, macros)
}

/// The lines of arms that ask for OpenMP, or for one of some macros; directives around them apart.
fn arms(phases: &Phases, macros: &BTreeSet<String>) -> BTreeSet<u32> {
    // Where each open conditional began, the arm that is read and whether it has asked.
    let mut open: Vec<(u32, bool)> = Vec::new();
    let mut out = BTreeSet::new();
    for directive in &phases.directives {
        let (first, behind) = (directive.lines.0 as u32 + 1, directive.lines.1 as u32 + 1);
        let asks = words(&directive.rest).any(|word| word == OPENMP || macros.contains(word));
        match directive.word.as_str() {
            "if" | "ifdef" | "ifndef" => open.push((behind, asks)),
            "elif" | "elifdef" | "elifndef" | "else" | "endif" => {
                let Some((from, asked)) = open.pop() else { continue };
                if asked {
                    out.extend(from..first);
                }
                if directive.word != "endif" {
                    open.push((behind, asked || asks));
                }
            }
            _ => {}
        }
    }
    out
}

/// Whether a line is compiled where OpenMP is, and a comment elsewhere.
fn is_sentinel(line: &str, language: Language) -> bool {
    let start = if language == Language::FixedFortran { line } else { line.trim_start() };
    let rest = match language {
        Language::FixedFortran => ["!$", "c$", "C$", "*$"].iter().find_map(|own| start.strip_prefix(own)),
        _ => start.strip_prefix("!$"),
    };
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_whitespace() || c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, language: Language) -> Vec<u32> {
        differing(text.as_bytes(), language).0.into_iter().collect()
    }

    #[test]
    fn arms_that_ask_for_openmp_differ() {
        let c =
            "#if defined(_OPENMP)\na\n#else\nb\n#endif\n#ifdef X\nc\n#endif\n#ifndef _OPENMP\nd\n#endif\n";
        assert_eq!(lines(c, Language::C), [2, 4, 10]);
    }

    #[test]
    fn macros_of_such_arms_hand_on_what_they_ask() {
        let c = "#ifdef _OPENMP\n#define T\n#endif\n#ifdef T\na\n#endif\n#ifdef U\nb\n#endif\n";
        assert_eq!(lines(c, Language::C), [2, 5]);
        let (_, macros) = differing(c.as_bytes(), Language::C);
        assert!(macros.contains("T") && !macros.contains("U"));
    }

    #[test]
    fn sentinels_differ() {
        let f = "me = 1\n!$ me = omp_get_thread_num()\n!$omp parallel\n  !$ x = 1\n";
        assert_eq!(lines(f, Language::Fortran), [2, 4]);
        assert_eq!(lines("      a = 1\nc$    b = 2\nc$omp do\n", Language::FixedFortran), [2]);
    }
}
