//! Ids of findings: ASCII slugs, stable over sessions.

/// Longest slug, in bytes; what is longer ends in a hash of the whole.
const MAX: usize = 100;

/// Lower-case ASCII letters and digits, everything else one dash: `*.rs` → `rs`, `cargo test` → `cargo-test`.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    while out.ends_with('-') {
        out.pop();
    }
    // A name in another script keeps a name of its own.
    if out.is_empty() { format!("x{:08x}", fnv(text)) } else { out }
}

/// The slug itself, or its head and a hash when it is too long for a file's name.
pub(crate) fn bounded(slug: &str) -> String {
    let clean: String = slug.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    if clean.is_empty() {
        return format!("x{:08x}", fnv(slug));
    }
    if clean.len() <= MAX {
        return clean;
    }
    let head = clean.get(..MAX - 9).unwrap_or_default().trim_end_matches('-');
    format!("{head}-{:08x}", fnv(&clean))
}

/// FNV-1a, 32 bit (draft-eastlake-fnv).
fn fnv(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
