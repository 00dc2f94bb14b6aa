//! Programs of programmable logic controllers (PLCs), as automata.
//!
//! A *component* is a table: for each of its modes and each combination of what it sees there, what it does. A PLC
//! goes round in a cycle of bounded duration: it polls its inputs, runs its components one after the other, and
//! makes their outputs known. The idea: H. Dierks, PLC-automata: a new class of implementable real-time automata,
//! 2001.
//!
//! An input may be *hidden*: nobody knows its value, so that the component may do what it would do for any value.
//! Who hides an input makes more possible, never less: what holds with hidden inputs holds without, and no trace
//! gets longer.

use std::fmt::Write;

/// A component: modes, of which it starts in the first one, and what it reads and writes.
#[derive(Clone, Debug)]
pub struct Component {
    /// The name of its automaton.
    pub name: &'static str,
    /// Its modes.
    pub modes: &'static [Mode],
    /// What it reads, by the numbers that modes use.
    pub inputs: Vec<Input>,
    /// What it writes, by the numbers that modes use; what modes write beyond these is not there, and not written.
    pub outputs: &'static [Output],
}

/// What a component does in one of its modes.
#[derive(Debug)]
pub struct Mode {
    /// The name of its location.
    pub name: &'static str,
    /// The inputs that are looked at.
    pub sees: &'static [usize],
    /// The value that an output has in this mode.
    pub shows: Option<(usize, u32)>,
    /// What is done when the inputs that are looked at have these values.
    pub step: fn(&[u32]) -> Step,
}

