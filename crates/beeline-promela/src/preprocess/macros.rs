//! Macros: what a `#define` says, and what stands in the place of a use of it.

use std::collections::HashMap;
use std::sync::Arc;

use beeline_ir::origin::Span;

use crate::lex::{Kind, Token, single};

/// Longest token that `##` makes, in bytes.
const MAX_PASTED: usize = 1000;

/// The macros of a model by their names.
pub(crate) type Macros = HashMap<Arc<str>, Arc<Macro>>;

/// A macro.
#[derive(Debug)]
pub(crate) struct Macro {
    /// How many parameters it has; `None` if it is used without arguments.
    pub params: Option<usize>,
    /// Whether the last parameter stands for all arguments that are left.
    pub variadic: bool,
    /// For each parameter, whether it is used with the macros in its argument expanded.
    pub expands: Vec<bool>,
    body: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    token: Token,
    role: Role,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Role {
    /// Stands for itself.
    Plain,
    /// A parameter.
    Param(usize),
    /// A parameter after `#`: its argument as a string.
    Quoted(usize),
    /// `##`: makes one token of two.
    Paste,
}

/// What is wrong, and where.
type Wrong = (String, Span);

/// An argument as it is written, and with its macros expanded.
#[derive(Default)]
pub(super) struct Argument {
    pub written: Vec<Token>,
    pub expanded: Vec<Token>,
}

impl Macro {
    /// What follows the name in a `#define`.
    pub fn new(name: &Token, mut rest: &[Token]) -> Result<Self, Wrong> {
        let mut names = Names::default();
        // Only a bracket right after the name begins parameters.
        let takes = rest.first().is_some_and(|t| t.is("(") && !t.spaced);
        if takes {
            rest = &rest[names.read(rest, name)?..];
        }
        let mut expands = vec![false; names.index.len()];
        let mut body: Vec<Part> = Vec::new();
        for token in rest {
            let role = match names.index.get(&token.text) {
                Some(i) if token.kind == Kind::Name => Role::Param(*i),
                _ if token.is("##") => Role::Paste,
                _ => Role::Plain,
            };
            let quotes = takes && body.last().is_some_and(|p| p.role == Role::Plain && p.token.is("#"));
            match (role, body.last_mut()) {
                (Role::Param(i), Some(hash)) if quotes => hash.role = Role::Quoted(i),
                (_, Some(hash)) if quotes => {
                    return Err(("after `#`, a parameter is expected".into(), hash.token.span));
                }
                _ => body.push(Part { token: token.clone(), role }),
            }
        }
        for (i, part) in body.iter().enumerate() {
            let pasted =
                |n: Option<usize>| n.and_then(|n| body.get(n)).is_some_and(|p| p.role == Role::Paste);
            if let Role::Param(param) = part.role {
                expands[param] |= !pasted(i.checked_sub(1)) && !pasted(Some(i + 1));
            }
        }
        if let Some(paste) = [body.first(), body.last()].into_iter().flatten().find(|p| p.role == Role::Paste)
        {
            return Err(("`##` needs a token on either side".into(), paste.token.span));
        }
        let params = takes.then_some(names.index.len());
        Ok(Self { params, variadic: names.variadic, expands, body })
    }

    /// What the macro stands for with these arguments; nothing if it is too long. Takes as much `room` as it fills.
    pub(super) fn replaced(
        &self,
        arguments: &[Argument],
        room: &mut usize,
    ) -> Result<Option<Vec<Token>>, Wrong> {
        let mut output: Vec<Token> = Vec::new();
        let mut at = 0;
        while let Some(part) = self.body.get(at) {
            at += 1;
            if self.role(at) != Some(Role::Paste) {
                let Some(piece) = piece(part, arguments, true, room) else { return Ok(None) };
                output.extend(piece);
                continue;
            }
            // A chain of `##`; an empty argument is nothing there.
            let Some(mut chain) = piece(part, arguments, false, room) else { return Ok(None) };
            while self.role(at) == Some(Role::Paste) {
                let Some(next) = self.body.get(at + 1) else { break };
                let Some(mut piece) = piece(next, arguments, false, room) else { return Ok(None) };
                let rest = self.variadic && next.role == Role::Param(self.expands.len() - 1);
                at += 2;
                if rest && chain.last().is_some_and(|t| t.is(",")) {
                    // `, ## __VA_ARGS__`: the comma goes if nothing follows, and is left alone otherwise.
                    if arguments.len() < self.expands.len() {
                        chain.pop();
                    }
                } else if let (Some(last), false) = (chain.last_mut(), piece.is_empty()) {
                    *last = pasted(last, &piece.remove(0))?;
                }
                chain.append(&mut piece);
            }
            output.append(&mut chain);
        }
        Ok(Some(output))
    }

