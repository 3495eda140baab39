//! Whether a loop is in canonical form: the header's form, and what the body does to what the header uses.

use profile::lens::{Canonical, LoopKind, NotCanonical, SharingKind};

use super::super::trace::Happening;
use super::Summary;

impl Summary<'_> {
    pub(super) fn canonical(&self, index: usize) -> Canonical {
        let found = self.form(index);
        let text = &self.trace.loops[index];
        let may_test_data = match &found {
            Canonical::No(NotCanonical::Kind) => text.kind.is_while(),
            Canonical::No(lacks) => matches!(lacks, NotCanonical::Test | NotCanonical::BoundAssigned),
            Canonical::Yes => false,
        };
        if may_test_data && text.looked_up.iter().any(|&variable| self.moves(index, variable)) {
            return Canonical::No(NotCanonical::TestOfData);
        }
        found
    }

    /// Whether a loop assigns a variable.
    fn moves(&self, index: usize, variable: usize) -> bool {
        let is_write = |at: usize| matches!(self.trace.events[at].what, Happening::Write(..));
        let iterators = &self.trace.loops[index].iterators;
        iterators.iter().any(|one| one.variable == variable) || self.own_events(index, variable).any(is_write)
    }

    fn form(&self, index: usize) -> Canonical {
        let text = &self.trace.loops[index];
        if let Some(lacks) = &text.form {
            return Canonical::No(lacks.clone());
        }
        let over_elements =
            text.kind == LoopKind::RangeFor || text.iterators.iter().any(|one| one.comparison.is_none());
        if !over_elements {
            for iterator in &text.iterators {
                if let Some(lacks) = self.iterator_changes(index, iterator.variable) {
                    return Canonical::No(lacks);
                }
            }
        }
        if text.bound_is_open {
            return Canonical::No(NotCanonical::BoundMayChange);
        }
        for &variable in &text.bound_reads {
            if let Some(lacks) = self.bound_changes(index, variable) {
                return Canonical::No(lacks);
            }
        }
        Canonical::Yes
    }

    fn own_events(&self, index: usize, variable: usize) -> impl Iterator<Item = usize> + '_ {
        let text = &self.trace.loops[index];
        let events = &self.by_variable[variable];
        let from = events.partition_point(|&at| at < text.iteration);
        let to = events.partition_point(|&at| at < text.last);
        events[from..to].iter().copied()
    }

    fn iterator_changes(&self, index: usize, variable: usize) -> Option<NotCanonical> {
        if self.trace.variables[variable].is_kept {
            return Some(NotCanonical::IteratorShared);
        }
        let step = self.trace.loops[index].step;
        let kind_of_loop = self.trace.loops[index].kind;
        for at in self.own_events(index, variable).filter(|at| !(step.0..step.1).contains(at)) {
            match self.trace.events[at].what {
                Happening::Write(place, _) if self.trace.places[place].path.is_empty() => {
                    return Some(NotCanonical::IteratorAssigned);
                }
                Happening::Share(place, kind, _) if self.trace.places[place].path.is_empty() => {
                    // A Fortran procedure may not assign the iterator that it is given.
                    let may_assign = match kind {
                        SharingKind::Address
                        | SharingKind::Capture
                        | SharingKind::Bound
                        | SharingKind::Elsewhere
                        | SharingKind::Method => true,
                        SharingKind::Reference => kind_of_loop != LoopKind::FortranDo,
                        _ => false,
                    };
                    if may_assign {
                        return Some(NotCanonical::IteratorShared);
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn bound_changes(&self, index: usize, variable: usize) -> Option<NotCanonical> {
        use profile::lens::AccessMode;
        let is_iterated = |other: &super::super::trace::IteratorText| other.variable == variable;
        if self.trace.loops[index].iterators.iter().any(is_iterated) {
            return Some(NotCanonical::BoundAssigned);
        }
        for at in self.own_events(index, variable) {
            match self.trace.events[at].what {
                Happening::Write(..) => return Some(NotCanonical::BoundAssigned),
                Happening::Share(
                    _,
                    SharingKind::Address
                    | SharingKind::Reference
                    | SharingKind::Capture
                    | SharingKind::Method,
                    _,
                ) => return Some(NotCanonical::BoundMayChange),
                Happening::Access(access)
                    if !self.trace.variables[variable].storage.pointer
                        && matches!(
                            self.trace.accesses[access].mode,
                            AccessMode::Write | AccessMode::Update(_)
                        )
                        && self.is_bound_element(index, variable) =>
                {
                    return Some(NotCanonical::BoundMayChange);
                }
                _ => {}
            }
        }
        None
    }

    /// Whether the bound reads elements of the variable, not only its size.
    fn is_bound_element(&self, index: usize, variable: usize) -> bool {
        let text = &self.trace.loops[index];
        let name = &self.trace.variables[variable].name;
        text.iterators
            .iter()
            .any(|one| one.bound.as_ref().is_some_and(|bound| bound.contains(&format!("{name}["))))
    }
}
