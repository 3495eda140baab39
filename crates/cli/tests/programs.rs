//! Ordinary programs behave under `loopwright profile` as they do alone: output, errors, exit status, signals, files.
//!
//! Each program has its own directory; what it leaves there is compared too.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, UNIX_EPOCH};

use tempfile::TempDir;

const LOOPWRIGHT: &str = env!("CARGO_BIN_EXE_loopwright");

/// Packages of the programs that a minimal Debian lacks.
const PACKAGES: &[(&str, &str)] = &[
    ("bc", "bc"),
    ("gcc", "gcc"),
    ("git", "git"),
    ("make", "make"),
    ("openssl", "openssl"),
    ("perl", "perl"),
    ("python3", "python3"),
    ("sqlite3", "sqlite3"),
    ("xz", "xz-utils"),
];

/// A run of a program.
struct Case<'a> {
    command: &'a [&'a str],
    input: &'a str,
    /// Files it finds in its directory.
    files: &'a [(&'a str, &'a str)],
    /// What a shell shows as its status.
    status: i32,
}

/// Programs that execute tens of millions of instructions are recorded up to this number of them; the rest runs
/// translated but not recorded. (The recorder's own tests record some of them whole.)
const LIMIT: &str = "100000";

/// Runs `command` in a directory of its own and checks that it does the same natively and recorded.
fn same(command: &[&str]) {
    Case { command, input: "", files: &[], status: 0 }.check();
}

impl Case<'_> {
    fn check(&self) {
        let name = self.command[0];
        if !is_found(name) {
            let package = PACKAGES.iter().find(|p| p.0 == name).map_or(name, |p| p.1);
            panic!("{name} is not installed: apt-get install {package}, or let cargo xtask ci do it");
        }
        let profiles = tempfile::tempdir().unwrap();
        let profile = profiles.path().join("program.lwp");
        let (native, native_files) = self.run(self.command);
        let mut recorded = vec![LOOPWRIGHT, "profile", "-q", "-o", profile.to_str().unwrap()];
        recorded.extend(["--max-instructions", LIMIT, "--"]);
        recorded.extend(self.command);
        let (recorded, recorded_files) = self.run(&recorded);

        let mut differences = String::new();
        let mut compare = |what: &str, native: &[u8], recorded: &[u8]| {
            if native != recorded {
                let (native, recorded) = (String::from_utf8_lossy(native), String::from_utf8_lossy(recorded));
                writeln!(differences, "{what}: alone {native:?}\n  recorded {recorded:?}").unwrap();
            }
        };
        compare("standard output", &native.stdout, &recorded.stdout);
        compare("standard error", &native.stderr, &recorded.stderr);
        compare("status", shown(&native).to_string().as_bytes(), shown(&recorded).to_string().as_bytes());
        for name in native_files.keys().chain(recorded_files.keys()) {
            let content = |files: &BTreeMap<String, Vec<u8>>| files.get(name).cloned().unwrap_or_default();
            compare(name, &content(&native_files), &content(&recorded_files));
        }
        assert!(differences.is_empty(), "{:?}\n{differences}", self.command);
        assert_eq!(shown(&native), self.status, "{native:?}");
        let report = Command::new(LOOPWRIGHT).arg("report").arg(&profile).output().unwrap();
        assert!(report.status.success(), "{report:?}");
        assert!(!report.stdout.is_empty());
    }

    /// What a command does in a fresh directory, and the files that are there afterwards.
    fn run(&self, command: &[&str]) -> (Output, BTreeMap<String, Vec<u8>>) {
        let directory = directory(self.files);
        let input = tempfile::NamedTempFile::new().unwrap();
        fs::write(input.path(), self.input).unwrap();
        let output = Command::new(command[0])
            .args(&command[1..])
            .current_dir(directory.path())
            .stdin(fs::File::open(input.path()).unwrap())
            .env("LC_ALL", "C")
            .env("PYTHONHASHSEED", "0")
            .env("PERL_HASH_SEED", "0")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(directory.path()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                files.insert(
                    entry.file_name().to_string_lossy().into_owned(),
                    fs::read(entry.path()).unwrap(),
                );
            }
        }
        (output, files)
    }
}

fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(directory.path().join(name), content).unwrap();
        let file = fs::File::options().write(true).open(directory.path().join(name)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
    }
    directory
}

fn is_found(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap();
    program.starts_with('/') || std::env::split_paths(&path).any(|d| d.join(program).is_file())
}

/// The status as a shell shows it.
fn shown(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap())
}

const NUMBERS: &str = "3\n1\n4\n1\n5\n9\n2\n6\n5\n3\n5\n8\n9\n7\n9\n";
const C: &str =
    "int f(int n) {\n  int s = 0;\n  for (int i = 0; i < n; i++)\n    s += i * i;\n  return s;\n}\n";

#[test]
fn ls() {
    let files = &[("a", "1"), ("b", "22"), (".hidden", "")][..];
    Case { command: &["ls", "-la", "--time-style=+%s", "a", "b"], input: "", files, status: 0 }.check();
    Case { command: &["ls", "-A", ".", "missing"], input: "", files, status: 2 }.check();
}

#[test]
fn bash_pipes_and_subshells() {
    same(&["bash", "-c", "echo a | tr a b; (exit 3); echo $?; x=$(echo deep); echo $x >&2"]);
}

/// A writer into a closed pipe dies of the signal, as it does alone.
#[test]
fn bash_closed_pipe() {
    same(&["bash", "-c", "yes | head -n 1; echo ${PIPESTATUS[0]}; trap"]);
}

