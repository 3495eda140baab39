//! Tables of a profile, for whatever reads Arrow's PyCapsule interface: pandas, polars, pyarrow and others.

use ::tables::Name;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use report::Report;

/// A table of a profile.
#[pyclass(frozen, module = "loopwright._native")]
pub struct Table {
    batch: RecordBatch,
    name: Name,
}

impl Table {
    /// Of a report.
    pub fn of(report: &Report<'_>, name: Name) -> Result<Table, ::tables::Error> {
        Ok(Table { batch: ::tables::table(report, name)?, name })
    }
}

#[pymethods]
impl Table {
    /// The rows as a stream of the C data interface, named `arrow_array_stream`. A requested schema is a wish that need not
    /// be granted.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        let name = Name::ALL.iter().find(|all| all.1 == self.name).map_or("", |all| all.0);
        format!("<Table of {name}: {} rows, {} columns>", self.batch.num_rows(), self.batch.num_columns())
    }
}

/// Why there is no table, as an exception.
pub fn refused(error: &::tables::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
