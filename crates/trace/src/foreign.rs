//! Readers for traces that other tools write.
//!
//! | format | content |
//! |---|---|
//! | text | one integer per line, or `id address`, the id any text without spaces |
//! | i64, u64 | raw little-endian 8-byte integers |
//! | npy | NumPy array of integers: one dimension, or two columns `id, address` |
//! | lackey | Valgrind `--tool=lackey --trace-mem=yes` |
//! | pinatrace | Intel Pin `pinatrace`: `ip: R address` |
//!
//! Integers are signed or unsigned, of 64 bits; unsigned ones from 2^63 on are handed over as if they were signed, and said to
//! be unsigned. No trace has both these and negative ones. Files of other kinds are refused by their name instead of being
//! read as integers.
//!
//! Streams are split by instruction: a modify (lackey) is a load and a store. Every reader works in bounded memory and
//! hands over what it read before an error, so that an interrupted stream is still useful.

mod binary;
mod text;

use std::io::{self, BufRead};

use crate::accesses::Accesses;

/// A trace format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One integer per line, or `id address`.
    Text,
    /// Raw signed integers.
    I64,
    /// Raw unsigned integers.
    U64,
    /// NumPy array.
    Npy,
    /// Valgrind lackey.
    Lackey,
    /// Intel Pin pinatrace.
    Pinatrace,
    /// Loopwright's own runs.
    Lwt,
}

/// Why a trace could not be read to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file system or pipe refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A line of text that is not what the format says.
    #[error("line {line}: {what}: `{text}`")]
    Line {
        /// Line number from 1.
        line: u64,
        /// What is wrong with it.
        what: &'static str,
        /// The line, shortened.
        text: String,
    },
    /// Negative integers and integers that only unsigned ones of 64 bits hold.
    #[error(
        "line {line}: the trace has negative integers and integers beyond 2^63 - 1; it must have one sort only"
    )]
    Mixed {
        /// The line where the second sort comes up.
        line: u64,
    },
    /// Integers that only unsigned ones of 64 bits hold, for who has no place for them.
    #[error("the trace has integers beyond 2^63 - 1, which signed ones of 64 bits do not hold")]
    Unsigned,
    /// Something else than a trace.
    #[error("{0}")]
    Foreign(Foreign),
    /// A binary file that ends inside an integer.
    #[error("the file ends inside integer {index} (from 0): {bytes} of {size} bytes; it was cut short")]
    Truncated {
        /// Position of the integer.
        index: u64,
        /// Bytes that are there.
        bytes: usize,
        /// Bytes that an integer has.
        size: usize,
    },
    /// A NumPy file of an unsupported kind.
    #[error("NumPy file: {0}; save a one-dimensional array of 8-byte integers in C order")]
    Npy(String),
    /// A damaged `.lwt` file.
    #[error("damaged trace ({0}); record the program again")]
    Lwt(&'static str),
    /// A `.lwt` file of another version.
    #[error("trace format {0}, this program reads format {version}; record the program again", version = crate::lwt::VERSION)]
    LwtVersion(u32),
}

/// A file that is no trace, known by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign {
    name: &'static str,
    instead: &'static str,
}

impl std::fmt::Display for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, no trace; {}", self.name, self.instead)
    }
}

