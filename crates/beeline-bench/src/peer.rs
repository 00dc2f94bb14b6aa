//! Other model checkers: what their programs are called, and how to read what they print. A program that has no model in
//! its language here is looked for all the same, and named.

/// A model checker.
#[derive(Debug)]
pub struct Peer {
    /// Its name.
    pub name: &'static str,
    /// Its program.
    pub program: &'static str,
    /// How to ask for its version, if it can be asked.
    pub version: &'static [&'static str],
    /// The form it takes our models in; none if it has no model to take.
    pub form: Option<Form>,
    /// What it is told to explore breadth first, leaving out zones within others.
    pub breadth_first: &'static [&'static str],
}

/// A form that `convert` writes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// TChecker's.
    Tck,
    /// UPPAAL's, with a file of queries.
    Xta,
}

/// What a peer says of a model.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Whether the query is satisfied; for labels that are searched for, whether a state bears them.
    pub satisfied: bool,
    /// States it explored, if it says.
    pub explored: Option<u64>,
}

/// Timed automata.
pub(crate) const TCHECKER: Peer = Peer {
    name: "TChecker",
    program: "tck-reach",
    version: &[],
    form: Some(Form::Tck),
    breadth_first: &["-a", "covreach", "-s", "bfs"],
};

/// Timed automata, and where their language is from.
pub(crate) const UPPAAL: Peer = Peer {
    name: "UPPAAL",
    program: "verifyta",
    version: &["-v"],
    form: Some(Form::Xta),
    breadth_first: &["-o", "0"],
};

const SPIN: Peer = Peer { name: "Spin", program: "spin", version: &["-V"], form: None, breadth_first: &[] };

const NUSMV: Peer =
    Peer { name: "NuSMV", program: "NuSMV", version: &["-h"], form: None, breadth_first: &[] };

/// Those that are looked for.
pub static PEERS: &[Peer] = &[TCHECKER, UPPAAL, SPIN, NUSMV];

/// The peer of that name.
pub fn find(name: &str) -> Option<&'static Peer> {
    PEERS.iter().find(|peer| peer.name == name)
}

impl Form {
    /// What a peer that takes this form has printed.
    pub fn read(self, text: &str) -> Option<Said> {
        match self {
            Self::Tck => {
                let value = |name: &str| {
                    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
                    lines.find_map(|(key, value)| (key == name).then_some(value.trim()))
                };
                let satisfied = value("REACHABLE")?.parse().ok()?;
                Some(Said { satisfied, explored: value("VISITED_STATES").and_then(|n| n.parse().ok()) })
            }
            Self::Xta => {
                let line = |part: &str| text.lines().find_map(|line| Some(line.split_once(part)?.1));
                let satisfied = match (line("Formula is satisfied"), line("Formula is NOT satisfied")) {
                    (Some(_), None) => true,
                    (None, Some(_)) => false,
                    _ => return None,
                };
                let explored = line("States explored :").and_then(|rest| rest.split_whitespace().next());
                Some(Said { satisfied, explored: explored.and_then(|n| n.parse().ok()) })
            }
        }
    }
}

/// The version in what a program prints when it is asked for it: the first line with a digit.
pub fn version(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
    let line = line.trim_start_matches(['*', ' ']);
    Some(line.strip_prefix("This is ").unwrap_or(line).trim().to_string())
}

/// Whether a peer is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Presence {
    /// It is, and this is what it says of its version.
    Found(Option<String>),
    /// It is not on the path.
    Absent,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tchecker_is_read() {
        let text = "MEMORY_MAX_RSS 16152\nREACHABLE true\nSTORED_STATES 12678\nVISITED_STATES 20451\n";
        assert_eq!(Form::Tck.read(text), Some(Said { satisfied: true, explored: Some(20_451) }));
        let text = "REACHABLE false\n";
        assert_eq!(Form::Tck.read(text), Some(Said { satisfied: false, explored: None }));
        assert_eq!(Form::Tck.read("ERROR: System of processes is empty\n"), None);
    }

    #[test]
    fn verifyta_is_read() {
        let text = "\nVerifying formula 1 at line 1\n -- Formula is NOT satisfied.\n -- States stored : 5 states\n \
                    -- States explored : 1234 states\n -- CPU user time used : 0 ms\n";
        assert_eq!(Form::Xta.read(text), Some(Said { satisfied: false, explored: Some(1234) }));
        let text = "\u{1b}[2K -- Formula is satisfied.\n";
        assert_eq!(Form::Xta.read(text), Some(Said { satisfied: true, explored: None }));
        assert_eq!(Form::Xta.read(" -- Formula MAY be satisfied.\n"), None);
    }

    #[test]
    fn versions_are_what_is_printed() {
        let spin = "Spin Version 6.5.2 -- 6 December 2019\n";
        assert_eq!(version(spin).as_deref(), Some("Spin Version 6.5.2 -- 6 December 2019"));
        let nusmv = "*** This is NuSMV 2.6.0 (compiled on Wed Oct 14 15:31:47 2015)\n*** Enabled addons\n";
        assert_eq!(version(nusmv).as_deref(), Some("NuSMV 2.6.0 (compiled on Wed Oct 14 15:31:47 2015)"));
        assert_eq!(version("usage\n"), None);
    }
}
