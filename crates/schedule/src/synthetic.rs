//! Profiles of made-up programs of any size, to measure on: one region each, an outermost loop around everything.
//!
//! Every statement is a block of two instructions, a load and a store of 8 bytes, in a nest of its own inside the outermost
//! loop; loops have [`TRIPS`] iterations. What flows where is the [`Shape`].

use fold::piece::Level;
use fold::{Coefficient, Folded, Label, Piece};
use poly::Affine;
use profile::{
    Access, Block, Context, ContextIndex, ContextKind, Dependence, Function, Kind, LevelSummary, Location,
    Object, ObjectKind, ObjectUse, Operation, Profile, Statement, Use,
};

/// Iterations of every loop.
pub const TRIPS: i64 = 64;

/// What flows between statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Each sweep reads its neighbours in the one before, the first those of the last in the step before: a cycle.
    Stencil,
    /// Each reads the one before, at the same place.
    Chain,
    /// Each reads two of those before, at the same place or beside it.
    Random,
    /// Nothing.
    Independent,
}

impl Shape {
    /// All, with their names.
    pub const ALL: [(&str, Shape); 4] = [
        ("stencil", Shape::Stencil),
        ("chain", Shape::Chain),
        ("random", Shape::Random),
        ("independent", Shape::Independent),
    ];
}

/// A program of so many statements: an outermost loop around as many nests of two loops.
pub fn profile(shape: Shape, statements: u32) -> Profile {
    let mut program = Builder::new();
    let sweeps: Vec<Sweep> = (0..statements).map(|at| program.sweep(at)).collect();
    let mut seed = 1u64;
    for (at, sink) in sweeps.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).map(|source| &sweeps[source]);
        match shape {
            Shape::Independent => {}
            Shape::Chain => before(1).into_iter().for_each(|source| program.flow(source, sink, [0, 0, 0])),
            Shape::Stencil => {
                let (source, age) = before(1).map_or((&sweeps[sweeps.len() - 1], 1), |source| (source, 0));
                for beside in [[0, -1], [0, 0], [0, 1], [-1, 0], [1, 0]] {
                    program.flow(source, sink, [age, beside[0], beside[1]]);
                }
            }
            Shape::Random => {
                for _ in 0..2 {
                    // Numbers that anyone can make again: x ← 6364136223846793005·x + 1442695040888963407.
                    seed =
                        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let random = (seed >> 33) as usize;
                    if let Some(source) = before(1 + random % at.max(1)) {
                        program.flow(source, sink, [0, 0, (random % 3) as i64 - 1]);
                    }
                }
            }
        }
    }
    program.profile
}

/// One statement: its two instructions, and the accesses of the same numbers.
struct Sweep {
    load: u32,
    store: u32,
}

struct Builder {
    profile: Profile,
    outermost: ContextIndex,
}

impl Builder {
    fn new() -> Builder {
        let mut profile = Profile {
            locations: vec![Location::default()],
            functions: vec![Function { name: "made_up".into(), main: true, ..Function::default() }],
            contexts: vec![Context::new(0, ContextKind::Root, 0)],
            objects: vec![Object { element: 8, ..Object::new("arrays", ObjectKind::Global) }],
            ..Profile::default()
        };
        let outermost = add_loop(&mut profile, 0, 1);
        Builder { profile, outermost }
    }

    /// A nest of two loops around a load and a store of an array of its own.
    fn sweep(&mut self, at: u32) -> Sweep {
        let rows = add_loop(&mut self.profile, self.outermost, TRIPS as u64);
        let columns = add_loop(&mut self.profile, rows, (TRIPS * TRIPS) as u64);
        let profile = &mut self.profile;
        let block = profile.blocks.len() as u32;
        let first = profile.statements.len() as u32;
        let executions = TRIPS.pow(3) as u64;
        profile.contexts[columns as usize].own_instructions = 2 * executions;
        profile.trust.instructions += 2 * executions;
        let domain = vec![whole(&[0; 3], &[])];
        profile.blocks.push(Block { context: columns, first, count: 2, executions, domain });
        for (offset, write) in [(0, false), (1, true)] {
            let pc = u64::from(first + offset);
            profile.statements.push(Statement {
                block,
                pc,
                location: profile.contexts[columns as usize].location,
                operation: Operation::Copy,
                float: true,
                linear: true,
                addend: None,
            });
            let row = 8 * (TRIPS + 2);
            let base = i64::from(at) * row * (TRIPS + 2);
            let address = whole(&[0; 3], &[([0, row, 8], base)]);
            profile.accesses.push(Access {
                statement: first + offset,
                write,
                size: 8,
                role: Use::Value,
                executions,
                address: vec![address],
            });
        }
        let sweep = Sweep { load: first, store: first + 1 };
        self.hand_on(&sweep, executions);
        sweep
    }

