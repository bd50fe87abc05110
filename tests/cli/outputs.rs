//! Tests the files that `brolga run` leaves: its own are complete, and old ones keep their content.

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
        ("add.cso", "the document's own shader"),
        #[cfg(unix)]
        ("link.cso", "the document's own shader"),
        ("job.toml", "the document's own file"),
        ("in.bin", "the document's own input"),
        #[cfg(unix)]
        ("second.bin", "the document's own input"),
        ("want.bin", "the document's own expected file"),
    ] {
        let job = saving(output).replace("u32 = [1, 2, 3, 4]", "file = \"in.bin\"");
        let job = format!("{job}expect = {{ file = \"want.bin\", type = \"u32\" }}\n");
        folder.job(&job).fails(2, &[output, what, "choose another name", "job.toml:12:8"]);
        assert_eq!(fs::read_to_string(folder.path("job.toml")).unwrap(), job);
        for (name, content) in &files {
            assert!(fs::read(folder.path(name)).unwrap() == *content, "{output}: {name}");
        }
    }
    let outside = folder.job(&saving("inner/../add.cso"));
    outside.fails(2, &["inner/../add.cso: a document writes in the folder for outputs or below it", "--anywhere"]);
    // A job may read the output of another.
    folder.write("next.toml", saving("two.bin").replace("u32 = [1, 2, 3, 4]", "file = \"one.bin\""));
    folder.write("job.toml", saving("one.bin")).brolga(&["run", "job.toml", "next.toml"]).fails(0, &[]);
}

#[test]
fn a_texture_becomes_raw_bytes_only_where_the_job_says_so() {
    let folder = Folder::new();
    // The job binds nothing to other registers.
    let draft = folder.brolga(&["new", "image.cso", "-o", "-"]).out;
    let [head, tail] = draft.split_once("[u0]").map(|(head, tail)| [head, tail]).unwrap();
    assert!(tail.contains("save = "), "{draft}");
    let job = |save: &str| {
        let lines = tail.lines().filter(|line| !line.starts_with("save = "));
        format!("{head}[u0]{}\nsave = {save}\n", lines.collect::<Vec<_>>().join("\n"))
    };
    for name in ["a.jpg", "a.bmp", "a.csv", "a.tga", "a.pngg", "a"] {
        folder.job(&job(&format!("\"{name}\""))).fails(
            2,
            &[
                &format!("{name} cannot hold u0: pictures are saved as .png, .exr or .dds, arrays as .npy, raw bytes"),
                "as .bin or .raw, or under any name with `raw = true`",
            ],
        );
        assert!(!folder.path(name).exists());
    }
    for save in ["\"a.bin\"", "\"a.raw\"", "{ file = \"a.jpg\", raw = true }", "{ file = \"a.png\", raw = true }"] {
        folder.job(&job(save)).fails(0, &[]);
    }
    let files = ["a.bin", "a.raw", "a.jpg", "a.png"].map(|name| fs::read(folder.path(name)).unwrap());
    assert!(!files[0].is_empty() && files.iter().all(|file| *file == files[0]));
    // Buffers are bytes, unless the name promises another form.
    folder.job(&saving("a.dat")).fails(0, &[]);
    folder.job(&saving("a.csv")).fails(2, &["a.csv cannot hold u0: pictures are saved as", "arrays as .npy"]);
}

#[test]
fn a_picture_in_another_form_is_told_the_forms_that_are_read() {
    let folder = Folder::new();
    folder.write("photo.jpg", [0xff, 0xd8, 0xff, 0xe0]);
    let text =
        "cs_5_0\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_uav_raw u0\ndcl_thread_group 1, 1, 1\nret\n";
    folder.write("read.asm", text).brolga(&["asm", "read.asm", "-o", "read.cso"]).fails(0, &[]);
    for extents in ["", "format = \"R8G8B8A8_UNORM\"\nwidth = 1\nheight = 1\n"] {
        let job = format!(
            "shader = \"read.cso\"\ndispatch = [1, 1, 1]\n[u0]\nraw = 4\n[t0]\nfile = \"photo.jpg\"\n{extents}"
        );
        folder.job(&job).fails(2, &["`photo.jpg`: pictures are read from .png, .exr and .dds files", "job.toml:6:8"]);
    }
}

#[test]
fn the_folder_for_outputs_is_made() {
    let folder = Folder::new();
    folder.write("job.toml", saving("a.bin")).brolga(&["run", "job.toml", "--output", "new/inner"]).fails(0, &[]);
    assert!(folder.path("new/inner/a.bin").exists());
    let run = folder.brolga(&["run", "job.toml", "--output", "add.cso/inner"]);
    run.fails(2, &["cannot make the folder add.cso/inner: "]);
    folder.brolga(&["run", "job.toml", "--emit", "ir", "--output", "unused"]).fails(0, &[]);
    assert!(!folder.path("unused").exists());
}

#[test]
fn a_dash_is_standard_output_and_what_there_is_to_say_goes_to_the_other_one() {
    let folder = Folder::new();
    folder.write("job.toml", saving("a.bin")).brolga(&["run", "job.toml"]).fails(0, &[]);
    let output = folder.write("job.toml", saving("-")).command(&["run", "job.toml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, fs::read(folder.path("a.bin")).unwrap());
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.starts_with("done  job  add.cso") && err.lines().count() == 1, "{err}");
    assert!(!folder.path("-").exists());
    let json = folder.brolga(&["run", "job.toml", "--format", "json"]);
    json.fails(2, &["`--format json` and a file `-`", "leave one of them out"]);
    folder
        .write("other.toml", ADD)
        .brolga(&["run", "job.toml", "other.toml"])
        .fails(2, &["a file `-` is standard output, where lines about the other documents are", "run this one alone"]);
}
