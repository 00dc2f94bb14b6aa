//! What labels do to zones, remembered.
//!
//! Many states have few zones: a zone is about the active clocks alone, and extrapolated. Where it leads depends on the
//! zone, on what its locations say about clocks, and on what the label does to clocks; not on the variables, nor on
//! processes that have nothing to do with clocks. So a search meets the same step from zone to zone again and again, and
//! looks it up after the first time. Nothing else changes: what is remembered is what would be worked out.
//!
//! *Invariant*: numbers of zones, and steps between them, are good until [`Recall::number`] is asked again.

use super::table::LabelTiming;
use crate::state::zone_store::ZoneId;
use crate::time::TimePart;
use hashbrown::HashTable;

/// Bounds of all zones, and steps, beyond which everything is forgotten.
const MOST_BOUNDS: usize = 1 << 20;
const MOST_STEPS: usize = 1 << 16;
/// Zones of the passed list of which the number is at hand.
const AT_HAND: usize = 1 << 10;
/// Steps after which it is given up unless an eighth were known.
const TRIAL: u32 = 1 << 10;

/// A zone that is remembered.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ZoneNumber(u32);

impl ZoneNumber {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A zone, and what a label does to clocks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Where it starts.
    pub from: ZoneNumber,
    /// What the label does.
    pub timing: LabelTiming,
}

/// What comes of it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The guard holds nowhere.
    Disabled,
    /// The invariant beyond holds nowhere.
    Blocked,
    /// The zone that it leads to.
    Leads(ZoneNumber),
}

/// What is remembered.
#[derive(Debug)]
pub struct Recall<Z> {
    /// Zones by number, then some whose memory is used again.
    zones: Vec<Z>,
    numbers: HashTable<u32>,
    /// The ids of the zones in the passed list, by number, if they are known to be there.
    stored: Vec<Option<ZoneId>>,
    /// Numbers of zones of the passed list, some of them, by id and frame.
    at_hand: Vec<Option<(ZoneId, ZoneNumber)>>,
    steps: HashTable<(Step, Outcome)>,
    /// Bounds of all zones.
    bounds: usize,
    /// Steps asked for since the last look at whether it pays, and found.
    asked: u32,
    found: u32,
    /// It does not.
    off: bool,
}

impl<Z> Default for Recall<Z> {
    fn default() -> Self {
        let (zones, numbers, steps) = (Vec::new(), HashTable::new(), HashTable::new());
        let (stored, at_hand) = (Vec::new(), Vec::new());
        Self { zones, numbers, stored, at_hand, steps, bounds: 0, asked: 0, found: 0, off: false }
    }
}

fn code(Step { from, timing }: &Step) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    (u64::from(from.0) << 32 | timing.number()).wrapping_mul(FACTOR).rotate_left(26)
}

impl<Z: Clone> Recall<Z> {
    /// The number of a zone, which has an id if it is of the passed list; `None` if there is no point in remembering.
    /// Numbers given before are no longer good.
    pub fn number(
        &mut self,
        time: &impl TimePart<Zone = Z>,
        zone: &Z,
        stored: Option<ZoneId>,
    ) -> Option<ZoneNumber> {
        if self.off {
            return None;
        }
        if self.asked >= TRIAL {
            if self.found < self.asked / 8 {
                *self = Self { off: true, ..Self::default() };
                return None;
            }
            (self.asked, self.found) = (0, 0);
        }
        if self.bounds > MOST_BOUNDS || self.steps.len() > MOST_STEPS {
            self.numbers.clear();
            self.steps.clear();
            self.at_hand.clear();
            self.bounds = 0;
        }
        let Some(id) = stored else { return Some(self.add(time, zone)) };
        // The same bounds may be those of other clocks.
        self.at_hand.resize(AT_HAND, None);
        let place = (id.index() ^ (time.frame_code(zone) >> 32) as usize) % AT_HAND;
        match self.at_hand[place] {
            Some((known, number)) if known == id && time.same_frame(&self.zones[number.index()], zone) => {
                debug_assert!(time.same(&self.zones[number.index()], zone));
                Some(number)
            }
            _ => {
                let number = self.add(time, zone);
                self.stored[number.index()] = Some(id);
                self.at_hand[place] = Some((id, number));
                Some(number)
            }
        }
    }

    /// The id of a zone in the passed list, if it is known to be there.
    #[inline]
    pub fn stored(&self, number: ZoneNumber) -> Option<ZoneId> {
        self.stored[number.index()]
    }

