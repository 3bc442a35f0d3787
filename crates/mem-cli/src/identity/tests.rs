use super::*;
use std::fs;

fn repository(root: &Path, config: &str) {
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(root.join(".git/config"), config).unwrap();
}

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

const ORIGIN: &str = "[remote \"origin\"]\n\turl = https://u:p@Git.example/Team/App.git\n";

#[test]
fn the_remote_names_the_project_from_any_folder_below() {
    let (_guard, root) = scratch();
    repository(&root, ORIGIN);
    fs::create_dir_all(root.join("src/deep")).unwrap();
    for folder in [root.clone(), root.join("src/deep"), root.join("src/gone/too"), root.join("src/../src")] {
        let found = identify(&folder);
        assert_eq!(found.id.as_str(), "git.example/team/app", "{}", folder.display());
        assert_eq!((found.name.as_str(), &found.root), ("App", &root));
        assert_eq!(found.vcs.unwrap().git_dir, root.join(".git"));
        assert_eq!(found.problem, None);
    }
}

#[test]
fn worktrees_share_and_submodules_do_not() {
    let (_guard, top) = scratch();
    let main = top.join("main");
    repository(&main, ORIGIN);
    let own = main.join(".git/worktrees/wt");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::write(own.join("HEAD"), "ref: refs/heads/topic\n").unwrap();
    let tree = top.join("wt");
    fs::create_dir_all(tree.join("src")).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    let found = identify(&tree.join("src"));
    assert_eq!(found.id, identify(&main).id);
    assert_eq!(found.root, tree);
    assert_eq!(found.vcs, Some(GitDirs { git_dir: own.clone(), common_dir: main.join(".git") }));
    fs::remove_dir_all(own).unwrap();
    assert_eq!(identify(&tree).id, found.id);

    let module = main.join(".git/modules/lib");
    fs::create_dir_all(&module).unwrap();
    fs::write(module.join("config"), "[remote \"origin\"]\nurl = git@git.example:team/lib\n").unwrap();
    fs::create_dir_all(main.join("lib")).unwrap();
    fs::write(main.join("lib/.git"), "gitdir: ../.git/modules/lib\n").unwrap();
    assert_eq!(identify(&main.join("lib")).id.as_str(), "git.example/team/lib");
}

#[test]
fn without_a_remote_the_common_directory_names_it() {
    let (_guard, top) = scratch();
    let root = top.join("My App");
    repository(&root, "[core]\n\tbare = false\n");
    let found = identify(&root);
    assert_eq!(found.id.as_str(), fold_path(Os::HERE, root.join(".git").to_str().unwrap()));
    assert_eq!(found.name, "My App");
}

#[test]
fn a_relative_remote_is_resolved_against_the_repository() {
    let (_guard, top) = scratch();
    let root = top.join("clone");
    repository(&root, "[remote \"origin\"]\nurl = ../source.git\n");
    assert_eq!(identify(&root).id.as_str(), fold_path(Os::HERE, top.join("source").to_str().unwrap()));
}

#[test]
fn a_marker_wins_and_is_looked_for_up_to_the_repository_root() {
    let (_guard, top) = scratch();
    fs::write(top.join(".mem.toml"), "id = \"outside\"\n").unwrap();
    let root = top.join("repo");
    repository(&root, ORIGIN);
    fs::create_dir_all(root.join("pkg/src")).unwrap();
    assert_eq!(identify(&root.join("pkg/src")).id.as_str(), "git.example/team/app");
    fs::write(root.join(".mem.toml"), "# ours\nid = \" acme/平台 \"\nother = 1\n").unwrap();
    let found = identify(&root.join("pkg/src"));
    assert_eq!((found.id.as_str(), found.name.as_str(), &found.root), ("acme/平台", "平台", &root));
    assert!(found.vcs.is_some());
    fs::write(root.join("pkg/.mem.toml"), "id = 'pkg'\n").unwrap();
    assert_eq!(identify(&root.join("pkg/src")).root, root.join("pkg"));
    let plain = top.join("plain");
    fs::create_dir(&plain).unwrap();
    assert_eq!(identify(&plain).id.as_str(), "outside");
}

