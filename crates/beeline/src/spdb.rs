//! Symbolic pattern databases as options name them: `cegar`, `depth=N`, `hide=X,Y`.

use beeline_ir::VarId;
use beeline_ir::relation::{Relation, RelationRole};
use beeline_symbolic::Pattern;
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
    /// For a relation. A name stands for the variable, or for everything inside of the instance or array.
    pub fn pattern(&self, relation: &Relation) -> Result<Pattern, String> {
        let names = match self {
            Self::Cegar => return Ok(Pattern::Refined),
            Self::Depth(depth) => return Ok(Pattern::Depth(*depth)),
            Self::Hide(names) => names,
        };
        let mut hidden: Vec<VarId> = Vec::new();
        for name in names {
            let inside = |other: &str| {
                let rest = other.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let meant = relation.vars.enumerate().filter(|(_, var)| inside(&var.name));
            let (inputs, states): (Vec<_>, Vec<_>) =
                meant.partition(|(_, var)| var.role == RelationRole::Input);
            match (inputs.is_empty(), states.is_empty()) {
                (true, true) => {
                    let all = relation.vars.iter().map(|var| var.name.as_str());
                    let near = beeline_ir::text::suggest(name, all);
                    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                    return Err(format!("--spdb hide={name}: the model has no such variable{near}"));
                }
                (false, true) => {
                    return Err(format!("--spdb hide={name}: an input is no part of a state to begin with"));
                }
                _ => hidden.extend(states.into_iter().map(|(id, _)| id)),
            }
        }
        Ok(Pattern::Hiding(hidden))
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
