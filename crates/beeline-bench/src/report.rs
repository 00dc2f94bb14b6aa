//! The report of records: what was run on which machine, which other programs were there, a table for each suite, and what
//! to know about it.

use crate::contest::Contest;
use crate::peer::{Peer, Presence};
use crate::record::{Key, Record, Status};
use crate::suite::{SUITES, Suite};
use crate::table::Table;
use crate::{html, markdown};
use std::collections::BTreeSet;

/// A report.
#[derive(Debug)]
pub struct Report<'a> {
    /// Its title.
    pub title: &'a str,
    records: &'a [Record],
    peers: &'a [(&'static Peer, Presence)],
    /// The suites that were run.
    pub sections: Vec<Section>,
    /// The rows of `throughput`, if that was run.
    pub throughput: Option<&'a str>,
}

/// What is reported of a suite.
#[derive(Debug)]
pub struct Section {
    /// Its table.
    pub table: Table,
    /// Other programs beside us.
    pub contests: Vec<Contest>,
    /// The databases of the runs that had some: instance, configuration, entries, layers, estimate at the start.
    pub databases: Vec<[String; 5]>,
    /// How many runs were out of time although others had much of the processor meanwhile.
    pub disturbed: usize,
}

/// How it is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// Markdown.
    Markdown,
    /// One HTML file, with plots.
    Html,
}

impl Format {
    /// By the ending of a file's name.
    pub fn of(file: &str) -> Option<Self> {
        match file.rsplit_once('.')?.1 {
            "md" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }
}

/// The name of the suite that measures how fast state spaces are explored.
pub const THROUGHPUT: &str = "throughput";

/// What is said of its rows.
pub(crate) const ABOUT_THROUGHPUT: &str = "Whole state spaces, explored breadth first: states expanded \
     and stored, successors generated, time, memory. The ratio of speed is that of states per second of \
     processor time, the ratio of memory that of bytes resident, both ours by theirs.";

/// How to read the tables.
const HOW_TO_READ: &str = "A field is the number of states expanded (of nodes made, where sets of states are searched) \
     and, after a slash, the length of the trace; `safe` is the answer that there is none. A dash is an instance that was \
     not solved, an empty field one that was not run. `shortest` is the least length, where it is known. \
     Seconds are of processor time; of two, the first are those before the search.";

/// What chance has to do with them, where so many seeds were tried.
fn chance(seeds: usize) -> String {
    let exact = "A* and breadth-first search do not depend on chance: their counts are exact.";
    let others = match seeds {
        0 => return exact.into(),
        1 => "one was tried, so that another run may give quite different figures".to_string(),
        _ => {
            let some = seeds - 1;
            format!(
                "states and lengths are medians over {seeds} of them, each by itself, and a run without an answer \
             counts as worse than all others; `({some} of {seeds})` is how many runs had an answer, where not all \
             had. Seeds are no longer tried when most have failed"
            )
        }
    };
    format!("{exact} The other searches break ties by a seed: {others}.")
}

/// What the papers' figures are worth.
const PAPERS: &str = "The papers' figures are as printed: of the original models, by the tools and on \
     the machines of their time. Ours are of models of the same families, written anew. What can be \
     compared is which instances are solved, lengths, and orders of magnitude of states. Times are theirs, too, where \
     they are shown.";

/// The names of the columns of a table of databases.
pub(crate) const OF_DATABASES: [&str; 5] = ["", "", "entries", "layers", "start at"];

/// What is said of the databases of a suite's runs: where states are expanded, and the table of the paper has it.
fn databases(suite: &Suite, records: &[Record]) -> Vec<[String; 5]> {
    let number = |value: Option<u64>| value.map_or(String::new(), beeline_report::text::grouped);
    let line = |record: &Record| {
        let Key { instance, configuration, .. } = record.key.clone();
        [instance, configuration, number(record.entries), number(record.layers), number(record.start)]
    };
    let of = |instance: &str, configuration: &str| {
        records.iter().find(|record| {
            let key = &record.key;
            (&*key.suite, &*key.instance, &*key.configuration) == (suite.name, instance, configuration)
        })
    };
    let names = suite.instances().flat_map(|instance| {
        suite.configurations.iter().map(move |configuration| (instance.name, configuration.name))
    });
    let all = names.filter_map(|(instance, configuration)| of(instance, configuration));
    all.filter(|record| suite.name == "p2" && record.entries.is_some()).map(line).collect()
}

impl<'a> Report<'a> {
    /// The report of records; of each peer that was looked for, whether it is there.
    pub fn new(title: &'a str, records: &'a [Record], peers: &'a [(&'static Peer, Presence)]) -> Self {
        let section = |suite: &'static Suite| Section {
            table: Table::new(suite, records),
            contests: Contest::all(suite, records),
            databases: databases(suite, records),
            disturbed: records.iter().filter(|r| r.key.suite == suite.name && disturbed(r)).count(),
        };
        let sections = SUITES.iter().map(section).filter(|section| !section.table.lines.is_empty()).collect();
        Self { title, records, peers, sections, throughput: None }
    }

    /// The report as text.
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Markdown => markdown::report(self),
            Format::Html => html::report(self),
        }
    }

    /// What was run, by what, where, and how to read the figures: in paragraphs.
    pub(crate) fn preamble(&self) -> Vec<String> {
        let all = |of: &dyn Fn(&Record) -> String| {
            let mut different: Vec<String> = self.records.iter().map(of).collect();
            different.sort_unstable();
            different.dedup();
            different.join(" or ")
        };
        let peers = self.records.iter().filter(|record| record.peer.is_some()).count();
        let beside = if peers > 0 { format!(", and {peers} of other programs") } else { String::new() };
        let mut paragraphs = vec![format!(
            "{} runs of Beeline {}{beside}, on {}. Each is a process of its own with at most {} and {}, and no two ran at \
             the same time.",
            self.records.len() - peers,
            all(&|record| record.version.clone()),
            all(&|record| record.machine.clone()),
            all(&|record| format!("{} s", record.time_limit)),
            all(&|record| record.memory_limit.map_or("no limit of memory".into(), gigabytes)),
        )];
        let seeds: BTreeSet<u64> = self.records.iter().filter_map(|record| record.key.seed).collect();
        paragraphs.extend([HOW_TO_READ.into(), chance(seeds.len()), PAPERS.into()]);
        if !self.peers.is_empty() {
            let told: Vec<String> = self.peers.iter().map(|(peer, presence)| told(peer, presence)).collect();
            paragraphs.push(format!("Other programs: {}.", told.join("; ")));
        }
        paragraphs
    }
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

