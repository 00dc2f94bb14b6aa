//! The tree arbiter, a speed-independent circuit: cells that each let one of two sides through, and the resource above
//! the root.
//!
//! Nodes are numbered as in a heap: the cells 0 .. n-1, then the n + 1 users; below node i are 2i + 1 and 2i + 2. A cell has
//! six gates, a user one signal: 7n + 1 Booleans, as many as the models of P4 (Qian and Nymeyer, TACAS 2004) have.
//!
//! ```text
//!                         req  ack            req  = ask1 | ask2 | ack1 | ack2, a wired or
//!                          ^    |             won1 = req of side 1, unless won2: a mutual exclusion element
//!        +-----------------|----v-----+       ask1 = C(won1, !ack)
//!        | ask1 --> ack1   or   ask2 --> ack2 ack1 = ask1 & ack
//!        |  ^                    ^    |
//!        | won1 <-- mutex --> won2    |       At the root, ack = req: the resource answers at once.
//!        +--^---------------------^---+       A user asks while it has no acknowledgement, and gives up what it has.
//!       req1 ack1            req2 ack2
//! ```
//!
//! Why no two users have an acknowledgement: a cell asks upwards until it has taken back what it granted, so a side
//! loses the acknowledgement before the other side can have it; and `ask` waits until the one from above is gone.

use crate::{Answer, Family, Format, Parameter, Query, Values};
use std::fmt::Write;

/// The family.
pub const TREE_ARBITER: Family = Family {
    name: "tree-arbiter",
    about: "a tree of arbiter cells, a circuit whose gates take any time: one output changes at a time",
    source: "the tree arbiter of D. L. Dill, Trace theory for automatic hierarchical verification of speed-independent \
             circuits, MIT Press 1988, as K. Qian and A. Nymeyer use it, TACAS 2004; the gates are ours",
    parameters: &[Parameter {
        name: "n",
        constant: Some("CELLS"),
        about: "cells; there is one user more",
        least: 1,
        most: 127,
        default: 3,
    }],
    variants: &[],
    fault: Some("one cell stops asking before it has taken back what it granted"),
    texts: &[(Format::Smv, smv), (Format::Xta, model)],
    maps: None,
    queries,
};

/// Cells between the users nearest to the root and the resource.
fn levels(cells: u32) -> u32 {
    (cells + 1).ilog2()
}

/// The cell that makes the mistake: the rightmost one, to which the last user is connected.
fn early(cells: u32) -> u32 {
    (1 << levels(cells)) - 2
}

fn model(values: &Values) -> String {
    let early = if values.faulty { early(values["n"]).to_string() } else { "-1".into() };
    MODEL.replace("EARLY = ?", &format!("EARLY = {early}"))
}

const MODEL: &str = "\
const int USERS = CELLS + 1;
const int EARLY = ?;    // the cell that stops asking too early, if there is one

typedef int[0,CELLS-1] cell_t;
typedef int[0,USERS-1] user_t;

// Of each cell, by the side they belong to: the outputs of the mutual exclusion element, of the C-elements, and of the
// gates that acknowledge.
bool won1[CELLS], won2[CELLS], ask1[CELLS], ask2[CELLS], ack1[CELLS], ack2[CELLS];
bool req[USERS];

// Nodes are the cells and then the users. Node 0 is the root, below node i are 2 * i + 1 and 2 * i + 2.
bool asks(int node) {
    if (node >= CELLS) return req[node - CELLS];
    return ask1[node] || ask2[node] || node != EARLY && (ack1[node] || ack2[node]);
}

// Above the root is the resource, which answers at once.
bool has(int node) {
    if (node == 0) return asks(0);
    return node % 2 == 1 ? ack1[node / 2] : ack2[node / 2 - 1];
}

process Cell(const cell_t k) {
    const int left = 2 * k + 1;
    const int right = 2 * k + 2;
    state on;
    init on;
    trans
        on -> on { guard !won1[k] && !won2[k] && asks(left); assign won1[k] = true; },
        on -> on { guard won1[k] && !asks(left); assign won1[k] = false; },
        on -> on { guard !won2[k] && !won1[k] && asks(right); assign won2[k] = true; },
        on -> on { guard won2[k] && !asks(right); assign won2[k] = false; },
        on -> on { guard !ask1[k] && won1[k] && !has(k); assign ask1[k] = true; },
        on -> on { guard ask1[k] && !won1[k] && has(k); assign ask1[k] = false; },
        on -> on { guard !ask2[k] && won2[k] && !has(k); assign ask2[k] = true; },
        on -> on { guard ask2[k] && !won2[k] && has(k); assign ask2[k] = false; },
        on -> on { guard !ack1[k] && ask1[k] && has(k); assign ack1[k] = true; },
        on -> on { guard ack1[k] && !(ask1[k] && has(k)); assign ack1[k] = false; },
        on -> on { guard !ack2[k] && ask2[k] && has(k); assign ack2[k] = true; },
        on -> on { guard ack2[k] && !(ask2[k] && has(k)); assign ack2[k] = false; };
}

