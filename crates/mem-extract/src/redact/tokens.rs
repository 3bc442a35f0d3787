//! Secrets known by their own form: prefixes of services, JSON web tokens, key blocks.
//!
//! Forms are those the services document, as collected by the secret scanners of GitHub and gitleaks.

use super::bytes::{ALNUM, B64, DASH, DIGIT, DOT, HEX, LOWER, UNDER, UPPER, WORD, has, is, is_at, run};
use super::kind::SecretKind;

struct Rule {
    prefix: &'static [u8],
    /// What the part after the prefix consists of.
    body: u16,
    min: usize,
    max: usize,
    kind: SecretKind,
    /// The body must have a stretch of 16 letters and digits with both, as names in kebab case have not.
    random: bool,
}

const fn rule(prefix: &'static [u8], body: u16, min: usize, max: usize, kind: SecretKind) -> Rule {
    Rule { prefix, body, min, max, kind, random: false }
}

const fn random(prefix: &'static [u8], min: usize, kind: SecretKind) -> Rule {
    Rule { prefix, body: WORD, min, max: LONG, kind, random: true }
}

/// For forms without an upper bound.
const LONG: usize = usize::MAX;
/// How much of a body without upper bound is looked at before it is known to be a secret.
const LOOK: usize = 128;
const UP: u16 = UPPER | DIGIT;
use SecretKind as K;

