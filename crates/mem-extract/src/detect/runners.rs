//! Which test commands test which kinds of files.

/// File kinds whose tests a runner runs; empty means any code.
pub(crate) fn kinds_of_runner(family: &str) -> &'static [&'static str] {
    const JS: &[&str] =
        &["*.ts", "*.tsx", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.mts", "*.vue", "*.svelte", "*.astro"];
    const JVM: &[&str] = &["*.java", "*.kt", "*.kts", "*.groovy", "*.scala"];
    match family.split(' ').next().unwrap_or_default() {
        "cargo" | "cargo-nextest" => &["*.rs"],
        "pytest" | "py.test" | "tox" | "nox" | "nose2" | "unittest" | "nosetests" | "python"
        | "manage.py" | "hatch" => &["*.py", "*.pyi"],
        "npm" | "pnpm" | "yarn" | "bun" | "deno" | "vitest" | "jest" | "mocha" | "ava" | "jasmine"
        | "karma" | "playwright" | "cypress" | "node" | "nx" | "turbo" => JS,
        "go" | "gotestsum" | "ginkgo" => &["*.go"],
        "gradle" | "mvn" | "sbt" => JVM,
        "dotnet" => &["*.cs", "*.fs", "*.vb"],
        "rspec" | "rails" | "rake" | "minitest" => &["*.rb", "*.erb"],
        "php" | "phpunit" | "pest" | "composer" | "codecept" | "behat" => &["*.php"],
        "swift" | "xcodebuild" | "xctest" => &["*.swift", "*.m"],
        "flutter" | "dart" => &["*.dart"],
        "mix" => &["*.ex", "*.exs"],
        "ctest" => &["*.c", "*.cc", "*.cpp", "*.cxx", "*.h", "*.hpp"],
        "zig" => &["*.zig"],
        _ => &[],
    }
}

/// The test command a file kind is usually tested with, where there is only one.
pub(crate) fn usual_runner(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "*.rs" => "cargo test",
        "*.py" => "pytest",
        "*.go" => "go test",
        "*.cs" => "dotnet test",
        "*.swift" => "swift test",
        "*.dart" => "flutter test",
        "*.ex" | "*.exs" => "mix test",
        "*.rb" => "rspec",
        "*.php" => "phpunit",
        _ => return None,
    })
}
