//! Tests the command as people use it: its output, its exit codes, its files.
//!
//! | file | what |
//! |---|---|
//! | `mistakes.rs` | mistakes in documents, with the message of each |
//! | `documents.rs` | what both forms of documents have; folders of documents |
//! | `declared.rs` | what a document leaves to the shader |
//! | `outputs.rs` | the files that `brolga run` leaves |
//! | `bench.rs` | `brolga bench` |
//! | `new.rs` | `brolga new` |
//! | `listing.rs` | `brolga dis` and `brolga asm` |
//! | `emit.rs` | comments on samples by `brolga run --emit packet` |
//! | `written.rs` | the files that these leave |
//! | `info.rs` | `brolga info` and `brolga validate` |
//! | `check.rs` | `brolga check` |
//! | `cache.rs` | the command's cache |
//! | `compiler.rs` | shaders in HLSL, by another program |
//! | `wgsl.rs` | shaders in WGSL |
//! | `vkd3d.rs` | the same by vkd3d-compiler, which is known by name |
//! | `foreign.rs` | files that are not shaders |
//! | `messages.rs` | what shaders print |
//! | `memory.rs` | inputs that need more memory than there is |
//! | `usage.rs` | command lines that are wrong |
//! | `packaging.rs` | completions and the manual |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime};

mod bench;
mod cache;
mod check;
mod compiler;
mod declared;
mod documents;
mod emit;
mod foreign;
mod info;
mod listing;
mod memory;
mod messages;
mod mistakes;
mod new;
mod outputs;
mod packaging;
mod usage;
mod vkd3d;
mod wgsl;
mod written;

/// A folder for one test, with the files that most jobs need.
struct Folder {
    folder: tempfile::TempDir,
}

/// The result of a command.
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let this = Self { folder };
        for (from, to) in [
            ("tests/data/exec/vec_add_raw/shader.main.cs_5_0.cso", "add.cso"),
            ("tests/data/exec/mandelbrot_precise/shader.main.cs_5_0.cso", "image.cso"),
            ("tests/cli/endless.cso", "endless.cso"),
        ] {
            fs::copy(repository(from), this.path(to)).unwrap();
        }
        this
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), content).unwrap();
        self
    }

    /// Everything in the folder but what [`Folder::new`] put there and the jobs.
    fn leavings(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| !name.ends_with(".cso") && !name.ends_with(".toml"));
        names.sort();
        names
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brolga"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("NO_COLOR")
            .env_remove("BROLGA_COMPILER")
            .env("BROLGA_CACHE", "");
        command
    }

    fn brolga(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    /// Writes a job and runs it.
    fn job(&self, text: &str) -> Run {
        self.write("job.toml", text).brolga(&["run", "job.toml", "--threads", "2"])
    }
}

impl Run {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Asserts a failure with this code whose message has all these parts.
    #[track_caller]
    fn fails(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is missing in:\n{}", self.err);
        }
    }
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// `vec_add_raw` on sixteen-byte rows: row `i` of u0 is row `i` of t0 plus three times row `i` of t1 backwards.
const ADD: &str = r#"
shader = "add.cso"
dispatch = [1, 1, 1]
[t0]
raw = 1024
u32 = [1, 2, 3, 4]
[t1]
raw = 1024
u32 = [10, 20, 30, 40]
[u0]
raw = 1024
"#;

#[test]
fn a_job_that_passes_ends_with_0_and_a_line() {
    let folder = Folder::new();
    let run = folder.job(&format!("{ADD}expect = {{ u32 = [121, 92, 63, 34, 0] }}\n"));
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    assert!(run.out.starts_with("pass  job  add.cso  jit  compile "), "{}", run.out);
    // The rate of a run this short is left out, unless the machine is slow.
    assert!(run.out.contains("  run "), "{}", run.out);
    let run = folder.brolga(&["run", "job.toml", "--engine", "both"]);
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].contains("  jit  ") && lines[1].contains("  interpreter  "), "{}", run.out);
}

