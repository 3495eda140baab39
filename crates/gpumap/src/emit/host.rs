//! What hosts of kernels have in common, whatever their language: how they are used, what they prepare, and what they take over from
//! the source.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use source::types::words;

use super::body::{Text, Words, bytes, ends, text};
use super::kernel::{AXES, Array, Kernel, Tiled};
use crate::offload::Direction;

/// How a kernel is used, and what it rests on.
pub(super) fn usage(kernel: &Kernel) -> String {
    let (first, last) = kernel.lines;
    let mut out = format!("/* Lines {first} to {last} become\n");
    let _ = writeln!(out, "       if ({} != 0) {{", call(kernel));
    let _ = writeln!(
        out,
        "           the loop as it is\n       }}\n   with this declaration before the function:"
    );
    let _ = writeln!(out, "       {};", head(kernel));
    for assumption in &kernel.assumptions {
        let _ = writeln!(out, "   It rests on this: {assumption}.");
    }
    if let Some(why) = &kernel.untiled {
        let _ = writeln!(out, "   Shared memory is advised, but {why}.");
    }
    out += "*/\n";
    out
}

/// A call of the host's function, in the names of the source.
pub fn call(kernel: &Kernel) -> String {
    let scalars = kernel.scalars.iter().map(|scalar| scalar.written.as_str());
    let arrays = kernel.arrays.iter().map(|array| array.written.as_str());
    let arguments: Vec<&str> = scalars.chain(arrays).collect();
    format!("{}({})", kernel.name, arguments.join(", "))
}

/// The head of the host's function.
pub fn head(kernel: &Kernel) -> String {
    let scalars = kernel.scalars.iter().map(|scalar| format!("{} {}", scalar.type_name, scalar.name));
    let arrays = kernel.arrays.iter().map(|array| match array.direction {
        Direction::In => format!("const void *{}", array.name),
        _ => format!("void *{}", array.name),
    });
    let list: Vec<String> = scalars.chain(arrays).collect();
    format!("int {}({})", kernel.name, if list.is_empty() { "void".to_owned() } else { list.join(", ") })
}

/// What stands before names that the language has a meaning for; the memory of an array `a` is `lw_a`.
pub(super) const RENAMED: &str = "lw_c_";

/// Other names for those that the language has a meaning for.
pub(super) fn renamed(texts: &[&str], taken: &[&str]) -> String {
    let used: BTreeSet<&str> = texts.iter().flat_map(|text| words(text)).collect();
    let used = taken.iter().filter(|name| used.contains(*name));
    used.map(|name| format!("#define {name} {RENAMED}{name}\n")).collect()
}

/// Definitions of the source that the text uses, and those that they use.
pub(super) fn used_macros(texts: &[&str], macros: &BTreeMap<String, String>) -> String {
    let mut names: Vec<&str> = texts.iter().flat_map(|text| words(text)).collect();
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    while let Some(name) = names.pop() {
        if let Some((name, text)) = macros.get_key_value(name)
            && found.insert(name, text).is_none()
        {
            names.extend(words(text));
        }
    }
    let mut out = String::new();
    for (name, text) in found {
        let _ = writeln!(out, "#ifndef {name}\n{text}\n#endif");
    }
    out
}

/// All texts of a kernel that come from the source.
pub(super) fn texts(kernel: &Kernel) -> Vec<&str> {
    let both = std::iter::once(&kernel.plain).chain(kernel.tiled.as_ref().map(|tiled| &tiled.threads));
    let mut texts = Vec::new();
    for threads in both {
        texts.push(threads.body.as_str());
        texts.extend(threads.declarations.iter().map(String::as_str));
        for level in &threads.levels {
            texts.extend([level.first.as_str(), &level.condition, &level.before, &level.type_name]);
        }
        for free in &threads.free {
            texts.extend([free.name.as_str(), &free.shape.element]);
        }
    }
    texts
}

