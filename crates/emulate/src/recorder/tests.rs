//! Streams that no plugin has written.

use proptest::prelude::*;
use trace::block::{Block, FunctionCode};
use trace::expand::Expander;
use trace::sink::{Guide, Mapping, Sink, ThreadId};

use super::Recorder;
use crate::machine::Machine;
use crate::output::Output;
use crate::protocol::{BLOCK, CODE, MAPPING, REGISTERS, RETURNED, message};

/// Checks that what arrives can be read back.
#[derive(Default)]
struct Checking {
    blocks: Vec<Block>,
    expander: Expander,
    passes: u64,
}

impl Sink for Checking {
    fn mapping(&mut self, _: Mapping) {}
    fn function(&mut self, _: FunctionCode) {}
    fn block(&mut self, block: Block) {
        self.blocks.push(block);
    }
    fn words(&mut self, _: ThreadId, words: &[u64]) {
        let passes = &mut self.passes;
        let read = self.expander.expand(words, &self.blocks, &mut |_| *passes += 1);
        read.expect("whole records");
    }
}

struct Nobody;

impl Guide for Nobody {
    fn mapping(&mut self, _: &Mapping) {}
    fn is_function(&mut self, _: u64) -> bool {
        true
    }
    fn wants_arguments(&mut self, pc: u64) -> bool {
        pc.is_multiple_of(8)
    }
    fn starts_recording(&mut self, _: u64) -> bool {
        true
    }
}

/// Records a stream; whether it was taken for one, and what was read of it.
fn record(machine: Machine, words: &[u64], start: bool) -> (bool, Checking) {
    let (output, receiving) = Output::start(Checking::default()).expect("a thread");
    let mut guide = Nobody;
    let mut recorder = Recorder::new(machine, &mut guide, output, start);
    recorder.take(words);
    recorder.finish(true);
    let is_broken = recorder.is_broken;
    recorder.output.finish();
    (is_broken, receiving.finish().expect("records are whole"))
}

/// Code as the plugin tells it.
fn code(number: u64, pc: u64, words: &[u32]) -> Vec<u64> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut out =
        vec![message(CODE, 4 + bytes.len().div_ceil(8)), number, pc, words.len() as u64, bytes.len() as u64];
    out.extend(bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }));
    out
}

/// `ldr x0, [x1], #8; b .-4`
const LOOP: [u32; 2] = [0xf840_8420, 0x17ff_ffff];

/// An access of eight bytes by the first instruction of a block.
const LOAD: u64 = 3 << crate::protocol::SIZE_AT;

#[test]
fn iterations_are_records() {
    let mut words = code(0, 0x1000, &LOOP);
    for k in 0..5 {
        words.extend([BLOCK, LOAD | (0x8000 + 8 * k)]);
    }
    let (is_broken, checked) = record(Machine::Aarch64, &words, true);
    assert!(!is_broken);
    // Each has a pass and an access.
    assert_eq!((checked.passes, checked.blocks.len()), (10, 1));
    assert_eq!(checked.blocks[0].instrs.len(), 3);
}

#[test]
fn blocks_that_were_never_told_end_the_stream() {
    assert!(record(Machine::Aarch64, &[BLOCK | 7], true).0);
    assert!(record(Machine::Riscv64, &[message(77, 0)], true).0);
    assert!(record(Machine::Riscv64, &[message(CODE, 1), 0], true).0);
}

fn word() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (0..4u64).prop_map(|number| BLOCK | number),
        (0..4u64).prop_map(|number| BLOCK | REGISTERS | number),
        (0..0x2000u64, 0..3u64).prop_map(|(address, index)| LOAD | index << 48 | address),
        (0..8u64, 0..12usize).prop_map(|(kind, words)| message(kind, words)),
        Just(message(MAPPING, 4)),
        Just(message(RETURNED, 8)),
        0..200u64,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Whatever the words are, what comes out are whole records.
    #[test]
    fn no_stream_makes_broken_records(
        instrs in proptest::collection::vec(any::<u32>(), 1..6),
        words in proptest::collection::vec(word(), 0..60),
        start: bool,
    ) {
        for machine in [Machine::Aarch64, Machine::Riscv64] {
            let instrs: Vec<u32> = instrs.iter().map(|word| word | 3).collect();
            let mut stream = code(0, 0x1000, &LOOP);
            stream.extend(code(1, 0x1008, &instrs));
            stream.extend(code(2, 0x1004, &instrs[..1]));
            stream.extend(&words);
            record(machine, &stream, start);
        }
    }
}
