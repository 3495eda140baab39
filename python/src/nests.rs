//! Loop nests, and how they are found.
//!
//! Nests that were pickled stay packed until somebody looks into them: a client that gathers the streams of a cluster takes
//! in bytes, not hundreds of thousands of small lists, while its workers still compute.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use ::reconstruct::cursor::Runs;
use ::reconstruct::nest;
use ::reconstruct::predict::Predictor;
use ::reconstruct::render::{self, Numbers};
use ::reconstruct::statement::{self, Statement};
use ::reconstruct::stream::{Reconstruction, Reconstructor};
use ::reconstruct::{codec, packed};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PySlice};
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

    /// What pickle keeps: a compressed file, made quickly.
    fn pack(&self) -> PyResult<Vec<u8>> {
        let packed = self.packed();
        if !packed.is_empty() {
            return Ok(packed.clone());
        }
        drop(packed);
        let section = codec::section(self.found()?, codec::Aim::Fast);
        Ok(codec::file(&[((0, 0), section)], None))
    }
}

fn damaged() -> PyErr {
    PyValueError::new_err("state: no nests of this version of Loopwright")
}

/// The nests of what [`Nests::pack`] gave.
fn unpack(state: &[u8]) -> PyResult<Reconstruction> {
    let mut streams = codec::decode(state).map_err(|_| damaged())?.streams;
    let stream = streams.pop().filter(|_| streams.is_empty()).ok_or_else(damaged)?;
    Ok(Reconstruction { nests: stream.statements, accesses: stream.accesses })
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

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let nests = &self.found()?.nests;
        if let Ok(slice) = index.cast::<PySlice>() {
            let range = slice.indices(isize::try_from(nests.len()).unwrap_or(isize::MAX))?;
            let chosen = (0..range.slicelength).filter_map(|k| {
                let at = range.start.checked_add(range.step.checked_mul(isize::try_from(k).ok()?)?)?;
                nests.get(usize::try_from(at).ok()?).cloned()
            });
            let chosen: Vec<Statement> = chosen.collect();
            let accesses = chosen.iter().map(Statement::accesses).sum::<u128>();
            let accesses = u64::try_from(accesses).unwrap_or(u64::MAX);
            return Ok(Nests::new(Reconstruction { nests: chosen, accesses }).into_pyobject(py)?.into_any());
        }
        let index: isize =
            index.extract().map_err(|_| PyTypeError::new_err("an index is an integer or a slice"))?;
        let at = if index < 0 { index.checked_add_unsigned(nests.len()) } else { Some(index) };
        let nest = at.and_then(|at| nests.get(usize::try_from(at).ok()?));
        object(py, nest.ok_or_else(|| PyIndexError::new_err("no nest of that index"))?)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let nests = self.found()?.nests.iter().map(|nest| object(py, nest));
        PyList::new(py, nests.collect::<PyResult<Vec<_>>>()?)?.try_iter()
    }

    /// The integers for NumPy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.found()?;
        array(py, &found.nests, found.accesses, dtype, copy)
    }

    /// The loops for people, as `loopwright reconstruct` prints them.
    fn to_text(&self) -> PyResult<String> {
        let found = self.found()?;
        if found.accesses == 0 {
            return Ok("# empty trace\n".to_owned());
        }
        Ok(format!("# {}\n{}", render::summary(found), render::text(&found.nests, Numbers::Signed)))
    }

    /// A C program that prints the integers.
    fn to_c(&self) -> PyResult<String> {
        Ok(render::c(&self.found()?.nests, Numbers::Signed))
    }

    /// isl notation: per nest its domain, its schedule and its access.
    fn to_isl(&self) -> PyResult<String> {
        Ok(render::isl(&self.found()?.nests, Numbers::Signed))
    }

    /// JSON, schema `loopwright.nest/1`.
    fn to_json(&self) -> PyResult<String> {
        let found = self.found()?;
        let (nests, accesses) = (&found.nests[..], found.accesses);
        let stream = render::Stream { id: "0", nests, accesses, bytes: codec::size(found), exceptions: &[] };
        Ok(render::json(&[stream], Numbers::Signed))
    }

    /// The integers, as an array of int64.
    fn expand<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let found = self.found()?;
        expanded(py, &found.nests, found.accesses)
    }

    /// The next integers that the online predictor expects after all of these.
    fn predict<'py>(&self, py: Python<'py>, k: i64) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let count = usize::try_from(k)
            .map_err(|_| PyValueError::new_err(format!("k is {k}; at least 0 is needed")))?;
        let found = self.found()?;
        let next = py.detach(|| {
            let mut predictor = Predictor::new();
            Runs::of(&found.nests).for_each(|run| {
                predictor.push_run(run);
            });
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
        let shown = render::text(&nests[..nests.len().min(SHOWN)], Numbers::Signed);
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
        .split_last_chunk()
        .is_some_and(|(content, &checksum)| u32::from_le_bytes(checksum) == crc32fast::hash(content));
    if !whole {
        return Err(damaged());
    }
    Ok(Nests { found: OnceLock::new(), packed: Mutex::new(state.to_vec()) })
}

/// The integers of statements, which are so many.
fn expanded<'py>(
    py: Python<'py>,
    statements: &[Statement],
    accesses: u64,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let values = py.detach(|| {
        let mut values: Vec<i64> = Vec::new();
        values.try_reserve_exact(usize::try_from(accesses).ok()?).ok()?;
        Runs::of(statements).for_each(|run| values.extend(run.values()));
        Some(values)
    });
    let values =
        values.ok_or_else(|| PyMemoryError::new_err(format!("no memory for {accesses} integers")))?;
    Ok(PyArray1::from_vec(py, values))
}

