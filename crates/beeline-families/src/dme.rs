//! Distributed mutual exclusion, a speed-independent circuit: cells in a ring that pass on a token.
//!
//! A cell has 17 gates, its user two signals: 19n Booleans, as many as the models of P4 (Qian and Nymeyer, TACAS 2004)
//! have. A request goes round to the right until it meets the cell with the token; acknowledgements, and the token with
//! them, come back to the left.
//!
//! ```text
//!   user            own_won  = req, unless left_won             need      = ask & !met
//!  req busy own_ack left_won = request of the left cell         here      = need & token
//!    |        ^     own_ask  = own_won & !left_ack              right_req = need & absent
//!    v        |     left_ask = left_won & !own_ack              answer    = here | ack of the right cell
//!  +------------+   ask      = own_ask | left_ask               met       = C(ask, answer)
//! >|    cell    |>  own_turn  = C(own_ask, go)                  go        = met & !answer
//! <|            |<  left_turn = C(left_ask, go)                 absent    = !own_turn & !token
//!  +------------+   own_ack   = own_turn & token                token     = !left_turn & !absent
//! left      right   left_ack  = left_turn & absent
//! ```
//!
//! `own_won` and `left_won` are a mutual exclusion element, `absent` and `token` a latch. The user raises `req`, is `busy`
//! when it is acknowledged, then lowers `req`, and is idle again without acknowledgement.

use crate::{Answer, Family, Format, Parameter, Query, Values};
use std::fmt::Write;

/// The family.
pub const DME: Family = Family {
    name: "dme",
    about: "cells in a ring that pass on a token, a circuit whose gates take any time: one output changes at a time",
    source: "A. J. Martin's ring for distributed mutual exclusion, as D. L. Dill describes it, Trace theory for automatic \
             hierarchical verification of speed-independent circuits, MIT Press 1988, and K. Qian and A. Nymeyer use it, \
             TACAS 2004",
    parameters: &[Parameter {
        name: "n",
        constant: Some("CELLS"),
        about: "cells, each with a user",
        least: 2,
        most: 64,
        default: 3,
    }],
    variants: &[],
    fault: Some("one cell answers its own requests without looking for the token"),
    texts: &[(Format::Smv, smv), (Format::Xta, model)],
    maps: None,
    queries,
};

fn model(values: &Values) -> String {
    let careless = if values.faulty { (values["n"] / 2).to_string() } else { "-1".into() };
    let of_first = |value: bool| {
        let all: Vec<&str> =
            (0..values["n"]).map(|k| if (k == 0) == value { "true" } else { "false" }).collect();
        format!("{{ {} }}", all.join(", "))
    };
    MODEL
        .replace("CARELESS = ?", &format!("CARELESS = {careless}"))
        .replace("TOKEN", &of_first(true))
        .replace("ABSENT", &of_first(false))
}

const MODEL: &str = "\
const int CARELESS = ?;    // the cell that does not look for the token, if there is one

typedef int[0,CELLS-1] cell_t;

// Of each user: whether it asks, and whether it is at work.
bool req[CELLS], busy[CELLS];

// Of each cell: a mutual exclusion element; what it lets through; whose turn it is (C-elements); what is acknowledged.
bool own_won[CELLS], left_won[CELLS];
bool own_ask[CELLS], left_ask[CELLS], ask[CELLS];
bool own_turn[CELLS], left_turn[CELLS];
bool own_ack[CELLS], left_ack[CELLS];

// The token is needed, and the need is met: by the own token, or by the cell to the right.
bool need[CELLS], here[CELLS], right_req[CELLS], answer[CELLS], met[CELLS], go[CELLS];

// A latch. In the beginning, the first cell has the token.
bool token[CELLS] = TOKEN;
bool absent[CELLS] = ABSENT;

process User(const cell_t k) {
    state on;
    init on;
    trans
        on -> on { guard !req[k] && !busy[k]; assign req[k] = true; },
        on -> on { guard req[k] && busy[k]; assign req[k] = false; },
        on -> on { guard !busy[k] && req[k] && own_ack[k]; assign busy[k] = true; },
        on -> on { guard busy[k] && !req[k] && !own_ack[k]; assign busy[k] = false; };
}

