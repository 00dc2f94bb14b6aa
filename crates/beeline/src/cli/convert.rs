//! `convert`: the model in another form.

use super::asked::Asked;
use super::{Args, CommandResult, Exit, Output, Stop, remarks};
use beeline::properties;
use beeline_ir::model::Model;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_report::view::plain;
use beeline_uppaal::{Unwritable, WrittenTck, write_tck, write_xta};

/// Prints a model in its canonical text form, or for another tool.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let path = args.path("MODEL");
    let loaded = beeline::load(&path)?;
    let asked = Asked::known(args, &loaded, &path)?;
    let asked = Asked::chosen(args, &loaded, asked)?;
    remarks(output, &loaded, asked.found.as_deref(), false);
    let mut model = loaded.model.clone();
    match &mut model {
        Model::Network(network) => network.properties = distinct(&asked),
        Model::Relation(relation) => relation.properties = distinct(&asked),
    }
    let form = args.value("to").unwrap_or("beeline");
    if form == "beeline" {
        output.out(&beeline_ir::text::print_plain(&model));
        return Ok(Exit::Holds);
    }
    let Model::Network(network) = &model else {
        let message = "a relation has no processes; it can be converted to `beeline` only";
        return Err(Stop::Message(Exit::Unsupported, message.into()));
    };
    let refused = |e: Unwritable| Stop::Message(Exit::Unsupported, format!("{form} has no form for it: {e}"));
    let written = match form {
        "tck" => {
            let chosen = !args.values("property").is_empty();
            if chosen && network.properties.len() > 1 {
                return Err(Stop::usage("a model of TChecker has labels for one property; choose one"));
            }
            let (written, property) = tck(network, chosen).map_err(refused)?;
            if !chosen {
                output.err(&labels_note(&model, property));
            }
            written.model
        }
        "q" => queries(network, write_xta(network).map_err(refused)?.queries)?,
        _ => write_xta(network).map_err(refused)?.model,
    };
    output.out(&written);
    Ok(Exit::Holds)
}

/// The properties that are asked, each once.
fn distinct(asked: &Asked) -> Vec<Property> {
    let mut distinct = Vec::new();
    for property in asked.properties() {
        if !distinct.contains(&property) {
            distinct.push(property);
        }
    }
    distinct
}

/// A network for TChecker, with labels for its first property; if that was not chosen, for the first that has a form
/// there, if any.
fn tck(network: &Network, chosen: bool) -> Result<(WrittenTck, Option<&Property>), Unwritable> {
    if chosen {
        let property = network.properties.first();
        return write_tck(network, property).map(|written| (written, property));
    }
    let bare = write_tck(network, None)?;
    let labelled = network.properties.iter().find_map(|p| Some((write_tck(network, Some(p)).ok()?, Some(p))));
    Ok(labelled.unwrap_or((bare, None)))
}

fn labels_note(model: &Model, property: Option<&Property>) -> String {
    match property {
        Some(property) => {
            format!("note: the labels are for the property {}\n", plain(&properties::shown(model, property)))
        }
        None if model.properties().is_empty() => {
            "note: there is no property, so no label is written\n".into()
        }
        None => "note: no property can be asked of TChecker, so no label is written\n".into(),
    }
}

/// The queries, if there is any among the lines.
fn queries(network: &Network, lines: String) -> Result<String, Stop> {
    if network.properties.is_empty() {
        return Err(Stop::usage("the model has no properties to convert; name them with -p or -q"));
    }
    if lines.lines().all(|line| line.starts_with("//")) {
        let message = "none of the properties is a query of UPPAAL";
        return Err(Stop::Message(Exit::Unsupported, message.into()));
    }
    Ok(lines)
}
