//! Small models, and a few words to speak about their runs in.
#![allow(dead_code)] // every test file uses some of it

use beeline_check::{Firing, Kernel, State};
use beeline_ir::layout::{Label, SlotKind};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::trace::Time;
use beeline_ir::{ClockId, Model};

/// Reads a model.
pub fn model(text: &str) -> Model {
    match text::read(text, ReadOptions { file: "test", record_places: false }) {
        Ok(model) => model,
        Err(diagnostics) => panic!("{diagnostics:#?}"),
    }
}

/// Reads a property of a model.
pub fn property(model: &Model, text: &str) -> Property {
    match text::read_property(model, text) {
        Ok(property) => property,
        Err(diagnostics) => panic!("{diagnostics:#?}"),
    }
}

/// The network of a model.
pub fn network(model: &Model) -> &Network {
    match model {
        Model::Network(network) => network,
        Model::Relation(_) => panic!("not a network"),
    }
}

/// A label in words: `P#0`, `P#0+Q#1`, with select values `P#0[3]`, with the observer's edge `P#0/2`.
pub fn words(network: &Network, label: &Label) -> String {
    let part = |part: &beeline_ir::layout::Part| {
        let selects = if part.selects.is_empty() { String::new() } else { format!("{:?}", part.selects) };
        format!("{}#{}{selects}", network.processes[part.process].name, part.edge.index())
    };
    let parts: Vec<String> = label.parts.iter().map(part).collect();
    let observer = label.observer.map_or(String::new(), |edge| format!("/{}", edge.index()));
    parts.join("+") + &observer
}

/// A network that runs.
pub struct Run<'m> {
    pub network: &'m Network,
    pub kernel: Kernel<'m>,
    pub state: State,
}

impl<'m> Run<'m> {
    /// In its initial state.
    pub fn new(model: &'m Model) -> Self {
        let network = network(model);
        let kernel = Kernel::new(network, None);
        let state = kernel.initial().swap_remove(0).0;
        Self { network, kernel, state }
    }
    /// The labels here: with `!` and the message if they fail, with `-` if they have no successor.
    pub fn labels(&self) -> Vec<String> {
        let words = |(label, firing): &(Label, Firing)| {
            let label = words(self.network, label);
            match firing {
                Firing::Successor { assertion_failed: false, .. } => label,
                Firing::Successor { assertion_failed: true, .. } => label + "?",
                Firing::NoSuccessor => label + "-",
                Firing::Fails(error) => format!("{label}!{}", error.message()),
            }
        };
        self.kernel.labels(&self.state).iter().map(words).collect()
    }
    /// Takes the label.
    pub fn take(&mut self, wanted: &str) -> &mut Self {
        for (label, firing) in self.kernel.labels(&self.state) {
            if words(self.network, &label) == wanted
                && let Firing::Successor { state, .. } = firing
            {
                self.state = state;
                return self;
            }
        }
        panic!("no {wanted} among {:?}", self.labels());
    }
    /// Waits.
    pub fn wait(&mut self, numerator: i64, denominator: i64) -> &mut Self {
        let delay = Time::new(numerator, denominator);
        assert!(self.kernel.may_delay(&self.state, delay), "no delay of {delay}");
        self.state = self.kernel.delayed(&self.state, delay);
        self
    }
    /// Whether a delay is allowed.
    pub fn may_wait(&self, numerator: i64, denominator: i64) -> bool {
        self.kernel.may_delay(&self.state, Time::new(numerator, denominator))
    }
    /// The value of a variable's first cell.
    pub fn var(&self, name: &str) -> i64 {
        self.cells(name)[0]
    }
    /// The values of a variable's cells.
    pub fn cells(&self, name: &str) -> Vec<i64> {
        let layout = self.kernel.layout();
        let named = |kind: SlotKind| match kind {
            SlotKind::Cell(var, _) => self.network.var_name(var) == name,
            _ => false,
        };
        let slots = layout.slots.iter().zip(&self.state.slots);
        slots.filter(|(slot, _)| named(slot.kind)).map(|(_, value)| *value).collect()
    }
    /// The value of a clock.
    pub fn clock(&self, index: usize) -> Time {
        self.state.clocks[ClockId::new(index).index()]
    }
    /// Whether an expression is true here.
    pub fn is(&self, expr: &str) -> bool {
        let model = Model::Network(self.network.clone());
        self.kernel.holds(&property(&model, &format!("E<> {expr}")), &self.state)
    }
}

/// The label that the only edge of a process, which does this, gives: see [`Run::labels`].
pub fn outcome_of(declarations: &str, edge: &str) -> String {
    let text = format!(
        "network n\n{declarations}\nprocess P {{ init a location a location b edge a -> b {{ {edge} }} }}\n"
    );
    let model = model(&text);
    Run::new(&model).labels().join(" ")
}
