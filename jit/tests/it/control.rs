//! Tests control flow, barriers, faults and limits of compiled shaders, against plain models and against the
//! interpreter.

use brolga_ir::Function;
use brolga_ir::entity::Inst;
use brolga_ir::function::{InstKind, Origin};
use brolga_ir::host::{Fault, FaultKind};
use brolga_ir::interface::Local;
use brolga_ir::text::parse;
use brolga_ir::verify::verify;
use brolga_jit::{CompileError, Options, compile};
use brolga_testing_base::assemble::in_ssa;

use crate::bound::{self, Bound, Outcome, Variants, compare, run, targets};

const FUEL: u64 = 100_000;

/// A function with `u0` and `g0`, both raw. `r0.x` is the thread's number, `r0.y` the byte offset of its own word.
fn function([x, y, z]: [u32; 3], text: &str) -> Function {
    in_ssa(&format!(
        "dcl_uav_raw u0
        dcl_input vThreadIDInGroupFlattened
        dcl_input vThreadIDInGroup.xyz
        dcl_input vThreadID.xyz
        dcl_input vThreadGroupID.xyz
        dcl_temps 4
        dcl_tgsm_raw g0, 1024
        dcl_thread_group {x}, {y}, {z}
        mov r0.x, vThreadIDInGroupFlattened.x
        ishl r0.y, r0.x, l(2)
        {text}
        ret"
    ))
}

/// The origin of the first instruction of a kind.
fn origin_of(func: &Function, is_wanted: fn(&InstKind) -> bool) -> Origin {
    let mut insts = (0..func.inst_count()).map(|n| func.inst(Inst::new(n)));
    insts.find(|inst| is_wanted(&inst.kind)).expect("there is one").origin
}

fn words(count: usize) -> Vec<Vec<Vec<u32>>> {
    vec![vec![vec![0; count]]]
}

/// Runs one group on both engines; gives the output's words.
#[track_caller]
fn output_of(func: Function, count: usize) -> Vec<u32> {
    let outcome = compare(func, &words(count), &[[0, 0, 0]], FUEL, Variants::All);
    assert_eq!(outcome.ends, [Ok(())]);
    content(&outcome)
}

/// The words between the guards of the output.
fn content(outcome: &Outcome) -> Vec<u32> {
    let all = &outcome.memory[0][0];
    all[bound::GUARD..all.len() - 1].to_vec()
}

#[test]
fn tails_do_nothing() {
    for threads in [1, 5, 8, 13, 16, 31] {
        let func = function([threads, 1, 1], "imul null, r1.x, r0.x, l(3)\nstore_raw u0.x, r0.y, r1.x");
        let expected: Vec<u32> = (0..40).map(|n| if n < threads { 3 * n } else { 0 }).collect();
        assert_eq!(output_of(func, 40), expected, "{threads} threads");
    }
}

#[test]
fn thread_numbers_follow_the_group_shape() {
    let parts = ["vThreadIDInGroup", "vThreadID", "vThreadGroupID"];
    let digit = |part: &str, axis: char| format!("imad r1.x, r1.x, l(10), {part}.{axis}\n");
    let sum: String = "xyz".chars().flat_map(|axis| parts.map(|part| digit(part, axis))).collect();
    for size in [[5, 3, 2], [8, 2, 2], [1, 1, 9], [16, 1, 1], [3, 8, 1]] {
        let func = function(size, &format!("mov r1.x, l(0)\n{sum}store_raw u0.x, r0.y, r1.x"));
        let outcome = compare(func, &words(64), &[[0, 0, 0], [1, 2, 3]], FUEL, Variants::All);
        let threads = size.iter().product::<u32>();
        let group = [1, 2, 3];
        let expected: Vec<u32> = (0..threads)
            .map(|t| {
                let place = [t % size[0], t / size[0] % size[1], t / size[0] / size[1]];
                let parts = (0..3).flat_map(|n| [place[n], group[n] * size[n] + place[n], group[n]]);
                parts.fold(0u32, |sum, part| sum.wrapping_mul(10).wrapping_add(part))
            })
            .collect();
        assert_eq!(content(&outcome)[..threads as usize], expected, "{size:?}");
    }
}

