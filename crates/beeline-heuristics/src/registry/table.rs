//! The table of all heuristics, with their options.

use super::{Entry, NotMade, OptionEntry, Settings, Spec, make};
use super::{cartesian, hsf, pa};
use crate::causal_graph::CausalGraphHeuristic;
use crate::cora::Cora;
use crate::cost_partitioning::{self, CostPartitioning, Sharing, timed};
use crate::critical_path::CriticalPath;
use crate::factors::Start;
use crate::graph_distance::{Combination, GraphDistance};
use crate::interference::Contexts;
use crate::landmarks::Landmarks;
use crate::merge_and_shrink::{self, MergeAndShrink, Most, Order, Shrinking};
use crate::monotonicity::{Measure, Monotonicity};
use crate::novelty::Novelty;
use crate::patterns::cegar::{self, Collection};
use crate::patterns::downward::Reference;
use crate::patterns::given;
use crate::patterns::making::{self, Clocks, Frame};
use crate::perimeter::Perimeter;
use crate::useless::Useless;
use beeline_abstraction::projection::Pattern;
use beeline_engine::heuristic::Properties;
use beeline_ir::layout::Layout;

const BASE: OptionEntry =
    OptionEntry { name: "h", default: "hl", values: &["hl", "hu"], help: "the estimate: h^L or h^U" };
const AROUND: OptionEntry =
    OptionEntry { name: "h", default: "hu", values: &["dl", "du", "hl", "hu", "cg"], help: "the estimate" };
const PAIRS: OptionEntry =
    OptionEntry { name: "width", default: "1", values: &["1", "2"], help: "values, or also pairs of values" };
const VARIABLE: OptionEntry = OptionEntry { name: "var", default: "heur", values: &[], help: "the variable" };

const CLOCKS: OptionEntry = OptionEntry {
    name: "clocks",
    default: "all",
    values: &["all", "own", "digital", "none"],
    help: "the clocks of the pattern: all, those that its automata compare, the same counting whole units of time, \
           or none",
};
const OWN_CLOCKS: OptionEntry = OptionEntry { default: "own", ..CLOCKS };
pub(super) const GIVEN_CLOCKS: OptionEntry = OptionEntry {
    default: "zones",
    values: &["zones", "digital"],
    help: "the clocks of the pattern: in zones, or counting whole units of time",
    ..CLOCKS
};
const DEMANDED: OptionEntry = OptionEntry {
    default: "demand",
    values: &["demand", "digital", "none"],
    help: "the clocks of the pattern: those that are asked for, the same counting whole units of time, or none",
    ..CLOCKS
};
const START: OptionEntry = OptionEntry {
    name: "start",
    default: "downward",
    values: &["downward", "target"],
    help: "the first pattern: that of dpr, without what seems to matter least if it is too large, or what the target is \
           about",
};
const COLLECTION: OptionEntry = OptionEntry {
    name: "collection",
    default: "single",
    values: &["single", "multiple"],
    help: "one pattern, or several",
};
const REFERENCE: OptionEntry = OptionEntry {
    name: "ref",
    default: "current",
    values: &["current", "original"],
    help: "the estimate that must not be lost: that without the safe elements, or that of the whole model",
};
pub(super) const SIZE: OptionEntry =
    OptionEntry { name: "size", default: "4000000", values: &[], help: "entries at most, a number" };
const SMALLER: OptionEntry = OptionEntry { default: "1000000", ..SIZE };
const MANY_TIMES: OptionEntry = OptionEntry { default: "100000", ..SIZE };
const STATES: OptionEntry =
    OptionEntry { default: "50000", help: "states of a product at most, a number", ..SIZE };
const FACTOR: OptionEntry =
    OptionEntry { name: "N", default: "50", help: "states of what is merged, at most, a number", ..SIZE };
const TRANSITIONS: OptionEntry =
    OptionEntry { default: "4000000", help: "transitions of a product at most, a number", ..SIZE };
