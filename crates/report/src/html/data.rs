//! What the page's script reads: frames and loops, as columns.

use serde::Serialize;

use super::escape;
use crate::colours;
use crate::directive;
use crate::finding::{self, Report};
use crate::frames::{Frame, Shade, What, clean};
use crate::text::{headline, sentence};
use crate::trying;

/// Most frames that the script gets; smaller ones are left out.
pub const MOST_FRAMES: usize = 20_000;
/// Most loops that the script gets; colder ones are left out.
pub const MOST_LOOPS: usize = 10_000;

/// All of it.
#[derive(Debug, Serialize)]
pub struct Data {
    frames: Columns,
    loops: Vec<Loop>,
    /// Executions were counted alone: no verdicts.
    counted: bool,
    /// Frames that were left out.
    pub frames_left_out: usize,
    /// Loops that were left out.
    pub loops_left_out: usize,
}

/// Frames, outer before inner.
#[derive(Debug, Default, Serialize)]
struct Columns {
    name: Vec<String>,
    /// The frame around; -1 for the program.
    parent: Vec<i64>,
    total: Vec<u64>,
    own: Vec<u64>,
    /// `P`, `R`, `V`, `N`, `?`, or a space for what is no loop.
    letter: Vec<char>,
    /// `a` affine, `n` not affine, `l` library, `u` not recorded.
    shade: Vec<char>,
    /// Index into the loops; -1 for what is none.
    of: Vec<i64>,
}

/// A loop.
#[derive(Debug, Serialize)]
struct Loop {
    id: String,
    letter: char,
    words: String,
    share: f64,
    entries: u64,
    iterations: u64,
    main: bool,
    /// The directive, or what blocks.
    what: String,
    is_directive: bool,
    /// Number of the nest that has a section.
    #[serde(skip_serializing_if = "Option::is_none")]
    nest: Option<usize>,
}

impl Data {
    /// Of a report; `nest_of` says which section a loop is in.
    pub fn of(report: &Report<'_>, frames: &[Frame], nest_of: &dyn Fn(usize) -> Option<usize>) -> Data {
        let mut order: Vec<usize> = (0..report.loops.len()).collect();
        order.sort_by(|&a, &b| {
            report.loops[b].instructions.cmp(&report.loops[a].instructions).then(a.cmp(&b))
        });
        order.truncate(MOST_LOOPS);
        let mut place = vec![-1; report.loops.len()];
        order.iter().enumerate().for_each(|(k, &at)| place[at] = k as i64);
        let loops = order.iter().map(|&at| Loop::of(report, at, nest_of(at))).collect();
        let columns = Columns::of(frames, &place);
        Data {
            frames_left_out: frames.len() - columns.name.len(),
            loops_left_out: report.loops.len() - order.len(),
            counted: report.profile.trust.counted_only,
            frames: columns,
            loops,
        }
    }

    /// As text that can stand in a script element.
    pub fn json(&self) -> String {
        // Plain data cannot fail to become text; an empty page would be noticed at once.
        escape::json(&serde_json::to_string(self).unwrap_or_default())
    }
}

impl Columns {
    /// The largest frames. Those around a frame are at least as large, and stand before it.
    fn of(frames: &[Frame], place: &[i64]) -> Columns {
        let mut order: Vec<usize> = (0..frames.len()).collect();
        order.sort_by(|&a, &b| frames[b].total.cmp(&frames[a].total).then(a.cmp(&b)));
        order.truncate(MOST_FRAMES);
        order.sort_unstable();
        let mut new = vec![-1; frames.len()];
        let mut out = Columns::default();
        for (k, &at) in order.iter().enumerate() {
            let frame = &frames[at];
            new[at] = k as i64;
            out.name.push(frame.name.clone());
            out.parent.push(frame.parent.map_or(-1, |parent| new[parent]));
            out.total.push(frame.total);
            out.own.push(frame.own);
            out.letter.push(frame.verdict.map_or(' ', colours::letter));
            out.shade.push(match frame.shade {
                Shade::Affine => 'a',
                Shade::NotAffine => 'n',
                Shade::Library => 'l',
                Shade::NotRecorded => 'u',
            });
            out.of.push(match frame.what {
                What::Loop(at) => place[at],
                _ => -1,
            });
        }
        out
    }
}

impl Loop {
    fn of(report: &Report<'_>, at: usize, nest: Option<usize>) -> Loop {
        let l = &report.loops[at];
        let measured = trying::measured(report, at).map_or(String::new(), |words| format!(" ({words})"));
        let directive = directive::pasted(report, at).map(|text| format!("{text}{measured}"));
        let is_directive = directive.is_some();
        let instead = || directive::instead(report, at);
        let blocked = || finding::blocking(report.profile, l).first().map(|first| sentence(first, l));
        Loop {
            id: clean(&l.id),
            letter: colours::letter(l.parallel),
            words: headline(l),
            share: (l.share * 1e6).round() / 1e6,
            entries: l.entries,
            iterations: l.iterations,
            main: l.main,
            what: directive.or_else(instead).or_else(blocked).map(|what| clean(&what)).unwrap_or_default(),
            is_directive,
            nest,
        }
    }
}
