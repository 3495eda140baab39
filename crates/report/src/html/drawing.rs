//! Scenes as inline SVG. Colours are those of the page's style sheet, so that they follow its light and dark form.

use std::fmt::Write;

use profile::Kind;

use super::escape;
use super::scene::{Arrow, Axis, Scene};

/// Distance of neighbouring points.
const CELL: i64 = 26;
/// Room for the values of the axes.
const MARGIN: i64 = 44;
/// Between layers.
const GAP: i64 = 30;
/// Longest side of an outline.
const OUTLINE: f64 = 96.0;

/// A figure: the drawing, and what it shows.
pub fn figure(scene: &Scene, title: &str) -> String {
    let window = window(scene);
    let outline = if scene.outline.is_empty() { String::new() } else { outline(scene) };
    format!(
        "<figure><figcaption><b>{}</b> {}</figcaption><div class=\"drawings\">{outline}{window}</div></figure>\n",
        escape::name(title),
        caption(scene)
    )
}

/// What is shown, in words.
fn caption(scene: &Scene) -> String {
    let mut parts = Vec::new();
    for (name, value) in &scene.held {
        parts.push(format!("iteration {value} of {}", escape::name(name)));
    }
    let directions: &[&str] = match scene.axes.len() {
        1 => &["across"],
        2 => &["down", "across"],
        _ => &["side by side", "down", "across"],
    };
    for (axis, direction) in scene.axes.iter().zip(directions) {
        let (least, most) = axis.extent;
        parts.push(format!("{direction}: {} from {least} to {most}", escape::name(&axis.name)));
    }
    if scene.is_approximate {
        parts.push("not all of it is known exactly: some of these iterations may not have run".to_owned());
    }
    if scene.arrows.is_empty() {
        parts.push(match scene.leads_out {
            true => "its dependences come from other iterations of the loops around".to_owned(),
            false => "no dependence between these iterations".to_owned(),
        });
    }
    parts.join(" · ")
}

/// Where a point is drawn.
fn place(axes: &[Axis], point: &[i64]) -> (i64, i64) {
    let offset = |q: usize| point[q] - axes[q].window.0;
    match axes.len() {
        1 => (MARGIN + CELL * offset(0), MARGIN),
        2 => (MARGIN + CELL * offset(1), MARGIN + CELL * offset(0)),
        _ => {
            let width = CELL * (axes[2].window.1 - axes[2].window.0) + CELL + GAP;
            (MARGIN + width * offset(0) + CELL * offset(2), MARGIN + CELL * offset(1))
        }
    }
}