/// Declarations of the host: numbers of iterations, sections, and whether there is anything to do.
pub(super) fn prepared(kernel: &Kernel) -> String {
    let mut out = String::new();
    for (axis, name) in kernel.axes.iter().zip(AXES) {
        let _ = writeln!(out, "    const long count_{name} = {};", axis.count);
    }
    for array in &kernel.arrays {
        let (from, to) = ends(array);
        let _ = writeln!(out, "    const long {from} = {}, {to} = {};", array.from, array.to);
    }
    for tile in kernel.tiled.iter().flat_map(|tiled| &tiled.tiles).filter(|tile| tile.bytes.is_none()) {
        let _ = writeln!(out, "    const long {}_bytes = {};", tile.name, bytes(tile));
    }
    let none: Vec<String> =
        (0..kernel.axes.len()).zip(AXES).map(|(_, name)| format!("count_{name} <= 0")).collect();
    let _ = writeln!(out, "    if ({})\n        return 0;", none.join(" || "));
    if !kernel.overlaps.is_empty() {
        out += "    /* The device has copies of its own: arrays that overlap would get different ones. */\n";
    }
    for (a, b) in &kernel.overlaps {
        if let (Some(a), Some(b)) = (kernel.arrays.get(*a), kernel.arrays.get(*b)) {
            let start = |array: &Array, end: String| format!("(const char *){} + {end}", array.name);
            let ((a_from, a_to), (b_from, b_to)) = (ends(a), ends(b));
            let _ = writeln!(
                out,
                "    if ({} < {} && {} < {})\n        return -1;",
                start(a, a_from),
                start(b, b_to),
                start(b, b_from),
                start(a, a_to)
            );
        }
    }
    out
}

/// Whether the tiles fit, in terms of the most bytes that there may be.
pub(super) fn fits(tiled: &Tiled, most: &str) -> String {
    let fixed: u64 = tiled.tiles.iter().filter_map(|tile| tile.bytes).sum();
    let open = tiled.tiles.iter().filter(|tile| tile.bytes.is_none());
    let names: Vec<String> = open.map(|tile| format!("{}_bytes", tile.name)).collect();
    let positive = names.iter().map(|name| format!("{name} > 0 && "));
    let fixed = (fixed > 0).then(|| fixed.to_string());
    let all: Vec<String> = fixed.into_iter().chain(names.iter().cloned()).collect();
    format!("{}{} <= {most}", positive.collect::<String>(), all.join(" + "))
}

/// A version of a kernel: what it is called, and its text.
pub(super) struct Version {
    /// Its name.
    pub(super) name: String,
    /// Parameters and body.
    pub(super) text: Text,
}

/// The versions of a kernel: without tiles, unless tiles always fit, and with them; the former is called so.
pub(super) fn versions(kernel: &Kernel, words: &Words, plain: String) -> (Option<Version>, Option<Version>) {
    let is_fixed = |tiled: &Tiled| tiled.tiles.iter().all(|tile| tile.bytes.is_some());
    let is_always_tiled = kernel.tiled.as_ref().is_some_and(is_fixed);
    let plain = (!is_always_tiled).then(|| Version { name: plain, text: text(kernel, None, words) });
    let tiled = kernel.tiled.as_ref().map(|tiled| Version {
        name: format!("{}_tiled", kernel.name),
        text: text(kernel, Some(tiled), words),
    });
    (plain, tiled)
}

/// Memory of the device for each array, of this type, and whether that failed.
pub(super) fn memories(kernel: &Kernel, of: &str) -> String {
    let mut out = String::new();
    for array in &kernel.arrays {
        let (name, (from, to)) = (&array.name, ends(array));
        let is_copied = i32::from(array.direction != Direction::Out);
        let _ = writeln!(out, "    {of}lw_{name} = lw_memory({name}, {from}, {to}, {is_copied});");
    }
    let missing: Vec<String> =
        kernel.arrays.iter().map(|array| format!("lw_{} == NULL", array.name)).collect();
    let failed = if missing.is_empty() { "0".to_owned() } else { missing.join(" || ") };
    let _ = writeln!(out, "    int lw_failed = {failed};");
    out
}

/// What comes out is copied back.
pub(super) fn copied_back(kernel: &Kernel) -> String {
    let mut out = String::new();
    for array in kernel.arrays.iter().filter(|array| array.direction != Direction::In) {
        let (name, (from, to)) = (&array.name, ends(array));
        let _ = writeln!(out, "    lw_failed = lw_failed || lw_back(lw_{name}, {name}, {from}, {to}) != 0;");
    }
    out
}
