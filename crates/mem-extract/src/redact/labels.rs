//! Names that tell a secret: `DB_PASSWORD`, `apiKey`, `X-Auth-Token`, `contraseña`, `密码`.

use super::bytes::{ALNUM, DIGIT, LOWER, UPPER, has, is};
use super::kind::SecretKind;

/// How sure a name is that its value is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Only a random-looking value is taken out: `cache_key`, `TOKEN_STORE`.
    Weak,
    /// A value that is no plain word: `token`, `credential`.
    Medium,
    /// As medium, but words are taken too when quoted: `api_key`, `client_secret`.
    Firm,
    /// Any literal value: `password`.
    Strong,
}

/// What a name says about the value it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A secret.
    Secret,
    /// The value of an `Authorization` header.
    Authorization,
    /// The value of a `Cookie` or `Set-Cookie` header.
    Cookie,
    /// A card's number.
    Card,
    /// The value that belongs to a label given before: `value`.
    Value,
}

/// A name that tells a secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Label {
    pub(super) role: Role,
    pub(super) strength: Strength,
    pub(super) kind: SecretKind,
    /// Written in capitals, as the names of environment variables are.
    pub(super) upper: bool,
    /// `PWD` and the like also name the working directory.
    pub(super) maybe_path: bool,
    /// A single word of prose, such as `token` or `password`.
    pub(super) bare_word: bool,
    /// What the value looks like.
    pub(super) form: Form,
}

/// What the value of a label looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Anything.
    Any,
    /// Four digits and more, or what looks random: `pin`.
    Digits,
    /// Twelve words and more: `mnemonic`.
    Words,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Other,
    Password,
    Pass,
    Pwd,
    Token,
    Secret,
    ApiKey,
    Key,
    /// Words that make the `key` after them a secret: `api`, `private`, `signing`.
    KeyQualifier,
    /// Words after which `key` and `token` are no secret: `public`, `eos`, `next`.
    Harmless,
    Credential,
    Auth,
    Authorization,
    Cookie,
    Card,
    Number,
    /// Names of random values that may be secret: `salt`, `seed`, `signature`.
    Random,
    /// Numbers to type in: `pin`, `otp`.
    Pin,
    /// Words of a wallet: `mnemonic`, `phrase`.
    Phrase,
    /// Words after which a `key` finds something: `cache`, `primary`.
    Lookup,
    /// Words that do not change what the name says: `prod`, `value`, `base64`.
    Tail,
    /// Words that name something about a secret: `id`, `hash`, `file`.
    About,
    Value,
    Aws,
    Azure,
    Foreign,
}

