//! Binary decision diagrams as the rest of the engine sees them: handles, and operations that end within the limits.

use crate::diagram::{Allowance, Edge, Step, Store};
use beeline_ir::limits::{Limits, StopReason};
use std::cell::RefCell;
use std::time::Instant;

pub(crate) use crate::diagram::{Bdd, Bit, Renaming};

/// Something made, unless a limit was reached.
pub(crate) type Made<T> = Result<T, StopReason>;

/// All diagrams over some bits.
pub(crate) struct Bdds {
    store: RefCell<Store>,
    yes: Bdd,
    no: Bdd,
}

impl Bdds {
    /// For that many bits, within limits. The first bit is the uppermost.
    pub fn new(bits: u32, limits: &Limits) -> Self {
        let store = Store::new(bits, limits);
        let (yes, no) = (store.hold(Edge::YES), store.hold(Edge::NO));
        Self { store: RefCell::new(store), yes, no }
    }
    /// From now on, brings bits into another order when there are more nodes than that, and again when they double. The
    /// bits of each group are neighbours and stay so.
    pub fn sift_automatically(&self, at: usize, groups: Vec<Vec<Bit>>) {
        self.store.borrow_mut().sift_automatically(at, groups);
    }
    /// Every assignment.
    pub fn yes(&self) -> Bdd {
        self.yes.clone()
    }
    /// None.
    pub fn no(&self) -> Bdd {
        self.no.clone()
    }
    /// All or nothing.
    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.yes() } else { self.no() }
    }
    pub fn is_no(&self, f: &Bdd) -> bool {
        *f == self.no
    }
    pub fn is_yes(&self, f: &Bdd) -> bool {
        *f == self.yes
    }
    /// Nodes at most so far, garbage included.
    pub fn peak(&self) -> usize {
        self.store.borrow_mut().peaks().0
    }
    /// Bytes of all tables at most so far.
    pub fn peak_bytes(&self) -> u64 {
        self.store.borrow_mut().peaks().1
    }
    /// Nodes made so far, those counted again that were collected and then made again: the same in every run.
    pub fn made(&self) -> u64 {
        self.store.borrow().made()
    }
    /// Something made of so many nodes at most, until a moment if there is one, and within what is allowed anyway; nothing,
    /// if that does not do. It is looked at inside of operations, which then end with the reason `Work`.
    pub fn within<T>(
        &self,
        nodes: u64,
        until: Option<Instant>,
        make: impl FnOnce() -> Made<T>,
    ) -> Made<Option<T>> {
        let outer = self.store.borrow().allowance;
        let most = self.made().saturating_add(nodes);
        let nodes = outer.nodes.map_or(most, |nodes| nodes.min(most));
        let until = outer.until.into_iter().chain(until).min();
        self.store.borrow_mut().allowance = Allowance { nodes: Some(nodes), until };
        let made = make();
        self.store.borrow_mut().allowance = outer;
        match made {
            // Either this was too much, or there is no work left to do.
            Err(StopReason::Work) => self.poll().map(|()| None),
            made => made.map(Some),
        }
    }
    /// Looks at the limits and the allowance.
    pub fn poll(&self) -> Made<()> {
        self.store.borrow_mut().run(|s| s.poll())
    }
    /// Collects garbage if it will soon be time to: between operations there is more of it than inside of one.
    pub fn tidy(&self) {
        self.store.borrow_mut().tidy();
    }
    /// An operation, within limits.
    fn run(&self, operation: impl Fn(&mut Store) -> Step) -> Made<Bdd> {
        let mut store = self.store.borrow_mut();
        let edge = store.run(operation)?;
        Ok(store.hold(edge))
    }
    pub fn bit(&self, bit: Bit) -> Made<Bdd> {
        self.run(|s| s.bit(bit))
    }
    pub fn not(&self, f: &Bdd) -> Made<Bdd> {
        self.run(|_| Ok(!f.edge()))
    }
    pub fn and(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|s| s.and(f.edge(), g.edge()))
    }
    pub fn or(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|s| s.or(f.edge(), g.edge()))
    }
    pub fn xor(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|s| s.xor(f.edge(), g.edge()))
    }
    pub fn same(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|s| s.xor(f.edge(), !g.edge()))
    }
    pub fn implies(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|s| s.or(!f.edge(), g.edge()))
    }
    /// What is in the first and not in the second.
    pub fn minus(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|s| s.and(f.edge(), !g.edge()))
    }
    pub fn ite(&self, condition: &Bdd, then: &Bdd, otherwise: &Bdd) -> Made<Bdd> {
        self.run(|s| s.ite(condition.edge(), then.edge(), otherwise.edge()))
    }
    /// The conjunction of all of these.
    pub fn all<'b>(&self, parts: impl IntoIterator<Item = &'b Bdd>) -> Made<Bdd> {
        parts.into_iter().try_fold(self.yes(), |all, part| self.and(&all, part))
    }
    /// The first of some sets that has something in common with another one, and what.
    pub fn meeting(&self, sets: &[Bdd], set: &Bdd) -> Made<Option<(usize, Bdd)>> {
        for (at, one) in sets.iter().enumerate() {
            let both = self.and(one, set)?;
            if !self.is_no(&both) {
                return Ok(Some((at, both)));
            }
        }
        Ok(None)
    }
    /// The conjunction of some bits.
    pub fn cube(&self, bits: &[Bit]) -> Made<Bdd> {
        let literals: Vec<(Bit, bool)> = bits.iter().map(|bit| (*bit, true)).collect();
        self.literals(&literals)
    }
    /// The assignments where these bits have these values.
    pub fn literals(&self, literals: &[(Bit, bool)]) -> Made<Bdd> {
        self.run(|s| s.literals(literals))
    }
    pub fn exists(&self, f: &Bdd, cube: &Bdd) -> Made<Bdd> {
        self.run(|s| s.exists(f.edge(), cube.edge()))
    }
    /// The relational product: the conjunction, with some bits forgotten.
    pub fn and_exists(&self, f: &Bdd, g: &Bdd, cube: &Bdd) -> Made<Bdd> {
        self.run(|s| s.and_exists(f.edge(), g.edge(), cube.edge()))
    }
    /// What is left when some bits have the values that the literals say.
    pub fn restrict(&self, f: &Bdd, literals: &Bdd) -> Made<Bdd> {
        self.run(|s| s.cofactor(f.edge(), literals.edge()))
    }
    /// Puts bits in place of bits, all at once.
    pub fn renaming(&self, pairs: &[(Bit, Bit)]) -> Made<Renaming> {
        Ok(self.store.borrow_mut().renaming(pairs))
    }
    pub fn rename(&self, f: &Bdd, renaming: &Renaming) -> Made<Bdd> {
        self.run(|s| s.rename(f.edge(), renaming))
    }
    /// How far from the top a bit is.
    pub fn level(&self, bit: Bit) -> u32 {
        self.store.borrow().level_of_bit(bit)
    }
    /// The uppermost bit that a diagram depends on; `None` if it is constant.
    pub fn top(&self, f: &Bdd) -> Option<Bit> {
        self.store.borrow().top(f.edge()).map(|(bit, ..)| bit)
    }
    /// What is left when the uppermost bit is true, or false.
    pub fn children(&self, f: &Bdd) -> Option<(Bdd, Bdd)> {
        let store = self.store.borrow();
        let (_, then, otherwise) = store.top(f.edge())?;
        Some((store.hold(then), store.hold(otherwise)))
    }
    /// How many nodes a diagram has.
    pub fn size(&self, f: &Bdd) -> usize {
        self.store.borrow_mut().size(&[f.edge()])
    }
    /// The bits that a diagram depends on, ascending.
    pub fn support(&self, f: &Bdd) -> Vec<Bit> {
        self.store.borrow_mut().support(f.edge())
    }
    /// How many assignments to so many bits there are in a set that depends on no others.
    pub fn count(&self, f: &Bdd, bits: u32) -> f64 {
        self.store.borrow_mut().count(f.edge(), bits)
    }
}