/// Steps until a number is 1, with breaks, continues and returns on divergent paths.
#[test]
fn divergent_loops_break_continue_and_return() {
    let func = function(
        [24, 1, 1],
        "iadd r1.x, r0.x, l(1)
        mov r1.y, l(0)
        loop
          ieq r2.x, r1.x, l(1)
          breakc_nz r2.x
          // Every sixteenth thread gives up.
          ieq r2.x, r1.x, l(16)
          if_nz r2.x
            store_raw u0.x, r0.y, l(0xdead)
            ret
          endif
          iadd r1.y, r1.y, l(1)
          and r2.x, r1.x, l(1)
          if_nz r2.x
            imad r1.x, r1.x, l(3), l(1)
            continue
          endif
          udiv r1.x, null, r1.x, l(2)
          // After even steps their count is kept modulo 7 by a nested loop.
          loop
            ult r2.x, r1.y, l(7)
            breakc_nz r2.x
            iadd r1.y, r1.y, l(-7)
          endloop
        endloop
        imad r1.x, r1.y, l(10), r1.x
        store_raw u0.x, r0.y, r1.x",
    );
    let model = |index: u32| {
        let (mut n, mut count) = (index + 1, 0);
        loop {
            match n {
                1 => return count * 10 + n,
                16 => return 0xdead,
                _ => {}
            }
            count += 1;
            if n % 2 == 1 {
                n = 3 * n + 1;
            } else {
                n /= 2;
                count %= 7;
            }
        }
    };
    assert_eq!(output_of(func, 24), (0..24).map(model).collect::<Vec<u32>>());
}

/// A switch with breaks within, in a loop that its arms continue and leave.
#[test]
fn switches_divergent_and_uniform() {
    for uniform in [false, true] {
        let selector = if uniform { "mov r2.x, r1.x" } else { "iadd r2.x, r1.x, r0.x" };
        let func = function(
            [16, 1, 1],
            &format!(
                "mov r1.xy, l(0, 0, 0, 0)
                call label0
                imad r1.x, r1.x, l(1000), r1.y
                store_raw u0.x, r0.y, r1.x
                ret
                label label0
                loop
                  uge r2.x, r1.x, l(6)
                  breakc_nz r2.x
                  {selector}
                  switch r2.x
                    case l(0)
                    case l(3)
                      and r2.y, r0.x, l(1)
                      mov r2.z, l(100)
                      breakc_nz r2.y
                      mov r2.z, l(5)
                      break
                    case l(1)
                      iadd r1.x, r1.x, l(1)
                      continue
                    case l(2)
                    case l(7)
                      uge r2.y, r0.x, l(12)
                      retc_nz r2.y
                      mov r2.z, l(1)
                      break
                    default
                      mov r2.z, r0.x
                      break
                  endswitch
                  iadd r1.x, r1.x, l(1)
                  iadd r1.y, r1.y, r2.z
                endloop"
            ),
        );
        let model = |index: u32| {
            let (mut round, mut sum) = (0, 0);
            while round < 6 {
                sum += match if uniform { round } else { round + index } {
                    0 | 3 if index % 2 == 1 => 100,
                    0 | 3 => 5,
                    1 => 0,
                    2 | 7 if index >= 12 => break,
                    2 | 7 => 1,
                    _ => index,
                };
                round += 1;
            }
            round * 1000 + sum
        };
        assert_eq!(output_of(func, 16), (0..16).map(model).collect::<Vec<u32>>(), "uniform: {uniform}");
    }
}

