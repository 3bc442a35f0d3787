//! Many processes at once.

use mem_tests::{HookOutput, Sandbox};
use serde_json::json;
use std::collections::HashSet;

const PROCESSES: usize = 10;

fn at_once<T: Send>(work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..PROCESSES)
            .map(|n| {
                scope.spawn({
                    let work = &work;
                    move || work(n)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn two_thousand_events_of_ten_processes_are_two_thousand_whole_lines() {
    let sandbox = Sandbox::new();
    at_once(|n| {
        for event in 0..200 {
            let id = format!("{n}-{event}");
            let command = format!("echo {id} {}", "参数 ".repeat(event % 90));
            let fields = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {"stdout": "x"}, "tool_use_id": id});
            sandbox.hook(&sandbox.event(&format!("s-{n}"), "PostToolUse", fields));
        }
    });
    let lines = sandbox.journal();
    let ids: HashSet<&str> = lines.iter().map(|line| line["tool_use_id"].as_str().unwrap()).collect();
    assert_eq!((lines.len(), ids.len()), (2_000, 2_000), "{:?}", sandbox.hook_log());
    for n in 0..PROCESSES {
        let own: Vec<&str> =
            lines.iter().filter_map(|l| l["tool_use_id"].as_str()?.strip_prefix(&format!("{n}-"))).collect();
        let expected: Vec<String> = (0..200).map(|event| event.to_string()).collect();
        assert_eq!(own, expected, "each process's own events are in order");
    }
    assert_eq!(sandbox.hook_log(), Vec::<String>::new());
}

#[test]
fn events_during_rotations_are_neither_lost_nor_doubled() {
    let config = "[host]\nbackground_work = false\n[journal]\nmax_lines = 10\nmax_bytes = 2000\nretention_days = 0\nhysteresis_days = 0\n";
    let sandbox = Sandbox::with_config(config);
    at_once(|n| {
        for event in 0..40 {
            if n < 2 {
                let _ = sandbox.mem(&["work", "--json"]).ok();
            } else {
                let fields =
                    json!({"tool_name": "X", "tool_response": "x", "tool_use_id": format!("{n}-{event}")});
                sandbox.hook(&sandbox.event(&format!("s-{n}"), "PostToolUse", fields));
            }
        }
    });
    let _ = sandbox.mem(&["work"]).ok();
    let lines = sandbox.whole_journal();
    let ids: HashSet<&str> = lines.iter().map(|line| line["tool_use_id"].as_str().unwrap()).collect();
    assert_eq!((lines.len(), ids.len()), (320, 320), "{:?}", sandbox.hook_log());
    assert!(sandbox.journal().len() < 100, "it did rotate");
    let status = sandbox.mem(&["status", "--json"]).json();
    let counted = status["observations"]["live"].as_u64().unwrap()
        + status["observations"]["archived"].as_u64().unwrap();
    assert_eq!(counted, 320);
}

#[test]
fn two_hundred_memories_of_ten_processes_are_all_stored_and_indexed() {
    let sandbox = Sandbox::new();
    let ids: HashSet<String> = at_once(|n| {
        (0..20)
            .map(|m| sandbox.remember(&format!("Relay {n}x{m} belongs to district {}", n * 20 + m), &[]))
            .collect::<Vec<_>>()
    })
    .into_iter()
    .flatten()
    .collect();
    assert_eq!(ids.len(), 200);
    let stored: HashSet<String> =
        sandbox.memories().iter().map(|m| m["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(stored, ids);
    let status = sandbox.mem(&["status", "--json"]).json();
    assert_eq!(status["index"]["fresh"], true, "{status}");
    assert_eq!((&status["index"]["bm25_memories"], &status["index"]["vectors"]), (&json!(200), &json!(200)));
    assert_eq!(sandbox.doctor("database")["status"], "ok");
}

#[test]
fn the_same_statement_of_ten_processes_is_one_memory() {
    let sandbox = Sandbox::new();
    let ids: HashSet<String> =
        at_once(|_| sandbox.remember("蓝绿发布只在周二进行", &[])).into_iter().collect();
    assert_eq!((ids.len(), sandbox.memories().len()), (1, 1), "{ids:?}");
}

#[test]
fn two_at_work_at_once_both_succeed() {
    let sandbox = Sandbox::new();
    for n in 0..20 {
        sandbox.prompt(&format!("s-{n}"), &format!("记住：第 {n} 号中继站由第 {} 组维护", n + 3));
    }
    at_once(|_| drop(sandbox.mem(&["work"]).ok()));
    let _ = sandbox.mem(&["work"]).ok();
    assert_eq!(sandbox.memories().len(), 20, "learned once each");
    sandbox.wait_until_idle();
}

#[test]
fn ten_sessions_that_end_at_once_are_all_learned_from_in_the_background() {
    let sandbox = Sandbox::with_config("");
    at_once(|n| {
        let session = format!("s-{n}");
        sandbox.prompt(&session, &format!("记住：第 {n} 号中继站由第 {} 组维护", n + 3));
        sandbox.hook(&sandbox.event(&session, "Stop", json!({"last_assistant_message": "done"})));
        sandbox.hook(&sandbox.event(&session, "SessionEnd", json!({"reason": "other"})));
    });
    let mut learned = 0;
    for _ in 0..100 {
        sandbox.wait_until_idle();
        learned = sandbox.memories().len();
        if learned == PROCESSES {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(learned, PROCESSES, "{:?}", sandbox.hook_log());
    assert_eq!(sandbox.journal().len(), 3 * PROCESSES);
    assert_eq!(sandbox.doctor("database")["status"], "ok");
}

#[test]
fn hooks_answer_while_others_write() {
    let sandbox = Sandbox::new();
    sandbox.remember("The gateway listens on port 9090", &[]);
    let told = at_once(|n| match n % 3 {
        0 => {
            for m in 0..5 {
                sandbox.remember(&format!("Relay {n}x{m} is idle"), &[]);
            }
            true
        }
        1 => {
            drop(sandbox.mem(&["reindex"]));
            true
        }
        _ => {
            let payload = sandbox.event(
                &format!("s-{n}"),
                "UserPromptSubmit",
                json!({"prompt": "which port does the gateway listen on?"}),
            );
            let output = sandbox.hook_raw(&[], payload.to_string().as_bytes());
            HookOutput::check(&output, "UserPromptSubmit").context.is_none_or(|text| text.contains("9090"))
        }
    });
    assert!(told.into_iter().all(|right| right));
    assert_eq!(sandbox.journal().len(), 3);
    assert!(sandbox.mem(&["doctor", "--fix"]).ok().code == Some(0));
}
