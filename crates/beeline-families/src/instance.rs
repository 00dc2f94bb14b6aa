//! One model of a family: its parameters chosen, its texts written.

use crate::{Answer, Family, Parameter, Query};
use std::fmt::{self, Write};
use std::ops::Index;

/// A model of a family.
#[derive(Debug)]
pub struct Instance {
    family: &'static Family,
    values: Values,
}

/// The values of all parameters of a family, by name, and whether a mistake is made on purpose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    chosen: Vec<(&'static Parameter, u32)>,
    /// Whether it is the faulty variant.
    pub faulty: bool,
}

impl Index<&str> for Values {
    type Output = u32;
    /// # Panics
    /// If the family has no such parameter.
    fn index(&self, name: &str) -> &u32 {
        let found = self.chosen.iter().find(|(parameter, _)| parameter.name == name);
        &found.expect("a family asks for its own parameters only").1
    }
}

/// Why there is no such model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The family has no parameter of this name.
    Unknown {
        /// The name.
        name: String,
    },
    /// The value is outside of the parameter's range.
    OutOfRange {
        /// The parameter.
        parameter: &'static Parameter,
        /// The value.
        value: u32,
    },
    /// The family has no faulty variant.
    NeverFaulty,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => write!(f, "there is no parameter `{name}`"),
            Self::OutOfRange { parameter: Parameter { name, least, most, .. }, value } => {
                write!(f, "{name} = {value} is out of range; it goes from {least} to {most}")
            }
            Self::NeverFaulty => write!(f, "there is no faulty variant"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Family {
    /// The model with these parameters; those not given have their defaults, of those given twice the last counts.
    pub fn instance(&'static self, given: &[(&str, u32)]) -> Result<Instance, Refusal> {
        if let Some((name, _)) =
            given.iter().find(|(name, _)| self.parameters.iter().all(|p| p.name != *name))
        {
            return Err(Refusal::Unknown { name: (*name).into() });
        }
        let mut chosen = Vec::new();
        for parameter in self.parameters {
            let wish = given.iter().rev().find(|(name, _)| *name == parameter.name);
            let value = wish.map_or(parameter.default, |(_, value)| *value);
            if !(parameter.least..=parameter.most).contains(&value) {
                return Err(Refusal::OutOfRange { parameter, value });
            }
            chosen.push((parameter, value));
        }
        Ok(Instance { family: self, values: Values { chosen, faulty: false } })
    }
}

impl Instance {
    /// The same with a mistake made on purpose, so that something is violated.
    pub fn faulty(mut self) -> Result<Self, Refusal> {
        self.values.faulty = true;
        if self.family.fault.is_some() { Ok(self) } else { Err(Refusal::NeverFaulty) }
    }

    /// The family and the size, and what else is not as usual: `fischer 8`, `fischer 8 k=3`, `fischer 8 faulty`.
    pub fn name(&self) -> String {
        let mut name = self.family.name.to_string();
        for (position, (parameter, value)) in self.values.chosen.iter().enumerate() {
            let _ = match position {
                0 => write!(name, " {value}"),
                _ if *value == parameter.default => Ok(()),
                _ => write!(name, " {}={value}", parameter.name),
            };
        }
        if self.values.faulty {
            name.push_str(" faulty");
        }
        name
    }

    /// The questions to ask, with their known answers.
    pub fn queries(&self) -> Vec<Query> {
        (self.family.queries)(&self.values)
    }

    /// The model, an UPPAAL text (`.xta`).
    pub fn model(&self) -> String {
        let Family { name, about, source, .. } = self.family;
        let mut text = format!("// {name}: {about}.\n");
        let _ = writeln!(text, "// Written by `{}`.", self.command());
        for line in wrapped(&format!("The idea: {source}.")) {
            let _ = writeln!(text, "// {line}");
        }
        if let Some(fault) = self.family.fault.filter(|_| self.values.faulty) {
            let _ = writeln!(text, "// A mistake was made on purpose: {fault}.");
        }
        text.push_str("//\n// What is known of it:\n");
        for query in self.queries() {
            let _ = writeln!(text, "//   {}\n//     {}: {}", query.text, query.about, query.answer);
        }
        text.push('\n');
        for (parameter, value) in &self.values.chosen {
            let _ = writeln!(text, "const int {} = {value};    // {}", parameter.constant, parameter.about);
        }
        text.push('\n');
        text.push_str(&(self.family.model)(&self.values));
        text
    }

    /// The queries as UPPAAL has them in a file of their own (`.q`).
    pub fn query_file(&self) -> String {
        let mut text = format!("// The queries of `{}`.\n", self.command());
        for query in self.queries() {
            let _ = writeln!(text, "\n/*\n{}: {}\n*/\n{}", query.about, query.answer, query.text);
        }
        text
    }

    /// The command that writes it.
    fn command(&self) -> String {
        let mut command = format!("beeline generate {}", self.family.name);
        for (parameter, value) in &self.values.chosen {
            let _ = write!(command, " --{} {value}", parameter.name);
        }
        if self.values.faulty {
            command.push_str(" --faulty");
        }
        command
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => write!(f, "holds"),
            Self::Violated { length } => write!(f, "violated, shortest trace {length} steps"),
            Self::Reached { length } => write!(f, "reachable, shortest trace {length} steps"),
        }
    }
}

/// Lines of at most 100 characters.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < 100 => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}
