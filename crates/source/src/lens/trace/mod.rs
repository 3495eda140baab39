//! What one execution of a function's text would do, in the order of the text: reads, writes, accesses, calls, jumps.
//!
//! Every event names the *control* it stands under: a tree whose nodes are arms of conditions, bodies of loops, closures and
//! handlers. An event is unconditional in an iteration of a loop if the control of that loop's body is its own, and no jump
//! out of the iteration stands before it.

mod evaluate;
mod headers;
pub(super) mod known;
mod places;
mod statements;
mod updates;

use std::collections::{HashMap, HashSet};

use profile::lens::{
    Advanced, Affine, Directive, InMacro, LeaveKind, LoopKind, NotCanonical, Operator, Position, ScalarForm,
    SharingKind, StorageMarks, Update,
};

pub(super) use updates::affine;

use super::environment::Environment;
use super::text::Text;
use super::written::{FunctionText, Kept};

/// The events of a function.
#[derive(Default)]
pub(super) struct Trace {
    pub variables: Vec<Variable>,
    pub places: Vec<Place>,
    pub controls: Vec<Control>,
    pub groups: Vec<Group>,
    pub events: Vec<Event>,
    pub definitions: Vec<DefinitionText>,
    pub accesses: Vec<AccessText>,
    pub calls: Vec<CallText>,
    pub closures: Vec<ClosureTrace>,
    pub loops: Vec<LoopTrace>,
}

/// Where a variable is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declared {
    Function,
    Parameter,
    File,
    Member,
    Nowhere,
}

/// A variable.
pub(super) struct Variable {
    pub name: String,
    pub declared: Declared,
    pub is_static: bool,
    /// The innermost loop around the declaration, and whether it is in that loop's header.
    pub in_loop: Option<(usize, bool)>,
    /// Number of closures around the declaration.
    pub closures: usize,
    pub type_text: String,
    pub storage: StorageMarks,
    pub array: bool,
    pub dimensions: usize,
    /// It has another name as well, made outside of what is looked at.
    pub is_kept: bool,
    pub at: Option<Position>,
}

/// A variable, or what is reached from it: components `.x` (a member) and `*` (what it points to).
pub(super) struct Place {
    pub variable: usize,
    pub path: Vec<String>,
    pub name: String,
    pub form: ScalarForm,
    /// Another name may lead to it.
    pub is_kept: bool,
}

/// A node of the tree of controls; node 0 is the function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Control {
    pub parent: usize,
    pub depth: u32,
    pub kind: ControlKind,
    /// A jump out of it stands directly in it.
    pub diverts: bool,
    /// Its first event.
    pub first: usize,
}

/// What a control is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ControlKind {
    Function,
    /// An arm of a group.
    Arm(usize),
    /// The body of a loop, and whether it runs at least once.
    Body(bool),
    /// A closure, a handler, a block that a label names: may run or not.
    Perhaps,
}

/// The arms of one condition or selection.
pub(super) struct Group {
    pub arms: Vec<usize>,
    pub is_exhaustive: bool,
    /// The event after its last.
    pub end: usize,
}

/// Something that happens.
pub(super) struct Event {
    pub at: Position,
    pub control: usize,
    pub what: Happening,
}

/// What happens.
#[derive(Debug, Clone, Copy)]
pub(super) enum Happening {
    /// A place is read, perhaps as a part of its own update.
    Read(usize, Option<usize>),
    /// A definition writes a place.
    Write(usize, usize),
    /// A place becomes known to others, in a call if any.
    Share(usize, SharingKind, Option<usize>),
    /// A new automatic variable begins.
    Begin(usize),
    Access(usize),
    Call(usize),
    Closure(usize),
    Jump(Jump),
    Label(usize),
}

/// A jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    Break(usize),
    Continue(usize),
    Leave(LeaveKind),
    /// To a label, an index into the labels of [`Trace::calls`]' texts: see [`Happening::Label`].
    Goto(usize),
}

/// A definition of a place.
pub(super) struct DefinitionText {
    pub kind: profile::lens::DefinitionKind,
    pub update: Option<Update>,
    pub value: String,
    pub reads_itself: bool,
    pub reads: Vec<String>,
    pub header: bool,
}

