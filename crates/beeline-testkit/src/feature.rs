//! The constructs a random model may use: the knobs of the generator, and the statistics of what it really made.
//! [`of`] looks at the finished model, not at what the generator meant to do.

use crate::walk::{self, Visitor};
use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, UnaryOp};
use beeline_ir::network::{ChannelKind, Network, Role, Sync};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Block, Pattern, Place, Stmt, Store, Target};

macro_rules! features {
    ($($variant:ident = $name:literal, $timed:literal, $discrete:literal;)+) => {
        /// A construct.
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs)] // the names say it, and `name` says it again
        pub enum Feature { $($variant,)+ }

        impl Feature {
            /// All of them.
            pub const ALL: &'static [Feature] = &[$(Feature::$variant,)+];
            /// In words.
            pub const fn name(self) -> &'static str {
                match self { $(Feature::$variant => $name,)+ }
            }
            /// How many of a hundred timed, and discrete, models may use it unless told otherwise.
            pub const fn percent(self) -> (u32, u32) {
                match self { $(Feature::$variant => ($timed, $discrete),)+ }
            }
        }
    };
}

features! {
    StrictBound = "strict clock bounds", 80, 0;
    Diagonal = "diagonal constraints", 22, 0;
    ConditionalAtom = "conditional constraints", 18, 0;
    SeveralAtoms = "several constraints per invariant", 30, 0;
    ClockValue = "clocks set to values", 15, 0;
    ClockCopy = "clock copies", 14, 0;
    VariableBound = "bounds with variables", 15, 0;
    ClockTarget = "clocks in properties", 30, 0;
    NestedClockTarget = "clocks under conditions and quantifiers in properties", 30, 0;
    Invariant = "clock invariants", 75, 0;
    Condition = "conditions in invariants", 12, 10;
    Array = "arrays", 20, 20;
    LocalArray = "local arrays", 10, 10;
    Shift = "shifts", 12, 12;
    Complement = "bitwise complements", 8, 8;
    WideRange = "wide ranges", 6, 6;
    PureFunction = "pure functions", 12, 12;
    EffectFunction = "functions with effects", 12, 10;
    Rendezvous = "rendezvous", 65, 45;
    Broadcast = "broadcast", 35, 15;
    Buffered = "buffered channels", 10, 65;
    ChannelArray = "channel arrays", 15, 12;
    Message = "messages", 10, 70;
    SortedSend = "sorted sends", 6, 20;
    AnyReceive = "receives beyond the first message", 6, 20;
    KeepReceive = "receives that keep the message", 6, 15;
    Match = "match patterns", 30, 40;
    ChannelValue = "channels as values", 6, 15;
    QueueExpression = "expressions over queues", 10, 30;
    Composite = "sends and receives in updates", 10, 20;
    Committed = "committed locations", 20, 10;
    Urgent = "urgent locations", 20, 0;
    UrgentChannel = "urgent channels", 15, 0;
    ChannelPriority = "channel priorities", 15, 10;
    ProcessPriority = "process priorities", 12, 10;
    Atomic = "atomic locations", 6, 40;
    Family = "instance families", 10, 25;
    SeveralFamilies = "several families", 30, 30;
    Exit = "process ends", 12, 25;
    Else = "else", 8, 30;
    Timeout = "timeout", 0, 20;
    Select = "select", 20, 25;
    FreeLabel = "labels without cost", 25, 30;
    RuntimeError = "possible run-time errors", 10, 10;
    Quantifier = "quantifiers", 15, 15;
    ControlFlow = "if and while", 15, 25;
    WrappingStore = "wrapping stores", 5, 50;
    Assert = "assertions", 5, 20;
    Deadlock = "deadlock properties", 12, 12;
    Observer = "observers", 8, 12;
}

impl Feature {
    /// Whether UPPAAL's language has it.
    pub const fn in_uppaal(self) -> bool {
        use Feature as F;
        !matches!(
            self,
            F::Buffered
                | F::Message
                | F::SortedSend
                | F::AnyReceive
                | F::KeepReceive
                | F::Match
                | F::ChannelValue
                | F::QueueExpression
                | F::Composite
                | F::Atomic
                | F::Family
                | F::SeveralFamilies
                | F::Exit
                | F::Else
                | F::Timeout
                | F::FreeLabel
                | F::WrappingStore
                | F::WideRange
                | F::Assert
                | F::Observer
        )
    }
}

/// A range of more values than this is wide.
const WIDE: u128 = 1 << 16;

/// A set of features.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct FeatureSet(u64);

impl FeatureSet {
    /// Adds one.
    pub fn insert(&mut self, feature: Feature) {
        self.0 |= 1 << feature as u32;
    }
    /// Whether it is in.
    pub fn contains(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }
    /// Its members.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |f| self.contains(*f))
    }
    fn note(&mut self, present: bool, feature: Feature) {
        if present {
            self.insert(feature);
        }
    }
}

