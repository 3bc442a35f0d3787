//! Words of every day's work with code: orders are full of them and about none of them.
//!
//! Names of tools and of what rules are about (commit, push, deploy, port, coverage, 提交, 部署, 端口) are not here.

use std::{collections::HashSet, sync::OnceLock};

/// As they are written; compared by stem.
const WORDS: &str = "add again ahead all another approach argument around array async back bad before behave behind \
    better between big binary bit block body bottom box break broken bug build call careful center \
    change check class clean clear click clone close closure code color column comment compile complete \
    condition configurable constant continue convert copy correct count create current cut debug declare \
    define delete describe detail diff difference different disable display div do done double draft \
    drop during each early easy edit element else empty enable end enough error everything example \
    exception exist expect explain explicit expression extend extra extract fail far fast faster feature \
    fewer field file fill final find fine finish first fix flex follow forget found full function \
    generate generic get give go good great grid group guard handle happen hard help helper hide high \
    hint hook hope hover icon idea implement import improve include increase indent initial inline input \
    insert inside instance instead interface issue item iterator join keep kind know large last late \
    latest layout learn leave left less level line list little long look loop lot low main make many map \
    match maybe mean memoize merge method minor miss mistake modal modify module more most move much \
    name near need nest nesting new next nice nicer note nothing now null number object odd off ok old \
    once only open operation optimize option output outside own page parameter parent parse part pass \
    pattern percent piece place plan plus point possible pretty print private problem program project \
    prop property provide pull put question quick quickly random read really reason recent reduce \
    refactor regex remove rename repeat replace repo result return reverse review rewrite right row run \
    same save scroll second section see select separate set shape short shorter show side sign simple \
    simplify single size slow small something sort split start statement step stop string struct \
    structure subtract suggest summarize summary sure swap syntax take task tell temporary ternary test \
    text thank thing think third three time title together tomorrow top total track try tuple two type \
    undefined understand undo unit unused update use useful usual valid value variable verify view \
    visible wait walk want way weird width without wonder word work wrap write wrong yes yesterday zero";

/// Pairs of characters of Chinese and Japanese orders.
const PAIRS: &str = "修复 修改 修正 改一 改成 运行 测试 添加 增加 新增 删除 删掉 更新 重构 函数 代码 文件 实现 编写 写一 写个 \
    检查 继续 优化 问题 错误 报错 处理 功能 项目 解释 方法 变量 一遍 下面 接下 下来 开始 完成 创建 生成 调整 整理 查看 分析 \
    使用 用一 一步 下一 所有 全部 実装 追加 確認 実行 打印 返回 回值 注释 个注 写注 加个 加一 改下 一行 一段 段代 行代 这段 \
    这行 这一 个函 个方 个类 一种 另外 换个 换一 换成 思路 逻辑 结果 总结 简单 复杂 确定 意思 什么 优点 缺点 优缺 列表 数组 \
    循环 判断 条件 参数 数值 字符 符串 对象 类型 接着 上面 上一 前面 后面 里面 刚才 刚刚 重新 再来 再试 试一 试试 跑一 跑通 \
    跑起 起来 看一 看下 讲一 说明 描述 介绍 抽成 抽取 拆成 拆分 合并 移到 移动 复制 粘贴 替换 重写 重命 命名 改名 名字 名称 \
    格式 缩进 对齐 居中 按钮 颜色 布局 显示 隐藏 点击 弹窗 页面 组件 个组 样子 效果 速度 变慢 太慢 太长 太多 简化 精简 清理 \
    多余 没用 不用 不对 不行 不要 正确 对不 有点 一点 一会 几个 两个 三个 第一 第二 最后 最近 今天 明天 昨天 早上 晚上 下午 \
    谢谢 辛苦 好的 你好 出来 进去 出错 异常 崩溃 失败 成功 公共 私有 方式 办法 做法 步骤 任务 工作 内容 部分 地方 情况 原因 \
    能用 可用 正常 生效 东西 哪些 帮忙 麻烦 认真 仔细 个简 个单 单元";

fn words() -> &'static HashSet<String> {
    static STEMS: OnceLock<HashSet<String>> = OnceLock::new();
    STEMS.get_or_init(|| {
        let stemmed = |word: &str| {
            let mut word = word.to_owned();
            super::stem::stem(&mut word);
            word
        };
        WORDS.split_whitespace().map(stemmed).collect()
    })
}

fn pairs() -> &'static HashSet<&'static str> {
    static GRAMS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    GRAMS.get_or_init(|| PAIRS.split_whitespace().collect())
}

/// Whether a token of a question belongs to every day's work and hardly tells what the question is about.
///
/// Numbers of one or two digits do: every order counts something.
pub(crate) fn is_generic(token: &str) -> bool {
    if token.is_ascii() {
        (token.len() <= 2 && token.bytes().all(|b| b.is_ascii_digit())) || words().contains(token)
    } else {
        pairs().contains(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_generic_and_what_rules_are_about_is_not() {
        for generic in ["fix", "function", "valu", "instead", "修改", "打印", "返回", "42"] {
            assert!(is_generic(generic), "{generic}");
        }
        for specific in
            ["commit", "push", "deploy", "port", "version", "pnpm", "提交", "端口", "发布", "7411"]
        {
            assert!(!is_generic(specific), "{specific}");
        }
    }
}
