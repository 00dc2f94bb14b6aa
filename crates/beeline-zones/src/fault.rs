//! Seeded bugs: the mutation test of the test harness.
//!
//! A fuzzer that never finds anything may be a fuzzer that cannot. Each [`Fault`] is a plausible mistake that
//! the code makes on purpose while it is injected; a harness is trusted when it notices every one of them.
//! Faults exist only in builds with debug assertions: elsewhere [`active`] is `false` at compile time and
//! costs nothing.
//!
//! Injection is per thread, so that tests may run side by side.

use std::cell::Cell;

macro_rules! faults {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// A mistake that can be switched on.
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Fault { $($(#[doc = $doc])+ $variant,)+ }

        impl Fault {
            /// Every fault, those of this crate first.
            pub const ALL: &'static [Fault] = &[$(Fault::$variant,)+];

            /// The name used on command lines and in reports.
            pub const fn name(self) -> &'static str {
                match self { $(Fault::$variant => $name,)+ }
            }
        }
    };
}

faults! {
    /// Reset writes only the entries against the reference clock and leaves the other differences as they
    /// were.
    ResetOnlyReferenceRow = "reset-only-reference-row",
    /// The matrix is not brought back to canonical form after extrapolation.
    ExtrapolationNotClosed = "extrapolation-not-closed",
    /// An upper bound `x < c` is taken for `x <= c`.
    LessAsLessEqual = "less-as-less-equal",
    /// A lower bound `x >= c` is taken for `x > c`.
    GreaterEqualAsGreater = "greater-equal-as-greater",
    /// Inclusion of zones answers for the opposite direction.
    InclusionReversed = "inclusion-reversed",
    /// Closing after one new constraint forgets the row of the last clock.
    IncrementalCloseSkipsRow = "incremental-close-skips-row",
    /// Extrapolation relaxes a large lower bound to `x >= M` instead of `x > M`.
    ExtrapolationLowerBoundNonStrict = "extrapolation-lower-bound-non-strict",
    /// Subtraction of zones loses its last piece.
    SubtractDropsPiece = "subtract-drops-piece",

    /// The passed list compares locations and zones but not the discrete variables (engine).
    StoreKeyOmitsVariables = "store-key-omits-variables",
    /// Of states that are represented by others by symmetry, the zones stay as they are (engine).
    SymmetryZoneKept = "symmetry-zone-kept",
    /// Names of processes in variables are not exchanged with the processes (engine).
    SymmetryValuesKept = "symmetry-values-kept",
    /// Processes are exchanged that the property tells apart (engine).
    SymmetryGoalIgnored = "symmetry-goal-ignored",
    /// Time does not pass after a discrete step (engine).
    NoDelayAfterJump = "no-delay-after-jump",
    /// The invariant is not applied after time has passed (engine).
    NoInvariantAfterDelay = "no-invariant-after-delay",
    /// Clock bounds for extrapolation are too small by one (engine).
    BoundsOffByOne = "bounds-off-by-one",
    /// Lower and upper clock bounds change places (engine).
    LowerUpperSwapped = "lower-upper-swapped",
    /// Constants of invariants are not counted among the clock bounds (engine).
    InvariantsLeftOutOfBounds = "invariants-left-out-of-bounds",
    /// Clock resets on the receiving edge of a synchronisation are not carried out (engine).
    ReceiverResetsDropped = "receiver-resets-dropped",
    /// A value out of its range wraps round instead of being an error (engine).
    WrapInsteadOfRangeError = "wrap-instead-of-range-error",
    /// Channel and process priorities have no effect (engine).
    PriorityIgnored = "priority-ignored",
    /// Committed locations have no effect (engine).
    CommittedIgnored = "committed-ignored",
    /// An enabled receiver of a broadcast may stay behind (engine).
    BroadcastReceiverOptional = "broadcast-receiver-optional",
    /// Urgent locations and channels do not stop time (engine).
    UrgentIgnored = "urgent-ignored",
    /// A clock counts as inactive although it is still tested before its next reset (engine).
    ActiveClockWrong = "active-clock-wrong",
    /// What a process can do is remembered without the first message of the buffers it receives from (engine).
    FirstMessageForgotten = "first-message-forgotten",
    /// Variables that guards read count as dead (engine).
    GuardsDoNotRead = "guards-do-not-read",
    /// Levels written to certificates are too high by one (engine).
    LevelOffByOne = "level-off-by-one",
    /// A state covers another even if it takes more steps to reach (directed searches).
    GTestForgotten = "g-test-forgotten",
    /// The first way found to a state counts, even if a later one is shorter (directed searches).
    FirstTimeG = "first-time-g",
    /// Factors count as safe that would have to move while somebody is at a committed location (abstraction).
    SafeUnderCommitted = "safe-under-committed",
    /// An edge is tried only on the values that come up before it is first looked at (reduction).
    FirstLookOnly = "first-look-only",
    /// What removed automata do to kept clocks is left out (projection).
    ResetsOfRemovedDropped = "resets-of-removed-dropped",
    /// States are pruned where a heuristic says infinity without knowing (directed searches).
    InfinityTrusted = "infinity-trusted",
    /// Zone pattern databases are looked up by plain inclusion, although zones are extrapolated across clocks
    /// (heuristics).
    LookUpByInclusion = "look-up-by-inclusion",
    /// What guards read does not count when labels are looked at for whether they interfere (partial order).
    GuardReadsForgotten = "guard-reads-forgotten",
    /// Stubborn sets begin anywhere instead of with who brings the goal about (partial order).
    GoalSeedForgotten = "goal-seed-forgotten",
    /// Labels that have to do with clocks count as independent of each other (partial order).
    ResetsCommute = "resets-commute",
    /// When an abstract state is split, what led back to it leads from the old half to the new one, never the other way
    /// (heuristics).
    CartesianLoopForgotten = "cartesian-loop-forgotten",
    /// Abstract transitions leave clocks as they are that their labels set (heuristics).
    CartesianResetForgotten = "cartesian-reset-forgotten",
    /// No time passes between labels when regions are looked back from (predicate abstraction).
    RegressionWithoutTime = "regression-without-time",
    /// A label counts in every part, although the sum is to be a lower bound (predicate abstraction).
    SplitCountsTwice = "split-counts-twice",
    /// Ample sets take in atomic sequences that others may have to wait for without end (partial order).
    AtomicPutsOff = "atomic-puts-off",
    /// Whoever holds the token and has labels that lead nowhere is thought to let others go on (partial
    /// order).
    StuckWithToken = "stuck-with-token",
    /// A process that ends before its time is thought to wait, although the failure is what is looked for (partial
    /// order).
    EndsOnlyWait = "ends-only-wait",
    /// What a receiver accesses is told by an index that the sender changes in the same step (partial order).
    IndexBeforeStep = "index-before-step",
    /// Processes are taken for interchangeable although operands about them are evaluated in order, and one fails
    /// (symmetry).
    OrderOfOperands = "order-of-operands",
}

impl Fault {
    /// The fault of that name.
    pub fn from_name(name: &str) -> Option<Fault> {
        Fault::ALL.iter().copied().find(|fault| fault.name() == name)
    }
}

thread_local! {
    static INJECTED: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Switches a fault on for this thread, in place of any other, or all faults off.
pub fn inject(fault: Option<Fault>) {
    INJECTED.set(fault);
}

/// The fault that is switched on in this thread, for handing it to another.
pub fn injected() -> Option<Fault> {
    INJECTED.get()
}

/// Whether the fault is switched on; constant `false` without debug assertions.
#[inline]
pub fn active(fault: Fault) -> bool {
    cfg!(debug_assertions) && INJECTED.get() == Some(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_read_back() {
        for (i, &fault) in Fault::ALL.iter().enumerate() {
            assert_eq!(Fault::from_name(fault.name()), Some(fault));
            assert!(Fault::ALL[..i].iter().all(|other| other.name() != fault.name()));
        }
        assert_eq!(Fault::from_name("no-such-fault"), None);
    }

    #[test]
    fn injection_is_per_thread() {
        inject(Some(Fault::LevelOffByOne));
        assert_eq!(active(Fault::LevelOffByOne), cfg!(debug_assertions));
        assert!(!active(Fault::UrgentIgnored));
        assert!(!std::thread::spawn(|| active(Fault::LevelOffByOne)).join().unwrap());
        inject(None);
        assert!(!active(Fault::LevelOffByOne));
    }
}
