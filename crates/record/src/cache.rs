//! The code cache: placed blocks, how they leave, and how they are linked to each other.
//!
//! Definitions: an *exit* is a trap address with its meaning. A direct exit starts as a stub in the cold part that
//! gives all registers back and traps; once its target exists the stub jumps there, and if the target uses the same
//! pair the branch itself goes to the target's fast entry. Indirect transfers go through tables of *sieve* stubs
//! that compare the target without touching the flags.
//!
//! Invariants: blocks are placed at ascending addresses; rewritten fields never cross a cache line, so the program may
//! run while they change.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use trace::block::{BlockId, Folded};

use crate::asm::{Code, displacement};
use crate::comparison::Comparison;
use crate::contracts;
use crate::error::Error;
use crate::process::SYSCALL;
use crate::shared::{
    self, CACHE, CACHE_BYTES, COLD, COUNTERS, REMOTE_CALL, SLOT_P, SLOT_POINTER, SLOT_RAX, SLOT_RCX, SLOT_S,
    SLOT_SITE, SPIN, STATE_BYTES, Shared, TABLE_ENTRIES, TABLES,
};
use crate::syscalls;
use crate::translate::{Edge, Exit, LoopHead, OwnLoop, Pair, Point, Translation, Trap};

/// A placed block.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) pc: u64,
    pub(crate) on: bool,
    pub(crate) id: BlockId,
    pub(crate) full: u64,
    pub(crate) fast: u64,
    pub(crate) end: u64,
    pub(crate) pair: Pair,
    pub(crate) points: Vec<Point>,
    pub(crate) fold: Option<LoopHead>,
    /// How the words of its record advance, if it stands for many iterations.
    pub(crate) folded: Option<Arc<Folded>>,
    /// As in [`Translation`].
    pub(crate) unfinished: Vec<Range<u64>>,
    pub(crate) own: Option<OwnLoop>,
    /// If the program can change its code by a mere store.
    pub(crate) comparison: Option<Comparison>,
}

/// An indirect transfer whose arrivals are counted: its number, and the counter for one target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site {
    pub(crate) number: u32,
    pub(crate) counter: u32,
}

/// Meaning of a trap.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Meaning {
    /// A direct exit whose target was not translated.
    Direct {
        /// The program's address it leads to.
        target: u64,
        /// Pair at the branch.
        pair: Option<Pair>,
        /// It is a call.
        call: bool,
        /// It is an unconditional jump.
        jump: bool,
    },
    /// An indirect target that is in no table.
    Unknown {
        /// How it was reached.
        edge: Edge,
        /// Recording is on.
        on: bool,
    },
    /// See [`Trap`].
    Trap(Trap),
    /// The program's code is no longer what was translated.
    Changed {
        /// Address of the block.
        pc: u64,
        /// Its length in bytes.
        bytes: usize,
    },
    /// A return to where a window may begin.
    WindowBegin {
        /// Where the program goes on.
        pc: u64,
    },
    /// Control returns from the activation that switched recording on.
    RegionEnd {
        /// Return address.
        pc: u64,
    },
}

#[derive(Debug, Clone, Copy)]
struct Link {
    target: u64,
    on: bool,
    pair: Option<Pair>,
    /// It is a call.
    call: bool,
    branch_at: u64,
    /// Where the branch goes as long as the target uses another pair.
    stub: u64,
    /// Where the stub traps, or jumps to the target.
    stub_at: u64,
}

/// The cache.
pub(crate) struct Cache {
    pub(crate) code: Shared,
    pub(crate) state: Shared,
    hot: usize,
    cold: usize,
    blocks: Vec<Placed>,
    by_pc: [FxHashMap<u64, usize>; 2],
    /// Blocks, with recording off, that nothing leads to without a stop.
    apart: FxHashMap<u64, usize>,
    meanings: FxHashMap<u64, Meaning>,
    waiting: FxHashMap<(u64, bool), Vec<Link>>,
    linked: FxHashMap<(u64, bool), Vec<Link>>,
    sieved: FxHashSet<(Edge, bool, u64, Option<u32>)>,
    /// Indirect transfers that pass the border without a stop.
    pub(crate) passages: FxHashSet<(Edge, bool, u64)>,
    /// Where functions that ran by their contracts have returned to without a stop.
    pub(crate) returned: FxHashSet<u64>,
    /// Functions may run by their contracts.
    pub(crate) has_contracts: bool,
    /// The code that is not recorded is that of runtimes.
    pub(crate) skips_runtimes: bool,
    resumed: FxHashMap<u64, u64>,
    misses: [u64; TABLES],
    tables_on: usize,
    /// Most bytes of hot code.
    most: usize,
}

