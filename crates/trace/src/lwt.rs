//! The `.lwt` file: address streams as runs.
//!
//! Magic, format version, then one zstd frame with checksum. Inside, numbers are LEB128, signed ones zigzag coded:
//!
//! | tag | record |
//! |---|---|
//! | 1 | defines the next stream: number, kind, bytes per access; of a named one the length of its name in bytes, and the name |
//! | 2 | run: stream, first address minus the last one of the stream, stride, count |
//! | 3 | rows: number of steps, per step stream, first address minus the last one of the stream, and stride; count |
//! | 0 | end: number of accesses in all |
//!
//! Order is kept inside a stream, not between streams, but for rows: so many iterations, each of which makes one access per step,
//! in this order. A file has either runs or rows ([`Writer::run`], [`Writer::rows`]). Version 1 has no names and no rows. A file without its end record was cut short and is refused after
//! what is there has been handed over. Readers and writers need memory for the streams only.

use std::io::{self, BufRead, Read, Write};

use rustc_hash::FxHashMap;

use crate::accesses::{Accesses, Kind, StreamId};
use crate::foreign::ReadError;

/// First bytes of a file.
pub const MAGIC: &[u8; 8] = b"LWTRACE\n";
/// Format version.
pub const VERSION: u32 = 2;

const END: u64 = 0;
const STREAM: u64 = 1;
const RUN: u64 = 2;
const ROWS: u64 = 3;

/// Bytes of a name, and steps of rows, at most.
const LONGEST: u64 = 1 << 16;
/// Accesses of one record of rows, at most: they are taken one by one where the order counts.
const MOST_IN_ROWS: u64 = 1 << 40;

/// Writes a file.
pub struct Writer<W: Write> {
    to: zstd::Encoder<'static, W>,
    streams: FxHashMap<StreamId, usize>,
    open: Vec<OpenRun>,
    /// Rows that may still grow: indices of streams, first addresses and strides, and their count.
    rows: (Vec<(usize, i64, i64)>, u64),
    buffer: Vec<u8>,
    accesses: u64,
}

