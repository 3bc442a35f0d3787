//! Statements told by the features of a whole sentence, where no anchored rule matched.

use super::english::word_in;
use super::text::{Sentence, after, has_han, language_of, skip_filler};
use super::{Match, Said, Strength, chinese, english, english_words, gate, tags};
use mem_core::Kind;

/// Words before a statement that say nothing of it.
const LEADS: &[&str] = words![
    "heads up" "fyi" "one thing before we start" "one thing" "one more thing" "also" "context" "background"
    "note" "you keep forgetting" "you forgot again" "as i said" "as i told you" "how many times"
    "that's not how we do it here" "that's not how we do it" "for context" "quick note" "just so you know"
    "as agreed yesterday" "ok final answer" "final answer" "after the outage" "after the meeting" "important"
    "by the way" "btw" "note that" "please note that" "reminder" "update" "small thing" "ok so after the outage"
    "说了多少遍了" "说过多少遍了" "说过多少次了" "你又忘了" "你又忘记了" "上次会议定的" "上次说了" "会上定的" "之前讨论过了" "提醒你一下"
    "补充一下" "补充" "另外" "还有" "背景" "说明一下" "对了" "顺便说一下" "顺便" "注意" "我说过" "再说一遍" "再强调一遍"
];

/// The text without its lead-ins.
pub(crate) fn without_lead(text: &str) -> &str {
    skip_filler(text, LEADS)
}

pub(crate) fn classify(sentence: &Sentence) -> Said {
    let straight = sentence.text.replace('’', "'");
    let text = without_lead(straight.trim());
    if gate::hinders(&Sentence::alone(text)) {
        return Said::Nothing;
    }
    // The words below are English and Chinese.
    if !matches!(language_of(text), "en" | "zh") {
        return Said::Nothing;
    }
    let found = if has_han(text) { of_chinese(text) } else { of_english(text) };
    found.unwrap_or(Said::Nothing)
}

/// Whether a later clause orders something done: "the docs are outdated, update them".
fn ends_in_order(low: &str) -> bool {
    const DONE_NOW: &[&str] = words![
        "add" "update" "make" "fix" "use it" "use that" "use them" "merge" "parse" "address" "change" "remove" "delete"
        "rename" "move" "look" "check" "rebase" "read" "run" "try" "please" "can you" "could you" "split" "look into"
        "find" "open" "see" "start" "only fix" "convert" "refactor" "implement" "help"
    ];
    !word_in(low, &["always", "never", "every", "don't", "before"])
        && [", ", "; ", " - ", " and then "].iter().any(|edge| {
            low.match_indices(edge).any(|(at, edge)| {
                low.get(at + edge.len()..)
                    .is_some_and(|rest| after(rest.trim_start_matches("so "), DONE_NOW).is_some())
            })
        })
}

/// Things of the moment, of which no fact is told.
const MOMENT_EN: &[&str] = words![
    "here is" "here's" "here are" "the response" "the output" "the screenshot" "the pr" "my branch" "the file is at"
    "the log is" "the error" "the query" "the stack trace" "the test takes" "these" "those" "now" "so" "then" "next"
    "the diff" "my code" "your" "the current" "we need" "the result" "the variable" "imagine"
];
const MOMENT_ZH: &[&str] = words![
    "接口返回" "返回了" "日志在 /tmp" "现在" "刚" "这个 bug" "这个bug" "用户表加" "按照" "照着" "列表里" "我已经" "我在" "首页" "订单状态"
    "数据库里有" "前端传的" "后端要的" "查询慢" "升级到" "优化" "乱码" "/tmp/" "改后端" "改前端" "改一下" "处理一下" "帮我"
];

/// Whether it has a value: a port, a version, a path, an address, an identifier.
pub(crate) fn has_value(text: &str) -> bool {
    let ascii =
        text.split(|c: char| c.is_whitespace() || !c.is_ascii() || matches!(c, ',' | '(' | ')' | '"'));
    ascii.map(|w| w.trim_matches(['.', ':', ';', '!', '\''])).any(|word| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let letters = word.chars().any(|c| c.is_ascii_alphabetic());
        let joined = word.contains(['/', '_', '\\', '`'])
            || word.get(1..).is_some_and(|w| w.contains(['.', ':', '-']));
        digits >= 2
            || digits >= 1 && (letters || joined || word.len() == 1)
            || word.len() >= 3 && letters && word.contains(['/', '_', '\\', '`', '@'])
            || word.ends_with('-') && word.len() >= 3
    })
}