/// What is done in one cycle.
#[derive(Copy, Clone, Debug)]
pub enum Step {
    /// Nothing.
    Stay,
    /// This.
    Do(Effect),
    /// Nothing as long as the mode has not lasted for this time (a constant of the model), and then this.
    After(&'static str, Effect),
}

/// A change of mode, and perhaps of outputs.
#[derive(Copy, Clone, Debug)]
pub struct Effect {
    to: usize,
    sets: &'static [(usize, u32)],
}

/// Go to a mode.
pub fn go(to: usize) -> Effect {
    Effect { to, sets: &[] }
}

/// Give outputs values, and go to a mode.
pub fn set(sets: &'static [(usize, u32)], to: usize) -> Effect {
    Effect { to, sets }
}

/// Something that a component reads: a number from 0 to `most`.
#[derive(Clone, Debug)]
pub struct Input {
    /// The greatest value.
    pub most: u32,
    /// Where it comes from.
    pub from: Source,
}

impl Input {
    /// An input that there is not: it is always 0.
    pub const ABSENT: Self = Self { most: 0, from: Source::Hidden };
}

/// Where an input comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// From a variable, by a copy that is made at the beginning of the cycle.
    Polled(&'static str),
    /// From an output of a component that runs earlier in the same cycle, as it is by then.
    Earlier(&'static str),
    /// From nowhere: hidden.
    Hidden,
}

/// Something that a component writes: a number from 0 to `most`.
#[derive(Debug)]
pub struct Output {
    /// The variable.
    pub name: &'static str,
    /// The greatest value.
    pub most: u32,
    /// The value after the start.
    pub first: u32,
}

/// A PLC that runs several components.
#[derive(Debug)]
pub struct Plc {
    /// The name of its automaton.
    pub name: &'static str,
    /// The constant of the model that bounds its cycle.
    pub cycle: &'static str,
    /// What it runs, in this order.
    pub components: Vec<Component>,
}

/// Something outside of all PLCs that changes as it likes: a number from 0 to `most`.
#[derive(Copy, Clone, Debug)]
pub struct Driven {
    /// The variable.
    pub name: &'static str,
    /// The name of the automaton that changes it.
    pub driver: &'static str,
    /// The greatest value.
    pub most: u32,
    /// When it changes, if not at any time: a guard.
    pub when: Option<&'static str>,
}

/// A model that grows: declarations, automata, and their names.
#[derive(Default, Debug)]
pub struct System {
    declarations: String,
    automata: String,
    names: Vec<String>,
}

impl System {
    /// A variable that an automaton of its own changes.
    pub fn drive(&mut self, driven: Driven) {
        let Driven { name, driver, most, when } = driven;
        self.variable(name, most);
        let mut edges = Vec::new();
        for (from, to) in (0..=most).flat_map(|from| (0..=most).map(move |to| (from, to))) {
            if from != to {
                let guards: Vec<String> =
                    [is(name, from)].into_iter().chain(when.map(String::from)).collect();
                edges.push(edge("Any", "Any", &guards, "", &[assign(name, to)]));
            }
        }
        self.automaton(driver, &["Any".into()], &[], "Any", &edges);
    }

    /// A PLC and its components, which it calls twice in each cycle: to compute, and to change their modes.
    pub fn plc(&mut self, plc: &Plc) {
        let Plc { name, cycle, components } = plc;
        let time = format!("{name}_time");
        let _ = writeln!(self.declarations, "clock {time};");
        for component in components {
            self.called(component);
        }
        let outputs = || components.iter().flat_map(|component| component.outputs);
        let mut start: Vec<String> = outputs().map(|o| assign(o.name, o.first)).collect();
        start.extend(outputs().map(|o| assign(&new(o.name), o.first)));
        start.extend(components.iter().map(|component| assign(&component.next(), 0)));
        let poll: Vec<String> = components.iter().flat_map(Component::copies).collect();
        let mut publish: Vec<String> = outputs().map(|o| assign(o.name, new(o.name))).collect();
        publish.push(assign(&time, 0));

        let running =
            |what: &str| components.iter().map(|c| format!("{what}_{}", c.name)).collect::<Vec<_>>();
        let (compute, change) = (running("compute"), running("change"));
        let within = |place: &String| format!("{place} {{ {time} <= {cycle} }}");
        let at_once = |place: &String| format!("{place} {{ {time} <= 0 }}");
        let mut places = vec![at_once(&"start".into())];
        places.extend(["poll", "test", "publish"].map(|place| within(&place.to_string())));
        places.extend(compute.iter().map(within));
        places.extend(change.iter().map(at_once));

        let mut edges = vec![edge("start", "poll", &[], "", &start)];
        edges.push(edge("poll", "test", &[format!("{time} > 0")], "", &poll));
        edges.push(edge("test", &compute[0], &[], "", &[]));
        edges.extend(calls(components, &compute, "publish"));
        edges.push(edge("publish", &change[0], &[], "", &publish));
        edges.extend(calls(components, &change, "poll"));
        self.automaton(name, &places, &[compute, change].concat(), "start", &edges);
    }

    /// The automaton of a component that a PLC calls.
    fn called(&mut self, component: &Component) {
        let Component { name, modes, outputs, .. } = component;
        let (next, timer, call) = (component.next(), component.timer(), format!("{}!", component.call()));
        let _ = writeln!(self.declarations, "chan {};", component.call());
        self.variable(&next, modes.len() as u32);
        self.declare(component);
        for output in *outputs {
            self.variable(&new(output.name), output.most);
        }
        let mut edges = Vec::new();
        for (number, mode) in modes.iter().enumerate() {
            for (guards, _, effect) in component.cases(number) {
                let guards = [vec![is(&next, 0)], guards].concat();
                let sets = effect.sets.iter();
                let mut updates: Vec<String> =
                    sets.filter_map(|(o, value)| Some(assign(&new(outputs.get(*o)?.name), value))).collect();
                updates.push(assign(&next, effect.to + 1));
                once(&mut edges, edge(mode.name, mode.name, &guards, &call, &updates));
            }
            for (target, to) in modes.iter().enumerate() {
                let mut updates = vec![assign(&next, 0)];
                let waits_on = target == number && component.waits(number);
                updates.extend(timer.iter().filter(|_| !waits_on).map(|timer| assign(timer, 0)));
                edges.push(edge(mode.name, to.name, &[is(&next, target + 1)], &call, &updates));
            }
        }
        self.automaton(name, &component.places(), &[], modes[0].name, &edges);
    }

    /// A component that is a PLC of its own: it polls, then acts or waits, in a cycle that this constant bounds.
    /// What it writes is known at once.
    pub fn alone(&mut self, component: &Component, cycle: &str) {
        let Component { name, modes, outputs, .. } = component;
        let (phase, time) = (format!("{name}_phase"), format!("{name}_time"));
        let _ = writeln!(self.declarations, "clock {time};");
        self.variable(&phase, 2);
        self.declare(component);
        let again = [assign(&phase, 0), assign(&time, 0)];
        let mut start: Vec<String> = outputs.iter().map(|o| assign(o.name, o.first)).collect();
        start.push(assign(&phase, 0));
        let mut edges = vec![edge("start", modes[0].name, &[], "", &start)];
        for (number, mode) in modes.iter().enumerate() {
            let poll = [component.copies(), vec![assign(&phase, 1)]].concat();
            edges.push(edge(mode.name, mode.name, &[is(&phase, 0), format!("{time} > 0")], "", &poll));
            edges.push(edge(mode.name, mode.name, &[is(&phase, 2)], "", &again));
            for (guards, early, Effect { to, sets }) in component.cases(number) {
                let guards = [vec![is(&phase, 1)], guards].concat();
                let mut updates: Vec<String> =
                    sets.iter().filter_map(|(o, value)| Some(assign(outputs.get(*o)?.name, value))).collect();
                if early {
                    updates.push(assign(&phase, 2));
                } else {
                    updates.extend_from_slice(&again);
                    updates.extend(component.timer().filter(|_| to != number).map(|timer| assign(&timer, 0)));
                }
                once(&mut edges, edge(mode.name, modes[to].name, &guards, "", &updates));
            }
        }
        let within = component.places().into_iter().map(|place| format!("{place} {{ {time} <= {cycle} }}"));
        let places: Vec<String> = [format!("start {{ {time} <= 0 }}")].into_iter().chain(within).collect();
        self.automaton(name, &places, &[], "start", &edges);
    }

    /// What every component has: a timer, copies of its inputs, outputs.
    fn declare(&mut self, component: &Component) {
        if let Some(timer) = component.timer() {
            let _ = writeln!(self.declarations, "clock {timer};");
        }
        for input in &component.inputs {
            if let Source::Polled(source) = input.from {
                self.variable(&component.copy(source), input.most);
            }
        }
        for output in component.outputs {
            self.variable(output.name, output.most);
        }
    }

    fn variable(&mut self, name: &str, most: u32) {
        let _ = writeln!(self.declarations, "int[0,{most}] {name};");
    }

    fn automaton(
        &mut self,
        name: &str,
        places: &[String],
        committed: &[String],
        init: &str,
        edges: &[String],
    ) {
        self.names.push(name.into());
        let _ = writeln!(
            self.automata,
            "process {name}() {{\n    state\n        {};",
            places.join(",\n        ")
        );
        if !committed.is_empty() {
            let _ = writeln!(self.automata, "    commit {};", committed.join(", "));
        }
        let edges = edges.join(",\n        ");
        let _ = writeln!(self.automata, "    init {init};\n    trans\n        {edges};\n}}\n");
    }
}

impl std::fmt::Display for System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { declarations, automata, names } = self;
        write!(f, "{declarations}\n{automata}system {};\n", names.join(", "))
    }
}

