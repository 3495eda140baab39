//! The text of kernels, in the words of a language.
//!
//! A kernel is given the numbers of iterations along its axes, the numbers that its text uses, and its arrays; an array that does not
//! begin with its section is moved back to where it would begin. Names that the text brings along: `thread_x` (which iteration),
//! `first_x` (that of the block's first thread), `lane_x` (which thread of the block), `count_x` (how many), likewise y and z.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use source::types::words;
use source::{Language, Threads};

use super::kernel::{AXES, Array, Kernel, Tiled};
use super::tile::Tile;

/// The words of a language.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// How it differs from C.
    pub language: Language,
    /// Which block along an axis.
    pub group: fn(usize) -> String,
    /// Which thread of a block along an axis.
    pub lane: fn(usize) -> String,
    /// All threads of a block wait for each other.
    pub barrier: &'static str,
    /// What stands before memory that a block shares.
    pub shared: &'static str,
    /// Names that mean something in the language and nothing in C.
    pub taken: &'static [&'static str],
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Its declaration.
    pub declaration: String,
    /// What the host gives.
    pub value: Value,
}

/// What a host gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Memory of the device that stands for an array.
    Memory {
        /// Which one.
        array: usize,
        /// The type of the parameter, in the words of C.
        pointer: String,
    },
    /// The variable of this name.
    Number(String),
    /// Memory that a block shares.
    Shared {
        /// The tile that it is for.
        tile: String,
        /// The type of its numbers.
        element: String,
    },
}

/// A kernel: its parameters and its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The parameters.
    pub given: Vec<Given>,
    /// The body, with braces.
    pub body: String,
}

/// What the host calls the first byte of an array that is used, and the one behind the last.
pub fn ends(array: &Array) -> (String, String) {
    (format!("{}_from", array.name), format!("{}_to", array.name))
}

/// The number of bytes of a tile, as an expression of the host; names that it uses are those of numbers.
pub fn bytes(tile: &Tile) -> String {
    let extents = tile.extents.iter().map(|extent| factor(extent));
    let factors: Vec<String> = [format!("{}L", tile.size * tile.each)].into_iter().chain(extents).collect();
    factors.join(" * ")
}

/// The text of a kernel, with or without its tiles.
pub fn text(kernel: &Kernel, tiled: Option<&Tiled>, words: &Words) -> Text {
    let threads = tiled.map_or(&kernel.plain, |tiled| &tiled.threads);
    let tiles = tiled.map_or([].as_slice(), |tiled| &tiled.tiles);
    let mut body = String::from("{\n");
    let used = used(threads, tiles);
    let mut given = Vec::new();
    for (place, array) in kernel.arrays.iter().enumerate() {
        let is_tiled = tiles.iter().any(|tile| tile.array == array.name);
        if used.contains(&array.name) || is_tiled {
            arrays(&mut given, &mut body, place, array, is_tiled, words);
        }
    }
    for axis in (0..kernel.axes.len()).filter_map(|axis| AXES.get(axis)) {
        let name = format!("count_{axis}");
        given.push(Given { declaration: format!("const long {name}"), value: Value::Number(name) });
    }
    for scalar in kernel.scalars.iter().filter(|scalar| used.contains(&scalar.name)) {
        let declaration = format!("const {} {}", scalar.type_name, scalar.name);
        given.push(Given { declaration, value: Value::Number(scalar.name.clone()) });
    }
    for (axis, name) in (0..kernel.axes.len()).zip(AXES) {
        let (lane, group, extent) = ((words.lane)(axis), (words.group)(axis), kernel.block.extent(axis));
        // Writing to a string cannot fail, here and below.
        let _ =
            writeln!(body, "    const long lane_{name} = {lane}, first_{name} = (long){group} * {extent};");
    }
    for tile in tiles {
        filled(&mut given, &mut body, kernel, tile, words);
    }
    if !tiles.is_empty() {
        let _ = writeln!(body, "    {};", words.barrier);
    }
    for own in &kernel.own {
        let _ = writeln!(body, "    {own}");
    }
    iterations(&mut body, kernel, threads);
    body.push_str("}\n");
    Text { given, body }
}

/// The names that a kernel uses, also by macros.
fn used(threads: &Threads, tiles: &[Tile]) -> BTreeSet<String> {
    let mut used = threads.identifiers();
    used.extend(threads.free.iter().map(|free| free.name.clone()));
    for tile in tiles {
        let texts = tile.extents.iter().chain(&tile.strides).chain(std::iter::once(&tile.start));
        used.extend(texts.flat_map(|text| words(text)).map(str::to_owned));
    }
    used
}

/// An array as a parameter, moved back if it does not begin with what is used of it.
fn arrays(
    given: &mut Vec<Given>,
    body: &mut String,
    place: usize,
    array: &Array,
    is_tiled: bool,
    words: &Words,
) {
    let global = words.language.global;
    let space = if global.is_empty() { String::new() } else { format!("{global} ") };
    let (from, to) = ends(array);
    let number = |name: &String| Given {
        declaration: format!("const long {name}"),
        value: Value::Number(name.clone()),
    };
    let shape = &array.shape;
    let value = |pointer| Value::Memory { array: place, pointer };
    if array.is_shifted() {
        let (name, element) = (&array.name, shape.plain_element());
        let declaration = format!("{space}{} *{name}_section", shape.element);
        given.push(Given { declaration, value: value(format!("{} *", shape.element)) });
        given.push(number(&from));
        let constant = if element == shape.element { "" } else { "const " };
        let moved = format!("({space}{constant}char *){name}_section - {from}");
        let (declared, pointer) = (shape.declared(name), shape.pointer());
        let _ = writeln!(body, "    {space}{declared} = ({space}{pointer})({moved});");
    } else {
        let declaration = format!("{space}{}", shape.declared(&array.name));
        given.push(Given { declaration, value: value(shape.pointer()) });
        if is_tiled {
            given.push(number(&from));
        }
    }
    if is_tiled {
        given.push(number(&to));
    }
}

