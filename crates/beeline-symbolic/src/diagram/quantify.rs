//! Forgetting bits: existential quantification, and the relational product, which is a conjunction under it (Burch, Clarke
//! and Long, VLSI 1991). Bits to forget are a cube, a conjunction of them.

use super::computed::{Key, Op};
use super::edge::{Edge, Level};
use super::{Step, Store};

impl Store {
    pub fn exists(&mut self, f: Edge, cube: Edge) -> Step {
        let cube = self.below(cube, self.level_of(f));
        if f.is_constant() || cube == Edge::YES {
            return Ok(f);
        }
        let key = Key::new(Op::Exists, f, cube, Edge::YES);
        if let Some(result) = self.computed.get(key) {
            return Ok(result);
        }
        self.step()?;
        let (bit, f1, f0) = self.branches(f);
        let (cube_bit, rest, _) = self.branches(cube);
        let result = if bit == cube_bit {
            self.either(|s| s.exists(f1, rest), |s| s.exists(f0, rest), |then| then == f0)?
        } else {
            let then = self.exists(f1, cube)?;
            self.stack.push(then);
            let otherwise = self.exists(f0, cube)?;
            self.stack.pop();
            self.make(bit, then, otherwise)?
        };
        self.computed.put(key, result);
        Ok(result)
    }
    /// The conjunction, with the bits of a cube forgotten.
    pub fn and_exists(&mut self, f: Edge, g: Edge, cube: Edge) -> Step {
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if f == Edge::NO || f == !g {
            return Ok(Edge::NO);
        }
        if f == Edge::YES || f == g {
            return self.exists(g, cube);
        }
        let cube = self.below(cube, self.level_of(f).min(self.level_of(g)));
        if cube == Edge::YES {
            return self.and(f, g);
        }
        let key = Key::new(Op::AndExists, f, g, cube);
        if let Some(result) = self.computed.get(key) {
            return Ok(result);
        }
        self.step()?;
        let (bit, [f1, f0], [g1, g0]) = self.split(f, g);
        let (cube_bit, rest, _) = self.branches(cube);
        let result = if bit == cube_bit {
            self.either(
                |s| s.and_exists(f1, g1, rest),
                |s| s.and_exists(f0, g0, rest),
                // What is a factor of the other side holds all of it.
                |then| then == f0 || then == g0,
            )?
        } else {
            let then = self.and_exists(f1, g1, cube)?;
            self.stack.push(then);
            let otherwise = self.and_exists(f0, g0, cube)?;
            self.stack.pop();
            self.make(bit, then, otherwise)?
        };
        self.computed.put(key, result);
        Ok(result)
    }
    /// A disjunction, of which the second part is left out where the first makes it needless.
    #[inline]
    fn either(
        &mut self,
        first: impl FnOnce(&mut Self) -> Step,
        second: impl FnOnce(&mut Self) -> Step,
        enough: impl FnOnce(Edge) -> bool,
    ) -> Step {
        let then = first(self)?;
        if then == Edge::YES || enough(then) {
            return Ok(then);
        }
        self.stack.push(then);
        let otherwise = second(self)?;
        self.stack.push(otherwise);
        let either = self.or(then, otherwise)?;
        self.stack.truncate(self.stack.len() - 2);
        Ok(either)
    }
    /// What is left of a cube at a level and below.
    #[inline]
    fn below(&self, mut cube: Edge, level: Level) -> Edge {
        while self.level_of(cube) < level {
            cube = self.nodes[cube.index()].then;
        }
        cube
    }
}
