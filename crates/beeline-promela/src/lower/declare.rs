//! Variables. A record is as many variables as it has leaves; an array of records is a leaf of several dimensions. A
//! variable that holds a channel of its own and is never written is that channel.

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::expr::Range;
use beeline_ir::network::{Channel, ChannelKind, Var};
use beeline_ir::origin::Span;
use beeline_ir::{ChannelId, EnumId, ProcessId, VarId};

use super::{Instance, Lower, MAX_CELLS, MAX_CHANNELS, Res};
use crate::ast::{Arg, Decl, Document, Expr, ExprKind, Init, Name, Ref, StmtKind, Type, walk};

/// Levels of records in records.
const MAX_LEVELS: usize = 40;

/// A declared variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub leaves: Vec<Leaf>,
}

/// A part of a variable that is no record.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// Fields that lead to it.
    pub path: Vec<Name>,
    /// Number of elements of the variable, and of each field on the way.
    pub dims: Vec<Option<u32>>,
    pub kind: LeafKind,
    pub ty: Type,
}

/// What a leaf is in the network.
#[derive(Copy, Clone, Debug)]
pub(super) enum LeafKind {
    Var(VarId),
    /// A channel that is always this one, or an array of such.
    Channel(ChannelId),
}

/// The values of a type.
pub(super) fn range(ty: &Type) -> Range {
    match ty {
        Type::Bit => Range::BOOL,
        Type::Byte | Type::Mtype(_) | Type::Pid => Range::new(0, 255),
        Type::Short => Range::new(-(1 << 15), (1 << 15) - 1),
        Type::Int => Range::new(-(1 << 31), (1 << 31) - 1),
        Type::Unsigned(bits) => Range::new(0, (1 << bits) - 1),
        Type::Chan | Type::Record(_) => Range::new(0, MAX_CHANNELS as i64),
    }
}

/// A leaf that is about to be made.
struct Wish<'d> {
    path: Vec<Name>,
    dims: Vec<Option<u32>>,
    ty: Type,
    init: Option<&'d Init>,
}