    /// What is loaded is stored, through a register.
    fn hand_on(&mut self, sweep: &Sweep, count: u64) {
        let level = LevelSummary {
            level: 3,
            count,
            minimum: vec![0; 3],
            maximum: vec![0; 3],
            later: 0,
            source_iv: vec![0; 3],
            sink_iv: vec![0; 3],
            address: 0,
            objects: Vec::new(),
        };
        self.profile.dependences.push(Dependence {
            kind: Kind::Flow,
            memory: false,
            source: sweep.load,
            sink: sweep.store,
            source_access: None,
            sink_access: None,
            role: Use::Value,
            common: 3,
            count,
            levels: vec![level],
            relation: None,
            between_members: false,
            tasks: None,
            exclusion: None,
        });
    }

    /// What `source` stores is loaded by `sink` so many iterations later.
    fn flow(&mut self, source: &Sweep, sink: &Sweep, distance: [i64; 3]) {
        let least = distance.map(|d| d.max(0));
        let labels: Vec<([i64; 3], i64)> =
            (0..3).map(|q| (std::array::from_fn(|k| i64::from(k == q)), -distance[q])).collect();
        let relation = trimmed(&least, &distance.map(|d| d.min(0)), &labels);
        let (minimum, maximum) = (vec![distance[0]], vec![distance[0]]);
        let sink_iv: Vec<i64> = least.to_vec();
        let source_iv = sink_iv.iter().zip(distance).map(|(x, d)| x - d).collect();
        let level = LevelSummary {
            level: u8::from(distance[0] == 0),
            count: relation.points,
            minimum,
            maximum,
            later: 0,
            source_iv,
            sink_iv,
            address: 0,
            objects: vec![ObjectUse { object: 0, offset: 0, callee: false }],
        };
        self.profile.dependences.push(Dependence {
            kind: Kind::Flow,
            memory: true,
            source: source.store,
            sink: sink.load,
            source_access: Some(source.store),
            sink_access: Some(sink.load),
            role: Use::Value,
            common: 1,
            count: level.count,
            levels: vec![level],
            relation: Some(relation),
            between_members: false,
            tasks: None,
            exclusion: None,
        });
    }
}

/// Adds a loop that is entered so many times.
fn add_loop(profile: &mut Profile, parent: ContextIndex, entries: u64) -> ContextIndex {
    let index = profile.contexts.len() as ContextIndex;
    let location = profile.locations.len() as u32;
    profile.locations.push(Location {
        function: "made_up".into(),
        file: "made_up.c".into(),
        line: location,
        column: 0,
    });
    let mut context = Context::new(parent, ContextKind::Loop, 0);
    context.dims = profile.contexts[parent as usize].dims + 1;
    (context.is_dimension, context.location, context.at) = (true, location, u64::from(location));
    (context.entries, context.iterations) = (entries, entries * TRIPS as u64);
    profile.contexts.push(context);
    index
}

/// Three coordinates from `least` to the end of their loops, with labels (coefficients of coordinates, constant).
fn whole(least: &[i64; 3], labels: &[([i64; 3], i64)]) -> Folded {
    trimmed(least, &[0; 3], labels)
}

/// The same with so many iterations (negative numbers) less at the end of each loop.
fn trimmed(least: &[i64; 3], less: &[i64; 3], labels: &[([i64; 3], i64)]) -> Folded {
    let counts: Vec<i64> = (0..3).map(|q| TRIPS - least[q] + less[q]).collect();
    let level = |q: usize| Level {
        start: Affine::constant(least[q]),
        count: Affine::constant(counts[q]),
        step: 1,
        is_new: false,
    };
    let points = counts.iter().product::<i64>() as u64;
    // Labels of pieces are functions of counters, which begin at 0.
    let label = |(coefficients, constant): &([i64; 3], i64)| Label {
        coefficients: coefficients.map(Coefficient::Known).to_vec(),
        constant: constant + coefficients.iter().zip(least).map(|(c, x)| c * x).sum::<i64>(),
    };
    let range = |(coefficients, constant): &([i64; 3], i64)| {
        let ends = |end: bool| {
            let at = |q: usize| coefficients[q] * (least[q] + if end { counts[q] - 1 } else { 0 });
            constant + (0..3).map(at).sum::<i64>()
        };
        (ends(false), ends(true))
    };
    let piece = Piece {
        levels: (0..3).map(level).collect(),
        labels: labels.iter().map(label).collect(),
        points,
        over_approximated: false,
    };
    Folded {
        pieces: vec![piece],
        points,
        gave_up: false,
        ranges: labels.iter().map(range).collect(),
        most_alive: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parallel;

    #[test]
    fn verdicts_are_those_of_the_shapes() {
        for (name, shape) in Shape::ALL {
            let profile = profile(shape, 7);
            let loops = crate::analyse(&profile);
            assert_eq!(loops.len(), 15, "{name}");
            let expected = if shape == Shape::Stencil { Parallel::No } else { Parallel::Yes };
            assert_eq!(loops[0].parallel, expected, "{name}");
            assert!(loops[1..].iter().all(|l| l.parallel == Parallel::Yes), "{name}");
        }
    }
}
