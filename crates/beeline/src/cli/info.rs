//! `info`: what a model is made of.

mod causal;
mod mutexes;
mod safe;
mod symmetry;

use super::asked::Asked;
use super::{Args, CommandResult, Exit, Output, Stop, add_notes, header, print_json, remarks};
use beeline::verify::Reduced;
use beeline::{Loaded, properties};
use beeline_abstraction::Reduction;
use beeline_ir::VarId;
use beeline_ir::expr::Range;
use beeline_ir::layout::Layout;
use beeline_ir::model::Model;
use beeline_ir::network::{Channel, ChannelKind, Network, Process, Role, Var};
use beeline_ir::property::Property;
use beeline_ir::relation::{Relation, RelationRole};
use beeline_program::{Program, schema::Parts};
use beeline_report::text::{count, grouped};
use beeline_report::view::{made_up, plain};
use mutexes::Mutual;
use safe::Safe;
use serde_json::{Value, json};
use std::fmt::Write;
use symmetry::Interchangeable;

/// Shows a model as text, JSON or graph.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let forms = ["--json", "--dot", "--dot-automata"].into_iter().filter(|form| args.flag(&form[2..]));
    let forms: Vec<&str> = forms.collect();
    if forms.len() > 1 {
        return Err(Stop::usage(format!("{} exclude each other", forms.join(" and "))));
    }
    let path = args.path("MODEL");
    let loaded = beeline::load(&path)?;
    let asked = Asked::known(args, &loaded, &path)?;
    let asked = Asked::chosen(args, &loaded, asked)?;
    remarks(output, &loaded, asked.found.as_deref(), false);
    let listed = asked.properties();
    match forms.first() {
        Some(&"--dot") => causal::draw(&loaded.model, &listed, output)?,
        Some(&"--dot-automata") => output.out(&beeline_report::dot::model(&loaded.model)),
        Some(_) => {
            let mut object = header(&path, Some(&loaded));
            add_notes(&mut object, &loaded);
            object["info"] = as_json(&loaded.model, &listed);
            print_json(output, &object);
        }
        None => output.out(&as_text(&loaded, &listed)),
    }
    Ok(Exit::Holds)
}

/// How many label schemas of each kind there are.
#[derive(Default)]
struct SchemaCount {
    internal: usize,
    pairs: usize,
    broadcasts: usize,
}

impl SchemaCount {
    fn of(network: &Network) -> Self {
        let mut counted = Self::default();
        for schema in beeline_program::schema::schemas(&Program::compile(network)) {
            match schema.parts {
                Parts::Internal(..) => counted.internal += 1,
                Parts::Pair(..) => counted.pairs += 1,
                Parts::Broadcast(..) => counted.broadcasts += 1,
            }
        }
        counted
    }
}

/// Bits of a packed state.
fn bits(layout: &Layout) -> u64 {
    layout.slots.iter().map(|slot| bits_of(slot.range)).sum()
}

fn state_words(layout: &Layout) -> String {
    let bits = bits(layout);
    let unit = if bits == 1 { "bit" } else { "bits" };
    format!("state {}, {} {unit}", count(layout.slots.len(), "slot", "slots"), grouped(bits))
}

fn bits_of(range: Range) -> u64 {
    u64::from(u128::BITS - range.size().saturating_sub(1).leading_zeros())
}

/// What can never happen. It does not depend on what is asked.
fn never(network: &Network) -> Reduced {
    let asked = properties::defaults();
    let reduction = asked.last().and_then(|property| Reduction::of(network, property));
    Reduced::of(network, reduction.as_ref())
}

fn never_words(never: &Reduced) -> String {
    let edges = count(never.edges, "edge", "edges");
    let narrowed = count(never.narrowed.len(), "variable", "variables");
    let names: Vec<String> = never.narrowed.iter().map(|name| plain(name)).collect();
    let names = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
    format!("{edges} never taken; {narrowed} with fewer values than declared{names}")
}

