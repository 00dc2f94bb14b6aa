//! Traces as JSON: complete enough to be replayed by anyone who has the model.
//!
//! ```json
//! { "format": "beeline-trace", "version": 1, "model_hash": "...", "property": "A[] !P1.cs", "observer_start": null,
//!   "steps": [ { "delay": "3/2", "label": "P1: idle -> cs",
//!                "parts": [ { "process": "P1", "edge": 0, "selects": [] } ], "observer": null } ],
//!   "last_delay": "0" }
//! ```
//! A relation's trace has `"initial"`, and steps with `"inputs"` and `"state"`, objects from names to values. Labels are
//! for people and are not read back. The reader is strict: a field that is missing, unknown or of the wrong type is an
//! error, and so is an amount of time too large or too fine to be added up exactly.

use beeline_ir::layout::{Label, Part};
use beeline_ir::model::{Model, ModelHash};
use beeline_ir::network::Network;
use beeline_ir::relation::{Relation, RelationRole, RelationVar};
use beeline_ir::trace::{
    NetworkRun, NetworkStep, RelationRun, RelationStep, Run, TRACE_VERSION, Time, Trace,
};
use beeline_ir::{EdgeId, ProcessId};
use serde_json::{Map, Value, json};

/// The value of `"format"`.
pub const FORMAT: &str = "beeline-trace";

/// The sum of all delays stays below this, so that no clock value overflows.
const MAX_TIME: i64 = 1 << 40;

/// And their common denominator below this.
const MAX_DENOMINATOR: i64 = 1 << 20;

/// Fields that [`write`] or a report adds for people and that the reader passes over.
const DECORATION: [&str; 6] = ["label", "length", "shortest", "replayed", "failure", "spin_depth"];

type Object = Map<String, Value>;

/// A trace as JSON, with the label of each step in words.
pub fn write(model: &Model, trace: &Trace, labels: &[String]) -> Object {
    let mut object = Object::new();
    object.insert("format".into(), FORMAT.into());
    object.insert("version".into(), TRACE_VERSION.into());
    object.insert("model_hash".into(), trace.model.to_string().into());
    object.insert("property".into(), trace.property.clone().into());
    let label = |i: usize| labels.get(i).map_or("", String::as_str);
    match (model, &trace.run) {
        (Model::Network(network), Run::Network(run)) => {
            let step = |(i, s): (usize, &NetworkStep)| {
                let parts: Vec<Value> = s.label.parts.iter().map(|p| write_part(network, p)).collect();
                json!({ "delay": s.delay.to_string(), "label": label(i), "parts": parts,
                        "observer": s.label.observer.map(EdgeId::index) })
            };
            object.insert("observer_start".into(), run.observer_start.map(EdgeId::index).into());
            object.insert("steps".into(), run.steps.iter().enumerate().map(step).collect());
            object.insert("last_delay".into(), run.last_delay.to_string().into());
        }
        (Model::Relation(relation), Run::Relation(run)) => {
            let step = |(i, s): (usize, &RelationStep)| {
                json!({ "delay": "0", "label": label(i),
                        "inputs": write_values(inputs(relation), &s.inputs),
                        "state": write_values(stored(relation), &s.state) })
            };
            object.insert("initial".into(), write_values(stored(relation), &run.initial));
            object.insert("steps".into(), run.steps.iter().enumerate().map(step).collect());
        }
        // A run of the other form of model: nothing of it can be named.
        _ => {
            object.insert("steps".into(), Value::Array(Vec::new()));
        }
    }
    object
}

fn write_part(network: &Network, part: &Part) -> Value {
    let process = network.processes.get(part.process).map_or("", |p| p.name.as_str());
    json!({ "process": process, "edge": part.edge.index(), "selects": part.selects })
}

fn stored(relation: &Relation) -> impl Iterator<Item = &RelationVar> {
    relation.vars.iter().filter(|v| v.role != RelationRole::Input)
}

fn inputs(relation: &Relation) -> impl Iterator<Item = &RelationVar> {
    relation.vars.iter().filter(|v| v.role == RelationRole::Input)
}

fn write_values<'a>(vars: impl Iterator<Item = &'a RelationVar>, values: &[i64]) -> Value {
    Value::Object(vars.zip(values).map(|(var, value)| (var.name.clone(), Value::from(*value))).collect())
}

