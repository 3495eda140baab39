//! The `.lwt` file: address streams as runs.
//!
//! Magic, format version, then one zstd frame with checksum. Inside, numbers are LEB128, signed ones zigzag coded:
//!
//! | tag | record |
//! |---|---|
//! | 1 | defines the next stream: number, kind, bytes per access |
//! | 2 | run: stream, first address minus the last one of the stream, stride, count |
//! | 0 | end: number of accesses in all |
//!
//! Order is kept inside a stream, not between streams. A file without its end record was cut short and is refused after
//! what is there has been handed over. Readers and writers need memory for the streams only.

use std::io::{self, BufRead, Read, Write};

use rustc_hash::FxHashMap;

use crate::accesses::{Accesses, Kind, StreamId};
use crate::foreign::ReadError;

/// First bytes of a file.
pub const MAGIC: &[u8; 8] = b"LWTRACE\n";
/// Format version.
pub const VERSION: u32 = 1;

const END: u64 = 0;
const STREAM: u64 = 1;
const RUN: u64 = 2;

/// Writes a file.
pub struct Writer<W: Write> {
    to: zstd::Encoder<'static, W>,
    streams: FxHashMap<StreamId, usize>,
    open: Vec<OpenRun>,
    buffer: Vec<u8>,
    accesses: u64,
}

/// The run of a stream that may still grow.
#[derive(Debug, Clone, Copy, Default)]
struct OpenRun {
    start: i64,
    stride: i64,
    count: u64,
    /// Last address of the run written before.
    last: i64,
}

impl OpenRun {
    fn end(&self) -> i64 {
        self.start.wrapping_add(self.stride.wrapping_mul(self.count.wrapping_sub(1) as i64))
    }
}

/// Bytes collected before they are compressed.
const BUFFER: usize = 1 << 16;

impl<W: Write> Writer<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut to: W) -> io::Result<Writer<W>> {
        to.write_all(MAGIC)?;
        to.write_all(&VERSION.to_le_bytes())?;
        let mut to = zstd::Encoder::new(to, 3)?;
        to.include_checksum(true)?;
        Ok(Writer { to, streams: FxHashMap::default(), open: Vec::new(), buffer: Vec::new(), accesses: 0 })
    }

    /// Adds `count` accesses of a stream, joined with those before where they go on alike.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn run(
        &mut self,
        stream: StreamId,
        bytes: u16,
        start: i64,
        stride: i64,
        count: u64,
    ) -> io::Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.accesses += count;
        let next = self.open.len();
        let index = *self.streams.entry(stream).or_insert(next);
        if index == next {
            self.open.push(OpenRun::default());
            put(&mut self.buffer, STREAM);
            put(&mut self.buffer, stream.number);
            put(&mut self.buffer, u64::from(stream.kind.code()));
            put(&mut self.buffer, u64::from(bytes));
        }
        let open = &mut self.open[index];
        let joined = start.checked_sub(open.end()).filter(|&step| match open.count {
            0 => false,
            1 => count == 1 || step == stride,
            _ => step == open.stride && (count == 1 || stride == open.stride),
        });
        if let Some(step) = joined {
            open.stride = step;
            open.count += count;
            return Ok(());
        }
        let old = *open;
        *open = OpenRun { start, stride, count, last: old.end() };
        if old.count > 0 {
            self.put_run(index, old)?;
        }
        Ok(())
    }

    fn put_run(&mut self, index: usize, run: OpenRun) -> io::Result<()> {
        put(&mut self.buffer, RUN);
        put(&mut self.buffer, index as u64);
        put_signed(&mut self.buffer, run.start.wrapping_sub(run.last));
        put_signed(&mut self.buffer, if run.count == 1 { 0 } else { run.stride });
        put(&mut self.buffer, run.count);
        if self.buffer.len() >= BUFFER {
            self.to.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Number of accesses so far.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Number of streams so far.
    pub fn streams(&self) -> usize {
        self.open.len()
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        for index in 0..self.open.len() {
            let run = self.open[index];
            if run.count > 0 {
                self.put_run(index, run)?;
            }
        }
        put(&mut self.buffer, END);
        put(&mut self.buffer, self.accesses);
        self.to.write_all(&self.buffer)?;
        self.to.finish()
    }
}

/// Reads a file.
///
/// # Errors
/// If it is not one, is damaged or was cut short; what came before has been handed over.
pub fn read(from: &mut dyn BufRead, to: &mut dyn Accesses) -> Result<(), ReadError> {
    let mut head = [0u8; 12];
    from.read_exact(&mut head).map_err(|_| ReadError::Lwt("cut short"))?;
    let Some(version) = head.strip_prefix(MAGIC) else { return Err(ReadError::Lwt("no trace at all")) };
    let version = version.first_chunk().map_or(0, |v| u32::from_le_bytes(*v));
    if version != VERSION {
        return Err(ReadError::LwtVersion(version));
    }
    let decoder = zstd::Decoder::with_buffer(from).map_err(|_| ReadError::Lwt("no zstd frame"))?;
    let mut body = io::BufReader::with_capacity(BUFFER, decoder);
    let mut streams: Vec<(StreamId, i64)> = Vec::new();
    let mut accesses = 0u64;
    loop {
        match get(&mut body)? {
            END => break,
            STREAM => {
                let number = get(&mut body)?;
                let kind = u8::try_from(get(&mut body)?).ok().and_then(Kind::of);
                let kind = kind.ok_or(ReadError::Lwt("unknown kind of stream"))?;
                let bytes = u32::try_from(get(&mut body)?).map_err(|_| ReadError::Lwt("access size"))?;
                let id = StreamId { number, kind };
                to.size(id, bytes);
                streams.push((id, 0));
            }
            RUN => {
                let index = usize::try_from(get(&mut body)?).unwrap_or(usize::MAX);
                let (id, last) = streams.get_mut(index).ok_or(ReadError::Lwt("unknown stream"))?;
                let start = last.wrapping_add(get_signed(&mut body)?);
                let stride = get_signed(&mut body)?;
                let count = get(&mut body)?;
                let length = i64::try_from(count).ok().filter(|&n| n > 0);
                let end = length
                    .and_then(|n| stride.checked_mul(n - 1))
                    .and_then(|d| start.checked_add(d))
                    .ok_or(ReadError::Lwt("a run that leaves 64 bits"))?;
                accesses = accesses.checked_add(count).ok_or(ReadError::Lwt("too many accesses"))?;
                *last = end;
                to.run(*id, start, stride, count);
            }
            _ => return Err(ReadError::Lwt("unknown record")),
        }
    }
    if get(&mut body)? != accesses {
        return Err(ReadError::Lwt("wrong number of accesses"));
    }
    // The checksum is looked at when the frame ends.
    let rest = body.read(&mut [0u8; 1]).map_err(|_| ReadError::Lwt("wrong checksum"))?;
    if rest != 0 { Err(ReadError::Lwt("bytes after the end")) } else { Ok(()) }
}

fn put(to: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        to.push(value as u8 | 128);
        value >>= 7;
    }
    to.push(value as u8);
}

