//! Words that may stand for a word of a question: the same in the other language, or nearly the same letters.

use crate::tokenize::{Mode, Token, TokenKind, tokenize};
use std::sync::OnceLock;

/// Everyday words of development, Chinese and English.
const PAIRS: &str = "端口 port;时区 timezone;状态 state;测试 test;部署 deploy;缓存 cache;数据库 database;日志 log;版本 version;\
    分支 branch;提交 commit;推送 push;依赖 dependency;密码 password;配置 config configuration;调度 schedule scheduler;\
    队列 queue;编辑器 editor;终端 terminal;接口 api endpoint;服务器 server;客户端 client;前端 frontend;后端 backend;\
    地址 address;证书 certificate;密钥 key secret;令牌 token;用户 user;权限 permission;登录 login;认证 authentication auth;\
    授权 authorization;会话 session;订单 order;支付 payment;退款 refund;优惠券 coupon;库存 stock inventory;商品 product;\
    超时 timeout;重试 retry;并发 concurrency;线程 thread;进程 process;异步 async;同步 sync;事务 transaction;索引 index;\
    查询 query;迁移 migration;备份 backup;恢复 restore;回滚 rollback;发布 release;灰度 canary;环境 environment;\
    变量 variable;脚本 script;命令 command;参数 parameter;目录 directory folder;路径 path;文件 file;模块 module;\
    组件 component;样式 style;主题 theme;国际化 i18n;翻译 translation;文案 copy;表单 form;校验 validation;验证码 captcha;\
    时间戳 timestamp;时间 time;日期 date;金额 amount money;价格 price;类型 type;字段 field;编码 encoding;格式 format;\
    注释 comment;文档 documentation docs;代码 code;规范 convention;评审 review;合并 merge;冲突 conflict;构建 build;\
    编译 compile;打包 bundle package;安装 install;升级 upgrade;监控 monitoring;告警 alert;指标 metric;负责人 owner;\
    团队 team;设计 design;架构 architecture;性能 performance;内存 memory;磁盘 disk;网络 network;代理 proxy;网关 gateway;\
    容器 container;镜像 image;集群 cluster;节点 node;分片 shard;租约 lease;锁 lock;心跳 heartbeat;消息 message;\
    事件 event;任务 task job;定时 cron;通知 notification;邮件 email;短信 sms;上传 upload;下载 download;导出 export;\
    导入 import;报表 report;搜索 search;加密 encryption encrypt;安全 security;漏洞 vulnerability;语言 language;\
    浏览器 browser;移动端 mobile;框架 framework;开关 flag;默认 default;限流 throttle;压测 benchmark;覆盖率 coverage;\
    单测 unittest;包管理 pnpm npm;表情 emoji;错误码 errno;异常 exception;响应 response;请求 request;回调 callback;\
    协议 protocol;域名 domain;账号 account;仓库 repository repo;标签 tag;快照 snapshot;存储 storage;工作区 workspace";

/// How a pair is looked up: the tokens of either side.
struct Entry {
    chinese: Vec<String>,
    english: Vec<String>,
}

fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    let texts = |text: &str| {
        let tokens = tokenize(text, Mode::Query).into_iter();
        tokens.filter(|token| token.kind != TokenKind::Part).map(|token| token.text).collect::<Vec<_>>()
    };
    ENTRIES.get_or_init(|| {
        let split = PAIRS.split(';').filter_map(|pair| pair.trim().split_once(' '));
        split.map(|(chinese, english)| Entry { chinese: texts(chinese), english: texts(english) }).collect()
    })
}

/// A word that may stand for words of the question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Alternative {
    pub(crate) text: String,
    /// Positions of the words it stands for.
    pub(crate) covers: Vec<usize>,
    /// How much of the whole alternative it is, in `(0, 1]`: a pair of characters is a part of a longer word.
    pub(crate) share: f64,
}

