//! Directives written into the bytes of a source: line ends, indentation and whatever encoding stay.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Columns of a line of Fortran in fixed form that count.
const FIXED: usize = 72;
/// Columns of a line of Fortran in free form that every compiler takes.
const FREE: usize = 132;
/// Unchanged lines around a change in a patch.
const CONTEXT: usize = 3;

/// How a language writes directives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `#pragma` on a line of its own: C and C++.
    Pragma,
    /// `!$omp`: Fortran in free form.
    Free,
    /// `!$omp` in the first columns: Fortran in fixed form.
    Fixed,
}

/// A directive, and the loop that it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The loop's name in reports.
    pub loop_id: String,
    /// Its file, as the profile names it.
    pub file: PathBuf,
    /// The line of its keyword, from 1.
    pub line: u32,
    /// The column of its keyword in bytes, from 1; 0 if it is not known.
    pub column: u32,
    /// Its last line.
    pub last_line: u32,
    /// The directive, in one line.
    pub text: String,
    /// How it is written.
    pub form: Form,
}

impl Candidate {
    /// Whether it takes OpenMP's library: lanes alone do not.
    pub(crate) fn is_threaded(&self) -> bool {
        self.text.contains("parallel")
    }
}

/// Why a directive could not be written into a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotApplied {
    /// The file is not in the tree that is copied.
    Outside,
    /// The file is not there, or cannot be read.
    Missing,
    /// The file was changed after the profile was written.
    Changed,
    /// No loop begins on the line.
    NoLoop,
    /// The line belongs to a macro, or a pragma stands right before it.
    Occupied,
}

/// A line that becomes several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// Its index, from 0.
    pub(crate) at: usize,
    /// What stands there instead, each with its line end.
    pub(crate) lines: Vec<Vec<u8>>,
}

/// The lines of a text, with their ends.
pub(crate) fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// What a directive does to a source.
pub(crate) fn edit(lines: &[&[u8]], candidate: &Candidate) -> Result<Edit, NotApplied> {
    let at = (candidate.line as usize).checked_sub(1).ok_or(NotApplied::NoLoop)?;
    let line = *lines.get(at).ok_or(NotApplied::NoLoop)?;
    let (body, end) = split_end(line);
    // The only line of a text may be without an end.
    let end = if end.is_empty() { b"\n".as_slice() } else { end };
    let keyword = keyword(body, candidate).ok_or(NotApplied::NoLoop)?;
    let before = at.checked_sub(1).map(|at| split_end(lines[at]).0).unwrap_or_default();
    if before.ends_with(b"\\") || candidate.form == Form::Pragma && is_pragma(lines, at) {
        return Err(NotApplied::Occupied);
    }
    let is_blank = |text: &[u8]| text.iter().all(u8::is_ascii_whitespace);
    let blanks = body.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let indent = &body[..blanks];
    let with_end = |text: &[u8]| [text, end].concat();
    let mut new: Vec<Vec<u8>> = Vec::new();
    // What stands before the loop in its line stays before the directive, but for a name or label of Fortran.
    let own = match candidate.form {
        Form::Pragma if !is_blank(&body[..keyword]) => {
            new.push(with_end(&body[..keyword]));
            [indent, &body[keyword..]].concat()
        }
        _ => body.to_vec(),
    };
    for text in written(candidate, indent) {
        new.push(with_end(&text));
    }
    new.push([own.as_slice(), split_end(line).1].concat());
    Ok(Edit { at, lines: new })
}

/// A line, and its end.
fn split_end(line: &[u8]) -> (&[u8], &[u8]) {
    let end = match line {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n'] => 1,
        _ => 0,
    };
    line.split_at(line.len() - end)
}

/// Where the loop's keyword begins in its line.
fn keyword(body: &[u8], candidate: &Candidate) -> Option<usize> {
    let word: &[u8] = if candidate.form == Form::Pragma { b"for" } else { b"do" };
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_here = |at: usize| {
        let Some(rest) = body.get(at..) else { return false };
        rest.len() >= word.len()
            && rest[..word.len()].eq_ignore_ascii_case(word)
            && !is_part(rest.get(word.len()))
            && !is_part(at.checked_sub(1).and_then(|at| body.get(at)))
    };
    let column = (candidate.column as usize).checked_sub(1).filter(|&at| is_here(at));
    column.or_else(|| (0..body.len()).find(|&at| is_here(at)))
}

