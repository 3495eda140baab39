//! A function analysed as it is asked for.
//!
//! What is said of a candidate rests on the accesses with the values that inputs are given or had in the run, if there are any; beside
//! them stand the same ones in terms of inputs, for expressions.

use super::candidate::{Candidate, Friendly, candidates};
use super::kept::{Kept, Kernel, kept};
use super::parameters::Parameters;
use super::show::{Asked, line_of};
use crate::access::Accesses;
use crate::calls::Cone;
use crate::control::{Control, LoopId};
use crate::instantiate::Instance;
use crate::ir::Module;
use crate::memory::effects::Summaries;
use crate::recurrence::Given;

/// A function.
#[derive(Debug)]
pub struct Analysed<'f> {
    /// The module.
    pub module: &'f Module,
    /// Its control flow.
    pub control: &'f Control,
    /// Its accesses, with values for inputs.
    pub accesses: Accesses<'f>,
    /// The same in terms of inputs, where these have values.
    pub symbolic: Option<Accesses<'f>>,
    /// What the run says about inputs.
    pub instance: Instance,
}

impl<'f> Analysed<'f> {
    fn new(module: &'f Module, cone: &'f Cone, control: &'f Control, asked: Asked<'_>) -> Analysed<'f> {
        let mut summaries = Summaries::default();
        let mut with =
            |given: &Given| Accesses::with_values(module, &cone.function, control, &mut summaries, given);
        let mut symbolic = with(&Given::default());
        let instance = Instance::new(module, control, &mut symbolic, asked.observed, asked.given);
        if !instance.has_values() {
            return Analysed { module, control, accesses: symbolic, symbolic: None, instance };
        }
        let accesses = with(&instance.given);
        Analysed { module, control, accesses, symbolic: Some(symbolic), instance }
    }

    /// What each of the candidates needs that can run on a device; nothing for the others.
    pub fn needs(&mut self, candidates: &[Candidate]) -> Vec<Option<Needs>> {
        let mut all: Vec<Option<Needs>> =
            candidates.iter().map(|candidate| self.needs_of(candidate)).collect();
        let kernels: Vec<Kernel<'_>> = candidates
            .iter()
            .zip(&all)
            .enumerate()
            .filter_map(|(at, (candidate, needs))| Some((at, candidate, &needs.as_ref()?.parameters)))
            .collect();
        for (at, list) in kept(self.module, self.control, &mut self.accesses, &kernels) {
            if let Some(Some(needs)) = all.get_mut(at) {
                needs.kept = list;
            }
        }
        all
    }

    fn needs_of(&mut self, candidate: &Candidate) -> Option<Needs> {
        let is_shown = candidate.friendly != Friendly::No && !candidate.is_inside;
        let loops = Some(&candidate.loops).filter(|_| is_shown)?;
        let parameters = Parameters::new(self.module, self.control, &mut self.accesses, loops);
        let symbolic = self.symbolic.as_mut();
        let symbolic = symbolic.map(|accesses| Parameters::new(self.module, self.control, accesses, loops));
        Some(Needs { parameters, symbolic, kept: Vec::new() })
    }
}

/// What a kernel needs.
#[derive(Debug, Clone)]
pub struct Needs {
    /// What goes in and comes out, with values for inputs.
    pub parameters: Parameters,
    /// The same in terms of inputs, where these have values.
    pub symbolic: Option<Parameters>,
    /// What is on the device already.
    pub kept: Vec<Kept>,
}

/// Looks at a function and the candidates in it that are asked for, outermost loops first.
pub fn with_candidates<T>(
    module: &Module,
    cone: &Cone,
    asked: Asked<'_>,
    look: impl FnOnce(&mut Analysed<'_>, &[Candidate]) -> T,
) -> T {
    let control = Control::new(&cone.function);
    let mut analysed = Analysed::new(module, cone, &control, asked);
    let mut found = candidates(module, cone, &control, &mut analysed.accesses, asked.observed);
    found.retain(|candidate| {
        let start = candidate.loops.first().and_then(|&id| line_of(module, &control, id));
        asked.line.is_none_or(|line| start == Some(line))
    });
    if asked.line.is_some() {
        // A loop that is asked for by its line stands for itself.
        found.iter_mut().for_each(|candidate| candidate.is_inside = false);
    } else {
        // The loops of a nest are said with it.
        let of_nests: Vec<LoopId> =
            found.iter().flat_map(|candidate| candidate.loops.iter().skip(1)).copied().collect();
        let is_said = |id: &LoopId| of_nests.contains(id);
        found.retain(|candidate| !candidate.is_inside || !candidate.loops.first().is_some_and(is_said));
    }
    look(&mut analysed, &found)
}
