//! Nests as text, C, isl notation and JSON. Pure functions.

use std::fmt::Write;

use serde::Serialize;

use crate::nest::{Bound, Nest};
use crate::stream::Reconstruction;

/// Name of a counter.
fn counter(q: usize) -> String {
    format!("i{q}")
}

/// `constant + Σ coefficient·name`, constant last.
fn affine(coefficients: &[i64], constant: i64, times: &str) -> String {
    let mut out = String::new();
    for (q, &c) in coefficients.iter().enumerate().filter(|e| *e.1 != 0) {
        let name = counter(q);
        let sign = if c < 0 {
            "-"
        } else if out.is_empty() {
            ""
        } else {
            "+"
        };
        let spaced = if out.is_empty() { sign.to_owned() } else { format!(" {sign} ") };
        out.push_str(&spaced);
        match c.unsigned_abs() {
            1 => out.push_str(&name),
            n => {
                // Writing to a string cannot fail.
                let _ = write!(out, "{n}{times}{name}");
            }
        }
    }
    if out.is_empty() {
        return constant.to_string();
    }
    let sign = if constant < 0 { '-' } else { '+' };
    if constant != 0 {
        let _ = write!(out, " {sign} {}", constant.unsigned_abs());
    }
    out
}

fn several(bounds: &[Bound], which: &str, one: impl Fn(&Bound) -> String) -> String {
    let mut out = String::new();
    for (k, bound) in bounds.iter().enumerate() {
        if k == 0 {
            out = one(bound);
        } else {
            out = format!("{which}({out}, {})", one(bound));
        }
    }
    out
}

/// A reconstruction in one line: how long the trace is, how many nests of how many loops it is.
pub fn summary(found: &Reconstruction) -> String {
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let depth = found.nests.iter().map(Nest::depth).max().unwrap_or(0);
    let (nests, loops) = (plural(found.nests.len(), "nest"), plural(depth, "loop"));
    format!("{} integers, {nests} of {loops}, exact", found.accesses)
}

/// Loops as the publications print them, innermost line the address.
pub fn text(nests: &[Nest]) -> String {
    let mut out = String::new();
    for nest in nests {
        for (q, level) in nest.levels.iter().enumerate() {
            let side = |bounds: &[Bound], which: &str, round: &str| {
                let one = |b: &Bound| {
                    let sum = affine(&b.coefficients, b.constant, "*");
                    if b.divisor == 1 { sum } else { format!("{round}(({sum})/{})", b.divisor) }
                };
                match bounds {
                    [b] => one(b),
                    _ => format!("{which}({})", bounds.iter().map(one).collect::<Vec<_>>().join(", ")),
                }
            };
            let _ = writeln!(
                out,
                "{:indent$}for {} = {} .. {}",
                "",
                counter(q),
                side(&level.lower, "max", "ceil"),
                side(&level.upper, "min", "floor"),
                indent = 2 * q
            );
        }
        let _ = writeln!(
            out,
            "{:indent$}{}",
            "",
            affine(&nest.coefficients, nest.base, "*"),
            indent = 2 * nest.depth()
        );
    }
    out
}

/// A C program that prints the integers, one per line.
pub fn c(nests: &[Nest]) -> String {
    let mut out = String::from("#include <stdio.h>\n\n");
    let divides =
        nests.iter().any(|n| n.levels.iter().any(|l| l.lower.iter().chain(&l.upper).any(|b| b.divisor != 1)));
    let chooses = nests.iter().any(|n| n.levels.iter().any(|l| l.lower.len() > 1 || l.upper.len() > 1));
    if divides {
        out.push_str(
            "static long long down(long long a, long long b) { return a / b - (a % b < 0); }\n\
             static long long up(long long a, long long b) { return a / b + (a % b > 0); }\n",
        );
    }
    if chooses {
        out.push_str(
            "static long long least(long long a, long long b) { return a < b ? a : b; }\n\
             static long long most(long long a, long long b) { return a > b ? a : b; }\n",
        );
    }
    if divides || chooses {
        out.push('\n');
    }
    out.push_str("int main(void) {\n");
    for nest in nests {
        for (q, level) in nest.levels.iter().enumerate() {
            let term = |b: &Bound, round: &str| {
                let sum = c_affine(&b.coefficients, b.constant);
                if b.divisor == 1 { sum } else { format!("{round}({sum}, {}LL)", b.divisor) }
            };
            let low = several(&level.lower, "most", |b| term(b, "up"));
            let high = several(&level.upper, "least", |b| term(b, "down"));
            let i = counter(q);
            let indent = 4 + 2 * q;
            let _ = writeln!(
                out,
                "{:indent$}for (long long {i} = {low}, end{q} = {high}; {i} <= end{q}; {i}++)",
                "",
            );
        }
        let indent = 4 + 2 * nest.depth();
        let address = c_affine(&nest.coefficients, nest.base);
        let _ = writeln!(out, "{:indent$}printf(\"%lld\\n\", {address});", "");
    }
    out.push_str("    return 0;\n}\n");
    out
}

