//! Evaluating one edge by itself, whatever its partners, and the questions `Enabled` and `Timeout` that do so from
//! within an expression.

use beeline_ir::expr::{ChannelRef, RuntimeError};
use beeline_ir::layout::Part;
use beeline_ir::network::{ChannelKind, Edge, Sync};
use beeline_ir::{ChannelId, EdgeId, ProcessId, work};

use crate::cells::{Cells, Eval, Stop};
use crate::clock::Constraint;
use crate::context::Context;
use crate::frame::{Frame, combinations};
use crate::queue::matches;
use crate::value::Evaluation;

/// What an edge whose guard holds has to offer.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub part: Part,
    /// When: at the clock values that meet all of these.
    pub constraints: Vec<Constraint>,
    pub exchange: Exchange,
}

/// How an edge would communicate.
#[derive(Clone, Debug)]
pub(crate) enum Exchange {
    /// Not at all.
    Nothing,
    /// It sends a message over a channel element.
    Send(usize, Vec<i64>),
    /// It receives what it wants over a channel element.
    Receive(usize, Vec<Option<i64>>),
}

impl Offer {
    /// The channel element it communicates over.
    pub fn element(&self) -> Option<usize> {
        match self.exchange {
            Exchange::Nothing => None,
            Exchange::Send(element, _) | Exchange::Receive(element, _) => Some(element),
        }
    }
    /// Whether it receives what the other sends.
    pub fn receives_from(&self, other: &Offer) -> bool {
        match (&self.exchange, &other.exchange) {
            (Exchange::Receive(here, wanted), Exchange::Send(there, message)) => {
                here == there && matches(wanted, message)
            }
            _ => false,
        }
    }
}

/// Whether an edge could ever receive from (or else: send to) an element of this channel.
pub(crate) fn may_use(edge: &Edge, receives: bool, channel: ChannelId) -> bool {
    let named = match &edge.sync {
        Sync::Receive(receive) if receives => &receive.channel,
        Sync::Send(send) if !receives => &send.channel,
        Sync::Internal | Sync::Send(_) | Sync::Receive(_) => return false,
    };
    match named {
        ChannelRef::Element(id, _) => *id == channel,
        ChannelRef::Value(_) => true,
    }
}

/// The edges that other processes may be about to take and that might receive from (or else: send to) a channel.
pub(crate) fn partners<'a>(
    cx: &'a Context<'_>,
    process: ProcessId,
    receives: bool,
    channel: ChannelId,
    cells: &'a Cells,
) -> impl Iterator<Item = (ProcessId, EdgeId, &'a Edge)> {
    let others = cx.system().filter(move |(id, _)| *id != process);
    let edges = others.flat_map(|(id, _)| cx.leaving(cells, id).map(move |(e, edge)| (id, e, edge)));
    edges.filter(move |(_, _, edge)| may_use(edge, receives, channel))
}

/// The combinations of select values of an edge.
pub(crate) fn selects(edge: &Edge) -> impl Iterator<Item = Vec<i64>> {
    combinations(&edge.frame[..edge.selects])
}

