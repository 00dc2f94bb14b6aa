//! The hash of a model: what binds traces and certificates to it.

use sha2::{Digest, Sha256};

use crate::model::{Model, ModelHash};
use crate::text;

impl Model {
    /// SHA-256 of the model's canonical text without origins and properties: it stays the same when a model is read
    /// from another place or asked something else, and changes with anything that can change its behaviour.
    pub fn hash(&self) -> ModelHash {
        ModelHash(Sha256::digest(text::print_behaviour(self)).into())
    }
}
