//! `report --format html`, `svg`, `folded` and `speedscope` of a program that ran.

use crate::support;

use serde_json::Value;
use support::Place;

/// Two sweeps per step; the second reads what the first wrote.
const SOURCE: &str = "#include <stdio.h>
double a[40], b[40];
int main(void) {
    for (int t = 0; t < 9; t++) {
        for (int i = 1; i < 39; i++)
            b[i] = a[i - 1] + a[i + 1]; /* \"one\" <b> & other */
        for (int i = 1; i < 39; i++)
            a[i] = 0.5 * b[i];
    }
    printf(\"%f\\n\", a[7]);
    return 0;
}
";

/// A report on the program, and what it says on standard error.
fn report(place: &Place, arguments: &[&str]) -> String {
    let mut command = place.loopwright();
    let output = command.arg("report").args(arguments).arg("p.lwp").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn profiled() -> Place {
    let place = Place::new();
    let program = place.compile("sweeps", SOURCE, &["-g", "-O1"]);
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "-o", "p.lwp", "--"]).arg(program);
    assert!(command.output().unwrap().status.success());
    place
}

#[test]
fn a_page_shows_source_evidence_and_what_it_could_become() {
    let place = profiled();
    let page = report(&place, &["--format", "html", "--schedule", "--region", "sweeps.c:4"]);
    for expected in [
        "<code>            b[i] = a[i - 1] + a[i + 1]; /* &quot;one&quot; &lt;b&gt; &amp; other */</code>",
        "<span class=\"badge v-no\" title=\"no\">N</span> sweeps.c:main:4",
        "an iteration reads `a",
        "class=\"arrow flow blocks",
        "<h3>What it could become</h3>",
        "<pre class=\"transformed\">",
    ] {
        assert!(page.contains(expected), "{expected} is missing");
    }
    assert!(!page.contains("changed since"));
    // Nothing but itself.
    assert!(
        !page.contains("http://")
            || page.matches("http://").all(|_| page.contains("http://www.w3.org/2000/svg"))
    );
    assert!(!page.contains("src=") && !page.contains("@import"));
    // Without the source it says so; with another one too.
    let source = place.path("sweeps.c");
    std::fs::write(&source, format!("/* new */\n{SOURCE}")).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    std::fs::File::options().write(true).open(&source).unwrap().set_modified(later).unwrap();
    assert!(report(&place, &["--format", "html"]).contains("changed since the profile was made"));
    std::fs::remove_file(&source).unwrap();
    assert!(report(&place, &["--format", "html"]).contains("sweeps.c could not be read here"));
}

#[test]
fn stacks_add_up_to_the_recorded_instructions() {
    let place = profiled();
    let json: Value = serde_json::from_str(&report(&place, &["--format", "json"])).unwrap();
    let all = json["trust"]["instructions"].as_u64().unwrap();
    let folded = report(&place, &["--format", "folded"]);
    let counts = folded.lines().map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap());
    assert_eq!(counts.sum::<u64>(), all);
    let inner = "main;sweeps.c:main:4 [not parallel];sweeps.c:main:5 [parallel] ";
    assert!(folded.lines().any(|line| line.starts_with("sweeps;") && line.contains(inner)), "{folded}");
    let speedscope: Value = serde_json::from_str(&report(&place, &["--format", "speedscope"])).unwrap();
    assert_eq!(speedscope["profiles"][0]["endValue"], all);
    let svg = report(&place, &["--format", "svg"]);
    assert!(svg.contains("<svg") && svg.contains("sweeps.c:main:5 [parallel]"));
}

/// Executions without dependences: nothing is claimed, and nothing fails.
#[test]
fn counts_alone_have_a_page_without_verdicts() {
    let place = Place::new();
    let program = place.compile("sweeps", SOURCE, &["-g", "-O1"]);
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "--fast", "-o", "p.lwp", "--"]).arg(program);
    assert!(command.output().unwrap().status.success());
    let page = report(&place, &["--format", "html"]);
    assert!(page.contains("sweeps.c:main:4") && page.contains("instructions counted"));
    let sections = page.split("<section class=\"nest\"").skip(1);
    assert!(sections.clone().count() > 0 && !page.contains("Where the operations are"));
    assert!(
        sections.into_iter().all(|section| !section.split("<section").next().unwrap().contains("badge v-"))
    );
    assert!(report(&place, &["--format", "folded"]).lines().all(|line| !line.contains("parallel")));
}
