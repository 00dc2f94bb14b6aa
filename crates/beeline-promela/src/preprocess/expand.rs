//! The expansion of macros. What a macro stands for is read again together with what follows the use, and a macro is not
//! expanded while what it stands for is being read. A name met then stays as it is for good.

use std::sync::Arc;

use beeline_ir::origin::Span;

use super::Preprocessor;
use super::macros::{Argument, Macro, take};
use crate::lex::{Kind, Token};

/// Arguments within arguments that are followed.
const MAX_LEVELS: usize = 200;

/// Tokens that are to be read before all else.
#[derive(Debug)]
pub(super) struct Frame {
    tokens: std::vec::IntoIter<Token>,
    /// The macro that they come from.
    name: Option<Arc<str>>,
}

impl Preprocessor<'_, '_> {
    /// The next token that is no macro.
    pub(super) fn expanded(&mut self) -> Option<Token> {
        loop {
            let mut token = self.next()?;
            if token.kind != Kind::Name {
                return Some(token);
            }
            let Some(found) = self.macros.get(&token.text).cloned() else {
                match &*token.text {
                    "defined" if self.asking => return Some(self.defined(&token)),
                    "__LINE__" | "__FILE__" => return Some(self.place(token)),
                    _ => return Some(token),
                }
            };
            if self.disabled.contains(&token.text) {
                token.kind = Kind::Kept;
                return Some(token);
            }
            let (arguments, whole) = match found.params {
                None => (Vec::new(), token.span),
                // Without arguments it is a name like others.
                Some(_) if !self.bracket_follows() => return Some(token),
                Some(_) => self.arguments(&token, &found)?,
            };
            self.replace(&token, &found, &arguments, whole);
        }
    }

    /// The next token as it is written, in a macro or in a file.
    fn next(&mut self) -> Option<Token> {
        while let Some(frame) = self.frames.last_mut() {
            if self.stopped {
                return None;
            }
            if let Some(token) = frame.tokens.next() {
                return Some(token);
            }
            if let Some(Frame { name: Some(name), .. }) = self.frames.pop() {
                self.disabled.remove(&name);
            }
        }
        if self.level > 0 { None } else { self.read() }
    }

    /// Whether `(` comes next, which is read then.
    fn bracket_follows(&mut self) -> bool {
        match self.next() {
            Some(token) if token.is("(") => true,
            Some(token) => {
                self.frames.push(Frame { tokens: vec![token].into_iter(), name: None });
                false
            }
            None => false,
        }
    }

    /// The arguments after `(`, and the place of the whole. Nothing if they do not end.
    fn arguments(&mut self, name: &Token, found: &Macro) -> Option<(Vec<Argument>, Span)> {
        let params = found.params.unwrap_or(0);
        let mut written = vec![Vec::new()];
        let mut depth = 0_usize;
        let whole = loop {
            let Some(token) = self.next() else {
                let message = format!("the arguments of the macro `{}` do not end", name.text);
                self.stop("E0912", &message, name.span);
                return None;
            };
            let rest = found.variadic && written.len() == params;
            match token.kind {
                Kind::Symbol(")") if depth == 0 => break token.span,
                Kind::Symbol("(") => depth += 1,
                Kind::Symbol(")") => depth -= 1,
                Kind::Symbol(",") if depth == 0 && !rest => {
                    written.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(argument) = written.last_mut() {
                argument.push(token);
            }
        };
        if params == 0 && written.len() == 1 && written[0].is_empty() {
            written.clear();
        }
        // What is left for the last of them may be nothing at all.
        if written.len() != params && !(found.variadic && written.len() + 1 == params) {
            let (wanted, got) = (params, written.len());
            let message = format!("the macro `{}` takes {wanted} arguments, not {got}", name.text);
            self.messages.error("E0912", message, name.span);
        }
        let expanded = |(i, written): (usize, Vec<Token>)| {
            let wanted = found.expands.get(i) == Some(&true);
            let expanded = if wanted { self.alone(written.clone(), name.span) } else { Vec::new() };
            Argument { written, expanded }
        };
        let arguments = written.into_iter().enumerate().map(expanded).collect();
        // A use may begin in a macro and end in what follows, or in another file.
        let whole = if whole.start >= name.span.start { name.span.to(whole) } else { name.span };
        Some((arguments, whole))
    }

    /// Expands tokens by themselves.
    pub(super) fn alone(&mut self, tokens: Vec<Token>, place: Span) -> Vec<Token> {
        if self.level >= MAX_LEVELS {
            self.stop("E0912", "macros are nested too deeply", place);
        }
        if take(&mut self.room, tokens.len()).is_none() {
            self.full(place);
        }
        let frame = Frame { tokens: tokens.into_iter(), name: None };
        let outer = std::mem::replace(&mut self.frames, vec![frame]);
        self.level += 1;
        let expanded = std::iter::from_fn(|| self.expanded()).collect();
        self.level -= 1;
        self.frames = outer;
        expanded
    }

    /// Puts what a macro stands for in the place of a use of it.
    fn replace(&mut self, name: &Token, found: &Macro, arguments: &[Argument], whole: Span) {
        let mut tokens = match found.replaced(arguments, &mut self.room) {
            Ok(Some(tokens)) => tokens,
            Ok(None) => return self.full(whole),
            Err((message, place)) => return self.messages.error("E0912", message, place),
        };
        for (i, token) in tokens.iter_mut().enumerate() {
            token.span = whole;
            token.first = i == 0 && name.first;
            token.spaced = if i == 0 { name.spaced } else { token.spaced };
        }
        self.disabled.insert(name.text.clone());
        self.frames.push(Frame { tokens: tokens.into_iter(), name: Some(name.text.clone()) });
    }

    /// `defined X` or `defined(X)`, in a condition: whether there is such a macro.
    fn defined(&mut self, word: &Token) -> Token {
        let bracket = self.bracket_follows();
        let name = self.next().filter(|t| matches!(t.kind, Kind::Name | Kind::Kept));
        let closed = !bracket || self.next().is_some_and(|t| t.is(")"));
        if name.is_none() || !closed {
            self.messages.error("E0910", "a name is missing after `defined`", word.span);
        }
        let known = name.is_some_and(|t| self.macros.contains_key(&t.text));
        let text = if known { "1" } else { "0" };
        Token { kind: Kind::Int(i64::from(known)), text: text.into(), ..word.clone() }
    }

    /// `__LINE__` or `__FILE__`.
    fn place(&self, token: Token) -> Token {
        let Some((file, line)) = self.sources.line(token.span) else { return token };
        let (kind, text) = match &*token.text {
            "__LINE__" => {
                let line = self.files.last().map_or(0, |f| f.shift) + line as i64;
                (Kind::Int(line), line.to_string())
            }
            _ => (Kind::Text, format!("{file:?}")),
        };
        Token { kind, text: text.into(), ..token }
    }
}