/// The same for NumPy's protocol.
fn array<'py>(
    py: Python<'py>,
    statements: &[Statement],
    accesses: u64,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    if copy == Some(false) {
        return Err(PyValueError::new_err("nests are no array; their integers are always made anew"));
    }
    let values = expanded(py, statements, accesses)?.into_any();
    match dtype {
        Some(dtype) => values.call_method1("astype", (dtype,)),
        None => Ok(values),
    }
}

/// A statement as an object.
fn object<'py>(py: Python<'py>, statement: &Statement) -> PyResult<Bound<'py, PyAny>> {
    Ok(match statement.clone() {
        Statement::Nest(nest) => Nest { nest }.into_pyobject(py)?.into_any(),
        Statement::Loop(of) => Loop { of }.into_pyobject(py)?.into_any(),
        Statement::Integers(packed) => Integers { packed }.into_pyobject(py)?.into_any(),
    })
}

/// A statement that stands in no loop.
fn alone(statement: &Statement, outer: usize) -> PyResult<&[Statement]> {
    match outer {
        0 => Ok(std::slice::from_ref(statement)),
        _ => Err(PyValueError::new_err("it stands in the body of a loop; ask the loop")),
    }
}

/// Number of integers as Python's `len` has it.
fn length(statements: &[Statement]) -> usize {
    usize::try_from(statements.iter().map(Statement::accesses).sum::<u128>()).unwrap_or(usize::MAX)
}

/// One loop nest with one access.
#[pyclass(frozen, eq, module = "loopwright")]
#[derive(PartialEq)]
pub struct Nest {
    nest: nest::Nest,
}

/// `(coefficients, constant, divisor)`.
type Bound3 = (Vec<i64>, i64, i64);

/// Lower and upper bounds of a loop.
fn level3(level: &nest::Level) -> (Vec<Bound3>, Vec<Bound3>) {
    let side = |bounds: &[nest::Bound]| {
        bounds.iter().map(|b| (b.coefficients.clone(), b.constant, b.divisor)).collect()
    };
    (side(&level.lower), side(&level.upper))
}

