//! Depth: whatever can stand inside itself does so 100,000 times.

use super::Answer::{Any, Large, Says};
use super::{Answer, IDLE, Input, declared, each, edge, query, xta};

/// Levels.
const DEEP: usize = 100_000;
/// Levels of what takes many words: more would be too many words.
const LESS: usize = 40_000;

fn wrapped(open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(DEEP), close.repeat(DEEP))
}
fn deep() -> Answer {
    Says(2, "E0506")
}

pub fn all() -> Vec<Input> {
    let parentheses = wrapped("(", "1", ")");
    let mut all = vec![
        edge("parentheses in a guard", "", &format!("guard {parentheses};"), deep()),
        edge("parentheses in an update", "int i;", &format!("assign i = {parentheses};"), deep()),
        edge("parentheses in a synchronisation", "chan c[2];", &format!("sync c[{parentheses}]!;"), deep()),
        edge("parentheses in a select", "", &format!("select i : int[0,{parentheses}];"), deep()),
        xta(
            "parentheses in an invariant",
            format!("process P() {{ state A {{ {parentheses} }}; init A; }} system P;"),
            deep(),
        ),
        xta(
            "parentheses in an argument",
            IDLE.replace("system P", &format!("Q = P({parentheses}); system Q")),
            deep(),
        ),
        declared("parentheses in an initialiser", &format!("int i = {parentheses};"), deep()),
        declared("parentheses in a range", &format!("int[0,{parentheses}] i;"), deep()),
        declared("parentheses in a size", &format!("int i[{parentheses}];"), deep()),
        declared("parentheses in a function", &format!("int f() {{ return {parentheses}; }}"), deep()),
        query("parentheses in a query", format!("E<> {parentheses}\n"), Says(2, "malformed")),
        query("parentheses that do not end", format!("E<> {}\n", "(".repeat(DEEP)), Says(2, "malformed")),
        declared("parentheses that do not end, XTA", &format!("int i = {}", "(".repeat(DEEP)), deep()),
        declared("parentheses that do not begin", &format!("int i = 1 {}", ")".repeat(DEEP)), Says(2, "E05")),
        declared("braces of an initialiser", &format!("int i = {};", wrapped("{", "1", "}")), deep()),
        declared("indices", &format!("int a[2]; int i = {};", wrapped("a[", "1", "]")), deep()),
        declared("dimensions", &format!("int a{};", "[1]".repeat(DEEP)), Says(2, "E05")),
        declared(
            "indices one after another",
            &format!("int a[1]; int f() {{ return a{}; }}", "[0]".repeat(DEEP)),
            Says(2, "E05"),
        ),
        declared(
            "fields one after another",
            &format!("struct {{ int a; }} s; int f() {{ return s{}; }}", ".a".repeat(DEEP)),
            Says(2, "E05"),
        ),
        declared(
            "calls in calls",
            &format!("int f(int i) {{ return i; }} int g() {{ return {}; }}", wrapped("f(", "1", ")")),
            deep(),
        ),
        declared("negations", &format!("bool b = {}true;", "!".repeat(DEEP)), deep()),
        declared("signs", &format!("int b = {}1;", "- ".repeat(DEEP)), deep()),
        declared("increments", &format!("int b; void f() {{ {}b; }}", "++".repeat(DEEP)), deep()),
        declared("choices to the right", &format!("int b = {}1;", "1 ? 1 : ".repeat(DEEP)), deep()),
        declared(
            "choices to the left",
            &format!("int b = {}1 {};", "1 ? ".repeat(DEEP), ": 1".repeat(DEEP)),
            deep(),
        ),
        declared("assignments", &format!("int b; void f() {{ {}1; }}", "b = ".repeat(DEEP)), deep()),
        declared("implications", &format!("bool b = {}true;", "true imply ".repeat(DEEP)), deep()),
        declared("quantifiers", &format!("bool b = {}true;", "forall (i : int[0,1]) ".repeat(LESS)), deep()),
        query(
            "quantifiers in a query",
            format!("E<> {}true\n", "exists (i : int[0,1]) ".repeat(DEEP)),
            Says(2, "malformed"),
        ),
        declared("blocks", &format!("void f() {}", wrapped("{", "", "}")), deep()),
        declared("loops", &format!("void f() {{ int i; {} i++; }}", "while (i < 1) ".repeat(LESS)), deep()),
        declared(
            "loops over ranges",
            &format!("void f() {{ int i; {} i++; }}", "for (j : int[0,1]) ".repeat(LESS)),
            deep(),
        ),
        declared(
            "do loops",
            &format!("void f() {{ int i; {}i++;{} }}", "do ".repeat(LESS), " while (0);".repeat(LESS)),
            deep(),
        ),
        declared("conditions", &format!("void f() {{ int i; {} i++; }}", "if (i < 1) ".repeat(LESS)), deep()),
        declared(
            "else chains",
            &format!("void f() {{ int i; {} i++; }}", "if (i < 1) i++; else ".repeat(LESS)),
            deep(),
        ),
        declared(
            "records",
            &format!("{}int a;{} v;", "struct { ".repeat(LESS), " a; }".repeat(LESS)),
            deep(),
        ),
        declared("ranges of ranges", &format!("{} v;", wrapped("int[0,", "1", "]")), Says(2, "E05")),
        declared(
            "100,000 slashes in a comment",
            &format!("/* {} */", "/".repeat(DEEP)),
            Says(1, "no-deadlock"),
        ),
        declared("long comparison", &format!("bool b = {}1;", "1 < ".repeat(DEEP)), Says(2, "E05")),
        xta("templates in templates", wrapped("process P() {", "", "}"), Says(2, "E05")),
        edge("200 levels less one", "", &format!("guard {}1{};", "(".repeat(195), ")".repeat(195)), Large),
        declared(
            "typedef chain",
            &each(
                DEEP,
                |i| if i == 0 { "typedef int T0;".into() } else { format!("typedef T{} T{i};", i - 1) },
            ),
            Says(1, "no-deadlock"),
        ),
        declared(
            "typedef chain of arrays",
            &each(LESS, |i| {
                if i == 0 { "typedef int T0;".into() } else { format!("typedef T{} T{i}[1];", i - 1) }
            }),
            Says(2, "E0547"),
        ),
        declared(
            "record chain",
            &each(30_000, |i| {
                if i == 0 {
                    "typedef int T0;".into()
                } else {
                    format!("typedef struct {{ T{} a; }} T{i};", i - 1)
                }
            }),
            Says(2, "E0547"),
        ),
        declared(
            "constant chain",
            &each(30_000, |i| {
                if i == 0 { "const int c0 = 0;".into() } else { format!("const int c{i} = c{} + 1;", i - 1) }
            }),
            Says(1, "no-deadlock"),
        ),
        declared(
            "record doubling",
            &each(100, |i| {
                if i == 0 {
                    "typedef struct { int a; } T0;".into()
                } else {
                    format!("typedef struct {{ T{0} a; T{0} b; }} T{i};", i - 1)
                }
            }),
            Says(2, "E0546"),
        ),
    ];
    let operators = [
        "+", "-", "*", "/", "%", "&", "|", "^", "<<", "&&", "||", "or", "and", "<?", ">?", "==", "!=",
        "imply", "**", ",",
    ];
    all.extend(operators.map(|o| {
        edge(
            format!("10^5 times {o}"),
            "int i;",
            &format!("guard i {};", format!("{o} i ").repeat(DEEP)),
            Any,
        )
    }));
    all
}
