//! Small facts about and changes to blocks, used by the generator and the rewrites.

use crate::walk::{self, Visitor};
use beeline_ir::LocalId;
use beeline_ir::stmt::{Block, Place, Stmt, Target};

/// Moves every local of the block so many places up.
pub fn shift_locals(block: &mut Block, by: usize) {
    struct Shift(usize);
    impl Visitor for Shift {
        fn local(&mut self, id: &mut LocalId) {
            *id = LocalId::new(id.index() + self.0);
        }
    }
    walk::block(block, &mut Shift(by));
}

/// Whether the block can change anything but its own locals. A call counts as a change.
pub fn writes_globals(block: &Block) -> bool {
    struct Writes(bool);
    impl Visitor for Writes {
        fn target(&mut self, target: &mut Target) {
            self.0 |= matches!(target.place, Place::Var(_) | Place::Elem(..));
        }
        fn block(&mut self, block: &mut Block) {
            self.0 |= block.iter().any(|stmt| {
                !matches!(stmt, Stmt::Assign(..) | Stmt::If(..) | Stmt::While(..) | Stmt::Return(_))
            });
        }
    }
    let mut writes = Writes(false);
    walk::block(&mut block.clone(), &mut writes);
    writes.0
}
