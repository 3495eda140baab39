//! All tests of what the crate offers, in one program: what they share is compiled and linked once.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod arrange;
mod contracts;
mod contracts_of_c;
#[path = "support/corpus.rs"]
mod corpus;
mod cuda;
mod cuts;
mod design;
mod docs;
mod emulated;
mod emulated_options;
mod errors;
mod existing;
mod explain;
mod files;
mod focus;
mod folding;
mod gpu;
mod gpu_numbers;
#[path = "support/gpu.rs"]
mod gpu_support;
mod linkers;
mod maps;
mod merge;
mod opencl;
mod pages;
mod passes;
mod polyhedral;
mod processes;
mod programs;
mod proof;
mod recommend;
mod reconstruct;
mod regions;
#[path = "support/reported.rs"]
mod reported;
mod runtimes;
mod schedules;
mod schema;
mod scope;
mod structure;
mod support;
mod truth;
mod trying;
mod windows;
