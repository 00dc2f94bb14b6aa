//! Random Promela models as text, small enough to be explored as a whole: processes from the start and started ones,
//! channels with and without buffer, all kinds of choices, escapes, atomic sequences and what jumps into or out of them,
//! formulas and claims. Spin reads nearly all of them.

use crate::random::Random;

/// A random model.
#[derive(Clone, Debug)]
pub struct Promela {
    /// Its text.
    pub text: String,
    /// Whether it has atomic sequences, whose inside Spin does not store.
    pub atomic: bool,
    /// Whether it has rendezvous channels.
    pub rendezvous: bool,
    /// Whether it has a formula or claim.
    pub claimed: bool,
}

/// The model of a source of choices.
pub fn promela(random: Random) -> Promela {
    let mut writer = Writer {
        random,
        labels: Vec::new(),
        made: 0,
        depth: 0,
        atomic: false,
        rendezvous: false,
        wide: false,
        narrow: false,
    };
    let (text, claimed) = writer.model();
    Promela { text, atomic: writer.atomic, rendezvous: writer.rendezvous, claimed }
}

/// Writes one model.
struct Writer {
    random: Random,
    /// Labels of the process type that is being written, which may be jumped to.
    labels: Vec<String>,
    made: usize,
    /// How many atomic sequences are around.
    depth: usize,
    atomic: bool,
    rendezvous: bool,
    /// Whether there is an `int`.
    wide: bool,
    /// Whether variables have two bits.
    narrow: bool,
}

