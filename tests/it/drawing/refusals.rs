//! Tests the messages about pipelines and draws whose parts do not match, and combinations that are valid in Direct3D
//! 11.

use brolga::raster::{Draw, InputElement, Pass, Pipeline, PipelineDesc, TargetState, Targets, VertexBuffer};
use brolga::{BindingRules, Bindings, Device, Format, StageKind, TextureShape, View};
use brolga_testing::run::module;

use super::canvas::{Canvas, Item, SIZE, Vertex, everywhere, on_both};
use super::shaders::{self, pixel, vertex};

fn device() -> Device {
    Device::builder().threads(1).build().unwrap()
}

fn complaint(desc: &PipelineDesc) -> String {
    Pipeline::new(&device(), desc).map(|_| ()).expect_err("it is wrong").to_string()
}

#[test]
fn a_shader_of_another_stage_is_told_first() {
    let (vertex, pixel) = (vertex(), shaders::attribute("linear"));
    let compute = brolga_testing::run::assemble("cs_5_0\ndcl_thread_group 1, 1, 1\nret");
    let nine = |text: &str| {
        let limits = Default::default();
        brolga::bytecode::sm3::encode(&brolga::bytecode::sm3::assemble(text, &limits).unwrap())
    };
    let (nine_vertex, nine_pixel) = (nine("vs_2_0\ndcl_position v0\nmov oPos, v0"), nine("ps_2_0\nmov oC0, c0"));
    for (vs, ps, said) in [
        // Other missing parts do not matter: there is no input layout either.
        (&pixel, Some(&vertex), "the pipeline's vertex shader is a pixel shader"),
        (&pixel, None, "the pipeline's vertex shader is a pixel shader"),
        (&vertex, Some(&vertex), "the pipeline's pixel shader is a vertex shader"),
        (&compute, Some(&pixel), "the pipeline's vertex shader is a compute shader"),
        (&vertex, Some(&compute), "the pipeline's pixel shader is a compute shader"),
        (&nine_pixel, Some(&nine_vertex), "the pipeline's vertex shader is a pixel shader"),
        (&nine_vertex, Some(&nine_vertex), "the pipeline's pixel shader is a vertex shader"),
    ] {
        assert_eq!(complaint(&PipelineDesc::new(&module(vs), ps.map(|ps| module(ps)).as_ref())), said);
    }
}

#[test]
fn a_misspelt_element_is_told() {
    let (vertex, pixel) = (module(&vertex()), module(&shaders::attribute("linear")));
    let desc = |semantics: [&str; 4]| {
        let element = |semantic| InputElement::new(semantic, Format::R32G32B32A32_FLOAT, 0);
        let desc = PipelineDesc::new(&vertex, Some(&pixel)).target(TargetState::new(Format::R8G8B8A8_UNORM));
        semantics.into_iter().fold(desc, |desc, semantic| desc.input(element(semantic)))
    };
    let read = |input: &str| format!("the vertex shader reads {input}, for which the input layout has no element");
    for (semantics, said) in [
        (
            ["POSITON", "TEXCOORD", "TEXCOORD1", "TEXCOORD2"],
            read("POSITION0 from v0.xyzw") + ": did you mean it where it has `POSITON0`?",
        ),
        (
            ["POSITION", "TEXCOORD", "TEXCORD1", "TEXCOORD2"],
            read("TEXCOORD1 from v2.xyzw") + ": did you mean it where it has `TEXCORD1`?",
        ),
        // An element that is read already was meant.
        (["POSITION", "TEXCOORD", "TEXCOORD2", "COLOR"], read("TEXCOORD1 from v2.xyzw")),
    ] {
        assert_eq!(complaint(&desc(semantics)), said);
    }
}

/// A draw of three vertices whose shaders have a constant buffer each, with these bindings.
fn drawn(bindings: [Option<&Bindings>; 2]) -> Result<(), String> {
    let device = device();
    let vertex = shaders::vertex_with(
        &shaders::INPUTS,
        &shaders::OUTPUTS,
        "dcl_constantbuffer cb1[1], immediateIndexed\ndcl_output o1.xyzw\ndcl_output o2.xyzw\ndcl_output o3.xyzw",
        "mov o1.xyzw, cb1[0].xyzw",
    );
    let pixel = pixel("dcl_constantbuffer cb2[1], immediateIndexed\ndcl_output o0.xyzw\nmov o0.xyzw, cb2[0].xyzw");
    let mut desc = PipelineDesc::new(&module(&vertex), Some(&module(&pixel)));
    desc = desc.target(TargetState::new(Format::R8G8B8A8_UNORM));
    for semantic in ["POSITION", "TEXCOORD", "TEXCOORD1", "TEXCOORD2"] {
        desc = desc.input(InputElement::new(semantic, Format::R32G32B32A32_FLOAT, 0));
    }
    let pipeline = Pipeline::new(&device, &desc).unwrap();
    let target = device.texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 4, 4)).unwrap();
    let mut pass = Pass::new(&device, Targets { colors: vec![View::texture(target)], depth: None }).unwrap();
    let mut draw = Draw::new(&pipeline, 3);
    [draw.bindings[StageKind::Vertex], draw.bindings[StageKind::Pixel]] = bindings;
    pass.draw(&draw).map(|_| ()).map_err(|error| error.to_string())
}

