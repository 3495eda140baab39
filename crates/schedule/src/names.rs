//! Names of functions, as people say them.

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

/// The function in which a parallel region stands, by the name of the function that a compiler has made of the region (GCC:
/// `f._omp_fn.0`, clang: `f.omp_outlined`); `None` for other functions.
pub fn of_region(name: &str) -> Option<&str> {
    ["._omp_fn.", ".omp_outlined"].iter().find_map(|mark| name.find(mark).map(|at| &name[..at]))
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
}
