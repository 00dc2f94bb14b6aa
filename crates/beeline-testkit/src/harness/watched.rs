//! A search that explores everything tells of other properties whether they hold; the oracle is asked about each.

use super::compare::{Trouble, TroubleKind, run};
use crate::oracle;
use beeline_check::{NotAccepted, check_certificate};
use beeline_engine::{Options, SearchKind};
use beeline_ir::Model;
use beeline_ir::certificate::Certificate;
use beeline_ir::expr::Expr;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::outcome::Finding;
use beeline_ir::property::{Property, PropertyKind, Target};
use beeline_ir::text;

/// Kernel steps for a certificate.
const STEPS: u64 = 1_000_000;

/// Watches for the property of a network, and for what can be asked of all networks.
pub fn check(
    network: &Network,
    property: &Property,
    options: &Options,
    budget: usize,
) -> Result<(), Trouble> {
    let plain = |kind| Property { name: None, text: None, frame: Vec::new(), kind, origin: None };
    let always = plain(PropertyKind::Always(Expr::TRUE));
    let watch = vec![
        property.clone(),
        plain(PropertyKind::Always(Expr::Deadlock.negated())),
        plain(PropertyKind::NoRuntimeError),
        plain(PropertyKind::NoAssertionFailure),
    ];
    let options = Options { search: SearchKind::Bfs, watch, ..options.clone() };
    let outcome = run(network, &always, &options)?;
    match outcome.finding {
        Finding::Unreachable => {}
        Finding::Unknown(StopReason::Diverges) => return Ok(()),
        other => return Err(Trouble::new(TroubleKind::Verdict, format!("{other:?} of what always holds"))),
    }
    let model = Model::Network(network.clone());
    for watched in &options.watch {
        let name = text::print_property(&model, watched);
        let Ok(answer) = oracle::solve(network, watched, true, budget) else { continue };
        let told = outcome.also.contains(watched);
        let trouble = |kind, detail: &str| Err(Trouble::new(kind, format!("watched: {name}: {detail}")));
        if told && answer.length.is_some() {
            return trouble(TroubleKind::Verdict, "said to hold, but the oracle reaches the target");
        }
        let by_label = !matches!(watched.target(), Target::State(_));
        let due = watched.observer().is_none() && (network.clocks.is_empty() || by_label);
        // A property that fails somewhere is nothing that a search could tell of.
        let alone = || run(network, watched, &options).map(|outcome| outcome.finding);
        if due && !told && answer.length.is_none() && alone()? == Finding::Unreachable {
            return trouble(TroubleKind::Verdict, "not said to hold, although it does");
        }
        if let Some(certificate) = outcome.certificate.as_ref().filter(|_| told) {
            let certificate = Certificate { property: name.clone(), ..certificate.clone() };
            match check_certificate(&model, watched, &certificate, Some(STEPS), &Limits::default()) {
                Ok(_) | Err(NotAccepted::BudgetExceeded) => {}
                Err(error) => return trouble(TroubleKind::Certificate, &format!("{error:?}")),
            }
        }
    }
    Ok(())
}
