//! A single-tracked line segment: trams from both directions, let in by a distributed controller.
//!
//! Variant `c` has the shape of the C models of the paper: 5 to 10 automata, 15 to 28 variables. `d` and `e` are
//! made to be as large as its D and E models: counters that run on the PLCs take the place of numbers from
//! outside, which makes cycles, and with them traces, longer.

mod components;

use crate::plc::{Component, Driven, Input, Plc, Source, System};
use crate::{Answer, Family, Format, Parameter, Query, Values, Variant};
use components::{
    ALARM, ALARM2, COME, CONTROLLER, COUNTER, COUNTERS, GO, LIGHT1, LIGHT2, ON_TRACK1, ON_TRACK2, OPEN,
    SIGNAL, WAITING, WAITING1, WAITING2,
};

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
    variants: &[
        Variant { name: "c", about: "numbers of trams come from outside", sizes: 1..=9, faulty: true },
        Variant { name: "d", about: "trams are counted by the PLCs", sizes: 1..=9, faulty: true },
        Variant { name: "e", about: "all trams are counted, without a mistake", sizes: 1..=9, faulty: false },
    ],
    fault: Some(
        "before a tram from the first side is let in, the other signal is given too little time to close",
    ),
    texts: &[(Format::Xta, model)],
    maps: None,
    queries,
};

/// Who sees what: at which sizes, the component, the number of its input, and the variable. What is not seen is
/// hidden.
type Seen = (fn(u32) -> bool, &'static str, usize, &'static str);

const SEEN_IN_C: &[Seen] = &[
    (|size| size >= 2, "Signal1", ALARM, "alarm"),
    (|size| size >= 3, "Signal2", ALARM, "alarm"),
    (|size| size >= 4, "Signal1", WAITING, "waiting1"),
    (|size| size >= 5, "Signal2", WAITING, "waiting2"),
    (|size| size >= 6, "Controller", ON_TRACK1, "on_track1"),
    (|size| size >= 7, "Controller", ON_TRACK2, "on_track2"),
    (|size| size >= 8, "Controller", WAITING1, "waiting1"),
    (|size| size >= 9, "Controller", WAITING2, "waiting2"),
];

const SEEN_IN_D: &[Seen] = &[
    (|_| true, "Controller", WAITING1, "waiting1"),
    (|_| true, "Controller", WAITING2, "waiting2"),
    (|_| true, "Signal1", WAITING, "waiting1"),
    (|_| true, "Signal2", WAITING, "waiting2"),
    (|size| size >= 2, "Signal1", ALARM, "crowded1"),
    (|size| size >= 3, "Signal2", ALARM, "crowded2"),
    (|size| size >= 4, "Waiting1", COME, "arrives1"),
    // From here on, trams on the track are counted, too.
    (|size| size >= 5, "Controller", ON_TRACK1, "on_track1"),
    (|size| size >= 5, "Controller", ON_TRACK2, "on_track2"),
    (|size| size >= 6, "Signal1", ALARM2, "jammed1"),
    (|size| size >= 6, "Signal2", ALARM2, "jammed2"),
    (|size| size >= 7, "Waiting2", COME, "arrives2"),
    (|size| size >= 8, "Track1", GO, "leaves1"),
    (|size| size >= 9, "Track2", GO, "leaves2"),
];

/// The last alarm is seen at every other size, so that there is one with and one without it for each new sensor.
const SEEN_IN_E: &[Seen] = &[
    (|_| true, "Controller", WAITING1, "waiting1"),
    (|_| true, "Controller", WAITING2, "waiting2"),
    (|_| true, "Controller", ON_TRACK1, "on_track1"),
    (|_| true, "Controller", ON_TRACK2, "on_track2"),
    (|_| true, "Signal1", WAITING, "waiting1"),
    (|_| true, "Signal2", WAITING, "waiting2"),
    (|_| true, "Signal1", ALARM, "crowded1"),
    (|_| true, "Signal2", ALARM, "crowded2"),
    (|_| true, "Signal1", ALARM2, "jammed1"),
    (|size| size % 2 == 0 || size == 9, "Signal2", ALARM2, "jammed2"),
    (|size| size >= 3, "Waiting1", COME, "arrives1"),
    (|size| size >= 5, "Waiting2", COME, "arrives2"),
    (|size| size >= 7, "Track1", GO, "leaves1"),
    (|size| size >= 9, "Track2", GO, "leaves2"),
];

