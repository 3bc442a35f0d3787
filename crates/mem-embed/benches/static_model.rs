//! How long the built-in model takes.
#![expect(clippy::unwrap_used, reason = "a bench that fails stops")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mem_embed::{HashEmbedder, StaticEmbedder};
use std::hint::black_box;

fn static_model(c: &mut Criterion) {
    c.bench_function("static/open", |b| b.iter(|| StaticEmbedder::builtin().unwrap()));
    let model = StaticEmbedder::builtin().unwrap();
    let english = "wait until the user has confirmed before you commit and push anything to the main branch of this repository";
    let chinese = "改完代码以后不要主动提交，先等用户验证并且确认没有问题，再把分支推送到远程仓库。";
    let long = format!("{english}; {chinese}\n").repeat(40);
    for (name, text) in [
        ("20 English words", english),
        ("40 Chinese characters", chinese),
        (
            "identifiers",
            "HTTPServer::handle_request(&mut self, req: Request<Body>) -> Result<Response, ServeError> // port 8443",
        ),
        ("512 pieces", long.as_str()),
    ] {
        let mut group = c.benchmark_group("static/vector");
        group.throughput(Throughput::Elements(model.pieces(text).len() as u64));
        group.bench_function(name, |b| b.iter(|| model.vector(black_box(text))));
        group.bench_function(format!("{name}, pieces only"), |b| b.iter(|| model.pieces(black_box(text))));
        group.finish();
    }
    let hash = HashEmbedder::default();
    c.bench_function("hash/vector/20 English words", |b| b.iter(|| hash.vector(black_box(english))));
}

criterion_group!(benches, static_model);
criterion_main!(benches);