const ORDER: OptionEntry = OptionEntry {
    name: "order",
    default: "dfp",
    values: &["dfp", "scc", "size", "labels"],
    help: "what is merged first: what has a label in common that leads close to the target, the same among what has a \
           say in each other's changes, what has the smallest product, or what has most of its labels to itself",
};
const SHRINK: OptionEntry = OptionEntry {
    name: "shrink",
    default: "bisimulation",
    values: &["bisimulation", "greedy"],
    help: "which states become one: those that can do the same, or those that can do the same on shortest ways",
};
const COSTS: OptionEntry = OptionEntry {
    name: "costs",
    default: "saturated",
    values: &["saturated", "zero-one", "canonical"],
    help: "how the cost of a label is shared out: in some order each projection takes what it needs, or all that is \
           left; or each takes all, and only those are added up that no label changes both of",
};
const ONLINE: OptionEntry = OptionEntry {
    name: "online",
    default: "0",
    values: &[],
    help: "states that are estimated before another order is tried, for the next of them; 0 for no more orders than \
           those from before the search. Not with `costs=canonical`",
};
const TIMED: OptionEntry = OptionEntry {
    name: "timed",
    default: "0",
    values: &[],
    help: "entries in all of databases with clocks, as `cegar:collection=multiple` has them, that take part; 0 for none",
};
const MUTEXES: OptionEntry = OptionEntry {
    name: "mutexes",
    default: "off",
    values: &["off", "on"],
    help: "whether what labels do is left out where it asks for values that are never the case together; estimates that \
           follow from it come without a proof",
};
const MUTEXES_ON: OptionEntry = OptionEntry {
    default: "on",
    help: "whether what labels do is left out where it asks for values that are never the case together",
    ..MUTEXES
};
const DEPTH: OptionEntry = OptionEntry {
    name: "depth",
    default: "100",
    values: &[],
    help: "steps back from the target at most, a number",
};
const CUBES: OptionEntry = OptionEntry { default: "20000", help: "sets of states at most, a number", ..SIZE };
pub(super) const WORK: OptionEntry = OptionEntry {
    name: "work",
    default: "200000000",
    values: &[],
    help: "words looked at per state, about; beyond that, the variables with most values do not count; a number",
};
const VARIABLES: OptionEntry = OptionEntry {
    name: "vars",
    default: "",
    values: &[],
    help: "the automata, integers and clocks of the pattern: `A+B+x`",
};

const SEVERAL: OptionEntry = OptionEntry {
    help: "the automata, integers and clocks of the patterns: `A+B+x/C+y`; the size is for each of them",
    ..VARIABLES
};

/// The options of a pattern database.
pub(super) fn frame(settings: &Settings, clocks: &OptionEntry, size: &OptionEntry) -> Result<Frame, NotMade> {
    let clocks = match settings.get(clocks) {
        "all" | "zones" => Clocks::All,
        "own" | "demand" => Clocks::Own,
        "digital" => Clocks::Digital,
        _ => Clocks::None,
    };
    let size = settings.get(size);
    let most = size.parse().map_err(|_| format!("`size={size}`: a number of entries is needed"))?;
    Ok(Frame { clocks, most })
}

