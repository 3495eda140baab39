//! Which locks are held on which lines, by the text of a file in C or C++.
//!
//! Definition: a lock is held between what takes it and what gives it back, these lines included, or to the end of the scope of an
//! object that takes it for as long. What takes and gives are the functions of OpenMP and POSIX, methods `lock` and `unlock`, and functions of
//! the file that do one of both and not the other: *wrappers*; of a class that does one in its constructor and the other in its
//! destructor, objects. A wrapper's lock is written as in its text, with the arguments of the call for its parameters.
//!
//! A lock that is taken on a condition is held by what the condition does, up to its closing brace. A pointer that the file sets once stands
//! for what its address is of.
//!
//! Limits: locks are known by how they are written; functions begin without any.

use std::collections::{BTreeMap, BTreeSet};

/// Functions that take the lock to which their first argument leads.
const TAKE: [&str; 11] = [
    "omp_set_lock",
    "omp_test_lock",
    "omp_set_nest_lock",
    "omp_test_nest_lock",
    "pthread_mutex_lock",
    "pthread_spin_lock",
    "pthread_rwlock_wrlock",
    "mtx_lock",
    "__sync_lock_test_and_set",
    "atomic_flag_test_and_set",
    "atomic_flag_test_and_set_explicit",
];
/// Functions that give it back.
const GIVE: [&str; 9] = [
    "omp_unset_lock",
    "omp_unset_nest_lock",
    "pthread_mutex_unlock",
    "pthread_spin_unlock",
    "pthread_rwlock_unlock",
    "mtx_unlock",
    "__sync_lock_release",
    "atomic_flag_clear",
    "atomic_flag_clear_explicit",
];
/// Methods that take and give what they are called on.
const TAKE_METHODS: [&str; 2] = ["lock", "try_lock"];
const GIVE_METHOD: &str = "unlock";
/// What takes a lock until its scope ends.
const SCOPED: [&str; 3] = ["lock_guard", "scoped_lock", "unique_lock"];

/// Words before a call, where a declaration has a type.
const CALLS: [&str; 4] = ["return", "else", "do", "call"];

/// Wrappers of wrappers are followed so far.
const DEEPEST: usize = 3;

/// A function of the file that takes locks, or gives them back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Wrapper {
    parameters: Vec<String>,
    takes: BTreeSet<String>,
    gives: BTreeSet<String>,
    /// What it takes is no lock of OpenMP.
    is_other: bool,
}

/// An object that takes a lock until its scope ends.
struct Scoped {
    object: String,
    lock: String,
    /// It does so only when it is told to.
    is_deferred: bool,
    /// That is none of OpenMP's.
    is_other: bool,
}

/// What a file's text says of its locks.
#[derive(Debug, Default)]
pub(super) struct Locks {
    wrappers: BTreeMap<String, Wrapper>,
    /// Pointers that are set once, and to what.
    aliases: BTreeMap<String, String>,
    /// What the text unlocks by a method: others may have a method `lock` that is about something else.
    unlocked: BTreeSet<String>,
}

impl Locks {
    /// Reads the lines of a text without comments.
    pub fn of(all: &[&str]) -> Locks {
        let unlocked = all.iter().flat_map(|line| objects(line, GIVE_METHOD)).collect();
        let mut out = Locks { wrappers: BTreeMap::new(), aliases: aliases(all), unlocked };
        for _ in 0..DEEPEST {
            let found = out.wrappers_of(all);
            if found == out.wrappers {
                break;
            }
            out.wrappers = found;
        }
        out
    }

