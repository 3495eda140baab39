//! Kernels in OpenCL C, with their hosts in C.
//!
//! Each kernel is a function of the host that does what the loops do, or gives something else than 0 where it cannot: without a device,
//! if arrays overlap that must not, or if a tile does not fit into the device's local memory. It has to be called instead of the
//! loops, and the loops are what remains to be done if it fails. Sources are compiled when they are first needed.
//!
//! Source: OpenCL 3.0; OpenCL C 3.0. Pointers have their address spaces, so that devices of version 1.2 take the kernels.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use source::Language;
use source::types::words;

use super::body::{Value, Words};
use super::host::{
    Version, copied_back, fits, head, memories, prepared, renamed, texts, usage, used_macros, versions,
};
use super::kernel::{AXES, Kernel};

/// OpenCL C.
pub const WORDS: Words = Words {
    language: Language { global: "__global", function: "", is_overloaded: true },
    group: |axis| format!("get_group_id({axis})"),
    lane: |axis| format!("get_local_id({axis})"),
    barrier: "barrier(CLK_LOCAL_MEM_FENCE)",
    shared: "__local",
    taken: &TAKEN,
};

/// Names that mean something in OpenCL C and nothing in C: of types and address spaces, and of functions that programs have too.
const TAKEN: [&str; 54] = [
    "all",
    "any",
    "barrier",
    "clamp",
    "constant",
    "cross",
    "degrees",
    "distance",
    "dot",
    "event_t",
    "float2",
    "float3",
    "float4",
    "fract",
    "generic",
    "global",
    "half",
    "image2d_t",
    "image3d_t",
    "int2",
    "int3",
    "int4",
    "kernel",
    "length",
    "local",
    "mad",
    "mad24",
    "max",
    "min",
    "mix",
    "mul24",
    "mul_hi",
    "normalize",
    "pipe",
    "popcount",
    "prefetch",
    "private",
    "radians",
    "rotate",
    "rsqrt",
    "sampler_t",
    "select",
    "shuffle",
    "sign",
    "sincos",
    "smoothstep",
    "step",
    "uchar",
    "uint",
    "ulong",
    "upsample",
    "ushort",
    "vec_step",
    "work_group_barrier",
];

/// What all hosts use.
const HOST: &str = r#"#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static cl_device_id lw_device;
static cl_context lw_context;
static cl_command_queue lw_queue;

/* Finds a device; gives 0 if there is one. */
static int lw_start(void)
{
    cl_platform_id platform;
    cl_int error;
    if (lw_queue != NULL)
        return 0;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS
        || clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &lw_device, NULL) != CL_SUCCESS)
        return -1;
    lw_context = clCreateContext(NULL, 1, &lw_device, NULL, NULL, &error);
    if (lw_context == NULL)
        return -1;
    lw_queue = clCreateCommandQueue(lw_context, lw_device, 0, &error);
    return lw_queue == NULL ? -1 : 0;
}

/* Compiles a kernel if that was not done yet; gives NULL if it cannot be. */
static cl_kernel lw_kernel(cl_kernel *kernel, const char *source, const char *name)
{
    cl_int error;
    cl_program program;
    if (*kernel != NULL)
        return *kernel;
    program = clCreateProgramWithSource(lw_context, 1, &source, NULL, &error);
    if (program == NULL)
        return NULL;
    if (clBuildProgram(program, 1, &lw_device, "", NULL, NULL) != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, lw_device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s: %s\n", name, log);
        return NULL;
    }
    *kernel = clCreateKernel(program, name, &error);
    return *kernel;
}

/* Memory of the device for the bytes of an array from `from` up to `to`, with a copy of them or without. */
static cl_mem lw_memory(const void *array, long from, long to, int is_copied)
{
    const size_t size = to > from ? (size_t)(to - from) : 1;
    cl_int error;
    cl_mem memory = clCreateBuffer(lw_context, CL_MEM_READ_WRITE, size, NULL, &error);
    if (memory != NULL && is_copied && to > from
        && clEnqueueWriteBuffer(lw_queue, memory, CL_TRUE, 0, size, (const char *)array + from, 0, NULL, NULL)
               != CL_SUCCESS) {
        clReleaseMemObject(memory);
        return NULL;
    }
    return memory;
}