fn of_english(text: &str) -> Option<Said> {
    use english::{found, split_why};
    let text = skip_filler(text, english_words::FILLER);
    let low = text.to_ascii_lowercase();
    let words = low.split_whitespace().count();
    if words < 3 || after(&low, english_words::INTERROGATIVE).is_some() || word_in(&low, english_words::DOUBT)
    {
        return (words == 3 && after(&low, &["call me"]).is_some())
            .then(|| found("about-user", Kind::User, text, Strength::Strong))
            .or_else(|| {
                after(&low, &["call me"])
                    .filter(|r| !r.trim().is_empty() && words <= 3)
                    .map(|_| found("about-user", Kind::User, text, Strength::Strong))
            });
    }
    let has = |list: &[&str]| word_in(&low, list);
    let starts = |list: &[&str]| after(&low, list).is_some();
    let trouble = has(english_words::TROUBLE) || has(gate::REPORT_EN) || has(&["unless it", "didn't work"]);
    let conditional = has(&["if we", "if you", "if i", "in case"]);
    // The person.
    if starts(words!["call me" "address me as"]) && words <= 5 && !has(&["when", "back", "later", "if"]) {
        return Some(found("about-user", Kind::User, text, Strength::Strong));
    }
    if starts(
        words!["answer me" "please answer" "answer" "reply" "please reply" "respond" "talk to me" "speak" "write to me" "keep answers" "please keep answers" "keep your answers" "keep the answers"],
    ) && has(
        words!["in german" "in english" "in chinese" "in french" "in spanish" "in japanese" "in korean" "in russian" "in italian" "in portuguese" "from now on" "short" "shorter" "brief" "concise" "under" "lines"],
    ) {
        return Some(global(found("answers", Kind::Feedback, text, Strength::Strong)));
    }
    if !trouble
        && (starts(
            words!["i use" "i work on" "i work with" "i work in" "i'm on" "i speak" "i don't speak" "i read" "i'm left-handed" "i write mostly" "i mostly write" "my shell is" "my editor is" "my laptop" "my machine is" "i'm colour-blind" "i'm colorblind" "i have little experience" "i'm a" "i'm an" "i am a" "i am an" "i am left with"],
        ))
        && !has(words!["it" "this" "that" "them" "bit lost" "lost" "tired" "confused" "these" "lunch"])
        && (!has(&["bit"]) || has(&["dev", "developer", "engineer", "beginner"]))
        && words >= 4
    {
        return Some(found("about-user", Kind::User, text, Strength::Strong));
    }
    if starts(&["i'd like", "i want"]) && has(&["always", "never", "every time"]) && !trouble {
        return Some(found("preference", Kind::Feedback, text, Strength::Strong));
    }
    // Open work.
    if has(&["remind me to", "remind me"]) {
        return Some(found("todo", Kind::Todo, text, Strength::Strong));
    }
    if starts(&["todo(", "we still owe", "i still owe", "still to do", "left to do"])
        || low.starts_with("todo")
    {
        let body =
            text.split_once(':').filter(|_| low.starts_with("todo")).map_or(text, |(_, rest)| rest.trim());
        return Some(found("todo", Kind::Todo, body, Strength::Strong));
    }
    if trouble && !has(&["always", "means", "never", "known"]) || conditional && !has(&["always", "never"]) {
        return None;
    }
    // Decisions.
    let decided = has(words![
        "we went with" "we picked" "we chose" "we settled on" "we've settled on" "we've decided" "we decided"
        "we've agreed" "we agreed" "we've chosen" "we opted for" "the team voted" "the team decided"
        "we bumped" "we vendored" "we switched from" "we switched to" "we moved from" "we moved to"
        "we migrated" "we replaced" "we dropped" "we won't support" "we will not support" "we won't use"
        "we no longer" "we've moved" "we've switched" "we've dropped" "we've replaced" "i've changed my mind" "i changed my mind" "changed my mind" "has been decided"
        "was decided" "is final" "it's going to be" "we are standardizing on" "we're standardizing on"
    ]) || starts(
        words!["as agreed" "final answer" "back to" "go back to" "no wait, we decided" "going back to"],
    ) && words >= 4
        || starts(&["let's settle on", "let's go back to", "switch back to"])
        || raw_final(text);
    if decided && words >= 4 {
        return Some(found("decision", Kind::Decision, text, Strength::Strong));
    }
    // People and what they answer for.
    let first = text.split_whitespace().next().unwrap_or_default();
    let name = first.chars().next().is_some_and(|c| c.is_uppercase())
        && first.chars().skip(1).all(|c| c.is_lowercase())
        && !matches!(
            first,
            "The"
                | "This"
                | "That"
                | "It"
                | "He"
                | "She"
                | "They"
                | "There"
                | "You"
                | "We"
                | "I"
                | "What"
                | "Who"
                | "Someone"
        );
    let early = low.split_whitespace().take(8).collect::<Vec<_>>().join(" ");
    if name
        && word_in(
            &early,
            words!["owns" "manages" "maintains" "handles" "is responsible for" "is the contact" "is our contact" "is in charge of" "is the owner" "approves" "takes care of" "is the one" "knows the"],
        )
        && !has(&["likes", "wants", "thinks"])
    {
        return Some(found("person", Kind::Fact, text, Strength::Strong));
    }
    // Rules.
    let order = after(&low, english_words::ORDERS).is_some();
    let moment = ends_in_order(&low)
        || starts(MOMENT_EN)
        || low.contains("/tmp/")
        || has(&["outdated", "too slow", "below", "attached", "warning", "expected", "never mind"]);
    let every = starts(&["every", "each", "all"])
        && has(&["needs", "need", "has to", "have to", "must", "gets", "goes through", "should"]);
    let hard = has(words![
        "must never" "must not" "must stay" "has to be" "have to be" "hard rule" "not allowed" "don't ever"
        "dont ever" "do not ever" "no more than" "should never" "should always" "never from" "never call"
        "never edit" "under no circumstances" "at all times" "are forbidden" "is forbidden" "unless i ask"
        "unless i say so" "do not touch" "only ever" "may not" "is mandatory" "are mandatory"
    ]) || low.ends_with(", always")
        || low.ends_with(", ever")
        || low.ends_with(", never")
        || low.contains(", always") && !order
        || low.contains(" never ") && !order && !low.starts_with("i ") && !has(&["i've never", "i never"]);
    if every
        || hard
            && (!order
                || low.starts_with("don't")
                || low.starts_with("do not")
                || has(&["don't ever", "dont ever", "unless i", "touch"])
                || low.ends_with("always")
                || low.ends_with("ever"))
    {
        return Some(found("standing-rule", Kind::Feedback, text, Strength::Strong));
    }
    if starts(words!["please stop" "stop"])
        && low.split_whitespace().any(|w| w.len() > 4 && (w.ends_with("ing")))
        && words >= 3
        && !has(&["it", "that", "this", "the server"])
    {
        return Some(found("standing-ban", Kind::Feedback, text, Strength::Strong));
    }
    if let Some(rest) = after(&low, words!["don't" "do not" "dont" "please don't"]) {
        let mut rest = rest.split_whitespace();
        let verb = rest.next().unwrap_or_default();
        let object = rest.next().unwrap_or_default();
        let general = matches!(
            verb,
            "add"
                | "use"
                | "touch"
                | "explain"
                | "write"
                | "create"
                | "import"
                | "mock"
                | "commit"
                | "put"
                | "log"
                | "reformat"
                | "format"
                | "repeat"
                | "include"
                | "generate"
                | "introduce"
                | "catch"
                | "leave"
                | "store"
        );
        let plural =
            object.len() >= 4 && object.ends_with('s') && !matches!(object, "this" | "the" | "tests")
                || object == "what";
        if general && plural {
            return Some(found("standing-ban", Kind::Feedback, text, Strength::Fair));
        }
        return (general && words >= 6 && !low.contains("only fix") && !has(&["it", "that one"]))
            .then(|| found("maybe-rule", Kind::Feedback, text, Strength::Weak));
    }
    if starts(&["prefer"]) && has(&["over", "to", "instead of", "rather than"])
        || starts(
            words!["keep the comments" "please keep commit messages" "keep commit messages" "keep comments" "keep functions" "keep lines" "keep commits" "keep tests"],
        )
        || starts(&[
            "for this repo",
            "for this project",
            "in this repo",
            "in this project",
            "in this codebase",
            "in our team",
            "in our repo",
        ]) && words >= 4
            && !has(&["can", "where", "want", "need to"])
        || starts(&[
            "when you write",
            "when you add",
            "when you change",
            "when you commit",
            "when you edit",
            "whenever you",
            "if you write",
        ]) && low.contains(',')
            && !has(&["done", "finished", "ready", "back", "tell me", "start"])
        || starts(&[
            "you should use",
            "you should write",
            "you must",
            "we must",
            "we always",
            "we never",
            "we only",
            "we don't",
            "we do not",
        ]) && words >= 4
            && !has(&["have time", "know", "it", "now"])
        || starts(&[
            "commit messages",
            "branches",
            "branch names",
            "commits",
            "test names",
            "prs",
            "tests",
            "comments",
            "pull requests",
            "migrations",
            "releases",
        ]) && has(&["follow", "are", "should", "go", "need", "start with", "get"])
            && !has(&["red", "green", "old", "slow"])
    {
        return Some(found("convention", Kind::Feedback, text, Strength::Fair));
    }
    // "use yarn here, not npm": technical names on a side.
    let pair = low.contains(" not ")
        || low.contains(" instead of ")
        || low.contains(" rather than ")
        || low.contains(", never ");
    if pair
        && starts(&["use", "please use", "it's", "you should use", "we use"])
        && (tags::technical(text) >= 1 || has(&["here"]) && words <= 6)
    {
        return Some(found("correction-pair", Kind::Correction, text, Strength::Strong));
    }
    // Facts with a value or a known thing.
    let subject = starts(
        words!["it" "this" "that" "you" "i" "there" "they" "he" "she" "yes" "no" "looks" "what" "make" "maybe" "try" "the function" "the method" "the diff" "now"],
    );
    let states = has(words![
        "is" "are" "runs on" "lives in" "live in" "listens on" "located" "called" "named" "means" "expires" "prefixed"
        "uses" "use" "runs" "run" "has" "have" "was removed" "requires" "require" "needs" "need" "takes" "allows"
        "supports" "points to" "ends" "happens" "happen" "stays" "cap" "breaks on" "goes to" "goes through"
    ]) || low.contains(": ") && has_value(text);
    if moment {
        return None;
    }
    if !order
        && !subject
        && states
        && !has(words!["should" "please" "want" "going to" "line" "update them" "so make" "first" "leave in"])
        && words >= 4
    {
        let ours = starts(words!["our" "we" "we're" "we've" "the prod" "the staging" "production" "prod"]);
        let names = tags::technical(text);
        let valued = has_value(text);
        if valued
            && (names >= 1
                || ours
                || low.starts_with("the ")
                || low.starts_with("error ")
                || first.chars().all(|c| c.is_ascii_uppercase()))
            || ours && names >= 1
            || split_why(text).1.is_some() && ours
        {
            return Some(found("fact", Kind::Fact, text, Strength::Fair));
        }
        if valued {
            return Some(found("fact", Kind::Fact, text, Strength::Fair));
        }
    }
    // What declares and names something, yet proves nothing.
    let pronoun = has(&["it", "that", "this", "you", "them", "i'm", "i have", "i need", "me"]);
    let cue = has(
        words!["our" "we" "team" "not" "never" "always" "only" "must" "by" "prefer" "every" "no" "use" "keep"],
    ) || has_value(text)
        || tags::technical(text) >= 1;
    let declares = !order
        && !pronoun
        && !subject
        && words >= 4
        && !has(&["should", "please", "want", "today", "just", "went"]);
    (declares && cue).then(|| found("maybe", Kind::Fact, text, Strength::Weak))
}

