//! A sequence of nests that covers a trace: always found, as short as a descent through one tree makes it.

use super::attempt::exact;
use super::tree::Tree;
use crate::nest::Nest;

/// Neighbouring nodes of a level that are one nest.
pub struct Stretch {
    /// Their level.
    pub level: usize,
    /// First node.
    pub first: usize,
    /// One past the last node.
    pub end: usize,
    /// What they are.
    pub nest: Nest,
}

impl Stretch {
    /// The runs of its nodes.
    pub fn runs(&self, tree: &Tree) -> std::ops::Range<usize> {
        let (mut first, mut end) = (self.first, self.end);
        for level in (2..=self.level).rev() {
            first = tree.children(level, first).0;
            end = tree.children(level, end - 1).1;
        }
        first..end
    }
}

/// Nests for nodes a to b of level m, in order.
pub struct Cover {
    /// The nests found so far.
    pub nests: Vec<Stretch>,
    /// Work that may still be done; afterwards every run is a nest.
    pub budget: i64,
    /// Largest denominator of a bound.
    pub divisor: i64,
}

impl Cover {
    /// Covers the whole tree.
    pub fn all(tree: &Tree, divisor: i64, budget: i64) -> Vec<Stretch> {
        let mut cover = Cover { nests: Vec::new(), budget, divisor };
        let m = tree.height();
        cover.nodes(tree, m, 0, tree.count(m));
        cover.nests
    }

    fn nodes(&mut self, tree: &Tree, m: usize, a: usize, b: usize) {
        let mut i = a;
        while i < b {
            let Some((nest, end)) = self.longest(tree, m, i, b) else {
                if m == 1 {
                    let (start, count) = tree.rows.run(i);
                    let nest = Nest::line(start, tree.rows.stride, count as u64);
                    self.nests.push(Stretch { level: m, first: i, end: i + 1, nest });
                } else {
                    let (x, y) = tree.children(m, i);
                    self.nodes(tree, m - 1, x, y);
                }
                i += 1;
                continue;
            };
            self.nests.push(Stretch { level: m, first: i, end, nest });
            i = end;
        }
    }

    /// The longest stretch of siblings from i on that is one nest, by galloping and bisection.
    fn longest(&mut self, tree: &Tree, m: usize, i: usize, b: usize) -> Option<(Nest, usize)> {
        let mut best = (self.one(tree, m, i, i + 1)?, i + 1);
        let mut step = 1;
        while best.1 < b {
            let end = (best.1 + step).min(b);
            match self.one(tree, m, i, end) {
                Some(nest) => {
                    best = (nest, end);
                    step *= 2;
                }
                None => {
                    let mut high = end;
                    while high - best.1 > 1 {
                        let middle = best.1 + (high - best.1) / 2;
                        match self.one(tree, m, i, middle) {
                            Some(nest) => best = (nest, middle),
                            None => high = middle,
                        }
                    }
                    break;
                }
            }
        }
        Some(best)
    }

    fn one(&mut self, tree: &Tree, m: usize, a: usize, b: usize) -> Option<Nest> {
        if self.budget <= 0 || !siblings(tree, m, a, b) {
            return None;
        }
        let slice = tree.slice(m, a, b);
        let mut work = 20 * slice.rows.len() as u64 + 500;
        let nest = exact(&slice, self.divisor, &mut work);
        self.budget -= work as i64;
        nest
    }
}

/// Whether nodes a to b of level m are iterations of one loop.
fn siblings(tree: &Tree, m: usize, a: usize, b: usize) -> bool {
    if b - a == 1 {
        return true;
    }
    let Some(above) = tree.loops.get(m - 1) else { return false };
    let parent = above.first.partition_point(|&x| x as usize <= a);
    above.first.get(parent).is_some_and(|&end| end as usize >= b)
}
