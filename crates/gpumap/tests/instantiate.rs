//! Numbers of iterations in a run, solved for the inputs of functions.

use crate::support;

use gpumap::access::Accesses;
use gpumap::calls::{Cone, LENGTH};
use gpumap::control::Control;
use gpumap::instantiate::{Instance, show};
use gpumap::memory::effects::Summaries;
use gpumap::offload::observed::{Executed, Loop, Observed};
use gpumap::recurrence::Given;
use support::read;

/// A loop of the source as it is written, that went on between so often.
fn ran(line: u32, access: u32, trips: (u64, u64), stride: i64) -> Loop {
    Loop {
        file: "counts.c".into(),
        line,
        trips: Some(trips),
        pieces: 1,
        executed: vec![Executed { line: access, writes: true, stride: Some(stride) }],
        ..Loop::default()
    }
}

fn each(line: u32, count: u64) -> Loop {
    ran(line, line + 1, (count, count), 4)
}

fn instance(function: &str, loops: Vec<Loop>, given: &[(&str, i64)]) -> Instance {
    let module = read("counts");
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    let control = Control::new(&cone.function);
    let mut accesses = Accesses::new(&module, &cone.function, &control, &mut Summaries::default());
    let mut values = Given::default();
    given.iter().for_each(|(name, value)| values.set(name, *value));
    Instance::new(&module, &control, &mut accesses, Some(&Observed { loops }), &values)
}

fn said(function: &str, loops: Vec<Loop>, given: &[(&str, i64)]) -> Vec<String> {
    show::lines(&instance(function, loops, given))
}

#[test]
fn counts_give_inputs() {
    let is = "from the run: n is 100, as the loop of line 4 goes on 100 times";
    assert_eq!(said("plain", vec![each(4, 100)], &[]), [is]);
    let found = instance("plain", vec![each(4, 100)], &[]);
    assert_eq!(found.given.value("n"), Some(&100.into()));
    let is = "from the run: image->width is 7, as the loop of line 59 goes on 7 times";
    let mut member = each(59, 7);
    member.executed[0].writes = false;
    assert_eq!(said("member", vec![member.clone()], &[]), [is]);
    // What is written later may be the width: it has the value in the loop alone, and is no input.
    member.executed[0].line = 76;
    let found = instance("sum_of", vec![Loop { line: 75, ..member }], &[]);
    assert!(found.given.is_empty() && found.values[0].name == "image->width", "{:?}", found.values);
}

/// How often a loop goes on may rest on assumptions: so does what follows from it.
#[test]
fn assumptions_of_equations_are_said() {
    let said = said("bounded", vec![each(83, 9)], &[]);
    let expected = "from the run: image->width is 9, as the loop of line 83 goes on 9 times (assumed: writes to a leave image->width unchanged)";
    assert_eq!(said, [expected]);
}

/// ALGORITHMS 7.3: two solutions, one that needs another one first, and two equations in two unknowns.
#[test]
fn equations_are_solved_together() {
    let fourth = instance("fourth", vec![ran(10, 11, (100, 100), 16)], &[]);
    assert_eq!(fourth.values[0].numbers, [199.into(), 200.into()]);
    assert_eq!(fourth.given.value("n"), None);
    let product = said("product", vec![each(16, 10), each(18, 50)], &[]);
    let is = "from the run: m is 5, as the loop of line 18 goes on 50 times";
    assert_eq!(product[0], is);
    assert_eq!(said("product", vec![each(18, 50)], &[("n", 10)])[0], is);
    assert!(instance("product", vec![each(18, 50)], &[]).values.is_empty());
    let sums = instance("sums", vec![each(24, 3), each(26, 1)], &[]);
    let values: Vec<_> = sums.values.iter().map(|value| (value.name.as_str(), &value.numbers[..])).collect();
    assert_eq!(values, [("x", &[2.into()][..]), ("y", &[1.into()][..])]);
}

/// Solutions are all inputs for which the loop goes on so often, and nothing else.
#[test]
fn all_solutions_are_found() {
    let fourth = |n: i64| (2 * n + 3).div_euclid(4).max(0);
    let square = |n: i64| n * n;
    for (function, line, stride, count) in
        [("fourth", 10, 16, &fourth as &dyn Fn(i64) -> i64), ("square", 39, 4, &square)]
    {
        for n in 1..60 {
            let times = u64::try_from(count(n)).unwrap();
            let found = instance(function, vec![ran(line, line + 1, (times, times), stride)], &[]);
            let expected: Vec<_> =
                (-200..200).filter(|&other| count(other) == count(n)).map(num_bigint::BigInt::from).collect();
            assert_eq!(found.values[0].numbers, expected, "{function} of {n}");
        }
    }
}

/// A value that comes by two ways: what both say is kept.
#[test]
fn ways_are_alternatives() {
    let found = instance("chosen", vec![each(33, 30)], &[]);
    let values: Vec<_> = found.values.iter().map(|value| value.name.as_str()).collect();
    assert!(values.is_empty() && found.given.is_empty(), "{values:?}: n or m is not known");
    // 2·m is not 31, so that m is above 10 and n is 31.
    let found = said("chosen", vec![each(33, 31)], &[]);
    assert_eq!(found, ["from the run: n is 31, as the loop of line 33 goes on 31 times"]);
}

#[test]
fn contradictions_are_named() {
    let is = "contradiction: n is given as 1000, but the loop of line 4 goes on 1024 times in the run, and that is n: \
              n would have to be 1024";
    assert_eq!(said("plain", vec![each(4, 1024)], &[("n", 1000)]), [is]);
    assert_eq!(instance("plain", vec![each(4, 1024)], &[("n", 1000)]).given.value("n"), Some(&1000.into()));
    let is = "contradiction: n is given as 7, but the loop of line 18 goes on 50 times in the run, and that is n*m: \
              no values of the other inputs fit";
    assert_eq!(said("product", vec![each(18, 50)], &[("n", 7)]), [is]);
    let is = "contradiction: the loop of line 47 goes on 9 times in the run, and that is n: no value fits that and the \
              loop of line 45, which goes on 20 times";
    assert_eq!(said("even", vec![each(45, 20), each(47, 9)], &[]), [is]);
    let is = "contradiction: the loop of line 45 goes on 21 times in the run, and that is 2*n: no values of inputs fit that";
    assert_eq!(said("even", vec![each(45, 21)], &[]), [is]);
}

/// Loops that the compiler changed, or of which it is not known, say nothing.
#[test]
fn what_is_no_equation_says_why() {
    let why = |counted: Loop| {
        let found = instance("plain", vec![counted], &[]);
        assert!(found.values.is_empty() && found.given.is_empty());
        show::lines(&found).concat()
    };
    assert!(
        why(ran(4, 5, (3, 17), 4))
            .contains("goes on 3 to 17 times and says nothing about inputs: entries differ")
    );
    assert!(why(ran(4, 5, (25, 25), 16)).contains("the compiler changed it, as accesses of line 5 show"));
    let mut unrolled = each(4, 25);
    unrolled.executed = vec![Executed { line: 5, writes: true, stride: None }; 4];
    assert!(why(unrolled).contains("the compiler changed it, as accesses of line 5 show"));
    assert!(why(Loop { pieces: 2, ..each(4, 25) }).contains("the compiler made 2 loops of it"));
    assert!(why(Loop { trips: None, ..each(4, 25) }).contains("were not counted entry by entry"));
    assert!(why(Loop { executed: Vec::new(), ..each(4, 25) }).contains("whether the compiler left it"));
    assert!(said("silent", vec![each(67, 25)], &[]).concat().contains("whether the compiler left it"));
}
