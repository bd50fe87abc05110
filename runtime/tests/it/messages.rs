//! Tests what shaders print: the texts, their order, and what `abort` does.

use std::time::Duration;

use brolga_bytecode::assembler::assemble;
use brolga_runtime::{
    Bindings, CompileOptions, Device, Dispatch, Engine, Error, ErrorKind, MessageLog, Sender, ShaderMessage, Width,
};

use crate::support::ENGINES;

const WIDTHS: [Option<Width>; 4] = [None, Some(Width::Eight), Some(Width::Sixteen), Some(Width::ThirtyTwo)];

fn device(threads: usize) -> Device {
    Device::builder().threads(threads).wakes_threads_from(Duration::ZERO).build().unwrap()
}

/// Runs a listing on so many groups; returns what it printed, what was lost, and whether it ended well.
fn run(
    listing: &str,
    groups: [u32; 3],
    (device, engine, width): (&Device, Engine, Option<Width>),
    log: &MessageLog,
) -> (Vec<ShaderMessage>, u64, Result<(), Error>) {
    let mut options = CompileOptions::default();
    (options.engine, options.width) = (engine, width);
    let shader = device.compile(&assemble(listing, &Default::default()).unwrap().bytes, &options).unwrap();
    let dispatch = Dispatch::new(groups).messages(log.clone());
    let result = device.dispatch(&shader, &Bindings::new(), &dispatch).map(|_| ());
    (log.take(), log.lost(), result)
}

/// Runs a listing in every way; all must print the same.
fn run_everywhere(listing: &str, groups: [u32; 3], most: usize) -> (Vec<ShaderMessage>, u64, Result<(), Error>) {
    let mut first = None;
    for threads in [1, 2, 8] {
        let device = device(threads);
        for (engine, width) in ENGINES.iter().flat_map(|&engine| WIDTHS.map(|width| (engine, width))) {
            let (messages, lost, result) = run(listing, groups, (&device, engine, width), &MessageLog::new(most));
            let error = result.as_ref().err().map(ToString::to_string);
            let (expected, expected_lost, expected_error) =
                first.get_or_insert_with(|| (messages.clone(), lost, error.clone()));
            let what = format!("{engine}, {threads} threads, {width:?}");
            assert_eq!((&messages, &lost, &error), (&*expected, &*expected_lost, &*expected_error), "{what}");
            if (threads, engine, width) == (8, *ENGINES.last().unwrap(), WIDTHS[3]) {
                return (messages, lost, result);
            }
        }
    }
    unreachable!("the last way returns")
}

/// Threads that differ from each other in how often they print, and whether.
fn counting(group: [u32; 3]) -> String {
    let [x, y, z] = group;
    format!(
        "cs_5_0
        dcl_input vThreadIDInGroupFlattened
        dcl_input vThreadGroupID.xyz
        dcl_temps 2
        dcl_thread_group {x}, {y}, {z}
        mov r0.x, l(0)
        and r0.z, vThreadIDInGroupFlattened.x, l(3)
        loop
          uge r0.y, r0.x, r0.z
          breakc_nz r0.y
          printf \"%u.%u.%u: %u of %u\", vThreadGroupID.x, vThreadGroupID.y, vThreadGroupID.z, r0.x, vThreadIDInGroupFlattened.x
          iadd r0.x, r0.x, l(1)
        endloop
        if_z r0.z
          errorf \"none of %u\", vThreadIDInGroupFlattened.x
        endif
        ret"
    )
}

#[test]
fn messages_come_in_the_order_of_threads() {
    for (size, groups) in
        [([1, 1, 1], [70, 1, 1]), ([3, 2, 1], [3, 2, 2]), ([8, 8, 1], [2, 1, 3]), ([130, 1, 1], [5, 1, 1])]
    {
        let mut expected = Vec::new();
        for [gx, gy, gz] in positions(groups) {
            for (n, thread) in (0..).zip(positions(size)) {
                let sender = Sender::Thread { group: [gx, gy, gz], thread };
                expected.extend((0..n & 3).map(|round| (false, format!("{gx}.{gy}.{gz}: {round} of {n}"), sender)));
                if n & 3 == 0 {
                    expected.push((true, format!("none of {n}"), sender));
                }
            }
        }
        let (messages, lost, result) = run_everywhere(&counting(size), groups, 1 << 16);
        result.unwrap();
        let found = messages.iter().map(|message| (message.is_error, message.text.clone(), message.sender));
        assert_eq!((found.collect::<Vec<_>>(), lost), (expected, 0));
        assert!(messages.iter().all(|message| message.location.index == Some(if message.is_error { 9 } else { 5 })));
        assert!(messages[0].location.text.starts_with("errorf \"none of %u\""), "{}", messages[0].location);
    }
}

/// All positions of a box, x fastest.
fn positions([x, y, z]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
}

#[test]
fn the_first_messages_are_kept() {
    let (messages, lost, result) = run_everywhere(&counting([64, 1, 1]), [40, 1, 1], 100);
    result.unwrap();
    let (all, ..) = run_everywhere(&counting([64, 1, 1]), [40, 1, 1], 1 << 16);
    assert_eq!((messages.len(), lost), (100, all.len() as u64 - 100));
    assert_eq!(messages[..], all[..100]);
}

#[test]
fn runs_follow_one_another() {
    let (device, log) = (device(2), MessageLog::new(5));
    let listing = "cs_5_0\ndcl_input vThreadGroupID.x\ndcl_thread_group 1, 1, 1\nprintf \"%d\", vThreadGroupID.x\nret";
    let shader = device.compile(&assemble(listing, &Default::default()).unwrap().bytes, &CompileOptions::default());
    let shader = shader.unwrap();
    for groups in [3, 4] {
        device.dispatch(&shader, &Bindings::new(), &Dispatch::new([groups, 1, 1]).messages(log.clone())).unwrap();
    }
    // Nobody listens.
    device.dispatch(&shader, &Bindings::new(), &Dispatch::new([9, 1, 1])).unwrap();
    let texts = log.take().into_iter().map(|message| message.text).collect::<Vec<_>>();
    assert_eq!((texts.join(" "), log.lost()), ("0 1 2 0 1".to_owned(), 2));
    assert!(log.take().is_empty());
}

#[test]
fn an_abort_ends_the_run() {
    let listing = "cs_5_0
        dcl_input vThreadID.x
        dcl_temps 1
        dcl_thread_group 6, 1, 1
        printf \"%u\", vThreadID.x
        uge r0.x, vThreadID.x, l(15)
        if_nz r0.x
          abort
        endif
        printf \"after\"
        ret";
    for (threads, &engine) in [1, 8].into_iter().flat_map(|threads| ENGINES.iter().map(move |engine| (threads, engine)))
    {
        for width in WIDTHS {
            let log = MessageLog::default();
            let (messages, _, result) = run(listing, [100, 1, 1], (&device(threads), engine, width), &log);
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Aborted);
            let Error::Aborted { group, thread, location } = &error else { panic!("{error}") };
            assert_eq!((group, thread, location.index), (&[2, 0, 0], &[3, 0, 0], Some(3)), "{engine}, {width:?}");
            let text = error.to_string();
            assert!(
                text.starts_with("the shader aborted in thread (3, 0, 0) of group (2, 0, 0) at instruction 3 `abort"),
                "{text}"
            );
            // All that came before is there.
            let texts = messages.iter().map(|message| message.text.as_str()).filter(|text| *text != "after");
            assert_eq!(texts.take(16).collect::<Vec<_>>(), (0..16).map(|n| n.to_string()).collect::<Vec<_>>());
        }
    }
}
