//! Which enabled labels may fire: committed locations (rule 1), priorities (rule 2), the exclusivity token (rule 3);
//! and when time may pass. Where something is not known there are two answers: at which clock values a label *may*
//! fire (in some of the states), and at which it *must* be able to (in all of them). What blocks a label in one sense
//! counts in the other. If all cells are known the two are the same.

use beeline_ir::ProcessId;
use beeline_ir::network::Network;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::cells::{Cells, Known, Tri};
use crate::clock::{Anytime, ClockSet, Cut};
use crate::context::Context;
use crate::fork::{Halt, Meter, OnUnknown};
use crate::labels::{Candidate, find};

/// In some of the states, or in all of them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sense {
    May,
    Must,
}

impl Sense {
    fn opposite(self) -> Self {
        match self {
            Self::May => Self::Must,
            Self::Must => Self::May,
        }
    }
    fn accepts(self, answer: Tri) -> bool {
        match self {
            Self::May => answer != Tri::No,
            Self::Must => answer == Tri::Yes,
        }
    }
}

/// Whether other labels can keep an enabled label from firing.
pub(crate) fn labels_interfere(cx: &Context<'_>) -> bool {
    cx.layout.holder.is_some() || has_priorities(&cx.network)
}

fn has_priorities(network: &Network) -> bool {
    let channels = network.channels.iter().any(|c| c.priority.iter().any(|p| *p != 0));
    channels || network.processes.iter().any(|p| p.priority != 0)
}

/// All that rules 2 and 3 ask of a label: its priority, who initiates it, whether it is certain.
type Kind = ((i32, i32), ProcessId, bool);
/// Labels of the same cells by kind: there may be many thousand, but of few kinds.
pub(crate) type Rivals<'l, T> = BTreeMap<Kind, Vec<&'l Candidate<T>>>;

/// The rivals of all these labels; none where labels do not interfere.
pub(crate) fn rivals<'l, T>(cx: &Context<'_>, labels: &'l [Candidate<T>]) -> Rivals<'l, T> {
    let mut rivals = Rivals::<T>::new();
    for label in labels.iter().filter(|_| labels_interfere(cx)) {
        rivals.entry((priority(cx, label), label.initiator, label.certain)).or_default().push(label);
    }
    rivals
}

/// The clock values at which the label may, or must be able to, fire. The rivals are those of all the labels of its
/// cells, as found leaving open what is unknown.
pub(crate) fn may_fire<T: ClockSet>(
    cx: &Context<'_>,
    sense: Sense,
    label: &Candidate<T>,
    rivals: &Rivals<'_, T>,
    meter: &mut Meter,
) -> Result<Vec<Cut<T>>, Halt> {
    meter.tick()?;
    if !sense.accepts(committed_allows(cx, label)) || (sense == Sense::Must && !label.certain) {
        return Ok(Vec::new());
    }
    let mut pieces = vec![label.cut.clone()];
    // Of the labels that rule 1 allows, rules 2 and 3 keep those that none comes before. That is an order, so it does
    // not matter whether what comes before has something else before it.
    let counting = rivals.iter().filter(|&(&(priority, initiator, certain), _)| {
        let before = comes_before(cx, (priority, initiator), label);
        match sense {
            Sense::May => certain && before == Tri::Yes,
            Sense::Must => !certain && has_priorities(&cx.network) || before != Tri::No,
        }
    });
    for other in counting.flat_map(|(_, others)| others) {
        if pieces.is_empty() {
            break;
        }
        meter.tick()?;
        if sense.opposite().accepts(committed_allows(cx, other)) {
            pieces = Cut::minus_all(pieces, &other.cut.constraints, meter)?;
        }
    }
    Ok(pieces)
}

/// Whether one label keeps another from firing: it has the higher priority (rule 2); or the same, and it alone is
/// initiated by whoever holds the token (rule 3).
fn comes_before<T>(cx: &Context<'_>, one: ((i32, i32), ProcessId), other: &Candidate<T>) -> Tri {
    match one.0.cmp(&priority(cx, other)) {
        Ordering::Greater => return Tri::Yes,
        Ordering::Less => return Tri::No,
        Ordering::Equal if one.1 == other.initiator => return Tri::No,
        Ordering::Equal => {}
    }
    match cx.layout.holder.map(|slot| other.cells.get(slot)) {
        Some(Known::Value(holder)) if *holder == one.1.index() as i64 + 1 => Tri::Yes,
        None | Some(Known::Value(_)) => Tri::No,
        Some(_) => Tri::Maybe,
    }
}

/// Rule 1: if somebody is at a committed location, one of the parts leaves such a location.
fn committed_allows<T>(cx: &Context<'_>, label: &Candidate<T>) -> Tri {
    let leaves = label.offers.iter().any(|offer| {
        let process = cx.process(offer.part.process);
        process.locations[process.edges[offer.part.edge].source].committed
    });
    match cx.somebody(&label.cells, |location| location.committed) {
        Tri::No => Tri::Yes,
        _ if leaves => Tri::Yes,
        _ if !label.certain => Tri::Maybe,
        Tri::Yes => Tri::No,
        Tri::Maybe => Tri::Maybe,
    }
}

/// The priority of a label: its channel's, then the greatest of its processes'.
fn priority<T>(cx: &Context<'_>, label: &Candidate<T>) -> (i32, i32) {
    let channel = label.offers.first().and_then(|offer| offer.element()).map_or(0, |element| {
        let (channel, index) = cx.channel(element);
        channel.priority.get(index).copied().unwrap_or(0)
    });
    let processes = label.offers.iter().map(|offer| cx.process(offer.part.process).priority);
    (channel, processes.max().unwrap_or(0))
}

/// Whether time may pass, as far as invariants do not forbid it.
pub(crate) fn may_wait(cx: &Context<'_>, cells: &Cells, meter: &mut Meter) -> Result<Tri, Halt> {
    let mut stuck = cx.somebody(cells, |location| location.committed || location.urgent);
    if let Some(slot) = cx.layout.holder {
        stuck = stuck.or(match cells.get(slot) {
            Known::Value(0) => Tri::No,
            Known::Value(_) => Tri::Yes,
            _ => Tri::Maybe,
        });
    }
    if stuck != Tri::Yes && cx.network.channels.iter().any(|c| c.urgent) {
        for label in find(cx, cells, &Anytime, OnUnknown::LeaveOpen, meter)?.labels {
            stuck = stuck.or(urgent(cx, &label));
        }
    }
    Ok(match stuck {
        Tri::No => Tri::Yes,
        Tri::Maybe => Tri::Maybe,
        Tri::Yes => Tri::No,
    })
}

/// Whether the label is enabled and over an urgent channel.
fn urgent(cx: &Context<'_>, label: &Candidate<Anytime>) -> Tri {
    let over = label.offers.first().and_then(|offer| offer.element());
    match over.map(|element| cx.channel(element).0.urgent) {
        Some(false) => Tri::No,
        Some(true) if label.certain => Tri::Yes,
        Some(true) => Tri::Maybe,
        None if label.certain => Tri::No,
        None => Tri::Maybe,
    }
}
