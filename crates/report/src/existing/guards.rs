//! What keeps two threads from doing something at a time, line by line, by the text of a file.
//!
//! Definition: a line is *guarded* by the `atomic`, `critical` or `ordered` construct that it stands in, and by the locks that are held
//! there. Two lines exclude each other if they have a guard in common: critical sections of one name, one lock, two atomic operations
//! (OpenMP 5.2, sections 15.2, 15.8 and 18.9).
//!
//! Limits: locks are known by the names of OpenMP's and POSIX's functions and by how their argument is written.

use std::collections::{BTreeMap, BTreeSet};

/// One thing of which a thread has to have hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Guard {
    Atomic,
    /// The critical section of this name; that without a name has an empty one.
    Critical(String),
    Ordered,
    /// The lock that is written so, without spaces.
    Lock(String),
}

/// The guards of a file's lines.
#[derive(Debug, Default)]
pub struct Guards(BTreeMap<u32, BTreeSet<Guard>>);

/// What a lock that is chosen by a subscript has to do with what is guarded.
pub enum Guarded<'a> {
    /// One place: only one lock guards it. The names that are not the same in all iterations.
    Place(&'a dyn Fn(&str) -> bool),
    /// Elements: a lock that is chosen by their own subscripts, which are given without spaces, guards them too.
    Elements(&'a [String]),
}

impl Guards {
    /// Those of a text.
    pub fn of(text: &str, is_fortran: bool) -> Guards {
        let all: Vec<&str> = text.lines().collect();
        let mut out = Guards::default();
        out.locks(&all);
        for (index, line) in all.iter().enumerate() {
            if let Some(guard) = construct(line, is_fortran) {
                for line in lines_of(&all, index, &guard, is_fortran) {
                    out.0.entry(line).or_default().insert(guard.clone());
                }
            }
        }
        out
    }

    /// Whether there is some guard on a line.
    pub fn is_guarded(&self, line: u32) -> bool {
        self.0.contains_key(&line)
    }

    /// Whether some guard is held on all of these lines, so that no two threads are there at a time.
    pub fn exclude(&self, lines: &[u32], what: &Guarded<'_>) -> bool {
        let mut all = lines.iter().map(|line| self.0.get(line));
        let Some(Some(first)) = all.next() else { return false };
        let mut common = first.clone();
        for own in all {
            let Some(own) = own else { return false };
            common.retain(|guard| own.contains(guard));
        }
        common.iter().any(|guard| match guard {
            Guard::Lock(lock) => guards(lock, what),
            _ => true,
        })
    }

    /// Between what takes a lock and what gives it back, these lines included. Functions begin without.
    fn locks(&mut self, all: &[&str]) {
        const TAKE: [&str; 5] =
            ["omp_set_lock", "omp_set_nest_lock", "pthread_mutex_lock", "pthread_spin_lock", "mtx_lock"];
        const GIVE: [&str; 5] = [
            "omp_unset_lock",
            "omp_unset_nest_lock",
            "pthread_mutex_unlock",
            "pthread_spin_unlock",
            "mtx_unlock",
        ];
        let mut held: BTreeSet<String> = BTreeSet::new();
        for (number, line) in (1..).zip(all) {
            if line.starts_with('}') {
                held.clear();
            }
            held.extend(TAKE.iter().flat_map(|name| arguments(line, name)));
            if !held.is_empty() {
                self.0.entry(number).or_default().extend(held.iter().cloned().map(Guard::Lock));
            }
            for given in GIVE.iter().flat_map(|name| arguments(line, name)) {
                held.remove(&given);
            }
        }
    }
}

/// Whether a lock that is written so guards something.
fn guards(lock: &str, what: &Guarded<'_>) -> bool {
    let Some(open) = lock.find('[') else { return true };
    let index = lock[open + 1..].rsplit_once(']').map_or("", |(index, _)| index);
    match what {
        Guarded::Place(is_varying) => !names(index).any(is_varying),
        Guarded::Elements(subscripts) => {
            index.bytes().all(|c| c.is_ascii_digit())
                || subscripts.iter().any(|own| !own.is_empty() && index.contains(own.as_str()))
        }
    }
}

/// The names in an expression.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// The first arguments of the calls of a function on a line, without spaces.
fn arguments<'t>(line: &'t str, name: &'t str) -> impl Iterator<Item = String> + 't {
    line.match_indices(name).filter_map(move |(at, _)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let rest = line[at + name.len()..].trim_start().strip_prefix('(')?;
        let mut depth = 0usize;
        let end = rest.find(|c: char| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' if depth > 0 => depth -= 1,
                ')' | ',' if depth == 0 => return true,
                _ => {}
            }
            false
        })?;
        let text: String = rest[..end].chars().filter(|c| !c.is_whitespace()).collect();
        (!line[..at].ends_with(is_part)).then_some(text)
    })
}

