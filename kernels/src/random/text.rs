//! The text of a random function.

use std::fmt::Write;

use super::{
    Array, Bound, Condition, Form, Function, Loop, OWN, Place, Road, Scalar, Statement, Subscript, Twist,
    Update,
};

use super::run::FIRST_COUNT;

impl Function {
    /// Its text, and a call of it.
    pub(super) fn text(&self, number: usize, truths: &[String]) -> (String, String) {
        let type_name = self.type_name;
        let parameters: String =
            (0..self.parameters.len()).map(|at| format!("{type_name} *{}, ", ["p", "q"][at])).collect();
        let mut text = format!("\nALONE static {type_name} f{number}({parameters}int n) {{\n");
        let _ = writeln!(text, "    {type_name} kept = 1, spare = 2;\n    int count = {FIRST_COUNT};");
        if self.own {
            let _ = writeln!(text, "    {type_name} own[{OWN}] = {{1, 2, 3}};");
        }
        let mut writer = Writer { function: self, truths, text };
        writer.nest(&self.body, 1);
        let mut text = writer.text;
        let own = if self.own { " + own[2]" } else { "" };
        let _ = writeln!(text, "    (void)spare; (void)count;\n    return kept{own};\n}}");
        let arguments: String = self
            .parameters
            .iter()
            .zip(&self.offsets)
            .map(|(array, offset)| format!("{} + {offset}, ", name_of(type_name, *array)))
            .collect();
        (text, format!("{type_name}_g += f{number}({arguments}{});", self.n))
    }
}

fn name_of(type_name: &str, array: Array) -> String {
    match array {
        Array::A => format!("{type_name}_a"),
        Array::B => format!("{type_name}_b"),
        Array::C => format!("{type_name}_c"),
        Array::Matrix => format!("{type_name}_m"),
        Array::PairX | Array::PairY => format!("{type_name}_p"),
        Array::Own => "own".to_owned(),
        Array::Inner => "inner".to_owned(),
    }
}

struct Writer<'f> {
    function: &'f Function,
    truths: &'f [String],
    text: String,
}

const ITERATORS: [&str; 3] = ["i", "j", "k"];