    /// What a name stands for: `p` for `x` if all that the file sets it to is `&x`.
    pub fn target<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(name).map_or(name, |of| of.trim_start_matches('&'))
    }

    /// The locks that are held on each line, from 1, and those among them that are none of OpenMP's; `ends`: the last lines of functions.
    pub fn held(
        &self,
        all: &[&str],
        ends: &BTreeSet<u32>,
    ) -> (BTreeMap<u32, BTreeSet<String>>, BTreeSet<String>) {
        let mut others: BTreeSet<String> = BTreeSet::new();
        // How often a lock is held, and at which depth of braces it was taken.
        let mut held: BTreeMap<String, (u32, i64)> = BTreeMap::new();
        let mut scoped: Vec<(String, i64)> = Vec::new();
        // What objects take for as long as their scopes last, by the names of the objects.
        let mut objects: BTreeMap<String, String> = BTreeMap::new();
        let mut depth = 0i64;
        // The line before is a condition on the one statement that follows.
        let mut depends = false;
        let mut out: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for (number, line) in (1..).zip(all) {
            let is_behind = number > 1 && ends.contains(&(number - 1));
            if is_behind || ends.contains(&number) && line.trim_start().starts_with('}') {
                held.clear();
                scoped.clear();
                objects.clear();
            }
            let before = depth;
            depth += braces(line);
            let start = line.trim_start().trim_start_matches('}').trim_start();
            let taken = match start.starts_with("if") || start.starts_with("else") {
                true if line.contains('{') => depth,
                // The one statement that depends on it.
                true => i64::MAX,
                false if depends => i64::MAX,
                // `while (!omp_test_lock(&l)) { … }` has it behind the braces.
                false => before.min(depth),
            };
            if !start.is_empty() {
                let is_condition = start.starts_with("if") || start.starts_with("else");
                let goes_on = depends && !start.contains([';', '{']);
                depends = (is_condition || goes_on) && !start.trim_end().ends_with(['{', ';', '}']);
            }
            // `} else {` ends a scope and begins another one.
            let ends = lowest(line).saturating_add(before);
            if ends < before.min(depth) {
                scoped.retain(|(_, taken)| *taken <= ends);
                held.retain(|_, (_, taken)| *taken <= ends);
            }
            let of = |objects: &BTreeMap<String, String>, lock: String| {
                objects.get(&lock).cloned().unwrap_or(lock)
            };
            for (lock, is_other) in self.taken_on(line) {
                let lock = of(&objects, lock);
                others.extend(is_other.then(|| lock.clone()));
                held.entry(lock).or_insert((0, taken)).0 += 1;
            }
            // An object that took nothing when it was made does so now, until its scope ends.
            for object in TAKE_METHODS.iter().flat_map(|name| self::objects(line, name)) {
                if let Some(lock) = objects.get(&object).filter(|_| !self.unlocked.contains(&object)) {
                    scoped.push((lock.clone(), depth));
                }
            }
            for Scoped { object, lock, is_deferred, is_other } in self.scoped_on(line) {
                others.extend(is_other.then(|| lock.clone()));
                if !is_deferred {
                    scoped.push((lock.clone(), depth));
                }
                objects.insert(object, lock);
            }
            let locks = held.keys().chain(scoped.iter().map(|(lock, _)| lock)).cloned();
            let locks: BTreeSet<String> = locks.collect();
            if !locks.is_empty() {
                out.insert(number, locks);
            }
            for given in self.given_on(line) {
                let given = of(&objects, given);
                if let Some(at) = scoped.iter().rposition(|(lock, taken)| *lock == given && *taken == depth) {
                    scoped.remove(at);
                }
                if let Some((count, taken)) = held.get_mut(&given) {
                    *count = count.saturating_sub(1);
                    // What gives it back on a condition leaves the way on which it is held.
                    let leaves = depth > *taken || before > *taken;
                    if *count == 0 && !leaves {
                        held.remove(&given);
                    } else {
                        *count = (*count).max(1);
                    }
                }
            }
            // Taken on a condition, it is not held behind that.
            held.retain(|_, (_, taken)| *taken <= depth);
            scoped.retain(|(_, taken)| *taken <= depth);
        }
        (out, others)
    }

    /// What is taken on a line, and whether that is none of OpenMP's locks.
    fn taken_on(&self, line: &str) -> Vec<(String, bool)> {
        let mut out: Vec<(String, bool)> = Vec::new();
        for name in TAKE {
            out.extend(arguments(line, name).map(|lock| (lock, !name.starts_with("omp_"))));
        }
        for name in TAKE_METHODS {
            // Of which class an object is, is not known.
            let taken = objects(line, name).filter(|object| self.unlocked.contains(object));
            out.extend(taken.map(|object| (object, true)));
        }
        self.wrapped(line, &|wrapper| &wrapper.takes, &mut out);
        out.iter_mut().for_each(|(lock, _)| self.plain(lock));
        out
    }

    fn given_on(&self, line: &str) -> Vec<String> {
        let mut out: Vec<String> = GIVE.iter().flat_map(|name| arguments(line, name)).collect();
        out.extend(objects(line, GIVE_METHOD));
        let mut wrapped = Vec::new();
        self.wrapped(line, &|wrapper| &wrapper.gives, &mut wrapped);
        out.extend(wrapped.into_iter().map(|(lock, _)| lock));
        out.iter_mut().for_each(|lock| self.plain(lock));
        out
    }

    /// Objects that are declared on a line and take locks.
    fn scoped_on<'l>(&'l self, line: &'l str) -> impl Iterator<Item = Scoped> + 'l {
        let own = self.wrappers.iter().filter(|(name, own)| {
            let end = self.wrappers.get(&format!("~{name}"));
            !own.takes.is_empty() && end.is_some_and(|end| !end.gives.is_empty())
        });
        let classes =
            own.map(|(name, own)| (name.as_str(), own.is_other)).chain(SCOPED.map(|name| (name, true)));
        classes.filter_map(move |(class, is_other)| {
            let at = line.find(class)?;
            let rest = &line[at + class.len()..];
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '~';
            if line[..at].ends_with(is_part) || rest.starts_with(is_part) {
                return None;
            }
            let rest = match rest.strip_prefix('<') {
                Some(rest) => rest.split_once('>').map_or(rest, |(_, rest)| rest),
                None => rest,
            };
            // A name, and what the object is made of.
            let rest = rest.trim_start();
            let name = rest.find(|c: char| !is_part(c)).filter(|&end| end > 0)?;
            let inside = rest[name..].trim_start().strip_prefix(['(', '{'])?;
            let is_deferred = super::guards::words(inside).any(|word| word == "defer_lock");
            let mut lock: String = inside.split([')', '}', ',']).next()?.split_whitespace().collect();
            self.plain(&mut lock);
            Some(Scoped { object: rest[..name].to_owned(), lock, is_deferred, is_other })
        })
    }

    /// The locks of the wrappers that are called on a line.
    fn wrapped(&self, line: &str, of: &dyn Fn(&Wrapper) -> &BTreeSet<String>, out: &mut Vec<(String, bool)>) {
        for (name, wrapper) in self.wrappers.iter().filter(|(_, own)| !of(own).is_empty()) {
            for (object, given) in calls(line, name) {
                out.extend(of(wrapper).iter().map(|lock| {
                    let own = substituted(lock, &wrapper.parameters, &given);
                    let own = match &object {
                        Some(object) if own == *lock => format!("{object}.{own}"),
                        _ => own,
                    };
                    (own, wrapper.is_other)
                }));
            }
        }
    }

    /// Has a lock written by what it is, not by a pointer to it.
    fn plain(&self, lock: &mut String) {
        if let Some(of) = self.aliases.get(lock.as_str()) {
            lock.clone_from(of);
        }
    }

    fn wrappers_of(&self, all: &[&str]) -> BTreeMap<String, Wrapper> {
        let mut out: BTreeMap<String, Wrapper> = BTreeMap::new();
        // What stands before each open brace.
        let mut open: Vec<String> = Vec::new();
        let mut head = String::new();
        for line in all {
            if line.trim_start().starts_with('#') {
                continue;
            }
            let mut here: Vec<String> = open.last().cloned().into_iter().collect();
            for c in line.chars() {
                match c {
                    '{' => {
                        open.push(std::mem::take(&mut head));
                        here.extend(open.iter().cloned());
                    }
                    '}' => {
                        open.pop();
                        head.clear();
                    }
                    ';' => head.clear(),
                    c => head.push(c),
                }
            }
            head.push(' ');
            let around = open.iter().cloned().chain(here);
            let functions: BTreeSet<String> = around.collect();
            let (takes, gives) = (self.taken_on(line), self.given_on(line));
            if takes.is_empty() && gives.is_empty() {
                continue;
            }
            for head in functions {
                let Some((name, parameters)) = signature(&head) else { continue };
                // The line on which it begins calls nothing of its own name.
                let own = out.entry(name).or_insert_with(|| Wrapper { parameters, ..Wrapper::default() });
                own.takes.extend(takes.iter().map(|(lock, _)| lock.clone()));
                own.is_other |= takes.iter().any(|(_, is_other)| *is_other);
                own.gives.extend(gives.iter().cloned());
            }
        }
        // What does both leaves nothing to its caller.
        out.retain(|name, own| {
            let both: Vec<String> = own.takes.intersection(&own.gives).cloned().collect();
            own.takes.retain(|lock| !both.contains(lock));
            own.gives.retain(|lock| !both.contains(lock));
            name != "main" && (own.takes.is_empty() != own.gives.is_empty())
        });
        out
    }
}

