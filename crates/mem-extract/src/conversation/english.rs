//! Rules for English.

use super::english_words::{DOUBT, FILLER, INTERROGATIVE, ORDERS, ORDERS_TO_SELF, TROUBLE};
use super::text::{Sentence, after, skip_filler};
use super::{Match, Said, Strength, remembered};
use mem_core::Kind;

fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}

pub(super) fn word_in(lower: &str, words: &[&str]) -> bool {
    words.iter().any(|w| {
        lower.match_indices(w).any(|(at, _)| {
            let before =
                lower.get(..at).and_then(|h| h.chars().next_back()).is_none_or(|c| !c.is_alphanumeric());
            let after =
                lower.get(at + w.len()..).and_then(|t| t.chars().next()).is_none_or(|c| !c.is_alphanumeric());
            before && (after || w.ends_with(' '))
        })
    })
}

pub(crate) fn is_order(text: &str) -> bool {
    let text = skip_filler(text, FILLER);
    after(text, ORDERS).is_some()
}

/// Whether it lays down a rule: "always …", "never …", "must".
pub(crate) fn is_rule(text: &str) -> bool {
    word_in(
        &lower(text),
        words![
            "always" "never" "must" "no" "don't" "do not" "every time" "whenever" "prefer" "make sure" "should"
        ],
    )
}

/// Whether it is about the person rather than the project.
pub(crate) fn is_personal(text: &str) -> bool {
    let low = lower(text);
    let me = after(&low, &["i", "i'm", "i'd", "my", "call me", "address me"]).is_some();
    me || word_in(
        &low,
        words![
            "reply" "replies" "answer" "answers" "respond" "response" "responses" "explain" "speak"
            "talk to me" "emoji" "emojis" "concise" "verbose" "in chinese" "in english" "apologize"
            "summaries" "summary" "tone"
        ],
    )
}

