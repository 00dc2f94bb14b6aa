//! How much memory there is, for the default of `--memory-limit`: half of the machine's, or of the control group's.

use std::fs;

/// Half of the memory this program may use; `None` where the system does not tell.
pub fn default_limit() -> Option<u64> {
    [machine(), control_group()].into_iter().flatten().min().map(|bytes| bytes / 2)
}

fn machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn control_group() -> Option<u64> {
    fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}
