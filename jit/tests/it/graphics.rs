//! Runs vertex and pixel shaders in batches: every one of the corpus on random rows, on both engines, with the same
//! bits.

use std::path::{Path, PathBuf};

use brolga_bytecode::{Limits, LoadOptions, Shader, assembler};
use brolga_ir::entity::ArrayId;
use brolga_ir::function::{Input, MemoryRef, Object};
use brolga_ir::interface::{Array, Interface};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::stage::{Signature, Stage, SystemValue};
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::{Builder, Function, Op};
use brolga_testing_base::random::Random;
use rayon::prelude::*;

use crate::bound::{Variants, compare_batch, contents};

/// Loop iterations of a batch: random data makes some loops endless.
const FUEL: u64 = 4_000;

/// The vertex and pixel shaders of the corpus.
fn shaders() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/graphics");
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".cso") && (name.contains(".vs_") || name.contains(".ps_"))
    };
    let entries = std::fs::read_dir(folder).expect("the corpus is part of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(is_wanted).collect();
    paths.sort();
    paths
}

fn function(path: &Path) -> Function {
    let shader = Shader::load(&std::fs::read(path).unwrap(), &LoadOptions::default()).unwrap();
    translate(&shader.program, &TranslateOptions::default()).unwrap()
}

/// A word of an input: floats of ordinary size, numbers for the system's integers, now and then anything.
fn word(system_value: Option<SystemValue>, random: &mut Random) -> u32 {
    match (system_value, random.bits() % 16) {
        (_, 0) => random.bits() as u32,
        (Some(SystemValue::IsFrontFace), n) => 0u32.wrapping_sub(u32::from(n % 2 == 0)),
        (Some(SystemValue::Coverage | SystemValue::Active), n) => (n % 3) as u32,
        (Some(SystemValue::VertexId | SystemValue::InstanceId | SystemValue::PrimitiveId), n) => n as u32,
        _ => ((random.bits() % 8000) as f32 / 1000.0 - 4.0).to_bits(),
    }
}

fn input_rows(signature: &Signature, invocations: u32, random: &mut Random) -> Vec<u32> {
    let mut rows = vec![0; (signature.input_rows() * 4 * invocations) as usize];
    for element in rows.chunks_exact_mut(signature.input_rows().max(1) as usize * 4) {
        for input in &signature.inputs {
            for component in (0..4).filter(|n| input.mask >> n & 1 != 0) {
                element[input.row as usize * 4 + component] = word(input.system_value, random);
            }
        }
    }
    rows
}

#[test]
fn corpus_gives_the_same_bits_on_both_engines() {
    let shaders = shaders();
    assert_eq!(shaders.len(), 65);
    shaders.into_par_iter().enumerate().for_each(|(n, path)| {
        let seed = n as u64 + 1;
        let mut random = Random(seed);
        let plain = function(&path);
        let mut optimised = plain.clone();
        optimise(&mut optimised, Level::Full);
        let mut unoptimised = plain;
        optimise(&mut unoptimised, Level::None);
        let signature = optimised.interface.stage.signature().expect("no compute shader").clone();
        let content = contents(&optimised, || word(None, &mut random));
        // Batches of whole packets, with a rest, of one quad, and now and then one that is cut in two.
        let long = if seed.is_multiple_of(8) { Some(1100) } else { None };
        for invocations in [32, 52, 4].into_iter().chain(long) {
            let rows = input_rows(&signature, invocations, &mut random);
            let outputs = vec![0xdead_beef; (signature.output_rows() * 4 * invocations) as usize];
            let mut arrays = Vec::new();
            arrays.extend(signature.input_array.map(|_| rows));
            arrays.extend(signature.output_array.map(|_| outputs));
            let plain = compare_batch(&unoptimised, &content, &arrays, invocations, FUEL, Variants::OfMany);
            let fast = compare_batch(&optimised, &content, &arrays, invocations, FUEL, Variants::OfMany);
            if plain.end.is_err() || fast.end.is_err() {
                continue;
            }
            assert_eq!(fast, plain, "{}, {invocations} invocations", path.display());
        }
    });
}

/// Translates assembly text.
fn assembled(text: &str) -> Function {
    let assembly = assembler::assemble(text, &Limits::default()).expect("the test's shader is right");
    let shader = Shader::load(&assembly.bytes, &LoadOptions::default()).expect("the test's shader is right");
    let mut func = translate(&shader.program, &TranslateOptions::default()).expect("the test's shader is right");
    optimise(&mut func, Level::Full);
    func
}

