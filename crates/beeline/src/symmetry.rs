//! Interchangeable processes, in words.

use beeline_engine::symmetry::Symmetry;
use beeline_ir::network::Network;
use beeline_ir::property::Property;

/// The names of processes of which any two may be exchanged, as far as a property is concerned.
pub fn orbits(network: &Network, property: &Property) -> Vec<Vec<String>> {
    let symmetry = Symmetry::of(network, property);
    let names = |orbit: &Vec<_>| orbit.iter().map(|id| network.processes[*id].name.clone()).collect();
    symmetry.iter().flat_map(|symmetry| &symmetry.orbits).map(names).collect()
}

/// What a search with symmetry has to say of it.
pub fn remark(network: &Network, property: &Property) -> String {
    let orbits: Vec<String> = orbits(network, property).iter().map(|orbit| orbit.join(", ")).collect();
    match orbits.is_empty() {
        true => "symmetry: no processes are interchangeable".to_string(),
        false => format!("symmetry: interchangeable are {}", orbits.join("; ")),
    }
}
