//! Conditional compilation that cuts statements in two, which no grammar understands: `if (x) {`, `#else`, `if (y) {`, `#endif`.
//!
//! Definition: a *variant* of a text has one branch of every conditional and blanks in place of the others, so that all positions stay.
//! Which branch was compiled is not known. So of a variant nothing is taken but loops without a conditional inside, which all variants
//! that are understood have in common.

use profile::lens::FileLoops;

/// Which branch a variant has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Branch {
    /// The first, as if all names that are asked for were defined.
    First,
    /// The last, if it is an `#else`, as if none were.
    Else,
}

/// A variant of a text.
pub(super) struct Variant {
    pub text: Vec<u8>,
    /// Lines of conditionals' directives, ascending, from 1.
    pub lines: Vec<u32>,
}

/// What stands on a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    If { never: bool },
    Else,
    ElseIf,
    End,
    Other,
}

impl Variant {
    /// Makes one; `None` if the text has no conditionals, or if they are not closed.
    pub(super) fn new(text: &[u8], branch: Branch) -> Option<Variant> {
        let mut out = Variant { text: Vec::with_capacity(text.len()), lines: Vec::new() };
        // Of the conditionals around a line: whether the branch is the one that stays, and whether one has stayed.
        let mut around: Vec<(bool, bool)> = Vec::new();
        let mut continues = false;
        for (index, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let what = if continues { Line::Other } else { read(line) };
            let was_directive = continues;
            match what {
                Line::If { never } => {
                    let stays = branch == Branch::First && !never;
                    around.push((stays, stays));
                }
                Line::ElseIf => {
                    let top = around.last_mut()?;
                    *top = (false, top.1);
                }
                Line::Else => {
                    let top = around.last_mut()?;
                    *top = (!top.1, true);
                }
                Line::End => {
                    around.pop()?;
                }
                Line::Other => {}
            }
            if what != Line::Other {
                out.lines.push(u32::try_from(index + 1).ok()?);
            }
            let is_directive = what != Line::Other || was_directive;
            continues = is_directive && line.trim_ascii_end().ends_with(b"\\");
            if !is_directive && around.iter().all(|level| level.0) {
                out.text.extend_from_slice(line);
            } else {
                out.text.extend(line.iter().map(|&byte| if byte == b'\n' { b'\n' } else { b' ' }));
            }
        }
        (around.is_empty() && !out.lines.is_empty()).then_some(out)
    }

    /// Marks loops with a conditional inside as not understood; gives how many are understood.
    pub(super) fn mark(&self, loops: &mut FileLoops) -> usize {
        for one in &mut loops.loops {
            let from = self.lines.partition_point(|&line| line < one.at.line);
            one.errors |= self.lines.get(from).is_some_and(|&line| line <= one.end.line);
        }
        understood(loops)
    }
}

/// How many loops are understood.
pub(super) fn understood(loops: &FileLoops) -> usize {
    loops.loops.iter().filter(|one| !one.errors).count()
}

fn read(line: &[u8]) -> Line {
    let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { return Line::Other };
    let rest = rest.trim_ascii();
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (word, condition) = rest.split_at(length);
    match word {
        b"if" => Line::If { never: condition.trim_ascii() == b"0" },
        b"ifdef" | b"ifndef" => Line::If { never: false },
        b"elif" | b"elifdef" | b"elifndef" => Line::ElseIf,
        b"else" => Line::Else,
        b"endif" => Line::End,
        _ => Line::Other,
    }
}
