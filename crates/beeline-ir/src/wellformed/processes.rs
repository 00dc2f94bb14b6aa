//! Processes: locations, edges, and what sets observers apart.

use super::{Checker, Place, Site};
use crate::expr::ChannelRef;
use crate::id::{EdgeId, ProcessId};
use crate::network::{Edge, Location, Process, Role, Sync};
use crate::visit;

/// As many combinations of select values an edge may have at most.
const MAX_SELECTIONS: u128 = 1_000_000;

impl<'m> Checker<'m> {
    /// Checks a process.
    pub(super) fn process(&mut self, id: ProcessId, process: &'m Process) {
        let what = format!("process `{}`", process.name);
        let site = Site::new(Place::Behaviour, what, process.origin.as_ref(), &[]);
        self.origin(process.origin.as_ref());
        if process.locations.get(process.initial).is_none() {
            self.fault(&site, "E0314", "there is no initial location");
        }
        self.params(&site, id, process);
        if let (Some(family), Some(network)) = (process.family, self.tables())
            && network.families.get(family).is_none()
        {
            self.fault(&site, "E0315", "there is no such family");
        }
        for location in &process.locations {
            self.location(id, process, location);
        }
        for (edge, e) in process.edges.enumerate() {
            self.edge(id, process, edge, e);
        }
        if process.role == Role::Observer && (process.family.is_some() || process.priority != 0) {
            self.fault(&site, "E0331", "an observer belongs to no family and has no priority");
        }
    }

    fn params(&mut self, site: &Site<'m>, id: ProcessId, process: &'m Process) {
        let Some(network) = self.tables() else { return };
        for (i, param) in process.params.iter().enumerate() {
            let fits = network.vars.get(*param).is_some_and(|v| v.owner == Some(id) && v.len.is_none());
            if !fits || process.params[..i].contains(param) {
                self.fault(site, "E0312", "its parameters are different scalar variables of its own");
            }
        }
        if process.family.is_none() && !process.params.is_empty() {
            self.fault(site, "E0312", "only a slot of a family has parameters");
        }
    }

    fn location(&mut self, id: ProcessId, process: &Process, location: &'m Location) {
        let what = format!("location `{}.{}`", process.name, location.name);
        let mut site = Site::new(Place::Behaviour, what, location.origin.as_ref(), &location.frame);
        site.process = Some(id);
        self.origin(location.origin.as_ref());
        self.frame(&site);
        let mut depth = self.expr_depth(&location.condition);
        visit::atom_parts(&location.invariant, &mut |e| depth = depth.max(1 + self.expr_depth(e)));
        if self.allowed(&site, depth) {
            site.quantified = self.quantified(&site, |visit| {
                visit(&location.condition);
                visit::atom_parts(&location.invariant, &mut |e| visit(e));
            });
            self.expr(&site, &location.condition);
            self.atoms(&site, &location.invariant);
        }
        let plain = location.condition.is_true()
            && location.invariant.is_empty()
            && !(location.urgent || location.committed || location.atomic);
        if process.role == Role::Observer && !plain {
            self.fault(&site, "E0331", "a location of an observer has no invariant and no flags");
        }
    }

    fn edge(&mut self, id: ProcessId, process: &Process, edge_id: EdgeId, edge: &'m Edge) {
        let name = |l| process.locations.get(l).map_or("?", |l| l.name.as_str());
        let (source, target) = (name(edge.source), name(edge.target));
        let what = format!("edge #{} of `{}` ({source} -> {target})", edge_id.index(), process.name);
        let mut site = Site::new(Place::Behaviour, what, edge.origin.as_ref(), &edge.frame);
        site.process = Some(id);
        site.fixed = edge.selects;
        self.origin(edge.origin.as_ref());
        self.frame(&site);
        for location in [edge.source, edge.target] {
            if process.locations.get(location).is_none() {
                self.fault(&site, "E0315", "there is no such location");
            }
        }
        let selections = edge.frame.iter().take(edge.selects).map(|l| l.range.size());
        if selections.fold(1, u128::saturating_mul) > MAX_SELECTIONS {
            let message = format!("there are more than {MAX_SELECTIONS} combinations of select values");
            self.fault(&site, "E0332", &message);
        }
        let mut depth = self.block_depth(&edge.update);
        visit::edge_parts(edge, &mut |e| depth = depth.max(1 + self.expr_depth(e)));
        if self.allowed(&site, depth) {
            site.quantified = self.quantified(&site, |visit| visit::edge_parts(edge, &mut |e| visit(e)));
            self.expr(&site, &edge.guard);
            self.atoms(&site, &edge.clock_guard);
            self.sync(&site, edge);
            self.block(&site, &edge.update);
        }
        if process.role == Role::Observer {
            self.observer_edge(&site, edge);
        }
    }

    fn sync(&mut self, site: &Site<'m>, edge: &'m Edge) {
        let channel = match &edge.sync {
            Sync::Internal => return,
            Sync::Send(send) => {
                self.send(site, send, false);
                &send.channel
            }
            Sync::Receive(receive) => {
                self.receive(site, receive, false);
                &receive.channel
            }
        };
        let Some(network) = self.tables() else { return };
        let urgent = match channel {
            ChannelRef::Element(id, _) => network.channels.get(*id).is_some_and(|c| c.urgent),
            // It may turn out to be any channel.
            ChannelRef::Value(_) => network.channels.iter().any(|c| c.urgent),
        };
        if urgent && !edge.clock_guard.is_empty() {
            self.unsupported(site, "U0402", "a clock guard together with an urgent channel");
        }
    }

    fn observer_edge(&mut self, site: &Site<'m>, edge: &'m Edge) {
        let bare = edge.sync == Sync::Internal
            && edge.clock_guard.is_empty()
            && edge.update.is_empty()
            && edge.selects == 0
            && !edge.costs;
        if !bare {
            let message = "an edge of an observer has a guard without clocks, no synchronisation, select \
                           variables or update, and no cost";
            self.fault(site, "E0331", message);
        }
    }
}