impl<'a> Lower<'a, '_> {
    /// Declares the global variables.
    pub(super) fn global_variables(&mut self) {
        let document = self.document;
        for decl in &document.globals {
            if self.globals.contains_key(&decl.name) {
                self.messages.error("E0922", format!("`{}` is declared twice", decl.written), decl.span);
                continue;
            }
            match self.declare(decl, None, None, false) {
                Ok(variable) => drop(self.globals.insert(decl.name.clone(), variable)),
                Err(wrong) => self.messages.add(wrong),
            }
        }
    }

    /// Declares a variable. For one of a process, the instance so far helps to compute initial values; one that is
    /// late gets its value from who starts the process.
    pub(super) fn declare(
        &mut self,
        decl: &'a Decl,
        owner: Option<ProcessId>,
        instance: Option<&Instance>,
        late: bool,
    ) -> Res<Variable> {
        let mut wishes = Vec::new();
        let base = Wish { path: Vec::new(), dims: Vec::new(), ty: decl.ty.clone(), init: decl.init.as_ref() };
        self.leaves(decl, base, 0, &mut wishes)?;
        let assigned = self.channels.is_assigned(instance.map(|i| i.proto), &decl.name);
        let mut leaves = Vec::new();
        for wish in wishes {
            let kind = self.leaf(decl, &wish, owner, instance, late, assigned)?;
            leaves.push(Leaf { path: wish.path, dims: wish.dims, kind, ty: wish.ty });
        }
        Ok(Variable { leaves })
    }

    fn leaves(&self, decl: &'a Decl, mut wish: Wish<'a>, level: usize, found: &mut Vec<Wish<'a>>) -> Res<()> {
        let len = match &decl.len {
            Some(len) => {
                let most = i64::try_from(MAX_CELLS).unwrap_or(i64::MAX);
                Some(self.count(len, 1, most, "the number of elements")? as u32)
            }
            None => None,
        };
        wish.dims.push(len);
        let Type::Record(name) = &decl.ty else {
            found.push(wish);
            return Ok(());
        };
        let Some(record) = self.records.get(name) else {
            let message = format!("there is no type `{name}`");
            return Err(Diagnostic::error("E0920", message, Some(decl.span)));
        };
        if level >= MAX_LEVELS || found.len() > 10_000 {
            return Err(Diagnostic::error("E0908", "records are nested too deeply", Some(decl.span)));
        }
        if wish.init.is_some() {
            return Err(Diagnostic::error("E0927", "a record has no initial value", Some(decl.span)));
        }
        for field in &record.fields {
            let mut path = wish.path.clone();
            path.push(field.name.clone());
            let (dims, init) = (wish.dims.clone(), field.init.as_ref());
            self.leaves(field, Wish { path, dims, ty: field.ty.clone(), init }, level + 1, found)?;
        }
        Ok(())
    }

    /// The flat list of ranges that fields of these types have.
    pub(super) fn message_fields(&self, fields: &'a [(Type, Span)]) -> Res<Vec<(Range, Option<EnumId>)>> {
        let mut found = Vec::new();
        for (ty, span) in fields {
            match ty {
                Type::Record(name) => {
                    let Some(record) = self.records.get(name) else {
                        return Err(Diagnostic::error(
                            "E0920",
                            format!("there is no type `{name}`"),
                            Some(*span),
                        ));
                    };
                    for field in &record.fields {
                        let wish = Wish {
                            path: Vec::new(),
                            dims: Vec::new(),
                            ty: field.ty.clone(),
                            init: field.init.as_ref(),
                        };
                        let mut wishes = Vec::new();
                        self.leaves(field, wish, 0, &mut wishes)?;
                        for wish in wishes {
                            let elements: u64 = wish.dims.iter().map(|d| u64::from(d.unwrap_or(1))).product();
                            if elements > 1000 {
                                let message = "a message has too many fields";
                                return Err(Diagnostic::error("E0926", message, Some(*span)));
                            }
                            found.extend((0..elements).map(|_| (range(&wish.ty), self.names_of(&wish.ty))));
                        }
                    }
                }
                ty => found.push((range(ty), self.names_of(ty))),
            }
        }
        // A bit that is all of a message is kept as a byte, too.
        if let [(only, _)] = found.as_mut_slice()
            && *only == Range::BOOL
        {
            *only = range(&Type::Byte);
        }
        Ok(found)
    }

    /// The names of a type's values.
    fn names_of(&self, ty: &Type) -> Option<EnumId> {
        let Type::Mtype(set) = ty else { return None };
        self.mtype_tables.get(set).copied()
    }

    fn leaf(
        &mut self,
        decl: &'a Decl,
        wish: &Wish<'a>,
        owner: Option<ProcessId>,
        instance: Option<&Instance>,
        late: bool,
        assigned: bool,
    ) -> Res<LeafKind> {
        let elements: u64 = wish.dims.iter().map(|d| u64::from(d.unwrap_or(1))).product();
        let len = wish.dims.iter().any(Option::is_some).then_some(elements.min(u64::from(u32::MAX)) as u32);
        let wish_name =
            std::iter::once(&decl.name).chain(&wish.path).map(|n| &**n).collect::<Vec<_>>().join(".");
        self.take_cells(elements, decl.span)?;
        // Spin's verifier keeps a whole byte for every element of an array of bits.
        let array = wish.ty == Type::Bit && matches!(wish.dims.last(), Some(Some(_)));
        let first = match wish.init {
            Some(Init::Value(value)) => is_bit(self.document, value),
            Some(Init::List(values)) => values.iter().all(|value| is_bit(self.document, value)),
            _ => true,
        };
        let byte = array && !(first && only_bits(self.document, wish.path.last().unwrap_or(&decl.name)));
        let kept = if byte { range(&Type::Byte) } else { range(&wish.ty) };
        let mut init = vec![0; elements as usize];
        let mut constant_channel = None;
        match wish.init {
            Some(Init::Channel { capacity, fields }) => {
                if wish.ty != Type::Chan {
                    return Err(Diagnostic::error("E0927", "only a `chan` holds a channel", Some(decl.span)));
                }
                let name = self.owned_name(&wish_name, owner, assigned);
                let id = self.channel(name, capacity, fields, len, owner, decl.span)?;
                let first = 1 + self.network.first_element(id) as i64;
                init = (first..).take(elements as usize).collect();
                constant_channel = (!assigned).then_some(id);
            }
            Some(Init::Value(_)) if late => {}
            Some(Init::Value(value)) => {
                let value = kept.wrap(self.constant(value, instance)?);
                init.fill(value);
            }
            Some(Init::List(values)) => {
                if decl.len.is_none() || values.len() > elements as usize {
                    let message = format!("{elements} elements and {} values", values.len());
                    return Err(Diagnostic::error("E0927", message, Some(decl.span)));
                }
                // The last value is that of all elements that are left.
                let mut last = 0;
                for (i, cell) in init.iter_mut().enumerate() {
                    if let Some(value) = values.get(i) {
                        last = kept.wrap(self.constant(value, instance)?);
                    }
                    *cell = last;
                }
            }
            None => {}
        }
        if let Some(id) = constant_channel {
            return Ok(LeafKind::Channel(id));
        }
        let name = self.owned_name(&wish_name, owner, false);
        let symbols = self.names_of(&wish.ty);
        let origin = self.sources.origin(decl.span, Vec::new());
        let var = Var { name, owner, range: kept, len, init, symbols, origin };
        Ok(LeafKind::Var(self.network.vars.push(var)))
    }

    /// The name of a variable or channel: a global one must differ from those of processes.
    fn owned_name(&mut self, wish: &str, owner: Option<ProcessId>, beside: bool) -> String {
        let wish = if beside { format!("{wish}'s channel") } else { wish.to_string() };
        if owner.is_none() { self.unique(&wish) } else { wish }
    }

    fn channel(
        &mut self,
        name: String,
        capacity: &'a Expr,
        fields: &'a [(Type, Span)],
        len: Option<u32>,
        owner: Option<ProcessId>,
        span: Span,
    ) -> Res<ChannelId> {
        let capacity = self.count(capacity, 0, 65_535, "the capacity of a channel")? as u32;
        let (fields, symbols) = self.message_fields(fields)?.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        let elements = len.unwrap_or(1) as usize;
        let before: usize = self.network.channels.iter().map(Channel::elements).sum();
        if before + elements > MAX_CHANNELS {
            let message = format!("the model has more than {MAX_CHANNELS} channels");
            return Err(Diagnostic::error("E0930", message, Some(span)));
        }
        self.take_cells(elements as u64 * u64::from(capacity) * (1 + fields.len() as u64), span)?;
        let kind = if capacity == 0 { ChannelKind::Rendezvous } else { ChannelKind::Buffered { capacity } };
        let origin = self.sources.origin(span, Vec::new());
        let priority = vec![0; elements];
        Ok(self.network.channels.push(Channel {
            name,
            owner,
            len,
            kind,
            fields,
            symbols,
            urgent: false,
            priority,
            origin,
        }))
    }

    fn take_cells(&mut self, cells: u64, span: Span) -> Res<()> {
        self.cells = self.cells.saturating_add(cells);
        if self.cells <= MAX_CELLS {
            return Ok(());
        }
        let message = format!("the variables and channels have more than {MAX_CELLS} cells");
        Err(Diagnostic::error("E0930", message, Some(span)))
    }

    /// Points out something that is probably not meant.
    pub(super) fn warn(&mut self, message: impl Into<String>, span: Span) {
        self.messages.note(Severity::Warning, "W0902", message, span);
    }
}

