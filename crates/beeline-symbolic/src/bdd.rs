//! Binary decision diagrams: the only file that sees the library. Operations poll the limits; one that runs out of nodes
//! is tried once more after a garbage collection, and then is out of memory.

use beeline_ir::limits::{Limits, StopReason};
use oxidd::bdd::{BDDFunction, BDDManagerRef, new_manager};
use oxidd::error::OutOfMemory;
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, LevelNo, Manager,
    ManagerRef, Subst,
};
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::time::Instant;

/// A set of assignments to bits.
pub(crate) type Bdd = BDDFunction;

/// Something made, unless a limit was reached.
pub(crate) type Made<T> = Result<T, StopReason>;

/// A bit: its level, counted from the top.
pub(crate) type Bit = u32;

/// Bits that get other names.
pub(crate) type Renaming = Subst<Bdd>;

/// Bytes that a node takes with its entry in the table of all nodes.
const NODE_BYTES: u64 = 32;

/// Nodes at most; the library counts them in 32 bits.
const MOST_NODES: u64 = 1 << 30;

/// Nodes if there is no limit to memory: about 4 GB.
const DEFAULT_NODES: u64 = 1 << 27;

/// Nodes beyond which garbage is collected first.
const FIRST_COLLECTION: usize = 1 << 18;

/// All diagrams over some bits.
pub(crate) struct Bdds {
    manager: BDDManagerRef,
    limits: Limits,
    yes: Bdd,
    no: Bdd,
    peak: Cell<usize>,
    collect_at: Cell<usize>,
    /// Nodes collected as garbage so far.
    freed: Cell<u64>,
    allowance: Cell<Allowance>,
}

/// What the work at hand may use up. It is counted in nodes, so that the same run ends the same everywhere; a moment to
/// stop at is for those who ask for it.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Allowance {
    /// Nodes made in all, as [`Bdds::made`] counts them, beyond which the work is given up.
    pub nodes: Option<u64>,
    pub until: Option<Instant>,
}

