//! Fischer's protocol: mutual exclusion by timing alone.

use crate::{Answer, Family, Format, Parameter, Query, Values, Variant};
use std::fmt::Write;

/// The family.
pub const FISCHER: Family = Family {
    name: "fischer",
    about: "mutual exclusion by one shared variable and waiting long enough",
    source: "M. Fischer's protocol as described by L. Lamport, A fast mutual exclusion algorithm, 1987; \
             structure and constants of TChecker's example of that name",
    parameters: &[
        Parameter { name: "n", constant: Some("N"), about: "processes", least: 1, most: 40, default: 5 },
        Parameter {
            name: "k",
            constant: Some("K"),
            about: "time to write",
            least: 1,
            most: 1000,
            default: 10,
        },
    ],
    variants: &[
        Variant { name: "plain", about: "asked about any two processes", sizes: 1..=40, faulty: false },
        Variant {
            name: "fa",
            about: "with an observer that is told who enters",
            sizes: 2..=40,
            faulty: true,
        },
        Variant { name: "fb", about: "asked about the first two processes", sizes: 2..=40, faulty: true },
    ],
    fault: Some("a process waits as long as a write may take, and not longer"),
    texts: &[(Format::Xta, model)],
    maps: None,
    queries,
};

/// How long to wait, and how long is not long enough.
const WAIT: (&str, &str) = ("x > K", "x >= K");

/// How a process leaves its critical section, and what it does there if there is somebody to tell.
const LEAVE: (&str, &str) = (
    "cs -> A { assign id = 0; }",
    "cs -> A { sync leave[pid]!; assign id = 0; }, cs -> cs { sync enter[pid]!; }",
);

fn model(values: &Values) -> String {
    let text = if values.faulty { MODEL.replace(WAIT.0, WAIT.1) } else { MODEL.into() };
    match values.variant() {
        "fa" => {
            let text = text.replace(LEAVE.0, LEAVE.1).replace("system P;", "system Observer, P;");
            text.replace(
                "process P(",
                &format!("chan enter[N+1], leave[N+1];\n\n{}process P(", observer(values["n"])),
            )
        }
        _ => text,
    }
}

/// An automaton that is told who is in its critical section; two of them at once are an error.
fn observer(n: u32) -> String {
    let seen: Vec<String> = (1..=n).map(|i| format!("seen{i}")).collect();
    let seen = seen.join(", ");
    let mut text =
        format!("process Observer() {{\n    state idle, {seen}, error;\n    init idle;\n    trans\n");
    for i in 1..=n {
        let _ = writeln!(text, "        idle -> seen{i} {{ sync enter[{i}]?; }},");
        let _ = writeln!(
            text,
            "        seen{i} -> error {{ select j : id_t; guard j != {i}; sync enter[j]?; }},"
        );
        let _ = writeln!(text, "        seen{i} -> idle {{ sync leave[{i}]?; }},");
        let _ = writeln!(
            text,
            "        seen{i} -> seen{i} {{ select j : id_t; guard j != {i}; sync leave[j]?; }},"
        );
    }
    text + "        idle -> idle { select j : id_t; sync leave[j]?; };\n}\n\n"
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
    // Two ask; one writes, waits and enters at the last moment at which the other may write.
    let known = |length| match values.faulty && n > 1 {
        true => Answer::Violated { length: Some(length) },
        false => Answer::Holds,
    };
    match values.variant() {
        "fa" => vec![Query {
            text: "A[] not Observer.error",
            about: "no two processes are seen in their critical sections",
            answer: known(8),
        }],
        "fb" => vec![Query {
            text: "A[] not (P(1).cs and P(2).cs)",
            about: "the first two processes are not in their critical sections at once",
            answer: known(6),
        }],
        _ => vec![
            Query {
                text: "A[] forall (i : id_t) forall (j : id_t) P(i).cs and P(j).cs imply i == j",
                about: "at most one process is in its critical section",
                answer: known(6),
            },
            Query {
                text: "E<> forall (i : id_t) P(i).wait",
                about: "all wait at once",
                answer: Answer::Reached { length: 2 * n },
            },
        ],
    }
}
