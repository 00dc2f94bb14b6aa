//! Which known name was probably meant by an unknown one.

use beeline_ir::text::suggest;

/// The nearest known name, if it is near enough to be a slip. Every name of one letter is near to every other, so
/// none of them is suggested or gets a suggestion.
pub(crate) fn near<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let long = |name: &str| name.chars().nth(1).is_some();
    if long(name) { suggest(name, known.filter(|k| long(k))) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_is_near_to_nothing() {
        assert_eq!(near("S", ["A", "St"].into_iter()), None);
        assert_eq!(near("go", ["g", "goo"].into_iter()), Some("goo"));
    }
}
