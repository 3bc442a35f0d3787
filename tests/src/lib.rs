//! Support of the whole-product tests: the real binary `mem`, in a world of its own.
//!
//! ```no_run
//! let sandbox = mem_tests::Sandbox::new();
//! let id = sandbox.mem(&["remember", "Ports come from the registry"]).ok().line();
//! assert_eq!(sandbox.mem(&["recall", "ports", "--json"]).json()["hits"][0]["id"], id.as_str());
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "support of tests: what cannot be done is a failed test"
)]

mod binary;
mod output;
mod sandbox;

pub use binary::mem_binary;
pub use output::{HookOutput, Output, units};
pub use sandbox::{Sandbox, below, files_with, lines_of};

/// A sequence of numbers that is the same in every run (xorshift64*, Vigna 2016).
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// The sequence of a seed.
    pub fn seeded(seed: u64) -> Self {
        Self(seed.max(1))
    }

    /// The next number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) % bound.max(1)
    }
}
