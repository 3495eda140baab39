//! What Loopwright says when it cannot do its work: one line with the culprit and the remedy, and the right exit code.
//!
//! Codes of `profile`: 127 not found, 126 not executable here, 125 anything else; below those, the program's own.

use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::{LOOPWRIGHT, Place};

/// A file with this content and these permissions.
fn written(place: &Place, name: &str, content: &[u8], mode: u32) -> PathBuf {
    let path = place.path(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

fn profiled(place: &Place, program: &Path) -> Output {
    place.loopwright().args(["profile", "-o", "p.lwp", "--"]).arg(program).output().unwrap()
}

/// Names of all files, but those given.
fn others(place: &Place, known: &[&str]) -> Vec<String> {
    let names =
        fs::read_dir(place.directory()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    names.filter(|n| !known.contains(&n.as_str())).collect()
}

/// The code, and one line that starts with our name and contains all `parts`.
fn fails(output: &Output, code: i32, parts: &[&str]) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    assert!(text.starts_with("loopwright: "), "{text}");
    says(&text, parts);
}

fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
    for never in ["panicked", "RUST_BACKTRACE", "Error {", "Os {", "Some(", "\\\"", "kind:", "unwrap"] {
        assert!(!text.contains(never), "{never:?} is in:\n{text}");
    }
}

/// The first bytes of an ELF file.
fn elf(class: u8, kind: u16, machine: u16) -> Vec<u8> {
    let mut head = vec![0; 128];
    head[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1, 1]);
    head[16..18].copy_from_slice(&kind.to_le_bytes());
    head[18..20].copy_from_slice(&machine.to_le_bytes());
    head[20] = 1;
    head
}

#[test]
fn programs_that_cannot_run() {
    let place = Place::new();
    let text = b"just text\n";
    for (name, content, mode, code, parts) in [
        ("text", &text[..], 0o755, 126, &["neither an ELF program nor a script", "#!"][..]),
        ("empty", b"", 0o755, 126, &["neither an ELF program nor a script"]),
        ("short", b"\x7fELF", 0o755, 126, &["neither an ELF program nor a script"]),
        ("bits32", &elf(1, 2, 3), 0o755, 126, &["32-bit", "-m64"]),
        ("x32", &elf(1, 2, 62), 0o755, 126, &["32-bit"]),
        ("arm", &elf(2, 2, 40), 0o755, 126, &["built for 32-bit ARM", "x86-64"]),
        ("other", &elf(2, 2, 999), 0o755, 126, &["built for machine number 999"]),
        ("object", &elf(2, 1, 62), 0o755, 126, &["not a program", "link it"]),
        ("hollow", &elf(2, 2, 62), 0o755, 125, &["cannot be started"]),
        ("plain", b"#!/bin/sh\n", 0o644, 126, &["no execute permission", "chmod +x"]),
        (
            "orphan",
            b"#!/no/such/interpreter -x\necho\n",
            0o755,
            126,
            &["/no/such/interpreter", "does not exist"],
        ),
        ("nameless", b"#!\necho\n", 0o755, 126, &["interpreter"]),
    ] {
        let program = written(&place, name, content, mode);
        let mut parts = parts.to_vec();
        parts.push(program.to_str().unwrap());
        fails(&profiled(&place, &program), code, &parts);
        fs::remove_file(program).unwrap();
    }
    assert!(others(&place, &[]).is_empty());
}

#[test]
fn missing_programs() {
    let place = Place::new();
    fails(&profiled(&place, &place.path("none")), 127, &["/none: no such file"]);
    fails(&profiled(&place, Path::new("no-such-program")), 127, &["no-such-program: no such file", "PATH"]);
    let directory = place.path("directory");
    fs::create_dir(&directory).unwrap();
    fails(&profiled(&place, &directory), 126, &["/directory: "]);
    let below = written(&place, "file", b"", 0o644).join("below");
    fails(&profiled(&place, &below), 127, &["below"]);
}