/// What comes from outside in `c`: variables, their automata, their greatest values.
const OUTSIDE_IN_C: &[(&str, &str, u32)] = &[
    ("alarm", "Alarm", 1),
    ("waiting1", "Arrivals1", 2),
    ("waiting2", "Arrivals2", 2),
    ("on_track1", "OnTrack1", 2),
    ("on_track2", "OnTrack2", 2),
];

/// What comes from outside in `d` and `e`: sensors.
const SENSORS: &[(&str, &str, u32)] = &[
    ("arrives1", "Arrives1", 1),
    ("arrives2", "Arrives2", 1),
    ("leaves1", "Leaves1", 1),
    ("leaves2", "Leaves2", 1),
];

fn model(values: &Values) -> String {
    let size = values["size"];
    // How many of the counters there are.
    let (seen, outside, counters) = match values.variant() {
        "d" => (SEEN_IN_D, SENSORS, if size < 5 { 2 } else { 4 }),
        "e" => (SEEN_IN_E, SENSORS, 4),
        _ => (SEEN_IN_C, OUTSIDE_IN_C, 0),
    };
    let seen = || seen.iter().filter(|(at, ..)| at(size));
    let input = |component: &str, number: usize, most: u32| {
        let source = seen().find(|(_, by, input, _)| *by == component && *input == number);
        Input { most, from: source.map_or(Source::Hidden, |(.., variable)| Source::Polled(variable)) }
    };
    let counter = |number: usize| {
        let (name, outputs) = COUNTERS[number];
        Component { name, modes: COUNTER, inputs: vec![input(name, COME, 1), input(name, GO, 1)], outputs }
    };
    let signal = |name, opened, outputs| {
        let alarm2 = if counters == 4 { input(name, ALARM2, 1) } else { Input::ABSENT };
        let opened = Input { most: 1, from: opened };
        let inputs = vec![opened, input(name, WAITING, 2), input(name, ALARM, 1), alarm2];
        Component { name, modes: SIGNAL, inputs, outputs }
    };
    let controller = Component {
        name: "Controller",
        modes: CONTROLLER,
        inputs: (0..4).map(|number| input("Controller", number, 2)).collect(),
        outputs: OPEN,
    };
    let on_side = |side: usize| (side..counters).step_by(2).map(counter).collect::<Vec<_>>();
    let mut first = on_side(0);
    first.extend([controller, signal("Signal1", Source::Earlier("open1"), LIGHT1)]);
    let mut second = on_side(1);
    second.push(signal("Signal2", Source::Polled("open2"), LIGHT2));
    let mut system = System::default();
    system.plc(&Plc { name: "Plc1", cycle: "CYCLE", components: first });
    system.plc(&Plc { name: "Plc2", cycle: "CYCLE", components: second });
    for &(name, driver, most) in outside {
        if seen().any(|(.., variable)| *variable == name) {
            system.drive(Driven { name, driver, most, when: None });
        }
    }
    let closed2 = if values.faulty { 19 } else { 20 };
    format!(
        "const int CYCLE = 10;       // the longest time that a PLC takes for a cycle\n\
         const int CLOSED1 = 20;     // time for the signal of the first side to close: two cycles\n\
         const int CLOSED2 = {closed2};     // time for the signal of the second side to close\n\n{system}"
    )
}

/// Lengths of shortest traces, by size. Up to 6 of `c` and 4 of `d` they are what searches find. The others are
/// what searches find both with some inputs hidden, which makes traces no longer, and with some sensors that never
/// change, which makes them no shorter.
const LENGTHS_OF_C: [u32; 9] = [54, 54, 54, 55, 56, 56, 56, 56, 57];
const LENGTHS_OF_D: [u32; 9] = [91, 91, 91, 92, 114, 114, 117, 117, 117];

fn queries(values: &Values) -> Vec<Query> {
    let lengths: &[u32] = match values.variant() {
        "c" => &LENGTHS_OF_C,
        "d" => &LENGTHS_OF_D,
        _ => &[],
    };
    let length = lengths.get(values["size"] as usize - 1).copied();
    vec![Query {
        text: "A[] not (Signal1.Passing and Signal2.Passing)",
        about: "trams are let in from one side at a time",
        answer: if values.faulty { Answer::Violated { length } } else { Answer::Holds },
    }]
}
