//! The values that variables may hold: intervals around all that is ever stored into them, whatever the order. An `mtype`
//! of Promela is declared as a byte and holds a handful of names; who has to try all values of a variable tries these.
//!
//! Interval analysis without regard to control (P. Cousot and R. Cousot, POPL 1977): what grows too often may be anything.

use crate::intervals;
use beeline_ir::expr::{ChannelRef, Expr, Range};
use beeline_ir::network::{Network, Sync};
use beeline_ir::stmt::{Block, Local, Pattern, Place, Receive, Send, Stmt, Store, Target};
use beeline_ir::visit::walk_block;
use beeline_ir::{ChannelId, IdVec, VarId};

/// How often an interval may grow before it is all that was declared.
const GROWTHS: u32 = 12;

/// By variable, a range that has every value it, or one of its elements, holds in any reachable state or within a label.
pub fn held(network: &Network) -> IdVec<VarId, Range> {
    let mut analysis = Analysis::new(network);
    while std::mem::take(&mut analysis.changed) {
        let edges = network.processes.iter().flat_map(|process| &process.edges);
        for edge in edges {
            match &edge.sync {
                Sync::Internal => {}
                Sync::Send(send) => analysis.send(&edge.frame, send),
                Sync::Receive(receive) => analysis.receive(receive),
            }
            analysis.block(&edge.frame, &edge.update);
        }
        network.functions.iter().for_each(|function| analysis.block(&function.frame, &function.body));
    }
    analysis.narrow.vars.iter().map(|var| var.range).collect()
}

struct Analysis<'n> {
    network: &'n Network,
    /// The network with the intervals found so far as ranges.
    narrow: Network,
    /// Fields of messages.
    fields: IdVec<ChannelId, Vec<Option<Range>>>,
    growths: IdVec<VarId, u32>,
    field_growths: u32,
    changed: bool,
}

impl<'n> Analysis<'n> {
    fn new(network: &'n Network) -> Self {
        let mut narrow = network.clone();
        for var in narrow.vars.iter_mut() {
            // What belongs to a process that comes and goes is set in more ways than by statements.
            let mortal = var.owner.is_some_and(|owner| network.processes[owner].family.is_some());
            let initial = var.init.iter().map(|value| Range::new(*value, *value)).reduce(Range::hull);
            var.range = initial.filter(|_| !mortal).unwrap_or(var.range);
        }
        let fields = network.channels.iter().map(|channel| vec![None; channel.fields.len()]).collect();
        let growths = network.vars.iter().map(|_| 0).collect();
        Self { network, narrow, fields, growths, field_growths: 0, changed: true }
    }

    /// What an expression becomes when it is stored.
    fn stored(&self, frame: &[Local], e: &Expr, into: Range, store: Store) -> Range {
        let hull = intervals::of(&self.narrow, frame, e);
        let fits = into.contains(hull.lo) && into.contains(hull.hi);
        match store {
            _ if fits || hull.size() == 0 => hull,
            Store::Checked => Range::new(hull.lo.max(into.lo), hull.hi.min(into.hi)),
            Store::Wrapping => into,
        }
    }

    fn grow(&mut self, var: VarId, by: Range) {
        let now = self.narrow.vars[var].range;
        if by.size() == 0 || now.contains(by.lo) && now.contains(by.hi) {
            return;
        }
        self.growths[var] += 1;
        let all = self.network.vars[var].range;
        self.narrow.vars[var].range = if self.growths[var] > GROWTHS { all } else { now.hull(by) };
        self.changed = true;
    }

    fn store(&mut self, frame: &[Local], target: &Target, value: Option<&Expr>) {
        let (Place::Var(var) | Place::Elem(var, _)) = target.place else { return };
        let all = self.network.vars[var].range;
        let by = value.map_or(all, |value| self.stored(frame, value, all, target.store));
        self.grow(var, by);
    }

    fn send(&mut self, frame: &[Local], send: &Send) {
        let ids: Vec<ChannelId> = match &send.channel {
            ChannelRef::Element(id, _) => vec![*id],
            ChannelRef::Value(_) => self.network.channels.ids().collect(),
        };
        for id in ids {
            for (at, value) in send.message.iter().enumerate() {
                let Some(all) = self.network.channels[id].fields.get(at).copied() else { continue };
                let by = self.stored(frame, value, all, Store::Wrapping);
                let now = self.fields[id][at];
                if by.size() == 0 || now.is_some_and(|now| now.contains(by.lo) && now.contains(by.hi)) {
                    continue;
                }
                self.field_growths += 1;
                let most = GROWTHS * (1 + self.network.channels.len() as u32);
                let grown = now.map_or(by, |now| now.hull(by));
                self.fields[id][at] = Some(if self.field_growths > most { all } else { grown });
                self.changed = true;
            }
        }
    }

    fn receive(&mut self, receive: &Receive) {
        let ids: Vec<ChannelId> = match &receive.channel {
            ChannelRef::Element(id, _) => vec![*id],
            ChannelRef::Value(_) => self.network.channels.ids().collect(),
        };
        for (at, field) in receive.pattern.iter().enumerate() {
            let Pattern::Bind(Target { place: Place::Var(var) | Place::Elem(var, _), store }) = field else {
                continue;
            };
            let all = self.network.vars[*var].range;
            for id in &ids {
                let Some(Some(by)) = self.fields[*id].get(at).copied() else { continue };
                let fits = all.contains(by.lo) && all.contains(by.hi);
                self.grow(*var, if fits || *store == Store::Checked { meet(by, all) } else { all });
            }
        }
    }

    fn block(&mut self, frame: &[Local], block: &Block) {
        let mut statements: Vec<&Stmt> = Vec::new();
        walk_block(block, &mut |statement, _| statements.push(statement));
        for statement in statements {
            match statement {
                Stmt::Assign(target, value) => self.store(frame, target, Some(value)),
                Stmt::Call(_, _, Some(target)) | Stmt::Start(_, _, Some(target)) => {
                    self.store(frame, target, None);
                }
                Stmt::Send(send) => self.send(frame, send),
                Stmt::Receive(receive) => self.receive(receive),
                _ => {}
            }
        }
    }
}

fn meet(a: Range, b: Range) -> Range {
    Range::new(a.lo.max(b.lo), a.hi.min(b.hi))
}

#[cfg(test)]
mod tests {
    use super::*;
    use beeline_ir::model::Model;

    #[test]
    fn what_is_stored_is_held() {
        let text = "network n
            var a in 0..255 = 3 var b in 0..255 var c in 0..255 var d[2] in 0..9 var e in 0..255 var f in 0..255
            buffer q capacity 2 of (0..255)
            process P { location l
              edge l -> l { do { a := 1; wrap b := b + 1; c := a + 2; d[0] := 4; } }
              edge l -> l { send q(a) }
              edge l -> l { receive q(e) } }
            property : A[] true";
        let read =
            beeline_ir::text::read(text, beeline_ir::text::ReadOptions { file: "n", record_places: false });
        let Ok(Model::Network(network)) = read else { panic!("{read:?}") };
        let ranges: Vec<(i64, i64)> = held(&network).iter().map(|range| (range.lo, range.hi)).collect();
        assert_eq!(ranges, [(1, 3), (0, 255), (0, 5), (0, 4), (0, 3), (0, 0)]);
    }
}
