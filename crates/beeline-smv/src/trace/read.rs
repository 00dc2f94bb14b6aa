//! Traces that NuSMV has printed, read back: `-> State: 1.2 <-` and what has changed. Definitions, inputs and what
//! NuSMV says besides are passed over; who follows the states finds the inputs.

use beeline_ir::relation::{Relation, RelationRole};

use super::shown;

/// The states that one trace passes: of each, the values of the state and frozen variables, in order.
pub type States = Vec<Vec<i64>>;

/// The traces in what NuSMV has printed. Says what is wrong, with the line.
pub fn read_nusmv_traces(relation: &Relation, text: &str) -> Result<Vec<States>, String> {
    let names: Vec<(usize, &str)> = {
        let stored = relation.vars.iter().filter(|var| var.role != RelationRole::Input);
        stored.enumerate().map(|(at, var)| (at, var.name.as_str())).collect()
    };
    let vars: Vec<_> = relation.vars.iter().filter(|var| var.role != RelationRole::Input).collect();
    let mut traces: Vec<States> = Vec::new();
    // What is known of the state that is being read, and whether values belong to it.
    let mut current: Vec<Option<i64>> = vec![None; vars.len()];
    let (mut in_state, mut open, mut trace) = (false, false, "");
    for (number, line) in text.lines().enumerate() {
        let wrong = |what: String| format!("line {}: {what}", number + 1);
        let body = line.trim();
        if let Some(head) = body.strip_prefix("->").and_then(|rest| rest.strip_suffix("<-")) {
            let head = head.trim();
            if let Some(state) = head.strip_prefix("State:") {
                close(&mut traces, &current, open, &vars)?;
                let (of, _) =
                    state.trim().split_once('.').ok_or_else(|| wrong("a state has no number".into()))?;
                if of != trace || traces.is_empty() {
                    (trace, current) = (of, vec![None; vars.len()]);
                    traces.push(Vec::new());
                }
                (in_state, open) = (true, true);
            } else {
                in_state = false;
            }
            continue;
        }
        if !in_state {
            continue;
        }
        let Some((name, value)) = body.split_once('=') else { continue };
        let (name, value) = (name.trim(), value.trim());
        let Some((at, _)) = names.iter().find(|(_, known)| *known == name) else { continue };
        let var = vars[*at];
        let plain = value.parse().ok().filter(|number| var.range.contains(*number));
        let named = || {
            let known = |number: &i64| shown(relation, var, *number) == value;
            (var.range.size() <= WORDS).then(|| var.range.values().find(known)).flatten()
        };
        let read = named().or(plain);
        current[*at] = Some(read.ok_or_else(|| wrong(format!("`{value}` is no value of `{name}`")))?);
    }
    close(&mut traces, &current, open, &vars)?;
    if traces.is_empty() {
        return Err("there is no `-> State: 1.1 <-` in it".to_string());
    }
    Ok(traces)
}

/// Values of a variable that are compared with what is written.
const WORDS: u128 = 1 << 16;

/// Adds the state that has been read to its trace.
fn close(
    traces: &mut [States],
    current: &[Option<i64>],
    open: bool,
    vars: &[&beeline_ir::relation::RelationVar],
) -> Result<(), String> {
    let (true, Some(states)) = (open, traces.last_mut()) else { return Ok(()) };
    let values = current.iter().zip(vars).map(|(value, var)| {
        value.ok_or_else(|| format!("the first state of a trace does not say what `{}` is", var.name))
    });
    states.push(values.collect::<Result<_, _>>()?);
    Ok(())
}
