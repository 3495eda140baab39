//! C from loops and the text of statements.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use isl::Ast;
use source::{Counted, Statement};

use super::Cut;
use super::matched::{flat, statement};
use super::order::offset;

use super::privacy::Home;
use crate::options::{Component, Order};

/// What isl's expressions use.
const PRELUDE: &str = "#define LW_MIN(a, b) ((a) < (b) ? (a) : (b))\n\
    #define LW_MAX(a, b) ((a) > (b) ? (a) : (b))\n\
    #define LW_FLOORD(a, b) ((a) < 0 ? -((-(a) + (b) - 1) / (b)) : (a) / (b))\n";

/// The text that replaces a nest, and what it needs at the beginning of the file.
pub fn text(cut: &Cut, order: &Order, homes: &[Home], ast: &Ast) -> Result<(String, &'static str), String> {
    let nest = cut.nest;
    let own = &cut.source.text[nest.range.clone()];
    let before = cut.source.text[..nest.range.start].trim_end().lines().last().unwrap_or("");
    if own.lines().any(|line| line.trim_start().starts_with('#'))
        || before.trim_start().starts_with("#pragma")
    {
        return Err("directives of the preprocessor stand in it or before it".to_owned());
    }
    let words: BTreeSet<&str> =
        cut.source.text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
    let is_free =
        |prefix: &&&str| (0..order.length).all(|d| !words.contains(format!("{prefix}{d}").as_str()));
    let prefix = ["t", "c", "lw_t"].iter().find(is_free).copied().unwrap_or("loopwright_t");
    let loops = flat(nest);
    let type_of = |id: &str| nest.variables.get(id).map_or("", |v| bare(&v.type_name));
    let is_int = loops.iter().all(|(_, l)| type_of(&l.iterator) == "int")
        && nest.parameters.iter().all(|p| bare(&p.type_name) == "int");
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for d in 0..order.length {
        names.insert(format!("t{d}"), format!("{prefix}{d}"));
    }
    for (from, to) in [("min", "LW_MIN"), ("max", "LW_MAX"), ("floord", "LW_FLOORD")] {
        names.insert(from.to_owned(), to.to_owned());
    }
    let mut writer = Writer {
        cut,
        order,
        homes,
        loops,
        type_name: if is_int { "int" } else { "long" },
        names,
        out: String::new(),
        declared: Vec::new(),
        open: Vec::new(),
    };
    writer.line(0, "{");
    writer.parameters(is_int);
    writer.declare(ast, 1);
    writer.node(ast, 1, false)?;
    writer.line(0, "}");
    let uses_macros = writer.out.contains("LW_");
    Ok((writer.out.trim_end().to_owned(), if uses_macros { PRELUDE } else { "" }))
}

