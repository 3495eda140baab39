//! What the text of a loop says about its variables: which are its iterators, which every iteration has for itself,
//! which are reductions, which carry (ALGORITHMS 2.3, 2.5, 2.8).
//!
//! A run shows what happened, the text what can happen: a definition under a condition that always held, a variable that the
//! compiler keeps in a register and of which nothing is left. What is said here rests on the text alone.
//!
//! Limits: variables that are reached otherwise than by their name ([`Role::Shared`]) are left to what the run showed.

use profile::lens::{
    AccessMode, AfterLoop, Array, ArrayAccess, Call, Canonical, DefinitionKind, FileLoops, Home, Language,
    LoopKind, NotCanonical, Operator, Scalar, ScalarForm, Sharing, SharingKind, SourceLoop,
};
use profile::{ContextIndex, Profile};
use rustc_hash::FxHashSet;

use crate::advance;
use crate::graph::is_optimised;
use crate::names::short_name;
use crate::overlap;
use crate::subscript::{self, Course, Meeting};

/// What a variable is to a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It counts the loop, or a loop inside that counts by itself.
    Iterator,
    /// Every iteration has its own.
    Own,
    /// Iterations only combine it with an operator, and nothing else reads it.
    Reduction(Operator),
    /// It is set with a minimum or maximum and not read: the index of it.
    Companion,
    /// Every iteration advances it by a constant, and something reads it.
    Induction(Option<i64>),
    /// Every iteration writes it before it reads it; `last`: the value of the last one is used after the loop, or may be.
    Private {
        /// See above.
        last: bool,
    },
    /// It is only ever set to one constant, and not read.
    Flag,
    /// An iteration may read what an earlier one left, or what is left after the loop depends on which iteration wrote last.
    Carried,
    /// Others may come to its storage, or it is not one place: the text does not say.
    Shared,
}

/// The facts about one loop.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The loop.
    pub source: &'a SourceLoop,
    /// The language.
    pub language: Language,
    /// The loops of its file.
    file: &'a FileLoops,
    /// Variables that it assigns, and what they are to it.
    pub scalars: Vec<(&'a Scalar, Role)>,
}

/// Whether an access so many iterations behind a write of its element reads, or overwrites, what that wrote.
fn passes_on(by: i64, is_write: bool) -> bool {
    by > 0 || by != 0 && is_write
}

/// Whether it reads what that then overwrites.
fn overwrites(by: i64, is_write: bool) -> bool {
    by < 0 && !is_write
}

/// Which accesses of an array are looked at.
type Meant<'m> = &'m dyn Fn(&Array, &ArrayAccess) -> bool;

impl<'a> Facts<'a> {
    /// What the source of a profile says of a loop context; `None` if it was not read, or not understood there.
    pub fn of(profile: &'a Profile, context: ContextIndex) -> Option<Facts<'a>> {
        let (file, source) = source_of(profile, context)?;
        let mut facts = Facts::new(file, source)?;
        for (scalar, role) in &mut facts.scalars {
            // Others know its address, by the text; the run shows whether they look.
            if scalar.after == AfterLoop::Unknown
                && matches!(role, Role::Carried | Role::Private { last: true })
                && is_left_unread(profile, context, scalar)
            {
                *role = self::role(file, source, &Scalar { after: AfterLoop::Unused, ..scalar.clone() });
            }
        }
        Some(facts)
    }

    /// The text of a loop, whatever of it was understood.
    pub fn source(profile: &'a Profile, context: ContextIndex) -> Option<&'a SourceLoop> {
        source_of(profile, context).map(|found| found.1)
    }

    /// Calls in a loop's text that may hand on something which the text does not show: names of what is called, each with the call. They
    /// are known whatever else of the text is not.
    pub fn hidden_calls(profile: &'a Profile, context: ContextIndex) -> Vec<(&'a str, &'a Call)> {
        let Some(source) = Facts::source(profile, context) else { return Vec::new() };
        let names = |call: &'a Call| {
            let is_hidden =
                call.keeps || !call.arrays.is_empty() || changes_one_place(source, call, &|_| false);
            let own = is_hidden.then(|| short_name(&call.callee));
            call.elsewhere.iter().map(String::as_str).chain(own).map(move |name| (name, call))
        };
        source.calls.iter().flat_map(names).collect()
    }

    /// Whether all that the loop's text calls are functions whose texts are known, and keep nothing.
    pub fn knows_calls(&self) -> bool {
        let is_known = |call: &Call| {
            let is_plain = call.callee.chars().all(|c| c.is_alphanumeric() || c == '_');
            let keeps_nothing =
                !call.keeps && !changes_one_place(self.source, call, &|_| false) && call.arrays.is_empty();
            is_plain && keeps_nothing && !call.is_macro && call.elsewhere.is_empty()
        };
        let is_object = |scalar: &Scalar| {
            scalar.storage.object || scalar.shared.iter().any(|own| own.kind == SharingKind::Method)
        };
        matches!(self.language, Language::C | Language::Cpp)
            && self.source.calls.iter().all(is_known)
            && !self.source.scalars.iter().any(is_object)
    }

    /// What is said of a loop of a file.
    pub fn new(file: &'a FileLoops, source: &'a SourceLoop) -> Option<Facts<'a>> {
        if source.errors || file.generated {
            return None;
        }
        let is_changed = |scalar: &&Scalar| {
            let mut others = scalar.shared.iter().filter(|sharing| !is_of_container(source, scalar, sharing));
            !scalar.definitions.is_empty() || others.next().is_some()
        };
        let scalars = source.scalars.iter().filter(is_changed);
        let scalars = scalars.map(|scalar| (scalar, role(file, source, scalar))).collect();
        Some(Facts { source, language: file.language, file, scalars })
    }

    /// Whether nothing about the loop's variables is left open by its text.
    pub fn is_settled(&self) -> bool {
        self.are_scalars_settled() && self.passed_on(u64::MAX).is_none()
    }

    /// The same but for elements that iterations may pass on.
    pub fn are_scalars_settled(&self) -> bool {
        self.source.closures.iter().all(|closure| closure.shares.is_empty())
            && self.scalars.iter().all(|(scalar, role)| {
                // What a pointer that stays leads to may be a variable that a register holds.
                let may_be_variable =
                    scalar.form == ScalarForm::Dereference && !is_moving(self.source, scalar);
                *role != Role::Shared || is_memory(scalar) && !may_be_variable
            })
            && !self.moves_along()
    }

    /// Whether no other loop begins before it on its line: what is written above the line is about the first.
    pub fn is_first_on_line(&self) -> bool {
        let place = (self.source.at.line, self.source.at.column);
        self.file
            .loops
            .iter()
            .all(|other| other.at.line != place.0 || (other.at.line, other.at.column) >= place)
    }

    /// Whether the loop assigns what a pointer leads to that stays where it is.
    pub fn is_one_pointed(&self, scalar: &Scalar) -> bool {
        is_memory(scalar) && !scalar.definitions.is_empty() && !is_moving(self.source, scalar)
    }

    /// Whether some variable that others may come to may lie in a part of the function's frame that has no name: what a
    /// parameter leads to lies elsewhere.
    pub fn reaches_own_frame(&self) -> bool {
        let is_elsewhere = |scalar: &Scalar| scalar.home == Home::Parameter && scalar.storage.reference;
        let is_element = |scalar: &Scalar| is_memory(scalar) && is_moving(self.source, scalar);
        self.scalars
            .iter()
            .any(|(scalar, role)| *role == Role::Shared && !is_elsewhere(scalar) && !is_element(scalar))
    }

    /// A call in the loop of a function that changes or asks for state which no memory of the program shows: rounding
    /// modes, signal masks, limits, the working directory, names in the file system. With its line.
    pub fn changes_state(&self) -> Option<(&'a str, u32)> {
        let mut calls = self.source.calls.iter();
        let call = calls.find(|call| STATE.contains(&short_name(&call.callee)))?;
        Some((&call.callee, call.at.line))
    }

    /// Whether some of the lines come to a variable of this name without naming it.
    pub fn is_named_elsewhere(&self, name: &str, lines: &[u32]) -> bool {
        // A member is a part of it.
        let is_part = |scalar: &Scalar| scalar.root == name && scalar.form == ScalarForm::Member;
        let is_its = |scalar: &Scalar| scalar.name == name || is_part(scalar);
        let scalars = self.scalars.iter().filter(|(scalar, _)| is_its(scalar) && scalar.is_own_storage());
        let is_part = |array: &Array| array.root == name && array.name.starts_with(&format!("{name}."));
        let arrays = self.source.arrays.iter();
        let arrays = arrays.filter(|array| array.name == name && array.fixed || is_part(array));
        let mut named: Vec<u32> = Vec::new();
        for (scalar, _) in scalars {
            named.extend(&scalar.reads);
            named.extend(scalar.shared.iter().map(|own| own.at.line));
            named.extend(scalar.definitions.iter().map(|definition| definition.at.line));
        }
        named.extend(arrays.flat_map(|array| &array.accesses).map(|access| access.at.line));
        let header = self.source.at.line..=self.source.header_last_line;
        let is_unnamed = |line: &u32| *line > 0 && !header.contains(line) && !named.contains(line);
        !named.is_empty() && lines.iter().any(is_unnamed)
    }

    /// What the loop calls with the address of a variable or array of this name.
    pub fn hands(&self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let scalars = self.source.scalars.iter().filter(move |scalar| scalar.name == name);
        let handed = scalars.flat_map(|scalar| &scalar.shared).map(|own| own.callee.as_str());
        let arrays = self.source.arrays.iter().filter(|array| array.name == name);
        let lines: Vec<u32> = arrays
            .flat_map(|array| &array.accesses)
            .filter(|access| access.mode == AccessMode::Shared)
            .map(|access| access.at.line)
            .collect();
        let calls = self.source.calls.iter().filter(move |call| lines.contains(&call.at.line));
        handed.filter(|callee| !callee.is_empty()).chain(calls.map(|call| call.callee.as_str()))
    }

    /// Whether the body writes an array that its function has made before the loop.
    pub fn fills_outer_array(&self) -> bool {
        let arrays = &self.source.arrays;
        arrays.iter().any(|array| array.home == Home::Local && writes(array).next().is_some())
            && arrays.iter().all(|array| array.home != Home::InBody)
    }

    /// Whether the body declares an array, or a variable of which it hands the address to a function.
    pub fn has_own_storage(&self) -> bool {
        let is_own = |home: Home| matches!(home, Home::InBody | Home::InHeader);
        self.source.arrays.iter().any(|array| is_own(array.home) && array.fixed)
            || self.source.scalars.iter().any(|scalar| is_own(scalar.home) && !scalar.shared.is_empty())
    }

