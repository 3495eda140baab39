//! The table of the folding algorithm's evaluation (TACO'19, table 5; ALGORITHMS 3.7): one row per program, from up to
//! four profiles of it.
//!
//! Variants: F widens addresses only, F_W dependences too, F_GG and F_GG,W give up streams that need too many pieces. All
//! of them look for new dimensions and widen adaptively, which the publication's do not.
//!
//! Streams: flow dependences through memory; and, as *instructions*, the statements without memory access and the memory
//! accesses. *Input* is the number of their points, #P that of the pieces they folded to, %A the share of points in pieces
//! that are neither boxes nor have a ⊤ coefficient (of an address; of a dependence), rounded down. #MPI is the largest
//! number of pieces that could still grow at one time, in all of the program's own code that was recorded.

use fold::{Folded, GiveUp};
use profile::{Folding, Kind, Profile};
use schedule::SourceLoop;

use crate::finding::{is_parallelisable, is_vectorisable};
use crate::markdown::{aligned, file_name, short, stem};
use crate::polyhedral::selected_contexts;
use crate::published::Published;

/// Loops with less than one in so many of the instructions that the table is about are not advised on.
const SHARE: u64 = 20;
/// Names of the variants, in the order of the table.
const VARIANTS: [&str; 4] = ["F", "F_W", "F_GG", "F_GG,W"];

/// Columns of the publication for dependences, then for instructions, in the order of the table; it leaves out what is 100 %
/// by construction, and instructions of the variants in which they are the same.
const PUBLISHED: [(&str, [Option<&str>; 14]); 2] = [
    (
        "dependences",
        [
            Some("dep_input"),
            Some("F_P"),
            None,
            Some("F_MPI"),
            Some("FW_P"),
            Some("FW_A"),
            Some("FW_MPI"),
            Some("FGG_P"),
            Some("FGG_A"),
            Some("FGG_MPI"),
            Some("FGGW_P"),
            Some("FGGW_A"),
            Some("FGGW_MPI"),
            Some("optim"),
        ],
    ),
    (
        "instructions",
        [
            Some("ins_input"),
            None,
            None,
            None,
            Some("ins_FW_P"),
            Some("ins_FW_A"),
            Some("ins_FW_MPI"),
            None,
            None,
            None,
            Some("ins_FGGW_P"),
            Some("ins_FGGW_A"),
            Some("ins_FGGW_MPI"),
            Some("optim"),
        ],
    ),
];

/// Columns that a file of published figures must have.
pub fn published_columns() -> Vec<&'static str> {
    PUBLISHED.iter().flat_map(|(_, columns)| columns.iter().flatten().copied()).collect()
}

/// Figures of all streams of one sort under one variant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Points of the streams.
    pub input: u64,
    /// Pieces.
    pub pieces: u64,
    /// Points in pieces that are exact and affine.
    pub affine: u64,
    /// Most intermediate pieces at one time.
    pub most: u64,
}

impl Figures {
    fn add(&mut self, input: u64, folded: &[Folded]) {
        self.input = self.input.saturating_add(input);
        for statistics in folded.iter().map(Folded::statistics) {
            self.pieces += statistics.pieces as u64;
            self.affine = self.affine.saturating_add(statistics.affine_points);
        }
    }

    /// Share of the points in affine pieces, in percent and rounded down.
    pub fn percent(&self) -> u64 {
        match self.input {
            0 => 100,
            all => (u128::from(self.affine) * 100 / u128::from(all)) as u64,
        }
    }
}

/// What the table says of one profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Folds {
    /// Flow dependences through memory.
    pub dependences: Figures,
    /// Statements without memory access, and memory accesses.
    pub instructions: Figures,
}

impl Folds {
    /// The figures of the program's own functions, or of one function and what it calls.
    pub fn of(profile: &Profile, function: Option<&str>) -> Folds {
        let selected = own_contexts(profile, function);
        let is_selected = |statement: u32| selected[profile.context_of(statement) as usize];
        let most = profile.folding.most_intermediate;
        let mut out = Folds::default();
        (out.dependences.most, out.instructions.most) = (most.dependences, most.instructions);
        let flow = profile.dependences.iter().filter(|d| d.memory && d.kind == Kind::Flow);
        for d in flow.filter(|d| is_selected(d.source) && is_selected(d.sink)) {
            out.dependences.add(d.count, d.relation.as_slice());
        }
        let mut accesses = vec![false; profile.statements.len()];
        for access in profile.accesses.iter().filter(|access| !access.is_of_calls()) {
            accesses[access.statement as usize] = true;
            if is_selected(access.statement) {
                out.instructions.add(access.executions, &access.address);
            }
        }
        for block in profile.blocks.iter().filter(|b| selected[b.context as usize]) {
            let own = block.first as usize..(block.first + block.count) as usize;
            for _ in accesses[own].iter().filter(|has_access| !**has_access) {
                out.instructions.add(block.executions, &block.domain);
            }
        }
        out
    }
}

