//! Nesting: expressions, blocks, and the functions called in them, taken together, are at most [`MAX_DEPTH`] levels
//! deep. Measured without recursion, before anything else looks into them.

use super::{Checker, Site};
use crate::expr::{Expr, MAX_DEPTH};
use crate::stmt::{Block, Stmt};
use crate::visit;

impl<'m> Checker<'m> {
    /// Measures every function: the levels of its body, calls included. As functions call only earlier ones, one pass
    /// is enough; a call that breaks this rule is reported elsewhere and counts nothing here.
    pub(super) fn measure_functions(&mut self) {
        let Some(network) = self.tables() else { return };
        for function in &network.functions {
            let depth = self.block_depth(&function.body);
            self.depths.push(depth);
        }
    }
    /// Levels of an expression, calls included.
    pub(super) fn expr_depth(&self, expr: &Expr) -> usize {
        let mut greatest = 0;
        let mut open = vec![(expr, 1)];
        while let Some((expr, level)) = open.pop() {
            let inside = match expr {
                Expr::Call(function, _) => self.depths.get(function.index()).copied().unwrap_or(0),
                _ => 0,
            };
            greatest = greatest.max(level + inside);
            visit::children(expr, &mut |child| open.push((child, level + 1)));
        }
        greatest
    }
    /// Levels of a block, calls included.
    pub(super) fn block_depth(&self, block: &Block) -> usize {
        let mut greatest = 0;
        visit::walk_block(block, &mut |statement, level| {
            visit::statement_parts(statement, &mut |e| greatest = greatest.max(level + self.expr_depth(e)));
            let inside = match statement {
                Stmt::Call(function, ..) => self.depths.get(function.index()).copied().unwrap_or(0),
                _ => 0,
            };
            greatest = greatest.max(level + inside);
        });
        greatest
    }
    /// Whether an expression may be looked into by recursion; reports it if not.
    pub(super) fn shallow(&mut self, site: &Site<'_>, expr: &Expr, above: usize) -> bool {
        self.allowed(site, above.saturating_add(self.expr_depth(expr)))
    }
    /// Whether this many levels are allowed; reports them if not.
    pub(super) fn allowed(&mut self, site: &Site<'_>, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep, functions included");
            self.fault(site, "E0111", &message);
        }
        depth <= MAX_DEPTH
    }
}