    /// Whether the loop comes to memory by a pointer of the function's own, made before it, that it does not set: that may lead to what
    /// the function has made on its stack.
    pub fn follows_own_pointer(&self) -> bool {
        let is_local = |home: Home| home == Home::Local;
        let arrays = self.source.arrays.iter().filter(|array| !array.fixed && is_local(array.home));
        let scalars =
            self.source.scalars.iter().filter(|scalar| scalar.storage.pointer && is_local(scalar.home));
        arrays
            .map(|array| &array.root)
            .chain(scalars.map(|scalar| &scalar.root))
            .any(|name| !self.source.assigns(name))
    }

    /// Whether the header advances nothing but iterators, which nothing else sets.
    pub fn counts_alone(&self) -> bool {
        let is_for = !matches!(self.source.kind, LoopKind::While | LoopKind::DoWhile);
        is_for && has_iterator(self.source) && self.source.advanced.is_empty()
    }

    /// Whether the body assigns something on some lines.
    pub fn assigns_on(&self, lines: &std::ops::RangeInclusive<u32>) -> bool {
        let is_there = |at: &profile::lens::Position| lines.contains(&at.line);
        let definitions = self.source.scalars.iter().flat_map(|scalar| &scalar.definitions);
        definitions.filter(|definition| !definition.header).any(|definition| is_there(&definition.at))
            || self.source.arrays.iter().flat_map(writes).any(|write| is_there(&write.at))
    }

    /// Whether all that the loop assigns are variables that end with its function, and elements that no other iteration
    /// comes to.
    pub fn is_self_contained(&self) -> bool {
        self.is_settled()
            && self.scalars.iter().all(|(scalar, _)| {
                scalar.is_own_storage() && scalar.home.is_local() && scalar.shared.is_empty()
            })
            && self.source.arrays.iter().all(|array| writes(array).next().is_none())
    }

