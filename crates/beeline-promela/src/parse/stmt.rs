//! Statements. `;` and `->` separate statements, and may be left out where a statement is complete, as Spin allows at the
//! ends of lines. Declarations after the first statement are assignments, too: of their initial value, or of 0.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use super::{Parse, Parser};
use crate::ast::{Arg, Decl, Expr, ExprKind, Init, Name, Receive, Ref, Send, Seq, Stmt, StmtKind, Type};
use crate::lex::{Kind, Token};
use crate::preprocess::ignored;

/// The greatest difference of bounds that makes a `select` a choice.
const MAX_CHOICES: i64 = 32;

impl Parser<'_> {
    /// Statements up to a bracket or word that ends them, which is left. What is wrong with one of them is kept, and
    /// reading goes on after it.
    pub(super) fn sequence(&mut self, close: &str) -> Parse<Seq> {
        let mut seq = Vec::new();
        loop {
            while self.eat(";") || self.eat("->") {}
            let closes = &*self.peek().text == close || self.peek_is("::") || self.peek_is("}");
            if closes || self.ended() || self.peek().is_word("fi") || self.peek().is_word("od") {
                return Ok(seq);
            }
            let before = self.at;
            match self.nested(|p| p.step(&mut seq)) {
                Ok(()) => {}
                // Too deep: there is no use in going on.
                Err(wrong) if wrong.code == "E0908" => return Err(wrong),
                Err(wrong) => {
                    self.messages.add(wrong);
                    self.next_statement(before);
                }
            }
        }
    }

    /// Goes past the next separator, or to the next bracket.
    fn next_statement(&mut self, before: usize) {
        if self.at == before {
            self.bump();
        }
        while !self.ended() && !self.peek_is("}") && !self.peek_is("::") {
            if self.eat(";") || self.peek().is_word("fi") || self.peek().is_word("od") {
                return;
            }
            if self.peek_is("{") {
                self.skip_braces();
            } else {
                self.bump();
            }
        }
    }

    /// One statement or declaration.
    fn step(&mut self, seq: &mut Seq) -> Parse<()> {
        let mut labels = Vec::new();
        while self.peek().kind == Kind::Name && self.ahead(1).is(":") && !self.at_declaration() {
            let place = self.peek().span;
            labels.push((self.name("a label")?, place));
            self.bump();
        }
        if !labels.is_empty() && self.statement_missing() {
            // Nothing is labelled: Spin puts a step there.
            let place = labels[0].1.to(labels[labels.len() - 1].1);
            let kind = StmtKind::Expr(Expr::int(1, place));
            self.fresh = false;
            seq.push(Stmt { labels, kind, span: place });
            return Ok(());
        }
        if self.at_declaration() {
            if let Some((_, place)) = labels.first() {
                let message = "a label stands before a statement, not before a declaration";
                return Err(Diagnostic::error("E0906", message, Some(*place)));
            }
            let mut declared = self.declaration_list()?;
            if !self.fresh {
                seq.extend(declared.iter().filter_map(late_init));
                // Until then they are 0.
                let values = declared.iter_mut().filter(|d| matches!(d.init, Some(Init::Value(_))));
                values.for_each(|d| d.init = None);
            }
            self.locals.extend(declared);
            return Ok(());
        }
        for word in ["xr", "xs"] {
            if self.peek().is_word(word) && self.ahead(1).kind == Kind::Name {
                let place = self.peek().span;
                self.bump();
                self.reference()?;
                while self.eat(",") {
                    self.reference()?;
                }
                ignored(self.messages, &format!("`{word}`"), place);
                return Ok(());
            }
        }
        self.fresh = false;
        let written_out = self.peek().is_word("for") || self.peek().is_word("select");
        let mut stmt = self.statement()?;
        // What is written out is no block. Labels are those of the loop or choice, which comes last.
        if let (StmtKind::Block(inner), true) = (&mut stmt.kind, written_out)
            && let Some(last) = inner.pop()
        {
            seq.append(inner);
            stmt = last;
        }
        if matches!(&stmt.kind, StmtKind::Block(inner) if inner.is_empty()) {
            return Ok(());
        }
        if self.eat_word("unless") {
            let escape = self.nested(Self::statement)?;
            let span = stmt.span.to(escape.span);
            let kind = StmtKind::Unless(Box::new(stmt), Box::new(escape));
            stmt = Stmt { labels: Vec::new(), kind, span };
        }
        stmt.labels = labels;
        seq.push(stmt);
        Ok(())
    }

    /// Whether something else comes where a statement should.
    fn statement_missing(&self) -> bool {
        let token = self.peek();
        [";", "->", "::", "}"].iter().any(|s| token.is(s)) || token.is_word("fi") || token.is_word("od")
    }

    fn statement(&mut self) -> Parse<Stmt> {
        let token = self.peek().clone();
        let start = token.span;
        let kind = match (token.kind, &*token.text) {
            (Kind::Symbol("{"), _) => StmtKind::Block(self.braced()?),
            (Kind::Name, "atomic") => {
                self.bump();
                StmtKind::Atomic(self.braced()?)
            }
            (Kind::Name, "d_step") => {
                self.bump();
                StmtKind::DStep(self.braced()?)
            }
            (Kind::Name, "if") => StmtKind::If(self.options("fi")?),
            (Kind::Name, "do") => StmtKind::Do(self.options("od")?),
            (Kind::Name, "for") => StmtKind::Block(self.for_loop()?),
            (Kind::Name, "select") => StmtKind::Block(self.select()?),
            (Kind::Name, "else") => {
                self.bump();
                StmtKind::Else
            }
            (Kind::Name, "break") => {
                self.bump();
                StmtKind::Break
            }
            (Kind::Name, "goto") => {
                self.bump();
                StmtKind::Goto(self.name("a label")?)
            }
            (Kind::Name, "assert") => {
                self.bump();
                StmtKind::Assert(self.expr()?)
            }
            (Kind::Name, word @ ("printf" | "printm")) => {
                self.bump();
                if !self.peek_is("(") {
                    return Err(self.unexpected(&format!("`(` after `{word}`")));
                }
                // What is printed does not matter; but a string that does not end would hide what comes after it.
                if word == "printf"
                    && self.tokens.get(self.at + 1).is_none_or(|token| token.kind != Kind::Text)
                {
                    self.bump();
                    return Err(self.unexpected("a string"));
                }
                self.skip_group();
                StmtKind::Print
            }
            (Kind::Name, "set_priority") => {
                self.bump();
                self.skip_group();
                let what = "`set_priority` is not supported: priorities do not change";
                return Err(Diagnostic::unsupported("U0903", what, Some(self.since(start))));
            }
            (Kind::Name, "return") => self.return_statement()?,
            (Kind::Name, "c_code" | "c_expr" | "c_decl" | "c_state" | "c_track") => {
                return Err(self.embedded_c());
            }
            (Kind::Name, _) if self.at_inline_call() => StmtKind::Block(self.inline_call(None)?),
            _ => return self.simple(),
        };
        Ok(Stmt { labels: Vec::new(), kind, span: self.since(start) })
    }

    fn at_inline_call(&self) -> bool {
        self.inlines.contains_key(&self.peek().text) && self.ahead(1).is("(")
    }

    /// Statements in braces, with names of their own.
    fn braced(&mut self) -> Parse<Seq> {
        self.expect("{", "before the statements")?;
        self.scopes.push(Default::default());
        let seq = self.sequence("}");
        self.scopes.pop();
        let seq = seq?;
        self.expect("}", "after the statements")?;
        if seq.is_empty() {
            let place = self.tokens[self.at.saturating_sub(1)].span;
            return Err(Diagnostic::error(
                "E0906",
                "a statement is missing before this bracket",
                Some(place),
            ));
        }
        Ok(seq)
    }

    fn options(&mut self, close: &str) -> Parse<Vec<Seq>> {
        self.bump();
        let mut options: Vec<Seq> = Vec::new();
        let is_else = |option: &Seq| matches!(option.first(), Some(Stmt { kind: StmtKind::Else, .. }));
        while self.eat("::") {
            let place = self.tokens[self.at.saturating_sub(1)].span;
            self.scopes.push(Default::default());
            let seq = self.sequence(close);
            self.scopes.pop();
            let seq = seq?;
            if seq.is_empty() {
                self.messages.error("E0906", "this option has no statement", place);
            }
            if is_else(&seq) && options.iter().any(is_else) {
                self.messages.error("E0906", "this choice has an `else` already", place);
            }
            options.push(seq);
        }
        if options.is_empty() {
            return Err(self.unexpected("`::` before the first option"));
        }
        self.expect_word(close)?;
        Ok(options)
    }

    /// A statement that begins with an expression.
    fn simple(&mut self) -> Parse<Stmt> {
        let start = self.peek().span;
        let expr = self.expr()?;
        let reference = match &expr.kind {
            ExprKind::Ref(found) => Some(found.clone()),
            _ => None,
        };
        let token = self.peek().clone();
        let kind = match (reference, token.kind) {
            (Some(found), Kind::Symbol("=")) => {
                self.bump();
                match self.at_inline_call() {
                    true => StmtKind::Block(self.inline_call(Some(found))?),
                    false => StmtKind::Assign(found, self.expr()?),
                }
            }
            (Some(found), Kind::Symbol("++" | "--")) => {
                self.bump();
                let op = if token.is("++") { "+" } else { "-" };
                StmtKind::Assign(found, Expr::binary(op, expr, Expr::int(1, token.span)))
            }
            (Some(channel), Kind::Symbol("!" | "!!")) => {
                self.bump();
                StmtKind::Send(Send { channel, args: self.send_args()?, sorted: token.is("!!") })
            }
            (Some(channel), Kind::Symbol("?" | "??")) => {
                self.bump();
                let keep = self.eat("<");
                let args = self.receive_args()?;
                if keep {
                    self.expect(">", "after the message")?;
                }
                StmtKind::Receive(Receive { channel, args, any: token.is("??"), keep })
            }
            _ => StmtKind::Expr(expr),
        };
        Ok(Stmt { labels: Vec::new(), kind, span: self.since(start) })
    }

    /// `e, e` or `t(e, e)`, where `t` may be any expression.
    fn send_args(&mut self) -> Parse<Vec<Expr>> {
        let tagged = self.peek().kind == Kind::Name && self.ahead(1).is("(") && !self.ahead(1).first;
        const FUNCTIONS: [&str; 8] =
            ["len", "empty", "full", "nempty", "nfull", "enabled", "pc_value", "get_priority"];
        let mut args = Vec::new();
        args.push(if tagged && !FUNCTIONS.contains(&&*self.peek().text) && !self.peek().is_word("run") {
            let tag = self.reference()?;
            Expr { span: tag.span, kind: ExprKind::Ref(tag) }
        } else {
            self.expr()?
        });
        if self.peek_is("(") && !self.peek().first {
            self.bump();
            while !self.eat(")") {
                args.push(self.expr()?);
                if !self.eat(",") && !self.peek_is(")") {
                    return Err(self.unexpected("`,` between the fields"));
                }
            }
            return Ok(args);
        }
        while self.eat(",") {
            args.push(self.expr()?);
        }
        if self.peek_is("(") && !self.peek().first {
            return Err(self.unexpected("`,` or the end of the message"));
        }
        Ok(args)
    }

    /// `for (i : a .. b) { .. }`, `for (i in a) { .. }`: an assignment and a loop.
    fn for_loop(&mut self) -> Parse<Seq> {
        let start = self.peek().span;
        self.bump();
        self.expect("(", "after `for`")?;
        let var = self.reference()?;
        let head = |p: &Self| p.since(start);
        if self.eat_word("in") {
            let over = self.reference()?;
            self.expect(")", "after the array or channel")?;
            let place = head(self);
            return self.for_in(var, over, place);
        }
        self.expect(":", "after the variable")?;
        let from = self.expr()?;
        self.expect("..", "between the bounds")?;
        let to = self.expr()?;
        self.expect(")", "after the bounds")?;
        let place = head(self);
        let body = self.braced()?;
        Ok(counted(&var, from, Expr::binary("<=", value(&var), to), body, place))
    }

    fn for_in(&mut self, var: Ref, over: Ref, place: Span) -> Parse<Seq> {
        let known = |name: &Name, all: &[Decl]| all.iter().find(|d| d.name == *name).cloned();
        let [(name, index)] = over.parts.as_slice() else {
            let what = "`for` over a field of a record is not supported";
            return Err(Diagnostic::unsupported("U0904", what, Some(over.span)));
        };
        let decl = known(name, &self.locals).or_else(|| known(name, &self.document.globals));
        let Some(decl) = decl else {
            let message = format!("there is no array or channel `{name}`");
            return Err(Diagnostic::error("E0920", message, Some(over.span)));
        };
        match (decl.len, index, decl.ty) {
            (Some(len), None, _) => {
                let last = Expr::binary("-", Expr { span: place, ..len }, Expr::int(1, place));
                let body = self.braced()?;
                Ok(counted(&var, Expr::int(0, place), Expr::binary("<=", value(&var), last), body, place))
            }
            (_, _, Type::Chan) => {
                let counter = self.invent(place);
                let counter = Ref { parts: vec![(counter, None)], span: place };
                let send = Send { channel: over.clone(), args: vec![value(&var)], sorted: false };
                let receive = Receive {
                    channel: over.clone(),
                    args: vec![Arg::Ref(var.clone())],
                    any: false,
                    keep: false,
                };
                let stmt = |kind| Stmt { labels: Vec::new(), kind, span: place };
                let mut body = vec![stmt(StmtKind::Receive(receive)), stmt(StmtKind::Send(send))];
                body.extend(self.braced()?);
                let length = Expr { kind: ExprKind::Probe("len", over), span: place };
                Ok(counted(
                    &counter,
                    Expr::int(0, place),
                    Expr::binary("<", value(&counter), length),
                    body,
                    place,
                ))
            }
            _ => Err(Diagnostic::error(
                "E0921",
                format!("`{name}` is no array and no channel"),
                Some(over.span),
            )),
        }
    }

    /// `select (v : a .. b)`: a choice between assignments, or a loop. It is a choice where Spin's lexer makes it one:
    /// outside of inlines, with a name of letters and digits, and bounds of digits alone that are not far apart.
    fn select(&mut self) -> Parse<Seq> {
        let start = self.peek().span;
        self.bump();
        self.expect("(", "after `select`")?;
        let var = self.reference()?;
        self.expect(":", "after the variable")?;
        let least = self.digits();
        let from = self.expr()?;
        self.expect("..", "between the bounds")?;
        let most = self.digits();
        let to = self.expr()?;
        self.expect(")", "after the bounds")?;
        let place = self.since(start);
        let stmt = |kind| Stmt { labels: Vec::new(), kind, span: place };
        let assign = |value| stmt(StmtKind::Assign(var.clone(), value));
        if let (ExprKind::Int(a), ExprKind::Int(b)) = (&from.kind, &to.kind)
            && a > b
        {
            let message = "there is no value to be selected";
            return Err(Diagnostic::error("E0914", message, Some(place)));
        }
        if let (Some(a), Some(b)) = (least, most) {
            let name = |(name, index): &(Name, Option<Expr>)| index.is_none() && !name.contains('_');
            let plain = matches!(var.parts.as_slice(), [part] if name(part)) && self.calls.is_empty();
            if plain && b - a <= MAX_CHOICES {
                let options = (a..=b).map(|value| vec![assign(Expr::int(value, place))]).collect();
                return Ok(vec![stmt(StmtKind::If(options))]);
            }
        }
        let more = stmt(StmtKind::Expr(Expr::binary("<", value(&var), to)));
        let next = assign(Expr::binary("+", value(&var), Expr::int(1, place)));
        let options = vec![vec![more, next], vec![stmt(StmtKind::Break)]];
        Ok(vec![assign(from), stmt(StmtKind::Do(options))])
    }

    /// A bound that is one token, made of digits.
    fn digits(&self) -> Option<i64> {
        match self.peek() {
            Token { kind: Kind::Int(value), text, .. }
                if text.bytes().all(|b| b.is_ascii_digit())
                    && (self.ahead(1).is("..") || self.ahead(1).is(")")) =>
            {
                Some(*value)
            }
            _ => None,
        }
    }
}

