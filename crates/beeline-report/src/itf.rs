//! Traces in the Informal Trace Format (Apalache ADR-015), for trace viewers: one object per state, every state
//! with every variable. Locations and symbolic values are strings, integers `#bigint`, clocks pairs `#tup` of
//! numerator and denominator, the step that led to a state its `action`.

use crate::story::{Moment, Story};
use beeline_ir::trace::Time;
use serde_json::{Map, Value, json};

/// The trace as an ITF object.
pub fn render(story: &Story<'_>) -> Value {
    let mut states = vec![state(story, &story.start, 0, "start")];
    for step in &story.steps {
        if let Some(after) = &step.after {
            let index = states.len();
            states.push(state(story, after, index, &step.label()));
        }
    }
    if let Some(end) = &story.end {
        let index = states.len();
        states.push(state(story, end, index, &format!("wait {}", story.last_delay)));
    }
    let items = story.view.items().iter().map(|item| name(&item.name));
    let vars: Vec<String> = items.chain(story.clocks.iter().map(|c| name(c))).collect();
    json!({
        "#meta": { "format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
                   "source": story.view.model().name(), "property": story.property, "length": story.length },
        "vars": vars,
        "states": states,
    })
}

fn state(story: &Story<'_>, moment: &Moment, index: usize, action: &str) -> Value {
    let mut object = Map::new();
    let meta = json!({ "index": index, "action": action, "time": moment.time.to_string() });
    object.insert("#meta".into(), meta);
    for item in story.view.items() {
        object.insert(name(&item.name), story.view.itf(item, &moment.slots));
    }
    for (clock, value) in story.clocks.iter().zip(&moment.clocks) {
        object.insert(name(clock), time(*value));
    }
    Value::Object(object)
}

fn time(value: Time) -> Value {
    let part = |n: &i64| json!({ "#bigint": n.to_string() });
    json!({ "#tup": [part(value.numer()), part(value.denom())] })
}

/// ITF keeps names that start with `#` for itself.
fn name(text: &str) -> String {
    if text.starts_with('#') { format!("_{text}") } else { text.to_string() }
}