struct Writer<'a> {
    cut: &'a Cut<'a>,
    order: &'a Order,
    homes: &'a [Home],
    loops: Vec<(Vec<usize>, &'a Counted)>,
    /// Type of the new iterators.
    type_name: &'static str,
    /// Words of isl's expressions, and what they are called here.
    names: BTreeMap<String, String>,
    out: String,
    /// Homes that are open.
    declared: Vec<usize>,
    /// Loops that are open.
    open: Vec<usize>,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(depth));
    }

    /// Declares the parameters that are no variables of the type of the iterators.
    fn parameters(&mut self, is_int: bool) {
        for (at, parameter) in self.cut.nest.parameters.iter().enumerate() {
            let name = if parameter.is_variable && is_int {
                parameter.text.clone()
            } else {
                let name = format!("lw_p{at}");
                self.line(1, &format!("const {} {name} = {};", self.type_name, parameter.text));
                name
            };
            self.names.insert(format!("p{at}"), name);
        }
    }

    fn node(&mut self, ast: &Ast, depth: usize, in_parallel: bool) -> Result<(), String> {
        match ast {
            Ast::Block(parts) => parts.iter().try_for_each(|part| self.node(part, depth, in_parallel)),
            Ast::If { condition, then, otherwise } => {
                let condition = self.renamed(condition);
                self.line(depth, &format!("if ({condition}) {{"));
                self.node(then, depth + 1, in_parallel)?;
                if let Some(otherwise) = otherwise {
                    self.line(depth, "} else {");
                    self.node(otherwise, depth + 1, in_parallel)?;
                }
                self.line(depth, "}");
                Ok(())
            }
            Ast::For { iterator, init, condition, step, body } => {
                let dimension = dimension(iterator)?;
                let is_parallel = !condition.is_empty() && self.is_parallel(body, dimension);
                let pragma =
                    match (is_parallel && !in_parallel, is_parallel && self.is_simple(body, dimension)) {
                        (true, true) => "#pragma omp parallel for simd",
                        (true, false) => "#pragma omp parallel for",
                        (false, true) => "#pragma omp simd",
                        (false, false) => "",
                    };
                if !pragma.is_empty() {
                    self.line(depth, pragma);
                }
                let (name, init) = (self.renamed(iterator), self.renamed(init));
                if condition.is_empty() {
                    self.line(depth, &format!("{{ const {} {name} = {init};", self.type_name));
                } else {
                    let (condition, step) = (self.renamed(condition), self.renamed(step));
                    let advance = if step == "1" { format!("{name}++") } else { format!("{name} += {step}") };
                    let head = format!("for ({} {name} = {init}; {condition}; {advance}) {{", self.type_name);
                    self.line(depth, &head);
                }
                let open = self.declared.len();
                self.open.push(dimension);
                self.declare(body, depth + 1);
                self.node(body, depth + 1, in_parallel || is_parallel)?;
                self.declared.truncate(open);
                self.open.pop();
                self.line(depth, "}");
                Ok(())
            }
            Ast::Run { statement: name, arguments } => {
                let at = statement(name).ok_or_else(|| format!("isl made up a statement {name}"))?;
                self.run(at, arguments, depth)
            }
        }
    }

    /// Declares the variables whose home is what follows: no loop in it is outside of the home.
    fn declare(&mut self, ast: &Ast, depth: usize) {
        for (at, home) in self.homes.iter().enumerate() {
            let is_here = statements(ast).iter().any(|s| home.statements.contains(s));
            if self.declared.contains(&at) || !is_here || has_outer_loop(ast, home) {
                continue;
            }
            self.declared.push(at);
            if let Some(variable) = self.cut.nest.variables.get(&home.variable) {
                let name = match &home.expanded {
                    Some(expanded) => format!("{}[{}]", variable.name, expanded.size),
                    None => variable.name.clone(),
                };
                let text = declaration(bare(&variable.type_name), &name);
                self.line(depth, &format!("{text};"));
            }
        }
    }

    /// Whether the iterations of a loop are independent.
    fn is_parallel(&self, body: &Ast, dimension: usize) -> bool {
        let inside = statements(body);
        inside.iter().all(|&s| self.order.times[s].get(dimension).is_some_and(|d| d.is_parallel))
    }

    /// Whether a loop can run in lockstep: it counts iterations, and has no loops and calls inside.
    fn is_simple(&self, body: &Ast, dimension: usize) -> bool {
        let is_plain = |&s: &usize| {
            let of_source = &self.cut.nest.statements[s];
            let component = self.order.times[s].get(dimension).map(|d| &d.component);
            !of_source.has_loop
                && of_source.calls.is_empty()
                && matches!(component, Some(Component::Point(_)))
        };
        !has_loop(body) && statements(body).iter().all(is_plain)
    }

    /// An instance of a statement: its text, with iterators in terms of the new ones.
    fn run(&mut self, at: usize, arguments: &[String], depth: usize) -> Result<(), String> {
        let statement = &self.cut.nest.statements[at];
        let missing = (0..self.homes.len())
            .find(|home| self.homes[*home].statements.contains(&at) && !self.declared.contains(home));
        if missing.is_some() {
            return Err("the generated loops part what belongs to one iteration".to_owned());
        }
        let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
        let mut bound = Vec::new();
        for (argument, &of) in arguments.iter().zip(&self.cut.matched.around[at]) {
            let iterator = &self.loops[of].1.iterator;
            let Some(variable) = self.cut.nest.variables.get(iterator) else { continue };
            let value = self.renamed(argument);
            let uses: Vec<_> = statement.references.iter().filter(|r| r.id == *iterator).collect();
            let own = bare(&variable.type_name);
            if own == self.type_name && uses.iter().all(|r| r.at.is_some()) {
                let is_word = value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                let text = if is_word { value } else { format!("({value})") };
                let places = uses.iter().filter_map(|r| r.at);
                edits.extend(places.map(|at| (at..at + variable.name.len(), text.clone())));
            } else if !uses.is_empty() {
                bound.push(format!("const {own} {} = ({own})({value});", variable.name));
            }
        }
        let elements = self.elements(at, arguments)?;
        for (id, element) in &elements {
            for reference in statement.references.iter().filter(|r| r.id == *id) {
                let name = self.cut.nest.variables.get(id).map_or(0, |v| v.name.len());
                let place = reference.at.ok_or_else(|| "a variable is named by a macro".to_owned())?;
                edits.push((place..place + name, element.clone()));
            }
        }
        self.hoist(statement, &elements, &mut edits)?;
        let text = edited(&self.cut.source.text, statement, edits);
        let is_block = !bound.is_empty() || text.contains('\n') || !statement.declares.is_empty();
        if !is_block {
            self.line(depth, text.trim());
            return Ok(());
        }
        self.line(depth, "{");
        bound.iter().for_each(|line| self.line(depth + 1, line));
        let indent = self.cut.source.text[..statement.range.start].rsplit('\n').next().unwrap_or("").len();
        for (k, line) in text.lines().enumerate() {
            // The first line stands where the statement begins; the others carry the source's indentation.
            let own = line.len() - line.trim_start().len();
            let extra = if k == 0 { 0 } else { own.saturating_sub(indent) };
            let line = format!("{}{}", " ".repeat(extra), line.trim());
            self.line(depth + 1, &line);
        }
        self.line(depth, "}");
        Ok(())
    }

    /// The elements that stand for variables in an instance of a statement.
    fn elements(&self, at: usize, arguments: &[String]) -> Result<BTreeMap<String, String>, String> {
        let mut out = BTreeMap::new();
        for home in self.homes.iter().filter(|home| home.statements.contains(&at)) {
            let Some(expanded) = &home.expanded else { continue };
            let (Some(argument), Some(variable)) =
                (arguments.get(expanded.of), self.cut.nest.variables.get(&home.variable))
            else {
                return Err("an element of an array is not known".to_owned());
            };
            if !self.open.contains(&expanded.tile) {
                return Err("a loop over tiles has a single iteration".to_owned());
            }
            let offset = offset(self.cut, at, expanded.of)
                .ok_or_else(|| "numbers of its bounds are too large".to_owned())?;
            let (value, tile) = (self.renamed(argument), self.renamed(&format!("t{}", expanded.tile)));
            let subscript = match offset.as_str() {
                "0" => format!("{value} - {tile}"),
                _ => format!("{value} - ({}) - {tile}", self.renamed(&offset)),
            };
            out.insert(home.variable.clone(), format!("{}[{subscript}]", variable.name));
        }
        Ok(out)
    }

    /// Makes assignments of the declarations of variables that have a home outside of the statement.
    fn hoist(
        &self,
        statement: &Statement,
        elements: &BTreeMap<String, String>,
        edits: &mut Vec<(std::ops::Range<usize>, String)>,
    ) -> Result<(), String> {
        let is_outside = |id: &str| self.homes.iter().any(|home| home.variable == id);
        let mut wholes: Vec<_> = statement.declares.iter().map(|d| d.whole.clone()).collect();
        wholes.dedup();
        for whole in wholes {
            let own: Vec<_> = statement.declares.iter().filter(|d| d.whole == whole).collect();
            if own.iter().all(|d| !is_outside(&d.id)) {
                continue;
            }
            let name = |id: &str| self.cut.nest.variables.get(id).map_or("", |v| v.name.as_str());
            if own.iter().any(|d| !is_outside(&d.id) || !d.is_plain) {
                return Err(format!("the declaration of {} cannot be moved", name(&own[0].id)));
            }
            let mut text = String::new();
            for declared in own {
                if let Some(value) = &declared.value {
                    // Writing to a string does not fail.
                    let own = elements.get(&declared.id).map_or(name(&declared.id), String::as_str);
                    let _ = write!(text, "{own} = {}; ", value_text(self, value, edits));
                }
            }
            edits.retain(|(range, _)| range.end <= whole.start || range.start >= whole.end);
            edits.push((whole, text.trim_end().to_owned()));
        }
        Ok(())
    }

    /// An expression of isl in the names used here.
    fn renamed(&self, text: &str) -> String {
        let mut out = String::new();
        let mut word = String::new();
        for c in text.chars().chain(std::iter::once(' ')) {
            if c.is_ascii_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            out.push_str(self.names.get(&word).unwrap_or(&word));
            word.clear();
            out.push(c);
        }
        out.trim_end().to_owned()
    }
}

