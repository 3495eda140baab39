//! Symbolic arithmetic against numbers: every claim on small boxes of values, and the examples of the definitions.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use gpumap::symbolic::prove::Monotone;
use gpumap::symbolic::range::Arithmetic;
use gpumap::symbolic::solve::solve;
use gpumap::symbolic::{Atom, AtomId, Atoms, Coefficient, Facts, Order, Polynomial, Prover, Range, Side};

fn number(of: i64) -> Polynomial {
    Polynomial::from(of)
}

/// The value of a polynomial where atoms are symbols with these values, or made of them.
fn value(atoms: &Atoms, of: &Polynomial, values: &dyn Fn(AtomId) -> i64) -> BigRational {
    atoms.value(of, &|atom| Some(BigInt::from(values(atom)).into())).unwrap()
}

/// The least and greatest number of a range without atoms.
fn ends(range: &Range) -> Option<(Option<i64>, Option<i64>)> {
    let Range::Between(lower, upper) = range else { return None };
    let end = |clauses: &[Vec<Polynomial>], side: Side| {
        let numbers = clauses.iter().map(|clause| {
            let all = clause.iter().map(|member| member.constant().unwrap().to_integer().to_i64().unwrap());
            if side == Side::Lower { all.min().unwrap() } else { all.max().unwrap() }
        });
        if side == Side::Lower { numbers.max() } else { numbers.min() }
    };
    Some((end(lower.clauses(), Side::Lower), end(upper.clauses(), Side::Upper)))
}

const BOX: std::ops::RangeInclusive<i64> = -6..=6;

fn intervals() -> Vec<(i64, i64)> {
    BOX.flat_map(|a| (a..=6).map(move |b| (a, b))).collect()
}

/// Every pair of intervals in -6..6: `(x op y)` of all their numbers lies in the range; gives how many ranges are exact.
fn exhaustive(
    apply: impl Fn(&mut Arithmetic<'_>, &Range, &Range) -> Range,
    truth: impl Fn(i64, i64) -> Option<i64>,
) -> (usize, usize) {
    let facts = Facts::none();
    let mut atoms = Atoms::default();
    let (mut pairs, mut exact) = (0, 0);
    for &(a, b) in &intervals() {
        for &(c, d) in &intervals() {
            let mut arithmetic = Arithmetic { atoms: &mut atoms, facts: &facts };
            let range = apply(&mut arithmetic, &Range::between(a, b), &Range::between(c, d));
            let all: Vec<i64> =
                (a..=b).flat_map(|x| (c..=d).filter_map(|y| truth(x, y)).collect::<Vec<_>>()).collect();
            pairs += 1;
            let real = all.iter().min().copied().zip(all.iter().max().copied());
            match (ends(&range), real) {
                (None, None) => exact += 1,
                (None, Some(_)) => panic!("[{a},{b}] and [{c},{d}] are said to be impossible"),
                (Some(_), None) => {}
                (Some((low, high)), Some((least, most))) => {
                    assert!(low.is_none_or(|low| low <= least), "[{a},{b}] and [{c},{d}]: {low:?} > {least}");
                    assert!(
                        high.is_none_or(|high| high >= most),
                        "[{a},{b}] and [{c},{d}]: {high:?} < {most}"
                    );
                    exact += usize::from(low == Some(least) && high == Some(most));
                }
            }
        }
    }
    (pairs, exact)
}

#[test]
fn arithmetic_on_numbers_contains_every_result() {
    let sum = exhaustive(|_, x, y| x.plus(y), |x, y| Some(x + y));
    assert_eq!(sum, (8281, 8281));
    let difference = exhaustive(|_, x, y| x.minus(y), |x, y| Some(x - y));
    assert_eq!(difference, (8281, 8281));
    let product = exhaustive(|a, x, y| a.times(x, y), |x, y| Some(x * y));
    assert_eq!(product, (8281, 8281));
    let quotient = exhaustive(|a, x, y| a.over(x, y), i64::checked_div);
    assert_eq!(quotient, (8281, 8281));
    let (pairs, exact) = exhaustive(|a, x, y| a.modulo(x, y), i64::checked_rem);
    assert_eq!(pairs, 8281);
    // 7352 of those with a divisor, and those without one.
    assert_eq!(exact, 7352 + 91);
}

/// `x < y` and the like, for every pair of intervals: what is left contains all values that fulfil the condition, and is as
/// small as an interval can be.
#[test]
fn branches_keep_what_fulfils_their_condition() {
    type Refine = fn(&Arithmetic<'_>, &Range, &Range) -> Range;
    type Holds = fn(i64, i64) -> bool;
    let cases: [(Refine, Holds); 6] = [
        (|a, x, y| a.less(x, y).0, |x, y| x < y),
        (|a, x, y| a.less(y, x).1, |x, y| y < x),
        (|a, x, y| a.not_greater(x, y).0, |x, y| x <= y),
        (|a, x, y| a.not_greater(y, x).1, |x, y| y <= x),
        (|a, x, y| a.equal(x, y).0, |x, y| x == y),
        (|a, x, y| a.unequal(x, y), |x, y| x != y),
    ];
    for (refine, holds) in cases {
        let truth = |x, y| holds(x, y).then_some(x);
        let (pairs, exact) = exhaustive(|a, x, y| refine(a, x, y), truth);
        assert_eq!((pairs, exact), (8281, 8281));
    }
}

/// Numbers of a fixed sequence.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self, from: i64, to: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from + ((self.0 >> 33) % (to - from + 1) as u64) as i64
    }
}

