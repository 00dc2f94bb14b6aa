//! Trails as Spin writes and reads them: a line `step:process:element` for every element that is executed, by the
//! numbers that Spin gives to elements ([`crate::elements`]). A rendezvous is two lines, first that of the sender; a
//! jump that ends an atomic sequence is a line of its own; so is the end of a process.
//!
//! In a trail of a violated claim, the claim is process 0, which moves before the others, and their numbers are one more;
//! a line before the first says which claim it is. That of a violated formula shows what the model does, without the steps
//! of the claim that Spin makes of it: `pan -r` replays it if it was compiled with `-DNOCLAIM`.

use std::fmt;

use beeline_ir::layout::{Label, Layout};
use beeline_ir::network::Network;
use beeline_ir::origin::Origin;
use beeline_ir::{EdgeId, ProcessId};

use super::number;

/// One line.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TrailLine {
    /// The number of the process.
    pub process: i64,
    /// The number of the element.
    pub element: i64,
}

/// A trail of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Trail {
    /// Its lines.
    pub lines: Vec<TrailLine>,
    /// Whether the last line is a statement that fails.
    pub fails: bool,
    /// The number of the claim among all process types, if there is one.
    pub claim: Option<i64>,
}

impl Trail {
    /// The trail of labels, each with the state it is executed in. If the last one `fails`, nothing comes after it. A
    /// `claim` comes with its first step.
    pub fn new<'r>(
        network: &Network,
        steps: impl Iterator<Item = (&'r Label, &'r [i64])>,
        fails: bool,
        claim: Option<(ProcessId, Option<EdgeId>)>,
    ) -> Self {
        let layout = Layout::of_network(network);
        let numbers = |origin: &Option<Origin>| origin.as_ref().map_or(Vec::new(), |o| o.native.clone());
        // What watches for a formula is no claim of the file, and has no number.
        let claim = claim.filter(|(id, _)| !numbers(&network.processes[*id].origin).is_empty());
        let watch = |edge: Option<EdgeId>, lines: &mut Vec<TrailLine>| {
            let Some(((claim, _), edge)) = claim.zip(edge) else { return };
            let edge = &network.processes[claim].edges[edge];
            lines.extend(numbers(&edge.origin).into_iter().map(|element| TrailLine { process: 0, element }));
        };
        let shift = i64::from(claim.is_some());
        let mut lines = Vec::new();
        watch(claim.and_then(|(_, start)| start), &mut lines);
        let mut steps = steps.peekable();
        while let Some((label, before)) = steps.next() {
            let mut jumps = Vec::new();
            for part in &label.parts {
                let edge = &network.processes[part.process].edges[part.edge];
                let numbers = numbers(&edge.origin);
                let process = number(&layout, part.process, before).unwrap_or(0) + shift;
                let line = |element: &i64| TrailLine { process, element: *element };
                let Some((first, rest)) = numbers.split_first() else { continue };
                lines.push(line(first));
                jumps.extend(rest.iter().map(line));
            }
            if !(fails && steps.peek().is_none()) {
                lines.append(&mut jumps);
            }
            watch(label.observer, &mut lines);
        }
        let claim = claim.and_then(|(id, _)| numbers(&network.processes[id].origin).first().copied());
        Self { lines, fails, claim }
    }

    /// The depth that Spin's verifier tells: a statement that fails does not count.
    pub fn depth(&self) -> usize {
        self.lines.len() - usize::from(self.fails && !self.lines.is_empty())
    }
}

impl fmt::Display for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(claim) = self.claim {
            writeln!(f, "-2:{claim}:-2")?;
        }
        for (i, line) in self.lines.iter().enumerate() {
            writeln!(f, "{}:{}:{}", i + 1, line.process, line.element)?;
        }
        Ok(())
    }
}
