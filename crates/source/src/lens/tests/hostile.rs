//! Any bytes are answered, soon, without a panic.

use std::time::{Duration, Instant};

use profile::lens::Language;
use proptest::prelude::*;

const LANGUAGES: [Language; 5] =
    [Language::C, Language::Cpp, Language::Fortran, Language::FixedFortran, Language::Rust];

/// Far more than any of these inputs takes.
const SOON: Duration = Duration::from_secs(30);

fn soon(text: &[u8], language: Language) -> profile::lens::FileLoops {
    let began = Instant::now();
    let file = super::super::file(text, language);
    let took = began.elapsed();
    assert!(took < SOON, "{language:?}, {} bytes: {took:?}", text.len());
    for one in &file.loops {
        assert!(one.at <= one.end, "{one:?}");
        assert!(one.parent.is_none_or(|parent| (parent as usize) < file.loops.len()));
    }
    file
}

fn repeated(before: &str, middle: &str, after: &str, times: usize) -> Vec<u8> {
    [before.repeat(times), middle.to_owned(), after.repeat(times)].concat().into_bytes()
}

#[test]
fn deep_nesting() {
    let around = |inner: Vec<u8>| {
        [b"int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += ".as_slice(), &inner, b"; return s; }"]
            .concat()
    };
    for times in [500, 30_000] {
        for language in [Language::C, Language::Cpp] {
            soon(&around(repeated("(", "i", ")", times)), language);
            soon(&around(repeated("-", "i", "", times)), language);
            soon(&around(repeated("i + ", "i", "", times)), language);
            soon(&around(repeated("f(", "i", ")", times)), language);
            soon(&repeated("{", "int x;", "}", times), language);
            soon(&repeated("int f() {", "x();", "}", times), language);
            soon(&repeated("(", "", "", times), language);
            soon(&repeated("[", "", "", times), language);
        }
        soon(&repeated("fn f() {", "x();", "}", times), Language::Rust);
        soon(
            &[b"fn f() { for i in 0..n { s += ".as_slice(), &repeated("(", "i", ")", times), b"} }"].concat(),
            Language::Rust,
        );
        soon(&[b"fn f() { m!".as_slice(), &repeated("(", "for", ")", times), b"}"].concat(), Language::Rust);
        soon(
            &[b"do i = 1, n\n s = s + ".as_slice(), &repeated("(", "i", ")", times), b"\nend do\n"].concat(),
            Language::Fortran,
        );
    }
}

#[test]
fn nested_loops() {
    let times = 3_000;
    for language in [Language::C, Language::Cpp] {
        let text = repeated("for (int i = 0; i < n; i++) {", "s += a[i];", "}", times);
        let file = soon(&[b"void f(int n, int *a) { int s = 0; ".as_slice(), &text, b"}"].concat(), language);
        assert!(file.cut_short);
        assert!(file.loops[0].errors);
        soon(
            &[b"void f() {".as_slice(), &repeated("if (x) s = 1; else ", ";", "", times), b"}"].concat(),
            language,
        );
        soon(&[b"void f() {".as_slice(), &repeated("while (x) ", ";", "", times), b"}"].concat(), language);
        soon(&repeated("#if X\n", "int x;\n", "#endif\n", times), language);
        soon(&repeated("namespace a {", "", "}", times), language);
    }
    soon(
        &[b"fn f() {".as_slice(), &repeated("for i in 0..n {", "", "}", times), b"}"].concat(),
        Language::Rust,
    );
    soon(&repeated("do i = 1, n\n", "s = s + 1\n", "end do\n", times), Language::Fortran);
    soon(&repeated("module m\ncontains\n", "", "end module\n", times), Language::Fortran);
}

#[test]
fn long_function() {
    let line = "for (i = 0; i < n; i++) { a[i] = b[i] + s; s += a[i]; if (s > t) t = s; }\n";
    let text =
        format!("void f(int n, double *a, double *b) {{ int i; double s, t; {}}}", line.repeat(12_000));
    let file = soon(text.as_bytes(), Language::C);
    assert_eq!(file.loops.len(), 12_000);
}

#[test]
fn truncated() {
    let texts: [(&str, Language); 5] = [
        (include_str!("samples/all.c"), Language::C),
        (include_str!("samples/all.cpp"), Language::Cpp),
        (include_str!("samples/all.f90"), Language::Fortran),
        (include_str!("samples/all.f"), Language::FixedFortran),
        (include_str!("samples/all.rs.txt"), Language::Rust),
    ];
    for (text, language) in texts {
        for end in 0..text.len() {
            soon(&text.as_bytes()[..end], language);
        }
        for start in (0..text.len()).step_by(7) {
            soon(&text.as_bytes()[start..], language);
        }
    }
}

#[test]
fn in_other_languages() {
    for text in
        [include_str!("samples/all.c"), include_str!("samples/all.f90"), include_str!("samples/all.rs.txt")]
    {
        for language in LANGUAGES {
            soon(text.as_bytes(), language);
            soon(text.replace('\n', "\r\n").as_bytes(), language);
            soon(text.replace('\n', "\r").as_bytes(), language);
        }
    }
}

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let words = prop_oneof![
        "for|while|do|if|else|switch|case|break|continue|return|goto|end|fn|let|loop|in|match|call|contains",
        "int |double |static |auto&? |mut |subroutine f|#define A |#if X\n|#endif\n|#else\n|!\\$omp do\n|#pragma omp for\n",
        "[ijkns]|a\\[i\\]|a\\(i\\)|[0-9]{1,3}|x->y|\\*p|&x|\\+\\+|--|\\+=|=|<|>|\\.\\.|\\||\\|x\\||\\.iter\\(\\)|\\.sum\\(\\)|!|\\?",
        "[\\(\\)\\{\\}\\[\\];,:\n \"']",
    ];
    let raw = proptest::collection::vec(any::<u8>(), 0..8);
    let part = prop_oneof![8 => words.prop_map(String::into_bytes), 1 => raw];
    proptest::collection::vec(part, 0..120).prop_map(|parts| parts.join(&b' '))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        for language in LANGUAGES {
            soon(&bytes, language);
        }
    }

    #[test]
    fn random_pieces(bytes in pieces()) {
        for language in LANGUAGES {
            soon(&bytes, language);
        }
    }
}
