//! From a question to an answer, over a store in memory and a real index.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use mem_core::{
    Anchor, Channel, Embedder, Error, ErrorKind, Kind, Link, LinkKind, Mark, Memory, MemoryFilter,
    MemoryStore, ProjectId, Query, Result, Revision, Status, TextHits, TextIndex, Timestamp, VectorIndex,
};
use mem_embed::HashEmbedder;
use mem_index::{
    AnchorState, Budget, RecallConfig, Recaller, TantivyConfig, TantivyIndex, catch_up, embed_missing,
};
use mem_testing::InMemoryStore;

const DAY: i64 = 86_400;

fn at(day: i64) -> Timestamp {
    Timestamp::from_second(1_790_000_000 + day * DAY).unwrap()
}

struct World {
    store: InMemoryStore,
    text: TantivyIndex,
    _folder: tempfile::TempDir,
}

fn world(memories: &[Memory]) -> World {
    let folder = tempfile::tempdir().unwrap();
    let store = InMemoryStore::default();
    if !memories.is_empty() {
        MemoryStore::put(&store, memories).unwrap();
    }
    let text = TantivyIndex::new(folder.path(), TantivyConfig::default());
    catch_up(&store, &text, &Budget::default()).unwrap();
    World { store, text, _folder: folder }
}

impl World {
    fn bodies(&self, query: &Query) -> Vec<String> {
        let answer = Recaller::new(&self.store, &self.text).recall(query).unwrap();
        assert!(answer.degraded.is_empty(), "{:?}", answer.degraded);
        answer.hits.into_iter().map(|hit| hit.memory.body).collect()
    }

    fn first(&self, text: &str) -> String {
        self.bodies(&Query::new(text, at(1))).into_iter().next().unwrap_or_default()
    }
}

fn fact(body: &str) -> Memory {
    Memory::new(Kind::Fact, body, at(0))
}

/// Five hundred statements about other things, in two languages.
fn others() -> Vec<Memory> {
    let topics = [
        "缓存层",
        "数据库",
        "日志",
        "前端路由",
        "消息队列",
        "部署脚本",
        "监控",
        "权限模型",
        "搜索页",
        "支付回调",
    ];
    let said = [
        "使用默认配置并记录版本",
        "需要在启动时预热",
        "由独立服务负责",
        "超时时间是三十秒",
        "文档在内部维基",
    ];
    let english = [
        "The build runs on two workers",
        "Logs rotate every night",
        "Use pnpm for the web client",
        "The staging host has its own database",
        "Feature flags live in the registry",
    ];
    (0..500usize)
        .map(|n| {
            let body = if n % 2 == 0 {
                format!("{}{}，第{n}条", topics[n / 2 % 10], said[n / 20 % 5])
            } else {
                format!("{} (entry {n})", english[n / 2 % 5])
            };
            Memory::new(Kind::Fact, body, at(0))
        })
        .collect()
}

#[test]
fn a_chinese_rule_is_first_among_five_hundred() {
    let rule = Memory::new(Kind::Feedback, "改完代码不主动提交，等用户验证确认后再 commit/push", at(0));
    let mut memories = others();
    memories.push(rule.clone());
    let world = world(&memories);
    for question in ["提交", "commit", "验证 push", "能不能直接提交代码？", "确认"] {
        assert_eq!(world.first(question), rule.body, "{question}");
    }
}

#[test]
fn identifiers_paths_accents_and_scripts_are_found() {
    let mut memories = others();
    for body in [
        "HTTPServer::listen must be called before bind_routes",
        "The hook lives in src/hooks/mod.rs",
        r"On Windows the cache is C:\ProgramData\mem\cache.db",
        "E0308 came from a missing semicolon; ERR_MODULE_NOT_FOUND from the loader",
        "Le café est facturé à la résumé d'équipe",
        "検索インデックスは毎晩再構築する",
        "데이터베이스 연결은 풀에서 가져온다",
        "Перед релизом прогнать миграции",
        "Pinned to serde v1.2.3 because of a regression",
        "ฐานข้อมูลสำรองทุกคืน",
        "加锁要按固定顺序",
    ] {
        memories.push(fact(body));
    }
    let world = world(&memories);
    for (question, part) in [
        ("http server", "HTTPServer"),
        ("bindRoutes", "bind_routes"),
        ("mod.rs", "src/hooks/mod.rs"),
        ("hooks/mod.rs", "src/hooks/mod.rs"),
        ("cache.db", "ProgramData"),
        ("error E0308", "E0308"),
        ("module not found", "ERR_MODULE_NOT_FOUND"),
        ("cafe resume", "café"),
        ("インデックス", "検索インデックス"),
        ("再構築", "検索インデックス"),
        ("연결", "데이터베이스"),
        ("миграции", "релизом"),
        ("1.2.3", "serde"),
        ("สำรอง", "ฐานข้อมูล"),
        ("锁", "加锁"),
    ] {
        assert!(world.first(question).contains(part), "{question}: {:?}", world.first(question));
    }
}

