//! What is tried in turn, until a schedule is found that respects all dependences (polyhedral note, "Strategy ladder").

use std::cell::LazyCell;

use isl::worker::{Failure, Limits, Worker};
use isl::{Algorithm, Fusion, Problem, Schedule, Tree};
use profile::Profile;

use super::check::{self, Checked, Violation, check};
use super::outline::{Node, outline};
use super::problem::{Formulated, formulate};
use super::region::Region;
use super::replay::Replay;
use super::sequence::{Step, Target, sequence};
use super::weighed;
use crate::SourceLoop;
use crate::options::{Advice, Machine};

/// Statements beyond which the first rung is not tried, of up to two and of more loops.
const MOST_STATEMENTS: [usize; 2] = [30, 10];
/// Statements beyond which isl is not asked at all.
const MOST_AT_ALL: usize = 250;
/// Most processor time of one rung, in seconds.
const RUNG: u64 = 10;

/// What isl may use for one program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Processor time, in seconds, shared evenly by the regions.
    pub seconds: u64,
    /// Address space of each process, in bytes.
    pub bytes: u64,
    /// What is fused.
    pub fusion: Fusion,
    /// Pairs of each piece of a dependence with which a schedule is compared.
    pub pairs: u64,
    /// What its legal orders are weighed for.
    pub machine: Machine,
    /// Code is written even if it is not expected to pay.
    pub regardless: bool,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            seconds: 60,
            bytes: 2 << 30,
            fusion: Fusion::Smart,
            pairs: check::PAIRS,
            machine: Machine::default(),
            regardless: false,
        }
    }
}

/// How far down the ladder a schedule was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rung {
    /// Bands, with statements that pass values kept near one another.
    Bands,
    /// Bands.
    WithoutProximity,
    /// Feautrier's scheduler: nothing is known about tiling.
    Feautrier,
}

impl Rung {
    /// All, in the order in which they are tried.
    pub const ALL: [Rung; 3] = [Rung::Bands, Rung::WithoutProximity, Rung::Feautrier];

    /// What isl is asked at this rung.
    pub fn problem(self, problem: &Problem, fusion: Fusion) -> Problem {
        let mut attempt = Problem { fusion, ..problem.clone() };
        if self != Rung::Bands {
            attempt.proximity = String::new();
        }
        if self == Rung::Feautrier {
            attempt.algorithm = Algorithm::Feautrier;
        }
        attempt
    }
}

/// What a region could become.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The region.
    pub region: Region,
    /// The rung and the transformed region, or why there is none.
    pub found: Result<(Rung, Vec<Node>), String>,
    /// The core transformations that lead to it.
    pub sequence: Vec<Step>,
    /// What was tried before, and why it failed.
    pub failed: Vec<(Rung, String)>,
    /// Pairs of iterations with which the schedule was compared, beside what isl says of it.
    pub checked: Checked,
    /// Which legal order is preferred, and what it is expected to gain; `None` if that cannot be estimated.
    pub advice: Option<Advice>,
}

/// Asks isl what each region could become.
pub fn propose(
    profile: &Profile,
    loops: &[SourceLoop],
    regions: Vec<Region>,
    worker: &Worker,
    budget: Budget,
) -> Vec<Proposal> {
    let each = budget.seconds / (regions.len() as u64).max(1);
    regions
        .into_iter()
        .map(|region| one(profile, loops, region, worker, Budget { seconds: each, ..budget }))
        .collect()
}

