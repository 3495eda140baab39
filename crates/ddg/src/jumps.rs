//! Jumps inside an activation and the loop events they cause, as far as they were made lately.
//!
//! Where a jump leads in the tree of contexts depends on where it starts, on the start of the activation and on the loops of
//! the function. So the events are remembered, until any graph changes: that is what an epoch is.

use smallvec::SmallVec;

use crate::contexts::ContextId;
use crate::walker::Event;

const SLOTS: usize = 256;

/// A jump from block to block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Jump {
    /// Context of the first block.
    pub context: ContextId,
    /// Context in which the activation started.
    pub base: ContextId,
    /// Address of the first block.
    pub from: u64,
    /// Address of the second block.
    pub to: u64,
}

impl Jump {
    fn slot(&self) -> usize {
        let mixed = self.to ^ self.from.rotate_left(20) ^ u64::from(self.context).rotate_left(40);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % SLOTS
    }
}

#[derive(Debug, Clone, Default)]
struct Known {
    jump: Jump,
    epoch: u64,
    events: SmallVec<[Event; 4]>,
}

/// See the module.
#[derive(Debug)]
pub struct Jumps {
    known: Vec<Known>,
}

impl Default for Jumps {
    fn default() -> Self {
        Jumps { known: vec![Known::default(); SLOTS] }
    }
}

impl Jumps {
    /// The events of a jump, if they are known.
    #[inline]
    pub fn get(&self, jump: &Jump, epoch: u64) -> Option<&[Event]> {
        let known = &self.known[jump.slot()];
        let is_it = known.epoch == epoch && known.jump == *jump && !known.events.is_empty();
        is_it.then_some(&known.events[..])
    }

    /// Remembers the events of a jump.
    pub fn set(&mut self, jump: Jump, epoch: u64, events: &[Event]) {
        self.known[jump.slot()] = Known { jump, epoch, events: events.into() };
    }
}
