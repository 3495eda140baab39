//! The order in which the operands of one record may be applied as wholes.
//!
//! Operands of a record interleave. Two operands with the same stride `s` can still be applied one after the other
//! when, relative to some frame (multiples of `|s|` from an origin), neither crosses a frame boundary: a byte at
//! frame offset `r` is touched by an operand `q` frames along at iteration `T − q`, so the operand further along
//! comes first, and within a frame the operand order decides. An operand that does cross is cut into one on either
//! side. Operands that touch common bytes with different strides are separated by splitting the record in time,
//! which is exact at any point.
//!
//! Two loads matter to each other only in the last iteration of the record, which may go on in inner loops: a load
//! of it must not be hidden by one of an earlier iteration. With equal strides it suffices that the load behind
//! comes last, a constant load is applied last anyway, and for different strides the last iteration is split off.

use crate::Operand;
use std::cmp::Ordering;

/// How to apply a record of several iterations.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Plan {
    /// No operand's effect depends on the order.
    Any,
    /// In the order left in the planner.
    Ordered,
    /// Only loads meet: those of one stride from the furthest along to the last behind.
    Loads,
    /// The first so many iterations first, then the rest.
    Split(u64),
    /// Not before the operands are replaced by those left in the planner, which touch the same bytes.
    Cut,
}

#[derive(Clone, Copy)]
struct Extent {
    lo: u64,
    hi: u64,
}

/// Reusable space for planning.
#[derive(Default)]
pub(crate) struct Planner {
    extents: Vec<Extent>,
    by_address: Vec<u32>,
    /// Operands that share bytes with an operand of the same stride.
    involved: Vec<bool>,
    pub order: Vec<u32>,
    pub cut: Vec<Operand>,
    frames: Vec<i64>,
    /// Whether a store is among the operands involved.
    stores: bool,
    is_final: bool,
}

pub(crate) enum Meeting {
    Never,
    SameStride,
    Split(u64),
}

impl Planner {
    /// Whether operand `i` meets an operand of the same stride (valid after `plan`).
    pub fn is_involved(&self, i: usize) -> bool {
        self.involved[i]
    }

    /// Plans `count` iterations; `is_final` says whether they include the record's last one.
    pub fn plan(&mut self, operands: &[Operand], count: u64, is_final: bool) -> Plan {
        self.stores = false;
        self.is_final = is_final;
        self.extents.clear();
        self.involved.clear();
        self.involved.resize(operands.len(), false);
        for o in operands {
            let Some(extent) = extent(o, count) else { return Plan::Split(count / 2) };
            self.extents.push(extent);
            if o.write && o.stride != 0 && o.stride.unsigned_abs() < u64::from(o.size) {
                return Plan::Split(count / 2);
            }
        }
        let mut any = false;
        if operands.len() <= 8 {
            for (i, j) in (0..operands.len()).flat_map(|j| (0..j).map(move |i| (i, j))) {
                match self.pair(operands, count, i, j) {
                    Meeting::Never => {}
                    Meeting::SameStride => any = true,
                    Meeting::Split(at) => return Plan::Split(at),
                }
            }
        } else {
            let mut by_address = std::mem::take(&mut self.by_address);
            by_address.clear();
            by_address.extend(0..operands.len() as u32);
            by_address.sort_unstable_by_key(|&i| self.extents[i as usize].lo);
            let mut split = None;
            'pairs: for (p, &i) in by_address.iter().enumerate() {
                let hi = self.extents[i as usize].hi;
                for &j in &by_address[p + 1..] {
                    if self.extents[j as usize].lo >= hi {
                        break;
                    }
                    match self.pair(operands, count, i.min(j) as usize, i.max(j) as usize) {
                        Meeting::Never => {}
                        Meeting::SameStride => any = true,
                        Meeting::Split(at) => {
                            split = Some(at);
                            break 'pairs;
                        }
                    }
                }
            }
            self.by_address = by_address;
            if let Some(at) = split {
                return Plan::Split(at);
            }
        }
        if !any {
            return Plan::Any;
        }
        if !self.stores && !is_final {
            return Plan::Any;
        }
        match self.sort(operands) {
            None => Plan::Ordered,
            Some(_) if !self.stores => Plan::Loads,
            Some(origin) => match self.cut(operands, origin) {
                true => Plan::Cut,
                false => Plan::Split(count / 2),
            },
        }
    }

    /// Whether operands `i` and `j` may touch a common byte (valid after `plan`).
    pub fn meets(&self, operands: &[Operand], count: u64, i: usize, j: usize) -> bool {
        let (a, b) = (self.extents[i], self.extents[j]);
        a.lo < b.hi && b.lo < a.hi && !matches!(meeting(&operands[i], &operands[j], count), Meeting::Never)
    }

    fn pair(&mut self, operands: &[Operand], count: u64, i: usize, j: usize) -> Meeting {
        let (a, b) = (&operands[i], &operands[j]);
        let (ea, eb) = (self.extents[i], self.extents[j]);
        if ea.lo >= eb.hi || eb.lo >= ea.hi {
            return Meeting::Never;
        }
        let are_loads = !a.write && !b.write;
        if are_loads && (a.stride == 0 || b.stride == 0) {
            return Meeting::Never;
        }
        let meeting = match meeting(a, b, count) {
            Meeting::Split(_) if are_loads && !self.is_final => Meeting::Never,
            Meeting::Split(_) if are_loads => Meeting::Split(count - 1),
            meeting => meeting,
        };
        if let Meeting::SameStride = meeting {
            self.involved[i] = true;
            self.involved[j] = true;
            self.stores |= !are_loads;
        }
        meeting
    }

    /// Cuts the operands that share the stride of `origin` and cross a frame that begins there.
    fn cut(&mut self, operands: &[Operand], origin: usize) -> bool {
        let Operand { stride, base, .. } = operands[origin];
        let width = stride.unsigned_abs();
        self.cut.clear();
        for (i, o) in operands.iter().enumerate() {
            let into = (i128::from(o.base) - i128::from(base)).rem_euclid(i128::from(width)) as u64;
            let rest = width - into;
            if !self.involved[i] || o.stride != stride || u64::from(o.size) <= rest {
                self.cut.push(*o);
            } else if u64::from(o.size) > rest + width {
                return false;
            } else {
                self.cut.push(Operand { size: rest as u32, ..*o });
                self.cut.push(Operand { base: o.base + rest, size: o.size - rest as u32, ..*o });
            }
        }
        true
    }

    /// Orders all operands; an operand if no frames fit all of its stride.
    fn sort(&mut self, operands: &[Operand]) -> Option<usize> {
        self.frames.clear();
        self.frames.resize(operands.len(), 0);
        self.order.clear();
        self.order.extend(0..operands.len() as u32);
        for i in 0..operands.len() {
            let s = operands[i].stride;
            let is_first = |j: &usize| !self.involved[*j] || operands[*j].stride != s;
            if s == 0 || !self.involved[i] || !(0..i).all(|j| is_first(&j)) {
                continue;
            }
            let width = i128::from(s.unsigned_abs());
            let members = || (0..operands.len()).filter(|&j| self.involved[j] && operands[j].stride == s);
            let distance = |j: usize, k: usize| i128::from(operands[j].base) - i128::from(operands[k].base);
            let fits = |&k: &usize| {
                members().all(|j| distance(j, k).rem_euclid(width) + i128::from(operands[j].size) <= width)
            };
            let Some(origin) = members().find(fits) else {
                return members().find(|&j| operands[j].write).or(Some(i));
            };
            let frames: Vec<(usize, i64)> =
                members().map(|j| (j, distance(j, origin).div_euclid(width) as i64)).collect();
            for (j, frame) in frames {
                self.frames[j] = frame;
            }
        }
        let frames = &self.frames;
        self.order.sort_by(|&i, &j| {
            let (s, f, g) = (operands[i as usize].stride, frames[i as usize], frames[j as usize]);
            s.cmp(&operands[j as usize].stride)
                .then(match s.cmp(&0) {
                    Ordering::Greater => g.cmp(&f),
                    Ordering::Less => f.cmp(&g),
                    Ordering::Equal => Ordering::Equal,
                })
                .then(i.cmp(&j))
        });
        None
    }
}

