//! Random loops in C with their truth, found by running them: every access of every iteration is compared with those before it, by the
//! definition of a dependence and nothing else.
//!
//! A program is some functions, each with a nest of loops over shared arrays, scalars and tables. Its truth is that of the source as it is
//! written, in the form that `adversarial/` has.
//!
//! Limits: what is written differs from iteration to iteration, so that no two writes of one place have the same value; conditions and
//! bounds depend on iterators and constant tables; no loop is left early.

use std::fmt::Write;

use fastrand::Rng;

mod run;
mod text;

/// Elements of each global array.
const SIZE: i64 = 1024;
/// Rows and columns of each matrix.
const ROWS: i64 = 40;
const COLUMNS: i64 = 40;
/// Elements of an array of a function's own.
const OWN: i64 = 16;
/// Functions of a program.
const FUNCTIONS: usize = 24;

/// A program of random loops. One seed gives one program.
pub fn random_program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut text = String::from(PRELUDE);
    let mut calls = String::new();
    for number in 0..FUNCTIONS {
        let function = loop {
            let function = Function::random(&mut rng);
            if let Some(truths) = function.truths() {
                break function.text(number, &truths);
            }
        };
        text.push_str(&function.0);
        let _ = writeln!(calls, "    {}\n    show_all({number});", function.1);
    }
    let _ = write!(text, "\nint main(void) {{\n    prepare();\n{calls}    return 0;\n}}\n");
    text
}

const PRELUDE: &str = "#include <stdio.h>

#if defined(__clang__)
#define ALONE __attribute__((noinline, unused))
#else
#define ALONE __attribute__((noipa, unused))
#endif

typedef unsigned natural;
typedef double real;
typedef struct { unsigned x, y; } natural_pair;
typedef struct { double x, y; } real_pair;

static int turned[1024], shared[1024];
static natural natural_a[1024], natural_b[1024], natural_c[1024], natural_m[40][40], natural_g;
static real real_a[1024], real_b[1024], real_c[1024], real_m[40][40], real_g;
static natural_pair natural_p[1024];
static real_pair real_p[1024];

static inline natural natural_get(const natural *of, int at) { return of[at]; }
static inline void natural_put(natural *to, int at, natural value) { to[at] = value; }
ALONE static real real_get(const real *of, int at) { return of[at]; }
ALONE static void real_put(real *to, int at, real value) { to[at] = value; }

ALONE static void prepare(void) {
    for (int i = 0; i < 1024; i++) {
        turned[i] = (i * 37 + 11) % 1024;
        shared[i] = i * i % 61;
        natural_a[i] = i * 7 % 31; natural_b[i] = i * 5 % 23; natural_c[i] = i % 9;
        real_a[i] = i * 7 % 31; real_b[i] = i * 5 % 23; real_c[i] = i % 9;
        natural_p[i] = (natural_pair){i % 13, i % 17};
        real_p[i] = (real_pair){i % 13, i % 17};
    }
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 40; j++) natural_m[i][j] = i * 3 + j, real_m[i][j] = i + j * 5;
}

ALONE static void show_all(int after) {
    natural n = natural_g;
    real r = real_g;
    for (int i = 0; i < 1024; i++) {
        n = n * 31 + natural_a[i] + 3 * natural_b[i] + 5 * natural_c[i] + 7 * natural_p[i].x + 9 * natural_p[i].y;
        r = r * 0.875 + real_a[i] + 3 * real_b[i] + 5 * real_c[i] + 7 * real_p[i].x + 9 * real_p[i].y;
    }
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 40; j++) n = n * 31 + natural_m[i][j], r = r * 0.875 + real_m[i][j];
    printf(\"%d %u %.6g\\n\", after, n, r);
}
";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Array {
    A,
    B,
    C,
    Matrix,
    PairX,
    PairY,
    /// Of the function.
    Own,
    /// Of the body of the outermost loop.
    Inner,
}

impl Array {
    fn size(self) -> i64 {
        match self {
            Array::Matrix => ROWS * COLUMNS,
            Array::Own | Array::Inner => OWN,
            _ => SIZE,
        }
    }
}

/// How the text comes to an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Road {
    Name,
    /// A parameter that points to it, so many elements after its beginning.
    Parameter(usize, i64),
    /// Such a parameter, by a function.
    Call(usize, i64),
}

#[derive(Debug, Clone, Copy)]
enum Twist {
    Xor(i64),
    Without(i64),
    Or(i64),
    Shift(u32),
    Quotient(i64),
    Rest(i64),
    Turned,
    Shared,
}

