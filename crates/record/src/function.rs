//! A function's control-flow graph, decoded when it is first entered.
//!
//! Definition: everything reachable from the entry by direct branches, past calls, by exceptions that calls throw, and through
//! indirect jumps whose targets are known from an earlier run, not through returns, other indirect jumps or tail calls. A call behind which control would run straight into another function never
//! returns. Limit: [`LIMIT`] instructions; beyond it the graph is cut short.

use iced_x86::{FlowControl, Instruction, Mnemonic};
use rustc_hash::{FxHashMap, FxHashSet};
use trace::block::{CodeBlock, FunctionCode, Instr, Registers, Terminator};

use crate::decode;

/// Length of the instruction at `pc` with which `bytes` begin, and how it ends a block, if it does.
pub(crate) fn instruction(bytes: &[u8], pc: u64) -> (u64, Option<Terminator>) {
    let i = decode::raw(bytes, pc);
    (i.len() as u64, terminator(&i))
}

/// Where the call at `pc` with which `bytes` begin finds its target: behind a place that is fixed relative to it.
pub(crate) fn call_slot(bytes: &[u8], pc: u64) -> Option<u64> {
    let i = decode::raw(bytes, pc);
    let is_fixed = i.is_call_near_indirect() && i.is_ip_rel_memory_operand();
    is_fixed.then(|| i.ip_rel_memory_address())
}

/// Where the indirect jump finds its target with which `bytes`, a block at `pc`, end: in a place that is fixed relative to it.
pub(crate) fn jump_slot(bytes: &[u8], pc: u64) -> Option<u64> {
    let mut at = 0;
    loop {
        let i = decode::raw(bytes.get(at..).filter(|rest| !rest.is_empty())?, pc.wrapping_add(at as u64));
        if i.is_invalid() {
            return None;
        }
        at += i.len();
        if at >= bytes.len() {
            let is_fixed = i.is_jmp_near_indirect() && i.is_ip_rel_memory_operand();
            return is_fixed.then(|| i.ip_rel_memory_address());
        }
    }
}

/// Most instructions decoded for one function.
pub const LIMIT: usize = 20_000;

/// How an instruction ends a block, if it does.
pub(crate) fn terminator(i: &Instruction) -> Option<Terminator> {
    let next = i.next_ip();
    if i.is_invalid() {
        return Some(Terminator::Trap);
    }
    if i.mnemonic() == Mnemonic::Syscall {
        return Some(Terminator::Syscall { next });
    }
    Some(match i.flow_control() {
        FlowControl::Next => return None,
        FlowControl::UnconditionalBranch if is_near(i) => Terminator::Jump(i.near_branch_target()),
        FlowControl::ConditionalBranch if is_near(i) => {
            Terminator::Branch { taken: i.near_branch_target(), next }
        }
        FlowControl::Call if is_near(i) => Terminator::Call { target: i.near_branch_target(), next },
        FlowControl::IndirectCall if !is_far(i) => Terminator::IndirectCall { next },
        FlowControl::Return if i.mnemonic() == Mnemonic::Ret => Terminator::Return,
        FlowControl::IndirectBranch if !is_far(i) => Terminator::IndirectJump,
        _ => Terminator::Trap,
    })
}

fn is_near(i: &Instruction) -> bool {
    i.is_call_near()
        || i.is_jmp_short_or_near()
        || i.is_jcc_short_or_near()
        || i.is_jcx_short()
        || i.is_loop()
        || i.is_loopcc()
}

fn is_far(i: &Instruction) -> bool {
    i.is_jmp_far_indirect() || i.is_call_far_indirect()
}

/// Instructions by address: the address of the next, and how they end a block.
type Instrs = FxHashMap<u64, (u64, Option<Terminator>)>;

/// Most bytes of an instruction that decoding a function looks at.
pub const LONGEST: usize = 16;

/// What decoding a function asks.
pub trait Surroundings {
    /// Bytes at an address: fewer than an instruction needs, or none, if unmapped.
    fn bytes(&mut self, pc: u64) -> Vec<u8>;
    /// Length of the instruction at `pc` with which `bytes` begin, and how it ends a block, if it does.
    fn instruction(&self, bytes: &[u8], pc: u64) -> (u64, Option<Terminator>);
    /// The instruction at `pc` with which `bytes` begin.
    fn decoded(&mut self, bytes: &[u8], pc: u64) -> Instr;
    /// Where the instruction at `pc` with which `bytes` begin finds the address that it calls, if that is always one place.
    fn call_slot(&self, _bytes: &[u8], _pc: u64) -> Option<u64> {
        None
    }
    /// Whether another function starts there.
    fn is_function(&mut self, pc: u64) -> bool;
    /// Where the indirect jump that ends at `after` is known to lead.
    fn jump_targets(&mut self, after: u64) -> Vec<u64>;
    /// Where an exception arrives that leaves the call that ends at `after`.
    fn landing_pad(&mut self, after: u64) -> Option<u64>;
}

