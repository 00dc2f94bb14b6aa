//! Models in XML: elements, labels, places, and what is refused.

use crate::parse::shown::{decl, expr, join, params};
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;
use beeline_uppaal::ast::{Decl, Item, Node, QueryKind, Template};
use beeline_uppaal::{Format, Parsed, parse};

/// A model with one of everything.
const MODEL: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.6//EN' 'http://www.it.uu.se/research/group/darts/uppaal/flat-1_6.dtd'>
<nta>
	<declaration>// a &lt; b
clock x; int[0,9] v; <![CDATA[bool less(int a, int b) { return a < b && true; }]]>
chan c;</declaration>
	<template>
		<name x="5" y="5">P</name>
		<parameter>const int n, int &amp;r</parameter>
		<declaration>int local = 3;</declaration>
		<location id="id0" x="0" y="0"><name>start</name>
			<label kind="invariant">x &lt;= 5 &amp;&amp; v &lt; 3</label>
			<label kind="exponentialrate">2</label>
			<label kind="comments">free text: &lt;&lt; &amp; ]</label></location>
		<location id="id1"><label kind="invariant"> </label><urgent/></location>
		<location id="id2"><name></name><committed/></location>
		<branchpoint id="id3"/>
		<init ref="id0"/>
		<transition controllable="false">
			<source ref="id0"/><target ref="id1"/>
			<label kind="select">i : int[0,3]</label>
			<label kind="guard">x &gt; 1, less(v, i)</label>
			<label kind="synchronisation">c!</label>
			<label kind="assignment">x = 0, v = i</label>
			<nail x="1" y="2"/>
		</transition>
		<transition><source ref="id1"/><target ref="id3"/></transition>
		<transition><source ref="id3"/><target ref="id2"/><label kind="probability">3</label></transition>
	</template>
	<instantiation>Q(const int k) = P(k, v);</instantiation>
	<system>R = Q(1); system R;</system>
	<queries>
		<option key="--search-order" value="1"/>
		<query><formula>E&lt;&gt; R.start and
			x &gt;= 2</formula><comment> why &amp; how </comment>
			<option key="--diagnostic" value="0"/>
			<expect outcome="failure" type="quality" value="false"/>
			<result outcome="failure" type="quality"/><result outcome="success" type="quality"/></query>
		<query><formula></formula><comment>nothing</comment></query>
		<query><formula>A[] not deadlock</formula><comment/><expect outcome="failure"/></query>
		<query><formula>A[] ((</formula></query>
	</queries>
</nta>
"#;

fn read(text: &str) -> Parsed {
    parse(text, Format::Xml).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn errors(text: &str) -> Vec<Diagnostic> {
    parse(text, Format::Xml).err().unwrap_or_default()
}

fn codes(text: &str) -> Vec<&'static str> {
    errors(text).iter().map(|d| d.code).collect()
}

fn part(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

fn template(parsed: &Parsed) -> &Template {
    let template = parsed.document.items.iter().find_map(|item| match item {
        Item::Template(template) => Some(template),
        _ => None,
    });
    template.expect("the model has a template")
}

/// A model whose template holds the given elements.
fn with(inner: &str) -> String {
    format!(
        "<nta><template><name>P</name><location id='a'/><location id='b'/><init ref='a'/>{inner}</template>\
         <system>system P;</system></nta>"
    )
}

#[test]
fn one_of_everything() {
    let parsed = read(MODEL);
    assert_eq!(parsed.notes, []);
    let shown = |item: &Item| match item {
        Item::Decl(d) => decl(d),
        Item::Template(t) => t.name.name.clone(),
        Item::Instance(i) => format!("{} = {}", i.name.name, i.template.name),
    };
    assert_eq!(
        join(&parsed.document.items, "|", shown),
        "clock x;|int[0,9] v;|bool less(int a, int b) {return ((a < b) && true);}|chan c;|P|Q = P|R = Q"
    );
    let t = template(&parsed);
    assert_eq!(params(&t.params), "const int n, int &r");
    assert_eq!(join(&t.locations, " ", |l| l.name.name.clone()), "start _id1 _id2");
    assert_eq!(join(&t.branchpoints, " ", |b| b.name.clone()), "id3");
    let start = &t.locations[0];
    assert_eq!(expr(start.invariant.as_ref().unwrap()), "((x <= 5) && (v < 3))");
    assert_eq!(expr(start.exponential_rate.as_ref().unwrap()), "2");
    assert!(t.locations[1].urgent && t.locations[1].invariant.is_none() && t.locations[2].committed);
    assert_eq!(t.init, Some(0));
    assert_eq!((t.edges[1].source, t.edges[1].target), (Node::Location(1), Node::Branchpoint(0)));
    let edge = &t.edges[0];
    assert!(!edge.controllable && edge.sync.as_ref().unwrap().send && t.edges[1].controllable);
    assert_eq!(edge.selects[0].0.name, "i");
    assert_eq!(expr(edge.guard.as_ref().unwrap()), "((x > 1) && less(v, i))");
    assert_eq!(join(&edge.update, ", ", expr), "(x = 0), (v = i)");
    assert_eq!(expr(t.edges[2].probability.as_ref().unwrap()), "3");
}

#[test]
fn queries_with_their_comments_and_verdicts() {
    let queries = read(MODEL).document.queries;
    assert_eq!(queries.len(), 3, "an empty formula is none");
    assert_eq!(queries[0].text, "E<> R.start and x >= 2");
    assert_eq!((queries[0].comment.as_deref(), queries[0].recorded), (Some("why & how"), Some(true)));
    assert_eq!((queries[1].comment.as_deref(), queries[1].recorded), (None, Some(false)));
    assert!(matches!(queries[1].kind, QueryKind::Always(_)));
    assert!(matches!(&queries[2].kind, QueryKind::Malformed(message, _) if message.contains("expected")));
}

#[test]
fn places_are_places_of_the_file() {
    let parsed = read(MODEL);
    let t = template(&parsed);
    let place = |span| part(MODEL, span);
    assert_eq!(place(t.locations[0].invariant.as_ref().unwrap().span), "x &lt;= 5 &amp;&amp; v &lt; 3");
    assert_eq!(place(t.edges[0].guard.as_ref().unwrap().span), "x &gt; 1, less(v, i)");
    assert_eq!(place(t.edges[0].span), "i : int[0,3]");
    assert_eq!(place(t.edges[1].span), "<transition>");
    assert_eq!(place(t.locations[0].name.span), "start");
    assert_eq!(place(t.locations[1].name.span), "<location id=\"id1\">");
    assert!(place(t.span).starts_with("<template>") && place(t.span).ends_with("</template>"));
    let Item::Decl(Decl::Function(f)) = &parsed.document.items[2] else { panic!() };
    assert_eq!(place(f.name.span), "less");
    assert_eq!(place(f.body.stmts[0].span), "return a < b && true;");
    let query = &parsed.document.queries[0];
    assert_eq!(place(query.span), "E&lt;&gt; R.start and\n\t\t\tx &gt;= 2");
    let text = with(
        "<transition><source ref='a'/><target ref='b'/><label kind='guard'>1 &lt; &lt; 2</label></transition>",
    );
    let found = errors(&text);
    assert_eq!(found.len(), 1);
    let span = found[0].span.unwrap();
    assert_eq!(part(&text, span), "&lt;");
    assert!(text[..span.start as usize].ends_with("1 &lt; "));
}

#[test]
fn all_errors_of_a_file_are_found() {
    let text = "<nta><declaration>int a int b; int c; bool 5;</declaration><template><name>P</name>
        <location id='a'><label kind='invariant'>x &lt;=</label></location><location id='a'/>
        <transition><source ref='a'/><target ref='aa'/><label kind='assignment'>x := )</label></transition>
        <transition><source ref='a'/></transition></template><system>system P Q;</system></nta>";
    assert_eq!(
        codes(text),
        ["E0505", "E0505", "E0505", "E0510", "E0509", "E0505", "E0518", "E0511", "E0505"]
    );
    let messages = errors(text);
    assert_eq!(
        messages[0].message,
        "expected `;` after the declaration, found `int` (in the global declarations)"
    );
    assert_eq!(
        messages[2].message,
        "expected an expression, found the end of the text (in template P, location a, invariant)"
    );
    assert_eq!(
        messages[4].message,
        "there is no location `aa` in this template (in template P, edge a -> aa)"
    );
    // One letter is near to everything.
    assert_eq!(messages[4].help, None);
}

#[test]
fn elements_that_are_missing_or_wrong() {
    assert_eq!(codes("<a/>"), ["E0518"]);
    assert_eq!(codes("<nta><template><location id='a'/><init ref='a'/></template></nta>"), ["E0518"]);
    assert_eq!(
        codes("<nta><template><name>a b</name><location id='a'/><init ref='a'/></template></nta>"),
        ["E0505"]
    );
    assert_eq!(
        codes("<nta><template><name>state</name><location id='a'/><init ref='a'/></template></nta>"),
        ["E0507"]
    );
    assert_eq!(codes(&with("<init ref='b'/>")), ["E0510"]);
    assert_eq!(codes(&with("<branchpoint id='a'/>")), ["E0510"]);
    assert_eq!(codes(&with("<location/>")), ["E0518"]);
    assert_eq!(codes(&with("<transition><source ref='a'/><target/></transition>")), ["E0518"]);
    assert_eq!(codes(&with("<location id='c'><label>x</label></location>")), ["E0518"]);
    let twice = "<label kind='guard'>a</label><label kind='guard'>b</label>";
    let edge = format!("<transition><source ref='a'/><target ref='b'/>{twice}</transition>");
    assert_eq!(codes(&with(&edge)), ["E0510"]);
    assert_eq!(codes(&with("<declaration>int a<b/>;</declaration>")), ["E0519"]);
    // The same id in two templates is fine.
    let t = |n: u32| format!("<template><name>P{n}</name><location id='a'/><init ref='a'/></template>");
    assert_eq!(
        codes(&format!("<nta>{}{}<system>system P1, P2;</system></nta>", t(1), t(2))),
        Vec::<&str>::new()
    );
}

#[test]
fn what_is_not_known_is_noted() {
    let text = "<nta><extra/>stray<imports/><template><name>P</name><location id='a'><label kind='testcode'>red</label>\
        <label kind='testcodeEnter'> </label></location><init ref='a'/></template><system>system P;</system></nta>";
    let notes = read(text).notes;
    let places: Vec<&str> = notes.iter().map(|n| part(text, n.span.unwrap())).collect();
    assert_eq!(places, ["stray", "<extra/>", "<label kind='testcode'>"]);
    assert!(notes.iter().all(|n| n.code == "W0503"));
}

/// These were dropped with a note, and with them a guard or a synchronisation of the model.
#[test]
fn a_misspelt_kind_of_label_is_an_error() {
    let edge = |kind: &str| {
        let label = format!("<label kind='{kind}'>a</label>");
        errors(&with(&format!("<transition><source ref='a'/><target ref='b'/>{label}</transition>")))
    };
    for (kind, meant) in [
        ("synchronization", "synchronisation"),
        ("gard", "guard"),
        ("Guard", "guard"),
        ("sync", "synchronisation"),
        ("update", "assignment"),
        ("assign", "assignment"),
    ] {
        let found = edge(kind);
        assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), ["E0520"], "{kind}");
        assert_eq!(found[0].help, Some(format!("did you mean `{meant}`?")), "{kind}");
    }
    // A location has no guard.
    let found = errors(&with("<location id='c'><label kind='guard'>a</label></location>"));
    assert_eq!(found[0].code, "E0520");
    assert!(found[0].help.as_ref().unwrap().contains("`invariant`"), "{found:?}");
    assert_eq!(edge("comments"), []);
    assert_eq!(errors(&with("<location id='c'><label kind='colour'> </label></location>")), []);
}