/* Copies them back; gives 0 if that went well. */
static int lw_back(cl_mem memory, void *array, long from, long to)
{
    if (to <= from)
        return 0;
    return clEnqueueReadBuffer(lw_queue, memory, CL_TRUE, 0, (size_t)(to - from), (char *)array + from, 0, NULL, NULL)
        != CL_SUCCESS;
}

/* Memory that the work items of a group share, at most. */
static long lw_local(void)
{
    cl_ulong size = 0;
    clGetDeviceInfo(lw_device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof size, &size, NULL);
    return (long)size;
}

static size_t lw_rounded(long count, long group)
{
    return (size_t)((count + group - 1) / group * group);
}
"#;

/// A file with these kernels. `macros` are the definitions of the source, by name.
pub fn file(source: &str, kernels: &[Kernel], macros: &BTreeMap<String, String>) -> String {
    let mut out = format!(
        "/* Kernels for loops of {source}, by loopwright gpu --emit opencl. Compile it with the program, and link with -lOpenCL. */\n"
    );
    out.push_str(HOST);
    for kernel in kernels {
        out.push_str(&one(kernel, macros));
    }
    out
}

fn one(kernel: &Kernel, macros: &BTreeMap<String, String>) -> String {
    let (plain, tiled) = versions(kernel, &WORDS, kernel.name.clone());
    let mut out = format!("\n{}", usage(kernel));
    let threads = kernel.tiled.as_ref().map_or(&kernel.plain, |tiled| &tiled.threads);
    let mut source = preamble(kernel, macros);
    for declaration in &threads.declarations {
        source += declaration;
        source.push('\n');
    }
    for version in plain.iter().chain(&tiled) {
        source += &signature(kernel, version);
        source += &version.text.body;
    }
    let source = without_long_long(&source);
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(out, "static const char {}_source[] =", kernel.name);
    for line in source.lines() {
        let _ = writeln!(out, "    \"{}\\n\"", line.replace('\\', "\\\\").replace('"', "\\\""));
    }
    out += "    ;\n\n";
    out += &host(kernel, plain.as_ref(), tiled.as_ref());
    out
}