impl<'a> Evaluation<'a, '_> {
    /// Evaluates an edge from the current location of its process; `None` if its guard is false.
    pub fn offer(&mut self, part: &Part, cells: &Cells) -> Eval<Option<Offer>> {
        let edge = &self.cx.process(part.process).edges[part.edge];
        self.frame = Frame::new(&edge.frame, &part.selects);
        if !self.truth(&edge.guard, cells)? {
            return Ok(None);
        }
        let exchange = match &edge.sync {
            Sync::Internal => Exchange::Nothing,
            Sync::Send(send) => {
                let element = self.element(&send.channel, cells)?;
                Exchange::Send(element, self.message(element, send, cells)?)
            }
            Sync::Receive(receive) => {
                let element = self.element(&receive.channel, cells)?;
                Exchange::Receive(element, self.wanted(element, receive, cells)?)
            }
        };
        let mut constraints = Vec::new();
        for atom in &edge.clock_guard {
            constraints.extend(self.constraint(atom, cells)?);
        }
        Ok(Some(Offer { part: part.clone(), constraints, exchange }))
    }
    /// Whether the buffer an offer is about, if any, lets it happen.
    pub fn buffer_ready(&self, offer: &Offer, cells: &Cells) -> Eval<bool> {
        match &offer.exchange {
            Exchange::Nothing => Ok(true),
            Exchange::Send(element, _) => self.has_room(*element, cells),
            Exchange::Receive(element, wanted) => {
                let any = match &self.cx.process(offer.part.process).edges[offer.part.edge].sync {
                    Sync::Receive(receive) => receive.any,
                    Sync::Internal | Sync::Send(_) => false,
                };
                Ok(self.find_message(*element, wanted, any, cells)?.is_some())
            }
        }
    }
    /// `Enabled`: whether one of the edges could take part in a label.
    pub fn some_enabled(
        &mut self,
        edges: impl Iterator<Item = (ProcessId, EdgeId)>,
        cells: &Cells,
    ) -> Eval<bool> {
        self.deeper(|this| {
            for (process, edge) in edges {
                if this.edge_enabled(process, edge, cells)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
    /// `Timeout`
    pub fn nothing_enabled(&mut self, cells: &Cells) -> Eval<bool> {
        let cx = self.cx;
        self.charge(cx.search)?;
        let edges = cx.system().flat_map(|(id, _)| cx.leaving(cells, id).map(move |(edge, _)| (id, edge)));
        let outer = std::mem::replace(&mut self.ignore_timeouts, true);
        let enabled = self.some_enabled(edges, cells);
        self.ignore_timeouts = outer;
        Ok(!enabled?)
    }
    /// Whether an edge could take part in a label, as `Enabled` means it.
    fn edge_enabled(&mut self, process: ProcessId, id: EdgeId, cells: &Cells) -> Eval<bool> {
        let edge = &self.cx.process(process).edges[id];
        if !self.cx.is_at(cells, process, edge.source)? {
            return Ok(false);
        }
        for selects in selects(edge) {
            let offer = self.inner_offer(&Part { process, edge: id, selects }, cells)?;
            if let Some(offer) = offer
                && self.could_happen(&offer, cells)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// An edge's offer, asked for within another evaluation. An error is no offer, unless it is that the whole takes
    /// too long.
    fn inner_offer(&mut self, part: &Part, cells: &Cells) -> Eval<Option<Offer>> {
        self.charge(work::of_edge(&self.cx.process(part.process).edges[part.edge]))?;
        let outer = std::mem::replace(&mut self.frame, Frame::new(&[], &[]));
        let offer = self.offer(part, cells);
        self.frame = outer;
        match offer {
            Err(Stop::Error(error)) if error != RuntimeError::Diverges => Ok(None),
            other => other,
        }
    }
    /// Whether there is room, a message, or a partner.
    fn could_happen(&mut self, offer: &Offer, cells: &Cells) -> Eval<bool> {
        let cx = self.cx;
        let Some(element) = offer.element() else { return Ok(true) };
        match (cx.channel(element).0.kind, &offer.exchange) {
            (ChannelKind::Buffered { .. }, _) => {
                self.charge_buffer(element)?;
                self.buffer_ready(offer, cells)
            }
            (ChannelKind::Broadcast, Exchange::Send(..)) => Ok(true),
            _ => self.has_partner(offer, cx.elements[element].0, cells),
        }
    }
    fn has_partner(&mut self, offer: &Offer, channel: ChannelId, cells: &Cells) -> Eval<bool> {
        self.charge(self.cx.search)?;
        let receives = matches!(offer.exchange, Exchange::Send(..));
        for (process, edge, declared) in partners(self.cx, offer.part.process, receives, channel, cells) {
            self.cx.is_at(cells, process, declared.source)?;
            for selects in selects(declared) {
                let other = self.inner_offer(&Part { process, edge, selects }, cells)?;
                if other.is_some_and(|o| o.receives_from(offer) || offer.receives_from(&o)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
