//! XML as a weapon: entities, document types, depth, attributes.

use super::Answer::{Large, Says};
use super::{Input, each, input};

/// A model whose declarations are this.
fn model(declarations: &str) -> String {
    framed("", &format!("<declaration>{declarations}</declaration>{TEMPLATE}"))
}
fn framed(before: &str, inside: &str) -> String {
    format!("<?xml version=\"1.0\"?>{before}<nta>{inside}<system>system T;</system></nta>")
}
const TEMPLATE: &str = "<template><name>T</name><location id=\"a\"/><init ref=\"a\"/></template>";

pub fn all() -> Vec<Input> {
    let laughs = each(9, |i| format!("<!ENTITY l{} \"{}\">", i + 1, format!("&l{i};").repeat(10)));
    let laughs = format!("<!DOCTYPE nta [<!ENTITY l0 \"ha\">{laughs}]>");
    let entities = each(100_000, |i| format!("<!ENTITY e{i} \"x\">"));
    let xml = |name: &str, text: String, answer| input(name, "xml", text, answer);
    let refused = || Says(2, "E0516");
    vec![
        xml("billion laughs", framed(&laughs, "<declaration>&l9;</declaration>"), refused()),
        xml("entity of itself", framed("<!DOCTYPE nta [<!ENTITY a \"&a;\">]>", "&a;"), refused()),
        xml(
            "file as entity",
            framed(
                "<!DOCTYPE nta [<!ENTITY p SYSTEM \"file:///etc/passwd\">]>",
                "<declaration>&p;</declaration>",
            ),
            refused(),
        ),
        xml(
            "parameter entity",
            framed("<!DOCTYPE nta [<!ENTITY % p SYSTEM \"http://localhost/p\"> %p;]>", TEMPLATE),
            refused(),
        ),
        xml("100,000 entities", framed(&format!("<!DOCTYPE nta [{entities}]>"), TEMPLATE), refused()),
        xml("unknown entity", model("&unknown;"), refused()),
        xml(
            "external document type",
            framed("<!DOCTYPE nta SYSTEM \"http://localhost/x.dtd\">", TEMPLATE),
            Says(1, ""),
        ),
        xml("document type that does not end", "<!DOCTYPE nta [".into(), Says(2, "E051")),
        xml(
            "two document types",
            framed(&"<!DOCTYPE nta SYSTEM \"x\">".repeat(2), TEMPLATE),
            Says(2, "E051"),
        ),
        xml("character references", model(&"&#32;".repeat(1_000_000)), Says(1, "no-deadlock")),
        xml("reference to no character", model("&#xFFFFFFFFFFFF;"), Says(2, "E051")),
        xml("100,000 nested elements", framed("", &"<a>".repeat(100_000)), Says(2, "E0517")),
        xml(
            "100,000 closed nested elements",
            framed("", &("<a>".repeat(100_000) + &"</a>".repeat(100_000))),
            Says(2, "E0517"),
        ),
        xml(
            "nested templates",
            framed("", &("<template>".repeat(60) + &"</template>".repeat(60))),
            Says(2, "E0"),
        ),
        xml(
            "100,000 attributes",
            framed("", &format!("<declaration {}/>", each(100_000, |i| format!("a{i}=\"\" ")))),
            Says(2, "E0517"),
        ),
        xml(
            "100,000 name spaces",
            framed("", &format!("<declaration {}/>", each(100_000, |i| format!("xmlns:a{i}=\"u\" ")))),
            Says(2, "E0517"),
        ),
        xml(
            "name spaces everywhere",
            framed("", &each(100_000, |i| format!("<a xmlns:n{i}=\"u{i}\"/>"))),
            Says(2, "E0517"),
        ),
        xml("10^6 elements", framed("", &"<a/>".repeat(1_000_000)), Says(2, "E0501")),
        xml(
            "900,000 unknown elements",
            framed("", &(TEMPLATE.to_string() + &"<a/>".repeat(900_000))),
            Says(1, "W0503"),
        ),
        xml(
            "10^6 comments",
            framed("", &(TEMPLATE.to_string() + &"<!---->".repeat(1_000_000))),
            Says(2, "E0501"),
        ),
        xml(
            "marked section that does not end",
            "<nta><declaration><![CDATA[ int x;".into(),
            Says(2, "E0515"),
        ),
        xml("500,000 marked sections", model(&"<![CDATA[ ]]>".repeat(500_000)), Large),
        xml("element names of 10 MB", framed("", &format!("<{0}></{0}>", "n".repeat(5 << 20))), Says(2, "")),
        xml(
            "attribute of 10 MB",
            framed("", &format!("<template id=\"{}\"/>", "n".repeat(10 << 20))),
            Says(2, ""),
        ),
        xml("tag that does not end", "<nta ".repeat(1_000_000), Says(2, "E0515")),
        xml("only a root", "<nta/>".into(), Says(2, "E0544")),
        xml("another root", "<html><body/></html>".into(), Says(2, "E0518")),
        xml("two roots", "<nta/><nta/>".into(), Says(2, "E0515")),
        xml("10^5 locations in XML", framed("", &locations(100_000)), Says(2, "E0546")),
        xml("50,000 locations in XML", framed("", &locations(50_000)), Large),
        xml(
            "id of 10 MB",
            framed(
                "",
                &format!(
                    "<template><name>T</name><location id=\"{0}\"/><init ref=\"{0}\"/></template>",
                    "n".repeat(5 << 20)
                ),
            ),
            Says(2, "E0501"),
        ),
        xml(
            "ids that are all the same",
            framed(
                "",
                &format!(
                    "<template><name>T</name>{}<init ref=\"a\"/></template>",
                    "<location id=\"a\"/>".repeat(300_000)
                ),
            ),
            Says(2, "E0510"),
        ),
        xml(
            "10^5 edges to nowhere",
            framed(
                "",
                &format!(
                    "<template><name>T</name><location id=\"a\"/><init ref=\"a\"/>{}</template>",
                    "<transition><source ref=\"a\"/><target ref=\"b\"/></transition>".repeat(100_000)
                ),
            ),
            Says(2, "E0509"),
        ),
    ]
}

fn locations(count: usize) -> String {
    let locations = each(count, |i| format!("<location id=\"l{i}\"><name>L{i}</name></location>"));
    format!("<template><name>T</name>{locations}<init ref=\"l0\"/></template>")
}
