//! Paths: the straight stretches of execution between loop events.
//!
//! A path is the sequence of (context, block) from one loop event to the next; calls and returns of ordinary functions
//! lie inside it. Everything that does not depend on data is computed once per path: operands with their recipes,
//! register dependences inside it, live-in and live-out registers, and what an iteration that follows the same path
//! reads from the one before (ALGORITHMS 2.2).

use std::sync::Arc;

use profile::Use;
use rustc_hash::FxHashMap;
use shadow::Iv;
use smallvec::SmallVec;
use trace::block::{Access, Address, Block, Folded, REG_STACK, RegRange, Role};

use crate::code::{CodeId, CodeTable, OwnAccesses, address};
use crate::contexts::{ContextId, FunctionId};
use crate::dependences::Streams;
use crate::executions::Executions;
use crate::folding::Folding;
use crate::lost::Lost;
use crate::shared::Split;
use crate::steady::Reads;
use crate::units::{UNITS, X87, units};

/// Index of a node of the trie of paths.
pub type NodeId = u32;
/// Number of an executed block in a context.
pub type InstanceId = u32;

/// A block in a context. Its statement ids are `first..first + instructions`, its operand ids follow.
#[derive(Debug, Clone, Copy)]
pub struct Instance {
    /// Where.
    pub context: ContextId,
    /// What.
    pub code: CodeId,
    /// Its first id.
    pub first: u32,
    /// Number of statements.
    pub statements: u32,
    /// Number of operands (two more follow for the effects of a system call).
    pub operands: u32,
}

/// All instances and the ids they own.
#[derive(Debug, Default)]
pub struct Instances {
    list: Vec<Instance>,
    index: FxHashMap<(ContextId, u64, u64), InstanceId>,
    owner: Vec<InstanceId>,
}

impl Instances {
    /// The instance of a block in a context.
    pub fn intern(&mut self, context: ContextId, code: CodeId, codes: &CodeTable) -> InstanceId {
        let block = codes.get(code);
        // Translations of one block that differ in layout have the same statements and operands.
        let key = (context, block.pc, block.end);
        if let Some(&id) = self.index.get(&key)
            && self.list[id as usize].statements as usize == block.instrs.len()
            && self.list[id as usize].operands as usize == block.operands.len()
        {
            return id;
        }
        let id = self.list.len() as InstanceId;
        let (statements, operands) = (block.instrs.len() as u32, block.operands.len() as u32);
        let first = self.owner.len() as u32;
        self.owner.resize(self.owner.len() + (statements + operands + 2) as usize, id);
        self.list.push(Instance { context, code, first, statements, operands });
        self.index.insert(key, id);
        id
    }

    /// An instance.
    #[inline]
    pub fn get(&self, id: InstanceId) -> &Instance {
        &self.list[id as usize]
    }

    /// All instances.
    pub fn all(&self) -> &[Instance] {
        &self.list
    }

    /// The instance that owns a statement or operand id.
    #[inline]
    pub fn owner(&self, id: u32) -> &Instance {
        &self.list[self.owner_id(id) as usize]
    }

    /// Its number.
    #[inline]
    pub fn owner_id(&self, id: u32) -> InstanceId {
        self.owner[id as usize]
    }
}

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Where.
    pub context: ContextId,
    /// What.
    pub code: CodeId,
}

/// How a cached transition is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// Plain arrival.
    Plain,
    /// Ordinary call.
    Call {
        /// The function.
        function: FunctionId,
        /// Where it returns.
        return_pc: u64,
    },
    /// Ordinary call that replaces the activation.
    TailCall {
        /// The function.
        function: FunctionId,
    },
    /// Ordinary return.
    Return,
}

/// A node of the trie. There are many, most with one child and on one path: children are chained instead of listed, and
/// how they are reached stands with them.
#[derive(Debug)]
struct Node {
    step: Step,
    /// [`NONE`] for a root.
    parent: NodeId,
    /// The child added last, or [`NONE`].
    child: NodeId,
    /// The child of the same parent added before this one, or [`NONE`].
    sibling: NodeId,
    /// The path that ends here, or [`NONE`].
    path: u32,
    length: u32,
    /// How to repeat the transition from the parent, as found in `epoch`.
    follow: Option<Follow>,
    epoch: u64,
}

impl Node {
    fn new(step: Step, parent: NodeId, length: u32) -> Node {
        let (child, sibling, path) = (NONE, NONE, NONE);
        Node { step, parent, child, sibling, path, length, follow: None, epoch: 0 }
    }
}

