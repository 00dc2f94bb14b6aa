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
                explored(21_008),
            ],
        ),
        (
            "C2",
            &[
                explored(55),
                explored(89_813),
                explored(187),
                explored(15_742),
                explored(21_719),
                explored(21_956),
                explored(55_544),
            ],
        ),
        (
            "C3",
            &[
                explored(55),
                explored(197),
                explored(197),
                explored(15_586),
                explored(28_753),
                explored(24_951),
                explored(74_791),
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
                explored(2_500_000),
                explored(1_200_000),
                explored(4_000_000),
            ],
        ),
        (
            "C6",
            &[
                explored(2380),
                explored(39_436),
                explored(6229),
                explored(7_400_000),
                explored(25_000_000),
                explored(10_000_000),
                explored(34_000_000),
            ],
        ),
        (
            "C7",
            &[explored(3879), explored(149_993), explored(16_357), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED],
        ),
        (
            "C8",
            &[explored(5048), explored(158_361), explored(16_353), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED],
        ),
        ("C9", &[explored(12_651), explored(127_895), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        (
            "D1",
            &[
                explored(2450),
                explored(4_600_000),
                explored(414),
                explored(475_354),
                explored(2_600_000),
                explored(888_779),
                explored(4_100_000),
            ],
        ),
        (
            "D2",
            &[
                explored(4401),
                explored(4223),
                explored(4223),
                explored(2_500_000),
                explored(1_400_000),
                explored(4_000_000),
                explored(22_000_000),
            ],
        ),
        (
            "D3",
            &[
                explored(4713),
                explored(2993),
                explored(2993),
                explored(2_500_000),
                explored(1_400_000),
                explored(4_600_000),
                explored(22_000_000),
            ],
        ),
        (
            "D4",
            &[
                explored(979),
                explored(2031),
                explored(2031),
                explored(2_000_000),
                explored(1_300_000),
                explored(2_400_000),
                explored(18_000_000),
            ],
        ),
        ("D5", &[explored(75_631), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("D6", &[explored(255_486), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("D7", &[explored(131_275), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("D8", &[explored(22_267), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        ("D9", &[explored(11_960), UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED]),
        (
            "E1",
            &[
                explored(0),
                UNSOLVED,
                explored(59_210),
                explored(22_571),
                explored(24_842),
                explored(18_533),
                explored(43_108),
            ],
        ),
        (
            "E2",
            &[
                explored(0),
                UNSOLVED,
                UNSOLVED,
                explored(6_100_000),
                explored(6_400_000),
                explored(4_600_000),
                explored(11_000_000),
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
                found(18_796, 1167),
                found(16_817, 1058),
                found(1928, 100),
                found(715, 73),
                found(5129, 118),
                found(5129, 118),
            ],
        ),
        (
            "C2",
            &[
                found(66_389, 1847),
                found(61_229, 1674),
                found(4566, 132),
                found(1612, 99),
                found(6268, 169),
                found(2721, 118),
            ],
        ),
        (
            "C3",
            &[
                found(94_536, 2153),
                found(85_332, 1214),
                found(6002, 128),
                found(734, 86),
                found(6943, 167),
                found(3241, 118),
            ],
        ),
        (
            "C4",
            &[
                found(1_110_000, 6805),
                found(1_040_000, 2949),
                found(81_131, 344),
                found(9120, 139),
                found(57_493, 354),
                found(6201, 130),
            ],
        ),
        (
            "C5",
            &[
                found(12_700_000, 35_067),
                found(12_100_000, 11_696),
                found(430_494, 1057),
                found(83_911, 300),
                found(494_778, 1034),
                found(13_675, 134),
            ],
        ),
        (
            "C6",
            &[
                UNSOLVED,
                UNSOLVED,
                found(4_560_000, 3217),
                found(718_015, 864),
                found(5_540_000, 4167),
                found(24_125, 146),
            ],
        ),
        ("C7", &[UNSOLVED, UNSOLVED, UNSOLVED, found(2_550_000, 2412), UNSOLVED, found(57_595, 158)]),
        ("C8", &[UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, found(122_880, 148)]),
        ("C9", &[UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, UNSOLVED, found(379_981, 222)]),
        (
            "M1",
            &[
                found(12_277, 2779),
                found(185_416, 106_224),
                found(4581, 457),
                found(7668, 71),
                found(6245, 231),
                found(6245, 231),
            ],
        ),
        (
            "M2",
            &[
                found(43_784, 11_739),
                found(56_240, 13_952),
                found(15_832, 1124),
                found(18_847, 119),
                found(18_988, 395),
                found(8472, 243),
            ],
        ),
        (
            "M3",
            &[
                found(54_742, 12_701),
                found(869_159, 337_857),
                found(7655, 748),
                found(19_597, 124),
                found(27_365, 361),
                found(10_632, 209),
            ],
        ),
        (
            "M4",
            &[
                found(202_924, 51_402),
                found(726_691, 290_937),
                found(71_033, 3381),
                found(46_170, 160),
                found(96_418, 642),
                found(18_574, 226),
            ],
        ),
        (
            "N1",
            &[
                found(15_732, 3565),
                found(10_215, 2669),
                found(50_869, 26_053),
                found(9117, 99),
                found(8171, 243),
                found(8171, 243),
            ],
        ),
        (
            "N2",
            &[
                found(102_909, 18_180),
                found(642_660, 415_585),
                found(30_476, 1679),
                found(23_462, 154),
                found(30_540, 376),
                found(30_540, 376),
            ],
        ),
        (
            "N3",
            &[
                found(131_202, 20_021),
                found(1_160_000, 262_642),
                found(11_576, 799),
                found(43_767, 147),
                found(40_786, 232),
                found(40_786, 232),
            ],
        ),
        (
            "N4",
            &[
                found(551_091, 90_467),
                found(330_753, 51_642),
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
        ("FB10", &[UNSOLVED, found(9, 6), found(86_378, 22), found(7, 6), found(9, 6), found(9, 6)]),
        ("FB15", &[UNSOLVED, found(9, 6), UNSOLVED, found(7, 6), found(9, 6), found(9, 6)]),
        ("A2", &[found(27, 22), found(23, 13), found(36, 21), found(25, 21), found(13, 12), found(13, 12)]),
        (
            "A3",
            &[found(344, 169), found(296, 39), found(206, 24), found(82, 18), found(199, 24), found(199, 24)],
        ),
        (
            "A4",
            &[
                found(38_209, 867),
                found(19_034, 129),
                found(76_811, 42),
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
            for instance in suite.instances() {
                for configuration in suite.configurations {
                    let found = printed(suite.name, instance.name, configuration.name).is_some();
                    let name = (suite.name, instance.name, configuration.name);
                    assert_eq!(found, configuration.printed, "{name:?}");
                }
            }
        }
    }
}
