//! The names a text uses. In a model file every name must be legal and denote one thing; in a trace things keep
//! the names the user gave them.

use std::collections::BTreeSet;

use beeline_ir::network::Network;
use beeline_ir::stmt::Local;
use beeline_ir::{ChannelId, ClockId, FunctionId, IdVec, LocationId, ProcessId, VarId};

/// The name of everything in a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Names {
    pub vars: IdVec<VarId, String>,
    pub clocks: IdVec<ClockId, String>,
    pub channels: IdVec<ChannelId, String>,
    pub functions: IdVec<FunctionId, String>,
    pub processes: IdVec<ProcessId, String>,
    pub locations: IdVec<ProcessId, IdVec<LocationId, String>>,
    /// Old and new name, of all that had to change.
    pub changed: Vec<(String, String)>,
    taken: BTreeSet<String>,
}

impl Names {
    /// The names of the network itself, owners in front.
    pub fn original(network: &Network) -> Self {
        Self {
            vars: network.vars.ids().map(|id| network.var_name(id)).collect(),
            clocks: network.clocks.ids().map(|id| network.clock_name(id)).collect(),
            channels: network.channels.ids().map(|id| network.channel_name(id)).collect(),
            functions: network.functions.iter().map(|f| f.name.clone()).collect(),
            processes: network.processes.iter().map(|p| p.name.clone()).collect(),
            locations: network
                .processes
                .iter()
                .map(|p| p.locations.iter().map(|l| l.name.clone()).collect())
                .collect(),
            changed: Vec::new(),
            taken: BTreeSet::new(),
        }
    }

    /// Names of letters, digits and underscores, none of them reserved, all different; locations differ from
    /// their siblings and from everything that is not a location.
    pub fn legal(network: &Network, reserved: &str) -> Self {
        let mut names = Self::original(network);
        let mut taken: BTreeSet<String> = reserved.split_whitespace().map(String::from).collect();
        let mut changed = Vec::new();
        let none = BTreeSet::new();
        let mut settle = |name: &mut String, taken: &mut BTreeSet<String>| {
            let legal = unique(name, &none, taken);
            if legal != *name {
                changed.push((std::mem::replace(name, legal.clone()), legal));
            }
        };
        names.processes.iter_mut().for_each(|n| settle(n, &mut taken));
        names.vars.iter_mut().for_each(|n| settle(n, &mut taken));
        names.clocks.iter_mut().for_each(|n| settle(n, &mut taken));
        names.channels.iter_mut().for_each(|n| settle(n, &mut taken));
        names.functions.iter_mut().for_each(|n| settle(n, &mut taken));
        for (locations, process) in names.locations.iter_mut().zip(&network.processes) {
            let mut siblings = BTreeSet::new();
            for name in locations.iter_mut() {
                let legal = unique(name, &taken, &mut siblings);
                if legal != *name {
                    changed.push((format!("{}.{name}", process.name), legal.clone()));
                    *name = legal;
                }
            }
        }
        names.changed = changed;
        names.taken = taken;
        names
    }

    /// A new global name like the one wanted.
    pub fn fresh(&mut self, wanted: &str) -> String {
        unique(wanted, &BTreeSet::new(), &mut self.taken)
    }
    /// Names for the locals of a frame, different from each other and from all global names.
    pub fn locals(&self, frame: &[Local]) -> Vec<String> {
        let mut siblings = BTreeSet::new();
        frame.iter().map(|local| unique(&local.name, &self.taken, &mut siblings)).collect()
    }
}

/// The wanted name made legal, with a number at its end if it is among the others or taken; it is taken then.
fn unique(wanted: &str, others: &BTreeSet<String>, taken: &mut BTreeSet<String>) -> String {
    let legal = legalise(wanted);
    let mut candidate = legal.clone();
    let mut number = 1;
    while others.contains(&candidate) || !taken.insert(candidate.clone()) {
        number += 1;
        candidate = format!("{legal}_{number}");
    }
    candidate
}

/// `Train(0)` becomes `Train_0`, `P.x` becomes `P_x`.
fn legalise(name: &str) -> String {
    let mut legal = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            legal.push(c);
        } else if !legal.ends_with('_') {
            legal.push('_');
        }
    }
    if name.ends_with([')', ']']) && legal.ends_with('_') {
        legal.pop();
    }
    if !legal.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        legal.insert(0, '_');
    }
    legal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_legal() {
        assert_eq!(legalise("Train(0)"), "Train_0");
        assert_eq!(legalise("P.x"), "P_x");
        assert_eq!(legalise("a(1,2)"), "a_1_2");
        assert_eq!(legalise("3x"), "_3x");
        assert_eq!(legalise(""), "_");
    }

    #[test]
    fn names_stay_apart() {
        let (none, mut taken) = (BTreeSet::new(), BTreeSet::new());
        assert_eq!(unique("P(0)", &none, &mut taken), "P_0");
        assert_eq!(unique("P.0", &none, &mut taken), "P_0_2");
        assert_eq!(unique("P_0", &none, &mut taken), "P_0_3");
        assert_eq!(unique("P_0", &taken, &mut BTreeSet::new()), "P_0_4");
    }
}
