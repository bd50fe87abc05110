//! Tests the claims of `uniformity.rs` and `shape/` about values of random programs: those that are uniform in threads
//! that are together, those that are affine, and that threads only disagree about barriers where control flow diverges.
//!
//! Threads are together at a value in the same rounds of all loops around it.

use std::collections::HashMap;

use brolga_ir::entity::{Inst, Value};
use brolga_ir::flow::Flow;
use brolga_ir::function::InstKind;
use brolga_ir::host::FaultKind;
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::phases::Phases;
use brolga_ir::shape::{OCTET_LANES, Shape, Shapes};
use brolga_ir::span::Packing;
use brolga_ir::uniformity::Uniformity;
use brolga_ir::verify::verify;
use brolga_ir::{Function, Width};
use brolga_testing_base::programs;
use brolga_testing_base::random::Random;
use brolga_testing_base::scalar::{Memory, trace_group};

/// Number of claims that were checked of a thread and one before it.
#[derive(Default, Debug)]
struct Checked {
    in_packets: usize,
    in_octets: usize,
}

/// Checks every value of every thread.
fn check(func: &Function, seed: u64, checked: &mut Checked) {
    let flow = Flow::new(func);
    let uniformity = Uniformity::compute(func, &flow, Packing::Group);
    let shapes = Shapes::compute(func, &flow, &uniformity);
    let memory = Memory::new(&func.interface, &programs::contents(&func.interface, &mut Random(seed)));
    for group in 0..programs::GROUPS {
        let traces = trace_group(func, &memory, [group, 0, 0]);
        let mut in_packet: HashMap<(Value, &[u32], u32), u64> = HashMap::new();
        let mut on_line: HashMap<(Value, &[u32], u32), (u32, u64)> = HashMap::new();
        let mut in_group: HashMap<(Value, &[u32]), u64> = HashMap::new();
        for (thread, trace) in (0..).zip(&traces) {
            for (value, rounds, bits) in trace {
                let packet = thread / func.width.lanes();
                let &mut first = in_packet.entry((*value, rounds, packet)).or_insert(*bits);
                let what = || format!("{value} of thread {thread} in rounds {rounds:?}, seed {seed}\n{func}");
                if uniformity.is_packet_uniform(*value) {
                    assert_eq!(*bits, first, "{}", what());
                }
                let line = match shapes.shape(*value) {
                    Shape::Affine { stride } => Some((stride, func.width.lanes())),
                    Shape::Octets { stride } => Some((stride, OCTET_LANES)),
                    Shape::Quad { .. } | Shape::Pairs { .. } | Shape::Scattered => None,
                };
                if let Some((stride, lanes)) = line {
                    let &mut (lane, first) = on_line.entry((*value, rounds, thread / lanes)).or_insert((thread, *bits));
                    let step = stride.wrapping_mul(thread - lane);
                    let expected = if stride == 0 { first } else { u64::from((first as u32).wrapping_add(step)) };
                    assert_eq!(*bits, expected, "{}", what());
                    let is_octet = lanes < func.width.lanes();
                    *if is_octet { &mut checked.in_octets } else { &mut checked.in_packets } +=
                        usize::from(lane != thread);
                }
                if uniformity.is_group_uniform(*value) {
                    assert_eq!(*in_group.entry((*value, rounds)).or_insert(*bits), *bits, "{}", what());
                }
            }
        }
    }
}

#[test]
fn values_of_random_programs_are_as_claimed() {
    let mut checked = Checked::default();
    for seed in 0..400 {
        let mut func = programs::generate(seed, 1 + (seed % 12) as usize);
        optimise(&mut func, if seed % 3 == 0 { Level::Full } else { Level::None });
        func.width = Width::ALL[seed as usize % Width::ALL.len()];
        check(&func, seed, &mut checked);
    }
    println!("{checked:?}");
    assert!(checked.in_packets > 10_000 && checked.in_octets > 1_000, "{checked:?}");
}

#[test]
fn threads_disagree_only_where_control_flow_may_diverge() {
    let mut disagreed = 0;
    for seed in 0..800 {
        let mut func = programs::generate_wild(seed, 1 + (seed % 12) as usize);
        optimise(&mut func, Level::None);
        let mut random = Random(seed);
        let words: Vec<Vec<u32>> =
            func.interface.resources.iter().map(|_| (0..64).map(|_| random.word()).collect()).collect();
        let memory = Memory::new(&func.interface, &words);
        let func = verify(func).unwrap_or_else(|errors| panic!("seed {seed}: {errors}"));
        // Most of the loops do not end.
        let outcome = Interpreter::new(&func).run_group(&memory, [0; 3], &mut Arena::new(), &mut 40);
        let Err(fault) = outcome else { continue };
        if !matches!(fault.kind, FaultKind::DivergentBarrier { .. }) {
            continue;
        }
        let uniformity = Uniformity::compute(&func, &Flow::new(&func), Packing::Group);
        let phases = Phases::compute(&func);
        let may = |inst: Inst| {
            matches!(func.inst(inst).kind, InstKind::If { .. } | InstKind::Switch { .. })
                && phases.is_cut(inst)
                && uniformity.divergent_control_in_group(inst)
        };
        let all_uniform = !(0..func.inst_count()).map(Inst::new).any(may);
        assert!(!all_uniform, "seed {seed}: disagreement although all conditions are uniform\n{}", &*func);
        disagreed += 1;
    }
    println!("{disagreed} disagreed");
    assert!(disagreed > 50, "{disagreed}");
}
