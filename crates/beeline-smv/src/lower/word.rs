//! Words: numbers of a fixed count of bits, in which arithmetic wraps around. A word is kept as the number it stands
//! for, so that comparisons are those of numbers; an operation computes with 64 bits and wraps the result.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp as Op, Expr, Range};
use beeline_ir::origin::Span;

use super::build::{Chosen, Gap, and, binary, failure};
use super::convert::{mismatch, wrong_kind};
use super::typed::Typed;
use super::{Lower, Place, Res, Site};
use crate::ast::{self, BinaryOp, Function, WordLiteral};
use crate::lex::MAX_WIDTH;
use crate::types::{Type, word_range};

/// Most bits of words that are multiplied: the product of two is still a number of 64 bits.
const MAX_FACTOR: u32 = 31;

fn mask(width: u32) -> Expr {
    Expr::Const((1 << width) - 1)
}

/// The low bits of a number, as an unsigned word.
fn low(expr: Expr, width: u32) -> Expr {
    binary(Op::BitAnd, expr, mask(width))
}

/// The low bits of a number, as a word.
fn wrapped(expr: Expr, signed: bool, width: u32) -> Expr {
    if !signed {
        return low(expr, width);
    }
    let half = Expr::Const(1 << (width - 1));
    let shifted = low(binary(Op::Add, expr, half.clone()), width);
    binary(Op::Sub, shifted, half)
}

fn negative(expr: Expr) -> Expr {
    binary(Op::Sub, Expr::Const(0), expr)
}

fn width_error(span: Span) -> Diagnostic {
    let message = format!("words of more than {MAX_WIDTH} bits are not supported");
    Diagnostic::unsupported("U0802", message, Some(span))
}

