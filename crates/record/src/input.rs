//! Standard input for a program that runs twice.
//!
//! Definition: a file is read again from where it stood. What comes once (a pipe, a socket, a terminal) is passed on to
//! the first run as it comes and kept in a temporary file without a name, from which the second run gets it; what the first
//! run left unread follows as it comes. Both runs then see a pipe. Anything else is left as it is.
//!
//! Invariant: a byte taken from standard input is in the file before a program sees it.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::thread::JoinHandle;

use crate::error::Error;
use crate::start;

/// Standard input of this process, to be given to programs one after the other.
#[derive(Debug)]
pub struct Input(Kind);

#[derive(Debug)]
enum Kind {
    /// Nothing to do.
    Same,
    /// A file, and where it stands.
    File(i64),
    Kept(Kept),
}

/// What came so far.
#[derive(Debug)]
struct Kept {
    file: File,
    length: u64,
    /// The end was seen.
    complete: bool,
}

/// A program's standard input while it runs.
#[derive(Debug)]
pub struct Feed {
    kind: Kind,
    read: Option<Arc<OwnedFd>>,
    pump: Option<Pump>,
}

#[derive(Debug)]
struct Pump {
    wake: OwnedFd,
    thread: JoinHandle<io::Result<Kept>>,
}

fn fail(what: &'static str) -> Error {
    Error::Setup { what, source: io::Error::last_os_error() }
}

fn pipe() -> Result<(OwnedFd, OwnedFd), Error> {
    start::pipe().map_err(|source| Error::Setup { what: "make a pipe for standard input", source })
}

impl Input {
    /// Looks at standard input.
    ///
    /// # Errors
    /// If no temporary file can be made.
    pub fn new() -> Result<Input, Error> {
        let mut status = MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: `status` has room for the result; an all-zero `stat` is valid.
        let status = unsafe {
            if libc::fstat(0, status.as_mut_ptr()) != 0 {
                return Ok(Input(Kind::Same));
            }
            status.assume_init()
        };
        // SAFETY: plain system calls on a descriptor number.
        let (position, terminal) = unsafe { (libc::lseek(0, 0, libc::SEEK_CUR), libc::isatty(0) == 1) };
        Ok(Input(match status.st_mode & libc::S_IFMT {
            libc::S_IFREG if position >= 0 => Kind::File(position),
            libc::S_IFIFO | libc::S_IFSOCK => Kind::Kept(Kept::new()?),
            libc::S_IFCHR if terminal => Kind::Kept(Kept::new()?),
            _ => Kind::Same,
        }))
    }

    /// Gives it, from its start, to a program about to be run.
    ///
    /// # Errors
    /// If the system has no pipe or thread left.
    pub fn feed(self) -> Result<Feed, Error> {
        let kept = match self.0 {
            Kind::Kept(kept) => kept,
            kind => {
                if let Kind::File(position) = kind {
                    // SAFETY: a plain system call on a descriptor number.
                    unsafe { libc::lseek(0, position, libc::SEEK_SET) };
                }
                return Ok(Feed { kind, read: None, pump: None });
            }
        };
        let (read, write) = pipe()?;
        let (woken, wake) = pipe()?;
        // SAFETY: sets a flag of a descriptor this function owns.
        if unsafe { libc::fcntl(write.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } != 0 {
            return Err(fail("set up the pipe for standard input"));
        }
        let thread = std::thread::Builder::new()
            .name("input".into())
            .spawn(move || kept.pump(write, &woken))
            .map_err(|source| Error::Setup { what: "start the thread for standard input", source })?;
        Ok(Feed { kind: Kind::Same, read: Some(Arc::new(read)), pump: Some(Pump { wake, thread }) })
    }
}

impl Feed {
    /// What the program is to read instead of this process's standard input, if anything.
    pub fn descriptor(&self) -> Option<Arc<OwnedFd>> {
        self.read.clone()
    }

    /// The program has ended.
    ///
    /// # Errors
    /// If what came could not be kept: the next program would miss it.
    pub fn end(self) -> Result<Input, Error> {
        drop(self.read);
        let Some(pump) = self.pump else { return Ok(Input(self.kind)) };
        // The thread sees the other end close.
        drop(pump.wake);
        let kept = pump.thread.join().map_err(|_| Error::Sink)?;
        kept.map(|kept| Input(Kind::Kept(kept)))
            .map_err(|source| Error::Setup { what: "keep standard input in a temporary file", source })
    }
}

impl Kept {
    fn new() -> Result<Kept, Error> {
        let path = std::env::temp_dir().join(format!("loopwright-input-{}", std::process::id()));
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|file| std::fs::remove_file(&path).map(|()| file));
        let file =
            file.map_err(|source| Error::Setup { what: "make a temporary file for standard input", source })?;
        Ok(Kept { file, length: 0, complete: false })
    }

    /// Writes everything kept so far, then what comes, until the end, the reader is gone, or `woken` is closed.
    fn pump(mut self, to: OwnedFd, woken: &OwnedFd) -> io::Result<Kept> {
        let mut written = 0u64;
        let mut chunk = vec![0u8; 1 << 16];
        while written < self.length || !self.complete {
            let waiting = written < self.length;
            let entry = |fd: i32, events: i16| libc::pollfd { fd, events, revents: 0 };
            let mut set = [
                entry(woken.as_raw_fd(), libc::POLLIN),
                entry(to.as_raw_fd(), if waiting { libc::POLLOUT } else { 0 }),
                entry(if waiting { -1 } else { 0 }, libc::POLLIN),
            ];
            // SAFETY: `set` is an array of as many entries as is said.
            if unsafe { libc::poll(set.as_mut_ptr(), set.len() as u64, -1) } < 0 {
                let error = io::Error::last_os_error();
                match error.kind() {
                    io::ErrorKind::Interrupted => continue,
                    _ => return Err(error),
                }
            }
            if set[0].revents != 0 || set[1].revents & libc::POLLERR != 0 {
                break;
            }
            if waiting {
                let n = self.file.read_at(&mut chunk, written)?.min((self.length - written) as usize);
                // SAFETY: `chunk` has `n` bytes.
                let n = unsafe { libc::write(to.as_raw_fd(), chunk.as_ptr().cast(), n) };
                match n {
                    0.. => written += n as u64,
                    _ if is_transient() => {}
                    _ => break,
                }
            } else if set[2].revents != 0 {
                // SAFETY: `chunk` has as many bytes as is said.
                let n = unsafe { libc::read(0, chunk.as_mut_ptr().cast(), chunk.len()) };
                match n {
                    1.. => {
                        self.file.write_all_at(&chunk[..n as usize], self.length)?;
                        self.length += n as u64;
                    }
                    0 => self.complete = true,
                    _ if is_transient() => {}
                    _ => return Err(io::Error::last_os_error()),
                }
            }
        }
        Ok(self)
    }
}

fn is_transient() -> bool {
    matches!(io::Error::last_os_error().kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
