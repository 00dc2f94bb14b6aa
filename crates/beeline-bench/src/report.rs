//! The report of records: what was run on which machine, a table for each suite, and what to know about it.

use crate::record::Record;
use crate::suite::SUITES;
use crate::table::Table;
use crate::{html, markdown};

/// A report.
#[derive(Debug)]
pub struct Report<'a> {
    /// Its title.
    pub title: &'a str,
    records: &'a [Record],
    /// The tables of the suites that were run.
    pub tables: Vec<Table>,
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

impl<'a> Report<'a> {
    /// The report of records.
    pub fn new(title: &'a str, records: &'a [Record]) -> Self {
        let tables = SUITES.iter().map(|suite| Table::new(suite, records));
        Self { title, records, tables: tables.filter(|table| !table.lines.is_empty()).collect() }
    }

    /// The report as text.
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Markdown => markdown::report(self),
            Format::Html => html::report(self),
        }
    }

    /// What was run, by what, where, and how to read the figures.
    pub(crate) fn preamble(&self) -> String {
        let all = |of: fn(&Record) -> &str| {
            let mut different: Vec<&str> = self.records.iter().map(of).collect();
            different.sort_unstable();
            different.dedup();
            different.join("; ")
        };
        let mut limits: Vec<u64> = self.records.iter().map(|record| record.time_limit).collect();
        limits.sort_unstable();
        limits.dedup();
        let limits: Vec<String> = limits.iter().map(|seconds| format!("{seconds} s")).collect();
        format!(
            "{} runs of Beeline {} on {}, each a process of its own with at most {}. A field is the number of states \
             expanded and, for a trace, its length; where the search depends on chance it is that of the median run over \
             the seeds, and the number of runs with an answer is given if some had none. A dash is a run without an \
             answer. The papers' figures are as printed.",
            self.records.len(),
            all(|record| &record.version),
            all(|record| &record.machine),
            limits.join(" or "),
        )
    }
}

/// What to know about a table.
pub(crate) fn remarks(table: &Table) -> Vec<String> {
    let mut remarks: Vec<String> =
        table.contradictions().into_iter().map(|wrong| format!("Contradiction: {wrong}.")).collect();
    let all = table.suite.instances().count();
    let missing = all - table.lines.len();
    if missing > 0 {
        remarks.push(format!("{missing} of {all} instances were not run."));
    }
    let mut reasons: Vec<&str> = table
        .lines
        .iter()
        .flat_map(|line| &line.fields)
        .filter_map(|field| field.ours.as_ref()?.reason.as_deref())
        .collect();
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
    use crate::record::Status;
    use crate::record::tests::record;

    #[test]
    fn both_formats_have_every_figure() {
        let lost = Record {
            status: Status::Unsolved,
            reason: Some("time limit reached".into()),
            length: None,
            ..record("C2", "h^U", Some(1), 9)
        };
        let records = [record("C1", "h^U", Some(1), 1234), record("C1", "h^CG safe", Some(1), 5678), lost];
        let report = Report::new("A title", &records);
        let (markdown, html) = (report.write(Format::Markdown), report.write(Format::Html));
        for text in [&markdown, &html] {
            for part in
                ["A title", "1,234/123", "5,678/567", "715/73", "a machine", "1.2.3", "time limit reached"]
            {
                assert!(text.contains(part), "{part}: {text}");
            }
            assert!(text.contains("26 of 28 instances were not run"), "{text}");
        }
        assert!(html.contains("<svg") && html.contains("</html>"));
        // Each line of the table has as many fields.
        let fields: Vec<usize> = markdown
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|line| line.matches('|').count())
            .collect();
        assert!(fields.len() == 5 && fields.iter().all(|count| *count == fields[0]), "{markdown}");
    }

    #[test]
    fn formats_go_by_the_ending() {
        let of = ["a.md", "b.html", "c.x.htm", "d.txt", "e"].map(Format::of);
        assert_eq!(of, [Some(Format::Markdown), Some(Format::Html), Some(Format::Html), None, None]);
    }
}
