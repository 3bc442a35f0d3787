//! Requests to remember, wherever in a sentence they stand.

use super::text::{after, has_han, strip_bullet};
use super::{Match, Said, remembered};
use mem_core::Kind;

/// Requests that end a statement, or stand between it and its occasion.
const TAILS: &[&str] = words![
    "keep that in mind" "keep this in mind" "keep it in mind" "bear that in mind" "bear this in mind"
    "remember that" "remember this" "remember it" "don't forget that" "don't forget this" "don't forget it"
    "make a note of that" "make a note of this" "make a note of it" "take note of that" "note that down"
    "write that down" "save that to memory" "save this to memory" "add that to memory"
    "add this to memory" "add that to your memory" "add this to your memory" "for the record"
    "for future reference" "for next time" "memorize that" "memorize this"
];

/// Requests that a statement follows.
const HEADS: &[&str] = words![
    "also remember that" "also remember" "please remember that" "please remember" "remember that"
    "remember:" "remember" "please keep in mind that" "keep in mind that" "keep in mind"
    "bear in mind that" "please note that" "also note that" "note that" "please note:" "note:" "nb:"
    "for the record:" "for the record," "make a note that" "make a note:" "don't forget that"
    "add to your memory:" "add to memory:" "save to memory:"
];

/// Beginnings of a request at the start of a sentence that the anchored rules do not know.
const STARTS: &[&str] = words![
    "please note that" "please note:" "please note," "note that" "note:" "nb:" "add this to your memory:"
    "add this to your memory," "add to your memory:" "bear in mind that" "bear in mind"
    "don't you forget that" "also remember that" "also remember" "also note that"
    "put this in your memory:" "commit this to memory:" "commit to memory:"
];

const NOT_A_STATEMENT: &[&str] = words![
    "when" "how" "what" "where" "why" "who" "me" "my login" "my password" "the last" "last" "the choice"
    "the state" "the selection" "the user" "the value" "to" "it" "them" "if" "whether"
];

/// Whether two words differ by one letter left out, put in, changed, or two neighbours changed over
/// (Damerau 1964, restricted to one edit).
fn one_edit(word: &str, wanted: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (word.chars().collect(), wanted.chars().collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(head..).unwrap_or_default(), b.get(head..).unwrap_or_default());
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let a = a.get(..a.len() - tail).unwrap_or_default();
    let b = b.get(..b.len() - tail).unwrap_or_default();
    match (a, b) {
        ([_], [_]) | ([_], []) | ([], [_]) => true,
        ([x, y], [z, w]) => x == w && y == z,
        _ => false,
    }
}

