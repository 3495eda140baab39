//! What a loop of C++ becomes with the parallel algorithms of the standard library (C++17, header `<execution>`), which
//! share iterations out among threads without OpenMP.
//!
//! Definition: of a loop over the elements of a container, or over numbers by which it comes to elements of one array,
//! the head of the call is given as it is to be written; the body stays, and is `…` here. Each call of the body is
//! handed one element, so what iterations write has to be that element, or what the loop shows to be apart; what they
//! accumulate becomes what each gives.
//!
//! Limits: one accumulator, and no variables that threads need for themselves; an array is a pointer, an array of C,
//! `std::vector` or `std::array`.

use profile::lens::{Array, Home, Iterator as Counter, Language, LoopKind};
use schedule::facts::Facts;

/// The call, if the loop has such a form. `reductions`: operators and names of what its iterations accumulate, all that
/// they need.
pub(crate) fn call(facts: &Facts<'_>, reductions: &[(&'static str, String)]) -> Option<String> {
    let source = facts.source;
    let [one] = &source.iterators[..] else { return None };
    if facts.language != Language::Cpp || one.home != Home::InHeader || !one.adapters.is_empty() {
        return None;
    }
    let (elements, first) = match source.kind {
        LoopKind::RangeFor => (container(one)?, String::new()),
        LoopKind::For => numbered(one, element_array(&source.arrays, one, reductions.is_empty())?)?,
        _ => return None,
    };
    let parameter = match source.kind {
        LoopKind::RangeFor => {
            format!("{} {}{}", element_type(one), if one.reference { "&" } else { "" }, one.name)
        }
        _ => "auto &x".to_owned(),
    };
    let policy = "std::execution::par";
    Some(match reductions {
        [] => format!("std::for_each({policy}, {elements}, [&]({parameter}) {{ {first}… }});"),
        [(operator, name)] => {
            let combine = match *operator {
                "+" => "std::plus<>()",
                "*" => "std::multiplies<>()",
                "min" => "[](auto a, auto b) { return std::min(a, b); }",
                "max" => "[](auto a, auto b) { return std::max(a, b); }",
                _ => return None,
            };
            format!(
                "{name} = std::transform_reduce({policy}, {elements}, {name}, {combine}, [&]({parameter}) {{ {first}return …; }});"
            )
        }
        _ => return None,
    })
}

/// Whether a text is one name, with members of objects.
fn is_plain(text: &str) -> bool {
    let text = text.replace("->", ".");
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':'))
}

/// The element's type in a declaration, without `&`.
fn element_type(one: &Counter) -> String {
    let written = one.type_text.replace('&', " ");
    let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
    if written.is_empty() { "auto".to_owned() } else { written }
}

/// The elements that a loop over a container takes.
fn container(one: &Counter) -> Option<String> {
    let name = one.bound.as_deref()?.trim();
    is_plain(name).then(|| format!("std::begin({name}), std::end({name})"))
}

/// The array whose elements of the loop's own number can be handed to its body: the only one that is written, and there
/// alone; where iterations only accumulate, the first that is read there, and nothing is written.
fn element_array<'a>(arrays: &'a [Array], one: &Counter, writes: bool) -> Option<&'a Array> {
    let is_own = |array: &&Array| {
        array.dimensions <= 1
            && array.root == array.name
            && array.accesses.iter().all(|access| access.element() == [one.name.as_str()])
    };
    let mut written = arrays.iter().filter(|array| array.is_written());
    match (writes, written.next()) {
        (true, Some(array)) if written.next().is_none() => Some(array).filter(is_own),
        (false, None) => arrays.iter().find(is_own),
        _ => None,
    }
}

/// The elements of an array by their numbers, and how the body finds its own number.
fn numbered(one: &Counter, array: &Array) -> Option<(String, String)> {
    let (start, bound) = (one.start.as_deref()?.trim(), one.bound.as_deref()?.trim());
    let is_counting = matches!(one.comparison.as_deref(), Some("<" | "!=")) && one.step_value == Some(1);
    let is_container = ["vector<", "array<"].iter().any(|own| array.type_text.contains(own));
    let is_pointer = array.fixed || array.type_text.trim_end().ends_with('*');
    if !is_counting || is_container == is_pointer || !is_plain(start) {
        return None;
    }
    let name = &array.name;
    let (begin, data) = match is_container {
        true => (format!("{name}.begin()"), format!("{name}.data()")),
        false => (name.clone(), name.clone()),
    };
    let end = if is_plain(bound) { bound.to_owned() } else { format!("({bound})") };
    let first = if start == "0" { begin.clone() } else { format!("{begin} + {start}") };
    let elements = format!("{first}, {begin} + {end}");
    let number = element_type(one);
    Some((elements, format!("const {number} {} = &x - {data}; ", one.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, reductions: &[(&'static str, &str)]) -> Option<String> {
        let text = format!(
            "#include <vector>\nvoid f(double *a, std::vector<double> &v, const std::vector<double> &w, int n) {{\ndouble s = 0, m = 0;\n\
             {text}\n}}"
        );
        let file = source::lens::file(text.as_bytes(), Language::Cpp);
        let facts = Facts::new(&file, &file.loops[0])?;
        let all: Vec<_> = reductions.iter().map(|(operator, name)| (*operator, (*name).to_owned())).collect();
        call(&facts, &all)
    }

    #[test]
    fn elements_of_containers() {
        assert_eq!(
            said("for (auto &x : v) x *= 2;", &[]).as_deref(),
            Some("std::for_each(std::execution::par, std::begin(v), std::end(v), [&](auto &x) { … });")
        );
        assert_eq!(
            said("for (const double &x : w) s += x;", &[("+", "s")]).as_deref(),
            Some(
                "s = std::transform_reduce(std::execution::par, std::begin(w), std::end(w), s, std::plus<>(), [&](const double &x) { return …; });"
            )
        );
        assert_eq!(said("for (double x : make(w)) s += x;", &[("+", "s")]), None);
    }

    #[test]
    fn elements_by_their_numbers() {
        assert_eq!(
            said("for (int i = 0; i < n; i++) a[i] = 2 * i;", &[]).as_deref(),
            Some("std::for_each(std::execution::par, a, a + n, [&](auto &x) { const int i = &x - a; … });")
        );
        assert_eq!(
            said("for (std::size_t i = 1; i < v.size() - 1; ++i) v[i] = w[i - 1] + w[i + 1];", &[])
                .as_deref(),
            Some(
                "std::for_each(std::execution::par, v.begin() + 1, v.begin() + (v.size() - 1), [&](auto &x) { const std::size_t i = &x - v.data(); … });"
            )
        );
        assert!(
            said("std::vector<double> p(n), q(n); for (int i = 0; i < n; i++) p[i] = i % 17;", &[]).is_some()
        );
        assert!(
            said("for (int i = 0; i < n; i++) m = std::max(m, a[i]);", &[("max", "m")])
                .is_some_and(|words| words.contains("std::max(a, b)"))
        );
        // Another element, a step of two, two arrays, two accumulators.
        assert_eq!(said("for (int i = 0; i < n; i++) a[n - i] = 2 * i;", &[]), None);
        assert_eq!(said("for (int i = 0; i < n; i += 2) a[i] = 2 * i;", &[]), None);
        assert_eq!(said("for (int i = 0; i < n; i++) { a[i] = i; v[i] = i; }", &[]), None);
        assert_eq!(
            said("for (int i = 0; i < n; i++) { s += a[i]; m *= a[i]; }", &[("+", "s"), ("*", "m")]),
            None
        );
    }
}
