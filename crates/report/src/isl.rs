//! The polyhedral program in the notation of isl, as assignments that iscc reads; every right-hand side is one isl set or
//! map.
//!
//! Definitions: statement `S12[i0, i1]` is instruction 12 of the profile at iteration (i0, i1); `M[a]` is the byte of
//! memory at address a. `domain`, `schedule`, `read`, `write` and `flow` are exact. What is not exact is in maps of their
//! own: `approximate_domain` holds boxes, `may_read` and `may_write` ranges of addresses, `may_flow` flow dependences of
//! which some coordinate of the source is known by its range alone. `may_anti` and `may_output` hold the distances seen,
//! unbounded in the loops that the two statements do not share.

use std::fmt::{self, Write};

use fold::Folded;
use profile::{Access, Dependence, Kind, Profile, StatementIndex};
use schedule::notation::{Condition, Parameters, distance, pieces, tuple};

use crate::limits;
use crate::polyhedral::{Program, Statement};

/// All of a program.
pub fn text(program: &Program) -> String {
    let mut out = String::new();
    let mut sets = Assignments::default();
    for statement in &program.statements {
        sets.statement(statement);
    }
    for dependence in &program.dependences {
        sets.dependence(program.profile, dependence);
    }
    // Writing to a string does not fail.
    let _ = write_all(&mut out, program, &sets);
    out
}

fn write_all(out: &mut String, program: &Program, sets: &Assignments) -> fmt::Result {
    writeln!(out, "# The polyhedral program of: {}", program.profile.program.argv.join(" "))?;
    writeln!(out, "# S12[i0, i1] is an instruction in an iteration, M[a] the byte at address a.")?;
    let (reached, untracked) = (limits::reached(program.profile), limits::untracked(program.profile));
    for note in reached.iter().chain(&untracked) {
        writeln!(out, "# Not complete: {note}")?;
    }
    if program.unordered > 0 {
        writeln!(
            out,
            "# The schedule is approximate: the parts of {} loop bodies alternate in one iteration.",
            program.unordered
        )?;
    }
    for statement in &program.statements {
        let at = program.profile.location_of(statement.index);
        writeln!(out, "# S{}: {}:{}:{}", statement.index, at.file, at.function, at.line)?;
    }
    for (name, parts) in sets.named() {
        writeln!(out, "{name} := {{ {} }};", parts.join("; "))?;
    }
    Ok(())
}

/// The iterations of a statement as one set; those that are not known exactly are in a box.
pub fn domain(profile: &Profile, statement: StatementIndex) -> String {
    let mut sets = Assignments::default();
    let tuple = tuple(statement, "i", dims(profile, statement));
    sets.domain(&tuple, domain_of(profile, statement));
    sets.union()
}

/// The bytes of an access as one map from iterations; those that are not known exactly are in a range.
pub fn access(profile: &Profile, access: &Access) -> String {
    let mut sets = Assignments::default();
    let tuple = tuple(access.statement, "i", dims(profile, access.statement));
    sets.access(&tuple, domain_of(profile, access.statement), access);
    sets.union()
}

/// A dependence as one map from iterations of the source to those of the sink; what is not known exactly are the distances
/// seen.
pub fn dependence(profile: &Profile, dependence: &Dependence) -> String {
    let mut sets = Assignments::default();
    sets.dependence(profile, dependence);
    sets.union()
}

fn domain_of(profile: &Profile, statement: StatementIndex) -> &[Folded] {
    &profile.blocks[profile.statements[statement as usize].block as usize].domain
}

/// Number of loops around a statement.
fn dims(profile: &Profile, statement: StatementIndex) -> usize {
    usize::from(profile.contexts[profile.context_of(statement) as usize].dims)
}

/// The parts of every set and map.
#[derive(Default)]
struct Assignments {
    domain: Vec<String>,
    approximate_domain: Vec<String>,
    schedule: Vec<String>,
    read: Vec<String>,
    write: Vec<String>,
    may_read: Vec<String>,
    may_write: Vec<String>,
    flow: Vec<String>,
    may_flow: Vec<String>,
    may_anti: Vec<String>,
    may_output: Vec<String>,
}

