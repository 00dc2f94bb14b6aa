//! Predicates: a location, a comparison of integers with a number, of a clock or the difference of two with a number.
//! What an integer predicate says is known as a table over the values of the slots that it reads, which the bytecode
//! has filled.
//!
//! A *literal* is a predicate or its negation: predicate `p` has the literals `2p` and `2p + 1`. An *abstract state*
//! is a set of literals, and stands for all states in which they hold: a partial bit vector. A [`Region`] is what
//! regression works on: values for each factor, and a zone.

use super::system::{Region, System};
use crate::factors::bits;
use beeline_zones::{Bound, Constraint};

/// What a predicate is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Predicate {
    /// One factor has one of some values; of some others it is false, of the rest (where its evaluation fails) neither.
    Values {
        factor: usize,
        /// By value.
        truth: Vec<Option<bool>>,
    },
    /// The same over several factors, ascending; by their values, those of the last one change fastest.
    Relation { factors: Vec<usize>, truth: Vec<Option<bool>> },
    /// A clock constraint, over rows of the zone.
    Clock(Constraint),
}

impl Predicate {
    /// A comparison of one factor's value: those from `from` up to below `to` meet it.
    pub(super) fn within(factor: usize, values: usize, range: std::ops::Range<usize>) -> Self {
        Self::Values { factor, truth: (0..values).map(|value| Some(range.contains(&value))).collect() }
    }
}

/// A predicate that is made ready for look-ups.
#[derive(Clone, Debug)]
struct Ready {
    predicate: Predicate,
    /// Of one factor: the words of its facts, and in these the facts where it holds and where it is false.
    span: std::ops::Range<usize>,
    yes: Vec<u64>,
    no: Vec<u64>,
    /// All facts of the factor.
    all: Vec<u64>,
    /// If it says where an automaton is: the first predicate that does; those of an automaton follow each other.
    location: Option<usize>,
}

/// All predicates of an abstraction, in a fixed order.
#[derive(Clone, Debug, Default)]
pub(super) struct Predicates {
    ready: Vec<Ready>,
}

/// A set of literals.
pub(super) type Literals = Vec<u64>;

impl Predicates {
    /// For a system: the locations of all automata, then these predicates, each once, in order.
    pub(super) fn new(system: &System, predicates: impl Iterator<Item = Predicate>) -> Self {
        let mut all = Self::default();
        for factor in (0..system.factors()).filter(|factor| system.is_location(*factor)) {
            let (first, values) = (all.ready.len(), system.range(factor).len());
            for value in 0..values {
                let predicate = Predicate::within(factor, values, value..value + 1);
                all.ready.push(Ready { location: Some(first), ..Ready::new(system, predicate) });
            }
        }
        for predicate in predicates {
            if !all.ready.iter().any(|known| known.predicate == predicate) {
                all.ready.push(Ready::new(system, predicate));
            }
        }
        all
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ready.len()
    }

