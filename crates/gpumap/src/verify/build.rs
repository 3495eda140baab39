//! Programs: how they are compiled, and runs of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use source::program;

use super::cuda::Cuda;
use super::program::{Change, write};
use super::{Check, NotRun};
use crate::emit::KernelLanguage;

/// Options for callers, of clang and gcc: floating-point numbers are computed as they are written.
pub const COMPILED: [&str; 4] = ["-O1", "-g0", "-w", "-ffp-contract=off"];
/// Options for the linker: functions that are not there matter only if they are called.
const LINKED: [&str; 2] = ["-no-pie", "-Wl,--unresolved-symbols=ignore-all"];
/// A device with memory of its own.
const OPENMP: [&str; 2] = ["-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu"];
/// A run that takes longer has failed.
const LONGEST: Duration = Duration::from_secs(30);

/// Why there is no program.
pub(super) enum Failure {
    /// A compiler refuses it.
    Compiler(String),
    /// Something else is missing.
    Missing(NotRun),
}

/// How a run ended.
pub(super) enum Ended {
    /// Well, after it printed this.
    Well(String),
    Failed,
}

/// A program.
pub(super) struct Built {
    directory: tempfile::TempDir,
    /// Where libraries of the device are.
    libraries: Option<PathBuf>,
}

impl Built {
    pub(super) fn new(of: Check<'_>, change: Option<&Change>) -> Result<Built, Failure> {
        let missing = |error: std::io::Error| Failure::Missing(NotRun::Missing(error.to_string()));
        let directory = tempfile::tempdir().map_err(missing)?;
        let files = write(directory.path(), of, change).map_err(missing)?;
        let at = |name: &str| directory.path().join(name);
        let own = of.file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut clang = Command::new(of.clang);
        clang.args(of.options).args(COMPILED).arg("-I").arg(own).arg(at(files.caller));
        let is_cuda = matches!(change, Some(Change::Kernel { language: KernelLanguage::Cuda, .. }));
        match files.kernels {
            Some(kernels) if is_cuda => {
                let cuda = Cuda::find(directory.path())?;
                output(clang.args(["-fno-openmp", "-c", "-o"]).arg(at("caller.o")))?;
                output(&mut cuda.compiled(&at(kernels), &at("kernels.o")))?;
                output(&mut cuda.linked(&[&at("caller.o"), &at("kernels.o")], &at("program")))?;
                return Ok(Built { directory, libraries: None });
            }
            Some(kernels) => {
                let mut host = Command::new(of.clang);
                host.args(["-O1", "-w", "-x", "c", "-c"]).arg(at(kernels)).arg("-o").arg(at("kernels.o"));
                output(&mut host)?;
                clang.arg("-fno-openmp").arg(at("kernels.o")).arg("-lOpenCL");
            }
            None if change.is_some() => drop(clang.args(OPENMP)),
            None => drop(clang.arg("-fno-openmp")),
        }
        if of.is_cpp() {
            clang.arg("-lstdc++");
        }
        output(clang.args(LINKED).arg("-o").arg(at("program")).arg("-lm"))?;
        let libraries = match change {
            Some(Change::Directive { .. }) => {
                let found = output(Command::new(of.clang).arg("-print-file-name=libomptarget.so"))?;
                let found = PathBuf::from(String::from_utf8_lossy(&found).trim());
                found.parent().map(Path::to_owned)
            }
            _ => None,
        };
        Ok(Built { directory, libraries })
    }

    /// Runs it on the inputs of a number.
    pub(super) fn run(&self, seed: u32) -> Ended {
        let at = |name: &str| self.directory.path().join(name);
        let Ok(printed) = std::fs::File::create(at("printed")) else { return Ended::Failed };
        let mut command = Command::new(at("program"));
        command.arg(seed.to_string()).stdin(Stdio::null()).stdout(printed).stderr(Stdio::null());
        command.env("POCL_CACHE_DIR", self.directory.path()).env("OMP_TARGET_OFFLOAD", "MANDATORY");
        // What freed memory holds must not look right by chance.
        command.env("MALLOC_PERTURB_", "165").env("OMP_NUM_THREADS", "4");
        if let Some(libraries) = &self.libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        let Ok(mut child) = command.spawn() else { return Ended::Failed };
        let start = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if start.elapsed() < LONGEST => std::thread::sleep(Duration::from_millis(5)),
                _ => {
                    // It may have ended meanwhile.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Ended::Failed;
                }
            }
        };
        match std::fs::read_to_string(at("printed")) {
            Ok(text) if status.success() => Ended::Well(text),
            _ => Ended::Failed,
        }
    }
}

/// Runs a compiler; gives what it prints.
pub(super) fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    program::output(command).map_err(|failure| match failure {
        program::Failure::Start(error) => Failure::Missing(NotRun::Missing(error.to_string())),
        program::Failure::Said(said) => {
            let line = said.lines().find(|line| line.contains("error")).unwrap_or("no reason given");
            // The names of files are of a place that is gone.
            let named = ["source.", "kernels."].into_iter().find_map(|name| line.split_once(name));
            Failure::Compiler(named.map_or(line, |(_, rest)| rest).to_owned())
        }
    })
}
