//! Words that mean the same in the languages developers write their habits in.
//!
//! A small, closed table: everyday verbs and nouns of development. Identifiers, commands and file names need no entry,
//! they are the same in every language. English forms are written as they are folded, see [`super::similarity`].

use std::collections::HashMap;
use std::sync::OnceLock;

/// What a concept says about a habit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A thing done or happening, at the heart of a trigger or an action: commit, test, edit.
    Act,
    /// A program. Two habits that call different ones differ.
    Tool,
    /// Before or after.
    Order,
    /// A thing acted upon.
    Thing,
    /// Goes with any habit: run, use, not. Counts as a token, and decides nothing.
    Weak,
    /// Says nothing; dropped.
    Stop,
}

/// One concept: its token, and what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Concept {
    /// The token that stands for all its words.
    pub(crate) token: &'static str,
    /// What it says.
    pub(crate) class: Class,
}

use Class::{Act, Order, Stop, Thing, Tool, Weak};

/// Token, class, Latin words, words in other scripts.
const TABLE: &[(&str, Class, &str, &str)] = &[
    ("commit", Act, "commit checkin", "提交 コミット 커밋"),
    ("push", Act, "push upload", "推送 推上去 上传 上傳 プッシュ 푸시"),
    ("pull", Act, "pull fetch", "拉取 拉代码 获取 獲取"),
    ("merge", Act, "merge", "合并 合併 マージ 병합"),
    ("rebase", Act, "rebase", "变基 變基"),
    ("release", Act, "release publish ship", "发布 發布 发版 發版 リリース 배포"),
    ("deploy", Act, "deploy deployment rollout", "部署 上线 上線 デプロイ"),
    ("test", Act, "test spec", "测试 測試 单测 單測 テスト 테스트"),
    ("build", Act, "build compile compilation", "构建 構建 建置 编译 編譯 ビルド 빌드"),
    ("format", Act, "format fmt prettify reformat", "格式化 フォーマット"),
    ("lint", Act, "lint", "静态检查 靜態檢查"),
    (
        "edit",
        Act,
        "edit modify modification change update alter write rewrite adjust",
        "编辑 編輯 修改 改动 改動 变更 變更 更改 更新 改完 改好 改 写 寫 編集 変更 수정 편집",
    ),
    ("create", Act, "create add new generate", "创建 創建 新建 新增 添加 生成 作成 追加 생성"),
    ("delete", Act, "delete remove drop erase", "删除 刪除 移除 删掉 删 削除 삭제"),
    ("rename", Act, "rename", "重命名 改名"),
    ("refactor", Act, "refactor", "重构 重構 リファクタ"),
    ("move", Act, "move relocate", "移动 移動"),
    (
        "read",
        Act,
        "read view open inspect",
        "读取 讀取 阅读 閱讀 读一遍 读 讀 查看 看一遍 看一下 打开 読む 読み 읽기 읽",
    ),
    (
        "search",
        Act,
        "search find grep lookup locate rg ripgrep glob",
        "搜索 搜寻 搜尋 查找 检索 檢索 寻找 搜 検索 검색",
    ),
    (
        "check",
        Act,
        "check verify confirm validate ensure review",
        "检查 檢查 确认 確認 核对 核實 核实 验证 驗證 查一下 審査 확인",
    ),
    ("install", Act, "install", "安装 安裝 インストール 설치"),
    ("upgrade", Act, "upgrade bump", "升级 升級"),
    (
        "error",
        Act,
        "error fail failure failing failed crash exception",
        "错误 錯誤 失败 失敗 报错 報錯 出错 出錯 崩溃 异常 エラー 에러 실패",
    ),
    ("fix", Act, "fix repair resolve mend", "修复 修復 修好 修正 解决 解決 修 수리"),
    ("debug", Act, "debug diagnose investigate", "调试 調試 排查 诊断"),
    ("plan", Act, "plan", "计划 計劃 规划"),
    ("ask", Act, "ask", "询问 詢問 问一下"),
    ("backup", Act, "backup", "备份 備份"),
    ("migrate", Act, "migrate migration", "迁移 遷移"),
    ("start", Act, "start begin launch", "开始 開始 启动 啟動"),
    ("stop", Act, "stop kill", "停止 停掉"),
    ("finish", Act, "finish complete", "完成 结束 結束"),
    ("explore", Act, "explore understand", "探索 了解 理解"),
    ("cargo", Tool, "cargo", ""),
    ("npm", Tool, "npm", ""),
    ("pnpm", Tool, "pnpm", ""),
    ("yarn", Tool, "yarn", ""),
    ("bun", Tool, "bun", ""),
    ("deno", Tool, "deno", ""),
    ("pip", Tool, "pip", ""),
    ("uv", Tool, "uv", ""),
    ("poetry", Tool, "poetry", ""),
    ("pytest", Tool, "pytest", ""),
    ("cmake", Tool, "cmake", ""),
    ("gradle", Tool, "gradle", ""),
    ("maven", Tool, "maven mvn", ""),
    ("docker", Tool, "docker", ""),
    ("kubectl", Tool, "kubectl", ""),
    ("terraform", Tool, "terraform", ""),
    ("git", Tool, "git", ""),
    ("gh", Tool, "gh", ""),
    ("before", Order, "before prior beforehand first", "之前 以前 前先 前 先 事先 前に まず 전에"),
    ("after", Order, "after afterwards following once", "之后 之後 以后 以後 完后 后 後 完成后 後に 후에"),
    ("run", Weak, "run execute invoke call", "运行 運行 执行 執行 跑一遍 跑一下 跑 実行 실행"),
    ("use", Weak, "use using prefer choose", "使用 改用 采用 採用 优先 用 使う 사용"),
    (
        "not",
        Weak,
        "not never avoid don dont no without instead rather",
        "不要再 不要用 不要 不再用 不再 不使用 不用 不能 不可 不得 不应该 不应 不直接 禁止 避免 切勿 别再用 别再 别用 而不是 而不用 代替 替代 而非",
    ),
    ("file", Thing, "file", "文件 檔案 ファイル 파일"),
    ("code", Thing, "code source", "代码 代碼 程式碼 源码 コード 코드"),
    ("function", Thing, "function method", "函数 函數 方法 関数 함수"),
    ("module", Thing, "module", "模块 模組 モジュール 모듈"),
    ("type", Thing, "type", "类型 類型"),
    ("status", Thing, "status state", "状态 狀態 状態 상태"),
    ("diff", Thing, "diff difference", "差异 差異"),
    ("branch", Thing, "branch", "分支 ブランチ"),
    ("dependency", Thing, "dependency dep dependencies", "依赖 依賴 依存 의존성"),
    ("version", Thing, "version", "版本 バージョン 버전"),
    ("config", Thing, "config configuration setting", "配置 设置 設置 設定 설정"),
    ("command", Thing, "command cmd", "命令 指令 コマンド 명령"),
    ("document", Thing, "document documentation doc", "文档 文檔 文件档 ドキュメント 문서"),
    ("comment", Thing, "comment", "注释 註釋 コメント 주석"),
    ("log", Thing, "log", "日志 日誌 ログ 로그"),
    ("database", Thing, "database db", "数据库 數據庫 資料庫 データベース"),
    ("schema", Thing, "schema", "模式 结构"),
    ("interface", Thing, "interface api", "接口 介面"),
    ("frontend", Thing, "frontend", "前端"),
    ("backend", Thing, "backend", "后端 後端"),
    ("project", Thing, "project", "项目 專案 プロジェクト 프로젝트"),
    ("package", Thing, "package crate", "软件包 包"),
    ("tool", Thing, "tool", "工具 ツール 도구"),
    ("script", Thing, "script", "脚本 腳本 スクリプト"),
    ("rust", Thing, "rust rs", ""),
    ("typescript", Thing, "typescript ts", ""),
    ("javascript", Thing, "javascript js", ""),
    ("python", Thing, "python py", ""),
    ("usage", Thing, "usage reference caller", "用法 引用 调用处"),
    ("name", Thing, "name", "名称 名稱 名字"),
    ("line", Thing, "line", "行数"),
    ("time", Thing, "time", "时间 時間"),
    ("again", Weak, "again retry rerun", "重试 重試 重新 再次"),
    ("cause", Thing, "cause reason root", "原因 根因"),
    ("message", Thing, "message", "消息 訊息 信息"),
    ("user", Thing, "user", "用户 用戶"),
    (
        "frontmost",
        Stop,
        "",
        "目前 当前 當前 然后 然後 最后 最後 以便 一下 一遍 这个 這個 那个 那個 进行 進行 对于 時候 时候 每次 每一次 总是 總是 必须 必須 需要 应该 應該 应当 可以 任何 所有 一个 一個 如果 或者 以及 并且 并 和 与 與 或 及 的 了 在 时 時 当 當 请 請 就 都 也 把 将 將 是 我 你 他 们 們 する を に は が の で と も から 을 를",
    ),
    (
        "",
        Stop,
        "the a an to of in on at for from by with as and or it its is are be been was were this that these those \
         when whenever while if then than so always must should please you your yours we our i my me he she they \
         them their do does did done make sure will would can could may might have has had having any all every each \
         some one into onto out up over about just only also still very need needs needed want",
        "",
    ),
];

