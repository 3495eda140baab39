//! `try`: directives written into a copy, built and run beside the original.
//!
//! The program under test has a directive that helps, one that costs, and one that is wrong on the input that it is tried on: an array
//! of indices had no number twice in the run that was profiled. `BLESS=1` rewrites the golden text, in which times are `N`.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::Place;

const WORK: &str = include_str!("trying/work.c");
const MAKEFILE: &str = "CFLAGS = -O2 -g\nprogram: program.c\n\t$(CC) $(CFLAGS) -o $@ $< -lm\n";

/// A tree with a program in it, and its profile beside the tree.
struct Tree {
    place: Place,
    profile: PathBuf,
}

impl Tree {
    fn new(source: &[u8]) -> Tree {
        let place = Place::new();
        let tree = place.path("tree");
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("program.c"), source).unwrap();
        fs::write(tree.join("Makefile"), MAKEFILE).unwrap();
        let profile = place.path("p.lwp");
        let tree = Tree { place, profile };
        tree.record(&[]);
        tree
    }

    /// Builds without optimisation, outside of the tree, and profiles.
    fn record(&self, arguments: &[&str]) {
        let program = self.place.path("recorded");
        let source = self.directory().join("program.c");
        let done = Command::new("cc").args(["-O0", "-g", "-o"]).arg(&program).arg(source).arg("-lm").status();
        assert!(done.unwrap().success());
        let mut command = self.place.loopwright();
        command.args(["profile", "--quiet", "-o"]).arg(&self.profile).arg("--").arg(program).args(arguments);
        let done = command.output().unwrap();
        assert!(done.status.code().is_some_and(|code| code < 125), "{}", said(&done));
    }

    fn directory(&self) -> PathBuf {
        self.place.path("tree")
    }

    fn command(&self, run: &str, options: &[&str]) -> Command {
        let mut command = self.place.loopwright();
        command.arg("try").arg(&self.profile).args(["--quiet", "--run", run]);
        if !options.contains(&"--directory") {
            command.args(["--directory", "tree"]);
        }
        if !options.contains(&"--build") {
            command.args(["--build", "make -j2"]);
        }
        command.args(options).env("OMP_WAIT_POLICY", "passive");
        command
    }

    fn attempt(&self, run: &str, options: &[&str]) -> Output {
        self.command(run, options).output().unwrap()
    }

    /// What the tree and the temporary directory have.
    fn files(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut left = vec![self.place.directory().to_owned()];
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    left.push(path.clone());
                }
                let name = path.strip_prefix(self.place.directory()).unwrap().display().to_string();
                let about = fs::metadata(&path).unwrap();
                let time = if path.starts_with(self.directory()) { about.modified().ok() } else { None };
                out.push(format!("{name} {} {time:?}", if path.is_file() { about.len() } else { 0 }));
            }
        }
        out.sort();
        out
    }

    fn report(&self, format: &str) -> String {
        let mut command = self.place.loopwright();
        let output = command.args(["report", "--format", format]).arg(&self.profile).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A text with every number that a time or an output makes as `N`, each paragraph in one line.
fn masked(text: &str) -> String {
    let paragraph = |text: &str| -> String {
        let words = text.split_whitespace().map(|word| {
            let plain: String = word.chars().filter(|c| c.is_ascii_digit()).collect();
            let is_measured =
                word.contains('.') && word.chars().any(|c| c.is_ascii_digit()) && !word.contains(".c");
            match is_measured || plain.len() > 6 {
                true => {
                    let mut out = String::new();
                    for c in word.chars() {
                        let is_number = c.is_ascii_digit() || c == '.';
                        if !is_number {
                            out.push(c);
                        } else if !out.ends_with('N') {
                            out.push('N');
                        }
                    }
                    out
                }
                false => word.to_owned(),
            }
        });
        words.collect::<Vec<_>>().join(" ")
    };
    text.split("\n\n").map(paragraph).collect::<Vec<_>>().join("\n\n") + "\n"
}

fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{}: BLESS=1 rewrites it", path.display());
}

