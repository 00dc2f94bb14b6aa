//! Number: vast arrays, ranges, systems, and texts with very many of everything.

use super::Answer::{Any, Large, Says};
use super::{Answer, IDLE, Input, declared, each, edge, joined, query, xta};

fn too_large() -> Answer {
    Says(2, "E0546")
}
/// A template over these parameters, with these declarations and an edge with these labels.
fn family(params: &str, declarations: &str, labels: &str) -> String {
    format!(
        "process P({params}) {{ {declarations} state A; init A; trans A -> A {{ {labels} }}; }} system P;"
    )
}

pub fn all() -> Vec<Input> {
    let mut all = sizes();
    all.extend(systems());
    all.extend(texts());
    all
}

fn sizes() -> Vec<Input> {
    vec![
        declared("array of 2 * 10^9", "int a[2000000000];", too_large()),
        declared("array of 2^31", "int a[2147483648];", Says(2, "E0504")),
        declared("array of -1", "int a[-1];", Says(2, "E0535")),
        declared("array of 10^9 truth values", "bool a[1000000000];", too_large()),
        declared("array of 30 dimensions", &format!("int a{};", "[2]".repeat(30)), too_large()),
        declared("array of 1,000 dimensions", &format!("int a{};", "[1]".repeat(1000)), Says(2, "E0547")),
        declared("array of 2^19 cells", "int a[524288];", Large),
        declared("array of arrays", "int a[512][1024];", Large),
        declared("array over a type", "typedef int[-2147483648,2147483647] T; int a[T];", too_large()),
        declared("array over a scalar set", "typedef scalar[2000000000] T; int a[T];", too_large()),
        declared("scalar set without end", "typedef scalar[2147483647] T; T t;", Large),
        declared("scalar set over 2^31", "typedef scalar[2147483648] T; T t;", Says(2, "E0504")),
        declared("array of constants", "const int a[100000] = {1};", Says(2, "E0533")),
        declared(
            "list of 10^5 constants, some too large",
            &format!("const int a[100000] = {{ {} }};", joined(100_000, ",", |i| i.to_string())),
            Says(2, "E0536"),
        ),
        declared(
            "list of 240,000 constants",
            &format!("const int a[240000] = {{ {} }};", vec!["1"; 240_000].join(",")),
            Large,
        ),
        declared(
            "records of 524,288 fields in all",
            &format!("struct {{ int {}; }} s[256];", joined(2048, ",", |i| format!("f{i}"))),
            Large,
        ),
        declared(
            "record of 10^5 fields",
            &format!("struct {{ int {}; }} s;", joined(100_000, ",", |i| format!("f{i}"))),
            too_large(),
        ),
        declared(
            "10^5 fields of the same name",
            &format!("struct {{ int {}; }} s;", vec!["f"; 100_000].join(",")),
            Says(2, "E0531"),
        ),
        declared("array of 10^9 clocks", "clock x[1000000000];", too_large()),
        declared("1,024 clocks", "clock x[1024];", Large),
        declared("1,025 clocks", "clock x[1025];", too_large()),
        edge("1,024 clocks, all tested", "clock x[1024];", "guard forall (i : int[0,1023]) x[i] > 1;", Any),
        edge("512 clocks, all tested", "clock x[512];", "guard forall (i : int[0,511]) x[i] > 1;", Large),
        edge(
            "512 clocks, one chosen",
            "clock x[512]; int[0,511] i;",
            "guard x[i] > 1; assign i = (i + 1) % 512, x[i] = 0;",
            Large,
        ),
        edge("clocks of two arrays compared", "clock x[500], y[500]; int i, j;", "guard x[i] < y[j];", Any),
        declared("array of 10^9 channels", "chan c[1000000000];", too_large()),
        declared("65,536 channels", "chan c[65536];", Large),
        edge(
            "65,536 channels, one chosen",
            "broadcast chan c[65536];",
            "select i : int[0,65535]; sync c[i]!;",
            Large,
        ),
        edge("select of 2^32", "", "select i : int[-2147483648,2147483647];", Any),
        edge(
            "20 selects of 10",
            "int v;",
            &format!("select {}; assign v = i0;", joined(20, ",", |i| format!("i{i} : int[0,9]"))),
            Any,
        ),
        edge(
            "60 selects of 2",
            "int v;",
            &format!("select {}; assign v = i0;", joined(60, ",", |i| format!("i{i} : int[0,1]"))),
            Any,
        ),
        edge(
            "10,000 selects of 1",
            "int v;",
            &format!("select {}; assign v = i0;", joined(10_000, ",", |i| format!("i{i} : int[0,0]"))),
            Any,
        ),
        edge("select of 10^6", "int[0,1000000] v;", "select i : int[1,1000000]; assign v = i;", Large),
        edge(
            "select of 10^6 and one",
            "int[0,1000000] v;",
            "select i : int[0,1000000]; assign v = i;",
            Says(2, "E0332"),
        ),
        edge("variable of 2^32 values", "int[-2147483648,2147483647] v;", "assign v = v + 1;", Large),
        declared("range that is upside down", "int[5,1] v;", Says(2, "E0535")),
        declared("number of 10^6 digits", &format!("int v = {};", "9".repeat(1_000_000)), Says(2, "E0504")),
        declared(
            "floating-point number of 10^6 digits",
            &format!("double v = 0.{}e99999;", "9".repeat(1_000_000)),
            Any,
        ),
        declared(
            "hexadecimal number of 10^6 digits",
            &format!("int v = 0x{};", "f".repeat(1_000_000)),
            Says(2, "E05"),
        ),
        edge(
            "every pair of channels",
            "chan c[256];",
            "select i : int[0,255], j : int[0,255]; guard i != j; sync c[i]!;",
            Large,
        ),
    ]
}

