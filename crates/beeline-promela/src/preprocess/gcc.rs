//! Random texts, preprocessed by us and by the C preprocessor that Spin runs: the same tokens, or a refusal by both. Without
//! `gcc` there is nothing to do. `BEELINE_GCC=10000` looks at more of them.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::{Macros, preprocess};
use crate::lex::{Kind, Lexer};
use crate::messages::Messages;

/// What `gcc` makes of a text, `None` if it refuses it.
fn gcc(text: &str) -> std::io::Result<Option<String>> {
    let arguments = ["-std=gnu99", "-E", "-P", "-w", "-x", "c", "-"];
    let mut child = Command::new("gcc")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn ours(text: &str) -> Option<Vec<Arc<str>>> {
    let none = |_: &str| Err("there is none".to_string());
    let mut messages = Messages::default();
    let mut tokens = preprocess(text, "<stdin>", &none, Macros::new(), &mut messages).tokens;
    tokens.retain(|t| t.kind != Kind::End);
    messages.errors.is_empty().then(|| tokens.into_iter().map(|t| t.text).collect())
}

fn words(text: &str) -> Vec<Arc<str>> {
    let mut messages = Messages::default();
    let mut lexer = Lexer::new(&text.into(), 0);
    std::iter::from_fn(|| lexer.next(&mut messages)).map(|t| t.text).collect()
}

/// A text in which few names stand for much.
fn random(mut seed: u64) -> String {
    // One of the words between `~`.
    let mut pick = |words: &'static str| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let words: Vec<&str> = words.split('~').collect();
        words[(seed >> 33) as usize % words.len()]
    };
    let mut text = String::new();
    for _ in 0..8 {
        let words = match pick("define~define~define~text~text~text~text~if~odd~call") {
            "define" => {
                let head = pick("f(x) ~g(x,y) ~h(x, ...) ~k(...) ~N ~M ~O() ");
                text += &format!("#define {head}");
                match head.contains('x') {
                    true => "x~y~x~f~g(x,~h~k~N~M~O()~x##~x ## y~#x~,~f(x)~)~__VA_ARGS__~1",
                    false => "x~f~g(~h~k(~N~M~O()~x##~a ## b~__VA_ARGS__~,~f(a)~)~1",
                }
            }
            "call" => "f(~g(~h(~k(~)~)~,~N~O~f~2~\"s\\n\"~\n",
            "if" => match pick("#if ~#elif ~#else\n~#endif\n~#ifdef ~#ifndef ~#if ") {
                line @ ("#else\n" | "#endif\n") => {
                    text += line;
                    continue;
                }
                line => {
                    text += line;
                    match pick("N == 1~defined(N)~1 ? M : N~f(N) < -1 + 010~~~") {
                        "" => "N~M~1~-1~==~+~1u~defined M~(0)~?~:~&&~||~/~!~<<",
                        condition => {
                            text += condition;
                            text += "\n";
                            continue;
                        }
                    }
                }
            },
            "odd" => "// c \\\n~/* d\n*/~\\\n~'~\"~#undef N\n~__LINE__~a~\n",
            _ => "a~N~M~f(1)~f(f(N))~g(a,N)~g(,f(N))~h(N)~h(1,2)~k()~O()~(M)~\n",
        };
        for _ in 0..pick("1~1~1~12~123~12345~12345678").len() {
            text += pick(words);
            text += pick(" ~ ~");
        }
        text += "\n";
    }
    // Conditionals that are left open would say nothing about the rest.
    for _ in 0..text.matches("#if").count().saturating_sub(text.matches("#endif").count()) {
        text += "#endif\n";
    }
    text
}

#[test]
fn the_c_preprocessor_says_the_same() {
    let wanted = std::env::var("BEELINE_GCC").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let (mut agreed, mut refused) = (0, 0);
    for seed in 0..wanted {
        let text = random(seed);
        let Ok(theirs) = gcc(&text) else { return };
        match (theirs, ours(&text)) {
            (None, None) => refused += 1,
            (Some(theirs), Some(ours)) if words(&theirs) == ours => agreed += 1,
            (theirs, ours) => panic!("seed {seed}:\n{text}\ngcc: {theirs:?}\nwe: {ours:?}"),
        }
    }
    assert!(agreed * 5 > wanted && refused > 0, "{agreed} of {wanted}, {refused} refused by both");
}
