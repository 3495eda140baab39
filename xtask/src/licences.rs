//! Licences of all dependencies against the list in `deny.toml`, for machines without cargo-deny.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Fails with the names of all packages whose licence is not allowed.
pub fn check(root: &Path) -> Result<()> {
    let deny: toml::Table = std::fs::read_to_string(root.join("deny.toml")).context("deny.toml")?.parse()?;
    let licenses = deny.get("licenses").context("deny.toml has no licenses")?;
    let allowed = names(licenses.get("allow")).context("deny.toml has no licenses.allow")?;
    let exceptions = exceptions(licenses);
    let output = Command::new("cargo")
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
        ])
        .current_dir(root)
        .output()
        .context("cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let refused: Vec<String> = packages
        .iter()
        .filter(|p| {
            let of_it = exceptions.iter().filter(|(of, _)| p["name"].as_str() == Some(of));
            let allowed: Vec<&str> =
                allowed.iter().chain(of_it.flat_map(|(_, more)| more)).copied().collect();
            !p["license"].as_str().is_some_and(|l| is_allowed(l, &allowed))
        })
        .map(|p| format!("{} {} ({})", p["name"], p["version"], p["license"]))
        .collect();
    if !refused.is_empty() {
        bail!("licences that deny.toml does not allow: {}", refused.join(", "));
    }
    Ok(())
}

/// The strings of an array.
fn names(array: Option<&toml::Value>) -> Option<Vec<&str>> {
    Some(array?.as_array()?.iter().filter_map(|name| name.as_str()).collect())
}

/// Licences that are allowed for one crate alone: `licenses.exceptions`.
fn exceptions(licenses: &toml::Value) -> Vec<(&str, Vec<&str>)> {
    let all = licenses.get("exceptions").and_then(|e| e.as_array());
    all.into_iter()
        .flatten()
        .filter_map(|e| Some((e.get("crate")?.as_str()?, names(e.get("allow"))?)))
        .collect()
}

/// Whether an SPDX expression can be met with the licences allowed. `/` is the old way to write `OR`.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = alternatives(&tokens, &mut at, allowed);
    met && at == tokens.len()
}

fn alternatives(tokens: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let mut met = conjunction(tokens, at, allowed);
    while tokens.get(*at) == Some(&"OR") {
        *at += 1;
        met |= conjunction(tokens, at, allowed);
    }
    met
}

fn conjunction(tokens: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let mut met = licence(tokens, at, allowed);
    while tokens.get(*at) == Some(&"AND") {
        *at += 1;
        met &= licence(tokens, at, allowed);
    }
    met
}

fn licence(tokens: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let Some(&token) = tokens.get(*at) else { return false };
    *at += 1;
    if token == "(" {
        let met = alternatives(tokens, at, allowed);
        let closed = tokens.get(*at) == Some(&")");
        *at += 1;
        return met && closed;
    }
    if tokens.get(*at) == Some(&"WITH")
        && let Some(exception) = tokens.get(*at + 1)
    {
        *at += 2;
        return allowed.contains(&format!("{token} WITH {exception}").as_str());
    }
    allowed.contains(&token)
}

#[cfg(test)]
mod tests {
    use super::{exceptions, is_allowed};

    #[test]
    fn exceptions_are_for_one_crate() {
        let deny: toml::Value =
            toml::from_str("exceptions = [{ crate = 'a', allow = ['CDDL-1.0'] }]").expect("TOML");
        assert_eq!(exceptions(&deny), [("a", vec!["CDDL-1.0"])]);
    }

    #[test]
    fn expressions() {
        let allowed = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
        for yes in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(is_allowed(yes, &allowed), "{yes}");
        }
        for no in ["Apache-2.0", "MIT AND GPL-3.0", "(MIT", "", "Apache-2.0 WITH other", "MIT MIT"] {
            assert!(!is_allowed(no, &allowed), "{no}");
        }
    }
}
