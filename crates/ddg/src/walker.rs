//! Loop events and interprocedural iteration vectors (ALGORITHMS 1.3 to 1.6).
//!
//! The walker follows control from block to block. It keeps a stack of *frames* (activations), each with the context it
//! was called in; the live loops of an activation are the loop contexts between its base and the current context.
//! Counters are kept for the dimensions of the current context.
//!
//! Recursion is recognised when a function is called while active. The first activation then becomes the recursive
//! loop's first iteration retroactively: contexts of live frames are rebuilt with the loop inserted and coordinate 0,
//! and the old contexts are aliased to the new ones.

use std::ops::Range;

use rustc_hash::FxHashMap;
use shadow::{Iv, MAX_DIMS};

use crate::contexts::{ContextId, Contexts, FunctionId, Kind};
use crate::lost::Lost;
use crate::objects::STACK_REACH;

/// What the walker asks about functions.
pub trait Functions {
    /// Headers of the loops that contain the block at `pc` in `function`, outermost first, and whether the block heads
    /// the innermost of them.
    fn chain(&mut self, function: FunctionId, pc: u64) -> (std::sync::Arc<[u64]>, bool);
    /// Where control first arrives that comes to the block at `to` from the one at `from`: at the head of a loop around
    /// it, or at itself.
    fn arrival(&mut self, function: FunctionId, from: u64, to: u64) -> u64;
}

/// An event, named as in ALGORITHMS 1.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// `N`: plain arrival.
    Plain,
    /// `C`: ordinary call.
    Call,
    /// `R`: ordinary return.
    Return,
    /// `E`: a loop is entered.
    Enter(ContextId),
    /// `I`: a loop's next iteration.
    Iterate(ContextId),
    /// `X`: a loop is left.
    Exit(ContextId),
    /// `EC`: a call enters a recursive loop.
    EnterCall(ContextId),
    /// `IC`: a call to a header of a recursive loop.
    IterateCall(ContextId),
    /// `IR`: a return from a header of a recursive loop.
    IterateReturn(ContextId),
    /// `XR`: a return leaves a recursive loop.
    ExitReturn(ContextId),
}

impl Event {
    /// Whether the event changes counters or dimensions.
    pub fn moves(self) -> bool {
        !matches!(self, Event::Plain | Event::Call | Event::Return)
    }
}

/// How an activation was entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Call,
    EnterRecursion(u32),
    Iteration(u32),
}

/// An activation.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its function.
    pub function: FunctionId,
    /// Address of the block it started with.
    pub entry: u64,
    /// Context at its start.
    pub base: ContextId,
    /// Address the matching return continues at; 0 for the first frame.
    pub return_pc: u64,
    /// Canonical frame address (stack pointer before the call), 0 if unknown.
    pub cfa: u64,
    /// Storage below this address belongs to functions called from here; 0 before the first call.
    pub bottom: u64,
    how: How,
    caller: ContextId,
    saved: Iv,
}

#[derive(Debug, Default)]
struct Component {
    headers: Vec<FunctionId>,
    active: Option<usize>,
    context: ContextId,
}

/// The state machine.
#[derive(Debug)]
pub struct Walker {
    frames: Vec<Frame>,
    /// Where the contexts of the thread begin.
    root: ContextId,
    context: ContextId,
    iv: Iv,
    block: u64,
    components: Vec<Component>,
    member: Vec<Option<u32>>,
    active: Vec<u32>,
    /// Contexts of functions that code that is not recorded has called, each with the vector at which it did last.
    called_back: FxHashMap<ContextId, Iv>,
    /// Events of the latest step.
    pub events: Vec<Event>,
    /// Frame depth at which each dimension was entered.
    entered_at: [u32; MAX_DIMS],
    /// Activations that ended last, in a ring, and how many ever did.
    ended: [Ended; ENDED],
    ends: usize,
    pub(crate) lost: Lost,
    /// The recording has ended where the loop was left with which it had begun.
    pub(crate) is_closed: bool,
}

/// Most activations that end in one path and are remembered.
const ENDED: usize = 32;

/// An activation that has ended. What it did is applied with the path that it ended in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ended {
    /// Context at its start.
    pub base: ContextId,
    /// Address of the block it started with.
    pub entry: u64,
    /// Its canonical frame address.
    pub cfa: u64,
    /// Storage below this address belonged to functions called from it; 0 if it called none.
    pub bottom: u64,
    /// How many activations there were around it.
    pub depth: usize,
}

impl Walker {
    /// Starts in `function` at its block `pc`; `root` is where the contexts of its thread begin, and with which vector.
    pub fn new(
        contexts: &mut Contexts,
        functions: &mut dyn Functions,
        function: FunctionId,
        pc: u64,
        root: (ContextId, Iv),
    ) -> Walker {
        let mut walker = Walker::below(root, root.0, 0, contexts, functions, function, pc);
        walker.begins(root);
        walker
    }

    /// The first events are those of the root, if that counts something.
    fn begins(&mut self, (root, iv): (ContextId, Iv)) {
        if root != 0 {
            self.events.retain(|e| *e != Event::Plain);
            self.events.insert(0, if iv == Iv::ZERO { Event::Enter(root) } else { Event::Iterate(root) });
        }
    }