fn value(var: &Ref) -> Expr {
    Expr { kind: ExprKind::Ref(var.clone()), span: var.span }
}

/// `var = from; do :: goes_on -> body; var++ :: else -> break od`
fn counted(var: &Ref, from: Expr, goes_on: Expr, body: Seq, place: Span) -> Seq {
    let stmt = |kind| Stmt { labels: Vec::new(), kind, span: place };
    let next = Expr::binary("+", value(var), Expr::int(1, place));
    let mut option = vec![stmt(StmtKind::Expr(goes_on))];
    option.extend(body);
    option.push(stmt(StmtKind::Assign(var.clone(), next)));
    let over = vec![stmt(StmtKind::Else), stmt(StmtKind::Break)];
    vec![stmt(StmtKind::Assign(var.clone(), from)), stmt(StmtKind::Do(vec![option, over]))]
}

/// The assignment that a declaration after the first statement is: of an array, only to its first element; of a record, to
/// nothing at all.
fn late_init(decl: &Decl) -> Option<Stmt> {
    let init = match &decl.init {
        Some(Init::Value(value)) => value.clone(),
        Some(Init::Channel { .. }) => return None,
        Some(Init::List(_)) | None => Expr::int(0, decl.span),
    };
    let span = decl.span.to(init.span);
    let stmt = |kind| Some(Stmt { labels: Vec::new(), kind, span });
    if matches!(decl.ty, Type::Record(_)) || matches!(decl.init, Some(Init::List(_))) {
        return stmt(StmtKind::Print);
    }
    let index = decl.len.as_ref().map(|_| Expr::int(0, decl.span));
    let var = Ref { parts: vec![(decl.name.clone(), index)], span: decl.span };
    stmt(StmtKind::Assign(var, init))
}
