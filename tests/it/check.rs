//! Tests checked runs: shaders with a known fault each, and clean ones that look faulty (`tests/data/faulty`).
//!
//! What must be reported was worked out by hand, from a model of each shader's accesses (`expect.json`): the
//! instructions, and for each place the threads that may be named. Nothing else may be reported.

use std::fs;
use std::path::{Path, PathBuf};

use brolga::bytecode::assembler::assemble;
use brolga::document::RunOptions;
use brolga::insight::{CheckLog, CheckOptions, CheckedRun, Finding, FindingKind, Party, Place};
use brolga::{Bindings, CompileOptions, Device, Dispatch, Engine, ErrorKind, Register, Sender, StageKind, View, Width};
use serde_json::{Value, json};

use super::documents::load;
use super::drawing::shaders;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// An engine, the threads of the device, and the width of packets. With machine code, probes find the groups that the
/// interpreter looks at.
type Way = (Engine, usize, Option<Width>);

const JIT: Way = (Engine::Jit, 1, None);

const WAYS: [Way; 6] = [
    (Engine::Interpreter, 1, None),
    (Engine::Interpreter, 8, Some(Width::Sixteen)),
    JIT,
    (Engine::Jit, 8, Some(Width::Eight)),
    (Engine::Jit, 1, Some(Width::Sixteen)),
    (Engine::Jit, 8, Some(Width::ThirtyTwo)),
];

fn check(document: &Path, options: &CheckOptions, (engine, threads, width): Way) -> Vec<CheckedRun> {
    let prepared = load(document).unwrap_or_else(|error| panic!("{error}"));
    let device = Device::builder().threads(threads).build().unwrap();
    let mut found = Vec::new();
    for variant in 0..prepared.variants() {
        let log = CheckLog::new(options.clone());
        let mut run = RunOptions::new(engine);
        run.width = width;
        run.check = Some(log.clone());
        prepared.run(&device, variant, &run).unwrap_or_else(|error| panic!("{error}"));
        found.extend(log.take());
    }
    found
}

fn findings(document: &Path, options: &CheckOptions, way: Way) -> Vec<Finding> {
    check(document, options, way).into_iter().flat_map(|run| run.checked.findings).collect()
}

#[test]
fn faults_are_found_and_nothing_else() {
    let mut cases = 0;
    for folder in fs::read_dir(root().join("tests/data/faulty")).unwrap().map(|entry| entry.unwrap().path()) {
        let expect: Value = serde_json::from_slice(&fs::read(folder.join("expect.json")).unwrap()).unwrap();
        let name = expect["name"].as_str().unwrap();
        let entries: Vec<&Value> = expect["must_report"].as_array().into_iter().flatten().collect();
        for way in WAYS {
            let found = findings(&folder.join("job.toml"), &CheckOptions::default(), way);
            let ends = entries.iter().any(|entry| entry["kind"] == "barrier");
            for finding in &found {
                let fits = entries.iter().any(|entry| is_told(entry, finding).is_ok());
                let why: Vec<_> = entries.iter().map(|entry| is_told(entry, finding)).collect();
                assert!(fits || ends, "{name}, {way:?}: {finding}\n{why:?}");
            }
            for &entry in &entries {
                let is_other = ["message", "nan"].iter().any(|kind| entry["kind"] == *kind);
                let is_required = entry["required"].as_bool().unwrap_or(true) && !is_other;
                let is_found = found.iter().any(|finding| is_told(entry, finding).is_ok());
                assert!(is_found || !is_required, "{name} misses {entry}, {way:?}\n{found:#?}");
            }
        }
        cases += 1;
    }
    assert_eq!(cases, 28);
}

