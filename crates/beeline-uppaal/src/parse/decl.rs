//! Declarations: variables, types, functions, parameters, channel priorities, hooks.

use beeline_ir::origin::Span;

use super::cursor::{Parse, Parser};
use crate::ast::{ChanPriority, Decl, Declarator, Function, Param, Prefix, TypeExpr, TypeKind, VarDecl};
use crate::lex::Token;

impl Parser<'_, '_> {
    /// Whether a declaration begins here, and not a statement or an instantiation. The name of a type is known
    /// by the name that follows it.
    pub fn is_decl(&self) -> bool {
        self.is_word("typedef") && !self.old()
            || self.is_type_keyword()
            || self.is_name_ahead(0) && self.is_name_ahead(1)
            || self.is_hook()
    }

    /// Whether a function is declared here: a type, perhaps with bounds, a name, and `(`.
    pub fn is_function(&self) -> bool {
        if !self.is_decl() {
            return false;
        }
        let mut at = 1;
        let prefix = |text: &str| matches!(text, "const" | "meta" | "urgent" | "broadcast" | "hybrid");
        while prefix(self.ahead(at - 1).text) {
            at += 1;
        }
        let mut open = 0_usize;
        while open > 0 || self.is_symbol_ahead(at, "[") {
            match self.ahead(at).token {
                Token::Symbol("[") => open += 1,
                Token::Symbol("]") => open -= 1,
                Token::Symbol(";") | Token::End => return false,
                _ => {}
            }
            at += 1;
        }
        self.is_name_ahead(at) && self.is_symbol_ahead(at + 1, "(")
    }

    /// `before_update {`, `import "lib"` and the like, whose words are names everywhere else.
    fn is_hook(&self) -> bool {
        match self.peek().text {
            "before_update" | "after_update" => self.is_symbol_ahead(1, "{"),
            "import" => self.ahead(1).token == Token::Str,
            _ => false,
        }
    }

    /// Declarations up to the end of the text: of an XML template.
    pub fn declarations(&mut self) -> Vec<Decl> {
        let mut decls = Vec::new();
        while !self.at_end() {
            if self.eat(";") {
                continue;
            }
            let decl = if self.is_decl() { self.decl() } else { Err(self.unexpected("a declaration")) };
            match decl {
                Ok(decl) => decls.push(decl),
                Err(diagnostic) => {
                    self.recover(diagnostic);
                    self.bump_stopper();
                }
            }
        }
        decls
    }

    /// One declaration.
    pub fn decl(&mut self) -> Parse<Decl> {
        let start = self.peek().span;
        if self.is_hook() {
            return self.hook();
        }
        if self.is_word("typedef") && !self.old() {
            self.bump();
            let ty = self.type_expr()?;
            let items = self.list(|p| {
                let name = p.name("the name of the type")?;
                Ok(Declarator { name, dims: p.dims()?, init: None })
            })?;
            self.expect(";", "after the type")?;
            return Ok(Decl::Typedef(VarDecl { ty, items }));
        }
        if self.is_word("chan") && self.ahead(1).text == "priority" && !self.is_symbol_ahead(2, ";") {
            self.refuse_in_old_syntax("`chan priority`")?;
            return self.chan_priority(start);
        }
        if self.is_word("dynamic") && !self.old() {
            return self.unsupported("dynamic", start);
        }
        if self.old() && self.is_word("const") {
            return self.old_constants(start);
        }
        if self.is_word("const") && self.is_name_ahead(1) && matches!(self.ahead(2).token, Token::Int(_)) {
            self.context.looks_old = true;
        }
        let ty = self.type_expr()?;
        if self.is_name_ahead(0) && self.is_symbol_ahead(1, "(") {
            self.refuse_in_old_syntax("a function")?;
            let name = self.name("the name of the function")?;
            let params = self.params()?;
            let body = self.block("of the function")?;
            return Ok(Decl::Function(Function { result: ty, name, params, body }));
        }
        let items = self.list(|p| {
            let name = p.name("the name of the variable")?;
            let dims = p.dims()?;
            let init = if p.eat("=") || p.eat(":=") { Some(p.initialiser()?) } else { None };
            Ok(Declarator { name, dims, init })
        })?;
        self.expect(";", "after the declaration")?;
        Ok(Decl::Vars(VarDecl { ty, items }))
    }

