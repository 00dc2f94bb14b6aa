//! What is written for UPPAAL, word for word, and what is refused.

use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_ir::text::{self, ReadOptions};
use beeline_uppaal::write_xta;

fn network(text: &str) -> Network {
    match text::read(text, ReadOptions { file: "test", record_places: false }) {
        Ok(Model::Network(network)) => network,
        Ok(Model::Relation(_)) => panic!("not a network"),
        Err(diagnostics) => panic!("{diagnostics:?}"),
    }
}

fn refusal(text: &str) -> String {
    write_xta(&network(text)).expect_err("refused").to_string()
}

#[test]
fn a_model_with_everything() {
    let written = write_xta(&network(
        "network gate
         var a[3] in 0..5 = {0, 1, 2}
         var turn in 1..3 = 2
         clock t
         chan go[3]
         urgent broadcast chan stop priority 2
         fn inc(i in 0..2) -> 0..6 { local k in 0..6; k := a[i]; while k > 9 { k := k - 1; } return k + 1; }
         process 'Train(0)' {
           var n in 0..3
           clock x
           init far
           location far
           urgent location ask
           committed location near { condition turn != 0; invariant x <= 5, turn > 1 => t - x < 3 }
           edge far -> near {
             select i in 0..2
             guard turn == i + 1 && (a[i] == 0 || exists(j in 0..2 : a[j] > min(i, 2)))
             when x >= 3, i == 1 => t > 2
             send go[i]
             do { x := 0; n := call inc(i); t := x; }
           }
           edge near -> ask {
             select i in 0..1
             local k in 0..2
             do { k := i + 1; if a[k] > 0 { a[k] := 0; } else { x := 2; } }
           }
           edge ask -> far { send stop }
         }
         process 'select' priority 1 {
           init idle
           location idle
           edge idle -> idle { receive go[turn - 1] free }
         }
         property p : A[] !('Train(0)'.near && 'Train(0)'.x > 3) || deadlock
         property q : E<> forall(i in 0..2 : a[i] != 0 ? turn == i : ~turn < -(3))
         property r : no-runtime-error",
    ))
    .expect("writable");
    assert_eq!(
        written.model,
        "\
// gate, written by Beeline.
// Train(0) is called Train_0 here.
// select is called select_2 here.
// Train(0).n is called Train_0_n here.
// Train(0).x is called Train_0_x here.
// A step of its own here, none in Beeline: process select, edge 0 (idle -> idle).
int[0,5] a[3] = { 0, 1, 2 };
int[1,3] turn = 2;
int[0,3] Train_0_n = 0;
clock t;
clock Train_0_x;
chan go[3];
urgent broadcast chan stop;
chan priority default < stop;
int[0,6] inc(int[0,2] i) {
    int[0,6] k;
    k = a[i];
    while (k > 9) {
        k = k - 1;
    }
    return k + 1;
}
void Train_0_edge1(int[0,1] i) {
    int[0,2] k;
    k = i + 1;
    if (a[k] > 0) {
        a[k] = 0;
    } else {
        Train_0_x = 2;
    }
}
process Train_0() {
state far, ask, near { turn != 0 && Train_0_x <= 5 && (!(turn > 1) || t - Train_0_x < 3) };
commit near;
urgent ask;
init far;
trans
    far -> near { select i : int[0,2]; guard turn == i + 1 && (a[i] == 0 || \
(exists (j : int[0,2]) a[j] > i <? 2)) && Train_0_x >= 3 && (!(i == 1) || t > 2); sync go[i]!; \
assign Train_0_x = 0, Train_0_n = inc(i), t = Train_0_x; },
    near -> ask { select i : int[0,1]; assign Train_0_edge1(i); },
    ask -> far { sync stop!; };
}
process select_2() {
state idle;
init idle;
trans
    idle -> idle { sync go[turn - 1]?; };
}
system Train_0 < select_2;
"
    );
    assert_eq!(
        written.queries,
        "\
A[] !(Train_0.near && Train_0_x > 3) || deadlock
E<> (forall (i : int[0,2]) (a[i] != 0 ? turn == i : -1 - turn < -3))
// No query of UPPAAL asks for this: property r
"
    );
}

#[test]
fn what_has_no_form_is_named() {
    let process = "process P { init a location a edge a -> a { BODY } }";
    let with = |declarations: &str, body: &str| {
        refusal(&format!("network m\n{declarations}\n{}", process.replace("BODY", body)))
    };
    assert_eq!(with("buffer q capacity 1 of (0..1)", ""), "channel q: a channel with a buffer");
    assert_eq!(with("chan c of (0..1)", "send c(1)"), "channel c: a channel that carries messages");
    assert_eq!(
        with("var v in 0..3", "do { wrap v := 5; }"),
        "process P, edge 0 (a -> a): a store that wraps around"
    );
    assert_eq!(
        with("var v in 0..3", "guard P.a"),
        "process P, edge 0 (a -> a): a test of a location outside a query"
    );
    assert_eq!(
        with("var v in 0..3", "guard v < 3000000000"),
        "process P, edge 0 (a -> a): a number outside the 32-bit integers"
    );
    assert_eq!(with("var v in 0..3000000000", ""), "variable v: a number outside the 32-bit integers");
    assert_eq!(
        refusal("network m process P { init a atomic location a }"),
        "process P, location a: the exclusivity token of an atomic location"
    );
    assert_eq!(
        refusal("network m family f process P { init a location a } process Q in f { init b location b }"),
        "process Q: processes that start or end"
    );
    assert_eq!(
        refusal("network m process P { init a location a } observer process O { init b location b }"),
        "process O: an observer"
    );
    assert_eq!(
        refusal(
            "network m broadcast chan c process P priority 2 { init a location a } process Q { init b location b }"
        ),
        "process Q: a priority against the order in which broadcasts are received"
    );
}
