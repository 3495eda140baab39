//! Which directives hold: all together first, and by halves where they do not.

use crate::bench::{Bench, Effort, Evaluation, Plan};
use crate::edit::{Candidate, patch};
use crate::error::Error;
use crate::outcome::{Fate, Held, Identity, Outcome, Races, Reason, SCHEMA, Tried};
use crate::races;

/// Directives beyond which they are not measured one by one.
const MOST_ALONE: usize = 12;

/// What is known so far.
struct State {
    fates: Vec<Fate>,
    measured: Vec<Option<Held>>,
    alone: Vec<bool>,
}

impl State {
    fn drop(&mut self, candidate: usize, reason: Reason) {
        self.fates[candidate] = Fate::Dropped(reason);
    }

    fn kept(&self) -> Vec<usize> {
        (0..self.fates.len()).filter(|&at| self.fates[at] == Fate::Kept).collect()
    }

    /// What a directive alone did.
    fn note(&mut self, candidate: usize, found: Evaluation) {
        (self.measured[candidate], self.alone[candidate]) = (found.measured, true);
        if let Some(reason) = found.failure {
            self.drop(candidate, reason);
        }
    }
}

/// Tries directives; `say` hears with how many of them a program is built and run next. Gives what became of them, and a patch of those
/// that held.
///
/// # Errors
/// See [`Error`].
pub fn attempt(
    plan: &Plan,
    candidates: &[Candidate],
    profile: Identity,
    interrupted: &dyn Fn() -> bool,
    say: &mut dyn FnMut(usize),
) -> Result<(Outcome, Vec<u8>), Error> {
    let mut bench = Bench::new(plan, candidates, interrupted)?;
    let count = candidates.len();
    let mut state =
        State { fates: vec![Fate::Kept; count], measured: vec![None; count], alone: vec![false; count] };
    for at in 0..count {
        if let Some(why) = bench.not_applied(at) {
            state.drop(at, Reason::NotApplied(why));
        }
    }
    holding(&mut bench, &mut state, say)?;
    one_by_one(&mut bench, &mut state, say)?;
    let mut together = finally(&mut bench, &mut state, say)?;
    let mut races: Option<Races> = None;
    while plan.sanitize && together.is_some() {
        let kept = state.kept();
        say(kept.len());
        let (found, seen) = races::look(&mut bench, &kept)?;
        races = Some(seen);
        if found.is_empty() {
            break;
        }
        for (candidate, lines) in found {
            state.drop(candidate, Reason::Race(lines));
        }
        together = finally(&mut bench, &mut state, say)?;
    }
    let kept = state.kept();
    let changes = bench.changes(&kept);
    let patch = patch(changes.iter().map(|(name, before, after)| (name.as_str(), &before[..], &after[..])));
    let directives = candidates
        .iter()
        .zip(state.fates)
        .zip(state.measured.into_iter().zip(state.alone))
        .map(|((candidate, fate), (measured, alone))| Tried {
            loop_id: candidate.loop_id.clone(),
            file: candidate.file.to_string_lossy().into_owned(),
            line: candidate.line,
            directive: candidate.text.clone(),
            fate,
            measured,
            alone,
        })
        .collect();
    let outcome = Outcome {
        schema: SCHEMA.to_owned(),
        profile,
        build: plan.build.clone(),
        run: plan.run.clone(),
        threads: plan.threads.clone(),
        rounds: plan.rounds,
        comparison: plan.comparison.clone(),
        original: bench.original(),
        together,
        races,
        directives,
    };
    Ok((outcome, patch))
}

