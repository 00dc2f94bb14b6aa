//! Symbolic pattern databases as options name them: `cegar`, `depth=N`, `hide=X,Y`.

use beeline_ir::network::Network;
use beeline_ir::relation::{Relation, RelationRole, RelationVar};
use beeline_symbolic::{Pattern, is_inside};
use std::fmt;

/// What a symbolic pattern database is made of, before the model is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Spdb {
    /// Variables are chosen by refinement.
    Cegar,
    /// Those so close to the property.
    Depth(u32),
    /// All but those of these names.
    Hide(Vec<String>),
}

impl Spdb {
    /// Reads one.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text == "cegar" => Ok(Self::Cegar),
            Some(("depth", depth)) => match depth.parse() {
                Ok(depth) => Ok(Self::Depth(depth)),
                Err(_) => Err(format!("--spdb depth={depth}: expected a whole number")),
            },
            Some(("hide", names)) => {
                let names: Vec<String> = names.split(',').map(|name| name.trim().to_string()).collect();
                match names.iter().all(|name| name.is_empty()) {
                    true => {
                        Err("--spdb hide=: expected the names of variables, such as hide=x,y".to_string())
                    }
                    false => Ok(Self::Hide(names)),
                }
            }
            _ => Err(format!("--spdb {text}: expected cegar, depth=N or hide=X,Y")),
        }
    }
    /// For a model. A name stands for the variable, or for everything inside of the instance, process or array.
    pub fn pattern(&self, variables: &Variables) -> Result<Pattern, String> {
        let names = match self {
            Self::Cegar => return Ok(Pattern::Refined),
            Self::Depth(depth) => return Ok(Pattern::Depth(*depth)),
            Self::Hide(names) => names,
        };
        let Variables { states, inputs } = variables;
        for name in names {
            let among = |all: &[String]| all.iter().any(|variable| is_inside(variable, name));
            if among(states) {
                continue;
            }
            if among(inputs) {
                return Err(format!("--spdb hide={name}: an input is no part of a state to begin with"));
            }
            let near = beeline_ir::text::suggest(name, states.iter().chain(inputs).map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(format!("--spdb hide={name}: the model has no such variable{near}"));
        }
        Ok(Pattern::Hiding(names.clone()))
    }
}

/// The names of what a pattern can be about.
pub struct Variables {
    /// Parts of states.
    states: Vec<String>,
    inputs: Vec<String>,
}

impl Variables {
    /// Those of a relation.
    pub fn of_relation(relation: &Relation) -> Self {
        let (inputs, states): (Vec<_>, Vec<_>) =
            relation.vars.iter().partition(|var| var.role == RelationRole::Input);
        let names = |vars: Vec<&RelationVar>| vars.into_iter().map(|var| var.name.clone()).collect();
        Self { states: names(states), inputs: names(inputs) }
    }
    /// Processes, integers, clocks and channels of a network.
    pub fn of_network(network: &Network) -> Self {
        let processes = network.processes.iter().map(|process| process.name.clone());
        let integers = network.vars.ids().map(|id| network.var_name(id));
        let clocks = network.clocks.ids().map(|id| network.clock_name(id));
        let channels = network.channels.ids().map(|id| network.channel_name(id));
        Self { states: processes.chain(integers).chain(clocks).chain(channels).collect(), inputs: Vec::new() }
    }
}

impl fmt::Display for Spdb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cegar => write!(f, "spdb:cegar"),
            Self::Depth(depth) => write!(f, "spdb:depth={depth}"),
            Self::Hide(names) => write!(f, "spdb:hide={}", names.join(",")),
        }
    }
}
