//! Rules for Chinese.

use super::text::{Sentence, skip_filler};
use super::{Match, Said, Strength};
use mem_core::Kind;

/// Words that make asking worth the while.
pub(crate) const SIGNALS: &[&str] = words![
    "记住" "记得" "记一下" "记下" "牢记" "备忘" "以后" "今后" "从现在开始" "每次" "总是" "永远" "始终"
    "一律" "偏好" "喜欢" "习惯" "不要自动" "禁止" "决定" "定了" "改用" "采用" "换成" "切换到" "选用" "就用"
    "敲定" "按你说的" "不对" "错了" "应该是" "应该用" "而是" "待办" "回头" "之后要" "稍后" "晚点" "下次"
    "别忘" "用的是" "部署在" "跑在" "端口" "因为" "統一" "统一" "不要用" "别用" "就这么" "千万" "我是"
    "我叫" "在用" "还需要" "后续" "必须" "尽量" "简短" "不是" "选用" "还是用" "就选" "运行在" "我们用"
    "这个项目" "之后再" "后面" "还得" "提醒我" "改天" "我们的" "项目用" "不准" "不许" "务必" "所有" "凡是"
    "别再" "应该" "迁移到" "切到" "监听" "地址是" "版本是" "托管" "依赖" "我主要" "希望你" "倾向" "讨厌"
    "明天" "下周" "上线前" "发布前"
];

const FILLER: &[&str] = words![
    "好的" "好" "嗯" "行" "对了" "那么" "那" "另外" "还有" "然后" "ok" "OK" "可以" "请" "麻烦" "顺便说一下"
    "顺便" "注意" "同意" "没问题" "谢谢" "所以" "但是" "不过" "你" "重要" "其实"
];

pub(super) const QUESTION: &[&str] = words![
    "要不要" "是不是" "能不能" "可不可以" "可否" "是否" "为什么" "怎么" "如何" "什么" "哪个" "哪里" "哪些"
    "有没有" "会不会" "行不行" "好不好" "对不对" "多少" "谁"
];
pub(super) const DOUBT: &[&str] = words![
    "如果" "假如" "要是" "也许" "或许" "万一" "考虑一下" "考虑用" "试试" "不确定" "可能会" "可能要"
    "可能是" "大概" "在想" "比如" "例如"
];
pub(super) const TROUBLE: &[&str] = words![
    "报错" "失败" "崩溃" "卡住" "出错" "挂了" "不工作" "没反应" "异常" "打不开" "超时" "白屏" "有问题"
    "有bug" "有 bug" "死循环"
];
const ORDERS: &[&str] = words![
    "修复" "修一下" "加" "添加" "写" "实现" "重构" "更新" "删" "看看" "看一下" "检查" "运行" "跑" "执行"
    "帮我" "解释" "继续" "测试" "提交" "推送" "打开" "查" "搜" "改一下" "修改" "生成" "创建" "新建" "把"
    "给" "用" "先" "再" "分析" "总结" "优化" "安装" "部署"
];

pub(super) fn any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|w| text.contains(w))
}

fn after<'a>(text: &'a str, cues: &[&str]) -> Option<&'a str> {
    cues.iter().find_map(|cue| text.strip_prefix(cue))
}

fn trim_head(text: &str) -> &str {
    text.trim_start_matches(['：', ':', '，', ',', '、', ' ', '-', '—', '。', '！', '!'])
}

pub(crate) fn is_order(text: &str) -> bool {
    ORDERS.iter().any(|o| skip_filler(text, FILLER).starts_with(o))
}

/// Whether it lays down a rule.
pub(crate) fn is_rule(text: &str) -> bool {
    any(
        text,
        &[
            "不要", "必须", "永远", "总是", "始终", "一律", "禁止", "每次", "以后", "别", "务必", "统一",
            "不能", "不许",
        ],
    )
}

/// Whether it is about the person rather than the project.
pub(crate) fn is_personal(text: &str) -> bool {
    let me = text.starts_with('我') && !text.starts_with("我们");
    me || any(
        text,
        words![
            "回复我" "回答" "回复" "叫我" "跟我说" "和我说" "对我说" "用中文" "用英文" "表情" "简洁" "啰嗦"
            "废话" "解释"
        ],
    )
}

/// The statement and its reason.
pub(crate) fn split_why(text: &str) -> (String, Option<String>) {
    for cue in ["，因为", ",因为", " 因为", "，由于", "，原因是", "，理由是", "因为", "，这样", "，毕竟"]
    {
        if let Some((head, tail)) = text.split_once(cue) {
            if head.chars().count() >= 2 && tail.chars().count() >= 2 {
                return (head.to_owned(), Some(tail.to_owned()));
            }
            // "因为 A，所以 B".
            if head.is_empty()
                && let Some((why, statement)) = tail.split_once("，所以").or_else(|| tail.split_once('，'))
            {
                return (statement.to_owned(), Some(why.to_owned()));
            }
        }
    }
    (text.to_owned(), None)
}

