//! Names: who is called what, how a name is written, and which known name was probably meant.
//!
//! Variables, clocks, channels, functions, processes, families and enums outside of processes share one namespace;
//! the variables, clocks, channels and locations of a process share another. A name alone means a local of the
//! frame, else something of the process it is used in, else something global; `P.x` is the `x` of process `P`,
//! and `::x` the global one.

use std::collections::BTreeMap;

use super::lex::is_identifier;
use crate::id::{ChannelId, ClockId, EnumId, FamilyId, FunctionId, LocationId, ProcessId, VarId};
use crate::model::Model;

/// Words with a meaning where a name could stand as well; as a name they are quoted.
const RESERVED: [&str; 40] = [
    "_",
    "alive",
    "and",
    "any",
    "assert",
    "call",
    "cap",
    "chan",
    "deadlock",
    "else",
    "enabled",
    "exists",
    "exit",
    "false",
    "forall",
    "if",
    "keep",
    "len",
    "local",
    "max",
    "min",
    "next",
    "or",
    "pid",
    "poll",
    "processes",
    "receive",
    "return",
    "send",
    "sorted",
    "start",
    "sum",
    "then",
    "timeout",
    "true",
    "while",
    "wrap",
    "do",
    "in",
    "at",
];

/// What a name stands for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Entity {
    Var(VarId),
    Clock(ClockId),
    Channel(ChannelId),
    Function(FunctionId),
    Process(ProcessId),
    Family(FamilyId),
    Enum(EnumId),
    Location(LocationId),
}

impl Entity {
    /// What it is, with an article.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Var(_) => "a variable",
            Self::Clock(_) => "a clock",
            Self::Channel(_) => "a channel",
            Self::Function(_) => "a function",
            Self::Process(_) => "a process",
            Self::Family(_) => "a family",
            Self::Enum(_) => "an enum",
            Self::Location(_) => "a location",
        }
    }
}

/// The names of a model. Of two equal names the first counts; well-formedness reports the second.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Names {
    global: BTreeMap<String, Entity>,
    owned: Vec<BTreeMap<String, Entity>>,
}

impl Names {
    /// The names of a model.
    pub fn of(model: &Model) -> Self {
        let mut names = Self::default();
        match model {
            Model::Network(network) => {
                names.owned = vec![BTreeMap::new(); network.processes.len()];
                for (id, process) in network.processes.enumerate() {
                    names.add(None, &process.name, Entity::Process(id));
                    for (location, l) in process.locations.enumerate() {
                        names.add(Some(id), &l.name, Entity::Location(location));
                    }
                }
                for (id, var) in network.vars.enumerate() {
                    names.add(var.owner, &var.name, Entity::Var(id));
                }
                for (id, clock) in network.clocks.enumerate() {
                    names.add(clock.owner, &clock.name, Entity::Clock(id));
                }
                for (id, channel) in network.channels.enumerate() {
                    names.add(channel.owner, &channel.name, Entity::Channel(id));
                }
                for (id, function) in network.functions.enumerate() {
                    names.add(None, &function.name, Entity::Function(id));
                }
                for (id, family) in network.families.enumerate() {
                    names.add(None, &family.name, Entity::Family(id));
                }
                for (id, table) in network.enums.enumerate() {
                    names.add(None, &table.name, Entity::Enum(id));
                }
            }
            Model::Relation(relation) => {
                for (id, var) in relation.vars.enumerate() {
                    names.add(None, &var.name, Entity::Var(id));
                }
                for (id, table) in relation.enums.enumerate() {
                    names.add(None, &table.name, Entity::Enum(id));
                }
            }
        }
        names
    }

    fn add(&mut self, owner: Option<ProcessId>, name: &str, entity: Entity) {
        let space = match owner {
            None => Some(&mut self.global),
            Some(process) => self.owned.get_mut(process.index()),
        };
        if let Some(space) = space {
            space.entry(name.to_string()).or_insert(entity);
        }
    }

    /// What a global name stands for.
    pub fn global(&self, name: &str) -> Option<Entity> {
        self.global.get(name).copied()
    }
    /// What a name stands for in a process.
    pub fn owned(&self, process: ProcessId, name: &str) -> Option<Entity> {
        self.owned.get(process.index())?.get(name).copied()
    }
    /// The names of a process, or the global ones.
    pub fn space(&self, process: Option<ProcessId>) -> impl Iterator<Item = &str> {
        let space = match process {
            None => Some(&self.global),
            Some(process) => self.owned.get(process.index()),
        };
        space.into_iter().flat_map(|s| s.keys().map(String::as_str))
    }
}

/// A name as it is written: bare if it is an identifier and not reserved, else quoted.
pub(super) fn write_name(name: &str) -> String {
    if is_identifier(name) && !RESERVED.contains(&name) { name.to_string() } else { quote(name, '\'') }
}

/// Whether the word is reserved.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// A text in quotes, on one line.
pub(super) fn quote(text: &str, mark: char) -> String {
    let mut out = String::from(mark);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == mark || c == '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(mark);
    out
}

/// The known name nearest to an unknown one, if it is near enough to be a slip.
pub fn suggest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = if name.chars().count() <= 3 { 1 } else { 2 };
    known
        .filter(|k| k.len().abs_diff(name.len()) <= 8 && k.len() <= 200)
        .map(|k| (distance(name, k), k))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, k)| k)
}

/// Letters changed, added, left out, or swapped with the next; upper and lower case count as equal.
fn distance(a: &str, b: &str) -> usize {
    let lower = |text: &str| text.chars().map(|c| c.to_ascii_lowercase()).collect::<Vec<char>>();
    let (a, b) = (lower(a), lower(b));
    let (mut before, mut row): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            next[j] = change.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && (a[i - 1], a[i - 2]) == (b[j - 2], b[j - 1]) {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}
