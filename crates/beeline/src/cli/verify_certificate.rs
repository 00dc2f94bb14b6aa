//! `verify-certificate`: a proof from a file, judged by the kernel alone.

use super::{Args, CommandResult, Exit, Output, Stop, files, header, interrupt, print_json};
use beeline::properties;
use beeline_check::{NotAccepted, check_certificate};
use beeline_ir::encode::read_certificate;
use beeline_ir::limits::Limits;
use beeline_report::text::{count, grouped};
use beeline_report::view::plain;
use serde_json::json;

/// Checks a certificate.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let (path, file) = (args.path("MODEL"), args.path("CERT"));
    let malformed = |e: String| Stop::usage(format!("{}: {e}", file.display()));
    let bytes = files::read(&file).map_err(|e| malformed(format!("cannot be read: {e}")))?;
    let certificate = read_certificate(&bytes).map_err(malformed)?;
    let loaded = beeline::load_matching(&path, certificate.model)?;
    let model = &loaded.model;
    let limits = Limits::default();
    interrupt::install(&limits.cancel);
    let result = if certificate.model == model.hash() {
        let property = properties::read(model, &certificate.property)?;
        check_certificate(model, &property, &certificate, None, &limits)
    } else {
        let reason = "the certificate belongs to another model".to_string();
        Err(NotAccepted::Rejected { row: None, reason })
    };
    let exit = match &result {
        Ok(_) => Exit::Holds,
        Err(NotAccepted::Stopped(_)) => Exit::Unknown,
        Err(_) => Exit::Violated,
    };
    let result = result.map_err(|e| e.to_string());
    let claim = match certificate.length {
        None => "no state of interest is reachable".to_string(),
        Some(length) => {
            format!(
                "no state of interest is reachable in fewer than {}",
                count(length as usize, "step", "steps")
            )
        }
    };
    if args.flag("json") {
        let mut object = header(&path, Some(&loaded));
        object["results"] = json!([{
            "property": certificate.property,
            "accepted": result.is_ok(),
            "reason": result.as_ref().err(),
            "length": certificate.length,
            "rows": certificate.rows.len(),
            "steps": result.as_ref().ok().map(|accepted| accepted.steps),
        }]);
        print_json(output, &object);
    } else {
        let property = plain(&certificate.property);
        output.out(&match &result {
            Ok(accepted) => format!(
                "accepted  {property}: {claim} ({}, {} kernel steps)\n",
                count(certificate.rows.len(), "row", "rows"),
                grouped(accepted.steps)
            ),
            Err(reason) => format!("refused  {property}: {}\n", plain(reason)),
        });
    }
    Ok(exit)
}
