//! What a crate needs to be published: checked in a second, without building anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::ci;
use crate::product::checked;

/// The crate that people install.
const COMMAND: &str = "loopwright";

/// Files that every packed crate has.
const EVERYWHERE: [&str; 3] = ["Cargo.toml", "LICENSE-MIT", "LICENSE-APACHE"];

/// What a source takes from other files while it is compiled, up to the name of the file.
const INCLUDES: [&str; 3] = ["include_str!(\"", "include_bytes!(\"", "#[path = \""];

/// The command's crate and those of the workspace that it needs, by cargo's account of them.
pub fn published() -> Result<Vec<String>> {
    let metadata = metadata(&["--no-deps"])?;
    let all = by_name(&metadata)?;
    let mut found = BTreeSet::new();
    let mut open = vec![COMMAND];
    while let Some(name) = open.pop() {
        if !found.insert(name.to_owned()) {
            continue;
        }
        let package = all.get(name).with_context(|| format!("the workspace has no crate {name}"))?;
        open.extend(
            needed(package).filter_map(|one| one["name"].as_str()).filter(|one| all.contains_key(one)),
        );
    }
    Ok(found.into_iter().collect())
}

/// Checks that the crates can be published and that what is packed of each is complete.
///
/// # Errors
/// All that is wrong, a line each.
pub fn check() -> Result<()> {
    let metadata = metadata(&[])?;
    let all = by_name(&metadata)?;
    let crates = published()?;
    let mut wrong = Vec::new();
    for name in &crates {
        let package = all.get(name.as_str()).with_context(|| format!("the workspace has no crate {name}"))?;
        wrong.extend(faults(package, &crates).into_iter().map(|fault| format!("{name}: {fault}")));
        wrong.extend(missing(package)?.into_iter().map(|fault| format!("{name}: {fault}")));
    }
    let least = all[COMMAND]["rust_version"].as_str().context("the workspace names no version of Rust")?;
    let others = metadata["packages"].as_array().into_iter().flatten();
    for package in
        others.filter(|package| package["rust_version"].as_str().is_some_and(|own| is_newer(own, least)))
    {
        wrong.push(format!("{} needs Rust {}, not {least}", package["name"], package["rust_version"]));
    }
    if wrong.is_empty() { Ok(()) } else { bail!("{}", wrong.join("\n")) }
}

fn metadata(more: &[&str]) -> Result<Value> {
    let mut command = ci::cargo_itself();
    command.args(["metadata", "--format-version", "1", "--locked"]).args(more);
    command.args(["--filter-platform", super::TARGET]);
    serde_json::from_slice(&checked(&mut command)?).context("cargo metadata")
}

fn by_name(metadata: &Value) -> Result<BTreeMap<&str, &Value>> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let own = packages.iter().filter(|package| package["source"].is_null());
    Ok(own.filter_map(|package| Some((package["name"].as_str()?, package))).collect())
}

/// What users of a crate compile with it: all dependencies but those of its tests.
fn needed(package: &Value) -> impl Iterator<Item = &Value> {
    package["dependencies"].as_array().into_iter().flatten().filter(|one| one["kind"] != "dev")
}

/// What the manifest of a crate lacks.
fn faults(package: &Value, published: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    if !package["publish"].is_null() {
        out.push("it is needed by what is published and may not be published itself".to_owned());
    }
    let lacking =
        ["description", "license", "rust_version"].into_iter().filter(|field| package[*field].is_null());
    out.extend(lacking.map(|field| format!("it has no {field}")));
    let wanted = format!("={}", package["version"].as_str().unwrap_or_default());
    let own = needed(package).filter(|one| published.iter().any(|name| one["name"] == **name));
    let wrong = own.filter(|one| one["req"] != *wanted);
    out.extend(wrong.map(|one| format!("it takes {} of version {}, not {wanted}", one["name"], one["req"])));
    out
}

/// Files that a crate needs and that cargo does not pack.
fn missing(package: &Value) -> Result<Vec<String>> {
    let name = package["name"].as_str().context("a crate without a name")?;
    let root = package["manifest_path"].as_str().and_then(|path| Path::new(path).parent());
    let root = root.with_context(|| format!("{name} lies nowhere"))?;
    let mut list = ci::cargo_itself();
    list.args(["package", "--locked", "--allow-dirty", "--list", "--package", name]);
    let packed = String::from_utf8(checked(&mut list)?)?;
    let packed: BTreeSet<PathBuf> = packed.lines().map(PathBuf::from).collect();
    let mut wanted: BTreeSet<PathBuf> = EVERYWHERE.iter().map(PathBuf::from).collect();
    for file in packed.iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
        let text = std::fs::read_to_string(root.join(file)).with_context(|| file.display().to_string())?;
        let folder = file.parent().unwrap_or(Path::new(""));
        wanted.extend(included(&text).into_iter().map(|name| plain(&folder.join(name))));
    }
    let lacking = wanted.difference(&packed);
    Ok(lacking.map(|file| format!("the packed crate lacks {}", file.display())).collect())
}

/// The files that a source names for the compiler, relative to its folder.
fn included(text: &str) -> Vec<&str> {
    let after = |start: &'static str| text.match_indices(start).map(move |(at, _)| &text[at + start.len()..]);
    INCLUDES.into_iter().flat_map(after).filter_map(|rest| Some(rest.split_once('"')?.0)).collect()
}

/// A relative path without `.` and, as far as it has a folder to leave, without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Whether a version of Rust is newer than another.
fn is_newer(one: &str, other: &str) -> bool {
    let numbers = |text: &str| {
        let mut parts = text.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        [(); 3].map(|()| parts.next().unwrap_or(0))
    };
    numbers(one) > numbers(other)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use serde_json::json;

    use super::{faults, included, is_newer, plain};

    #[test]
    fn files_that_a_source_includes() {
        let text = "const A: &str = include_str!(\"../a.c\");\n#[path = \"../plugin/b.rs\"]\nmod b;\ninclude_bytes!(c)";
        assert_eq!(included(text), ["../a.c", "../plugin/b.rs"]);
        assert_eq!(plain(Path::new("src/x/../../a.c")), PathBuf::from("a.c"));
        assert_eq!(plain(Path::new("src/../../a.c")), PathBuf::from("../a.c"));
    }

    #[test]
    fn manifests_that_cannot_be_published() {
        let of = |publish: serde_json::Value, version: &str| {
            json!({ "publish": publish, "description": "d", "license": "MIT", "rust_version": "1.0", "version": "0.2.0",
                "dependencies": [{ "name": "b", "req": version, "kind": null }, { "name": "b", "req": "*", "kind": "dev" }] })
        };
        let published = ["b".to_owned()];
        assert!(faults(&of(json!(null), "=0.2.0"), &published).is_empty());
        assert_eq!(faults(&of(json!(null), "*"), &published).len(), 1);
        assert_eq!(faults(&of(json!([]), "=0.1.0"), &published).len(), 2);
    }

    #[test]
    fn versions() {
        assert!(is_newer("1.96", "1.95") && is_newer("1.95.1", "1.95") && is_newer("1.100", "1.95"));
        assert!(!is_newer("1.95.0", "1.95") && !is_newer("1.85.1", "1.95"));
    }
}