impl Nest {
    fn statement(&self) -> Statement {
        self.nest.clone().into()
    }
}

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
        self.nest.levels.iter().map(level3).collect()
    }

    /// Number of integers.
    #[getter]
    fn accesses(&self) -> PyResult<u128> {
        alone(&self.statement(), self.nest.outer())?;
        Ok(self.nest.accesses())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(length(alone(&self.statement(), self.nest.outer())?))
    }

    /// The integers for NumPy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let statement = self.statement();
        let alone = alone(&statement, self.nest.outer())?;
        array(py, alone, length(alone) as u64, dtype, copy)
    }

    /// A C program that prints the integers.
    fn to_c(&self) -> PyResult<String> {
        Ok(render::c(alone(&self.statement(), self.nest.outer())?, Numbers::Signed))
    }

    /// The loops for people.
    fn to_text(&self) -> String {
        render::part(&self.statement(), self.nest.outer())
    }

    fn __repr__(&self) -> String {
        let depth = self.nest.depth();
        let loops = format!("{depth} loop{}", if depth == 1 { "" } else { "s" });
        match self.nest.outer() {
            0 => format!("<Nest: {} integers, {loops}>", self.nest.accesses()),
            _ => format!("<Nest: {loops} in a body>"),
        }
    }

    fn __str__(&self) -> String {
        self.to_text()
    }

    fn _repr_html_(&self) -> String {
        format!("<pre>{}</pre>", escape::text(&self.to_text()))
    }
}

/// A loop around several statements.
#[pyclass(frozen, eq, module = "loopwright")]
#[derive(PartialEq)]
pub struct Loop {
    of: statement::Loop,
}

impl Loop {
    fn statement(&self) -> Statement {
        Statement::Loop(self.of.clone())
    }

    /// Number of loops around it.
    fn outer(&self) -> usize {
        self.of.level.upper.first().map_or(0, |bound| bound.coefficients.len())
    }
}

#[pymethods]
impl Loop {
    /// Number of loops inside each other, with this one.
    #[getter]
    fn depth(&self) -> usize {
        self.statement().depth()
    }

    /// Its lower and its upper bounds, each `(coefficients, constant, divisor)`.
    #[getter]
    fn level(&self) -> (Vec<Bound3>, Vec<Bound3>) {
        level3(&self.of.level)
    }

    /// What every iteration does, in order.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.of.body.iter().map(|inner| object(py, inner)).collect()
    }

    /// Number of integers.
    #[getter]
    fn accesses(&self) -> PyResult<u128> {
        let statement = self.statement();
        Ok(alone(&statement, self.outer())?.iter().map(Statement::accesses).sum())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(length(alone(&self.statement(), self.outer())?))
    }

    /// The integers for NumPy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let statement = self.statement();
        let alone = alone(&statement, self.outer())?;
        array(py, alone, length(alone) as u64, dtype, copy)
    }

    /// A C program that prints the integers.
    fn to_c(&self) -> PyResult<String> {
        Ok(render::c(alone(&self.statement(), self.outer())?, Numbers::Signed))
    }

    /// The loops for people.
    fn to_text(&self) -> String {
        render::part(&self.statement(), self.outer())
    }

    fn __repr__(&self) -> String {
        let (depth, body) = (self.depth(), self.of.body.len());
        format!("<Loop: {depth} loop{} deep, {body} statements>", if depth == 1 { "" } else { "s" })
    }

    fn __str__(&self) -> String {
        self.to_text()
    }

    fn _repr_html_(&self) -> String {
        format!("<pre>{}</pre>", escape::text(&self.to_text()))
    }
}

/// Integers that no loop describes.
#[pyclass(frozen, eq, module = "loopwright")]
#[derive(PartialEq)]
pub struct Integers {
    packed: packed::Packed,
}

#[pymethods]
impl Integers {
    /// Number of loops: none.
    #[getter]
    fn depth(&self) -> usize {
        0
    }

    /// Number of integers.
    #[getter]
    fn accesses(&self) -> u64 {
        self.packed.count()
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.packed.count()).unwrap_or(usize::MAX)
    }

    /// The integers for NumPy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        array(py, &[Statement::Integers(self.packed.clone())], self.packed.count(), dtype, copy)
    }

    /// A C program that prints the integers.
    fn to_c(&self) -> String {
        render::c(&[Statement::Integers(self.packed.clone())], Numbers::Signed)
    }

    /// The integers, a line each.
    fn to_text(&self) -> String {
        render::part(&Statement::Integers(self.packed.clone()), 0)
    }

    fn __repr__(&self) -> String {
        format!("<Integers: {}>", self.packed.count())
    }

    fn __str__(&self) -> String {
        self.to_text()
    }
}
