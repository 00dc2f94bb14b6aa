//! An answer for people: the verdict with its property, the trace, what the verdict rests on, and what it took.

use crate::answer::{Answer, Database, Grade, Shortest, TraceAnswer, Verdict, verdict_word};
use crate::text::{bytes, count, grouped};
use crate::view::plain;
use std::fmt::Write;

/// How a report looks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Style {
    /// Colours, for a terminal.
    pub colour: bool,
    /// Only the verdict, in one line.
    pub brief: bool,
    /// All that led to a choice, not only the end of it.
    pub explain: bool,
}

/// The first line: the verdict and the property; if it is all that is shown, why nobody knows, too.
pub fn verdict_line(answer: &Answer<'_>, style: Style) -> String {
    let word = verdict_word(answer.verdict);
    let word = match (style.colour, answer.verdict) {
        (false, _) => word.to_string(),
        (true, Verdict::Holds) => format!("\u{1b}[1;32m{word}\u{1b}[0m"),
        (true, Verdict::Violated) => format!("\u{1b}[1;31m{word}\u{1b}[0m"),
        (true, Verdict::Unknown) => format!("\u{1b}[1;33m{word}\u{1b}[0m"),
    };
    let reason = answer.reason.as_ref().filter(|_| style.brief);
    let reason = reason.map_or(String::new(), |reason| format!("  ({})", plain(reason)));
    format!("{word}  {}{reason}\n", question(answer))
}

/// The property with its name.
fn question(answer: &Answer<'_>) -> String {
    let name = answer.name.as_ref().filter(|name| **name != answer.property);
    let name = name.map_or(String::new(), |name| format!("{}: ", plain(name)));
    format!("{name}{}", plain(&answer.property))
}

/// The warnings of an answer that is otherwise a single line, each with the property it is about.
pub fn warnings(answer: &Answer<'_>) -> String {
    let line = |warning: &String| format!("warning: {}: {}\n", question(answer), plain(warning));
    answer.warnings.iter().map(line).collect()
}

/// The whole answer. `trace` is the trace as it is to be shown, if at all.
pub fn render(answer: &Answer<'_>, trace: Option<&str>, style: Style) -> String {
    let mut out = verdict_line(answer, style);
    if style.brief {
        return out;
    }
    if let Some(trace) = trace {
        let _ = writeln!(out, "\n{}\n", trace.trim_end());
    }
    for line in grounds(answer, style) {
        let _ = writeln!(out, "  {line}");
    }
    for warning in &answer.warnings {
        let _ = writeln!(out, "  warning: {}", plain(warning));
    }
    out
}

/// What the verdict rests on, and what it took.
fn grounds(answer: &Answer<'_>, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    match (&answer.trace, answer.reachable) {
        (Some(trace), _) => lines.push(trace_line(answer, trace)),
        (None, Some(_)) if answer.verdict == Verdict::Holds => {
            lines.push(format!("no violation is reachable: {}", proof(answer)));
        }
        (None, Some(_)) => lines.push(format!("no such state is reachable: {}", proof(answer))),
        (None, None) => lines.extend(unknown_lines(answer)),
    }
    if answer.stats.expanded > 0 || answer.reachable.is_some() {
        lines.push(effort(answer));
    }
    lines.extend(answer.config.databases.iter().map(database));
    lines.extend(answer.config.remarks.iter().cloned());
    match answer.config.auto.as_deref() {
        Some(story) if style.explain => lines.extend(story.iter().map(|tried| format!("auto: {tried}"))),
        // What gave the answer is said above.
        Some([.., before, last, _]) => lines.push(format!("auto: {before}; {last}")),
        Some(_) | None => {}
    }
    lines
}

fn database(database: &Database) -> String {
    let cut_off = if database.complete { "" } else { ", cut off" };
    let refined = match database.refinements {
        0 => String::new(),
        times => format!(", refined {}", count(times as usize, "time", "times")),
    };
    let parts = match database.parts {
        1 => String::new(),
        parts => format!(" for one of {} parts of the target", grouped(parts as u64)),
    };
    format!(
        "database of {} of {}{parts}: {}, {} nodes{cut_off}{refined}",
        database.variables.len(),
        count(database.of, "variable", "variables"),
        count(database.layers, "layer", "layers"),
        grouped(database.nodes),
    )
}

