//! What Debian packages tests need, and their installation.

use std::process::{Command, Stdio};

/// Programs that tests run, and the Debian package each comes from.
const NEEDED: &[(&str, &str)] = &[
    ("cc", "gcc"),
    ("gcc", "gcc"),
    ("c++", "g++"),
    ("gfortran", "gfortran"),
    ("strip", "binutils"),
    ("bc", "bc"),
    ("chromium", "chromium"),
    ("clang", "clang"),
    ("clang-19", "clang-19"),
    ("opt-19", "llvm-19"),
    ("clang-linker-wrapper-19", "clang-tools-19"),
    // A path is looked for as it is.
    ("/usr/lib/llvm-19/lib/libomptarget.so", "libomp-19-dev"),
    ("/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan-x86_64.a", "libclang-rt-19-dev"),
    ("/usr/include/CL/cl.h", "opencl-c-headers"),
    ("/usr/lib/x86_64-linux-gnu/libOpenCL.so", "ocl-icd-opencl-dev"),
    ("/etc/OpenCL/vendors/pocl.icd", "pocl-opencl-icd"),
    ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    ("riscv64-linux-gnu-gcc", "gcc-riscv64-linux-gnu"),
    ("/usr/aarch64-linux-gnu/lib/libc.so.6", "libc6-dev-arm64-cross"),
    ("/usr/riscv64-linux-gnu/lib/libc.so.6", "libc6-dev-riscv64-cross"),
    ("qemu-aarch64", "qemu-user"),
    ("dpkg-shlibdeps", "dpkg-dev"),
    ("git", "git"),
    ("make", "make"),
    ("openssl", "openssl"),
    ("perl", "perl"),
    ("ps", "procps"),
    ("python3", "python3"),
    ("sqlite3", "sqlite3"),
    ("ld.gold", "binutils"),
    ("ld.lld", "lld"),
    ("ld.mold", "mold"),
    ("valgrind", "valgrind"),
    ("xz", "xz-utils"),
];

/// Installs what is missing; returns why it cannot, if it cannot.
pub fn install() -> Result<(), String> {
    let mut packages: Vec<&str> = NEEDED.iter().filter(|(p, _)| !is_installed(p)).map(|&(_, p)| p).collect();
    // A module of Python that Debian packages apart.
    if !succeeds(
        Command::new("python3").args(["-c", "import ensurepip"]).stdout(Stdio::null()).stderr(Stdio::null()),
    ) {
        packages.push("python3-venv");
    }
    if packages.is_empty() {
        return Ok(());
    }
    let missing = packages.join(" ");
    let user = Command::new("id").arg("-u").output().map(|output| output.stdout).unwrap_or_default();
    if user.trim_ascii() != b"0" || !is_installed("apt-get") {
        return Err(format!("tests need more than is installed; install it with: apt-get install {missing}"));
    }
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--quiet", "--no-install-recommends"]).args(&packages);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    let is_done = succeeds(Command::new("apt-get").args(["update", "--quiet"])) && succeeds(&mut install);
    if is_done { Ok(()) } else { Err(format!("apt-get install {missing}: failed")) }
}

fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

/// Whether PATH has a program. (Not all of them know `--version`.)
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}
