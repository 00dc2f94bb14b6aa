//! Which known name was probably meant by an unknown one.

use beeline_ir::text::suggest;

/// Longest name that gets a suggestion: a file may have very many long ones, all of them near to each other.
const MAX_LENGTH: usize = 64;

/// Most slips in a name that is suggested.
const SLIPS: usize = 2;

/// The nearest known name, if it is near enough to be a slip. Every name of one letter is near to every other, so
/// none of them is suggested or gets a suggestion.
pub(crate) fn near<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let long = |name: &str| name.chars().nth(1).is_some();
    if !long(name) || name.len() > MAX_LENGTH {
        return None;
    }
    suggest(name, known.filter(|k| long(k) && within(name.as_bytes(), k.as_bytes(), SLIPS)))
}

/// Whether so few edits make one name of the other. Takes a few passes over the name, where computing the distance
/// would take its square.
fn within(a: &[u8], b: &[u8], edits: usize) -> bool {
    let same = a.iter().zip(b).take_while(|(x, y)| x.eq_ignore_ascii_case(y)).count();
    match (&a[same..], &b[same..]) {
        ([], rest) | (rest, []) => rest.len() <= edits,
        (x @ [_, a @ ..], y @ [_, b @ ..]) => {
            edits > 0 && [(a, b), (a, y), (x, b)].into_iter().any(|(a, b)| within(a, b, edits - 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_is_near_to_nothing() {
        assert_eq!(near("S", ["A", "St"].into_iter()), None);
        assert_eq!(near("go", ["g", "goo"].into_iter()), Some("goo"));
    }

    #[test]
    fn two_slips_are_near() {
        for (name, known) in
            [("variabel", "variable"), ("xount1", "count"), ("ab_cd", "abcd"), ("LOCK", "lok")]
        {
            assert!(within(name.as_bytes(), known.as_bytes(), 2), "{name}");
            assert!(within(known.as_bytes(), name.as_bytes(), 2), "{name}");
        }
        assert!(!within(b"variabel", b"variable", 1) && !within(b"abcde", b"ab", 2));
        let long = "n".repeat(MAX_LENGTH);
        assert_eq!(near(&long, [&long[1..]].into_iter()), Some(&long[1..]));
        assert_eq!(near(&format!("{long}n"), [&*long].into_iter()), None);
    }
}