/// First bytes, what files that begin so are, and what to do with them. Whoever means the integers says so.
const FOREIGN: &[(&[u8], &str, &str)] = &[
    (b"LWNESTS\n", "a compressed trace", "run loopwright expand on it"),
    (b"LWPROF\x1a\n", "a profile", "run loopwright report on it"),
    (b"PK\x03\x04", "a zip archive (NumPy's .npz is one)", "unpack it first"),
    (b"\x1f\x8b", "a gzip file", "unpack it with gzip -dc"),
    (b"\xfd7zXZ\x00", "an xz file", "unpack it with xz -dc"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file", "unpack it with zstd -dc"),
    (b"BZh", "a bzip2 file", "unpack it with bzip2 -dc"),
    (b"\x04\x22\x4d\x18", "an LZ4 file", "unpack it with lz4 -dc"),
    (b"\x7fELF", "a program (ELF)", "record it with loopwright trace -- PROGRAM"),
    (b"PAR1", "a Parquet file", "save the column as .npy"),
    (b"ARROW1", "an Arrow file", "save the column as .npy"),
    (b"\x89HDF", "an HDF5 file", "save the data set as .npy"),
    (b"SQLite format 3", "an SQLite database", "print the column as text"),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it as UTF-8"),
];

/// Bytes that some programs put before text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Guesses the format from the first bytes; raw binary only if they cannot be text.
///
/// # Errors
/// [`ReadError::Foreign`] if they are those of a file that is no trace.
pub fn guess(head: &[u8]) -> Result<Format, ReadError> {
    if let Some(&(_, name, instead)) = FOREIGN.iter().find(|f| is_like(head, f.0)) {
        return Err(ReadError::Foreign(Foreign { name, instead }));
    }
    Ok(guessed(head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head)))
}

/// Whether a file begins so. Two bytes alone may be those of raw integers: what follows must not be a small integer's.
fn is_like(head: &[u8], magic: &[u8]) -> bool {
    let small = head.len() >= 8 && head[3..8].iter().all(|&b| b == 0);
    head.starts_with(magic) && (magic.len() > 3 || !small)
}

fn guessed(head: &[u8]) -> Format {
    if head.starts_with(crate::lwt::MAGIC) {
        return Format::Lwt;
    }
    if head.starts_with(b"\x93NUMPY") {
        return Format::Npy;
    }
    let is_text = head.iter().all(|b| matches!(b, b'\t' | b'\n' | b'\r' | b' '..=b'~'));
    if !is_text {
        return Format::I64;
    }
    for line in head.split(|&b| b == b'\n') {
        let line = line.trim_ascii_start();
        if line.starts_with(b"==") {
            continue;
        }
        let lackey = matches!(line, [b'I' | b'L' | b'S' | b'M', b' ', ..]);
        if lackey {
            return Format::Lackey;
        }
        if line.starts_with(b"0x") && line.contains(&b':') {
            return Format::Pinatrace;
        }
        if !line.is_empty() && line[0] != b'#' {
            break;
        }
    }
    Format::Text
}