    /// Starts with the first entry of the one function that is recorded; `cfa` is its canonical frame address.
    pub fn entered(
        contexts: &mut Contexts,
        functions: &mut dyn Functions,
        function: FunctionId,
        pc: u64,
        cfa: u64,
        root: (ContextId, Iv),
    ) -> Walker {
        let entries = contexts.child(root.0, Kind::Entries);
        let mut walker = Walker::below(root, entries, cfa, contexts, functions, function, pc);
        walker.events.retain(|e| *e != Event::Plain);
        walker.events.insert(0, Event::Enter(entries));
        walker.begins(root);
        walker
    }

    /// The next entry of the one function that is recorded: whatever was active is over. False (and nothing done) if the
    /// walker did not start with one.
    pub fn enter_again(
        &mut self,
        contexts: &mut Contexts,
        functions: &mut dyn Functions,
        function: FunctionId,
        pc: u64,
        cfa: u64,
    ) -> bool {
        let entries = contexts.child(self.root, Kind::Entries);
        let base = self.frames[0].base;
        if base != entries && contexts.get(base).parent != entries {
            return false;
        }
        while self.frames.len() > 1 {
            self.leave(contexts, &mut Vec::new());
        }
        let old = self.function();
        let count = self.active_count(old);
        *count = count.saturating_sub(1);
        *self.active_count(function) += 1;
        let first = &mut self.frames[0];
        (first.function, first.entry, first.cfa, first.bottom) = (function, pc, cfa, 0);
        self.context = entries;
        self.clear_inner(contexts);
        self.advance(contexts, 1);
        let mut events = vec![Event::Iterate(entries)];
        if base != entries {
            // The function was found to be recursive: it is the recursive loop's first iteration again.
            self.enter_dimension(contexts, base);
            events.push(Event::EnterCall(base));
        }
        self.jump(contexts, functions, pc);
        events.extend(self.events.drain(..).filter(|e| *e != Event::Plain));
        self.events = events;
        true
    }

    fn below(
        (root, iv): (ContextId, Iv),
        base: ContextId,
        cfa: u64,
        contexts: &mut Contexts,
        functions: &mut dyn Functions,
        function: FunctionId,
        pc: u64,
    ) -> Walker {
        let first = Frame {
            function,
            entry: pc,
            base,
            return_pc: 0,
            cfa,
            bottom: 0,
            how: How::Call,
            caller: base,
            saved: iv,
        };
        let mut walker = Walker {
            frames: vec![first],
            root,
            context: base,
            iv,
            block: pc,
            components: Vec::new(),
            member: Vec::new(),
            active: Vec::new(),
            called_back: FxHashMap::default(),
            events: Vec::new(),
            entered_at: [0; MAX_DIMS],
            ended: [Ended::default(); ENDED],
            ends: 0,
            lost: Lost::default(),
            is_closed: false,
        };
        *walker.active_count(function) += 1;
        walker.jump(contexts, functions, pc);
        walker
    }

    /// The current context.
    pub fn context(&self) -> ContextId {
        self.context
    }

