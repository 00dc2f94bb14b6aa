//! Places: a declared thing, or a part of it, after records and arrays were taken apart. A record has one
//! variable for each field, `S a[3]` gives `a.f` with 3 cells, and arrays of several dimensions are stored row
//! by row.
//!
//! **Invariant.** `offset` counts parts of the place's own type from the start of each of its variables; it is
//! inside the variable wherever every condition of `inside` holds, or else the IR's own check fails.

use std::sync::Arc;

use beeline_ir::expr::{BinaryOp, Expr};
use beeline_ir::network::Var;
use beeline_ir::origin::{Origin, Span};
use beeline_ir::stmt::Place as IrPlace;
use beeline_ir::visit;
use beeline_ir::{ChannelId, ClockId, LocalId, ProcessId, VarId};

use super::Lower;
use super::body::Body;
use super::fault::{Fault, Res};
use super::fold::{and, binary, cond, range_of};
use super::types::Type;

/// Nodes of an index expression that is checked by itself; it is written down twice.
const MAX_INDEX: usize = 2000;

/// A constant array in the table of constants.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ConstId(pub usize);

/// The cells of a constant array, and the variable that holds them once somebody indexes it with a variable.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub name: String,
    pub owner: Option<ProcessId>,
    pub values: Arc<[i64]>,
    pub range: beeline_ir::expr::Range,
    pub var: Option<VarId>,
    pub origin: Option<Origin>,
}

/// Where cells of one kind live.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Cells {
    Var(VarId),
    Local(LocalId),
    Const(ConstId),
    Clocks(Arc<[ClockId]>),
    Channel(ChannelId),
}

/// Where a thing lives: its cells, or those of its fields.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Storage {
    Cells(Cells),
    Struct(Arc<[(String, Storage)]>),
}

/// A thing or a part of it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub storage: Storage,
    pub ty: Type,
    pub offset: Expr,
    pub inside: Vec<Expr>,
    /// Whether it is all of its variables.
    pub whole: bool,
    /// Whether it must not be assigned to, by the rules of the language.
    pub read_only: bool,
}

/// One cell: where, and at which index.
pub(super) struct Cell {
    pub cells: Cells,
    pub index: Expr,
    pub ty: Type,
}

impl Storage {
    /// Builds the storage of a type, leaf by leaf; `make` gets the name, type and length of each.
    pub(super) fn build(
        ty: &Type,
        name: &str,
        len: Option<u32>,
        make: &mut dyn FnMut(&str, &Type, Option<u32>) -> Cells,
    ) -> Storage {
        match ty {
            Type::Array(inner, dim) => {
                Self::build(inner, name, Some(len.unwrap_or(1).saturating_mul(dim.len)), make)
            }
            Type::Struct(fields) => Storage::Struct(
                fields
                    .iter()
                    .map(|(f, t)| (f.clone(), Self::build(t, &format!("{name}.{f}"), len, make)))
                    .collect(),
            ),
            leaf => Storage::Cells(make(name, leaf, len)),
        }
    }
    /// Whether some of it lives in the frame.
    pub(super) fn is_local(&self) -> bool {
        match self {
            Self::Cells(cells) => matches!(cells, Cells::Local(_)),
            Self::Struct(fields) => fields.iter().any(|(_, s)| s.is_local()),
        }
    }
    /// Whether it is constant.
    pub(super) fn is_const(&self) -> bool {
        match self {
            Self::Cells(cells) => matches!(cells, Cells::Const(_)),
            Self::Struct(fields) => fields.iter().any(|(_, s)| s.is_const()),
        }
    }
}

impl Place {
    /// All of a thing.
    pub(super) fn root(storage: Storage, ty: Type) -> Self {
        Self { storage, ty, offset: Expr::Const(0), inside: Vec::new(), whole: true, read_only: false }
    }
    /// The offset, which fails where it is outside.
    pub(super) fn index(&self) -> Expr {
        cond(and(self.inside.clone()), self.offset.clone(), Expr::Const(-1))
    }
    /// Every cell of it: those of its first variable, then those of the next.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let mut all = Vec::new();
        collect_cells(&self.storage, &self.ty, 1, &self.index(), &mut all);
        all
    }
    /// An element, without any check of the index, which counts from 0.
    pub(super) fn element(&self, index: u32) -> Option<Place> {
        let Type::Array(inner, dim) = &self.ty else { return None };
        let mut part = self.clone();
        part.ty = (**inner).clone();
        part.offset = flat(&self.offset, dim.len, Expr::Const(i64::from(index)));
        part.whole = false;
        Some(part)
    }
    /// A field.
    pub(super) fn field(&self, name: &str) -> Option<Place> {
        let (Storage::Struct(parts), Type::Struct(types)) = (&self.storage, &self.ty) else { return None };
        let position = types.iter().position(|(n, _)| n == name)?;
        let mut part = self.clone();
        part.storage = parts.get(position)?.1.clone();
        part.ty = types[position].1.clone();
        Some(part)
    }
}