#[test]
fn nothing_relevant_nothing_found() {
    let world = world(&others());
    assert!(world.bodies(&Query::new("zebra quokka", at(1))).is_empty());
    assert!(world.bodies(&Query::new("", at(1))).is_empty());
    assert!(world.bodies(&Query::new("workers", at(1)).limit(0)).is_empty());
}

#[test]
fn a_shared_common_word_is_dropped_with_a_reason() {
    let mut memories: Vec<_> = (0..60).map(|n| fact(&format!("server number{n} runs"))).collect();
    memories.push(fact("the quota of uploads is ninety files"));
    let world = world(&memories);
    let question = "which server mentions gigantic unicorns dancing on purple rainbows near volcanic islands";
    let answer = Recaller::new(&world.store, &world.text).recall(&Query::new(question, at(1))).unwrap();
    assert!(answer.hits.is_empty(), "{:?}", answer.hits);
    assert!(answer.dropped.iter().any(|dropped| dropped.reason == "shares only common words"));
}

#[test]
fn every_hit_explains_itself_and_relevance_is_told() {
    let mut memories = others();
    let exact = fact("the quota of uploads is ninety files");
    memories.push(exact.clone());
    let world = world(&memories);
    let judged = Recaller::new(&world.store, &world.text).judge(&Query::new("upload quota", at(1))).unwrap();
    let hit = &judged.recall.hits[0];
    assert_eq!(hit.memory.id, exact.id);
    assert_eq!(hit.channels[&Channel::Bm25].rank, 1);
    assert!(hit.channels[&Channel::Bm25].score > 0.0);
    assert!((hit.score - hit.factors.product()).abs() < 1e-9, "the best base is 1");
    let (features, relevant) = judged.features[0];
    assert!(relevant && features.coverage == 1.0 && features.specificity > 1.5, "{features:?}");
    let strict = RecallConfig { relevant_only: true, ..RecallConfig::default() };
    let answer = Recaller::new(&world.store, &world.text)
        .config(strict)
        .recall(&Query::new("please rename the variable in all files to something shorter and nicer", at(1)))
        .unwrap();
    assert!(answer.hits.is_empty(), "{:?}", answer.hits);
}

#[test]
fn projects_stay_apart() {
    let [own, other] = ["own", "other"].map(|id| ProjectId::new(id).unwrap());
    let world = world(&[
        fact("deploy globally").in_project(own.clone()),
        fact("deploy elsewhere").in_project(other),
        fact("deploy with the tag"),
    ]);
    let mut found = world.bodies(&Query::new("deploy", at(1)).within(own));
    found.sort();
    assert_eq!(found, ["deploy globally", "deploy with the tag"]);
}

#[test]
fn the_newer_statement_is_marked_and_the_past_is_asked_for() {
    let old = Memory::new(Kind::Decision, "The cache is Redis", at(0));
    let world = world(std::slice::from_ref(&old));
    let new = Memory::new(Kind::Decision, "The cache is Valkey", at(10));
    world.store.supersede(&old.id, &new, at(10)).unwrap();
    catch_up(&world.store, &world.text, &Budget::default()).unwrap();
    let recaller = Recaller::new(&world.store, &world.text);
    let answer = recaller.recall(&Query::new("which cache", at(11))).unwrap();
    assert_eq!(answer.hits.len(), 1);
    assert_eq!(
        (answer.hits[0].memory.id.clone(), answer.hits[0].marks.clone()),
        (new.id, vec![Mark::Updated])
    );
    let mut past = Query::new("which cache", at(11));
    past.filter.at = Some(at(5));
    let answer = recaller.recall(&past).unwrap();
    assert_eq!(answer.hits.iter().map(|hit| &hit.memory.id).collect::<Vec<_>>(), [&old.id]);
    let mut everything = Query::new("which cache", at(11));
    everything.filter.statuses.clear();
    let answer = recaller.recall(&everything).unwrap();
    assert_eq!(answer.hits.len(), 1, "the old one is collapsed");
    assert!(
        answer.dropped.iter().any(|dropped| dropped.id == old.id && dropped.reason.contains("superseded by"))
    );
}

