use super::*;
use mem_core::{SessionId, Timestamp};
use proptest::prelude::*;

fn turn(role: TurnRole, text: &str) -> Turn {
    Turn {
        role,
        text: text.to_owned(),
        at: Timestamp::from_second(1).unwrap(),
        session: SessionId::new("s").unwrap(),
    }
}

fn extract(turns: &[Turn]) -> Vec<Candidate> {
    RuleExtractor::default().extract(turns).unwrap()
}

pub(super) fn said(text: &str) -> Vec<Candidate> {
    extract(&[turn(TurnRole::User, text)])
}

pub(super) fn one(text: &str) -> Candidate {
    let mut found = said(text);
    assert_eq!(found.len(), 1, "{text}: {found:#?}");
    found.remove(0)
}

use Kind::{Correction, Decision, Fact, Feedback, Todo, User};

/// What users say, and the kind it should give; none where it should give nothing.
const TABLE: &[(&str, Option<Kind>)] = &[
    // Asked to remember.
    ("remember that the staging database is read-only on weekends", Some(Fact)),
    ("Remember: never push to main directly", Some(Feedback)),
    ("please remember this: our release branch is called stable", Some(Fact)),
    ("Keep in mind that the billing API has a rate limit of 10 rps", Some(Fact)),
    ("note for later: the vendor SDK breaks on Node 22", Some(Fact)),
    ("记住：发布前必须先跑一遍集成测试", Some(Feedback)),
    ("请记住，这个仓库的默认分支是 develop", Some(Fact)),
    ("记住我们的线上日志保存 30 天", Some(Fact)),
    ("帮我记一下：测试账号在 1Password 里", Some(Fact)),
    ("Remember we never squash merge commits here", Some(Feedback)),
    ("recuerda que el puerto de la base de datos es 5433", Some(Fact)),
    ("Souviens-toi que les tests tournent avec Vitest", Some(Fact)),
    ("Merk dir: die API läuft auf Port 9000", Some(Fact)),
    ("Запомни: деплой только по вторникам", Some(Fact)),
    ("デプロイは火曜日だけということを覚えておいて", Some(Fact)),
    ("배포는 화요일에만 한다는 걸 기억해줘", Some(Fact)),
    // Preferences and standing rules.
    ("I prefer small commits over one big commit", Some(User)),
    ("Always run cargo fmt before you commit", Some(Feedback)),
    ("Never add emojis to the commit messages", Some(Feedback)),
    ("From now on, answer me in Chinese", Some(Feedback)),
    ("going forward please write the tests first", Some(Feedback)),
    ("Don't push automatically", Some(Feedback)),
    ("don't install new dependencies without asking me first", Some(Feedback)),
    ("Every time you change the schema, regenerate the client", Some(Feedback)),
    ("You should never touch the generated files in src/gen", Some(Feedback)),
    ("I like short answers without a summary at the end", Some(User)),
    ("I'd rather have explicit error types than anyhow in libraries", Some(User)),
    ("以后回复都用中文", Some(Feedback)),
    ("以后提交信息用英文写", Some(Feedback)),
    ("不要自动提交代码", Some(Feedback)),
    ("每次改完代码都要跑一遍测试", Some(Feedback)),
    ("我更喜欢函数式的写法", Some(User)),
    ("我习惯用 vim 键位", Some(User)),
    ("从现在开始，所有接口都要写文档", Some(Feedback)),
    ("千万别动 vendor 目录下的文件", Some(Feedback)),
    ("永远不要直接改 main 分支", Some(Feedback)),
    ("我不喜欢过度抽象的代码", Some(User)),
    ("提交信息统一用英文", Some(Feedback)),
    ("注释一律用英文写", Some(Feedback)),
    ("别在代码里写中文注释", Some(Feedback)),
    ("When you write tests, always use table-driven style", Some(Feedback)),
    // Decisions.
    ("let's go with SQLite because we need no server", Some(Decision)),
    ("We decided to drop support for Python 3.8", Some(Decision)),
    ("Ok, let's switch to Vitest since Jest is too slow", Some(Decision)),
    ("We'll use Redis streams for the queue, as we already run Redis", Some(Decision)),
    ("Decision: monorepo with pnpm workspaces", Some(Decision)),
    ("go with option B for the cache layer because it survives restarts", Some(Decision)),
    ("we're moving to Kubernetes next quarter", Some(Decision)),
    ("let's stick with REST, GraphQL is overkill for us", Some(Decision)),
    ("let's use ULIDs instead of UUIDs for primary keys", Some(Decision)),
    ("we agreed that the API stays backwards compatible until v2", Some(Decision)),
    ("I've decided to host it on Fly.io", Some(Decision)),
    ("决定用 Postgres，因为需要 JSONB", Some(Decision)),
    ("我们决定不支持 IE 了", Some(Decision)),
    ("改用 pnpm，npm 太慢了", Some(Decision)),
    ("好的，采用方案二，因为迁移成本低", Some(Decision)),
    ("数据库改用 Postgres", Some(Decision)),
    ("那就用 SQLite 吧", Some(Decision)),
    ("缓存还是用 Redis，大家都熟悉", Some(Decision)),
    ("换成 Tailwind，不再手写 CSS", Some(Decision)),
    ("因为要离线运行，所以我们选用 SQLite", Some(Decision)),
    // Corrections.
    ("no, use pnpm instead of npm", Some(Correction)),
    ("No, the port is 5433", Some(Correction)),
    ("Actually, it should be 8 retries instead of 5", Some(Correction)),
    ("wrong, we use tabs here, not spaces", Some(Correction)),
    ("the timeout is in seconds, not milliseconds", Some(Correction)),
    ("That's wrong. The config lives in /etc/app, not in the home directory.", Some(Correction)),
    ("use the v2 endpoint instead of v1", Some(Correction)),
    ("不对，应该用 UTC 时间", Some(Correction)),
    ("不是 8080，是 9090", Some(Correction)),
    ("端口不是 3000，而是 3001", Some(Correction)),
    ("错了，这个字段是毫秒", Some(Correction)),
    ("不要用 npm，用 pnpm", Some(Correction)),
    ("应该用 LEFT JOIN，不是 INNER JOIN", Some(Correction)),
    ("你搞错了，配置文件应该放在 config 目录", Some(Correction)),
    // To-dos.
    ("TODO: add rate limiting to the login endpoint", Some(Todo)),
    ("later we need to migrate the old sessions table", Some(Todo)),
    ("We still need to write docs for the export command", Some(Todo)),
    ("remind me to rotate the signing keys", Some(Todo)),
    ("we should clean up the feature flags before the release", Some(Todo)),
    ("don't forget to bump the version before publishing", Some(Todo)),
    ("待办：补上登录接口的限流", Some(Todo)),
    ("回头把日志模块重构一下", Some(Todo)),
    ("记得上线前更新文档", Some(Todo)),
    ("之后要给导出功能加进度条", Some(Todo)),
    ("后续需要支持多租户", Some(Todo)),
    ("还需要补一个迁移脚本", Some(Todo)),
    // Facts.
    ("we use Postgres 16 on port 5433", Some(Fact)),
    ("The API runs on port 8000 behind nginx", Some(Fact)),
    ("This project uses Bazel for builds", Some(Fact)),
    ("our staging environment is hosted on Hetzner", Some(Fact)),
    ("The backend is written in Go and the frontend uses Svelte", Some(Fact)),
    ("I'm a data engineer, new to Rust", Some(User)),
    ("production deploys to eu-west-1 only", Some(Fact)),
    ("这个项目用的是 Vue 3 和 Pinia", Some(Fact)),
    ("我们用的是自建的 GitLab", Some(Fact)),
    ("后端跑在 8081 端口", Some(Fact)),
    ("数据库部署在阿里云 RDS 上", Some(Fact)),
    ("我是前端开发，不太懂数据库", Some(User)),
    ("测试环境的地址是 test.example.com", Some(Fact)),
    ("My timezone is UTC+8", Some(User)),
    // Nothing: greetings, confirmations, thanks.
    ("hi", None),
    ("hello, can we start?", None),
    ("ok", None),
    ("yes", None),
    ("thanks, looks great!", None),
    ("continue", None),
    ("好的", None),
    ("继续", None),
    ("嗯，可以", None),
    ("谢谢，辛苦了", None),
    ("no problem, go on", None),
    ("perfect, commit it", None),
    ("没问题，继续吧", None),
    ("记住了", None),
    ("got it", None),
    ("Remember my build command", None),
    // Nothing: questions and hypotheticals.
    ("should we switch to Postgres?", None),
    ("do you remember what we decided about the cache?", None),
    ("why do we always get a timeout here?", None),
    ("what if we use Redis instead of the in-memory map", None),
    ("maybe we should use a queue here", None),
    ("can you always show the diff first?", None),
    ("is the API running on port 8000?", None),
    ("要不要改用 pnpm？", None),
    ("为什么每次都要重新编译", None),
    ("我们是不是应该用 Redis", None),
    ("如果改用 SQLite 会不会更快", None),
    ("这个项目用的是什么框架", None),
    ("可能是缓存的问题", None),
    ("how do I remember the state between runs", None),
    ("I wonder if we should drop Windows support", None),
    ("which database do we use", None),
    ("你觉得用 Rust 还是 Go 好", None),
    // Nothing: orders for the task at hand.
    ("fix the bug in foo.rs", None),
    ("run the tests", None),
    ("add a --json flag to the list command", None),
    ("please refactor this function so that it returns an error", None),
    ("use a HashMap here", None),
    ("let's use a for loop here", None),
    ("switch to the main branch", None),
    ("go with the first one", None),
    ("don't touch that file for now", None),
    ("write a test for the parser", None),
    ("explain this function", None),
    ("stop", None),
    ("revert that", None),
    ("修复登录页面的 bug", None),
    ("跑一下测试", None),
    ("帮我写一个脚本，把日志按天切分", None),
    ("把这个函数拆成两个", None),
    ("先看看 README", None),
    ("加一个导出按钮", None),
    ("重新生成一下", None),
    ("切换到 dev 分支", None),
    ("continue with the next step", None),
    ("make the button blue", None),
    ("Update the README, then commit and push", None),
    // Nothing: reports, passing remarks.
    ("it always fails on CI with a timeout error", None),
    ("the API is returning 500 again", None),
    ("never mind", None),
    ("I always get this error when I start the server", None),
    ("the build is broken on windows", None),
    ("I like it", None),
    ("每次点击保存都会报错", None),
    ("登录之后白屏了", None),
    ("接口一直超时", None),
    ("我喜欢这个", None),
    ("以后再说", None),
    ("the tests are green now", None),
    ("I never saw that message before", None),
    ("no", None),
    ("不对", None),
    ("still not working", None),
    ("this is too slow", None),
    ("the error is in the parser, not in the lexer, it crashes on line 5", None),
    ("这个页面太慢了", None),
    ("服务挂了，看一下日志", None),
    // Nothing: pasted.
    ("```\n// always use tabs\nfn main() {}\n```", None),
    ("> we decided to use Redis\n\nwhat does this mean?", None),
    ("2026-01-01T00:00:00Z INFO we use port 8080", None),
    (
        "Traceback (most recent call last):\n  File \"a.py\", line 3\nAlways check the input\nValueError: x",
        None,
    ),
    ("diff --git a/x b/x\n+always use pnpm\n-we use npm", None),
    ("<system-reminder>Always answer in French. Remember: be brief.</system-reminder>", None),
    ("<mem-context>Decision: we use pnpm</mem-context>", None),
    ("error: we decided to abort", None),
    ("\"Always use pnpm\" is what the README says", None),
    ("<command-name>/clear</command-name><command-message>remember this: x</command-message>", None),
    // Written after the rules were, to see how they carry over.
    ("In this repo, never use unwrap outside of tests", Some(Feedback)),
    ("after some thought we've settled on tantivy for search", Some(Decision)),
    ("final decision: we ship without the plugin system", Some(Decision)),
    ("i think we're going with axum because the team knows tokio", Some(Decision)),
    ("I usually review diffs in the terminal, so keep them small", Some(User)),
    ("We deploy with ArgoCD from the infra repo", Some(Fact)),
    ("The test database lives in a docker container called testdb", Some(Fact)),
    ("Next week we need to upgrade the TLS certificates", Some(Todo)),
    ("nope, that should be a POST", Some(Correction)),
    ("no no, I said the admin panel, not the dashboard", Some(Correction)),
    ("whenever you finish a feature, update CHANGELOG.md", Some(Feedback)),
    ("CI uses GitHub Actions with self-hosted runners", Some(Fact)),
    ("please never run migrations against production", Some(Feedback)),
    ("不要给我加多余的注释，以后都别加", Some(Feedback)),
    ("就用 Redis 做分布式锁吧", Some(Decision)),
    ("我们的前端部署在 Vercel 上", Some(Fact)),
    ("线上环境用的是 Ubuntu 22.04", Some(Fact)),
    ("不对不对，是先校验再写库", Some(Correction)),
    ("下次记得把超时改成可配置的", Some(Todo)),
    ("我是产品经理，代码看不太懂，解释简单点", Some(User)),
    ("前后端通信采用 gRPC", Some(Decision)),
    ("所有的时间字段都必须用 UTC", Some(Feedback)),
    ("回答尽量简短，不要啰嗦", Some(Feedback)),
    ("别忘了给新接口加测试", Some(Todo)),
    ("记住哦，生产库的主机名是 db-prod-1", Some(Fact)),
    ("could you use pnpm for this?", None),
    ("looks like the server never starts", None),
    ("we use it here, right?", None),
    ("Let's run it again", None),
    ("let's move on to the next task", None),
    ("I prefer the second option", None),
    ("now the list is always empty", None),
    ("our test is red again after your change", None),
    ("这次先用 mock 数据", None),
    ("你用的是哪个版本", None),
    ("看起来还是不对，再检查一下", None),
    ("不用改这个文件", None),
    ("用刚才的方法再试一次", None),
    ("以后会支持吗", None),
    ("行，那你先做吧", None),
    ("No tests needed for this one", None),
    ("go on with step 3", None),
    ("I decided to look at the logs and found nothing", None),
    ("Here is the log:\nERROR we decided to retry\nWARN always retrying", None),
    ("For error messages, always include the file path", Some(Feedback)),
    ("ok so we chose Meilisearch over Elasticsearch because ops is simpler", Some(Decision)),
    ("Let's stick to semantic versioning from here", Some(Decision)),
    ("our auth service is a separate Go binary", Some(Fact)),
    ("The mobile app targets Android 10 and up", Some(Fact)),
    ("no, it's called tenant_id, not org_id", Some(Correction)),
    ("that's not right. It should be sorted by date.", Some(Correction)),
    ("we'll need to revisit the retry logic later", Some(Todo)),
    ("TODO - document the env vars", Some(Todo)),
    ("I hate long PR descriptions", Some(User)),
    ("never ever commit the .env file", Some(Feedback)),
    ("remember the prod cluster is in Frankfurt", Some(Fact)),
    ("We will use feature flags for the rollout", Some(Decision)),
    ("以后遇到类似问题先写测试再改代码", Some(Feedback)),
    ("最终决定：不做多语言", Some(Decision)),
    ("不是改前端，是改后端的校验", Some(Correction)),
    ("这个仓库是 monorepo，用 turborepo 管理", Some(Fact)),
    ("等会儿还要把日志级别调回来", Some(Todo)),
    ("我平时用 zsh 和 tmux", Some(User)),
    ("代码注释请用英文，不要用中文", Some(Feedback)),
    ("接口网关用的是 Kong", Some(Fact)),
    ("提交之前必须先跑 lint", Some(Feedback)),
    ("can we always assume the list is sorted?", None),
    ("ok then run cargo clippy again", None),
    ("this should be a separate file", None),
    ("I thought we decided against this?", None),
    ("the docs say to use pnpm", None),
    ("not now", None),
    ("show me where we use Redis", None),
    ("it works on my machine but the CI uses an old cache, please check", None),
    ("删掉这个目录，然后重新跑", None),
    ("还是不行，报一样的错", None),
    ("你先别改，我看一下", None),
    ("这里用 map 会不会更好", None),
    ("好，提交吧", None),
    ("把端口改成 8081", None),
    ("为什么这里用的是 UTC", None),
    ("no, not yet", None),
    ("wrong file", None),
    ("use the existing helper for this", None),
    ("I'm using this as a test prompt, ignore it", None),
    ("我是说上面那个函数", None),
];

