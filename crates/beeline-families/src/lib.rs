//! Families of benchmark models: parameters in, a model with its queries and their known answers out.
//!
//! A family is one file with a [`Family`], and one line in [`FAMILIES`]. The models are UPPAAL texts in which the
//! parameters are constants, so that they can be read, changed and given to other tools. What a family promises,
//! its known answers, is tested against the checker.
//!
//! ```
//! let fischer = beeline_families::find("fischer").expect("a family");
//! let three = fischer.instance(&[("n", 3)]).expect("within its range");
//! assert_eq!(three.name(), "fischer 3");
//! assert!(three.model().contains("const int N = 3;"));
//! assert!(three.queries()[0].text.starts_with("A[] forall"));
//! ```

mod critical_region;
mod csmacd;
mod fischer;
mod instance;
mod train_gate;

pub use instance::{Instance, Refusal, Values};

/// All families, in order of their names.
pub static FAMILIES: &[Family] =
    &[critical_region::CRITICAL_REGION, csmacd::CSMACD, fischer::FISCHER, train_gate::TRAIN_GATE];

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
    /// What is wrong with the faulty variant, if there is one.
    pub fault: Option<&'static str>,
    /// The text of the model, without the constants.
    model: fn(&Values) -> String,
    /// The questions to ask, and what is known of them.
    queries: fn(&Values) -> Vec<Query>,
}

/// What can be chosen about a model: a whole number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The constant of the model that has its value.
    pub constant: &'static str,
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
    /// The question, in UPPAAL's words.
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
        /// Steps to a violation.
        length: u32,
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
            assert_eq!(family.parameters[0].name, "n", "{}", family.name);
            for p in family.parameters {
                assert!((p.least..=p.most).contains(&p.default), "{} {}", family.name, p.name);
                for value in [p.least, p.most] {
                    let instance = family.instance(&[(p.name, value)]).expect("within its range");
                    let constant = format!("const int {} = {value};", p.constant);
                    assert!(instance.model().contains(&constant), "{} {}", family.name, p.name);
                }
            }
        }
    }

    #[test]
    fn faulty_variants_say_so_and_differ() {
        for family in FAMILIES {
            let right = || family.instance(&[("n", 3)]).expect("within its range");
            let Some(fault) = family.fault else {
                assert!(right().faulty().is_err(), "{}", family.name);
                continue;
            };
            let wrong = right().faulty().expect("there is one");
            assert_eq!(wrong.name(), format!("{} 3 faulty", family.name));
            let (model, correct) = (wrong.model(), right().model());
            assert!(model.contains(" --faulty`.\n") && !correct.contains("aulty"), "{model}");
            assert!(model.contains(&format!("// A mistake was made on purpose: {fault}.\n")), "{model}");
            let code = |text: &str| text.split_once("\nconst ").expect("constants").1.to_string();
            let changed =
                |a: &str, b: &str| code(a).lines().zip(code(b).lines()).filter(|(a, b)| a != b).count();
            assert_eq!(changed(&model, &correct), 1, "{model}");
            let violated = |query: &Query| matches!(query.answer, Answer::Violated { .. });
            assert!(wrong.queries().iter().any(violated) && !right().queries().iter().any(violated));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let fischer = find("fischer").expect("a family");
        let refusal = |given| fischer.instance(given).expect_err("refused").to_string();
        assert_eq!(refusal(&[("n", 41)]), "n = 41 is out of range; it goes from 1 to 40");
        assert_eq!(refusal(&[("lambda", 1)]), "there is no parameter `lambda`");
        let train_gate = find("train-gate").expect("a family").instance(&[]).expect("the defaults");
        assert_eq!(train_gate.faulty().expect_err("refused").to_string(), "there is no faulty variant");
    }

    #[test]
    fn texts_say_where_they_come_from() {
        let instance = find("fischer").expect("a family").instance(&[("n", 3), ("k", 2), ("n", 4)]);
        let instance = instance.expect("within its range");
        assert_eq!(instance.name(), "fischer 4 k=2");
        let (model, queries) = (instance.model(), instance.query_file());
        assert!(model.contains("// Written by `beeline generate fischer --n 4 --k 2`.\n"), "{model}");
        assert!(model.contains("all wait at once: reachable, shortest trace 8 steps\n"), "{model}");
        assert_eq!(queries.lines().filter(|line| line.starts_with(['A', 'E'])).count(), 2, "{queries}");
        assert!(model.lines().all(|line| line.chars().count() <= 130), "{model}");
    }
}
