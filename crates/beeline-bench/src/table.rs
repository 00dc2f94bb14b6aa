//! The table of a suite, in the paper's layout: an instance on each line, and for each configuration what our runs came
//! to beside what is printed. Where chance has a say, medians over the seeds count (of two in the middle the worse), and
//! a run without an answer counts as worse than all others.

use crate::paper::{Printed, printed};
use crate::record::{Key, Record, Status};
use crate::suite::{Answer, Column, Instance, Suite};

/// A table.
#[derive(Debug)]
pub struct Table {
    /// The suite.
    pub suite: &'static Suite,
    /// Its columns.
    pub columns: Vec<Column>,
    /// A line for each instance with records, in the order of the suite.
    pub lines: Vec<Line>,
    /// Runs whose answers contradict the known ones: traces that are too short, or said to be shortest and are not;
    /// errors where there are none, and none where there are.
    pub contradictions: Vec<String>,
}

/// A line of a table.
#[derive(Debug)]
pub struct Line {
    /// The instance.
    pub instance: &'static Instance,
    /// By column.
    pub fields: Vec<Field>,
}

/// A field of a table.
#[derive(Debug)]
pub struct Field {
    /// What our runs came to, if there were any.
    pub ours: Option<Runs>,
    /// What the paper prints.
    pub paper: Option<Printed>,
}

/// What runs of one configuration on one instance came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Runs {
    /// Number of runs.
    pub runs: usize,
    /// Number of those with an answer.
    pub solved: usize,
    /// The run in the middle, by states expanded; `None` if it has no answer.
    pub median: Option<Median>,
    /// Seconds of processor time of the run in the middle by that, with an answer or without; `None` if one ended in an
    /// error, which says nothing of time.
    pub spent: Option<f64>,
    /// Why there is no answer, if that is so.
    pub reason: Option<String>,
}

/// What the run in the middle came to.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Median {
    /// How it ended.
    pub status: Status,
    /// States expanded.
    pub expanded: u64,
    /// Steps of the trace: the median of its own.
    pub length: Option<u64>,
    /// Seconds of processor time: the median of its own.
    pub cpu_seconds: f64,
    /// Seconds before the search: the median of its own, where they were noted.
    pub overhead_seconds: Option<f64>,
}

impl Runs {
    /// What the runs of a configuration, or of a peer, came to.
    pub fn new(suite: &Suite, instance: &Instance, configuration: &str, records: &[Record]) -> Option<Self> {
        let of = |record: &&Record| {
            record.key.suite == suite.name
                && record.key.instance == instance.name
                && record.key.configuration == configuration
        };
        Self::of(&records.iter().filter(of).collect::<Vec<_>>())
    }

    fn of(records: &[&Record]) -> Option<Self> {
        let mut runs = records.to_vec();
        runs.sort_by_key(|record| (!record.status.solved(), record.expanded));
        let middle = in_the_middle(&runs)?;
        let answered: Vec<&Record> = runs.iter().copied().filter(|record| record.status.solved()).collect();
        let mut lengths: Vec<u64> = answered.iter().filter_map(|record| record.length).collect();
        let mut seconds: Vec<f64> = answered.iter().map(|record| record.cpu_seconds).collect();
        let mut overheads: Vec<f64> = answered.iter().filter_map(|record| record.overhead_seconds).collect();
        let mut all: Vec<f64> = runs.iter().map(|record| record.cpu_seconds).collect();
        lengths.sort_unstable();
        seconds.sort_by(f64::total_cmp);
        overheads.sort_by(f64::total_cmp);
        all.sort_by(f64::total_cmp);
        let failed = runs.iter().any(|record| record.status == Status::Failed);
        let spent = in_the_middle(&all).filter(|_| !failed);
        let median = middle.status.solved().then(|| Median {
            status: middle.status,
            expanded: middle.expanded,
            length: in_the_middle(&lengths),
            cpu_seconds: in_the_middle(&seconds).unwrap_or(middle.cpu_seconds),
            overhead_seconds: in_the_middle(&overheads),
        });
        let reason = runs.iter().find(|record| !record.status.solved()).and_then(|r| r.reason.clone());
        Some(Self { runs: runs.len(), solved: answered.len(), median, spent, reason })
    }
}

/// The one in the middle, of two the worse.
fn in_the_middle<N: Copy>(sorted: &[N]) -> Option<N> {
    sorted.get(sorted.len() / 2).copied()
}

