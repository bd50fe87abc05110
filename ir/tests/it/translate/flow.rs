//! Tests control flow: paths, iterations, and rejected programs.

use brolga_ir::translate::TranslateError;
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_testing_base::assemble::{assemble, translated};
use brolga_testing_base::scalar;

/// r0.x after a run with r1.x given. r0.x begins at 0.
fn run(text: &str, input: u32) -> u32 {
    let func = translated(text);
    let mut registers = vec![0; func.slot_count()];
    registers[4..8].fill(input);
    scalar::run_thread(&func, &registers)[0]
}

#[test]
fn if_and_else() {
    let text = "dcl_temps 2
        if_nz r1.x
          iadd r0.x, r0.x, l(1)
        else
          iadd r0.x, r0.x, l(2)
        endif
        if_z r1.x
          iadd r0.x, r0.x, l(10)
        endif
        ret";
    assert_eq!((run(text, 0), run(text, 5)), (12, 1));
}

#[test]
fn loops_break_and_continue() {
    // Counts the odd numbers below r1.x.
    let text = "dcl_temps 3
        mov r2.x, l(0)
        loop
          uge r2.y, r2.x, r1.x
          breakc_nz r2.y
          mov r2.z, r2.x
          iadd r2.x, r2.x, l(1)
          and r2.z, r2.z, l(1)
          continuec_z r2.z
          iadd r0.x, r0.x, l(1)
        endloop
        ret";
    assert_eq!((run(text, 0), run(text, 1), run(text, 10), run(text, 11)), (0, 0, 5, 5));
}

#[test]
fn code_behind_a_terminator_is_dropped() {
    let text = "dcl_temps 2
        loop
          iadd r0.x, r0.x, l(1)
          if_nz r1.x
            break
            iadd r0.x, r0.x, l(100)
          else
            ret
          endif
          iadd r0.x, r0.x, l(1000)
        endloop
        iadd r0.x, r0.x, l(10)
        ret";
    assert_eq!((run(text, 1), run(text, 0)), (11, 1));
}

#[test]
fn switches_share_arms_and_have_a_default() {
    let text = "dcl_temps 2
        switch r1.x
          case l(1)
          case l(2)
            mov r0.x, l(12)
            break
          case l(7)
          default
            mov r0.x, l(99)
            break
          case l(3)
            mov r0.x, l(3)
            break
        endswitch
        ret";
    let got: Vec<u32> = [0, 1, 2, 3, 7].into_iter().map(|input| run(text, input)).collect();
    assert_eq!(got, [99, 12, 12, 3, 99]);
    let text = "dcl_temps 2
        mov r0.x, l(5)
        switch r1.x
          case l(1)
            mov r0.x, l(1)
            break
        endswitch
        ret";
    assert_eq!((run(text, 1), run(text, 2)), (1, 5));
}

#[test]
fn a_break_in_a_switch_stays_in_it_and_a_continue_leaves_it() {
    let text = "dcl_temps 3
        loop
          uge r2.y, r2.x, l(4)
          breakc_nz r2.y
          iadd r2.x, r2.x, l(1)
          switch r2.x
            case l(2)
              continue
            case l(3)
              if_nz r1.x
                break
              endif
              iadd r0.x, r0.x, l(100)
              break
            default
              break
          endswitch
          iadd r0.x, r0.x, l(1)
        endloop
        ret";
    assert_eq!((run(text, 1), run(text, 0)), (3, 103));
}

#[test]
fn calls_are_inlined_and_returns_leave_the_callee_only() {
    let text = "dcl_temps 2
        call label0
        iadd r0.x, r0.x, l(1)
        callc_nz r1.x, label1
        ret
        label label0
        retc_nz r1.x
        iadd r0.x, r0.x, l(10)
        call label1
        ret
        label label1
        loop
          iadd r0.x, r0.x, l(100)
          ret
        endloop
        ret";
    assert_eq!((run(text, 0), run(text, 1)), (111, 101));
}

#[test]
fn an_abort_ends_the_thread() {
    let text = "dcl_temps 2
        if_nz r1.x
          abort
        endif
        nop
        mov r0.x, l(1)
        ret";
    assert_eq!((run(text, 0), run(text, 1)), (1, 0));
}

#[test]
fn growth_by_calls_has_a_limit() {
    // Each function calls the next one twice.
    let mut text = String::from("dcl_temps 2\ncall label0\nret\n");
    for n in 0..20 {
        text += &format!("label label{n}\niadd r0.x, r0.x, l(1)\ncall label{0}\ncall label{0}\nret\n", n + 1);
    }
    text += "label label20\nret\n";
    let program = assemble(&text);
    let mut options = TranslateOptions::default();
    options.max_instructions = 10_000;
    let error = translate(&program, &options).expect_err("a million calls");
    assert!(matches!(error, TranslateError::TooLarge { limit: 10_000, .. }), "{error}");
}

#[test]
fn nesting_has_a_limit() {
    let program = assemble(&format!("dcl_temps 2\n{}{}ret", "loop\n".repeat(40), "break\nendloop\n".repeat(40)));
    assert!(translate(&program, &TranslateOptions::default()).is_ok());
    let mut options = TranslateOptions::default();
    options.max_nesting = 39;
    let error = translate(&program, &options).expect_err("nested too deep");
    assert!(matches!(error, TranslateError::TooDeep { limit: 39, .. }), "{error}");
}
