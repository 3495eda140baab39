//! What numbers are called in a kernel and by its host, and what each thread has for itself.
//!
//! A name of the source stays; a path to a member becomes one name. What expressions of the analyses mention and the text does not is
//! given to the host as `long`.

use std::collections::BTreeSet;

use source::Threads;
use source::threads::mangled;

use super::directive::Refusal;
use super::kernel::Scalar;
use crate::offload::{Candidate, Parameters};

/// What numbers are called in the kernel and by its host.
#[derive(Debug)]
pub(super) struct Naming {
    pub(super) scalars: Vec<Scalar>,
    /// What each thread has for itself: names and declarations.
    pub(super) own: Vec<(String, String)>,
}

impl Naming {
    pub(super) fn new(
        threads: &Threads,
        parameters: &Parameters,
        candidate: &Candidate,
        carried: &BTreeSet<String>,
    ) -> Result<Naming, Refusal> {
        let mut naming = Naming { scalars: Vec::new(), own: Vec::new() };
        let is_private = |name: &String| {
            parameters.private.contains(name) || candidate.storage.iter().any(|storage| storage.name == *name)
        };
        for free in &threads.free {
            match &free.shape.rows {
                None if free.is_assigned => {
                    let is_parameter = parameters.list.iter().any(|other| other.name == free.written);
                    if is_parameter && !is_private(&free.written) || carried.contains(&free.written) {
                        return Err(Refusal::Variable(free.written.clone()));
                    }
                    let declaration = format!("{} {};", free.shape.plain_element(), free.name);
                    naming.own.push((free.written.clone(), declaration));
                }
                None => naming.scalars.push(Scalar {
                    written: free.written.clone(),
                    name: free.name.clone(),
                    type_name: passed(free.shape.plain_element()),
                }),
                Some(rows) if is_private(&free.written) => {
                    let Some(count) = rows.count.as_ref().filter(|_| free.shape.is_fixed()) else {
                        return Err(Refusal::Variable(free.written.clone()));
                    };
                    let lengths = free.shape.lengths().map(|length| format!("[{length}]"));
                    let lengths = lengths.collect::<String>();
                    let element = free.shape.plain_element();
                    naming
                        .own
                        .push((free.written.clone(), format!("{element} {}[{count}]{lengths};", free.name)));
                }
                Some(_) => {}
            }
        }
        Ok(naming)
    }

    pub(super) fn is_own(&self, written: &str) -> bool {
        self.own.iter().any(|own| own.0 == written)
    }

    /// An expression in terms of the source in terms of parameters; what is new becomes one. `None` if something in it is none.
    pub(super) fn expression(&mut self, text: &str) -> Option<String> {
        self.expression_beside(text, &[])
    }

    /// The same where some names have a meaning of their own.
    pub(super) fn expression_beside(&mut self, text: &str, known: &[String]) -> Option<String> {
        if text.contains(['[', '&']) || text.contains("(*") {
            return None;
        }
        let is_part = |part: char| part.is_ascii_alphanumeric() || "_.".contains(part);
        let (mut out, mut rest) = (String::new(), text);
        while let Some(first) = rest.chars().next() {
            if !is_part(first) {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let mut end = 0;
            loop {
                end += rest[end..].find(|part| !is_part(part)).unwrap_or(rest.len() - end);
                if !rest[end..].starts_with("->") {
                    break;
                }
                end += 2;
            }
            let (path, behind) = rest.split_at(end);
            rest = behind;
            let is_name = !first.is_ascii_digit() && path != "long" && !known.iter().any(|name| name == path);
            out += &if is_name { self.named(path)? } else { path.to_owned() };
        }
        Some(out)
    }

    /// What a path is called; it becomes a parameter if it is none.
    fn named(&mut self, written: &str) -> Option<String> {
        if let Some(scalar) = self.scalars.iter().find(|scalar| scalar.written == written) {
            return Some(scalar.name.clone());
        }
        let name = mangled(written);
        let is_taken = self.scalars.iter().any(|scalar| scalar.name == name) || self.is_own(written);
        if is_taken {
            return None;
        }
        self.scalars.push(Scalar {
            written: written.to_owned(),
            name: name.clone(),
            type_name: "long".into(),
        });
        Some(name)
    }
}

/// The type in which a number is passed: not all can be.
fn passed(type_name: &str) -> String {
    match type_name {
        "_Bool" | "bool" => "int".to_owned(),
        "size_t" | "uintptr_t" => "unsigned long".to_owned(),
        "ptrdiff_t" | "intptr_t" | "ssize_t" => "long".to_owned(),
        _ if type_name.starts_with("enum ") => "int".to_owned(),
        _ => type_name.to_owned(),
    }
}
