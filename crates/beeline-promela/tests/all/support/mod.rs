//! Reads a model and explores it with the kernel alone, as Spin would.
#![allow(dead_code)]

use std::collections::{HashMap, VecDeque};

use beeline_check::{Firing, Kernel, State};
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::RuntimeError;
use beeline_ir::model::Model;
use beeline_ir::network::Network;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::text;
use beeline_promela::{Length, ReadOptions, Reading};

fn options<'a>(include: &'a dyn Fn(&str) -> Result<String, String>, slots: usize) -> ReadOptions<'a> {
    ReadOptions { file: "model.pml", include, slots, length: Length::Statements }
}

/// Reads a model, which has no includes.
pub fn reading(text: &str) -> Reading {
    let none = |_: &str| Err("there is none".to_string());
    match beeline_promela::read(text, options(&none, 4)) {
        Ok(reading) => reading,
        Err(errors) => panic!("{text}\n{errors:#?}"),
    }
}

/// What is wrong with a model.
pub fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let none = |_: &str| Err("there is none".to_string());
    let errors = beeline_promela::read(text, options(&none, 4)).err().unwrap_or_default();
    for span in errors.iter().filter_map(|e| e.span) {
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{errors:?}");
    }
    errors
}

/// Codes and messages of what is wrong with a model.
pub fn errors(text: &str) -> Vec<(&'static str, String)> {
    diagnostics(text).into_iter().map(|e| (e.code, e.message)).collect()
}

/// What is found in all reachable states.
pub struct Explored {
    /// Number of states.
    pub states: usize,
    /// Number of labels that lead somewhere.
    pub edges: usize,
    /// Least length to a violation of each property.
    pub violated: Vec<Option<u32>>,
    /// Run-time errors, in order of their first occurrence.
    pub failures: Vec<RuntimeError>,
    all: Vec<State>,
}

/// Explores all states; an observer of a claim is part of the model if there is one.
pub fn explore(network: &Network) -> Explored {
    explore_up_to(network, usize::MAX).unwrap_or_else(|| panic!("too many states"))
}

/// The same, unless there are more states.
pub fn explore_up_to(network: &Network, most: usize) -> Option<Explored> {
    let observer = network.properties.iter().find_map(Property::observer);
    let kernel = Kernel::new(network, observer);
    let mut states: Vec<State> = Vec::new();
    let mut index: HashMap<State, usize> = HashMap::new();
    let mut distance: Vec<u32> = Vec::new();
    let mut done: Vec<bool> = Vec::new();
    let mut open: VecDeque<usize> = VecDeque::new();
    for (state, _) in kernel.initial() {
        index.insert(state.clone(), states.len());
        open.push_back(states.len());
        states.push(state);
        distance.push(0);
        done.push(false);
    }
    let mut violated = vec![None; network.properties.len()];
    let mut failures = Vec::new();
    let mut edges = 0;
    while let Some(from) = open.pop_front() {
        if std::mem::replace(&mut done[from], true) {
            continue;
        }
        if states.len() > most {
            return None;
        }
        for (i, property) in network.properties.iter().enumerate() {
            let bad = match property.kind {
                PropertyKind::Always(_) | PropertyKind::NeverAt(..) => kernel.holds(property, &states[from]),
                _ => false,
            };
            if bad {
                let known: &mut Option<u32> = &mut violated[i];
                *known = Some(known.map_or(distance[from], |d| d.min(distance[from])));
            }
        }
        for (label, firing) in kernel.labels(&states[from].clone()) {
            let cost = kernel.cost(&label);
            let at = distance[from] + cost;
            let (state, failed) = match firing {
                Firing::Successor { state, assertion_failed } => (state, assertion_failed),
                Firing::Fails(error) => {
                    if !failures.contains(&error) {
                        failures.push(error);
                    }
                    continue;
                }
                _ => continue,
            };
            edges += 1;
            if failed {
                for (i, property) in network.properties.iter().enumerate() {
                    if property.kind == PropertyKind::NoAssertionFailure {
                        let known: &mut Option<u32> = &mut violated[i];
                        *known = Some(known.map_or(at, |d| d.min(at)));
                    }
                }
            }
            let to = *index.entry(state).or_insert_with_key(|state| {
                states.push(state.clone());
                distance.push(u32::MAX);
                done.push(false);
                states.len() - 1
            });
            if at < distance[to] {
                distance[to] = at;
                if cost == 0 { open.push_front(to) } else { open.push_back(to) }
            }
        }
    }
    Some(Explored { states: states.len(), edges, violated, failures, all: states })
}

/// The least length to a violation of a property of the model, by name; also checks that the text form reads back.
pub fn violation(text: &str, name: &str) -> Option<u32> {
    let reading = reading(text);
    let network = &reading.network;
    let model = Model::Network(network.clone());
    let back =
        text::read(&text::print(&model), text::ReadOptions { file: "model.pml", record_places: false });
    assert_eq!(back.as_ref(), Ok(&model));
    let explored = explore(network);
    assert_eq!(explored.failures, [], "{text}");
    let at = network.properties.iter().position(|p| p.name.as_deref() == Some(name));
    explored.violated[at.unwrap_or_else(|| panic!("no property {name}"))]
}

/// Whether a predicate holds in some reachable state.
pub fn possible(text: &str, predicate: &str) -> bool {
    let reading = reading(text);
    let property = match reading.symbols.formula(&format!("E<> {predicate}")) {
        Ok(property) => property,
        Err(errors) => panic!("{predicate}: {errors:?}"),
    };
    let explored = explore(&reading.network);
    let kernel = Kernel::new(&reading.network, None);
    explored.all.iter().any(|state| kernel.holds(&property, state))
}
