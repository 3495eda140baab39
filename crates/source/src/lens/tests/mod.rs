//! Tests by language, and of hostile input.

mod after;
mod arms;
mod c;
mod cpp;
mod directives;
mod fortran;
mod hostile;
mod places;
mod reading;
mod rust;
mod updates;

use profile::lens::{Array, FileLoops, Language, Operator, Scalar, SourceLoop};

fn c(text: &str) -> FileLoops {
    super::file(text.as_bytes(), Language::C)
}

fn cpp(text: &str) -> FileLoops {
    super::file(text.as_bytes(), Language::Cpp)
}

fn fortran(text: &str) -> FileLoops {
    super::file(text.as_bytes(), Language::Fortran)
}

fn rust(text: &str) -> FileLoops {
    super::file(text.as_bytes(), Language::Rust)
}

/// The loops of a C function with this body, with usual parameters.
fn in_c(body: &str) -> FileLoops {
    let file = c(&format!("void f(int n, int k, double *a, double *b, double e) {{\n{body}\n}}\n"));
    assert!(!file.errors, "{body}");
    file
}

fn in_cpp(body: &str) -> FileLoops {
    let file = cpp(&format!("void f(int n, int k, std::vector<double> &a, double e) {{\n{body}\n}}\n"));
    assert!(!file.errors, "{body}");
    file
}

fn in_rust(body: &str) -> FileLoops {
    let file = rust(&format!(
        "fn f(n: usize, mut k: usize, v: &mut Vec<f64>, e: f64) -> Option<f64> {{\n{body}\n}}\n"
    ));
    assert!(!file.errors, "{body}");
    file
}

fn scalar<'l>(one: &'l SourceLoop, name: &str) -> &'l Scalar {
    let names: Vec<_> = one.scalars.iter().map(|scalar| &scalar.name).collect();
    one.scalars.iter().find(|s| s.name == name).unwrap_or_else(|| panic!("no {name} in {names:?}"))
}

fn array<'l>(one: &'l SourceLoop, name: &str) -> &'l Array {
    let names: Vec<_> = one.arrays.iter().map(|array| &array.name).collect();
    one.arrays.iter().find(|a| a.name == name).unwrap_or_else(|| panic!("no {name} in {names:?}"))
}

/// Operator and operand of the only update of a scalar.
fn update(one: &SourceLoop, name: &str) -> Option<(Operator, String)> {
    let updates: Vec<_> = scalar(one, name).definitions.iter().filter(|d| !d.header).collect();
    assert_eq!(updates.len(), 1, "{name}");
    updates[0].update.as_ref().map(|update| (update.operator, update.operand.clone()))
}
