//! What leaves a loop before its end.

use profile::lens::{Leave, LeaveKind};

use super::super::trace::{Happening, Jump};
use super::Summary;

impl Summary<'_> {
    pub(super) fn leaves(&self, index: usize) -> Vec<Leave> {
        let text = &self.trace.loops[index];
        let has_label = |label: usize| {
            let events = self.labels.get(label).map(Vec::as_slice).unwrap_or_default();
            let first = events.partition_point(|&at| at < text.first);
            events.get(first).is_some_and(|&at| at < text.last)
        };
        let mut out = Vec::new();
        for (_, event) in self.events(index) {
            let Happening::Jump(jump) = event.what else { continue };
            let kind = match jump {
                Jump::Break(other) if other == index => LeaveKind::Break,
                Jump::Break(other) | Jump::Continue(other) => {
                    if self.ancestors(other).any(|around| around == index) {
                        continue;
                    }
                    LeaveKind::Goto
                }
                Jump::Leave(kind) => kind,
                Jump::Goto(label) if has_label(label) => continue,
                Jump::Goto(_) => LeaveKind::Goto,
            };
            out.push(Leave { kind, at: event.at });
        }
        out
    }
}
