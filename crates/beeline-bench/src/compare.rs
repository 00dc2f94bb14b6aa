//! Two files of records side by side: what got slower, expands more, or is no longer solved.

use crate::record::{Key, Record};
use beeline_report::text::grouped;
use std::collections::BTreeMap;

/// How a run differs from the one before.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// It has an answer now, and had none.
    Solved,
    /// It has no answer now.
    Lost,
    /// The answer is another one.
    Contradiction,
    /// It expands another number of states.
    Expanded {
        /// Then.
        before: u64,
        /// Now.
        after: u64,
    },
    /// It takes another time, by more than the tolerance.
    Time {
        /// Then, in seconds.
        before: f64,
        /// Now.
        after: f64,
    },
}

impl Change {
    /// Whether it is for the worse.
    pub fn worse(&self) -> bool {
        match self {
            Self::Solved => false,
            Self::Lost | Self::Contradiction => true,
            Self::Expanded { before, after } => after > before,
            Self::Time { before, after } => after > before,
        }
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Solved => f.write_str("solved now"),
            Self::Lost => f.write_str("no longer solved"),
            Self::Contradiction => f.write_str("another answer"),
            Self::Expanded { before, after } => {
                write!(f, "expands {} states, {} before", grouped(*after), grouped(*before))
            }
            Self::Time { before, after } => write!(f, "takes {after:.2} s, {before:.2} s before"),
        }
    }
}

/// Times that differ by less than this factor, or are shorter than this, are the same.
const FACTOR: f64 = 1.5;
const SHORT: f64 = 0.1;

/// What has changed in runs that are in both, in their order.
pub fn changes(before: &[Record], after: &[Record]) -> Vec<(Key, Change)> {
    let known: BTreeMap<&Key, &Record> = before.iter().map(|record| (&record.key, record)).collect();
    let mut all = Vec::new();
    for new in after {
        let Some(old) = known.get(&new.key) else { continue };
        let mut change = |change| all.push((new.key.clone(), change));
        match (old.status.solved(), new.status.solved()) {
            (false, true) => change(Change::Solved),
            (true, false) => change(Change::Lost),
            (false, false) => {}
            (true, true) if old.status != new.status => change(Change::Contradiction),
            (true, true) => {
                if old.expanded != new.expanded {
                    change(Change::Expanded { before: old.expanded, after: new.expanded });
                }
                let (before, after) = (old.cpu_seconds.max(SHORT), new.cpu_seconds.max(SHORT));
                if after > before * FACTOR || before > after * FACTOR {
                    change(Change::Time { before: old.cpu_seconds, after: new.cpu_seconds });
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;
    use crate::record::tests::record;

    #[test]
    fn changes_are_told_from_noise() {
        let old = |instance| record(instance, "h^L", Some(1), 1000);
        let lost = |instance| Record { status: Status::Unsolved, ..old(instance) };
        let before = [old("C1"), old("C2"), lost("C3"), old("C4"), old("C5"), old("C6"), old("C7")];
        let after = [
            Record { cpu_seconds: 1.4, ..old("C1") },
            lost("C2"),
            old("C3"),
            record("C4", "h^L", Some(1), 2000),
            Record { cpu_seconds: 0.2, ..old("C5") },
            Record { status: Status::Proved, ..old("C6") },
            record("C7", "h^L", Some(2), 5),
        ];
        let all = changes(&before, &after);
        let told: Vec<(&str, &Change)> =
            all.iter().map(|(key, change)| (key.instance.as_str(), change)).collect();
        assert_eq!(
            told,
            [
                ("C2", &Change::Lost),
                ("C3", &Change::Solved),
                ("C4", &Change::Expanded { before: 1000, after: 2000 }),
                ("C4", &Change::Time { before: 1.0, after: 2.0 }),
                ("C5", &Change::Time { before: 1.0, after: 0.2 }),
                ("C6", &Change::Contradiction),
            ]
        );
        let worse: Vec<bool> = told.iter().map(|(_, change)| change.worse()).collect();
        assert_eq!(worse, [true, false, true, true, false, true]);
    }
}
