use super::{rotate::Step, *};
use mem_core::{ErrorKind, Phase, SessionId, Timestamp};
use proptest::prelude::*;
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

const HOUR: i64 = 3600;
const START: i64 = 1_750_000_000;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn numbered(n: u64, ts: Timestamp) -> Observation {
    let mut observation = Observation::new(SessionId::new("s").unwrap(), ts, Phase::Post);
    observation.tool = Some("Bash".to_owned());
    observation.input.insert("n".to_owned(), n.into());
    observation.input.insert("text".to_owned(), "改\n\"x\"".into());
    observation
}

fn number(observation: &Observation) -> u64 {
    observation.input["n"].as_u64().unwrap()
}

fn small() -> JournalConfig {
    JournalConfig {
        max_bytes: 2_000,
        max_lines: 1_000_000,
        retention_days: 2,
        hysteresis_days: 0,
        append_wait_ms: 20_000,
        read_wait_ms: 20_000,
        ..JournalConfig::default()
    }
}

fn live(journal: &Journal) -> Vec<u64> {
    journal.read(Cursor(0), usize::MAX).unwrap().observations.iter().map(|(_, o)| number(o)).collect()
}

fn everything(journal: &Journal) -> Vec<u64> {
    let mut all: Vec<_> = journal.archived().unwrap().map(|o| number(&o.unwrap())).collect();
    all.extend(live(journal));
    all
}

/// A journal with one line an hour from [`START`] on.
fn hourly(dir: &Path, lines: u64, config: JournalConfig) -> Journal {
    let journal = Journal::new(dir.join("observations"), config);
    let all: Vec<_> = (0..lines).map(|n| numbered(n, at(START + n as i64 * HOUR))).collect();
    journal.append(&all).unwrap();
    journal
}

#[test]
fn what_is_appended_is_read_from_any_cursor_on() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::new(dir.path().join("a/b"), JournalConfig::default());
    assert_eq!(journal.read(Cursor(7), 5).unwrap(), LogBatch::default());
    assert!(!dir.path().join("a").exists(), "reading makes no folder");
    journal.append(&[]).unwrap();
    assert!(!dir.path().join("a").exists());
    journal.append(&[numbered(0, at(START)), numbered(1, at(START))]).unwrap();
    journal.append(&[numbered(2, at(START))]).unwrap();
    let all = journal.read(Cursor::default(), 10).unwrap();
    assert_eq!((all.observations.len(), all.skipped), (3, 0));
    assert_eq!(all.observations[1].1, numbered(1, at(START)));
    assert_eq!(all.next, journal.end().unwrap());
    assert_eq!(all.next.0, fs::metadata(journal.live_path()).unwrap().len());
    for (i, (cursor, _)) in all.observations.iter().enumerate() {
        let rest = journal.read(*cursor, 1).unwrap();
        assert_eq!(rest.observations.first().map(|(_, o)| number(o)), (i < 2).then_some(i as u64 + 1));
    }
    assert_eq!(
        journal.read(Cursor(1 << 40), 10).unwrap().observations.len(),
        3,
        "a replaced file is read anew"
    );
    assert_eq!(journal.read(all.observations[0].0, 0).unwrap().next, all.observations[0].0);
    let counts = journal.counts().unwrap();
    assert_eq!((counts.live_lines, counts.live_bytes, counts.archived_lines), (3, all.next.0, 0));
}

#[test]
fn damaged_lines_are_counted_and_the_last_one_without_end_waits() {
    let dir = tempfile::tempdir().unwrap();
    let journal = hourly(dir.path(), 1, JournalConfig { max_line_bytes: 1_000, ..JournalConfig::default() });
    let good = serde_json::to_string(&numbered(7, at(START))).unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(journal.live_path()).unwrap();
    file.write_all(b"\n\r\n[1]\n{\"session_id\":\"s\"}\n\xff\xfe\n{\"a\":{\"session_id\"\n").unwrap();
    file.write_all(format!("{good}{good}\n{}\n{good}\r\n", "z".repeat(5_000)).as_bytes()).unwrap();
    let whole = journal.end().unwrap();
    file.write_all(good.as_bytes()).unwrap();
    let batch = journal.read(Cursor(0), 10).unwrap();
    assert_eq!(batch.observations.iter().map(|(_, o)| number(o)).collect::<Vec<_>>(), [0, 7]);
    assert_eq!((batch.skipped, batch.next), (6, whole));
    assert_eq!(journal.end().unwrap(), whole);

    // The torn line is closed by the next append and, being whole, counts after all.
    journal.append(&[numbered(8, at(START))]).unwrap();
    let batch = journal.read(whole, 10).unwrap();
    assert_eq!(batch.observations.iter().map(|(_, o)| number(o)).collect::<Vec<_>>(), [7, 8]);
    file.write_all(b"{\"session_id\":\"s\",\"ts\":\"2026-").unwrap();
    journal.append(&[numbered(9, at(START))]).unwrap();
    let rest = journal.read(batch.next, 10).unwrap();
    assert_eq!((rest.observations.len(), rest.skipped, number(&rest.observations[0].1)), (1, 1, 9));
}

