//! Folding of streams that nobody vouches for.
//!
//! [`Folder`] takes what its callers know to be a stream. Here every point and run is tested first, and refused with an
//! error that names the stream and the position; a refused one leaves the folder as it was.

use crate::folder::Folder;
use crate::options::Options;
use crate::piece::Folded;

/// Why a point or run is no continuation of a stream. Positions count points from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// An iteration vector comes before the one before it.
    #[error(
        "point {position}: iteration vector {vector:?} comes after {before:?}, which is greater; sort the stream"
    )]
    OutOfOrder {
        /// Of the point.
        position: u64,
        /// Its vector.
        vector: Vec<i64>,
        /// The vector before.
        before: Vec<i64>,
    },
    /// An iteration vector has another number of coordinates than the stream.
    #[error("point {position}: iteration vector of {found} coordinates in a stream of {expected}")]
    Dimensions {
        /// Of the point.
        position: u64,
        /// Coordinates of the stream.
        expected: usize,
        /// Coordinates of the point.
        found: usize,
    },
    /// A label, or its advance, has another number of integers than the stream.
    #[error("point {position}: label of {found} integers in a stream of {expected}")]
    Outputs {
        /// Of the point.
        position: u64,
        /// Outputs of the stream.
        expected: usize,
        /// Integers of the point.
        found: usize,
    },
    /// A label of a run does not fit 64 bits.
    #[error("run at point {position}: output {output} leaves 64 bits within {count} points")]
    LabelOverflow {
        /// Of the first point of the run.
        position: u64,
        /// Which label.
        output: usize,
        /// Points of the run.
        count: u64,
    },
    /// The innermost coordinate of a run does not fit 64 bits.
    #[error("run at point {position}: the innermost coordinate leaves 64 bits within {count} points")]
    CoordinateOverflow {
        /// Of the first point of the run.
        position: u64,
        /// Points of the run.
        count: u64,
    },
    /// A run without points, with a step below 1, or with several points and no dimension.
    #[error("run at point {position}: {count} points with step {step} are no run")]
    NotARun {
        /// Of the first point of the run.
        position: u64,
        /// Points of the run.
        count: u64,
        /// Step of its innermost coordinate.
        step: i64,
    },
}

/// A [`StreamError`] with the stream it happened in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{stream}, {reason}")]
pub struct Refused {
    /// Name of the stream.
    pub stream: String,
    /// What is wrong, and where.
    #[source]
    pub reason: StreamError,
}

/// A [`Folder`] that tests its input.
#[derive(Debug)]
pub struct CheckedFolder {
    stream: String,
    folder: Folder,
    dims: usize,
    outputs: usize,
    last: Option<Vec<i64>>,
}

impl CheckedFolder {
    /// As [`Folder::new`], for a stream that errors call by this name.
    pub fn new(stream: &str, dims: usize, outputs: usize, options: Options) -> CheckedFolder {
        let folder = Folder::new(dims, outputs, options);
        CheckedFolder { stream: stream.to_owned(), folder, dims, outputs, last: None }
    }

    /// Number of points so far.
    pub fn points(&self) -> u64 {
        self.folder.points()
    }

    /// Adds one point.
    ///
    /// # Errors
    /// If it has another shape than the stream or its vector is lexicographically smaller than the one before.
    pub fn point(&mut self, iv: &[i64], label: &[i64]) -> Result<(), Refused> {
        self.run(iv, 1, 1, label, &vec![0; label.len()])
    }

    /// Adds `count` points, the innermost coordinate advancing by `step` and `label` by `advance`.
    ///
    /// # Errors
    /// As for [`CheckedFolder::point`], and if a coordinate or a label of the run leaves 64 bits.
    pub fn run(
        &mut self,
        iv: &[i64],
        step: i64,
        count: u64,
        label: &[i64],
        advance: &[i64],
    ) -> Result<(), Refused> {
        let last = self
            .last_of(iv, step, count, label, advance)
            .map_err(|reason| Refused { stream: self.stream.clone(), reason })?;
        self.last = Some(last);
        self.folder.lattice_run(iv, step, count, label, advance);
        Ok(())
    }

    /// The last vector of a run, if it continues the stream.
    fn last_of(
        &self,
        iv: &[i64],
        step: i64,
        count: u64,
        label: &[i64],
        advance: &[i64],
    ) -> Result<Vec<i64>, StreamError> {
        let position = self.points();
        if iv.len() != self.dims || self.dims > Folder::MOST {
            return Err(StreamError::Dimensions { position, expected: self.dims, found: iv.len() });
        }
        if let Some(wrong) =
            [label, advance].iter().find(|l| l.len() != self.outputs || l.len() > Folder::MOST)
        {
            return Err(StreamError::Outputs { position, expected: self.outputs, found: wrong.len() });
        }
        if count == 0 || step < 1 || iv.is_empty() && count > 1 {
            return Err(StreamError::NotARun { position, count, step });
        }
        if let Some(before) = self.last.as_ref().filter(|last| last[..] > *iv) {
            let (vector, before) = (iv.to_vec(), before.clone());
            return Err(StreamError::OutOfOrder { position, vector, before });
        }
        let end = |first: i64, advance: i64| {
            i64::try_from(i128::from(first) + i128::from(advance) * i128::from(count - 1)).ok()
        };
        if let Some(output) = (0..self.outputs).find(|&o| end(label[o], advance[o]).is_none()) {
            return Err(StreamError::LabelOverflow { position, output, count });
        }
        let mut last = iv.to_vec();
        if let Some(x) = last.last_mut() {
            *x = end(*x, step).ok_or(StreamError::CoordinateOverflow { position, count })?;
        }
        Ok(last)
    }

    /// Ends the stream.
    pub fn finish(self) -> Folded {
        self.folder.finish()
    }
}
