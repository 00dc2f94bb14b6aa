//! Conjunction, difference, and if-then-else (Brace, Rudell and Bryant, DAC 1990): operands are brought into one of the
//! equivalent forms, so that equal questions are found in the computed table.

use super::computed::{Key, Op};
use super::edge::Edge;
use super::{Bit, Step, Store};

impl Store {
    /// The diagram of a bit.
    pub fn bit(&mut self, bit: Bit) -> Step {
        self.make(bit, Edge::YES, Edge::NO)
    }
    pub fn or(&mut self, f: Edge, g: Edge) -> Step {
        Ok(!self.and(!f, !g)?)
    }
    pub fn and(&mut self, f: Edge, g: Edge) -> Step {
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        // A constant comes first.
        if f == Edge::YES || f == g {
            return Ok(g);
        }
        if f == Edge::NO || f == !g {
            return Ok(Edge::NO);
        }
        let key = Key::new(Op::And, f, g, Edge::YES);
        if let Some(result) = self.computed.get(key) {
            return Ok(result);
        }
        self.step()?;
        let (bit, [f1, f0], [g1, g0]) = self.split(f, g);
        let then = self.and(f1, g1)?;
        self.stack.push(then);
        let otherwise = self.and(f0, g0)?;
        self.stack.pop();
        let result = self.make(bit, then, otherwise)?;
        self.computed.put(key, result);
        Ok(result)
    }
    pub fn xor(&mut self, f: Edge, g: Edge) -> Step {
        let flip = f.is_complement() != g.is_complement();
        let (f, g) = (f.regular(), g.regular());
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if f == g {
            return Ok(Edge::NO.flip_if(flip));
        }
        if f == Edge::YES {
            return Ok(!g.flip_if(flip));
        }
        let key = Key::new(Op::Xor, f, g, Edge::YES);
        if let Some(result) = self.computed.get(key) {
            return Ok(result.flip_if(flip));
        }
        self.step()?;
        let (bit, [f1, f0], [g1, g0]) = self.split(f, g);
        let then = self.xor(f1, g1)?;
        self.stack.push(then);
        let otherwise = self.xor(f0, g0)?;
        self.stack.pop();
        let result = self.make(bit, then, otherwise)?;
        self.computed.put(key, result);
        Ok(result.flip_if(flip))
    }
    /// `g` where `f`, and `h` elsewhere.
    pub fn ite(&mut self, f: Edge, g: Edge, h: Edge) -> Step {
        // With a condition that is not complemented.
        let (f, g, h) = if f.is_complement() { (!f, h, g) } else { (f, g, h) };
        if f == Edge::YES || g == h {
            return Ok(g);
        }
        let g = if g == f {
            Edge::YES
        } else if g == !f {
            Edge::NO
        } else {
            g
        };
        let h = if h == f {
            Edge::NO
        } else if h == !f {
            Edge::YES
        } else {
            h
        };
        match (g, h) {
            (Edge::YES, _) => return self.or(f, h),
            (Edge::NO, _) => return self.and(!f, h),
            (_, Edge::YES) => return self.or(!f, g),
            (_, Edge::NO) => return self.and(f, g),
            _ if g == !h => return Ok(!self.xor(f, g)?),
            _ => {}
        }
        // With a first branch that is not complemented.
        let flip = g.is_complement();
        let (g, h) = (g.flip_if(flip), h.flip_if(flip));
        let key = Key::new(Op::Ite, f, g, h);
        if let Some(result) = self.computed.get(key) {
            return Ok(result.flip_if(flip));
        }
        self.step()?;
        let level = self.level_of(f).min(self.level_of(g)).min(self.level_of(h));
        let bit = self.order[level.0 as usize];
        let ((f1, f0), (g1, g0)) = (self.cofactors(f, bit), self.cofactors(g, bit));
        let (h1, h0) = self.cofactors(h, bit);
        let then = self.ite(f1, g1, h1)?;
        self.stack.push(then);
        let otherwise = self.ite(f0, g0, h0)?;
        self.stack.pop();
        let result = self.make(bit, then, otherwise)?;
        self.computed.put(key, result);
        Ok(result.flip_if(flip))
    }
    /// The upper one of the top bits of two functions, and what each is where it is true, and where it is not.
    #[inline]
    pub(super) fn split(&self, f: Edge, g: Edge) -> (Bit, [Edge; 2], [Edge; 2]) {
        let (f_bit, f1, f0) = self.branches(f);
        let (g_bit, g1, g0) = self.branches(g);
        if f_bit == g_bit {
            (f_bit, [f1, f0], [g1, g0])
        } else if self.level[f_bit as usize] < self.level[g_bit as usize] {
            (f_bit, [f1, f0], [g, g])
        } else {
            (g_bit, [f, f], [g1, g0])
        }
    }
}
