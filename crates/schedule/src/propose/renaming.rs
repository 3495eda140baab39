//! Statements of a profile under other names and in other coordinates.
//!
//! A statement of the source may be several blocks of the profile, in different contexts; a loop of the source may begin
//! anywhere and count in any step, where counters of a profile begin at 0. A schedule is then found for the statements of the
//! source, `U3[x0, x1]`, and translated to the blocks that it was made from, `S12[i0, i1, i2]`.

use std::collections::BTreeMap;

use isl::Tree;
use isl::schedule::{Affine, Function, Member};

use crate::notation::{names, tuple};

/// A block of the profile as an instance of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// The block that names the statement of the profile.
    pub block: u32,
    /// Number of its coordinates.
    pub dims: usize,
    /// The coordinates of the statement, as functions of those of the block.
    pub coordinates: Vec<poly::Affine>,
}

/// New names; none for those that keep their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renaming {
    /// The blocks that are each statement, by its name.
    pub of: BTreeMap<String, Vec<Renamed>>,
}

impl Renaming {
    /// As a union map of isl; empty if nothing is renamed.
    pub fn text(&self) -> String {
        if self.of.is_empty() {
            return String::new();
        }
        let mut parts = Vec::new();
        for (name, blocks) in &self.of {
            for renamed in blocks {
                let counters = names("i", renamed.dims);
                let values: Vec<String> =
                    renamed.coordinates.iter().map(|f| f.display(&counters).to_string()).collect();
                parts.push(format!(
                    "{} -> {name}[{}]",
                    tuple(renamed.block, "i", renamed.dims),
                    values.join(", ")
                ));
            }
        }
        format!("{{ {} }}", parts.join("; "))
    }

    /// A tree in terms of the blocks.
    pub fn of_blocks(&self, tree: &Tree) -> Tree {
        if self.of.is_empty() {
            return tree.clone();
        }
        let part = |(names, inside): &(Vec<String>, Tree)| {
            (names.iter().flat_map(|name| self.blocks(name)).collect(), self.of_blocks(inside))
        };
        match tree {
            Tree::Leaf => Tree::Leaf,
            Tree::Sequence(parts) => Tree::Sequence(parts.iter().map(part).collect()),
            Tree::Unordered(parts) => Tree::Unordered(parts.iter().map(part).collect()),
            Tree::Band { members, is_permutable, inside } => Tree::Band {
                members: members.iter().map(|member| self.member(member)).collect(),
                is_permutable: *is_permutable,
                inside: Box::new(self.of_blocks(inside)),
            },
        }
    }

    fn blocks(&self, name: &str) -> Vec<String> {
        self.of.get(name).map_or_else(
            || vec![name.to_owned()],
            |blocks| blocks.iter().map(|renamed| format!("S{}", renamed.block)).collect(),
        )
    }

    fn member(&self, member: &Member) -> Member {
        let functions = member.functions.iter().flat_map(|function| match self.of.get(&function.statement) {
            None => vec![function.clone()],
            Some(blocks) => blocks
                .iter()
                .map(|renamed| Function {
                    statement: format!("S{}", renamed.block),
                    affine: function.affine.as_ref().and_then(|affine| composed(affine, renamed)),
                    text: function.text.clone(),
                })
                .collect(),
        });
        Member { is_parallel: member.is_parallel, functions: functions.collect() }
    }
}

/// A function of the statement's coordinates as one of the block's.
fn composed(affine: &Affine, renamed: &Renamed) -> Option<Affine> {
    let mut sum = poly::Affine::constant(affine.constant);
    for (&factor, coordinate) in affine.coefficients.iter().zip(&renamed.coordinates) {
        sum = sum.plus(factor, coordinate)?;
    }
    Some(Affine {
        coefficients: (0..renamed.dims).map(|q| sum.coefficient(q)).collect(),
        parameters: affine.parameters.clone(),
        constant: sum.constant,
    })
}
