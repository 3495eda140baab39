//! Processes that a program starts: each is recorded, and behaves as it does alone.

use crate::support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

use record::{Child, Config, Encoding, Exit, Follow, Recorded};
use support::{Checked, Unguided, compile, directory};

/// What was recorded of one program of a child.
#[derive(Debug)]
struct Found {
    program: PathBuf,
    args: Vec<String>,
    exit: Exit,
    is_whole: bool,
    instructions: u64,
}

#[derive(Debug, Default)]
struct All {
    config: OnceLock<Config>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    found: Arc<Mutex<Vec<Found>>>,
}

impl Follow for All {
    fn started(&self, child: Child) {
        let (config, found) = (self.config.get().unwrap().clone(), Arc::clone(&self.found));
        let thread = std::thread::spawn(move || {
            let mut make =
                || (Box::new(Unguided::default()) as Box<dyn trace::sink::Guide>, Checked::default());
            let mut done = |recorded: Recorded<Checked>| {
                found.lock().unwrap().push(Found {
                    args: recorded.args.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
                    program: recorded.program,
                    exit: recorded.outcome.exit,
                    is_whole: recorded.is_whole,
                    instructions: recorded.sink.digest.instructions,
                });
            };
            child.record(&config, &mut make, &mut done).unwrap();
        });
        self.threads.lock().unwrap().push(thread);
    }
}

/// Lets children go on alone.
#[derive(Debug)]
struct Nobody;

impl Follow for Nobody {
    fn started(&self, _: Child) {}
}

/// Runs a program with all that it starts; its output goes to the file that it is told of.
fn run(program: &Path, args: &[&str], encoding: Encoding) -> (Exit, Vec<Found>) {
    let all = Arc::new(All::default());
    let words = std::iter::once(program.as_os_str().to_owned()).chain(args.iter().map(Into::into)).collect();
    let config = Config { args: words, encoding, buffer_words: 4096, ..Config::new(program) };
    let config = Config { follow: Some(Arc::clone(&all) as Arc<dyn Follow>), ..config };
    all.config.set(config.clone()).unwrap();
    let (outcome, got) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
    assert!(got.digest.instructions > 0 || encoding == Encoding::None);
    loop {
        let thread = all.threads.lock().unwrap().pop();
        match thread {
            Some(thread) => thread.join().unwrap(),
            None => break,
        }
    }
    let found = std::mem::take(&mut *all.found.lock().unwrap());
    (outcome.exit, found)
}

/// Every way to make a process, with signals that are ignored or blocked before, and waited for.
const PROGRAM: &str = "#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ; static double a[500][50]; static volatile int got;
static void note(int s) { got++; }
static double work(int k) { for (int i = 0; i < 500; i++) for (int j = 0; j < 50; j++) a[i][j] = i * k + j; return a[99][3]; }
static int ended(pid_t p) { int s; while (waitpid(p, &s, WUNTRACED) < 0); return WIFEXITED(s) ? WEXITSTATUS(s) : WIFSTOPPED(s) ? 1000 : 100 + WTERMSIG(s); }
static int hidden(void) { sigset_t now; sigprocmask(SIG_BLOCK, 0, &now); struct sigaction t; sigaction(SIGTRAP, 0, &t);
    return sigismember(&now, SIGSEGV) + 2 * sigismember(&now, SIGUSR1) + 4 * (t.sa_handler == SIG_IGN); }
