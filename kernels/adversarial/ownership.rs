// Rust: state in closures, macros, references, adaptors, hidden names.
use std::collections::VecDeque;
use std::hint::black_box;
use std::mem;

macro_rules! put {
    ($out:expr, $n:ident, $x:expr) => {
        $out[$n] = $x;
        $n += 1;
    };
}

#[inline(never)]
fn macro_position(out: &mut [i32], a: &[i32]) -> usize {
    let mut n = 0;
    for &x in a { //= induction|no
        put!(out, n, x);
    }
    n
}
#[inline(never)]
fn shadowed(out: &mut [i32], a: &[i32]) {
    let t = 3;
    for i in 0..a.len() { //= yes
        let t = a[i] * t;
        let t = t + 1;
        out[i] = t;
    }
}
#[inline(never)]
fn conditional(out: &mut [i32], a: &[i32]) {
    let mut t = 0;
    for i in 0..a.len() { //= no
        if a[i] < 1000 {
            t = a[i];
        }
        out[i] = t;
    }
}
#[inline(never)]
fn by_reference(out: &mut [i32], a: &[i32]) {
    let mut n = 0;
    let r = &mut n;
    for &x in a { //= induction|no
        out[*r] = x;
        *r += 1;
    }
}
#[inline(never)]
fn replaced(out: &mut [i32], a: &[i32]) {
    let mut t = 0;
    for (o, &x) in out.iter_mut().zip(a) { //= no
        *o = mem::replace(&mut t, x);
    }
}
#[inline(never)]
fn swapped(out: &mut [i32], a: &[i32]) {
    let (mut s, mut t) = (1, 2);
    for (o, &x) in out.iter_mut().zip(a) { //= no
        *o = x + s;
        mem::swap(&mut s, &mut t);
    }
}
#[inline(never)]
fn explicit_iterator(out: &mut [i32], a: &[i32]) {
    let mut from = a.iter();
    for o in out.iter_mut() { //= no|induction
        if let Some(x) = from.next() {
            *o = *x;
        }
    }
}
#[inline(never)]
fn while_let_iterator(a: &[i32]) -> i32 {
    let mut it = a.iter();
    let mut s = 0;
    while let Some(x) = it.next() { //= no|induction
        s += x;
    }
    s
}
#[inline(never)]
fn rest_of_a_slice(a: &mut [i32]) {
    let mut rest = a;
    while rest.len() > 3 { //= no|induction
        let (head, tail) = rest.split_at_mut(3);
        head[0] = tail.len() as i32;
        rest = tail;
    }
}
#[inline(never)]
fn scanned(out: &mut [i32], a: &[i32]) {
    let sums = a.iter().scan(0, |s, &x| {
        *s += x;
        Some(*s)
    });
    for (o, s) in out.iter_mut().zip(sums) { //= no
        *o = s;
    }
}
#[inline(never)]
fn mapped(out: &mut [i32], a: &[i32]) {
    for (o, x) in out.iter_mut().zip(a.iter().map(|x| x * 3 + 1)) { //= yes
        *o = x;
    }
}
#[inline(never)]
fn filtered(out: &mut [i32], a: &[i32]) -> usize {
    let mut n = 0;
    for x in a.iter().filter(|x| **x > 0) { //= no
        out[n] = *x;
        n += 1;
    }
    n
}
#[inline(never)]
fn filtered_sum(a: &[i32]) -> i32 {
    let mut s = 0;
    for x in a.iter().filter(|x| **x % 2 == 0) { //= reduction|no
        s += x;
    }
    s
}
#[inline(never)]
fn peeked(out: &mut [i32], a: &[i32]) {
    let mut it = a.iter().peekable();
    let mut i = 0;
    while let Some(x) = it.next() { //= no|induction
        out[i] = x - it.peek().map_or(0, |y| **y);
        i += 1;
    }
}
struct Smoother {
    last: f64,
}
impl Smoother {
    #[inline(never)]
    fn next(&mut self, x: f64) -> f64 {
        self.last = 0.5 * (self.last + x);
        self.last
    }
}
#[inline(never)]
fn filter(out: &mut [f64], a: &[f64]) {
    let mut s = Smoother { last: 0.0 };
    for i in 0..a.len() { //= no
        out[i] = s.next(a[i]);
    }
}
#[inline(never)]
fn filter_in_the_body(out: &mut [f64], a: &[f64]) {
    for i in 0..a.len() { //= yes
        let mut s = Smoother { last: 0.0 };
        s.next(a[i]);
        out[i] = s.next(1.0);
    }
}
struct Total {
    sum: f64,
    count: usize,
}
#[inline(never)]
fn fields(a: &[f64]) -> Total {
    let mut t = Total { sum: 0.0, count: 0 };
    for x in a { //= reduction
        t.sum += x;
        if *x > 2.0 {
            t.count += 1;
        }
    }
    t
}
#[inline(never)]
fn deque(a: &[i32]) -> VecDeque<i32> {
    let mut d = VecDeque::new();
    for &x in a { //= no
        d.push_front(x);
    }
    d
}
#[inline(never)]
fn extended(rows: &mut [Vec<i32>]) {
    for (i, r) in rows.iter_mut().enumerate() { //= yes
        r.extend((0..8).map(|j| i as i32 * j));
    }
}
#[inline(never)]
fn taken(a: &mut [Option<i32>]) -> i32 {
    let mut s = 0;
    for x in a.iter_mut() { //= reduction
        s += x.take().unwrap_or(0);
    }
    s
}
#[inline(never)]
fn two_rows(a: &mut [f64], n: usize) {
    for i in 1..n { //= no
        let (above, below) = a.split_at_mut(i * n);
        for j in 0..n { //= yes
            below[j] += above[(i - 1) * n + j];
        }
    }
}
#[inline(never)]
fn exact_chunks(a: &mut [f64]) {
    for row in a.chunks_exact_mut(10) { //= yes
        for j in 1..10 { //= no
            row[j] += row[j - 1];
        }
    }
}
static mut COUNTER: usize = 0;
#[inline(never)]
fn static_position(out: &mut [i32], a: &[i32]) {
    for &x in a { //= induction|no
        unsafe {
            out[COUNTER] = x;
            COUNTER += 1;
        }
    }
}
thread_local!(static LAST: std::cell::Cell<i32> = const { std::cell::Cell::new(0) });
#[inline(never)]
fn thread_local_last(out: &mut [i32], a: &[i32]) {
    for (o, &x) in out.iter_mut().zip(a) { //= no
        *o = LAST.replace(x);
    }
}
#[inline(never)]
fn raw(out: *mut i32, a: *const i32, n: usize) {
    for i in 1..n { //= no
        unsafe { *out.add(i) = *a.add(i - 1) + 1 };
    }
}
#[inline(never)]
fn labelled(a: &[i32], n: usize) -> usize {
    let mut at = 0;
    'rows: for i in 0..n { //= exit|no
        for j in 0..n { //= exit|no
            if a[i * n + j] == 77 {
                at = i * n + j;
                break 'rows;
            }
        }
    }
    at
}
#[inline(never)]
fn state_machine(out: &mut [u8], text: &[u8]) {
    enum State {
        Outside,
        Inside,
    }
    let mut state = State::Outside;
    for (o, &c) in out.iter_mut().zip(text) { //= no
        state = match (state, c) {
            (State::Outside, b'(') => State::Inside,
            (State::Inside, b')') => State::Outside,
            (s, _) => s,
        };
        *o = u8::from(matches!(state, State::Inside));
    }
}

