//! Tells the product's own hook entries from everybody else's.

use super::super::paths::without_verbatim;
use super::SettingsError;
use serde_json::Value;
use std::path::Path;

/// The command's own name; a binary that was renamed is known by that name too.
const NAME: &str = "mem";

const FLAGS: &[&str] = &["-q", "-v", "-vv", "--quiet", "--verbose"];
const OPTIONS: &[&str] = &["--home", "--project", "--config", "--agent"];

/// A program and its arguments, as one hook entry starts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Invocation {
    /// The path or name of the binary.
    pub(crate) program: String,
    /// Its arguments, `hook` among them.
    pub(crate) args: Vec<String>,
}

impl Invocation {
    /// What `mem init` writes: `EXE hook --agent AGENT [--home DIR]`.
    ///
    /// # Errors
    /// When a path is relative (the agent starts hooks in changing folders) or not Unicode (JSON cannot hold it).
    pub(super) fn new(exe: &Path, agent: &str, home: Option<&Path>) -> Result<Self, SettingsError> {
        let mut args = vec!["hook".to_owned(), "--agent".to_owned(), agent.to_owned()];
        if let Some(home) = home {
            args.extend(["--home".to_owned(), written("the memory folder", home)?]);
        }
        Ok(Self { program: written("the program", exe)?, args })
    }

    /// The data folder named in the arguments.
    pub(crate) fn home(&self) -> Option<&str> {
        self.value_of("--home")
    }

    /// The value of an option, in either form.
    fn value_of(&self, option: &str) -> Option<&str> {
        let inline = |arg: &str| arg.strip_prefix(option).is_some_and(|rest| rest.starts_with('='));
        let at = self.args.iter().position(|arg| arg == option || inline(arg))?;
        let arg = self.args.get(at)?;
        match arg.split_once('=') {
            Some((_, value)) => Some(value),
            None => self.args.get(at + 1).map(String::as_str),
        }
    }
}

impl std::fmt::Display for Invocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quoted =
            |word: &str| if word.contains([' ', '\t']) { format!("{word:?}") } else { word.to_owned() };
        f.write_str(&quoted(&self.program))?;
        self.args.iter().try_for_each(|arg| write!(f, " {}", quoted(arg)))
    }
}

fn written(what: &'static str, path: &Path) -> Result<String, SettingsError> {
    let text =
        path.to_str().ok_or_else(|| SettingsError::NotUnicode { what, path: path.display().to_string() })?;
    if !path.is_absolute() {
        return Err(SettingsError::NotAbsolute { what, path: text.to_owned() });
    }
    Ok(without_verbatim(text))
}

/// The names under which the product's binary may be found in settings.
#[derive(Debug)]
pub(super) struct Names {
    stems: Vec<String>,
    /// The binary at hand, by its whole path.
    path: Option<String>,
}

impl Names {
    /// `mem`, and the file name of `program`.
    pub(super) fn with(program: Option<&str>) -> Self {
        let mut stems = vec![NAME.to_owned()];
        stems.extend(program.map(stem));
        Self { stems, path: program.map(str::to_owned) }
    }

    /// Whether an invocation is ours and not that of another program of the same name: `init` always names the
    /// agent; without it only the binary at hand, or the bare name, is meant.
    fn means_us(&self, invocation: &Invocation) -> bool {
        match invocation.value_of("--agent") {
            Some(agent) => agent == "claude" || agent == "claude-code",
            None => {
                !invocation.program.contains(['/', '\\'])
                    || self.path.as_deref() == Some(invocation.program.as_str())
            }
        }
    }
}

/// The file name in lower case, without folder and `.exe`; either slash separates.
fn stem(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}

/// The invocation of a handler when it is the product's own, in exec form (`args`) or shell form.
pub(super) fn own_handler(handler: &Value, names: &Names) -> Option<Invocation> {
    if handler.get("type").is_some_and(|kind| kind != "command") {
        return None;
    }
    let command = handler.get("command")?.as_str()?;
    let words = match handler.get("args") {
        Some(args) => {
            let mut words = vec![Word::Text(command.to_owned())];
            for arg in args.as_array()? {
                words.push(Word::Text(arg.as_str()?.to_owned()));
            }
            words
        }
        None => shell_words(command),
    };
    own_words(&words, names)
}

#[derive(Debug, PartialEq)]
enum Word {
    Text(String),
    /// Unquoted shell operator characters, such as `||` or `>`.
    Operator(String),
}

/// `[NAME=value…] PROGRAM [options] hook [options] [redirections, || true]`, nothing else.
fn own_words(words: &[Word], names: &Names) -> Option<Invocation> {
    let mut rest = words;
    let program = loop {
        let (first, tail) = rest.split_first()?;
        rest = tail;
        match first {
            Word::Operator(call) if call == "&" => {}
            Word::Operator(_) => return None,
            Word::Text(word) if matches!(word.as_str(), "exec" | "env" | "command") || assigns(word) => {}
            Word::Text(word) => break word,
        }
    };
    if !names.stems.contains(&stem(program)) {
        return None;
    }
    let mut args = Vec::new();
    let mut hook = false;
    while let Some((Word::Text(word), tail)) = rest.split_first() {
        rest = tail;
        args.push(word.clone());
        if OPTIONS.contains(&word.as_str()) {
            let (Word::Text(value), tail) = rest.split_first()? else { return None };
            args.push(value.clone());
            rest = tail;
        } else if word == "hook" && !hook {
            hook = true;
        } else if !FLAGS.contains(&word.as_str())
            && !OPTIONS.iter().any(|option| word.strip_prefix(option).is_some_and(|v| v.starts_with('=')))
        {
            return None;
        }
    }
    let invocation = Invocation { program: program.clone(), args };
    (hook && harmless(rest) && names.means_us(&invocation)).then_some(invocation)
}