/// Quadratics in two variables from 1 to 39 that keep one sign there: what is decided is right, and most are decided.
#[test]
fn signs_of_quadratics_are_those_on_the_grid() {
    let mut atoms = Atoms::default();
    let [x, y] = ["x", "y"].map(|name| atoms.number(Atom::Symbol(name.into())));
    let mut facts = Facts::none();
    for atom in [x, y] {
        facts.at_least(atom, 1);
        facts.at_most(atom, 39);
    }
    let mut sequence = Sequence(7);
    let (mut of_one_sign, mut decided) = (0, 0);
    while of_one_sign < 400 {
        let c: [i64; 6] = std::array::from_fn(|_| sequence.next(-9, 9));
        let at = |x: i64, y: i64| c[0] + c[1] * x + c[2] * y + c[3] * x * x + c[4] * x * y + c[5] * y * y;
        let grid: Vec<i64> = (1..40).flat_map(|x| (1..40).map(move |y| at(x, y))).collect();
        let (least, most) = (*grid.iter().min().unwrap(), *grid.iter().max().unwrap());
        let [px, py] = [x, y].map(Polynomial::from);
        let product = |a: &Polynomial, b: &Polynomial| a.times(b).unwrap();
        let terms =
            [number(1), px.clone(), py.clone(), product(&px, &px), product(&px, &py), product(&py, &py)];
        let of = terms
            .iter()
            .zip(c)
            .fold(Polynomial::default(), |sum, (term, factor)| &sum + &term.scaled(&factor.into()));
        let signs = Prover::new(&atoms, &facts).signs(&of);
        assert!(signs.negative || least >= 0, "{}", atoms.show(&of));
        assert!(signs.positive || most <= 0, "{}", atoms.show(&of));
        assert!(signs.zero || !grid.contains(&0), "{}", atoms.show(&of));
        if least >= 0 || most <= 0 {
            of_one_sign += 1;
            decided += usize::from(!signs.negative || !signs.positive);
        }
    }
    assert!(decided >= 356, "{decided} of 400");
}

