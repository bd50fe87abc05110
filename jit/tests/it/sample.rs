//! Tests the samples that code asks of the host, quad reads between threads, and votes of a packet's threads.

use brolga_ir::builder::only;
use brolga_ir::entity::{ResourceId, Value};
use brolga_ir::function::{Element, Input, MemoryRef, Object, ResourceRef};
use brolga_ir::interface::{Component, Dimension, Interface, ResourceClass, ResourceKind};
use brolga_ir::sampling::{LevelSource, Offsets, SampleArg, SampleKind, Sampling};
use brolga_ir::verify::verify;
use brolga_ir::{Builder, Function, Op, Width};
use brolga_testing_base::random::Random;

use crate::bound::{self, Variants, compare, resource};

const OUT: usize = 0;
const TEXTURE: usize = 1;
const SAMPLER: usize = 2;
const COMPARER: usize = 3;

/// A group of this many threads with a texture range and two sampler ranges of three registers each.
fn function(threads: u32, dimension: Dimension) -> Function {
    let typed = ResourceKind::Typed { dimension, component: Component::Float };
    let resources = vec![
        resource(ResourceClass::UnorderedAccess, ResourceKind::Structured { stride_bytes: 16 }, 1),
        resource(ResourceClass::ShaderResource, typed, 3),
        resource(ResourceClass::Sampler, ResourceKind::Sampler { compares: false }, 3),
        resource(ResourceClass::Sampler, ResourceKind::Sampler { compares: true }, 3),
    ];
    Function::new("test", Interface { resources, ..Interface::compute([threads, 1, 1]) })
}

/// Writes four words of a thread.
fn report(b: &mut Builder<'_>, values: &[Value]) {
    let (index, zero, always) = (b.input(Input::ThreadIndex), b.i32(0), b.bool(true));
    let place = MemoryRef { object: Object::Resource(only(ResourceId::new(OUT))), index: Some(index), offset: zero };
    b.store(place, values, always);
}

/// Every form of sample on every dimension, with operands that are the same or not in all threads.
#[test]
fn samples_are_asked_packet_by_packet() {
    let kinds = [SampleKind::Filter, SampleKind::Compare, SampleKind::GatherCompare, SampleKind::Level];
    let kinds = kinds.into_iter().chain([0, 3].map(|component| SampleKind::Gather { component }));
    let levels = [LevelSource::Zero, LevelSource::Given, LevelSource::Derivatives];
    let mut random = Random(3);
    for (n, kind) in kinds.enumerate() {
        let sampled = Dimension::textures().filter(|dimension| !dimension.is_multisampled());
        for (dimension, level) in sampled.flat_map(|d| levels.map(|level| (d, level))) {
            let bits = random.bits();
            let offsets = if bits & 1 == 0 { Offsets::Computed } else { Offsets::Fixed([-8, 0, 7]) };
            let sampling = Sampling { kind, level, has_bias: bits & 2 != 0, has_clamp: bits & 4 != 0, offsets };
            let mut func = function(if n % 2 == 0 { 8 } else { 13 }, dimension);
            let mut b = Builder::new(&mut func);
            let index = b.input(Input::ThreadIndex);
            let (one, half) = (b.i32(1), b.f32(0.5));
            let number = b.op(Op::UToF, &[index]);
            let odd = b.op(Op::And, &[index, one]);
            let is_uniform = bits & 8 != 0;
            let mut args = Vec::new();
            for (arg, count) in sampling.args(dimension) {
                for n in 0..count {
                    args.push(match (arg, is_uniform) {
                        (SampleArg::Offsets, true) => one,
                        (SampleArg::Offsets, false) => index,
                        (_, true) => half,
                        (_, false) => {
                            let n = b.f32(n as f32 + 0.25);
                            b.op(Op::FMul, &[number, n])
                        }
                    });
                }
            }
            let element = match bits >> 4 & 3 {
                0 => Element::Fixed(1),
                1 => Element::Computed(one),
                _ => Element::Computed(odd),
            };
            let compares = matches!(kind, SampleKind::Compare | SampleKind::GatherCompare);
            let sampler = ResourceId::new(if compares { COMPARER } else { SAMPLER });
            let (texture, sampler) =
                (ResourceRef { id: ResourceId::new(TEXTURE), element }, ResourceRef { id: sampler, element });
            let words = b.sample(sampling, texture, sampler, &args);
            report(&mut b, &words);
            b.return_();
            let content = bound::contents(&func, || random.bits() as u32);
            compare(func, &content, &[[0, 0, 0]], u64::MAX, Variants::All);
        }
    }
}

