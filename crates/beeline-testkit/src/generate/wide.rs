//! A variable of up to 2^40 values. It takes few of them: constants at the ends and around machine words, and what a
//! shift or a mirror image makes of them, so that the oracle still visits everything.

use super::Draft;
use super::expr::Scope;
use crate::feature::Feature;
use beeline_ir::VarId;
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::network::Var;
use beeline_ir::stmt::{Place, Stmt, Store, Target};

impl Draft<'_> {
    pub(super) fn wide_var(&mut self) {
        if !self.has(Feature::WideRange) {
            return;
        }
        let ranges = [(0, 40), (0, 33), (31, 31), (32, 40), (20, 17)].map(|(lo, hi): (u32, u32)| {
            let least = if lo == 0 { 0 } else { -(1_i64 << lo) };
            Range::new(least, (1 << hi) - 1)
        });
        let range = ranges[self.random.below(ranges.len())];
        let init = vec![self.wide_constant(range)];
        let var =
            Var { name: "w".to_string(), owner: None, range, len: None, init, symbols: None, origin: None };
        self.wide = Some(self.network.vars.push(var));
    }

    /// A value of the range where mistakes are likely.
    fn wide_constant(&mut self, range: Range) -> i64 {
        let word = 1_i64 << 31;
        let all = [range.lo, range.hi, range.hi - 1, 0, 1, word, word - 1, 2 * word, -word, 1 << 17];
        all[self.random.below(all.len())].clamp(range.lo, range.hi)
    }

    /// Something small that depends on the variable.
    pub(super) fn narrowed(&mut self, wide: VarId) -> Expr {
        let (var, hi) = (Expr::Var(wide), self.network.vars[wide].range.hi);
        let sign = |e: Expr| e.binary(BinaryOp::Max, Expr::Const(-1)).binary(BinaryOp::Min, Expr::Const(2));
        match self.random.below(4) {
            0 => var.binary(BinaryOp::Div, Expr::Const(hi / 2)),
            1 => var.binary(BinaryOp::Rem, Expr::Const(self.random.between(2, 3))),
            2 => sign(var),
            _ => var.binary(BinaryOp::BitAnd, Expr::Const(3)),
        }
    }

    pub(super) fn wide_comparison(&mut self, wide: VarId) -> Expr {
        let ops = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];
        let constant = self.wide_constant(self.network.vars[wide].range);
        Expr::Var(wide).binary(ops[self.random.below(ops.len())], Expr::Const(constant))
    }

    pub(super) fn wide_assignment(&mut self, scope: &mut Scope, wide: VarId) -> Stmt {
        let range = self.network.vars[wide].range;
        let value = match self.random.below(6) {
            0..=2 => Expr::Const(self.wide_constant(range)),
            // The mirror image; doing it twice does nothing.
            3 => Expr::Const(range.hi + range.lo).binary(BinaryOp::Sub, Expr::Var(wide)),
            4 => {
                let factor = Expr::Const(self.wide_constant(range));
                let small = self.int(scope, 1);
                self.fitted(scope, small, Range::new(0, 2)).binary(BinaryOp::Mul, factor)
            }
            _ => Expr::Var(wide).binary(BinaryOp::Div, Expr::Const(1 << 12)),
        };
        let wrapping = self.uses(Feature::WrappingStore, 60);
        let value = if wrapping { value } else { self.fitted(scope, value, range) };
        let store = if wrapping { Store::Wrapping } else { Store::Checked };
        Stmt::Assign(Target { place: Place::Var(wide), store }, value)
    }
}
