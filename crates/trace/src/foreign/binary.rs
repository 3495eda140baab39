//! Raw integers and NumPy arrays.

use std::io::{BufRead, Read};

use super::ReadError;
use crate::accesses::{Accesses, StreamId};

/// Integers read at a time.
const BATCH: usize = 1 << 13;

pub fn signed(from: &mut dyn BufRead, to: &mut dyn Accesses) -> Result<(), ReadError> {
    let mut values = vec![0i64; BATCH];
    elements(from, 8, None, &mut |bytes, _| {
        let n = bytes.len() / 8;
        for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *value = i64::from_le_bytes(*bytes);
        }
        to.values(StreamId::default(), &values[..n]);
        Ok(())
    })
}

pub fn unsigned(from: &mut dyn BufRead, to: &mut dyn Accesses) -> Result<(), ReadError> {
    let mut values = vec![0i64; BATCH];
    let mut is_large = false;
    elements(from, 8, None, &mut |bytes, _| {
        let n = bytes.len() / 8;
        for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *value = i64::from_le_bytes(*bytes);
        }
        if !is_large && values[..n].iter().any(|&v| v < 0) {
            is_large = true;
            to.unsigned();
        }
        to.values(StreamId::default(), &values[..n]);
        Ok(())
    })
}

/// Receives whole elements and the index of the first.
type Visit<'a> = dyn FnMut(&[u8], u64) -> Result<(), ReadError> + 'a;

/// Hands over whole elements of `size` bytes with the index of the first; at most `BATCH` at a time.
fn elements(
    from: &mut dyn BufRead,
    size: usize,
    expected: Option<u64>,
    visit: &mut Visit<'_>,
) -> Result<(), ReadError> {
    let mut buffer = vec![0u8; BATCH * size];
    let mut index = 0u64;
    loop {
        let wanted = expected.map_or(BATCH as u64, |e| (e - index).min(BATCH as u64)) as usize * size;
        if wanted == 0 {
            return Ok(());
        }
        let mut filled = 0;
        let mut failure = None;
        while filled < wanted {
            match from.read(&mut buffer[filled..wanted]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => {
                    failure = Some(e);
                    break;
                }
            }
        }
        let whole = filled / size * size;
        visit(&buffer[..whole], index)?;
        index += (whole / size) as u64;
        if let Some(error) = failure {
            return Err(error.into());
        }
        if filled > whole || (filled < wanted && expected.is_some()) {
            return Err(ReadError::Truncated { index, bytes: filled - whole, size });
        }
        if filled < wanted {
            return Ok(());
        }
    }
}

/// An integer type of NumPy.
#[derive(Clone, Copy)]
struct Type {
    size: usize,
    signed: bool,
}

pub fn npy(from: &mut dyn BufRead, to: &mut dyn Accesses) -> Result<(), ReadError> {
    let (element, count, columns) = header(from)?;
    let mut is_large = false;
    let decode = |bytes: &[u8]| -> i64 {
        let fill = if element.signed && bytes[bytes.len() - 1] >= 128 { 0xff } else { 0 };
        let mut wide = [fill; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        i64::from_le_bytes(wide)
    };
    let mut values = Vec::with_capacity(BATCH);
    let row = element.size * columns;
    elements(from, row, Some(count), &mut |bytes, _| {
        values.clear();
        for row in bytes.chunks_exact(row) {
            let (id, value) = row.split_at(row.len() - element.size);
            let value = decode(value);
            if value < 0 && !element.signed && !is_large {
                is_large = true;
                to.unsigned();
            }
            if columns == 1 {
                values.push(value);
            } else {
                to.values(StreamId::plain(decode(id) as u64), &[value]);
            }
        }
        to.values(StreamId::default(), &values);
        Ok(())
    })
}

/// The element type, the number of rows and the number of columns.
fn header(from: &mut dyn BufRead) -> Result<(Type, u64, usize), ReadError> {
    let bad = |what: &str| ReadError::Npy(what.to_owned());
    let mut start = [0u8; 8];
    from.read_exact(&mut start).map_err(|_| bad("cut short"))?;
    if !start.starts_with(b"\x93NUMPY") {
        return Err(bad("no NumPy magic"));
    }
    let length = if start[6] == 1 {
        let mut bytes = [0u8; 2];
        from.read_exact(&mut bytes).map_err(|_| bad("cut short"))?;
        u64::from(u16::from_le_bytes(bytes))
    } else {
        let mut bytes = [0u8; 4];
        from.read_exact(&mut bytes).map_err(|_| bad("cut short"))?;
        u64::from(u32::from_le_bytes(bytes))
    };
    if length > 1 << 20 {
        return Err(bad("header of more than 1 MiB"));
    }
    let mut text = Vec::new();
    from.take(length).read_to_end(&mut text)?;
    if text.len() as u64 != length {
        return Err(bad("cut short"));
    }
    let text = String::from_utf8_lossy(&text);
    let value = |key: &str| -> Option<&str> {
        let rest = &text[text.find(&format!("'{key}'"))? + key.len() + 2..];
        Some(rest.trim_start().strip_prefix(':')?.trim_start())
    };
    let descr = value("descr").ok_or_else(|| bad("no descr"))?;
    let descr = descr.strip_prefix('\'').and_then(|d| d.split('\'').next()).unwrap_or(descr);
    let element = match descr {
        "<i8" => Type { size: 8, signed: true },
        "<u8" => Type { size: 8, signed: false },
        "<i4" => Type { size: 4, signed: true },
        "<u4" => Type { size: 4, signed: false },
        "<i2" => Type { size: 2, signed: true },
        "<u2" => Type { size: 2, signed: false },
        "|i1" => Type { size: 1, signed: true },
        "|u1" => Type { size: 1, signed: false },
        other => {
            let other: String = other.chars().take(20).collect();
            return Err(ReadError::Npy(format!("elements of type {other}")));
        }
    };
    let shape = value("shape").and_then(|s| s.strip_prefix('(')).and_then(|s| s.split(')').next());
    let shape = shape.ok_or_else(|| bad("no shape"))?;
    let sizes: Option<Vec<u64>> =
        shape.split(',').map(str::trim).filter(|s| !s.is_empty()).map(|s| s.parse().ok()).collect();
    let fortran = value("fortran_order").is_some_and(|v| v.starts_with("True"));
    match sizes.as_deref() {
        Some([n]) => Ok((element, *n, 1)),
        Some([_, 2]) if fortran => Err(bad("Fortran order")),
        Some([n, 2]) => Ok((element, *n, 2)),
        Some([]) => Ok((element, 1, 1)),
        _ => Err(ReadError::Npy(format!("shape ({})", shape.chars().take(40).collect::<String>()))),
    }
}
