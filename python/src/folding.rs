//! The folding algorithm on arrays.

use ::fold::checked::CheckedFolder;
use ::fold::{Options, piece};
use numpy::ndarray::Axis;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use schedule::notation::{Condition, Parameters, names};

use crate::arrays::table;

/// Rows between two looks for signals.
const PART: usize = 1 << 16;

/// Folds a stream; see `loopwright/_native.pyi`.
#[pyfunction]
#[pyo3(signature = (ivs, labels, *, widen=true, give_up=true))]
pub fn fold(
    ivs: &Bound<'_, PyAny>,
    labels: &Bound<'_, PyAny>,
    widen: bool,
    give_up: bool,
) -> PyResult<Folded> {
    let py = ivs.py();
    let (vectors, outputs) = (table("ivs", ivs)?, table("labels", labels)?);
    let (vectors, outputs) = (vectors.as_array(), outputs.as_array());
    let (points, dims) = vectors.dim();
    if outputs.nrows() != points {
        return Err(PyValueError::new_err(format!(
            "labels has {} rows and ivs has {points}; a label for each vector is needed",
            outputs.nrows()
        )));
    }
    let options = match give_up {
        true => Options::for_dimensions(dims, widen),
        false => Options::unlimited(widen),
    };
    let mut folder = CheckedFolder::new("ivs and labels", dims, outputs.ncols(), options);
    let parts = vectors.axis_chunks_iter(Axis(0), PART).zip(outputs.axis_chunks_iter(Axis(0), PART));
    for (vectors, outputs) in parts {
        py.detach(|| {
            vectors.rows().into_iter().zip(outputs.rows()).try_for_each(|(iv, label)| {
                // Rows of arrays in C order are slices.
                folder.point(iv.as_slice().unwrap_or_default(), label.as_slice().unwrap_or_default())
            })
        })
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
        py.check_signals()?;
    }
    Ok(Folded { folded: py.detach(|| folder.finish()), dims })
}

/// A folded stream.
#[pyclass(frozen, module = "loopwright")]
pub struct Folded {
    folded: piece::Folded,
    dims: usize,
}

#[pymethods]
impl Folded {
    /// Number of points.
    #[getter]
    fn points(&self) -> u64 {
        self.folded.points
    }

    /// Whether pieces hold exactly the points, with labels that are all known.
    #[getter]
    fn exact(&self) -> bool {
        self.folded.is_exact()
    }

    /// Whether a limit was reached, so that some pieces are boxes.
    #[getter]
    fn gave_up(&self) -> bool {
        self.folded.gave_up
    }

    /// Per output the smallest and the largest label.
    #[getter]
    fn ranges(&self) -> Vec<(i64, i64)> {
        self.folded.ranges.clone()
    }

    /// The pieces, in order of their end.
    #[getter]
    fn pieces(&self) -> Vec<Piece> {
        let dims = self.dims;
        self.folded.pieces.iter().map(|piece| Piece { piece: piece.clone(), dims }).collect()
    }

    fn __len__(&self) -> usize {
        self.folded.pieces.len()
    }

    /// A union map in isl notation, from iteration vectors to labels. What a piece does not know of a label is left open.
    fn to_isl(&self) -> String {
        let pieces: Vec<String> = self.folded.pieces.iter().map(|piece| relation(piece, self.dims)).collect();
        format!("{{ {} }}", pieces.join("; "))
    }

    fn __repr__(&self) -> String {
        let figures = self.folded.statistics();
        let how = match (self.folded.gave_up, self.folded.is_exact()) {
            (true, _) => "given up",
            (false, true) => "exact",
            (false, false) => "with unknown coefficients",
        };
        format!("<Folded: {} points in {} pieces, {how}>", figures.points, figures.pieces)
    }
}

/// A convex part of a folded stream.
#[pyclass(frozen, module = "loopwright")]
pub struct Piece {
    piece: piece::Piece,
    dims: usize,
}

#[pymethods]
impl Piece {
    /// Number of points.
    #[getter]
    fn points(&self) -> u64 {
        self.piece.points
    }

    /// Whether the domain is exact and all labels are known.
    #[getter]
    fn affine(&self) -> bool {
        self.piece.is_affine()
    }

    /// Whether the domain may hold more than the points.
    #[getter]
    fn over_approximated(&self) -> bool {
        self.piece.over_approximated
    }

    /// Per output `(coefficients, constant)` over the coordinates, with `None` for unknown coefficients; `None` where the
    /// label is no function of the coordinates.
    #[getter]
    fn labels(&self) -> Vec<Option<(Vec<Option<i64>>, i64)>> {
        let one = |o| {
            let label = self.piece.label(o)?;
            Some((label.coefficients.iter().map(|c| c.known()).collect(), label.constant))
        };
        (0..self.piece.labels.len()).map(one).collect()
    }

    /// The piece as a map in isl notation.
    fn to_isl(&self) -> String {
        format!("{{ {} }}", relation(&self.piece, self.dims))
    }

    fn __repr__(&self) -> String {
        format!("<Piece: {} points, {}>", self.piece.points, self.to_isl())
    }
}

/// A piece without its braces.
fn relation(piece: &piece::Piece, dims: usize) -> String {
    let mut condition = Condition::of(piece, "i", &Parameters::NONE);
    let outputs = names("o", piece.labels.len());
    for (o, name) in outputs.iter().enumerate() {
        // Without a function the label stays free.
        condition.output(piece, o, name, 1, &Parameters::NONE);
    }
    format!("[{}] -> [{}] : {}", names("i", dims).join(", "), outputs.join(", "), condition.text())
}
