//! Random models as UPPAAL source text, XML or XTA.
//!
//! A network of the profile `uppaal` is printed with random surface variation: the same meaning through templates
//! with value and reference parameters, explicit, partial and automatic instantiation, constants, type names, arrays
//! and structs that group variables, functions that stand for updates, guards and stores, many ways to write an
//! operator, precedence instead of parentheses, comments, entities, and the old syntax where the model allows it.
//! Reading the text back must give a network with the same answers ([`crate::harness::source`]).

mod declare;
mod expr;
mod process;
mod queries;
mod stmt;
mod style;
mod template;
mod xml;
mod xta;

use crate::random::Random;
use beeline_ir::ProcessId;
use beeline_ir::network::Network;
use declare::Names;
use style::Style;

/// The two forms of a source file.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// UPPAAL's XML, queries included.
    Xml,
    /// Textual, with the queries in a text of their own.
    Xta,
}

/// A printed model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Which form.
    pub form: Form,
    /// The model.
    pub model: String,
    /// Its queries, one per line and property, where the form keeps them apart.
    pub queries: String,
}

/// The pieces of a model, before they are laid out in one of the forms.
#[derive(Default, Debug)]
struct Document {
    declarations: String,
    templates: Vec<TemplateText>,
    /// `P = T(...);` lines.
    instances: String,
    system: String,
    queries: Vec<String>,
}

#[derive(Debug)]
struct TemplateText {
    name: String,
    params: String,
    declarations: String,
    locations: Vec<LocationText>,
    initial: usize,
    edges: Vec<EdgeText>,
}

#[derive(Debug)]
struct LocationText {
    name: String,
    invariant: String,
    urgent: bool,
    committed: bool,
}

#[derive(Debug)]
struct EdgeText {
    source: usize,
    target: usize,
    select: String,
    guard: String,
    sync: String,
    update: String,
}

/// Prints the model. A seed gives a text; `None` if the model uses something that UPPAAL has not. `may_fail` says
/// whether some label of the model fails at run time.
pub fn print(network: &Network, may_fail: bool, seed: u64) -> Option<Source> {
    let mut random = Random::new(seed);
    let style = Style::draw(network, may_fail, &mut random)?;
    let form = if random.chance(50) { Form::Xml } else { Form::Xta };
    let mut printer = Printer {
        network,
        random,
        style,
        in_query: false,
        names: Names::default(),
        frame: Vec::new(),
        holes: Vec::new(),
        automatic: Vec::new(),
        prelude: Vec::new(),
        constants: Vec::new(),
        types: Vec::new(),
        helpers: Vec::new(),
    };
    let document = printer.document();
    let model = match form {
        Form::Xml => xml::layout(&document, &mut printer.random),
        Form::Xta => xta::layout(&document, printer.style.old, &mut printer.random),
    };
    let queries = if form == Form::Xta { document.queries.join("\n") } else { String::new() };
    Some(Source { form, model, queries })
}

/// Prints parts of a network, and collects what they need to be declared before them.
struct Printer<'n> {
    network: &'n Network,
    random: Random,
    style: Style,
    /// Queries are written in the new syntax, whatever the model is.
    in_query: bool,
    /// What everything is called, as seen from the place being printed.
    names: Names,
    /// Names of the locals of the current frame.
    frame: Vec<String>,
    /// What stands for the constants in which alike processes differ.
    holes: Vec<String>,
    /// Templates and partial instances that the system line names, with the processes they stand for.
    automatic: Vec<(String, Vec<ProcessId>)>,
    /// Lines that go before all other declarations.
    prelude: Vec<String>,
    /// Named constants so far.
    constants: Vec<(i64, String)>,
    /// Named types so far, by what they stand for.
    types: Vec<(String, String)>,
    /// Helper functions so far, by their text.
    helpers: Vec<(String, String)>,
}

impl Printer<'_> {
    fn document(&mut self) -> Document {
        let globals = self.globals();
        let functions = self.functions();
        let mut document = self.templates();
        document.queries = self.queries();
        let mut lines = std::mem::take(&mut self.prelude);
        lines.push(globals);
        lines.extend(self.helpers.iter().map(|(text, name)| text.replacen('@', name, 1)));
        lines.push(functions);
        document.declarations = lines.join("\n");
        document
    }

    /// A name for a constant, or the number itself.
    fn number(&mut self, value: i64) -> String {
        if !self.random.chance(self.style.named_constants) {
            return value.to_string();
        }
        if let Some((_, name)) = self.constants.iter().find(|(v, _)| *v == value) {
            return name.clone();
        }
        let name = format!("K{}", self.constants.len());
        self.prelude.push(if self.style.old {
            format!("const {name} {value};")
        } else {
            format!("const int {name} = {value};")
        });
        self.constants.push((value, name.clone()));
        name
    }

    /// A name for a type, or the type itself.
    fn type_name(&mut self, text: String) -> String {
        if self.style.old || !self.random.chance(40) {
            return text;
        }
        if let Some((_, name)) = self.types.iter().find(|(t, _)| *t == text) {
            return name.clone();
        }
        let name = format!("T{}", self.types.len());
        self.prelude.push(format!("typedef {text} {name};"));
        self.types.push((text, name.clone()));
        name
    }

    /// The name of the helper function of this text, in which `@` stands for its name.
    fn helper(&mut self, text: String) -> String {
        if let Some((_, name)) = self.helpers.iter().find(|(t, _)| *t == text) {
            return name.clone();
        }
        let name = format!("help{}", self.helpers.len());
        self.helpers.push((text, name.clone()));
        name
    }
}