#[test]
fn batches_end_by_bytes_as_well_and_an_overlong_observation_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let config = JournalConfig { max_batch_bytes: 1, max_line_bytes: 400, ..JournalConfig::default() };
    let journal = hourly(dir.path(), 3, config);
    let mut cursor = Cursor(0);
    for n in 0..3 {
        let batch = journal.read(cursor, 10).unwrap();
        assert_eq!(batch.observations.iter().map(|(_, o)| number(o)).collect::<Vec<_>>(), [n]);
        cursor = batch.next;
    }
    let mut long = numbered(3, at(START));
    long.cwd = Some("x".repeat(400));
    let refused = journal.append(&[numbered(4, at(START)), long]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert_eq!(journal.end().unwrap(), cursor, "all or none");
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let journal = hourly(dir.path(), 200, small());
    journal.rotate(at(START + 200 * HOUR)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(journal.dir()), mode(&journal.files.archive)), (0o700, 0o700));
    for path in [&journal.files.live, &journal.files.lock, &journal.files.state] {
        assert_eq!(mode(path), 0o600, "{path:?}");
    }
    assert_eq!(mode(&journal.files.archive_of("2025-06")), 0o600);
}

#[test]
fn a_held_lock_is_waited_for_only_so_long() {
    let dir = tempfile::tempdir().unwrap();
    let journal = hourly(dir.path(), 1, JournalConfig { append_wait_ms: 20, ..JournalConfig::default() });
    let guard = lock::exclusive(&journal.files.lock, Duration::ZERO).unwrap();
    let busy = journal.append(&[numbered(1, at(START))]).unwrap_err();
    assert_eq!(busy.kind(), ErrorKind::Unavailable);
    drop(guard);
    journal.append(&[numbered(2, at(START))]).unwrap();
    assert_eq!(live(&journal), [0, 2]);
}

#[test]
fn rotation_moves_old_lines_by_month_and_keeps_every_byte() {
    let dir = tempfile::tempdir().unwrap();
    let config = JournalConfig { max_bytes: 1 << 30, max_lines: 50, ..JournalConfig::default() };
    let journal = Journal::new(dir.path(), config);
    let day = |n: i64| at(START + n * 24 * HOUR);
    let mut file = Vec::from(&b"undated\n"[..]);
    for n in 0..100 {
        serde_json::to_writer(&mut file, &numbered(n, day(n as i64))).unwrap();
        file.extend_from_slice(if n % 10 == 0 { b"\r\n\xff torn\n" } else { b"\n" });
    }
    serde_json::to_writer(&mut file, &numbered(100, day(100))).unwrap();
    fs::write(journal.live_path(), &file).unwrap();

    assert!(!journal.needs_rotation(day(31)).unwrap(), "31 days is not yet beyond retention and hysteresis");
    assert!(journal.needs_rotation(day(32)).unwrap());
    let before = journal.read(Cursor(0), usize::MAX).unwrap();
    let report = journal.rotate(day(100)).unwrap();
    assert_eq!(report.outcome, RotationOutcome::Rotated);
    assert_eq!(report.months, ["2025-06", "2025-07", "2025-08"]);
    assert_eq!(report.lines, 70 + 7 + 1);
    assert!(!journal.needs_rotation(day(100)).unwrap());
    assert_eq!(journal.rotate(day(100)).unwrap(), Rotation::default());

    let mut joined = Vec::new();
    for month in &report.months {
        joined.extend(fs::read(journal.files.archive_of(month)).unwrap());
    }
    assert_eq!(joined.len() as u64, report.bytes);
    joined.extend(fs::read(journal.live_path()).unwrap());
    assert!(joined == file);
    let june = fs::read_to_string(journal.files.archive_of("2025-06"));
    assert!(june.is_err(), "bytes that are no text are kept as they are");

    for (cursor, observation) in &before.observations {
        let next = journal.read(*cursor, 1).unwrap();
        let expected = (number(observation) + 1).max(70);
        assert_eq!(next.observations.first().map(|(_, o)| number(o)), (expected < 100).then_some(expected));
    }
    let mut archived = journal.archived().unwrap();
    assert_eq!(
        archived.by_ref().map(|o| number(&o.unwrap())).collect::<Vec<_>>(),
        (0..70).collect::<Vec<_>>()
    );
    assert_eq!(archived.skipped(), 8);
    let counts = journal.counts().unwrap();
    assert_eq!((counts.archived_lines, counts.archived_bytes, counts.archives), (78, report.bytes, 3));
}

