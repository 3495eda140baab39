//! The `.lwp` file: magic, format version, then one checksummed zstd frame.
//!
//! Written to a temporary name beside the target and renamed, so that a file that exists is whole; what is no regular
//! file (a pipe, a device) is written in place instead of being replaced. Reading checks magic, version, checksum and
//! every index; a damaged file is refused, never misread.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::{ContextKind, GivenUp, Limit, Profile, Untracked};

pub(crate) const MAGIC: &[u8; 8] = b"LWPROF\x1a\n";
pub(crate) const VERSION: u32 = 24;
/// A decoded profile may have this many bytes, and this many more for each byte of its file: real ones have up to 30.
const ROOM: (u64, u64) = (4 << 20, 256);

/// Why a profile could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Not a profile at all.
    #[error("{0}: not a Loopwright profile; make one with loopwright profile -o FILE -- PROGRAM")]
    NotAProfile(PathBuf),
    /// Written by another version.
    #[error("{path}: profile format {found}, this program reads format {VERSION}; {}", remedy(*.found))]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// The content does not decode or refers to things that are not there.
    #[error("{0}: damaged profile ({1}); record the program again")]
    Damaged(PathBuf, &'static str),
}

/// What to do about a file of another format.
fn remedy(found: u32) -> &'static str {
    if found > VERSION { "it is of a newer Loopwright: update this one" } else { "record the program again" }
}

/// Writes a profile; the target is replaced only when everything is on disk.
///
/// # Errors
/// If the file system refuses; then the target is untouched and the temporary file removed.
pub fn write(profile: &Profile, path: &Path) -> Result<(), FileError> {
    replace_with(path, Readers::Owner, |file| {
        let bytes = postcard::to_stdvec(profile).map_err(|e| io::Error::other(e.to_string()))?;
        frame(&bytes, file).map(|_| ())
    })
    .map_err(|source| FileError::Io { path: path.to_owned(), source })
}

/// Who may read a file that is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Readers {
    /// Its owner: a profile has the program's arguments and parts of its source.
    Owner,
    /// Whom the user lets read new files.
    AsUsual,
}

/// Gives a file new content: all of it or, after an error, none. A link is followed; a pipe or device is written
/// directly. A file that is replaced keeps its permissions.
///
/// # Errors
/// If the file system refuses or `content` fails; then a regular file is untouched.
pub fn replace(path: &Path, content: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    replace_with(path, Readers::AsUsual, content)
}

fn replace_with(
    path: &Path,
    readers: Readers,
    content: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let (real, before) = match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => return content(&mut File::options().write(true).open(path)?),
        Ok(metadata) => (path.canonicalize()?, Some(metadata.permissions())),
        Err(_) => (path.to_owned(), None),
    };
    let name = real.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let directory = real.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mode = if readers == Readers::Owner { 0o600 } else { 0o666 };
    let mut prefix = name.to_owned();
    prefix.push(".");
    // A name of its own, made anew, which no link can stand for.
    let mut temporary = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".tmp")
        .make_in(directory, |path| File::options().write(true).create_new(true).mode(mode).open(path))?;
    content(temporary.as_file_mut())?;
    if let Some(before) = before {
        temporary.as_file().set_permissions(before)?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&real)?;
    Ok(())
}

/// Writes magic, version and the encoded profile.
fn frame<W: Write>(encoded: &[u8], mut to: W) -> io::Result<W> {
    to.write_all(MAGIC)?;
    to.write_all(&VERSION.to_le_bytes())?;
    let mut encoder = zstd::Encoder::new(to, 3)?;
    encoder.include_checksum(true)?;
    encoder.write_all(encoded)?;
    encoder.finish()
}

/// A file whose frame is valid and whose encoded profile is what `edit` makes of that of `file`; `None` if `file` is not
/// the bytes of a profile.
pub(crate) fn reframed(file: &[u8], edit: impl FnOnce(&mut Vec<u8>)) -> Option<Vec<u8>> {
    let mut encoded = Vec::new();
    let frame_start = file.get(MAGIC.len() + 4..)?;
    zstd::Decoder::new(frame_start).ok()?.read_to_end(&mut encoded).ok()?;
    edit(&mut encoded);
    frame(&encoded, Vec::new()).ok()
}

