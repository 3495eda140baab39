//! Sizes of numbers by their types, as written in C, C++, Fortran and Rust, on a machine where `long` has 64 bits.

/// Size of a number by its type as written, or of those that a container or a pointer leads to.
pub fn bytes(text: &str) -> Option<u32> {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let has = |name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    match () {
        () if has("double") || has("long") || has("int64_t") || has("uint64_t") || has("size_t") => Some(8),
        () if has("f64") || has("i64") || has("u64") || has("usize") => Some(8),
        () if has("char") || has("int8_t") || has("uint8_t") || has("u8") || has("i8") || has("bool") => {
            Some(1)
        }
        () if has("short") || has("int16_t") || has("uint16_t") || has("u16") || has("i16") => Some(2),
        () if has("int") || has("float") || has("unsigned") || has("f32") || has("i32") || has("u32") => {
            Some(4)
        }
        () if has("int32_t") || has("uint32_t") => Some(4),
        () if words.any(|word| word == "8") => Some(8),
        () => None,
    }
}
