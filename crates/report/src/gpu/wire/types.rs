//! What the report is made of.

use serde::Serialize;

/// An expression, and its value where it is a number.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Expr {
    pub(super) expr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<i64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Loop {
    pub(super) id: String,
    pub(super) function: String,
    pub(super) line: Option<u32>,
    pub(super) dims: usize,
    pub(super) friendly: Answer,
    pub(super) reasons: Vec<Reason>,
    /// Whether it is inside of a loop that can be mapped as it is, whose threads run it.
    pub(super) inside: bool,
    /// Whether the source itself shows that iterations do not depend on each other, if arrays do not overlap.
    pub(super) proved: bool,
    pub(super) parameters: Vec<Parameter>,
    pub(super) functions: Vec<String>,
    /// The loops that one that is not friendly can be split into, in this order.
    pub(super) split: Vec<Part>,
    pub(super) private: Vec<String>,
    pub(super) storage: Vec<Storage>,
    pub(super) reductions: Vec<Reduction>,
    pub(super) overlap_checks: Vec<[String; 2]>,
    pub(super) assumptions: Vec<String>,
    pub(super) counters: Vec<Counter>,
    pub(super) accesses: Vec<Access>,
    /// The loop to map to x, by its counter.
    pub(super) advice: Option<String>,
    pub(super) shared: Vec<Shared>,
    /// What earlier kernels leave on the device.
    pub(super) on_device: Vec<OnDevice>,
    /// Branches that may part the lanes of a warp.
    pub(super) branches: Vec<Branch>,
    /// What the kernel costs; absent where it cannot run on a device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) estimate: Option<Estimate>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Part {
    pub(super) lines: Vec<u32>,
    pub(super) friendly: bool,
}

/// An array of which an earlier kernel leaves bytes on the device.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OnDevice {
    pub(super) name: String,
    /// The kernel that leaves it, by its `id`.
    pub(super) by: Option<String>,
    /// The line of the loop of the host in whose iteration before that kernel ran; null if it ran in the same one.
    pub(super) iteration_before_of: Option<u32>,
    /// Bytes that need not be copied in.
    pub(super) bytes_in: Option<Expr>,
    /// Bytes that the earlier kernel need not copy back.
    pub(super) bytes_back: Option<Expr>,
    /// Other bytes of the array still have to be copied in.
    pub(super) part: bool,
}

/// A branch that may part the lanes of a warp.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Branch {
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
    /// `place`: a comparison that changes once along x; `thread`: another rule in the number of the thread; `data`.
    pub(super) by: &'static str,
    /// How often the lanes of a warp part there, where that can be counted.
    pub(super) parted: Option<u64>,
    /// How often a warp comes there.
    pub(super) warps: Option<u64>,
    /// Whether these are the most.
    pub(super) at_most: bool,
}

/// What the run says about the inputs of a function.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) values: Vec<Solved>,
    /// Loops that ran and say nothing about inputs.
    pub(super) not_used: Vec<Uncounted>,
    pub(super) contradictions: Vec<String>,
}

/// What something was in the run, by loops on these lines; several values if they cannot be told apart.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Solved {
    pub(super) name: String,
    /// A parameter or a content of memory, else a value that has no expression in these.
    pub(super) input: bool,
    /// Integers, as text: they may have more than 53 bits.
    pub(super) values: Vec<String>,
    pub(super) lines: Vec<u32>,
}

/// A loop whose number of iterations is not used.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Uncounted {
    pub(super) line: u32,
    /// Least and greatest number of iterations of an entry.
    pub(super) trips: Option<[u64; 2]>,
    pub(super) why: String,
}

/// An estimate by the printed rates of a product. Numbers are absent where inputs have no values; `needed` names these.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Estimate {
    pub(super) product: &'static str,
    pub(super) threads: Option<Expr>,
    pub(super) warps: Option<u64>,
    /// Of one thread.
    pub(super) operations: Operations,
    pub(super) bytes_in: Option<Expr>,
    pub(super) bytes_out: Option<Expr>,
    pub(super) memory: Option<Memory>,
    pub(super) seconds: Option<Seconds>,
    pub(super) assumed: Vec<&'static str>,
    pub(super) needed: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Operations {
    pub(super) single: Amount,
    pub(super) double: Amount,
    pub(super) integer: Amount,
    /// Functions that are called and whose operations are not counted.
    pub(super) not_counted: Vec<String>,
}

/// Between two numbers.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Amount {
    pub(super) least: Expr,
    pub(super) most: Option<Expr>,
}

/// Bytes through memory: if each is moved once, and if caches keep nothing.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Memory {
    pub(super) once: u64,
    pub(super) each_time: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Seconds {
    pub(super) transfer: f64,
    pub(super) kernel_least: f64,
    pub(super) kernel_most: f64,
    /// `memory` or `operations`.
    pub(super) bound: &'static str,
}

/// Yes, no, or a word.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum Answer {
    Known(bool),
    Unknown(&'static str),
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Reason {
    pub(super) what: String,
    pub(super) line: Option<u32>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Storage {
    pub(super) name: String,
    pub(super) needs: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Reduction {
    pub(super) object: Option<String>,
    pub(super) array: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) direction: &'static str,
    pub(super) lo: Option<Expr>,
    pub(super) hi: Option<Expr>,
    pub(super) known: &'static str,
    /// Whether it is another array in each iteration, as with pointers to rows.
    pub(super) several: bool,
    /// Whether the ends of the section are accessed ("accessed"), conditions decide ("guarded"), or may lie before the array ("before").
    pub(super) reach: &'static str,
}

/// What iterations of a mapped loop are called in offsets, and the variable that counts them. Iterations begin with 0.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Counter {
    pub(super) iteration: String,
    pub(super) variable: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Access {
    pub(super) line: Option<u32>,
    pub(super) op: &'static str,
    pub(super) pointer: String,
    pub(super) offset: Option<Expr>,
    pub(super) mappings: Vec<Mapping>,
    /// Whether requests use at least half of what they move under the advised mapping.
    pub(super) coalesced: Option<bool>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Mapping {
    pub(super) x: String,
    pub(super) sectors: Expr,
    pub(super) lines: Expr,
    pub(super) efficiency: f64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Shared {
    pub(super) pointer: String,
    pub(super) lines: Vec<u32>,
    pub(super) why: Vec<&'static str>,
    pub(super) per_block: Expr,
    pub(super) overlap_x: Option<Expr>,
    pub(super) overlap_y: Option<Expr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) overlap_z: Option<Expr>,
}