    fn add(&mut self, time: &impl TimePart<Zone = Z>, zone: &Z) -> ZoneNumber {
        let Self { zones, numbers, stored, .. } = self;
        let code = time.code(zone);
        if let Some(number) = numbers.find(code, |number| time.same(&zones[*number as usize], zone)) {
            return ZoneNumber(*number);
        }
        let number = numbers.len();
        match zones.get_mut(number) {
            Some(place) => place.clone_from(zone),
            None => zones.push(zone.clone()),
        }
        stored.truncate(number);
        stored.push(None);
        self.bounds += time.entries(zone).len().max(1);
        let number = u32::try_from(number).expect("far fewer zones are remembered");
        numbers.insert_unique(code, number, |number| time.code(&zones[*number as usize]));
        ZoneNumber(number)
    }

    /// What is known of a step.
    #[inline]
    pub fn outcome(&mut self, step: &Step) -> Option<Outcome> {
        let known = self.steps.find(code(step), |(known, _)| known == step);
        self.asked += 1;
        self.found += u32::from(known.is_some());
        known.map(|(_, outcome)| *outcome)
    }

    /// Remembers that a step leads nowhere, or to a zone.
    pub fn remember(&mut self, time: &impl TimePart<Zone = Z>, step: Step, outcome: Result<&Z, Outcome>) {
        // One state may have very many successors.
        if self.bounds > 2 * MOST_BOUNDS || self.steps.len() > 2 * MOST_STEPS {
            return;
        }
        let outcome = outcome.map_or_else(|nowhere| nowhere, |zone| Outcome::Leads(self.add(time, zone)));
        self.steps.insert_unique(code(&step), (step, outcome), |(step, _)| code(step));
    }

    /// The zone of a number. It may be borrowed by exchanging it for another, as long as it comes back.
    #[inline]
    pub fn zone_mut(&mut self, number: ZoneNumber) -> &mut Z {
        &mut self.zones[number.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::zone_store::ZoneStore;
    use crate::successors::table::Timing;
    use crate::time::Untimed;
    use Outcome::{Blocked, Disabled, Leads};

    fn step(from: ZoneNumber, number: u32) -> Step {
        let [first, second] = [number / 1000, number % 1000].map(|n| Timing::of(n as usize).expect("few"));
        Step { from, timing: first.with(Some(second)) }
    }

    #[test]
    fn steps_are_remembered() {
        let mut recall = Recall::default();
        let zone = recall.number(&Untimed, &(), None).expect("on");
        recall.remember(&Untimed, step(zone, 1), Err(Disabled));
        recall.remember(&Untimed, step(zone, 2), Err(Blocked));
        recall.remember(&Untimed, step(zone, 3), Ok(&()));
        let known: Vec<_> = (1..5).map(|number| recall.outcome(&step(zone, number))).collect();
        assert_eq!(known, [Some(Disabled), Some(Blocked), Some(Leads(zone)), None]);
        let alone = Step { from: zone, timing: Timing::of(0).expect("few").with(None) };
        assert_eq!(recall.outcome(&alone), None, "the other edge counts");
    }

    #[test]
    fn zones_of_the_passed_list_keep_their_ids() {
        let (mut recall, mut store) = (Recall::default(), ZoneStore::default());
        let id = store.intern(0, &[]);
        let zone = recall.number(&Untimed, &(), None).expect("on");
        assert_eq!(recall.stored(zone), None);
        for _ in 0..2 {
            assert_eq!(recall.number(&Untimed, &(), Some(id)), Some(zone));
            assert_eq!(recall.stored(zone), Some(id));
        }
        // Numbers that are forgotten take their ids with them.
        for number in 0..=MOST_STEPS as u32 {
            recall.remember(&Untimed, step(zone, number), Err(Disabled));
            recall.outcome(&step(zone, number));
        }
        let zone = recall.number(&Untimed, &(), None).expect("on");
        assert_eq!(recall.stored(zone), None);
    }

    #[test]
    fn it_is_given_up_where_nothing_recurs() {
        let mut recall = Recall::default();
        for number in 0..2 * TRIAL {
            let Some(zone) = recall.number(&Untimed, &(), None) else {
                assert_eq!(number, TRIAL);
                return;
            };
            assert_eq!(recall.outcome(&step(zone, number)), None);
            recall.remember(&Untimed, step(zone, number), Err(Disabled));
        }
        panic!("never given up");
    }

    #[test]
    fn what_is_too_much_is_forgotten() {
        let mut recall = Recall::default();
        for number in 0..=MOST_STEPS as u32 {
            let zone = recall.number(&Untimed, &(), None).expect("most are known");
            recall.remember(&Untimed, step(zone, number), Err(Disabled));
            assert_eq!(recall.outcome(&step(zone, number)), Some(Disabled));
        }
        let zone = recall.number(&Untimed, &(), None).expect("on");
        assert_eq!(recall.outcome(&step(zone, 0)), None);
    }
}
