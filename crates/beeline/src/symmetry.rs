//! Interchangeable processes, in words.

use beeline_engine::symmetry::Symmetry;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::property::Property;

/// The names of processes of which any two may be exchanged, as far as a property is concerned.
pub fn orbits(
    network: &Network,
    property: &Property,
    limits: &Limits,
) -> Result<Vec<Vec<String>>, StopReason> {
    let symmetry = Symmetry::of(network, property, limits)?;
    let names = |orbit: &Vec<_>| orbit.iter().map(|id| network.processes[*id].name.clone()).collect();
    Ok(symmetry.iter().flat_map(|symmetry| &symmetry.orbits).map(names).collect())
}

/// What a search with symmetry has to say of it.
pub fn remark(network: &Network, property: &Property, limits: &Limits) -> String {
    let Ok(orbits) = orbits(network, property, limits) else {
        return "symmetry: a limit was reached before it was known".to_string();
    };
    let orbits: Vec<String> = orbits.iter().map(|orbit| orbit.join(", ")).collect();
    match orbits.is_empty() {
        true => "symmetry: no processes are interchangeable".to_string(),
        false => format!("symmetry: interchangeable are {}", orbits.join("; ")),
    }
}
