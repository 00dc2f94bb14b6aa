//! The parser: declarations and process types here, statements in [`stmt`], expressions in [`expr`]. After a mistake it
//! goes on at the next statement or declaration, so that all mistakes of a file are told at once.

mod cursor;
mod decl;
mod expr;
mod inline;
mod stmt;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::MAX_DEPTH;
use beeline_ir::origin::Span;

use crate::ast::{Document, Expr, Formula, Mtype, Name, Proc, Ref, Typedef};
use crate::lex::Token;
use crate::messages::Messages;
use inline::Inline;

/// What a rule gives, or what is wrong.
pub(crate) type Parse<T> = Result<T, Diagnostic>;

/// Words that are no names.
const KEYWORDS: [&str; 58] = [
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "chan",
    "D_proctype",
    "d_step",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "od",
    "of",
    "pc_value",
    "pid",
    "priority",
    "printf",
    "printm",
    "proctype",
    "provided",
    "run",
    "select",
    "short",
    "show",
    "skip",
    "timeout",
    "true",
    "typedef",
    "unless",
    "unsigned",
];

/// Most tokens that inline calls may add.
const MAX_INLINED: usize = 1_000_000;

pub(crate) struct Parser<'m> {
    tokens: Vec<Token>,
    at: usize,
    level: usize,
    /// Whether temporal operators may stand here.
    temporal: bool,
    messages: &'m mut Messages,
    document: Document,
    inlines: HashMap<Name, Arc<Inline>>,
    /// Inline calls that are being read, and what their results are assigned to.
    calls: Vec<Name>,
    results: Vec<Option<Ref>>,
    /// Labels of inlines in the process type that is being read.
    inline_labels: HashSet<Name>,
    inlined: usize,
    typedefs: HashSet<Name>,
    /// Names of process types, those that come later included.
    procs: HashSet<Name>,
    /// Of the process type that is being read: scopes, from the outermost; names in use; whether a declaration still
    /// is one of the first things.
    scopes: Vec<HashMap<Name, Name>>,
    locals: Vec<crate::ast::Decl>,
    taken: HashSet<Name>,
    fresh: bool,
    /// Labels and variables that were made up.
    made: usize,
}

/// The syntax tree of a model.
pub(crate) fn parse(tokens: Vec<Token>, messages: &mut Messages) -> Document {
    let mut parser = Parser::new(tokens, messages);
    while !parser.ended() {
        let before = parser.at;
        if let Err(wrong) = parser.unit() {
            parser.messages.add(wrong);
            parser.recover(before);
        }
    }
    parser.document
}

/// The formula or predicate that a text of its own is, about a model with these process types.
pub(crate) fn parse_formula(tokens: Vec<Token>, procs: &[Proc], messages: &mut Messages) -> Option<Expr> {
    let mut parser = Parser::new(tokens, messages);
    parser.procs = procs.iter().map(|p| p.name.clone()).collect();
    parser.temporal = true;
    let braced = parser.eat_word("ltl") && (parser.peek_is("{") || parser.name("a name").is_ok());
    if braced {
        parser.eat("{");
    }
    let formula = parser.expr();
    if braced {
        parser.eat("}");
    }
    let whole =
        formula.and_then(|f| if parser.ended() { Ok(f) } else { Err(parser.unexpected("an operator")) });
    match whole {
        Ok(formula) => Some(formula),
        Err(wrong) => {
            parser.messages.add(wrong);
            None
        }
    }
}

impl<'m> Parser<'m> {
    fn new(tokens: Vec<Token>, messages: &'m mut Messages) -> Self {
        let named = tokens.windows(2).filter(|pair| pair[0].text.ends_with("proctype"));
        let procs = named.map(|pair| pair[1].text.clone()).collect();
        Self {
            procs,
            tokens,
            at: 0,
            level: 0,
            temporal: false,
            messages,
            document: Document::default(),
            inlines: HashMap::new(),
            calls: Vec::new(),
            results: Vec::new(),
            inline_labels: HashSet::new(),
            inlined: 0,
            typedefs: HashSet::new(),
            scopes: Vec::new(),
            locals: Vec::new(),
            taken: HashSet::new(),
            fresh: true,
            made: 0,
        }
    }

    /// Goes on at the next thing that begins a declaration or process type.
    fn recover(&mut self, before: usize) {
        if self.at == before {
            self.bump();
        }
        const STARTS: [&str; 7] = ["proctype", "active", "init", "never", "ltl", "inline", "typedef"];
        while !self.ended() && !STARTS.iter().any(|word| self.peek().is_word(word)) {
            self.bump();
        }
    }

