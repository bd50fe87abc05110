//! Tests colours in targets, where whole draws show more than the pixel function: functional specification, 16.9.1,
//! 17.3, 17.5 to 17.7 and 17.15. Equations, ranges and rounding have their own model (`ir/tests/it/pipeline`).

use brolga::raster::{
    Blend, BlendOp, Draw, Equation, Factor, InputElement, LogicOp, Pipeline, PipelineDesc, TargetState,
};
use brolga::{Device, Format};
use brolga_testing::run::module;

use super::canvas::{Canvas, Item, SIZE, everywhere, on_both};
use super::shaders::{self, pixel};

/// The first texel of each of some targets, in bytes, which hold zeros before.
fn drawn(
    formats: &[Format],
    code: &str,
    attribute: [f32; 4],
    set: impl Fn(&mut PipelineDesc),
    with: impl Fn(&Device, &mut Draw<'_>),
) -> Vec<Vec<u8>> {
    let (vertex, shader, vertices) = (shaders::vertex(), pixel(code), everywhere(0.5, attribute));
    on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], formats);
        canvas.draw(Item::new(&vertex, &shader, &vertices).set(&set).with(&with));
        let texel = |n: usize| canvas.bytes(n)[..formats[n].size_bytes() as usize].to_vec();
        (0..formats.len()).map(texel).collect()
    })
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

const RGBA8: Format = Format::R8G8B8A8_UNORM;
const FLOAT: Format = Format::R32G32B32A32_FLOAT;

/// Each target has the output of its number; one that the shader does not declare keeps its content.
#[test]
fn outputs_that_are_not_declared_leave_their_targets() {
    let all = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\ndcl_output o2.xyzw\n\
               mov o0.xyzw, v1.xyzw\nmov o1.xyzw, v1.xyzw\nmov o2.xyzw, v1.xyzw";
    let second = "dcl_input_ps constant v1.xyzw\ndcl_output o1.xyzw\nmov o1.xyzw, v1.xyzw";
    let (vertex, all, second) = (shaders::vertex(), pixel(all), pixel(second));
    let (before, after) = (everywhere(0.5, [1.0; 4]), everywhere(0.5, [1.0, 2.0, 3.0, 4.0]));
    let found = on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &[RGBA8, FLOAT, FLOAT]);
        canvas.pass(&[Item::new(&vertex, &all, &before), Item::new(&vertex, &second, &after)]);
        [0, 1, 2].map(|n| canvas.bytes(n)[..16].to_vec())
    });
    assert_eq!(found[0], [255; 16]);
    assert_eq!([floats(&found[1]), floats(&found[2])], [[1.0, 2.0, 3.0, 4.0], [1.0; 4]]);
}

/// Components that a format lacks are dropped. Those that an output lacks are 0, which the rules leave open.
#[test]
fn components_that_are_missing() {
    let code =
        "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xy\nmov o0.xyzw, v1.xyzw\nmov o1.xy, v1.xyxx";
    let found = drawn(&[Format::R32G32_FLOAT, FLOAT], code, [1.0, 2.0, 3.0, 4.0], |_| {}, |_, _| {});
    assert_eq!((floats(&found[0]), floats(&found[1])), (vec![1.0, 2.0], vec![1.0, 2.0, 0.0, 0.0]));
}

/// Masks select the components that are written, target by target.
#[test]
fn every_target_has_its_write_mask() {
    let code = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\nmov o0.xyzw, v1.xyzw\nmov o1.xyzw, v1.xyzw";
    let set = |desc: &mut PipelineDesc| (desc.targets[0].write_mask, desc.targets[1].write_mask) = (0b0101, 0b1010);
    let found = drawn(&[FLOAT, FLOAT], code, [1.0, 2.0, 3.0, 4.0], set, |_, _| {});
    assert_eq!((floats(&found[0]), floats(&found[1])), (vec![1.0, 0.0, 3.0, 0.0], vec![0.0, 2.0, 0.0, 4.0]));
}

