//! `report --schedule`: what isl says that the kernels' loops could become.

use crate::support;

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use kernels::Level;
use serde_json::Value;
use support::Place;

/// The proposals on a kernel, hottest region first.
fn proposals(place: &Place, kernel: &str, level: Level, arguments: &[&str], options: &[&str]) -> Vec<Value> {
    let table = kernels::load().unwrap();
    let kernel = table.iter().find(|k| k.name() == kernel).unwrap();
    let program = kernels::compile(kernel, level, place.directory()).unwrap();
    proposals_of(place, &program.path, arguments, options)
}

fn proposals_of(place: &Place, program: &Path, arguments: &[&str], options: &[&str]) -> Vec<Value> {
    report_of(place, program, arguments, options)["proposals"].as_array().unwrap().clone()
}

fn report_of(place: &Place, program: &Path, arguments: &[&str], options: &[&str]) -> Value {
    let profile = place.path("p.lwp");
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "-o"]).arg(&profile).arg("--").arg(program).args(arguments);
    assert!(command.output().unwrap().status.success());
    let mut command = place.loopwright();
    command.args(["report", "--format", "json", "--schedule"]).args(options).arg(profile);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The one of a function's region.
fn of<'a>(proposals: &'a [Value], function: &str) -> &'a Value {
    let is_of = |p: &&Value| p["region"].as_str().unwrap().split(':').nth(1) == Some(function);
    proposals.iter().find(is_of).unwrap_or_else(|| panic!("no region in {function}: {proposals:#?}"))
}

/// All loops of a schedule, outer ones first.
fn loops(nodes: &Value) -> Vec<&Value> {
    let mut out = Vec::new();
    for node in nodes.as_array().unwrap() {
        if let Some(inner) = node.get("loop") {
            out.push(inner);
            out.extend(loops(&inner["body"]));
        } else if let Some(parts) = node.get("any_order") {
            out.extend(parts.as_array().unwrap().iter().flat_map(loops));
        }
    }
    out
}

/// Place, file and line of the one loop of the source that a loop counts.
fn counts(l: &Value) -> Vec<&str> {
    l["counts"].as_array().unwrap().iter().map(|count| count.as_str().unwrap()).collect()
}

/// Two sweeps over two arrays in every step: three loops may be tiled once the inner ones are skewed by two steps each.
#[test]
fn jacobi_is_tiled_after_skewing() {
    let place = Place::new();
    for level in [Level::O2, Level::O0] {
        let all = proposals(&place, "jacobi", level, &["40", "20"], &[]);
        let relax = of(&all, "relax");
        assert_eq!(
            (&relax["tile_depth"], &relax["skewed"]),
            (&3.into(), &true.into()),
            "{level}: {relax:#?}"
        );
        let all = loops(&relax["schedule"]);
        let band = all.into_iter().filter(|l| l["band_depth"] == 3);
        let counted: Vec<Vec<&str>> = band.map(counts).collect();
        assert!(counted[1].iter().all(|count| count.starts_with("2 jacobi.c:")), "{counted:?}");
    }
}

/// Sweeps in place: an element takes its left neighbour's new value and its right neighbour's old one.
#[test]
fn sweeps_in_place_are_skewed_by_one() {
    let place = Place::new();
    let source = "#include <stdio.h>\n#include <stdlib.h>\n\
        static double a[400];\n\
        __attribute__((noinline)) static void sweep(int steps, int n)\n{\n\
        for (int t = 0; t < steps; t++)\n        for (int i = 1; i < n - 1; i++)\n\
        a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;\n}\n\
        int main(int argc, char **argv)\n{\n    for (int i = 0; i < 400; i++)\n        a[i] = i % 7;\n\
        sweep(50, 300 + argc);\n    printf(\"%f\\n\", a[7]);\n    return 0;\n}\n";
    for flags in [["-O1", "-g"], ["-O2", "-g"]] {
        let program = place.compile("seidel", source, &flags);
        let report = report_of(&place, &program, &[], &[]);
        let is_sweep = |n: &&Value| n["loops"][0].as_str().is_some_and(|l| l.starts_with("seidel.c:sweep"));
        let nest = report["nests"].as_array().unwrap().iter().find(is_sweep).unwrap();
        assert_eq!(nest["skew"], serde_json::json!([[1, 0], [1, 1]]), "{nest:#?}");
        assert_eq!(nest["tilable_depth"], 2, "{nest:#?}");
        let all = report["proposals"].as_array().unwrap();
        let sweep = of(all, "sweep");
        assert_eq!((&sweep["tile_depth"], &sweep["skewed"]), (&2.into(), &true.into()), "{sweep:#?}");
        let band: Vec<Vec<&str>> = loops(&sweep["schedule"])
            .into_iter()
            .filter(|l| l["band_depth"] == 2 && l["parallel"] == false)
            .map(counts)
            .collect();
        assert_eq!(band[0], ["seidel.c:6"], "{sweep:#?}");
        assert!(band.len() == 2 && band[1].contains(&"seidel.c:6 + seidel.c:7"), "{sweep:#?}");
    }
}

