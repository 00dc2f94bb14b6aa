//! What the C preprocessor makes of the same texts (`gcc -std=gnu99 -E -x c`, which is what Spin runs).

use super::*;

fn expanded(text: &str) -> Result<String, Vec<String>> {
    let mut messages = Messages::default();
    let include = |name: &str| match name {
        "n.h" => Ok("#define N 3\n".to_string()),
        "sub/a.h" => Ok("#include \"b.h\"\n#include \"c/d.h\"\n".to_string()),
        "sub/b.h" => Ok("b ".to_string()),
        "sub/c/d.h" => Ok("#pragma once\nd __LINE__ __FILE__".to_string()),
        "loop.h" => Ok("#include \"loop.h\"\n".to_string()),
        _ => Err("there is no such file".to_string()),
    };
    let found = preprocess(text, "m.pml", &include, Macros::new(), &mut messages);
    match messages.finish() {
        Ok(_) => Ok(found.tokens.iter().map(|t| &*t.text).collect::<Vec<_>>().join(" ").trim().to_string()),
        Err(errors) => Err(errors.into_iter().map(|d| d.message).collect()),
    }
}

fn ok(text: &str) -> String {
    expanded(text).unwrap_or_else(|e| panic!("{text}\n{e:?}"))
}

/// What is wrong with a text, the first if there is more.
fn wrong(text: &str) -> String {
    expanded(text).map_or_else(|errors| errors[0].clone(), |found| panic!("{text}\n{found}"))
}

#[test]
fn macros_are_expanded() {
    assert_eq!(ok("#define N 4\nbyte a[N];"), "byte a [ 4 ] ;");
    assert_eq!(ok("#define f (x)\nf"), "( x )");
    assert_eq!(
        ok("#define inc(x,y) x++; y = (x)\ninc(a(i, 1),\n b)"),
        "a ( i , 1 ) ++ ; b = ( a ( i , 1 ) )"
    );
    assert_eq!(ok("#define A B\n#define B A\nA"), "A");
    assert_eq!(ok("#define A B\n#define B 2\nA\n#undef B\nA"), "2 B");
    assert_eq!(ok("#define f(x) x+1\nf(f(2)) f"), "2 + 1 + 1 f");
    assert_eq!(ok("#define none() 7\nnone()"), "7");
    assert_eq!(ok("#define two a \\\n b\ntwo"), "a b");
    // Brackets and braces were taken to hold arguments together, as only parentheses do.
    assert_eq!(ok("#define f(x,y) x;y\nf(a[1, 2])"), "a [ 1 ; 2 ]");
    assert!(wrong("#define f(x) x\nf({a, b})").contains("takes 1 arguments, not 2"));
}

#[test]
fn what_a_macro_stands_for_is_read_again_with_what_follows() {
    // Names of macros with parameters that came from macros were left as they were.
    assert_eq!(ok("#define f g\n#define g(x) x+1\nf(2) f (2)"), "2 + 1 2 + 1");
    assert_eq!(ok("#define f g(\n#define g(x) x+1\nf 2)"), "2 + 1");
    assert_eq!(ok("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)"), "2 * 9 * g");
    assert_eq!(ok("#define h(x) x h\nh(1)(2)"), "1 h ( 2 )");
    assert_eq!(ok("#define id(x) x\n#define A id(A) B\nid(A) id(id)(A)"), "A B id ( A B )");
    assert_eq!(ok("#define f(x) <x>\nf\n(1) f\n#define g\n(2)"), "< 1 > < 2 >");
    assert_eq!(ok("#define N 1\n#define f(x,y) x y\nf(N,\n#undef N\nN)"), "N N");
    assert!(wrong("#define f(x) x\nf(1").contains("do not end"));
}