process User(const user_t i) {
    state on;
    init on;
    trans
        on -> on { guard !req[i] && !has(CELLS + i); assign req[i] = true; },
        on -> on { guard req[i] && has(CELLS + i); assign req[i] = false; };
}

system Cell, User;
";

fn smv(values: &Values) -> String {
    let cells = values["n"];
    let early = values.faulty.then(|| early(cells));
    let asks = |node: u32| match node {
        user if user >= cells => format!("u{user}.req"),
        cell if Some(cell) == early => format!("c{cell}.asks"),
        cell => format!("c{cell}.req"),
    };
    let has = |node: u32| match node {
        0 => asks(0),
        _ => format!("c{}.ack{}", (node - 1) / 2, 2 - node % 2),
    };
    let mut text = format!(
        "MODULE main\nIVAR\n  -- Which gate may change.\n  turn : 0..{};\n  gate : {{{GATES}}};\nVAR\n",
        cells - 1
    );
    for node in in_order(cells) {
        let _ = if node < cells {
            let (left, right) = (asks(2 * node + 1), asks(2 * node + 2));
            writeln!(text, "  c{node} : cell(turn = {node}, gate, {left}, {right}, {});", has(node))
        } else {
            let (parent, side) = ((node - 1) / 2, 2 - node % 2);
            writeln!(text, "  u{node} : user(turn = {parent} & gate = REQ{side}, {});", has(node))
        };
    }
    let all: Vec<String> = (cells..=2 * cells).map(has).collect();
    let _ = writeln!(text, "\nINVARSPEC NAME exclusive := count({}) <= 1;", all.join(", "));
    text + MODULES
}

/// The gates of a cell and of its users.
const GATES: &str = "WON1, WON2, ASK1, ASK2, ACK1, ACK2, REQ1, REQ2";

/// The nodes from left to right, each between those below it: what belongs together is close together.
fn in_order(cells: u32) -> Vec<u32> {
    let (mut order, mut above, mut node) = (Vec::new(), Vec::new(), Some(0));
    loop {
        while let Some(at) = node {
            above.push(at);
            node = Some(2 * at + 1).filter(|left| *left <= 2 * cells);
        }
        let Some(at) = above.pop() else { return order };
        order.push(at);
        node = Some(2 * at + 2).filter(|right| *right <= 2 * cells);
    }
}

const MODULES: &str = "
MODULE cell(mine, gate, req1, req2, ack)
VAR
  -- Outputs of the mutual exclusion element.
  won1 : boolean;
  won2 : boolean;
  -- Those of C-elements.
  ask1 : boolean;
  ask2 : boolean;
  -- And-gates.
  ack1 : boolean;
  ack2 : boolean;
ASSIGN
  init(won1) := FALSE; next(won1) := mine & gate = WON1 ? req1 & (won1 | !won2) : won1;
  init(won2) := FALSE; next(won2) := mine & gate = WON2 ? req2 & (won2 | !won1) : won2;
  init(ask1) := FALSE; next(ask1) := mine & gate = ASK1 & won1 = !ack ? won1 : ask1;
  init(ask2) := FALSE; next(ask2) := mine & gate = ASK2 & won2 = !ack ? won2 : ask2;
  init(ack1) := FALSE; next(ack1) := mine & gate = ACK1 ? ask1 & ack : ack1;
  init(ack2) := FALSE; next(ack2) := mine & gate = ACK2 ? ask2 & ack : ack2;
DEFINE
  asks := ask1 | ask2;
  req := asks | ack1 | ack2;

MODULE user(mine, ack)
VAR
  req : boolean;
ASSIGN
  init(req) := FALSE; next(req) := mine ? !ack : req;
";

fn queries(values: &Values) -> Vec<Query> {
    let cells = values["n"];
    let near = levels(cells);
    // The last user asks, gets and gives up the resource; its cell is slow to take the acknowledgement back, while
    // another user asks, and gets it. That is no nearer than the last one, which may be alone at its distance.
    let other = if (cells + 2).is_power_of_two() { near + 1 } else { near };
    let length = Some(6 * near + 3 * other + 2);
    vec![Query {
        text: "A[] forall (i : user_t) forall (j : user_t) has(CELLS + i) && has(CELLS + j) imply i == j",
        about: "at most one user has an acknowledgement",
        answer: if values.faulty { Answer::Violated { length } } else { Answer::Holds },
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_from_left_to_right() {
        assert_eq!(in_order(1), [1, 0, 2]);
        assert_eq!(in_order(3), [3, 1, 4, 0, 5, 2, 6]);
        assert_eq!(in_order(2), [3, 1, 4, 0, 2]);
    }

    #[test]
    fn the_last_user_belongs_to_the_cell_with_the_mistake() {
        assert_eq!([1, 2, 3, 6, 7, 13, 14, 15].map(early), [0, 0, 2, 2, 6, 6, 6, 14]);
        for cells in 1..64 {
            let last = 2 * early(cells) + 2;
            assert!((cells..=2 * cells).contains(&last), "{cells}");
        }
    }
}
