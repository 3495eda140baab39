//! What a kernel costs, as text for people.

use std::fmt::Write as _;

use super::estimate::{Estimate, Times};
use super::visits::Between;
use crate::access::Accesses;
use crate::device::Device;
use crate::symbolic::Atoms;

/// What every estimate takes for granted.
pub const ASSUMED: [&str; 3] =
    ["warps count as full", "branches leave no request out", "integers take no time"];

/// A line for each figure, times last, with what they take for granted.
pub fn show_estimate(accesses: &mut Accesses<'_>, of: &Estimate, device: &Device) -> String {
    let mut out =
        format!("estimate for {} (times by its printed rates; {})\n", device.product, ASSUMED.join("; "));
    // Writing to a string cannot fail, here and below.
    let copied: Vec<String> = [&of.copies.inwards, &of.copies.outwards]
        .into_iter()
        .map(|volume| volume.as_ref().map_or("an unknown number of".into(), |volume| volume.show(accesses)))
        .collect();
    let atoms = &accesses.assumed_mut().atoms;
    let mut line = |text: String| {
        let _ = writeln!(out, "  {text}");
    };
    let threads = of.threads.as_ref().map_or("not known".into(), |threads| atoms.show(threads));
    let warps = of.warps.map_or(String::new(), |warps| format!(" in {warps} warps"));
    line(format!("threads: {threads}{warps}"));
    line(format!("operations of a thread: {}", operations(atoms, of)));
    if !of.operations.calls.is_empty() {
        line(format!("not counted: what is done in {}", of.operations.calls.join(", ")));
    }
    let time = of.times.map_or(String::new(), |times| format!(", at least {}", duration(times.transfer)));
    line(format!("copies: {} bytes in, {} bytes out{time}", copied[0], copied[1]));
    if let Some(kernel) = &of.kernel {
        let (once, each_time) = (kernel.once, kernel.each_time);
        line(format!("memory: {once} bytes if each is moved once, {each_time} if caches keep nothing"));
    }
    if let Some(times) = &of.times {
        line(format!("kernel: {}", kernel(times)));
    }
    if !of.missing.is_empty() {
        line(format!("for numbers, needed: {}", of.missing.join(", ")));
    }
    out
}

fn operations(atoms: &Atoms, of: &Estimate) -> String {
    let kinds = [
        ("single precision", &of.operations.single),
        ("double precision", &of.operations.double),
        ("integers", &of.operations.integer),
    ];
    let is_some = |(_, number): &(&str, &Between)| **number != Between::exactly(0);
    let parts: Vec<String> = kinds
        .into_iter()
        .filter(is_some)
        .map(|(kind, number)| format!("{} on {kind}", between(atoms, number)))
        .collect();
    if parts.is_empty() { "none".into() } else { parts.join(", ") }
}

/// A number, or a range.
pub fn between(atoms: &Atoms, of: &Between) -> String {
    let least = atoms.show(&of.least);
    match &of.most {
        None => format!("at least {least}"),
        Some(most) if *most == of.least => least,
        Some(most) => format!("{least} to {}", atoms.show(most)),
    }
}

fn kernel(times: &Times) -> String {
    let (least, most) = (duration(times.kernel_least), duration(times.kernel_most));
    let by = if times.is_by_operations { "operations" } else { "memory" };
    if least == most {
        format!("at least {most}, by {by}")
    } else {
        format!("at least {least}, or {most} if caches keep nothing, by {by}")
    }
}

/// A time with three digits.
fn duration(seconds: f64) -> String {
    let (number, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "us"),
        s => (s * 1e9, "ns"),
    };
    let digits = if number >= 100.0 {
        0
    } else if number >= 10.0 {
        1
    } else {
        2
    };
    format!("{number:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn times_have_three_digits() {
        let shown = [0.0, 1.5e-9, 2.125e-5, 0.0123, 1.0, 250.0].map(duration);
        assert_eq!(shown, ["0.00 ns", "1.50 ns", "21.2 us", "12.3 ms", "1.00 s", "250 s"]);
    }
}