/// Numbers of system calls are smaller.
const MOST_CALLS: usize = 1024;

const EDGES: [Edge; 3] = [Edge::Call, Edge::Jump, Edge::Return];

impl Cache {
    /// An empty cache. `both` if blocks with recording off are needed beside those with recording on.
    /// `counters` if those of a survey are needed. It is full with about `most` bytes.
    pub(crate) fn new(both: bool, counters: bool, most: usize) -> Result<Self, Error> {
        let mut cache = Cache {
            code: Shared::new(CACHE_BYTES)?,
            state: Shared::new(STATE_BYTES + if counters { COUNTERS * 8 } else { 0 })?,
            hot: 0,
            cold: COLD,
            blocks: Vec::new(),
            by_pc: Default::default(),
            apart: FxHashMap::default(),
            meanings: FxHashMap::default(),
            waiting: FxHashMap::default(),
            linked: FxHashMap::default(),
            sieved: FxHashSet::default(),
            passages: FxHashSet::default(),
            returned: FxHashSet::default(),
            has_contracts: false,
            skips_runtimes: false,
            resumed: FxHashMap::default(),
            misses: [0; TABLES],
            tables_on: if both { 0 } else { TABLES / 2 },
            most: most.min(COLD - (1 << 20)),
        };
        cache.set_quiet(false);
        cache.clear();
        Ok(cache)
    }

