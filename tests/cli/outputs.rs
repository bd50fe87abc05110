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
