//! The commands that work on traces of integers, as a user runs them.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn started(directory: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_loopwright"))
        .args(args)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("loopwright starts")
}

fn loopwright(directory: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = started(directory, args);
    let mut stdin = child.stdin.take().expect("piped");
    // A command that refuses its input may close it early.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("loopwright ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Two lower bounds.
fn banded() -> String {
    let rows = (0..20).flat_map(|i: i64| (0.max(i - 10)..10).map(move |j| format!("{}\n", 100 * i + j)));
    rows.collect()
}

#[test]
fn text_c_isl_and_json_describe_the_same_nest() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = |format: &str| {
        let output = loopwright(directory.path(), &["reconstruct", "--format", format], banded().as_bytes());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(
        run("text"),
        "# 155 integers, 1 nest of 2 loops, exact\nfor i0 = 0 .. 19\n  for i1 = max(0, i0 - 10) .. 9\n    100*i0 + i1\n"
    );
    assert!(
        run("isl")
            .contains("{ S0[i0, i1] : i0 >= 0 and i0 <= 19 and i1 >= 0 and i1 >= i0 - 10 and i1 <= 9 }")
    );
    let json: serde_json::Value = serde_json::from_str(&run("json")).expect("JSON");
    assert_eq!(
        (&json["schema"], &json["accesses"], &json["exact"]),
        (&"loopwright.nest/1".into(), &155.into(), &true.into())
    );
    let source = directory.path().join("nest.c");
    std::fs::write(&source, run("c")).expect("a file");
    let program = directory.path().join("nest");
    let compiled = Command::new("cc").arg("-o").arg(&program).arg(&source).status().expect("cc");
    assert!(compiled.success());
    assert_eq!(text(&Command::new(&program).output().expect("it runs").stdout), banded());
}

#[test]
fn streams_are_split_compressed_and_put_together_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut trace = String::new();
    for i in 0..30 {
        for j in 0..20 {
            trace.push_str(&format!("1 {}\n2 {}\n", 160 * i + 8 * j, 8 * j));
        }
        trace.push_str(&format!("3 {}\n", (i * i * 7919) % 1013));
    }
    std::fs::write(directory.path().join("t"), &trace).expect("a file");
    let compressed = loopwright(directory.path(), &["compress", "t"], b"");
    assert!(compressed.status.success(), "{}", text(&compressed.stderr));
    let expanded = loopwright(directory.path(), &["expand", "t.lwc"], b"");
    assert_eq!(text(&expanded.stdout), trace);
    let mut bytes = std::fs::read(directory.path().join("t.lwc")).expect("written");
    assert!(bytes.len() * 20 < trace.len(), "{} bytes", bytes.len());
    bytes[20] ^= 1;
    std::fs::write(directory.path().join("bad"), bytes).expect("a file");
    let refused = loopwright(directory.path(), &["expand", "bad"], b"");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("checksum"), "{}", text(&refused.stderr));
    let one = loopwright(directory.path(), &["reconstruct", "--stream", "2", "t"], b"");
    assert!(
        text(&one.stdout).ends_with("for i0 = 0 .. 29\n  for i1 = 0 .. 19\n    8*i1\n"),
        "{}",
        text(&one.stdout)
    );
    let predicted = loopwright(directory.path(), &["predict", "--next", "2", "t"], b"");
    assert!(text(&predicted.stdout).contains("next: 4800 4808"), "{}", text(&predicted.stdout));
}

