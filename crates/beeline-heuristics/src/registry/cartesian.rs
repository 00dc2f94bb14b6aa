//! The entry of Cartesian abstraction, with its options.

use super::table::{SIZE, WORK};
use super::{Entry, OptionEntry};
use crate::cartesian::{Cartesian, Frame, Pick};
use beeline_engine::heuristic::Properties;

const STATES: OptionEntry =
    OptionEntry { name: "states", default: "100000", help: "abstract states at most, a number", ..SIZE };
const TRANSITIONS: OptionEntry = OptionEntry {
    name: "transitions",
    default: "4000000",
    help: "abstract transitions at most, about, a number",
    ..SIZE
};
const SPLITTING: OptionEntry = OptionEntry {
    default: "1000000000",
    help: "abstract transitions looked at, about, before no more is split; a number",
    ..WORK
};
const PICK: OptionEntry = OptionEntry {
    name: "pick",
    default: "max-refined",
    values: &["max-refined", "min-refined", "min-unwanted", "max-unwanted"],
    help: "by what an abstract state is split, of several: that of whose values it has the least share left, or the \
           greatest; or that with the fewest values that are not asked for, or the most",
};

pub(super) const CARTESIAN: Entry = Entry {
    name: "cartesian",
    symbol: "h^Cartesian",
    summary: "Cartesian abstraction by counterexample-guided refinement",
    manual: "All states are one at first. Then the shortest abstract way to the target is tried, and where it fails, the \
             abstract state is split in two by the values of one location or integer: those from which it could go \
             on, and the others. And so on, thousands of times. If a shortest way does not fail it is a shortest \
             trace, and A* takes it. Clocks do not count.",
    paper: "Seipp and Helmert, Journal of Artificial Intelligence Research 62, 2018",
    cost: "the refinement once, then a look-up in a tree per state",
    properties: Properties::LOWER_BOUND,
    options: &[STATES, TRANSITIONS, SPLITTING, PICK],
    make: |making, settings| {
        let number = |option: &OptionEntry| {
            let text = settings.get(option);
            let number = text.parse::<u64>();
            number.map_err(|_| format!("`{}={text}`: a number is needed", option.name))
        };
        let pick = match settings.get(&PICK) {
            "min-refined" => Pick::MinRefined,
            "min-unwanted" => Pick::MinUnwanted,
            "max-unwanted" => Pick::MaxUnwanted,
            _ => Pick::MaxRefined,
        };
        let (states, transitions) = (number(&STATES)? as usize, number(&TRANSITIONS)? as usize);
        let frame = Frame { states, transitions, work: number(&SPLITTING)?, pick };
        Ok(Box::new(Cartesian::new(making, frame)?))
    },
};
