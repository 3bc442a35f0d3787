//! Finding, in Chinese and English, at once, in both channels.

use mem_engine::{Engine, Kind, Memory, Timestamp};
use mem_tests::{Numbers, Sandbox};

/// Memories in two languages that share characters with the queries, but are about other things.
fn others(project: &str, count: usize) -> Vec<Memory> {
    let mut numbers = Numbers::seeded(7);
    let mut pick =
        |words: &[&str]| words[usize::try_from(numbers.below(words.len() as u64)).unwrap()].to_owned();
    let now: Timestamp = "2026-11-01T00:00:00Z".parse().unwrap();
    let mut memories: Vec<Memory> = Vec::new();
    let mut n = 0;
    while memories.len() < count {
        n += 1;
        let body = if n % 2 == 0 {
            format!(
                "{}的{}要先{}再{}，第 {n} 号说明",
                pick(&["登录页", "交易系统", "提示框", "账单服务", "缓存层", "用户中心", "日志平台"]),
                pick(&["代码", "配置", "接口", "测试", "文档", "样式"]),
                pick(&["检查", "提高优先级", "交给小王", "校验格式", "实验一遍", "备份"]),
                pick(&["上线", "合并", "重启", "通知测试组", "写周报", "归档"]),
            )
        } else {
            format!(
                "The {} of the {} {} on {} (note {n})",
                pick(&["committee", "community page", "comment box", "pusher queue", "cache", "billing job"]),
                pick(&["portal", "ledger", "gateway", "mobile app", "crawler"]),
                pick(&["is reviewed", "is restarted", "fails slowly", "keeps its state", "is measured"]),
                pick(&["Mondays", "every release", "the egret host", "port 8080", "ARM machines"]),
            )
        };
        memories.push(
            Memory::new(Kind::ALL[n % Kind::ALL.len()], body, now).in_project(project.parse().unwrap()),
        );
    }
    memories
}

#[test]
fn a_rule_in_chinese_is_found_first_among_five_hundred() {
    let sandbox = Sandbox::new();
    let project = sandbox.project_id();
    let engine = Engine::builder(sandbox.home()).open().unwrap();
    engine.store().put(&others(&project, 500)).unwrap();
    engine.reindex().unwrap();
    drop(engine);
    let id = sandbox.remember("改完代码不主动提交，等用户验证确认后再 commit/push", &["--kind", "feedback"]);
    assert_eq!(sandbox.memories().len(), 501);
    for query in
        ["提交", "commit", "验证 push", "什么时候可以提交代码？", "Can I commit and push now?", "COMMIT"]
    {
        let found = sandbox.recall(query);
        assert_eq!(found.first(), Some(&id), "{query}");
        assert!(found.len() <= 5);
    }
}

#[test]
fn what_was_remembered_is_found_by_the_next_process_in_both_channels() {
    let sandbox = Sandbox::new();
    for n in 0..20 {
        let word = ["falcon", "青鸟", "osprey", "白鹭"][n % 4];
        let text = format!("The {word} relay number {n} listens on channel {}", 400 + n * 7);
        let id = sandbox.remember(&text, &[]);
        let answer = sandbox.mem(&["recall", &text, "--json"]).json();
        let hits = answer["hits"].as_array().unwrap();
        let hit = hits.iter().find(|hit| hit["id"] == id.as_str()).unwrap_or_else(|| panic!("{n}: {answer}"));
        assert_eq!(hits[0]["id"], id.as_str(), "{n}");
        for channel in ["bm25", "vector"] {
            assert_eq!(hit["channels"][channel]["rank"], 1, "{n} {channel}: {hit}");
        }
        assert_eq!(answer["degraded"], serde_json::json!([]), "{n}");
    }
}

#[test]
fn identifiers_accents_and_other_scripts_are_found() {
    let sandbox = Sandbox::new();
    let pairs = [
        ("parseHttpHeader drops the last byte", "http header"),
        ("MAX_RETRY_COUNT is read once at start", "retry count"),
        ("Fehlercode E0499 kommt von der Zuordnung", "E0499"),
        ("Le café déployé utilise crème brûlée", "cafe deploye"),
        ("コミットの前に必ずレビューを依頼する", "レビュー"),
        ("배포 전에 스모크 테스트를 실행한다", "스모크 테스트"),
        ("src/ledger/mod.rs 里有全部路由", "ledger/mod.rs"),
    ];
    let ids: Vec<String> = pairs.iter().map(|(text, _)| sandbox.remember(text, &[])).collect();
    for ((_, query), id) in pairs.iter().zip(&ids) {
        assert_eq!(sandbox.recall(query).first(), Some(id), "{query}");
    }
}

#[test]
fn what_replaces_an_older_statement_hides_it() {
    let sandbox = Sandbox::new();
    let old = sandbox.remember("The gateway listens on port 8080", &[]);
    let new = sandbox.remember("The gateway listens on port 9090", &[]);
    let _ = sandbox.mem(&["supersede", &old, &new]).ok();
    let answer = sandbox.mem(&["recall", "gateway port", "--json"]).json();
    let ids: Vec<&str> =
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [new.as_str()]);
    assert_eq!(answer["hits"][0]["marks"], serde_json::json!(["updated"]));
    let all = sandbox.mem(&["recall", "gateway port", "--all", "--json"]).json();
    assert!(all.to_string().contains(&format!("\"id\":\"{old}\"")), "{all}");
    let told = sandbox.prompt("s", "which port does the gateway listen on?");
    assert!(told.text().contains("9090") && !told.text().contains("8080"), "{}", told.text());
}
