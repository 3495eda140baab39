//! Development tasks; see `USAGE`.
#![forbid(unsafe_code)]

mod address_oracle;
mod bench;
mod bench_memory;
mod bench_peers;
mod bench_programs;
mod bench_reconstruct;
mod bench_schedule;
mod ci;
mod compare_polly;
mod fold_shares;
mod fold_table;
mod fuzz;
mod fuzz_instructions;
mod gpu_device;
mod gpu_programs;
mod guide;
mod inputs;
mod licences;
mod measure;
mod nlr;
mod packages;
mod paste;
mod picture;
mod polybench;
mod product;
mod programs;
mod prove;
mod python_package;
mod source_tree;
mod store_profiles;
mod tests;
mod truth;

use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "cargo xtask check            format, lints and the tests inside the crates, in a few minutes
cargo xtask ci               everything a change has to pass
cargo xtask nightly          the same with every case that CI has no time for, and a long fuzzing
cargo xtask tests            all tests of the workspace, several programs of them at a time
cargo xtask python           the Python packages that tests compare results with
cargo xtask python-package   builds the Python package and runs its tests
cargo xtask packages [--out DIRECTORY] [crates] [static] [debian] [wheel]
                             packed crates, a static program, a Debian package and a wheel, or those named, each made and
                             tried by itself; they go to target/packages
cargo xtask packages --check whether the crates can be packed, without building them
cargo xtask bench-python     the Python package beside the command line, and workers; writes docs/python.md
cargo xtask fuzz [SECONDS]   random cases, a new seed each time
cargo xtask fuzz --seed N    one case of every kind
cargo xtask fuzz-instructions MILLIONS
                             so many million random sequences of instructions, alone and under the recorder; writes
                             docs/fuzzing.md
cargo xtask bench [KERNEL…]  speed and memory on the kernels; without names also writes docs/benchmarks.md
cargo xtask bench-programs [--loopwright PATH] [--runs N] FILE.toml [NAME…]
                             processor time and memory of profiles of the programs that the file names, beside the
                             programs alone; docs/PERFORMANCE.md says what the file holds
cargo xtask bench-reconstruct [PART…]  what reconstruction finds and how fast; writes
                             docs/reconstruction.md
cargo xtask bench-schedule   speed of verdicts and schedules on made-up programs; writes docs/schedules.md
cargo xtask compare-polly    verdicts beside the dependences that Polly finds; writes docs/polly.md
cargo xtask gpu-programs [--verify] NAME=DIRECTORY[,OPTION…] …
                             loops of programs that lie in these directories, directives run; writes docs/gpu-programs.md
cargo xtask gpu-device --write DIRECTORY [--loopwright PATH] [NAME=DIRECTORY[,OPTION…] …]
                             programs with the kernels of C sources in CUDA, and a script that runs them on a GPU; without
                             names those of kernels/gpu
cargo xtask gpu-device --read RESULTS.tsv
                             what the script found; writes docs/gpu-device.md
cargo xtask address-oracle   sections of accesses in C sources beside the addresses of runs; writes
                             docs/address-oracle.md
cargo xtask prove [KERNEL…]  runs proposed code beside what is written; without names also writes docs/proof.md
cargo xtask paste [--loopwright PATH] [--rounds N] [--level O0…] [--sanitize] [--suite FILE.toml] [PROGRAM…]
                             all directives of the kernels, or of a suite as for truth, pasted, built and run with 1,
                             2 and 4 threads; without names and levels also writes docs/directives.md
cargo xtask programs [NAME…]  programs of Debian under the recorder, Valgrind and QEMU; without names also writes
                             docs/programs.md
cargo xtask truth [--loopwright PATH] [--level O0…] [--compiler clang] [--known] [PROGRAM…]
                             verdicts on the loops of kernels/adversarial against their truth; without names also
                             writes docs/truth.md (of the machine's compilers), with --known the list that the test
                             lets pass
cargo xtask truth --random NUMBER [--seed FIRST] [--keep] [--compiler clang] [--level O0…]
cargo xtask paste --random NUMBER [--seed FIRST] [--rounds N] [--level O0…]
                             the same for random programs whose truth is found by running their loops; --keep keeps
                             the sources
cargo xtask truth [--loopwright PATH] [--keep] --suite FILE.toml [NAME…]
                             the same for public programs with OpenMP annotations; docs/truth.md says what the
                             manifest holds, and --keep adds the rows there
cargo xtask guide            measures the examples of docs/GUIDE.md and writes their figures there
cargo xtask picture          makes the picture of the README, the page of the guide's first example
cargo xtask store-profiles   records the profiles on which renderers are tested; needed when their format changes
cargo xtask fold-table       pieces and affine shares of the hard cases; writes docs/folding.md
cargo xtask fold-table [--keep] [--function NAME] [--published FILE.csv] -- PROGRAM ARGS…
                             the same for any program; --keep adds its rows to docs/folding.md
cargo xtask fold-shares [--keep] --suite NAME -- PROGRAM ARGS…
                             the share of a program's own accesses that is recorded as folded loops; --keep adds
                             it to docs/folding.md";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args[..] {
        ["check"] => ci::check(),
        ["ci"] => ci::run(),
        ["nightly"] => ci::nightly(),
        ["tests"] => ci::tests_alone(),
        ["python"] => ci::python(),
        ["python-package"] => python_package::test().map(|text| print!("{text}")),
        ["packages", ref arguments @ ..] => packages::run(arguments),
        ["bench-python"] => python_package::bench(),
        ["fuzz"] => fuzz::run(Duration::from_secs(60)),
        ["fuzz", "--seed", seed] => seed.parse().map_err(Into::into).and_then(fuzz::once),
        ["fuzz", seconds] => {
            seconds.parse().map_err(Into::into).and_then(|s| fuzz::run(Duration::from_secs(s)))
        }
        ["fuzz-instructions", millions] => {
            millions.parse().map_err(Into::into).and_then(fuzz_instructions::run)
        }
        ["bench-reconstruct", ref parts @ ..] => bench_reconstruct::run(parts),
        ["address-oracle"] => address_oracle::run(),
        ["gpu-programs", ref programs @ ..] => gpu_programs::run(programs),
        ["gpu-device", ref arguments @ ..] => gpu_device::run(arguments),
        ["compare-polly"] => compare_polly::run(),
        ["bench-schedule"] => bench_schedule::run(),
        ["programs", ref names @ ..] => programs::run(names),
        ["guide"] => guide::run(),
        ["picture"] => picture::run(),
        ["paste", ref args @ ..] => paste::run(args),
        ["truth", ref args @ ..] => truth::run(args),
        ["store-profiles"] => store_profiles::run(),
        ["prove", ref names @ ..] => prove::run(names),
        ["fold-table", ref args @ ..] => fold_table::run(args),
        ["fold-shares", ref args @ ..] => fold_shares::run(args),
        ["bench-programs", ref args @ ..] => bench_programs::run(args),
        ["bench", ref names @ ..] => bench::run(names),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
