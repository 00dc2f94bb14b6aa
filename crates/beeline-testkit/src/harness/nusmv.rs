//! Random SMV models beside NuSMV, if it is installed: every invariant has the same verdict and, where it is violated,
//! a shortest trace of the same length (`check_invar -s forward` goes by layers, too). The program is what the
//! environment variable `BEELINE_NUSMV` says, or `NuSMV` on the path.

use super::compare::{Tally, Trouble, TroubleKind};
use super::symbolic::{compare, symbolic};
use beeline_ir::Model;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::outcome::Finding;
use beeline_ir::property::{Property, PropertyKind};
use beeline_smv::Reading;
use beeline_symbolic::{Direction, explore};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Directions that are compared, by turns.
const DIRECTIONS: [Direction; 4] =
    [Direction::Forward, Direction::Auto, Direction::Guided, Direction::Bidirectional];

/// What NuSMV says of each invariant: the length of its counterexample, if it has one.
fn ask(text: &str, names: &[&str], seed: u64) -> Result<Result<Vec<Option<u32>>, String>, std::io::Error> {
    let file = |ending| -> PathBuf {
        std::env::temp_dir().join(format!("beeline-{}-{seed}.{ending}", std::process::id()))
    };
    let (model, commands) = (file("smv"), file("cmd"));
    std::fs::write(&model, text)?;
    // All at once it would answer in an order of its own.
    let asked: String = names.iter().map(|name| format!("check_invar -s forward -P {name}\n")).collect();
    std::fs::write(&commands, format!("read_model -i \"{}\"\ngo\n{asked}quit\n", model.display()))?;
    let program = std::env::var_os("BEELINE_NUSMV").unwrap_or_else(|| "NuSMV".into());
    let output = Command::new(program).arg("-source").arg(&commands).stdin(Stdio::null()).output();
    for file in [model, commands] {
        std::fs::remove_file(file)?;
    }
    let output = output?;
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(read(&said).ok_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// The verdicts in what NuSMV has printed, in the order of the invariants.
fn read(said: &str) -> Option<Vec<Option<u32>>> {
    let verdict = |part: &str| {
        let (line, trace) = part.split_once('\n')?;
        let states = || trace.lines().filter(|line| line.trim_start().starts_with("-> State: ")).count();
        match line.rsplit_once(" is ")?.1.trim() {
            "true" => Some(None),
            "false" => Some(Some((states() as u32).checked_sub(1)?)),
            _ => None,
        }
    };
    let verdicts: Option<Vec<_>> = said.split("-- invariant ").skip(1).map(verdict).collect();
    verdicts.filter(|verdicts| !verdicts.is_empty())
}

/// Compares all invariants of a model. What NuSMV refuses is counted.
pub fn check(text: &str, seed: u64) -> Result<Tally, Trouble> {
    let wrong = |all: Vec<Diagnostic>| Trouble::new(TroubleKind::Source, format!("{all:?}"));
    let Reading { relation, .. } = beeline_smv::read(text, "random.smv").map_err(wrong)?;
    let is_invariant = |text: &String| text.starts_with("INVARSPEC");
    let invariants = relation.properties.iter().filter(|p| p.text.as_ref().is_some_and(is_invariant));
    let named = invariants.filter_map(|property| Some((property.name.as_deref()?, property)));
    let (names, invariants): (Vec<&str>, Vec<&Property>) = named.unzip();
    let verdicts = match ask(text, &names, seed) {
        Ok(Ok(verdicts)) if verdicts.len() == names.len() => verdicts,
        Ok(said) => {
            let said = said.err().unwrap_or_default();
            let why = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no verdict");
            return Ok(Tally { refused: Some(format!("by NuSMV: {why}")), ..Tally::default() });
        }
        Err(error) => {
            return Err(Trouble::new(TroubleKind::Refused, format!("NuSMV cannot be run: {error}")));
        }
    };
    let model = Model::Relation(relation.clone());
    let mut tally = Tally::default();
    for (at, (property, length)) in invariants.into_iter().zip(verdicts).enumerate() {
        if matches!(property.kind, PropertyKind::Refused(_)) {
            continue;
        }
        let direction = DIRECTIONS[(seed as usize + at) % DIRECTIONS.len()];
        let explored = explore(&relation, property, &symbolic(direction, None));
        let outcome = explored.map(|explored| explored.outcome);
        tally.length = tally.length.or(length);
        if let Ok(Finding::Unknown(reason)) = outcome.as_ref().map(|outcome| &outcome.finding) {
            tally.refused = Some(reason.message().to_string());
            continue;
        }
        let trouble = |t: Trouble| {
            Trouble::new(t.kind, format!("NuSMV, and {direction:?} {:?}: {}", property.text, t.detail))
        };
        compare(&model, property, outcome, Some(length), &mut tally).map_err(trouble)?;
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    #[test]
    fn verdicts_are_read() {
        let said = "WARNING *** x ***\n-- invariant p is q  is false\n-- as demonstrated by the following\n\
                    Trace Type: Counterexample \n  -> State: 1.1 <-\n    x = 0\n  -> Input: 1.2 <-\n  -> State: 1.2 <-\n\
                    -- invariant (v0 -> v1)  is true\n";
        assert_eq!(super::read(said), Some(vec![Some(1), None]));
        assert_eq!(super::read("file m.smv: line 3: undefined\n"), None);
    }
}
