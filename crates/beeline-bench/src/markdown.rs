//! Reports as Markdown.

use crate::paper::Printed;
use crate::record::Status;
use crate::report::{Report, remarks};
use crate::table::{Field, Median, Ours, Table};
use beeline_report::text::grouped;
use std::fmt::Write;

/// The whole report.
pub fn report(report: &Report<'_>) -> String {
    let mut text = format!("# {}\n\n{}\n", report.title, report.preamble());
    for table in &report.tables {
        let _ = write!(
            text,
            "\n## {}: {}\n\nAfter {}.\n\n",
            table.suite.name, table.suite.about, table.suite.source
        );
        text.push_str(&self::table(table));
        for remark in remarks(table) {
            let _ = write!(text, "\n{remark}\n");
        }
    }
    text
}

/// A table with two columns for each configuration of the paper, ours and the paper's, and one for each of ours alone.
fn table(table: &Table) -> String {
    let configurations = table.suite.configurations;
    let mut text = "|  | shortest |".to_string();
    for configuration in configurations {
        let _ = write!(text, " {} |", configuration.name);
        if configuration.printed {
            let _ = write!(text, " {} paper |", configuration.name);
        }
    }
    let columns = 2 + configurations.iter().map(|c| 1 + usize::from(c.printed)).sum::<usize>();
    let _ = write!(text, "\n|{}\n", "---|".repeat(columns));
    for line in &table.lines {
        let shortest = line.instance.shortest().map_or(String::new(), |steps| steps.to_string());
        let _ = write!(text, "| {} | {shortest} |", line.instance.name);
        for (configuration, Field { ours: mine, paper }) in configurations.iter().zip(&line.fields) {
            let _ = write!(text, " {} |", ours(mine.as_ref()));
            if configuration.printed {
                let _ = write!(text, " {} |", printed(*paper));
            }
        }
        text.push('\n');
    }
    text.push_str("| **solved** | |");
    for (number, configuration) in configurations.iter().enumerate() {
        let (mine, papers) = table.solved(number);
        let _ = write!(text, " **{mine}** |");
        if configuration.printed {
            let _ = write!(text, " {} |", papers.map_or(String::new(), |solved| solved.to_string()));
        }
    }
    text.push('\n');
    text
}

/// A field of ours: states expanded and the length of the trace, or that there is no answer.
pub fn ours(ours: Option<&Ours>) -> String {
    let Some(Ours { runs, solved, median, .. }) = ours else { return String::new() };
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

/// A field of the paper.
pub fn printed(printed: Option<Printed>) -> String {
    match printed {
        None => String::new(),
        Some(Printed::Unsolved) => "–".to_string(),
        Some(Printed::Solved { explored, length }) => {
            let length = length.map_or(String::new(), |length| format!("/{}", grouped(u64::from(length))));
            grouped(explored) + &length
        }
    }
}