static A: &[Rule] = &[
    rule(b"ATCTT3", WORD | B64, 40, LONG, K::ServiceToken),
    rule(b"APKA", UP, 16, 18, K::ServiceToken),
    rule(b"AKCp", ALNUM, 60, 80, K::ServiceToken),
    rule(b"AAAAAAAAAAAAAAAAAAAAA", WORD | B64, 60, LONG, K::ServiceToken),
    rule(b"AKIA", UP, 15, 18, K::AwsAccessKey),
    rule(b"ASIA", UP, 15, 18, K::AwsAccessKey),
    rule(b"ABIA", UP, 16, 16, K::AwsAccessKey),
    rule(b"ACCA", UP, 16, 16, K::AwsAccessKey),
    rule(b"AIza", WORD, 30, 45, K::GoogleKey),
    rule(b"AGE-SECRET-KEY-1", UP, 50, 64, K::PrivateKey),
    rule(b"ATATT3", WORD | B64, 40, LONG, K::ServiceToken),
    rule(b"ATBB", ALNUM, 24, 40, K::ServiceToken),
    rule(b"AKID", ALNUM, 28, 40, K::ServiceToken),
    rule(b"AKLT", ALNUM, 30, 80, K::ServiceToken),
    rule(b"AC", HEX & !UPPER | DIGIT, 32, 32, K::TwilioKey),
];
static C_LOW: &[Rule] = &[rule(b"cio", ALNUM, 32, 32, K::ServiceToken)];
static D_LOW: &[Rule] = &[
    rule(b"dt0c01.", UP | DOT, 60, 120, K::ServiceToken),
    rule(b"dt0s01.", UP | DOT, 60, 120, K::ServiceToken),
    rule(b"dt0s16.", UP | DOT, 60, 120, K::ServiceToken),
    rule(b"dp.ct.", ALNUM, 40, 50, K::ServiceToken),
    rule(b"dp.sa.", ALNUM, 40, 50, K::ServiceToken),
    rule(b"dp.scim.", ALNUM, 40, 50, K::ServiceToken),
    rule(b"duffel_live_", WORD, 40, 50, K::ServiceToken),
    rule(b"dop_v1_", HEX, 64, 64, K::ServiceToken),
    rule(b"doo_v1_", HEX, 64, 64, K::ServiceToken),
    rule(b"dor_v1_", HEX, 64, 64, K::ServiceToken),
    rule(b"dapi", HEX, 32, 34, K::ServiceToken),
    rule(b"dp.pt.", ALNUM, 40, 50, K::ServiceToken),
    rule(b"dp.st.", WORD | DOT, 40, 90, K::ServiceToken),
    rule(b"dckr_pat_", WORD, 20, 60, K::ServiceToken),
    rule(b"dckr_oat_", WORD, 20, 60, K::ServiceToken),
];
static E: &[Rule] = &[
    rule(b"EAAC", ALNUM, 60, LONG, K::ServiceToken),
    rule(b"EAAG", ALNUM, 60, LONG, K::ServiceToken),
    rule(b"EAAB", ALNUM, 60, LONG, K::ServiceToken),
    rule(b"EZAK", ALNUM, 54, 54, K::ServiceToken),
    rule(b"EAACEdEose0cBA", ALNUM, 16, LONG, K::ServiceToken),
    rule(b"EAAA", WORD, 60, 60, K::ServiceToken),
];
static F_LOW: &[Rule] = &[
    rule(b"fig_", WORD, 40, 60, K::ServiceToken),
    rule(b"fio-u-", WORD, 60, 70, K::ServiceToken),
    random(b"figd_", 30, K::ServiceToken),
    rule(b"fo1_", WORD, 40, LONG, K::ServiceToken),
    rule(b"fm2_", WORD | B64, 60, LONG, K::ServiceToken),
];
static G: &[Rule] = &[
    rule(b"GOOG", UP, 20, 60, K::ServiceToken),
    rule(b"GR1348941", WORD, 20, 24, K::GitlabToken),
    rule(b"GOCSPX-", WORD, 20, 40, K::GoogleKey),
];
static G_LOW: &[Rule] = &[
    rule(b"glffct-", WORD, 16, 80, K::GitlabToken),
    rule(b"glwt-", WORD, 16, 80, K::GitlabToken),
    rule(b"ghp_", ALNUM, 20, LONG, K::GithubToken),
    rule(b"gho_", ALNUM, 20, LONG, K::GithubToken),
    rule(b"ghu_", ALNUM, 20, LONG, K::GithubToken),
    rule(b"ghs_", WORD | DOT, 20, LONG, K::GithubToken),
    rule(b"ghr_", ALNUM, 20, LONG, K::GithubToken),
    rule(b"github_pat_", ALNUM | UNDER, 22, LONG, K::GithubToken),
    rule(b"glpat-", WORD | DOT, 16, 320, K::GitlabToken),
    rule(b"gldt-", WORD, 16, 80, K::GitlabToken),
    rule(b"glrt-", WORD | DOT, 16, 320, K::GitlabToken),
    rule(b"glptt-", WORD, 16, 80, K::GitlabToken),
    rule(b"glcbt-", WORD, 16, 80, K::GitlabToken),
    rule(b"glsoat-", WORD, 16, 80, K::GitlabToken),
    rule(b"glft-", WORD, 16, 80, K::GitlabToken),
    rule(b"glimt-", WORD, 16, 80, K::GitlabToken),
    rule(b"glagent-", WORD, 16, 80, K::GitlabToken),
    rule(b"gloas-", WORD, 16, 80, K::GitlabToken),
    rule(b"glsa_", ALNUM | UNDER, 32, 64, K::ServiceToken),
    rule(b"glc_", ALNUM | B64, 32, 400, K::ServiceToken),
    rule(b"gsk_", ALNUM, 30, 80, K::ServiceToken),
];
static H: &[Rule] = &[rule(b"HRKU-", WORD, 30, 80, K::ServiceToken)];
static H_LOW: &[Rule] = &[
    rule(b"hawk.", WORD | DOT, 36, 60, K::ServiceToken),
    rule(b"hvr.", WORD, 20, 320, K::ServiceToken),
    rule(b"heroku_", WORD, 40, 80, K::ServiceToken),
    rule(b"hkp_", ALNUM, 30, 40, K::ServiceToken),
    rule(b"hf_", ALNUM, 28, 60, K::HuggingfaceToken),
    rule(b"hvs.", WORD, 20, 320, K::ServiceToken),
    rule(b"hvb.", WORD, 20, 320, K::ServiceToken),
];
static L: &[Rule] = &[rule(b"LTAI", ALNUM, 12, 24, K::ServiceToken)];
static L_LOW: &[Rule] = &[
    rule(b"lin_api_", ALNUM, 32, 60, K::ServiceToken),
    rule(b"lin_oauth_", ALNUM, 32, 80, K::ServiceToken),
    random(b"lsv2_pt_", 30, K::ServiceToken),
    random(b"lsv2_sk_", 30, K::ServiceToken),
];
static N: &[Rule] = &[
    rule(b"NRII-", WORD, 24, 40, K::ServiceToken),
    rule(b"NRJS-", HEX, 16, 24, K::ServiceToken),
    rule(b"NRRA-", WORD, 36, 50, K::ServiceToken),
    rule(b"NRAA-", HEX, 24, 32, K::ServiceToken),
    rule(b"NRAK-", UP, 24, 32, K::ServiceToken),
];
static N_LOW: &[Rule] = &[
    rule(b"nfp_", ALNUM, 36, 48, K::ServiceToken),
    rule(b"napi_", ALNUM, 40, 80, K::ServiceToken),
    rule(b"nfc_", ALNUM, 36, 48, K::ServiceToken),
    rule(b"npm_", ALNUM, 30, 60, K::NpmToken),
    rule(b"ntn_", ALNUM, 40, 60, K::ServiceToken),
    random(b"nvapi-", 40, K::ServiceToken),
];
static O_LOW: &[Rule] = &[rule(b"ops_eyJ", WORD | B64, 80, LONG, K::ServiceToken)];
static P: &[Rule] = &[rule(b"PMAK-", HEX | DASH, 40, 70, K::ServiceToken)];
static P_LOW: &[Rule] = &[
    rule(b"pnu_", ALNUM, 32, 48, K::ServiceToken),
    rule(b"phs_", ALNUM, 40, 60, K::ServiceToken),
    rule(b"pk.eyJ", WORD | DOT, 60, 400, K::ServiceToken),
    rule(b"paddle_", ALNUM, 36, 36, K::ServiceToken),
    random(b"pypi-", 32, K::PypiToken),
    rule(b"pplx-", ALNUM, 32, 64, K::ServiceToken),
    random(b"pscale_tkn_", 30, K::ServiceToken),
    random(b"pscale_pw_", 30, K::ServiceToken),
    random(b"pscale_oauth_", 30, K::ServiceToken),
    rule(b"phc_", ALNUM, 40, 50, K::ServiceToken),
    rule(b"phx_", ALNUM, 40, 60, K::ServiceToken),
    rule(b"pat-na1-", HEX | DASH, 32, 40, K::ServiceToken),
    rule(b"pat-eu1-", HEX | DASH, 32, 40, K::ServiceToken),
    rule(b"pul-", HEX, 40, 40, K::ServiceToken),
];
static R_LOW: &[Rule] = &[
    Rule { random: true, ..rule(b"re_", ALNUM | UNDER, 28, 40, K::ServiceToken) },
    rule(b"rdme_", ALNUM, 60, 80, K::ServiceToken),
    rule(b"rk_live_", ALNUM, 16, LONG, K::StripeKey),
    rule(b"rk_test_", ALNUM, 16, LONG, K::StripeKey),
    rule(b"rubygems_", HEX, 48, 48, K::ServiceToken),
    rule(b"r8_", ALNUM, 34, 44, K::ServiceToken),
    random(b"rnd_", 28, K::ServiceToken),
];
static S: &[Rule] = &[rule(b"SK", HEX & !UPPER | DIGIT, 32, 32, K::TwilioKey)];
static S_LOW: &[Rule] = &[
    rule(b"sk.eyJ", WORD | DOT, 60, 400, K::ServiceToken),
    rule(b"sntryi_", HEX, 48, 80, K::ServiceToken),
    rule(b"sgp_", HEX | UNDER, 40, 90, K::ServiceToken),
    rule(b"shippo_live_", HEX, 40, 40, K::ServiceToken),
    rule(b"scw-", WORD, 36, 40, K::ServiceToken),
    rule(b"sk_live_", ALNUM, 16, LONG, K::StripeKey),
    rule(b"sk_test_", ALNUM, 16, LONG, K::StripeKey),
    random(b"sk-ant-", 20, K::AnthropicKey),
    rule(b"sk-proj-", WORD, 32, LONG, K::OpenaiKey),
    rule(b"sk-svcacct-", WORD, 32, LONG, K::OpenaiKey),
    rule(b"sk-admin-", WORD, 32, LONG, K::OpenaiKey),
    rule(b"sk-lf-", HEX | DASH, 30, 40, K::ServiceToken),
    random(b"sk-", 20, K::OpenaiKey),
    rule(b"shpat_", HEX, 32, 40, K::ServiceToken),
    rule(b"shpss_", HEX, 32, 40, K::ServiceToken),
    rule(b"shpca_", HEX, 32, 40, K::ServiceToken),
    rule(b"shppa_", HEX, 32, 40, K::ServiceToken),
    rule(b"sntrys_", WORD | B64, 40, LONG, K::ServiceToken),
    rule(b"sntryu_", HEX, 48, 80, K::ServiceToken),
    rule(b"sq0atp-", WORD, 20, 40, K::ServiceToken),
    rule(b"sq0csp-", WORD, 30, 60, K::ServiceToken),
    rule(b"sbp_", HEX, 36, 48, K::ServiceToken),
    random(b"sb_secret_", 20, K::ServiceToken),
    rule(b"secret_", ALNUM, 43, 43, K::ServiceToken),
    rule(b"sl.", WORD, 100, LONG, K::ServiceToken),
];
static T_LOW: &[Rule] = &[
    rule(b"tk-us-", WORD, 48, 60, K::ServiceToken),
    rule(b"tgp_v1_", WORD, 40, 60, K::ServiceToken),
    random(b"tvly-", 24, K::ServiceToken),
    rule(b"tskey-", WORD, 24, 90, K::ServiceToken),
    rule(b"tfp_", ALNUM | UNDER, 40, 80, K::ServiceToken),
];
static V_LOW: &[Rule] = &[
    rule(b"vcp_", ALNUM, 40, 80, K::ServiceToken),
    rule(b"vrcl_", ALNUM, 20, 60, K::ServiceToken),
    rule(b"vercel_blob_rw_", ALNUM | UNDER, 24, 90, K::ServiceToken),
    random(b"vck_", 30, K::ServiceToken),
];
static W_LOW: &[Rule] = &[rule(b"whsec_", ALNUM | B64, 24, 90, K::StripeKey)];
static X_LOW: &[Rule] = &[
    rule(b"xkeysib-", HEX | ALNUM | DASH, 60, 120, K::ServiceToken),
    rule(b"xsmtpsib-", HEX | ALNUM | DASH, 60, 120, K::ServiceToken),
    rule(b"xoxb-", WORD, 10, 320, K::SlackToken),
    rule(b"xoxp-", WORD, 10, 320, K::SlackToken),
    rule(b"xoxa-", WORD, 10, 320, K::SlackToken),
    rule(b"xoxr-", WORD, 10, 320, K::SlackToken),
    rule(b"xoxs-", WORD, 10, 320, K::SlackToken),
    rule(b"xoxo-", WORD, 10, 320, K::SlackToken),
    rule(b"xoxd-", WORD | B64, 10, 320, K::SlackToken),
    rule(b"xoxc-", WORD, 10, 320, K::SlackToken),
    rule(b"xoxe-", WORD, 10, 320, K::SlackToken),
    rule(b"xoxe.xox", WORD, 10, 320, K::SlackToken),
    rule(b"xapp-", WORD, 20, 320, K::SlackToken),
    rule(b"xai-", ALNUM, 60, 100, K::ServiceToken),
];
static Y_LOW: &[Rule] = &[rule(b"ya29.", WORD | DOT, 20, LONG, K::GoogleKey)];
static KEY_LOW: &[Rule] = &[rule(b"key-", HEX & !UPPER | DIGIT, 32, 32, K::ServiceToken)];
static B_LOW: &[Rule] =
    &[rule(b"bkua_", ALNUM, 32, 48, K::ServiceToken), rule(b"bkpt_", ALNUM, 32, 60, K::ServiceToken)];
