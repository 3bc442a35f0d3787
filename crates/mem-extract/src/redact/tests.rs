use super::*;
use proptest::prelude::*;
use serde_json::json;

/// Secrets are written with `~` inside, so that no scanner takes this file for a leak.
fn real(text: &str) -> String {
    text.replace('~', "")
}

fn clean(text: &str) -> (String, SecretCounts) {
    let redactor = Redactor::default();
    let once = redactor.redact(text);
    let twice = redactor.redact(&once.text);
    assert_eq!(twice.text, once.text, "redacting twice changes nothing");
    assert!(twice.counts.is_empty(), "{text}");
    (once.text.into_owned(), once.counts)
}

use SecretKind as K;

/// A text in which the secret stands between `⟦` and `⟧`, and its kind.
const SECRETS: &[(&str, SecretKind)] = &[
    // Tokens with a form of their own.
    ("key id is ⟦AK~IAZ7QWERTY23456UIO⟧.", K::AwsAccessKey),
    ("creds: ⟦AS~IAQ3EGRTBCDEFGH12X⟧ end", K::AwsAccessKey),
    ("git clone with ⟦gh~p_a8Bc9De0Fg1Hi2Jk3Lm4No5Pq6Rs7Tu8Vw9X⟧", K::GithubToken),
    ("remote uses ⟦github~_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789abcdef⟧", K::GithubToken),
    ("(⟦gh~s_16C7e42F292c6912E7710c838347Ae178B4a⟧)", K::GithubToken),
    ("CI: ⟦glp~at-xY7_zKq2Lm9Pn4Rt8Vw3⟧", K::GitlabToken),
    ("use ⟦sk-~ant-api03-AbC9dEf0GhI1jKl2MnO3pQr4StU5vWx6YzA7bCd8EfG-9hIjKlAA⟧ here", K::AnthropicKey),
    ("use ⟦sk-~proj-Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56_Qr78St90-Uv12⟧ here", K::OpenaiKey),
    ("use ⟦sk-~T3BlbkFJq8W7e6R5t4Y3u2I1o0P9a8S7d6F5g4H3⟧ here", K::OpenaiKey),
    ("令牌在此⟦sk-~0a1b2c3d4e5f60718293a4b5c6d7e8f9⟧。", K::OpenaiKey),
    ("bot ⟦xo~xb-2345678901-3456789012345-AbCdEfGhIjKlMnOpQrStUvWx⟧", K::SlackToken),
    ("curl https://⟦hooks.slack.com/ser~vices/T0A1B2C3D/B4E5F6G7H/aB1cD2eF3gH4iJ5kL6mN7oP8⟧", K::SlackToken),
    ("⟦sk_~live_4eC39HqLyjWDarjtT1zdp7dc⟧", K::StripeKey),
    ("⟦whs~ec_Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56⟧", K::StripeKey),
    ("maps: ⟦AI~zaSyB1c2D3e4F5g6H7i8J9k0L1m2N3o4P5q6R⟧", K::GoogleKey),
    ("oauth ⟦ya~29.a0AfH6SMBx7y8z9A1b2C3d4E5f6G7h8⟧", K::GoogleKey),
    ("//registry.npmjs.org/:_authToken=⟦np~m_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8⟧", K::NpmToken),
    ("⟦py~pi-AgEIcHlwaS5vcmcCJDEyMzQ1Njc4LTkwYWItY2RlZi0xMjM0LTU2Nzg5MGFiY2RlZg⟧", K::PypiToken),
    ("login --token ⟦h~f_AbCdEfGhIjKlMnOpQrStUvWxYz01234567⟧", K::HuggingfaceToken),
    ("https://api.telegram.org/bot⟦1234~56789:AAF-q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H⟧/getMe", K::TelegramToken),
    ("⟦S~G.aB1cD2eF3gH4iJ5kL6mN7o.pQ8rS9tU0vW1xY2zA3bC4dE5fG6hI7jK8lM9nO0pQ1r⟧", K::SendgridKey),
    ("twilio ⟦S~K0123456789abcdef0123456789abcdef⟧", K::TwilioKey),
    ("⟦MTIz~NDU2Nzg5MDEyMzQ1Njc4.GaBcDe.a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9⟧", K::DiscordToken),
    (
        "https://discord.com/api/webhooks/⟦123456789012345678/aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4cD5eF6gH7iJ8kL9mN0oP1qR2s⟧",
        K::DiscordToken,
    ),
    ("⟦dop~_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef⟧", K::ServiceToken),
    ("VAULT ⟦hv~s.CAESIJ3xK9q2Lm8Pn4Rt7Vw1Zy5⟧", K::ServiceToken),
    (
        "jwt ⟦ey~JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U⟧ ok",
        K::Jwt,
    ),
    // Key blocks.
    (
        "⟦-----BEGIN RSA PRIV~ATE KEY-----\nMIIEpAIBAAKCAQEA7qZ1x2y3\nabcdEFGH0123+/==\n-----END RSA PRIV~ATE KEY-----⟧\nafter",
        K::PrivateKey,
    ),
    (
        "{\"k\":\"⟦-----BEGIN PRIV~ATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQ\\nEFAASCBKcw\\n-----END PRIV~ATE KEY-----⟧\\n\"}",
        K::PrivateKey,
    ),
    (
        "⟦-----BEGIN OPENSSH PRIV~ATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\nAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz⟧",
        K::PrivateKey,
    ),
    (
        "⟦-----BEGIN PGP PRIV~ATE KEY BLOCK-----\nVersion: GnuPG v2\n\nlQOYBF1abcEBCADExyz0123456789\n=aBcD\n-----END PGP PRIV~ATE KEY BLOCK-----⟧",
        K::PrivateKey,
    ),
    // Headers.
    ("curl -H 'Authorization: Bearer ⟦a1b2c3d4e5f6a7b8c9d0⟧' https://x.test", K::Authorization),
    ("Authorization: Basic ⟦dXNlcjpwYXNzd29yZDE=⟧", K::Authorization),
    ("\"Authorization\": \"token ⟦0123456789abcdef0123456789abcdef01234567⟧\"", K::Authorization),
    ("{\\\"authorization\\\":\\\"Bearer ⟦Zx9Yw8Vu7Ts6Rq5Po4⟧\\\"}", K::Authorization),
    ("X-Api-Key: ⟦9f8e7d6c5b4a39281706⟧", K::EnvValue),
    ("Cookie: ⟦session=eyABC123; theme=dark⟧\nHost: x", K::Cookie),
    ("< Set-Cookie: ⟦sid=s%3Aab12cd34ef; Path=/; HttpOnly⟧", K::Cookie),
    ("curl -b '⟦sid=ab12cd34ef⟧' https://x.test", K::Cookie),
    // URLs and connection strings.
    ("postgres://app:⟦s3cr3tPw⟧@db.internal:5432/app", K::UrlPassword),
    ("DATABASE_URL=mysql://root:⟦hunter2⟧@127.0.0.1/x", K::UrlPassword),
    ("git remote add o https://bob:⟦p@ss!w0rd⟧@git.example.org/r.git", K::UrlPassword),
    ("redis://:⟦Zk3!x9⟧@cache:6379/0", K::UrlPassword),
    ("Server=db;User Id=sa;Password=⟦Str0ng!Pass⟧;Encrypt=true", K::EnvValue),
    ("Server=db;Uid=sa;Pwd=⟦Str0ngPass⟧;", K::EnvValue),
    ("host=db user=app password=⟦swordfish9⟧ dbname=x", K::EnvValue),
    (
        "AccountName=acc;AccountKey=⟦q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l9Z0x1C2v3B4n5M6==⟧;EndpointSuffix=x",
        K::EnvValue,
    ),
    (
        "https://a.blob.core.windows.net/c?sv=2022&se=2030&sig=⟦aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0%3D⟧",
        K::HighEntropy,
    ),
    ("GET /v1?api_key=⟦a1b2c3d4e5f6⟧&page=2", K::EnvValue),
    // Assignments.
    ("DB_PASSWORD=⟦hunter2⟧", K::EnvValue),
    ("export API_KEY=⟦abcd1234efgh⟧ && make", K::EnvValue),
    ("+PASSWORD=⟦correct-horse-9⟧", K::EnvValue),
    ("-SECRET_KEY_BASE=⟦0f1e2d3c4b5a69788796a5b4c3d2e1f0⟧", K::EnvValue),
    ("AUTH_TOKEN=\"⟦Zq8#kLm2pR⟧\"", K::EnvValue),
    ("set MY_SECRET=⟦topsecretvalue⟧", K::EnvValue),
    ("$env:CLIENT_SECRET = \"⟦Ab8~Q9zLmN0pRs⟧\"", K::EnvValue),
    ("aws_secret_access_key = ⟦wJalrXUtnFEMI7K7MDENGbPxRfiCYzEXAMPLEKEY⟧", K::AwsSecret),
    ("docker run -e MYSQL_ROOT_PASSWORD=⟦r00tpw⟧ mysql:8", K::EnvValue),
    ("password: ⟦hunter2⟧", K::EnvValue),
    ("  password: ⟦swordfish⟧\n  user: x", K::EnvValue),
    ("db:\n  passwd: \"⟦open sesame⟧\"", K::EnvValue),
    ("{\"apiKey\": \"⟦k3yV4lu3XyZ9⟧\"}", K::EnvValue),
    ("{\\\"password\\\":\\\"⟦hunter2⟧\\\",\\\"u\\\":1}", K::EnvValue),
    ("const clientSecret = '⟦v8Q2mZ7pL4xR⟧';", K::EnvValue),
    ("let password: &str = \"⟦hunter2⟧\";", K::EnvValue),
    ("password = SecretStr(\"⟦hunter2⟧\")", K::EnvValue),
    ("os.environ[\"API_KEY\"] = \"⟦abcd1234efgh⟧\"", K::EnvValue),
    ("define('DB_PASSWORD', '⟦pw12345x⟧');", K::EnvValue),
    (":password => \"⟦hunter2⟧\",", K::EnvValue),
    ("<password>⟦hunter2⟧</password>", K::EnvValue),
    ("- name: DB_PASSWORD\n  value: ⟦hunter2⟧", K::EnvValue),
    ("spring.datasource.password=⟦hunter2⟧", K::EnvValue),
    ("ALTER USER app WITH PASSWORD '⟦hunter2⟧';", K::EnvValue),
    ("cache_key: ⟦q1W2e3R4t5Y6u7I8o9P0aS⟧", K::HighEntropy),
    ("SESSION_SALT=⟦q1W2e3R4t5Y6u7I8o9P0aS⟧", K::HighEntropy),
    ("card number: ⟦4242 4242 4242 4242⟧", K::CreditCard),
    // Commands.
    ("mysql -u root -p⟦hunter2⟧ app", K::EnvValue),
    ("mysqldump -h db -u root -p ⟦hunter2⟧", K::EnvValue),
    ("sshpass -p '⟦hunter2⟧' ssh bob@host", K::EnvValue),
    ("docker login -u bob -p ⟦hunter2⟧ reg.io", K::EnvValue),
    ("redis-cli -h c -a ⟦s3cretpw⟧ ping", K::EnvValue),
    ("curl -u admin:⟦hunter2⟧ https://x.test", K::Authorization),
    ("curl --user 'admin:⟦hun ter2⟧' https://x.test", K::Authorization),
    ("tool --password ⟦hunter2⟧ --verbose", K::EnvValue),
    ("tool --api-key=⟦abcd1234efgh⟧", K::EnvValue),
    ("[\"--password\", \"⟦hunter2⟧\"]", K::EnvValue),
    ("echo '⟦hunter2⟧' | sudo -S apt update", K::EnvValue),
    ("echo -n ⟦hunter2⟧ | docker login -u bob --password-stdin", K::EnvValue),
    ("kubectl create secret generic x --from-literal=password=⟦hunter2⟧", K::EnvValue),
    ("machine h login bob password ⟦swordfish⟧", K::EnvValue),
    // Languages.
    ("数据库密码：⟦hunter2⟧，请记住", K::EnvValue),
    ("密码是 ⟦abc12345⟧", K::EnvValue),
    ("口令=⟦Xy12!z⟧", K::EnvValue),
    ("登录密碼（測試）: ⟦qwe123rty⟧", K::EnvValue),
    ("パスワード：⟦sakura2024⟧。", K::EnvValue),
    ("비밀번호는 ⟦qwer1234⟧ 입니다", K::EnvValue),
    ("암호: ⟦qwer1234⟧", K::EnvValue),
    ("la contraseña: ⟦perro77gato⟧", K::EnvValue),
    ("mot de passe : ⟦azerty123⟧", K::EnvValue),
    ("Das Passwort lautet ⟦geheim123⟧.", K::EnvValue),
    ("senha: ⟦futebol10⟧", K::EnvValue),
    ("пароль: ⟦qwerty12⟧", K::EnvValue),
    ("my password is ⟦hunter2⟧", K::EnvValue),
    ("log in as admin with password ⟦Admin@123⟧ now", K::EnvValue),
    ("passphrase: ⟦correct-horse-battery-staple⟧", K::EnvValue),
    ("aws_session_token = ⟦FwoGZXIvYXdzEBYaDHhBTEMPLESessionToken123⟧", K::AwsSecret),
    ("\"secretAccessKey\": \"⟦wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY⟧\"", K::AwsSecret),
    ("TOKEN=⟦supersecret⟧", K::EnvValue),
    ("a <private>x</private> b ⟦<PRIVATE>secret <private>in</private> all⟧", K::Private),
    ("keep ⟦<private>a <private>b</private> c</private>⟧ keep", K::Private),
];

