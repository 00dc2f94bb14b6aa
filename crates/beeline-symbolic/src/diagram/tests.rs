//! Every operation against truth tables, on random functions of eight bits: before and after collections, swaps, sifting,
//! and operations that were cut off by a limit.

use super::swap::Moving;
use super::*;
use beeline_ir::limits::Work;
use beeline_testkit::random::Random;

const BITS: u32 = 8;
const ALL: usize = 1 << BITS;

/// The value for every assignment; bit i of its number is the value of bit i.
type Truth = [bool; ALL];

fn truth(f: impl Fn(usize) -> bool) -> Truth {
    std::array::from_fn(f)
}

fn has(assignment: usize, bit: Bit) -> bool {
    assignment >> bit & 1 == 1
}

/// A store with functions of which the truth tables are known.
struct World {
    store: Store,
    known: Vec<(Bdd, Truth)>,
    random: Random,
}

impl World {
    fn new(seed: u64) -> Self {
        let store = Store::new(BITS, &Limits::default());
        let mut world = Self { store, known: Vec::new(), random: Random::new(seed) };
        world.add(truth(|_| true), |_| Ok(Edge::YES));
        for bit in 0..BITS {
            world.add(truth(|a| has(a, bit)), |s| s.bit(bit));
        }
        world
    }
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }
    fn pick(&mut self) -> (Bdd, Truth) {
        let at = self.below(self.known.len());
        self.known[at].clone()
    }
    fn some_bits(&mut self) -> Vec<Bit> {
        let mask = self.below(ALL);
        (0..BITS).filter(|bit| has(mask, *bit)).collect()
    }
    fn value(&self, f: &Bdd, assignment: usize) -> bool {
        let mut edge = f.edge();
        while let Some((bit, then, otherwise)) = self.store.top(edge) {
            edge = if has(assignment, bit) { then } else { otherwise };
        }
        edge == Edge::YES
    }
    fn truth_of(&self, f: &Bdd) -> Truth {
        truth(|a| self.value(f, a))
    }
    /// Carries an operation out and compares; what was known before drops out when there is much.
    fn add(&mut self, expected: Truth, operation: impl Fn(&mut Store) -> Step) -> Bdd {
        let made = self.store.run(operation).expect("no limit");
        let made = self.store.hold(made);
        assert!(self.truth_of(&made) == expected);
        for (f, known) in &self.known {
            assert_eq!(*f == made, *known == expected, "equal functions are equal handles");
        }
        if self.known.len() < 40 {
            self.known.push((made.clone(), expected));
        } else {
            let at = BITS as usize + 1 + self.below(31);
            self.known[at] = (made.clone(), expected);
        }
        made
    }
    /// An operation on random operands.
    fn operate(&mut self) {
        let ((f, tf), (g, tg), (h, th)) = (self.pick(), self.pick(), self.pick());
        let (ef, eg, eh) = (f.edge(), g.edge(), h.edge());
        let bits = self.some_bits();
        let mask: usize = bits.iter().map(|bit| 1 << bit).sum();
        let literals: Vec<(Bit, bool)> = bits.iter().map(|bit| (*bit, tf[1 << bit])).collect();
        let positive: Vec<(Bit, bool)> = bits.iter().map(|bit| (*bit, true)).collect();
        // All assignments that differ in these bits alone.
        let others = |a: usize| (0..ALL).filter(move |b| (a ^ b) & !mask == 0);
        match self.below(9) {
            0 => self.add(truth(|a| !tf[a]), |_| Ok(!ef)),
            1 => self.add(truth(|a| tf[a] && tg[a]), |s| s.and(ef, eg)),
            2 => self.add(truth(|a| tf[a] || tg[a]), |s| s.or(ef, eg)),
            3 => self.add(truth(|a| tf[a] != tg[a]), |s| s.xor(ef, eg)),
            4 => self.add(truth(|a| if tf[a] { tg[a] } else { th[a] }), |s| s.ite(ef, eg, eh)),
            5 => {
                let cube = self.add(truth(|a| a & mask == mask), |s| s.literals(&positive));
                let cube = cube.edge();
                self.add(truth(|a| others(a).any(|b| tf[b])), |s| s.exists(ef, cube))
            }
            6 => {
                let cube = self.add(truth(|a| a & mask == mask), |s| s.literals(&positive));
                let cube = cube.edge();
                let both = |b: usize| tf[b] && tg[b];
                self.add(truth(|a| others(a).any(both)), |s| s.and_exists(ef, eg, cube))
            }
            7 => {
                let hold = |a: usize| literals.iter().all(|(bit, value)| has(a, *bit) == *value);
                let cube = self.add(truth(hold), |s| s.literals(&literals));
                let cube = cube.edge();
                let there = |a: usize| others(a).find(|b| hold(*b)).expect("there is one");
                self.add(truth(|a| tf[there(a)]), |s| s.cofactor(ef, cube))
            }
            _ => {
                let pairs: Vec<(Bit, Bit)> =
                    (0..BITS).map(|from| (from, self.below(BITS as usize) as Bit)).collect();
                let renaming = self.store.renaming(&pairs);
                let from = |a: usize| -> usize {
                    pairs.iter().map(|(from, to)| usize::from(has(a, *to)) << from).sum()
                };
                self.add(truth(|a| tf[from(a)]), |s| s.rename(ef, &renaming))
            }
        };
        let expected: Vec<Bit> =
            (0..BITS).filter(|bit| (0..ALL).any(|a| tf[a] != tf[a ^ 1 << bit])).collect();
        assert_eq!(self.store.support(ef), expected);
        assert_eq!(self.store.count(ef, BITS), tf.iter().filter(|value| **value).count() as f64);
    }
    /// Everything is as it was, each node is in its table once, and no node can be left out.
    fn check(&mut self) {
        for (f, known) in &self.known {
            assert!(self.truth_of(f) == *known);
        }
        let mut nodes = rustc_hash::FxHashSet::default();
        for node in self.store.nodes.iter().skip(1).filter(|node| !node.is_free()) {
            assert!(!node.then.is_complement());
            assert!(nodes.insert((node.bit, node.then, node.otherwise)), "two nodes alike");
            let level = self.store.level[node.bit as usize];
            assert!(level < self.store.level_of(node.then) && level < self.store.level_of(node.otherwise));
            assert!(self.store.find(node.bit, node.then, node.otherwise).is_some());
        }
        assert_eq!(nodes.len() + 1, self.store.node_count());
        assert_eq!(nodes.len(), self.store.tables.iter().map(|table| table.count).sum());
        for (level, bit) in self.store.order.iter().enumerate() {
            assert_eq!(self.store.level_of_bit(*bit) as usize, level);
        }
        assert!(self.store.stack.is_empty() && self.store.marks.iter().all(|word| *word == 0));
        assert!(self.store.renamed.iter().enumerate().all(|(from, to)| from as u32 == *to));
    }
}

