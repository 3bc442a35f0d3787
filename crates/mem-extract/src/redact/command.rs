//! Passwords in arguments of known commands: `mysql -pX`, `curl -u user:X`, `sshpass -p X`, `echo X | sudo -S`.

use super::bytes::{BLANK, DIGIT, QUOTE, WHITE, has, is, is_at, run, until_white};
use super::judge;
use super::kind::SecretKind;
use super::value::Quoting;

/// The command whose arguments are being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    None,
    /// `-pX`; after a blank only what has digits, as a database's name may stand there.
    Mysql,
    /// `-p X` or `-pX`.
    SmallP,
    /// `-P X`.
    BigP,
    /// `-a X`.
    Redis,
    /// `-u user:X`, `-b name=X`.
    Curl,
    /// `-w X`.
    Ldap,
    /// `-pX` only.
    Archive,
    /// `-pw X`.
    Putty,
}

/// The command of a name, when its options are known.
pub(super) fn named(name: &[u8]) -> Option<Command> {
    Some(match name {
        b"mysql" | b"mysqldump" | b"mysqladmin" | b"mariadb" | b"mysqlimport" | b"mysqlsh"
        | b"mysqlcheck" | b"mariadb-dump" | b"mariadb-admin" | b"mycli" => Command::Mysql,
        b"sshpass" | b"mongo" | b"mongosh" | b"mongodump" | b"mongorestore" | b"mongoexport"
        | b"mongoimport" | b"login" => Command::SmallP,
        b"sqlcmd" | b"osql" | b"bcp" | b"unzip" | b"zip" => Command::BigP,
        b"redis-cli" => Command::Redis,
        b"curl" | b"http" | b"httpie" | b"curlie" | b"xh" => Command::Curl,
        b"ldapsearch" | b"ldapadd" | b"ldapmodify" | b"ldapwhoami" => Command::Ldap,
        b"7z" | b"7za" | b"7zz" | b"rar" | b"unrar" => Command::Archive,
        b"plink" | b"pscp" | b"psftp" => Command::Putty,
        _ => return None,
    })
}

/// The password in the option that begins at the `-` at `at`.
pub(super) fn option(t: &[u8], at: usize, command: Command) -> Option<(usize, usize, SecretKind)> {
    if at > 0 && !is(t[at - 1], WHITE) {
        return None;
    }
    let letter = *t.get(at + 1)?;
    match command {
        Command::None => None,
        Command::Mysql | Command::SmallP | Command::Archive if letter == b'p' => {
            if is_at(t, at + 2, WHITE) {
                if command == Command::Archive {
                    return None;
                }
                let (start, end) = argument(t, at + 2)?;
                let sure = command == Command::SmallP || t[start..end].iter().any(|&b| is(b, DIGIT));
                (sure && judge::is_argument(&t[start..end])).then_some((start, end, SecretKind::EnvValue))
            } else {
                attached(t, at + 2)
            }
        }
        Command::BigP if letter == b'P' => separate(t, at + 2),
        Command::Redis if letter == b'a' => separate(t, at + 2),
        Command::Ldap if letter == b'w' => separate(t, at + 2),
        Command::Putty if has(t, at, b"-pw") => separate(t, at + 3),
        Command::Curl => {
            let from = match letter {
                b'u' | b'U' | b'a' => at + 2,
                b'-' if has(t, at, b"--user")
                    && (is_at(t, at + 6, BLANK) || t.get(at + 6) == Some(&b'=')) =>
                {
                    at + 6
                }
                b'-' if has(t, at, b"--proxy-user") => at + 12,
                b'b' if is_at(t, at + 2, BLANK) => {
                    let (start, end) = argument(t, at + 2)?;
                    return super::value::has_cookie(&t[start..end]).then_some((
                        start,
                        end,
                        SecretKind::Cookie,
                    ));
                }
                _ => return None,
            };
            let from = if t.get(from) == Some(&b'=') { from + 1 } else { from };
            let (start, end) = argument(t, from)?;
            let colon = start + t[start..end].iter().position(|&b| b == b':')?;
            let password = &t[colon + 1..end];
            (judge::is_argument(password) && !password.starts_with(b"//")).then_some((
                colon + 1,
                end,
                SecretKind::Authorization,
            ))
        }
        _ => None,
    }
}

fn separate(t: &[u8], at: usize) -> Option<(usize, usize, SecretKind)> {
    if !is_at(t, at, BLANK) {
        return None;
    }
    let (start, end) = argument(t, at)?;
    judge::is_argument(&t[start..end]).then_some((start, end, SecretKind::EnvValue))
}

fn attached(t: &[u8], at: usize) -> Option<(usize, usize, SecretKind)> {
    let (start, end) = argument(t, at)?;
    (end - start >= 3 && judge::is_argument(&t[start..end])).then_some((start, end, SecretKind::EnvValue))
}

