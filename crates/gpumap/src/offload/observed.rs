//! What a run of the program showed of its loops, by their places in the source.

use crate::ir::debug::Place;

/// Whether iterations of a loop used what others computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Found {
    /// They did not.
    Independent,
    /// They did: see [`Loop::carried`].
    Dependent,
    /// It never ran twice in a row.
    Once,
    /// Dependences were not recorded.
    #[default]
    Unknown,
}

/// A dependence from one iteration to another one that stays whatever is done to variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// Line of what is executed first, if it is known.
    pub source: Option<u32>,
    /// Line of what is executed later.
    pub sink: Option<u32>,
    /// What it goes through, if that has a name.
    pub object: Option<String>,
}

/// What has to become of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Every iteration has its own.
    Private,
    /// As said, and that of the last iteration is used after the loop.
    LastPrivate,
    /// Iterations read from a copy that is made before the loop.
    Copy,
    /// It gets an element for each iteration.
    Expand,
}

impl std::fmt::Display for Change {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(match self {
            Change::Private => "one for each thread",
            Change::LastPrivate => "one for each thread, that of the last iteration afterwards",
            Change::Copy => "a copy from before the loop to read from",
            Change::Expand => "an element for each iteration",
        })
    }
}

/// A variable that iterations share, and what has to become of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Storage {
    /// Its name; a heap block is called by where it is allocated.
    pub name: String,
    /// What has to become of it.
    pub change: Change,
}

/// What iterations combine into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// The variable, where it lies in memory.
    pub object: Option<String>,
    /// It is many cells.
    pub is_array: bool,
}

/// An access of a loop as it was compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executed {
    /// Its line.
    pub line: u32,
    /// Whether it writes.
    pub writes: bool,
    /// Bytes by which it advances from one iteration of the loop to the next, if that is always the same.
    pub stride: Option<i64>,
}

/// A part of a loop that could be a loop of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its lines, ascending.
    pub lines: Vec<u32>,
    /// Whether its iterations do not depend on each other.
    pub is_independent: bool,
}

/// A loop of the program that ran.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loop {
    /// Path of the source file.
    pub file: String,
    /// Line of the loop statement.
    pub line: u32,
    /// Its column, if it is known.
    pub column: Option<u32>,
    /// Whether iterations depend on each other.
    pub found: Found,
    /// How they do.
    pub carried: Vec<Carried>,
    /// What has to become of variables so that iterations share nothing but what they reduce.
    pub storage: Vec<Storage>,
    /// What iterations combine into one, by an associative operator.
    pub reduced: Vec<Reduced>,
    /// Least and greatest number of iterations of an entry, where known.
    pub trips: Option<(u64, u64)>,
    /// How many loops the compiler made of it.
    pub pieces: usize,
    /// Accesses inside, those left out whose address never changes there.
    pub executed: Vec<Executed>,
    /// The parts that it can be split into, in the order of their lines, in which they can run; none if it has to stay one.
    pub parts: Vec<Part>,
}

/// What runs showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observed {
    /// The loops that ran. One loop may be there several times, from several contexts.
    pub loops: Vec<Loop>,
}

impl Observed {
    /// The loops that stand at a place. Files are the same if one's path ends in the other's, by whole components. Compilers put a loop
    /// at its keyword, its condition or its counter: where several loops begin on a line, one ends at the column at which the next
    /// one begins (`until`).
    pub fn at<'a>(&'a self, place: Place<'a>, until: Option<u32>) -> impl Iterator<Item = &'a Loop> {
        self.loops.iter().filter(move |seen| {
            let is_here = |column: u32| column >= place.column && until.is_none_or(|until| column < until);
            seen.line == place.line && seen.column.is_none_or(is_here) && is_same_file(&seen.file, place.file)
        })
    }

    /// The loops of a file that ran.
    pub fn of_file<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a Loop> {
        self.loops.iter().filter(move |seen| is_same_file(&seen.file, file))
    }
}

fn is_same_file(a: &str, b: &str) -> bool {
    let (a, b) = (std::path::Path::new(a), std::path::Path::new(b));
    a.ends_with(b) || b.ends_with(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_found_by_place() {
        let seen = |file: &str, line, column| Loop { file: file.into(), line, column, ..Loop::default() };
        let all = Observed {
            loops: vec![
                seen("/src/a.c", 3, Some(5)),
                seen("/src/a.c", 3, Some(9)),
                seen("/src/ba.c", 3, None),
            ],
        };
        let count = |file, column, until| all.at(Place { file, line: 3, column }, until).count();
        assert_eq!(count("a.c", 5, Some(8)), 1);
        assert_eq!(count("a.c", 8, None), 1);
        assert_eq!(count("src/a.c", 0, None), 2);
        assert_eq!(count("ba.c", 7, None), 1);
        assert_eq!(count("/other/a.c", 5, None), 0);
        assert_eq!((all.of_file("a.c").count(), all.of_file("c.c").count()), (2, 0));
    }
}
