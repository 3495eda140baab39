//! Loop nests, and how they are found.
//!
//! Nests that were pickled stay packed until somebody looks into them: a client that gathers the streams of a cluster takes
//! in bytes, not hundreds of thousands of small lists, while its workers still compute.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

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
    Ok(Nests::new(found))
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
pub struct Nests {
    /// The nests, once they are unpacked.
    found: OnceLock<Reconstruction>,
    /// What pickle kept, until they are.
    packed: Mutex<Vec<u8>>,
}

impl Nests {
    /// Nests that were found here.
    pub fn new(found: Reconstruction) -> Nests {
        Nests { found: OnceLock::from(found), packed: Mutex::default() }
    }

    /// The nests; unpacks them at the first call.
    fn found(&self) -> PyResult<&Reconstruction> {
        if let Some(found) = self.found.get() {
            return Ok(found);
        }
        // Nothing below lets another thread of Python in, so nobody who holds the interpreter waits for the lock.
        let mut packed = self.packed();
        if self.found.get().is_none() {
            let _first = self.found.set(unpack(&packed)?);
            *packed = Vec::new();
        }
        self.found.get().ok_or_else(damaged)
    }

    fn packed(&self) -> MutexGuard<'_, Vec<u8>> {
        self.packed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What pickle keeps: a CRC-32 of what follows, the number of integers, the nests.
    fn pack(&self) -> PyResult<Vec<u8>> {
        let packed = self.packed();
        if !packed.is_empty() {
            return Ok(packed.clone());
        }
        drop(packed);
        let found = self.found()?;
        let state = postcard::to_extend(&(found.accesses, &found.nests), vec![0; CHECKSUM]);
        let mut state = state.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let checksum = crc32fast::hash(&state[CHECKSUM..]).to_le_bytes();
        state[..CHECKSUM].copy_from_slice(&checksum);
        Ok(state)
    }
}

/// Bytes of the checksum before packed nests.
const CHECKSUM: usize = size_of::<u32>();

fn damaged() -> PyErr {
    PyValueError::new_err("state: no nests of this version of Loopwright")
}

/// The nests of what [`Nests::pack`] gave.
fn unpack(state: &[u8]) -> PyResult<Reconstruction> {
    let content = state.get(CHECKSUM..).ok_or_else(damaged)?;
    let (accesses, nests): (u64, Vec<nest::Nest>) = postcard::from_bytes(content).map_err(|_| damaged())?;
    match nests.iter().all(is_well_formed) {
        true => Ok(Reconstruction { nests, accesses }),
        false => Err(damaged()),
    }
}

impl PartialEq for Nests {
    /// Damaged nests equal none.
    fn eq(&self, other: &Nests) -> bool {
        matches!((self.found(), other.found()), (Ok(mine), Ok(theirs)) if mine == theirs)
    }
}

#[pymethods]
impl Nests {
    /// Number of integers.
    #[getter]
    fn accesses(&self) -> PyResult<u64> {
        Ok(self.found()?.accesses)
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.found()?.nests.len())
    }

    fn __getitem__(&self, index: isize) -> PyResult<Nest> {
        let nests = &self.found()?.nests;
        let at = if index < 0 { index.checked_add_unsigned(nests.len()) } else { Some(index) };
        let nest = at.and_then(|at| nests.get(usize::try_from(at).ok()?));
        let nest = nest.ok_or_else(|| PyIndexError::new_err("no nest of that index"))?;
        Ok(Nest { nest: nest.clone() })
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.found()?.nests.iter().map(|nest| Nest { nest: nest.clone() }))?.try_iter()
    }

    /// The loops for people, as `loopwright reconstruct` prints them.
    fn to_text(&self) -> PyResult<String> {
        let found = self.found()?;
        if found.accesses == 0 {
            return Ok("# empty trace\n".to_owned());
        }
        Ok(format!("# {}\n{}", render::summary(found), render::text(&found.nests)))
    }

    /// A C program that prints the integers.
    fn to_c(&self) -> PyResult<String> {
        Ok(render::c(&self.found()?.nests))
    }

    /// isl notation: per nest its domain, its schedule and its access.
    fn to_isl(&self) -> PyResult<String> {
        Ok(render::isl(&self.found()?.nests))
    }

    /// JSON, schema `loopwright.nest/1`.
    fn to_json(&self) -> PyResult<String> {
        let found = self.found()?;
        let (nests, accesses) = (&found.nests[..], found.accesses);
        Ok(render::json(&[render::Stream { id: "0", nests, accesses, bytes: codec::size(found) }]))
    }

    /// The integers, as an array of int64.
    fn expand<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let found = self.found()?;
        let values = py.detach(|| {
            let mut values: Vec<i64> = Vec::new();
            values.try_reserve_exact(usize::try_from(found.accesses).ok()?).ok()?;
            for nest in &found.nests {
                let stride = nest.stride();
                nest.runs(&mut |start: i64, count: i64| {
                    values.extend(Run { start, stride, count: count.unsigned_abs() }.values());
                    true
                });
            }
            Some(values)
        });
        let values = values
            .ok_or_else(|| PyMemoryError::new_err(format!("no memory for {} integers", found.accesses)))?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// The next integers that the online predictor expects after all of these.
    fn predict<'py>(&self, py: Python<'py>, k: i64) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let count = usize::try_from(k)
            .map_err(|_| PyValueError::new_err(format!("k is {k}; at least 0 is needed")))?;
        let found = self.found()?;
        let next = py.detach(|| {
            let mut predictor = Predictor::new();
            for nest in &found.nests {
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
    fn compress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let found = self.found()?;
        Ok(PyBytes::new(py, &py.detach(|| encoded(found))))
    }

    fn __repr__(&self) -> PyResult<String> {
        let found = self.found()?;
        Ok(match found.accesses {
            0 => "<Nests: empty>".to_owned(),
            _ => format!("<Nests: {}>", render::summary(found)),
        })
    }

    fn __str__(&self) -> PyResult<String> {
        self.to_text()
    }

    fn _repr_html_(&self) -> PyResult<String> {
        let found = self.found()?;
        let nests = &found.nests;
        let shown = render::text(&nests[..nests.len().min(SHOWN)]);
        let more = match nests.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!("\n… and {more} more"),
        };
        let summary = match found.accesses {
            0 => "empty".to_owned(),
            _ => render::summary(found),
        };
        Ok(format!("<p>{}</p>\n<pre>{}</pre>", escape::text(&summary), escape::text(&(shown + &more))))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let state = PyBytes::new(py, &self.pack()?);
        Ok((py.import("loopwright._native")?.getattr("restore_nests")?, (state,)))
    }
}

/// Nests from what pickle keeps of them.
#[pyfunction]
pub fn restore_nests(state: &[u8]) -> PyResult<Nests> {
    let whole = state
        .split_first_chunk()
        .is_some_and(|(&checksum, content)| u32::from_le_bytes(checksum) == crc32fast::hash(content));
    if !whole {
        return Err(damaged());
    }
    Ok(Nests { found: OnceLock::new(), packed: Mutex::new(state.to_vec()) })
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
