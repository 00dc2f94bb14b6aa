//! What is asked of a model: the same questions for every command that looks at them.

use super::{Args, Stop, files};
use beeline::load::Language;
use beeline::{Loaded, properties};
use beeline_ir::diagnostic::SourceText;
use beeline_ir::property::Property;
use std::path::{Path, PathBuf};

/// Questions about a model.
pub struct Asked {
    /// Each question, and the verdict that the model's file records for it.
    pub questions: Vec<(Property, Option<bool>)>,
    /// A file of questions that was found beside the model.
    pub found: Option<PathBuf>,
}

impl Asked {
    /// The properties there are: those of the file of properties, else the model's own, else those of a file beside
    /// the model that UPPAAL would open with it.
    pub fn known(args: &Args, loaded: &Loaded, path: &Path) -> Result<Self, Stop> {
        let beside = path.with_extension("q");
        let found = Some(beside).filter(|file| {
            let uppaal = matches!(loaded.language, Language::Uppaal(_));
            uppaal
                && args.value("properties").is_none()
                && loaded.model.properties().is_empty()
                && file.is_file()
        });
        let file = args.value("properties").map(PathBuf::from).or_else(|| found.clone());
        let questions = match file {
            Some(file) => {
                let name = file.display().to_string();
                let unreadable =
                    |e: &dyn std::fmt::Display| Stop::usage(format!("{name} cannot be read: {e}"));
                let bytes = files::read(&file).map_err(|e| unreadable(&e))?;
                let text = String::from_utf8(bytes).map_err(|_| unreadable(&"not UTF-8 text"))?;
                let read = properties::read_file(loaded, SourceText { name: name.clone(), text })?;
                read.into_iter().map(|property| (property, None)).collect()
            }
            None => loaded.model.properties().iter().cloned().zip(loaded.recorded.iter().copied()).collect(),
        };
        Ok(Self { questions, found })
    }

    /// The chosen ones of `known`, or others that are written on the command line; all if none is chosen.
    pub fn chosen(args: &Args, loaded: &Loaded, known: Self) -> Result<Self, Stop> {
        let wishes = args.values("property");
        if wishes.is_empty() {
            return Ok(known);
        }
        let listed = known.properties();
        let recorded = |p: &Property| known.questions.iter().find(|(q, _)| p == q).and_then(|(_, r)| *r);
        let choose = |wish: &&str| properties::choose(loaded, &listed, wish).map(|p| (recorded(&p), p));
        let chosen = wishes.iter().map(choose).collect::<Result<Vec<_>, _>>()?;
        let questions = chosen.into_iter().map(|(recorded, property)| (property, recorded)).collect();
        Ok(Self { questions, found: known.found })
    }

    /// The questions alone.
    pub fn properties(&self) -> Vec<Property> {
        self.questions.iter().map(|(property, _)| property.clone()).collect()
    }
}
