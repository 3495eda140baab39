//! What people and tools read, as pure functions of a profile and the verdicts on it.
//!
//! - [`finding`]: one loop's verdict in words and numbers, independent of any format;
//! - [`directive`], [`worth`]: what can be pasted above a loop, and where that pays; [`trying`]: what came of trying it;
//! - [`existing`]: directives that a program has already, and the races that they leave;
//! - [`inputs`]: what several runs of a merged profile say of one loop;
//! - [`diff`]: what differs between two profiles;
//! - [`requirement`]: what loops have to be;
//! - [`sarif`]: findings for code hosts and editors;
//! - [`explain`]: the proof of one verdict;
//! - [`wire`]: the JSON report, schema `loopwright.report/1`;
//! - [`text`]: the terminal summary;
//! - [`folding`]: the table of the folding algorithm's evaluation, beside [`published`] figures;
//! - [`regions`]: the table of the published summary, one row per program;
//! - [`proposals`]: what the hottest regions could become, as isl found;
//! - [`frames`]: the dynamic schedule tree, which [`html`], [`flamegraph`] (SVG) and [`stacks`] (folded stacks, speedscope)
//!   draw and write;
//! - [`html`]: one page with everything;
//! - [`plain`]: text without what could steer a terminal;
//! - [`advice`]: which legal order is preferred, and why;
//! - [`polyhedral`]: the polyhedral program, as text in [`isl`] notation and as [`openscop`].
#![forbid(unsafe_code)]

pub mod advice;
mod algorithms;
pub mod code;
pub mod colours;
pub mod diff;
pub mod directive;
pub mod existing;
pub mod explain;
pub mod finding;
pub mod flamegraph;
pub mod folding;
pub mod frames;
pub mod fuzzing;
pub mod gpu;
pub mod html;
pub mod inputs;
pub mod isl;
pub mod limits;
pub mod markdown;
pub mod openscop;
pub mod plain;
pub mod polyhedral;
pub mod proposals;
pub mod published;
mod rayon;
pub mod recommend;
pub mod regions;
pub mod requirement;
pub mod sarif;
pub mod sequence;
pub mod stacks;
pub mod text;
pub mod trying;
pub mod width;
pub mod wire;
pub mod worth;

pub use finding::{Report, report};