#[test]
fn wrong_command_lines() {
    let place = Place::new();
    for (args, code, parts) in [
        (&["profile", "--no-such-option", "--", "true"][..], 125, &["--no-such-option"][..]),
        (&["profile"], 125, &["PROGRAM"]),
        (&["profile", "--duration=-1", "--", "true"], 125, &["--duration", "seconds"]),
        (&["profile", "--duration", "nan", "--", "true"], 125, &["seconds"]),
        (&["profile", "--duration=1e300", "--", "true"], 125, &["seconds"]),
        (&["profile", "--max-instructions", "many", "--", "true"], 125, &["many"]),
        (&["profile", "--give-up", "0", "--", "true"], 125, &["--give-up", "at least 1", "never"]),
        (&["profile", "--give-up", "some", "--", "true"], 125, &["some", "a number of pieces"]),
        (&["profile", "--give-up=-3", "--", "true"], 125, &["a number of pieces"]),
        (&["profile", "--fast", "--give-up", "9", "--", "true"], 125, &["--fast", "--give-up"]),
        (&["profile", "--fast", "--widen-deps", "--", "true"], 125, &["--fast", "--widen-deps"]),
        (&["report", "a.lwp", "b.lwp"], 2, &["one profile at a time", "--format folding"]),
        (
            &["report", "--published", "t.csv", "a.lwp"],
            2,
            &["--published is for --table and --format folding"],
        ),
        (&["report", "--format", "xml", "p"], 2, &["xml", "json"]),
        (&["report"], 2, &["PROFILE"]),
        (&["no-such-command"], 2, &["no-such-command"]),
        (&[], 2, &["profile"]),
    ] {
        let output = place.loopwright().args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?} {output:?}");
        says(&String::from_utf8_lossy(&output.stderr), parts);
    }
    assert!(others(&place, &[]).is_empty());
    let help = place.loopwright().args(["profile", "--help"]).output().unwrap();
    assert_eq!((help.status.code(), help.stderr.is_empty()), (Some(0), true));
}

#[test]
fn program_killed_by_a_signal() {
    let place = Place::new();
    let source = "#include <signal.h>\n#include <unistd.h>\nstatic int a[100];\n\
        int main(void) { for (int i = 0; i < 50000; i++) a[i % 100] = i; kill(getpid(), SIGTERM); return a[3]; }";
    let program = place.compile("dies", source, &["-O0", "-g"]);
    let output = profiled(&place, &program);
    assert_eq!(output.status.code(), Some(128 + 15), "{output:?}");
    says(&String::from_utf8_lossy(&output.stderr), &["dies.c:main:4", "Profile: p.lwp"]);
    assert!(place.path("p.lwp").is_file());
}

/// Ctrl-C reaches recorder and program alike; what was seen until then is kept.
#[test]
fn endless_program_interrupted() {
    let place = Place::new();
    let source = "static volatile int a[100];\nint main(void) {\n  for (;;)\n    for (int i = 0; i < 100; i++)\n      \
        a[i] += 1;\n}\n";
    let program = place.compile("endless", source, &["-O0", "-g"]);
    let mut command = place.loopwright();
    command.args(["profile", "-o", "p.lwp", "--"]).arg(&program).process_group(0);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(128 + 2), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    says(&text, &["interrupted", "endless.c:main:4", "Profile: p.lwp"]);
    let report = place.loopwright().args(["report", "p.lwp"]).output().unwrap();
    says(&String::from_utf8_lossy(&report.stdout), &["interrupted", "endless.c:main:4"]);
}