    /// The predicates.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Predicate> + '_ {
        self.ready.iter().map(|ready| &ready.predicate)
    }

    /// Words of a set of literals.
    pub(super) fn words(&self) -> usize {
        bits::words(2 * self.ready.len())
    }

    /// The literals that hold everywhere in a region.
    pub(super) fn abstraction(&self, system: &System, region: &Region) -> Literals {
        let mut literals = vec![0; self.words()];
        for (at, ready) in self.ready.iter().enumerate() {
            let (holds, fails) = match &ready.predicate {
                Predicate::Values { .. } => {
                    let inside = |set: &[u64]| {
                        let mut words = region.cube[ready.span.clone()].iter().zip(&ready.all).zip(set);
                        words.all(|((cube, all), set)| cube & all & !set == 0)
                    };
                    (inside(&ready.yes), inside(&ready.no))
                }
                Predicate::Relation { factors, truth } => {
                    let everywhere = |wanted: bool| system.everywhere(&region.cube, factors, truth, wanted);
                    (everywhere(true), everywhere(false))
                }
                Predicate::Clock(Constraint { left, right, bound }) => {
                    let (there, back) = (region.zone.get(*left, *right), region.zone.get(*right, *left));
                    (there <= *bound, back <= bound.negated())
                }
            };
            if holds {
                bits::put(&mut literals, 2 * at);
            } else if fails {
                bits::put(&mut literals, 2 * at + 1);
            }
        }
        literals
    }

    /// The same without what goes without saying: an automaton that is somewhere is nowhere else.
    pub(super) fn essential(&self, literals: &[u64]) -> Literals {
        let mut fewer = literals.to_vec();
        for literal in bits::each(literals).filter(|literal| literal % 2 == 0) {
            let Some(first) = self.ready[literal / 2].location else { continue };
            let alike = self.ready[first..].iter().take_while(|other| other.location == Some(first));
            (first..).zip(alike).for_each(|(other, _)| bits::take(&mut fewer, 2 * other + 1));
        }
        fewer
    }

    /// A region that holds all states in which some literals hold; `None` if there is none. Of relations between several
    /// factors it keeps what they say of each.
    pub(super) fn region(&self, system: &System, literals: &[u64]) -> Option<Region> {
        let mut region = system.everything();
        for literal in bits::each(literals) {
            let (ready, positive) = (&self.ready[literal / 2], literal % 2 == 0);
            match &ready.predicate {
                Predicate::Values { .. } => {
                    let set = if positive { &ready.yes } else { &ready.no };
                    let cube = &mut region.cube[ready.span.clone()];
                    for ((cube, all), set) in cube.iter_mut().zip(&ready.all).zip(set) {
                        *cube &= set | !all;
                    }
                    if cube.iter().zip(&ready.all).all(|(cube, all)| cube & all == 0) {
                        return None;
                    }
                }
                Predicate::Relation { .. } => {}
                Predicate::Clock(constraint) => {
                    let Constraint { left, right, bound } =
                        if positive { *constraint } else { constraint.negated() };
                    if !region.zone.constrain(left, right, bound) {
                        return None;
                    }
                }
            }
        }
        for literal in bits::each(literals) {
            if let Predicate::Relation { factors, truth } = &self.ready[literal / 2].predicate
                && !system.narrow(&mut region.cube, factors, truth, literal % 2 == 0)
            {
                return None;
            }
        }
        Some(region)
    }

    /// By fact, the literals of one factor that hold there.
    pub(super) fn by_fact(&self, system: &System) -> Vec<Literals> {
        let mut by_fact = vec![vec![0; self.words()]; system.facts.len()];
        for (at, ready) in self.ready.iter().enumerate() {
            let Predicate::Values { factor, truth } = &ready.predicate else { continue };
            for (fact, truth) in system.range(*factor).zip(truth) {
                if let Some(holds) = truth {
                    bits::put(&mut by_fact[fact], 2 * at + usize::from(!holds));
                }
            }
        }
        by_fact
    }

    /// Adds the literals of relations that hold for the values of factors.
    pub(super) fn add_relations(&self, system: &System, values: &[usize], literals: &mut [u64]) {
        for (at, ready) in self.ready.iter().enumerate() {
            let Predicate::Relation { factors, truth } = &ready.predicate else { continue };
            if let Some(holds) = truth[system.place(factors, |factor| values[factor])] {
                bits::put(literals, 2 * at + usize::from(!holds));
            }
        }
    }

    /// Adds the literals about clocks that may hold in a zone, of which an entry of the matrix is asked for; it has none
    /// where nothing is known of a clock.
    pub(super) fn add_clocks(&self, entry: &impl Fn(usize, usize) -> Option<Bound>, literals: &mut [u64]) {
        for (at, ready) in self.ready.iter().enumerate() {
            let Predicate::Clock(constraint) = ready.predicate else { continue };
            for (literal, Constraint { left, right, bound }) in
                [(2 * at, constraint), (2 * at + 1, constraint.negated())]
            {
                if entry(right, left).is_none_or(|back| back + bound >= Bound::ZERO_LE) {
                    bits::put(literals, literal);
                }
            }
        }
    }

    /// Adds the literals of one factor that hold for a value of it.
    pub(super) fn add_value(&self, factor: usize, value: usize, literals: &mut [u64]) {
        for (at, ready) in self.ready.iter().enumerate() {
            if let Predicate::Values { factor: its, truth } = &ready.predicate
                && *its == factor
                && let Some(holds) = truth[value]
            {
                bits::put(literals, 2 * at + usize::from(!holds));
            }
        }
    }

    /// The literals that are about clocks.
    pub(super) fn clock_literals(&self) -> Literals {
        let mut literals = vec![0; self.words()];
        for (at, _) in self.iter().enumerate().filter(|(_, p)| matches!(p, Predicate::Clock(_))) {
            bits::put(&mut literals, 2 * at);
            bits::put(&mut literals, 2 * at + 1);
        }
        literals
    }

    /// Whether some predicate is about several factors.
    pub(super) fn relates(&self) -> bool {
        self.iter().any(|predicate| matches!(predicate, Predicate::Relation { .. }))
    }

    /// Whether some predicate is about clocks.
    pub(super) fn timed(&self) -> bool {
        self.iter().any(|predicate| matches!(predicate, Predicate::Clock(_)))
    }

    pub(super) fn bytes(&self) -> usize {
        self.ready.iter().map(|ready| size_of::<Ready>() + 3 * size_of_val(&*ready.yes)).sum()
    }
}

