//! Threads, operations and bytes of a kernel, and least times.
//!
//! Bytes through memory lie between two extremes. *Each once*: caches keep everything that is used again, so that the bytes of the
//! arrays are moved once, but no more than all requests move. *Each time*: caches keep nothing, so that every request of every warp
//! moves its sectors. Requests count full warps, and as if no branch left a lane out.
//!
//! A kernel takes as long as its bytes through memory or its operations on floating-point numbers (`device::estimate`).

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use super::copies::{Copies, bytes};
use super::grid::Grid;
use super::operations::Operations;
use super::visits::{Between, visits};
use crate::access::Accesses;
use crate::coalescing::Coalescing;
use crate::device::{Block, Device, Precision};
use crate::offload::{Kind, Parameters};
use crate::symbolic::{Atoms, Polynomial};

/// Bytes that a kernel moves through memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// If each byte is moved once.
    pub once: u64,
    /// If each request moves its sectors.
    pub each_time: u64,
}

/// Least times, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// Of the copies in both directions.
    pub transfer: f64,
    /// Of the kernel, if caches keep everything and branches leave out all that they may.
    pub kernel_least: f64,
    /// Of the kernel, if caches keep nothing and branches leave out nothing.
    pub kernel_most: f64,
    /// Whether operations take longer than memory in the latter case.
    pub is_by_operations: bool,
}

/// What a kernel costs.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// Threads.
    pub threads: Option<Polynomial>,
    /// Warps.
    pub warps: Option<u64>,
    /// Operations of a thread.
    pub operations: Operations,
    /// Bytes that are copied.
    pub copies: Copies,
    /// Bytes through memory.
    pub kernel: Option<Kernel>,
    /// Times on the device.
    pub times: Option<Times>,
    /// What has to have a number so that all of this has: inputs by name, and what is not known.
    pub missing: Vec<String>,
}

impl Estimate {
    /// That of a nest that is mapped as advised.
    pub fn new(
        accesses: &mut Accesses<'_>,
        found: &Coalescing,
        parameters: &Parameters,
        block: Block,
        device: &Device,
    ) -> Option<Estimate> {
        let outermost = *found.loops.first()?;
        let axes = found.axes_from(found.advice.x);
        let forms = accesses.assumed_mut();
        let grid = Grid::new(forms, &axes, outermost, block);
        let operations = Operations::new(forms, &found.loops);
        let mut missing = Missing::default();
        match grid.threads() {
            Some(threads) => missing.look_at(&forms.atoms, &threads),
            None => missing.add("the number of threads"),
        }
        for (of, what) in [
            (&operations.single, "single-precision operations"),
            (&operations.double, "double-precision operations"),
        ] {
            missing.look_at_between(&forms.atoms, of, what);
        }
        let copies = Copies::new(parameters);
        for parameter in parameters.list.iter().filter(|parameter| parameter.kind != Kind::Scalar) {
            match bytes(parameter) {
                Some(bytes) => missing.look_at(accesses.atoms_of(&parameter.known), &bytes),
                None => missing.add(&format!("the bytes of {}", parameter.name)),
            }
        }
        let warps = grid.warps();
        let moved = moved(accesses, found, &grid, device, &mut missing);
        let once = once(&copies);
        let kernel = moved.zip(once).map(|(each_time, once)| Kernel { once: once.min(each_time), each_time });
        let mut estimate = Estimate {
            threads: grid.threads(),
            warps,
            operations,
            copies,
            kernel,
            times: None,
            missing: missing.names,
        };
        estimate.times = estimate.timed(device);
        Some(estimate)
    }

    fn timed(&self, device: &Device) -> Option<Times> {
        let (inwards, outwards) = (self.copies.inwards.as_ref()?, self.copies.outwards.as_ref()?);
        let transfer = device.transfer(inwards.number()?) + device.transfer(outwards.number()?);
        let kernel = self.kernel.as_ref()?;
        let threads = self.threads.as_ref()?.integer()?;
        let all = |of: &BigInt| (of * &threads).max(BigInt::zero()).to_u64();
        let single = self.operations.single.numbers()?;
        let double = self.operations.double.numbers()?;
        let roofline = |bytes: u64, single: u64, double: u64| {
            let by_single = device.roofline(bytes, single, Precision::Single);
            by_single.max(device.roofline(bytes, double, Precision::Double))
        };
        let (most_single, most_double) = (all(&single.1)?, all(&double.1)?);
        Some(Times {
            transfer,
            kernel_least: roofline(kernel.once, all(&single.0)?, all(&double.0)?),
            kernel_most: roofline(kernel.each_time, most_single, most_double),
            is_by_operations: roofline(0, most_single, most_double) > roofline(kernel.each_time, 0, 0),
        })
    }
}

/// What keeps an estimate from being a number, each once.
#[derive(Default)]
struct Missing {
    names: Vec<String>,
}

impl Missing {
    fn add(&mut self, name: &str) {
        if !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
    }

    fn look_at(&mut self, atoms: &Atoms, of: &Polynomial) {
        for leaf in atoms.leaves(of) {
            self.add(&atoms.show(&leaf.into()));
        }
    }

    fn look_at_between(&mut self, atoms: &Atoms, of: &Between, what: &str) {
        self.look_at(atoms, &of.least);
        match &of.most {
            Some(most) => self.look_at(atoms, most),
            None => self.add(&format!("the number of {what}")),
        }
    }
}

/// Bytes of all arrays, each once for reading and once for writing.
fn once(copies: &Copies) -> Option<u64> {
    copies.inwards.as_ref()?.number()?.checked_add(copies.outwards.as_ref()?.number()?)
}

/// Bytes of the sectors that all requests move.
fn moved(
    accesses: &mut Accesses<'_>,
    found: &Coalescing,
    grid: &Grid,
    device: &Device,
    missing: &mut Missing,
) -> Option<u64> {
    let mut all = Some(0u64);
    let warps = grid.warps();
    for requested in found.accesses.iter().filter(|requested| !requested.is_scalar) {
        let access = accesses.list.get(requested.access)?;
        let (block, line) = (access.block, access.location);
        let forms = accesses.assumed_mut();
        let visits = visits(forms, &found.loops, block);
        missing.look_at_between(&forms.atoms, &visits, "iterations");
        let place = line.and_then(|line| forms.module.metadata.place(line));
        let mapped = requested.mappings.get(found.advice.x).and_then(|mapped| mapped.as_ref().ok());
        let sectors = mapped.and_then(|list| {
            list.iter().map(|mapped| Some(u64::from(mapped.sectors.numbers()?.1))).sum::<Option<u64>>()
        });
        match (mapped, place) {
            (None, Some(place)) => missing.add(&format!("what requests of line {} move", place.line)),
            (Some(list), _) => {
                for units in list.iter().flat_map(|mapped| &mapped.sectors.most.of) {
                    missing.look_at(&forms.atoms, units);
                }
            }
            _ => {}
        }
        let bytes = || {
            let requests = visits.most.as_ref()?.integer()?.to_u64()?.checked_mul(warps?)?;
            requests.checked_mul(sectors?)?.checked_mul(u64::from(device.sector))
        };
        all = all.and_then(|all| all.checked_add(bytes()?));
    }
    all
}
