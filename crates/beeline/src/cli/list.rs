//! `list`: what there is to choose from.

use super::generate::families;
use super::{Args, CommandResult, Exit, Output, Stop};
use beeline::options::{LISTS, SEARCHES};

/// Lists one kind of thing.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let what = args.value("WHAT").unwrap_or_default();
    if !LISTS.iter().any(|(name, _)| *name == what) {
        let names: Vec<&str> = LISTS.iter().map(|(name, _)| *name).collect();
        return Err(Stop::usage(format!("there is no list of `{what}`; there are: {}", names.join(", "))));
    }
    match what {
        "searches" => {
            for (name, help) in SEARCHES {
                output.out(&format!("{name:<12}{help}\n"));
            }
        }
        "families" => output.out(&families()),
        _ => output.out(&format!("This version has no {what} yet.\n")),
    }
    Ok(Exit::Holds)
}
