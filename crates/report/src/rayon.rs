//! What a loop of Rust becomes with rayon, whose iterators share iterations out among threads.
//!
//! Definition: of a `for` over numbers or over the elements of a slice the head of the parallel chain is given as it is to be written; the
//! body stays, and is `…` here. What iterations write has to be theirs by type: elements of slices that are had one by one, rows or
//! chunks; and what they accumulate becomes the sum of what each gives.
//!
//! Limits: at most two slices are written; other forms get words.

use profile::lens::{Array, Iterator as Counter, LoopKind, Operator, Scalar};
use schedule::facts::{Facts, Role};

/// What to write, or to do where the form is another one; `None` where variables are in the way.
pub(crate) fn advice(facts: &Facts<'_>) -> Option<String> {
    let source = facts.source;
    let is_in_the_way =
        |role: &Role| !matches!(role, Role::Iterator | Role::Own | Role::Reduction(_) | Role::Shared);
    if source.kind != LoopKind::RustFor || facts.scalars.iter().any(|(_, role)| is_in_the_way(role)) {
        return None;
    }
    let reductions: Vec<(&Scalar, Operator)> = facts
        .scalars
        .iter()
        .filter_map(|(scalar, role)| match role {
            Role::Reduction(operator) => Some((*scalar, *operator)),
            _ => None,
        })
        .collect();
    let written: Vec<&Array> = source.arrays.iter().filter(|array| array.is_written()).collect();
    let chain = match (&source.iterators[..], &written[..], &reductions[..]) {
        ([one], [], [(scalar, operator)]) => folded(&source_of(one)?, &one.name, scalar, *operator),
        ([one], [array], []) if one.comparison.is_some() => one_slice(one, array),
        ([one], [a, b], []) if one.comparison.is_some() => two_slices(one, a, b),
        (all, [], []) => elements(all),
        _ => None,
    };
    Some(chain.map_or_else(
        || {
            "its iterations may run in parallel: with rayon, once each has its own part of what is written (par_iter_mut, par_chunks_mut, \
             zip) and gives what is summed"
                .to_owned()
        },
        |chain| format!("with rayon: {chain}"),
    ))
}

/// What makes iterators, and what makes parallel ones.
const PARALLEL: [(&str, &str); 8] = [
    ("iter", "par_iter"),
    ("iter_mut", "par_iter_mut"),
    ("into_iter", "into_par_iter"),
    ("chunks", "par_chunks"),
    ("chunks_mut", "par_chunks_mut"),
    ("chunks_exact", "par_chunks_exact"),
    ("chunks_exact_mut", "par_chunks_exact_mut"),
    ("windows", "par_windows"),
];

/// Whether parallel iterators have an adapter too, and keep the elements in their places.
fn is_indexed(name: &str) -> bool {
    PARALLEL.iter().any(|own| own.0 == name) || matches!(name, "enumerate" | "zip" | "copied" | "cloned")
}

/// The parallel iterator over what a loop counts off.
fn source_of(one: &Counter) -> Option<String> {
    let bound = one.bound.as_deref()?.trim();
    match (one.comparison.as_deref(), &one.adapters[..]) {
        (Some(range @ (".." | "..=")), []) => {
            Some(format!("({}{range}{bound}).into_par_iter()", one.start.as_deref()?))
        }
        (None, []) if bound.starts_with("&mut ") => {
            Some(format!("{}.par_iter_mut()", bound.trim_start_matches("&mut ").trim()))
        }
        (None, []) if bound.starts_with('&') => {
            Some(format!("{}.par_iter()", bound.trim_start_matches('&').trim()))
        }
        (None, adapters) if !adapters.is_empty() && adapters.iter().all(|name| is_indexed(name)) => {
            let parallel = PARALLEL.iter().fold(bound.to_owned(), |text, (name, own)| {
                text.replace(&format!(".{name}("), &format!(".{own}("))
            });
            (parallel != bound).then_some(parallel)
        }
        _ => None,
    }
}

