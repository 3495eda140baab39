//! Where statements stand in the tree of contexts.

use crate::{ContextIndex, Profile, StatementIndex};

/// A part of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A block that runs in it: index into [`Profile::blocks`].
    Block(u32),
    /// A loop or call in it.
    Context(ContextIndex),
}

/// The contexts around a statement, outermost first, each with its part that holds the statement.
pub fn way(profile: &Profile, statement: StatementIndex) -> Vec<(ContextIndex, Part)> {
    let block = profile.statements.get(statement as usize).map_or(0, |s| s.block);
    let mut at = profile.context_of(statement);
    let mut way = vec![(at, Part::Block(block))];
    while at != 0 {
        let parent = profile.contexts.get(at as usize).map_or(0, |context| context.parent);
        way.push((parent, Part::Context(at)));
        at = parent;
    }
    way.reverse();
    way
}

/// The innermost context around two statements and its parts that hold them, if these differ.
pub fn fork(a: &[(ContextIndex, Part)], b: &[(ContextIndex, Part)]) -> Option<(ContextIndex, Part, Part)> {
    let (x, y) = a.iter().zip(b).find(|(x, y)| x != y)?;
    (x.0 == y.0).then_some((x.0, x.1, y.1))
}

/// Address at which a part stands in the code of its context.
pub fn address(profile: &Profile, part: Part) -> u64 {
    match part {
        Part::Block(block) => {
            let first = profile.blocks.get(block as usize).map_or(0, |block| block.first);
            profile.statements.get(first as usize).map_or(0, |s| s.pc)
        }
        Part::Context(context) => profile.contexts.get(context as usize).map_or(0, |context| context.at),
    }
}

/// Whether a file is one of the standard library of C++ or Rust, parts of which stand in the code of programs.
pub fn is_of_standard_library(file: &str) -> bool {
    file.starts_with("/rustc/")
        || ["/library/core/src/", "/library/alloc/src/", "/library/std/src/", "/include/c++/"]
            .iter()
            .any(|part| file.contains(part))
}
