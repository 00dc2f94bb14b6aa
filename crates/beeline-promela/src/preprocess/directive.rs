//! Files and the directives in them.

use beeline_ir::origin::Span;

use super::macros::{Macro, take};
use super::{Preprocessor, condition};
use crate::lex::{Kind, Lexer, Token};

/// Longest text of all files together, in bytes.
const MAX_TEXT: usize = 16 << 20;

/// Most files, and levels of files in files.
const MAX_FILES: usize = 1000;
const MAX_LEVELS: usize = 100;

/// A file that is being read.
#[derive(Debug)]
pub(super) struct File {
    lexer: Lexer,
    /// A token that was read too early.
    ahead: Option<Token>,
    /// Its conditionals that are open.
    open: Vec<Conditional>,
    /// Where in the model's own file it is included.
    site: Option<Span>,
    /// What `#line` has added to the numbers of its lines.
    pub shift: i64,
}

#[derive(Debug)]
struct Conditional {
    /// Whether this part of it counts, for which all those around it have to count, too.
    active: bool,
    /// Whether an earlier part did.
    done: bool,
    /// Whether its `#else` has come.
    last: bool,
    place: Span,
}

impl File {
    /// Whether what comes now counts.
    fn live(&self) -> bool {
        self.open.last().is_none_or(|c| c.active)
    }
}

impl Preprocessor<'_, '_> {
    /// Begins to read a file.
    pub(super) fn open(&mut self, name: String, text: &str, site: Option<Span>) {
        if self.sources.size() + text.len() > MAX_TEXT {
            let whole = site.unwrap_or(Span::new(0, 0));
            return self.stop("E0901", "the model is longer than 16 MiB", whole);
        }
        let text = text.into();
        let lexer = Lexer::new(&text, self.sources.add(name, &text, site));
        self.files.push(File { lexer, ahead: None, open: Vec::new(), site, shift: 0 });
    }

    /// The next token of the files that counts. Carries out the directives before it.
    pub(super) fn read(&mut self) -> Option<Token> {
        while let Some(file) = self.files.last_mut() {
            if self.stopped {
                return None;
            }
            match file.ahead.take().or_else(|| file.lexer.next(self.messages)) {
                None => {
                    if let Some(conditional) = file.open.first() {
                        self.messages.error("E0910", "this conditional has no `#endif`", conditional.place);
                    }
                    self.files.pop();
                }
                Some(hash) if hash.first && hash.is("#") => self.directive(&hash),
                Some(token) if file.live() => {
                    if take(&mut self.room, 1).is_none() {
                        self.full(token.span);
                    }
                    return Some(token);
                }
                Some(_) => {}
            }
        }
        None
    }

    /// What is left of a line.
    fn line(&mut self) -> Vec<Token> {
        let mut line = Vec::new();
        while let Some(file) = self.files.last_mut()
            && let Some(token) = file.lexer.next(self.messages)
        {
            if token.first {
                file.ahead = Some(token);
                break;
            }
            line.push(token);
        }
        line
    }

