//! Fischer's protocol: mutual exclusion by timing alone.

use crate::{Answer, Family, Parameter, Query, Values};

/// The family.
pub const FISCHER: Family = Family {
    name: "fischer",
    about: "mutual exclusion by one shared variable and waiting long enough",
    source: "M. Fischer's protocol as described by L. Lamport, A fast mutual exclusion algorithm, 1987; \
             structure and constants of TChecker's example of that name",
    parameters: &[
        Parameter { name: "n", constant: "N", about: "processes", least: 1, most: 40, default: 5 },
        Parameter { name: "k", constant: "K", about: "time to write", least: 1, most: 1000, default: 10 },
    ],
    fault: Some("a process waits as long as a write may take, and not longer"),
    model,
    queries,
};

/// How long to wait, and how long is not long enough.
const WAIT: (&str, &str) = ("x > K", "x >= K");

fn model(values: &Values) -> String {
    if values.faulty { MODEL.replace(WAIT.0, WAIT.1) } else { MODEL.into() }
}

const MODEL: &str = "\
typedef int[1,N] id_t;

int[0,N] id;    // whose turn it is; 0: nobody's

process P(const id_t pid) {
    clock x;
    state
        A,
        req { x <= K },
        wait,
        cs;
    init A;
    trans
        A -> req { guard id == 0; assign x = 0; },
        req -> wait { guard x <= K; assign x = 0, id = pid; },
        // Somebody has left: try again.
        wait -> req { guard id == 0; assign x = 0; },
        // Whoever was still writing has written by now.
        wait -> cs { guard x > K && id == pid; },
        cs -> A { assign id = 0; };
}

system P;
";

fn queries(values: &Values) -> Vec<Query> {
    let n = values["n"];
    vec![
        Query {
            text: "A[] forall (i : id_t) forall (j : id_t) P(i).cs and P(j).cs imply i == j",
            about: "at most one process is in its critical section",
            // Two ask; one writes, waits and enters at the last moment at which the other may write.
            answer: if values.faulty && n > 1 { Answer::Violated { length: 6 } } else { Answer::Holds },
        },
        Query {
            text: "E<> forall (i : id_t) P(i).wait",
            about: "all wait at once",
            answer: Answer::Reached { length: 2 * n },
        },
    ]
}