#[test]
fn a_broken_marker_is_reported_and_passed_over() {
    let (_guard, root) = scratch();
    repository(&root, ORIGIN);
    for (text, said) in [("id = ", "line 1"), ("id = \"\"", "project id"), ("id = 3", "key \"id\"")] {
        fs::write(root.join(".mem.toml"), text).unwrap();
        let found = identify(&root);
        assert_eq!(found.id.as_str(), "git.example/team/app");
        assert!(found.problem.as_ref().is_some_and(|problem| problem.contains(said)), "{:?}", found.problem);
    }
    fs::write(root.join(".mem.toml"), "unrelated = true\n").unwrap();
    assert_eq!(identify(&root).problem, None);
}

#[test]
fn what_is_no_repository_is_passed_over() {
    let (_guard, root) = scratch();
    repository(&root, ORIGIN);
    for name in ["empty", "file"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    fs::create_dir(root.join("empty/.git")).unwrap();
    fs::write(root.join("file/.git"), "not a link\n").unwrap();
    assert_eq!(identify(&root.join("empty")).root, root);
    assert_eq!(identify(&root.join("file")).root, root);
}

#[cfg(unix)]
#[test]
fn links_into_a_repository_are_followed() {
    let (_guard, top) = scratch();
    let root = top.join("repo");
    repository(&root, ORIGIN);
    fs::create_dir(root.join("src")).unwrap();
    std::os::unix::fs::symlink(root.join("src"), top.join("link")).unwrap();
    assert_eq!(identify(&top.join("link")).root, root);
}

#[test]
fn windows_paths_have_one_spelling() {
    for path in [r"D:\20. POC", r"d:\20. POC\", "D:/20. poc/", r"\\?\D:\20. POC", "/d/20. POC"] {
        assert_eq!(fold_path(Os::Windows, path), "d:/20. poc", "{path}");
    }
    assert_eq!(fold_path(Os::Windows, r"\\?\UNC\Srv\Share\x"), "//srv/share/x");
}

#[test]
fn a_path_of_another_system_is_identified_by_its_text() {
    let found = identify_on(Os::Linux, Path::new(r"D:\20. POC"));
    assert_eq!((found.id.as_str(), found.name.as_str()), ("d:/20. poc", "20. POC"));
    assert_eq!(found.vcs, None);
    assert_eq!(identify_on(Os::Linux, Path::new(r"d:\20. poc\")).id, found.id);
    let unix = identify_on(Os::Windows, Path::new("/home/U/App"));
    assert_eq!((unix.id.as_str(), unix.name.as_str()), ("/home/U/App", "App"));
}

#[test]
fn mac_paths_fold_case_and_private() {
    assert_eq!(fold_path(Os::Mac, "/private/tmp/App/"), "/tmp/app");
    assert_eq!(fold_path(Os::Mac, "/private/tmpfoo"), "/private/tmpfoo");
    assert_eq!(fold_path(Os::Linux, "/private/tmp/App/"), "/private/tmp/App");
    assert_eq!(fold_path(Os::Linux, "/"), "/");
}

#[test]
fn any_text_makes_an_id() {
    assert_eq!(project_id("a\nb\u{7f}").as_str(), "a%0Ab%7F");
    assert_eq!(project_id("").as_str(), "/");
    let long = "记".repeat(5000);
    let id = project_id(&long);
    assert!(id.as_str().len() < 1100);
    assert_ne!(id, project_id(&format!("x{long}")));
}

proptest::proptest! {
    #[test]
    fn every_folder_has_a_project(text in "(?s).{0,40}", os in 0..3) {
        let os = [Os::Linux, Os::Mac, Os::Windows][os as usize];
        let found = identify_on(os, Path::new(&format!("/nonexistent/{text}")));
        assert!(!found.id.as_str().is_empty() && !found.name.is_empty());
        let path = fold_path(os, &text);
        assert_eq!(fold_path(os, &path), path);
    }
}
