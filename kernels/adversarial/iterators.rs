// Loops of Rust: iterators of the standard library, checked indices, ownership.
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hint::black_box;
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock};
use std::sync::atomic::{AtomicUsize, Ordering};

#[inline(never)]
fn range(out: &mut [i32], a: &[i32]) {
    for i in 0..a.len() { //= yes
        out[i] = a[i] * 2;
    }
}
#[inline(never)]
fn inclusive_range(out: &mut [i32], a: &[i32]) {
    for i in 1..=a.len() - 1 { //= yes
        out[i] = a[i - 1] + a[i];
    }
}
#[inline(never)]
fn reversed_range(out: &mut [i32], a: &[i32]) {
    for i in (0..a.len()).rev() { //= yes
        out[i] = a[i] ^ 1;
    }
}
#[inline(never)]
fn slice_update(a: &mut [i32]) {
    for x in a.iter_mut() { //= yes
        *x += 5;
    }
}
#[inline(never)]
fn enumerated(a: &mut [i32]) {
    for (i, x) in a.iter_mut().enumerate() { //= yes
        *x = i as i32 * 3;
    }
}
#[inline(never)]
fn zipped(out: &mut [f64], a: &[f64], b: &[f64]) {
    for (o, (x, y)) in out.iter_mut().zip(a.iter().zip(b)) { //= yes
        *o = x * y;
    }
}
#[inline(never)]
fn in_chunks(out: &mut [f64], a: &[f64]) {
    for (o, c) in out.iter_mut().zip(a.chunks(3)) { //= yes
        *o = c[0] + c[c.len() - 1];
    }
}
#[inline(never)]
fn mutable_chunks(a: &mut [f64]) {
    for c in a.chunks_mut(4) { //= yes
        c[0] *= 2.0;
    }
}
#[inline(never)]
fn stepped(a: &mut [i32]) {
    for i in (0..a.len()).step_by(3) { //= yes
        a[i] += 7;
    }
}
#[inline(never)]
fn windows(out: &mut [f64], a: &[f64]) {
    for (i, w) in a.windows(3).enumerate() { //= yes
        out[i] = (w[0] + w[1] + w[2]) / 3.0;
    }
}
#[inline(never)]
fn sum(a: &[f64]) -> f64 {
    let mut s = 0.0;
    for x in a { //= reduction
        s += x;
    }
    s
}
#[inline(never)]
fn wrapping_sum(a: &[i32]) -> i32 {
    let mut s = 0i32;
    for i in 0..a.len() { //= reduction
        s = s.wrapping_add(a[i]);
    }
    s
}
// Overflow is checked where arithmetic is: a partial sum may panic. The sum itself is shared out all the same.
#[inline(never)]
fn checked_sum(a: &[i32]) -> i32 {
    let mut s = 0;
    for i in 0..a.len() { //= reduction
        s += a[i];
    }
    s
}
#[inline(never)]
fn maximum(a: &[i32]) -> i32 {
    let mut m = i32::MIN;
    for &x in a { //= reduction
        m = m.max(x);
    }
    m
}
#[inline(never)]
fn maximum_by_branch(a: &[i32]) -> i32 {
    let mut m = a[0];
    for &x in a { //= reduction
        if x > m {
            m = x;
        }
    }
    m
}
#[inline(never)]
fn counted(a: &[i32]) -> usize {
    let mut c = 0;
    for &x in a { //= reduction
        if x > 10 {
            c += 1;
        }
    }
    c
}
#[inline(never)]
fn pushed(a: &[i32]) -> Vec<i32> {
    let mut v = Vec::new();
    for &x in a { //= no
        v.push(x * 2);
    }
    v
}
#[inline(never)]
fn pushed_into_reserved(a: &[i32]) -> Vec<i32> {
    let mut v = Vec::with_capacity(a.len());
    for &x in a { //= no|induction
        v.push(x + 1);
    }
    v
}
#[inline(never)]
fn position(out: &mut [i32], a: &[i32]) -> usize {
    let mut n = 0;
    for &x in a { //= induction
        out[n] = x;
        n += 1;
    }
    n
}
#[inline(never)]
fn conditional_position(out: &mut [i32], a: &[i32]) -> usize {
    let mut n = 0;
    for &x in a { //= no
        if x > 0 {
            out[n] = x;
            n += 1;
        }
    }
    n
}
#[inline(never)]
fn prefix(a: &mut [i32]) {
    for i in 1..a.len() { //= no
        a[i] = a[i].wrapping_add(a[i - 1]);
    }
}
#[inline(never)]
fn previous(out: &mut [i32], a: &[i32]) {
    let mut prev = 0;
    for (o, &x) in out.iter_mut().zip(a) { //= no
        *o = x - prev;
        prev = x;
    }
}
#[inline(never)]
fn conditional_last(a: &[i32]) -> Option<usize> {
    let mut last = None;
    for (i, &x) in a.iter().enumerate() { //= no
        if x > 15 {
            last = Some(i);
        }
    }
    last
}
#[inline(never)]
fn vector_in_the_body(out: &mut [f64], a: &[f64]) {
    for i in 0..a.len() { //= yes
        let mut t = vec![0.0; 8];
        for j in 0..8 { //= yes
            t[j] = a[i] * j as f64;
        }
        out[i] = t[i % 8];
    }
}
#[inline(never)]
fn cleared_vector(out: &mut [f64], a: &[f64]) {
    let mut t: Vec<f64> = Vec::with_capacity(8);
    for i in 0..a.len() { //= private|words
        t.clear();
        t.resize(8, a[i]);
        out[i] = t[7];
    }
}
#[inline(never)]
fn array_in_the_body(out: &mut [f64], a: &[f64]) {
    for i in 0..a.len() { //= yes
        let mut t = [0.0; 16];
        for j in 0..16 { //= yes
            t[j] = a[i] + j as f64;
        }
        out[i] = t[i % 16] + t[15 - i % 16];
    }
}
#[inline(never)]
fn while_counter(a: &mut [i32]) {
    let mut i = 0;
    while i < a.len() { //= induction
        a[i] = i as i32;
        i += 1;
    }
}
#[inline(never)]
fn endless(a: &mut [i32]) -> usize {
    let mut i = 0;
    loop { //= induction|no
        if i == a.len() {
            break;
        }
        a[i] += 1;
        i += 1;
    }
    i
}
#[inline(never)]
fn while_let(mut work: Vec<i32>) -> i32 {
    let mut seen = 0;
    while let Some(x) = work.pop() { //= no
        seen += 1;
        if x > 30 {
            work.push(x / 2);
        }
    }
    seen
}
#[inline(never)]
fn hashed(a: &[i32]) -> usize {
    let mut m: HashMap<i32, i32> = HashMap::new();
    for &x in a { //= no
        *m.entry(x & 15).or_insert(0) += 1;
    }
    m.len()
}
#[inline(never)]
fn looked_up(out: &mut [i32], m: &HashMap<i32, i32>, a: &[i32]) {
    for (o, x) in out.iter_mut().zip(a) { //= yes
        *o = m.get(x).copied().unwrap_or(-1);
    }
}
#[inline(never)]
fn ordered(a: &[i32]) -> i32 {
    let mut m = BTreeMap::new();
    for &x in a { //= no
        m.insert(x & 31, x);
    }
    m.values().fold(0, |s, v| s * 3 % 1009 + v)
}
#[inline(never)]
fn first_seen(out: &mut [bool], a: &[i32]) {
    let mut seen = HashSet::new();
    for i in 0..a.len() { //= no
        out[i] = seen.insert(a[i] & 31);
    }
}
#[inline(never)]
fn formatted(out: &mut [String], a: &[i32]) {
    for (o, x) in out.iter_mut().zip(a) { //= yes
        *o = format!("{x:>5}");
    }
}
#[inline(never)]
fn joined(a: &[i32]) -> String {
    let mut s = String::new();
    for x in a { //= no
        s.push_str(&x.to_string());
    }
    s
}
#[inline(never)]
fn printed(a: &[i32]) {
    for x in a { //= no
        println!("{x}");
    }
}
#[inline(never)]
fn cell_counter(out: &mut [i32], c: &Cell<i32>) {
    for o in out.iter_mut() { //= induction|no
        *o = c.get();
        c.set(c.get() + 1);
    }
}
#[inline(never)]
fn borrowed(out: &mut [i32], c: &RefCell<Vec<i32>>) {
    for (i, o) in out.iter_mut().enumerate() { //= yes
        *o = c.borrow()[i % 4];
    }
}
#[inline(never)]
fn counted_pointer(out: &mut [i32], p: &Rc<i32>) {
    for o in out.iter_mut() { //= yes
        let q = Rc::clone(p);
        *o = *q + 1;
    }
}
#[inline(never)]
fn shared_pointer(out: &mut [i32], p: &Arc<i32>) {
    for o in out.iter_mut() { //= yes
        let q = Arc::clone(p);
        *o = *q + 2;
    }
}
#[inline(never)]
fn locked(out: &[i32], m: &Mutex<i32>) {
    for o in out { //= reduction|yes|words|no
        *m.lock().unwrap() += o;
    }
}
#[inline(never)]
fn locked_order(out: &[i32], m: &Mutex<Vec<i32>>) {
    for o in out { //= no
        m.lock().unwrap().push(*o);
    }
}
static TICKETS: AtomicUsize = AtomicUsize::new(0);
#[inline(never)]
fn tickets(out: &mut [usize]) {
    for o in out { //= no
        *o = TICKETS.fetch_add(1, Ordering::Relaxed);
    }
}
static TABLE: OnceLock<Vec<i32>> = OnceLock::new();
#[inline(never)]
fn once(out: &mut [i32]) {
    for (i, o) in out.iter_mut().enumerate() { //= yes
        *o = TABLE.get_or_init(|| (0..16).map(|x| x * x).collect())[i % 16];
    }
}
#[inline(never)]
fn closure_state(out: &mut [i32]) {
    let mut k = 0;
    let mut next = || {
        k += 3;
        k
    };
    for o in out { //= induction|no
        *o = next();
    }
}
#[inline(never)]
fn found(a: &[i32], key: i32) -> Option<usize> {
    for (i, &x) in a.iter().enumerate() { //= no|exit
        if x == key {
            return Some(i);
        }
    }
    None
}
#[inline(never)]
fn matrix(c: &mut [f64], a: &[f64], b: &[f64], n: usize) {
    for i in 0..n { //= yes
        for j in 0..n { //= yes
            let mut s = 0.0;
            for k in 0..n { //= reduction
                s += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = s;
        }
    }
}
#[inline(never)]
fn rows(a: &mut [Vec<f64>]) {
    for r in a.iter_mut() { //= yes
        for i in 1..r.len() { //= no
            r[i] += r[i - 1];
        }
    }
}
#[inline(never)]
fn histogram(h: &mut [u32; 16], a: &[i32]) {
    for &x in a { //= reduction
        h[(x & 15) as usize] += 1;
    }
}
#[inline(never)]
fn fibonacci(n: usize) -> u32 {
    let (mut a, mut b) = (0u32, 1u32);
    for _ in 0..n { //= no
        (a, b) = (b, a.wrapping_add(b));
    }
    a
}
#[inline(never)]
fn swapped(a: &mut [i32]) {
    let n = a.len();
    for i in 0..n / 2 { //= yes
        a.swap(i, n - 1 - i);
    }
}
#[inline(never)]
fn adjacent_swaps(a: &mut [i32]) {
    for i in 1..a.len() { //= no
        a.swap(i - 1, i);
    }
}
struct Node {
    value: i32,
    next: Option<Box<Node>>,
}
#[inline(never)]
fn list(a: &[i32]) -> Option<Box<Node>> {
    let mut head = None;
    for &value in a { //= no
        head = Some(Box::new(Node { value, next: head }));
    }
    head
}
#[inline(never)]
fn list_sum(mut at: &Option<Box<Node>>) -> i32 {
    let mut s = 0;
    while let Some(node) = at { //= no
        s += node.value;
        at = &node.next;
    }
    s
}
#[inline(never)]
fn sorted_rows(a: &mut [Vec<i32>]) {
    for r in a { //= yes
        r.sort_unstable();
    }
}

fn main() {
    let n = 60 + std::env::args().count();
    let a: Vec<i32> = (0..n as i32).map(|i| i * 53 % 97 - 40).collect();
    let x: Vec<f64> = (0..n).map(|i| i as f64 * 0.5).collect();
    let (mut o, mut f) = (vec![0; n], vec![0.0; n]);
    range(&mut o, &a);
    inclusive_range(&mut o, &a);
    reversed_range(&mut o, &a);
    slice_update(&mut o);
    println!("{}", o[5]);
    enumerated(&mut o);
    zipped(&mut f, &x, &x);
    let long: Vec<f64> = (0..3 * n).map(|i| i as f64).collect();
    in_chunks(&mut f, &long);
    mutable_chunks(&mut f);
    stepped(&mut o);
    windows(&mut f, &x);
    println!("{} {}", o[6], f[7]);
    println!("{} {} {} {} {} {}", sum(&x), wrapping_sum(&a), checked_sum(&a), maximum(&a), maximum_by_branch(&a), counted(&a));
    println!("{} {}", pushed(&a)[3], pushed_into_reserved(&a)[4]);
    println!("{} {}", position(&mut o, &a), conditional_position(&mut o, &a));
    prefix(&mut o);
    println!("{}", o[n - 1]);
    previous(&mut o, &a);
    println!("{} {:?}", o[9], conditional_last(&a));
    vector_in_the_body(&mut f, &x);
    cleared_vector(&mut f, &x);
    array_in_the_body(&mut f, &x);
    while_counter(&mut o);
    println!("{} {} {}", f[8], endless(&mut o), while_let(a.clone()));
    let map: HashMap<i32, i32> = a.iter().map(|&x| (x, x * 2)).collect();
    looked_up(&mut o, &map, &a);
    let mut seen = vec![false; n];
    first_seen(&mut seen, &a);
    println!("{} {} {} {}", hashed(&a), o[3], ordered(&a), seen.iter().filter(|s| **s).count());
    let mut text = vec![String::new(); n];
    formatted(&mut text, &a);
    println!("{} {}", text[4], joined(&a));
    printed(&a);
    cell_counter(&mut o, &Cell::new(3));
    println!("{}", o[n - 1]);
    borrowed(&mut o, &RefCell::new(vec![1, 2, 3, 4]));
    counted_pointer(&mut o, &Rc::new(n as i32));
    shared_pointer(&mut o, &Arc::new(n as i32));
    let (m, v) = (Mutex::new(0), Mutex::new(Vec::new()));
    locked(&a, &m);
    locked_order(&a, &v);
    let mut t = vec![0; n];
    tickets(&mut t);
    println!("{} {} {} {}", o[3], m.lock().unwrap(), v.lock().unwrap().len(), t[n - 1]);
    once(&mut o);
    println!("{}", o[3]);
    closure_state(&mut o);
    println!("{} {:?}", o[7], found(&a, a[30]));
    let mut c = vec![0.0; 400];
    matrix(&mut c, &long[..].repeat(3), &long[..].repeat(3), 20);
    let mut r = vec![vec![1.5; 20]; n];
    rows(&mut r);
    let mut h = [0; 16];
    histogram(&mut h, &a);
    println!("{} {} {} {}", c[33], r[3][19], h[2], fibonacci(n));
    swapped(&mut o);
    adjacent_swaps(&mut o);
    let mut s: Vec<Vec<i32>> = (0..n as i32).map(|i| (0..20).map(|j| (i + j * 7) % 13).collect()).collect();
    sorted_rows(&mut s);
    println!("{} {} {}", o[2], s[3][4], list_sum(black_box(&list(&a))));
}