/// The place of the message, and its help.
fn malformed(text: &str) -> (String, String) {
    let found = errors(text);
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), ["E0515"], "{text}");
    let at = found[0].span.map_or(0, |span| span.start as usize);
    assert!(!found[0].message.contains(" at "), "{found:?}");
    (text[at..].chars().take(6).collect(), found[0].help.clone().unwrap_or_default())
}

#[test]
fn malformed_xml_is_told_what_to_write() {
    let label = |text: &str| format!("<nta>\n<declaration>{text}</declaration></nta>");
    let less = "as less-than, `<` is written `&lt;`".to_string();
    assert_eq!(malformed(&label("a <= b")), ("<= b</".into(), less.clone()));
    assert_eq!(malformed(&label("a < b")), ("< b</d".into(), less.clone()));
    assert_eq!(malformed(&label("a<b")), ("<b</de".into(), less.clone()));
    assert_eq!(malformed(&label("a<b and c>d")), ("<b and".into(), less));
    let (place, help) = malformed(&label("a && b"));
    assert!(place.starts_with("&& b") && help.contains("`&amp;&amp;`"), "{place} {help}");
    // Cut off: the end is shown, and what is open there is named.
    assert_eq!(malformed("<nta>\n<system>a </system>\n\n").0, "\n\n");
    let found = errors("<nta>\n<template><name>P");
    assert_eq!(found[0].message, "the file ends here, but the `name` of line 2 is not closed");
    // Not closed, or closed by something else.
    assert_eq!(
        malformed("<nta><template><name>P</name></nta>"),
        ("<templ".into(), "add `</template>`".into())
    );
    assert_eq!(malformed("<nta><name>P</nam></nta>"), ("</nam>".into(), "did you mean `</name>`?".into()));
}

