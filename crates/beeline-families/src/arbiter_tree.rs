//! A tree of arbiters that share one resource among its leaves.

use crate::{Answer, Family, Format, Parameter, Query, Values};

/// The family.
pub const ARBITER_TREE: Family = Family {
    name: "arbiter-tree",
    about: "clients at the leaves of a tree whose inner nodes pass requests up, and grants down, one at a time",
    source: "the arbiter tree among the benchmarks of S. Kupferschmid and M. Wehrle, Mcta: heuristics and search \
             for timed systems, 2012",
    parameters: &[Parameter {
        name: "n",
        constant: Some("HEIGHT"),
        about: "height of the tree: 2^n clients, 2^n - 1 arbiters",
        least: 2,
        most: 7,
        default: 2,
    }],
    variants: &[],
    fault: Some("the first client releases what it does not have"),
    texts: &[(Format::Xta, model)],
    maps: None,
    queries,
};

/// Where the first client goes when it has nothing, and what it should not do, either.
const IDLE: (&str, &str) = (
    "idle -> wait { sync request[node]!; }",
    "idle -> wait { sync request[node]!; }, idle -> idle { guard id == 0; sync release[node]!; }",
);

fn model(values: &Values) -> String {
    if values.faulty { MODEL.replace(IDLE.0, IDLE.1) } else { MODEL.into() }
}

const MODEL: &str = "\
const int CLIENTS = 1 << HEIGHT;
const int ARBITERS = CLIENTS - 1;
const int HALF = CLIENTS / 2;

typedef int[0,CLIENTS-1] client_t;
typedef int[0,ARBITERS-1] arbiter_t;

// Between a node and its parent. Node 0 is the root, node i has the children 2 * i + 1 and 2 * i + 2.
chan request[ARBITERS + CLIENTS], grant[ARBITERS + CLIENTS], release[ARBITERS + CLIENTS];

// Above the root: the resource.
process Resource() {
    state free, asked, taken;
    init free;
    trans
        free -> asked { sync request[0]?; },
        asked -> taken { sync grant[0]!; },
        taken -> free { sync release[0]?; };
}

process Arbiter(const arbiter_t node) {
    const int left = 2 * node + 1;
    const int right = 2 * node + 2;
    state
        free,
        left_asks, left_waits, left_next,
        right_asks, right_waits, right_next,
        granted,
        other_waits,
        back,
        refused;
    init free;
    trans
        free -> left_asks { sync request[left]?; },
        free -> right_asks { sync request[right]?; },
        left_asks -> left_waits { sync request[node]!; },
        right_asks -> right_waits { sync request[node]!; },
        left_waits -> left_next { sync grant[node]?; },
        right_waits -> right_next { sync grant[node]?; },
        left_next -> granted { sync grant[left]!; },
        right_next -> granted { sync grant[right]!; },
        granted -> back { sync release[left]?; },
        granted -> back { sync release[right]?; },
        back -> free { sync release[node]!; },
        // The other one asks meanwhile: it is its turn as soon as the first one is done.
        granted -> other_waits { sync request[left]?; },
        granted -> other_waits { sync request[right]?; },
        other_waits -> left_next { sync release[right]?; },
        other_waits -> right_next { sync release[left]?; },
        // What was granted by mistake is given back.
        free -> refused { sync release[left]?; },
        free -> refused { sync release[right]?; },
        refused -> free { sync release[node]!; };
}

process Client(const client_t id) {
    const int node = ARBITERS + id;
    state idle, wait, work, bounce;
    init idle;
    trans
        idle -> wait { sync request[node]!; },
        wait -> work { sync grant[node]?; },
        work -> idle { sync release[node]!; },
        // Granted by mistake.
        idle -> bounce { sync grant[node]?; },
        bounce -> idle { sync release[node]!; };
}

system Resource, Arbiter, Client;
";

fn queries(values: &Values) -> Vec<Query> {
    // One client asks, all the way up, and is granted, all the way down. Its neighbour gives that back up to the
    // root, where the request of the other half waits already, and the grant comes down.
    let length = 5 * values["n"] + 2;
    vec![Query {
        text: "A[] not (Client(1).work and Client(HALF).work)",
        about: "clients of different halves do not have the resource at the same time",
        answer: if values.faulty { Answer::Violated { length: Some(length) } } else { Answer::Holds },
    }]
}
