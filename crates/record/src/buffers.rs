//! Record buffers and the thread that drains them.
//!
//! Invariant: at any time a buffer belongs either to the program (one), to the receiver, or is free; ownership moves
//! with channel messages. Of the program's, the receiver may have the words of earlier turns of threads. What is handed over is a
//! whole number of records.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use trace::block::{Block, Folded, FunctionCode};
use trace::sink::{Mapping, Sink, ThreadId};
use trace::stream;

use crate::error::Error;
use crate::interrupt;
use crate::shared::{BUFFERS, GUARD, Shared};

/// Number of buffers.
pub(crate) const COUNT: usize = 4;

/// Fewest bytes of a buffer that are used; more than any record.
const SMALLEST: usize = 4096;

/// Fewest words that are handed on, unless mappings change.
const JOINED: usize = 1 << 15;

/// Most messages kept back.
const BATCH: usize = 512;

enum Message {
    Mapping(Mapping),
    Function(FunctionCode),
    /// The name of the function that begins at an address.
    Named(u64, String),
    Block(Box<Block>),
    /// Words `from..to` of a buffer, which is free then unless more of it follow.
    Words {
        thread: ThreadId,
        buffer: usize,
        from: usize,
        to: usize,
        more: bool,
    },
}

/// The recorder's end.
pub(crate) struct Buffers {
    pub(crate) memory: Arc<Shared>,
    pub(crate) bytes: usize,
    pub(crate) current: usize,
    /// The thread whose words they are.
    pub(crate) thread: ThreadId,
    /// Bytes at the start of the current buffer that are not used.
    skipped: usize,
    free: Vec<usize>,
    batch: Vec<Message>,
    send: Sender<Vec<Message>>,
    returned: Receiver<usize>,
    receiver: JoinHandle<()>,
    pub(crate) words: u64,
}

/// What the other threads tell the recorder.
#[derive(Default)]
pub(crate) struct Progress {
    /// Instructions received so far, counted only under a limit.
    pub(crate) instructions: AtomicU64,
    /// The limit was reached.
    pub(crate) reached: AtomicBool,
    /// The time is over or the user interrupted, and a stop signal tells the program so.
    pub(crate) late: AtomicBool,
    /// The program gets no stop signal: the recorder looks whether the time is over.
    pub(crate) alone: Mutex<bool>,
    /// Words were not handed on.
    pub(crate) abandoned: AtomicBool,
}

impl Progress {
    /// From now on the program is sent no stop signals, or is.
    pub(crate) fn leave_alone(&self, alone: bool) {
        *self.alone.lock().unwrap_or_else(PoisonError::into_inner) = alone;
    }
}

impl Buffers {
    /// Starts the receiver.
    pub(crate) fn new(
        words: usize,
        sink: Box<dyn Sink>,
        limit: Option<u64>,
        progress: Arc<Progress>,
    ) -> Result<Self, Error> {
        let bytes = (words * 8).next_multiple_of(4096);
        let memory = Arc::new(Shared::new(bytes * COUNT)?);
        let (send, receive) = mpsc::channel();
        let (give_back, returned) = mpsc::channel();
        let shared = Arc::clone(&memory);
        let receiver = std::thread::Builder::new()
            .name("recording".into())
            .spawn(move || {
                let mut sink = sink;
                receive_all(&shared, bytes, &mut *sink, &receive, &give_back, limit, &progress);
            })
            .map_err(|source| Error::Setup { what: "start the receiving thread", source })?;
        let free = (1..COUNT).collect();
        Ok(Buffers {
            memory,
            bytes,
            current: 0,
            thread: 0,
            skipped: 0,
            free,
            batch: Vec::new(),
            send,
            returned,
            receiver,
            words: 0,
        })
    }
}

impl Buffers {
    /// Address of buffer `k` in the program.
    pub(crate) fn address(&self, k: usize) -> u64 {
        BUFFERS + k as u64 * (self.bytes as u64 + GUARD)
    }

    /// Address of the first record of the current buffer in the program.
    pub(crate) fn start(&self) -> u64 {
        self.address(self.current) + self.skipped as u64
    }