impl Component {
    /// The variable for the mode after this cycle: 0 until it is known, else a mode, counted from 1.
    fn next(&self) -> String {
        format!("{}_next", self.name)
    }

    /// The channel by which its PLC calls it.
    fn call(&self) -> String {
        format!("run_{}", self.name)
    }

    /// The copy of an input.
    fn copy(&self, source: &str) -> String {
        format!("{}_sees_{source}", self.name)
    }

    /// The clock that measures how long a mode lasts, if a mode wants to know.
    fn timer(&self) -> Option<String> {
        (0..self.modes.len()).any(|mode| self.waits(mode)).then(|| format!("{}_timer", self.name))
    }

    /// Whether there is something in this mode that takes time.
    fn waits(&self, mode: usize) -> bool {
        self.views(mode).iter().any(|seen| matches!((self.modes[mode].step)(seen), Step::After(..)))
    }

    fn places(&self) -> Vec<String> {
        self.modes.iter().map(|mode| mode.name.into()).collect()
    }

    /// The copies that are made at the beginning of a cycle.
    fn copies(&self) -> Vec<String> {
        let copy = |input: &Input| match input.from {
            Source::Polled(source) => Some(assign(&self.copy(source), source)),
            Source::Earlier(_) | Source::Hidden => None,
        };
        self.inputs.iter().filter_map(copy).collect()
    }

