//! File names: ASCII, lower case, stable.

use sha2::{Digest, Sha256};

/// Characters of a slug at most.
const MAX: usize = 48;

/// An ASCII slug of a text in any script.
///
/// Latin letters lose their accents, other scripts (Chinese, Cyrillic, …) are left out; when that leaves out half
/// or more of the letters, eight digits of the text's SHA-256 make the slug tell texts apart all the same.
/// Never empty, never beginning or ending with `-`.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    let (mut kept, mut lost) = (0, 0);
    for c in text.chars() {
        let before = slug.len();
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if let Some(letters) = latin(c) {
            slug.push_str(letters);
        } else if c.is_alphanumeric() {
            lost += 1;
        }
        if slug.len() > before {
            kept += 1;
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(MAX);
    let slug = slug.trim_matches('-');
    if kept > lost && !slug.is_empty() {
        return slug.to_owned();
    }
    let digest: String = Sha256::digest(text).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    if slug.is_empty() { digest } else { format!("{slug}-{digest}") }
}

/// The ASCII letters a Latin letter with a mark is commonly written with.
fn latin(c: char) -> Option<&'static str> {
    let lower = c.to_lowercase().next().unwrap_or(c);
    Some(match lower {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' | 'ạ' | 'ả' | 'ấ' | 'ầ' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'ẹ' | 'ế' | 'ề' | 'ệ' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | 'ị' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'ọ' | 'ố' | 'ồ' | 'ộ' | 'ơ' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ț' => "t",
        'þ' => "th",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ụ' | 'ư' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

/// The file name of an item: what it is, its slug, and the first six characters of its id.
pub(super) fn file_name(kind: &str, name: &str, id: &str, extension: &str) -> String {
    let mut short: String = id.chars().filter(char::is_ascii_alphanumeric).take(6).collect();
    short.make_ascii_lowercase();
    format!("{kind}_{}_{}.{extension}", slug(name), if short.is_empty() { "x" } else { &short })
}

/// SHA-256 of bytes, hex.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_ascii_and_tell_apart() {
        assert_eq!(slug("Read before edit: *.rs"), "read-before-edit-rs");
        assert_eq!(slug("Éviter les œufs ß"), "eviter-les-oeufs-ss");
        assert_eq!(slug("用 rg 搜索代码").split_once('-').unwrap().0, "rg");
        assert_ne!(slug("端口由注册表分配"), slug("端口由配置分配"));
        assert_eq!(slug("端口").len(), 8);
        assert_eq!(slug("").len(), 8);
        assert!(slug(&"long name ".repeat(30)).len() <= MAX);
        for text in ["改动 a", "-- a --", "🙂", "Привет", "a/../b"] {
            let slug = slug(text);
            assert!(
                slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{slug}"
            );
            assert!(!slug.starts_with('-') && !slug.ends_with('-'));
        }
        assert_eq!(file_name("fact", "Port 80", "abcdefgh", "md"), "fact_port-80_abcdef.md");
    }
}