fn one(profile: &Profile, loops: &[SourceLoop], region: Region, worker: &Worker, budget: Budget) -> Proposal {
    let mut failed = Vec::new();
    let mut checked = Checked::default();
    let mut steps = Vec::new();
    let mut advice = None;
    let found = match formulate(profile, loops, &region) {
        Err(unfit) => Err(unfit.to_string()),
        Ok(formulated) if formulated.statements.len() > MOST_AT_ALL => {
            Err(format!("{} statements; at most {MOST_AT_ALL} are scheduled", formulated.statements.len()))
        }
        Ok(formulated) => {
            let dims = |&(block, _): &(u32, _)| {
                profile.contexts[profile.blocks[block as usize].context as usize].dims
            };
            let deep = formulated.statements.iter().map(dims).max().unwrap_or(0) > 2;
            let few = formulated.statements.len() <= MOST_STATEMENTS[usize::from(deep)];
            // What was recorded is gathered when the first order is there.
            let replay = LazyCell::new(|| Replay::new(profile, loops, &region, &formulated));
            let is_right = |tree: &Tree| {
                let checked = check(profile, &formulated, tree, budget.pairs)?;
                Ok(Checked { replayed: replay.check(tree)?, ..checked })
            };
            let weigh =
                |tree: &Tree| weighed::preferred(profile, loops, &region, &formulated, tree, &budget.machine);
            let scheduled = climb(&formulated, few, worker, budget, (&is_right, &mut failed));
            scheduled.map(|(mut rung, schedule, pairs)| {
                checked = pairs;
                let mut tree = schedule.tree;
                let mut preferred = weigh(&tree);
                // Statements that share a loop at different times have no order of loops to choose; each in loops of its own has.
                if !matches!(preferred, Some((_, Some(_))))
                    && budget.fusion == Fusion::Smart
                    && formulated.statements.len() > 1
                {
                    let apart = Budget { fusion: Fusion::Apart, seconds: budget.seconds / 2, ..budget };
                    if let Ok((other, schedule, pairs)) =
                        climb(&formulated, few, worker, apart, (&is_right, &mut Vec::new()))
                    {
                        let own = weigh(&schedule.tree);
                        if matches!(&own, Some((_, Some(advice))) if advice.pays()) {
                            (rung, tree, checked, preferred) = (other, schedule.tree, pairs, own);
                        }
                    }
                }
                if let Some((permuted, own)) = preferred {
                    advice = own;
                    if permuted != tree
                        && let Ok(again) = is_right(&permuted)
                    {
                        (tree, checked) = (permuted, again);
                    }
                }
                let nodes = outline(profile, loops, &formulated.statements, &tree);
                let target = Target { nodes: &nodes, is_tiled: true, has_diagonals: true };
                steps = sequence(profile, loops, &region, &formulated.sorted, target);
                (rung, nodes)
            })
        }
    };
    Proposal { region, found, sequence: steps, failed, checked, advice }
}

/// Whether an order respects what was recorded, and what was compared.
pub(crate) type IsRight<'a> = dyn Fn(&Tree) -> Result<Checked, Violation> + 'a;

/// The first rung that gives a schedule which respects all dependences.
pub(crate) fn climb(
    formulated: &Formulated,
    few: bool,
    worker: &Worker,
    budget: Budget,
    (is_right, failed): (&IsRight<'_>, &mut Vec<(Rung, String)>),
) -> Result<(Rung, Schedule, Checked), String> {
    let mut left = budget.seconds;
    for rung in Rung::ALL {
        if rung == Rung::Bands && !few {
            failed.push((rung, "too many statements".to_owned()));
            continue;
        }
        let seconds = RUNG.min(left);
        if seconds == 0 {
            break;
        }
        match worker.schedule(
            rung.problem(&formulated.problem, budget.fusion),
            Limits { seconds, bytes: budget.bytes },
        ) {
            Ok(schedule) if schedule.is_legal => match is_right(&schedule.tree) {
                Ok(checked) => return Ok((rung, schedule, checked)),
                Err(violation) => failed.push((rung, format!("refused: {violation}"))),
            },
            Ok(_) => failed.push((rung, "refused by isl: the schedule breaks a dependence".to_owned())),
            Err(failure @ (Failure::Missing(_) | Failure::Io(_))) => return Err(failure.to_string()),
            Err(failure) => {
                if matches!(failure, Failure::Time(_)) {
                    left = left.saturating_sub(seconds);
                }
                failed.push((rung, failure.to_string()));
            }
        }
    }
    Err("no schedule within the budget; the verdicts per loop stand".to_owned())
}