fn word(w: &[u8]) -> Word {
    use Word as W;
    match w {
        b"password" | b"passwd" | b"passphrase" | b"passcode" | b"passwort" | b"kennwort" | b"pword"
        | b"psw" | b"wachtwoord" | b"heslo" | b"senha" | b"mdp" | b"contrasena" | b"requirepass"
        | b"masterauth" | b"sshpass" | b"pw" | b"rootpw" | b"bindpw" | b"adminpw" | b"userpw" | b"dbpw"
        | b"storepass" | b"keypass" | b"passin" | b"passout" | b"psk" | b"presharedkey" | b"salasana"
        | b"adgangskode" | b"passord" | b"sshpw" => W::Password,
        b"mnemonic" | b"phrase" | b"seedphrase" => W::Phrase,
        b"pin" | b"otp" | b"totp" | b"pincode" => W::Pin,
        b"cache" | b"primary" | b"foreign" | b"sort" | b"partition" | b"idempotency" | b"routing"
        | b"row" | b"locale" | b"translation" | b"restore" | b"hot" => W::Lookup,
        b"pass" => W::Pass,
        b"pwd" => W::Pwd,
        b"token" | b"pat" => W::Token,
        b"secret" | b"pepper" => W::Secret,
        b"apikey" | b"accesskey" | b"secretkey" | b"privatekey" | b"authkey" | b"appkey" | b"apitoken"
        | b"accesstoken" | b"authtoken" | b"clientsecret" | b"appsecret" | b"apisecret" => W::ApiKey,
        b"key" | b"keys" => W::Key,
        b"api" | b"access" | b"private" | b"account" | b"encryption" | b"encrypt" | b"signing"
        | b"master" | b"service" | b"shared" | b"subscription" | b"license" | b"auth" | b"app"
        | b"deploy" | b"storage" | b"admin" | b"consumer" | b"hmac" | b"jwt" | b"crypto" | b"decryption"
        | b"ssh" | b"role" | b"enc" | b"aes" | b"fernet" | b"write" | b"read" | b"supabase" | b"algolia"
        | b"openai" | b"gemini" | b"anthropic" | b"mistral" | b"functions" | b"application" | b"client"
        | b"root" | b"security" | b"connection" | b"preshared" | b"recovery" | b"vendor" | b"integration"
        | b"ingest" | b"sendgrid" | b"stripe" | b"mailgun" | b"datadog" | b"rapidapi" | b"webhook"
        | b"webhooks" | b"wireguard" => {
            if w == b"auth" {
                W::Auth
            } else {
                W::KeyQualifier
            }
        }
        b"public" | b"publishable" | b"pub" | b"eos" | b"bos" | b"pad" | b"unk" | b"sep" | b"cls"
        | b"mask" | b"special" | b"next" | b"page" | b"continuation" | b"cancellation" | b"cancel"
        | b"stop" | b"start" | b"end" | b"first" | b"last" | b"prompt" | b"input" | b"output" | b"max"
        | b"min" | b"num" | b"per" | b"by" | b"low" | b"high" | b"design" | b"syntax" | b"no" | b"is"
        | b"has" | b"forgot" | b"reset" | b"show" | b"hide" | b"toggle" => W::Harmless,
        b"credential" | b"credentials" | b"creds" | b"cred" | b"passwords" | b"secrets" => W::Credential,
        b"authorization" => W::Authorization,
        b"cookie" | b"cookies" => W::Cookie,
        b"card" | b"cardnumber" | b"creditcard" | b"ccnumber" | b"cc" | b"pan" | b"kreditkarte"
        | b"tarjeta" => W::Card,
        b"number" | b"num." | b"nr" | b"no." => W::Number,
        b"salt" | b"seed" | b"signature" | b"sig" | b"sas" | b"session" | b"sessionid" | b"sid" | b"csrf"
        | b"xsrf" | b"nonce" | b"dsn" | b"bearer" | b"oauth" | b"tokens" => W::Random,
        b"phpsessid" | b"jsessionid" | b"sessid" | b"sasl" => W::Token,
        b"prod" | b"production" | b"dev" | b"development" | b"test" | b"testing" | b"staging" | b"stage"
        | b"live" | b"plain" | b"plaintext" | b"raw" | b"str" | b"text" | b"new" | b"old" | b"current"
        | b"data" | b"base" | b"b64" | b"base64" | b"secondary" | b"main" | b"backup" | b"default"
        | b"local" | b"confirm" | b"confirmation" | b"again" | b"repeat" | b"literal" | b"env" => W::Tail,
        b"id" | b"ids" | b"name" | b"names" | b"hash" | b"file" | b"files" | b"path" | b"url" | b"uri"
        | b"digest" | b"checksum" | b"fingerprint" | b"type" | b"count" | b"length" | b"len" | b"size"
        | b"ref" | b"sock" | b"agent" | b"algorithm" | b"policy" | b"field" | b"label" | b"placeholder"
        | b"hint" | b"expiry" | b"expires" | b"ttl" | b"limit" | b"endpoint" | b"arn" | b"selector"
        | b"regex" | b"pattern" | b"prefix" | b"project" | b"region" | b"manager" | b"store" | b"backend"
        | b"provider" | b"engine" | b"mode" | b"method" | b"enabled" | b"required" | b"header" | b"scope"
        | b"version" | b"format" | b"issuer" | b"audience" | b"port" | b"host" | b"domain" => W::About,
        b"value" | b"val" => W::Value,
        b"aws" => W::Aws,
        b"azure" => W::Azure,
        b"clave" | b"parola" | b"jeton" | b"chave" | b"zugangsdaten" | b"login" | b"token\xc3\xa9" => {
            W::Foreign
        }
        _ => {
            if !w.is_ascii() {
                return match w {
                    [b'c', b'o', b'n', b't', b'r', b'a', b's', b'e', 0xc3, 0xb1, b'a'] => W::Password,
                    [b'c', b'l', 0xc3, 0xa9] => W::Foreign,
                    _ if w.ends_with("schlüssel".as_bytes()) => W::Foreign,
                    _ if w == "hasło".as_bytes()
                        || w == "lösenord".as_bytes()
                        || w == "şifre".as_bytes()
                        || w == "jelszó".as_bytes() =>
                    {
                        W::Password
                    }
                    _ => W::Other,
                };
            }
            // Words written together: `dbpassword`, `sessiontoken`, `myapikey`.
            match w.last() {
                Some(b'd') if w.ends_with(b"password") || w.ends_with(b"passwd") => W::Password,
                Some(b'e') if w.ends_with(b"passphrase") => W::Password,
                Some(b't') if w.ends_with(b"passwort") => W::Password,
                Some(b't') if w.len() > 8 && w.ends_with(b"secret") => W::Secret,
                Some(b'n') if w.len() > 7 && w.ends_with(b"token") => W::Token,
                Some(b'y')
                    if w.ends_with(b"apikey")
                        || w.ends_with(b"secretkey")
                        || w.ends_with(b"accesskey")
                        || w.ends_with(b"privatekey")
                        || w.ends_with(b"accountkey") =>
                {
                    W::ApiKey
                }
                _ => W::Other,
            }
        }
    }
}

