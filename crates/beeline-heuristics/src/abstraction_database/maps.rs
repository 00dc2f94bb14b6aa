//! Files of maps: a line for each variable, which says what becomes of its values. `docs/maps.md` describes them.
//!
//! ```text
//! # Comments begin with a hash.
//! temp: ranges 12 15 19 22     # a class ends before each of these numbers
//! x: modulo 3
//! predicate: x < y + z         # the truth of predicates instead of the values of x, y and z
//! others: drop                 # everything else; `keep` if nothing is said
//! database                     # another one; their estimates are added up
//! ```

use beeline_ir::expr::Range;
use std::ops::RangeInclusive;

/// What becomes of the values of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Map {
    /// They stay.
    Keep,
    /// They are forgotten.
    Drop,
    /// Less than 0, 0, more than 0.
    Sign,
    /// Even or odd.
    Parity,
    /// The remainder.
    Modulo(i64),
    /// A class ends before each of these.
    Ranges(Vec<i64>),
    /// These sets, and all others.
    Sets(Vec<Vec<RangeInclusive<i64>>>),
}

impl Map {
    /// A name for the class of a value.
    pub fn class(&self, value: i64) -> i64 {
        match self {
            Self::Keep => value,
            Self::Drop => 0,
            Self::Sign => value.signum(),
            Self::Parity => value.rem_euclid(2),
            Self::Modulo(divisor) => value.rem_euclid(*divisor),
            Self::Ranges(starts) => starts.partition_point(|start| *start <= value) as i64,
            Self::Sets(sets) => {
                let found = sets.iter().position(|set| set.iter().any(|range| range.contains(&value)));
                found.unwrap_or(sets.len()) as i64
            }
        }
    }
}

impl Map {
    /// Whether every class it names has a value in a range; says what is wrong with it.
    pub fn fits(&self, range: Range) -> Result<(), String> {
        match self {
            Self::Keep | Self::Drop | Self::Sign | Self::Parity | Self::Modulo(_) => Ok(()),
            Self::Ranges(starts) => {
                match starts.iter().find(|start| **start <= range.lo || **start > range.hi) {
                    Some(start) => Err(format!("a class that begins at {start} leaves one without values")),
                    None => Ok(()),
                }
            }
            Self::Sets(sets) => {
                let outside = |part: &&RangeInclusive<i64>| {
                    !range.contains(*part.start()) || !range.contains(*part.end())
                };
                match sets.iter().flatten().find(outside) {
                    Some(part) if part.start() == part.end() => {
                        Err(format!("{} is no value of it", part.start()))
                    }
                    Some(part) => Err(format!("{}..{} are not all values of it", part.start(), part.end())),
                    None => Ok(()),
                }
            }
        }
    }
}

/// What one database looks at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Abstraction {
    /// By name.
    pub maps: Vec<Line>,
    /// Predicates, as texts.
    pub predicates: Vec<Line>,
    /// Whether what is not named is kept.
    pub keeps_others: bool,
}

/// A line of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Of what it speaks.
    pub name: String,
    /// What becomes of it.
    pub map: Map,
    line: usize,
    column: usize,
}

impl Line {
    /// Something is wrong with what it speaks of.
    pub fn wrong(&self, message: String) -> Wrong {
        Wrong { line: self.line, column: self.column, message }
    }
}

/// What is wrong with a file, and where; lines and columns count from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What.
    pub message: String,
}

/// The words that maps begin with.
const WORDS: [&str; 7] = ["keep", "drop", "sign", "parity", "modulo", "ranges", "classes"];

/// Reads a file.
pub fn read(text: &str) -> Result<Vec<Abstraction>, Wrong> {
    let empty = || Abstraction { maps: Vec::new(), predicates: Vec::new(), keeps_others: true };
    let mut all = vec![empty()];
    let mut said = false;
    for (number, whole) in text.lines().enumerate() {
        let content = whole.split('#').next().unwrap_or_default().trim_end();
        let body = content.trim_start();
        let column = |part: &str| part.as_ptr() as usize - whole.as_ptr() as usize + 1;
        let wrong = |part: &str, message: String| Wrong { line: number + 1, column: column(part), message };
        if body.is_empty() {
            continue;
        }
        if body == "database" {
            if said {
                all.push(empty());
            }
            continue;
        }
        said = true;
        let Some((name, rest)) = body.split_once(':') else {
            return Err(wrong(
                body,
                "`NAME: MAP`, `predicate: EXPR`, `others: keep|drop` or `database` is needed".into(),
            ));
        };
        let (name, rest) = (name.trim(), rest.trim_start());
        let Some(current) = all.last_mut() else { continue };
        let line = |name: &str, map| Line { name: name.into(), map, line: number + 1, column: column(name) };
        match (name, rest) {
            ("others", "keep" | "drop") => current.keeps_others = rest == "keep",
            ("others", _) => return Err(wrong(rest, "others are kept or dropped: `keep` or `drop`".into())),
            ("predicate", _) => current.predicates.push(line(rest, Map::Keep)),
            ("", _) => return Err(wrong(body, "a name is needed before the colon".into())),
            _ => {
                if current.maps.iter().any(|other| other.name == name) {
                    return Err(wrong(name, format!("`{name}` has a map already")));
                }
                let map = map(rest).map_err(|(part, message)| wrong(part, message))?;
                current.maps.push(line(name, map));
            }
        }
    }
    Ok(all)
}

