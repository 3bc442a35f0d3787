//! Links the command at a fixed address where that is known to work.
//!
//! A position-independent executable of this size is relocated at every start: some 20,000 words on 140 pages, which
//! took half of a hook's time. Libraries stay position-independent, and so does the heap's and the stack's place.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux"
        && target("ENV") == "gnu"
        && ["x86_64", "aarch64"].contains(&target("ARCH").as_str())
    {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