/// Random facts and claims on three variables: whatever is proved holds at every point of a box that fulfils the facts.
#[test]
fn what_is_proved_holds_wherever_the_facts_do() {
    let mut sequence = Sequence(3);
    let mut proved = 0;
    for _ in 0..1500 {
        let mut atoms = Atoms::default();
        let ids = ["n", "i", "j"].map(|name| atoms.number(Atom::Symbol(name.into())));
        let linear = |sequence: &mut Sequence, of: &[AtomId]| {
            of.iter().fold(number(sequence.next(-3, 3)), |sum, &atom| {
                let factor = Coefficient::from(sequence.next(-2, 2));
                &sum + &Polynomial::from(atom).scaled(&factor)
            })
        };
        let mut facts = Facts::none();
        facts.at_least(ids[0], sequence.next(-2, 2));
        facts.at_least(ids[1], linear(&mut sequence, &ids[..1]));
        facts.at_most(ids[1], linear(&mut sequence, &ids[..1]));
        facts.at_least(ids[2], linear(&mut sequence, &ids[..2]));
        if sequence.next(0, 1) == 0 {
            facts.at_most(ids[2], linear(&mut sequence, &ids[..2]));
        }
        let known = linear(&mut sequence, &ids);
        facts.assume(known);
        let halves = linear(&mut sequence, &ids);
        let half = atoms.floor(&halves, &BigInt::from(sequence.next(2, 4))).unwrap();
        let rest = atoms.modulo(&halves, &BigInt::from(3)).unwrap();
        let (a, b) = (linear(&mut sequence, &ids), linear(&mut sequence, &ids));
        let mut claim = &a.times(&b).unwrap() + &linear(&mut sequence, &ids);
        if sequence.next(0, 1) == 0 {
            claim = linear(&mut sequence, &ids);
        }
        claim = match sequence.next(0, 3) {
            0 => &claim + &half,
            1 => &claim - &half,
            2 => &claim + &rest.times(&a).unwrap(),
            _ => claim,
        };
        if !Prover::new(&atoms, &facts).is_not_negative(&claim) {
            continue;
        }
        proved += 1;
        for point in 0..11i64.pow(3) {
            let point = [point % 11 - 5, point / 11 % 11 - 5, point / 121 - 5];
            let at = |atom: AtomId| point[ids.iter().position(|&id| id == atom).unwrap()];
            let not_negative = |of: &Polynomial| value(&atoms, of, &at) >= BigRational::from(BigInt::from(0));
            if not_negative(&claim) {
                continue;
            }
            let fulfils = ids.iter().all(|&id| {
                let (lower, upper) = facts.bounds(id).cloned().unwrap_or_default();
                let is_within = |clause: &Vec<Polynomial>, side: Side| {
                    clause.iter().any(|end| match side {
                        Side::Lower => not_negative(&(&Polynomial::from(id) - end)),
                        Side::Upper => not_negative(&(end - &Polynomial::from(id))),
                    })
                };
                lower.clauses().iter().all(|clause| is_within(clause, Side::Lower))
                    && upper.clauses().iter().all(|clause| is_within(clause, Side::Upper))
            }) && facts.not_negative().iter().all(not_negative);
            assert!(!fulfils, "{} at {point:?}", atoms.show(&claim));
        }
    }
    assert!(proved > 100, "{proved}");
}

#[test]
fn comparisons_use_the_facts() {
    let mut atoms = Atoms::default();
    let [n, m, i] = ["n", "m", "i"].map(|name| atoms.number(Atom::Symbol(name.into())));
    let [pn, pm, pi] = [n, m, i].map(Polynomial::from);
    let mut facts = Facts::none();
    facts.at_least(n, 1);
    facts.at_least(i, 0);
    facts.at_most(i, &pn - &number(1));
    let prover = Prover::new(&atoms, &facts);
    assert_eq!(prover.compare(&pi, &pn), Order::Less);
    assert_eq!(prover.compare(&pn, &number(1)), Order::NotLess);
    assert_eq!(prover.compare(&pn, &pm), Order::Unknown);
    // a >= 1: a - 1 is zero or positive.
    let signs = prover.signs(&(&pn - &number(1)));
    assert!(signs.is_not_negative() && signs.zero && signs.positive);
    // The last element of row i of an n by n matrix lies in the matrix.
    let last = &(&pi.times(&pn).unwrap() + &pn) - &number(1);
    assert_eq!(prover.compare(&last, &pn.times(&pn).unwrap()), Order::Less);
}

