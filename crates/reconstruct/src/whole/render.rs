//! Programs of several streams as text, C, isl notation and OpenScop. Pure functions.

use std::fmt::Write;

use super::{Accesses, Node, Whole, row};
use crate::affine::Affine;
use crate::nest::Level;
use crate::render::{c_head, c_helpers, counter, isl_bounds};

/// Accesses of a list on a line of C.
const IN_A_LINE: usize = 6;

/// An access and where it stands.
struct Placed<'a> {
    stream: usize,
    address: Affine,
    /// The loops around it.
    levels: Vec<&'a Level>,
    /// Its position in each body, outermost first: one more than there are loops.
    positions: Vec<usize>,
}

impl Whole {
    /// The accesses, each with the loops around it.
    fn placed(&self) -> Vec<Placed<'_>> {
        let mut out = Vec::new();
        gather(&self.nodes, &mut Vec::new(), &mut Vec::new(), &mut out);
        out
    }

    /// The loops as the publications print them; an access is `S<stream>: <address>`.
    pub fn text(&self, names: &[String]) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        names.iter().enumerate().for_each(|(k, name)| {
            let _ = writeln!(out, "# S{k} is {name}");
        });
        self.nodes.iter().for_each(|node| node.text(0, &text, &mut out));
        out
    }

    /// A C program that prints the accesses, one per line: stream and address.
    pub fn c(&self, names: &[String]) -> String {
        let mut levels = Vec::new();
        self.nodes.iter().for_each(|node| node.levels(&mut levels));
        let helpers = c_helpers(&levels);
        let mut out = format!("#include <stdio.h>\n\n{helpers}static const char *const stream[] = {{\n");
        for name in names {
            let _ = writeln!(
                out,
                "    \"{}\",",
                name.replace('\\', "\\\\").replace('"', "\\\"").replace('?', "\\?")
            );
        }
        out.push_str(
            "};\n\nstatic void access(int k, long long address) { printf(\"%s %lld\\n\", stream[k], address); }\n\n\
             int main(void) {\n",
        );
        self.nodes.iter().for_each(|node| c(node, 0, &mut out));
        out.push_str("    return 0;\n}\n");
        out
    }

    /// isl notation: per access its stream, domain, order and address. The order alternates positions in bodies and counters.
    pub fn isl(&self, names: &[String]) -> String {
        let mut out = String::new();
        let placed = self.placed();
        let width = placed.iter().map(|own| own.levels.len()).max().unwrap_or(0) * 2 + 1;
        for (k, own) in placed.iter().enumerate() {
            let depth = own.levels.len();
            let counters: Vec<String> = (0..depth).map(counter).collect();
            let tuple = format!("A{k}[{}]", counters.join(", "));
            let bounds: Vec<String> =
                own.levels.iter().enumerate().flat_map(|(q, level)| isl_bounds(q, level)).collect();
            let condition =
                if bounds.is_empty() { String::new() } else { format!(" : {}", bounds.join(" and ")) };
            let mut order: Vec<String> = Vec::new();
            for (q, position) in own.positions.iter().enumerate() {
                order.push(position.to_string());
                order.extend(counters.get(q).cloned());
            }
            order.resize(width, "0".to_owned());
            let address = crate::render::affine(&own.address.coefficients, own.address.constant.into(), "");
            let name = names.get(own.stream).map_or("", String::as_str);
            let _ = writeln!(out, "# A{k}: {name}");
            let _ = writeln!(out, "domain:   {{ {tuple}{condition} }}");
            let _ = writeln!(out, "schedule: {{ {tuple} -> [{}] }}", order.join(", "));
            let _ = writeln!(out, "access:   {{ {tuple} -> M[{address}] }}");
        }
        out
    }

    /// OpenScop 1.0. Memory is one array of bytes; an access names its first byte. Stores are those streams of which
    /// `is_store` says so.
    pub fn openscop(&self, names: &[String], is_store: &dyn Fn(&str) -> bool) -> String {
        let placed = self.placed();
        let mut out = String::from(
            "<OpenScop>\n\n# Language\nC\n\n# Context\nCONTEXT\n0 2 0 0 0 0\n\n# Parameters are not provided\n0\n",
        );
        let _ = writeln!(out, "\n# Number of statements\n{}", placed.len());
        for (k, own) in placed.iter().enumerate() {
            let depth = own.levels.len();
            let name = names.get(own.stream).map_or("", String::as_str);
            let _ = writeln!(out, "\n# Statement {}: {name}\n# Number of relations\n3", k + 1);
            let mut domain = Vec::new();
            for (q, level) in own.levels.iter().enumerate() {
                domain.extend(level.lower.iter().map(|bound| row(bound, q, depth, 1)));
                domain.extend(level.upper.iter().map(|bound| row(bound, q, depth, -1)));
            }
            relation(&mut out, "DOMAIN", (depth, 0), &domain);
            let outputs = 2 * depth + 1;
            let mut scattering = Vec::new();
            for (q, &position) in own.positions.iter().enumerate() {
                let mut one = vec![0; outputs + depth + 2];
                one[1 + 2 * q] = -1;
                one[outputs + depth + 1] = position as i64;
                scattering.push(one);
                if q < depth {
                    let mut one = vec![0; outputs + depth + 2];
                    one[2 + 2 * q] = -1;
                    one[1 + outputs + q] = 1;
                    scattering.push(one);
                }
            }
            relation(&mut out, "SCATTERING", (outputs, depth), &scattering);
            let mut array = vec![0; 2 + depth + 2];
            (array[1], array[depth + 3]) = (-1, 1);
            let mut place = vec![0; 2 + depth + 2];
            place[2] = -1;
            place[3..3 + depth].copy_from_slice(&own.address.coefficients);
            place[depth + 3] = own.address.constant;
            let kind = if is_store(name) { "WRITE" } else { "READ" };
            relation(&mut out, kind, (2, depth), &[array, place]);
            let counters: Vec<String> = (0..depth).map(counter).collect();
            let _ =
                writeln!(out, "# Number of statement extensions\n1\n<body>\n# Number of iterators\n{depth}");
            if depth > 0 {
                let _ = writeln!(out, "# Iterators\n{}", counters.join(" "));
            }
            let _ = writeln!(out, "# Expression\nA{k}({});\n</body>", counters.join(", "));
        }
        out.push_str("\n</OpenScop>\n");
        out
    }
}

