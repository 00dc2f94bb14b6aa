//! A symbolic run as a `.xtr` file, in the newer form (edges from 0, `;` after each).
//!
//! A file is the initial state, then for each step the state it leads to and the transition, then `.`. A state
//! lists the locations, the bounds of its zone and the variables, each list ended by `.`. A bound is `i j raw`,
//! for clock i - clock j, where raw is twice the limit, plus one if it is strict. Clock 0 is zero and clock 1
//! the time since the start, which stays unbounded here; the network's clocks follow from 2.
//!
//! UPPAAL numbers locations, edges and variables by itself. The number of an edge is the first native index of
//! its origin, or else its position in the process; locations and variables are numbered as in the network.

use beeline_ir::layout::{Label, Layout, SlotKind};
use beeline_ir::network::Network;
use beeline_ir::{ClockId, EdgeId, ProcessId};

use crate::write::Unwritable;

/// `left - right <= limit`, or `<` if strict; no clock stands for zero.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ZoneBound {
    /// The clock.
    pub left: Option<ClockId>,
    /// The clock subtracted from it.
    pub right: Option<ClockId>,
    /// The limit.
    pub limit: i32,
    /// Whether the limit itself is excluded.
    pub strict: bool,
}

/// A symbolic state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct XtrState {
    /// The discrete state, as `beeline_ir::layout::Layout` lays it out.
    pub slots: Vec<i64>,
    /// The bounds of the zone; those left out are infinite, or 0 for zero minus a clock.
    pub zone: Vec<ZoneBound>,
}

/// The text of a run: its initial state, and each label with the state it leads to.
pub fn xtr_trace(
    network: &Network,
    start: &XtrState,
    steps: &[(Label, XtrState)],
) -> Result<String, Unwritable> {
    let layout = Layout::of_network(network);
    let mut out = String::new();
    put_state(&layout, start, &mut out)?;
    for (label, state) in steps {
        put_state(&layout, state, &mut out)?;
        for part in &label.parts {
            out.push_str(&format!(
                "{} {}",
                part.process.index(),
                edge_number(network, part.process, part.edge)
            ));
            part.selects.iter().for_each(|value| out.push_str(&format!(" {value}")));
            out.push_str(" ; ");
        }
        out.push_str(".\n");
    }
    out.push_str(".\n");
    Ok(out)
}

fn edge_number(network: &Network, process: ProcessId, edge: EdgeId) -> i64 {
    let origin = &network.processes[process].edges[edge].origin;
    origin.as_ref().and_then(|o| o.native.first().copied()).unwrap_or(edge.index() as i64)
}

fn put_state(layout: &Layout, state: &XtrState, out: &mut String) -> Result<(), Unwritable> {
    let (mut locations, mut variables) = (String::new(), String::new());
    for (slot, value) in layout.slots.iter().zip(&state.slots) {
        match slot.kind {
            SlotKind::Location(_) => locations.push_str(&format!("{value} ")),
            SlotKind::Cell(..) => variables.push_str(&format!("{value} ")),
            SlotKind::Pid(_) | SlotKind::QueueLength(_) | SlotKind::QueueCell(..) | SlotKind::Holder => {
                return Err(Unwritable::new(
                    "trace",
                    "a state with queues, an exclusivity token or instance slots",
                ));
            }
        }
    }
    out.push_str(&format!("{locations}\n.\n"));
    for bound in &state.zone {
        let (left, right) = (clock_number(bound.left), clock_number(bound.right));
        let raw = 2 * i64::from(bound.limit) + i64::from(bound.strict);
        out.push_str(&format!("{left} {right} {raw}\n.\n"));
    }
    out.push_str(&format!(".\n{variables}\n.\n"));
    Ok(())
}

fn clock_number(clock: Option<ClockId>) -> usize {
    clock.map_or(0, |clock| clock.index() + 2)
}