/// The inputs of a blend are clamped to the range of its target, the blend factor included; another target next to it
/// holds more.
#[test]
fn blends_clamp_target_by_target() {
    let code = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\ndcl_output o2.xyzw\n\
                mov o0.xyzw, v1.xyzw\nmov o1.xyzw, v1.xyzw\nmov o2.xyzw, v1.xyzw";
    let formats = [RGBA8, FLOAT, Format::R8G8B8A8_SNORM];
    let set = |desc: &mut PipelineDesc| {
        let equation = |source| Equation { source, destination: Factor::Zero, op: BlendOp::Add };
        let blend = Blend { color: equation(Factor::BlendFactor), alpha: equation(Factor::InverseBlendFactor) };
        desc.targets = formats.map(|format| TargetState::blended(format, blend)).into();
    };
    let with = |_: &Device, draw: &mut Draw<'_>| draw.blend_factor = [2.0, 0.5, -2.0, -2.0];
    let found = drawn(&formats, code, [0.4, 2.0, -0.5, 0.25], set, with);
    // 0.4 by 1; 1 by 0.5; 0 by 0; 0.25 by 1 less 0.
    assert_eq!(found[0], [102, 128, 0, 64]);
    assert_eq!(floats(&found[1]), [0.4 * 2.0, 1.0, 1.0, 0.75]);
    // 0.4 by 1; 1 by 0.5; -0.5 by -1; 0.25 by 1 less -1, which is not clamped.
    assert_eq!(found[2], [51, 64, 64, 64]);
}

/// Integers are written as they are, clamped to the range of the format.
#[test]
fn integers_are_clamped() {
    let code = "dcl_output o0.xyzw\ndcl_output o1.xyzw\nmov o0.xyzw, l(255,256,-1,7)\nmov o1.xyzw, l(127,128,-129,-7)";
    let found = drawn(&[Format::R8G8B8A8_UINT, Format::R8G8B8A8_SINT], code, [0.0; 4], |_| {}, |_, _| {});
    assert_eq!(found[0], [255, 255, 255, 7]);
    assert_eq!(found[1], [127, 127, 128, 249]);
}

/// Colours become the codes of their curve, alpha does not; blending is linear.
#[test]
fn srgb_targets_blend_linear_numbers() {
    let code = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw";
    let format = Format::R8G8B8A8_UNORM_SRGB;
    let found = drawn(&[format], code, [0.5, 0.0, 1.0, 0.5], |_| {}, |_, _| {});
    // 1.055 * 0.5^(1 / 2.4) - 0.055 is 0.7354.
    assert_eq!(found[0], [188, 0, 255, 128]);
    let set = |desc: &mut PipelineDesc| {
        let equation = Equation { source: Factor::One, destination: Factor::One, op: BlendOp::Add };
        desc.targets = vec![TargetState::blended(format, Blend { color: equation, alpha: equation })];
    };
    let (vertex, shader, vertices) = (shaders::vertex(), pixel(code), everywhere(0.5, [0.25; 4]));
    let texel = on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &[format]);
        canvas.pass(&[
            Item::new(&vertex, &shader, &vertices).set(&set),
            Item::new(&vertex, &shader, &vertices).set(&set),
        ]);
        canvas.bytes(0)[..4].to_vec()
    });
    // A quarter is code 137, which is 0.2502 again; twice that is 188. Alpha: 64 and 64.
    assert_eq!(texel, [188, 188, 188, 128]);
}

/// Integers are replaced, or combined bit by bit, next to a target that is blended: each target has its own state. Only
/// the source bits that the target has are used (17.7).
#[test]
fn integers_beside_a_blended_target() {
    let code = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\ndcl_output o2.xyzw\ndcl_output o3.xyzw\n\
                mov o0.xyzw, v1.xyzw\nmov o1.xyzw, l(0xf0,0x10f,0xff,0x55)\nmov o2.xyzw, l(-5,6,70000,-70000)\n\
                mov o3.xyzw, l(0xff00ff00,0,0,0)";
    let formats = [RGBA8, Format::R8G8B8A8_UINT, Format::R16G16B16A16_SINT, Format::R32_UINT];
    let (vertex, shader, vertices) = (shaders::vertex(), pixel(code), everywhere(0.5, [0.25, 0.5, 1.0, 0.5]));
    let set = |desc: &mut PipelineDesc| {
        let one = Equation { source: Factor::One, destination: Factor::One, op: BlendOp::Add };
        desc.targets[0].blend = Some(Blend { color: one, alpha: one });
        desc.targets[1].logic = Some(LogicOp::Xor);
        desc.targets[3].logic = Some(LogicOp::OrInverted);
    };
    let found = on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &formats);
        let item = || Item::new(&vertex, &shader, &vertices).set(&set);
        let texels = || [0, 1, 2, 3].map(|n| canvas.bytes(n)[..formats[n].size_bytes() as usize].to_vec());
        canvas.draw(item());
        let once = texels();
        canvas.draw(item());
        [once, texels()]
    });
    // A quarter is code 64, and a half 128: halves go up. Sums end at 1.
    assert_eq!([&found[0][0], &found[1][0]], [&[64, 128, 255, 128], &[128, 255, 255, 255]]);
    // 0x10f has 0x0f in 8 bits. Twice restores the old value.
    assert_eq!([&found[0][1], &found[1][1]], [&[0xf0, 0x0f, 0xff, 0x55], &[0; 4]]);
    let signed = [-5_i16, 6, 32767, -32768].map(i16::to_le_bytes).concat();
    assert_eq!([&found[0][2], &found[1][2]], [&signed, &signed]);
    // NOT of the source, or of the destination.
    assert_eq!([&found[0][3], &found[1][3]], [&[0xff, 0, 0xff, 0], &[0xff, 0, 0xff, 0]]);
}

