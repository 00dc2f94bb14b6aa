//! `--cone`: what has no say in the answer is left out; verdict, length and certificates stay.

use crate::common;

use common::{beeline, directory, file};
use serde_json::{Value, json};

const MODEL: &str = "
network beside
var counter in 0..9
clock x
process Wanderer {
  init w0 location w0 location w1
  edge w0 -> w1 { do { counter := counter == 9 ? 0 : counter + 1; } }
  edge w1 -> w0
}
process P {
  init p0 location p0 { invariant x <= 3 } location p1 location p2
  edge p0 -> p1 { when x >= 2 }
  edge p1 -> p2
}
property reached : E<> P.p2
property never : A[] !(P.p2 && x < 2)
";

fn check(path: &str, options: &[&str]) -> Value {
    beeline(["check", path, "--json"].iter().chain(options)).exits(0).json()
}

#[test]
fn answers_stay_the_same_with_fewer_states() {
    let dir = directory("cone");
    let path = file(&dir, "beside.beeline", MODEL);
    let (all, inside) = (check(&path, &[]), check(&path, &["--cone"]));
    for number in 0..2 {
        let (all, inside) = (&all["results"][number], &inside["results"][number]);
        for field in ["verdict", "reachable", "certificate", "lower_bound"] {
            assert_eq!(all[field], inside[field], "{field}");
        }
        assert_eq!(all["certificate"], "kernel");
        assert_eq!(all["trace"]["length"], inside["trace"]["length"]);
        assert_eq!(inside["config"]["outside_cone"], json!(["Wanderer", "counter"]));
        assert_eq!(all["config"]["outside_cone"], Value::Null);
        assert!(inside["stats"]["stored"].as_u64() < all["stats"]["stored"].as_u64());
    }
}
