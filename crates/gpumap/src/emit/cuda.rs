//! Kernels in CUDA C++, with their hosts.
//!
//! As in [`super::opencl`]: each kernel has a function of the host with C linkage that does what the loops do, or gives something else
//! than 0.
//!
//! Source: CUDA C++ Programming Guide, "Kernels", "Shared Memory" and appendix "C++ Language Extensions".

use std::collections::BTreeMap;
use std::fmt::Write as _;

use source::Language;

use super::body::{Value, Words};
use super::host::{
    RENAMED, Version, copied_back, fits, head, memories, prepared, renamed, texts, usage, used_macros,
    versions,
};
use super::kernel::{AXES, Kernel};

/// CUDA C++.
pub const WORDS: Words = Words {
    language: Language { global: "", function: "__device__ ", is_overloaded: false },
    group: |axis| format!("blockIdx.{}", AXES.get(axis).copied().unwrap_or("z")),
    lane: |axis| format!("threadIdx.{}", AXES.get(axis).copied().unwrap_or("z")),
    barrier: "__syncthreads()",
    shared: "__shared__",
    taken: &TAKEN,
};

/// Keywords of C++ that are none of C.
const TAKEN: [&str; 18] = [
    "alignas",
    "catch",
    "class",
    "decltype",
    "delete",
    "explicit",
    "export",
    "friend",
    "mutable",
    "namespace",
    "new",
    "operator",
    "private",
    "protected",
    "public",
    "template",
    "this",
    "throw",
];

/// Operators of C++ that are names in C. They can be no macros.
const OPERATORS: [&str; 11] =
    ["and", "and_eq", "bitand", "bitor", "compl", "not", "not_eq", "or", "or_eq", "xor", "xor_eq"];

/// What all hosts use.
const HOST: &str = r#"#include <cuda_runtime.h>
#define restrict __restrict__

/* Memory of the device for the bytes of an array from `from` up to `to`, with a copy of them or without. */
static char *lw_memory(const void *array, long from, long to, int is_copied)
{
    const size_t size = to > from ? (size_t)(to - from) : 1;
    void *memory = NULL;
    if (cudaMalloc(&memory, size) != cudaSuccess)
        return NULL;
    if (is_copied && to > from
        && cudaMemcpy(memory, (const char *)array + from, size, cudaMemcpyHostToDevice) != cudaSuccess) {
        cudaFree(memory);
        return NULL;
    }
    return (char *)memory;
}

/* Copies them back; gives 0 if that went well. */
static int lw_back(const char *memory, void *array, long from, long to)
{
    if (to <= from)
        return 0;
    return cudaMemcpy((char *)array + from, memory, (size_t)(to - from), cudaMemcpyDeviceToHost) != cudaSuccess;
}

/* Memory that the threads of a block share, at most. */
static long lw_shared(void)
{
    int device = 0, size = 0;
    if (cudaGetDevice(&device) != cudaSuccess
        || cudaDeviceGetAttribute(&size, cudaDevAttrMaxSharedMemoryPerBlock, device) != cudaSuccess)
        return 0;
    return size;
}

static unsigned lw_blocks(long count, long block)
{
    return (unsigned)((count + block - 1) / block);
}
"#;

/// A file with these kernels. `macros` are the definitions of the source, by name.
pub fn file(source: &str, kernels: &[Kernel], macros: &BTreeMap<String, String>) -> String {
    let mut out = format!(
        "/* Kernels for loops of {source}, by loopwright gpu --emit cuda. Compile it with nvcc -fmad=false to compute as the processor does. */\n"
    );
    out.push_str(HOST);
    let texts: Vec<&str> = kernels.iter().flat_map(texts).collect();
    out.push_str(&renamed(&texts, WORDS.taken));
    out.push_str(&without_operators(&used_macros(&texts, macros)));
    let mut declared: Vec<&str> = Vec::new();
    for declaration in kernels.iter().flat_map(|kernel| &kernel.plain.declarations) {
        if !declared.contains(&declaration.as_str()) {
            declared.push(declaration);
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(out, "{}", without_operators(declaration));
        }
    }
    for kernel in kernels {
        out.push_str(&one(kernel));
    }
    out
}

