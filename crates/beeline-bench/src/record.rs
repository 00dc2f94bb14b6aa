//! What one run came to, as a line of JSON. Lines that are no records of ours are left alone.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How a run ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// With a trace.
    Found,
    /// With the answer that there is none.
    Proved,
    /// Without an answer: out of time or memory, or the search left states out.
    Unsolved,
    /// In an error.
    Failed,
}

impl Status {
    const ALL: [(Self, &str); 4] = [
        (Self::Found, "found"),
        (Self::Proved, "proved"),
        (Self::Unsolved, "unsolved"),
        (Self::Failed, "failed"),
    ];
    /// As records write it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(status, _)| *status == self).map_or("", |(_, name)| name)
    }
    fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(status, _)| *status)
    }
    /// Whether there is an answer.
    pub fn solved(self) -> bool {
        matches!(self, Self::Found | Self::Proved)
    }
}

/// Which run it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key {
    /// The suite.
    pub suite: String,
    /// The instance.
    pub instance: String,
    /// The configuration, or the peer.
    pub configuration: String,
    /// The seed, where chance has a say.
    pub seed: Option<u64>,
}

/// What a run came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// Which run.
    pub key: Key,
    /// How it ended.
    pub status: Status,
    /// Why there is no answer.
    pub reason: Option<String>,
    /// Steps of the trace.
    pub length: Option<u64>,
    /// States expanded, or nodes made: what the suite counts.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// Entries of explicit databases in all, if there were any.
    pub entries: Option<u64>,
    /// The greatest distance that an entry has.
    pub layers: Option<u64>,
    /// The estimate at the start.
    pub start: Option<u64>,
    /// Seconds of processor time.
    pub cpu_seconds: f64,
    /// Seconds before the search, such as those of making an abstraction.
    pub overhead_seconds: Option<f64>,
    /// Bytes resident at most.
    pub resident_bytes: u64,
    /// Seconds that were allowed.
    pub time_limit: u64,
    /// Bytes that were allowed, if there was a limit.
    pub memory_limit: Option<u64>,
    /// The version that ran.
    pub version: String,
    /// The machine it ran on.
    pub machine: String,
    /// The other program whose run it is, and its version; none for a run of Beeline.
    pub peer: Option<String>,
}

impl Record {
    /// A line.
    pub fn line(&self) -> String {
        let Key { suite, instance, configuration, seed } = &self.key;
        let object = json!({
            "suite": suite,
            "instance": instance,
            "configuration": configuration,
            "seed": seed,
            "status": self.status.name(),
            "reason": self.reason,
            "length": self.length,
            "expanded": self.expanded,
            "generated": self.generated,
            "entries": self.entries,
            "layers": self.layers,
            "start": self.start,
            "cpu_seconds": self.cpu_seconds,
            "overhead_seconds": self.overhead_seconds,
            "resident_bytes": self.resident_bytes,
            "time_limit": self.time_limit,
            "memory_limit": self.memory_limit,
            "beeline": self.version,
            "machine": self.machine,
            "peer": self.peer,
        });
        format!("{object}\n")
    }

    /// The record on a line.
    pub fn read(line: &str) -> Option<Self> {
        let object: Value = serde_json::from_str(line).ok()?;
        let text = |name: &str| object[name].as_str().map(str::to_string);
        let number = |name: &str| object[name].as_u64();
        Some(Self {
            key: Key {
                suite: text("suite")?,
                instance: text("instance")?,
                configuration: text("configuration")?,
                seed: number("seed"),
            },
            status: Status::of(object["status"].as_str()?)?,
            reason: text("reason"),
            length: number("length"),
            expanded: number("expanded")?,
            generated: number("generated")?,
            entries: number("entries"),
            layers: number("layers"),
            start: number("start"),
            cpu_seconds: object["cpu_seconds"].as_f64()?,
            overhead_seconds: object["overhead_seconds"].as_f64(),
            resident_bytes: number("resident_bytes")?,
            time_limit: number("time_limit")?,
            memory_limit: number("memory_limit"),
            version: text("beeline")?,
            machine: text("machine")?,
            peer: text("peer"),
        })
    }

    /// All records of a text, the last one of each run.
    pub fn read_all(text: &str) -> Vec<Self> {
        let (mut records, mut places): (Vec<Self>, BTreeMap<Key, usize>) = Default::default();
        for record in text.lines().filter_map(Self::read) {
            match places.get(&record.key) {
                Some(place) => records[*place] = record,
                None => {
                    places.insert(record.key.clone(), records.len());
                    records.push(record);
                }
            }
        }
        records
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn record(instance: &str, configuration: &str, seed: Option<u64>, expanded: u64) -> Record {
        Record {
            key: Key {
                suite: "p3".into(),
                instance: instance.into(),
                configuration: configuration.into(),
                seed,
            },
            status: Status::Found,
            reason: None,
            length: Some(expanded / 10),
            expanded,
            generated: 3 * expanded,
            entries: None,
            layers: None,
            start: None,
            cpu_seconds: expanded as f64 / 1000.0,
            overhead_seconds: Some(0.25),
            resident_bytes: 1 << 20,
            time_limit: 60,
            memory_limit: Some(4_000_000_000),
            version: "1.2.3".into(),
            machine: "a machine".into(),
            peer: None,
        }
    }

    #[test]
    fn lines_read_back() {
        let found = record("C1", "h^L", Some(3), 500);
        let reason = Some("time limit reached".to_string());
        let unsolved =
            Record { status: Status::Unsolved, reason, length: None, ..record("C2", "h^L", None, 7) };
        let guided = Record { entries: Some(70), layers: Some(9), start: Some(4), ..found.clone() };
        for record in [found, unsolved, guided] {
            assert_eq!(Record::read(&record.line()), Some(record));
        }
        assert_eq!(Record::read("{}"), None);
        assert_eq!(Record::read("{\"suite\": \"p3\", \"inst"), None, "a line that was cut");
    }

    #[test]
    fn the_last_record_of_a_run_counts() {
        let text = [
            record("C1", "h^L", Some(1), 5),
            record("C1", "h^L", Some(2), 6),
            record("C1", "h^L", Some(1), 7),
        ];
        let text: String = text.iter().map(Record::line).collect::<String>() + "no record\n";
        let expanded: Vec<u64> = Record::read_all(&text).iter().map(|record| record.expanded).collect();
        assert_eq!(expanded, [7, 6]);
    }
}
