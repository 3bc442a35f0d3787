//! Shell command lines as lists of simple commands: enough of POSIX shell and PowerShell to name what ran.

/// One simple command: its words without quotes, and where its output was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    /// Program and arguments, unquoted, without environment prefixes and wrappers such as `sudo`.
    pub(crate) words: Vec<String>,
    /// Whether its input comes from the command before it in a pipe.
    pub(crate) piped: bool,
    /// Files it writes by `>` or `>>`.
    pub(crate) writes: Vec<String>,
}

/// Which shell the line was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShellKind {
    /// `sh`, `bash`, `zsh`.
    Posix,
    /// PowerShell: a backtick escapes, a backslash does not.
    PowerShell,
}

/// Longest command line that is looked at, in bytes; the rest is a script, not a habit.
const MAX_BYTES: usize = 16 * 1024;
/// Depth to which `bash -c "…"` is opened.
const MAX_DEPTH: usize = 3;

/// Splits a line into its simple commands, in order. Never fails: what cannot be understood stays a word.
pub(crate) fn split(line: &str, kind: ShellKind) -> Vec<SimpleCommand> {
    split_at_depth(line, kind, 0)
}

fn split_at_depth(line: &str, kind: ShellKind, depth: usize) -> Vec<SimpleCommand> {
    let mut end = line.len().min(MAX_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let mut lexer = Lexer::new(line.get(..end).unwrap_or_default(), kind);
    lexer.run();
    let mut out = Vec::new();
    for mut command in lexer.done {
        strip_wrappers(&mut command.words);
        match nested_script(&command.words) {
            Some((script, inner)) if depth < MAX_DEPTH => {
                let script = script.to_owned();
                out.extend(split_at_depth(&script, inner, depth + 1));
            }
            _ if command.words.is_empty() && command.writes.is_empty() => {}
            _ => out.push(command),
        }
    }
    out
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    kind: ShellKind,
    done: Vec<SimpleCommand>,
    now: SimpleCommand,
    word: String,
    in_word: bool,
    redirect: Option<bool>,
    heredocs: Vec<String>,
    heredoc_next: bool,
}

impl Lexer {
    fn new(line: &str, kind: ShellKind) -> Self {
        Self {
            chars: line.chars().collect(),
            at: 0,
            kind,
            done: Vec::new(),
            now: SimpleCommand::default(),
            word: String::new(),
            in_word: false,
            redirect: None,
            heredocs: Vec::new(),
            heredoc_next: false,
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn push(&mut self, c: char) {
        self.word.push(c);
        self.in_word = true;
    }

    fn end_word(&mut self) {
        if !self.in_word {
            return;
        }
        let word = std::mem::take(&mut self.word);
        self.in_word = false;
        if std::mem::take(&mut self.heredoc_next) {
            self.heredocs.push(word);
        } else if let Some(write) = self.redirect.take() {
            if write {
                self.now.writes.push(word);
            }
        } else {
            self.now.words.push(word);
        }
    }

    fn end_command(&mut self, pipe: bool) {
        self.end_word();
        self.redirect = None;
        let next = SimpleCommand { piped: pipe, ..SimpleCommand::default() };
        let command = std::mem::replace(&mut self.now, next);
        if !command.words.is_empty() || !command.writes.is_empty() {
            self.done.push(command);
        }
    }

    fn quoted(&mut self, quote: char) {
        self.in_word = true;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == quote {
                // PowerShell doubles a quote to escape it.
                if self.kind == ShellKind::PowerShell && self.peek(0) == Some(quote) {
                    self.word.push(quote);
                    self.at += 1;
                    continue;
                }
                return;
            }
            let escape = if self.kind == ShellKind::Posix { '\\' } else { '`' };
            if c == escape && quote == '"' {
                if let Some(next) = self.peek(0) {
                    self.at += 1;
                    self.word.push(next);
                }
                continue;
            }
            self.word.push(c);
        }
    }

    /// Keeps `$( … )` and backtick substitutions inside the word, whole.
    fn substitution(&mut self) {
        let mut depth = 0usize;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            self.push(c);
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    fn skip_heredocs(&mut self) {
        for tag in std::mem::take(&mut self.heredocs) {
            loop {
                let start = self.at;
                while self.peek(0).is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
                let line: String = self.chars.get(start..self.at).unwrap_or_default().iter().collect();
                let ended = self.peek(0).is_none();
                self.at += usize::from(!ended);
                if ended || line.trim() == tag {
                    break;
                }
            }
        }
    }

    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\'' | '"' => self.quoted(c),
                '\\' if self.kind == ShellKind::Posix => match self.peek(0) {
                    Some('\n') => self.at += 1,
                    Some('\r') if self.peek(1) == Some('\n') => self.at += 2,
                    Some(next) => {
                        self.at += 1;
                        self.push(next);
                    }
                    None => {}
                },
                '`' if self.kind == ShellKind::PowerShell => {
                    if let Some(next) = self.peek(0) {
                        self.at += 1;
                        if next != '\n' && next != '\r' {
                            self.push(next);
                        }
                    }
                }
                '$' if self.peek(0) == Some('(') => {
                    self.push('$');
                    self.substitution();
                }
                '#' if !self.in_word => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '\n' => {
                    self.end_command(false);
                    self.skip_heredocs();
                }
                ';' => self.end_command(false),
                '(' | ')' if !self.in_word => self.end_command(false),
                '{' | '}' if !self.in_word && self.peek(0).is_none_or(char::is_whitespace) => {
                    self.end_command(false)
                }
                ')' => self.end_command(false),
                '|' => {
                    let or = self.peek(0) == Some('|');
                    if or || self.peek(0) == Some('&') {
                        self.at += 1;
                    }
                    self.end_command(!or);
                }
                '&' if self.peek(0) == Some('>') => {
                    self.end_word();
                    self.at += 1;
                    if self.peek(0) == Some('>') {
                        self.at += 1;
                    }
                    self.redirect = Some(true);
                }
                '&' => {
                    if self.peek(0) == Some('&') {
                        self.at += 1;
                    }
                    self.end_command(false);
                }
                '<' => self.less(),
                '>' => self.greater(),
                c if c.is_whitespace() => self.end_word(),
                c => self.push(c),
            }
        }
        self.end_command(false);
    }

    fn less(&mut self) {
        self.end_word();
        if self.peek(0) == Some('<') {
            self.at += 1;
            if self.peek(0) == Some('<') {
                self.at += 1;
                self.redirect = Some(false);
            } else {
                if self.peek(0) == Some('-') {
                    self.at += 1;
                }
                self.heredoc_next = true;
            }
        } else if self.peek(0) == Some('(') {
            self.substitution();
        } else {
            self.redirect = Some(false);
        }
    }

    fn greater(&mut self) {
        // The digit before `>` names a descriptor: `2>file` writes no second word.
        let descriptor =
            self.in_word && self.word.len() == 1 && self.word.chars().all(|c| c.is_ascii_digit() || c == '*');
        let errors_only = descriptor && self.word == "2";
        if descriptor {
            self.word.clear();
            self.in_word = false;
        }
        self.end_word();
        if self.peek(0) == Some('>') || self.peek(0) == Some('|') {
            self.at += 1;
        }
        if self.peek(0) == Some('&') {
            self.at += 1;
            self.redirect = Some(false);
        } else {
            self.redirect = Some(!errors_only);
        }
    }
}