/// Reads a trace of a model. The trace belongs to the model only if its hash says so; the kernel checks that.
pub fn read(model: &Model, text: &str) -> Result<Trace, String> {
    Document::read(text)?.trace(model)
}

/// A trace of which only the head has been read: what model it is for, and what it shows. The rest makes sense for that
/// model alone.
#[derive(Clone, PartialEq, Debug)]
pub struct Document {
    /// The model.
    pub model: ModelHash,
    /// What it shows.
    pub property: String,
    value: Value,
}

impl Document {
    /// Reads the head of a trace.
    pub fn read(text: &str) -> Result<Self, String> {
        let foreign = |e: String| format!("{e}; only traces that `--trace json` has written can be replayed");
        let value: Value = serde_json::from_str(text).map_err(|e| foreign(format!("not JSON: {e}")))?;
        let object = Fields::of(&value, "the trace").map_err(foreign)?;
        if object.text("format").map_err(foreign)? != FORMAT {
            return Err(foreign(format!("\"format\" is not \"{FORMAT}\"")));
        }
        if object.integer("version")? != i64::from(TRACE_VERSION) {
            return Err(format!("version {} of the trace format is not known", object.integer("version")?));
        }
        let hash = object.text("model_hash")?;
        let model = read_hash(hash).ok_or("\"model_hash\" is not a hash of 64 hexadecimal digits")?;
        let property = object.text("property")?.to_string();
        Ok(Self { model, property, value })
    }

    /// The whole trace, in the terms of its model.
    pub fn trace(self, model: &Model) -> Result<Trace, String> {
        let object = Fields::of(&self.value, "the trace")?;
        let run = match model {
            Model::Network(network) => Run::Network(read_network_run(network, &object)?),
            Model::Relation(relation) => Run::Relation(read_relation_run(relation, &object)?),
        };
        Ok(Trace { model: self.model, property: self.property, run })
    }
}

fn read_hash(text: &str) -> Option<ModelHash> {
    let digits = text.as_bytes();
    let mut bytes = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |d: u8| char::from(d).to_digit(16);
        *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
    }
    Some(ModelHash(bytes))
}

fn read_network_run(network: &Network, object: &Fields<'_>) -> Result<NetworkRun, String> {
    object.only(&["format", "version", "model_hash", "property", "observer_start", "steps", "last_delay"])?;
    let mut clock = Clock::default();
    let mut steps = Vec::new();
    for (i, step) in object.list("steps")?.iter().enumerate() {
        steps.push(read_network_step(network, step, &mut clock).map_err(|e| format!("step {}: {e}", i + 1))?);
    }
    let observer_start = object.edge("observer_start")?;
    Ok(NetworkRun { observer_start, steps, last_delay: clock.read(object.text("last_delay")?)? })
}

fn read_network_step(network: &Network, step: &Value, clock: &mut Clock) -> Result<NetworkStep, String> {
    let step = Fields::of(step, "the step")?;
    step.only(&["delay", "parts", "observer"])?;
    let delay = clock.read(step.text("delay")?)?;
    let parts =
        step.list("parts")?.iter().map(|part| read_part(network, part)).collect::<Result<Vec<_>, _>>()?;
    if parts.is_empty() {
        return Err("\"parts\" is empty".into());
    }
    Ok(NetworkStep { delay, label: Label { parts, observer: step.edge("observer")? } })
}

fn read_part(network: &Network, part: &Value) -> Result<Part, String> {
    let part = Fields::of(part, "the part")?;
    part.only(&["process", "edge", "selects"])?;
    let name = part.text("process")?;
    let process = network.processes.enumerate().find(|(_, p)| p.name == name).map(|(id, _)| id);
    let process: ProcessId = process.ok_or_else(|| format!("there is no process {name:?}"))?;
    let edge = part.edge("edge")?.ok_or("\"edge\" is null")?;
    if network.processes[process].edges.get(edge).is_none() {
        return Err(format!("process {name:?} has no edge {}", edge.index()));
    }
    let selects = part.list("selects")?.iter().map(Value::as_i64).collect::<Option<Vec<_>>>();
    Ok(Part { process, edge, selects: selects.ok_or("\"selects\" is not a list of integers")? })
}