/// The construct that a directive begins which guards what follows.
fn construct(line: &str, is_fortran: bool) -> Option<Guard> {
    let line = line.trim_start().to_ascii_lowercase();
    let rest = if is_fortran {
        line.strip_prefix("!$omp").or_else(|| line.strip_prefix("c$omp"))?.to_owned()
    } else {
        let rest = line.strip_prefix('#')?.trim_start().strip_prefix("pragma")?.trim_start().to_owned();
        rest.strip_prefix("omp")?.to_owned()
    };
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    match word {
        "atomic" => Some(Guard::Atomic),
        "ordered" => Some(Guard::Ordered),
        "critical" => {
            let name = rest.trim_start().strip_prefix('(').and_then(|rest| rest.split(')').next());
            Some(Guard::Critical(name.unwrap_or_default().trim().to_owned()))
        }
        _ => None,
    }
}

/// The lines of a construct that begins on a line: the statement or block behind it, and its own, on which compilers put what they do for
/// it.
fn lines_of(all: &[&str], index: usize, guard: &Guard, is_fortran: bool) -> Vec<u32> {
    let mut out = vec![index as u32 + 1];
    let (mut depth, mut is_open) = (0i64, false);
    for (after, line) in all.iter().enumerate().skip(index + 1) {
        if is_fortran && ends(line) {
            break;
        }
        out.push(after as u32 + 1);
        if is_fortran {
            // It takes one statement without an end.
            if *guard == Guard::Atomic && !line.trim().is_empty() {
                break;
            }
            continue;
        }
        is_open |= line.contains('{');
        depth += line.matches('{').count() as i64 - line.matches('}').count() as i64;
        if if is_open { depth <= 0 } else { line.contains(';') } {
            break;
        }
    }
    out
}

fn ends(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    let rest = line.strip_prefix("!$omp").unwrap_or_default().trim_start();
    rest.strip_prefix("end").is_some_and(|rest| {
        ["atomic", "critical", "ordered"].iter().any(|guard| rest.trim_start().starts_with(guard))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(guards: &Guards) -> Vec<u32> {
        guards.0.keys().copied().collect()
    }

    const ONE: Guarded<'static> = Guarded::Place(&|name| name == "i");

    #[test]
    fn guards_reach_over_a_statement_or_a_block() {
        let c = "for (;;) {\n#pragma omp atomic\n a +=\n b;\n c;\n # pragma omp critical (x)\n {\n d;\n }\n e;\n}\n";
        assert_eq!(lines(&Guards::of(c, false)), [2, 3, 4, 6, 7, 8, 9]);
        let f = "do i = 1, n\n!$omp atomic\n a = a + 1\n b = 2\n!$OMP CRITICAL\n c = 1\n d = 2\n!$omp end critical\n e = 1\nend do\n";
        assert_eq!(lines(&Guards::of(f, true)), [2, 3, 5, 6, 7]);
    }

    #[test]
    fn one_guard_has_to_be_held_everywhere() {
        let c = "#pragma omp critical(a)\n s++;\n#pragma omp critical(b)\n s++;\n#pragma omp critical(a)\n s--;\n#pragma omp critical\n s--;\n s--;\n";
        let guards = Guards::of(c, false);
        assert!(guards.exclude(&[2, 6], &ONE) && guards.exclude(&[2], &ONE));
        assert!(
            !guards.exclude(&[2, 4], &ONE)
                && !guards.exclude(&[2, 8], &ONE)
                && !guards.exclude(&[8, 9], &ONE)
        );
    }

    #[test]
    fn locks_are_held_until_they_are_given_back() {
        let c = "void f() {\n omp_set_lock(& l);\n s++;\n omp_unset_lock(&l);\n s++;\n omp_set_lock(&m[i & 1]);\n s++;\n h[i & 1]++;\n}\nint g() {\n s++;\n}\n";
        let guards = Guards::of(c, false);
        assert_eq!(lines(&guards), [2, 3, 4, 6, 7, 8]);
        assert!(guards.exclude(&[3], &ONE) && !guards.exclude(&[3, 7], &ONE));
        // Another lock each time.
        assert!(!guards.exclude(&[7], &ONE));
        assert!(guards.exclude(&[8], &Guarded::Elements(&["i&1".to_owned()])));
        assert!(!guards.exclude(&[8], &Guarded::Elements(&["j".to_owned()])));
    }
}
