//! The changes of each factor as h^CG walks them. Labels often do the same to a factor, from many values to many: all
//! changes that cost the same and ask the same are one move, and every list of what is asked is kept once.

use beeline_ir::id::Id;
use beeline_ir::limits::StopReason;
use beeline_program::factored::causal::CausalGraph;
use beeline_program::factored::{Action, CondId, FactId, Factored, Meter};
use rustc_hash::FxHashMap;

/// Ancestors of one factor, and of all together. Predecessors that bring more are ignored: a table has the values of all
/// ancestors as its key, and is computed with theirs, one within the other.
const MOST_ANCESTORS: usize = 1 << 12;
const MOST_ANCESTORS_AT_ALL: usize = 1 << 26;

/// What a change asks of a predecessor, and does to it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Ask {
    /// The position among the predecessors.
    pub(super) predecessor: u32,
    /// The values that allow it; any if there is no condition.
    pub(super) cond: Option<CondId>,
    /// The value afterwards, if it changes.
    pub(super) after: Option<FactId>,
}

/// A list of what is asked.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct AsksId(u32);

/// Changes of a factor, from some of its values to some others.
#[derive(Clone, Debug)]
pub(super) struct Move {
    /// The values that it leaves; any if there is no condition.
    from: Option<CondId>,
    /// Whether it costs a step.
    pub(super) costs: bool,
    asks: AsksId,
    /// Where it may lead, ascending.
    pub(super) to: Vec<FactId>,
}

/// A factor, with all that its costs depend on.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    /// Slots that have a say, and come before it, ascending.
    pub(super) predecessors: Vec<usize>,
    /// Those, theirs, and so on, ascending.
    pub(super) ancestors: Vec<u32>,
    moves: Vec<Move>,
    /// The moves that leave any value, and by value those that leave it and not any other; ascending.
    anywhere: Vec<u32>,
    by_value: Vec<Vec<u32>>,
}

impl Factor {
    /// The moves that leave a value, in their order.
    pub(super) fn leaving(&self, value: usize) -> impl Iterator<Item = &Move> {
        let (mut here, mut anywhere) = (&self.by_value[value][..], &self.anywhere[..]);
        std::iter::from_fn(move || {
            let from = match (here.first(), anywhere.first()) {
                (Some(a), Some(b)) if a < b => &mut here,
                (Some(_), None) => &mut here,
                _ => &mut anywhere,
            };
            let (first, rest) = from.split_first()?;
            *from = rest;
            Some(&self.moves[*first as usize])
        })
    }
}

/// All moves.
#[derive(Debug)]
pub(super) struct Moves {
    /// By slot.
    pub(super) factors: Vec<Factor>,
    lists: Vec<Box<[Ask]>>,
    /// Bytes of all this.
    pub(super) bytes: u64,
}

impl Moves {
    /// The moves of all factors, of which only those earlier in an order have a say in a later one.
    pub(super) fn new(
        factored: &Factored,
        graph: &CausalGraph,
        order: &[usize],
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let factors = factors(factored, graph, order, meter)?;
        let (lists, known, moves) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        let mut noting = Noting { factored, meter, factors, lists, known, moves };
        for actions in factored.actions.chunk_by(|a, b| a.label == b.label) {
            for action in actions {
                noting.note(action, actions)?;
            }
        }
        let Noting { mut factors, lists, .. } = noting;
        for (slot, factor) in factors.iter_mut().enumerate() {
            arrange(factored, meter, &lists, slot, factor)?;
        }
        Ok(Self { factors, lists, bytes: meter.bytes() - before })
    }

    /// What a move asks.
    pub(super) fn asks(&self, change: &Move) -> &[Ask] {
        &self.lists[change.asks.0 as usize]
    }
}

/// The factors, without their moves.
fn factors(
    factored: &Factored,
    graph: &CausalGraph,
    order: &[usize],
    meter: &Meter<'_>,
) -> Result<Vec<Factor>, StopReason> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, slot)| place[*slot] = at);
    let mut factors = vec![Factor::default(); order.len()];
    let mut inside = vec![false; order.len()];
    let mut all = 0;
    for slot in order {
        let earlier = graph.predecessors[*slot].iter().map(|(from, _)| *from);
        let mut predecessors = Vec::new();
        let mut ancestors: Vec<u32> = Vec::new();
        for from in earlier.filter(|from| place[*from] < place[*slot]) {
            let theirs = factors[from].ancestors.iter().copied().chain([from as u32]);
            meter.work(1 + factors[from].ancestors.len() as u64)?;
            let new = theirs.clone().filter(|ancestor| !inside[*ancestor as usize]).count();
            if ancestors.len() + new > MOST_ANCESTORS || all + new > MOST_ANCESTORS_AT_ALL {
                continue;
            }
            predecessors.push(from);
            all += new;
            for ancestor in theirs {
                if !std::mem::replace(&mut inside[ancestor as usize], true) {
                    ancestors.push(ancestor);
                }
            }
        }
        ancestors.iter().for_each(|ancestor| inside[*ancestor as usize] = false);
        ancestors.sort_unstable();
        let by_value = vec![Vec::new(); factored.domains.size(*slot)];
        meter.allocate(size_of_val(&*predecessors) + size_of_val(&*ancestors) + size_of_val(&*by_value))?;
        factors[*slot] = Factor { predecessors, ancestors, by_value, ..Factor::default() };
    }
    Ok(factors)
}