const MOST: usize = 12;

/// What a name says; none when it tells no secret.
///
/// Names longer than 64 bytes are judged by their end.
pub(super) fn classify(name: &[u8]) -> Option<Label> {
    // The shortest names that tell anything have three letters; `cc` is too weak a sign.
    if name.len() < 3 && !name.eq_ignore_ascii_case(b"pw") {
        return None;
    }
    let name = &name[name.len().saturating_sub(64)..];
    let mut lower = [0u8; 64];
    let mut words = [Word::Other; MOST];
    let mut count = 0;
    let mut any = false;
    let mut begin = 0;
    let mut at = 0;
    let mut has_lower = false;
    let mut has_upper = false;
    while at <= name.len() {
        let byte = name.get(at).copied().unwrap_or(b'_');
        let split = if is(byte, ALNUM) || byte >= 0x80 {
            let upper = is(byte, UPPER);
            has_upper |= upper;
            has_lower |= is(byte, LOWER);
            lower[at] = if upper { byte | 0x20 } else { byte };
            // `apiKey`, `APIKey`: before a capital after a small letter, and before the last capital of several.
            at > begin
                && upper
                && (is(name[at - 1], LOWER | DIGIT)
                    || name.get(at + 1).is_some_and(|&b| is(b, LOWER)) && is(name[at - 1], UPPER))
        } else {
            true
        };
        if split {
            if at > begin {
                let mut end = at;
                while end > begin && is(lower[end - 1], DIGIT) {
                    end -= 1;
                }
                // `base64` and `b64` keep their digits.
                if end < at && (&lower[begin..at] == b"base64" || &lower[begin..at] == b"b64") {
                    end = at;
                }
                let class = if end == begin { Word::Tail } else { word(&lower[begin..end]) };
                any |= !matches!(class, Word::Other | Word::Tail | Word::About | Word::Harmless);
                if count == MOST {
                    words.copy_within(1.., 0);
                    count -= 1;
                }
                words[count] = class;
                count += 1;
            }
            begin = if is(byte, ALNUM) || byte >= 0x80 { at } else { at + 1 };
        }
        at += 1;
    }
    if !any {
        return None;
    }
    let last_is_pwd_alone = count == 1 && words[0] == Word::Pwd;
    decide(&words[..count], has_upper && !has_lower, last_is_pwd_alone)
}

