//! Which loop stands at a position.

use profile::lens::LoopKind;

use super::c;

#[test]
fn by_line() {
    let file = c(
        "void f(int n) {\n  for (int i = 0;\n       i < n;\n       i++)\n  {\n    g();\n  }\n  do {\n    g();\n  } while (n--);\n}\n",
    );
    for line in 2..=4 {
        assert_eq!(file.at(line, None).map(|one| one.at.line), Some(2), "{line}");
    }
    assert!(file.at(6, None).is_none());
    assert_eq!(file.at(8, None).map(|one| one.kind), Some(LoopKind::DoWhile));
    assert_eq!(file.at(10, Some(12)).map(|one| one.kind), Some(LoopKind::DoWhile));
    assert_eq!(file.around(6, None).map(|one| one.at.line), Some(2));
    assert!(file.around(1, None).is_none());
}

#[test]
fn by_column() {
    let file = c("void f(int n) {\nfor (int i = 0; i < n; i++) for (int j = 0; j < n; j++) g();\n}\n");
    assert!(file.at(2, None).is_none());
    assert_eq!(file.at(2, Some(1)).map(|one| one.at.column), Some(1));
    assert_eq!(file.at(2, Some(6)).map(|one| one.at.column), Some(1));
    assert_eq!(file.at(2, Some(29)).map(|one| one.at.column), Some(29));
    assert_eq!(file.at(2, Some(45)).map(|one| one.at.column), Some(29));
    let inner = file.at(2, Some(29)).expect("inner");
    assert_eq!(file.parents(inner).count(), 1);
    assert_eq!(file.index_of(inner), Some(1));
}

#[test]
fn line_ends_and_bytes() {
    let text = "void f(int n) {\r\n  /* \u{fc} */ for (int i = 0; i < n; i++)\r\n    g();\r\n}\r\n";
    let mut bytes = text.replace('\u{fc}', "?").into_bytes();
    for byte in &mut bytes {
        if *byte == b'?' {
            *byte = 0xfc;
        }
    }
    let file = super::super::file(&bytes, profile::lens::Language::C);
    assert!(!file.errors);
    assert_eq!((file.loops[0].at.line, file.loops[0].at.column), (2, 11));
    assert_eq!(file.loops[0].end.line, 3);
}