/// The text of an initial value after the edits that lie in it.
fn value_text(
    writer: &Writer,
    value: &std::ops::Range<usize>,
    edits: &[(std::ops::Range<usize>, String)],
) -> String {
    let inside: Vec<_> = edits
        .iter()
        .filter(|(range, _)| value.start <= range.start && range.end <= value.end)
        .cloned()
        .collect();
    replaced(&writer.cut.source.text, value, inside)
}

fn edited(text: &str, statement: &Statement, edits: Vec<(std::ops::Range<usize>, String)>) -> String {
    replaced(text, &statement.range, edits)
}

/// A part of a text with other parts in it replaced.
pub fn replaced(
    text: &str,
    part: &std::ops::Range<usize>,
    mut edits: Vec<(std::ops::Range<usize>, String)>,
) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    edits.dedup();
    let mut out = String::new();
    let mut at = part.start;
    for (range, with) in edits {
        if range.start >= at && range.end <= part.end {
            out.push_str(&text[at..range.start]);
            out.push_str(&with);
            at = range.end;
        }
    }
    out.push_str(&text[at..part.end]);
    out
}

fn dimension(iterator: &str) -> Result<usize, String> {
    let number = iterator.strip_prefix('t').and_then(|n| n.parse().ok());
    number.ok_or_else(|| format!("isl made up a loop {iterator}"))
}