/// One access of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its stream.
    pub stream: StreamId,
    /// Bytes per access.
    pub bytes: u16,
    /// First address.
    pub start: i64,
    /// Advance per row.
    pub stride: i64,
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
        Ok(Writer {
            to,
            streams: FxHashMap::default(),
            open: Vec::new(),
            rows: (Vec::new(), 0),
            buffer: Vec::new(),
            accesses: 0,
        })
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
        let index = self.index(stream, bytes, "");
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

    /// The number of a stream in the file, which is defined if it is not yet.
    fn index(&mut self, stream: StreamId, bytes: u16, name: &str) -> usize {
        let next = self.open.len();
        let index = *self.streams.entry(stream).or_insert(next);
        if index == next {
            self.open.push(OpenRun::default());
            put(&mut self.buffer, STREAM);
            put(&mut self.buffer, stream.number);
            put(&mut self.buffer, u64::from(stream.kind.code()));
            put(&mut self.buffer, u64::from(bytes));
            if stream.kind == Kind::Named {
                let longest = usize::try_from(LONGEST).unwrap_or(usize::MAX);
                let end = (0..=name.len().min(longest)).rev().find(|&at| name.is_char_boundary(at));
                let name = &name[..end.unwrap_or(0)];
                put(&mut self.buffer, name.len() as u64);
                self.buffer.extend_from_slice(name.as_bytes());
            }
        }
        index
    }

    /// Defines the next stream by a name; its accesses have so many bytes.
    pub fn named(&mut self, name: &str, bytes: u16) -> StreamId {
        let stream = StreamId { number: self.open.len() as u64, kind: Kind::Named };
        self.index(stream, bytes, name);
        stream
    }

    /// Adds `count` rows, joined with those before where they go on alike. In a file without runs.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn rows(&mut self, steps: &[Step], count: u64) -> io::Result<()> {
        if count == 0 || steps.is_empty() {
            return Ok(());
        }
        self.accesses += count * steps.len() as u64;
        let longest = usize::try_from(LONGEST).unwrap_or(usize::MAX);
        if steps.len() > longest {
            // Rows of that many steps are one iteration in practice; their order is kept.
            for part in steps.chunks(longest) {
                self.close_rows()?;
                self.rows = (self.indexed(part), count);
            }
            return Ok(());
        }
        let steps = self.indexed(steps);
        let (open, rows) = (&mut self.rows.0, self.rows.1);
        let by = |a: i64, b: i64| b.wrapping_sub(a);
        let is_same = open.len() == steps.len() && open.iter().zip(&steps).all(|(a, b)| a.0 == b.0);
        let goes_on = is_same
            && match rows {
                0 => false,
                1 => open
                    .iter()
                    .zip(&steps)
                    .all(|(a, b)| (count == 1 || by(a.1, b.1) == b.2) && b.1.checked_sub(a.1).is_some()),
                _ => open.iter().zip(&steps).all(|(a, b)| {
                    let length = i64::try_from(rows).ok();
                    let end = length.and_then(|n| a.2.checked_mul(n)).and_then(|d| a.1.checked_add(d));
                    end == Some(b.1) && (count == 1 || a.2 == b.2)
                }),
            };
        if goes_on {
            if rows == 1 {
                open.iter_mut().zip(&steps).for_each(|(a, b)| a.2 = by(a.1, b.1));
            }
            self.rows.1 += count;
            return Ok(());
        }
        self.close_rows()?;
        self.rows = (steps, count);
        Ok(())
    }

    fn indexed(&mut self, steps: &[Step]) -> Vec<(usize, i64, i64)> {
        steps.iter().map(|step| (self.index(step.stream, step.bytes, ""), step.start, step.stride)).collect()
    }

    fn close_rows(&mut self) -> io::Result<()> {
        let (steps, count) = std::mem::take(&mut self.rows);
        if count == 0 {
            return Ok(());
        }
        put(&mut self.buffer, ROWS);
        put(&mut self.buffer, steps.len() as u64);
        // A stream may be in several steps: all are relative to what was before the rows.
        for &(index, start, stride) in &steps {
            put(&mut self.buffer, index as u64);
            put_signed(&mut self.buffer, start.wrapping_sub(self.open[index].last));
            put_signed(&mut self.buffer, if count == 1 { 0 } else { stride });
        }
        for (index, start, stride) in steps {
            let stride = if count == 1 { 0 } else { stride };
            self.open[index].last = start.wrapping_add(stride.wrapping_mul(count.wrapping_sub(1) as i64));
        }
        put(&mut self.buffer, count);
        self.drain()
    }

    fn drain(&mut self) -> io::Result<()> {
        if self.buffer.len() >= BUFFER {
            self.to.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn put_run(&mut self, index: usize, run: OpenRun) -> io::Result<()> {
        put(&mut self.buffer, RUN);
        put(&mut self.buffer, index as u64);
        put_signed(&mut self.buffer, run.start.wrapping_sub(run.last));
        put_signed(&mut self.buffer, if run.count == 1 { 0 } else { run.stride });
        put(&mut self.buffer, run.count);
        self.drain()
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
        self.close_rows()?;
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
    if version == 0 || version > VERSION {
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
                if kind == Kind::Named && version > 1 {
                    to.named(id, &name(&mut body)?);
                }
                to.size(id, bytes);
                streams.push((id, 0));
            }
            RUN => {
                let (index, start, stride) = step(&mut body, &streams)?;
                let count = get(&mut body)?;
                accesses = accesses.checked_add(count).ok_or(ReadError::Lwt("too many accesses"))?;
                streams[index].1 = end_of(start, stride, count)?;
                to.run(streams[index].0, start, stride, count);
            }
            ROWS if version > 1 => {
                let length = get(&mut body)?;
                if !(1..=LONGEST).contains(&length) {
                    return Err(ReadError::Lwt("a row of too many steps"));
                }
                let mut steps = Vec::new();
                for _ in 0..length {
                    steps.push(step(&mut body, &streams)?);
                }
                let count = get(&mut body)?;
                let all = count.checked_mul(length).filter(|&all| all <= MOST_IN_ROWS);
                let all = all.and_then(|all| accesses.checked_add(all));
                accesses = all.ok_or(ReadError::Lwt("too many accesses"))?;
                for &(index, start, stride) in &steps {
                    streams[index].1 = end_of(start, stride, count)?;
                }
                let of = |(index, start, stride): (usize, i64, i64)| (streams[index].0, start, stride);
                to.rows(&steps.into_iter().map(of).collect::<Vec<_>>(), count);
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

/// The name of a stream.
fn name(from: &mut impl Read) -> Result<String, ReadError> {
    let length = get(from)?;
    if length > LONGEST {
        return Err(ReadError::Lwt("a name that is too long"));
    }
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes).map_err(|_| ReadError::Lwt("cut short"))?;
    if bytes.len() as u64 != length {
        return Err(ReadError::Lwt("cut short"));
    }
    String::from_utf8(bytes).map_err(|_| ReadError::Lwt("a name that is no text"))
}

/// Index of a known stream, first address, stride.
fn step(from: &mut impl Read, streams: &[(StreamId, i64)]) -> Result<(usize, i64, i64), ReadError> {
    let index = usize::try_from(get(from)?).unwrap_or(usize::MAX);
    let (_, last) = streams.get(index).ok_or(ReadError::Lwt("unknown stream"))?;
    let start = last.wrapping_add(get_signed(from)?);
    Ok((index, start, get_signed(from)?))
}

/// The last address of a run.
fn end_of(start: i64, stride: i64, count: u64) -> Result<i64, ReadError> {
    let length = i64::try_from(count).ok().filter(|&n| n > 0);
    let end = length.and_then(|n| stride.checked_mul(n - 1)).and_then(|d| start.checked_add(d));
    end.ok_or(ReadError::Lwt("a run that leaves 64 bits"))
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

    /// Named streams, and iterations in their order, joined where they go on alike.
    fn file_of_rows() -> Vec<u8> {
        let mut writer = Writer::new(Vec::new()).expect("memory");
        let [a, b] = ["k.c:3/main", "k.c:4/main"].map(|name| writer.named(name, 8));
        let step = |stream, start, stride| Step { stream, bytes: 8, start, stride };
        for t in 0..6 {
            writer.rows(&[step(a, 100 + 8 * t, 0), step(b, 5000, 0), step(a, 7 - t, 0)], 1).expect("memory");
        }
        writer.rows(&[step(b, 0, 8), step(a, 64, -8)], 5).expect("memory");
        writer.rows(&[step(b, 40, 8), step(a, 24, -8)], 2).expect("memory");
        writer.rows(&[step(b, 1, 0)], 1).expect("memory");
        assert_eq!(writer.accesses(), 33);
        writer.finish().expect("memory")
    }

    /// Streams, first addresses and strides of rows, and their count.
    type Row = (Vec<(u64, i64, i64)>, u64);

    #[derive(Default)]
    struct Rows(Vec<String>, Vec<Row>);

    impl Accesses for Rows {
        fn values(&mut self, _: StreamId, _: &[i64]) {}

        fn run(&mut self, _: StreamId, _: i64, _: i64, _: u64) {}

        fn rows(&mut self, steps: &[(StreamId, i64, i64)], count: u64) {
            self.1.push((steps.iter().map(|s| (s.0.number, s.1, s.2)).collect(), count));
        }

        fn named(&mut self, stream: StreamId, name: &str) {
            assert_eq!(stream, StreamId { number: self.0.len() as u64, kind: Kind::Named });
            self.0.push(name.to_owned());
        }
    }

    #[test]
    fn rows_keep_the_order_between_streams() {
        let mut rows = Rows::default();
        read(&mut &file_of_rows()[..], &mut rows).expect("a whole file");
        assert_eq!(rows.0, ["k.c:3/main", "k.c:4/main"]);
        let expected = [
            (vec![(0, 100, 8), (1, 5000, 0), (0, 7, -1)], 6),
            (vec![(1, 0, 8), (0, 64, -8)], 7),
            (vec![(1, 1, 0)], 1),
        ];
        assert_eq!(rows.1, expected);
        let mut runs = Runs::default();
        read(&mut &file_of_rows()[..], &mut runs).expect("a whole file");
        assert_eq!(runs.0.iter().map(|run| run.3).sum::<u64>(), 33);
    }

    #[test]
    fn damage_is_refused() {
        [file(), file_of_rows()].into_iter().for_each(|good| damaged(&good));
    }

    fn damaged(good: &[u8]) {
        for cut in 0..good.len() {
            assert!(read(&mut &good[..cut], &mut Runs::default()).is_err(), "cut to {cut} bytes");
        }
        for at in 0..good.len() {
            let mut bad = good.to_vec();
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