/// Whether a file begins as profiles of any version do.
pub fn is_one(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *MAGIC
}

/// Reads a profile.
///
/// # Errors
/// See [`FileError`].
pub fn read(path: &Path) -> Result<Profile, FileError> {
    let fail = |source: io::Error| FileError::Io { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(fail)?;
    decode(&bytes, path)
}

/// Decodes the bytes of a profile; `path` only names it in errors.
///
/// # Errors
/// See [`FileError`].
pub fn decode(bytes: &[u8], path: &Path) -> Result<Profile, FileError> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return Err(FileError::NotAProfile(path.to_owned())) };
    let damaged = |what| FileError::Damaged(path.to_owned(), what);
    let (version, rest) = rest.split_first_chunk::<4>().ok_or(damaged("cut short"))?;
    let found = u32::from_le_bytes(*version);
    if found != VERSION {
        return Err(FileError::Version { path: path.to_owned(), found });
    }
    let room = (rest.len() as u64).saturating_mul(ROOM.1).saturating_add(ROOM.0);
    let mut data = Vec::new();
    zstd::Decoder::new(rest)
        .and_then(|decoder| decoder.take(room.saturating_add(1)).read_to_end(&mut data))
        .map_err(|_| damaged("checksum or compression"))?;
    if data.len() as u64 > room {
        return Err(damaged("more than its bytes can hold"));
    }
    let (profile, behind): (Profile, _) =
        postcard::take_from_bytes(&data).map_err(|_| damaged("encoding"))?;
    if !behind.is_empty() || profile.contexts.is_empty() {
        return Err(damaged("encoding"));
    }
    validate(&profile).map_err(damaged)?;
    Ok(profile)
}

fn validate(p: &Profile) -> Result<(), &'static str> {
    let location = |i: u32| (i as usize) < p.locations.len();
    let ok = p.contexts.iter().enumerate().all(|(i, c)| {
        let parent = if i == 0 { c.parent == 0 } else { (c.parent as usize) < i };
        let kind = match c.kind {
            ContextKind::Call { site, callee } => location(site) && (callee as usize) < p.functions.len(),
            _ => true,
        };
        parent
            && kind
            && location(c.location)
            && c.inlined_at.iter().all(|&site| location(site))
            && ((c.function as usize) < p.functions.len() || p.functions.is_empty())
    });
    if !ok {
        return Err("contexts");
    }
    let roots = || p.further_runs.iter().map(|run| run.root);
    let is_root = |root: u32| {
        let context = p.contexts.get(root as usize);
        root > 0 && context.is_some_and(|context| context.parent == 0 && context.kind == ContextKind::Root)
    };
    if !roots().all(is_root) || !roots().is_sorted_by(|a, b| a < b) {
        return Err("runs");
    }
    let statements = p.statements.len() as u64;
    if !p.blocks.iter().all(|b| {
        (b.context as usize) < p.contexts.len() && u64::from(b.first) + u64::from(b.count) <= statements
    }) {
        return Err("blocks");
    }
    if !p.statements.iter().all(|s| (s.block as usize) < p.blocks.len() && location(s.location)) {
        return Err("statements");
    }
    if !p.accesses.iter().all(|a| u64::from(a.statement) < statements) {
        return Err("accesses");
    }
    let access = |a: Option<u32>| a.is_none_or(|a| (a as usize) < p.accesses.len());
    let dependences = p.dependences.iter().all(|d| {
        u64::from(d.source) < statements
            && u64::from(d.sink) < statements
            && access(d.source_access)
            && access(d.sink_access)
            && d.levels.iter().all(|l| {
                l.minimum.len() == usize::from(d.common)
                    && l.maximum.len() == usize::from(d.common)
                    && l.objects.iter().all(|o| (o.object as usize) < p.objects.len())
            })
    });
    if !dependences {
        return Err("dependences");
    }
    let graphs = p.graphs.iter().all(|graph| {
        let node = |at: &u32| (*at as usize) < graph.nodes.len();
        (graph.function as usize) < p.functions.len()
            && graph.nodes.iter().all(|own| own.successors.iter().all(node))
            && graph.loops.iter().all(|own| node(&own.header) && own.nodes.is_sorted())
    });
    if !graphs {
        return Err("graphs");
    }
    if is_trust_sound(p) { Ok(()) } else { Err("limits") }
}

