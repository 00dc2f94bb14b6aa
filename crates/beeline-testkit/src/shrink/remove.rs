//! Edits that take whole elements out of a model. References to what is gone become constants where that makes sense;
//! elsewhere an element goes only when nothing refers to it.

use super::Edited;
use crate::walk::{self, Visitor};
use beeline_ir::expr::Expr;
use beeline_ir::id::Id;
use beeline_ir::network::Network;
use beeline_ir::property::PropertyKind;
use beeline_ir::{ChannelId, ClockId, EdgeId, FunctionId, IdVec, LocationId, ProcessId, VarId};

/// The id after position `gone` is closed.
fn close<I: Id>(id: &mut I, gone: usize) {
    if id.index() > gone {
        *id = I::new(id.index() - 1);
    }
}

fn take<I: Id, T>(items: &mut IdVec<I, T>, at: usize) {
    let mut all = std::mem::take(items).into_vec();
    all.remove(at);
    *items = all.into();
}

pub(super) fn process(network: &mut Network, place: usize) -> Edited {
    struct Forget(ProcessId);
    impl Visitor for Forget {
        fn expr(&mut self, expr: &mut Expr) {
            match expr {
                Expr::At(p, _) | Expr::Alive(p) | Expr::Enabled(p, _) if *p == self.0 => *expr = Expr::FALSE,
                Expr::Pid(p) if *p == self.0 => *expr = Expr::Const(-1),
                _ => {}
            }
        }
    }
    struct Close(usize);
    impl Visitor for Close {
        fn process(&mut self, id: &mut ProcessId) {
            close(id, self.0);
        }
    }
    if place >= network.processes.len() {
        return Edited::PastEnd;
    }
    let id = ProcessId::new(place);
    let about_it = |p: &PropertyKind| matches!(p, PropertyKind::NeverAt(q, _) if *q == id);
    if network.processes.len() == 1 || network.properties.iter().any(|p| about_it(&p.kind)) {
        return Edited::No;
    }
    walk::network(network, &mut Forget(id));
    let owners = network.vars.iter_mut().map(|v| (&mut v.owner, &mut v.name));
    let owners = owners.chain(network.clocks.iter_mut().map(|c| (&mut c.owner, &mut c.name)));
    for (owner, name) in owners.chain(network.channels.iter_mut().map(|c| (&mut c.owner, &mut c.name))) {
        if *owner == Some(id) {
            *owner = None;
            *name = format!("{name}_{place}");
        }
    }
    network.families.iter_mut().for_each(|f| f.slots.retain(|p| *p != id));
    walk::network(network, &mut Close(place));
    take(&mut network.processes, place);
    Edited::Yes
}

/// The process and the position within it of a place counted over all processes.
fn locate(counts: impl Iterator<Item = usize>, mut place: usize) -> Option<(ProcessId, usize)> {
    for (process, count) in counts.enumerate() {
        if place < count {
            return Some((ProcessId::new(process), place));
        }
        place -= count;
    }
    None
}

pub(super) fn edge(network: &mut Network, place: usize) -> Edited {
    let Some((process, at)) = locate(network.processes.iter().map(|p| p.edges.len()), place) else {
        return Edited::PastEnd;
    };
    drop_edge(network, process, at);
    Edited::Yes
}

fn drop_edge(network: &mut Network, process: ProcessId, at: usize) {
    struct Forget(ProcessId, EdgeId);
    impl Visitor for Forget {
        fn expr(&mut self, expr: &mut Expr) {
            if let Expr::Enabled(p, edges) = expr
                && *p == self.0
            {
                edges.retain(|e| *e != self.1);
            }
        }
    }
    struct Close(ProcessId, usize);
    impl Visitor for Close {
        fn edge(&mut self, process: ProcessId, id: &mut EdgeId) {
            if process == self.0 {
                close(id, self.1);
            }
        }
    }
    walk::network(network, &mut Forget(process, EdgeId::new(at)));
    walk::network(network, &mut Close(process, at));
    take(&mut network.processes[process].edges, at);
}

pub(super) fn location(network: &mut Network, place: usize) -> Edited {
    struct Forget(ProcessId, LocationId);
    impl Visitor for Forget {
        fn expr(&mut self, expr: &mut Expr) {
            if *expr == Expr::At(self.0, self.1) {
                *expr = Expr::FALSE;
            }
        }
    }
    struct Close(ProcessId, usize);
    impl Visitor for Close {
        fn location(&mut self, process: ProcessId, id: &mut LocationId) {
            if process == self.0 {
                close(id, self.1);
            }
        }
    }
    let Some((process, at)) = locate(network.processes.iter().map(|p| p.locations.len()), place) else {
        return Edited::PastEnd;
    };
    let id = LocationId::new(at);
    let asked =
        |p: &PropertyKind| matches!(p, PropertyKind::NeverAt(q, all) if *q == process && all.contains(&id));
    if network.processes[process].initial == id || network.properties.iter().any(|p| asked(&p.kind)) {
        return Edited::No;
    }
    for edge in (0..network.processes[process].edges.len()).rev() {
        let edges = &network.processes[process].edges;
        if edges[EdgeId::new(edge)].source == id || edges[EdgeId::new(edge)].target == id {
            drop_edge(network, process, edge);
        }
    }
    walk::network(network, &mut Forget(process, id));
    walk::network(network, &mut Close(process, at));
    take(&mut network.processes[process].locations, at);
    Edited::Yes
}

/// Takes an element out of a table if nothing refers to it.
macro_rules! remove_unused {
    ($name:ident, $table:ident, $reference:ident, $id:ty) => {
        pub(super) fn $name(network: &mut Network, place: usize) -> Edited {
            struct Uses(usize, bool);
            impl Visitor for Uses {
                fn $reference(&mut self, id: &mut $id) {
                    self.1 |= id.index() == self.0;
                }
            }
            struct Close(usize);
            impl Visitor for Close {
                fn $reference(&mut self, id: &mut $id) {
                    close(id, self.0);
                }
            }
            if place >= network.$table.len() {
                return Edited::PastEnd;
            }
            let mut uses = Uses(place, false);
            walk::network(network, &mut uses);
            if uses.1 {
                return Edited::No;
            }
            walk::network(network, &mut Close(place));
            take(&mut network.$table, place);
            Edited::Yes
        }
    };
}

remove_unused!(var, vars, var, VarId);
remove_unused!(clock, clocks, clock, ClockId);
remove_unused!(channel, channels, channel, ChannelId);
remove_unused!(function, functions, function, FunctionId);
