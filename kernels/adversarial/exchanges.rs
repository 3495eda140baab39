// Swaps, chunks and folds of Rust, which optimisation makes into something else.
#[inline(never)]
fn ends_swapped(a: &mut [i32]) {
    let n = a.len();
    for i in 0..n / 2 { //= yes
        a.swap(i, n - 1 - i);
    }
}
#[inline(never)]
fn along_swapped(a: &mut [i32]) {
    for i in 1..a.len() { //= no
        a.swap(i - 1, i);
    }
}
#[inline(never)]
fn memory_swapped(a: &mut [i32], b: &mut [i32]) {
    for i in 0..a.len() { //= yes
        std::mem::swap(&mut a[i], &mut b[i]);
    }
}
#[inline(never)]
fn chunked(a: &mut [f64]) {
    for c in a.chunks_mut(4) { //= yes
        c[0] = c[1] * 2.0 + c[3];
    }
}
#[inline(never)]
fn chunked_inner(a: &mut [f64]) {
    for c in a.chunks_mut(10) { //= yes
        for x in c.iter_mut() { //= yes
            *x = *x * 0.5 + 1.0;
        }
    }
}
#[inline(never)]
fn chunked_sum(a: &[f64], o: &mut [f64]) {
    for (c, s) in a.chunks(10).zip(o.iter_mut()) { //= yes
        *s = c.iter().sum::<f64>();
    }
}
#[inline(never)]
fn exact(a: &mut [f64]) {
    for c in a.chunks_exact_mut(2) { //= yes
        let t = c[0];
        c[0] = c[1];
        c[1] = t;
    }
}
static mut COUNT: u32 = 0;
mod inner {
    pub static mut SEEN: u32 = 3;
    #[inline]
    pub fn next() -> u32 {
        unsafe {
            SEEN = SEEN.wrapping_mul(5) + 1;
            SEEN & 255
        }
    }
    pub mod deep {
        pub static mut TICKETS: u32 = 0;
        #[inline(always)]
        pub fn ticket() -> u32 {
            unsafe {
                TICKETS += 1;
                TICKETS
            }
        }
    }
}
#[inline(never)]
fn counted(o: &mut [u32]) {
    for x in o.iter_mut() { //= no|induction
        unsafe {
            COUNT += 1;
            *x = COUNT;
        }
    }
}
#[inline(never)]
fn state_elsewhere(o: &mut [u32]) {
    for x in o.iter_mut() { //= no
        *x = inner::next();
    }
}
#[inline(never)]
fn tickets(o: &mut [u32]) {
    for i in 0..o.len() { //= no|induction
        o[i] = inner::deep::ticket();
    }
}
#[inline(never)]
fn named_elsewhere(o: &mut [u32]) {
    use inner::SEEN;
    for i in 0..o.len() { //= no|induction
        unsafe {
            SEEN = SEEN.wrapping_add(2);
            o[i] = SEEN;
        }
    }
}
fn main() {
    let mut a: Vec<i32> = (0..300).map(|i| i * 37 % 101).collect();
    let mut b: Vec<i32> = (0..300).map(|i| i * 31 % 97).collect();
    let mut x: Vec<f64> = (0..400).map(|i| f64::from(i * 37 % 101)).collect();
    let mut y = vec![0.0; 40];
    let mut o = vec![0u32; 300];
    ends_swapped(&mut a);
    along_swapped(&mut a);
    memory_swapped(&mut a, &mut b);
    chunked(&mut x);
    chunked_inner(&mut x);
    chunked_sum(&x, &mut y);
    exact(&mut x);
    counted(&mut o);
    let s: u32 = o.iter().sum();
    state_elsewhere(&mut o);
    let t: u32 = o.iter().sum();
    tickets(&mut o);
    let u: u32 = o.iter().sum();
    named_elsewhere(&mut o);
    println!("{} {} {} {} {s} {t} {u} {}", a[7], b[9], x[11], y[13], o[299]);
}