impl<'a> Lower<'a, '_> {
    pub fn word_literal(&self, word: &WordLiteral) -> Typed {
        let bits = word.bits as i64;
        let value = match word.signed && word.bits >> (word.width - 1) & 1 == 1 {
            true => bits - (1 << word.width),
            false => bits,
        };
        Typed::word(Expr::Const(value), word.signed, word.width)
    }

    pub fn word_unary(&mut self, op: ast::UnaryOp, expr: Expr, signed: bool, width: u32) -> Typed {
        let result = match op {
            ast::UnaryOp::Neg => wrapped(negative(expr), signed, width),
            ast::UnaryOp::Not if signed => binary(Op::Sub, Expr::Const(-1), expr),
            ast::UnaryOp::Not => binary(Op::Sub, mask(width), expr),
        };
        Typed::word(result, signed, width)
    }

    pub fn word_binary(&mut self, op: BinaryOp, left: Typed, right: Typed, span: Span) -> Res<Typed> {
        let Type::Word { signed, width } = left.ty else { return Err(wrong_kind("a word", &left.ty, span)) };
        match op {
            BinaryOp::Shl | BinaryOp::Shr => return self.word_shift(op, left, right, span),
            BinaryOp::Concat => return self.concat(left, right, span),
            _ if left.ty != right.ty => return Err(mismatch(&left.ty, &right.ty, span)),
            _ => {}
        }
        let all = Expr::Const(if signed { -1 } else { (1 << width) - 1 });
        let (a, b) = (left.expr, right.expr);
        let word = |expr| Ok(Typed::word(expr, signed, width));
        let truth = |op, a, b| Ok(Typed::bool(binary(op, a, b)));
        match op {
            BinaryOp::Add => word(wrapped(binary(Op::Add, a, b), signed, width)),
            BinaryOp::Sub => word(wrapped(binary(Op::Sub, a, b), signed, width)),
            BinaryOp::Mul if width > MAX_FACTOR => {
                let message = format!("products of words of more than {MAX_FACTOR} bits are not supported");
                Err(Diagnostic::unsupported("U0802", message, Some(span)))
            }
            BinaryOp::Mul => word(wrapped(binary(Op::Mul, a, b), signed, width)),
            BinaryOp::Div | BinaryOp::Mod if b == Expr::Const(0) => {
                Err(Diagnostic::error("E0825", "division by zero", Some(span)))
            }
            BinaryOp::Div | BinaryOp::Mod => {
                if !matches!(b, Expr::Const(n) if n != 0) {
                    self.fallible = true;
                }
                let op = if op == BinaryOp::Div { Op::Div } else { Op::Rem };
                word(wrapped(binary(op, a, b), signed, width))
            }
            BinaryOp::Xor => word(binary(Op::BitXor, a, b)),
            BinaryOp::Xnor | BinaryOp::Iff => word(binary(Op::BitXor, binary(Op::BitXor, a, b), all)),
            BinaryOp::Implies => word(binary(Op::BitOr, binary(Op::BitXor, a, all), b)),
            BinaryOp::Lt => truth(Op::Lt, a, b),
            BinaryOp::Le => truth(Op::Le, a, b),
            BinaryOp::Gt => truth(Op::Gt, a, b),
            _ => truth(Op::Ge, a, b),
        }
    }

    /// By an integer or unsigned word, from 0 up to the width.
    fn word_shift(&mut self, op: BinaryOp, left: Typed, right: Typed, span: Span) -> Res<Typed> {
        let Type::Word { signed, width } = left.ty else { return Err(wrong_kind("a word", &left.ty, span)) };
        let by = match right.ty {
            Type::Word { signed: false, .. } => right,
            _ => self.int(right, span)?,
        };
        let (range, by) = (by.ty.range(), by.expr);
        let bits = i64::from(width);
        if range.lo > bits || range.hi < 0 {
            let message = format!("a word of {width} bits is shifted by 0 to {width}");
            return Err(Diagnostic::error("E0825", message, Some(span)));
        }
        let shifted = match op {
            BinaryOp::Shr => binary(Op::Shr, left.expr, by.clone()),
            _ => {
                // Bits that would leave the word are dropped before.
                let kept = binary(Op::Shr, mask(width), by.clone());
                let kept = binary(Op::BitAnd, left.expr, kept);
                wrapped(binary(Op::Shl, kept, by.clone()), signed, width)
            }
        };
        if range.lo >= 0 && range.hi <= bits {
            return Ok(Typed::word(shifted, signed, width));
        }
        self.fallible = true;
        let compare = |op, bound| binary(op, by.clone(), Expr::Const(bound));
        let inside = and([compare(Op::Ge, 0), compare(Op::Le, bits)]);
        Ok(Typed::word(Expr::either(inside, shifted, failure(Gap::Shift)), signed, width))
    }

    fn concat(&mut self, left: Typed, right: Typed, span: Span) -> Res<Typed> {
        let (Type::Word { width: high, .. }, Type::Word { width: less, .. }) = (&left.ty, &right.ty) else {
            return Err(mismatch(&left.ty, &right.ty, span));
        };
        let (high, less) = (*high, *less);
        if high + less > MAX_WIDTH {
            return Err(width_error(span));
        }
        let above = binary(Op::Shl, low(left.expr, high), Expr::Const(i64::from(less)));
        Ok(Typed::word(binary(Op::BitOr, above, low(right.expr, less)), false, high + less))
    }

    pub fn bits(
        &mut self,
        word: &'a ast::Expr,
        high: &'a ast::Expr,
        least: &'a ast::Expr,
        site: Site,
    ) -> Res<Typed> {
        let span = word.span;
        let word = self.lower(word, site, None)?;
        let Type::Word { width, .. } = word.ty else { return Err(wrong_kind("a word", &word.ty, span)) };
        let (top, bottom) = (self.constant_int(high, site.at)?, self.constant_int(least, site.at)?);
        if !(0 <= bottom && bottom <= top && top < i64::from(width)) {
            let message = format!("a word of {width} bits has no bits {top} to {bottom}");
            return Err(Diagnostic::error("E0825", message, Some(high.span.to(least.span))));
        }
        let count = (top - bottom + 1) as u32;
        let shifted = if bottom == 0 { word.expr } else { binary(Op::Shr, word.expr, Expr::Const(bottom)) };
        Ok(Typed::word(low(shifted, count), false, count))
    }

    /// A constant width.
    fn width(&mut self, expr: &'a ast::Expr, site: Site) -> Res<u32> {
        let width = self.constant_int(expr, site.at)?;
        match u32::try_from(width) {
            Ok(width @ 1..=MAX_WIDTH) => Ok(width),
            Ok(1..) => Err(width_error(expr.span)),
            _ => Err(Diagnostic::error("E0817", "a word has at least one bit", Some(expr.span))),
        }
    }

    /// The functions about words.
    pub fn word_call(
        &mut self,
        function: Function,
        arguments: &'a [ast::Expr],
        site: Site,
        span: Span,
    ) -> Res<Typed> {
        if matches!(function, Function::UnsignedConst | Function::SignedConst) {
            let signed = function == Function::SignedConst;
            let (value, width) =
                (self.constant_int(&arguments[0], site.at)?, self.width(&arguments[1], site)?);
            if !word_range(signed, width).contains(value) {
                let message = format!("{value} is no value of a word of {width} bits");
                return Err(Diagnostic::error("E0825", message, Some(span)));
            }
            return Ok(Typed::word(Expr::Const(value), signed, width));
        }
        // The width of a variable is a constant.
        let place = if function == Function::SizeOf { Place::Step } else { site.place };
        let operand = self.lower(&arguments[0], Site { place, ..site }, None)?;
        let expr = operand.expr.clone();
        match (function, &operand.ty) {
            (Function::Bool, Type::Bool) => Ok(operand),
            (Function::Bool, Type::Word { width: 1, .. }) => {
                Ok(Typed::bool(binary(Op::Ne, expr, Expr::Const(0))))
            }
            (Function::Bool, Type::Int(_) | Type::Enum(_)) => {
                let value = self.int(operand, span)?;
                Ok(Typed::bool(binary(Op::Ne, value.expr, Expr::Const(0))))
            }
            (Function::Word1, Type::Bool) => Ok(Typed::word(expr, false, 1)),
            (Function::ToInt, Type::Bool | Type::Word { .. }) => Ok(Typed::int(expr, operand.ty.range())),
            (Function::ToInt, _) => self.int(operand, span),
            (Function::Unsigned, Type::Word { signed, width }) => {
                let expr = if *signed { low(expr, *width) } else { expr };
                Ok(Typed::word(expr, false, *width))
            }
            (Function::Signed, Type::Word { width, .. }) => {
                Ok(Typed::word(wrapped(expr, true, *width), true, *width))
            }
            (Function::SizeOf, Type::Word { width, .. }) => {
                let width = i64::from(*width);
                Ok(Typed::int(Expr::Const(width), Range::new(width, width)))
            }
            (Function::Extend, Type::Word { signed, width }) => {
                let more = self.constant_int(&arguments[1], site.at)?;
                match u32::try_from(more).ok().and_then(|more| more.checked_add(*width)) {
                    Some(width @ 1..=MAX_WIDTH) => Ok(Typed::word(expr, *signed, width)),
                    Some(_) => Err(width_error(span)),
                    None => Err(Diagnostic::error("E0817", "a word is extended by 0 or more", Some(span))),
                }
            }
            (Function::Resize, Type::Word { signed, width }) => {
                let to = self.width(&arguments[1], site)?;
                Ok(Typed::word(resized(expr, *signed, *width, to), *signed, to))
            }
            (Function::Bool | Function::Word1, ty) => Err(wrong_kind("a boolean", ty, arguments[0].span)),
            (_, ty) => Err(wrong_kind("a word", ty, arguments[0].span)),
        }
    }

    /// A call, with as many arguments as it takes.
    pub fn call(
        &mut self,
        function: Function,
        arguments: &'a [ast::Expr],
        site: Site,
        span: Span,
    ) -> Res<Typed> {
        let wanted = match function {
            Function::Count => arguments.len(),
            Function::Min
            | Function::Max
            | Function::Extend
            | Function::Resize
            | Function::UnsignedConst
            | Function::SignedConst => 2,
            _ => 1,
        };
        if arguments.len() != wanted {
            let message = format!("{wanted} arguments are needed, not {}", arguments.len());
            return Err(Diagnostic::error("E0815", message, Some(span)));
        }
        match function {
            Function::Count | Function::Abs | Function::Min | Function::Max => {
                self.plain_call(function, arguments, site, span)
            }
            _ => self.word_call(function, arguments, site, span),
        }
    }
}

/// A word with another count of bits. A signed one keeps its sign, whatever bits are dropped.
fn resized(expr: Expr, signed: bool, width: u32, to: u32) -> Expr {
    if to >= width {
        return expr;
    }
    if !signed {
        return low(expr, to);
    }
    let is_negative = binary(Op::Lt, expr.clone(), Expr::Const(0));
    let rest = low(expr, to - 1);
    let below = binary(Op::Sub, rest.clone(), Expr::Const(1 << (to - 1)));
    Expr::either(is_negative, below, rest)
}
