//! Accesses by subscript.

use std::collections::HashMap;

use profile::lens::{AfterLoop, Array, ArrayAccess, SharingKind};

use super::super::trace::Happening;
use super::{Round, Summary};

impl Summary<'_> {
    pub(super) fn arrays(&self, round: &Round) -> Vec<Array> {
        let mut out: Vec<Array> = Vec::new();
        let mut known = HashMap::new();
        for (at, event) in self.events(round.index) {
            let Happening::Access(access) = event.what else { continue };
            let text = &self.trace.accesses[access];
            let key = (text.variable, text.name.as_str());
            let next = out.len();
            let index = *known.entry(key).or_insert(next);
            if index == next {
                out.push(self.array(round.index, text.variable, &text.name));
            }
            out[index].accesses.push(ArrayAccess {
                at: event.at,
                mode: text.mode,
                conditional: self.is_conditional(round, at),
                depth: self.depth(at, round.index),
                subscripts: text.subscripts.clone(),
                affine: text.affine.clone(),
                member: text.member.clone(),
                value: text.value.clone(),
            });
        }
        out
    }

    fn array(&self, index: usize, variable: Option<usize>, name: &str) -> Array {
        let Some(variable) = variable else {
            return Array {
                name: name.to_owned(),
                root: String::new(),
                home: profile::lens::Home::Unknown,
                type_text: String::new(),
                fixed: false,
                shared: false,
                dimensions: 0,
                after: AfterLoop::Unknown,
                accesses: Vec::new(),
            };
        };
        let one = &self.trace.variables[variable];
        Array {
            name: if one.name.ends_with(&format!(">{name}")) { one.name.clone() } else { name.to_owned() },
            root: self.root(variable),
            home: self.home(variable, index),
            type_text: one.type_text.clone(),
            fixed: one.array,
            dimensions: if name == one.name { one.dimensions } else { 0 },
            shared: self.is_shared(index, variable),
            after: self.elements_after(index, variable),
            accesses: Vec::new(),
        }
    }

    /// Whether others come to an array's elements while a loop runs.
    fn is_shared(&self, index: usize, variable: usize) -> bool {
        let own = &self.trace.variables[variable];
        let text = &self.trace.loops[index];
        // They are in order.
        let events = &self.by_variable[variable];
        let from = events.partition_point(|&at| at < text.first);
        let mut inside = events[from..].iter().take_while(|&&at| at < text.last);
        let is_reached = |&at: &usize| {
            matches!(self.trace.events[at].what, Happening::Share(_, SharingKind::Elsewhere, _))
        };
        own.is_kept || own.storage.reference || inside.any(is_reached)
    }
}