impl Assignments {
    fn named(&self) -> [(&'static str, &[String]); 11] {
        [
            ("domain", &self.domain),
            ("approximate_domain", &self.approximate_domain),
            ("schedule", &self.schedule),
            ("read", &self.read),
            ("write", &self.write),
            ("may_read", &self.may_read),
            ("may_write", &self.may_write),
            ("flow", &self.flow),
            ("may_flow", &self.may_flow),
            ("may_anti", &self.may_anti),
            ("may_output", &self.may_output),
        ]
    }

    /// All parts together.
    fn union(&self) -> String {
        let parts: Vec<&str> =
            self.named().iter().flat_map(|(_, parts)| parts.iter().map(String::as_str)).collect();
        format!("{{ {} }}", parts.join("; "))
    }

    fn domain(&mut self, tuple: &str, domain: &[Folded]) {
        for piece in pieces(domain) {
            let to = if piece.over_approximated { &mut self.approximate_domain } else { &mut self.domain };
            to.push(format!("{tuple} : {}", Condition::of(piece, "i", &Parameters::NONE).text()));
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let tuple = tuple(statement.index, "i", statement.dims);
        self.domain(&tuple, statement.domain);
        let times: Vec<String> = statement
            .positions
            .iter()
            .enumerate()
            .flat_map(|(q, position)| {
                let counter = (q > 0).then(|| format!("i{}", q - 1));
                counter.into_iter().chain([position.to_string()])
            })
            .collect();
        self.schedule.push(format!("{tuple} -> [{}]", times.join(", ")));
        for access in &statement.accesses {
            self.access(&tuple, statement.domain, access);
        }
    }

    fn access(&mut self, tuple: &str, domain: &[Folded], access: &Access) {
        let size = i64::from(access.size.max(1));
        if access.address.iter().all(|folded| folded.pieces.is_empty()) {
            // Repeated string instructions and lanes that are not always active: anything.
            let to = if access.write { &mut self.may_write } else { &mut self.may_read };
            let anywhere =
                |piece| format!("{tuple} -> M[a] : {}", Condition::of(piece, "i", &Parameters::NONE).text());
            to.extend(pieces(domain).map(anywhere));
        }
        for folded in &access.address {
            for piece in &folded.pieces {
                let mut condition = Condition::of(piece, "i", &Parameters::NONE);
                let is_exact =
                    !piece.over_approximated && condition.output(piece, 0, "a", size, &Parameters::NONE);
                if !is_exact && let Some(&(low, high)) = folded.ranges.first() {
                    condition.parts.push(format!("{low} <= a <= {}", high.saturating_add(size - 1)));
                }
                let to = match (is_exact, access.write) {
                    (true, false) => &mut self.read,
                    (true, true) => &mut self.write,
                    (false, false) => &mut self.may_read,
                    (false, true) => &mut self.may_write,
                };
                to.push(format!("{tuple} -> M[a] : {}", condition.text()));
            }
        }
    }

    fn dependence(&mut self, profile: &Profile, d: &Dependence) {
        let (from, to) = (dims(profile, d.source), dims(profile, d.sink));
        let arrow = format!("{} -> {}", tuple(d.source, "o", from), tuple(d.sink, "i", to));
        match (d.kind, &d.relation) {
            (Kind::Flow, Some(relation)) => {
                for piece in &relation.pieces {
                    let mut condition = Condition::of(piece, "i", &Parameters::NONE);
                    let mut is_exact = !piece.over_approximated;
                    for q in 0..from {
                        if !condition.output(piece, q, &format!("o{q}"), 1, &Parameters::NONE) {
                            is_exact = false;
                            condition.parts.extend(source_range(d, relation, q));
                        }
                    }
                    let to = if is_exact { &mut self.flow } else { &mut self.may_flow };
                    to.push(format!("{arrow} : {}", condition.text()));
                }
            }
            _ => {
                let to = match d.kind {
                    Kind::Flow => &mut self.may_flow,
                    Kind::Anti => &mut self.may_anti,
                    Kind::Output => &mut self.may_output,
                };
                for level in &d.levels {
                    let distances = level.minimum.iter().zip(&level.maximum).enumerate();
                    let parts: Vec<String> =
                        distances.map(|(q, (low, high))| distance(q, low, high)).collect();
                    to.push(format!("{arrow} : {}", Condition::from(parts).text()));
                }
            }
        }
    }
}

/// What is known of a coordinate of the source that no function gives.
fn source_range(d: &Dependence, relation: &Folded, q: usize) -> Option<String> {
    if q < usize::from(d.common) {
        let low = d.levels.iter().map(|l| l.minimum[q]).min()?;
        let high = d.levels.iter().map(|l| l.maximum[q]).max()?;
        return Some(distance(q, low, high));
    }
    relation.ranges.get(q).map(|(low, high)| format!("{low} <= o{q} <= {high}"))
}
