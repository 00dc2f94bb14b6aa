//! The model: one of two forms.

use crate::network::Network;
use crate::property::Property;
use crate::relation::Relation;

/// A model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Model {
    /// Processes, variables, clocks and channels (UPPAAL, Promela).
    Network(Network),
    /// Constraints on current and next state (SMV).
    Relation(Relation),
}

impl Model {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Network(n) => &n.name,
            Self::Relation(r) => &r.name,
        }
    }
    /// The source files origins refer to.
    pub fn sources(&self) -> &[String] {
        match self {
            Self::Network(n) => &n.sources,
            Self::Relation(r) => &r.sources,
        }
    }
    /// The source files origins refer to, to add some.
    pub fn sources_mut(&mut self) -> &mut Vec<String> {
        match self {
            Self::Network(n) => &mut n.sources,
            Self::Relation(r) => &mut r.sources,
        }
    }
    /// What is asked of it.
    pub fn properties(&self) -> &[Property] {
        match self {
            Self::Network(n) => &n.properties,
            Self::Relation(r) => &r.properties,
        }
    }
    /// What is asked of it, to add or remove questions.
    pub fn properties_mut(&mut self) -> &mut Vec<Property> {
        match self {
            Self::Network(n) => &mut n.properties,
            Self::Relation(r) => &mut r.properties,
        }
    }
}

/// SHA-256 of a model's canonical text without origins and properties: what binds traces and certificates to it.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct ModelHash(pub [u8; 32]);

impl std::fmt::Display for ModelHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
impl std::fmt::Debug for ModelHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ModelHash({self})")
    }
}
