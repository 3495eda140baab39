//! Loops that were under way when the recording, a window of it or the analysis began or ended.
//!
//! Definition: a loop is under way in an activation that has entered it and not left it. Its other iterations were not seen: what
//! they pass on is not known, nor is that of the loops around it, which contain them.
//!
//! Invariant: every loop of every activation of every thread that is under way is marked, those that a recursive call has suspended
//! too. Loops that had ended are not.

use profile::Gap;
use trace::block::Terminator;
use trace::stream;

use super::Engine;
use crate::contexts::Kind;
use crate::walker::Walker;

impl Engine {
    /// The recording or the analysis ends, all threads together.
    pub(crate) fn mark_unfinished(&mut self) {
        self.mark_unfinished_here();
        let mut under_way = Vec::new();
        for walker in self.threads.walkers() {
            under_way.extend(walker.under_way());
        }
        for context in under_way {
            self.contexts.mark_gap(context, Gap::Unfinished);
        }
    }

    /// Whether what was executed last ended with a return.
    pub(super) fn has_returned(&self) -> bool {
        self.previous.is_some_and(|code| self.codes.get(code).terminator == Terminator::Return)
    }

    /// The recording of the thread whose words come ends.
    pub(super) fn mark_unfinished_here(&mut self) {
        let Some(walker) = &self.walker else { return };
        // Where the first activation has returned, all that it was in has ended.
        if self.has_returned() && walker.frames().len() == 1 {
            return;
        }
        for context in walker.under_way() {
            self.contexts.mark_gap(context, Gap::Unfinished);
        }
    }

    /// The recording of a thread begins in the middle of an activation: loops that it is in then have begun before.
    pub(super) fn mark_begun_amid(&mut self, walker: &Walker) {
        let Kind::Loop { header, .. } = self.contexts.get(walker.context()).kind else { return };
        if self.enters_loops && header == walker.block() {
            return;
        }
        // Where nothing says that a function begins there, it is one that was cut out where recording began.
        let begins = self.image.start_of_function(walker.block()) == Some(walker.block());
        if !begins || !self.functions.is_entry(walker.block()) {
            self.contexts.mark_gap(walker.context(), Gap::Unfinished);
        }
    }

    /// Counts the instructions of records that are not analysed any more.
    pub(super) fn count_unanalysed(&mut self, words: &[u64]) {
        let mut at = 0;
        while let Some(&head) = words.get(at) {
            let rest = &words[at..];
            if stream::is_special(head) {
                let Ok((_, length)) = stream::special(rest) else { return };
                at += length;
                continue;
            }
            let Some(code) = self.codes.of_header(head) else { return };
            let block = self.codes.get(code);
            let length = block.length(head);
            let Some(record) = rest.get(..length).filter(|record| !record.is_empty()) else { return };
            let instructions = match &block.folded {
                Some(folded) if !block.parts.is_empty() => {
                    let (whole, more) = folded.extent(record);
                    let count = |k: usize| {
                        let part =
                            block.parts.get(k).and_then(|part| self.codes.of_header(u64::from(part.block)));
                        part.map_or(0, |code| self.codes.get(code).count_to(usize::MAX))
                    };
                    let parts = 0..block.parts.len();
                    parts.map(|k| count(k) * (whole + u64::from(k < more))).fold(0, u64::saturating_add)
                }
                _ => block.count_to(usize::MAX).saturating_mul(block.iterations(record)),
            };
            self.unanalysed = self.unanalysed.saturating_add(instructions);
            at += length;
        }
    }
}