/// One helps, one costs, one is wrong: the last two are found and dropped, what is left is a patch, and later reports show it.
#[test]
fn what_costs_and_what_is_wrong_is_dropped() {
    let tree = Tree::new(WORK.as_bytes());
    let before = tree.files();
    let options = ["--threads", "1,2", "--rounds", "3", "--patch", "held.patch"];
    let output = tree.attempt("./program 300 60000 1 200", &options);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // How often the wrong one is wrong is a matter of luck.
    let text = masked(&text);
    let of_wrong = text.find("the output differs").unwrap();
    let (head, tail) = text.split_at(of_wrong);
    let (same, rest) = tail.split_once("same output ").unwrap();
    let text = format!("{head}{same}same output N{}", &rest[1..]);
    assert_golden("try.txt", &text);

    let after = tree.files();
    let new: Vec<&String> = after.iter().filter(|file| !before.contains(file)).collect();
    let names: Vec<&str> = new.iter().filter_map(|file| file.split(' ').next()).collect();
    assert_eq!(names, ["held.patch", "p.lwp.try.json"]);

    let mut patch = Command::new("patch");
    patch.args(["-p1", "--quiet", "-i"]).arg(tree.place.path("held.patch")).current_dir(tree.directory());
    assert!(patch.status().unwrap().success());
    let source = fs::read_to_string(tree.directory().join("program.c")).unwrap();
    assert_eq!(source.matches("#pragma omp").count(), 1);
    assert!(
        source.contains(
            "    #pragma omp parallel for\n    for (int i = 0; i < CELLS; i++) {\n        double x"
        )
    );
    tree.place.compile("patched", &source, &["-O2", "-fopenmp", "-fno-math-errno"]);
    for file in ["patched", "patched.c"] {
        fs::remove_file(tree.place.path(file)).unwrap();
    }
    fs::write(tree.directory().join("program.c"), WORK).unwrap();

    let text = tree.report("text");
    assert!(text.contains("same output 6 of 6"), "{text}");
    assert!(text.contains("no directive: it was tried, and the program takes longer"), "{text}");
    assert!(text.contains("no directive: it was tried, and the output differs"), "{text}");
    assert!(tree.report("html").contains("same output 6 of 6"));
    let report: Value = serde_json::from_str(&tree.report("json")).unwrap();
    let of = |function: &str| {
        let mut loops = report["loops"].as_array().unwrap().iter();
        loops.find(|own| own["function"] == function && !own["tried"].is_null()).unwrap().clone()
    };
    assert_eq!(
        (of("heavy")["tried"]["kept"].as_bool(), of("heavy")["tried"]["same_output"].as_u64()),
        (Some(true), Some(6))
    );
    assert_eq!(of("scatter")["tried"]["kept"], false);
    assert!(of("scatter")["directive"].is_null() && of("scatter")["directive_alone"].is_string());

    // The measurement is of that profile, and of no other.
    tree.record(&["3"]);
    assert!(!tree.report("text").contains("same output"));
}

