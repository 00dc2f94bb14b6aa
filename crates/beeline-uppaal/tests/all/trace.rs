//! Traces as `verifyta` prints them and as `.xtr` files hold them, word for word.

use beeline_ir::layout::{Label, Part};
use beeline_ir::network::Network;
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::trace::Time;
use beeline_ir::{ClockId, EdgeId, Model, ProcessId};
use beeline_uppaal::{TraceRun, TraceState, TraceStep, XtrState, ZoneBound, verifyta_trace, xtr_trace};

fn network() -> Network {
    let text = "network m
        source \"m.xml\"
        var i in 0..9
        var a[2] in 0..3 = {1, 2}
        chan begin[2]
        process 'P(1)' {
          var k in 0..3
          clock x
          init A
          location A
          location B
          edge A -> B { select s in 0..1 guard i == 0 when x > 5 send begin[s] do { i := s + 2; x := 0; } }
        }
        process Q {
          init A
          location A
          location B
          edge B -> A
          edge A -> B @(0, 0, 1; 7) { receive begin[1] do { if i > 1 { k := 1; } else { k := 2; } } }
        }"
    .replace("k := ", "'P(1)'.k := ");
    match text::read(&text, ReadOptions { file: "test", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

fn part(process: usize, edge: usize, selects: &[i64]) -> Part {
    Part { process: ProcessId::new(process), edge: EdgeId::new(edge), selects: selects.to_vec() }
}

fn label() -> Label {
    Label { parts: vec![part(0, 0, &[1]), part(1, 1, &[])], observer: None }
}

#[test]
fn as_verifyta_prints() {
    let run = TraceRun {
        start: TraceState { slots: vec![0, 0, 0, 1, 2, 0], clocks: vec![Time::new(0, 1)] },
        steps: vec![TraceStep {
            delay: Time::new(11, 2),
            label: label(),
            after: Some(TraceState { slots: vec![1, 1, 3, 1, 2, 1], clocks: vec![Time::new(0, 1)] }),
        }],
        last_delay: Time::new(1, 3),
    };
    assert_eq!(
        verifyta_trace(&network(), &run).expect("writable"),
        "\
State:
( P(1).A Q.A )
i=0 a[0]=1 a[1]=2 P(1).k=0 P(1).x=0 #depth=0

Delay: 5.5

Transitions:
  P(1).A->P(1).B [1]{ i == 0 && P(1).x > 5, begin[s]!, i := s + 2, P(1).x := 0 }
  Q.A->Q.B { 1, begin[1]?, if (i > 1) { P(1).k := 1 } else { P(1).k := 2 } }

State:
( P(1).B Q.B )
i=3 a[0]=1 a[1]=2 P(1).k=1 P(1).x=0 #depth=1

Delay: 1/3
"
    );
}

#[test]
fn as_xtr() {
    let x = Some(ClockId::new(0));
    let start = XtrState {
        slots: vec![0, 0, 0, 1, 2, 0],
        zone: vec![ZoneBound { left: x, right: None, limit: 5, strict: true }],
    };
    let after = XtrState {
        slots: vec![1, 1, 3, 1, 2, 1],
        zone: vec![ZoneBound { left: None, right: x, limit: -3, strict: false }],
    };
    assert_eq!(
        xtr_trace(&network(), &start, &[(label(), after)]).expect("writable"),
        "\
0 0 
.
2 0 11
.
.
0 1 2 0 
.
1 1 
.
0 2 -6
.
.
3 1 2 1 
.
0 0 1 ; 1 7 ; .
.
"
    );
}
