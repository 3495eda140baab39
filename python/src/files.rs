//! Compressed traces, chunks of long streams, and traces on disk.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::reconstruct::chunk;
use ::reconstruct::codec::{self, Stored};
use ::reconstruct::cursor::Runs;
use ::reconstruct::run::Run;
use ::reconstruct::statement::Statement;
use ::reconstruct::stream::{Reconstruction, Reconstructor};
use numpy::PyArray1;
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use trace::accesses::{Accesses, Kind, StreamId};
use trace::foreign::{self, ReadError};

use crate::arrays::{Values, os_error, refused};
use crate::nests::{self, Nests};
use crate::search::{Search, Watch, interruptible, push_all, shown, within};

/// An array as a compressed file; see `loopwright/_native.pyi`.
#[pyfunction]
#[pyo3(signature = (array, *, time_limit=None, threads=None, progress=None))]
pub fn compress<'py>(
    array: &Bound<'py, PyAny>,
    time_limit: Option<f64>,
    threads: Option<i64>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let search = Search::new(false, 10, time_limit, threads)?.of_streams(1);
    let found = nests::found(array, &search, progress)?;
    Ok(PyBytes::new(array.py(), &array.py().detach(|| encoded(&found))))
}

/// A file of one stream, or of none where there are no integers.
pub fn encoded(found: &Reconstruction) -> Vec<u8> {
    match found.accesses {
        0 => codec::encode::<codec::Id>(&[], None),
        _ => codec::encode(&[((0, 0), found)], None),
    }
}

/// The integers of a compressed file; see `loopwright/_native.pyi`.
#[pyfunction]
#[pyo3(signature = (data, *, stream=None))]
pub fn expand<'py>(
    py: Python<'py>,
    data: &[u8],
    stream: Option<&str>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let file = py.detach(|| codec::decode(data)).map_err(|error| damaged("data", &error))?;
    let ids: Vec<String> = file.streams.iter().map(id_of).collect();
    let chosen = match (stream, &file.streams[..]) {
        (None, []) => return Ok(PyArray1::from_vec(py, Vec::new())),
        (None, [one]) => one,
        (None, several) => {
            return Err(PyValueError::new_err(format!(
                "data has {} streams; choose one with stream: {}",
                several.len(),
                ids.join(", ")
            )));
        }
        (Some(id), all) => {
            let at = ids.iter().position(|other| other == id);
            let missing = || PyValueError::new_err(format!("stream: data has no stream {id}"));
            at.map(|at| &all[at]).ok_or_else(missing)?
        }
    };
    let values = py.detach(|| values(&chosen.statements, chosen.accesses));
    let values = values
        .ok_or_else(|| PyMemoryError::new_err(format!("no memory for {} integers", chosen.accesses)))?;
    Ok(PyArray1::from_vec(py, values))
}

fn id_of(stream: &Stored) -> String {
    match stream.id.name.is_empty() {
        true => StreamId { number: stream.id.number, kind: Kind::of(stream.id.kind).unwrap_or_default() }
            .to_string(),
        false => stream.id.name.clone(),
    }
}

/// The integers of statements that should be so many; `None` without memory for them.
fn values(statements: &[Statement], accesses: u64) -> Option<Vec<i64>> {
    let mut out: Vec<i64> = Vec::new();
    out.try_reserve_exact(usize::try_from(accesses).ok()?).ok()?;
    for run in Runs::of(statements) {
        out.try_reserve(usize::try_from(run.count).ok()?).ok()?;
        out.extend(run.values());
    }
    Some(out)
}

fn damaged(argument: &str, error: &codec::DecodeError) -> PyErr {
    PyValueError::new_err(format!("{argument}: {error}"))
}

/// Folds one chunk of a stream.
#[pyclass(module = "loopwright")]
#[derive(Default)]
pub struct Chunker {
    chunk: chunk::Chunker,
}

#[pymethods]
impl Chunker {
    #[new]
    fn new() -> Chunker {
        Chunker::default()
    }

    /// Takes the next integers.
    fn push(&mut self, array: &Bound<'_, PyAny>) -> PyResult<()> {
        let values = Values::of("array", array)?;
        let slice = values.slice("array")?;
        let mut watch = Watch::new(None, slice.values.len());
        push_all(array.py(), ("array", slice, self.chunk.accesses()), &mut watch, |part| {
            self.chunk.push(part)
        })
    }

    /// Number of integers so far.
    #[getter]
    fn accesses(&self) -> u64 {
        self.chunk.accesses()
    }

    /// The chunk as bytes; a new one begins.
    fn finish<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let chunk = std::mem::take(&mut self.chunk);
        PyBytes::new(py, &py.detach(|| chunk.finish()))
    }
}

