//! Functions that own what they are handed: it lies where the caller made it, and they clean up after themselves.
const N: usize = 200;

#[inline(never)]
fn of_vector(a: Vec<f64>, b: &mut [f64]) {
    for i in 1..N - 1 { //= yes
        b[i] = 0.5 * a[i];
    }
}

#[inline(never)]
fn beside_text(a: &[f64], b: &mut [f64], s: String) -> usize {
    for i in 1..N - 1 { //= yes
        b[i] = 0.5 * a[i] + 1.0;
    }
    s.len()
}

#[inline(never)]
fn swapped(mut a: Vec<f64>, mut b: Vec<f64>) -> Vec<f64> {
    for _ in 0..6 { //= no
        for i in 1..a.len() - 1 { //= yes
            b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        }
        std::mem::swap(&mut a, &mut b);
    }
    a
}

#[inline(never)]
fn handed_on(mut a: Vec<f64>) -> Vec<f64> {
    for i in 1..a.len() { //= no
        a[i] += 0.5 * a[i - 1];
    }
    a
}

fn main() {
    let a: Vec<f64> = (0..N).map(|x| (x * 37 % 101) as f64).collect();
    let mut b = a.clone();
    of_vector(a.clone(), &mut b);
    let length = beside_text(&a, &mut b, String::from("text"));
    let c = swapped(a.clone(), a.clone());
    let d = handed_on(a);
    println!("{} {} {} {}", b[7], length, c[9], d[11]);
}