#[test]
fn loops_are_split_on_request() {
    let directory = tempfile::tempdir().expect("a directory");
    let twelve: String = (0..12).map(|k| format!("{k}\n")).collect();
    let run = |args: &[&str]| loopwright(directory.path(), args, twelve.as_bytes());
    let rows = run(&["reconstruct", "--levels", "2", "--trip", "4"]);
    assert!(
        text(&rows.stdout).ends_with("for i0 = 0 .. 2\n  for i1 = 0 .. 3\n    4*i0 + i1\n"),
        "{}",
        text(&rows.stdout)
    );
    let refused = run(&["reconstruct", "--levels", "2", "--trip", "5"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("trip count of 5"), "{}", text(&refused.stderr));
}

#[test]
fn bad_input_says_what_and_where() {
    let directory = tempfile::tempdir().expect("a directory");
    for (args, input, expected) in [
        (&["reconstruct"][..], &b"1\n2\nx\n"[..], "line 3: not an integer: `x`"),
        (&["reconstruct"], b"1\n99999999999999999999\n", "line 2: does not fit a 64-bit integer"),
        (&["reconstruct", "--input-format", "i64"], b"123456789", "ends inside integer 1"),
        (&["reconstruct"], b"18446744073709551615\n-1\n", "line 2: the trace has negative integers and"),
        (&["reconstruct"], b"LWNESTS\n\x02", "a compressed trace, no trace; run loopwright expand on it"),
        (&["predict"], b"\x7fELF\x02\x01\x01\x00\x00", "a program (ELF), no trace"),
        (&["compress", "-o", "none"], b"\x1f\x8b\x08\x00\x01\x02\x03\x04\x05", "a gzip file, no trace"),
        (&["reconstruct", "--input-format", "npy"], b"\x93NUMPY\x01\x00\xff", "NumPy file"),
        (&["reconstruct", "--input-format", "lwt"], b"LWTRACE\n\x01\0\0", "damaged trace (cut short)"),
        (&["reconstruct", "--input-format", "lackey"], b" L 1ffe,8\n L zz,8\n", "line 2"),
        (&["compress", "-o", "none"], b"1\n2 3\n", "line 2"),
        (&["predict"], b"1\n-\n", "line 2: not an integer: `-`"),
        (&["reconstruct", "--stream", "5"], b"1\n", "no stream that begins with 5"),
        (&["reconstruct", "missing"], b"", "missing"),
        (&["compress"], b"1\n", "-o FILE"),
        (&["expand", "."], b"", "."),
    ] {
        let output = loopwright(directory.path(), args, input);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(expected), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr).lines().count(), 1, "{}", text(&output.stderr));
    }
    let empty = loopwright(directory.path(), &["reconstruct"], b"");
    assert_eq!((empty.status.code(), text(&empty.stdout).as_str()), (Some(0), "# empty trace\n"));
    let one = loopwright(directory.path(), &["reconstruct"], b"42\n");
    assert_eq!(text(&one.stdout), "# 1 integers, 1 nest of 0 loops, exact\n42\n");
    assert!(!directory.path().join("none").exists());
    let sizes = b"I  04001000,3\n L 1000,8\nI  04001000,3\n L 1008,4\nI  04001000,3\n L 1010,8\n";
    let mixed = loopwright(directory.path(), &["reconstruct"], sizes);
    assert_eq!(mixed.status.code(), Some(0), "{}", text(&mixed.stderr));
    assert!(text(&mixed.stdout).contains("# 3 integers, 1 nest of 1 loop, exact"), "{}", text(&mixed.stdout));
    let message = "loopwright: accesses of several sizes in one stream: 0x4001000:load\n";
    assert_eq!(text(&mixed.stderr), message);
}

