//! The code of a loop that is recorded once for all its iterations, and the tables of its record.
//!
//! Definition: the record's words are stored at the entry; the body runs without instrumentation; each way out stores the
//! induction value as of the last whole iteration, and its own number if there are several.

use trace::block::{Address, Block, Folded, Leaves, Part, PartWord, Scaled};

use crate::decode::Decoded;
use crate::emit::Emit;
use crate::error::Error;
use crate::fold::{Induction, Plan, Turn};
use crate::shared::{SLOT_P, SLOT_POINTER, SLOT_S};
use crate::symbols::{Key, NEGATIVE};
use crate::translate::{LoopHead, Point, Translation, empty};

/// What is stored at the entry of a loop.
struct Entry {
    /// Words of the plan's keys.
    words: Vec<u16>,
    /// Constant advance of every word.
    strides: Vec<i64>,
    scaled: Vec<Scaled>,
    /// Word of the induction register.
    entry: u16,
    register: u8,
    step: i64,
}

/// A way out in the middle of an iteration.
struct SideExit {
    /// The jump to be landed.
    from: usize,
    /// Advance of the induction register at it.
    progress: i64,
    target: u64,
    /// Parts of the iteration that ran.
    parts: u16,
}

impl Emit<'_> {
    /// A loop through the blocks of `body` that begin at `starts`, in order; `parts` are their tables, none if the loop is
    /// one block.
    pub(crate) fn folded(
        mut self,
        body: &[Decoded],
        starts: &[usize],
        parts: &[Block],
        plan: &Plan,
    ) -> Result<Translation, Error> {
        let (p, s) = (plan.p, plan.s);
        let mut entry = self.entry_words(plan);
        let exit = self.words;
        let number = plan.has_side_exits().then_some(exit + 1);
        let words = number.unwrap_or(exit) + 1;
        entry.strides.resize(usize::from(words), 0);
        self.code.save(SLOT_POINTER, p);
        if !plan.holds_p {
            self.code.restore(p, SLOT_P);
        }
        if plan.holds_s {
            self.code.constant(s, 0);
        } else {
            self.code.restore(s, SLOT_S);
        }
        self.code.align(16);
        let head = self.code.here();
        let (sides, last) = self.body(body, starts, plan, head)?;
        let end = self.code.here();
        let mut exits = Vec::new();
        let register = entry.register;
        if let Some(next) = last {
            self.leave_loop(plan, register, (exit, 0), number.map(|w| (w, 0)));
            exits.push(self.exit(None, next));
        }
        for (k, side) in sides.iter().enumerate() {
            self.code.land(side.from);
            self.leave_loop(plan, register, (exit, side.progress), number.map(|w| (w, k as i32 + 1)));
            exits.push(self.exit(None, side.target));
        }
        let mut folded = Folded::new(entry.entry, exit, entry.step, entry.strides, entry.scaled);
        if let Some(number) = number {
            folded = folded.leaving(Leaves { number, parts: sides.iter().map(|side| side.parts).collect() });
        }
        let block = match parts {
            [] => {
                self.operands_of(body, plan, &entry.words);
                Block { operands: std::mem::take(&mut self.operands), folded: Some(folded), ..empty() }
            }
            _ => {
                let parts = self.parts(body, (starts, parts), plan, &entry.words)?;
                Block { parts, folded: Some(folded), ..empty() }
            }
        };
        Ok(Translation {
            fast: 0,
            pair: (p, s),
            words,
            block: Some(block),
            parts: parts.to_vec(),
            points: self.points,
            fold: Some(LoopHead {
                at: head,
                end,
                register,
                step: entry.step,
                entry: entry.entry,
                exit,
                words,
                holds_p: plan.holds_p,
                holds_s: plan.holds_s,
            }),
            counters: None,
            exits,
            trap: None,
            resumed: None,
            returns: None,
            end: body.last().map_or(self.request.pc, |d| d.raw.next_ip()),
            code: self.code,
        })
    }

    /// The program's own instructions, around to the head. Gives the ways out in the middle, and where control goes on when
    /// the last branch leaves the loop, if it does.
    fn body(
        &mut self,
        body: &[Decoded],
        starts: &[usize],
        plan: &Plan,
        head: u64,
    ) -> Result<(Vec<SideExit>, Option<u64>), Error> {
        let scratch = plan.holds_p.then_some(plan.p);
        let mut sides = Vec::new();
        for (k, ((d, turn), &progress)) in body.iter().zip(&plan.turns).zip(&plan.progress).enumerate() {
            let is_last = k + 1 == body.len();
            if *turn == Turn::None {
                self.instruction(d, scratch, progress)?;
            } else {
                let offset = self.code.bytes.len() as u32;
                let (pc, words) = (d.raw.ip(), self.words);
                self.points.push(Point { offset, pc, words, progress, borrowed: None });
            }
            if is_last && plan.holds_s {
                self.code.lea(plan.s, plan.s, 1);
            }
            match *turn {
                Turn::Leave { condition, target } if is_last => {
                    // The lowest bit of a condition negates it.
                    self.code.jump_to(Some(condition ^ 1), head);
                    return Ok((sides, Some(target)));
                }
                Turn::Leave { condition, target } => {
                    let from = self.code.jump_ahead(condition);
                    let parts = starts.partition_point(|&start| start <= k) as u16;
                    sides.push(SideExit { from, progress, target, parts });
                }
                Turn::None | Turn::Jump => {}
            }
        }
        self.code.jump_to(None, head);
        Ok((sides, None))
    }

    /// Takes P and S back and completes the record: the induction value before `progress`, and the number of the way out.
    fn leave_loop(
        &mut self,
        plan: &Plan,
        register: u8,
        (exit, progress): (u16, i64),
        number: Option<(u16, i32)>,
    ) {
        let (p, s) = (plan.p, plan.s);
        if !plan.holds_p {
            self.code.save(SLOT_P, p);
        }
        if !plan.holds_s {
            self.code.save(SLOT_S, s);
        }
        self.code.restore(p, SLOT_POINTER);
        let value = match i32::try_from(-progress) {
            Ok(0) => register,
            Ok(back) => {
                self.code.lea(s, register, back);
                s
            }
            Err(_) => {
                self.code.constant(s, progress.wrapping_neg() as u64);
                self.code.lea_full(s, Some(s), Some((register, 1)), 0, false);
                s
            }
        };
        self.code.store(p, i32::from(exit) * 8, value);
        if let Some((word, number)) = number {
            self.code.store_constant(p, i32::from(word) * 8, number);
        }
        let words = number.map_or(exit, |n| n.0) + 1;
        self.code.lea(p, p, i32::from(words) * 8);
    }

    /// Recipes of the operands of a loop that is one block.
    fn operands_of(&mut self, body: &[Decoded], plan: &Plan, words: &[u16]) {
        let mut recipes = plan.recipes.iter();
        for (k, d) in body.iter().enumerate() {
            for (m, &(word, delta)) in d.memory.iter().zip(recipes.by_ref()) {
                let address = match (word, m.segment) {
                    (None, false) => Address::Constant(delta as u64),
                    (Some(w), false) => Address::Word { word: words[w], delta },
                    (w, true) => Address::Segment { word: w.map(|w| words[w]), delta },
                };
                self.operand(k, m, m.size, address);
            }
        }
    }

    /// How the words of the parts follow from those of the loop: both give the same addresses.
    fn parts(
        &self,
        body: &[Decoded],
        (starts, parts): (&[usize], &[Block]),
        plan: &Plan,
        words: &[u16],
    ) -> Result<Vec<Part>, Error> {
        let mut recipes = plan.recipes.iter();
        let ends = starts.iter().skip(1).copied().chain([body.len()]);
        let mut out = Vec::with_capacity(parts.len());
        for ((&start, end), block) in starts.iter().zip(ends).zip(parts) {
            let memory = body.get(start..end).unwrap_or_default().iter().flat_map(|d| &d.memory);
            let mut found: Vec<Option<PartWord>> = vec![None; usize::from(block.words) - 1];
            for ((_, &(word, constant)), operand) in memory.zip(recipes.by_ref()).zip(&block.operands) {
                let (Address::Word { word: to, delta } | Address::Segment { word: Some(to), delta }) =
                    operand.address
                else {
                    continue;
                };
                let word = PartWord { word: word.map(|w| words[w]), delta: constant.wrapping_sub(delta) };
                if let Some(to) = found.get_mut(usize::from(to) - 1) {
                    *to = Some(word);
                }
            }
            let words: Option<Vec<PartWord>> = found.into_iter().collect();
            let words = words.ok_or_else(|| self.broken("a word that no operand of a loop needs"))?;
            out.push(Part { block: block.id, words });
        }
        Ok(out)
    }

    /// Stores what the record holds of the loop at its entry.
    fn entry_words(&mut self, plan: &Plan) -> Entry {
        let (p, s) = (plan.p, plan.s);
        let mut words = Vec::with_capacity(plan.keys.len());
        let mut strides = vec![0i64];
        for (key, &stride) in plan.keys.iter().zip(&plan.strides) {
            let word = match *key {
                Key { base: Some(r), index: None, .. } if r & NEGATIVE == 0 => self.store_word(r as u8),
                Key { base, index, scale } => {
                    // At most one part is negative; -r is !r + 1.
                    let mut constant = 0;
                    let mut part = |o: u32, scale: u8| {
                        if o & NEGATIVE == 0 {
                            return o as u8;
                        }
                        self.code.copy(s, (o & !NEGATIVE) as u8);
                        self.code.not(s);
                        constant = i32::from(scale);
                        s
                    };
                    let base = base.map(|o| part(o, 1));
                    let index = index.map(|o| (part(o, scale), scale));
                    self.code.lea_full(s, base, index, constant, false);
                    self.store_word(s)
                }
            };
            words.push(word);
            strides.push(stride);
        }
        let (register, step) = match plan.induction {
            Induction::Register(r, step) => (r, step),
            Induction::Counter => (s, 1),
        };
        let simple =
            |r: u8| plan.keys.iter().position(|k| *k == Key { base: Some(r.into()), index: None, scale: 1 });
        let entry = match plan.induction {
            Induction::Register(r, _) if let Some(k) = simple(r) => words[k],
            Induction::Register(r, _) => {
                strides.push(step);
                self.store_word(r)
            }
            Induction::Counter => {
                strides.push(step);
                let word = self.words;
                self.code.store_constant(p, i32::from(word) * 8, 0);
                self.words += 1;
                word
            }
        };
        let mut scaled: Vec<Scaled> = Vec::with_capacity(plan.scaled.len());
        let mut registers: Vec<(u8, u16)> = Vec::new();
        for &(k, r, factor) in &plan.scaled {
            let by = match simple(r)
                .map(|k| words[k])
                .or_else(|| registers.iter().find(|x| x.0 == r).map(|x| x.1))
            {
                Some(word) => word,
                None => {
                    strides.push(0);
                    let word = self.store_word(r);
                    registers.push((r, word));
                    word
                }
            };
            scaled.push(Scaled { word: words[k], by, factor });
        }
        Entry { words, strides, scaled, entry, register, step }
    }
}
