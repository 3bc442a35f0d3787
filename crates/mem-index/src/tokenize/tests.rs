use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn texts(text: &str, mode: Mode) -> Vec<String> {
    tokenize(text, mode).into_iter().map(|token| token.text).collect()
}

fn set(text: &str) -> BTreeSet<String> {
    texts(text, Mode::Document).into_iter().collect()
}

#[track_caller]
fn gives(text: &str, expected: &[&str]) {
    assert_eq!(texts(text, Mode::Document), expected, "{text}");
}

#[test]
fn identifiers_give_themselves_joined_and_their_parts() {
    gives("HTTPServer", &["httpserver", "http", "server"]);
    gives("text_index", &["textindex", "text", "index"]);
    gives("TextIndex", &["textindex", "text", "index"]);
    gives("--no-verify", &["noverify", "noverifi", "no", "verifi"]);
    gives("getURLs", &["geturls", "geturl", "get", "url"]);
    gives("ERR_MODULE_NOT_FOUND", &["errmodulenotfound", "err", "modul", "not", "found"]);
    gives("E0308", &["e0308"]);
    gives("TS2345", &["ts2345", "ts", "2345"]);
    gives("utf8", &["utf8", "utf"]);
    gives("UTF-8", &["utf8", "utf", "8"]);
    gives("C++", &["c++"]);
    gives("C#", &["c#"]);
    gives("#1234", &["1234"]);
    gives("GitHub", &["github", "git", "hub"]);
}

#[test]
fn an_identifier_is_found_by_its_plain_spelling() {
    for (identifier, plain) in
        [("PowerShell", "powershell"), ("getUsers", "getusers"), ("pre-commit", "precommit")]
    {
        let found = set(identifier);
        let asked: Vec<String> = tokenize(plain, Mode::Query).into_iter().map(|token| token.text).collect();
        assert!(
            asked.iter().all(|token| found.contains(token.as_str())),
            "{identifier}: {asked:?} in {found:?}"
        );
    }
}

#[test]
fn paths_and_names_are_found_by_any_part() {
    gives("src/hooks/mod.rs", &["src/hooks/mod.rs", "hooks/mod.rs", "src", "hook", "mod.rs", "mod", "rs"]);
    gives(r"C:\a\b.ts", &["c/a/b.ts", "a/b.ts", "c", "a", "b.ts", "b", "ts"]);
    gives("std::fs::read", &["std::fs::read", "fs::read", "std", "fs", "read"]);
    gives("node.js", &["node.js", "nodejs", "node", "js"]);
    let line = set("src/lib.rs:42");
    assert!(line.contains("src/lib.rs") && line.contains("42"), "{line:?}");
    let url = set("https://example.com/Docs/API?x=1");
    assert!(url.contains("example.com/docs/api") && url.contains("example.com"), "{url:?}");
    let mail = set("jane.doe@example.org");
    assert!(
        ["jane.doe@example.org", "jane", "doe", "example.org"].iter().all(|t| mail.contains(*t)),
        "{mail:?}"
    );
}

#[test]
fn versions_and_hashes_give_shorter_forms() {
    gives("v1.2.3", &["v1.2.3", "1.2.3", "1.2"]);
    gives("3.11", &["3.11"]);
    gives("a1b2c3d4e5f6", &["a1b2c3d4e5f6", "a1b2c3d"]);
    assert!(set("1.2.3-rc.1").contains("1.2.3-rc.1"));
}

#[test]
fn words_are_folded_and_stemmed() {
    gives("Café", &["cafe"]);
    gives("Cafe\u{301}", &["cafe"]);
    gives("Straße ΣΊΣΥΦΟΣ Ёлка йод", &["strass", "σισυφοσ", "елка", "йод"]);
    gives("ＨＴＴＰ", &["http"]);
    gives("committing commits committed", &["commit", "commit", "commit"]);
    gives("user's don't l'index", &["user", "dont", "index"]);
}

