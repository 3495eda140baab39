//! Which objects of memory a function accesses, and which contents stay as they are.
//!
//! - [`object`]: objects, and in which of them an address may lie; [`captured`]: addresses that others may know;
//! - [`types`]: what the types of accesses exclude; [`library`]: what functions of the standard library do;
//! - [`effects`]: which writes instructions and calls make; [`overlap`]: whether a write may reach what a load reads;
//! - [`stays`]: where in a function the content of an address stays the same, and on what assumptions;
//! - [`names`]: what objects and contents are called in the source.
//!
//! Objects are named by where their address comes from: an argument, a global variable, a variable of the function, a call that
//! allocates, an address that is loaded or returned. Two of them are *distinct* if they provably share no byte, else they may be
//! one. That two objects of different origin do not overlap may be *assumed*; an assumption is a thing with a name, and
//! every fact says which ones it rests on. That a write to an object leaves that object's other parts alone is never assumed.
//!
//! Limits: writes are looked at one by one, in no order: a write before a load counts like one after it, unless a loop that
//! contains the load does not contain the write. A function that is called is looked into [`effects::DEEPEST`] deep.

pub mod assumption;
pub mod captured;
pub mod effects;
pub mod library;
pub mod names;
pub mod object;
pub mod overlap;
pub mod stays;
pub mod types;

pub use assumption::{Assumption, AssumptionId};
pub use object::{Bases, Object, Objects};
pub use stays::{Memory, Span};
