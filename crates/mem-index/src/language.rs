//! Which language a text is in: by its script, and among scripts that several share by function words and letters.

use mem_core::Language;

/// Only so many characters are looked at.
const SAMPLE: usize = 2_000;
/// A Han character says about as much as this many letters of an alphabet.
const HAN_WORTH: usize = 3;
/// With this share of kana among the CJK characters, one in so many, a text is Japanese.
const KANA_SHARE: usize = 20;

/// Function words that are frequent in one language and rare in the others.
const WORDS: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "the", "and", "of", "to", "is", "that", "for", "with", "this", "not", "are", "it", "when",
            "from", "be", "use", "should", "before", "after", "never", "always", "by", "was", "which",
            "what", "how", "do", "does", "on", "in", "or", "if", "we", "you",
        ],
    ),
    (
        "fr",
        &[
            "le", "la", "les", "des", "est", "et", "une", "un", "pour", "dans", "que", "qui", "pas", "avec",
            "sur", "ne", "du", "au", "ce", "il", "nous", "vous", "sont", "avant", "toujours", "jamais",
            "être", "plus",
        ],
    ),
    (
        "de",
        &[
            "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "mit", "für", "auf", "den", "dem",
            "zu", "von", "wird", "werden", "auch", "vor", "nach", "immer", "nie", "sich", "wir", "sie",
            "bei", "im", "wenn",
        ],
    ),
    (
        "es",
        &[
            "el", "los", "las", "es", "y", "en", "que", "una", "un", "para", "con", "por", "del", "se", "su",
            "no", "al", "como", "pero", "antes", "siempre", "nunca", "hay", "son", "está", "la", "lo",
        ],
    ),
    (
        "pt",
        &[
            "o", "os", "as", "é", "e", "em", "que", "uma", "um", "para", "com", "por", "do", "da", "não",
            "se", "ao", "dos", "das", "na", "no", "como", "mas", "antes", "sempre", "nunca", "são", "está",
        ],
    ),
    (
        "it",
        &[
            "il", "gli", "è", "e", "di", "che", "una", "un", "per", "con", "non", "del", "della", "si",
            "sono", "prima", "sempre", "mai", "nel", "alla", "anche", "come", "ma", "le", "dei", "da",
        ],
    ),
    (
        "nl",
        &[
            "de", "het", "een", "en", "is", "van", "niet", "met", "voor", "op", "dat", "zijn", "aan", "te",
            "wordt", "ook", "altijd", "nooit", "naar", "bij", "maar", "als", "wij", "we",
        ],
    ),
];

/// Letters that give a Latin or Cyrillic language away.
const LETTERS: &[(&str, &str)] = &[
    ("vi", "ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệịỉĩọỏốồổỗộớờởỡợụủũứừửữựỳỵỷỹ"),
    ("pl", "ąęłńśźż"),
    ("tr", "ğışİ"),
    ("cs", "ěřů"),
    ("uk", "іїєґ"),
];

#[derive(Default)]
struct Counts {
    latin: usize,
    cyrillic: usize,
    greek: usize,
    arabic: usize,
    hebrew: usize,
    thai: usize,
    devanagari: usize,
    han: usize,
    kana: usize,
    hangul: usize,
}

