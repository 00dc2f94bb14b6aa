//! The table of a suite, in the paper's layout: an instance on each line, and for each configuration what our runs came
//! to beside what is printed. Where chance has a say, medians over the seeds count, and a run without an answer counts
//! as worse than all others.

use crate::paper::{Printed, printed};
use crate::record::{Record, Status};
use crate::suite::{Answer, Configuration, Instance, Suite};

/// A table.
#[derive(Debug)]
pub struct Table {
    /// The suite.
    pub suite: &'static Suite,
    /// A line for each instance with records, in the order of the suite.
    pub lines: Vec<Line>,
}

/// A line of a table.
#[derive(Debug)]
pub struct Line {
    /// The instance.
    pub instance: &'static Instance,
    /// By configuration.
    pub fields: Vec<Field>,
}

/// A field of a table.
#[derive(Debug)]
pub struct Field {
    /// What our runs came to, if there were any.
    pub ours: Option<Ours>,
    /// What the paper prints.
    pub paper: Option<Printed>,
}

/// What runs of one configuration on one instance came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Ours {
    /// Number of runs.
    pub runs: usize,
    /// Number of those with an answer.
    pub solved: usize,
    /// The run in the middle, by states expanded; `None` if it has no answer.
    pub median: Option<Median>,
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
}

impl Ours {
    fn of(records: &[&Record]) -> Option<Self> {
        let mut runs = records.to_vec();
        runs.sort_by_key(|record| (!record.status.solved(), record.expanded));
        let middle = runs.get(runs.len().checked_sub(1)? / 2)?;
        let answered: Vec<&Record> = runs.iter().copied().filter(|record| record.status.solved()).collect();
        let mut lengths: Vec<u64> = answered.iter().filter_map(|record| record.length).collect();
        let mut seconds: Vec<f64> = answered.iter().map(|record| record.cpu_seconds).collect();
        lengths.sort_unstable();
        seconds.sort_by(f64::total_cmp);
        let median = middle.status.solved().then(|| Median {
            status: middle.status,
            expanded: middle.expanded,
            length: in_the_middle(&lengths),
            cpu_seconds: in_the_middle(&seconds).unwrap_or(middle.cpu_seconds),
        });
        let reason = runs.iter().find(|record| !record.status.solved()).and_then(|r| r.reason.clone());
        Some(Self { runs: runs.len(), solved: answered.len(), median, reason })
    }
}

fn in_the_middle<N: Copy>(sorted: &[N]) -> Option<N> {
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

impl Table {
    /// The table of a suite; records of other suites are left out.
    pub fn new(suite: &'static Suite, records: &[Record]) -> Self {
        let field = |instance: &Instance, configuration: &Configuration| {
            let of = |record: &&Record| {
                record.key.suite == suite.name
                    && record.key.instance == instance.name
                    && record.key.configuration == configuration.name
            };
            let runs: Vec<&Record> = records.iter().filter(of).collect();
            let paper = printed(suite.name, instance.name, configuration.name);
            Field { ours: Ours::of(&runs), paper }
        };
        let line = |instance: &'static Instance| Line {
            instance,
            fields: suite.configurations.iter().map(|configuration| field(instance, configuration)).collect(),
        };
        let run = |line: &Line| line.fields.iter().any(|field| field.ours.is_some());
        Self { suite, lines: suite.instances().map(line).filter(run).collect() }
    }

    /// How many instances a configuration solves: ours, and those of the same instances in the paper.
    pub fn solved(&self, configuration: usize) -> (usize, Option<usize>) {
        let fields = || self.lines.iter().map(|line| &line.fields[configuration]);
        let ours = fields().filter(|field| field.ours.as_ref().is_some_and(|ours| ours.median.is_some()));
        let paper =
            fields().map(|field| field.paper.map(|printed| usize::from(printed != Printed::Unsolved)));
        (ours.count(), paper.sum())
    }

    /// Answers that contradict the known ones: traces that are too short, or said to be shortest and are not; errors
    /// where there are none, and none where there are.
    pub fn contradictions(&self) -> Vec<String> {
        let mut all = Vec::new();
        for line in &self.lines {
            for (configuration, field) in self.suite.configurations.iter().zip(&line.fields) {
                let Some(median) = field.ours.as_ref().and_then(|ours| ours.median) else { continue };
                let (instance, name) = (line.instance, configuration.name);
                let wrong = match (instance.answer, median.status) {
                    (Answer::Safe, Status::Found) => Some("an error where there is none".to_string()),
                    (Answer::Error(_), Status::Proved) => Some("no error where there is one".to_string()),
                    (Answer::Error(Some(shortest)), Status::Found) => median
                        .length
                        .filter(|length| {
                            *length < u64::from(shortest)
                                || !configuration.random && *length != u64::from(shortest)
                        })
                        .map(|length| format!("{length} steps instead of {shortest}")),
                    _ => None,
                };
                all.extend(wrong.map(|wrong| format!("{} with {name}: {wrong}", instance.name)));
            }
        }
        all
    }
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
        let ours = |runs: &[Record]| Ours::of(&runs.iter().collect::<Vec<_>>());
        let some = ours(&runs).expect("runs");
        assert_eq!((some.runs, some.solved), (3, 2));
        let median = some.median.expect("two of three");
        assert_eq!((median.expanded, median.length), (500, Some(10)));
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
        let column = |name| suite.configurations.iter().position(|c| c.name == name).expect("a column");
        assert_eq!(table.solved(column("h^U")), (1, Some(1)));
        assert_eq!(table.solved(column("d^L")), (0, Some(1)));
        assert_eq!(table.solved(column("UT")).0, 0);
        assert!(table.contradictions().is_empty());
        let short = Table::new(suite, &[record("M1", "h^U", Some(1), 460)]);
        assert_eq!(short.contradictions(), ["M1 with h^U: 46 steps instead of 47"]);
        let none = Record { status: Status::Proved, length: None, ..record("M1", "h^U", Some(1), 460) };
        assert_eq!(Table::new(suite, &[none]).contradictions(), ["M1 with h^U: no error where there is one"]);
    }
}