const HARMLESS: &[&str] = &[
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "\"integrity\": \"sha512-q1W2e3R4t5Y6u7I8o9P0aS1d2F3g4H5j6K7l8Z9x0C1v2B3n4M5q6W7e8R9t0Y==\"",
    "<script integrity=\"sha384-q1W2e3R4t5Y6u7I8o9P0\" crossorigin=\"anonymous\">",
    "cache-key: sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "key: 550e8400-e29b-41d4-a716-446655440000",
    "cacheKey = \"3f786850e387550fdab836ed7e6dc881de23001b\"",
    "token: string_type_name",
    "password: String",
    "password: string;",
    "apiKey?: string",
    "token: Option<String>",
    "token: Option<SecretString>,",
    "pub password: Option<&'a str>,",
    "def login(password: str, token: str = None):",
    "getToken()",
    "const token = await getToken();",
    "const token = req.headers.authorization;",
    "let secret = config.secret;",
    "password = os.environ[\"X\"]",
    "password = os.getenv('DB_PASSWORD')",
    "api_key = ENV['API_KEY']",
    "PASSWORD=${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD",
    "password: $(cat /run/secrets/db)",
    "apiKey: process.env.API_KEY,",
    "API_KEY=<your-api-key>",
    "API_KEY=your_api_key_here",
    "password: \"********\"",
    "password=xxxxxxxx",
    "token = \"...\"",
    "max_tokens: 4096",
    "tokenizer: bert-base-uncased",
    "\"token_count\": 128312331",
    "total_tokens=128312331",
    "secretName: my-k8s-secret-ref",
    "author: Jane Doe",
    "password_hash_algorithm: argon2id",
    "tool --token-file path/to/file1",
    "docker login --password-stdin",
    "import { token } from '../auth/token.service2';",
    "use crate::auth::token::Token2;",
    "the password is checked by the server",
    "the token is valid for 3600 seconds",
    "密码校验逻辑在 auth.ts",
    "密码：请联系管理员",
    "密码不能为空",
    "비밀번호를 입력하세요",
    "パスワードを入力してください",
    "la contraseña es obligatoria",
    "Das Passwort ist falsch",
    "password: \"Password must be at least 8 characters\"",
    "{\"password\": {\"type\": \"string\"}}",
    "{\"token_type\": \"bearer\", \"expires_in\": 3600}",
    "if (password === other) {",
    "password == None",
    "PWD=/home/user/project2",
    "OLDPWD=/tmp/x1",
    "SSH_AUTH_SOCK=/tmp/ssh-XXXX/agent.1234",
    "GIT_AUTHOR_NAME=Jane99",
    "mkdir -p src/dir2",
    "ssh -p 2222 host",
    "docker run -p 8080:80 nginx",
    "git log -p file1",
    "patch -p1 < x.diff",
    "curl -u \"$USER:$PASS\" https://x.test",
    "curl -H \"Authorization: Bearer $TOKEN\" https://x.test",
    "curl -H \"Authorization: Bearer <token>\" https://x.test",
    "headers: { Authorization: `Bearer ${token}` }",
    "Bearer authentication is required",
    "Basic authentication, basic usage",
    "http://localhost:3000/@scope/pkg",
    "https://example.org/a:b?mail=x@y.org",
    "git@github.com:owner/repo.git",
    "postgres://user:${PASS}@host/db",
    "postgres://user:<password>@host/db",
    "grep -n \"BEGIN RSA PRIVATE KEY\" -r .",
    "the header -----BEGIN PRIVATE KEY----- starts a key",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkq\n-----END CERTIFICATE-----",
    "sk-toggleable-content sk-container-id-1",
    "npm_config_registry=https://registry.npmjs.org/",
    "hf_hub_download(repo_id=x)",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "cookie: string",
    "the cookie = req.cookies",
    "order number: 4242424242424242",
    "card number: 4242424242424241",
    "primary_key=True",
    "key: value",
    "keyboard: qwerty-us-intl-2",
    "publicKey: \"ssh-ed25519\"",
    "nextPageToken: nextToken",
    "eos_token: \"</s>\"",
    "--no-password",
    "password: { min: 8 }",
    "private class Foo<T> {}",
    "validatePassword(password, hash)",
    "connect(user=user, password=password)",
    "connect(user=user, password=db_password, token=token)",
    "signToken(payload, { algorithm: 'HS256' })",
    "auth: oauth2",
    "secrets: inherit",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "vault: password = vault:secret/data/app",
    "Passed: 12, pass: 4, fail: 0",
    "PASS: test_login_2",
    "C:\\Users\\dev\\token\\new1",
    "credential.helper = store",
    "SECRET_MANAGER_PROJECT=my-proj-1",
    "PASSWORD_MIN_LENGTH=12",
    "password: z.string().min(8)",
    "token = jwt.sign({ id: user1 }, secret)",
    "password: userPassword1,",
    "api_key=api_key,",
    "session_id: 0b7c1e0a-7160-457c-ad5f-83522a330ac1",
    "resolved \"https://registry.example.org/lodash-4.17.21.tgz#679591c564c3bffaae8454cf0b3df370c3d6911c\"",
    "http.cookiefile = ~/.gitcookies",
];

