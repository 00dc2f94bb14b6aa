//! Air conditioning: people in a room press buttons on a panel, a controller forwards what they want as long as the room
//! is warm or cold enough for it, and a unit heats and cools.
//!
//! A family of our own after the model that Edelkamp and Lluch-Lafuente use ("Abstraction in Directed Model Checking",
//! 2004), which is not printed there: n users, all changing one temperature, and an assertion that is violated deep in the
//! space. While the unit is at work the temperature is about to change, and a controller that does not look whether
//! it is may let it go one degree too far.

use crate::{Answer, Family, Format, Parameter, Query, Values, Variant};

/// The family.
pub const AIRCON: Family = Family {
    name: "aircon",
    about: "people in a room who want it colder or warmer, a controller, and a unit that heats and cools",
    source: "the air-conditioning system with n users of S. Edelkamp and A. Lluch-Lafuente, Abstraction in Directed Model \
             Checking, ICAPS 2004 workshop on Connecting Planning Theory with Practice, modelled anew",
    parameters: &[Parameter {
        name: "n",
        constant: Some("USERS"),
        about: "people in the room",
        least: 1,
        most: 20,
        default: 2,
    }],
    variants: &[Variant { name: "p2", about: "of the paper", sizes: 1..=20, faulty: true }],
    fault: Some("the controller does not look whether the unit is at work"),
    texts: &[(Format::Promela, model)],
    maps: Some(maps),
    queries,
};

fn model(values: &Values) -> String {
    MODEL.replace("IDLE ?", if values.faulty { "IDLE true" } else { "IDLE (busy == 0)" })
}

const MODEL: &str = "\
#define LOW 12      // as cold as the room may be
#define HIGH 21     // as warm as it may be
#define START 19
#define IDLE ?

mtype = { content, colder, warmer };

chan panel = [1] of { mtype };    // what somebody has pressed
chan power = [0] of { mtype };    // what the unit is to do

unsigned temp : 5 = START;
bit busy = 0;                     // whether the unit is at work

active [USERS] proctype User() {
    mtype wish = content;
end:
    do
    :: wish == content ->
        if
        :: wish = warmer
        :: wish = colder
        fi
    :: wish != content ->
        if
        :: panel ! wish
        :: wish = content
        fi
    od
}

active proctype Controller() {
    mtype wish;
end:
    do
    :: panel ? wish ->
        if
        :: wish == warmer && temp < HIGH && IDLE -> busy = 1; power ! warmer
        :: wish == colder && temp > LOW && IDLE -> busy = 1; power ! colder
        :: else
        fi
    od
}

active proctype Unit() {
    mtype mode;
end:
    do
    :: power ? mode ->
        if
        :: mode == warmer -> temp++
        :: mode == colder -> temp--
        fi;
        busy = 0;
        assert(temp >= LOW && temp <= HIGH)
    od
}
";

/// The temperature in ranges: that is the abstraction of the paper.
fn maps(_: &Values) -> String {
    MAPS.to_string()
}

const MAPS: &str = "\
# The room is too cold, cold, mild, warm, or too warm; all else is as it is.
temp: ranges 12 15 19 22
";

fn queries(values: &Values) -> Vec<Query> {
    vec![
        Query {
            text: "assertions",
            about: "the room is never too cold or too warm",
            answer: if values.faulty { Answer::Violated { length: Some(32) } } else { Answer::Holds },
        },
        Query { text: "valid-end-states", about: "nobody has to wait for ever", answer: Answer::Holds },
    ]
}
