use mem_engine::Config;
#[test]
fn dump() {
    let v = serde_json::to_value(Config::default()).unwrap();
    fn go(p: &str, v: &serde_json::Value) {
        match v {
            serde_json::Value::Object(m) if !m.is_empty() => {
                for (k, v) in m {
                    go(&if p.is_empty() { k.clone() } else { format!("{p}.{k}") }, v)
                }
            }
            v => println!("{p} = {v}"),
        }
    }
    go("", &v);
}
