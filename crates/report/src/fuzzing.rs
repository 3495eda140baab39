//! What fuzzing does with profiles that could be read: everything that renders one.

use profile::Profile;

use crate::html::{self, Sources};
use crate::polyhedral::Program;
use crate::requirement::Requirement;
use crate::{diff, explain, flamegraph, folding, isl, openscop, sarif, stacks, text, wire};

/// Loops explained, and nests on the page: the rest costs time alone.
const SOME: usize = 4;

/// Renders a profile in every form; gives the bytes, so that nothing is left out.
///
/// # Errors
/// What should not be: a picture that cannot be drawn, or a profile that differs from itself.
pub fn render(profile: &Profile) -> Result<usize, String> {
    let report = crate::report(profile);
    let mut all = vec![
        text::summary(&report, text::Options { top: 12, colour: false }),
        wire::json(&report),
        html::page(&report, &Sources::new(), html::Options { nests: SOME }),
        flamegraph::svg(&report).map_err(|error| error.to_string())?,
        stacks::folded(&report),
        stacks::speedscope(&report),
        sarif::sarif(&report, None),
        folding::table(std::slice::from_ref(profile), None, None),
    ];
    let program = Program::of(profile, None);
    all.extend([isl::text(&program), openscop::text(&program)]);
    for at in 0..report.loops.len().min(SOME) {
        all.push(explain::text(&report, at, &explain::explain(&report, at)));
        let requirement: Result<Requirement, _> = format!("parallel {}", report.loops[at].id).parse();
        all.extend(requirement.into_iter().flat_map(|requirement| requirement.failures(&report)));
    }
    let itself = diff::diff(&report, &report, 0.0);
    if !itself.is_empty() {
        return Err(format!("differs from itself: {}", itself.text()));
    }
    Ok(all.iter().map(String::len).sum())
}