static C: &[Rule] = &[
    rule(b"CCIPAT_", WORD, 30, 100, K::ServiceToken),
    rule(b"CCIPRJ_", WORD, 30, 100, K::ServiceToken),
    rule(b"CFPAT-", WORD, 40, 50, K::ServiceToken),
];
static F: &[Rule] = &[
    rule(b"FLWSECK_TEST-", ALNUM | DASH, 12, 60, K::ServiceToken),
    rule(b"FLWSECK-", ALNUM | DASH, 12, 60, K::ServiceToken),
    rule(b"FLWPUBK_TEST-", ALNUM | DASH, 12, 60, K::ServiceToken),
];
static I_LOW: &[Rule] =
    &[rule(b"ico-", ALNUM, 32, 32, K::ServiceToken), rule(b"infp_", WORD, 40, 80, K::ServiceToken)];
static Z_LOW: &[Rule] = &[rule(b"zpka_", WORD, 30, 80, K::ServiceToken)];
static R: &[Rule] = &[rule(b"RWRTY0I", ALNUM | B64, 100, 300, K::PrivateKey)];
static NONE: &[Rule] = &[];

/// The secret that begins at `at`, which must be the start of a word.
#[inline]
pub(super) fn token_at(text: &[u8], at: usize) -> Option<(usize, SecretKind)> {
    let rules = match *text.get(at)? {
        b'A' => A,
        b'C' => C,
        b'F' => F,
        b'R' => R,
        b'b' => B_LOW,
        b'i' => I_LOW,
        b'z' => Z_LOW,
        b'E' => E,
        b'G' => G,
        b'H' => H,
        b'L' => L,
        b'P' => P,
        b'S' => {
            if has(text, at, b"SG.") {
                return dotted(text, at, &[(3, 16, 32), (0, 16, 64)], K::SendgridKey);
            }
            S
        }
        b'N' | b'M' | b'O' => {
            if let Some(end) = discord(text, at) {
                return Some((end, K::DiscordToken));
            }
            if text[at] == b'N' { N } else { NONE }
        }
        b'c' => C_LOW,
        b'd' => D_LOW,
        b'e' => {
            if has(text, at, b"eyJ") {
                return jwt(text, at);
            }
            NONE
        }
        b'f' => F_LOW,
        b'g' => G_LOW,
        b'h' => {
            if has(text, at, b"hooks.slack.com/") {
                return webhook(text, at, b"hooks.slack.com/", K::SlackToken);
            }
            H_LOW
        }
        b'k' => KEY_LOW,
        b'l' => L_LOW,
        b'n' => N_LOW,
        b'o' => O_LOW,
        b'p' => {
            // Airtable's.
            if has(text, at, b"pat")
                && is_at(text, at + 3, ALNUM)
                && let Some(found) = dotted(text, at, &[(3, 14, 14), (0, 40, 64)], K::ServiceToken)
            {
                return Some(found);
            }
            P_LOW
        }
        b'r' => R_LOW,
        b's' => {
            // The first form of Vault's tokens.
            let end = if has(text, at, b"s.") { run(text, at + 2, ALNUM, 26) } else { at };
            if end == at + 26 && has_random_stretch(&text[at + 2..end]) && mixed(&text[at + 2..end]) {
                return Some((end, K::ServiceToken));
            }
            S_LOW
        }
        b't' => T_LOW,
        b'v' => V_LOW,
        b'w' => W_LOW,
        b'x' => X_LOW,
        b'y' => Y_LOW,
        b'1' if has(text, at, b"1//0") => {
            let end = run(text, at + 4, WORD, LOOK);
            return (end - at >= 34 && varied(&text[at + 4..end])).then_some((end, K::GoogleKey));
        }
        b'0'..=b'9' => return telegram(text, at).or_else(|| suffixed(text, at)),
        _ => NONE,
    };
    if let Some(end) = terraform(text, at) {
        return Some((end, K::ServiceToken));
    }
    if is(text[at], HEX & LOWER)
        && let Some(found) = suffixed(text, at)
    {
        return Some(found);
    }
    let second = text.get(at + 1);
    for rule in rules {
        if rule.prefix.get(1) == second && has(text, at, rule.prefix) {
            let start = at + rule.prefix.len();
            let end = run(text, start, rule.body, if rule.max == LONG { LOOK } else { rule.max + 1 });
            let end = trim_tail(text, start, end);
            let body = &text[start..end];
            if body.len() < rule.min
                || body.len() > rule.max
                || (rule.max < LONG && is_at(text, end, ALNUM))
                || !varied(body)
                || (rule.random && !has_random_stretch(body))
            {
                continue;
            }
            // Beyond what was looked at the rest of the run belongs to the secret as well.
            let end = if body.len() >= LOOK {
                trim_tail(text, start, run(text, end, rule.body, usize::MAX))
            } else {
                end
            };
            return Some((end, rule.kind));
        }
    }
    None
}

