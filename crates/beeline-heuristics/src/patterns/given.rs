//! A pattern given by name: `A+B+x` for the automata, integers and clocks of these names.

use beeline_abstraction::projection::Pattern;
use beeline_ir::network::Network;

/// Reads a pattern; says what is wrong with it.
pub fn parse(network: &Network, text: &str) -> Result<Pattern, String> {
    let mut pattern = Pattern::default();
    for name in text.split('+').map(str::trim).filter(|name| !name.is_empty()) {
        let automaton = network.processes.enumerate().find(|(_, process)| process.name == name);
        let integer = network.vars.ids().find(|id| network.var_name(*id) == name);
        let clock = network.clocks.ids().find(|id| network.clock_name(*id) == name);
        match (automaton, integer, clock) {
            (Some((id, _)), _, _) => _ = pattern.automata.insert(id),
            (None, Some(id), _) => _ = pattern.integers.insert(id),
            (None, None, Some(id)) => _ = pattern.clocks.insert(id),
            (None, None, None) => return Err(unknown(network, name)),
        }
    }
    if pattern == Pattern::default() {
        return Err(
            "a pattern needs the names of some automata, integers or clocks: `vars=A+B+x`".to_string()
        );
    }
    Ok(pattern)
}

fn unknown(network: &Network, name: &str) -> String {
    let automata = network.processes.iter().map(|process| process.name.clone());
    let integers = network.vars.ids().map(|id| network.var_name(id));
    let clocks = network.clocks.ids().map(|id| network.clock_name(id));
    let known: Vec<String> = automata.chain(integers).chain(clocks).collect();
    let near = beeline_ir::text::suggest(name, known.iter().map(String::as_str));
    let meant = near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
    format!("the model has no automaton, integer or clock `{name}`{meant}; `beeline info` lists them")
}
