//! Statements told by their features, requests anywhere in a prompt, and what must give nothing.

use super::tests::{one, said};
use super::*;

/// Worth keeping, and of which kind where only one is right.
const WORTH: &[(&str, Option<Kind>)] = &[
    ("Our payments worker reads from the queue billing.events", Some(Kind::Fact)),
    ("the reporting DB is a read replica at db-ro.internal:5432", Some(Kind::Fact)),
    ("Marta handles the App Store releases", Some(Kind::Fact)),
    ("We went with SQS over Kafka because nobody wants to run ZooKeeper", Some(Kind::Decision)),
    ("every public function needs a doc comment", Some(Kind::Feedback)),
    ("answer in French from now on", None),
    ("we never rebase shared branches", Some(Kind::Feedback)),
    ("Heads up: the sandbox tenant is acme-test-2", Some(Kind::Fact)),
    ("our minimum supported Rust version is 1.80", Some(Kind::Fact)),
    ("prod deploys are frozen on Fridays", None),
    ("don't add dependencies without asking", Some(Kind::Feedback)),
    ("please keep commit messages under 72 characters", Some(Kind::Feedback)),
    ("I'm a data engineer, new to Rust", Some(Kind::User)),
    ("call me Jo", Some(Kind::User)),
    ("We use tabs, never spaces", None),
    ("the integration tests need a running MinIO on port 9001", Some(Kind::Fact)),
    ("use httpx here, not requests", Some(Kind::Correction)),
    ("every PR needs a changelog entry", Some(Kind::Feedback)),
    ("Secrets live in Vault under kv/harbor", Some(Kind::Fact)),
    ("we've moved from CircleCI to GitHub Actions", Some(Kind::Decision)),
    ("金额统一用分存储，不要用浮点", None),
    ("我们后端是 Go 1.22，框架用 gin", Some(Kind::Fact)),
    ("预发环境的域名是 pre.shop.example", Some(Kind::Fact)),
    ("王磊负责网关，改动要找他评审", Some(Kind::Fact)),
    ("最终选了 ClickHouse，因为查询快", Some(Kind::Decision)),
    ("以后 commit message 都用英文", Some(Kind::Feedback)),
    ("不允许在循环里查数据库", Some(Kind::Feedback)),
    ("我是前端，后端的东西讲细一点", Some(Kind::User)),
    ("叫我小陈", Some(Kind::User)),
    ("接口必须带版本号，比如 /v1/orders", None),
    ("我们已经从 Vue 2 迁移到 Vue 3 了", Some(Kind::Decision)),
    ("缓存的 key 前缀是 mall:user:", Some(Kind::Fact)),
    ("所有金额字段都要校验非负", Some(Kind::Feedback)),
    ("别用 lombok，编译老出问题", None),
    ("回复用中文，代码注释用英文", None),
    ("CI 跑在自建的 runner 上，没有外网", Some(Kind::Fact)),
    ("上线前要把调试日志去掉", Some(Kind::Todo)),
    ("测试库每天凌晨 3 点会被重置", Some(Kind::Fact)),
    ("文件编码统一 UTF-8", None),
    ("这个项目只支持 PostgreSQL，不考虑 MySQL", None),
    ("The invoices service is written in Kotlin and lives in services/invoices", None),
    ("Dana is responsible for the billing webhooks", None),
    ("we picked Temporal since cron jobs kept getting lost", None),
    ("Database columns are snake_case, API fields camelCase", None),
    ("nobody may push to release/* except the release bot", None),
    ("our Slack alerts go to #harbor-oncall", None),
    ("we're stuck on Java 11 until the vendor upgrades", None),
    ("never return raw SQL errors to clients", None),
    ("I prefer tables over prose when comparing things", None),
    ("explain things briefly, I know Rust well", None),
    ("always ask before deleting files", None),
    ("the feature flags are in LaunchDarkly, project key harbor", None),
    ("our API returns errors as RFC 7807 problem documents", None),
    ("we don't mock the database in integration tests", None),
    ("use ripgrep instead of grep", None),
    ("use pathlib, not os.path", None),
    ("Don't use print for logging, use structlog", None),
    ("the mobile app must support Android 9", None),
    ("after the release we need to drop the legacy_users table", None),
    ("reply in Spanish please", None),
    ("we no longer support IE11", None),
    ("The default branch is trunk", None),
    ("release notes go into docs/releases, one file per version", None),
    ("I'm colour-blind, avoid red/green in charts", None),
    ("部署脚本在 ops/deploy.sh，只能从跳板机执行", None),
    ("日志必须带 traceId", None),
    ("这个项目的包管理用 pnpm", None),
    ("我们团队代码评审至少两个人通过", None),
    ("李娜是测试负责人", None),
    ("选了 Kafka 没选 RabbitMQ，因为要回放", None),
    ("以后新接口都放到 v2 下面", None),
    ("我不喜欢用 lombok", None),
    ("测试覆盖率要求 85% 以上", None),
    ("Redis 只做缓存，不做持久化", None),
    ("生产环境的域名是 api.harbor.example", None),
    ("提交前要跑 make lint", None),
    ("不要在循环里调接口", None),
    ("回答的时候直接给代码，少解释", None),
    ("我是后端，主要写 Java", None),
    ("MQ 换成 Pulsar 了，Kafka 那套下线", None),
];