#[test]
fn a_line_from_the_future_stops_no_rotation() {
    let dir = tempfile::tempdir().unwrap();
    let journal = hourly(dir.path(), 20, small());
    journal.append(&[numbered(20, at(START + 1_000_000 * HOUR))]).unwrap();
    journal.append(&[numbered(21, at(START + 500 * HOUR))]).unwrap();
    let report = journal.rotate(at(START + 501 * HOUR)).unwrap();
    assert_eq!((report.lines, live(&journal)), (21, vec![21]));
}

#[test]
fn a_lost_or_damaged_state_is_derived_from_the_archives() {
    let dir = tempfile::tempdir().unwrap();
    let journal = hourly(dir.path(), 200, small());
    journal.rotate(at(START + 200 * HOUR)).unwrap();
    let (end, counts) = (journal.end().unwrap(), journal.counts().unwrap());
    for damage in [None, Some("{\"version\":1,"), Some("")] {
        match damage {
            None => fs::remove_file(&journal.files.state).unwrap(),
            Some(text) => fs::write(&journal.files.state, text).unwrap(),
        }
        assert_eq!((journal.end().unwrap(), journal.counts().unwrap()), (end, counts));
    }
    fs::write(&journal.files.state, "{\"version\":2,\"anything\":1}").unwrap();
    assert_eq!(journal.end().unwrap_err().kind(), ErrorKind::Corrupt);
    journal.append(&[numbered(200, at(START))]).unwrap();
}

fn stop_at(stop: Step) -> impl FnMut(Step) -> Result<(), JournalError> {
    move |step| {
        let stopped = || JournalError::Busy { path: PathBuf::new(), waited_ms: 0 };
        if step == stop { Err(stopped()) } else { Ok(()) }
    }
}

const STEPS: [Step; 10] = [
    Step::Intent,
    Step::Archive(0),
    Step::Archive(1),
    Step::NextCopied,
    Step::NextComplete,
    Step::Commit,
    Step::LiveReplaced,
    Step::State,
    Step::IntentGone,
    Step::Done,
];

#[test]
fn a_rotation_stopped_after_any_step_loses_and_doubles_nothing() {
    // Two months, so that there are two archives to write; who comes next differs.
    for stop in STEPS {
        for next in 0..4 {
            let dir = tempfile::tempdir().unwrap();
            let journal = hourly(dir.path(), 500, small());
            journal.rotate(at(START + 100 * HOUR)).unwrap();
            let cursors = journal.read(Cursor(0), usize::MAX).unwrap().observations;
            let now = at(START + 500 * HOUR);
            journal.rotate_stepwise(now, &mut stop_at(stop)).unwrap_err();
            let mut expected: Vec<u64> = (0..500).collect();
            match next {
                0 => {}
                1 => {
                    journal.append(&[numbered(500, now)]).unwrap();
                    expected.push(500);
                }
                2 => {
                    // Stopped again, at the same place and one step earlier.
                    let _ = journal.rotate_stepwise(now, &mut stop_at(stop));
                    let _ = journal.rotate_stepwise(now, &mut stop_at(Step::Archive(0)));
                }
                _ => assert_eq!(
                    journal.counts().unwrap().live_lines + journal.counts().unwrap().archived_lines,
                    500
                ),
            }
            assert_eq!(everything(&journal), expected, "{stop:?} {next}");
            journal.rotate(now).unwrap();
            assert_eq!(everything(&journal), expected, "{stop:?} {next}");
            assert_eq!(journal.counts().unwrap().archived_lines, 452, "{stop:?} {next}");
            for (cursor, observation) in cursors.iter().step_by(11) {
                let after = journal.read(*cursor, 1).unwrap().observations;
                assert_eq!(
                    after.first().map(|(_, o)| number(o)),
                    expected.iter().copied().find(|n| *n > number(observation) && *n >= 452),
                    "{stop:?} {next}"
                );
            }
            for leftover in [&journal.files.intent, &journal.files.commit, &journal.files.next] {
                assert!(!leftover.exists(), "{leftover:?} after {stop:?}");
            }
        }
    }
}