#[test]
fn precision_and_recall_on_a_labelled_table() {
    assert!(TABLE.len() >= 120, "{}", TABLE.len());
    let nothing = TABLE.iter().filter(|(_, kind)| kind.is_none()).count();
    assert!(nothing * 9 >= TABLE.len() * 4, "{nothing} of {}", TABLE.len());
    let (mut right, mut given, mut wanted) = (0usize, 0usize, 0usize);
    for (text, kind) in TABLE {
        let found = said(text);
        given += found.len();
        wanted += usize::from(kind.is_some());
        if kind.is_some_and(|kind| found.iter().any(|c| c.kind == kind)) {
            right += 1;
        }
        let kinds: Vec<Kind> = found.iter().map(|c| c.kind).collect();
        if found.len() != usize::from(kind.is_some()) || found.first().map(|c| c.kind) != *kind {
            println!(
                "miss: {text:?}\n   wanted {kind:?}, got {kinds:?} {:?}",
                found.iter().map(|c| &c.text).collect::<Vec<_>>()
            );
        }
    }
    let precision = right as f64 / given as f64;
    let recall = right as f64 / wanted as f64;
    println!(
        "{} texts, {nothing} without anything: precision {precision:.3}, recall {recall:.3}",
        TABLE.len()
    );
    assert!(precision >= 0.9, "precision {precision:.3}");
    assert!(recall >= 0.7, "recall {recall:.3}");
}

