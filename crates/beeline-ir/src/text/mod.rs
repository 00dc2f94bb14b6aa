//! The text form of a model, for people and for tests. [`print()`] and [`read()`] are inverse: what is printed reads
//! back equal, origins included.
//!
//! ```text
//! network fischer
//! source "fischer.xml"                       the files that origins refer to
//! enum mtype { 1 = eof, 2 = number }
//! var id in 0..2                             starts with 0 (or the least value, if 0 is outside)
//! var a[3] in 0..5 = {0, 1, 2}               one value without braces fills the array
//! var m in 1..2 as mtype = 1
//! clock x, y
//! chan c[4] of (0..3, 0..1)                  rendezvous; also `urgent`, `broadcast`, `priority 2`, `priority {1, 0, 0, 2}`
//! buffer q[2] capacity 1 of (0..1, 0..255)
//! fn inc(a in 0..5) -> 0..6 { local t in 0..6; t := a + 1; return t; }
//! family sieve
//! process P1 priority 1 {                    `process S1 in sieve` is a slot; `observer process Claim` watches
//!   param n in 0..9                          a variable that takes an argument; `params k, n` names them in another order
//!   var k in 0..3
//!   clock z
//!   init idle                                else the first location
//!   location idle
//!   location req { condition id != 2; invariant x <= 2, id > 0 => y - x < 3 }
//!   committed location c1                    also `urgent`, `atomic`
//!   edge idle -> req {
//!     select i in 0..3
//!     local t in 0..3
//!     guard id == 0 && forall(j in 0..3 : j != id)
//!     when x < 5, i == 1 => y - x >= 2
//!     send c[i](1, id)                       `send *k(3)` over the channel k stands for; `sorted send q(1, 2)`;
//!                                            `receive any keep q(k, =3, _, wrap m)`
//!     do { x := 0; x := y; id := 1; wrap m := 300; a[i] := 2; if id == 1 { k := 0; } else { k := 1; }
//!          while id < 2 { id := id + 1; } call f(1); k := call f(1); k := start sieve(n); assert id < 2; exit; }
//!     free                                   costs nothing, as all edges of observers do
//!   }
//! }
//! property mutex "A[] not (P1.cs and P2.cs)" : A[] !(P1.cs && P2.cs)
//! property : E<> P1.cs && x - y > 3          also `no-runtime-error`, `no-assertion-failure`, `never Claim at {bad}`
//! ```
//! ```text
//! relation dme
//! state x in 0..1      input i in 0..3      frozen f in 0..2
//! init x := {0, f}                           a choice: `e`, `e .. e`, `{c, c}`, `if e then c else c`
//! next x := if x == i then {x, 1} else 0
//! initially x != f      invariant x < 2      relation next(x) != i
//! ```
//! Expressions have C's operators and precedences, `cond ? a : b`, `min`, `max`, calls `f(a)`, and
//! `forall/exists/sum (i in lo..hi : e)`, `P.location`, `alive(P)`, `pid(P)`, `processes`, `chan(c)`, `len(c)`, `cap(c)`,
//! `poll(receive q(..))`, `enabled(P : #0, #3)` with edges by number, `timeout`, `deadlock`, `next(x)`. `and(..)` and
//! `or(..)` write junctions of fewer than two. A quantifier declares its local by itself, unless the frame has it. A
//! clock constraint with a condition is `(cond => x <= 3)`.
//! Names: see `names.rs`. An element may end with its origin, `@(file, start, end; native numbers)`; in front of a body.

mod lex;
mod names;
mod parse;
mod parse_expr;
mod parse_names;
mod parse_network;
mod parse_process;
mod parse_property;
mod parse_relation;
mod parse_stmt;
mod print;
mod print_expr;
mod print_network;
mod print_property;
mod print_relation;
mod print_stmt;

use crate::diagnostic::Diagnostic;
use crate::expr::{ClockAtom, Expr};
use crate::id::{EdgeId, ProcessId};
use crate::model::Model;
use crate::network::{Edge, Network};
use crate::property::Property;
use crate::stmt::Local;
use crate::wellformed;
use lex::Lexeme;
use names::Names;
pub use names::suggest;
use parse::{Parser, Places};
use print::Printer;
pub use print::Scope;

/// As many messages are given about one text at most.
pub(crate) const MAX_DIAGNOSTICS: usize = 50;

/// How a text is read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ReadOptions<'a> {
    /// The name of the text's file.
    pub file: &'a str,
    /// Whether elements without an origin get the place in this text as their origin. Without it the model is exactly
    /// what the text says.
    pub record_places: bool,
}

/// Reads a model and checks that it is well-formed; otherwise says what is wrong, in all of the text.
pub fn read(text: &str, options: ReadOptions<'_>) -> Result<Model, Vec<Diagnostic>> {
    let (lexemes, mut diagnostics) = lex::lex(text);
    // The first reading learns the names of processes and of what is declared in them; the second those of what is
    // declared elsewhere in their name, `var P.k in ..`. Then all names are known.
    let (draft, _) = parse_model(text, &lexemes, &Names::default(), Places::Written);
    let mut names = Names::of(&draft);
    let known = draft.sources().iter().position(|s| s == options.file);
    let file = known.unwrap_or(draft.sources().len()) as u32;
    let parse = |names: &Names, places: Places| {
        let (mut model, found) = parse_model(text, &lexemes, names, places);
        if places != Places::Written && known.is_none() {
            model.sources_mut().push(options.file.to_string());
        }
        (model, found)
    };
    let places = if options.record_places { Places::Recorded(file) } else { Places::Written };
    let (mut model, mut found) = parse(&names, places);
    let complete = Names::of(&model);
    if complete != names {
        names = complete;
        (model, found) = parse(&names, places);
    }
    diagnostics.append(&mut found);
    if diagnostics.is_empty() {
        diagnostics = wellformed::check(&model);
        if diagnostics.is_empty() {
            return Ok(model);
        }
        // The same with the places in this text, whatever origins the elements are said to have.
        let placed = wellformed::check(&parse(&names, Places::Replaced(file)).0);
        if !placed.is_empty() {
            diagnostics = placed;
        }
    }
    diagnostics.sort_by_key(|d| d.span);
    diagnostics.truncate(MAX_DIAGNOSTICS);
    Err(diagnostics)
}

