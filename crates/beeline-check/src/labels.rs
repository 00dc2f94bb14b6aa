//! Finding labels: which edges, alone or together, are enabled, and at which clock values. Which of them may fire is
//! decided by [`crate::rules`].

use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::Part;
use beeline_ir::network::ChannelKind;
use beeline_ir::{ChannelId, ProcessId};

use crate::cells::{Cells, Eval, Known, Stop, Tri};
use crate::clock::{ClockSet, Cut};
use crate::context::Context;
use crate::edge::{Exchange, Offer, may_use, partners, selects};
use crate::fork::{Forks, Halt, Meter, OnUnknown, fallible};
use crate::value::Evaluation;

/// A label that is enabled, or, if left open, may be.
#[derive(Clone, Debug)]
pub(crate) struct Candidate<T> {
    /// The part of the source states it is about.
    pub cells: Cells,
    /// The process that initiates it.
    pub initiator: ProcessId,
    /// Its parts. Where something is left open there may be others, or other ones.
    pub offers: Vec<Offer>,
    /// The clock values it is enabled at.
    pub cut: Cut<T>,
    /// Whether it certainly is, at these clock values: in all states of its cells, if these were split; if unknowns
    /// were left open, in all states one began with.
    pub certain: bool,
}

/// Labels found, and those that fail before they begin.
#[derive(Clone, Debug)]
pub(crate) struct Found<T> {
    pub labels: Vec<Candidate<T>>,
    pub failing: Vec<(Part, RuntimeError)>,
}

/// One search for labels.
struct Search<'a, 'm, T> {
    cx: &'a Context<'m>,
    mode: OnUnknown,
    meter: &'a mut Meter,
    found: Found<T>,
}

/// All labels enabled in states of these cells at clock values of this set, and all that fail before they begin. In
/// `Split` mode each is about a part of the cells; in `LeaveOpen` mode unknown slots make labels uncertain, and
/// failing ones are not looked for.
pub(crate) fn find<T: ClockSet>(
    cx: &Context<'_>,
    cells: &Cells,
    clocks: &T,
    mode: OnUnknown,
    meter: &mut Meter,
) -> Result<Found<T>, Halt> {
    let found = Found { labels: Vec::new(), failing: Vec::new() };
    let mut search = Search { cx, mode, meter, found };
    for (process, _) in cx.system() {
        for (id, edge) in cx.leaving(cells, process) {
            let Some((cells, certain)) = cx.moved(cells, process, edge.source) else { continue };
            let (cut, offers) = (Cut::all(clocks.clone()), Vec::new());
            let certain = certain || mode == OnUnknown::Split;
            let start = Candidate { cells, initiator: process, offers, cut, certain };
            for selects in selects(edge) {
                search.initiated_by(&start, Part { process, edge: id, selects })?;
            }
        }
    }
    Ok(search.found)
}

