//! What goes to the receiver: tables and words, in order, on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use record::Error;
use trace::block::{Block, FunctionCode};
use trace::sink::{Mapping, Sink};
use trace::stream::Special;

/// Words that are handed over together.
const BATCH: usize = 1 << 15;
/// Batches that may wait for the receiver.
const WAITING: usize = 4;

pub(crate) enum Table {
    Mapping(Mapping),
    Function(FunctionCode),
    Block(Box<Block>),
}

#[derive(Default)]
struct Batch {
    tables: Vec<Table>,
    words: Vec<u64>,
}

/// The recorder's end.
pub(crate) struct Output {
    batch: Batch,
    total: u64,
    blocks: u32,
    /// Place of a word in the batch that is known only later.
    open: Option<usize>,
    send: Option<SyncSender<Batch>>,
    is_abandoned: Arc<AtomicBool>,
    /// The receiver is gone.
    has_failed: bool,
}

/// The receiver.
pub(crate) struct Receiving<S>(JoinHandle<S>);

impl Output {
    /// Starts the receiver.
    pub(crate) fn start<S: Sink + 'static>(sink: S) -> Result<(Output, Receiving<S>), Error> {
        let (send, receive) = sync_channel(WAITING);
        let is_abandoned = Arc::new(AtomicBool::new(false));
        let skips = Arc::clone(&is_abandoned);
        let thread = std::thread::Builder::new()
            .name("recording".into())
            .spawn(move || receive_all(sink, &receive, &skips))
            .map_err(|source| Error::Setup { what: "start the receiving thread", source })?;
        let (send, has_failed) = (Some(send), false);
        let (batch, total, blocks, open) = (Batch::default(), 0, 0, None);
        Ok((Output { batch, total, blocks, open, send, is_abandoned, has_failed }, Receiving(thread)))
    }

    /// Number of the next block.
    pub(crate) fn next_id(&self) -> u32 {
        self.blocks
    }

    pub(crate) fn table(&mut self, table: Table) {
        self.blocks += u32::from(matches!(table, Table::Block(_)));
        self.batch.tables.push(table);
    }

    /// Appends a word.
    #[inline]
    pub(crate) fn word(&mut self, word: u64) {
        self.batch.words.push(word);
    }

    /// Appends a word that is told later.
    pub(crate) fn open_word(&mut self) {
        self.open = Some(self.batch.words.len());
        self.batch.words.push(0);
    }

    /// Tells the word that was left open.
    pub(crate) fn close(&mut self, word: u64) {
        if let Some(place) = self.open.take().and_then(|at| self.batch.words.get_mut(at)) {
            *place = word;
        }
    }

    pub(crate) fn special(&mut self, special: &Special<'_>) {
        special.write(&mut self.batch.words);
    }

    /// Hands over what there is, if it is much. Between records alone.
    #[inline]
    pub(crate) fn pause(&mut self) {
        if self.batch.words.len() >= BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.open = None;
        self.total += self.batch.words.len() as u64;
        let batch = std::mem::replace(
            &mut self.batch,
            Batch { tables: Vec::new(), words: Vec::with_capacity(BATCH + 512) },
        );
        if let Some(send) = &self.send
            && send.send(batch).is_err()
        {
            self.has_failed = true;
            self.send = None;
        }
    }

    /// Whether the receiver is gone.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Hands over the rest. Gives the numbers of words and of blocks.
    pub(crate) fn finish(mut self) -> (u64, u64) {
        self.flush();
        (self.total, u64::from(self.blocks))
    }

    /// Whether words were not handed on, as the user did not want to wait.
    pub(crate) fn abandoned(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_abandoned)
    }
}

impl<S> Receiving<S> {
    /// Waits until everything is received.
    pub(crate) fn finish(self) -> Result<S, Error> {
        self.0.join().map_err(|_| Error::Sink)
    }
}

fn receive_all<S: Sink>(mut sink: S, receive: &Receiver<Batch>, is_abandoned: &AtomicBool) -> S {
    for Batch { tables, words } in receive {
        for table in tables {
            match table {
                Table::Mapping(mapping) => sink.mapping(mapping),
                Table::Function(code) => sink.function(code),
                Table::Block(block) => sink.block(*block),
            }
        }
        if record::other::is_abandoned() {
            is_abandoned.store(true, Ordering::Relaxed);
        } else {
            sink.words(0, &words);
        }
    }
    sink
}