/// The password among the arguments of a command that takes it by its place or behind a word.
pub(super) fn positional(t: &[u8], end: usize, name: &[u8]) -> Option<(usize, usize)> {
    let nth = |n: usize| {
        let mut at = end;
        for _ in 1..n {
            at = argument(t, at)?.1;
            at = if is_at(t, at, QUOTE) { at + 1 } else { at };
        }
        argument(t, at)
    };
    let line = &t[end..t.len().min(end + 240)];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    // Behind a word of the line, from `skip` bytes on.
    let behind = |word: &[u8]| argument(t, end + memchr::memmem::find(line, word)? + word.len());
    let found = match name {
        b"IDENTIFIED" | b"identified" | b"Identified" => {
            let by = run(t, end, BLANK, 4);
            let quoted = if has(t, by, b"WITH ") { behind(b" BY ")? } else { argument(t, by + 3)? };
            is_at(t, quoted.0.checked_sub(1)?, QUOTE).then_some(quoted)
        }
        b"ConvertTo-SecureString" => {
            let at = run(t, end, BLANK, 4);
            let at = if has(t, at, b"-String ") { at + 8 } else { at };
            Quoting::at(t, at)?;
            argument(t, at)
        }
        b"net" if line.starts_with(b" user ") => nth(3),
        b"net" if line.starts_with(b" use ") => {
            let user = end + memchr::memmem::find(line, b"/user:")?;
            argument(t, until_white(t, user, 120))
        }
        b"htpasswd"
            if line.starts_with(b" -b ") || line.starts_with(b" -bc ") || line.starts_with(b" -cb ") =>
        {
            nth(4)
        }
        b"htpasswd" if line.starts_with(b" -nb ") => nth(3),
        b"ssh-keygen" => behind(b" -N "),
        b"keytool" => behind(b" -storepass "),
        b"security" if line.starts_with(b" add-") => behind(b" -w "),
        b"schtasks" => behind(b" /rp "),
        b"openssl" => behind(b" pass:").or_else(|| behind(b" -k ")),
        b"smbclient" => behind(b"%"),
        b"rabbitmqctl" if line.starts_with(b" add_user ") || line.starts_with(b" change_password ") => nth(3),
        b"wpa_passphrase" => nth(2),
        b"gh" if line.starts_with(b" secret set ") => behind(b" --body ").or_else(|| behind(b" -b ")),
        b"aws" if line.starts_with(b" ssm put-parameter ") => behind(b" --value "),
        b"aws" if line.starts_with(b" secretsmanager ") => behind(b" --secret-string "),
        b"az" if line.starts_with(b" keyvault secret set ") => behind(b" --value "),
        b"az" => behind(b" --client-secret "),
        b"doppler" if line.starts_with(b" secrets set ") => nth(4),
        b"nmcli" => behind(b" password "),
        _ => None,
    };
    let (start, stop) = found?;
    (stop - start >= 3 && !t[start..stop].contains(&b'=') && judge::is_argument(&t[start..stop]))
        .then_some((start, stop))
}

/// One argument of a shell, without its quotes, of at most 512 bytes.
pub(super) fn argument(t: &[u8], at: usize) -> Option<(usize, usize)> {
    let at = run(t, at, BLANK, 16);
    if let Some(quoting) = Quoting::at(t, at) {
        let (end, _) = quoting.close(t, 512);
        return (end > quoting.content).then_some((quoting.content, end));
    }
    let limit = t.len().min(at + 512);
    let mut end = at;
    while end < limit && !is(t[end], WHITE | QUOTE) && !matches!(t[end], b';' | b'|' | b'&' | b')') {
        if t[end] == b'\\' && matches!(t.get(end + 1), Some(b'n' | b'"')) {
            break;
        }
        end += 1;
    }
    (end > at).then_some((at, end))
}

/// The argument of an `echo` whose output is piped into something that reads a password.
pub(super) fn piped_password(t: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut at = run(t, at, BLANK, 4);
    while matches!(t.get(at..at + 3), Some(b"-n " | b"-e ")) || matches!(t.get(at..at + 4), Some(b"-ne ")) {
        at = run(t, until_white(t, at, 4), BLANK, 4);
    }
    let (mut start, end) = argument(t, at)?;
    let mut pipe = end;
    while is_at(t, pipe, QUOTE | BLANK) || t.get(pipe) == Some(&b'\\') {
        pipe += 1;
        if pipe > end + 8 {
            return None;
        }
    }
    if t.get(pipe) != Some(&b'|') {
        return None;
    }
    let rest = &t[pipe..t.len().min(pipe + 96)];
    let rest = rest.split(|&b| b == b'\n').next()?;
    let rest = &rest[..rest.iter().skip(1).position(|&b| b == b'|').map_or(rest.len(), |n| n + 1)];
    let reads = |w: &[u8]| memchr::memmem::find(rest, w).is_some();
    if reads(b"chpasswd") {
        start += t[start..end].iter().position(|&b| b == b':')? + 1;
    } else if !(reads(b"sudo -S")
        || reads(b"sudo -kS")
        || reads(b"--password-stdin")
        || reads(b"--stdin") && reads(b"passwd")
        || reads(b"--with-token"))
    {
        return None;
    }
    (start < end && judge::is_argument(&t[start..end])).then_some((start, end))
}