#[test]
fn what_outlived_its_time_is_dropped_unless_asked_for() {
    let old = Memory::new(Kind::Decision, "Ports are assigned by hand", at(-200));
    let world = world(std::slice::from_ref(&old));
    let recaller = Recaller::new(&world.store, &world.text);
    let answer = recaller.recall(&Query::new("ports", at(0))).unwrap();
    assert!(answer.hits.is_empty() && answer.dropped[0].reason.contains("outlived"), "{answer:?}");
    let mut all = Query::new("ports", at(0));
    all.filter = MemoryFilter { statuses: Vec::new(), ..MemoryFilter::default() };
    assert_eq!(recaller.recall(&all).unwrap().hits.len(), 1);
}

#[test]
fn links_are_followed_one_hop_and_damped() {
    let reason = fact("an outage in spring cost a day");
    let far = fact("spring cleaning of the archive");
    let mut rule = fact("migrations need a rehearsal");
    rule.links = vec![Link { kind: LinkKind::CausedBy, to: reason.id.clone() }];
    let mut linked = reason.clone();
    linked.links = vec![Link { kind: LinkKind::Related, to: far.id.clone() }];
    let world = world(&[linked, far, rule.clone()]);
    let answer = Recaller::new(&world.store, &world.text)
        .recall(&Query::new("rehearsal of migrations", at(1)))
        .unwrap();
    assert_eq!(answer.hits.iter().map(|hit| &hit.memory.id).collect::<Vec<_>>(), [&rule.id, &reason.id]);
    assert!(
        answer.hits[1].score < answer.hits[0].score && answer.hits[1].channels.contains_key(&Channel::Link)
    );
}

#[test]
fn the_file_at_hand_comes_nearer_and_changed_anchors_are_marked() {
    let mut anchored = fact("errors are wrapped once");
    anchored.anchors = vec![Anchor { path: "src/error.rs".to_owned(), content_hash: None, commit: None }];
    let world = world(&[fact("errors are wrapped at the boundary"), anchored.clone()]);
    let mut query = Query::new("errors wrapped", at(1));
    query.path = Some("src/error.rs".to_owned());
    let check =
        |memory: &Memory| if memory.anchors.is_empty() { AnchorState::Unknown } else { AnchorState::Changed };
    let answer = Recaller::new(&world.store, &world.text).anchors(&check).recall(&query).unwrap();
    assert_eq!(answer.hits[0].memory.id, anchored.id);
    assert_eq!(answer.hits[0].marks, [Mark::Verify]);
    let mut bare = Query::new("", at(1));
    bare.path = Some("src/error.rs".to_owned());
    assert_eq!(world.bodies(&bare), [anchored.body]);
}

/// An index that always fails.
struct Broken;

impl Broken {
    fn error<T>() -> Result<T> {
        Err(Error::backend(ErrorKind::Corrupt, "the index is in pieces", "test"))
    }
}

impl TextIndex for Broken {
    fn revision(&self) -> Result<Revision> {
        Self::error()
    }
    fn apply(&self, _: &[mem_core::Change], _: Revision) -> Result<()> {
        Self::error()
    }
    fn search(&self, _: &str, _: &MemoryFilter, _: usize) -> Result<TextHits> {
        Self::error()
    }
    fn clear(&self) -> Result<()> {
        Self::error()
    }
    fn len(&self) -> Result<u64> {
        Self::error()
    }
}

