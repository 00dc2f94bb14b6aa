//! What the papers print, as figures: states explored, and lengths of traces where they are given.
//!
//! The tables are texts (`paper/*.tsv`), a line for each instance: states explored as precisely as they are printed,
//! after a slash the length of the trace, and a dash for what ran out of time or memory. P0's and P3's columns are
//! all of their tables; P1's are those of its Tables 1 to 3 without `-b all` of the last, where `best of h^L, h^U` is
//! `[13]-best` and `h^aa-N50` is `[5]-N50`; a dot is a field that it has not.
//! P4 has nodes of decision diagrams instead of states; a third number is the time in seconds. In P1's table, it is the
//! time before the search, and that in all, where both are printed legibly (Table 2, and one column of Table 1).

/// What a paper prints in a field of its table.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Printed {
    /// Solved.
    Solved {
        /// States explored, as precisely as they are printed; or nodes.
        explored: u64,
        /// Length of the trace, with what was put in afterwards; not for shortest ones.
        length: Option<u32>,
        /// Seconds, where they are printed beside.
        seconds: Option<&'static str>,
    },
    /// Out of time or memory.
    Unsolved,
}

impl Printed {
    fn read(field: &'static str) -> Option<Self> {
        if field == "-" {
            return Some(Self::Unsolved);
        }
        let mut numbers = field.split('/');
        let explored = numbers.next()?.parse().ok()?;
        let length = numbers.next().filter(|length| !length.is_empty()).map(str::parse).transpose().ok()?;
        Some(Self::Solved { explored, length, seconds: numbers.next() })
    }
}

/// The table of a suite's paper.
fn table(suite: &str) -> Option<&'static str> {
    match suite {
        "p0" => Some(include_str!("paper/p0.tsv")),
        "p1" => Some(include_str!("paper/p1.tsv")),
        "p2" => Some(include_str!("paper/p2.tsv")),
        "p3" => Some(include_str!("paper/p3.tsv")),
        "p4" => Some(include_str!("paper/p4.tsv")),
        _ => None,
    }
}

/// The columns of the paper's table.
pub fn columns(suite: &str) -> impl Iterator<Item = &'static str> {
    table(suite).and_then(|text| text.lines().next()).into_iter().flat_map(|names| names.split('\t').skip(1))
}

/// What the paper of a suite prints for an instance in a column.
pub fn printed(suite: &str, instance: &str, column: &str) -> Option<Printed> {
    let number = columns(suite).position(|name| name == column)?;
    let mut fields = table(suite)?.lines().skip(1).map(|line| line.split('\t'));
    let mut line = fields.find_map(|mut line| (line.next() == Some(instance)).then_some(line))?;
    line.nth(number).and_then(Printed::read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{SUITES, find};

    /// The numbers of instances solved, counted in the papers' tables.
    #[test]
    fn as_many_are_solved_as_in_the_papers() {
        let solved = |suite: &'static str| -> Vec<usize> {
            let suite = find(suite).expect("a suite");
            let solved = |column| {
                let all = suite.in_paper().filter_map(move |i| printed(suite.name, i.name, column));
                all.filter(|printed| *printed != Printed::Unsolved).count()
            };
            columns(suite.name).map(solved).collect()
        };
        assert_eq!(solved("p0"), [27, 13, 13, 12, 12, 12, 12]);
        // Table 3 is about the six line segments only, Table 1 has one of its columns for the others.
        let refined = [5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 20, 6, 6, 6, 5, 4];
        assert_eq!(solved("p1"), [&[19, 20, 20, 20, 20, 20, 19, 12][..], &refined].concat());
        assert_eq!(solved("p2"), [2, 2, 2, 2, 2]);
        assert_eq!(solved("p3"), [20, 22, 23, 25, 24, 27]);
        assert_eq!(solved("p4"), [5, 9]);
    }

    #[test]
    fn every_instance_has_a_figure_in_every_column() {
        for suite in SUITES {
            for instance in suite.in_paper() {
                for column in columns(suite.name) {
                    let name = (suite.name, instance.name, column);
                    let silent = column.starts_with("ARMC-") && !instance.name.starts_with('C');
                    let silent = silent && column != "ARMC-b3-r4";
                    assert_eq!(printed(suite.name, instance.name, column).is_none(), silent, "{name:?}");
                }
            }
            assert_eq!(
                table(suite.name).map(|text| text.lines().count()),
                Some(1 + suite.in_paper().count())
            );
        }
    }

    #[test]
    fn figures_are_as_printed() {
        let solved = |explored, length| Some(Printed::Solved { explored, length, seconds: None });
        assert_eq!(printed("p0", "C4", "h^coi"), solved(466, None));
        assert_eq!(printed("p1", "N4", "RDF"), solved(878_706, None));
        assert_eq!(printed("p1", "C6", "RDF"), Some(Printed::Unsolved));
        let timed = Printed::Solved { explored: 30_741, length: None, seconds: Some("4.6 of 5.0") };
        assert_eq!(printed("p1", "C4", "Syntax-b2"), Some(timed));
        assert_eq!(printed("p2", "aircon 3", "h_p*"), solved(532, None));
        assert_eq!(printed("p3", "C9", "h^CG safe"), solved(379_981, Some(222)));
        assert_eq!(printed("p3", "C9", "quick"), None);
        let dme = Printed::Solved { explored: 93_794_232, length: Some(30), seconds: Some("1137.000") };
        assert_eq!(printed("p4", "dme 08", "GuidedInvarCheck"), Some(dme));
        assert_eq!(printed("p4", "dme 16", "GuidedInvarCheck"), None);
        assert_eq!(Printed::read("12/x"), None);
    }
}