/// A variable that accumulates what each iteration gives.
fn folded(source: &str, name: &str, scalar: &Scalar, operator: Operator) -> Option<String> {
    let own = &scalar.name;
    let each = format!("{source}.map(|{name}| …)");
    let of = match scalar.type_text.trim() {
        "" => "T".to_owned(),
        written => written.to_owned(),
    };
    Some(match operator {
        Operator::Add | Operator::Subtract => format!("{own} += {each}.sum::<{of}>()"),
        Operator::Multiply => format!("{own} *= {each}.product::<{of}>()"),
        Operator::Minimum => format!("{own} = {each}.reduce(|| {own}, |a, b| a.min(b))"),
        Operator::Maximum => format!("{own} = {each}.reduce(|| {own}, |a, b| a.max(b))"),
        Operator::LogicalAnd => format!("{own} = {own} && {source}.all(|{name}| …)"),
        Operator::LogicalOr => format!("{own} = {own} || {source}.any(|{name}| …)"),
        _ => return None,
    })
}

/// The elements that iterations write of a slice, if each writes that of its own number: the slice of those.
fn own_elements(one: &Counter, array: &Array) -> Option<String> {
    let is_own = array.accesses.iter().all(|access| access.element() == [one.name.as_str()]);
    (is_own && array.root == array.name).then(|| part(one, &array.name)).flatten()
}

/// The part of a slice that a range of numbers counts through.
fn part(one: &Counter, name: &str) -> Option<String> {
    let (start, bound) = (one.start.as_deref()?.trim(), one.bound.as_deref()?.trim());
    let range = one.comparison.as_deref().filter(|range| matches!(*range, ".." | "..="))?;
    if !one.adapters.is_empty() {
        return None;
    }
    Some(match (start, range) {
        ("0", "..") if bound == format!("{name}.len()") => name.to_owned(),
        ("0", range) => format!("{name}[{range}{bound}]"),
        (start, range) => format!("{name}[{start}{range}{bound}]"),
    })
}

/// How the body finds its own number.
fn numbered(one: &Counter) -> (String, String) {
    match one.start.as_deref().map(str::trim) {
        Some("0") | None => (one.name.clone(), String::new()),
        Some(start) => ("k".to_owned(), format!("let {} = {start} + k; ", one.name)),
    }
}

fn one_slice(one: &Counter, array: &Array) -> Option<String> {
    let (number, first) = numbered(one);
    let (name, i) = (&array.name, &one.name);
    if let Some(own) = own_elements(one, array) {
        return Some(format!(
            "{own}.par_iter_mut().enumerate().for_each(|({number}, x)| {{ {first}… }}), with *x for {name}[{i}]"
        ));
    }
    // Rows of a slice of slices, or chunks of one slice.
    let is_row = array.accesses.iter().all(|access| access.subscripts.len() > 1 && access.element()[0] == *i);
    if is_row && array.root == *name {
        let rows = part(one, name)?;
        return Some(format!(
            "{rows}.par_iter_mut().enumerate().for_each(|({number}, row)| {{ {first}… }}), with row for {name}[{i}]"
        ));
    }
    let mut widths = array.accesses.iter().map(|access| match &access.element()[..] {
        [only] => width(only, i),
        _ => None,
    });
    let width = widths.next()??;
    let starts_at_0 = one.start.as_deref().map(str::trim) == Some("0") && one.adapters.is_empty();
    (widths.all(|other| other.as_deref() == Some(&width)) && array.root == *name && starts_at_0).then(|| {
        format!(
            "{name}.par_chunks_mut({width}).enumerate().for_each(|({i}, row)| {{ … }}), with row[j] for {name}[{i} * {width} + j]"
        )
    })
}

/// The width of the chunks of which an element `i*w+j` is in the one of number `i`.
fn width(element: &str, i: &str) -> Option<String> {
    let rest = element.strip_prefix(&format!("{i}*"))?;
    let (width, inside) = rest.split_once('+')?;
    let is_plain =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_plain(width) && is_plain(inside) && inside != i).then(|| width.to_owned())
}

fn two_slices(one: &Counter, a: &Array, b: &Array) -> Option<String> {
    let (number, first) = numbered(one);
    let (own, other) = (own_elements(one, a)?, own_elements(one, b)?);
    Some(format!(
        "{own}.par_iter_mut().zip({other}.par_iter_mut()).enumerate().for_each(|({number}, (x, y))| {{ {first}… }}), with *x for \
         {}[{i}] and *y for {}[{i}]",
        a.name,
        b.name,
        i = one.name
    ))
}

