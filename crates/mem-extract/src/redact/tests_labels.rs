use super::*;
use serde_json::json;

/// Texts with `{}` where the secret stands, and the secret; `~` inside is left out, so that no scanner takes this file
/// for a leak.
const SECRETS: &[(&str, &str)] = &[
    // Labels of several words.
    ("api key: {}", "Lantern!4471q"),
    ("the API key is {}", "zq81kk20vmw7"),
    ("secret key = {}", "Quartz$9013w"),
    ("access key: {}", "r7t3mmw09ax2"),
    ("encryption key={}", "9f3b2c7de81a4450b6c1d2e3f4a59687"),
    ("license key={}", "QX71-88KD-02MN-V3TT"),
    ("signing key: {}", "m4n8b2v6c0x1z9"),
    // Words between a label and its value.
    ("the password for db is {}", "Granite@7312Q"),
    ("the password for the staging database is {}", "Meadow#5521w"),
    ("The admin password was changed to {}.", "Juniper#8123Q"),
    ("our password has been reset to {}", "Cobalt!4417w"),
    ("password (prod): {}", "w7781kz"),
    ("credentials are bob:{}", "Lilac!33871Q"),
    ("db creds are app_user / {}", "Walnut!55120"),
    ("DB password - {}", "Walnut!55120"),
    ("sign in as root with password {}", "pebblecanyon482"),
    ("change my password from oldone to {}", "Canyon$2291"),
    ("api_key is {}", "v4Kq82mZx01PwLt7"),
    ("client_secret is {}", "v4Kq82mZx01PwLt7"),
    ("password -> {}", "v4Kq82mZx01PwLt7"),
    ("token => {}", "v4Kq82mZx01PwLt7"),
    ("Password ........ {}", "Gravel#7712z"),
    ("| password | {} |", "Gravel$7712z"),
    ("Initial admin password:\n  {}\n", "c81f0e2b77aa"),
    // Other languages.
    ("root 密码改成了 {}", "lampstone4471"),
    ("数据库的密码现在是 {}", "lampstone4471"),
    ("權杖：{}", "lampstone4471"),
    ("パスワードは「{}」です", "lampstone4471"),
    ("패스워드는 {} 이에요", "lampstone4471"),
    ("la contraseña de la base de datos es {}", "Piedra$5521"),
    ("le mot de passe de la base est {}", "Pierre$5521"),
    ("Das Passwort für die Datenbank lautet: {}", "Granit$5521x"),
    ("a senha do banco é {}", "Pedra$5521x"),
    ("Пароль от базы — {}", "lampstone4471"),
    ("la password è {}", "Pietra$5521x"),
    ("salasana: {}", "kivi5521x"),
    // Further names.
    ("pw: {}", "Heather#31!"),
    ("LDAP_BIND_PW={}", "heatherstone"),
    ("WIFI_PSK={}", "heatherstone55"),
    ("PresharedKey = {}", "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l9Z0x1C="),
    ("PIN={}", "490217"),
    ("FERNET_KEY={}", "9f3b2c7de81a4450b6c1d2e3f4a59687"),
    ("SALT={}", "9f3b2c7de81a4450b6c1d2e3f4a59687"),
    ("API_KEY={}", "77120948"),
    // Structured data.
    ("[{\"name\":\"DB_PASSWORD\",\"value\":\"{}\"}]", "lampstone4471"),
    ("{\"key\":\"password\",\"value\":\"{}\"}", "lampstone4471"),
    ("{\"secret\": {\"value\": \"{}\"}}", "lampstone4471"),
    ("{\"passwd\": [\"{}\"]}", "lampstone4471"),
    ("password: |\n    {}\n", "lampstone4471"),
    ("token: >-\n    {}\n", "v4Kq82mZx01PwLt7Hb3"),
    ("passwords:\n  - {}\n", "lampstone4471"),
    ("secret_key = \"\"\"{}\"\"\"", "v4Kq82mZx01PwLt7"),
    ("<property name=\"hibernate.connection.password\">{}</property>", "lampstone4471"),
    ("\"TOKEN\": \"{}\"", "quarrylantern89"),
    // Commands.
    ("ConvertTo-SecureString \"{}\" -AsPlainText -Force", "Quarry@4471z"),
    ("net use Z: \\\\srv\\x /user:bob {}", "lampstone4471"),
    ("net user bob {} /add", "lampstone4471"),
    ("aws configure set aws_secret_access_key {}", "wJ7lrXUtn3EMI7K7MDENGbPxRfiCYzQ2W4E6R8T0"),
    ("gh secret set DEPLOY --body '{}'", "lampstone4471"),
    // Seed phrases.
    ("mnemonic: {}", "lamp stone river quarry velvet orbit candle meadow timber falcon harbor maple"),
    ("SEED_PHRASE=\"{}\"", "lamp stone river quarry velvet orbit candle meadow timber falcon harbor maple"),
    ("helm upgrade x --set-string auth.password={},image.tag=1", "lampstone4471"),
    ("CREATE USER 'a'@'%' IDENTIFIED BY '{}';", "lampstone4471"),
    ("htpasswd -bc f bob {}", "lampstone4471"),
    ("openssl enc -aes-256-cbc -pass pass:{}", "lampstone4471"),
    ("ssh-keygen -t rsa -N '{}'", "lampstone4471"),
    ("smbclient -U bob%{} //srv/x", "lampstone4471"),
    ("rabbitmqctl add_user bob {}", "lampstone4471"),
    ("aws ssm put-parameter --name /x --value '{}'", "lampstone4471"),
    ("keytool -list -storepass {}", "lampstone4471"),
    // Code.
    ("config.setPassword(\"{}\");", "v4Kq82mZx01PwLt7"),
    ("if password == \"{}\":", "v4Kq82mZx01PwLt7"),
    // Manifests and addresses.
    ("kind: Secret\ntype: Opaque\ndata:\n  ca: {}\n", "dg5Cab4ZMCNhbY"),
    ("stringData:\n  a: 1\n  x.y: {}\nkind: Secret\n", "lampstone"),
    ("https://x.test/cb?code={}&state=1", "q1W2e3R4t5Y6u7I8o9P0"),
    // Forms of services.
    ("use nf~p_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"),
    ("use xkey~sib-{}", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-aB1cD2eF3gH4iJ5k"),
    ("use {}-us14", "9f3b2c7de81a4450b6c1d2e3f4a59687"),
    ("vault s~.{}", "a1B2c3D4e5F6g7H8i9J0k1L2"),
    ("{}", "aB3dE5gH7jK9mN.atlasv1.q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l9Z0x1C2v3B4n5M6q7W8e9R0"),
    ("{\"kty\":\"EC\",\"d\":\"{}\"}", "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l9Z0x1C"),
];

const HARMLESS: &[&str] = &[
    "the password for the database is required",
    "the password is checked in src/auth/login.rs:112",
    "the seed phrase is shown once and never stored on our servers",
    "The password was changed to a longer one.",
    "password has been updated",
    "the api key is stored in the vault",
    "api key: see the README",
    "the API key is read from the environment",
    "access token => refreshes every 30min",
    "password -> password.trim()",
    "token -> tokenService.verify(token)",
    "fn token(&self) -> String {",
    "credentials are loaded from ~/.aws/credentials",
    "credentials: include",
    "the pin is out of range",
    "pin: 13",
    "const pin = 7;",
    "PIN_COUNT=40",
    "| password | string | the user's password |",
    "| token | yes | - |",
    "| --- | --- |",
    "password:\n    type: string\n    minLength: 8",
    "secrets:\n  - name: x\n",
    "password: |\n    the user's password\n",
    "'password' => ['required', 'string', 'min:8'],",
    "if password == \"\":",
    "setPassword(\"password\")",
    "getToken(\"access\")",
    "密码长度为 8-16 位",
    "密码使用 argon2id 加密",
    "密码校验在 auth.ts 里",
    "パスワードの長さは 8 文字以上です",
    "비밀번호는 8자 이상이어야 합니다",
    "la contraseña de la cuenta es obligatoria",
    "Das Passwort für die Datenbank ist leer",
    "пароль от базы хранится в vault",
    "kind: ConfigMap\ndata:\n  color: q1W2e3R4t5Y6\n",
    "kind: Secret\nmetadata:\n  name: db\n---\nkind: ConfigMap\ndata:\n  level: debug7x\n",
    "https://x.test/cb?code=en&session=main&key=title",
    "primary key: id",
    "foreign key = user_id",
    "the key is missing",
    "sort key: created_at",
    "public key: ssh-ed25519",
    "net use Z: \\\\srv\\share",
    "htpasswd -c f bob",
    "openssl req -x509 -newkey rsa:4096",
    "\"name\": \"password\", \"type\": \"string\"",
    "[{\"name\":\"password\",\"value\":\"string\"}]",
    "<label for=\"password\">Mot de passe</label>",
    "session_id is 0b7c1e0a-7160-457c-ad5f-83522a330ac1",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\nRTESMBAGA1UEChMJQmFsdGltb3JlMRMwEQYDVQQLEwpDeWJlclRydXN0MSIwIAYD\nVQQDExlCYWx0aW1vcmUgQ3liZXJUcnVzdCBSb290MB4XDTAwMDUxMjE4NDYwMFoX\n-----END CERTIFICATE-----",
    "re_compile_pattern_with_many_options_here",
    "s.to_lowercase().split_whitespace()",
];

#[test]
fn secrets_behind_words_and_further_names_go() {
    let redactor = Redactor::default();
    let mut failures = Vec::new();
    for (text, secret) in SECRETS {
        let secret = secret.replace('~', "");
        let text = text.replace('~', "").replacen("{}", &secret, 1);
        let got = redactor.redact(&text);
        if got.text.contains(&secret) {
            failures.push(format!("{text:?} -> {:?}", got.text));
        }
        assert_eq!(redactor.redact(&got.text).text, got.text, "redacting twice changes nothing");
    }
    assert!(failures.is_empty(), "{} of {}\n{}", failures.len(), SECRETS.len(), failures.join("\n"));
}

#[test]
fn what_stands_near_a_label_in_prose_and_code_stays() {
    let redactor = Redactor::default();
    let changed: Vec<String> = HARMLESS
        .iter()
        .map(|text| (text, redactor.redact(text).text))
        .filter(|(text, got)| got != *text)
        .map(|(text, got)| format!("{text:?} -> {got:?}"))
        .collect();
    assert!(changed.is_empty(), "{} of {}\n{}", changed.len(), HARMLESS.len(), changed.join("\n"));
}

/// Six lines as wide as those of a key, letters and digits in an order of their own.
fn key_lines(prefix: impl Fn(usize) -> String) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let line = |n: usize| -> String {
        (0..64).map(|i| char::from(LETTERS[(i * 37 + n * 11 + i * i * n) % LETTERS.len()])).collect()
    };
    (0..6).map(|n| format!("{}{}\n", prefix(n), line(n))).collect()
}