/// The statement and its reason.
pub(crate) fn split_why(text: &str) -> (String, Option<String>) {
    let low = text.to_ascii_lowercase();
    for cue in [
        " because of ",
        " because ",
        " since ",
        " due to ",
        " so that ",
        ", so that ",
        " as it ",
        " as we ",
        ", as ",
        " — ",
    ] {
        if let Some((at, _)) = low.match_indices(cue).next() {
            let (head, tail) =
                (text.get(..at).unwrap_or_default(), text.get(at + cue.len()..).unwrap_or_default());
            // "since last week" is a time, not a reason.
            let time = cue == " since "
                && tail.starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'l' | 'y'))
                && tail.split_whitespace().count() <= 3;
            if head.split_whitespace().count() >= 2 && tail.split_whitespace().count() >= 2 && !time {
                let tail = if cue.starts_with(" as") || cue.starts_with(", as") {
                    text.get(at + 1..)
                        .unwrap_or(tail)
                        .trim_start_matches([' ', ','])
                        .trim_start_matches("as ")
                } else {
                    tail
                };
                return (head.trim_end_matches(',').to_owned(), Some(tail.to_owned()));
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
    // One apostrophe, so that lower case and text agree byte by byte.
    let straight = sentence.text.replace('’', "'");
    let whole = straight.trim();
    let text = skip_filler(whole, FILLER);
    let low = lower(text);
    if low.starts_with(['"', '\'', '“']) {
        return Said::Nothing;
    }
    let conditional =
        after(&low, &["when"]).is_some() && (low.contains(", always ") || low.contains(", never "));
    if (after(&low, INTERROGATIVE).is_some() && !conditional) || word_in(&low, DOUBT) {
        return Said::Nothing;
    }
    if adopts(whole) {
        return Said::Adopt;
    }
    [todo, correction, decision, preference, fact]
        .iter()
        .find_map(|rule| rule(text, &low))
        .unwrap_or(Said::Nothing)
}

/// A request to remember, at the start of the sentence or after filler.
pub(crate) fn explicit(sentence: &str) -> Option<Said> {
    let straight = sentence.replace('’', "'");
    let text = skip_filler(straight.trim(), FILLER);
    let low = &lower(text);
    if low.starts_with(['"', '\'', '“']) {
        return None;
    }
    explicit_at_start(text, low).or_else(|| super::explicit::english(text))
}

fn explicit_at_start(text: &str, low: &str) -> Option<Said> {
    const CUES: &[&str] = words![
        "remember that" "remember this" "remember:" "remember," "remember -" "remember to" "remember we"
        "remember i" "remember the fact that" "remember for next time" "remember for later" "remember"
        "keep in mind that" "keep in mind" "note for later" "note to self" "make a note that"
        "make a note of this" "make a note" "take a note" "for future reference" "for the record"
        "save this to memory" "save to memory" "add this to memory" "add to memory" "store this in memory"
        "memorize this" "memorize that" "memorize" "don't forget that" "never forget that"
        "you should remember that" "you must remember that" "i want you to remember that"
        "i want you to remember" "be sure to remember that"
    ];
    let low_rest = after(low, CUES)?;
    if after(
        low,
        words![
            "remember when" "remember how" "remember what" "remember the last" "remember where"
            "remember why" "remember last" "remember me" "remember my login"
        ],
    )
    .is_some()
    {
        return Some(Said::Nothing);
    }
    let rest = text.get(text.len() - low_rest.len()..).unwrap_or_default();
    let rest = rest.trim_start_matches([':', '：', ',', '-', '–', '—', ' ', '.', '!']);
    // "remember we …" keeps its subject.
    let keep = after(low, &["remember we", "remember i"]).is_some();
    let content = if keep { text.get("remember ".len()..).unwrap_or(rest) } else { rest };
    let content = content.strip_prefix("that ").unwrap_or(content);
    // "Remember my build command" names something and states nothing.
    let states = [
        "is", "are", "was", "use", "uses", "run", "runs", "need", "needs", "must", "should", "never",
        "always", "not", "have", "has", "on", "in", "at", "to", "only",
    ];
    let words = content.split_whitespace().count();
    let names_only = super::explicit::announced(content).is_none()
        && (1..=5).contains(&words)
        && after(content, &["my", "the", "this", "these", "our", "that", "it"]).is_some()
        && !word_in(&lower(content), &states)
        && !content.contains([':', '=', '`'])
        && !content.chars().any(|c| c.is_ascii_digit());
    if names_only && !matches!(lower(content).as_str(), "this" | "that" | "it") {
        return Some(Said::Nothing);
    }
    Some(if words == 0 || matches!(lower(content).as_str(), "this" | "that" | "it") {
        Said::RememberNext(None)
    } else if let Some(first) = super::explicit::announced(content) {
        Said::RememberNext(first)
    } else {
        let found = remembered(content);
        let open =
            after(low, &["note to self"]).is_some() && after(&lower(content), ORDERS_TO_SELF).is_some();
        Said::Found(if open { Match { kind: Kind::Todo, ..found } } else { found })
    })
}

fn adopts(text: &str) -> bool {
    let low = lower(text);
    let bare: String = low.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '\'').collect();
    let bare = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    let core = [
        "yes ",
        "yeah ",
        "yep ",
        "ok ",
        "okay ",
        "sure ",
        "agreed ",
        "great ",
        "perfect ",
        "sounds good ",
        "good ",
        "alright ",
    ]
    .iter()
    .find_map(|h| bare.strip_prefix(h))
    .unwrap_or(&bare);
    matches!(
        core,
        "do that"
            | "do it"
            | "let's do that"
            | "let's do it"
            | "let's go with that"
            | "let's go with it"
            | "go with that"
            | "go with it"
            | "go with your suggestion"
            | "let's go with your suggestion"
            | "let's go with your recommendation"
            | "go with your recommendation"
            | "do it that way"
            | "do it your way"
            | "let's do it that way"
            | "do what you suggested"
            | "do what you proposed"
            | "as you suggested"
            | "as you proposed"
            | "let's use that"
    )
}