/// Compares a finding with an entry of `expect.json`.
fn is_told(entry: &Value, finding: &Finding) -> Result<(), String> {
    let same = |what: &str, found: Value, expected: &Value| match found == *expected {
        true => Ok(()),
        false => Err(format!("{what}: {found}, not {expected}")),
    };
    same("kind", finding.kind.name().into(), &entry["kind"])?;
    let mut parties: Vec<&Party> = finding.parties.iter().collect();
    if finding.kind == FindingKind::Barrier {
        let ends: Vec<u32> = parties.iter().map(|party| party.index).collect();
        same("threads", ends[..2].into(), &entry["threads_that_go"])?;
        same("threads", ends[2..].into(), &entry["threads_that_do_not"])?;
        assert!(finding.other.as_ref().is_some_and(|barrier| barrier.text.starts_with("sync")), "{finding}");
        return same("instruction", parties[0].location.index.into(), &entry["instruction"]);
    }
    let register = finding.subject.unwrap().to_string();
    same(
        "register",
        register.into(),
        if finding.kind == FindingKind::Race { &entry["space"] } else { &entry["register"] },
    )?;
    if finding.kind != FindingKind::Race {
        let [party] = parties.as_slice() else { return Err("one access".into()) };
        same("instruction", party.location.index.into(), &entry["instruction"])?;
        if entry["access"].is_string() {
            same("access", party.access.name().into(), &entry["access"])?;
        }
        let threads = match finding.place {
            Place::Whole => &entry["threads"],
            Place::Byte(at) => &entry["at"][at.to_string()],
            Place::Element(at) => &entry["at"][at.to_string()],
            place => return Err(format!("{place:?}")),
        };
        for (unit, place) in [("elements", Place::Element(0)), ("bytes", Place::Byte(0))] {
            let has_unit = std::mem::discriminant(&place) == std::mem::discriminant(&finding.place);
            if entry[unit].is_number() && has_unit {
                same(unit, finding.extent.into(), &entry[unit])?;
            }
        }
        return match names(threads, party) {
            true => Ok(()),
            false => Err(format!("thread {} is not among {threads}", party.index)),
        };
    }
    // The sites of an entry are in the order of the listing.
    parties.sort_by_key(|party| party.location.byte);
    let is_of = |party: &Party, site: &Value| {
        site["instruction"] == party.location.index.unwrap() && site["access"] == party.access.name()
    };
    let sites = entry["sites"].as_array().unwrap();
    if !is_of(parties[0], &sites[0]) || !is_of(parties[1], &sites[1]) {
        return Err("other instructions".into());
    }
    let is_same_site = parties[0].location == parties[1].location;
    match finding.place {
        Place::Byte(at) => {
            let [first, second] = ["first", "second"].map(|side| &entry["at"][at.to_string()][side]);
            let fits = |one: &Party, other: &Party| names(first, one) && names(second, other);
            match fits(parties[0], parties[1]) || (is_same_site && fits(parties[1], parties[0])) {
                true => Ok(()),
                false => {
                    Err(format!("at {at}: {first} and {second}, not {} and {}", parties[0].index, parties[1].index))
                }
            }
        }
        Place::Texel([x, y, _]) => {
            let pairs = &entry["texels"][format!("{x},{y}")];
            let mut found = [parties[0].index, parties[1].index];
            found.sort_unstable();
            match pairs.as_array().is_some_and(|pairs| pairs.iter().any(|pair| *pair == Value::from(found.to_vec()))) {
                true => Ok(()),
                false => Err(format!("{found:?}, not {pairs}")),
            }
        }
        place => Err(format!("{place:?}")),
    }
}

/// `true` if a list has a thread, as a number or as `group/thread`.
fn names(threads: &Value, party: &Party) -> bool {
    let group = match party.sender {
        Sender::Thread { group: [x, ..], .. } => x,
        _ => 0,
    };
    let of_group = format!("{group}/{}", party.index);
    threads
        .as_array()
        .is_some_and(|threads| threads.iter().any(|thread| *thread == party.index || *thread == of_group.as_str()))
}

#[test]
fn what_is_defined_is_reported_on_request() {
    let mut strict = CheckOptions::default();
    strict.is_strict = true;
    for (name, kind) in [
        ("clean_same_value", Some(FindingKind::Race)),
        ("clean_border_texels", Some(FindingKind::Bounds)),
        ("clean_own_words", None),
        ("clean_disjoint_members", None),
    ] {
        let found = findings(&root().join("tests/data/faulty").join(name).join("job.toml"), &strict, JIT);
        assert_eq!(found.first().map(|finding| finding.kind), kind, "{name}: {found:?}");
    }
}

/// The executions of the corpus are clean, but for one that reads past an end on purpose.
#[test]
fn the_corpus_is_clean() {
    let mut clean = 0;
    for folder in fs::read_dir(root().join("tests/data/exec")).unwrap().map(|entry| entry.unwrap().path()) {
        let document = folder.join("case.json");
        if !document.exists() {
            continue;
        }
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let found: Vec<_> =
            [WAYS[0], JIT].into_iter().flat_map(|way| findings(&document, &CheckOptions::default(), way)).collect();
        if name == "out_of_bounds" {
            assert!(found.iter().all(|finding| finding.kind == FindingKind::Bounds) && !found.is_empty(), "{found:?}");
            continue;
        }
        assert!(found.is_empty(), "{name}: {}", found[0]);
        clean += 1;
    }
    assert!(clean > 30, "{clean}");
}

