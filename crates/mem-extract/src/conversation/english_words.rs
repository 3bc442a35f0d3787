//! Word lists of the English rules.

/// Words that make asking worth the while.
pub(crate) const SIGNALS: &[&str] = words![
    "remember" "keep in mind" "note for later" "make a note" "for future reference" "for the record"
    "prefer" "always " "never " "from now on" "going forward" "in the future" "decided" "decision"
    "let's go with" "go with " "switch to" "switching to" "instead of" "settled on" "agreed" "stick with"
    "no, " "wrong" "should be" "actually" "todo" "to-do" "later" "remind me" "need to" "we use"
    "we're using" "runs on" "this project" "our " "don't " "do not " "automatically" "without asking"
    "i like" "rather" "usually" "i'm a" "i am a" "timezone" "time zone" "hosted" "written in" "uses "
    "should" "we deploy" "deploys" "we run" "we agreed" "must " "by default" "lives in" " not "
    "every time" "whenever" "don't forget" "migrate" "because" "do that"
];

pub(super) const FILLER: &[&str] = words![
    "ok" "okay" "yes" "yeah" "yep" "sure" "great" "thanks" "thank you" "well" "so" "and" "also" "but" "btw"
    "fyi" "by the way" "please" "alright" "good" "right" "hmm" "oh" "perfect" "cool" "nice"
    "one more thing" "another thing" "just" "important" "hey" "hi" "hello" "fine" "makes sense"
    "sounds good" "got it" "claude" "i think" "i guess" "after some thought" "in the end" "finally"
    "ultimately" "after discussion" "after some discussion"
];

/// Verbs with which a person orders something done now.
pub(super) const ORDERS: &[&str] = words![
    "fix" "add" "run" "write" "create" "implement" "refactor" "update" "change" "delete" "remove" "check"
    "look" "show" "explain" "tell" "give" "make" "build" "test" "deploy" "install" "open" "read" "find"
    "search" "review" "commit" "push" "merge" "rename" "move" "try" "continue" "go" "start" "stop" "help"
    "generate" "debug" "investigate" "analyze" "summarize" "rewrite" "improve" "clean" "format" "revert"
    "use" "do" "put" "set" "let" "can" "could" "would" "wait" "list" "print" "convert" "extract" "replace"
    "undo" "keep" "don't" "do not" "see" "take" "turn"
];

pub(super) const INTERROGATIVE: &[&str] = words![
    "what" "how" "why" "when" "where" "who" "which" "is" "are" "was" "were" "do you" "does" "did" "can you"
    "can we" "can i" "could you" "could we" "should we" "should i" "shall we" "would you" "would it"
    "will it" "have you" "has" "isn't" "aren't" "don't you" "any idea" "i wonder" "wondering"
];

pub(super) const DOUBT: &[&str] = words![
    "maybe" "perhaps" "what if" "i wonder" "might" "not sure" "possibly" "i think we could"
    "hypothetically" "suppose" "thinking about" "thinking of" "consider " "considering" "should we"
    "could we" "would it be" "let me think" "or should" "for example" "e.g." "if we were"
];

/// Words of a report that something is wrong right now.
pub(super) const TROUBLE: &[&str] = words![
    "error" "fails" "failing" "failed" "crash" "crashes" "broken" "breaks" "doesn't work" "not working"
    "isn't working" "bug" "exception" "hangs" "stuck" "returns null" "returns undefined" "a timeout"
    "timed out" "times out" "404" "500" "wrong result" "weird" "panics"
];

/// What a person notes to do later.
pub(super) const ORDERS_TO_SELF: &[&str] = words![
    "ask" "check" "tell" "call" "write" "fix" "update" "remove" "add" "send" "rotate" "talk" "look" "clean"
    "delete" "review" "ping" "email" "mail" "buy" "book" "test" "try" "move" "bump" "upgrade"
];