/// An affine sum as a C expression of type long long.
fn c_affine(coefficients: &[i64], constant: i64) -> String {
    let literal = |v: i64| match v {
        i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        v if v < 0 => format!("({v}LL)"),
        v => format!("{v}LL"),
    };
    let mut terms: Vec<String> = Vec::new();
    for (q, &c) in coefficients.iter().enumerate().filter(|e| *e.1 != 0) {
        terms.push(if c == 1 { counter(q) } else { format!("{}*{}", literal(c), counter(q)) });
    }
    if constant != 0 || terms.is_empty() {
        terms.push(literal(constant));
    }
    terms.join(" + ")
}

/// isl notation: per nest its domain, the order and the access.
pub fn isl(nests: &[Nest]) -> String {
    let mut out = String::new();
    for (k, nest) in nests.iter().enumerate() {
        let names: Vec<String> = (0..nest.depth()).map(counter).collect();
        let tuple = format!("S{k}[{}]", names.join(", "));
        let mut constraints: Vec<String> = Vec::new();
        for (q, level) in nest.levels.iter().enumerate() {
            let mut add = |b: &Bound, relation: &str| {
                let left = if b.divisor == 1 { counter(q) } else { format!("{}{}", b.divisor, counter(q)) };
                constraints.push(format!("{left} {relation} {}", affine(&b.coefficients, b.constant, "")));
            };
            level.lower.iter().for_each(|b| add(b, ">="));
            level.upper.iter().for_each(|b| add(b, "<="));
        }
        let condition = match constraints.is_empty() {
            true => String::new(),
            false => format!(" : {}", constraints.join(" and ")),
        };
        let order: Vec<String> = std::iter::once(k.to_string()).chain(names.iter().cloned()).collect();
        let address = affine(&nest.coefficients, nest.base, "");
        let _ = writeln!(out, "domain:   {{ {tuple}{condition} }}");
        let _ = writeln!(out, "schedule: {{ {tuple} -> [{}] }}", order.join(", "));
        let _ = writeln!(out, "access:   {{ {tuple} -> M[{address}] }}");
    }
    out
}

/// Schema `loopwright.nest/1`.
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    accesses: u64,
    exact: bool,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    nests: Option<Vec<WireNest>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    streams: Option<Vec<WireStream>>,
}

#[derive(Debug, Serialize)]
struct WireStream {
    id: String,
    accesses: u64,
    exact: bool,
    bytes: u64,
    nests: Vec<WireNest>,
}

#[derive(Debug, Serialize)]
struct WireNest {
    depth: usize,
    levels: Vec<WireLevel>,
    access: WireAccess,
    accesses: u64,
}

#[derive(Debug, Serialize)]
struct WireLevel {
    lower: Vec<WireAffine>,
    upper: Vec<WireAffine>,
}

#[derive(Debug, Serialize)]
struct WireAccess {
    base: i64,
    coefficients: Vec<i64>,
}

/// `terms` are pairs (coefficient, level of the counter).
#[derive(Debug, Serialize)]
struct WireAffine {
    terms: Vec<(i64, usize)>,
    constant: i64,
    divisor: i64,
}

