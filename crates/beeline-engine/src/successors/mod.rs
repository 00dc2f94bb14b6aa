//! From a state to its successors: enumerate the enabled labels of the discrete part ([`labels`]), see where in
//! the zone each may fire ([`candidate`]), fire it, let time pass ([`space`]).

pub mod candidate;
pub mod deadlock;
pub mod differences;
pub mod labels;
pub mod pace;
pub mod pool;
pub mod space;
pub mod table;