/// As in a dispatch; the rules of the bindings may say otherwise.
#[test]
fn what_is_not_bound_names_the_stage() {
    let device = device();
    let constants = View::constant(device.buffer(16).unwrap()).unwrap();
    let bound = |register: &str| {
        let mut bindings = Bindings::new();
        bindings.set(register.parse().unwrap(), constants.clone());
        bindings
    };
    let said = |stage: &str, register: &str| {
        Err(format!(
            "the {stage} shader: {register} is declared as constant buffer of 1 vector but nothing is bound to it"
        ))
    };
    assert_eq!(drawn([Some(&bound("b1")), None]), said("pixel", "b2"));
    assert_eq!(drawn([None, Some(&bound("b2"))]), said("vertex", "b1"));
    assert_eq!(drawn([Some(&bound("b1")), Some(&bound("b2"))]), Ok(()));
    let partial = Bindings::with_rules(BindingRules::PARTIAL);
    assert_eq!(drawn([Some(&partial), Some(&partial)]), Ok(()));
}

/// Elements of a vertex buffer that is not bound.
#[test]
fn elements_without_a_vertex_buffer_are_zero() {
    let (vertex, pixel) = (vertex(), shaders::attribute("constant"));
    let vertices = everywhere(0.5, [3.0; 4]);
    for (slot, more, expected) in [(1, 0, [0.0; 4]), (2, 1, [0.0; 4]), (31, 0, [0.0; 4]), (1, 1, [7.0; 4])] {
        let texels = on_both(|device, engine| {
            let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
            let set = |desc: &mut PipelineDesc| desc.input_layout[1] = desc.input_layout[1].clone().slot(slot);
            let with = |device: &Device, draw: &mut Draw<'_>| {
                let others: [Vertex; 3] = [[[7.0_f32.to_bits(); 4]; 4]; 3];
                let buffer = || device.buffer_from(&others).unwrap();
                draw.vertex_buffers.extend((0..more).map(|_| VertexBuffer {
                    buffer: buffer(),
                    offset_bytes: 0,
                    stride_bytes: size_of::<Vertex>() as u32,
                }));
            };
            canvas.draw(Item::new(&vertex, &pixel, &vertices).set(&set).with(&with));
            canvas.texels(0)
        });
        assert!(texels.iter().all(|texel| *texel == expected.map(f32::to_bits)), "slot {slot}: {:?}", texels[0]);
    }
}

/// As those past the end of a bound one are.
#[test]
fn vertices_past_the_end_of_a_buffer_are_zero() {
    let (vertex, pixel) = (vertex(), shaders::attribute("constant"));
    let vertices = everywhere(0.5, [3.0; 4]);
    let drawn = |offset_bytes: u64| {
        let device = device();
        let canvas = Canvas::new(&device, brolga::Engine::Interpreter, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
        let set = |desc: &mut PipelineDesc| desc.input_layout[1] = desc.input_layout[1].clone().slot(1);
        let with = |device: &Device, draw: &mut Draw<'_>| {
            let buffer = device.buffer_from(&[7.0_f32; 4]).unwrap();
            draw.vertex_buffers.push(VertexBuffer { buffer, offset_bytes, stride_bytes: 0 });
        };
        let item = Item::new(&vertex, &pixel, &vertices).set(&set).with(&with);
        let pipeline = canvas.pipeline(&item);
        canvas.try_pass(&[item], &[pipeline]).map_err(|error| error.to_string())?;
        Ok::<_, String>(canvas.texels(0)[0].map(f32::from_bits))
    };
    // The element is at byte 16 of a vertex, and the second attribute is the output of the pixel shader.
    for offset in [0, 16, 20, 1 << 40, u64::MAX - 3] {
        assert_eq!(drawn(offset), Ok([0.0; 4]), "from byte {offset}");
    }
    assert_eq!(drawn(6), Err("vertex buffer 1 begins at byte 6, not at a multiple of 4".to_owned()));
}

/// Transformed vertices are Direct3D 9's; elsewhere that is a name like others, which nothing reads here.
#[test]
fn in_direct3d_11_a_vertex_shader_is_never_replaced() {
    let (vertex, pixel) = (vertex(), shaders::attribute("constant"));
    let vertices = everywhere(0.5, [3.0; 4]);
    let texels = on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
        let more = InputElement::new("POSITIONT", Format::R32G32B32A32_FLOAT, 0);
        let set = |desc: &mut PipelineDesc| desc.input_layout.push(more.clone());
        canvas.draw(Item::new(&vertex, &pixel, &vertices).set(&set));
        canvas.texels(0)
    });
    assert!(texels.iter().all(|texel| *texel == [3.0; 4].map(f32::to_bits)));
}
