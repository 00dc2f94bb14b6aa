//! One model of a family: its parameters chosen, its texts written.

use crate::{Answer, Family, Parameter, Query, Variant};
use std::fmt::{self, Write};
use std::ops::{Index, RangeInclusive};

/// A model of a family.
#[derive(Debug)]
pub struct Instance {
    family: &'static Family,
    values: Values,
}

/// The values of all parameters of a family, by name, its variant, and whether a mistake is made on purpose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values {
    chosen: Vec<(&'static Parameter, u32)>,
    variant: Option<&'static Variant>,
    /// Whether a mistake is made on purpose.
    pub faulty: bool,
}

impl Values {
    /// The name of the variant; empty if the family has none.
    pub fn variant(&self) -> &'static str {
        self.variant.map_or("", |variant| variant.name)
    }

    /// Whether it is faulty if nothing is said about it.
    fn usually_faulty(&self) -> bool {
        self.variant.is_some_and(|variant| variant.faulty)
    }

    /// What is not as usual about mistakes.
    fn unusual(&self) -> Option<&'static str> {
        match (self.faulty, self.usually_faulty()) {
            (true, false) => Some("faulty"),
            (false, true) => Some("correct"),
            _ => None,
        }
    }
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

/// A language that models are written in.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// UPPAAL's, with the queries in a file of their own.
    Xta,
    /// SMV.
    Smv,
    /// Promela.
    Promela,
}

