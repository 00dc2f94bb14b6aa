//! Time in another unit: every bound and every value a clock is set to, multiplied by the same factor. Runs
//! correspond one to one, with delays multiplied.

use crate::walk::{self, Visitor};
use beeline_ir::expr::{BinaryOp, ClockAtom, Expr};
use beeline_ir::network::Network;
use beeline_ir::stmt::{Block, Stmt};

/// Multiplies all clock constants.
pub fn scale(network: &Network, factor: i64) -> Option<Network> {
    struct Scale(i64);
    impl Scale {
        fn times(&self, expr: &mut Expr) {
            *expr = match std::mem::replace(expr, Expr::FALSE) {
                Expr::Const(c) => Expr::Const(c * self.0),
                other => other.binary(BinaryOp::Mul, Expr::Const(self.0)),
            };
        }
    }
    impl Visitor for Scale {
        fn atom(&mut self, atom: &mut ClockAtom) {
            self.times(&mut atom.bound);
        }
        fn block(&mut self, block: &mut Block) {
            for stmt in block {
                if let Stmt::ClockSet(_, value) = stmt {
                    self.times(value);
                }
            }
        }
    }
    let mut result = network.clone();
    walk::network(&mut result, &mut Scale(factor));
    (result != *network).then_some(result)
}
