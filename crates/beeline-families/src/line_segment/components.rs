//! What runs on the PLCs of the line segment: the controller, signals and counters.

use crate::plc::{Mode, Output, Step, go, set};

/// Modes of the controller. Side 1 is asked first.
const FREE1: usize = 0;
const LET_IN1: usize = 1;
const CLEAR1: usize = 2;
const FREE2: usize = 3;
const LET_IN2: usize = 4;
const CLEAR2: usize = 5;

/// Inputs of the controller: trams that wait, and trams on the track, from either side.
pub const WAITING1: usize = 0;
pub const WAITING2: usize = 1;
pub const ON_TRACK1: usize = 2;
pub const ON_TRACK2: usize = 3;

/// Outputs of the controller.
pub const OPEN: &[Output] =
    &[Output { name: "open1", most: 1, first: 0 }, Output { name: "open2", most: 1, first: 0 }];

/// Lets trams in from one side as long as some wait there. Before it turns to the other side, it waits until the
/// signal must have closed and the track is clear.
pub const CONTROLLER: &[Mode] = &[
    Mode {
        name: "Free1",
        sees: &[WAITING1, WAITING2],
        shows: Some((0, 0)),
        step: |seen| match seen {
            [0, 0] => Step::Stay,
            [0, _] => Step::Do(go(FREE2)),
            _ => Step::Do(set(&[(0, 1)], LET_IN1)),
        },
    },
    Mode {
        name: "LetIn1",
        sees: &[WAITING1],
        shows: Some((0, 1)),
        step: |seen| if seen == [0] { Step::Do(set(&[(0, 0)], CLEAR1)) } else { Step::Stay },
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
            _ => Step::Do(set(&[(1, 1)], LET_IN2)),
        },
    },
    Mode {
        name: "LetIn2",
        sees: &[WAITING2],
        shows: Some((1, 1)),
        step: |seen| if seen == [0] { Step::Do(set(&[(1, 0)], CLEAR2)) } else { Step::Stay },
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

/// The output of the signal of the first side.
pub const LIGHT1: &[Output] = &[Output { name: "light1", most: 2, first: STOP }];
/// The output of the signal of the second side.
pub const LIGHT2: &[Output] = &[Output { name: "light2", most: 2, first: STOP }];

/// Inputs of a signal: whether the segment is open for its side, how many trams wait, and two alarms.
pub const OPENED: usize = 0;
pub const WAITING: usize = 1;
pub const ALARM: usize = 2;
pub const ALARM2: usize = 3;

/// Asks while trams wait, lets them pass while the segment is open, and closes for ever after an alarm.
pub const SIGNAL: &[Mode] = &[
    Mode {
        name: "Idle",
        sees: &[WAITING, ALARM, ALARM2],
        shows: Some((0, STOP)),
        step: |seen| match seen {
            [_, 1, _] | [_, _, 1] => Step::Do(go(BROKEN)),
            [0, ..] => Step::Stay,
            _ => Step::Do(set(&[(0, ASK)], ASKING)),
        },
    },
    Mode {
        name: "Asking",
        sees: &[OPENED, WAITING, ALARM, ALARM2],
        shows: Some((0, ASK)),
        step: |seen| match seen {
            [_, _, 1, _] | [_, _, _, 1] => Step::Do(set(&[(0, STOP)], BROKEN)),
            [_, 0, ..] => Step::Do(set(&[(0, STOP)], IDLE)),
            [0, ..] => Step::Stay,
            _ => Step::Do(set(&[(0, PASS)], PASSING)),
        },
    },
    Mode {
        name: "Passing",
        sees: &[OPENED, WAITING, ALARM, ALARM2],
        shows: Some((0, PASS)),
        step: |seen| match seen {
            [_, _, 1, _] | [_, _, _, 1] => Step::Do(set(&[(0, STOP)], BROKEN)),
            [_, 0, ..] => Step::Do(set(&[(0, STOP)], IDLE)),
            [0, ..] => Step::Do(set(&[(0, ASK)], ASKING)),
            _ => Step::Stay,
        },
    },
    Mode { name: "Broken", sees: &[], shows: None, step: |_| Step::Stay },
];

/// Modes of a counter.
const NONE: usize = 0;
const ONE: usize = 1;
const MANY: usize = 2;

/// Inputs of a counter: sensors for trams that come and trams that go.
pub const COME: usize = 0;
pub const GO: usize = 1;

/// Counts trams up to two, and gives an alarm if there are more. Its outputs are the number and the alarm.
pub const COUNTER: &[Mode] = &[
    Mode {
        name: "None",
        sees: &[COME, GO],
        shows: Some((0, 0)),
        step: |seen| if seen == [1, 0] { Step::Do(set(&[(0, 1)], ONE)) } else { Step::Stay },
    },
    Mode {
        name: "One",
        sees: &[COME, GO],
        shows: Some((0, 1)),
        step: |seen| match seen {
            [1, 0] => Step::Do(set(&[(0, 2)], MANY)),
            [0, 1] => Step::Do(set(&[(0, 0)], NONE)),
            _ => Step::Stay,
        },
    },
    Mode {
        name: "Many",
        sees: &[COME, GO],
        shows: Some((0, 2)),
        step: |seen| match seen {
            [1, 0] => Step::Do(set(&[(1, 1)], MANY)),
            [0, 1] => Step::Do(set(&[(0, 1), (1, 0)], ONE)),
            _ => Step::Stay,
        },
    },
];

/// The counters, by their names, with their outputs.
pub const COUNTERS: [(&str, &[Output]); 4] = [
    (
        "Waiting1",
        &[Output { name: "waiting1", most: 2, first: 0 }, Output { name: "crowded1", most: 1, first: 0 }],
    ),
    (
        "Waiting2",
        &[Output { name: "waiting2", most: 2, first: 0 }, Output { name: "crowded2", most: 1, first: 0 }],
    ),
    (
        "Track1",
        &[Output { name: "on_track1", most: 2, first: 0 }, Output { name: "jammed1", most: 1, first: 0 }],
    ),
    (
        "Track2",
        &[Output { name: "on_track2", most: 2, first: 0 }, Output { name: "jammed2", most: 1, first: 0 }],
    ),
];