#[test]
fn operations_agree_with_truth_tables() {
    for seed in 0..10 {
        let mut world = World::new(seed);
        for _ in 0..300 {
            world.operate();
        }
        world.check();
    }
}

#[test]
fn collections_keep_what_is_held() {
    let mut world = World::new(100);
    for _ in 0..300 {
        world.operate();
        if world.below(4) == 0 {
            world.store.collect();
            world.check();
        }
    }
    world.known.clear();
    world.store.collect();
    assert_eq!(world.store.node_count(), 1, "nothing is held, nothing stays");
}

/// Garbage is collected whenever a node is made, so that a result that was not on the stack would be lost.
#[test]
fn collections_inside_of_operations() {
    for seed in 200..205 {
        let mut world = World::new(seed);
        world.store.collects_always = true;
        for _ in 0..150 {
            world.operate();
        }
        world.store.collect();
        world.check();
    }
}

#[test]
fn swaps_keep_all_functions() {
    let mut world = World::new(300);
    for _ in 0..400 {
        world.operate();
        let level = world.below(BITS as usize - 1);
        let mut moving = Moving::new(&mut world.store);
        assert!(moving.swap(level));
        let counted = world.store.node_count();
        world.check();
        world.store.collect();
        assert_eq!(world.store.node_count(), counted, "a swap leaves no garbage");
    }
}

