//! Words that ask, point or connect: a question is not about them.

/// English function words, sorted. Lucene's list, and the words of questions and requests.
const ENGLISH: &[&str] = &[
    "a", "about", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "dont", "for", "from", "had", "has", "have", "he", "her", "here", "him",
    "his", "how", "i", "if", "im", "in", "into", "is", "it", "its", "just", "let", "lets", "me", "my", "no",
    "not", "of", "on", "or", "our", "please", "she", "should", "so", "some", "such", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "to", "us", "was", "we", "were",
    "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

/// Pairs of characters that only ask, point or connect, sorted by code point at the first use of the list.
const CJK: &[&str] = &[
    "一下", "一个", "一些", "这个", "这些", "这样", "那个", "那些", "那样", "什么", "怎么", "怎样", "为何",
    "如何", "哪个", "哪些", "哪里", "我们", "你们", "他们", "它们", "以及", "或者", "并且", "是否", "是不",
    "不是", "有没", "没有", "请问", "可以", "应该", "需要", "一样", "还是", "就是", "因为", "所以", "但是",
    "如果", "关于", "帮我", "现在", "目前", "已经", "然后", "看看", "告诉", "知道", "这里", "那里", "能否",
    "为什", "时候", "能不", "一起", "直接", "的话", "那么",
];

/// Particles: a pair that holds one of them says little.
const PARTICLES: &[char] = &['的', '了', '吗', '呢', '吧', '啊', '么', '嘛', '呀', '啦'];

/// English words of every day's work with code, stemmed, sorted: orders are full of them and about none of them.
const GENERIC: &[&str] = &[
    "add",
    "again",
    "ahead",
    "all",
    "also",
    "better",
    "bug",
    "build",
    "call",
    "chang",
    "check",
    "class",
    "clean",
    "code",
    "continu",
    "creat",
    "current",
    "debug",
    "delet",
    "describ",
    "do",
    "done",
    "edit",
    "error",
    "everyth",
    "exist",
    "explain",
    "fail",
    "featur",
    "file",
    "find",
    "finish",
    "fix",
    "function",
    "get",
    "give",
    "go",
    "good",
    "handl",
    "help",
    "implement",
    "improv",
    "issu",
    "keep",
    "know",
    "last",
    "latest",
    "line",
    "list",
    "look",
    "make",
    "method",
    "move",
    "name",
    "need",
    "new",
    "next",
    "now",
    "ok",
    "old",
    "open",
    "optim",
    "out",
    "pleas",
    "print",
    "problem",
    "project",
    "put",
    "read",
    "refactor",
    "remov",
    "renam",
    "replac",
    "repo",
    "review",
    "rewrit",
    "run",
    "same",
    "see",
    "set",
    "show",
    "simpl",
    "simplifi",
    "start",
    "step",
    "stop",
    "sure",
    "take",
    "task",
    "tell",
    "test",
    "thank",
    "thing",
    "think",
    "time",
    "tri",
    "type",
    "updat",
    "use",
    "variabl",
    "verifi",
    "want",
    "way",
    "work",
    "write",
];

/// The same in Chinese and Japanese.
const GENERIC_PAIRS: &[&str] = &[
    "修复", "修改", "修正", "改一", "改成", "运行", "测试", "添加", "增加", "新增", "删除", "删掉", "更新",
    "重构", "函数", "代码", "文件", "实现", "编写", "写一", "写个", "检查", "继续", "优化", "问题", "错误",
    "报错", "处理", "功能", "项目", "解释", "方法", "变量", "一遍", "下面", "接下", "下来", "开始", "完成",
    "创建", "生成", "调整", "整理", "查看", "分析", "使用", "用一", "一步", "下一", "所有", "全部", "修正",
    "実装", "追加", "確認", "実行",
];

/// Whether a token of a question belongs to every day's work and hardly tells what the question is about.
pub(crate) fn is_generic(token: &str) -> bool {
    GENERIC.binary_search(&token).is_ok() || GENERIC_PAIRS.contains(&token)
}

/// Whether a folded, unstemmed word is an English function word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}

/// Whether a pair of CJK characters is a function word.
pub(crate) fn is_function_pair(pair: &str) -> bool {
    CJK.contains(&pair)
}

/// Whether a pair of CJK characters is a function word, holds a particle, or is hiragana alone.
pub(crate) fn is_weak_pair(pair: &str) -> bool {
    is_function_pair(pair)
        || pair.chars().any(|ch| PARTICLES.contains(&ch))
        || pair.chars().all(|ch| matches!(ch, '\u{3041}'..='\u{309F}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(ENGLISH.is_sorted() && GENERIC.is_sorted());
        assert!(is_generic("fix") && is_generic("修改") && !is_generic("commit") && !is_generic("提交"));
        assert!(is_stop_word("which") && !is_stop_word("commit"));
    }

    #[test]
    fn particles_make_a_pair_weak() {
        assert!(is_weak_pair("我的") && is_weak_pair("什么") && is_weak_pair("です"));
        assert!(!is_weak_pair("提交") && !is_weak_pair("検索"));
    }
}