/// A combination of iterators.
#[derive(Debug, Clone)]
struct Affine {
    terms: Vec<(usize, i64)>,
    constant: i64,
}

#[derive(Debug, Clone)]
struct Subscript {
    affine: Affine,
    twist: Option<Twist>,
    counter: bool,
}

#[derive(Debug, Clone)]
enum Place {
    Scalar(Scalar),
    Element(Array, Road, Vec<Subscript>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Scalar {
    /// Of the function; used afterwards or not.
    Kept,
    Spare,
    /// Of the body of the loop of this depth.
    Inner(usize),
    Global,
    /// Moves by a constant.
    Counter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Update {
    Add,
    Xor,
}

#[derive(Debug, Clone, Copy)]
enum Condition {
    Odd(usize),
    Rest(usize, i64, i64),
    Below(usize, i64),
    Is(usize, i64),
    Greater(usize, usize),
    Table(usize),
}

#[derive(Debug, Clone, Copy)]
enum Bound {
    Constant(i64),
    /// The parameter `n`, less so many.
    Parameter(i64),
    Iterator(usize, i64),
    Table(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    For,
    /// The iterator is declared by the function.
    Declared,
    Downwards,
    While,
}

#[derive(Debug, Clone)]
struct Loop {
    number: usize,
    depth: usize,
    form: Form,
    from: Bound,
    to: Bound,
    step: i64,
    body: Vec<Statement>,
}

#[derive(Debug, Clone)]
enum Statement {
    Loop(Loop),
    If(Condition, Vec<Statement>),
    /// The rest of the body is left out where the condition holds.
    Unless(Condition, Vec<Statement>),
    Write {
        to: Place,
        update: Option<(Update, bool)>,
        from: Vec<Place>,
    },
    Declare(usize, Vec<Place>),
    Count(i64),
}

/// Number of iterations of the parameter `n`.
type Trips = i64;

struct Function {
    type_name: &'static str,
    n: Trips,
    parameters: Vec<Array>,
    offsets: Vec<i64>,
    loops: usize,
    body: Loop,
    /// Arrays of the function's own and of the outermost body.
    own: bool,
    inner: bool,
}

/// What a function is made of.
struct Maker<'r> {
    rng: &'r mut Rng,
    is_real: bool,
    n: Trips,
    arrays: Vec<Array>,
    parameters: Vec<Array>,
    offsets: Vec<i64>,
    loops: usize,
    deepest: usize,
    has_counter: bool,
    /// Depths at which the body has a scalar of its own, from here on.
    declared: Vec<usize>,
}

impl Maker<'_> {
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.usize(..of.len())]
    }

