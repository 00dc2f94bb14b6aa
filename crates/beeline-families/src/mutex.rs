//! Mutual exclusion by messages that are read some time after they were written.

use crate::plc::{Component, Driven, Input, Mode, Output, Source, Step, System, set};
use crate::{Answer, Family, Parameter, Query, Values, Variant};

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
    variants: &[Variant { name: "m", about: "wishes change at any time", sizes: 1..=4, faulty: true }],
    fault: Some("the cycle of the second station may last longer than the controller takes into account"),
    model,
    queries,
};

/// Modes and inputs of a station.
const OUTSIDE: usize = 0;
const INSIDE: usize = 1;
const GRANT: usize = 0;
const WISH: usize = 1;

const STATION: &[Mode] = &[
    Mode {
        name: "Outside",
        sees: &[GRANT, WISH],
        shows: Some((0, 1)),
        step: |seen| if seen == [1, 1] { Step::Do(set(0, 0, INSIDE)) } else { Step::Stay },
    },
    Mode {
        name: "Inside",
        sees: &[WISH],
        shows: Some((0, 0)),
        step: |seen| if seen == [0] { Step::Do(set(0, 1, OUTSIDE)) } else { Step::Stay },
    },
];

/// Modes of the controller. It grants for a while, then waits until the station must have noticed that it is over.
const AWAIT2: usize = 0;
const GRANT1: usize = 1;
const AWAIT1: usize = 2;
const GRANT2: usize = 3;

const CONTROLLER: &[Mode] = &[
    Mode {
        name: "Await2",
        sees: &[1],
        shows: Some((0, 0)),
        step: |seen| if seen == [0] { Step::Stay } else { Step::After("NOTICED", set(0, 1, GRANT1)) },
    },
    Mode {
        name: "Grant1",
        sees: &[0],
        shows: Some((0, 1)),
        step: |seen| {
            if seen == [0] { Step::Do(set(0, 0, AWAIT1)) } else { Step::After("NOTICED", set(0, 0, AWAIT1)) }
        },
    },
    Mode {
        name: "Await1",
        sees: &[0],
        shows: Some((1, 0)),
        step: |seen| if seen == [0] { Step::Stay } else { Step::After("NOTICED", set(1, 1, GRANT2)) },
    },
    Mode {
        name: "Grant2",
        sees: &[1],
        shows: Some((1, 1)),
        step: |seen| {
            if seen == [0] { Step::Do(set(1, 0, AWAIT2)) } else { Step::After("NOTICED", set(1, 0, AWAIT2)) }
        },
    },
];

const WISHES: [Driven; 2] =
    [Driven { name: "wish1", driver: "Wish1", most: 1 }, Driven { name: "wish2", driver: "Wish2", most: 1 }];

fn model(values: &Values) -> String {
    let size = values["size"];
    let seen = [size >= 3, size == 2 || size == 4];
    let polled = |source| Input { most: 1, from: Source::Polled(source) };
    let wish = |number: usize| match seen[number] {
        true => polled(WISHES[number].name),
        false => Input { most: 1, from: Source::Hidden },
    };
    const OUT1: &[Output] = &[Output { name: "outside1", most: 1, first: 1 }];
    const OUT2: &[Output] = &[Output { name: "outside2", most: 1, first: 1 }];
    const GRANTS: &[Output] =
        &[Output { name: "grant1", most: 1, first: 0 }, Output { name: "grant2", most: 1, first: 0 }];
    let station = |name, grant, wish, outputs| Component {
        name,
        modes: STATION,
        inputs: vec![polled(grant), wish],
        outputs,
    };
    let inputs = vec![polled("outside1"), polled("outside2")];
    let controller = Component { name: "Controller", modes: CONTROLLER, inputs, outputs: GRANTS };
    let mut system = System::default();
    system.alone(&station("Station1", "grant1", wish(0), OUT1), "CYCLE1");
    system.alone(&station("Station2", "grant2", wish(1), OUT2), "CYCLE2");
    system.alone(&controller, "CYCLE");
    for number in (0..2).filter(|number| seen[*number]) {
        system.drive(WISHES[number]);
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
const LENGTHS: [u32; 4] = [47, 50, 50, 53];

fn queries(values: &Values) -> Vec<Query> {
    let length = LENGTHS.get(values["size"] as usize - 1).copied();
    vec![Query {
        text: "A[] not (Station1.Inside and Station2.Inside)",
        about: "at most one station is inside",
        answer: if values.faulty { Answer::Violated { length } } else { Answer::Holds },
    }]
}
