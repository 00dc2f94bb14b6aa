//! Every construct of the language, and how it is read.

use crate::parse::shown::{decl, expr, join, params, read, ty};
use beeline_uppaal::ast::{Document, Edge, Item, Node, Template};
use beeline_uppaal::{Format, parse};

fn document(text: &str) -> Document {
    parse(text, Format::Xta).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).document
}

/// The declarations of a text.
fn decls(text: &str) -> Vec<String> {
    let item = |item: &Item| match item {
        Item::Decl(d) => decl(d),
        other => format!("{other:?}"),
    };
    document(text).items.iter().map(item).collect()
}

fn template(text: &str) -> Template {
    match document(text).items.into_iter().next() {
        Some(Item::Template(template)) => template,
        other => panic!("{other:?}"),
    }
}

#[test]
fn precedence_is_that_of_the_table() {
    for (text, expected) in [
        ("a.b[i]'", "a.b[i]'"),
        ("-a[i].b++", "(- (a[i].b++))"),
        ("!a.b", "(! a.b)"),
        ("not a == b", "((! a) == b)"),
        ("- a ** b", "((- a) ** b)"),
        ("a ** b ** c", "((a ** b) ** c)"),
        ("a * b ** c", "(a * (b ** c))"),
        ("a + b * c % d", "(a + ((b * c) % d))"),
        ("a - b - c", "((a - b) - c)"),
        ("a << b + c", "(a << (b + c))"),
        ("a <? b << c >? d", "((a <? (b << c)) >? d)"),
        ("a < b <? c", "(a < (b <? c))"),
        ("a == b < c", "(a == (b < c))"),
        ("a & b == c", "(a & (b == c))"),
        ("a ^ b & c", "(a ^ (b & c))"),
        ("a | b ^ c", "(a | (b ^ c))"),
        ("a && b | c", "(a && (b | c))"),
        ("a || b && c", "(a || (b && c))"),
        ("a or b and not c", "(a || (b && (! c)))"),
        ("a imply b or c", "((a imply b) || c)"),
        ("a or b imply c", "((a || b) imply c)"),
        ("a imply b imply c", "((a imply b) imply c)"),
        ("a xor b or c xor d", "(((a xor b) || c) xor d)"),
        ("a or b ? c : d", "((a || b) ? c : d)"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
        ("a = b = c", "(a = (b = c))"),
        ("a := b ? c : d", "(a = (b ? c : d))"),
        ("a ? b = 1 : c = 2", "(a ? (b = 1) : (c = 2))"),
        ("a += b -= c", "(a += (b -= c))"),
        ("a <<= b", "(a <<= b)"),
        ("a - -1", "(a - (- 1))"),
        ("++a + b--", "((++a) + (b--))"),
        ("-2147483648", "(- 2147483648)"),
        ("2147483647", "2147483647"),
        ("forall (i : int[0,3]) a[i] && b || c", "(Forall i:int[0,3] ((a[i] && b) || c))"),
        ("a && exists (i : id_t) b imply c", "(a && (Exists i:id_t (b imply c)))"),
        ("(exists (i : id_t) b) imply c", "((Exists i:id_t b) imply c)"),
        ("sum (i : id_t) a[i] == 3", "(Sum i:id_t (a[i] == 3))"),
        ("forall (i : id_t) forall (j : id_t) P(i).cs", "(Forall i:id_t (Forall j:id_t P(i).cs))"),
        ("not deadlock", "(! deadlock)"),
        ("f(a, b + 1)(c).d", "f(a, (b + 1))(c).d"),
        (
            "A[1] + E.U + sup + inf + bounds + M + W + R",
            "(((((((A[1] + E.U) + sup) + inf) + bounds) + M) + W) + R)",
        ),
        ("1.5e3 > x", "(double 1.5e3 > x)"),
        ("x-->0", "Unsupported(\"p --> q\")"),
        ("P.location == INT8_MAX", "(P.location == INT8_MAX)"),
        ("~a", "(~ a)"),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn every_operator_associates_to_the_left() {
    let operators = "** * / % + - << >> <? >? < <= >= > == != & ^ | && and || or xor imply";
    for op in operators.split(' ') {
        let once = read(&format!("a {op} b"));
        let twice = read(&format!("a {op} b {op} c"));
        assert_eq!(twice, once.replace("b)", "c)").replace("(a", &format!("({once}")), "{op}");
    }
}

#[test]
fn long_conjunctions_are_balanced_and_keep_their_order() {
    let terms: Vec<String> = (0..5000).map(|i| format!("t{i}")).collect();
    for op in ["&&", "or"] {
        let read = read(&terms.join(&format!(" {op} ")));
        let found: Vec<&str> =
            read.split(|c: char| !c.is_alphanumeric()).filter(|t| t.starts_with('t')).collect();
        assert_eq!(found, terms);
    }
    assert_eq!(read("a && b && c && d"), "(((a && b) && c) && d)");
}

#[test]
fn declarations() {
    for (text, expected) in [
        ("int a, b[3][id_t] = {{1, 2}, {3}};", "int a, b[3][id_t] = {{1, 2}, {3}};"),
        ("const int[0,N-1] k := 2;", "const int[0,(N - 1)] k = 2;"),
        ("int [1, 2] c;", "int[1,2] c;"),
        ("bool a = true; meta int m;", "bool a = true;|meta int m;"),
        ("urgent broadcast chan c[int[1,3]];", "urgent broadcast chan c[int[1,3]];"),
        ("clock x, y[2]; hybrid clock h;", "clock x, y[2];|hybrid clock h;"),
        ("typedef scalar[N] set_t, sets[2]; set_t s;", "typedef scalar[N] set_t, sets[2];|set_t s;"),
        (
            "typedef struct { int a, b[2]; struct { bool c; } d; } s; s v = {a: 1, {0, 1}, {true}};",
            "typedef struct{int a, b[2]; struct{bool c;} d;} s;|s v = {a: 1, {0, 1}, {true}};",
        ),
        ("double d = 1.5; string s = \"a b\";", "double d = double 1.5;|string s = \"a b\";"),
        (
            "int A, E, U, sup, priority, query, import, string;",
            "int A, E, U, sup, priority, query, import, string;",
        ),
        ("chan priority a, b[0] < default < c;", "priority a, b[0] < default < c"),
        ("before_update { a = 1, f() } after_update { b++ }", "before (a = 1), f()|after (b++)"),
        ("import \"lib\" { int f(int a); };", "unsupported import"),
        ("dynamic P(int a);", "unsupported dynamic"),
        ("id_t f(id_t &a, const int b[2]) { return a; };", "id_t f(id_t &a, const int b[2]) {return a;}"),
        (
            "void f() { int i = 0; id_t k; typedef int[0,1] b; i = 1; ; { int j; j++; } }",
            "void f() {int i = 0; id_t k; typedef int[0,1] b;(i = 1); ; {int j;(j++);}}",
        ),
        (
            "void f() { for (i = 0, j = 1; i < 3; i++) g(i); for (k : id_t) ; for (;;) {} }",
            "void f() {for((i = 0), (j = 1);(i < 3);(i++)) g(i); for(k:id_t) ; for(;;) {}}",
        ),
        (
            "void f() { while (a) b--; do { } while (c); if (a) if (b) c = 1; else d = 1; return; assert x > 0; }",
            "void f() {while(a) (b--); do {} while(c); if(a) if(b) (c = 1); else (d = 1); return ; assert (x > 0);}",
        ),
    ] {
        assert_eq!(decls(text).join("|"), expected, "{text}");
    }
}

/// An edge on one line.
fn edge(template: &Template, e: &Edge) -> String {
    let node = |node: Node| match node {
        Node::Location(at) => template.locations[at].name.name.clone(),
        Node::Branchpoint(at) => format!("({})", template.branchpoints[at].name),
    };
    let mut text = format!("{}->{}", node(e.source), node(e.target));
    for (name, t) in &e.selects {
        text += &format!(" select {}:{}", name.name, ty(t));
    }
    if let Some(guard) = &e.guard {
        text += &format!(" guard {}", expr(guard));
    }
    if let Some(sync) = &e.sync {
        text += &format!(" sync {}{}", expr(&sync.channel), if sync.send { "!" } else { "?" });
    }
    if !e.update.is_empty() {
        text += &format!(" assign {}", join(&e.update, ", ", expr));
    }
    if let Some(p) = &e.probability {
        text += &format!(" weight {}", expr(p));
    }
    if e.controllable { text } else { text + " uncontrollable" }
}

#[test]
fn processes() {
    let t = template(
        "process P(const int n, clock &x, chan &c[2]) {
            int v; urgent chan go;
            void f() { v = 1; }
            state A { x <= 5 && v < 3 }, B { x <= 2, v == 1 }, C, D { ; 3 }, E { x < 1; 1 : 2 };
            branchpoint b;
            commit B; urgent C, D;
            init C;
            trans A -> B { select i : int[0,3], j : id_t; guard x > 1, v == 0; sync c[i]!; assign v = 1, f(); },
                  -> C { sync go?; }, -u-> A { guard ; },
                  C -u-> b { },
                  b -> A { probability 2; },
                  b -> B { assign v := 2; probability 1; };
        } system P;",
    );
    assert_eq!(params(&t.params), "const int n, clock &x, chan &c[2]");
    assert_eq!(t.decls.len(), 3);
    let location = |l: &beeline_uppaal::ast::Location| {
        let show = |e: &Option<_>| e.as_ref().map_or(String::from("-"), expr);
        let flags = (if l.urgent { " urgent" } else { "" }, if l.committed { " committed" } else { "" });
        format!("{} {} {}{}{}", l.name.name, show(&l.invariant), show(&l.exponential_rate), flags.0, flags.1)
    };
    assert_eq!(
        join(&t.locations, "; ", location),
        "A ((x <= 5) && (v < 3)) -; B ((x <= 2) && (v == 1)) - committed; \
         C - - urgent; D - 3 urgent; E (x < 1) (1 / 2)"
    );
    assert_eq!(t.init, Some(2));
    let edges: Vec<String> = t.edges.iter().map(|e| edge(&t, e)).collect();
    assert_eq!(
        edges,
        [
            "A->B select i:int[0,3] select j:id_t guard ((x > 1) && (v == 0)) sync c[i]! assign (v = 1), f()",
            "A->C sync go?",
            "A->A uncontrollable",
            "C->(b) uncontrollable",
            "(b)->A weight 2",
            "(b)->B assign (v = 2) weight 1",
        ]
    );
}

#[test]
fn systems_and_instances() {
    let d = document(
        "process P(int &x, const int k) { state A; init A; } int v;
         Q(const int[0,3] i) = P(v, i); R = Q(1); S() := P(v, 2 + 3);
         system R, S < Q; progress { v; } gantt { g : v -> 1; } query { E<> R.A } query { }",
    );
    let instances = d.items.iter().filter_map(|item| match item {
        Item::Instance(i) => Some(format!(
            "{}({}) {}({})",
            i.name.name,
            params(&i.params),
            i.template.name,
            join(&i.args, ", ", expr)
        )),
        _ => None,
    });
    let instances: Vec<String> = instances.collect();
    assert_eq!(instances, ["Q(const int[0,3] i) P(v, i)", "R() Q(1)", "S() P(v, (2 + 3))"]);
    let system = d.system.unwrap();
    assert_eq!(join(&system.groups, " < ", |g| join(g, ", ", |n| n.name.clone())), "R, S < Q");
    assert_eq!(join(&d.queries, "|", |q| q.text.clone()), "E<> R.A");
    let notes = parse("process P { state A; init A; } system P; progress { v; }", Format::Xta).unwrap().notes;
    assert_eq!(notes.iter().map(|n| n.code).collect::<Vec<_>>(), ["W0502"]);
}

#[test]
fn the_old_syntax() {
    let text = "const N 5, M -3; const A[2] {1, 2}; int[0,N] v := 1; chan select;
         process P(clock x, y; int id, w[2]; const k, m) {
            const L 2;
            state S { x =< k, y =< 3 }, T; init S;
            trans S -> T { guard x => 1, id == k; sync select!; assign x := 0, id := m; };
         }
         P1 := P(c, d, v, u, 1, 2);
         system P1;";
    let parsed = parse(text, Format::Xta).unwrap();
    assert!(parsed.document.old_syntax);
    assert_eq!(parsed.notes.iter().map(|n| n.code).collect::<Vec<_>>(), ["W0501"]);
    let items = &parsed.document.items;
    let text = |at: usize| match &items[at] {
        Item::Decl(d) => decl(d),
        other => format!("{other:?}"),
    };
    assert_eq!(text(0), "const int N = 5, M = (- 3);");
    assert_eq!(text(1), "const int A[2] = {1, 2};");
    let Item::Template(t) = &items[4] else { panic!("{:?}", items[4]) };
    assert_eq!(params(&t.params), "clock &x, clock &y, int &id, int &w[2], const int k, const int m");
    assert_eq!(expr(t.locations[0].invariant.as_ref().unwrap()), "((x <= k) && (y <= 3))");
    assert_eq!(
        edge(t, &t.edges[0]),
        "S->T guard ((x >= 1) && (id == k)) sync select! assign (x = 0), (id = m)"
    );
    assert!(!document("process P(clock &x) { state A; init A; } system P;").old_syntax);
}

#[test]
fn a_new_file_with_an_old_sign_is_refused() {
    // With functions it is no old file, so that by-value parameters must not silently become references.
    let text = "const N 5; void f() { } process P(int a) { state A; init A; } system P;";
    assert!(parse(text, Format::Xta).is_err());
    let errors =
        parse("int x; void f() { x = x =< 5; } process P { state A; init A; } system P;", Format::Xta);
    let errors = errors.unwrap_err();
    assert!(errors[0].help.as_ref().unwrap().contains("`<=`"), "{errors:?}");
}