fn decide(words: &[Word], upper: bool, maybe_path: bool) -> Option<Label> {
    use Strength as S;
    use Word as W;
    let label = |role, strength, kind| {
        let lookup = words.contains(&W::Lookup);
        let form = match words.last() {
            Some(W::Pin) => Form::Digits,
            Some(W::Phrase) => Form::Words,
            _ => Form::Any,
        };
        let upper = upper && !lookup;
        Some(Label { role, strength, kind, upper, maybe_path, bare_word: words.len() == 1, form })
    };
    let mut kept = words;
    while let [rest @ .., W::Tail] = kept {
        kept = rest;
    }
    if let ([rest @ .., W::Value], true) = (kept, kept.len() > 1) {
        kept = rest;
    }
    let before = kept.len().checked_sub(2).map(|n| kept[n]);
    let aws = words.contains(&W::Aws);
    let amazon_name = kept.len() >= 3 && kept.ends_with(&[W::Secret, W::KeyQualifier, W::Key]);
    let kind = if aws || amazon_name {
        SecretKind::AwsSecret
    } else if words.contains(&W::Azure) {
        SecretKind::AzureKey
    } else {
        SecretKind::EnvValue
    };
    match kept.last()? {
        W::Password => match before {
            Some(W::Harmless) if kept.len() == 2 => label(Role::Secret, S::Weak, SecretKind::HighEntropy),
            _ => label(Role::Secret, S::Strong, kind),
        },
        W::Pwd => label(Role::Secret, S::Strong, kind),
        W::Pass => match before {
            Some(W::Harmless) => None,
            Some(_) => label(Role::Secret, S::Strong, kind),
            None => label(Role::Secret, S::Medium, kind),
        },
        W::Pin => label(Role::Secret, S::Medium, kind),
        W::Phrase if words.len() > 1 && before == Some(W::Other) => None,
        W::Phrase => label(Role::Secret, S::Medium, kind),
        W::Foreign => label(Role::Secret, S::Medium, kind),
        W::Token => match before {
            Some(W::Harmless) => None,
            Some(W::Other | W::About | W::Tail) | None => label(Role::Secret, S::Medium, kind),
            Some(_) => label(Role::Secret, S::Firm, kind),
        },
        W::Secret => match before {
            None => label(Role::Secret, S::Medium, kind),
            Some(_) => label(Role::Secret, S::Firm, kind),
        },
        W::ApiKey => label(Role::Secret, S::Firm, kind),
        W::Key => match before {
            Some(
                W::KeyQualifier
                | W::Cookie
                | W::Phrase
                | W::Secret
                | W::Auth
                | W::Token
                | W::Random
                | W::Aws
                | W::Azure
                | W::Password,
            ) => label(Role::Secret, S::Firm, kind),
            Some(W::Harmless) => None,
            _ => label(Role::Secret, S::Weak, SecretKind::HighEntropy),
        },
        W::Credential => label(Role::Secret, S::Medium, kind),
        W::Authorization => label(Role::Authorization, S::Medium, SecretKind::Authorization),
        W::Auth => label(Role::Secret, S::Medium, kind),
        W::Cookie => label(Role::Cookie, S::Medium, SecretKind::Cookie),
        W::Card => label(Role::Card, S::Medium, SecretKind::CreditCard),
        W::Number if before == Some(W::Card) => label(Role::Card, S::Medium, SecretKind::CreditCard),
        W::Value if words.len() == 1 => label(Role::Value, S::Weak, SecretKind::EnvValue),
        W::Random => label(Role::Secret, S::Weak, SecretKind::HighEntropy),
        W::About | W::Harmless => None,
        // The telling word stands in the middle: `TOKEN_GITHUB`, `SECRET_FOR_X`, `PASSWORD_DB`.
        _ if kept
            .iter()
            .any(|w| matches!(w, W::Password | W::Secret | W::ApiKey | W::Token | W::Credential)) =>
        {
            let strength = if upper { S::Medium } else { S::Weak };
            label(Role::Secret, strength, if upper { kind } else { SecretKind::HighEntropy })
        }
        _ => None,
    }
}

