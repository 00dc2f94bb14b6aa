//! The entry of predicate abstraction, with its options.

use super::{Entry, OptionEntry};
use crate::predicate_abstraction::split::Shared;
use crate::predicate_abstraction::{Frame, Origin, Patience, PredicateAbstraction, Sum};
use beeline_engine::heuristic::Properties;

const PREDICATES: OptionEntry = OptionEntry {
    name: "predicates",
    default: "syntax",
    values: &["syntax", "refine"],
    help: "where predicates come from: the guards and invariants of a part, or shortest ways of the \
         abstraction that are none \
           of the part",
};
const ITERATIONS: OptionEntry = OptionEntry {
    name: "iterations",
    default: "4",
    values: &[],
    help: "with `predicates=refine`: refinements at most, a number",
};
const STOP: OptionEntry = OptionEntry {
    name: "stop",
    default: "iterations",
    values: &["iterations", "growth"],
    help: "with `predicates=refine`: after so many iterations, or before that when the shortest way does not become longer, \
           with the abstraction before",
};
const WAYS: OptionEntry = OptionEntry {
    name: "ways",
    default: "one",
    values: &["one", "all"],
    help: "with `predicates=refine`: a refinement removes one shortest way of the abstraction, or all of them",
};
const SPLIT: OptionEntry = OptionEntry {
    name: "split",
    default: "2",
    values: &["1", "2", "3", "4", "all"],
    help: "automata of a part, at most",
};
const SUM: OptionEntry = OptionEntry {
    name: "sum",
    default: "repaired",
    values: &["printed", "repaired"],
    help: "where a label counts that changes several parts: in each, as printed (then the sum may be too large), or in one",
};
const SHARED: OptionEntry = OptionEntry {
    name: "shared",
    default: "drop",
    values: &["drop", "keep"],
    help: "variables that other parts write, too: left out, as in the paper, or kept with what others do to them",
};
const SIZE: OptionEntry = OptionEntry {
    name: "size",
    default: "20000",
    values: &[],
    help: "abstract states of a part at most, a number",
};

pub(super) const PA: Entry = Entry {
    name: "pa",
    symbol: "h^pa",
    summary: "predicate abstraction of the parts of the network",
    manual: "The automata are divided into parts of at most `split`, those together that have most to do with \
         each other. Of \
             each part, abstract states are made backwards from the target: what is known of some predicates, each true, \
             false or open. The estimate is the sum of the distances of the nearest abstract states that a state may be in. \
             With `predicates=refine` there are only the locations at first; then, again and again, a shortest way of the \
             abstraction is tried in the part, and predicates are added that rule it out. A way that is one of the whole \
             network (`split=all`) is a shortest trace, and A* takes it. With `sum=printed`, as in the paper, labels \
             count in every part that they change, and nothing is promised but that infinity is right. (Not \
             consistent where predicates are about clocks.) Parts without a way are proofs, clocks included, and the \
             distances of a single part prove lengths: the kernel is given them as rows.",
    paper: "Hoffmann, Smaus, Rybalchenko, Kupferschmid, Podelski, MoChArt 2006",
    cost: "the abstraction once, then a look-up per part and state",
    properties: Properties { zone_dependent: true, ..Properties::LOWER_BOUND },
    options: &[PREDICATES, SPLIT, ITERATIONS, STOP, WAYS, SUM, SHARED, SIZE],
    make: |making, settings| {
        let size = settings.get(&SIZE);
        let size =
            size.parse().map_err(|_| format!("`size={size}`: a number of abstract states is needed"))?;
        let iterations = settings.get(&ITERATIONS);
        let iterations = iterations
            .parse()
            .map_err(|_| format!("`iterations={iterations}`: a number of refinements is needed"))?;
        let patience = Patience {
            iterations,
            while_growing: settings.get(&STOP) == "growth",
            all_ways: settings.get(&WAYS) == "all",
        };
        let origin = match settings.get(&PREDICATES) {
            "refine" => Origin::Refine(patience),
            _ => Origin::Syntax,
        };
        let frame = Frame {
            origin,
            split: settings.get(&SPLIT).parse().unwrap_or(usize::MAX),
            sum: if settings.get(&SUM) == "printed" { Sum::Printed } else { Sum::Repaired },
            shared: if settings.get(&SHARED) == "keep" { Shared::Keep } else { Shared::Drop },
            size,
        };
        Ok(Box::new(PredicateAbstraction::new(making, frame)?))
    },
};