/// Per context whether it is of the program's own code, and inside the function asked for.
fn own_contexts(profile: &Profile, function: Option<&str>) -> Vec<bool> {
    let selected = selected_contexts(profile, function).into_iter();
    (0..).zip(selected).map(|(context, selected)| selected && profile.is_own(context)).collect()
}

/// The outline of what is advised: `T nD` for a tilable band of n loops, `P` for a parallel loop, `V` for a vectorisable
/// innermost one; `-` for nothing.
pub fn advice(profile: &Profile, function: Option<&str>) -> String {
    let selected = own_contexts(profile, function);
    let loops = schedule::analyse(profile);
    let mut band = vec![1usize; loops.len()];
    for (at, entry) in loops.iter().enumerate() {
        if let Some(parent) = entry.parent.filter(|_| entry.permutable_with_parent) {
            band[at] = band[parent] + 1;
        }
    }
    let own = profile.contexts.iter().zip(&selected).filter(|(_, selected)| **selected);
    let all: u64 = own.map(|(context, _)| context.own_instructions).sum();
    let advised: Vec<(&SourceLoop, usize)> = loops
        .iter()
        .zip(band)
        .filter(|(l, _)| l.instructions >= all / SHARE && l.contexts.iter().any(|&c| selected[c as usize]))
        .collect();
    let mut parts = Vec::new();
    // A single loop that is not parallel gains nothing from tiles.
    let tilable = advised.iter().filter(|(l, band)| *band > 1 || is_parallelisable(l)).map(|(_, band)| *band);
    parts.extend(tilable.max().map(|n| format!("T {n}D")));
    parts.extend(advised.iter().any(|(l, _)| is_parallelisable(l)).then(|| "P".to_owned()));
    parts.extend(advised.iter().any(|(l, _)| is_vectorisable(profile, l)).then(|| "V".to_owned()));
    if parts.is_empty() { "-".to_owned() } else { parts.join(", ") }
}

/// One program.
struct Row<'a> {
    argv: &'a [String],
    /// Per variant.
    folds: [Option<Folds>; 4],
    advice: String,
}

/// Renders the table: profiles of one command line make one row, in order of appearance.
pub fn table(profiles: &[Profile], function: Option<&str>, published: Option<&Published>) -> String {
    let mut rows: Vec<Row> = Vec::new();
    for profile in profiles {
        let argv = &profile.program.argv;
        let variant = variant(&profile.folding);
        let free = rows.iter().position(|r| r.argv == argv && r.folds[variant].is_none());
        let at = free.unwrap_or_else(|| {
            rows.push(Row { argv, folds: [None; 4], advice: advice(profile, function) });
            rows.len() - 1
        });
        rows[at].folds[variant] = Some(Folds::of(profile, function));
    }
    let mut lines = vec![head()];
    for row in &rows {
        let name = file_name(row.argv);
        for (streams, of) in [
            ("dependences", (|f| f.dependences) as fn(Folds) -> Figures),
            ("instructions", |f| f.instructions),
        ] {
            let figures = row.folds.map(|folds| folds.map(of));
            let input = figures.iter().flatten().map(|f| f.input).max().unwrap_or(0);
            let mut cells = vec![name.to_owned(), streams.to_owned(), short(input)];
            cells.extend(figures.iter().flat_map(of_variant));
            cells.push(row.advice.clone());
            lines.push(cells);
        }
        for (streams, columns) in &PUBLISHED {
            let cells = published.and_then(|published| published.cells(stem(name), columns));
            let start = [format!("{}, published", stem(name)), (*streams).to_owned()];
            lines.extend(cells.map(|cells| start.into_iter().chain(cells).collect()));
        }
    }
    let text = |column: usize| column < 2 || column + 1 == lines[0].len();
    aligned(&lines, &text)
}

/// Index of a profile's variant.
fn variant(folding: &Folding) -> usize {
    usize::from(folding.widened_dependences) + 2 * usize::from(folding.give_up != GiveUp::Never)
}

fn head() -> Vec<String> {
    let mut cells = ["program", "streams", "input"].map(str::to_owned).to_vec();
    for name in VARIANTS {
        cells.extend([format!("{name} #P"), "%A".to_owned(), "#MPI".to_owned()]);
    }
    cells.push("advice".to_owned());
    cells
}