fn trace_line(answer: &Answer<'_>, trace: &TraceAnswer<'_>) -> String {
    let length = count(trace.story.length as usize, "step", "steps");
    let grade = match trace.shortest {
        Shortest::Certified => format!("no trace is shorter ({})", proof(answer)),
        Shortest::BySearch => {
            let note = answer.certificate_note.as_ref().map_or(String::new(), |n| format!(": {}", plain(n)));
            format!("no trace is shorter, by the order of the search (not certified{note})")
        }
        Shortest::No => "there may be a shorter trace".to_string(),
    };
    let depth = trace.trail.as_ref().map_or(String::new(), |(_, depth)| format!(" (Spin: depth {depth})"));
    format!("{length}{depth}, replayed by the kernel; {grade}")
}

fn proof(answer: &Answer<'_>) -> String {
    let note = answer.certificate_note.as_ref().map_or(String::new(), |n| format!(": {}", plain(n)));
    match answer.certificate {
        Grade::Kernel => {
            let rows = answer.rows.map_or(String::new(), |n| format!(", {}", count(n, "row", "rows")));
            format!("certificate checked by the kernel in {:.2} s{rows}", answer.stats.check_seconds)
        }
        Grade::SecondEngine => format!("confirmed by a second engine{note}"),
        Grade::None => format!("not certified{note}"),
    }
}

fn unknown_lines(answer: &Answer<'_>) -> Vec<String> {
    let mut lines = vec![answer.reason.as_deref().map_or_else(|| "no answer".into(), plain)];
    if let Some(bound) = answer.lower_bound.filter(|b| *b > 0) {
        lines.push(format!("no trace has fewer than {}", count(bound as usize, "step", "steps")));
    }
    if let Some(coverage) = &answer.stats.coverage {
        let factor =
            coverage.hash_factor().map_or(String::new(), |factor| format!(", hash factor {factor:.1}"));
        let (storage, states) = (coverage.storage(), grouped(coverage.states));
        let omitted = coverage.expected_omissions;
        lines.push(format!(
            "{storage}: {states} states told apart{factor}, about {omitted:.3e} taken for others"
        ));
    }
    if let Some(open) = answer.open {
        lines.push(format!("{} states were still waiting", grouped(open)));
    }
    lines
}

fn effort(answer: &Answer<'_>) -> String {
    let stats = &answer.stats;
    if answer.config.engine == "symbolic" {
        return format!(
            "symbolic, {}: {}, {} nodes made, {} at most in {:.2} s, {}",
            answer.config.search,
            count(stats.expanded as usize, "image", "images"),
            grouped(stats.total_nodes),
            grouped(stats.stored),
            stats.preprocess_seconds + stats.search_seconds,
            bytes(stats.peak_bytes)
        );
    }
    let by = answer.config.heuristics.join(", ");
    let by = if by.is_empty() { by } else { format!(" by {by}") };
    // Not even the initial state was expanded: a heuristic is infinite there.
    let dead = stats.expanded == 0 && stats.dead_ends > 0;
    let by = if dead { format!("{by} (infinite at the start)") } else { by };
    let safe = match &answer.config.removed {
        Some((removed, _)) if removed.is_empty() => " (nothing was safe to remove)".to_string(),
        Some((removed, inserted)) => {
            format!(" without {} ({} put back)", removed.join(", "), count(*inserted, "step", "steps"))
        }
        None => String::new(),
    };
    let outside = match answer.config.outside.as_deref() {
        Some([]) => " (nothing is outside of the cone)".to_string(),
        Some(outside) => format!(" inside the cone, without {}", outside.join(", ")),
        None => String::new(),
    };
    format!(
        "{}{by}{outside}{safe}: {} expanded, {} generated, {} stored in {:.2} s, {}",
        answer.config.search,
        grouped(stats.expanded),
        grouped(stats.generated),
        grouped(stats.stored),
        stats.preprocess_seconds + stats.search_seconds,
        bytes(stats.peak_bytes)
    )
}