impl Table {
    /// The table of a suite; records of other suites are left out.
    pub fn new(suite: &'static Suite, records: &[Record]) -> Self {
        let columns = suite.columns();
        let field = |instance: &Instance, column: &Column| Field {
            ours: column.configuration.and_then(|_| Runs::new(suite, instance, column.name, records)),
            paper: printed(suite.name, instance.name, column.name),
        };
        let line = |instance: &'static Instance| Line {
            instance,
            fields: columns.iter().map(|column| field(instance, column)).collect(),
        };
        let run = |line: &Line| line.fields.iter().any(|field| field.ours.is_some());
        let lines = suite.instances().map(line).filter(run).collect();
        Self { suite, columns, lines, contradictions: contradictions(suite, records) }
    }

    /// How many instances are solved in a column: ours, and those of the same instances in the paper.
    pub fn solved(&self, column: usize) -> (usize, Option<usize>) {
        let fields = || self.lines.iter().map(|line| &line.fields[column]);
        let ours = fields().filter(|field| field.ours.as_ref().is_some_and(|ours| ours.median.is_some()));
        let paper =
            fields().map(|field| field.paper.map(|printed| usize::from(printed != Printed::Unsolved)));
        (ours.count(), paper.sum())
    }
}

/// What contradicts the known answer in the runs of a suite, ours and those of peers.
fn contradictions(suite: &Suite, records: &[Record]) -> Vec<String> {
    let contradiction = |record: &Record| {
        let Key { instance, configuration, .. } = &record.key;
        let known = suite.instances().find(|known| known.name == *instance)?.answer;
        let ours = suite.configurations.iter().find(|ours| ours.name == *configuration);
        let shortest = record.peer.is_none() && ours.is_some_and(|ours| ours.shortest);
        let wrong = match (known, record.status) {
            (Answer::Safe, Status::Found) => "an error where there is none".to_string(),
            (Answer::Error(_), Status::Proved) => "no error where there is one".to_string(),
            (Answer::Error(Some(steps)), Status::Found) => {
                let steps = u64::from(steps);
                let wrong = |length: &u64| *length < steps || shortest && *length != steps;
                format!("{} steps instead of {steps}", record.length.filter(wrong)?)
            }
            _ => return None,
        };
        Some(format!("{instance} with {configuration}: {wrong}"))
    };
    let mut all: Vec<String> =
        records.iter().filter(|record| record.key.suite == suite.name).filter_map(contradiction).collect();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;
    use crate::suite::find;

    #[test]
    fn medians_count_runs_without_an_answer_as_worst() {
        let unsolved = |seed| Record { status: Status::Unsolved, ..record("C1", "h^L", Some(seed), 1) };
        let runs = [record("C1", "h^L", Some(1), 500), record("C1", "h^L", Some(2), 100), unsolved(3)];
        let ours = |runs: &[Record]| Runs::of(&runs.iter().collect::<Vec<_>>());
        let some = ours(&runs).expect("runs");
        assert_eq!((some.runs, some.solved), (3, 2));
        let median = some.median.expect("two of three");
        assert_eq!((median.expanded, median.length), (500, Some(50)));
        let two = ours(&runs[..2]).expect("runs").median.expect("answers");
        assert_eq!((two.expanded, two.length), (500, Some(50)), "of two the worse");
        let few = ours(&[record("C1", "h^L", Some(1), 500), unsolved(2), unsolved(3)]).expect("runs");
        assert_eq!((few.solved, few.median), (1, None));
        assert_eq!(ours(&[]), None);
    }

    #[test]
    fn lines_without_runs_are_left_out() {
        let suite = find("p3").expect("a suite");
        let records = [record("M1", "h^U", Some(1), 470), record("M1", "h^CG", Some(1), 600)];
        let table = Table::new(suite, &records);
        assert_eq!(table.lines.len(), 1);
        let column = |name| table.columns.iter().position(|c| c.name == name).expect("a column");
        assert_eq!(table.solved(column("h^U")), (1, Some(1)));
        assert_eq!(table.solved(column("d^L")), (0, Some(1)));
        assert_eq!(table.solved(column("UT")).0, 0);
        assert!(table.contradictions.is_empty());
        let short = Table::new(suite, &[record("M1", "h^U", Some(1), 460)]);
        assert_eq!(short.contradictions, ["M1 with h^U: 46 steps instead of 47"]);
        let none = Record { status: Status::Proved, length: None, ..record("M1", "h^U", Some(1), 460) };
        assert_eq!(Table::new(suite, &[none]).contradictions, ["M1 with h^U: no error where there is one"]);
    }
}