/// One reading of a whole text.
fn parse_model(
    text: &str,
    lexemes: &[Lexeme<'_>],
    names: &Names,
    places: Places,
) -> (Model, Vec<Diagnostic>) {
    let mut parser = Parser::new(text, lexemes, names, places);
    let model = if parser.eat_word("network") {
        Model::Network(parser.network())
    } else if parser.eat_word("relation") {
        Model::Relation(parser.relation())
    } else {
        parser.unexpected("`network` or `relation`");
        Model::Network(Network::default())
    };
    (model, parser.diagnostics)
}

/// Reads a property of a model: what follows the colon in `property name : A[] p`.
pub fn read_property(model: &Model, text: &str) -> Result<Property, Vec<Diagnostic>> {
    let (lexemes, mut diagnostics) = lex::lex(text);
    let names = Names::of(model);
    let mut parser = Parser::new(text, &lexemes, &names, Places::Written);
    let property = parser.question();
    if property.is_ok() && !parser.at_end() {
        parser.unexpected("the end of the property");
    }
    diagnostics.append(&mut parser.diagnostics);
    match property {
        Ok(property) if diagnostics.is_empty() => {
            diagnostics = wellformed::check_property(model, &property);
            if diagnostics.is_empty() { Ok(property) } else { Err(diagnostics) }
        }
        _ => Err(diagnostics),
    }
}

/// The canonical text of a model, origins included. Reads back equal.
pub fn print(model: &Model) -> String {
    print_model(model, true, model.properties())
}

/// The canonical text of a model without origins.
pub fn print_plain(model: &Model) -> String {
    print_model(model, false, model.properties())
}

/// The canonical text of a model without origins and properties.
pub(crate) fn print_behaviour(model: &Model) -> String {
    print_model(model, false, &[])
}

fn print_model(model: &Model, origins: bool, properties: &[Property]) -> String {
    let scope = Scope::new(model);
    let mut printer = scope.printer(None, &[]);
    (printer.origins, printer.inline) = (origins, false);
    match model {
        Model::Network(network) => printer.whole_network(network),
        Model::Relation(relation) => printer.whole_relation(relation),
    }
    printer.properties(properties);
    printer.put("\n");
    printer.out
}

/// A property of the model: what follows the colon in `property name : A[] p`.
pub fn print_property(model: &Model, property: &Property) -> String {
    let scope = Scope::new(model);
    let mut printer = scope.printer(None, &[]);
    printer.question(property);
    printer.out
}

/// An expression of a part of the model that belongs to a process, or to none, and has a frame.
pub fn print_expr(scope: &Scope<'_>, process: Option<ProcessId>, frame: &[Local], expr: &Expr) -> String {
    let mut printer = scope.printer(process, frame);
    printer.expr(expr);
    printer.out
}

/// A clock constraint, likewise.
pub fn print_atom(
    scope: &Scope<'_>,
    process: Option<ProcessId>,
    frame: &[Local],
    atom: &ClockAtom,
) -> String {
    let mut printer = scope.printer(process, frame);
    printer.atom(atom);
    printer.out
}

/// The guard of an edge on one line, clock constraints included; empty if there is none.
pub fn print_guard(scope: &Scope<'_>, process: ProcessId, edge: EdgeId) -> String {
    edge_part(scope, process, edge, |p, edge| {
        if !edge.guard.is_true() {
            p.expr(&edge.guard);
        }
        for atom in &edge.clock_guard {
            if !p.out.is_empty() {
                p.put(", ");
            }
            p.atom(atom);
        }
    })
}

/// The synchronisation of an edge on one line; empty if there is none.
pub fn print_sync(scope: &Scope<'_>, process: ProcessId, edge: EdgeId) -> String {
    edge_part(scope, process, edge, |p, edge| p.sync(&edge.sync))
}

/// The update of an edge on one line; empty if there is none.
pub fn print_update(scope: &Scope<'_>, process: ProcessId, edge: EdgeId) -> String {
    edge_part(scope, process, edge, |p, edge| {
        for (i, statement) in edge.update.iter().enumerate() {
            if i > 0 {
                p.put("; ");
            }
            p.statement(statement);
        }
    })
}

fn edge_part(
    scope: &Scope<'_>,
    process: ProcessId,
    edge: EdgeId,
    part: impl FnOnce(&mut Printer<'_>, &Edge),
) -> String {
    let Model::Network(network) = scope.model else { return String::new() };
    let Some(edge) = network.processes.get(process).and_then(|p| p.edges.get(edge)) else {
        return String::new();
    };
    let mut printer = scope.printer(Some(process), &edge.frame);
    part(&mut printer, edge);
    printer.out
}
