//! The code of a loop that is recorded once for all its iterations, and the tables of its record.
//!
//! Definition: the record's words are stored at the entry; the body runs without instrumentation, but for words that are
//! recorded in every iteration; each way out stores the induction value as of the last whole iteration, and its own number if
//! there are several. Where words are recorded in every iteration, the end of the record as of the start of the iteration is in P
//! if the body leaves a register free, else in a slot; each way out writes the length of the record into its header.
//!
//! Invariant: code that records words for an instruction may be run again from its start.

use std::sync::Arc;

use trace::block::{Address, Block, Folded, Leaves, Part, PartWord, Scaled};

use crate::asm::{RCX, RSP};
use crate::decode::Decoded;
use crate::emit::Emit;
use crate::error::Error;
use crate::fold::{Each, Induction, PREFERENCE, Plan, Turn, Word};
use crate::kept::Kept;
use crate::shared::{SLOT_P, SLOT_POINTER, SLOT_RUNNING, SLOT_S, SLOT_T, SLOT_U};
use crate::symbols::{Key, NEGATIVE};
use crate::translate::{Edge, LoopHead, Point, Running, Translation, empty};

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
    /// The jumps to be landed.
    from: Vec<usize>,
    /// Advance of the induction register at it.
    progress: i64,
    /// Where to; none if that is what lies at the stack pointer: a return.
    target: Option<u64>,
    /// Parts of the iteration that ran.
    parts: u16,
    /// Words recorded in the iteration so far.
    recorded: u16,
}

/// The words of the record that are written when a loop is left.
#[derive(Clone, Copy)]
struct Ending {
    register: u8,
    /// For the induction value.
    exit: u16,
    /// For the number of the way out.
    number: Option<u16>,
    /// Words before those of each iteration.
    words: u16,
}

/// Slots of the two registers that are borrowed to record words.
const BORROWED: [i32; 2] = [SLOT_T, SLOT_U];

