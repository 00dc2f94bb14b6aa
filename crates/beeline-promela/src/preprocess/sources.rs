//! The files of a model. Places of all of them are positions in one text, the files one after another.

use std::sync::Arc;

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::{Origin, Span};

/// The files of a model, its own first.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sources {
    files: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: Arc<str>,
    base: usize,
    /// Where in the model's own file it is included.
    site: Option<Span>,
    /// Where each of its lines begins.
    lines: Vec<u32>,
}

impl Source {
    fn local(&self, at: u32) -> usize {
        (at as usize).saturating_sub(self.base).min(self.text.len())
    }
    fn line(&self, local: usize) -> usize {
        self.lines.partition_point(|start| *start as usize <= local)
    }
}

impl Sources {
    /// Adds a file, and says where it begins.
    pub fn add(&mut self, name: String, text: &Arc<str>, site: Option<Span>) -> usize {
        // One position between two files belongs to none.
        let base = self.files.last().map_or(0, |f| f.base + f.text.len() + 1);
        let ends = text.match_indices('\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        self.files.push(Source { name, text: text.clone(), base, site, lines });
        base
    }
    /// How long all of them are.
    pub fn size(&self) -> usize {
        self.files.last().map_or(0, |f| f.base + f.text.len())
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.files.len()
    }
    fn file(&self, at: usize) -> Option<(usize, &Source)> {
        let index = self.files.partition_point(|f| f.base <= at).checked_sub(1)?;
        Some((index, &self.files[index]))
    }
    /// Names of the files.
    pub fn names(&self) -> Vec<String> {
        self.files.iter().map(|f| f.name.clone()).collect()
    }
    /// The name of the file in which a place is, and its line there.
    pub fn line(&self, span: Span) -> Option<(&str, usize)> {
        let (_, file) = self.file(span.start as usize)?;
        Some((&file.name, file.line(file.local(span.start))))
    }
    /// The folder of the file in which a place is, as seen from that of the model.
    pub fn folder(&self, span: Span) -> &str {
        let included = self.file(span.start as usize).filter(|(index, _)| *index > 0);
        included.and_then(|(_, file)| Some(&file.name[..=file.name.rfind('/')?])).unwrap_or_default()
    }
    /// The origin of what stands at a place.
    pub fn origin(&self, span: Span, native: Vec<i64>) -> Option<Origin> {
        let (index, file) = self.file(span.start as usize)?;
        let span = Span::new(file.local(span.start), file.local(span.end));
        Some(Origin { file: index as u32, span, native })
    }
    /// The place of an origin.
    pub fn place(&self, origin: &Origin) -> Span {
        let base = self.files.get(origin.file as usize).map_or(0, |f| f.base);
        Span::new(base + origin.span.start as usize, base + origin.span.end as usize)
    }
    /// What is written at a place, white space and ends of lines made even.
    pub fn written(&self, span: Span) -> String {
        let Some((_, file)) = self.file(span.start as usize) else { return String::new() };
        let text = file.text.get(file.local(span.start)..file.local(span.end)).unwrap_or_default();
        text.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ")
    }
    /// The message with its place in the model's own file: what is wrong in an included one is shown where that is
    /// included.
    pub fn placed(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let Some(span) = diagnostic.span else { return diagnostic };
        let Some((index, file)) = self.file(span.start as usize) else { return diagnostic };
        if index > 0 {
            let line = file.line(file.local(span.start));
            diagnostic.message = format!("{} ({}, line {line})", diagnostic.message, file.name);
            diagnostic.span = file.site;
        } else {
            // The end of a file is a place of its own.
            let end = |at: u32| at.min(file.text.len() as u32);
            diagnostic.span = Some(Span { start: end(span.start), end: end(span.end) });
        }
        diagnostic
    }
}
