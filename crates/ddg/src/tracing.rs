//! What instructions access, by the context in which they run: a recording as address streams.
//!
//! An engine that traces follows control as always ([`crate::walker`]) and hands the accesses of every path to a [`Tracer`]
//! instead of looking at dependences. A stream is one operand of one instruction in one context: chain of calls and loops.

use std::any::Any;

use program::image::Location;
use trace::block::Access;
use trace::expand::locate;

use crate::contexts::{ContextId, Kind};
use crate::engine::Engine;
use crate::finish::last_instruction;
use crate::paths::Path;

/// One access of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its stream, as [`Tracer::stream`] numbered it.
    pub stream: u32,
    /// Address in the first iteration.
    pub start: u64,
    /// Advance of the address from one iteration to the next.
    pub stride: i64,
}

/// What leads to a stream: from the beginning of a thread inwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// A call at this place of the function of this name.
    Call(Location, Option<String>),
    /// A loop, by the place of its head.
    Loop(Location),
    /// A recursion.
    Recursion,
    /// Entries from code that is not recorded.
    Entries,
    /// A thread beside the first.
    Thread,
}

/// Who accesses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accessor {
    /// Address of the instruction.
    pub pc: u64,
    /// Load or store.
    pub access: Access,
    /// Bytes.
    pub size: u16,
    /// Place of the instruction in the source.
    pub place: Location,
    /// How control came there.
    pub links: Vec<Link>,
}

/// Receives accesses.
pub trait Tracer: Any + Send {
    /// A stream begins; gives its number.
    fn stream(&mut self, accessor: &Accessor) -> u32;
    /// Iterations, each of which makes these accesses in this order.
    fn steps(&mut self, steps: &[Step], count: u64);
}

/// A tracer and what it knows of operands.
pub(crate) struct Tracing {
    to: Box<dyn Tracer>,
    /// By id of an operand, the number of its stream and 1; 0 if that has not begun.
    streams: Vec<u32>,
    steps: Vec<Step>,
}

impl Engine {
    /// An engine that hands accesses to a tracer and looks at nothing else.
    pub fn tracing(to: Box<dyn Tracer>) -> Engine {
        let tracing = Tracing { to, streams: Vec::new(), steps: Vec::new() };
        let mut engine = Engine::applying_all();
        (engine.limit, engine.tracing) = (usize::MAX, Some(Box::new(tracing)));
        engine
    }

    /// The tracer, when the recording is over.
    pub fn traced(mut self) -> Option<Box<dyn Tracer>> {
        self.end();
        self.tracing.map(|tracing| tracing.to)
    }

    /// Executions of a path, as [`Engine::run`] takes them.
    pub(crate) fn trace(&mut self, id: u32, count: u64, words: &[u64]) {
        let Some(path) = self.paths.take(id) else { return };
        let Some(mut tracing) = self.tracing.take() else { return self.paths.put(id, path) };
        let n = usize::try_from(count).unwrap_or(usize::MAX);
        let length = path.length;
        if let Some(folded) = path.folded.as_ref().filter(|_| n > 1) {
            self.trace_rows(&mut tracing, &path, (words, &folded.advance(words)), count);
        } else if n > 1 && words.len() >= length.saturating_mul(2) {
            let (first, second) = (&words[..length], &words[length..2 * length]);
            let advance: Vec<i64> =
                second.iter().zip(first).map(|(b, a)| b.wrapping_sub(*a) as i64).collect();
            let rest = words.chunks_exact(length.max(1)).take(n);
            let goes_on = |(t, row): (usize, &[u64])| {
                let by = |k: usize| (advance[k] as u64).wrapping_mul(t as u64);
                row.iter().enumerate().all(|(k, &word)| word == first[k].wrapping_add(by(k)))
            };
            if rest.clone().enumerate().all(goes_on) {
                self.trace_rows(&mut tracing, &path, (words, &advance), count);
            } else {
                rest.for_each(|row| self.trace_rows(&mut tracing, &path, (row, &[]), 1));
            }
        } else {
            self.trace_rows(&mut tracing, &path, (words, &[]), 1);
        }
        self.paths.put(id, path);
        self.tracing = Some(tracing);
    }