fn systems() -> Vec<Input> {
    let busy = "guard a[3] < 5; assign a[3] = a[3] + 1;";
    vec![
        xta("free parameters of 2^32", family("int a, int b", "", ""), too_large()),
        xta(
            "20 free parameters",
            family(&joined(20, ",", |i| format!("int[0,9] p{i}")), "", ""),
            too_large(),
        ),
        xta(
            "10,000 free parameters of one value",
            family(&joined(10_000, ",", |i| format!("int[0,0] p{i}")), "", ""),
            Any,
        ),
        xta("4,096 processes", family("int[0,4095] i", "", ""), Large),
        xta("4,097 processes", family("int[0,4096] i", "", ""), too_large()),
        xta("16,000 processes with arrays", family("int[0,15999] i", "int a[30];", busy), too_large()),
        xta("4,000 processes with arrays", family("int[0,3999] i", "int a[130];", busy), Large),
        xta("4,000 processes with clocks", family("int[0,3999] i", "clock x;", "guard x > 1;"), too_large()),
        xta(
            "1,000 processes with clocks",
            family("int[0,999] i", "clock x;", "guard x > 1; assign x = 0;"),
            Any,
        ),
        xta(
            "500 processes with clocks",
            family("int[0,499] i", "clock x;", "guard x > 1; assign x = 0;"),
            Large,
        ),
        xta(
            "4,000 processes with functions",
            family(
                "int[0,3999] i",
                "int v; int f(int k) { return k + v; }",
                "guard f(1) < 5; assign v = f(1);",
            ),
            Large,
        ),
        xta("4,000 processes with large arrays", family("int[0,3999] i", "int a[3000];", busy), too_large()),
        xta(
            "4,000 processes that meet",
            format!(
                "chan c; {}",
                family("int[0,3999] i", "", "sync c!;")
                    .replace("init A; trans", "init A; trans A -> A { sync c?; },")
            ),
            Any,
        ),
        xta("4,000 processes with channels", family("int[0,3999] i", "chan c;", "sync c!;"), Large),
        xta(
            "4,000 names in the system",
            format!(
                "process P() {{ int v; state A; init A; trans A -> A {{ assign v = 1; }}; }} {} system {};",
                each(4000, |i| format!("I{i} = P();")),
                joined(4000, ",", |i| format!("I{i}"))
            ),
            Large,
        ),
        xta(
            "10^5 names in the system",
            format!("process P() {{ state A; init A; }} system {};", vec!["P"; 100_000].join(",")),
            Says(2, "E05"),
        ),
        xta(
            "80,000 instantiations",
            format!(
                "process P() {{ state A; init A; }} {} system I0;",
                each(80_000, |i| format!("I{i} = P();"))
            ),
            Says(1, "no-deadlock"),
        ),
        xta(
            "chain of 80,000 instantiations",
            format!(
                "process P() {{ state A; init A; }} I0 = P(); {} system I79999;",
                each(79_999, |i| format!("I{} = I{i}();", i + 1))
            ),
            Says(1, "no-deadlock"),
        ),
        xta(
            "chains of instantiations, 4,000 times",
            format!(
                "process P(int[0,3999] p) {{ state A; init A; }} I0(int[0,3999] p) = P(p); {} system I199;",
                each(199, |i| format!("I{}(int[0,3999] p) = I{i}(p);", i + 1))
            ),
            Any,
        ),
        xta(
            "array by value to 4,000 processes",
            format!(
                "const int a[500] = {{ {} }}; process T(int[0,3999] i, const int b[500]) {{ state A; init A; trans A -> A {{ guard b[i % 500] > 1; }}; }} P(int[0,3999] i) = T(i, a); system P;",
                vec!["1"; 500].join(",")
            ),
            Any,
        ),
        xta(
            "10^5 templates",
            format!("{} system P0;", each(100_000, |i| format!("process P{i}() {{ state A; init A; }}"))),
            Says(2, "E0501"),
        ),
        xta(
            "40,000 templates",
            format!("{} system P0;", each(40_000, |i| format!("process P{i}() {{ state A; init A; }}"))),
            Says(1, "no-deadlock"),
        ),
        xta(
            "process priorities of 4,000 levels",
            format!(
                "process P() {{ state A; init A; trans A -> A {{ }}; }} {} system {};",
                each(4000, |i| format!("I{i} = P();")),
                joined(4000, "<", |i| format!("I{i}"))
            ),
            Large,
        ),
        declared(
            "80,000 channel priorities",
            &format!(
                "chan c[65536]; chan priority {};",
                joined(80_000, "<", |i| format!("c[{}]", i % 65_536))
            ),
            Any,
        ),
        declared(
            "10^5 times the same channels",
            &format!("chan c[65536]; chan priority {};", vec!["c"; 100_000].join("<")),
            Any,
        ),
    ]
}

