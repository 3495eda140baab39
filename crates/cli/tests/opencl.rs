//! Kernels that `loopwright gpu --emit opencl|cuda` writes. In OpenCL they run on the processor, through PoCL: with the loops replaced by
//! their kernels, programs print what they print without. In CUDA, clang takes them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::corpus;

use corpus::{Recorded, checked};

/// How a kernel replaces loops, as the comment before it says.
struct Use {
    first: usize,
    last: usize,
    call: String,
    declaration: String,
}

/// The kernels of what was printed but for those of `main`, which prepares data and prints it, and for loops of which no run showed
/// that their iterations are independent.
fn uses(printed: &str) -> Vec<Use> {
    let mut list = Vec::new();
    let mut lines = printed.lines();
    while let Some(line) = lines.next() {
        let Some(range) = line.strip_prefix("/* Lines ").and_then(|rest| rest.strip_suffix(" become")) else {
            continue;
        };
        let (first, last) = range.split_once(" to ").unwrap();
        let call = lines.next().unwrap().trim().strip_prefix("if (").unwrap();
        let call = call.strip_suffix(" != 0) {").unwrap().to_owned();
        let declaration = lines.nth(3).unwrap().trim().to_owned();
        let is_open = lines.clone().next().is_some_and(|next| next.contains("Only if iterations"));
        assert!(declaration.starts_with("int "), "{declaration}");
        if !call.starts_with("main_") && !is_open {
            let (first, last) = (first.parse().unwrap(), last.parse().unwrap());
            list.push(Use { first, last, call, declaration });
        }
    }
    list
}

/// The program with its loops replaced; it ends in the middle if a kernel does not run.
fn on_device(recorded: &Recorded, printed: &str) -> PathBuf {
    let mut uses = uses(printed);
    assert!(!uses.is_empty(), "no kernels: {printed}");
    uses.sort_by_key(|of| std::cmp::Reverse(of.first));
    let text = std::fs::read_to_string(&recorded.source).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut head = String::from("#include <stdlib.h>\n");
    for Use { first, last, call, declaration } in &uses {
        lines.splice(first - 1..*last, [format!("if ({call} != 0) abort();")]);
        writeln!(head, "{declaration}").unwrap();
    }
    let place = recorded.place.path();
    let (host, source, program) = (place.join("kernels.c"), place.join("device.c"), place.join("device"));
    std::fs::write(&host, printed).unwrap();
    std::fs::write(&source, head + &lines.join("\n")).unwrap();
    let mut gcc = Command::new("gcc");
    gcc.args(["-O1", "-w", "-o"]).arg(&program).args([&source, &host]);
    checked(gcc.args(["-lm", "-lOpenCL"]));
    program
}

/// PoCL, with a cache of its own.
fn run(program: &Path, place: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("POCL_CACHE_DIR", place).env("POCL_MAX_PTHREAD_COUNT", "2");
    command.env("MALLOC_PERTURB_", "165").stderr(Stdio::inherit());
    command
}

/// What a program prints with kernels instead of its loops; what was emitted.
fn check_recorded(recorded: &Recorded, options: &[&str]) -> String {
    let printed = recorded.emitted("opencl", options);
    let expected = recorded.expected();
    let program = on_device(recorded, &printed);
    assert!(recorded.agrees(&expected, || run(&program, recorded.place.path())), "{printed}");
    printed
}

fn check(name: &str) -> String {
    check_recorded(&Recorded::new(name), &[])
}

const PLAIN: [&str; 9] = [
    "axpy",
    "colours",
    "complex_product",
    "pooling",
    "lu",
    "row_pointers",
    "bounded_copy",
    "split",
    "unsigned_vectors",
];
const TILED: [&str; 13] = [
    "gemm",
    "syrk",
    "band",
    "bordered_blur",
    "heat_3d",
    "wave",
    "rank_two",
    "distances",
    "jacobi_1d",
    "matmul_ijk",
    "transposed_product",
    "correlation",
    "covariance",
];