    /// The words from an address in the current buffer on, at most so many, that lie before `pointer`.
    pub(crate) fn recent(&self, pointer: u64, most: usize) -> Vec<u64> {
        let bytes = (pointer.saturating_sub(self.start()) as usize).min(most * 8);
        let words = self.memory.copy(self.offset(self.start()), bytes);
        words.chunks_exact(8).map(|w| w.iter().rev().fold(0, |word, &b| word << 8 | u64::from(b))).collect()
    }

    /// First address after the current buffer.
    pub(crate) fn end(&self) -> u64 {
        self.address(self.current) + self.bytes as u64
    }

    /// Offset in the shared memory of an address in the current buffer.
    pub(crate) fn offset(&self, address: u64) -> usize {
        self.current * self.bytes + (address - self.address(self.current)) as usize
    }

    /// Static tables travel with the words that need them: waking the receiver for each is too dear.
    fn tell(&mut self, message: Message) -> Result<(), Error> {
        let flush = matches!(message, Message::Words { .. }) || self.batch.len() >= BATCH;
        self.batch.push(message);
        if flush {
            self.send.send(std::mem::take(&mut self.batch)).map_err(|_| Error::Sink)?;
        }
        Ok(())
    }

    /// Publishes a mapping.
    pub(crate) fn mapping(&mut self, mapping: Mapping) -> Result<(), Error> {
        self.tell(Message::Mapping(mapping))
    }

    /// Publishes a function.
    pub(crate) fn function(&mut self, code: FunctionCode) -> Result<(), Error> {
        self.tell(Message::Function(code))
    }

    /// Publishes the name of a function.
    pub(crate) fn named(&mut self, pc: u64, name: String) -> Result<(), Error> {
        self.tell(Message::Named(pc, name))
    }

    /// Publishes a block.
    pub(crate) fn block(&mut self, block: Block) -> Result<(), Error> {
        self.tell(Message::Block(Box::new(block)))
    }

    /// Hands over the current buffer up to `pointer`; moves the `partial` bytes after it to the start of the next
    /// buffer, which becomes current. Of it, no more than `room` words are used.
    pub(crate) fn swap(&mut self, pointer: u64, partial: usize, room: usize) -> Result<(), Error> {
        while let Ok(k) = self.returned.try_recv() {
            self.free.push(k);
        }
        if self.free.is_empty() {
            self.free.push(self.returned.recv().map_err(|_| Error::Sink)?);
        }
        let next = self.free.remove(0);
        let from = self.offset(pointer);
        let bytes = self.memory.copy(from, partial);
        let skipped = self.bytes - room.saturating_mul(8).clamp(SMALLEST.min(self.bytes), self.bytes);
        self.memory.write(next * self.bytes + skipped, &bytes);
        self.hand_over(pointer, false)?;
        (self.current, self.skipped) = (next, skipped);
        Ok(())
    }

    /// Hands over what a thread has recorded up to `pointer`. Gives where the next records go: into the rest of the buffer, if that is
    /// not too small. Of another buffer, no more than `room` words are used.
    pub(crate) fn end_turn(&mut self, pointer: u64, room: usize) -> Result<u64, Error> {
        if pointer + SMALLEST as u64 > self.end() {
            self.swap(pointer, 0, room)?;
        } else if pointer > self.start() {
            self.hand_over(pointer, true)?;
            self.skipped = (pointer - self.address(self.current)) as usize;
        }
        Ok(self.start())
    }

    fn hand_over(&mut self, pointer: u64, more: bool) -> Result<(), Error> {
        let from = self.skipped / 8;
        let to = (pointer - self.address(self.current)) as usize / 8;
        self.words += (to - from) as u64;
        self.tell(Message::Words { thread: self.thread, buffer: self.current, from, to, more })
    }

    /// Hands over the rest and waits for the receiver. Gives the number of words that it got in all.
    pub(crate) fn finish(mut self, pointer: u64) -> Result<u64, Error> {
        // A program killed without warning leaves an old pointer.
        let inside = (self.start()..=self.end()).contains(&pointer);
        self.hand_over(if inside { pointer } else { self.start() }, false)?;
        drop(self.send);
        self.receiver.join().map_err(|_| Error::Sink)?;
        Ok(self.words)
    }
}

