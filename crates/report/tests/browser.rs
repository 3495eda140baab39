//! Pages in Chromium: nothing fails, nothing is fetched, and searching, clicking and keys do what they say.
//!
//! Chromium is spoken to over the two pipes of its debugging protocol. Without it these tests are skipped, and say so;
//! `cargo xtask ci` installs it. Screenshots stay in the directory for temporary files of cargo's target directory.

use crate::support;

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use report::html::{Options, SourceText, Sources, page};
use rustix::fs::{CWD, Mode};
use schedule::synthetic::{Shape, profile};
use serde_json::{Value, json};

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(90);

/// A browser with one page.
struct Browser {
    process: Child,
    requests: File,
    answers: Receiver<Value>,
    session: String,
    next: u64,
    /// Errors on the console, exceptions, and whatever was fetched beside the page.
    complaints: Vec<String>,
    _directory: tempfile::TempDir,
}

impl Browser {
    /// Starts it; `None` where it is not installed.
    fn start() -> Option<Browser> {
        let installed =
            std::env::split_paths(&std::env::var_os("PATH")?).any(|d| d.join("chromium").is_file());
        if !installed {
            eprintln!(
                "skipped: chromium is not installed (apt-get install chromium, or let cargo xtask ci do it)"
            );
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let pipe = |name: &str| {
            let path = directory.path().join(name);
            rustix::fs::mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
            path
        };
        let (requests, answers) = (pipe("requests"), pipe("answers"));
        let process = Command::new("sh")
            .args(["-c", "exec chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-extensions \
                          --disable-background-networking --remote-debugging-pipe --user-data-dir=\"$1\" about:blank \
                          3<\"$2\" 4>\"$3\"", "sh"])
            .arg(directory.path().join("user"))
            .args([&requests, &answers])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let requests = File::options().write(true).open(requests).unwrap();
        let reader = BufReader::new(File::open(answers).unwrap());
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for message in reader.split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { break };
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            process,
            requests,
            answers,
            session: String::new(),
            next: 0,
            complaints: Vec::new(),
            _directory: directory,
        };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session = browser.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = session["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    fn receive(&mut self) -> Value {
        let message = self.answers.recv_timeout(PATIENCE).expect("chromium answers");
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.complaints.push(params.to_string()),
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                self.complaints.push(params.to_string());
            }
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => {
                self.complaints.push(params.to_string());
            }
            Some("Network.requestWillBeSent") if params["type"] != "Document" => {
                self.complaints.push(format!("fetched {}", params["request"]["url"]));
            }
            _ => {}
        }
        message
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut request = json!({ "id": self.next, "method": method, "params": params });
        if !self.session.is_empty() {
            request["sessionId"] = self.session.clone().into();
        }
        let mut bytes = request.to_string().into_bytes();
        bytes.push(0);
        self.requests.write_all(&bytes).unwrap();
        loop {
            let message = self.receive();
            if message["id"] == self.next {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    fn open(&mut self, path: &Path, (width, height): (u32, u32), scheme: &str) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", size);
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.ask("Emulation.setEmulatedMedia", media);
        self.ask("Page.navigate", json!({ "url": format!("file://{}", path.display()) }));
        while self.receive()["method"] != "Page.loadEventFired" {}
    }

    /// The value of an expression on the page.
    fn value(&mut self, expression: &str) -> Value {
        let of = self.ask("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(of.get("exceptionDetails").is_none(), "{expression}: {of}");
        of["result"]["value"].clone()
    }

    fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap().to_owned()
    }

    /// Clicks in the middle of an element.
    fn click(&mut self, element: &str) {
        let place = self.value(&format!(
            "(() => {{ const e = {element}; e.scrollIntoView({{ block: 'center' }}); const r = e.getBoundingClientRect(); \
             return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event =
                json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.ask("Input.dispatchMouseEvent", event);
        }
    }

    fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.ask("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key }));
        }
    }

    fn write(&mut self, text: &str) {
        self.ask("Input.insertText", json!({ "text": text }));
    }

    /// Keeps what the window shows, and gives the number of its bytes.
    fn screenshot(&mut self, name: &str) -> usize {
        let data = self.ask("Page.captureScreenshot", json!({ "format": "png" }))["data"].clone();
        let bytes = base64(data.as_str().unwrap());
        std::fs::write(kept(name), &bytes).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"));
        bytes.len()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Where a file stays after the test.
fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let value = |c: u8| LETTERS.iter().position(|l| *l == c).map(|v| v as u32);
    let mut out = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for v in text.bytes().filter_map(value) {
        (bits, count) = (bits << 6 | v, count + 6);
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

fn write_page(name: &str, text: &str) -> PathBuf {
    let path = kept(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_reader_searches_clicks_and_moves() {
    let Some(mut browser) = Browser::start() else { return };
    let program = profile(Shape::Stencil, 6);
    let lines: Vec<String> = (1..=40).map(|k| format!("  line {k} <of> the \"source\" & more")).collect();
    let text = SourceText { text: lines.join("\n"), is_newer: true };
    let sources: Sources = [("made_up.c".to_owned(), text)].into();
    let html = page(&report::report(&program), &sources, Options { nests: 12 });
    let path = write_page("page.html", &html);

    browser.open(&path, (1400, 2400), "light");
    browser.screenshot("page-light.png");
    assert_eq!(browser.value("document.querySelectorAll('#flame .frame').length"), 14);
    assert_eq!(browser.value("document.querySelectorAll('#table tr').length"), 13);
    assert!(
        browser.text("document.querySelector('.line code').textContent").contains("<of> the \"source\" &")
    );
    assert!(browser.value("document.querySelectorAll('svg.domain .arrow').length").as_u64().unwrap() > 0);

    // Looking for a loop marks it and adds up its share; its loops inside are not counted twice.
    browser.click("document.getElementById('search')");
    browser.write("made_up:2");
    let found = browser.text("document.getElementById('found').textContent");
    assert!(found.starts_with("1 found, 16.7 %"), "{found}");
    assert_eq!(browser.value("document.querySelectorAll('#flame .frame.hit').length"), 1);
    assert_eq!(browser.value("document.querySelectorAll('#flame .frame.dim').length"), 13);
    browser.screenshot("page-search.png");

    // A click makes it as wide as the tree, and says what is known of it.
    let width = "document.querySelector('.frame.hit rect').getBoundingClientRect().width";
    let before = browser.value(width).as_f64().unwrap();
    browser.click("document.querySelector('.frame.hit rect')");
    let after = browser.value(width).as_f64().unwrap();
    assert!(after > 4.0 * before, "{before} to {after}");
    let detail = browser.text("document.getElementById('detail').textContent");
    assert!(detail.contains("made_up.c:made_up:2") && detail.contains("parallel loop"), "{detail}");
    assert_eq!(browser.value("document.querySelectorAll('#path button').length"), 3);

    // Keys: the loop inside, then back to everything.
    browser.value("document.getElementById('flame').focus()");
    browser.key("ArrowDown");
    let detail = browser.text("document.getElementById('detail').textContent");
    assert!(detail.contains("made_up.c:made_up:3"), "{detail}");
    browser.key("Escape");
    assert_eq!(browser.value("document.querySelectorAll('#path button').length"), 1);
    browser.key("/");
    assert_eq!(browser.value("document.activeElement.id"), "search");

    // The table is filtered by verdict.
    browser.click("document.getElementById('filter')");
    browser.write("=N");
    assert_eq!(browser.value("document.querySelectorAll('#table tr').length"), 1);

    browser.open(&path, (1400, 2400), "dark");
    let dark = browser.text("getComputedStyle(document.body).backgroundColor");
    assert_eq!(dark, "rgb(22, 24, 28)");
    browser.screenshot("page-dark.png");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn names_that_are_markup_stay_text() {
    let Some(mut browser) = Browser::start() else { return };
    let program = support::hostile();
    let html = page(&report::report(&program), &support::hostile_sources(), Options { nests: 12 });
    browser.open(&write_page("hostile.html", &html), (1400, 2000), "light");
    browser.screenshot("hostile.png");
    // Nothing of the profile has become an element or has run.
    assert_eq!(browser.value("document.querySelectorAll('img, iframe, script[src]').length"), 0);
    assert_eq!(browser.value("document.querySelectorAll('script').length"), 2);
    assert_eq!(browser.value("window.hit === undefined"), true);
    let shown = browser.text("document.getElementById('flame').textContent");
    assert!(shown.contains("<img src=x"), "{shown}");
    assert_eq!(browser.complaints, Vec::<String>::new());

    let svg = report::flamegraph::svg(&report::report(&program)).unwrap();
    browser.open(&write_page("hostile.svg", &svg), (1400, 600), "light");
    browser.screenshot("hostile-svg.png");
    assert_eq!(browser.value("window.hit === undefined"), true);
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn five_thousand_loops_can_be_read() {
    let Some(mut browser) = Browser::start() else { return };
    let program = profile(Shape::Stencil, 2500);
    let html = page(&report::report(&program), &Sources::new(), Options { nests: 12 });
    browser.open(&write_page("large.html", &html), (1400, 1800), "light");
    browser.screenshot("large.png");
    assert!(browser.text("document.getElementById('rows').textContent").starts_with("200 of 5,001 loops"));
    browser.click("document.getElementById('search')");
    browser.write("made_up:4001");
    let found = browser.text("document.getElementById('found').textContent");
    assert!(found.starts_with("1 found, < 0.1 %"), "{found}");
    // What is too narrow to be drawn is reached from what was found.
    browser.screenshot("large-search.png");
    browser.click("document.querySelector('#hits button')");
    let detail = browser.text("document.getElementById('detail').textContent");
    assert!(detail.contains("made_up.c:made_up:4001"), "{detail}");
    assert_eq!(browser.complaints, Vec::<String>::new());
}
