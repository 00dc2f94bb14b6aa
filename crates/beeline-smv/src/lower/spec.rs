//! Specifications. Those about the reachability of a state become properties: `INVARSPEC p`, `AG p`, `G p`, `EF p`,
//! and what follows from them by negation, conjunction and disjunction. The others are refused, each by itself.
//!
//! A formula is one of three: about a state; about all states from here on (`AG p`, or `G p` on a path); about some
//! state from here on (`EF p`, `F p`). Negation leads from the second to the third and back. A specification holds if
//! it does in every initial state, so `EF p` is a question about reachability only if what counts for it is the same
//! in all of them.

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::expr::Expr;
use beeline_ir::origin::{Origin, Span};
use beeline_ir::property::{Property, PropertyKind, Refusal};

use super::build::{and, not, or};
use super::start::one_start;
use super::{Lower, Place, Res, Site};
use crate::ast::{self, BinaryOp, ExprKind, Item, Spec, SpecKind, UnaryOp};
use crate::hierarchy::InstanceId;

/// Most specifications of a file, each counted once for every instance.
const MAX_SPECIFICATIONS: usize = 10_000;

/// What a formula is about.
enum Form {
    /// This state.
    Here(Expr),
    /// This state, and all from here on.
    HereAndAlways(Expr, Expr),
    /// All states from here on.
    Always(Expr),
    /// Some state from here on.
    Sometime(Expr),
}

fn unsupported(reason: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::unsupported("U0810", reason, Some(span))
}

