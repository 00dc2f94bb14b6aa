//! Families of benchmark models: parameters in, a model with its queries and their known answers out.
//!
//! A family is one file with a [`Family`], and one line in [`FAMILIES`]. The models are UPPAAL or Promela texts in which
//! the parameters are constants, so that they can be read, changed and given to other tools; circuits are SMV texts, too.
//! What a family promises, its known answers, is tested against the checker.
//!
//! ```
//! let fischer = beeline_families::find("fischer").expect("a family");
//! let three = fischer.instance(&[("n", 3)]).expect("within its range");
//! assert_eq!(three.name(), "fischer 3");
//! assert!(three.model().contains("const int N = 3;"));
//! assert!(three.queries()[0].text.starts_with("A[] forall"));
//! ```

mod aircon;
mod arbiter_tree;
mod critical_region;
mod csmacd;
mod dme;
mod fddi;
mod fischer;
mod instance;
mod line_segment;
mod mutex;
mod plc;
mod train_gate;
mod tree_arbiter;

pub use instance::{Format, Instance, Refusal, Values};

use std::ops::RangeInclusive;

/// All families, in order of their names.
pub static FAMILIES: &[Family] = &[
    aircon::AIRCON,
    arbiter_tree::ARBITER_TREE,
    critical_region::CRITICAL_REGION,
    csmacd::CSMACD,
    dme::DME,
    fddi::FDDI,
    fischer::FISCHER,
    line_segment::LINE_SEGMENT,
    mutex::MUTEX,
    train_gate::TRAIN_GATE,
    tree_arbiter::TREE_ARBITER,
];

/// The family of that name.
pub fn find(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

/// A family of models.
#[derive(Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What it models, in a line.
    pub about: &'static str,
    /// Where the idea comes from.
    pub source: &'static str,
    /// What can be chosen. The first one is the size.
    pub parameters: &'static [Parameter],
    /// Its variants, the usual one first; none if there is only one.
    pub variants: &'static [Variant],
    /// What is wrong with a faulty model, if there are faulty ones.
    pub fault: Option<&'static str>,
    /// The text of the model without the constants, in each language that it has, the usual one first.
    texts: &'static [(Format, Writer)],
    /// Maps of domains for an abstraction database of the model, if the family has some.
    maps: Option<Writer>,
    /// The questions to ask, and what is known of them.
    queries: fn(&Values) -> Vec<Query>,
}

/// Writes something for a choice of parameters.
type Writer = fn(&Values) -> String;

/// One of several kinds of models in a family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    /// Its name.
    pub name: &'static str,
    /// What is particular about it.
    pub about: &'static str,
    /// The sizes that it has.
    pub sizes: RangeInclusive<u32>,
    /// Whether it is faulty unless the correct one is asked for.
    pub faulty: bool,
}

/// What can be chosen about a model: a whole number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The constant of the model that has its value, if there is one.
    pub constant: Option<&'static str>,
    /// What it means.
    pub about: &'static str,
    /// The least value.
    pub least: u32,
    /// The greatest value.
    pub most: u32,
    /// The value if none is given.
    pub default: u32,
}

/// A question about a model.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// The question, in UPPAAL's words; of a Promela model, the name of the property.
    pub text: &'static str,
    /// What it means.
    pub about: &'static str,
    /// What is known.
    pub answer: Answer,
}

