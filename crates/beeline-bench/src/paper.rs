//! What the papers print, as figures: states explored, and lengths of traces where they are given.

/// What a paper prints in a field of its table.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Printed {
    /// Solved.
    Solved {
        /// States explored, as precisely as they are printed.
        explored: u64,
        /// Length of the trace, with what was put in afterwards; not for shortest ones.
        length: Option<u32>,
    },
    /// Out of time or memory.
    Unsolved,
}

use Printed::Unsolved as UNSOLVED;

const fn found(explored: u64, length: u32) -> Printed {
    Printed::Solved { explored, length: Some(length) }
}

const fn explored(explored: u64) -> Printed {
    Printed::Solved { explored, length: None }
}

/// A line of a table.
type Line = (&'static str, &'static [Printed]);

/// The columns of P0's Table 1 that stand for searches of ours.
const P0: (&[&str], &[Line]) = (
    &["h^dpr", "h^rd", "h^coi", "h^pa", "h^aa", "h^L", "BFS"],
    &[
        (
            "C1",
            &[
                explored(55),
                explored(130),
                explored(130),
                explored(7088),
                explored(8649),
                explored(8053),
                explored(21008),
            ],
        ),
        (
            "C2",
            &[
                explored(55),
                explored(89813),
                explored(187),
                explored(15742),
                explored(21719),
                explored(21956),
                explored(55544),
            ],
        ),
        (
            "C3",
            &[
                explored(55),
                explored(197),
                explored(197),
                explored(15586),
                explored(28753),
                explored(24951),
                explored(74791),
            ],
        ),
        (
            "C4",
            &[
                explored(253),
                explored(1140),
                explored(466),
                explored(108_603),
                explored(328_415),
                explored(170_325),
                explored(553_265),
            ],
        ),
        (
            "C5",
            &[
                explored(1083),
                explored(7530),
                explored(2147),
                explored(733_761),
                explored(2500_000),
                explored(1200_000),
                explored(4000_000),
            ],
        ),
        (
            "C6",
            &[
                explored(2380),
                explored(39436),
                explored(6229),
                explored(7400_000),
                explored(25000_000),
                explored(10000_000),
                explored(34000_000),
            ],
        ),
        ("C7", &[explored(3879), explored(149_993), explored(16357), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("C8", &[explored(5048), explored(158_361), explored(16353), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("C9", &[explored(12651), explored(127_895), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        (
            "D1",
            &[
                explored(2450),
                explored(4600_000),
                explored(414),
                explored(475_354),
                explored(2600_000),
                explored(888_779),
                explored(4100_000),
            ],
        ),
        (
            "D2",
            &[
                explored(4401),
                explored(4223),
                explored(4223),
                explored(2500_000),
                explored(1400_000),
                explored(4000_000),
                explored(22000_000),
            ],
        ),
        (
            "D3",
            &[
                explored(4713),
                explored(2993),
                explored(2993),
                explored(2500_000),
                explored(1400_000),
                explored(4600_000),
                explored(22000_000),
            ],
        ),
        (
            "D4",
            &[
                explored(979),
                explored(2031),
                explored(2031),
                explored(2000_000),
                explored(1300_000),
                explored(2400_000),
                explored(18000_000),
            ],
        ),
        ("D5", &[explored(75631), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("D6", &[explored(255_486), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("D7", &[explored(131_275), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("D8", &[explored(22267), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("D9", &[explored(11960), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        (
            "E1",
            &[
                explored(0),
                UNSOLVED,
                explored(59210),
                explored(22571),
                explored(24842),
                explored(18533),
                explored(43108),
            ],
        ),
        (
            "E2",
            &[
                explored(0),
                UNSOLVED,
                UNSOLVED,
                explored(6100_000),
                explored(6400_000),
                explored(4600_000),
                explored(11000_000),
            ],
        ),
        ("E3", &[explored(1), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("E4", &[explored(1), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("E5", &[explored(0), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("E6", &[explored(0), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("E7", &[explored(0), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("E8", &[explored(13), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("E9", &[explored(0), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
    ],
);

/// The columns of P3's Tables 1 and 2.
const P3: (&[&str], &[Line]) = (
    &["d^L", "d^U", "h^L", "h^U", "h^CG", "h^CG safe"],
    &[
        (
            "C1",
            &[
                found(18796, 1167),
                found(16817, 1058),
                found(1928, 100),
                found(715, 73),
                found(5129, 118),
                found(5129, 118),
            ],
        ),
        (
            "C2",
            &[
                found(66389, 1847),
                found(61229, 1674),
                found(4566, 132),
                found(1612, 99),
                found(6268, 169),
                found(2721, 118),
            ],
        ),
        (
            "C3",
            &[
                found(94536, 2153),
                found(85332, 1214),
                found(6002, 128),
                found(734, 86),
                found(6943, 167),
                found(3241, 118),
            ],
        ),
        (
            "C4",
            &[
                found(1110_000, 6805),
                found(1040_000, 2949),
                found(81131, 344),
                found(9120, 139),
                found(57493, 354),
                found(6201, 130),
            ],
        ),
        (
            "C5",
            &[
                found(12700_000, 35067),
                found(12100_000, 11696),
                found(430_494, 1057),
                found(83911, 300),
                found(494_778, 1034),
                found(13675, 134),
            ],
        ),
        (
            "C6",
            &[
                UNSOLVED,
                UNSOLVED,
                found(4560_000, 3217),
                found(718_015, 864),
                found(5540_000, 4167),
                found(24125, 146),
            ],
        ),
        ("C7", &[UNSOLVED, UNSOLVED, UNSOLVED, found(2550_000, 2412), UNSOLVED, found(57595, 158)]),
        ("C8", &[UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, found(122_880, 148)]),
        ("C9", &[UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, found(379_981, 222)]),
        (
            "M1",
            &[
                found(12277, 2779),
                found(185_416, 106224),
                found(4581, 457),
                found(7668, 71),
                found(6245, 231),
                found(6245, 231),
            ],
        ),
        (
            "M2",
            &[
                found(43784, 11739),
                found(56240, 13952),
                found(15832, 1124),
                found(18847, 119),
                found(18988, 395),
                found(8472, 243),
            ],
        ),
        (
            "M3",
            &[
                found(54742, 12701),
                found(869_159, 337857),
                found(7655, 748),
                found(19597, 124),
                found(27365, 361),
                found(10632, 209),
            ],
        ),
        (
            "M4",
            &[
                found(202_924, 51402),
                found(726_691, 290937),
                found(71033, 3381),
                found(46170, 160),
                found(96418, 642),
                found(18574, 226),
            ],
        ),
        (
            "N1",
            &[
                found(15732, 3565),
                found(10215, 2669),
                found(50869, 26053),
                found(9117, 99),
                found(8171, 243),
                found(8171, 243),
            ],
        ),
        (
            "N2",
            &[
                found(102_909, 18180),
                found(642_660, 415585),
                found(30476, 1679),
                found(23462, 154),
                found(30540, 376),
                found(30540, 376),
            ],
        ),
        (
            "N3",
            &[
                found(131_202, 20021),
                found(1160_000, 262642),
                found(11576, 799),
                found(43767, 147),
                found(40786, 232),
                found(40786, 232),
            ],
        ),
        (
            "N4",
            &[
                found(551_091, 90467),
                found(330_753, 51642),
                found(100_336, 2455),
                found(152_163, 314),
                found(252_558, 478),
                found(252_558, 478),
            ],
        ),
        ("FA5", &[found(271, 218), found(271, 218), found(9, 8), found(9, 8), found(11, 8), found(11, 8)]),
        ("FA10", &[found(271, 218), found(271, 218), found(9, 8), found(9, 8), found(11, 8), found(11, 8)]),
        ("FA15", &[found(271, 218), found(271, 218), found(9, 8), found(9, 8), found(11, 8), found(11, 8)]),
        ("FB5", &[found(496, 79), found(9, 6), found(179, 12), found(7, 6), found(9, 6), found(9, 6)]),
        ("FB10", &[UNSOLVED, found(9, 6), found(86378, 22), found(7, 6), found(9, 6), found(9, 6)]),
        ("FB15", &[UNSOLVED, found(9, 6), UNSOLVED, found(7, 6), found(9, 6), found(9, 6)]),
        ("A2", &[found(27, 22), found(23, 13), found(36, 21), found(25, 21), found(13, 12), found(13, 12)]),
        (
            "A3",
            &[found(344, 169), found(296, 39), found(206, 24), found(82, 18), found(199, 24), found(199, 24)],
        ),
        (
            "A4",
            &[
                found(38209, 867),
                found(19034, 129),
                found(76811, 42),
                found(39, 28),
                found(179, 36),
                found(179, 36),
            ],
        ),
        (
            "A5",
            &[
                UNSOLVED,
                UNSOLVED,
                found(263_346, 112),
                found(4027, 47),
                found(188_499, 56),
                found(188_499, 56),
            ],
        ),
        ("A6", &[UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
    ],
);

/// What the paper of a suite prints for an instance and a configuration.
pub fn printed(suite: &str, instance: &str, configuration: &str) -> Option<Printed> {
    let (columns, lines) = match suite {
        "p0" => P0,
        "p3" => P3,
        _ => return None,
    };
    let column = columns.iter().position(|name| *name == configuration)?;
    let (_, line) = lines.iter().find(|(name, _)| *name == instance)?;
    line.get(column).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::SUITES;

    fn solved(suite: &str, configuration: &str) -> usize {
        let (_, lines) = if suite == "p0" { P0 } else { P3 };
        let all = lines.iter().filter_map(|(instance, _)| printed(suite, instance, configuration));
        all.filter(|printed| *printed != UNSOLVED).count()
    }

    /// The numbers of instances solved, counted in the papers' tables.
    #[test]
    fn as_many_are_solved_as_in_the_papers() {
        let p3 = ["d^L", "d^U", "h^L", "h^U", "h^CG", "h^CG safe"].map(|name| solved("p3", name));
        assert_eq!(p3, [20, 22, 23, 25, 24, 27]);
        let p0 = ["h^dpr", "h^rd", "h^coi", "h^pa", "h^aa", "h^L", "BFS"].map(|name| solved("p0", name));
        assert_eq!(p0, [27, 13, 13, 12, 12, 12, 12]);
    }

    #[test]
    fn every_field_of_ours_that_is_printed_is_found() {
        for suite in SUITES {
            for instance in suite.instances {
                for configuration in suite.configurations {
                    let found = printed(suite.name, instance.name, configuration.name).is_some();
                    let name = (suite.name, instance.name, configuration.name);
                    assert_eq!(found, configuration.printed, "{name:?}");
                }
            }
        }
    }
}