fn read_relation_run(relation: &Relation, object: &Fields<'_>) -> Result<RelationRun, String> {
    object.only(&["format", "version", "model_hash", "property", "initial", "steps"])?;
    let initial = read_values(object.get("initial")?, "initial", stored(relation))?;
    let mut steps = Vec::new();
    for (i, step) in object.list("steps")?.iter().enumerate() {
        let read = || {
            let step = Fields::of(step, "the step")?;
            step.only(&["delay", "inputs", "state"])?;
            if step.text("delay")? != "0" {
                return Err("\"delay\" is not \"0\"".to_string());
            }
            let inputs = read_values(step.get("inputs")?, "inputs", inputs(relation))?;
            let state = read_values(step.get("state")?, "state", stored(relation))?;
            Ok(RelationStep { inputs, state })
        };
        steps.push(read().map_err(|e| format!("step {}: {e}", i + 1))?);
    }
    Ok(RelationRun { initial, steps })
}

fn read_values<'a>(
    value: &Value,
    what: &str,
    vars: impl Iterator<Item = &'a RelationVar>,
) -> Result<Vec<i64>, String> {
    let object = Fields::of(value, what)?;
    let values = vars.map(|var| object.integer(&var.name)).collect::<Result<Vec<_>, _>>()?;
    if object.0.len() != values.len() {
        return Err(format!("{what} has a name that is no variable of its kind"));
    }
    Ok(values)
}

/// Reads delays and keeps their sum and common denominator within [`MAX_TIME`].
struct Clock {
    total: Time,
    denominator: i64,
}

impl Default for Clock {
    fn default() -> Self {
        Self { total: Time::from_integer(0), denominator: 1 }
    }
}

impl Clock {
    fn read(&mut self, text: &str) -> Result<Time, String> {
        let delay = read_time(text).ok_or_else(|| format!("{text:?} is not an amount of time"))?;
        // Both factors are below 2^20, and all times below 2^40: neither product nor sum overflows.
        self.denominator *= delay.denom() / gcd(self.denominator, *delay.denom());
        if self.denominator >= MAX_DENOMINATOR {
            return Err("the delays have no small common denominator".into());
        }
        self.total += delay;
        if self.total >= Time::from_integer(MAX_TIME) {
            return Err("the delays add up to too much".into());
        }
        Ok(delay)
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn read_time(text: &str) -> Option<Time> {
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit()).then(|| s.parse::<i64>().ok()).flatten();
    let (numerator, denominator) = (digits(numerator)?, digits(denominator)?);
    let bounded = (1..MAX_DENOMINATOR).contains(&denominator) && numerator / denominator < MAX_TIME;
    bounded.then(|| Time::new(numerator, denominator))
}

/// The fields of an object, with errors that name what is wrong.
struct Fields<'v>(&'v Object);

impl<'v> Fields<'v> {
    fn of(value: &'v Value, what: &str) -> Result<Self, String> {
        value.as_object().map(Fields).ok_or_else(|| format!("{what} is not an object"))
    }
    fn only(&self, known: &[&str]) -> Result<(), String> {
        let known = |key: &&String| known.contains(&key.as_str()) || DECORATION.contains(&key.as_str());
        self.0.keys().find(|key| !known(key)).map_or(Ok(()), |key| Err(format!("unknown field {key:?}")))
    }
    fn get(&self, name: &str) -> Result<&'v Value, String> {
        self.0.get(name).ok_or_else(|| format!("{name:?} is missing"))
    }
    fn text(&self, name: &str) -> Result<&'v str, String> {
        self.get(name)?.as_str().ok_or_else(|| format!("{name:?} is not a string"))
    }
    fn integer(&self, name: &str) -> Result<i64, String> {
        self.get(name)?.as_i64().ok_or_else(|| format!("{name:?} is not an integer"))
    }
    fn list(&self, name: &str) -> Result<&'v [Value], String> {
        self.get(name)?.as_array().map(Vec::as_slice).ok_or_else(|| format!("{name:?} is not a list"))
    }
    fn edge(&self, name: &str) -> Result<Option<EdgeId>, String> {
        let value = self.get(name)?;
        let index = value.as_u64().and_then(|i| u32::try_from(i).ok());
        match index {
            _ if value.is_null() => Ok(None),
            Some(index) => Ok(Some(EdgeId::new(index as usize))),
            None => Err(format!("{name:?} is not the number of an edge")),
        }
    }
}
