//! The option fuzzer: every way to call the engine that a user could choose must give the same answers.

use crate::random::Random;
use beeline_engine::{Bitstate, Extrapolation, Options, Reduction, RuntimeErrors, SearchKind, Storage};

/// The searches that every model goes through.
pub const SEARCHES: [SearchKind; 3] = [SearchKind::Bfs, SearchKind::Dfs, SearchKind::RandomDfs];

/// All zone abstractions.
pub const EXTRAPOLATIONS: [Extrapolation; 5] =
    [Extrapolation::Auto, Extrapolation::M, Extrapolation::MPlus, Extrapolation::Lu, Extrapolation::LuPlus];

/// Random options for a search.
pub fn draw(search: SearchKind, random: &mut Random) -> Options {
    let seed = random.below(1 << 20) as u64;
    Options {
        search,
        seed,
        extrapolation: EXTRAPOLATIONS[random.below(EXTRAPOLATIONS.len())],
        active_clocks: random.chance(60),
        dead_variables: random.chance(75),
        narrow_beyond: (!seed.is_multiple_of(3)).then_some(0),
        runtime_errors: if random.chance(70) { RuntimeErrors::Report } else { RuntimeErrors::Disable },
        certificate: random.chance(85),
        threads: 1 + random.below(2),
        any_length: random.chance(25),
        storage: Some(random.weighted(&[
            (45, Storage::Plain),
            (45, Storage::Collapse),
            (5, Storage::HashCompaction),
            (5, Storage::Bitstate),
        ])),
        bitstate: Bitstate { bytes: Some(1 << 14), hashes: 2 },
        symmetry: random.chance(50),
        // By the seed, so that whatever else is drawn stays what it was.
        partial_order: match seed % 5 {
            0 | 1 => Reduction::Stubborn,
            2 => Reduction::Ample,
            _ => Reduction::Off,
        },
        ..Options::default()
    }
}
