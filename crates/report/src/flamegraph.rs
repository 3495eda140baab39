//! The dynamic schedule tree as a flame graph by itself (SVG), drawn by `inferno`: width is operations, colour the verdict.

use inferno::flamegraph::color::{BackgroundColor, Color, PaletteMap};
use inferno::flamegraph::{self, Direction, Options, TextTruncateDirection};

use crate::colours;
use crate::finding::Report;
use crate::frames::{frames, program_name};
use crate::stacks;

/// Draws it. The text of an error says what could not be drawn: a run in which nothing was executed.
pub fn svg(report: &Report<'_>) -> Result<String, String> {
    let mut palette = PaletteMap::default();
    let frames = frames(report);
    for frame in &frames {
        let [r, g, b] = colours::of_frame(frame);
        palette.insert(stacks::label(frame), Color { r, g, b });
    }
    // Inferno draws a frame "all" of its own around everything.
    palette.insert("all", Color { r: colours::CALL[0], g: colours::CALL[1], b: colours::CALL[2] });
    let white = Color { r: 255, g: 255, b: 255 };
    let mut options = Options::default();
    options.palette_map = Some(&mut palette);
    options.bgcolors = Some(BackgroundColor::Flat(white));
    options.title = format!("{}: loops by operations", program_name(report.profile));
    options.subtitle = Some(
        "green parallel · blue reduction · yellow after privatisation · red not parallel · grey not affine, \
         library or not recorded"
            .to_owned(),
    );
    options.count_name = "operations".to_owned();
    options.name_type = "Loop or function:".to_owned();
    options.direction = Direction::Inverted;
    options.text_truncate_direction = TextTruncateDirection::Right;
    options.no_sort = true;
    let folded = stacks::folded(report);
    let mut out = Vec::new();
    flamegraph::from_lines(&mut options, folded.lines(), &mut out).map_err(|error| error.to_string())?;
    String::from_utf8(out).map_err(|error| error.to_string())
}