/// `for i { a; for j { b }; c }` is one nest in every output, and comes back from each.
#[test]
fn imperfect_nests_in_every_form() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace: String = (0..12)
        .flat_map(|i: i64| {
            let inner = (0..=i).map(move |j| 50_000 + 170 * i + 8 * j);
            [1000 * i].into_iter().chain(inner).chain([900_000 - 13 * i]).collect::<Vec<_>>()
        })
        .map(|value| format!("{value}\n"))
        .collect();
    let run = |args: &[&str], input: &[u8]| {
        let output = loopwright(directory.path(), args, input);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        output.stdout
    };
    assert_eq!(
        text(&run(&["reconstruct"], trace.as_bytes())),
        "# 102 integers, 1 nest of 2 loops, exact\nfor i0 = 0 .. 11\n  1000*i0\n  for i1 = 0 .. i0\n    \
         170*i0 + 8*i1 + 50000\n  -13*i0 + 900000\n"
    );
    let isl = text(&run(&["reconstruct", "--format", "isl"], trace.as_bytes()));
    assert!(isl.contains("{ S0_1[i0, i1] -> [0, i0, 1, i1] }"), "{isl}");
    let json = run(&["reconstruct", "--format", "json"], trace.as_bytes());
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["streams"][0]["nests"][0]["body"][2]["access"]["coefficients"], serde_json::json!([-13]));
    std::fs::write(directory.path().join("nest.c"), run(&["reconstruct", "--format", "c"], trace.as_bytes()))
        .expect("a file");
    let compiled = Command::new("cc").args(["-o", "nest", "nest.c"]).current_dir(directory.path()).status();
    assert!(compiled.expect("cc").success());
    let printed = Command::new(directory.path().join("nest")).output().expect("it runs");
    assert_eq!(text(&printed.stdout), trace);
    let compressed = run(&["compress", "-o", "-"], trace.as_bytes());
    assert!(compressed.len() < 80, "{} bytes", compressed.len());
    assert_eq!(text(&run(&["expand", "-"], &compressed)), trace);
    assert_eq!(text(&run(&["expand", "--first", "2"], &compressed)), "0\n50000\n");
}

/// Names, instructions and unsigned addresses go through text and compressed files, in their order.
#[test]
fn streams_of_any_name_come_back_through_text() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut trace = String::from("\u{feff}");
    for i in 0..40u64 {
        trace.push_str(&format!("A[i] {}\n0x401000:load {}\n", 8 * i, u64::MAX - 4095 + 8 * i));
        if i % 3 == 0 {
            trace.push_str(&format!("B[i][j] {}\n", i * i * 7919 % 1013));
        }
    }
    let compressed = loopwright(directory.path(), &["compress", "-q", "-o", "-"], trace.as_bytes());
    assert!(compressed.status.success(), "{}", text(&compressed.stderr));
    let expanded = loopwright(directory.path(), &["expand"], &compressed.stdout);
    assert_eq!(text(&expanded.stdout), trace.trim_start_matches('\u{feff}'));
    let again = loopwright(directory.path(), &["compress", "-q", "-o", "-"], &expanded.stdout);
    assert_eq!(again.stdout, compressed.stdout);
    let one = loopwright(directory.path(), &["reconstruct", "--stream", "0x40"], trace.as_bytes());
    let expected =
        "# 40 integers, 1 nest of 1 loop, exact\nfor i0 = 0 .. 39\n  8*i0 + 18446744073709547520\n";
    assert_eq!(text(&one.stdout), expected);
}

/// Integers of which no description is shorter are listed as they are.
#[test]
fn ten_random_integers_are_no_nest() {
    let directory = tempfile::tempdir().expect("a directory");
    let ten = "13\n872\n401\n77\n930\n5\n644\n218\n999\n310\n";
    let output = loopwright(directory.path(), &["reconstruct"], ten.as_bytes());
    assert_eq!(text(&output.stdout), format!("# 10 integers, no nest, exact\n{ten}"));
}

fn interrupt(child: &Child) {
    let done = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(done.expect("kill").success());
}

/// An endless stream: the command is interrupted while `input` is written to it again and again.
fn interrupted(directory: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = started(directory, args);
    let mut stdin = child.stdin.take().expect("piped");
    let start = Instant::now();
    let mut asked = false;
    // It stops reading some time after it was asked to.
    while stdin.write_all(input).is_ok() {
        if !asked && start.elapsed() > Duration::from_millis(400) {
            interrupt(&child);
            asked = true;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "it reads on");
    }
    child.wait_with_output().expect("loopwright ends")
}

