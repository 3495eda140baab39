//! Record buffers and the thread that drains them.
//!
//! Invariant: at any time a buffer belongs either to the program (one), to the receiver, or is free; ownership moves
//! with channel messages. What is handed over is a whole number of records.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;

use trace::block::{Block, FunctionCode};
use trace::sink::{Mapping, Sink};
use trace::stream;

use crate::error::Error;
use crate::interrupt;
use crate::shared::{BUFFERS, GUARD, Shared};

/// Number of buffers.
pub(crate) const COUNT: usize = 4;

/// Most messages kept back.
const BATCH: usize = 512;

enum Message {
    Mapping(Mapping),
    Function(FunctionCode),
    Block(Box<Block>),
    Words { buffer: usize, len: usize },
}

/// The recorder's end.
pub(crate) struct Buffers<S> {
    pub(crate) memory: Arc<Shared>,
    pub(crate) bytes: usize,
    pub(crate) current: usize,
    free: Vec<usize>,
    batch: Vec<Message>,
    send: Sender<Vec<Message>>,
    returned: Receiver<usize>,
    thread: JoinHandle<S>,
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
    /// Words were not handed on.
    pub(crate) abandoned: AtomicBool,
}

impl<S: Sink + 'static> Buffers<S> {
    /// Starts the receiver.
    pub(crate) fn new(
        words: usize,
        sink: S,
        limit: Option<u64>,
        progress: Arc<Progress>,
    ) -> Result<Self, Error> {
        let bytes = (words * 8).next_multiple_of(4096);
        let memory = Arc::new(Shared::new(bytes * COUNT)?);
        let (send, receive) = mpsc::channel();
        let (give_back, returned) = mpsc::channel();
        let shared = Arc::clone(&memory);
        let thread = std::thread::Builder::new()
            .name("recording".into())
            .spawn(move || receive_all(&shared, bytes, sink, &receive, &give_back, limit, &progress))
            .map_err(|source| Error::Setup { what: "start the receiving thread", source })?;
        let free = (1..COUNT).collect();
        Ok(Buffers { memory, bytes, current: 0, free, batch: Vec::new(), send, returned, thread, words: 0 })
    }
}

impl<S> Buffers<S> {
    /// Address of buffer `k` in the program.
    pub(crate) fn address(&self, k: usize) -> u64 {
        BUFFERS + k as u64 * (self.bytes as u64 + GUARD)
    }

    /// Address of the current buffer in the program.
    pub(crate) fn start(&self) -> u64 {
        self.address(self.current)
    }

    /// First address after the current buffer.
    pub(crate) fn end(&self) -> u64 {
        self.start() + self.bytes as u64
    }

    /// Offset in the shared memory of an address in the current buffer.
    pub(crate) fn offset(&self, address: u64) -> usize {
        self.current * self.bytes + (address - self.start()) as usize
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

    /// Publishes a block.
    pub(crate) fn block(&mut self, block: Block) -> Result<(), Error> {
        self.tell(Message::Block(Box::new(block)))
    }

    /// Hands over the current buffer up to `pointer`; moves the `partial` bytes after it to the start of the next
    /// buffer, which becomes current.
    pub(crate) fn swap(&mut self, pointer: u64, partial: usize) -> Result<(), Error> {
        while let Ok(k) = self.returned.try_recv() {
            self.free.push(k);
        }
        if self.free.is_empty() {
            self.free.push(self.returned.recv().map_err(|_| Error::Sink)?);
        }
        let next = self.free.remove(0);
        let from = self.offset(pointer);
        let bytes = self.memory.copy(from, partial);
        self.memory.write(next * self.bytes, &bytes);
        let len = (pointer - self.start()) as usize / 8;
        self.words += len as u64;
        self.tell(Message::Words { buffer: self.current, len })?;
        self.current = next;
        Ok(())
    }

    /// Hands over the rest and waits for the receiver.
    pub(crate) fn finish(mut self, pointer: u64) -> Result<(S, u64), Error> {
        // A program killed without warning leaves an old pointer.
        let inside = (self.start()..=self.end()).contains(&pointer);
        let len = if inside { pointer - self.start() } else { 0 };
        let words = self.words + len / 8;
        self.tell(Message::Words { buffer: self.current, len: len as usize / 8 })?;
        drop(self.send);
        Ok((self.thread.join().map_err(|_| Error::Sink)?, words))
    }
}

fn receive_all<S: Sink>(
    memory: &Shared,
    bytes: usize,
    mut sink: S,
    receive: &Receiver<Vec<Message>>,
    give_back: &Sender<usize>,
    limit: Option<u64>,
    progress: &Progress,
) -> S {
    let mut blocks: Vec<Counted> = Vec::new();
    for message in receive.iter().flatten() {
        match message {
            Message::Mapping(mapping) => sink.mapping(mapping),
            Message::Function(code) => sink.function(code),
            Message::Block(block) => {
                if limit.is_some() {
                    blocks.push(Counted::new(&block));
                }
                sink.block(*block);
            }
            Message::Words { buffer, len } => {
                // SAFETY: the buffer belongs to this thread until its number is sent back; neither the program nor
                // the recorder writes it meanwhile.
                let words = unsafe { memory.words(buffer * bytes, len) };
                if interrupt::is_abandoned() {
                    progress.abandoned.store(true, Ordering::Relaxed);
                } else {
                    sink.words(0, words);
                }
                if let Some(limit) = limit {
                    let new = count(words, &blocks);
                    if progress.instructions.fetch_add(new, Ordering::Relaxed) + new >= limit {
                        progress.reached.store(true, Ordering::Relaxed);
                    }
                }
                // The recorder may have ended; then nobody waits for the buffer.
                let _ = give_back.send(buffer);
            }
        }
    }
    sink
}

/// What is needed to count a block's instructions.
struct Counted {
    words: usize,
    instructions: u64,
    fold: Option<(usize, usize, i64)>,
}

impl Counted {
    fn new(block: &Block) -> Self {
        Counted {
            words: block.words.into(),
            instructions: block.instrs.len() as u64,
            fold: block.folded.as_ref().map(|f| (f.entry.into(), f.exit.into(), f.step)),
        }
    }
}

fn count(words: &[u64], blocks: &[Counted]) -> u64 {
    let (mut at, mut total) = (0, 0u64);
    while let Some(&head) = words.get(at) {
        if stream::is_special(head) {
            at += 1 + (head >> 32) as usize;
        } else {
            let Some(block) = blocks.get(head as u32 as usize) else { return total };
            let times = match block.fold {
                Some((entry, exit, step)) => match (words.get(at + entry), words.get(at + exit)) {
                    (Some(a), Some(b)) => (b.wrapping_sub(*a) as i64 / step).max(1) as u64,
                    _ => return total,
                },
                None => 1,
            };
            total = total.saturating_add(times.saturating_mul(block.instructions));
            at += block.words;
        }
    }
    total
}