    /// Variables with one of some roles.
    pub fn with(&self, is: impl Fn(Role) -> bool) -> impl Iterator<Item = &'a Scalar> {
        self.scalars.iter().filter(move |(_, role)| is(*role)).map(|(scalar, _)| *scalar)
    }

    /// Whether the body of the loop declares a variable, new in each iteration; `None` if the text does not name it, or
    /// has several of this name, some outside.
    pub fn declares(&self, name: &str) -> Option<bool> {
        let arrays = self.source.arrays.iter().filter(|array| array.name == name && array.fixed);
        let scalars = self.scalars.iter().filter(|(scalar, _)| scalar.name == name);
        let mut homes = arrays.map(|array| array.home).chain(scalars.map(|(scalar, _)| scalar.home));
        let first = homes.next().map(Home::is_private)?;
        if homes.any(|home| home.is_private() != first) {
            return None;
        }
        // What a loop over a container binds is new in each iteration too.
        let binds = matches!(self.source.kind, LoopKind::RangeFor | LoopKind::RustFor)
            && self.source.iterators.iter().any(|own| own.name == name && own.home == Home::InHeader);
        Some(first || binds)
    }

    /// What a variable is to the loop, by its name. A structure is what its members are, if iterations combine each that the
    /// loop assigns, and come to none by subscript.
    pub fn role(&self, name: &str) -> Option<Role> {
        let mut all = self.scalars.iter().filter(|(scalar, _)| scalar.name == name).map(|(_, role)| *role);
        let first = all.next();
        // Of several variables of one name the name does not say which is meant.
        if first.is_some() && all.any(|other| Some(other) != first) {
            return None;
        }
        first.or_else(|| self.role_of_members(name))
    }

    fn role_of_members(&self, name: &str) -> Option<Role> {
        let is_member = |scalar: &Scalar| {
            scalar.root == name && scalar.form == ScalarForm::Member && scalar.is_own_storage()
        };
        let mut members = self.scalars.iter().filter(|(scalar, _)| scalar.root == name).peekable();
        let (_, first) = *members.peek()?;
        let are_combined = members
            .all(|(scalar, role)| is_member(scalar) && matches!(role, Role::Reduction(_) | Role::Companion));
        let is_subscripted = self.source.arrays.iter().any(|array| array.root == name);
        (are_combined && !is_subscripted).then_some(*first)
    }

    /// Whether a variable is the loop's iterator, or what the compiler makes of a loop over a container.
    pub fn is_iterator(&self, name: &str) -> bool {
        match self.source.kind {
            LoopKind::RangeFor if name.starts_with("__") => true,
            LoopKind::RustFor if name == "iter" => true,
            // What clang counts the iterations of a thread with.
            _ if name.starts_with(".omp.") => true,
            _ => has_iterator(self.source) && self.source.iterators.iter().any(|own| own.name == name),
        }
    }

    /// An array of which an iteration reads, or overwrites, by its subscripts what another one wrote, at most `trips`
    /// iterations apart: its name, the lines of the write and of the other access, and the distance. What compilers keep
    /// in registers may be such elements.
    pub fn passed_on(&self, trips: u64) -> Option<(&'a str, (u32, u32), i64)> {
        self.met(trips, false, &passes_on)
    }

    /// An array of which an iteration hands an element to a function that an earlier one, at most `trips` iterations before, wrote: the
    /// function may read it there.
    pub fn handed_along(&self, trips: u64) -> Option<(&'a str, (u32, u32), i64)> {
        self.met(trips, true, &|by, _| by > 0)
    }

    /// An array of which an iteration overwrites what an earlier one has read, in the same way.
    pub fn overwritten(&self, trips: u64) -> Option<(&'a str, (u32, u32), i64)> {
        self.met(trips, false, &overwrites)
    }

    /// The same, of which the text leaves no doubt: both accesses run in every iteration, and what their subscripts name beside iterators
    /// stays. Those of loops inside run over the same values each time.
    pub fn surely_passed_on(&self, trips: u64) -> Option<(&'a str, (u32, u32), i64)> {
        self.surely_met(trips, &passes_on)
    }

    /// An array of which an iteration overwrites for certain what an earlier one has read.
    pub fn surely_overwritten(&self, trips: u64) -> Option<(&'a str, (u32, u32), i64)> {
        self.surely_met(trips, &overwrites)
    }

    fn surely_met(
        &self,
        trips: u64,
        counts: &dyn Fn(i64, bool) -> bool,
    ) -> Option<(&'a str, (u32, u32), i64)> {
        let nests: Vec<&SourceLoop> = self.inner_loops().collect();
        let is_certain = |array: &Array, access: &ArrayAccess| {
            !self.source.jumps
                && !self.depends(access)
                && overlap::always_runs(&nests, self.source, array, access)
        };
        self.met_by(trips, (false, &is_certain), counts)
    }

    /// An element that is written and, in another iteration, accessed, or handed on if `is_handed`.
    fn met(
        &self,
        trips: u64,
        is_handed: bool,
        counts: &dyn Fn(i64, bool) -> bool,
    ) -> Option<(&'a str, (u32, u32), i64)> {
        self.met_by(trips, (is_handed, &|_, _| true), counts)
    }

    /// The same of some accesses alone.
    fn met_by(
        &self,
        trips: u64,
        (is_handed, is_meant): (bool, Meant<'_>),
        counts: &dyn Fn(i64, bool) -> bool,
    ) -> Option<(&'a str, (u32, u32), i64)> {
        let [iterator] = &self.source.iterators[..] else { return None };
        let step = iterator.step_value.filter(|&step| step != 0)?;
        self.source.arrays.iter().filter(|array| self.is_one_place(array)).find_map(|array| {
            let meant = |access: &&ArrayAccess| is_meant(array, access);
            let pairs = writes(array)
                .filter(meant)
                .flat_map(|write| array.accesses.iter().filter(meant).map(move |other| (write, other)));
            let mut meetings = pairs.filter_map(|(write, other)| {
                let is_same = write.member == other.member && (other.mode == AccessMode::Shared) == is_handed;
                let is_quotient = || {
                    let is_update = matches!(other.mode, AccessMode::Update(_));
                    !is_update
                        && subscript::repeat(&write.subscripts, &other.subscripts, &iterator.name, step)
                };
                let meeting = subscript::meeting(&write.subscripts, &other.subscripts, &iterator.name)
                    .or_else(|| is_quotient().then_some(Meeting::After(step)))
                    .filter(|_| is_same)?;
                let is_write = other.mode == AccessMode::Write;
                let by = match meeting {
                    Meeting::After(by) if by % step == 0 => by / step,
                    Meeting::After(_) => return None,
                    // In a loop inside, the element may depend on where that begins.
                    Meeting::Everywhere if self.depends(write) || self.depends(other) => return None,
                    // Updates alone are a reduction.
                    Meeting::Everywhere => i64::from(!is_combination(other.mode) || is_handed),
                };
                counts(by, is_write).then_some((write, other, by))
            });
            let hit = meetings.find(|hit| hit.2.unsigned_abs() < trips)?;
            Some((array.name.as_str(), (hit.0.at.line, hit.1.at.line), hit.2))
        })
    }

    /// The name of an array that the loop writes.
    pub fn written(&self) -> Option<&'a str> {
        let arrays = &self.source.arrays;
        arrays.iter().find(|array| writes(array).next().is_some()).map(|array| array.name.as_str())
    }

    /// An array that the loop writes, and to which it comes by a subscript made of its iterator's bits, rests or quotients (`i ^ 1`,
    /// `i & ~3`, `i % 8`, `i >> 2`): the array, and the lines of a write and of that access. Which iterations meet there a compiler knows
    /// when it makes several of them one, and what they hand on is then in registers. What is only updated is left out where the
    /// compiled loop `reduces`.
    pub fn scrambled(&self, reduces: bool) -> Option<(&'a Array, (u32, u32))> {
        let iterators: Vec<&str> = self.source.iterators.iter().map(|own| own.name.as_str()).collect();
        let is_scrambled = |access: &&ArrayAccess| {
            access.subscripts.iter().any(|text| subscript::is_scrambled(text, &iterators))
        };
        self.source.arrays.iter().find_map(|array| {
            let moves = |access: &&ArrayAccess| {
                access.subscripts.iter().any(|text| subscript::has_name(text, &iterators))
            };
            let write = writes(array).find(moves)?;
            let is_update = |access: &ArrayAccess| matches!(access.mode, AccessMode::Update(_));
            if reduces && array.accesses.iter().all(is_update) {
                return None;
            }
            let access = array.accesses.iter().find(is_scrambled)?;
            Some((array, (write.at.line, access.at.line)))
        })
    }

    /// An element that is the same in all iterations, and that an iteration reads before anything in its text writes it:
    /// the array, and the lines of the write and of the read. It has the value that an earlier iteration left, whatever
    /// the compiler makes of it: no iteration can have it for itself.
    pub fn handed_on(&self) -> Option<(&'a str, (u32, u32))> {
        let [iterator] = &self.source.iterators[..] else { return None };
        if self.source.jumps {
            return None;
        }
        self.source.arrays.iter().filter(|array| self.is_one_place(array)).find_map(|array| {
            let place = |access: &ArrayAccess| (access.at.line, access.at.column);
            let first = writes(array).map(place).min()?;
            let is_before = |read: &&ArrayAccess| read.mode == AccessMode::Read && place(read) < first;
            array.accesses.iter().filter(is_before).find_map(|read| {
                let is_met = |write: &&ArrayAccess| {
                    write.member == read.member
                        && !self.depends(write)
                        && subscript::meeting(&write.subscripts, &read.subscripts, &iterator.name)
                            == Some(Meeting::Everywhere)
                };
                let write = writes(array).find(is_met).filter(|_| !self.depends(read))?;
                Some((array.name.as_str(), (write.at.line, read.at.line)))
            })
        })
    }

    /// Elements of arrays of the program that stay while the loop runs, that it reads, and that by its text one iteration may write where it
    /// writes an element of its own: the array, and the lines of such a write and of the read.
    pub fn written_once(&self) -> impl Iterator<Item = (&'a Array, (u32, u32))> {
        let iterator = match &self.source.iterators[..] {
            [one] => Some(one),
            _ => None,
        };
        let course = iterator.and_then(|own| {
            let bound = own.bound.as_deref().zip(own.comparison.as_deref());
            let (start, step) = (own.start.as_deref(), own.step_value?);
            Some(Course { iterator: &own.name, start, bound, step })
        });
        let of_program = self.source.arrays.iter().filter(|array| {
            array.fixed && !array.home.is_local() && array.home != Home::InBody && self.is_one_place(array)
        });
        of_program.filter_map(move |array| {
            let course = course?;
            let stays = |access: &&ArrayAccess| {
                access.mode == AccessMode::Read && self.step_of(array, access) == Some(false)
            };
            array.accesses.iter().filter(stays).find_map(|read| {
                let is_met = |write: &&ArrayAccess| {
                    write.member == read.member
                        && self.step_of(array, write) == Some(true)
                        && !subscript::is_never_written(&write.subscripts, &read.subscripts, course)
                };
                Some((array, (writes(array).find(is_met)?.at.line, read.at.line)))
            })
        })
    }

    /// Arrays of the loop's function that it writes and of which it reads elements that the text of the same iteration has not written
    /// for certain, each with the lines of a write and of such a read: an iteration may find there what an earlier one left.
    pub fn left_in_arrays(&self) -> impl Iterator<Item = (&'a str, (u32, u32))> {
        let source = self.source;
        let of_function = source.arrays.iter().filter(|array| {
            array.fixed && matches!(array.home, Home::Local | Home::StaticLocal | Home::StaticInBody)
        });
        of_function.filter_map(|array| {
            let place = |access: &ArrayAccess| (access.at.line, access.at.column);
            let is_written = |read: &ArrayAccess| {
                writes(array).any(|write| {
                    !write.conditional
                        && place(write) < place(read)
                        && (&write.subscripts, &write.member) == (&read.subscripts, &read.member)
                })
            };
            let write = writes(array).next()?;
            let mut reads = array.accesses.iter().filter(|access| access.mode == AccessMode::Read);
            let read = reads.find(|read| !is_written(read))?;
            Some((array.name.as_str(), (write.at.line, read.at.line)))
        })
    }

    /// Arrays of the loop's function that an iteration only uses for itself, by the text: each element that it reads it has written before,
    /// certainly and at the same place of the array, and nothing else comes to the array or reads it afterwards. Compilers need not keep them.
    pub fn scratch_arrays(&self) -> impl Iterator<Item = &'a Array> {
        let is_of_function = |array: &&Array| {
            array.fixed && array.home == Home::Local && !array.shared && array.after == AfterLoop::Unused
        };
        let arrays = self.source.arrays.iter().filter(is_of_function);
        arrays.filter(|array| {
            let is_read = |access: &&ArrayAccess| access.mode != AccessMode::Write;
            writes(array).next().is_some()
                && array.accesses.iter().filter(is_read).all(|read| self.is_just_written(array, read))
        })
    }

    /// Whether an iteration, of the loop or of one inside that both are in, has certainly written an element before it reads it.
    fn is_just_written(&self, array: &Array, read: &ArrayAccess) -> bool {
        let place = |at: &profile::lens::Position| (at.line, at.column);
        let holds = |inner: &SourceLoop, at: &profile::lens::Position| {
            (place(&inner.body.0)..=place(&inner.body.1)).contains(&place(at))
        };
        // Counters of loops stay in one iteration of them.
        let counts = |definition: &profile::lens::Definition| {
            let is_of_header = |inner: &SourceLoop| {
                (place(&inner.at)..place(&inner.body.0)).contains(&place(&definition.at))
            };
            definition.header
                || definition.kind == DefinitionKind::Iteration
                || self.inner_loops().any(is_of_header)
        };
        let changes = |scalar: &Scalar| !scalar.definitions.iter().all(counts);
        let is_moved = |text: &String| {
            self.source.scalars.iter().any(|scalar| changes(scalar) && mentions(text, &scalar.name))
        };
        let is_always = |write: &ArrayAccess| {
            let mut inner = self.inner_loops().filter(|inner| holds(inner, &write.at)).peekable();
            if inner.peek().is_none() {
                return !write.conditional;
            }
            // The innermost, in which both have to be.
            let innermost = inner.max_by_key(|inner| place(&inner.at));
            innermost.filter(|inner| holds(inner, &read.at)).is_some_and(|inner| {
                let mut same = inner.arrays.iter().flat_map(|own| &own.accesses);
                same.any(|own| own.at == write.at && own.mode == AccessMode::Write && !own.conditional)
            })
        };
        read.mode == AccessMode::Read
            && !read.subscripts.iter().any(is_moved)
            && array.accesses.iter().any(|write| {
                write.mode == AccessMode::Write
                    && place(&write.at) < place(&read.at)
                    && (&write.subscripts, &write.member) == (&read.subscripts, &read.member)
                    // What is assigned is read before, and stands behind.
                    && (!mentions(&write.value, &array.name)
                        || write.at.line < read.at.line && !write.value.contains('\n'))
                    && !write.value.is_empty()
                    && is_always(write)
            })
    }

    /// Arrays of the loop's function whose elements the loop may write in several iterations, each with the line of such a write. What is
    /// only combined with an operator does not count where the loop `reduces`.
    pub fn written_again(&self, reduces: bool) -> impl Iterator<Item = (&'a str, u32)> {
        // What Fortran assigns as a whole it assigns element by element, each once.
        let is_whole = self.source.kind == LoopKind::ArrayExpression;
        let own = self
            .source
            .arrays
            .iter()
            .filter(move |array| array.fixed && array.home == Home::Local && !is_whole);
        own.filter_map(move |array| {
            let is_update = |access: &ArrayAccess| matches!(access.mode, AccessMode::Update(_));
            if reduces && array.accesses.iter().all(is_update) {
                return None;
            }
            let write = writes(array).find(|write| self.step_of(array, write) != Some(true))?;
            Some((array.name.as_str(), write.at.line))
        })
    }

    /// Whether all that the loop does to the one array that it comes to on some lines is to set elements of it to one constant.
    pub fn sets_one_value(&self, lines: &[u32]) -> bool {
        let is_on = |array: &&Array| array.accesses.iter().any(|access| lines.contains(&access.at.line));
        let is_set = |array: &&Array| is_on(array) && array.is_written();
        let mut all = self.source.arrays.iter().filter(is_set);
        let Some(array) = all.next().filter(|_| all.next().is_none()) else { return false };
        // What else is stored there a compiler has put in the place of a call.
        let is_of = |line: &u32| array.accesses.iter().any(|access| access.at.line == *line);
        if !lines.iter().all(is_of) {
            return false;
        }
        let mut values = array.accesses.iter().map(|access| (access.mode, access.value.trim()));
        let Some((AccessMode::Write, first)) = values.next() else { return false };
        // Functions that are handed all of it may set elements to other values.
        let is_handed_over = self.source.scalars.iter().any(|scalar| {
            scalar.root == array.root && (!scalar.shared.is_empty() || !scalar.definitions.is_empty())
        });
        is_constant(first)
            && values.all(|own| own == (AccessMode::Write, first))
            && !array.shared
            && !is_handed_over
    }

    /// Whether these lines set one variable of the loop that is only ever set to one constant.
    pub fn sets_flag(&self, lines: &[u32]) -> bool {
        self.scalars.iter().any(|(scalar, role)| {
            let sets = |line: &u32| scalar.definitions.iter().any(|definition| definition.at.line == *line);
            // By another name the same line may set it to something else.
            let is_other = |other: &Scalar| other.name != scalar.name && !other.is_own_storage();
            let sets_another = |line: &u32| self.writes_on(*line, &|_| true, &is_other);
            *role == Role::Flag && lines.iter().all(|line| sets(line) && !sets_another(line))
        })
    }

    /// The one array of which a line combines an element with something, if that may be the element of several iterations.
    pub fn combined_on(&self, line: u32) -> Option<&'a str> {
        let is_updated = |array: &&Array| {
            let mut updates = array
                .accesses
                .iter()
                .filter(|access| access.at.line == line && matches!(access.mode, AccessMode::Update(_)));
            updates.any(|access| self.step_of(array, access) != Some(true))
        };
        let mut all = self.source.arrays.iter().filter(is_updated).map(|array| array.name.as_str());
        all.next().filter(|_| all.next().is_none())
    }

    /// An element that is the same in all iterations, and that they only combine with an operator: the array, and the lines.
    pub fn combined_element(&self) -> Option<(&'a str, Vec<u32>)> {
        self.combined_elements().next().map(|(array, accesses)| {
            (array.name.as_str(), accesses.iter().map(|access| access.at.line).collect())
        })
    }

    /// The same, of arrays that outlive the iteration, where nothing else is done with that element: it is a reduction, whether the run shows it
    /// or the compiler has it in a register.
    pub fn only_combined_element(&self) -> Option<(&'a str, Vec<u32>)> {
        let (array, accesses) = self.combined_elements().find(|(array, accesses)| {
            let is_combined = |access: &ArrayAccess| {
                let is_same =
                    |own: &&ArrayAccess| (own.element(), &own.member) == (access.element(), &access.member);
                is_combination(access.mode) || !accesses.iter().any(is_same)
            };
            array.home != Home::InBody && array.accesses.iter().all(is_combined)
        })?;
        Some((array.name.as_str(), accesses.iter().map(|access| access.at.line).collect()))
    }

    fn combined_elements(&self) -> impl Iterator<Item = (&'a Array, Vec<&'a ArrayAccess>)> {
        let iterator = match &self.source.iterators[..] {
            [one] => Some(one),
            _ => None,
        };
        let arrays = self.source.arrays.iter().filter(|array| self.is_one_place(array));
        arrays.filter_map(move |array| {
            let is_met = |access: &&ArrayAccess| {
                iterator.is_some_and(|iterator| {
                    // Methods name members without the object.
                    let name = iterator.name.strip_prefix("this->").unwrap_or(&iterator.name);
                    is_combination(access.mode)
                        && subscript::meeting(&access.subscripts, &access.subscripts, name)
                            == Some(Meeting::Everywhere)
                        && !self.depends(access)
                })
            };
            let met: Vec<&ArrayAccess> = array.accesses.iter().filter(is_met).collect();
            (!met.is_empty()).then_some((array, met))
        })
    }

    /// Whether an access comes to another element in another iteration of the loop or of one inside, as far as its subscripts name
    /// what changes meanwhile.
    pub fn moves(&self, array: &Array, access: &ArrayAccess) -> bool {
        let is_set_anew = !self.is_one_place(array) && !array.fixed;
        is_set_anew || self.names_what_changes(access)
    }

    fn names_what_changes(&self, access: &ArrayAccess) -> bool {
        let of = |name: &str| access.subscripts.iter().any(|text| mentions(text, name));
        let changed = self.source.scalars.iter().filter(|scalar| !scalar.definitions.is_empty());
        self.source.iterators.iter().any(|own| of(&own.name)) || changed.into_iter().any(|own| of(&own.name))
    }

    /// Whether the subscripts of an access name a variable that the loop sets, or the iterator of a loop inside that
    /// begins or ends where this loop's iterator says.
    pub fn depends(&self, access: &ArrayAccess) -> bool {
        let own = || self.source.iterators.iter().map(|iterator| iterator.name.as_str());
        let inner = || self.inner_loops().flat_map(|other| &other.iterators);
        let of = |name: &str| access.subscripts.iter().any(|text| mentions(text, name));
        let is_counted = |name: &str| own().any(|own| own == name) || inner().any(|own| own.name == name);
        let changes = |scalar: &&Scalar| !scalar.definitions.is_empty() && !is_counted(&scalar.name);
        if self.source.scalars.iter().filter(changes).any(|scalar| of(&scalar.name)) {
            return true;
        }
        inner().filter(|inner| of(&inner.name)).any(|inner| {
            let texts = [&inner.start, &inner.bound];
            let sets = |text: &str| {
                let mut set = self.source.scalars.iter().filter(|scalar| !scalar.definitions.is_empty());
                set.any(|scalar| scalar.name != inner.name && mentions(text, &scalar.name))
            };
            let is_named = |text: &String| {
                own().any(|name| mentions(text, name))
                    || sets(text)
                    || text.chars().any(|c| matches!(c, '[' | '(' | '.'))
            };
            inner.bound.is_none() || texts.into_iter().flatten().any(is_named)
        })
    }

    /// Whether the loop writes elements through a pointer that iterations set anew, and reads others through such
    /// pointers: which of them meet, subscripts do not tell.
    fn moves_along(&self) -> bool {
        // What an iterator of Rust gives to be changed nobody else has.
        let is_exclusive = |array: &Array| {
            self.language == Language::Rust
                && self.source.kind == LoopKind::RustFor
                && array.home == Home::InHeader
        };
        let is_moving = |array: &&Array| {
            !(self.is_one_place(array) || array.fixed && array.home == Home::InBody || is_exclusive(array))
        };
        let moving = || self.source.arrays.iter().filter(is_moving);
        moving().flat_map(|array| writes(array).map(move |write| (array, write))).any(|(array, write)| {
            moving().any(|other| {
                other.accesses.iter().any(|read| {
                    matches!(read.mode, AccessMode::Read | AccessMode::Update(_))
                        && (other.name != array.name || read.subscripts != write.subscripts)
                })
            })
        })
    }

    /// Whether an array is the same one in all iterations.
    pub fn is_one_place(&self, array: &Array) -> bool {
        let depends_on = |name: &str| name == array.root || mentions(&array.name, name);
        array.home != Home::InBody
            && !self.source.iterators.iter().any(|own| depends_on(&own.name))
            && !self.source.scalars.iter().any(|scalar| depends_on(&scalar.name))
    }

    /// Whether the condition of a loop reads memory or calls functions, in a form that does not count to a bound: how
    /// often it iterates depends on the data.
    pub fn tests_data(&self) -> bool {
        let body = (self.source.body.0.line, self.source.body.0.column);
        let is_header = |at: &profile::lens::Position| (at.line, at.column) < body;
        self.source.canonical == Canonical::No(NotCanonical::TestOfData)
            || self.source.canonical == Canonical::No(NotCanonical::Test)
                && (self
                    .source
                    .arrays
                    .iter()
                    .flat_map(|array| &array.accesses)
                    .any(|access| is_header(&access.at))
                    || self.source.calls.iter().any(|call| is_header(&call.at))
                    || self.source.iterators.iter().all(|own| own.step_value.is_none_or(|step| step == 0))
                        && !self.counts_in_test())
    }

    /// Whether the condition of a loop counts what it tests: `i-- > 0`.
    fn counts_in_test(&self) -> bool {
        let source = self.source;
        let is_counted = |scalar: &&Scalar| {
            scalar.definitions.iter().all(|own| own.header) && advance::is_advanced(source, scalar)
        };
        source.kind == LoopKind::For && source.scalars.iter().any(|scalar| is_counted(&scalar))
    }

    /// Whether both ends of a dependence are on lines that do nothing but combine one thing with an operator: an array
    /// all of whose accesses are updates with it, or what a pointer points to.
    pub fn are_combined(&self, lines: [u32; 2]) -> bool {
        let arrays = self.source.arrays.iter().filter(|array| {
            let mut operators = array.accesses.iter().map(|access| match access.mode {
                AccessMode::Update(Operator::Subtract) => Some(Operator::Add),
                AccessMode::Update(operator) if operator.is_associative() => Some(operator),
                _ => None,
            });
            let first = operators.next().flatten();
            first.is_some() && operators.all(|operator| operator == first)
        });
        let writes_others =
            |own: &Array, line: u32| self.writes_on(line, &|array| array.name != own.name, &|_| true);
        arrays.into_iter().any(|array| {
            lines.iter().all(|&line| {
                array.accesses.iter().any(|access| access.at.line == line) && !writes_others(array, line)
            })
        })
    }

    /// Elements, the same in all iterations, that are handed to functions which may write them, or the address of which is taken; each
    /// with its line.
    pub fn handed_over(&self) -> impl Iterator<Item = (&'a str, u32)> {
        let stays = |access: &ArrayAccess| {
            !access.affine.is_empty()
                && access.affine.iter().all(|own| own.as_ref().is_some_and(|own| own.terms.is_empty()))
        };
        let outside = self.source.arrays.iter().filter(|array| array.home != Home::InBody);
        outside.flat_map(move |array| {
            let shared =
                array.accesses.iter().filter(move |own| own.mode == AccessMode::Shared && stays(own));
            shared.map(|own| (array.name.as_str(), own.at.line))
        })
    }

    /// Whether a pointer that the body declares leads to another element in every iteration, wherever it is set: `p = &a[3 * i]`, by
    /// the iterator or by what the body makes of it. The compiler cannot keep one place for all of them.
    pub fn leads_along(&self, pointer: &str) -> bool {
        let own = |name: &str| self.source.scalars.iter().find(|scalar| scalar.name == name);
        let is_iterator = |name: &String| self.source.iterators.iter().any(|own| own.name == *name);
        // Sums and products in which an iterator stands once, and no zero.
        let is_along = |definition: &profile::lens::Definition, text: &str| {
            let words =
                || text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            let count =
                words().filter(|word| self.source.iterators.iter().any(|own| own.name == *word)).count();
            let is_sum = text.chars().all(|c| c.is_alphanumeric() || " _+-*()".contains(c));
            is_sum
                && count == 1
                && words().all(|word| word != "0")
                && definition.reads.iter().filter(|name| is_iterator(name)).count() == 1
        };
        let is_made_along = |name: &str| {
            own(name).is_some_and(|scalar| match &scalar.definitions[..] {
                [only] => {
                    scalar.home == Home::InBody
                        && scalar.shared.is_empty()
                        && only.kind == DefinitionKind::Declaration
                        && is_along(only, &only.value)
                }
                _ => false,
            })
        };
        let is_reference = own(pointer).is_some_and(|scalar| scalar.storage.reference);
        let leads = |definition: &profile::lens::Definition| {
            let text = definition.value.trim();
            let address = if is_reference { Some(text) } else { text.strip_prefix('&') };
            let Some((_, subscript)) = address.and_then(|text| text.split_once('[')) else {
                return false;
            };
            let Some(subscript) = subscript.strip_suffix(']') else { return false };
            is_along(definition, subscript) || is_made_along(subscript)
        };
        own(pointer).is_some_and(|scalar| {
            // What is assigned to a reference is assigned to where it leads.
            let is_set = |one: &&profile::lens::Definition| {
                !one.value.is_empty() && (!is_reference || one.kind == DefinitionKind::Declaration)
            };
            let mut set = scalar.definitions.iter().filter(is_set).peekable();
            scalar.home == Home::InBody
                && scalar.form == ScalarForm::Variable
                && scalar.shared.is_empty()
                && set.peek().is_some()
                && set.all(leads)
        })
    }

    /// Whether a pointer that the body declares leads to storage that somebody has already: placement `new`.
    pub fn is_placed(&self, pointer: &str) -> bool {
        let mut of = self.source.scalars.iter().filter(|scalar| scalar.name == pointer);
        let is_placement = |value: &str| {
            let rest = value.trim_start().trim_start_matches("::").strip_prefix("new");
            rest.is_some_and(|rest| rest.trim_start().starts_with('('))
        };
        of.any(|scalar| scalar.definitions.iter().any(|own| is_placement(&own.value)))
    }

    /// A pointer that the body declares and writes through, of which the text does not say that no other iteration comes to where it leads:
    /// another pointer of the body, or a subscript, leads to another element of the same array, or what the same function gives for something else.
    /// Its name and its line.
    pub fn pointed_apart(&self) -> Option<(&'a str, u32)> {
        let source = self.source;
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        // What pointers that the body declares are made of: an array and a subscript, or a function and all of the call.
        let made = |scalar: &'a Scalar| -> Option<(String, String, bool)> {
            let [definition] = &scalar.definitions[..] else { return None };
            let is_pointer =
                scalar.storage.pointer || scalar.storage.reference || scalar.type_text.contains("auto");
            if scalar.home != Home::InBody || scalar.form != ScalarForm::Variable || !is_pointer {
                return None;
            }
            let text = plain(&definition.value);
            let text = text.trim_start_matches(['&', '(', '*']);
            let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
            let (root, rest) = text.split_at(end);
            let subscript = match rest.chars().next() {
                Some('[') => rest[1..].split_once(']').map_or(rest, |(own, _)| own).to_owned(),
                Some('+') => rest[1..].to_owned(),
                _ => rest.to_owned(),
            };
            (!root.is_empty()).then(|| (root.to_owned(), subscript, rest.starts_with('(')))
        };
        let pointers: Vec<(&Scalar, (String, String, bool))> =
            source.scalars.iter().filter_map(|scalar| Some((scalar, made(scalar)?))).collect();
        let is_written = |name: &str| {
            let mut places =
                source.scalars.iter().filter(|scalar| scalar.root == name && scalar.name != name);
            let mut arrays = source.arrays.iter().filter(|array| array.root == name);
            places.any(|scalar| !scalar.definitions.is_empty())
                || arrays.any(|array| writes(array).next().is_some())
        };
        let iterator = source.iterators.first().map_or("", |own| own.name.as_str());
        let may_meet = |a: &str, b: &str, is_call: bool| {
            let of = |text: &str| [text.to_owned()];
            a != b && (is_call || subscript::meeting(&of(a), &of(b), iterator).is_some())
        };
        let found = pointers.iter().filter(|(scalar, _)| is_written(&scalar.name)).find(
            |(own, (root, at, is_call))| {
                let of_pointers = pointers.iter().any(|(other, (other_root, other_at, _))| {
                    own.name != other.name && root == other_root && may_meet(at, other_at, *is_call)
                });
                let elements = source.arrays.iter().filter(|array| array.name == *root);
                let mut accesses =
                    elements.flat_map(|array| &array.accesses).flat_map(|access| access.element());
                of_pointers || accesses.any(|other| may_meet(at, &other, false))
            },
        );
        found.map(|(scalar, _)| (scalar.name.as_str(), scalar.definitions[0].at.line))
    }

    /// Whether the text takes a minimum or maximum on a line.
    pub fn takes_extreme_on(&self, line: u32) -> bool {
        let is_extreme = |operator: Operator| matches!(operator, Operator::Minimum | Operator::Maximum);
        let updates = self.source.scalars.iter().flat_map(|scalar| &scalar.definitions).filter(|d| {
            // Its condition may stand on a line before it.
            let compares = d.update.as_ref().is_some_and(|update| update.comparison.is_some());
            d.at.line == line || compares && (self.source.body.0.line..d.at.line).contains(&line)
        });
        let mut operators = updates.filter_map(|d| d.update.as_ref()).map(|update| update.operator);
        let mut accesses = self.source.arrays.iter().flat_map(|array| &array.accesses);
        operators.any(is_extreme)
            || accesses.any(|access| {
                access.at.line == line
                    && matches!(access.mode, AccessMode::Update(operator) if is_extreme(operator))
            })
    }

    /// Whether a line writes some arrays, or assigns some variables that outlive the iteration.
    fn writes_on(
        &self,
        line: u32,
        is_array: &dyn Fn(&Array) -> bool,
        is_scalar: &dyn Fn(&Scalar) -> bool,
    ) -> bool {
        let arrays = self.source.arrays.iter().filter(|array| is_array(array));
        // What a pointer or a reference of the body leads to outlives it.
        let outlives = |s: &&Scalar| s.home != Home::InBody || !s.is_own_storage();
        let scalars = self.source.scalars.iter().filter(|s| outlives(s) && is_scalar(s));
        arrays.flat_map(writes).any(|write| write.at.line == line)
            || scalars.flat_map(|s| &s.definitions).any(|d| d.at.line == line && !d.header)
    }

    /// Whether a line reads an element of an array of which the loop reads others, too: one iteration may load what the next one reads. A
    /// pointer to a row (`is_pointer`) is another element for each row.
    pub fn reads_several_on(&self, line: u32, is_pointer: bool) -> bool {
        self.source.arrays.iter().any(|array| {
            let reads = || array.accesses.iter().filter(|access| access.mode.may(false));
            let is_row = |access: &ArrayAccess| is_pointer && !array.fixed && access.subscripts.len() > 1;
            let accesses = array.accesses.iter().filter(|access| access.at.line == line);
            accesses.into_iter().any(|one| {
                is_row(one) || one.mode.may(false) && reads().any(|other| one.element() != other.element())
            })
        })
    }

    /// The lines on which the text writes elements of arrays, or what a pointer or a reference leads to; as often as it does.
    pub fn lines_of_writes(&self) -> impl Iterator<Item = u32> {
        let arrays = self.source.arrays.iter().filter(|array| array.home != Home::InBody);
        let scalars = self.source.scalars.iter().filter(|scalar| !scalar.is_own_storage());
        let of_arrays = arrays.flat_map(writes).map(|access| access.at.line);
        of_arrays.chain(scalars.flat_map(assigned).map(|own| own.at.line))
    }

    /// Whether a line writes elements of arrays, or what a pointer or a reference leads to.
    pub fn writes_elements_on(&self, line: u32) -> bool {
        self.writes_on(line, &|_| true, &|scalar| !scalar.is_own_storage())
    }

    /// Whether a reference leads to storage of the body alone: what it is bound to, there or by a loop over a container, the body declares.
    pub fn is_bound_to_own(&self, reference: &Scalar) -> bool {
        let is_own = |text: &str| {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let name = words.find(|word| !word.is_empty()).unwrap_or_default();
            let declares = |scalar: &Scalar| scalar.name == name && scalar.is_private();
            let array = |array: &Array| array.name == name && array.home == Home::InBody && array.fixed;
            self.source.scalars.iter().any(declares) || self.source.arrays.iter().any(array)
        };
        let of_loops = self.inner_loops().flat_map(|inner| &inner.iterators);
        let bounds = of_loops.filter(|own| own.name == reference.name).filter_map(|own| own.bound.as_deref());
        let is_binding = |kind| kind == DefinitionKind::Declaration;
        let values =
            reference.definitions.iter().filter(|own| is_binding(own.kind)).map(|own| own.value.as_str());
        let mut all = bounds.chain(values).filter(|text| !text.is_empty()).peekable();
        all.peek().is_some() && all.all(is_own)
    }

    /// Whether a line writes elements of what the body declares.
    pub fn writes_own_on(&self, line: u32) -> bool {
        let arrays = self.source.arrays.iter().filter(|array| array.home == Home::InBody);
        arrays.flat_map(writes).any(|write| write.at.line == line)
    }

    /// Whether a line that assigns a variable writes something else, too, which is no part of the same.
    pub fn writes_beside(&self, scalar: &Scalar) -> bool {
        let is_other = |other: &Scalar| other.root != scalar.root;
        assigned(scalar).any(|own| self.writes_on(own.at.line, &|_| true, &is_other))
    }

    /// Whether the text adds something to a variable or an element on a line, or multiplies it.
    pub fn sums_on(&self, line: u32) -> bool {
        let is_sum = |operator: Operator| {
            matches!(operator, Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Xor)
        };
        self.scalars.iter().any(|(scalar, role)| {
            matches!(role, Role::Reduction(operator) if is_sum(*operator))
                && scalar.definitions.iter().any(|own| own.at.line == line)
        }) || self.source.arrays.iter().flat_map(|array| &array.accesses).any(|access| {
            access.at.line == line && matches!(access.mode, AccessMode::Update(operator) if is_sum(operator))
        })
    }

    /// Whether a line does nothing but combine what a pointer points to, always the same place, with an operator.
    pub fn combines_pointed(&self, lines: [u32; 2]) -> bool {
        // The condition of a minimum or maximum may stand on a line before it.
        let is_of = |definition: &profile::lens::Definition, line: u32| {
            let compares = definition.update.as_ref().is_some_and(|update| update.comparison.is_some());
            definition.at.line == line
                || compares
                    && (self.source.body.0.line..definition.at.line).contains(&line)
                    && !self.assigns_on(&(line..=definition.at.line - 1))
        };
        let is_other = |line: u32| self.writes_on(line, &|_| true, &|scalar| !is_memory(scalar));
        // Which of several statements on a line comes to it is not known.
        if lines.iter().any(|&line| is_other(line)) {
            return false;
        }
        self.scalars.iter().any(|(scalar, role)| {
            matches!(role, Role::Reduction(_))
                && is_memory(scalar)
                && lines
                    .iter()
                    .all(|&line| scalar.definitions.iter().any(|definition| is_of(definition, line)))
        })
    }

    /// Whether the text has an update of an array on one of some lines, and updates that array with other operators too:
    /// what looks like a reduction of its elements is none.
    pub fn is_also_used(&self, lines: &[u32]) -> bool {
        self.updated_on(lines).any(|array| {
            let mut operators = array.accesses.iter().filter_map(|access| match access.mode {
                AccessMode::Update(Operator::Subtract) => Some(Operator::Add),
                AccessMode::Update(operator) => Some(operator),
                _ => None,
            });
            let first = operators.next();
            first.is_some_and(|first| !first.is_associative())
                || operators.any(|operator| Some(operator) != first)
        })
    }

    /// Whether the text combines elements of an array on some lines, and also reads elements of that array: who has a copy of it to combine
    /// in does not read there what others do.
    pub fn is_also_read(&self, lines: &[u32]) -> bool {
        self.updated_on(lines).any(|array| {
            let same = self.source.arrays.iter().filter(|other| other.name == array.name);
            same.flat_map(|other| &other.accesses).any(|access| access.mode == AccessMode::Read)
        })
    }

    /// The arrays of which the text updates elements on some lines.
    fn updated_on<'l>(&self, lines: &'l [u32]) -> impl Iterator<Item = &'a Array> + use<'a, 'l> {
        let is_update = |access: &ArrayAccess| {
            matches!(access.mode, AccessMode::Update(_)) && lines.contains(&access.at.line)
        };
        self.source.arrays.iter().filter(move |array| array.accesses.iter().any(is_update))
    }

    /// Whether a line sets elements of arrays that outlive the iteration, without combining them with what they were, and no variable.
    pub fn only_sets_elements_on(&self, line: u32) -> bool {
        let is_here = |access: &&ArrayAccess| access.at.line == line;
        let outer = self.source.arrays.iter().filter(|array| array.home != Home::InBody);
        let mut set = outer.flat_map(writes).filter(is_here).peekable();
        let mut definitions = self.source.scalars.iter().flat_map(|scalar| &scalar.definitions);
        set.peek().is_some()
            && set.all(|access| access.mode == AccessMode::Write)
            && !definitions.any(|definition| definition.at.line == line && !definition.header)
    }

    /// An array that a line comes to.
    pub fn accessed_on(&self, line: u32) -> Option<&'a str> {
        let is_here = |array: &&Array| array.accesses.iter().any(|access| access.at.line == line);
        self.source.arrays.iter().find(is_here).map(|array| array.name.as_str())
    }

    /// Whether all that the text does on these lines is to come to elements of one array, of which no two iterations come to the same one
    /// for writing: `a[2 * i] = a[2 * i + 1]`. Beside an array that is `known` by its name other arrays with places of their own do not
    /// count, and its elements may have members.
    pub fn meet_nowhere_else(&self, lines: [u32; 2], known: Option<&str>) -> bool {
        let [iterator] = &self.source.iterators[..] else { return false };
        let Some(step) = iterator.step_value else { return false };
        let is_here = |at: &profile::lens::Position| lines.contains(&at.line);
        let inner: Vec<&str> =
            self.inner_loops().flat_map(|other| &other.iterators).map(|own| own.name.as_str()).collect();
        let mut own: Option<&Array> = None;
        let mut accesses: Vec<&ArrayAccess> = Vec::new();
        let is_other = |array: &Array| known.is_some_and(|name| array.name != name && array.fixed);
        for array in self.source.arrays.iter().filter(|array| !is_other(array)) {
            let here = array.accesses.iter().filter(|access| is_here(&access.at));
            accesses.extend(here.clone());
            if here.count() > 0 && own.replace(array).is_some() {
                return false;
            }
        }
        let by_pointer = |scalar: &(&Scalar, Role)| {
            is_memory(scalar.0)
                && (scalar.0.reads.iter().any(|line| lines.contains(line))
                    || scalar.0.definitions.iter().any(|definition| is_here(&definition.at)))
        };
        if !own.is_some_and(|array| self.is_one_place(array))
            || self.source.calls.iter().any(|call| is_here(&call.at))
            || self.scalars.iter().any(by_pointer)
            || accesses.iter().any(|access| {
                let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
                let is_member = known.is_some() && access.member.chars().all(is_plain);
                !(access.member.is_empty() || is_member) || self.depends(access)
            })
        {
            return false;
        }
        let are_apart = |a: &ArrayAccess, b: &ArrayAccess| {
            a.subscripts.len() == b.subscripts.len()
                && a.subscripts.iter().zip(&b.subscripts).any(|(a, b)| {
                    !subscript::has_name(a, &inner)
                        && !subscript::has_name(b, &inner)
                        && subscript::are_apart((a, b), &iterator.name, step)
                })
        };
        let writes = accesses.iter().filter(|access| access.mode != AccessMode::Read);
        writes.clone().count() > 0
            && writes.clone().all(|write| accesses.iter().all(|other| are_apart(write, other)))
    }

    /// Whether a line comes to nothing but variables and elements that their subscripts say: integer combinations of counters and of what
    /// stays, of arrays that stay.
    pub fn says_elements_on(&self, line: u32) -> bool {
        let mut accesses = self.source.arrays.iter().flat_map(|array| {
            array.accesses.iter().filter(|access| access.at.line == line).map(move |access| (array, access))
        });
        let inner = || self.inner_loops().flat_map(|inner| &inner.iterators);
        let is_counter = |name: &str| {
            let mut counters = self.source.iterators.iter().chain(inner());
            counters.any(|own| own.name == name && own.step_value.is_some())
        };
        // An element of a container, and what the body sets, may be any number.
        let is_open = |name: &str| {
            let mut taken = self.source.iterators.iter().chain(inner());
            let is_set = |scalar: &Scalar| !scalar.definitions.is_empty() || !scalar.shared.is_empty();
            taken.any(|own| own.name == name)
                || self.source.scalars.iter().any(|scalar| scalar.name == name && is_set(scalar))
        };
        let is_known = |affine: &Option<profile::lens::Affine>| {
            let terms = affine.as_ref().map(|affine| &affine.terms);
            terms.is_some_and(|terms| terms.iter().all(|(name, _)| is_counter(name) || !is_open(name)))
        };
        let is_said = |(array, access): (&Array, &ArrayAccess)| {
            self.is_one_place(array)
                && access.affine.iter().all(is_known)
                && !access.member.contains(['*', '>'])
                // Rows that pointers lead to may be one, and objects say themselves which element is meant.
                && (array.fixed || access.subscripts.len() < 2 && !array.type_text.contains("auto"))
        };
        let leads = |scalar: &&Scalar| is_memory(scalar) || scalar.storage.reference;
        let mut definitions = self.source.scalars.iter().filter(leads);
        accesses.all(is_said)
            && !definitions.any(|scalar| {
                scalar.reads.contains(&line) || scalar.definitions.iter().any(|d| d.at.line == line)
            })
            && !self.calls_on(line)
    }

    /// Whether a line is one of the loop's header.
    pub fn is_header(&self, line: u32) -> bool {
        (self.source.at.line..=self.source.header_last_line).contains(&line)
    }

    /// Whether a line calls something.
    pub fn calls_on(&self, line: u32) -> bool {
        self.source.calls.iter().any(|call| call.at.line == line)
    }

    /// Whether a line stands in the loop, and in none inside it nor in the arguments of a macro: what is written there once runs once
    /// in an iteration.
    pub fn is_own_line(&self, line: u32) -> bool {
        let of = |source: &SourceLoop| (source.at.line..=source.end.line).contains(&line);
        let is_inside = |other: &&SourceLoop| {
            (self.source.at.line, self.source.at.column) < (other.at.line, other.at.column)
                && other.end.line <= self.source.end.line
        };
        of(self.source)
            && !self.file.loops.iter().filter(is_inside).any(of)
            && !self.source.calls.iter().any(|call| call.is_macro && call.at.line == line)
    }

    /// The loop inside this one on a place of its file.
    pub fn inner(&self, line: u32, column: u32) -> Option<&'a SourceLoop> {
        let inner = self.file.at(line, Some(column).filter(|&column| column > 0))?;
        self.inner_loops().find(|own| std::ptr::eq(*own, inner))
    }

    /// What the text says of a loop inside this one.
    pub fn of_inner(&self, inner: &'a SourceLoop) -> Option<Facts<'a>> {
        Facts::new(self.file, inner)
    }

    /// The loops inside this one, by their text.
    pub fn inner_loops(&self) -> impl Iterator<Item = &'a SourceLoop> {
        let (first, end) = ((self.source.at.line, self.source.at.column), self.source.end);
        let end = (end.line, end.column);
        let is_inside = move |inner: &&SourceLoop| {
            first < (inner.at.line, inner.at.column) && (inner.end.line, inner.end.column) <= end
        };
        self.file.loops.iter().filter(is_inside)
    }

    /// Whether an access stands in a loop inside of which nothing is left: no instruction is of its lines.
    pub fn has_vanished(&self, access: &ArrayAccess, lines: &FxHashSet<u32>) -> bool {
        let at = (access.at.line, access.at.column);
        let mut around = self
            .inner_loops()
            .filter(|inner| (inner.at.line, inner.at.column) < at && at < (inner.end.line, inner.end.column));
        around.any(|inner| (inner.at.line..=inner.end.line).all(|line| !lines.contains(&line)))
    }

    /// Whether the text combines something with a variable or an element.
    pub fn has_updates(&self) -> bool {
        let is_update = |access: &ArrayAccess| matches!(access.mode, AccessMode::Update(_));
        self.scalars.iter().any(|(scalar, role)| {
            let counts = matches!(role, Role::Iterator | Role::Own);
            matches!(role, Role::Reduction(_))
                || !counts && scalar.definitions.iter().any(|d| d.update.is_some())
        }) || self.source.arrays.iter().flat_map(|array| &array.accesses).any(is_update)
    }

    /// The variable that iterations combine, if it is one.
    pub fn accumulator(&self) -> Option<&'a str> {
        let mut all = self.with(|role| matches!(role, Role::Reduction(_)));
        all.next().filter(|_| all.next().is_none()).map(|scalar| scalar.name.as_str())
    }

    /// Whether both lines do nothing with a variable but combine it.
    pub fn combines(&self, lines: [u32; 2]) -> bool {
        self.scalars.iter().any(|(scalar, role)| {
            let is_here =
                |line: &u32| scalar.definitions.iter().any(|definition| definition.at.line == *line);
            matches!(role, Role::Reduction(_)) && lines.iter().all(is_here)
        })
    }

    /// Whether the text updates an element of an array on one of some lines.
    pub fn updates_array(&self, lines: &[u32]) -> bool {
        self.updated_on(lines).next().is_some()
    }
}

