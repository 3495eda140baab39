//! From pieces to reported dependences: what the sinks' iteration vectors are.

use crate::class::{Classes, NO_CHAIN};
use crate::iv::Iv;
use crate::query::{NO_CLASS, Piece};
use crate::{Client, DependenceRun, Kind, Stmt};

/// The iterations a piece's access numbers stand for.
#[derive(Clone, Copy)]
pub(crate) enum Sinks {
    /// Access `t` is iteration `first + t` along the lane.
    Each,
    /// The one access stands for all iterations of a constant address; the source stays the same.
    All(i64),
    /// The access stands for iterations 1 to n: sources of this record, at iteration 0 or `n`, are carried by one
    /// iteration or by none.
    Repeated(i64),
}

/// The access whose dependences are reported.
#[derive(Clone, Copy)]
pub(crate) struct Sink<'a> {
    pub stmt: Stmt,
    /// Iteration vector of access 0 (or iteration 0).
    pub iv: &'a Iv,
    pub lane: usize,
    pub sinks: Sinks,
}

impl Sink<'_> {
    /// Reports one source of access 0.
    #[inline]
    pub fn report_one(
        &self,
        client: &mut impl Client,
        kind: Kind,
        stmt: Stmt,
        iv: &Iv,
        address: u64,
        is_ours: impl Fn(Stmt) -> bool,
    ) {
        if let Sinks::Each = self.sinks {
            return client.single(kind, stmt, iv, self.stmt, self.iv, address);
        }
        let piece = Piece {
            t: 0,
            t_step: 1,
            count: 1,
            stmt,
            class: NO_CLASS,
            chain: NO_CHAIN,
            e: 0,
            e_step: 0,
            iv: *iv,
            step: Iv::ZERO,
            address,
            address_step: 0,
            width: 0,
        };
        self.report(client, kind, &piece, is_ours);
    }

    /// Reports a piece and the earlier readers of its chain.
    pub fn report_all(
        &self,
        client: &mut impl Client,
        kind: Kind,
        piece: &Piece,
        classes: &Classes,
        is_ours: impl Fn(Stmt) -> bool + Copy,
    ) {
        self.report(client, kind, piece, is_ours);
        for earlier in classes.chain(piece.chain) {
            let piece = Piece {
                stmt: earlier.stmt,
                iv: earlier.iv(&piece.iv, piece.e),
                step: piece.step.after(piece.e_step, &earlier.step),
                ..*piece
            };
            self.report(client, kind, &piece, is_ours);
        }
    }

    /// Reports a piece; `is_ours` says whether a statement belongs to the record being applied.
    #[inline]
    pub fn report(
        &self,
        client: &mut impl Client,
        kind: Kind,
        piece: &Piece,
        is_ours: impl Fn(Stmt) -> bool,
    ) {
        let constant = |count: i64, sink_iv: Iv, source_iv: Iv, source_step: Iv| DependenceRun {
            kind,
            source: piece.stmt,
            sink: self.stmt,
            source_iv,
            source_step,
            sink_iv,
            sink_step: Iv::along(self.lane, 1),
            count: count as u64,
            address: piece.address,
            address_step: 0,
        };
        let run = match self.sinks {
            Sinks::Each if piece.count == 1 => {
                let sink_iv = self.iv.advanced(self.lane, piece.t);
                return client.single(kind, piece.stmt, &piece.iv, self.stmt, &sink_iv, piece.address);
            }
            Sinks::Each => DependenceRun {
                kind,
                source: piece.stmt,
                sink: self.stmt,
                source_iv: piece.iv,
                source_step: piece.step,
                sink_iv: self.iv.advanced(self.lane, piece.t),
                sink_step: Iv::along(self.lane, piece.t_step),
                count: piece.count as u64,
                address: piece.address,
                address_step: piece.address_step,
            },
            Sinks::All(n) => constant(n, *self.iv, piece.iv, Iv::ZERO),
            Sinks::Repeated(n) => {
                let first = self.iv.advanced(self.lane, 1);
                let step = Iv::along(self.lane, 1);
                if is_ours(piece.stmt) && piece.iv == *self.iv {
                    constant(n, first, *self.iv, step)
                } else if is_ours(piece.stmt) && piece.iv == self.iv.advanced(self.lane, n) {
                    constant(n, first, first, step)
                } else {
                    constant(n, first, piece.iv, Iv::ZERO)
                }
            }
        };
        client.dependence(&run);
    }
}