/// The known answer to a question. Lengths are those of a shortest trace, in steps.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// `A[]` holds.
    Holds,
    /// `A[]` is violated.
    Violated {
        /// Steps to a violation, if known.
        length: Option<u32>,
    },
    /// `E<>` holds.
    Reached {
        /// Steps to a witness.
        length: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_consistent() {
        assert!(FAMILIES.is_sorted_by_key(|family| family.name));
        for family in FAMILIES {
            assert!(std::ptr::eq(find(family.name).expect("found by its name"), family));
            let size = &family.parameters[0];
            assert!(["n", "size"].contains(&size.name), "{}", family.name);
            for p in family.parameters {
                assert!((p.least..=p.most).contains(&p.default), "{} {}", family.name, p.name);
                for value in [p.least, p.most] {
                    let instance = family.instance(&[(p.name, value)]).expect("within its range");
                    let Some(constant) = p.constant else { continue };
                    let constant = match family.formats()[0] {
                        Format::Promela => format!("#define {constant} {value}"),
                        _ => format!("const int {constant} = {value};"),
                    };
                    assert!(instance.model().contains(&constant), "{} {}", family.name, p.name);
                }
            }
            for variant in family.variants {
                assert!(family.fault.is_some() || !variant.faulty, "{} {}", family.name, variant.name);
                for value in [*variant.sizes.start(), *variant.sizes.end()] {
                    assert!((size.least..=size.most).contains(&value), "{} {}", family.name, variant.name);
                    family.variant(variant.name, &[(size.name, value)]).expect("within its range");
                }
            }
        }
    }

    /// All variants of a family, in some small size, correct and faulty.
    fn pairs(family: &'static Family) -> Vec<(Instance, Instance)> {
        let given = &[(family.parameters[0].name, 3)];
        let usual = || vec![family.instance(given).expect("within its range")];
        let all = || match family.variants {
            [] => usual(),
            variants => variants.iter().map(|v| family.variant(v.name, given).expect("a variant")).collect(),
        };
        let correct = all().into_iter().map(|instance| instance.correct().expect("there is one"));
        let faulty = all().into_iter().map(|instance| instance.faulty().expect("there is one"));
        correct.zip(faulty).collect()
    }

    #[test]
    fn faulty_models_say_so_and_differ() {
        for family in FAMILIES {
            let Some(fault) = family.fault else {
                let instance = || family.instance(&[]).expect("the defaults");
                assert!(instance().faulty().is_err() && instance().correct().is_err(), "{}", family.name);
                continue;
            };
            for (right, wrong) in pairs(family) {
                let (model, correct) = (wrong.model(), right.model());
                assert!(model.contains(&format!("// A mistake was made on purpose: {fault}.\n")), "{model}");
                assert!(!correct.contains("on purpose"), "{correct}");
                let (usual, other) = match (wrong.name(), right.name()) {
                    (wrong, right) if right.ends_with(" correct") => (wrong, right.replace(" correct", "")),
                    (wrong, right) => (right, wrong.replace(" faulty", "")),
                };
                assert_eq!(usual, other);
                let start = if model.contains("\n#define ") { "\n#define " } else { "\nconst " };
                let code = |text: &str| text.split_once(start).expect("constants").1.to_string();
                let changed =
                    |a: &str, b: &str| code(a).lines().zip(code(b).lines()).filter(|(a, b)| a != b).count();
                assert_eq!(changed(&model, &correct), 1, "{model}");
                if let (Some(wrong), Some(right)) = (wrong.text(Format::Smv), right.text(Format::Smv)) {
                    assert!(
                        wrong.contains(&format!("-- A mistake was made on purpose: {fault}.\n")),
                        "{wrong}"
                    );
                    let code = |text: &str| text.split_once("\nMODULE ").expect("modules").1.to_string();
                    let (wrong, right) = (code(&wrong), code(&right));
                    assert_eq!(
                        wrong.lines().zip(right.lines()).filter(|(a, b)| a != b).count(),
                        1,
                        "{wrong}"
                    );
                }
                let violated = |query: &Query| matches!(query.answer, Answer::Violated { .. });
                assert!(wrong.queries().iter().any(violated) && !right.queries().iter().any(violated));
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let fischer = find("fischer").expect("a family");
        let refusal = |given| fischer.instance(given).expect_err("refused").to_string();
        assert_eq!(refusal(&[("n", 41)]), "n = 41 is out of range; it goes from 1 to 40");
        assert_eq!(refusal(&[("lambda", 1)]), "there is no parameter `lambda`");
        let train_gate = find("train-gate").expect("a family").instance(&[]).expect("the defaults");
        assert_eq!(train_gate.faulty().expect_err("refused").to_string(), "there are no faulty models");
        let mutex = find("mutex").expect("a family");
        let refusal = |name, given| mutex.variant(name, given).expect_err("refused").to_string();
        assert_eq!(refusal("z", &[]), "there is no variant `z`");
        assert_eq!(refusal("m", &[("size", 5)]), "size = 5 is out of range; it goes from 1 to 4");
    }

    #[test]
    fn texts_say_where_they_come_from() {
        let instance = find("fischer").expect("a family").instance(&[("n", 3), ("k", 2), ("n", 4)]);
        let instance = instance.expect("within its range");
        assert_eq!(instance.name(), "fischer 4 k=2");
        let (model, queries) = (instance.model(), instance.query_file());
        assert!(
            model.contains("// Written by `beeline generate fischer --variant plain --n 4 --k 2`.\n"),
            "{model}"
        );
        assert!(model.contains("all wait at once: reachable, shortest trace 8 steps\n"), "{model}");
        assert_eq!(queries.lines().filter(|line| line.starts_with(['A', 'E'])).count(), 2, "{queries}");
        assert!(model.lines().all(|line| line.chars().count() <= 130), "{model}");
    }
}