/// Functions whose order counts though they hand on nothing through memory (ISO C, annex F; POSIX).
const STATE: &[&str] = &[
    "fesetround",
    "fegetround",
    "fesetenv",
    "fegetenv",
    "feholdexcept",
    "feupdateenv",
    "feclearexcept",
    "feraiseexcept",
    "fetestexcept",
    "feenableexcept",
    "fedisableexcept",
    "_mm_setcsr",
    "_mm_getcsr",
    "_MM_SET_ROUNDING_MODE",
    "_MM_GET_ROUNDING_MODE",
    "_MM_SET_FLUSH_ZERO_MODE",
    "_MM_SET_DENORMALS_ZERO_MODE",
    "_MM_SET_EXCEPTION_STATE",
    "chdir",
    "fchdir",
    "getcwd",
    "umask",
    "nice",
    "setpriority",
    "getpriority",
    "setrlimit",
    "getrlimit",
    "setuid",
    "seteuid",
    "setgid",
    "setegid",
    "sigprocmask",
    "pthread_sigmask",
    "signal",
    "sigaction",
    "alarm",
    "dup",
    "dup2",
    "open",
    "creat",
    "openat",
    "pipe",
    "socket",
    "accept",
    "pread",
    "pwrite",
    "ftruncate",
    "truncate",
    "unlink",
    "remove",
    "rename",
    "link",
    "symlink",
    "mkdir",
    "rmdir",
    "mmap",
    "munmap",
    "mprotect",
    "mremap",
    "madvise",
    "chmod",
    "fchmod",
    "fchmodat",
    "chown",
    "fchown",
    "lchown",
    "fchownat",
    "utime",
    "utimes",
    "futimes",
    "utimensat",
    "futimens",
    "mkdirat",
    "mknod",
    "mknodat",
    "mkfifo",
    "unlinkat",
    "renameat",
    "renameat2",
    "linkat",
    "symlinkat",
    "readlinkat",
    "faccessat",
    "fallocate",
    "posix_fallocate",
    "setxattr",
    "lsetxattr",
    "fsetxattr",
    "getxattr",
    "lgetxattr",
    "fgetxattr",
    "removexattr",
    "lremovexattr",
    "fremovexattr",
    "flock",
    "lockf",
    "fcntl",
    "ioctl",
    "semget",
    "semctl",
    "semop",
    "semtimedop",
    "msgget",
    "msgctl",
    "msgsnd",
    "msgrcv",
    "shmget",
    "shmat",
    "shmdt",
    "shmctl",
    "mq_open",
    "mq_send",
    "mq_receive",
    "mq_timedsend",
    "mq_timedreceive",
    "mq_getattr",
    "mq_setattr",
    "getitimer",
    "setitimer",
    "timer_create",
    "timer_settime",
    "timer_gettime",
    "timer_delete",
    "timerfd_create",
    "timerfd_settime",
    "timerfd_gettime",
    "prctl",
    "personality",
    "setsockopt",
    "getsockopt",
    "bind",
    "listen",
    "connect",
    "shutdown",
    "getsockname",
    "getpeername",
    "epoll_create",
    "epoll_create1",
    "epoll_ctl",
    "epoll_wait",
    "epoll_pwait",
    "poll",
    "ppoll",
    "select",
    "pselect",
    "eventfd",
    "signalfd",
    "inotify_init",
    "inotify_add_watch",
    "sched_setaffinity",
    "sched_getaffinity",
    "sched_setscheduler",
    "sched_getscheduler",
    "sched_setparam",
    "sched_getparam",
    "setpgid",
    "setsid",
    "setregid",
    "setreuid",
    "setgroups",
    "chroot",
    "sendfile",
    "splice",
    "tee",
    "copy_file_range",
    "kill",
    "raise",
    "killpg",
    "sigqueue",
    "sigpending",
    "sigaltstack",
    "fork",
    "vfork",
    "waitpid",
    "wait",
    // The state of a conversion, which encodings without one never touch.
    "mblen",
    "mbtowc",
    "wctomb",
    "mbrlen",
    "mbrtowc",
    "wcrtomb",
    "mbsrtowcs",
    "wcsrtombs",
    "pthread_self",
    "pthread_getspecific",
    "pthread_setspecific",
    "gettid",
    "sched_getcpu",
];

