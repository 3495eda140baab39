//! CUDA's compiler, and whether there is a GPU that its programs run on.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use source::program;

use super::NotRun;
use super::build::{Failure, output};

/// Options for kernels: numbers are computed as the processor does, by code for the GPU that is there.
pub const KERNELS: [&str; 3] = ["-fmad=false", "-arch=native", "-w"];
/// Options for linking a caller with its kernels: functions that are not there matter only if they are called.
pub const LINKED: [&str; 4] = ["-Xcompiler", "-no-pie", "-Xlinker", "--unresolved-symbols=ignore-all"];
/// Where CUDA is installed unless something else is said.
const USUAL: &str = "/usr/local/cuda";
/// Ends well if there is a GPU.
const PROBE: &str = "#include <cuda_runtime.h>
int main(void)
{
    int devices = 0;
    return cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0;
}
";

/// CUDA on a machine with a GPU.
pub(super) struct Cuda {
    nvcc: PathBuf,
}

impl Cuda {
    /// That of this machine: in `PATH`, `CUDA_HOME` or where it usually is. `directory` is for files that are needed for a while.
    pub(super) fn find(directory: &Path) -> Result<Cuda, Failure> {
        let home = std::env::var_os("CUDA_HOME").map(PathBuf::from);
        let homes = home.into_iter().chain([PathBuf::from(USUAL)]);
        let nvcc = program::find(["nvcc".to_owned()])
            .or_else(|| homes.map(|home| home.join("bin/nvcc")).find(|nvcc| nvcc.is_file()))
            .ok_or(Failure::Missing(NotRun::Nvcc))?;
        let (source, probe) = (directory.join("probe.c"), directory.join("probe"));
        let missing = |why: String| Failure::Missing(NotRun::Missing(why));
        std::fs::write(&source, PROBE).map_err(|error| missing(error.to_string()))?;
        output(Command::new(&nvcc).arg(&source).arg("-o").arg(&probe)).map_err(|failure| match failure {
            Failure::Compiler(said) => missing(format!("nvcc does not compile a small program: {said}")),
            missing @ Failure::Missing(_) => missing,
        })?;
        let mut run = Command::new(&probe);
        let status = run.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(Failure::Missing(NotRun::Gpu));
        }
        Ok(Cuda { nvcc })
    }

    /// Compiles kernels.
    pub(super) fn compiled(&self, kernels: &Path, object: &Path) -> Command {
        let mut nvcc = Command::new(&self.nvcc);
        nvcc.args(KERNELS).arg("-c").arg(kernels).arg("-o").arg(object);
        nvcc
    }

    /// Makes a program of these files.
    pub(super) fn linked(&self, objects: &[&Path], program: &Path) -> Command {
        let mut nvcc = Command::new(&self.nvcc);
        nvcc.args(LINKED).args(objects).arg("-o").arg(program).arg("-lm");
        nvcc
    }
}
