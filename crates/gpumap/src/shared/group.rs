//! Accesses of one pointer that are taken together.
//!
//! Two schemes (thesis, section 4.5.3): sections are joined if both their starts and their ends differ by less than a number of
//! bytes; or all sections of a pointer are, whatever lies between them, as long as they lie in one matrix. A queue is gone through:
//! what fits to the accumulated group joins it, the rest is the queue of the next group, until nothing is left.
//!
//! Members have the same strides and counts, so that a group is a set of *cells*: for each member the element that it starts in, and
//! which bytes of it are touched. Extents are those of the least box around the cells.

use num_traits::ToPrimitive;

use super::pattern::{Pattern, Step};
use super::section::Section;
use crate::symbolic::Polynomial;

/// How accesses of a pointer are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// If starts and ends differ by less than so many bytes.
    Close(u32),
    /// Always, if they lie in the same matrix.
    Whole,
}

impl Default for Scheme {
    /// Within a sector.
    fn default() -> Scheme {
        Scheme::Close(32)
    }
}

/// What a member touches of an element.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// The element, from the first one of the group on, along each direction.
    pub at: Vec<i64>,
    /// The first byte.
    pub first: i64,
    /// The byte behind the last one.
    pub behind: i64,
}

/// Accesses that are taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Their places among those that were given.
    pub members: Vec<usize>,
    /// The matrix of each of them.
    pub pattern: Pattern,
    /// The first byte of the first element, for the first thread.
    pub start: Polynomial,
    /// The cells that members start in, ascending.
    pub cells: Vec<Cell>,
}

/// A member: its place, and where it starts behind the first one.
type Member = (usize, (Vec<i64>, i64));

/// Groups of sections. Sections that are no sub-matrix are left out.
pub fn groups(sections: &[Section], scheme: Scheme) -> Vec<Group> {
    let mut queue: Vec<usize> = (0..sections.len()).collect();
    let mut list = Vec::new();
    while let Some((&first, rest)) = queue.split_first() {
        let Some(pattern) = Pattern::of(&sections[first]) else {
            queue = rest.to_vec();
            continue;
        };
        let mut members: Vec<Member> = vec![(first, (vec![0; pattern.strides.len()], 0))];
        let mut next = Vec::new();
        for &other in rest {
            match joined(sections, &members, &pattern, other, scheme) {
                Some(place) => members.push((other, place)),
                None => next.push(other),
            }
        }
        list.push(accumulated(sections, &members, pattern));
        queue = next;
    }
    list
}

/// Where a section starts behind the first one of a group, if it joins the group.
fn joined(
    sections: &[Section],
    members: &[Member],
    pattern: &Pattern,
    other: usize,
    scheme: Scheme,
) -> Option<(Vec<i64>, i64)> {
    let (first, other) = (&sections[members.first()?.0], &sections[other]);
    if !first.has_shape_of(other) {
        return None;
    }
    let distance = &other.start - &first.start;
    match scheme {
        Scheme::Whole => pattern.placed(&distance),
        Scheme::Close(limit) => {
            let bytes = distance.integer()?.to_i64()?;
            let end = bytes.checked_add(i64::from(other.size))?;
            let ends = |member: &Member| member.1.1.saturating_add(i64::from(sections[member.0].size));
            let start_of_all = members.iter().map(|member| member.1.1).min()?;
            let end_of_all = members.iter().map(ends).max()?;
            let is_close = |a: i64, b: i64| a.abs_diff(b) < u64::from(limit);
            let is_joined = is_close(bytes, start_of_all) && is_close(end, end_of_all);
            is_joined.then(|| (vec![0; pattern.strides.len()], bytes))
        }
    }
}

fn accumulated(sections: &[Section], members: &[Member], pattern: Pattern) -> Group {
    let first_byte = members.iter().map(|member| member.1.1).min().unwrap_or(0);
    let least = |direction: usize| members.iter().map(|member| member.1.0[direction]).min().unwrap_or(0);
    let first: Vec<i64> = (0..pattern.strides.len()).map(least).collect();
    let cell = |(section, (elements, byte)): &Member| {
        let behind = byte.saturating_sub(first_byte);
        let mut at: Vec<i64> =
            elements.iter().zip(&first).map(|(at, first)| at.saturating_sub(*first)).collect();
        let byte = match (pattern.step(), at.first_mut()) {
            (Some(step), Some(column)) if step > 0 => {
                *column = behind.div_euclid(step);
                behind.rem_euclid(step)
            }
            _ => behind,
        };
        Cell { at, first: byte, behind: byte.saturating_add(i64::from(sections[*section].size)) }
    };
    let mut cells: Vec<Cell> = members.iter().map(cell).collect();
    cells.sort_unstable();
    cells.dedup();
    let of_first = members.first().map(|member| &sections[member.0].start);
    let mut start = of_first.cloned().unwrap_or_default();
    start = &start + &first_byte.into();
    for (stride, &elements) in pattern.strides.iter().zip(&first) {
        start = &start + &stride.scaled(&elements.into());
    }
    Group { members: members.iter().map(|member| member.0).collect(), pattern, start, cells }
}

impl Group {
    /// Elements along each direction of the least box around the cells.
    pub fn extents(&self) -> Vec<i64> {
        let most = |direction: usize| self.cells.iter().map(|cell| cell.at[direction]).max().unwrap_or(0);
        (0..self.pattern.strides.len()).map(|direction| most(direction).saturating_add(1)).collect()
    }

    /// Bytes from the first one of an element that is touched to the last one, over all elements.
    pub fn element(&self) -> i64 {
        let first = self.cells.iter().map(|cell| cell.first).min().unwrap_or(0);
        self.cells.iter().map(|cell| cell.behind).max().unwrap_or(0) - first
    }

    /// Whether members leave out bytes of the box.
    pub fn has_holes(&self) -> bool {
        let all = self.extents().into_iter().try_fold(self.element(), i64::checked_mul);
        all != Some(self.common(None))
    }

    /// Bytes that the cells have in common with themselves one step on; all bytes if there is none.
    pub fn common(&self, step: Option<Step>) -> i64 {
        let mut moved = self.cells.clone();
        if let Some(Step { direction, elements }) = step {
            let on = |cell: &mut Cell| cell.at[direction] = cell.at[direction].saturating_add(elements);
            moved.iter_mut().for_each(on);
        }
        let mut places: Vec<&[i64]> = self.cells.iter().map(|cell| cell.at.as_slice()).collect();
        places.dedup();
        places.into_iter().map(|at| overlap(&parts(&self.cells, at), &parts(&moved, at))).sum()
    }
}

/// What is touched of an element, as ascending intervals apart from each other.
fn parts(cells: &[Cell], at: &[i64]) -> Vec<(i64, i64)> {
    let mut list: Vec<(i64, i64)> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.at == at) {
        match list.last_mut() {
            Some(last) if cell.first <= last.1 => last.1 = last.1.max(cell.behind),
            _ => list.push((cell.first, cell.behind)),
        }
    }
    list
}

/// Bytes in both of two lists of intervals.
fn overlap(a: &[(i64, i64)], b: &[(i64, i64)]) -> i64 {
    let both = |x: &(i64, i64), y: &(i64, i64)| (x.1.min(y.1) - x.0.max(y.0)).max(0);
    a.iter().map(|x| b.iter().map(|y| both(x, y)).sum::<i64>()).sum()
}