/// The square of x rises from 0 on; over all integers nothing is claimed.
#[test]
fn monotonicity_is_that_of_integers() {
    let mut atoms = Atoms::default();
    let x = atoms.number(Atom::Symbol("x".into()));
    let square = Polynomial::from(x).times(&x.into()).unwrap();
    let nothing = Facts::none();
    assert_eq!(Prover::new(&atoms, &nothing).monotone(&square, x), Monotone::Unknown);
    assert_eq!(Prover::new(&atoms, &nothing).monotone(&number(3), x), Monotone::Constant);
    let mut facts = Facts::none();
    facts.at_least(x, 0);
    assert_eq!(Prover::new(&atoms, &facts).monotone(&square, x), Monotone::Increasing);
    assert_eq!(Prover::new(&atoms, &facts).monotone(&-&square, x), Monotone::Decreasing);
    // x * x - x: between two integers it falls, from one to the next it does not.
    assert_eq!(Prover::new(&atoms, &facts).monotone(&(&square - &x.into()), x), Monotone::Increasing);
}

#[test]
fn quotients_have_one_form() {
    let mut atoms = Atoms::default();
    let n = atoms.symbol("n");
    let times = |of: &Polynomial, by: i64| of.scaled(&by.into());
    let mut floor = |of: &Polynomial, by: i64| atoms.floor(of, &BigInt::from(by)).unwrap();
    // (4n + 5) / 4 = n + 1; 2n / 4 = n / 2; (2n + 1) / 4 = n / 2.
    assert_eq!(floor(&(&times(&n, 4) + &number(5)), 4), &n + &number(1));
    let half = floor(&n, 2);
    assert_eq!(floor(&times(&n, 2), 4), half);
    assert_eq!(floor(&(&times(&n, 2) + &number(1)), 4), half);
    assert_eq!(floor(&number(-7), 2), number(-4));
    assert_eq!(floor(&times(&n, -3), -3), n);
    assert_eq!(atoms.show(&half), "floor((n)/2)");
    assert_eq!(atoms.floor(&n, &BigInt::from(0)), None);
}

#[test]
fn equations_of_the_definitions() {
    let mut atoms = Atoms::default();
    let [x, y, n, m] = ["x", "y", "n", "m"].map(|name| atoms.symbol(name));
    let id = |of: &Polynomial| of.atoms()[0];
    let mut solved = |equations: &[Polynomial], of: &Polynomial| {
        let solutions = solve(&mut atoms, equations);
        assert!(solutions.complete);
        solutions.list.iter().map(|s| s[&id(of)].to_i64().unwrap()).collect::<Vec<_>>()
    };
    let sum_and_difference = [&(&x + &y) - &number(3), &(&x - &y) - &number(1)];
    assert_eq!(solved(&sum_and_difference, &x), [2]);
    assert_eq!(solved(&sum_and_difference, &y), [1]);
    let product = n.times(&m).unwrap();
    assert_eq!(solved(&[&product - &number(50), &n - &number(10)], &m), [5]);
    assert_eq!(solved(&[&product - &number(50), &n - &number(11)], &m), [] as [i64; 0]);
    let square = n.times(&n).unwrap();
    assert_eq!(solved(&[&square - &number(49)], &n), [-7, 7]);
    assert_eq!(solved(&[&square - &number(50)], &n), [] as [i64; 0]);

    // 100 = the quotient of 2n by 4, rounded up.
    let double = &n + &n;
    let rounded = atoms.ceiling(&double, &BigInt::from(4)).unwrap();
    let solutions = solve(&mut atoms, &[&rounded - &number(100)]);
    let found: Vec<i64> = solutions.list.iter().map(|s| s[&id(&n)].to_i64().unwrap()).collect();
    assert_eq!((found, solutions.complete), (vec![199, 200], true));

    // What is not determined is said to be so.
    assert!(!solve(&mut atoms, &[&x - &y]).complete);
}