/// Bytes of the program, some at a time.
struct Chunk {
    bytes: Vec<u8>,
    /// Address of the first.
    at: u64,
}

impl Chunk {
    /// The bytes from an address on, of a whole instruction at least if they are there.
    fn from(&mut self, pc: u64, around: &mut dyn Surroundings) -> &[u8] {
        let mut offset = pc.wrapping_sub(self.at) as usize;
        if offset.saturating_add(LONGEST) > self.bytes.len() {
            *self = Chunk { bytes: around.bytes(pc), at: pc };
            offset = 0;
        }
        self.bytes.get(offset..).unwrap_or_default()
    }
}

/// Decodes the function at `entry`.
pub fn decode(entry: u64, around: &mut dyn Surroundings) -> FunctionCode {
    let mut instrs: Instrs = FxHashMap::default();
    let mut leaders = FxHashSet::from_iter([entry]);
    let mut work = vec![entry];
    let mut pads = FxHashMap::default();
    let mut behind: FxHashMap<u64, u64> = FxHashMap::default();
    let mut code = Chunk { bytes: Vec::new(), at: entry };
    while let Some(start) = work.pop() {
        let mut pc = start;
        // Only what a call would return to can lie in front of another function.
        let returns_here = behind.get(&start).copied();
        while !instrs.contains_key(&pc) && instrs.len() < LIMIT {
            if let Some(call) = returns_here.filter(|_| pc != entry && around.is_function(pc)) {
                forget(&mut instrs, start, pc);
                leaders.remove(&start);
                let call =
                    instrs.get_mut(&call).filter(|call| matches!(call.1, Some(Terminator::Call { .. })));
                call.into_iter().for_each(|call| call.1 = Some(Terminator::Trap));
                break;
            }
            let bytes = code.from(pc, around);
            let (length, end) = around.instruction(bytes, pc);
            let next = pc.saturating_add(length.max(1));
            let end = end.map(|end| match end {
                // Calls of other files go through a table that is filled in when the program is loaded.
                Terminator::IndirectCall { next } => {
                    let entry = around.call_slot(bytes, pc).map(|slot| around.bytes(slot));
                    let target = entry.and_then(|entry| Some(u64::from_le_bytes(*entry.first_chunk()?)));
                    target
                        .filter(|&target| target != 0)
                        .map_or(end, |target| Terminator::Call { target, next })
                }
                _ => end,
            });
            instrs.insert(pc, (next, end));
            let mut reach = |target: u64| {
                if leaders.insert(target) {
                    work.push(target);
                }
            };
            match end {
                Some(Terminator::Jump(target)) => {
                    if target == entry || !around.is_function(target) {
                        reach(target);
                    }
                    break;
                }
                Some(Terminator::Branch { taken, next }) => {
                    reach(taken);
                    reach(next);
                    break;
                }
                Some(Terminator::Call { next, .. } | Terminator::IndirectCall { next }) => {
                    reach(next);
                    behind.entry(next).or_insert(pc);
                    if let Some(pad) = around.landing_pad(next) {
                        pads.insert(next, pad);
                        reach(pad);
                    }
                    break;
                }
                Some(Terminator::Syscall { next }) => {
                    reach(next);
                    break;
                }
                Some(Terminator::IndirectJump) => {
                    for target in around.jump_targets(next) {
                        if !around.is_function(target) {
                            reach(target);
                        }
                    }
                    break;
                }
                Some(_) => break,
                None => pc = next,
            }
        }
    }
    let mut blocks = split(&instrs, &leaders);
    if has_shared_header(&blocks) {
        for block in &mut blocks {
            block.registers = registers(block, &instrs, &mut code, around);
        }
    }
    let landing = |block: &CodeBlock| Some((block.start, *pads.get(&block.end)?));
    let landings = blocks.iter().filter_map(landing).collect();
    FunctionCode { entry, blocks, landings }
}

/// Whether several blocks go back to one, as those of several loops may ([`CodeBlock::registers`] tell).
fn has_shared_header(blocks: &[CodeBlock]) -> bool {
    let mut seen = FxHashSet::default();
    let back =
        |block: &CodeBlock| block.terminator.local_successors().into_iter().find(|&to| to <= block.start);
    blocks.iter().filter_map(back).any(|target| !seen.insert(target))
}

