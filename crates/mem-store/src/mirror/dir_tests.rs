use super::*;
use crate::mirror::{FileDefaults, plan, write_memory};
use mem_core::{ErrorKind, Kind, Memory};

fn memory(body: &str) -> Memory {
    Memory::new(Kind::Decision, body, Timestamp::from_second(1_790_000_000).unwrap())
}

struct World {
    _temporary: tempfile::TempDir,
    mirror: MirrorDir,
    store: Vec<Memory>,
}

impl World {
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let (dir, state) = (temporary.path().join("memory"), temporary.path().join("state/mirror.json"));
        Self { mirror: MirrorDir::new(dir, state).unwrap(), _temporary: temporary, store: Vec::new() }
    }

    fn plan(&self) -> Vec<Action<Memory>> {
        let files = self.mirror.scan(Memory::EXTENSIONS).unwrap();
        let defaults = FileDefaults::new(Timestamp::from_second(0).unwrap());
        plan(&self.store, &files, &self.mirror.load_state().unwrap(), &defaults)
    }

    /// As a caller does it: the store first, then the folder.
    fn sync(&mut self) -> (Vec<Action<Memory>>, ApplyReport) {
        let actions = self.plan();
        for action in &actions {
            match action {
                Action::TakeOver { item, .. } => {
                    *self.store.iter_mut().find(|memory| memory.id == item.id).unwrap() = item.clone();
                }
                Action::Add { item, .. } => self.store.push(item.clone()),
                Action::Remove { id, .. } => self.store.retain(|memory| memory.id.as_str() != id),
                _ => {}
            }
        }
        let mut state = self.mirror.load_state().unwrap();
        let report = self.mirror.apply(&actions, &mut state).unwrap();
        (actions, report)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.mirror.dir().join(name)
    }
}

#[test]
fn store_and_folder_follow_each_other() {
    let mut world = World::new();
    world.store = vec![memory("use sqlite"), memory("改用 ripgrep")];
    let (_, report) = world.sync();
    assert_eq!(report.written.len(), 2);
    assert_eq!(world.plan(), []);
    let name = report.written.iter().find(|name| name.contains("sqlite")).unwrap().clone();

    let text = fs::read_to_string(world.path(&name)).unwrap();
    fs::write(world.path(&name), text.replace("\n\nuse sqlite", "\n\nuse redb")).unwrap();
    fs::write(world.path("hand.md"), "---\nname: n\n---\n\nby hand\n").unwrap();
    fs::write(world.path("MEMORY.md"), "- [n](hand.md)\n").unwrap();
    fs::write(world.path("broken.md"), b"\xff\xfe").unwrap();
    fs::write(world.path(".hidden.md"), "x").unwrap();
    let (actions, report) = world.sync();
    assert_eq!(report, ApplyReport::default());
    assert_eq!(actions.len(), 3, "{actions:?}");
    assert!(world.store.iter().any(|memory| memory.body == "use redb"));
    assert!(world.store.iter().any(|memory| memory.body == "by hand"));
    assert_eq!(world.plan().len(), 1, "only the broken one is told again");

    fs::remove_file(world.path("hand.md")).unwrap();
    world.sync();
    assert!(world.store.iter().all(|memory| memory.body != "by hand"));
    world.store.retain(|memory| memory.body != "use redb");
    let (_, report) = world.sync();
    assert_eq!(report.deleted, [name]);
    assert_eq!(fs::read(world.path("broken.md")).unwrap(), b"\xff\xfe");
    let left: Vec<_> =
        fs::read_dir(world.mirror.dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "no temporary file stays: {left:?}");
}

#[test]
fn a_file_that_changed_since_the_plan_is_left_as_it_is() {
    let mut world = World::new();
    world.store = vec![memory("use sqlite")];
    let name = world.sync().1.written.remove(0);
    world.store[0].description = "changed".to_owned();
    let actions = world.plan();
    fs::write(world.path(&name), "written by another in between").unwrap();
    let mut state = world.mirror.load_state().unwrap();
    let before = state.clone();
    let report = world.mirror.apply(&actions, &mut state).unwrap();
    assert_eq!((report.written.len(), report.skipped.len(), &state), (0, 1, &before));
    assert_eq!(fs::read_to_string(world.path(&name)).unwrap(), "written by another in between");
    let delete =
        [Action::<Memory>::Delete { name: name.clone(), expect: before.files[&name].file_hash.clone() }];
    assert_eq!(world.mirror.apply(&delete, &mut state).unwrap().skipped.len(), 1);

    let item = memory("new");
    let text = write_memory(&item);
    let new = [Action::Write { name: name.clone(), item, text, expect: None }];
    assert_eq!(world.mirror.apply(&new, &mut state).unwrap().skipped[0].name, name);
    assert_eq!(fs::read_dir(world.mirror.dir()).unwrap().count(), 1);
}

#[test]
fn killed_before_the_state_was_saved_the_next_plan_finds_both_equal() {
    let mut world = World::new();
    world.store = vec![memory("a"), memory("b")];
    let saved = world.mirror.load_state().unwrap();
    world.sync();
    saved.save(&world.mirror.state).unwrap();
    let (actions, report) = world.sync();
    assert!(actions.iter().all(|action| matches!(action, Action::Settled { .. })), "{actions:?}");
    assert_eq!((actions.len(), report, world.plan().len()), (2, ApplyReport::default(), 0));
}

#[test]
fn names_stay_in_the_folder_and_the_state_outside() {
    let world = World::new();
    let mut state = MirrorState::default();
    for name in ["../x.md", "a/b.md", "", "..", "/x.md", "a\\b.md", "c:x.md"] {
        let action = [Action::<Memory>::Delete { name: name.to_owned(), expect: String::new() }];
        assert_eq!(world.mirror.apply(&action, &mut state).unwrap_err().kind(), ErrorKind::Invalid, "{name}");
    }
    assert_eq!(MirrorDir::new("/a/b", "/a/b/state.json").unwrap_err().kind(), ErrorKind::Invalid);
    fs::create_dir_all(world.mirror.state.parent().unwrap()).unwrap();
    for (text, kind) in [("{", ErrorKind::Corrupt), ("{\"version\":9,\"files\":{}}", ErrorKind::Corrupt)] {
        fs::write(&world.mirror.state, text).unwrap();
        assert_eq!(world.mirror.load_state().unwrap_err().kind(), kind);
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_cut_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let mut world = World::new();
    world.store = vec![memory("use sqlite")];
    let name = world.sync().1.written.remove(0);
    fs::set_permissions(world.path(&name), fs::Permissions::from_mode(0o640)).unwrap();
    world.store[0].description = "changed".to_owned();
    world.sync();
    assert_eq!(fs::metadata(world.path(&name)).unwrap().permissions().mode() & 0o777, 0o640);
    let elsewhere = world.mirror.state.with_file_name("target.md");
    fs::rename(world.path(&name), &elsewhere).unwrap();
    symlink(&elsewhere, world.path(&name)).unwrap();
    world.store[0].description = "changed again".to_owned();
    assert_eq!(world.sync().1.skipped.len(), 1);
    assert!(fs::symlink_metadata(world.path(&name)).unwrap().is_symlink());
}
