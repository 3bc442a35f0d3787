//! What the binary answered.

use serde_json::Value;

/// A command's answer.
#[derive(Debug, Clone)]
pub struct Output {
    /// What was run, for messages.
    pub what: String,
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Output {
    /// Itself, once the code is the expected one.
    ///
    /// # Panics
    /// When it is another.
    #[must_use]
    #[track_caller]
    pub fn code(self, expected: i32) -> Self {
        assert_eq!(self.code, Some(expected), "{}\n{}\n{}", self.what, self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked at"), "{}\n{}", self.what, self.stderr);
        self
    }

    /// [`Output::code`] 0.
    #[must_use]
    #[track_caller]
    pub fn ok(self) -> Self {
        self.code(0)
    }

    /// The first line of standard output.
    pub fn line(&self) -> String {
        self.stdout.lines().next().unwrap_or_default().to_owned()
    }

    /// Standard output as one JSON value, whatever the code was.
    ///
    /// # Panics
    /// When it is none.
    #[track_caller]
    pub fn any_json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{}: {error}\n{}\n{}", self.what, self.stdout, self.stderr))
    }

    /// [`Output::any_json`] of a command that succeeded.
    #[track_caller]
    pub fn json(self) -> Value {
        self.ok().any_json()
    }
}

/// A hook's answer, checked: it ended with 0, and printed nothing or one object the host accepts.
#[derive(Debug, Clone)]
pub struct HookOutput {
    /// The context it hands over; none for silence.
    pub context: Option<String>,
}

/// The longest context a host takes whole, in UTF-16 units, less what we keep free.
const CONTEXT_LIMIT: usize = 9_500;

impl HookOutput {
    /// Checks the answer to an event.
    ///
    /// # Panics
    /// When the host would have been disturbed by it.
    #[track_caller]
    pub fn check(output: &Output, event: &str) -> Self {
        let Output { what, code, stdout, stderr } = output;
        assert_eq!(*code, Some(0), "{what} after {event}\n{stderr}");
        assert!(stderr.is_empty(), "{what} after {event} wrote to stderr: {stderr}");
        if stdout.is_empty() {
            return Self { context: None };
        }
        let answer: Value =
            serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{event}: {error}: {stdout}"));
        let keys = |value: &Value| value.as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
        assert_eq!(keys(&answer), Some(vec!["hookSpecificOutput".to_owned()]), "{stdout}");
        let inner = &answer["hookSpecificOutput"];
        let expected = ["hookEventName".to_owned(), "additionalContext".to_owned()];
        assert_eq!(keys(inner).as_deref(), Some(expected.as_slice()), "{stdout}");
        assert_eq!(inner["hookEventName"], event, "{stdout}");
        assert!(
            ["SessionStart", "UserPromptSubmit"].contains(&event),
            "{event} must be answered by silence: {stdout}"
        );
        let context = inner["additionalContext"].as_str().expect("a context is a string").to_owned();
        assert!(!context.is_empty() && units(&context) <= CONTEXT_LIMIT, "{} units", units(&context));
        Self { context: Some(context) }
    }

    /// The context, or nothing as an empty text.
    pub fn text(&self) -> &str {
        self.context.as_deref().unwrap_or_default()
    }
}

/// Length in UTF-16 units.
pub fn units(text: &str) -> usize {
    text.encode_utf16().count()
}