#[test]
fn keys_go_without_the_line_that_begins_them() {
    let redactor = Redactor::default();
    let lines = key_lines(|_| String::new());
    let end = format!("-----END OPENSSH PRIV{} KEY-----\n", "ATE");
    for text in [
        lines.clone(),
        format!("$ tail id\n{lines}{end}"),
        format!("-----BEGIN OPENSSH PRIV{} KEY-----\n{}", "ATE", key_lines(|n| format!("   {}→", n + 2))),
    ] {
        let got = redactor.redact(&text);
        assert!(!got.text.contains(&lines[..64]), "{}", got.text);
        assert!(!got.text.contains(&lines[65 * 5..65 * 5 + 64]), "{}", got.text);
    }
    let public = format!("{lines}-----END CERTIFICATE-----\n");
    assert_eq!(redactor.redact(&public).text, public);
}

#[test]
fn files_of_secrets_are_judged_more_strictly() {
    let redactor = Redactor::default();
    let content =
        "ADMIN=lampstone771\n# ADMIN=comment1x\nMAGIC=\"q1W2e3R4t5Y6u7\"\nREGION=eu-west-1\nPORT=8080\n";
    let mut value = json!({"file_path": "/x/.env.production", "content": content});
    assert_eq!(redactor.redact_value(&mut value).total(), 2);
    let marker = SecretKind::EnvValue.marker();
    let want =
        format!("ADMIN={marker}\n# ADMIN=comment1x\nMAGIC=\"{marker}\"\nREGION=eu-west-1\nPORT=8080\n");
    assert_eq!(value["content"], want);
    let mut plain = json!({"file_path": "/x/a.txt", "content": "ADMIN=lampstone771\n"});
    assert!(redactor.redact_value(&mut plain).is_empty());
    let mut pgpass = json!({"file_path": "/home/u/.pgpass", "content": "db:5432:*:app:lampstone771"});
    redactor.redact_value(&mut pgpass);
    assert_eq!(pgpass["content"], format!("db:5432:*:app:{marker}"));
}
