//! Edges worked out for each choice of their select variables, as far as that goes without a state: which cheap tests
//! the guard begins with, and, where these are all of it, the channel element and the clock constraints. The routines
//! stay what everything else looks at; a choice says the same, faster.

use crate::edge::{ConcreteAtom, first_selects, next_selects};
use crate::intervals;
use crate::program::{Atom, Program};
use crate::rewrite::{rewrite, rewrite_channel, size};
use crate::shortcut::{self, Test};
use beeline_ir::expr::{ChannelRef, ClockAtom, Expr};
use beeline_ir::network::{Edge, Network, Sync};
use beeline_ir::stmt::{Local, Stmt};
use beeline_ir::{ChannelId, EdgeId, IdVec, ProcessId};

/// Choices of one edge beyond which they are not worth listing.
const MOST_OF_EDGE: u128 = 64;
/// Choices of all edges beyond which they are not worth listing.
const MOST: usize = 1 << 16;

/// An edge with values for its select variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The values.
    pub selects: Box<[i64]>,
    /// What the guard begins with: if one of these does not hold, neither does the guard.
    pub tests: Box<[Test]>,
    /// What the evaluation of the edge yields where all tests hold, if that is known.
    pub yields: Option<Yield>,
}

/// What the evaluation of an edge yields: no message, no required values, and these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Yield {
    /// The channel element, if it synchronises.
    pub element: Option<usize>,
    /// The clock constraints.
    pub atoms: Box<[ConcreteAtom]>,
}

/// Makes the choices of edges.
#[derive(Debug)]
pub struct Chooser<'a> {
    network: &'a Network,
    program: &'a Program,
    /// The first element of each channel.
    first: IdVec<ChannelId, usize>,
    left: usize,
}

impl<'a> Chooser<'a> {
    /// For a program and the network it was compiled from.
    pub fn new(network: &'a Network, program: &'a Program) -> Self {
        let mut next = 0;
        let first = |channel: &beeline_ir::network::Channel| {
            next += channel.elements();
            next - channel.elements()
        };
        Self { first: network.channels.iter().map(first).collect(), network, program, left: MOST }
    }

    /// The choices of an edge that are not ruled out from the start; `None` if there are too many.
    pub fn choices(&mut self, process: ProcessId, edge: EdgeId) -> Option<Vec<Choice>> {
        let edge = &self.network.processes[process].edges[edge];
        let ranges: Vec<_> = edge.frame.iter().take(edge.selects).map(|local| local.range).collect();
        let number: u128 = ranges.iter().map(|range| range.size()).product();
        if number > MOST_OF_EDGE || number as usize > self.left {
            return None;
        }
        self.left -= number as usize;
        let mut choices = Vec::new();
        let mut selects = Vec::new();
        let mut more = first_selects(&ranges, &mut selects);
        while more {
            choices.extend(self.choice(edge, &selects));
            more = next_selects(&ranges, &mut selects);
        }
        Some(choices)
    }

    /// `None` if the guard is never true.
    fn choice(&self, edge: &Edge, selects: &[i64]) -> Option<Choice> {
        let chosen = &mut |part: &Expr| match part {
            Expr::Local(local) => selects.get(local.index()).map(|value| Expr::Const(*value)),
            _ => None,
        };
        let guard = self.inlined(&rewrite(&edge.guard, chosen));
        let (tests, all) = shortcut::tests(self.network, &self.program.layout, &guard)?;
        let element = match &edge.sync {
            Sync::Internal => Some(None),
            Sync::Send(send) if send.message.is_empty() => {
                self.element(&rewrite_channel(&send.channel, chosen)).map(Some)
            }
            Sync::Receive(receive) if receive.pattern.is_empty() => {
                self.element(&rewrite_channel(&receive.channel, chosen)).map(Some)
            }
            Sync::Send(_) | Sync::Receive(_) => None,
        };
        let concrete = |atom: &ClockAtom| {
            let Expr::Const(bound) = rewrite(&atom.bound, chosen) else { return None };
            let fits = atom.when.is_none() && (-Atom::LIMIT..=Atom::LIMIT).contains(&bound);
            fits.then_some(ConcreteAtom { left: atom.left, right: atom.right, op: atom.op, bound })
        };
        let atoms: Option<Box<[_]>> = edge.clock_guard.iter().map(concrete).collect();
        let yields = match (all, element, atoms) {
            (true, Some(element), Some(atoms)) => Some(Yield { element, atoms }),
            _ => None,
        };
        Some(Choice { selects: selects.into(), tests: tests.into(), yields })
    }

    /// Calls of functions that do nothing but compute a value from constants and the state are replaced by what they
    /// compute.
    fn inlined(&self, e: &Expr) -> Expr {
        rewrite(e, &mut |part| {
            let Expr::Call(function, args) = part else { return None };
            let function = &self.network.functions[*function];
            let [Stmt::Return(Some(body))] = function.body.as_slice() else { return None };
            let constant = |(arg, local): (&Expr, &Local)| match arg {
                Expr::Const(value) if local.range.contains(*value) => Some(*value),
                _ => None,
            };
            let args: Vec<i64> = args.iter().zip(&function.frame).map(constant).collect::<Option<_>>()?;
            let value = intervals::of(self.network, &function.frame, body);
            let fits = function.result.is_some_and(|r| r.contains(value.lo) && r.contains(value.hi));
            let given = &mut |part: &Expr| match part {
                Expr::Local(local) => args.get(local.index()).map(|value| Expr::Const(*value)),
                _ => None,
            };
            // Anything larger is left to the routines, which count how long it takes.
            let small = function.frame.len() == function.params && size(body) <= 32;
            (fits && small).then(|| rewrite(body, given))
        })
    }

    /// The element a channel reference names, if it is a channel without fields and the index is a constant.
    fn element(&self, channel: &ChannelRef) -> Option<usize> {
        let ChannelRef::Element(id, index) = channel else { return None };
        let declared = &self.network.channels[*id];
        let index = match index.as_deref() {
            None => 0,
            Some(Expr::Const(index)) => usize::try_from(*index).ok()?,
            Some(_) => return None,
        };
        (index < declared.elements() && declared.fields.is_empty()).then(|| self.first[*id] + index)
    }
}
