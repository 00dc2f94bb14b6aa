//! Variables and their types.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::Range;
use beeline_ir::network::SymbolTable;
use beeline_ir::origin::{Origin, Span};
use beeline_ir::relation::{RelationRole, RelationVar};
use beeline_ir::{EnumId, VarId};

use super::{Lower, Res};
use crate::ast::{ExprKind, Ident, Item, Role, TypeExpr, TypeKind};
use crate::hierarchy::{InstanceId, Shape};
use crate::lex::MAX_WIDTH;
use crate::types::{Table, Type, Value};

/// Most variables, and elements of one array.
const MAX_VARS: usize = 200_000;

/// Integers of variables lie between minus this and this.
const MAX_INT: i64 = 1 << 40;

/// The kinds of words in the native indices of a variable's origin: `[kind, width]`.
pub(crate) const UNSIGNED: i64 = 1;
pub(crate) const SIGNED: i64 = 2;

/// The input that says which process takes the step.
const SELECTOR: &str = "_process_selector_";

impl<'a> Lower<'a, '_> {
    /// Declares all variables, in the order in which the instances are written.
    pub fn variables(&mut self) {
        if let Some(main) = self.hierarchy.instances.ids().next() {
            self.variables_of(main);
            self.clashes(main);
        }
        if self.hierarchy.processes.len() > 1 {
            let names = self.hierarchy.processes.iter().map(|name| Value::Symbol(name.as_str().into()));
            let ty = Type::Enum(Table::new(names.collect()));
            self.selector = self.add_var(RelationRole::Input, SELECTOR.to_string(), ty, None).ok();
        }
    }

    fn variables_of(&mut self, at: InstanceId) {
        for item in self.hierarchy.instances[at].items.clone() {
            match item {
                Item::Constants(all) => self.symbols.extend(all.iter().map(|symbol| symbol.name.as_str())),
                Item::Var(role, name, of) => match &of.kind {
                    TypeKind::Instance(..) => self.child_variables(at, name),
                    _ => match self.shape(*role, &self.hierarchy.instances[at].full(&name.name), of, at) {
                        Ok(shape) => self.hierarchy.declare(at, &name.name, shape),
                        Err(wrong) => self.messages.add(wrong),
                    },
                },
                _ => {}
            }
        }
    }

    fn child_variables(&mut self, at: InstanceId, name: &'a Ident) {
        if let Some(child) = self.hierarchy.child_named(at, &name.name) {
            self.variables_of(child);
        }
    }

    /// A symbol is known everywhere, so nothing in `main` may have its name.
    fn clashes(&mut self, main: InstanceId) {
        let mut symbols: Vec<&str> = self.symbols.iter().copied().collect();
        symbols.sort_unstable();
        for symbol in symbols.into_iter().filter(|symbol| self.hierarchy.declares(main, symbol)) {
            let message = format!("`{symbol}` is a symbol of a type and is declared in `main`");
            let place = self.place_of(main, symbol);
            self.messages.error("E0811", message, place);
        }
    }

    fn place_of(&self, at: InstanceId, wanted: &str) -> Option<Span> {
        self.hierarchy.instances[at].items.iter().find_map(|item| match item {
            Item::Var(_, name, _) if name.name == wanted => Some(name.span),
            Item::Define(path, _) if matches!(&path.kind, ExprKind::Name(n) if n == wanted) => {
                Some(path.span)
            }
            _ => None,
        })
    }

    /// Declares a variable, or all of an array.
    fn shape(&mut self, role: Role, name: &str, of: &'a TypeExpr, at: InstanceId) -> Res<Shape> {
        let TypeKind::Array(low, high, element) = &of.kind else {
            let ty = self.scalar(of, at)?;
            let role = match role {
                Role::State => RelationRole::State,
                Role::Input => RelationRole::Input,
                Role::Frozen => RelationRole::Frozen,
            };
            return self.add_var(role, name.to_string(), ty, Some(of.span)).map(Shape::Scalar);
        };
        let range = Range::new(self.constant_int(low, at)?, self.constant_int(high, at)?);
        if range.size() == 0 {
            return Err(Diagnostic::error("E0817", "an array without elements", Some(of.span)));
        }
        if range.size() > MAX_VARS as u128 {
            return Err(too_many(of.span));
        }
        let mut elements = Vec::new();
        for index in range.values() {
            elements.push(self.shape(role, &format!("{name}[{index}]"), element, at)?);
        }
        Ok(Shape::Array(range.lo, elements))
    }

    fn add_var(&mut self, role: RelationRole, name: String, ty: Type, span: Option<Span>) -> Res<VarId> {
        if self.relation.vars.len() >= MAX_VARS {
            return Err(too_many(span.unwrap_or_default()));
        }
        self.spend(name.len(), span.unwrap_or_default())?;
        let native = match ty {
            Type::Word { signed, width } => vec![if signed { SIGNED } else { UNSIGNED }, i64::from(width)],
            _ => Vec::new(),
        };
        let (symbols, ty) = self.named_values(ty);
        let origin = span.map(|span| Origin { file: 0, span, native });
        let var = RelationVar { name, role, range: ty.range(), symbols, origin };
        self.types.push(ty);
        Ok(self.relation.vars.push(var))
    }

    /// The names of a type's values, and the type with the list that all such types share.
    fn named_values(&mut self, ty: Type) -> (Option<EnumId>, Type) {
        if let Some((id, known)) = self.tables.get(&ty) {
            return (Some(*id), known.clone());
        }
        let symbols: Vec<(i64, String)> = match &ty {
            Type::Bool => vec![(0, "FALSE".into()), (1, "TRUE".into())],
            Type::Enum(table) => (0..).zip(table.values().iter().map(Value::to_string)).collect(),
            Type::Int(_) | Type::Word { .. } => return (None, ty),
        };
        // No name of the language has a blank, so these clash with none.
        let name = match ty {
            Type::Bool => "boolean".to_string(),
            _ => format!("type {}", self.relation.enums.len() + 1),
        };
        let id = self.relation.enums.push(SymbolTable { name, symbols });
        self.tables.insert(ty.clone(), (id, ty.clone()));
        (Some(id), ty)
    }

    /// A type that is no array.
    fn scalar(&mut self, of: &'a TypeExpr, at: InstanceId) -> Res<Type> {
        match &of.kind {
            TypeKind::Boolean => Ok(Type::Bool),
            TypeKind::Enum(values) => self.enumeration(values, of.span, at),
            TypeKind::Range(low, high) => {
                let range = Range::new(self.constant_int(low, at)?, self.constant_int(high, at)?);
                if range.size() == 0 {
                    let message = format!("the range {}..{} is empty", range.lo, range.hi);
                    return Err(Diagnostic::error("E0817", message, Some(of.span)));
                }
                if range.lo < -MAX_INT || range.hi > MAX_INT {
                    return Err(Diagnostic::error("E0817", "a range beyond 40 bits", Some(of.span)));
                }
                Ok(Type::Int(range))
            }
            TypeKind::Word(signed, width) => {
                let bits = self.constant_int(width, at)?;
                match u32::try_from(bits) {
                    Ok(width @ 1..=MAX_WIDTH) => Ok(Type::Word { signed: *signed, width }),
                    Ok(1..) => {
                        let message = format!("words of more than {MAX_WIDTH} bits are not supported");
                        Err(Diagnostic::unsupported("U0802", message, Some(width.span)))
                    }
                    _ => Err(Diagnostic::error("E0817", "a word has at least one bit", Some(width.span))),
                }
            }
            TypeKind::Unsupported(what) => {
                let message = format!("the type `{what}` is not supported: it has no end of values");
                Err(Diagnostic::unsupported("U0803", message, Some(of.span)))
            }
            TypeKind::Array(..) | TypeKind::Instance(..) => {
                let message = "an array has elements of a type with values";
                Err(Diagnostic::error("E0817", message, Some(of.span)))
            }
        }
    }

    fn enumeration(&mut self, values: &'a [crate::ast::Expr], span: Span, at: InstanceId) -> Res<Type> {
        let mut all: Vec<Value> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for value in values {
            let value = match &value.kind {
                ExprKind::Name(name) if !self.hierarchy.declares(at, name) => {
                    self.symbols.insert(name);
                    Value::Symbol(name.as_str().into())
                }
                ExprKind::Bool(_) => {
                    let message = "a truth value is no value of an enumeration";
                    return Err(Diagnostic::error("E0817", message, Some(value.span))
                        .with_help("the type of truth values is `boolean`"));
                }
                ExprKind::Name(name) => {
                    let message = format!("`{name}` is declared otherwise, and is no symbol here");
                    return Err(Diagnostic::error("E0811", message, Some(value.span)));
                }
                _ => Value::Int(self.constant_int(value, at)?),
            };
            if seen.insert(value.clone()) {
                all.push(value);
            }
        }
        if all.len() > MAX_VARS {
            return Err(too_many(span));
        }
        Ok(Type::of_values(all))
    }
}

fn too_many(span: Span) -> Diagnostic {
    let message = "more than 200,000 variables, elements of an array, or values of a type";
    Diagnostic::error("E0821", message, Some(span))
}
