//! One line of the table: what was measured, what follows from it, and how it is printed.

use super::super::Exit;
use super::process::Usage;
use beeline_report::text::grouped;
use serde_json::{Value, json};

/// What was measured of one model.
pub struct Row {
    /// The model.
    pub name: String,
    /// What we did; or with which exit we ended, and why.
    pub ours: Result<Figures, (Exit, String)>,
    /// What each peer did.
    pub theirs: Vec<Theirs>,
}

/// What a peer did.
pub struct Theirs {
    /// Its name.
    pub name: &'static str,
    /// Its program.
    pub program: &'static str,
    /// States it explored and what it used; or why it did not.
    pub figures: Result<(u64, Usage), String>,
}

/// Figures of ours.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The answer.
    pub verdict: String,
    /// States expanded.
    pub expanded: u64,
    /// States stored.
    pub stored: u64,
    /// Successors generated.
    pub generated: u64,
    /// Bytes that the states took at most, as the search counts them.
    pub bytes: u64,
    /// Threads, if a number was asked for.
    pub threads: Option<u64>,
    /// Seconds of the search alone, by the clock on the wall.
    pub search_seconds: Option<f64>,
    /// What the process used.
    pub usage: Usage,
}

/// A quotient, unless the divisor was too small to be measured.
fn per(dividend: f64, divisor: f64) -> Option<f64> {
    (divisor > 0.0).then(|| dividend / divisor)
}

fn seconds(usage: &Usage) -> f64 {
    usage.cpu.as_secs_f64()
}

impl Figures {
    fn rate(&self) -> Option<f64> {
        per(self.expanded as f64, seconds(&self.usage))
    }
    fn nanoseconds_per_successor(&self) -> Option<f64> {
        per(seconds(&self.usage) * 1e9, self.generated as f64)
    }
    fn bytes_per_state(&self) -> Option<f64> {
        per(self.bytes as f64, self.stored as f64)
    }
}

/// Ours by theirs: states per second of processor time, and memory.
struct Ratios {
    speed: Option<f64>,
    memory: Option<f64>,
}

/// The first lines of the table.
pub fn heading(peers: &[&str]) -> String {
    let mut top = format!("{:<108}", "");
    let mut names = format!(
        "{:<20}{:>11}{:>11}{:>11}{:>8}{:>9}{:>12}{:>9}{:>8}{:>9}",
        "model",
        "expanded",
        "stored",
        "generated",
        "wall s",
        "CPU s",
        "expanded/s",
        "ns/succ",
        "MB",
        "B/state"
    );
    for peer in peers {
        top.push_str(&format!("  | {peer:<37} | ratio         "));
        names.push_str(&format!(
            "  | {:>9}{:>9}{:>11}{:>8} |{:>7}{:>8}",
            "visited", "CPU s", "visited/s", "MB", "speed", "memory"
        ));
    }
    let top = if peers.is_empty() { String::new() } else { format!("{}\n", top.trim_end()) };
    top + &names + "\n"
}

impl Row {
    /// How the measurement went.
    pub fn exit(&self) -> Exit {
        self.ours.as_ref().map_or_else(|(exit, _)| *exit, |_| Exit::Holds)
    }

    fn ratios(&self, theirs: &Theirs) -> Option<Ratios> {
        let (Ok(ours), Ok((visited, usage))) = (&self.ours, &theirs.figures) else { return None };
        let rate = per(*visited as f64, seconds(usage));
        Some(Ratios {
            speed: ours.rate().zip(rate).and_then(|(ours, theirs)| per(ours, theirs)),
            memory: per(ours.usage.resident as f64, usage.resident as f64),
        })
    }

    /// A line of the table.
    pub fn text(&self) -> String {
        let ours = match &self.ours {
            Ok(ours) => ours,
            Err((_, reason)) => return format!("{:<20}  {reason}\n", self.name),
        };
        let mut line = format!(
            "{:<20}{:>11}{:>11}{:>11}{:>8.2}{:>9.2}{:>12}{:>9}{:>8}{:>9}",
            self.name,
            grouped(ours.expanded),
            grouped(ours.stored),
            grouped(ours.generated),
            ours.usage.wall.as_secs_f64(),
            seconds(&ours.usage),
            whole(ours.rate()),
            whole(ours.nanoseconds_per_successor()),
            megabytes(&ours.usage),
            decimal(ours.bytes_per_state()),
        );
        for theirs in &self.theirs {
            match &theirs.figures {
                Ok((visited, usage)) => line.push_str(&format!(
                    "  | {:>9}{:>9.2}{:>11}{:>8} |",
                    grouped(*visited),
                    seconds(usage),
                    whole(per(*visited as f64, seconds(usage))),
                    megabytes(usage),
                )),
                Err(reason) => line.push_str(&format!("  | {reason}")),
            }
            if let Some(Ratios { speed, memory }) = self.ratios(theirs) {
                let memory = memory.map_or("-".into(), |m| format!("{m:.2}"));
                line.push_str(&format!("{:>7}{memory:>8}", decimal(speed)));
            }
        }
        line.push('\n');
        line
    }

    /// An object on a line of its own.
    pub fn json(&self, suite: &str) -> String {
        let mut object = json!({
            "suite": suite,
            "model": self.name,
            "beeline": env!("CARGO_PKG_VERSION"),
            "debug_assertions": cfg!(debug_assertions),
        });
        match &self.ours {
            Ok(ours) => {
                let fields = json!({
                    "verdict": ours.verdict,
                    "expanded": ours.expanded,
                    "stored": ours.stored,
                    "generated": ours.generated,
                    "threads": ours.threads,
                    "wall_seconds": ours.usage.wall.as_secs_f64(),
                    "cpu_seconds": seconds(&ours.usage),
                    "search_seconds": ours.search_seconds,
                    "expanded_per_second": ours.rate(),
                    "nanoseconds_per_generated": ours.nanoseconds_per_successor(),
                    "resident_bytes": ours.usage.resident,
                    "peak_bytes": ours.bytes,
                    "bytes_per_stored": ours.bytes_per_state(),
                });
                add(&mut object, fields);
            }
            Err((_, reason)) => object["error"] = json!(reason),
        }
        object["peers"] = self.theirs.iter().map(|theirs| self.peer(theirs)).collect();
        format!("{object}\n")
    }

    fn peer(&self, theirs: &Theirs) -> Value {
        let mut object = json!({ "name": theirs.name, "program": theirs.program });
        match &theirs.figures {
            Ok((visited, usage)) => add(
                &mut object,
                json!({
                    "visited": visited,
                    "cpu_seconds": seconds(usage),
                    "visited_per_second": per(*visited as f64, seconds(usage)),
                    "resident_bytes": usage.resident,
                }),
            ),
            Err(reason) => object["error"] = json!(reason),
        }
        if let Some(Ratios { speed, memory }) = self.ratios(theirs) {
            object["ratio"] = json!({ "speed": speed, "memory": memory });
        }
        object
    }
}

fn add(object: &mut Value, fields: Value) {
    if let (Value::Object(object), Value::Object(fields)) = (object, fields) {
        object.extend(fields);
    }
}

fn whole(number: Option<f64>) -> String {
    number.map_or("-".into(), |n| grouped(n.round() as u64))
}

fn decimal(number: Option<f64>) -> String {
    number.map_or("-".into(), |n| format!("{n:.1}"))
}

fn megabytes(usage: &Usage) -> String {
    format!("{:.1}", usage.resident as f64 / 1e6)
}