    /// All combinations of values that may be seen in a mode.
    fn views(&self, mode: usize) -> Vec<Vec<u32>> {
        let mut views = vec![Vec::new()];
        for input in self.modes[mode].sees {
            let longer = |view: &Vec<u32>, value| [view.clone(), vec![value]].concat();
            views = views
                .iter()
                .flat_map(|view| (0..=self.inputs[*input].most).map(move |value| longer(view, value)))
                .collect();
        }
        views
    }

    /// The cases of a mode: guards, whether it is too early for what is waited for, and what happens.
    fn cases(&self, mode: usize) -> Vec<(Vec<String>, bool, Effect)> {
        let Mode { sees, shows, step, .. } = &self.modes[mode];
        let mut cases = Vec::new();
        for seen in self.views(mode) {
            let test = |(input, value): (&usize, &u32)| match self.inputs[*input].from {
                Source::Polled(source) => Some(is(&self.copy(source), value)),
                Source::Earlier(output) => Some(is(&new(output), value)),
                Source::Hidden => None,
            };
            let mut guards: Vec<String> = sees.iter().zip(&seen).filter_map(test).collect();
            guards.extend(shows.map(|(output, value)| is(self.outputs[output].name, value)));
            match (step(&seen), self.timer()) {
                (Step::After(limit, effect), Some(timer)) => {
                    let with = |time: String| [guards.clone(), vec![time]].concat();
                    cases.push((with(format!("{timer} < {limit}")), true, go(mode)));
                    cases.push((with(format!("{timer} >= {limit}")), false, effect));
                }
                (Step::Do(effect) | Step::After(_, effect), _) => cases.push((guards, false, effect)),
                (Step::Stay, _) => cases.push((guards, false, go(mode))),
            }
        }
        cases
    }
}

/// The edges by which a PLC calls its components one after the other, from these places, and then goes on.
fn calls(components: &[Component], places: &[String], after: &str) -> Vec<String> {
    let next = places[1..].iter().map(String::as_str).chain([after]);
    let pairs = components.iter().zip(places).zip(next);
    pairs.map(|((component, from), to)| edge(from, to, &[], &format!("{}?", component.call()), &[])).collect()
}

/// An output before it is made known.
fn new(output: &str) -> String {
    format!("new_{output}")
}

fn is(variable: &str, value: impl std::fmt::Display) -> String {
    format!("{variable} == {value}")
}

fn assign(variable: &str, value: impl std::fmt::Display) -> String {
    format!("{variable} = {value}")
}

/// Hidden inputs make cases equal: each edge is there once.
fn once(edges: &mut Vec<String>, edge: String) {
    if !edges.contains(&edge) {
        edges.push(edge);
    }
}

