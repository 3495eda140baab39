//! Windows of recording: from where one function returns to where another one is entered, as often as that happens.
//!
//! Definition: a window begins in the activation that called the function marked [`Marker::Begin`], with the first instruction after
//! the call; it ends at the entry of the one marked [`Marker::End`], in whatever activation. Outside of windows the program
//! runs translated and unrecorded, at about its own speed.
//!
//! Invariants: every beginning is seen, because nothing is linked to the function that makes it while recording is off; every end is,
//! because the function that makes it is not translated for recording. A beginning inside a window and an end outside of one
//! do nothing.

use libc::user_regs_struct;
use rustc_hash::FxHashSet;
use trace::sink::{Activation, Marker};
use trace::stream::Special;

use crate::Encoding;
use crate::cache::Cache;
use crate::error::Error;
use crate::run::Engine;

/// The windows of a run.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    /// Stack pointers with which activations that begin windows return, and where they return to.
    opening: Vec<(u64, u64)>,
    /// Places of return that are guarded in the present code cache.
    guarded: FxHashSet<u64>,
    /// Stack pointer where a window began that ends in the same activation.
    inner: Option<u64>,
}

impl Windows {
    /// The activation has ended in which a window began.
    pub(crate) fn end_inner(&mut self) {
        self.inner = None;
    }

    /// The code cache is empty now, and this belongs to a thread without the turn.
    pub(crate) fn guard_all(&mut self, cache: &mut Cache) {
        self.guarded.clear();
        for &(_, back) in &self.opening {
            if self.guarded.insert(back) {
                cache.guard_return(back, false);
            }
        }
    }
}

impl Engine<'_> {
    fn has_windows(&self) -> bool {
        !self.config.start_recording && self.config.encoding != Encoding::None && self.counting.is_none()
    }

    /// Whether the block at `pc` is placed apart, so that nothing is linked to it: control that comes there may switch recording.
    pub(crate) fn is_apart(&mut self, pc: u64) -> bool {
        self.begins_window(pc)
            || self.on && self.has_windows() && self.guide.marker(pc) == Some(Marker::Leave)
    }

    /// Whether the function at `pc` begins a window, recording being off.
    pub(crate) fn begins_window(&mut self, pc: u64) -> bool {
        !self.on && self.has_windows() && self.guide.marker(pc) == Some(Marker::Begin)
    }

    /// The code cache is empty now: guards returns again.
    pub(crate) fn guard_windows(&mut self) {
        self.windows.guard_all(&mut self.cache);
    }

    fn guard(&mut self, back: u64) {
        if self.windows.guarded.insert(back) {
            self.cache.guard_return(back, false);
        }
    }

    /// Whether what runs at `pc` may switch recording, so that it has to be seen.
    pub(crate) fn is_marker(&mut self, pc: u64) -> bool {
        self.has_windows() && self.guide.marker(pc).is_some()
    }

    /// Control is on its way to `pc`: the entry of a function that ends a window, or after whose return one begins?
    pub(crate) fn pass_marker(&mut self, regs: &user_regs_struct, pc: u64) -> Result<(), Error> {
        if !self.has_windows() {
            return Ok(());
        }
        self.locate(pc)?;
        match self.guide.marker(pc) {
            Some(Marker::Begin) if !self.on => {
                let back = self.tracee.read_word(regs.rsp);
                self.guard(back);
                // Activations further in are over.
                self.windows.opening.retain(|own| own.0 > regs.rsp);
                self.windows.opening.push((regs.rsp.wrapping_add(8), back));
            }
            Some(Marker::End) if self.on && self.region.is_none() => self.switch(false),
            Some(Marker::Leave) if self.on && self.windows.inner == Some(regs.rsp) => {
                self.special(&Special::Closed)?;
                self.windows.inner = None;
                self.region = None;
                self.switch(false);
            }
            Some(Marker::Enter) if !self.on => self.enter(regs, pc)?,
            _ => {}
        }
        Ok(())
    }

    /// Something returned to `pc`, where a window begins if that was a function that begins one.
    pub(crate) fn begin_window(&mut self, regs: &user_regs_struct, pc: u64) -> Result<(), Error> {
        let opening = &mut self.windows.opening;
        let Some(at) = opening.iter().rposition(|own| *own == (regs.rsp, pc)) else { return Ok(()) };
        opening.truncate(at);
        if self.on {
            return Ok(());
        }
        self.switch(true);
        self.begin_amid(regs, pc)
    }

    /// Recording begins at `pc`, in the middle of an activation, and lasts no longer than that.
    fn enter(&mut self, regs: &user_regs_struct, pc: u64) -> Result<(), Error> {
        let Some(Activation { frame, .. }) = self.guide.activation(pc, regs.rsp, regs.rbp) else {
            self.count("loop of a function whose frame is not known");
            return Ok(());
        };
        let at = frame.wrapping_sub(8);
        let back = self.tracee.read_word(at);
        self.switch(true);
        self.windows.inner = Some(regs.rsp);
        self.region = Some((at, back));
        self.cache.guard_return(back, true);
        self.begin_amid(regs, pc)
    }

    /// Recording goes on at `pc`, in the middle of an activation that is not known yet. One further out is begun in its turn, when
    /// control returns to it.
    pub(crate) fn begin_amid(&mut self, regs: &user_regs_struct, pc: u64) -> Result<(), Error> {
        let found = self.guide.activation(pc, regs.rsp, regs.rbp);
        let Activation { entry, frame } = found.unwrap_or(Activation { entry: pc, frame: regs.rsp });
        self.outermost = Some(frame);
        self.special(&Special::Gap { instructions: 0, stack: frame.wrapping_sub(8) })?;
        self.special(&Special::ThreadBase(regs.fs_base))?;
        self.enter_function(entry)
    }
}