/// The statements that run in a part.
fn statements(ast: &Ast) -> Vec<usize> {
    match ast {
        Ast::Run { statement: name, .. } => statement(name).into_iter().collect(),
        Ast::For { body, .. } => statements(body),
        Ast::Block(parts) => parts.iter().flat_map(statements).collect(),
        Ast::If { then, otherwise, .. } => {
            let otherwise = otherwise.iter().flat_map(|part| statements(part));
            statements(then).into_iter().chain(otherwise).collect()
        }
    }
}

fn has_loop(ast: &Ast) -> bool {
    match ast {
        Ast::Run { .. } => false,
        Ast::For { .. } => true,
        Ast::Block(parts) => parts.iter().any(has_loop),
        Ast::If { then, otherwise, .. } => has_loop(then) || otherwise.as_deref().is_some_and(has_loop),
    }
}

/// Whether a loop in a part, around statements of a home, belongs outside of the home.
fn has_outer_loop(ast: &Ast, home: &Home) -> bool {
    match ast {
        Ast::Run { .. } => false,
        Ast::For { iterator, body, .. } => {
            let concerns = statements(body).iter().any(|s| home.statements.contains(s));
            concerns && (dimension(iterator).is_ok_and(|d| d < home.inside) || has_outer_loop(body, home))
        }
        Ast::Block(parts) => parts.iter().any(|part| has_outer_loop(part, home)),
        Ast::If { then, otherwise, .. } => {
            has_outer_loop(then, home) || otherwise.as_deref().is_some_and(|part| has_outer_loop(part, home))
        }
    }
}

/// A type without what forbids assignment.
fn bare(type_name: &str) -> &str {
    type_name.strip_prefix("const ").unwrap_or(type_name)
}

/// A declaration: arrays have their sizes after the name.
fn declaration(type_name: &str, name: &str) -> String {
    match type_name.find('[') {
        Some(at) => format!("{} {name}{}", type_name[..at].trim_end(), &type_name[at..]),
        None => format!("{type_name} {name}"),
    }
}
