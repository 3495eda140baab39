//! Inputs for programs, the same on every machine.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Result;

/// Numbers that anyone can make again: x ← 6364136223846793005·x + 1442695040888963407, its upper half.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Writes all of them into a directory.
pub fn write(to: &Path) -> Result<()> {
    let mut random = Random(1);
    fs::write(to.join("words.txt"), words(&mut random))?;
    let numbers: String = (0..100_000).map(|_| format!("{}\n", random.below(1_000_000))).collect();
    fs::write(to.join("numbers.txt"), numbers)?;
    // Half noise, half repetition.
    let data: Vec<u8> =
        (0..8 << 20).map(|at| if at & 64 == 0 { random.below(256) as u8 } else { (at >> 8) as u8 }).collect();
    fs::write(to.join("data.bin"), data)?;
    fs::write(to.join("sum.c"), "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 3); return 0; }\n")?;
    fs::write(to.join("big.c"), code())?;
    fs::write(to.join("image.ppm"), image(&mut random))?;
    fs::write(to.join("sound.wav"), sound(&mut random))?;
    Ok(())
}

/// Lines of made-up words.
fn words(random: &mut Random) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "da", "ka", "li", "mo", "ne", "pu", "ra", "so", "ti", "ul", "ver", "wen", "ar", "est", "ing"];
    let mut out = String::new();
    for _ in 0..100_000 {
        for word in 0..3 + random.below(7) {
            out.push_str(if word > 0 { " " } else { "" });
            for _ in 0..1 + random.below(4) {
                out.push_str(SYLLABLES[random.below(16) as usize]);
            }
        }
        out.push('\n');
    }
    out
}

/// A C source with loops, calls and conditions.
fn code() -> String {
    let mut out = String::from("int a[100][100], b[100];\n");
    for k in 0..60 {
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "int f{k}(int n, int *p)\n{{\n    int s = {k};\n    for (int i = 0; i < n; i++) {{\n        \
             for (int j = 0; j < i; j++)\n            a[i % 100][j % 100] += b[(i * {k} + j) % 100] * p[j];\n        \
             if (p[i] > {k}) s += p[i] / (i + 1); else s ^= p[i] << {};\n    }}\n    return {};\n}}\n",
            k % 7,
            if k > 0 { format!("s + f{}(n - 1, p)", k - 1) } else { "s".to_owned() },
        );
    }
    out
}

/// A picture of 1536 x 1152 points: slopes and noise.
fn image(random: &mut Random) -> Vec<u8> {
    let mut out = b"P6\n1536 1152\n255\n".to_vec();
    for y in 0..1152u64 {
        for x in 0..1536u64 {
            out.extend(
                [x / 6, (y * 2 / 9) & 255, ((x ^ y) & 127) + random.below(32)].map(|value| value as u8),
            );
        }
    }
    out
}

/// A minute of two tones and noise: 44,100 samples a second of 16 bits, one channel.
fn sound(random: &mut Random) -> Vec<u8> {
    const SAMPLES: u32 = 60 * 44_100;
    let bytes = 2 * SAMPLES;
    let mut out = b"RIFF".to_vec();
    out.extend((36 + bytes).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    out.extend(44_100u32.to_le_bytes());
    out.extend(88_200u32.to_le_bytes());
    out.extend(b"\x02\0\x10\0data");
    out.extend(bytes.to_le_bytes());
    for at in 0..SAMPLES {
        let triangle = |period: u32| i32::try_from((at % period).abs_diff(period / 2)).unwrap_or(0);
        let sample = 40 * triangle(200) + 25 * triangle(317) + random.below(400) as i32 - 5000;
        out.extend((sample.clamp(-32_000, 32_000) as i16).to_le_bytes());
    }
    out
}