fn bits(rows: &[[f32; 4]]) -> Vec<u32> {
    rows.iter().flatten().map(|number| number.to_bits()).collect()
}

/// Registers have the rows of their numbers, system values too; unwritten ones are 0.
#[test]
fn vertices_are_transformed() {
    let func = assembled(
        "vs_5_0
        dcl_constantbuffer CB0[4], immediateIndexed
        dcl_input v0.xyz
        dcl_input v2.xy
        dcl_input_sgv v3.x, vertex_id
        dcl_output_siv o0.xyzw, position
        dcl_output o1.xyzw
        dcl_temps 1
        dp3 o0.x, v0.xyzx, cb0[0].xyzx
        dp3 o0.y, v0.xyzx, cb0[1].xyzx
        mov o0.z, v0.z
        mov o0.w, l(1.0)
        utof r0.x, v3.x
        ge r0.y, r0.x, l(2.0)
        if_nz r0.y
          mov o1.xy, v2.yxyy
          ret
        endif
        mov o1.xyz, v2.xyxx
        ret",
    );
    let constants = bits(&[[1.0, 2.0, 3.0, 0.0], [0.5, 0.0, -1.0, 0.0], [0.0; 4], [0.0; 4]]);
    let count = 21;
    let position = |n: u32| [n as f32, 2.0 - n as f32, 0.25 * n as f32];
    let coordinates = |n: u32| [n as f32 + 0.5, -1.0];
    let mut inputs = Vec::new();
    let mut expected = Vec::new();
    for n in 0..count {
        let ([x, y, z], [u, v]) = (position(n), coordinates(n));
        // Undeclared rows hold anything.
        inputs.extend(bits(&[[x, y, z, 99.0], [7.0; 4], [u, v, 99.0, 99.0]]));
        inputs.extend([n, 5, 6, 7]);
        let o1 = if n >= 2 { [v, u, 0.0, 0.0] } else { [u, v, u, 0.0] };
        expected.extend(bits(&[[x + 2.0 * y + 3.0 * z, 0.5 * x - z, z, 1.0], o1]));
    }
    let outputs = vec![0xdead_beef; count as usize * 8];
    let content = vec![vec![constants]];
    let outcome = compare_batch(&func, &content, &[inputs, outputs], count, FUEL, Variants::All);
    assert_eq!(outcome.end, Ok(()));
    assert_eq!(outcome.arrays[1], expected);
}

/// A discarded pixel continues as a helper: its quad reads its values, and only earlier code has effects.
#[test]
fn discarded_and_helper_pixels_have_no_effects() {
    let func = assembled(
        "ps_5_0
        dcl_uav_raw u0
        dcl_input_ps linear v0.xy
        dcl_output o0.xy
        dcl_temps 2
        imm_atomic_iadd r1.x, u0, l(0), l(1)
        lt r0.x, v0.x, l(0.0)
        discard_nz r0.x
        imm_atomic_iadd r1.y, u0, l(4), l(1)
        deriv_rtx_coarse r0.y, v0.y
        mov o0.x, r0.y
        mov o0.y, v0.x
        ret",
    );
    let signature = func.interface.stage.signature().unwrap().clone();
    let row_of = |parameters: &[brolga_ir::stage::Parameter], value| {
        parameters.iter().find(|parameter| parameter.system_value == Some(value)).unwrap().row as usize
    };
    let active = row_of(&signature.inputs, SystemValue::Active);
    let discarded = row_of(&signature.outputs, SystemValue::Discarded);
    assert_eq!((signature.input_rows(), signature.output_rows()), (2, 2));
    let count = 24;
    let x = |n: u32| if n.is_multiple_of(3) { -1.0 } else { n as f32 };
    let covered = |n: u32| n % 5 != 1;
    let mut inputs = vec![0; count as usize * 8];
    for n in 0..count {
        let element = &mut inputs[n as usize * 8..][..8];
        element[..2].copy_from_slice(&[x(n).to_bits(), ((n * n) as f32).to_bits()]);
        element[active * 4] = u32::from(covered(n));
    }
    let outcome =
        compare_batch(&func, &[vec![vec![0; 2]]], &[inputs, vec![1; count as usize * 8]], count, FUEL, Variants::All);
    assert_eq!(outcome.end, Ok(()));
    for n in 0..count {
        let element = &outcome.arrays[1][n as usize * 8..][..8];
        let quad = n / 4 * 4;
        let slope = ((quad + 1) * (quad + 1)) as f32 - (quad * quad) as f32;
        assert_eq!(element[..2], [slope.to_bits(), x(n).to_bits()], "pixel {n}");
        assert_eq!(element[discarded * 4], if x(n) < 0.0 { u32::MAX } else { 0 }, "pixel {n}");
    }
    let drawn = (0..count).filter(|&n| covered(n));
    let [before, after] = [drawn.clone().count(), drawn.filter(|&n| x(n) >= 0.0).count()];
    let words = &outcome.memory[0][0];
    let found: Vec<u32> = words[words.len() - 3..words.len() - 1].to_vec();
    assert_eq!(found, [before as u32, after as u32]);
}

