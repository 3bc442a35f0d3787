//! "Remember …" in further languages.

use super::text::{Sentence, after, language_of};
use super::{Said, remembered};

/// Words of memory in these languages.
pub(crate) const SIGNALS: &[&str] = words![
    "覚えて" "記憶して" "メモして" "忘れないで" "기억해" "기억하" "메모해" "잊지 마" "recuerda" "recordar"
    "no olvides" "acuérdate" "souviens-toi" "rappelle-toi" "retiens" "n'oublie pas" "merk dir" "merke dir"
    "denk daran" "vergiss nicht" "lembre-se" "lembra-te" "não esqueça" "запомни" "запомните" "не забудь"
];

const HEADS: &[&str] = words![
    "recuerda que" "recuerda:" "recuerda" "recuerde que" "acuérdate de que" "no olvides que"
    "souviens-toi que" "souviens-toi :" "souviens-toi:" "souviens-toi" "rappelle-toi que" "retiens que"
    "retiens :" "retiens:" "n'oublie pas que" "merk dir, dass" "merk dir:" "merk dir" "merke dir, dass"
    "merke dir:" "merke dir" "denk daran, dass" "denk daran:" "vergiss nicht, dass" "lembre-se de que"
    "lembre-se que" "lembre-se:" "lembre-se" "lembra-te que" "não esqueça que" "запомни, что" "запомни:"
    "запомни" "запомните, что" "запомните:" "запомните" "не забудь, что" "覚えておいて：" "覚えておいて:"
    "覚えておいてください：" "覚えておいてください:" "기억해:" "기억해줘:" "기억해 줘:" "기억해 주세요:"
    "기억해주세요:"
];

const TAILS: &[&str] = words![
    "ことを覚えておいてください" "ことを覚えておいて" "を覚えておいてください" "を覚えておいて"
    "と覚えておいて" "を覚えて" "を記憶しておいて" "を記憶して" "をメモして" "を忘れないで"
    "라는 걸 기억해줘" "라는 것을 기억해줘" "다는 걸 기억해줘" "는 걸 기억해줘" "는 것을 기억해 줘"
    "을 기억해줘" "를 기억해줘" "을 기억해" "를 기억해" "기억해줘" "기억해 줘" "기억해 주세요"
    "기억해주세요"
];

pub(crate) fn classify(sentence: &Sentence) -> Said {
    let text = sentence.text.as_str();
    // German politeness and the like.
    let lower_head =
        ["bitte ", "por favor, ", "por favor ", "s'il te plaît, ", "пожалуйста, ", "пожалуйста "]
            .iter()
            .find_map(|p| after(text, &[p]));
    let text = lower_head.unwrap_or(text);
    let head = HEADS.iter().find_map(|cue| {
        let n = cue.chars().count();
        let end = text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
        let (start, rest) = (text.get(..end)?, text.get(end..)?);
        let edge =
            rest.chars().next().is_none_or(|c| !c.is_alphanumeric()) || !cue.ends_with(char::is_alphanumeric);
        (start.to_lowercase() == *cue && edge).then_some(rest)
    });
    if let Some(rest) = head {
        let rest = rest.trim_start_matches([':', '：', ',', ' ']);
        return if rest.is_empty() { Said::RememberNext(None) } else { Said::Found(remembered(rest)) };
    }
    let foreign = matches!(language_of(text), "ja" | "ko");
    if let Some(rest) = TAILS.iter().filter(|_| foreign).find_map(|tail| text.strip_suffix(tail)) {
        let rest = rest.trim();
        if rest.chars().count() >= 4 {
            return Said::Found(remembered(rest));
        }
    }
    Said::Nothing
}
