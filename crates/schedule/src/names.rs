//! Names of functions, as people say them, and of what dependences pass through, as the text of a loop calls it.

use profile::{ContextIndex, Dependence, Kind, Profile};

use crate::facts::Facts;

/// A function's name without namespaces, parameters and arguments of templates.
pub fn short_name(full: &str) -> &str {
    if full.contains("operator") || full.starts_with('<') {
        return full;
    }
    let end = full.find(['(', '<']).unwrap_or(full.len());
    let name = full[..end].trim_end();
    // A return type may stand before it.
    let name = name.rsplit(' ').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}

/// Whether a call as it is written (`f`, `space::f`, `object.f`, Fortran's `F`) is one of a function of this short name; a Fortran compiler
/// puts the name of the module before it.
pub fn is_call_of(written: &str, function: &str) -> bool {
    let member = written.rsplit(['.', '>', '%']).next().unwrap_or(written);
    let own = function.rsplit("_MOD_").next().unwrap_or(function);
    short_name(member) == own || short_name(member).eq_ignore_ascii_case(own.trim_end_matches('_'))
}

/// The function in which a parallel region stands, by the name of the function that a compiler has made of the region
/// (GCC: `f._omp_fn.0`, clang: `f.omp_outlined`; demangled `f [clone ._omp_fn.0]`), empty where the name does not say
/// (clang's tasks: `.omp_task_entry.`); `None` for other functions.
pub fn of_region(name: &str) -> Option<&str> {
    let at = ["._omp_fn.", ".omp_outlined", ".omp_task_entry"].iter().find_map(|mark| name.find(mark))?;
    let of = name[..at].trim_end();
    Some(of.strip_suffix("[clone").map_or(of, str::trim_end))
}

/// What the text of a loop calls the storage that a dependence passes through, whose ends are both on lines of it: the one array that the
/// one line writes and the other reads (or writes), or else the one variable that is assigned where it is written, or that is handed on to where
/// it is read. `None` where several could be meant.
pub fn in_text<'a>(profile: &'a Profile, context: ContextIndex, d: &Dependence) -> Option<&'a str> {
    let source = Facts::source(profile, context)?;
    let own = profile.location(profile.contexts.get(context as usize)?.location);
    let places = [d.source, d.sink].map(|s| profile.location_of(s));
    let is_text = |place: &&profile::Location| {
        (&place.file, &place.function) == (&own.file, &own.function)
            && (source.at.line..=source.end.line).contains(&place.line)
    };
    if !places.iter().all(is_text) {
        return None;
    }
    let writes = match d.kind {
        Kind::Flow => [true, false],
        Kind::Anti => [false, true],
        Kind::Output => [true, true],
    };
    let accesses = |end: usize| {
        move |array: &&profile::lens::Array| {
            array
                .accesses
                .iter()
                .any(|access| access.at.line == places[end].line && access.mode.may(writes[end]))
        }
    };
    let mut arrays = source.arrays.iter().filter(accesses(0)).filter(accesses(1));
    if let Some(array) = arrays.next() {
        return arrays.all(|other| other.name == array.name).then_some(&array.name);
    }
    // An iterator that its header alone advances is computed anew in every iteration: what is handed on is something else.
    let is_counter = |scalar: &profile::lens::Scalar| {
        let is_iterator = source.iterators.iter().any(|own| own.name == scalar.name);
        is_iterator && scalar.definitions.iter().all(|definition| definition.header)
    };
    let is_variable = |scalar: &&profile::lens::Scalar| {
        scalar.is_own_storage() != d.memory && !scalar.is_private() && (d.memory || !is_counter(scalar))
    };
    let the_one = |is_it: &dyn Fn(&&profile::lens::Scalar) -> bool| {
        let mut all = source.scalars.iter().filter(is_variable).filter(is_it);
        all.next().filter(|_| all.next().is_none())
    };
    let written = places[usize::from(d.kind == Kind::Anti)].line;
    let is_assigned = |scalar: &&profile::lens::Scalar| {
        scalar.definitions.iter().any(|definition| definition.at.line == written)
    };
    // Compilers move what a register hands on where the loop goes round, or have it where it was made.
    let is_register_flow = !d.memory && d.kind == Kind::Flow;
    let is_handed_on =
        |scalar: &&profile::lens::Scalar| scalar.read_before_write && scalar.reads.contains(&places[1].line);
    let scalar = the_one(&is_assigned).or_else(|| the_one(&is_handed_on).filter(|_| is_register_flow))?;
    Some(&scalar.name)
}

/// Whether the code of a function is that of one which the text calls so: copies for some arguments have a suffix, functions of Fortran an
/// underscore, and its main program has a name that its text does not.
pub fn is_code_of(function: &str, text: &str) -> bool {
    let plain = |name: &str| short_name(name).split('.').next().unwrap_or_default().to_owned();
    let (own, text) = (plain(function), plain(text));
    own == "MAIN__" || own == text || own.strip_suffix('_') == Some(text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened() {
        assert_eq!(short_name("grid::relax(double*, int)"), "relax");
        assert_eq!(short_name("void grid::relax<double>(int)"), "relax");
        assert_eq!(short_name("solver::Matrix::multiply"), "multiply");
        assert_eq!(short_name("main"), "main");
        assert_eq!(short_name("operator<(a, b)"), "operator<(a, b)");
    }

    #[test]
    fn code_of_functions_by_their_names() {
        for (function, text, is_it) in [
            ("grid::relax(double*, int)", "relax", true),
            ("relax.constprop.0", "relax", true),
            ("x_solve_", "x_solve", true),
            ("MAIN__", "solver", true),
            ("relax", "x_solve", false),
        ] {
            assert_eq!(is_code_of(function, text), is_it, "{function} {text}");
        }
    }

    #[test]
    fn regions_name_their_functions() {
        assert_eq!(of_region("solve._omp_fn.12"), Some("solve"));
        assert_eq!(of_region("grid::relax [clone ._omp_fn.0]"), Some("grid::relax"));
        assert_eq!(of_region("main.omp_outlined"), Some("main"));
        assert_eq!(of_region("main"), None);
    }
}