    fn hook(&mut self) -> Parse<Decl> {
        let word = self.bump();
        if word.text == "import" {
            return self.unsupported("import", word.span);
        }
        self.expect("{", "before the updates")?;
        let updates = self.list(Self::expr)?;
        self.expect("}", "after the updates")?;
        let span = self.since(word.span);
        Ok(if word.text == "before_update" {
            Decl::BeforeUpdate(updates, span)
        } else {
            Decl::AfterUpdate(updates, span)
        })
    }

    /// Something that is only named: skips to its `;`, blocks included.
    fn unsupported(&mut self, what: &'static str, start: Span) -> Parse<Decl> {
        while !self.at_end() && !self.is_symbol(";") {
            if self.is_symbol("{") {
                self.skip_block()?;
            } else {
                self.bump();
            }
        }
        self.expect(";", &format!("after `{what}`"))?;
        Ok(Decl::Unsupported(what, self.since(start)))
    }

    fn chan_priority(&mut self, start: Span) -> Parse<Decl> {
        self.bump();
        self.bump();
        let mut groups = vec![Vec::new()];
        loop {
            let element = if self.is_word("default") {
                ChanPriority::Default(self.bump().span)
            } else {
                ChanPriority::Channel(self.place()?)
            };
            if let Some(group) = groups.last_mut() {
                group.push(element);
            }
            if self.eat("<") {
                groups.push(Vec::new());
            } else if !self.eat(",") {
                break;
            }
        }
        self.expect(";", "after the priorities")?;
        Ok(Decl::ChanPriority(groups, self.since(start)))
    }

    /// `const N 5, M 3;`
    fn old_constants(&mut self, start: Span) -> Parse<Decl> {
        let ty = self.old_const_type();
        let items = self.list(|p| {
            let name = p.name("the name of the constant")?;
            let dims = p.dims()?;
            let _ = p.eat("=") || p.eat(":=");
            Ok(Declarator { name, dims, init: Some(p.initialiser()?) })
        })?;
        self.expect(";", "after the constants")?;
        let span = self.since(start).to(ty.span);
        Ok(Decl::Vars(VarDecl { ty: TypeExpr { span, ..ty }, items }))
    }

    /// The `const` of the old syntax, which means `const int`.
    fn old_const_type(&mut self) -> TypeExpr {
        let span = self.bump().span;
        TypeExpr { prefixes: vec![(Prefix::Const, span)], kind: TypeKind::Int(None), span }
    }

    /// `(params)`, or nothing.
    pub fn optional_params(&mut self) -> Parse<Vec<Param>> {
        if self.is_symbol("(") { self.params() } else { Ok(Vec::new()) }
    }

    fn params(&mut self) -> Parse<Vec<Param>> {
        self.expect("(", "before the parameters")?;
        let params = if self.is_symbol(")") { Vec::new() } else { self.param_list()? };
        self.expect(")", "after the parameters")?;
        Ok(params)
    }

    /// Parameters without their parentheses.
    pub fn param_list(&mut self) -> Parse<Vec<Param>> {
        if !self.old() {
            return self.list(|p| {
                let ty = p.type_expr()?;
                let by_ref = p.eat("&");
                let name = p.name("the name of a parameter")?;
                Ok(Param { ty, by_ref, name, dims: p.dims()? })
            });
        }
        let mut params = Vec::new();
        loop {
            let by_ref = !self.is_word("const");
            let ty = if by_ref { self.type_expr()? } else { self.old_const_type() };
            params.extend(self.list(|p| {
                let name = p.name("the name of a parameter")?;
                Ok(Param { ty: ty.clone(), by_ref, name, dims: p.dims()? })
            })?);
            if !self.eat(";") {
                return Ok(params);
            }
        }
    }
}