#[test]
fn tokens_are_pasted_and_quoted() {
    assert_eq!(ok("#define cat(a,b) a##b\ncat(x,1) cat(x y,z w) cat(1,2) cat(-,>)"), "x1 x yz w 12 ->");
    // An empty argument was overlooked, and the token before the last one pasted.
    assert_eq!(ok("#define cat(a,b) = a##b\ncat(,1) cat(2,) cat(,)"), "= 1 = 2 =");
    assert_eq!(ok("#define N 3\n#define cat(a,b) a##b a\n#define o x ## N ## 1\ncat(N,N) o"), "NN 3 xN1");
    assert_eq!(ok("#define hash #x\nhash"), "# x");
    assert_eq!(ok("#define cat(a,b) a##b\n#define ab 7\ncat(a,b)"), "7");
    assert!(wrong("#define cat(a,b) a##b\ncat(],])").contains("`]]`"));
    assert!(wrong("#define f ## x").contains("either side"));
    assert_eq!(ok("#define s(x) #x\ns( a  +b ) s(\"a\\n\" 'b')"), r#""a +b" "\"a\\n\" 'b'""#);
    assert_eq!(ok("#define N 3\n#define s(x) #x x\n#define t(x) s(x)\ns(N) t(N)"), "\"N\" 3 \"3\" 3");
    assert!(wrong("#define s(x) #y").contains("a parameter is expected"));
}

#[test]
fn the_last_parameter_may_stand_for_more() {
    let p = "#define p(f, ...) printf(f, ## __VA_ARGS__)\n#define q(all...) <all>\n";
    assert_eq!(
        ok(&format!("{p}p(a) p(a,) p(a, b, (c))")),
        "printf ( a ) printf ( a , ) printf ( a , b , ( c ) )"
    );
    assert_eq!(ok(&format!("{p}q() q(a,b)")), "< > < a , b >");
    assert!(wrong("#define f(x, ..., y) x").contains("`)` is missing"));
    assert!(wrong("#define f(x, x) x").contains("already"));
}

#[test]
fn places_are_numbers() {
    assert_eq!(ok("#define here __LINE__\n\nhere __FILE__\n__LINE__"), "3 \"m.pml\" 4");
    assert_eq!(ok("# 70 \"f\"\n__LINE__\n#line 5\n__LINE__"), "70 5");
}

#[test]
fn conditionals_choose() {
    assert_eq!(ok("#if 0\nthere's nothing\n#else\nx\n#endif"), "x");
    assert_eq!(ok("#define N 3\n#if N > 2 && !defined(M)\nx\n#elif 1\ny\n#endif"), "x");
    assert_eq!(ok("#ifdef N\n#if 1\na\n#endif\n#else\n#ifndef N\nb\n#endif\n#endif"), "b");
    assert_eq!(ok("#if M == 0\nx\n#endif"), "x");
    assert_eq!(ok("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#elif 1/0\nd\n#endif"), "c");
    assert_eq!(ok("#define E\n#define has defined E && defined(E)\n#if has\nx\n#endif"), "x");
    // A second `#else` was taken.
    assert!(wrong("#if 0\n#else\n#else\n#endif").contains("come already"));
    assert!(wrong("#if 0\n#else\n#elif 1\n#endif").contains("come already"));
    assert!(wrong("#if 1\n").contains("no `#endif`"));
    assert!(wrong("#endif\n").contains("no `#if`"));
}

#[test]
fn conditions_are_those_of_c() {
    // Numbers that begin with 0, and those without a sign, were read as others; `?:` and `1/0` where it does not matter were
    // refused.
    for holds in [
        "010 == 8",
        "-1 > 0u",
        "0x10 == 020",
        "'a' == 97",
        "1 ? 2 : 0",
        "0 ? 0 : 0 ? 0 : 1",
        "!(0 && 1/0)",
        "1 || 1/0",
        "1 ? 1 : 1/0",
        "!!X == 0",
        "1 << 4 == 16",
        "-1 >> 1 == -1",
        "~0u > 5",
        "+1",
        "(0 ? 1u : -1) > 0",
        "18446744073709551615 > 1",
        "7 / 2 * 2 == 6",
        "-7 % 4 == -3",
        "1 | 2 ^ 3 & 4",
    ] {
        assert_eq!(ok(&format!("#if {holds}\nyes\n#endif")), "yes", "{holds}");
    }
    for refused in
        ["1/0", "1 %0", "", "1 +", "1 2", "f(1)", "09", "x = 1", "1 ? 2", "99999999999999999999", "12ab"]
    {
        assert!(wrong(&format!("#if {refused}\n#endif")).contains("no constant"), "{refused}");
    }
}

#[test]
fn files_are_included() {
    assert_eq!(expanded("#include \"n.h\"\nN").unwrap(), "3");
    assert_eq!(ok("#define D \"n.h\"\n#include D\nN"), "3");
    // They were looked for in the folder of the model, and included twice whatever they said.
    let twice = "#include \"sub/a.h\"\n#include \"sub/c/d.h\"\n__LINE__ __FILE__";
    assert_eq!(ok(twice), "b d 2 \"sub/c/d.h\" 3 \"m.pml\"");
    assert_eq!(
        expanded("#include \"m.h\"").unwrap_err(),
        ["`m.h` cannot be included: there is no such file"]
    );
    assert!(expanded("#include \"loop.h\"").unwrap_err()[0].contains("too many files"));
    assert!(expanded("#include <stdio.h>").is_err());
}

#[test]
fn growth_is_limited() {
    let mut text = "#define a0 x x x x x x x x\n".to_string();
    for i in 1..20 {
        text += &format!("#define a{i} a{0} a{0} a{0} a{0} a{0} a{0} a{0} a{0}\n", i - 1);
    }
    assert!(wrong(&(text + "a19")).contains("too many tokens"));
    let double = "#define d(x) x x\n#define e(x) d(d(d(d(d(d(x))))))\n#define s(x) #x\n#define t(x) s(x)\n";
    assert!(wrong(&format!("{double}e(e(e(e(e(x)))))")).contains("too many tokens"));
    let nested = |inner: &str, times: usize| format!("{}{inner}{}", "t(".repeat(times), ")".repeat(times));
    assert!(wrong(&format!("{double}{}", nested("\"\\\\\"", 60))).contains("too many tokens"));
    let paste = "#define c(x) x##x\n#define t(x) c(x)\n";
    assert!(wrong(&format!("{paste}{}", nested("x", 60))).contains("makes no token"));
}

#[test]
fn macros_nest_deeply_and_arguments_as_far_as_the_stack_goes() {
    let chain: String = (1..5000).map(|i| format!("#define a{i} a{}\n", i - 1)).collect();
    assert_eq!(ok(&format!("{chain}a4999")), "a0");
    // It took time in proportion to the square, and stack.
    let nested = |times: usize| format!("#define F(x) x\n{}1{}", "F(".repeat(times), ")".repeat(times));
    assert_eq!(ok(&nested(150)), "1");
    assert!(wrong(&nested(2_000)).contains("nested too deeply"));
    assert!(wrong(&nested(500_000)).contains("too many tokens"));
    // As long as the square of their number, too.
    assert_eq!(ok(&format!("{}x\n{}", "#if 1\n".repeat(300_000), "#endif\n".repeat(300_000))), "x");
    assert!(wrong(&format!("#if {}1", "(".repeat(10_000))).contains("no constant"));
    assert!(wrong(&format!("#if {}1", "1 ? ".repeat(10_000))).contains("no constant"));
}