/// `….atlasv1.…`
fn terraform(text: &[u8], at: usize) -> Option<usize> {
    has(text, at + 14, b".atlasv1.").then_some(())?;
    let end = run(text, at + 23, WORD, 90);
    (end - at >= 60).then_some(end)
}

pub(super) fn mixed(body: &[u8]) -> bool {
    body.iter().any(|&b| is(b, UPPER)) && body.iter().any(|&b| is(b, LOWER))
}

/// Keys told by what follows 32 hexadecimal digits: `-us12` of Mailchimp, `.` and 16 characters of Zhipu.
fn suffixed(text: &[u8], at: usize) -> Option<(usize, SecretKind)> {
    let hex = run(text, at, DIGIT | HEX & !UPPER, 33);
    if hex - at != 32 || !varied(&text[at..hex]) {
        return None;
    }
    if has(text, hex, b"-us") {
        let end = run(text, hex + 3, DIGIT, 3);
        return (end > hex + 3 && !is_at(text, end, WORD)).then_some((end, K::ServiceToken));
    }
    if text.get(hex) == Some(&b'.') {
        let end = run(text, hex + 1, ALNUM, 18);
        let body = &text[hex + 1..end];
        return (body.len() == 16 && mixed(body) && body.iter().any(|&b| is(b, DIGIT)))
            .then_some((end, K::ServiceToken));
    }
    None
}