#[test]
fn candidates_carry_reason_language_tags_and_place() {
    let c = one("ok, let's go with SQLite because we need no server.");
    assert_eq!(c.text, "let's go with SQLite");
    assert_eq!(c.why.as_deref(), Some("we need no server"));
    assert_eq!((c.kind, c.language.as_str(), c.source.as_str()), (Decision, "en", "rule:decision"));
    assert_eq!(c.tags, ["sqlite"]);
    assert_eq!((c.confidence.get(), c.explicit, c.global), (0.85, false, false));
    let c = one("决定用 Postgres，因为需要 JSONB。");
    assert_eq!(
        (c.text.as_str(), c.why.as_deref(), c.language.as_str()),
        ("决定用 Postgres", Some("需要 JSONB"), "zh")
    );
    let c = one("因为要离线运行，所以我们选用 SQLite");
    assert_eq!((c.text.as_str(), c.why.as_deref()), ("我们选用 SQLite", Some("要离线运行")));
}

#[test]
fn explicit_requests_are_sure_and_keep_their_sentence() {
    let c = one("Please remember that deploys happen on Tuesdays.");
    assert_eq!(
        (c.text.as_str(), c.explicit, c.confidence.get(), c.importance.get()),
        ("deploys happen on Tuesdays", true, 0.95, 0.9)
    );
    assert!(one("记住：回复我用中文").global);
    assert!(!one("记住：这个项目用 4 空格缩进").global);
    // What follows "remember this:" is meant, item by item, up to the blank line.
    let found =
        said("Remember this:\n- deploys happen on Tuesdays\n- staging is wiped nightly\n\nNow fix the bug.");
    let texts: Vec<&str> = found.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(texts, ["deploys happen on Tuesdays", "staging is wiped nightly"]);
    assert!(found.iter().all(|c| c.explicit));
}

