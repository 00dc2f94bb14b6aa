//! Which processes are interchangeable, for each property.

use beeline::symmetry::orbits;
use beeline_ir::limits::Limits;
use beeline_ir::model::Model;
use beeline_ir::property::Property;
use beeline_report::view::plain;
use serde_json::Value;

/// Properties that are looked at; each costs some milliseconds.
const MOST_PROPERTIES: usize = 20;

/// The interchangeable processes of each of the first properties.
pub struct Interchangeable(Vec<Vec<Vec<String>>>);

impl Interchangeable {
    /// Looks for them. A relation has none.
    pub fn of(model: &Model, listed: &[Property]) -> Self {
        let Model::Network(network) = model else { return Self(Vec::new()) };
        let limits = Limits::default();
        // Without limits none is reached.
        let of = |property| orbits(network, property, &limits).unwrap_or_default();
        Self(listed.iter().take(MOST_PROPERTIES).map(of).collect())
    }

    /// A line about a property, if there are any.
    pub fn words_of(&self, property: usize) -> Option<String> {
        let orbits = self.0.get(property).filter(|orbits| !orbits.is_empty())?;
        let names = |orbit: &Vec<String>| orbit.iter().map(|name| plain(name)).collect::<Vec<_>>().join(", ");
        let orbits: Vec<String> = orbits.iter().map(names).collect();
        Some(format!("interchangeable: {}", orbits.join("; ")))
    }

    /// Adds the same to an object.
    pub fn put_into_property(&self, property: usize, object: &mut Value) {
        if let Some(orbits) = self.0.get(property) {
            object["interchangeable"] = orbits.clone().into();
        }
    }
}