/// Running sums by doubling distances: barriers in a loop whose counter crosses them.
#[test]
fn barriers_in_a_loop() {
    for threads in [4, 20, 64] {
        let func = function(
            [threads, 1, 1],
            &format!(
                "imul null, r1.x, r0.x, r0.x
                store_raw g0.x, r0.y, r1.x
                sync_g_t
                mov r1.y, l(1)
                loop
                  uge r2.x, r1.y, l({threads})
                  breakc_nz r2.x
                  iadd r2.x, r0.x, -r1.y
                  ishl r2.x, r2.x, l(2)
                  ld_raw r2.x, r2.x, g0.xxxx
                  ld_raw r2.y, r0.y, g0.xxxx
                  iadd r2.x, r2.x, r2.y
                  sync_g_t
                  uge r2.y, r0.x, r1.y
                  if_nz r2.y
                    store_raw g0.x, r0.y, r2.x
                  endif
                  sync_g_t
                  iadd r1.y, r1.y, r1.y
                endloop
                ld_raw r1.x, r0.y, g0.xxxx
                store_raw u0.x, r0.y, r1.x"
            ),
        );
        let expected: Vec<u32> = (0..threads).map(|n| (0..=n).map(|k| k * k).sum()).collect();
        assert_eq!(output_of(func, threads as usize), expected, "{threads} threads");
    }
}

/// Threads that returned count as arrived, and are inactive in the code that follows.
#[test]
fn threads_return_before_a_barrier() {
    let func = function(
        [16, 1, 1],
        "ult r1.x, r0.x, l(5)
        if_nz r1.x
          store_raw u0.x, r0.y, l(1)
          ret
        endif
        iadd r1.x, r0.x, l(5)
        sync_g_t
        store_raw u0.x, r0.y, r1.x",
    );
    let expected: Vec<u32> = (0..16).map(|n| if n < 5 { 1 } else { n + 5 }).collect();
    assert_eq!(output_of(func, 16), expected);
}

/// A loop with a barrier and no exit but a return ends when no thread is left.
#[test]
fn groups_end_with_their_last_thread() {
    let func = function(
        [12, 1, 1],
        "mov r1.x, l(0)
        loop
          ieq r1.y, r1.x, r0.x
          if_nz r1.y
            store_raw u0.x, r0.y, r1.x
            ret
          endif
          sync_g_t
          iadd r1.x, r1.x, l(1)
        endloop",
    );
    assert_eq!(output_of(func, 12), (0..12).collect::<Vec<u32>>());
}

/// A switch and an `if` that hold barriers, agreed in the group; values cross them.
#[test]
fn groups_agree_on_branches_with_barriers() {
    for group in 0..4 {
        let func = function(
            [16, 1, 1],
            "store_raw g0.x, r0.y, r0.x
            iadd r1.x, -r0.x, l(15)
            mov r1.y, vThreadGroupID.x
            switch r1.y
              case l(0)
                sync_g_t
                ishl r1.x, r1.x, l(2)
                ld_raw r1.x, r1.x, g0.xxxx
                break
              case l(1)
                break
              default
                ieq r1.z, r1.y, l(2)
                if_nz r1.z
                  sync_g_t
                  mov r1.x, r1.y
                  break
                endif
                iadd r1.x, r1.x, r0.x
                break
            endswitch
            store_raw u0.x, r0.y, r1.x",
        );
        let outcome = compare(func, &words(16), &[[group, 0, 0]], FUEL, Variants::All);
        let expected: Vec<u32> = (0..16).map(|n| [15 - n, 15 - n, 2, 15][group as usize]).collect();
        assert_eq!(content(&outcome), expected, "group {group}");
    }
}

#[test]
fn disagreement_about_a_barrier_is_a_fault() {
    // Within a packet, and between packets.
    for first_other in [3, 8] {
        let text = format!("ult r1.x, r0.x, l({first_other})\nstore_raw u0.x, r0.y, r0.x\nif_nz r1.x\nsync_g_t\nendif");
        let func = function([16, 1, 1], &text);
        let origin = origin_of(&func, |kind| matches!(kind, InstKind::If { .. }));
        let outcome = compare(func, &words(16), &[[0, 0, 0]], FUEL, Variants::All);
        let kind = FaultKind::DivergentBarrier { threads: [0, first_other] };
        assert_eq!(outcome.ends, [Err(Fault::new(kind, origin))]);
        assert_eq!(content(&outcome), (0..16).collect::<Vec<u32>>());
    }
}

