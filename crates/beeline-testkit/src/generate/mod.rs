//! Random well-formed networks, each with one property.
//!
//! A model is a function of its [`Shape`] and seed. Models are small on purpose: most mistakes show on two or
//! three edges, and small models make a brute-force oracle cheap. They are biased towards reachable goals: every
//! process has a path through all its locations with mild guards, the goal lies at the end of such paths or of a
//! random run, channels used on them find partners, clocks are shared and often reset before they are tested.
//! Some models are *deep*: fewer processes with longer paths and few shortcuts.

mod behaviour;
pub mod circuit;
pub mod clones;
mod declare;
mod expr;
mod journey;
pub mod promela;
mod property;
mod siblings;
pub mod smv;
pub mod sparse;
mod tangles;
mod update;
mod wide;

use crate::feature::{Feature, FeatureSet};
use crate::random::Random;
use beeline_ir::network::Network;

/// What kind of models.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Profile {
    /// With clocks; the region graph is the oracle.
    Timed,
    /// Without clocks but with queues, atomic locations, dynamic processes; the kernel's successors are the oracle.
    Discrete,
    /// With clocks, and with nothing that UPPAAL's language has not; several properties.
    Uppaal,
}

impl Profile {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timed => "timed",
            Self::Discrete => "discrete",
            Self::Uppaal => "uppaal",
        }
    }
}

/// The knobs of the generator.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What kind of models.
    pub profile: Profile,
    /// Most processes outside of families.
    pub processes: usize,
    /// Most locations of a process.
    pub locations: usize,
    /// Most clocks.
    pub clocks: usize,
    /// Greatest constant clocks are compared with.
    pub constant: i64,
    percent: Vec<u32>,
}

impl Shape {
    /// The usual shape of a profile.
    pub fn new(profile: Profile) -> Self {
        let percent = |f: &Feature| match profile {
            Profile::Timed => f.percent().0,
            Profile::Discrete => f.percent().1,
            Profile::Uppaal if f.in_uppaal() => f.percent().0,
            Profile::Uppaal => 0,
        };
        Self {
            profile,
            processes: 3,
            locations: 7,
            clocks: if profile == Profile::Discrete { 0 } else { 3 },
            constant: 4,
            percent: Feature::ALL.iter().map(percent).collect(),
        }
    }
    /// The same shape, with another share of models that may use a feature.
    #[must_use]
    pub fn with(mut self, feature: Feature, percent: u32) -> Self {
        self.percent[feature as usize] = percent;
        self
    }

    fn draw(&self, random: &mut Random) -> FeatureSet {
        let mut features = FeatureSet::default();
        for &feature in Feature::ALL {
            if random.chance(self.percent[feature as usize]) {
                features.insert(feature);
            }
        }
        // Copies of clocks whose differences are compared: rare by chance, and easy to get wrong.
        let copies = self.percent[Feature::ClockCopy as usize] > 0;
        if copies && features.contains(Feature::Diagonal) && random.chance(45) {
            features.insert(Feature::ClockCopy);
        }
        features
    }
}

/// The model of a shape and a seed.
pub fn generate(shape: &Shape, seed: u64) -> Network {
    let mut random = Random::new(seed);
    let features = shape.draw(&mut random);
    let deep = random.chance(55);
    let network = Network::default();
    let mut draft = Draft {
        random,
        features,
        network,
        shape,
        repairable: true,
        deep,
        constant: 1,
        composable: Vec::new(),
        wide: None,
    };
    draft.declare(seed);
    draft.behave();
    if shape.profile == Profile::Uppaal {
        draft.live();
        draft.siblings();
        (0..draft.random.below(3)).for_each(|_| draft.ask());
    }
    draft.ask();
    draft.network
}

/// A model in the making.
struct Draft<'s> {
    random: Random,
    features: FeatureSet,
    network: Network,
    shape: &'s Shape,
    /// Whether what keeps runs from getting on may still be removed.
    repairable: bool,
    /// Long paths rather than many processes.
    deep: bool,
    /// Greatest clock constant of this model.
    constant: i64,
    /// Functions with effects, which updates may call.
    composable: Vec<beeline_ir::FunctionId>,
    /// The variable of a wide range.
    wide: Option<beeline_ir::VarId>,
}

impl Draft<'_> {
    fn has(&self, feature: Feature) -> bool {
        self.features.contains(feature)
    }
    /// Whether to use the feature here and now.
    fn uses(&mut self, feature: Feature, percent: u32) -> bool {
        self.has(feature) && self.random.chance(percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_a_function_of_its_seed() {
        for profile in [Profile::Timed, Profile::Discrete, Profile::Uppaal] {
            let shape = Shape::new(profile);
            for seed in 0..200 {
                assert_eq!(generate(&shape, seed), generate(&shape, seed));
            }
            assert_ne!(generate(&shape, 1), generate(&shape, 2));
        }
    }

    #[test]
    fn every_feature_of_a_profile_appears() {
        for profile in [Profile::Timed, Profile::Discrete, Profile::Uppaal] {
            let shape = Shape::new(profile);
            let mut seen = FeatureSet::default();
            for seed in 0..5_000 {
                crate::feature::of(&generate(&shape, seed)).iter().for_each(|f| seen.insert(f));
            }
            for &feature in Feature::ALL {
                let wanted = shape.percent[feature as usize] > 0 && feature != Feature::RuntimeError;
                assert!(
                    seen.contains(feature) || !wanted,
                    "{} never appears in {profile:?} models",
                    feature.name()
                );
            }
        }
    }

    #[test]
    fn a_feature_switched_off_does_not_appear() {
        for &feature in Feature::ALL {
            for profile in [Profile::Timed, Profile::Discrete, Profile::Uppaal] {
                let shape = Shape::new(profile).with(feature, 0);
                for seed in 0..100 {
                    let set = crate::feature::of(&generate(&shape, seed));
                    assert!(!set.contains(feature), "{} in {profile:?} seed {seed}", feature.name());
                }
            }
        }
    }

    /// Copies of clocks whose differences are compared are where bounds went wrong once.
    #[test]
    fn copies_and_diagonals_often_meet() {
        let shape = Shape::new(Profile::Timed);
        let both = (0..2_000).filter(|seed| {
            let set = crate::feature::of(&generate(&shape, *seed));
            set.contains(Feature::Diagonal) && set.contains(Feature::ClockCopy)
        });
        assert!(both.count() >= 100);
    }
}
