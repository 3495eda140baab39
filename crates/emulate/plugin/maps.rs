//! Where code comes from: the mappings of this process, which are the program's where it has any.

use std::sync::{Mutex, PoisonError};

use crate::protocol::{MAPPING, message};
use crate::ring;

struct Area {
    /// Addresses of the program.
    start: u64,
    end: u64,
}

/// Mappings that were told of and have not changed since.
static AREAS: Mutex<Vec<Area>> = Mutex::new(Vec::new());

/// The program has changed its mappings.
pub fn changed() {
    AREAS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Tells of the mapping around an address of the program, if that is news.
pub fn tell_around(pc: u64, base: i64) {
    let mut areas = AREAS.lock().unwrap_or_else(PoisonError::into_inner);
    if areas.iter().any(|area| (area.start..area.end).contains(&pc)) {
        return;
    }
    let maps = std::fs::read("/proc/self/maps").unwrap_or_default();
    let here = pc.wrapping_add_signed(base);
    for line in maps.split(|&byte| byte == b'\n') {
        let Some((start, end, offset, path)) = parse(line) else { continue };
        if (start..end).contains(&here) {
            let (start, end) = (start.wrapping_sub(base as u64), end.wrapping_sub(base as u64));
            let path = if path.starts_with(b"/") { path } else { &[] };
            ring::push(message(MAPPING, 4 + path.len().div_ceil(8)));
            ring::push(start);
            ring::push(end);
            ring::push(offset);
            ring::push_bytes(path);
            areas.push(Area { start, end });
            return;
        }
    }
}

/// Start, end, offset and path of one line.
fn parse(line: &[u8]) -> Option<(u64, u64, u64, &[u8])> {
    let mut fields = line.splitn(6, |&byte| byte == b' ');
    let hexadecimal =
        |field: &[u8]| std::str::from_utf8(field).ok().and_then(|text| u64::from_str_radix(text, 16).ok());
    let mut range = fields.next()?.split(|&byte| byte == b'-');
    let (start, end) = (hexadecimal(range.next()?)?, hexadecimal(range.next()?)?);
    let offset = hexadecimal(fields.nth(1)?)?;
    let path = fields.nth(2).unwrap_or_default().trim_ascii();
    Some((start, end, offset, path))
}
