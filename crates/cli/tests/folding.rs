//! The table of the folding algorithm's evaluation, on kernels of the hard cases, beside published figures.

use crate::support;

use std::path::{Path, PathBuf};

use kernels::{Kernel, Level};
use support::Place;

/// Options of `profile` per variant, in the order of the table.
const VARIANTS: [&[&str]; 4] = [
    &["--give-up", "never"],
    &["--widen-deps", "--give-up", "never"],
    &[],
    &["--widen-deps", "--give-up", "4d+1"],
];

/// Pieces, affine percent and intermediate pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cells {
    pieces: u64,
    affine: u64,
    most: u64,
}

fn kernel(name: &str) -> Kernel {
    kernels::load().unwrap().into_iter().find(|k| k.name() == name).unwrap()
}

/// Profiles of a kernel under the four variants.
fn profiles(place: &Place, kernel: &Kernel, level: Level) -> Vec<PathBuf> {
    let program = kernels::compile(kernel, level, place.directory()).unwrap();
    let profile = |(at, options): (usize, &&[&str])| {
        let path = place.path(&format!("{}.{level:?}.{at}.lwp", kernel.name()));
        let mut command = place.loopwright();
        command.args(["profile", "--quiet"]).args(*options).arg("-o").arg(&path).arg("--").arg(&program.path);
        assert!(command.output().unwrap().status.success());
        path
    };
    VARIANTS.iter().enumerate().map(profile).collect()
}

fn table(place: &Place, profiles: &[PathBuf], function: &str, published: Option<&Path>) -> String {
    let mut command = place.loopwright();
    command.args(["report", "--format", "folding", "--function", function]).args(profiles);
    if let Some(file) = published {
        command.arg("--published").arg(file);
    }
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The cells of a line.
fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// The figures of a line, per variant.
fn figures(line: &str) -> Vec<Cells> {
    let number = |cell: &str| {
        let (digits, unit) = match cell.strip_suffix('K') {
            Some(digits) => (digits, 1000),
            None => (cell.trim_end_matches('%'), 1),
        };
        digits.parse::<u64>().unwrap() * unit
    };
    let of = |c: &[&str]| Cells { pieces: number(c[0]), affine: number(c[1]), most: number(c[2]) };
    cells(line)[3..15].chunks(3).map(of).collect()
}

/// Programs whose loops were written as one by hand are affine, all of them, under every variant.
#[test]
fn linearised_kernels_are_affine() {
    let place = Place::new();
    for name in ["linear_stencil", "chunked_lu"] {
        let kernel = kernel(name);
        let case = kernel.hard_case.clone().unwrap();
        assert!(case.affine >= 95);
        for level in [Level::O2, Level::O3] {
            let text = table(&place, &profiles(&place, &kernel, level), &case.function, None);
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines.len(), 4, "{text}");
            for line in &lines[2..] {
                assert!(figures(line).iter().all(|cells| cells.affine >= case.affine), "{text}");
            }
            // Time steps cannot be tiled with the sweep inside, which the other sweep feeds; blocks can with what is in them.
            let advice = cells(lines[2]).pop().unwrap();
            let tiles: u32 = advice[2..3].parse().unwrap();
            assert!(advice.ends_with("D, P, V") && (tiles == 1) == (name == "linear_stencil"), "{text}");
        }
    }
}

