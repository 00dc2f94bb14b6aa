//! Words that are not names.

/// Words that begin a section.
const SECTIONS: [&str; 22] = [
    "ASSIGN",
    "COMPASSION",
    "COMPUTE",
    "CONSTANTS",
    "CTLSPEC",
    "DEFINE",
    "FAIRNESS",
    "FROZENVAR",
    "INIT",
    "INVAR",
    "INVARSPEC",
    "ISA",
    "IVAR",
    "JUSTICE",
    "LTLSPEC",
    "MIRROR",
    "MODULE",
    "PRED",
    "PSLSPEC",
    "SPEC",
    "TRANS",
    "VAR",
];

/// Words with a meaning of their own elsewhere.
const OTHERS: [&str; 65] = [
    "A", "ABF", "ABG", "AF", "AG", "AX", "BU", "E", "EBF", "EBG", "EF", "EG", "EX", "F", "FALSE", "G", "H",
    "IN", "MAX", "MIN", "NAME", "O", "READ", "S", "T", "TRUE", "U", "V", "WRITE", "X", "Y", "Z", "abs",
    "array", "bool", "boolean", "case", "count", "esac", "extend", "in", "init", "integer", "max", "min",
    "mod", "next", "of", "process", "real", "resize", "self", "signed", "sizeof", "swconst", "toint",
    "typeof", "union", "unsigned", "uwconst", "word", "word1", "xnor", "xor", "WRITEC",
];

/// Temporal operators of one operand.
const UNARY: [&str; 13] = ["AF", "AG", "AX", "EF", "EG", "EX", "F", "G", "H", "O", "X", "Y", "Z"];

/// Temporal operators of one operand with bounds in front of it.
const BOUNDED: [&str; 4] = ["ABF", "ABG", "EBF", "EBG"];

/// Temporal operators between two operands.
const BINARY: [&str; 5] = ["U", "V", "S", "T", "BU"];

/// Whether a section begins with this word.
pub(crate) fn is_section(word: &str) -> bool {
    SECTIONS.contains(&word)
}

/// Whether this word is no name.
pub(crate) fn is_reserved(word: &str) -> bool {
    is_section(word) || OTHERS.contains(&word)
}

fn listed(words: &[&'static str], word: &str) -> Option<&'static str> {
    words.iter().find(|w| **w == word).copied()
}

/// The temporal operator of one operand that is written so.
pub(crate) fn unary(word: &str) -> Option<&'static str> {
    listed(&UNARY, word)
}

/// The bounded temporal operator that is written so.
pub(crate) fn bounded(word: &str) -> Option<&'static str> {
    listed(&BOUNDED, word)
}

/// The temporal operator of two operands that is written so.
pub(crate) fn binary(word: &str) -> Option<&'static str> {
    listed(&BINARY, word)
}