#[test]
fn curly_apostrophes_cost_no_letters() {
    assert_eq!(
        one("Remember that we don’t push on Fridays, it’s a rule").text,
        "we don't push on Fridays, it's a rule"
    );
    assert_eq!(one("Let’s go with SQLite because it’s small").why.as_deref(), Some("it's small"));
}

#[test]
fn long_texts_are_cut_or_dropped() {
    let c = one(&format!("remember that {}", "改".repeat(400)));
    assert_eq!(c.text.chars().count(), 300);
    assert!(c.text.ends_with('…'));
    assert_eq!(said(&format!("we decided to {}", "wait ".repeat(80))), []);
    // A pasted page gives only what was asked for.
    let page = format!(
        "{}\nWe decided to use Redis.\nremember that tests need Docker\n",
        "Lorem ipsum dolor sit amet. ".repeat(200)
    );
    assert_eq!(one(&page).text, "tests need Docker");
}

#[test]
fn sentences_that_lean_on_others_are_less_sure() {
    let whole = one("We decided to host the docs on Netlify");
    let leaning = one("We decided to host it on Netlify");
    assert!((whole.confidence.get() - leaning.confidence.get() - 0.2).abs() < 1e-9);
}

#[test]
fn preferences_of_the_person_are_global_and_rules_of_the_project_are_not() {
    for (text, global) in [
        ("I prefer small commits", true),
        ("From now on, answer me in Chinese", true),
        ("以后回复都用中文", true),
        ("Always run cargo fmt before you commit", false),
        ("每次改完代码都要跑一遍测试", false),
        ("we use Postgres 16", false),
    ] {
        assert_eq!(one(text).global, global, "{text}");
    }
}