#[test]
fn without_an_index_the_store_answers_the_same() {
    let mut memories = others();
    memories.push(fact("改完代码不主动提交"));
    let world = world(&memories);
    for question in ["提交", "entry 41 workers", "日志 三十秒"] {
        let query = Query::new(question, at(1));
        let sound = Recaller::new(&world.store, &world.text).recall(&query).unwrap();
        let broken = Recaller::new(&world.store, &Broken).recall(&query).unwrap();
        assert_eq!(broken.degraded[0].part, "bm25");
        assert!(broken.degraded[0].reason.contains("in pieces"), "{:?}", broken.degraded);
        let ids = |answer: &mem_core::Recall| {
            answer.hits.iter().map(|hit| hit.memory.id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(ids(&broken), ids(&sound), "{question}");
        assert!(!sound.hits.is_empty());
    }
}

#[test]
fn a_stale_index_does_not_hide_what_was_just_added() {
    let world = world(&others());
    let fresh = fact("the quota of uploads is ninety files");
    MemoryStore::put(&world.store, std::slice::from_ref(&fresh)).unwrap();
    let answer = Recaller::new(&world.store, &world.text).recall(&Query::new("quota", at(1))).unwrap();
    assert_eq!(answer.hits[0].memory.id, fresh.id);
    assert!(answer.degraded[0].reason.contains("1 changes behind"), "{:?}", answer.degraded);
}

#[test]
fn vectors_add_what_words_miss_and_may_fail() {
    let mut memories = others();
    memories.push(fact("Kubernetes"));
    let world = world(&memories);
    let embedder = HashEmbedder::default();
    let budget = Budget { embeddings_batch: 100, ..Budget::default() };
    let part =
        embed_missing(&world.store, &world.store, &embedder, &Budget { embeddings: 7, ..budget }).unwrap();
    assert_eq!((part.memories, part.complete), (7, false));
    let done = embed_missing(&world.store, &world.store, &embedder, &budget).unwrap();
    assert_eq!((done.memories, done.complete), (494, true));
    assert_eq!(world.store.missing(embedder.identity(), 9).unwrap(), []);
    let recaller = Recaller::new(&world.store, &world.text).vectors(Some(&world.store), Some(&embedder));
    let answer = recaller.recall(&Query::new("Kubernets", at(1))).unwrap();
    assert_eq!(answer.hits[0].memory.body, "Kubernetes", "a typing error");
    assert!(answer.hits[0].channels.contains_key(&Channel::Vector));

    struct Silent(HashEmbedder, mem_core::Calibration);
    impl Embedder for Silent {
        fn identity(&self) -> &mem_core::ModelIdentity {
            self.0.identity()
        }
        fn embed(&self, _: &[&str], _: mem_core::TextRole) -> Result<Vec<mem_core::Embedding>> {
            Err(Error::backend(ErrorKind::Unavailable, "the model file is missing", "test"))
        }
        fn calibration(&self) -> &mem_core::Calibration {
            &self.1
        }
    }
    let silent = Silent(HashEmbedder::default(), mem_core::Calibration::default());
    let answer = Recaller::new(&world.store, &world.text)
        .vectors(Some(&world.store), Some(&silent))
        .recall(&Query::new("kubernetes", at(1)))
        .unwrap();
    assert_eq!(answer.hits[0].memory.body, "Kubernetes");
    assert_eq!(answer.degraded[0].part, "embedder");
}

#[test]
fn catching_up_keeps_to_its_budget_and_rebuilds() {
    let world = world(&[]);
    MemoryStore::put(&world.store, &others()).unwrap();
    let budget = Budget { changes: 120, changes_batch: 50, ..Budget::default() };
    let first = catch_up(&world.store, &world.text, &budget).unwrap();
    assert_eq!((first.applied, first.complete, first.rebuilt), (120, false, false));
    assert_eq!(world.text.len().unwrap(), 120);
    let rest = catch_up(&world.store, &world.text, &Budget::default()).unwrap();
    assert_eq!((rest.applied, rest.complete), (380, true));
    assert_eq!(rest.revision, world.store.revision().unwrap());
    assert_eq!(catch_up(&world.store, &world.text, &Budget::default()).unwrap().applied, 0);

    // Damaged.
    std::fs::write(world.text.directory().join("meta.json"), "{").unwrap();
    let mended = catch_up(&world.store, &world.text, &Budget::default()).unwrap();
    assert_eq!((mended.applied, mended.rebuilt, mended.complete), (500, true, true));

    // A store restored from a backup is behind its view.
    let restored = InMemoryStore::default();
    MemoryStore::put(&restored, &[fact("the only statement")]).unwrap();
    let back = catch_up(&restored, &world.text, &Budget::default()).unwrap();
    assert_eq!((back.applied, back.rebuilt, back.complete), (1, true, true));
    assert_eq!(world.text.len().unwrap(), 1);
}

#[test]
fn status_changes_reach_the_index() {
    let mut memory = fact("the quota of uploads is ninety files");
    let world = world(std::slice::from_ref(&memory));
    memory.status = Status::Archived;
    MemoryStore::put(&world.store, std::slice::from_ref(&memory)).unwrap();
    catch_up(&world.store, &world.text, &Budget::default()).unwrap();
    assert!(world.bodies(&Query::new("quota", at(1))).is_empty());
}
