//! Tests the disk cache: it returns the compiled code, and damage to its files costs time and nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use brolga_runtime::{Bindings, Cache, CacheCounters, CompileOptions, Device, Dispatch, Emit, Engine, Limits, Shader};

use crate::support;
use crate::support::case::{Case, data};
use crate::support::random::{self, Random};

fn jit() -> bool {
    Engine::best() == Engine::Jit
}

fn device(cache: &Cache) -> Device {
    Device::builder().threads(1).cache(cache.clone()).build().unwrap()
}

fn read(name: &str) -> Vec<u8> {
    fs::read(data().join(name)).unwrap()
}

/// A shader with 16 threads a group, and a short one.
const ADD: &str = "exec/vec_add_raw/shader.main.cs_5_0.cso";

/// Compiles the shader as a newly started program would, and returns the cache's counters.
fn start(folder: &Path, shader: &[u8]) -> (Shader, CacheCounters) {
    let cache = Cache::open(folder).unwrap();
    let shader = device(&cache).compile(shader, &CompileOptions::new(Engine::Jit)).unwrap();
    (shader, cache.counters())
}

fn counters(hits: u64, misses: u64, rejected: u64, stored: u64, failed: u64) -> [u64; 5] {
    [hits, misses, rejected, stored, failed]
}

fn list(counters: CacheCounters) -> [u64; 5] {
    let CacheCounters { hits, misses, rejected, stored, failed, .. } = counters;
    [hits, misses, rejected, stored, failed]
}

/// The only entry of a folder.
fn entry(folder: &Path) -> PathBuf {
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.into_iter().next().unwrap()
}

/// The executions of the corpus, whose results are known: the first start stores, the second one compiles nothing.
#[test]
fn a_second_start_compiles_nothing_and_computes_the_same() {
    if !jit() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "bitonic_sort",
        "double_arith",
        "float_special",
        "nbody_step",
        "prefix_scan",
        "stack_machine",
        "typed_formats",
    ];
    let run = || {
        let cache = Cache::open(folder.path()).unwrap();
        let device = device(&cache);
        for case in names.map(Case::read) {
            for (form, shader) in case.shaders() {
                case.run(&device, &shader, Engine::Jit).unwrap_or_else(|what| panic!("{form}: {what}"));
                case.run(&device, &shader, Engine::Interpreter).unwrap_or_else(|what| panic!("{form}: {what}"));
            }
        }
        cache.counters()
    };
    let first = run();
    assert!(first.stored >= names.len() as u64, "{first:?}");
    assert_eq!(list(first), counters(0, first.stored, 0, first.stored, 0));
    assert_eq!(list(run()), counters(first.stored, 0, 0, 0, 0));
}

#[test]
fn a_stored_shader_says_of_itself_what_a_compiled_one_says() {
    if !jit() {
        return;
    }
    for path in support::case::compute_shaders() {
        let (folder, bytes) = (tempfile::tempdir().unwrap(), fs::read(&path).unwrap());
        let compile = |device: &Device| support::compile(device, &bytes, Engine::Jit);
        let Ok(fresh) = compile(&device(&Cache::open(folder.path()).unwrap())) else { continue };
        let cached = compile(&device(&Cache::open(folder.path()).unwrap())).unwrap();
        assert_eq!((fresh.is_cached(), cached.is_cached()), (false, true), "{}", path.display());
        assert_eq!(cached.bindings(), fresh.bindings());
        assert_eq!(cached.group_size(), fresh.group_size());
        assert_eq!(cached.code_bytes(), fresh.code_bytes());
        assert_eq!(
            (cached.engine(), cached.profile(), cached.stage()),
            (fresh.engine(), fresh.profile(), fresh.stage())
        );
    }
}

/// The function of a stored shader is made for a listing, though compiling never translated it.
#[test]
fn a_stored_shader_can_be_listed() {
    if !jit() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let shader = read(ADD);
    let (fresh, _) = start(folder.path(), &shader);
    let (cached, _) = start(folder.path(), &shader);
    for form in [Emit::Ir, Emit::Packet, Emit::Asm] {
        let text = |shader: &Shader| {
            let lines = shader.emit(form).unwrap().lines;
            lines.into_iter().map(|line| line.text).collect::<Vec<_>>()
        };
        assert_eq!(text(&cached), text(&fresh), "{form:?}");
    }
}

/// Rows of one group of one thread: the shader is compiled once more for packets over their ends.
#[test]
fn code_for_short_rows_is_stored_too() {
    if !jit() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let shader = read("compute/raw_buffers.swz.cs_5_0.cso");
    let run = || {
        let cache = Cache::open(folder.path()).unwrap();
        let device = device(&cache);
        let shader = device.compile(&shader, &CompileOptions::new(Engine::Jit)).unwrap();
        let mut bindings = Bindings::new();
        random::bind(&device, &shader, &mut Random::tame(1), &mut bindings);
        device.dispatch(&shader, &bindings, &Dispatch::new([1, 2000, 1])).unwrap();
        let contents: Vec<_> =
            bindings.iter().map(|(register, view)| (register, view.to_vec::<u8>().unwrap())).collect();
        (list(cache.counters()), contents)
    };
    let (first, second) = (run(), run());
    assert_eq!((first.0, second.0), (counters(0, 2, 0, 2, 0), counters(2, 0, 0, 0, 0)));
    assert_eq!(first.1, second.1);
}