/// Scenes are clean: pixels write texels of their own, or in order. Stages in which nothing can be wrong count their
/// invocations.
#[test]
fn scenes_are_clean() {
    for folder in fs::read_dir(root().join("tests/data/scenes")).unwrap().map(|entry| entry.unwrap().path()) {
        let document = folder.join("scene.json");
        if document.exists() {
            for run in check(&document, &CheckOptions::default(), JIT) {
                assert!(run.checked.findings.is_empty(), "{}: {}", folder.display(), run.checked.findings[0]);
                let is_drawn = run.stage == StageKind::Vertex;
                assert!(!is_drawn || run.checked.summary.groups > 0, "{}: {:?}", folder.display(), run.checked.summary);
            }
        }
    }
}

/// What a pixel shader does wrong is found, beside a vertex shader that runs unobserved.
#[test]
fn faults_of_draws_are_found() {
    let source = root().join("tests/data/scenes/triangle");
    let scene: Value = serde_json::from_slice(&fs::read(source.join("scene.json")).unwrap()).unwrap();
    for (kind, register, code) in [
        (FindingKind::Race, "u1", "dcl_uav_raw u1\ndcl_temps 1\nftou r0.x, v0.x\nstore_raw u1.x, l(0), r0.x"),
        // Of these each pixel is ordered with itself alone.
        (FindingKind::Race, "u1", "dcl_uav_raw_rov u1\ndcl_temps 1\nftou r0.x, v0.x\nstore_raw u1.x, l(0), r0.x"),
        (
            FindingKind::Bounds,
            "t0",
            "dcl_resource_structured t0, 16\ndcl_temps 1\n\
             ld_structured r0.xyzw, l(4), l(0), t0.xyzw\nmov o0.xyzw, r0.xyzw",
        ),
        (
            FindingKind::Bounds,
            "t0",
            "dcl_resource_buffer (float,float,float,float) t0\ndcl_temps 1\n\
             ld r0.xyzw, l(99, 0, 0, 0), t0.xyzw\nmov o0.xyzw, r0.xyzw",
        ),
        (
            FindingKind::Uninitialised,
            "x0",
            "dcl_temps 1\ndcl_indexableTemp x0[4], 4\nftou r0.x, v0.x\nand r0.x, r0.x, l(3)\n\
             mov x0[0].x, v0.x\nmov o0.xyzw, x0[r0.x + 0].xyzw",
        ),
        (FindingKind::Uninitialised, "r0.x", "dcl_temps 1\nmov o0.xyzw, r0.xxxx"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::copy(source.join("vs.cso"), folder.path().join("vs.cso")).unwrap();
        fs::copy(source.join("target.png"), folder.path().join("target.png")).unwrap();
        let pixel = shaders::shader(
            "ps_5_0",
            &["SV_Position 0 xyzw 0 POS float", "COLOR 0 xyzw 1 NONE float"],
            &["SV_Target 0 xyzw 0 TARGET float"],
            &format!(
                "dcl_globalFlags refactoringAllowed\ndcl_input_ps_siv linear noperspective v0.xy, position\ndcl_output o0.xyzw\n{code}"
            ),
        );
        fs::write(folder.path().join("ps.cso"), pixel).unwrap();
        let mut scene = scene.clone();
        scene["resources"]["t0"] = match code.contains("dcl_resource_buffer") {
            true => json!({"kind": "typed", "format": "R32G32B32A32_FLOAT", "f32": vec![0; 16]}),
            false => json!({"kind": "structured", "stride": 16, "f32": vec![0; 16]}),
        };
        scene["resources"]["u1"] = json!({"kind": "raw", "size": 16});
        let bound: serde_json::Map<_, _> = ["t0", "u1"]
            .iter()
            .filter(|name| code.contains(**name))
            .map(|name| (name.to_string(), json!(name)))
            .collect();
        scene["steps"][1]["bind"] = bound.into();
        let document = folder.path().join("scene.json");
        fs::write(&document, scene.to_string()).unwrap();
        for way in [WAYS[0], JIT] {
            let runs = check(&document, &CheckOptions::default(), way);
            let found: Vec<_> = runs.iter().flat_map(|run| &run.checked.findings).collect();
            let [finding] = found[..] else { panic!("{kind:?} of {register}, {way:?}: {found:?}") };
            let subject = finding.subject.unwrap().to_string();
            assert_eq!((finding.kind, &*subject, finding.stage), (kind, register, StageKind::Pixel), "{way:?}");
            let is_output = finding.to_string().contains("for its output\n  what was read is output\n");
            assert_eq!(is_output, register == "r0.x", "{finding}");
            let [vertex, pixel] = [0, 1].map(|n| (runs[n].stage, runs[n].checked.summary.groups));
            assert_eq!(vertex, (StageKind::Vertex, 3), "{way:?}");
            assert!(pixel.0 == StageKind::Pixel && pixel.1 > 21172, "{pixel:?}");
        }
    }
}

/// Groups are ordered by atomics after what releases all that matters: a barrier at which threads wait for all of them, a
/// fence for the thread alone.
#[test]
fn tickets_order_what_was_released() {
    for (sync, races) in [("sync_uglobal_t", 0), ("sync_uglobal", 7), ("sync_g_t", 8), ("nop", 8)] {
        let listing = format!(
            "cs_5_0
            dcl_uav_structured u0, 4
            dcl_uav_structured u1, 4
            dcl_input vThreadIDInGroupFlattened
            dcl_input vThreadGroupID.x
            dcl_temps 1
            dcl_thread_group 8, 1, 1
            if_z vThreadGroupID.x
              store_structured u0.x, vThreadIDInGroupFlattened.x, l(0), vThreadIDInGroupFlattened.x
              {sync}
              if_z vThreadIDInGroupFlattened.x
                atomic_iadd u1, l(0, 0, 0, 0), l(1)
              endif
            else
              atomic_iadd u1, l(0, 0, 0, 0), l(1)
              ld_structured r0.x, vThreadIDInGroupFlattened.x, l(0), u0.xxxx
              iadd r0.y, vThreadIDInGroupFlattened.x, l(8)
              store_structured u0.x, r0.y, l(0), r0.x
            endif
            ret"
        );
        let bytes = assemble(&listing, &Default::default()).unwrap().bytes;
        for (engine, threads, width) in WAYS {
            let device = Device::builder().threads(threads).build().unwrap();
            let mut options = CompileOptions::new(engine);
            options.width = width;
            let shader = device.compile(&bytes, &options).unwrap();
            let mut bindings = Bindings::new();
            for register in 0..2 {
                let buffer = device.buffer(64).unwrap();
                bindings.set(Register::u(register), View::structured(buffer, 4).unwrap());
            }
            let bound = device.bind(&shader, &bindings).unwrap();
            let findings = bound.check(&Dispatch::new([2, 1, 1]), &CheckOptions::default()).unwrap().findings;
            let count: u64 = findings.iter().map(|finding| finding.count).sum();
            assert_eq!((findings.len(), count), (usize::from(races > 0), races), "{sync}, {engine}: {findings:?}");
        }
    }
}

/// Where a shader has debug information, findings name its lines.
#[test]
fn findings_name_source_lines() {
    let faulty = root().join("tests/data/faulty/tgsm_no_barrier");
    let folder = tempfile::tempdir().unwrap();
    fs::copy(faulty.join("shader.zi.cso"), folder.path().join("shader.cso")).unwrap();
    fs::copy(faulty.join("job.toml"), folder.path().join("job.toml")).unwrap();
    let [finding] = &findings(&folder.path().join("job.toml"), &CheckOptions::default(), JIT)[..] else {
        panic!("one finding")
    };
    let source = fs::read_to_string(faulty.join("shader.hlsl")).unwrap();
    for party in &finding.parties {
        let line = party.location.source.as_ref().unwrap();
        let text = source.lines().nth(line.line as usize - 1).unwrap();
        assert!(text.contains("s["), "{line}: {text}");
    }
}

/// What was found before a run was stopped is there.
#[test]
fn findings_outlive_a_stop() {
    let listing = "cs_5_0
        dcl_uav_raw u0
        dcl_input vThreadIDInGroupFlattened
        dcl_thread_group 8, 1, 1
        store_raw u0.x, l(0), vThreadIDInGroupFlattened.x
        loop
        endloop
        ret";
    let device = Device::builder().threads(1).build().unwrap();
    let bytes = assemble(listing, &Default::default()).unwrap().bytes;
    let shader = device.compile(&bytes, &CompileOptions::default()).unwrap();
    let mut bindings = Bindings::new();
    bindings.set(Register::u(0), View::raw(device.buffer(4).unwrap()).unwrap());
    let (bound, log) = (device.bind(&shader, &bindings).unwrap(), CheckLog::default());
    let error = bound.check_into(&Dispatch::new([2, 1, 1]).fuel(10), &log).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stopped);
    let [run] = &log.take()[..] else { panic!("one run") };
    assert_eq!(run.checked.findings[0].kind, FindingKind::Race);
}
