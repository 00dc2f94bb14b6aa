//! What expressions with effects, choices between records, and stores into truth values mean, run while the model
//! is read: a function computes the first value of `r`.

use beeline_uppaal::{Format, read};

/// What a function with this body, after these declarations, gives back.
fn run(declarations: &str, body: &str) -> i64 {
    let text = format!(
        "{declarations}\nint f() {{ {body} }}\nint r = f();\nprocess P() {{ state A; init A; }}\nsystem P;"
    );
    match read(&text, "test.xta", Format::Xta) {
        Ok(reading) => {
            let found = reading.network.vars.iter().find(|v| v.name == "r");
            found.unwrap_or_else(|| panic!("there is no `r`")).init[0]
        }
        Err(diagnostics) => panic!("{diagnostics:#?}\n{text}"),
    }
}
fn codes(declarations: &str, body: &str) -> Vec<&'static str> {
    let process = "process P() { state A; init A; trans A -> A { assign f(); }; }";
    let text = format!("{declarations}\nvoid f() {{ {body} }}\n{process}\nsystem P;");
    read(&text, "test.xta", Format::Xta).err().unwrap_or_default().iter().map(|d| d.code).collect()
}

#[test]
fn an_assignment_is_a_reference_to_a_place_that_is_found_once() {
    let a = "int a[3] = {0, 7, 9};";
    assert_eq!(run("", &format!("{a} int x; x = (a[a[0]] = 2); return x * 10 + a[0];")), 22);
    assert_eq!(run("", &format!("{a} int x = ++a[a[0]]; return x * 10 + a[0];")), 11);
    assert_eq!(run("", &format!("{a} int x = a[a[0]]++; return x * 10 + a[0];")), 1);
    assert_eq!(run("", &format!("{a} int x = (a[a[0]] += 2) * 10; return x + a[0];")), 22);
    assert_eq!(run("", &format!("{a} return a[a[0]] += 2;")), 2);
    // The place that was found is assigned to again.
    assert_eq!(run("", &format!("{a} (a[a[0]] = 2) += 5; return a[0] * 100 + a[2];")), 709);
    // Rows of arrays.
    assert_eq!(
        run("", "int m[2][2] = {{0, 3}, {1, 4}}; int x = (m[m[0][0]] = m[1])[1]; return x * 10 + m[0][0];"),
        41
    );
    // Two names for one thing.
    let aliased = "int g(int &v[3], int &i) { int x = (v[i] = 2); return x * 10 + ++v[i]; }";
    assert_eq!(run(aliased, "int a[3] = {0, 7, 9}; return g(a, a[0]) * 100 + a[2];"), 20 * 100 + 10 * 101);
    // By reference to another function.
    let inc = "void inc(int &v) { v++; }";
    assert_eq!(run(inc, &format!("{a} inc(a[a[0]] = 1); return a[0] * 10 + a[1];")), 27);
}

const S: &str = "typedef struct { int f; int v[2]; } S;";

#[test]
fn a_choice_between_records_is_evaluated_where_it_stands() {
    // In the condition of a loop: each time.
    let two = "S s = {0, {1, 2}}, t = {0, {3, 4}}; bool c = true; int n;";
    assert_eq!(run(S, &format!("{two} while ((c ? s : t).f < 3) {{ s.f++; n++; }} return n;")), 3);
    assert_eq!(
        run(S, &format!("{two} while ((c ? s : t).f < 3) {{ s.f++; c = n++ == 5; t.f++; }} return n;")),
        3
    );
    assert_eq!(run(S, &format!("{two} do {{ n++; c = !c; }} while ((c ? s : t).v[0] == 3); return n;")), 2);
    // Behind a condition that keeps it from failing.
    assert_eq!(run(S, &format!("{two} S sa[2]; int i = 2; return i >= 2 || (c ? sa[i] : t).f == 1;")), 1);
    assert_eq!(run(S, &format!("{two} S sa[2]; int i = 2; return (i < 2 ? sa[i] : t).v[1];")), 4);
    assert_eq!(run(S, &format!("{two} int i = 1; return (c ? s : t).v[i++] * 10 + i;")), 22);
    // By value, compared, copied, nested.
    let sum = format!("{S} int total(S s) {{ s.f += s.v[0] + s.v[1]; return s.f; }}");
    assert_eq!(run(&sum, &format!("{two} while (total(c ? s : t) < 7) {{ c = false; n++; }} return n;")), 1);
    assert_eq!(run(S, &format!("{two} while ((c ? s : t) == s) {{ c = false; n++; }} return n;")), 1);
    assert_eq!(
        run(S, &format!("{two} S u = c ? s : t; u.f = 5; return u.f * 100 + u.v[1] * 10 + s.f;")),
        520
    );
    assert_eq!(run(S, &format!("{two} s = c ? t : s; return s.v[0] * 10 + s.v[1];")), 34);
    assert_eq!(run(S, &format!("{two} return (n == 1 ? s : c ? t : s).v[n == 0 ? 1 : 0];")), 4);
    // In constants and by reference to a function that only reads.
    let head = format!("{S} int head(S &s) {{ return s.v[0]; }} const S k = {{0, {{8, 9}}}};");
    assert_eq!(run(&head, &format!("{two} return head(c ? k : t) * 10 + head(!c ? k : t);")), 83);
}