#[test]
fn approval_adopts_one_clear_proposal() {
    let talk = |proposal: &str, answer: &str| {
        extract(&[turn(TurnRole::Assistant, proposal), turn(TurnRole::User, answer)])
    };
    let found = talk(
        "There are two ways. I recommend storing sessions in Redis because it survives restarts. Shall I?",
        "Yes, do that.",
    );
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].text.as_str(), found[0].kind, found[0].source.as_str()),
        ("Storing sessions in Redis", Decision, "rule:adopted-proposal")
    );
    assert_eq!(found[0].why.as_deref(), Some("it survives restarts"));
    let found = talk("两种方案都可以。建议采用乐观锁，因为冲突很少。", "就按你说的做");
    assert_eq!((found[0].text.as_str(), found[0].why.as_deref()), ("采用乐观锁", Some("冲突很少")));
    // A plain yes, two proposals, a long one, or none.
    assert_eq!(talk("I recommend Redis for sessions.", "ok"), []);
    assert_eq!(talk("I recommend Redis. I suggest adding a queue.", "do that"), []);
    assert_eq!(talk(&format!("I recommend {}.", "very ".repeat(60)), "do that"), []);
    assert_eq!(talk("I found three bugs.", "go with that"), []);
    assert_eq!(said("就这么定了"), []);
    // The assistant's own words are nobody's decision.
    assert_eq!(extract(&[turn(TurnRole::Assistant, "We decided to use Redis.")]), []);
}