/// An endless loop, with a barrier in it or not, and its origin.
fn endless(barrier: bool) -> (Function, Origin) {
    let barrier = if barrier { "sync_g_t" } else { "" };
    let func = function([16, 1, 1], &format!("mov r1.x, l(0)\nloop\n{barrier}\niadd r1.x, r1.x, l(1)\nendloop"));
    let origin = origin_of(&func, |kind| matches!(kind, InstKind::Loop { .. }));
    (func, origin)
}

#[test]
fn endless_loops_stop_when_asked() {
    for barrier in [false, true] {
        let (func, origin) = endless(barrier);
        let func = verify(func).unwrap();
        for options in targets() {
            let compiled = compile(&func, &options).unwrap();
            let bound = Bound::new(&func, &words(1));
            let outcome = std::thread::scope(|scope| {
                let running = scope.spawn(|| run(&func, &compiled, &bound, &[[0, 0, 0]], u64::MAX));
                bound.stop.store(1, std::sync::atomic::Ordering::Relaxed);
                running.join().unwrap()
            });
            let [Err(fault)] = outcome.ends[..] else { panic!("{:?}", outcome.ends) };
            assert_eq!(fault.kind, FaultKind::Stopped);
            // Or it was asked before the group began.
            assert!(fault.origin == origin || outcome.fuel == u64::MAX, "{fault:?}");
        }
    }
}

/// However work is arranged, in long code, long iterations, arms, packets or between barriers, little of it is done
/// once a stop is asked for.
#[test]
fn little_work_follows_a_stop() {
    let read = "ld_indexable(texture2d)(uint,uint,uint,uint) r2.x, r0.xxxx, t0.xyzw\nxor r1.x, r1.x, r2.x\n";
    let either = format!("if_nz r1.x\n{read}else\n{read}{read}endif\n");
    let case = format!("switch r1.x\ncase l(0)\n{read}breakc_nz r2.x\n{read}break\ndefault\n{read}break\nendswitch\n");
    let works = [
        ([16, 1, 1], read.repeat(1000)),
        ([16, 1, 1], format!("loop\n{}endloop", read.repeat(100))),
        ([16, 1, 1], format!("loop\nloop\nbreakc_nz r0.x\n{read}break\nendloop\n{}endloop", read.repeat(30))),
        ([16, 1, 1], either.repeat(300)),
        ([16, 1, 1], case.repeat(300)),
        ([1024, 1, 1], read.repeat(30)),
        ([512, 1, 1], format!("{read}sync_g_t\n").repeat(100)),
    ];
    for (n, ([x, y, z], work)) in works.into_iter().enumerate() {
        let func = in_ssa(&format!(
            "dcl_uav_raw u0
            dcl_resource_texture2d (uint,uint,uint,uint) t0
            dcl_input vThreadIDInGroupFlattened
            dcl_temps 4
            dcl_tgsm_raw g0, 1024
            dcl_thread_group {x}, {y}, {z}
            mov r0.x, vThreadIDInGroupFlattened.x
            {work}
            store_raw u0.x, l(0), r1.x
            ret"
        ));
        let func = verify(func).unwrap();
        let asked = || {
            let mut bound = Bound::new(&func, &[vec![vec![0; 4]], vec![vec![7; 16]]]);
            bound.patience = 100;
            bound
        };
        let check = |bound: &Bound, outcome: bound::Outcome, engine: &str| {
            let [Err(Fault { kind: FaultKind::Stopped, origin, .. })] = outcome.ends[..] else {
                panic!("{n}, {engine}: {:?}", outcome.ends)
            };
            assert!(origin != Origin::default(), "{n}, {engine}");
            let read = bound.texels_read.load(std::sync::atomic::Ordering::Relaxed);
            assert!(read < 3000, "{n}, {engine}: {read} texels");
        };
        for options in targets() {
            let compiled = compile(&func, &options).unwrap();
            let bound = asked();
            check(&bound, run(&func, &compiled, &bound, &[[0, 0, 0]], u64::MAX), "machine code");
        }
        let bound = asked();
        check(&bound, bound::interpret(&func, &bound, &[[0, 0, 0]], u64::MAX), "interpreter");
    }
}

