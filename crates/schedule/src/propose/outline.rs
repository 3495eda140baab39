//! The transformed region as loops: the schedule tree in terms of the loops of the source.
//!
//! A loop of the outline counts, for every statement in it, a sum of loops of the source with coefficients (a *term*); two
//! or more of them are a skew. Bounds are not part of it.

use std::collections::BTreeMap;

use isl::Tree;
use isl::schedule::Member;
use profile::Profile;

use crate::{SourceLoop, by_context};

/// A loop of the source in a sum, with its coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// Index into the loops of the source.
    pub of: usize,
    /// Coefficient; not 0.
    pub factor: i64,
}

/// What a loop counts for some statement: a sum, shifted by a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The sum.
    pub terms: Vec<Term>,
    /// The constant; parameters are left out.
    pub shift: i64,
}

/// A loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// What it counts; several where statements are fused.
    pub counts: Vec<Count>,
    /// Its iterations may run in parallel.
    pub is_parallel: bool,
    /// Its place among the loops it may be permuted with, from 0, and their number.
    pub band: (usize, usize),
    /// Inside.
    pub inside: Vec<Node>,
}

/// A statement, as what it executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The block.
    pub block: u32,
    /// File of the source; empty without debug information.
    pub file: String,
    /// Lines of the source, ascending.
    pub lines: Vec<u32>,
    /// Instructions executed.
    pub instructions: u64,
}

/// A part of the transformed region; parts in a list run one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A loop.
    Loop(Loop),
    /// Parts in any order.
    AnyOrder(Vec<Vec<Node>>),
    /// A statement.
    Statement(Statement),
}

impl Loop {
    /// Whether some count is a sum of several loops of the source.
    pub fn is_skewed(&self) -> bool {
        self.counts.iter().any(|count| count.terms.len() > 1)
    }
}

/// What the names of a schedule stand for.
struct Names<'a> {
    profile: &'a Profile,
    /// Blocks and loops of the source around the first of them, by coordinate, per name of a statement.
    of: BTreeMap<String, Named<'a>>,
}

struct Named<'a> {
    block: u32,
    members: &'a [u32],
    around: Vec<Option<usize>>,
}

/// The outline of a schedule of some statements: the block that names each, and all its blocks.
pub fn outline(
    profile: &Profile,
    loops: &[SourceLoop],
    statements: &[(u32, Vec<u32>)],
    tree: &Tree,
) -> Vec<Node> {
    let entry_of = by_context(loops);
    let mut names = Names { profile, of: BTreeMap::new() };
    for &(block, ref members) in statements {
        let around = profile.loops_around(profile.blocks[block as usize].context);
        let around = around.iter().map(|context| entry_of.get(context).copied()).collect();
        names.of.insert(format!("S{block}"), Named { block, members, around });
    }
    let all: Vec<String> = names.of.keys().cloned().collect();
    nodes(&names, tree, &all)
}

/// The parts of a tree for some statements.
fn nodes(names: &Names, tree: &Tree, statements: &[String]) -> Vec<Node> {
    match tree {
        Tree::Leaf => {
            let mut out: Vec<Statement> = statements.iter().filter_map(|s| statement(names, s)).collect();
            out.sort_by(|a, b| (&a.lines, a.block).cmp(&(&b.lines, b.block)));
            out.into_iter().map(Node::Statement).collect()
        }
        Tree::Sequence(parts) => {
            parts.iter().flat_map(|(part, inside)| nodes(names, inside, &common(statements, part))).collect()
        }
        Tree::Unordered(parts) => vec![Node::AnyOrder(
            parts.iter().map(|(part, inside)| nodes(names, inside, &common(statements, part))).collect(),
        )],
        Tree::Band { members, is_permutable, inside } => {
            let counts: Vec<Vec<Count>> =
                members.iter().map(|member| counts(names, member, statements)).collect();
            // A member that counts nothing only separates statements, which sequences do.
            let real: Vec<usize> = (0..members.len()).filter(|&m| !counts[m].is_empty()).collect();
            let mut out = nodes(names, inside, statements);
            for (place, &m) in real.iter().enumerate().rev() {
                out = vec![Node::Loop(Loop {
                    counts: counts[m].clone(),
                    is_parallel: members[m].is_parallel,
                    band: if *is_permutable { (place, real.len()) } else { (0, 1) },
                    inside: out,
                })];
            }
            out
        }
    }
}

fn common(all: &[String], part: &[String]) -> Vec<String> {
    all.iter().filter(|name| part.contains(name)).cloned().collect()
}

/// The different sums that a loop counts.
fn counts(names: &Names, member: &Member, statements: &[String]) -> Vec<Count> {
    let mut out: Vec<Count> = Vec::new();
    for function in member.functions.iter().filter(|f| statements.contains(&f.statement)) {
        let (Some(affine), Some(named)) = (&function.affine, names.of.get(&function.statement)) else {
            continue;
        };
        let known = affine.coefficients.iter().zip(&named.around).filter(|(factor, _)| **factor != 0);
        let mut terms: Vec<Term> =
            known.filter_map(|(&factor, of)| of.map(|of| Term { of, factor })).collect();
        terms.sort_unstable();
        let count = Count { terms, shift: affine.constant };
        if !count.terms.is_empty() && !out.contains(&count) {
            out.push(count);
        }
    }
    out
}

fn statement(names: &Names, name: &str) -> Option<Statement> {
    let profile = names.profile;
    let &Named { block, members, .. } = names.of.get(name)?;
    let own = &profile.blocks[block as usize];
    let all = members.iter().map(|&member| &profile.blocks[member as usize]);
    let instructions = all.map(|b| b.executions.saturating_mul(u64::from(b.count)));
    let locations = (own.first..own.first + own.count).map(|s| profile.location_of(s));
    let mut lines: Vec<u32> = locations.map(|l| l.line).filter(|line| *line > 0).collect();
    lines.sort_unstable();
    lines.dedup();
    Some(Statement {
        block,
        file: profile.location_of(own.first).file.clone(),
        lines,
        instructions: instructions.fold(0, u64::saturating_add),
    })
}

/// The parts with at least a thousandth of the region's instructions; counts the others.
pub fn worthwhile(nodes: &[Node], instructions: u64, left_out: &mut usize) -> Vec<Node> {
    at_least(nodes, instructions / 1000, left_out)
}

fn at_least(nodes: &[Node], least: u64, left_out: &mut usize) -> Vec<Node> {
    let mut out = Vec::new();
    for node in nodes {
        let kept = match node {
            Node::Statement(statement) => (statement.instructions >= least).then(|| node.clone()),
            Node::Loop(l) => {
                let inside = at_least(&l.inside, least, left_out);
                (!inside.is_empty()).then(|| Node::Loop(Loop { inside, ..l.clone() }))
            }
            Node::AnyOrder(parts) => {
                let parts = parts.iter().map(|part| at_least(part, least, left_out));
                let mut parts: Vec<Vec<Node>> = parts.filter(|part| !part.is_empty()).collect();
                match parts.len() {
                    0 => None,
                    1 => {
                        out.append(&mut parts[0]);
                        continue;
                    }
                    _ => Some(Node::AnyOrder(parts)),
                }
            }
        };
        *left_out += usize::from(kept.is_none() && matches!(node, Node::Statement(_)));
        out.extend(kept);
    }
    out
}