impl Bdds {
    /// For that many bits, within limits.
    pub fn new(bits: u32, limits: &Limits) -> Self {
        let room = limits.memory.map_or(DEFAULT_NODES, |bytes| bytes / NODE_BYTES).clamp(1 << 10, MOST_NODES);
        // Results of operations are kept in a table of about as many bytes each: a quarter of it all at most.
        let cache = (1_u64 << (bits + 4).clamp(12, 21)).min(room / 4);
        let nodes = room - cache;
        let manager = new_manager(nodes as usize, cache as usize, 1);
        manager.with_manager_exclusive(|m| m.add_vars(bits));
        let (yes, no) = manager.with_manager_shared(|m| (Bdd::t(m), Bdd::f(m)));
        let (peak, collect_at) = (Cell::new(0), Cell::new(FIRST_COLLECTION));
        let (freed, allowance) = (Cell::new(0), Cell::default());
        Self { manager, limits: limits.clone(), yes, no, peak, collect_at, freed, allowance }
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
        self.count_nodes();
        self.peak.get()
    }
    fn count_nodes(&self) -> usize {
        let nodes = self.manager.with_manager_shared(|m| m.num_inner_nodes());
        self.peak.set(self.peak.get().max(nodes));
        nodes
    }
    /// Nodes made so far, those counted again that were collected and then made again.
    pub fn made(&self) -> u64 {
        self.freed.get() + self.count_nodes() as u64
    }
    /// What the work from here on may use up; says what it was before.
    pub fn allow(&self, allowance: Allowance) -> Allowance {
        self.allowance.replace(allowance)
    }
    /// Gives up when the allowance is used up, with the reason `Work`.
    pub fn poll(&self) -> Made<()> {
        let Allowance { nodes, until } = self.allowance.get();
        let used_up = nodes.is_some_and(|nodes| self.made() > nodes);
        if used_up || until.is_some_and(|until| Instant::now() >= until) {
            return Err(StopReason::Work);
        }
        Ok(())
    }
    /// Collects garbage if much may have gathered.
    pub fn tidy(&self) {
        if self.count_nodes() > self.collect_at.get() {
            self.collect();
            self.collect_at.set(FIRST_COLLECTION.max(2 * self.count_nodes()));
        }
    }
    fn collect(&self) {
        let before = self.count_nodes();
        self.manager.with_manager_shared(|m| m.gc());
        let collected = before.saturating_sub(self.count_nodes());
        self.freed.set(self.freed.get() + collected as u64);
    }
    /// An operation, within limits.
    fn run<T>(&self, operation: impl Fn() -> Result<T, OutOfMemory>) -> Made<T> {
        self.limits.check(0, 0)?;
        operation().or_else(|_| {
            self.collect();
            operation().map_err(|_| StopReason::Memory)
        })
    }
    pub fn bit(&self, bit: Bit) -> Made<Bdd> {
        self.run(|| self.manager.with_manager_shared(|m| Bdd::var(m, bit)))
    }
    pub fn not(&self, f: &Bdd) -> Made<Bdd> {
        self.run(|| f.not())
    }
    pub fn and(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|| f.and(g))
    }
    pub fn or(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|| f.or(g))
    }
    pub fn xor(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|| f.xor(g))
    }
    pub fn same(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|| f.equiv(g))
    }
    pub fn implies(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|| f.imp(g))
    }
    /// What is in the first and not in the second.
    pub fn minus(&self, f: &Bdd, g: &Bdd) -> Made<Bdd> {
        self.run(|| g.imp_strict(f))
    }
    pub fn ite(&self, condition: &Bdd, then: &Bdd, otherwise: &Bdd) -> Made<Bdd> {
        self.run(|| condition.ite(then, otherwise))
    }
    /// The conjunction of all of these.
    pub fn all<'b>(&self, parts: impl IntoIterator<Item = &'b Bdd>) -> Made<Bdd> {
        parts.into_iter().try_fold(self.yes(), |all, part| self.and(&all, part))
    }
    /// The conjunction of some bits.
    pub fn cube(&self, bits: &[Bit]) -> Made<Bdd> {
        let literals: Vec<(Bit, bool)> = bits.iter().map(|bit| (*bit, true)).collect();
        self.literals(&literals)
    }
    /// The assignments where these bits have these values.
    pub fn literals(&self, literals: &[(Bit, bool)]) -> Made<Bdd> {
        let mut literals = literals.to_vec();
        literals.sort_unstable();
        let mut cube = self.yes();
        for (bit, value) in literals.into_iter().rev() {
            let bit = self.bit(bit)?;
            cube = if value { self.and(&bit, &cube)? } else { self.minus(&cube, &bit)? };
        }
        Ok(cube)
    }
    pub fn exists(&self, f: &Bdd, cube: &Bdd) -> Made<Bdd> {
        self.run(|| f.exists(cube))
    }
    /// The relational product: the conjunction, with some bits forgotten.
    pub fn and_exists(&self, f: &Bdd, g: &Bdd, cube: &Bdd) -> Made<Bdd> {
        self.run(|| f.apply_exists(BooleanOperator::And, g, cube))
    }
    /// What is left when some bits have the values that the literals say.
    pub fn restrict(&self, f: &Bdd, literals: &Bdd) -> Made<Bdd> {
        self.run(|| f.restrict(literals))
    }
    /// Puts diagrams in place of bits.
    pub fn renaming(&self, pairs: &[(Bit, Bit)]) -> Made<Renaming> {
        let to: Vec<Bdd> = pairs.iter().map(|(_, to)| self.bit(*to)).collect::<Made<_>>()?;
        Ok(Subst::new(pairs.iter().map(|(from, _)| *from).collect(), to))
    }
    pub fn rename(&self, f: &Bdd, renaming: &Renaming) -> Made<Bdd> {
        self.run(|| f.substitute(renaming))
    }
    /// The uppermost bit that a diagram depends on; `None` if it is constant.
    pub fn top(&self, f: &Bdd) -> Option<Bit> {
        let level = f.with_manager_shared(|m, edge| m.get_node(edge).level());
        (level != LevelNo::MAX).then_some(level)
    }
    /// What is left when the uppermost bit is true, or false.
    pub fn children(&self, f: &Bdd) -> Option<(Bdd, Bdd)> {
        f.cofactors()
    }
    /// How many nodes a diagram has.
    pub fn size(&self, f: &Bdd) -> usize {
        f.node_count()
    }
    /// The bits that a diagram depends on, ascending.
    pub fn support(&self, f: &Bdd) -> Vec<Bit> {
        let (mut seen, mut bits) = (FxHashSet::default(), Vec::new());
        let mut work = vec![f.clone()];
        while let Some(f) = work.pop() {
            let Some((then, otherwise)) = self.children(&f) else { continue };
            bits.extend(self.top(&f));
            for child in [then, otherwise] {
                if seen.insert(child.clone()) {
                    work.push(child);
                }
            }
        }
        bits.sort_unstable();
        bits.dedup();
        bits
    }
}