fn of_variant(figures: &Option<Figures>) -> [String; 3] {
    match figures {
        Some(f) => [short(f.pieces), format!("{}%", f.percent()), short(f.most)],
        None => ["-"; 3].map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use fold::{Folder, Options};
    use profile::{
        Access, Block, Context, ContextKind, Dependence, IntermediatePieces, Operation, Statement, Use,
    };

    use super::*;

    #[test]
    fn counts_and_shares_are_never_rounded_up() {
        let counts = [0, 999, 1000, 1999, 19_999_999, 3_000_000_000].map(short);
        assert_eq!(counts, ["0", "999", "1K", "1K", "19M", "3G"]);
        let figures = |affine| Figures { input: 10_000, affine, ..Figures::default() }.percent();
        assert_eq!((figures(10_000), figures(9999), figures(0)), (100, 99, 0));
        assert_eq!(Figures::default().percent(), 100);
    }

    /// A program of one loop of a hundred iterations: an addition, a load that walks and one that jumps, and a flow dependence.
    fn program(folding: Folding) -> Profile {
        let fold = |outputs: usize, label: &dyn Fn(i64) -> i64| {
            let mut folder = Folder::new(1, outputs, Options::for_dimensions(1, outputs == 1));
            (0..100).for_each(|i| folder.point(&[i], &[label(i)][..outputs]));
            folder.finish()
        };
        let whole = fold(0, &|_| 0);
        let walking = fold(1, &|i| 8 * i);
        let mut scattered = Folder::new(1, 1, Options::giving_up(1, false, GiveUp::Beyond(2)));
        (0..100).for_each(|i| scattered.point(&[i], &[i * i * i % 97]));
        let mut inner = Context::new(0, ContextKind::Loop, 0);
        (inner.dims, inner.is_dimension, inner.entries, inner.iterations) = (1, true, 1, 100);
        inner.own_instructions = 300;
        let statement = |pc| Statement {
            block: 0,
            pc,
            location: 0,
            operation: Operation::Add,
            float: false,
            linear: true,
            addend: None,
        };
        let access = |statement, address: Folded| Access {
            statement,
            write: false,
            size: 8,
            role: Use::Value,
            executions: 100,
            address: vec![address],
        };
        let dependence = Dependence {
            kind: Kind::Flow,
            memory: true,
            source: 1,
            sink: 2,
            source_access: Some(0),
            sink_access: Some(1),
            role: Use::Value,
            common: 1,
            count: 100,
            levels: Vec::new(),
            relation: Some(walking.clone()),
            between_members: false,
            tasks: None,
            exclusion: None,
        };
        Profile {
            program: profile::Program { argv: vec!["/bin/sum.O2".into(), "10".into()], ..Default::default() },
            folding,
            locations: vec![profile::Location::default()],
            functions: vec![profile::Function { name: "main".into(), main: true, ..Default::default() }],
            contexts: vec![Context::new(0, ContextKind::Root, 0), inner],
            blocks: vec![Block { context: 1, first: 0, count: 3, executions: 100, domain: vec![whole] }],
            statements: [0, 1, 2].map(statement).to_vec(),
            accesses: vec![access(1, walking), access(2, scattered.finish())],
            dependences: vec![dependence],
            ..Profile::default()
        }
    }

    #[test]
    fn the_table_in_full() {
        let most = IntermediatePieces { instructions: 1999, dependences: 1 };
        let folding = |give_up| Folding { widened_dependences: false, give_up, most_intermediate: most };
        let profiles = [GiveUp::Published, GiveUp::Never].map(|give_up| program(folding(give_up)));
        let published = "benchmark,dep_input,F_P,F_MPI,FW_P,FW_A,FW_MPI,FGG_P,FGG_A,FGG_MPI,FGGW_P,FGGW_A,FGGW_MPI,\
            ins_input,ins_FW_P,ins_FW_A,ins_FW_MPI,ins_FGGW_P,ins_FGGW_A,ins_FGGW_MPI,optim\n\
            sum,19M,160,385,161,99%,386,162,98%,387,163,97%,388,15M,140,96%,304,141,95%,305,\"T 1D, P\"\n";
        let published = Published::parse(published, &published_columns()).expect("a table");
        let expected = "\
| program        | streams      | input | F #P |   %A | #MPI | F_W #P |  %A | #MPI | F_GG #P |   %A | #MPI | F_GG,W #P |  %A | #MPI | advice     |
|----------------|--------------|------:|-----:|-----:|-----:|-------:|----:|-----:|--------:|-----:|-----:|----------:|----:|-----:|------------|
| sum.O2         | dependences  |   100 |    1 | 100% |    1 |      - |   - |    - |       1 | 100% |    1 |         - |   - |    - | T 1D, P, V |
| sum.O2         | instructions |   300 |   21 |  78% |   1K |      - |   - |    - |      21 |  78% |   1K |         - |   - |    - | T 1D, P, V |
| sum, published | dependences  |   19M |  160 |    - |  385 |    161 | 99% |  386 |     162 |  98% |  387 |       163 | 97% |  388 | T 1D, P    |
| sum, published | instructions |   15M |    - |    - |    - |    140 | 96% |  304 |       - |    - |    - |       141 | 95% |  305 | T 1D, P    |
";
        assert_eq!(table(&profiles, None, Some(&published)), expected);
    }

    #[test]
    fn variants_and_names() {
        let folding =
            |widened_dependences, give_up| Folding { widened_dependences, give_up, ..Folding::default() };
        let names = [
            folding(false, GiveUp::Never),
            folding(true, GiveUp::Never),
            folding(false, GiveUp::Published),
            folding(true, GiveUp::Beyond(7)),
        ]
        .map(|f| VARIANTS[variant(&f)]);
        assert_eq!(names, VARIANTS);
        let name = |path: &str| stem(file_name(&[path.to_owned()])).to_owned();
        assert_eq!(["/a.b/lu.O2", "bfs", ".x", ""].map(name), ["lu", "bfs", ".x", ""]);
    }
}