fn edge(from: &str, to: &str, guards: &[String], sync: &str, updates: &[String]) -> String {
    let mut labels = String::new();
    for (keyword, text) in
        [("guard", guards.join(" && ")), ("sync", sync.into()), ("assign", updates.join(", "))]
    {
        if !text.is_empty() {
            let _ = write!(labels, "{keyword} {text}; ");
        }
    }
    format!("{from} -> {to} {{ {labels}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lamp that is switched on by a button, and off by another, or after a while.
    const LAMP: &[Mode] = &[
        Mode {
            name: "Off",
            sees: &[0],
            shows: Some((0, 0)),
            step: |seen| if seen == [0] { Step::Stay } else { Step::Do(set(&[(0, 1), (1, 1)], 1)) },
        },
        Mode {
            name: "On",
            sees: &[0, 1],
            shows: None,
            step: |seen| if seen[1] == 0 { Step::After("LONG", go(0)) } else { Step::Do(go(0)) },
        },
    ];

    fn lamp(button: Source, other: Input) -> String {
        let mut system = System::default();
        let component = Component {
            name: "Lamp",
            modes: LAMP,
            inputs: vec![Input { most: 2, from: button }, other],
            outputs: &[Output { name: "light", most: 1, first: 0 }],
        };
        system.plc(&Plc { name: "Plc", cycle: "CYCLE", components: vec![component] });
        system.to_string()
    }

    /// The edges that compute in a mode, shortened to what differs.
    fn computes(model: &str, mode: &str) -> Vec<String> {
        let start = format!("{mode} -> {mode} {{ guard Lamp_next == 0");
        let edges = model.lines().map(str::trim).filter_map(|line| line.strip_prefix(&start));
        edges.map(|edge| edge.replace("; sync run_Lamp!; assign ", ": ").replace("; },", "")).collect()
    }

    #[test]
    fn every_combination_that_is_seen_is_a_case() {
        let model = lamp(Source::Polled("button"), Input { most: 1, from: Source::Earlier("other") });
        assert_eq!(
            computes(&model, "Off"),
            [
                " && Lamp_sees_button == 0 && light == 0: Lamp_next = 1",
                // The lamp has no second output, so that nothing is written there.
                " && Lamp_sees_button == 1 && light == 0: new_light = 1, Lamp_next = 2",
                " && Lamp_sees_button == 2 && light == 0: new_light = 1, Lamp_next = 2",
            ]
        );
        let on = computes(&model, "On");
        assert_eq!(on.len(), 3 * (2 + 1), "{on:?}");
        assert_eq!(on[0], " && Lamp_sees_button == 0 && new_other == 0 && Lamp_timer < LONG: Lamp_next = 2");
        assert!(model.contains("assign Lamp_sees_button = button;"), "{model}");
    }

    #[test]
    fn a_hidden_input_may_have_any_value_and_an_absent_one_is_zero() {
        let model = lamp(Source::Hidden, Input::ABSENT);
        assert_eq!(
            computes(&model, "Off"),
            [" && light == 0: Lamp_next = 1", " && light == 0: new_light = 1, Lamp_next = 2"]
        );
        assert_eq!(
            computes(&model, "On"),
            [" && Lamp_timer < LONG: Lamp_next = 2", " && Lamp_timer >= LONG: Lamp_next = 1"]
        );
        assert!(!model.contains("sees"), "{model}");
    }

    #[test]
    fn the_timer_goes_on_only_while_a_mode_waits() {
        let model = lamp(Source::Hidden, Input::ABSENT);
        let change = |from: &str, to: &str| {
            let start = format!("{from} -> {to} {{ guard Lamp_next == {}", if to == "Off" { 1 } else { 2 });
            let line = model.lines().map(str::trim).find(|line| line.starts_with(&start)).expect("an edge");
            line.contains("Lamp_timer = 0")
        };
        assert!(change("Off", "Off") && change("Off", "On") && change("On", "Off") && !change("On", "On"));
    }
}
