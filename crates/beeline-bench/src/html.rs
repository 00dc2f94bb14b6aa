//! Reports as one HTML file that needs nothing else: tables, scatter plots and cactus plots.

use crate::markdown::{ours, printed};
use crate::plot::{Point, Series, cactus, escaped, scatter};
use crate::report::{Report, remarks};
use crate::table::{Field, Table};
use std::fmt::Write;

const STYLE: &str = "body{font-family:sans-serif;margin:2em;max-width:90em}\
    table{border-collapse:collapse;font-size:.85em}\
    td,th{border:1px solid #ccc;padding:.2em .5em;text-align:right}\
    th:first-child,td:first-child{text-align:left}\
    .paper{color:#777}.better{background:#e6f4ea}.worse{background:#fbeaea}\
    figure{display:inline-block;margin:1em 1em 0 0}";

/// The whole report.
pub fn report(report: &Report<'_>) -> String {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>{STYLE}</style>\
         </head><body>\n<h1>{0}</h1>\n<p>{1}</p>\n",
        escaped(report.title),
        escaped(&report.preamble())
    );
    for table in &report.tables {
        let suite = table.suite;
        let _ = write!(
            text,
            "<h2>{}: {}</h2>\n<p>After {}.</p>\n",
            suite.name,
            escaped(suite.about),
            escaped(suite.source)
        );
        self::table(&mut text, table);
        for remark in remarks(table) {
            let _ = writeln!(text, "<p>{}</p>", escaped(&remark));
        }
        plots(&mut text, table);
    }
    text.push_str("</body></html>\n");
    text
}

fn table(text: &mut String, table: &Table) {
    text.push_str("<table><tr><th></th><th>shortest</th>");
    for configuration in table.suite.configurations {
        let _ = write!(text, "<th>{}</th>", escaped(configuration.name));
        if configuration.printed {
            text.push_str("<th class=\"paper\">paper</th>");
        }
    }
    text.push_str("</tr>\n");
    for line in &table.lines {
        let shortest = line.instance.shortest().map_or(String::new(), |steps| steps.to_string());
        let _ = write!(text, "<tr><td>{}</td><td>{shortest}</td>", line.instance.name);
        for (configuration, field) in table.suite.configurations.iter().zip(&line.fields) {
            let class = if configuration.printed { class(field) } else { "" };
            let _ = write!(text, "<td class=\"{class}\">{}</td>", ours(field.ours.as_ref()));
            if configuration.printed {
                let _ = write!(text, "<td class=\"paper\">{}</td>", printed(field.paper));
            }
        }
        text.push_str("</tr>\n");
    }
    text.push_str("<tr><th>solved</th><td></td>");
    for (number, configuration) in table.suite.configurations.iter().enumerate() {
        let (ours, paper) = table.solved(number);
        let _ = write!(text, "<td>{ours}</td>");
        if configuration.printed {
            let _ =
                write!(text, "<td class=\"paper\">{}</td>", paper.map_or(String::new(), |n| n.to_string()));
        }
    }
    text.push_str("</tr></table>\n");
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
    let column =
        |name: &str| suite.configurations.iter().position(|configuration| configuration.name == name);
    for (first, second) in suite.duels {
        let (Some(x), Some(y)) = (column(first), column(second)) else { continue };
        let expanded =
            |field: &Field| Some(field.ours.as_ref()?.median.map(|median| median.expanded.max(1) as f64));
        let point = |line: &crate::table::Line| {
            let (x, y) = (expanded(&line.fields[x])?, expanded(&line.fields[y])?);
            Some(Point { name: line.instance.name.to_string(), x, y })
        };
        let points: Vec<Point> = table.lines.iter().filter_map(point).collect();
        if !points.is_empty() {
            let title = format!("states expanded: {first} against {second}");
            let plot = scatter(&title, (&format!("{first}: states expanded"), second), &points);
            let _ = write!(text, "<figure>{plot}<figcaption>{}</figcaption></figure>", escaped(&title));
        }
    }
    let series = |(number, configuration): (usize, &crate::Configuration)| {
        let medians = table.lines.iter().filter_map(|line| line.fields[number].ours.as_ref()?.median);
        let values = medians.map(|median| median.cpu_seconds.max(0.001)).collect();
        Series { name: configuration.name.to_string(), values }
    };
    let all: Vec<Series> = suite.configurations.iter().enumerate().map(series).collect();
    let title = format!("{}: instances solved in how much time", suite.name);
    let plot = cactus(&title, "seconds of processor time", &all);
    let _ = writeln!(text, "<figure>{plot}<figcaption>{}</figcaption></figure>", escaped(&title));
}
