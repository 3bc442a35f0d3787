//! `**Why:**` and `**How to apply:**` in the body of a memory.

/// The parts of a memory's text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sections {
    pub(super) body: String,
    pub(super) why: Option<String>,
    pub(super) how: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Why,
    How,
}

const WHY: [&str; 18] = [
    "why",
    "reason",
    "rationale",
    "为什么",
    "為什麼",
    "原因",
    "理由",
    "缘由",
    "なぜ",
    "이유",
    "왜",
    "por qué",
    "por que",
    "pourquoi",
    "warum",
    "perché",
    "motivo",
    "почему",
];
const HOW: [&str; 21] = [
    "how to apply",
    "how",
    "如何应用",
    "如何應用",
    "如何使用",
    "怎么用",
    "怎么做",
    "应用方式",
    "應用方式",
    "适用方法",
    "適用方法",
    "適用",
    "적용 방법",
    "적용",
    "cómo aplicar",
    "como aplicar",
    "comment appliquer",
    "anwendung",
    "wie anwenden",
    "come applicare",
    "как применять",
];

/// The label a line begins with and what stands behind it: `**Why:** x`, `**Why**: x`, `**为什么：**x`.
fn label(line: &str) -> Option<(Label, &str)> {
    let rest = line.trim_start().strip_prefix("**")?;
    let (word, after) = rest.split_once("**")?;
    let inside = word.trim_end().strip_suffix([':', '：']);
    let (word, after) = match inside {
        Some(word) => (word, after),
        None => (word, after.trim_start().strip_prefix([':', '：'])?),
    };
    let word = word.trim().to_lowercase();
    let label = match () {
        () if WHY.contains(&word.as_str()) => Label::Why,
        () if HOW.contains(&word.as_str()) => Label::How,
        () => return None,
    };
    Some((label, after))
}

/// Whether a line, without backslashes before it, would be read as a label.
fn is_label_like(line: &str) -> bool {
    label(line.trim_start().trim_start_matches('\\')).is_some()
}

fn escape(text: &str) -> String {
    text.split('\n')
        .map(|line| if is_label_like(line) { add_backslash(line) } else { line.to_owned() })
        .collect::<Vec<_>>()
        .join("\n")
}

fn add_backslash(line: &str) -> String {
    let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
    format!("{indent}\\{rest}")
}

fn without_backslash(line: &str) -> String {
    let start = line.trim_start();
    match start.strip_prefix('\\') {
        Some(rest) if is_label_like(line) => {
            format!("{}{rest}", &line.get(..line.len() - start.len()).unwrap_or(""))
        }
        _ => line.to_owned(),
    }
}

impl Sections {
    /// Reads a body with either line end. A second label of a sort is text of the part it stands in.
    pub(super) fn parse(text: &str) -> Self {
        let text = text.replace("\r\n", "\n");
        let (mut body, mut why, mut how) = (Vec::new(), None::<Vec<String>>, None::<Vec<String>>);
        let mut current = None;
        for line in text.split('\n') {
            match label(line) {
                Some((Label::Why, after)) if why.is_none() => {
                    why = Some(vec![without_backslash(after.trim_start())]);
                    current = Some(Label::Why);
                }
                Some((Label::How, after)) if how.is_none() => {
                    how = Some(vec![without_backslash(after.trim_start())]);
                    current = Some(Label::How);
                }
                _ => {
                    let part = match current {
                        Some(Label::Why) => why.as_mut(),
                        Some(Label::How) => how.as_mut(),
                        None => Some(&mut body),
                    };
                    if let Some(part) = part {
                        part.push(without_backslash(line));
                    }
                }
            }
        }
        let join = |lines: Vec<String>| lines.join("\n").trim().to_owned();
        let some = |lines: Option<Vec<String>>| lines.map(join).filter(|text| !text.is_empty());
        Self { body: join(body), why: some(why), how: some(how) }
    }

    /// A body as it stands behind the closing fence.
    pub(super) fn render(&self) -> String {
        let mut text = format!("\n{}\n", escape(&self.body));
        for (label, part) in [("Why", &self.why), ("How to apply", &self.how)] {
            if let Some(part) = part {
                text.push_str(&format!("\n**{label}:** {}\n", escape(part)));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_of_many_languages_are_known() {
        let cases = [
            "**Why:** x",
            "**Why**: x",
            "**WHY:**x",
            "**为什么：** x",
            "**原因**：x",
            "**Por qué:** x",
            "**Por que:** x",
            "**이유:** x",
            "**Pourquoi :** x",
            "  **Why:** x",
        ];
        for case in cases {
            let sections = Sections::parse(&format!("rule\n{case}\n\nmore"));
            assert_eq!(
                (sections.body.as_str(), sections.why.as_deref()),
                ("rule", Some("x\n\nmore")),
                "{case}"
            );
        }
        for case in ["**How to apply:** x", "**如何应用：**x", "**Cómo aplicar:** x", "**適用方法**：x"]
        {
            assert_eq!(Sections::parse(case).how.as_deref(), Some("x"), "{case}");
        }
        for case in ["Why: x", "**Whyever:** x", "a **Why:** x", "**Why** x"] {
            assert_eq!(Sections::parse(case).why, None, "{case}");
        }
    }

    #[test]
    fn either_order_lists_and_second_labels() {
        let read =
            Sections::parse("rule\r\n\r\n**How to apply:**\r\n- a\r\n- b\r\n**Why:** y\r\n**Why:** z\r\n");
        assert_eq!(read.how.as_deref(), Some("- a\n- b"));
        assert_eq!(read.why.as_deref(), Some("y\n**Why:** z"));
        assert_eq!(Sections::parse("**Why:**\n").why, None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_rendered_reads_the_same(
            parts in proptest::collection::vec(
                proptest::collection::vec(
                    prop_oneof![
                        Just("**Why:** a".to_owned()), Just("\\**Why:** a".to_owned()), Just(" \\\\**原因：** a".to_owned()),
                        Just("**How to apply:**".to_owned()), Just(String::new()), Just("---".to_owned()), "[^\r\n]{0,9}",
                    ],
                    0..5,
                ),
                3,
            ),
        ) {
            let text = |i: usize| parts[i].join("\n").trim().to_owned();
            let some = |i| Some(text(i)).filter(|text| !text.is_empty());
            let sections = Sections { body: text(0), why: some(1), how: some(2) };
            prop_assert_eq!(Sections::parse(&sections.render()), sections);
        }
    }
}
