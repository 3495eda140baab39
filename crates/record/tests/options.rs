//! Regions, limits, wanted arguments, and what is refused.

use crate::support;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use record::{Config, Encoding, Error, Exit, StopReason};
use support::{Checked, Unguided, compile, directory, record};

const PROGRAM: &str = "#include <stdio.h>
    __attribute__((noipa)) long leaf(long a, long b, long c) { return a * 2 + b - c; }
    __attribute__((noipa)) long region(long n) { long s = 0; for (long i = 0; i < n; i++) s += leaf(i, n, 7); return s; }
    int main(void) { long s = 0; for (long i = 0; i < 5; i++) { s += leaf(i, 1, 2); s += region(10); } return (int)s & 127; }";

fn program() -> std::path::PathBuf {
    compile("options.c", PROGRAM, &["-O1", "-no-pie", "-static"])
}

fn address(program: &Path, name: &str) -> u64 {
    let symbols = Command::new("nm").arg(program).output().unwrap();
    let text = String::from_utf8(symbols.stdout).unwrap();
    let line = text.lines().find(|l| l.ends_with(&format!(" {name}"))).unwrap();
    u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
}

#[test]
fn recording_is_on_only_inside_the_region() {
    let program = program();
    let region = address(&program, "region");
    let config = Config { start_recording: false, ..Config::new(&program) };
    let mut guide = Unguided { region: Some(region), ..Unguided::default() };
    let (outcome, got) = record::run(&config, &mut guide, Checked::default()).unwrap();
    assert_eq!(outcome.exit, record::native(&config).unwrap().exit);
    let entered: Vec<u64> = got.functions.iter().map(|f| f.entry).collect();
    assert_eq!(entered, [region, address(&program, "leaf")]);
    let (_, whole) = record(&program, &[], Encoding::Folded, 1 << 14);
    let inside = |c: &Checked| c.calls_to(region);
    assert_eq!(inside(&got), 5);
    assert!(got.digest.instructions < whole.digest.instructions / 4);
    assert!(got.digest.instructions > 5 * 10 * 5);
}

/// What loads a program is left out on request, and nothing else; a program without a loader has nothing to leave out.
#[test]
fn start_up_is_left_out() {
    let linked = compile("startup.c", PROGRAM, &["-O1", "-no-pie"]);
    let config = Config { skip_startup: true, ..Config::new(&linked) };
    let (outcome, got) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
    let (_, whole) = record(&linked, &[], Encoding::Folded, 1 << 14);
    assert_eq!(outcome.exit, record::native(&config).unwrap().exit);
    assert!(outcome.skipped_startup);
    assert_eq!(got.functions[0].entry, address(&linked, "_start"));
    assert!(got.digest.instructions < whole.digest.instructions / 2);
    for name in ["_start", "main", "region", "leaf"] {
        let at = address(&linked, name);
        assert_eq!(got.calls_to(at), whole.calls_to(at), "{name}");
    }
    let alone = program();
    let config = Config { skip_startup: true, ..Config::new(&alone) };
    let (outcome, got) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
    let (_, whole) = record(&alone, &[], Encoding::Folded, 1 << 14);
    assert!(!outcome.skipped_startup);
    assert_eq!(got.digest.instructions, whole.digest.instructions);
}

/// A library whose constructor makes a thread: what they do is recorded from there on.
#[test]
fn a_thread_ends_start_up() {
    const LIBRARY: &str = "#include <pthread.h>
        int in_thread, in_constructor;
        __attribute__((noinline)) void *work(void *a) { for (int i = 0; i < 9; i++) ((volatile int *)&in_thread)[0] += i; return a; }
        __attribute__((constructor)) static void begin(void) {
            pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); in_constructor = 1; }";
    const USER: &str =
        "extern int in_thread, in_constructor; int main(void) { return in_thread + in_constructor; }";
    let library = compile("constructs.c", LIBRARY, &["-O1", "-shared", "-fPIC"]);
    let place = library.parent().unwrap().display().to_string();
    let own = library.file_name().unwrap().to_str().unwrap();
    let program = compile(
        "constructed.c",
        USER,
        &[
            "-O1",
            &format!("-L{place}"),
            &format!("-Wl,-rpath,{place}"),
            "-Wl,--no-as-needed",
            &format!("-l:{own}"),
        ],
    );
    let config = Config { skip_startup: true, ..Config::new(&program) };
    let (outcome, got) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
    assert_eq!(outcome.exit, Exit::Code(37));
    assert!(outcome.skipped_startup && !got.blocks.is_empty());
    let (_, whole) = record(&program, &[], Encoding::Folded, 1 << 14);
    assert!(got.digest.instructions < whole.digest.instructions);
}

#[test]
fn arguments_and_results() {
    let program = program();
    let leaf = address(&program, "leaf");
    let mut guide = Unguided { arguments: Some(leaf), ..Unguided::default() };
    let (_, got) = record::run(&Config::new(&program), &mut guide, Checked::default()).unwrap();
    assert_eq!(got.records.len(), 55);
    for (k, (id, words)) in got.records.iter().skip(1).take(10).enumerate() {
        let block = &got.blocks[*id as usize];
        let arguments = block.arguments.unwrap().map(|w| words[usize::from(w)]);
        assert_eq!(arguments, [k as u64, 10, 7]);
        let result = words[usize::from(block.result.unwrap())] as i64;
        assert_eq!(result, k as i64 * 2 + 10 - 7);
    }
}

