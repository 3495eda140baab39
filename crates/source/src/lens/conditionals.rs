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
    /// First and last lines, from 1, ascending, of the conditionals that have more than comments and directives inside.
    pub boundaries: Vec<u32>,
}

/// A conditional around a line.
struct Around {
    /// The branch is the one that stays.
    stays: bool,
    /// One has stayed.
    has_stayed: bool,
    /// Its first line.
    line: u32,
    has_content: bool,
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
        let mut out = Variant { text: Vec::with_capacity(text.len()), boundaries: Vec::new() };
        let mut around: Vec<Around> = Vec::new();
        let (mut continues, mut in_comment, mut is_any) = (false, false, false);
        for (index, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let number = u32::try_from(index + 1).ok()?;
            let what = if continues { Line::Other } else { read(line) };
            let was_directive = continues;
            match what {
                Line::If { never } => {
                    let stays = branch == Branch::First && !never;
                    is_any = true;
                    around.push(Around { stays, has_stayed: stays, line: number, has_content: false });
                }
                Line::ElseIf => around.last_mut()?.stays = false,
                Line::Else => {
                    let top = around.last_mut()?;
                    top.stays = !top.has_stayed;
                    top.has_stayed = true;
                }
                Line::End => {
                    let top = around.pop()?;
                    if top.has_content {
                        out.boundaries.extend([top.line, number]);
                    }
                }
                Line::Other => {}
            }
            let is_content = !is_comment(line, &mut in_comment) && !line.trim_ascii_start().starts_with(b"#");
            if is_content && !was_directive {
                around.iter_mut().for_each(|level| level.has_content = true);
            }
            let is_directive = what != Line::Other || was_directive;
            continues = is_directive && line.trim_ascii_end().ends_with(b"\\");
            if !is_directive && around.iter().all(|level| level.stays) {
                out.text.extend_from_slice(line);
            } else {
                out.text.extend(line.iter().map(|&byte| if byte == b'\n' { b'\n' } else { b' ' }));
            }
        }
        out.boundaries.sort_unstable();
        (around.is_empty() && is_any).then_some(out)
    }

    /// Marks loops with a conditional inside as not understood; gives how many are understood.
    pub(super) fn mark(&self, loops: &mut FileLoops) -> usize {
        for one in &mut loops.loops {
            let from = self.boundaries.partition_point(|&line| line < one.at.line);
            one.errors |= self.boundaries.get(from).is_some_and(|&line| line <= one.end.line);
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

/// Whether a line has nothing but blanks and comments; `inside`: it begins in one, and the next line does.
fn is_comment(line: &[u8], inside: &mut bool) -> bool {
    let mut rest = line.trim_ascii();
    loop {
        if *inside {
            let Some(end) = rest.windows(2).position(|pair| pair == b"*/") else { return true };
            *inside = false;
            rest = rest[end + 2..].trim_ascii();
        }
        match rest {
            [] | [b'/', b'/', ..] => return true,
            [b'/', b'*', more @ ..] => (*inside, rest) = (true, more),
            _ => return false,
        }
    }
}
