//! The way back from a network whose labels are labels of the original: a run is the same run, and only the names on
//! traces and certificates, which say what they are about, change.

use crate::abstraction::{Identity, Unfit};
use beeline_ir::Model;
use beeline_ir::certificate::Certificate;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;
use beeline_ir::trace::Trace;

/// An abstraction in which nothing takes fewer steps, or more, than in the original.
pub trait Exact {
    /// What is left of the original. The property is the same.
    fn network(&self) -> &Network;
    /// The run of the original that a run of what is left is.
    fn trace(&self, trace: &Trace) -> Result<Trace, Unfit>;
    /// The certificate of the original that one of what is left stands for.
    fn lift(&self, certificate: &Certificate) -> Result<Certificate, Unfit>;

    /// Makes a claim about what is left one about the original.
    fn put_back(&self, outcome: &mut Outcome) -> Result<(), Unfit> {
        if let Some(certificate) = &mut outcome.certificate {
            *certificate = self.lift(certificate)?;
        }
        if let Finding::Reachable { trace, .. } = &mut outcome.finding {
            *trace = self.trace(trace)?;
        }
        Ok(())
    }
}

/// What the original and what is left of it are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Passage {
    original: Identity,
    left: Identity,
}

impl Passage {
    /// Between a network and what is left of it; the property is the same.
    pub fn new(network: &Network, left: &Network, property: &Property) -> Self {
        let identity = |network: &Network| Identity::of(&Model::Network(network.clone()), property);
        Self { original: identity(network), left: identity(left) }
    }

    /// A run of what is left, as one of the original.
    pub fn trace(&self, trace: &Trace) -> Result<Trace, Unfit> {
        if !self.left.binds(trace.model, &trace.property) {
            return Err(Unfit::Foreign);
        }
        let Identity { model, property } = self.original.clone();
        Ok(Trace { model, property, run: trace.run.clone() })
    }

    /// A certificate of what is left, under the name of the original; what it says is not yet about it.
    pub fn certificate(&self, certificate: &Certificate) -> Result<Certificate, Unfit> {
        if !self.left.binds(certificate.model, &certificate.property) {
            return Err(Unfit::Foreign);
        }
        let Identity { model, property } = self.original.clone();
        Ok(Certificate { model, property, ..certificate.clone() })
    }
}