/// The language of a text, as a BCP 47 primary tag, or `und`.
///
/// Cheap: one pass over the first 2,000 characters. A text that mixes Han with Latin identifiers is Chinese when Han
/// carries more of it. Of Latin text only what shows its language is named.
///
/// ```
/// use mem_index::detect;
/// assert_eq!(detect("改完代码不主动提交，等用户确认后再 commit").as_str(), "zh");
/// assert_eq!(detect("Never commit before the tests are green").as_str(), "en");
/// assert_eq!(detect("cargo build").as_str(), "und");
/// ```
pub fn detect(text: &str) -> Language {
    let sample: String = text.chars().take(SAMPLE).collect();
    let mut counts = Counts::default();
    for ch in sample.chars() {
        match ch {
            'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => counts.latin += 1,
            '\u{400}'..='\u{52F}' => counts.cyrillic += 1,
            '\u{370}'..='\u{3FF}' => counts.greek += 1,
            '\u{600}'..='\u{6FF}' => counts.arabic += 1,
            '\u{590}'..='\u{5FF}' => counts.hebrew += 1,
            '\u{E00}'..='\u{E7F}' => counts.thai += 1,
            '\u{900}'..='\u{97F}' => counts.devanagari += 1,
            '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => counts.han += 1,
            '\u{3040}'..='\u{30FF}' | '\u{FF66}'..='\u{FF9F}' => counts.kana += 1,
            '\u{AC00}'..='\u{D7AF}' | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' => counts.hangul += 1,
            _ => {}
        }
    }
    let east = counts.han + counts.kana + counts.hangul;
    let scripts = [
        ("latin", counts.latin),
        ("east", east * HAN_WORTH),
        ("cyrillic", counts.cyrillic),
        ("el", counts.greek),
        ("ar", counts.arabic),
        ("he", counts.hebrew),
        ("th", counts.thai),
        ("hi", counts.devanagari),
    ];
    let Some((script, _)) =
        scripts.into_iter().filter(|(_, count)| *count > 0).max_by_key(|(_, count)| *count)
    else {
        return Language::default();
    };
    Language::new(match script {
        "east" if counts.hangul > counts.han + counts.kana => "ko",
        "east" if counts.kana > 0 && counts.kana * KANA_SHARE >= east => "ja",
        "east" => "zh",
        "cyrillic" => by_letters(&sample, &["uk"]).unwrap_or("ru"),
        "latin" => {
            by_words(&sample).or_else(|| by_letters(&sample, &["vi", "pl", "tr", "cs"])).unwrap_or("und")
        }
        other => other,
    })
}

fn by_letters(text: &str, among: &[&str]) -> Option<&'static str> {
    LETTERS
        .iter()
        .filter(|(tag, _)| among.contains(tag))
        .map(|(tag, letters)| (*tag, text.chars().filter(|ch| letters.contains(*ch)).count()))
        .filter(|(_, count)| *count > 0)
        .max_by_key(|(_, count)| *count)
        .map(|(tag, _)| tag)
}

fn by_words(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|ch: char| !ch.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    if let Some(vietnamese) = by_letters(&lower, &["vi"]) {
        let marked = lower.chars().filter(|ch| LETTERS[0].1.contains(*ch)).count();
        if marked * 10 >= lower.chars().count() / 2 {
            return Some(vietnamese);
        }
    }
    let (mut best, mut second) = ((None, 0), 0);
    for (tag, list) in WORDS {
        let count = words.iter().filter(|word| list.contains(word)).count();
        if count > best.1 {
            second = best.1;
            best = (Some(*tag), count);
        } else {
            second = second.max(count);
        }
    }
    // One hit in a few words is enough when nothing else hits; in a tie nothing is known.
    best.0.filter(|_| best.1 > second && best.1 * 12 >= words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        for (tag, text) in [
            ("en", "Always run the tests before a commit"),
            ("zh", "改完代码不主动提交，等用户验证确认后再 commit/push"),
            ("zh", "用 pnpm 安装依赖"),
            ("ja", "コミットの前にテストを実行する"),
            ("ja", "認証設定は環境変数から読む"),
            ("ko", "커밋하기 전에 테스트를 실행한다"),
            ("ru", "Перед коммитом запускать тесты"),
            ("uk", "Перед комітом запускати всі тести і перевірки її"),
            ("fr", "Toujours lancer les tests avant un commit"),
            ("de", "Vor dem Commit werden die Tests ausgeführt"),
            ("es", "Siempre hay que ejecutar las pruebas antes del commit"),
            ("pt", "Não fazer commit antes de executar os testes"),
            ("it", "Non fare mai commit prima della fine dei test"),
            ("nl", "Voer altijd de tests uit voor het committen van een wijziging"),
            ("vi", "Luôn chạy kiểm thử trước khi gửi thay đổi"),
            ("el", "Εκτέλεση δοκιμών"),
            ("th", "ทดสอบก่อน"),
            ("ar", "شغّل الاختبارات"),
            ("und", "cargo clippy --all-targets"),
            ("und", "12 + 3"),
            ("und", ""),
        ] {
            assert_eq!(detect(text).as_str(), tag, "{text}");
        }
    }
}
