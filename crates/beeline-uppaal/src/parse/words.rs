//! Which words are reserved. All others are names, also those that mean something in one place only (`priority`,
//! `query`, `A`, `sup`, ...).

use super::context::Syntax;

/// Reserved in every syntax.
const ALWAYS: [&str; 30] = [
    "and",
    "assign",
    "bool",
    "broadcast",
    "chan",
    "clock",
    "commit",
    "const",
    "default",
    "false",
    "guard",
    "imply",
    "init",
    "int",
    "not",
    "or",
    "process",
    "state",
    "sync",
    "system",
    "trans",
    "true",
    "urgent",
    "xor",
    "switch",
    "case",
    "continue",
    "break",
    "enum",
    "void",
];

/// Reserved in the new syntax; in the old one these are names, and the constructs do not exist.
const NEW: [&str; 19] = [
    "assert",
    "branchpoint",
    "do",
    "double",
    "else",
    "exists",
    "for",
    "forall",
    "hybrid",
    "if",
    "meta",
    "probability",
    "return",
    "scalar",
    "select",
    "struct",
    "sum",
    "typedef",
    "while",
];

/// Reserved by UPPAAL for constructs it does not have.
const FUTURE: [&str; 5] = ["switch", "case", "continue", "break", "enum"];

/// Whether the word cannot be a name.
pub(crate) fn is_reserved(word: &str, syntax: Syntax) -> bool {
    ALWAYS.contains(&word)
        || (syntax != Syntax::Old && NEW.contains(&word))
        || (syntax == Syntax::Query && word == "deadlock")
}

/// Whether the word is reserved for something that does not exist.
pub(crate) fn is_future(word: &str) -> bool {
    FUTURE.contains(&word)
}

/// Whether a type begins with the word, other than the name of a type.
pub(crate) fn begins_type(word: &str, syntax: Syntax) -> bool {
    match word {
        "int" | "bool" | "clock" | "chan" | "void" | "const" | "urgent" | "broadcast" => true,
        "double" | "scalar" | "struct" | "meta" | "hybrid" => syntax != Syntax::Old,
        _ => false,
    }
}