    fn role(&self, at: usize) -> Option<Role> {
        self.body.get(at).map(|part| part.role)
    }
}

/// Names of parameters.
#[derive(Default)]
struct Names {
    index: HashMap<Arc<str>, usize>,
    variadic: bool,
}

impl Names {
    /// Reads parameters in brackets, and says how many tokens they are.
    fn read(&mut self, tokens: &[Token], name: &Token) -> Result<usize, Wrong> {
        let missing = || ("`)` is missing after the parameters".to_string(), name.span);
        let mut at = 1;
        if tokens.get(at).is_some_and(|t| t.is(")")) {
            return Ok(2);
        }
        loop {
            let param = tokens.get(at).ok_or_else(missing)?;
            let text = match param.kind {
                Kind::Name => param.text.clone(),
                Kind::Symbol("...") => "__VA_ARGS__".into(),
                _ => return Err((format!("`{}` is no parameter of a macro", param.text), param.span)),
            };
            let index = self.index.len();
            if self.index.insert(text, index).is_some() {
                return Err((format!("`{}` is a parameter already", param.text), param.span));
            }
            at += 1;
            self.variadic = param.is("...");
            // `#define f(all...)`, with a name for the rest.
            if !self.variadic && tokens.get(at).is_some_and(|t| t.is("...")) {
                self.variadic = true;
                at += 1;
            }
            let next = tokens.get(at).ok_or_else(missing)?;
            at += 1;
            match next.kind {
                Kind::Symbol(")") => return Ok(at),
                Kind::Symbol(",") if !self.variadic => {}
                _ => return Err(missing()),
            }
        }
    }
}

/// What a part of a body stands for; nothing if there is no room for it.
fn piece(part: &Part, arguments: &[Argument], expanded: bool, room: &mut usize) -> Option<Vec<Token>> {
    let none = Argument::default();
    let argument = |i: usize| arguments.get(i).unwrap_or(&none);
    let mut tokens = match part.role {
        Role::Plain | Role::Paste => {
            take(room, 1)?;
            return Some(vec![part.token.clone()]);
        }
        Role::Param(i) => {
            let tokens = if expanded { &argument(i).expanded } else { &argument(i).written };
            take(room, tokens.len())?;
            tokens.clone()
        }
        Role::Quoted(i) => {
            let length: usize = argument(i).written.iter().map(|t| t.text.len()).sum();
            take(room, 1 + length / 4)?;
            vec![quoted(&argument(i).written, &part.token)]
        }
    };
    if let Some(first) = tokens.first_mut() {
        first.spaced = part.token.spaced;
    }
    Some(tokens)
}

/// Takes a part of the room, if there is enough.
pub(super) fn take(room: &mut usize, amount: usize) -> Option<()> {
    *room = room.checked_sub(amount)?;
    Some(())
}

/// `#x`: an argument as a string.
fn quoted(argument: &[Token], place: &Token) -> Token {
    let mut text = String::from('"');
    for (i, token) in argument.iter().enumerate() {
        if i > 0 && token.spaced {
            text.push(' ');
        }
        let literal = token.text.starts_with(['"', '\'']);
        for c in token.text.chars() {
            if literal && matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
    }
    text.push('"');
    Token { kind: Kind::Text, text: text.into(), ..place.clone() }
}

/// `a ## b`: one token, which is read anew.
fn pasted(left: &Token, right: &Token) -> Result<Token, Wrong> {
    let text = format!("{}{}", left.text, right.text);
    // `1 ## y` is what C calls a number; whether it is one of the language is for the parser to say.
    let known = |t: &Token| t.kind != Kind::Strange || text.starts_with(|c: char| c.is_ascii_digit());
    match single(&text).filter(|t| known(t) && text.len() <= MAX_PASTED) {
        Some(token) => Ok(Token { span: left.span, first: left.first, spaced: left.spaced, ..token }),
        None => {
            let shown: String = text.chars().take(40).collect();
            Err((format!("`##` makes no token of `{shown}`"), left.span))
        }
    }
}