/// A full stop or dash at the end belongs to the sentence.
fn trim_tail(text: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && is(text[end - 1], DOT) {
        end -= 1;
    }
    end
}

/// Whether at least 6 different bytes occur: `xxxx…` and `****…` stand for a secret and are none.
pub(super) fn varied(body: &[u8]) -> bool {
    let mut seen = 0u128;
    for &byte in body.iter().take(64) {
        seen |= 1 << (byte & 127);
    }
    seen.count_ones() >= 6
}

fn has_random_stretch(body: &[u8]) -> bool {
    let mut at = 0;
    while at < body.len() {
        let end = run(body, at, ALNUM, usize::MAX);
        let part = &body[at..end];
        if part.len() >= 16
            && part.iter().any(|&b| is(b, DIGIT))
            && part.iter().any(|&b| is(b, UPPER | LOWER))
        {
            return true;
        }
        at = end + 1;
    }
    // Tokens of URL-safe base 64 break at their own dashes; then many digits among mixed letters tell.
    let count = |class| body.iter().filter(|&&b| is(b, class)).count();
    body.len() >= 24 && count(DIGIT) >= 3 && count(UPPER) >= 3 && count(LOWER) >= 3
}

/// Parts of word characters joined by dots; for each: bytes of prefix, and how many may follow.
fn dotted(
    text: &[u8],
    at: usize,
    parts: &[(usize, usize, usize)],
    kind: SecretKind,
) -> Option<(usize, SecretKind)> {
    let mut end = at;
    for (n, &(prefix, min, max)) in parts.iter().enumerate() {
        if n > 0 {
            if text.get(end) != Some(&b'.') {
                return None;
            }
            end += 1;
        }
        let start = end + prefix;
        end = run(text, start, WORD, max + 1);
        if !(min..=max).contains(&(end - start.min(end))) {
            return None;
        }
    }
    varied(&text[at..end]).then_some((end, kind))
}

