//! How a text is written: choices made once per model.

use crate::feature::{self, Feature};
use crate::random::Random;
use beeline_ir::network::Network;

/// Choices of a text.
#[derive(Clone, Debug)]
pub(super) struct Style {
    /// The syntax of UPPAAL 3.
    pub old: bool,
    /// Ranges 0 to 1 are called `bool`. A store into one converts instead of failing, so not where stores may fail.
    pub bools: bool,
    /// Of a hundred parentheses that are not needed, how many are written.
    pub parentheses: u32,
    /// Of a hundred constants, how many have names.
    pub named_constants: u32,
    /// Of a hundred conjunctions (and the like), how many are written as words.
    pub words: u32,
    /// Of a hundred plain updates and guards, how many go through functions.
    pub functions: u32,
    /// Of a hundred things a template could take as parameters, how many it does.
    pub parameters: u32,
    /// Of a hundred variables and clocks, how many are grouped in arrays and structs.
    pub grouping: u32,
}

impl Style {
    /// A style for a model; `None` if the model uses something that UPPAAL has not.
    pub fn draw(network: &Network, may_fail: bool, random: &mut Random) -> Option<Self> {
        let features = feature::of(network);
        if features.iter().any(|f| !f.in_uppaal()) || !sorted(network) {
            return None;
        }
        let modern = [
            Feature::PureFunction,
            Feature::EffectFunction,
            Feature::Select,
            Feature::Quantifier,
            Feature::ControlFlow,
            Feature::LocalArray,
            Feature::ChannelPriority,
            Feature::ProcessPriority,
        ];
        let allowed = modern.into_iter().all(|f| !features.contains(f));
        let often = |random: &mut Random| [0, 20, 60][random.below(3)];
        let old = allowed && random.chance(30);
        Some(Self {
            old,
            bools: !old && !may_fail && random.chance(40),
            parentheses: [0, 15, 100][random.below(3)],
            named_constants: often(random),
            words: [0, 50, 100][random.below(3)],
            functions: often(random),
            parameters: often(random),
            grouping: often(random),
        })
    }
}

/// Whether processes of higher priority come later, as `system A < B` has it.
fn sorted(network: &Network) -> bool {
    network.processes.iter().is_sorted_by_key(|p| p.priority)
}
