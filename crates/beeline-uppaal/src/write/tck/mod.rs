//! A network as a flat TChecker model, for `tck-reach`. Everything is global there: variables and clocks of a
//! process bear its name, and where the location of a process matters to others a variable mirrors it.
//!
//! TChecker knows neither functions, quantifiers and selections (unfolded, [`simplify`], [`call`], [`inline`],
//! [`instance`]) nor disjunctions ([`text`]), urgent channels and conditional invariants ([`watch`]), guarded
//! broadcast receivers ([`sync`]), or targets beyond locations ([`goal`]). Refused are priorities, what UPPAAL
//! cannot express either, operations on bits, and whatever explodes when unfolded.
//!
//! A store that fails undoes the step in TChecker's text as in Beeline ([`inline`]). But reading an element
//! outside its array or dividing by zero stops TChecker, and values within functions called in expressions are
//! not checked against their ranges: a comment names those functions. `tck-reach` itself does not handle
//! differences of clocks.

mod call;
mod fold;
mod goal;
mod inline;
mod instance;
mod model;
mod simplify;
mod sync;
mod text;
mod watch;

use beeline_ir::network::Network;
use beeline_ir::property::{Property, PropertyKind, Target};

use super::{Names, Unwritable, xta::refuse_foreign};
use goal::Goal;
use simplify::Simplifier;

/// A TChecker model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenTck {
    /// The text of a `.tck` file.
    pub model: String,
    /// The labels that a state of interest bears all together: `tck-reach -l` them. Empty if nothing is asked.
    pub labels: Vec<String>,
}

/// Words of the declarations and of the expressions.
const RESERVED: &str = "\
    clock do edge else end event if int local location nop process sync system then while";

/// Writes a network for TChecker, and what it takes to search for the target of a property.
pub fn write_tck(network: &Network, property: Option<&Property>) -> Result<WrittenTck, Unwritable> {
    refuse_foreign(network)?;
    refuse_priorities(network)?;
    let names = Names::legal(network, RESERVED);
    let mut simplifier = Simplifier::new(network);
    let goal = match property {
        None => Goal::Nothing,
        Some(property) => {
            simplifier.place = format!("property {}", property.name.as_deref().unwrap_or("without a name"));
            let target = match property.target() {
                Target::State(target) if !matches!(property.kind, PropertyKind::Refused(_)) => target,
                _ => return simplifier.refuse("a question that is not about states"),
            };
            let mut env = simplifier.env(&property.frame)?;
            let target = simplifier.expr(&target, &mut env)?;
            let target = simplifier.checked(target)?;
            goal::goal(&mut simplifier, &target)?
        }
    };
    let instances = instance::instances(&mut simplifier)?;
    let watchers = watch::watchers(&mut simplifier, &instances)?;
    let plan = sync::plan(&mut simplifier, &instances)?;
    model::write(simplifier, names, &plan, &watchers, &goal)
}

fn refuse_priorities(network: &Network) -> Result<(), Unwritable> {
    for (id, channel) in network.channels.enumerate() {
        if channel.priority.iter().any(|p| *p != 0) {
            return Err(Unwritable::new(format!("channel {}", network.channel_name(id)), "a priority"));
        }
    }
    let first = network.processes.iter().next().map(|p| p.priority);
    match network.processes.iter().find(|p| Some(p.priority) != first) {
        Some(process) => Err(Unwritable::new(format!("process {}", process.name), "a priority")),
        None => Ok(()),
    }
}
