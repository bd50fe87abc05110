//! Tests shapes of operations and inputs against values known lane by lane.

use super::*;
use crate::builder::Builder;
use crate::entity::ArrayId;
use crate::function::{MemoryRef, Object};
use crate::interface::{Array, Interface};
use crate::span::Packing;
use crate::stage::Stage;

const LANES: u32 = 8;

fn function(group_size: [u32; 3]) -> Function {
    Function::new("test", Interface::compute(group_size))
}

fn shapes_of(func: &Function, packing: Packing) -> Shapes {
    let flow = Flow::new(func);
    Shapes::compute(func, &flow, &Uniformity::compute(func, &flow, packing))
}

#[test]
fn inputs_by_group_shape() {
    let stride_in =
        |packing, input, size| input_affine(input, size, LANES, packing).map(|affine| (affine.stride, affine.align));
    let stride = |input, size| stride_in(Packing::Group, input, size);
    assert_eq!(stride(Input::ThreadIndex, [3, 3, 3]), Some((1, 3)));
    assert_eq!(stride(Input::ThreadId(0), [64, 2, 1]), Some((1, 3)));
    assert_eq!(stride(Input::ThreadId(0), [20, 1, 1]), Some((1, 2)));
    assert_eq!(stride(Input::ThreadIdInGroup(0), [20, 1, 1]), Some((1, 3)));
    assert_eq!(stride(Input::ThreadId(0), [20, 2, 1]), None);
    assert_eq!(stride(Input::ThreadIdInGroup(1), [1, 16, 1]), Some((1, 3)));
    assert_eq!(stride(Input::ThreadIdInGroup(1), [2, 16, 1]), None);
    let in_row = |input, size| stride_in(Packing::Row, input, size);
    assert_eq!(in_row(Input::ThreadId(0), [12, 1, 1]), Some((1, 2)));
    assert_eq!(in_row(Input::ThreadId(0), [6, 2, 1]), None);
    assert_eq!(in_row(Input::ThreadId(1), [6, 2, 1]), None);
    assert_eq!(in_row(Input::ThreadId(1), [12, 1, 1]), Some((0, 0)));
    assert_eq!([[1, 1, 1], [2, 1, 1]].map(|size| in_row(Input::GroupId(0), size)), [Some((1, 0)), None]);
    assert_eq!([[1, 1, 1], [2, 1, 1]].map(|size| in_row(Input::ThreadIndex, size)), [Some((0, 0)), None]);
    let in_grid = |input, size| stride_in(Packing::Grid, input, size);
    assert_eq!([0, 2].map(|n| in_grid(Input::ThreadId(n), [12, 1, 1])), [None; 2]);
    assert_eq!([0, 2].map(|n| in_grid(Input::ThreadIdInGroup(n), [12, 1, 1])), [None, Some((0, 0))]);
}

#[test]
fn inputs_over_octets() {
    let of = |input, size| {
        input_affine(input, size, OCTET_LANES, Packing::Group).map(|affine| (affine.stride, affine.align))
    };
    assert_eq!([0, 1, 2].map(|n| of(Input::ThreadIdInGroup(n), [8, 2, 3])), [Some((1, 3)), Some((0, 0)), Some((0, 0))]);
    assert_eq!([0, 1].map(|n| of(Input::ThreadId(n), [24, 2, 1])), [Some((1, 3)), Some((0, 0))]);
    assert_eq!([0, 1, 2].map(|n| of(Input::ThreadId(n), [4, 2, 2])), [None, None, Some((0, 0))]);
}

/// Operations on the numbers of threads in groups of 8 x 8, over two rows whose values are known lane by lane.
#[test]
fn octets_hold_for_every_lane() {
    const LANES: usize = 16;
    const UNKNOWN: u32 = 0x1235;
    let mut func = function([8, 8, 1]);
    func.width = crate::width::Width::Sixteen;
    let mut b = Builder::new(&mut func);
    // The second packet of the group, so that rows do not begin with zeros; the group is number 5 along x.
    let mut values: Vec<(Value, [u32; LANES])> = vec![
        (b.input(Input::ThreadIdInGroup(0)), std::array::from_fn(|lane| lane as u32 % 8)),
        (b.input(Input::ThreadIdInGroup(1)), std::array::from_fn(|lane| 2 + lane as u32 / 8)),
        (b.input(Input::ThreadId(0)), std::array::from_fn(|lane| 40 + lane as u32 % 8)),
        (b.input(Input::GroupId(2)), [UNKNOWN; LANES]),
    ];
    for constant in [0, 1, 3, 4, 7, 8, 12, 0xffff_fff8] {
        values.push((b.i32(constant), [constant; LANES]));
    }
    let ops = [Op::IAdd, Op::ISub, Op::IMul, Op::Shl, Op::UShr, Op::UMod, Op::And, Op::Or, Op::Xor, Op::UMax];
    for _ in 0..3 {
        for (a, lanes_a) in values.clone().into_iter().rev().take(250) {
            for &(c, lanes_c) in &values.clone()[..12] {
                for op in ops {
                    let eval = |lane: usize| op.eval(&[lanes_a[lane].into(), lanes_c[lane].into()]) as u32;
                    values.push((b.op(op, &[a, c]), std::array::from_fn(eval)));
                }
            }
        }
    }
    b.return_();
    let shapes = shapes_of(&func, Packing::Group);
    let (mut equal, mut growing) = (0, 0);
    for (value, lanes) in values {
        let Shape::Octets { stride } = shapes.shape(value) else { continue };
        for row in lanes.chunks_exact(8) {
            let expected: [u32; 8] = std::array::from_fn(|lane| row[0].wrapping_add(stride.wrapping_mul(lane as u32)));
            assert_eq!(row, expected, "{value} by {:?}", func.as_op(value));
        }
        if stride == 0 { equal += 1 } else { growing += 1 }
    }
    assert!(equal > 100 && growing > 100, "{equal} and {growing} values");
}