/// Those of a list that are taken.
fn taken(names: &[&'static str]) -> impl Iterator<Item = &'static str> {
    names.iter().enumerate().filter(|(at, _)| kernels::is_taken(*at, 2)).map(|(_, name)| *name)
}

#[test]
fn programs_with_kernels_print_what_they_print_without() {
    taken(&PLAIN).for_each(|name| drop(check(name)));
}

/// The kernels have tiles too.
#[test]
fn programs_with_tiles_print_what_they_print_without() {
    for name in taken(&TILED) {
        let printed = check(name);
        assert!(printed.contains("_tile["), "{name} has no tile: {printed}");
    }
}

/// All five neighbours are read from one tile, in blocks of another size too.
#[test]
fn accesses_of_a_matrix_share_a_tile() {
    let recorded = Recorded::new("bordered_blur");
    for (block, tile) in [("32x8", "in_tile[340]"), ("16x4", "in_tile[108]")] {
        let printed = check_recorded(&recorded, &["--grouping", "whole", "--block", block]);
        assert!(printed.contains(tile), "{tile:?} is missing in {printed}");
        assert!(!printed.contains("+= in["), "{printed}");
    }
}

/// What kernels rest on is checked before they run: arrays that overlap are left to the loop.
#[test]
fn arrays_that_overlap_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let source = place.path().join("shift.c");
    std::fs::write(&source, SHIFT).unwrap();
    let recorded = Recorded::of(&source, vec![vec!["8".into()]]);
    let printed = recorded.emitted("opencl", &[]);
    assert!(printed.contains("arrays that overlap would get different ones"), "{printed}");
    let program = on_device(&recorded, &printed);
    let status = |overlaps: &str| {
        let mut command = run(&program, recorded.place.path());
        command.args(["8", overlaps]).stdout(Stdio::null()).status().unwrap()
    };
    assert!(status("0").success());
    assert!(!status("1").success(), "the kernel ran on arrays that overlap");
}

const SHIFT: &str = "\
#include <stdio.h>
#include <stdlib.h>
static void shift(int n, const int *from, int *to)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i] + 1;
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    int *a = calloc(2 * n, sizeof *a);
    shift(n, a, a + (argc > 2 && atoi(argv[2]) ? n / 2 : n));
    printf(\"%d\\n\", a[n]);
    return 0;
}
";

/// A buffer that every iteration fills anew is none that threads can share, whatever it is called.
#[test]
fn buffers_that_threads_would_share_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let source = place.path().join("buffer.c");
    std::fs::write(&source, BUFFER).unwrap();
    let printed = Recorded::of(&source, vec![vec!["9".into()]]).emitted("opencl", &[]);
    for buffer in ["scratch", "heap block"] {
        let line = printed.lines().find(|line| line.contains("no kernel") && line.contains(buffer));
        assert!(line.is_some_and(|line| line.contains("one for each thread")), "{buffer}: {printed}");
    }
    assert!(uses(&printed).is_empty(), "{printed}");
}

const BUFFER: &str = "\
#include <stdio.h>
#include <stdlib.h>
static int scratch[4];
static __attribute__((noinline)) void turn(int n, const int *from, int *row, int *to)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 4; j++)
            row[j] = from[4 * i + j];
        for (int j = 0; j < 4; j++)
            to[4 * i + j] = row[3 - j];
    }
}
static __attribute__((noinline)) void turn_back(int n, const int *from, int *line, int *to)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 4; j++)
            line[j] = from[4 * i + j];
        for (int j = 0; j < 4; j++)
            to[4 * i + j] = line[3 - j];
    }
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    int *a = calloc(4 * n, sizeof *a), *b = calloc(4 * n, sizeof *b), *own = malloc(4 * sizeof *own);
    turn(n, a, scratch, b);
    turn_back(n, b, own, a);
    printf(\"%d\\n\", a[argc]);
    return 0;
}
";

/// Structures, macros, functions, rows of a length that is known at run time, `continue`, and variables of the function around.
#[test]
fn the_text_of_loops_becomes_that_of_kernels() {
    let place = tempfile::tempdir().unwrap();
    let source = place.path().join("mixed.c");
    std::fs::write(&source, MIXED).unwrap();
    let recorded = Recorded::of(&source, vec![vec!["9".into(), "5".into()], vec!["1".into(), "1".into()]]);
    let printed = check_recorded(&recorded, &[]);
    for part in ["#define SQUARE", "static double clamped(", "typedef struct", "} while (0);", "grid_factor"]
    {
        assert!(printed.contains(part), "{part:?} is missing in {printed}");
    }
}

