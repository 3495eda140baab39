//! Room for the analysis where memory runs out: the streams that take most of it are given up, others go on.
//!
//! Only folders can be given up: shadow memory and what is kept once per stream or path cannot. If giving up every large
//! folder would not bring the analysis clearly below its limit none is, and the analysis ends.

use std::cmp::Reverse;

use crate::engine::Engine;
use crate::paths::Instances;

/// Folders that use less are not worth giving up: a box takes about as much.
const LARGE: usize = 4096;
/// Most streams that are named.
const NAMED: usize = 4;

/// Streams given up.
#[derive(Debug, Default)]
pub struct Relieved {
    /// How many.
    pub count: usize,
    /// The first few.
    pub some: Vec<GivenUp>,
}

/// A stream given up: addresses of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    /// A dependence.
    Dependence {
        /// Its source.
        source: u64,
        /// Its sink.
        sink: u64,
    },
    /// The iterations of a path that begins here.
    Domain(u64),
    /// An address of a path that begins here.
    Addresses(u64),
}

/// A folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Dependence(u32),
    Path(u32, usize),
    Shared(u32, usize),
}

impl Engine {
    /// Gives up the largest streams until a quarter of the limit is free; false, and nothing is done, if that cannot
    /// bring the analysis clearly below the limit.
    pub(crate) fn relieve(&mut self) -> bool {
        let mut large = self.large_folders();
        let total = large.iter().map(|l| l.1 - LARGE).sum::<usize>();
        let used = self.bytes();
        if used.saturating_sub(total) > self.limit - self.limit / 8 {
            return false;
        }
        large.sort_unstable_by_key(|&(holder, bytes)| (Reverse(bytes), holder));
        for (holder, _) in large {
            if self.bytes() <= self.limit - self.limit / 4 {
                break;
            }
            let given_up = self.abandon(holder);
            self.relieved.count += 1;
            if self.relieved.some.len() < NAMED {
                self.relieved.some.extend(given_up);
            }
        }
        self.bytes() <= self.limit
    }

    fn large_folders(&self) -> Vec<(Holder, usize)> {
        let dependences = self.streams.folder_bytes().map(|(id, bytes)| (Holder::Dependence(id), bytes));
        let paths = self.paths.folder_bytes().map(|(id, at, bytes)| (Holder::Path(id, at), bytes));
        let shared = self.shared.folder_bytes().map(|(id, at, bytes)| (Holder::Shared(id, at), bytes));
        dependences.chain(paths).chain(shared).filter(|folder| folder.1 > LARGE).collect()
    }

    fn abandon(&mut self, holder: Holder) -> Option<GivenUp> {
        let (instance, folder) = match holder {
            Holder::Dependence(at) => {
                let (source, sink) = self.streams.abandon(at)?;
                let [source, sink] = [source, sink].map(|id| self.instruction(id));
                return Some(GivenUp::Dependence { source, sink });
            }
            Holder::Path(id, folder) => (self.paths.abandon(id, folder)?, folder),
            Holder::Shared(id, folder) => (self.shared.abandon(id, folder)?, folder),
        };
        let pc = self.codes.brief(self.instances.get(instance).code).pc;
        Some(if folder == 0 { GivenUp::Domain(pc) } else { GivenUp::Addresses(pc) })
    }

    /// Address of the instruction with a statement or operand id.
    fn instruction(&self, id: u32) -> u64 {
        let instances: &Instances = &self.instances;
        let instance = instances.owner(id);
        let block = self.codes.get(instance.code);
        let at = (id - instance.first) as usize;
        let instr = match at.checked_sub(instance.statements as usize) {
            None => at,
            Some(operand) => block.operands.get(operand).map_or(0, |o| usize::from(o.instr)),
        };
        block.instrs.get(instr).map_or(block.pc, |i| i.pc)
    }
}
