//! Loop nests, and how they are found.

use ::reconstruct::nest::{self, MAX_DEPTH};
use ::reconstruct::predict::Predictor;
use ::reconstruct::run::Run;
use ::reconstruct::stream::{Reconstruction, Reconstructor};
use ::reconstruct::{codec, render};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList};
use report::html::escape;

use crate::arrays::Values;
use crate::files::encoded;
use crate::search::{Search, Watch, push_all, with_levels};

/// Nests that a notebook shows.
const SHOWN: usize = 20;

/// Finds the loop nests that generate an array; see `loopwright/_native.pyi`.
#[pyfunction]
#[pyo3(signature = (array, *, levels=None, trip=None, floors=false, max_depth=10, time_limit=None, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are named in Python")]
pub fn reconstruct(
    array: &Bound<'_, PyAny>,
    levels: Option<i64>,
    trip: Option<i64>,
    floors: bool,
    max_depth: i64,
    time_limit: Option<f64>,
    threads: Option<i64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Nests> {
    let search = Search::new(floors, max_depth, time_limit, threads)?.of_streams(1);
    let mut found = found(array, &search, progress)?;
    with_levels(&mut found, levels, trip)?;
    Ok(Nests { found })
}

/// The nests of an array.
pub fn found(
    array: &Bound<'_, PyAny>,
    search: &Search,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Reconstruction> {
    let py = array.py();
    let values = Values::of("array", array)?;
    let slice = values.slice("array")?;
    let mut watch = Watch::new(progress, slice.values.len());
    let mut all = Reconstructor::new(search.options.clone());
    push_all(py, ("array", slice, 0), &mut watch, |part| all.push(part))?;
    search.finish(py, all, &mut watch)
}

/// Loop nests that generate a sequence of integers, in order.
#[pyclass(frozen, eq, module = "loopwright")]
#[derive(PartialEq)]
pub struct Nests {
    /// The nests.
    pub found: Reconstruction,
}

#[pymethods]
impl Nests {
    /// Number of integers.
    #[getter]
    fn accesses(&self) -> u64 {
        self.found.accesses
    }

    fn __len__(&self) -> usize {
        self.found.nests.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Nest> {
        let at = if index < 0 { index.checked_add_unsigned(self.found.nests.len()) } else { Some(index) };
        let nest = at.and_then(|at| self.found.nests.get(usize::try_from(at).ok()?));
        let nest = nest.ok_or_else(|| PyIndexError::new_err("no nest of that index"))?;
        Ok(Nest { nest: nest.clone() })
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.found.nests.iter().map(|nest| Nest { nest: nest.clone() }))?.try_iter()
    }

    /// The loops for people, as `loopwright reconstruct` prints them.
    fn to_text(&self) -> String {
        if self.found.accesses == 0 {
            return "# empty trace\n".to_owned();
        }
        format!("# {}\n{}", render::summary(&self.found), render::text(&self.found.nests))
    }

    /// A C program that prints the integers.
    fn to_c(&self) -> String {
        render::c(&self.found.nests)
    }

    /// isl notation: per nest its domain, its schedule and its access.
    fn to_isl(&self) -> String {
        render::isl(&self.found.nests)
    }

    /// JSON, schema `loopwright.nest/1`.
    fn to_json(&self) -> String {
        let (nests, accesses) = (&self.found.nests[..], self.found.accesses);
        render::json(&[render::Stream { id: "0", nests, accesses, bytes: codec::size(&self.found) }])
    }

    /// The integers, as an array of int64.
    fn expand<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let values = py.detach(|| {
            let mut values: Vec<i64> = Vec::new();
            values.try_reserve_exact(usize::try_from(self.found.accesses).ok()?).ok()?;
            for nest in &self.found.nests {
                let stride = nest.stride();
                nest.runs(&mut |start: i64, count: i64| {
                    values.extend(Run { start, stride, count: count.unsigned_abs() }.values());
                    true
                });
            }
            Some(values)
        });
        let values = values.ok_or_else(|| {
            PyMemoryError::new_err(format!("no memory for {} integers", self.found.accesses))
        })?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// The next integers that the online predictor expects after all of these.
    fn predict<'py>(&self, py: Python<'py>, k: i64) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let count = usize::try_from(k)
            .map_err(|_| PyValueError::new_err(format!("k is {k}; at least 0 is needed")))?;
        let next = py.detach(|| {
            let mut predictor = Predictor::new();
            for nest in &self.found.nests {
                let stride = nest.stride();
                nest.runs(&mut |start: i64, count: i64| {
                    predictor.push_run(Run { start, stride, count: count.unsigned_abs() });
                    true
                });
            }
            predictor.following(count)
        });
        Ok(PyArray1::from_vec(py, next))
    }

    /// The nests as a file of the format `.lwc`.
    fn compress<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| encoded(&self.found)))
    }

    fn __repr__(&self) -> String {
        match self.found.accesses {
            0 => "<Nests: empty>".to_owned(),
            _ => format!("<Nests: {}>", render::summary(&self.found)),
        }
    }

    fn __str__(&self) -> String {
        self.to_text()
    }

    fn _repr_html_(&self) -> String {
        let nests = &self.found.nests;
        let shown = render::text(&nests[..nests.len().min(SHOWN)]);
        let more = match nests.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!("\n… and {more} more"),
        };
        let summary = match self.found.accesses {
            0 => "empty".to_owned(),
            _ => render::summary(&self.found),
        };
        format!("<p>{}</p>\n<pre>{}</pre>", escape::text(&summary), escape::text(&(shown + &more)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let state = postcard::to_stdvec(&(self.found.accesses, &self.found.nests));
        let state = state.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let restore = py.import("loopwright._native")?.getattr("restore_nests")?;
        Ok((restore, (PyBytes::new(py, &state),)))
    }
}