impl<'a> Lower<'a, '_> {
    /// Every specification of every instance.
    pub fn specifications(&mut self) {
        for (at, item) in self.items() {
            let Item::Spec(spec) = item else { continue };
            if self.relation.properties.len() >= MAX_SPECIFICATIONS {
                let message = "more than 10,000 specifications, those of all instances counted";
                self.messages.error("E0821", message, Some(spec.span));
                return;
            }
            let property = match self.specification(spec, at) {
                Ok(property) => property,
                Err(wrong) => refused(spec, &wrong),
            };
            let property = self.placed(property, spec, at);
            self.relation.properties.push(property);
        }
    }

    /// A property with the name and text that it has in its instance.
    pub fn placed(&mut self, property: Property, spec: &'a Spec, at: InstanceId) -> Property {
        let instance = &self.hierarchy.instances[at];
        let mut name = spec.name.as_ref().map(|name| instance.full(&name.name));
        if name.as_ref().is_some_and(|name| !self.named.insert(name.clone())) {
            let message = "there are two specifications of this name";
            self.messages.error("E0811", message, spec.name.as_ref().map(|name| name.span));
            name = None;
        }
        let keyword = match spec.kind {
            SpecKind::Invariant => "INVARSPEC",
            SpecKind::Ctl => "SPEC",
            SpecKind::Ltl => "LTLSPEC",
            SpecKind::Psl => "PSLSPEC",
            SpecKind::Compute => "COMPUTE",
        };
        let mut text = format!("{keyword} {}", spec.text);
        let inside =
            self.inside(spec, at).map_or("", |inside| self.hierarchy.instances[inside].path.as_str());
        if !inside.is_empty() {
            text.push_str(&format!(" IN {inside}"));
        }
        Property { name, text: Some(text), ..property }
    }

    /// The instance that a specification is about, seen from another.
    fn inside(&self, spec: &'a Spec, at: InstanceId) -> Res<InstanceId> {
        spec.inside.as_ref().map_or(Ok(at), |path| self.hierarchy.instance(path, at))
    }

    /// The property that a specification asks about, seen from an instance.
    pub fn specification(&mut self, spec: &'a Spec, at: InstanceId) -> Res<Property> {
        let at = self.inside(spec, at)?;
        let Some(formula) = &spec.formula else {
            let what = if spec.kind == SpecKind::Psl { "PSLSPEC" } else { "COMPUTE" };
            return Err(unsupported(format!("{what} is not supported"), spec.span));
        };
        let kind = match spec.kind {
            SpecKind::Invariant => PropertyKind::Always(
                self.whole_truth(formula, Site::new(at, Place::State)).map_err(about_steps)?,
            ),
            _ => self.temporal(formula, at, spec)?,
        };
        let origin = Origin { file: 0, span: spec.span, native: Vec::new() };
        Ok(Property {
            name: None,
            text: Some(spec.text.clone()),
            frame: Vec::new(),
            kind,
            origin: Some(origin),
        })
    }

    fn temporal(&mut self, formula: &'a ast::Expr, at: InstanceId, spec: &Spec) -> Res<PropertyKind> {
        let ctl = spec.kind == SpecKind::Ctl;
        let span = formula.span;
        let kind = match (self.form(formula, at, ctl)?, ctl) {
            (Form::Always(p), _) => PropertyKind::Always(p),
            (Form::Sometime(p), true) => {
                self.spend(self.relation.vars.len(), span)?;
                if !one_start(&self.relation, &p) {
                    let reason = "EF p is asked of every initial state, and they are not known to be alike";
                    return Err(unsupported(reason, span));
                }
                PropertyKind::Exists(p)
            }
            (Form::Sometime(_), false) => {
                return Err(unsupported("F p is about infinite runs, which is not supported", span));
            }
            (Form::Here(_) | Form::HereAndAlways(..), _) => {
                return Err(unsupported("a formula about initial states alone is not supported", span));
            }
        };
        if self.fair {
            let message =
                "fairness is not considered: the answer is about all runs, not about the fair ones alone";
            self.messages.note(Severity::Warning, "W0802", message, Some(spec.span));
        }
        Ok(kind)
    }

    /// What a formula is about.
    fn form(&mut self, formula: &'a ast::Expr, at: InstanceId, ctl: bool) -> Res<Form> {
        if !is_temporal(formula) {
            let truth = self.whole_truth(formula, Site::new(at, Place::State)).map_err(about_steps)?;
            return Ok(Form::Here(truth));
        }
        match &formula.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => {
                let form = self.form(inner, at, ctl)?;
                self.negated(form, inner.span)
            }
            ExprKind::And(parts) => {
                let forms = parts.iter().map(|part| self.form(part, at, ctl)).collect::<Res<Vec<_>>>()?;
                conjunction(forms, formula.span)
            }
            ExprKind::Or(parts) => {
                let forms = parts.iter().map(|part| self.form(part, at, ctl)).collect::<Res<Vec<_>>>()?;
                disjunction(forms, formula.span)
            }
            ExprKind::Binary(BinaryOp::Implies, left, right) => {
                let left = self.form(left, at, ctl)?;
                let left = self.negated(left, formula.span)?;
                let right = self.form(right, at, ctl)?;
                disjunction(vec![left, right], formula.span)
            }
            ExprKind::Temporal(op, operands) => self.operator(op, operands, formula.span, at, ctl),
            _ => Err(unsupported("temporal operators under this operator are not supported", formula.span)),
        }
    }

    fn operator(
        &mut self,
        op: &str,
        operands: &'a [ast::Expr],
        span: Span,
        at: InstanceId,
        ctl: bool,
    ) -> Res<Form> {
        let (always, sometime) = if ctl { ("AG", "EF") } else { ("G", "F") };
        let unknown = || unsupported(format!("the operator `{op}` is not supported here"), span);
        let [operand] = operands else { return Err(unknown()) };
        if ctl && matches!(op, "EX" | "AX") {
            // Whether there is a next state at all.
            return match (op, &operand.kind) {
                ("EX", ExprKind::Bool(true)) => Ok(Form::Here(not(Expr::Deadlock))),
                ("AX", ExprKind::Bool(false)) => Ok(Form::Here(Expr::Deadlock)),
                _ => Err(unknown()),
            };
        }
        if op == always {
            match self.form(operand, at, ctl)? {
                Form::Here(p) | Form::Always(p) => Ok(Form::Always(p)),
                Form::HereAndAlways(p, q) => Ok(Form::Always(and([p, q]))),
                Form::Sometime(_) => {
                    Err(unsupported(format!("`{sometime}` inside of `{always}` is not supported"), span))
                }
            }
        } else if op == sometime {
            match self.form(operand, at, ctl)? {
                Form::Here(p) | Form::Sometime(p) => Ok(Form::Sometime(p)),
                Form::Always(_) | Form::HereAndAlways(..) => {
                    Err(unsupported(format!("`{always}` inside of `{sometime}` is not supported"), span))
                }
            }
        } else {
            Err(unknown())
        }
    }

    fn negated(&self, form: Form, span: Span) -> Res<Form> {
        match form {
            Form::Here(p) => Ok(Form::Here(not(p))),
            Form::Always(p) => Ok(Form::Sometime(not(p))),
            Form::Sometime(p) => Ok(Form::Always(not(p))),
            Form::HereAndAlways(..) => {
                Err(unsupported("this mixture of states and runs is not supported", span))
            }
        }
    }
}

