//! Mutual exclusion by messages that are read some time after they were written.

use crate::plc::{Component, Driven, Input, Mode, Output, Source, Step, System, set};
use crate::{Answer, Family, Format, Parameter, Query, Values, Variant};

/// The family.
pub const MUTEX: Family = Family {
    name: "mutex",
    about: "two stations that are granted a dangerous mode in turn, by messages that are polled now and then",
    source: "the case study Mutual Exclusion, as used by J. Hoffmann and others, Using predicate abstraction to \
             generate heuristic functions in UPPAAL, 2007",
    parameters: &[Parameter {
        name: "size",
        constant: None,
        about: "hidden wishes: 1: both, 2: of the first station, 3: of the second, 4: none",
        least: 1,
        most: 4,
        default: 1,
    }],
    variants: &[
        Variant { name: "m", about: "stations leave when they like", sizes: 1..=4, faulty: true },
        Variant {
            name: "n",
            about: "stations are also called back, and do not change their wishes then",
            sizes: 1..=4,
            faulty: true,
        },
    ],
    fault: Some("the cycle of the second station may last longer than the controller takes into account"),
    texts: &[(Format::Xta, model)],
    maps: None,
    queries,
};

/// Modes and inputs of a station.
const OUTSIDE: usize = 0;
const INSIDE: usize = 1;
const GRANT: usize = 0;
const WISH: usize = 1;
const CALLED: usize = 2;

const STATION: &[Mode] = &[
    Mode {
        name: "Outside",
        sees: &[GRANT, WISH],
        shows: Some((0, 1)),
        step: |seen| if seen == [1, 1] { Step::Do(set(&[(0, 0)], INSIDE)) } else { Step::Stay },
    },
    Mode {
        name: "Inside",
        sees: &[WISH, CALLED],
        shows: Some((0, 0)),
        step: |seen| if seen == [1, 0] { Step::Stay } else { Step::Do(set(&[(0, 1)], OUTSIDE)) },
    },
];

/// Modes of the controller. It grants for a while, then waits until the station must have noticed that it is over.
const AWAIT2: usize = 0;
const GRANT1: usize = 1;
const AWAIT1: usize = 2;
const GRANT2: usize = 3;

/// Outputs of the controller: a grant for each station, and a call for whoever is inside.
const GRANTS: &[Output] = &[
    Output { name: "grant1", most: 1, first: 0 },
    Output { name: "grant2", most: 1, first: 0 },
    Output { name: "call", most: 1, first: 0 },
];

const CONTROLLER: &[Mode] = &[
    Mode {
        name: "Await2",
        sees: &[1],
        shows: Some((0, 0)),
        step: |seen| match seen {
            [0] => Step::Stay,
            _ => Step::After("NOTICED", set(&[(0, 1), (2, 0)], GRANT1)),
        },
    },
    Mode {
        name: "Grant1",
        sees: &[0],
        shows: Some((0, 1)),
        step: |seen| match seen {
            [0] => Step::Do(set(&[(0, 0), (2, 1)], AWAIT1)),
            _ => Step::After("NOTICED", set(&[(0, 0), (2, 1)], AWAIT1)),
        },
    },
    Mode {
        name: "Await1",
        sees: &[0],
        shows: Some((1, 0)),
        step: |seen| match seen {
            [0] => Step::Stay,
            _ => Step::After("NOTICED", set(&[(1, 1), (2, 0)], GRANT2)),
        },
    },
    Mode {
        name: "Grant2",
        sees: &[1],
        shows: Some((1, 1)),
        step: |seen| match seen {
            [0] => Step::Do(set(&[(1, 0), (2, 1)], AWAIT2)),
            _ => Step::After("NOTICED", set(&[(1, 0), (2, 1)], AWAIT2)),
        },
    },
];

fn model(values: &Values) -> String {
    let size = values["size"];
    let calls = values.variant() == "n";
    let when = calls.then_some("call == 0");
    let wishes = [("wish1", "Wish1", size >= 3), ("wish2", "Wish2", size == 2 || size == 4)];
    let polled = |source| Input { most: 1, from: Source::Polled(source) };
    let call = || if calls { polled("call") } else { Input::ABSENT };
    let wish = |(name, _, seen)| if seen { polled(name) } else { Input { most: 1, from: Source::Hidden } };
    let station = |name, grant, wish, outputs| {
        let inputs = vec![polled(grant), wish, call()];
        Component { name, modes: STATION, inputs, outputs }
    };
    let controller = Component {
        name: "Controller",
        modes: CONTROLLER,
        inputs: vec![polled("outside1"), polled("outside2")],
        outputs: if calls { GRANTS } else { &GRANTS[..2] },
    };
    const OUT1: &[Output] = &[Output { name: "outside1", most: 1, first: 1 }];
    const OUT2: &[Output] = &[Output { name: "outside2", most: 1, first: 1 }];
    let mut system = System::default();
    system.alone(&station("Station1", "grant1", wish(wishes[0]), OUT1), "CYCLE1");
    system.alone(&station("Station2", "grant2", wish(wishes[1]), OUT2), "CYCLE2");
    system.alone(&controller, "CYCLE");
    for (name, driver, _) in wishes.into_iter().filter(|(_, _, seen)| *seen) {
        system.drive(Driven { name, driver, most: 1, when });
    }
    let cycle2 = if values.faulty { 1001 } else { 1000 };
    format!(
        "const int CYCLE = 1000;      // the longest cycle of the controller\n\
         const int CYCLE1 = 1000;     // the longest cycle of the first station\n\
         const int CYCLE2 = {cycle2};     // the longest cycle of the second station\n\
         const int NOTICED = 2000;    // time for a station to notice and to be heard: two cycles\n\n{system}"
    )
}

/// Lengths of shortest traces, by size.
const LENGTHS_OF_M: [u32; 4] = [47, 50, 50, 53];
const LENGTHS_OF_N: [u32; 4] = [47, 50, 48, 51];

fn queries(values: &Values) -> Vec<Query> {
    let lengths = if values.variant() == "n" { LENGTHS_OF_N } else { LENGTHS_OF_M };
    let length = lengths.get(values["size"] as usize - 1).copied();
    vec![Query {
        text: "A[] not (Station1.Inside and Station2.Inside)",
        about: "at most one station is inside",
        answer: if values.faulty { Answer::Violated { length } } else { Answer::Holds },
    }]
}