/// A computed index chooses among inputs and among outputs.
#[test]
fn registers_can_be_chosen_by_an_index() {
    let func = assembled(
        "vs_4_0
        dcl_input v0.xy
        dcl_input v1.xy
        dcl_input v2.x
        dcl_output o0.xy
        dcl_output o1.xy
        dcl_output o2.xy
        dcl_indexrange v0.xy, 2
        dcl_indexrange o1.xy, 2
        dcl_temps 1
        mov r0.x, v2.x
        mov o0.xy, v[r0.x + 0].xyxx
        mov o1.xy, l(1, 2, 0, 0)
        mov o2.xy, l(3, 4, 0, 0)
        mov o[r0.x + 1].y, l(9)
        ret",
    );
    let count = 10;
    let (mut inputs, mut expected) = (Vec::new(), Vec::new());
    for n in 0..count {
        let chosen = n % 2;
        inputs.extend([10 * n, 10 * n + 1, 0, 0, 100 * n, 100 * n + 1, 0, 0, chosen, 0, 0, 0]);
        let factor = if chosen == 0 { 10 } else { 100 };
        let (o1, o2) = if chosen == 0 { ([1, 9], [3, 4]) } else { ([1, 2], [3, 9]) };
        expected.extend([factor * n, factor * n + 1, 8, 8, o1[0], o1[1], 8, 8, o2[0], o2[1], 8, 8]);
    }
    let outcome = compare_batch(&func, &[], &[inputs, vec![8; expected.len()]], count, FUEL, Variants::All);
    assert_eq!((outcome.end, &outcome.arrays[1]), (Ok(()), &expected));
}

/// A caller that passes less memory than the batch has invocations gets zeros, and nothing is written outside.
#[test]
fn arrays_may_be_too_short() {
    let func = assembled(
        "vs_4_0
        dcl_input v0.x
        dcl_output o0.xy
        mov o0.x, v0.x
        mov o0.y, l(7)
        ret",
    );
    let outcome = compare_batch(&func, &[], &[(0..4 * 5).collect(), vec![8; 4 * 9]], 21, FUEL, Variants::All);
    let expected: Vec<u32> = (0..9).flat_map(|n| [if n < 5 { 4 * n } else { 0 }, 7, 8, 8]).collect();
    assert_eq!((outcome.end, &outcome.arrays[1]), (Ok(()), &expected));
}

/// Reads shared by the four pixels of a quad are done once: in range and not, by all lanes and by some.
#[test]
fn quads_share_what_they_read() {
    let quads = 11u32;
    for limit in [4 * quads, 4 * quads - 3, 17] {
        let cases = [(quads, false), (quads, true), (6, false), (6, true), (0, true)];
        for ((elements, halves), fills_packets) in cases.into_iter().flat_map(|case| [(case, false), (case, true)]) {
            let stage = Stage::Pixel(Signature::default());
            let arrays =
                vec![Array { stride_bytes: 12, is_written: false }, Array { stride_bytes: 8, is_written: true }];
            let mut func = Function::new("quads", Interface { stage, arrays, fills_packets, ..Interface::default() });
            let mut b = Builder::new(&mut func);
            let [zero, one, two, four] = [0, 1, 2, 4].map(|word| b.i32(word));
            let always = b.bool(true);
            let pixel = b.input(Input::ThreadId(0));
            let quad = b.op(Op::UShr, &[pixel, two]);
            let odd = b.op(Op::And, &[pixel, one]);
            let takes_part = if halves { b.op(Op::IEq, &[odd, one]) } else { always };
            let (_, then_region, else_region) = b.if_else(takes_part, &[]);
            let outer = b.switch_to(then_region);
            let read = MemoryRef { object: Object::Array(ArrayId::new(0)), index: Some(quad), offset: four };
            let words = b.load(read, 2);
            let written = MemoryRef { object: Object::Array(ArrayId::new(1)), index: Some(pixel), offset: zero };
            b.store(written, &words, always);
            b.yield_(&[]);
            b.switch_to(else_region);
            b.yield_(&[]);
            b.switch_to(outer);
            b.return_();
            let content: Vec<u32> = (0..3 * elements).map(|n| 1000 + n).collect();
            let outcome =
                compare_batch(&func, &[], &[content, vec![5; 2 * 4 * quads as usize]], limit, FUEL, Variants::All);
            let end = if fills_packets { limit.next_multiple_of(func.width.lanes()) } else { limit };
            let expected: Vec<u32> = (0..4 * quads)
                .flat_map(|n| match (n < end && (!halves || n % 2 == 1), n / 4 < elements) {
                    (false, _) => [5, 5],
                    (true, true) => [1001 + 3 * (n / 4), 1002 + 3 * (n / 4)],
                    (true, false) => [0, 0],
                })
                .collect();
            assert_eq!((outcome.end, &outcome.arrays[1]), (Ok(()), &expected), "{limit}, {elements}, {halves}");
        }
    }
}