/// Whether a text has a name in it, as a word of its own.
pub fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

/// Whether an access combines an element with something, in any order.
fn is_combination(mode: AccessMode) -> bool {
    matches!(mode, AccessMode::Update(operator) if operator.is_associative())
}

/// The accesses that write an array.
pub fn writes(array: &Array) -> impl Iterator<Item = &ArrayAccess> {
    array.accesses.iter().filter(|access| matches!(access.mode, AccessMode::Write | AccessMode::Update(_)))
}

/// Whether the iterator of a loop counts by itself: it is set and advanced by the header alone.
fn has_iterator(source: &SourceLoop) -> bool {
    if source.kind.is_while() {
        return false;
    }
    let stands = || source.iterators.iter().any(|own| own.step_value == Some(0));
    if source.kind == LoopKind::For && (stands() || !advance::has_known_steps(source)) {
        return false;
    }
    !matches!(
        source.canonical,
        Canonical::No(
            NotCanonical::Kind
                | NotCanonical::Start
                | NotCanonical::Step
                | NotCanonical::Type
                | NotCanonical::IteratorAssigned
                | NotCanonical::IteratorShared
        )
    ) || matches!(
        source.kind,
        LoopKind::RangeFor
            | LoopKind::FortranDo
            | LoopKind::DoConcurrent
            | LoopKind::ForAll
            | LoopKind::ArrayExpression
            | LoopKind::RustFor
            | LoopKind::RustIterator
    )
}

