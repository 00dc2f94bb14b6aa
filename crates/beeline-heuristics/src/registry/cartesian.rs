//! The entry of Cartesian abstraction, with its options.

use super::table::{SIZE, WORK};
use super::{Entry, OptionEntry};
use crate::cartesian::{Cartesian, Frame, Pick};
use beeline_engine::heuristic::Properties;

const STATES: OptionEntry =
    OptionEntry { name: "states", default: "1000000", help: "abstract states at most, a number", ..SIZE };
const TRANSITIONS: OptionEntry = OptionEntry {
    name: "transitions",
    default: "10000000",
    help: "abstract transitions at most, about, a number",
    ..SIZE
};
const SPLITTING: OptionEntry = OptionEntry {
    default: "100000000",
    help: "abstract transitions looked at, about, before no more is split; a number",
    ..WORK
};
const PICK: OptionEntry = OptionEntry {
    name: "pick",
    default: "max-unwanted",
    values: &["max-refined", "min-refined", "min-unwanted", "max-unwanted"],
    help: "by what an abstract state is split, of several: that of whose values it has the least share left, or the \
           greatest; or that with the fewest values that are not asked for, or the most",
};

const CLOCKS: OptionEntry = OptionEntry {
    name: "clocks",
    default: "demand",
    values: &["demand", "none"],
    help: "whether abstract states may be split by clocks, where nothing else stands in the way",
};

pub(super) const CARTESIAN: Entry = Entry {
    name: "cartesian",
    symbol: "h^Cartesian",
    summary: "Cartesian abstraction by counterexample-guided refinement",
    manual: "All states are one at first. Then the shortest abstract way to the target is tried, and where it fails, the \
             abstract state is split in two by the values of one location or integer: those from which it could go \
             on, and the others. And so on, thousands of times. If a shortest way does not fail it is a shortest \
             trace, and A* takes it. Where a way fails for the time that it takes alone, abstract states are split by \
             a constraint on clocks that tells both apart. (Without such splits it is consistent, and does not look at \
             zones.)",
    paper: "Seipp and Helmert, Journal of Artificial Intelligence Research 62, 2018",
    cost: "the refinement once, then a look-up in a tree per state",
    properties: Properties { zone_dependent: true, consistent: false, ..Properties::LOWER_BOUND },
    options: &[STATES, TRANSITIONS, SPLITTING, PICK, CLOCKS],
    make: |making, settings| {
        let number = |option: &OptionEntry| {
            let text = settings.get(option);
            let number = text.parse::<u64>();
            number.map_err(|_| format!("`{}={text}`: a number is needed", option.name))
        };
        let pick = match settings.get(&PICK) {
            "max-refined" => Pick::MaxRefined,
            "min-refined" => Pick::MinRefined,
            "min-unwanted" => Pick::MinUnwanted,
            _ => Pick::MaxUnwanted,
        };
        let (states, transitions) = (number(&STATES)? as usize, number(&TRANSITIONS)? as usize);
        let clocks = settings.get(&CLOCKS) == "demand";
        let frame = Frame { states, transitions, work: number(&SPLITTING)?, pick, clocks };
        Ok(Box::new(Cartesian::new(making, frame)?))
    },
};
