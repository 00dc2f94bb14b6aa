//! Trains before a gate: a queue that stops and restarts them.

use crate::{Answer, Family, Format, Parameter, Query, Values};

/// The family.
pub const TRAIN_GATE: Family = Family {
    name: "train-gate",
    about: "trains that cross one bridge, stopped and restarted by a gate with a queue",
    source: "the train gate that comes with UPPAAL; structure and constants of TChecker's example of that name",
    parameters: &[Parameter {
        name: "n",
        constant: Some("N"),
        about: "trains",
        least: 1,
        most: 40,
        default: 4,
    }],
    variants: &[],
    fault: None,
    texts: &[(Format::Xta, |_| MODEL.into())],
    maps: None,
    queries,
};

const MODEL: &str = "\
typedef int[0,N-1] id_t;

chan appr[N], stop[N], go[N], leave[N];

process Train(const id_t id) {
    clock x;
    state
        Safe,
        Appr { x <= 20 },
        Stop,
        Start { x <= 15 },
        Cross { x <= 5 };
    init Safe;
    trans
        Safe -> Appr { sync appr[id]!; assign x = 0; },
        Appr -> Cross { guard x >= 10; assign x = 0; },
        Appr -> Stop { guard x <= 10; sync stop[id]?; },
        Stop -> Start { sync go[id]?; assign x = 0; },
        Start -> Cross { guard x >= 7; assign x = 0; },
        Cross -> Safe { guard x >= 3; sync leave[id]!; };
}

process Gate() {
    // The trains that are on their way, in order of arrival: a ring.
    id_t buffer[N];
    int[0,N-1] head;
    int[0,N] length;

    bool first(id_t train) {
        return length > 0 && buffer[head] == train;
    }
    bool last(id_t train) {
        return length > 0 && buffer[(head + length - 1) % N] == train;
    }
    void enter(id_t train) {
        buffer[(head + length) % N] = train;
        length = length + 1;
    }
    void remove() {
        head = (head + 1) % N;
        length = length - 1;
    }

    state
        Free,
        Occ,
        Transient;
    commit Transient;
    init Free;
    trans
        Free -> Occ { select t : id_t; guard first(t); sync go[t]!; },
        Free -> Occ { select t : id_t; guard length == 0; sync appr[t]?; assign enter(t); },
        Occ -> Transient { select t : id_t; sync appr[t]?; assign enter(t); },
        Occ -> Free { select t : id_t; guard first(t); sync leave[t]?; assign remove(); },
        Transient -> Occ { select t : id_t; guard last(t); sync stop[t]!; };
}

system Train, Gate;
";

fn queries(values: &Values) -> Vec<Query> {
    let n = values["n"];
    vec![
        Query {
            text: "A[] forall (i : id_t) forall (j : id_t) Train(i).Cross and Train(j).Cross imply i == j",
            about: "at most one train is on the bridge",
            answer: Answer::Holds,
        },
        Query {
            text: "E<> Gate.length == N",
            about: "all trains are on their way at once",
            // The first and the last just approach, each of the others is stopped, too.
            answer: Answer::Reached { length: if n == 1 { 1 } else { 2 * n - 2 } },
        },
    ]
}
