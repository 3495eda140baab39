//! Which groups of a level may take an item.
//!
//! Rows without a pattern leave thousands of groups open, of which almost none can go on: the groups of a row at the
//! innermost level whose next coordinate has passed, and at the other levels those that the same coordinate began. Neither
//! is looked at again.
//!
//! Invariant: a level's groups before `from` have two or more items and a next coordinate that has passed; those from `to`
//! on begin at `x`. Whoever replaces the groups of a level sets it to [`Reach::ALL`].

use crate::class::Kind;
use crate::folder::Folder;
use crate::group::Group;

/// Groups among which those left behind are not told apart.
const FEW: usize = 64;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    from: usize,
    /// Number of groups at which to look for more that are left behind.
    crowd: usize,
    to: usize,
    x: i64,
}

impl Reach {
    pub const ALL: Reach = Reach { from: 0, crowd: FEW, to: usize::MAX, x: 0 };
}

impl Folder {
    /// The groups of level `q` that may take an item at `x`, as a range of indices.
    pub(crate) fn reach(&mut self, q: usize, x: i64) -> std::ops::Range<usize> {
        let is_innermost = q + 1 == self.dims;
        let (reach, groups) = (&mut self.reach[q], &mut self.levels[q]);
        if is_innermost && groups.len() >= reach.crowd {
            let others = groups.split_off(reach.from);
            let (behind, open): (Vec<Group>, Vec<Group>) =
                others.into_iter().partition(|g| g.kind == Kind::Coordinate && g.count > 1 && g.next_x() < x);
            groups.extend(behind);
            reach.from = groups.len();
            groups.extend(open);
            reach.crowd = groups.len() + FEW.max(groups.len() - reach.from);
        }
        let to = if reach.x == x { reach.to.min(groups.len()) } else { groups.len() };
        reach.from..to
    }

    /// A group that begins at `x` was added to level `q`, of which only the innermost changes its order.
    pub(crate) fn began(&mut self, q: usize, x: i64) {
        let is_innermost = q + 1 == self.dims;
        let reach = &mut self.reach[q];
        if !is_innermost && (reach.to == usize::MAX || reach.x != x) {
            (reach.to, reach.x) = (self.levels[q].len() - 1, x);
        }
    }
}
