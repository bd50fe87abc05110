//! Tests that every fault of a program is found, in the order of its bytes, and that one fault does not cause others.

use brolga_bytecode::{Findings, Limits, assembler, findings};

/// Findings in a text that is assembled without checks, as messages without locations.
fn found(text: &str) -> Vec<String> {
    let Findings { found, is_cut } = findings(&assemble(text), &Limits::default());
    assert!(!is_cut);
    assert!(found.is_sorted_by_key(|error| error.at()));
    let message = |text: String| {
        let (location, rule) = text.split_once(": ").unwrap();
        let (op, at) = location.split_once(" at byte ").unwrap();
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
            "mov: `t0.xyzw` is t#, it must be a value",
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
            // It closes the loop all the same, so that this is reported once.
            "endloop: it must close a loop",
            "break: it must be in a loop or switch",
            "mov: a switch begins with case or default",
            "case: the switch already has a case 1",
            "if: is not closed",
        ]
    );
}

#[test]
fn calls_are_all_looked_at() {
    let text = "cs_5_0\ndcl_thread_group 1, 1, 1\ncall label7\ncall label0\ncall label8\nret\nlabel label0\nret\n";
    assert_eq!(found(text), ["call: there is no label label7", "call: there is no label label8"]);
}

/// "In graphics shader stages, only sync_uglobal is allowed" (functional specification, 22.17.7).
#[test]
fn only_compute_shaders_wait_for_their_group() {
    let waits = "sync_uglobal\nsync_g\nsync_t\nsync_uglobal_g_t\nsync_ugroup\nret\n";
    let refused = ["sync: outside of compute shaders there is no group to wait for, only sync_uglobal"; 4];
    for profile in ["vs_5_0", "ps_5_0", "gs_5_0", "ds_5_0"] {
        let found = found(&format!("{profile}\n{waits}"));
        let found: Vec<_> = found.iter().filter(|fault| fault.starts_with("sync")).collect();
        assert_eq!(found, refused.each_ref(), "{profile}");
    }
    assert_eq!(found(&format!("cs_5_0\ndcl_thread_group 1, 1, 1\n{waits}")), Vec::<String>::new());
}

