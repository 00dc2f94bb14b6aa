//! What values of options look like: whether a text is one, and how they are called in help texts.

use std::time::Duration;

/// What an option takes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// Nothing: it is there or not.
    Flag,
    /// One of these words, each with what it means.
    Choice(&'static [(&'static str, &'static str)]),
    /// A whole number in this range.
    Integer(u64, u64),
    /// How many, at least one: a number such as `5000`, `10k` or `1.5M`.
    Count,
    /// A time such as `500ms`, `1.5s`, `5m` or `2h`.
    Duration,
    /// An amount of memory such as `512MiB` or `4GiB`.
    Size,
    /// The name of a file.
    File,
    /// One of these words, alone or followed by `=FILE`.
    ChoiceToFile(&'static [(&'static str, &'static str)]),
    /// Free text, called this in the help.
    Text(&'static str),
}

impl Syntax {
    /// Whether a text is a value of this kind, or what is wrong with it.
    pub fn check(self, text: &str) -> Result<(), String> {
        match self {
            Self::Flag | Self::File | Self::Text(_) => Ok(()),
            Self::Choice(words) => one_of(words, text),
            Self::Integer(least, most) => integer(text, least, most).map(drop),
            Self::Count => count(text).map(drop),
            Self::Duration => duration(text).map(drop),
            Self::Size => size(text).map(drop),
            Self::ChoiceToFile(words) => {
                let (word, file) = to_file(text);
                if file == Some("") {
                    return Err("the file name is missing after `=`".into());
                }
                one_of(words, word)
            }
        }
    }

    /// Whether help texts have all the words in the place of the value: long lists leave no room for anything else.
    pub fn spells_out(self) -> bool {
        !matches!(self, Self::Choice(words) if words_of(words).len() > 64)
    }

    /// How the value is written in help texts; empty for a flag.
    pub fn placeholder(self) -> String {
        match self {
            Self::Flag => String::new(),
            Self::Choice(words) if self.spells_out() => words_of(words),
            Self::Choice(_) => "NAME".into(),
            Self::Integer(..) | Self::Count => "N".into(),
            Self::Duration => "TIME".into(),
            Self::Size => "SIZE".into(),
            Self::File => "FILE".into(),
            Self::ChoiceToFile(words) => format!("{}[=FILE]", words_of(words)),
            Self::Text(name) => name.into(),
        }
    }
}

fn words_of(words: &[(&str, &str)]) -> String {
    words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join("|")
}

fn one_of(words: &[(&str, &str)], text: &str) -> Result<(), String> {
    if words.iter().any(|(word, _)| *word == text) {
        return Ok(());
    }
    let near = beeline_ir::text::suggest(text, words.iter().map(|(word, _)| *word));
    let meant = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    Err(format!("{meant}expected one of: {}", words_of(words).replace('|', ", ")))
}

/// Splits `WORD=FILE`.
pub fn to_file(text: &str) -> (&str, Option<&str>) {
    text.split_once('=').map_or((text, None), |(word, file)| (word, Some(file)))
}

/// A whole number in a range.
pub fn integer(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = text.parse().map_err(|_| "expected a whole number".to_string())?;
    match (least..=most).contains(&number) {
        true => Ok(number),
        false => Err(format!("expected a number from {least} to {most}")),
    }
}

/// How many, at least one, in thousands with `k`, millions with `M`, thousands of millions with `G`.
pub fn count(text: &str) -> Result<u64, String> {
    let units = [("", 1), ("k", 1_000), ("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)];
    let number = amount(text, &units).ok_or("expected a number such as 5000, 10k or 2M")?;
    let number = u64::try_from(number).map_err(|_| "too many")?;
    if number == 0 { Err("expected at least 1".into()) } else { Ok(number) }
}

/// A time with its unit; a bare number counts seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    const SECOND: u128 = 1_000_000_000;
    let (minute, hour) = (60 * SECOND, 3_600 * SECOND);
    let units = [("ms", 1_000_000), ("s", SECOND), ("", SECOND), ("m", minute), ("min", minute), ("h", hour)];
    let nanos = amount(text, &units).ok_or("expected a time such as 500ms, 1.5s, 60s, 5m or 2h")?;
    let seconds = u64::try_from(nanos / SECOND).map_err(|_| "too long")?;
    Ok(Duration::new(seconds, (nanos % SECOND) as u32))
}

/// A number of bytes with its unit; a bare number counts bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let units = [
        ("B", 1),
        ("", 1),
        ("KiB", 1 << 10),
        ("K", 1 << 10),
        ("MiB", 1 << 20),
        ("M", 1 << 20),
        ("GiB", 1 << 30),
        ("G", 1 << 30),
        ("TiB", 1 << 40),
        ("T", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
    ];
    let bytes = amount(text, &units).ok_or("expected an amount of memory such as 512MiB, 1.5GiB or 4GiB")?;
    u64::try_from(bytes).map_err(|_| "too much".into())
}

/// A decimal number times its unit, if that is a whole number: `1.5k` is 1500.
fn amount(text: &str, units: &[(&str, u128)]) -> Option<u128> {
    let (number, unit) =
        text.split_at(text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len()));
    let (_, unit) = units.iter().find(|(name, _)| *name == unit)?;
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    // Twenty digits and the largest unit stay far below the largest number.
    let digits = |digits: &str| (digits.len() <= 20).then(|| digits.parse::<u128>().ok()).flatten();
    let fraction = match fraction {
        Some(fraction) => {
            let (part, scale) = (digits(fraction)? * unit, 10_u128.pow(fraction.len() as u32));
            (part % scale == 0).then_some(part / scale)?
        }
        None => 0,
    };
    Some(digits(whole)? * unit + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{SEARCHES, TRACE_FORMATS};

    #[test]
    fn amounts_are_read_with_their_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1_500)));
        assert_eq!(duration("0.25"), Ok(Duration::from_millis(250)));
        assert_eq!(size("4GiB"), Ok(4 << 30));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("123"), Ok(123));
        assert_eq!(size("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(count("5000"), Ok(5_000));
        assert_eq!(count("10k"), Ok(10_000));
        assert_eq!(count("1.5M"), Ok(1_500_000));
        let long = "9".repeat(60);
        for bad in
            ["", "s", "-1s", "1.s", ".5s", "1.5.5s", "1e3s", "5 m", "18446744073709551615h", "5M", &long]
        {
            assert!(duration(bad).is_err(), "{bad}");
        }
        for bad in ["", "GiB", "4 GiB", "4gib", "18446744073709551615TiB", "1.5", "-1", "é", &long] {
            assert!(size(bad).is_err(), "{bad}");
        }
        for bad in ["", "k", "0", "0k", "0.5", "1.2345k", "10 k", "10x", "99999999999G", "-1", &long] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_outside_their_range_are_refused() {
        assert_eq!(integer("1", 1, 4), Ok(1));
        assert_eq!(integer("5", 1, 4), Err("expected a number from 1 to 4".into()));
        assert_eq!(count("0"), Err("expected at least 1".into()));
        assert!(integer("x", 0, 9).is_err());
        assert!(Syntax::ChoiceToFile(TRACE_FORMATS).check("json=").is_err());
        assert!(Syntax::ChoiceToFile(TRACE_FORMATS).check("json=a=b").is_ok());
        assert!(Syntax::Choice(SEARCHES).check("a-star").is_err());
    }
}
