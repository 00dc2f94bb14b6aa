//! Functions, run while the model is read: each test declares a variable whose first value a function computes, so
//! that what the lowering made of the function is executed.

use beeline_uppaal::{Format, read};

/// The initial values of `r` in a model with these declarations.
fn run(declarations: &str) -> Vec<i64> {
    let text = format!("{declarations}\nprocess P() {{ state A; init A; }}\nsystem P;");
    match read(&text, "test.xta", Format::Xta) {
        Ok(reading) => {
            let found = reading.network.vars.iter().find(|v| v.name == "r");
            found.unwrap_or_else(|| panic!("there is no `r`")).init.clone()
        }
        Err(diagnostics) => panic!("{diagnostics:#?}\n{text}"),
    }
}
/// The codes of the messages about a model with these declarations.
fn codes(declarations: &str) -> Vec<&'static str> {
    let text = format!("{declarations}\nprocess P() {{ state A; init A; }}\nsystem P;");
    read(&text, "test.xta", Format::Xta).err().unwrap_or_default().iter().map(|d| d.code).collect()
}

#[test]
fn arithmetic_and_precedence() {
    assert_eq!(run("int r = 7 / 2 * 10 + 7 % 4 - (1 << 4);"), [17]);
    assert_eq!(run("int r = -7 / 2 + -7 % 4;"), [-6]);
    assert_eq!(run("int r = (3 <? 5) + (3 >? 5) * 10 + (6 & 3) * 100 + (6 ^ 3) * 1000;"), [5253]);
    assert_eq!(run("int r = 2 ** 5 + (5 == true) + (1 == true) * 100;"), [132]);
    // `imply` and `or` have one level and associate to the left.
    assert_eq!(run("bool r = false imply false or false;"), [1]);
    assert_eq!(run("bool r = true or false imply false;"), [0]);
    assert_eq!(run("bool r = 5 && 3;"), [1]);
    assert_eq!(run("bool r = 2 xor 4;"), [0]);
}

#[test]
fn loops() {
    assert_eq!(
        run("int f() { int s = 0; int i; for (i = 0; i < 5; i++) s += i; return s; } int r = f();"),
        [10]
    );
    assert_eq!(run("int f() { int s; for (i : int[2,4]) s = s * 10 + i; return s; } int r = f();"), [234]);
    assert_eq!(run("int f() { int s; while (s < 7) { s += 3; } return s; } int r = f();"), [9]);
    assert_eq!(run("int f() { int s = 9; do { s++; } while (s < 5); return s; } int r = f();"), [10]);
    // The condition has effects: it is evaluated before every round.
    assert_eq!(
        run("int f() { int n = 4; int s; while (n-- > 0) s++; return s * 10 + n; } int r = f();"),
        [39]
    );
    assert_eq!(
        run("int f() { int i, j; for (i = 0, j = 9; i < 3, j > 5; i++, j--); return i; } int r = f();"),
        [4]
    );
    assert_eq!(
        run("int f() { for (i : int[0,9]) { if (i * i > 20) return i; } return -1; } int r = f();"),
        [5]
    );
    // The default value, where a function ends without `return`.
    assert_eq!(run("int[3,5] f() { } int[0,9] r = f();"), [3]);
}

#[test]
fn declarations_in_blocks_start_afresh_in_every_round() {
    let text =
        "int f() { int s; for (i : int[0,3]) { int a; int b[2] = {1, i}; a += b[1]; s += a; } return s; }";
    assert_eq!(run(&format!("{text} int r = f();")), [6]);
    assert_eq!(
        run("int f(int x) { int y = x; { int x = 5; y += x; } return y * 10 + x; } int r = f(2);"),
        [72]
    );
}

#[test]
fn effects_inside_expressions_run_from_left_to_right() {
    assert_eq!(run("int f() { int i = 3; return i++ * 10 + i; } int r = f();"), [34]);
    assert_eq!(run("int f() { int i = 3; return i + i++ * 10; } int r = f();"), [33]);
    assert_eq!(run("int f() { int i = 3; return ++i * 10 + --i; } int r = f();"), [43]);
    assert_eq!(run("int f() { int a, b; a = b = 4; return a * 10 + b; } int r = f();"), [44]);
    assert_eq!(
        run("int f() { int a[3], i; a[i++] = i; a[i] = i++; return a[0]*100 + a[1]*10 + i; } int r = f();"),
        [112]
    );
    assert_eq!(run("int f() { int a[3], i; a[i] = i = 2; return a[0] * 10 + a[2]; } int r = f();"), [20]);
    assert_eq!(
        run("int f() { int i = 1, j; bool b = i == 0 && j++ > 0; return j * 10 + b; } int r = f();"),
        [0]
    );
    assert_eq!(
        run("int f() { int i = 1, j; bool b = i == 1 || j++ > 0; return j * 10 + b; } int r = f();"),
        [1]
    );
    assert_eq!(
        run("int f() { int i = 1, j; bool b = i == 1 imply j++ == 0; return j * 10 + b; } int r = f();"),
        [11]
    );
    assert_eq!(
        run("int f() { int i, j = 5; int k = i == 0 ? j++ : j--; return j * 10 + k; } int r = f();"),
        [65]
    );
    assert_eq!(run("int f() { int i = 2; i += i++; return i; } int r = f();"), [4]);
}

