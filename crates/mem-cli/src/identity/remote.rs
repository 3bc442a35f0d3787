//! The remote of a git configuration, and one spelling for all URLs of one repository.

/// What a remote URL points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Remote {
    /// A repository on a host.
    Network {
        /// `host/path`, lower-case: without scheme, credentials, default port and `.git`.
        id: String,
        /// The last part of the path, as it is spelt.
        name: String,
    },
    /// A path on this machine, relative ones as written.
    Path(String),
}

/// Ports that say nothing, by scheme.
const DEFAULT_PORTS: &[(&str, &str)] =
    &[("ssh", "22"), ("git", "9418"), ("http", "80"), ("https", "443"), ("ftp", "21"), ("ftps", "990")];

/// Hosts that offer ssh on port 443, and the host they stand for.
const SSH_OVER_HTTPS: &[(&str, &str)] = &[
    ("ssh.github.com:443", "github.com"),
    ("altssh.gitlab.com:443", "gitlab.com"),
    ("altssh.bitbucket.org:443", "bitbucket.org"),
];

/// Reads a remote URL in any of git's forms; `None` when nothing is left of it.
///
/// The whole of a network URL is lower-cased, the path too: the large hosts ignore its case, and two
/// repositories that differ in nothing else are rarer than two spellings of one.
pub(crate) fn normalise_remote(url: &str) -> Option<Remote> {
    let url = url.trim();
    // `helper::address` names a remote helper.
    let url = url.split_once("::").map_or(url, |(helper, rest)| {
        if helper.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') { rest } else { url }
    });
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        None => match scp(url) {
            Some((host, path)) => return network("ssh", host, path, false),
            None => return path(url),
        },
    };
    if scheme == "file" {
        let rest = rest.strip_prefix("localhost").unwrap_or(rest);
        let drive = rest.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
        return path(&decoded(drive.unwrap_or(rest)));
    }
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = path.split(['?', '#']).next().unwrap_or_default();
    network(&scheme, host, path, true)
}

/// `[user@]host:path`; not a Windows drive, and not a path with a colon after a slash.
fn scp(url: &str) -> Option<(&str, &str)> {
    let bracket =
        url.find('[').filter(|&at| at == 0 || url.get(..at).is_some_and(|user| user.ends_with('@')));
    let colon = match bracket {
        Some(at) => at + url.get(at..)?.find("]:")? + 1,
        None => url.find(':')?,
    };
    let (host, path) = (url.get(..colon)?, url.get(colon + 1..)?);
    let is_drive = host.len() == 1 && host.bytes().all(|byte| byte.is_ascii_alphabetic());
    (!host.is_empty() && !is_drive && !host.contains(['/', '\\'])).then_some((host, path))
}

fn network(scheme: &str, authority: &str, path: &str, is_url: bool) -> Option<Remote> {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_lowercase();
    let kind = scheme.rsplit('+').find(|part| *part != "git").unwrap_or(scheme);
    let host = match host.rsplit_once(':') {
        Some((name, port))
            if is_url
                && (port.is_empty() || DEFAULT_PORTS.contains(&(kind, port)))
                && !name.ends_with(':') =>
        {
            name.to_owned()
        }
        _ => host,
    };
    let host = SSH_OVER_HTTPS.iter().find(|(alias, _)| *alias == host).map_or(host.as_str(), |(_, to)| to);
    let host = host.trim_end_matches('.');
    let path = if is_url { decoded(path) } else { path.to_owned() };
    let parts: Vec<&str> = without_suffix(&path).split('/').filter(|part| !part.is_empty()).collect();
    let name = parts.last().copied().unwrap_or(host).to_owned();
    let id = std::iter::once(host).chain(parts).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    (!id.is_empty()).then(|| Remote::Network { id: id.to_lowercase(), name })
}

fn path(path: &str) -> Option<Remote> {
    let path = without_suffix(path);
    (!path.is_empty()).then(|| Remote::Path(path.to_owned()))
}

fn without_suffix(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    let bare = path.strip_suffix(".git").unwrap_or(path);
    bare.trim_end_matches(['/', '\\'])
}

