//! Files: languages by name, and why one is not read.

use std::path::Path;
use std::time::{Duration, SystemTime};

use profile::lens::Language;

use super::super::{Unreadable, language_of, read};

#[test]
fn languages() {
    for (name, language) in [
        ("a.c", Some(Language::C)),
        ("a.cc", Some(Language::Cpp)),
        ("a.cu", Some(Language::Cpp)),
        ("a.f", Some(Language::FixedFortran)),
        ("a.F90", Some(Language::Fortran)),
        ("a.rs", Some(Language::Rust)),
        ("a.py", None),
        ("a", None),
    ] {
        assert_eq!(language_of(Path::new(name)), language, "{name}");
    }
}

#[test]
fn refusals() {
    let folder = tempfile::tempdir().expect("folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("file");
        path
    };
    let good = write("good.c", b"void f() { for (;;) ; }");
    let hour = Duration::from_secs(3600);
    assert_eq!(read(&good, None).map(|file| file.loops.len()), Ok(1));
    assert!(read(&good, Some(SystemTime::now() + hour)).is_ok());
    assert_eq!(read(&good, Some(SystemTime::now() - hour)), Err(Unreadable::Newer(good)));
    let missing = folder.path().join("missing.c");
    assert_eq!(read(&missing, None), Err(Unreadable::Missing(missing)));
    let other = write("other.py", b"");
    assert_eq!(read(&other, None), Err(Unreadable::NotSource(other)));
    let binary = write("binary.c", b"\0\0");
    assert_eq!(read(&binary, None), Err(Unreadable::NotText(binary)));
    let large = write("large.c", &vec![b' '; (8 << 20) + 1]);
    assert!(matches!(read(&large, None), Err(Unreadable::TooLarge { bytes: 8_388_609, .. })));
    let directory = folder.path().join("folder.c");
    std::fs::create_dir(&directory).expect("folder");
    assert_eq!(read(&directory, None), Err(Unreadable::NotAFile(directory)));
}

#[test]
fn headers() {
    let folder = tempfile::tempdir().expect("folder");
    let language = |text: &str| {
        let path = folder.path().join("x.h");
        std::fs::write(&path, text).expect("file");
        read(&path, None).map(|file| file.language)
    };
    assert_eq!(language("int f(int n) { for (;;) n++; }"), Ok(Language::C));
    assert_eq!(
        language("template <class T> struct S { T x; void f() { for (auto &y : z) x += y; } };"),
        Ok(Language::Cpp)
    );
}
