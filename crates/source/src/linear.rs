//! Linear functions with integer coefficients. All arithmetic is checked.

use std::collections::BTreeMap;

/// What a linear function is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// The iterator of the loop at this depth of the nest.
    Iterator(usize),
    /// A parameter of the nest, by its index.
    Parameter(usize),
}

/// `constant + Σ terms`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Linear {
    /// Coefficients; none is 0.
    pub terms: BTreeMap<Symbol, i64>,
    /// The constant.
    pub constant: i64,
}

impl Linear {
    /// A number.
    pub fn constant(constant: i64) -> Linear {
        Linear { terms: BTreeMap::new(), constant }
    }

    /// A symbol.
    pub fn symbol(symbol: Symbol) -> Linear {
        Linear { terms: BTreeMap::from([(symbol, 1)]), constant: 0 }
    }

    /// `self + factor · other`.
    pub fn plus(&self, factor: i64, other: &Linear) -> Option<Linear> {
        let mut out = self.clone();
        out.constant = out.constant.checked_add(factor.checked_mul(other.constant)?)?;
        for (&symbol, &coefficient) in &other.terms {
            let sum = out.coefficient(symbol).checked_add(factor.checked_mul(coefficient)?)?;
            out.terms.insert(symbol, sum);
        }
        out.terms.retain(|_, coefficient| *coefficient != 0);
        Some(out)
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The coefficient of a symbol.
    pub fn coefficient(&self, symbol: Symbol) -> i64 {
        self.terms.get(&symbol).copied().unwrap_or(0)
    }

    /// With names for its symbols, in C and in the notation of isl.
    pub fn text(&self, name: &dyn Fn(Symbol) -> String) -> String {
        let mut out = String::new();
        for (&symbol, &coefficient) in &self.terms {
            let sign = match (out.is_empty(), coefficient < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            out.push_str(sign);
            if coefficient.unsigned_abs() != 1 {
                out.push_str(&format!("{}*", coefficient.unsigned_abs()));
            }
            out.push_str(&name(symbol));
        }
        match (out.is_empty(), self.constant) {
            (true, constant) => constant.to_string(),
            (false, 0) => out,
            (false, c) => format!("{out} {} {}", if c < 0 { '-' } else { '+' }, c.unsigned_abs()),
        }
    }
}