/// Texels of a picture's quads are two adjacent words, twice: in range and not, written by all lanes and by some.
#[test]
fn quads_of_a_picture_are_read_and_written() {
    const PITCH: u32 = 9;
    const QUADS: u32 = 16;
    let mut random = Random(5);
    for (limit, texels) in [(4 * QUADS, 90), (4 * QUADS, 40), (30, 90), (19, 23), (4 * QUADS, 0)] {
        for (writers, fills_packets) in [(15, true), (15, false), (6, true), (0, true), (9, false)] {
            let stage = Stage::Pixel(Signature::default());
            let arrays = [(8, false), (4, false), (4, true)]
                .map(|(stride_bytes, is_written)| Array { stride_bytes, is_written })
                .to_vec();
            let mut func = Function::new("picture", Interface { stage, arrays, fills_packets, ..Interface::default() });
            let mut b = Builder::new(&mut func);
            let [zero, one, two, three] = [0, 1, 2, 3].map(|word| b.i32(word));
            let place = |array: usize, index, offset| MemoryRef {
                object: Object::Array(ArrayId::new(array)),
                index: Some(index),
                offset,
            };
            let pixel = b.input(Input::ThreadId(0));
            let quad = b.op(Op::UShr, &[pixel, two]);
            let in_quad = b.op(Op::And, &[pixel, three]);
            let across = b.op(Op::And, &[in_quad, one]);
            let down = b.op(Op::UShr, &[in_quad, one]);
            let corner = b.load(place(0, quad, zero), 2);
            let pitch = b.load(place(1, zero, zero), 1)[0];
            let x = b.op(Op::IAdd, &[corner[0], across]);
            let y = b.op(Op::IAdd, &[corner[1], down]);
            let row = b.op(Op::IMul, &[y, pitch]);
            let texel = b.op(Op::IAdd, &[row, x]);
            let old = b.load(place(2, texel, zero), 1)[0];
            let new = b.op(Op::IMul, &[old, three]);
            let new = b.op(Op::IAdd, &[new, pixel]);
            let (bit, writers_bits) = (b.op(Op::Shl, &[one, in_quad]), b.i32(writers));
            let bit = b.op(Op::And, &[writers_bits, bit]);
            let writes = b.op(Op::INe, &[bit, zero]);
            b.store(place(2, texel, zero), &[new], writes);
            b.return_();

            let corners: Vec<u32> = (0..QUADS).flat_map(|n| [n % 4 * 2, n / 4 * 2]).collect();
            let before: Vec<u32> = (0..texels).map(|_| random.below(1000) as u32).collect();
            let outcome =
                compare_batch(&func, &[], &[corners.clone(), vec![PITCH], before.clone()], limit, FUEL, Variants::All);
            let end = if fills_packets { limit.next_multiple_of(func.width.lanes()) } else { limit };
            let mut expected = before;
            for n in (0..end).filter(|n| writers >> (n % 4) & 1 != 0) {
                let corner = |axis: u32| corners.get((n / 4 * 2 + axis) as usize).copied().unwrap_or(0);
                let texel = (corner(1) + n % 4 / 2) * PITCH + corner(0) + n % 2;
                if let Some(word) = expected.get_mut(texel as usize) {
                    *word = 3 * *word + n;
                }
            }
            assert_eq!((outcome.end, &outcome.arrays[2]), (Ok(()), &expected), "{limit}, {texels}, {writers}");
        }
    }
}