process Cell(const cell_t k) {
    const int left = (k + CELLS - 1) % CELLS;
    const int right = (k + 1) % CELLS;
    state on;
    init on;
    trans
        on -> on { guard !own_won[k] && !left_won[k] && req[k]; assign own_won[k] = true; },
        on -> on { guard own_won[k] && !req[k]; assign own_won[k] = false; },
        on -> on { guard !left_won[k] && !own_won[k] && right_req[left]; assign left_won[k] = true; },
        on -> on { guard left_won[k] && !right_req[left]; assign left_won[k] = false; },

        on -> on { guard !own_ask[k] && own_won[k] && !left_ack[k]; assign own_ask[k] = true; },
        on -> on { guard own_ask[k] && !(own_won[k] && !left_ack[k]); assign own_ask[k] = false; },
        on -> on { guard !left_ask[k] && left_won[k] && !own_ack[k]; assign left_ask[k] = true; },
        on -> on { guard left_ask[k] && !(left_won[k] && !own_ack[k]); assign left_ask[k] = false; },
        on -> on { guard !ask[k] && (own_ask[k] || left_ask[k]); assign ask[k] = true; },
        on -> on { guard ask[k] && !(own_ask[k] || left_ask[k]); assign ask[k] = false; },

        on -> on { guard !own_turn[k] && own_ask[k] && go[k]; assign own_turn[k] = true; },
        on -> on { guard own_turn[k] && !own_ask[k] && !go[k]; assign own_turn[k] = false; },
        on -> on { guard !left_turn[k] && left_ask[k] && go[k]; assign left_turn[k] = true; },
        on -> on { guard left_turn[k] && !left_ask[k] && !go[k]; assign left_turn[k] = false; },
        on -> on { guard !own_ack[k] && own_turn[k] && token[k]; assign own_ack[k] = true; },
        on -> on { guard own_ack[k] && !(own_turn[k] && token[k]); assign own_ack[k] = false; },
        on -> on { guard !left_ack[k] && left_turn[k] && absent[k]; assign left_ack[k] = true; },
        on -> on { guard left_ack[k] && !(left_turn[k] && absent[k]); assign left_ack[k] = false; },

        on -> on { guard !need[k] && ask[k] && !met[k]; assign need[k] = true; },
        on -> on { guard need[k] && !(ask[k] && !met[k]); assign need[k] = false; },
        on -> on { guard !here[k] && need[k] && (token[k] || k == CARELESS); assign here[k] = true; },
        on -> on { guard here[k] && !(need[k] && (token[k] || k == CARELESS)); assign here[k] = false; },
        on -> on { guard !right_req[k] && need[k] && absent[k]; assign right_req[k] = true; },
        on -> on { guard right_req[k] && !(need[k] && absent[k]); assign right_req[k] = false; },
        on -> on { guard !answer[k] && (here[k] || left_ack[right]); assign answer[k] = true; },
        on -> on { guard answer[k] && !(here[k] || left_ack[right]); assign answer[k] = false; },
        on -> on { guard !met[k] && ask[k] && answer[k]; assign met[k] = true; },
        on -> on { guard met[k] && !ask[k] && !answer[k]; assign met[k] = false; },
        on -> on { guard !go[k] && met[k] && !answer[k]; assign go[k] = true; },
        on -> on { guard go[k] && !(met[k] && !answer[k]); assign go[k] = false; },

        on -> on { guard !absent[k] && !own_turn[k] && !token[k]; assign absent[k] = true; },
        on -> on { guard absent[k] && !(!own_turn[k] && !token[k]); assign absent[k] = false; },
        on -> on { guard !token[k] && !left_turn[k] && !absent[k]; assign token[k] = true; },
        on -> on { guard token[k] && !(!left_turn[k] && !absent[k]); assign token[k] = false; };
}

system User, Cell;
";

fn smv(values: &Values) -> String {
    let cells = values["n"];
    let careless = values.faulty.then_some(cells / 2);
    let mut text = format!(
        "MODULE main\nIVAR\n  -- Which gate may change.\n  turn : 0..{};\n  gate : {{{GATES}}};\nVAR\n",
        cells - 1
    );
    for k in 0..cells {
        let (left, right) = ((k + cells - 1) % cells, (k + 1) % cells);
        let (first, sees) =
            (truth(k == 0), if careless == Some(k) { "TRUE".into() } else { format!("c{k}.token") });
        let _ = writeln!(
            text,
            "  c{k} : cell(turn = {k}, gate, c{left}.right_req, c{right}.left_ack, {first}, {sees});"
        );
    }
    let all: Vec<String> = (0..cells).map(|k| format!("c{k}.own_ack")).collect();
    let _ = writeln!(text, "\nINVARSPEC NAME exclusive := count({}) <= 1;", all.join(", "));
    text + MODULES
}