/// An operand of a path.
#[derive(Debug, Clone)]
pub struct PathOperand {
    /// Its id.
    pub id: u32,
    /// Store.
    pub write: bool,
    /// Bytes (of one element, for spans).
    pub size: u32,
    /// Recipe; word indices count from the start of the path's words.
    pub address: Address,
}

/// A read of registers that were written before the path began.
#[derive(Debug, Clone, Copy)]
pub struct LiveIn {
    /// First unit.
    pub from: u16,
    /// One past the last unit.
    pub to: u16,
    /// Reading statement.
    pub statement: u32,
    /// What for.
    pub role: Use,
    /// A later part of the same path writes it.
    pub redefined: bool,
    /// The value is what this restore brought back: index into [`Path::restores`].
    pub restored: Option<u16>,
    /// The source met last, and its stream.
    pub latest: Option<(u32, u32)>,
    /// Those of one register that it belongs to, in [`Path::steady`].
    pub reads: Option<u32>,
}

/// Registers a path leaves behind.
#[derive(Debug, Clone, Copy)]
pub struct LiveOut {
    /// First unit.
    pub from: u16,
    /// One past the last unit.
    pub to: u16,
    /// The statement that wrote them last.
    pub statement: u32,
}

/// A callee-saved register pushed and not restored in the same path.
#[derive(Debug, Clone, Copy)]
pub struct Save {
    /// The register.
    pub register: u8,
    /// Operand that stores it: index into [`Path::operands`].
    pub operand: u32,
    /// Per unit of the register, who had written it before.
    pub writers: [Before; 4],
}

/// Who had written a register unit at some point of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Whoever had before the path began.
    Path,
    /// A statement of the path.
    Statement(u32),
    /// Whoever this restore brought back: index into [`Path::restores`].
    Restored(u16),
}

/// A load of a register from the slot where an earlier path saved it: the register is again what it was.
#[derive(Debug, Clone, Copy)]
pub struct Restore {
    /// The register.
    pub register: u8,
    /// Operand that loads it: index into [`Path::operands`].
    pub operand: u32,
    /// It is still restored at the end of the path.
    pub lasts: bool,
}

/// A register dependence that every execution of a path has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    /// Writer.
    pub source: u32,
    /// Reader.
    pub sink: u32,
    /// What for.
    pub role: Use,
}

/// Everything static about a path, and the streams all its statements share.
#[derive(Debug)]
pub struct Path {
    /// The blocks it consists of.
    pub steps: Vec<InstanceId>,
    /// Context of its start.
    pub context: ContextId,
    /// Dimensions of that context.
    pub dims: u8,
    /// Its iterations cannot be told apart.
    pub flat: bool,
    /// Words of its records.
    pub length: usize,
    /// Positions of the record headers.
    pub headers: Vec<u16>,
    /// Instructions.
    pub instructions: u64,
    /// Operands in order.
    pub operands: Vec<PathOperand>,
    /// Accesses of one execution by the program itself.
    pub own_accesses: OwnAccesses,
    /// Words that appear in recipes, ascending.
    pub columns: Vec<u16>,
    /// How the words advance, for a path that is one folded block.
    pub folded: Option<Folded>,
    /// Some operand is a span or a lane.
    pub irregular: bool,
    /// Registers read from before.
    pub live_in: Vec<LiveIn>,
    /// Of a path that is executed often, per register what is yet to reach the streams of its reads; else empty.
    pub steady: Vec<Reads>,
    /// Number of aliases of contexts (see [`crate::observer::Canonical`]) when the streams of its registers were found.
    pub aliases: usize,
    /// Registers left behind.
    pub live_out: Vec<LiveOut>,
    /// Registers saved for a later path to restore.
    pub saves: Vec<Save>,
    /// Registers restored from an earlier path's saves.
    pub restores: Vec<Restore>,
    /// Which slot of the floating-point stack is where at its end, if any is elsewhere than at its start.
    pub turn: Option<[u8; 8]>,
    /// Dependences inside one execution.
    pub inside: Vec<Pair>,
    /// Dependences from one execution to the next of the same loop instance.
    pub carried: Vec<Pair>,
    /// Executions.
    pub executions: u64,
    /// Executions that followed another of the same path directly.
    pub repeats: u64,
    /// Number of the latest tracking of an iteration (see [`Streams::track`]), and `repeats` before.
    ///
    /// [`Streams::track`]: crate::dependences::Streams::track
    pub noted: (u32, u64),
    /// The first such: vector of the earlier one.
    pub repeat_example: Option<Box<Iv>>,
    /// Their vectors and the words of their columns, until its loop became shared; nothing is kept of flat paths.
    pub seen: Executions,
    /// The innermost loop around its blocks, if any.
    pub innermost: Option<ContextId>,
    /// How executions are split since the loop is shared.
    pub split: Option<Split>,
    /// That loop was given up: see [`crate::budget`].
    pub is_given_up: bool,
    /// Work since the latest mark, likewise.
    pub work: u64,
    /// Bytes of the executions when they were last counted, and the number of executions to count them again at.
    counted: (usize, u64),
    /// Contains an allocator's entry or exit: iterations must be looked at one by one.
    pub allocates: bool,
}