/// Whether a peer is there, and where it is used.
fn told(peer: &Peer, presence: &Presence) -> String {
    let mut suites: Vec<&str> = SUITES
        .iter()
        .filter(|suite| suite.rivals.iter().any(|rival| rival.peer == peer.name))
        .map(|suite| suite.name)
        .collect();
    if peer.explores() {
        suites.push(THROUGHPUT);
    }
    let found = match presence {
        Presence::Found(Some(version)) => format!("found, {version}"),
        Presence::Found(None) => "found, does not tell its version".into(),
        Presence::Absent => "absent".into(),
    };
    let used = match suites.split_last() {
        None => "no suite has models in its language yet".into(),
        Some((last, [])) => format!("for {last}"),
        Some((last, others)) => format!("for {} and {last}", others.join(", ")),
    };
    format!("{} (`{}`): {found} ({used})", peer.name, peer.program)
}

/// A run that was out of time by the clock, and had less than this part of it on a processor, was disturbed.
const UNDISTURBED: f64 = 0.8;

fn disturbed(record: &Record) -> bool {
    let late = record.status == Status::Unsolved
        && record.reason.as_ref().is_some_and(|reason| reason.contains("time limit"));
    late && record.cpu_seconds < UNDISTURBED * record.time_limit as f64
}

