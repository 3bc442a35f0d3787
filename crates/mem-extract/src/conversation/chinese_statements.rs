//! Statements of Chinese told by the features of a whole sentence.

use super::statements::{global, has_value};
use super::{Said, Strength, chinese, gate, tags};
use mem_core::Kind;

const MOMENT_ZH: &[&str] = words![
    "接口返回" "返回了" "日志在 /tmp" "现在" "刚" "这个 bug" "这个bug" "用户表加" "按照" "照着" "列表里" "我已经" "我在" "首页" "订单状态"
    "数据库里有" "前端传的" "后端要的" "查询慢" "占用" "太慢了" "升级到" "优化" "启动不了" "他写" "有个" "拼写" "乱码" "/tmp/" "改后端" "改前端" "改一下" "处理一下" "帮我"
];

fn order_like(text: &str) -> bool {
    chinese::is_order(text) && !["测试", "部署", "提交信息"].iter().any(|noun| text.starts_with(noun))
        || ["写", "做", "试", "看", "跑", "重写", "实现"].iter().any(|verb| text.ends_with(verb))
}

const ORDER_HEADS_ZH: &[&str] = words![
    "帮" "请帮" "确保" "保证" "写" "加" "把" "改成" "改回" "继续" "停" "运行" "跑" "实现" "重构" "生成" "看" "删" "好" "解释" "测一下" "给我" "修" "换个"
    "查一下" "查下" "查查" "搜" "检查" "优化" "新建" "创建" "再" "试" "打开" "新增" "添加" "更新" "打印" "执行" "撤" "不对" "谢谢" "你好" "文件名" "呵呵"
];

pub(super) fn of_chinese(text: &str) -> Option<Said> {
    use chinese::{any, found};
    let chars = text.chars().count();
    let has = |list: &[&str]| any(text, list);
    let starts = |list: &[&str]| list.iter().any(|h| text.starts_with(h));
    if chars < 4
        || has(chinese::QUESTION)
        || chinese::DOUBT.iter().any(|d| !matches!(*d, "比如" | "例如") && text.contains(d))
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
        words!["用中文回答" "用中文回复" "用英文回答" "用英文回复" "回答我" "回答简洁" "回答简短" "回复简洁" "说明用中文" "说中文" "用中文说" "用中文交流" "少解释" "直接给代码" "不用解释" "别解释"],
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
        "方案定了" "选型定了" "定下来了" "最终还是" "最终选" "最后决定" "最终决定" "最后选了" "最后还是" "我们选了" "还是选了" "讨论过了" "会上定" "会议定" "已经作废" "作废了" "不用兼容" "不再兼容" "不再支持" "不再使用" "敲定" "拍板" "决定用" "决定放弃" "我们决定" "我们改用" "废弃了" "没选"
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
        "一律" "不允许" "不得" "不能低于" "不能超过" "不能大于" "不能少于" "硬性" "约定" "一定要" "必须要" "千万" "严禁" "只能从" "只能用" "不要再" "别再" "别给我" "都要兼容" "都要走" "要走 MR" "就要打" "要先过" "之前记得" "前要跑" "前必须" "前都要" "前先跑" "前要先" "前记得先" "时记得" "接口必须" "不能出" "禁止" "尽量少" "别写死" "不要写死" "都必须" "都不能" "绝不"
    ]);
    let bound = has(&["必须"]) && !starts(&["必须"]) && chars <= 40
        || has(&["要求", "至少"]) && (has(&["我们", "团队", "以上"]));
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
    let answers = starts(&["回答", "注释", "提交信息", "命名", "代码注释", "变量名", "commit"])
        && has(&["用", "写", "要", "别", "不要"]);
    if every || strict || uniform || bound || banned || answers && text.contains(['，', '用']) {
        let strength = if every || strict { Strength::Strong } else { Strength::Fair };
        return Some(found("standing-rule", Kind::Feedback, text, strength));
    }
    // "日志用 JSON 格式": a topic and a name.
    let named = text.split_once('用').is_some_and(|(topic, rest)| {
        (2..=8).contains(&topic.chars().count())
            && !topic
                .chars()
                .any(|c| matches!(c, '不' | '别' | '先' | '我' | '你' | '他' | '把' | '给' | '，' | '能'))
            && rest.trim_start().starts_with(|c: char| c.is_ascii_uppercase())
    });
    if named && !order_like(text) {
        return Some(found("convention", Kind::Fact, text, Strength::Fair));
    }
    if has(&["别用", "不要用"]) && text.contains('，') && !has(&["这", "那", "刚"]) {
        return Some(found("standing-ban", Kind::Feedback, text, Strength::Fair));
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
