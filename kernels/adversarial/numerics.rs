use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::rc::Rc;
#[derive(Clone, Copy, Default, Debug)]
struct P {
    x: f64,
    y: f64,
    m: f64,
}
struct Lcg(u64);
impl Lcg {
    #[inline(never)]
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 >> 33
    }
}
struct Grid {
    w: usize,
    h: usize,
    d: Vec<f64>,
}
impl Grid {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.d[i * self.w + j]
    }
    fn set(&mut self, i: usize, j: usize, v: f64) {
        self.d[i * self.w + j] = v
    }
}
#[inline(never)]
fn fill(a: &mut [f64]) {
    for i in 0..a.len() { //= yes

        a[i] = i as f64 * 0.5;
    }
}
#[inline(never)]
fn scale(a: &mut Vec<f64>, s: f64) {
    for x in a.iter_mut() { //= yes

        *x *= s;
    }
}
#[inline(never)]
fn recur(a: &mut [f64]) {
    for i in 1..a.len() { //= no

        a[i] = a[i - 1] * 0.5 + i as f64;
    }
}
#[inline(never)]
fn recur_carry(a: &mut [f64]) {
    let mut p = 1.0;
    for x in a.iter_mut() { //= no

        p = p * 0.5 + *x;
        *x = p;
    }
}
#[inline(never)]
fn recur_swap(a: &mut [f64]) {
    let mut p = 0.0;
    for x in a.iter_mut() { //= no

        std::mem::swap(x, &mut p);
    }
}
#[inline(never)]
fn sum(a: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len() { //= reduction

        s += a[i];
    }
    s
}
#[inline(never)]
fn sum_iter(a: &[f64]) -> f64 {
    let mut s = 0.0;
    for &x in a { //= reduction

        s += x;
    }
    s
}
#[inline(never)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut s = 0.0;
    for (x, y) in a.iter().zip(b) { //= reduction

        s += x * y;
    }
    s
}
#[inline(never)]
fn horner(a: &[f64], x: f64) -> f64 {
    let mut s = 0.0;
    for &c in a.iter().rev() { //= no

        s = s * x + c;
    }
    s
}
#[inline(never)]
fn matmul(c: &mut [f64], a: &[f64], b: &[f64], n: usize) {
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
fn stencil(b: &mut Vec<Vec<f64>>, a: &Vec<Vec<f64>>) {
    let n = a.len();
    for i in 1..n - 1 { //= yes

        for j in 1..n - 1 { //= yes

            b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
        }
    }
}
#[inline(never)]
fn seidel(a: &mut Vec<Vec<f64>>) {
    let n = a.len();
    for i in 1..n - 1 { //= no

        for j in 1..n - 1 { //= no

            a[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        }
    }
}
#[inline(never)]
fn grid_rows(g: &mut Grid) {
    for i in 0..g.h { //= yes

        for j in 1..g.w { //= no

            let v = g.at(i, j - 1) * 0.5 + g.at(i, j);
            g.set(i, j, v);
        }
    }
}
#[inline(never)]
fn hist(h: &mut [u32], a: &[i32]) {
    for i in 0..a.len() { //= reduction

        h[(a[i] & 15) as usize] += 1;
    }
}
#[inline(never)]
fn hashmap(a: &[i32]) -> HashMap<i32, usize> {
    let mut m = HashMap::new();
    for &x in a { //= no

        *m.entry(x & 7).or_insert(0) += 1;
    }
    m
}
#[inline(never)]
fn btree(a: &[i32]) -> BTreeMap<i32, usize> {
    let mut m = BTreeMap::new();
    for (i, &x) in a.iter().enumerate() { //= no

        m.insert(x, i);
    }
    m
}
#[inline(never)]
fn push_pos(a: &[i32]) -> Vec<i32> {
    let mut v = Vec::new();
    for &x in a { //= no

        if x > 0 {
            v.push(x)
        }
    }
    v
}
#[inline(never)]
fn rng(o: &mut [u64]) {
    let mut r = Lcg(7);
    for i in 0..o.len() { //= no

        o[i] = r.next();
    }
}
#[inline(never)]
fn rng_own(o: &mut [u64]) {
    for i in 0..o.len() { //= yes

        let mut r = Lcg(i as u64);
        o[i] = r.next() ^ r.next();
    }
}
#[inline(never)]
fn maxi(a: &[i32]) -> i32 {
    let mut m = i32::MIN;
    for i in 0..a.len() { //= reduction

        if a[i] > m {
            m = a[i]
        }
    }
    m
}
#[inline(never)]
fn maxf(a: &[f64]) -> f64 {
    let mut m = f64::MIN;
    for i in 0..a.len() { //= reduction

        m = m.max(a[i]);
    }
    m
}
#[inline(never)]
fn argmax(a: &[i32]) -> usize {
    let mut k = 0;
    for i in 0..a.len() { //= no|reduction

        if a[i] > a[k] {
            k = i
        }
    }
    k
}
#[inline(never)]
fn cells(c: &Cell<i32>, a: &[i32]) {
    for &x in a { //= reduction|words|no

        c.set(c.get() + x);
    }
}
#[inline(never)]
fn cell_chain(c: &Cell<i32>, a: &mut [i32]) {
    for x in a.iter_mut() { //= no

        c.set(c.get() / 2 + *x);
        *x = c.get();
    }
}
#[inline(never)]
fn refcells(v: &[Rc<RefCell<i32>>]) {
    for r in v { //= yes

        *r.borrow_mut() += 3;
    }
}
#[inline(never)]
fn closure_state(a: &mut [f64]) {
    let mut st = 1.0;
    let mut f = |x: f64| {
        st = st * 0.5 + x;
        st
    };
    for i in 0..a.len() { //= no

        a[i] = f(a[i]);
    }
}
#[inline(never)]
fn closure_pure(a: &mut [f64], k: f64) {
    let f = |x: f64| x * k + 1.0;
    for i in 0..a.len() { //= yes

        a[i] = f(a[i]);
    }
}
#[inline(never)]
fn nbody(p: &mut [P], f: &mut [f64]) {
    for i in 0..p.len() { //= yes

        let mut s = 0.0;
        for j in 0..p.len() { //= reduction

            if i != j {
                s += p[j].m / (0.1 + (p[i].x - p[j].x).abs())
            }
        }
        f[i] = s;
    }
    for i in 0..p.len() { //= yes

        p[i].x += f[i] * 0.01;
        p[i].y -= f[i];
    }
}
#[inline(never)]
fn bfs(adj: &[Vec<usize>]) -> Vec<i32> {
    let mut d = vec![-1; adj.len()];
    let mut q = VecDeque::new();
    d[0] = 0;
    q.push_back(0);
    while let Some(u) = q.pop_front() { //= no

        for &v in &adj[u] { //= no

            if d[v] < 0 {
                d[v] = d[u] + 1;
                q.push_back(v)
            }
        }
    }
    d
}
#[inline(never)]
fn strings(o: &mut [String]) {
    for i in 0..o.len() { //= yes

        o[i] = format!("{}-{:x}", i, i * 7);
    }
}
#[inline(never)]
fn concat(w: &[String]) -> String {
    let mut s = String::new();
    for x in w { //= no

        s.push_str(x);
    }
    s
}
#[inline(never)]
fn lens(o: &mut [usize], w: &[String]) {
    for i in 0..w.len() { //= yes

        o[i] = w[i].len() + w[i].bytes().filter(|b| *b == b'1').count();
    }
}
#[inline(never)]
fn uniq(a: &[i32]) -> usize {
    let mut s = HashSet::new();
    for x in a { //= no

        s.insert(x & 31);
    }
    s.len()
}
#[inline(never)]
fn printer(a: &[i32]) {
    for x in a { //= no

        print!("{} ", x);
    }
    println!();
}
#[inline(never)]
fn while_index(a: &mut [i32]) {
    let mut i = 0;
    while i < a.len() { //= induction

        a[i] += 1;
        i += 1;
    }
}
#[inline(never)]
fn step(a: &mut [i32]) {
    for i in (0..a.len()).step_by(2) { //= yes

        a[i] += 1;
    }
}
#[inline(never)]
fn step_chain(a: &mut [i32]) {
    for i in (2..a.len()).step_by(2) { //= no

        a[i] = a[i].wrapping_mul(3).wrapping_add(a[i - 2]);
    }
}
#[inline(never)]
fn rev(a: &mut [i32]) {
    for i in (0..a.len()).rev() { //= yes

        a[i] += i as i32;
    }
}
#[inline(never)]
fn rev_chain(a: &mut [i32]) {
    for i in (0..a.len() - 1).rev() { //= no

        a[i] = a[i].wrapping_add(a[i + 1] / 2);
    }
}
#[inline(never)]
fn chunks(a: &mut [f64]) {
    for c in a.chunks_mut(8) { //= yes

        let s = c[0];
        for x in c.iter_mut() { //= yes

            *x -= s;
        }
    }
}
#[inline(never)]
fn windows(o: &mut [f64], a: &[f64]) {
    for (i, w) in a.windows(3).enumerate() { //= yes

        o[i] = w[0] + w[1] + w[2];
    }
}
#[inline(never)]
fn bubble(a: &mut [i32]) {
    for i in 0..a.len() { //= no

        for j in 0..a.len() - 1 - i { //= no

            if a[j] > a[j + 1] {
                a.swap(j, j + 1)
            }
        }
    }
}
#[inline(never)]
fn swaps(a: &mut [i32]) {
    let n = a.len();
    for i in 0..n / 2 { //= yes

        a.swap(i, n - 1 - i);
    }
}
#[inline(never)]
fn sort_rows(m: &mut [Vec<i32>]) {
    for r in m.iter_mut() { //= yes

        r.sort();
    }
}
#[inline(never)]
fn boxed(v: &mut Vec<Box<i32>>) {
    for b in v.iter_mut() { //= yes

        **b += 1;
    }
}
#[inline(never)]
fn local_vec(o: &mut [usize]) {
    for i in 0..o.len() { //= yes

        let mut t = vec![0usize; 20];
        for j in 0..20 { //= yes

            t[j] = i * j;
        }
        o[i] = t[19] + t[3];
    }
}
#[inline(never)]
fn scratch(o: &mut [usize], t: &mut [usize]) {
    for i in 0..o.len() { //= private|words

        for j in 0..t.len() { //= yes

            t[j] = i * j;
        }
        o[i] = t[7] + t[3];
    }
}
#[inline(never)]
fn gather(o: &mut [f64], a: &[f64], p: &[usize]) {
    for i in 0..p.len() { //= yes

        o[i] = a[p[i]];
    }
}
#[inline(never)]
fn scatter_dup(o: &mut [f64], a: &[f64], p: &[usize]) {
    for i in 0..p.len() { //= no|words|private

        o[p[i] & 7] = a[i];
    }
}
#[inline(never)]
fn fib(f: &mut [u64]) {
    for i in 2..f.len() { //= no

        f[i] = f[i - 1].wrapping_add(f[i - 2]);
    }
}
#[inline(never)]
fn collatz(o: &mut [u32]) {
    for i in 0..o.len() { //= yes

        let mut v = i as u64 + 1;
        let mut c = 0;
        while v != 1 { //= no

            v = if v & 1 == 1 { 3 * v + 1 } else { v / 2 };
            c += 1;
        }
        o[i] = c;
    }
}
#[inline(never)]
fn find(a: &[i32], k: i32) -> Option<usize> {
    for i in 0..a.len() { //= exit

        if a[i] == k {
            return Some(i);
        }
    }
    None
}
#[inline(never)]
fn split_prefix(a: &mut [f64]) {
    for i in 1..a.len() { //= no

        let (l, r) = a.split_at_mut(i);
        r[0] += l[i - 1];
    }
}
#[inline(never)]
fn prefix_last(v: &[i32]) -> Vec<i32> {
    let mut o = vec![v[0]];
    for i in 1..v.len() { //= no

        let l = *o.last().unwrap();
        o.push(l + v[i]);
    }
    o
}
fn main() {
    let mut a = vec![0.0; 64];
    let mut b = vec![1.5; 64];
    fill(&mut a);
    scale(&mut a, 1.1);
    recur(&mut a);
    recur_carry(&mut a);
    recur_swap(&mut a);
    println!(
        "{:.6} {:.6} {:.6} {:.6} {:.6}",
        a[50],
        sum(&a),
        sum_iter(&a),
        dot(&a, &b),
        horner(&a, 0.3)
    );
    let mut m = vec![0.0; 400];
    let x: Vec<f64> = (0..400).map(|i| (i * 37 % 101) as f64).collect();
    matmul(&mut m, &x, &x, 20);
    println!("{}", m[77]);
    let mut v = vec![vec![1.0; 20]; 20];
    let mut w = v.clone();
    for i in 0..20 {
        for j in 0..20 {
            w[i][j] = (i * j) as f64
        }
    }
    stencil(&mut v, &w);
    seidel(&mut w);
    println!("{} {:.6}", v[3][4], w[7][8]);
    let mut g = Grid {
        w: 20,
        h: 20,
        d: x.clone(),
    };
    grid_rows(&mut g);
    println!("{}", g.at(5, 6));
    let mut k: Vec<i32> = (0..60).map(|i| i * 53 % 97 - 40).collect();
    let mut h = vec![0; 16];
    hist(&mut h, &k);
    println!(
        "{} {} {} {}",
        h[3],
        hashmap(&k)[&3],
        btree(&k).len(),
        push_pos(&k).len()
    );
    let mut o = vec![0u64; 50];
    rng(&mut o);
    println!("{}", o[40]);
    rng_own(&mut o);
    println!("{} {} {} {}", o[40], maxi(&k), maxf(&a), argmax(&k));
    let c = Cell::new(0);
    cells(&c, &k);
    println!("{}", c.get());
    let rs: Vec<_> = (0..40).map(|i| Rc::new(RefCell::new(i))).collect();
    refcells(&rs);
    println!("{}", rs[9].borrow());
    closure_state(&mut a);
    closure_pure(&mut a, 2.0);
    println!("{:.6}", a[33]);
    let mut p: Vec<P> = (0..40)
        .map(|i| P {
            x: (i * 7 % 13) as f64,
            y: 0.0,
            m: 1.0,
        })
        .collect();
    nbody(&mut p, &mut b);
    println!("{:.6} {:.6}", p[9].x, p[3].y);
    let adj: Vec<Vec<usize>> = (0..40)
        .map(|i| vec![(i * 7 + 1) % 40, (i * 3 + 2) % 40])
        .collect();
    println!("{:?}", bfs(&adj).iter().sum::<i32>());
    let mut s = vec![String::new(); 40];
    strings(&mut s);
    let mut l = vec![0; 40];
    lens(&mut l, &s);
    println!("{} {} {}", concat(&s).len(), l[21], uniq(&k));
    printer(&k);
    while_index(&mut k);
    step(&mut k);
    step_chain(&mut k);
    rev(&mut k);
    rev_chain(&mut k);
    println!("{}", k[33]);
    cell_chain(&c, &mut k);
    chunks(&mut a);
    windows(&mut b, &a);
    println!("{} {}", k[20], b[20]);
    bubble(&mut k);
    swaps(&mut k);
    println!("{}", k[10]);
    let mut r: Vec<Vec<i32>> = (0..20)
        .map(|i| (0..20).map(|j| (i * 31 + j * 17) % 41).collect())
        .collect();
    sort_rows(&mut r);
    println!("{}", r[7][4]);
    let mut bx: Vec<Box<i32>> = (0..40).map(Box::new).collect();
    boxed(&mut bx);
    println!("{}", bx[9]);
    local_vec(&mut l);
    let mut t = vec![0; 20];
    println!("{}", l[9]);
    scratch(&mut l, &mut t);
    println!("{}", l[9]);
    let q: Vec<usize> = (0..60).map(|i| i * 13 % 60).collect();
    gather(&mut b, &a, &q);
    scatter_dup(&mut b, &a, &q);
    println!("{} {}", b[9], b[3]);
    fib(&mut o);
    println!("{}", o[49]);
    let mut cz = vec![0; 50];
    collatz(&mut cz);
    println!("{} {:?}", cz[26], find(&k, 7));
    split_prefix(&mut a);
    println!("{:.6} {}", a[60], prefix_last(&k)[40]);
}
