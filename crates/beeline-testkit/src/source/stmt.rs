//! Statements and functions.

use super::Printer;
use super::declare::default;
use super::expr::Level;
use beeline_ir::expr::{BinaryOp, Expr};
use beeline_ir::stmt::{Block, Function, Local, Place, Stmt, Target};
use beeline_ir::visit;

impl Printer<'_> {
    /// The functions of the model.
    pub(super) fn functions(&mut self) -> String {
        let network = self.network;
        let texts: Vec<String> = network.functions.iter().map(|f| self.function(f)).collect();
        texts.join("\n")
    }

    fn function(&mut self, function: &Function) -> String {
        let result = match function.result {
            Some(range) => self.range_type(range),
            None => "void".to_string(),
        };
        self.frame = function.frame.iter().map(|l| l.name.clone()).collect();
        let params: Vec<String> =
            function.frame[..function.params].iter().map(|l| self.parameter(l)).collect();
        let body = self.body(&function.frame, function.params, &function.body);
        // A body that ends without `return` gives the initial value of the range.
        let last = match (function.result, function.body.last()) {
            (None, _) | (_, Some(Stmt::Return(_))) => String::new(),
            (Some(range), _) => format!("return {};", default(range)),
        };
        format!("{result} {}({}) {{ {body} {last} }}", function.name, params.join(", "))
    }

    /// `type name` of a by-value parameter.
    pub(super) fn parameter(&mut self, local: &Local) -> String {
        let ty = self.range_type(local.range);
        let constant = if self.random.chance(30) { "const " } else { "" };
        format!("{constant}{ty} {}", local.name)
    }

    /// Local declarations and statements. The first locals are declared elsewhere.
    pub(super) fn body(&mut self, frame: &[Local], declared: usize, block: &Block) -> String {
        let mut bound = vec![false; frame.len()];
        visit::block_parts(block, &mut |e| {
            visit::walk(e, &mut |e| {
                if let Expr::Quantified(_, local, ..) = e
                    && let Some(entry) = bound.get_mut(local.index())
                {
                    *entry = true;
                }
            });
        });
        let mut text = String::new();
        for (at, local) in frame.iter().enumerate().skip(declared) {
            if bound[at] {
                continue;
            }
            let ty = self.range_type(local.range);
            let dims = local.len.map_or(String::new(), |n| format!("[{n}]"));
            let initial = default(local.range);
            let init = match local.len {
                None if self.random.chance(50) => format!(" = {initial}"),
                _ => String::new(),
            };
            text += &format!("{ty} {}{dims}{init}; ", local.name);
        }
        text + &self.block(block)
    }

    fn block(&mut self, block: &Block) -> String {
        let lines: Vec<String> = block.iter().map(|s| self.statement(s)).collect();
        lines.join(" ")
    }

    /// A statement inside a function.
    fn statement(&mut self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::If(c, then, otherwise) => {
                let c = self.truth(c, Level::Quantifier);
                let then = self.block(then);
                match otherwise.as_slice() {
                    [] if self.random.chance(50) => format!("if ({c}) {{ {then} }}"),
                    // `else` belongs to the nearest `if`.
                    [only] if self.random.chance(50) => {
                        format!("if ({c}) {{ {then} }} else {}", self.statement(only))
                    }
                    _ => format!("if ({c}) {{ {then} }} else {{ {} }}", self.block(otherwise)),
                }
            }
            Stmt::While(c, body) => {
                let c = self.truth(c, Level::Quantifier);
                let body = self.block(body);
                match self.random.below(3) {
                    0 => format!("for (; {c}; ) {{ {body} }}"),
                    1 => format!("if ({c}) do {{ {body} }} while ({c});"),
                    _ => format!("while ({c}) {{ {body} }}"),
                }
            }
            Stmt::Return(Some(e)) => format!("return {};", self.expr(e, Level::Quantifier)),
            Stmt::Return(None) => "return;".to_string(),
            simple => format!("{};", self.simple(simple)),
        }
    }

    /// Whether an update can write the statement without a function around it.
    pub(super) fn is_simple(stmt: &Stmt) -> bool {
        let mut reads_array = false;
        visit::block_parts(&vec![stmt.clone()], &mut |e| {
            visit::walk(e, &mut |e| reads_array |= matches!(e, Expr::LocalElem(..)));
        });
        let writes = match stmt {
            Stmt::Assign(target, _) => !is_local(target),
            Stmt::Call(_, _, target) => target.as_ref().is_none_or(|t| !is_local(t)),
            Stmt::ClockSet(..) | Stmt::ClockCopy(..) => true,
            _ => false,
        };
        writes && !reads_array
    }

    /// A statement that is an expression.
    pub(super) fn simple(&mut self, stmt: &Stmt) -> String {
        let assign = if self.style.old || self.random.chance(50) { ":=" } else { "=" };
        match stmt {
            Stmt::Assign(target, value) => self.assignment(target, value, assign),
            Stmt::ClockSet(clock, value) => {
                let clock = self.names.clock(*clock).to_string();
                if *value == Expr::Const(0) && !self.style.old && self.random.chance(self.style.functions / 2)
                {
                    let reset = self.helper("void @(clock &c) { c = 0; }".to_string());
                    return format!("{reset}({clock})");
                }
                format!("{clock} {assign} {}", self.expr(value, Level::Conditional))
            }
            Stmt::ClockCopy(to, from) => {
                format!("{} {assign} {}", self.names.clock(*to), self.names.clock(*from))
            }
            Stmt::Call(f, arguments, target) => {
                let place = target.as_ref().map(|t| self.place(&t.place));
                let call = self.expr(&Expr::Call(*f, arguments.clone()), Level::Primary);
                place.map_or(call.clone(), |place| format!("{place} {assign} {call}"))
            }
            // Not in UPPAAL, or no expression; `Style::draw` and `is_simple` let none of these through.
            Stmt::If(..)
            | Stmt::While(..)
            | Stmt::Send(_)
            | Stmt::Receive(_)
            | Stmt::Start(..)
            | Stmt::Exit
            | Stmt::Assert(..)
            | Stmt::Return(_) => "unprintable".to_string(),
        }
    }

    fn assignment(&mut self, target: &Target, value: &Expr, assign: &str) -> String {
        let place = self.place(&target.place);
        let same = match (&target.place, value) {
            (Place::Var(v), Expr::Binary(BinaryOp::Add, a, b)) if **a == Expr::Var(*v) => Some(b),
            _ => None,
        };
        if let Some(by) = same.filter(|_| !self.style.old && self.random.chance(60)) {
            return match (by.as_ref(), self.random.below(3)) {
                (Expr::Const(1), 0) => format!("{place}++"),
                (Expr::Const(1), 1) => format!("++{place}"),
                _ => format!("{place} += {}", self.expr(by, Level::Conditional)),
            };
        }
        let value = self.expr(value, Level::Conditional);
        let range = match target.place {
            Place::Var(v) | Place::Elem(v, _) => Some(self.network.vars[v].range),
            Place::Local(_) | Place::LocalElem(..) => None,
        };
        if let Some(range) = range.filter(|_| !self.style.old && self.random.chance(self.style.functions / 2))
        {
            let ty = self.range_type(range);
            let set = self.helper(format!("void @({ty} &place, int value) {{ place = value; }}"));
            return format!("{set}({place}, {value})");
        }
        format!("{place} {assign} {value}")
    }

    fn place(&mut self, place: &Place) -> String {
        let e = match place.clone() {
            Place::Var(v) => Expr::Var(v),
            Place::Elem(v, i) => Expr::Elem(v, Box::new(i)),
            Place::Local(l) => Expr::Local(l),
            Place::LocalElem(l, i) => Expr::LocalElem(l, Box::new(i)),
        };
        self.expr(&e, Level::Primary)
    }
}

fn is_local(target: &Target) -> bool {
    matches!(target.place, Place::Local(_) | Place::LocalElem(..))
}