fn as_text(loaded: &Loaded, listed: &[Property]) -> String {
    let mut out = beeline_report::text::model_line(&loaded.model);
    let _ = writeln!(out, "\nhash {}", loaded.model.hash());
    let (safe, mutual) = (Safe::of(&loaded.model, listed), Mutual::of(&loaded.model, listed));
    let symmetric = Interchangeable::of(&loaded.model, listed);
    match &loaded.model {
        Model::Network(network) => network_text(&mut out, network, &safe),
        Model::Relation(relation) => relation_text(&mut out, relation),
    }
    let _ = writeln!(out, "\n{}", count(listed.len(), "property", "properties"));
    for (i, property) in listed.iter().enumerate() {
        let name = property.name.as_ref().map_or(String::new(), |n| format!("{}: ", plain(n)));
        let _ = writeln!(out, "  {}  {name}{}", i + 1, plain(&properties::shown(&loaded.model, property)));
        let more = mutual.words_of(i).into_iter().chain(symmetric.words_of(i));
        for words in safe.words_of(i).into_iter().chain(more) {
            let _ = writeln!(out, "       {words}");
        }
    }
    out
}

fn network_text(out: &mut String, network: &Network, safe: &Safe) {
    let layout = Layout::of_network(network);
    let _ = writeln!(out, "{}", state_words(&layout));
    let SchemaCount { internal, pairs, broadcasts } = SchemaCount::of(network);
    let _ = writeln!(out, "label schemas {internal} internal, {pairs} pairs, {broadcasts} broadcasts");
    let _ = writeln!(out, "{}", never_words(&never(network)));
    let _ = writeln!(out, "{}", safe.words());
    let _ = writeln!(out, "\n{}", count(network.processes.len(), "process", "processes"));
    for process in &network.processes {
        let _ = writeln!(out, "  {}  {}", plain(&process.name), process_words(network, process));
    }
    let declared = |id: &VarId| !made_up(network, network.vars[*id].origin.as_ref());
    let variables: Vec<VarId> = network.vars.ids().filter(declared).collect();
    section(
        out,
        "variable",
        variables
            .into_iter()
            .map(|id| format!("{} {}", plain(&network.var_name(id)), var_words(&network.vars[id]))),
    );
    section(out, "clock", network.clocks.ids().map(|id| plain(&network.clock_name(id))));
    section(
        out,
        "channel",
        network.channels.ids().map(|id| {
            let channel = &network.channels[id];
            let urgent = if channel.urgent { ", urgent" } else { "" };
            let size = channel.len.map_or(String::new(), |n| format!("[{n}]"));
            let fields = channel.fields.iter().map(|f| range_words(*f)).collect::<Vec<_>>().join(", ");
            let fields = if fields.is_empty() { fields } else { format!(" of ({fields})") };
            let (name, kind) = (plain(&network.channel_name(id)), kind_words(channel.kind));
            format!("{name}{size} {kind}{urgent}{fields}{}", priority_words(channel))
        }),
    );
}

fn section(out: &mut String, noun: &str, lines: impl ExactSizeIterator<Item = String>) {
    if lines.len() > 0 {
        let _ = writeln!(out, "\n{}", count(lines.len(), noun, &format!("{noun}s")));
        for line in lines {
            let _ = writeln!(out, "  {line}");
        }
    }
}

fn process_words(network: &Network, process: &Process) -> String {
    let mut words = vec![
        count(process.locations.len(), "location", "locations"),
        count(process.edges.len(), "edge", "edges"),
    ];
    if process.role == Role::Observer {
        words.push("observer".into());
    }
    if let Some(family) = process.family {
        words.push(format!("slot of {}", plain(&network.families[family].name)));
    }
    if process.priority != 0 {
        words.push(format!("priority {}", process.priority));
    }
    for (word, number) in [
        ("committed", process.locations.iter().filter(|l| l.committed).count()),
        ("urgent", process.locations.iter().filter(|l| l.urgent).count()),
        ("atomic", process.locations.iter().filter(|l| l.atomic).count()),
    ] {
        if number > 0 {
            words.push(format!("{number} {word}"));
        }
    }
    words.join(", ")
}

fn var_words(var: &Var) -> String {
    let size = var.len.map_or(String::new(), |n| format!("[{n}] "));
    format!("{size}in {}", range_words(var.range))
}

fn range_words(range: Range) -> String {
    format!("{}..{}", range.lo, range.hi)
}

fn kind_words(kind: ChannelKind) -> String {
    match kind {
        ChannelKind::Rendezvous => "rendezvous".into(),
        ChannelKind::Broadcast => "broadcast".into(),
        ChannelKind::Buffered { capacity } => format!("buffer of {capacity}"),
    }
}

