//! The certificate check: a set of rows that holds every initial state, is closed under labels and delay, and keeps
//! clear of the target.

use beeline_ir::certificate::{Cell, Certificate, Row, ZoneConstraint};
use beeline_ir::layout::Slot;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::property::{Property, Target};
use beeline_ir::{ClockId, Model, text};

use crate::cells::{Cells, Known};
use crate::clock::Cut;
use crate::concrete::Kernel;
use crate::cover::{Cover, constraint};
use crate::fork::{Halt, Meter};
use crate::relation::RelationKernel;
use crate::row::{Post, Rows, States, may_hold};
use crate::zone::Zone;

/// Bounds of a row's zone lie between minus this and this.
const ZONE_LIMIT: i64 = 1 << 40;

/// A certificate that proves what it claims.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Steps the check took.
    pub steps: u64,
    /// Rows checked.
    pub rows: usize,
}

/// Why a certificate was not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotAccepted {
    /// It proves nothing.
    Rejected {
        /// The row at fault, counted from 0.
        row: Option<usize>,
        /// Why.
        reason: String,
    },
    /// Its check takes more steps than allowed, or would by what the first rows have taken.
    BudgetExceeded,
    /// Its check was stopped.
    Stopped(StopReason),
}

impl std::fmt::Display for NotAccepted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rejected { row: Some(row), reason } => write!(f, "row {}: {reason}", row + 1),
            Self::Rejected { row: None, reason } => f.write_str(reason),
            Self::BudgetExceeded => f.write_str("the check takes more steps than allowed"),
            Self::Stopped(reason) => f.write_str(reason.message()),
        }
    }
}

/// Checks a certificate, in at most `budget` counted steps, within the limits of time and patience. Of many rows, some
/// tell what all will take: the check goes on if that is within the budget, and then may take twice as much.
pub fn check_certificate(
    model: &Model,
    property: &Property,
    certificate: &Certificate,
    budget: Option<u64>,
    limits: &Limits,
) -> Result<Accepted, NotAccepted> {
    if certificate.model != model.hash() {
        return wrong("the certificate belongs to another model");
    }
    if certificate.property != text::print_property(model, property) {
        return wrong("the certificate is about another property");
    }
    let meter = Meter { budget, limits: limits.clone(), ..Meter::default() };
    match model {
        Model::Network(network) => {
            let kernel = Kernel::new(network, property.observer());
            run(&kernel, network.clocks.len(), property, certificate, meter)
        }
        Model::Relation(relation) => {
            let kernel = RelationKernel::new(relation);
            run(&kernel, 0, property, certificate, meter)
        }
    }
}

struct Check<'a> {
    rows: &'a dyn Rows,
    clocks: usize,
    property: &'a Property,
    target: Target,
    certificate: &'a Certificate,
    cover: Cover<'a>,
    meter: Meter,
}

fn wrong<R>(reason: impl Into<String>) -> Result<R, NotAccepted> {
    Err(NotAccepted::Rejected { row: None, reason: reason.into() })
}

impl From<Halt> for NotAccepted {
    fn from(halt: Halt) -> Self {
        let reason = match halt {
            Halt::Budget => return Self::BudgetExceeded,
            Halt::Stopped(reason) => return Self::Stopped(reason),
            Halt::IllFormed => "the model is not well-formed".to_string(),
            Halt::TooWide(slot) => format!("depends on slot {slot}, of which too little is known"),
        };
        Self::Rejected { row: None, reason }
    }
}

/// The same, as something that is said about this row.
fn about(row: usize) -> impl Fn(NotAccepted) -> NotAccepted {
    move |error| match error {
        NotAccepted::Rejected { reason, .. } => NotAccepted::Rejected { row: Some(row), reason },
        other => other,
    }
}

fn run(
    rows: &dyn Rows,
    clocks: usize,
    property: &Property,
    certificate: &Certificate,
    meter: Meter,
) -> Result<Accepted, NotAccepted> {
    let slots = &rows.context().layout.slots;
    for (i, row) in certificate.rows.iter().enumerate() {
        check_form(row, slots, clocks, certificate.length).map_err(about(i))?;
    }
    let cover = Cover::new(&certificate.rows, slots.len());
    let (target, budget) = (property.target(), meter.budget);
    let mut check = Check { rows, clocks, property, target, certificate, cover, meter };
    check.start()?;
    // Every row is checked; but where the steps of many are counted, some from everywhere tell first what all will take.
    const SAMPLE: usize = 64;
    let budget = budget.filter(|_| certificate.rows.len() >= SAMPLE * SAMPLE);
    let stride = budget.map_or(1, |_| SAMPLE);
    for first in 0..stride {
        for (i, row) in certificate.rows.iter().enumerate().skip(first).step_by(stride) {
            check.row(row).map_err(about(i))?;
        }
        if let Some(budget) = budget.filter(|_| first == 0) {
            let enough = check.meter.steps.saturating_mul(SAMPLE as u64) <= budget;
            check.meter.budget = Some(if enough { budget.saturating_mul(2) } else { 0 });
        }
    }
    Ok(Accepted { steps: check.meter.steps, rows: certificate.rows.len() })
}