/// A text with `long` in place of `long long`, which is as long in C and twice as long in OpenCL C; likewise the suffixes of numbers.
fn without_long_long(text: &str) -> String {
    let is_of_word = |part: char| part.is_ascii_alphanumeric() || part == '_';
    let (mut out, mut rest, mut is_behind_long) = (String::with_capacity(text.len()), text, false);
    while let Some(first) = rest.chars().next() {
        let end = if is_of_word(first) {
            rest.find(|part| !is_of_word(part)).unwrap_or(rest.len())
        } else {
            rest.find(is_of_word).unwrap_or(rest.len())
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        if word == "long" && is_behind_long {
            out.truncate(out.trim_end().len());
            continue;
        }
        is_behind_long = word == "long" || is_behind_long && word.trim().is_empty();
        let is_number = first.is_ascii_digit();
        out += &if is_number { word.replace("LL", "L").replace("ll", "l") } else { word.to_owned() };
    }
    out
}

fn preamble(kernel: &Kernel, macros: &BTreeMap<String, String>) -> String {
    let texts = texts(kernel);
    let mut out = String::new();
    let has = |word: &str| texts.iter().any(|text| words(text).any(|other| other == word));
    if has("double") {
        out += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    }
    // As the processor computes it.
    out += "#pragma OPENCL FP_CONTRACT OFF\n";
    out + &renamed(&texts, WORDS.taken) + &used_macros(&texts, macros)
}

fn signature(kernel: &Kernel, version: &Version) -> String {
    let extents: Vec<String> = (0..3)
        .map(|axis| if axis < kernel.axes.len() { kernel.block.extent(axis) } else { 1 }.to_string())
        .collect();
    let given: Vec<&str> = version.text.given.iter().map(|given| given.declaration.as_str()).collect();
    format!(
        "__kernel __attribute__((reqd_work_group_size({})))\nvoid {}({})\n",
        extents.join(", "),
        version.name,
        given.join(", ")
    )
}

fn host(kernel: &Kernel, plain: Option<&Version>, tiled: Option<&Version>) -> String {
    let name = &kernel.name;
    let mut out = format!("{}\n{{\n", head(kernel));
    for version in plain.iter().chain(&tiled) {
        let _ = writeln!(out, "    static cl_kernel {}_kernel;", version.name);
    }
    out += &prepared(kernel);
    let axes = kernel.axes.len();
    let global: Vec<String> = (0..axes)
        .zip(AXES)
        .map(|(axis, name)| format!("lw_rounded(count_{name}, {})", kernel.block.extent(axis)))
        .collect();
    let local: Vec<String> = (0..axes).map(|axis| kernel.block.extent(axis).to_string()).collect();
    let _ = writeln!(out, "    const size_t lw_global[] = {{{}}};", global.join(", "));
    let _ = writeln!(out, "    const size_t lw_group[] = {{{}}};", local.join(", "));
    out += "    if (lw_start() != 0)\n        return -1;\n";
    let built = |version: &Version| format!("lw_kernel(&{0}_kernel, {name}_source, \"{0}\")", version.name);
    let chosen = match (plain, tiled, &kernel.tiled) {
        (Some(plain), Some(tiled), Some(of)) => {
            let _ = writeln!(out, "    const int lw_is_tiled = {};", fits(of, "lw_local()"));
            format!("lw_is_tiled ? {} : {}", built(tiled), built(plain))
        }
        (Some(only), ..) | (None, Some(only), _) => built(only),
        (None, None, _) => return String::new(),
    };
    let _ = writeln!(out, "    cl_kernel lw_run = {chosen};\n    if (lw_run == NULL)\n        return -1;");
    out += &memories(kernel, "cl_mem ");
    match (plain, tiled) {
        (Some(plain), Some(tiled)) => {
            out += "    if (lw_is_tiled) {\n";
            out += &set(kernel, tiled, 2);
            out += "    } else {\n";
            out += &set(kernel, plain, 2);
            out += "    }\n";
        }
        (Some(only), None) | (None, Some(only)) => out += &set(kernel, only, 1),
        (None, None) => {}
    }
    let _ = writeln!(
        out,
        "    lw_failed = lw_failed\n        || clEnqueueNDRangeKernel(lw_queue, lw_run, {axes}, NULL, lw_global, lw_group, 0, NULL, NULL) != CL_SUCCESS\n        || clFinish(lw_queue) != CL_SUCCESS;"
    );
    out += &copied_back(kernel);
    for array in &kernel.arrays {
        let _ = writeln!(out, "    if (lw_{0} != NULL)\n        clReleaseMemObject(lw_{0});", array.name);
    }
    out += "    return lw_failed ? -1 : 0;\n}\n";
    out
}

/// The parameters of a kernel are set.
fn set(kernel: &Kernel, version: &Version, depth: usize) -> String {
    let mut out = String::new();
    for (place, given) in version.text.given.iter().enumerate() {
        let (size, value) = match &given.value {
            Value::Memory { array, .. } => {
                let name = kernel.arrays.get(*array).map_or("", |array| array.name.as_str());
                ("sizeof(cl_mem)".to_owned(), format!("&lw_{name}"))
            }
            Value::Number(name) => (format!("sizeof {name}"), format!("&{name}")),
            Value::Shared { tile, .. } => (format!("(size_t){tile}_bytes"), "NULL".to_owned()),
        };
        let space = "    ".repeat(depth);
        let _ = writeln!(
            out,
            "{space}lw_failed = lw_failed || clSetKernelArg(lw_run, {place}, {size}, {value}) != CL_SUCCESS;"
        );
    }
    out
}