    /// One level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.level >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(Diagnostic::error("E0908", message, Some(self.peek().span)));
        }
        self.level += 1;
        let result = rule(self);
        self.level -= 1;
        result
    }

    fn unit(&mut self) -> Parse<()> {
        let token = self.peek().clone();
        match &*token.text {
            ";" => self.bump(),
            "active" | "proctype" | "D_proctype" => self.proctype()?,
            "init" => self.init()?,
            "never" => self.never()?,
            "ltl" => self.ltl()?,
            "inline" => self.inline_definition()?,
            "typedef" => self.typedef()?,
            "trace" | "notrace" => {
                self.bump();
                self.messages.unsupported(
                    "U0901",
                    format!("`{}` assertions about event sequences are not supported", token.text),
                    token.span,
                );
                self.skip_braces();
            }
            "c_code" | "c_decl" | "c_state" | "c_track" | "c_expr" => {
                let refused = self.embedded_c();
                self.messages.add(refused);
            }
            "mtype" if self.is_mtype_definition() => self.mtype()?,
            _ if self.at_declaration() => {
                let declared = self.declaration()?;
                self.document.globals.extend(declared);
            }
            _ => return Err(self.unexpected("a declaration or a process type")),
        }
        Ok(())
    }

    fn proctype(&mut self) -> Parse<()> {
        let start = self.peek().span;
        let mut active = None;
        if self.eat_word("active") {
            let place = self.since(start);
            active = Some(Expr::int(1, place));
            if self.eat("[") {
                active = Some(self.expr()?);
                self.expect("]", "after the number of processes")?;
            }
        }
        if !self.eat_word("D_proctype") {
            self.expect_word("proctype")?;
        }
        let name = self.name("the name of the process type")?;
        self.begin_body();
        self.expect("(", "before the parameters")?;
        while !self.peek_is(")") {
            if self.eat(";") || self.eat(",") {
                continue;
            }
            if !self.at_declaration() {
                return Err(self.unexpected("a parameter"));
            }
            let declared = self.declaration_list()?;
            self.locals.extend(declared);
        }
        self.expect(")", "after the parameters")?;
        let params = self.locals.len();
        self.body(name, active, params, start)
    }

    fn init(&mut self) -> Parse<()> {
        let start = self.peek().span;
        self.bump();
        self.begin_body();
        let one = Some(Expr::int(1, start));
        self.body("init".into(), one, 0, start)
    }

    fn never(&mut self) -> Parse<()> {
        let start = self.peek().span;
        self.bump();
        let name = match self.peek_is("{") {
            true => "never".into(),
            false => self.name("the name of the claim")?,
        };
        self.begin_body();
        self.body(name, None, 0, start)?;
        if let Some(claim) = self.document.procs.pop() {
            self.document.claims.push(claim);
        }
        Ok(())
    }

    fn begin_body(&mut self) {
        self.scopes = vec![HashMap::new()];
        self.locals.clear();
        self.taken.clear();
        self.inline_labels.clear();
        self.fresh = true;
    }

    /// What follows the head of a process type.
    fn body(&mut self, name: Name, active: Option<Expr>, params: usize, start: Span) -> Parse<()> {
        let head = self.since(start);
        let (mut priority, mut provided) = (None, None);
        loop {
            if self.eat_word("priority") {
                priority = Some(self.primary_constant()?);
            } else if self.eat_word("provided") {
                self.expect("(", "before the condition")?;
                provided = Some(self.expr()?);
                self.expect(")", "after the condition")?;
            } else {
                break;
            }
        }
        self.expect("{", "before the body")?;
        let body = self.sequence("}")?;
        let end = self.peek().span;
        self.expect("}", "after the body")?;
        self.scopes.clear();
        let locals = std::mem::take(&mut self.locals);
        let order = self.document.procs.len() + self.document.claims.len();
        let proc = Proc { name, active, params, locals, priority, provided, body, span: head, end, order };
        self.document.procs.push(proc);
        Ok(())
    }

    fn ltl(&mut self) -> Parse<()> {
        let start = self.peek().span;
        self.bump();
        let name = if self.peek_is("{") { None } else { Some(self.name("the name of the formula")?) };
        self.expect("{", "before the formula")?;
        self.temporal = true;
        let formula = self.expr();
        self.temporal = false;
        let formula = formula?;
        self.expect("}", "after the formula")?;
        let span = self.since(start);
        self.document.formulas.push(Formula { name, formula, span });
        Ok(())
    }

    fn is_mtype_definition(&self) -> bool {
        let is = |n: usize, symbol: &str| self.ahead(n).is(symbol);
        is(1, "=") || is(1, "{") || (is(1, ":") && (is(3, "=") || is(3, "{")))
    }

    fn mtype(&mut self) -> Parse<()> {
        self.bump();
        let set = if self.eat(":") { Some(self.name("the name of the set")?) } else { None };
        self.eat("=");
        self.expect("{", "before the symbols")?;
        let mut symbols = Vec::new();
        while !self.eat("}") {
            let place = self.peek().span;
            symbols.push((self.name("a symbol")?, place));
            self.eat(",");
        }
        self.document.mtypes.push(Mtype { set, symbols });
        Ok(())
    }

    fn typedef(&mut self) -> Parse<()> {
        self.bump();
        let span = self.peek().span;
        let name = self.name("the name of the type")?;
        self.expect("{", "before the fields")?;
        let mut fields = Vec::new();
        while !self.eat("}") {
            if self.eat(";") || self.eat(",") {
                continue;
            }
            if !self.at_declaration() {
                return Err(self.unexpected("a field"));
            }
            fields.extend(self.declaration_list()?);
        }
        self.typedefs.insert(name.clone());
        self.document.typedefs.push(Typedef { name, fields, span });
        Ok(())
    }

    /// Embedded C is named and left out.
    fn embedded_c(&mut self) -> Diagnostic {
        let token = self.peek().clone();
        self.bump();
        while self.peek_is("[") || self.peek_is("(") {
            self.skip_group();
        }
        if self.peek_is("{") {
            self.skip_braces();
        } else {
            while matches!(self.peek().kind, crate::lex::Kind::Text) {
                self.bump();
            }
        }
        Diagnostic::unsupported(
            "U0900",
            format!("embedded C code (`{}`) is not supported", token.text),
            Some(token.span),
        )
    }
}