impl Format {
    /// Its name, and how the names of its files end.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xta => "xta",
            Self::Smv => "smv",
            Self::Promela => "pml",
        }
    }

    /// The one of that name.
    pub fn of(name: &str) -> Option<Self> {
        [Self::Xta, Self::Smv, Self::Promela].into_iter().find(|format| format.name() == name)
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
        name: &'static str,
        /// The range.
        range: RangeInclusive<u32>,
        /// The value.
        value: u32,
    },
    /// The family has no variant of this name.
    NoSuchVariant {
        /// The name.
        name: String,
    },
    /// The family has no faulty models.
    NeverFaulty,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => write!(f, "there is no parameter `{name}`"),
            Self::OutOfRange { name, range, value } => {
                write!(
                    f,
                    "{name} = {value} is out of range; it goes from {} to {}",
                    range.start(),
                    range.end()
                )
            }
            Self::NoSuchVariant { name } => write!(f, "there is no variant `{name}`"),
            Self::NeverFaulty => write!(f, "there are no faulty models"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Family {
    /// The languages that its models are written in, the usual one first.
    pub fn formats(&self) -> Vec<Format> {
        self.texts.iter().map(|(format, _)| *format).collect()
    }

    /// The model of the usual variant with these parameters; those not given have their defaults, of those given
    /// twice the last counts.
    pub fn instance(&'static self, given: &[(&str, u32)]) -> Result<Instance, Refusal> {
        self.choose(self.variants.first(), given)
    }

    /// The same of the variant of this name.
    pub fn variant(&'static self, name: &str, given: &[(&str, u32)]) -> Result<Instance, Refusal> {
        match self.variants.iter().find(|variant| variant.name == name) {
            Some(variant) => self.choose(Some(variant), given),
            None => Err(Refusal::NoSuchVariant { name: name.into() }),
        }
    }

    fn choose(
        &'static self,
        variant: Option<&'static Variant>,
        given: &[(&str, u32)],
    ) -> Result<Instance, Refusal> {
        if let Some((name, _)) =
            given.iter().find(|(name, _)| self.parameters.iter().all(|p| p.name != *name))
        {
            return Err(Refusal::Unknown { name: (*name).into() });
        }
        let mut chosen = Vec::new();
        for (position, parameter) in self.parameters.iter().enumerate() {
            let wish = given.iter().rev().find(|(name, _)| *name == parameter.name);
            let value = wish.map_or(parameter.default, |(_, value)| *value);
            let range = match variant {
                Some(variant) if position == 0 => variant.sizes.clone(),
                _ => parameter.least..=parameter.most,
            };
            if !range.contains(&value) {
                return Err(Refusal::OutOfRange { name: parameter.name, range, value });
            }
            chosen.push((parameter, value));
        }
        let faulty = variant.is_some_and(|variant| variant.faulty);
        Ok(Instance { family: self, values: Values { chosen, variant, faulty } })
    }
}

impl Instance {
    /// The same with a mistake made on purpose, so that something is violated.
    pub fn faulty(self) -> Result<Self, Refusal> {
        self.with_fault(true)
    }

    /// The same without a mistake made on purpose.
    pub fn correct(self) -> Result<Self, Refusal> {
        self.with_fault(false)
    }

    fn with_fault(mut self, faulty: bool) -> Result<Self, Refusal> {
        self.values.faulty = faulty;
        if self.family.fault.is_some() { Ok(self) } else { Err(Refusal::NeverFaulty) }
    }

    /// The family and the size, and what else is not as usual: `fischer 8`, `fischer fa 8 k=3`, `csmacd 8 faulty`,
    /// `mutex 2 correct`.
    pub fn name(&self) -> String {
        let mut name = self.family.name.to_string();
        if let Some(variant) =
            self.values.variant.filter(|variant| Some(*variant) != self.family.variants.first())
        {
            let _ = write!(name, " {}", variant.name);
        }
        for (position, (parameter, value)) in self.values.chosen.iter().enumerate() {
            let _ = match position {
                0 => write!(name, " {value}"),
                _ if *value == parameter.default => Ok(()),
                _ => write!(name, " {}={value}", parameter.name),
            };
        }
        if let Some(word) = self.values.unusual() {
            let _ = write!(name, " {word}");
        }
        name
    }

    /// The questions to ask, with their known answers.
    pub fn queries(&self) -> Vec<Query> {
        (self.family.queries)(&self.values)
    }

    /// The model as an UPPAAL text (`.xta`), or in the usual language of the family if it has no such form.
    pub fn model(&self) -> String {
        self.text(Format::Xta).or_else(|| self.text(self.family.texts[0].0)).unwrap_or_default()
    }

    /// The model in a language, if the family has that form; SMV and Promela with its properties.
    pub fn text(&self, format: Format) -> Option<String> {
        let (_, body) = self.family.texts.iter().find(|(known, _)| *known == format)?;
        let mut text = self.heading(format);
        let sign = sign(format);
        let _ = writeln!(text, "{sign}\n{sign} What is known of it:");
        for query in self.queries() {
            let _ = match format {
                Format::Smv => writeln!(text, "{sign}   {}: {}", query.about, query.answer),
                Format::Xta | Format::Promela => {
                    writeln!(text, "{sign}   {}\n{sign}     {}: {}", query.text, query.about, query.answer)
                }
            };
        }
        text.push('\n');
        let constants =
            || self.values.chosen.iter().filter_map(|(p, value)| Some((p.constant?, p.about, value)));
        if format != Format::Smv {
            for (constant, about, value) in constants() {
                let _ = match format {
                    Format::Promela => writeln!(text, "#define {constant} {value}    // {about}"),
                    _ => writeln!(text, "const int {constant} = {value};    // {about}"),
                };
            }
            if constants().next().is_some() {
                text.push('\n');
            }
        }
        text.push_str(&body(&self.values));
        Some(text)
    }

    /// Maps of domains for an abstraction database of the model, if the family has some.
    pub fn maps(&self) -> Option<String> {
        self.family.maps.map(|maps| maps(&self.values))
    }

    /// What it is and where it comes from, in comments.
    fn heading(&self, format: Format) -> String {
        let sign = sign(format);
        let Family { name, about, source, .. } = self.family;
        let mut text = format!("{sign} {name}: {about}.\n");
        let _ = writeln!(text, "{sign} Written by `{}`.", self.command(format));
        for line in wrapped(&format!("The idea: {source}.")) {
            let _ = writeln!(text, "{sign} {line}");
        }
        if let Some(fault) = self.family.fault.filter(|_| self.values.faulty) {
            let _ = writeln!(text, "{sign} A mistake was made on purpose: {fault}.");
        }
        text
    }

    /// The queries as UPPAAL has them in a file of their own (`.q`).
    pub fn query_file(&self) -> String {
        let mut text = format!("// The queries of `{}`.\n", self.command(Format::Xta));
        for query in self.queries() {
            let _ = writeln!(text, "\n/*\n{}: {}\n*/\n{}", query.about, query.answer, query.text);
        }
        text
    }

    /// The command that writes it.
    fn command(&self, format: Format) -> String {
        let mut command = format!("beeline generate {}", self.family.name);
        if let Some(variant) = self.values.variant {
            let _ = write!(command, " --variant {}", variant.name);
        }
        for (parameter, value) in &self.values.chosen {
            let _ = write!(command, " --{} {value}", parameter.name);
        }
        if let Some(word) = self.values.unusual() {
            let _ = write!(command, " --{word}");
        }
        if format != self.family.formats()[0] {
            let _ = write!(command, " --format {}", format.name());
        }
        command
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => write!(f, "holds"),
            Self::Violated { length: Some(length) } => write!(f, "violated, shortest trace {length} steps"),
            Self::Violated { length: None } => write!(f, "violated"),
            Self::Reached { length } => write!(f, "reachable, shortest trace {length} steps"),
        }
    }
}

/// What a comment begins with.
fn sign(format: Format) -> &'static str {
    if format == Format::Smv { "--" } else { "//" }
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