/// Regression 2: the line that an interrupt cut short was taken for a whole one.
#[test]
fn regression_2_endless_streams_are_interrupted_between_integers() {
    let directory = tempfile::tempdir().expect("a directory");
    let lines = "1234567890123\n".repeat(5000);
    let binary: Vec<u8> = (0..5000).flat_map(|_| 77i64.to_le_bytes()).collect();
    for (input, args, value) in [
        (lines.as_bytes(), &["reconstruct"][..], "1234567890123"),
        (lines.as_bytes(), &["reconstruct", "--quiet", "-"], "1234567890123"),
        (&binary, &["reconstruct", "--input-format", "i64"], "77"),
    ] {
        let output = interrupted(directory.path(), args, input);
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let message = "loopwright: interrupted; this is the trace up to there\n";
        let expected = if args.contains(&"--quiet") { "" } else { message };
        assert_eq!(text(&output.stderr), expected, "{args:?}");
        let found = text(&output.stdout);
        let count: u64 = found
            .strip_prefix("# ")
            .and_then(|rest| rest.split_once(" integers, 1 nest of 1 loop, exact\n"))
            .and_then(|(count, _)| count.parse().ok())
            .unwrap_or_else(|| panic!("{found}"));
        assert!(count > 5000, "{count}");
        assert!(found.ends_with(&format!("for i0 = 0 .. {}\n  {value}\n", count - 1)), "{found}");
    }
    // Nothing comes any more, and the last line is not complete.
    let mut child = started(directory.path(), &["reconstruct"]);
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"10\n20\n30\n4").expect("it reads");
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let output = child.wait_with_output().expect("loopwright ends");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(
        text(&output.stdout),
        "# 3 integers, 1 nest of 1 loop, exact\nfor i0 = 0 .. 2\n  10*i0 + 10\n"
    );
    drop(stdin);
    let output = interrupted(directory.path(), &["predict"], lines.as_bytes());
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(text(&output.stdout).starts_with("predicted"), "{output:?}");
    let output = interrupted(directory.path(), &["compress", "-o", "cut.lwc"], lines.as_bytes());
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let expanded = loopwright(directory.path(), &["expand", "cut.lwc"], b"");
    assert!(text(&expanded.stdout).lines().all(|line| line == "1234567890123"));
}

#[test]
fn a_recorded_program_gives_the_loops_it_was_written_with() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = "double a[30][40], b[40][30], c[30][30];\n\
                  void mm(void) { for (int i = 0; i < 30; i++) for (int j = 0; j < 30; j++)\n\
                  for (int k = 0; k < 40; k++) c[i][j] += a[i][k] * b[k][j]; }\n\
                  int main(void) { mm(); return 3; }\n";
    std::fs::write(directory.path().join("mm.c"), source).expect("a file");
    let cc =
        Command::new("cc").args(["-g", "-O1", "-o", "mm", "mm.c"]).current_dir(directory.path()).status();
    assert!(cc.expect("cc").success());
    let traced = loopwright(directory.path(), &["trace", "--function", "mm", "--", "./mm"], b"");
    assert_eq!(traced.status.code(), Some(3), "{}", text(&traced.stderr));
    let output = loopwright(directory.path(), &["reconstruct", "mm.lwt"], b"");
    let loops = text(&output.stdout);
    assert!(loops.contains("36000 integers, 1 nest of 3 loops, exact"), "{loops}");
    assert!(loops.contains("    for i2 = 0 .. 39\n      320*i0 + 8*i2 +"), "{loops}");
    assert!(loops.contains("    for i2 = 0 .. 39\n      8*i1 + 240*i2 +"), "{loops}");
}

