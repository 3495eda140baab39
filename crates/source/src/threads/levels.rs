//! The loops whose iterations become threads.

use std::ops::Range;

use serde_json::Value;

use super::Level;
use super::writer::Writer;
use crate::nest::{Place, Uncut, changed, escape, start, step};
use crate::tree::{all, inner, kind, type_of};

impl<'a> Writer<'a> {
    /// A loop, its bytes, and its body; with another one directly inside, that one.
    pub(super) fn level(
        &mut self,
        place: Place,
        around: Option<&'a Value>,
        has_inner: bool,
    ) -> Result<(Level, Range<usize>, &'a Value), Uncut> {
        self.line = place.0;
        let found = match around {
            Some(found) => Some(found).filter(|found| self.begins(found, place)),
            None => all(self.definition).into_iter().find(|node| self.begins(node, place)),
        };
        let found = found.ok_or_else(|| self.uncut("no `for` loop of the source begins there"))?;
        if self.source.begins_in_macro(found) {
            return Err(self.uncut("a macro writes it"));
        }
        let range = self.source.statement(found).ok_or_else(|| self.uncut("a macro hides its end"))?;
        let parts: Vec<&Value> = inner(found).collect();
        let [init, _, condition, advance, body] = parts[..] else {
            return Err(self.uncut("clang does not know its parts"));
        };
        if let Some(why) = escape(body, true) {
            return Err(self.uncut(why));
        }
        let (id, first) =
            start(init).ok_or_else(|| self.uncut("it does not begin by setting one iterator"))?;
        if changed(body).contains(id) {
            return Err(self.uncut("its body may change the iterator"));
        }
        let step = step(advance, id).ok_or_else(|| self.uncut("it does not advance by a constant"))?;
        let (name, type_name) =
            self.declared(id).ok_or_else(|| self.uncut("its iterator is declared elsewhere"))?;
        self.own.insert(id);
        self.own_names.insert(name.to_owned());
        self.own_all(body);
        self.assigned.extend(changed(body));
        let (before, rest) = if has_inner { self.parted(body)? } else { (String::new(), body) };
        let level = Level {
            line: place.0,
            iterator: name.to_owned(),
            type_name: type_name.to_owned(),
            first: self.expression(first)?,
            condition: self.expression(condition)?,
            step,
            before,
        };
        Ok((level, range, rest))
    }

    fn begins(&self, node: &Value, place: Place) -> bool {
        let starts = || self.source.range(node).is_some_and(|range| self.source.place(range.start) == place);
        kind(node) == "ForStmt" && starts()
    }

    /// Name and type of a variable of the function.
    fn declared(&self, id: &str) -> Option<(&'a str, &'a str)> {
        let found = all(self.definition).into_iter().find(|node| node["id"] == id)?;
        Some((found["name"].as_str()?, type_of(found)))
    }

    /// What a body does before its only loop, and that loop. What it does behind it computes nothing that anybody sees.
    fn parted(&mut self, body: &'a Value) -> Result<(String, &'a Value), Uncut> {
        let mut text = String::new();
        let parts = if kind(body) == "CompoundStmt" { inner(body).collect() } else { vec![body] };
        for part in parts {
            if kind(part) == "ForStmt" {
                return Ok((text, part));
            }
            text += &self.text(part)?;
            text.push('\n');
        }
        Err(self.uncut("the loop inside of it is part of another statement"))
    }
}
