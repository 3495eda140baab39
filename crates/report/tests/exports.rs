//! Pages, flame graphs and stacks of made-up programs, without a browser.

use crate::support;

use report::html::{Options, Sources, page};
use report::{flamegraph, stacks};
use schedule::synthetic::{Shape, profile};
use serde_json::Value;

/// The same bytes, whoever asks; sources are given, not read.
#[test]
fn pages_and_flame_graphs_are_pure_functions() {
    let program = support::hostile();
    let sources = support::hostile_sources();
    let all = || {
        let report = report::report(&program);
        let page = page(&report, &sources, Options { nests: 3 });
        (page, flamegraph::svg(&report).unwrap(), stacks::folded(&report), stacks::speedscope(&report))
    };
    let first = all();
    let others: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(all)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(others.iter().all(|other| *other == first));
}

#[test]
fn nothing_of_a_profile_is_markup() {
    let program = support::hostile();
    let report = report::report(&program);
    let html = page(&report, &support::hostile_sources(), Options { nests: 12 });
    assert!(!html.contains("<img") && html.contains("&lt;img src=x onerror=&#39;window.hit=1&#39;&gt;"));
    assert_eq!(html.matches("<script").count(), 2);
    assert_eq!(html.matches("</script>").count(), 2);
    let svg = flamegraph::svg(&report).unwrap();
    assert!(!svg.contains("<img") && svg.contains("&lt;img src=x"));
}

/// What is in the page's sections does not need its script.
#[test]
fn sections_show_loops_evidence_and_iterations() {
    let program = profile(Shape::Stencil, 2);
    let html = page(&report::report(&program), &Sources::new(), Options { nests: 12 });
    for expected in [
        "id=\"nest-0\"",
        "<span class=\"badge v-no\" title=\"no\">N</span> made_up.c:made_up:1",
        // Without its source there is no directive.
        "its source was not read",
        "flow dependence through memory, distance (1), ",
        "for example iteration (0, 0, 0) → (1, 0, 0)",
        "class=\"arrow flow blocks",
        "made_up.c could not be read here",
        "<tr><td>in parallel loops<td class=\"n\">100 %",
    ] {
        assert!(html.contains(expected), "{expected} is missing");
    }
}

#[test]
fn folded_stacks() {
    let program = profile(Shape::Stencil, 2);
    insta::assert_snapshot!(stacks::folded(&report::report(&program)));
}

/// Labels hold nothing that ends a frame or passes for a count.
#[test]
fn folded_stacks_of_hostile_names_can_be_read() {
    let program = support::hostile();
    let report = report::report(&program);
    let folded = stacks::folded(&report);
    let mut sum = 0;
    for line in folded.lines() {
        let (stack, count) = line.rsplit_once(' ').unwrap();
        sum += count.parse::<u64>().unwrap();
        assert!(stack.split(';').all(|label| !label.is_empty() && !label.ends_with(" 7")), "{line}");
    }
    assert_eq!(sum, program.trust.instructions + program.trust.unrecorded);
    insta::assert_snapshot!(folded);
}

#[test]
fn speedscope() {
    let program = profile(Shape::Stencil, 1);
    let text = stacks::speedscope(&report::report(&program));
    let value: Value = serde_json::from_str(&text).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&value).unwrap());
}

/// Every colour of a flame graph is one of ours: others are drawn at random.
#[test]
fn colours_are_those_of_verdicts() {
    let mut program = support::hostile();
    program.program.argv[0] = " ".to_owned();
    program.functions[1].name = " leading and trailing ".to_owned();
    let svg = flamegraph::svg(&report::report(&program)).unwrap();
    let colours: std::collections::BTreeSet<&str> =
        svg.split("fill=\"rgb(").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    // Black is the text.
    let expected = ["0,0,0", "0,158,115", "180,180,180", "213,94,0", "227,220,207"];
    assert_eq!(colours.into_iter().collect::<Vec<_>>(), expected);
}

/// What the schema of speedscope's files and their readers ask for.
#[test]
fn speedscope_files_are_consistent() {
    let program = support::hostile();
    let value: Value = serde_json::from_str(&stacks::speedscope(&report::report(&program))).unwrap();
    let frames = value["shared"]["frames"].as_array().unwrap();
    let own = &value["profiles"][0];
    let (samples, weights) = (own["samples"].as_array().unwrap(), own["weights"].as_array().unwrap());
    assert_eq!(samples.len(), weights.len());
    let in_range = |at: &Value| at.as_u64().is_some_and(|at| (at as usize) < frames.len());
    assert!(samples.iter().all(|stack| stack.as_array().unwrap().iter().all(in_range)));
    let sum: u64 = weights.iter().map(|w| w.as_u64().unwrap()).sum();
    assert_eq!(own["endValue"], sum);
    assert_eq!(sum, program.trust.instructions + program.trust.unrecorded);
}

/// A program of which nothing was recorded has a page, and no flame graph.
#[test]
fn nothing_recorded() {
    let mut program = profile(Shape::Independent, 1);
    program.contexts.iter_mut().for_each(|c| (c.own_instructions, c.iterations) = (0, 0));
    let report = report::report(&program);
    assert!(page(&report, &Sources::new(), Options { nests: 12 }).contains("No loop of the program itself"));
    assert!(flamegraph::svg(&report).unwrap_err().to_string().contains("nothing to draw"));
    assert_eq!(stacks::folded(&report), "");
}