fn one(kernel: &Kernel) -> String {
    let (plain, tiled) = versions(kernel, &WORDS, format!("{}_kernel", kernel.name));
    let mut out = String::new();
    for version in plain.iter().chain(&tiled) {
        out += &global(kernel, version);
    }
    let _ = write!(out, "\nextern \"C\" {}\n{{\n{}", head(kernel), prepared(kernel));
    let axes: Vec<String> = (0..kernel.axes.len())
        .zip(AXES)
        .map(|(axis, name)| format!("lw_blocks(count_{name}, {})", kernel.block.extent(axis)))
        .collect();
    let extents: Vec<String> =
        (0..kernel.axes.len()).map(|axis| kernel.block.extent(axis).to_string()).collect();
    let _ = writeln!(out, "    const dim3 lw_grid({}), lw_block({});", axes.join(", "), extents.join(", "));
    out += &memories(kernel, "char *");
    out += "    if (!lw_failed) {\n";
    match (&plain, &tiled, &kernel.tiled) {
        (Some(plain), Some(tiled), Some(of)) => {
            let _ = writeln!(out, "        if ({})", fits(of, "lw_shared()"));
            out += &launch(kernel, tiled, 3);
            out += "        else\n";
            out += &launch(kernel, plain, 3);
        }
        (Some(only), ..) | (None, Some(only), _) => out += &launch(kernel, only, 2),
        (None, None, _) => {}
    }
    out += "        lw_failed = cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess;\n    }\n";
    out += &copied_back(kernel);
    for array in &kernel.arrays {
        let _ = writeln!(out, "    cudaFree(lw_{});", array.name);
    }
    out += "    return lw_failed ? -1 : 0;\n}\n";
    format!("\n{}{}", usage(kernel), without_operators(&out))
}

/// A text of C with other names for those that are operators of C++, but in comments.
fn without_operators(text: &str) -> String {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(first) = rest.chars().next() {
        let comment = [("/*", "*/"), ("//", "\n")].into_iter().find(|(start, _)| rest.starts_with(start));
        let length = match comment {
            Some((start, end)) => {
                let inside = &rest[start.len()..];
                inside.find(end).map_or(rest.len(), |at| start.len() + at + end.len())
            }
            None if is_part(first) => rest.find(|character| !is_part(character)).unwrap_or(rest.len()),
            None => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        if OPERATORS.contains(&word) {
            out.push_str(RENAMED);
        }
        out.push_str(word);
        rest = after;
    }
    out
}

/// A kernel. Memory that its tiles need by what the host says is one piece, cut in their order.
fn global(kernel: &Kernel, Version { name, text }: &Version) -> String {
    let mut given: Vec<String> = Vec::new();
    let mut pool = String::new();
    for parameter in &text.given {
        let Value::Shared { tile, element } = &parameter.value else {
            given.push(parameter.declaration.clone());
            continue;
        };
        if pool.is_empty() {
            pool += "    extern __shared__ __align__(16) char lw_pool[];\n    long lw_used = 0;\n";
        }
        let _ = writeln!(pool, "    {element} *{tile} = ({element} *)(lw_pool + lw_used);");
        let _ = writeln!(pool, "    lw_used += ({tile}_bytes + 15) / 16 * 16;");
        given.push(format!("const long {tile}_bytes"));
    }
    let body = text.body.strip_prefix("{\n").unwrap_or(&text.body);
    let threads: u32 = (0..kernel.axes.len()).map(|axis| kernel.block.extent(axis)).product();
    format!(
        "static __global__ void __launch_bounds__({threads}) {name}({})\n{{\n{pool}{body}",
        given.join(", ")
    )
}

fn launch(kernel: &Kernel, Version { name, text }: &Version, depth: usize) -> String {
    let mut shared = Vec::new();
    let arguments = text.given.iter().map(|given| match &given.value {
        Value::Memory { array, pointer } => {
            let name = kernel.arrays.get(*array).map_or("", |array| array.name.as_str());
            format!("({pointer})lw_{name}")
        }
        Value::Number(name) => name.clone(),
        Value::Shared { tile, .. } => {
            shared.push(format!("({tile}_bytes + 15) / 16 * 16"));
            format!("{tile}_bytes")
        }
    });
    let arguments: Vec<String> = arguments.collect();
    let shared =
        if shared.is_empty() { String::new() } else { format!(", (size_t)({})", shared.join(" + ")) };
    format!("{}{name}<<<lw_grid, lw_block{shared}>>>({});\n", "    ".repeat(depth), arguments.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_operators_are_others() {
        let text = "int or = xor_1 + not[2]; /* or not */ // and\nor += and_eq;";
        let other = "int lw_c_or = xor_1 + lw_c_not[2]; /* or not */ // and\nlw_c_or += lw_c_and_eq;";
        assert_eq!(without_operators(text), other);
    }
}
