//! What no rule but an explicit request may take: talk about the task at hand, screens, reports, pasted texts.

use super::chinese::any;
use super::english::word_in;
use super::text::{Sentence, after, has_han};
use super::{english_words, tags};

/// Orders to work on a text: what else the prompt holds is that text.
const TEXT_WORK_EN: &[&str] = words![
    "translate" "summarize" "summarise" "rewrite this" "rephrase" "proofread" "reply to" "answer him"
    "answer her" "answer them" "how should i reply" "how do i reply" "polish this" "write an email"
    "write a mail" "draft an email" "what does this mean" "what did this commit" "review this document"
    "implement it" "implement this" "write a readme" "blog post" "tl;dr"
];
const TEXT_WORK_ZH: &[&str] = words![
    "翻译" "润色" "改写" "总结一下" "概括" "归纳" "怎么回复" "帮我回复" "回复他" "回复她" "请实现" "写一封" "写封"
    "评估一下" "你评估" "整理一下" "什么意思"
];

/// Whether the prompt works on a text that it holds, so that its statements are not the user's.
pub(crate) fn borrowed(prompt: &str) -> bool {
    let low = prompt.to_lowercase();
    let heading = prompt.lines().any(|l| {
        let hashes = l.chars().take_while(|c| *c == '#').count();
        (1..=4).contains(&hashes) && l.chars().nth(hashes) == Some(' ')
    });
    let asked = word_in(&low, TEXT_WORK_EN) || any(prompt, TEXT_WORK_ZH);
    // "以后翻译都用…" and "always summarize" speak of later.
    let standing = word_in(&low, &["always", "never", "from now on", "don't", "stop"])
        || any(prompt, &["以后", "不用翻译", "不要翻译", "别翻译"]);
    heading && prompt.lines().count() >= 3
        || asked && (!standing || low.contains(['"', '“', '「', '#', '\n']))
}

/// Other people's words within one sentence.
const QUOTES_EN: &[&str] = words![
    "wrote:" "says:" "say:" "the linter says" "the doc says" "the docs say" "my colleague" "my colleagues"
    "the customer wrote" "our customer wrote" "the blog" "the article" "commit message should be"
    "with the message"
];
const QUOTES_ZH: &[&str] = words![
    "老板说" "网上说" "同事说" "同事小" "他们公司" "产品经理希望" "产品希望" "文档上写" "客户说" "客户希望" "有人说" "据说"
];

const SCREEN_EN: &[&str] = words![
    "button" "buttons" "color" "colour" "blue" "red" "green" "footer" "header" "modal" "layout" "font"
    "padding" "margin" "dark mode" "checkbox" "sidebar" "navbar" "dropdown" "tooltip" "popup" "icon"
    "on the left" "on the right" "centered" "rounded"
];
const SCREEN_ZH: &[&str] = words![
    "按钮" "颜色" "居中" "圆角" "字体" "红色" "蓝色" "绿色" "页面" "弹窗" "复选框" "背景" "图标" "间距" "左边" "右边" "变灰"
    "点击" "下拉框" "今天的日期"
];

const DEICTIC_EN: &[&str] = words![
    "this file" "this function" "this one" "this button" "this test" "this line" "this bug" "this method"
    "this class" "this component" "this pr" "this session" "this call" "this case" "that file"
    "that function" "the other file" "second one" "first one" "the other one" "the existing helper" "in there"
];
const DEICTIC_ZH: &[&str] = words![
    "这个函数" "这个文件" "这个按钮" "这个颜色" "这个方案" "这个方法" "这个测试" "这个逻辑" "这个变量" "这个页面" "这行" "这段"
    "那个文件" "那个函数" "另一个" "另外一种" "第一个" "第二个" "刚才" "这里的逻辑" "这里加" "这里用" "这次" "上面那"
];