#[test]
fn damaged_entries_are_never_run_and_replaced() {
    if !jit() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let shader = read(ADD);
    assert_eq!(list(start(folder.path(), &shader).1), counters(0, 1, 0, 1, 0));
    let file = entry(folder.path());
    let good = fs::read(&file).unwrap();
    let rejects = |bytes: &[u8], what: &str| {
        fs::write(&file, bytes).unwrap();
        let (shader, asked) = start(folder.path(), &shader);
        assert_eq!(list(asked), counters(0, 0, 1, 1, 0), "{what}");
        assert!(!shader.is_cached());
        assert_eq!(fs::read(entry(folder.path())).unwrap(), good, "{what}");
    };
    // The check itself is tested at every bit of an entry; here that it is in force.
    for at in (0..good.len()).step_by(good.len() / 60) {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        rejects(&bytes, &format!("byte {at}"));
        rejects(&good[..at], &format!("cut off at {at}"));
    }
    rejects(&[&good[..], &[0]].concat(), "longer");
    assert_eq!(list(start(folder.path(), &shader).1), counters(1, 0, 0, 0, 0));
}

#[test]
fn an_entry_under_another_name_is_not_used() {
    if !jit() {
        return;
    }
    let [one, two] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [first, second] = [read(ADD), read("exec/udiv_zero/shader.main.cs_5_0.cso")];
    start(one.path(), &first);
    start(two.path(), &second);
    fs::copy(entry(two.path()), entry(one.path())).unwrap();
    assert_eq!(list(start(one.path(), &first).1), counters(0, 0, 1, 1, 0));
    assert_eq!(list(start(one.path(), &first).1), counters(1, 0, 0, 0, 0));
}

#[test]
fn limits_hold_for_what_is_stored() {
    if !jit() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let shader = read(ADD);
    let (compiled, _) = start(folder.path(), &shader);
    let mut limits = Limits::default();
    limits.group_threads = compiled.group_size().iter().product::<u32>() - 1;
    let cache = Cache::open(folder.path()).unwrap();
    let strict = Device::builder().threads(1).limits(limits).cache(cache).build().unwrap();
    assert!(strict.compile(&shader, &CompileOptions::new(Engine::Jit)).is_err());
}

#[test]
fn a_cache_keeps_to_its_cap() {
    if !jit() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cap_bytes = 100_000;
    let cache = Cache::with_cap(folder.path(), cap_bytes).unwrap();
    let device = device(&cache);
    for path in support::case::compute_shaders() {
        let _ = support::compile(&device, &fs::read(path).unwrap(), Engine::Jit);
        let used: u64 = cache.entries().unwrap().iter().map(|entry| entry.size_bytes).sum();
        assert!(used <= cap_bytes, "{used}");
    }
    let stored = cache.counters().stored;
    let left = cache.entries().unwrap().len() as u64;
    assert!(left > 0 && left < stored, "{left} of {stored}");
    assert_eq!(cache.clear().unwrap().len() as u64, left);
    assert!(cache.entries().unwrap().is_empty());
}

/// Threads with caches of their own, as processes have, and a cap that makes them evict entries that others use.
#[test]
fn many_may_use_a_folder_at_once() {
    if !jit() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cases = ["udiv_zero", "vec_add_raw", "bit_ops", "collatz_switch"].map(Case::read);
    std::thread::scope(|scope| {
        for first in 0..cases.len() {
            let (cases, folder) = (&cases, folder.path());
            scope.spawn(move || {
                for round in 0..10 {
                    let cache = Cache::with_cap(folder, 20_000).unwrap();
                    let device = device(&cache);
                    for case in cases.iter().cycle().skip(first).take(cases.len()) {
                        for (form, shader) in case.shaders() {
                            let done = case.run(&device, &shader, Engine::Jit);
                            done.unwrap_or_else(|what| panic!("{form} in round {round}: {what}"));
                        }
                    }
                    assert_eq!(cache.counters().rejected, 0);
                }
            });
        }
    });
}

#[test]
fn where_nothing_can_be_stored_everything_is_compiled() {
    if !jit() {
        return;
    }
    let parent = tempfile::tempdir().unwrap();
    let shader = read(ADD);
    // A folder that cannot be created.
    if cfg!(target_os = "linux") {
        assert_eq!(list(start(Path::new("/proc/self/cache"), &shader).1), counters(0, 1, 0, 0, 1));
    }
    // A name that is taken by something that cannot be replaced.
    let folder = parent.path().join("cache");
    start(&folder, &shader);
    let name = entry(&folder);
    fs::remove_file(&name).unwrap();
    fs::create_dir(&name).unwrap();
    assert_eq!(list(start(&folder, &shader).1), counters(0, 0, 1, 0, 1));
    // Without a byte to spare.
    let cache = Cache::with_cap(parent.path().join("small"), 100).unwrap();
    device(&cache).compile(&shader, &CompileOptions::new(Engine::Jit)).unwrap();
    assert_eq!(list(cache.counters()), counters(0, 1, 0, 0, 1));
}

#[cfg(unix)]
#[test]
fn links_and_files_of_others_are_not_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    if !jit() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let shader = read(ADD);
    start(folder.path(), &shader);
    let name = entry(folder.path());
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    fs::rename(&name, elsewhere.path()).unwrap();
    symlink(elsewhere.path(), &name).unwrap();
    assert_eq!(list(start(folder.path(), &shader).1), counters(0, 0, 1, 1, 0));
    assert!(name.symlink_metadata().unwrap().is_file() && elsewhere.path().exists());
    fs::set_permissions(&name, PermissionsExt::from_mode(0o666)).unwrap();
    assert_eq!(list(start(folder.path(), &shader).1), counters(0, 0, 1, 1, 0));
    assert_eq!(name.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}