/// Drops directives until those left hold together, as far as a quick look tells.
fn holding(bench: &mut Bench, state: &mut State, say: &mut dyn FnMut(usize)) -> Result<(), Error> {
    let kept = state.kept();
    if kept.len() < 2 {
        return Ok(());
    }
    say(kept.len());
    let Some(failure) = bench.evaluate(&kept, Effort::Quick)?.failure else { return Ok(()) };
    if failure == Reason::NoOpenMp {
        kept.into_iter().for_each(|at| state.drop(at, Reason::NoOpenMp));
        return Ok(());
    }
    // What OpenMP alone does, with the directives that the source has already.
    say(0);
    let is_slow = |reason: &Reason| *reason == Reason::Slower;
    if let Some(reason) = bench.evaluate(&[], Effort::Quick)?.failure.filter(|reason| !is_slow(reason)) {
        kept.into_iter().for_each(|at| state.drop(at, reason.clone()));
        return Ok(());
    }
    halves(bench, state, &kept, say)
}

/// Finds the culprits in a set that does not hold.
fn halves(
    bench: &mut Bench,
    state: &mut State,
    set: &[usize],
    say: &mut dyn FnMut(usize),
) -> Result<(), Error> {
    if let [one] = set {
        let found = bench.evaluate(set, Effort::Full)?;
        state.note(*one, found);
        return Ok(());
    }
    let (first, second) = set.split_at(set.len() / 2);
    let mut are_both_well = true;
    for half in [first, second] {
        say(half.len());
        // Of one the measurement is wanted anyway.
        let is_well = half.len() > 1 && bench.evaluate(half, Effort::Quick)?.failure.is_none();
        if !is_well {
            halves(bench, state, half, say)?;
            are_both_well &= half.iter().all(|&at| state.fates[at] == Fate::Kept);
        }
    }
    if are_both_well {
        // They do not go together: each joins those before it, if it can.
        let mut joined = first.to_vec();
        for &at in second {
            joined.push(at);
            say(joined.len());
            if bench.evaluate(&joined, Effort::Quick)?.failure.is_some() {
                joined.pop();
                state.drop(at, Reason::Together);
            }
        }
    }
    Ok(())
}

/// Measures each directive that is kept alone: one that costs must not hide behind one that helps.
fn one_by_one(bench: &mut Bench, state: &mut State, say: &mut dyn FnMut(usize)) -> Result<(), Error> {
    let kept = state.kept();
    if !(2..=MOST_ALONE).contains(&kept.len()) {
        return Ok(());
    }
    for at in kept {
        if !state.alone[at] {
            say(1);
            let found = bench.evaluate(&[at], Effort::Full)?;
            state.note(at, found);
        }
    }
    Ok(())
}

/// Measures what is kept together, and drops what does not hold after all.
fn finally(bench: &mut Bench, state: &mut State, say: &mut dyn FnMut(usize)) -> Result<Option<Held>, Error> {
    loop {
        let kept = state.kept();
        if kept.is_empty() {
            return Ok(None);
        }
        if let ([one], Some(measured)) = (&kept[..], kept.first().and_then(|&at| state.measured[at].clone()))
            && state.alone[*one]
        {
            return Ok(Some(measured));
        }
        say(kept.len());
        let found = bench.evaluate(&kept, Effort::Full)?;
        match found.failure {
            None => {
                for &at in &kept {
                    if !state.alone[at] {
                        state.measured[at].clone_from(&found.measured);
                        state.alone[at] = kept.len() == 1;
                    }
                }
                return Ok(found.measured);
            }
            Some(reason) => {
                if let [one] = kept[..] {
                    state.note(one, Evaluation { failure: Some(reason), measured: found.measured });
                    continue;
                }
                let before = kept.len();
                if reason != Reason::Slower {
                    halves(bench, state, &kept, say)?;
                }
                // The one that gained least goes if nothing else tells.
                let gain = |at: &usize| {
                    state.measured[*at].as_ref().and_then(Held::best).map_or(0.0, |b| b.times.median)
                };
                let least = kept.iter().copied().min_by(|a, b| gain(a).total_cmp(&gain(b)));
                if state.kept().len() == before
                    && let Some(least) = least
                {
                    state.drop(least, Reason::Together);
                }
            }
        }
    }
}