/// `%20` and its like as text; what is no UTF-8 stays as it is.
fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let digit = |byte: Option<&u8>| byte.and_then(|&byte| char::from(byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(byte));
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// The URL of `origin`, else of the first remote that has one. Includes and `insteadOf` are not followed.
pub(super) fn url_of(config: &str) -> Option<String> {
    let mut first: Option<String> = None;
    let mut remote: Option<String> = None;
    let mut reader = Reader { rest: config.strip_prefix('\u{feff}').unwrap_or(config) };
    while let Some(item) = reader.next_item() {
        match item {
            Item::Section(name) => remote = name,
            Item::Value(key, value) => {
                let Some(name) = &remote else { continue };
                if !key.eq_ignore_ascii_case("url") || value.is_empty() {
                    continue;
                }
                if name == "origin" {
                    return Some(value);
                }
                first.get_or_insert(value);
            }
        }
    }
    first
}

enum Item {
    /// The name of a remote, or another section.
    Section(Option<String>),
    Value(String, String),
}

/// Reads git's configuration syntax, one section head or value at a time.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn next_char(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
        Some(c)
    }

    fn skip_line(&mut self) {
        self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
    }

    fn next_item(&mut self) -> Option<Item> {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next()? {
                '#' | ';' => self.skip_line(),
                '[' => return Some(Item::Section(self.section())),
                _ => {
                    let end = self.rest.find(['=', '\n', '#', ';']).unwrap_or(self.rest.len());
                    let (key, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    if rest.starts_with('=') {
                        self.next_char();
                        return Some(Item::Value(key.trim().to_owned(), self.value()));
                    }
                    // A key without a value is a boolean.
                    self.skip_line();
                }
            }
        }
    }

    /// `[remote "name"]` or the old `[remote.name]`, past its closing bracket.
    fn section(&mut self) -> Option<String> {
        self.next_char();
        let end = self.rest.find(['"', ']', '\n']).unwrap_or(self.rest.len());
        let (head, rest) = self.rest.split_at(end);
        self.rest = rest;
        if !rest.starts_with('"') {
            self.next_char();
            let (section, name) = head.trim().split_once('.')?;
            return section.eq_ignore_ascii_case("remote").then(|| name.to_lowercase());
        }
        self.next_char();
        let mut name = String::new();
        loop {
            match self.next_char()? {
                '"' => break,
                '\\' => name.extend(self.next_char()),
                '\n' => return None,
                c => name.push(c),
            }
        }
        if let Some(close) = self.rest.find(']') {
            self.rest = self.rest.get(close + 1..).unwrap_or_default();
        }
        head.trim().eq_ignore_ascii_case("remote").then_some(name)
    }

    /// A value to the end of its line: quotes, escapes, comments, continued lines.
    fn value(&mut self) -> String {
        let mut value = String::new();
        // Blanks at the end go, unless they were quoted.
        let mut kept = 0;
        let mut quoted = false;
        while let Some(c) = self.next_char() {
            match c {
                '\n' => break,
                '"' => quoted = !quoted,
                '#' | ';' if !quoted => {
                    self.skip_line();
                    break;
                }
                '\\' => match self.next_char() {
                    Some('\r') if self.rest.starts_with('\n') => {
                        self.next_char();
                    }
                    Some('\n') | None => {}
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('b') => value.push('\u{8}'),
                    Some(other) => {
                        value.push(other);
                        kept = value.len();
                    }
                },
                c if c.is_whitespace() && !quoted => {
                    if !value.is_empty() {
                        value.push(c);
                    }
                }
                c => {
                    value.push(c);
                    kept = value.len();
                }
            }
        }
        value.truncate(kept);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(url: &str) -> String {
        match normalise_remote(url) {
            Some(Remote::Network { id, .. }) => id,
            Some(Remote::Path(path)) => format!("path {path}"),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn every_spelling_of_one_repository_is_one_id() {
        for url in [
            "git@github.com:Owner/Name.git",
            "github.com:owner/name",
            "git@github.com:/owner/name.git/",
            "ssh://git@github.com/owner/name.git",
            "ssh://git@github.com:22/owner/name",
            "git+ssh://git@github.com/owner/name.git",
            "ssh://git@ssh.github.com:443/owner/name.git",
            "https://github.com/Owner/Name",
            "HTTPS://GitHub.com/owner/name.git/",
            "https://user:t0k@n@github.com:443/owner/name.git",
            "https://oauth2:secret@github.com/owner/name.git?x=1#y",
            "http://github.com:80/owner//name",
            "git://github.com:9418/owner/name.git",
            "  https://github.com./owner/name.git  ",
            "https://github.com/owner/n%61me.git",
        ] {
            assert_eq!(id(url), "github.com/owner/name", "{url}");
        }
    }

    #[test]
    fn what_tells_repositories_apart_stays() {
        assert_eq!(id("https://host.example:8443/team/记忆.git"), "host.example:8443/team/记忆");
        assert_eq!(id("ssh://git@host.example:2222/a/b"), "host.example:2222/a/b");
        assert_eq!(id("git@host.example:~me/b.git"), "host.example/~me/b");
        assert_eq!(id("git@host.example:group/sub/b.git"), "host.example/group/sub/b");
        assert_eq!(id("git@[::1]:a/b.git"), "[::1]/a/b");
        assert_eq!(id("https://[::1]:8443/a/b"), "[::1]:8443/a/b");
        assert_eq!(id("codecommit::eu-west-1://profile@repo"), "repo");
        assert_eq!(id("https://host.example/my%20repo"), "host.example/my repo");
    }

    #[test]
    fn no_credential_survives() {
        for url in ["https://a:s3cret@h/x", "https://s3cret@h/x", "ssh://s3cret@h/x", "s3cret@h:x"] {
            assert_eq!(id(url), "h/x", "{url}");
        }
    }

    #[test]
    fn local_paths_stay_paths() {
        assert_eq!(id("/srv/git/Name.git"), "path /srv/git/Name");
        assert_eq!(id("../up.git/"), "path ../up");
        assert_eq!(id("file:///srv/a%20b.git"), "path /srv/a b");
        assert_eq!(id("file:///C:/x/y.git"), "path C:/x/y");
        assert_eq!(id(r"C:\repos\x.git"), r"path C:\repos\x");
        assert_eq!(id("./a:b"), "path ./a:b");
        for nothing in ["", "  ", "https://", ".git", "/"] {
            assert_eq!(id(nothing), "none", "{nothing:?}");
        }
    }

    #[test]
    fn the_name_keeps_its_case() {
        let Some(Remote::Network { name, .. }) = normalise_remote("git@h.example:a/My-Repo.git") else {
            panic!("a network remote")
        };
        assert_eq!(name, "My-Repo");
    }

    #[test]
    fn origin_is_preferred_wherever_it_stands() {
        let config = "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = one\n[Remote \"origin\"]\n\tfetch = +x\n\
                      \tURL = two # why\n\turl = three\n[branch \"main\"]\n\tremote = origin\n";
        assert_eq!(url_of(config).as_deref(), Some("two"));
        assert_eq!(url_of("[remote \"b\"]\nurl=x\n[remote \"c\"]\nurl=y").as_deref(), Some("x"));
        assert_eq!(url_of("[remote \"Origin\"]\nurl=x\n[remote.origin]\nurl=y").as_deref(), Some("y"));
        assert_eq!(url_of("[core]\nurl = no\n[branch \"origin\"]\nurl = no"), None);
    }

    #[test]
    fn values_are_read_as_git_reads_them() {
        let url = |line: &str| url_of(&format!("\u{feff}[remote \"origin\"] url = {line}\r\n[x]\r\n"));
        assert_eq!(url(r#""a # b ; c" ; d"#).as_deref(), Some("a # b ; c"));
        assert_eq!(url("a b  ").as_deref(), Some("a b"));
        assert_eq!(url("a\\\n  b").as_deref(), Some("a  b"));
        assert_eq!(url(r#""\"q\" \\ ""#).as_deref(), Some(r#""q" \ "#));
        assert_eq!(url("# nothing"), None);
        assert_eq!(url_of("[remote \"a\\\"b\"]\nskip\nurl = x").as_deref(), Some("x"));
    }

    proptest::proptest! {
        #[test]
        fn nothing_makes_it_panic(text in "(?s)[\\[\\]\"\\\\=#;:/@%. \na-z记]{0,60}") {
            let _ = url_of(&text);
            let _ = url_of(&format!("[remote \"origin\"]\nurl = {text}"));
            let _ = normalise_remote(&text);
        }
    }
}