impl Writer {
    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        self.random.pick(of).copied().unwrap_or("skip")
    }

    fn model(&mut self) -> (String, bool) {
        self.rendezvous = self.random.chance(35);
        self.wide = self.random.chance(10);
        self.narrow = self.random.chance(75);
        let capacity = if self.rendezvous { 0 } else { 1 + self.random.below(2) };
        // Most models have variables of few values, of which heuristics and diagrams make more in less time.
        let (f, xy) = match self.narrow {
            true => ("unsigned f : 2", "unsigned x : 2, y : 2 = 1"),
            false => ("byte f", "byte x, y = 1"),
        };
        let v = if self.narrow { "unsigned v : 2" } else { "byte v" };
        let mut text = format!(
            "mtype = {{ m, n }};\ntypedef T {{ {f}; bit g[2] }};\n{xy}; bit b; byte a[2]; T t; {}\n\
             chan c = [{capacity}] of {{ mtype, byte }};\nchan d = [1] of {{ byte }};\n\
             inline bump(p) {{ p = (p + 1) % 3; if :: p == 2 -> goto out :: else fi; p = 0; out: skip }}\n",
            if self.wide { self.one(&["int i;", "int i = 3;", "int i = 2147483647;"]) } else { "" }
        );
        let started = self.random.chance(50);
        if started {
            let body = self.body(2);
            let child = if self.random.chance(20) { "; if :: k > 0 -> run R(k - 1) :: else fi" } else { "" };
            text += &format!("proctype R(byte k) {{ {v} = k; {body}{child} }}\n");
        }
        let count = if started { 1 } else { 1 + self.random.below(2) };
        for p in 0..count {
            let active = if p == 0 && !started && self.random.chance(40) { "active [2]" } else { "active" };
            let provided = if self.random.chance(10) { " provided (x < 2)" } else { "" };
            let body = self.body(2);
            text += &format!("{active} proctype P{p}(){provided} {{ {v}; {body} }}\n");
        }
        if started {
            let rest = self.body(1);
            let starts = self.one(&[
                "run R(1); ",
                "run R(1); run R(0); ",
                "v = run R(1); ",
                "atomic { run R(1); run R(0) }; ",
            ]);
            self.atomic |= starts.contains("atomic");
            text += &format!("init {{ {v}; {starts}{rest} }}\n");
        }
        let claimed = self.random.chance(25);
        if claimed {
            let condition = self.predicate();
            let (second, idle) = (self.predicate(), self.one(&["true", "else", "x != 1"]));
            text += &match self.random.below(5) {
                0 => format!("never {{ do :: {condition} -> break :: true od }}\n"),
                1 => format!("ltl {{ [] ({condition}) }}\n"),
                // It counts, or goes on where the model has stopped.
                2 => format!(
                    "never {{ byte w; do :: atomic {{ {condition} -> w = (w + 1) % 4 }} :: w == 3 -> break :: {idle} od }}\n"
                ),
                3 => format!(
                    "never {{ true; do :: {condition} -> break :: {idle} od; {second}; true; assert({second}); b }}\n"
                ),
                _ => format!(
                    "ltl {{ !<> (({condition}) && {}) }}\n",
                    self.one(&["P0@here", "x == 2", "len(d) == 1"])
                ),
            };
        }
        (text, claimed)
    }

    fn body(&mut self, depth: usize) -> String {
        self.labels.clear();
        let mut parts = self.sequence(depth, false, 3);
        if self.random.chance(33) {
            self.made += 1;
            let label = format!("{}{}", self.one(&["L", "end", "progress"]), self.made);
            parts = format!("{label}: do :: {parts} :: {} -> break od", self.condition());
        }
        if self.random.chance(33) {
            parts += &format!("; assert({})", self.condition());
        }
        format!("here: {}; {parts}", self.one(&["skip", "x = 0", "true"]))
    }

    fn sequence(&mut self, depth: usize, looped: bool, most: usize) -> String {
        let count = 1 + self.random.below(most);
        let statements: Vec<String> = (0..count).map(|_| self.statement(depth, looped)).collect();
        let separator = self.one(&["; ", " -> "]);
        statements.join(separator)
    }

    fn statement(&mut self, depth: usize, looped: bool) -> String {
        if depth == 0 || self.random.chance(50) {
            return self.simple();
        }
        match self.random.below(13) {
            0..=2 => self.choice(depth, looped),
            3 | 4 => {
                let inner = self.options(depth, true);
                format!("do {inner} :: {} -> break od", self.one(&["else", "true", "x == 1", "y != 0"]))
            }
            5 | 6 => {
                self.atomic = true;
                self.depth += 1;
                let mut inner = self.sequence(depth - 1, looped, 3);
                if let (true, Some(label)) = (self.random.chance(15), self.labels.last()) {
                    inner += &format!("; if :: {} -> goto {label} :: else fi", "x == 0");
                }
                self.depth -= 1;
                format!("atomic {{ {inner} }}")
            }
            7 => format!("d_step {{ {} }}", self.d_step()),
            8 => {
                let main = self.sequence(depth - 1, looped, 2);
                let first = match self.random.chance(35) {
                    true => self.communication(),
                    false => self.condition(),
                };
                let escape = match self.random.chance(30) {
                    true => {
                        self.atomic = true;
                        format!("atomic {{ {first}; {} }}", self.assignment())
                    }
                    false => format!("{{ {first} -> {} }}", self.simple()),
                };
                format!("{{ {main} }} unless {escape}")
            }
            9 => {
                let (from, to) = (self.random.below(2), self.random.below(3));
                match self.random.below(3) {
                    0 => format!("for (v : {from} .. {to}) {{ {} }}", self.kept()),
                    1 => format!("select(v : {from} .. {})", from + to),
                    _ => format!("select(v : {from} .. y)"),
                }
            }
            10 => "bump(y)".to_string(),
            11 => format!("{{ {} }}", self.sequence(depth - 1, looped, 2)),
            _ => {
                self.made += 1;
                let label = format!("{}{}", self.one(&["M", "M", "end"]), self.made);
                let inner = self.simple();
                let jump = format!("if :: {} -> goto {label} :: else fi", self.condition());
                // Labels inside of atomic sequences are jumped to from there only: others would be odd, if legal.
                if self.depth == 0 {
                    self.labels.push(label.clone());
                }
                // Spin wants no label where a block begins.
                format!("skip; {label}: {inner}; {jump}")
            }
        }
    }

    fn choice(&mut self, depth: usize, looped: bool) -> String {
        let mut options = self.options(depth, looped);
        if self.random.chance(50) {
            options += &format!(" :: else -> {}", self.simple());
        }
        format!("if {options} fi")
    }

    fn options(&mut self, depth: usize, looped: bool) -> String {
        let mut options = String::new();
        for _ in 0..1 + self.random.below(2) {
            let first = match depth > 1 && self.random.chance(16) {
                // A choice at the beginning of a choice; only one may have an `else`.
                true => format!("if :: {} :: {} fi", self.simple(), self.condition()),
                false => self.simple(),
            };
            let idle = if self.random.chance(8) { "skip; skip; " } else { "" };
            let rest = self.sequence(depth - 1, looped, 2);
            options += &format!(" :: {first} -> {idle}{rest}");
            if looped && self.random.chance(20) {
                options += "; break";
            }
        }
        options
    }

    /// Statements that never block.
    fn d_step(&mut self) -> String {
        let first = if self.random.chance(50) { self.condition() } else { self.assignment() };
        let second = self.assignment();
        let (condition, third) = (self.condition(), self.kept());
        match self.random.below(4) {
            0 => format!("{first}; {second}"),
            3 => {
                self.made += 1;
                let label = format!("D{}", self.made);
                format!(
                    "{first}; v = 0; {label}: {third}; if :: v < 2 && {condition} -> v++; goto {label} :: else fi"
                )
            }
            1 => format!("{first}; if :: {condition} -> {third} :: else fi; {second}"),
            _ => format!(
                "{first}; v = 0; do :: v < 3 -> v++; if :: {condition} -> break :: else fi; {third} :: else -> break od"
            ),
        }
    }

    /// An assignment that leaves the local variable alone.
    fn kept(&mut self) -> String {
        let value = self.value();
        format!("{} = ({value}) % 3", self.one(&["x", "y", "a[0]", "t.f"]))
    }

    fn assignment(&mut self) -> String {
        let value = self.value();
        match self.one(&["x", "y", "v", "a[0]", "a[x % 2]", "b", "t.f", "t.g[b]", "i"]) {
            target @ ("b" | "t.g[b]") => format!("{target} = {value}"),
            "i" if !self.wide => "b = 1 - b".to_string(),
            "i" => self
                .one(&["i = (i + 1) % 5", "i = 2147483647 - i", "i = 0", "i = -i", "i = i / 2"])
                .to_string(),
            target => format!("{target} = ({value}) % 3"),
        }
    }

    fn simple(&mut self) -> String {
        match self.random.below(12) {
            0..=3 => self.assignment(),
            4 | 5 => self.condition(),
            6..=9 => self.communication(),
            10 => self.one(&["skip", "printf(\"a\")", "timeout", "b = !b"]).to_string(),
            _ => format!("assert({} || x < 3)", self.condition()),
        }
    }

    fn communication(&mut self) -> String {
        match self.random.below(4) {
            0 => format!("c!{}({})", self.one(&["m", "n"]), self.one(&["0", "1", "x % 2"])),
            1 | 2 => {
                let receive = if self.rendezvous { "?" } else { self.one(&["?", "?", "??"]) };
                let tag = self.one(&["m", "n", "_"]);
                let field = self.one(&["x", "v", "1", "eval(y)", "_"]);
                format!("c{receive}{tag},{field}")
            }
            _ => self.one(&["d!1", "d!x % 2", "d?x", "d?v", "d?<y>", "d?0", "d!!0", "d??<1>"]).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.value(), self.value());
        match self.random.below(9) {
            0 => self.one(&["empty(d)", "full(d)", "nempty(d)", "nfull(d)", "d?[1]", "d?[_]"]).to_string(),
            1 => format!("({left} == {right} || {})", self.one(&["b", "!b", "x == y"])),
            2 => format!("(x != {} && {left} <= {right})", self.random.below(3)),
            3 if self.wide => self.one(&["i + 1 < 0", "i * i > 0", "i - 1 >= i", "i % 2 == 1"]).to_string(),
            _ => format!("{left} {} {right}", self.one(&["==", "!=", "<", ">="])),
        }
    }

    /// A condition on the whole model.
    fn predicate(&mut self) -> String {
        let simple = [
            "x < 2",
            "y != 2",
            "b == 0",
            "a[0] + x < 3",
            "len(d) < 2",
            "t.f != 1",
            "_nr_pr > 0",
            "a[1] >= b",
        ];
        let (left, right) = (self.one(&simple), self.one(&simple));
        format!("{left} {} {right}", self.one(&["||", "&&"]))
    }

    fn value(&mut self) -> String {
        let one = self.one(&["0", "1", "2", "x", "y", "a[1]", "_pid", "len(d)", "t.f", "t.g[0]", "_nr_pr"]);
        match self.random.below(8) {
            0 => "(x + 1)".to_string(),
            1 => "(y -> 1 : x)".to_string(),
            2 => "v".to_string(),
            _ => one.to_string(),
        }
    }
}