/// Bounds are sets where a comparison is not proved, and one polynomial where it is.
#[test]
fn unions_keep_both_ends_where_they_do_not_compare() {
    let mut atoms = Atoms::default();
    let [n, m] = ["n", "m"].map(|name| atoms.number(Atom::Symbol(name.into())));
    let [pn, pm] = [n, m].map(Polynomial::from);
    let facts = Facts::none();
    let either = Range::between(0, pn.clone()).union(&Range::between(0, pm.clone()));
    let arithmetic = Arithmetic { atoms: &mut atoms, facts: &facts };
    let Range::Between(lower, upper) = arithmetic.pruned(&either) else { panic!("it is reached") };
    assert_eq!(lower.single(), Some(&number(0)));
    assert_eq!(upper.clauses(), [vec![pn.clone(), pm.clone()]]);
    let mut facts = Facts::none();
    facts.at_most(n, pm.clone());
    let arithmetic = Arithmetic { atoms: &mut atoms, facts: &facts };
    let Range::Between(_, upper) = arithmetic.pruned(&either) else { panic!("it is reached") };
    assert_eq!(upper.single(), Some(&pm));
}

/// An expression over two variables.
enum Tree {
    Variable(usize),
    Number(i64),
    Of(u8, Box<Tree>, Box<Tree>),
}

impl Tree {
    fn random(sequence: &mut Sequence, depth: u32) -> Tree {
        match sequence.next(0, if depth == 0 { 1 } else { 8 }) {
            0 => Tree::Variable(usize::from(sequence.next(0, 1) == 0)),
            1 => Tree::Number(sequence.next(-3, 3)),
            of => {
                let operator = u8::try_from(of - 2).unwrap();
                let [a, b] = [(); 2].map(|()| Box::new(Tree::random(sequence, depth - 1)));
                Tree::Of(operator, a, b)
            }
        }
    }

    /// The range that arithmetic gives.
    fn range(&self, arithmetic: &mut Arithmetic<'_>, of: &[AtomId; 2]) -> Range {
        match self {
            Tree::Variable(place) => Polynomial::from(of[*place]).into(),
            Tree::Number(of) => number(*of).into(),
            Tree::Of(operator, a, b) => {
                let (x, y) = (a.range(arithmetic, of), b.range(arithmetic, of));
                match operator {
                    0 => x.plus(&y),
                    1 => x.minus(&y),
                    2 => arithmetic.times(&x, &y),
                    3 => arithmetic.over(&x, &y),
                    4 => arithmetic.modulo(&x, &y),
                    // The lesser one, as an atom of its own where both are polynomials.
                    5 => match (x.single().cloned(), y.single().cloned()) {
                        (Some(x), Some(y)) => match arithmetic.atoms.least(&x, &y) {
                            Some(least) => least.into(),
                            None => Range::from(x).union(&y.into()),
                        },
                        _ => x.union(&y),
                    },
                    // A choice by something of which nothing is known.
                    _ => arithmetic.pruned(&x.union(&y)),
                }
            }
        }
    }

    fn value(&self, of: [i64; 2]) -> Option<i64> {
        match self {
            Tree::Variable(place) => Some(of[*place]),
            Tree::Number(of) => Some(*of),
            Tree::Of(operator, a, b) => {
                let (x, y) = (a.value(of)?, b.value(of)?);
                match operator {
                    0 => Some(x + y),
                    1 => Some(x - y),
                    2 => Some(x * y),
                    3 => x.checked_div(y),
                    4 => x.checked_rem(y),
                    5 => Some(x.min(y)),
                    _ => Some(if of[0] % 2 == 0 { x } else { y }),
                }
            }
        }
    }
}