/// A thread reads another one of its quad if that one runs too; against a plain model.
#[test]
fn quads_read_what_runs() {
    let mut random = Random(5);
    for (threads, divisor) in [(4u32, 7), (6, 7), (8, 3), (13, 2), (32, 3), (64, 5)] {
        for _ in 0..4 {
            let from: [u8; 4] = std::array::from_fn(|_| (random.bits() & 3) as u8);
            let mut func = function(threads, Dimension::Texture2d);
            let mut b = Builder::new(&mut func);
            let index = b.input(Input::ThreadIndex);
            let number = b.op(Op::UToF, &[index]);
            let (three, nine) = (b.f32(3.0), b.f32(9.0));
            let own = b.op(Op::FAdd, &[number, nine]);
            let everywhere = b.quad_read(from, own);
            let same = b.quad_read(from, three);
            let divisor_value = b.i32(divisor);
            let rest = b.op(Op::UMod, &[index, divisor_value]);
            let zero = b.i32(0);
            let runs = b.op(Op::INe, &[rest, zero]);
            let (_, then_region, else_region) = b.if_else(runs, &[]);
            let outer = b.switch_to(then_region);
            let inside = b.quad_read(from, own);
            let words = [everywhere, same, inside].map(|value| b.op(Op::BitsF32, &[value]));
            report(&mut b, &words);
            b.yield_(&[]);
            b.switch_to(else_region);
            b.yield_(&[]);
            b.switch_to(outer);
            b.return_();

            let is_running =
                |thread: u32, inside: bool| thread < threads && (!inside || !thread.is_multiple_of(divisor));
            let read = |thread: u32, inside: bool| {
                let other = thread / 4 * 4 + u32::from(from[thread as usize % 4]);
                let from = if is_running(other, inside) { other } else { thread };
                (from as f32 + 9.0).to_bits()
            };
            let words = |thread: u32| match is_running(thread, true) {
                true => [read(thread, false), 3f32.to_bits(), read(thread, true), 0],
                false => [0; 4],
            };
            let content = vec![vec![vec![0; 4 * threads as usize]], vec![vec![]; 3], vec![vec![]; 3], vec![vec![]; 3]];
            let expected: Vec<u32> = (0..threads).flat_map(words).collect();
            let verified = verify(func.clone()).unwrap();
            let bound = bound::Bound::new(&func, &content);
            let outcome = bound::interpret(&verified, &bound, &[[0; 3]], u64::MAX);
            assert_eq!(
                outcome.memory[OUT][0][bound::GUARD..][..expected.len()],
                expected,
                "{threads} threads, {from:?}"
            );
            compare(func, &content, &[[0, 0, 0]], u64::MAX, Variants::All);
        }
    }
}

/// A packet learns whether a condition holds in all of its active threads; against a plain model.
#[test]
fn packets_are_asked_whether_all_threads_agree() {
    for threads in [1u32, 5, 8, 13, 16, 24, 33, 64] {
        for (below, divisor) in [(threads, 3), (threads - 1, 3), (8, 2), (16, 5), (0, 7), (20, 1), (9, 8)] {
            let mut func = function(threads, Dimension::Texture2d);
            let mut b = Builder::new(&mut func);
            let index = b.input(Input::ThreadIndex);
            let [zero, one, below_value, divisor_value] = [0, 1, below, divisor].map(|word| b.i32(word));
            let small = b.op(Op::ULt, &[index, below_value]);
            let same = b.op(Op::ULt, &[zero, below_value]);
            let rest = b.op(Op::UMod, &[index, divisor_value]);
            let runs = b.op(Op::INe, &[rest, zero]);
            let everywhere = b.packet_all(small);
            let uniform = b.packet_all(same);
            // The condition is the one that selects the active threads, and another one.
            let (_, then_region, else_region) = b.if_else(runs, &[]);
            let outer = b.switch_to(then_region);
            let (surely, inside) = (b.packet_all(runs), b.packet_all(small));
            let words = [everywhere, uniform, surely, inside].map(|answer| b.select(answer, one, divisor_value));
            report(&mut b, &words);
            b.yield_(&[]);
            b.switch_to(else_region);
            b.yield_(&[]);
            b.switch_to(outer);
            b.return_();

            let content = vec![vec![vec![0; 4 * threads as usize]], vec![vec![]; 3], vec![vec![]; 3], vec![vec![]; 3]];
            for width in Width::ALL {
                let lanes = width.lanes();
                let runs = |thread: &u32| !thread.is_multiple_of(divisor);
                let words = |thread: u32| {
                    let packet = thread / lanes * lanes..threads.min((thread / lanes + 1) * lanes);
                    let is_small = |thread: u32| thread < below;
                    let answers = [packet.clone().all(is_small), below > 0, true, packet.filter(runs).all(is_small)];
                    if runs(&thread) { answers.map(|answer| if answer { 1 } else { divisor }) } else { [0; 4] }
                };
                let expected: Vec<u32> = (0..threads).flat_map(words).collect();
                func.width = width;
                let bound = bound::Bound::new(&func, &content);
                let verified = verify(func.clone()).unwrap();
                let outcome = bound::interpret(&verified, &bound, &[[0; 3]], u64::MAX);
                let got = &outcome.memory[OUT][0][bound::GUARD..][..expected.len()];
                assert_eq!(got, expected, "{threads} threads, below {below}, {divisor}, {width:?}");
            }
            compare(func, &content, &[[0, 0, 0]], u64::MAX, Variants::All);
        }
    }
}
