//! What an edge carries: selections, guard, synchronisation, update, weight. XTA has them as sections in
//! braces, XML as labels; both use the same rules.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use super::cursor::{Parse, Parser};
use crate::ast::{BinaryOp, Edge, Expr, ExprKind, Ident, Node, Sync, TypeExpr};

/// Advice for a `;` between updates.
pub(crate) const SEPARATE_UPDATES: &str = "separate updates with `,`";

/// The parts of an edge.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// `select`
    Select,
    /// `guard`
    Guard,
    /// `sync`
    Sync,
    /// `assign`
    Update,
    /// `probability`
    Probability,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Select, Self::Guard, Self::Sync, Self::Update, Self::Probability];

    /// Its name in XML.
    pub fn name(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Guard => "guard",
            Self::Sync => "synchronisation",
            Self::Update => "assignment",
            Self::Probability => "probability",
        }
    }
}

/// An edge with nothing on it.
pub(crate) fn plain_edge(source: Node, target: Node, span: Span) -> Edge {
    Edge {
        source,
        target,
        selects: Vec::new(),
        guard: None,
        sync: None,
        update: Vec::new(),
        probability: None,
        controllable: true,
        span,
    }
}

impl Parser<'_, '_> {
    /// Reads one part into the edge; each part may be given once.
    pub fn edge_part(&mut self, part: Part, edge: &mut Edge) -> Parse<()> {
        let given = match part {
            Part::Select => !edge.selects.is_empty(),
            Part::Guard => edge.guard.is_some(),
            Part::Sync => edge.sync.is_some(),
            Part::Update => !edge.update.is_empty(),
            Part::Probability => edge.probability.is_some(),
        };
        if given {
            let message = format!("the {} of this edge is given twice", part.name());
            return Err(Diagnostic::error("E0510", message, Some(self.peek().span)));
        }
        match part {
            Part::Select => {
                self.refuse_in_old_syntax("`select`")?;
                edge.selects = self.list(Self::selection)?;
            }
            Part::Guard => edge.guard = Some(self.conjunction()?),
            Part::Sync => edge.sync = Some(self.sync()?),
            Part::Update => edge.update = self.list(Self::expr)?,
            Part::Probability => edge.probability = Some(self.rate()?),
        }
        Ok(())
    }

    fn selection(&mut self) -> Parse<(Ident, TypeExpr)> {
        let name = self.name("the name of a variable")?;
        self.expect(":", "after the variable")?;
        Ok((name, self.type_expr()?))
    }

    /// `c!` or `c?`. The channel is no full expression, or `?` would begin a conditional.
    fn sync(&mut self) -> Parse<Sync> {
        let start = self.peek().span;
        let channel = self.place()?;
        let send = self.eat("!");
        if !send && !self.eat("?") {
            return Err(self.unexpected("`!` or `?` after the channel"));
        }
        Ok(Sync { channel, send, span: self.since(start) })
    }

    /// A number, or a fraction `a : b`.
    pub fn rate(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        let rate = self.expr()?;
        if !self.eat(":") {
            return Ok(rate);
        }
        let divisor = self.expr()?;
        let kind = ExprKind::Binary(BinaryOp::Div, Box::new(rate), Box::new(divisor));
        Ok(Expr { kind, span: self.since(start) })
    }
}