#[test]
fn a_choice_is_assigned_to() {
    assert_eq!(run("", "int i, j; bool c; (c ? i : j) = 7; return i * 10 + j;"), 7);
    assert_eq!(run("", "int i, j; bool c = true; (c ? i : j) += 7; (c ? j : i)--; return i * 10 + j;"), 69);
    assert_eq!(
        run("", "int i, j; bool c = true; int x = ((c ? i : j) = (c = false) + 4); return x * 10 + i;"),
        44
    );
    assert_eq!(run("", "int i = 3, j; int x = (i == 3 ? i : j)++; return x * 100 + i * 10 + j;"), 340);
    // The index of the side that is not chosen need not be inside.
    assert_eq!(
        run("", "int a[2], k[1], i = 5, x; x = (i < 2 ? a[k[i]] : a[1]) = 6; return a[1] * 10 + x;"),
        66
    );
    let two = "S s = {0, {1, 2}}, t = {0, {3, 4}}; bool c;";
    assert_eq!(run(S, &format!("{two} (c ? s : t).v[1] = 5; return s.v[1] * 10 + t.v[1];")), 25);
    assert_eq!(run(S, &format!("{two} (c ? t : s) = t; return s.v[0] * 10 + s.v[1];")), 34);
    // What is stored is never lost silently.
    assert_eq!(codes("", "int i, j; bool c; (c ? i : 3) = 7;"), ["E0537"]);
    assert_eq!(codes("", "int a[2], i; bool c; (c ? a[i++] : a[0]) = 7;"), ["E0537"]);
    assert_eq!(codes("const int k = 1;", "int i; bool c; (c ? i : k) = 7;"), ["E0537"]);
    assert_eq!(codes("void g(int &v[2]) { v[0]++; }", "int a[2], d[2]; bool c; g(c ? a : d);"), ["U0537"]);
    assert_eq!(
        codes("typedef struct { int a; } T;", "T t; int a[2]; bool c; int x = (c ? t : a).a;"),
        ["E0532"]
    );
}

#[test]
fn any_number_but_0_is_true() {
    assert_eq!(run("", "bool b = 5; return b;"), 1);
    assert_eq!(run("", "int i = -3; bool b; b = i; return b * 10 + (b == true);"), 11);
    assert_eq!(run("", "bool b; b += 2; return b;"), 1);
    assert_eq!(run("bool k = 7; const bool K = 4; const bool L[2] = {0, 9};", "return K * 10 + L[1];"), 11);
    assert_eq!(run("int g(bool b) { return b + 1; }", "int i = 6; return g(i) * 10 + g(0);"), 21);
    assert_eq!(run("bool g(int i) { return i; }", "return g(6) * 10 + g(0);"), 10);
    assert_eq!(run("bool g(int &i) { i++; return i; }", "int i = 6; return g(i) * 10 + i;"), 17);
    assert_eq!(run("", "int v[2] = {0, 5}; bool b[2]; b = v; return b[0] * 10 + b[1];"), 1);
    assert_eq!(run("int g(bool b[2]) { return b[0] + b[1]; } const int v[2] = {3, 5};", "return g(v);"), 2);
    assert_eq!(
        run("int g(bool b[2]) { b[0] = 0; return b[0] + b[1]; } const int v[2] = {3, 5};", "return g(v);"),
        1
    );
    let template = "bool seen; process P(bool b, bool c) { state A; init A; trans A -> A { guard b == c; }; }
        Q = P(3, 1); system Q;";
    let reading = read(template, "test.xta", Format::Xta).unwrap();
    let edges = reading.network.processes.iter().flat_map(|p| &p.edges);
    assert_eq!(edges.map(|e| &e.guard).collect::<Vec<_>>(), [&beeline_ir::expr::Expr::TRUE]);
}