/// The classic: two parallel loops, the sum is carried, all three may be tiled, over three functions too.
#[test]
fn products_are_tiled_as_they_are() {
    let place = Place::new();
    for (kernel, level) in [
        ("matmul_ikj", Level::O0),
        ("matmul_ikj", Level::O2),
        ("matmul_ijk", Level::O2),
        ("three_functions", Level::O2),
    ] {
        let all = proposals(&place, kernel, level, &["40"], &[]);
        let multiply = of(&all, "multiply");
        assert_eq!(multiply["tile_depth"], 3, "{kernel} {level}: {multiply:#?}");
        assert_eq!(multiply["skewed"], false, "{kernel} {level}");
        let band: Vec<bool> = loops(&multiply["schedule"])
            .into_iter()
            .filter(|l| l["band_depth"] == 3)
            .map(|l| l["parallel"].as_bool().unwrap())
            .collect();
        assert_eq!(band.iter().filter(|parallel| **parallel).count(), 2, "{kernel} {level}: {multiply:#?}");
    }
}

/// Both loops carry; they may be tiled, and nothing is parallel.
#[test]
fn a_wavefront_is_tiled_and_not_parallel() {
    let place = Place::new();
    let all = proposals(&place, "needle", Level::O2, &["60"], &[]);
    let align = of(&all, "align");
    let band: Vec<&Value> = loops(&align["schedule"]).into_iter().filter(|l| l["band_depth"] == 2).collect();
    assert_eq!(band.len(), 2, "{align:#?}");
    assert!(band.iter().all(|l| l["parallel"] == false), "{align:#?}");
}

/// The outermost loop of shortest paths is carried; those inside it are parallel.
#[test]
fn shortest_paths_are_parallel_inside() {
    let place = Place::new();
    let all = proposals(&place, "floyd_warshall", Level::O2, &["40"], &[]);
    let improve = of(&all, "improve");
    let carried: Vec<&Value> =
        loops(&improve["schedule"]).into_iter().filter(|l| l["parallel"] == false).collect();
    assert_eq!(carried.len(), 1, "{improve:#?}");
    let inside = loops(&carried[0]["body"]);
    assert!(inside.len() >= 2 && inside.iter().all(|l| l["parallel"] == true), "{improve:#?}");
}

/// No schedule is refused by the enumeration of dependences, which knows nothing of isl (regression 1 of schedule: an anti
/// dependence was lost where the addresses of one end alone are exact, in chunked_lu).
#[test]
fn schedules_stand_the_enumeration_of_dependences() {
    let place = Place::new();
    let cases: [(&str, &[&str]); 8] = [
        ("chunked_lu", &["24"]),
        ("perceptron", &["1"]),
        ("triangular_solve", &["40"]),
        ("linear_stencil", &["24"]),
        ("sweeps", &["24", "100"]),
        ("scratch_row", &["24", "30"]),
        ("tree_sum", &["6", "3"]),
        ("callbacks", &["24"]),
    ];
    for (kernel, arguments) in cases {
        for proposal in proposals(&place, kernel, Level::O2, arguments, &["--schedule-time", "6"]) {
            let failed = proposal["failed"].to_string();
            // Building a tree: a dependence of its region is not among those that isl is given, which replaying the order shows. It is not
            // proposed then; when this is mended, it is to be as the others are.
            let is_known = proposal["region"] == "tree_sum.c:main:46";
            assert_eq!(failed.contains("refused"), is_known, "{kernel}: {proposal:#?}");
            assert!(!is_known || proposal["schedule"].is_null(), "{kernel}: {proposal:#?}");
        }
    }
}