fn wire(nest: &Nest) -> WireNest {
    let bound = |b: &Bound| WireAffine {
        terms: b.coefficients.iter().enumerate().filter(|e| *e.1 != 0).map(|(q, &c)| (c, q)).collect(),
        constant: b.constant,
        divisor: b.divisor,
    };
    WireNest {
        depth: nest.depth(),
        levels: nest
            .levels
            .iter()
            .map(|l| WireLevel {
                lower: l.lower.iter().map(bound).collect(),
                upper: l.upper.iter().map(bound).collect(),
            })
            .collect(),
        access: WireAccess { base: nest.base, coefficients: nest.coefficients.clone() },
        accesses: u64::try_from(nest.accesses()).unwrap_or(u64::MAX),
    }
}

/// One stream as the renderers need it.
#[derive(Debug, Clone, Copy)]
pub struct Stream<'a> {
    /// Its name; of no importance if it is the only one.
    pub id: &'a str,
    /// Its nests, in order.
    pub nests: &'a [Nest],
    /// Length of the trace.
    pub accesses: u64,
    /// Size of the nests in a compressed file.
    pub bytes: u64,
}

/// JSON, schema `loopwright.nest/1`: one stream as the document itself, several as a list. The streams given must have
/// been verified: the document says that they are exact.
pub fn json(streams: &[Stream<'_>]) -> String {
    let total = |f: fn(&Stream<'_>) -> u64| streams.iter().map(f).sum();
    let list = |nests: &[Nest]| nests.iter().map(wire).collect::<Vec<_>>();
    let single = match streams {
        [one] => Some(list(one.nests)),
        _ => None,
    };
    let stream = |s: &Stream<'_>| WireStream {
        id: s.id.to_owned(),
        accesses: s.accesses,
        exact: true,
        bytes: s.bytes,
        nests: list(s.nests),
    };
    let several = single.is_none().then(|| streams.iter().map(stream).collect());
    let document = Document {
        schema: "loopwright.nest/1",
        accesses: total(|s| s.accesses),
        exact: true,
        bytes: total(|s| s.bytes),
        nests: single,
        streams: several,
    };
    // Integers, strings and lists always serialise.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nest::Level;

    fn nest() -> Nest {
        let bound = |c: &[i64], constant, divisor| Bound { coefficients: c.to_vec(), constant, divisor };
        Nest {
            levels: vec![
                Level { lower: vec![bound(&[], 0, 1)], upper: vec![bound(&[], 9, 1)] },
                Level {
                    lower: vec![bound(&[0], 0, 1), bound(&[1], -5, 1)],
                    upper: vec![bound(&[1], 15, 3), bound(&[0], 7, 1)],
                },
            ],
            base: -4,
            coefficients: vec![100, -1],
        }
    }

    #[test]
    fn text_names_all_bounds() {
        let expected =
            "for i0 = 0 .. 9\n  for i1 = max(0, i0 - 5) .. min(floor((i0 + 15)/3), 7)\n    100*i0 - i1 - 4\n";
        assert_eq!(text(&[nest()]), expected);
        assert_eq!(text(&[Nest::point(5)]), "5\n");
    }

    #[test]
    fn isl_multiplies_instead_of_dividing() {
        let text = isl(&[nest()]);
        assert!(text.contains("3i1 <= i0 + 15 and i1 <= 7"), "{text}");
        assert!(text.contains("{ S0[i0, i1] -> M[100i0 - i1 - 4] }"), "{text}");
    }

    #[test]
    fn json_has_the_fields_of_its_schema() {
        let nests = [nest()];
        let stream = Stream { id: "a", nests: &nests, accesses: 10, bytes: 3 };
        let one: serde_json::Value = serde_json::from_str(&json(&[stream])).expect("JSON");
        assert_eq!(one["schema"], "loopwright.nest/1");
        assert_eq!(one["nests"][0]["levels"][1]["upper"][0]["divisor"], 3);
        assert_eq!(one["nests"][0]["levels"][1]["upper"][0]["terms"][0], serde_json::json!([1, 0]));
        assert_eq!(one["nests"][0]["access"]["coefficients"], serde_json::json!([100, -1]));
        let two: serde_json::Value = serde_json::from_str(&json(&[stream, stream])).expect("JSON");
        assert_eq!((&two["streams"][1]["id"], &two["accesses"]), (&"a".into(), &20.into()));
    }
}
