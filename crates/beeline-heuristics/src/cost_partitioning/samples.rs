//! States that orders are made and tried for: along ways through the factors taken by chance, the same every time.

use super::abstraction::{Abstraction, Atoms};
use crate::factors::{State, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use oorandom::Rand32;

/// How many there are.
const SAMPLES: usize = 200;
/// Labels tried for all of them.
const MOST_TRIES: usize = 1 << 25;

/// States on ways that begin with the initial state, in terms of the states of projections; the initial state first.
pub(super) fn samples(
    atoms: &Atoms,
    collection: &[Abstraction],
    meter: &Meter<'_>,
) -> Result<Vec<Vec<State>>, StopReason> {
    let mut rand = Rand32::new(2);
    let labels: Vec<usize> = live(&atoms.labels).map(|(label, _)| label).collect();
    let irrelevant: Vec<Vec<bool>> = atoms.factors.iter().map(|factor| factor.irrelevant()).collect();
    let concerns = |label: &usize| {
        let factors = atoms.factors.iter().enumerate();
        factors
            .filter(|(at, factor)| !irrelevant[*at][factor.group_of[*label] as usize])
            .map(|(at, _)| at)
            .collect()
    };
    let concerned: Vec<Vec<usize>> = labels.iter().map(concerns).collect();
    let initial: Vec<State> = collection.iter().map(|abstraction| abstraction.factor.initial).collect();
    let longest =
        collection.iter().filter_map(|a| a.factor.distances(&atoms.labels)[a.factor.initial.index()]).max();
    let length = 2 * longest.unwrap_or(0) + 1;
    let mut samples = vec![initial.clone()];
    let mut tries = 0;
    while samples.len() < SAMPLES && tries < MOST_TRIES {
        let mut now: Vec<State> = atoms.factors.iter().map(|factor| factor.initial).collect();
        for _ in 0..rand.rand_range(0..length) {
            let able = |place: &usize| {
                let within = |at: &usize| atoms.factors[*at].moves(labels[*place], now[*at]).next().is_some();
                concerned[*place].iter().all(within)
            };
            let able: Vec<usize> = (0..labels.len()).filter(able).collect();
            tries += labels.len();
            meter.work(labels.len() as u64)?;
            if able.is_empty() {
                break;
            }
            let place = able[rand.rand_range(0..able.len() as u32) as usize];
            for at in &concerned[place] {
                let targets: Vec<State> = atoms.factors[*at].moves(labels[place], now[*at]).collect();
                now[*at] = targets[rand.rand_range(0..targets.len() as u32) as usize];
            }
        }
        tries += 1;
        let found: Option<Vec<State>> = collection.iter().map(|a| a.find(&now)).collect();
        samples.extend(found);
    }
    Ok(samples)
}