/// Whether what limits a profile speaks of things that are there.
fn is_trust_sound(p: &Profile) -> bool {
    let contexts = |loops: &[u32]| loops.iter().all(|&at| (at as usize) < p.contexts.len());
    let is_place = |&(location, _): &(u32, u64)| (location as usize) < p.locations.len();
    let limits = p.trust.limits.iter().all(|reached| {
        (reached.run as usize) < p.runs().len()
            && match &reached.limit {
                Limit::Loops(loops) | Limit::Crowded(loops) => contexts(loops),
                Limit::Streams { some, .. } => some.iter().all(|stream| match stream {
                    GivenUp::Dependence { source, sink } => is_place(source) && is_place(sink),
                    GivenUp::Domain(at) | GivenUp::Addresses(at) => is_place(at),
                }),
                _ => true,
            }
    });
    limits
        && p.trust.untracked.iter().all(|untracked| match untracked {
            Untracked::Exchanged(loops) => contexts(loops),
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Location};

    fn sample() -> Profile {
        Profile {
            locations: vec![Location::default()],
            contexts: vec![Context { own_instructions: 3, ..Context::new(0, ContextKind::Root, 0) }],
            ..Profile::default()
        }
    }

    #[test]
    fn round_trip_and_every_damage_is_noticed() {
        let place = tempfile::tempdir().expect("temporary directory");
        let dir = place.path();
        let path = dir.join("a.lwp");
        write(&sample(), &path).expect("write");
        assert_eq!(read(&path).expect("read"), sample());
        assert_eq!(std::fs::read_dir(dir).expect("list").count(), 1, "no temporary file is left");
        let bytes = std::fs::read(&path).expect("bytes");
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0x41;
            if let Ok(read) = decode(&bad, &path) {
                // The only bytes without a meaning of their own are the frame's unused descriptor bits.
                assert_eq!(read, sample(), "byte {at}");
            }
            assert!(decode(&bytes[..at], &path).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn few_bytes_do_not_become_many() {
        for encoded in [
            vec![0; 1 << 30],
            [postcard::to_stdvec(&sample()).expect("encode"), vec![0; 9]].concat(),
            Vec::new(),
        ] {
            let bytes = frame(&encoded, Vec::new()).expect("frame");
            assert!(matches!(decode(&bytes, Path::new("x")), Err(FileError::Damaged(..))), "{}", bytes.len());
        }
    }

    #[test]
    fn others_may_not_read_a_profile_and_links_are_not_taken_for_temporary_files() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("a.lwp");
        let mode = |path: &Path| std::fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
        write(&sample(), &path).expect("write");
        assert_eq!(mode(&path), 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("change");
        write(&sample(), &path).expect("write");
        assert_eq!(mode(&path), 0o640, "what its owner has allowed stays");
        let victim = place.path().join("victim");
        std::fs::write(&victim, "untouched").expect("write");
        let guess = place.path().join(format!("b.lwp.{}.tmp", std::process::id()));
        std::os::unix::fs::symlink(&victim, guess).expect("link");
        write(&sample(), &place.path().join("b.lwp")).expect("write");
        assert_eq!(std::fs::read_to_string(&victim).expect("read"), "untouched");
    }

    #[test]
    fn dangling_indices_are_refused() {
        let mut profile = sample();
        profile.contexts[0].location = 5;
        assert_eq!(validate(&profile), Err("contexts"));
    }

    #[test]
    fn runs_that_begin_nowhere_are_refused() {
        let mut profile = sample();
        for root in [0, 1] {
            profile.further_runs = vec![crate::FurtherRun { root, ..Default::default() }];
            assert_eq!(validate(&profile), Err("runs"), "{root}");
        }
        profile.contexts.push(Context::new(0, ContextKind::Root, 0));
        assert_eq!(validate(&profile), Ok(()));
    }

    #[test]
    fn an_unwritable_place_leaves_nothing() {
        let error = write(&sample(), Path::new("/nonexistent-directory/x.lwp")).expect_err("must fail");
        assert!(error.to_string().contains("/nonexistent-directory/x.lwp"));
    }
}