/// The bytes `lo..hi` an operand touches in `count` iterations, unless they wrap.
#[inline]
fn extent(o: &Operand, count: u64) -> Option<Extent> {
    let span = i64::try_from(count - 1).ok()?.checked_mul(o.stride)?;
    let last = o.base.checked_add_signed(span)?;
    let hi = o.base.max(last).checked_add(u64::from(o.size))?;
    Some(Extent { lo: o.base.min(last), hi })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// How two operands with overlapping extents, one of them a store, meet.
pub(crate) fn meeting(a: &Operand, b: &Operand, count: u64) -> Meeting {
    let (along, other) = (a.stride.unsigned_abs(), b.stride.unsigned_abs());
    let g = if along == other { along } else { gcd(along, other) };
    if g != 0 {
        // From the one to the next of the other, counting up.
        let d = match b.base.checked_sub(a.base) {
            Some(ahead) => ahead % g,
            None => (g - (a.base - b.base) % g) % g,
        };
        if d >= u64::from(a.size) && u64::from(b.size) <= g - d {
            return Meeting::Never;
        }
    }
    if a.stride == b.stride {
        return Meeting::SameStride;
    }
    let (moving, fixed) = match (a.stride, b.stride) {
        (_, 0) => (a, b),
        (0, _) => (b, a),
        _ => return Meeting::Split(count / 2),
    };
    let s = i128::from(moving.stride);
    let d = i128::from(fixed.base) - i128::from(moving.base);
    // The moving operand overlaps the fixed one while  −size(moving) < s·t − d < size(fixed).
    let (low, high) = (d - i128::from(moving.size) + 1, d + i128::from(fixed.size) - 1);
    let (low, high) = if s > 0 { (low, high) } else { (-high, -low) };
    let s = moving.stride.unsigned_abs();
    // Iterations from 0 on; what lies beyond all addresses, no iteration comes to.
    let (Ok(low), Ok(high)) = (u64::try_from(low.max(0)), u64::try_from(high.min(u64::MAX.into()))) else {
        return Meeting::Never;
    };
    let (first, last) = (low.div_ceil(s), (high / s).min(count - 1));
    if first > last {
        Meeting::Never
    } else if first > 0 {
        Meeting::Split(first)
    } else if last < count - 1 {
        Meeting::Split(last + 1)
    } else {
        Meeting::Split(count / 2)
    }
}