/// Orders, reports, questions and talk.
const IDLE: &[&str] = &[
    "can you bump serde to 1.0.200 and rerun",
    "The migration 0042 failed halfway, can you look",
    "add retry with backoff to client.rs, 3 attempts",
    "I think the cache key is wrong",
    "the response is 200 but body is empty",
    "our login test fails on CI since yesterday",
    "here is the stack: foo.rs:42",
    "read src/main.rs and tell me what it does",
    "we have a bug in the invoice module",
    "use port 9000 for the demo server",
    "the test takes 40 seconds, make it faster",
    "it's not working on Node 18",
    "please implement the endpoint POST /orders with validation",
    "the function get_user is called twice",
    "I merged PR 42, please rebase",
    "let's start with the parser",
    "can we get rid of lodash",
    "the variable name is misleading",
    "everything is green now",
    "the docs are outdated, update docs/api.md",
    "rename UserDto to UserResponse in all files",
    "this is what I got: 404",
    "run npm run build and fix errors",
    "that's because we run out of memory",
    "we need a new column in users table",
    "ok next, the settings page",
    "the query is too slow, add an index on created_at",
    "change the timeout to 30 seconds",
    "set max_connections to 50",
    "the output of cargo test is below",
    "I've pushed the fix to main",
    "the PR has 3 comments, address them",
    "don't touch the tests, only fix the implementation",
    "we should probably extract this into a helper",
    "The app crashes when I open /settings",
    "what does the flag --no-verify do",
    "Make the button call api.submit()",
    "Write unit tests for parse_date, cover leap years",
    "deploy it to staging",
    "I'm getting ECONNREFUSED 127.0.0.1:5432",
    "the screenshot shows the old version 1.2",
    "looks good, but the error message is not user friendly",
    "Now implement step 2 of the plan in docs/plan.md",
    "the file is at /tmp/out.json, parse it",
    "my branch is feature/login, merge it into develop",
    "the log is in /tmp/run.log",
    "You forgot to update the README",
    "no, I want the second column",
    "I have added the file config.yaml, use it",
    "there are two bugs: the date is off by one and the total is wrong",
    "把登录接口的超时改成 5 秒",
    "这个 bug 是 v1.2 引入的",
    "接口返回 500，日志在 /tmp/a.log",
    "帮我看看 src/main.rs 第 42 行",
    "测试跑了 3 分钟，太慢了",
    "用 Python 写个脚本统计日志",
    "数据库里有 300 万条数据，查询慢",
    "我已经把代码推到 dev 分支了",
    "现在的版本是 1.2，升级到 1.3",
    "首页加载要 5 秒，优化一下",
    "用户表加个 email 字段，varchar(255)",
    "不用管测试，先把功能写完",
    "这个报错是什么意思",
    "按照 docs/plan.md 的第二步继续",
    "列表里有两条重复的数据",
    "接口文档在 docs/api.md，照着实现",
    "订单状态不对，应该是已支付",
    "把 utils.py 拆成三个文件",
    "都改完了吗",
    "前端传的是字符串，后端要的是数字，改后端",
    "新增一个字段 status，默认 0",
    "运行 npm test 看看结果",
    "你改错文件了",
    "刚才的提交撤回",
    "都删掉吧",
    "还有一个问题，导出的 csv 是乱码",
    "我在 10.0.0.3 上跑的时候报权限不足",
    "生成一份 markdown 文档，放在 docs 目录",
    "继续，别停",
    "为什么 CI 用的是 node 16",
    "bump the version to 2.3.1 and tag it",
    "the parser chokes on nested quotes, see tests/parse.rs",
    "please add logging to the retry loop",
    "I see a deadlock in worker.rs",
    "Could be a race in the pool",
    "the endpoint takes 4 seconds for 200 rows",
    "run the migrations against my local db",
    "extract the SQL into queries/orders.sql",
    "why is the diff so large",
    "the function parse() is in src/lib.rs",
    "our customer reported that invoices are empty",
    "I updated the .env, try again",
    "the fixture has 12 rows but we expect 13",
    "it's on port 3000 now",
    "rename Foo to Bar, also in docs",
    "looks like the lockfile is out of date",
    "I'd like to see a table of the results",
    "I want to understand how the scheduler works",
    "we have 3 failing tests in api/",
    "the tests pass locally but CI has python 3.9",
    "generate a migration that adds an index to orders.user_id",
    "there is a typo in line 12 of README.md",
    "what's our policy on unsafe code",
    "use the same approach as in user_service.py",
    "split this PR into two commits",
    "the log says \"connection must be closed\"",
    "give me the curl command for /health",
    "my editor shows an error in types.ts",
    "the class has too many methods",
    "put the helper in src/util.rs",
    "the image is 1.2 GB, can you shrink it",
    "I think we always had this bug",
    "the previous developer used jQuery everywhere",
    "the deploy took 20 minutes today",
    "we are close to the release so let's be careful",
    "Alex says the API is slow",
    "the company uses Jira but whatever",
    "the spec mentions a rate limit of 100",
    "I will be on holiday next week",
    "I have a meeting at 3, summarize where we are",
    "the branch has conflicts with main",
    "thanks, that fixed it, now the second issue",
    "check that every handler returns JSON",
    "make every test independent",
    "all tests must pass before you finish",
    "don't use recursion in this function",
    "do not change the signature of load()",
    "implement OAuth login with GitHub",
    "create a new crate mem-sync with a lib.rs",
    "刚刚的改动引起了内存泄漏",
    "给 orders 表建个索引",
    "帮我写个 Dockerfile，基于 node:20",
    "这个函数有 200 行，拆一下",
    "订单列表分页有问题，每页应该是 20 条",
    "我本地跑是好的，CI 上挂了",
    "把日志打到 /var/log/app.log",
    "登录页的标题改成「欢迎」",
    "线上有个用户反馈无法支付",
    "数据库连接池满了，看看怎么回事",
    "我想了解一下这个模块是怎么工作的",
    "需要支持分页和排序",
    "README 里的命令过期了",
    "这个类太大了",
    "测试用例里有个拼写错误",
    "昨天上线的版本有 bug",
    "每个测试都单独跑一遍",
    "所有接口都加上日志",
    "确保所有测试都通过",
    "用户输入为空时要给出提示",
    "生成 10 条测试数据",
    "现在部署到测试环境",
    "前面说的第二个问题也修一下",
    "接口返回的 total 是 0，应该是 12",
    "项目启动不了，端口被占用",
    "我们来写一下单元测试",
    "先把接口定义好，再写实现",
    "新需求：用户可以上传头像，最大 2MB",
    "他写的代码一般都没有测试",
];

