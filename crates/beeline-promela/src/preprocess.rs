//! The preprocessor: `#define` with and without parameters, `#undef`, `#include`, conditionals. Spin hands its files to
//! the C preprocessor; this is the part of it that models use. Tokens keep their places, so lines need no mending.
//!
//! Included files are read through a function that the caller gives, which decides what may be read. Places of
//! all files are positions in one text, the files one after another ([`Sources`]).

mod condition;

use std::collections::HashMap;
use std::sync::Arc;

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::origin::{Origin, Span};

use crate::lex::{Kind, Token, lex};
use crate::messages::Messages;

/// Longest text of all files together, in bytes.
const MAX_TEXT: usize = 16 << 20;

/// Most tokens after expansion; bounds the memory of the syntax tree.
pub(crate) const MAX_TOKENS: usize = 2_000_000;

/// Levels of macros in macros, and of files in files.
const MAX_LEVELS: usize = 100;

/// Reads a file that a model includes: the name as written, to its text or what is wrong.
pub type Include<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// The files of a model.
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
}

impl Sources {
    fn add(&mut self, name: String, text: &str, site: Option<Span>) -> usize {
        // One position between two files belongs to none.
        let base = self.files.last().map_or(0, |f| f.base + f.text.len() + 1);
        self.files.push(Source { name, text: text.into(), base, site });
        base
    }
    fn size(&self) -> usize {
        self.files.last().map_or(0, |f| f.base + f.text.len())
    }
    fn file(&self, at: usize) -> Option<(usize, &Source)> {
        let index = self.files.partition_point(|f| f.base <= at).checked_sub(1)?;
        Some((index, &self.files[index]))
    }
    /// Names of the files.
    pub fn names(&self) -> Vec<String> {
        self.files.iter().map(|f| f.name.clone()).collect()
    }
    /// The origin of what stands at a place.
    pub fn origin(&self, span: Span, native: Vec<i64>) -> Option<Origin> {
        let (index, file) = self.file(span.start as usize)?;
        let local = |at: u32| (at as usize).saturating_sub(file.base).min(file.text.len());
        Some(Origin { file: index as u32, span: Span::new(local(span.start), local(span.end)), native })
    }
    /// What is written at a place, white space made even.
    pub fn written(&self, span: Span) -> String {
        let Some((_, file)) = self.file(span.start as usize) else { return String::new() };
        let local = |at: u32| (at as usize).saturating_sub(file.base).min(file.text.len());
        let text = file.text.get(local(span.start)..local(span.end)).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
    /// The message with its place in the model's own file: what is wrong in an included one is shown where that is
    /// included.
    pub fn placed(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let Some(span) = diagnostic.span else { return diagnostic };
        let Some((index, file)) = self.file(span.start as usize) else { return diagnostic };
        if index > 0 {
            let at = (span.start as usize).saturating_sub(file.base).min(file.text.len());
            let line = file.text.get(..at).unwrap_or_default().matches('\n').count() + 1;
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

/// The tokens of a model with its macros expanded, ending with [`Kind::End`], and its files.
pub(crate) fn preprocess(
    text: &str,
    file: &str,
    include: Include<'_>,
    messages: &mut Messages,
) -> (Vec<Token>, Sources) {
    let mut run = Preprocessor {
        sources: Sources::default(),
        include,
        macros: HashMap::new(),
        output: Vec::new(),
        produced: 0,
        messages,
    };
    run.file(file.to_string(), text, None, 0);
    let end = run.sources.files.first().map_or(0, |f| f.text.len());
    let end = Span::new(end, end);
    run.output.push(Token { kind: Kind::End, text: "".into(), span: end, first: true, spaced: true });
    (run.output, run.sources)
}

struct Macro {
    /// Its parameters; `None` if it is used without arguments.
    params: Option<Vec<Arc<str>>>,
    body: Vec<Token>,
}

struct Preprocessor<'a, 'm> {
    sources: Sources,
    include: Include<'a>,
    macros: HashMap<Arc<str>, Arc<Macro>>,
    output: Vec<Token>,
    /// Tokens made so far, those that were expanded further included.
    produced: usize,
    messages: &'m mut Messages,
}

/// A conditional that is open: whether this part of it counts, whether an earlier one did, and where it began.
struct Conditional {
    active: bool,
    done: bool,
    place: Span,
}

impl Preprocessor<'_, '_> {
    fn file(&mut self, name: String, text: &str, site: Option<Span>, level: usize) {
        if self.sources.size() + text.len() > MAX_TEXT {
            let whole = site.unwrap_or(Span::new(0, 0));
            return self.messages.error("E0901", "the model is longer than 16 MiB", whole);
        }
        let base = self.sources.add(name, text, site);
        let tokens = lex(text, base, self.messages);
        let mut open: Vec<Conditional> = Vec::new();
        let mut at = 0;
        let mut plain = Vec::new();
        while at < tokens.len() {
            if tokens[at].first && tokens[at].is("#") {
                let end = tokens[at + 1..].iter().position(|t| t.first).map_or(tokens.len(), |n| at + 1 + n);
                self.flush(&mut plain);
                self.directive(&tokens[at..end], &mut open, site, level);
                at = end;
                continue;
            }
            if open.iter().all(|c| c.active) {
                plain.push(tokens[at].clone());
            }
            at += 1;
        }
        self.flush(&mut plain);
        if let Some(conditional) = open.first() {
            self.messages.error("E0910", "this conditional has no `#endif`", conditional.place);
        }
    }

    /// Expands what stands between two directives: arguments of a macro may go over several lines.
    fn flush(&mut self, plain: &mut Vec<Token>) {
        let tokens = std::mem::take(plain);
        let mut expanded = Vec::new();
        self.expand(&tokens, &mut Vec::new(), &mut expanded);
        self.output.append(&mut expanded);
    }

    fn directive(&mut self, line: &[Token], open: &mut Vec<Conditional>, site: Option<Span>, level: usize) {
        let Some(word) = line.get(1) else { return };
        let place = line[0].span.to(word.span);
        let rest = &line[2..];
        let outer = open.iter().all(|c| c.active);
        match &*word.text {
            "ifdef" | "ifndef" => {
                let Some(name) = rest.first().filter(|t| t.kind == Kind::Name) else {
                    return self.messages.error("E0910", "a name is missing here", place);
                };
                let holds = self.macros.contains_key(&name.text) == (&*word.text == "ifdef");
                open.push(Conditional { active: outer && holds, done: holds, place });
            }
            "if" => {
                let holds = outer && self.condition(rest, place);
                open.push(Conditional { active: holds, done: holds, place });
            }
            "elif" | "else" => {
                let Some(mut last) = open.pop() else {
                    return self.messages.error("E0910", "there is no `#if` before this", place);
                };
                let outer = open.iter().all(|c| c.active);
                let holds = outer && !last.done && (&*word.text == "else" || self.condition(rest, place));
                last.active = holds;
                last.done |= holds;
                open.push(last);
            }
            "endif" => {
                if open.pop().is_none() {
                    self.messages.error("E0910", "there is no `#if` before this", place);
                }
            }
            _ if !outer => {}
            "define" => self.define(rest, place),
            "undef" => {
                if let Some(name) = rest.first() {
                    self.macros.remove(&name.text);
                }
            }
            "include" => self.include(rest, place, site, level),
            "error" => {
                let words: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                self.messages.error("E0910", format!("#error {}", words.join(" ")), place);
            }
            "pragma" | "line" | "warning" | "ident" => {}
            _ => self.messages.error("E0910", format!("there is no directive `#{}`", word.text), place),
        }
    }

    fn define(&mut self, rest: &[Token], place: Span) {
        let Some(name) = rest.first().filter(|t| t.kind == Kind::Name) else {
            return self.messages.error("E0910", "the name of the macro is missing", place);
        };
        let mut params = None;
        let mut body = &rest[1..];
        // Only a bracket right after the name begins parameters.
        if body.first().is_some_and(|t| t.is("(") && !t.spaced) {
            let Some(end) = body.iter().position(|t| t.is(")")) else {
                return self.messages.error(
                    "E0910",
                    "`)` is missing after the parameters",
                    place.to(name.span),
                );
            };
            let names = body[1..end].iter().filter(|t| !t.is(","));
            if let Some(odd) = names.clone().find(|t| t.kind != Kind::Name) {
                let what = format!("`{}` is no parameter of a macro", odd.text);
                return self.messages.error("E0910", what, odd.span);
            }
            params = Some(names.map(|t| t.text.clone()).collect());
            body = &body[end + 1..];
        }
        self.macros.insert(name.text.clone(), Arc::new(Macro { params, body: body.to_vec() }));
    }

    fn include(&mut self, rest: &[Token], place: Span, site: Option<Span>, level: usize) {
        let Some(name) = rest.first().filter(|t| t.kind == Kind::Text) else {
            let what = "only files named in quotes are included, those of the model's folder";
            return self.messages.error("E0911", what, place);
        };
        let place = place.to(name.span);
        if level >= MAX_LEVELS || self.sources.files.len() > 1000 {
            return self.messages.error("E0911", "too many files include each other", place);
        }
        let file = name.text.trim_matches('"').to_string();
        match (self.include)(&file) {
            Ok(text) => self.file(file, &text, site.or(Some(place)), level + 1),
            Err(why) => self.messages.error("E0911", format!("`{file}` cannot be included: {why}"), place),
        }
    }

    fn condition(&mut self, tokens: &[Token], place: Span) -> bool {
        // `defined` comes before macros are expanded.
        let mut asked = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let known = |t: &Token| i64::from(self.macros.contains_key(&t.text));
            let number = |value| Token { kind: Kind::Int(value), ..tokens[at].clone() };
            let name = |i: usize| tokens.get(i).filter(|t| t.kind == Kind::Name);
            let symbol = |i: usize, s: &str| tokens.get(i).is_some_and(|t| t.is(s));
            if !tokens[at].is_word("defined") {
                asked.push(tokens[at].clone());
            } else if let Some(name) = name(at + 1) {
                asked.push(number(known(name)));
                at += 1;
            } else if symbol(at + 1, "(") && symbol(at + 3, ")") && name(at + 2).is_some() {
                asked.push(number(name(at + 2).map_or(0, known)));
                at += 3;
            } else {
                self.messages.error("E0910", "a name is missing after `defined`", place);
            }
            at += 1;
        }
        let mut expanded = Vec::new();
        self.expand(&asked, &mut Vec::new(), &mut expanded);
        match condition::value(&expanded) {
            Some(value) => value != 0,
            None => {
                self.messages.error("E0910", "this condition is no constant expression", place);
                false
            }
        }
    }

    /// Appends the tokens with their macros expanded, except those that are being expanded.
    fn expand(&mut self, tokens: &[Token], active: &mut Vec<Arc<str>>, output: &mut Vec<Token>) {
        let mut at = 0;
        while at < tokens.len() {
            let token = &tokens[at];
            at += 1;
            if !self.room(token.span) {
                return;
            }
            let found = match token.kind {
                Kind::Name if !active.contains(&token.text) => self.macros.get(&token.text).cloned(),
                _ => None,
            };
            let Some(found) = found else {
                output.push(token.clone());
                continue;
            };
            let mut body = match &found.params {
                None => found.body.clone(),
                Some(params) => {
                    let Some((arguments, after)) = arguments(tokens, at) else {
                        output.push(token.clone());
                        continue;
                    };
                    at = after;
                    let none = params.is_empty() && arguments.len() == 1 && arguments[0].is_empty();
                    if arguments.len() != params.len() && !none {
                        let (wanted, got) = (params.len(), arguments.len());
                        let what = format!("the macro `{}` takes {wanted} arguments, not {got}", token.text);
                        self.messages.error("E0912", what, token.span);
                        continue;
                    }
                    self.substituted(&found, params, &arguments, active)
                }
            };
            // What a macro stands for is where the macro is used.
            let last = tokens.get(at - 1).map_or(token.span, |t| t.span);
            let whole = if last.start >= token.span.start { token.span.to(last) } else { token.span };
            for (i, part) in body.iter_mut().enumerate() {
                part.span = whole;
                part.first = i == 0 && token.first;
            }
            if active.len() >= MAX_LEVELS {
                self.messages.error("E0912", "macros are nested too deeply", token.span);
                return;
            }
            active.push(token.text.clone());
            self.expand(&body, active, output);
            active.pop();
        }
    }

    fn room(&mut self, place: Span) -> bool {
        self.produced += 1;
        if self.produced > 2 * MAX_TOKENS {
            self.messages.error("E0901", "the model has too many tokens once its macros are expanded", place);
        }
        self.produced <= 2 * MAX_TOKENS
    }

    /// The body of a macro with its parameters replaced.
    fn substituted(
        &mut self,
        found: &Macro,
        params: &[Arc<str>],
        arguments: &[Vec<Token>],
        active: &mut Vec<Arc<str>>,
    ) -> Vec<Token> {
        let argument = |t: &Token| params.iter().position(|p| t.kind == Kind::Name && *p == t.text);
        let mut result: Vec<Token> = Vec::new();
        let mut at = 0;
        while at < found.body.len() {
            let token = &found.body[at];
            at += 1;
            if token.is("##") {
                // The next token becomes one with the last.
                let Some(next) = found.body.get(at) else { continue };
                at += 1;
                let next = match argument(next) {
                    Some(i) => arguments.get(i).and_then(|a| a.first()).cloned(),
                    None => Some(next.clone()),
                };
                if let (Some(last), Some(next)) = (result.last_mut(), next) {
                    last.text = format!("{}{}", last.text, next.text).into();
                    last.kind = if last.kind == Kind::Name { Kind::Name } else { next.kind };
                }
                continue;
            }
            match argument(token).and_then(|i| arguments.get(i)) {
                Some(tokens) if found.body.get(at).is_some_and(|t| t.is("##")) => {
                    result.extend(tokens.iter().cloned());
                }
                Some(tokens) => self.expand(&tokens.clone(), active, &mut result),
                None => result.push(token.clone()),
            }
        }
        result
    }
}

/// The arguments in brackets from a position on, and where they end.
fn arguments(tokens: &[Token], at: usize) -> Option<(Vec<Vec<Token>>, usize)> {
    if !tokens.get(at)?.is("(") {
        return None;
    }
    let mut arguments = vec![Vec::new()];
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        match token.kind {
            Kind::Symbol("(" | "[" | "{") => depth += 1,
            Kind::Symbol(")" | "]" | "}") => depth -= 1,
            _ => {}
        }
        match depth {
            0 => return Some((arguments, i + 1)),
            1 if token.is(",") => arguments.push(Vec::new()),
            _ if i > at => arguments.last_mut()?.push(token.clone()),
            _ => {}
        }
    }
    None
}

/// A note that something is read and has no effect.
pub(crate) fn ignored(messages: &mut Messages, what: &str, place: Span) {
    messages.note(Severity::Note, "W0901", format!("{what} has no effect here"), place);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, Vec<String>> {
        let mut messages = Messages::default();
        let include = |name: &str| match name {
            "n.h" => Ok("#define N 3\n".to_string()),
            "loop.h" => Ok("#include \"loop.h\"\n".to_string()),
            _ => Err("there is no such file".to_string()),
        };
        let (tokens, _) = preprocess(text, "m.pml", &include, &mut messages);
        match messages.finish() {
            Ok(_) => Ok(tokens.iter().map(|t| &*t.text).collect::<Vec<_>>().join(" ").trim().to_string()),
            Err(errors) => Err(errors.into_iter().map(|d| d.message).collect()),
        }
    }

    #[test]
    fn macros_are_expanded() {
        let ok = |text: &str| expanded(text).unwrap();
        assert_eq!(ok("#define N 4\nbyte a[N];"), "byte a [ 4 ] ;");
        assert_eq!(ok("#define f (x)\nf"), "( x )");
        assert_eq!(
            ok("#define inc(x,y) x++; y = (x)\ninc(a[i, 1],\n b)"),
            "a [ i , 1 ] ++ ; b = ( a [ i , 1 ] )"
        );
        assert_eq!(ok("#define A B\n#define B A\nA"), "A");
        assert_eq!(ok("#define A B\n#define B 2\nA\n#undef B\nA"), "2 B");
        assert_eq!(ok("#define f(x) x+1\nf(f(2)) f"), "2 + 1 + 1 f");
        assert_eq!(ok("#define cat(a,b) a##b\ncat(x,1)"), "x1");
        assert_eq!(ok("#define none() 7\nnone()"), "7");
        assert_eq!(ok("#define two a \\\n b\ntwo"), "a b");
    }

    #[test]
    fn conditionals_choose() {
        let ok = |text: &str| expanded(text).unwrap();
        assert_eq!(ok("#if 0\nthere's nothing\n#else\nx\n#endif"), "x");
        assert_eq!(ok("#define N 3\n#if N > 2 && !defined(M)\nx\n#elif 1\ny\n#endif"), "x");
        assert_eq!(ok("#ifdef N\n#if 1\na\n#endif\n#else\n#ifndef N\nb\n#endif\n#endif"), "b");
        assert_eq!(ok("#if M == 0\nx\n#endif"), "x");
    }

    #[test]
    fn files_are_included() {
        assert_eq!(expanded("#include \"n.h\"\nN").unwrap(), "3");
        assert_eq!(
            expanded("#include \"m.h\"").unwrap_err(),
            ["`m.h` cannot be included: there is no such file"]
        );
        assert!(expanded("#include \"loop.h\"").unwrap_err()[0].contains("too many files"));
        assert!(expanded("#include <stdio.h>").is_err());
    }

    #[test]
    fn growth_is_limited() {
        let mut text = "#define a0 x x x x x x x x\n".to_string();
        for i in 1..20 {
            text += &format!("#define a{i} a{0} a{0} a{0} a{0} a{0} a{0} a{0} a{0}\n", i - 1);
        }
        assert!(expanded(&(text + "a19")).unwrap_err()[0].contains("too many tokens"));
        let mut text = "#define a0 x\n".to_string();
        for i in 1..1000 {
            text += &format!("#define a{i} a{}\n", i - 1);
        }
        assert!(expanded(&(text + "a999")).unwrap_err()[0].contains("too deeply"));
    }
}