fn relation(out: &mut String, kind: &str, (outputs, inputs): (usize, usize), rows: &[Vec<i64>]) {
    let _ = writeln!(out, "{kind}\n{} {} {outputs} {inputs} 0 0", rows.len(), 2 + outputs + inputs);
    for row in rows {
        let numbers: Vec<String> = row.iter().map(|n| format!("{n:4}")).collect();
        let _ = writeln!(out, "{}", numbers.join(" "));
    }
}

fn gather<'a>(
    nodes: &'a [Node],
    levels: &mut Vec<&'a Level>,
    positions: &mut Vec<usize>,
    to: &mut Vec<Placed<'a>>,
) {
    let mut at = 0;
    for node in nodes {
        positions.push(at);
        match node {
            Node::Loop(level, body) => {
                levels.push(level);
                gather(body, levels, positions, to);
                levels.pop();
            }
            Node::Leaf(Accesses::One(stream, address)) => to.push(Placed {
                stream: *stream,
                address: address.clone(),
                levels: levels.clone(),
                positions: positions.clone(),
            }),
            // Each is a statement of its own.
            Node::Leaf(Accesses::List(list)) => {
                for &(stream, constant) in list {
                    let address = Affine { coefficients: vec![0; levels.len()], constant };
                    to.push(Placed { stream, address, levels: levels.clone(), positions: positions.clone() });
                    at += 1;
                    if let Some(last) = positions.last_mut() {
                        *last = at;
                    }
                }
            }
        }
        positions.pop();
        at += 1;
    }
}

/// The accesses at a place, a line each.
fn text(own: &Accesses, indent: &str) -> String {
    match own {
        Accesses::One(stream, address) => format!("{indent}S{stream}: {}\n", address.text()),
        Accesses::List(list) => {
            list.iter().map(|(stream, address)| format!("{indent}S{stream}: {address}\n")).collect()
        }
    }
}

fn c(node: &Node, outer: usize, out: &mut String) {
    let indent = " ".repeat(4 + 2 * outer);
    match node {
        Node::Loop(level, body) => {
            let _ = writeln!(out, "{indent}{} {{", c_head(outer, level));
            body.iter().for_each(|inner| c(inner, outer + 1, out));
            let _ = writeln!(out, "{indent}}}");
        }
        Node::Leaf(Accesses::One(stream, address)) => {
            let _ = writeln!(out, "{indent}access({stream}, {});", address.c());
        }
        Node::Leaf(Accesses::List(list)) => {
            let _ = writeln!(
                out,
                "{indent}{{\n{indent}    static const struct {{ int k; long long address; }} list[] = {{"
            );
            for line in list.chunks(IN_A_LINE) {
                let line: Vec<String> =
                    line.iter().map(|(stream, address)| format!("{{{stream}, {address}LL}}")).collect();
                let _ = writeln!(out, "{indent}        {},", line.join(", "));
            }
            let _ = writeln!(
                out,
                "{indent}    }};\n{indent}    for (int n = 0; n < {}; n++)\n{indent}        access(list[n].k, list[n].address);\n{indent}}}",
                list.len()
            );
        }
    }
}