fn receive_all(
    memory: &Shared,
    bytes: usize,
    sink: &mut dyn Sink,
    receive: &Receiver<Vec<Message>>,
    give_back: &Sender<usize>,
    limit: Option<u64>,
    progress: &Progress,
) {
    let mut blocks: Vec<Counted> = Vec::new();
    let hand_on = |sink: &mut dyn Sink, thread: ThreadId, words: &[u64]| {
        if interrupt::is_abandoned() {
            progress.abandoned.store(true, Ordering::Relaxed);
        } else {
            sink.words(thread, words);
        }
    };
    // Words are counted when they come, which may be long before they are handed on.
    let count_in = |words: &[u64], blocks: &[Counted]| {
        if let Some(limit) = limit {
            let new = count(words, blocks);
            if progress.instructions.fetch_add(new, Ordering::Relaxed) + new >= limit {
                progress.reached.store(true, Ordering::Relaxed);
            }
        }
    };
    // Words of buffers that ended early, for the sake of the recorder alone.
    let mut joined: Vec<u64> = Vec::new();
    let mut whose = 0;
    for message in receive.iter().flatten() {
        match message {
            Message::Mapping(mapping) => {
                hand_on(sink, whose, &std::mem::take(&mut joined));
                sink.mapping(mapping);
            }
            Message::Function(code) => sink.function(code),
            Message::Named(pc, name) => sink.named(pc, &name),
            Message::Block(block) => {
                if limit.is_some() {
                    blocks.push(Counted::new(&block, &blocks));
                }
                sink.block(*block);
            }
            Message::Words { thread, buffer, from, to, more } => {
                if thread != whose {
                    hand_on(sink, whose, &std::mem::take(&mut joined));
                    whose = thread;
                }
                // SAFETY: these words belong to this thread until the buffer's number is sent back; neither the program nor
                // the recorder writes them meanwhile.
                let words = unsafe { memory.words(buffer * bytes + from * 8, to - from) };
                count_in(words, &blocks);
                if joined.is_empty() && words.len() >= JOINED {
                    hand_on(sink, whose, words);
                } else {
                    joined.extend_from_slice(words);
                }
                // The recorder may have ended; then nobody waits for the buffer.
                if !more {
                    let _ = give_back.send(buffer);
                }
                if joined.len() >= JOINED {
                    hand_on(sink, whose, &std::mem::take(&mut joined));
                }
            }
        }
    }
    hand_on(sink, whose, &joined);
}

/// What is needed to count a block's instructions.
struct Counted {
    words: usize,
    instructions: u64,
    folded: Option<Folded>,
    /// Instructions of the first parts, by their number; of none first.
    parts: Vec<u64>,
}

impl Counted {
    fn new(block: &Block, others: &[Counted]) -> Self {
        let mut parts = vec![0];
        for part in &block.parts {
            let before = parts.last().copied().unwrap_or(0);
            parts.push(before + others.get(part.block as usize).map_or(0, |b| b.instructions));
        }
        let own = block.instrs.len() as u64 + u64::from(block.unrecorded);
        let instructions = own + parts.last().copied().unwrap_or(0);
        Counted { words: block.words.into(), instructions, folded: block.folded.clone(), parts }
    }
}

fn count(words: &[u64], blocks: &[Counted]) -> u64 {
    let (mut at, mut total) = (0, 0u64);
    while let Some(&head) = words.get(at) {
        if stream::is_special(head) {
            at += 1 + (head >> 32) as usize;
        } else {
            let Some(block) = blocks.get(head as u32 as usize) else { return total };
            let more = block.folded.as_ref().is_some_and(|folded| folded.each > 0);
            let length = block.words + if more { (head >> 35) as usize } else { 0 };
            let Some(record) = words.get(at..at + length) else { return total };
            let (times, parts) = block.folded.as_ref().map_or((1, 0), |folded| folded.extent(record));
            let rest = block.parts.get(parts).copied().unwrap_or(0);
            total = total.saturating_add(times.saturating_mul(block.instructions)).saturating_add(rest);
            at += length;
        }
    }
    total
}