/// The text with a misspelt "remember" mended.
pub(crate) fn mend_spelling(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphabetic()) {
        let (head, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(head);
        let end = tail.find(|c: char| !c.is_alphanumeric()).unwrap_or(tail.len());
        let (word, after) = tail.split_at_checked(end).unwrap_or((tail, ""));
        let lower = word.to_ascii_lowercase();
        if (7..=9).contains(&lower.len()) && lower != "remembers" && one_edit(&lower, "remember") {
            out.push_str("remember");
        } else {
            out.push_str(word);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether what follows the request only announces a list, and the first item where it is on the same line.
pub(crate) fn announced(rest: &str) -> Option<Option<String>> {
    let trimmed = rest.trim();
    let low = trimmed.to_ascii_lowercase();
    let bare = low.trim_end_matches([':', '：', '.', ' ']);
    if trimmed.ends_with([':', '：']) {
        return Some(None);
    }
    let zh = ["以下", "下面", "如下", "下列"].iter().any(|h| trimmed.starts_with(h));
    let en = after(&low, words!["the following" "these" "those" "a few things" "some rules" "some things"])
        .is_some();
    if !zh && !en {
        return None;
    }
    let colon = trimmed.char_indices().find(|(_, c)| matches!(c, ':' | '：'));
    if let Some((at, c)) = colon
        && trimmed.get(..at).is_some_and(|head| head.chars().count() <= 40)
    {
        let first = strip_bullet(trimmed.get(at + c.len_utf8()..).unwrap_or_default().trim());
        return Some((!first.is_empty()).then(|| first.to_owned()));
    }
    let short = if zh { bare.chars().count() <= 6 } else { bare.split_whitespace().count() <= 3 };
    short.then_some(None)
}

/// The request in a sentence of English that does not begin with one.
pub(crate) fn english(text: &str) -> Option<Said> {
    let low = text.to_ascii_lowercase();
    if let Some(rest) = after(&low, STARTS) {
        let rest = text.get(text.len() - rest.len()..)?.trim_start_matches([':', ',', ' ', '-']);
        if let Some(first) = announced(rest) {
            return Some(Said::RememberNext(first));
        }
        return Some(if rest.is_empty() { Said::RememberNext(None) } else { Said::Found(remembered(rest)) });
    }
    // "don't forget we're on Java 11" states; "don't forget to push" orders.
    if let Some(rest) = after(&low, &["don't forget", "do not forget", "dont forget", "never forget"]) {
        let rest = text.get(text.len() - rest.len()..)?.trim_start_matches([':', ',', ' ', '-']);
        let stated = after(
            &rest.to_ascii_lowercase(),
            words!["we" "we're" "we've" "our" "i" "i'm" "that" "there" "this project" "this repo" "you"],
        )
        .is_some()
            || states(&rest.to_ascii_lowercase());
        if stated && rest.split_whitespace().count() >= 3 {
            return Some(Said::Found(remembered(rest.strip_prefix("that ").unwrap_or(rest))));
        }
    }
    let edges = [", ", "; ", " - ", " – ", " — ", ": ", ") ", " and ", " so ", " but ", "，", "；"];
    let mut starts: Vec<(usize, usize)> = edges
        .iter()
        .flat_map(|edge| low.match_indices(edge).map(|(at, found)| (at, at + found.len())))
        .collect();
    starts.sort_unstable();
    for (at, from) in starts {
        let tail = low.get(from..)?;
        let tail_low = ["and ", "so ", "but ", "please ", "just ", "also ", "then "]
            .iter()
            .fold(tail, |tail, word| tail.strip_prefix(word).unwrap_or(tail));
        if let Some(rest) = after(tail_low, TAILS) {
            let ends = rest.trim_start().is_empty()
                || rest.starts_with(['.', '!', ','])
                || after(rest.trim_start(), &["when", "for", "while", "if", "please", "from", "in", "as"])
                    .is_some();
            let head = text.get(..at)?.trim_end_matches([',', ' ', '.']);
            if ends && head.split_whitespace().count() >= 3 {
                return Some(Said::Found(remembered(head)));
            }
        }
        if let Some(rest) = after(tail_low, HEADS) {
            let rest = text.get(text.len() - rest.len()..)?.trim_start_matches([':', ',', ' ', '-']);
            if after(&rest.to_ascii_lowercase(), NOT_A_STATEMENT).is_none()
                && rest.split_whitespace().count() >= 3
                && !rest.ends_with(':')
            {
                return Some(Said::Found(remembered(rest)));
            }
            if let Some(first) = announced(rest) {
                return Some(Said::RememberNext(first));
            }
        }
    }
    None
}

/// Whether it has a verb that states.
fn states(low: &str) -> bool {
    [" is ", " are ", " was ", " uses ", " runs ", " has ", " needs ", " must "]
        .iter()
        .any(|v| low.contains(v))
}

const ZH_CUES: &[&str] = words![
    "记住了" "记住" "记一下" "记下来" "记下" "牢记" "记着" "记到待办" "加到待办" "加入待办" "加到记忆里" "加到记忆中"
    "加到记忆" "加入记忆" "存到记忆里" "存到记忆" "存进记忆" "写进记忆" "写到记忆里" "记到记忆里" "记到记忆" "記住" "記一下"
    "記下來"
];

/// What may stand between the edge of a clause and the request.
const ZH_BEFORE: &[&str] = words![
    "另外" "顺便" "顺带" "并且" "同时" "然后" "还要" "还有" "也要" "也" "请" "帮我" "你要" "你得" "你" "要" "得"
    "务必" "先" "一定" "一定要" "麻烦" "都" "给我" "再" "以后" "一并" "把这个" "把这点" "把这条" "把这些" "把它"
    "把下面这些" "把下面的" "把以下内容" "这个" "这点" "这条" "对了" "好" "好的" "嗯" "必须" "和" "就" "可以"
];

/// The request in a sentence of Chinese that does not begin with one.
pub(crate) fn chinese(text: &str) -> Option<Said> {
    if !has_han(text) {
        return None;
    }
    let mut found = ZH_CUES.iter().flat_map(|cue| text.match_indices(cue)).collect::<Vec<_>>();
    found.sort_by_key(|(at, cue)| (*at, usize::MAX - cue.len()));
    for (at, cue) in found {
        let before = text.get(..at)?;
        let edge = before.rfind(['，', ',', '：', ':', '；', '、', ' ', '。', '！']);
        let from =
            edge.map_or(0, |e| e + before.get(e..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8));
        let mut lead = before.get(from..)?;
        while let Some(rest) = ZH_BEFORE.iter().find_map(|w| lead.strip_prefix(w)) {
            lead = rest;
        }
        if !lead.is_empty() {
            continue;
        }
        let rest = text.get(at + cue.len()..)?;
        let rest = rest.trim_start_matches([
            '：', ':', '，', ',', ' ', '、', '。', '！', '!', '-', '—', '里', '哦', '啊',
        ]);
        let head = text.get(..from)?.trim_end_matches(['，', ',', '：', ':', '；', ' ', '、', '。']);
        let todo = cue.contains("待办");
        let asked = ["什么", "吗", "哪", "谁", "没有"].iter().any(|w| rest.contains(w))
            && rest.ends_with(['吗', '么', '了', '呢']);
        if asked
            || ["我的选择", "密码", "登录状态", "用户的选择", "上次的"]
                .iter()
                .any(|w| rest.starts_with(w) && rest.chars().count() <= 8)
        {
            continue;
        }
        let rest = ["这一点", "这点", "这个", "这件事", "下来", "这些"]
            .iter()
            .find_map(|w| {
                rest.strip_prefix(w).filter(|r| r.is_empty() || r.starts_with(['：', ':', '，', ',']))
            })
            .map_or(rest, |r| r.trim_start_matches(['：', ':', '，', ',', ' ']));
        let content = if rest.chars().count() >= 3 { rest } else { head };
        if let Some(first) = announced(rest) {
            return Some(Said::RememberNext(first));
        }
        if content.chars().count() < 3 {
            // "记住了" alone answers.
            return Some(if cue == "记住了" { Said::Nothing } else { Said::RememberNext(None) });
        }
        let mut found = remembered(content);
        if todo
            || (content == head && ["还没", "要把", "需要", "得把", "待"].iter().any(|w| content.contains(w)))
        {
            found = Match { kind: Kind::Todo, ..found };
        }
        return Some(Said::Found(found));
    }
    // "记得我们用的是 pnpm" states.
    let rest = ["记得", "别忘了", "不要忘了", "别忘记"].iter().find_map(|h| text.strip_prefix(h))?;
    let rest = rest.trim_start_matches(['，', ',', ' ', '：', ':']);
    let subject = ["我们", "咱们", "这个项目", "本项目", "线上", "生产", "测试环境", "项目"]
        .iter()
        .any(|s| rest.starts_with(s));
    let stated = ["用的是", "是", "在", "都", "只", "不"].iter().any(|v| rest.contains(v));
    (subject && stated).then(|| Said::Found(remembered(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_is_one_edit() {
        for word in ["remeber", "rememmber", "remembre", "remenber", "rmember"] {
            assert!(one_edit(word, "remember"), "{word}");
        }
        for word in ["remember", "member", "december", "rember", "remembering"] {
            assert!(!one_edit(word, "remember"), "{word}");
        }
        assert_eq!(mend_spelling("Please remeber: tags, é"), "Please remember: tags, é");
        assert_eq!(mend_spelling("it remembers"), "it remembers");
    }
}