/// Puts the moves of a factor in order: cheap ones first, then by what they ask.
fn arrange(
    factored: &Factored,
    meter: &Meter<'_>,
    lists: &[Box<[Ask]>],
    slot: usize,
    factor: &mut Factor,
) -> Result<(), StopReason> {
    let asks = |change: &Move| {
        lists[change.asks.0 as usize].iter().map(|ask| {
            let facts = ask.cond.map(|cond| &*factored.cond(cond).facts);
            (ask.predecessor, facts.unwrap_or_default(), ask.after)
        })
    };
    factor.moves.sort_by(|a, b| a.costs.cmp(&b.costs).then_with(|| asks(a).cmp(asks(b))));
    let first = factored.domains.facts_of(slot).next().map_or(0, Id::index);
    for (at, change) in factor.moves.iter_mut().enumerate() {
        change.to.sort_unstable();
        change.to.dedup();
        change.to.shrink_to_fit();
        let Some(from) = change.from else {
            factor.anywhere.push(at as u32);
            continue;
        };
        let from = &factored.cond(from).facts;
        from.iter().for_each(|fact| factor.by_value[fact.index() - first].push(at as u32));
        meter.allocate(from.len() * size_of::<u32>())?;
    }
    Ok(())
}

/// Moves in the making.
struct Noting<'a> {
    factored: &'a Factored,
    meter: &'a Meter<'a>,
    factors: Vec<Factor>,
    lists: Vec<Box<[Ask]>>,
    /// The lists so far.
    known: FxHashMap<Box<[Ask]>, AsksId>,
    /// The moves so far: the slot, where from, whether it costs, what it asks.
    moves: FxHashMap<(usize, Option<CondId>, bool, AsksId), u32>,
}

impl Noting<'_> {
    /// Notes the changes that an action makes, among all actions of its label.
    fn note(&mut self, action: &Action, all: &[Action]) -> Result<(), StopReason> {
        let (factored, domains) = (self.factored, &self.factored.domains);
        self.meter.work(all.len() as u64)?;
        // What the other effects of the label make of a slot, where this action's needs say enough.
        let implied = |other: &&Action| {
            other.needs.iter().all(|cond| {
                let asked = factored.cond(*cond);
                let given = action.needs.iter().map(|c| factored.cond(*c)).find(|c| c.slot == asked.slot);
                given.is_some_and(|given| given.facts.iter().all(|fact| asked.facts.contains(fact)))
            })
        };
        let after = all.iter().filter(implied).flat_map(|other| &other.effects);
        let after = after.map(|fact| (domains.slot(*fact), None, Some(*fact)));
        let needs = action.needs.iter().map(|cond| (factored.cond(*cond).slot, Some(*cond), None));
        // By slot: what is asked, and the first of the values it may have afterwards.
        let mut asked: Vec<(usize, Option<CondId>, Option<FactId>)> = needs.chain(after).collect();
        asked.sort_by_key(|(slot, ..)| *slot);
        asked.dedup_by(|next, first| {
            let same = next.0 == first.0;
            if same {
                (first.1, first.2) = (first.1.or(next.1), first.2.or(next.2));
            }
            same
        });
        let costs = factored.label(action.label).costs;
        for effects in action.effects.chunk_by(|a, b| domains.slot(*a) == domains.slot(*b)) {
            let slot = domains.slot(effects[0]);
            self.meter.work((asked.len() + effects.len()) as u64)?;
            let own = asked.binary_search_by_key(&slot, |(slot, ..)| *slot);
            let from = own.ok().and_then(|at| asked[at].1);
            let predecessors = &self.factors[slot].predecessors;
            let of = |(slot, cond, after): &(usize, Option<CondId>, Option<FactId>)| {
                let predecessor = predecessors.binary_search(slot).ok()? as u32;
                Some(Ask { predecessor, cond: *cond, after: *after })
            };
            let asks = self.list(asked.iter().filter_map(of).collect())?;
            self.add(slot, from, costs, asks, effects)?;
        }
        Ok(())
    }

    fn list(&mut self, asks: Box<[Ask]>) -> Result<AsksId, StopReason> {
        if let Some(known) = self.known.get(&asks) {
            return Ok(*known);
        }
        // Once in the list, once as a key.
        self.meter.allocate(2 * (size_of_val(&*asks) + size_of::<Box<[Ask]>>()))?;
        let id = AsksId(self.lists.len() as u32);
        self.lists.push(asks.clone());
        self.known.insert(asks, id);
        Ok(id)
    }

    fn add(
        &mut self,
        slot: usize,
        from: Option<CondId>,
        costs: bool,
        asks: AsksId,
        to: &[FactId],
    ) -> Result<(), StopReason> {
        let moves = &mut self.factors[slot].moves;
        let at = *self.moves.entry((slot, from, costs, asks)).or_insert_with(|| {
            moves.push(Move { from, costs, asks, to: Vec::new() });
            moves.len() as u32 - 1
        });
        let known = &mut moves[at as usize].to;
        let capacity = known.capacity();
        known.extend_from_slice(to);
        // The same again and again takes no more than twice the room.
        if known.len() > 2 * self.factored.domains.size(slot) {
            known.sort_unstable();
            known.dedup();
        }
        let grown = known.capacity() - capacity;
        let new = if capacity == 0 { 2 * size_of::<Move>() } else { 0 };
        self.meter.allocate(new + grown * size_of::<FactId>())
    }
}
