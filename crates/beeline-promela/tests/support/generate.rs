//! Random Promela models, small enough to be explored as a whole: processes from the start and started ones, channels
//! with and without buffer, all kinds of choices.

/// A generator of models.
pub struct Generator {
    seed: u64,
    labels: usize,
    /// Whether the model has something that Spin stores differently: atomic sequences.
    pub atomic: bool,
    /// Whether the model uses rendezvous channels.
    pub rendezvous: bool,
}

impl Generator {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        let mut generator = Self {
            seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            labels: 0,
            atomic: false,
            rendezvous: false,
        };
        for _ in 0..4 {
            generator.below(2);
        }
        generator
    }

    fn below(&mut self, n: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) as usize % n
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    /// A model.
    pub fn model(&mut self) -> String {
        self.rendezvous = self.below(3) == 0;
        let capacity = if self.rendezvous { 0 } else { 1 + self.below(2) };
        let mut text = format!(
            "mtype = {{ m, n }};\nbyte x, y = 1; bit b; byte a[2];\nchan c = [{capacity}] of {{ mtype, byte }};\nchan d = [1] of {{ byte }};\n"
        );
        let started = self.below(2) == 0;
        if started {
            let body = self.body(2, &["k"]);
            text += &format!("proctype R(byte k) {{ byte v = k; {body} }}\n");
        }
        let count = if started { 1 } else { 1 + self.below(2) };
        let number = 1 + self.below(2);
        for i in 0..count {
            let active = if i == 0 && number == 2 && !started { "active [2]" } else { "active" };
            let body = self.body(2, &[]);
            text += &format!("{active} proctype P{i}() {{ byte v; {body} }}\n");
        }
        if started {
            let rest = self.body(1, &[]);
            let second = if self.below(2) == 0 { "run R(0); " } else { "" };
            text += &format!("init {{ byte v; run R(1); {second}{rest} }}\n");
        }
        text
    }

    fn body(&mut self, depth: usize, params: &[&str]) -> String {
        let mut parts = self.sequence(depth, params, false, 3);
        if self.below(3) == 0 {
            self.labels += 1;
            let label = self.labels;
            let end = self.one(&["L", "end"]);
            parts = format!("{end}{label}: do :: {parts} :: {} -> break od", self.condition(params));
        }
        if self.below(3) == 0 {
            parts += &format!("; assert({})", self.condition(params));
        }
        parts
    }

    fn sequence(&mut self, depth: usize, params: &[&str], looped: bool, most: usize) -> String {
        let count = 1 + self.below(most);
        let statements: Vec<String> = (0..count).map(|_| self.statement(depth, params, looped)).collect();
        let separator = self.one(&["; ", " -> "]);
        statements.join(separator)
    }

    fn statement(&mut self, depth: usize, params: &[&str], looped: bool) -> String {
        let simple = depth == 0 || self.below(2) == 0;
        if simple {
            return self.simple(params);
        }
        match self.below(9) {
            0..=2 => self.choice("if", "fi", depth, params, looped),
            3 | 4 => {
                let inner = self.options(depth, params, true);
                format!("do {inner} :: {} -> break od", self.one(&["else", "true", "x == 1", "y != 0"]))
            }
            5 => {
                self.atomic = true;
                format!("atomic {{ {} }}", self.sequence(depth - 1, params, looped, 3))
            }
            6 => format!("d_step {{ {} }}", self.d_step(params)),
            7 => {
                let main = self.sequence(depth - 1, params, looped, 2);
                format!("{{ {main} }} unless {{ {} -> {} }}", self.condition(params), self.simple(params))
            }
            _ => {
                self.labels += 1;
                let label = self.labels;
                let inner = self.simple(params);
                format!("M{label}: {inner}; if :: {} -> goto M{label} :: else fi", self.condition(params))
            }
        }
    }

    fn choice(&mut self, open: &str, close: &str, depth: usize, params: &[&str], looped: bool) -> String {
        let mut options = self.options(depth, params, looped);
        if self.below(2) == 0 {
            options += &format!(" :: else -> {}", self.simple(params));
        }
        format!("{open} {options} {close}")
    }

    fn options(&mut self, depth: usize, params: &[&str], looped: bool) -> String {
        let count = 1 + self.below(2);
        let mut options = String::new();
        for _ in 0..count {
            let nested = depth > 1 && self.below(6) == 0;
            let first = match nested {
                // A choice at the beginning of a choice; only one may have an `else`.
                true => format!("if :: {} :: {} fi", self.simple(params), self.condition(params)),
                false => self.simple(params),
            };
            let rest = self.sequence(depth - 1, params, looped, 2);
            options += &format!(" :: {first} -> {rest}");
            if looped && self.below(5) == 0 {
                options += "; break";
            }
        }
        options
    }

    /// Statements that never block.
    fn d_step(&mut self, params: &[&str]) -> String {
        let first = if self.below(2) == 0 { self.condition(params) } else { self.assignment(params) };
        let second = self.assignment(params);
        let (condition, third) = (self.condition(params), self.assignment(params));
        match self.below(3) {
            0 => format!("{first}; {second}"),
            1 => format!("{first}; if :: {condition} -> {third} :: else fi; {second}"),
            // The counter is not assigned inside, or there would be no end.
            _ if third.starts_with('v') => format!("{first}; {third}"),
            _ => format!(
                "{first}; v = 0; do :: v < 3 -> v++; if :: {condition} -> break :: else fi; {third} :: else -> break od"
            ),
        }
    }

    fn assignment(&mut self, params: &[&str]) -> String {
        let value = self.value(params);
        let target = self.one(&["x", "y", "v", "a[0]", "a[x % 2]", "b"]);
        match target {
            "b" => format!("b = {value}"),
            _ => format!("{target} = ({value}) % 3"),
        }
    }

    fn simple(&mut self, params: &[&str]) -> String {
        match self.below(11) {
            0..=3 => self.assignment(params),
            4 | 5 => self.condition(params),
            6 => format!("c!{}({})", self.one(&["m", "n"]), self.one(&["0", "1", "x % 2"])),
            7 => {
                let receive = if self.rendezvous { "?" } else { self.one(&["?", "?", "??"]) };
                let tag = self.one(&["m", "n", "_"]);
                let field = self.one(&["x", "v", "1", "eval(y)", "_"]);
                format!("c{receive}{tag},{field}")
            }
            8 => self.one(&["d!1", "d!x % 2", "d?x", "d?v", "d?<y>", "d?0", "d!!0"]).to_string(),
            9 => self.one(&["skip", "printf(\"a\")", "timeout", "b = !b"]).to_string(),
            _ => format!("assert({} || x < 3)", self.condition(params)),
        }
    }

    fn condition(&mut self, params: &[&str]) -> String {
        let (left, right) = (self.value(params), self.value(params));
        match self.below(8) {
            0 => self.one(&["empty(d)", "full(d)", "nempty(d)", "nfull(d)", "d?[1]", "d?[v]"]).to_string(),
            1 => format!("({left} == {right} || {})", self.one(&["b", "!b", "x == y"])),
            2 => format!("(x != {} && {left} <= {right})", self.below(3)),
            _ => format!("{left} {} {right}", self.one(&["==", "!=", "<", ">="])),
        }
    }

    fn value(&mut self, params: &[&str]) -> String {
        if !params.is_empty() && self.below(5) == 0 {
            return params[0].to_string();
        }
        match self.below(9) {
            0 => "(x + 1)".to_string(),
            1 => "(y -> 1 : x)".to_string(),
            2 => "a[1]".to_string(),
            3 => "_pid".to_string(),
            4 => self.one(&["0", "1", "2"]).to_string(),
            5 => "len(d)".to_string(),
            6 => "v".to_string(),
            7 => "y".to_string(),
            _ => "x".to_string(),
        }
    }
}
