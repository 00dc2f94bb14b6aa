//! Evaluating one edge by itself, whatever its partners, and the questions `Enabled` and `Timeout` that do so from
//! within an expression.

use beeline_ir::expr::ChannelRef;
use beeline_ir::layout::Part;
use beeline_ir::network::{ChannelKind, Edge, Sync};
use beeline_ir::{ChannelId, EdgeId, ProcessId};

use crate::cells::{Cells, Eval, Stop, Tri};
use crate::clock::Constraint;
use crate::context::Context;
use crate::frame::{Combinations, Frame};
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

/// The edges of other processes that might receive from (or else: send to) a channel.
pub(crate) fn partners<'a>(
    cx: &'a Context<'_>,
    process: ProcessId,
    receives: bool,
    channel: ChannelId,
) -> impl Iterator<Item = (ProcessId, EdgeId, &'a Edge)> {
    let others = cx.system().filter(move |(id, _)| *id != process);
    let edges =
        others.flat_map(|(id, process)| process.edges.enumerate().map(move |(e, edge)| (id, e, edge)));
    edges.filter(move |(_, _, edge)| may_use(edge, receives, channel))
}

/// The combinations of select values of an edge.
pub(crate) fn selects(edge: &Edge) -> Combinations {
    Combinations::of(&edge.frame[..edge.selects])
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

    /// `Enabled(process, edges)`
    pub fn some_enabled(&mut self, process: ProcessId, edges: &[EdgeId], cells: &Cells) -> Eval<bool> {
        self.deeper(|this| {
            let answers = edges.iter().map(|edge| this.edge_enabled(process, *edge, cells));
            first_true(answers)
        })
    }

    /// `Timeout`
    pub fn nothing_enabled(&mut self, cells: &Cells) -> Eval<bool> {
        let mut inner = self.clone();
        inner.ignore_timeouts = true;
        let system = self.cx.system();
        let edges = system.flat_map(|(id, process)| process.edges.ids().map(move |edge| (id, edge)));
        let answers = edges.map(|(id, edge)| inner.deeper(|inner| inner.edge_enabled(id, edge, cells)));
        Ok(!first_true(answers)?)
    }
    /// Whether an edge could take part in a label, as `Enabled` means it.
    fn edge_enabled(&mut self, process: ProcessId, id: EdgeId, cells: &Cells) -> Eval<bool> {
        let edge = &self.cx.process(process).edges[id];
        self.here(process, edge, cells, |this| {
            first_true(selects(edge).map(|selects| {
                match this.inner_offer(&Part { process, edge: id, selects }, cells)? {
                    None => Ok(false),
                    Some(offer) => this.could_happen(&offer, cells),
                }
            }))
        })
    }

    /// Runs a question about an edge if its process is at its source.
    fn here(
        &mut self,
        process: ProcessId,
        edge: &Edge,
        cells: &Cells,
        ask: impl FnOnce(&mut Self) -> Eval<bool>,
    ) -> Eval<bool> {
        match self.cx.at(cells, process, edge.source) {
            Tri::No => Ok(false),
            Tri::Yes => ask(self),
            Tri::Maybe => Err(Stop::Slot(self.cx.layout.location[process])),
        }
    }

    /// An edge's offer, asked for within another evaluation: it counts its own iterations, and an error is no offer.
    fn inner_offer(&self, part: &Part, cells: &Cells) -> Eval<Option<Offer>> {
        let mut inner = Evaluation::new(self.cx);
        inner.ignore_timeouts = self.ignore_timeouts;
        inner.level = self.level;
        match inner.offer(part, cells) {
            Err(Stop::Error(_)) => Ok(None),
            other => other,
        }
    }
    /// Whether there is room, a message, or a partner.
    fn could_happen(&mut self, offer: &Offer, cells: &Cells) -> Eval<bool> {
        let cx = self.cx;
        let Some(element) = offer.element() else { return Ok(true) };
        match (cx.channel(element).0.kind, &offer.exchange) {
            (ChannelKind::Buffered { .. }, _) => self.buffer_ready(offer, cells),
            (ChannelKind::Broadcast, Exchange::Send(..)) => Ok(true),
            _ => self.has_partner(offer, cx.elements[element].0, cells),
        }
    }
    fn has_partner(&mut self, offer: &Offer, channel: ChannelId, cells: &Cells) -> Eval<bool> {
        let receives = matches!(offer.exchange, Exchange::Send(..));
        let edges = partners(self.cx, offer.part.process, receives, channel);
        first_true(edges.map(|(process, edge, declared)| {
            self.here(process, declared, cells, |this| {
                first_true(selects(declared).map(|selects| {
                    let other = this.inner_offer(&Part { process, edge, selects }, cells)?;
                    Ok(other.is_some_and(|o| o.receives_from(offer) || offer.receives_from(&o)))
                }))
            })
        }))
    }
}

/// Whether one of the answers is yes, even if others depend on something unknown.
fn first_true(answers: impl Iterator<Item = Eval<bool>>) -> Eval<bool> {
    let mut unknown = None;
    for answer in answers {
        match answer {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(stop) => unknown = unknown.or(Some(stop)),
        }
    }
    unknown.map_or(Ok(false), Err)
}