    /// Iterations of a path whose words advance by constants.
    fn trace_rows(
        &mut self,
        tracing: &mut Tracing,
        path: &Path,
        (words, advance): (&[u64], &[i64]),
        count: u64,
    ) {
        let base = self.thread_base;
        let at = |operand: &crate::paths::PathOperand, t: u64| {
            let word = |w: u16| {
                let w = usize::from(w);
                let by = advance.get(w).map_or(0, |&by| by as u64);
                words.get(w).copied().unwrap_or_default().wrapping_add(by.wrapping_mul(t))
            };
            locate(&operand.address, u64::from(operand.size), base, &word).map(|(address, _)| address)
        };
        // Sums of words advance by a constant; what depends on a word otherwise is looked at one by one.
        let is_linear = count == 1 || !path.irregular;
        let (rows, each) = if is_linear { (1, count) } else { (count, 1) };
        for t in 0..rows {
            let mut steps = std::mem::take(&mut tracing.steps);
            steps.clear();
            for operand in &path.operands {
                let Some(start) = at(operand, t) else { continue };
                let stride = if each == 1 {
                    0
                } else {
                    at(operand, 1).map_or(0, |next| next.wrapping_sub(start) as i64)
                };
                steps.push(Step { stream: self.stream_of(tracing, operand.id), start, stride });
            }
            tracing.to.steps(&steps, each);
            tracing.steps = steps;
        }
    }

    /// What a fault interrupted: operands of one iteration.
    pub(crate) fn trace_record(&mut self, record: &shadow::Record) {
        let Some(mut tracing) = self.tracing.take() else { return };
        let step = |own: &shadow::Operand, stream| Step { stream, start: own.base, stride: own.stride };
        let steps: Vec<Step> =
            record.operands.iter().map(|own| step(own, self.stream_of(&mut tracing, own.stmt))).collect();
        tracing.to.steps(&steps, record.count);
        self.tracing = Some(tracing);
    }

    fn stream_of(&mut self, tracing: &mut Tracing, id: u32) -> u32 {
        let at = id as usize;
        if tracing.streams.len() <= at {
            tracing.streams.resize(at + 1, 0);
        }
        if tracing.streams[at] == 0 {
            tracing.streams[at] = tracing.to.stream(&self.accessor(id)) + 1;
        }
        tracing.streams[at] - 1
    }

    fn accessor(&self, id: u32) -> Accessor {
        let instance = self.instances.owner(id);
        let block = self.codes.get(instance.code);
        let operand = id.checked_sub(instance.first + instance.statements);
        let operand = operand.and_then(|at| block.operands.get(at as usize));
        let instr = operand.and_then(|operand| block.instrs.get(usize::from(operand.instr)));
        let pc = instr.map_or(block.pc, |instr| instr.pc);
        let mut links: Vec<Link> = Vec::new();
        let mut context: ContextId = instance.context;
        loop {
            let node = self.contexts.get(context);
            match node.kind {
                Kind::Root => break,
                Kind::Call { site, callee } => {
                    let at = last_instruction(self, site).unwrap_or(site);
                    let entry = self.functions.all().get(callee as usize).map(|callee| callee.entry);
                    links.push(Link::Call(self.place(at), entry.and_then(|entry| self.name(entry))));
                }
                Kind::Loop { header, .. } => links.push(Link::Loop(self.place(header))),
                Kind::Recursive { .. } => links.push(Link::Recursion),
                Kind::Entries => links.push(Link::Entries),
                Kind::Thread { .. } => links.push(Link::Thread),
            }
            context = node.parent;
        }
        links.reverse();
        Accessor {
            pc,
            access: operand.map_or(Access::Read, |operand| operand.access),
            size: operand.map_or(0, |operand| operand.size),
            place: self.place(pc),
            links,
        }
    }

    fn name(&self, pc: u64) -> Option<String> {
        self.image.function(pc).map(|symbol| symbol.name)
    }

    /// The innermost source position of an instruction; of one without, the function.
    fn place(&self, pc: u64) -> Location {
        let mut place = self.image.locations(pc).into_iter().next().unwrap_or_default();
        place.function = place.function.or_else(|| self.name(pc));
        place
    }
}