/// The priority of a channel, or those of its elements; that of internal labels needs no word.
fn priority_words(channel: &Channel) -> String {
    let priorities = channel.priority.iter();
    match (priorities.clone().min(), priorities.max()) {
        (Some(0), Some(0)) | (None, _) | (_, None) => String::new(),
        (Some(least), Some(most)) if least == most => format!(", priority {least}"),
        (Some(least), Some(most)) => format!(", priorities {least}..{most}"),
    }
}

fn role_words(role: RelationRole) -> &'static str {
    match role {
        RelationRole::State => "state",
        RelationRole::Input => "input",
        RelationRole::Frozen => "frozen",
    }
}

fn relation_text(out: &mut String, relation: &Relation) {
    let layout = Layout::of_relation(relation);
    let _ = writeln!(out, "{}", state_words(&layout));
    let _ = writeln!(
        out,
        "assignments {} init, {} next; constraints {} init, {} invariant, {} relation",
        relation.init_assigns.len(),
        relation.next_assigns.len(),
        relation.init.len(),
        relation.invar.len(),
        relation.trans.len()
    );
    section(
        out,
        "variable",
        relation.vars.ids().map(|id| {
            let var = &relation.vars[id];
            format!("{} {} in {}", role_words(var.role), plain(&var.name), range_words(var.range))
        }),
    );
}

fn as_json(model: &Model, listed: &[Property]) -> Value {
    let mut info = match model {
        Model::Network(network) => network_json(network),
        Model::Relation(relation) => relation_json(relation),
    };
    let (safe, mutual) = (Safe::of(model, listed), Mutual::of(model, listed));
    let symmetric = Interchangeable::of(model, listed);
    safe.put_into(&mut info);
    let shown = |p: &Property| json!({ "name": p.name, "property": properties::shown(model, p) });
    let mut properties: Vec<Value> = listed.iter().map(shown).collect();
    for (at, property) in properties.iter_mut().enumerate() {
        safe.put_into_property(at, property);
        mutual.put_into_property(at, property);
        symmetric.put_into_property(at, property);
    }
    info["properties"] = properties.into();
    info
}

fn network_json(network: &Network) -> Value {
    let layout = Layout::of_network(network);
    let schemas = SchemaCount::of(network);
    let never = never(network);
    let processes: Vec<Value> = network
        .processes
        .iter()
        .map(|p| {
            json!({ "name": p.name, "observer": p.role == Role::Observer, "locations": p.locations.len(),
                    "edges": p.edges.len(), "priority": p.priority,
                    "family": p.family.map(|f| network.families[f].name.clone()) })
        })
        .collect();
    let variables: Vec<Value> = network
        .vars
        .enumerate()
        .map(|(id, v)| {
            json!({ "name": network.var_name(id), "lo": v.range.lo, "hi": v.range.hi, "len": v.len })
        })
        .collect();
    let channels: Vec<Value> = network
        .channels
        .enumerate()
        .map(|(id, c)| {
            let fields: Vec<Value> = c.fields.iter().map(|f| json!({ "lo": f.lo, "hi": f.hi })).collect();
            json!({ "name": network.channel_name(id), "kind": kind_words(c.kind), "len": c.len,
                    "urgent": c.urgent, "priority": c.priority, "fields": fields })
        })
        .collect();
    json!({
        "form": "network",
        "name": network.name,
        "processes": processes,
        "variables": variables,
        "clocks": network.clocks.ids().map(|c| network.clock_name(c)).collect::<Vec<_>>(),
        "channels": channels,
        "schemas": { "internal": schemas.internal, "pairs": schemas.pairs, "broadcasts": schemas.broadcasts },
        "slots": layout.slots.len(),
        "bits": bits(&layout),
        "never_taken": never.edges,
        "narrowed": never.narrowed,
    })
}

fn relation_json(relation: &Relation) -> Value {
    let layout = Layout::of_relation(relation);
    let variables: Vec<Value> = relation
        .vars
        .iter()
        .map(|v| json!({ "name": v.name, "role": role_words(v.role), "lo": v.range.lo, "hi": v.range.hi }))
        .collect();
    json!({
        "form": "relation",
        "name": relation.name,
        "variables": variables,
        "slots": layout.slots.len(),
        "bits": bits(&layout),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_hold_every_value() {
        assert_eq!(bits_of(Range::new(5, 5)), 0);
        assert_eq!(bits_of(Range::new(0, 1)), 1);
        assert_eq!(bits_of(Range::new(-1, 3)), 3);
        assert_eq!(bits_of(Range::new(i64::MIN, i64::MAX)), 64);
    }
}
