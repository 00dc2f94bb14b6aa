//! Names, numbers, ranges, frames and origins.

use super::lex::Token;
use super::names::{Entity, is_reserved, suggest};
use super::parse::{Parsed, Parser, Places};
use crate::diagnostic::Diagnostic;
use crate::expr::Range;
use crate::id::{LocalId, LocationId, ProcessId};
use crate::origin::{Origin, Span};
use crate::stmt::Local;

/// What a reference stands for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// A local of the frame.
    Local(LocalId),
    /// A location of a process.
    At(ProcessId, LocationId),
    /// Anything else.
    Entity(Entity),
    /// Nothing known; reported.
    Unknown,
}

impl<'a> Parser<'a> {
    /// A name.
    pub fn name(&mut self) -> Parsed<String> {
        let name = match self.peek() {
            Token::Word(word) if !is_reserved(word) => (*word).to_string(),
            Token::Quoted(name) => name.to_string(),
            _ => return Err(self.unexpected("a name")),
        };
        self.advance();
        Ok(name)
    }
    /// `x`, `P.x` or `::x`, and what it stands for.
    pub fn reference(&mut self) -> Parsed<(Meaning, Span)> {
        let start = self.here();
        if self.eat("::") {
            let name = self.name()?;
            let span = self.since(start);
            let meaning = self.names.global(&name).map(Meaning::Entity);
            return Ok((self.known(meaning, &name, None, span), span));
        }
        let name = self.name()?;
        let span = self.since(start);
        if self.eat(".") {
            let process = self.resolve_process(&name, span);
            let name = self.name()?;
            let span = self.since(start);
            let Some(process) = process else { return Ok((Meaning::Unknown, span)) };
            let meaning = self.names.owned(process, &name).map(|entity| match entity {
                Entity::Location(location) => Meaning::At(process, location),
                other => Meaning::Entity(other),
            });
            return Ok((self.known(meaning, &name, Some(process), span), span));
        }
        if let Some(local) = self.frame.iter().position(|l| l.name == name) {
            return Ok((Meaning::Local(LocalId::new(local)), span));
        }
        let owned = self.process.and_then(|p| Some((p, self.names.owned(p, &name)?)));
        let meaning = match owned {
            Some((process, Entity::Location(location))) => Some(Meaning::At(process, location)),
            Some((_, entity)) => Some(Meaning::Entity(entity)),
            None => self.names.global(&name).map(Meaning::Entity),
        };
        Ok((self.known(meaning, &name, self.process, span), span))
    }
    fn known(
        &mut self,
        meaning: Option<Meaning>,
        name: &str,
        process: Option<ProcessId>,
        span: Span,
    ) -> Meaning {
        meaning.unwrap_or_else(|| {
            let names = self.names;
            let locals = std::mem::take(&mut self.frame);
            let known =
                locals.iter().map(|l| l.name.as_str()).chain(names.space(process)).chain(names.space(None));
            self.unknown("name", name, known, span);
            self.frame = locals;
            Meaning::Unknown
        })
    }
    /// Records that a name is unknown, with the nearest known one.
    pub fn unknown<'n>(&mut self, what: &str, name: &str, known: impl Iterator<Item = &'n str>, span: Span) {
        // Looking for a near name takes time, so it is not done for messages that are dropped.
        if self.diagnostics.len() < super::MAX_DIAGNOSTICS {
            let mut diagnostic = Diagnostic::error("E0201", format!("unknown {what} `{name}`"), Some(span));
            diagnostic.help = suggest(name, known).map(|n| format!("did you mean `{n}`?"));
            self.report(diagnostic);
        }
    }
    /// Records that a name stands for the wrong kind of thing.
    pub fn wrong_kind(&mut self, wanted: &str, meaning: Meaning, span: Span) {
        let found = match meaning {
            Meaning::Local(_) => "a local",
            Meaning::At(..) => "a location",
            Meaning::Entity(entity) => entity.kind(),
            // Reported already.
            Meaning::Unknown => return,
        };
        self.error("E0202", format!("expected {wanted}, but this is {found}"), span);
    }
    fn resolve_process(&mut self, name: &str, span: Span) -> Option<ProcessId> {
        match self.names.global(name) {
            Some(Entity::Process(process)) => return Some(process),
            Some(other) => {
                self.error("E0202", format!("expected a process, but `{name}` is {}", other.kind()), span);
            }
            None => {
                let names = self.names;
                let processes =
                    names.space(None).filter(|n| matches!(names.global(n), Some(Entity::Process(_))));
                self.unknown("process", name, processes, span);
            }
        }
        None
    }
    /// The name of a process. An unknown one is reported and read as the first.
    pub fn process_name(&mut self) -> Parsed<ProcessId> {
        let start = self.here();
        let name = self.name()?;
        let span = self.since(start);
        Ok(self.resolve_process(&name, span).unwrap_or(ProcessId::new(0)))
    }
    /// The name of a location of the process. An unknown one is reported and read as the first.
    pub fn location_name(&mut self, process: ProcessId) -> Parsed<LocationId> {
        let start = self.here();
        let name = self.name()?;
        let span = self.since(start);
        if let Some(Entity::Location(location)) = self.names.owned(process, &name) {
            return Ok(location);
        }
        let names = self.names;
        let locations = names
            .space(Some(process))
            .filter(|n| matches!(names.owned(process, n), Some(Entity::Location(_))));
        self.unknown("location", &name, locations, span);
        Ok(LocationId::new(0))
    }

    // Numbers, ranges, frames.

    /// A number with its sign.
    pub fn number(&mut self) -> Parsed<i64> {
        let start = self.here();
        let negative = self.eat("-");
        let Token::Number(n) = self.peek() else { return Err(self.unexpected("a number")) };
        self.advance();
        let value = if negative { -i128::from(*n) } else { i128::from(*n) };
        i64::try_from(value)
            .map_err(|_| self.error("E0104", "number outside of the 64-bit integers", self.since(start)))
    }
    /// A number of a smaller type.
    pub fn small<T: TryFrom<i64>>(&mut self, what: &str) -> Parsed<T> {
        let start = self.here();
        let value = self.number()?;
        let span = self.since(start);
        T::try_from(value).map_err(|_| self.error("E0104", format!("{value} is no possible {what}"), span))
    }
    /// `lo..hi`
    pub fn range(&mut self) -> Parsed<Range> {
        let lo = self.number()?;
        self.expect("..")?;
        Ok(Range::new(lo, self.number()?))
    }
    /// `[len]`, if it is there.
    pub fn length(&mut self) -> Parsed<Option<u32>> {
        if !self.eat("[") {
            return Ok(None);
        }
        let len = self.small("number of elements")?;
        self.expect("]")?;
        Ok(Some(len))
    }
    /// One value per element, all the same; counted, so that no text makes the reader fill memory.
    pub fn filled<T: Clone>(&mut self, value: T, len: Option<u32>, span: Span) -> Vec<T> {
        let elements = u64::from(len.unwrap_or(1));
        self.cells += elements;
        if self.cells > crate::wellformed::MAX_CELLS {
            let message = format!("the model has more than {} cells", crate::wellformed::MAX_CELLS);
            self.error("E0113", message, span);
            return Vec::new();
        }
        vec![value; elements as usize]
    }
    /// Begins an empty frame and gives the one that was.
    pub fn new_frame(&mut self) -> Vec<Local> {
        self.implied.clear();
        std::mem::take(&mut self.frame)
    }
    /// `i in 0..3, a[2] in 0..1`, added to the frame.
    pub fn locals(&mut self) -> Parsed<()> {
        loop {
            let name = self.name()?;
            let len = self.length()?;
            self.expect_word("in")?;
            let range = self.range()?;
            self.frame.push(Local { name, range, len });
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    // Origins.

    /// The origin of an element: `@(file, start, end; native...)`, or its place in the text, or none.
    pub fn origin(&mut self, start: Span) -> Parsed<Option<Origin>> {
        let span = self.since(start);
        let written = self.written_origin()?;
        Ok(match self.places {
            Places::Recorded(file) if written.is_none() => Some(Origin { file, span, native: Vec::new() }),
            Places::Replaced(file) => Some(Origin { file, span, native: Vec::new() }),
            _ => written,
        })
    }
    fn written_origin(&mut self) -> Parsed<Option<Origin>> {
        if !self.eat("@") {
            return Ok(None);
        }
        self.expect("(")?;
        let file = self.small("file")?;
        self.expect(",")?;
        let start = self.small("place")?;
        self.expect(",")?;
        let end = self.small("place")?;
        let mut native = Vec::new();
        if self.eat(";") {
            native.push(self.number()?);
            while self.eat(",") {
                native.push(self.number()?);
            }
        }
        self.expect(")")?;
        Ok(Some(Origin { file, span: Span { start, end }, native }))
    }
}
