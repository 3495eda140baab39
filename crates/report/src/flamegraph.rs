//! The dynamic schedule tree as a flame graph by itself (SVG), drawn by `inferno`: width is operations, colour the verdict.

use inferno::flamegraph::color::{BackgroundColor, Color, PaletteMap};
use inferno::flamegraph::{self, Direction, Options, TextTruncateDirection};

use crate::colours;
use crate::finding::Report;
use crate::frames::{frames, program_name};
use crate::stacks;

/// More operations than this cannot be drawn.
const MOST: u64 = 1 << 62;

/// Why a flame graph cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// Nothing was executed.
    #[error("there is nothing to draw: no operation was recorded")]
    Nothing,
    /// The sum of all operations is too large.
    #[error("more than {MOST} operations cannot be drawn; the profile may be damaged")]
    TooMany,
    /// The library that draws says why.
    #[error("the flame graph could not be drawn: {0}")]
    Drawing(#[from] std::io::Error),
}

/// Draws it.
pub fn svg(report: &Report<'_>) -> Result<String, DrawError> {
    let mut palette = PaletteMap::default();
    let frames = frames(report);
    match frames.first().map_or(0, |program| program.total) {
        0 => return Err(DrawError::Nothing),
        1..=MOST => {}
        _ => return Err(DrawError::TooMany),
    }
    for frame in &frames {
        let [r, g, b] = colours::of_frame(frame);
        palette.insert(stacks::label(frame), Color { r, g, b });
    }
    // Inferno draws a frame without a name around everything. What is not in the palette would get any colour.
    let [r, g, b] = colours::CALL;
    palette.insert("", Color { r, g, b });
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
    // In order of execution, of which inferno expects the latest first.
    options.flame_chart = true;
    let folded = stacks::folded(report);
    let mut out = Vec::new();
    flamegraph::from_lines(&mut options, folded.lines().rev(), &mut out)?;
    // The lines are text, and so is what is drawn of them.
    Ok(String::from_utf8_lossy(&out).into_owned())
}
