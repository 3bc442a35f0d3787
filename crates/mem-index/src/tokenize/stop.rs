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
        assert!(ENGLISH.is_sorted());
        assert!(is_stop_word("which") && !is_stop_word("commit"));
    }

    #[test]
    fn particles_make_a_pair_weak() {
        assert!(is_weak_pair("我的") && is_weak_pair("什么") && is_weak_pair("です"));
        assert!(!is_weak_pair("提交") && !is_weak_pair("検索"));
    }
}
