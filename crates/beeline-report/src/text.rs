//! Reports for people. A trace shows, for each step, when it happens, who does what, and only what changes. That clocks
//! advance is no news: all of them are shown at the start and at the end, in between those that were set.

use crate::story::{Moment, Step, Story};
use crate::view::plain;
use beeline_ir::model::Model;
use beeline_ir::trace::Time;
use num_traits::CheckedAdd;
use std::fmt::Write;

/// Columns after which lists are wrapped.
const WIDTH: usize = 110;

/// Indentation of what belongs to a step.
const INDENT: &str = "          ";

/// A trace, step by step.
pub fn trace(story: &Story<'_>) -> String {
    let mut out = String::new();
    let timed = !story.clocks.is_empty();
    let _ = writeln!(out, "{:>6}  start", 0);
    state(&mut out, story, &story.start);
    let width = column_width(story.columns.len());
    if !story.columns.is_empty() {
        let heads: String = story.columns.iter().map(|head| format!("{:width$}", plain(head))).collect();
        let _ = writeln!(out, "        {}", heads.trim_end());
    }
    let mut before = &story.start;
    for (i, step) in story.steps.iter().enumerate() {
        let moment = if timed { when(step) } else { String::new() };
        parts(&mut out, step, &format!("{:>6}  {moment}", i + 1), width);
        match &step.after {
            Some(after) => {
                wrapped(&mut out, &story.other_changes(step, before, after));
                let last = i + 1 == story.steps.len() && story.end.is_none();
                let advanced = advanced(before, step.delay);
                let set = |(clock, value): (usize, &Time)| advanced.get(clock) != Some(value);
                clocks(&mut out, story, &after.clocks, |clock| last || set(clock));
                before = after;
            }
            None => {
                clocks(&mut out, story, &advanced(before, step.delay), |_| true);
                if step.failure.is_none() {
                    let _ = writeln!(out, "{INDENT}fails");
                }
            }
        }
        if let Some(failure) = &step.failure {
            let _ = writeln!(out, "{INDENT}fails: {failure}");
        }
    }
    if let Some(standing) = story.standing.as_ref().filter(|standing| !standing.is_empty()) {
        let _ = writeln!(out, "{:>6}  end", "");
        standing.iter().for_each(|line| writeln!(out, "{INDENT}{}", plain(line)).unwrap_or(()));
    }
    if let Some(end) = &story.end {
        let _ = writeln!(out, "{:>6}  at {} (+{})", "", end.time, story.last_delay);
        clocks(&mut out, story, &end.clocks, |_| true);
    }
    out
}

/// The clock values of a state after a delay. A sum too large to write down stands still.
fn advanced(before: &Moment, delay: Time) -> Vec<Time> {
    before.clocks.iter().map(|value| value.checked_add(&delay).unwrap_or(*value)).collect()
}

fn when(step: &Step) -> String {
    if *step.delay.numer() == 0 {
        format!("at {}: ", step.time)
    } else {
        format!("at {} (+{}): ", step.time, step.delay)
    }
}

/// How wide columns are: what they hold may be longer, as there is nothing beside it.
fn column_width(columns: usize) -> usize {
    (WIDTH / (columns + 1)).clamp(4, 24)
}

/// The parts of a step, one below the other, the first after the start of its line; in columns if there are some.
fn parts(out: &mut String, step: &Step, start: &str, column_width: usize) {
    for (i, part) in step.parts.iter().enumerate() {
        let width = start.chars().count();
        let _ = if i == 0 { write!(out, "{start}") } else { write!(out, "{:width$}", "") };
        let _ = match &part.column {
            Some((column, text)) => writeln!(out, "{:indent$}{text}", "", indent = column * column_width),
            None => writeln!(out, "{}", part.long()),
        };
    }
    if let Some(observer) = &step.observer {
        let _ = writeln!(out, "{INDENT}observed by {observer}");
    }
}

fn state(out: &mut String, story: &Story<'_>, moment: &Moment) {
    let view = &story.view;
    // Of processes that have yet to begin there is nothing to tell.
    let shown = view.items().iter().filter(|item| !view.idle(item, &moment.slots) && story.shows(item));
    let (locations, others): (Vec<_>, Vec<_>) = shown.partition(|item| view.process(item).is_some());
    for items in [locations, others] {
        let values: Vec<String> =
            items.iter().map(|item| format!("{} = {}", item.name, view.value(item, &moment.slots))).collect();
        wrapped(out, &values);
    }
    clocks(out, story, &moment.clocks, |_| true);
}

fn clocks(out: &mut String, story: &Story<'_>, values: &[Time], shown: impl Fn((usize, &Time)) -> bool) {
    let values = story.clocks.iter().zip(values.iter().enumerate()).filter(|(_, clock)| shown(*clock));
    wrapped(out, &values.map(|(name, (_, value))| format!("{name} = {value}")).collect::<Vec<_>>());
}

fn wrapped(out: &mut String, items: &[String]) {
    let mut column = 0;
    for (i, item) in items.iter().enumerate() {
        let comma = usize::from(i + 1 < items.len());
        let width = item.chars().count() + comma;
        if column == 0 || column + 1 + width > WIDTH {
            if column > 0 {
                out.push('\n');
            }
            out.push_str(INDENT);
            column = INDENT.len();
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(item);
        if comma == 1 {
            out.push(',');
        }
        column += width;
    }
    if column > 0 {
        out.push('\n');
    }
}

/// What a model is, in a few words.
pub fn model_line(model: &Model) -> String {
    match model {
        Model::Network(network) => {
            // As the papers count: clocks are variables, too.
            let (integers, clocks) = (network.vars.len(), network.clocks.len());
            format!(
                "network {}: {}, {} ({}, {}), {}",
                plain(&network.name),
                count(network.processes.len(), "automaton", "automata"),
                count(integers + clocks, "variable", "variables"),
                count(integers, "integer", "integers"),
                count(clocks, "clock", "clocks"),
                count(network.channels.len(), "channel", "channels"),
            )
        }
        Model::Relation(relation) => {
            let variables = count(relation.vars.len(), "variable", "variables");
            format!("relation {}: {variables}", plain(&relation.name))
        }
    }
}

/// A number with its noun.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A number of bytes for people.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    let mut value = number as f64;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{number} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(3 << 29), "1.5 GiB");
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
    }

    #[test]
    fn lists_are_wrapped() {
        let items: Vec<String> = (0..30).map(|i| format!("variable{i} = {i}")).collect();
        let mut out = String::new();
        wrapped(&mut out, &items);
        assert!(out.lines().count() > 3);
        assert!(out.lines().all(|l| l.len() <= WIDTH && l.starts_with(INDENT) && !l.ends_with(' ')));
        assert_eq!(out.matches(',').count(), 29);
    }
}