impl Path {
    /// Bytes of what does not change from one execution to the next.
    fn bytes(&self) -> usize {
        size_of::<Path>()
            + size_of_val(&self.operands[..])
            + size_of_val(&self.inside[..])
            + size_of_val(&self.carried[..])
            + size_of_val(&self.live_in[..])
            + size_of_val(&self.live_out[..])
            + size_of_val(&self.saves[..])
            + size_of_val(&self.restores[..])
            + size_of_val(&self.steps[..])
            + size_of_val(&self.headers[..])
            + size_of_val(&self.columns[..])
    }
}

/// The trie of paths.
#[derive(Debug, Default)]
pub struct Paths {
    nodes: Vec<Node>,
    roots: FxHashMap<(ContextId, CodeId), NodeId>,
    list: Vec<Option<Box<Path>>>,
    /// Paths by the innermost loop around them.
    by_loop: FxHashMap<ContextId, Vec<u32>>,
    /// Bytes of all paths.
    weight: usize,
    pub(crate) lost: Lost,
}

/// Longest path, in blocks.
pub const LONGEST: u32 = 96;

impl Paths {
    /// The node of a path that starts here.
    pub fn root(&mut self, step: Step) -> NodeId {
        let next = self.nodes.len() as NodeId;
        let id = *self.roots.entry((step.context, step.code)).or_insert(next);
        if id == next {
            self.nodes.push(Node::new(step, NONE, 1));
        }
        id
    }

    /// Number of blocks up to a node.
    pub fn length(&self, node: NodeId) -> u32 {
        self.nodes[node as usize].length
    }

    /// The cached continuation of a node by a block.
    #[inline]
    pub fn next(&self, node: NodeId, code: CodeId, epoch: u64) -> Option<(NodeId, Follow)> {
        self.children(node)
            .filter(|(_, n)| n.step.code == code && n.epoch == epoch)
            .find_map(|(id, n)| n.follow.map(|f| (id, f)))
    }

    fn children(&self, node: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
        let mut next = self.nodes[node as usize].child;
        std::iter::from_fn(move || {
            let id = next;
            let node = self.nodes.get(id as usize)?;
            next = node.sibling;
            Some((id, node))
        })
    }

    /// Context of a node.
    #[inline]
    pub fn context(&self, node: NodeId) -> ContextId {
        self.nodes[node as usize].step.context
    }

    /// Extends a node; `follow` is how to repeat the transition, or `None` if it must not be cached.
    pub fn extend(&mut self, node: NodeId, step: Step, follow: Option<Follow>, epoch: u64) -> NodeId {
        // An uncached transition still shares the node with earlier equal ones.
        let hit = self.children(node).find(|(_, n)| n.step == step).map(|(id, _)| id);
        let id = hit.unwrap_or_else(|| {
            let id = self.nodes.len() as NodeId;
            let here = &mut self.nodes[node as usize];
            let sibling = std::mem::replace(&mut here.child, id);
            let length = here.length + 1;
            self.nodes.push(Node { sibling, ..Node::new(step, node, length) });
            id
        });
        if follow.is_some() {
            let child = &mut self.nodes[id as usize];
            (child.follow, child.epoch) = (follow, epoch);
        }
        id
    }

    /// The path that ends at a node, if it was built before.
    #[inline]
    pub fn built(&self, node: NodeId) -> Option<u32> {
        Some(self.nodes[node as usize].path).filter(|p| *p != NONE)
    }

