//! New names for everything.

use crate::random::Random;
use beeline_ir::network::Network;

/// Renames every named element. Names stay unique because each ends in a number of its own.
pub fn rename(network: &Network, random: &mut Random) -> Network {
    let mut result = network.clone();
    let mut count = 0;
    let mut fresh = |name: &mut String| {
        let styles = ["name_", "process", "it's ", "\\", "ünïcode", "x ", "\n", "0", "guard"];
        let style = styles[random.below(styles.len())];
        *name = format!("{style}{count}");
        count += 1;
    };
    fresh(&mut result.name);
    result.vars.iter_mut().for_each(|v| fresh(&mut v.name));
    result.clocks.iter_mut().for_each(|c| fresh(&mut c.name));
    result.channels.iter_mut().for_each(|c| fresh(&mut c.name));
    result.families.iter_mut().for_each(|f| fresh(&mut f.name));
    for function in result.functions.iter_mut() {
        fresh(&mut function.name);
        function.frame.iter_mut().for_each(|l| fresh(&mut l.name));
    }
    for process in result.processes.iter_mut() {
        fresh(&mut process.name);
        for location in process.locations.iter_mut() {
            fresh(&mut location.name);
            location.frame.iter_mut().for_each(|l| fresh(&mut l.name));
        }
        for edge in process.edges.iter_mut() {
            edge.frame.iter_mut().for_each(|l| fresh(&mut l.name));
        }
    }
    for property in &mut result.properties {
        property.frame.iter_mut().for_each(|l| fresh(&mut l.name));
        property.name = None;
    }
    result
}