    fn directive(&mut self, hash: &Token) {
        let line = self.line();
        let Some((word, rest)) = line.split_first() else { return };
        let place = hash.span.to(word.span);
        let wrong = |run: &mut Self, message: &str| run.messages.error("E0910", message, place);
        let Some(file) = self.files.last_mut() else { return };
        let live = file.live();
        match &*word.text {
            "if" | "ifdef" | "ifndef" => {
                let holds = live && self.holds(word, rest, place);
                if let Some(file) = self.files.last_mut() {
                    // Where the whole does not count, no part of it does.
                    file.open.push(Conditional { active: holds, done: holds || !live, last: false, place });
                }
            }
            "elif" | "else" => {
                let Some(mut part) = file.open.pop() else {
                    return wrong(self, "there is no `#if` before this");
                };
                if part.last {
                    wrong(self, "the `#else` of this conditional has come already");
                }
                part.last |= &*word.text == "else";
                part.active = !part.done && (part.last || self.holds(word, rest, place));
                part.done |= part.active;
                if let Some(file) = self.files.last_mut() {
                    file.open.push(part);
                }
            }
            "endif" => {
                if file.open.pop().is_none() {
                    wrong(self, "there is no `#if` before this");
                }
            }
            _ if !live => {}
            "define" => self.define(rest, place),
            "undef" => match rest.first().filter(|t| t.kind == Kind::Name) {
                Some(name) => {
                    self.macros.remove(&name.text);
                }
                None => wrong(self, "the name of the macro is missing"),
            },
            "include" => self.include(rest, place),
            "error" => {
                let words: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                wrong(self, &format!("#error {}", words.join(" ")));
            }
            "line" => self.number_lines(rest, place),
            // What a preprocessor has left: the number of the next line and the file it comes from.
            _ if matches!(word.kind, Kind::Int(_)) => self.number_lines(&line, place),
            "pragma" if rest.first().is_some_and(|t| t.is_word("once")) => {
                self.once.extend(self.sources.line(place).map(|(file, _)| file.to_string()));
            }
            "pragma" | "warning" | "ident" => {}
            _ => wrong(self, &format!("there is no directive `#{}`", word.text)),
        }
    }

    fn holds(&mut self, word: &Token, rest: &[Token], place: Span) -> bool {
        if word.text.contains("def") {
            let Some(name) = rest.first().filter(|t| t.kind == Kind::Name) else {
                self.messages.error("E0910", "a name is missing here", place);
                return false;
            };
            return self.macros.contains_key(&name.text) == (&*word.text == "ifdef");
        }
        self.asking = true;
        let expanded = self.alone(rest.to_vec(), place);
        self.asking = false;
        condition::holds(&expanded).unwrap_or_else(|| {
            self.messages.error("E0910", "this condition is no constant expression", place);
            false
        })
    }

    fn define(&mut self, rest: &[Token], place: Span) {
        let name = rest.first().filter(|t| t.kind == Kind::Name && &*t.text != "defined");
        let Some((name, (_, rest))) = name.zip(rest.split_first()) else {
            return self.messages.error("E0910", "the name of the macro is missing", place);
        };
        match Macro::new(name, rest) {
            Ok(found) => {
                self.macros.insert(name.text.clone(), found.into());
            }
            Err((message, place)) => self.messages.error("E0910", message, place),
        }
    }

    /// The next line has this number.
    fn number_lines(&mut self, rest: &[Token], place: Span) {
        let next = self.sources.line(place).map(|(_, line)| line as i64 + 1);
        if let (Some(Token { kind: Kind::Int(number), .. }), Some(next), Some(file)) =
            (rest.first(), next, self.files.last_mut())
        {
            file.shift = number - next;
        }
    }

    fn include(&mut self, rest: &[Token], place: Span) {
        let expanded = self.alone(rest.to_vec(), place);
        let Some(name) = expanded.first().filter(|t| t.kind == Kind::Text) else {
            let what = "only files named in quotes are included, those of the model's folder";
            return self.messages.error("E0911", what, place);
        };
        let place = rest.first().map_or(place, |t| place.to(t.span));
        if self.files.len() > MAX_LEVELS || self.sources.count() > MAX_FILES {
            return self.messages.error("E0911", "too many files include each other", place);
        }
        // What an included file includes is looked for beside it.
        let name = name.text.trim_matches('"');
        let folder = if name.starts_with('/') { "" } else { self.sources.folder(place) };
        let file = format!("{folder}{name}");
        if self.once.contains(&file) {
            return;
        }
        let site = self.files.last().and_then(|f| f.site).unwrap_or(place);
        match (self.include)(&file) {
            Ok(text) => self.open(file, &text, Some(site)),
            Err(why) => self.messages.error("E0911", format!("`{file}` cannot be included: {why}"), place),
        }
    }
}
