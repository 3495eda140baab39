//! Remembers how rows followed one another and foretells them by what came after the same steps before.
//!
//! A *step* is what changes from one run to the next: `(start, count)`. Equal steps in a row are one *chain*
//! `(step, times)`: the rows of a tile are one chain, the way from its last row to the next tile another. Every bound that
//! cuts a tile or a row shows as a chain, and the same piece of domain gives the same chains wherever it is, so chains
//! that followed the same 0, 1, 2, 4, … chains before are the forecast, one forecast per such *order*. This is how the
//! lengths seen for a shape are remembered; loops whose lengths keep changing are the business of
//! `affine`.
//!
//! Invariant: memory is bounded by [`KEPT`] chains (about 8 MiB); small traces need little.

use std::collections::VecDeque;

use super::Forecast;

/// How many chains before the current one have to be the same, per forecast.
pub const ORDERS: [usize; 9] = [0, 1, 2, 4, 8, 16, 32, 64, 128];
/// Chains that are remembered.
const KEPT: usize = 1 << 16;
/// Entries of the table per chain: one to find its step, one to find its length by the start alone, per order.
const ENTRIES: usize = 2 * ORDERS.len();

/// Change from one run to the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Step {
    start: i64,
    count: i64,
}

/// Equal steps in a row.
#[derive(Debug, Clone, Copy, Default)]
struct Chain {
    step: Step,
    times: u64,
    /// Hash of all chains up to and including this one.
    hash: u64,
}

/// Memory of chains.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// The last complete run `(start, count)`.
    last: Option<(i64, i64)>,
    /// Complete chains, the oldest first.
    chains: VecDeque<Chain>,
    /// Number of complete chains that were forgotten.
    forgotten: u32,
    /// Hash of the chains before the oldest.
    before: u64,
    /// The chain that may go on.
    open: Option<(Step, u64)>,
    /// Where the open chain's step followed the same chains before, per order.
    found: [Option<u32>; ORDERS.len()],
    /// Numbers of chains (plus one) by the hash of their step and what came before them.
    table: Vec<u32>,
}

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(hash: u64, value: u64) -> u64 {
    let mixed = (hash ^ value).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 32)
}

fn chain_hash(step: Step, times: u64) -> u64 {
    mix(mix(mix(1, step.start as u64), step.count as u64), times)
}

impl Memory {
    /// A run is complete.
    pub fn complete(&mut self, start: i64, count: i64) {
        let last = self.last.replace((start, count));
        let Some(last) = last else { return };
        let step = Step { start: start.wrapping_sub(last.0), count: count.wrapping_sub(last.1) };
        if let Some((open, times)) = &mut self.open
            && *open == step
        {
            *times += 1;
            return;
        }
        if let Some((step, times)) = self.open.take() {
            self.close(step, times);
        }
        let number = self.number();
        for (k, order) in ORDERS.into_iter().enumerate() {
            let Some(window) = self.window(self.hash(), number, order) else {
                self.found[k..].fill(None);
                break;
            };
            self.found[k] = self.look_up(step_key(window, k, step), order, window, |s| s == step);
            self.store(step_key(window, k, step), number);
            self.store(start_key(window, k, step.start), number);
        }
        self.open = Some((step, 1));
    }

    /// What follows the run that began at `start`, per order: how long it is and where the run after it starts.
    pub fn forecasts(&self, start: i64, out: &mut [Forecast]) {
        let (Some(last), Some((open, times))) = (self.last, self.open) else { return };
        let moved = start.wrapping_sub(last.0);
        // The chains as they are once the open one is closed.
        let closed = self.hash().wrapping_mul(BASE).wrapping_add(chain_hash(open, times));
        let number = self.number() + 1;
        for (k, (order, forecast)) in ORDERS.into_iter().zip(out).enumerate() {
            *forecast = Forecast::default();
            let next = self.found[k].and_then(|at| self.after(at, times));
            let window = self.window(closed, number, order);
            let count = match next {
                Some(step) if step.start == moved => Some(step.count),
                _ => window.and_then(|window| {
                    let key = start_key(window, k, moved);
                    let at = self.look_up(key, order, window, |s| s.start == moved)?;
                    Some(self.chain(at)?.0.count)
                }),
            };
            let Some(count) = count else { continue };
            forecast.count = Some(last.1.wrapping_add(count)).filter(|&n| n > 0);
            let step = Step { start: moved, count };
            let then = if step == open {
                self.found[k].and_then(|at| self.after(at, times + 1))
            } else {
                window.and_then(|window| {
                    let at = self.look_up(step_key(window, k, step), order, window, |s| s == step)?;
                    self.after(at, 1)
                })
            };
            forecast.next = then.map(|step| start.wrapping_add(step.start));
        }
    }

    /// The step after `times` steps of a chain like chain `at`.
    fn after(&self, at: u32, times: u64) -> Option<Step> {
        let (step, length) = self.chain(at)?;
        match length {
            Some(length) if times >= length => {
                (times == length).then(|| self.chain(at + 1)).flatten().map(|c| c.0)
            }
            _ => Some(step),
        }
    }

    /// Step and, if it is complete, length of a chain.
    fn chain(&self, at: u32) -> Option<(Step, Option<u64>)> {
        let index = at.checked_sub(self.forgotten)? as usize;
        match self.chains.get(index) {
            Some(chain) => Some((chain.step, Some(chain.times))),
            None if index == self.chains.len() => self.open.map(|(step, _)| (step, None)),
            None => None,
        }
    }

    /// Number of the chain that is open or comes next.
    fn number(&self) -> u32 {
        self.forgotten + self.chains.len() as u32
    }

