//! Random SMV models, as text. They are legal: a value assigned is made to lie inside of its type, divisors are not
//! zero, and what is computed depends on what was declared before it only. All constructs of the language occur,
//! with few values each, so that all states can be visited.

use crate::random::Random;

/// A type with few values.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Type {
    Bool,
    Int(i64, i64),
    /// One of [`ENUMS`].
    Enum(usize),
    /// Signed or not, and how many bits.
    Word(bool, u32),
}

/// Types that share symbols, and one with integers.
const ENUMS: [&[&str]; 4] = [&["red", "green", "blue"], &["blue", "red"], &["off", "1", "2"], &["on", "off"]];

/// What can be read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Role {
    /// A variable of `main`.
    State,
    Frozen,
    Input,
    /// An element, a variable of an instance, a definition or a parameter.
    Other,
}

#[derive(Clone, Debug)]
struct Var {
    name: String,
    of: Type,
    role: Role,
}

impl Var {
    fn new(name: impl Into<String>, of: Type, role: Role) -> Self {
        Self { name: name.into(), of, role }
    }
}

/// What may be read where an expression stands.
#[derive(Copy, Clone, Debug)]
struct Scope<'v> {
    now: &'v [Var],
    /// Next values.
    later: &'v [Var],
}

struct Writer {
    random: Random,
}

/// A model with three invariants, called `p0` to `p2`, and the specifications `all` (`AG`), `some` (`EF`) and `never`
/// (of LTL).
pub fn smv(random: Random) -> String {
    Writer { random }.model()
}

impl Writer {
    fn of_type(&mut self) -> Type {
        match self.random.below(8) {
            0..=2 => Type::Bool,
            3 | 4 => {
                let low = self.random.between(-2, 1);
                Type::Int(low, low + self.random.between(1, 3))
            }
            5 | 6 => Type::Enum(self.random.below(ENUMS.len())),
            _ => Type::Word(self.random.chance(50), 1 + self.random.below(3) as u32),
        }
    }
    fn declared(of: Type) -> String {
        match of {
            Type::Bool => "boolean".into(),
            Type::Int(low, high) => format!("{low}..{high}"),
            Type::Enum(which) => format!("{{{}}}", ENUMS[which].join(", ")),
            Type::Word(true, width) => format!("signed word[{width}]"),
            Type::Word(false, width) => format!("unsigned word[{width}]"),
        }
    }

    fn model(&mut self) -> String {
        let mut vars: Vec<Var> = Vec::new();
        let mut text = String::from("MODULE main\nCONSTANTS red, green, blue, on, off;\n");
        for i in 0..2 + self.random.below(3) {
            let of = self.of_type();
            let (section, role) = match self.random.below(10) {
                0 => ("FROZENVAR", Role::Frozen),
                1 => ("IVAR", Role::Input),
                _ => ("VAR", Role::State),
            };
            text.push_str(&format!("{section} v{i} : {};\n", Self::declared(of)));
            vars.push(Var::new(format!("v{i}"), of, role));
        }
        text.push_str(&self.array(&mut vars));
        let (instances, modules) = self.instances(&mut vars);
        text.push_str(&instances);
        text.push_str(&self.definitions(&mut vars));
        for at in 0..vars.len() {
            text.push_str(&self.assignment(at, &vars));
        }
        let states: Vec<Var> = vars.iter().filter(|v| v.role != Role::Input).cloned().collect();
        let now = Scope { now: &states, later: &[] };
        if self.random.chance(20) {
            text.push_str(&format!("INIT {}\n", self.truth(now, 2)));
        }
        if self.random.chance(15) {
            text.push_str(&format!("INVAR {};\n", self.truth(now, 2)));
        }
        if self.random.chance(30) {
            text.push_str(&format!("TRANS {}\n", self.truth(Scope { now: &vars, later: &states }, 3)));
        }
        for i in 0..3 {
            text.push_str(&format!("INVARSPEC NAME p{i} := {};\n", self.truth(now, 3)));
        }
        text.push_str(&format!("SPEC NAME all := AG {};\n", self.truth(now, 2)));
        text.push_str(&format!("SPEC NAME some := EF {};\n", self.truth(now, 2)));
        text.push_str(&format!("LTLSPEC NAME never := !F {};\n", self.truth(now, 2)));
        text + &modules
    }