/// A second interrupt, after the program's end, loses nothing but what is not analysed yet; only a third ends without a
/// profile. The profile goes to a pipe that nobody reads for a while, so that there is time to interrupt.
#[test]
fn interrupted_again() {
    let place = Place::new();
    let source = "static volatile int a[100];\nint main(void) {\n  for (;;)\n    for (int i = 0; i < 100; i++)\n      \
        a[i] += 1;\n}\n";
    let program = place.compile("endless", source, &["-O0", "-g"]);
    let pipe = place.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for interrupts in [2, 3] {
        let mut command = place.loopwright();
        command.args(["profile", "-o", "pipe", "--"]).arg(&program).process_group(0);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let group = format!("-{}", child.id());
        for _ in 0..interrupts {
            std::thread::sleep(Duration::from_millis(1500));
            assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
        }
        if interrupts == 2 {
            fs::write(place.path("p.lwp"), fs::read(&pipe).unwrap()).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(128 + 2), "{output:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        says(&text, &["interrupted; recording ends", "skipping what is not analysed yet"]);
        // The profile is written first, and read by people afterwards.
        for part in ["endless.c:main:4", "Profile: pipe"] {
            assert_eq!(text.contains(part), interrupts == 2, "{part}: {text}");
        }
    }
    let report = place.loopwright().args(["report", "p.lwp"]).output().unwrap();
    says(&String::from_utf8_lossy(&report.stdout), &["recording was interrupted", "endless.c:main:4"]);
}

/// Arguments are nobody else's business where that is said.
#[test]
fn arguments_stay_out_of_a_profile() {
    let place = Place::new();
    let program = place.compile("quiet", "int main(void) { return 0; }", &["-O0", "-g"]);
    for (option, is_there) in [(None, true), (Some("--no-arguments"), false)] {
        let mut command = place.loopwright();
        command.args(["profile", "-q", "-o", "p.lwp"]).args(option).arg("--").arg(&program).arg("secret");
        assert!(command.status().unwrap().success());
        let report = place.loopwright().args(["report", "p.lwp", "--format", "json"]).output().unwrap();
        let text = String::from_utf8_lossy(&report.stdout);
        assert_eq!(text.contains("secret"), is_there, "{text}");
        assert!(text.contains("quiet"), "{text}");
    }
}

/// A program that survives the interrupt runs on by itself, and its status counts; an interrupt sent to the recorder alone
/// ends the recording too.
#[test]
fn interrupted_program_runs_on() {
    let place = Place::new();
    let source = "#include <signal.h>\n#include <stdio.h>\n#include <time.h>\nstatic volatile int a[100], seen;\n\
        static void on(int s) { (void)s; seen++; }\n\
        int main(void) { signal(SIGINT, on); time_t end = time(0) + 4; while (time(0) < end)\n\
        for (int i = 0; i < 100; i++) a[i] += 1;\n printf(\"%d\\n\", seen); return 7; }";
    let program = place.compile("stubborn", source, &["-O0", "-g"]);
    for (target, handled) in [("group", "1\n"), ("recorder", "0\n")] {
        let mut command = place.loopwright();
        command.args(["profile", "-o", "p.lwp", "--"]).arg(&program).process_group(0);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1200));
        let id = if target == "group" { format!("-{}", child.id()) } else { child.id().to_string() };
        assert!(Command::new("kill").args(["-INT", "--", &id]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{target}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), handled, "{target}");
        let text = String::from_utf8_lossy(&output.stderr);
        says(&text, &["recording was interrupted", "stubborn.c:main:7", "Profile: p.lwp"]);
    }
}

/// A request to terminate, to the recorder alone or to all, reaches the program once, and what was recorded is kept.
#[test]
fn asked_to_terminate() {
    let place = Place::new();
    let source = "#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\nstatic volatile int a[100], seen;\n\
        static void on(int s) { (void)s; seen++; }\n\
        int main(int n, char **v) { (void)v; if (n > 1) signal(SIGTERM, on); while (!seen)\n\
        for (int i = 0; i < 100; i++) a[i] += 1;\n usleep(300000); printf(\"%d\\n\", seen); return 7; }";
    let program = place.compile("asked", source, &["-O0", "-g"]);
    for (group, handles) in [(true, true), (false, true), (true, false), (false, false)] {
        let mut command = place.loopwright();
        command.args(["profile", "-o", "p.lwp", "--"]).arg(&program).process_group(0);
        command.args(handles.then_some("handles"));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1200));
        let id = if group { format!("-{}", child.id()) } else { child.id().to_string() };
        assert!(Command::new("kill").args(["-TERM", "--", &id]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let expected = if handles { (Some(7), "1\n") } else { (Some(128 + 15), "") };
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!((output.status.code(), &*printed), expected, "{group} {handles}: {output:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        says(&text, &["recording was interrupted", "asked.c:main:7", "Profile: p.lwp"]);
    }
}

/// Started where interrupts are ignored, as in the background of a script, recorder and program do not mind them.
#[test]
fn interrupts_ignored() {
    let place = Place::new();
    let source = "#include <signal.h>\n#include <stdio.h>\n#include <time.h>\n\
        int main(void) { time_t end = time(0) + 3; volatile int a = 0; while (time(0) < end) a++;\n\
        printf(\"%d\\n\", signal(SIGINT, SIG_DFL) == SIG_IGN); return 7; }";
    let program = place.compile("background", source, &["-O0", "-g"]);
    let mut command = Command::new("env");
    command.arg("--ignore-signal=INT").arg(LOOPWRIGHT).current_dir(place.directory());
    command.args(["profile", "-o", "p.lwp", "--"]).arg(&program).process_group(0);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1200));
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("interrupted"), "{text}");
    says(&text, &["background.c:main:4", "Profile: p.lwp"]);
}