fn window(scene: &Scene) -> String {
    let axes = &scene.axes;
    let corner: Vec<i64> = axes.iter().map(|axis| axis.window.1).collect();
    let (right, bottom) = place(axes, &corner);
    let (width, height) = (right + MARGIN, bottom + CELL + 4);
    let mut out = format!(
        "<svg class=\"domain\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{} iterations and {} dependences between them\">",
        scene.points.len(),
        scene.arrows.len()
    );
    values(axes, &mut out);
    for point in &scene.points {
        let (x, y) = place(axes, point);
        let class = if scene.is_approximate { "point hollow" } else { "point" };
        // Writing to a string does not fail.
        let _ = write!(out, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>");
    }
    let is_many = axes.len() > 2 || scene.arrows.len() > 40;
    for arrow in scene.arrows.iter().rev() {
        let is_focused = scene.focus.as_ref() == Some(&arrow.sink);
        let is_in_layer = axes.len() < 3 || arrow.source.first() == arrow.sink.first();
        // Between layers, the arrows into one point stand for all.
        if is_focused || is_in_layer {
            out.push_str(&line(axes, arrow, is_many && !is_focused));
        }
    }
    if let Some(focus) = &scene.focus {
        let (x, y) = place(axes, focus);
        let _ = write!(out, "<circle class=\"focus\" cx=\"{x}\" cy=\"{y}\" r=\"6\"/>");
    }
    out.push_str("</svg>");
    out
}

/// Values along the axes, and dots where they go on.
fn values(axes: &[Axis], out: &mut String) {
    let least: Vec<i64> = axes.iter().map(|axis| axis.window.0).collect();
    let columns = axes.len() - 1;
    // Along a line arrows bend upwards, so values stand below it.
    let above = if columns == 0 { 18 } else { -12 };
    let layers = if axes.len() > 2 { axes[0].window } else { (0, 0) };
    for layer in layers.0..=layers.1 {
        let mut at = least.clone();
        if axes.len() > 2 {
            at[0] = layer;
            let (x, y) = place(axes, &at);
            let _ = write!(
                out,
                "<text class=\"layer\" x=\"{x}\" y=\"{}\">{} = {layer}</text>",
                y - 28,
                escape::name(&axes[0].name)
            );
        }
        for value in axes[columns].window.0..=axes[columns].window.1 {
            at[columns] = value;
            let (x, y) = place(axes, &at);
            let is_shown = value.to_string().len() <= 3 || (value - axes[columns].window.0) % 2 == 0;
            if is_shown {
                let _ = write!(out, "<text class=\"value\" x=\"{x}\" y=\"{}\">{value}</text>", y + above);
            }
        }
        if axes[columns].window.1 < axes[columns].extent.1 {
            let (x, y) = place(axes, &at);
            let _ = write!(out, "<text class=\"value\" x=\"{}\" y=\"{}\">…</text>", x + 18, y + above);
        }
    }
    if let Some(rows) = columns.checked_sub(1) {
        for value in axes[rows].window.0..=axes[rows].window.1 {
            let mut at = least.clone();
            at[rows] = value;
            let (x, y) = place(axes, &at);
            let _ = write!(out, "<text class=\"row\" x=\"{}\" y=\"{}\">{value}</text>", x - 12, y + 4);
        }
        if axes[rows].window.1 < axes[rows].extent.1 {
            let mut at = least.clone();
            at[rows] = axes[rows].window.1;
            let (x, y) = place(axes, &at);
            let _ = write!(out, "<text class=\"row\" x=\"{}\" y=\"{}\">⋮</text>", x - 12, y + 20);
        }
    }
}

fn line(axes: &[Axis], arrow: &Arrow, is_faint: bool) -> String {
    let (from, to) = (place(axes, &arrow.source), place(axes, &arrow.sink));
    let (dx, dy) = ((to.0 - from.0) as f64, (to.1 - from.1) as f64);
    let length = dx.hypot(dy).max(1.0);
    // Arrows end at the edge of a point.
    let end = |at: (i64, i64), by: f64| (at.0 as f64 + dx / length * by, at.1 as f64 + dy / length * by);
    let ((x1, y1), (x2, y2)) = (end(from, 4.0), end(to, -6.0));
    // Those that pass over other points bend around them.
    let bend = if length > CELL as f64 * 1.5 { 0.18 } else { 0.0 };
    let (cx, cy) = ((x1 + x2) / 2.0 + dy * bend, (y1 + y2) / 2.0 - dx * bend);
    let kind = match arrow.kind {
        Kind::Flow => "flow",
        Kind::Anti => "anti",
        Kind::Output => "output",
    };
    let role = if arrow.is_harmless { "harmless" } else { "blocks" };
    let faint = if is_faint { " faint" } else { "" };
    format!(
        "<path class=\"arrow {kind} {role}{faint}\" d=\"M{x1:.1} {y1:.1}Q{cx:.1} {cy:.1} {x2:.1} {y2:.1}\" \
         marker-end=\"url(#tip-{role})\"/>"
    )
}

/// The whole domain of the two innermost dimensions, to scale, with the window in it.
fn outline(scene: &Scene) -> String {
    let [.., rows, columns] = &scene.axes[..] else { return String::new() };
    let size = |axis: &Axis| (axis.extent.1 - axis.extent.0) as f64 + 1.0;
    let scale = OUTLINE / size(rows).max(size(columns));
    // Very flat domains are drawn a little thicker than they are.
    let side = |axis: &Axis| (size(axis) * scale).max(12.0);
    let (width, height) = (side(columns), side(rows));
    let x = |value: f64| (value - columns.extent.0 as f64) / size(columns) * width;
    let y = |value: f64| (value - rows.extent.0 as f64) / size(rows) * height;
    let mut out = format!(
        "<svg class=\"outline\" width=\"{:.0}\" height=\"{:.0}\" viewBox=\"-2 -2 {:.1} {:.1}\" role=\"img\" \
         aria-label=\"the whole domain, and what of it is shown\">",
        width + 4.0,
        height + 4.0,
        width + 4.0,
        height + 4.0
    );
    let mut values: Vec<i64> = scene.outline.iter().map(|row| row.0).collect();
    values.dedup();
    let thickness = height / values.len().max(1) as f64;
    for &(row, from, to) in &scene.outline {
        let (left, right) = (x(from as f64), x(to as f64 + 1.0));
        let at = values.binary_search(&row).unwrap_or(0) as f64 * thickness;
        let _ = write!(
            out,
            "<rect class=\"inside\" x=\"{left:.1}\" y=\"{at:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            (right - left).max(0.5),
            thickness + 0.3
        );
    }
    let (left, top) = (x(columns.window.0 as f64), y(rows.window.0 as f64));
    let (right, bottom) = (x(columns.window.1 as f64 + 1.0), y(rows.window.1 as f64 + 1.0));
    let _ = write!(
        out,
        "<rect class=\"frame\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/></svg>",
        (right - left).max(3.0),
        (bottom - top).max(3.0)
    );
    out
}