pub(super) fn found(rule: &'static str, kind: Kind, text: &str, strength: Strength) -> Said {
    let (statement, why) = split_why(text);
    let global = match kind {
        Kind::User => true,
        Kind::Feedback => is_personal(text),
        _ => false,
    };
    Said::Found(Match { rule, kind, text: statement, why, strength, explicit: false, global })
}

pub(crate) fn classify(sentence: &Sentence) -> Said {
    let whole = sentence.text.trim();
    // Doubled, "no, no" looks like "is it right?".
    let whole = match whole.strip_prefix("不对不对") {
        Some(_) => whole.strip_prefix("不对").unwrap_or(whole),
        None => whole,
    };
    let text = skip_filler(whole, FILLER);
    if whole.ends_with(['吗', '呢', '么', '吧']) && !any(whole, &["定了吧", "就用", "就这么"])
        || any(whole, QUESTION)
        || any(whole, DOUBT)
        || whole.starts_with(['"', '“', '「'])
    {
        return Said::Nothing;
    }
    if adopts(whole) {
        return Said::Adopt;
    }
    let said = [correction, todo, decision, preference, fact].iter().find_map(|rule| rule(text));
    // Sentences of both languages: "remember that 生产库只读".
    said.unwrap_or_else(|| {
        if whole.starts_with(|c: char| c.is_ascii_alphabetic()) {
            super::english::classify(sentence)
        } else {
            Said::Nothing
        }
    })
}

fn adopts(text: &str) -> bool {
    let bare: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    let core = ["好的", "好", "可以", "行", "嗯", "对", "同意", "没问题", "ok", "OK"]
        .iter()
        .find_map(|h| bare.strip_prefix(h))
        .unwrap_or(&bare);
    matches!(
        core,
        "就按你说的"
            | "就按你说的做"
            | "就按你说的来"
            | "按你说的做"
            | "按你说的来"
            | "按你说的办"
            | "就这么定了"
            | "就这么定"
            | "就这么办"
            | "就这样定了"
            | "就这么做"
            | "那就这么定了"
            | "那就这么办"
            | "就按这个方案"
            | "就按这个方案来"
            | "按这个方案做"
            | "就用你的方案"
            | "就按你的建议"
            | "就按你的建议来"
            | "按你的建议来"
            | "就这么定了吧"
    )
}

/// What the assistant proposes in a sentence, without "建议".
pub(crate) fn proposal(text: &str) -> Option<String> {
    let rest =
        after(text, &["我建议", "我推荐", "建议我们", "建议", "推荐", "我的建议是", "我的方案是", "方案是"])?;
    let rest = trim_head(rest.trim_start_matches("我们"));
    (!rest.is_empty()).then(|| rest.to_owned())
}

fn todo(text: &str) -> Option<Said> {
    for cue in ["待办", "TODO", "todo", "Todo", "备忘", "还没做"] {
        if let Some(rest) = text.strip_prefix(cue) {
            let rest = trim_head(rest.trim_start_matches("事项"));
            return (rest.chars().count() >= 2).then(|| found("todo", Kind::Todo, rest, Strength::Strong));
        }
    }
    if let Some(rest) = after(
        text,
        words![
            "回头再" "回头要" "回头得" "回头" "记得" "别忘了" "不要忘了" "别忘记" "提醒我" "等会儿" "等会还" "待会儿" "等下还" "稍后再"
            "稍后要" "晚点再" "晚点要" "改天再" "改天" "下次再" "下次要" "下次记得" "下次别忘" "之后要"
            "之后再" "后面需要" "后面要" "后面再" "后续需要" "后续要" "以后再" "我们还需要" "还需要" "还得"
            "明天要" "明天再" "下周要" "上线前要" "上线前需要" "发布前要" "发布前需要"
        ],
    ) {
        let vague = rest.chars().count() < 3
            || after(rest, &["说", "看", "聊", "讲", "议"]).is_some_and(|r| r.chars().count() <= 1);
        return (!vague && !any(text, &["报错", "失败了", "崩溃了"]))
            .then(|| found("todo", Kind::Todo, text, Strength::Strong));
    }
    None
}