/// A program that takes no time, with one loop that has a directive.
const QUICK: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\nstatic int a[100000];\nint main(int argc, char **argv)\n{\n\
    int wait = argc > 1 ? atoi(argv[1]) : 0;\n    int n = 100000;\n\
    for (int i = 0; i < n; i++)\n        a[i] = i * 7;\n\
    if (wait == 1)\n        for (;;) { volatile int x = 0; (void)x; }\n\
    if (wait == 2) {\n        struct timespec now;\n        clock_gettime(CLOCK_REALTIME, &now);\n        printf(\"took %ld\\n\", now.tv_nsec);\n    }\n\
    if (wait == 3)\n        abort();\n\
    printf(\"%d\\n\", a[5]);\n    return 0;\n}\n";

#[test]
fn what_cannot_be_tried_is_named_and_nothing_is_left() {
    let tree = Tree::new(QUICK.as_bytes());
    let before = tree.files();
    let small = ["--threads", "2", "--rounds", "1"];
    let fails = |run: &str, options: &[&str], expected: &str| {
        let output = tree.attempt(run, &[&small[..], options].concat());
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(expected), "{expected}: {}", said(&output));
        assert_eq!(tree.files(), before, "{expected}");
    };
    fails(
        "./program",
        &["--build", "echo 'no rule' >&2; exit 3"],
        "the build command fails on an unchanged copy",
    );
    fails("./program", &["--build", "echo 'no rule' >&2; exit 3"], "no rule");
    fails("./missing", &[], "the original does not run");
    fails("./program 3", &[], "ended with status 134");
    fails("./program 1", &["--time-limit", "1"], "the original did not end within 1 seconds");
    fails("./program 2", &[], "two runs of the original print different things (line 1: `took");
    fails("./program", &["--directory", "nowhere"], "nowhere");

    let compare = [
        "--compare",
        "f() { tail -1 \"$1\" > x.$$; tail -1 \"$2\" | cmp -s - x.$$; r=$?; rm x.$$; return $r; }; f",
    ];
    let output = tree.attempt("./program 2", &[&small[..], &compare].concat());
    let text = said(&output);
    assert!(text.contains("two runs of the original print different things"), "{text}");
    assert!(text.contains("same output 1 of 1"), "{text}");
    fs::remove_file(tree.place.path("p.lwp.try.json")).unwrap();

    // A build that finds its compiler by the full path does not get OpenMP; with the variable it does.
    let absolute = ["--build", "$(command -v -p cc) -O2 -o program program.c $LOOPWRIGHT_OPENMP"];
    let output = tree.attempt("./program", &[&small[..], &absolute].concat());
    assert!(said(&output).contains("same output 1 of 1"), "{}", said(&output));
    let absolute = ["--build", "/usr/bin/cc -O2 -o program program.c"];
    let output = tree.attempt("./program", &[&small[..], &absolute].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("built without OpenMP"), "{}", said(&output));
    assert!(!tree.report("text").contains("it was tried"), "that says nothing about the directive");
    fs::remove_file(tree.place.path("p.lwp.try.json")).unwrap();

    // Unsaved edits are of another program.
    fs::write(tree.directory().join("program.c"), format!("\n{QUICK}")).unwrap();
    let output = tree.attempt("./program", &small);
    assert!(said(&output).contains("changed after the profile was written"), "{}", said(&output));
}

/// Line ends and bytes that are no UTF-8 stay, and a tree that cannot be written is no obstacle.
#[test]
fn bytes_and_line_ends_stay() {
    let mut source = QUICK.replace('\n', "\r\n").into_bytes();
    source.splice(0..0, b"/* caf\xe9 */\r\n".iter().copied());
    let tree = Tree::new(&source);
    let file = tree.directory().join("program.c");
    for path in [&file, &tree.directory()] {
        let mut permissions = fs::metadata(path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(path, permissions).unwrap();
    }
    let output = tree.attempt("./program", &["--threads", "2", "--rounds", "7", "--patch", "held.patch"]);
    assert!(said(&output).contains("same output 7 of 7"), "{}", said(&output));
    let patch = fs::read(tree.place.path("held.patch")).unwrap();
    let has = |part: &[u8]| patch.windows(part.len()).any(|own| own == part);
    assert!(has(b"+#pragma omp parallel for\r\n"), "{}", String::from_utf8_lossy(&patch));
    assert_eq!(fs::read(&file).unwrap(), source);
    let mut permissions = fs::metadata(tree.directory()).unwrap().permissions();
    #[allow(clippy::permissions_set_readonly_false, reason = "a directory of the test, about to be removed")]
    permissions.set_readonly(false);
    fs::set_permissions(tree.directory(), permissions).unwrap();
}

/// Ctrl-C in the middle of a build leaves nothing behind: no copy, no process, no result.
#[test]
fn an_interrupt_leaves_nothing() {
    let tree = Tree::new(QUICK.as_bytes());
    let before = tree.files();
    let mut command = tree.command("./program", &["--build", "touch started; sleep 59"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    let is_building = || {
        let copies = fs::read_dir(tree.place.directory()).unwrap().map(|entry| entry.unwrap().path());
        copies.into_iter().any(|path| path.join("original/started").exists())
    };
    while !is_building() {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(tree.files(), before);
    assert!(start.elapsed() < Duration::from_secs(50));
}

/// Regression 32: a loop over a container counts with an object, which compilers take for threads and refuse for lanes.
#[test]
fn regression_32_lanes_count_with_integers() {
    let place = Place::new();
    let source = "#include <cstdio>\nstatic double a[2000];\nint main()\n{\n    for (int r = 0; r < 40; r++)\n\
        for (double &x : a)\n            x = x * 0.5 + r;\n    std::printf(\"%g\\n\", a[7]);\n    return 0;\n}\n";
    let file = place.path("program.cpp");
    fs::write(&file, source).unwrap();
    let mut command = Command::new("c++");
    let done = command.args(["-std=c++17", "-O0", "-g", "-o"]).arg(place.path("program")).arg(&file).status();
    assert!(done.unwrap().success());
    let mut command = place.loopwright();
    let done = command.args(["profile", "--quiet", "-o", "p.lwp", "--", "./program"]).output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    let output = place.loopwright().args(["report", "--format", "json", "p.lwp"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let own = report["loops"].as_array().unwrap().iter().find(|own| own["line"] == 6 && own["main"] == true);
    let own = own.unwrap();
    assert_eq!(own["directive_alone"], "#pragma omp parallel for", "{own:#}");
    assert!(!own["directive"].as_str().is_some_and(|text| text.contains("simd")), "{own:#}");
}

/// A race that the output does not show: ThreadSanitizer sees it.
#[test]
fn races_are_seen() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nstatic int a[40000], at[40000], b[40000];\nint main(int argc, char **argv)\n{\n\
        int n = 40000, m = argc > 1 ? atoi(argv[1]) : n;\n    for (int i = 0; i < n; i++)\n        at[i] = i % m;\n\
        for (int i = 0; i < n; i++)\n        a[at[i]] = 7 + b[i];\n\
        printf(\"%d\\n\", a[5 % m]);\n    return 0;\n}\n";
    let tree = Tree::new(source.as_bytes());
    let output = tree.attempt("./program 1", &["--threads", "2", "--rounds", "5", "--sanitize"]);
    let text = said(&output);
    if text.contains("--sanitize takes clang") {
        eprintln!("clang or libomp is missing: not tested");
        return;
    }
    let report: Value =
        serde_json::from_slice(&fs::read(tree.place.path("p.lwp.try.json")).unwrap()).unwrap();
    let fates: Vec<(u64, &Value)> = report["directives"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tried| (tried["line"].as_u64().unwrap(), &tried["fate"]))
        .collect();
    assert!(fates.contains(&(7, &"kept".into())), "{text}");
    let racing = fates.iter().find(|(line, _)| *line == 9);
    let racing = racing.unwrap_or_else(|| panic!("{text} {}", tree.report("text")));
    assert!(racing.1["dropped"]["race"][0].as_str().unwrap().starts_with("program.c:1"), "{text}");
}