/// All heuristics.
pub const HEURISTICS: &[Entry] = &[
    Entry {
        name: "dl",
        symbol: "d^L",
        summary: "graph distance, greatest over the automata",
        manual: "For every automaton of the target, the number of edges to the nearest location asked for, whatever \
                 the guards; the greatest of these numbers.",
        paper: "Edelkamp, Lluch-Lafuente, Leue, SPIN 2001; named as in Wehrle and Helmert, SAS 2009",
        cost: "a look-up per automaton of the target",
        properties: Properties::LOWER_BOUND,
        options: &[],
        make: |making, _| {
            Ok(Box::new(GraphDistance::new(making.network, making.factored()?, Combination::Max)))
        },
    },
    Entry {
        name: "du",
        symbol: "d^U",
        summary: "graph distance, summed over the automata",
        manual: "As dl, but the sum. It counts a synchronisation of two automata twice, so it is no lower bound.",
        paper: "Edelkamp, Lluch-Lafuente, Leue, SPIN 2001; named as in Wehrle and Helmert, SAS 2009",
        cost: "a look-up per automaton of the target",
        properties: Properties::SAFE,
        options: &[],
        make: |making, _| {
            Ok(Box::new(GraphDistance::new(making.network, making.factored()?, Combination::Sum)))
        },
    },
    Entry {
        name: "hl",
        symbol: "h^L",
        summary: "monotonicity abstraction, number of layers",
        manual: "Variables and locations collect values and never lose one; the number of parallel steps until the \
                 target holds. Guards and updates of integers count, clocks do not.",
        paper: "Kupferschmid, Hoffmann, Dierks, Behrmann, SPIN 2006",
        cost: "linear in the size of the model, per state",
        properties: Properties::LOWER_BOUND,
        options: &[],
        make: |making, _| {
            Ok(Box::new(Monotonicity::new(making.factored()?, Measure::Layers, making.meter())?))
        },
    },
    Entry {
        name: "h2",
        symbol: "h^2",
        summary: "critical paths: steps until all pairs of what the target asks for are possible",
        manual: "As hl, but for pairs of values of locations and integers: the number of parallel steps until no two parts \
                 of the target exclude each other, where a label needs all pairs of what it asks for. It sees that an \
                 automaton cannot be at two places, and that what was taken has to be given back. Clocks do not count.",
        paper: "Haslum and Geffner, AIPS 2000",
        cost: "a fixpoint over all pairs of values, per state: expensive",
        properties: Properties::LOWER_BOUND,
        options: &[WORK, MUTEXES_ON],
        make: |making, settings| {
            let work = settings.get(&WORK);
            let most = work.parse().map_err(|_| format!("`work={work}`: a number of words is needed"))?;
            let slots = Layout::of_network(making.network).initial(making.network);
            let start = Start { slots: &slots, mutexes: settings.get(&MUTEXES_ON) == "on" };
            Ok(Box::new(CriticalPath::new(&*making.factored()?, start, most, making.meter())?))
        },
    },
    Entry {
        name: "hu",
        symbol: "h^U",
        summary: "monotonicity abstraction, length of a relaxed trace",
        manual: "As hl, but the number of labels of a relaxed trace: it adds up what has to be done at several places. \
                 The labels that the relaxed trace begins with are preferred.",
        paper: "Kupferschmid, Hoffmann, Dierks, Behrmann, SPIN 2006",
        cost: "linear in the size of the model, per state",
        properties: Properties::SAFE,
        options: &[],
        make: |making, _| {
            Ok(Box::new(Monotonicity::new(making.factored()?, Measure::Trace, making.meter())?))
        },
    },
    Entry {
        name: "landmarks",
        symbol: "h^LA",
        summary: "landmarks by dominators: what has to be crossed on every way to the target",
        manual: "Each automaton and integer of the target has to cross the cuts of its graph on the way to where it should \
                 be: sets of labels one of which has to be taken, between places that every way passes. What all labels \
                 of a cut ask of others is a target as well, and so on. A label that counts on the way to several targets \
                 gives each of them its share of a step, or all of it to the first; the greater sum counts. Clocks do \
                 not count.",
        paper: "Karpas and Domshlak, IJCAI 2009; Richter and Westphal, Journal of Artificial Intelligence Research 39, 2010",
        cost: "tables once, then linear in the size of the cuts, per state",
        properties: Properties { consistent: false, ..Properties::LOWER_BOUND },
        options: &[MUTEXES_ON],
        make: |making, settings| {
            let slots = Layout::of_network(making.network).initial(making.network);
            let start = Start { slots: &slots, mutexes: settings.get(&MUTEXES_ON) == "on" };
            Ok(Box::new(Landmarks::new(&*making.factored()?, start, making.meter())?))
        },
    },
    Entry {
        name: "perimeter",
        symbol: "h^per",
        summary: "perimeter: the steps back from the target, and what is beyond is farther",
        manual: "The states around the target, layer by layer backwards, as sets of values for each location and integer. \
                 The estimate is the layer of a state; beyond the layers, the number of the next one, as far as depth and \
                 size allow complete ones; infinite if there are no more. For use beside another heuristic. Clocks do not \
                 count.",
        paper: "Manzini, Artificial Intelligence 75, 1995; Torralba, Linares Lopez, Borrajo, Artificial Intelligence 259, \
                2018",
        cost: "the layers once, then a look-up per location and integer for each 64 sets",
        properties: Properties::LOWER_BOUND,
        options: &[DEPTH, CUBES, MUTEXES_ON],
        make: |making, settings| {
            let (depth, size) = (settings.get(&DEPTH), settings.get(&CUBES));
            let layers =
                depth.parse().map_err(|_| format!("`depth={depth}`: a number of steps is needed"))?;
            let cubes = size.parse().map_err(|_| format!("`size={size}`: a number of sets is needed"))?;
            let slots = Layout::of_network(making.network).initial(making.network);
            let start = Start { slots: &slots, mutexes: settings.get(&MUTEXES_ON) == "on" };
            Ok(Box::new(Perimeter::new(&*making.factored()?, start, (layers, cubes), making.meter())?))
        },
    },
    Entry {
        name: "cg",
        symbol: "h^CG",
        summary: "causal graph heuristic",
        manual: "The cost of bringing each automaton and variable of the target to where it should be, where every \
                 change pays for what it asks of others, recursively along the causal graph.",
        paper: "Wehrle and Helmert, SAS 2009",
        cost: "small tables, most of them kept from state to state",
        properties: Properties::NOTHING,
        options: &[],
        make: |making, _| {
            let layout = Layout::of_network(making.network);
            Ok(Box::new(CausalGraphHeuristic::new(&layout, making.factored()?, making.meter())?))
        },
    },
    Entry {
        name: "ut",
        symbol: "UT",
        summary: "useless transitions: puts off labels that no short way begins with",
        manual: "An estimate (h^L or h^U) with an opinion on labels: where the target seems no farther without a label \
                 than after it, what the label leads to is put off by its depth. For greedy search.",
        paper: "Wehrle, Kupferschmid, Podelski, ICAPS 2008 and TACAS 2009",
        cost: "as the estimate, and again for labels of the relaxed trace",
        properties: Properties::SAFE,
        options: &[BASE],
        make: |making, settings| {
            let measure = if settings.get(&BASE) == "hu" { Measure::Trace } else { Measure::Layers };
            Ok(Box::new(Useless::new(making.factored()?, measure, making.meter())?))
        },
    },
    Entry {
        name: "contexts",
        symbol: "C_i",
        summary: "interference contexts: stays near the label taken last",
        manual: "An estimate with an opinion on labels: successors go to the queue whose number tells how far the label \
                 taken is from interfering with the one before. For greedy search. In a network of more than 65,536 label \
                 schemas (edges that may make a label together), it is the estimate alone.",
        paper: "Wehrle and Kupferschmid, SPIN 2010",
        cost: "as the estimate, and a look-up; linear in the size of the model for each label taken first",
        properties: Properties::NOTHING,
        options: &[AROUND],
        make: |making, settings| {
            let base = Spec::parse(settings.get(&AROUND))?;
            Contexts::around(making.network, make(making, &base)?, making.meter()).map_err(NotMade::from)
        },
    },
    Entry {
        name: "novelty",
        symbol: "w",
        summary: "novelty: values never seen before come first",
        manual: "0 for a state with a value that no state evaluated before had, 1 for a new pair of values (width=2), \
                 2 otherwise. Says nothing of distances: for use beside another heuristic.",
        paper: "Lipovetzky and Geffner, AAAI 2017",
        cost: "linear in the number of variables (quadratic with width=2)",
        properties: Properties::UNSTEADY,
        options: &[PAIRS],
        make: |making, settings| Ok(Box::new(Novelty::new(making.factored()?, settings.get(&PAIRS) == "2"))),
    },
    hsf::FORMULA,
    hsf::ACTIVE,
    hsf::FSM,
    hsf::HAMMING,
    hsf::USER,
    Entry {
        name: "heur",
        symbol: "heur",
        summary: "the value of a variable of the model",
        manual: "The estimate is what the model's author keeps in a variable (UPPAAL CORA's `heur`).",
        paper: "Behrmann, Larsen, Rasmussen, 2005",
        cost: "nothing",
        properties: Properties::NOTHING,
        options: &[VARIABLE],
        make: |making, settings| Ok(Box::new(Cora::new(making.network, settings.get(&VARIABLE))?)),
    },
    Entry {
        name: "dpr",
        symbol: "h^dpr",
        summary: "pattern database by downward pattern refinement",
        manual: "The model is projected to a pattern of its automata and integers, with clocks; all states of the \
                 projection are explored, and their distances from the target written down. The pattern is what is left \
                 when safe elements are taken away, then all others whose loss h^U does not notice in the initial state. \
                 With `clocks=digital`, clocks are integers that count units of time, as fine as the size allows; where \
                 there cannot be such clocks, there are none. Such tables give no proofs. \
                 (Not consistent with digital clocks, nor in models with differences of clocks, priorities or dynamic \
                 processes.)",
        paper: "Kupferschmid and Wehrle, TACAS 2011; digital clocks: Henzinger, Manna, Pnueli, ICALP 1992",
        cost: "the exploration of the projection once, then a look-up per state",
        properties: Properties { zone_dependent: true, ..Properties::LOWER_BOUND },
        options: &[REFERENCE, CLOCKS, SIZE],
        make: |making, settings| {
            let reference = match settings.get(&REFERENCE) {
                "original" => Reference::Original,
                _ => Reference::Current,
            };
            Ok(Box::new(making::downward(making, reference, frame(settings, &CLOCKS, &SIZE)?)?))
        },
    },
    Entry {
        name: "rd",
        symbol: "h^rd",
        summary: "pattern database by Russian doll abstraction",
        manual: "As dpr, but the pattern is what a relaxed trace from the initial state asks about. If it is too large, \
                 what is asked about farthest from the error is left out.",
        paper: "Kupferschmid, Hoffmann, Larsen, TACAS 2008",
        cost: "the exploration of the projection once, then a look-up per state",
        properties: Properties { zone_dependent: true, ..Properties::LOWER_BOUND },
        options: &[OWN_CLOCKS, SMALLER],
        make: |making, settings| Ok(Box::new(making::doll(making, frame(settings, &OWN_CLOCKS, &SMALLER)?)?)),
    },
    Entry {
        name: "coi",
        symbol: "h^coi",
        summary: "pattern database of the cone of influence, by layers",
        manual: "As dpr, but the pattern is what the target is about, then what that depends on, and so on, as far as the \
                 size allows.",
        paper: "Kupferschmid and Wehrle, TACAS 2011",
        cost: "the exploration of projections once, then a look-up per state",
        properties: Properties { zone_dependent: true, ..Properties::LOWER_BOUND },
        options: &[OWN_CLOCKS, SMALLER],
        make: |making, settings| Ok(Box::new(making::cone(making, frame(settings, &OWN_CLOCKS, &SMALLER)?)?)),
    },
    Entry {
        name: "ipdb",
        symbol: "h^iPDB",
        summary: "pattern database by hill climbing",
        manual: "As dpr, but the pattern is what the target is about, and then, one by one, what has a say in the changes \
                 of the pattern: each time what raises the estimates of most sample states, which random walks lead to. \
                 The walks are the same every time.",
        paper: "Haslum, Botea, Helmert, Bonet, Koenig, AAAI 2007",
        cost: "the exploration of many projections once, then a look-up per state",
        properties: Properties { zone_dependent: true, ..Properties::LOWER_BOUND },
        options: &[OWN_CLOCKS, MANY_TIMES],
        make: |making, settings| {
            Ok(Box::new(making::climbing(making, frame(settings, &OWN_CLOCKS, &MANY_TIMES)?)?))
        },
    },
    Entry {
        name: "cegar",
        symbol: "h^CEGAR",
        summary: "pattern database by counterexample-guided refinement",
        manual: "As dpr, but then, one by one, that is added to the pattern which stands in the way of the shortest \
                 traces of the projection when they are tried in the model: integers that guards ask about, automata \
                 that are elsewhere, clocks. If one of them is a trace of the model it is a shortest one: no more is \
                 added, and A* takes it. With `start=target` the pattern is at first what the target is about, without \
                 clocks. With `collection=multiple`, if one pattern is not enough, there are smaller ones besides, as \
                 many as know more than the others of sample states, and the greatest estimate counts.",
        paper: "Rovner, Sievers, Helmert, ICAPS 2019",
        cost: "the exploration of many projections once, then a look-up per state",
        properties: Properties { zone_dependent: true, ..Properties::LOWER_BOUND },
        options: &[START, COLLECTION, DEMANDED, SIZE],
        make: |making, settings| {
            let start = match settings.get(&START) {
                "target" => cegar::Start::Target,
                _ => cegar::Start::Downward,
            };
            let collection = match settings.get(&COLLECTION) {
                "multiple" => Collection::Multiple,
                _ => Collection::Single,
            };
            Ok(Box::new(cegar::refine(making, frame(settings, &DEMANDED, &SIZE)?, start, collection)?))
        },
    },
    Entry {
        name: "pdb",
        symbol: "h^P",
        summary: "pattern database of a pattern given by name",
        manual: "As dpr, but the pattern is given: `pdb:vars=A+B+x` for the automata, integers and clocks A, B and x. What \
                 the projection cannot do without is added.",
        paper: "Kupferschmid and Wehrle, TACAS 2011",
        cost: "the exploration of the projection once, then a look-up per state",
        properties: Properties { zone_dependent: true, ..Properties::LOWER_BOUND },
        options: &[VARIABLES, GIVEN_CLOCKS, SIZE],
        make: |making, settings| {
            let pattern = given::parse(making.network, settings.get(&VARIABLES))?;
            Ok(Box::new(making::database(making, &pattern, frame(settings, &GIVEN_CLOCKS, &SIZE)?)?))
        },
    },
    hsf::ADB,
    Entry {
        name: "sum",
        symbol: "h^+",
        summary: "sum of pattern databases, no label counting in two of them",
        manual: "Several pattern databases, in each of which only labels count that change what its pattern looks at and \
                 can change nothing that an earlier one looks at; so their sum is a lower bound. Patterns are given as \
                 `sum:vars=A+B+x/C+y`; otherwise there is one for each automaton and integer that the target is \
                 about, with what it depends on and no other one has, as far as the size allows.",
        paper: "Edelkamp and Lluch-Lafuente, ICAPS 2004 workshop; Korf and Felner, Artificial Intelligence 134, 2002",
        cost: "the exploration of projections once, then a look-up per pattern and state",
        properties: Properties { zone_dependent: true, ..Properties::LOWER_BOUND },
        options: &[SEVERAL, OWN_CLOCKS, SMALLER],
        make: |making, settings| {
            let frame = frame(settings, &OWN_CLOCKS, &SMALLER)?;
            let text = settings.get(&SEVERAL);
            if text.is_empty() {
                return Ok(Box::new(making::sum(making, frame)?));
            }
            let patterns = text.split('/').map(|text| given::parse(making.network, text));
            let patterns = patterns.collect::<Result<Vec<Pattern>, String>>()?;
            Ok(Box::new(making::given_sum(making, &patterns, frame)?))
        },
    },
    Entry {
        name: "ms",
        symbol: "h^M&S",
        summary: "merge-and-shrink",
        manual: "The locations and integers that the target depends on are small transition systems, two of which at a time \
                 are replaced by their product; before that, states that can do the same become one, and further ones if \
                 the product would be too large. The distance in what is left at the end; clocks do not count. Proofs come \
                 from products of what was merged, as far as these can be made without putting states together.",
        paper: "Helmert, Haslum, Hoffmann, Nissim, Journal of the ACM 61(3), 2014; Sievers, Wehrle, Helmert, AAAI 2014",
        cost: "the merging once, then a look-up per location and integer",
        properties: Properties::LOWER_BOUND,
        options: &[STATES, ORDER, SHRINK, MUTEXES],
        make: |making, settings| {
            let size = settings.get(&STATES);
            let most = size.parse().map_err(|_| format!("`size={size}`: a number of states is needed"))?;
            let slots = Layout::of_network(making.network).initial(making.network);
            let start = Start { slots: &slots, mutexes: settings.get(&MUTEXES) == "on" };
            let order = match settings.get(&ORDER) {
                "scc" => Order::Components,
                "size" => Order::Size,
                "labels" => Order::Privacy,
                _ => Order::Nearness,
            };
            let factored = making.factored()?;
            let shrinking = match settings.get(&SHRINK) {
                "greedy" => Shrinking::Greedy,
                _ => Shrinking::Bisimulation,
            };
            let frame = merge_and_shrink::Frame { most: Most::OfProduct(most), order, shrinking };
            Ok(Box::new(MergeAndShrink::new(&factored, start, frame, making.meter())?))
        },
    },
    Entry {
        name: "aa",
        symbol: "h^aa",
        summary: "products of automata, made small again after each",
        manual: "The ancestor of merge-and-shrink: of all locations and integers that the target depends on, the two that \
                 share most labels are replaced by their product, whose states become one until few enough are left, \
                 those farthest from the target first. The greatest of the distances on the way; clocks do not count.",
        paper: "Draeger, Finkbeiner, Podelski, SPIN 2006",
        cost: "the merging once, then a look-up per location and integer",
        properties: Properties::LOWER_BOUND,
        options: &[FACTOR],
        make: |making, settings| {
            let size = settings.get(&FACTOR);
            let most = size.parse().map_err(|_| format!("`N={size}`: a number of states is needed"))?;
            let slots = Layout::of_network(making.network).initial(making.network);
            let start = Start { slots: &slots, mutexes: false };
            let (most, order) = (Most::OfFactor(most), Order::Sharing);
            let frame = merge_and_shrink::Frame { most, order, shrinking: Shrinking::Bisimulation };
            let factored = making.factored()?;
            Ok(Box::new(MergeAndShrink::new(&factored, start, frame, making.meter())?))
        },
    },
    Entry {
        name: "scp",
        symbol: "h^SCP",
        summary: "cost partitioning over projections chosen by counterexamples",
        manual: "Projections to some locations and integers, one for each part of the target and some more: each grows by \
                 what is in the way of its shortest way. Their distances are added up, for each of them counts only what \
                 it needs of the cost of each label, and leaves the rest to the others; of several ways to share out the \
                 costs the best counts. Clocks do not count, unless databases with clocks take part (`timed`). \
                 Proofs come from single projections, for sums have none. (With `online`, not consistent, \
                 and depends on what was evaluated before.)",
        paper: "Seipp, Keller, Helmert, Journal of Artificial Intelligence Research 67, 2020; Rovner, Sievers, Helmert, \
                ICAPS 2019; other ways to share: Edelkamp, MoChArt 2006, and Haslum, Botea, Helmert, Bonet, Koenig, \
                AAAI 2007; online: Seipp, ICAPS 2021",
        cost: "the projections once, then a look-up per location and integer",
        properties: Properties::LOWER_BOUND,
        options: &[TRANSITIONS, TIMED, COSTS, ONLINE, MUTEXES],
        make: |making, settings| {
            let size = settings.get(&TRANSITIONS);
            let most =
                size.parse().map_err(|_| format!("`size={size}`: a number of transitions is needed"))?;
            let slots = Layout::of_network(making.network).initial(making.network);
            let start = Start { slots: &slots, mutexes: settings.get(&MUTEXES) == "on" };
            let sharing = match settings.get(&COSTS) {
                "zero-one" => Sharing::ZeroOne,
                "canonical" => Sharing::Canonical,
                _ => Sharing::Saturated,
            };
            let every = settings.get(&ONLINE);
            let every: u64 =
                every.parse().map_err(|_| format!("`online={every}`: a number of states is needed"))?;
            let online = (every > 0).then_some(every);
            if online.is_some() && sharing == Sharing::Canonical {
                return Err(NotMade::Refused("`online` needs orders, and `costs=canonical` has none".into()));
            }
            let entries = settings.get(&TIMED);
            let entries: usize =
                entries.parse().map_err(|_| format!("`timed={entries}`: a number of entries is needed"))?;
            let databases = if entries > 0 { timed::draw(making, entries)? } else { Vec::new() };
            let frame = cost_partitioning::Frame { most, sharing, online };
            Ok(Box::new(CostPartitioning::new(making, start, frame, databases)?))
        },
    },
    cartesian::CARTESIAN,
    pa::PA,
];
