//! Meaning-preserving rewrites: a model and its rewritten twin must give the same answers. They need no oracle,
//! so they also test where the oracle and the engine might share a misunderstanding of size or naming.
//!
//! None of the rewrites moves the verdict, the shortest length, or the number of reachable discrete states at each
//! level. A rewrite that would change the meaning of a particular model gives `None` for it.

mod locals;
mod permute;
mod rename;
mod scale;
mod unfold;
mod unreachable;

use crate::random::Random;
use beeline_ir::network::Network;
pub use locals::{shift_locals, writes_globals};

/// A rewrite.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Rewrite {
    /// Everything gets another name, some of them names that need quotes.
    Rename,
    /// Variables, clocks and channels are declared in another order.
    PermuteDeclarations,
    /// Processes are declared in another order.
    PermuteProcesses,
    /// Edges are declared in another order.
    PermuteEdges,
    /// All clock constants are multiplied.
    Scale,
    /// A process that can do nothing is added.
    UnreachableProcess,
    /// A variable becomes part of the locations of a process.
    Unfold,
}

impl Rewrite {
    /// All of them.
    pub const ALL: &'static [Rewrite] = &[
        Rewrite::Rename,
        Rewrite::PermuteDeclarations,
        Rewrite::PermuteProcesses,
        Rewrite::PermuteEdges,
        Rewrite::Scale,
        Rewrite::UnreachableProcess,
        Rewrite::Unfold,
    ];

    /// The rewritten model; `None` if this model's meaning would change, or nothing would.
    pub fn apply(self, network: &Network, random: &mut Random) -> Option<Network> {
        match self {
            Rewrite::Rename => Some(rename::rename(network, random)),
            Rewrite::PermuteDeclarations => permute::declarations(network, random),
            Rewrite::PermuteProcesses => permute::processes(network, random),
            Rewrite::PermuteEdges => Some(permute::edges(network, random)),
            Rewrite::Scale => scale::scale(network, random.between(2, 3)),
            Rewrite::UnreachableProcess => unreachable::add(network),
            Rewrite::Unfold => unfold::unfold(network, random),
        }
    }
}
