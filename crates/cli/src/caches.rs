//! Sizes of this machine's data caches.

use std::path::Path;

/// Sizes of the data caches that this machine's first processor uses, in bytes, innermost first; none where the kernel does
/// not list them.
pub fn of_this_machine() -> Vec<u64> {
    under(Path::new("/sys/devices/system/cpu/cpu0/cache"))
}

fn under(directory: &Path) -> Vec<u64> {
    let read = |index: usize, name: &str| {
        let text = std::fs::read_to_string(directory.join(format!("index{index}")).join(name)).ok()?;
        Some(text.trim().to_owned())
    };
    let mut levels: Vec<(u64, u64)> = (0..16)
        .filter(|&index| read(index, "type").is_some_and(|kind| kind != "Instruction"))
        .filter_map(|index| Some((read(index, "level")?.parse().ok()?, bytes(&read(index, "size")?)?)))
        .collect();
    levels.sort_unstable();
    levels.into_iter().map(|(_, size)| size).collect()
}

/// `48K` as bytes.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => text.strip_suffix('M').map_or((text, 1), |number| (number, 1 << 20)),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_read_innermost_first() {
        let place = tempfile::tempdir().expect("a directory");
        let put = |index: usize, level: &str, kind: &str, size: &str| {
            let directory = place.path().join(format!("index{index}"));
            std::fs::create_dir(&directory).expect("a directory");
            for (name, text) in [("level", level), ("type", kind), ("size", size)] {
                std::fs::write(directory.join(name), format!("{text}\n")).expect("a file");
            }
        };
        put(0, "1", "Instruction", "32K");
        put(1, "3", "Unified", "105M");
        put(2, "1", "Data", "48K");
        put(3, "2", "Unified", "junk");
        assert_eq!(under(place.path()), [48 << 10, 105 << 20]);
        assert!(under(&place.path().join("none")).is_empty());
        assert_eq!(bytes("99999999999999999999K"), None);
    }
}
