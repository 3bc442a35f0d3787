use super::{masses::Masses, score::idf, *};
use mem_core::{Memory, MemoryId, TextHit};

#[test]
fn idf_falls_and_stays_above_zero() {
    assert!((idf(1, 10) - (1.0f64 + 9.5 / 1.5).ln()).abs() < 1e-12);
    assert!(idf(0, 10) > idf(1, 10) && idf(1, 10) > idf(10, 10) && idf(10, 10) > 0.0);
}

#[test]
fn long_questions_keep_both_ends() {
    let config = LexicalConfig { max_query_terms: 4, ..LexicalConfig::default() };
    let text = "alpha bravo charlie delta echo foxtrot";
    let terms: Vec<_> = Plan::new(text, &config).terms.into_iter().map(|term| term.text).collect();
    assert_eq!(terms, ["alpha", "bravo", "echo", "foxtrot"]);
    let config = LexicalConfig { max_query_bytes: 9, ..LexicalConfig::default() };
    let terms: Vec<_> =
        Plan::new("提交一二三四推送", &config).terms.into_iter().map(|term| term.text).collect();
    assert_eq!(terms, ["提", "送"]);
}

#[test]
fn an_identifier_and_its_parts_are_one_word() {
    let config = LexicalConfig { translated: 0.0, ..LexicalConfig::default() };
    let plan = Plan::new("HTTPServer timeout", &config);
    assert_eq!(plan.terms.len(), 4);
    let masses = Masses::new(&plan, &[2.0, 1.0, 1.0, 2.0], &config, 100);
    assert_eq!(masses.held(|term| term == 0).0, 0.5);
    assert_eq!(masses.held(|term| term == 1 || term == 2).0, 0.5);
    assert_eq!(masses.held(|term| term == 1).0, 0.25);
    assert_eq!(masses.held(|_| true).0, 1.0);
}

fn found(question: &str, bodies: &[&str]) -> Vec<(String, TextHit)> {
    let memories: Vec<Memory> = bodies
        .iter()
        .map(|body| Memory::new(mem_core::Kind::Fact, *body, mem_core::Timestamp::UNIX_EPOCH))
        .collect();
    let body = |id: &MemoryId| memories.iter().find(|memory| memory.id == *id).map(|m| m.body.clone());
    crate::scan(question, &memories, 10, &LexicalConfig::default())
        .hits
        .into_iter()
        .filter(|hit| hit.score > 0.0)
        .map(|hit| (body(&hit.id).unwrap_or_default(), hit))
        .collect()
}

#[test]
fn a_translation_finds_below_what_holds_the_word_itself() {
    let bodies = ["网关的端口是 7070", "the gateway listens on port 7071", "nothing of the kind"];
    let hits = found("端口", &bodies);
    let order: Vec<_> = hits.iter().map(|(body, _)| body.as_str()).collect();
    assert_eq!(order, bodies[..2]);
    assert!(hits[1].1.specificity <= hits[0].1.specificity / 2.0, "{hits:?}");
}

#[test]
fn a_word_nobody_knows_finds_what_is_spelt_alike() {
    let hits = found("winow", &["parsers are written with winnow", "clippy is run first"]);
    assert_eq!(hits.len(), 1, "{hits:?}");
    assert!(hits[0].0.contains("winnow") && hits[0].1.specificity <= 0.5);
    assert!(found("window", &["windows", "winnow"]).iter().all(|(body, _)| body == "windows"));
}

#[test]
fn words_of_every_order_alone_tell_nothing() {
    let hits = found("print the function", &["the function is printed", "redb stores it"]);
    assert!(hits[0].1.coverage > 0.5 && hits[0].1.specificity == 0.0, "{hits:?}");
    assert!(found("print redb", &["redb stores it", "another"])[0].1.specificity > 0.9);
}

fn by_grams(question: &str, bodies: &[&str]) -> Vec<String> {
    let memories: Vec<Memory> = bodies
        .iter()
        .map(|body| Memory::new(mem_core::Kind::Fact, *body, mem_core::Timestamp::UNIX_EPOCH))
        .collect();
    let mut hits = crate::scan(question, &memories, 10, &LexicalConfig::default()).hits;
    hits.retain(|hit| hit.grams > 0.0);
    hits.sort_by(|a, b| b.grams.total_cmp(&a.grams));
    let body = |id: &MemoryId| memories.iter().find(|memory| memory.id == *id).map(|m| m.body.clone());
    hits.iter().filter_map(|hit| body(&hit.id)).collect()
}

#[test]
fn misspelt_inflected_and_joined_words_are_found_by_their_letters() {
    let bodies = [
        "the scheduler retries a shipment twice",
        "die Lieferadresse steht im Auftrag",
        "пароли хранятся в хранилище",
        "Ports are assigned by the registry",
    ];
    for (question, found) in [
        ("shedular", bodies[0]),
        ("retrying shipments", bodies[0]),
        ("Adressen", bodies[1]),
        ("какой пароль", bodies[2]),
        ("prots registery", bodies[3]),
    ] {
        assert_eq!(by_grams(question, &bodies).first().map(String::as_str), Some(found), "{question}");
    }
    assert!(by_grams("zyx", &bodies).is_empty());
}

#[test]
fn letters_of_function_words_do_not_count() {
    let bodies = ["what would have been there", "a shipment is assigned"];
    assert_eq!(by_grams("what would the shipment have been?", &bodies), bodies[1..]);
    assert_eq!(by_grams("what would", &bodies), bodies[..1], "unless there is nothing else");
}

#[test]
fn common_trigrams_are_passed_over_where_there_are_many_memories() {
    let mut bodies: Vec<String> = (0..80).map(|n| format!("berth{n}")).collect();
    bodies.push("berthold".to_owned());
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    assert_eq!(by_grams("berthold", &bodies), ["berthold"], "ber, ert and rth are everywhere");
}
