//! Loops with their places, choices as branches, and obstacles, on the sources of these tests.

use crate::support;

use gpumap::control::obstacles::obstacles;
use gpumap::control::{Control, Obstacle, choices};
use gpumap::ir::{BlockId, Function, Module, Operand, Operation, Value};
use support::read;

/// The loops of a function: line, depth, whether it can be entered by its header alone, exits.
fn loops(module: &Module, function: &Function) -> Vec<(u32, usize, bool, usize)> {
    let control = Control::new(function);
    let line = |l: &gpumap::control::Loop| l.places(module).map_or(0, |(start, _)| start.line);
    control.loops.iter().map(|(_, l)| (line(l), l.depth, l.reducible, l.exits.len())).collect()
}

#[test]
fn nests_have_their_lines_and_depths() {
    let module = read("colour_convolution");
    let function = module.function("convolve").unwrap();
    let expected = [(12, 0, true, 1), (13, 1, true, 1), (15, 2, true, 1), (16, 3, true, 1)];
    assert_eq!(loops(&module, function), expected);
    let control = Control::new(function);
    let innermost = control.loops.iter().last().unwrap().0;
    let header = control.loops.get(innermost).header;
    assert_eq!(control.loops.around(header).count(), 4);
    assert_eq!(control.loops.headed_by(header), Some(innermost));
}

#[test]
fn loops_of_jumps_are_loops_and_say_so() {
    let module = read("unusual");
    let of = |name| loops(&module, module.function(name).unwrap());
    assert_eq!(of("two_entries"), [(76, 0, false, 2)]);
    let irreducible = of("irreducible");
    assert_eq!(irreducible.len(), 1);
    assert!(!irreducible[0].2);
    assert_eq!(of("recursive"), []);
    assert_eq!(of("computed"), []);
}

#[test]
fn what_is_not_analysed_has_its_reason() {
    let module = read("unusual");
    let reasons = |name: &str| {
        let function = module.function(name).unwrap();
        let control = Control::new(function);
        let first = control.loops.iter().next().unwrap().0;
        obstacles(&module, function, &control, first).into_iter().map(|o| o.0).collect::<Vec<_>>()
    };
    assert_eq!(reasons("jumps"), [Obstacle::ReturnsTwice]);
    assert_eq!(reasons("variadic"), []);
    assert_eq!(reasons("assembly"), [Obstacle::Assembly]);
    assert_eq!(reasons("volatile_store"), [Obstacle::Volatile]);
    assert_eq!(reasons("two_entries"), [Obstacle::Irreducible]);
    assert_eq!(reasons("cases"), []);
    assert_eq!(reasons("sums"), [Obstacle::Recursion]);
    assert_eq!(reasons("applies"), [Obstacle::IndirectCall]);
}

/// Every select becomes a φ of two new blocks; nothing else changes.
#[test]
fn choices_become_branches() {
    for name in ["choices", "signal", "ranges", "unusual"] {
        let module = read(name);
        for function in module.defined() {
            let branched = choices::branched(&module, function);
            consistent(&branched);
            let selects = |of: &Function| {
                let all = of.blocks.iter().flat_map(|block| &block.instructions);
                all.filter(|i| matches!(i.operation, Operation::Select { .. })).count()
            };
            assert_eq!(selects(&branched), 0);
            let (before, after) = (Control::new(function), Control::new(&branched));
            assert_eq!(before.loops.len(), after.loops.len());
            if selects(function) == 0 {
                assert_eq!(*function, branched);
            }
        }
    }
    let module = read("choices");
    let branched = choices::branched(&module, module.function("clamped").unwrap());
    let shown = module.show_function(&branched);
    assert!(shown.contains("if %cmp to "), "{shown}");
}

/// Each test of `a && b` is a branch of its own, and loops keep one entry and one edge back.
#[test]
fn tests_of_conditions_become_branches() {
    let module = read("ends");
    for (name, exits) in [("both", 2), ("copied", 2), ("first", 2), ("counted", 1)] {
        let function = module.function(name).unwrap();
        let branched = choices::branched(&module, function);
        consistent(&branched);
        let control = Control::new(&branched);
        let (_, only) = control.loops.iter().next().unwrap();
        assert_eq!((only.exits.len(), only.latches.len(), only.entries.len()), (exits, 1, 1), "{name}");
        let before = Control::new(function);
        assert_eq!(before.loops.iter().next().unwrap().1.exits.len(), 1);
    }
}

/// What is made of every source of these tests and every kernel is a function still.
#[test]
fn all_choices_become_branches() {
    let kernels = support::c_sources(&kernels::directory());
    for source in support::sources().into_iter().chain(kernels) {
        let module = gpumap::Compiler::find().unwrap().read(&source, &[]).unwrap();
        module.defined().for_each(|function| consistent(&choices::branched(&module, function)));
    }
}

/// φ have one input per edge into their block, and every use is dominated by its definition.
fn consistent(function: &Function) {
    let control = Control::new(function);
    let reached = || function.block_ids().filter(|&block| control.is_reached(block));
    let mut defined = std::collections::HashMap::new();
    for block in function.block_ids() {
        for result in function.block(block).instructions.iter().filter_map(|instruction| instruction.result) {
            assert_eq!(defined.insert(result, block), None);
        }
    }
    let is_defined = |operand: &Operand, at: BlockId| match operand.value {
        Value::Local(value) => {
            defined.get(&value).is_none_or(|&definition| control.dominators.dominates(definition, at))
        }
        Value::Constant(_) => true,
    };
    for block in reached() {
        for instruction in &function.block(block).instructions {
            let Operation::Phi(inputs) = &instruction.operation else {
                assert!(instruction.operation.operands().iter().all(|operand| is_defined(operand, block)));
                continue;
            };
            let inputs = inputs.iter().filter(|input| control.is_reached(input.1));
            assert!(inputs.clone().all(|(operand, from)| is_defined(operand, *from)));
            let mut from: Vec<_> = inputs.map(|input| input.1).collect();
            let mut predecessors = control.predecessors[block.index()].clone();
            from.sort();
            predecessors.sort();
            assert_eq!(from, predecessors, "{}", function.block(block).name);
        }
    }
}