#[test]
fn bash_traps() {
    same(&["bash", "-c", "trap 'echo caught' USR1; kill -USR1 $$; trap '' TERM; kill -TERM $$; echo on"]);
}

#[test]
fn exit_status() {
    Case { command: &["bash", "-c", "exit 42"], input: "", files: &[], status: 42 }.check();
}

#[test]
fn killed_by_itself() {
    for (signal, status) in [("TERM", 143), ("SEGV", 139), ("ABRT", 134), ("KILL", 137)] {
        let script = format!("echo before; kill -{signal} $$; echo never");
        Case { command: &["bash", "-c", &script], input: "", files: &[], status }.check();
    }
}

#[test]
fn perl() {
    let script =
        "my %h; $h{$_ % 7} += $_ for 1..100; print \"$_ $h{$_}\\n\" for sort keys %h; warn 'odd'; exit 3";
    Case { command: &["perl", "-e", script], input: "", files: &[], status: 3 }.check();
}

#[test]
fn python() {
    let script =
        "import sys\nprint(sum(i * i for i in range(100)))\nprint('odd', file=sys.stderr)\nsys.exit(5)";
    Case { command: &["python3", "-S", "-c", script], input: "", files: &[], status: 5 }.check();
}

#[test]
fn gcc_driver() {
    Case { command: &["gcc", "-O1", "-c", "f.c"], input: "", files: &[("f.c", C)], status: 0 }.check();
}

/// The compiler proper, which the driver runs as a child.
#[test]
fn cc1() {
    let found = Command::new("gcc").arg("-print-prog-name=cc1").stderr(Stdio::inherit()).output();
    let found = found.expect("gcc is not installed: apt-get install gcc, or let cargo xtask ci do it").stdout;
    let cc1 = String::from_utf8(found).unwrap().trim().to_owned();
    let command = &[&cc1, "-quiet", "-O0", "f.c", "-o", "f.s"];
    Case { command, input: "", files: &[("f.c", "int f(void) { return 1; }\n")], status: 0 }.check();
}

#[test]
fn git() {
    same(&["git", "hash-object", "--stdin"]);
    Case { command: &["git", "status"], input: "", files: &[], status: 128 }.check();
}

#[test]
fn openssl() {
    let files = &[("n", NUMBERS)][..];
    Case { command: &["openssl", "dgst", "-sha256", "n"], input: "", files, status: 0 }.check();
}

#[test]
fn sqlite() {
    let script =
        "create table t(a); insert into t values (3), (1), (2); select a from t order by a; select none;";
    Case { command: &["sqlite3", "base.db", script], input: "", files: &[], status: 1 }.check();
}

#[test]
fn filters_of_text() {
    let files = &[("n", NUMBERS)][..];
    for (command, status) in [
        (&["grep", "-c", "5", "n"][..], 0),
        (&["grep", "x"], 1),
        (&["sed", "-n", "s/1/x/p"], 0),
        (&["awk", "{ s += $1 } END { print s }"], 0),
        (&["sort", "-rn"], 0),
        (&["diff", "n", "-"], 0),
        (&["head", "-n", "3"], 0),
        (&["wc", "n", "missing"], 1),
    ] {
        Case { command, input: NUMBERS, files, status }.check();
    }
}

#[test]
fn find() {
    Case { command: &["find", ".", "-name", "a*"], input: "", files: &[("ab", "")], status: 0 }.check();
}

#[test]
fn archives() {
    let files = &[("n", NUMBERS)][..];
    for command in [
        &["tar", "--sort=name", "--mtime=@0", "-cf", "n.tar", "n"][..],
        &["gzip", "-9", "n"],
        &["xz", "-0", "-T1", "-k", "n"],
    ] {
        Case { command, input: "", files, status: 0 }.check();
    }
}

#[test]
fn bc() {
    Case { command: &["bc"], input: "2^64\nscale=9\n1/7\n", files: &[], status: 0 }.check();
}

#[test]
fn make() {
    let files = &[("Makefile", "all:\n\t@echo made\n\t@exit 3\n")][..];
    Case { command: &["make"], input: "", files, status: 2 }.check();
}

#[test]
fn date_and_env() {
    same(&["date", "-u", "-d", "@0"]);
    same(&["env", "-i", "A=1", "env"]);
    Case { command: &["env", "missing-program"], input: "", files: &[], status: 127 }.check();
}

#[test]
fn standard_input() {
    let long: String = (0..3000).fold(String::new(), |text, n| text + &format!("{n}\n"));
    Case { command: &["cat"], input: &long, files: &[], status: 0 }.check();
    // What one program leaves of the input is there for the next.
    Case { command: &["bash", "-c", "read a; echo $a; cat"], input: NUMBERS, files: &[], status: 0 }.check();
}

/// Faults of the program's own making, not sent by anybody.
#[test]
fn crashes() {
    let directory = tempfile::tempdir().unwrap();
    for (name, source, status) in [
        ("segment", "int main(void) { volatile int *p = 0; return *p; }", 139),
        ("abort", "#include <stdlib.h>\nint main(void) { abort(); }", 134),
        ("divide", "int main(int n, char **v) { volatile int z = 0; return n / z; }", 136),
    ] {
        let program = compile(directory.path(), name, source);
        Case { command: &[&program], input: "", files: &[], status }.check();
    }
}

fn compile(directory: &Path, name: &str, source: &str) -> String {
    let file = directory.join(format!("{name}.c"));
    let program = directory.join(name);
    fs::write(&file, source).unwrap();
    let done = Command::new("cc").args(["-O1", "-o"]).arg(&program).arg(&file).status();
    assert!(done.expect("cc is not installed: apt-get install gcc").success());
    program.to_str().unwrap().to_owned()
}
