//! The tree of module instances, flat, and the names in it. Parameters are references: a parameter stands for the
//! actual expression, read where the instance is declared. A definition may be put into another instance
//! (`left.ack := q.out`), so definitions are entered when all instances are known.

mod resolve;

use std::cell::Cell;
use std::collections::HashMap;

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::id::Id;
use beeline_ir::{IdVec, VarId};

use crate::ast::{Document, Expr, ExprKind, Ident, Item, Module, Role, TypeExpr, TypeKind};
use crate::messages::Messages;

/// Most instances of modules, levels of nesting of them, and bytes of their names.
const MAX_INSTANCES: usize = 50_000;
const MAX_LEVELS: usize = 100;
const MAX_BYTES: usize = 16 << 20;

/// Longest way from a name through parameters.
const MAX_HOPS: usize = 500;

/// An instance of a module; the first is `main`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct InstanceId(u32);

impl Id for InstanceId {
    fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// An instance.
#[derive(Debug)]
pub(crate) struct Instance<'a> {
    /// Its full name; empty for `main`.
    pub path: String,
    /// Which process it belongs to; 0 is `main`.
    pub process: usize,
    /// What is declared in it, in order, `ISA` included.
    pub items: Vec<&'a Item>,
    names: HashMap<&'a str, Symbol<'a>>,
}

impl Instance<'_> {
    /// The full name of something in it.
    pub fn full(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_string() } else { format!("{}.{name}", self.path) }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Symbol<'a> {
    /// A variable whose type is still to be read.
    Undeclared,
    /// A variable, or an array of them.
    Vars(Shape),
    /// A definition, read in an instance.
    Define(&'a Expr, InstanceId),
    /// An instance.
    Instance(InstanceId),
    /// An actual parameter, read in an instance.
    Parameter(&'a Expr, InstanceId),
}

/// A variable, or an array of them with its least index.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Scalar(VarId),
    Array(i64, Vec<Shape>),
}

