//! Values that are never the case together, for each property.

use beeline_heuristics::mutexes::Summary;
use beeline_heuristics::registry::Making;
use beeline_ir::layout::Layout;
use beeline_ir::limits::Limits;
use beeline_ir::model::Model;
use beeline_ir::property::Property;
use beeline_report::text::{count, grouped};
use serde_json::{Value, json};

/// Properties that are looked at; each costs some milliseconds.
const MOST_PROPERTIES: usize = 20;

/// What there is to say of each of the first properties; nothing if its target may be anywhere.
pub struct Mutual(Vec<Option<Summary>>);

impl Mutual {
    /// Looks for them. A relation has none.
    pub fn of(model: &Model, listed: &[Property]) -> Self {
        let Model::Network(network) = model else { return Self(Vec::new()) };
        let (limits, initial) = (Limits::default(), Layout::of_network(network).initial(network));
        let seen = listed.iter().take(MOST_PROPERTIES).map(|property| {
            let making = Making::new(network, property, &limits);
            let factored = making.factored().ok()?;
            Summary::of(&factored, &initial, making.meter()).ok().flatten()
        });
        Self(seen.collect())
    }

    /// A line about a property, if there are any.
    pub fn words_of(&self, property: usize) -> Option<String> {
        let found = self.0.get(property)?.filter(|found| found.pairs > 0 || found.never > 0);
        let Summary { values, pairs, labels, never } = found?;
        let pairs = match pairs {
            1 => "1 mutex pair".to_string(),
            _ => format!("{} mutex pairs", grouped(pairs)),
        };
        let values = count(values, "value", "values");
        Some(format!("{pairs} of {values}; {never} of {} never taken", count(labels, "label", "labels")))
    }

    /// Adds the same to an object.
    pub fn put_into_property(&self, property: usize, object: &mut Value) {
        if let Some(Some(Summary { values, pairs, labels, never })) = self.0.get(property) {
            object["mutexes"] = json!({ "values": values, "pairs": pairs, "labels": labels, "never": never });
        }
    }
}