/// Nests from what pickle keeps of them.
#[pyfunction]
pub fn restore_nests(state: &[u8]) -> PyResult<Nests> {
    let damaged = || PyValueError::new_err("state: no nests of this version of Loopwright");
    let (accesses, nests): (u64, Vec<nest::Nest>) = postcard::from_bytes(state).map_err(|_| damaged())?;
    if !nests.iter().all(is_well_formed) {
        return Err(damaged());
    }
    Ok(Nests { found: Reconstruction { nests, accesses } })
}

/// Whether lists are as long as each other and divisors positive.
fn is_well_formed(nest: &nest::Nest) -> bool {
    let bounds = |q: usize, side: &[nest::Bound]| {
        !side.is_empty() && side.iter().all(|b| b.coefficients.len() == q && b.divisor > 0)
    };
    nest.levels.len() == nest.coefficients.len()
        && nest.levels.len() <= MAX_DEPTH
        && nest.levels.iter().enumerate().all(|(q, l)| bounds(q, &l.lower) && bounds(q, &l.upper))
}

/// One loop nest.
#[pyclass(frozen, eq, module = "loopwright")]
#[derive(PartialEq)]
pub struct Nest {
    nest: nest::Nest,
}

/// `(coefficients, constant, divisor)`.
type Bound3 = (Vec<i64>, i64, i64);

#[pymethods]
impl Nest {
    /// Number of loops.
    #[getter]
    fn depth(&self) -> usize {
        self.nest.depth()
    }

    /// The integer where all counters are 0.
    #[getter]
    fn base(&self) -> i64 {
        self.nest.base
    }

    /// Advance of the integer per counter, outermost first.
    #[getter]
    fn coefficients(&self) -> Vec<i64> {
        self.nest.coefficients.clone()
    }

    /// Per loop its lower and its upper bounds, each `(coefficients, constant, divisor)`.
    #[getter]
    fn levels(&self) -> Vec<(Vec<Bound3>, Vec<Bound3>)> {
        let side = |bounds: &[nest::Bound]| {
            bounds.iter().map(|b| (b.coefficients.clone(), b.constant, b.divisor)).collect()
        };
        self.nest.levels.iter().map(|level| (side(&level.lower), side(&level.upper))).collect()
    }

    /// Number of integers.
    #[getter]
    fn accesses(&self) -> u128 {
        self.nest.accesses()
    }

    /// The loops for people.
    fn to_text(&self) -> String {
        render::text(std::slice::from_ref(&self.nest))
    }

    fn __repr__(&self) -> String {
        let (accesses, depth) = (self.nest.accesses(), self.nest.depth());
        format!("<Nest: {accesses} integers, {depth} loop{}>", if depth == 1 { "" } else { "s" })
    }

    fn __str__(&self) -> String {
        self.to_text()
    }

    fn _repr_html_(&self) -> String {
        format!("<pre>{}</pre>", escape::text(&self.to_text()))
    }
}