    /// An array, perhaps, all of whose elements start somewhere and stay, or not.
    fn array(&mut self, vars: &mut Vec<Var>) -> String {
        if !self.random.chance(25) {
            return String::new();
        }
        vars.push(Var::new("a[0]", Type::Bool, Role::Other));
        vars.push(Var::new("a[1]", Type::Bool, Role::Other));
        "VAR a : array 0..1 of boolean;\nASSIGN init(a[0]) := TRUE; next(a[1]) := a[0]; next(a[0]) := !a[1];\n".into()
    }

    /// Instances of a module, perhaps processes, with a variable of their own, one of `main` and an expression as
    /// parameters.
    fn instances(&mut self, vars: &mut Vec<Var>) -> (String, String) {
        let Some(shared) = vars.iter().find(|v| v.role == Role::State).cloned() else {
            return Default::default();
        };
        if !self.random.chance(45) {
            return Default::default();
        }
        let process = if self.random.chance(60) { "process " } else { "" };
        let states: Vec<Var> = vars.iter().filter(|v| v.role != Role::Input).cloned().collect();
        let mut text = String::new();
        for i in 0..1 + self.random.below(2) {
            let argument = self.value(Type::Bool, Scope { now: &states, later: &[] }, 1);
            text.push_str(&format!("VAR m{i} : {process}part({}, {argument});\n", shared.name));
            vars.push(Var::new(format!("m{i}.x"), Type::Bool, Role::Other));
        }
        let mut module = "MODULE part(p, q)\nVAR x : boolean;\nASSIGN init(x) := FALSE;\n".to_string();
        let inner = [("p", shared.of), ("q", Type::Bool), ("x", Type::Bool)]
            .map(|(n, of)| Var::new(n, of, Role::Other));
        let scope = Scope { now: &inner, later: &[] };
        module.push_str(&format!("next(x) := {};\n", self.choice(Type::Bool, scope, 2)));
        // Of two processes each may assign it, of two other instances just one.
        if !process.is_empty() {
            module.push_str(&format!("next(p) := {};\n", self.choice(shared.of, scope, 2)));
            if self.random.chance(30) {
                module.push_str("TRANS running | next(x) = x;\n");
            }
        }
        (text, module)
    }

    fn definitions(&mut self, vars: &mut Vec<Var>) -> String {
        let mut text = String::new();
        for i in 0..self.random.below(3) {
            let states: Vec<Var> = vars.iter().filter(|v| v.role != Role::Input).cloned().collect();
            // A definition is just what its values are, and may be a plain symbol or integer.
            let of = if let Type::Enum(_) = self.of_type() { Type::Enum(0) } else { Type::Int(-1, 2) };
            let of = if self.random.chance(50) { Type::Bool } else { of };
            let body = self.value(of, Scope { now: &states, later: &[] }, 2);
            text.push_str(&format!("DEFINE d{i} := {body};\n"));
            vars.push(Var::new(format!("d{i}"), of, Role::Other));
        }
        text
    }