#[test]
fn operations_hold_for_every_lane() {
    // Each operation of two operands, on affine values that are known lane by lane.
    let mut func = function([64, 1, 1]);
    let mut b = Builder::new(&mut func);
    let mut values: Vec<(Value, [u32; LANES as usize])> = Vec::new();
    // The second packet of the group, so that the base is not zero.
    values.push((b.input(Input::ThreadIndex), std::array::from_fn(|lane| 8 + lane as u32)));
    for constant in [0, 1, 2, 3, 4, 7, 8, 16, 63, 0xffff_fff0, 0xffff_fff8, 0xffff_ffff] {
        values.push((b.i32(constant), [constant; LANES as usize]));
    }
    let ops = [Op::IAdd, Op::ISub, Op::IMul, Op::Shl, Op::UShr, Op::UDiv, Op::UMod, Op::And, Op::Or, Op::Xor];
    for step in [1, 13] {
        for (a, lanes_a) in values.clone().into_iter().step_by(step) {
            for &(c, lanes_c) in &values.clone()[..13] {
                for op in ops {
                    let eval = |lane: usize| op.eval(&[lanes_a[lane].into(), lanes_c[lane].into()]) as u32;
                    values.push((b.op(op, &[a, c]), std::array::from_fn(eval)));
                }
            }
        }
    }
    b.return_();
    let shapes = shapes_of(&func, Packing::Group);
    let mut affine = 0;
    for (value, lanes) in values {
        if let Shape::Affine { stride } = shapes.shape(value) {
            let expected = std::array::from_fn(|lane| lanes[0].wrapping_add(stride.wrapping_mul(lane as u32)));
            assert_eq!(lanes, expected, "{value} by {:?}", func.as_op(value));
            affine += u32::from(stride != 0);
        }
    }
    assert!(affine > 500, "only {affine} values with a stride");
}

#[test]
fn typical_addresses_are_found() {
    let mut func = function([64, 1, 1]);
    let mut b = Builder::new(&mut func);
    let (two, three, seven, twelve) = (b.i32(2), b.i32(3), b.i32(7), b.i32(12));
    let index = b.input(Input::ThreadIndex);
    let group = b.input(Input::GroupId(0));
    let bytes = b.op(Op::Shl, &[index, two]);
    let field = b.op(Op::Or, &[bytes, three]);
    let element = b.op(Op::IMul, &[index, twelve]);
    let packet = b.op(Op::UShr, &[index, three]);
    let lane = b.op(Op::And, &[index, seven]);
    let quad = b.op(Op::And, &[index, three]);
    let base = b.op(Op::IMul, &[group, twelve]);
    let moved = b.op(Op::ISub, &[base, element]);
    b.return_();
    let shapes = shapes_of(&func, Packing::Group);
    let affine = |stride| Shape::Affine { stride };
    let found = [bytes, field, element, packet, lane, quad, moved].map(|value| shapes.shape(value));
    let minus_twelve = 12u32.wrapping_neg();
    let pixels = Shape::Quad { across: 1, down: 2 };
    assert_eq!(found, [affine(4), affine(4), affine(12), affine(0), affine(1), pixels, affine(minus_twelve)]);
}