/// Whether a row says something about these slots and clocks, and nothing else.
fn check_form(row: &Row, slots: &[Slot], clocks: usize, length: Option<u32>) -> Result<(), NotAccepted> {
    let cell_ok = |(cell, slot): (&Cell, &Slot)| match cell {
        Cell::Any => true,
        Cell::Value(value) => slot.range.contains(*value),
        Cell::Set(values) => {
            let ascending = values.len() >= 2 && values.is_sorted_by(|a, b| a < b);
            ascending && values.iter().all(|value| slot.range.contains(*value))
        }
    };
    let zone_ok = |c: &ZoneConstraint| {
        let clock_ok = |clock: Option<ClockId>| clock.is_none_or(|c| c.index() < clocks);
        clock_ok(c.left) && clock_ok(c.right) && (-ZONE_LIMIT..=ZONE_LIMIT).contains(&c.bound)
    };
    if row.cells.len() != slots.len() {
        wrong("has not one cell per slot")
    } else if !row.cells.iter().zip(slots).all(cell_ok) {
        wrong("has a cell with values that the slot cannot have")
    } else if !row.zone.iter().all(zone_ok) {
        wrong("has a zone of unknown clocks or beyond all bounds")
    } else if length.is_some_and(|length| row.level >= length) {
        wrong("has a level that is not below the length")
    } else {
        Ok(())
    }
}

impl Check<'_> {
    fn start(&mut self) -> Result<(), NotAccepted> {
        for states in self.rows.start(&mut self.meter)? {
            if !self.covered(&states, 0)? {
                return wrong("an initial state is in no row of level 0");
            }
        }
        Ok(())
    }
    fn row(&mut self, row: &Row) -> Result<(), NotAccepted> {
        self.meter.kept = 0;
        self.meter.meets(&Zone::zero(self.clocks), row.zone.len())?;
        let Some(states) = self.states(row) else { return Ok(()) };
        if may_hold(self.rows, self.property, &states, &mut self.meter)? {
            return wrong("meets the target");
        }
        let later = self.rows.delay(&states, &mut self.meter)?;
        if !self.covered(&later, row.level)? {
            return wrong("delay leads out of the rows");
        }
        for (post, cost) in self.rows.post(&states, &self.target, &mut self.meter)? {
            // No level is greater than the greatest.
            let level = row.level.saturating_add(cost);
            if self.beyond(level) {
                continue;
            }
            let next = match (&self.target, post) {
                (Target::RuntimeError, Post::Fails(error)) => {
                    return wrong(format!("a label may fail: {}", error.message()));
                }
                (Target::AssertionFailure, Post::AssertionFailed(_)) => {
                    return wrong("an assertion may fail");
                }
                (_, Post::ObserverFails) => return wrong("the observer may fail"),
                (_, Post::Fails(_)) => continue,
                (_, Post::States(states) | Post::AssertionFailed(states)) => states,
            };
            if !self.covered(&next, level)? {
                return wrong("a label leads out of the rows");
            }
        }
        Ok(())
    }
    /// The states of a row that meet their invariants.
    fn states(&self, row: &Row) -> Option<States> {
        let mut cells: Vec<Known> = row.cells.iter().map(Known::from).collect();
        cells.resize(self.rows.context().ranges.len(), Known::Any);
        let constraints: Vec<_> = row.zone.iter().map(constraint).collect();
        let zone = Cut::all(Zone::all(self.clocks)).meet(&constraints)?.set;
        self.rows.invariant(States { cells: Cells::new(cells), zone })
    }
    /// Whether everything at this level counts as covered.
    fn beyond(&self, level: u32) -> bool {
        self.certificate.length.is_some_and(|length| level >= length)
    }
    fn covered(&mut self, states: &States, level: u32) -> Result<bool, Halt> {
        Ok(self.beyond(level) || self.cover.covers(self.rows.context(), states, level, &mut self.meter)?)
    }
}
