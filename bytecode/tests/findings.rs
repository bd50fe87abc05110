//! Every fault of a program is found, in the order of its bytes, and one fault does not make others.

use brolga_bytecode::{Findings, Limits, assembler, findings};

/// What is found in a text that is assembled without checks, as messages without the places.
fn found(text: &str) -> Vec<String> {
    let Findings { found, is_cut } = findings(&assemble(text), &Limits::default());
    assert!(!is_cut);
    assert!(found.is_sorted_by_key(|error| error.at()));
    let message = |text: String| {
        let (place, rule) = text.split_once(": ").unwrap();
        let (op, at) = place.split_once(" at byte ").unwrap();
        assert!(at.parse::<u32>().is_ok(), "{text}");
        format!("{op}: {rule}")
    };
    found.iter().map(|error| message(error.to_string())).collect()
}

fn assemble(text: &str) -> Vec<u8> {
    assembler::assemble(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}")).bytes
}

#[test]
fn every_operand_is_looked_at() {
    let text = "cs_5_0\ndcl_temps 2\ndcl_thread_group 1, 1, 1\n\
        add r2.x, r0.x, r3.x\nmov r0.x, l(1)\nmov r1.xyzw, t0.xyzw\nmov r4.x, r0.x\nret\n";
    assert_eq!(
        found(text),
        [
            "add: r2 is not declared",
            "add: r3 is not declared",
            "mov: operand 1 is t#, it must be a value",
            "mov: r4 is not declared",
        ]
    );
}

#[test]
fn what_is_declared_wrongly_is_declared() {
    // The stride and the group are wrong, the buffer's use is not.
    let text = "cs_5_0\ndcl_uav_structured u0, 6\ndcl_temps 1\ndcl_tgsm_raw g0, 6\ndcl_thread_group 0, 1, 1\n\
        mov r0.x, l(1)\nstore_structured u0.x, l(0), l(0), r0.x\nstore_raw g0.x, l(0), r0.x\nret\n";
    assert_eq!(
        found(text),
        [
            "dcl_uav_structured: stride in bytes 6, it must be a multiple of 4",
            "dcl_tgsm_raw: size in bytes 6, it must be a multiple of 4",
            "dcl_thread_group: threads in x 0, it must be 1 to 1024",
        ]
    );
}

#[test]
fn faults_of_nesting_do_not_hide_those_of_operands() {
    let text = "cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n\
        endif\nloop\n  if_nz r0.x\n    mov r5.x, r0.x\nendloop\nbreak\nswitch r0.x\n  mov r0.x, r0.y\n  mov r0.x, r0.z\n\
        case l(1)\ncase l(1)\nbreak\nendswitch\nif_nz r0.x\nret\n";
    assert_eq!(
        found(text),
        [
            "endif: it must close an if",
            "mov: r5 is not declared",
            // It closes the loop all the same, so that this is said once.
            "endloop: it must close a loop",
            "break: it must stand in a loop or switch",
            "mov: a switch begins with case or default",
            "case: the switch has a case 1 already",
            "if: is not closed",
        ]
    );
}

#[test]
fn calls_are_all_looked_at() {
    let text = "cs_5_0\ndcl_thread_group 1, 1, 1\ncall label7\ncall label0\ncall label8\nret\nlabel label0\nret\n";
    assert_eq!(found(text), ["call: there is no label label7", "call: there is no label label8"]);
}

#[test]
fn programs_of_direct3d_9_are_checked_to_their_end() {
    let text = "ps_2_0\ndcl t0\ndcl t0\nmov r0, t1\nadd r0, v0, v1\nmov oC0, r0\n";
    assert_eq!(
        found(text),
        [
            "dcl: t0.xyzw is declared already",
            "mov: t1.xyzw is not declared",
            "add: v0.xyzw is not declared",
            "add: v1.xyzw is not declared",
        ]
    );
    let text = "vs_2_0\ndcl_position v0\nendif\nrep i0\nif b0\nendrep\nmov oPos, v0\ncall l1\nmov oD0, v3\n";
    assert_eq!(
        found(text),
        [
            "endif: there is no if that it could belong to",
            "endrep: there is no rep that it could belong to",
            "call: there is no label l1",
            "mov: v3.xyzw is not declared",
        ]
    );
}

#[test]
fn more_findings_than_the_limit_are_cut() {
    let faults = "mov r1.x, l(1)\n".repeat(5);
    let bytes = assemble(&format!("cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n{faults}ret\n"));
    let found = |most| {
        let mut limits = Limits::default();
        limits.findings = most;
        let Findings { found, is_cut } = findings(&bytes, &limits);
        (found.len(), is_cut)
    };
    assert_eq!([found(3), found(4), found(5), found(6)], [(3, true), (4, true), (5, false), (5, false)]);
}