    /// Hash of all complete chains.
    fn hash(&self) -> u64 {
        self.chains.back().map_or(self.before, |c| c.hash)
    }

    /// Hash of the last `order` of `number` chains whose hash is `all`; `None` if there are not so many.
    fn window(&self, all: u64, number: u32, order: usize) -> Option<u64> {
        let from = number.checked_sub(order as u32)?.checked_sub(self.forgotten)? as usize;
        let before = if from == 0 { self.before } else { self.chains.get(from - 1)?.hash };
        Some(all.wrapping_sub(before.wrapping_mul(BASE.wrapping_pow(order as u32))))
    }

    fn close(&mut self, step: Step, times: u64) {
        let hash = self.hash().wrapping_mul(BASE).wrapping_add(chain_hash(step, times));
        self.chains.push_back(Chain { step, times, hash });
        if self.chains.len() > KEPT
            && let Some(oldest) = self.chains.pop_front()
        {
            self.before = oldest.hash;
            self.forgotten = self.forgotten.wrapping_add(1);
        }
        if self.forgotten > u32::MAX / 2 {
            // Numbers are used up, after thousands of millions of chains.
            *self = Memory { last: self.last, ..Memory::default() };
        }
        if self.table.len() < ENTRIES * (self.chains.len() + 1) && self.chains.len() < KEPT {
            self.grow();
        }
    }

    /// Makes the table larger and enters the chains again.
    fn grow(&mut self) {
        let size = (ENTRIES * (self.chains.len() + 1) * 2).next_power_of_two();
        self.table = vec![0; size];
        for index in 0..self.chains.len() {
            let number = self.forgotten + index as u32;
            let all = if index == 0 { self.before } else { self.chains[index - 1].hash };
            let step = self.chains[index].step;
            for (k, order) in ORDERS.into_iter().enumerate() {
                let Some(window) = self.window(all, number, order) else { break };
                self.store(step_key(window, k, step), number);
                self.store(start_key(window, k, step.start), number);
            }
        }
    }

    fn slot(&self, key: u64) -> usize {
        (key >> 20) as usize & self.table.len().wrapping_sub(1)
    }

    fn store(&mut self, key: u64, number: u32) {
        let slot = self.slot(key);
        if let Some(entry) = self.table.get_mut(slot) {
            *entry = number + 1;
        }
    }

    /// The last chain that was entered under a key, if it is what is looked for.
    fn look_up(&self, key: u64, order: usize, window: u64, same: impl Fn(Step) -> bool) -> Option<u32> {
        let number = self.table.get(self.slot(key))?.checked_sub(1)?;
        let index = number.checked_sub(self.forgotten)? as usize;
        let all = if index == 0 { self.before } else { self.chains.get(index - 1)?.hash };
        let fits = self.chain(number).is_some_and(|c| same(c.0));
        (fits && self.window(all, number, order) == Some(window)).then_some(number)
    }
}

fn step_key(window: u64, order: usize, step: Step) -> u64 {
    mix(mix(mix(window, order as u64), step.start as u64), step.count as u64)
}

fn start_key(window: u64, order: usize, start: i64) -> u64 {
    mix(mix(window, order as u64 + 100), start as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells a memory the runs and returns, per order, how many of the last `judged` runs it foresaw completely.
    fn foreseen(runs: &[(i64, i64)], judged: usize) -> [usize; ORDERS.len()] {
        let mut memory = Memory::default();
        let mut right = [0; ORDERS.len()];
        let mut forecasts = [Forecast::default(); ORDERS.len()];
        for (k, pair) in runs.windows(2).enumerate() {
            memory.forecasts(pair[0].0, &mut forecasts);
            if k + judged + 1 >= runs.len() {
                for (right, forecast) in right.iter_mut().zip(forecasts) {
                    *right +=
                        usize::from(forecast == Forecast { count: Some(pair[0].1), next: Some(pair[1].0) });
                }
            }
            memory.complete(pair[0].0, pair[0].1);
        }
        right
    }

    /// Rows of a diamond, one after the other further on.
    fn diamonds(n: i64) -> Vec<(i64, i64)> {
        let rows = [(0, 1), (-1, 3), (-2, 5), (-2, 5), (-1, 3), (0, 1)];
        (0..n).flat_map(|d| rows.map(|(start, count)| (100 * d + start, count))).collect()
    }

    #[test]
    fn a_shape_is_known_after_it_was_seen_once_or_twice() {
        let right = foreseen(&diamonds(8), 36);
        assert_eq!(right[2], 36, "{right:?}");
        // Nothing of 128 chains has come before.
        assert_eq!(right[ORDERS.len() - 1], 0);
    }

    #[test]
    fn the_oldest_is_forgotten_and_the_rest_still_found() {
        let mut memory = Memory::default();
        let mut random = crate::fuzzing::Random::new(7);
        for _ in 0..KEPT + KEPT / 2 {
            memory.complete(random.between(0, 1 << 40), random.between(1, 50));
        }
        assert!(memory.forgotten > 0 && memory.chains.len() <= KEPT, "{}", memory.chains.len());
        assert!(memory.table.len() <= 4 * ENTRIES * KEPT, "{}", memory.table.len());
        let mut right = 0;
        for (start, count) in diamonds(20) {
            let mut forecasts = [Forecast::default(); ORDERS.len()];
            memory.forecasts(start, &mut forecasts);
            right += usize::from(forecasts[2].count == Some(count));
            memory.complete(start, count);
        }
        assert!(right > 100, "{right}");
    }
}
