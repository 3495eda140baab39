//! The README and the book: links lead somewhere, every page is in the table of contents, and the commands that they show run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Pages for readers, relative to the root.
fn pages() -> Vec<PathBuf> {
    let mut out = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(PathBuf::from).to_vec();
    for folder in ["docs", "docs/design"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        let names = entries.map(|entry| PathBuf::from(folder).join(entry.unwrap().file_name()));
        out.extend(names.filter(|name| name.extension().is_some_and(|e| e == "md")));
    }
    out
}

fn text(page: &Path) -> String {
    std::fs::read_to_string(root().join(page)).unwrap()
}

/// Targets of the links of a page, without fences of code.
fn links(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        // `[&](auto &x)` in code is no link.
        let is_text = |(at, _): &(usize, &str)| !is_code && line[..*at].matches('`').count() % 2 == 0;
        for (at, _) in line.match_indices("](").filter(is_text) {
            let target = &line[at + 2..];
            out.extend(target.split_once(')').map(|(target, _)| target.to_owned()));
        }
    }
    out
}

/// The anchor of a heading, as code hosts and mdBook make it.
fn anchor(heading: &str) -> String {
    let lower = heading.trim().to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut count = 0;
    for page in pages() {
        let text = text(&page);
        for link in links(&text).iter().filter(|link| !link.contains("://")) {
            let (file, section) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => root().join(&page),
                file => root().join(page.parent().unwrap()).join(file),
            };
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
            if !section.is_empty() {
                let text = std::fs::read_to_string(&target).unwrap();
                let mut heads = text.lines().filter(|line| line.starts_with('#'));
                let is_there = heads.any(|head| anchor(head.trim_start_matches('#')) == section);
                assert!(is_there, "{}: {link}: no such section", page.display());
            }
            count += 1;
        }
    }
    assert!(count > 40, "{count} links only");
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let listed: BTreeSet<String> = links(&text(Path::new("docs/SUMMARY.md"))).into_iter().collect();
    let pages = pages();
    let names = pages.iter().filter_map(|page| page.strip_prefix("docs").ok()?.to_str());
    let there: BTreeSet<String> = names.filter(|name| *name != "SUMMARY.md").map(str::to_owned).collect();
    assert_eq!(listed, there);
}

#[test]
fn the_readme_is_a_page() {
    let text = text(Path::new("README.md"));
    assert!(text.lines().count() <= 100, "{} lines", text.lines().count());
    assert!(text.contains("cargo run --release -- demo") && text.contains("cargo xtask ci"), "{text}");
}

/// Lines of a page that show a command, `$ …`.
fn commands(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect()
}

/// Commands are run in order, page by page, where the kernels' sources lie; only that they succeed is looked at here.
#[test]
fn commands_run() {
    let mut count = 0;
    for page in ["session", "GUIDE", "commands", "reports", "traces", "verdicts", "GPU"] {
        let place = tempfile::tempdir().unwrap();
        for folder in ["kernels", "kernels/advised", "kernels/gpu"] {
            let to = place.path().join(folder.trim_start_matches("kernels").trim_start_matches('/'));
            std::fs::create_dir_all(&to).unwrap();
            for entry in std::fs::read_dir(root().join(folder)).unwrap() {
                let entry = entry.unwrap().path();
                if entry.is_file() {
                    std::fs::copy(&entry, to.join(entry.file_name().unwrap())).unwrap();
                }
            }
        }
        prepare(page, place.path());
        let own = Path::new(env!("CARGO_BIN_EXE_loopwright")).parent().unwrap();
        let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap());
        // A stream is named by an address, which is that of one build.
        let is_general = |command: &String| !command.contains("--stream 0x");
        let shown = commands(&text(&Path::new("docs").join(page).with_extension("md")));
        for command in shown.into_iter().filter(is_general) {
            let mut shell = Command::new("sh");
            shell.args(["-c", &command]).current_dir(place.path()).env("PATH", &path).stdin(Stdio::null());
            let output = shell.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            // Programs of the examples end well; `diff` says by 1 that there is a difference.
            let differs = command.starts_with("loopwright diff") && output.status.code() == Some(1);
            assert!(output.status.success() || differs, "{page}: {command}: {}\n{said}", output.status);
            count += 1;
        }
    }
    assert!(count >= 20, "{count} commands only");
}

/// What a page takes as given.
fn prepare(page: &str, place: &Path) {
    let run = |command: &str| {
        let own = Path::new(env!("CARGO_BIN_EXE_loopwright")).parent().unwrap();
        let path = format!("{}:{}", own.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(place).env("PATH", &path).stdin(Stdio::null());
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let profile = |name: &str| {
        run(&format!("cc -g -O2 {name}.c -o {name} -lm && loopwright profile -q -o {name}.lwp -- ./{name}"));
    };
    match page {
        "reports" => profile("jacobi"),
        "commands" => profile("renamed"),
        "traces" => {
            run("cc -g -O0 matmul_ikj.c -o matmul_ikj");
            let banded = (0..20).flat_map(|i: i64| (0.max(i - 10)..=9).map(move |j| 100 * i + j));
            let lines: Vec<String> = banded.map(|value| value.to_string()).collect();
            std::fs::write(place.join("banded.txt"), lines.join("\n")).unwrap();
            let row = |i: i64| {
                let inner = (0..=i).map(move |j| 170 * i + 8 * j + 50_000);
                std::iter::once(1000 * i).chain(inner).chain([900_000 - 13 * i])
            };
            let lines: Vec<String> = (0..12).flat_map(row).map(|value| value.to_string()).collect();
            std::fs::write(place.join("triangle.txt"), lines.join("\n")).unwrap();
            let mut near: Vec<i64> = (0..50).flat_map(|i| (0..40).map(move |j| 1000 * i + 8 * j)).collect();
            (near[333], near[901], near[1444]) = (7, 123_456, 99);
            near.remove(1700);
            near.insert(600, 42);
            let lines: Vec<String> = near.iter().map(i64::to_string).collect();
            std::fs::write(place.join("near.txt"), lines.join("\n")).unwrap();
            let n = 60;
            let inside = |k: i64| (0..n).contains(&k);
            let points = (0..n).flat_map(|x| (0..n).map(move |y| (x, y))).flat_map(|(x, y)| {
                let next = [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)].map(|(dx, dy)| (x + dx, y + dy));
                let next = next.into_iter().filter(|to| inside(to.0) && inside(to.1));
                next.map(move |to| format!("{} {} 1.0\n", x * n + y + 1, to.0 * n + to.1 + 1))
            });
            let points: Vec<String> = points.collect();
            let head =
                format!("%%MatrixMarket matrix coordinate real general\n{0} {0} {1}\n", n * n, points.len());
            std::fs::write(place.join("poisson.mtx"), head + &points.concat()).unwrap();
        }
        _ => {}
    }
}
