//! Branches that part lanes, as text for people.

use std::fmt::Write as _;

use super::branches::{Branch, By};
use crate::device::Block;

/// A line for each branch that may part the lanes of a warp.
pub fn show_branches(list: &[Branch], block: Block) -> String {
    if list.is_empty() {
        return "divergence: no branch parts the lanes of a warp\n".into();
    }
    let mut out = String::from("divergence\n");
    for branch in list {
        let line = branch.line.map_or("?".into(), |line| line.to_string());
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  line {line}: {}", described(branch, block));
    }
    out
}

/// What is said of a branch.
pub fn described(branch: &Branch, block: Block) -> String {
    let by = match branch.by {
        By::Place if block.has_whole_rows() => {
            "decided by the thread, alike in all warps of a row but one at most"
        }
        By::Place | By::Thread => "decided by the thread",
        By::Data => "decided by data: lanes of any warp may part",
    };
    let counted = branch.parted.map(|parted| {
        let most = if parted.is_most { "at most " } else { "" };
        format!(": lanes part {most}{} of {} times", parted.parted, parted.all)
    });
    format!("{by}{}", counted.unwrap_or_default())
}