/// What to know about a table: how to get it, and what is wrong with it.
pub(crate) fn remarks(section: &Section) -> Vec<String> {
    let Section { table, contests, disturbed, databases: _ } = section;
    let searches: Vec<String> = table
        .suite
        .configurations
        .iter()
        .map(|ours| format!("{} is `{}`", ours.name, ours.check.join(" ")))
        .collect();
    let mut remarks = vec![format!("The searches, as options of `beeline check`: {}.", searches.join(", "))];
    remarks.extend(table.contradictions.iter().map(|wrong| format!("Contradiction: {wrong}.")));
    if *disturbed > 0 {
        remarks.push(format!(
            "The machine was busy: {disturbed} runs were out of time after less than {:.0} % of it on a processor. \
             With the machine to themselves, some of them may have an answer.",
            100.0 * UNDISTURBED
        ));
    }
    let all = table.suite.instances().count();
    let missing = all - table.lines.len();
    if missing > 0 {
        remarks.push(format!("{missing} of {all} instances were not run."));
    }
    let ours = table.lines.iter().flat_map(|line| line.fields.iter().filter_map(|field| field.ours.as_ref()));
    let theirs = contests.iter().flat_map(|contest| contest.lines.iter().map(|line| &line.theirs));
    let mut reasons: Vec<&str> = ours.chain(theirs).filter_map(|runs| runs.reason.as_deref()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if !reasons.is_empty() {
        remarks.push(format!("Runs without an answer: {}.", reasons.join("; ")));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::PEERS;
    use crate::record::tests::record;

    #[test]
    fn both_formats_have_every_figure() {
        let lost = Record {
            status: Status::Unsolved,
            reason: Some("time limit reached".into()),
            length: None,
            ..record("C2", "h^U", Some(1), 9)
        };
        let peer = Record {
            peer: Some("tck-reach 9.9".into()),
            length: None,
            ..record("C1", "TChecker", None, 11_356)
        };
        let records =
            [record("C1", "h^U", Some(1), 1234), record("C1", "h^CG safe", Some(1), 5678), lost, peer];
        let mut report = Report::new("A title", &records, &[]);
        report.throughput = Some("model  expanded\nfischer 8  <1>\n");
        let (markdown, html) = (report.write(Format::Markdown), report.write(Format::Html));
        for text in [&markdown, &html] {
            for part in [
                "A title",
                "3 runs of Beeline 1.2.3, and 1 of other programs, on a machine",
                "60 s and 4.0 GB",
                "1,234/123",
                "5,678/567",
                "715/73",
                "time limit reached",
                "26 of 28 instances were not run",
                "TChecker",
                "tck-reach 9.9",
                "11,356",
                "2.0",
                "fischer 8",
                "1 runs were out of time after less than 80 %",
                "--preset mcta-cg-safe",
                "one was tried",
            ] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
        assert!(html.contains("<svg") && html.contains("&lt;1&gt;") && html.contains("</html>"));
        // Each line of a table has as many fields.
        let tables = markdown.split("\n\n").filter(|part| part.starts_with('|'));
        let fields: Vec<Vec<usize>> =
            tables.map(|table| table.lines().map(|line| line.matches('|').count()).collect()).collect();
        assert_eq!(fields.iter().map(Vec::len).collect::<Vec<_>>(), [5, 3], "{markdown}");
        assert!(fields.iter().flat_map(|f| f.iter().map(|n| (*n, f[0]))).all(|(n, first)| n == first));
    }

    #[test]
    fn the_number_of_seeds_is_told() {
        assert!(chance(11).contains("medians over 11 of them") && !chance(0).contains("seed"));
    }

    #[test]
    fn only_runs_out_of_time_may_have_been_disturbed() {
        let late = |cpu_seconds, reason: &str| Record {
            status: Status::Unsolved,
            reason: Some(reason.into()),
            cpu_seconds,
            ..record("C1", "h^U", Some(1), 9)
        };
        let told = [late(40.0, "time limit reached"), late(59.0, "time limit reached"), late(9.0, "memory")];
        assert_eq!(told.map(|record| disturbed(&record)), [true, false, false]);
    }

    #[test]
    fn every_peer_is_named_with_its_suites() {
        let of = |name: &str, presence| {
            told(PEERS.iter().find(|peer| peer.name == name).expect("a peer"), &presence)
        };
        let said = of("TChecker", Presence::Found(None));
        assert_eq!(
            said,
            "TChecker (`tck-reach`): found, does not tell its version (for p0, p1, p3 and throughput)"
        );
        assert!(of("UPPAAL", Presence::Absent).contains("(`verifyta`): absent (for p0, "));
        assert_eq!(of("NuSMV", Presence::Absent), "NuSMV (`NuSMV`): absent (for p4)");
        let said = of("Spin", Presence::Found(Some("Spin Version 6".into())));
        assert_eq!(said, "Spin (`spin`): found, Spin Version 6 (no suite has models in its language yet)");
    }

    #[test]
    fn formats_go_by_the_ending() {
        let of = ["a.md", "b.html", "c.x.htm", "d.txt", "e"].map(Format::of);
        assert_eq!(of, [Some(Format::Markdown), Some(Format::Html), Some(Format::Html), None, None]);
    }
}