/// Three parts; the first is the account's number in base 64.
fn discord(text: &[u8], at: usize) -> Option<usize> {
    let (end, _) = dotted(text, at, &[(0, 23, 28), (0, 6, 7), (0, 27, 40)], K::DiscordToken)?;
    Some(end)
}

/// Two or more parts, the first of them a JSON object in base 64.
fn jwt(text: &[u8], at: usize) -> Option<(usize, SecretKind)> {
    let mut end = run(text, at, WORD, usize::MAX);
    if end - at < 12 {
        return None;
    }
    let mut parts = 1;
    let mut second_is_object = false;
    while text.get(end) == Some(&b'.') && is_at(text, end + 1, WORD) {
        second_is_object |= parts == 1 && has(text, end + 1, b"eyJ");
        end = run(text, end + 1, WORD, usize::MAX);
        parts += 1;
    }
    (parts >= 3 && end - at >= 36 || parts == 2 && second_is_object && end - at >= 24)
        .then_some((end, K::Jwt))
}

/// Eight to ten digits, a colon, and 35 characters.
fn telegram(text: &[u8], at: usize) -> Option<(usize, SecretKind)> {
    let colon = run(text, at, DIGIT, 11);
    if !(8..=10).contains(&(colon - at)) || text.get(colon) != Some(&b':') {
        return None;
    }
    let end = run(text, colon + 1, WORD, 40);
    let body = &text[colon + 1..end];
    ((34..=36).contains(&body.len()) && varied(body)).then_some((end, K::TelegramToken))
}

/// The path of a webhook is its secret.
pub(super) fn webhook(
    text: &[u8],
    at: usize,
    prefix: &[u8],
    kind: SecretKind,
) -> Option<(usize, SecretKind)> {
    let start = at + prefix.len();
    let mut end = start;
    while is_at(text, end, WORD) || text.get(end) == Some(&b'/') {
        end += 1;
    }
    let last = text[start..end].rsplit(|&b| b == b'/').next().unwrap_or_default();
    (end - start >= 30 && last.len() >= 20 && varied(last)).then_some((end, kind))
}
