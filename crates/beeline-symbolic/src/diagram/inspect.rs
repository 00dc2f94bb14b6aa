//! Questions about diagrams that make no nodes.

use super::collect::mark;
use super::edge::Edge;
use super::{Bit, Store};
use rustc_hash::FxHashMap;

impl Store {
    /// The nodes of diagrams, each once, the constant among them.
    fn reach(&mut self, roots: &[Edge]) -> Vec<Edge> {
        let mut marks = std::mem::take(&mut self.marks);
        marks.resize(self.nodes.len().div_ceil(64).max(marks.len()), 0);
        let mut met = Vec::new();
        let visit = |edge: Edge, marks: &mut [u64], met: &mut Vec<Edge>| {
            if mark(marks, edge) {
                met.push(edge.regular());
            }
        };
        roots.iter().for_each(|root| visit(*root, &mut marks, &mut met));
        let mut done = 0;
        while let Some(edge) = met.get(done) {
            let node = &self.nodes[edge.index()];
            for branch in [node.then, node.otherwise] {
                visit(branch, &mut marks, &mut met);
            }
            done += 1;
        }
        met.iter().for_each(|edge| marks[edge.index() / 64] = 0);
        self.marks = marks;
        met
    }
    /// How many nodes diagrams have together, the constant among them.
    pub fn size(&mut self, roots: &[Edge]) -> usize {
        self.reach(roots).len()
    }
    /// The bits that a function depends on, ascending.
    pub fn support(&mut self, f: Edge) -> Vec<Bit> {
        let nodes = self.reach(&[f]);
        let mut bits: Vec<Bit> = nodes.into_iter().map(|edge| self.nodes[edge.index()].bit).collect();
        bits.sort_unstable();
        bits.dedup();
        // The constant has the last one.
        bits.pop();
        bits
    }
    /// The top bit, and what the function is where it is true, and where it is not; `None` for a constant.
    pub fn top(&self, f: Edge) -> Option<(Bit, Edge, Edge)> {
        (!f.is_constant()).then(|| self.branches(f))
    }
    /// How many assignments to so many bits fulfil a function that depends on no others; infinity if there are too many to
    /// write down.
    pub fn count(&mut self, f: Edge, bits: u32) -> f64 {
        let mut nodes = self.reach(&[f]);
        nodes.sort_unstable_by_key(|edge| std::cmp::Reverse(self.level_of(*edge)));
        // The shares of all assignments that fulfil a node and that do not, lowest nodes first. A difference from one
        // would lose small ones.
        let mut shares: FxHashMap<Edge, [Scaled; 2]> = FxHashMap::default();
        let of = |edge: Edge, shares: &FxHashMap<Edge, [Scaled; 2]>| {
            let [yes, no] = shares.get(&edge.regular()).copied().unwrap_or([Scaled::ONE, Scaled::ZERO]);
            if edge.is_complement() { [no, yes] } else { [yes, no] }
        };
        for edge in nodes.into_iter().filter(|edge| !edge.is_constant()) {
            let (_, then, otherwise) = self.branches(edge);
            let ([a, b], [c, d]) = (of(then, &shares), of(otherwise, &shares));
            shares.insert(edge, [a.plus(c).scaled(-1), b.plus(d).scaled(-1)]);
        }
        of(f, &shares)[0].scaled(bits as i32).value()
    }
}

/// A number with an exponent of its own: shares of sets in many bits are less than the least `f64`.
#[derive(Copy, Clone)]
struct Scaled {
    mantissa: f64,
    exponent: i32,
}

impl Scaled {
    const ZERO: Self = Self { mantissa: 0.0, exponent: i32::MIN / 2 };
    const ONE: Self = Self { mantissa: 0.5, exponent: 1 };

    fn scaled(self, by: i32) -> Self {
        Self { exponent: self.exponent + by, ..self }
    }
    /// The mantissa of neither is negative, nor is it of the sum: from 0.5 to 1, or 0.
    fn plus(self, other: Self) -> Self {
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let mantissa = large.mantissa + small.mantissa * f64::from(small.exponent - large.exponent).exp2();
        if mantissa < 1.0 {
            Self { mantissa, ..large }
        } else {
            Self { mantissa: 0.5 * mantissa, exponent: large.exponent + 1 }
        }
    }
    fn value(self) -> f64 {
        // In two steps: the power alone may be too large.
        2.0 * self.mantissa * f64::from(self.exponent - 1).exp2()
    }
}
