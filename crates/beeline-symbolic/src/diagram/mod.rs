//! Reduced ordered binary decision diagrams with complement edges (Bryant, IEEE Trans. Computers 1986; Brace, Rudell and
//! Bryant, DAC 1990), in flat arenas.
//!
//! A node asks for one bit. Bits and levels are two things: `level` says at which level a bit is, and only reordering
//! changes that. An edge names a node and may be complemented; the edge to where the bit is true never is, so equal
//! functions are equal edges. Every operation counts its steps, looks at the limits from time to time, and gives up with
//! an error that leaves everything usable.
//!
//! What is alive is what handles hold (`roots`), and inside an operation what lies on `stack`: an operand of a recursive
//! call is always reachable from one of them, so garbage can be collected whenever a node is made (`collect`).

mod collect;
mod computed;
mod connect;
mod edge;
mod inspect;
mod quantify;
mod roots;
mod sift;
mod substitute;
mod swap;
mod unique;

pub(crate) use edge::Edge;
pub(crate) use roots::Bdd;
pub(crate) use substitute::Renaming;

use beeline_ir::limits::{Limits, StopReason};
use computed::Computed;
use edge::{Level, Node};
use roots::Roots;
use sift::Sifting;
use std::rc::Rc;
use std::time::Instant;
use unique::Table;

/// A bit. Its level may change.
pub(crate) type Bit = u32;

/// Why an operation was given up.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// A limit was reached.
    Stopped(StopReason),
    /// The bits shall be reordered, and then the operation be tried again.
    Reorder,
}

/// What a step of an operation gives.
pub(crate) type Step<T = Edge> = Result<T, Halt>;

/// What the work at hand may use up, within the limits. Nodes are counted, so that the same run ends the same everywhere; a
/// moment to stop at is for those who ask for it.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Allowance {
    /// Nodes made in all, as [`Store::made`] counts them, beyond which the work is given up.
    pub nodes: Option<u64>,
    pub until: Option<Instant>,
}

/// Steps between two looks at the limits.
const POLL: u32 = 4_096;

/// Units of work that a step counts for: a look into the computed table, one into the table of nodes, and what is
/// between them.
const STEP_WORK: u64 = 64;

/// All nodes over some bits.
pub(crate) struct Store {
    /// The first is the constant; free ones are linked by `next`.
    nodes: Vec<Node>,
    /// First of the free nodes; 0 if there is none.
    free: u32,
    /// How many nodes are free.
    free_count: usize,
    /// By bit.
    tables: Vec<Table>,
    /// By bit, and the constant after all of them.
    level: Vec<Level>,
    /// The bits, uppermost first.
    order: Vec<Bit>,
    computed: Computed,
    pub(super) roots: Rc<Roots>,
    /// Results of recursive calls that are still needed.
    stack: Vec<Edge>,
    /// By node: met in the traversal that is under way. All false between two.
    marks: Vec<u64>,
    /// By bit: the one that takes its place in the renaming that is under way. The same bit between two.
    renamed: Vec<Bit>,
    /// Numbers of renamings that were given away.
    renamings: u32,
    limits: Limits,
    pub allowance: Allowance,
    /// Nodes made so far, those that were free before counted again.
    made: u64,
    /// Steps until the next look at the limits.
    fuel: u32,
    /// Steps that were paid for.
    polled: u64,
    /// Nodes beyond which garbage is collected.
    collect_at: usize,
    /// Nodes in use at most so far, garbage included.
    peak: usize,
    /// Bytes at most so far.
    peak_bytes: u64,
    sifting: Sifting,
    /// Whether to collect garbage for every node that is made.
    #[cfg(test)]
    collects_always: bool,
}

