//! Smaller diagrams where it does not matter what a function is outside of a care set: the generalised cofactors
//! `constrain` and `restrict` (Coudert, Berthet and Madre, 1989; Coudert and Madre, ICCAD 1990). Both agree with the
//! function inside of the care set.

use super::computed::{Key, Op};
use super::edge::Edge;
use super::{Step, Store};

impl Store {
    /// Takes the value at the nearest point of the care set; may depend on more bits than before.
    pub fn constrain(&mut self, f: Edge, care: Edge) -> Step {
        self.generalised(Op::Constrain, f, care)
    }
    /// The same, with bits of the care set forgotten that the function does not depend on.
    pub fn restrict(&mut self, f: Edge, care: Edge) -> Step {
        self.generalised(Op::Restrict, f, care)
    }
    fn generalised(&mut self, op: Op, f: Edge, care: Edge) -> Step {
        if f.is_constant() || care.is_constant() {
            return Ok(f);
        }
        if f == care {
            return Ok(Edge::YES);
        }
        if f == !care {
            return Ok(Edge::NO);
        }
        let flip = f.is_complement();
        let f = f.regular();
        let key = Key::new(op, f, care, Edge::YES);
        if let Some(result) = self.computed.get(key) {
            return Ok(result.flip_if(flip));
        }
        self.step()?;
        let (bit, [f1, f0], [c1, c0]) = self.split(f, care);
        let result = if c1 == Edge::NO {
            self.generalised(op, f0, c0)?
        } else if c0 == Edge::NO {
            self.generalised(op, f1, c1)?
        } else if op == Op::Restrict && f1 == f0 {
            let either = self.or(c1, c0)?;
            self.stack.push(either);
            let result = self.generalised(op, f, either)?;
            self.stack.pop();
            result
        } else {
            let then = self.generalised(op, f1, c1)?;
            self.stack.push(then);
            let otherwise = self.generalised(op, f0, c0)?;
            self.stack.pop();
            self.make(bit, then, otherwise)?
        };
        self.computed.put(key, result);
        Ok(result.flip_if(flip))
    }
}
