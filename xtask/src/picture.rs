//! The picture of the README: the page of the guide's first example, as a browser shows it.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::ci;
use crate::product::{Loopwright, checked};

const PICTURE: &str = "docs/report.png";

/// Profiles the perceptron as the guide does, and writes a picture of the page.
///
/// # Errors
/// What cannot be run: the compiler, Loopwright, the browser.
pub fn run() -> Result<()> {
    let loopwright = Loopwright::optimised()?;
    let place = tempfile::tempdir()?;
    let source = place.path().join("perceptron.c");
    std::fs::copy(ci::root().join("kernels/perceptron.c"), &source)?;
    let program = place.path().join("perceptron");
    ci::checked(Command::new("cc").args(["-g", "-O0", "-o"]).arg(&program).arg(&source).arg("-lm"))?;
    let profile = place.path().join("perceptron.lwp");
    // As people run it: the page shows the command.
    let mut recorded = Command::new(&loopwright.path);
    recorded.args(["profile", "--quiet", "-o"]).arg(&profile).args(["--", "./perceptron", "4", "20"]);
    checked(recorded.current_dir(place.path()))?;
    let page = place.path().join("perceptron.html");
    let mut report = Command::new(&loopwright.path);
    checked(
        report.args(["report", "--quiet", "--format", "html", "--schedule", "-o"]).arg(&page).arg(&profile),
    )?;
    let picture = ci::root().join(PICTURE);
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]);
    browser.args(["--disable-background-networking", "--window-size=1200,1000"]);
    browser.arg(format!("--user-data-dir={}", place.path().join("browser").display()));
    browser.arg(format!("--screenshot={}", picture.display())).arg(&page);
    browser.stdout(Stdio::null()).stderr(Stdio::null());
    ci::checked(&mut browser).context("chromium: apt-get install chromium")?;
    println!("{PICTURE}");
    Ok(())
}