#[test]
fn a_mismatch_ends_with_1_and_says_what_differs() {
    let run = Folder::new().job(&format!("{ADD}expect = {{ u32 = [121, 92, 64, 34], element = 8 }}\n"));
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    assert!(run.out.starts_with("FAIL  job"));
    assert!(run.out.contains("u0: 1 of 4 differ\n"), "{}", run.out);
    assert!(run.out.contains("element 1, word 0 (byte 8): 63 (0x0000003f), expected 64 (0x00000040)"), "{}", run.out);
}

#[test]
fn a_folder_of_the_corpus_is_a_job_and_every_form_has_a_line() {
    let case = repository("tests/data/exec/append_consume");
    let run = Folder::new().brolga(&["run", case.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert_eq!(run.out.lines().filter(|line| line.starts_with("pass  append_consume")).count(), 2);
}

#[test]
fn json_has_the_same_facts() {
    let folder = Folder::new();
    folder.write("good.toml", ADD).write("bad.toml", "shadr = \"add.cso\"\n");
    let run = folder.brolga(&["run", "--format", "json", "good.toml", "bad.toml"]);
    assert_eq!(run.code, Some(2));
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(document["passed"], false);
    assert_eq!(document["documents"][0]["runs"][0]["verdict"], "done");
    assert_eq!(document["documents"][0]["runs"][0]["threads"], 64);
    assert!(document["documents"][0]["runs"][0]["threads_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(document["documents"][1]["error"]["line"], 1);
    assert_eq!(document["documents"][1]["error"]["help"], "did you mean `shader`?");
}

#[test]
fn forms_of_a_shader_are_printed_and_nothing_runs() {
    let folder = Folder::new();
    folder.write("job.toml", ADD.to_owned() + "save = \"out.bin\"\n");
    for form in ["ir", "packet", "clif", "asm"] {
        let run = folder.brolga(&["run", "job.toml", "--emit", form]);
        assert_eq!(run.code, Some(0), "{form}: {}", run.err);
        assert!(run.out.lines().count() > 5, "{form}: {}", run.out);
    }
    assert!(folder.leavings().is_empty());
}

/// The listing is never read here, so that only the interrupt ends it.
#[test]
#[cfg(unix)]
fn an_interrupt_ends_a_listing_at_once() {
    use std::io::Read;

    let folder = Folder::new();
    let shaders = ["\"add.cso\""; 100].join(", ");
    folder.write("job.toml", ADD.replace("shader = \"add.cso\"", &format!("shaders = [{shaders}]")));
    let mut run = folder.command(&["run", "job.toml", "--emit", "asm"]);
    let mut run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = run.stdout.take().unwrap();
    out.read_exact(&mut [0; 8]).unwrap();
    assert!(interrupt(&run));
    let mut err = String::new();
    run.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    // On a slow machine the next shader is still being compiled, which is reported below the first line.
    assert_eq!(
        (run.wait().unwrap().code(), err.lines().next()),
        (Some(3), Some("error: interrupted, not all documents ran"))
    );
    drop(out);
}

/// Interrupts a program, as Ctrl-C does; `true` if it still existed.
#[cfg(unix)]
fn interrupt(program: &Child) -> bool {
    let id = rustix::process::Pid::from_child(program);
    rustix::process::kill_process(id, rustix::process::Signal::INT).is_ok()
}

/// Profilers find a shader's code by the process that ran it, and only by that below `perf record`, which Cranelift
/// tells of code too.
#[test]
#[cfg(target_os = "linux")]
fn machine_code_is_named_for_profilers_on_request() {
    let folder = Folder::new();
    folder.write("job.toml", ADD);
    let map_of = |arguments: &[&str], below_perf: &str| {
        let mut command = folder.command(&[&["run", "job.toml"], arguments].concat());
        if !below_perf.is_empty() {
            command.env("PERF_BUILDID_DIR", below_perf);
        }
        // Clocks of file systems are coarse.
        let begun = SystemTime::now() - Duration::from_secs(1);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let map = PathBuf::from(format!("/tmp/perf-{}.map", child.id()));
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
        // One that is older is of another process, which had the same number.
        let is_own = fs::metadata(&map).and_then(|map| map.modified()).is_ok_and(|time| time >= begun);
        let text = is_own.then(|| fs::read_to_string(&map).unwrap());
        let _ = fs::remove_file(map);
        text
    };
    assert_eq!(map_of(&[], ""), None);
    for below_perf in ["", "."] {
        let text = map_of(&["--perf-map"], below_perf).unwrap();
        assert!(!text.is_empty() && text.lines().all(|line| line.ends_with(" brolga:add.cso:main")), "{text}");
    }
    assert_eq!(map_of(&["--perf-map", "--engine", "interpreter"], "").unwrap(), "");
}

/// Machine code beside the shader's own instructions, on stdout and coloured on request only.
#[test]
fn machine_code_is_listed_beside_the_shader() {
    let folder = Folder::new();
    folder.write("job.toml", ADD);
    let run = folder.brolga(&["run", "job.toml", "--emit", "asm"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert!(run.out.starts_with("; main: 6 instructions, "), "{}", run.out);
    for instruction in ["    3 | imad r1.xyzw, r2.wzyx, l(3, 3, 3, 3), r1.xyzw", "    5 | ret"] {
        assert!(run.out.lines().any(|line| line.starts_with(';') && line.contains(instruction)), "{}", run.out);
    }
    assert!(run.out.contains("vpmulld") || run.out.contains("pmulld"), "{}", run.out);
    assert!(!run.out.contains('\x1b'));
    let coloured = folder.brolga(&["--color", "always", "run", "job.toml", "--emit", "asm"]);
    assert!(coloured.out.contains("\x1b[1m;    0 | "), "{}", coloured.out);
}

#[test]
fn outputs_are_written_in_the_form_of_their_name() {
    let folder = Folder::new();
    let run = folder.job(&format!("{ADD}save = \"out.bin\"\n"));
    assert!(run.out.ends_with("      wrote out.bin\n"), "{}", run.out);
    assert_eq!(fs::read(folder.path("out.bin")).unwrap()[..8], [121, 0, 0, 0, 92, 0, 0, 0]);
    folder.job(&format!("{ADD}save = {{ file = \"out.npy\", type = \"i32\" }}\n"));
    let array = fs::read(folder.path("out.npy")).unwrap();
    assert!(array.starts_with(b"\x93NUMPY"));
    assert!(String::from_utf8_lossy(&array).contains("'descr': '<i4', 'fortran_order': False, 'shape': (256,)"));
    assert_eq!(array.len() % 64, 0);
    assert_eq!(folder.leavings(), ["out.bin", "out.npy"]);
}

#[test]
fn an_array_that_was_saved_can_be_read_back() {
    let folder = Folder::new();
    folder.job(&format!("{ADD}save = {{ file = \"sum.npy\", type = \"u32\" }}\n"));
    let again = ADD.replace("u32 = [1, 2, 3, 4]", "file = \"sum.npy\"");
    let run = folder.job(&format!("{again}expect = {{ u32 = [241, 182, 123, 64] }}\n"));
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
}

#[test]
fn a_run_may_begin_at_any_group() {
    let job =
        ADD.replace("1024", "2048").replace("dispatch = [1, 1, 1]", "dispatch = [1, 1, 1]\nfirst_group = [1, 0, 0]");
    let job =
        job.replace("u32 = [1, 2, 3, 4]", "fill = { u32 = 5 }").replace("u32 = [10, 20, 30, 40]", "fill = \"zero\"");
    let run = Folder::new().job(&format!("{job}expect = {{ at = [{{ byte = 1020, u32 = [0, 5] }}] }}\n"));
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
}

#[test]
fn a_large_file_is_read_where_it_lies() {
    let folder = Folder::new();
    folder.write("large.bin", [5, 0, 0, 0]);
    let large = fs::OpenOptions::new().append(true).open(folder.path("large.bin")).unwrap();
    large.set_len(64 << 20).unwrap();
    let job = ADD.replace("[t0]\nraw = 1024\nu32 = [1, 2, 3, 4]", "[t0]\nraw = {}\nfile = \"large.bin\"");
    let run = folder.job(&format!("{job}expect = {{ u32 = [125, 90, 60, 30] }}\n"));
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    large.set_len((64 << 20) + 1).unwrap();
    folder.job(&job).fails(2, &["t0 has 67108865 bytes, which is not a multiple of 4"]);
    folder.job(&job.replace("raw = {}", "raw = 64")).fails(2, &["large.bin has 67108865 bytes, t0 needs 64"]);
}

/// A job for `waves.cso` with these instances.
fn waves(instances: &str) -> String {
    format!(
        "shader = \"waves.cso\"\ndispatch = [1, 1, 1]\n[instances]\n{instances}\n[b1]\nsize = 64\nfill = \"zero\"\n[b3]\n\
         size = 64\nfill = \"zero\"\n[u0]\nstructured = {{ stride = 4, count = 12 }}\n"
    )
}

#[test]
fn a_class_instance_that_is_missing_or_wrong_is_shown_with_what_would_fit() {
    let folder = Folder::new();
    fs::copy(repository("tests/data/interfaces/waves.main.cso"), folder.path("waves.cso")).unwrap();
    folder.job(&waves("mix = \"sum\"\nwave = \"square\"")).fails(
        2,
        &[
            "no class instance is chosen for `waves` of type IWave, which takes square, ramps[0]",
            "job.toml:1:10",
            "in the table `instances`, as in `waves = \"square\"`",
        ],
    );
    let job = |mix: &str, wave: &str| waves(&format!("mix = \"{mix}\"\nwaves = \"Zero\"\nwave = \"{wave}\""));
    folder.job(&job("sum", "square")).fails(0, &[]);
    folder
        .job(&job("sun", "square"))
        .fails(2, &["`mix` cannot be `sun`: there is no such class instance", "job.toml:4:1", "did you mean `sum`?"]);
    folder.job(&job("Sum", "square")).fails(2, &["that is a class with data, its instances are sum"]);
    folder
        .job(&waves("mix = \"sum\"\nwaves = \"Zero\"\nwave = { class = \"Ramp\" }"))
        .fails(2, &["Ramp has data in a constant buffer", "`{ class = \"Ramp\", constants = \"b0\", vector = 0 }`"]);
    folder
        .job(&waves("mix = \"sum\"\nwaves = \"Zero\"\nwave = { class = \"Ramp\", constants = \"b9\" }"))
        .fails(2, &["b9 is declared as constant buffer but nothing is bound to it"]);
    folder.job(&job("sum", "ramps")).fails(2, &["an element of an array of 3, ramps[0] to [2]", "job.toml:6:1"]);
    folder.job(&job("sum", "Zero").replace("waves =", "wavez =")).fails(
        2,
        &["there is no interface variable `wavez`: the shader uses mix, waves, wave", "did you mean `wave", "5:1"],
    );
}

#[test]
fn the_worst_of_several_jobs_is_the_exit_code() {
    let folder = Folder::new();
    folder.write("good.toml", ADD).write("bad.toml", format!("{ADD}expect = {{ u32 = [1] }}\n"));
    let run = folder.brolga(&["run", "bad.toml", "good.toml"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("FAIL  bad") && run.out.contains("done  good"), "{}", run.out);
}

const ENDLESS: &str = "shader = \"endless.cso\"\ndispatch = [4, 1, 1]\n[u0]\nraw = 8\nsave = \"out.bin\"\n";

#[test]
fn a_stopped_run_names_the_line_of_the_source() {
    let folder = Folder::new();
    fs::copy(repository("tests/cli/endless.zi.cso"), folder.path("endless.cso")).unwrap();
    folder.write("job.toml", ENDLESS);
    let run = folder.brolga(&["run", "job.toml", "--timeout", "1"]);
    let line = ["endless.hlsl:10)", "endless.hlsl:11)"].into_iter().find(|line| run.err.contains(line));
    assert!(line.is_some(), "{}", run.err);
    run.fails(3, &["instruction ", "byte "]);
}

#[test]
fn a_time_limit_stops_an_endless_loop_and_leaves_nothing() {
    let folder = Folder::new();
    folder.write("job.toml", ENDLESS);
    for engine in ["jit", "interpreter"] {
        let run = folder.brolga(&["run", "job.toml", "--timeout", "0.05", "--engine", engine]);
        run.fails(3, &["endless.cso", "time limit", "job.toml:1:10"]);
        assert!(folder.leavings().is_empty(), "{:?}", folder.leavings());
    }
}

/// A pixel shader that never ends.
const ENDLESS_PIXELS: &str = "
    // Output signature:
    //
    // Name                 Index   Mask Register SysValue  Format   Used
    // -------------------- ----- ------ -------- -------- ------- ------
    // SV_Target                0   xyzw        0   TARGET   float   xyzw
    //
    ps_4_0
    dcl_output o0.xyzw
    loop
    endloop
    mov o0.xyzw, l(1.0, 1.0, 1.0, 1.0)
    ret
";

#[test]
fn a_scene_that_a_time_limit_stops_ends_as_a_job_does() {
    let folder = Folder::new();
    for file in ["scene.json", "vs.cso", "target.png"] {
        folder.write(file, fs::read(repository("tests/data/scenes/triangle").join(file)).unwrap());
    }
    folder.write("ps.asm", ENDLESS_PIXELS);
    folder.brolga(&["asm", "ps.asm", "-o", "ps.cso"]).fails(0, &[]);
    for engine in ["jit", "interpreter"] {
        let run = folder.brolga(&["run", "scene.json", "--timeout", "0.2", "--engine", engine]);
        run.fails(3, &["scene.json:32", "\"op\": \"draw\"", "time limit"]);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_the_run_and_leaves_no_half_file() {
    let folder = Folder::new();
    folder.write("job.toml", ENDLESS).write("out.bin", "old");
    let mut run = folder.command(&["run", "job.toml"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The output is claimed right before the run, and after the handler of interrupts is set.
    while folder.leavings().len() < 2 {
        assert_eq!(run.try_wait().unwrap(), None, "the run ended by itself");
        std::thread::yield_now();
    }
    assert!(interrupt(&run));
    Run::of(run.wait_with_output().unwrap()).fails(3, &["cancelled"]);
    assert_eq!(folder.leavings(), ["out.bin"]);
    assert_eq!(fs::read(folder.path("out.bin")).unwrap(), b"old");
}

#[test]
fn colours_are_for_terminals_unless_asked_for() {
    let folder = Folder::new();
    folder.write("job.toml", ADD).write("bad.toml", "x = 1\n");
    let plain = folder.brolga(&["run", "job.toml", "bad.toml"]);
    assert!(!plain.out.contains('\x1b') && !plain.err.contains('\x1b'));
    let coloured = folder.brolga(&["run", "job.toml", "bad.toml", "--color", "always"]);
    assert!(coloured.out.contains('\x1b') && coloured.err.contains('\x1b'));
}

#[test]
fn the_example_makes_its_picture() {
    let folder = Folder::new();
    let job = repository("examples/mandelbrot.toml");
    let run = folder.brolga(&["run", job.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let file = fs::File::open(folder.path("mandelbrot.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (1024, 1024));
    let mut texels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut texels).unwrap();
    let mut seen = [0; 2];
    for y in (0..1024).step_by(16) {
        for x in (0..1024).step_by(16) {
            let [red, green, blue, alpha] = texels[4 * (1024 * y + x)..][..4] else { unreachable!() };
            assert_eq!(alpha, 255);
            let black = [red, green, blue] == [0, 0, 0];
            // Points near the border take their own course in each precision.
            let inside = match escape(x, y) {
                None => true,
                Some(steps) if steps < 100 => false,
                Some(_) => continue,
            };
            if inside != black {
                assert!(inside, "({x}, {y}) is black");
                panic!("({x}, {y}) is not black");
            }
            seen[usize::from(inside)] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

/// Steps before the point of a texel of the example escapes, in double precision.
fn escape(x: usize, y: usize) -> Option<u32> {
    let side = |at: usize| ((at as f64 + 0.5) / 1024.0 - 0.5) * 3.0;
    let (a, b) = (side(x) - 0.65, -side(y));
    let (mut p, mut q) = (0.0_f64, 0.0_f64);
    (0..2000).find(|_| {
        (p, q) = (p * p - q * q + a, 2.0 * p * q + b);
        p * p + q * q > 256.0
    })
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_no_inputs() {
    let folder = Folder::new();
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    for input in ["pipe", "/dev/zero"] {
        let job = ADD.replacen("u32 = [1, 2, 3, 4]", &format!("file = \"{input}\""), 1);
        folder.job(&job).fails(2, &[input, "not a regular file"]);
        folder.job(&ADD.replace("add.cso", input)).fails(2, &[input, "not a regular file"]);
    }
}

#[test]
fn two_jobs_of_a_command_do_not_write_one_file() {
    let folder = Folder::new();
    folder.write("job.toml", format!("{ADD}save = \"a.bin\"\n"));
    folder.write("other.toml", format!("{ADD}fill = {{ u32 = 1 }}\nsave = \"./a.bin\"\n"));
    let run = folder.brolga(&["run", "job.toml", "other.toml"]);
    run.fails(2, &["other.toml", "already written by an earlier document"]);
    assert_eq!(folder.leavings(), ["a.bin"]);
    folder.job(&format!("{ADD}save = \"nodir/a.bin\"\n")).fails(2, &["cannot write nodir/a.bin: "]);
    assert!(!folder.job(&format!("{ADD}save = \"nodir/a.bin\"\n")).err.contains(".part"));
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_leaves_no_temporary_file() {
    let folder = Folder::new();
    let job = ENDLESS.replace("out.bin", "other.bin");
    folder.write("job.toml", job);
    let mut run = folder.command(&["run", "job.toml"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while folder.leavings().is_empty() {
        assert_eq!(run.try_wait().unwrap(), None, "the run ended by itself");
        std::thread::yield_now();
    }
    for _ in 0..2 {
        // The second may come too late.
        interrupt(&run);
    }
    assert!(matches!(run.wait().unwrap().code(), Some(3 | 130)));
    assert!(folder.leavings().is_empty(), "{:?}", folder.leavings());
}

#[test]
fn a_job_cannot_steer_the_terminal() {
    let folder = Folder::new();
    let run = folder.job(&format!("name = \"\\u001b[2J\"\n{ADD}"));
    assert!(run.code == Some(0) && !run.out.contains('\x1b'), "{}", run.out);
    let run = folder.job("\"\\u001b[2J\" = 1\n# \u{9b}2J\n");
    run.fails(2, &["unknown key"]);
    assert!(!run.err.contains(['\x1b', '\u{9b}']), "{}", run.err);
}

#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_end_of_stderr_is_no_panic() {
    let folder = Folder::new();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let code = folder.command(&["run", "missing.toml"]).stderr(full).status().unwrap().code();
    assert_eq!(code, Some(2));
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_taken() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"\xff.toml");
    // Not every file system has such names.
    if fs::write(folder.folder.path().join(name), ADD).is_ok() {
        let run = Run::of(folder.command(&["run", "--format", "json"]).arg(name).output().unwrap());
        assert_eq!(run.code, Some(0), "{}", run.err);
    }
}
