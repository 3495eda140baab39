//! What a kernel costs.

use gpumap::access::Accesses;
use gpumap::cost::{Between, Volume, show};
use gpumap::device::Device;
use gpumap::symbolic::{Atoms, Polynomial};
use num_traits::ToPrimitive;

use super::types::{Amount, Estimate, Expr, Memory, Operations, Seconds};

/// An estimate with the expressions of the same one in terms of inputs.
pub(super) fn with_expressions(mut own: Estimate, written: Option<Estimate>) -> Estimate {
    let Some(written) = written else { return own };
    let named = |own: &mut Option<Expr>, written: Option<Expr>| {
        if let (Some(own), Some(written)) = (own, written) {
            own.expr = written.expr;
        }
    };
    named(&mut own.threads, written.threads);
    named(&mut own.bytes_in, written.bytes_in);
    named(&mut own.bytes_out, written.bytes_out);
    let both = [
        (&mut own.operations.single, written.operations.single),
        (&mut own.operations.double, written.operations.double),
        (&mut own.operations.integer, written.operations.integer),
    ];
    for (own, written) in both {
        own.least.expr = written.least.expr;
        named(&mut own.most, written.most);
    }
    own
}

/// An estimate.
pub(super) fn estimate(
    accesses: &mut Accesses<'_>,
    of: &gpumap::cost::Estimate,
    device: &Device,
) -> Estimate {
    let bytes_in = of.copies.inwards.as_ref().map(|bytes| volume(accesses, bytes));
    let bytes_out = of.copies.outwards.as_ref().map(|bytes| volume(accesses, bytes));
    let atoms = &accesses.assumed_mut().atoms;
    Estimate {
        product: device.product,
        threads: of.threads.as_ref().map(|threads| expression(atoms, threads)),
        warps: of.warps,
        operations: Operations {
            single: amount(atoms, &of.operations.single),
            double: amount(atoms, &of.operations.double),
            integer: amount(atoms, &of.operations.integer),
            not_counted: of.operations.calls.clone(),
        },
        bytes_in,
        bytes_out,
        memory: of.kernel.as_ref().map(|kernel| Memory { once: kernel.once, each_time: kernel.each_time }),
        seconds: of.times.map(|times| Seconds {
            transfer: times.transfer,
            kernel_least: times.kernel_least,
            kernel_most: times.kernel_most,
            bound: if times.is_by_operations { "operations" } else { "memory" },
        }),
        assumed: show::ASSUMED.to_vec(),
        needed: of.missing.clone(),
    }
}

/// A number of bytes.
pub(super) fn volume(accesses: &mut Accesses<'_>, of: &Volume) -> Expr {
    Expr { expr: of.show(accesses), value: of.number().and_then(|number| number.to_i64()) }
}

fn amount(atoms: &Atoms, of: &Between) -> Amount {
    Amount { least: expression(atoms, &of.least), most: of.most.as_ref().map(|most| expression(atoms, most)) }
}

/// A polynomial, and its value where it is a number.
pub(super) fn expression(atoms: &Atoms, of: &Polynomial) -> Expr {
    Expr { expr: atoms.show(of), value: of.integer().and_then(|number| number.to_i64()) }
}
