//! The entries of the heuristics of HSF-SPIN, with their options.

use super::table::{GIVEN_CLOCKS, SIZE, frame};
use super::{Entry, OptionEntry};
use crate::abstraction_database;
use crate::abstraction_database::infer::{self, Kind};
use crate::active::Active;
use crate::formula::FormulaDistance;
use crate::fsm::{Counting, FsmDistance};
use crate::hamming::Hamming;
use crate::user::User;
use beeline_engine::heuristic::Properties;

const MAPS: OptionEntry = OptionEntry {
    name: "maps",
    default: "",
    values: &[],
    help: "a file of maps (docs/maps.md); none: they are inferred",
};
const INFER: OptionEntry = OptionEntry {
    name: "infer",
    default: "auto",
    values: &["auto", "keep", "ranges", "sign", "parity", "modulo", "drop"],
    help: "without a file: everything is kept if there is room (`auto`), or values go into classes: between the constants \
           that a variable is compared with, by sign, parity or remainder, or all into one",
};
const DIVISOR: OptionEntry = OptionEntry {
    name: "modulo",
    default: "4",
    values: &[],
    help: "what `infer=modulo` divides by, a number",
};
const COUNTING: OptionEntry = OptionEntry {
    name: "labels",
    default: "once",
    values: &["once", "each"],
    help: "how often a label that moves several processes counts: for one of them, or for each, as printed",
};
const EXPRESSION: OptionEntry = OptionEntry {
    name: "",
    default: "",
    values: &[],
    help: "an expression over variables and locations, in the text form: `10 - level`, `abs` by `x < y ? y - x : x - y`",
};

pub(super) const FORMULA: Entry = Entry {
    name: "formula",
    symbol: "h_f",
    summary: "how much of the target is missing",
    manual: "Of the target taken as a formula, what is false counts 1, and a location as many edges as its automaton is \
             away from it; the sum for a conjunction, the least for a disjunction. The length of a buffer counts by the \
             messages it is off, a message that should come first by those in the buffer, `deadlock` by the processes \
             that can still move. An assertion fails where its process is at it and it is false.",
    paper: "Edelkamp, Lluch-Lafuente, Leue, SPIN 2001",
    cost: "an evaluation of the target, per state",
    properties: Properties::NOTHING,
    options: &[],
    make: |making, _| Ok(Box::new(FormulaDistance::new(making.network, making.property))),
};

pub(super) const ACTIVE: Entry = Entry {
    name: "active",
    symbol: "h_a",
    summary: "processes that can move: towards deadlocks",
    manual: "The number of processes that could take part in a label, as far as guards, buffers and partners say. For \
             greedy search for deadlocks.",
    paper: "Edelkamp, Lluch-Lafuente, Leue, SPIN 2001",
    cost: "an evaluation of the edges that processes are at, per state",
    properties: Properties::NOTHING,
    options: &[],
    make: |making, _| Ok(Box::new(Active::new(making.network))),
};

pub(super) const FSM: Entry = Entry {
    name: "fsm",
    symbol: "h_m",
    summary: "FSM distance to the end of a trace that is known",
    manual: "Each process has to get to where it is at the end of the trace given by `--improve`: the sum of the numbers \
             of edges on the way there. A label that moves several processes counts for one of them, so that the sum is \
             never more than the distance to that state (with `labels=each` it may be). Another target may be nearer, \
             so nothing is promised of the distance to the target.",
    paper: "Edelkamp, Lluch-Lafuente, Leue, SPIN 2001; Edelkamp and Lluch-Lafuente, ICAPS 2004 workshop",
    cost: "a look-up per automaton",
    properties: Properties::NOTHING,
    options: &[COUNTING],
    make: |making, settings| {
        let towards = making.bad_state("fsm")?;
        let counting = if settings.get(&COUNTING) == "each" { Counting::Each } else { Counting::Once };
        Ok(Box::new(FsmDistance::new(making.network, towards, counting, making.limits())?))
    },
};

pub(super) const HAMMING: Entry = Entry {
    name: "hamming",
    symbol: "h_d",
    summary: "Hamming distance to the end of a trace that is known",
    manual: "In how many locations, variables and fields of messages a state differs from the end of the trace given by \
             `--improve`.",
    paper: "Edelkamp, Lluch-Lafuente, Leue, SPIN 2001",
    cost: "linear in the size of a state",
    properties: Properties::NOTHING,
    options: &[],
    make: |making, _| Ok(Box::new(Hamming::new(making.bad_state("hamming")?))),
};

pub(super) const USER: Entry = Entry {
    name: "user",
    symbol: "h_user",
    summary: "an expression of your own",
    manual: "`user:EXPR`: the value of an expression over the variables and locations of the model, in the text form, \
             whose names `beeline convert --to beeline` shows; below 0 it counts as 0. As always, several heuristics may \
             be given.",
    paper: "Edelkamp, Lluch-Lafuente, Leue, SPIN 2001",
    cost: "an evaluation of the expression, per state",
    properties: Properties::NOTHING,
    options: &[EXPRESSION],
    make: |making, settings| Ok(Box::new(User::new(making.network, settings.get(&EXPRESSION))?)),
};

pub(super) const ADB: Entry = Entry {
    name: "adb",
    symbol: "h_p",
    summary: "abstraction database: classes of values, by maps from a file or inferred",
    manual: "As pdb, but of variables the classes of values are kept that a file of maps says (`adb:maps=FILE`, see \
             docs/maps.md): ranges, sign, parity, remainders, sets, or the truth of predicates over several variables. \
             Several databases of a file are added up, each label counting in one of them. Without a file, everything \
             is kept if it fits the size, so that the database is perfect; otherwise classes are inferred, and as much \
             is kept as there is room for.",
    paper: "Edelkamp and Lluch-Lafuente, ICAPS 2004 workshop; predicates: Graf and Saidi, CAV 1997",
    cost: "the exploration of the abstract model once, then a look-up per state",
    properties: Properties { zone_dependent: true, ..Properties::LOWER_BOUND },
    options: &[MAPS, INFER, DIVISOR, GIVEN_CLOCKS, SIZE],
    make: |making, settings| {
        let frame = frame(settings, &GIVEN_CLOCKS, &SIZE)?;
        let file = settings.get(&MAPS);
        if !file.is_empty() {
            return abstraction_database::given(making, file, frame);
        }
        let divisor = settings.get(&DIVISOR);
        let divisor = divisor.parse().ok().filter(|divisor| *divisor > 0);
        let divisor = divisor.ok_or_else(|| "`modulo=`: a number above 0 is needed".to_string())?;
        let kind = match settings.get(&INFER) {
            "keep" => Kind::Keep,
            "ranges" => Kind::Ranges,
            "sign" => Kind::Sign,
            "parity" => Kind::Parity,
            "modulo" => Kind::Modulo(divisor),
            "drop" => Kind::Drop,
            _ => Kind::Auto,
        };
        Ok(Box::new(infer::inferred(making, kind, frame)?))
    },
};
