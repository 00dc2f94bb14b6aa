//! A template in XTA: `process P(params) { declarations state ...; init ...; trans ...; }`. Names of locations are
//! resolved at the end of the process.

use super::cursor::{Parse, Parser};
use super::edge::{Part, SEPARATE_UPDATES, plain_edge};
use super::nodes::{Nodes, no_init, second_init};
use crate::ast::{Edge, Ident, Location, Node, Template};

/// The parts of a template that speak of locations by name.
#[derive(Default)]
struct Mentions {
    init: Option<Ident>,
    urgent: Vec<Ident>,
    committed: Vec<Ident>,
    /// Source, target, and the edge with neither.
    edges: Vec<(Ident, Ident, Edge)>,
    /// Whether some of the locations could not be read.
    incomplete: bool,
}

impl Parser<'_, '_> {
    /// A process, from its keyword on.
    pub fn process(&mut self) -> Parse<Template> {
        let start = self.bump().span;
        let name = self.name("the name of the process")?;
        let params = self.optional_params()?;
        self.expect("{", "before the body of the process")?;
        let mut template = Template {
            name,
            params,
            decls: Vec::new(),
            locations: Vec::new(),
            branchpoints: Vec::new(),
            init: None,
            edges: Vec::new(),
            span: start,
        };
        let mut mentions = Mentions::default();
        self.in_process = true;
        while self.in_body() {
            let states = self.is_word("state");
            if let Err(diagnostic) = self.section(&mut template, &mut mentions) {
                mentions.incomplete |= states;
                self.recover(diagnostic);
            }
        }
        self.in_process = false;
        self.expect("}", "at the end of the process")?;
        template.span = self.since(start);
        self.resolve(&mut template, mentions);
        Ok(template)
    }

    fn section(&mut self, template: &mut Template, mentions: &mut Mentions) -> Parse<()> {
        // `urgent chan c;` is a declaration, `urgent A;` a section.
        if self.is_decl() && !(self.is_word("urgent") && self.is_name_ahead(1)) {
            template.decls.push(self.decl()?);
            return Ok(());
        }
        let section = self.peek();
        let name = |p: &mut Self| p.name("the name of a location");
        match section.text {
            ";" => {
                self.bump();
                return Ok(());
            }
            "state" => {
                self.bump();
                let locations = self.list(Self::location)?;
                template.locations.extend(locations);
            }
            "branchpoint" => {
                self.bump();
                template.branchpoints.extend(self.list(|p| p.name("the name of a branchpoint"))?);
            }
            "commit" => {
                self.bump();
                mentions.committed.extend(self.list(name)?);
            }
            "urgent" => {
                self.bump();
                mentions.urgent.extend(self.list(name)?);
            }
            "init" => {
                self.bump();
                let init = self.name("the name of the initial location")?;
                if mentions.init.is_some() {
                    self.context.error(second_init(init.span));
                }
                mentions.init = Some(init);
            }
            "trans" => {
                self.bump();
                return self.transitions(mentions);
            }
            _ => return Err(self.unexpected("a declaration, `state`, `commit`, `urgent`, `init` or `trans`")),
        }
        self.expect(";", &format!("at the end of `{}`", section.text))?;
        Ok(())
    }

    /// `A`, `A { invariant }` or `A { invariant; rate }`
    fn location(&mut self) -> Parse<Location> {
        if self.is_symbol("=") && self.is_name_ahead(1) {
            // A slip in a widely used benchmark file, which other readers skip over.
            let stray = self.bump().span;
            self.context.warning("W0504", "a stray `=` before the name of a location is ignored", stray);
        }
        let name = self.name("the name of a location")?;
        let mut location =
            Location { name, invariant: None, exponential_rate: None, urgent: false, committed: false };
        if self.eat("{") {
            if let Err(diagnostic) = self.location_body(&mut location) {
                self.recover(diagnostic);
            }
            self.expect("}", "after the invariant")?;
        }
        Ok(location)
    }

