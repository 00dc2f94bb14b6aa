//! `convert`: the model in another form.

use super::{Args, CommandResult, Exit, Output};

/// Prints a model in its canonical text form.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let loaded = beeline::load(&args.path("MODEL"))?;
    output.out(&beeline_ir::text::print_plain(&loaded.model));
    Ok(Exit::Holds)
}