/// Whether a pragma is the last thing before a line: it is about that line.
fn is_pragma(lines: &[&[u8]], at: usize) -> bool {
    let before = lines[..at].iter().rev().map(|line| line.trim_ascii()).find(|line| !line.is_empty());
    before.is_some_and(|line| {
        line.strip_prefix(b"#").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"pragma"))
    })
}

/// The lines of a directive, without their ends.
fn written(candidate: &Candidate, indent: &[u8]) -> Vec<Vec<u8>> {
    continued(&candidate.text, candidate.form, indent)
}

/// The lines that a directive takes in a form of source, without their ends: Fortran continues what is longer than its lines are.
pub fn continued(text: &str, form: Form, indent: &[u8]) -> Vec<Vec<u8>> {
    let (first, next, width, cut) = match form {
        Form::Pragma => return vec![[indent, text.as_bytes()].concat()],
        Form::Free => (indent.to_vec(), [indent, b"!$omp& "].concat(), FREE, " &"),
        Form::Fixed => (Vec::new(), b"!$omp& ".to_vec(), FIXED, ""),
    };
    let mut out = vec![first];
    for word in text.split(' ') {
        let line = out.last_mut().expect("there is a first line");
        let is_start = line.iter().all(u8::is_ascii_whitespace) || *line == next;
        if !is_start && line.len() + 1 + word.len() + cut.len() > width {
            line.extend_from_slice(cut.as_bytes());
            out.push([next.as_slice(), word.as_bytes()].concat());
            continue;
        }
        if !is_start {
            line.push(b' ');
        }
        line.extend_from_slice(word.as_bytes());
    }
    out
}

/// A text with edits, of which no two are at one line.
pub(crate) fn edited(text: &[u8], edits: &[&Edit]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 64 * edits.len());
    for (at, line) in lines(text).into_iter().enumerate() {
        match edits.iter().find(|edit| edit.at == at) {
            Some(edit) => out.extend(edit.lines.concat()),
            None => out.extend_from_slice(line),
        }
    }
    out
}

/// A unified diff of files and what becomes of them.
pub fn patch<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8], &'a [u8])>) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, before, after) in files {
        if before != after {
            out.extend(format!("--- a/{name}\n+++ b/{name}\n").bytes());
            hunks(&lines(before), &lines(after), &mut out);
        }
    }
    out
}

/// Hunks of two texts of which the second has everything of the first but lines that were split.
fn hunks(before: &[&[u8]], after: &[&[u8]], out: &mut Vec<u8>) {
    // Runs of equal lines: where in the first, where in the second, how many.
    let mut changes: Vec<(usize, usize, usize, usize)> = Vec::new();
    let (mut a, mut b) = (0, 0);
    while a < before.len() || b < after.len() {
        if a < before.len() && b < after.len() && before[a] == after[b] {
            (a, b) = (a + 1, b + 1);
            continue;
        }
        let (from_a, from_b) = (a, b);
        (a, b) = next_equal(before, after, a, b);
        changes.push((from_a, a, from_b, b));
    }
    let mut at = 0;
    while at < changes.len() {
        let mut last = at;
        while last + 1 < changes.len() && changes[last + 1].0 - changes[last].1 <= 2 * CONTEXT {
            last += 1;
        }
        let group = &changes[at..=last];
        let lead = group[0].0.min(CONTEXT);
        let tail = (before.len() - changes[last].1).min(CONTEXT);
        let (from_a, from_b) = (group[0].0 - lead, group[0].2 - lead);
        let (to_a, to_b) = (changes[last].1 + tail, changes[last].3 + tail);
        let range =
            |from: usize, to: usize| format!("{},{}", if to > from { from + 1 } else { from }, to - from);
        out.extend(format!("@@ -{} +{} @@\n", range(from_a, to_a), range(from_b, to_b)).bytes());
        let mut place = from_a;
        for &(start, end, new_start, new_end) in group {
            before[place..start].iter().for_each(|line| shown(b' ', line, out));
            before[start..end].iter().for_each(|line| shown(b'-', line, out));
            after[new_start..new_end].iter().for_each(|line| shown(b'+', line, out));
            place = end;
        }
        before[place..to_a].iter().for_each(|line| shown(b' ', line, out));
        at = last + 1;
    }
}

/// The next places at which both texts go on alike.
fn next_equal(before: &[&[u8]], after: &[&[u8]], a: usize, b: usize) -> (usize, usize) {
    for sum in 1..=(before.len() - a) + (after.len() - b) {
        for skipped in 0..=sum {
            let (to_a, to_b) = (a + skipped, b + sum - skipped);
            let is_end = to_a == before.len() && to_b == after.len();
            let is_equal = to_a < before.len() && to_b < after.len() && before[to_a] == after[to_b];
            if is_end || is_equal {
                return (to_a, to_b);
            }
        }
    }
    (before.len(), after.len())
}