#[test]
fn programs_of_direct3d_9_are_checked_to_their_end() {
    let text = "ps_2_0\ndcl t0\ndcl t0\nmov r0, t1\nadd r0, v0, v1\nmov oC0, r0\n";
    assert_eq!(
        found(text),
        [
            "dcl: t0.xyzw is already declared",
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

/// Message and help of the only fault of a text.
fn said(text: &str) -> (String, Option<String>) {
    let Findings { found, .. } = findings(&assemble(text), &Limits::default());
    let [error] = &found[..] else { panic!("{text}\n{found:?}") };
    (error.to_string(), error.help())
}

/// A compute shader of these declarations and instructions.
fn compute(lines: &str) -> String {
    format!("cs_5_0\ndcl_uav_raw u0\ndcl_temps 2\ndcl_thread_group 1, 1, 1\n{lines}\nret\n")
}

#[test]
fn messages_name_the_operand_and_what_may_stand_there() {
    let cases = [
        ("dcl_resource_raw t0", "store_raw t0.x, l(0), l(1)", "`t0.x` is t#, it must be raw u# or g#"),
        (
            "dcl_resource_structured t0, 4",
            "store_structured t0.x, l(0), l(0), l(1)",
            "`t0.x` is t#, it must be structured u# or g#",
        ),
        ("", "mov r0.x, u0.x", "`u0.x` is u#, it must be a value"),
        ("", "ld_structured r0.x, l(0), l(0), u0.xxxx", "u0 is declared as raw, it must be structured t#, u# or g#"),
        ("dcl_input vThreadID.x", "mov vThreadID.x, l(1)", "`vThreadID.x` is vThreadID, it must be r#"),
        ("", "mov r0.x, v0.x", "cs_5_0 has no v#; its inputs are vThreadID, vThreadGroupID, vThreadIDInGroup"),
        ("", "mov o0.x, r0.x", "cs_5_0 has no o#; its outputs are none"),
        ("dcl_input v0.x", "nop", "cs_5_0 has no v#; its inputs are vThreadID"),
    ];
    for (declaration, line, message) in cases {
        let text = said(&compute(&format!("{declaration}\n{line}"))).0;
        assert!(text.contains(message), "{line}: {text}");
    }
}

#[test]
fn only_declared_components_are_used() {
    let pixel = |lines: &str| format!("ps_5_0\n{lines}\nret\n");
    let cases = [
        (compute("dcl_input vThreadID.x\nmov r0.x, vThreadID.y"), "vThreadID.y is not declared, only .x is"),
        (compute("dcl_input vThreadID.xz\nstore_raw u0.xy, l(0), vThreadID.xyxx"), "vThreadID.y is not declared"),
        (
            pixel("dcl_input_ps linear v1.xy\ndcl_output o0.xyzw\nmov o0.xyzw, v1.zwww"),
            "v1.zw is not declared, only .xy is",
        ),
        (
            pixel("dcl_input_ps linear v1.xy\ndcl_output o0.x\ndp3 o0.x, v1.xyzx, v1.xyxx"),
            "v1.z is not declared, only .xy is",
        ),
        (pixel("dcl_output o0.x\nmov o0.xyzw, l(0, 0, 0, 0)"), "o0.yzw is not declared, only .x is"),
        (
            pixel(
                "dcl_constantbuffer CB0[4], dynamicIndexed\ndcl_input_ps constant v0.x\ndcl_output o0.x\n\
                mov o0.x, cb0[v0.w + 0].x",
            ),
            "v0.w is not declared, only .x is",
        ),
        (
            compute(
                "dcl_resource_structured t0, 16\n\
                ld_structured_indexable(structured_buffer, stride=8)(mixed,mixed,mixed,mixed) r0.x, l(0), l(0), t0.xxxx",
            ),
            "t0 is declared with a stride of 16 bytes, here it has 8",
        ),
    ];
    for (text, message) in cases {
        let said = said(&text).0;
        assert!(said.contains(message), "{text}{said}");
    }
    // Components that a swizzle names beyond the written ones are not read.
    let text = pixel("dcl_input_ps linear v1.xy\ndcl_output o0.xy\ndp2 o0.x, v1.xyzw, v1.xyzw\nmov o0.xy, v1.xyzw");
    assert_eq!(found(&text), [""; 0]);
}

#[test]
fn what_to_do_about_a_fault_is_a_line_to_write() {
    let compute_5_1 = |lines: &str| format!("cs_5_1\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n{lines}\nret\n");
    let cases = [
        (compute("mov r9.x, l(1)"), "`dcl_temps` says 2; make it 10"),
        ("vs_5_0\nmov r3.x, l(1)\nret\n".into(), "add `dcl_temps 4`"),
        (compute("mov r0.x, cb0[0].x"), "add `dcl_constantbuffer CB0[n], immediateIndexed`"),
        (
            compute_5_1("mov r0.x, CB0[0][0].x"),
            "add `dcl_constantbuffer CB0[first:last][n], immediateIndexed, space=0`",
        ),
        (compute("store_raw u7.x, l(0), l(1)"), "add `dcl_uav_raw u7`"),
        (compute("store_structured u7.x, l(0), l(0), l(1)"), "add `dcl_uav_structured u7, stride`"),
        (compute("ld_raw r0.x, l(0), t5.xxxx"), "add `dcl_resource_raw t5`"),
        (compute("ld_structured r0.x, l(0), l(0), t5.xxxx"), "add `dcl_resource_structured t5, stride`"),
        (compute("ld r0.x, l(0, 0, 0, 0), t5.xyzw"), "add `dcl_resource_texture2d (float,float,float,float) t5`"),
        (compute("mov r0.x, vThreadID.x"), "add `dcl_input vThreadID.xyz`"),
        ("ps_5_0\ndcl_output o0.x\nmov o0.x, v1.x\nret\n".into(), "add `dcl_input_ps linear v1.xyzw`"),
        ("vs_5_0\ndcl_output o0.x\nmov o0.x, v1.x\nret\n".into(), "add `dcl_input v1.xyzw`"),
        ("vs_5_0\nmov o0.x, l(1)\nret\n".into(), "add `dcl_output o0.xyzw`"),
        (compute("dcl_input vThreadID.x\nmov r0.x, vThreadID.y"), "declare `vThreadID.xy`"),
        (compute("mov r0.x, u0.x"), "memory is read by instructions such as `ld`, `ld_raw` and `ld_structured`"),
        ("cs_5_0\nret\n".into(), "add `dcl_thread_group x, y, z`"),
        (compute("if_nz r0.x"), "add `endif`"),
        (compute("loop"), "add `endloop`"),
        (compute("switch r0.x\ndefault\nbreak"), "add `endswitch`"),
        ("cs_5_0\ndcl_thread_group 1, 1, 1\nnop\n".into(), "end the program with `ret`"),
        (compute("nop\nmov r0.x, l(1)\ndcl_uav_raw u1"), "move it up, before the first instruction"),
        (compute("dcl_uav_raw u0"), "leave one of them out"),
    ];
    for (text, help) in cases {
        let (message, said) = said(&text);
        assert_eq!(said.as_deref(), Some(help), "{text}{message}");
    }
}

/// The lines that are proposed are lines of the language: they fix the fault.
#[test]
fn proposed_declarations_mend_the_fault() {
    for line in [
        "mov r9.x, l(1)",
        "mov r0.x, cb0[0].x",
        "store_raw u7.x, l(0), l(1)",
        "store_structured u7.x, l(0), l(0), l(1)",
        "store_uav_typed u7.xyzw, l(0, 0, 0, 0), l(0, 0, 0, 0)",
        "imm_atomic_alloc r0.x, u7",
        "ld_raw r0.x, l(0), t5.xxxx",
        "ld_structured r0.x, l(0), l(0), t5.xxxx",
        "ld r0.x, l(0, 0, 0, 0), t5.xyzw",
        "store_raw g1.x, l(0), l(1)",
        "store_structured g1.x, l(0), l(0), l(1)",
        "mov x0[1].x, l(1)",
        "mov r0.x, vThreadID.x",
        "mov r0.x, vThreadIDInGroupFlattened",
        "sample_l r0.x, l(0, 0, 0, 0), t5.xyzw, s2, l(0)",
    ] {
        let mut text = format!("cs_5_0\ndcl_thread_group 1, 1, 1\n{line}\nret\n");
        // A line may lack two declarations; its own r# is the last of them.
        for _ in 0..3 {
            let Findings { found, .. } = findings(&assemble(&text), &Limits::default());
            let Some(help) = found.first().and_then(|error| error.help()) else { break };
            let declaration = help.strip_prefix("add `").unwrap().strip_suffix('`').unwrap();
            let declaration = declaration.replace("CB0[n]", "CB0[1]").replace("[n]", "[2]").replace("bytes", "4");
            let declaration = declaration.replace("stride", "4").replace("count", "1");
            text = text.replace("cs_5_0\n", &format!("cs_5_0\n{declaration}\n"));
        }
        assert_eq!(found(&text), [""; 0], "{text}");
    }
}
