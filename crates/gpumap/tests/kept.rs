//! What kernels leave on the device for those after them.

use crate::support;

use gpumap::calls::{Cone, LENGTH};
use gpumap::device::{Block, Device};
use gpumap::offload::observed::{Carried, Found, Loop, Observed};
use gpumap::offload::show::{Asked, show_candidates};
use gpumap::recurrence::Given;
use gpumap::shared::Scheme;
use support::read;

/// What is said to be on the device, each with the line of the kernel that it is said of.
fn kept(function: &str, values: &[(&str, i64)]) -> Vec<String> {
    said(function, values, None)
}

fn said(function: &str, values: &[(&str, i64)], observed: Option<&Observed>) -> Vec<String> {
    let module = read("kept");
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    let mut given = Given::default();
    values.iter().for_each(|(name, value)| given.set(name, *value));
    let (block, device) = (Block::default(), Device::named("sm_90").unwrap());
    let asked = Asked { observed, line: None, given: &given, block, device, scheme: Scheme::default() };
    let shown = show_candidates(&module, &cone, asked).unwrap();
    let mut line = "";
    let mut list = Vec::new();
    for text in shown.lines() {
        if let Some((of, _)) = text.strip_prefix("  loop line ").and_then(|rest| rest.split_once(':')) {
            line = of;
        } else if let Some(kept) = text.trim().strip_prefix("on the device: ") {
            list.push(format!("{line}: {kept}"));
        }
    }
    list
}

#[test]
fn data_stays_between_kernels() {
    // b has to come back in any case, as the second one only reads it.
    let expected = ["8: a, left by line 6: 4*n bytes fewer in", "8: b, left by line 6: 4*n bytes fewer in"];
    assert_eq!(kept("chain", &[]), expected);
    assert_eq!(kept("chain", &[("n", 100)])[0], "8: a, left by line 6: 400 bytes fewer in");
    let both = "17: a, left by line 15: 4*n bytes fewer in, 4*n bytes fewer back there";
    assert_eq!(kept("twice", &[]), [both]);
}

#[test]
fn the_host_in_between_counts() {
    // What it reads has to be there, and stays on the device.
    assert_eq!(kept("read_between", &[]), ["27: a, left by line 24: 4*n bytes fewer in"]);
    for function in ["written_between", "perhaps_written", "called_between", "sometimes"] {
        assert_eq!(kept(function, &[]), [""; 0], "{function}");
    }
    assert_eq!(kept("perhaps_next", &[]), ["75: a, left by line 72: 4*n bytes fewer in"]);
}

#[test]
fn a_part_of_it_counts() {
    assert_eq!(
        kept("half", &[("n", 10)]),
        ["84: a, left by line 82: 40 bytes fewer in (the rest has to come in), 40 bytes fewer back there"]
    );
}

/// A loop of the host that cannot run on a device itself.
#[test]
fn data_stays_from_step_to_step() {
    let seen = |line: u32, found: Found| Loop {
        file: "kept.c".into(),
        line,
        found,
        carried: vec![Carried { source: Some(93), sink: Some(93), object: None }],
        ..Loop::default()
    };
    let observed = Observed { loops: vec![seen(91, Found::Dependent), seen(92, Found::Independent)] };
    let left = "left by line 92, in the iteration before of the loop of line 91: 4*n bytes fewer in";
    assert_eq!(said("steps", &[], Some(&observed)), [format!("92: a, {left}"), format!("92: b, {left}")]);
}
