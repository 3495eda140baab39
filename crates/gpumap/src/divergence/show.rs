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
        let place = branch.place.map_or("?".into(), |(line, column)| format!("{line}:{column}"));
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {place}: {}", described(branch, block));
    }
    out
}

fn described(branch: &Branch, block: Block) -> String {
    let by = match branch.by {
        By::Place if block.has_whole_rows() => {
            "changes once along x: of each row of threads at most one warp parts"
        }
        By::Place | By::Thread => "changes along x",
        By::Data => "depends on data: any warp may part",
    };
    let counted = branch.parted.map(|parted| {
        let most = if parted.is_most { "at most " } else { "" };
        format!("; lanes part {most}{} of {} times that a warp comes there", parted.parted, parted.all)
    });
    format!("{by}{}", counted.unwrap_or_default())
}
