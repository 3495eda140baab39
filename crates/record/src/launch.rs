//! Finding the program and saying what is wrong with it before anything is started.

use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::Config;
use crate::error::Error;
use crate::start::{Launch, StartError};

/// Starts the configured program, traced with these options if there are any: it then has stopped in `execve`. Returns its
/// process id.
pub(crate) fn start(config: &Config, traced: Option<i32>) -> Result<i32, Error> {
    let path = find(&config.program)?;
    check(&path, 0)?;
    let string = |bytes: Vec<u8>| CString::new(bytes).map_err(|_| Error::ZeroByte);
    let argv = if config.args.is_empty() {
        vec![string(config.program.as_os_str().as_bytes().to_vec())?]
    } else {
        config.args.iter().map(|a| string(a.clone().into_vec())).collect::<Result<_, _>>()?
    };
    let launch = Launch::new(string(path.as_os_str().as_bytes().to_vec())?, argv, environment(config)?)
        .streams(config.input.clone(), config.silent);
    launch.start(traced).map_err(|error| failed(error, path))
}

fn failed(error: StartError, path: PathBuf) -> Error {
    match error {
        StartError::Fork(source) => Error::Setup { what: "start a process", source },
        StartError::Trace(source) => Error::TraceForbidden(source),
        StartError::Execute(source) => Error::Start { path, source },
    }
}

/// Starts another program in place of the configured one, untraced, with these arguments, its own name first, and these
/// descriptors beside the standard streams. Returns its process id.
///
/// # Errors
/// If it cannot be started, or an argument contains a zero byte.
pub fn start_other(
    config: &Config,
    path: &Path,
    arguments: Vec<OsString>,
    descriptors: Vec<RawFd>,
) -> Result<i32, Error> {
    let string = |bytes: Vec<u8>| CString::new(bytes).map_err(|_| Error::ZeroByte);
    let argv = arguments.into_iter().map(|a| string(a.into_vec())).collect::<Result<_, _>>()?;
    let launch = Launch::new(string(path.as_os_str().as_bytes().to_vec())?, argv, environment(config)?)
        .streams(config.input.clone(), config.silent)
        .handing_on(descriptors);
    launch.start(None).map_err(|error| failed(error, path.to_owned()))
}

/// What the program finds in its environment: what this process has, with the changes asked for.
fn environment(config: &Config) -> Result<Vec<CString>, Error> {
    let is_changed = |name: &OsString| config.environment.iter().any(|(other, _)| other == name);
    let own = std::env::vars_os().filter(|(name, _)| !is_changed(name));
    let line = |(mut name, value): (OsString, OsString)| {
        name.push("=");
        name.push(value);
        CString::new(name.into_vec()).map_err(|_| Error::ZeroByte)
    };
    own.chain(config.environment.iter().cloned()).map(line).collect()
}

/// The file a program name stands for: itself if it contains a slash, else the first match in PATH.
///
/// # Errors
/// If there is none.
pub fn find(program: &Path) -> Result<PathBuf, Error> {
    if program.as_os_str().as_bytes().contains(&b'/') {
        return Ok(program.to_owned());
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    std::env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|file| file.is_file() && is_executable(file))
        .ok_or_else(|| Error::NotFound(program.to_owned()))
}

fn is_executable(path: &Path) -> bool {
    let Ok(name) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: the name is a null-terminated string.
    unsafe { libc::access(name.as_ptr(), libc::X_OK) == 0 }
}

/// The interpreter that runs a program, if that is a script.
///
/// # Errors
///
/// Those of a program that cannot be started.
pub fn interpreter(program: &Path) -> Result<Option<PathBuf>, Error> {
    check(&find(program)?, 0)
}

/// Whether a file can be started; the interpreter if it is a script.
fn check(path: &Path, depth: u32) -> Result<Option<PathBuf>, Error> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Error::NotFound(path.to_owned()),
        io::ErrorKind::PermissionDenied => Error::NotExecutable(path.to_owned()),
        _ => Error::Start { path: path.to_owned(), source },
    };
    let metadata = fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() || !is_executable(path) {
        return Err(Error::NotExecutable(path.to_owned()));
    }
    // A process that may do everything gains nothing from the bit, and the kernel keeps tracing it.
    if metadata.mode() & 0o6000 != 0 && !is_root() {
        return Err(Error::SetUserId(path.to_owned()));
    }
    let mut head = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(256).read_to_end(&mut head).map_err(failed)?,
        // Executable but not readable: the kernel decides.
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        Err(e) => return Err(failed(e)),
    };
    if let Some(line) = head.strip_prefix(b"#!") {
        let line = line.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii();
        let name = line.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
        let interpreter = PathBuf::from(std::ffi::OsStr::from_bytes(name));
        if name.is_empty() || !interpreter.exists() {
            return Err(Error::Interpreter { script: path.to_owned(), interpreter });
        }
        if depth < 4 {
            check(&interpreter, depth + 1)?;
        }
        return Ok(Some(interpreter));
    }
    check_elf(path, &head).map(|()| None)
}

fn is_root() -> bool {
    // SAFETY: no arguments, cannot fail.
    unsafe { libc::geteuid() == 0 }
}

/// Whether a file that begins like this is a program that can be recorded.
pub(crate) fn check_elf(path: &Path, head: &[u8]) -> Result<(), Error> {
    let path = path.to_owned();
    if head.len() < 20 || !head.starts_with(b"\x7fELF") {
        return Err(Error::NotElf(path));
    }
    let half = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
    let little = head[5] == 1;
    match (half(18), head[4]) {
        (62, 2) if little => {}
        (3, _) | (62, 1) => return Err(Error::Bits32(path)),
        (machine, _) => {
            let machine = if little { machine } else { machine.swap_bytes() };
            let name = match machine {
                8 => "MIPS",
                20 | 21 => "PowerPC",
                22 => "S/390",
                40 => "32-bit ARM",
                183 => "64-bit ARM",
                243 => "RISC-V",
                258 => "LoongArch",
                other => {
                    return Err(Error::Architecture { path, machine: format!("machine number {other}") });
                }
            };
            return Err(Error::Architecture { path, machine: name.to_owned() });
        }
    }
    match half(16) {
        2 | 3 => Ok(()),
        _ => Err(Error::NotProgram(path)),
    }
}