#[test]
fn limits_end_the_recording_and_not_the_program() {
    let endless = compile(
        "limits.c",
        "#include <stdio.h>\n#include <time.h>
        static volatile int a[1000];
        int main(void) { time_t end = time(0) + 2; long s = 0; while (time(0) < end) for (int i = 0; i < 1000; i++) s += a[(i * 7) % 1000]; puts(\"done\"); return 6; }",
        &["-O2"],
    );
    let config = Config { max_instructions: Some(1_000_000), buffer_words: 4096, ..Config::new(&endless) };
    let (outcome, got) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
    assert_eq!((outcome.exit, outcome.stopped), (Exit::Code(6), Some(StopReason::Instructions)));
    assert!((1_000_000..3_000_000).contains(&got.digest.instructions), "{}", got.digest.instructions);

    let config = Config { duration: Some(Duration::from_millis(300)), ..Config::new(&endless) };
    let (outcome, _) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
    assert_eq!((outcome.exit, outcome.stopped), (Exit::Code(6), Some(StopReason::Duration)));

    let config = Config { args: vec!["sleep".into(), "1".into()], ..config };
    let config = Config { program: "sleep".into(), ..config };
    let start = Instant::now();
    let (outcome, _) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
    assert_eq!((outcome.exit, outcome.stopped), (Exit::Code(0), Some(StopReason::Duration)));
    assert!(start.elapsed() >= Duration::from_secs(1));
}

fn refused(path: impl AsRef<Path>) -> Error {
    match record::run(&Config::new(path.as_ref()), &mut Unguided::default(), Checked::default()) {
        Ok(_) => panic!("{} was recorded", path.as_ref().display()),
        Err(e) => e,
    }
}

#[test]
fn refusals_name_the_culprit() {
    use std::os::unix::fs::PermissionsExt;
    let file = |name: &str, content: &[u8], mode: u32| {
        let path = directory().join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    };
    assert!(matches!(refused("/no/such/file"), Error::NotFound(_)));
    assert!(matches!(refused("no-such-command"), Error::NotFound(_)));
    assert!(matches!(refused(file("text", b"hello", 0o755)), Error::NotElf(_)));
    assert!(matches!(refused(file("plain", b"hello", 0o644)), Error::NotExecutable(_)));
    assert!(matches!(refused(file("orphan", b"#! /no/such/shell -x\n", 0o755)), Error::Interpreter { .. }));
    let mut elf = b"\x7fELF\x01\x01\x01".to_vec();
    elf.resize(64, 0);
    elf[16] = 2;
    elf[18] = 3;
    assert!(matches!(refused(file("old", &elf, 0o755)), Error::Bits32(_)));
    (elf[4], elf[18]) = (2, 183);
    let error = refused(file("arm", &elf, 0o755));
    assert!(error.to_string().contains("64-bit ARM"), "{error}");
    (elf[16], elf[18]) = (1, 62);
    assert!(matches!(refused(file("object", &elf, 0o755)), Error::NotProgram(_)));
}

const LEAVING: &str = "#define _GNU_SOURCE
    #include <errno.h>
    #include <linux/filter.h>
    #include <linux/seccomp.h>
    #include <asm/prctl.h>
    #include <stddef.h>
    #include <sys/prctl.h>
    #include <sys/ptrace.h>
    #include <sys/syscall.h>
    #include <sys/wait.h>
    #include <sched.h>
    #include <signal.h>
    #include <unistd.h>
    static double a[1000]; static long words[4] = { 77, 88 }; static char stack[1 << 16] __attribute__((aligned(16)));
    __attribute__((noipa)) static void work(void) { for (int t = 0; t < 50; t++) for (int i = 0; i < 1000; i++) a[i] = a[i] * 0.5 + i; }
    int main(void) { work(); if (LEAVE) return 1; work(); return a[7] == 14 ? 9 : 2; }";

/// What a recorder cannot share ends the recording, by name; the program goes on as it does alone.
#[test]
fn programs_that_cannot_be_recorded_any_longer() {
    let filter = "prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || ({ struct sock_filter f[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
        struct sock_fprog p = { 4, f }; HERE; })";
    let set = |call: &str| filter.replace("HERE", call);
    let beside = "({ int child(void *p) { words[0] = 99; return 3; }
        int status = 0, pid = clone(child, stack + sizeof stack, CLONE_VM | SIGCHLD, 0);
        waitpid(pid, &status, 0) != pid || status != 3 << 8 || words[0] != 99; })";
    let segment = "syscall(SYS_arch_prctl, ARCH_SET_GS, words) || ({ long v; asm volatile(\"mov %%gs:8, %0\" : \"=r\"(v)); v != 88; })";
    for (name, leave, reason) in [
        ("filter", set("syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p)"), StopReason::Seccomp),
        ("prctl", set("prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)"), StopReason::Seccomp),
        ("traced", "ptrace(PTRACE_TRACEME, 0, 0, 0)".to_owned(), StopReason::Traced),
        ("segment", segment.to_owned(), StopReason::Segment),
        ("beside", beside.to_owned(), StopReason::SharedMemory),
        // Whether the system lets it or not.
        ("namespace", "(unshare(CLONE_NEWUSER), 0)".to_owned(), StopReason::Namespace),
    ] {
        let source = LEAVING.replace("LEAVE", &leave);
        let program = compile(&format!("leaves_{name}.c"), &source, &["-O1", "-static"]);
        let config = Config::new(&program);
        assert_eq!(record::native(&config).unwrap().exit, Exit::Code(9), "{name}");
        for encoding in [Encoding::None, Encoding::Addresses, Encoding::Folded] {
            let (outcome, got) = record(&program, &[], encoding, 1 << 14);
            assert_eq!((outcome.exit, outcome.stopped), (Exit::Code(9), Some(reason)), "{name} {encoding:?}");
            let recorded = got.digest.instructions;
            assert!(
                encoding == Encoding::None || (250_000..600_000).contains(&recorded),
                "{name}: {recorded}"
            );
        }
    }
}