const KEYWORDS: &[&str] =
    &["if", "then", "else", "elif", "do", "while", "until", "!", "time", "fi", "done", "esac"];
const HEADS: &[&str] = &["for", "case", "select", "function"];

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_prefix("$env:").unwrap_or(name);
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Takes keywords, environment prefixes and programs that only run another one off the front.
fn strip_wrappers(words: &mut Vec<String>) {
    for _ in 0..12 {
        let Some(first) = words.first() else { return };
        if HEADS.contains(&first.as_str()) {
            words.clear();
            return;
        }
        if KEYWORDS.contains(&first.as_str()) || is_assignment(first) || first == "&" || first == "." {
            words.remove(0);
            continue;
        }
        let name = program_name(first);
        // Options of each wrapper that take a value in the next word.
        let (valued, positional): (&[&str], usize) = match name.as_str() {
            "sudo" | "doas" => (&["-u", "-g", "-h", "-p", "-C"], 0),
            "env" => (&["-u", "-C", "--chdir"], 0),
            "nice" => (&["-n"], 0),
            "ionice" => (&["-c", "-n"], 0),
            "nohup" | "exec" | "builtin" | "stdbuf" | "setsid" | "caffeinate" | "noglob" | "winpty"
            | "rtk" => (&[], 0),
            "command" if words.get(1).is_some_and(|w| !w.starts_with('-')) => (&[], 0),
            "timeout" | "gtimeout" => (&["-s", "-k", "--signal", "--kill-after"], 1),
            "xargs" => (&["-n", "-I", "-P", "-L", "-d", "-0"], 0),
            "cross-env" | "dotenv" => (&["-e"], 0),
            _ => return,
        };
        words.remove(0);
        while let Some(word) = words.first() {
            if word == "--" {
                words.remove(0);
                break;
            }
            if !word.starts_with('-') || word.len() < 2 {
                break;
            }
            let takes = valued.contains(&word.as_str());
            words.remove(0);
            if takes && !words.is_empty() {
                words.remove(0);
            }
        }
        for _ in 0..positional.min(words.len()) {
            words.remove(0);
        }
    }
}

