//! From a state to its successors: enumerate the enabled labels of the discrete part ([`labels`]), see where in
//! the zone each may fire ([`candidate`]), fire it, let time pass ([`expand`], of the state [`space`]).

pub mod candidate;
pub mod deadlock;
pub mod decisions;
pub mod differences;
pub mod elements;
pub mod expand;
pub mod labels;
pub mod offers;
pub mod pace;
pub mod pool;
pub mod recall;
pub mod space;
pub mod switch;
pub mod table;
