//! Files: languages by name, and why one is not read.

use std::path::Path;
use std::time::{Duration, SystemTime};

use profile::lens::Language;

use profile::lens::FileLoops;

use super::super::{Modules, Reader, Unreadable, language_of};

fn read(path: &Path, built: Option<SystemTime>) -> Result<FileLoops, Unreadable> {
    Reader { built, ..Reader::default() }.read(path)
}

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

/// What headers declare is known in the files that include them, whatever stands in between; what other files do is not.
#[test]
fn declarations_of_headers() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("other")).expect("folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("file");
        path
    };
    write("types.h", "#include \"main.h\"\ntypedef double Real;\n#include \"types.h\"\n");
    write(
        "other/tools.h",
        "# include \"deep.h\"\nstatic inline Real half(Real x) { return deep(x) / 2; }\n#define TWICE(x) (2 * (x))\n",
    );
    write("other/deep.h", "static Real deep(Real x) { last = x; return far(x); }\nextern Real last;\n");
    let main = write(
        "main.c",
        "#include \"types.h\"\n#include <stdio.h>\n#include \"tools.h\"\n#include \"missing.h\"\n\
         void f(int n, double *a) {\n for (int i = 0; i < n; i++) a[i] = TWICE(Real(1)) + half(a[i]);\n}\n",
    );
    let names = |directories: Vec<std::path::PathBuf>, built| {
        let file = Reader { built, directories, ..Reader::default() }.read(&main).expect("file");
        let [one] = &file.loops[..] else { panic!("{:?}", file.loops) };
        let shared = one.scalars.iter().filter(|scalar| !scalar.shared.is_empty());
        let shared: Vec<_> = shared.map(|scalar| scalar.name.clone()).collect();
        let calls = one.calls.iter().flat_map(|call| call.elsewhere.clone());
        (calls.collect::<Vec<_>>(), shared)
    };
    let texts = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
    let other = vec![folder.path().join("other")];
    // `half` calls `deep`, which writes `last` and calls `far`.
    assert_eq!(names(other.clone(), None), (texts(&["far"]), texts(&["last"])));
    // Where the headers are not found, nothing is known of what they declare.
    assert_eq!(names(Vec::new(), None), (texts(&["TWICE", "half"]), texts(&[])));
    let hour = Duration::from_secs(3600);
    std::fs::File::options()
        .write(true)
        .open(folder.path().join("other/tools.h"))
        .and_then(|file| file.set_modified(SystemTime::now() + hour))
        .expect("time");
    // Nor of one that was changed after the program was built.
    let built = Some(SystemTime::now() + hour / 2);
    assert_eq!(names(other, built), (texts(&["TWICE", "half"]), texts(&[])));
}

/// Texts that Fortran includes, in texts that it includes, and modules of other files.
#[test]
fn what_other_files_of_fortran_declare() {
    let folder = tempfile::tempdir().expect("folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("file");
        path
    };
    write("sizes.h", "      integer n\n      parameter (n=9)\n");
    write(
        "fields.h",
        "      include 'sizes.h'\nc a comment\n      double precision u(n), v(n)\n      common /fields/ u,\n     >                v\n      double precision w(n)\n      common /own/ w\nc$omp threadprivate(/own/)\n",
    );
    let main = write(
        "main.f",
        "      subroutine f\n      include 'fields.h'\n      integer i\n      do i = 2, n\n         w(i) = u(i-1) +\n     >          u(i)\n         v(i) = w(i)\n      end do\n      end\n",
    );
    let reader = Reader::default();
    let loops = reader.read(&main).expect("loops");
    let one = &loops.loops[0];
    assert!(one.calls.is_empty(), "{:?}", one.calls);
    assert_eq!(one.arrays.len(), 3);
    assert_eq!(one.thread_locals, [("w".to_owned(), 6)]);
    let module = write("store.f90", "module store\n  include 'more.inc'\n  real :: q(7)\nend module\n");
    write("more.inc", "real :: p(7)\n");
    let user = write(
        "user.f90",
        "subroutine g(n)\n  use store, p1 => p\n  integer :: n, i\n  do i = 1, n\n    q(i) = p1(i)\n  end do\nend subroutine\n",
    );
    assert_eq!(reader.read(&user).expect("loops").loops[0].calls.len(), 1);
    let mut modules = Modules::default();
    modules.read(&module, &reader).expect("module");
    let reader = Reader { modules, ..Reader::default() };
    let loops = reader.read(&user).expect("loops");
    assert!(loops.loops[0].calls.is_empty(), "{:?}", loops.loops[0].calls);
}

/// What headers do to macros holds from where they are included, each time that they are.
#[test]
fn headers_change_macros_at_their_place() {
    let folder = tempfile::tempdir().expect("folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("file");
    write("change.h", "#undef MODE\n#define MODE 2\n");
    write("once.h", "#ifndef ONCE_H\n#define ONCE_H\n#define MODE 2\n#endif\n");
    write(
        "by_mode.h",
        "#if MODE == 1\n#undef MODE\n#define MODE 2\n#else\n#undef MODE\n#define MODE 1\n#endif\n",
    );
    write("itself.h", "#include \"itself.h\"\n");
    let main = folder.path().join("main.c");
    let is_two = |before: &str, directories: &[std::path::PathBuf]| {
        let text = format!(
            "{before}\nvoid f(double *a) {{\nfor (int i = 0; i < 9; i++) {{\n#if MODE == 2\na[i] = 2;\n#else\na[i] = 1;\n#endif\n}}\n}}\n"
        );
        std::fs::write(&main, &text).expect("file");
        let file =
            Reader { directories: directories.to_vec(), ..Reader::default() }.read(&main).expect("file");
        let lines = |of: &[(u32, u32)]| of.iter().flat_map(|own| own.0..=own.1).collect::<Vec<u32>>();
        let first = before.lines().count() as u32 + 4;
        match (lines(&file.left_out).contains(&first), lines(&file.left_out).contains(&(first + 2))) {
            (false, false) => None,
            (is_first_out, _) => Some(!is_first_out),
        }
    };
    let none = &[][..];
    for (before, expected) in [
        ("#define MODE 1\n#include \"change.h\"", Some(true)),
        ("#include \"change.h\"\n#undef MODE\n#define MODE 1", Some(false)),
        ("#include \"once.h\"\n#undef MODE\n#define MODE 1\n#include \"once.h\"", Some(false)),
        (
            "#define MODE 1\n#include \"by_mode.h\"\n#include \"by_mode.h\"\n#include \"by_mode.h\"",
            Some(true),
        ),
        ("#define MODE 1\n#ifdef A\n#include \"change.h\"\n#endif", None),
        ("#define MODE 2\n#include \"missing.h\"", None),
        ("#define MODE 2\n#include <missing/nowhere.h>", None),
        ("#define MODE 2\n#include \"itself.h\"", None),
        // It may have been included by the one that cannot be read.
        ("#include \"missing.h\"\n#undef MODE\n#define MODE 1\n#include \"once.h\"", None),
        ("#define MODE 2\n#include <stdio.h>", Some(true)),
    ] {
        assert_eq!(is_two(before, none), expected, "{before}");
    }
    // In a directory of the program, and in two of them.
    let others = ["one", "two"].map(|name| folder.path().join(name));
    for (directory, mode) in others.iter().zip([2, 1]) {
        std::fs::create_dir(directory).expect("folder");
        std::fs::write(directory.join("apart.h"), format!("#define MODE {mode}\n")).expect("file");
    }
    assert_eq!(is_two("#include <apart.h>", &others[..1]), Some(true));
    assert_eq!(is_two("#include <apart.h>", &others), None);
}
