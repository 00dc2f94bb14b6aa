//! Properties.

use super::names::quote;
use super::print::{Implied, Printer};
use crate::property::{Property, PropertyKind};

impl<'s> Printer<'s> {
    /// Appends all properties, each on a line.
    pub fn properties(&mut self, properties: &'s [Property]) {
        for property in properties {
            self.line();
            self.put("property ");
            if let Some(name) = &property.name {
                self.name(name);
                self.put(" ");
            }
            if let Some(text) = &property.text {
                self.put(&quote(text, '"'));
                self.put(" ");
            }
            if self.origins && property.origin.is_some() {
                self.out.pop();
                self.origin(property.origin.as_ref());
                self.put(" ");
            }
            self.put(": ");
            self.question(property);
        }
    }

    /// Appends what follows the colon.
    pub fn question(&mut self, property: &'s Property) {
        self.frame = &property.frame;
        let implied = Implied::new(&property.frame, 0);
        let locals = match &property.kind {
            PropertyKind::Always(p) | PropertyKind::Exists(p) => implied.expr(p),
            _ => implied,
        }
        .explicit();
        if !locals.is_empty() {
            self.put("local ");
            self.locals(locals);
            self.put("; ");
        }
        match &property.kind {
            PropertyKind::Always(p) => {
                self.put("A[] ");
                self.expr(p);
            }
            PropertyKind::Exists(p) => {
                self.put("E<> ");
                self.expr(p);
            }
            PropertyKind::NoRuntimeError => self.put("no-runtime-error"),
            PropertyKind::NoAssertionFailure => self.put("no-assertion-failure"),
            PropertyKind::Refused(refusal) => {
                self.put(if refusal.malformed { "malformed " } else { "unsupported " });
                self.put(&quote(&refusal.reason, '"'));
            }
            PropertyKind::NeverAt(process, locations) => {
                self.put("never ");
                self.process_name(*process);
                self.put(" at {");
                self.list(locations, |p, location| p.location_name(*process, *location));
                self.put("}");
            }
        }
        self.frame = &[];
    }
}
