//! Which invocations of a run a call string leads to, and what was seen in them.

use rustc_hash::FxHashMap;

use super::claims::Claim;
use super::instrument::Described;
use super::run::{Invocation, Log, Seen};
use crate::ir::SymbolId;

/// The invocations of a run by the one that called each.
pub(super) struct Calls<'a> {
    functions: &'a [Described<'a>],
    called: FxHashMap<u64, Vec<&'a Invocation>>,
    /// The place of each function among all.
    places: FxHashMap<SymbolId, usize>,
}

impl<'a> Calls<'a> {
    /// Those of a run.
    pub fn new(functions: &'a [Described<'a>], log: &'a Log) -> Calls<'a> {
        let mut called: FxHashMap<u64, Vec<&Invocation>> = FxHashMap::default();
        for invocation in &log.invocations {
            called.entry(invocation.parent).or_default().push(invocation);
        }
        let places = functions.iter().enumerate().map(|(place, of)| (of.function.symbol, place)).collect();
        Calls { functions, called, places }
    }

    /// What was seen of an access behind the calls of an invocation; `None` if it has no addresses that can be compared.
    pub fn seen(&self, root: &'a Invocation, claim: &Claim) -> Option<Seen> {
        let function = *self.places.get(&claim.string.last()?.callee)?;
        let own = &self.functions.get(function)?.claims.list;
        let site = own.iter().position(|own| own.line == claim.line)?;
        // Addresses relative to a value of the called function are not those of the section.
        if own.get(site)?.base.is_some() || claim.base.is_some() {
            return None;
        }
        let mut all: Option<Seen> = None;
        for invocation in self.reached(root, claim) {
            let next = *invocation.sites.get(site)?;
            all = Some(all.map_or(next, |all| united(all, next)));
        }
        all
    }

    /// The invocations that the call string of an access leads to.
    fn reached(&self, root: &'a Invocation, claim: &Claim) -> Vec<&'a Invocation> {
        let mut reached = vec![root];
        for site in &claim.string {
            let function = self.places.get(&site.callee);
            let is_it = |of: &&&Invocation| of.via == u64::from(site.line) && Some(&of.function) == function;
            let called = reached.iter().filter_map(|caller| self.called.get(&caller.number)).flatten();
            reached = called.filter(is_it).copied().collect();
        }
        reached
    }
}

/// What was seen in two invocations together.
fn united(a: Seen, b: Seen) -> Seen {
    if a.seen == 0 || b.seen == 0 {
        let seen = if a.seen == 0 { b } else { a };
        return Seen { announced: a.announced + b.announced, ..seen };
    }
    Seen {
        announced: a.announced + b.announced,
        seen: a.seen + b.seen,
        least: a.least.min(b.least),
        most: a.most.max(b.most),
        ..a
    }
}
