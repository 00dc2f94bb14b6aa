//! The questions `Enabled` and `Timeout`, in all states at once: could an edge take part in a label? Guards, buffers and
//! partners count; committed locations, the token, priorities, clocks and target invariants do not. Select values are
//! tried one by one.

use super::machine::{Machine, Values};
use super::offer::{Offer, receives};
use crate::bdd::Bdd;
use crate::number::Number;
use crate::translate::NotMade;
use beeline_ir::network::{ChannelKind, Role};
use beeline_program::edge::{first_selects, next_selects};
use beeline_program::schema::EdgeRef;

/// Combinations of select values that are tried.
const MOST_SELECTS: u128 = 256;

/// How deep questions may be nested.
const MOST_NESTED: u32 = 8;

impl Machine<'_> {
    /// Where one of the edges could take part in a label.
    pub fn some_enabled(&self, edges: &[EdgeRef], values: &Values) -> Result<Bdd, NotMade> {
        let b = self.b;
        if self.nested.get() == MOST_NESTED {
            return Err(NotMade::Unsupported(
                "guards about edges whose guards are about edges again and again",
            ));
        }
        self.nested.set(self.nested.get() + 1);
        let mut some = b.no();
        for edge in edges {
            for offer in self.offers(*edge, values)? {
                some = b.or(&some, &self.can_proceed(*edge, &offer, values)?)?;
            }
        }
        self.nested.set(self.nested.get() - 1);
        Ok(some)
    }
    /// Where no edge of any process is enabled, when every `Timeout` is read as 0.
    pub fn timeout(&self, values: &Values) -> Result<Bdd, NotMade> {
        let b = self.b;
        if self.in_timeout.get() {
            return Ok(b.no());
        }
        let system = self.program.processes.enumerate().filter(|(_, process)| process.role == Role::System);
        let edges: Vec<EdgeRef> =
            system.flat_map(|(id, process)| process.edges.ids().map(move |edge| (id, edge))).collect();
        self.in_timeout.set(true);
        let enabled = self.some_enabled(&edges, values);
        self.in_timeout.set(false);
        Ok(b.not(&enabled?)?)
    }
    /// An edge, for all values of its select variables.
    fn offers(&self, (process, edge): EdgeRef, values: &Values) -> Result<Vec<Offer>, NotMade> {
        let ranges = &self.program.processes[process].edges[edge].selects;
        if ranges.iter().map(|range| range.size()).fold(1, u128::saturating_mul) > MOST_SELECTS {
            return Err(NotMade::Unsupported("guards about edges with many select values"));
        }
        let mut offers = Vec::new();
        let mut selects = Vec::new();
        let mut more = first_selects(ranges, &mut selects);
        while more {
            let numbers = selects.iter().map(|value| Number::constant(*value, self.b)).collect();
            offers.push(self.offer((process, edge), numbers, values)?);
            more = next_selects(ranges, &mut selects);
        }
        Ok(offers)
    }
    /// Where an edge whose guard holds finds room, a message or a partner.
    fn can_proceed(&self, edge: EdgeRef, offer: &Offer, values: &Values) -> Result<Bdd, NotMade> {
        let b = self.b;
        let sync = &self.program.processes[edge.0].edges[edge.1].sync;
        let Some(channel) = &offer.channel else { return Ok(offer.passes.clone()) };
        let of_kind = |kind: fn(ChannelKind) -> bool| {
            self.is_some_element(channel, |at| kind(self.program.elements[at].kind))
        };
        let mut fine = self.buffer_ready(sync, offer, values)?;
        if !sync.receives() {
            fine = b.or(&fine, &of_kind(|kind| kind == ChannelKind::Broadcast)?)?;
        }
        let over = of_kind(|kind| match kind {
            ChannelKind::Rendezvous | ChannelKind::Broadcast => true,
            ChannelKind::Buffered { .. } => false,
        })?;
        for (process, compiled) in self.program.processes.enumerate().filter(|(id, _)| *id != edge.0) {
            for (id, other) in compiled.edges.enumerate() {
                let Some(theirs) = other.sync.channel() else { continue };
                let meets = sync.channel().is_some_and(|mine| mine.may_meet(theirs, self.program, |_| true));
                if other.sync.receives() == sync.receives() || !meets {
                    continue;
                }
                for partner in self.offers((process, id), values)? {
                    let pair = match sync.receives() {
                        true => receives(offer, &partner, &offer.passes, b)?,
                        false => receives(&partner, offer, &partner.passes, b)?,
                    };
                    let both = b.all([&pair, &partner.passes, &over])?;
                    fine = b.or(&fine, &both)?;
                }
            }
        }
        Ok(b.and(&offer.passes, &fine)?)
    }
}