/// Whether all that is ever assigned to a variable or field of a name is 0 or 1, as far as one sees.
fn only_bits(document: &Document, name: &Name) -> bool {
    let meant = |to: &Ref| to.parts.last().is_some_and(|(last, _)| last == name);
    let mut only = true;
    for proc in &document.procs {
        walk(&proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::Assign(to, value) => only &= !meant(to) || is_bit(document, value),
            StmtKind::Receive(receive) => {
                only &= !receive.args.iter().any(|arg| matches!(arg, Arg::Ref(to) if meant(to)));
            }
            _ => {}
        });
    }
    only
}

fn is_bit(document: &Document, expr: &Expr) -> bool {
    let bit = |e: &Expr| is_bit(document, e);
    match &expr.kind {
        ExprKind::Int(value) => (0..=1).contains(value),
        ExprKind::Unary("!", _) | ExprKind::Many(..) | ExprKind::Poll(_) | ExprKind::Timeout => true,
        ExprKind::Binary("==" | "!=" | "<" | ">" | "<=" | ">=", ..) => true,
        ExprKind::Binary("-", one, e) => matches!(one.kind, ExprKind::Int(1)) && bit(e),
        ExprKind::If(_, a, b) => bit(a) && bit(b),
        ExprKind::Ref(found) => {
            let declared = document.globals.iter().chain(document.procs.iter().flat_map(|proc| &proc.locals));
            let mut named = declared.filter(|decl| decl.name == found.parts[0].0).peekable();
            found.parts.len() == 1
                && named.peek().is_some()
                && named.all(|decl| decl.ty == Type::Bit && decl.len.is_none())
        }
        _ => false,
    }
}
