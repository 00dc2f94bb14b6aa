//! CSMA/CD: stations on one bus that detect collisions.

use crate::{Answer, Family, Format, Parameter, Query, Values};

/// The family.
pub const CSMACD: Family = Family {
    name: "csmacd",
    about: "stations on a bus that sense the carrier and detect collisions",
    source: "the carrier-sense protocol as modelled for Kronos; structure and constants of TChecker's example of \
             that name",
    parameters: &[
        Parameter { name: "n", constant: Some("N"), about: "stations", least: 2, most: 40, default: 5 },
        Parameter {
            name: "lambda",
            constant: Some("LAMBDA"),
            about: "time to send a message",
            least: 1,
            most: 100_000,
            default: 808,
        },
        Parameter {
            name: "sigma",
            constant: Some("SIGMA"),
            about: "time a signal takes along the bus",
            least: 1,
            most: 10_000,
            default: 26,
        },
    ],
    variants: &[],
    fault: Some("a station that sends goes on when it is told of a collision"),
    texts: &[(Format::Xta, model)],
    maps: None,
    queries,
};

/// What a station that sends does when it is told of a collision, and what it should not do.
const TOLD: (&str, &str) = (
    "Start -> Retry { guard x < SIGMA; sync cd[id]?; assign x = 0; }",
    "Start -> Start { guard x < SIGMA; sync cd[id]?; }",
);

fn model(values: &Values) -> String {
    if values.faulty { MODEL.replace(TOLD.0, TOLD.1) } else { MODEL.into() }
}

const MODEL: &str = "\
typedef int[1,N] id_t;

chan begin, busy, end, cd[N+1];

process Bus() {
    int[1,N+1] j = 1;    // the station that is told of the collision next
    clock y;
    state
        Idle,
        Active,
        Collision { y < SIGMA },
        Loop;
    commit Loop;
    init Idle;
    trans
        Idle -> Active { sync begin?; assign y = 0; },
        // The signal of the first sender has not come everywhere yet: a second one may begin.
        Active -> Collision { guard y < SIGMA; sync begin?; assign y = 0; },
        Active -> Active { guard y >= SIGMA; sync busy!; },
        Active -> Idle { sync end?; assign y = 0; },
        Collision -> Loop { guard y < SIGMA; assign j = 1; },
        Loop -> Loop { select i : id_t; guard j == i; sync cd[i]!; assign j = j + 1; },
        Loop -> Idle { guard j == N + 1 && y < SIGMA; assign y = 0, j = 1; };
}

process Station(const id_t id) {
    clock x;
    state
        Wait,
        Start { x <= LAMBDA },
        Retry { x < 2 * SIGMA };
    init Wait;
    trans
        Wait -> Start { sync begin!; assign x = 0; },
        Wait -> Retry { sync busy?; assign x = 0; },
        Wait -> Wait { sync cd[id]?; assign x = 0; },
        Wait -> Retry { sync cd[id]?; assign x = 0; },
        Start -> Wait { guard x == LAMBDA; sync end!; assign x = 0; },
        Start -> Retry { guard x < SIGMA; sync cd[id]?; assign x = 0; },
        Retry -> Start { guard x < 2 * SIGMA; sync begin!; assign x = 0; },
        Retry -> Retry { guard x < 2 * SIGMA; sync busy?; assign x = 0; },
        Retry -> Retry { guard x < 2 * SIGMA; sync cd[id]?; assign x = 0; };
}

system Bus, Station;
";

fn queries(values: &Values) -> Vec<Query> {
    let n = values["n"];
    // Two begin, the bus notices, tells everybody, and is idle.
    let faulty = Answer::Violated { length: Some(n + 4) };
    let (undetected, sends) = match (values.faulty, values["lambda"] >= 2 * values["sigma"]) {
        (true, true) => (faulty, faulty),
        // Messages are too short for anybody to send too long.
        (true, false) => (Answer::Holds, faulty),
        (false, _) => (Answer::Holds, Answer::Holds),
    };
    let mut queries = vec![
        Query {
            text: "A[] forall (i : id_t) forall (j : id_t) i != j and Station(i).Start and Station(j).Start \
                   imply Station(i).x < 2 * SIGMA",
            about: "no two stations go on sending for longer than a collision takes to be detected",
            answer: undetected,
        },
        Query {
            text: "A[] Bus.Idle imply forall (i : id_t) not Station(i).Start",
            about: "on an idle bus nobody sends",
            answer: sends,
        },
    ];
    // Whether and when stations that should have done so get there in another way depends on the times.
    if !values.faulty {
        queries.push(Query {
            text: "E<> forall (i : id_t) Station(i).Retry",
            about: "all stations wait for another try",
            // Two begin, the bus notices, and tells everybody.
            answer: Answer::Reached { length: n + 3 },
        });
    }
    queries
}