/// What a model uses. `RuntimeError` is left out: it can be told only by running the model.
pub fn of(network: &Network) -> FeatureSet {
    let mut finder = Finder(FeatureSet::default());
    let mut copy = network.clone();
    walk::network(&mut copy, &mut finder);
    let mut set = finder.0;
    for channel in &network.channels {
        set.note(channel.kind == ChannelKind::Rendezvous, Feature::Rendezvous);
        set.note(channel.kind == ChannelKind::Broadcast, Feature::Broadcast);
        set.note(matches!(channel.kind, ChannelKind::Buffered { .. }), Feature::Buffered);
        set.note(channel.len.is_some(), Feature::ChannelArray);
        set.note(!channel.fields.is_empty(), Feature::Message);
        set.note(channel.urgent, Feature::UrgentChannel);
        set.note(channel.priority.iter().any(|p| *p != 0), Feature::ChannelPriority);
    }
    set.note(network.vars.iter().any(|v| v.len.is_some()), Feature::Array);
    set.note(!network.families.is_empty(), Feature::Family);
    set.note(network.families.len() > 1, Feature::SeveralFamilies);
    set.note(network.vars.iter().any(|v| v.range.size() > WIDE), Feature::WideRange);
    for process in &network.processes {
        set.note(process.role == Role::Observer, Feature::Observer);
        set.note(process.priority != 0, Feature::ProcessPriority);
        for location in &process.locations {
            set.note(location.committed, Feature::Committed);
            set.note(location.urgent, Feature::Urgent);
            set.note(location.atomic, Feature::Atomic);
            set.note(!location.invariant.is_empty(), Feature::Invariant);
            set.note(location.invariant.len() > 1, Feature::SeveralAtoms);
            set.note(!location.condition.is_true(), Feature::Condition);
        }
        for edge in &process.edges {
            set.note(edge.selects > 0, Feature::Select);
            set.note(!edge.costs && process.role == Role::System, Feature::FreeLabel);
            match &edge.sync {
                Sync::Internal => {}
                Sync::Send(s) => {
                    set.note(s.sorted, Feature::SortedSend);
                    set.note(matches!(s.channel, ChannelRef::Value(_)), Feature::ChannelValue);
                }
                Sync::Receive(r) => {
                    set.note(r.any, Feature::AnyReceive);
                    set.note(r.keep, Feature::KeepReceive);
                    set.note(r.pattern.iter().any(|p| matches!(p, Pattern::Match(_))), Feature::Match);
                    set.note(matches!(r.channel, ChannelRef::Value(_)), Feature::ChannelValue);
                }
            }
        }
    }
    for property in &network.properties {
        let (clock, nested) = clocks_in(property);
        set.note(clock, Feature::ClockTarget);
        set.note(nested, Feature::NestedClockTarget);
    }
    for function in &network.functions {
        let effect = crate::rewrite::writes_globals(&function.body);
        set.note(effect, Feature::EffectFunction);
        set.note(!effect, Feature::PureFunction);
    }
    set
}

/// Whether a property has clock constraints, and whether some stand under a condition or a quantifier.
fn clocks_in(property: &Property) -> (bool, bool) {
    #[derive(Default)]
    struct Clocks(bool);
    impl Visitor for Clocks {
        fn atom(&mut self, _: &mut ClockAtom) {
            self.0 = true;
        }
    }
    #[derive(Default)]
    struct Nested(bool);
    impl Visitor for Nested {
        fn expr(&mut self, expr: &mut Expr) {
            if matches!(expr, Expr::If(..) | Expr::Quantified(..)) {
                let mut inside = Clocks::default();
                walk::expr(expr, &mut inside);
                self.0 |= inside.0;
            }
        }
    }
    let (mut any, mut nested) = (Clocks::default(), Nested::default());
    if matches!(property.kind, PropertyKind::Always(_) | PropertyKind::Exists(_)) {
        walk::property(&mut property.clone(), &mut any);
        walk::property(&mut property.clone(), &mut nested);
    }
    (any.0, nested.0)
}

struct Finder(FeatureSet);

impl Visitor for Finder {
    fn expr(&mut self, expr: &mut Expr) {
        let set = &mut self.0;
        match expr {
            Expr::Quantified(..) => set.insert(Feature::Quantifier),
            Expr::Binary(BinaryOp::Shl | BinaryOp::Shr, ..) => set.insert(Feature::Shift),
            Expr::Unary(UnaryOp::BitNot, _) => set.insert(Feature::Complement),
            Expr::LocalElem(..) => set.insert(Feature::LocalArray),
            Expr::Channel(_) => set.insert(Feature::ChannelValue),
            Expr::Enabled(..) => set.insert(Feature::Else),
            Expr::Timeout => set.insert(Feature::Timeout),
            Expr::Deadlock => set.insert(Feature::Deadlock),
            Expr::Length(_) | Expr::Capacity(_) | Expr::Poll(_) => set.insert(Feature::QueueExpression),
            _ => {}
        }
    }
    fn atom(&mut self, atom: &mut ClockAtom) {
        self.0.note(matches!(atom.op, ClockOp::Lt | ClockOp::Gt), Feature::StrictBound);
        self.0.note(atom.right.is_some(), Feature::Diagonal);
        self.0.note(atom.when.is_some(), Feature::ConditionalAtom);
        self.0.note(!matches!(atom.bound, Expr::Const(_)), Feature::VariableBound);
    }
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            match stmt {
                Stmt::ClockSet(_, e) if *e != Expr::Const(0) => self.0.insert(Feature::ClockValue),
                Stmt::ClockCopy(..) => self.0.insert(Feature::ClockCopy),
                Stmt::If(..) | Stmt::While(..) => self.0.insert(Feature::ControlFlow),
                Stmt::Send(_) | Stmt::Receive(_) => self.0.insert(Feature::Composite),
                Stmt::Exit => self.0.insert(Feature::Exit),
                Stmt::Assert(..) => self.0.insert(Feature::Assert),
                _ => {}
            }
        }
    }
    fn target(&mut self, target: &mut Target) {
        self.0.note(target.store == Store::Wrapping, Feature::WrappingStore);
        self.0.note(matches!(target.place, Place::LocalElem(..)), Feature::LocalArray);
    }
}
