//! NumPy arrays of 64-bit integers as slices, without a copy.
//!
//! Unsigned integers are addresses and must fit 63 bits, since results are arrays of signed ones. An array must not be
//! changed by others while it is read; NumPy has no means to forbid it.

use numpy::{PyArrayDescrMethods, ndarray};
use numpy::{PyReadonlyArray, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods, dtype};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use trace::foreign::ReadError;

/// A one-dimensional array of integers.
pub enum Values<'py> {
    /// `int64`.
    Signed(PyReadonlyArray1<'py, i64>),
    /// `uint64`.
    Unsigned(PyReadonlyArray1<'py, u64>),
}

/// Integers where they lie.
#[derive(Clone, Copy)]
pub struct Slice<'a> {
    /// The integers; those that do not fit 63 bits of an unsigned array are negative.
    pub values: &'a [i64],
    unsigned: bool,
}

impl<'py> Values<'py> {
    /// An argument as an array.
    pub fn of(argument: &str, object: &Bound<'py, PyAny>) -> PyResult<Values<'py>> {
        let array = untyped(argument, object)?;
        if array.ndim() != 1 {
            let dims = array.ndim();
            return Err(PyValueError::new_err(format!(
                "{argument} has {dims} dimensions; an array of one is needed, see numpy.ravel"
            )));
        }
        if array.dtype().is_equiv_to(&dtype::<i64>(object.py())) {
            return Ok(Values::Signed(object.extract()?));
        }
        if array.dtype().is_equiv_to(&dtype::<u64>(object.py())) {
            return Ok(Values::Unsigned(object.extract()?));
        }
        Err(wrong_dtype(argument, array))
    }

    /// The integers, where the array is contiguous.
    pub fn slice(&self, argument: &str) -> PyResult<Slice<'_>> {
        let (values, unsigned) = match self {
            Values::Signed(array) => (array.as_slice().ok(), false),
            Values::Unsigned(array) => (array.as_slice().ok().map(bytemuck::cast_slice), true),
        };
        let values = values.ok_or_else(|| not_contiguous(argument))?;
        Ok(Slice { values, unsigned })
    }
}

/// An unsigned integer that a signed one of 64 bits cannot hold.
#[derive(Debug, Clone, Copy)]
pub struct TooLarge {
    index: u64,
    value: u64,
}

impl TooLarge {
    /// As an exception about an argument.
    pub fn error(self, argument: &str) -> PyErr {
        let TooLarge { index, value } = self;
        PyValueError::new_err(format!("{argument}: integer {index} (from 0) is {value}, beyond 2^63 - 1"))
    }
}

impl<'a> Slice<'a> {
    /// Some consecutive integers, the first of which has this position.
    pub fn part(&self, from: usize, count: usize) -> Slice<'a> {
        let end = from.saturating_add(count).min(self.values.len());
        Slice { values: &self.values[from.min(end)..end], unsigned: self.unsigned }
    }

    /// The integers of a part that begins at this position of the whole.
    ///
    /// # Errors
    /// If an unsigned one does not fit 63 bits.
    pub fn checked(&self, position: u64) -> Result<&'a [i64], TooLarge> {
        let wrong = if self.unsigned { self.values.iter().position(|&value| value < 0) } else { None };
        match wrong {
            None => Ok(self.values),
            Some(at) => Err(TooLarge { index: position + at as u64, value: self.values[at].cast_unsigned() }),
        }
    }
}

/// An argument as a two-dimensional array of `int64`, in C order.
pub fn table<'py>(
    argument: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<PyReadonlyArray<'py, i64, ndarray::Ix2>> {
    let array = untyped(argument, object)?;
    if array.ndim() != 2 {
        let dims = array.ndim();
        return Err(PyValueError::new_err(format!(
            "{argument} has {dims} dimensions; an array of two is needed, see numpy.reshape"
        )));
    }
    if !array.dtype().is_equiv_to(&dtype::<i64>(object.py())) {
        let found = array.dtype();
        return Err(PyTypeError::new_err(format!(
            "{argument} is an array of {found}; int64 is needed, see numpy.ndarray.astype"
        )));
    }
    if !array.is_c_contiguous() || !array.is_aligned() {
        return Err(not_contiguous(argument));
    }
    object.extract()
}

fn untyped<'a, 'py>(
    argument: &str,
    object: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, PyUntypedArray>> {
    object.cast::<PyUntypedArray>().map_err(|_| {
        let kind = object.get_type();
        let kind = kind.name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("{argument} is a {kind}; a NumPy array of int64 or uint64 is needed"))
    })
}

fn wrong_dtype(argument: &str, array: &Bound<'_, PyUntypedArray>) -> PyErr {
    let found = array.dtype();
    PyTypeError::new_err(format!(
        "{argument} is an array of {found}; int64 or uint64 is needed, see numpy.ndarray.astype"
    ))
}

fn not_contiguous(argument: &str) -> PyErr {
    PyValueError::new_err(format!("{argument} is not contiguous; see numpy.ascontiguousarray"))
}

/// What is wrong with a trace, as an exception.
pub fn refused(of: &str, error: ReadError) -> PyErr {
    match error {
        ReadError::Io(error) => os_error(of, &error),
        error => PyValueError::new_err(format!("{of}: {error}")),
    }
}

/// What the system refused, as an `OSError` or its kind for the error number.
pub fn os_error(path: &str, error: &std::io::Error) -> PyErr {
    use pyo3::exceptions::PyOSError;
    let said = error.to_string();
    match error.raw_os_error() {
        Some(number) => {
            let said = said.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, said, path.to_owned()))
        }
        None => PyOSError::new_err(format!("{path}: {said}")),
    }
}
