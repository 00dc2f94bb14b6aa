//! A single-tracked line segment: trams from both directions, let in by a distributed controller.

use crate::plc::{Component, Driven, Input, Mode, Output, Plc, Source, Step, System, go, set};
use crate::{Answer, Family, Parameter, Query, Values, Variant};

/// The family.
pub const LINE_SEGMENT: Family = Family {
    name: "line-segment",
    about: "trams from both directions on a single track, let in by a controller and two signals on two PLCs",
    source: "the case study Single-tracked Line Segment, as used by S. Kupferschmid and M. Wehrle, Abstractions \
             and pattern databases: the quest for succinctness and accuracy, 2011",
    parameters: &[Parameter {
        name: "size",
        constant: None,
        about: "how many inputs are not hidden",
        least: 1,
        most: 9,
        default: 1,
    }],
    variants: &[Variant {
        name: "c",
        about: "one counter for the trams that wait and one for those on the track, per direction; an alarm",
        sizes: 1..=9,
        faulty: true,
    }],
    fault: Some(
        "before a tram from the first side is let in, the other signal is given too little time to close",
    ),
    model,
    queries,
};

/// Modes of the controller. Side 1 is asked first.
const FREE1: usize = 0;
const LET_IN1: usize = 1;
const CLEAR1: usize = 2;
const FREE2: usize = 3;
const LET_IN2: usize = 4;
const CLEAR2: usize = 5;

/// Inputs of the controller: trams that wait, and trams on the track, from either side.
const WAITING1: usize = 0;
const WAITING2: usize = 1;
const ON_TRACK1: usize = 2;
const ON_TRACK2: usize = 3;

/// Outputs of the controller.
const OPEN: [Output; 2] =
    [Output { name: "open1", most: 1, first: 0 }, Output { name: "open2", most: 1, first: 0 }];

const CONTROLLER: &[Mode] = &[
    Mode {
        name: "Free1",
        sees: &[WAITING1, WAITING2],
        shows: Some((0, 0)),
        step: |seen| match seen {
            [0, 0] => Step::Stay,
            [0, _] => Step::Do(go(FREE2)),
            _ => Step::Do(set(0, 1, LET_IN1)),
        },
    },
    Mode {
        name: "LetIn1",
        sees: &[WAITING1],
        shows: Some((0, 1)),
        step: |seen| if seen == [0] { Step::Do(set(0, 0, CLEAR1)) } else { Step::Stay },
    },
    Mode {
        name: "Clear1",
        sees: &[ON_TRACK1],
        shows: None,
        step: |seen| if seen == [0] { Step::After("CLOSED1", go(FREE2)) } else { Step::Stay },
    },
    Mode {
        name: "Free2",
        sees: &[WAITING1, WAITING2],
        shows: Some((1, 0)),
        step: |seen| match seen {
            [0, 0] => Step::Stay,
            [_, 0] => Step::Do(go(FREE1)),
            _ => Step::Do(set(1, 1, LET_IN2)),
        },
    },
    Mode {
        name: "LetIn2",
        sees: &[WAITING2],
        shows: Some((1, 1)),
        step: |seen| if seen == [0] { Step::Do(set(1, 0, CLEAR2)) } else { Step::Stay },
    },
    Mode {
        name: "Clear2",
        sees: &[ON_TRACK2],
        shows: None,
        step: |seen| if seen == [0] { Step::After("CLOSED2", go(FREE1)) } else { Step::Stay },
    },
];

/// Modes of a signal.
const IDLE: usize = 0;
const ASKING: usize = 1;
const PASSING: usize = 2;
const BROKEN: usize = 3;

/// What a signal shows.
const PASS: u32 = 0;
const STOP: u32 = 1;
const ASK: u32 = 2;

/// Inputs of a signal: whether the segment is open for its side, whether there is an alarm, how many trams wait.
const OPENED: usize = 0;
const ALARM: usize = 1;
const WAITING: usize = 2;

