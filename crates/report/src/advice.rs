//! Which legal order is preferred, and why, in words.

use schedule::options::{Advice, Machine};
use serde::Serialize;

use crate::finding::size;

/// The same for programs.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WireAdvice {
    /// Cycles as it is, on one processor.
    cycles_before: f64,
    /// Cycles of the preferred order, on one processor.
    cycles_after: f64,
    /// On all.
    cycles_after_all: f64,
    pays: bool,
    /// Iterations of a tile, of the innermost loop and of the others; absent without tiles.
    tiles: Option<[i64; 2]>,
    wavefront: bool,
    /// Bytes that have to stay in a cache to be used again.
    used_again: f64,
    /// Accesses with a stride of 0 or one element along the innermost loops.
    near_before: Option<f64>,
    near_after: Option<f64>,
    /// In words.
    why: Vec<String>,
}

/// Advice for programs.
pub fn wire(advice: &Advice, machine: &Machine) -> WireAdvice {
    WireAdvice {
        cycles_before: advice.before,
        cycles_after: advice.after.one,
        cycles_after_all: advice.after.all,
        pays: advice.pays(),
        tiles: advice.tiles.map(|(inner, outer)| [inner, outer]),
        wavefront: advice.has_diagonals,
        used_again: advice.used_again,
        near_before: advice.near.0,
        near_after: advice.near.1,
        why: lines(advice, machine),
    }
}

/// Advice for people, line by line.
pub fn lines(advice: &Advice, machine: &Machine) -> Vec<String> {
    let growth = match machine.growth {
        1 => String::new(),
        times => format!(", with loops {times} times as long"),
    };
    let mut out = vec![format!(
        "estimated{growth}: {} cycles as it is, {} as preferred, {} on {} processors",
        cycles(advice.before),
        cycles(advice.after.one),
        cycles(advice.after.all),
        machine.processors,
    )];
    if !advice.pays() {
        out.push("other orders are legal, but none is expected to be faster than what is written".to_owned());
    }
    let again = size(advice.used_again as u64);
    match (advice.tiles, advice.is_tilable) {
        (Some((inner, outer)), _) => out.push(format!(
            "tiles of {outer} iterations, {inner} of the innermost loop{}: {again} would have to stay in a cache otherwise",
            if advice.has_diagonals { ", on diagonals" } else { "" },
        )),
        (None, true) => out.push(match machine.cache_for(advice.used_again) {
            Some(level) => format!("tiles are legal, but not expected to pay: the data used again ({again}) fits the L{level} cache"),
            None => "tiles are legal, but not expected to pay".to_owned(),
        }),
        (None, false) => {}
    }
    if let (Some(before), Some(after)) = advice.near {
        out.push(format!(
            "strides of 0 or one element along the innermost loops: {:.0} % of the accesses, {:.0} % as preferred",
            100.0 * before,
            100.0 * after
        ));
    }
    out
}

/// Cycles as people read them.
fn cycles(count: f64) -> String {
    match count {
        ..1e3 => format!("{count:.0}"),
        ..1e6 => format!("{:.1} k", count / 1e3),
        ..1e9 => format!("{:.1} M", count / 1e6),
        ..1e12 => format!("{:.1} G", count / 1e9),
        _ => format!("{:.1} T", count / 1e12),
    }
}