#[test]
fn first_pass_interrupted() {
    let place = Place::new();
    let program = place.compile("endless", "int main(void) { for (volatile int i = 0;; i++); }", &["-O0"]);
    let mut command = place.loopwright();
    command.args(["profile", "--two-pass", "-o", "p.lwp", "--"]).arg(&program).process_group(0);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 2), "{output:?}");
    says(
        &String::from_utf8_lossy(&output.stderr),
        &["interrupted in the first pass", "no profile is written"],
    );
    assert!(others(&place, &["endless", "endless.c"]).is_empty());
}

/// Runs a command in a process that may not trace, as in a container with a strict seccomp profile.
const NO_PTRACE: &str = "#include <errno.h>\n#include <stddef.h>\n#include <unistd.h>\n#include <linux/filter.h>\n\
    #include <linux/seccomp.h>\n#include <sys/prctl.h>\n#include <sys/syscall.h>\n\
    int main(int n, char **v) {\n\
    struct sock_filter code[] = {\n\
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),\n\
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),\n\
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),\n\
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };\n\
    struct sock_fprog prog = { 4, code };\n\
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog)) return 99;\n\
    execv(v[1], v + 1); return 98; }";

#[test]
fn no_permission_to_trace() {
    let place = Place::new();
    let helper = place.compile("no-ptrace", NO_PTRACE, &[]);
    for mode in ["--single-pass", "--two-pass", "--fast"] {
        let mut command = Command::new(&helper);
        command.arg(LOOPWRIGHT).args(["profile", "-q", mode, "-o", "p.lwp", "--", "true"]);
        let output = command.current_dir(place.directory()).stdin(Stdio::null()).output().unwrap();
        let settings = [
            "does not permit tracing",
            "sysctl kernel.yama.ptrace_scope",
            "--cap-add=SYS_PTRACE",
            "--security-opt seccomp=",
        ];
        fails(&output, 125, &settings);
        assert!(others(&place, &["no-ptrace", "no-ptrace.c"]).is_empty());
    }
}

#[test]
fn no_debug_information() {
    let place = Place::new();
    let source = "#include <stdio.h>\n__attribute__((noinline)) int sum(int *a, int n)\n\
        { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n\
        int main(void) { static int a[9999]; for (int i = 0; i < 9999; i++) a[i] = i; printf(\"%d\\n\", sum(a, 9999)); }";
    let program = place.compile("plain", source, &["-O0"]);
    let output = profiled(&place, &program);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    says(&String::from_utf8_lossy(&output.stderr), &["sum+0x", "main+0x", "compile with -g"]);
    fs::remove_file(place.path("p.lwp")).unwrap();
    assert!(Command::new("strip").arg(&program).status().unwrap().success());
    let output = profiled(&place, &program);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    says(&String::from_utf8_lossy(&output.stderr), &["plain+0x", "compile with -g"]);
}

#[test]
fn profile_that_cannot_be_written() {
    let place = Place::new();
    let to = |file: &str| {
        let args = ["profile", "-q", "-o", file, "--", "true"];
        place.loopwright().args(args).output().unwrap()
    };
    // Nothing is lost: the profile stays among the temporary files.
    fails(&to("/dev/full"), 125, &["/dev/full", "No space left", "it is kept as "]);
    assert!(!fs::metadata("/dev/full").unwrap().is_file());
    let kept = others(&place, &[]);
    assert_eq!(kept.len(), 1, "{kept:?}");
    let report = place.loopwright().arg("report").arg(&kept[0]).output().unwrap();
    assert_eq!(report.status.code(), Some(0));
    fs::remove_file(place.path(&kept[0])).unwrap();
    // What is known before the run is said before the run.
    fails(&to("no/such/p.lwp"), 125, &["no/such/p.lwp", "does not exist"]);
    fails(&to("."), 125, &["is a directory", "-o"]);
    assert!(others(&place, &[]).is_empty());
    // A file is replaced whole, through links too.
    written(&place, "old.lwp", b"LWPROF\x1a\nold", 0o644);
    std::os::unix::fs::symlink("old.lwp", place.path("link.lwp")).unwrap();
    assert_eq!(to("link.lwp").status.code(), Some(0));
    assert!(fs::symlink_metadata(place.path("link.lwp")).unwrap().is_symlink());
    assert!(fs::read(place.path("old.lwp")).unwrap().len() > 100);
    assert!(others(&place, &["old.lwp", "link.lwp"]).is_empty());
}