#[test]
fn sifting_keeps_all_functions_and_groups() {
    let groups: Vec<Vec<Bit>> = vec![vec![0, 1], vec![2, 3], vec![5, 6, 7]];
    for seed in 400..410 {
        let mut world = World::new(seed);
        for _ in 0..20 {
            for _ in 0..10 {
                world.operate();
            }
            world.store.collect();
            let before = world.store.node_count();
            world.store.sift(&groups).expect("no limit");
            assert!(world.store.node_count() <= before);
            world.check();
            for group in &groups {
                let first = world.store.level_of_bit(group[0]);
                assert!(
                    group
                        .iter()
                        .enumerate()
                        .all(|(i, bit)| world.store.level_of_bit(*bit) == first + i as u32)
                );
            }
        }
    }
}

/// x0 y0 + x1 y1 + ..., all x before all y: linear in the best order, exponential in this.
fn disjoint_products(store: &mut Store, pairs: u32) -> Result<Bdd, StopReason> {
    let mut sum = store.hold(Edge::NO);
    for i in 0..pairs {
        let both = store.run(|s| s.literals(&[(i, true), (pairs + i, true)]))?;
        let both = store.hold(both);
        let more = store.run(|s| s.or(sum.edge(), both.edge()))?;
        sum = store.hold(more);
    }
    Ok(sum)
}

#[test]
fn sifting_finds_a_linear_order() {
    let mut store = Store::new(24, &Limits::default());
    let f = disjoint_products(&mut store, 12).expect("no limit");
    assert!(store.size(&[f.edge()]) > 1 << 12);
    store.sift(&[]).expect("no limit");
    assert_eq!(store.size(&[f.edge()]), 25);
    assert_eq!(store.count(f.edge(), 24), f64::from((1 << 24) - 3_u32.pow(12)));
}

#[test]
fn sifting_comes_by_itself_and_inside_of_operations() {
    let mut store = Store::new(40, &Limits::default());
    store.sift_automatically(1 << 15, (0..20).map(|i| vec![i]).collect());
    let f = disjoint_products(&mut store, 20).expect("no limit");
    assert!(store.sifted() > 0);
    assert!(store.size(&[f.edge()]) < 1 << 12);
    assert_eq!(store.count(f.edge(), 40), ((1_u64 << 40) - 3_u64.pow(20)) as f64);
}

/// Cut off after any number of steps, an operation leaves everything as it was, and can be carried out later.
#[test]
fn limits_in_the_middle_of_operations() {
    for polls in 0..8 {
        let limits =
            Limits { work: Some(Work::new(polls * u64::from(POLL) * STEP_WORK, 0)), ..Limits::default() };
        let mut store = Store::new(28, &limits);
        let result = disjoint_products(&mut store, 14);
        assert_eq!(result.err(), Some(StopReason::Work));
        assert!(store.stack.is_empty());
        assert_eq!(store.steps() / u64::from(POLL), polls + 1, "it stops where it has to");
        store.limits = Limits::default();
        let made = disjoint_products(&mut store, 14).expect("no limit");
        assert_eq!(store.count(made.edge(), 28), ((1_u64 << 28) - 3_u64.pow(14)) as f64);
    }
}

/// The nodes that are allowed count wherever they are made, and what was counted is the same in every run.
#[test]
fn allowances_of_nodes() {
    let used = || {
        let mut store = Store::new(40, &Limits::default());
        store.allowance.nodes = Some(50_000);
        assert_eq!(disjoint_products(&mut store, 20).err(), Some(StopReason::Work));
        assert!((50_000..50_000 + u64::from(POLL)).contains(&store.made()));
        assert_eq!(store.run(|s| s.poll()), Err(StopReason::Work), "nothing more is done");
        store.allowance = Allowance::default();
        assert!(disjoint_products(&mut store, 10).is_ok());
        (store.made(), store.steps())
    };
    assert_eq!(used(), used());
}