impl<T: ClockSet> Search<'_, '_, T> {
    /// Every label that this edge, with these select values, initiates.
    fn initiated_by(&mut self, start: &Candidate<T>, part: Part) -> Result<(), Halt> {
        let cx = self.cx;
        let results =
            self.forked(start, &start.cells, |cells, _| fallible(Evaluation::new(cx).offer(&part, cells)))?;
        for (cells, result) in results {
            match result {
                Ok(None) => {}
                Ok(Some(offer)) => {
                    self.meter.meets(&start.cut.set, offer.constraints.len())?;
                    if let Some(cut) = start.cut.meet(&offer.constraints) {
                        let offers = vec![offer];
                        self.complete(Candidate { cells, offers, cut, ..*start })?;
                    }
                }
                Err(error) => self.add_failing(&cells, part.clone(), error),
            }
        }
        Ok(())
    }
    /// The labels that begin with the one offer of the candidate.
    fn complete(&mut self, start: Candidate<T>) -> Result<(), Halt> {
        let cx = self.cx;
        let offer = &start.offers[0];
        let Some(element) = offer.element() else {
            self.found.labels.push(start);
            return Ok(());
        };
        match (cx.channel(element).0.kind, &offer.exchange) {
            (ChannelKind::Buffered { .. }, _) => {
                let results = self.forked(&start, &start.cells, |cells, _| {
                    Evaluation::new(cx).buffer_ready(offer, cells)
                })?;
                for (cells, _) in results.into_iter().filter(|(_, ready)| *ready) {
                    self.found.labels.push(Candidate { cells, ..start.clone() });
                }
            }
            (ChannelKind::Rendezvous, Exchange::Send(..)) => self.pairs(&start, cx.elements[element].0)?,
            (ChannelKind::Broadcast, Exchange::Send(..)) => {
                self.broadcasts(&start, cx.elements[element].0)?
            }
            // A receiver initiates nothing.
            (ChannelKind::Rendezvous | ChannelKind::Broadcast, _) => {}
        }
        Ok(())
    }
    /// This sender with each of its receivers.
    fn pairs(&mut self, start: &Candidate<T>, channel: ChannelId) -> Result<(), Halt> {
        let cx = self.cx;
        let sender = &start.offers[0];
        for (process, edge, declared) in partners(cx, start.initiator, true, channel, &start.cells) {
            let Some((here, there)) = cx.moved(&start.cells, process, declared.source) else { continue };
            for selects in selects(declared) {
                let part = Part { process, edge, selects };
                let results =
                    self.forked(start, &here, |cells, _| fallible(Evaluation::new(cx).offer(&part, cells)))?;
                for (cells, result) in results {
                    self.meter.meets(&start.cut.set, declared.clock_guard.len())?;
                    // A receiver that fails is a failing label by itself, found where its own edges are.
                    if let Ok(Some(receiver)) = result
                        && receiver.receives_from(sender)
                        && let Some(cut) = start.cut.meet(&receiver.constraints)
                    {
                        let certain = start.certain && (there || self.mode == OnUnknown::Split);
                        let offers = vec![sender.clone(), receiver];
                        self.found.labels.push(Candidate { cells, offers, cut, certain, ..*start });
                    }
                }
            }
        }
        Ok(())
    }
    /// This sender with every choice of receivers: in each process one of those that are enabled, or nothing where
    /// none is.
    fn broadcasts(&mut self, start: &Candidate<T>, channel: ChannelId) -> Result<(), Halt> {
        let cx = self.cx;
        let sender = &start.offers[0];
        let results = self.forked(start, &start.cells, |cells, meter| {
            fallible(receivers(cx, sender, channel, cells, meter))
        })?;
        for (cells, result) in results {
            // While one of them fails (which is a failing label by itself) there is no broadcast.
            let Ok(options) = result else { continue };
            let mut choices = vec![Candidate { cells, ..start.clone() }];
            for here in options {
                let mut longer = Vec::new();
                for choice in choices {
                    let mut nobody = vec![choice.cut.clone()];
                    for option in &here {
                        self.meter.meets(&choice.cut.set, 1 + option.constraints.len())?;
                        nobody = Cut::minus_all(nobody, &option.constraints, self.meter)?;
                        if let Some(cut) = choice.cut.meet(&option.constraints) {
                            let mut joined = Candidate { cut, ..choice.clone() };
                            joined.offers.push(option.clone());
                            longer.push(joined);
                        }
                    }
                    longer.extend(nobody.into_iter().map(|cut| Candidate { cut, ..choice.clone() }));
                }
                choices = longer;
            }
            self.found.labels.extend(choices);
        }
        Ok(())
    }
    /// The results of an evaluation that belongs to a candidate, which becomes a label if it is left open.
    fn forked<R>(
        &mut self,
        start: &Candidate<T>,
        cells: &Cells,
        evaluate: impl FnMut(&Cells, &mut Meter) -> Eval<R>,
    ) -> Result<Forks<R>, Halt> {
        let (results, open) = self.cx.forked(cells, self.mode, self.meter, evaluate)?;
        if open {
            self.found.labels.push(Candidate { certain: false, ..start.clone() });
        }
        Ok(results)
    }
    /// A failing label counts, provided no process is at a committed location or its own process is.
    fn add_failing(&mut self, cells: &Cells, part: Part, error: RuntimeError) {
        let process = self.cx.process(part.process);
        let own = process.locations[process.edges[part.edge].source].committed;
        if own || self.cx.somebody(cells, |location| location.committed) != Tri::Yes {
            self.found.failing.push((part, error));
        }
    }
}

/// The receiving offers for a broadcast, process by process; an error if one that might receive fails.
fn receivers(
    cx: &Context<'_>,
    sender: &Offer,
    channel: ChannelId,
    cells: &Cells,
    meter: &mut Meter,
) -> Eval<Vec<Vec<Offer>>> {
    let mut options: Vec<Vec<Offer>> = Vec::new();
    let mut last = None;
    for (process, edge, declared) in partners(cx, sender.part.process, true, channel, cells) {
        match cx.at(cells, process, declared.source) {
            Tri::No => continue,
            Tri::Maybe => return Err(split_location(cx, process, channel, cells)),
            Tri::Yes => {}
        }
        if last != Some(process) {
            last = Some(process);
            options.push(Vec::new());
        }
        for selects in selects(declared) {
            meter.tick()?;
            let offer = Evaluation::new(cx).offer(&Part { process, edge, selects }, cells)?;
            if let Some(offer) = offer.filter(|o| o.receives_from(sender))
                && let Some(here) = options.last_mut()
            {
                here.push(offer);
            }
        }
    }
    Ok(options)
}

/// It matters where the process is, but not which of the locations it is at that do not receive from the channel.
fn split_location(cx: &Context<'_>, process: ProcessId, channel: ChannelId, cells: &Cells) -> Stop {
    let slot = cx.layout.location[process];
    let edges = &cx.process(process).edges;
    let receives =
        |value: i64| edges.iter().any(|e| e.source.index() as i64 == value && may_use(e, true, channel));
    let (there, elsewhere): (Vec<i64>, Vec<i64>) =
        cells.get(slot).values(cx.ranges[slot]).partition(|value| receives(*value));
    let mut parts: Vec<Known> = there.into_iter().map(Known::Value).collect();
    if !elsewhere.is_empty() {
        parts.push(Known::of(elsewhere));
    }
    Stop::Parts(slot, parts)
}
