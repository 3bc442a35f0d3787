use mem_core::JsonObject;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// The kind of a secret; its word appears in the marker `[REDACTED:word]` and never changes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum SecretKind {
            $($(#[$doc])* #[serde(rename = $word)] $name,)*
        }

        impl SecretKind {
            /// Every kind, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The kind's word, as in the marker and in counts.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word),* }
            }

            /// What stands in the place of a secret of this kind.
            pub const fn marker(self) -> &'static str {
                match self {
                    Self::Private => "[PRIVATE]",
                    $(#[allow(unreachable_patterns, reason = "Private has a marker of its own")]
                    Self::$name => concat!("[REDACTED:", $word, "]")),*
                }
            }
        }
    };
}

kinds! {
    /// Text between `<private>` tags; its marker is `[PRIVATE]`.
    Private = "private",
    /// A PEM, OpenSSH, PGP or PuTTY private key.
    PrivateKey = "private_key",
    /// An AWS access key id.
    AwsAccessKey = "aws_access_key",
    /// An AWS secret access key or session token, known by its label.
    AwsSecret = "aws_secret",
    /// A GitHub token of any type.
    GithubToken = "github_token",
    /// A GitLab token of any type.
    GitlabToken = "gitlab_token",
    /// An OpenAI key, or one of the many services that copy its form.
    OpenaiKey = "openai_key",
    /// An Anthropic key.
    AnthropicKey = "anthropic_key",
    /// A Slack token or webhook.
    SlackToken = "slack_token",
    /// A Stripe secret, restricted or webhook key.
    StripeKey = "stripe_key",
    /// A Google API key, OAuth token or client secret.
    GoogleKey = "google_key",
    /// An npm token.
    NpmToken = "npm_token",
    /// A PyPI token.
    PypiToken = "pypi_token",
    /// A Hugging Face token.
    HuggingfaceToken = "huggingface_token",
    /// A Telegram bot token.
    TelegramToken = "telegram_token",
    /// A SendGrid key.
    SendgridKey = "sendgrid_key",
    /// A Twilio key or account.
    TwilioKey = "twilio_key",
    /// A Discord token or webhook.
    DiscordToken = "discord_token",
    /// An Azure account key or shared access signature.
    AzureKey = "azure_key",
    /// A token of another known service.
    ServiceToken = "service_token",
    /// A JSON web token (RFC 7519).
    Jwt = "jwt",
    /// Credentials of an `Authorization` header (RFC 9110).
    Authorization = "authorization",
    /// Cookies of a header (RFC 6265).
    Cookie = "cookie",
    /// The password of a URL (RFC 3986).
    UrlPassword = "url_password",
    /// A value assigned to a name that tells a secret.
    EnvValue = "env_value",
    /// A random-looking value assigned to a name that may tell a secret.
    HighEntropy = "high_entropy",
    /// A payment card number that is labelled so and passes Luhn's check.
    CreditCard = "credit_card",
}

/// How many secrets of which kind were taken out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecretCounts(Vec<(SecretKind, u32)>);

impl SecretCounts {
    /// How many of a kind.
    pub fn get(&self, kind: SecretKind) -> u32 {
        self.0.iter().find(|(k, _)| *k == kind).map_or(0, |(_, n)| *n)
    }

    /// How many of all kinds.
    pub fn total(&self) -> u32 {
        self.0.iter().fold(0, |sum, (_, n)| sum.saturating_add(*n))
    }

    /// Whether nothing was taken out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The kinds that occurred with their counts, in order of first occurrence.
    pub fn iter(&self) -> impl Iterator<Item = (SecretKind, u32)> + '_ {
        self.0.iter().copied()
    }

    /// Adds one of a kind.
    pub fn add(&mut self, kind: SecretKind) {
        self.add_many(kind, 1);
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        for (kind, n) in other.iter() {
            self.add_many(kind, n);
        }
    }

    /// As an object such as `{"aws_access_key": 1}`.
    pub fn to_json(&self) -> JsonObject {
        self.iter().map(|(kind, n)| (kind.as_str().to_owned(), n.into())).collect()
    }

    fn add_many(&mut self, kind: SecretKind, n: u32) {
        match self.0.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, count)) => *count = count.saturating_add(n),
            None => self.0.push((kind, n)),
        }
    }
}
