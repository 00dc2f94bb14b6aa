//! A discrete state in the words of its model: named items (the location of a process, a variable, a queue) with
//! values that people can read, and what changes from one state to the next.

use beeline_ir::layout::{Layout, SlotKind};
use beeline_ir::model::Model;
use beeline_ir::network::{Network, SymbolTable};
use beeline_ir::origin::Origin;
use beeline_ir::{EnumId, IdVec, ProcessId};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Cells of an array that are listed before the rest is only counted.
const MAX_CELLS: usize = 32;

/// The items a model's states are made of.
#[derive(Debug)]
pub struct View<'m> {
    model: &'m Model,
    layout: Layout,
    items: Vec<Item>,
}

/// One named thing of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// A name no other item has.
    pub name: String,
    shape: Shape,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Shape {
    Location { process: ProcessId, slot: usize },
    Number { slot: usize },
    Scalar { slot: usize, symbols: Option<EnumId> },
    Array { first: usize, len: usize, symbols: Option<EnumId> },
    Queue { element: usize },
    Token { slot: usize },
}

impl<'m> View<'m> {
    /// The view of a model's states.
    pub fn new(model: &'m Model) -> Self {
        let layout = match model {
            Model::Network(network) => Layout::of_network(network),
            Model::Relation(relation) => Layout::of_relation(relation),
        };
        let mut view = Self { model, layout, items: Vec::new() };
        let mut taken = BTreeSet::new();
        for (slot, kind) in view.layout.slots.iter().map(|s| s.kind).enumerate() {
            let Some((name, shape)) = view.item(slot, kind) else { continue };
            let mut name = plain(&name);
            while !taken.insert(name.clone()) {
                name.push('\'');
            }
            view.items.push(Item { name, shape });
        }
        view
    }

    fn item(&self, slot: usize, kind: SlotKind) -> Option<(String, Shape)> {
        let network = match self.model {
            Model::Network(network) => network,
            Model::Relation(relation) => {
                let SlotKind::Cell(var, _) = kind else { return None };
                let var = &relation.vars[var];
                return Some((var.name.clone(), Shape::Scalar { slot, symbols: var.symbols }));
            }
        };
        match kind {
            SlotKind::Location(process) => {
                Some((network.processes[process].name.clone(), Shape::Location { process, slot }))
            }
            SlotKind::Pid(process) => {
                Some((format!("pid({})", network.processes[process].name), Shape::Number { slot }))
            }
            SlotKind::Cell(id, 0) => {
                let var = &network.vars[id];
                if made_up(network, var.origin.as_ref()) {
                    return None;
                }
                let shape = match var.len {
                    None => Shape::Scalar { slot, symbols: var.symbols },
                    Some(len) => Shape::Array { first: slot, len: len as usize, symbols: var.symbols },
                };
                Some((network.var_name(id), shape))
            }
            SlotKind::QueueLength(element) => {
                let (id, index) = network.element(element)?;
                if made_up(network, network.channels[id].origin.as_ref()) {
                    return None;
                }
                let name = network.channel_name(id);
                let name = if network.channels[id].len.is_some() { format!("{name}[{index}]") } else { name };
                Some((name, Shape::Queue { element }))
            }
            SlotKind::Holder => Some(("exclusive".into(), Shape::Token { slot })),
            SlotKind::Cell(..) | SlotKind::QueueCell(..) => None,
        }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }
    /// The layout of its states.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    /// The items, in the order of the layout.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The process whose location an item is.
    pub fn process(&self, item: &Item) -> Option<ProcessId> {
        match item.shape {
            Shape::Location { process, .. } => Some(process),
            _ => None,
        }
    }

    /// Whether an item says where processes are, or who goes on.
    pub fn is_control(&self, item: &Item) -> bool {
        matches!(item.shape, Shape::Location { .. } | Shape::Token { .. })
    }

    /// Whether an item is, or belongs to, a process that does not run in a state: it has not begun, or has ended.
    pub fn idle(&self, item: &Item, state: &[i64]) -> bool {
        let Model::Network(network) = self.model else { return false };
        let slot = match item.shape {
            Shape::Location { slot, .. } | Shape::Number { slot } | Shape::Scalar { slot, .. } => slot,
            Shape::Array { first, .. } => first,
            Shape::Queue { .. } | Shape::Token { .. } => return false,
        };
        let owner = match self.layout.slots[slot].kind {
            SlotKind::Location(process) | SlotKind::Pid(process) => Some(process),
            SlotKind::Cell(var, _) => network.vars[var].owner,
            _ => None,
        };
        owner.is_some_and(|process| {
            self.layout.location(process, state[self.layout.location[process]]).is_none()
        })
    }

    /// The value of an item in a state.
    pub fn value(&self, item: &Item, state: &[i64]) -> String {
        match item.shape {
            Shape::Location { process, slot } => self.location(process, state[slot]),
            Shape::Number { slot } if state[slot] < 0 => "none".into(),
            Shape::Number { slot } => state[slot].to_string(),
            Shape::Scalar { slot, symbols } => self.symbol(symbols, state[slot]),
            Shape::Array { first, len, symbols } => {
                let cells = &state[first..first + len];
                let shown = cells.iter().take(MAX_CELLS).map(|v| self.symbol(symbols, *v));
                let mut text = shown.collect::<Vec<_>>().join(", ");
                if len > MAX_CELLS {
                    text.push_str(&format!(", ... {} more", len - MAX_CELLS));
                }
                format!("{{{text}}}")
            }
            Shape::Queue { element } => {
                let texts = |m: &&[i64]| message(&self.fields(element, m));
                let messages = self.messages(element, state).iter().map(texts).collect::<Vec<_>>();
                format!("[{}]", messages.join(", "))
            }
            Shape::Token { slot } => self.holder(state[slot]),
        }
    }

