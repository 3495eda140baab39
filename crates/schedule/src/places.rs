//! Which loop of the source a compiled loop is.
//!
//! Debug information gives each instruction a line, and a loop the line of the instruction that decides whether it goes on. Compilers
//! share instructions between loops: `i = k + 1` is where the inner loop begins and how the outer one goes on. An outer loop may so
//! stand on the line of an inner one, and what is said of it would be read as said of that.
//!
//! What is put right, where the source was read:
//! - a loop that has the loop of its own line inside it is one of the loops that the source has around that;
//! - so is one that decides by the line of such a loop, and never by its own;
//! - a loop whose header takes several lines stands on the first;
//! - a loop that decides on a line where the text has none, and by the header of a loop around that line too, is that one: compilers leave
//!   out tests that always go the way of one before.
//!
//! - a loop of a function that a compiler has made of a parallel region stands on the loop of the source, in the function of the source, be it
//!   on the line of a directive; of loops that a directive makes one, on the outermost.
//!
//! Only where no loop around it stands there already; of several loops around, that on whose line it decides.
//!
//! Where a compiler has put a function in the place of its call, what is left of a loop's header may have the line of
//! the call. If the text has no loop there, the loop is the innermost one around everything by which it comes to
//! memory. So is one of whose header nothing is left, if it lies directly in the loop of the source that is around
//! that.