    /// What is assigned to a variable of `main`, if anything is. A value depends on variables before it, or on the
    /// state before. The first variable is shared with instances, which may give it a next value.
    fn assignment(&mut self, at: usize, vars: &[Var]) -> String {
        let var = &vars[at];
        let before: Vec<Var> =
            vars[..at].iter().filter(|v| matches!(v.role, Role::State | Role::Frozen)).cloned().collect();
        let (shared, now) =
            (before.iter().all(|v| v.role == Role::Frozen), Scope { now: &before, later: &[] });
        match (var.role, self.random.below(10)) {
            (Role::Input | Role::Other, _) | (_, 1) => String::new(),
            (Role::State, 0) if !shared => {
                format!("ASSIGN {} := {};\n", var.name, self.choice(var.of, now, 2))
            }
            (role, kind) => {
                let mut text = format!("ASSIGN init({}) := {};\n", var.name, self.choice(var.of, now, 1));
                if kind != 2 && role == Role::State {
                    let scope = Scope { now: vars, later: &before };
                    text.push_str(&format!("next({}) := {};\n", var.name, self.choice(var.of, scope, 3)));
                }
                text
            }
        }
    }

    /// A set of values on the right of an assignment. NuSMV has no sets of words.
    fn choice(&mut self, of: Type, scope: Scope<'_>, depth: u32) -> String {
        match self.random.below(6) {
            0 | 1 if matches!(of, Type::Word(..)) => self.value(of, scope, depth),
            0 => format!("{{{}, {}}}", self.value(of, scope, depth), self.value(of, scope, 0)),
            1 => format!("{} union {}", self.value(of, scope, 0), self.value(of, scope, 0)),
            2 if depth > 0 => format!(
                "case {} : {}; {} : {}; TRUE : {}; esac",
                self.truth(scope, 1),
                self.choice(of, scope, depth - 1),
                self.truth(scope, 1),
                self.value(of, scope, 1),
                self.choice(of, scope, 0)
            ),
            3 => match of {
                Type::Int(low, high) => format!("{low}..{}", self.random.between(low, high)),
                _ => self.value(of, scope, depth),
            },
            _ => self.value(of, scope, depth),
        }
    }

    fn constant(&mut self, of: Type) -> String {
        match of {
            Type::Bool => if self.random.chance(50) { "TRUE" } else { "FALSE" }.into(),
            Type::Int(low, high) => self.random.between(low, high).to_string(),
            Type::Enum(which) => self.random.pick(ENUMS[which]).unwrap_or(&"off").to_string(),
            Type::Word(signed, width) => {
                let bits: String =
                    (0..width).map(|_| if self.random.chance(50) { '1' } else { '0' }).collect();
                format!("0{}b{width}_{bits}", if signed { 's' } else { 'u' })
            }
        }
    }

    /// Something of this very type that can be read, or a constant.
    fn leaf(&mut self, of: Type, scope: Scope<'_>) -> String {
        let fits = |v: &&Var| v.of == of;
        let mut names: Vec<String> = scope.now.iter().filter(fits).map(|v| v.name.clone()).collect();
        names.extend(scope.later.iter().filter(fits).map(|v| format!("next({})", v.name)));
        match self.random.pick(&names).cloned() {
            Some(name) if self.random.chance(80) => name,
            _ => self.constant(of),
        }
    }