fn correction(text: &str) -> Option<Said> {
    if let Some(rest) = after(
        text,
        words![
            "不对" "不是这样的" "不是这样" "错了" "你错了" "搞错了" "你搞错了" "说错了" "你理解错了"
            "弄错了" "你搞反了" "搞反了" "弄反了" "不正确" "更正"
        ],
    ) {
        let body = trim_head(rest);
        if body.is_empty() {
            return Some(Said::CorrectNext);
        }
        let told = any(body, &["应该", "是", "用", "不要", "别", "而是", "要"]);
        return (told && body.chars().count() >= 3 && !is_mere_order(body) && !any(body, TROUBLE))
            .then(|| found("correction", Kind::Correction, body, Strength::Strong));
    }
    // "不是 X，是 Y"; "X 不是 A，而是 B".
    if let Some((head, tail)) = text.split_once("不是") {
        let named = head.chars().count() <= 12;
        let but = ["，而是", "，是", ", 是", ",是", "而是", "，应该是"].iter().any(|cue| {
            tail.split_once(cue).is_some_and(|(a, b)| !a.trim().is_empty() && b.trim().chars().count() >= 1)
        });
        if named && but {
            return Some(found("correction-pair", Kind::Correction, text, Strength::Strong));
        }
    }
    // "不要用 X，用 Y"; "应该用 Y，不是 X".
    if let Some(rest) = after(text, &["不要用", "别用", "不要使用", "别再用", "不要再用"]) {
        let but = ["，用", "，改用", ", 用", ",用", "，换成", "，应该用", "，要用", "用"]
            .iter()
            .any(|cue| rest.contains(cue));
        return Some(found(
            if but { "correction-pair" } else { "ban" },
            if but { Kind::Correction } else { Kind::Feedback },
            text,
            if but { Strength::Strong } else { Strength::Fair },
        ));
    }
    if let Some(rest) = after(text, &["应该用", "应该是", "应该使用"]) {
        let pair = any(rest, &["不是", "而不是", "不要"]);
        return pair.then(|| found("correction-pair", Kind::Correction, text, Strength::Strong));
    }
    (text.contains("而不是") && after(text, &["用", "要用", "请用", "端口是", "应当"]).is_some())
        .then(|| found("correction-pair", Kind::Correction, text, Strength::Strong))
}

fn is_mere_order(text: &str) -> bool {
    ["再看看", "再试", "重新", "重来", "继续", "看一下", "修一下"].iter().any(|o| text.starts_with(o))
}

fn decision(text: &str) -> Option<Said> {
    // "因为 A，所以 B": the decision is B.
    if text.starts_with("因为") {
        let (statement, why) = split_why(text);
        let Some(Said::Found(inner)) =
            (!statement.starts_with("因为")).then(|| decision(&statement)).flatten()
        else {
            return None;
        };
        return Some(Said::Found(Match { why: inner.why.or(why), ..inner }));
    }
    if let Some(rest) = after(
        text,
        &["我们决定", "决定了", "最终决定", "最后决定", "我决定", "决定", "敲定", "定了", "就这么定了"],
    ) {
        let body = trim_head(rest);
        let long = body.chars().count() >= 3;
        // "我们决定：X" announces X; "我们决定用 X" says it.
        let announced = rest.trim_start().starts_with(['：', ':', '，', ','])
            || after(text, &["决定了", "定了", "就这么定了"]).is_some();
        let text = if announced { body } else { text };
        return long.then(|| found("decision", Kind::Decision, text, Strength::Strong));
    }
    if let Some(rest) = after(
        text,
        words![
            "我们改用" "改用" "采用" "我们采用" "统一采用" "统一改用" "换成" "我们换成" "切换到" "切到"
            "迁移到" "我们迁移到" "选用" "我们选" "就用" "还是用" "那就用" "确定用" "最终用" "我们还是用"
            "以后就用" "就选" "我们就用"
        ],
    ) {
        let vague = any(rest, &["分支", "目录", "这个", "那个", "文件夹", "第一", "第二", "上一个", "你"])
            && rest.chars().count() <= 10;
        return (rest.trim().chars().count() >= 2 && !vague)
            .then(|| found("decision", Kind::Decision, text, Strength::Strong));
    }
    // A topic before it: "数据库改用 Postgres", "缓存采用 Redis".
    for cue in ["改用", "采用", "换成", "还是用", "决定用", "就用", "确定用", "改成用"] {
        if let Some((topic, rest)) = text.split_once(cue) {
            let topic_ok = (2..=10).contains(&topic.chars().count())
                && !topic.starts_with(['把', '先', '帮'])
                && !topic.contains('，');
            if topic_ok && rest.trim().chars().count() >= 2 && !any(text, TROUBLE) {
                return Some(found("decision-topic", Kind::Decision, text, Strength::Fair));
            }
        }
    }
    None
}

