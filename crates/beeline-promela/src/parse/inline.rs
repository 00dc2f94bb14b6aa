//! `inline` definitions and their calls. A call is the text of the definition with the parameters replaced by the
//! text of the arguments, as in Spin.

use std::collections::HashMap;
use std::sync::Arc;

use beeline_ir::diagnostic::Diagnostic;

use super::{MAX_INLINED, Parse, Parser};
use crate::ast::{Name, Ref, Seq, StmtKind, walk, walk_mut};
use crate::lex::{Kind, Token};

/// A definition.
pub(super) struct Inline {
    pub name: Name,
    params: Vec<Name>,
    body: Vec<Token>,
}

impl Parser<'_> {
    pub(super) fn inline_definition(&mut self) -> Parse<()> {
        self.bump();
        let name = self.name("the name of the inline")?;
        self.expect("(", "before the parameters")?;
        let mut params = Vec::new();
        while !self.eat(")") {
            params.push(self.name("a parameter")?);
            self.eat(",");
        }
        if !self.peek_is("{") {
            return Err(self.unexpected("`{` before the body"));
        }
        let from = self.at;
        self.skip_braces();
        let body = self.tokens[from..self.at].to_vec();
        self.inlines.insert(name.clone(), Arc::new(Inline { name, params, body }));
        Ok(())
    }

    /// A call; what it returns is assigned to a variable, if there is one.
    pub(super) fn inline_call(&mut self, result: Option<Ref>) -> Parse<Seq> {
        let token = self.peek().clone();
        let Some(inline) = self.inlines.get(&token.text).cloned() else {
            return Err(self.unexpected("an inline"));
        };
        self.bump();
        let arguments = self.inline_arguments();
        let none = inline.params.is_empty() && arguments.len() == 1 && arguments[0].is_empty();
        if arguments.len() != inline.params.len() && !none {
            let (wanted, got) = (inline.params.len(), arguments.len());
            let message = format!("the inline `{}` takes {wanted} arguments, not {got}", inline.name);
            return Err(Diagnostic::error("E0912", message, Some(token.span)));
        }
        if self.calls.contains(&inline.name) {
            let message = format!("the inline `{}` calls itself", inline.name);
            return Err(Diagnostic::error("E0912", message, Some(token.span)));
        }
        let mut tokens = Vec::new();
        for part in &inline.body {
            let param = inline.params.iter().position(|p| part.kind == Kind::Name && *p == part.text);
            match param.and_then(|i| arguments.get(i)) {
                // Statements are shown as the inline has them.
                Some(argument) => {
                    tokens.extend(argument.iter().map(|t| Token { span: part.span, ..t.clone() }));
                }
                None => tokens.push(part.clone()),
            }
        }
        self.inlined += tokens.len();
        if self.inlined > MAX_INLINED {
            let message = "the model has too many tokens once its inline calls are expanded";
            return Err(Diagnostic::error("E0908", message, Some(token.span)));
        }
        let end = Token { kind: Kind::End, text: "".into(), span: token.span, first: true, spaced: true };
        tokens.push(end);
        let outer = std::mem::replace(&mut self.tokens, tokens);
        let at = std::mem::replace(&mut self.at, 0);
        self.calls.push(inline.name.clone());
        self.results.push(result);
        self.scopes.push(Default::default());
        self.bump();
        let seq = self.sequence("}");
        self.scopes.pop();
        self.results.pop();
        self.calls.pop();
        self.tokens = outer;
        self.at = at;
        let mut seq = seq?;
        self.own_labels(&mut seq);
        Ok(seq)
    }

    /// `return e` inside of an inline is an assignment to what its call is assigned to.
    pub(super) fn return_statement(&mut self) -> Parse<StmtKind> {
        let place = self.peek().span;
        self.bump();
        let value = self.expr()?;
        match self.results.last() {
            Some(Some(result)) => Ok(StmtKind::Assign(result.clone(), value)),
            _ => {
                let message = "`return` stands outside of an inline whose result is assigned";
                Err(Diagnostic::error("E0912", message, Some(place)))
            }
        }
    }

    /// Every call has labels of its own: those of a second call get other names.
    fn own_labels(&mut self, seq: &mut Seq) {
        let mut renamed: HashMap<Name, Name> = HashMap::new();
        walk(seq, &mut |stmt| {
            for (label, _) in &stmt.labels {
                let mut name = label.clone();
                let mut number = 1;
                while !self.inline_labels.insert(name.clone()) {
                    number += 1;
                    name = format!("{label}'{number}").into();
                }
                renamed.insert(label.clone(), name);
            }
        });
        if renamed.iter().any(|(old, new)| old != new) {
            walk_mut(seq, &mut |stmt| {
                stmt.labels.iter_mut().for_each(|(label, _)| {
                    if let Some(new) = renamed.get(label) {
                        *label = new.clone();
                    }
                });
                if let StmtKind::Goto(label) = &mut stmt.kind
                    && let Some(new) = renamed.get(label)
                {
                    *label = new.clone();
                }
            });
        }
    }

    /// The arguments in brackets, as they are written.
    fn inline_arguments(&mut self) -> Vec<Vec<Token>> {
        let mut arguments = vec![Vec::new()];
        // Inside of the bracket that opens the arguments.
        let mut depth = 1_usize;
        self.bump();
        while !self.ended() {
            let token = self.peek().clone();
            self.bump();
            match token.kind {
                Kind::Symbol("(" | "[" | "{") => depth += 1,
                Kind::Symbol(")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if depth == 1 && token.is(",") {
                arguments.push(Vec::new());
            } else if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        arguments
    }
}