/// What the variants trade on a program that follows its data: exactness for pieces.
#[test]
fn variants_trade_pieces_for_exactness() {
    let place = Place::new();
    let kernel = kernel("breadth_first");
    let published = "benchmark,dep_input,F_P,F_MPI,FW_P,FW_A,FW_MPI,FGG_P,FGG_A,FGG_MPI,FGGW_P,FGGW_A,FGGW_MPI,ins_input,\
        ins_FW_P,ins_FW_A,ins_FW_MPI,ins_FGGW_P,ins_FGGW_A,ins_FGGW_MPI,optim\n\
        breadth_first,5M,1,2,3,4%,5,6,7%,8,9,10%,11,4M,12,13%,14,15,16%,17,\"T 2D, P\"\n";
    let file = place.path("published.csv");
    std::fs::write(&file, published).unwrap();
    let profiles = profiles(&place, &kernel, Level::O2);
    let text = table(&place, &profiles, "search", Some(&file));
    let lines: Vec<&str> = text.lines().collect();
    let [dependences, instructions] = [lines[2], lines[3]].map(figures);
    let [exact, widened, given_up, both] = dependences[..] else { panic!("{text}") };
    assert_eq!(exact.affine, 100, "{text}");
    assert!(widened.pieces < exact.pieces && widened.affine < exact.affine, "{text}");
    assert!(given_up.pieces < exact.pieces && given_up.affine < exact.affine, "{text}");
    assert!(both.pieces < given_up.pieces && both.most <= exact.most, "{text}");
    // Addresses are widened in all of them.
    assert_eq!(instructions[0], instructions[1], "{text}");
    assert_eq!(instructions[2], instructions[3], "{text}");
    assert_eq!(
        cells(lines[4]).join(" "),
        "breadth_first, published dependences 5M 1 - 2 3 4% 5 6 7% 8 9 10% 11 T 2D, P"
    );
    assert_eq!(
        cells(lines[5]).join(" "),
        "breadth_first, published instructions 4M - - - 12 13% 14 - - - 15 16% 17 T 2D, P"
    );
    // Any order, and what is missing is left out.
    let reordered = [profiles[2].clone(), profiles[0].clone()];
    let partial = table(&place, &reordered, "search", None);
    let (partial, all) = (cells(partial.lines().nth(2).unwrap()), cells(lines[2]));
    assert_eq!((&partial[..6], &partial[6..9]), (&all[..6], &["-", "-", "-"][..]));
    assert_eq!(partial[9..12], all[9..12]);
}

/// One scattered stream that may not be given up for its pieces: memory runs out, it is given up and named, and the rest
/// of the program is analysed to its end.
#[test]
fn memory_gives_up_the_offending_stream_alone() {
    let place = Place::new();
    let source = "#include <stdio.h>\nstatic unsigned bins[1 << 12];\nstatic double a[100][100];\n\
        __attribute__((noinline)) static void work(int n)\n{\n    unsigned s = 1;\n    for (int i = 0; i < n; i++) {\n\
        s = s * 1664525u + 1013904223u;\n        bins[s >> 20]++;\n    }\n    for (int i = 1; i < 100; i++)\n\
        for (int j = 0; j < 100; j++)\n            a[i][j] = a[i - 1][j] + 1;\n}\n\
        int main(void)\n{\n    work(100000);\n    printf(\"%u %f\\n\", bins[5], a[99][3]);\n    return 0;\n}\n";
    let program = place.compile("scattered", source, &["-O1", "-g"]);
    let report = |limit: &str| {
        let mut command = place.loopwright();
        command.args([
            "profile",
            "-o",
            "p.lwp",
            "--format",
            "json",
            "--function",
            "work",
            "--give-up",
            "never",
        ]);
        let output = command.args(["--memory-limit", limit, "--"]).arg(&program).output().unwrap();
        assert!(output.status.success());
        serde_json::from_slice::<serde_json::Value>(&output.stderr).unwrap()
    };
    let [whole, limited] = ["500", "2"].map(report);
    let truncated = "1 stream given up at --memory-limit (dependence scattered.c:9 <- scattered.c:9)";
    assert_eq!(limited["trust"]["truncated"], serde_json::json!([truncated]));
    assert_eq!(whole["trust"]["truncated"], serde_json::json!([]));
    for figure in ["instructions", "memory_accesses", "dependences"] {
        assert_eq!(limited["trust"][figure], whole["trust"][figure]);
    }
    // What was given up is not what verdicts rest on.
    assert_eq!(limited["loops"], whole["loops"]);
    let folding = place.loopwright().args(["report", "--format", "folding", "p.lwp"]).output().unwrap();
    let text = String::from_utf8(folding.stdout).unwrap();
    let dependences: Vec<&str> = text.lines().nth(2).unwrap().split('|').map(str::trim).collect();
    assert!(dependences[4].parse::<u64>().unwrap() < 20, "{text}");
}
