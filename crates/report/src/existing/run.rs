//! What a run says for and against a race that the text of a loop may have.
//!
//! Where several members of a team had iterations of a loop, and none of them came to a place that another one came to, the run speaks
//! against it. It says nothing where one member had all iterations.

use std::collections::BTreeSet;

use profile::{Access, ContextIndex, Dependence, Profile};
use schedule::SourceLoop;

use super::is_carried_by;

/// What a run has shown of a loop whose iterations members of a team shared.
pub(super) struct Run<'a> {
    profile: &'a Profile,
    own: &'a SourceLoop,
    /// What members of teams were seen to do to one another.
    between: &'a [&'a Dependence],
    /// Several members had iterations of it.
    is_shared: bool,
}

impl<'a> Run<'a> {
    pub fn of(profile: &'a Profile, own: &'a SourceLoop, between: &'a [&'a Dependence]) -> Run<'a> {
        let ran = || own.contexts.iter().filter(|&&at| profile.contexts[at as usize].iterations > 0);
        let threads: BTreeSet<ContextIndex> = ran().map(|&context| profile.thread_of(context)).collect();
        let runs: BTreeSet<usize> = ran().map(|&context| profile.run_of(context)).collect();
        // Every run has its first thread.
        Run { profile, own, between, is_shared: threads.len() > runs.len() }
    }

    /// Whether several threads had iterations.
    pub fn is_shared_out(&self) -> bool {
        self.is_shared
    }

    /// Whether members came at a time to something that has a name or lies on some lines.
    pub fn shows(&self, name: &str, lines: &[u32]) -> bool {
        self.between.iter().any(|d| {
            let is_on = |end: u32| {
                let place = self.profile.location_of(end);
                place.file == self.own.file && lines.contains(&place.line)
            };
            let objects = d.levels.iter().flat_map(|level| &level.objects);
            let mut objects = objects.filter_map(|used| self.profile.objects.get(used.object as usize));
            let is_here = |end: u32| self.profile.location_of(end).function == self.own.function;
            let is_about = is_here(d.source) && is_here(d.sink);
            is_on(d.source) || is_on(d.sink) || is_about && objects.any(|object| object.name == name)
        })
    }

    /// Whether several members had iterations, and none came to an array, on these lines, that another one came to.
    pub fn refutes(&self, name: &str, lines: &[u32]) -> bool {
        self.is_shared && !self.shows(name, lines)
    }

    /// Whether all that the loop hands on between two of these lines lies on the stacks of the members themselves, in
    /// the function of the region or in one that this has called, and no other member came to it.
    pub fn is_of_members(&self, lines: &[u32]) -> bool {
        let is_on = |end: u32| {
            let place = self.profile.location_of(end);
            place.file == self.own.file && lines.contains(&place.line)
        };
        let handed_on = self.profile.dependences.iter().filter(|d| {
            d.memory
                && is_on(d.source)
                && is_on(d.sink)
                && self.own.contexts.iter().any(|&context| is_carried_by(self.profile, context, d))
        });
        let mut objects = handed_on.flat_map(|d| &d.levels).flat_map(|level| &level.objects).peekable();
        objects.peek().is_some()
            && objects.all(|used| self.is_on_own_stack(used.object))
            && !self.shows("", lines)
    }

    /// Whether an object is a variable of a function that a member of the team runs, or ran on its way to the loop.
    fn is_on_own_stack(&self, object: u32) -> bool {
        let owner = self.profile.objects.get(object as usize).and_then(|object| object.owner);
        let Some((first, last)) = owner else { return false };
        self.own.contexts.iter().all(|&context| {
            let mut functions = self.profile.chain(context).filter_map(|at| {
                let function = self.profile.contexts.get(at as usize)?.function;
                self.profile.functions.get(function as usize)
            });
            let mut is_found = false;
            let is_in_region = functions.any(|function| {
                is_found |= (first..last).contains(&function.entry);
                schedule::names::of_region(&function.name).is_some()
            });
            is_found && is_in_region
        })
    }

    /// The same of a variable that one iteration writes.
    pub fn is_of_one_iteration(&self, name: &str, lines: &[u32]) -> bool {
        let on_lines = |access: &&Access| {
            let place = self.profile.location_of(access.statement);
            access.write
                && access.executions > 0
                && place.file == self.own.file
                && lines.contains(&place.line)
        };
        let writes = self.profile.accesses.iter().filter(on_lines).map(|access| access.executions);
        writes.min() == Some(1) && self.refutes(name, lines)
    }
}
