//! What became of nests that were to be written as C.

use std::fmt::Write;

use profile::Profile;
use schedule::SourceLoop;
use schedule::code::Outcome;
use schedule::options::Machine;
use serde::Serialize;

use crate::advice::{self, WireAdvice};
use crate::sequence::{self, WireStep};
use crate::text::paragraph;

/// Files that were written.
#[derive(Debug)]
pub struct Written {
    /// A nest each, with the file it was written to if there is code.
    pub nests: Vec<(Outcome, Option<String>)>,
    /// Files with all nests of one source.
    pub together: Vec<String>,
    /// What estimates rest on.
    pub machine: Machine,
}

/// The same for programs.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WireCode {
    nests: Vec<WireNest>,
    /// Files with all nests of one source.
    together: Vec<String>,
}

/// A nest.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WireNest {
    /// Its outermost loop.
    region: String,
    /// The file it was written to.
    file: Option<String>,
    /// Why there is none.
    reason: Option<String>,
    /// The core transformations that lead to it, in order.
    sequence: Vec<WireStep>,
    /// What stayed as it is.
    notes: Vec<String>,
    /// What it is expected to gain; absent where that cannot be estimated.
    preferred: Option<WireAdvice>,
}

/// Files for programs.
pub fn wire(profile: &Profile, loops: &[SourceLoop], written: &Written) -> WireCode {
    let nest = |(outcome, file): &(Outcome, Option<String>)| {
        let code = outcome.code.as_ref();
        WireNest {
            region: loops[outcome.of].id.clone(),
            file: file.clone(),
            reason: code.err().cloned(),
            sequence: code.map_or_else(|_| Vec::new(), |c| sequence::wire(profile, loops, &c.sequence)),
            notes: code.map_or_else(|_| Vec::new(), |c| c.notes.clone()),
            preferred: code
                .ok()
                .and_then(|c| c.advice.as_ref())
                .map(|own| advice::wire(own, &written.machine)),
        }
    };
    WireCode { nests: written.nests.iter().map(nest).collect(), together: written.together.clone() }
}

/// Files for people.
pub fn text(profile: &Profile, loops: &[SourceLoop], written: &Written) -> String {
    let mut out = String::from("\nCode:\n");
    for (outcome, file) in &written.nests {
        let id = &loops[outcome.of].id;
        match (&outcome.code, file) {
            (Ok(code), Some(file)) => {
                // Writing to a string does not fail. A name to copy is not broken.
                let _ = writeln!(out, "  {id}: {file}");
                out.push_str(&sequence::text(profile, loops, &code.sequence, "    "));
                let advice = code.advice.iter().flat_map(|own| advice::lines(own, &written.machine));
                let notes = code.notes.iter().map(|note| format!("({note})"));
                advice.chain(notes).for_each(|words| paragraph(&mut out, "    ", &words));
            }
            (Ok(_), None) => paragraph(&mut out, "  ", &format!("{id}: not written")),
            (Err(why), _) => paragraph(&mut out, "  ", &format!("{id}: none: {why}")),
        }
    }
    for file in &written.together {
        let _ = writeln!(out, "  all of them: {file}");
    }
    out
}
