//! Values and other bits in place of bits.

use super::computed::{Key, Op};
use super::edge::{Edge, Level, MOST_NODES};
use super::{Bit, Step, Store};

/// Bits that get other names, all at once.
#[derive(Clone)]
pub(crate) struct Renaming {
    pairs: Vec<(Bit, Bit)>,
    number: u32,
}

impl Store {
    /// The conjunction of literals.
    pub fn literals(&mut self, literals: &[(Bit, bool)]) -> Step {
        let mut literals = literals.to_vec();
        literals.sort_unstable_by_key(|(bit, value)| (self.level[*bit as usize], *value));
        let mut cube = Edge::YES;
        let mut last = None;
        for (bit, value) in literals.into_iter().rev() {
            match last {
                Some((below, same)) if below == bit && same == value => continue,
                Some((below, _)) if below == bit => return Ok(Edge::NO),
                _ => {}
            }
            last = Some((bit, value));
            cube = if value { self.make(bit, cube, Edge::NO)? } else { self.make(bit, Edge::NO, cube)? };
        }
        Ok(cube)
    }
    /// What a function is where literals hold.
    pub fn cofactor(&mut self, f: Edge, literals: Edge) -> Step {
        let mut literals = literals;
        let level = self.level_of(f);
        while self.level_of(literals) < level {
            literals = self.literal(literals).0;
        }
        if f.is_constant() || literals.is_constant() {
            return Ok(f);
        }
        let flip = f.is_complement();
        let f = f.regular();
        let key = Key::new(Op::Cofactor, f, literals, Edge::YES);
        if let Some(result) = self.computed.get(key) {
            return Ok(result.flip_if(flip));
        }
        self.step()?;
        let (bit, f1, f0) = self.branches(f);
        let result = if self.level_of(literals) == level {
            let (rest, value) = self.literal(literals);
            self.cofactor(if value { f1 } else { f0 }, rest)?
        } else {
            let then = self.cofactor(f1, literals)?;
            self.stack.push(then);
            let otherwise = self.cofactor(f0, literals)?;
            self.stack.pop();
            self.make(bit, then, otherwise)?
        };
        self.computed.put(key, result);
        Ok(result.flip_if(flip))
    }
    /// The literals after the first one, and its value.
    fn literal(&self, literals: Edge) -> (Edge, bool) {
        let (_, then, otherwise) = self.branches(literals);
        if otherwise == Edge::NO { (then, true) } else { (otherwise, false) }
    }
    /// Takes notice of a renaming.
    pub fn renaming(&mut self, pairs: &[(Bit, Bit)]) -> Renaming {
        self.renamings += 1;
        // Numbers go round; what was computed for the one before is forgotten then.
        if self.renamings as usize >= MOST_NODES {
            self.renamings = 1;
            self.computed.clear();
        }
        let pairs = pairs.iter().filter(|(from, to)| from != to).copied().collect();
        Renaming { pairs, number: self.renamings }
    }
    pub fn rename(&mut self, f: Edge, renaming: &Renaming) -> Step {
        let level = |bit: &Bit| self.level[*bit as usize];
        let Some(last) = renaming.pairs.iter().map(|(from, _)| level(from)).max() else { return Ok(f) };
        for (from, to) in &renaming.pairs {
            self.renamed[*from as usize] = *to;
        }
        let result = self.rename_from(f, renaming.number, last);
        for (from, _) in &renaming.pairs {
            self.renamed[*from as usize] = *from;
        }
        result
    }
    fn rename_from(&mut self, f: Edge, number: u32, last: Level) -> Step {
        if self.level_of(f) > last {
            return Ok(f);
        }
        let flip = f.is_complement();
        let f = f.regular();
        let key = Key::raw(Op::Rename, f, number, Edge::YES);
        if let Some(result) = self.computed.get(key) {
            return Ok(result.flip_if(flip));
        }
        self.step()?;
        let (bit, f1, f0) = self.branches(f);
        let then = self.rename_from(f1, number, last)?;
        self.stack.push(then);
        let otherwise = self.rename_from(f0, number, last)?;
        self.stack.push(otherwise);
        let bit = self.renamed[bit as usize];
        let level = self.level[bit as usize];
        // Where the new names keep the order, a node stays a node.
        let result = if level < self.level_of(then) && level < self.level_of(otherwise) {
            self.make(bit, then, otherwise)?
        } else {
            let condition = self.bit(bit)?;
            self.stack.push(condition);
            let result = self.ite(condition, then, otherwise)?;
            self.stack.pop();
            result
        };
        self.stack.truncate(self.stack.len() - 2);
        self.computed.put(key, result);
        Ok(result.flip_if(flip))
    }
}