/// Reads a whole trace.
///
/// # Errors
/// See [`ReadError`]; what came before the error has been handed over.
pub fn read(format: Format, from: &mut dyn BufRead, to: &mut dyn Accesses) -> Result<(), ReadError> {
    if matches!(format, Format::Text | Format::Lackey | Format::Pinatrace)
        && from.fill_buf()?.starts_with(BYTE_ORDER_MARK)
    {
        from.consume(BYTE_ORDER_MARK.len());
    }
    match format {
        Format::Text => text::integers(from, to),
        Format::Lackey => text::lackey(from, to),
        Format::Pinatrace => text::pinatrace(from, to),
        Format::I64 => binary::signed(from, to),
        Format::U64 => binary::unsigned(from, to),
        Format::Npy => binary::npy(from, to),
        Format::Lwt => crate::lwt::read(from, to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accesses::{Kind, StreamId};

    #[derive(Default)]
    struct Seen(Vec<(String, i64)>, Vec<String>, bool);

    impl Accesses for Seen {
        fn values(&mut self, stream: StreamId, values: &[i64]) {
            let name = match stream.kind {
                Kind::Named => self.1[stream.number as usize].clone(),
                _ => stream.to_string(),
            };
            self.0.extend(values.iter().map(|v| (name.clone(), *v)));
        }

        fn named(&mut self, stream: StreamId, name: &str) {
            assert_eq!(stream, StreamId { number: self.1.len() as u64, kind: Kind::Named });
            self.1.push(name.to_owned());
        }

        fn unsigned(&mut self) {
            self.2 = true;
        }

        fn run(&mut self, stream: StreamId, start: i64, stride: i64, count: u64) {
            for k in 0..count as i64 {
                self.values(stream, &[start + stride * k]);
            }
        }
    }

    fn seen(format: Format, bytes: &[u8]) -> (Vec<(String, i64)>, Option<String>) {
        let mut seen = Seen::default();
        let error = read(format, &mut &*bytes, &mut seen).err().map(|e| e.to_string());
        (seen.0, error)
    }

    fn plain(values: &[i64]) -> Vec<(String, i64)> {
        values.iter().map(|v| ("0".to_owned(), *v)).collect()
    }

    #[test]
    fn text_in_its_two_forms() {
        let (values, error) = seen(Format::Text, b"# a comment\n1\n-2\r\n\n0x10\n  7  \n");
        assert_eq!((values, error), (plain(&[1, -2, 16, 7]), None));
        let (values, error) = seen(Format::Text, b"5 100\n0xff 200\n5\t101");
        let expected = [("5", 100), ("255", 200), ("5", 101)].map(|(s, v)| (s.to_owned(), v));
        assert_eq!((values, error), (expected.to_vec(), None));
    }

    #[test]
    fn bad_text_is_named_by_line_and_what_came_before_is_kept() {
        let (values, error) = seen(Format::Text, b"1\n2\nthree\n4\n");
        assert_eq!(values, plain(&[1, 2]));
        assert_eq!(error.as_deref(), Some("line 3: not an integer: `three`"));
        let (_, error) = seen(Format::Text, b"1\n18446744073709551616\n");
        let error = error.expect("too large");
        assert!(error.contains("line 2") && error.contains("64-bit"), "{error}");
        let (_, error) = seen(Format::Text, b"1 2\n3\n");
        assert!(error.expect("mixed columns").contains("line 2"));
        let (_, error) = seen(Format::Text, b"1 2 3\n");
        assert!(error.expect("three columns").contains("line 1"));
        let (_, error) = seen(Format::Text, &[0xff, 0xfe, b'\n']);
        assert!(error.expect("not text").contains("line 1"));
        assert_eq!(seen(Format::Text, b""), (vec![], None));
    }

    #[test]
    fn lackey_splits_by_instruction_and_direction() {
        let text = b"==12== Lackey\nI  04001000,3\n L 1ffe,8\nI  04001003,4\n M 2000,4\n S 2008,8\n";
        let (values, error) = seen(Format::Lackey, text);
        let expected = [
            ("0x4001000:load", 0x1ffe),
            ("0x4001003:load", 0x2000),
            ("0x4001003:store", 0x2000),
            ("0x4001003:store", 0x2008),
        ];
        assert_eq!((values, error), (expected.map(|(s, v)| (s.to_owned(), v)).to_vec(), None));
        let (_, error) = seen(Format::Lackey, b"I  04001000,3\n L zz,8\n");
        assert!(error.expect("no address").contains("line 2"));
        assert!(matches!(guess(text), Ok(Format::Lackey)));
    }

    #[test]
    fn pinatrace_lines() {
        let text = b"0x7f01: R 0x1000\n0x7f01: W 0x1008 \n#eof\n";
        let (values, error) = seen(Format::Pinatrace, text);
        let expected = [("0x7f01:load", 0x1000), ("0x7f01:store", 0x1008)];
        assert_eq!((values, error), (expected.map(|(s, v)| (s.to_owned(), v)).to_vec(), None));
        assert!(matches!(guess(text), Ok(Format::Pinatrace)));
        assert!(seen(Format::Pinatrace, b"0x1: X 0x2\n").1.expect("direction").contains("line 1"));
    }

    #[test]
    fn raw_integers() {
        let values = [1i64, -2, i64::MAX];
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(seen(Format::I64, &bytes), (plain(&values), None));
        let (read, error) = seen(Format::I64, &bytes[..19]);
        assert_eq!(read, plain(&values[..2]));
        assert!(error.expect("cut").contains("integer 2 (from 0): 3 of 8 bytes"));
        assert_eq!(seen(Format::U64, &bytes), (plain(&values), None));
        assert!(matches!(guess(&bytes), Ok(Format::I64)));
        assert!(matches!(guess(&[0x1f, 0x8b, 0, 0, 0, 0, 0, 0]), Ok(Format::I64)));
    }

    #[test]
    fn unsigned_integers_are_kept_in_64_bits_and_said_to_be_unsigned() {
        let whole = |format, bytes: &[u8]| {
            let mut seen = Seen::default();
            let error = read(format, &mut &*bytes, &mut seen).err().map(|e| e.to_string());
            (seen.0.iter().map(|v| v.1).collect::<Vec<_>>(), seen.2, error)
        };
        assert_eq!(whole(Format::Text, b"18446744073709551615\n5\n"), (vec![-1, 5], true, None));
        assert_eq!(whole(Format::Text, b"9223372036854775807\n-1\n"), (vec![i64::MAX, -1], false, None));
        assert_eq!(whole(Format::U64, &[0xff; 8]), (vec![-1], true, None));
        let (_, _, error) = whole(Format::Text, b"0xffffffffffffffff\n1\n-1\n");
        assert!(error.expect("mixed").contains("line 3"));
        let (values, unsigned, _) = whole(Format::Pinatrace, b"0x1: R 0xffff888000000000\n");
        assert_eq!((values, unsigned), (vec![0xffff_8880_0000_0000u64 as i64], true));
    }

    #[test]
    fn ids_are_any_text() {
        let (values, error) = seen(Format::Text, b"A 1\nB[i][j] 2\nA 3\n0x40:load 4\n-7 5\n0x10 6\n");
        let expected = [("A", 1), ("B[i][j]", 2), ("A", 3), ("0x40:load", 4), ("-7", 5), ("16", 6)];
        assert_eq!((values, error), (expected.map(|(s, v)| (s.to_owned(), v)).to_vec(), None));
    }

    #[test]
    fn other_files_are_refused_by_name_and_marks_before_text_are_none() {
        for (head, name) in [
            (&b"LWNESTS\n\x02"[..], "loopwright expand"),
            (b"PK\x03\x04\x14\x00", "zip"),
            (b"\x1f\x8b\x08\x00\x01\x02\x03\x04", "gzip"),
            (b"\xfd7zXZ\x00\x00", "xz"),
            (b"\x28\xb5\x2f\xfd\x04", "Zstandard"),
            (b"\x7fELF\x02", "ELF"),
            (b"PAR1\x15", "Parquet"),
            (b"\xff\xfe1\x00", "UTF-16"),
        ] {
            let error = guess(head).expect_err("no trace").to_string();
            assert!(error.contains(name), "{error}");
        }
        let marked = b"\xef\xbb\xbf1\n2\n";
        assert!(matches!(guess(marked), Ok(Format::Text)));
        assert_eq!(seen(Format::Text, marked), (plain(&[1, 2]), None));
    }

    fn npy(header: &str, data: &[u8]) -> Vec<u8> {
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    #[test]
    fn numpy_arrays() {
        let data: Vec<u8> = [3i32, -4].iter().flat_map(|v| v.to_le_bytes()).collect();
        let one = npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n", &data);
        assert_eq!(seen(Format::Npy, &one), (plain(&[3, -4]), None));
        let two = npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2), }\n", &data);
        assert_eq!(seen(Format::Npy, &two).1.as_deref().map(|e| e.contains("negative id")), None);
        assert_eq!(seen(Format::Npy, &two).0, [("3".to_owned(), -4)]);
        for (header, needle) in [
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", "<f8"),
            ("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 2), }", "Fortran"),
            ("{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }", "ends inside"),
            ("{}", "descr"),
        ] {
            let error = seen(Format::Npy, &npy(header, &data)).1.unwrap_or_default();
            assert!(error.contains(needle), "{header}: {error}");
        }
        assert!(seen(Format::Npy, b"\x93NUMPY\x01\x00\xff\xff").1.is_some());
        assert!(matches!(guess(&one), Ok(Format::Npy)));
    }
}