fn nested_script(words: &[String]) -> Option<(&str, ShellKind)> {
    let kind = match program_name(words.first()?).as_str() {
        "bash" | "sh" | "zsh" | "dash" => ShellKind::Posix,
        "powershell" | "pwsh" => ShellKind::PowerShell,
        "cmd" => ShellKind::Posix,
        _ => return None,
    };
    let flag = words.iter().position(|w| {
        w.eq_ignore_ascii_case("-command")
            || w.eq_ignore_ascii_case("/c")
            || (w.starts_with('-') && !w.starts_with("--") && w.len() <= 4 && w.ends_with('c'))
    })?;
    Some((words.get(flag + 1)?, kind))
}

/// The name of a program: last component of its path, lower case, without `.exe`, `.cmd`, `.bat`.
pub(crate) fn program_name(word: &str) -> String {
    let base = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
    for suffix in [".exe", ".cmd", ".bat"] {
        if let Some(stem) = base.strip_suffix(suffix) {
            return stem.to_owned();
        }
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        split(line, ShellKind::Posix).into_iter().map(|c| c.words.join(" ")).collect()
    }

    #[test]
    fn splits_lists_pipes_quotes_and_redirections() {
        assert_eq!(
            words("cd x && cargo test -p foo 2>&1 | tail -5"),
            ["cd x", "cargo test -p foo", "tail -5"]
        );
        assert_eq!(words("git commit -m 'a; b && c' ; ls"), ["git commit -m a; b && c", "ls"]);
        assert_eq!(words(r#"echo "a \" | b" || false"#), [r#"echo a " | b"#, "false"]);
        assert_eq!(words("FOO=1 sudo -u me env BAR=2 npm test"), ["npm test"]);
        assert_eq!(words("timeout 30 nice -n 5 pytest -q"), ["pytest -q"]);
        assert_eq!(words("(cd a; make test) & wait"), ["cd a", "make test", "wait"]);
        assert_eq!(words("bash -lc 'cd a && go test ./...'"), ["cd a", "go test ./..."]);
        assert_eq!(words("for f in a b; do cat $f; done"), ["cat $f"]);
        assert_eq!(
            words("echo $(git rev-parse HEAD | head -1) x"),
            ["echo $(git rev-parse HEAD | head -1) x"]
        );
    }

    #[test]
    fn heredocs_are_data() {
        let commands = split("cat > a.txt <<'EOF'\nrm -rf / && git push\nEOF\nls -l", ShellKind::Posix);
        assert_eq!(commands.len(), 2);
        assert_eq!(commands[0].words, ["cat"]);
        assert_eq!(commands[0].writes, ["a.txt"]);
        assert_eq!(commands[1].words, ["ls", "-l"]);
    }

    #[test]
    fn errors_to_a_file_are_no_output() {
        let commands = split("make 2>err.log >out.log", ShellKind::Posix);
        assert_eq!(commands[0].writes, ["out.log"]);
        assert_eq!(commands[0].words, ["make"]);
    }

    #[test]
    fn powershell_keeps_backslashes() {
        let commands = split(r"$env:A=1; Get-Content C:\src\a.rs | Select-String foo", ShellKind::PowerShell);
        assert_eq!(commands[0].words, ["Get-Content", r"C:\src\a.rs"]);
        assert!(commands[1].piped);
        assert_eq!(commands[1].words, ["Select-String", "foo"]);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(line in ".{0,200}", posix in proptest::bool::ANY) {
            let kind = if posix { ShellKind::Posix } else { ShellKind::PowerShell };
            for command in split(&line, kind) {
                proptest::prop_assert!(!command.words.is_empty() || !command.writes.is_empty());
            }
        }
    }
}
