//! What a file declares outside of its functions.

use std::collections::{HashMap, HashSet};

use profile::lens::Language;

use super::written::Declaration;

/// What a file declares outside of its functions.
pub(super) struct Environment {
    pub language: Language,
    pub globals: HashMap<String, Declaration>,
    /// Names of macros that take arguments.
    pub macros: HashSet<String>,
    /// Per function name, of every declaration the parameters: whether each may be written through.
    pub signatures: HashMap<String, Vec<Vec<bool>>>,
}

impl Environment {
    pub(super) fn new(language: Language) -> Environment {
        Environment { language, globals: HashMap::new(), macros: HashSet::new(), signatures: HashMap::new() }
    }

    /// Whether a function of the file may write through an argument; `None` if the function is not known.
    pub(super) fn takes_reference(&self, callee: &str, argument: usize) -> Option<bool> {
        let known = self.signatures.get(callee)?;
        Some(known.iter().any(|parameters| parameters.get(argument).copied().unwrap_or(true)))
    }
}
