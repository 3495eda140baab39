//! Locks, atomic variables, what is made once, counts of owners: the bookkeeping orders nothing, what is kept under it does.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, RwLock};

static TOTAL: Mutex<f64> = Mutex::new(0.0);
static LAST: Mutex<f64> = Mutex::new(0.0);
static COUNT: AtomicI64 = AtomicI64::new(0);
static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
static FIRST: OnceLock<f64> = OnceLock::new();
static SET: OnceLock<f64> = OnceLock::new();
static LAZY: LazyLock<Vec<f64>> = LazyLock::new(|| vec![0.5; 16]);

#[inline(never)]
fn locked_sum(b: &[f64]) {
    for i in 0..b.len() { //= reduction|words
        let x = b[i].sqrt();
        *TOTAL.lock().unwrap() += x;
    }
}

#[inline(never)]
fn locked_for_nothing(a: &mut [f64], b: &[f64], m: &Mutex<()>) {
    for i in 0..b.len() { //= yes|words
        let _held = m.lock().unwrap();
        a[i] = b[i] * 2.0;
    }
}

#[inline(never)]
fn previous_under_lock(a: &mut [f64], b: &[f64]) {
    for i in 0..b.len() { //= no
        let mut last = LAST.lock().unwrap();
        a[i] = *last;
        *last = b[i];
    }
}

#[inline(never)]
fn reading(a: &mut [f64], b: &[f64], m: &RwLock<f64>) {
    for i in 0..b.len() { //= yes
        let factor = m.read().unwrap();
        a[i] = b[i] * *factor;
    }
}

#[inline(never)]
fn reading_and_writing(a: &mut [f64], b: &[f64], m: &RwLock<f64>) {
    for i in 0..b.len() { //= no
        a[i] = b[i] * *m.read().unwrap();
        *m.write().unwrap() = a[i] * 0.5;
    }
}

#[inline(never)]
fn atomic_sum(b: &[i64]) {
    for i in 0..b.len() { //= yes|reduction
        COUNT.fetch_add(b[i], Ordering::Relaxed);
    }
}

#[inline(never)]
fn numbered(o: &mut [i64]) {
    for i in 0..o.len() { //= no|induction
        o[i] = COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

#[inline(never)]
fn swapped(o: &mut [i64], b: &[i64]) {
    for i in 0..o.len() { //= no
        o[i] = COUNT.swap(b[i], Ordering::Relaxed);
    }
}

#[inline(never)]
fn made_once(a: &mut [f64]) {
    for i in 0..a.len() { //= yes
        let table = TABLE.get_or_init(|| vec![2.5; 16]);
        a[i] = table[i % 16];
    }
}

#[inline(never)]
fn made_lazily(a: &mut [f64]) {
    for i in 0..a.len() { //= yes
        a[i] = LAZY[i % 16] * i as f64;
    }
}

#[inline(never)]
fn made_of_the_first(a: &mut [f64], b: &[f64]) {
    for i in 0..a.len() { //= no
        let first = FIRST.get_or_init(|| b[i] + 1.0);
        a[i] = first * b[i];
    }
}

#[inline(never)]
fn set_by_the_first(a: &mut [f64], b: &[f64]) {
    for i in 0..a.len() { //= no
        if SET.set(b[i]).is_ok() {
            a[i] = -1.0;
        } else {
            a[i] = b[i];
        }
    }
}

#[inline(never)]
fn owned(a: &mut [f64], p: &Arc<f64>) {
    for i in 0..a.len() { //= yes
        let q = Arc::clone(p);
        a[i] = *q * i as f64;
    }
}

#[inline(never)]
fn owners_counted(a: &mut [f64], p: &Arc<f64>, all: &mut [Option<Arc<f64>>]) {
    for i in 0..a.len() { //= no
        all[i] = Some(Arc::clone(p));
        a[i] = Arc::strong_count(p) as f64;
    }
}

fn main() {
    let n = 60;
    let b: Vec<f64> = (0..n).map(|i| 0.5 + f64::from(i * 37 % 101)).collect();
    let k: Vec<i64> = (0..n).map(|i| i64::from(i * 53 % 97) - 40).collect();
    let (mut a, mut o) = (vec![0.0; b.len()], vec![0; b.len()]);
    locked_sum(&b);
    locked_for_nothing(&mut a, &b, &Mutex::new(()));
    previous_under_lock(&mut a, &b);
    println!("{a:?}");
    reading(&mut a, &b, &RwLock::new(1.5));
    reading_and_writing(&mut a, &b, &RwLock::new(1.5));
    println!("{a:?}");
    atomic_sum(&k);
    numbered(&mut o);
    println!("{o:?}");
    swapped(&mut o, &k);
    println!("{o:?}");
    made_once(&mut a);
    made_lazily(&mut a);
    println!("{a:?}");
    made_of_the_first(&mut a, &b);
    println!("{a:?}");
    set_by_the_first(&mut a, &b);
    println!("{a:?}");
    let p = Arc::new(2.5);
    owned(&mut a, &p);
    let mut all = vec![None; b.len()];
    owners_counted(&mut a, &p, &mut all);
    println!("{a:?} {}", TOTAL.lock().unwrap());
}