/// Operations on the numbers of a batch, over quads whose values are known lane by lane.
#[test]
fn quads_hold_for_every_lane() {
    let stage = Stage::Pixel(Default::default());
    let mut func = Function::new("test", Interface { stage, ..Interface::default() });
    let mut b = Builder::new(&mut func);
    // The third packet of a batch, so that the base is not zero.
    let mut values: Vec<(Value, [u32; LANES as usize])> =
        vec![(b.input(Input::ThreadId(0)), std::array::from_fn(|lane| 16 + lane as u32))];
    for constant in [0, 1, 2, 3, 4, 5, 8, 0xffff_fffc, 0xffff_fffe, 0xffff_ffff] {
        values.push((b.i32(constant), [constant; LANES as usize]));
    }
    // Uniform in all lanes, but not known.
    const UNKNOWN: u32 = 0x1235;
    values.push((b.input(Input::ThreadId(1)), [UNKNOWN; LANES as usize]));
    // The lower row, times that.
    let (number, one, unknown) = (values[0].0, values[2].0, values[11].0);
    let pair = b.op(Op::UShr, &[number, one]);
    let row = b.op(Op::And, &[pair, one]);
    let start = b.op(Op::IMul, &[row, unknown]);
    values.push((start, std::array::from_fn(|lane| (lane as u32 >> 1 & 1) * UNKNOWN)));
    let ops = [Op::IAdd, Op::ISub, Op::IMul, Op::Shl, Op::UShr, Op::And, Op::Or, Op::UMax];
    for _ in 0..3 {
        for (a, lanes_a) in values.clone().into_iter().rev().take(250) {
            for &(c, lanes_c) in &values.clone()[..13] {
                for op in ops {
                    let eval = |lane: usize| op.eval(&[lanes_a[lane].into(), lanes_c[lane].into()]) as u32;
                    values.push((b.op(op, &[a, c]), std::array::from_fn(eval)));
                }
            }
        }
    }
    b.return_();
    let shapes = shapes_of(&func, Packing::Row);
    let mut found = [0; 4];
    for (value, lanes) in values {
        let (across, down) = match shapes.shape(value) {
            Shape::Quad { across, down } => (across, down),
            Shape::Pairs { across } => {
                let steps = lanes.chunks_exact(2).map(|pair| pair[1].wrapping_sub(pair[0]));
                assert!(steps.eq([across; LANES as usize / 2]), "{value} by {:?}", func.as_op(value));
                found[3] += 1;
                continue;
            }
            _ => continue,
        };
        for quad in lanes.chunks_exact(4) {
            let [a, b, c, d] = [0, across, down, across.wrapping_add(down)].map(|step| quad[0].wrapping_add(step));
            assert_eq!(quad, [a, b, c, d], "{value} by {:?}", func.as_op(value));
        }
        found[usize::from(across != 0) + usize::from(down != 0)] += 1;
    }
    assert!(found.iter().all(|&count| count > 20), "{found:?}");
}

#[test]
fn pixels_of_a_quad_and_what_they_share() {
    let stage = Stage::Pixel(Default::default());
    let arrays = [false, true].map(|is_written| Array { stride_bytes: 8, is_written }).to_vec();
    let mut func = Function::new("test", Interface { stage, arrays, ..Interface::default() });
    let mut b = Builder::new(&mut func);
    let (zero, one, two, three) = (b.i32(0), b.i32(1), b.i32(2), b.i32(3));
    let pixel = b.input(Input::ThreadId(0));
    let quad = b.op(Op::UShr, &[pixel, two]);
    let load = |b: &mut Builder<'_>, array: usize, index: Value| {
        let object = Object::Array(ArrayId::new(array));
        b.load(MemoryRef { object, index: Some(index), offset: zero }, 1)[0]
    };
    let shared = load(&mut b, 0, quad);
    let plane = b.op(Op::AsF32, &[shared]);
    let own = load(&mut b, 0, pixel);
    let written = load(&mut b, 1, quad);
    let across = b.op(Op::And, &[pixel, one]);
    let row = b.op(Op::UShr, &[pixel, one]);
    let down = b.op(Op::And, &[row, one]);
    let x = b.op(Op::IAdd, &[shared, across]);
    let pitch = b.i32(640);
    let y = b.op(Op::IMul, &[down, pitch]);
    let texel = b.op(Op::IAdd, &[x, y]);
    let both = b.op(Op::And, &[pixel, three]);
    let unknown = b.input(Input::ThreadId(1));
    let y = b.op(Op::IMul, &[unknown, down]);
    let target = b.op(Op::IAdd, &[y, x]);
    b.return_();
    let shapes = shapes_of(&func, Packing::Row);
    let of = |across, down| Shape::Quad { across, down };
    let found = [quad, shared, plane, across, down, x, texel, both].map(|value| shapes.shape(value));
    let expected = [of(0, 0), of(0, 0), of(0, 0), of(1, 0), of(0, 1), of(1, 0), of(1, 640), of(1, 2)];
    assert_eq!(found, expected);
    assert_eq!(shapes.shape(target), Shape::Pairs { across: 1 });
    assert_eq!([own, written].map(|value| shapes.shape(value)), [Shape::Scattered; 2]);
}

#[test]
fn strided_loop_keeps_its_stride_inside_only() {
    let mut func = function([64, 1, 1]);
    let mut b = Builder::new(&mut func);
    let (step, end, start) = (b.i32(64), b.i32(1000), b.input(Input::ThreadIndex));
    let (inst, region) = b.loop_(&[start]);
    let outer = b.switch_to(region);
    let at = b.func.region(region).params[0];
    let done = b.op(Op::UGe, &[at, end]);
    b.when(done, |b| b.break_(inst, &[at]));
    let next = b.op(Op::IAdd, &[at, step]);
    b.yield_(&[next]);
    b.switch_to(outer);
    b.return_();
    let shapes = shapes_of(&func, Packing::Group);
    assert_eq!(shapes.shape(at), Shape::Affine { stride: 1 });
    assert!(shapes.in_all_lanes(at));
    assert_eq!(shapes.shape(func.inst(inst).results[0]), Shape::Scattered);
}
