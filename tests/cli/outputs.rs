//! What `brolga run` leaves where it writes: its own files are safe, and old ones keep what they are.

use std::fs;

use super::{ADD, Folder};

/// The job with an output of this name.
fn saving(name: &str) -> String {
    format!("{ADD}save = \"{name}\"\n")
}

#[test]
fn a_job_does_not_replace_what_it_is_made_of() {
    let folder = Folder::new();
    let bytes = [1; 1024];
    folder.write("in.bin", bytes).write("want.bin", bytes);
    fs::create_dir(folder.path("inner")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("add.cso", folder.path("link.cso")).unwrap();
    #[cfg(unix)]
    fs::hard_link(folder.path("in.bin"), folder.path("second.bin")).unwrap();
    let files = ["add.cso", "in.bin", "want.bin"].map(|name| (name, fs::read(folder.path(name)).unwrap()));
    for (output, what) in [
        ("add.cso", "the job's own shader"),
        ("inner/../add.cso", "the job's own shader"),
        #[cfg(unix)]
        ("link.cso", "the job's own shader"),
        ("job.toml", "the job's own file"),
        ("in.bin", "the job's own input"),
        #[cfg(unix)]
        ("second.bin", "the job's own input"),
        ("want.bin", "the job's own expected file"),
    ] {
        let job = saving(output).replace("u32 = [1, 2, 3, 4]", "file = \"in.bin\"");
        let job = format!("{job}expect = {{ file = \"want.bin\", type = \"u32\" }}\n");
        folder.job(&job).fails(2, &[output, what, "choose another name", "job.toml:12:8"]);
        assert_eq!(fs::read_to_string(folder.path("job.toml")).unwrap(), job);
        for (name, content) in &files {
            assert!(fs::read(folder.path(name)).unwrap() == *content, "{output}: {name}");
        }
    }
    // What one job writes another may read.
    folder.write("next.toml", saving("two.bin").replace("u32 = [1, 2, 3, 4]", "file = \"one.bin\""));
    folder.write("job.toml", saving("one.bin")).brolga(&["run", "job.toml", "next.toml"]).fails(0, &[]);
}

#[cfg(unix)]
#[test]
fn a_private_output_stays_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("out.bin", "old");
    fs::set_permissions(folder.path("out.bin"), fs::Permissions::from_mode(0o600)).unwrap();
    folder.job(&saving("out.bin")).fails(0, &[]);
    assert_eq!(fs::metadata(folder.path("out.bin")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(folder.path("out.bin")).unwrap().len(), 1024);
}

#[cfg(unix)]
#[test]
fn an_output_goes_through_a_link_to_nothing() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("target.bin", folder.path("link.bin")).unwrap();
    folder.job(&saving("link.bin")).fails(0, &[]);
    assert!(folder.path("link.bin").is_symlink());
    assert_eq!(fs::metadata(folder.path("target.bin")).unwrap().len(), 1024);
    std::os::unix::fs::symlink("missing/target.bin", folder.path("astray.bin")).unwrap();
    folder.job(&saving("astray.bin")).fails(2, &["cannot write astray.bin: there is no folder missing"]);
}