#[test]
fn an_archive_cut_off_in_the_middle_of_a_copy_is_cut_back() {
    let dir = tempfile::tempdir().unwrap();
    let journal = hourly(dir.path(), 500, small());
    journal.rotate(at(START + 100 * HOUR)).unwrap();
    let now = at(START + 500 * HOUR);
    journal.rotate_stepwise(now, &mut stop_at(Step::Archive(0))).unwrap_err();
    let june = journal.files.archive_of("2025-06");
    let length = fs::metadata(&june).unwrap().len();
    fs::OpenOptions::new().write(true).open(&june).unwrap().set_len(length - 13).unwrap();
    assert_eq!(everything(&journal), (0..500).collect::<Vec<_>>());
    assert!(journal.rotate(now).unwrap().recovered);
    assert_eq!(everything(&journal), (0..500).collect::<Vec<_>>());
}

#[test]
fn appends_go_on_while_a_rotation_copies_and_two_rotations_exclude_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let journal = hourly(dir.path(), 200, small());
    let now = at(START + 200 * HOUR);
    let mut n = 200;
    journal
        .rotate_stepwise(now, &mut |step| {
            if matches!(step, Step::Intent | Step::Archive(_) | Step::NextCopied) {
                journal.append(&[numbered(n, now)]).unwrap();
                n += 1;
                assert_eq!(journal.rotate(now).unwrap().outcome, RotationOutcome::Busy);
                assert_eq!(everything(&journal), (0..n).collect::<Vec<_>>());
            }
            Ok(())
        })
        .unwrap();
    assert!(n >= 203);
    assert_eq!(everything(&journal), (0..n).collect::<Vec<_>>());
    assert_eq!(live(&journal).first(), Some(&152));
}

/// Runs a hidden test of this binary in a process of its own.
fn child(name: &str, dir: &Path, from: u64, to: u64) -> Command {
    let module = module_path!().split_once("::").unwrap().1;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("{module}::{name}"), "--nocapture", "--test-threads", "1"]);
    command.env("MEM_TEST_JOURNAL", dir).env("MEM_TEST_RANGE", format!("{from} {to}"));
    command
}

fn child_range() -> Option<(Journal, u64, u64)> {
    let dir = std::env::var_os("MEM_TEST_JOURNAL")?;
    let range = std::env::var("MEM_TEST_RANGE").ok()?;
    let (from, to) = range.split_once(' ')?;
    Some((Journal::new(dir, small()), from.parse().ok()?, to.parse().ok()?))
}

/// Appends one line at a time, says so, and rotates now and then. Does nothing without a parent.
#[test]
fn child_appends_and_rotates() {
    let Some((journal, from, to)) = child_range() else { return };
    for n in from..to {
        let now = at(START + n as i64 * HOUR);
        journal.append(&[numbered(n, now)]).unwrap();
        println!("\nack {n}");
        if n % 7 == 0 {
            journal.rotate(now).unwrap();
        }
    }
}