    /// The contexts that activations which have not ended are in: the current one, and those of calls that have not returned,
    /// suspended loops included. None where the recording was closed.
    pub fn under_way(&self) -> impl Iterator<Item = ContextId> + '_ {
        let own = std::iter::once(self.context);
        let all = own.chain(self.frames.iter().skip(1).map(|frame| frame.caller));
        all.filter(|_| !self.is_closed)
    }

    /// The current counters; entries beyond the context's dimensions are 0.
    pub fn iv(&self) -> &Iv {
        &self.iv
    }

    /// Advances the innermost counter, for iterations that were handled elsewhere.
    pub fn advance(&mut self, contexts: &Contexts, by: i64) {
        let dims = usize::from(contexts.get(self.context).dims);
        if dims > 0 && !contexts.get(self.context).flat {
            self.iv.0[dims - 1] = self.iv.0[dims - 1].wrapping_add(by);
        }
    }

    /// Address of the current block.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// All activations, outermost first; never empty.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Sets the canonical frame address of the current activation.
    pub fn set_cfa(&mut self, cfa: u64) {
        if let [.., caller, top] = &mut self.frames[..] {
            caller.bottom = cfa;
            top.cfa = cfa;
        }
    }

    /// Where the storage of activations lies that the current one has begun.
    pub fn begun(&self) -> Range<u64> {
        let bottom = self.frames.last().map_or(0, |frame| frame.bottom);
        bottom.saturating_sub(STACK_REACH)..bottom
    }

    /// The current activation's function.
    pub fn function(&self) -> FunctionId {
        self.frames.last().map_or(0, |f| f.function)
    }

    /// Repeats a plain arrival that is known to cause no event: same activation, same loops.
    pub fn follow(&mut self, pc: u64) {
        self.block = pc;
    }

    /// Repeats an ordinary call whose resulting context is known to be `context` without entering a loop.
    pub fn follow_call(
        &mut self,
        function: FunctionId,
        pc: u64,
        return_pc: u64,
        context: ContextId,
        cfa: u64,
    ) {
        if let Some(top) = self.frames.last_mut() {
            top.bottom = cfa;
        }
        self.frames.push(Frame {
            function,
            entry: pc,
            base: context,
            return_pc,
            cfa,
            bottom: 0,
            how: How::Call,
            caller: self.context,
            saved: self.iv,
        });
        *self.active_count(function) += 1;
        self.context = context;
        self.block = pc;
    }

    /// Whether the current activation was entered by an ordinary call.
    pub fn in_plain_call(&self) -> bool {
        self.frames.len() > 1 && self.frames.last().is_some_and(|f| f.how == How::Call)
    }

    /// Repeats an ordinary call that replaces the current activation; false (and nothing done) if that was not entered
    /// by an ordinary call.
    pub fn follow_tail_call(&mut self, function: FunctionId, pc: u64, context: ContextId) -> bool {
        if !self.in_plain_call() {
            return false;
        }
        let Some(top) = self.frames.last_mut() else { return false };
        let old = std::mem::replace(&mut top.function, function);
        (top.entry, top.base) = (pc, context);
        let count = self.active_count(old);
        *count = count.saturating_sub(1);
        *self.active_count(function) += 1;
        self.context = context;
        self.block = pc;
        true
    }

    /// Repeats an ordinary return that causes no loop event; false (and nothing done) if the activation does not
    /// return to `pc` that way.
    pub fn follow_return(&mut self, pc: u64, context: ContextId) -> bool {
        let Some(top) = self.frames.last() else { return false };
        if top.how != How::Call || top.return_pc != pc || top.caller != context || self.frames.len() < 2 {
            return false;
        }
        let function = top.function;
        self.note_end();
        self.frames.pop();
        let count = self.active_count(function);
        *count = count.saturating_sub(1);
        self.context = context;
        self.block = pc;
        true
    }

    fn note_end(&mut self) {
        if let Some(frame) = self.frames.last() {
            let &Frame { base, entry, cfa, bottom, .. } = frame;
            self.ended[self.ends % ENDED] = Ended { base, entry, cfa, bottom, depth: self.frames.len() - 1 };
            self.ends = self.ends.wrapping_add(1);
        }
    }

    /// The activation that ran a context, if it has ended but lately; nothing if it is under way.
    pub fn ended(&self, contexts: &Contexts, context: ContextId) -> Option<&Ended> {
        let mut base = context;
        while base != self.root && !matches!(contexts.get(base).kind, Kind::Call { .. }) {
            base = contexts.get(base).parent;
        }
        if self.frames.iter().rev().any(|frame| frame.base == base) {
            return None;
        }
        let latest = (1..=ENDED.min(self.ends)).map(|back| &self.ended[(self.ends - back) % ENDED]);
        latest.into_iter().find(|ended| ended.base == base)
    }

    /// Declares that recursive components `0..count` are known beforehand (two-pass runs). To be called first.
    pub fn declare(&mut self, count: usize) {
        self.components.resize_with(count, Component::default);
    }

    /// A function belongs to a component known beforehand. One that is active already stays an ordinary one until it is
    /// called again.
    pub fn join(&mut self, component: u32, function: FunctionId, header: bool) {
        if *self.active_count(function) > 0 {
            return;
        }
        let known = self.components.get_mut(component as usize);
        let Some(known) = self.lost.expect(known, "a component is made before its members") else { return };
        if header {
            known.headers.push(function);
        }
        self.member[function as usize] = Some(component);
    }

    /// Number of frames that existed when the loop of dimension `dim` was entered: a frame with an index of at least
    /// this was created inside the loop.
    pub fn frames_outside(&self, dim: usize) -> usize {
        self.entered_at.get(dim).map_or(0, |&d| d as usize)
    }

    /// Whether a call to `function` is an ordinary one, now.
    pub fn is_plain_call(&self, function: FunctionId) -> bool {
        self.member.get(function as usize).copied().flatten().is_none()
            && self.active.get(function as usize).copied().unwrap_or(0) == 0
    }

    fn active_count(&mut self, function: FunctionId) -> &mut u32 {
        let at = function as usize;
        if self.active.len() <= at {
            self.active.resize(at + 1, 0);
            self.member.resize(at + 1, None);
        }
        &mut self.active[at]
    }

    fn enter_dimension(&mut self, contexts: &Contexts, context: ContextId) {
        self.context = context;
        let node = contexts.get(context);
        if !node.flat
            && let Some(dim) = usize::from(node.dims).checked_sub(1)
        {
            self.iv.0[dim] = 0;
            self.entered_at[dim] = self.frames.len() as u32;
        }
    }

    /// Zeroes the counters that the current context does not have.
    fn clear_inner(&mut self, contexts: &Contexts) {
        let dims = usize::from(contexts.get(self.context).dims);
        self.iv.0[dims..].fill(0);
    }

    /// Repeats a jump to `pc` from the current context in an activation with the current base, of which the events are
    /// known.
    pub fn repeat_jump(&mut self, contexts: &Contexts, pc: u64, events: &[Event]) {
        self.events.clear();
        self.events.extend_from_slice(events);
        self.block = pc;
        let mut is_inside = false;
        for event in events {
            if let Event::Exit(left) = event {
                self.context = contexts.get(*left).parent;
                continue;
            }
            if !std::mem::replace(&mut is_inside, true) {
                self.clear_inner(contexts);
            }
            match event {
                Event::Enter(context) => self.enter_dimension(contexts, *context),
                Event::Iterate(_) => self.advance(contexts, 1),
                _ => {}
            }
        }
        if !is_inside {
            self.clear_inner(contexts);
        }
    }

    /// Context in which the current activation started.
    pub fn base(&self) -> ContextId {
        self.frames.last().map_or(0, |f| f.base)
    }

    /// A jump inside the current activation. Fills [`Walker::events`].
    pub fn jump(&mut self, contexts: &mut Contexts, functions: &mut dyn Functions, pc: u64) {
        self.events.clear();
        let from = std::mem::replace(&mut self.block, pc);
        let head = functions.arrival(self.function(), from, pc);
        if head != pc {
            self.come_to(contexts, functions, head);
        }
        self.come_to(contexts, functions, pc);
        if self.events.is_empty() {
            self.events.push(Event::Plain);
        }
    }

    /// Control is at a block, or at the head of a loop around one.
    fn come_to(&mut self, contexts: &mut Contexts, functions: &mut dyn Functions, pc: u64) {
        let function = self.function();
        let base = self.base();
        let (chain, heads) = functions.chain(function, pc);
        while self.context != base {
            let node = *contexts.get(self.context);
            match node.kind {
                Kind::Loop { header, .. } if !chain.contains(&header) => {
                    self.events.push(Event::Exit(self.context));
                }
                // What is not recorded has come to its end.
                Kind::Entries => {}
                _ => break,
            }
            self.context = node.parent;
        }
        self.clear_inner(contexts);
        let mut live = Vec::new();
        let mut at = self.context;
        while at != base {
            let node = contexts.get(at);
            if let Kind::Loop { header, .. } = node.kind {
                live.push(header);
            }
            at = node.parent;
        }
        let was_live = heads && chain.last().is_some_and(|h| live.contains(h));
        for header in chain.iter().filter(|h| !live.contains(h)) {
            let child = contexts.child(self.context, Kind::Loop { function, header: *header });
            self.enter_dimension(contexts, child);
            self.events.push(Event::Enter(child));
        }
        if was_live {
            self.advance(contexts, 1);
            self.events.push(Event::Iterate(self.context));
        }
    }

    /// A call from the current block to `function`, whose first block is `pc`; the matching return continues at
    /// `return_pc`.
    pub fn call(
        &mut self,
        contexts: &mut Contexts,
        functions: &mut dyn Functions,
        function: FunctionId,
        pc: u64,
        return_pc: u64,
    ) {
        self.active_count(function);
        let site = self.block;
        if self.member[function as usize].is_none() && self.active[function as usize] > 0 {
            self.discover(contexts, function);
        }
        self.events.clear();
        let mut frame = Frame {
            function,
            entry: pc,
            base: self.context,
            return_pc,
            cfa: 0,
            bottom: 0,
            how: How::Call,
            caller: self.context,
            saved: self.iv,
        };
        let component = self.member[function as usize];
        let event = match component {
            Some(c) if self.components[c as usize].active.is_none() => {
                frame.how = How::EnterRecursion(c);
                let site = contexts.child(self.context, Kind::Call { site, callee: function });
                let child = contexts.child(site, Kind::Recursive { component: c });
                self.frames.push(frame);
                self.enter_dimension(contexts, child);
                self.components[c as usize].active = Some(self.frames.len() - 1);
                self.components[c as usize].context = child;
                Event::EnterCall(child)
            }
            Some(c) if self.components[c as usize].headers.contains(&function) => {
                contexts.suspend(self.components[c as usize].context, self.context);
                frame.how = How::Iteration(c);
                self.frames.push(frame);
                self.context = self.components[c as usize].context;
                self.clear_inner(contexts);
                self.advance(contexts, 1);
                Event::IterateCall(self.context)
            }
            _ => {
                self.frames.push(frame);
                self.context = contexts.child(self.context, Kind::Call { site, callee: function });
                Event::Call
            }
        };
        *self.active_count(function) += 1;
        if let Some(top) = self.frames.last_mut() {
            top.base = self.context;
        }
        self.arrive(contexts, functions, pc, event);
    }

    /// Enters the loops that the first block of an activation lies in, after `event`.
    fn arrive(&mut self, contexts: &mut Contexts, functions: &mut dyn Functions, pc: u64, event: Event) {
        self.jump(contexts, functions, pc);
        if self.events == [Event::Plain] {
            self.events.clear();
        }
        self.events.insert(0, event);
    }

    /// A return of the current activation to the block at `pc`. Does nothing for the first frame.
    pub fn ret(&mut self, contexts: &mut Contexts, functions: &mut dyn Functions, pc: u64) {
        if self.frames.len() < 2 {
            self.jump(contexts, functions, pc);
            return;
        }
        let mut events = Vec::new();
        self.leave(contexts, &mut events);
        // Arriving at the return block is a jump of the caller; it may also leave or continue a loop there.
        self.jump(contexts, functions, pc);
        if self.events == [Event::Plain] {
            self.events.clear();
        }
        self.precede(events);
    }

    /// A tail call: the current activation is replaced, its return block kept.
    pub fn tail_call(
        &mut self,
        contexts: &mut Contexts,
        functions: &mut dyn Functions,
        function: FunctionId,
        pc: u64,
    ) {
        if self.frames.len() < 2 {
            // The first frame has no caller: its function changes.
            let old = self.function();
            let count = self.active_count(old);
            *count = count.saturating_sub(1);
            *self.active_count(function) += 1;
            self.frames[0].function = function;
            self.frames[0].entry = pc;
            let mut events = Vec::new();
            self.leave_loops(contexts, &mut events);
            self.clear_inner(contexts);
            self.jump(contexts, functions, pc);
            self.precede(events);
            return;
        }
        let Some(top) = self.frames.last() else { return };
        let (return_pc, cfa) = (top.return_pc, top.cfa);
        let base = contexts.get(top.base);
        let called = if matches!(top.how, How::EnterRecursion(_)) { contexts.get(base.parent) } else { base };
        let site = match called.kind {
            Kind::Call { site, .. } => site,
            _ => self.block,
        };
        let mut events = Vec::new();
        self.leave(contexts, &mut events);
        events.retain(|event| event.moves());
        self.block = site;
        self.call(contexts, functions, function, pc, return_pc);
        self.precede(events);
        self.set_cfa(cfa);
    }

    /// Events that came before those of the latest step.
    pub fn precede(&mut self, mut events: Vec<Event>) {
        events.append(&mut self.events);
        self.events = events;
    }

    /// Leaves the loops of the current activation.
    fn leave_loops(&mut self, contexts: &Contexts, events: &mut Vec<Event>) {
        let base = self.base();
        while self.context != base {
            let node = contexts.get(self.context);
            if matches!(node.kind, Kind::Loop { .. }) {
                events.push(Event::Exit(self.context));
            }
            self.context = node.parent;
        }
    }

    /// Ends the current activation, which is not the first one, without arriving anywhere.
    fn leave(&mut self, contexts: &Contexts, events: &mut Vec<Event>) {
        self.leave_loops(contexts, events);
        self.note_end();
        let Some(frame) = self.lost.expect(self.frames.pop(), "an activation is under way") else { return };
        let count = self.active_count(frame.function);
        *count = count.saturating_sub(1);
        match frame.how {
            How::Call => events.push(Event::Return),
            How::EnterRecursion(c) => {
                events.push(Event::ExitReturn(self.context));
                self.components[c as usize].active = None;
            }
            How::Iteration(c) => {
                let context = self.components[c as usize].context;
                self.context = context;
                self.advance(contexts, 1);
                events.push(Event::IterateReturn(context));
                // The caller's inner part continues where it was; the recursive loop's counter stays advanced.
                let outer = usize::from(contexts.get(context).dims);
                let dims = usize::from(contexts.get(frame.caller).dims);
                for q in outer..dims {
                    self.iv.0[q] = frame.saved.0[q];
                }
            }
        }
        self.context = frame.caller;
        self.clear_inner(contexts);
    }

    /// Drops activations until `keep` are left, then jumps to `pc` in the last of them (longjmp, exceptions).
    pub fn unwind(&mut self, contexts: &mut Contexts, functions: &mut dyn Functions, keep: usize, pc: u64) {
        let mut events = Vec::new();
        while self.frames.len() > keep.max(1) {
            self.leave(contexts, &mut events);
        }
        self.jump(contexts, functions, pc);
        self.precede(events);
        let left = self.events.iter().filter_map(|event| match event {
            Event::Exit(context) => Some(*context),
            _ => None,
        });
        left.for_each(|context| contexts.mark_unwound(context));
    }

    /// Drops activations until `keep` are left, the last of which goes on at `pc`, in the iteration it was in.
    pub fn go_on(&mut self, contexts: &Contexts, keep: usize, pc: u64) {
        let mut events = Vec::new();
        while self.frames.len() > keep.max(1) {
            self.leave(contexts, &mut events);
        }
        events.push(Event::Plain);
        (self.events, self.block) = (events, pc);
    }

    /// Code that is not recorded, and ran in the current context, calls `function`.
    ///
    /// It may do so again and again without a loop that is seen. Calls after the first one in a context are therefore counted as
    /// iterations of a loop of their own ([`Kind::Entries`]); the first one as well where it `repeats` for sure.
    pub fn call_back(
        &mut self,
        contexts: &mut Contexts,
        functions: &mut dyn Functions,
        function: FunctionId,
        pc: u64,
        repeats: bool,
    ) {
        let mut events = Vec::new();
        // Where in that code is not known, and no matter.
        self.block = self.frames.last().map_or(self.block, |frame| frame.entry);
        if contexts.get(self.context).kind == Kind::Entries && self.context != self.base() {
            self.clear_inner(contexts);
            self.advance(contexts, 1);
            events.push(Event::Iterate(self.context));
        } else {
            let once = contexts.child(self.context, Kind::Call { site: self.block, callee: function });
            // At another vector it is another activation of the code that calls.
            if self.called_back.insert(once, self.iv) == Some(self.iv) || repeats {
                let entries = contexts.child(self.context, Kind::Entries);
                self.enter_dimension(contexts, entries);
                events.push(Event::Enter(entries));
            }
        }
        self.call(contexts, functions, function, pc, 0);
        self.precede(events);
    }

    /// Ends the activations, but for the first, whose frames lie below `stack`.
    pub fn abandon(&mut self, contexts: &Contexts, stack: u64) {
        let mut events = Vec::new();
        while self.frames.len() > 1 && self.frames.last().is_some_and(|f| f.cfa != 0 && f.cfa <= stack) {
            self.leave(contexts, &mut events);
        }
        self.events = events;
    }

    /// `function` is called while active and belongs to no component: its cycle of activations becomes one.
    fn discover(&mut self, contexts: &mut Contexts, function: FunctionId) {
        let first = self.frames.iter().position(|f| f.function == function);
        let Some(first) = self.lost.expect(first, "a function that is active has an activation") else {
            return;
        };
        // If a component is active around or inside the cycle, the cycle joins it; its headers grow.
        let around = self
            .components
            .iter()
            .enumerate()
            .filter_map(|(c, component)| component.active.map(|at| (at, c as u32)))
            .min();
        if let Some((at, c)) = around
            && at <= first
        {
            for frame in &self.frames[first..] {
                self.member[frame.function as usize].get_or_insert(c);
            }
            self.components[c as usize].headers.push(function);
            return;
        }
        let c = self.components.len() as u32;
        let old = self.frames[first].base;
        let new = contexts.child(old, Kind::Recursive { component: c });
        contexts.entered_late(new);
        if contexts.get(new).flat {
            // No dimension left: the recursion stays a chain of plain calls, bounded by folding it into one context.
            self.components.push(Component { headers: vec![function], active: Some(first), context: new });
            for frame in &self.frames[first..] {
                self.member[frame.function as usize] = Some(c);
            }
            self.frames[first].how = How::EnterRecursion(c);
            return;
        }
        let dim = contexts.get(new).dims - 1;
        for frame in &self.frames[first..] {
            self.member[frame.function as usize] = Some(c);
        }
        for (i, frame) in self.frames.iter_mut().enumerate().skip(first) {
            frame.base = contexts.rebase(frame.base, old, new);
            if i > first {
                frame.caller = contexts.rebase(frame.caller, old, new);
                insert_zero(&mut frame.saved, dim);
            }
        }
        self.frames[first].how = How::EnterRecursion(c);
        // Components that were active inside keep working under their new contexts.
        for component in &mut self.components {
            if component.active.is_some_and(|at| at >= first) {
                component.context = contexts.rebase(component.context, old, new);
            }
        }
        self.context = contexts.rebase(self.context, old, new);
        insert_zero(&mut self.iv, dim);
        let at = usize::from(dim);
        self.entered_at.copy_within(at..MAX_DIMS - 1, at + 1);
        self.entered_at[at] = first as u32 + 1;
        self.clear_inner(contexts);
        self.components.push(Component { headers: vec![function], active: Some(first), context: new });
        contexts.alias(old, new, dim);
    }
}

