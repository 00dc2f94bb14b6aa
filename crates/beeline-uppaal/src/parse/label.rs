//! Pieces of text that are one thing by themselves: the labels of XML. An empty one is as one that is absent.

use super::context::Context;
use super::cursor::{Parse, Parser};
use crate::ast::{Decl, Edge, Expr, Ident, Param};
use crate::lex::Token;
use crate::parse::edge::{Part, SEPARATE_UPDATES};
use crate::source::Text;

/// Advice for a `;` where there is nothing to separate.
const NO_SEMICOLON: &str = "leave out the `;`";

/// Applies a rule to the whole of a text, unless it is empty. Keeps what is wrong; the advice is for
/// a `;` that does not belong there.
fn whole<'t, 'c, T>(
    text: &'t Text<'_>,
    context: &'c mut Context,
    (what, advice): (&str, &str),
    rule: impl FnOnce(&mut Parser<'t, 'c>) -> Parse<T>,
) -> Option<T> {
    let mut parser = Parser::new(text, context);
    if parser.at_end() {
        return None;
    }
    let result = rule(&mut parser).and_then(|it| parser.expect_end(what).map(|()| it));
    let advice = if parser.ahead(1).token == Token::End { NO_SEMICOLON } else { advice };
    let result = result.map_err(|d| if parser.is_symbol(";") { d.with_help(advice) } else { d });
    result.map_err(|diagnostic| parser.context.error(diagnostic)).ok()
}

/// A name.
pub(crate) fn name(text: &Text<'_>, context: &mut Context, what: &str) -> Option<Ident> {
    whole(text, context, (what, NO_SEMICOLON), |p| p.name(what))
}

/// The parameters of a template.
pub(crate) fn params(text: &Text<'_>, context: &mut Context) -> Vec<Param> {
    whole(text, context, ("the parameters", "separate parameters with `,`"), Parser::param_list)
        .unwrap_or_default()
}

/// The declarations of a template.
pub(crate) fn declarations(text: &Text<'_>, context: &mut Context) -> Vec<Decl> {
    Parser::new(text, context).declarations()
}

/// An invariant.
pub(crate) fn invariant(text: &Text<'_>, context: &mut Context) -> Option<Expr> {
    whole(text, context, ("the invariant", "join conditions with `&&`"), Parser::conjunction)
}

/// The rate of a location.
pub(crate) fn rate(text: &Text<'_>, context: &mut Context) -> Option<Expr> {
    whole(text, context, ("the rate", NO_SEMICOLON), Parser::rate)
}

/// A part of an edge.
pub(crate) fn edge_part(text: &Text<'_>, context: &mut Context, part: Part, edge: &mut Edge) {
    let what = format!("the {}", part.name());
    let advice = match part {
        Part::Select => "separate variables with `,`",
        Part::Guard => "join conditions with `&&`",
        Part::Sync => "an edge has one synchronisation, without `;`",
        Part::Update => SEPARATE_UPDATES,
        Part::Probability => NO_SEMICOLON,
    };
    whole(text, context, (&what, advice), |p| p.edge_part(part, edge));
}