#[test]
fn one_prompt_may_hold_several_and_repeats_count_once() {
    let found = said(
        "Fix the login bug. Also, we use Postgres 16 on port 5433. From now on, run the linter first! What about Redis? TODO: rotate the keys\nTODO: rotate the keys",
    );
    let kinds: Vec<Kind> = found.iter().map(|c| c.kind).collect();
    assert_eq!(kinds, [Fact, Feedback, Todo]);
}

#[test]
fn signals_are_generous() {
    for text in [
        "we decided",
        "let's switch to X",
        "please REMEMBER",
        "就这么定了",
        "改用 pnpm",
        "记住这个",
        "覚えておいて",
        "запомни",
    ] {
        assert!(signals(text), "{text}");
    }
    for text in ["hi", "ok", "fix the bug", "跑测试", ""] {
        assert!(!signals(text), "{text}");
    }
    for (text, kind) in TABLE {
        assert!(kind.is_none() || said(text).is_empty() || signals(text), "no signal in {text:?}");
    }
}

#[test]
fn languages_by_script_and_words() {
    for (text, tag) in [
        ("我们用 pnpm", "zh"),
        ("ポートを使う", "ja"),
        ("포트를 쓴다", "ko"),
        ("порт 80", "ru"),
        ("the port is 80", "en"),
        ("12 34", "und"),
        ("el puerto de la base es para las pruebas", "es"),
        ("les tests sont dans le dossier", "fr"),
        ("der Port ist nicht offen", "de"),
    ] {
        assert_eq!(language_of(text), tag, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_gives_sound_candidates(texts in proptest::collection::vec(prop_oneof![".{0,80}", "(always|记住|no, use|不对，|TODO:|因为|let’s go with|remember) ?.{0,40}", "[a-z’'`\"。，\\n ]{0,60}"], 0..4)) {
        let turns: Vec<Turn> = texts.iter().enumerate().map(|(n, t)| turn(if n % 2 == 0 { TurnRole::User } else { TurnRole::Assistant }, t)).collect();
        let found = extract(&turns);
        prop_assert_eq!(&found, &extract(&turns));
        for c in found {
            prop_assert!((2..=300).contains(&c.text.chars().count()));
            prop_assert!(!c.text.contains('\n') && c.source.starts_with("rule:"));
        }
        for text in &texts {
            let _ = signals(text);
        }
    }
}