impl Store {
    pub fn new(bits: u32, limits: &Limits) -> Self {
        let mut store = Self {
            nodes: vec![Node::constant(bits)],
            free: 0,
            free_count: 0,
            tables: vec![Table::default(); bits as usize],
            level: (0..bits).map(Level).chain([Level::CONSTANT]).collect(),
            order: (0..bits).collect(),
            computed: Computed::new(),
            roots: Rc::default(),
            stack: Vec::new(),
            marks: Vec::new(),
            renamed: (0..bits).collect(),
            renamings: 0,
            limits: limits.clone(),
            allowance: Allowance::default(),
            made: 0,
            fuel: POLL,
            polled: 0,
            collect_at: collect::FIRST,
            peak: 0,
            peak_bytes: 0,
            sifting: Sifting::default(),
            #[cfg(test)]
            collects_always: false,
        };
        store.peak_bytes = store.bytes();
        store
    }
    /// Carries out an operation. If it is given up, nothing of it stays.
    pub fn run<T>(&mut self, operation: impl Fn(&mut Self) -> Step<T>) -> Result<T, StopReason> {
        debug_assert!(self.stack.is_empty());
        if self.sifting.due {
            self.reorder_now()?;
        }
        loop {
            let result = self.count_call().and_then(|()| operation(self));
            match result {
                Ok(made) => return Ok(made),
                Err(halt) => {
                    self.stack.clear();
                    match halt {
                        Halt::Stopped(reason) => return Err(reason),
                        Halt::Reorder => self.reorder_now()?,
                    }
                }
            }
        }
    }
    /// Counts the steps that a call takes, however little it does.
    fn count_call(&mut self) -> Step<()> {
        const CALL: u32 = 8;
        if self.fuel <= CALL {
            return self.poll();
        }
        self.fuel -= CALL;
        Ok(())
    }
    /// Counts a step.
    #[inline]
    fn step(&mut self) -> Step<()> {
        self.fuel -= 1;
        if self.fuel == 0 { self.poll() } else { Ok(()) }
    }
    /// Looks at the limits.
    #[cold]
    pub fn poll(&mut self) -> Step<()> {
        let done = u64::from(POLL - self.fuel);
        self.fuel = POLL;
        self.spend(done).map_err(Halt::Stopped)
    }
    /// Pays for steps.
    fn spend(&mut self, steps: u64) -> Result<(), StopReason> {
        self.polled += steps;
        let Allowance { nodes, until } = self.allowance;
        if nodes.is_some_and(|nodes| self.made > nodes) || until.is_some_and(|until| Instant::now() >= until)
        {
            return Err(StopReason::Work);
        }
        self.limits.check(0, self.bytes())?;
        self.limits.spend(steps * STEP_WORK)
    }
    /// Steps so far: the same in every run.
    #[cfg(test)]
    pub fn steps(&self) -> u64 {
        self.polled + u64::from(POLL - self.fuel)
    }
    /// Nodes made so far; one that was collected as garbage counts again when it is made again.
    pub fn made(&self) -> u64 {
        self.made
    }
    /// Nodes in use, garbage included.
    pub fn node_count(&self) -> usize {
        self.nodes.len() - self.free_count
    }
    /// Nodes in use at most so far, and bytes of all tables.
    pub fn peaks(&mut self) -> (usize, u64) {
        self.note_peak();
        (self.peak, self.peak_bytes)
    }
    fn note_peak(&mut self) {
        self.peak = self.peak.max(self.node_count());
        self.peak_bytes = self.peak_bytes.max(self.bytes());
    }
    /// Bytes of nodes and tables.
    fn bytes(&self) -> u64 {
        let nodes = self.nodes.capacity() * size_of::<Node>() + self.marks.capacity() * size_of::<u64>();
        let by_bit = self.tables.len() * (size_of::<Table>() + 3 * size_of::<u32>());
        let buckets: usize = self.tables.iter().map(Table::bytes).sum();
        (nodes + by_bit + buckets + self.computed.bytes()) as u64
    }
    /// A handle.
    pub fn hold(&self, edge: Edge) -> Bdd {
        Roots::hold(&self.roots, edge)
    }
    /// The level of the node that an edge leads to.
    #[inline]
    fn level_of(&self, edge: Edge) -> Level {
        self.level[self.nodes[edge.index()].bit as usize]
    }
    /// The bit of a node with what it leads to if the bit is true, and if it is not.
    #[inline]
    fn branches(&self, edge: Edge) -> (Bit, Edge, Edge) {
        let node = &self.nodes[edge.index()];
        let flip = edge.is_complement();
        (node.bit, node.then.flip_if(flip), node.otherwise.flip_if(flip))
    }
    /// What a function is where a bit is true, and where it is not; the bit is not below its top.
    #[inline]
    fn cofactors(&self, edge: Edge, bit: Bit) -> (Edge, Edge) {
        match self.branches(edge) {
            (top, then, otherwise) if top == bit => (then, otherwise),
            _ => (edge, edge),
        }
    }
    /// The level of a bit.
    pub fn level_of_bit(&self, bit: Bit) -> u32 {
        self.level[bit as usize].0
    }
}

#[cfg(test)]
mod tests;
