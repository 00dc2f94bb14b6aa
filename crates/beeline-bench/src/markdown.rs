//! Reports as Markdown.

use crate::contest::{Contest, Line};
use crate::paper::Printed;
use crate::record::Status;
use crate::report::{ABOUT_THROUGHPUT, OF_DATABASES, Report, THROUGHPUT, remarks};
use crate::suite::Work;
use crate::table::{Field, Median, Runs, Table};
use beeline_report::text::grouped;
use std::fmt::Write;

/// The whole report.
pub fn report(report: &Report<'_>) -> String {
    let mut text = format!("# {}\n", report.title);
    for paragraph in report.preamble() {
        let _ = write!(text, "\n{paragraph}\n");
    }
    for section in &report.sections {
        let suite = section.table.suite;
        let _ = write!(text, "\n## {}: {}\n\nAfter {}.\n\n", suite.name, suite.about, suite.source);
        text.push_str(&table(&section.table));
        for remark in remarks(section) {
            let _ = write!(text, "\n{remark}\n");
        }
        if !section.databases.is_empty() {
            let _ = write!(text, "\n| {} |\n|---|---|--:|--:|--:|\n", OF_DATABASES.join(" | "));
            let rows = section.databases.iter().map(|fields| format!("| {} |\n", fields.join(" | ")));
            text.extend(rows);
        }
        for contest in &section.contests {
            text.push_str(&beside(contest));
        }
    }
    if let Some(rows) = report.throughput {
        let _ = write!(text, "\n## {THROUGHPUT}\n\n{ABOUT_THROUGHPUT}\n\n```text\n{rows}```\n");
    }
    text
}

/// A table with a column for each search of ours, beside it the paper's, and one for each that the paper alone has.
fn table(table: &Table) -> String {
    let mut text = "|  | shortest |".to_string();
    let mut rule = "|---|---|".to_string();
    for column in &table.columns {
        if column.configuration.is_some() {
            let _ = write!(text, " {} |", column.name);
            rule.push_str("--:|");
        }
        if column.printed {
            let _ = write!(text, " {} paper |", column.name);
            rule.push_str("--:|");
        }
    }
    let _ = write!(text, "\n{rule}\n");
    for line in &table.lines {
        let shortest = line.instance.answer.text();
        let _ = write!(text, "| {} | {shortest} |", line.instance.name);
        for (column, Field { ours, paper }) in table.columns.iter().zip(&line.fields) {
            if column.configuration.is_some() {
                let _ = write!(text, " {} |", timed(ours.as_ref(), table.suite.work));
            }
            if column.printed {
                let _ = write!(text, " {} |", printed(*paper));
            }
        }
        text.push('\n');
    }
    let _ = write!(text, "| **solved of {}** | |", table.lines.len());
    for (number, column) in table.columns.iter().enumerate() {
        let (mine, papers) = table.solved(number);
        if column.configuration.is_some() {
            let _ = write!(text, " **{mine}** |");
        }
        if column.printed {
            let _ = write!(text, " {} |", papers.map_or(String::new(), |solved| solved.to_string()));
        }
    }
    text.push('\n');
    text
}

/// The names of the columns of a comparison with another program.
pub fn names(contest: &Contest) -> [String; 6] {
    let rival = contest.rival;
    [String::new(), rival.against.into(), "CPU s".into(), rival.peer.into(), "CPU s".into(), "ratio".into()]
}

/// The fields of one of its lines.
pub fn fields(line: &Line) -> [String; 6] {
    let seconds = |runs: Option<&Runs>| match runs {
        Some(Runs { median: Some(median), .. }) => format!("{:.2}", median.cpu_seconds),
        Some(Runs { spent: Some(spent), .. }) => format!("> {spent:.2}"),
        _ => String::new(),
    };
    let (ours, theirs) = (line.ours.as_ref(), Some(&line.theirs));
    let ratio = line.ratio().map_or(String::new(), |ratio| ratio.to_string());
    [line.instance.name.into(), runs(ours), seconds(ours), runs(theirs), seconds(theirs), ratio]
}

fn beside(contest: &Contest) -> String {
    let row = |fields: [String; 6]| format!("| {} |\n", fields.join(" | "));
    let mut text = format!("\n### Beside {}\n\n{}\n\n", contest.rival.peer, contest.about());
    text.push_str(&row(names(contest)));
    text.push_str("|---|--:|--:|--:|--:|--:|\n");
    text.extend(contest.lines.iter().map(|line| row(fields(line))));
    text
}

/// A field of ours: states expanded and the length of the trace, or that there is no answer.
pub fn runs(runs: Option<&Runs>) -> String {
    let Some(Runs { runs, solved, median, .. }) = runs else { return String::new() };
    let some = if *runs > 1 && solved < runs { format!(" ({solved} of {runs})") } else { String::new() };
    match median {
        None => format!("–{some}"),
        Some(Median { status: Status::Proved, expanded, .. }) => format!("{} safe{some}", grouped(*expanded)),
        Some(Median { expanded, length, .. }) => {
            let length = length.map_or(String::new(), |length| format!("/{}", grouped(length)));
            format!("{}{length}{some}", grouped(*expanded))
        }
    }
}

/// The same, with seconds of processor time where nodes are counted, as P4's table has it; or with those before the search
/// and those in all, as P1's tables have it.
pub fn timed(field: Option<&Runs>, work: Work) -> String {
    let text = runs(field);
    match field {
        Some(Runs { median: Some(median), .. }) if work == Work::Nodes => {
            format!("{text} in {:.2} s", median.cpu_seconds)
        }
        Some(Runs { median: Some(median), .. }) if work == Work::TimedStates => {
            let overhead = median.overhead_seconds.map_or(String::new(), |its| format!("{its:.2} of "));
            format!("{text} in {overhead}{:.2} s", median.cpu_seconds)
        }
        _ => text,
    }
}

/// A field of the paper.
pub fn printed(printed: Option<Printed>) -> String {
    match printed {
        None => String::new(),
        Some(Printed::Unsolved) => "–".to_string(),
        Some(Printed::Solved { explored, length, seconds }) => {
            let length = length.map_or(String::new(), |length| format!("/{}", grouped(u64::from(length))));
            let seconds = seconds.map_or(String::new(), |seconds| format!(" in {seconds} s"));
            grouped(explored) + &length + &seconds
        }
    }
}
