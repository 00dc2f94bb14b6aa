//! Abstraction databases: as pattern databases, but a variable need not be kept or dropped. Its values may be put into
//! classes (ranges, sign, parity, remainders, any sets), and several variables be replaced by the truth of predicates over
//! them. The abstract model is explored completely, and the distance of each of its states from the target written down;
//! several databases are added up, each label counting in one of them. With everything kept, the database is perfect.
//!
//! Edelkamp and Lluch-Lafuente, "Abstraction in directed model checking", 2004; predicates: Graf and Saidi, "Construction
//! of abstract state graphs with PVS", 1997.
//!
//! Maps come from a file (`maps`) or are inferred (`infer`); here they become patterns.

pub mod infer;
pub mod maps;

use crate::additive::{Division, Sum};
use crate::pattern_database::{NoDatabase, PatternDatabase};
use crate::patterns::given;
use crate::patterns::making::Frame;
use crate::registry::{Making, NotMade};
use beeline_abstraction::projection::{Classes, Joint, Pattern};
use beeline_engine::heuristic::Heuristic;
use beeline_ir::expr::Expr;
use beeline_ir::layout::Layout;
use beeline_ir::network::Network;
use beeline_ir::visit::walk;
use beeline_ir::{Model, VarId, text};
use beeline_program::{Machine, Predicate, Program, RoutineId};
use maps::{Abstraction, Map, Wrong};
use std::collections::BTreeSet;

/// What a database looks at, and the network that it looks at if some variables are one.
pub(crate) struct View {
    pub(crate) pattern: Pattern,
    pub(crate) joint: Option<Joint>,
}

/// The heuristic that a file of maps describes.
pub fn given(making: &Making<'_>, file: &str, frame: Frame) -> Result<Box<dyn Heuristic>, NotMade> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("`maps={file}`: {error}"))?;
    described(making, &text, file, frame)
}

/// The same of the text of such a file, which is called `file` where something is wrong with it.
pub fn described(
    making: &Making<'_>,
    text: &str,
    file: &str,
    frame: Frame,
) -> Result<Box<dyn Heuristic>, NotMade> {
    let place = |Wrong { line, column, message }| format!("{file}:{line}:{column}: {message}");
    let abstractions = maps::read(text).map_err(place)?;
    let views = abstractions.iter().map(|one| view(making, one)).collect::<Result<Vec<View>, Wrong>>();
    added(making, &views.map_err(place)?, frame)
}

/// One database, or the sum of several.
fn added(making: &Making<'_>, views: &[View], frame: Frame) -> Result<Box<dyn Heuristic>, NotMade> {
    if let [view] = views {
        return Ok(Box::new(database(making, view, frame)?));
    }
    let mut division = Division::new(making);
    let mut databases = Vec::new();
    for view in views {
        databases.push(division.database_of(view, frame)?);
        division.take_of(view)?;
    }
    Ok(Box::new(Sum::new(databases)))
}

/// The database of a view.
pub(crate) fn database(
    making: &Making<'_>,
    view: &View,
    frame: Frame,
) -> Result<PatternDatabase, NoDatabase> {
    let means = making.means(frame.most);
    let joint = view.joint.as_ref();
    let (network, property) =
        joint.map_or((making.network, making.property), |joint| (&joint.network, &joint.property));
    let database = PatternDatabase::new(network, property, &view.pattern, frame.timing(), &means)?;
    Ok(database.joined(joint))
}

/// What an abstraction looks at.
fn view(making: &Making<'_>, abstraction: &Abstraction) -> Result<View, Wrong> {
    let network = making.network;
    let mut pattern = if abstraction.keeps_others { Pattern::all(network) } else { Pattern::default() };
    for line in &abstraction.maps {
        let named = given::parse(network, &line.name).map_err(|message| line.wrong(message))?;
        match &line.map {
            Map::Keep => pattern.add(&named),
            Map::Drop => pattern = pattern.without(&named),
            map => {
                let Some(var) = named.integers.iter().next().filter(|_| named.automata.is_empty()) else {
                    return Err(line.wrong(format!("`{}` has no values that could be in classes", line.name)));
                };
                let range = network.vars[*var].range;
                map.fits(range).map_err(|message| {
                    let (name, lo, hi) = (&line.name, range.lo, range.hi);
                    line.wrong(format!("{message}: `{name}` has values from {lo} to {hi}"))
                })?;
                let classes = classes(network, *var, map).map_err(|message| line.wrong(message))?;
                pattern.integers.remove(var);
                pattern.maps.insert(*var, classes);
            }
        }
    }
    let joint = predicates(making, abstraction, &mut pattern)?;
    Ok(View { pattern, joint })
}

/// The classes of a variable's values; of an array, of the values of each element.
pub(crate) fn classes(network: &Network, var: VarId, map: &Map) -> Result<Classes, String> {
    let (var, name) = (&network.vars[var], network.var_name(var));
    let made = Classes::new(var.range, |value| map.class(value));
    made.ok_or_else(|| {
        format!(
            "`{name}` has {} values, too many for classes (--reduce on leaves out values that it never has)",
            { var.range.size() }
        )
    })
}

/// Replaces the variables of predicates by the truth of these.
fn predicates(
    making: &Making<'_>,
    abstraction: &Abstraction,
    pattern: &mut Pattern,
) -> Result<Option<Joint>, Wrong> {
    let Some(first) = abstraction.predicates.first() else { return Ok(None) };
    let network = making.network;
    let model = Model::Network(network.clone());
    let mut program = Program::compile(network);
    let (mut vars, mut routines): (BTreeSet<VarId>, Vec<RoutineId>) = Default::default();
    for line in &abstraction.predicates {
        let read = text::read_property(&model, &format!("E<> ({})", line.name)).map_err(|found| {
            line.wrong(found.first().map_or_else(String::new, |first| first.message.clone()))
        })?;
        let beeline_ir::property::Target::State(predicate) = read.target() else {
            return Err(line.wrong("this is no predicate".to_string()));
        };
        let mut other = false;
        walk(&predicate, &mut |part| match part {
            Expr::Var(var) => _ = vars.insert(*var),
            Expr::Const(_) | Expr::Local(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::And(_) => {}
            Expr::Or(_) | Expr::If(..) | Expr::Quantified(..) => {}
            _ => other = true,
        });
        let compiled = program.compile_predicate(network, &read.frame, &predicate);
        match compiled {
            Ok(Predicate::Discrete(routine)) if !other => routines.push(routine),
            _ => {
                return Err(line.wrong(
                    "a predicate is about variables that are no arrays, and nothing else".to_string(),
                ));
            }
        }
    }
    let vars: Vec<VarId> = vars.into_iter().collect();
    let joint = Joint::of(network, making.property, &vars).map_err(|message| first.wrong(message))?;
    let mut machine = Machine::new(&program);
    let mut state = Layout::of_network(network).initial(network);
    let mut truths = Vec::new();
    for value in joint.network.vars[joint.var].range.values() {
        joint.set(value, &mut state);
        let truth =
            |routine: &RoutineId| machine.eval(&program, *routine, &state, &[]).map(|value| value != 0);
        // What fails is neither true nor false.
        truths.push(routines.iter().map(truth).map(Result::ok).collect::<Vec<Option<bool>>>());
    }
    let classes = Classes::new(joint.network.vars[joint.var].range, |value| truths[value as usize].clone());
    for var in joint.members() {
        pattern.integers.remove(&var);
        pattern.maps.remove(&var);
    }
    if let Some(classes) = classes {
        pattern.maps.insert(joint.var, classes);
    }
    Ok(Some(joint))
}
