//! Files that are hardly text: cut off, of another encoding, empty, full of nothing.

use super::Answer::{Any, Says};
use super::{Input, input};
use crate::common::models;

/// A model that has something of everything.
const MODEL: &str = include_str!("../../../../../models/charging.xml");
const XTA: &str = "// gate\ntypedef struct { int[0,3] n; bool b; } T; const int N = 3; chan go[N]; broadcast chan all;\n\
    T t = { 1, true }; clock x, y; int f(int k) { int s = 0; for (i : int[0,2]) s += k * i; return s; }\n\
    process P(const int[0,2] id) { clock z; state A { x <= 5 && z' == 1 }, B, C; commit C; urgent B; init A;\n\
    trans A -> B { select k : int[0,2]; guard x >= 2 && forall (i : int[0,1]) f(i) >= 0; sync go[k]!;\n\
    assign t.n = f(1) % 3, x = 0; }, B -> C { sync all?; }, C -> A { assign t.b = !t.b; }; }\n\
    process Q() { state D; init D; trans D -> D { select k : int[0,2]; sync go[k]?; }, D -> D { sync all!; }; }\n\
    system P < Q;\n";
const QUERIES: &str =
    "/* one */\nE<> P(0).B and x > 3\nA[] forall (i : int[0,2]) not P(i).C \\\n or deadlock\n";

pub fn all() -> Vec<Input> {
    let nothing = vec![0; 1 << 20];
    let utf16: Vec<u8> = MODEL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut marked = vec![0xff, 0xfe];
    marked.extend(&utf16);
    let with = |at: usize, byte: u8| {
        let mut bytes = MODEL.as_bytes().to_vec();
        bytes.insert(at, byte);
        bytes
    };
    let long_line = format!("// {}\n", "x".repeat(15 << 20));
    let mut all = vec![
        input("empty XML", "xml", "", Says(2, "E0515")),
        input("empty XTA", "xta", "", Says(2, "E0544")),
        input("blanks", "xta", "\n \t ".repeat(100_000), Says(2, "E0544")),
        input("NUL bytes, XML", "xml", nothing.clone(), Says(2, "E0515")),
        input("NUL bytes, XTA", "xta", nothing, Says(2, "E0502")),
        input("NUL in the middle, XML", "xml", with(MODEL.len() / 2, 0), Says(2, "E0515")),
        input("invalid UTF-8", "xml", with(MODEL.len() / 2, 0xff), Says(2, "C0004")),
        input("UTF-16", "xml", utf16, Says(2, "E051")),
        input("UTF-16 with mark", "xml", marked, Says(2, "C0004")),
        input("UTF-8 with mark", "xml", format!("\u{feff}{MODEL}"), Says(1, "holds")),
        input("UTF-8 with mark, XTA", "xta", format!("\u{feff}{}", super::IDLE), Says(1, "no-deadlock")),
        input("mark alone", "xml", "\u{feff}", Says(2, "E0515")),
        input("carriage returns", "xta", super::IDLE.replace(' ', "\r"), Says(1, "no-deadlock")),
        input("16 MiB and more", "xta", " ".repeat((16 << 20) + 1), Says(2, "E0501")),
        input("16 MiB of blanks", "xta", " ".repeat(16 << 20), Says(2, "E0544")),
        input("64 MiB and more", "xta", vec![b' '; (64 << 20) + 1], Says(2, "C0003")),
        input("one line of 15 MiB", "xta", format!("{long_line}{}", super::IDLE), Says(1, "no-deadlock")),
        input(
            "wrong on a line of 15 MiB",
            "xta",
            long_line.replace("// x", "int x").replace('\n', ""),
            Says(2, "E05"),
        ),
        input("wide characters", "xta", "\u{1f41d}".repeat(1 << 20), Says(2, "E0502")),
        input("XML by another name", "xta", MODEL, Says(2, "C0005")),
    ];
    let part = |name: &str, at: usize| format!("{name} cut at {at}");
    all.extend(cuts(MODEL, 61).map(|(at, text)| input(part("XML", at), "xml", text, Says(2, "E05"))));
    all.extend(cuts(XTA, 7).map(|(at, text)| input(part("XTA", at), "xta", text, Says(2, "E05"))));
    all.extend(cuts(QUERIES, 3).map(|(at, text)| Input {
        queries: Some(text.into()),
        ..input(part("queries", at), "xta", XTA, Any)
    }));
    for entry in std::fs::read_dir(models()).expect("models").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".beeline") {
            let text = std::fs::read_to_string(entry.path()).expect("a model");
            all.extend(cuts(&text, 97).map(|(at, text)| input(part(&name, at), "beeline", text, Any)));
        }
    }
    all
}

/// A text cut at every so many bytes.
fn cuts(text: &str, step: usize) -> impl Iterator<Item = (usize, &str)> {
    let end = text.trim_end().len();
    (0..end).step_by(step).filter_map(move |at| Some((at, text.get(..at)?)))
}