/// Elements that are counted off one by one, with their numbers or beside others.
fn elements(all: &[Counter]) -> Option<String> {
    let source = source_of(all.last()?)?;
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    let pattern = match &names[..] {
        [one] => (*one).to_owned(),
        // How they are bound the text of the loop says.
        [a, b] => format!("({a}, {b})"),
        _ => return None,
    };
    (all.iter().all(|one| one.comparison.is_none()) && source.contains("_mut("))
        .then(|| format!("{source}.for_each(|{pattern}| …)"))
}

#[cfg(test)]
mod tests {
    use profile::lens::Language;

    use super::*;

    fn said(text: &str) -> Option<String> {
        let text = format!(
            "fn f(a: &mut [f64], b: &mut [f64], c: &[f64], m: &mut [Vec<f64>], n: usize, w: usize) {{\nlet mut s: f64 = 0.0;\n{text}\n}}"
        );
        let file = source::lens::file(text.as_bytes(), Language::Rust);
        let facts = Facts::new(&file, &file.loops[0])?;
        advice(&facts)
    }

    #[test]
    fn elements_of_one_slice() {
        assert_eq!(
            said("for i in 0..n { a[i] = c[i] * 2.0; }").as_deref(),
            Some("with rayon: a[..n].par_iter_mut().enumerate().for_each(|(i, x)| { … }), with *x for a[i]")
        );
        assert_eq!(
            said("for i in 1..a.len() { a[i] = c[i - 1]; }").as_deref(),
            Some(
                "with rayon: a[1..a.len()].par_iter_mut().enumerate().for_each(|(k, x)| { let i = 1 + k; … }), with *x for a[i]"
            )
        );
        assert_eq!(
            said("for x in a.iter_mut() { *x += 1.0; }").as_deref(),
            Some("with rayon: a.par_iter_mut().for_each(|x| …)")
        );
        assert_eq!(
            said("for (i, x) in a.iter_mut().enumerate() { *x = i as f64; }").as_deref(),
            Some("with rayon: a.par_iter_mut().enumerate().for_each(|(i, x)| …)")
        );
        assert_eq!(
            said("for (x, y) in a.iter_mut().zip(c.iter()) { *x = *y; }").as_deref(),
            Some("with rayon: a.par_iter_mut().zip(c.par_iter()).for_each(|(x, y)| …)")
        );
    }

    #[test]
    fn two_slices_rows_and_chunks() {
        assert_eq!(
            said("for i in 0..n { a[i] = c[i]; b[i] = 0.0; }").as_deref(),
            Some(
                "with rayon: a[..n].par_iter_mut().zip(b[..n].par_iter_mut()).enumerate().for_each(|(i, (x, y))| { … }), with *x for a[i] \
                 and *y for b[i]"
            )
        );
        assert_eq!(
            said("for i in 0..n { for j in 0..w { m[i][j] = 1.0; } }").as_deref(),
            Some(
                "with rayon: m[..n].par_iter_mut().enumerate().for_each(|(i, row)| { … }), with row for m[i]"
            )
        );
        assert_eq!(
            said("for i in 0..n { for j in 0..w { a[i * w + j] = 1.0; } }").as_deref(),
            Some(
                "with rayon: a.par_chunks_mut(w).enumerate().for_each(|(i, row)| { … }), with row[j] for a[i * w + j]"
            )
        );
    }

    #[test]
    fn sums_and_extremes() {
        assert_eq!(
            said("for i in 0..n { s += c[i]; }").as_deref(),
            Some("with rayon: s += (0..n).into_par_iter().map(|i| …).sum::<f64>()")
        );
        assert_eq!(
            said("for x in c.iter() { s = s.max(*x); }").as_deref(),
            Some("with rayon: s = c.par_iter().map(|x| …).reduce(|| s, |a, b| a.max(b))")
        );
    }

    #[test]
    fn other_forms_get_words() {
        let words = said("for i in 0..n { a[i / 2] = 1.0; }").expect("words");
        assert!(words.starts_with("its iterations may run in parallel: with rayon"), "{words}");
    }
}