impl Writer<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.text, "{:width$}{text}", "", width = indent * 4);
    }

    fn bound(bound: Bound) -> String {
        match bound {
            Bound::Constant(value) => value.to_string(),
            Bound::Parameter(0) => "n".to_owned(),
            Bound::Parameter(less) => format!("n - {less}"),
            Bound::Iterator(of, 0) => ITERATORS[of].to_owned(),
            Bound::Iterator(of, more) => format!("{} + {more}", ITERATORS[of]),
            Bound::Table(of) => format!("shared[{}] % 12", ITERATORS[of]),
        }
    }

    fn nest(&mut self, nest: &Loop, indent: usize) {
        let (i, step) = (ITERATORS[nest.depth], nest.step);
        let (from, to) = (Self::bound(nest.from), Self::bound(nest.to));
        let truth = &self.truths[nest.number].clone();
        let advance = if step == 1 { format!("{i}++") } else { format!("{i} += {step}") };
        let block = indent + 1;
        let mut after = None;
        match nest.form {
            Form::For => {
                self.line(indent, &format!("for (int {i} = {from}; {i} < {to}; {advance}) {{ //= {truth}"));
            }
            Form::Downwards => {
                let back = if step == 1 { format!("{i}--") } else { format!("{i} -= {step}") };
                self.line(indent, &format!("for (int {i} = {to} - 1; {i} >= {from}; {back}) {{ //= {truth}"));
            }
            Form::Declared => {
                self.line(indent, "{");
                self.line(indent, &format!("int {i};"));
                self.line(indent, &format!("for ({i} = {from}; {i} < {to}; {advance}) {{ //= {truth}"));
            }
            Form::While => {
                self.line(indent, "{");
                self.line(indent, &format!("int {i} = {from};"));
                self.line(indent, &format!("while ({i} < {to}) {{ //= {truth}"));
                after = Some(format!("{advance};"));
            }
        }
        if nest.depth == 0 && self.function.inner {
            let type_name = self.function.type_name;
            self.line(block, &format!("{type_name} inner[{OWN}] = {{4, 5, 6}};"));
        }
        self.statements(&nest.body, nest.depth, block);
        if let Some(after) = after {
            self.line(block, &after);
        }
        self.line(indent, "}");
        if matches!(nest.form, Form::Declared | Form::While) {
            self.line(indent, "}");
        }
    }

    fn statements(&mut self, of: &[Statement], depth: usize, indent: usize) {
        for statement in of {
            match statement {
                Statement::Loop(nest) => self.nest(nest, indent),
                Statement::If(condition, then) => {
                    self.line(indent, &format!("if ({}) {{", Self::condition(*condition)));
                    self.statements(then, depth, indent + 1);
                    self.line(indent, "}");
                }
                Statement::Unless(condition, rest) => {
                    self.line(indent, &format!("if ({}) continue;", Self::condition(*condition)));
                    self.statements(rest, depth, indent);
                }
                Statement::Write { to, update, from } => {
                    let value = self.value(from, depth);
                    let to_text = self.place(to);
                    let text = match (to, update) {
                        (Place::Element(_, Road::Call(parameter, _), subscripts), _) => {
                            let at = Self::subscript(&subscripts[0]);
                            let name = ["p", "q"][*parameter];
                            format!("{}_put({name}, {at}, {value});", self.function.type_name)
                        }
                        (_, None) => format!("{to_text} = {value};"),
                        (_, Some((how, is_short))) => {
                            let sign = if *how == Update::Add { "+" } else { "^" };
                            if *is_short {
                                format!("{to_text} {sign}= {value};")
                            } else {
                                format!("{to_text} = {to_text} {sign} ({value});")
                            }
                        }
                    };
                    self.line(indent, &text);
                }
                Statement::Declare(own, from) => {
                    let value = self.value(from, depth);
                    let text = format!("{} inner_{} = {value};", self.function.type_name, ITERATORS[*own]);
                    self.line(indent, &text);
                }
                Statement::Count(1) => self.line(indent, "count++;"),
                Statement::Count(step) => self.line(indent, &format!("count += {step};")),
            }
        }
    }

    fn condition(condition: Condition) -> String {
        let i = |of: usize| ITERATORS[of];
        match condition {
            Condition::Odd(of) => format!("{} & 1", i(of)),
            Condition::Rest(of, by, rest) => format!("{} % {by} == {rest}", i(of)),
            Condition::Below(of, end) => format!("{} < {end}", i(of)),
            Condition::Is(of, value) => format!("{} == {value}", i(of)),
            Condition::Greater(a, b) => format!("{} > {}", i(a), i(b)),
            Condition::Table(of) => format!("shared[{}] > 30", i(of)),
        }
    }

    fn value(&self, from: &[Place], depth: usize) -> String {
        let is_real = self.function.type_name == "real";
        let mut text = String::new();
        for place in from {
            let read = self.read(place);
            let _ = write!(text, "{read}{} + ", if is_real { " * 0.25" } else { " * 3" });
        }
        let own: Vec<String> =
            (0..=depth).map(|of| format!("{} * {}", ITERATORS[of], [7, 3, 5][of])).collect();
        text + &own.join(" + ") + " + 1"
    }

    fn read(&self, place: &Place) -> String {
        if let Place::Element(_, Road::Call(parameter, _), subscripts) = place {
            let at = Self::subscript(&subscripts[0]);
            return format!("{}_get({}, {at})", self.function.type_name, ["p", "q"][*parameter]);
        }
        self.place(place)
    }

    fn place(&self, place: &Place) -> String {
        let type_name = self.function.type_name;
        match place {
            Place::Scalar(Scalar::Kept) => "kept".to_owned(),
            Place::Scalar(Scalar::Spare) => "spare".to_owned(),
            Place::Scalar(Scalar::Counter) => "count".to_owned(),
            Place::Scalar(Scalar::Inner(depth)) => format!("inner_{}", ITERATORS[*depth]),
            Place::Scalar(Scalar::Global) => format!("{type_name}_g"),
            Place::Element(array, road, subscripts) => {
                let name = match road {
                    Road::Name => name_of(type_name, *array),
                    Road::Parameter(at, _) | Road::Call(at, _) => ["p", "q"][*at].to_owned(),
                };
                let subscripts: String =
                    subscripts.iter().map(|own| format!("[{}]", Self::subscript(own))).collect();
                let field = match array {
                    Array::PairX => ".x",
                    Array::PairY => ".y",
                    _ => "",
                };
                format!("{name}{subscripts}{field}")
            }
        }
    }

    fn subscript(subscript: &Subscript) -> String {
        let mut text = String::new();
        for &(of, by) in &subscript.affine.terms {
            let (sign, by) = if by < 0 { (" - ", -by) } else { (" + ", by) };
            text.push_str(sign);
            if by != 1 {
                let _ = write!(text, "{by} * ");
            }
            text.push_str(ITERATORS[of]);
        }
        if subscript.counter {
            text.push_str(" + count");
        }
        if subscript.affine.constant != 0 || text.is_empty() {
            let _ = write!(text, " + {}", subscript.affine.constant);
        }
        let plain =
            text.strip_prefix(" + ").map_or_else(|| text.trim_start().replacen("- ", "-", 1), str::to_owned);
        let whole = format!("({plain})");
        let inside = if plain.contains(' ') { whole.as_str() } else { plain.as_str() };
        match subscript.twist {
            None => plain,
            Some(Twist::Xor(by)) => format!("{inside} ^ {by}"),
            Some(Twist::Without(by)) => format!("{inside} & ~{by}"),
            Some(Twist::Or(by)) => format!("{inside} | {by}"),
            Some(Twist::Shift(by)) => format!("{inside} >> {by}"),
            Some(Twist::Quotient(by)) => format!("{inside} / {by}"),
            Some(Twist::Rest(by)) => format!("{inside} % {by}"),
            Some(Twist::Turned) => format!("turned[{plain}]"),
            Some(Twist::Shared) => format!("shared[{plain}]"),
        }
    }
}