/// Whether a text ends with a word, in Fortran in whatever case.
fn ends_with_word(text: &str, word: &str) -> bool {
    let start = text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
    text[start..].eq_ignore_ascii_case(word)
}

/// By how many braces a line is less deep, where it is least so, than it begins.
fn lowest(line: &str) -> i64 {
    let step = |depth: &mut i64, c: char| {
        *depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        Some(*depth)
    };
    line.chars().scan(0, step).min().unwrap_or(0).min(0)
}

/// A line of Fortran with braces where blocks begin and end, in small letters and without its comment.
pub(super) fn braced(line: &str) -> String {
    // What OpenMP alone compiles (OpenMP 5.2, section 3.3).
    let own = line.trim_start().strip_prefix("!$ ").unwrap_or(line);
    let line = own.split('!').next().unwrap_or_default().to_ascii_lowercase();
    let plain: String = line.split_whitespace().collect();
    let is_end = |of: &[&str]| {
        let rest = plain.strip_prefix("end");
        rest.is_some_and(|rest| of.iter().any(|word| rest.starts_with(word)))
    };
    let begins = line.trim_start().split_once(char::is_whitespace).map_or(line.trim(), |(first, _)| first);
    if is_end(&["subroutine", "function", "program"]) || plain == "end" {
        return "}".to_owned();
    }
    if is_end(&["if", "do", "select", "associate", "block"]) {
        return " }".to_owned();
    }
    match () {
        () if plain.starts_with("else") => format!(" }} {} {{", line.trim()),
        () if plain.starts_with("if(") && plain.ends_with("then") => format!("{line} {{"),
        // Not `do 10 i = 1, n`, which ends at a number.
        () if begins == "do" && !plain[2..].starts_with(|c: char| c.is_ascii_digit()) => format!("{line} {{"),
        () if plain.starts_with("selectcase(") => format!("{line} {{"),
        () => line,
    }
}

