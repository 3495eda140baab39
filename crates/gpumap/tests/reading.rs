//! What clang and opt write is read: the sources of these tests, all kernels, a large program. Malformed text is refused with its
//! line, sources that are not C with clang's own words.

use crate::support;

use std::path::Path;

use gpumap::ir::instruction::{BinaryOperator, Operation};
use gpumap::reader::{self, Problem};
use gpumap::{Compiler, frontend, fuzzing};
use support::{bundled, c_sources, read, source, sources};

/// Every source of the tests and every kernel in C.
#[test]
fn sources_of_this_project_are_read() {
    let compiler = Compiler::find().unwrap();
    let tests = sources();
    let kernels = c_sources(&kernels::directory());
    assert!(tests.len() >= 10 && kernels.len() >= 30);
    for file in tests.iter().chain(&kernels) {
        let module = compiler.read(file, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert!(module.defined().count() > 0, "{}: no functions", file.display());
    }
}

/// zstd 1.5, from the crate zstd-sys that bundles its source: all files of compression and decompression.
#[test]
fn a_large_program_is_read() {
    let compiler = Compiler::find().unwrap();
    let library = bundled("zstd-sys").join("zstd/lib");
    let (mut files, mut functions, mut instructions) = (0, 0, 0);
    for part in ["common", "compress", "decompress", "dictBuilder"] {
        for file in c_sources(&library.join(part)) {
            let module = compiler.read(&file, &[]).unwrap_or_else(|error| panic!("{error}"));
            files += 1;
            for function in module.defined() {
                functions += 1;
                instructions += function.blocks.iter().map(|block| block.instructions.len()).sum::<usize>();
                assert!(!module.show_function(function).is_empty());
            }
        }
    }
    assert!(files > 25 && functions > 1000 && instructions > 50_000, "{files} {functions} {instructions}");
}

/// Names of variables and of members, places, flags, types: all of one small source.
#[test]
fn the_source_is_known_by_its_names() {
    let module = read("matrix_addition");
    let function = module.function("add").unwrap();
    let (metadata, subprogram) = (&module.metadata, function.description.unwrap());
    assert_eq!(metadata.text(subprogram, "name"), Some("add"));
    let variables = |value| {
        let all = function.variables_of(value).filter_map(|variable| metadata.text(variable, "name"));
        all.collect::<Vec<_>>()
    };
    let named: Vec<_> = function.parameters.iter().map(|parameter| variables(parameter.value)).collect();
    assert_eq!(named, [["a"], ["b"], ["c"], ["n"]]);

    let all = || function.blocks.iter().flat_map(|block| &block.instructions);
    let phis = all().filter(|instruction| matches!(instruction.operation, Operation::Phi(_)));
    let iterators: Vec<_> = phis.flat_map(|phi| variables(phi.result.unwrap())).collect();
    assert_eq!(iterators, ["i", "j"]);
    let products: Vec<_> = all()
        .filter_map(|instruction| match instruction.operation {
            Operation::Binary(BinaryOperator::Multiply, flags, ..) => Some(flags.no_signed_wrap),
            _ => None,
        })
        .collect();
    assert_eq!(products, [true]);

    let accesses: Vec<_> = all()
        .filter(|i| matches!(i.operation, Operation::Load { .. } | Operation::Store { .. }))
        .map(|instruction| {
            let place = metadata.place(instruction.location.unwrap()).unwrap();
            assert!(place.file.ends_with("matrix_addition.c"));
            (place.line, place.column)
        })
        .collect();
    assert_eq!(accesses, [(11, 34), (11, 49), (11, 16), (11, 32)]);

    let back_edges: Vec<_> = all().filter_map(|instruction| instruction.loop_node).collect();
    let places: Vec<_> = back_edges
        .iter()
        .map(|&node| {
            let (start, end) = metadata.loop_places(node).unwrap();
            (start.line, start.column, end.map(|end| end.line))
        })
        .collect();
    assert_eq!(places, [(10, 9, Some(11)), (9, 5, Some(11))]);

    let c = function.variables_of(function.parameters[2].value).next().unwrap();
    let structure = metadata.pointee(metadata.node(c, "type").unwrap()).unwrap();
    assert_eq!(metadata.member(structure, 8, Some(8)).unwrap().names, ["data"]);
    assert_eq!(metadata.member(structure, 0, Some(4)).unwrap().names, ["rows"]);
    assert_eq!(metadata.member(structure, 16, None), None);
    assert_eq!(metadata.type_name(metadata.node(c, "type").unwrap()), "struct matrix*");
}

/// What opt of version 18 writes: records of variables are calls.
#[test]
fn records_of_variables_may_be_calls() {
    let module = reader::read(include_str!("ll/intrinsics.ll")).unwrap();
    let function = module.function("twice").unwrap();
    assert_eq!(function.blocks[0].instructions.len(), 2, "calls of llvm.dbg.value are no instructions");
    let names: Vec<_> = function.blocks[0]
        .bindings
        .iter()
        .map(|binding| {
            (module.metadata.text(binding.variable, "name").unwrap(), binding.before, binding.plain)
        })
        .collect();
    assert_eq!(names, [("x", 0, true), ("y", 1, true)]);
}

/// Why a text is not read, or its first function that is not.
fn first_error(text: &str) -> reader::Error {
    match reader::read(text) {
        Ok(module) => module.unread.first().unwrap().error.clone(),
        Err(error) => error,
    }
}

/// Metadata before types, calls that may unwind; a function that is not understood leaves the others as they are.
#[test]
fn one_function_may_be_unknown() {
    let module = reader::read(include_str!("ll/callback.ll")).unwrap();
    let known = module.function("f").unwrap();
    assert_eq!(known.blocks.len(), 3);
    assert_eq!(known.blocks[0].instructions.len(), 2, "a call, and a branch by what is not known");
    assert!(module.function("g").is_none());
    let unread: Vec<_> =
        module.unread.iter().map(|unread| (module.name(unread.symbol), unread.error.line)).collect();
    assert_eq!(unread, [("g", 16)]);
}

const HEAD: &str = "define i32 @f(i32 %x) {\nentry:\n";

/// Malformed text: the line, and what is wrong with it.
#[test]
fn malformed_text_is_refused_with_its_line() {
    let cases: [(&str, u32, Problem); 14] = [
        ("%y = frobnicate i32 %x\nret i32 %y\n}", 3, Problem::Instruction("frobnicate".into())),
        ("%y = add i32x %x, 1\nret i32 %y\n}", 3, Problem::Type("i32x".into())),
        ("%y = add i32 %x, %z\nret i32 %y\n}", 3, Problem::Undefined("%z".into())),
        ("%x = add i32 1, 1\nret i32 %x\n}", 3, Problem::Redefined("%x".into())),
        ("ret i64 %x\n}", 3, Problem::OtherType("%x".into())),
        ("br label %nowhere\n}", 3, Problem::Undefined("the block %nowhere".into())),
        ("%y = add i8 300, 1\nret i32 %x\n}", 3, Problem::Number("300".into())),
        (
            "%y = add float 1.0, 1.0\nret i32 %x\n}",
            3,
            Problem::Operands("the operator is not for operands of this type"),
        ),
        (
            "%y = trunc i32 %x to i64\nret i32 %x\n}",
            3,
            Problem::Operands("the conversion is not between these types"),
        ),
        ("%y = call i32 @g()\nret i32 %y\n}", 3, Problem::Undefined("@g".into())),
        (
            "store i32 %x, ptr null\n}",
            4,
            Problem::Expected { expected: "an instruction", found: "`}`".into() },
        ),
        ("ret i32 %x\n", 4, Problem::Expected { expected: "a label", found: "the end".into() }),
        ("br i32 %x, label %entry, label %entry\n}", 3, Problem::Operands("a condition is of type i1")),
        ("%y = extractvalue { i32 } undef, 1\nret i32 %x\n}", 3, Problem::Operands("no such part")),
    ];
    for (rest, line, problem) in cases {
        let error = first_error(&format!("{HEAD}{rest}"));
        assert_eq!((error.line, &error.problem), (line, &problem), "{error}");
    }
}

/// An error shows the line it is about.
#[test]
fn errors_quote_the_line() {
    let error = first_error(&format!("{HEAD}  %y = frobnicate i32 %x\n  ret i32 %y\n}}"));
    assert_eq!(error.to_string(), "line 3: unknown instruction `frobnicate`: %y = frobnicate i32 %x");
}

/// Deep nesting is refused; without a limit it would exhaust the stack.
#[test]
fn deep_nesting_is_refused() {
    for text in [
        format!("@g = global {}", "[1 x ".repeat(100_000)),
        format!("@g = global i32 {}", "add (i32 ".repeat(100_000)),
        format!("!0 = {}", "!{".repeat(100_000)),
        format!("define void @f() {{\nret {}", "{".repeat(100_000)),
    ] {
        let error = first_error(&text);
        assert!(matches!(error.problem, Problem::Deep(_) | Problem::Expected { .. }), "{error}");
    }
}

/// Damaged text never panics.
#[test]
fn damaged_text_is_refused_or_read() {
    let compiler = Compiler::find().unwrap();
    for name in ["unusual", "colour_convolution", "counters"] {
        let text = compiler.text(&source(name), &[]).unwrap();
        for seed in 0..300 {
            fuzzing::check(&fuzzing::damaged(&text, seed));
        }
    }
}

/// What clang says of a wrong source is what is said.
#[test]
fn errors_of_the_source_are_those_of_clang() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("wrong.c");
    std::fs::write(&file, "int f(void)\n{\n    return x;\n}\n").unwrap();
    let compiler = Compiler::find().unwrap();
    let error = compiler.read(&file, &[]).unwrap_err().to_string();
    assert_eq!(error, format!("{}:3:12: error: use of undeclared identifier 'x'", file.display()));
    assert!(compiler.read(&file, &["-Dx=1".into()]).is_ok(), "options reach clang");
    assert!(matches!(compiler.read(Path::new("a.f90"), &[]), Err(frontend::Failure::Language(_))));
    assert!(matches!(compiler.read(Path::new("none.c"), &[]), Err(frontend::Failure::File(..))));
}
