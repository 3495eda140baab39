//! Directives of OpenMP and OpenACC: which run code in parallel, and what they stand on.

use profile::lens::{Directive, Language};

/// What a directive stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// On the next statement.
    Statement,
    /// On all statements up to an `end`.
    Begin,
    /// It is such an `end`.
    End,
    /// On none.
    Alone,
}

fn words(directive: &Directive) -> impl std::iter::Iterator<Item = String> + '_ {
    let text = directive.text.trim_start_matches("#pragma").trim_start_matches("!$");
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.skip(1).map(str::to_ascii_lowercase)
}

/// The names of the construct, without clauses: those have an argument in parentheses.
fn construct(directive: &Directive) -> Vec<String> {
    let head = directive.text.split('(').next().unwrap_or_default();
    let whole = head.len() == directive.text.len();
    let head = Directive { text: head.to_owned(), line: directive.line };
    let mut out: Vec<_> = words(&head).collect();
    if !whole {
        // The name before the parenthesis is that of a clause, unless nothing else is named.
        if out.len() > 1 {
            out.pop();
        }
    }
    out
}

/// What a directive stands on.
pub(super) fn role(directive: &Directive, language: Language) -> Role {
    let names = construct(directive);
    let Some(first) = names.first() else { return Role::Alone };
    let second = names.get(1).map_or("", String::as_str);
    if first.starts_with("end") {
        // What ends a loop ends no region.
        return if names.iter().any(|name| is_on_loop(name)) { Role::Alone } else { Role::End };
    }
    let is_alone = matches!(
        first.as_str(),
        "barrier"
            | "flush"
            | "taskwait"
            | "taskyield"
            | "threadprivate"
            | "declare"
            | "cancel"
            | "cancellation"
            | "requires"
            | "wait"
            | "update"
            | "routine"
            | "cache"
            | "enter"
            | "exit"
            | "init"
            | "shutdown"
            | "interop"
            | "depobj"
            | "error"
            | "nothing"
            | "scan"
            | "allocate"
            // What separates the parts of a construct of Fortran that ends elsewhere; in C a block follows that runs by itself.
            | "section"
    ) || (first == "target" && matches!(second, "update" | "enter" | "exit"));
    // Iterations that wait for others.
    let is_depend =
        first == "ordered" && words(directive).any(|word| matches!(word.as_str(), "depend" | "doacross"));
    if is_alone && (first != "section" || is_fortran(language)) || is_depend {
        return Role::Alone;
    }
    match language {
        Language::Fortran | Language::FixedFortran => {
            if names.iter().any(|name| is_on_loop(name)) {
                Role::Statement
            } else {
                Role::Begin
            }
        }
        _ => Role::Statement,
    }
}

/// The variables of which a directive gives each thread its own: `#pragma omp threadprivate(a, b)`; in Fortran, in lower case,
/// `!$omp threadprivate(a, /block/)`.
pub(super) fn thread_private(text: &str) -> Vec<&str> {
    let rest = || {
        let text = text.trim_start();
        let pragma = || text.strip_prefix('#')?.trim_start().strip_prefix("pragma");
        let rest = pragma().or_else(|| ["!$", "c$", "*$"].iter().find_map(|mark| text.strip_prefix(mark)))?;
        let rest = rest.trim_start().strip_prefix("omp")?.trim_start().strip_prefix("threadprivate")?;
        rest.trim_start().strip_prefix('(')?.split(')').next()
    };
    let names = rest().into_iter().flat_map(|list| list.split(','));
    names.map(str::trim).filter(|name| !name.is_empty()).collect()
}

fn is_fortran(language: Language) -> bool {
    matches!(language, Language::Fortran | Language::FixedFortran)
}

/// Whether the code under a directive runs on several threads.
pub(super) fn is_parallel(directive: &Directive) -> bool {
    let names = construct(directive);
    let parallel = [
        "parallel",
        "teams",
        "target",
        "kernels",
        "task",
        "taskloop",
        "distribute",
        "for",
        "do",
        "loop",
        "sections",
        "paralleldo",
        "par_iter",
        "par_iter_mut",
        "into_par_iter",
        "par_chunks",
        "par_chunks_mut",
        "par_bridge",
        "parallelfor",
    ];
    names.iter().any(|name| parallel.contains(&name.as_str()))
}

/// Whether a Fortran construct stands on a loop or a statement, not on all up to its `end`.
fn is_on_loop(name: &str) -> bool {
    let name = name.strip_prefix("end").unwrap_or(name);
    matches!(
        name,
        "do" | "loop"
            | "simd"
            | "taskloop"
            | "distribute"
            | "tile"
            | "unroll"
            | "atomic"
            | "paralleldo"
            | "doconcurrent"
    )
}
