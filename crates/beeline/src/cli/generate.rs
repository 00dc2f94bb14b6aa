//! `generate`: a model of a benchmark family.

use super::{Args, CommandResult, Exit, Output, Stop, save};
use beeline_families::{FAMILIES, Family, Format, Instance, Refusal, find};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// Writes a model, or lists the families.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    if args.flag("list") {
        output.out(&families());
        return Ok(Exit::Holds);
    }
    let name = args.value("FAMILY").unwrap_or_default();
    let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
    let family = find(name).ok_or_else(|| Stop::no_such("family", name, &known))?;
    let instance = match args.value("variant") {
        Some(variant) => family.variant(variant, &given(args)),
        None => family.instance(&given(args)),
    };
    let instance = match (args.flag("faulty"), args.flag("correct")) {
        (true, true) => {
            return Err(Stop::usage("a model is faulty or correct: give one of --faulty and --correct"));
        }
        (true, false) => instance.and_then(Instance::faulty),
        (false, true) => instance.and_then(Instance::correct),
        (false, false) => instance,
    };
    let instance = instance.map_err(|refusal| refused(family, &refusal))?;
    let file = args.value("output").map(Path::new);
    let format = format(family, args, file)?;
    match (file, format) {
        (None, _) => output.out(&text(&instance, format)),
        (Some(file), Format::Smv) => return Ok(save(output, file, text(&instance, format).as_bytes())),
        (Some(file), Format::Xta | Format::Promela) => return write(&instance, format, file, output),
    }
    Ok(Exit::Holds)
}

/// The language that is asked for, by name or by the ending of the file; if it is not, the usual one of the family.
fn format(family: &Family, args: &Args, file: Option<&Path>) -> Result<Format, Stop> {
    let ending = file.and_then(Path::extension).and_then(|ending| ending.to_str());
    let by_name = args.value("format").and_then(Format::of);
    let by_file = ending.and_then(|ending| Format::of(if ending == "ta" { "xta" } else { ending }));
    let format = by_name.or(by_file).unwrap_or(family.formats()[0]);
    if !family.formats().contains(&format) {
        return Err(Stop::usage(format!("`{}` has no models in the form {}", family.name, format.name())));
    }
    if let Some(file) = file.filter(|_| by_file != Some(format)) {
        let named = file.with_extension(format.name());
        let message = "a model in this form is recognised by its name: call it";
        return Err(Stop::usage(format!("{message} {}", named.display())));
    }
    Ok(format)
}

fn text(instance: &Instance, format: Format) -> String {
    instance.text(format).unwrap_or_else(|| instance.model())
}

/// The families, each with its parameters.
pub fn families() -> String {
    let mut text = String::new();
    for family in FAMILIES {
        let _ = writeln!(text, "{:<18}{}", family.name, family.about);
        for p in family.parameters {
            let range = format!("{}..{}", p.least, p.most);
            let _ = writeln!(text, "  --{:<9} {range:<13} {} [default: {}]", p.name, p.about, p.default);
        }
        for v in family.variants {
            let sizes = format!("{}..{}", v.sizes.start(), v.sizes.end());
            let faulty = if v.faulty { "; faulty unless --correct" } else { "" };
            let _ = writeln!(text, "  --{:<9} {:<13} {} ({sizes}{faulty})", "variant", v.name, v.about);
        }
        if let [usual, others @ ..] = &*family.formats()
            && !others.is_empty()
        {
            let others: Vec<&str> = others.iter().map(|format| format.name()).collect();
            let _ = writeln!(
                text,
                "  --{:<9} {:<13} {} instead of {}",
                "format",
                others.join("|"),
                others.join(", "),
                usual.name()
            );
        }
        if let Some(fault) = family.fault {
            let _ = writeln!(text, "  --{:<9} {:<13} {fault}", "faulty", "");
        }
    }
    text
}

/// The parameters that were given, known to this family or not.
fn given(args: &Args) -> Vec<(&'static str, u32)> {
    let names: BTreeSet<&str> = FAMILIES.iter().flat_map(|f| f.parameters).map(|p| p.name).collect();
    let value = |name| args.value(name).and_then(|text| text.parse().ok()).map(|value| (name, value));
    names.into_iter().filter_map(value).collect()
}

fn refused(family: &Family, refusal: &Refusal) -> Stop {
    let known: Vec<String> = family.parameters.iter().map(|p| format!("--{}", p.name)).collect();
    Stop::usage(match refusal {
        Refusal::Unknown { name } => {
            format!("`{}` has no parameter --{name}; it has: {}", family.name, known.join(", "))
        }
        Refusal::NoSuchVariant { name } if family.variants.is_empty() => {
            format!("`{}` has no variants; leave out --variant {name}", family.name)
        }
        Refusal::NoSuchVariant { name } => {
            let variants: Vec<&str> = family.variants.iter().map(|variant| variant.name).collect();
            return Stop::no_such("variant", name, &variants);
        }
        Refusal::NeverFaulty => {
            let faulty = FAMILIES.iter().filter(|family| family.fault.is_some());
            let faulty: Vec<&str> = faulty.map(|family| family.name).collect();
            format!("`{}` has no faulty models; these have: {}", family.name, faulty.join(", "))
        }
        Refusal::OutOfRange { .. } => format!("{}: {refusal}", family.name),
    })
}

/// Writes the model and what belongs to it beside it: the queries, where `check` looks for them, and maps of domains.
fn write(instance: &Instance, format: Format, file: &Path, output: &mut Output) -> CommandResult {
    let mut exit = save(output, file, text(instance, format).as_bytes());
    let queries = (format == Format::Xta).then(|| ("queries", "q", instance.query_file()));
    let maps = instance.maps().map(|maps| ("maps of domains", "maps", maps));
    for (what, ending, text) in queries.into_iter().chain(maps) {
        if exit == Exit::Holds {
            let beside = file.with_extension(ending);
            output.err(&format!("note: the {what} are in {}\n", beside.display()));
            exit = save(output, &beside, text.as_bytes());
        }
    }
    Ok(exit)
}