fn registers(
    block: &CodeBlock,
    instrs: &Instrs,
    code: &mut Chunk,
    around: &mut dyn Surroundings,
) -> Registers {
    let mut registers = Registers::default();
    let mut pc = block.start;
    while pc < block.end
        && let Some(&(next, _)) = instrs.get(&pc)
    {
        let bytes = code.from(pc, around);
        registers.execute(&around.decoded(bytes, pc));
        pc = next;
    }
    registers
}

/// Drops the instructions of a straight piece of code.
fn forget(instrs: &mut Instrs, from: u64, to: u64) {
    let mut pc = from;
    while pc < to
        && let Some((next, _)) = instrs.remove(&pc)
    {
        pc = next;
    }
}

fn split(instrs: &Instrs, leaders: &FxHashSet<u64>) -> Vec<CodeBlock> {
    let mut starts: Vec<u64> = leaders.iter().copied().collect();
    starts.sort_unstable();
    let mut blocks = Vec::with_capacity(starts.len());
    for start in starts {
        let mut pc = start;
        while let Some(&(next, end)) = instrs.get(&pc) {
            let fallthrough = leaders.contains(&next) || !instrs.contains_key(&next);
            if let Some(terminator) = end.or(fallthrough.then_some(Terminator::Fallthrough(next))) {
                blocks.push(CodeBlock { start, end: next, terminator, registers: Registers::default() });
                break;
            }
            pc = next;
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code at 0, functions that start there, and where exceptions arrive.
    struct Code {
        bytes: Vec<u8>,
        functions: Vec<u64>,
        pads: Vec<(u64, u64)>,
    }

    impl Surroundings for Code {
        fn bytes(&mut self, pc: u64) -> Vec<u8> {
            self.bytes.get(pc as usize..).unwrap_or_default().to_vec()
        }

        fn instruction(&self, bytes: &[u8], pc: u64) -> (u64, Option<Terminator>) {
            instruction(bytes, pc)
        }

        fn decoded(&mut self, bytes: &[u8], pc: u64) -> Instr {
            decode::Decode::new().decode(bytes, pc).instr
        }

        fn call_slot(&self, bytes: &[u8], pc: u64) -> Option<u64> {
            call_slot(bytes, pc)
        }

        fn is_function(&mut self, pc: u64) -> bool {
            self.functions.contains(&pc)
        }

        fn jump_targets(&mut self, _after: u64) -> Vec<u64> {
            Vec::new()
        }

        fn landing_pad(&mut self, after: u64) -> Option<u64> {
            self.pads.iter().find(|pad| pad.0 == after).map(|pad| pad.1)
        }
    }

    /// Regression: a function that ends with a throw went on with the next one, which was then never published as a function of its
    /// own, and the loops in it were found only as they ran.
    #[test]
    fn calls_in_front_of_other_functions_never_return() {
        // call 0x40; nop; nop; then at 8 another function: ret.
        let bytes = vec![0xe8, 0x3b, 0, 0, 0, 0x90, 0x66, 0x90, 0xc3, 0xcc];
        let mut code = Code { bytes, functions: vec![0, 8], pads: Vec::new() };
        let found = decode(0, &mut code);
        assert_eq!(
            found.blocks,
            [CodeBlock { start: 0, end: 5, terminator: Terminator::Trap, registers: Registers::default() }]
        );
        code.functions.pop();
        let found = decode(0, &mut code);
        assert_eq!(found.blocks.len(), 2);
        assert_eq!(found.blocks[0].terminator, Terminator::Call { target: 0x40, next: 5 });
    }

    #[test]
    fn what_exceptions_reach_is_decoded() {
        // call 0x40; ret; then at 6 nothing leads but an exception: ret.
        let bytes = vec![0xe8, 0x3b, 0, 0, 0, 0xc3, 0xc3, 0xcc];
        let mut code = Code { bytes, functions: vec![0], pads: vec![(5, 6)] };
        let found = decode(0, &mut code);
        assert_eq!(found.landings, [(0, 6)]);
        assert_eq!(found.blocks.iter().map(|b| b.start).collect::<Vec<_>>(), [0, 5, 6]);
    }

    /// Regression: in Rust's programs what cleans up ends with such a call, and was taken to go on with what lies behind it.
    #[test]
    fn calls_through_a_table_are_calls_of_what_it_holds() {
        // call [rip + 2]; ret; ret; the table.
        let mut bytes = vec![0xff, 0x15, 2, 0, 0, 0, 0xc3, 0xc3];
        bytes.extend(0x1234_5678_u64.to_le_bytes());
        bytes.extend([0xcc; 16]);
        let found = decode(0, &mut Code { bytes, functions: vec![0], pads: Vec::new() });
        assert_eq!(found.blocks[0].terminator, Terminator::Call { target: 0x1234_5678, next: 6 });
    }
}