fn truth(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

/// The gates of a cell and its user.
const GATES: &str = "REQ, BUSY, OWN_WON, LEFT_WON, OWN_ASK, LEFT_ASK, ASK, OWN_TURN, LEFT_TURN, OWN_ACK, LEFT_ACK, \
                     NEED,\n    HERE, RIGHT_REQ, ANSWER, MET, GO, ABSENT, TOKEN";

const MODULES: &str = "
-- `first` has the token in the beginning; `sees` is where the cell looks for it.
MODULE cell(mine, gate, left_req, right_ack, first, sees)
VAR
  -- The user.
  req : boolean;
  busy : boolean;
  -- A mutual exclusion element, and what it lets through.
  own_won : boolean;
  left_won : boolean;
  own_ask : boolean;
  left_ask : boolean;
  ask : boolean;
  -- Whose turn it is (C-elements), and what is acknowledged.
  own_turn : boolean;
  left_turn : boolean;
  own_ack : boolean;
  left_ack : boolean;
  -- The token is needed; the need is met, by the own token or by the cell to the right.
  need : boolean;
  here : boolean;
  right_req : boolean;
  answer : boolean;
  met : boolean;
  go : boolean;
  -- A latch.
  absent : boolean;
  token : boolean;
ASSIGN
  init(req) := FALSE; next(req) := mine & gate = REQ ? !busy : req;
  init(busy) := FALSE; next(busy) := mine & gate = BUSY & req = own_ack ? req : busy;
  init(own_won) := FALSE; next(own_won) := mine & gate = OWN_WON ? req & (own_won | !left_won) : own_won;
  init(left_won) := FALSE; next(left_won) := mine & gate = LEFT_WON ? left_req & (left_won | !own_won) : left_won;
  init(own_ask) := FALSE; next(own_ask) := mine & gate = OWN_ASK ? own_won & !left_ack : own_ask;
  init(left_ask) := FALSE; next(left_ask) := mine & gate = LEFT_ASK ? left_won & !own_ack : left_ask;
  init(ask) := FALSE; next(ask) := mine & gate = ASK ? own_ask | left_ask : ask;
  init(own_turn) := FALSE; next(own_turn) := mine & gate = OWN_TURN & own_ask = go ? go : own_turn;
  init(left_turn) := FALSE; next(left_turn) := mine & gate = LEFT_TURN & left_ask = go ? go : left_turn;
  init(own_ack) := FALSE; next(own_ack) := mine & gate = OWN_ACK ? own_turn & token : own_ack;
  init(left_ack) := FALSE; next(left_ack) := mine & gate = LEFT_ACK ? left_turn & absent : left_ack;
  init(need) := FALSE; next(need) := mine & gate = NEED ? ask & !met : need;
  init(here) := FALSE; next(here) := mine & gate = HERE ? need & sees : here;
  init(right_req) := FALSE; next(right_req) := mine & gate = RIGHT_REQ ? need & absent : right_req;
  init(answer) := FALSE; next(answer) := mine & gate = ANSWER ? here | right_ack : answer;
  init(met) := FALSE; next(met) := mine & gate = MET & ask = answer ? ask : met;
  init(go) := FALSE; next(go) := mine & gate = GO ? met & !answer : go;
  init(absent) := !first; next(absent) := mine & gate = ABSENT ? !own_turn & !token : absent;
  init(token) := first; next(token) := mine & gate = TOKEN ? !left_turn & !absent : token;
";

fn queries(values: &Values) -> Vec<Query> {
    // The user of the first cell asks, and is acknowledged; so does that of the other one, as if it had the token.
    let length = Some(30);
    vec![Query {
        text: "A[] forall (i : cell_t) forall (j : cell_t) own_ack[i] && own_ack[j] imply i == j",
        about: "at most one user has an acknowledgement",
        answer: if values.faulty { Answer::Violated { length } } else { Answer::Holds },
    }]
}