fn shown(sign: u8, line: &[u8], out: &mut Vec<u8>) {
    out.push(sign);
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.extend(b"\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(line: u32, text: &str, form: Form) -> Candidate {
        Candidate {
            loop_id: String::new(),
            file: PathBuf::new(),
            line,
            column: 0,
            last_line: line,
            text: text.to_owned(),
            form,
        }
    }

    fn changed(text: &[u8], line: u32, directive: &str, form: Form) -> Result<Vec<u8>, NotApplied> {
        let edit = edit(&lines(text), &candidate(line, directive, form))?;
        Ok(edited(text, &[&edit]))
    }

    #[test]
    fn line_ends_indentation_and_bytes_stay() {
        let text = b"a\xff\r\n\tfor (;;)\r\nb\n";
        let out = changed(text, 2, "#pragma omp parallel for", Form::Pragma);
        assert_eq!(out.expect("a loop"), b"a\xff\r\n\t#pragma omp parallel for\r\n\tfor (;;)\r\nb\n");
    }

    #[test]
    fn what_stands_before_the_loop_stays_before_the_directive() {
        let out = changed(b"  if (x) for (i = 0;;) {\n", 1, "#pragma", Form::Pragma).expect("a loop");
        assert_eq!(String::from_utf8_lossy(&out), "  if (x) \n  #pragma\n  for (i = 0;;) {\n");
        let out = changed(b"  outer: DO i = 1, n\n", 1, "!$omp parallel do", Form::Free).expect("a loop");
        assert_eq!(String::from_utf8_lossy(&out), "  !$omp parallel do\n  outer: DO i = 1, n\n");
    }

    #[test]
    fn lines_that_are_no_loops_are_refused() {
        let of = |text: &[u8]| changed(text, 2, "#pragma", Form::Pragma);
        assert_eq!(of(b"a\nfork();\n"), Err(NotApplied::NoLoop));
        assert_eq!(of(b"a\n"), Err(NotApplied::NoLoop));
        assert_eq!(of(b"#define f(x) \\\nfor (;;) x\n"), Err(NotApplied::Occupied));
        assert_eq!(of(b"  # pragma GCC ivdep\nfor (;;) x\n"), Err(NotApplied::Occupied));
    }

    #[test]
    fn long_directives_of_fortran_go_on() {
        let names: Vec<String> = (0..20).map(|k| format!("variable_{k},")).collect();
        let text = format!("!$omp parallel do private({}", names.join(" "));
        for (form, width) in [(Form::Fixed, FIXED), (Form::Free, FREE)] {
            let out = changed(b"      do i = 1, n\n", 1, &text, form).expect("a loop");
            let out = String::from_utf8_lossy(&out);
            let all: Vec<&str> = out.lines().collect();
            assert!(all.len() > 2 && all.iter().all(|line| line.len() <= width), "{out}");
            let lead = if form == Form::Fixed { "!$omp" } else { "      !$omp" };
            let (last, directive) = all.split_last().expect("lines");
            assert!(directive.iter().all(|line| line.starts_with(lead)), "{out}");
            let is_cut = |line: &&str| line.ends_with(" &");
            assert_eq!(
                directive.iter().filter(|l| is_cut(l)).count() + 1 == directive.len(),
                form == Form::Free
            );
            assert_eq!(*last, "      do i = 1, n");
        }
    }

    #[test]
    fn patches() {
        let before: String = (1..=20).map(|k| format!("line {k}\n")).collect();
        let after = before.replace("line 3\n", "new\nline 3\n").replace("line 19\n", "cut\n\nline 19\n");
        let out = patch([("d/a.c", before.as_bytes(), after.as_bytes()), ("b", b"x", b"x")]);
        let text = String::from_utf8_lossy(&out);
        let expected = "--- a/d/a.c\n+++ b/d/a.c\n@@ -1,5 +1,6 @@\n line 1\n line 2\n+new\n line 3\n line 4\n line 5\n\
                        @@ -16,5 +17,7 @@\n line 16\n line 17\n line 18\n+cut\n+\n line 19\n line 20\n";
        assert_eq!(text, expected);
        let out = patch([("a", b"if for\n".as_slice(), b"if\n#p\nfor\n".as_slice())]);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "--- a/a\n+++ b/a\n@@ -1,1 +1,3 @@\n-if for\n+if\n+#p\n+for\n"
        );
    }
}
