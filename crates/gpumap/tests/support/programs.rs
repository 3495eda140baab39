//! Random programs in C: nests of loops of every kind around accesses at every kind of address.
//!
//! Addresses are bytes of one large block of memory, from its middle. Some calls of a function do what has no meaning in C (a
//! signed sum that wraps): those are told by clang's checks, which stop the program there.

use super::interpreter::Sequence;

const TYPES: [&str; 8] = ["int", "int", "int", "unsigned", "long", "short", "unsigned char", "unsigned long"];
/// Loops and conditions may be nested this deep.
const DEEPEST: usize = 3;

const HEAD: &str = "#include <stdlib.h>
struct part { int x; short y[5]; };
static int count, sum;
";

/// A program with so many functions. Its arguments are a function's number and three numbers for it.
pub fn program(seed: u64, functions: usize) -> String {
    let mut writer = Writer { from: Sequence(seed), out: HEAD.to_owned(), variables: Vec::new(), named: 0 };
    for number in 0..functions {
        writer.function(number);
    }
    let calls = (0..functions).map(|number| {
        format!("    case {number}: f{number}(n, m, p, (int *)at, (short *)at, (struct part *)at); break;\n")
    });
    let calls: String = calls.collect();
    writer.out
        + &format!(
            "int main(int argc, char **argv)\n{{\n    if (argc < 5) return 2;\n    \
             int n = atoi(argv[2]), m = atoi(argv[3]), p = atoi(argv[4]);\n    \
             char *at = (char *)calloc(1, 1 << 26) + (1 << 25);\n    switch (atoi(argv[1])) {{\n{calls}    }}\n    \
             return 0;\n}}\n"
        )
}

struct Writer {
    from: Sequence,
    out: String,
    /// Iterators that are known.
    variables: Vec<String>,
    named: usize,
}

impl Writer {
    fn below(&mut self, limit: usize) -> usize {
        (self.from.next() % limit as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out += &format!("{}{text}\n", "    ".repeat(depth + 1));
    }

    fn function(&mut self, number: usize) {
        let (m, p) = (self.pick(&TYPES), self.pick(&TYPES));
        let head = "int *a, short *b, struct part *c)\n{\n    count = 0;\n";
        self.out += &format!("static __attribute__((noinline)) void f{number}(int n, {m} m, {p} p, {head}");
        let (first, step) = (self.expression(1), self.below(5) as i64 - 2);
        self.line(0, &format!("int carried = {first}; const int step = {step}; const int *at = a;"));
        self.variables.push("carried".into());
        self.body(0);
        self.variables.pop();
        self.access(0);
        self.out += "}\n";
    }

    fn atom(&mut self) -> String {
        let variables = self.variables.len();
        match self.below(variables + 4) {
            0 => "n".into(),
            1 => "m".into(),
            2 => "p".into(),
            3 => (self.below(11) as i64 - 4).to_string(),
            other => self.variables[other - 4].clone(),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth > 2 {
            return self.atom();
        }
        let kind = self.below(22);
        let x = if kind < 8 { self.atom() } else { self.expression(depth + 1) };
        match kind {
            0..8 => x,
            8..13 => {
                let (operator, y) = (self.pick(&["+", "-"]), self.expression(depth + 1));
                format!("({x} {operator} {y})")
            }
            13 => format!("({x} * {})", self.atom()),
            14 => format!("({x} * {})", self.below(8) as i64 - 3),
            15 => format!("({x} / {})", 2 + self.below(3)),
            16 => format!("({x} % {})", 2 + self.below(4)),
            17 => {
                let operator = self.pick(&[">> 1", ">> 2", "& 7", "& 6", "& 1"]);
                format!("({x} {operator})")
            }
            18 => {
                let (condition, y) = (self.condition(depth + 1), self.expression(depth + 1));
                format!("({condition} ? {x} : {y})")
            }
            19 => {
                let (which, y) = (self.pick(&["min", "max"]), self.expression(depth + 1));
                let of = self.pick(&TYPES);
                format!("__builtin_elementwise_{which}(({of})({x}), ({of})({y}))")
            }
            20 => format!("abs({x})"),
            _ => format!("({})({x})", self.pick(&TYPES)),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let (x, y) = (self.expression(depth), self.expression(depth));
        format!("{x} {} {y}", self.pick(&["<", "<=", ">", ">=", "==", "!="]))
    }

    /// How a pointer walks.
    fn step_of_pointer(&mut self) -> &'static str {
        ["at++;", "at += 2;", "at--;"][self.below(3)]
    }

    fn access(&mut self, depth: usize) {
        let place = self.expression(0);
        let text = match self.below(6) {
            0 => format!("c[{place}].x += 1;"),
            1 => format!("sum += c[{place}].y[{}];", self.below(5)),
            2 => format!("b[{place}] = 1;"),
            3 => format!("sum += b[{place}];"),
            4 => format!("a[{place}] = 2;"),
            _ => format!("a[{place}] += a[{}];", self.expression(1)),
        };
        self.line(depth, &text);
    }

    fn body(&mut self, depth: usize) {
        for _ in 0..1 + self.below(2) {
            match self.below(10) {
                0..6 if depth < DEEPEST => self.nest(depth),
                6..8 if depth < DEEPEST => {
                    let (first, second) = (self.condition(1), self.condition(1));
                    let is_double = self.below(3) == 0;
                    let condition = if is_double { format!("{first} && {second}") } else { first };
                    self.line(depth, &format!("if ({condition}) {{"));
                    self.body(depth + 1);
                    self.line(depth, "}");
                }
                8 => {
                    self.access(depth);
                    self.line(depth, "carried += step;");
                }
                9 => {
                    self.line(depth, "sum += *at;");
                    let step = self.step_of_pointer();
                    self.line(depth, step);
                }
                _ => self.access(depth),
            }
        }
    }

    fn nest(&mut self, depth: usize) {
        let name = format!("i{}", self.named);
        self.named += 1;
        let (of, low, high) = (self.pick(&TYPES), self.expression(1), self.expression(1));
        let step = self.pick(&["1", "1", "1", "2", "3"]);
        let head = match self.below(10) {
            0..5 => {
                let test = self.pick(&["<", "<="]);
                format!("{of} {name} = {low}; {name} {test} {high}; {name} += {step}")
            }
            5..7 => {
                let test = self.pick(&[">", ">="]);
                format!("{of} {name} = {high}; {name} {test} {low}; {name} -= {step}")
            }
            7 => format!("{of} {name} = {low}; {name} != {high}; {name} += {step}"),
            8 => format!("{of} {name} = {high}; {name}-- > {};", self.below(3)),
            _ => format!("{of} {name} = {low}; {name} < {high} && {}; {name}++", self.condition(1)),
        };
        self.line(depth, &format!("for ({head}) {{"));
        // Loops that go around the numbers of their type are too long to watch.
        self.line(depth + 1, "if (count++ > 3000) exit(0);");
        self.variables.push(name);
        self.body(depth + 1);
        self.variables.pop();
        self.line(depth, "}");
    }
}