    /// An expression with a value of this type.
    fn value(&mut self, of: Type, scope: Scope<'_>, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(of, scope);
        }
        if self.random.chance(15) {
            let (then, otherwise) = (self.value(of, scope, depth - 1), self.value(of, scope, depth - 1));
            return format!("({} ? {then} : {otherwise})", self.truth(scope, depth - 1));
        }
        match of {
            Type::Bool => self.truth(scope, depth),
            Type::Int(low, high) => {
                let sum = self.integer(scope, depth);
                format!("({low} + abs({sum}) mod {})", high - low + 1)
            }
            Type::Enum(_) => self.leaf(of, scope),
            Type::Word(signed, width) => self.word(signed, width, scope, depth),
        }
    }

    /// An integer of any size.
    fn integer(&mut self, scope: Scope<'_>, depth: u32) -> String {
        let integers: Vec<Type> =
            scope.now.iter().map(|v| v.of).filter(|t| matches!(t, Type::Int(..))).collect();
        let leaf = self.random.pick(&integers).copied().unwrap_or(Type::Int(-2, 3));
        if depth == 0 {
            return self.leaf(leaf, scope);
        }
        let (a, b) = (self.integer(scope, depth - 1), self.leaf(leaf, scope));
        match self.random.below(8) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - ({b}))"),
            2 => format!("{b} * ({a})"),
            3 => format!("({a}) / {}", self.random.pick(&[2, 3]).copied().unwrap_or(2)),
            4 => format!("({a}) mod {}", self.random.pick(&["2", "3", "(-2)"]).copied().unwrap_or("2")),
            5 => format!("max({a}, min({b}, 2))"),
            6 => format!("count({}, {})", self.truth(scope, depth - 1), self.truth(scope, 0)),
            _ => format!("toint({})", self.truth(scope, depth - 1)),
        }
    }

    fn word(&mut self, signed: bool, width: u32, scope: Scope<'_>, depth: u32) -> String {
        let of = Type::Word(signed, width);
        let a = self.value(of, scope, depth - 1);
        let b = self.value(of, scope, 0);
        match self.random.below(12) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("({a} & {b})"),
            4 => format!("({a} xor {b})"),
            5 => format!("(!({a}))"),
            6 => format!("(-({a}))"),
            7 => format!("(({a}) >> {})", self.random.below(width as usize + 1)),
            8 => format!("(({a}) << {})", self.random.below(width as usize + 1)),
            9 => format!("resize(extend({a}, 1), {width})"),
            10 if signed => format!("signed(unsigned({a}))"),
            10 => format!("({a})[{0}:0]", width - 1),
            _ if signed => format!("resize({a}, {width})"),
            _ => format!("unsigned(signed({a}))"),
        }
    }

    /// A truth value.
    fn truth(&mut self, scope: Scope<'_>, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(Type::Bool, scope);
        }
        let next = depth - 1;
        match self.random.below(12) {
            0 => format!("({} & {})", self.truth(scope, next), self.truth(scope, next)),
            1 => format!("({} | {})", self.truth(scope, next), self.truth(scope, next)),
            2 => format!(
                "({} -> {} <-> {})",
                self.truth(scope, next),
                self.leaf(Type::Bool, scope),
                self.truth(scope, 0)
            ),
            3 => format!("({} xor {})", self.truth(scope, next), self.truth(scope, next)),
            4 => format!("!{}", self.leaf(Type::Bool, scope)),
            5 | 6 => {
                let compare = self.random.pick(&["=", "!=", "<", "<=", ">", ">="]).copied().unwrap_or("=");
                format!("({} {compare} {})", self.integer(scope, next), self.integer(scope, 0))
            }
            7..=9 => {
                let fits = |v: &&Var| matches!(v.of, Type::Enum(_));
                let names: Vec<&Var> = scope.now.iter().filter(fits).collect();
                // An integer is not compared with a symbol, but with a variable that may be either.
                let (of, left) = match self.random.pick(&names) {
                    Some(var) => (var.of, var.name.clone()),
                    None => (Type::Enum(0), self.constant(Type::Enum(0))),
                };
                match self.random.below(3) {
                    0 => format!("({left} in {{{}, {}}})", self.constant(of), self.constant(of)),
                    1 => format!("({left} != {})", self.leaf(of, scope)),
                    _ => format!("({left} = {})", self.value(of, scope, next)),
                }
            }
            10 => {
                let of = Type::Word(self.random.chance(50), 1 + self.random.below(3) as u32);
                let compare = self.random.pick(&["=", "<", ">="]).copied().unwrap_or("=");
                format!("({} {compare} {})", self.value(of, scope, next), self.leaf(of, scope))
            }
            _ => format!(
                "({} in {}..{})",
                self.integer(scope, next),
                self.random.between(-2, 0),
                self.random.between(0, 2)
            ),
        }
    }
}
