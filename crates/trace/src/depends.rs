//! How the tasks of OpenMP use what their `depend` clauses name.

/// What a clause says that a task does (OpenMP Application Programming Interface, version 5.2, section 15.9.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `in`.
    In,
    /// `out` and `inout`.
    Out,
    /// `mutexinoutset`: those of one set are not ordered, and exclude each other.
    Mutex,
    /// `inoutset`: those of one set are not ordered.
    Set,
}

impl Mode {
    const ALL: [Mode; 4] = [Mode::In, Mode::Out, Mode::Mutex, Mode::Set];

    /// The word that stands for it in a record ([`crate::stream::Special::Handed`]).
    pub fn word(self) -> u64 {
        self as u64
    }

    /// The mode that a word stands for; `None` if it is none, as [`UNREAD`].
    pub fn of_word(word: u64) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.word() == word)
    }
}

/// The word of a record in the place of a mode that could not be read.
pub const UNREAD: u64 = u64::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        for mode in Mode::ALL {
            assert_eq!(Mode::of_word(mode.word()), Some(mode));
        }
        assert_eq!(Mode::of_word(UNREAD), None);
    }
}