    /// Steps up to a node.
    pub fn steps(&self, node: NodeId) -> Vec<Step> {
        let mut out = Vec::with_capacity(self.length(node) as usize);
        let mut at = node;
        while let Some(node) = self.nodes.get(at as usize) {
            out.push(node.step);
            at = node.parent;
        }
        out.reverse();
        out
    }

    /// About how many bytes all paths use.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.weight
    }

    /// Adds the path that ends at a node.
    pub fn add(&mut self, node: NodeId, path: Path) -> u32 {
        let id = self.list.len() as u32;
        self.weight += path.bytes();
        if let Some(innermost) = path.innermost {
            self.by_loop.entry(innermost).or_default().push(id);
        }
        self.list.push(Some(Box::new(path)));
        self.nodes[node as usize].path = id;
        id
    }

    /// Adds what register reads have counted to their streams.
    pub fn hand_over(&mut self, streams: &mut Streams) {
        let reads = self.list.iter_mut().flatten().flat_map(|path| &mut path.steady);
        reads.for_each(|reads| reads.hand_over(streams));
    }

    /// The paths through the body of a loop.
    pub fn of_loop(&self, innermost: ContextId) -> &[u32] {
        self.by_loop.get(&innermost).map_or(&[], Vec::as_slice)
    }

    /// Whether a path is not taken.
    pub fn is_there(&self, id: u32) -> bool {
        self.list.get(id as usize).is_some_and(Option::is_some)
    }

    /// A path that is not taken.
    #[inline]
    pub fn get(&self, id: u32) -> Option<&Path> {
        let path = self.list.get(id as usize).and_then(Option::as_deref);
        self.lost.expect(path, "a path that is asked for is there")
    }

    /// Takes a path out while it is worked on; [`Paths::put`] brings it back.
    #[inline]
    pub fn take(&mut self, id: u32) -> Option<Box<Path>> {
        let path = self.list.get_mut(id as usize).and_then(Option::take);
        self.lost.expect(path, "a path that is taken is there")
    }

    /// Brings a path back.
    #[inline]
    pub fn put(&mut self, id: u32, mut path: Box<Path>) {
        // Mostly as many groups are open as were; counting each time would cost more than the execution.
        if path.executions >= path.counted.1 {
            self.count(&mut path);
        }
        self.list[id as usize] = Some(path);
    }

    /// Brings a path back, of the executions of which something was given up.
    pub fn put_counted(&mut self, id: u32, mut path: Box<Path>) {
        self.count(&mut path);
        self.list[id as usize] = Some(path);
    }

    /// Work per loop since the latest call, in no order.
    pub fn take_work(&mut self) -> Vec<(ContextId, u64)> {
        let (by_loop, list) = (&self.by_loop, &mut self.list);
        let mut of_path =
            |id: &u32| list.get_mut(*id as usize)?.as_mut().map(|p| std::mem::take(&mut p.work));
        by_loop.iter().map(|(&context, ids)| (context, ids.iter().filter_map(&mut of_path).sum())).collect()
    }

    /// Counts the bytes of the executions of a path.
    fn count(&mut self, path: &mut Path) {
        let before = std::mem::replace(&mut path.counted, (path.seen.bytes(), 2 * path.executions)).0;
        self.weight = self.weight - before + path.counted.0;
    }

    /// Bytes of the folders of all paths: path, folder, bytes.
    pub fn folder_bytes(&self) -> impl Iterator<Item = (u32, usize, usize)> {
        let present = self.list.iter().enumerate().filter_map(|(id, path)| Some((id as u32, path.as_ref()?)));
        present.flat_map(|(id, path)| path.seen.folder_bytes().enumerate().map(move |(at, n)| (id, at, n)))
    }

    /// Gives up the stream of a folder of a path; gives the path's first block.
    pub fn abandon(&mut self, id: u32, folder: usize) -> Option<InstanceId> {
        let mut path = self.take(id)?;
        path.seen.abandon(folder);
        let first = path.steps.first().copied();
        self.put_counted(id, path);
        first
    }

    /// All paths.
    pub fn into_all(self) -> impl Iterator<Item = Path> {
        self.list.into_iter().flatten().map(|p| *p)
    }
}

fn role(role: Role) -> Option<Use> {
    match role {
        Role::Value => Some(Use::Value),
        Role::Accumulator => Some(Use::Accumulator),
        Role::Address => Some(Use::Address),
        Role::Kept | Role::Control => None,
    }
}

