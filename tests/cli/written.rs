//! Tests the files that `brolga dis` and `brolga asm` leave.

use std::fs;

use super::{Folder, repository};

const LISTING: &str = "cs_5_0\ndcl_thread_group 1, 1, 1\nret\n";

#[test]
fn the_only_source_is_not_overwritten() {
    let folder = Folder::new();
    let shader = fs::read(folder.path("add.cso")).unwrap();
    fs::create_dir(folder.path("inner")).unwrap();
    folder.write("a.asm", LISTING);
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path("a.asm"), folder.path("link.asm")).unwrap();
    #[cfg(not(unix))]
    folder.write("link.asm", LISTING);
    for (command, input, output) in [
        ("asm", "a.asm", "a.asm"),
        ("asm", "a.asm", "inner/../a.asm"),
        #[cfg(unix)]
        ("asm", "link.asm", "a.asm"),
        ("dis", "add.cso", "add.cso"),
        ("dis", "add.cso", "./add.cso"),
    ] {
        let run = folder.brolga(&[command, input, "-o", output]);
        run.fails(2, &[output, "is the input as well as the output", "choose another name"]);
    }
    assert_eq!(fs::read_to_string(folder.path("a.asm")).unwrap(), LISTING);
    assert!(fs::read(folder.path("add.cso")).unwrap() == shader);
}

#[cfg(unix)]
#[test]
fn of_a_second_name_of_the_source_only_that_is_replaced() {
    let folder = Folder::new();
    fs::hard_link(folder.write("a.asm", LISTING).path("a.asm"), folder.path("b.asm")).unwrap();
    assert_eq!(folder.brolga(&["asm", "a.asm", "-o", "b.asm"]).code, Some(0));
    assert_eq!(fs::read_to_string(folder.path("a.asm")).unwrap(), LISTING);
}

#[test]
fn an_output_takes_the_place_of_an_old_one_and_leaves_nothing_else() {
    let folder = Folder::new();
    folder.write("out.txt", "old").brolga(&["dis", "add.cso", "-o", "out.txt"]).fails(0, &[]);
    let listing = fs::read_to_string(repository("tests/data/exec/vec_add_raw/shader.main.cs_5_0.asm")).unwrap();
    assert_eq!(fs::read_to_string(folder.path("out.txt")).unwrap(), listing.replace('\r', ""));
    assert_eq!(folder.leavings(), ["out.txt"]);
    folder.brolga(&["dis", "add.cso", "-o", "missing/out.txt"]).fails(2, &["cannot write missing/out.txt"]);
    folder.brolga(&["dis", "add.cso", "-o", "."]).fails(2, &["cannot write ."]);
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_a_full_disk_are_no_harm() {
    let folder = Folder::new();
    folder.brolga(&["dis", "add.cso", "-o", "/dev/null"]).fails(0, &[]);
    folder.brolga(&["dis", "add.cso", "-o", "/dev/full"]).fails(2, &["cannot write /dev/full", "No space left"]);
}