    fn location_body(&mut self, location: &mut Location) -> Parse<()> {
        if !self.is_symbol("}") && !self.is_symbol(";") {
            location.invariant = Some(self.conjunction()?);
        }
        if self.eat(";") && !self.is_symbol("}") {
            location.exponential_rate = Some(self.rate()?);
        }
        if self.is_symbol("}") { Ok(()) } else { Err(self.unexpected("`}` after the invariant")) }
    }

    /// Edges separated by commas, up to and including their `;`.
    fn transitions(&mut self, mentions: &mut Mentions) -> Parse<()> {
        loop {
            match self.edge(mentions) {
                Ok(edge) => mentions.edges.push(edge),
                Err(diagnostic) => {
                    self.recover(diagnostic);
                    if !self.is_symbol(",") {
                        return Ok(());
                    }
                }
            }
            if !self.eat(",") && !self.is_edge_ahead(0) {
                self.expect(";", "after the edges")?;
                return Ok(());
            }
        }
    }

    fn edge(&mut self, mentions: &Mentions) -> Parse<(Ident, Ident, Edge)> {
        let start = self.peek().span;
        let source = match mentions.edges.last() {
            Some((before, ..)) if self.is_symbol("->") || self.is_symbol("-u->") => before.clone(),
            _ => self.name("the name of a location")?,
        };
        let controllable = !self.eat("-u->");
        if controllable {
            self.expect("->", "after the source of the edge")?;
        }
        let target = self.name("the name of a location")?;
        self.expect("{", "after the target of the edge")?;
        // The ends are put in when all locations are known.
        let mut edge = plain_edge(Node::Location(0), Node::Location(0), start);
        edge.controllable = controllable;
        let mut last = "";
        while self.in_edge() {
            let section = self.peek().text;
            if let Err(diagnostic) = self.edge_section(&mut edge) {
                let more = last == "assign" && section != "," && diagnostic.help.is_none();
                self.recover(if more { diagnostic.with_help(SEPARATE_UPDATES) } else { diagnostic });
            }
            last = section;
        }
        self.close("at the end of the edge")?;
        edge.span = self.since(start);
        Ok((source, target, edge))
    }

    fn edge_section(&mut self, edge: &mut Edge) -> Parse<()> {
        let part = match self.peek().text {
            "select" => Part::Select,
            "guard" => Part::Guard,
            "sync" => Part::Sync,
            "assign" => Part::Update,
            "probability" => Part::Probability,
            _ => return Err(self.unexpected("`select`, `guard`, `sync`, `assign` or `}`")),
        };
        let word = self.bump().text;
        if !self.is_symbol(";") {
            self.edge_part(part, edge)?;
        }
        self.expect(";", &format!("at the end of `{word}`"))?;
        Ok(())
    }

    /// Puts indices for names. Of two equal names the first counts.
    fn resolve(&mut self, template: &mut Template, mentions: Mentions) {
        if mentions.incomplete {
            return;
        }
        let mut nodes = Nodes::default();
        for (at, location) in template.locations.iter().enumerate() {
            nodes.add(&location.name.name, Node::Location(at));
        }
        for (at, branchpoint) in template.branchpoints.iter().enumerate() {
            nodes.add(&branchpoint.name, Node::Branchpoint(at));
        }
        for name in &mentions.committed {
            if let Some(at) = nodes.location(name, self.context) {
                template.locations[at].committed = true;
            }
        }
        for name in &mentions.urgent {
            if let Some(at) = nodes.location(name, self.context) {
                template.locations[at].urgent = true;
            }
        }
        template.init = match &mentions.init {
            Some(name) => nodes.location(name, self.context),
            None => {
                self.context.error(no_init(&template.name));
                None
            }
        };
        for (source, target, mut edge) in mentions.edges {
            let ends = (nodes.node(&source, self.context), nodes.node(&target, self.context));
            if let (Some(source), Some(target)) = ends {
                (edge.source, edge.target) = (source, target);
                template.edges.push(edge);
            }
        }
    }
}
