//! Readers for traces that other tools write.
//!
//! | format | content |
//! |---|---|
//! | text | one integer per line, or `id address` |
//! | i64, u64 | raw little-endian 8-byte integers |
//! | npy | NumPy array of integers: one dimension, or two columns `id, address` |
//! | lackey | Valgrind `--tool=lackey --trace-mem=yes` |
//! | pinatrace | Intel Pin `pinatrace`: `ip: R address` |
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
    /// An unsigned integer that a signed 64-bit one cannot hold.
    #[error("integer {index} (from 0) is {value}, beyond 2^63 - 1; addresses must fit 63 bits")]
    TooLarge {
        /// Its position.
        index: u64,
        /// Its value.
        value: u64,
    },
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

/// Guesses the format from the first bytes; raw binary only if they cannot be text.
pub fn guess(head: &[u8]) -> Format {
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
    use crate::accesses::StreamId;

    #[derive(Default)]
    struct Seen(Vec<(String, i64)>);

    impl Accesses for Seen {
        fn values(&mut self, stream: StreamId, values: &[i64]) {
            self.0.extend(values.iter().map(|v| (stream.to_string(), *v)));
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
        let (_, error) = seen(Format::Text, b"1\n9223372036854775808\n");
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
        assert_eq!(guess(text), Format::Lackey);
    }

    #[test]
    fn pinatrace_lines() {
        let text = b"0x7f01: R 0x1000\n0x7f01: W 0x1008 \n#eof\n";
        let (values, error) = seen(Format::Pinatrace, text);
        let expected = [("0x7f01:load", 0x1000), ("0x7f01:store", 0x1008)];
        assert_eq!((values, error), (expected.map(|(s, v)| (s.to_owned(), v)).to_vec(), None));
        assert_eq!(guess(text), Format::Pinatrace);
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
        let (_, error) = seen(Format::U64, &bytes);
        assert!(error.expect("beyond 63 bits").contains("integer 1"));
        assert_eq!(guess(&bytes), Format::I64);
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
        assert_eq!(guess(&one), Format::Npy);
    }
}
