//! Traces as NuSMV writes them.
pub fn nusmv_trace() {}
pub fn nusmv_xml() {}