fn braces(line: &str) -> i64 {
    line.matches('{').count() as i64 - line.matches('}').count() as i64
}

/// The name and the parameters of a function whose head this is.
fn signature(head: &str) -> Option<(String, Vec<String>)> {
    const WORDS: [&str; 9] = ["if", "for", "while", "switch", "catch", "do", "else", "return", "namespace"];
    // Access specifiers of a class may stand before it.
    let head = ["public:", "private:", "protected:"]
        .iter()
        .fold(head, |head, word| head.rsplit_once(word).map_or(head, |(_, rest)| rest));
    let (before, rest) = head.split_once('(')?;
    let before = before.trim_end();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '~';
    let name = &before[before.trim_end_matches(is_name).len()..];
    if name.is_empty() || WORDS.contains(&name) || before.contains('=') {
        return None;
    }
    let parameters = rest.split(')').next()?.split(',').map(|one| {
        let one = one.split('=').next().unwrap_or_default().trim_end().trim_end_matches(['[', ']']);
        one[one.trim_end_matches(is_name).len()..].to_owned()
    });
    Some((name.to_owned(), parameters.filter(|one| !one.is_empty()).collect()))
}

/// A lock with what is given in the place of parameters.
fn substituted(lock: &str, parameters: &[String], given: &[String]) -> String {
    let mut out = String::new();
    let mut rest = lock;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (word, after) = rest.split_at(end.max(usize::from(end == 0)));
        let place = parameters.iter().position(|own| own == word);
        let is_member = out.ends_with("->") || out.ends_with('.');
        match place.and_then(|at| given.get(at)).filter(|_| !is_member) {
            Some(argument) => out.push_str(argument),
            None => out.push_str(word),
        }
        rest = after;
    }
    out
}