fn put_signed(to: &mut Vec<u8>, value: i64) {
    put(to, ((value << 1) ^ (value >> 63)) as u64);
}

fn get(from: &mut impl Read) -> Result<u64, ReadError> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let mut byte = [0u8];
        from.read_exact(&mut byte).map_err(|_| ReadError::Lwt("cut short"))?;
        let bits = u64::from(byte[0] & 127);
        if shift == 63 && bits > 1 {
            return Err(ReadError::Lwt("a number of more than 64 bits"));
        }
        value |= bits << shift;
        if byte[0] < 128 {
            return Ok(value);
        }
    }
    Err(ReadError::Lwt("a number of more than 64 bits"))
}

fn get_signed(from: &mut impl Read) -> Result<i64, ReadError> {
    let value = get(from)?;
    Ok((value >> 1) as i64 ^ -((value & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, PartialEq, Debug)]
    struct Runs(Vec<(StreamId, i64, i64, u64)>);

    impl Accesses for Runs {
        fn values(&mut self, stream: StreamId, values: &[i64]) {
            values.iter().for_each(|&v| self.run(stream, v, 0, 1));
        }

        fn run(&mut self, stream: StreamId, start: i64, stride: i64, count: u64) {
            self.0.push((stream, start, stride, count));
        }
    }

    fn file() -> Vec<u8> {
        let load = StreamId { number: 0x401000, kind: Kind::Load };
        let store = StreamId { number: 0x401004, kind: Kind::Store };
        let mut writer = Writer::new(Vec::new()).expect("memory");
        for k in 0..10 {
            writer.run(load, 8, 1000 + 8 * k, 0, 1).expect("memory");
            writer.run(store, 4, 5000, 4, 3).expect("memory");
        }
        writer.run(load, 8, 1080, 8, 5).expect("memory");
        writer.run(load, 8, i64::MIN, 0, 1).expect("memory");
        writer.run(load, 8, i64::MAX, 0, 1).expect("memory");
        assert_eq!((writer.accesses(), writer.streams()), (47, 2));
        writer.finish().expect("memory")
    }

    #[test]
    fn runs_are_joined_and_read_back() {
        let mut runs = Runs::default();
        read(&mut &file()[..], &mut runs).expect("a whole file");
        let loads: Vec<_> =
            runs.0.iter().filter(|r| r.0.kind == Kind::Load).map(|r| (r.1, r.2, r.3)).collect();
        assert_eq!(loads, [(1000, 8, 15), (i64::MIN, 0, 1), (i64::MAX, 0, 1)]);
        assert_eq!(runs.0.iter().filter(|r| r.0.kind == Kind::Store).map(|r| r.3).sum::<u64>(), 30);
    }

    #[test]
    fn damage_is_refused() {
        let good = file();
        for cut in 0..good.len() {
            assert!(read(&mut &good[..cut], &mut Runs::default()).is_err(), "cut to {cut} bytes");
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            let mut runs = Runs::default();
            if read(&mut &bad[..], &mut runs).is_ok() {
                let mut right = Runs::default();
                read(&mut &good[..], &mut right).expect("a whole file");
                assert_eq!(runs, right, "byte {at} changed unnoticed");
            }
        }
        assert!(matches!(
            read(&mut &b"LWTRACE\n\x09\0\0\0"[..], &mut Runs::default()),
            Err(ReadError::LwtVersion(9))
        ));
    }
}