const MIXED: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define SQUARE(x) ((x) * (x))
enum { LEAST = -3, MOST = 40 };
typedef struct { double value; int weight; } cell_t;
struct grid { double factor; cell_t *cells; };
static double table[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1, 1, 1}};
static double clamped(double x) { return x < LEAST ? LEAST : x > MOST ? MOST : x; }
static double first(const double *at, int n) { double sum = 0; for (int k = 0; k < n; k++) sum += at[k]; return sum; }
static void mix(int n, int m, double a[n][m], const struct grid *grid, float *restrict out)
{
    int i, j;
    double sum;
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++) {
            if (grid->cells[i].weight == 2)
                continue;
            sum = first(table[i % 4], 3);
            for (int k = 0; k <= j; k++)
                sum += SQUARE(a[i][k]) * grid->factor + abs(grid->cells[i].weight);
            out[i * m + j] = sqrtf(fabs(clamped(sum))) + grid->cells[i].value;
        }
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), m = atoi(argv[2]);
    double (*a)[m] = malloc(sizeof(double[n][m]));
    float *out = calloc(n * m, sizeof *out);
    struct grid grid = {0.25, malloc(sizeof(cell_t) * n)};
    for (int i = 0; i < n; i++) {
        grid.cells[i].value = i * 0.5;
        grid.cells[i].weight = i % 5 - 2;
        for (int j = 0; j < m; j++)
            a[i][j] = (i * 7 + j * 3) % 11 - 4;
    }
    mix(n, m, a, &grid, out);
    double check = 0;
    for (int i = 0; i < n * m; i++)
        check += out[i] * (i % 7 + 1);
    printf(\"%.9f\\n\", check);
    return 0;
}
";

/// The colour convolution of the sample report, with both of its tiles.
#[test]
fn the_convolution_runs_from_tiles() {
    let place = tempfile::tempdir().unwrap();
    let source = place.path().join("convolution.c");
    let function = include_str!("../../gpumap/tests/c/colour_convolution.c");
    std::fs::write(&source, format!("{function}{CONVOLVED}")).unwrap();
    let run = |numbers: [&str; 4]| numbers.map(str::to_owned).to_vec();
    let runs = vec![run(["37", "19", "5", "3"]), run(["3", "2", "5", "3"]), run(["70", "9", "1", "1"])];
    let printed = check_recorded(&Recorded::of(&source, runs), &[]);
    for part in ["in_pixels_tile[", "filter_tile["] {
        assert!(printed.contains(part), "{part:?} is missing in {printed}");
    }
}

const CONVOLVED: &str = "
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int width = atoi(argv[1]), height = atoi(argv[2]), w = atoi(argv[3]), h = atoi(argv[4]);
    image_t in = {width, height, malloc(3 * width * height)}, out = {width, height, malloc(3 * width * height)};
    float *filter = malloc(sizeof *filter * w * h);
    for (int i = 0; i < 3 * width * height; i++)
        in.pixels[i] = i * 37 % 256;
    for (int i = 0; i < w * h; i++)
        filter[i] = (i % 3 + 1) / (3.0f * w * h);
    convolve(&in, &out, filter, w, h);
    unsigned check = 0;
    for (int i = 0; i < 3 * width * height; i++)
        check = check * 31 + out.pixels[i];
    printf(\"%u\\n\", check);
    return 0;
}
";

/// What CUDA declares and these kernels use: enough for clang to check both sides of a file.
const CUDA: &str = "\
#include <stddef.h>
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
struct dim3 { unsigned x, y, z; dim3(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {} };
struct at { unsigned x, y, z; };
extern __attribute__((device)) const at threadIdx, blockIdx;
__attribute__((device)) void __syncthreads();
typedef struct stream *cudaStream_t;
enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaDeviceAttr { cudaDevAttrMaxSharedMemoryPerBlock };
extern \"C\" {
int cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
cudaError_t cudaGetLastError();
cudaError_t cudaDeviceSynchronize();
}
";

#[test]
fn clang_takes_kernels_in_cuda() {
    for name in ["axpy", "gemm", "heat_3d", "bordered_blur", "lu", "transposed_product"] {
        let recorded = Recorded::new(name);
        let printed = recorded.emitted("cuda", &[]);
        assert!(!uses(&printed).is_empty(), "{name}: {printed}");
        let place = recorded.place.path();
        std::fs::write(place.join("cuda_runtime.h"), CUDA).unwrap();
        std::fs::write(place.join("kernels.cu"), &printed).unwrap();
        let mut clang = Command::new("clang-19");
        clang.args([
            "-x",
            "cuda",
            "-nocudainc",
            "-nocudalib",
            "--cuda-gpu-arch=sm_80",
            "-fsyntax-only",
            "-I",
        ]);
        checked(clang.arg(place).arg(place.join("kernels.cu")));
    }
}