/// An access by subscript.
pub(super) struct AccessText {
    pub variable: Option<usize>,
    pub name: String,
    pub mode: profile::lens::AccessMode,
    pub subscripts: Vec<String>,
    pub affine: Vec<Option<Affine>>,
    pub member: String,
    pub value: String,
}

/// A call.
#[derive(Default)]
pub(super) struct CallText {
    pub callee: String,
    pub is_macro: bool,
    pub elsewhere: Vec<String>,
    /// It may keep something from one call to the next.
    pub keeps: bool,
    /// Arrays of the file of which it writes elements.
    pub arrays: Vec<String>,
    /// Of each place that it changes through what it is handed, the names that choose it.
    pub places: Vec<Vec<String>>,
}

/// A closure.
pub(super) struct ClosureTrace {
    /// Names of what it assigns outside of itself.
    pub shares: Vec<String>,
    /// Variables outside of it that it refers to.
    pub captured: Vec<usize>,
}

/// A loop.
pub(super) struct LoopTrace {
    pub kind: LoopKind,
    pub label: Option<String>,
    pub at: Position,
    pub header_last_line: u32,
    pub end: Position,
    pub body_place: (Position, Position),
    pub is_around_one: bool,
    pub in_macro: InMacro,
    pub conditional_compilation: bool,
    pub errors: bool,
    pub parent: Option<usize>,
    /// Where it stands, and the control of its body.
    pub control: usize,
    pub body: usize,
    /// Events: of the header that happen once; of iterations; its end.
    pub first: usize,
    pub iteration: usize,
    pub last: usize,
    /// Events of the header that advance the iterators.
    pub step: (usize, usize),
    pub iterators: Vec<IteratorText>,
    pub advanced: Vec<(usize, Advanced)>,
    /// What the header's form lacks.
    pub form: Option<NotCanonical>,
    /// Variables that the bound and the step read, and whether they call or read memory otherwise.
    pub bound_reads: Vec<usize>,
    pub bound_is_open: bool,
    /// Variables of the places that the test looks up.
    pub looked_up: Vec<usize>,
    pub directive: Option<Directive>,
    pub in_parallel: Option<Directive>,
}

/// An iterator.
pub(super) struct IteratorText {
    pub variable: usize,
    pub start: Option<String>,
    pub bound: Option<String>,
    pub comparison: Option<String>,
    pub step: Option<String>,
    pub step_value: Option<i64>,
    pub adapters: Vec<String>,
}

/// Follows the text of a function.
pub(super) struct Walker<'a> {
    text: &'a Text<'a>,
    environment: &'a Environment,
    trace: Trace,
    scopes: Vec<HashMap<String, usize>>,
    members: HashMap<String, usize>,
    /// What the function makes other names for.
    kept: &'a Kept,
    is_method: bool,
    has_implicit_locals: bool,
    place_ids: HashMap<(usize, Vec<String>), usize>,
    labels: HashMap<String, usize>,
    control: usize,
    /// Loops around, innermost last, and what else takes `break`.
    around: Vec<Breakable>,
    closures: Vec<ClosureScope>,
    /// Per variable that holds a closure, which one.
    closure_of: HashMap<usize, usize>,
    /// Directives around, outermost first.
    regions: Vec<Directive>,
    /// Directives on the statement that comes next.
    pending: Vec<Directive>,
    /// The assignment whose right-hand side is being evaluated: its target's text, its definition.
    updating: Vec<(String, usize)>,
    header: bool,
}

/// Something that `break` leaves.
enum Breakable {
    Loop {
        index: usize,
        label: Option<String>,
    },
    Select {
        group: usize,
        control: usize,
    },
    Block(String),
    /// Jumps do not cross it.
    Closure,
}

struct ClosureScope {
    /// Its index in [`Trace::closures`].
    index: usize,
    copies: bool,
    copied: Vec<String>,
    referred: Vec<String>,
}