#[test]
fn secrets_go_and_their_surroundings_stay() {
    let mut failures = Vec::new();
    for (text, kind) in SECRETS {
        let text = real(text);
        let (before, rest) = text.split_once('⟦').unwrap();
        let (secret, after) = rest.split_once('⟧').unwrap();
        let input = format!("{before}{secret}{after}");
        let (got, counts) = clean(&input);
        let before = if *kind == K::Private {
            before.replace("<private>x</private>", "[PRIVATE]")
        } else {
            before.to_owned()
        };
        let want = format!("{before}{}{after}", kind.marker());
        if got != want || counts.get(*kind) < 1 {
            failures.push(format!("{input:?}\n    got {got:?}\n   want {want:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of {}\n{}", failures.len(), SECRETS.len(), failures.join("\n"));
    assert!(SECRETS.len() >= 80);
}

#[test]
fn what_only_looks_alike_stays() {
    let mut failures = Vec::new();
    for text in HARMLESS {
        for text in [
            (*text).to_owned(),
            serde_json::to_string(text).unwrap(),
            format!("+{text}"),
            format!("see\n{text}\nend"),
        ] {
            let (got, counts) = clean(&text);
            if got != text || !counts.is_empty() {
                failures.push(format!("{text:?}\n    got {got:?}"));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} of {}\n{}", failures.len(), HARMLESS.len(), failures.join("\n"));
    assert!(HARMLESS.len() >= 80);
}

#[test]
fn secrets_go_in_quoted_text_and_diffs_as_well() {
    let mut failures = Vec::new();
    for (text, _) in SECRETS {
        let text = real(text);
        let secret = text.split_once('⟦').unwrap().1.split_once('⟧').unwrap().0.to_owned();
        let plain = text.replace(['⟦', '⟧'], "");
        let quoted = serde_json::to_string(&format!("a\n{plain}\nb")).unwrap();
        for text in [quoted, format!("@@ -1 +1 @@\n+{plain}\n"), format!("$ cat x\r\n{plain}\r\n")] {
            let (got, _) = clean(&text);
            if got.contains(&secret) || got == text {
                failures.push(format!("{text:?}\n    got {got:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn keys_of_json_are_labels() {
    let redactor = Redactor::default();
    let mut value = json!({
        "password": "hunter2",
        "db": {"passwd": "open sesame", "port": 5432, "pin": 1, "adminPassword": 12345678},
        "headers": {"Authorization": "Bearer a1b2c3d4e5f6a7b8", "Cookie": "sid=ab12cd34", "Accept": "*/*"},
        "env": {"API_KEY": "abcd1234efgh", "PATH": "/usr/bin", "HOME": "/home/u1"},
        "list": [{"key": "API_KEY", "value": "abcd1234efgh"}, {"name": "REGION", "value": "eu-west-1"}],
        "args": ["docker", "login", "-u", "bob", "-p", "hunter2"],
        "argv": ["--token", "abcd1234efgh", "--port", "8080", "-p", "8080"],
        "short": ["-p", "secret"],
        "run": {"command": "mysql", "args": ["-u", "root", "-p", "hunter2"]},
        "web": {"command": "curl", "args": ["-u", "bob:hunter2", "https://x.test"]},
        "passwords": ["hunter22x9"],
        "비밀번호": "qwer1234",
        "note": "DB_PASSWORD=hunter2",
        "schema": {"password": {"type": "string"}, "token": "string"},
        "max_tokens": 4096,
        "tokens": 128312331,
        "git": "3f786850e387550fdab836ed7e6dc881de23001b",
        "template": {"password": "${DB_PASSWORD}", "apiKey": "<your-api-key>"},
    });
    let counts = redactor.redact_value(&mut value);
    let env = "[REDACTED:env_value]";
    let want = json!({
        "password": env,
        "db": {"passwd": env, "port": 5432, "pin": 1, "adminPassword": env},
        "headers": {"Authorization": "[REDACTED:authorization]", "Cookie": "[REDACTED:cookie]", "Accept": "*/*"},
        "env": {"API_KEY": env, "PATH": "/usr/bin", "HOME": "/home/u1"},
        "list": [{"key": "API_KEY", "value": env}, {"name": "REGION", "value": "eu-west-1"}],
        "args": ["docker", "login", "-u", "bob", "-p", env],
        "argv": ["--token", env, "--port", "8080", "-p", "8080"],
        "short": ["-p", env],
        "run": {"command": "mysql", "args": ["-u", "root", "-p", env]},
        "web": {"command": "curl", "args": ["-u", "bob:[REDACTED:authorization]", "https://x.test"]},
        "passwords": [env],
        "비밀번호": env,
        "note": "DB_PASSWORD=[REDACTED:env_value]",
        "schema": {"password": {"type": "string"}, "token": "string"},
        "max_tokens": 4096,
        "tokens": 128312331,
        "git": "3f786850e387550fdab836ed7e6dc881de23001b",
        "template": {"password": "${DB_PASSWORD}", "apiKey": "<your-api-key>"},
    });
    assert_eq!(value, want);
    assert_eq!(counts.get(K::EnvValue), 12);
    assert_eq!(counts.to_json()["cookie"], 1);
    assert!(redactor.redact_value(&mut value).is_empty());
    assert_eq!(value, want);
}

#[test]
fn secrets_in_keys_go() {
    let key = real("gh~p_a8Bc9De0Fg1Hi2Jk3Lm4No5Pq6Rs7Tu8Vw9X");
    let mut value = json!({ key: 1, "b": 2 });
    assert_eq!(Redactor::default().redact_value(&mut value).total(), 1);
    assert_eq!(value, json!({"[REDACTED:github_token]": 1, "b": 2}));
}

#[test]
fn configuration_adds_labels_and_allows_values() {
    let config = RedactConfig {
        labels: vec!["spielpin".into()],
        allow: vec!["hunter2".into()],
        ..RedactConfig::default()
    };
    let redactor = Redactor::new(config.clone());
    assert_eq!(redactor.redact("SpielPin: 4711x").text, "SpielPin: [REDACTED:env_value]");
    assert_eq!(redactor.redact("password: hunter2").text, "password: hunter2");
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<RedactConfig>(&text).unwrap(), config);
    assert!(serde_json::from_str::<RedactConfig>("{\"colour\":1}").is_err());
}

#[test]
fn several_secrets_are_counted_by_kind() {
    let text = real(
        "A_TOKEN=gh~p_a8Bc9De0Fg1Hi2Jk3Lm4No5Pq6Rs7Tu8Vw9X B_PASSWORD=hunter2 C_SECRET=abcd1234efgh https://a:b1c2@h/",
    );
    let (got, counts) = clean(&text);
    assert_eq!(
        got,
        "A_TOKEN=[REDACTED:github_token] B_PASSWORD=[REDACTED:env_value] C_SECRET=[REDACTED:env_value] https://a:[REDACTED:url_password]@h/"
    );
    assert_eq!((counts.get(K::GithubToken), counts.get(K::EnvValue), counts.get(K::UrlPassword)), (1, 2, 1));
    assert_eq!(counts.total(), 4);
}

#[test]
fn markers_name_their_kind() {
    for kind in SecretKind::ALL {
        let word = serde_json::to_value(kind).unwrap();
        assert_eq!(word, kind.as_str());
        if *kind != K::Private {
            assert_eq!(kind.marker(), format!("[REDACTED:{}]", kind.as_str()));
        }
    }
}

/// With work that grows with the square of the length this would take minutes.
#[test]
fn hostile_repetition_stays_linear() {
    let block = "-----BEGIN ".to_owned() + "PRIVATE KEY-----";
    let units = [
        "password=",
        "token=\"",
        "<private><",
        "<private>",
        "https://a:b",
        "://",
        "eyJ",
        "eyJa.",
        "Authorization: ",
        "Bearer ",
        "cookie: a",
        "pwd:'",
        "name: API_KEY ",
        "password is ",
        "密码",
        "mysql -p -u ",
        "echo 'a",
        "curl -u ",
        "\\",
        "[REDACTED:",
        "a_",
        "A",
        "aB",
        "password: \\\"",
        "sk-",
        "1234567890:",
        "hooks.slack.com/",
        "{\"password\":",
        "password=(",
        "token=a;",
        "\x1b[",
        &block,
        "secret_",
        "-",
        "password,",
        "card: 4",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
        "Set-Cookie: a=b'",
        "data:\n",
        "kind: Secret\ndata:\n  x: y\n",
        "the password for ",
        "密码改",
        "api key ",
        "net user ",
        "?code=a%",
        "a1Bcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk\n",
        "\"d\":\"a1B",
    ];
    for unit in units {
        let text = unit.repeat(100_000 / unit.len());
        clean(&text);
    }
}

fn pick(alphabet: &'static str, len: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(alphabet.chars().collect::<Vec<_>>()), len)
        .prop_map(|chars| chars.into_iter().collect())
}

const MIXED: &str = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn generated() -> impl Strategy<Value = (String, String)> {
    let token = |prefix: &'static str, len: std::ops::Range<usize>| {
        pick(MIXED, len).prop_map(move |body| (String::new(), real(prefix) + "7" + &body))
    };
    let assigned = |label: &'static str, len: std::ops::Range<usize>| {
        pick(MIXED, len).prop_map(move |body| (label.to_owned(), body + "4x"))
    };
    prop_oneof![
        token("gh~p_", 35..36),
        token("gh~o_", 35..36),
        token("github~_pat_", 60..80),
        token("glp~at-", 19..20),
        token("sk-~ant-api03-", 60..90),
        token("sk-~proj-", 48..100),
        token("xo~xb-", 40..60),
        token("sk_~live_", 24..90),
        token("AI~za", 34..35),
        token("ya~29.", 60..100),
        token("np~m_", 35..36),
        token("h~f_", 33..34),
        token("hv~s.", 24..90),
        pick(CAPITALS, 15..16).prop_map(|body| (String::new(), real("AK~IA") + "2" + &body)),
        assigned("DB_PASSWORD=", 5..30),
        assigned("password: ", 5..30),
        assigned("API_KEY=", 12..40),
        assigned("\"clientSecret\": \"", 12..40),
        assigned("--password ", 6..20),
        assigned("密码：", 6..20),
        assigned("postgres://app:", 6..20).prop_map(|(label, body)| (label, body + "@")),
    ]
}

proptest! {
    #[test]
    fn generated_secrets_are_gone_wherever_they_stand(
        before in "[a-z .,;(\\n漢字é\"'=:]{0,40}",
        (label, secret) in generated(),
        after in "[a-z .,(\\n漢字é]{0,40}",
    ) {
        // An open quotation or label right before would own what follows.
        let text = format!("{before} \n{label}{secret} {after}");
        let core = secret.trim_end_matches('@');
        let (got, counts) = clean(&text);
        prop_assert!(!got.contains(core), "{text:?} -> {got:?}");
        prop_assert!(counts.total() >= 1);
    }

    #[test]
    fn any_text_is_redacted_without_panic_and_once(
        parts in proptest::collection::vec(
            prop_oneof![
                "\\PC{0,6}",
                proptest::sample::select(vec![
                    "password", "=", ": ", "\"", "'", "\\", "\n", "token", "<private>", "</private>", "https://", "@", ":", "Bearer ", "eyJ",
                    "[REDACTED:", "[REDACTED:jwt]", "]", "密码", "：", "API_KEY", "value", "-p ", "mysql ", "curl -u ", "x1y2z3w4", "abcd1234EFGH5678ijkl",
                    "-----BEGIN PRIV", "ATE KEY-----", "Cookie: ", "a=b1c", ", ", "is ", "é", "ñ", "echo ", "| sudo -S", "`", "{", "}", "$", "&", ";",
                ]).prop_map(str::to_owned),
            ],
            0..24,
        )
    ) {
        let text = parts.concat();
        clean(&text);
        let mut value = json!({"a": text.clone(), "password": text.clone(), "args": ["--token", text]});
        let redactor = Redactor::default();
        redactor.redact_value(&mut value);
        let once = value.clone();
        redactor.redact_value(&mut value);
        prop_assert_eq!(once, value);
    }
}