fn preference(text: &str) -> Option<Said> {
    if any(text, TROUBLE) {
        return None;
    }
    if let Some(rest) = after(
        text,
        words![
            "我更喜欢" "我比较喜欢" "我喜欢" "我偏好" "我习惯" "我不喜欢" "我讨厌" "我希望你" "我倾向于"
            "我一般" "我通常" "我平时" "我平常" "我总是" "我从不"
        ],
    ) {
        let passing =
            after(rest, &["这个", "你的", "这样", "那个", "这版"]).is_some() && rest.chars().count() <= 8;
        return (rest.chars().count() >= 2 && !passing)
            .then(|| found("preference", Kind::User, text, Strength::Strong));
    }
    if let Some(rest) = after(
        text,
        words![
            "以后" "今后" "往后" "从现在开始" "从现在起" "从今以后" "从今天起" "每次" "总是" "永远" "始终"
            "一律" "所有" "任何时候" "凡是"
        ],
    ) {
        let standing = match text {
            t if t.starts_with("每次") || t.starts_with("所有") || t.starts_with("凡是") => {
                any(rest, &["都要", "必须", "都用", "都先", "先", "不要", "别", "都得", "务必", "一律"])
                    && !rest.contains("都会")
            }
            _ => true,
        };
        return (standing && rest.chars().count() >= 3)
            .then(|| found("standing-rule", Kind::Feedback, text, Strength::Strong));
    }
    if let Some(rest) = after(
        text,
        words![
            "不要自动" "别自动" "禁止" "不许" "千万别" "千万不要" "绝对不要" "绝不要" "不准" "未经"
            "没有我的" "必须始终" "默认用" "默认使用" "统一用" "统一使用" "尽量用" "务必"
        ],
    ) {
        return (rest.chars().count() >= 2)
            .then(|| found("standing-rule", Kind::Feedback, text, Strength::Strong));
    }
    let from_now = any(text, &["以后都", "以后别", "以后不要", "以后不用", "以后就"]);
    let manner = after(text, &["回答", "回复"]).is_some_and(|rest| {
        ["尽量", "要", "用", "都", "不要", "别", "简", "时"].iter().any(|w| rest.starts_with(w))
    });
    if from_now || manner {
        return Some(found("standing-rule", Kind::Feedback, text, Strength::Fair));
    }
    // "提交信息统一用英文", "回复都用中文".
    let general =
        any(text, &["统一用", "一律用", "都用中文", "都用英文", "都要用", "都必须", "必须用", "必须先"]);
    let fixed = any(text, &["统一用", "一律用", "必须先", "必须用"]);
    (general && (fixed || !is_order(text)) && text.chars().count() <= 60)
        .then(|| found("standing-rule", Kind::Feedback, text, Strength::Fair))
}

fn fact(text: &str) -> Option<Said> {
    if any(text, TROUBLE) || any(text, &["想要", "需要你", "帮我", "希望"]) {
        return None;
    }
    if let Some(rest) = after(
        text,
        words![
            "我是" "我叫" "我在用" "我的时区" "我的名字" "我住在" "我主要写" "我主要用" "我不懂" "我不太懂"
            "我刚学"
        ],
    ) {
        let passing = after(rest, &["说", "想", "觉得", "指", "不是", "认为"]).is_some();
        return (!passing && rest.chars().count() >= 2)
            .then(|| found("about-user", Kind::User, text, Strength::Strong));
    }
    if after(
        text,
        words![
            "我们用的是" "我们用" "我们使用" "我们的" "这个项目" "项目用" "本项目" "项目里用" "这个仓库"
            "这个服务" "公司用" "我们跑" "我们部署"
        ],
    )
    .is_some()
    {
        let states = any(
            text,
            words![
                "用的是" "我们用" "使用" "跑在" "部署在" "运行在" "基于" "端口" "版本是" "依赖" "要求" "在"
                "是"
            ],
        );
        let passing = any(text, &["来看", "来试", "先", "吧", "一下", "完成", "做完"]);
        return (states && !passing && text.chars().count() >= 6)
            .then(|| found("stack", Kind::Fact, text, Strength::Strong));
    }
    for cue in [
        "用的是",
        "跑在",
        "部署在",
        "运行在",
        "端口是",
        "监听",
        "托管在",
        "的端口",
        "地址是",
        "版本是",
        "写的是",
        "依赖于",
        "存在",
        "放在",
    ] {
        if let Some((topic, rest)) = text.split_once(cue) {
            let weak = matches!(cue, "存在" | "放在");
            let subject = any(
                topic,
                words![
                    "API" "api" "数据库" "后端" "前端" "服务" "项目" "接口" "缓存" "生产" "测试" "线上"
                    "开发" "网关" "队列" "日志" "配置" "CI" "环境" "redis" "Redis" "文档" "仓库"
                ],
            );
            if (2..=14).contains(&topic.chars().count())
                && !topic.starts_with(['把', '请', '先'])
                && rest.trim().chars().count() >= 2
                && subject
                && (!weak || rest.chars().any(|c| c.is_ascii_alphanumeric()))
            {
                return Some(found("stack", Kind::Fact, text, Strength::Fair));
            }
        }
    }
    None
}