impl Ready {
    fn new(system: &System, predicate: Predicate) -> Self {
        let Predicate::Values { factor, truth } = &predicate else {
            let (yes, no, all) = (Vec::new(), Vec::new(), Vec::new());
            return Self { predicate, span: 0..0, yes, no, all, location: None };
        };
        let facts = system.range(*factor);
        let span = facts.start / 64..facts.end.div_ceil(64);
        let set = |wanted: &dyn Fn(Option<bool>) -> bool| {
            let mut set = vec![0; span.len()];
            for (fact, truth) in facts.clone().zip(truth) {
                if wanted(*truth) {
                    bits::put(&mut set, fact - span.start * 64);
                }
            }
            set
        };
        let (yes, no, all) =
            (set(&|truth| truth == Some(true)), set(&|truth| truth == Some(false)), set(&|_| true));
        Self { span: span.clone(), yes, no, all, predicate, location: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use beeline_zones::Dbm;
    use oorandom::Rand32;

    fn clock(constraint: Constraint) -> Ready {
        let (yes, no, all) = (Vec::new(), Vec::new(), Vec::new());
        Ready { predicate: Predicate::Clock(constraint), span: 0..0, yes, no, all, location: None }
    }

    /// O14: what holds at some point of a zone is among what may hold in it. And what may hold by itself does somewhere.
    #[test]
    fn no_literal_of_a_point_of_a_zone_is_missed() {
        let mut rand = Rand32::new(14);
        let (mut points, mut open) = (0, 0);
        for _ in 0..300 {
            let mut bound = |strict: bool| {
                let constant = rand.rand_range(0..9) as i32 - 4;
                if strict { Bound::lt(constant) } else { Bound::le(constant) }
            };
            let pairs = [(1, 0), (2, 0), (0, 1), (0, 2), (1, 2), (2, 1)];
            let constraints: Vec<Constraint> =
                pairs.iter().map(|(i, j)| Constraint::new(*i, *j, bound((i + j) % 2 == 0))).collect();
            let predicates = Predicates { ready: constraints.iter().map(|c| clock(*c)).collect() };
            let mut zone = Dbm::universal(3);
            let zone_constraints: Vec<(usize, usize, Bound)> =
                pairs[..4].iter().map(|(i, j)| (*i, *j, bound(*i == 1))).collect();
            if !zone_constraints.iter().all(|(i, j, bound)| zone.constrain(*i, *j, *bound)) {
                continue;
            }
            let mut may = vec![0; predicates.words()];
            predicates.add_clocks(&|left, right| Some(zone.get(left, right)), &mut may);
            let meets = |c: &Constraint, point: &[i32; 3]| match c.bound.constant() {
                None => true,
                Some(bound) if c.bound.is_strict() => point[c.left] - point[c.right] < 4 * bound,
                Some(bound) => point[c.left] - point[c.right] <= 4 * bound,
            };
            // In quarters of a unit.
            for point in (0..24).flat_map(|x| (0..24).map(move |y| [0, x, y])) {
                let inside =
                    zone_constraints.iter().all(|(i, j, b)| meets(&Constraint::new(*i, *j, *b), &point));
                for (at, c) in constraints.iter().enumerate().filter(|_| inside) {
                    let literal = 2 * at + usize::from(!meets(c, &point));
                    assert!(bits::has(&may, literal), "{c:?} at {point:?} of {zone:?}");
                    points += 1;
                }
            }
            for (at, c) in constraints.iter().enumerate() {
                for (literal, c) in [(2 * at, *c), (2 * at + 1, c.negated())] {
                    let mut both = zone.clone();
                    assert_eq!(bits::has(&may, literal), both.constrain(c.left, c.right, c.bound));
                }
                open += usize::from(bits::has(&may, 2 * at) && bits::has(&may, 2 * at + 1));
            }
        }
        assert!(points > 10_000 && open > 50, "{points} {open}");
    }
}
