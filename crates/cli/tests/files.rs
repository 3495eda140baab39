//! What is written where: names that are free, files that are spared, reports beside a profile, the page for a browser.

use crate::support;

use std::fs;
use std::process::Output;

use support::Place;

const SOURCE: &str =
    "double a[500]; int main(int n, char **v) { for (int i = 0; i < 500; i++) a[i] = i * n; return 0; }\n";

fn run(place: &Place, arguments: &[&str]) -> Output {
    place.loopwright().args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn names_that_nobody_asked_for_are_free() {
    let place = Place::new();
    place.compile("sweep", SOURCE, &["-O0", "-g"]);
    for expected in ["sweep.lwp", "sweep.2.lwp", "sweep.3.lwp"] {
        let done = run(&place, &["profile", "--", "./sweep"]);
        assert!(
            done.status.success() && text(&done.stderr).contains(&format!("Profile: {expected} ")),
            "{done:?}"
        );
        assert!(place.path(expected).is_file());
    }
    let before = fs::metadata(place.path("sweep.lwp")).unwrap().modified().unwrap();
    let done = run(&place, &["profile", "--force", "--", "./sweep"]);
    assert!(done.status.success() && text(&done.stderr).contains("Profile: sweep.lwp "), "{done:?}");
    assert!(fs::metadata(place.path("sweep.lwp")).unwrap().modified().unwrap() > before);
    assert!(!place.path("sweep.4.lwp").exists());
}

#[test]
fn only_profiles_are_replaced_unless_forced() {
    let place = Place::new();
    place.compile("sweep", SOURCE, &["-O0", "-g"]);
    // Its own profile, and an empty file that mktemp has made, as often as wanted.
    fs::write(place.path("empty"), "").unwrap();
    for name in ["a.lwp", "a.lwp", "empty"] {
        assert!(run(&place, &["profile", "-q", "-o", name, "--", "./sweep"]).status.success(), "{name}");
    }
    let done = run(&place, &["profile", "-q", "-o", "sweep.c", "--", "./sweep"]);
    assert_eq!(done.status.code(), Some(125));
    assert!(text(&done.stderr).contains("sweep.c: there is such a file, and it is no profile"), "{done:?}");
    assert_eq!(fs::read_to_string(place.path("sweep.c")).unwrap(), SOURCE);
    assert!(run(&place, &["profile", "-q", "--force", "-o", "sweep.c", "--", "./sweep"]).status.success());
    assert_ne!(fs::read(place.path("sweep.c")).unwrap(), SOURCE.as_bytes());
}

#[test]
fn a_report_is_written_beside_a_profile_in_the_format_of_its_name() {
    let place = Place::new();
    place.compile("sweep", SOURCE, &["-O0", "-g"]);
    let begins = [
        ("r.html", "<!doctype html"),
        ("r.json", "{"),
        ("r.txt", "sweep"),
        ("r.sarif", "{"),
        ("r.svg", "<?xml"),
        ("r.folded", "sweep;"),
    ];
    for (name, begin) in begins {
        let done = run(&place, &["profile", "--report", name, "-o", "a.lwp", "--", "./sweep"]);
        assert!(done.status.success() && text(&done.stderr).contains(&format!("Report: {name}")), "{done:?}");
        let of_run = fs::read_to_string(place.path(name)).unwrap();
        assert!(of_run.to_lowercase().contains(begin), "{name}: {of_run:.80}");
        // The same comes from the profile, without a format being named.
        fs::remove_file(place.path(name)).unwrap();
        assert!(run(&place, &["report", "a.lwp", "-q", "-o", name]).status.success(), "{name}");
        let of_profile = fs::read_to_string(place.path(name)).unwrap();
        assert_eq!(of_profile.lines().count(), of_run.lines().count(), "{name}");
    }
    let done = run(&place, &["profile", "--report", "r.pdf", "--", "./sweep"]);
    assert_eq!(done.status.code(), Some(125));
    assert!(text(&done.stderr).contains("end the name with .html"), "{done:?}");
}

#[test]
fn the_page_is_made_for_a_browser() {
    let place = Place::new();
    place.compile("sweep", SOURCE, &["-O0", "-g"]);
    assert!(run(&place, &["profile", "-q", "-o", "a.lwp", "--", "./sweep"]).status.success());
    let done = run(&place, &["open", "a.lwp", "--no-browser"]);
    let said = text(&done.stdout);
    let page = said.trim().strip_prefix("Page: ").unwrap();
    assert!(fs::read_to_string(page).unwrap().contains("sweep.c"), "{said}");
    let done = run(&place, &["open", "sweep.c"]);
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let place = Place::new();
    place.compile("sweep", SOURCE, &["-O0", "-g"]);
    assert!(run(&place, &["profile", "-q", "-o", "a.lwp", "--", "./sweep"]).status.success());
    let coloured = |arguments: &[&str]| text(&run(&place, arguments).stdout).contains('\u{1b}');
    assert!(!coloured(&["report", "a.lwp"]));
    assert!(!coloured(&["report", "a.lwp", "--color", "never"]));
    assert!(coloured(&["report", "a.lwp", "--color", "always"]));
    assert!(coloured(&["--color", "always", "report", "a.lwp", "-o", "-"]));
}
