//! What `--safe-abstraction` would remove, for each property.

use beeline_abstraction::{Factor, safe_factors};
use beeline_ir::model::Model;
use beeline_ir::property::Property;
use beeline_report::text::count;
use beeline_report::view::plain;
use serde_json::{Value, json};

/// Properties that are looked at; each costs some milliseconds.
const MOST_PROPERTIES: usize = 100;

/// The safe factors of a model.
pub struct Safe {
    /// For each of the first properties.
    each: Vec<Removable>,
    /// Those that are safe for all properties.
    common: Removable,
    /// How many properties were not looked at.
    unseen: usize,
}

/// Factors that can be removed, in the order of removal.
#[derive(Clone, PartialEq, Eq, Default)]
struct Removable {
    integers: Vec<String>,
    automata: Vec<String>,
}

impl Safe {
    /// Looks for them. A relation has none, nor has a model of which nothing is asked.
    pub fn of(model: &Model, listed: &[Property]) -> Self {
        let Model::Network(network) = model else {
            return Self { each: Vec::new(), common: Removable::default(), unseen: 0 };
        };
        let seen = &listed[..listed.len().min(MOST_PROPERTIES)];
        let factors: Vec<Vec<Factor>> = seen.iter().map(|property| safe_factors(network, property)).collect();
        let named = |factors: &[Factor]| {
            let mut found = Removable::default();
            for factor in factors {
                match factor {
                    Factor::Integer(..) => found.integers.push(factor.name(network)),
                    Factor::Automaton(_) => found.automata.push(factor.name(network)),
                }
            }
            found
        };
        let everywhere = |factor: &Factor| factors.iter().all(|removed| removed.contains(factor));
        let common: Vec<Factor> = factors.first().into_iter().flatten().copied().filter(everywhere).collect();
        let each = factors.iter().map(|factors| named(factors)).collect();
        Self { each, common: named(&common), unseen: listed.len() - seen.len() }
    }

    /// A line about all properties.
    pub fn words(&self) -> String {
        let uniform = self.each.iter().all(|one| *one == self.common);
        let more = if uniform { "" } else { " (more for some properties)" };
        let unseen = match self.unseen {
            0 => String::new(),
            _ => format!(" (only the first {MOST_PROPERTIES} properties were looked at)"),
        };
        format!("{}{more}{unseen}", self.common.words())
    }

    /// A line about one property, if there is more to say than about all.
    pub fn words_of(&self, property: usize) -> Option<String> {
        self.each.get(property).filter(|one| **one != self.common).map(Removable::words)
    }

    /// Adds what is safe for all properties to an object.
    pub fn put_into(&self, object: &mut Value) {
        self.common.put_into(object);
    }

    /// Adds what is safe for one property to an object, if it was looked at.
    pub fn put_into_property(&self, property: usize, object: &mut Value) {
        if let Some(one) = self.each.get(property) {
            one.put_into(object);
        }
    }
}

impl Removable {
    fn words(&self) -> String {
        let number = count(self.integers.len(), "safe variable", "safe variables");
        let mut words = listing(&number, &self.integers);
        if !self.automata.is_empty() {
            let number = count(self.automata.len(), "safe automaton", "safe automata");
            words.push_str(&format!("; {}", listing(&number, &self.automata)));
        }
        words
    }

    fn put_into(&self, object: &mut Value) {
        object["safe"] = self.integers.iter().chain(&self.automata).cloned().collect();
        object["safe_variables"] = json!(self.integers.len());
    }
}

fn listing(head: &str, names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    if names.is_empty() { head.to_string() } else { format!("{head}: {}", names.join(", ")) }
}