    fn is_likely(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    fn affine(&mut self, depth: usize) -> Affine {
        let mut terms = Vec::new();
        let first = if self.is_likely(75) { depth } else { self.rng.usize(..=depth) };
        terms.push((first, self.one(&[1, 1, 1, 1, 1, 2, -1, 3])));
        if depth > 0 && self.is_likely(35) {
            let other = self.rng.usize(..=depth);
            if other != first {
                terms.push((other, self.one(&[1, 1, -1, 8, 16, 20])));
            }
        }
        if self.is_likely(6) {
            terms.clear();
        }
        let backwards = terms.iter().any(|term| term.1 < 0);
        let constant = if backwards {
            self.one(&[60, 64, 100])
        } else {
            self.one(&[0, 0, 0, 0, 1, 1, 2, 3, 4, 8, 40, 100])
        };
        Affine { terms, constant }
    }

    fn subscript(&mut self, depth: usize, size: i64) -> Subscript {
        let mut affine = self.affine(depth);
        if size <= ROWS {
            affine.constant = self.one(&[0, 0, 0, 1]);
            affine.terms.truncate(1);
            affine.terms.iter_mut().for_each(|term| term.1 = 1);
        }
        let twist = self.is_likely(18).then(|| {
            self.one(&[
                Twist::Xor(1),
                Twist::Xor(3),
                Twist::Without(1),
                Twist::Without(3),
                Twist::Or(1),
                Twist::Shift(1),
                Twist::Shift(2),
                Twist::Quotient(3),
                Twist::Rest(8),
                Twist::Rest(5),
                Twist::Turned,
                Twist::Shared,
            ])
        });
        let twist = twist.filter(|twist| size > ROWS || !matches!(twist, Twist::Turned | Twist::Shared));
        let counter = self.has_counter && size == SIZE && self.is_likely(25);
        Subscript { affine, twist: twist.filter(|_| !counter), counter }
    }

    fn element(&mut self, depth: usize) -> Place {
        let arrays = self.arrays.clone();
        let array = self.one(&arrays);
        let as_parameter = self.parameters.iter().position(|&own| own == array);
        let road = match as_parameter {
            Some(at) if self.is_likely(25) => Road::Call(at, self.offsets[at]),
            Some(at) if self.is_likely(70) => Road::Parameter(at, self.offsets[at]),
            _ => Road::Name,
        };
        let subscripts = if array == Array::Matrix {
            vec![self.subscript(depth, ROWS), self.subscript(depth, COLUMNS)]
        } else {
            vec![self.subscript(depth, array.size())]
        };
        Place::Element(array, road, subscripts)
    }

    fn place(&mut self, depth: usize, scalars: u32) -> Place {
        if !self.is_likely(scalars) {
            return self.element(depth);
        }
        let mut of = vec![Scalar::Kept, Scalar::Spare, Scalar::Spare, Scalar::Global];
        of.extend(self.declared.iter().flat_map(|&depth| [Scalar::Inner(depth); 3]));
        Place::Scalar(self.one(&of))
    }

    fn terms(&mut self, depth: usize) -> Vec<Place> {
        let count = self.one(&[0, 1, 1, 1, 2, 2]);
        (0..count).map(|_| self.place(depth, 30)).collect()
    }

    fn condition(&mut self, depth: usize) -> Condition {
        let of = self.rng.usize(..=depth);
        let last = self.n - 1;
        match self.rng.u32(..7) {
            0 => Condition::Odd(of),
            1 => Condition::Rest(of, self.one(&[3, 4, 7]), self.one(&[0, 1, 2])),
            2 => Condition::Below(of, self.one(&[3, last, 10])),
            3 => Condition::Is(of, self.one(&[0, 5, last])),
            4 if depth > 0 => Condition::Greater(depth - 1, depth),
            5 => Condition::Is(of, 2),
            _ => Condition::Table(of),
        }
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let to = self.place(depth, 30);
        let update = if self.is_likely(30) {
            let how = if !self.is_real && self.is_likely(20) { Update::Xor } else { Update::Add };
            let is_short = self.is_likely(60);
            Some((how, is_short))
        } else {
            None
        };
        let update = update.filter(|_| !matches!(to, Place::Element(_, Road::Call(..), _)));
        Statement::Write { to, update, from: self.terms(depth) }
    }

    fn body(&mut self, depth: usize) -> Vec<Statement> {
        let mut out = Vec::new();
        if self.is_likely(30) {
            out.push(Statement::Declare(depth, self.terms(depth)));
            self.declared.push(depth);
        }
        let count = self.rng.usize(1..=3);
        let nested = (depth < self.deepest).then(|| self.rng.usize(..count));
        for at in 0..count {
            if nested == Some(at) {
                out.push(Statement::Loop(self.nest(depth + 1)));
            } else if self.has_counter && self.is_likely(25) {
                out.push(Statement::Count(self.one(&[1, 1, 1, 2])));
            } else if self.is_likely(20) {
                let condition = self.condition(depth);
                let then = (0..self.rng.usize(1..=2)).map(|_| self.statement(depth)).collect();
                out.push(Statement::If(condition, then));
            } else {
                out.push(self.statement(depth));
            }
        }
        if depth < self.deepest && self.is_likely(12) {
            out.push(Statement::Loop(self.nest(depth + 1)));
        }
        if out.len() > 1 && self.is_likely(8) {
            let rest = out.split_off(self.rng.usize(1..out.len()));
            out.push(Statement::Unless(self.condition(depth), rest));
        }
        self.declared.retain(|&own| own != depth);
        out
    }

    fn nest(&mut self, depth: usize) -> Loop {
        let number = self.loops;
        self.loops += 1;
        let form = self.one(&[
            Form::For,
            Form::For,
            Form::For,
            Form::For,
            Form::Declared,
            Form::Downwards,
            Form::While,
        ]);
        let around = depth.checked_sub(1);
        let from = match around {
            Some(around) if self.is_likely(12) => Bound::Iterator(around, self.one(&[0, 1])),
            _ => Bound::Constant(self.one(&[0, 0, 0, 0, 1, 2])),
        };
        let to = match (self.rng.u32(..10), around) {
            (0, Some(around)) => Bound::Iterator(around, self.one(&[0, 1, 4])),
            (1, Some(around)) => Bound::Table(around),
            (2..=5, _) => Bound::Parameter(self.one(&[0, 0, 0, 1])),
            _ => Bound::Constant(if depth == 0 { self.n } else { self.one(&[4, 5, 8, 12, 16]) }),
        };
        let step = if self.is_likely(88) { 1 } else { 2 };
        let body = self.body(depth);
        // What `continue` would skip advances a `while` loop.
        let has_jump = matches!(body.last(), Some(Statement::Unless(..)));
        let form = if form == Form::While && has_jump { Form::For } else { form };
        Loop { number, depth, form, from, to, step, body }
    }
}

impl Function {
    fn random(rng: &mut Rng) -> Function {
        let is_real = rng.bool();
        let deepest = [0, 0, 1, 1, 1, 2][rng.usize(..6)];
        let n = match deepest {
            0 => [50, 100, 64, 400][rng.usize(..4)],
            1 => [16, 24, 30, 38][rng.usize(..4)],
            _ => [8, 12, 16][rng.usize(..3)],
        };
        let all = [
            Array::A,
            Array::B,
            Array::C,
            Array::Matrix,
            Array::PairX,
            Array::PairY,
            Array::Own,
            Array::Inner,
        ];
        let mut arrays: Vec<Array> = (0..rng.usize(1..=3)).map(|_| all[rng.usize(..all.len())]).collect();
        if deepest == 0 {
            arrays.retain(|&array| array != Array::Matrix);
        }
        if arrays.is_empty() {
            arrays.push(Array::A);
        }
        let plain = [Array::A, Array::B, Array::C];
        let parameters: Vec<Array> =
            arrays.iter().copied().filter(|array| plain.contains(array)).take(2).collect();
        let offsets = parameters.iter().map(|_| [0, 0, 1, 64][rng.usize(..4)]).collect();
        let has_counter = rng.u32(..100) < 15;
        let mut maker = Maker {
            rng,
            is_real,
            n,
            arrays,
            parameters,
            offsets,
            loops: 0,
            deepest,
            has_counter,
            declared: Vec::new(),
        };
        let body = maker.nest(0);
        let (own, inner) = (maker.arrays.contains(&Array::Own), maker.arrays.contains(&Array::Inner));
        Function {
            type_name: if is_real { "real" } else { "natural" },
            n,
            parameters: maker.parameters,
            offsets: maker.offsets,
            loops: maker.loops,
            body,
            own,
            inner,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_is_one_program() {
        assert_eq!(random_program(7), random_program(7));
        assert_ne!(random_program(7), random_program(8));
    }

    /// Loops whose truth is plain.
    #[test]
    fn truths_are_those_of_the_definition() {
        let element = |constant: i64| {
            let affine = Affine { terms: vec![(0, 1)], constant };
            Place::Element(Array::A, Road::Name, vec![Subscript { affine, twist: None, counter: false }])
        };
        let truth = |body: Vec<Statement>| {
            let nest = Loop {
                number: 0,
                depth: 0,
                form: Form::For,
                from: Bound::Constant(0),
                to: Bound::Parameter(0),
                step: 1,
                body,
            };
            let function = Function {
                type_name: "real",
                n: 50,
                parameters: Vec::new(),
                offsets: Vec::new(),
                loops: 1,
                body: nest,
                own: false,
                inner: false,
            };
            function.truths().map(|truths| truths[0].clone())
        };
        let write = |to: Place, from: Vec<Place>| Statement::Write { to, update: None, from };
        let spare = || Place::Scalar(Scalar::Spare);
        assert_eq!(truth(vec![write(element(0), vec![element(0)])]).as_deref(), Some("yes"));
        assert_eq!(truth(vec![write(element(1), vec![element(0)])]).as_deref(), Some("no"));
        assert_eq!(truth(vec![write(element(0), vec![element(1)])]).as_deref(), Some("private|words"));
        let body = vec![write(spare(), vec![element(0)]), write(element(0), vec![spare()])];
        assert_eq!(truth(body).as_deref(), Some("private|words"));
        let body = vec![write(element(0), vec![spare()]), write(spare(), vec![element(0)])];
        assert_eq!(truth(body).as_deref(), Some("no"));
        let sum =
            |to: Place| Statement::Write { to, update: Some((Update::Add, true)), from: vec![element(0)] };
        assert_eq!(truth(vec![sum(spare())]).as_deref(), Some("reduction|words|yes"));
        // Read again in the iteration that writes it.
        let body = vec![write(spare(), vec![element(1)]), write(element(0), vec![element(0), spare()])];
        assert_eq!(truth(body).as_deref(), Some("private|words"));
        let kept = Place::Scalar(Scalar::Kept);
        assert_eq!(truth(vec![sum(kept)]).as_deref(), Some("reduction|words"));
        assert_eq!(truth(vec![write(element(SIZE), vec![])]), None);
    }
}
