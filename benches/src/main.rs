//! The harness of mem.
fn main() {}
