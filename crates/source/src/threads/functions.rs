//! Functions that threads call, and the types that their texts need.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Level;
use super::pointers::Space;
use super::writer::Writer;
use crate::nest::{Uncut, changed};
use crate::tree::{inner, kind, type_of};
use crate::types::{Shape, words};

/// A pointer parameter of a function that is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) function: String,
    pub(super) place: usize,
    pub(super) space: Space,
}

impl<'a> Writer<'a> {
    /// The types and functions that the text needs.
    pub(super) fn declarations(&mut self, levels: &[Level], body: &str) -> Result<Vec<String>, Uncut> {
        let functions = self.functions()?;
        let mut names: BTreeSet<String> = BTreeSet::new();
        let of_levels = levels.iter().flat_map(|level| [&level.first, &level.condition, &level.before]);
        for text in of_levels.map(String::as_str).chain([body]).chain(functions.iter().map(|f| f.1.as_str()))
        {
            names.extend(words(text).map(str::to_owned));
        }
        for free in &self.free {
            let of = &free.shape.element;
            if of == "void" || words(of).any(|word| self.source.is_elsewhere(word)) {
                return Err(self
                    .uncut(format!("{} is of type {of}, which is not declared in this file", free.written)));
            }
            names.extend(words(of).map(str::to_owned));
        }
        let mut list = self.source.types(names);
        list.extend(functions);
        list.sort();
        Ok(list.into_iter().map(|(_, text)| text).collect())
    }

    /// The functions that are called, with those that they call: where they stand, and their texts.
    fn functions(&mut self) -> Result<Vec<(usize, String)>, Uncut> {
        let mut list = Vec::new();
        let mut next = 0;
        while let Some(name) = self.called.get(next).cloned() {
            next += 1;
            let found = self.source.functions().find(|(own, _)| *own == name);
            let Some((_, definition)) = found else { continue };
            let range = self.source.range(definition);
            let range = range.ok_or_else(|| self.uncut(format!("a macro hides {name}")))?;
            let body = inner(definition).find(|part| kind(part) == "CompoundStmt");
            let body = body.ok_or_else(|| self.uncut(format!("{name} has no body")))?;
            let head = self.head(&name, definition, range.start)?;
            let outside = self.free.len();
            self.own_all(definition);
            self.assigned.extend(changed(body));
            let text = self.text(body)?;
            if let Some(free) = self.free.get(outside) {
                return Err(self.uncut(format!("{name} uses {}, which it is not given", free.written)));
            }
            list.push((range.start, format!("static {}{head} {text}", self.wanted.language.function)));
        }
        Ok(list)
    }

    /// The head of a function: its type, name and parameters, pointers with their spaces.
    fn head(&mut self, name: &str, definition: &'a Value, from: usize) -> Result<String, Uncut> {
        let result = type_of(definition).split('(').next().unwrap_or("").trim().to_owned();
        if result.ends_with('*') {
            return Err(self.uncut(format!("{name} gives a pointer")));
        }
        self.line = self.source.place(from).0;
        let mut parameters = Vec::new();
        for (place, parameter) in inner(definition).filter(|part| kind(part) == "ParmVarDecl").enumerate() {
            let (type_name, id) = (type_of(parameter), parameter["id"].as_str());
            let own = parameter["name"].as_str().unwrap_or("");
            let spaces: BTreeSet<bool> = self
                .passed
                .iter()
                .filter(|passed| passed.function == name && passed.place == place)
                .map(|passed| passed.space == Space::Global)
                .collect();
            if spaces.len() > 1 {
                return Err(
                    self.uncut(format!("{name} gets pointers to arrays and to variables of a thread"))
                );
            }
            let mut text = String::new();
            if spaces.contains(&true) {
                self.pointers.extend(id);
                if !self.wanted.language.global.is_empty() {
                    text = format!("{} ", self.wanted.language.global);
                }
            }
            let shape = Shape::of(type_name);
            let shape = shape.filter(Shape::is_fixed).ok_or_else(|| {
                self.uncut(format!("{name} has a parameter of type {type_name}, which kernels are not given"))
            })?;
            text += &shape.declared(own);
            parameters.push(text);
        }
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        Ok(format!("{result} {name}({parameters})"))
    }
}
