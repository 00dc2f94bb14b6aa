//! Statements and blocks of functions.

use super::cursor::{Parse, Parser};
use crate::ast::{Block, Expr, Stmt, StmtKind};

impl Parser<'_, '_> {
    /// `{ declarations statements }`; what is wrong inside is kept, and the rest still read.
    pub fn block(&mut self, of: &str) -> Parse<Block> {
        self.expect("{", &format!("at the beginning {of}"))?;
        self.nested(|p| {
            let mut block = Block { decls: Vec::new(), stmts: Vec::new() };
            let mut late = false;
            while p.in_block() {
                let result = if p.is_decl() {
                    if !block.stmts.is_empty() && !std::mem::replace(&mut late, true) {
                        let wrong = p.unexpected("a statement (declarations come first in a block)");
                        p.report(wrong);
                    }
                    p.decl().map(|decl| block.decls.push(decl))
                } else {
                    p.stmt().map(|stmt| block.stmts.push(stmt))
                };
                if let Err(diagnostic) = result {
                    p.recover(diagnostic);
                }
            }
            p.close(&format!("at the end {of}"))?;
            Ok(block)
        })
    }

    /// One statement.
    fn stmt(&mut self) -> Parse<Stmt> {
        self.nested(|p| {
            let start = p.peek().span;
            let kind = p.stmt_kind()?;
            Ok(Stmt { kind, span: p.since(start) })
        })
    }

    fn stmt_kind(&mut self) -> Parse<StmtKind> {
        if self.eat(";") {
            return Ok(StmtKind::Empty);
        }
        if self.is_symbol("{") {
            return Ok(StmtKind::Block(self.block("of the block")?));
        }
        let kind = match self.peek().text {
            "for" => return self.for_stmt(),
            "while" => {
                self.bump();
                let condition = self.condition("while")?;
                return Ok(StmtKind::While(condition, Box::new(self.stmt()?)));
            }
            "if" => {
                self.bump();
                let condition = self.condition("if")?;
                let then = Box::new(self.stmt()?);
                let otherwise = if self.eat_word("else") { Some(Box::new(self.stmt()?)) } else { None };
                return Ok(StmtKind::If(condition, then, otherwise));
            }
            "do" => {
                self.bump();
                let body = Box::new(self.stmt()?);
                if !self.eat_word("while") {
                    return Err(self.unexpected("`while` after the body of `do`"));
                }
                StmtKind::DoWhile(body, self.condition("while")?)
            }
            "return" => {
                self.bump();
                StmtKind::Return(if self.is_symbol(";") { None } else { Some(self.expr()?) })
            }
            "assert" => {
                self.bump();
                StmtKind::Assert(self.expr()?)
            }
            _ => StmtKind::Expr(self.expr()?),
        };
        self.expect(";", "after the statement")?;
        Ok(kind)
    }

    fn condition(&mut self, of: &str) -> Parse<Expr> {
        self.expect("(", &format!("after `{of}`"))?;
        let condition = self.expr()?;
        self.expect(")", "after the condition")?;
        Ok(condition)
    }

    fn for_stmt(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.expect("(", "after `for`")?;
        if self.is_name_ahead(0) && self.is_symbol_ahead(1, ":") {
            let var = self.name("the name of a variable")?;
            self.bump();
            let ty = self.type_expr()?;
            self.expect(")", "after the type")?;
            return Ok(StmtKind::ForEach { var, ty, body: Box::new(self.stmt()?) });
        }
        let init = self.expressions_before(";")?;
        let cond = self.expressions_before(";")?;
        let step = self.expressions_before(")")?;
        Ok(StmtKind::For { init, cond, step, body: Box::new(self.stmt()?) })
    }

    /// Expressions separated by commas, perhaps none, and the symbol after them.
    fn expressions_before(&mut self, end: &str) -> Parse<Vec<Expr>> {
        let expressions = if self.is_symbol(end) { Vec::new() } else { self.list(Self::expr)? };
        self.expect(end, "in the head of `for`")?;
        Ok(expressions)
    }
}