/// What the assistant proposes in a sentence, without "I suggest".
pub(crate) fn proposal(text: &str) -> Option<String> {
    const CUES: &[&str] = words![
        "i suggest that we" "i suggest we" "i'd suggest we" "i suggest" "i'd suggest" "i would suggest"
        "i recommend that we" "i recommend we" "i recommend" "i'd recommend" "i would recommend"
        "i propose that we" "i propose we" "i propose" "my recommendation is to" "my recommendation is"
        "my recommendation:" "my suggestion is to" "my suggestion:" "recommendation:"
        "the best option is to" "the best option is"
    ];
    let text = text.replace('’', "'");
    let low = lower(&text);
    let rest = after(&low, CUES)?;
    let rest = text.get(text.len() - rest.len()..)?.trim_start_matches([':', ' ', ',']);
    (!rest.is_empty()).then(|| {
        let mut chars = rest.chars();
        chars.next().map(|c| c.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
    })
}

fn todo(text: &str, low: &str) -> Option<Said> {
    if let Some(rest) = after(
        low,
        words![
            "todo:" "todo -" "to-do:" "to do:" "fixme:" "follow-up:" "follow up:" "remind me to"
            "remind me later to" "remind me tomorrow to" "don't forget to" "do not forget to"
        ],
    ) {
        let rest = text.get(text.len() - rest.len()..)?.trim_start_matches([':', '-', ' ']);
        return (rest.split_whitespace().count() >= 2)
            .then(|| found("todo", Kind::Todo, rest, Strength::Strong));
    }
    let later = word_in(
        low,
        words![
            "later" "tomorrow" "next week" "next sprint" "eventually" "at some point" "someday"
            "before the release" "before release" "before launch" "before we ship" "after the release"
            "after the launch" "next month" "afterwards" "in a follow-up" "next time"
        ],
    );
    let need = after(
        low,
        words![
            "we need to" "we still need to" "we have to" "we still have to" "we should" "we'll need to"
            "we must" "i need to" "i still need to" "later we need to" "later we should"
            "later we'll need to" "later we have to" "we will need to" "later, we need to"
        ],
    )
    .is_some();
    let dated = after(
        low,
        words![
            "next week" "tomorrow" "next month" "next sprint" "before the release" "before launch"
            "after the release" "after launch" "at some point" "eventually"
        ],
    )
    .is_some_and(|rest| {
        after(
            rest.trim_start_matches([',', ' ']),
            &["we need to", "we have to", "we should", "we must", "i need to", "i have to"],
        )
        .is_some()
    });
    if dated {
        return Some(found("todo-later", Kind::Todo, text, Strength::Strong));
    }
    let still = after(
        low,
        words![
            "we still need to" "we still have to" "i still need to" "later we need to" "later we should"
            "later we'll need to" "later we have to" "later, we need to"
        ],
    )
    .is_some();
    if need && (later || still) {
        return Some(found("todo-later", Kind::Todo, text, Strength::Strong));
    }
    (after(low, &["let's"]).is_some() && low.trim_end().ends_with("later"))
        .then(|| found("todo-later", Kind::Todo, text, Strength::Fair))
}

fn correction(text: &str, low: &str) -> Option<Said> {
    let heads: &[&str] = words![
        "no no" "no" "nope" "wrong" "incorrect" "actually" "that's wrong" "that is wrong"
        "that's not right" "that's incorrect" "that's not correct" "this is wrong" "you're wrong"
        "you got it wrong" "not quite" "correction"
    ];
    let rest = after(low, heads)
        .filter(|rest| rest.is_empty() || rest.starts_with([',', ':', '.', '-', '!', ' ', ';']));
    let pair = low.contains(" instead of ")
        || low.contains(", not ")
        || low.contains(" rather than ")
        || low.contains(" and not ");
    let told = |low: &str| {
        low.contains(" instead")
            || low.contains("should be ")
            || low.contains("should use ")
            || low.contains("should've ")
            || low.contains("should have ")
            || after(
                low,
                words![
                    "use" "i said" "i meant" "it's" "it is" "we use" "we're using" "the" "don't use"
                    "you should" "we don't" "we never" "our" "they're" "this" "that"
                ],
            )
            .is_some()
    };
    if let Some(rest) = rest {
        let exact =
            after(low, &["no", "actually"]).is_some() && !rest.starts_with([',', ':', '.', '-', '!', ';']);
        if after(
            low,
            words![
                "no problem" "no worries" "no need" "no thanks" "no idea" "no rush" "no questions"
                "no changes" "no one" "no more"
            ],
        )
        .is_some()
        {
            return Some(Said::Nothing);
        }
        let body =
            text.get(text.len() - rest.len()..)?.trim_start_matches([',', ':', '.', '-', '!', ' ', ';']);
        if body.is_empty() {
            // "No." answers a question; "that's wrong" begins a correction.
            return Some(if after(low, &["no", "nope", "actually"]).is_some() {
                Said::Nothing
            } else {
                Said::CorrectNext
            });
        }
        let body_low = lower(body);
        if told(&body_low)
            && body_low.split_whitespace().count() >= 2
            && !word_in(&body_low, &["keep going", "continue", "fine"])
            && !(exact && !pair && !body_low.contains("should"))
            && (!word_in(&body_low, TROUBLE) || after(&body_low, &["use", "don't use"]).is_some())
        {
            return Some(found("correction", Kind::Correction, body, Strength::Strong));
        }
        return None;
    }
    let stated = after(
        low,
        words![
            "it's" "it is" "the" "our" "we use" "we're on" "that should be" "it should be" "you should use"
            "should be" "use" "i meant" "i said"
        ],
    )
    .is_some();
    if stated && pair && !word_in(low, TROUBLE) && low.split_whitespace().count() <= 25 {
        // "use X instead of Y" and "the port is 5433, not 5432".
        return Some(found("correction-pair", Kind::Correction, text, Strength::Strong));
    }
    after(low, &["i meant", "i said"])
        .filter(|r| r.split_whitespace().count() >= 2 && pair)
        .map(|_| found("correction-meant", Kind::Correction, text, Strength::Fair))
}

fn decision(text: &str, low: &str) -> Option<Said> {
    const STRONG: &[&str] = words![
        "let's go with" "let's stick with" "let's stick to" "let's settle on" "let's switch to"
        "let's move to" "let's migrate to" "let's standardize on" "we decided" "we've decided"
        "we have decided" "i decided" "i've decided" "i have decided" "decision:" "final decision:"
        "decided:" "decided to" "we'll go with" "we will go with" "we're going with" "we are going with"
        "we'll use" "we will use" "we're going to use" "we agreed" "we've agreed" "we settled on"
        "we've settled on" "we chose" "we picked" "we're switching to" "we are switching to"
        "we're moving to" "we are moving to" "we're migrating to" "we are migrating to" "i'm going with"
        "i'll go with" "we'll stick with" "we're sticking with" "we switched to" "we moved to"
        "we migrated to" "we've switched to" "we've moved to" "go with" "stick with" "we're dropping"
        "we are dropping" "we dropped"
    ];
    const NOT_A_THING: &[&str] = words![
        "branch" "tab" "window" "directory" "folder" "file" "main" "master" "plan mode" "that" "it" "this"
        "option" "the first" "the second" "your" "the other" "another" "line" "next"
    ];
    if let Some(rest) = after(low, STRONG) {
        let words = rest.split_whitespace().count();
        let reasoned = split_why(text).1.is_some();
        // "I decided to look at the logs" tells what was done.
        let told = after(low, &["i decided to", "i've decided to", "i have decided to", "decided to"])
            .is_some_and(|rest| {
                after(
                    rest.trim_start(),
                    &["look", "check", "try", "see", "test", "run", "start", "debug", "read", "take", "give"],
                )
                .is_some()
            });
        if told {
            return None;
        }
        let vague = !reasoned
            && (words <= 4 && after(rest.trim_start(), NOT_A_THING).is_some()
                || words <= 2 && word_in(rest, NOT_A_THING));
        return (words >= 1 && !vague).then(|| {
            let body = after(low, &["decision:", "final decision:", "decided:"])
                .map_or(text, |r| text.get(text.len() - r.len()..).unwrap_or(text).trim_start());
            found("decision", Kind::Decision, body, Strength::Strong)
        });
    }
    if let Some(rest) = after(low, &["switch to", "switch over to", "migrate to", "move to"]) {
        let vague = word_in(
            rest,
            words![
                "branch" "tab" "window" "directory" "folder" "file" "main" "master" "plan mode" "line"
                "next" "the"
            ],
        );
        return (!vague && !rest.trim().is_empty())
            .then(|| found("decision-switch", Kind::Decision, text, Strength::Fair));
    }
    if after(low, &["switch from", "migrate from", "move from"]).is_some()
        && low.contains(" to ")
        && low.contains(',')
    {
        return Some(found("decision-switch", Kind::Decision, text, Strength::Fair));
    }
    // "Let's use a map here" is an order; with a reason it is a decision.
    let reason = split_why(text).1.is_some() || low.contains(" instead of ");
    (after(low, &["let's use", "let's keep", "let's drop", "let's adopt", "let's do", "let's not"]).is_some()
        && reason)
        .then(|| found("decision-reason", Kind::Decision, text, Strength::Strong))
}

fn preference(text: &str, low: &str) -> Option<Said> {
    if let Some(rest) = after(
        low,
        words![
            "i prefer" "i always prefer" "i'd prefer" "i would prefer" "i'd rather" "i would rather" "i'd like you to always" "i like" "i hate" "i don't like" "i dislike" "i really like"
            "i usually prefer" "i generally prefer" "my preference is" "i love"
        ],
    ) {
        let weak = after(
            low,
            words![
                "i like" "i love" "i hate" "i really like" "i don't like" "i'd rather" "i'd prefer"
                "i would prefer"
            ],
        )
        .is_some();
        let passing = word_in(
            rest,
            words![
                "it" "this" "that" "the idea" "the first" "the second" "how it" "what you" "the approach"
                "the way it" "option"
            ],
        );
        let general = after(rest.trim_start(), &["it when", "it if"]).is_some();
        if rest.split_whitespace().count() < 1 || passing && !general {
            return None;
        }
        return Some(found(
            "preference",
            Kind::User,
            text,
            if weak { Strength::Fair } else { Strength::Strong },
        ));
    }
    if after(low, &["i always", "i never", "i usually"]).is_some() && !word_in(low, TROUBLE) {
        let past = word_in(
            low,
            &[
                "get", "got", "see", "saw", "had", "thought", "knew", "seen", "forget", "heard", "said",
                "asked", "told",
            ],
        );
        return (!past).then(|| found("preference-habit", Kind::User, text, Strength::Fair));
    }
    if let Some(rest) = after(
        low,
        words![
            "from now on" "going forward" "from here on" "in future" "in the future" "for all future"
            "every time you" "whenever you" "each time you" "as a rule" "as a general rule" "by default"
            "don't ever" "do not ever" "make sure to always" "you must always" "you should always"
            "you should never" "you must never" "make sure you always" "make sure you never"
        ],
    ) {
        return (rest.split_whitespace().count() >= 2 && !word_in(low, TROUBLE))
            .then(|| found("standing-rule", Kind::Feedback, text, Strength::Strong));
    }
    if let Some(rest) = after(low, &["always", "never"]) {
        let first = rest.split_whitespace().next().unwrap_or_default();
        // "always fails" tells of something; "always use" tells to do something.
        let tells = first.len() > 3 && first.ends_with('s') && !first.ends_with("ss")
            || first.ends_with("ed") && first != "embed" && first != "need"
            || matches!(first, "mind" | "worked" | "been" | "had" | "was" | "a" | "the" | "again");
        return (rest.split_whitespace().count() >= 2 && !tells)
            .then(|| found("standing-rule", Kind::Feedback, text, Strength::Strong));
    }
    if after(low, &["when", "if", "for", "before", "after", "in"]).is_some()
        && [", always ", ", never ", ", please always ", " please never "].iter().any(|c| low.contains(c))
    {
        return Some(found("standing-rule", Kind::Feedback, text, Strength::Strong));
    }
    let ask = after(low, &["don't", "do not", "never"]).is_some()
        && word_in(
            low,
            &["unless i", "without asking", "automatically", "unless i ask", "without my", "ever"],
        );
    ask.then(|| found("standing-ban", Kind::Feedback, text, Strength::Strong))
}

fn fact(text: &str, low: &str) -> Option<Said> {
    if word_in(low, TROUBLE) || word_in(low, &["want", "need", "can you", "please", "going to", "will", "if"])
    {
        return None;
    }
    let words = low.split_whitespace().count();
    if let Some(rest) = after(
        low,
        words![
            "i'm a" "i am a" "i'm an" "i am an" "i work as" "i work at" "i work on" "i'm working as"
            "my name is" "my timezone is" "my time zone is" "i'm based in" "i live in" "i speak"
            "my native language is" "i'm new to" "i am new to"
        ],
    ) {
        let passing = word_in(rest, &["bit", "little", "confused"]);
        return (!passing && !rest.trim().is_empty())
            .then(|| found("about-user", Kind::User, text, Strength::Strong));
    }
    if let Some(rest) = after(
        low,
        words![
            "we use" "we're using" "we are using" "we run" "we host" "we deploy" "we're on" "we target"
            "we support" "we only support"
        ],
    ) {
        let passing = word_in(rest, &["that", "it", "this", "here", "there"]) && words <= 5;
        return (words >= 3 && !passing).then(|| found("stack", Kind::Fact, text, Strength::Strong));
    }
    const SUBJECTS: &[&str] = words![
        "the api" "the server" "the db" "the database" "the frontend" "the backend" "the service"
        "the project" "the repo" "the app" "ci" "the ci" "staging" "production" "prod" "the production"
        "the staging" "the dev" "our" "this project" "this repo" "this codebase" "this service" "this app"
        "the codebase" "the cluster" "the worker" "the workers" "redis" "postgres" "the site" "the website"
        "the docs" "the test" "the tests" "the deploy" "the deployment" "the build" "the cli" "the client"
        "the mobile app" "the monorepo" "the main" "the auth" "the queue" "the cache" "the proxy"
        "the gateway" "the package manager" "the default" "the minimum" "the bucket" "the domain"
        "the port" "the admin" "the payment" "the billing"
    ];
    const VERBS: &[&str] = words![
        "runs on" "run on" "runs at" "runs in" "listens on" "is on port" "is at" "is hosted" "are hosted"
        "is deployed" "are deployed" "deploys to" "lives in" "lives at" "live in" "is written in"
        "are written in" "requires" "require" "depends on" "is built with" "is using" "uses" "use" "is a"
        "is an" "targets" "is located" "are in" "is in" "are stored in" "is stored in" "goes through"
        "is postgres" "is mysql" "connects to" "is called" "port is" "is pnpm" "version is" "is based on"
    ];
    let subject = after(low, SUBJECTS)?;
    let plain = word_in(subject, VERBS)
        || subject.trim_start().starts_with("is ") && subject.chars().any(|c| c.is_ascii_digit());
    let passing = word_in(
        subject,
        words![
            "now" "currently broken" "slow" "mess" "good" "great" "fine" "problem" "still" "again"
            "right now" "too" "say" "says" "said" "mention" "mentions" "recommend" "recommends"
        ],
    );
    (plain && !passing && words >= 4).then(|| found("stack", Kind::Fact, text, Strength::Fair))
}