#[test]
fn statements_are_told_from_talk() {
    let (mut active, mut waiting, mut kinds, mut of_kind) = (0usize, 0usize, 0usize, 0usize);
    for (text, kind) in WORTH {
        let found = said(text);
        let best = found.iter().max_by(|a, b| a.confidence.get().total_cmp(&b.confidence.get()));
        match best.map(|c| c.confidence.get()) {
            Some(sure) if sure >= 0.7 => active += 1,
            Some(sure) if sure >= 0.6 => waiting += 1,
            _ => println!("missed: {text}"),
        }
        if let (Some(best), Some(kind)) = (best, kind) {
            of_kind += 1;
            kinds += usize::from(best.kind == *kind);
        }
    }
    let (mut wrong, mut doubtful) = (0usize, 0usize);
    for text in IDLE {
        for candidate in said(text) {
            println!("false: {text:?} gave {candidate:?}");
            assert!(!candidate.global, "{text}");
            *if candidate.confidence.get() >= 0.7 { &mut wrong } else { &mut doubtful } += 1;
        }
    }
    let worth = WORTH.len() as f64;
    println!("active {active} of {worth}, waiting {waiting}; false {wrong} and {doubtful} of {}", IDLE.len());
    assert!(active as f64 / worth >= 0.8, "{active}");
    assert!((active + waiting) as f64 / worth >= 0.9, "{waiting}");
    assert!(active as f64 / (active + wrong) as f64 >= 0.95, "{wrong}");
    assert!(waiting as f64 / (waiting + doubtful) as f64 >= 0.6, "{doubtful}");
    assert!(kinds * 10 >= of_kind * 9, "{kinds} of {of_kind}");
}

fn asked(text: &str) -> Vec<String> {
    let found = said(text);
    assert!(found.iter().all(|c| c.explicit && c.confidence.get() > 0.9), "{text}: {found:#?}");
    found.into_iter().map(|c| c.text).collect()
}

