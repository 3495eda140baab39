//! What the plugin tells the recorder, by way of memory that both share. The recorder compiles this file too.
//!
//! The memory begins with [`HEADER_WORDS`] words, one per field below; a ring of words follows. Positions count all words ever written; a
//! word's place in the ring is its position modulo the ring's length, which is a power of two. The plugin writes at
//! [`WRITTEN`], the recorder takes what lies between [`TAKEN`] and it. A position is published after the word before it.
//!
//! A word is one of:
//! - bit 63 clear: an access. Bits 0 to 47 are its address, then [`INDEX_BITS`] bits with the number of the instruction in its block, three with
//!   the logarithm of its bytes, and one that says whether it is a store.
//! - bits 63 and 62 are `10`: a block begins, whose number is in the low half. With [`REGISTERS`], so many words with registers
//!   follow ([`REGISTER_WORDS`]).
//! - bits 63 and 62 are `11`: a message. Its kind is in bits 48 to 55, the number of words that follow in the low half.

/// Words before the ring.
pub const HEADER_WORDS: usize = 16;
/// Index of the word that says what this memory is.
pub const MAGIC_AT: usize = 0;
/// Index of the words written so far. The plugin alone writes it.
pub const WRITTEN: usize = 1;
/// Index of the words taken so far. The recorder alone writes it.
pub const TAKEN: usize = 2;
/// Index of a word that counts when the recorder is to look.
pub const BELL: usize = 3;
/// Index of a word that counts when the plugin is to look for room.
pub const ROOM: usize = 4;
/// Index of a word that is not 0 when nothing is to be written any more.
pub const STOP: usize = 5;
/// Index of a word that is 1 if registers can be read, 2 if not; 0 before the program's first instruction.
pub const READABLE: usize = 6;

/// Content of the first word.
pub const MAGIC: u64 = 0x4c57_5145_4d55_0001;
/// Words of the ring; a power of two.
pub const RING_WORDS: usize = 1 << 19;
/// After so many words the recorder is told to look.
pub const CHUNK_WORDS: usize = 1 << 14;

/// Bits of an address.
pub const ADDRESS_BITS: u32 = 48;
/// Bits of an instruction's number in its block.
pub const INDEX_BITS: u32 = 9;
/// First bit of the logarithm of an access's bytes.
pub const SIZE_AT: u32 = ADDRESS_BITS + INDEX_BITS;
/// Bit of an access that is a store.
pub const STORE_AT: u32 = SIZE_AT + 3;

/// Begins a block.
pub const BLOCK: u64 = 1 << 63;
/// Registers follow the beginning of a block.
pub const REGISTERS: u64 = 1 << 61;
/// Words of registers: stack pointer, frame pointer, first three arguments (the first is also the result of a call).
pub const REGISTER_WORDS: usize = 5;

/// Begins a message.
pub const MESSAGE: u64 = 0b11 << 62;
/// First bit of a message's kind.
pub const KIND_AT: u32 = 48;

/// A block of code: its number, address, number of instructions, number of bytes; then the bytes, eight a word.
pub const CODE: u64 = 1;
/// A mapping: first address, end, offset in the file, number of bytes of the path; then the path.
pub const MAPPING: u64 = 2;
/// A system call that has returned: number, six arguments, result; then what it was given in memory, as pieces: address,
/// number of bytes, bytes.
pub const RETURNED: u64 = 3;
/// A system call that may not return: its number.
pub const CALLED: u64 = 4;
/// Another thread begins.
pub const THREAD: u64 = 5;
/// An access with an address that does not fit: the word of the access without it, the address.
pub const FAR_ACCESS: u64 = 6;

/// Header word of a message.
pub const fn message(kind: u64, words: usize) -> u64 {
    MESSAGE | kind << KIND_AT | words as u64
}