/// Regression 1: addresses that advance by a register were traced as if they stood still.
#[test]
fn regression_1_columns_of_a_width_known_at_run_time() {
    let directory = tempfile::tempdir().expect("a directory");
    let table = kernels::load().expect("the table of kernels");
    let kernel = table.iter().find(|k| k.name() == "matmul_ijk").expect("a kernel of that name");
    let program = kernels::compile(kernel, kernels::Level::O2, directory.path()).expect("it compiles").path;
    let program = program.to_str().expect("a name in UTF-8");
    let args = ["trace", "-o", "t.lwt", "--function", "multiply", "--", program, "12"];
    let traced = loopwright(directory.path(), &args, b"");
    assert!(traced.status.success(), "{}", text(&traced.stderr));
    let found = loopwright(directory.path(), &["reconstruct", "--format", "json", "t.lwt"], b"");
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let streams = found["streams"].as_array().expect("streams").iter();
    let inner: Vec<String> = streams
        .filter(|s| s["accesses"] == 12 * 12 * 12)
        .map(|s| s["nests"][0]["access"]["coefficients"].to_string())
        .collect();
    // Rows of the one matrix, columns of the other, 96 bytes a row.
    assert_eq!(inner, ["[96,0,8]", "[0,8,96]"]);
}

/// Regression 3: iterations that record words of their own, and those that leave a loop in the middle, were not traced.
#[test]
fn regression_3_every_iteration_is_traced() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = "#include <stdlib.h>\n\
        __attribute__((noinline)) void scatter(double *to, const int *p, int n)\n\
        { for (int i = 0; i < n; i++) to[p[i]] = i * 2.0; }\n\
        __attribute__((noinline)) int find(const int *p, int n, int k)\n\
        { for (int i = 0; i < n; i++) if (p[i] == k) return i; return -1; }\n\
        int main(void) { static int p[2000]; static double to[2000]; int found = 0;\n\
        for (int i = 0; i < 2000; i++) p[i] = i * 7 % 2000;\n\
        for (int k = 0; k < 3; k++) { scatter(to, p, 2000); found += find(p, 2000, p[1499]); }\n\
        return found != 3 * 1499; }\n";
    std::fs::write(directory.path().join("sc.c"), source).expect("a source");
    let cc =
        Command::new("cc").args(["-g", "-O2", "-o", "sc", "sc.c"]).current_dir(directory.path()).status();
    assert!(cc.expect("cc").success());
    for (function, expected) in [("scatter", [6000, 6000]), ("find", [4500, 0])] {
        let traced = loopwright(
            directory.path(),
            &["trace", "--function", function, "-o", "sc.lwt", "--", "./sc"],
            b"",
        );
        assert_eq!(traced.status.code(), Some(0), "{}", text(&traced.stderr));
        let found = loopwright(directory.path(), &["reconstruct", "--format", "json", "sc.lwt"], b"");
        let found: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
        let streams = found["streams"].as_array().expect("streams").iter();
        let counts: Vec<u64> = streams.filter_map(|s| s["accesses"].as_u64()).filter(|&n| n > 10).collect();
        let expected: Vec<u64> = expected.into_iter().filter(|&n| n > 0).collect();
        assert_eq!(counts, expected, "{function}");
    }
    let nothing = loopwright(directory.path(), &["trace", "--function", "nosuch", "--", "./sc"], b"");
    assert_eq!(nothing.status.code(), Some(125));
    assert!(text(&nothing.stderr).contains("nosuch"), "{}", text(&nothing.stderr));
}

/// A program of C text prints this.
fn printed(directory: &Path, name: &str, source: &str) -> String {
    std::fs::write(directory.join(name).with_extension("c"), source).expect("a file");
    let (program, source) = (directory.join(name), directory.join(name).with_extension("c"));
    let compiled = Command::new("cc").arg("-o").arg(&program).arg(&source).status().expect("cc");
    assert!(compiled.success());
    text(&Command::new(&program).output().expect("it runs").stdout)
}