#[test]
fn ten_processes_append_two_thousand_whole_lines_across_rotations() {
    let dir = tempfile::tempdir().unwrap();
    let spawn = |i: u64| {
        child("child_appends_and_rotates", dir.path(), i * 200, (i + 1) * 200).stdout(Stdio::null()).spawn()
    };
    let children: Vec<_> = (0..10).map(|i| spawn(i).unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let journal = Journal::new(dir.path(), small());
    let counts = journal.counts().unwrap();
    assert_eq!(counts.live_lines + counts.archived_lines, 2_000);
    assert!(counts.archived_lines > 100, "{counts:?}");
    let mut archived = journal.archived().unwrap();
    let mut seen: Vec<_> = archived.by_ref().map(|o| number(&o.unwrap())).collect();
    let live = journal.read(Cursor(0), usize::MAX).unwrap();
    assert_eq!((archived.skipped(), live.skipped), (0, 0));
    seen.extend(live.observations.iter().map(|(_, o)| number(o)));
    seen.sort_unstable();
    assert_eq!(seen, (0..2_000).collect::<Vec<_>>());
}

#[test]
fn killed_at_random_sixty_times_nothing_acknowledged_is_lost_nor_doubled() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::new(dir.path(), small());
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = 0;
    let mut acknowledged = Vec::new();
    for round in 0..60 {
        let mut child = child("child_appends_and_rotates", dir.path(), next, next + 100_000)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut ack = || {
            let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with("ack ")))?;
            line.unwrap().strip_prefix("ack ").unwrap().parse::<u64>().ok()
        };
        acknowledged.push(ack().unwrap());
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        std::thread::sleep(Duration::from_micros(seed % 30_000));
        child.kill().unwrap();
        acknowledged.extend(std::iter::from_fn(ack));
        child.wait().unwrap();

        let mut seen = everything(&journal);
        seen.sort_unstable();
        let mut counts = BTreeMap::new();
        for n in &seen {
            *counts.entry(*n).or_insert(0) += 1;
        }
        assert!(counts.values().all(|count| *count == 1), "round {round}: doubled");
        assert!(acknowledged.iter().all(|n| counts.contains_key(n)), "round {round}: lost");
        assert!(
            seen.len() - acknowledged.len() <= round + 1,
            "at most the last one of a round is unacknowledged"
        );
        next = seen.last().unwrap() + 1;
    }
    assert!(journal.counts().unwrap().archived_lines > 100);
}

/// Appends until the system refuses. Does nothing without a parent.
#[test]
fn child_fills_the_disk() {
    let Some((journal, from, to)) = child_range() else { return };
    for n in from..to {
        if let Err(e) = journal.append(&[numbered(n, at(START)), numbered(n, at(START))]) {
            assert_eq!(e.kind(), ErrorKind::Unavailable);
            println!("\nfull {n}");
            return;
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_refuses_the_batch_whole() {
    let dir = tempfile::tempdir().unwrap();
    let inner = child("child_fills_the_disk", dir.path(), 0, 1_000);
    // A limit on the file's size cuts a write short as a full disk does.
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\""])
        .arg(inner.get_program())
        .args(inner.get_args());
    shell.envs(inner.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let output = shell.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    let refused: u64 = text.lines().find_map(|line| line.strip_prefix("full ")).unwrap().parse().unwrap();
    let journal = Journal::new(dir.path(), small());
    assert_eq!(live(&journal), (0..refused).flat_map(|n| [n, n]).collect::<Vec<_>>());
    assert_eq!(journal.end().unwrap().0, fs::metadata(journal.live_path()).unwrap().len());
}

#[derive(Debug, Clone)]
enum Act {
    Append(Vec<u8>),
    Rotate,
    Stopped(usize),
    Torn,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn archive_and_live_are_what_was_appended_and_cursors_hold(
        acts in proptest::collection::vec(
            prop_oneof![
                4 => proptest::collection::vec(0u8..30, 1..12).prop_map(Act::Append),
                1 => Just(Act::Rotate),
                1 => (0..STEPS.len()).prop_map(Act::Stopped),
                1 => Just(Act::Torn),
            ],
            1..24,
        ),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path(), JournalConfig { max_bytes: 500, ..small() });
        let mut oracle: Vec<u64> = Vec::new();
        let mut cursors: Vec<(Cursor, usize)> = Vec::new();
        let mut now = START;
        for act in acts {
            match act {
                Act::Append(gaps) => {
                    let mut batch = Vec::new();
                    for gap in gaps {
                        now += i64::from(gap) * HOUR;
                        batch.push(numbered(oracle.len() as u64, at(now)));
                        oracle.push(oracle.len() as u64);
                    }
                    journal.append(&batch).unwrap();
                    cursors.push((journal.end().unwrap(), oracle.len()));
                }
                Act::Rotate => { journal.rotate(at(now)).unwrap(); }
                Act::Stopped(step) => { let _ = journal.rotate_stepwise(at(now), &mut stop_at(STEPS[step])); }
                Act::Torn => {
                    let mut file = fs::OpenOptions::new().append(true).create(true).open(journal.live_path()).unwrap();
                    file.write_all(b"{\"session_id\":").unwrap();
                }
            }
            prop_assert_eq!(&everything(&journal), &oracle);
            let live = live(&journal);
            for (cursor, count) in &cursors {
                let next = journal.read(*cursor, 1).unwrap().observations.first().map(|(_, o)| number(o));
                prop_assert_eq!(next, live.iter().copied().find(|n| *n >= *count as u64));
            }
        }
    }
}
