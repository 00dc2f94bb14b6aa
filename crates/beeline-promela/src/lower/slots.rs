//! Which processes there are: those from the start, numbered in the order of their process types, then the slots that
//! `run` fills. How many slots a process type needs is known where no `run` of it can be executed twice.

use std::collections::{BTreeSet, HashMap};

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::Expr as IrExpr;
use beeline_ir::network::{Process, Role};
use beeline_ir::origin::Span;
use beeline_ir::{FamilyId, IdVec, LocationId, ProcessId};

use super::declare::{LeafKind, Variable};
use super::{Instance, Lower, MAX_PROCESSES, Res};
use crate::ast::{self, ExprKind, Init, Run, Stmt, StmtKind, Type, walk_expr};
use crate::graph::Action;

/// The priority of a process that is given none.
const LEAST: i32 = 1;

/// By process type.
struct Priorities {
    /// That of the processes that exist from the start.
    declared: Vec<i32>,
    /// Those that `run` gives.
    given: Vec<BTreeSet<i32>>,
}

impl<'a> Lower<'a, '_> {
    /// Makes all processes with their variables.
    pub(super) fn make_processes(&mut self) {
        let mut starting = Vec::new();
        for proto in 0..self.protos.len() {
            let count = match &self.protos[proto].proc.active {
                Some(count) => self.count(count, 0, MAX_PROCESSES as i64, "the number of processes"),
                None => Ok(0),
            };
            match count {
                Ok(count) => starting.push(count),
                Err(wrong) => {
                    self.messages.add(wrong);
                    starting.push(0);
                }
            }
        }
        let total: usize = starting.iter().sum();
        if total > MAX_PROCESSES {
            let message = format!("more than {MAX_PROCESSES} processes exist at the start");
            let most = (0..starting.len()).max_by_key(|&proto| starting[proto]);
            let span = most.map(|proto| self.protos[proto].proc.span);
            return self.messages.add(Diagnostic::error("E0930", message, span));
        }
        let bounds = self.bounds(&starting);
        let priorities = self.priorities();
        let mut pid = 0;
        for (proto, count) in starting.iter().enumerate() {
            for i in 0..*count {
                let base = self.protos[proto].proc.name.to_string();
                let alone = *count == 1 && bounds[proto] == Some(0);
                let wish = if alone { base } else { format!("{base}({})", pid + i) };
                let process = self.process_slot(proto, &wish, Some((pid + i) as i64));
                self.network.processes[process].priority = priorities.declared[proto];
            }
            pid += count;
        }
        for (proto, bound) in bounds.iter().enumerate() {
            if bound.is_none() {
                self.open.insert(proto);
            }
            let room = MAX_PROCESSES - total;
            let count = bound.unwrap_or(self.slots).min(room);
            if *bound == Some(0) || count == 0 {
                continue;
            }
            self.protos[proto].late = self.late_variables(proto);
            for (kind, priority) in priorities.given[proto].iter().enumerate() {
                let family = self.family(proto, *priority);
                for i in 1..=count.min(room.saturating_sub(kind * count)) {
                    let wish = format!("{}#{}", self.protos[proto].proc.name, kind * count + i);
                    let process = self.process_slot(proto, &wish, None);
                    self.network.families[family].slots.push(process);
                    let made = &mut self.network.processes[process];
                    (made.family, made.priority) = (Some(family), *priority);
                }
            }
        }
    }

    /// The priorities that processes have; all are the same in a model that names none.
    fn priorities(&mut self) -> Priorities {
        let mut named: Vec<BTreeSet<i32>> = vec![BTreeSet::new(); self.protos.len()];
        let mut wrong = Vec::new();
        let mut any = self.document.procs.iter().any(|proc| proc.priority.is_some());
        for step in self.protos.iter().flat_map(|proto| &proto.graph.places).flat_map(|place| &place.steps) {
            let Action::Stmt(stmt) = step.action else { continue };
            runs(stmt, &mut |run, _| {
                any |= run.priority.is_some();
                let given = self.priority(run.priority.as_deref());
                match (self.proto(&run.proc), given) {
                    (Some(started), Ok(given)) => drop(named[started].insert(given)),
                    (None, _) => {}
                    (_, Err(message)) => wrong.push(message),
                }
            });
        }
        let mut declared = Vec::new();
        for proto in &self.protos {
            declared.push(self.priority(proto.proc.priority.as_ref()).unwrap_or_else(|message| {
                wrong.push(message);
                LEAST
            }));
        }
        wrong.into_iter().for_each(|message| self.messages.add(message));
        if !any {
            declared.fill(0);
            named.iter_mut().for_each(|given| *given = BTreeSet::from([0]));
        }
        Priorities { declared, given: named }
    }

    /// The value of a priority: that of a process type is about those from the start alone, as in Spin.
    fn priority(&self, given: Option<&ast::Expr>) -> Res<i32> {
        given.map_or(Ok(LEAST), |given| Ok(self.count(given, 1, 255, "a priority")? as i32))
    }

    /// Where the process that a `run` starts finds a slot.
    pub(super) fn started(&self, run: &Run) -> Option<FamilyId> {
        let families = &self.protos[self.proto(&run.proc)?].families;
        let given = self.priority(run.priority.as_deref()).ok()?;
        families.get(&given).or_else(|| families.get(&0)).copied()
    }

    /// How often each process type can be started by `run`; `None` if nobody knows.
    fn bounds(&self, starting: &[usize]) -> Vec<Option<usize>> {
        // Who starts whom, from a place that is come back to or not.
        let mut sites: Vec<Vec<(usize, bool)>> = vec![Vec::new(); self.protos.len()];
        for (host, proto) in self.protos.iter().enumerate() {
            let repeated = proto.graph.repeated();
            let mut seen: HashMap<*const Run, (usize, bool)> = HashMap::new();
            for (place, again) in proto.graph.places.iter().zip(repeated) {
                for step in &place.steps {
                    let Action::Stmt(stmt) = step.action else { continue };
                    runs(stmt, &mut |run, looped| {
                        let Some(started) = self.proto(&run.proc) else { return };
                        let entry = seen.entry(std::ptr::from_ref(run)).or_insert((started, false));
                        entry.1 |= looped || again;
                    });
                }
            }
            let mut found: Vec<(usize, bool)> = seen.into_values().collect();
            found.sort_unstable();
            found.into_iter().for_each(|(started, again)| sites[started].push((host, again)));
        }
        // As many rounds as there are process types settle what can be settled; the rest starts itself in a circle.
        let mut bounds: Vec<Option<usize>> = vec![None; self.protos.len()];
        for _ in 0..=self.protos.len() {
            for proto in 0..self.protos.len() {
                let total = sites[proto].iter().map(|(host, again)| {
                    let hosts = bounds[*host].map(|n| n + starting[*host]);
                    match hosts {
                        Some(0) => Some(0),
                        _ if *again => None,
                        hosts => hosts,
                    }
                });
                bounds[proto] = total.sum::<Option<usize>>().map(|n| n.min(MAX_PROCESSES));
            }
        }
        // A process type that is never started at all starts nobody, whatever the circle.
        let mut alive: Vec<bool> = starting.iter().map(|n| *n > 0).collect();
        for _ in 0..self.protos.len() {
            for proto in 0..self.protos.len() {
                let started = sites[proto].iter().any(|(host, _)| alive[*host]);
                alive[proto] |= started;
            }
        }
        bounds.iter().zip(alive).map(|(bound, alive)| if alive { *bound } else { Some(0) }).collect()
    }

    /// Variables whose initial values depend on parameters, on other variables, or on the number of the process.
    fn late_variables(&self, proto: usize) -> Vec<usize> {
        let proc = self.protos[proto].proc;
        let depends = |i: &usize| match &proc.locals[*i].init {
            Some(Init::Value(value)) => !is_plain(value, &|name| self.mtypes.contains_key(name)),
            _ => false,
        };
        (proc.params..proc.locals.len()).filter(depends).collect()
    }

    fn process_slot(&mut self, proto: usize, wish: &str, pid: Option<i64>) -> ProcessId {
        let name = self.unique(wish);
        let proc = self.protos[proto].proc;
        let process = Process {
            name,
            role: Role::System,
            family: None,
            params: Vec::new(),
            priority: 0,
            locations: IdVec::new(),
            initial: LocationId::new(0),
            edges: IdVec::new(),
            origin: self.sources.origin(proc.span, Vec::new()),
        };
        let id = self.network.processes.push(process);
        self.protos[proto].processes.push(id);
        let mut instance = Instance { proto, pid, symbols: HashMap::new() };
        let mut params = Vec::new();
        for (i, decl) in proc.locals.iter().enumerate() {
            let late = pid.is_none() && self.protos[proto].late.contains(&i);
            let declared = self.declare(decl, Some(id), Some(&instance), late).and_then(|variable| {
                if pid.is_none() && (i < proc.params || late) {
                    params.push((i, parameter(decl, &variable)?));
                }
                Ok(variable)
            });
            match declared {
                Ok(variable) => drop(instance.symbols.insert(decl.name.clone(), variable)),
                Err(wrong) => self.messages.add(wrong),
            }
        }
        self.network.processes[id].params = params.into_iter().map(|(_, var)| var).collect();
        self.instances.push(instance);
        id
    }

    /// What a `run` hands to the process it starts: its arguments, then the values of late variables.
    pub(super) fn start_arguments(
        &mut self,
        run: &'a Run,
        process: ProcessId,
        span: Span,
    ) -> Res<Vec<IrExpr>> {
        let Some(proto) = self.proto(&run.proc) else {
            let message = format!("there is no process type `{}`", run.proc);
            return Err(Diagnostic::error("E0920", message, Some(span)));
        };
        let proc = self.protos[proto].proc;
        if run.args.len() != proc.params {
            let message = format!("`{}` takes {} arguments, not {}", run.proc, proc.params, run.args.len());
            return Err(Diagnostic::error("E0928", message, Some(span)));
        }
        let mut arguments = Vec::new();
        for arg in &run.args {
            arguments.push(self.computed(arg, Some(process))?);
        }
        let mut known: HashMap<ast::Name, IrExpr> = HashMap::new();
        for (decl, value) in proc.locals.iter().zip(&arguments) {
            known.insert(decl.name.clone(), self.narrow(stored(value.clone(), &decl.ty)));
        }
        for i in self.protos[proto].late.clone() {
            let decl = &proc.locals[i];
            let Some(Init::Value(init)) = &decl.init else { continue };
            let value = self.initialiser(init, proto, &known)?;
            known.insert(decl.name.clone(), stored(value.clone(), &decl.ty));
            arguments.push(value);
        }
        Ok(arguments)
    }

    /// The initial value of a variable of a process that is being started, seen from who starts it.
    fn initialiser(
        &mut self,
        init: &'a ast::Expr,
        proto: usize,
        known: &HashMap<ast::Name, IrExpr>,
    ) -> Res<IrExpr> {
        let outer = self.substitution.replace((proto, known.clone()));
        let value = self.expr(init, None);
        self.substitution = outer;
        value
    }
}

