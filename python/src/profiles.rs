//! Profiles and the reports on them.

use std::path::PathBuf;

use ::tables::Name;
use profile::file::{self, FileError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use report::html::Sources;
use report::polyhedral::Program;
use report::{Report, flamegraph, html, isl, text, wire};

use crate::arrays::os_error;
use crate::search::{shown, within};
use crate::tables::{Table, refused};

/// A profile; `loopwright.Profile` adds what Python's own libraries do.
#[pyclass(frozen, subclass, module = "loopwright._native")]
pub struct Profile {
    profile: profile::Profile,
}

#[pymethods]
impl Profile {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Profile> {
        let profile = py.detach(|| file::read(&path)).map_err(|error| match error {
            FileError::Io { path, source } => os_error(&shown(&path), &source),
            error => PyValueError::new_err(error.to_string()),
        })?;
        Ok(Profile { profile })
    }

    /// Command line of the program that ran.
    #[getter]
    fn command(&self) -> Vec<String> {
        self.profile.program.argv.clone()
    }

    /// Loops of the source, as the JSON report has them.
    #[getter]
    fn loops(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, Name::Loops)
    }

    /// Nests of loops, as the JSON report has them.
    #[getter]
    fn nests(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, Name::Nests)
    }

    /// Instructions in their contexts, with their iterations.
    #[getter]
    fn statements(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, Name::Statements)
    }

    /// Memory operands, with their addresses.
    #[getter]
    fn accesses(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, Name::Accesses)
    }

    /// Dependences between statements.
    #[getter]
    fn dependences(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, Name::Dependences)
    }

    /// The summary that `loopwright report` prints.
    #[pyo3(signature = (*, top=12))]
    fn to_text(&self, py: Python<'_>, top: i64) -> PyResult<String> {
        let top = within("top", top, i64::MAX)?;
        Ok(self.reported(py, |report| text::summary(report, text::Options { top, colour: false })))
    }

    /// The report for programs, schema `loopwright.report/1`.
    fn to_json(&self, py: Python<'_>) -> String {
        self.reported(py, wire::json)
    }

    /// The report as one page, without texts of source files.
    #[pyo3(signature = (*, top=12))]
    fn to_html(&self, py: Python<'_>, top: i64) -> PyResult<String> {
        let options = html::Options { nests: within("top", top, i64::MAX)? };
        Ok(self.reported(py, |report| html::page(report, &Sources::new(), options)))
    }

    /// The schedule tree as a flame graph.
    fn to_svg(&self, py: Python<'_>) -> PyResult<String> {
        let drawn = self.reported(py, |report| flamegraph::svg(report).map_err(|error| error.to_string()));
        drawn.map_err(PyValueError::new_err)
    }

    /// The polyhedral program in isl notation, one assignment a line.
    #[pyo3(signature = (function=None))]
    fn to_isl(&self, py: Python<'_>, function: Option<&str>) -> PyResult<String> {
        if let Some(name) = function.filter(|name| !self.profile.functions.iter().any(|f| f.name == *name)) {
            return Err(PyValueError::new_err(format!("function: no function of that name ran: {name}")));
        }
        if !self.profile.further_runs.is_empty() {
            let why = "a merged profile: polyhedral programs are of one run, so give the profile of one";
            return Err(PyValueError::new_err(why));
        }
        Ok(py.detach(|| isl::text(&Program::of(&self.profile, function))))
    }

    fn __repr__(&self) -> String {
        let trust = &self.profile.trust;
        let command = self.profile.program.argv.join(" ");
        format!("<Profile of {command}: {} instructions recorded>", trust.instructions)
    }
}

impl Profile {
    fn table(&self, py: Python<'_>, name: Name) -> PyResult<Table> {
        self.reported(py, |report| Table::of(report, name)).map_err(|error| refused(&error))
    }

    /// What is made of the report, while others may run.
    fn reported<T: Send>(&self, py: Python<'_>, make: impl FnOnce(&Report<'_>) -> T + Send) -> T {
        py.detach(|| make(&report::report(&self.profile)))
    }
}
