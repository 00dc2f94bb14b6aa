//! Production cells that share a critical region.

use crate::{Answer, Family, Format, Parameter, Query, Values};

/// The family.
pub const CRITICAL_REGION: Family = Family {
    name: "critical-region",
    about: "production cells that are let into a critical region by arbiters and a running counter",
    source: "G. Morbé, F. Pigorsch, C. Scholl, Fully symbolic model checking for timed automata, 2011; structure \
             and constants of TChecker's example of that name",
    parameters: &[
        Parameter { name: "n", constant: Some("N"), about: "cells", least: 1, most: 40, default: 3 },
        Parameter {
            name: "t",
            constant: Some("T"),
            about: "time for a test",
            least: 1,
            most: 1000,
            default: 10,
        },
    ],
    variants: &[],
    fault: None,
    texts: &[(Format::Xta, |_| MODEL.into())],
    maps: None,
    queries,
};

const MODEL: &str = "\
typedef int[1,N] id_t;

chan enter[N+1], leave[N+1];

int[0,N] id;    // whose turn it is; 0: nobody's yet

// Passes the turn on.
process Counter() {
    state I, C;
    init I;
    trans
        I -> C { guard id == 0; assign id = 1; },
        C -> C { guard id < N; assign id = id + 1; },
        C -> C { guard id == N; assign id = 1; };
}

process Arbiter(const id_t pid) {
    state req, ack;
    init req;
    trans
        req -> ack { guard id == pid; sync enter[pid]?; assign id = 0; },
        ack -> req { sync leave[pid]?; assign id = pid; };
}

process Cell(const id_t pid) {
    clock x;
    state
        not_ready,
        testing { x <= T },
        requesting,
        critical { x <= 2 * T },
        testing2 { x <= T },
        safe,
        error;
    init not_ready;
    trans
        not_ready -> testing { guard x <= 2 * T; assign x = 0; },
        testing -> not_ready { guard x >= T; assign x = 0; },
        testing -> requesting { guard x <= T - 1; },
        requesting -> critical { sync enter[pid]!; assign x = 0; },
        // Too slow.
        critical -> error { guard x >= 2 * T; },
        critical -> testing2 { guard x <= T - 1; sync leave[pid]!; assign x = 0; },
        testing2 -> error { guard x >= T; },
        testing2 -> safe { guard x <= T - 1; };
}

system Counter, Arbiter, Cell;
";

fn queries(_: &Values) -> Vec<Query> {
    vec![
        Query {
            text: "A[] forall (i : id_t) Cell(i).critical imply Arbiter(i).ack",
            about: "nobody is in the critical region uninvited",
            answer: Answer::Holds,
        },
        Query {
            text: "A[] forall (i : id_t) not Cell(i).error",
            about: "no cell is too slow; but nothing keeps the first one from staying",
            answer: Answer::Violated { length: Some(5) },
        },
    ]
}