/// A tile that the threads of a block fill together.
fn filled(given: &mut Vec<Given>, body: &mut String, kernel: &Kernel, tile: &Tile, words: &Words) {
    let Tile { array, name, element, size, each, .. } = tile;
    let space =
        if words.language.global.is_empty() { String::new() } else { words.language.global.to_owned() + " " };
    match tile.bytes {
        Some(bytes) => {
            let _ = writeln!(body, "    {} {element} {name}[{}];", words.shared, bytes / size);
        }
        None => {
            let declaration = format!("{} {element} *{name}", words.shared);
            let value = Value::Shared { tile: name.clone(), element: element.clone() };
            given.push(Given { declaration, value });
        }
    }
    let all: Vec<String> = tile.extents.iter().map(|extent| factor(extent)).collect();
    let count = if *each == 1 { all.join(" * ") } else { format!("{each} * {}", all.join(" * ")) };
    let (mut lane, mut lanes) = (String::new(), 1u32);
    for (axis, name) in (0..kernel.axes.len()).zip(AXES) {
        let factor = if lanes == 1 { String::new() } else { format!("{lanes} * ") };
        let _ = write!(lane, "{}{factor}lane_{name}", if lane.is_empty() { "" } else { " + " });
        lanes *= kernel.block.extent(axis);
    }
    let _ = writeln!(body, "    for (long number = {lane}; number < {count}; number += {lanes}) {{");
    let mut at = if tile.start == "0" { String::new() } else { format!("{} + ", tile.start) };
    let mut inner = if *each == 1 { String::new() } else { each.to_string() };
    for (direction, stride) in tile.strides.iter().enumerate() {
        let element = match inner.as_str() {
            "" => "number".to_owned(),
            inner if inner.contains(' ') => format!("number / ({inner})"),
            inner => format!("number / {inner}"),
        };
        let is_last = direction + 1 == tile.strides.len();
        let element = if is_last { element } else { format!("{element} % {}", all[direction]) };
        let _ = write!(at, "{element} * {} + ", factor(stride));
        inner =
            if inner.is_empty() { all[direction].clone() } else { format!("{inner} * {}", all[direction]) };
    }
    let at = match each {
        1 => at.trim_end_matches(" + ").to_owned(),
        each => format!("{at}number % {each} * {size}"),
    };
    let _ = writeln!(body, "        /* The byte of {array} that this number of its tile is a copy of. */");
    let _ = writeln!(body, "        const long at = {at};");
    let _ = writeln!(body, "        if (at >= {array}_from && at < {array}_to)");
    let read = format!("({space}const {element} *)(({space}const char *){array} + at)");
    let _ = writeln!(body, "            {name}[number] = *{read};\n    }}");
}

/// An expression as a factor of a product.
pub fn factor(text: &str) -> String {
    let is_plain = text.chars().all(|part| part.is_ascii_alphanumeric() || part == '_');
    if is_plain { text.to_owned() } else { format!("({text})") }
}

/// What a thread does for its iteration.
fn iterations(body: &mut String, kernel: &Kernel, threads: &Threads) {
    let mut depth = 1;
    let indent = |depth: usize| "    ".repeat(depth);
    let axis_of = |level: usize| kernel.axes.iter().position(|axis| axis.level == level);
    for (level, found) in threads.levels.iter().enumerate() {
        let Some((axis, name)) = axis_of(level).and_then(|axis| Some((axis, AXES.get(axis)?))) else {
            continue;
        };
        let _ = writeln!(body, "{}const long thread_{name} = first_{name} + lane_{name};", indent(depth));
        let _ = writeln!(body, "{}if (thread_{name} < count_{name}) {{", indent(depth));
        depth += 1;
        let (iterator, of) = (&found.iterator, &found.type_name);
        let step = match found.step {
            1 => format!("thread_{name}"),
            step => format!("{step} * thread_{name}"),
        };
        let first = found.first.trim();
        let value = if first == "0" { step } else { format!("({first}) + {step}") };
        let value = if of == "long" { value } else { format!("({of})({value})") };
        let _ = writeln!(body, "{}{of} {iterator} = {value};", indent(depth));
        if !kernel.axes[axis].is_uniform {
            let _ = writeln!(body, "{}if ({}) {{", indent(depth), found.condition.trim());
            depth += 1;
        }
        body.push_str(&indented(&found.before, depth));
    }
    // A block's own braces are those of the loop.
    let of_block = threads.body.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let text = of_block.unwrap_or(&threads.body);
    if threads.has_continue {
        let _ = writeln!(body, "{}do {{", indent(depth));
        body.push_str(&indented(text, depth + 1));
        let _ = writeln!(body, "{}}} while (0);", indent(depth));
    } else {
        body.push_str(&indented(text, depth));
    }
    for depth in (1..depth).rev() {
        let _ = writeln!(body, "{}}}", indent(depth));
    }
}

/// Lines with an indentation of their own instead of that of the source.
fn indented(text: &str, depth: usize) -> String {
    let space = |line: &str| line.len() - line.trim_start().len();
    let later = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let least = later.map(space).min().unwrap_or(0);
    let mut out = String::new();
    for (place, line) in text.lines().enumerate() {
        let line = if place == 0 { line.trim_start() } else { line.get(least..).unwrap_or("") };
        if !line.trim().is_empty() {
            let _ = writeln!(out, "{}{}", "    ".repeat(depth), line.trim_end());
        }
    }
    out
}
