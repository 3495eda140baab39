//! Which loop stands at a position that debug information names.

use super::{FileLoops, LoopKind, SourceLoop};

impl FileLoops {
    /// The loop whose statement is at a position: on its keyword, or on any line of its header; of `do … while` also on the
    /// lines of its closing condition.
    ///
    /// Where several loops share the line, the column decides: the loop that starts last before it. `None` if no loop is
    /// there, or if several are and the column is not known or stands before all of them.
    pub fn at(&self, line: u32, column: Option<u32>) -> Option<&SourceLoop> {
        let here = || self.loops.iter().filter(move |one| one.has_statement_on(line));
        if here().nth(1).is_none() {
            return here().next();
        }
        let column = column.filter(|&column| column > 0)?;
        let starts_before =
            |one: &&SourceLoop| one.at.line < line || (one.at.line == line && one.at.column <= column);
        let reaches =
            |one: &&SourceLoop| one.end.line > line || (one.end.line == line && column <= one.end.column);
        here().filter(starts_before).filter(reaches).max_by_key(|one| one.at)
    }

    /// The innermost loop around a position.
    pub fn around(&self, line: u32, column: Option<u32>) -> Option<&SourceLoop> {
        self.loops.iter().rfind(|one| one.holds(line, column))
    }

    /// The index of a loop of this file.
    pub fn index_of(&self, one: &SourceLoop) -> Option<u32> {
        self.loops.iter().position(|other| std::ptr::eq(one, other)).and_then(|at| u32::try_from(at).ok())
    }

    /// The loops around one, from the next one outwards.
    pub fn parents(&self, of: &SourceLoop) -> impl std::iter::Iterator<Item = &SourceLoop> {
        let above = |one: &SourceLoop| one.parent.and_then(|parent| self.loops.get(parent as usize));
        std::iter::successors(above(of), move |&one| above(one))
    }
}

impl SourceLoop {
    fn has_statement_on(&self, line: u32) -> bool {
        let header = self.at.line <= line && line <= self.header_last_line;
        let closing = self.kind == LoopKind::DoWhile && self.body.1.line <= line && line <= self.end.line;
        header || closing
    }

    fn holds(&self, line: u32, column: Option<u32>) -> bool {
        if line < self.at.line || line > self.end.line {
            return false;
        }
        let Some(column) = column.filter(|&column| column > 0) else { return true };
        (line > self.at.line || column >= self.at.column)
            && (line < self.end.line || column <= self.end.column)
    }
}
