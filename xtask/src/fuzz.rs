//! Random cases for a fixed time, a new seed each time. A failure names the seed; `cargo xtask fuzz --seed N` repeats it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, anyhow};
use fold::{Folder, Options};
use kernels::{Kernel, Level};

use crate::product::Loopwright;

/// A kind of case: its name and what it does with a seed.
type Kind<'a> = (&'static str, Box<dyn Fn(u64) -> Result<(), String> + 'a>);

/// Runs cases of every kind for `time`.
pub fn run(time: Duration) -> Result<()> {
    let samples = Samples::make()?;
    let kinds = kinds(&samples);
    let epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let first = epoch.as_nanos() as u64;
    let start = Instant::now();
    let mut cases = 0u64;
    while start.elapsed() < time {
        case(&kinds, first.wrapping_add(cases))?;
        cases += 1;
    }
    eprintln!("{cases} cases of each of {} kinds from seed {first}", kinds.len());
    Ok(())
}

/// Runs one case of every kind.
pub fn once(seed: u64) -> Result<()> {
    case(&kinds(&Samples::make()?), seed)
}

fn case(kinds: &[Kind<'_>], seed: u64) -> Result<()> {
    for (name, check) in kinds {
        let outcome = catch_unwind(AssertUnwindSafe(|| check(seed))).unwrap_or_else(|_| Err("panic".into()));
        outcome.map_err(|what| anyhow!("{name}: {what}\nrepeat with: cargo xtask fuzz --seed {seed}"))?;
    }
    Ok(())
}

fn kinds(samples: &Samples) -> Vec<Kind<'_>> {
    vec![
        ("memory dependences", Box::new(shadow::fuzzing::check)),
        ("record stream", Box::new(|seed| trace::fuzzing::check(&trace::fuzzing::words(seed)))),
        ("foreign traces", Box::new(|seed| trace::fuzzing::check_readers(&trace::fuzzing::bytes(seed)))),
        ("reconstruction", Box::new(reconstruct::fuzzing::check)),
        ("folding", Box::new(folding)),
        ("damaged profile", Box::new(move |seed| damaged_profile(&samples.profile, seed))),
        (
            "profile of another format",
            Box::new(move |seed| profile::fuzzing::check_format(&samples.profile, seed)),
        ),
        ("damaged module", Box::new(move |seed| damaged_module(&samples.module, seed))),
    ]
}

/// What cases are damaged copies of.
struct Samples {
    /// A profile.
    profile: Vec<u8>,
    /// The intermediate representation of a kernel.
    module: String,
}

impl Samples {
    fn make() -> Result<Samples> {
        let table = kernels::load()?;
        let kernel = table.iter().find(|k| k.name() == "scratch_row").context("no kernel scratch_row")?;
        let module = gpumap::Compiler::find()?.text(&kernel.path(), &[])?;
        Ok(Samples { profile: profile_of(kernel)?, module })
    }
}

fn damaged_module(valid: &str, seed: u64) -> Result<(), String> {
    gpumap::fuzzing::check(&gpumap::fuzzing::damaged(valid, seed));
    Ok(())
}

/// The profile of a kernel.
fn profile_of(kernel: &Kernel) -> Result<Vec<u8>> {
    let directory = tempfile::tempdir()?;
    let program = kernels::compile(kernel, Level::O0, directory.path())?;
    let file = directory.path().join("sample.lwp");
    Loopwright::for_tests()?.profile(&[], &program.path, ["9", "7"], &file)?;
    std::fs::read(&file).context("no sample profile")
}

/// A damaged profile is refused, or is consistent enough to be reported on.
fn damaged_profile(valid: &[u8], seed: u64) -> Result<(), String> {
    let bytes = profile::fuzzing::damaged(valid, seed);
    match profile::file::decode(&bytes, Path::new("damaged")) {
        Ok(profile) => report::fuzzing::render(&profile).map(|_| ()),
        Err(_) => Ok(()),
    }
}

/// A random stream, folded, against the checker.
fn folding(seed: u64) -> Result<(), String> {
    let mut random = shadow::fuzzing::Random::new(seed);
    let dims = 1 + random.below(3) as usize;
    let coefficients: Vec<i64> = (0..dims).map(|_| random.below(9) as i64 - 4).collect();
    let slope = random.below(5) as i64 - 2;
    let sizes: Vec<i64> = (0..dims).map(|_| 1 + random.below(7) as i64).collect();
    let (noise, holes) = (random.pick(&[0, 0, 3, 40]), random.pick(&[0, 0, 9]));
    let mut stream = Vec::new();
    let mut iv = vec![0i64; dims];
    'points: loop {
        if holes == 0 || random.below(holes) != 0 {
            let exact: i64 = iv.iter().zip(&coefficients).map(|(x, k)| x * k).sum();
            let odd = noise != 0 && random.below(noise) == 0;
            stream.push((iv.clone(), vec![exact + if odd { random.below(50) as i64 } else { 0 }]));
        }
        let mut at = dims - 1;
        loop {
            iv[at] += 1;
            let bound = sizes[at] + if at > 0 { (slope * iv[at - 1]).max(1 - sizes[at]) } else { 0 };
            if iv[at] < bound {
                break;
            }
            iv[at] = 0;
            if at == 0 {
                break 'points;
            }
            at -= 1;
        }
    }
    let options = match random.below(3) {
        0 => Options::unlimited(false),
        1 => Options::unlimited(true),
        _ => Options::for_dimensions(dims, true),
    };
    let mut folder = Folder::new(dims, 1, options);
    for (iv, label) in &stream {
        folder.point(iv, label);
    }
    fold::check::check(&stream, &folder.finish())
}
