//! What is being lowered: an edge, a function, an invariant or a query, with its frame of locals, the names it can
//! see, and the statements made so far.

use std::collections::BTreeMap;

use beeline_ir::expr::{Expr, Range};
use beeline_ir::stmt::{Block, Local, Place as IrPlace, Stmt, Store, Target};
use beeline_ir::{LocalId, ProcessId};

use super::Lower;
use super::fault::Res;
use super::fold::range_of;
use super::place::{Cells, Place, Storage};
use super::scope::{Entity, View};
use super::types::Type;

/// Whether effects are possible here.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// An expression and nothing else.
    Pure,
    /// Statements may be made before the expression.
    Statements,
}

/// What `return` does here.
#[derive(Clone, Debug)]
pub(super) enum Returns {
    /// There is none.
    Nowhere,
    /// It ends a function of the IR.
    Function(Type),
    /// It ends a call that was expanded in place: the result goes to a local, and a flag skips the rest.
    Inline { ty: Type, result: Option<Place>, done: Option<LocalId> },
}

/// What is being lowered.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// Names outside.
    pub view: View,
    /// Names inside, innermost last.
    pub names: Vec<(String, Entity)>,
    /// The locals.
    pub frame: Vec<Local>,
    /// Which locals belong to quantifiers.
    pub quantified: Vec<bool>,
    /// The quantified locals around the present place.
    pub bound: Vec<LocalId>,
    /// The statements made so far.
    pub out: Block,
    /// Whether effects are possible.
    pub mode: Mode,
    /// What `return` does.
    pub returns: Returns,
    /// Whether a declaration may run more than once, so that its locals must be set afresh.
    pub repeats: bool,
    /// The process it belongs to.
    pub process: Option<ProcessId>,
    used: BTreeMap<String, u32>,
}

impl Body {
    /// An expression seen from a place, with an empty frame.
    pub(super) fn new(view: View, process: Option<ProcessId>) -> Self {
        Self {
            view,
            names: Vec::new(),
            frame: Vec::new(),
            quantified: Vec::new(),
            bound: Vec::new(),
            out: Vec::new(),
            mode: Mode::Pure,
            returns: Returns::Nowhere,
            repeats: false,
            process,
            used: BTreeMap::new(),
        }
    }
    /// A new local with a name like this one.
    pub(super) fn fresh(&mut self, name: &str, range: Range, len: Option<u32>) -> LocalId {
        let count = self.used.entry(name.to_string()).or_insert(0);
        *count += 1;
        // `#` stands in no name of the source, so numbered names cannot meet declared ones.
        let name = if *count == 1 { name.to_string() } else { format!("{name}#{count}") };
        self.frame.push(Local { name, range, len });
        self.quantified.push(false);
        LocalId::new(self.frame.len() - 1)
    }
    /// A new scalar local known by its name, which statements may not assign to if `read_only`.
    pub(super) fn bind(&mut self, name: &str, range: Range, read_only: bool) -> LocalId {
        let id = self.fresh(name, range, None);
        let mut place = Place::root(Storage::Cells(Cells::Local(id)), Type::Int(range));
        place.read_only = read_only;
        self.names.push((name.to_string(), Entity::Place(place)));
        id
    }
    /// Makes statements apart from the others.
    pub(super) fn collect(&mut self, make: impl FnOnce(&mut Self) -> Res<()>) -> Res<Block> {
        let outer = std::mem::take(&mut self.out);
        let made = make(self);
        let block = std::mem::replace(&mut self.out, outer);
        made.map(|()| block)
    }
    /// What a call that is expanded in place replaces for a while.
    pub(super) fn take_context(&mut self) -> Context {
        Context {
            names: std::mem::take(&mut self.names),
            view: self.view,
            process: self.process,
            repeats: self.repeats,
            returns: self.returns.clone(),
        }
    }
    /// Puts back what was replaced.
    pub(super) fn restore(&mut self, context: Context) {
        let Context { names, view, process, repeats, returns } = context;
        (self.names, self.view, self.process, self.repeats, self.returns) =
            (names, view, process, repeats, returns);
    }
    /// `local := value`
    pub(super) fn set(&mut self, local: LocalId, value: Expr) {
        self.out.push(Stmt::Assign(target(IrPlace::Local(local)), value));
    }
}

/// The surroundings of a piece of code.
pub(super) struct Context {
    names: Vec<(String, Entity)>,
    view: View,
    process: Option<ProcessId>,
    repeats: bool,
    returns: Returns,
}

/// A place with a checked store.
pub(super) fn target(place: IrPlace) -> Target {
    Target { place, store: Store::Checked }
}

impl Lower<'_> {
    /// Keeps the present value of an expression in a local, unless it cannot change.
    pub(super) fn spill(&mut self, b: &mut Body, value: Expr) -> Expr {
        if matches!(value, Expr::Const(_)) {
            return value;
        }
        let range = range_of(&value, &self.net, &b.frame);
        let local = b.fresh("t", range, None);
        b.set(local, value);
        Expr::Local(local)
    }
}
