//! Several streams as one program, and nearly affine traces.

use ::reconstruct::approximate::{self, Approximation, Which};
use ::reconstruct::render::{self, Numbers};
use ::reconstruct::whole::{Combiner, Whole};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::Values;
use crate::nests::Nests;
use crate::search::{Search, Watch, interruptible};

/// Finds one program of several streams; see `loopwright/_native.pyi`.
#[pyfunction]
#[pyo3(signature = (streams, array, *, names=None, floors=false, max_depth=10, time_limit=None, threads=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are named in Python")]
pub fn whole(
    streams: &Bound<'_, PyAny>,
    array: &Bound<'_, PyAny>,
    names: Option<Vec<String>>,
    floors: bool,
    max_depth: i64,
    time_limit: Option<f64>,
    threads: Option<i64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Program> {
    let py = array.py();
    let search = Search::new(floors, max_depth, time_limit, threads)?.of_streams(1);
    let (streams, values) = (Values::of("streams", streams)?, Values::of("array", array)?);
    let (streams, values) = (streams.slice("streams")?, values.slice("array")?);
    let of = streams.checked(0).map_err(|error| error.error("streams"))?;
    let all = values.checked(0).map_err(|error| error.error("array"))?;
    if of.len() != all.len() {
        let (a, b) = (of.len(), all.len());
        return Err(PyValueError::new_err(format!(
            "streams has {a} integers and array {b}; as many are needed"
        )));
    }
    let mut combiner = Combiner::new(&search.options);
    for (&stream, &value) in of.iter().zip(all) {
        let index = usize::try_from(stream).ok().filter(|_| stream <= u32::MAX.into());
        let index = index.ok_or_else(|| {
            PyValueError::new_err(format!("streams: {stream} is no number of a stream, from 0"))
        })?;
        combiner.push(index, &[value]);
    }
    let known = combiner.streams();
    let names = match names {
        Some(names) if names.len() < known => {
            let given = names.len();
            return Err(PyValueError::new_err(format!("names has {given} names; {known} are needed")));
        }
        Some(names) => names,
        None => (0..known).map(|stream| stream.to_string()).collect(),
    };
    let mut watch = Watch::new(progress, all.len());
    let found = interruptible(py, &search.stop, &mut watch, move || combiner.finish())?;
    Ok(Program { whole: found.map_err(|error| PyValueError::new_err(error.to_string()))?, names })
}

/// A program that makes the accesses of several streams in their order.
#[pyclass(frozen, eq, module = "loopwright")]
#[derive(PartialEq)]
pub struct Program {
    whole: Whole,
    names: Vec<String>,
}

#[pymethods]
impl Program {
    /// Number of accesses.
    #[getter]
    fn accesses(&self) -> u64 {
        self.whole.accesses
    }

    /// What the streams are called.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// The loops for people.
    fn to_text(&self) -> String {
        self.whole.text(&self.names)
    }

    /// A C program that prints the accesses.
    fn to_c(&self) -> String {
        self.whole.c(&self.names)
    }

    /// isl notation.
    fn to_isl(&self) -> String {
        self.whole.isl(&self.names)
    }

    /// Streams and integers, in order.
    fn expand<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>) {
        let (streams, values) = py.detach(|| {
            let mut out = (Vec::new(), Vec::new());
            self.whole.accesses(&mut |stream, value| {
                out.0.push(stream as i64);
                out.1.push(value);
                true
            });
            out
        });
        (PyArray1::from_vec(py, streams), PyArray1::from_vec(py, values))
    }

    fn __repr__(&self) -> String {
        format!("<Program: {} accesses of {} streams, exact>", self.whole.accesses, self.names.len())
    }

    fn __str__(&self) -> String {
        self.to_text()
    }
}

/// Finds the nests of a nearly affine array; see `loopwright/_native.pyi`.
#[pyfunction]
#[pyo3(name = "approximate", signature = (array, share, *, floors=false, max_depth=10, time_limit=None, threads=None, progress=None))]
pub fn approximate_array(
    array: &Bound<'_, PyAny>,
    share: f64,
    floors: bool,
    max_depth: i64,
    time_limit: Option<f64>,
    threads: Option<i64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Approximate> {
    if !(0.0..=1.0).contains(&share) {
        return Err(PyValueError::new_err(format!("share is {share}; 0 to 1 are possible")));
    }
    let search = Search::new(floors, max_depth, time_limit, threads)?.of_streams(1);
    let values = Values::of("array", array)?;
    let values = values.slice("array")?.checked(0).map_err(|error| error.error("array"))?.to_vec();
    let mut watch = Watch::new(progress, values.len());
    let options = search.options.clone();
    let work = move || approximate::approximate(&values, share, &options);
    Ok(Approximate(interruptible(array.py(), &search.stop, &mut watch, work)?))
}

/// A trace that is regular but for exceptions.
#[pyclass(frozen, eq, module = "loopwright")]
#[derive(PartialEq)]
pub struct Approximate(Approximation);

#[pymethods]
impl Approximate {
    /// The nests of the regular trace.
    #[getter]
    fn nests(&self) -> Nests {
        Nests::new(self.0.regular.clone())
    }

    /// Per exception its place in the regular trace, its kind, and the integer there.
    #[getter]
    fn exceptions(&self) -> Vec<(u64, &'static str, Option<i64>)> {
        let one = |e: &approximate::Exception| (e.place, Which::of(e.change).name(), e.change.integer());
        self.0.exceptions.iter().map(one).collect()
    }

    /// Number of integers.
    #[getter]
    fn accesses(&self) -> u64 {
        self.0.accesses
    }

    /// The integers, exceptions included.
    fn expand<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let values = py.detach(|| {
            let mut out = Vec::new();
            self.0.integers(&mut |value| {
                out.push(value);
                true
            });
            out
        });
        PyArray1::from_vec(py, values)
    }

    /// A C program that prints the integers, exceptions included.
    fn to_c(&self) -> String {
        render::c_with_exceptions(&self.0.regular.nests, &self.0.exceptions, Numbers::Signed)
    }

    fn __repr__(&self) -> String {
        format!("<Approximate: {}>", render::summary_with_exceptions(&self.0))
    }
}