#[test]
fn profile_that_cannot_be_read() {
    let place = Place::new();
    let report = |file: &str| place.loopwright().args(["report", file]).output().unwrap();
    let recorded = profiled(&place, Path::new("true"));
    assert_eq!(recorded.status.code(), Some(0));
    let good = fs::read(place.path("p.lwp")).unwrap();
    fails(&report("none"), 2, &["none: ", "No such file"]);
    fails(&report("/"), 2, &["/: "]);
    written(&place, "text", b"text", 0o644);
    fails(&report("text"), 2, &["text: not a Loopwright profile"]);
    written(&place, "cut", &good[..good.len() / 2], 0o644);
    fails(&report("cut"), 2, &["cut: damaged profile", "record the program again"]);
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 0x10;
    written(&place, "flipped", &flipped, 0o644);
    fails(&report("flipped"), 2, &["flipped: damaged profile"]);
    let mut newer = good.clone();
    newer[8] = 0xff;
    written(&place, "newer", &newer, 0o644);
    fails(&report("newer"), 2, &["newer: profile format", "of a newer Loopwright"]);
    let full = place.loopwright().args(["report", "p.lwp", "-o", "/dev/full"]).output().unwrap();
    fails(&full, 2, &["/dev/full", "No space left"]);
    let mut closed = place.loopwright();
    closed.args(["report", "p.lwp"]).stdout(fs::File::options().write(true).open("/dev/full").unwrap());
    fails(&closed.stderr(Stdio::piped()).output().unwrap(), 2, &["standard output", "No space left"]);
}

/// Somebody who reads only the beginning is no error, and nobody who listens is none either.
#[test]
fn closed_outputs() {
    let place = Place::new();
    let script = format!(
        "{LOOPWRIGHT} profile -o p.lwp -- true 2>&1 | head -n 1; echo ${{PIPESTATUS[0]}}; \
        {LOOPWRIGHT} report p.lwp | head -n 1; echo ${{PIPESTATUS[0]}}; \
        {LOOPWRIGHT} profile -- /no/such 2>&-; echo $?"
    );
    let output = Command::new("bash").args(["-c", &script]).current_dir(place.directory()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let codes: Vec<&str> = text.lines().filter(|l| l.parse::<u8>().is_ok()).collect();
    assert_eq!(codes, ["0", "0", "127"], "{text} {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.signal(), None);
}

/// A build without Parquet says so before the program runs.
#[test]
#[cfg(not(feature = "parquet"))]
fn parquet_files_need_a_build_with_them() {
    let place = Place::new();
    let output = place
        .loopwright()
        .args(["trace", "--parquet", "t.parquet", "-o", "t.lwt", "--", "/bin/touch", "ran"])
        .output()
        .unwrap();
    fails(&output, 125, &["--features parquet"]);
    assert!(!place.path("ran").exists());
}

/// Where a trace's Parquet file cannot be, or takes the place of the trace, is said before the program runs.
#[test]
#[cfg(feature = "parquet")]
fn parquet_files_have_places_of_their_own() {
    let place = Place::new();
    let trace = |to: &str| {
        let mut command = place.loopwright();
        command.args(["trace", "--parquet", to, "-o", "t.lwt", "--", "/bin/touch", "ran"]);
        command.output().unwrap()
    };
    fails(&trace("t.lwt"), 125, &["t.lwt", "names of their own"]);
    fails(&trace("."), 125, &[".", "is a directory"]);
    assert!(!place.path("ran").exists() && !place.path("t.lwt").exists());
}

/// A profile or trace does not take the place of the program that is run.
#[test]
fn programs_are_not_overwritten() {
    let place = Place::new();
    let program = place.path("program");
    std::fs::copy("/bin/true", &program).unwrap();
    for command in ["profile", "trace"] {
        let mut loopwright = place.loopwright();
        loopwright.args([command, "-o", "../x/../program"]).args((command == "profile").then_some("--force"));
        loopwright.args(["--", "./program"]);
        std::fs::create_dir_all(place.path("x")).unwrap();
        let output = loopwright.current_dir(place.path("x")).env("PWD", place.path("x")).output().unwrap();
        // From another directory the program is another one.
        assert_eq!(output.status.code(), Some(127), "{output:?}");
        let mut loopwright = place.loopwright();
        let output = loopwright.args([command, "-o", "x/../program", "--", "./program"]).output().unwrap();
        fails(&output, 125, &["x/../program", "this is the program itself"]);
    }
    assert!(Command::new(&program).status().unwrap().success());
}
