//! Random sequences of instructions under the recorder, for hours if need be: the test `many_random_instructions` of `record`, on all
//! cores, with seeds that no campaign before had.

use std::num::NonZero;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};

use crate::{ci, tests};

/// Where campaigns are written down.
const DOCUMENT: &str = "docs/fuzzing.md";
/// Head of the table of campaigns.
const HEAD: &str = "| first seed | sequences | s | cores |\n|--:|--:|--:|--:|\n";
/// Seconds of one process; what it made is counted when it ends.
const SHIFT: u64 = 300;
/// Seeds of one process: more than it comes to.
const SEEDS: u64 = 1 << 20;

/// Makes so many million sequences at least.
pub fn run(millions: u64) -> Result<()> {
    let programs = tests::listed(&["--release", "--package", "loopwright-record", "--test", "all"])?;
    let fuzz = programs
        .iter()
        .find(|program| program.name() == "record::fuzz")
        .context("there is no test record::fuzz")?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    // Some bits are left for what the test adds.
    let mut seed = (now << 8) & ((1 << 39) - 1);
    let first = seed;
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let before = campaigns();
    let (start, mut done) = (Instant::now(), 0);
    while done < millions.saturating_mul(1_000_000) {
        let shift: Vec<Child> = (0..workers)
            .map(|_| {
                seed = seed.wrapping_add(SEEDS);
                let mut command = fuzz.command();
                command
                    .args(["--exact", "fuzz::many_random_instructions", "--nocapture"])
                    .stdout(Stdio::piped());
                command.env("LOOPWRIGHT_FUZZ_SEED", seed.to_string());
                command.env("LOOPWRIGHT_FUZZ_SECONDS", SHIFT.to_string());
                command.spawn().context("the test cannot be run")
            })
            .collect::<Result<_>>()?;
        for child in shift {
            let output = child.wait_with_output()?;
            let text = String::from_utf8_lossy(&output.stdout);
            if !output.status.success() {
                bail!("a sequence behaves differently:\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
            }
            let line = text.lines().find(|line| line.contains(" sequences, seeds ")).context("no count")?;
            let count = line.split(' ').next().and_then(|n| n.parse::<u64>().ok()).context("no count")?;
            done += count;
        }
        report(&before, done, first, start.elapsed(), workers)?;
    }
    Ok(())
}

/// Writes the campaigns before this one and what this one has made so far.
fn report(before: &[String], done: u64, first: u64, time: Duration, workers: usize) -> Result<()> {
    let row = format!("| {first} | {done} | {} | {workers} |", time.as_secs());
    println!("{row}");
    let rows = [before, &[row]].concat();
    let made =
        |row: &String| row.split('|').nth(2).and_then(|cell| cell.trim().parse::<u64>().ok()).unwrap_or(0);
    let total: u64 = rows.iter().map(made).sum();
    let text = format!(
        "# Random instructions: campaigns\n\n\
        Written by `cargo xtask fuzz-instructions`. Every sequence has up to 25 random instructions or groups of them (integer, vector and\n\
        string instructions, branches, calls, stack, flags) in a loop of 1 to 40 rounds. They leave the same registers, flags and memory\n\
        as alone; for each 15,000 of them 60 others access what single steps show, address by address. The ways to record take turns.\n\n\
        {total} sequences, none of which differs:\n\n\
        {HEAD}{}\n",
        rows.join("\n")
    );
    std::fs::write(ci::root().join(DOCUMENT), text).context(DOCUMENT)
}

/// The campaigns that are written down.
fn campaigns() -> Vec<String> {
    let text = std::fs::read_to_string(ci::root().join(DOCUMENT)).unwrap_or_default();
    let rows = text.split_once(HEAD).map(|(_, rows)| rows.lines().map(str::to_owned).collect());
    rows.unwrap_or_default()
}
