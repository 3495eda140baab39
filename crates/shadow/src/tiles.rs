//! Operands of one record that together tile memory.
//!
//! Unrolled and vectorised loops access consecutive bytes by several operands of one large stride. Each of them is
//! a lattice, but all together are one contiguous run of elements with a field per operand. So what an operand
//! leaves in the shadow may be put off until its group is complete, as long as no operand in between meets it.

use crate::Operand;
use crate::overlay::Strided;
use crate::page::PAGE;

/// Largest element of a group.
const MAX_PERIOD: u64 = PAGE as u64 / 4;

/// Operands of one kind and stride whose accesses are adjacent, in address order, the last up to the next first.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub members: Vec<u32>,
    pub write: bool,
    /// The members executed and not yet put.
    pub pending: u32,
    /// Whether members must be put one by one.
    pub is_broken: bool,
    pub extent: Strided,
}

/// The groups of one record.
#[derive(Default)]
pub(crate) struct Groups {
    pub all: Vec<Group>,
    /// For each operand, the number of its group, or [`ALONE`].
    of: Vec<u32>,
    pub is_pending: Vec<bool>,
    candidates: Vec<(bool, i64, u64, u32)>,
}

const ALONE: u32 = u32::MAX;

impl Groups {
    /// Finds the groups among operands executed `count` times.
    pub fn find(&mut self, operands: &[Operand], count: i64) {
        self.all.clear();
        self.candidates.clear();
        for (i, o) in operands.iter().enumerate() {
            let width = o.stride.unsigned_abs();
            if width > u64::from(o.size) && width <= MAX_PERIOD {
                let first = if o.stride > 0 { o.base } else { o.base - width * (count as u64 - 1) };
                self.candidates.push((o.write, o.stride, first, i as u32));
            }
        }
        if self.candidates.len() < 2 {
            return;
        }
        self.of.clear();
        self.of.resize(operands.len(), ALONE);
        self.is_pending.clear();
        self.is_pending.resize(operands.len(), false);
        self.candidates.sort_unstable();
        for c in 0..self.candidates.len() {
            self.begin(operands, count, c);
        }
    }

    /// Makes a group that starts at candidate `c`, if its bytes can be completed.
    fn begin(&mut self, operands: &[Operand], count: i64, c: usize) {
        let (write, stride, first, i) = self.candidates[c];
        let width = stride.unsigned_abs();
        if self.of[i as usize] != ALONE {
            return;
        }
        let mut members = Vec::new();
        let mut next = first;
        for &(w, s, at, j) in &self.candidates[c..] {
            if (w, s) != (write, stride) || at > next || next - first >= width {
                break;
            }
            let size = u64::from(operands[j as usize].size);
            if at == next && self.of[j as usize] == ALONE && next - first + size <= width {
                members.push(j);
                next += size;
            }
        }
        if next - first == width {
            for &j in &members {
                self.of[j as usize] = self.all.len() as u32;
            }
            let extent = Strided { first, stride: width, size: width as u32, count };
            self.all.push(Group { members, write, pending: 0, is_broken: false, extent });
        }
    }

    /// The order in which operands may be put if only loads meet.
    pub fn sort_loads(&self, operands: &[Operand], order: &mut Vec<u32>) {
        order.clear();
        order.extend(0..operands.len() as u32);
        let along = |i: u32| {
            let o = &operands[i as usize];
            let group = if self.all.is_empty() { None } else { self.all.get(self.of[i as usize] as usize) };
            // All members count from the one behind.
            let base = group.map_or(o.base, |g| {
                let bases = g.members.iter().map(|m| operands[*m as usize].base);
                bases.min().unwrap_or(o.base)
            });
            (o.stride, if o.stride > 0 { !base } else { base }, i)
        };
        order.sort_unstable_by_key(|&i| along(i));
    }

    /// Whether operand `i` belongs to no group.
    pub fn is_alone(&self, i: usize) -> bool {
        self.all.is_empty() || self.of[i] == ALONE
    }

    /// Notes that operand `i` was executed; whether what it leaves is put off.
    pub fn defer(&mut self, i: usize) -> bool {
        if self.is_alone(i) {
            return false;
        }
        let group = &mut self.all[self.of[i] as usize];
        if group.is_broken {
            return false;
        }
        group.pending += 1;
        self.is_pending[i] = true;
        true
    }

    /// The number of the group of `i`, a deferred operand, if all its members are.
    pub fn completed_by(&self, i: usize) -> Option<usize> {
        let g = self.of[i] as usize;
        (self.all[g].pending as usize == self.all[g].members.len()).then_some(g)
    }

    /// Operand `i` leaves nothing after all.
    pub fn drop(&mut self, i: usize) {
        if self.is_alone(i) {
            return;
        }
        if std::mem::take(&mut self.is_pending[i]) {
            self.all[self.of[i] as usize].pending -= 1;
        }
    }
}
