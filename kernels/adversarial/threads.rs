//! Cells of which each thread has its own: what one iteration leaves there the next one finds.

use std::cell::{Cell, RefCell};
use std::hint::black_box;

thread_local! {
    static COUNT: Cell<i32> = const { Cell::new(0) };
    static LAZY: Cell<i32> = Cell::new(black_box(3));
    static SUM: Cell<f64> = const { Cell::new(0.0) };
    static SCRATCH: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
    static SEED: Cell<u32> = const { Cell::new(1) };
    static SET_BEFORE: Cell<f64> = const { Cell::new(1.5) };
    static FACTOR: Cell<f64> = const { Cell::new(1.5) };
}

#[inline(never)]
fn numbered(out: &mut [i32]) {
    for x in out.iter_mut() { //= no|induction
        COUNT.with(|count| {
            count.set(count.get() + 1);
            *x = count.get();
        });
    }
}

#[inline(never)]
fn numbered_in_short(out: &mut [i32]) {
    for x in out.iter_mut() { //= no|induction
        *x = COUNT.get();
        COUNT.set(COUNT.get() + 1);
    }
}

#[inline(never)]
fn numbered_by_place(out: &mut [i32]) {
    for i in 0..out.len() { //= no|induction
        out[i] = COUNT.replace(i as i32);
    }
}

#[inline(never)]
fn numbered_lazily(out: &mut [i32]) {
    for x in out.iter_mut() { //= no|induction
        LAZY.with(|lazy| {
            *x = lazy.get();
            lazy.set(lazy.get() + 2);
        });
    }
}

#[inline(never)]
fn drawn(out: &mut [u32]) {
    for x in out.iter_mut() { //= no
        *x = random();
    }
}

fn random() -> u32 {
    SEED.with(|seed| {
        let mut s = seed.get();
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        seed.set(s);
        s
    })
}

#[inline(never)]
fn drawn_now_and_then(out: &mut [u32]) {
    for (i, x) in out.iter_mut().enumerate() { //= no
        if i % 3 == 1 {
            *x = random();
        }
    }
}

#[inline(never)]
fn summed(a: &[f64]) {
    for x in a { //= reduction|words|no
        SUM.with(|sum| sum.set(sum.get() + x));
    }
}

#[inline(never)]
fn averaged(out: &mut [f64], a: &[f64]) {
    for i in 0..a.len() { //= no
        SUM.set(SUM.get() * 0.5 + a[i]);
        out[i] = SUM.get();
    }
}

#[inline(never)]
fn scaled(out: &mut [f64], a: &[f64]) {
    for i in 0..a.len() { //= yes|words
        out[i] = FACTOR.get() * a[i];
    }
}

/// What this thread has set no other one has.
#[inline(never)]
fn scaled_as_set(out: &mut [f64], a: &[f64]) {
    for i in 0..a.len() { //= words|private
        out[i] = SET_BEFORE.get() * a[i];
    }
}

fn factor() -> f64 {
    SET_BEFORE.get()
}

#[inline(never)]
fn scaled_by_a_function(out: &mut [f64], a: &[f64]) {
    for i in 0..a.len() { //= words|private
        out[i] = factor() * a[i];
    }
}

#[inline(never)]
fn with_scratch(out: &mut [f64], a: &[f64]) {
    for i in 0..a.len() { //= yes|words|private
        out[i] = SCRATCH.with(|scratch| {
            let mut scratch = scratch.borrow_mut();
            scratch.clear();
            scratch.push(a[i]);
            scratch.push(a[i] * 2.0);
            scratch[0] + scratch[1]
        });
    }
}

#[inline(never)]
fn with_growing_scratch(out: &mut [f64], a: &[f64]) {
    for i in 0..a.len() { //= no
        out[i] = SCRATCH.with(|scratch| {
            let mut scratch = scratch.borrow_mut();
            scratch.push(a[i]);
            scratch.iter().sum()
        });
    }
}

fn main() {
    let n = 40;
    let a: Vec<f64> = (0..n).map(|i| 0.5 + f64::from(i * 37 % 101)).collect();
    let (mut out, mut k, mut u) = (vec![0.0; a.len()], vec![0; a.len()], vec![0; a.len()]);
    numbered(&mut k);
    println!("{k:?}");
    numbered_in_short(&mut k);
    println!("{k:?}");
    numbered_by_place(&mut k);
    println!("{k:?}");
    numbered_lazily(&mut k);
    println!("{k:?}");
    drawn(&mut u);
    drawn_now_and_then(&mut u);
    println!("{u:?}");
    summed(&a);
    averaged(&mut out, &a);
    println!("{out:?}");
    scaled(&mut out, &a);
    SET_BEFORE.set(out[1]);
    scaled_as_set(&mut out, &a);
    scaled_by_a_function(&mut out, &a);
    with_scratch(&mut out, &a);
    println!("{out:?}");
    with_growing_scratch(&mut out, &a);
    println!("{out:?}");
}