#[test]
fn endless_loops_run_out_of_fuel() {
    for barrier in [false, true] {
        let (func, origin) = endless(barrier);
        let outcome = compare(func, &words(1), &[[0, 0, 0]], 9, Variants::All);
        assert_eq!(outcome.ends, [Err(Fault::new(FaultKind::OutOfFuel, origin))]);
        assert_eq!(outcome.fuel, 0);
    }
}

/// Private arrays: indices that are uniform, that differ, that are out of range; kept over a barrier. Words beyond the
/// element do not exist.
#[test]
fn private_arrays() {
    for barrier in ["", "barrier threads shared"] {
        let text = format!(
            "function \"arrays\" {{
              group 16 1 1
              res0 = u0 raw
              x0 = x0 registers 4 components 4
              body {{
                v0: i32 = input thread_index
                v1: i32 = const 0
                v2: i32 = const 1
                v3: i32 = const 2
                v4: i32 = const 3
                v5: i32 = const 4
                v6: i32 = const 7
                v7: i32 = const 8
                v8: i32 = const 100
                v9: bool = const true
                v10: i32 = iadd v0, v8
                store x0[v3 + v7], v0, v10, v10 where v9
                store x0[v3 + v5], v10 where v9
                v11: i32 = and v0, v6
                v12: i32 = and v0, v2
                v13: bool = ieq v12, v2
                store x0[v11 + v1], v0 where v13
                {barrier}
                v14, v15, v16, v17: i32 = load x0[v11 + v1]
                v18, v19, v20, v21: i32 = load x0[v3 + v5]
                v22: i32 = load x0[v5 + v1]
                v23: i32 = iadd v14, v22
                v24: i32 = iadd v15, v16
                v25: i32 = iadd v24, v17
                v26: i32 = imul v18, v4
                v27: i32 = iadd v26, v19
                v28: i32 = imul v27, v4
                v29: i32 = iadd v28, v20
                v30: i32 = imul v29, v4
                v31: i32 = iadd v30, v21
                v32: i32 = const 12
                v33: i32 = imul v0, v32
                store res0[v33], v23, v25, v31 where v9
                return
              }}
            }}"
        );
        let model = |t: u32| {
            let own = if t % 8 < 4 && t % 2 == 1 { t } else { 0 };
            // Threads 2 and 10 read the element that every thread has written in its own array.
            let rest = if t % 8 == 2 { (100 + t) + t + (100 + t) } else { 0 };
            let sum = [100 + t, t, 100 + t, 0].into_iter().fold(0, |sum, word| sum * 3 + word);
            [own, rest, sum]
        };
        let expected: Vec<u32> = (0..16).flat_map(model).collect();
        let func = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(output_of(func, 48), expected, "{barrier}");
    }
}

#[test]
fn limits_are_errors() {
    let mut func = function([1024, 1, 1], "sync_g_t");
    func.interface.locals = vec![Local { register: 0, registers: 8192, components: 4 }];
    let func = verify(func).unwrap();
    let options = Options::host().expect("tests run on x86-64 with SSE4.2");
    let error = compile(&func, &options).unwrap_err();
    assert!(matches!(error, CompileError::LocalMemory { bytes, .. } if bytes == 8192 * 16 * 1024), "{error}");
}

/// Deeper than anybody writes, every level divergent.
#[test]
fn deep_nesting_compiles() {
    let text = (1..=64).fold("iadd r1.x, r1.x, r0.x".to_owned(), |inner, left| match left % 2 {
        0 => format!("ult r2.x, r0.x, l({left})\nif_nz r2.x\n{inner}\nendif"),
        _ => format!("loop\n{inner}\nuge r2.x, r1.x, l({left})\nbreakc_nz r2.x\niadd r1.x, r1.x, l(1)\nendloop"),
    });
    let func = function([8, 1, 1], &format!("mov r1.x, l(0)\n{text}\nstore_raw u0.x, r0.y, r1.x"));
    // It does not matter whether it finishes within this many iterations.
    compare(func, &words(8), &[[0, 0, 0]], 2000, Variants::All);
}
