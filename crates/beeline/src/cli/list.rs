//! `list`: what there is to choose from.

use super::generate::families;
use super::manual;
use super::{Args, CommandResult, Exit, Output, Stop};
use beeline::options::{LISTS, SEARCHES};
use beeline::presets::PRESETS;

/// Lists one kind of thing.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let what = args.value("WHAT").unwrap_or_default();
    if !LISTS.iter().any(|(name, _)| *name == what) {
        let names: Vec<&str> = LISTS.iter().map(|(name, _)| *name).collect();
        return Err(Stop::no_such("list of", what, &names));
    }
    match what {
        "searches" => {
            for (name, help) in SEARCHES {
                output.out(&format!("{name:<16}{help}\n"));
            }
        }
        "heuristics" => output.out(&manual::heuristics()),
        "presets" => {
            for preset in PRESETS {
                let safe = if preset.safe_abstraction { " --safe-abstraction" } else { "" };
                let reduce = if preset.reduce { " --reduce on" } else { "" };
                let more = if preset.eager_for_preferred { " --deferred --preferred" } else { "" };
                let named = preset.heuristics.iter().map(|name| format!(" --heuristic {name}"));
                let heuristics: String = named.collect();
                output.out(&format!("{:<24}{}\n", preset.name, preset.help));
                let means = match preset.direction {
                    Some(direction) => format!("--engine symbolic --direction {direction}"),
                    None => {
                        format!("--search {}{heuristics}{safe}{reduce}{more}", preset.search)
                    }
                };
                output.out(&format!("{:<24}means {means}\n", ""));
            }
        }
        "families" => output.out(&families()),
        _ => {}
    }
    Ok(Exit::Holds)
}
