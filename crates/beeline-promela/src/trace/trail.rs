//! Trails as Spin writes and reads them: a line `step:process:element` for every element that is executed, by the
//! numbers that Spin gives to elements ([`crate::elements`]). A rendezvous is two lines, first that of the sender; a
//! jump that ends an atomic sequence is a line of its own; so is the end of a process.
//!
//! A trail of a violated formula or claim shows what the model does, without the steps of the claim: numbers of
//! processes are their own, and `pan -r` replays it if it was compiled with `-DNOCLAIM`.

use std::fmt;

use beeline_ir::layout::{Label, Layout};
use beeline_ir::network::Network;

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
}

impl Trail {
    /// The trail of labels, each with the state it is executed in. If the last one `fails`, nothing comes after it.
    pub fn new<'r>(
        network: &Network,
        steps: impl Iterator<Item = (&'r Label, &'r [i64])>,
        fails: bool,
    ) -> Self {
        let layout = Layout::of_network(network);
        let mut lines = Vec::new();
        let mut steps = steps.peekable();
        while let Some((label, before)) = steps.next() {
            let mut jumps = Vec::new();
            for part in &label.parts {
                let edge = &network.processes[part.process].edges[part.edge];
                let numbers = edge.origin.as_ref().map_or(&[][..], |origin| &origin.native);
                let process = number(&layout, part.process, before).unwrap_or(0);
                let line = |element: &i64| TrailLine { process, element: *element };
                let Some((first, rest)) = numbers.split_first() else { continue };
                lines.push(line(first));
                jumps.extend(rest.iter().map(line));
            }
            if !(fails && steps.peek().is_none()) {
                lines.append(&mut jumps);
            }
        }
        Self { lines, fails }
    }

    /// The depth that Spin's verifier tells: a statement that fails does not count.
    pub fn depth(&self) -> usize {
        self.lines.len() - usize::from(self.fails && !self.lines.is_empty())
    }
}

impl fmt::Display for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, line) in self.lines.iter().enumerate() {
            writeln!(f, "{}:{}:{}", i + 1, line.process, line.element)?;
        }
        Ok(())
    }
}