/// What building a path needs to know of the moment it first ran.
pub struct Moment<'a> {
    /// The words of its records.
    pub words: &'a [u64],
    /// Base of thread-local operands.
    pub thread_base: u64,
    /// Whether a register was saved at a stack slot.
    pub is_saved: &'a dyn Fn(u8, u64) -> bool,
    /// Whether a function at an address is an allocator.
    pub is_allocator: &'a dyn Fn(u64) -> bool,
    /// How its executions are folded.
    pub folding: &'a Arc<Folding>,
}

const NONE: u32 = u32::MAX;
/// Writers from here on stand for restores of the path.
const RESTORED: u32 = u32::MAX - 0x10000;

/// The callee-saved registers that an instruction puts into their places on the stack, or brings back, with their operands.
fn moved_registers(block: &Block, instr: usize, access: Access) -> impl Iterator<Item = (u8, usize)> {
    let of_instr = block.operands.iter().enumerate().filter(move |(_, o)| usize::from(o.instr) == instr);
    of_instr.filter(move |(_, o)| o.access == access).filter_map(|(at, o)| Some((o.saves?, at)))
}

/// Adds the streams of a block of the program's own, the words of which begin at `base` of those that `columns` are
/// positions in: statements without an access and accesses at a constant address to the first count, which is the
/// domain's, other accesses to that of their column. (Spans and lanes of gathers are not folded.)
pub fn add_streams(codes: &CodeTable, code: CodeId, (columns, base): (&[u16], u16), streams: &mut [u32]) {
    if !codes.brief(code).own {
        return;
    }
    let block = codes.get(code);
    let accesses = |instr: usize| block.operands.iter().any(|o| usize::from(o.instr) == instr);
    streams[0] += (0..block.instrs.len()).filter(|&instr| !accesses(instr)).count() as u32;
    for operand in &block.operands {
        match &operand.address {
            Address::Word { word, .. } | Address::Segment { word: Some(word), .. } => {
                if let Ok(column) = columns.binary_search(&(word + base)) {
                    streams[column + 1] += 1;
                }
            }
            Address::Constant(_) | Address::Segment { word: None, .. } => streams[0] += 1,
            Address::Span { .. } | Address::Lane { .. } => {}
        }
    }
}

/// The floating-point stack along a path: by distance from the top the slot, as named at the path's start.
struct Stack {
    slots: [u8; 8],
}

impl Default for Stack {
    fn default() -> Self {
        Stack { slots: std::array::from_fn(|at| at as u8) }
    }
}

impl Stack {
    /// The units of a range, under the names they had at the start.
    fn units(&self, range: RegRange) -> std::ops::Range<u16> {
        let own = units(range);
        match own.start.checked_sub(X87).and_then(|at| self.slots.get(usize::from(at))) {
            Some(&slot) => X87 + u16::from(slot)..X87 + u16::from(slot) + 1,
            None => own,
        }
    }

    /// The slots at the end, if they are not where they were.
    fn turned(&self) -> Option<[u8; 8]> {
        (self.slots != Stack::default().slots).then_some(self.slots)
    }

    /// Who wrote what the next execution of the path finds in a unit. A slot that it has not written may be one that it has
    /// moved: then what an earlier execution put there.
    fn writer(&self, writer: &[u32], unit: u16) -> u32 {
        let Some(first) = unit.checked_sub(X87).filter(|&at| at < 8) else {
            return writer[usize::from(unit)];
        };
        let mut at = first;
        loop {
            let own = writer[usize::from(X87 + at)];
            at = u16::from(self.slots[usize::from(at)]);
            if own != NONE || at == first {
                return own;
            }
        }
    }
}