const PASSING_EN: &[&str] = words![
    "for now" "right now" "this time" "just for" "temporarily" "temporary" "not yet" "yet" "for the moment"
    "until i" "just an experiment" "i guess" "keep going" "carry on" "hurry" "be quick" "lunch" ":)" "lol"
    "about the architecture" "no rush"
];
const PASSING_ZH: &[&str] = words![
    "先不" "先别" "先用" "先这" "先睡" "先去" "先看" "先跑" "临时" "暂时" "等我" "再考虑" "以后再说" "下次再说" "回头再看" "改天再说"
    "我等下" "我等会" "来着" "睡觉" "吃饭" "休息"
];
const TAILS_ZH: &[&str] = words![
    "一下" "改一下" "实现一下" "你评估" "再试试" "改另一个" "这样" "这样吧" "改回去" "我看看" "加上类型" "说法" "写法" "用 map 存"
];

/// Words of a report on how things are just now.
pub(crate) const REPORT_EN: &[&str] = words![
    "displayed" "twice" "complain" "complains" "on fire" "is down" "works now" "it works" "still" "i get"
    "i got" "again" "blank" "on my machine" "went well" "looks like" "seems" "already used" "already in use"
    "flaky because" "but i get" "too big" "slow today" "is gone" "what happens"
];
pub(crate) const REPORT_ZH: &[&str] = words![
    "不行" "再试" "通过了" "都过了" "没有变" "打不开" "没清" "一直刷" "反馈" "好的了" "修好了" "是空的" "太慢了，能" "还是不对"
];

/// Whether an explicit request asks for nothing that lasts: "remember to be careful :)".
pub(crate) fn is_small_talk(text: &str) -> bool {
    let low = text.to_ascii_lowercase();
    low.contains(":)") || low.contains("just an experiment") || low.starts_with("be careful")
}

/// Whether a sentence is none of a memory's business.
pub(crate) fn hinders(sentence: &Sentence) -> bool {
    let text = sentence.text.trim();
    if has_han(text) { hinders_chinese(text) } else { hinders_english(text) }
}

fn hinders_english(text: &str) -> bool {
    let low = text.replace('’', "'").to_ascii_lowercase();
    let asks = [", how ", ", why", ", what ", ", right", ", or should", ", where "].iter().any(|t| {
        low.rfind(t).is_some_and(|at| !low.get(at + t.len()..).is_some_and(|rest| rest.contains(',')))
    });
    let standing = word_in(
        &low,
        &["always", "never", "from now on", "going forward", "every", "i prefer", "ever", "i hate", "i'm"],
    );
    // "use a map here" orders; "we use pnpm here" states.
    let order = after(&low, english_words::ORDERS).is_some();
    let here = order
        && word_in(&low, &["here", "there"])
        && tags::technical(text) == 0
        && !(low.contains(" not ") && low.split_whitespace().count() <= 6);
    asks || here
        || word_in(&low, QUOTES_EN)
        || word_in(&low, DEICTIC_EN)
        || (word_in(&low, PASSING_EN) || low.contains(":)") || low.contains("…"))
            && !low.contains("not today")
        || !standing && word_in(&low, SCREEN_EN)
        || word_in(
            &low,
            &[
                "displayed",
                "complain",
                "complains",
                "on fire",
                "on my machine",
                "but i get",
                "we expect",
                "locally but",
                "so let's",
                "flaky because",
                "i click",
                "didn't work",
                "doesn't work",
            ],
        )
        || low.starts_with("i'm a bit ")
        || low.starts_with("i am a bit ")
        || low.starts_with("i like it")
        || low.starts_with("i'm not happy")
        || low.starts_with("always nice")
        || low.starts_with("remember to be")
        || low.starts_with("write ")
        || low.starts_with("warning:")
        || ["imagine ", "say we ", "suppose ", "pretend "].iter().any(|h| low.starts_with(h))
        || word_in(&low, &["update them", "address them"])
}

fn hinders_chinese(text: &str) -> bool {
    let standing = any(text, &["以后", "一律", "每次", "统一用", "统一存", "永远"]);
    let orders = ["记得跑", "记得加上", "记得改", "记得删"].iter().any(|o| text.starts_with(o))
        && text.chars().count() <= 8;
    orders
        || any(text, QUOTES_ZH)
        || any(text, DEICTIC_ZH) && !text.starts_with("以后")
        || any(text, PASSING_ZH)
        || TAILS_ZH.iter().any(|t| text.ends_with(t))
        || !standing && any(text, SCREEN_ZH)
        || any(text, &["反馈", "一直刷", "点击都", "点击后"])
}