struct Tables {
    latin: HashMap<String, Concept>,
    other: HashMap<&'static str, Concept>,
    longest: usize,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = Tables { latin: HashMap::new(), other: HashMap::new(), longest: 0 };
        for (token, class, latin, other) in TABLE.iter().copied() {
            let concept = Concept { token, class };
            // The first entry of a word stands.
            for word in latin.split_whitespace() {
                tables.latin.entry(word.to_owned()).or_insert(concept);
                tables.latin.entry(super::similarity::fold(word)).or_insert(concept);
            }
            for word in other.split_whitespace() {
                tables.longest = tables.longest.max(word.chars().count());
                tables.other.entry(word).or_insert(concept);
            }
        }
        tables
    })
}

/// The concept of a lower-case Latin word, in any of its forms.
pub(crate) fn latin(word: &str) -> Option<Concept> {
    let latin = &tables().latin;
    latin.get(word).or_else(|| latin.get(&super::similarity::fold(word))).copied()
}

/// The concept at the start of text in another script, and how many characters its word takes. The longest wins.
pub(crate) fn other(text: &[char]) -> Option<(Concept, usize)> {
    let tables = tables();
    let mut word = String::new();
    let mut found = None;
    for (i, c) in text.iter().take(tables.longest).enumerate() {
        word.push(*c);
        if let Some(concept) = tables.other.get(word.as_str()) {
            found = Some((*concept, i + 1));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_meet() {
        for word in ["commit", "commits", "committing", "committed", "checkin"] {
            assert_eq!(latin(word).map(|c| c.token), Some("commit"), "{word}");
        }
        for word in ["change", "changing", "changes", "changed", "writing", "modified", "edits"] {
            assert_eq!(latin(word).map(|c| c.token), Some("edit"), "{word}");
        }
        assert_eq!(latin("zebra"), None);
    }

    #[test]
    fn the_longest_word_wins() {
        let at = |text: &str| {
            let chars: Vec<char> = text.chars().collect();
            other(&chars).map(|(c, n)| (c.token, n))
        };
        assert_eq!(at("前端代码"), Some(("frontend", 2)));
        assert_eq!(at("前先跑"), Some(("before", 2)));
        assert_eq!(at("改用 pnpm"), Some(("use", 2)));
        assert_eq!(at("虎"), None);
    }
}
