//! A run as `verifyta -t` prints it: `State:`, `Delay:` and `Transitions:` blocks. The values of clocks follow
//! those of the variables. Delays are decimal where that is exact (`5.5`), else fractions (`1/3`).

use beeline_ir::layout::{Layout, Part, SlotKind};
use beeline_ir::network::{Network, Sync};
use beeline_ir::trace::Time;

use super::{TraceRun, TraceState};
use crate::write::{Names, Scope, Unwritable, Words, edge_place};

/// The text of a run. A network that UPPAAL has no words for is refused.
pub fn verifyta_trace(network: &Network, run: &TraceRun) -> Result<String, Unwritable> {
    let names = Names::original(network);
    let teller = Teller { words: Words::new(network, &names), layout: Layout::of_network(network) };
    let mut out = teller.state(&run.start, 0);
    for (i, step) in run.steps.iter().enumerate() {
        out.push_str(&delay(step.delay));
        out.push_str("\nTransitions:\n");
        for part in &step.label.parts {
            out.push_str(&format!("  {}\n", teller.part(part)?));
        }
        if let Some(after) = &step.after {
            out.push('\n');
            out.push_str(&teller.state(after, i + 1));
        }
    }
    out.push_str(&delay(run.last_delay));
    Ok(out)
}

fn delay(time: Time) -> String {
    if *time.numer() == 0 { String::new() } else { format!("\nDelay: {}\n", amount(time)) }
}

/// An exact amount of time: decimal if the decimals end after at most nine digits.
fn amount(time: Time) -> String {
    let (numer, denom) = (i128::from(*time.numer()), i128::from(*time.denom()));
    let mut scale = 1;
    for digits in 0..=9 {
        if scale % denom == 0 {
            let scaled = numer * (scale / denom);
            let sign = if scaled < 0 { "-" } else { "" };
            let (whole, rest) = (scaled.abs() / scale, scaled.abs() % scale);
            let rest = if digits == 0 { String::new() } else { format!(".{rest:0digits$}") };
            return format!("{sign}{whole}{rest}");
        }
        scale *= 10;
    }
    format!("{numer}/{denom}")
}

struct Teller<'n> {
    words: Words<'n>,
    layout: Layout,
}

impl Teller<'_> {
    fn state(&self, state: &TraceState, depth: usize) -> String {
        let (network, names) = (self.words.network, self.words.names);
        let (mut locations, mut values) = (Vec::new(), Vec::new());
        for (slot, value) in self.layout.slots.iter().zip(&state.slots) {
            match slot.kind {
                SlotKind::Location(process) => {
                    if let Some(location) = self.layout.location(process, *value) {
                        let name = &names.processes[process];
                        locations.push(format!("{name}.{}", names.locations[process][location]));
                    }
                }
                SlotKind::Cell(var, cell) => {
                    let index = network.vars[var].len.map_or(String::new(), |_| format!("[{cell}]"));
                    values.push(format!("{}{index}={value}", names.vars[var]));
                }
                SlotKind::Pid(_) | SlotKind::QueueLength(_) | SlotKind::QueueCell(..) | SlotKind::Holder => {}
            }
        }
        let clocks = names.clocks.iter().zip(&state.clocks);
        values.extend(clocks.map(|(name, value)| format!("{name}={}", amount(*value))));
        values.push(format!("#depth={depth}"));
        format!("State:\n( {} )\n{}\n", locations.join(" "), values.join(" "))
    }

    /// `P1.A->P1.C { x > 5, tau, t := 0 }`
    fn part(&self, part: &Part) -> Result<String, Unwritable> {
        let (network, names) = (self.words.network, self.words.names);
        let edge = &network.processes[part.process].edges[part.edge];
        let locals = edge.frame.iter().map(|local| local.name.clone()).collect();
        let mut scope = Scope::model(locals, edge_place(network, part.process, part.edge));
        scope.query = true;
        let guard = self.words.constraint(&edge.guard, &edge.clock_guard, &scope)?;
        let sync = match &edge.sync {
            Sync::Internal => "tau".into(),
            Sync::Send(send) => format!("{}!", self.words.channel(&send.channel, &scope)?),
            Sync::Receive(receive) => format!("{}?", self.words.channel(&receive.channel, &scope)?),
        };
        let update = self.words.line(&edge.update, &scope)?;
        let selects = match part.selects.as_slice() {
            [] => String::new(),
            values => format!("[{}]", values.iter().map(i64::to_string).collect::<Vec<_>>().join(",")),
        };
        let (process, locations) = (&names.processes[part.process], &names.locations[part.process]);
        Ok(format!(
            "{process}.{}->{process}.{} {selects}{{ {}, {sync}, {} }}",
            locations[edge.source],
            locations[edge.target],
            or_one(guard),
            or_one(update)
        ))
    }
}

/// UPPAAL prints a missing guard or update as `1`.
fn or_one(text: String) -> String {
    if text.is_empty() { "1".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        assert_eq!(amount(Time::new(11, 2)), "5.5");
        assert_eq!(amount(Time::new(-1, 4)), "-0.25");
        assert_eq!(amount(Time::new(7, 1)), "7");
        assert_eq!(amount(Time::new(1, 3)), "1/3");
        assert_eq!(amount(Time::new(1, 20)), "0.05");
        assert_eq!(amount(Time::new(i64::MAX, 2)), "4611686018427387903.5");
    }
}