/// Labels in scripts without capitals; each is strong.
static FOREIGN: &[&str] = &[
    "密码",
    "密碼",
    "口令",
    "令牌",
    "密钥",
    "密鑰",
    "秘钥",
    "金鑰",
    "通行码",
    "パスワード",
    "暗証番号",
    "トークン",
    "秘密鍵",
    "비밀번호",
    "암호",
    "비번",
    "토큰",
    "пароль",
    "Пароль",
    "ПАРОЛЬ",
    "токен",
    "Токен",
    "پسورد",
    "كلمة المرور",
    "كلمة السر",
    "סיסמה",
    "סיסמא",
    "κωδικός",
    "Κωδικός",
    "पासवर्ड",
    "รหัสผ่าน",
    "權杖",
    "密鍵",
    "패스워드",
    "パスフレーズ",
    "合言葉",
    "パスコード",
    "пассворд",
    "Токены",
    "キー",
    "키",
    "ключ",
    "Ключ",
    "凭证",
    "憑證",
    "授权码",
];

/// The label in another script that begins at `at`, with its end.
#[inline]
pub(super) fn foreign_at(text: &[u8], at: usize) -> Option<(usize, Label)> {
    let first = *text.get(at)?;
    let second = *text.get(at + 1)?;
    let found = FOREIGN.iter().find(|w| {
        let w = w.as_bytes();
        w[0] == first && w[1] == second && has(text, at, w)
    })?;
    let medium = matches!(*found, "キー" | "키" | "ключ" | "Ключ" | "凭证" | "憑證");
    let label = Label {
        role: Role::Secret,
        strength: if medium { Strength::Medium } else { Strength::Strong },
        kind: SecretKind::EnvValue,
        upper: false,
        maybe_path: false,
        bare_word: true,
        form: Form::Any,
    };
    Some((at + found.len(), label))
}

/// Labels of several words; `name` is the last one, and ends at `end`.
pub(super) fn phrase_before(text: &[u8], start: usize, name: &[u8]) -> bool {
    let phrase: &[u8] = match name {
        _ if name.eq_ignore_ascii_case(b"passe") => b"ot de ",
        _ if name.eq_ignore_ascii_case(b"sandi") => b"ata ",
        _ if name == "khẩu".as_bytes() => "ật ".as_bytes(),
        _ => return false,
    };
    text.get(..start).is_some_and(|before| before.ends_with(phrase))
}

/// A strong label without further marks.
pub(super) const fn password_label() -> Label {
    Label {
        role: Role::Secret,
        strength: Strength::Strong,
        kind: SecretKind::EnvValue,
        upper: false,
        maybe_path: false,
        bare_word: true,
        form: Form::Any,
    }
}

/// The label that a word of prose makes with the word before it: `api key`, `seed phrase`.
pub(super) fn joined(text: &[u8], start: usize, end: usize) -> Option<Label> {
    let name = text.get(start..end)?;
    let telling: &[&[u8]] = &[b"key", b"keys", b"token", b"secret", b"phrase", b"creds"];
    if name.len() > 6 || !telling.iter().any(|w| name.eq_ignore_ascii_case(w)) {
        return None;
    }
    let gap = start.checked_sub(1)?;
    if !matches!(text.get(gap), Some(b' ')) {
        return None;
    }
    let begin = (gap.saturating_sub(16)..gap).rev().take_while(|&i| is(text[i], ALNUM)).last()?;
    let before: &[&[u8]] = &[
        b"api",
        b"access",
        b"secret",
        b"private",
        b"encryption",
        b"license",
        b"signing",
        b"auth",
        b"master",
        b"storage",
        b"account",
        b"shared",
        b"seed",
        b"recovery",
        b"bearer",
        b"webhook",
        b"client",
        b"service",
        b"deploy",
        b"admin",
        b"app",
        b"subscription",
        b"connection",
        b"session",
        b"security",
        b"refresh",
        b"bot",
        b"hmac",
        b"jwt",
        b"mnemonic",
        b"backup",
        b"wallet",
        b"application",
        b"root",
        b"fernet",
        b"aes",
    ];
    if !before.iter().any(|w| text[begin..gap].eq_ignore_ascii_case(w)) {
        return None;
    }
    let mut label = classify(&text[begin..end])?;
    label.bare_word = true;
    label.upper = false;
    if label.strength == Strength::Medium {
        label.strength = Strength::Firm;
    }
    Some(label)
}