use profile::lens::{FileLoops, LoopKind, SourceLoop};
use profile::{Context, ContextIndex, ContextKind, Gap, Location, Operation, Profile, StatementIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::names;

/// A loop of the source: index of its file in [`Profile::sources`], and its own in the file.
type Place = (usize, u32);

/// Lines by their files.
type Lines = FxHashSet<(u32, u32)>;

/// Puts loops where the source has them.
pub fn settle(profile: &mut Profile) {
    // What a compiler has made a function of stands in the text of another.
    for place in &mut profile.locations {
        if let Some(function) = names::of_region(&place.function).filter(|name| !name.is_empty()) {
            place.function = function.to_owned();
        }
    }
    let files: FxHashMap<String, usize> =
        profile.sources.iter().enumerate().map(|(index, file)| (file.file.clone(), index)).collect();
    // Locations that differ in the file alone are told apart by the file's index.
    let file_of: Vec<Option<u32>> =
        profile.locations.iter().map(|place| files.get(&place.file).map(|&index| index as u32)).collect();
    let mut lines: FxHashMap<ContextIndex, Lines> = FxHashMap::default();
    for statement in &profile.statements {
        let Some(block) = profile.blocks.get(statement.block as usize) else { continue };
        let Some(Some(file)) = file_of.get(statement.location as usize) else { continue };
        let place = (*file, profile.location(statement.location).line);
        // Those of the instructions by which a loop itself decides.
        if statement.operation == Operation::Control {
            lines.entry(block.context).or_default().insert(place);
        }
    }
    let is_loop = |index: usize| profile.contexts[index].kind == ContextKind::Loop;
    let mut places: Vec<Option<Place>> = (0..profile.contexts.len())
        .map(|index| place_of(profile, &files, index).filter(|_| is_loop(index)))
        .collect();
    // Per loop the loops directly inside, in the same activation.
    let mut inside: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (index, own) in profile.contexts.iter().enumerate().filter(|(index, _)| is_loop(*index)) {
        let parent = own.parent as usize;
        let is_direct = profile.contexts.get(parent).is_some_and(|outer| outer.function == own.function);
        let direct = Some(parent).filter(|_| is_direct && is_loop(parent));
        // What never repeats, as the iterations of a chunk of one do not, stands between no two loops.
        let next = around(profile, index).next().filter(|_| repeats(own));
        for outer in direct.into_iter().chain(next.filter(|&next| Some(next) != direct)) {
            inside.entry(outer).or_default().push(index);
        }
    }
    let nothing = Lines::default();
    // Contexts stand behind those that they lie in.
    for index in (0..profile.contexts.len()).rev() {
        if places[index].is_none() && is_loop(index) {
            let of = lines.get(&(index as ContextIndex)).unwrap_or(&nothing);
            let is_free = |place: Place| {
                let mut others =
                    around(profile, index).chain(inside.get(&index).into_iter().flatten().copied());
                others.all(|other| places[other] != Some(place))
            };
            places[index] = place_around(profile, &files, index, of).filter(|&place| is_free(place));
        }
        let Some((file, own)) = places[index] else { continue };
        let Some(loops) = profile
            .sources
            .get(file)
            .and_then(|source| source.loops.as_ref())
            .filter(|loops| !loops.generated)
        else {
            continue;
        };
        let of = lines.get(&(index as ContextIndex)).unwrap_or(&nothing);
        let is_on = |at: u32| decides(loops, file, at, of);
        let inner = inside.get(&index).into_iter().flatten();
        let inner =
            inner.filter(|&&other| repeats(&profile.contexts[other])).filter_map(|&other| places[other]);
        let nearest =
            inner.filter(|other| other.0 == file && is_around(loops, other.1, own)).map(|other| other.1);
        let outermost = nearest.min_by_key(|&at| loops.loops[at as usize].depth);
        let from = match outermost {
            Some(at) => at,
            None if !is_on(own) => own,
            None => continue,
        };
        let is_free = |at: &u32| !around(profile, index).any(|other| places[other] == Some((file, *at)));
        let mut candidates = std::iter::successors(parent(loops, from), |&at| parent(loops, at)).peekable();
        let next = candidates.peek().copied();
        // A loop that has another one on the same line inside it is none of that line, whatever is left of its own.
        let found = candidates
            .find(|at| is_on(*at) && is_free(at))
            .or_else(|| next.filter(|at| outermost.is_some() && is_free(at)));
        if let Some(at) = found {
            places[index] = Some((file, at));
        }
    }
    let all: Vec<usize> = (0..places.len()).filter(|&index| is_loop(index)).collect();
    for index in all {
        let Some(function) = region_of(profile, index) else {
            // Loops with directives are made anew elsewhere too: in functions that a region calls, or for lockstep.
            if places[index].is_none() {
                places[index] = place_in_region(profile, &files, index, &places).filter(|&(file, at)| {
                    let of = profile.sources[file].loops.as_ref().and_then(|all| all.loops.get(at as usize));
                    of.is_some_and(|one| one.directive.is_some())
                });
            }
            continue;
        };
        if places[index].is_none() {
            places[index] = place_in_region(profile, &files, index, &places);
        }
        if let Some((file, at)) = places[index]
            && let Some(loops) = profile.sources.get(file).and_then(|source| source.loops.as_ref())
            && let Some(outer) = joined(loops, at)
            && !around(profile, index).any(|other| places[other] == Some((file, outer)))
        {
            places[index] = Some((file, outer));
        }
        let own = profile.contexts[index].location;
        let new = Location { function, ..profile.location(own).clone() };
        profile.contexts[index].location = location(profile, new);
    }
    place_by_accesses(profile, &files, &lines, &mut places);
    carry(profile, &places);
    for (index, place) in places.into_iter().enumerate() {
        let Some((file, at)) = place else { continue };
        let Some(loops) = profile.sources.get(file).and_then(|source| source.loops.as_ref()) else {
            continue;
        };
        let one = &loops.loops[at as usize];
        let old = profile.location(profile.contexts[index].location);
        let is_on_line = old.file == profile.sources[file].file
            && (one.kind == LoopKind::DoWhile || old.line == one.at.line);
        if is_on_line && place_of(profile, &files, index) == place {
            continue;
        }
        let of = profile.sources[file].file.clone();
        let new = Location { file: of, line: one.at.line, column: one.at.column, ..old.clone() };
        profile.contexts[index].location = location(profile, new);
    }
}

/// Dependences between members of a team are carried by the loop whose iterations a directive shares out among them; where the profile
/// has them at a loop around that, it did not know. A loop that never repeats, as over the chunks of one iteration that members are handed one
/// by one, carries nothing.
fn carry(profile: &mut Profile, places: &[Option<Place>]) {
    let place = |context: ContextIndex| places.get(context as usize).copied().flatten();
    let is_piece = |context: ContextIndex| {
        let place = place(context);
        let of = place.and_then(|(file, at)| profile.sources[file].loops.as_ref()?.loops.get(at as usize));
        of.and_then(|one| one.directive.as_ref()).is_some_and(|directive| directive.shares_out())
    };
    let is_shared_out = |context: ContextIndex| {
        let node = &profile.contexts[context as usize];
        node.rounds() > node.entries && is_piece(context)
    };
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (index, d) in profile.dependences.iter().enumerate().filter(|(_, d)| d.between_members) {
        let around = profile.loops_around(profile.context_of(d.sink));
        let shared = &around[..around.len().min(usize::from(d.common))];
        let Some(&innermost) = shared.iter().rev().find(|&&context| is_shared_out(context)) else { continue };
        // Compilers make two loops of one: over the chunks, and over the iterations of each.
        let is_same = |&context: &ContextIndex| is_shared_out(context) && place(context) == place(innermost);
        found.extend(shared.iter().position(is_same).map(|level| (index, level)));
    }
    // What a piece of the loop hands to another one, such as the one that does several iterations at a time to what is left of them,
    // lies between loops; nothing is claimed of either.
    let of_source = |end: StatementIndex| {
        let around = profile.loops_around(profile.context_of(end));
        around.into_iter().rev().find(|&context| place(context).is_some() && is_piece(context))
    };
    let mut open: Vec<ContextIndex> = Vec::new();
    for d in profile.dependences.iter().filter(|d| d.between_members) {
        if let (Some(a), Some(b)) = (of_source(d.source), of_source(d.sink))
            && a != b
            && place(a) == place(b)
            && d.levels.iter().all(|level| level.level == d.common)
        {
            open.extend([a, b]);
        }
    }
    for context in open {
        let gap = &mut profile.contexts[context as usize].gap;
        *gap = gap.or(Some(Gap::Threads));
    }
    for (index, level) in found {
        for summary in &mut profile.dependences[index].levels {
            let old = usize::from(summary.level);
            if let Ok(new) = u8::try_from(level)
                && old < level
                && level < summary.minimum.len()
            {
                // What it was apart in before, it is not; in the other it is by any number of iterations.
                let most = summary.maximum[level].max(1);
                (summary.minimum[old], summary.maximum[old]) = (0, 0);
                (summary.minimum[level], summary.maximum[level]) = (1, most);
                for between in old + 1..level {
                    (summary.minimum[between], summary.maximum[between]) = (0, 0);
                }
                summary.level = new;
            }
        }
    }
}

/// The index of a location, which is made if there is none like it.
fn location(profile: &mut Profile, new: Location) -> u32 {
    let known = profile.locations.iter().position(|other| *other == new);
    let index = known.unwrap_or_else(|| {
        profile.locations.push(new);
        profile.locations.len() - 1
    });
    index as u32
}

/// The function of the source of which a context's function is a parallel region.
fn region_of(profile: &Profile, index: usize) -> Option<String> {
    let function = profile.functions.get(profile.contexts[index].function as usize)?;
    names::of_region(&function.name).filter(|name| !name.is_empty()).map(str::to_owned)
}

/// The loop of the source that the outermost loop of a parallel region is: the one with the directive around its line; of a loop
/// further inside the innermost one that no loop around it is.
fn place_in_region(
    profile: &Profile,
    files: &FxHashMap<String, usize>,
    index: usize,
    places: &[Option<Place>],
) -> Option<Place> {
    // Where its first instructions are those of a function put into it: what has called that.
    let mut all = profile.contexts[index].places().map(|place| profile.location(place));
    all.find_map(|own| place_at(profile, files, (index, own), places))
}

/// The same, by where it stands.
fn place_at(
    profile: &Profile,
    files: &FxHashMap<String, usize>,
    (index, own): (usize, &Location),
    places: &[Option<Place>],
) -> Option<Place> {
    let &file = files.get(&own.file)?;
    let loops = profile.sources.get(file)?.loops.as_ref().filter(|loops| !loops.generated)?;
    // Some compilers give it the line of its directive.
    let is_directive =
        |one: &&SourceLoop| one.directive.as_ref().is_some_and(|directive| directive.line == own.line);
    if let Some(found) = loops.loops.iter().find(is_directive).and_then(|one| loops.index_of(one)) {
        let is_free = around(profile, index).all(|other| places[other] != Some((file, found)));
        return is_free.then_some((file, found));
    }
    let column = Some(own.column).filter(|&column| column > 0);
    let innermost = loops.index_of(loops.around(own.line, column)?)?;
    let mut all = std::iter::successors(Some(innermost), |&at| parent(loops, at));
    let is_taken = |at: u32| around(profile, index).any(|other| places[other] == Some((file, at)));
    let found = match around(profile, index).next() {
        None => all.clone().find(|&at| loops.loops[at as usize].directive.is_some()).or(Some(innermost)),
        Some(_) => all.find(|&at| !is_taken(at)),
    };
    found.map(|at| (file, at))
}

/// The innermost loop of the source around the line of a context by whose header that decides.
fn place_around(
    profile: &Profile,
    files: &FxHashMap<String, usize>,
    index: usize,
    lines: &Lines,
) -> Option<Place> {
    let own = profile.location(profile.contexts[index].location);
    let &file = files.get(&own.file)?;
    let loops = profile.sources[file].loops.as_ref().filter(|loops| !loops.generated)?;
    let column = Some(own.column).filter(|&column| column > 0);
    let innermost = loops.index_of(loops.around(own.line, column)?)?;
    let mut all = std::iter::successors(Some(innermost), |&at| parent(loops, at));
    all.find(|&at| decides(loops, file, at, lines)).map(|at| (file, at))
}

/// Whether one of these lines is in the header of a loop of a file.
fn decides(loops: &FileLoops, file: usize, at: u32, lines: &Lines) -> bool {
    let one = &loops.loops[at as usize];
    let mut header = one.at.line..=one.header_last_line;
    header.any(|line| lines.contains(&(file as u32, line)))
}

/// The loop whose directive makes it and a loop inside it one: compilers give that the place of the inner one.
fn joined(loops: &FileLoops, inner: u32) -> Option<u32> {
    let mut around = (2..).zip(std::iter::successors(parent(loops, inner), |&at| parent(loops, at)));
    let joins = |number: u32, at: u32| {
        let directive = loops.loops[at as usize].directive.as_ref();
        directive.is_some_and(|directive| directive.joined() >= number)
    };
    around.find(|&(number, at)| joins(number, at)).map(|(_, at)| at)
}

/// Places loops of optimised functions that stand where the text has none, and names the functions in which they are written.
fn place_by_accesses(
    profile: &mut Profile,
    files: &FxHashMap<String, usize>,
    lines: &FxHashMap<ContextIndex, Lines>,
    places: &mut [Option<Place>],
) {
    let is_open = |index: usize| {
        let own = &profile.contexts[index];
        let function = profile.functions.get(own.function as usize);
        own.kind == ContextKind::Loop
            && places[index].is_none()
            && function.is_some_and(|function| !function.is_unoptimised)
            && files.contains_key(&profile.location(own.location).file)
    };
    let open: FxHashSet<usize> = (0..places.len()).filter(|&index| is_open(index)).collect();
    let mut accessed: FxHashMap<usize, FxHashSet<u32>> = FxHashMap::default();
    for access in &profile.accesses {
        let context = profile.context_of(access.statement) as usize;
        if open.contains(&context) {
            let location = profile.statements[access.statement as usize].location;
            accessed.entry(context).or_default().insert(location);
        }
    }
    // Loops inside stand behind those around them.
    let mut open: Vec<usize> = open.into_iter().collect();
    open.sort_unstable();
    for index in open {
        let Some(((file, innermost), function)) =
            accessed.get(&index).and_then(|of| common(profile, files, of, profile.contexts[index].location))
        else {
            continue;
        };
        // A loop inside of which nothing but accesses is left decides nothing.
        let Some(loops) = profile.sources[file].loops.as_ref() else { continue };
        let Some(of) = lines.get(&(index as ContextIndex)) else { continue };
        let mut all = std::iter::successors(Some(innermost), |&at| parent(loops, at));
        let found = all.find(|&at| decides(loops, file, at, of));
        // Nothing of the header is left. It is that loop if the one around it is the one of the source, or there is
        // none around either; otherwise it may be a loop around that, of which the one inside was unrolled.
        let is_whole = |at: u32| {
            let own = &profile.functions[profile.contexts[index].function as usize].name;
            match (around(profile, index).next(), parent(loops, at)) {
                (Some(outer), Some(parent)) => places[outer] == Some((file, parent)),
                (None, None) => names::is_code_of(own, &function),
                _ => false,
            }
        };
        let Some(place) = found.or_else(|| Some(innermost).filter(|&at| is_whole(at))).map(|at| (file, at))
        else {
            continue;
        };
        if around(profile, index).any(|other| places[other] == Some(place)) {
            continue;
        }
        places[index] = Some(place);
        let old = profile.location(profile.contexts[index].location);
        let file = profile.sources[place.0].file.clone();
        let new = Location { function, file, ..old.clone() };
        profile.contexts[index].location = location(profile, new);
    }
}

/// The innermost loop of the source around all of some locations, and the function in which they are; `call`: where the loop is said to be.
fn common(
    profile: &Profile,
    files: &FxHashMap<String, usize>,
    locations: &FxHashSet<u32>,
    call: u32,
) -> Option<(Place, String)> {
    let call = profile.location(call);
    let mut found: Option<(Place, String)> = None;
    for &index in locations {
        let location = profile.location(index);
        // What comes from a library's header is part of something here.
        let Some(&file) = files.get(&location.file) else { continue };
        let loops = profile.sources[file].loops.as_ref().filter(|loops| !loops.generated)?;
        let column = Some(location.column).filter(|&column| column > 0);
        let own = loops.around(location.line, column).and_then(|own| loops.index_of(own));
        let own = match own {
            Some(own) => own,
            // Some of what was put there has the line of the call too.
            None if (location.line, &location.file) == (call.line, &call.file) => continue,
            None => return None,
        };
        found = Some(match found {
            None => ((file, own), location.function.clone()),
            Some(((other_file, other), function)) => {
                if other_file != file || function != location.function {
                    return None;
                }
                let mut all = std::iter::successors(Some(own), |&at| parent(loops, at));
                ((file, all.find(|&at| is_around(loops, at, other))?), function)
            }
        });
    }
    found
}

/// The loop of the source on whose line a context stands.
fn place_of(profile: &Profile, files: &FxHashMap<String, usize>, index: usize) -> Option<Place> {
    let location = profile.location(profile.contexts.get(index)?.location);
    let &file = files.get(&location.file)?;
    let loops = profile.sources.get(file)?.loops.as_ref()?;
    let column = Some(location.column).filter(|&column| column > 0);
    Some((file, loops.index_of(loops.at(location.line, column)?)?))
}

fn parent(loops: &FileLoops, of: u32) -> Option<u32> {
    loops.loops.get(of as usize)?.parent
}

/// Whether a loop of the source is another one, or around it.
fn is_around(loops: &FileLoops, outer: u32, inner: u32) -> bool {
    std::iter::successors(Some(inner), |&at| parent(loops, at)).any(|at| at == outer)
}

/// The loops around a context in the same activation, from the next one outwards. One that never repeats stands for none of the source.
fn around(profile: &Profile, index: usize) -> impl Iterator<Item = usize> {
    let next = move |&at: &usize| {
        let own = profile.contexts.get(at)?;
        let parent = own.parent as usize;
        let is_same = profile.contexts.get(parent)?.function == own.function && own.kind == ContextKind::Loop;
        (parent != at && is_same).then_some(parent)
    };
    std::iter::successors(Some(index), next)
        .skip(1)
        .map(|at| (at, &profile.contexts[at]))
        .filter(|(_, own)| own.kind == ContextKind::Loop && repeats(own))
        .map(|(at, _)| at)
}

/// Whether a loop has run more than once in any of its entries.
fn repeats(own: &Context) -> bool {
    own.entries == 0 || own.iterations > own.entries
}

#[cfg(test)]
mod tests {
    use profile::SourceFile;
    use profile::lens::Language;

    use super::*;

    /// The lines of nested loops of one function, outermost first, after they were put right; `at`: where debug information has them.
    fn settled(text: &str, at: &[u32]) -> Vec<u32> {
        settled_with(text, at, None)
    }

    /// The same; `outermost`: how many iterations the outermost one has, and how often it is entered.
    fn settled_with(text: &str, at: &[u32], outermost: Option<(u64, u64)>) -> Vec<u32> {
        let mut profile = Profile::default();
        let loops = Some(source::lens::file(text.as_bytes(), Language::C));
        profile.sources.push(SourceFile { file: "a.c".to_owned(), loops });
        profile.contexts.push(Context::new(0, ContextKind::Root, 0));
        for (index, &line) in at.iter().enumerate() {
            profile.locations.push(Location {
                function: "f".to_owned(),
                file: "a.c".to_owned(),
                line,
                column: 0,
            });
            let mut one = Context::new(index as ContextIndex, ContextKind::Loop, 0);
            one.location = index as u32;
            if index == 0
                && let Some(counts) = outermost
            {
                (one.iterations, one.entries) = counts;
            }
            profile.contexts.push(one);
        }
        settle(&mut profile);
        profile.contexts[1..].iter().map(|one| profile.location(one.location).line).collect()
    }

    const NEST: &str = "void f(double *a, int n) {\n  for (int k = 0; k < n; k++)\n    for (int i = k + 1;\n         i < n; i++)\n\
         \x20     a[i] = a[k];\n}\n";

    #[test]
    fn an_outer_loop_on_the_line_of_the_inner_one() {
        assert_eq!(settled(NEST, &[3, 3]), [2, 3]);
        // Right as they are.
        assert_eq!(settled(NEST, &[2, 3]), [2, 3]);
    }

    #[test]
    fn an_outer_loop_between_two_lines() {
        const THREE: &str = "void f(double *a, int n) { for (int t = 0; t < 3; t++) {\n  for (int k = 0; k < n; k++)\n\
                             \x20   for (int i = k + 1; i < n; i++)\n      a[i] = a[k];\n} }\n";
        assert_eq!(settled(THREE, &[1, 3, 3]), [1, 2, 3]);
    }

    #[test]
    fn a_header_of_several_lines() {
        assert_eq!(settled(NEST, &[2, 4]), [2, 3]);
    }

    /// Optimisation leaves loops around that are left before they come to an end.
    #[test]
    fn what_never_repeats_takes_no_place() {
        let with = |counts: (u64, u64)| settled_with(NEST, &[2, 3, 3], Some(counts));
        assert_eq!(with((4, 1)), [2, 3, 3]);
        assert_eq!(with((1, 1)), [2, 2, 3]);
    }

    /// A compiler may make two loops, one in the other, of one.
    #[test]
    fn a_piece_inside_a_loop() {
        assert_eq!(settled(NEST, &[2, 3, 3]), [2, 3, 3]);
    }
}