/// Whether what is named lies in memory that other names may mean too, or is not one place.
pub fn is_memory(scalar: &Scalar) -> bool {
    matches!(scalar.form, ScalarForm::Dereference | ScalarForm::PointedMember)
}

impl Facts<'_> {
    /// Whether another name leads to the iterator, or a function that is called reads it: it cannot be the iterations' own.
    pub fn shared_iterator(&self) -> Option<&Scalar> {
        let is_counter = |scalar: &Scalar| self.source.iterators.iter().any(|own| own.name == scalar.name);
        let is_shared = |scalar: &Scalar| {
            scalar.home != Home::InHeader
                && scalar.shared.iter().any(|own| own.kind == SharingKind::Elsewhere)
        };
        let mut all = self.scalars.iter().map(|(scalar, _)| *scalar);
        all.find(|scalar| is_counter(scalar) && is_shared(scalar))
    }

    /// How an access moves while the loop runs: whether it comes to another element in the next iteration, other coordinates being
    /// equal. `None` if its subscripts do not tell.
    pub fn step_of(&self, array: &Array, access: &ArrayAccess) -> Option<bool> {
        let [iterator] = &self.source.iterators[..] else { return None };
        if !self.is_one_place(array) || self.depends(access) {
            return None;
        }
        let mut moves = false;
        for affine in &access.affine {
            moves |= affine.as_ref()?.of(&iterator.name) != 0;
        }
        Some(moves)
    }
}

