//! SMV: nesting, number, definitions and instances that grow with every step.

use super::Answer::{Large, Says};
use super::{Input, each, input, joined};

fn smv(name: &str, text: impl Into<String>, code: &'static str) -> Input {
    input(format!("SMV: {name}"), "smv", text.into(), Says(2, code))
}

/// Legal, if large.
fn large(name: &str, text: impl Into<String>) -> Input {
    input(format!("SMV: {name}"), "smv", text.into(), Large)
}

fn main_with(body: impl std::fmt::Display) -> String {
    format!("MODULE main VAR x : boolean; n : 0..3; {body}")
}

pub fn all() -> Vec<Input> {
    let deep = |open: &str, close: &str| {
        main_with(format!("INIT {}x{}", open.repeat(100_000), close.repeat(100_000)))
    };
    let twice =
        each(60, |i| if i == 0 { "d0 := x;".into() } else { format!("d{i} := d{j} xor d{j};", j = i - 1) });
    let chain =
        each(20_000, |i| if i == 0 { "d0 := x;".into() } else { format!("d{i} := !(d{} & x);", i - 1) });
    let modules = |count: usize, body: &dyn Fn(usize) -> String| {
        each(count, |i| format!("MODULE m{} {} ", i + 1, body(i)))
    };
    let pairs = modules(40, &|i| format!("VAR a : m{i}; b : m{i};"));
    let tower = modules(20_000, &|i| format!("VAR a : m{i};"));
    let symbols = joined(150_000, ", ", |i| format!("s{i}"));
    let cases = each(20_000, |i| format!("e = s{i} : s{};", i + 1));
    vec![
        smv("empty", "", "E0812"),
        smv("NUL bytes", "\0".repeat(1 << 20), "E0804"),
        smv("16 MiB and more", " ".repeat((16 << 20) + 1), "E0801"),
        smv("16 MiB of blanks", " ".repeat(16 << 20), "E0812"),
        smv("too many tokens", "( ".repeat(4_000_000), "E0801"),
        smv("parentheses", deep("(", ")"), "E0808"),
        smv("negations", deep("!", ""), "E0808"),
        smv("cases", deep("case TRUE : ", "; esac"), "E0808"),
        smv("temporal operators", deep("AG ", ""), "E0808"),
        smv("sums", main_with(format!("INIT n {}= n", "+ n ".repeat(300_000))), "E0808"),
        smv("definitions that double", main_with(format!("DEFINE {twice} INIT d59")), "E08"),
        smv("a chain of definitions", main_with(format!("DEFINE {chain}")), "E0808"),
        smv(
            "instances that double",
            format!("MODULE main VAR a : m40; {pairs} MODULE m0 VAR x : boolean;"),
            "E0821",
        ),
        smv("a tower of instances", format!("MODULE main VAR a : m20000; {tower} MODULE m0"), "E0821"),
        smv("parameters in a circle", "MODULE main VAR a : m(b.p); b : m(a.p); MODULE m(p) INIT p", "E0820"),
        smv("vast array", main_with("VAR a : array 0..4000000000 of boolean;"), "E0821"),
        smv("array of arrays", main_with("VAR a : array 0..999 of array 0..999 of boolean;"), "E0821"),
        smv("unknown names", main_with(each(100_000, |i| format!("INIT y{i};"))), "E0810"),
        smv("the same variable", main_with("VAR x : boolean; ".repeat(100_000)), "E0811"),
        smv(
            "definitions of everything",
            main_with(format!("VAR {} DEFINE {}", each(2_000, |i| format!("v{i} : boolean;")), {
                let all = joined(2_000, " | ", |i| format!("v{i}"));
                each(2_000, |i| format!("d{i} := {all};"))
            })),
            "E08",
        ),
        large("a long conjunction", main_with(format!("INIT x{}", " & x".repeat(900_000)))),
        large(
            "a large type",
            main_with(format!("VAR e : {{{symbols}}}; ASSIGN next(e) := case {cases} TRUE : e; esac;")),
        ),
        large("many variables", main_with(format!("VAR {}", each(150_000, |i| format!("v{i} : 0..3;"))))),
        large("wide ranges", main_with("VAR a : 0..4000000000; ASSIGN next(a) := a + 1;")),
        smv("10^5 wrong specifications", main_with("SPEC AG yes = 1;".repeat(100_000)), "E0821"),
        smv("10^5 specifications", main_with("SPEC EF x; ".repeat(100_000)), "E0821"),
        large("10^4 specifications", main_with("SPEC AG EF n = 1; ".repeat(10_000))),
        large("many divisions", main_with(each(20_000, |_| "INIT n = 0 | 3 / n > 0; ".into()))),
        large(
            "one expression of many variables",
            main_with(format!(
                "VAR {} a : array 0..1 of boolean; INIT ({}) & a[n]",
                each(3_000, |i| format!("v{i} : boolean;")),
                joined(3_000, " | ", |i| format!("v{i}"))
            )),
        ),
    ]
}