/// The word of the record for a key.
fn of_entry(word: Word, words: &[u16]) -> u16 {
    match word {
        Word::Entry(k) | Word::Each(k) => words.get(k).copied().unwrap_or_default(),
    }
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
        let running =
            (plan.each() > 0).then_some(if plan.holds_p { Running::Register } else { Running::Slot });
        let mut entry = self.entry_words(plan);
        let exit = self.words;
        let number = plan.has_side_exits().then_some(exit + 1);
        let words = number.unwrap_or(exit) + 1;
        entry.strides.resize(usize::from(words), 0);
        if running.is_some() {
            // If the buffer ends before the last of these words, that must show here.
            self.code.store_constant(p, i32::from(words - 1) * 8, 0);
        }
        self.code.save(SLOT_POINTER, p);
        let begun = self.code.here();
        if running.is_some() {
            self.code.lea(p, p, i32::from(words) * 8);
        }
        if running == Some(Running::Slot) {
            self.code.save(SLOT_RUNNING, p);
        }
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
        self.words = words;
        let (sides, last) = self.body(body, starts, (plan, running), head)?;
        self.words = words;
        let end = self.code.here();
        let (mut exits, mut unfinished) = (Vec::new(), Vec::new());
        let register = entry.register;
        let ending = Ending { register, exit, number, words };
        unfinished.push(begun..end);
        if let Some(next) = last {
            self.leave_loop((plan, running), ending, 0, (0, 0));
            unfinished.push(end..self.code.here());
            exits.push(self.exit(None, next));
        }
        for (k, side) in sides.iter().enumerate() {
            let from = self.code.here();
            side.from.iter().for_each(|&from| self.code.land(from));
            if side.target.is_none() {
                self.code.restore(RCX, SLOT_T);
            }
            self.leave_loop((plan, running), ending, side.progress, (k as i32 + 1, side.recorded));
            unfinished.push(from..self.code.here());
            match side.target {
                Some(target) => exits.push(self.exit(None, target)),
                None => {
                    self.code.load(s, RSP, 0);
                    self.code.lea(RSP, RSP, 8);
                    self.through_table(Edge::Return);
                }
            }
        }
        let folded = Folded::new(entry.entry, exit, entry.step, entry.strides, entry.scaled);
        let mut folded = folded.with_each(plan.each());
        if let Some(number) = number {
            folded = folded.leaving(Leaves { number, parts: sides.iter().map(|side| side.parts).collect() });
        }
        let advancing = Some(Arc::new(folded.clone()));
        let block = match parts {
            [] => {
                self.operands_of(body, plan, &entry.words);
                Block { operands: std::mem::take(&mut self.operands), folded: Some(folded), ..empty() }
            }
            _ => {
                let parts = self.parts(body, (starts, parts), plan, (&entry.words, words))?;
                Block { parts, folded: Some(folded), ..empty() }
            }
        };
        Ok(Translation {
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
                runs: running,
            }),
            folded: advancing,
            unfinished,
            exits,
            code: self.code,
            ..Translation::plain(
                (p, s),
                block,
                words,
                body.last().map_or(self.request.pc, |d| d.raw.next_ip()),
            )
        })
    }

    /// The program's own instructions, around to the head. Gives the ways out in the middle, and where control goes on when
    /// the last branch leaves the loop, if it does.
    fn body(
        &mut self,
        body: &[Decoded],
        starts: &[usize],
        (plan, running): (&Plan, Option<Running>),
        head: u64,
    ) -> Result<(Vec<SideExit>, Option<u64>), Error> {
        let scratch = (plan.holds_p && running.is_none()).then_some(plan.p);
        let fixed = self.words;
        let mut sides = Vec::new();
        for (k, ((d, turn), &progress)) in body.iter().zip(&plan.turns).zip(&plan.progress).enumerate() {
            let is_last = k + 1 == body.len();
            self.index = k as u16;
            if let Some(running) = running {
                self.record_each(plan, running, d, progress);
            }
            let recorded = self.words - fixed;
            let parts = starts.partition_point(|&start| start <= k) as u16;
            let pushed = plan.kept.iter().find(|kept| kept.push == k);
            pushed.into_iter().for_each(|kept| self.code.save(kept.slot, kept.register));
            match *turn {
                Turn::None => self.instruction(d, scratch, progress)?,
                Turn::Jump | Turn::Leave { .. } => self.point(d, progress, [None; 2]),
                Turn::Call { back } => {
                    self.point(d, progress, [None; 2]);
                    self.code.push_constant(back);
                }
                Turn::Return { back } => {
                    let kept: Vec<Kept> =
                        plan.kept.iter().filter(|kept| kept.compare == k).copied().collect();
                    let from = self.go_back(d, progress, back, &kept);
                    sides.push(SideExit { from, progress, target: None, parts, recorded });
                }
            }
            if is_last {
                if let Some(running) = running {
                    self.next_iteration(plan, running, recorded);
                }
                if plan.holds_s {
                    self.code.lea(plan.s, plan.s, 1);
                }
            }
            match *turn {
                Turn::Leave { condition, target } if is_last => {
                    // The lowest bit of a condition negates it.
                    self.code.jump_to(Some(condition ^ 1), head);
                    return Ok((sides, Some(target)));
                }
                Turn::Leave { condition, target } => {
                    let from = vec![self.code.jump_ahead(condition)];
                    sides.push(SideExit { from, progress, target: Some(target), parts, recorded });
                }
                Turn::None | Turn::Jump | Turn::Call { .. } | Turn::Return { .. } => {}
            }
        }
        self.code.jump_to(None, head);
        Ok((sides, None))
    }

    pub(crate) fn point(&mut self, d: &Decoded, progress: i64, borrowed: [Option<u8>; 2]) {
        let (offset, pc) = (self.code.bytes.len() as u32, d.raw.ip());
        self.points.push(Point { offset, pc, words: self.words, progress, index: self.index, borrowed });
    }

    /// Stores the words to be recorded before an instruction, in every iteration.
    fn record_each(&mut self, plan: &Plan, running: Running, d: &Decoded, progress: i64) {
        let here = |e: &&Each| e.before == usize::from(self.index);
        let each: Vec<Each> = plan.each.iter().filter(here).copied().collect();
        if each.is_empty() {
            return;
        }
        let mut taken = 1u16 << RSP | 1 << plan.p;
        if plan.holds_s {
            taken |= 1 << plan.s;
        }
        for r in each.iter().flat_map(|e| [e.base, e.index.map(|i| i.0)]).flatten() {
            taken |= 1 << r;
        }
        let mut others = PREFERENCE.into_iter().chain([0, 1]).filter(|r| taken >> r & 1 == 0);
        let has_sums = each.iter().any(|e| e.index.is_some());
        let pointer = if running == Running::Slot { others.next() } else { None };
        let sum = if has_sums { others.next() } else { None };
        let borrowed = [pointer, sum];
        self.point(d, progress, borrowed);
        let at = plan.each.iter().position(|e| e.before == usize::from(self.index)).unwrap_or_default();
        for (r, slot) in borrowed.into_iter().zip(BORROWED) {
            r.into_iter().for_each(|r| self.code.save(slot, r));
        }
        pointer.into_iter().for_each(|r| self.code.restore(r, SLOT_RUNNING));
        let to = pointer.unwrap_or(plan.p);
        for (e, j) in each.iter().zip(at as i32..) {
            let register = match (*e, sum) {
                (Each { index: None, base: Some(base), .. }, _) => base,
                (Each { base, index, .. }, Some(sum)) => {
                    self.code.lea_full(sum, base, index, 0, false);
                    sum
                }
                (Each { .. }, None) => continue,
            };
            self.code.store(to, j * 8, register);
            self.words += 1;
        }
        for (r, slot) in borrowed.into_iter().zip(BORROWED) {
            r.into_iter().for_each(|r| self.code.restore(r, slot));
        }
    }

    /// At the end of an iteration, the end of the record is after its words.
    fn next_iteration(&mut self, plan: &Plan, running: Running, recorded: u16) {
        let (p, by) = (plan.p, i32::from(recorded) * 8);
        match running {
            Running::Register => self.code.lea(p, p, by),
            Running::Slot => {
                self.code.save(SLOT_T, p);
                self.code.restore(p, SLOT_RUNNING);
                self.code.lea(p, p, by);
                self.code.save(SLOT_RUNNING, p);
                self.code.restore(p, SLOT_T);
            }
        }
    }

    /// Takes P and S back and completes the record: the induction value before `progress`, and the number of the way out.
    /// So many words were recorded in the iteration that is left.
    fn leave_loop(
        &mut self,
        (plan, running): (&Plan, Option<Running>),
        ending: Ending,
        progress: i64,
        (number, recorded): (i32, u16),
    ) {
        let Ending { register, exit, number: number_word, words } = ending;
        let (p, s) = (plan.p, plan.s);
        if !plan.holds_p {
            self.code.save(SLOT_P, p);
        }
        if !plan.holds_s {
            self.code.save(SLOT_S, s);
        }
        match running {
            Some(Running::Slot) => self.code.restore(p, SLOT_RUNNING),
            Some(Running::Register) | None => {}
        }
        if running.is_some() {
            self.code.lea(p, p, i32::from(recorded) * 8);
            self.code.save(SLOT_RUNNING, p);
        }
        self.code.restore(p, SLOT_POINTER);
        let value = match i32::try_from(progress.wrapping_neg()) {
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
        if let Some(word) = number_word {
            self.code.store_constant(p, i32::from(word) * 8, number);
        }
        if running.is_none() {
            self.code.lea(p, p, i32::from(words) * 8);
            return;
        }
        // The bytes after the first words: end - start - those words, without touching the flags.
        self.code.copy(s, p);
        self.code.not(s);
        self.code.restore(p, SLOT_RUNNING);
        self.code.lea_full(s, Some(s), Some((p, 1)), 1 - i32::from(words) * 8, false);
        self.code.restore(p, SLOT_POINTER);
        self.code.store_half(p, 4, s);
        self.code.restore(p, SLOT_RUNNING);
    }

    /// Recipes of the operands of a loop that is one block.
    fn operands_of(&mut self, body: &[Decoded], plan: &Plan, words: &[u16]) {
        let mut recipes = plan.recipes.iter();
        for (k, d) in body.iter().enumerate() {
            for (m, &(word, delta)) in d.memory.iter().zip(recipes.by_ref()) {
                let word = word.map(|word| of_entry(word, words));
                let address = match (word, m.segment) {
                    (None, false) => Address::Constant(delta as u64),
                    (Some(word), false) => Address::Word { word, delta },
                    (word, true) => Address::Segment { word, delta },
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
        (words, fixed): (&[u16], u16),
    ) -> Result<Vec<Part>, Error> {
        let mut recipes = plan.recipes.iter();
        let ends = starts.iter().skip(1).copied().chain([body.len()]);
        let mut out = Vec::with_capacity(parts.len());
        for ((&start, end), block) in starts.iter().zip(ends).zip(parts) {
            let memory = body.get(start..end).unwrap_or_default().iter().flat_map(|d| &d.memory);
            let mut found: Vec<Option<PartWord>> = vec![None; usize::from(block.words) - 1];
            if let Some(result) = block.result.and_then(|word| found.get_mut(usize::from(word) - 1)) {
                *result = Some(PartWord { word: None, delta: 0 });
            }
            for ((_, &(word, constant)), operand) in memory.zip(recipes.by_ref()).zip(&block.operands) {
                let (Address::Word { word: to, delta } | Address::Segment { word: Some(to), delta }) =
                    operand.address
                else {
                    continue;
                };
                let from = word.map(|word| match word {
                    Word::Entry(_) => of_entry(word, words),
                    Word::Each(k) => fixed + k as u16,
                });
                let word = PartWord { word: from, delta: constant.wrapping_sub(delta) };
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