fn raw_final(text: &str) -> bool {
    let low = text.to_ascii_lowercase();
    low.ends_with(" final") || low.ends_with("that's final")
}

fn global(said: Said) -> Said {
    match said {
        Said::Found(found) => Said::Found(Match { global: true, ..found }),
        said => said,
    }
}

const ORDER_HEADS_ZH: &[&str] = words![
    "帮" "请帮" "写" "加" "把" "改成" "改回" "继续" "停" "运行" "跑" "实现" "重构" "生成" "看" "删" "好" "解释" "测" "给我" "修" "换个"
    "查" "搜" "检查" "优化" "新建" "创建" "再" "试" "打开" "新增" "添加" "更新" "打印" "执行" "撤" "不对" "谢谢" "你好" "文件名" "呵呵"
];

fn of_chinese(text: &str) -> Option<Said> {
    use chinese::{any, found};
    let chars = text.chars().count();
    let has = |list: &[&str]| any(text, list);
    let starts = |list: &[&str]| list.iter().any(|h| text.starts_with(h));
    if chars < 4
        || has(chinese::QUESTION)
        || has(chinese::DOUBT)
        || text.ends_with(['吗', '呢', '么'])
        || starts(&["\"", "“", "「"])
    {
        return None;
    }
    let trouble = has(chinese::TROUBLE) || has(gate::REPORT_ZH);
    // The person.
    if starts(&["叫我"]) && chars <= 12 {
        return Some(found("about-user", Kind::User, text, Strength::Strong));
    }
    if has(
        words!["用中文回答" "用中文回复" "用英文回答" "用英文回复" "回答我" "回答简洁" "回答简短" "回复简洁" "说明用中文" "说中文" "用中文说" "用中文交流"],
    ) && !trouble
    {
        return Some(global(found("answers", Kind::Feedback, text, Strength::Strong)));
    }
    if !trouble
        && starts(
            words!["我是做" "我是搞" "我是个" "我用的是" "我用的" "我习惯" "我比较习惯" "我不太会" "我不会" "我不太懂" "我不懂" "我的 mac" "我的mac" "我的电脑" "我的系统" "我这边是" "我平时" "我主要" "我喜欢看" "我负责"],
        )
        && !has(&["这个", "那个", "刚才"])
    {
        return Some(found("about-user", Kind::User, text, Strength::Strong));
    }
    // Open work.
    if has(&["提醒我"])
        || has(&["之前要把", "前要把", "前得把", "之前得把", "前要补", "还欠"])
        || starts(&["等", "上线后", "发布后"]) && has(&["之后记得", "以后记得", "后记得", "再把"])
    {
        return Some(found("todo", Kind::Todo, text, Strength::Strong));
    }
    if trouble && !has(&["表示", "禁止", "不允许", "一律"])
        || starts(ORDER_HEADS_ZH) && !starts(&["改成用", "写 sql", "写注释"])
    {
        return None;
    }
    // Decisions.
    if has(words![
        "方案定了" "选型定了" "定下来了" "最终还是" "最终选" "最后决定" "最终决定" "最后选了" "最后还是" "我们选了" "还是选了" "讨论过了" "会上定" "会议定" "已经作废" "作废了" "不用兼容" "不再兼容" "不再支持" "不再使用" "敲定" "拍板" "决定用" "决定放弃" "我们决定" "我们改用" "废弃了"
    ]) || starts(&["换回", "改回用", "退回到"]) && chars >= 5
        || has(&["从"])
            && has(&["换成", "迁到", "迁移到", "切到", "切换到", "改成"])
            && text.contains('了')
            && tags::technical(text) >= 1
        || has(&["为准"]) && text.contains('以')
        || starts(&["不上", "不做"]) && text.contains('，') && chars >= 6
    {
        return Some(found("decision", Kind::Decision, text, Strength::Strong));
    }
    // People.
    if text.find("负责").is_some_and(|at| {
        at > 0
            && text.get(..at).is_some_and(|h| h.chars().count() <= 12)
            && text.get(at..).is_some_and(|t| t.chars().count() >= 4)
    }) || has(&["owner 是", "owner是", "负责人是", "对接人是", "先问他", "先问她"])
        || text.contains('找') && text.ends_with('要') && chars >= 6
        || text.split_once('找').is_some_and(|(head, tail)| {
            (2..=16).contains(&head.chars().count())
                && head.ends_with(['题', '限', '号', '码', '的'])
                && (2..=8).contains(&tail.chars().count())
        })
    {
        return Some(found("person", Kind::Fact, text, Strength::Strong));
    }
    // Rules.
    let every = starts(&["每个", "每次", "每条", "所有", "任何"])
        && has(&["都要", "必须", "都得", "都必须", "不能", "不得", "都用", "要有"]);
    let strict = has(words![
        "一律" "不允许" "不得" "不能低于" "不能超过" "不能大于" "不能少于" "硬性" "约定" "一定要" "必须要" "千万" "严禁" "只能从" "只能用" "不要再" "别再" "别给我" "都要兼容" "都要走" "要走 MR" "就要打" "要先过" "接口必须" "不能出" "禁止" "尽量少" "别写死" "不要写死" "都必须" "都不能" "绝不"
    ]);
    let uniform = has(&["统一"]) && !has(&["统一改成", "统一一下"])
        || has(&["都用", "都放", "都存", "都走"]) && chars >= 6;
    let banned = starts(&[
        "不要用",
        "别用",
        "不要引入",
        "不要加",
        "不要写",
        "不要改",
        "别改",
        "别动",
        "不要动",
        "不要在",
        "别在",
    ]) && (text.contains('，') || has(&["目录", "代码里", "生产", "线上"]))
        && !has(&["这", "那"]);
    let answers = starts(&["回答", "注释", "提交信息", "命名", "代码注释", "变量名", "commit", "测试"])
        && has(&["用", "写", "要", "别", "不要"]);
    if every || strict || uniform || banned || answers && text.contains(['，', '用']) {
        let strength = if every || strict { Strength::Strong } else { Strength::Fair };
        return Some(found("standing-rule", Kind::Feedback, text, strength));
    }
    let contrast = has(&["，不要", "，别", "，不用", "而不是", " 不用 ", "，不能"]) && chars >= 8;
    if contrast
        && starts(&["用", "以", "要用"])
        && (tags::technical(text) >= 1 || has_value(text) || chars <= 14)
    {
        return Some(found("convention", Kind::Feedback, text, Strength::Fair));
    }
    // Facts with a value.
    if has(MOMENT_ZH) || text.starts_with('我') && !text.starts_with("我们") {
        return None;
    }
    let copula = has(
        words!["是" "叫" "在" "用" "端口" "地址" "版本" "前缀" "连的" "放在" "为" "固定" "名" "跑在" "：" "存" "表示"],
    );
    let valued = has_value(text);
    let order = chinese::is_order(text) && !starts(&["测试", "用户", "部署"]);
    if valued && copula && !order && !has(&["需求", "需要支持", "改成", "加个", "想要", "希望"]) && chars >= 6
    {
        return Some(found(
            "fact",
            Kind::Fact,
            text,
            if contrast { Strength::Strong } else { Strength::Fair },
        ));
    }
    let ours = has(&[
        "我们",
        "线上",
        "生产",
        "测试环境",
        "构建机",
        "这套系统",
        "这个模块",
        "我们组",
        "团队",
        "公司",
        "外包",
        "内网",
        "产品说",
        "项目",
    ]);
    if ours
        && !order
        && has(&["只", "不能", "不用", "别", "不要", "都", "是", "用", "要"])
        && chars >= 8
        && !has(&["看看", "讨论", "想", "来", "觉得"])
        && (contrast || tags::technical(text) >= 1 || has(&["不能", "别", "只"]))
    {
        return Some(found("fact", Kind::Fact, text, Strength::Fair));
    }
    let cue = contrast
        || ours
        || valued
        || tags::technical(text) >= 1
        || has(&["只", "统一", "都", "不要", "别", "定"]);
    let vague = has(&["这", "那", "你", "觉得", "现在", "今天", "刚", "我", "需求", "想", "来", "了吧"]);
    (cue && !vague && !order && chars >= 8).then(|| found("maybe", Kind::Fact, text, Strength::Weak))
}
