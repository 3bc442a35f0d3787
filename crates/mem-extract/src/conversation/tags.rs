//! Labels: the technical words of a sentence.

/// Words that name a technology although they look like any other.
const KNOWN: &[&str] = words![
    "android" "ansible" "api" "aws" "azure" "axum" "bash" "biome" "bun" "cargo" "celery" "cdn" "ci"
    "clippy" "cmake" "css" "cuda" "deno" "django" "docker" "eslint" "express" "fastapi" "flask" "flutter"
    "gcp" "git" "github" "gitlab" "golang" "gradle" "grafana" "graphql" "grpc" "helm" "html" "http" "java"
    "javascript" "jest" "jwt" "kafka" "kotlin" "kubernetes" "k8s" "linux" "macos" "maven" "mongodb" "mysql"
    "nestjs" "next.js" "nextjs" "nginx" "node" "nodejs" "npm" "numpy" "oauth" "orm" "pandas" "php" "pip"
    "playwright" "pnpm" "poetry" "postgres" "postgresql" "prettier" "prisma" "prometheus" "pytest" "python"
    "pytorch" "rabbitmq" "rails" "react" "redis" "ruby" "ruff" "rust" "s3" "sass" "sql" "sqlite" "ssh"
    "svelte" "tailwind" "tauri" "terraform" "tokio" "typescript" "ubuntu" "uv" "vercel" "vite" "vitest"
    "vue" "vuex" "webpack" "websocket" "windows" "yaml" "yarn" "zod" "zsh" "lint" "deploy" "staging"
    "production" "test" "tests" "migration" "schema" "cache" "auth" "login" "frontend" "backend"
];

/// Names that are words of English unless they are spelt like this, and not at the start of a sentence.
const SPELT: &[&str] = &["Go", "REST", "Make", "Dart", "Swift"];

/// Up to `max` labels, lower case, in order of appearance.
pub(crate) fn tags(text: &str, max: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for token in text.split(|c: char| !(c.is_ascii_alphanumeric() || "._-+#".contains(c))) {
        let token = token.trim_matches(['.', '-', '_', '+', '#']);
        let lower = token.to_ascii_lowercase();
        let long = (2..=40).contains(&token.len());
        let identifier = token.len() >= 4
            && token.starts_with(|c: char| c.is_ascii_alphabetic())
            && (token.contains(['_', '.'])
                || token.chars().skip(1).any(|c| c.is_ascii_uppercase())
                    && token.chars().any(|c| c.is_ascii_lowercase()));
        let spelt = SPELT.contains(&token) && !text.starts_with(token);
        if long && (KNOWN.contains(&lower.as_str()) || spelt || identifier) && !out.contains(&lower) {
            out.push(lower);
        }
        if out.len() >= max {
            break;
        }
    }
    out
}

/// Technical names in a sentence, those that are ordinary words left out.
pub(crate) fn technical(text: &str) -> usize {
    const ORDINARY: &[&str] =
        words!["test" "tests" "login" "cache" "deploy" "lint" "schema" "express" "windows" "api" "e.g" "i.e"];
    tags(text, 8).iter().filter(|tag| !ORDINARY.contains(&tag.as_str())).count()
}