/// Computes everything static about the path with these steps. Which loads restore a saved register is decided once,
/// from the addresses of the first execution (ALGORITHMS 2.2: a save/restore pair is an identity).
pub fn build(
    steps: &[Step],
    dims: u8,
    flat: bool,
    codes: &CodeTable,
    instances: &mut Instances,
    moment: &Moment<'_>,
) -> Path {
    let context = steps.first().map_or(0, |s| s.context);
    let mut path = Path {
        steps: Vec::with_capacity(steps.len()),
        context,
        dims,
        flat,
        length: 0,
        headers: Vec::new(),
        instructions: 0,
        operands: Vec::new(),
        own_accesses: OwnAccesses::default(),
        columns: Vec::new(),
        folded: None,
        irregular: false,
        live_in: Vec::new(),
        live_out: Vec::new(),
        saves: Vec::new(),
        restores: Vec::new(),
        turn: None,
        inside: Vec::new(),
        carried: Vec::new(),
        executions: 0,
        repeats: 0,
        noted: (0, 0),
        steady: Vec::new(),
        aliases: 0,
        repeat_example: None,
        seen: Executions::new(moment.folding, dims, Box::default()),
        innermost: None,
        split: None,
        is_given_up: false,
        work: 0,
        counted: (0, 0),
        allocates: false,
    };
    let mut writer = vec![NONE; UNITS];
    let mut stack = Stack::default();
    // Saves not yet restored: register, slot, operand, writers before.
    let mut pending: Vec<(u8, u64, usize, Vec<u32>)> = Vec::new();
    for step in steps {
        let block = codes.get(step.code).clone();
        let id = instances.intern(step.context, step.code, codes);
        let instance = *instances.get(id);
        path.steps.push(id);
        let base = path.length as u16;
        path.headers.push(base);
        path.own_accesses.add(OwnAccesses::of(codes.brief(step.code), block.operands.len()), 1);
        path.allocates |= (moment.is_allocator)(block.pc) || block.arguments.is_some();
        let shift = |word: u16| word + base;
        let first_operand = path.operands.len();
        let slot_of = |operands: &[PathOperand], at: usize| {
            address(&operands[first_operand + at].address, moment.words, moment.thread_base)
        };
        for (i, operand) in block.operands.iter().enumerate() {
            let address = match operand.address.clone() {
                Address::Constant(a) => Address::Constant(a),
                Address::Word { word, delta } => Address::Word { word: shift(word), delta },
                Address::Segment { word, delta } => Address::Segment { word: word.map(shift), delta },
                Address::Span { from, to } => Address::Span { from: shift(from), to: shift(to) },
                Address::Lane { base, index_word, index_shift, index_bits, scale, delta, mask } => {
                    Address::Lane {
                        base: base.map(shift),
                        index_word: shift(index_word),
                        index_shift,
                        index_bits,
                        scale,
                        delta,
                        mask: mask.map(|(word, bit)| (shift(word), bit)),
                    }
                }
            };
            match &address {
                Address::Word { word, .. } | Address::Segment { word: Some(word), .. } => {
                    path.columns.push(*word)
                }
                Address::Span { .. } | Address::Lane { .. } => path.irregular = true,
                Address::Constant(_) | Address::Segment { word: None, .. } => {}
            }
            path.operands.push(PathOperand {
                id: instance.first + instance.statements + i as u32,
                write: operand.access == Access::Write,
                size: u32::from(operand.size),
                address,
            });
        }
        for (i, instr) in block.instrs.iter().enumerate() {
            let statement = instance.first + i as u32;
            // The value is only kept: storing it is no use of it.
            let mut kept: SmallVec<[u8; 2]> = SmallVec::new();
            for (register, at) in moved_registers(&block, i, Access::Write) {
                let Some(slot) = slot_of(&path.operands, at) else { continue };
                let before = units(RegRange { reg: register, lo: 0, hi: 8 });
                let state: Vec<u32> = before.map(|u| writer[usize::from(u)]).collect();
                pending.push((register, slot, first_operand + at, state));
                kept.push(register);
            }
            for used in &instr.uses {
                let Some(role) = role(used.role) else { continue };
                // The stack pointer is an induction variable of the calling convention, never a dependence.
                if used.range.reg == REG_STACK || kept.contains(&used.range.reg) {
                    continue;
                }
                for unit in stack.units(used.range) {
                    let source = writer[usize::from(unit)];
                    if source != NONE && source >= RESTORED {
                        let restored = Some((source - RESTORED) as u16);
                        path.live_in.push(LiveIn {
                            from: unit,
                            to: unit + 1,
                            statement,
                            role,
                            redefined: false,
                            restored,
                            latest: None,
                            reads: None,
                        });
                        continue;
                    }
                    if source != NONE {
                        let pair = Pair { source, sink: statement, role };
                        // Units of one register mostly have one writer; other duplicates go at the end.
                        if path.inside.last() != Some(&pair) {
                            path.inside.push(pair);
                        }
                        continue;
                    }
                    match path.live_in.last_mut() {
                        Some(l)
                            if l.statement == statement
                                && l.role == role
                                && l.to == unit
                                && l.restored.is_none() =>
                        {
                            l.to = unit + 1;
                        }
                        _ => path.live_in.push(LiveIn {
                            from: unit,
                            to: unit + 1,
                            statement,
                            role,
                            redefined: false,
                            restored: None,
                            latest: None,
                            reads: None,
                        }),
                    }
                }
            }
            for def in &instr.defs {
                for unit in stack.units(*def) {
                    writer[usize::from(unit)] = statement;
                }
            }
            instr.turn.apply(&mut stack.slots);
            for (register, at) in moved_registers(&block, i, Access::Read) {
                let Some(slot) = slot_of(&path.operands, at) else { continue };
                let range = units(RegRange { reg: register, lo: 0, hi: 8 });
                if let Some(found) = pending.iter().rposition(|p| p.0 == register && p.1 == slot) {
                    let (.., state) = pending.remove(found);
                    for (unit, before) in range.zip(state) {
                        writer[usize::from(unit)] = before;
                    }
                } else if (moment.is_saved)(register, slot) && path.restores.len() < 0xffff {
                    let id = RESTORED + path.restores.len() as u32;
                    let operand = (first_operand + at) as u32;
                    path.restores.push(Restore { register, operand, lasts: false });
                    for unit in range {
                        writer[usize::from(unit)] = id;
                    }
                }
            }
        }
        path.instructions += block.count_to(block.instrs.len());
        path.length += usize::from(block.words);
        if steps.len() == 1
            && let Some(folded) = &block.folded
        {
            path.folded = Some(folded.clone());
        }
    }
    for (register, _, operand, state) in pending {
        let mut writers = [Before::Path; 4];
        for (to, from) in writers.iter_mut().zip(state) {
            *to = match from {
                NONE => Before::Path,
                RESTORED.. => Before::Restored((from - RESTORED) as u16),
                statement => Before::Statement(statement),
            };
        }
        path.saves.push(Save { register, operand: operand as u32, writers });
    }
    for unit in writer.iter_mut().filter(|w| **w != NONE && **w >= RESTORED) {
        path.restores[(*unit - RESTORED) as usize].lasts = true;
        *unit = NONE;
    }
    path.turn = stack.turned();
    if let Some(turn) = &path.turn {
        let first = usize::from(X87);
        let before: [u32; 8] = std::array::from_fn(|at| writer[first + at]);
        for (at, &from) in turn.iter().enumerate() {
            writer[first + at] = before[usize::from(from)];
        }
    }
    // A live-in range may be redefined in part; split so that each range is redefined whole or not at all.
    let mut split = Vec::with_capacity(path.live_in.len());
    for live in &path.live_in {
        if live.restored.is_some() {
            split.push(*live);
            continue;
        }
        let mut from = live.from;
        while from < live.to {
            let source = stack.writer(&writer, from);
            let mut to = from + 1;
            while to < live.to && stack.writer(&writer, to) == source {
                to += 1;
            }
            if source != NONE {
                path.carried.push(Pair { source, sink: live.statement, role: live.role });
            }
            split.push(LiveIn { from, to, redefined: source != NONE, ..*live });
            from = to;
        }
    }
    path.live_in = split;
    path.carried.sort_unstable_by_key(|p| (p.source, p.sink, p.role));
    path.carried.dedup();
    for (unit, &statement) in writer.iter().enumerate() {
        if statement == NONE {
            continue;
        }
        match path.live_out.last_mut() {
            Some(l) if l.statement == statement && usize::from(l.to) == unit => l.to = unit as u16 + 1,
            _ => path.live_out.push(LiveOut { from: unit as u16, to: unit as u16 + 1, statement }),
        }
    }
    path.inside.sort_unstable_by_key(|p| (p.source, p.sink, p.role));
    path.inside.dedup();
    path.inside.shrink_to_fit();
    path.columns.sort_unstable();
    path.columns.dedup();
    let mut streams = vec![0; path.columns.len() + 1];
    for (step, &base) in steps.iter().zip(&path.headers) {
        add_streams(codes, step.code, (&path.columns, base), &mut streams);
    }
    path.seen = Executions::new(moment.folding, dims, streams.into());
    path.operands.shrink_to_fit();
    path.headers.shrink_to_fit();
    path.columns.shrink_to_fit();
    path.live_in.shrink_to_fit();
    path.live_out.shrink_to_fit();
    path.carried.shrink_to_fit();
    path.saves.shrink_to_fit();
    path.restores.shrink_to_fit();
    path
}