/// What the words of a question are in the other language.
pub(crate) fn translations(tokens: &[Token]) -> Vec<Alternative> {
    let usable: Vec<&Token> = tokens
        .iter()
        .filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Gram | TokenKind::Whole))
        .collect();
    let mut found = Vec::new();
    for Entry { chinese, english } in entries() {
        for at in 0..usable.len() {
            let Some(window) = usable.get(at..at + chinese.len()) else { break };
            let adjacent = window.windows(2).all(|two| matches!(two, [a, b] if a.position + 1 == b.position));
            if adjacent && window.iter().map(|token| &token.text).eq(chinese) {
                let covers: Vec<usize> = window.iter().map(|token| token.position as usize).collect();
                found.extend(english.iter().map(|text| Alternative {
                    text: text.clone(),
                    covers: covers.clone(),
                    share: 1.0,
                }));
            }
        }
        for token in usable.iter().filter(|token| english.contains(&token.text)) {
            let share = 1.0 / chinese.len().max(1) as f64;
            let covers = vec![token.position as usize];
            found.extend(chinese.iter().map(|text| Alternative {
                text: text.clone(),
                covers: covers.clone(),
                share,
            }));
        }
    }
    found
}

/// Letters from which one wrong letter is forgiven.
const SPELLED: usize = 5;
/// Letters from which a common beginning counts.
const BEGINNING: usize = 4;

/// Whether `candidate` may be what was meant by a word nobody knows: 0 for one wrong letter, 1 for a common beginning.
///
/// The first letter must be right: a dictionary is then searched in one range.
pub(crate) fn likeness(word: &str, candidate: &str) -> Option<u8> {
    let (a, b) = (word.as_bytes(), candidate.as_bytes());
    let plain = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_alphanumeric);
    if word == candidate || a.first() != b.first() || !plain(a) || !plain(b) {
        return None;
    }
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    if short >= SPELLED && long - short <= 1 {
        let (left, right) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
        let one = match (left, right) {
            ([_, x @ ..], [_, y @ ..]) if x == y => true,
            ([_, x @ ..], y) if x == y => true,
            (x, [_, y @ ..]) if x == y => true,
            ([p, q, x @ ..], [r, s, y @ ..]) => p == s && q == r && x == y,
            _ => false,
        };
        if one {
            return Some(0);
        }
    }
    (same >= BEGINNING && same + 1 >= short && (same == short || short > SPELLED)).then_some(1)
}

/// Whether a word is one that [`likeness`] can help: letters, perhaps with digits, of a spaced script.
pub(crate) fn can_be_misspelt(word: &str) -> bool {
    word.is_ascii()
        && word.len() >= BEGINNING
        && word.bytes().all(|b| b.is_ascii_alphanumeric())
        && word.bytes().any(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_or_the_beginning() {
        for (word, meant) in [("winow", "winnow"), ("timestmap", "timestamp"), ("serever", "server")] {
            assert_eq!(likeness(word, meant), Some(0), "{word}");
        }
        for (word, meant) in [("i18n", "i18next"), ("playwrit", "playwright"), ("config", "configur")] {
            assert_eq!(likeness(word, meant), Some(1), "{word}");
        }
        for (word, other) in
            [("port", "sort"), ("cat", "cart"), ("commit", "common"), ("same", "same"), ("", "a")]
        {
            assert_eq!(likeness(word, other), None, "{word}");
        }
    }

    #[test]
    fn both_directions_and_longer_words() {
        let of = |text: &str| translations(&tokenize(text, Mode::Query));
        assert!(of("数据库").iter().any(|other| other.text == "databas" && other.covers == [0, 1]));
        let back = of("database");
        assert_eq!(back.iter().map(|other| other.text.as_str()).collect::<Vec<_>>(), ["数据", "据库"]);
        assert!(back.iter().all(|other| other.share == 0.5));
        assert!(of("").is_empty());
    }
}