fn assigns(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Whether what follows only redirects output or swallows the exit code: it starts no other program.
fn harmless(mut rest: &[Word]) -> bool {
    loop {
        rest = match rest {
            [] => return true,
            [Word::Operator(end)] if end == "&" || end == ";" => return true,
            [Word::Operator(to), Word::Text(_), tail @ ..] if to.contains(['>', '<']) => tail,
            [Word::Operator(or), Word::Text(word), tail @ ..] if or == "||" || or == ";" => {
                match (word.as_str(), tail) {
                    ("true" | ":", tail) => tail,
                    ("exit", [Word::Text(code), tail @ ..]) if code == "0" => tail,
                    ("exit", tail) => tail,
                    _ => return false,
                }
            }
            _ => return false,
        }
    }
}

/// Splits as sh and PowerShell do for plain words. A backslash escapes only blanks and quotes, so that an
/// unquoted Windows path stays whole.
fn shell_words(command: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = command.chars().peekable();
    let finish = |words: &mut Vec<Word>, word: &mut Option<String>| {
        words.extend(word.take().map(Word::Text));
    };
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"') | None, '\\') => {
                let escaped = chars.next_if(|&next| match quote {
                    Some(_) => next == '"',
                    None => matches!(next, ' ' | '"' | '\''),
                });
                word.get_or_insert_default().push(escaped.unwrap_or('\\'));
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => {
                finish(&mut words, &mut word);
                if c == '\n' && !words.is_empty() {
                    words.push(Word::Operator(";".to_owned()));
                }
            }
            (None, '|' | '&' | ';' | '<' | '>') => {
                if c == '>' && word.as_ref().is_some_and(|w| w.chars().all(|d| d.is_ascii_digit())) {
                    word = None;
                }
                finish(&mut words, &mut word);
                let mut operator = c.to_string();
                while let Some(next) = chars.next_if(|next| matches!(next, '|' | '&' | '<' | '>')) {
                    operator.push(next);
                }
                words.push(Word::Operator(operator));
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    finish(&mut words, &mut word);
    while matches!(words.last(), Some(Word::Operator(end)) if end == ";") {
        words.pop();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn own(handler: Value) -> Option<String> {
        own_handler(&handler, &Names::with(None)).map(|found| found.program)
    }

    #[test]
    fn every_form_of_our_own_entry_is_known() {
        let exec = json!({"type": "command", "command": "/o/mem", "args": ["hook", "--agent", "claude"]});
        assert_eq!(own(exec).as_deref(), Some("/o/mem"));
        for (command, program) in [
            ("mem hook", "mem"),
            ("/usr/local/bin/mem --home /d hook --agent claude", "/usr/local/bin/mem"),
            (r#""C:\Program Files\mem\MEM.EXE" hook --agent=claude"#, r"C:\Program Files\mem\MEM.EXE"),
            (r#"& "C:\Program Files\mem\mem.exe" hook --agent claude"#, r"C:\Program Files\mem\mem.exe"),
            (r"C:\tools\mem.exe -q hook --agent claude", r"C:\tools\mem.exe"),
            ("MEM_HOME=/x exec ~/.cargo/bin/mem hook --agent=claude 2>/dev/null || true", "~/.cargo/bin/mem"),
            ("'/a b/mem' hook --agent claude >/dev/null 2>&1; exit 0", "/a b/mem"),
            (r"/a\ b/mem hook --agent claude", "/a b/mem"),
            ("mem hook;\n", "mem"),
        ] {
            assert_eq!(own(json!({"command": command})).as_deref(), Some(program), "{command}");
        }
    }

    #[test]
    fn another_program_of_our_name_is_not_ours() {
        for command in ["/opt/other/mem hook", "mem hook --agent codex", "/opt/mem hook --home /other"] {
            assert_eq!(own(json!({"command": command})), None, "{command}");
        }
        let at_hand = Names::with(Some("/opt/other/mem"));
        assert!(own_handler(&json!({"command": "/opt/other/mem hook"}), &at_hand).is_some());
    }

    #[test]
    fn other_programs_are_left_alone() {
        for command in [
            "mem0 hook",
            "mem hook post-tool-use",
            "mem recall x",
            "mem",
            "echo mem hook",
            "mem hook && rm -rf x",
            "mem hook | tee log",
            "mem hook\nnotify-send done",
            "/opt/mem/run.sh hook",
            "bash -c 'mem hook'",
            "mem --home",
            "",
            "& &",
        ] {
            assert_eq!(own(json!({"type": "command", "command": command})), None, "{command}");
        }
        assert_eq!(own(json!({"type": "http", "command": "mem hook"})), None);
        assert_eq!(own(json!({"command": "mem", "args": ["hook", 3]})), None);
        assert_eq!(own(json!({"command": "mem hook", "args": []})), None);
        assert_eq!(own(json!("mem hook")), None);
    }

    #[test]
    fn a_renamed_binary_is_known_by_its_name() {
        let handler = json!({"command": "/b/mem-dev", "args": ["hook", "--agent", "claude"]});
        assert!(own_handler(&handler, &Names::with(None)).is_none());
        assert!(own_handler(&handler, &Names::with(Some("/c/mem-dev"))).is_some());
    }

    #[test]
    fn the_home_is_read_back() {
        let found = |command: &str| {
            own_handler(&json!({"command": command}), &Names::with(None))
                .and_then(|i| i.home().map(str::to_owned))
        };
        assert_eq!(found("mem hook --home '/a b'").as_deref(), Some("/a b"));
        assert_eq!(found("mem --home=/c hook").as_deref(), Some("/c"));
        assert_eq!(found("mem hook"), None);
    }
}