fn main() {
    let n = 60 + std::env::args().count();
    let a: Vec<i32> = (0..n as i32).map(|i| i * 53 % 97 - 40).collect();
    let x: Vec<f64> = (0..n).map(|i| i as f64 * 0.5).collect();
    let (mut o, mut f) = (vec![0; n], vec![0.0; n]);
    println!("{}", macro_position(&mut o, &a));
    shadowed(&mut o, &a);
    conditional(&mut o, &a);
    by_reference(&mut o, &a);
    replaced(&mut o, &a);
    println!("{}", o[5]);
    swapped(&mut o, &a);
    explicit_iterator(&mut o, &a);
    println!("{} {}", o[7], while_let_iterator(&a));
    rest_of_a_slice(&mut o);
    println!("{}", o[9]);
    scanned(&mut o, &a);
    println!("{}", o[n - 1]);
    mapped(&mut o, &a);
    println!("{} {}", filtered(&mut o, &a), filtered_sum(&a));
    peeked(&mut o, &a);
    filter(&mut f, &x);
    println!("{} {}", o[4], f[n - 1]);
    filter_in_the_body(&mut f, &x);
    let t = fields(&x);
    println!("{} {} {}", t.sum, t.count, f[3]);
    println!("{:?}", deque(&a).front());
    let mut rows = vec![Vec::new(); n];
    extended(&mut rows);
    let mut options: Vec<Option<i32>> = a.iter().map(|x| (x % 3 != 0).then_some(*x)).collect();
    println!("{} {}", rows[7][7], taken(&mut options));
    let mut g = vec![1.5; 400];
    two_rows(&mut g, 20);
    exact_chunks(&mut g);
    println!("{}", g[399]);
    static_position(&mut o, &a);
    thread_local_last(&mut o, &a);
    println!("{}", o[n - 1]);
    let p = o.as_mut_ptr();
    raw(p, black_box(p), n);
    let mut square = vec![0; 400];
    square[333] = 77;
    println!("{} {}", o[n - 1], labelled(&square, 20));
    let text: Vec<u8> = (0..n).map(|i| b"a(bc)d"[i % 6]).collect();
    let mut marks = vec![0; n];
    state_machine(&mut marks, &text);
    println!("{marks:?}");
}