/// The nests of a stream from its chunks; see `loopwright/_native.pyi`.
#[pyfunction]
#[pyo3(signature = (chunks, *, streams=1, floors=false, max_depth=10, time_limit=None, threads=None, progress=None))]
pub fn join(
    chunks: &Bound<'_, PyAny>,
    streams: i64,
    floors: bool,
    max_depth: i64,
    time_limit: Option<f64>,
    threads: Option<i64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Nests> {
    let py = chunks.py();
    let streams = within("streams", streams, i64::MAX)?;
    let search = Search::new(floors, max_depth, time_limit, threads)?.of_streams(streams);
    let mut all = Reconstructor::new(search.options.clone());
    let mut watch = Watch::new(progress, chunks.len().unwrap_or(0));
    for (at, chunk) in chunks.try_iter()?.enumerate() {
        let chunk = chunk?;
        let bytes: &Bound<'_, PyBytes> = chunk.cast().map_err(|_| {
            PyTypeError::new_err(format!("chunks: number {at} is no bytes, as Chunker.finish gives them"))
        })?;
        let bytes = bytes.as_bytes();
        py.detach(|| chunk::append(bytes, &mut all))
            .map_err(|error| damaged(&format!("chunks: number {at}"), &error))?;
        watch.look(py, at)?;
    }
    Ok(Nests::new(search.finish(py, all, &mut watch)?))
}

/// The streams of a trace as chunks; see `loopwright/_native.pyi`.
#[pyfunction]
pub fn trace_chunks(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let stop = Arc::new(AtomicBool::new(false));
    let (of, from) = (shown(&path), Stoppable::open(&path, stop.clone()));
    let from = from.map_err(|error| os_error(&of, &error))?;
    let mut watch = Watch::new(None, 0);
    let chunks = interruptible(py, &stop, &mut watch, move || chunks(from))?;
    let out = PyDict::new(py);
    for (id, chunk) in chunks.map_err(|error| refused(&of, error))? {
        out.set_item(id, PyBytes::new(py, &chunk))?;
    }
    Ok(out)
}

/// The streams of a trace in order of appearance.
fn chunks(from: Stoppable) -> Result<Vec<(String, Vec<u8>)>, ReadError> {
    let mut from = BufReader::with_capacity(1 << 18, from);
    let format = foreign::guess(head(from.fill_buf()?))?;
    let mut streams = Streams::default();
    foreign::read(format, &mut from, &mut streams)?;
    if streams.unsigned {
        return Err(ReadError::Unsigned);
    }
    let names = streams.names;
    let name = |id: StreamId| names.get(&id).cloned().unwrap_or_else(|| id.to_string());
    Ok(streams.list.into_iter().map(|(id, chunk)| (name(id), chunk.finish())).collect())
}

/// What a format is guessed from, as on the command line.
fn head(buffer: &[u8]) -> &[u8] {
    &buffer[..buffer.len().min(1 << 12)]
}

/// A chunk per stream.
#[derive(Default)]
struct Streams {
    indices: HashMap<StreamId, usize>,
    list: Vec<(StreamId, chunk::Chunker)>,
    names: HashMap<StreamId, String>,
    unsigned: bool,
}

impl Streams {
    fn of(&mut self, id: StreamId) -> &mut chunk::Chunker {
        let at = *self.indices.entry(id).or_insert_with(|| {
            self.list.push((id, chunk::Chunker::default()));
            self.list.len() - 1
        });
        &mut self.list[at].1
    }
}

impl Accesses for Streams {
    fn values(&mut self, stream: StreamId, values: &[i64]) {
        if !values.is_empty() {
            self.of(stream).push(values);
        }
    }

    fn run(&mut self, stream: StreamId, start: i64, stride: i64, count: u64) {
        self.of(stream).push_run(Run { start, stride, count });
    }

    fn size(&mut self, stream: StreamId, _bytes: u32) {
        self.of(stream);
    }

    fn named(&mut self, stream: StreamId, name: &str) {
        self.names.insert(stream, name.to_owned());
    }

    fn unsigned(&mut self) {
        self.unsigned = true;
    }
}

/// A file that fails to be read as soon as nobody wants it any more.
struct Stoppable {
    from: File,
    stop: Arc<AtomicBool>,
}

impl Stoppable {
    fn open(path: &Path, stop: Arc<AtomicBool>) -> io::Result<Stoppable> {
        let from = File::open(path)?;
        if from.metadata()?.is_dir() {
            return Err(io::Error::from_raw_os_error(IS_A_DIRECTORY));
        }
        Ok(Stoppable { from, stop })
    }
}

/// `EISDIR`.
const IS_A_DIRECTORY: i32 = 21;

impl Read for Stoppable {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            // Not of the kind `Interrupted`, which readers try again.
            return Err(io::Error::other("interrupted"));
        }
        self.from.read(to)
    }
}
