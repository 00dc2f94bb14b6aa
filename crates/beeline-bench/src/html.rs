//! Reports as one HTML file that needs nothing else: tables, scatter plots and cactus plots.

use crate::contest::Contest;
use crate::markdown::{fields, names, printed, timed};
use crate::plot::{Point, Series, cactus, escaped, scatter};
use crate::report::{ABOUT_THROUGHPUT, Report, THROUGHPUT, remarks};
use crate::suite::Column;
use crate::table::{Field, Table};
use std::fmt::Write;

const STYLE: &str = "body{font-family:sans-serif;margin:2em;max-width:90em}\
    table{border-collapse:collapse;font-size:.85em}\
    td,th{border:1px solid #ccc;padding:.2em .5em;text-align:right}\
    th:first-child,td:first-child{text-align:left}\
    .paper{color:#777}.better{background:#e6f4ea}.worse{background:#fbeaea}\
    figure{display:inline-block;margin:1em 1em 0 0}";

/// How to read the colours.
const COLOURS: &str = "A field of ours is green where it expands no more states (makes no more nodes) than the paper's \
    beside it, or solves what the paper does not, and red where it is the other way round.";

/// The whole report.
pub fn report(report: &Report<'_>) -> String {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>{STYLE}</style>\
         </head><body>\n<h1>{0}</h1>\n",
        escaped(report.title),
    );
    for line in report.preamble() {
        paragraph(&mut text, &line);
    }
    if report.sections.iter().any(|section| section.table.columns.iter().any(|column| column.printed)) {
        paragraph(&mut text, COLOURS);
    }
    for section in &report.sections {
        let suite = section.table.suite;
        let _ = writeln!(text, "<h2>{}: {}</h2>", suite.name, escaped(suite.about));
        paragraph(&mut text, &format!("After {}.", suite.source));
        table(&mut text, &section.table);
        for remark in remarks(section) {
            paragraph(&mut text, &remark);
        }
        plots(&mut text, &section.table);
        for contest in &section.contests {
            beside(&mut text, contest);
        }
    }
    if let Some(rows) = report.throughput {
        let _ = writeln!(text, "<h2>{THROUGHPUT}</h2>");
        paragraph(&mut text, ABOUT_THROUGHPUT);
        let _ = writeln!(text, "<pre>{}</pre>", escaped(rows));
    }
    text.push_str("</body></html>\n");
    text
}

/// A paragraph; what is between backquotes is code.
fn paragraph(text: &mut String, line: &str) {
    let parts = escaped(line);
    text.push_str("<p>");
    for (number, part) in parts.split('`').enumerate() {
        let _ = if number % 2 == 0 { write!(text, "{part}") } else { write!(text, "<code>{part}</code>") };
    }
    text.push_str("</p>\n");
}

fn table(text: &mut String, table: &Table) {
    text.push_str("<table><tr><th></th><th>shortest</th>");
    for column in &table.columns {
        if column.configuration.is_some() {
            let _ = write!(text, "<th>{}</th>", escaped(column.name));
        }
        if column.printed {
            let _ = write!(text, "<th class=\"paper\">{} paper</th>", escaped(column.name));
        }
    }
    text.push_str("</tr>\n");
    for line in &table.lines {
        let shortest = line.instance.answer.text();
        let _ = write!(text, "<tr><td>{}</td><td>{shortest}</td>", line.instance.name);
        for (column, field) in table.columns.iter().zip(&line.fields) {
            if column.configuration.is_some() {
                let _ = write!(
                    text,
                    "<td class=\"{}\">{}</td>",
                    class(field),
                    timed(field.ours.as_ref(), table.suite.work)
                );
            }
            if column.printed {
                let _ = write!(text, "<td class=\"paper\">{}</td>", printed(field.paper));
            }
        }
        text.push_str("</tr>\n");
    }
    let _ = write!(text, "<tr><th>solved of {}</th><td></td>", table.lines.len());
    for (number, column) in table.columns.iter().enumerate() {
        let (ours, paper) = table.solved(number);
        if column.configuration.is_some() {
            let _ = write!(text, "<td>{ours}</td>");
        }
        if column.printed {
            let paper = paper.map_or(String::new(), |n| n.to_string());
            let _ = write!(text, "<td class=\"paper\">{paper}</td>");
        }
    }
    text.push_str("</tr></table>\n");
}

/// A comparison with another program.
fn beside(text: &mut String, contest: &Contest) {
    let row = |tag: &str, fields: &[String]| {
        let fields: String =
            fields.iter().map(|field| format!("<{tag}>{}</{tag}>", escaped(field))).collect();
        format!("<tr>{fields}</tr>\n")
    };
    let _ = writeln!(text, "<h3>Beside {}</h3>", escaped(contest.rival.peer));
    paragraph(text, &contest.about());
    let lines: String = contest.lines.iter().map(|line| row("td", &fields(line))).collect();
    let _ = writeln!(text, "<table>{}{lines}</table>", row("th", &names(contest)));
}

/// Whether we expand fewer states than the paper, or solve what it does not; or the other way round.
fn class(field: &Field) -> &'static str {
    use crate::paper::Printed::{Solved, Unsolved};
    let ours = field.ours.as_ref().map(|ours| ours.median.map(|median| median.expanded));
    match (ours, field.paper) {
        (Some(Some(_)), Some(Unsolved)) => "better",
        (Some(None), Some(Solved { .. })) => "worse",
        (Some(Some(ours)), Some(Solved { explored, .. })) if ours <= explored => "better",
        (Some(Some(_)), Some(Solved { .. })) => "worse",
        _ => "",
    }
}

fn plots(text: &mut String, table: &Table) {
    let suite = table.suite;
    let number = |name: &str| table.columns.iter().position(|column| column.name == name);
    for (first, second) in suite.duels {
        let (Some(x), Some(y)) = (number(first), number(second)) else { continue };
        let expanded =
            |field: &Field| Some(field.ours.as_ref()?.median.map(|median| median.expanded.max(1) as f64));
        let point = |line: &crate::table::Line| {
            let (x, y) = (expanded(&line.fields[x])?, expanded(&line.fields[y])?);
            Some(Point { name: line.instance.name.to_string(), x, y })
        };
        let points: Vec<Point> = table.lines.iter().filter_map(point).collect();
        if !points.is_empty() {
            let work = suite.work.name();
            let title = format!("{work}: {first} against {second}; at the edge: not solved");
            let names = (&*format!("{first}: {work}"), &*format!("{second}: {work}"));
            let plot = scatter(&title, names, &points);
            let _ = write!(text, "<figure>{plot}<figcaption>{}</figcaption></figure>", escaped(&title));
        }
    }
    let series = |(number, column): (usize, &Column)| {
        let configuration = column.configuration?;
        let medians = table.lines.iter().filter_map(|line| line.fields[number].ours.as_ref()?.median);
        let values = medians.map(|median| median.cpu_seconds.max(0.001)).collect();
        Some(Series { name: configuration.name.to_string(), values })
    };
    let all: Vec<Series> = table.columns.iter().enumerate().filter_map(series).collect();
    let title = format!("{}: instances solved in how much time", suite.name);
    let plot = cactus(&title, "seconds of processor time", &all);
    let _ = writeln!(text, "<figure>{plot}<figcaption>{}</figcaption></figure>", escaped(&title));
}
