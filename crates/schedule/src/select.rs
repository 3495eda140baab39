//! Loops by the names that people give them.
//!
//! A loop is meant by its id (`solve.c:relax:12`), by its file and line (`solve.c:12`, with directories or without), or by the
//! function that it is in (in full or short; short within an id as well). What is named exactly wins over what begins so.

use crate::SourceLoop;
use crate::names::short_name;

/// Most names suggested.
const MOST_NEAR: usize = 5;
/// Names at least this similar are suggested, from 0 to 1.
const SIMILAR: f64 = 0.6;

/// Nothing that ran has the name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no loop that ran is or is in {name}{}", self.suggestion())]
pub struct Unknown {
    /// What was asked for.
    pub name: String,
    /// What might have been meant, the most similar first.
    pub near: Vec<String>,
}

impl Unknown {
    fn suggestion(&self) -> String {
        match self.near[..] {
            [] => String::new(),
            _ => format!(
                " (a loop is named by the line of its for or while); did you mean {}?",
                self.near.join(", ")
            ),
        }
    }
}

/// The loops that a name means, in the order of the list.
///
/// # Errors
/// [`Unknown`].
pub fn select(loops: &[SourceLoop], name: &str) -> Result<Vec<usize>, Unknown> {
    let wanted = name.trim();
    let all = |is_meant: &dyn Fn(&SourceLoop) -> bool| -> Vec<usize> {
        (0..loops.len()).filter(|&at| is_meant(&loops[at])).collect()
    };
    let is_at =
        |l: &SourceLoop| l.line > 0 && (l.place() == wanted || format!("{}:{}", l.file, l.line) == wanted);
    let is_short = |l: &SourceLoop| short_id(l) == wanted;
    let is_in = |l: &SourceLoop| l.function == wanted || short_name(&l.function) == wanted;
    let begins = |l: &SourceLoop| {
        [&l.id, &l.function].into_iter().any(|own| own.starts_with(wanted))
            || short_name(&l.function).starts_with(wanted)
    };
    let ways: [&dyn Fn(&SourceLoop) -> bool; 5] = [&|l| l.id == wanted, &is_at, &is_short, &is_in, &begins];
    let found = ways.into_iter().filter(|_| !wanted.is_empty()).map(all).find(|found| !found.is_empty());
    found.ok_or_else(|| Unknown { name: name.to_owned(), near: near(loops, wanted) })
}

/// Names similar to one, the program's own and hotter loops first among equals; without any, those of the hottest loops.
fn near(loops: &[SourceLoop], wanted: &str) -> Vec<String> {
    let score = |l: &SourceLoop| {
        let names = [l.id.as_str(), &l.place(), short_name(&l.function)];
        names.iter().map(|own| strsim::jaro_winkler(own, wanted)).fold(0.0, f64::max)
    };
    let mut scored: Vec<(f64, &SourceLoop)> =
        loops.iter().filter(|l| l.main).map(|l| (score(l), l)).collect();
    if scored.iter().any(|(score, _)| *score >= SIMILAR) {
        scored.retain(|(score, _)| *score >= SIMILAR);
    } else {
        scored.iter_mut().for_each(|(score, _)| *score = 0.0);
    }
    scored
        .sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.share.total_cmp(&a.1.share)).then(a.1.id.cmp(&b.1.id)));
    scored.iter().take(MOST_NEAR).map(|(_, l)| l.id.clone()).collect()
}

/// A loop's id with the short name of its function.
pub fn short_id(l: &SourceLoop) -> String {
    let file = if l.line > 0 { format!("{}:", l.file_name()) } else { String::new() };
    match l.id.get(file.len()..).and_then(|rest| rest.strip_prefix(l.function.as_str())) {
        Some(rest) => format!("{file}{}{rest}", short_name(&l.function)),
        None => l.id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_ids_name_their_loops() {
        let mut loops = crate::analyse(&crate::synthetic::profile(crate::synthetic::Shape::Stencil, 1));
        let l = &mut loops[0];
        l.function = "void grid::relax<double>".to_owned();
        l.id = format!("made_up.c:{}:{}#2", l.function, l.line);
        let short = short_id(l);
        assert_eq!(short, format!("made_up.c:relax:{}#2", l.line));
        assert_eq!(select(&loops, &short), Ok(vec![0]));
    }
}