/// A random nest in a function, called from loops, through calls or by a recursion: several iterations of what is around
/// it hand values on, and the nest carries some itself.
fn random_nest(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut one_of = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n
    };
    let mut body = String::new();
    for _ in 0..1 + one_of(3) {
        let [to, from] = [one_of(3), one_of(3)].map(|k| ["a", "b", "c"][k as usize]);
        let shift = |by: u64| ["", " + 1", " - 1", " + 2", " - 2"][by as usize];
        let [x, y] = [shift(one_of(5)), shift(one_of(5))];
        let statement = match one_of(4) {
            0 => format!("{to}[j][i] = {from}[i{x}][j{y}] + 1;"),
            1 => format!("{to}[i][j] += {from}[j{x}][i{y}];"),
            _ => format!("{to}[i][j] = {from}[i{x}][j{y}] + {from}[i][j];"),
        };
        body.push_str("            ");
        body.push_str(&statement);
        body.push('\n');
    }
    let start = ["2", "i", "2"][one_of(3) as usize];
    let (helper, call) = match one_of(3) {
        0 => ("", "for (int t = 0; t < 4; t++)\n        nest(t);"),
        1 => (
            "static void between(int t)\n{\n    nest(t);\n    b[t + 2][3] += a[3][3];\n}\n",
            "for (int t = 0; t < 4; t++)\n        between(t);",
        ),
        _ => (
            "static void again(int t)\n{\n    nest(t);\n    if (t > 0)\n        again(t - 1);\n}\n",
            "again(4);",
        ),
    };
    format!(
        "#include <stdio.h>
static unsigned a[16][16], b[16][16], c[16][16];
static __attribute__((noinline)) void nest(int t)
{{
    for (int i = 2; i < 14; i++)
        for (int j = {start}; j < 14; j++) {{
{body}        }}
    a[t][t] ^= 5;
}}
{helper}int main(void)
{{
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            c[i][j] = (a[i][j] = b[j][i] = 31 * i + j) / 7;
    {call}
    unsigned sum = 0;
    for (int i = 0; i < 256; i++)
        sum = sum * 31 + a[i / 16][i % 16] + b[i / 16][i % 16] + c[i / 16][i % 16];
    printf(\"%u\\n\", sum);
    return 0;
}}
"
    )
}

/// Random nests under loops, calls and recursions: what is proposed stands being executed again, and what is around the
/// nest is no loop of the proposal (regression 2 of schedule: dependences of a time loop were dropped, and the time loop
/// interchanged).
#[test]
fn random_nests_are_executed_again_in_the_proposed_order() {
    let place = Place::new();
    let count = if std::env::var_os("LOOPWRIGHT_THOROUGH").is_some() { 200 } else { 10 };
    let mut reads = 0;
    for seed in 1..=count {
        let source = place.path("random.c");
        let text = random_nest(seed);
        std::fs::write(&source, &text).unwrap();
        let level = if seed % 2 == 0 { "-O0" } else { "-O1" };
        let program = place.path("nest");
        let mut compiler = std::process::Command::new("cc");
        compiler.args(["-g", level, "-o"]).arg(&program).arg(&source);
        assert!(compiler.status().unwrap().success());
        let options = ["--schedule-time", "6", "--verify", "--region", "nest"];
        for proposal in proposals_of(&place, &program, &[], &options) {
            let failed = proposal["failed"].to_string();
            assert!(!failed.contains("refused"), "{text}\n{proposal:#?}");
            let Some(all) = proposal["schedule"].as_array() else { continue };
            assert!(!all.is_empty(), "{text}");
            for l in loops(&proposal["schedule"]) {
                let is_inside =
                    |count: &&str| count.split("random.c:").skip(1).all(|at| ["5", "6"].contains(&&at[..1]));
                assert!(counts(l).iter().all(is_inside), "{text}\n{l:#?}");
            }
            reads += proposal["verified"]["replayed_reads"].as_u64().unwrap();
        }
    }
    assert!(reads > 100 * count, "{reads}");
}

/// Without time there is no schedule, and the report says so; the verdicts are there.
#[test]
fn no_time_is_said() {
    let place = Place::new();
    let all = proposals(&place, "jacobi", Level::O2, &["20", "10"], &["--schedule-time", "0"]);
    let relax = of(&all, "relax");
    assert!(relax["reason"].as_str().unwrap().contains("budget"), "{relax:#?}");
    let output =
        place.loopwright().args(["report", "--schedule", "--schedule-time", "0", "p.lwp"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("none: no schedule within the budget"), "{text}");
}

/// What is no request is refused, whatever its bytes.
#[test]
fn requests_are_checked() {
    let place = Place::new();
    let requests: [&[u8]; 4] = [
        b"",
        b"{}",
        b"\xff\xfe\x00",
        br#"{"limits":{"seconds":1,"bytes":1},"problem":{"context":"","domain":5}}"#,
    ];
    for request in requests {
        let mut child = place
            .loopwright()
            .arg("isl-worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(request).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("a request for a schedule"));
    }
    let output =
        place.loopwright().args(["report", "--format", "isl", "--schedule", "p.lwp"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