#[test]
fn announced_lists_are_remembered_line_by_line() {
    let three = ["提交前跑 make lint", "不要动 ops 目录", "端口统一 9100"];
    assert_eq!(
        asked("记住以下几点：\n1. 提交前跑 make lint\n2. 不要动 ops 目录\n3. 端口统一 9100\n\n然后修登录"),
        three
    );
    assert_eq!(asked("记住下面这些：1. 提交前跑 make lint；2. 不要动 ops 目录；3. 端口统一 9100"), three);
    assert_eq!(
        asked(
            "Please remember the following:\n\n- builds need Docker. Start it first\n- port 8443 is taken\n\nNow go on."
        ),
        ["builds need Docker. Start it first", "port 8443 is taken"]
    );
    assert_eq!(
        asked("remember these rules:\n- no unwrap\n- no panics\nthen fix the login"),
        ["no unwrap", "no panics"]
    );
    assert_eq!(
        asked("remember:\n```\njust ship prod\n```\nis how we deploy"),
        ["`just ship prod` is how we deploy"]
    );
    let long = format!("remember:\n```\n{}```", "line\n".repeat(6));
    assert_eq!(said(&long), []);
    // Code without a request stays out.
    assert_eq!(said("```\nwe use port 9000 for the API\n```"), []);
}

#[test]
fn requests_are_heard_anywhere_and_misspelt() {
    for (text, kept) in [
        ("We're on Node 22.3, please keep that in mind when you add packages", "We're on Node 22.3"),
        ("Our CI has no network. Please remember that.", "Our CI has no network"),
        ("can you add paging? and remember we cap page size at 50", "we cap page size at 50"),
        ("don't forget we're on Java 17", "we're on Java 17"),
        ("Please note that the build needs Docker", "the build needs Docker"),
        ("Note: staging is wiped nightly", "staging is wiped nightly"),
        ("remeber this: hotfix branches are named fix/NNN", "hotfix branches are named fix/NNN"),
        ("导出修好了吗？顺便记住 DNS 的负责人是 Ivy", "DNS 的负责人是 Ivy"),
        ("修一下导出，另外记住我们时间都存 UTC", "我们时间都存 UTC"),
        ("把这个加到记忆里：构建要 JDK 21", "构建要 JDK 21"),
        ("记得我们用的是 bun", "我们用的是 bun"),
        ("压测报告还没写，先记着", "压测报告还没写"),
    ] {
        assert!(asked(text).iter().any(|c| c == kept), "{text}: {:?}", said(text));
    }
    assert_eq!(one("压测报告还没写，先记着").kind, Kind::Todo);
    assert_eq!(one("Note to self: ask Ben about the quota").kind, Kind::Todo);
    for text in [
        "the form should remember the choice of the user",
        "页面需要一个记住密码的复选框",
        "你记住什么了？",
        "I don't remember which port it was",
        "remember to be careful :)",
        "remember: the token is [REDACTED:github_token]",
        "记得跑一下测试",
    ] {
        assert_eq!(said(text), [], "{text}");
    }
}

#[test]
fn words_of_others_are_not_the_users() {
    for text in [
        "# GUIDE\nWe use tabs. Always run the linter before pushing.\n\nsummarize this page",
        "A client wrote: 'we use DB2 and never update'. how should I reply?",
        "Translate this: \"We decided to close the shop because rent went up\"",
        "润色一下：我们团队始终坚持质量第一",
        "需求：\n1. 用户必须实名才能发帖\n2. 标题不能超过 40 字\n请实现",
        "The linter says \"always use const\", how do I turn that off",
    ] {
        assert_eq!(said(text), [], "{text}");
    }
}

#[test]
fn one_prompt_holds_several_statements() {
    let found = said("另外，以后所有接口都要带 traceId；日志用 JSON 格式。错误码别写死。");
    assert_eq!(found.len(), 3, "{found:#?}");
    let found =
        said("Context: we use Keycloak for SSO. The callback URL is /sso/back. I prefer no new libraries.");
    let kinds: Vec<Kind> = found.iter().map(|c| c.kind).collect();
    assert_eq!(kinds, [Kind::Fact, Kind::Fact, Kind::User], "{found:#?}");
    for (text, kind) in [
        ("As agreed with Omar: feature flags instead of branches", Kind::Decision),
        ("商量好了，导出用异步任务", Kind::Decision),
        ("heads up: the orders table has soft deletes, filter on deleted_at", Kind::Fact),
        ("说了多少遍了，接口别用 GET 改数据，用 POST", Kind::Feedback),
    ] {
        assert_eq!(said(text).first().map(|c| c.kind), Some(kind), "{text}");
    }
}
