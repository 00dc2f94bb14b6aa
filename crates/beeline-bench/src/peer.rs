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
    /// SMV, as the model is, with a script of commands.
    Smv,
}

/// What a peer says of a model.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Whether the query is satisfied; for labels that are searched for, whether a state bears them.
    pub satisfied: bool,
    /// States it explored, or nodes it made, if it says.
    pub explored: Option<u64>,
    /// Steps of its counterexample, if it prints one.
    pub length: Option<u64>,
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

/// Circuits, and where the language of their models is from.
pub(crate) const NUSMV: Peer =
    Peer { name: "NuSMV", program: "NuSMV", version: &["-h"], form: Some(Form::Smv), breadth_first: &[] };

/// Those that are looked for.
pub static PEERS: &[Peer] = &[TCHECKER, UPPAAL, SPIN, NUSMV];

impl Peer {
    /// Whether it can explore the state spaces of networks.
    pub fn explores(&self) -> bool {
        matches!(self.form, Some(Form::Tck | Form::Xta))
    }
}

/// What NuSMV is told: forward search for one invariant, and how many nodes that took.
pub fn commands(model: &str, invariant: &str) -> String {
    format!(
        "read_model -i \"{model}\"\nflatten_hierarchy\nencode_variables\nbuild_model\n\
         check_invar -s forward -p \"{invariant}\"\nprint_bdd_stats\nquit\n"
    )
}

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
                let explored = value("VISITED_STATES").and_then(|n| n.parse().ok());
                Some(Said { satisfied, explored, length: None })
            }
            Self::Xta => {
                let line = |part: &str| text.lines().find_map(|line| Some(line.split_once(part)?.1));
                let satisfied = match (line("Formula is satisfied"), line("Formula is NOT satisfied")) {
                    (Some(_), None) => true,
                    (None, Some(_)) => false,
                    _ => return None,
                };
                let explored = line("States explored :").and_then(|rest| rest.split_whitespace().next());
                Some(Said { satisfied, explored: explored.and_then(|n| n.parse().ok()), length: None })
            }
            Self::Smv => {
                let verdict = text.lines().find_map(|line| line.strip_prefix("-- invariant "))?;
                let satisfied = match verdict.rsplit_once(" is ")?.1.trim() {
                    "true" => true,
                    "false" => false,
                    _ => return None,
                };
                let total =
                    text.lines().find_map(|line| line.strip_prefix("Total number of nodes allocated:"));
                let states = text.lines().filter(|line| line.trim_start().starts_with("-> State: ")).count();
                Some(Said {
                    satisfied,
                    explored: total.and_then(|n| n.trim().parse().ok()),
                    length: (states as u64).checked_sub(1),
                })
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
        assert_eq!(
            Form::Tck.read(text),
            Some(Said { satisfied: true, explored: Some(20_451), length: None })
        );
        let text = "REACHABLE false\n";
        assert_eq!(Form::Tck.read(text), Some(Said { satisfied: false, explored: None, length: None }));
        assert_eq!(Form::Tck.read("ERROR: System of processes is empty\n"), None);
    }

    #[test]
    fn verifyta_is_read() {
        let text = "\nVerifying formula 1 at line 1\n -- Formula is NOT satisfied.\n -- States stored : 5 states\n \
                    -- States explored : 1234 states\n -- CPU user time used : 0 ms\n";
        assert_eq!(Form::Xta.read(text), Some(Said { satisfied: false, explored: Some(1234), length: None }));
        let text = "\u{1b}[2K -- Formula is satisfied.\n";
        assert_eq!(Form::Xta.read(text), Some(Said { satisfied: true, explored: None, length: None }));
        assert_eq!(Form::Xta.read(" -- Formula MAY be satisfied.\n"), None);
    }

    #[test]
    fn nusmv_is_read() {
        let text = "WARNING *** no fairness ***\n-- invariant x < 2 is not here  is false\n\
                    -- as demonstrated by the following execution sequence\nTrace Type: Counterexample \n  \
                    -> State: 1.1 <-\n    x = 0\n  -> Input: 1.2 <-\n  -> State: 1.2 <-\n    x = 1\n  -> State: 1.3 <-\n\
                    Number of LIVE ZDD nodes: 0\nTotal number of nodes allocated: 858889\n";
        let said = Said { satisfied: false, explored: Some(858_889), length: Some(2) };
        assert_eq!(Form::Smv.read(text), Some(said));
        let said = Said { satisfied: true, explored: None, length: None };
        assert_eq!(Form::Smv.read("-- invariant TRUE  is true\n"), Some(said));
        assert_eq!(Form::Smv.read("file m.smv: line 3: undefined\n"), None);
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
