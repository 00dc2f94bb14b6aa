//! What has no end: recursion, loops, arithmetic beyond 64 bits.

use super::Answer::{Any, Large, Says};
use super::{Input, declared, each, edge, joined, xta};

pub fn all() -> Vec<Input> {
    let chain = |count: usize, first: &str, next: &dyn Fn(usize) -> String| {
        each(count, |i| if i == 0 { first.to_string() } else { next(i) })
    };
    let twice = |count: usize| {
        chain(count, "int f0(int x) { return x + 1; }", &|i| {
            format!("int f{i}(int x) {{ return f{j}(x) + f{j}(x); }}", j = i - 1)
        })
    };
    let twice_by_reference = |count: usize| {
        chain(count, "void f0(int &x) { x++; }", &|i| {
            format!("void f{i}(int &x) {{ f{j}(x); f{j}(x); }}", j = i - 1)
        })
    };
    let calls = |count: usize| {
        chain(count, "int f0(int x) { return x; }", &|i| {
            format!("int f{i}(int x) {{ return f{}(x); }}", i - 1)
        })
    };
    vec![
        declared("function that calls itself", "int f(int x) { return f(x); } int v = f(1);", Says(2, "E05")),
        edge(
            "function that calls itself, in a guard",
            "int f(int x) { return x > 0 ? f(x - 1) : 0; }",
            "guard f(9) > 0;",
            Says(2, "E05"),
        ),
        declared(
            "functions that call each other",
            "int g(int x); int f(int x) { return g(x); } int g(int x) { return f(x); }",
            Says(2, "E05"),
        ),
        declared(
            "function that calls the next",
            "int f(int x) { return g(x); } int g(int x) { return f(x); } int v = f(1);",
            Says(2, "E0530"),
        ),
        declared("type of itself", "typedef struct { T a; } T; T v;", Says(2, "E0530")),
        declared("array type of itself", "typedef T T[2]; T v;", Says(2, "E0530")),
        declared(
            "types of each other",
            "typedef struct { B b; } A; typedef struct { A a; } B; B v;",
            Says(2, "E0530"),
        ),
        declared("constant of itself", "const int c = c + 1; int v[c];", Says(2, "E0530")),
        xta(
            "instantiation of itself",
            "process P() { state A; init A; } I(int[0,1] x) = I(x); system I;",
            Says(2, "E0530"),
        ),
        xta(
            "instantiations of each other",
            "process P() { state A; init A; } I() = J(); J() = I(); system I;",
            Says(2, "E0530"),
        ),
        xta("template inside itself", "process P() { Q = P(); state A; init A; } system P;", Says(2, "E05")),
        declared(
            "loop without end in an initialiser",
            "int f() { int i; while (true) { i = 1; } return i; } int v = f();",
            Says(2, "E0534"),
        ),
        declared(
            "loop of 10^9 in an initialiser",
            "int f() { int[0,2000000000] i; for (i = 0; i < 1000000000; i++) {} return 1; } int v = f();",
            Says(2, "E05"),
        ),
        declared(
            "loops of 10^9 in 100 initialisers",
            &format!(
                "int f() {{ int i; while (true) {{ i = 1; }} return i; }} {}",
                each(100, |i| format!("int v{i} = f();"))
            ),
            Says(2, "E0534"),
        ),
        declared(
            "long loops in 10,000 initialisers",
            &format!(
                "int f() {{ int[0,2000000000] i; for (i = 0; i < 50000; i++) {{}} return 1; }} {}",
                each(10_000, |i| format!("int v{i} = f();"))
            ),
            Says(2, "E0546"),
        ),
        declared(
            "long sums in 10,000 initialisers",
            &each(10_000, |i| format!("int[-2147483648,2147483647] v{i} = sum (k : int[0,60000]) 1;")),
            Says(2, "E0546"),
        ),
        declared(
            "large frames in an initialiser",
            "int f() { int a[500000]; return 1; } int v = sum (k : int[0,9999]) f();",
            Says(2, "E0534"),
        ),
        Input {
            queries: Some("A[] forall (k : int[0,f()]) k >= 0\n".repeat(1000).into()),
            ..declared(
                "long loops in 1,000 queries",
                "int f() { int[0,2000000000] i; for (i = 0; i < 50000; i++) {} return 1; }",
                Any,
            )
        },
        declared("large sum in an initialiser", "int v = sum (i : int[0,2000000000]) 1;", Says(2, "E05")),
        declared(
            "nested sums in an initialiser",
            &format!("int v = {} 1;", each(30, |i| format!("sum (i{i} : int[0,9])"))),
            Says(2, "E05"),
        ),
        edge("loop without end", "void f() { int i; while (true) { i = 1; } }", "assign f();", Any),
        edge(
            "loop without end in a guard",
            "bool f() { int i; while (true) { i = 1; } return true; }",
            "guard f();",
            Any,
        ),
        edge(
            "loop of 10^9",
            "int[0,2000000000] i; void f() { for (i = 0; i < 1000000000; i++) {} }",
            "assign f();",
            Any,
        ),
        edge("loop over 10^9", "int v; void f() { for (i : int[0,1000000000]) v = 1; }", "assign f();", Any),
        edge(
            "forall over 2^32 in a guard",
            "int v;",
            "guard forall (i : int[-2147483648,2147483647]) i != v;",
            Any,
        ),
        edge(
            "forall over 10^5 in a guard",
            "int v; int[0,9999] w;",
            "guard forall (i : int[0,100000]) i >= v; assign w = (w + 1) % 10000;",
            Large,
        ),
        edge(
            "10 nested forall in a guard",
            "int v;",
            &format!("guard {} v == 0;", each(10, |i| format!("forall (i{i} : int[0,999])"))),
            Any,
        ),
        edge(
            "forall over clocks in a guard",
            "clock x[2];",
            &format!("guard {} x[i0] < 5;", each(60, |i| format!("forall (i{i} : int[0,1])"))),
            Says(2, "E0546"),
        ),
        edge(
            "exists over clocks in a guard",
            "clock x[1000];",
            "guard exists (i : int[0,999]) x[i] < 5;",
            Any,
        ),
        edge("array copied, 10^5 cells", "int a[100000], b[100000];", "assign a = b;", Any),
        edge(
            "array copied, 1,000 cells, 1,000 times",
            "int a[1000], b[1000];",
            &format!("assign {};", vec!["a = b"; 1000].join(",")),
            Any,
        ),
        edge("arrays compared", "int a[100000], b[100000];", "guard a == b;", Any),
        declared(
            "array by value",
            &format!(
                "void f(int a[1000]) {{ a[0] = 1; }} int v[1000]; void g() {{ {} }}",
                "f(v);".repeat(10_000)
            ),
            Any,
        ),
        declared("division by nothing", "int v = 1 / 0;", Says(2, "E0534")),
        declared("shift by 64", "int v = 1 << 64;", Says(2, "E05")),
        declared("shift by -1", "int v = 1 << -1;", Says(2, "E05")),
        declared(
            "smallest number divided by -1",
            "const int m = -2147483648; int v = m / -1;",
            Says(2, "E05"),
        ),
        declared(
            "products beyond 64 bits",
            &format!("int v = {}1;", "2147483647 * ".repeat(100)),
            Says(2, "E05"),
        ),
        declared("power beyond 64 bits", "int v = 10 ** 1000;", Any),
        declared("powers of powers", "int v = 9 ** 9 ** 9 ** 9;", Any),
        edge(
            "products beyond 64 bits, in a guard",
            "int i;",
            &format!("guard i == {}1;", "2147483647 * ".repeat(100)),
            Any,
        ),
        declared(
            "doubling calls in an initialiser",
            &format!("{} int v = f59(0);", twice(60)),
            Says(2, "E05"),
        ),
        edge("doubling calls in a guard", &twice(60), "guard f59(0) > 0;", Any),
        edge(
            "doubling calls by reference",
            &format!("int v; {}", twice_by_reference(60)),
            "assign f59(v);",
            Any,
        ),
        declared("chain of 50,000 calls", &format!("{} int v = f49999(1);", calls(50_000)), Says(2, "E05")),
        declared("chain of 50,000 calls, not called", &calls(50_000), Any),
        edge(
            "specialisations of long functions",
            &format!("int a[500]; void f(int &x) {{ {} }}", "x = 1;".repeat(1000)),
            &format!("assign {};", joined(500, ",", |i| format!("f(a[{i}])"))),
            Any,
        ),
    ]
}