/// Whether what is called changes a place that is the same in all iterations of the loop, through what it is handed; not arrays that the
/// loop meets in memory.
pub fn changes_one_place(source: &SourceLoop, call: &Call, is_met: &dyn Fn(&str) -> bool) -> bool {
    let is_changed = |name: &String| {
        let is_own = |scalar: &&Scalar| scalar.root == *name || scalar.name == *name;
        let mut scalars = source.scalars.iter().filter(is_own);
        let is_of_body = |array: &Array| array.name == *name && array.home == Home::InBody;
        source.iterators.iter().any(|own| own.name == *name)
            || scalars.any(|scalar| !scalar.definitions.is_empty() || scalar.home == Home::InBody)
            || source.arrays.iter().any(is_of_body)
    };
    let is_array = |name: &String| source.arrays.iter().any(|array| array.name == *name && array.fixed);
    let is_shown =
        |names: &[String]| !names.is_empty() && names.iter().all(|name| is_array(name) && is_met(name));
    call.places.iter().any(|names| !names.iter().any(is_changed) && !is_shown(names))
}

/// The text of a loop, and the file in which it stands.
fn source_of(profile: &Profile, context: ContextIndex) -> Option<(&FileLoops, &SourceLoop)> {
    let location = profile.location(profile.contexts.get(context as usize)?.location);
    let file = profile.source(&location.file)?;
    let column = Some(location.column).filter(|&column| column > 0);
    file.at(location.line, column).map(|source| (file, source))
}

/// Whether a variable has to stay in its one place: volatile or atomic. What a pointer leads to is another matter than
/// the pointer.
pub fn is_fixed(scalar: &Scalar) -> bool {
    let (before, behind) = scalar.type_text.rsplit_once('*').unwrap_or(("", &scalar.type_text));
    let is_of_pointer = scalar.form == ScalarForm::Variable && scalar.storage.pointer && !before.is_empty();
    (scalar.storage.volatile || scalar.storage.atomic)
        && (!is_of_pointer || ["volatile", "_Atomic", "atomic"].iter().any(|word| behind.contains(word)))
}

/// Whether the run has shown of a variable of the function's own that nothing reads what a loop leaves in it: where all accesses are as in the
/// text.
fn is_left_unread(profile: &Profile, context: ContextIndex, scalar: &Scalar) -> bool {
    let is_seen = !is_optimised(profile, context) && !profile.trust.is_cut_short();
    let is_local =
        scalar.home == Home::Local && scalar.form == ScalarForm::Variable && !scalar.storage.reference;
    let is_named =
        |object: u32| profile.objects.get(object as usize).is_some_and(|own| own.name == scalar.name);
    if !is_seen || !is_local || !profile.objects.iter().any(|own| own.name == scalar.name) {
        return false;
    }
    let is_inside = |end: u32| profile.is_around(context, profile.context_of(end));
    let leaves = |d: &&profile::Dependence| {
        d.memory && d.kind == profile::Kind::Flow && is_inside(d.source) && !is_inside(d.sink)
    };
    let mut objects =
        profile.dependences.iter().filter(leaves).flat_map(|d| &d.levels).map(|own| &own.objects);
    objects.all(|objects| !objects.is_empty() && !objects.iter().any(|used| is_named(used.object)))
}