/// Reads a map; says what is wrong with which part.
fn map(text: &str) -> Result<Map, (&str, String)> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, &text[text.len()..]));
    let rest = rest.trim_start();
    let plain = match word {
        "keep" => Map::Keep,
        "drop" => Map::Drop,
        "sign" => Map::Sign,
        "parity" => Map::Parity,
        "modulo" => {
            let divisor = number(rest)?;
            return if divisor > 0 {
                Ok(Map::Modulo(divisor))
            } else {
                Err((rest, "a number above 0 is needed".into()))
            };
        }
        "ranges" => {
            let starts = rest.split_whitespace().map(number).collect::<Result<Vec<i64>, _>>()?;
            if starts.is_empty() || !starts.is_sorted_by(|a, b| a < b) {
                return Err((
                    rest,
                    "numbers in ascending order are needed, at which new classes begin".into(),
                ));
            }
            return Ok(Map::Ranges(starts));
        }
        "classes" => return sets(rest).map(Map::Sets),
        _ => {
            let near = beeline_ir::text::suggest(word, WORDS.iter().copied());
            let meant = near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
            return Err((word, format!("there is no map `{word}`{meant}; there are: {}", WORDS.join(", "))));
        }
    };
    if rest.is_empty() { Ok(plain) } else { Err((rest, format!("nothing follows `{word}`"))) }
}

fn number(text: &str) -> Result<i64, (&str, String)> {
    text.parse().map_err(|_| (text, "a number is needed, of 64 bits at most".into()))
}

/// `{1, 2} {5..9}`
fn sets(text: &str) -> Result<Vec<Vec<RangeInclusive<i64>>>, (&str, String)> {
    let mut sets: Vec<Vec<RangeInclusive<i64>>> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let inside = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let Some((inside, after)) = inside else {
            return Err((rest, "sets are written `{1, 2} {5..9}`".into()));
        };
        let mut set: Vec<RangeInclusive<i64>> = Vec::new();
        for part in inside.split(',').map(str::trim) {
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let (first, last) = (number(first.trim())?, number(last.trim())?);
            if first > last {
                return Err((part, "the first number of a range is the least one".into()));
            }
            let meets = |other: &RangeInclusive<i64>| first <= *other.end() && *other.start() <= last;
            if sets.iter().flatten().chain(&set).any(meets) {
                return Err((part, "some of these values are in a set already".into()));
            }
            set.push(first..=last);
        }
        sets.push(set);
        rest = after.trim_start();
    }
    if sets.is_empty() { Err((text, "sets are written `{1, 2} {5..9}`".into())) } else { Ok(sets) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read() {
        let text = "# maps\n a: sign\nb : ranges -1 4 # two cuts\nothers: drop\npredicate: x < y\n\n\
                    database\nc: classes {1, 3} {5..9}\n";
        let all = read(text).expect("a file");
        assert_eq!(all.len(), 2);
        let maps: Vec<(&str, &Map)> = all[0].maps.iter().map(|line| (&*line.name, &line.map)).collect();
        assert_eq!(maps, [("a", &Map::Sign), ("b", &Map::Ranges(vec![-1, 4]))]);
        assert_eq!((all[0].keeps_others, &*all[0].predicates[0].name), (false, "x < y"));
        assert!(all[1].keeps_others && all[1].predicates.is_empty());
        let classes = |map: &Map, values: &[i64]| values.iter().map(|v| map.class(*v)).collect::<Vec<i64>>();
        assert_eq!(classes(&all[1].maps[0].map, &[0, 1, 3, 4, 7, 9, 10]), [2, 0, 0, 2, 1, 1, 2]);
        assert_eq!(classes(&all[0].maps[1].map, &[-2, -1, 3, 4]), [0, 1, 1, 2]);
        assert_eq!(classes(&Map::Modulo(3), &[-1, 0, 4]), [2, 0, 1]);
        assert_eq!(classes(&Map::Parity, &[-3, 2]), [1, 0]);
    }

    /// Classes without values are typing errors more often than wishes.
    #[test]
    fn classes_without_values_are_refused() {
        let fits = |text: &str| map(text).expect(text).fits(Range::new(0, 9));
        for good in ["ranges 1 9", "classes {0..9}", "classes {3, 4} {0}", "modulo 40", "sign", "keep"] {
            assert_eq!(fits(good), Ok(()), "{good}");
        }
        for bad in ["ranges 0 3", "ranges 3 10", "classes {10}", "classes {-1..3}", "classes {3} {8..12}"] {
            assert!(fits(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, line, column, part) in [
            ("a: sing", 1, 4, "did you mean `sign`"),
            ("\n  a: modulo x", 2, 13, "a number"),
            ("a: modulo 0", 1, 11, "above 0"),
            ("a: ranges 3 3", 1, 11, "ascending"),
            ("a: ranges", 1, 10, "ascending"),
            ("a: keep it", 1, 9, "nothing follows"),
            ("a: keep\na: drop", 2, 1, "already"),
            ("nonsense", 1, 1, "`NAME: MAP`"),
            (": keep", 1, 1, "a name"),
            ("others: sign", 1, 9, "`keep` or `drop`"),
            ("a: classes 1", 1, 12, "sets are written"),
            ("a: classes {1..z}", 1, 16, "a number"),
            ("a: classes {}", 1, 13, "a number"),
            ("a: classes {9..5}", 1, 13, "the least one"),
            ("a: classes {1, 2} {5, 2..3}", 1, 23, "in a set already"),
            ("a: ranges 99999999999999999999", 1, 11, "of 64 bits"),
        ] {
            let wrong = read(text).expect_err(text);
            assert_eq!((wrong.line, wrong.column), (line, column), "{text}");
            assert!(wrong.message.contains(part), "{text}: {}", wrong.message);
        }
    }
}
