//! Names hold whatever linked a program: every linker lays segments out in its own way.

use crate::reported;
use crate::support;

use reported::{recorded, report};
use serde_json::Value;
use support::Place;

const SOURCE: &str = "#include <stdio.h>
#include <math.h>
double table[1000], factor = 2;
__attribute__((noinline)) void first(int n) {
    for (int i = 0; i < n; i++)
        table[i] = i + 1;
}
__attribute__((noinline)) double second(int n) {
    double last = 0;
    for (int i = 1; i < n; i++)
        table[i] = last = table[i - 1] * factor;
    return last;
}
int main(void) { first(1000); printf(\"%g\\n\", second(1000)); return 0; }
";

/// Regression: with lld every name was off by a page, because the first segment whose pages hold an offset of the file was taken for
/// the one that is mapped. A page of the file may be mapped twice: once for reading and once for executing.
#[test]
fn names_hold_with_every_linker_and_layout() {
    let place = Place::new();
    let layouts: [&[&str]; 6] = [
        &[],
        &["-Wl,-z,separate-code"],
        &["-Wl,-z,noseparate-code"],
        &["-no-pie"],
        &["-static-pie"],
        &["-static", "-Wl,-z,noseparate-code"],
    ];
    for linker in ["bfd", "gold", "lld", "mold"] {
        for (at, layout) in layouts.iter().enumerate() {
            // gold has neither of these options.
            let is_new = |flag: &&str| flag.ends_with("separate-code") || *flag == "-static-pie";
            if linker == "gold" && layout.iter().any(is_new) {
                continue;
            }
            let linked = format!("-fuse-ld={linker}");
            let mut flags = vec!["-O1", "-g", linked.as_str()];
            flags.extend(*layout);
            let case = format!("{linker} {layout:?}");
            let program = place.compile(&format!("{linker}{at}"), SOURCE, &flags);
            let (done, report) = recorded(&place, &program, &["--function", "second"]);
            assert_eq!(String::from_utf8_lossy(&done.stdout), "5.35754e+300\n", "{case}");
            // What is recorded is this function alone, under its own name and lines.
            let loops = report["loops"].as_array().unwrap();
            let own: Vec<&Value> = loops.iter().filter(|l| l["iterations"] == 999).collect();
            assert_eq!(own.len(), 1, "{case}: {loops:#?}");
            assert!(loops.iter().all(|l| l["iterations"] != 1000), "{case}: {loops:#?}");
            let found = own[0];
            assert_eq!(
                (&found["function"], &found["line"]),
                (&"second".into(), &10.into()),
                "{case}: {found}"
            );
            let blocking = &found["blocking"][0];
            let expected = serde_json::json!({ "name": "table", "offset": 8 });
            assert_eq!(
                (&blocking["object"], &blocking["sink"]["line"]),
                (&expected, &11.into()),
                "{case}: {found}"
            );
        }
    }
}

/// Regression: variables of a static program lie just below the thread-local storage of its first thread, and were taken for thread-local
/// data of libraries, which blocks nothing.
#[test]
fn variables_of_static_programs_are_not_thread_local() {
    let source = "#include <stdio.h>
int last[10];
int main(int n, char **v) {
    for (int i = 0; i < 1000; i++)
        last[i * n % 10] = i;
    printf(\"%d\\n\", last[3]); return 0; }
";
    let place = Place::new();
    for flags in
        [&["-O0", "-g", "-static"][..], &["-O0", "-g", "-static", "-s"], &["-O1", "-g", "-static-pie"]]
    {
        let program = place.compile("static", source, flags);
        let report = report(&place, &program, &[]);
        let loops = report["loops"].as_array().unwrap();
        let own: Vec<&Value> = loops.iter().filter(|l| l["iterations"] == 1000).collect();
        assert_eq!(own.len(), 1, "{flags:?}: {loops:#?}");
        assert_ne!(own[0]["class"], "A", "{flags:?}: {}", own[0]);
        let text = own[0].to_string();
        assert!(flags.contains(&"-s") || text.contains("\"last\""), "{flags:?}: {text}");
    }
}
