//! FDDI: a token that goes round a ring of stations.

use crate::{Answer, Family, Format, Parameter, Query, Values};

/// The family.
pub const FDDI: Family = Family {
    name: "fddi",
    about: "stations on a ring that send while they have the token, longer if it has come early",
    source: "the timed token protocol of the Fiber Distributed Data Interface, as modelled by C. Daws and others, \
             The tool KRONOS, 1996",
    parameters: &[
        Parameter { name: "n", constant: Some("N"), about: "stations", least: 2, most: 40, default: 4 },
        Parameter {
            name: "sa",
            constant: Some("SA"),
            about: "time that a station may always send",
            least: 1,
            most: 50,
            default: 20,
        },
    ],
    variants: &[],
    fault: Some("a station whose token has come early keeps it for too long"),
    texts: &[(Format::Xta, model)],
    maps: None,
    queries,
};

/// How long a station with an early token may send, and what is too long.
const LONGEST: (&str, &str) = ("sends_more { now <= TTRT }", "sends_more { now <= 3 * TTRT }");

fn model(values: &Values) -> String {
    if values.faulty { MODEL.replace(LONGEST.0, LONGEST.1) } else { MODEL.into() }
}

const MODEL: &str = "\
const int TTRT = 50 * N;    // target for the time that the token takes for its way round

typedef int[1,N] id_t;

chan token[N+1], back[N+1];

// The way of the token takes no time.
process Ring() {
    int[1,N] next = 1;
    state
        Passes,
        Waits;
    urgent Passes;
    init Passes;
    trans
        Passes -> Waits { select i : id_t; guard i == next; sync token[i]!; },
        Waits -> Passes { select i : id_t; guard i == next; sync back[i]?; assign next = next % N + 1; };
}

process Station(const id_t id) {
    clock x;       // since the token has come
    // Since the last time or the last but one: they take turns.
    clock now;
    clock then;
    state
        idle,
        sends { x <= SA },
        sends_more { now <= TTRT },
        then_idle,
        then_sends { x <= SA },
        then_sends_more { then <= TTRT };
    init idle;
    trans
        idle -> sends { sync token[id]?; assign x = 0, then = 0; },
        // Late: only what is always allowed.
        sends -> then_idle { guard x >= SA && now >= TTRT; sync back[id]!; },
        // Early: the time that is left, too.
        sends -> sends_more { guard x >= SA && now < TTRT; },
        sends_more -> then_idle { sync back[id]!; },
        then_idle -> then_sends { sync token[id]?; assign x = 0, now = 0; },
        then_sends -> idle { guard x >= SA && then >= TTRT; sync back[id]!; },
        then_sends -> then_sends_more { guard x >= SA && then < TTRT; },
        then_sends_more -> idle { sync back[id]!; };
}

system Ring, Station;
";

fn queries(values: &Values) -> Vec<Query> {
    vec![
        Query {
            text: "A[] forall (i : id_t) Station(i).idle imply Station(i).now <= 2 * TTRT",
            about: "nobody waits for the token for longer than twice the target",
            // The first one gets the token and keeps it.
            answer: if values.faulty { Answer::Violated { length: Some(2) } } else { Answer::Holds },
        },
        Query {
            text: "E<> exists (i : id_t) Station(i).then_idle and Station(i).then > TTRT",
            about: "somebody waits for longer than the target",
            // The first one sends all the time, and then, if this was not too long, the second one for a while.
            answer: Answer::Reached { length: if values.faulty { 3 } else { 4 } },
        },
    ]
}
