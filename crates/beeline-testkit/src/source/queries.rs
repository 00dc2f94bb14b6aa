//! Queries: one per property.

use super::Printer;
use super::expr::Level;
use beeline_ir::property::PropertyKind;

impl Printer<'_> {
    pub(super) fn queries(&mut self) -> Vec<String> {
        let network = self.network;
        self.in_query = true;
        for id in network.vars.ids() {
            if let Some(owner) = self.private_var(id) {
                self.names.vars[id.index()] =
                    format!("{}.{}", self.names.processes[owner.index()], network.vars[id].name);
            }
        }
        for id in network.clocks.ids() {
            if let Some(owner) = self.private_clock(id) {
                self.names.clocks[id.index()] =
                    format!("{}.{}", self.names.processes[owner.index()], network.clocks[id].name);
            }
        }
        let mut queries = Vec::new();
        for property in &network.properties {
            self.frame = property.frame.iter().map(|l| l.name.clone()).collect();
            let (path, e) = match &property.kind {
                PropertyKind::Always(e) => ("A[]", e),
                PropertyKind::Exists(e) => ("E<>", e),
                // The others are not asked of UPPAAL's models.
                _ => continue,
            };
            queries.push(format!("{path} {}", self.truth(e, Level::Quantifier)));
        }
        queries
    }
}
