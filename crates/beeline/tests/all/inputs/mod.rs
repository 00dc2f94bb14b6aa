//! Hostile input: texts that are cut, nested, vast or endless, each with the answer it deserves. The same list serves the
//! test that looks at the answers and the run that measures time and memory (`fuzz/hostile`).

mod bytes;
mod counts;
mod endless;
mod markup;
mod nesting;
mod smv;
mod work;

/// A model file, and perhaps one with queries.
pub struct Input {
    pub name: String,
    /// What the name of the model file ends in.
    pub extension: &'static str,
    pub model: Vec<u8>,
    pub queries: Option<Vec<u8>>,
    pub answer: Answer,
}

/// What is to be said about it.
pub enum Answer {
    /// This exit code, and this somewhere in the output.
    Says(i32, &'static str),
    /// It is legal and perhaps too much for a second: any verdict, or none.
    Large,
    /// A text that may be wrong or not: any exit code for which the input is responsible.
    Any,
}

impl Answer {
    /// Whether this is the answer.
    pub fn is(&self, code: Option<i32>, output: &str) -> bool {
        match self {
            Self::Says(wanted, words) => code == Some(*wanted) && output.contains(words),
            Self::Large => matches!(code, Some(0 | 1 | 3 | 4 | 5)),
            Self::Any => matches!(code, Some(0..=5)),
        }
    }
}

/// All of them; those of a kind are made when the first of them is asked for.
pub fn all() -> impl Iterator<Item = Input> {
    let kinds = [bytes::all, markup::all, nesting::all, counts::all, endless::all, work::all, smv::all];
    kinds.into_iter().flat_map(|kind| kind())
}

fn input(
    name: impl Into<String>,
    extension: &'static str,
    model: impl Into<Vec<u8>>,
    answer: Answer,
) -> Input {
    Input { name: name.into(), extension, model: model.into(), queries: None, answer }
}
/// A model in the textual syntax.
fn xta(name: impl Into<String>, model: impl Into<Vec<u8>>, answer: Answer) -> Input {
    input(name, "xta", model, answer)
}
/// Declarations before a system of one idle process.
fn declared(name: impl Into<String>, declarations: &str, answer: Answer) -> Input {
    xta(name, format!("{declarations}\n{IDLE}"), answer)
}
/// One process with one edge and these labels.
fn edge(name: impl Into<String>, declarations: &str, labels: &str, answer: Answer) -> Input {
    let process = format!("process P() {{ state A; init A; trans A -> A {{ {labels} }}; }} system P;");
    xta(name, format!("{declarations}\n{process}"), answer)
}
/// A query about an idle process with a few variables.
fn query(name: impl Into<String>, queries: impl Into<Vec<u8>>, answer: Answer) -> Input {
    let model = format!("int i; int a[4]; clock x;\n{IDLE}");
    Input { queries: Some(queries.into()), ..xta(name, model, answer) }
}

const IDLE: &str = "process P() { state A; init A; } system P;";

/// A text for each number, one after another.
fn each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}
/// A text for each number, with something between them.
fn joined(count: usize, between: &str, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect::<Vec<_>>().join(between)
}
