//! The figures of `docs/GUIDE.md`: kernels as written, as proposed code and as transformed by hand.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use kernels::{Advised, Kernel};

use crate::ci;
use crate::product::Loopwright;
use crate::prove::{FLAGS, compile, output, propose};

/// How often every program is timed; the shortest time counts.
const ROUNDS: usize = 5;
/// The document, and what stands around the figures in it.
const DOCUMENT: &str = "docs/GUIDE.md";
const BEGIN: &str = "<!-- figures: cargo xtask guide -->\n";
const END: &str = "<!-- end of figures -->\n";

/// Measures, prints, and writes the figures into the document.
pub fn run() -> Result<()> {
    let loopwright = Loopwright::for_tests()?;
    let mut table = format!(
        "Seconds of the whole program, the least of {ROUNDS} runs in turn, compiled with `cc {}`; in brackets how many times as \
         fast as the original.\n\n\
         | program | original | `report --code`, 1 thread | 2 threads | by hand, 1 thread | 2 threads |\n\
         |:--|--:|--:|--:|--:|--:|\n",
        FLAGS.join(" ")
    );
    for kernel in kernels::load()? {
        if let Some(advised) = &kernel.advised {
            let line = row(&loopwright, &kernel, advised).with_context(|| kernel.name().to_owned())?;
            println!("{line}");
            table.push_str(&line);
            table.push('\n');
        }
    }
    let path = ci::root().join(DOCUMENT);
    let text = std::fs::read_to_string(&path).context(DOCUMENT)?;
    std::fs::write(path, with(&text, &table)?).context(DOCUMENT)
}

fn row(loopwright: &Loopwright, kernel: &Kernel, advised: &Advised) -> Result<String> {
    let directory = tempfile::tempdir()?;
    let here = |name: &str| directory.path().join(name);
    let (written, _) = propose(loopwright, kernel, &advised.longer.to_string(), directory.path())?;
    let build = |source: &Path, name: &str| compile(source, &here(name));
    let original = build(&kernel.path(), "original")?;
    let (written, by_hand) = (build(&written, "written")?, build(&kernel.advised_path(), "by-hand")?);
    let runs: [(&PathBuf, u32); 5] =
        [(&original, 1), (&written, 1), (&written, 2), (&by_hand, 1), (&by_hand, 2)];
    let mut seconds = [f64::INFINITY; 5];
    let mut expected = None;
    for _ in 0..ROUNDS {
        for (shortest, (program, threads)) in seconds.iter_mut().zip(runs) {
            let (printed, took) = output(program, &advised.arguments, threads)?;
            if *expected.get_or_insert_with(|| printed.clone()) != printed {
                bail!("{} prints something else", program.display());
            }
            *shortest = shortest.min(took);
        }
    }
    let [before, after @ ..] = seconds;
    let cells: Vec<String> = after.iter().map(|s| format!("{s:.2} ({:.1})", before / s)).collect();
    let arguments = advised.arguments.join(" ");
    Ok(format!("| {} {arguments} | {before:.2} | {} |", kernel.name(), cells.join(" | ")))
}

/// The document with other figures.
fn with(text: &str, figures: &str) -> Result<String> {
    let (before, rest) = text.split_once(BEGIN).context("the place of the figures is missing")?;
    let (_, after) = rest.split_once(END).context("the end of the figures is missing")?;
    Ok(format!("{before}{BEGIN}\n{figures}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_replaced() {
        let text = format!("a\n{BEGIN}old\n{END}b\n");
        let new = with(&text, "new\n").expect("both marks are there");
        assert_eq!(new, format!("a\n{BEGIN}\nnew\n\n{END}b\n"));
        assert!(with("nothing", "new").is_err());
    }
}