    /// The value of an item as ITF data: integers as `#bigint`, names as strings, arrays and queues as lists.
    pub fn itf(&self, item: &Item, state: &[i64]) -> Value {
        match item.shape {
            Shape::Scalar { slot, symbols: None } | Shape::Number { slot } => bigint(state[slot]),
            Shape::Array { first, len, symbols: None } => {
                state[first..first + len].iter().map(|v| bigint(*v)).collect()
            }
            Shape::Array { first, len, symbols } => {
                state[first..first + len].iter().map(|v| Value::from(self.symbol(symbols, *v))).collect()
            }
            Shape::Queue { element } => {
                let messages = self.messages(element, state);
                let field = |at: usize, value: i64| match self.field_symbols(element, at) {
                    None => bigint(value),
                    symbols => Value::from(self.symbol(symbols, value)),
                };
                let tuple =
                    |m: &&[i64]| m.iter().enumerate().map(|(at, v)| field(at, *v)).collect::<Vec<_>>();
                messages.iter().map(|m| json!({ "#tup": tuple(m) })).collect()
            }
            _ => Value::from(self.value(item, state)),
        }
    }

    /// What became of an item: nothing, or one `name: old -> new` for it or for each of its cells.
    pub fn changes(&self, item: &Item, before: &[i64], after: &[i64]) -> Vec<String> {
        if let Shape::Array { first, len, symbols } = item.shape {
            let cell = |i: usize| {
                let (old, new) = (before[first + i], after[first + i]);
                let (old_text, new_text) = (self.symbol(symbols, old), self.symbol(symbols, new));
                (old != new).then(|| format!("{}[{i}]: {old_text} -> {new_text}", item.name))
            };
            return (0..len).filter_map(cell).collect();
        }
        let (old, new) = (self.value(item, before), self.value(item, after));
        if old == new { Vec::new() } else { vec![format!("{}: {old} -> {new}", item.name)] }
    }

    fn location(&self, process: ProcessId, value: i64) -> String {
        let Model::Network(network) = self.model else { return value.to_string() };
        let name = match self.layout.location(process, value) {
            Some(location) => network.processes[process].locations[location].name.as_str(),
            None => return "(none)".into(),
        };
        plain(name)
    }

    fn symbol(&self, symbols: Option<EnumId>, value: i64) -> String {
        symbol(self.enums(), symbols, value)
    }

    fn enums(&self) -> &IdVec<EnumId, SymbolTable> {
        match self.model {
            Model::Network(network) => &network.enums,
            Model::Relation(relation) => &relation.enums,
        }
    }

    fn holder(&self, value: i64) -> String {
        let index = usize::try_from(value).ok().and_then(|v| v.checked_sub(1));
        match (self.model, index) {
            (Model::Network(network), Some(index)) => network
                .processes
                .get(ProcessId::new(index))
                .map_or_else(|| value.to_string(), |process| plain(&process.name)),
            _ => "nobody".into(),
        }
    }

    /// The names of what a field of a queue's messages can be.
    fn field_symbols(&self, element: usize, field: usize) -> Option<EnumId> {
        let Model::Network(network) = self.model else { return None };
        let (channel, _) = network.element(element)?;
        network.channels[channel].symbols.get(field).copied().flatten()
    }

    fn fields(&self, element: usize, message: &[i64]) -> Vec<String> {
        let named = |(at, value): (usize, &i64)| self.symbol(self.field_symbols(element, at), *value);
        message.iter().enumerate().map(named).collect()
    }

    fn messages<'s>(&self, element: usize, state: &'s [i64]) -> Vec<&'s [i64]> {
        let Some(Some(queue)) = self.layout.queues.get(element) else { return Vec::new() };
        let length = usize::try_from(state[queue.length]).unwrap_or(0).min(queue.capacity);
        (0..length).map(|m| queue.cell(m, 0)).map(|first| &state[first..first + queue.fields]).collect()
    }
}

/// Whether no source file of a model declares something: a reader has added it.
pub fn made_up(network: &Network, origin: Option<&Origin>) -> bool {
    !network.sources.is_empty() && origin.is_none()
}

/// A value by its symbolic name, where it has one.
pub fn symbol(enums: &IdVec<EnumId, SymbolTable>, symbols: Option<EnumId>, value: i64) -> String {
    symbols
        .and_then(|id| enums.get(id))
        .and_then(|table| table.symbols.iter().find(|(v, _)| *v == value))
        .map_or_else(|| value.to_string(), |(_, name)| plain(name))
}

fn message(fields: &[String]) -> String {
    if fields.len() == 1 { fields.concat() } else { format!("({})", fields.join(", ")) }
}

fn bigint(value: i64) -> Value {
    json!({ "#bigint": value.to_string() })
}

/// A name without anything that a terminal would act on: control characters and marks that turn the direction of
/// writing are shown as escapes.
pub fn plain(name: &str) -> String {
    let turns =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_control() || turns(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}