/// What a path leads to.
#[derive(Clone, Debug)]
pub(crate) enum Entity<'a> {
    /// Variables.
    Vars(Shape),
    /// A definition, read in an instance.
    Define(&'a Expr, InstanceId),
    /// An actual parameter that is no path.
    Value(&'a Expr, InstanceId),
    /// An instance.
    Instance(InstanceId),
    /// Whether that process is the one that takes the step.
    Running(usize),
    /// A name that is not declared: perhaps a symbol.
    Unknown(&'a str),
}

/// All instances.
pub(crate) struct Hierarchy<'a> {
    modules: HashMap<&'a str, &'a Module>,
    pub instances: IdVec<InstanceId, Instance<'a>>,
    /// The full names of the processes; `main` is the first.
    pub processes: Vec<String>,
    bytes: usize,
    /// How often a name that may be meant is still looked for: nobody reads hundreds of suggestions, each of which
    /// looks at all names.
    suggestions: Cell<usize>,
}

/// A module about to be instantiated.
struct Order<'a> {
    module: &'a Module,
    path: String,
    process: usize,
    /// The instance it is declared in, and the actual parameters.
    actual: Option<(InstanceId, &'a [Expr])>,
}

impl<'a> Hierarchy<'a> {
    /// The instances of a document.
    pub fn new(document: &'a Document, messages: &mut Messages) -> Self {
        let mut modules = HashMap::new();
        for module in &document.modules {
            if modules.insert(module.name.name.as_str(), module).is_some() {
                let message = format!("module `{}` is declared twice", module.name.name);
                messages.error("E0811", message, Some(module.name.span));
            }
        }
        let mut this = Self {
            modules,
            instances: IdVec::default(),
            processes: vec!["main".to_string()],
            bytes: 0,
            suggestions: Cell::new(50),
        };
        let Some(main) = this.modules.get("main").copied() else {
            messages.error("E0812", "there is no module `main`", None);
            return this;
        };
        if let Some(parameter) = main.parameters.first() {
            messages.error("E0812", "module `main` has no parameters", Some(parameter.span));
        }
        let order = Order { module: main, path: String::new(), process: 0, actual: None };
        this.instantiate(order, &mut Vec::new(), messages);
        this.enter_definitions(messages);
        this
    }

    fn instantiate(
        &mut self,
        order: Order<'a>,
        above: &mut Vec<&'a str>,
        messages: &mut Messages,
    ) -> InstanceId {
        let Order { module, path, process, actual } = order;
        let mut names = HashMap::new();
        for parameter in &module.parameters {
            if names.contains_key(parameter.name.as_str()) {
                messages.add(twice(parameter));
            }
            let at = module.parameters.iter().position(|p| p.name == parameter.name);
            if let (Some((from, actual)), Some(at)) = (actual, at)
                && let Some(value) = actual.get(at)
            {
                names.insert(parameter.name.as_str(), Symbol::Parameter(value, from));
            }
        }
        let id = self.instances.push(Instance { path, process, items: Vec::new(), names });
        above.push(&module.name.name);
        self.fill(id, module, &mut vec![&module.name.name], above, messages);
        above.pop();
        id
    }

    /// Enters what a module declares; `isa` are the modules that are being included.
    fn fill(
        &mut self,
        id: InstanceId,
        module: &'a Module,
        isa: &mut Vec<&'a str>,
        above: &mut Vec<&'a str>,
        messages: &mut Messages,
    ) {
        for item in &module.items {
            match item {
                Item::Isa(name) => match self.modules.get(name.name.as_str()).copied() {
                    Some(_) if isa.contains(&name.name.as_str()) => messages.error(
                        "E0813",
                        format!("module `{}` includes itself", name.name),
                        Some(name.span),
                    ),
                    Some(other) => {
                        isa.push(&name.name);
                        self.fill(id, other, isa, above, messages);
                        isa.pop();
                    }
                    None => messages.add(self.no_module(name)),
                },
                Item::Var(role, name, of) => {
                    let symbol = match &of.kind {
                        TypeKind::Instance(..) => match self.child(id, *role, name, of, above, messages) {
                            Some(child) => Symbol::Instance(child),
                            None => continue,
                        },
                        _ => Symbol::Undeclared,
                    };
                    if self.instances[id].names.insert(&name.name, symbol).is_some() {
                        messages.add(twice(name));
                        continue;
                    }
                }
                _ => {}
            }
            if !matches!(item, Item::Isa(_)) {
                self.instances[id].items.push(item);
            }
        }
    }

    /// The instance that a declaration asks for.
    fn child(
        &mut self,
        id: InstanceId,
        role: Role,
        name: &'a Ident,
        of: &'a TypeExpr,
        above: &mut Vec<&'a str>,
        messages: &mut Messages,
    ) -> Option<InstanceId> {
        let TypeKind::Instance(process, module, actual) = &of.kind else { return None };
        let Some(module) = self.modules.get(module.name.as_str()).copied() else {
            messages.add(self.no_module(module));
            return None;
        };
        if role != Role::State {
            messages.error("E0814", "an instance of a module is declared after `VAR`", Some(name.span));
        }
        if above.contains(&module.name.name.as_str()) {
            let message = format!("module `{}` contains itself", module.name.name);
            messages.error("E0813", message, Some(of.span));
            return None;
        }
        let (wanted, given) = (module.parameters.len(), actual.len());
        if wanted != given {
            let message = format!("module `{}` has {wanted} parameters, not {given}", module.name.name);
            messages.error("E0815", message, Some(of.span));
            return None;
        }
        let path = self.instances[id].full(&name.name);
        self.bytes += path.len();
        if self.instances.len() >= MAX_INSTANCES || above.len() >= MAX_LEVELS || self.bytes > MAX_BYTES {
            let message = "more than 50,000 instances of modules, 100 levels of them, or 16 MiB of names";
            messages.error("E0821", message, Some(of.span));
            return None;
        }
        let mut of_process = self.instances[id].process;
        if *process {
            of_process = self.processes.len();
            self.processes.push(path.clone());
        }
        let order = Order { module, path, process: of_process, actual: Some((id, actual)) };
        Some(self.instantiate(order, above, messages))
    }

    fn enter_definitions(&mut self, messages: &mut Messages) {
        for id in self.instances.ids() {
            for item in self.instances[id].items.clone() {
                let Item::Define(path, body) = item else { continue };
                let target = match &path.kind {
                    ExprKind::Name(name) => Ok((id, name)),
                    ExprKind::Dot(base, name) => self.instance(base, id).map(|base| (base, name)),
                    _ => Err(Diagnostic::error("E0814", "a definition has a name", Some(path.span))),
                };
                let (into, name) = match target {
                    Ok(target) => target,
                    Err(wrong) => {
                        messages.add(wrong);
                        continue;
                    }
                };
                if self.instances[into].names.insert(name, Symbol::Define(body, id)).is_some() {
                    messages.add(twice(&Ident { name: name.clone(), span: path.span }));
                }
            }
        }
    }

    /// Sets what a variable's name stands for.
    pub fn declare(&mut self, id: InstanceId, name: &'a str, shape: Shape) {
        self.instances[id].names.insert(name, Symbol::Vars(shape));
    }

    fn no_module(&self, name: &Ident) -> Diagnostic {
        let diagnostic =
            Diagnostic::error("E0810", format!("there is no module `{}`", name.name), Some(name.span));
        self.meant(diagnostic, &name.name, self.modules.keys().copied())
    }
}

fn twice(name: &Ident) -> Diagnostic {
    Diagnostic::error("E0811", format!("`{}` is declared twice", name.name), Some(name.span))
}