/// The message about a pipeline with a target of floats before another one.
fn refused(shader: &[u8], target: TargetState) -> String {
    let device = Device::builder().threads(1).build().unwrap();
    let vertex = shaders::vertex();
    let inputs = ["POSITION", "TEXCOORD", "TEXCOORD1", "TEXCOORD2"].map(|name| InputElement::new(name, FLOAT, 0));
    let mut desc =
        PipelineDesc::new(&module(&vertex), Some(&module(shader))).target(TargetState::new(FLOAT)).target(target);
    desc.input_layout = inputs.into();
    Pipeline::new(&device, &desc).unwrap_err().to_string()
}

/// A state that the formats of targets cannot have is rejected.
#[test]
fn integers_are_not_blended_and_others_have_no_bits() {
    let shader = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(0,0,0,0)");
    let refused = |target| refused(&shader, target);
    let format = Format::R32_UINT;
    let blended = TargetState::blended(format, brolga::raster::ALPHA_BLEND);
    let combined = TargetState { logic: Some(LogicOp::And), ..TargetState::new(RGBA8) };
    for (target, expected) in [
        (blended, "target 1 of the pipeline has format R32_UINT, which cannot be blended"),
        (
            combined,
            "target 1 of the pipeline has format R8G8B8A8_UNORM, which cannot be combined by a logic operation, as unsigned \
             integers are",
        ),
    ] {
        assert!(refused(target).contains(expected), "{}", refused(target));
    }
}

/// The second output of a shader is not for a target, but a source of the first one's blend (17.6).
#[test]
fn the_second_output_is_a_second_source() {
    let code = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\n\
                mov o0.xyzw, v1.xyzw\nmov o1.xyzw, l(0.5,0.25,2.0,0.75)";
    let (vertex, shader) = (shaders::vertex(), pixel(code));
    let (before, after) = (everywhere(0.5, [0.5, 1.0, 0.25, 1.0]), everywhere(0.5, [0.25, 0.5, 0.125, 0.5]));
    for (format, expected) in [
        // Colours are o0 plus o1 times the destination; alpha is the destination less o0 times o1.
        (FLOAT, [0.25 + 0.5 * 0.5, 0.5 + 0.25, 0.125 + 2.0 * 0.25, 1.0 - 0.5 * 0.75]),
        // The inputs of the blend are clamped, the second source too.
        (RGBA8, [0.5, 0.75, 0.375, 0.625]),
    ] {
        let blended = |desc: &mut PipelineDesc| {
            let color = Equation { source: Factor::One, destination: Factor::SecondColor, op: BlendOp::Add };
            let alpha =
                Equation { source: Factor::SecondAlpha, destination: Factor::One, op: BlendOp::ReverseSubtract };
            desc.targets[0].blend = Some(Blend { color, alpha });
        };
        let bytes = on_both(|device, engine| {
            let canvas = Canvas::new(device, engine, [SIZE; 2], &[format]);
            canvas.pass(&[Item::new(&vertex, &shader, &before), Item::new(&vertex, &shader, &after).set(&blended)]);
            canvas.bytes(0)[..format.size_bytes() as usize].to_vec()
        });
        let found: Vec<f32> = match format {
            FLOAT => floats(&bytes),
            _ => bytes.iter().map(|&code| f32::from(code) / 255.0).collect(),
        };
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < if format == FLOAT { 1e-6 } else { 1.1 / 255.0 },
                "{format}: {found} {expected}"
            );
        }
    }
    // There is one target, then.
    let blend = |source| {
        let equation = |source| Equation { source, destination: Factor::Zero, op: BlendOp::Add };
        Blend { color: equation(Factor::One), alpha: equation(source) }
    };
    let second = TargetState::blended(FLOAT, blend(Factor::InverseSecondAlpha));
    let said = refused(&shader, second);
    assert_eq!(said, "target 1 of the pipeline is blended with the second output, so it must be the only one of 2");
}