fn role(file: &FileLoops, source: &SourceLoop, scalar: &Scalar) -> Role {
    let is_named = |name: &String| *name == scalar.name;
    if has_iterator(source) && source.iterators.iter().any(|own| is_named(&own.name)) {
        return Role::Iterator;
    }
    let marks = scalar.storage;
    if scalar.definitions.is_empty() && !scalar.shared.is_empty() && scalar.shared.iter().all(is_of_lock) {
        return Role::Own;
    }
    if is_fixed(scalar) {
        return Role::Shared;
    }
    if scalar.home == Home::InBody && !is_memory(scalar) {
        let is_own = !marks.reference || goes_along(file, source, scalar);
        return if is_own { Role::Own } else { Role::Shared };
    }
    // Loops of Fortran count by themselves, wherever their iterators are declared.
    let counts = |d: &profile::lens::Definition| d.kind == DefinitionKind::Iteration;
    let is_fortran = matches!(file.language, Language::Fortran | Language::FixedFortran);
    if is_fortran && !scalar.definitions.is_empty() && scalar.definitions.iter().all(counts) {
        return Role::Iterator;
    }
    let is_open = |sharing: &Sharing| {
        sharing.kind != SharingKind::ReadOnlyAddress && !is_of_container(source, scalar, sharing)
    };
    if scalar.shared.iter().any(is_open) || marks.reference && scalar.home != Home::Parameter {
        return Role::Shared;
    }
    if is_memory(scalar) && is_moving(source, scalar) {
        return Role::Shared;
    }
    if let Some(operator) = reduction(source, scalar) {
        return Role::Reduction(operator);
    }
    if is_companion(source, scalar) {
        return Role::Companion;
    }
    if advance::is_advanced(source, scalar) {
        return Role::Induction(advance::step(source, scalar));
    }
    // The header advances it, but not in the form that directives take.
    let is_counter = source.iterators.iter().find(|own| is_named(&own.name));
    let advances = |own: &&profile::lens::Iterator| {
        source.kind == LoopKind::For
            && own.step_value != Some(0)
            && advance::has_known_steps(source)
            && scalar.definitions.iter().all(|d| d.header)
    };
    if let Some(own) = is_counter.filter(advances) {
        return Role::Induction(own.step_value);
    }
    let is_used = scalar.after != AfterLoop::Unused;
    // What a pointer of the function's own leads to may be a variable that the loop reads by its name.
    let is_led_to =
        is_memory(scalar) && matches!(scalar.home, Home::Local | Home::StaticLocal | Home::InBody);
    if is_flag(scalar) && !is_led_to {
        return Role::Flag;
    }
    // Another name may lead to it.
    if is_memory(scalar) && !scalar.read_before_write || scalar.type_text.contains("union") {
        return Role::Shared;
    }
    // A loop that is left early may be left right after the assignment; no directive takes it anyway.
    let is_always = scalar.always_written || !source.leaves.is_empty();
    if scalar.read_before_write || is_used && !is_always {
        return Role::Carried;
    }
    // Each thread has its own already; what calls leave in `errno` nobody expects behind a loop.
    if is_errno(scalar) && !matches!(scalar.after, AfterLoop::Read(_)) {
        return Role::Own;
    }
    if marks.thread_local {
        return if is_used { Role::Shared } else { Role::Own };
    }
    Role::Private { last: is_used }
}

/// Whether a scalar is `errno`, the name that the C library has for what each thread has: no variable that a clause could name.
pub fn is_errno(scalar: &Scalar) -> bool {
    scalar.declared.is_none() && scalar.name == "errno"
}

/// Whether an address is that of a lock, handed to a function of OpenMP that takes it or gives it back: what it holds is nobody's value.
fn is_of_lock(sharing: &Sharing) -> bool {
    sharing.callee.starts_with("omp_") && sharing.callee.contains("lock")
}

/// Whether a sharing is that of the container whose elements the loop goes through: the header asks for it once, before
/// the first iteration, and each iteration has another element. In Rust nobody else comes to it meanwhile; in C++ the
/// body must not name it.
fn is_of_container(source: &SourceLoop, scalar: &Scalar, sharing: &Sharing) -> bool {
    let is_header = (sharing.at.line, sharing.at.column) < (source.body.0.line, source.body.0.column);
    let is_alone = || {
        scalar.reads.len() <= 1 && scalar.definitions.is_empty() && {
            let mut arrays = source.arrays.iter().filter(|array| array.root == scalar.root);
            arrays.next().is_none()
        }
    };
    is_header
        && match source.kind {
            LoopKind::RustFor => true,
            LoopKind::RangeFor => is_alone(),
            _ => false,
        }
}

/// Whether a reference that each iteration binds anew leads to another place in each: to an element that the loop's
/// iterator says, or to one of a container that a loop inside goes through, where that container is known to be the
/// iteration's own, or is looked at by its own name.
fn goes_along(file: &FileLoops, source: &SourceLoop, scalar: &Scalar) -> bool {
    let counts = |name: &str| has_iterator(source) && source.iterators.iter().any(|own| own.name == name);
    let mut bindings = scalar
        .definitions
        .iter()
        .filter(|d| matches!(d.kind, DefinitionKind::Declaration | DefinitionKind::Iteration))
        .peekable();
    bindings.peek().is_some()
        && bindings.all(|binding| match binding.kind {
            DefinitionKind::Declaration => binding.reads.iter().any(|name| counts(name)),
            _ => file.loops.iter().any(|inner| {
                let is_here = (source.at.line, source.at.column) < (inner.at.line, inner.at.column)
                    && inner.end.line <= source.end.line;
                let is_container = |own: &profile::lens::Iterator| {
                    let bound = own.bound.as_deref().unwrap_or_default();
                    own.name == scalar.name
                        && (inner.kind == LoopKind::RustFor || !bound.contains(['(', '[']))
                };
                is_here
                    && matches!(inner.kind, LoopKind::RustFor | LoopKind::RangeFor)
                    && inner.iterators.iter().any(is_container)
            }),
        })
}

/// Whether a dereference may mean another place in another iteration: what it starts from is assigned in the loop. A pointer that the
/// body declares stays where it is if it is made of what stays.
fn is_moving(source: &SourceLoop, scalar: &Scalar) -> bool {
    match scalar.home {
        Home::InBody => changes(source, &scalar.root, 0),
        Home::InHeader => true,
        _ => source.assigns(&scalar.root),
    }
}

/// Names that are made of names are followed so far.
const DEEPEST_NAMES: u32 = 8;

/// Whether the value of a variable may be another one in another iteration.
fn changes(source: &SourceLoop, name: &str, depth: u32) -> bool {
    let Some(own) = source.scalars.iter().find(|scalar| scalar.name == name) else {
        return source.assigns(name);
    };
    let is_made_once = |definition: &profile::lens::Definition| {
        let is_address = definition.value.trim_start().starts_with('&');
        definition.kind == DefinitionKind::Declaration
            // A call may give another value each time, and so may what is read from memory.
            && !definition.value.contains(['(', '*'])
            && (is_address || !definition.value.contains('['))
            && !definition.value.contains("->")
            && definition.reads.iter().all(|read| !changes(source, read, depth + 1))
    };
    depth > DEEPEST_NAMES
        || own.home != Home::InBody
        || !own.shared.is_empty()
        || own.definitions.is_empty()
        || !own.definitions.iter().all(is_made_once)
}

/// The operator with which iterations combine a variable, if they do nothing else with it.
fn reduction(source: &SourceLoop, scalar: &Scalar) -> Option<Operator> {
    if scalar.definitions.is_empty() || !scalar.reads.is_empty() {
        return None;
    }
    // Every value but 0 is 1 there: what 1 + -1, 0 - 1 and 1 ^ 2 are depends on when they are.
    let is_truth = scalar.type_text.split_whitespace().any(|word| matches!(word, "bool" | "_Bool"));
    // What is set together with a minimum depends on it, and the minimum is not alone.
    let goes_with = |name: &String| {
        let updates =
            source.scalars.iter().flat_map(|other| &other.definitions).filter_map(|d| d.update.as_ref());
        updates.into_iter().any(|update| update.companions.contains(name))
    };
    let has_others = |update: &profile::lens::Update| {
        let of = |name: &String| source.scalars.iter().find(|other| other.name == *name);
        !update.companions.iter().all(|name| of(name).is_some_and(|other| is_companion(source, other)))
    };
    if goes_with(&scalar.name) {
        return None;
    }
    let mut operators = scalar.definitions.iter().map(|definition| {
        let operator = match (&definition.update, definition.kind) {
            (Some(update), _) if update.operand_reads_itself || has_others(update) => None,
            (Some(update), _) => Some(update.operator),
            (None, DefinitionKind::Increment(_)) => Some(Operator::Add),
            (None, _) => None,
        };
        let operator = operator.filter(|operator| operator.is_associative() && !definition.header)?;
        // What is not evaluated once the answer is known would be.
        if matches!(operator, Operator::LogicalAnd | Operator::LogicalOr)
            && definition
                .update
                .as_ref()
                .is_some_and(|update| may_change(source, &update.operand, definition.at.line))
        {
            return None;
        }
        match operator {
            Operator::Add
                if is_truth && matches!(definition.kind, DefinitionKind::Increment(by) if by > 0) =>
            {
                Some(Operator::LogicalOr)
            }
            Operator::Add | Operator::Subtract | Operator::Xor if is_truth => None,
            Operator::Multiply if is_truth => Some(Operator::LogicalAnd),
            Operator::Subtract => Some(Operator::Add),
            other => Some(other),
        }
    });
    let first = operators.next()??;
    operators.all(|operator| operator == Some(first)).then_some(first)
}

/// The assignments of a variable beside its declaration, or what binds it.
pub fn assigned(scalar: &Scalar) -> impl Iterator<Item = &profile::lens::Definition> {
    let is_one = |kind| !matches!(kind, DefinitionKind::Declaration | DefinitionKind::Iteration);
    scalar.definitions.iter().filter(move |own| is_one(own.kind))
}

/// Whether what is called may leave something behind: it keeps a value, writes elements or what it is handed, or its
/// text is not known.
pub fn may_keep(call: &Call) -> bool {
    call.keeps || !call.arrays.is_empty() || !call.elsewhere.is_empty() || !call.places.is_empty()
}

/// Whether an expression on a line of a loop changes something when it is evaluated: it assigns, or calls what does.
fn may_change(source: &SourceLoop, text: &str, line: u32) -> bool {
    let assigns = text.contains("++")
        || text.contains("--")
        || text.match_indices('=').any(|(at, _)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let is_comparison =
                matches!(before, Some('=' | '!' | '<' | '>')) || text.get(at + 1..at + 2) == Some("=");
            !is_comparison
        });
    let changes = |call: &Call| call.is_macro || may_keep(call);
    assigns || text.contains('(') && source.calls.iter().any(|call| call.at.line == line && changes(call))
}

/// Whether a variable is only ever set to one constant under conditions, and not read.
fn is_flag(scalar: &Scalar) -> bool {
    let mut values = scalar.definitions.iter().map(|definition| (definition.kind, definition.value.trim()));
    let Some((DefinitionKind::Plain, first)) = values.next() else { return false };
    scalar.reads.is_empty()
        && is_constant(first)
        && values.all(|(kind, value)| kind == DefinitionKind::Plain && value == first)
}

/// Whether an expression is a number or a truth value, as written.
fn is_constant(value: &str) -> bool {
    let unsigned = value.trim_start_matches(['-', '+']);
    matches!(value, "true" | "false" | "TRUE" | "FALSE" | ".true." | ".false.")
        || unsigned.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
            && unsigned.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a variable is only ever set together with a minimum or maximum.
fn is_companion(source: &SourceLoop, scalar: &Scalar) -> bool {
    let updates =
        source.scalars.iter().flat_map(|other| &other.definitions).filter_map(|d| d.update.as_ref());
    let mut of = updates.filter(|update| update.companions.contains(&scalar.name));
    of.next().is_some()
        && of.next().is_none()
        && scalar.reads.is_empty()
        && scalar.definitions.len() == 1
        && scalar.definitions.iter().all(|d| d.kind == DefinitionKind::Plain && !d.reads_itself)
}
