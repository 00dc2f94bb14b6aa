//! `convert`: the model in another form.

use super::{Args, CommandResult, Exit, Output, Stop};
use beeline::properties;
use beeline_ir::model::Model;
use beeline_ir::property::Property;
use beeline_uppaal::{Unwritable, write_tck, write_xta};

/// Prints a model in its canonical text form, or for another tool.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let loaded = beeline::load(&args.path("MODEL"))?;
    let form = args.value("to").unwrap_or("beeline");
    if form == "beeline" {
        output.out(&beeline_ir::text::print_plain(&loaded.model));
        return Ok(Exit::Holds);
    }
    let Model::Network(network) = &loaded.model else {
        let message = "a relation has no processes; it can be converted to `beeline` only";
        return Err(Stop::Message(Exit::Unsupported, message.into()));
    };
    let known = network.properties.as_slice();
    let chosen = args.values("property");
    let chosen = chosen.first().map(|wish| properties::choose(&loaded, known, wish)).transpose()?;
    let property: Option<&Property> = chosen.as_ref().or_else(|| known.first());
    let written = match form {
        "tck" => write_tck(network, property).map(|written| written.model),
        "q" => write_xta(network).map(|written| written.queries),
        _ => write_xta(network).map(|written| written.model),
    };
    let refused = |e: Unwritable| Stop::Message(Exit::Unsupported, format!("{form} has no form for it: {e}"));
    output.out(&written.map_err(refused)?);
    Ok(Exit::Holds)
}