/// What a line assigns: names, and the texts of the values. `*p = 1` assigns to no name, unless a type stands before it, or other names
/// that are declared with an address.
pub(super) fn assignments(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices('=').filter_map(move |(at, _)| {
        let is_other = line[at + 1..].starts_with('=')
            || line[..at].ends_with(['=', '!', '<', '>', '+', '-', '*', '/', '%', '&', '|', '^']);
        let before = line[..at].trim_end();
        let name = &before[before.trim_end_matches(is_name).len()..];
        let value = line[at + 1..].trim_start();
        let mut depth = 0usize;
        let end = value.find(|c: char| {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' if depth > 0 => {
                    depth -= 1;
                    return false;
                }
                _ => {}
            }
            depth == 0 && matches!(c, ';' | ',' | ')' | ']' | '}')
        });
        let value = &value[..end.unwrap_or(value.len())];
        let head = before[..before.len() - name.len()].trim_end();
        let is_led_to = head.strip_suffix('*').is_some_and(|head| {
            let head = head.trim_end();
            !(head.ends_with(|c| is_name(c) || c == '>') || head.ends_with(',') && value.starts_with('&'))
        });
        (!is_other && !is_led_to && !name.is_empty()).then_some((name, value))
    })
}

/// Pointers to which the text assigns one address, once.
fn aliases(all: &[&str]) -> BTreeMap<String, String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (name, value) in all.iter().flat_map(|line| assignments(line)) {
        let value: String = value.split_whitespace().collect();
        let is_address = value.strip_prefix('&').is_some_and(|of| !of.is_empty() && of.chars().all(is_name));
        let own = is_address.then_some(value);
        found.entry(name.to_owned()).and_modify(|known| *known = None).or_insert(own);
    }
    found.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The calls of a function on a line: what it is called on, and its arguments, without spaces. What only declares it is none.
pub(super) fn calls(line: &str, name: &str) -> Vec<(Option<String>, Vec<String>)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let places =
        line.match_indices(name).filter(|(at, _)| !line[..*at].ends_with(|c| is_part(c) || c == '~'));
    let mut out = Vec::new();
    for (at, _) in places {
        let Some(inside) = line[at + name.len()..].trim_start().strip_prefix('(') else { continue };
        let before = line[..at].trim_end();
        let object = before.strip_suffix("->").or_else(|| before.strip_suffix('.'));
        // `void enter(struct acc *a)`: a type stands before it.
        let is_declared = before.ends_with(|c| is_part(c) || matches!(c, '*' | '&' | '~' | '>'))
            && object.is_none()
            && !CALLS.iter().any(|word| ends_with_word(before, word));
        if is_declared {
            continue;
        }
        let mut depth = 0usize;
        let mut given = vec![String::new()];
        for c in inside.chars() {
            match c {
                '(' | '[' => depth += 1,
                ')' if depth == 0 => break,
                ')' | ']' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    given.push(String::new());
                    continue;
                }
                c if c.is_whitespace() => continue,
                _ => {}
            }
            if let Some(last) = given.last_mut() {
                last.push(c);
            }
        }
        let object = object.map(|text| {
            let start = text.rfind(|c: char| !is_part(c) && !"[]>-.".contains(c)).map_or(0, |at| at + 1);
            text[start..].to_owned()
        });
        out.push((object, given));
    }
    out
}

/// What a method without arguments is called on, on a line.
fn objects<'t>(line: &'t str, method: &'t str) -> impl Iterator<Item = String> + 't {
    let own = calls(line, method).into_iter();
    own.filter(|(_, given)| given.iter().all(String::is_empty)).filter_map(|(object, _)| object)
}