#[test]
fn nearly_affine_traces_are_loops_and_exceptions() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut trace: Vec<i64> = (0..50).flat_map(|i| (0..40).map(move |j| 1000 * i + 8 * j)).collect();
    (trace[333], trace[901], trace[1444]) = (7, 123_456, 99);
    trace.remove(1700);
    trace.insert(600, 42);
    let trace: String = trace.iter().map(|value| format!("{value}\n")).collect();
    let run = |more: &[&str]| {
        let args = [&["reconstruct", "--approximate", "1%"], more].concat();
        let output = loopwright(directory.path(), &args, trace.as_bytes());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let expected = "# 2000 integers, 1 nest of 2 loops but for 5 exceptions (0.250 %), exact with them\n\
        for i0 = 0 .. 49\n  for i1 = 0 .. 39\n    1000*i0 + 8*i1\n\
        # 3 integers are others; place in what the loops make, from 0:\n333\n901\n1444\n# what is there:\n7\n123456\n99\n\
        # 1 integer comes in addition, before; place in what the loops make, from 0:\n600\n# what is there:\n42\n\
        # 1 integer is missing; place in what the loops make, from 0:\n1700\n";
    assert_eq!(run(&[]), expected);
    assert_eq!(printed(directory.path(), "near", &run(&["--format", "c"])), trace);
    let json: serde_json::Value = serde_json::from_str(&run(&["--format", "json"])).expect("JSON");
    let exceptions = &json["streams"][0]["exceptions"];
    assert_eq!(exceptions[1], serde_json::json!({"place": 600, "kind": "added", "integer": 42}));
    // Without the share nothing is an exception, nor with one that is too small.
    for share in ["0", "0.1%"] {
        let output = loopwright(directory.path(), &["reconstruct", "--approximate", share], trace.as_bytes());
        assert!(!text(&output.stdout).contains("exceptions"), "{}", text(&output.stdout));
    }
    let output = loopwright(directory.path(), &["reconstruct", "--approximate", "2"], b"");
    assert!(text(&output.stderr).contains("a share is between 0 and 1"), "{}", text(&output.stderr));
}

#[test]
fn sparse_matrices_are_blocks_that_multiply_alike() {
    let directory = tempfile::tempdir().expect("a directory");
    let n = 40;
    let mut entries = String::new();
    let mut count = 0;
    for (x, y) in (0..n).flat_map(|x| (0..n).map(move |y| (x, y))) {
        for (dx, dy) in [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)] {
            if (0..n).contains(&(x + dx)) && (0..n).contains(&(y + dy)) {
                let (row, column) = (x * n + y + 1, (x + dx) * n + y + dy + 1);
                entries.push_str(&format!("{row} {column} {}\n", 0.25 * (dx * 3 + dy) as f64 + 1.0));
                count += 1;
            }
        }
    }
    // A few in no order.
    for k in 0..50 {
        entries.push_str(&format!("{} {} 0.5\n", (k * k * 31) % (n * n) + 1, (k * 977) % (n * n) + 1));
        count += 1;
    }
    let matrix = format!(
        "%%MatrixMarket matrix coordinate real general\n{size} {size} {count}\n{entries}",
        size = n * n
    );
    std::fs::write(directory.path().join("grid.mtx"), matrix).expect("a file");
    let run = |more: &[&str]| {
        let args = [&["reconstruct", "--spmv", "grid.mtx"], more].concat();
        let output = loopwright(directory.path(), &args, b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let json: serde_json::Value = serde_json::from_str(&run(&["--format", "json"])).expect("JSON");
    assert_eq!(json["schema"], "loopwright.spmv/1");
    let of = |name: &str| json[name].as_u64().expect("a number");
    assert_eq!(of("entries_in_blocks") + of("entries_in_residue"), of("entries"));
    assert!(of("entries_in_blocks") > of("entries") / 2, "{json}");
    assert_eq!(json["measured"]["agrees"], true);
    let text_of_it = run(&["-o", "grid.c"]);
    assert!(text_of_it.contains("the same result but for rounding"), "{text_of_it}");
    let code = std::fs::read_to_string(directory.path().join("grid.c")).expect("C");
    assert!(code.contains("void spmv(const double *restrict value"), "{code}");
    let failed = |file: &str, what: &str| {
        let output = loopwright(directory.path(), &["reconstruct", "--spmv", file], b"");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(what), "{}", text(&output.stderr));
    };
    failed("grid.c", "no Matrix Market file");
    failed("none.mtx", "none.mtx");
}