#[test]
fn messages_name_the_place_in_the_editor() {
    let edge = "<location id='c'><name>idle</name></location><transition><source ref='a'/><target ref='c'/>\
        <label kind='assignment'>a = 1; b = 2</label></transition>";
    let found = errors(&with(edge));
    assert!(found[0].message.contains("(in template P, edge a -> idle, assignment)"), "{found:?}");
    assert_eq!(found[0].help.as_deref(), Some("separate updates with `,`"));
    let found = errors(&with(&edge.replace("; b = 2", ";")));
    assert_eq!(found[0].help.as_deref(), Some("leave out the `;`"));
}

#[test]
fn constructs_for_others_are_named() {
    let text = "<nta><imports>a</imports><lsc><name>L</name></lsc></nta>";
    let found = read(text).document.items;
    assert_eq!(
        join(&found, "|", |item| match item {
            Item::Decl(d) => decl(d),
            other => format!("{other:?}"),
        }),
        "unsupported imports|unsupported lsc (a live sequence chart)"
    );
}

#[test]
fn malformed_xml_and_document_types() {
    assert_eq!(codes(""), ["E0515"]);
    assert_eq!(codes("plain text"), ["E0515"]);
    let text = "<nta>\n<declaration>\u{e9} </decl></nta>";
    assert_eq!(codes(text), ["E0515"]);
    let at = errors(text)[0].span.unwrap().start as usize;
    assert!(text[at..].starts_with("</decl>"), "{at}");
    assert_eq!(codes("<!DOCTYPE nta [<!ENTITY a 'b'>]><nta>&a;</nta>"), ["E0516"]);
    assert_eq!(codes("<nta><declaration>&eacute;</declaration></nta>"), ["E0516"]);
    assert_eq!(codes("<!DOCTYPE nta SYSTEM 'file:///etc/passwd'><nta/>"), Vec::<&str>::new());
    assert_eq!(codes(&format!("\u{feff}{MODEL}")), Vec::<&str>::new());
    let bom = format!("\u{feff}{MODEL}");
    let parsed = read(&bom);
    assert_eq!(part(&bom, template(&parsed).locations[0].name.span), "start");
}

#[test]
fn the_old_syntax_in_xml() {
    let text = "<nta><declaration>const N 5; clock x;</declaration><template><name>P</name>\
        <parameter>clock y; const k</parameter><location id='a'><label kind='invariant'>x =&lt; N, y =&lt; k</label>\
        </location><init ref='a'/></template><system>system P;</system></nta>";
    let parsed = read(text);
    assert!(parsed.document.old_syntax);
    assert_eq!(params(&template(&parsed).params), "clock &y, const int k");
    assert_eq!(expr(template(&parsed).locations[0].invariant.as_ref().unwrap()), "((x <= N) && (y <= k))");
}

#[test]
fn truncation_at_any_byte_is_answered() {
    for at in (0..MODEL.len()).filter(|at| MODEL.is_char_boundary(*at)) {
        let result = parse(&MODEL[..at], Format::Xml);
        assert!(result.is_err() || at + 1 >= MODEL.len(), "{at}");
    }
}