/// The first arguments of the calls of a function on a line, without spaces.
fn arguments<'t>(line: &'t str, name: &'t str) -> impl Iterator<Item = String> + 't {
    let given = calls(line, name).into_iter().filter_map(|(_, given)| given.into_iter().next());
    given.filter(|own| !own.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(text: &str) -> BTreeMap<u32, BTreeSet<String>> {
        let all: Vec<&str> = text.lines().collect();
        Locks::of(&all).held(&all, &ends(&all)).0
    }

    /// The last lines of functions that end at the beginning of one.
    fn ends(all: &[&str]) -> BTreeSet<u32> {
        (1..).zip(all).filter(|(_, line)| line.starts_with('}')).map(|(number, _)| number).collect()
    }

    #[test]
    fn functions_of_the_file_take_and_give() {
        let text = "static void enter(struct acc *a) { omp_set_lock(&a->l); }
static void leave(struct acc *a) {
 omp_unset_lock(&a->l);
}
void both(void) { omp_set_lock(&m); n++; omp_unset_lock(&m); }
void f(struct acc *b) {
 enter(b);
 b->v++;
 leave(b);
 both();
 b->v++;
}
";
        let held = held(text);
        let lines: Vec<u32> = held.keys().copied().filter(|line| *line > 5).collect();
        assert_eq!(lines, [7, 8, 9], "{held:?}");
        assert!(held[&8].contains("&b->l"), "{held:?}");
    }

    #[test]
    fn blocks_of_fortran() {
        let text = " if (mod(i, 2) == 0) then
  CALL OMP_SET_LOCK(L)
  x = x + 1
  !$ call omp_unset_lock(l) ! call omp_set_lock(l)
 else if (i > 3) then
  call omp_set_lock(l)
 else
  x = x + 1
 end if
 x = x + 1
 if (i > 5) call omp_set_lock(l)
 x = x + 1
end subroutine
";
        let lines: Vec<String> = text.lines().map(braced).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let held = Locks::of(&lines).held(&lines, &ends(&lines)).0;
        assert_eq!(held.into_keys().collect::<Vec<u32>>(), [2, 3, 4, 6, 11]);
    }

    #[test]
    fn objects_of_classes_take_and_give() {
        let text = "class Lock {
 omp_lock_t l;
public:
 void lock() { omp_set_lock(&l); }
 void unlock() { omp_unset_lock(&l); }
};
struct Guard {
 Lock *own;
 explicit Guard(Lock *p) : own(p) { own->lock(); }
 ~Guard() { own->unlock(); }
};
void f() {
 m.lock();
 s++;
 m.unlock();
 s++;
 {
  Guard g(&k);
  s++;
 }
 s++;
}
";
        let held = held(text);
        let lines: Vec<u32> = held.keys().copied().filter(|line| *line > 11).collect();
        assert_eq!(lines, [13, 14, 15, 18, 19, 20], "{held:?}");
    }

    #[test]
    fn what_is_never_unlocked_is_no_lock() {
        assert!(held("void f() {\n auto p = weak.lock();\n s++;\n}\n").is_empty());
    }

    #[test]
    fn a_pointer_that_is_set_once_is_what_it_leads_to() {
        let held = held(
            "void f() {\n omp_lock_t *p = &l;\n omp_set_lock(p);\n s++;\n omp_unset_lock(&l);\n s++;\n}\n",
        );
        assert_eq!(held.keys().copied().collect::<Vec<_>>(), [3, 4, 5]);
        assert!(held[&4].contains("&l"));
    }

    #[test]
    fn what_a_pointer_leads_to_is_another_matter() {
        let text = " int *p = &d, *q = &e;\n *p = 1;\n if (r == 2) *q = f(1, 2);";
        let all: Vec<&str> = text.lines().collect();
        let found = aliases(&all);
        assert_eq!(found.get("p").map(String::as_str), Some("&d"), "{found:?}");
        assert_eq!(found.get("q").map(String::as_str), Some("&e"));
        assert_eq!(
            assignments(" a = b[c, d] + g(e), h = 1;").collect::<Vec<_>>(),
            [("a", "b[c, d] + g(e)"), ("h", "1")]
        );
    }

    /// Regression: a lock that is taken on a condition that stands on a line of its own counted as held behind it.
    #[test]
    fn taken_on_a_condition() {
        let text = "void f() {\n if (i % 3)\n  omp_set_lock(&l);\n x++;\n if (i % 3)\n  omp_unset_lock(&l);\n x++;\n}\n";
        let held = held(text);
        assert_eq!(held.keys().copied().collect::<Vec<_>>(), [3], "{held:?}");
    }

    #[test]
    fn fortran_calls() {
        let held = held("call omp_set_lock(l)\n s = s + 1\nCALL omp_unset_lock(l)\n s = 1\n");
        assert_eq!(held.keys().copied().collect::<Vec<_>>(), [1, 2, 3]);
    }
}
