//! Nested loop recognition as a peer of the benchmark.
//!
//! Written from the description in Alain Ketterlin and Philippe Clauss, "Prediction and trace compression of data access
//! addresses through nested loop recognition", CGO 2008, and from nothing else in this workspace: integers are pushed one
//! by one on a stack of terms; the last terms extend the loop before them if they are its next iteration, and three
//! groups of terms of equal shape and constant differences become a loop.

/// A term.
#[derive(Debug, Clone)]
enum Term {
    Integer(i64),
    Loop(Loop),
}

#[derive(Debug, Clone)]
struct Loop {
    count: i64,
    /// The first iteration.
    body: Vec<Term>,
    /// Advance of every number of the body.
    steps: Vec<i64>,
}

/// Groups of at most so many terms are compared.
const WINDOW: usize = 32;

/// The numbers of a term: an integer, or those of the body and the trip count.
fn numbers(term: &Term, out: &mut Vec<i64>) {
    match term {
        Term::Integer(value) => out.push(*value),
        Term::Loop(l) => {
            l.body.iter().for_each(|inner| numbers(inner, out));
            out.push(l.count);
        }
    }
}

fn all_numbers(terms: &[Term]) -> Vec<i64> {
    let mut out = Vec::new();
    terms.iter().for_each(|term| numbers(term, &mut out));
    out
}

fn alike(a: &Term, b: &Term) -> bool {
    match (a, b) {
        (Term::Integer(_), Term::Integer(_)) => true,
        (Term::Loop(a), Term::Loop(b)) => a.steps == b.steps && all_alike(&a.body, &b.body),
        _ => false,
    }
}

fn all_alike(a: &[Term], b: &[Term]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
}

/// The stack of terms.
#[derive(Debug, Default)]
pub struct Peer {
    stack: Vec<Term>,
}

impl Peer {
    /// Takes an integer.
    pub fn push(&mut self, value: i64) {
        self.stack.push(Term::Integer(value));
        while self.reduce() {}
    }

    fn reduce(&mut self) -> bool {
        let n = self.stack.len();
        for b in 1..=WINDOW.min(n.saturating_sub(1)) {
            let (before, group) = self.stack.split_at_mut(n - b);
            if let Some(Term::Loop(l)) = before.last_mut()
                && all_alike(&l.body, group)
            {
                let first = all_numbers(&l.body);
                let next = all_numbers(group);
                let is_next = first
                    .iter()
                    .zip(&l.steps)
                    .zip(&next)
                    .all(|((f, s), n)| f.wrapping_add(s.wrapping_mul(l.count)) == *n);
                if is_next {
                    l.count += 1;
                    self.stack.truncate(n - b);
                    return true;
                }
            }
            if n < 3 * b {
                continue;
            }
            let (x, rest) = self.stack[n - 3 * b..].split_at(b);
            let (y, z) = rest.split_at(b);
            // Mostly the last terms differ already.
            if !alike(&y[b - 1], &z[b - 1]) || !alike(&x[b - 1], &y[b - 1]) {
                continue;
            }
            if let (Term::Integer(x), Term::Integer(y), Term::Integer(z)) = (&x[b - 1], &y[b - 1], &z[b - 1])
                && y.wrapping_sub(*x) != z.wrapping_sub(*y)
            {
                continue;
            }
            if !all_alike(x, y) || !all_alike(y, z) {
                continue;
            }
            let [x, y, z] = [x, y, z].map(all_numbers);
            let steps: Vec<i64> = x.iter().zip(&y).map(|(x, y)| y.wrapping_sub(*x)).collect();
            if steps.iter().zip(y.iter().zip(&z)).all(|(s, (y, z))| z.wrapping_sub(*y) == *s) {
                let body = self.stack.drain(n - 3 * b..).take(b).collect();
                self.stack.push(Term::Loop(Loop { count: 3, body, steps }));
                return true;
            }
        }
        false
    }

    /// Terms on the stack.
    #[cfg(test)]
    fn terms(&self) -> usize {
        self.stack.len()
    }

    /// The terms as bytes: per integer a byte and its difference to the one before, per loop its length, its count, its body
    /// and the advance of every number; numbers in variable length.
    pub fn bytes(&self) -> Vec<u8> {
        fn put(value: i64, out: &mut Vec<u8>) {
            let mut value = ((value << 1) ^ (value >> 63)) as u64;
            while value >= 128 {
                out.push(value as u8 | 128);
                value >>= 7;
            }
            out.push(value as u8);
        }
        fn write(term: &Term, last: &mut i64, out: &mut Vec<u8>) {
            match term {
                Term::Integer(value) => {
                    out.push(0);
                    put(value.wrapping_sub(*last), out);
                    *last = *value;
                }
                Term::Loop(l) => {
                    out.push(l.body.len() as u8);
                    put(l.count, out);
                    l.body.iter().for_each(|inner| write(inner, last, out));
                    l.steps.iter().for_each(|&step| put(step, out));
                }
            }
        }
        let (mut last, mut out) = (0, Vec::new());
        self.stack.iter().for_each(|term| write(term, &mut last, &mut out));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peer_finds_nested_loops() {
        let mut peer = Peer::default();
        for i in 0..20 {
            for j in 0..i + 4 {
                peer.push(100 * i + j);
                peer.push(5000 + j);
            }
        }
        // The first iterations of an inner loop are taken for the whole of it.
        assert!(peer.terms() < 80, "{}", peer.terms());
        let mut peer = Peer::default();
        (0..1000).for_each(|i| peer.push(if i % 2 == 0 { i } else { 1_000_000 + 3 * i }));
        assert_eq!(peer.terms(), 1);
        assert!(peer.bytes().len() < 20);
    }
}
