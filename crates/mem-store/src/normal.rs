use mem_core::Memory;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use unicode_normalization::UnicodeNormalization;

/// One spelling for texts that say the same: NFKC (UAX #15), lower case, single spaces, none at the ends, no full
/// stop or exclamation mark at the end.
///
/// ```
/// assert_eq!(mem_store::normalise("  Ｐｏｒｔ\n８０８０。 "), "port 8080");
/// ```
pub fn normalise(text: &str) -> String {
    let lower = text.nfkc().collect::<String>().to_lowercase();
    // Lower case may leave a mark uncomposed.
    let composed: String = lower.nfkc().collect();
    let mut normal = String::with_capacity(composed.len());
    for word in composed.split_whitespace() {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    let end = normal.trim_end_matches(|c: char| c == ' ' || STOPS.contains(&c)).len();
    // A text of nothing but stops says that.
    if end > 0 {
        normal.truncate(end);
    }
    normal
}

/// What ends a statement without changing it; NFKC has folded the full-width forms.
const STOPS: [char; 3] = ['.', '。', '!'];

/// SHA-256 (FIPS 180-4) of [`normalise`]d text, 64 hex digits.
pub fn fingerprint(text: &str) -> String {
    sha256(&[&normalise(text)])
}

/// The [`fingerprint`] of what a memory states: its body. The same statement with another reason is no other one.
pub fn content_hash(memory: &Memory) -> String {
    fingerprint(&memory.body)
}

/// Stands for the text that an embedder sees; vectors of another one are stale.
pub(crate) fn text_hash(text: &str) -> String {
    sha256(&[text])
}

fn sha256(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
    }
    let mut hex = String::with_capacity(64);
    for byte in hasher.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_core::{Kind, Timestamp};
    use proptest::prelude::*;

    #[test]
    fn spellings_of_one_text_meet() {
        for (a, b) in [
            ("Use Tabs", "use  tabs\n"),
            ("ＡＢＣ　１２３", "abc 123"),
            ("caf\u{e9}", "CAFE\u{301}"),
            ("ΟΔΟΣ", "οδος"),
            ("ｶﾞｲﾄﾞ", "ガイド"),
            ("ﬁle", "file"),
        ] {
            assert_eq!(normalise(a), normalise(b), "{a:?} {b:?}");
        }
        assert_ne!(normalise("端口 8080"), normalise("端口 8081"));
        assert_ne!(normalise("resume"), normalise("résumé"));
    }

    #[test]
    fn a_fingerprint_is_sha256_in_hex() {
        // FIPS 180-4, the example "abc".
        assert_eq!(fingerprint("  ABC "), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn the_statement_alone_is_the_content_and_all_text_is_embedded() {
        let plain = Memory::new(Kind::Fact, "ports are assigned", Timestamp::UNIX_EPOCH);
        let mut reasoned = plain.clone();
        reasoned.why = Some("they clashed".into());
        assert_eq!(content_hash(&plain), content_hash(&reasoned));
        assert_ne!(text_hash(&plain.full_text()), text_hash(&reasoned.full_text()));
        let mut renamed = plain.clone();
        renamed.name = "who gets which".into();
        assert_eq!(content_hash(&plain), content_hash(&renamed));
        assert_ne!(text_hash(&plain.full_text()), text_hash(&renamed.full_text()));
    }

    proptest! {
        #[test]
        fn normal_text_is_its_own_normal_form(text in any::<String>()) {
            let once = normalise(&text);
            prop_assert_eq!(normalise(&once), once);
        }
    }
}