#[test]
fn cjk_gives_pairs_and_characters() {
    gives("提交代码", &["提交", "提", "交代", "交", "代码", "代", "码"]);
    assert_eq!(texts("提交代码", Mode::Query), ["提交", "交代", "代码"]);
    assert_eq!(texts("锁", Mode::Query), ["锁"]);
    assert_eq!(texts("再 commit/push", Mode::Query), ["再", "commit/push", "commit", "push"]);
    assert_eq!(texts("データベース", Mode::Query).len(), 5);
    assert_eq!(texts("ﾃﾞｰﾀ", Mode::Query), texts("データ", Mode::Query));
    assert_eq!(texts("데이터베이스 연결", Mode::Query), ["데이", "이터", "터베", "베이", "이스", "연결"]);
    assert_eq!(texts("한", Mode::Query), ["한"]);
    assert_eq!(texts("\u{1112}\u{1161}\u{11AB}", Mode::Query), ["한"]);
}

#[test]
fn scripts_without_spaces_give_pairs() {
    let thai = texts("ฐานข้อมูล", Mode::Query);
    assert!(thai.len() >= 4, "{thai:?}");
    assert!(texts("ข้อมูล", Mode::Query).iter().all(|pair| thai.contains(pair)));
}

#[test]
fn a_question_loses_function_words_unless_it_has_nothing_else() {
    assert_eq!(texts("how do we run the tests?", Mode::Query), ["run", "test"]);
    assert_eq!(texts("the who", Mode::Query), ["the", "who"]);
    assert!(tokenize("我的什么", Mode::Query).iter().all(|token| token.kind == TokenKind::Weak));
    assert!(texts("", Mode::Query).is_empty() && texts(" …?!", Mode::Document).is_empty());
}

#[test]
fn parts_share_the_position_of_their_whole() {
    let tokens = tokenize("run HTTPServer now", Mode::Document);
    let positions: Vec<_> = tokens.iter().map(|token| (token.text.as_str(), token.position)).collect();
    assert_eq!(positions, [("run", 0), ("httpserver", 1), ("http", 1), ("server", 1), ("now", 2)]);
    assert_eq!(&"run HTTPServer now"[tokens[3].start..tokens[3].end], "Server");
}

#[test]
fn hostile_texts_give_little() {
    let word = "x".repeat(1 << 20);
    assert_eq!(tokenize(&word, Mode::Document).len(), 1);
    assert!(tokenize(&"aB".repeat(1 << 19), Mode::Document).len() <= 20);
    assert!(tokenize(&"a.".repeat(1 << 19), Mode::Document).len() <= MAX_TOKENS);
    assert!(tokenize(&"改".repeat(1 << 18), Mode::Document).len() <= MAX_TOKENS);
    assert!(tokenize(&"\u{301}".repeat(1 << 18), Mode::Document).is_empty());
    let zalgo = format!("a{}", "\u{301}".repeat(1000));
    assert_eq!(texts(&zalgo, Mode::Document), ["a"]);
    assert!(tokenize(&"\u{FDFA}".repeat(100), Mode::Document).iter().all(|t| t.text.chars().count() <= 64));
}

proptest! {
    #[test]
    fn any_text_gives_valid_bounded_tokens(text in "\\PC{0,80}|([a-zA-Z0-9_./:@#+'改提ー가é\\\\ -]){0,120}") {
        for mode in [Mode::Document, Mode::Query] {
            let tokens = tokenize(&text, mode);
            prop_assert!(tokens.len() <= MAX_TOKENS);
            let mut position = 0;
            for token in &tokens {
                prop_assert!(token.start < token.end);
                prop_assert!(text.get(token.start..token.end).is_some(), "{token:?}");
                prop_assert!(!token.text.is_empty() && token.text.chars().count() <= MAX_TOKEN_CHARS);
                prop_assert!(token.position >= position);
                position = token.position;
            }
        }
    }

    #[test]
    fn a_question_asks_only_for_what_its_own_text_would_hold(text in "([a-zA-Z0-9_./提交代码é ]){0,60}") {
        let document: BTreeSet<_> = tokenize(&text, Mode::Document).into_iter().map(|t| t.text).collect();
        for token in tokenize(&text, Mode::Query) {
            prop_assert!(document.contains(&token.text), "{token:?}");
        }
    }

    #[test]
    fn case_does_not_matter_in_plain_words(word in "[a-z]{1,12}") {
        prop_assert_eq!(texts(&word, Mode::Document), texts(&word.to_uppercase(), Mode::Document));
    }
}
