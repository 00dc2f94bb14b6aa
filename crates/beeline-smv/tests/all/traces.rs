//! Traces in NuSMV's forms. That NuSMV 2.6 reads the XML (`read_trace`) and executes it was tried by hand.

use crate::support;

use beeline_ir::trace::{RelationRun, RelationStep};
use support::read;

const MODEL: &str = "MODULE main
    VAR x : 0..5; w : word[4]; s : signed word[4]; b : boolean; e : {a, b1, 2}; p : process m(x);
    FROZENVAR f : boolean;
    IVAR go : boolean;
    INVARSPEC x < 2
    MODULE m(x) ASSIGN next(x) := x < 5 ? x + 1 : 0;";

fn run() -> RelationRun {
    let step = |selector, x, s| RelationStep { inputs: vec![0, selector], state: vec![x, 3, s, 0, 1, 1] };
    RelationRun { initial: vec![0, 3, -2, 0, 1, 1], steps: vec![step(1, 1, 0), step(1, 2, 0)] }
}

#[test]
fn text_shows_what_changes() {
    let relation = read(MODEL);
    let text = beeline_smv::nusmv_trace(&relation, relation.properties.first(), &run());
    let expected = "\
-- invariant x < 2  is false
-- as demonstrated by the following execution sequence
Trace Description: Counterexample
Trace Type: Counterexample
  -> State: 1.1 <-
    f = TRUE
    x = 0
    w = 0ud4_3
    s = -0sd4_2
    b = FALSE
    e = b1
  -> Input: 1.2 <-
    go = FALSE
    _process_selector_ = p
  -> State: 1.2 <-
    x = 1
    s = 0sd4_0
  -> Input: 1.3 <-
  -> State: 1.3 <-
    x = 2
";
    assert_eq!(text, expected);
}

#[test]
fn xml_shows_everything() {
    let relation = read(MODEL);
    let mut run = run();
    run.steps.pop();
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<counter-example type="0" id="1" desc="Counterexample" >
	<node>
		<state id="1">
			<value variable="f">TRUE</value>
			<value variable="x">0</value>
			<value variable="w">0ud4_3</value>
			<value variable="s">-0sd4_2</value>
			<value variable="b">FALSE</value>
			<value variable="e">b1</value>
		</state>
		<input id="2">
			<value variable="go">FALSE</value>
			<value variable="_process_selector_">p</value>
		</input>
	</node>
	<node>
		<state id="2">
			<value variable="f">TRUE</value>
			<value variable="x">1</value>
			<value variable="w">0ud4_3</value>
			<value variable="s">0sd4_0</value>
			<value variable="b">FALSE</value>
			<value variable="e">b1</value>
		</state>
	</node>
	<loops> </loops>
</counter-example>
"#;
    assert_eq!(beeline_smv::nusmv_xml(&relation, &run), expected);
}
