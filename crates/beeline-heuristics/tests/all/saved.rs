//! Pattern databases in files: what is read is what was written, files that are not what they should be are not used,
//! and no file makes anyone panic.

use beeline_engine::Options;
use beeline_engine::heuristic::{Estimate, Heuristic, OwnedZone};
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::certificate::Row;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::text::{self, ReadOptions};
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::oracle::graph::Graph;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// States of a model that estimates are compared on.
const BUDGET: usize = 20_000;
const CHECKSUM: usize = 32;

/// An empty directory for one test.
fn directory(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved").join(test);
    let _ = fs::remove_dir_all(&directory);
    directory
}

fn read(text: &str) -> Network {
    match text::read(text, ReadOptions { file: "model", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

fn model(name: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    read(&fs::read_to_string(path).expect("a model of ours"))
}

fn made(network: &Network, spec: &str, directory: Option<&Path>) -> Box<dyn Heuristic> {
    let limits = Limits::default();
    let making = Making::new(network, &network.properties[0], &limits).keeping(directory);
    make(&making, &Spec::parse(spec).expect("a heuristic")).expect("a heuristic")
}

/// All that a heuristic says of a model.
type Said = (Vec<[Estimate; 3]>, Option<Vec<Row>>, Option<Vec<Row>>);

fn said(heuristic: &mut dyn Heuristic, graph: &Graph) -> Said {
    let of_state = |(slots, zone): (&Vec<i64>, &OwnedZone)| {
        let zone = zone.view();
        let blind = heuristic.estimate(slots);
        [blind, heuristic.estimate_in(slots, &zone), heuristic.estimate_by_rows(slots, &zone)]
    };
    let estimates = graph.slots.iter().zip(&graph.zones).map(of_state).collect();
    (estimates, heuristic.rows(None, BUDGET), heuristic.rows(Some(5), BUDGET))
}

fn graph(network: &Network) -> Option<Graph> {
    let options = Options { dead_variables: false, ..Options::default() };
    Graph::new(network, &network.properties[0], &options, BUDGET)
}

fn remark(heuristic: &dyn Heuristic) -> String {
    heuristic.remark().expect("a remark")
}

/// The saved files, in order.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(directory).expect("a directory").flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// A counter in few states of a large domain: found by hash.
const SPARSE: &str = "network sparse
     var a in 0..1000000
     var b in 0..1000000
     process A { init l location l edge l -> l { guard a < 999000 do { a := a + 37000; } } }
     process B { init l location l edge l -> l { guard b < 10 do { b := b + 1; } } }
     property goal : E<> a == 370000 && b == 5";

/// Models with databases of all forms.
fn cases() -> Vec<(Network, &'static str)> {
    vec![
        (model("philosophers.beeline"), "coi"),
        (model("fischer-bug.beeline"), "dpr"),
        (model("fischer-bug.beeline"), "pdb:vars=P1+id"),
        (model("fischer.beeline"), "coi:clocks=none"),
        (model("fischer.beeline"), "dpr"),
        (model("crossing.beeline"), "dpr"),
        (model("fischer.beeline"), "dpr:clocks=digital"),
        (model("crossing.beeline"), "coi:clocks=digital"),
        (model("fischer-bug.beeline"), "sum"),
        (read(SPARSE), "pdb:vars=a+b"),
        (read(SPARSE), "sum:vars=a/b"),
    ]
}

#[test]
fn what_is_read_is_what_was_built() {
    for (number, (network, spec)) in cases().into_iter().enumerate() {
        let directory = directory(&format!("equal-{number}"));
        let graph = graph(&network).expect("a small model");
        let fresh = said(made(&network, spec, None).as_mut(), &graph);
        let mut first = made(&network, spec, Some(&directory));
        assert!(remark(&*first).contains("saved to"), "{spec}: {}", remark(&*first));
        assert_eq!(said(first.as_mut(), &graph), fresh, "{spec}");
        let mut second = made(&network, spec, Some(&directory));
        let words = remark(&*second);
        assert!(words.contains("read from") && !words.contains("saved to"), "{spec}: {words}");
        assert_eq!(said(second.as_mut(), &graph), fresh, "{spec}");
    }
}

#[test]
fn what_is_read_is_what_was_built_on_random_models() {
    let directory = directory("random");
    let mut read = 0;
    for profile in [Profile::Timed, Profile::Discrete] {
        let shape = Shape::new(profile);
        for seed in 0..60 {
            let network = generate(&shape, seed);
            let Some(graph) = graph(&network) else { continue };
            for spec in ["dpr", "coi", "coi:clocks=none"] {
                let fresh = said(made(&network, spec, None).as_mut(), &graph);
                made(&network, spec, Some(&directory));
                let mut again = made(&network, spec, Some(&directory));
                read += usize::from(again.remark().is_some_and(|words| words.contains("read from")));
                assert_eq!(said(again.as_mut(), &graph), fresh, "{profile:?} {seed} {spec}");
            }
        }
    }
    assert!(read > 200, "only {read} were read");
}

#[test]
fn the_file_of_something_else_is_not_used() {
    let directory = directory("other");
    let counter = |from: u32, to: u32| {
        read(&format!(
            "network n
             var a in 0..9 = {from}
             var b in 0..9
             process A {{ init l location l edge l -> l {{ guard a < 9 do {{ a := a + 1; }} }} }}
             process B {{ init l location l edge l -> l {{ guard b < 9 do {{ b := b + 1; }} }} }}
             property goal : E<> a == {to}"
        ))
    };
    let others = [
        (counter(1, 5), "pdb:vars=a", "another model"),
        (counter(0, 6), "pdb:vars=a", "another property"),
        (counter(0, 5), "pdb:vars=a+b", "another pattern"),
    ];
    made(&counter(0, 5), "pdb:vars=a", Some(&directory));
    let [own] = &*files(&directory) else { panic!("one file") };
    for (network, spec, reason) in others {
        let elsewhere = directory.join("elsewhere");
        made(&network, spec, Some(&elsewhere));
        let [other] = &*files(&elsewhere) else { panic!("one file") };
        assert_ne!(other.file_name(), own.file_name(), "{reason}");
        fs::copy(other, own).expect("a copy");
        let remark = remark(&*made(&counter(0, 5), "pdb:vars=a", Some(&directory)));
        assert!(remark.contains(reason) && remark.contains("saved to"), "{remark}");
        fs::remove_dir_all(elsewhere).expect("removed");
    }
    let mut bytes = fs::read(own).expect("a file");
    bytes[6] += 1;
    fs::write(own, bytes).expect("written");
    let words = remark(&*made(&counter(0, 5), "pdb:vars=a", Some(&directory)));
    assert!(words.contains("version"), "{words}");
    // The last one was saved again.
    let words = remark(&*made(&counter(0, 5), "pdb:vars=a", Some(&directory)));
    assert!(words.contains("read from"), "{words}");
}

#[test]
fn damaged_files_are_not_used_and_hostile_ones_do_no_harm() {
    for (number, (network, spec)) in cases().into_iter().enumerate() {
        let directory = directory(&format!("damaged-{number}"));
        let graph = graph(&network).expect("a small model");
        let mut first = made(&network, spec, Some(&directory));
        let (fresh, words) = (said(first.as_mut(), &graph), remark(&*first));
        // Smaller patterns that were tried before have files, too.
        let written = files(&directory);
        let file = written.iter().find(|file| words.contains(&file.display().to_string())).expect("a file");
        let whole = fs::read(file).expect("a file");
        let mut random = oorandom::Rand64::new(7);
        let mut below = |bound: usize| random.rand_range(0..bound.max(1) as u64) as usize;
        for round in 0..120 {
            let mut bytes = whole.clone();
            match round % 3 {
                0 => bytes.truncate(below(whole.len())),
                1 => bytes.extend_from_within(..=below(whole.len().min(40))),
                _ => {
                    let at = below(bytes.len());
                    bytes[at] ^= 1 << below(8);
                }
            }
            fs::write(file, &bytes).expect("written");
            let mut heuristic = made(&network, spec, Some(&directory));
            let words = remark(&*heuristic);
            assert!(words.contains("was not used"), "{spec} {round}: {words}");
            if round % 10 == 2 {
                assert_eq!(said(heuristic.as_mut(), &graph), fresh, "{spec} {round}");
            }
            // With a checksum that is right, whatever it says is believed, as far as it can be.
            if bytes.len() > CHECKSUM {
                let body = bytes.len() - CHECKSUM;
                if round % 3 == 2 {
                    let at = body - 1 - below((body - 100).min(400));
                    bytes[at] = below(256) as u8;
                }
                let checksum = Sha256::digest(&bytes[..body]);
                bytes[body..].copy_from_slice(&checksum);
                fs::write(file, &bytes).expect("written");
                let limits = Limits::default();
                let making = Making::new(&network, &network.properties[0], &limits).keeping(Some(&directory));
                if let Ok(mut heuristic) = make(&making, &Spec::parse(spec).expect("a heuristic")) {
                    said(heuristic.as_mut(), &graph);
                }
            }
        }
    }
}

#[test]
fn several_may_write_at_once() {
    let (directory, network) = (directory("crowd"), model("fischer.beeline"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| made(&network, "dpr", Some(&directory)).remark());
        }
    });
    let files = files(&directory);
    assert!(files.iter().all(|file| file.extension().is_some_and(|end| end == "pdb")), "{files:?}");
    assert!(remark(&*made(&network, "dpr", Some(&directory))).contains("read from"));
}

#[test]
fn what_is_too_large_stays_too_large() {
    let (directory, network) = (directory("large"), read(SPARSE));
    let limits = Limits::default();
    let making = Making::new(&network, &network.properties[0], &limits);
    let kept = Making::new(&network, &network.properties[0], &limits).keeping(Some(&directory));
    // There are 28 times 11 states.
    for size in [100, 50, 307, 308, 307, 100] {
        let spec = Spec::parse(&format!("pdb:vars=a+b,size={size}")).expect("a heuristic");
        let (one, other) = (make(&making, &spec), make(&kept, &spec));
        assert_eq!((one.is_ok(), other.is_ok()), (size >= 308, size >= 308), "{size}");
        assert_eq!(one.err(), other.err());
    }
}

#[test]
fn where_nothing_can_be_saved_nothing_is_lost() {
    let (directory, network) = (directory("file"), read(SPARSE));
    fs::create_dir_all(directory.parent().expect("a parent")).expect("created");
    let _ = fs::remove_file(&directory);
    fs::write(&directory, "a file").expect("written");
    let words = remark(&*made(&network, "pdb:vars=a+b", Some(&directory)));
    assert!(words.contains("not saved"), "{words}");
    fs::remove_file(&directory).expect("removed");
}