const SIGNAL: &[Mode] = &[
    Mode {
        name: "Idle",
        sees: &[ALARM, WAITING],
        shows: Some((0, STOP)),
        step: |seen| match seen {
            [1, _] => Step::Do(go(BROKEN)),
            [_, 0] => Step::Stay,
            _ => Step::Do(set(0, ASK, ASKING)),
        },
    },
    Mode {
        name: "Asking",
        sees: &[OPENED, ALARM, WAITING],
        shows: Some((0, ASK)),
        step: |seen| match seen {
            [_, 1, _] => Step::Do(set(0, STOP, BROKEN)),
            [_, _, 0] => Step::Do(set(0, STOP, IDLE)),
            [0, _, _] => Step::Stay,
            _ => Step::Do(set(0, PASS, PASSING)),
        },
    },
    Mode {
        name: "Passing",
        sees: &[OPENED, ALARM, WAITING],
        shows: Some((0, PASS)),
        step: |seen| match seen {
            [_, 1, _] => Step::Do(set(0, STOP, BROKEN)),
            [_, _, 0] => Step::Do(set(0, STOP, IDLE)),
            [0, _, _] => Step::Do(set(0, ASK, ASKING)),
            _ => Step::Stay,
        },
    },
    Mode { name: "Broken", sees: &[], shows: None, step: |_| Step::Stay },
];

/// What comes from outside.
const DRIVEN: [Driven; 5] = [
    Driven { name: "alarm", driver: "Alarm", most: 1 },
    Driven { name: "waiting1", driver: "Arrivals1", most: 2 },
    Driven { name: "waiting2", driver: "Arrivals2", most: 2 },
    Driven { name: "on_track1", driver: "Track1", most: 2 },
    Driven { name: "on_track2", driver: "Track2", most: 2 },
];

/// Who sees what comes from outside, in the order in which it ceases to be hidden: the component, the number of
/// its input, the source, and the size from which on it is seen.
const SEEN: [(&str, usize, usize, u32); 8] = [
    ("Signal1", ALARM, 0, 2),
    ("Signal2", ALARM, 0, 3),
    ("Signal1", WAITING, 1, 4),
    ("Signal2", WAITING, 2, 5),
    ("Controller", ON_TRACK1, 3, 6),
    ("Controller", ON_TRACK2, 4, 7),
    ("Controller", WAITING1, 1, 8),
    ("Controller", WAITING2, 2, 9),
];

fn model(values: &Values) -> String {
    let size = values["size"];
    let seen = |component: &str, input: usize, most: u32| {
        let entry = SEEN.iter().find(|(c, i, _, since)| *c == component && *i == input && *since <= size);
        let from = entry.map_or(Source::Hidden, |(_, _, source, _)| Source::Polled(DRIVEN[*source].name));
        Input { most, from }
    };
    let signal = |name, opened, outputs| Component {
        name,
        modes: SIGNAL,
        inputs: vec![Input { most: 1, from: opened }, seen(name, ALARM, 1), seen(name, WAITING, 2)],
        outputs,
    };
    const LIGHT1: &[Output] = &[Output { name: "light1", most: 2, first: STOP }];
    const LIGHT2: &[Output] = &[Output { name: "light2", most: 2, first: STOP }];
    let controller = Component {
        name: "Controller",
        modes: CONTROLLER,
        inputs: (0..4).map(|input| seen("Controller", input, 2)).collect(),
        outputs: &OPEN,
    };
    let signal1 = signal("Signal1", Source::Earlier("open1"), LIGHT1);
    let signal2 = signal("Signal2", Source::Polled("open2"), LIGHT2);
    let mut system = System::default();
    system.plc(&Plc { name: "Plc1", cycle: "CYCLE", components: vec![controller, signal1] });
    system.plc(&Plc { name: "Plc2", cycle: "CYCLE", components: vec![signal2] });
    for (number, driven) in DRIVEN.iter().enumerate() {
        if SEEN.iter().any(|(_, _, source, since)| *source == number && *since <= size) {
            system.drive(*driven);
        }
    }
    let closed2 = if values.faulty { 19 } else { 20 };
    format!(
        "const int CYCLE = 10;       // the longest time that a PLC takes for a cycle\n\
         const int CLOSED1 = 20;     // time for the signal of the first side to close: two cycles\n\
         const int CLOSED2 = {closed2};     // time for the signal of the second side to close\n\n{system}"
    )
}

/// Lengths of shortest traces, by size.
const LENGTHS: [u32; 9] = [54, 54, 54, 55, 56, 56, 56, 56, 57];

fn queries(values: &Values) -> Vec<Query> {
    let length = LENGTHS.get(values["size"] as usize - 1).copied();
    vec![Query {
        text: "A[] not (Signal1.Passing and Signal2.Passing)",
        about: "trams are let in from one side at a time",
        answer: if values.faulty { Answer::Violated { length } } else { Answer::Holds },
    }]
}
