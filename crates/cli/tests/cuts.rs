//! Recordings that end before the program: what a verdict on a part may say of the whole.

use crate::reported;
use crate::support;

use std::collections::BTreeMap;

use reported::report;
use serde_json::Value;
use support::Place;

const PROGRAMS: [&str; 4] = ["textbook.c", "carried_values.c", "reductions.c", "storage.c"];

/// Most of its time is between the entries of its first loop, in accesses that are recorded one by one, so that recordings end there.
const BETWEEN: &str = "#include <stdio.h>\nstatic int a[64], b[4096];\nint main(void)\n{\n    unsigned x = 1;\n\
    \x20   for (int t = 0; t < 10; t++) {\n        for (int i = 0; i < 64; i++)\n            a[i] += t;\n\
    \x20       for (int i = 1; i < 4096; i++) {\n            x = x * 1103515245 + 12345;\n\
    \x20           if (x >> 31)\n                b[x >> 8 & 4095] += t;\n        }\n    }\n\
    \x20   for (int i = 0; i < 64; i++)\n        a[i] *= 2;\n    for (int i = 0; i < 64; i++)\n        b[i] *= 3;\n\
    \x20   for (int i = 0; i < 64; i++)\n        printf(\"%d\\n\", a[i] + b[i]);\n    return 0;\n}\n";

/// The program's own loops by name and by what calls them.
fn loops(report: &Value) -> BTreeMap<(String, String), &Value> {
    let all = report["loops"].as_array().unwrap().iter().filter(|l| l["main"] == true);
    let mut found = BTreeMap::new();
    for l in all {
        let mut around = l["context"].to_string() + &l["parent"].to_string();
        while found.contains_key(&(l["id"].to_string(), around.clone())) {
            around.push('+');
        }
        found.insert((l["id"].to_string(), around), l);
    }
    found
}

/// Metamorphic: a recording that is cut anywhere knows nothing more than the whole one. A loop that was under way has no verdict; one
/// that was complete has the whole recording's, or none; iterations and entries are never more.
#[test]
fn a_part_says_nothing_that_the_whole_does_not() {
    let place = Place::new();
    let (mut same, mut unknown, mut partial) = (0, 0, 0);
    let directory = kernels::directory().join("adversarial");
    let kept = PROGRAMS.map(|name| (name, std::fs::read_to_string(directory.join(name)).unwrap()));
    for (name, source) in kept.into_iter().chain([("between.c", BETWEEN.to_owned())]) {
        for level in ["-O0", "-O2"] {
            let include = format!("-I{}", directory.display());
            let program = place.compile(&format!("{name}{level}"), &source, &["-g", level, &include, "-lm"]);
            let whole = report(&place, &program, &[]);
            let all = whole["trust"]["instructions"].as_u64().unwrap();
            let whole = loops(&whole);
            assert!(whole.len() >= 5, "{name} {level}");
            for part in (1..5).step_by(kernels::cases(1, 2)) {
                // No round shares: they are to end in the middle of things.
                let limit = (all * part / 5 + 1009 * part).to_string();
                let cut = report(&place, &program, &["--max-instructions", &limit]);
                assert_eq!(cut["trust"]["cut_short"], true, "{name} {level} {limit}");
                for (key, l) in loops(&cut) {
                    let case = format!("{name} {level} after {limit}: {l}");
                    // The loop around it may not have come to its second iteration, by which it is known.
                    let alike = |(id, _): &&(String, String)| l["parent"].is_null() && *id == key.0;
                    let of_whole = whole.get(&key).or_else(|| whole.get(whole.keys().find(alike)?));
                    let of_whole = of_whole.unwrap_or_else(|| panic!("{case}"));
                    let count = |l: &Value, what: &str| l[what].as_u64().unwrap();
                    assert!(count(l, "iterations") <= count(of_whole, "iterations"), "{case}\n{of_whole}");
                    assert!(count(l, "entries") <= count(of_whole, "entries"), "{case}\n{of_whole}");
                    if l["parallel"] == "unknown" {
                        unknown += 1;
                    } else if count(l, "iterations") == count(of_whole, "iterations") {
                        same += 1;
                        for what in ["parallel", "class", "directive_alone"] {
                            assert_eq!(l[what], of_whole[what], "{what} of {case}\n{of_whole}");
                        }
                    } else {
                        // Whole entries alone: the rest never began.
                        partial += 1;
                        assert!(count(l, "entries") < count(of_whole, "entries"), "{case}\n{of_whole}");
                    }
                }
            }
        }
    }
    assert!(
        same > kernels::cases(300, 150) && unknown > kernels::cases(15, 7) && partial > 0,
        "{same} {unknown} {partial}"
    );
}
