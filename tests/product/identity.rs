//! Which project a folder is: what one checkout knows, another of the same project knows.

use mem_tests::Sandbox;
use std::path::{Path, PathBuf};

fn set_remote(project: &Path, url: &str) {
    let config = format!(
        "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
    );
    fs_err::write(project.join(".git").join("config"), config).unwrap();
}

fn id_of(sandbox: &Sandbox, folder: &Path) -> String {
    sandbox.mem_in(folder, &["status", "--json"]).json()["project"].as_str().unwrap().to_owned()
}

#[test]
fn every_way_to_write_a_remote_is_one_project() {
    let sandbox = Sandbox::new();
    let urls = [
        "git@example.com:acme/harbor.git",
        "https://example.com/acme/harbor",
        "https://someone:pass@example.com/acme/harbor.git/",
        "ssh://git@example.com:22/acme/harbor.git",
    ];
    let folders: Vec<PathBuf> = urls
        .iter()
        .enumerate()
        .map(|(n, url)| {
            let folder = sandbox.make_project(&format!("clone-{n}"));
            set_remote(&folder, url);
            folder
        })
        .collect();
    let id = sandbox.mem_in(&folders[0], &["remember", "Staging is rebuilt every Monday at six"]).ok().line();
    for (folder, url) in folders.iter().zip(urls) {
        assert_eq!(id_of(&sandbox, folder), "example.com/acme/harbor", "{url}");
        let found = sandbox.mem_in(folder, &["recall", "staging monday", "--json"]).json();
        assert_eq!(found["hits"][0]["id"], id.as_str(), "{url}");
    }
    let other = sandbox.make_project("other");
    set_remote(&other, "git@example.com:acme/lighthouse.git");
    let _ = sandbox.mem_in(&other, &["recall", "staging monday"]).code(3);
}

#[test]
fn worktrees_share_what_is_known() {
    let sandbox = Sandbox::new();
    let id = sandbox.remember("Staging is rebuilt every Monday at six", &[]);
    let git = sandbox.project().join(".git");
    let admin = git.join("worktrees").join("feature");
    let tree = sandbox.project().parent().unwrap().join("harbor-feature");
    for folder in [&admin, &tree] {
        fs_err::create_dir_all(folder).unwrap();
    }
    fs_err::write(tree.join(".git"), format!("gitdir: {}\n", admin.display())).unwrap();
    fs_err::write(admin.join("commondir"), "../..\n").unwrap();
    fs_err::write(admin.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
    fs_err::write(admin.join("HEAD"), "ref: refs/heads/feature\n").unwrap();
    assert_eq!(id_of(&sandbox, &tree), sandbox.project_id());
    let found = sandbox.mem_in(&tree, &["recall", "staging monday", "--json"]).json();
    assert_eq!(found["hits"][0]["id"], id.as_str());
}

#[test]
fn a_file_in_the_repository_gives_the_identity() {
    let sandbox = Sandbox::new();
    let (one, two) = (sandbox.make_project("one"), sandbox.make_project("two"));
    for folder in [&one, &two] {
        fs_err::write(folder.join(".mem.toml"), "id = \"acme/港口\"\n").unwrap();
    }
    let id = sandbox.mem_in(&one, &["remember", "Staging is rebuilt every Monday at six"]).ok().line();
    assert_eq!(id_of(&sandbox, &two), "acme/港口");
    let found = sandbox.mem_in(&two, &["recall", "staging monday", "--json"]).json();
    assert_eq!(found["hits"][0]["id"], id.as_str());
    fs_err::write(two.join(".mem.toml"), "id = \n").unwrap();
    let _ = sandbox.mem_in(&two, &["recall", "staging monday"]).code(3);
}

#[test]
fn what_holds_for_the_person_holds_in_every_project() {
    let sandbox = Sandbox::new();
    let everywhere = sandbox.remember("I answer reviews within a day", &["--scope", "global"]);
    sandbox.remember("Staging is rebuilt every Monday at six", &[]);
    let other = sandbox.make_project("elsewhere");
    let listed = sandbox.mem_in(&other, &["list", "--json"]).json();
    let ids: Vec<&str> =
        listed["memories"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [everywhere.as_str()]);
    let all = sandbox.mem_in(&other, &["recall", "staging monday", "--all-projects", "--json"]).json();
    assert_eq!(all["hits"].as_array().unwrap().len(), 1);
}
