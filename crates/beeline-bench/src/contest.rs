//! Our runs beside those of another program on the same models: states, processor time, and how often one goes into the
//! other.

use crate::record::Record;
use crate::suite::{Instance, Rival, Suite, Work};
use crate::table::Runs;

/// Times of both below this, in seconds, are those of starting a process for the most part, and have no ratio.
const SHORT: f64 = 0.05;
/// Shorter times count as this.
const LEAST: f64 = 0.01;

/// A comparison with another program.
#[derive(Debug)]
pub struct Contest {
    /// What the other program was told, and which configuration of ours is beside it.
    pub rival: &'static Rival,
    /// The program and its version.
    pub program: String,
    /// What is counted.
    pub work: Work,
    /// By instance that it was run on.
    pub lines: Vec<Line>,
}

/// A line of the comparison.
#[derive(Debug)]
pub struct Line {
    /// The instance.
    pub instance: &'static Instance,
    /// Our runs.
    pub ours: Option<Runs>,
    /// Those of the other program.
    pub theirs: Runs,
}

/// Its processor time by ours.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Ratio {
    /// Both have an answer.
    Exactly(f64),
    /// It has none within this time.
    MoreThan(f64),
    /// We have none.
    LessThan(f64),
}

impl Contest {
    /// The comparisons of a suite, with programs that were run.
    pub fn all(suite: &'static Suite, records: &[Record]) -> Vec<Self> {
        suite.rivals.iter().filter_map(|rival| Self::new(suite, rival, records)).collect()
    }

    fn new(suite: &'static Suite, rival: &'static Rival, records: &[Record]) -> Option<Self> {
        let of = |record: &&Record| record.key.suite == suite.name && record.key.configuration == rival.peer;
        let program = records.iter().find(of)?.peer.clone()?;
        let line = |instance| {
            let runs = |name| Runs::new(suite, instance, name, records);
            Some(Line { instance, ours: runs(rival.against), theirs: runs(rival.peer)? })
        };
        Some(Self { rival, program, work: suite.work, lines: suite.instances().filter_map(line).collect() })
    }
}

impl Contest {
    /// What it is about, and how to read it.
    pub fn about(&self) -> String {
        let Rival { options, against, .. } = self.rival;
        let fair = match *against {
            "BFS" => "Both explore breadth first.",
            "RDF" => "Both explore depth first by chance.",
            "InvarCheck" => {
                "Both search forward, set by set; its nodes are those it allocated, which may be fewer than it made."
            }
            _ => {
                "It has no heuristic, so this says how long the answer takes, not how fast states are explored."
            }
        };
        format!(
            "The same models, by `{} {}`, beside our {against}: {}, and seconds of processor time of the whole \
             process. {fair} The ratio is its time by ours, so above 1 we are faster; times below {LEAST} s count as \
             that, and where both are below {SHORT} s there is none.",
            self.program,
            options.join(" "),
            self.work.name(),
        )
    }
}

impl Line {
    /// Its processor time by ours, unless neither has an answer, both are too quick, or one ended in an error.
    pub fn ratio(&self) -> Option<Ratio> {
        let (ours, theirs) = (self.ours.as_ref()?, &self.theirs);
        let seconds = |runs: &Runs| {
            let seconds = runs.median.map(|median| median.cpu_seconds).or(runs.spent)?;
            Some(seconds.max(LEAST))
        };
        let (our, their) = (seconds(ours)?, seconds(theirs)?);
        let ratio = their / our;
        match (ours.median, theirs.median) {
            (Some(_), Some(_)) if our.max(their) >= SHORT => Some(Ratio::Exactly(ratio)),
            (Some(_), None) => Some(Ratio::MoreThan(ratio)),
            (None, Some(_)) => Some(Ratio::LessThan(ratio)),
            _ => None,
        }
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sign, ratio) = match self {
            Self::Exactly(ratio) => ("", ratio),
            Self::MoreThan(ratio) => ("> ", ratio),
            Self::LessThan(ratio) => ("< ", ratio),
        };
        let digits = if *ratio < 10.0 { 1 } else { 0 };
        write!(f, "{sign}{ratio:.digits$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;
    use crate::record::tests::record;
    use crate::suite::find;

    #[test]
    fn ratios_say_what_is_known() {
        let suite = find("p3").expect("a suite");
        let ours = |instance, expanded| record(instance, "h^CG safe", Some(1), expanded);
        let theirs = |instance, expanded| Record {
            peer: Some("tck-reach".into()),
            ..record(instance, "TChecker", None, expanded)
        };
        let lost = |record| Record { status: Status::Unsolved, ..record };
        let records = [
            ours("C1", 100),
            theirs("C1", 250),
            ours("C2", 100),
            lost(theirs("C2", 3000)),
            lost(ours("C3", 1000)),
            theirs("C3", 500),
            ours("C4", 10),
            theirs("C4", 20),
            theirs("C5", 20),
            ours("C6", 20),
            ours("C7", 100),
            Record { status: Status::Failed, ..theirs("C7", 1000) },
        ];
        let all = Contest::all(suite, &records);
        assert_eq!(all.len(), 1, "nothing was run with UPPAAL");
        let lines: Vec<(&str, String)> = all[0]
            .lines
            .iter()
            .map(|line| (line.instance.name, line.ratio().map_or(String::new(), |ratio| ratio.to_string())))
            .collect();
        let known = [("C1", "2.5"), ("C2", "> 30"), ("C3", "< 0.5"), ("C4", ""), ("C5", ""), ("C7", "")];
        assert_eq!(lines, known.map(|(name, ratio)| (name, ratio.to_string())));
    }

    #[test]
    fn what_we_compare_with_is_in_the_suite() {
        for suite in crate::suite::SUITES {
            for rival in suite.rivals {
                assert!(suite.configurations.iter().any(|ours| ours.name == rival.against), "{rival:?}");
                assert!(crate::peer::find(rival.peer).is_some_and(|peer| peer.form.is_some()), "{rival:?}");
                // A record is found by its name.
                assert!(suite.configurations.iter().all(|ours| ours.name != rival.peer), "{rival:?}");
            }
        }
    }
}