impl<'a> Walker<'a> {
    /// The events of a function.
    pub(super) fn trace(
        text: &'a Text<'a>,
        environment: &'a Environment,
        function: &'a FunctionText,
    ) -> Trace {
        let mut walker = Walker {
            text,
            environment,
            trace: Trace::default(),
            scopes: vec![HashMap::new()],
            members: HashMap::new(),
            kept: &function.kept,
            is_method: function.is_method,
            has_implicit_locals: function.has_implicit_locals,
            place_ids: HashMap::new(),
            labels: HashMap::new(),
            control: 0,
            around: Vec::new(),
            closures: Vec::new(),
            closure_of: HashMap::new(),
            regions: Vec::new(),
            pending: Vec::new(),
            updating: Vec::new(),
            header: false,
        };
        let root = Control { parent: 0, depth: 0, kind: ControlKind::Function, diverts: false, first: 0 };
        walker.trace.controls.push(root);
        for member in &function.members {
            walker.declare_member(member);
        }
        for parameter in &function.parameters {
            walker.declare(parameter, false);
        }
        walker.statements(&function.body);
        walker.trace.join_qualified();
        walker.trace
    }

    fn event(&mut self, at: Position, what: Happening) {
        self.trace.events.push(Event { at, control: self.control, what });
    }

    /// Runs `inside` under a new control.
    fn under(&mut self, kind: ControlKind, inside: impl FnOnce(&mut Self)) -> usize {
        let parent = self.control;
        let depth = self.trace.controls[parent].depth + 1;
        self.control = self.trace.controls.len();
        let new = self.control;
        let first = self.trace.events.len();
        self.trace.controls.push(Control { parent, depth, kind, diverts: false, first });
        inside(self);
        self.control = parent;
        new
    }

    fn scoped(&mut self, inside: impl FnOnce(&mut Self)) {
        self.scopes.push(HashMap::new());
        inside(self);
        self.scopes.pop();
    }

    /// The innermost loop around.
    fn current_loop(&self) -> Option<usize> {
        self.around.iter().rev().find_map(|around| match around {
            Breakable::Loop { index, .. } => Some(*index),
            _ => None,
        })
    }

    /// Text was met that was not understood: nothing is claimed about the loops around.
    fn misunderstood(&mut self) {
        let indices: Vec<_> = self
            .around
            .iter()
            .filter_map(|around| match around {
                Breakable::Loop { index, .. } => Some(*index),
                _ => None,
            })
            .collect();
        for index in indices {
            self.trace.loops[index].errors = true;
        }
    }
}

impl Trace {
    /// Variables that are named with and without their classes or namespaces may be one and the same.
    fn join_qualified(&mut self) {
        let is_qualified = |own: &&Variable| own.name.contains("::");
        let qualified: HashSet<String> =
            self.variables.iter().filter(is_qualified).map(|own| last_name(&own.name).to_owned()).collect();
        if qualified.is_empty() {
            return;
        }
        let names: Vec<Option<String>> =
            self.places.iter().map(|place| self.outer_name(place).map(str::to_owned)).collect();
        let mut spelled: HashMap<&str, HashSet<String>> = HashMap::new();
        for (place, name) in self.places.iter().zip(&names) {
            if let Some(name) = name.as_deref().filter(|name| qualified.contains(*name)) {
                spelled.entry(name).or_default().insert(place.name.clone());
            }
        }
        for (place, name) in self.places.iter_mut().zip(&names) {
            let others = name.as_deref().and_then(|name| spelled.get(name));
            place.is_kept |= others.is_some_and(|names| names.len() > 1);
        }
    }

    /// The last name of a place that may be known outside of the function.
    fn outer_name<'p>(&'p self, place: &'p Place) -> Option<&'p str> {
        let variable = &self.variables[place.variable];
        match place.path.last() {
            Some(part) => part.strip_prefix('.'),
            None if variable.declared == Declared::Function && !variable.is_static => None,
            None => Some(last_name(&variable.name)),
        }
    }

    /// Whether one control is another, or around it.
    pub(super) fn is_around(&self, outer: usize, inner: usize) -> bool {
        let depth = self.controls[outer].depth;
        let mut at = inner;
        while self.controls[at].depth > depth {
            at = self.controls[at].parent;
        }
        at == outer
    }

    /// The operator of an update that a definition makes.
    pub(super) fn operator(&self, definition: usize) -> Option<Operator> {
        self.definitions[definition].update.as_ref().map(|update| update.operator)
    }
}

/// A name without its classes, its namespaces and its object.
fn last_name(name: &str) -> &str {
    let name = name.rsplit("::").next().unwrap_or(name);
    name.rsplit("->").next().unwrap_or(name)
}