#[test]
fn limits_of_time_and_cancelling_are_seen_inside() {
    let passed = Limits { deadline: Some(Instant::now()), ..Limits::default() };
    let cancelled = Limits::default();
    cancelled.cancel.cancel(StopReason::Interrupted);
    for (limits, reason) in [(passed, StopReason::Time), (cancelled, StopReason::Interrupted)] {
        let mut store = Store::new(40, &limits);
        assert_eq!(disjoint_products(&mut store, 20).err(), Some(reason));
        assert!(store.node_count() < 2 * POLL as usize);
    }
}

#[test]
fn limits_of_memory() {
    let most = 1 << 20;
    let mut store = Store::new(40, &Limits { memory: Some(most), ..Limits::default() });
    assert_eq!(disjoint_products(&mut store, 20).err(), Some(StopReason::Memory));
    assert!(store.peaks().1 <= most, "{}", store.peaks().1);
    // There is room for smaller ones, again and again.
    for _ in 0..20 {
        let made = disjoint_products(&mut store, 8).expect("it fits");
        assert_eq!(store.size(&[made.edge()]), 511);
    }
    // In another order, it fits.
    store.sift_automatically(1 << 10, Vec::new());
    let made = disjoint_products(&mut store, 20).expect("it fits");
    assert_eq!(store.count(made.edge(), 40), ((1_u64 << 40) - 3_u64.pow(20)) as f64);
}

#[test]
fn sifting_within_limits() {
    let mut store = Store::new(24, &Limits::default());
    let f = disjoint_products(&mut store, 12).expect("no limit");
    store.limits.work = Some(Work::new(1_000, 0));
    assert_eq!(store.sift(&[]), Err(StopReason::Work));
    assert_eq!(store.count(f.edge(), 24), f64::from((1 << 24) - 3_u32.pow(12)));
    store.limits = Limits { memory: Some(1), ..Limits::default() };
    assert!(store.sift(&[]).is_err());
    assert_eq!(store.count(f.edge(), 24), f64::from((1 << 24) - 3_u32.pow(12)));
}

/// As many levels as an encoding may have, in a thread as the engine has it.
#[test]
fn deep_diagrams() {
    const DEEP: u32 = crate::encoding::MOST_BITS;
    let deep = || {
        let mut store = Store::new(DEEP, &Limits::default());
        let even: Vec<(Bit, bool)> = (0..DEEP / 2).map(|i| (2 * i, true)).collect();
        let pairs: Vec<(Bit, Bit)> = (0..DEEP / 2).map(|i| (2 * i, 2 * i + 1)).collect();
        let swapped: Vec<(Bit, Bit)> =
            (0..DEEP / 2).flat_map(|i| [(2 * i, 2 * i + 1), (2 * i + 1, 2 * i)]).collect();
        let (there, both_ways) = (store.renaming(&pairs), store.renaming(&swapped));
        store.run(|s| {
            let cube = s.literals(&even)?;
            let odd = s.rename(cube, &there)?;
            let all = s.and(cube, odd)?;
            let parity = (0..DEEP).rev().try_fold(Edge::NO, |parity, bit| s.make(bit, !parity, parity))?;
            assert_eq!(s.rename(parity, &both_ways)?, parity);
            assert_eq!(s.and_exists(cube, odd, cube)?, odd);
            assert_eq!(s.exists(all, odd)?, cube);
            assert_eq!(s.cofactor(all, odd)?, cube);
            assert_eq!(s.xor(cube, odd).and_then(|x| s.ite(x, cube, odd))?, cube);
            assert_eq!((s.size(&[all]), s.support(parity).len()), (DEEP as usize + 1, DEEP as usize));
            assert_eq!((s.count(parity, DEEP), s.count(all, DEEP)), (f64::INFINITY, 1.0));
            Ok(())
        })
    };
    let thread = std::thread::Builder::new().stack_size(crate::explore::STACK).spawn(deep).expect("a thread");
    assert_eq!(thread.join().expect("no overflow"), Ok(()));
}