fn texts() -> Vec<Input> {
    let process = |states: usize, edges: usize| {
        let locations = joined(states, ",", |i| format!("L{i}"));
        let edges = joined(edges, ",", |i| format!("L{} -> L{} {{ }}", i % states, (i + 1) % states));
        format!("process P() {{ state {locations}; init L0; trans {edges}; }} system P;")
    };
    vec![
        xta("10^5 locations, 60,000 edges", process(100_000, 60_000), Any),
        xta("40,000 locations and edges", process(40_000, 40_000), Large),
        xta("10^6 locations", process(1_000_000, 1), Says(2, "E0501")),
        xta("80,000 edges of one location", process(1, 80_000), Large),
        xta("10^6 edges", process(2, 1_000_000), Says(2, "E0501")),
        xta(
            "10,000 committed locations",
            process(10_000, 10_000)
                .replace("init", &format!("commit {}; init", joined(10_000, ",", |i| format!("L{i}")))),
            Large,
        ),
        declared("10^6 declarations", &each(1_000_000, |i| format!("int v{i};")), Says(2, "E0501")),
        declared("160,000 declarations", &each(160_000, |i| format!("int v{i};")), Any),
        declared(
            "240,000 variables in one declaration",
            &format!("int {};", joined(240_000, ",", |i| format!("v{i}"))),
            Any,
        ),
        declared(
            "80,000 constants",
            &each(80_000, |i| format!("const int v{i} = 1;")),
            Says(1, "no-deadlock"),
        ),
        declared("50,000 functions", &each(49_000, |i| format!("int f{i}() {{ return 1; }}")), Any),
        declared("160,000 times the same name", &"int v;".repeat(160_000), Says(2, "E0531")),
        declared("160,000 unknown types", &each(160_000, |i| format!("t{i} v{i};")), Says(2, "E05")),
        declared("490,000 semicolons", &";".repeat(490_000), Any),
        declared("240,000 errors", &"int ;".repeat(240_000), Says(2, "E05")),
        declared("name of 10 MB", &format!("int {};", "n".repeat(10 << 20)), Any),
        declared("unknown name of 10 MB", &format!("int v = {};", "n".repeat(10 << 20)), Says(2, "E05")),
        declared(
            "two names of 5 MB that are near",
            &format!("int {0}a; int v = {0}b;", "n".repeat(5 << 20)),
            Says(2, "E05"),
        ),
        declared(
            "1,000 unknown names of 10 kB",
            &format!(
                "{} {}",
                each(500, |i| format!("int {}{i};", "n".repeat(10_000))),
                each(500, |i| format!("int w{i} = {}x{i};", "n".repeat(10_000)))
            ),
            Says(2, "E05"),
        ),
        declared(
            "50,000 names of 60 letters that are near",
            &format!(
                "{} {}",
                each(50_000, |i| format!("int {}{i:07};", "n".repeat(53))),
                each(60, |i| format!("int w{i} = {}x{i};", "n".repeat(55)))
            ),
            Says(2, "E0530"),
        ),
        declared(
            "50,000 names of 250 letters",
            &each(50_000, |i| format!("int {}{i:07};", "n".repeat(250))),
            Any,
        ),
        xta(
            "names of 1,000 letters in 4,000 processes",
            format!(
                "process P(int[0,3999] i) {{ int {0}a, {0}b; state {0}; init {0}; }} system P;",
                "n".repeat(998)
            ),
            Any,
        ),
        xta(
            "100 free parameters and 4,000 processes",
            format!(
                "process P(int[0,3999] i, {}) {{ state A; init A; }} system P;",
                joined(100, ",", |i| format!("int[0,0] p{i}"))
            ),
            Any,
        ),
        edge(
            "name of 10 kB everywhere",
            &format!("int {};", "n".repeat(10_000)),
            &format!("guard {};", joined(1000, "+", |_| "n".repeat(10_000))),
            Any,
        ),
        xta(
            "location name of 1 MB in 1,000 processes",
            format!("process P(int[0,999] i) {{ state {0}; init {0}; }} system P;", "n".repeat(1 << 20)),
            Any,
        ),
        declared("string of 10 MB", &format!("const string s = \"{}\";", "n".repeat(10 << 20)), Any),
        declared(
            "10^6 terms in an initialiser",
            &format!("int v = 0{};", " + 0".repeat(1_000_000)),
            Says(2, "E0501"),
        ),
        declared("240,000 terms in an initialiser", &format!("int v = 0{};", " + 0".repeat(240_000)), Any),
        edge(
            "10^6 terms in a guard",
            "int v;",
            &format!("guard v{} < 9;", " + v".repeat(1_000_000)),
            Says(2, "E0501"),
        ),
        edge("240,000 terms in a guard", "int v;", &format!("guard v{} < 9;", " + v".repeat(240_000)), Any),
        edge(
            "120,000 terms over clocks",
            "clock x;",
            &format!("guard {};", vec!["x < 5"; 120_000].join("&&")),
            Any,
        ),
        edge(
            "10,000 alternatives over clocks",
            "clock x;",
            &format!("guard {};", vec!["x < 5"; 10_000].join("||")),
            Any,
        ),
        edge(
            "100 conjunctions of 2 alternatives",
            "clock x;",
            &format!("guard {};", vec!["(x < 5 || x > 7)"; 100].join("&&")),
            Any,
        ),
        edge("120,000 updates", "int v;", &format!("assign {};", vec!["v = 1"; 120_000].join(",")), Any),
        query("10,000 queries", "E<> i > 3\n".repeat(10_000), Large),
        query("10,001 queries", "E<> i > 3\n".repeat(10_001), Says(2, "malformed")),
        query("10^6 queries", "E<> i > 3\n".repeat(1_000_000), Says(2, "malformed")),
        query(
            "10,000 queries of 800 terms",
            format!("E<> i{} > 3\n", "+i".repeat(800)).repeat(10_000),
            Says(2, "malformed"),
        ),
        query(
            "1,000 queries that unroll to much",
            "A[] forall (k : int[0,99]) forall (l : int[0,999]) x >= k or a[l % 4] == k\n".repeat(1000),
            Any,
        ),
        query("10,000 wrong queries", "E<> j > 3\n".repeat(10_000), Says(2, "malformed")),
        query(
            "query of 10^6 terms",
            format!("E<> i{} > 3\n", " + i".repeat(1_000_000)),
            Says(2, "malformed"),
        ),
        query("query of 240,000 terms", format!("E<> i{} > 3\n", " + i".repeat(240_000)), Any),
        query("query file of 17 MB", " ".repeat(17 << 20), Says(2, "malformed")),
        query("query file of NUL bytes", vec![0; 1000], Any),
        query("queries that are not UTF-8", vec![0xff; 1000], Says(2, "UTF-8")),
        query("forall over 2^32", "A[] forall (k : int[-2147483648,2147483647]) k != i\n", Any),
        query("forall over 10^6", "A[] forall (k : int[0,1000000]) k >= i\n", Any),
        query("forall over 10^6 clocks", "A[] forall (k : int[0,1000000]) x >= 0\n", Any),
        query(
            "10 nested forall over 1,000",
            format!("A[] {} true\n", each(10, |i| format!("forall (k{i} : int[0,999])"))),
            Any,
        ),
        query(
            "10 nested forall over 1,000, all used",
            format!(
                "A[] {} {} > i\n",
                each(10, |i| format!("forall (k{i} : int[0,999])")),
                joined(10, "+", |i| format!("k{i}"))
            ),
            Any,
        ),
        query("sum over 10^9", "A[] (sum (k : int[0,1000000000]) k) > i\n", Any),
        query("clock compared with 2^31 - 1", "E<> x > 2147483647\n", Any),
        Input {
            queries: Some(each(2000, |i| format!("E<> P({i}).A\n")).into()),
            ..xta(
                "2,000 queries of 4,000 processes",
                family("int[0,3999] i", "int a[30];", "assign a[0] = 1;"),
                Any,
            )
        },
        Input {
            queries: Some("E<> f1() > 3\n".repeat(10_000).into()),
            ..declared(
                "10,000 queries and 15,000 functions",
                &each(15_000, |i| format!("int f{i}() {{ return {i}; }}")),
                Any,
            )
        },
        Input {
            queries: Some(
                b"A[] forall (i : int[0,3999]) P(i).A\nE<> exists (i : int[0,3999]) P(i).a[0] > 5\n".to_vec(),
            ),
            ..xta(
                "forall over 4,000 processes",
                family("int[0,3999] i", "int a[30];", "assign a[0] = 1;"),
                Any,
            )
        },
        Input {
            queries: Some(
                b"A[] forall (i : int[0,1999]) forall (j : int[0,1999]) P(i).A or P(j).A\n".to_vec(),
            ),
            ..xta("forall over pairs of processes", family("int[0,1999] i", "", ""), Any)
        },
        xta("nothing but brackets", "[{(<".repeat(200_000), Says(2, "E05")),
        xta("the system line alone", "system P;", Says(2, "E0530")),
        xta(
            "system of 10^5 unknown names",
            IDLE.replace("system P", &format!("system {}", joined(100_000, ",", |i| format!("P{i}")))),
            Says(2, "E0530"),
        ),
    ]
}