#[test]
fn that_no_fewer_loops_do_is_proved() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = loopwright(directory.path(), &["reconstruct", "--prove"], banded().as_bytes());
    let said = text(&output.stdout);
    assert!(
        said.contains("# proved: no nest of fewer loops with one bound a side generates it (2 shapes"),
        "{said}"
    );
}

/// A function called from two places.
const TWICE: &str = "enum { N = 50 };\n\
    static double a[N][N], b[N][N], y[N];\n\
    __attribute__((noinline)) static double sum(const double *p, long by, long n) {\n\
        double s = 0;\n\
        for (long k = 0; k < n; k++)\n\
            s += p[k * by];\n\
        return s;\n\
    }\n\
    __attribute__((noinline)) void twice(void) {\n\
        for (long i = 0; i < N; i++) {\n\
            y[i] = sum(a[i], 1, N);\n\
            y[i] += sum(b[0] + i, N, i);\n\
        }\n\
    }\n\
    int main(void) { twice(); return y[3] > 1; }\n";

#[test]
fn streams_are_told_apart_by_what_calls_them() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("twice.c"), TWICE).expect("a file");
    let mut cc = Command::new("cc");
    cc.args(["-g", "-O1", "-fno-inline", "-o", "twice", "twice.c"]).current_dir(directory.path());
    assert!(cc.status().expect("cc").success());
    let run = |args: &[&str]| {
        let output = loopwright(directory.path(), args, b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let traced: [(&str, &[&str]); 3] =
        [("contexts", &[]), ("merged", &["--merge-contexts"]), ("ordered", &["--ordered"])];
    for (name, more) in traced {
        run(&[&["trace", "-q"], more, &["--function", "twice", "-o", name, "--", "./twice"]].concat());
    }
    let all = run(&["reconstruct", "-q", "contexts"]);
    let of = |call: &str| {
        let is_head = |line: &&str| line.contains(":load/twice.c:6:") && line.contains(call);
        let after = |line: &str| all[all.find(line).unwrap() + line.len()..].trim_start().to_owned();
        all.lines().find(is_head).map(after).unwrap_or_else(|| panic!("{call}: {all}"))
    };
    assert!(of("/sum@11/L").starts_with("# 2500 integers, 1 nest of 1 loop"), "{all}");
    assert!(of("/sum@12/L").starts_with("# 1225 integers, 1 nest of 2 loops"), "{all}");
    // Both together are the one stream of the instruction.
    let merged = run(&["reconstruct", "-q", "merged"]);
    assert!(merged.contains("# 3725 integers"), "{merged}");
    // The order is kept, and gives the accesses in the order in which they were made.
    assert_eq!(run(&["reconstruct", "-q", "ordered"]), all);
    let whole = run(&["reconstruct", "-q", "--whole", "ordered"]);
    assert!(whole.contains("\nfor i0 = 0 .. 49\n"), "{whole}");
    run(&["compress", "-q", "-o", "ordered.lwc", "ordered"]);
    let program = run(&["reconstruct", "-q", "--whole", "--format", "c", "ordered"]);
    assert_eq!(printed(directory.path(), "whole", &program), run(&["expand", "ordered.lwc"]));
    assert!(
        run(&["reconstruct", "-q", "--whole", "--format", "openscop", "ordered"]).starts_with("<OpenScop>")
    );
    assert!(run(&["reconstruct", "-q", "--whole", "--format", "isl", "ordered"]).contains("schedule: { A"));
    let output = loopwright(directory.path(), &["reconstruct", "--whole", "contexts"], b"");
    assert!(
        text(&output.stderr).contains("does not keep the order between streams"),
        "{}",
        text(&output.stderr)
    );
    // Text that is read has an order of its own.
    let output =
        loopwright(directory.path(), &["reconstruct", "-q", "--whole"], b"a 1\nb 7\na 2\nb 8\na 3\nb 9\n");
    assert!(
        text(&output.stdout).starts_with("# 6 accesses of 2 streams, exact\n"),
        "{}",
        text(&output.stdout)
    );
}
