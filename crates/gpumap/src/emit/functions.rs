//! Functions that a device computes in another way than the processor does.
//!
//! Addition, multiplication, division and square roots are rounded as IEEE 754 says on both sides; so are functions whose result is always
//! a number that can be written down, such as `floor` and `fmod`. Others come from a library of the device and differ in the last digits.
//!
//! Source: CUDA C++ Programming Guide, "Mathematical Functions", table of errors; OpenCL C 3.0, "Relative error as ULPs".

use super::host::texts;
use super::kernel::Kernel;

/// Functions with an error, in their versions for `float` too.
const INEXACT: [&str; 36] = [
    "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atan2", "atanh", "atanpi", "cbrt", "cos",
    "cosh", "cospi", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "hypot", "j0", "j1", "lgamma", "log",
    "log10", "log1p", "log2", "pow", "sin", "sincos", "sinh", "sinpi", "tan", "tanh", "tgamma",
];

impl Kernel {
    /// Whether its numbers may differ from those of its loops in the last digits.
    pub fn is_inexact(&self) -> bool {
        texts(self).into_iter().any(|text| called(text).any(is_inexact))
    }
}

fn is_inexact(function: &str) -> bool {
    INEXACT.contains(&function) || function.strip_suffix('f').is_some_and(|of| INEXACT.contains(&of))
}

/// What a parenthesis stands behind.
fn called(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let before = text.split('(').map(str::trim_end);
    before.filter_map(move |before| before.rsplit(|character| !is_part(character)).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_device_are_known_by_their_calls() {
        let any = |text: &str| called(text).any(is_inexact);
        assert!(any("a[i] = 2 * expf (b[i]);"));
        assert!(any("a[i] = fabs(pow(b[i], 2));"));
        assert!(!any("a[i] = exp + sqrt(floor(b[exp]));"));
    }
}
