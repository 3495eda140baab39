//! A nest as it is written, as a schedule tree.
//!
//! A loop of it is parallel if no dependence that has to be respected is carried by it between statements in it: so what
//! the code can give every iteration its own copy of is out of the way, and reductions are not.

use isl::Tree;
use isl::schedule::{Affine, Function, Member};
use source::{Counted, Item};

use super::Cut;
use super::matched::name;
use crate::propose::problem::{Formulated, Kept};

/// The tree of a nest.
pub fn tree(cut: &Cut, formulated: &Formulated) -> Tree {
    let writer = Writer { cut, formulated };
    writer.counted(&cut.nest.outermost, 0).1
}

struct Writer<'a> {
    cut: &'a Cut<'a>,
    formulated: &'a Formulated,
}

impl Writer<'_> {
    /// A loop: the statements in it, and its tree.
    fn counted(&self, own: &Counted, depth: usize) -> (Vec<usize>, Tree) {
        let mut parts: Vec<(Vec<usize>, Tree)> = Vec::new();
        for item in &own.body {
            let part = match item {
                Item::Statement(at) if self.cut.nest.statements[*at].is_silent => continue,
                Item::Statement(at) => (vec![*at], Tree::Leaf),
                Item::Loop(inner) => self.counted(inner, depth + 1),
            };
            if !part.0.is_empty() {
                parts.push(part);
            }
        }
        let mut statements: Vec<usize> = parts.iter().flat_map(|part| part.0.iter().copied()).collect();
        statements.sort_by_key(|&s| name(s));
        let inside = match parts.len() {
            0 => Tree::Leaf,
            1 => parts.remove(0).1,
            _ => Tree::Sequence(
                parts.into_iter().map(|(own, tree)| (own.into_iter().map(name).collect(), tree)).collect(),
            ),
        };
        let function = |&s: &usize| {
            let mut coefficients = vec![0; self.cut.matched.around[s].len()];
            coefficients[depth] = own.step.signum();
            let affine = Affine { coefficients, ..Affine::default() };
            Function { statement: name(s), affine: Some(affine), text: String::new() }
        };
        let is_parallel = !self.formulated.kept.iter().any(|kept| self.carries(kept, &statements, depth));
        let member = Member { is_parallel, functions: statements.iter().map(function).collect() };
        let tree = Tree::Band { members: vec![member], is_permutable: false, inside: Box::new(inside) };
        (statements, tree)
    }

    /// Whether a loop around some statements carries a dependence.
    fn carries(&self, kept: &Kept, statements: &[usize], depth: usize) -> bool {
        let is_in = |block: u32| {
            let of = |s: &usize| self.cut.matched.renaming.of.get(&name(*s));
            statements.iter().filter_map(of).flatten().any(|renamed| renamed.block == block)
        };
        let level = self.cut.matched.outer + depth;
        kept.levels.iter().any(|&l| usize::from(l) == level) && is_in(kept.source) && is_in(kept.sink)
    }
}