/// All of the formulas at once.
fn conjunction(forms: Vec<Form>, span: Span) -> Res<Form> {
    let (mut here, mut always) = (Vec::new(), Vec::new());
    for form in forms {
        match form {
            Form::Here(p) => here.push(p),
            Form::Always(p) => always.push(p),
            Form::HereAndAlways(p, q) => {
                here.push(p);
                always.push(q);
            }
            Form::Sometime(_) => {
                return Err(unsupported("a conjunction with EF p or F p is not supported", span));
            }
        }
    }
    Ok(match (here.is_empty(), always.is_empty()) {
        (_, true) => Form::Here(and(here)),
        (true, false) => Form::Always(and(always)),
        (false, false) => Form::HereAndAlways(and(here), and(always)),
    })
}

/// One of the formulas.
fn disjunction(forms: Vec<Form>, span: Span) -> Res<Form> {
    let (mut here, mut sometime) = (Vec::new(), Vec::new());
    for form in forms {
        match form {
            Form::Here(p) => here.push(p),
            Form::Sometime(p) => sometime.push(p),
            Form::Always(_) | Form::HereAndAlways(..) => {
                return Err(unsupported("a disjunction with AG p or G p is not supported", span));
            }
        }
    }
    match (here.is_empty(), sometime.is_empty()) {
        (_, true) => Ok(Form::Here(or(here))),
        (true, false) => Ok(Form::Sometime(or(sometime))),
        (false, false) => Err(unsupported("this mixture of states and runs is not supported", span)),
    }
}

/// Whether a temporal operator stands in a formula itself.
fn is_temporal(formula: &ast::Expr) -> bool {
    let mut open = vec![formula];
    while let Some(expr) = open.pop() {
        if matches!(expr.kind, ExprKind::Temporal(..)) {
            return true;
        }
        expr.kind.children(&mut |child| open.push(child));
    }
    false
}

/// A specification about inputs or next values is legal, but no question about states.
fn about_steps(diagnostic: Diagnostic) -> Diagnostic {
    match diagnostic.code {
        "E0818" => {
            let reason = format!("specifications about steps are not supported: {}", diagnostic.message);
            Diagnostic { severity: Severity::Unsupported, message: reason, code: "U0810", ..diagnostic }
        }
        _ => diagnostic,
    }
}

/// The property that stands for a specification that is not answered.
pub(crate) fn refused(spec: &Spec, wrong: &Diagnostic) -> Property {
    let reason = match &wrong.help {
        Some(help) => format!("{} ({help})", wrong.message),
        None => wrong.message.clone(),
    };
    let kind = PropertyKind::Refused(Refusal { malformed: wrong.severity == Severity::Error, reason });
    let span = wrong.span.unwrap_or(spec.span);
    let origin = Some(Origin { file: 0, span, native: Vec::new() });
    Property { name: None, text: Some(spec.text.clone()), frame: Vec::new(), kind, origin }
}