#[test]
fn arguments_by_value_and_by_reference() {
    assert_eq!(
        run("void g(int &x) { x = x + 1; } int f() { int a = 4; g(a); g(a); return a; } int r = f();"),
        [6]
    );
    assert_eq!(run("void g(int x) { x = x + 1; } int f() { int a = 4; g(a); return a; } int r = f();"), [4]);
    assert_eq!(
        run("void swap(int &a, int &b) { int t = a; a = b; b = t; }
             int f() { int v[3] = {1,2,3}; int i = 0; swap(v[i], v[i+2]);
                       return v[0]*100+v[1]*10+v[2]; } int r = f();"),
        [321]
    );
    // An early return of a call that is expanded in place ends that call alone.
    assert_eq!(
        run("int g(int &x) { if (x > 3) { x = 0; return 1; } x++; return 2; }
             int f() { int a = 3; int s = g(a); s = s * 10 + g(a); s = s * 10 + a; return s; } int r = f();"),
        [210]
    );
    assert_eq!(
        run("int g(int &x) { for (i : int[0,9]) { x += i; if (x > 5) return i; } return -1; }
             int f() { int a = 1; int i = g(a); return a * 10 + i; } int r = f();"),
        [73]
    );
    assert_eq!(
        run("int total(int a[3]) { int s; for (i : int[0,2]) { s += a[i]; a[i] = 0; } return s; }
             int f() { int v[3] = {1,2,3}; return total(v) * 10 + v[2]; } int r = f();"),
        [63]
    );
    assert_eq!(
        run(
            "int last(const int a[2][2]) { return a[1][1]; } const int c[2][2] = {{1,2},{3,4}}; int r = last(c);"
        ),
        [4]
    );
}

#[test]
fn records_and_arrays() {
    let s = "typedef struct { int a; int b[2]; } S;";
    assert_eq!(
        run(&format!(
            "{s} S make(int x) {{ S s = {{ x, {{ x+1, x+2 }} }}; return s; }}
        int f() {{ S s = make(3); S t[2]; t[1] = s;
        return t[1].a*100 + t[1].b[0]*10 + t[1].b[1]; }} int r = f();"
        )),
        [345]
    );
    assert_eq!(
        run(&format!(
            "{s} int f() {{ S s = {{1,{{2,3}}}}, t = {{1,{{2,3}}}};
             return (s == t) * 10 + (s != t); }} int r = f();"
        )),
        [10]
    );
    assert_eq!(
        run(&format!("{s} const S c = {{ b: {{7, 8}}, a: 9 }}; int r = c.a * 100 + c.b[0] * 10 + c.b[1];")),
        [978]
    );
    // Copying a part of an array onto itself.
    assert_eq!(
        run("int f() { int m[2][2] = {{1,2},{3,4}}; m[0] = m[1]; return m[0][0]*10+m[0][1]; } int r = f();"),
        [34]
    );
    // A copy whose index the copy itself changes.
    assert_eq!(
        run(
            "int f() { int m[2][2] = {{1,0},{5,6}}; m[m[0][0]-1] = m[1]; return m[0][0]*10+m[0][1]; } int r = f();"
        ),
        [56]
    );
    assert_eq!(
        run(
            "typedef int[2,4] I; int f() { int a[I]; for (i : I) a[i] = i; return a[2]*10+a[4]; } int r = f();"
        ),
        [24]
    );
    assert_eq!(run("int r[2][2] = {{1,2},{3,4}};"), [1, 2, 3, 4]);
    assert_eq!(run("int c() { int m[2][2]; bool k = true; return k ? m[0][1] + 3 : 0; } int r = c();"), [3]);
}

#[test]
fn quantifiers() {
    assert_eq!(run("const int a[3] = {1,2,3}; int r = sum (i : int[0,2]) a[i] * 10;"), [60]);
    assert_eq!(run("const int a[3] = {1,2,3}; bool r = forall (i : int[0,2]) a[i] > 0;"), [1]);
    assert_eq!(run("const int a[3] = {1,2,3}; bool r = exists (i : int[0,2]) a[i] > 3;"), [0]);
    assert_eq!(run("int f() { int a[2] = {4, 5}; return sum (i : int[0,1]) a[i]; } int r = f();"), [9]);
}

#[test]
fn what_cannot_be_computed_is_said() {
    assert_eq!(codes("int r = 1 / 0;"), ["E0534"]);
    assert_eq!(codes("int f() { while (true); return 1; } int r = f();"), ["E0534"]);
    assert_eq!(codes("int x; int r = x;"), ["E0534"]);
    assert_eq!(codes("const int a[2] = {1, 2}; int r = a[2];"), ["E0534"]);
    assert_eq!(codes("const int a[2][2] = {{1,2},{3,4}}; int r = a[0][2];"), ["E0534"]);
    assert_eq!(codes("int[0,3] r = 4;"), ["E0536"]);
    assert_eq!(codes("int x; int f() { return x++; } int r = f();"), ["E0539"]);
    assert_eq!(codes("int f() { return f(); }"), ["E0530"]);
}