/// The variable that takes an argument.
fn parameter(decl: &ast::Decl, variable: &Variable) -> Res<beeline_ir::VarId> {
    match variable.leaves.as_slice() {
        [leaf] if leaf.path.is_empty() && decl.len.is_none() => match leaf.kind {
            LeafKind::Var(var) => return Ok(var),
            LeafKind::Channel(_) => {}
        },
        _ => {}
    }
    let message =
        format!("`{}`: only a plain variable takes its value when its process starts", decl.written);
    Err(Diagnostic::unsupported("U0906", message, Some(decl.span)))
}

/// A value as a variable of this type keeps it.
pub(super) fn stored(value: IrExpr, ty: &Type) -> IrExpr {
    use beeline_ir::expr::BinaryOp;
    let range = super::declare::range(ty);
    match value {
        IrExpr::Const(value) => IrExpr::Const(range.wrap(value)),
        value if range.lo == 0 && *ty != Type::Chan => {
            value.binary(BinaryOp::BitAnd, IrExpr::Const(range.hi))
        }
        value => value,
    }
}

/// Whether an expression is a constant, whatever the process.
pub(super) fn is_plain(expr: &ast::Expr, symbol: &dyn Fn(&str) -> bool) -> bool {
    match &expr.kind {
        ExprKind::Int(_) => true,
        ExprKind::Ref(found) => {
            found.parts.len() == 1 && found.parts[0].1.is_none() && symbol(&found.parts[0].0)
        }
        ExprKind::Unary(_, e) => is_plain(e, symbol),
        ExprKind::Binary(_, a, b) => is_plain(a, symbol) && is_plain(b, symbol),
        ExprKind::Many(_, all) => all.iter().all(|e| is_plain(e, symbol)),
        _ => false,
    }
}

/// The `run`s of a statement, and whether each stands in a loop of a `d_step`.
pub(super) fn runs<'s>(stmt: &'s Stmt, visit: &mut impl FnMut(&'s Run, bool)) {
    let mut open = vec![(stmt, false)];
    while let Some((stmt, looped)) = open.pop() {
        match &stmt.kind {
            StmtKind::Expr(e) | StmtKind::Assign(_, e) | StmtKind::Assert(e) => {
                runs_in(e, &mut |run| visit(run, looped));
            }
            StmtKind::DStep(seq) | StmtKind::Atomic(seq) | StmtKind::Block(seq) => {
                open.extend(seq.iter().map(|s| (s, looped)));
            }
            StmtKind::If(options) => open.extend(options.iter().flatten().map(|s| (s, looped))),
            StmtKind::Do(options) => open.extend(options.iter().flatten().map(|s| (s, true))),
            _ => {}
        }
    }
}

/// The `run`s of an expression.
pub(super) fn runs_in<'s>(expr: &'s ast::Expr, visit: &mut impl FnMut(&'s Run)) {
    walk_expr(expr, &mut |e| {
        if let ExprKind::Run(run) = &e.kind {
            visit(run);
        }
    });
}