/// Inserts coordinate 0 at dimension `dim`.
pub fn insert_zero(iv: &mut Iv, dim: u8) {
    let dim = usize::from(dim);
    iv.0.copy_within(dim..MAX_DIMS - 1, dim + 1);
    iv.0[dim] = 0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::sync::Arc;

    /// Functions given by hand: block → headers of its loops, outermost first.
    struct ByHand(HashMap<u64, Vec<u64>>);

    impl Functions for ByHand {
        fn chain(&mut self, _: FunctionId, pc: u64) -> (Arc<[u64]>, bool) {
            let chain = self.0.get(&pc).cloned().unwrap_or_default();
            let heads = chain.last() == Some(&pc);
            (chain.into(), heads)
        }

        fn arrival(&mut self, _: FunctionId, _: u64, to: u64) -> u64 {
            to
        }
    }

    struct Scene {
        contexts: Contexts,
        functions: ByHand,
        walker: Walker,
        names: HashMap<u64, &'static str>,
        loops: HashMap<u64, &'static str>,
    }

    impl Scene {
        fn new(
            names: &[(u64, &'static str)],
            chains: &[(u64, &[u64])],
            loops: &[(u64, &'static str)],
            start: u64,
        ) -> Scene {
            let mut contexts = Contexts::default();
            let mut functions = ByHand(chains.iter().map(|(b, c)| (*b, c.to_vec())).collect());
            let walker = Walker::new(&mut contexts, &mut functions, 0, start, (0, Iv::ZERO));
            Scene {
                contexts,
                functions,
                walker,
                names: names.iter().copied().collect(),
                loops: loops.iter().copied().collect(),
            }
        }
        fn jump(&mut self, pc: u64) -> String {
            self.walker.jump(&mut self.contexts, &mut self.functions, pc);
            self.show()
        }
        fn call(&mut self, function: FunctionId, pc: u64, back: u64) -> String {
            self.walker.call(&mut self.contexts, &mut self.functions, function, pc, back);
            self.show()
        }
        fn ret(&mut self, pc: u64) -> String {
            self.walker.ret(&mut self.contexts, &mut self.functions, pc);
            self.show()
        }
        /// The vector as ALGORITHMS prints it, with the events before it.
        fn show(&self) -> String {
            let mut text = String::new();
            let mut dim = 0;
            for id in self.contexts.chain(self.walker.context()) {
                match self.contexts.get(id).kind {
                    Kind::Call { site, .. } => text += &format!("{}/", self.names[&site]),
                    Kind::Loop { header, .. } => {
                        text += &format!("{}, {}, ", self.loops[&header], self.walker.iv().0[dim]);
                        dim += 1;
                    }
                    Kind::Recursive { component } => {
                        text += &format!("L{}, {}, ", component + 1, self.walker.iv().0[dim]);
                        dim += 1;
                    }
                    Kind::Root | Kind::Entries | Kind::Thread { .. } => {}
                }
            }
            text += self.names[&self.walker.block()];
            let events: Vec<&str> = self
                .walker
                .events
                .iter()
                .map(|e| match e {
                    Event::Plain => "N",
                    Event::Call => "C",
                    Event::Return => "R",
                    Event::Enter(_) => "E",
                    Event::Iterate(_) => "I",
                    Event::Exit(_) => "X",
                    Event::EnterCall(_) => "EC",
                    Event::IterateCall(_) => "IC",
                    Event::IterateReturn(_) => "IR",
                    Event::ExitReturn(_) => "XR",
                })
                .collect();
            format!("{} ({text})", events.join(" "))
        }
    }

    const M0: u64 = 1;
    const M1: u64 = 2;
    const M2: u64 = 3;
    const A0: u64 = 10;
    const A1: u64 = 11;
    const A2: u64 = 12;
    const A3: u64 = 13;
    const B0: u64 = 20;
    const B1: u64 = 21;
    const B2: u64 = 22;
    const B3: u64 = 23;
    const B4: u64 = 24;
    const B5: u64 = 25;
    const C0: u64 = 30;
    const D0: u64 = 40;
    const D1: u64 = 41;

    fn names() -> Vec<(u64, &'static str)> {
        vec![
            (M0, "M0"),
            (M1, "M1"),
            (M2, "M2"),
            (A0, "A0"),
            (A1, "A1"),
            (A2, "A2"),
            (A3, "A3"),
            (B0, "B0"),
            (B1, "B1"),
            (B2, "B2"),
            (B3, "B3"),
            (B4, "B4"),
            (B5, "B5"),
            (C0, "C0"),
            (D0, "D0"),
            (D1, "D1"),
        ]
    }

    /// ALGORITHMS 1.5, example 1.
    #[test]
    fn interprocedural_nest() {
        let chains: &[(u64, &[u64])] = &[(A1, &[A1]), (A2, &[A1]), (B1, &[B1]), (B2, &[B1])];
        let mut s = Scene::new(&names(), chains, &[(A1, "L1"), (B1, "L2")], M0);
        assert_eq!(s.show(), "N (M0)");
        assert_eq!(s.call(1, A0, M1), "C (M0/A0)");
        assert_eq!(s.jump(A1), "E (M0/L1, 0, A1)");
        for i in 0..2 {
            assert_eq!(s.call(2, B0, A2), format!("C (M0/L1, {i}, A1/B0)"));
            assert_eq!(s.jump(B1), format!("E (M0/L1, {i}, A1/L2, 0, B1)"));
            assert_eq!(s.jump(B2), format!("N (M0/L1, {i}, A1/L2, 0, B2)"));
            assert_eq!(s.jump(B1), format!("I (M0/L1, {i}, A1/L2, 1, B1)"));
            assert_eq!(s.jump(B2), format!("N (M0/L1, {i}, A1/L2, 1, B2)"));
            assert_eq!(s.jump(B3), format!("X (M0/L1, {i}, A1/B3)"));
            assert_eq!(s.ret(A2), format!("R (M0/L1, {i}, A2)"));
            if i == 0 {
                assert_eq!(s.jump(A1), "I (M0/L1, 1, A1)");
            }
        }
        assert_eq!(s.jump(A3), "X (M0/A3)");
        assert_eq!(s.ret(M1), "R (M1)");
    }

    /// ALGORITHMS 1.5, example 2, up to the second call of B; `known` says whether the component was declared.
    fn recursion(known: bool) {
        let mut s = Scene::new(&names(), &[], &[], M0);
        if known {
            s.walker.declare(1);
            s.walker.join(0, 2, true);
        }
        assert_eq!(s.call(4, D0, M1), "C (M0/D0)");
        assert_eq!(s.call(3, C0, D1), "C (M0/D0/C0)");
        assert_eq!(s.ret(D1), "R (M0/D1)");
        assert_eq!(s.ret(M1), "R (M1)");
        let first = s.call(2, B0, M2);
        let (enter, prefix) = if known { ("EC", "L1, 0, ") } else { ("C", "") };
        assert_eq!(first, format!("{enter} (M1/{prefix}B0)"));
        assert_eq!(s.jump(B1), format!("N (M1/{prefix}B1)"));
        assert_eq!(s.call(3, C0, B2), format!("C (M1/{prefix}B1/C0)"));
        let before = s.walker.context();
        assert_eq!(s.ret(B2), format!("R (M1/{prefix}B2)"));
        assert_eq!(s.jump(B3), format!("N (M1/{prefix}B3)"));
        assert_eq!(s.call(2, B0, B5), "IC (M1/L1, 1, B0)");
        assert_eq!(s.jump(B1), "N (M1/L1, 1, B1)");
        assert_eq!(s.call(3, C0, B2), "C (M1/L1, 1, B1/C0)");
        let after = s.walker.context();
        if !known {
            // The streams of the first activation belong, with coordinate 0, to the same context as those of the others.
            assert_eq!(s.contexts.canonical(before), (after, vec![0]));
        }
        assert_eq!(s.contexts.canonical(after), (after, vec![]));
        assert_eq!(s.ret(B2), "R (M1/L1, 1, B2)");
        assert_eq!(s.jump(B3), "N (M1/L1, 1, B3)");
        assert_eq!(s.call(2, B0, B5), "IC (M1/L1, 2, B0)");
        assert_eq!(s.jump(B1), "N (M1/L1, 2, B1)");
        assert_eq!(s.call(3, C0, B2), "C (M1/L1, 2, B1/C0)");
        assert_eq!(s.ret(B2), "R (M1/L1, 2, B2)");
        assert_eq!(s.jump(B4), "N (M1/L1, 2, B4)");
        assert_eq!(s.ret(B5), "IR (M1/L1, 3, B5)");
        assert_eq!(s.ret(B5), "IR (M1/L1, 4, B5)");
        assert_eq!(s.ret(M2), "XR (M2)");
    }

    #[test]
    fn recursion_known_beforehand() {
        recursion(true);
    }

    #[test]
    fn recursion_discovered_late() {
        recursion(false);
    }

    /// A recursive call from inside a loop suspends the loop; it goes on where it was (ALGORITHMS 1.3, last paragraph).
    #[test]
    fn a_suspended_loop_continues() {
        let chains: &[(u64, &[u64])] = &[(B1, &[B1]), (B2, &[B1])];
        let mut s = Scene::new(&names(), chains, &[(B1, "L2")], M0);
        s.walker.declare(1);
        s.walker.join(0, 2, true);
        assert_eq!(s.call(2, B0, M1), "EC (M0/L1, 0, B0)");
        assert_eq!(s.jump(B1), "E (M0/L1, 0, L2, 0, B1)");
        assert_eq!(s.call(2, B0, B2), "IC (M0/L1, 1, B0)");
        assert_eq!(s.jump(B3), "N (M0/L1, 1, B3)");
        assert_eq!(s.ret(B2), "IR (M0/L1, 2, L2, 0, B2)");
        assert_eq!(s.jump(B1), "I (M0/L1, 2, L2, 1, B1)");
        assert_eq!(s.jump(B3), "X (M0/L1, 2, B3)");
        assert_eq!(s.ret(M1), "XR (M1)");
    }

    #[test]
    fn tail_calls_and_unwinding() {
        let mut s = Scene::new(&names(), &[], &[], M0);
        s.call(1, A0, M1);
        s.walker.tail_call(&mut s.contexts, &mut s.functions, 2, B0);
        assert_eq!(s.show(), "C (M0/B0)");
        assert_eq!(s.call(3, C0, B1), "C (M0/B0/C0)");
        assert_eq!(s.call(4, D0, D1), "C (M0/B0/C0/D0)");
        // longjmp from D to M2.
        s.walker.unwind(&mut s.contexts, &mut s.functions, 1, M2);
        assert_eq!(s.show(), "R R R N (M2)");
        assert_eq!(s.walker.frames().len(), 1);
        assert!(s.walker.is_plain_call(2) && s.walker.is_plain_call(4));
    }

    /// A tail call is a return and a call: it leaves loops and advances recursive ones (regression 1 of ddg).
    #[test]
    fn tail_calls_tell_what_they_leave() {
        let chains: &[(u64, &[u64])] = &[(B1, &[B1]), (B2, &[B1])];
        let mut s = Scene::new(&names(), chains, &[(B1, "L2")], M0);
        s.walker.declare(1);
        s.walker.join(0, 2, true);
        assert_eq!(s.call(2, B0, M1), "EC (M0/L1, 0, B0)");
        assert_eq!(s.call(2, B0, B3), "IC (M0/L1, 1, B0)");
        assert_eq!(s.jump(B1), "E (M0/L1, 1, L2, 0, B1)");
        s.walker.tail_call(&mut s.contexts, &mut s.functions, 3, C0);
        assert_eq!(s.show(), "X IR C (M0/L1, 2, B1/C0)");
        assert_eq!(s.ret(B3), "R (M0/L1, 2, B3)");
        s.walker.tail_call(&mut s.contexts, &mut s.functions, 3, C0);
        assert_eq!(s.show(), "XR C (M0/C0)");
        assert_eq!(s.ret(M1), "R (M1)");
    }

    #[test]
    fn entering_the_middle_of_a_nest_enters_every_level() {
        let chains: &[(u64, &[u64])] = &[(A1, &[A1]), (A2, &[A1, A2])];
        let mut s = Scene::new(&names(), chains, &[(A1, "L1"), (A2, "L2")], M0);
        assert_eq!(s.jump(A2), "E E (L1, 0, L2, 0, A2)");
        assert_eq!(s.jump(A2), "I (L1, 0, L2, 1, A2)");
        assert_eq!(s.jump(A1), "X I (L1, 1, A1)");
    }
}