    /// Lets calls pass without a stop that are no business of the recorder, as long as the program has one thread or several.
    pub(crate) fn set_quiet(&mut self, several: bool) {
        for (on, number) in [false, true].into_iter().flat_map(|on| (0..MOST_CALLS).map(move |n| (on, n))) {
            let is_quiet = syscalls::is_quiet(number as u64, on, several);
            self.state.write(shared::quiet(on) as usize + number, &[u8::from(is_quiet)]);
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.by_pc.iter_mut().for_each(FxHashMap::clear);
        self.apart.clear();
        self.meanings.clear();
        self.waiting.clear();
        self.linked.clear();
        self.sieved.clear();
        self.passages.clear();
        self.returned.clear();
        self.resumed.clear();
        self.hot = 256;
        self.cold = COLD;
        self.code.write((REMOTE_CALL - CACHE) as usize, &SYSCALL);
        self.code.write((SPIN - CACHE) as usize, &[0xeb, 0xfe]);
        for (on, edge) in [false, true].into_iter().flat_map(|on| EDGES.map(|e| (on, e))) {
            let index = edge.table(on);
            let at = index * 8;
            self.code.write(at, &[0xcc]);
            self.misses[index] = CACHE + at as u64;
            self.meanings.insert(self.misses[index], Meaning::Unknown { edge, on });
            if index >= self.tables_on {
                self.state.fill(shared::table(index) as usize, TABLE_ENTRIES, self.misses[index]);
            }
        }
    }

    /// Whether it should be cleared before more is placed.
    pub(crate) fn is_full(&self) -> bool {
        self.hot > self.most || self.cold > CACHE_BYTES - (1 << 20)
    }

    /// Where the next block will be placed.
    pub(crate) fn next(&self) -> u64 {
        CACHE + self.hot as u64
    }

    /// Whether an address lies in the cache.
    pub(crate) fn contains(&self, address: u64) -> bool {
        (CACHE..CACHE + CACHE_BYTES as u64).contains(&address)
    }

    /// The block that starts at the program's address `pc`.
    pub(crate) fn get(&self, pc: u64, on: bool) -> Option<&Placed> {
        self.by_pc[usize::from(on)].get(&pc).map(|&k| &self.blocks[k])
    }

    /// The block at `pc` that was placed apart.
    pub(crate) fn get_apart(&self, pc: u64) -> Option<&Placed> {
        self.apart.get(&pc).map(|&k| &self.blocks[k])
    }

    /// Whether any block starts in a range of the program's addresses.
    pub(crate) fn any_in(&self, start: u64, end: u64) -> bool {
        self.blocks.iter().any(|b| (start..end).contains(&b.pc))
    }

    /// The block whose code contains a cache address.
    pub(crate) fn find(&self, address: u64) -> Option<&Placed> {
        let k = self.blocks.partition_point(|b| b.full <= address);
        self.blocks[..k].last().filter(|b| address < b.end)
    }

    /// Meaning of the trap at a cache address.
    pub(crate) fn meaning(&self, address: u64) -> Option<Meaning> {
        self.meanings.get(&address).copied()
    }

    /// The program's address after the system call that ends at a cache address.
    pub(crate) fn after_syscall(&self, address: u64) -> Option<u64> {
        self.resumed.get(&address).copied()
    }

    /// The program's address after the system call that is about to be made at a cache address.
    pub(crate) fn before_syscall(&self, address: u64) -> Option<u64> {
        match self.meaning(address.wrapping_sub(1)) {
            Some(Meaning::Trap(Trap::Syscall { next })) => Some(next),
            _ => None,
        }
    }

    /// Places a translated block and links it. It takes the place of an earlier translation of the same address, if there is
    /// one; the program may still be in that. Nothing is linked to a block that is placed `apart`.
    pub(crate) fn place(&mut self, pc: u64, on: bool, id: BlockId, t: &Translation, apart: bool) {
        let full = t.code.base;
        self.code.write(self.hot, &t.code.bytes);
        let k = self.blocks.len();
        self.blocks.push(Placed {
            pc,
            on,
            id,
            full,
            fast: t.fast,
            end: t.code.here(),
            pair: t.pair,
            points: t.points.clone(),
            fold: t.fold,
            folded: t.folded.clone(),
            unfinished: t.unfinished.clone(),
            own: t.counters.as_ref().and_then(|c| c.own),
            comparison: t.comparison,
        });
        self.hot += t.code.bytes.len().next_multiple_of(16);
        let of_pc = if apart { &mut self.apart } else { &mut self.by_pc[usize::from(on)] };
        let replaced = of_pc.insert(pc, k);
        if let Some((at, trap)) = t.trap {
            self.meanings.insert(at, Meaning::Trap(trap));
        }
        if let Some((at, next)) = t.resumed {
            self.resumed.insert(at, next);
        }
        if let Some(comparison) = t.comparison {
            self.meanings.insert(comparison.differs, Meaning::Changed { pc, bytes: comparison.bytes });
        }
        for exit in &t.exits {
            self.stub(exit, on);
        }
        if apart {
            return;
        }
        let waiting = self.waiting.remove(&(pc, on)).unwrap_or_default();
        for link in waiting.into_iter().chain(self.linked.remove(&(pc, on)).unwrap_or_default()) {
            self.link(link);
        }
        if replaced.is_some() {
            for edge in EDGES {
                if self.sieved.contains(&(edge, on, pc, None)) {
                    // The stub added last is asked first.
                    self.sieve_to(edge, on, pc, full, None);
                }
                if self.passages.remove(&(edge, !on, pc)) {
                    self.pass(edge, !on, pc);
                }
            }
            if on && self.returned.remove(&pc) {
                self.pass_back(pc);
            }
        }
    }

    /// Makes returns to `pc` traps, because recording is switched there: off if it is on, else on.
    pub(crate) fn guard_return(&mut self, pc: u64, on: bool) {
        let at = CACHE + self.cold as u64;
        self.code.write(self.cold, &[0xcc; 8]);
        self.cold += 8;
        self.meanings.insert(at, if on { Meaning::RegionEnd { pc } } else { Meaning::WindowBegin { pc } });
        self.sieve_to(Edge::Return, on, pc, at, None);
    }

    fn stub(&mut self, exit: &Exit, on: bool) {
        self.cold = self.cold.next_multiple_of(8);
        let start = CACHE + self.cold as u64;
        let mut code = Code::new(start);
        if let Some((p, s)) = exit.pair {
            code.save(SLOT_POINTER, p);
            code.restore(p, SLOT_P);
            code.restore(s, SLOT_S);
        }
        code.align(8);
        let stub_at = code.here();
        code.raw(&[0xcc, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90]);
        self.code.write(self.cold, &code.bytes);
        self.cold += code.bytes.len();
        self.patch(exit.branch_at, start);
        let &Exit { branch_at, target, pair, call, jump } = exit;
        self.meanings.insert(stub_at, Meaning::Direct { target, pair, call, jump });
        self.link(Link { target, on, pair, call, branch_at, stub: start, stub_at });
    }

    fn patch(&self, at: u64, target: u64) {
        self.code.set_half((at - CACHE) as usize, displacement(at, target));
    }

    /// Whether calls lead to the block at `pc` as soon as there is one.
    pub(crate) fn is_called(&self, pc: u64, on: bool) -> bool {
        self.waiting.get(&(pc, on)).is_some_and(|links| links.iter().any(|link| link.call))
    }

    fn link(&mut self, link: Link) {
        let Some(block) = self.get(link.target, link.on) else {
            self.waiting.entry((link.target, link.on)).or_default().push(link);
            return;
        };
        let (full, fast) = (block.full, block.fast);
        self.patch(link.branch_at, if link.pair == Some(block.pair) { fast } else { link.stub });
        // The stub is linked in any case: the program may be in it.
        let rel = displacement(link.stub_at + 1, full) as u32;
        let jump = 0xe9 | u64::from(rel) << 8 | 0x90_9090 << 40;
        self.code.set_word((link.stub_at - CACHE) as usize, jump);
        self.linked.entry((link.target, link.on)).or_default().push(link);
    }

    /// Enters a block in the table of targets of a kind of edge.
    /// For arrivals from one site alone, if it is given. Returns whether it was new.
    pub(crate) fn sieve(&mut self, edge: Edge, on: bool, target: u64, site: Option<Site>) -> bool {
        let key = (edge, on, target, site.map(|s| s.number));
        let Some(full) = self.get(target, on).map(|b| b.full).filter(|_| !self.sieved.contains(&key)) else {
            return false;
        };
        self.sieve_to(edge, on, target, full, site);
        true
    }

    fn sieve_to(&mut self, edge: Edge, on: bool, target: u64, to: u64, site: Option<Site>) {
        self.sieved.insert((edge, on, target, site.map(|s| s.number)));
        let may_end = self.has_contracts && edge == Edge::Return && !on;
        self.stub_for(edge, on, target, site, |code, miss| {
            if may_end {
                contracts::unless_ended(code, miss);
            }
            code.restore(1, SLOT_RCX);
            code.restore(0, SLOT_RAX);
            code.jump_to(None, to);
        });
    }

    /// Adds a stub that is run where an indirect transfer leads to `target`, which is in `rax`; `rcx` is free. `then` also gets
    /// the address of what is run where it does not.
    pub(crate) fn stub_for(
        &mut self,
        edge: Edge,
        on: bool,
        target: u64,
        site: Option<Site>,
        then: impl FnOnce(&mut Code, u64),
    ) {
        let index = edge.table(on);
        let hashed = target.wrapping_add(site.map_or(0, |s| shared::spread(s.number)).into());
        let entry = shared::table(index) as usize + (hashed & 0xffff) as usize * 8;
        let previous = self.state.word(entry);
        let at = CACHE + self.cold as u64;
        let mut code = Code::new(at);
        match i32::try_from(target) {
            Ok(short) => code.lea(1, 0, -short),
            Err(_) => {
                code.constant(1, target.wrapping_neg());
                code.lea_full(1, Some(1), Some((0, 1)), 0, false);
            }
        }
        // jrcxz over the jump to the next stub
        code.raw(&[0xe3, 5]);
        code.jump_to(None, previous);
        if let Some(site) = site {
            code.restore(1, SLOT_SITE);
            code.lea(1, 1, -(site.number as i32));
            code.raw(&[0xe3, 5]);
            code.jump_to(None, previous);
            code.count(shared::counter(site.counter), 1);
        }
        then(&mut code, previous);
        self.code.write(self.cold, &code.bytes);
        self.cold += code.bytes.len().next_multiple_of(8);
        self.state.set_word(entry, at);
    }
}