int main(int n, char **v) {
    if (n > 2) { FILE *f = fopen(v[1], \"a\"); fprintf(f, \"program %s %g %d\\n\", v[2], work(atoi(v[2])), hidden()); fclose(f); return 4; }
    FILE *f = fopen(v[1], \"a\"); setvbuf(f, 0, _IOLBF, 0);
    char self[4096]; self[readlink(\"/proc/self/exe\", self, 4095)] = 0; char *args[] = { self, v[1], \"7\", 0 }; int total = 0; pid_t p;
    signal(SIGTRAP, SIG_IGN); signal(SIGALRM, note); sigset_t set; sigemptyset(&set); sigaddset(&set, SIGSEGV); sigprocmask(SIG_BLOCK, &set, 0);
    for (int k = 0; k < 3; k++) {
        if (!(p = fork())) { fprintf(f, \"forked %d %g %d\\n\", k, work(k), hidden()); if (k == 1) { if (!fork()) { fprintf(f, \"deeper %g\\n\", work(5)); _exit(0); } wait(0); } _exit(k); }
        total += ended(p);
    }
    if (!(p = fork())) { raise(SIGKILL); } total += ended(p);
    if (!(p = fork())) { sigprocmask(SIG_UNBLOCK, &set, 0); *(volatile int *)8 = 1; } total += ended(p);
    if (!(p = fork())) { ualarm(2000, 2000); while (got < 5) work(got); ualarm(0, 0); fprintf(f, \"alarms\\n\"); _exit(1); } total += ended(p);
    if (!(p = fork())) { execv(self, args); } total += ended(p);
    if (!(p = vfork())) { execv(self, args); _exit(9); } total += ended(p);
    if (!(p = vfork())) { _exit(6); } total += ended(p);
    posix_spawn(&p, self, 0, 0, args, environ); total += ended(p);
    total += WEXITSTATUS(system(\"exit 5\"));
    fprintf(f, \"total %d\\n\", total); return total & 127; }";

#[test]
fn all_ways_to_make_a_process() {
    let program = compile("children.c", PROGRAM, &["-O1"]);
    let file = directory().join("children.txt");
    let text = || std::fs::read_to_string(&file).unwrap();
    let clear = || std::fs::write(&file, "").unwrap();
    clear();
    let name = file.to_str().unwrap();
    let status = Command::new(&program).arg(name).status().unwrap().code().unwrap();
    let expected = text();
    assert!(expected.contains("forked 2 201 5\n") && expected.contains("program 7 696 5\n"), "{expected}");
    for encoding in [Encoding::Addresses, Encoding::Derived, Encoding::Folded, Encoding::None] {
        clear();
        let (exit, found) = run(&program, &[name], encoding);
        assert_eq!((exit, text()), (Exit::Code(status), expected.clone()), "{encoding:?}");
        let mut ends: Vec<(bool, String)> =
            found.iter().map(|one| (one.is_whole, format!("{:?}", one.exit))).collect();
        ends.sort();
        let forked = ["Code(0)", "Code(0)", "Code(1)", "Code(1)", "Code(2)", "Signal(11)", "Signal(9)"];
        let programs = ["Code(4)", "Code(4)", "Code(4)", "Code(5)"];
        let forked = forked.map(|exit| (false, exit.to_owned()));
        let programs = programs.map(|exit| (true, exit.to_owned()));
        assert_eq!(ends, [&forked[..], &programs[..]].concat(), "{encoding:?}: {found:#?}");
        for one in found.iter().filter(|one| one.exit == Exit::Code(4)) {
            assert_eq!(one.program, program.canonicalize().unwrap());
            assert_eq!(one.args[1..], [name, "7"]);
            // 25,000 iterations of the loops, with a store each.
            assert!(encoding == Encoding::None || one.instructions > 75_000, "{one:?}");
        }
    }
}

#[test]
fn children_that_nobody_records() {
    let program = compile("children_alone.c", PROGRAM, &["-O1"]);
    let file = directory().join("children_alone.txt");
    let run = |follow: Option<Arc<dyn Follow>>| {
        std::fs::write(&file, "").unwrap();
        let args = [&program, &file].map(|word| word.as_os_str().to_owned()).to_vec();
        let config = Config { args, follow, ..Config::new(&program) };
        let (outcome, _) = record::run(&config, &mut Unguided::default(), Checked::default()).unwrap();
        (outcome.exit, std::fs::read_to_string(&file).unwrap())
    };
    assert_eq!(run(Some(Arc::new(Nobody))), run(None));
}

/// A child is recorded on after its parent has ended.
#[test]
fn children_outlive_their_parents() {
    let source = "#include <stdio.h>\n#include <unistd.h>
static double a[1000]; int main(int n, char **v) { if (fork()) return 3; usleep(200000);
    for (int r = 0; r < 300; r++) for (int i = 1; i < 1000; i++) a[i] = a[i - 1] * .5 + r; FILE *f = fopen(v[1], \"w\"); fprintf(f, \"%g\", a[9]); fclose(f); return 5; }";
    let program = compile("outlives.c", source, &["-O1"]);
    let file = directory().join("outlives.txt");
    let (exit, found) = run(&program, &[file.to_str().unwrap()], Encoding::Folded);
    assert_eq!(exit, Exit::Code(3));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].exit == Exit::Code(5) && found[0].instructions > 1_000_000, "{found:#?}");
    assert!(!std::fs::read_to_string(&file).unwrap().is_empty());
}