fn flat(offset: &Expr, len: u32, index: Expr) -> Expr {
    let row = match offset {
        Expr::Const(0) => Expr::Const(0),
        other => binary(BinaryOp::Mul, other.clone(), Expr::Const(i64::from(len))),
    };
    binary(BinaryOp::Add, row, index)
}

fn collect_cells(storage: &Storage, ty: &Type, count: u32, offset: &Expr, all: &mut Vec<Cell>) {
    match (storage, ty) {
        (_, Type::Array(inner, dim)) => {
            collect_cells(storage, inner, count.saturating_mul(dim.len), offset, all);
        }
        (Storage::Struct(parts), Type::Struct(types)) => {
            for ((_, part), (_, ty)) in parts.iter().zip(types.iter()) {
                collect_cells(part, ty, count, offset, all);
            }
        }
        (Storage::Cells(cells), leaf) => all.extend((0..count).map(|k| Cell {
            cells: cells.clone(),
            index: flat(offset, count, Expr::Const(i64::from(k))),
            ty: leaf.clone(),
        })),
        (Storage::Struct(_), _) => {}
    }
}

impl Lower<'_> {
    /// An element; the index is checked where it could be outside.
    pub(super) fn element(&mut self, b: &Body, place: Place, index: Expr, span: Span) -> Res<Place> {
        let Type::Array(inner, dim) = &place.ty else {
            let message = format!("{} has no elements", place.ty.words());
            return Err(Fault::error("E0532", message, span).help("only an array can be indexed"));
        };
        let (inner, dim) = ((**inner).clone(), *dim);
        let index = binary(BinaryOp::Sub, index, Expr::Const(dim.lo));
        let (first, last) = (0, i64::from(dim.len) - 1);
        let mut part = place;
        let range = range_of(&index, &self.net, &b.frame);
        // The first dimension of a whole variable is checked by the IR.
        if !part.whole && (range.lo < first || range.hi > last) {
            let mut nodes = 0;
            visit::walk(&index, &mut |_| nodes += 1);
            if nodes > MAX_INDEX {
                return Err(Fault::unsupported("U0540", "this index is too large an expression", span)
                    .help("compute it into a variable first"));
            }
            let low = (range.lo < first).then(|| binary(BinaryOp::Ge, index.clone(), Expr::Const(first)));
            let high = (range.hi > last).then(|| binary(BinaryOp::Le, index.clone(), Expr::Const(last)));
            part.inside.push(and(low.into_iter().chain(high).collect()));
        }
        part.offset = flat(&part.offset, dim.len, index);
        part.ty = inner;
        part.whole = false;
        Ok(part)
    }

    /// Whether a place at this offset is a part of its variables.
    pub(super) fn is_inside(&self, place: &Place, offset: i64) -> bool {
        // They have the same number of elements, so the first one will do.
        let (mut storage, mut ty, mut count) = (&place.storage, &place.ty, 1);
        let cells = loop {
            match (storage, ty) {
                (_, Type::Array(inner, dim)) => (ty, count) = (inner, count * i64::from(dim.len)),
                (Storage::Struct(parts), Type::Struct(types)) => match (parts.first(), types.first()) {
                    (Some(part), Some(field)) => (storage, ty) = (&part.1, &field.1),
                    _ => return true,
                },
                (Storage::Cells(cells), _) => break cells,
                (Storage::Struct(_), _) => return true,
            }
        };
        let len = match cells {
            Cells::Var(var) => self.net.vars[*var].len,
            Cells::Const(id) => u32::try_from(self.tables.constants[id.0].values.len()).ok(),
            Cells::Clocks(clocks) => u32::try_from(clocks.len()).ok(),
            Cells::Channel(channel) => self.net.channels[*channel].len,
            Cells::Local(_) => None,
        };
        offset >= 0 && offset.saturating_mul(count) < i64::from(len.unwrap_or(1))
    }
    /// The value of a scalar place.
    pub(super) fn read(&mut self, b: &Body, place: &Place, span: Span) -> Res<Expr> {
        match &place.storage {
            Storage::Cells(cells) if place.ty.range().is_some() => {
                let cell = Cell { cells: cells.clone(), index: place.index(), ty: place.ty.clone() };
                self.read_cell(b, &cell, span)
            }
            _ => Err(match &place.ty {
                Type::Clock => Fault::error("E0538", "a clock is used as a number", span)
                    .help("compare the clock with a number, in a guard, invariant or query"),
                ty => Fault::error("E0532", format!("a number is needed here, not {}", ty.words()), span),
            }),
        }
    }
    /// The value of a cell.
    pub(super) fn read_cell(&mut self, b: &Body, cell: &Cell, span: Span) -> Res<Expr> {
        let index = cell.index.clone();
        Ok(match &cell.cells {
            Cells::Var(var) if self.net.vars[*var].len.is_none() => Expr::Var(*var),
            Cells::Var(var) => Expr::Elem(*var, Box::new(index)),
            Cells::Local(local) if b.frame[local.index()].len.is_none() => Expr::Local(*local),
            Cells::Local(local) => Expr::LocalElem(*local, Box::new(index)),
            Cells::Const(id) => {
                let values = &self.tables.constants[id.0].values;
                match &index {
                    Expr::Const(k) if usize::try_from(*k).is_ok_and(|k| k < values.len()) => {
                        Expr::Const(values[*k as usize])
                    }
                    _ => match self.constant_var(*id) {
                        Some(var) => Expr::Elem(var, Box::new(index)),
                        None => self.table(b, *id, &index, span)?,
                    },
                }
            }
            Cells::Clocks(_) | Cells::Channel(_) => {
                return Err(Fault::error("E0532", "a number is needed here", span));
            }
        })
    }
    /// The variable that holds a constant array; made when it is needed first.
    fn constant_var(&mut self, id: ConstId) -> Option<VarId> {
        let constant = &self.tables.constants[id.0];
        if constant.var.is_some() || self.frozen {
            return constant.var;
        }
        let var = Var {
            name: constant.name.clone(),
            owner: constant.owner,
            range: constant.range,
            len: u32::try_from(constant.values.len()).ok(),
            init: constant.values.to_vec(),
            symbols: None,
            origin: constant.origin.clone(),
        };
        let var = self.net.to_mut().vars.push(var);
        let tables = self.tables.to_mut();
        tables.constants[id.0].var = Some(var);
        tables.constant_vars.insert(var);
        Some(var)
    }
    /// A look-up in a constant array that is no variable of the model: nested choices over the index.
    fn table(&mut self, b: &Body, id: ConstId, index: &Expr, span: Span) -> Res<Expr> {
        fn choose(values: &[i64], first: i64, index: &Expr) -> Expr {
            match values {
                [value] => Expr::Const(*value),
                _ => {
                    let middle = values.len() / 2;
                    let (left, right) = values.split_at(middle);
                    let bound = first + middle as i64;
                    let low = binary(BinaryOp::Lt, index.clone(), Expr::Const(bound));
                    cond(low, choose(left, first, index), choose(right, bound, index))
                }
            }
        }
        let values = self.tables.constants[id.0].values.clone();
        let range = range_of(index, &self.net, &b.frame);
        let mut nodes = values.len();
        visit::walk(index, &mut |_| nodes += values.len());
        self.pay(nodes as u64, span)?;
        if range.lo < 0 || range.hi >= values.len() as i64 {
            let message = "a constant array is indexed here by something that may be outside of it";
            return Err(
                Fault::unsupported("U0540", message, span).help("index it by a variable of its index type")
            );
        }
        Ok(choose(&values, 0, index))
    }
    /// The place of a cell, to store into it.
    pub(super) fn cell_target(&self, b: &Body, cell: &Cell, span: Span) -> Res<IrPlace> {
        let index = cell.index.clone();
        Ok(match &cell.cells {
            Cells::Var(var) if self.net.vars[*var].len.is_none() => IrPlace::Var(*var),
            Cells::Var(var) => IrPlace::Elem(*var, index),
            Cells::Local(local) if b.frame[local.index()].len.is_none() => IrPlace::Local(*local),
            Cells::Local(local) => IrPlace::LocalElem(*local, index),
            Cells::Const(_) => return Err(Fault::error("E0537", "a constant cannot be assigned to", span)),
            Cells::Clocks(_) | Cells::Channel(_) => {
                return Err(Fault::error(
                    "E0537",
                    format!("{} is not assigned like this", cell.ty.words()),
                    span,
                ));
            }
        })
    }
}