/// Expressions of sums, differences, products, quotients, remainders, least ones and choices, under facts that pin signs, also to zero: the
/// arithmetic ends, and what it gives contains all values.
#[test]
fn expressions_lie_in_their_ranges() {
    let mut sequence = Sequence(31);
    let mut bounded = 0;
    for _ in 0..3000 {
        let mut atoms = Atoms::default();
        let ids = ["n", "i"].map(|name| atoms.number(Atom::Symbol(name.into())));
        let mut facts = Facts::none();
        for atom in ids {
            let variable = Polynomial::from(atom);
            match sequence.next(0, 5) {
                0 => facts.at_least(atom, 0),
                1 => facts.at_most(atom, 0),
                2 => facts.at_least(atom, 1),
                // Zero, and nothing says so in one place.
                3 => {
                    facts.assume(variable.clone());
                    facts.assume(-&variable);
                }
                4 => facts.assume(&Polynomial::from(ids[0]) - &Polynomial::from(ids[1])),
                _ => {}
            }
        }
        let tree = Tree::random(&mut sequence, 4);
        let range = tree.range(&mut Arithmetic { atoms: &mut atoms, facts: &facts }, &ids);
        bounded += usize::from(range.is_bounded());
        for (n, i) in BOX.flat_map(|n| BOX.map(move |i| (n, i))) {
            let values = |atom: AtomId| if atom == ids[0] { n } else { i };
            let at = |of: &Polynomial| value(&atoms, of, &values);
            let zero = BigRational::from(BigInt::from(0));
            let holds = |bound: &gpumap::symbolic::Bound, is_kept: &dyn Fn(&BigRational) -> bool| {
                bound.clauses().iter().all(|clause| clause.iter().any(|member| is_kept(&at(member))))
            };
            let is_possible = facts.not_negative().iter().all(|fact| at(fact) >= zero)
                && ids.into_iter().all(|atom| {
                    let own = BigRational::from(BigInt::from(values(atom)));
                    facts.bounds(atom).is_none_or(|(lower, upper)| {
                        holds(lower, &|end| *end <= own) && holds(upper, &|end| *end >= own)
                    })
                });
            let Some(real) = tree.value([n, i]).filter(|_| is_possible) else { continue };
            let real = BigRational::from(BigInt::from(real));
            let Range::Between(lower, upper) = &range else { panic!("said to be impossible at {n}, {i}") };
            assert!(
                holds(lower, &|end| *end <= real) && holds(upper, &|end| *end >= real),
                "{real} at {n}, {i}"
            );
        }
    }
    assert!(bounded > 1000, "{bounded} of 3000 have both ends");
}

/// The lesser of two polynomials has one form, and moves as both do.
#[test]
fn least_ones_have_one_form() {
    let mut atoms = Atoms::default();
    let [n, m] = ["n", "m"].map(|name| atoms.symbol(name));
    let least = atoms.least(&n, &m).unwrap();
    assert_eq!(atoms.least(&m, &n), Some(least.clone()));
    assert_eq!(atoms.show(&least.scaled(&8.into())), "min(8*n, 8*m)");
    let greatest = atoms.greatest(&(&n - &number(1)), &number(0)).unwrap();
    assert_eq!(atoms.show(&greatest), "max(n - 1, 0)");
    let facts = Facts::none();
    let prover = Prover::new(&atoms, &facts);
    assert!(prover.is_at_least(&n, &least) && prover.is_at_least(&m, &least));
    assert!(!prover.is_at_least(&least, &n));
    assert_eq!(atoms.least(&n, &(&n + &number(2))), Some(n));
}
