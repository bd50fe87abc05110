//! Tests what is refused of geometry shaders and of stream output, and what is said.

use brolga::raster::{
    Draw, DrawError, IndexBuffer, Pass, Pipeline, PipelineDesc, StreamOutput, StreamOutputEntry, StreamTarget,
    TargetState, Targets, Topology,
};
use brolga::{Device, Format, Limits, Module, Semantic, StageKind};
use brolga_testing::run::module;

use super::super::drawing::shaders::{OUTPUTS, pixel, shader};

/// A vertex shader without inputs that writes what geometry shaders read.
fn vertex(outputs: &[&str]) -> Module {
    let code = "dcl_globalFlags refactoringAllowed\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\n\
                mov o0.xyzw, l(0,0,0,0)\nmov o1.xyzw, l(0,0,0,0)";
    module(&shader("vs_5_0", &[], outputs, code))
}

/// A geometry shader of points with two streams.
fn geometry() -> Module {
    let code = "dcl_globalFlags refactoringAllowed\ndcl_input_siv v[1][0].xyzw, position\ndcl_input v[1][1].xyzw\n\
                dcl_inputprimitive point\ndcl_stream m0\ndcl_outputtopology pointlist\n\
                dcl_output_siv o0.xyzw, position\ndcl_stream m2\ndcl_outputtopology pointlist\ndcl_output o0.xy\n\
                dcl_maxout 2\nmov o0.xyzw, v[0][1].xyzw\nemit_stream m0\nemit_stream m2";
    module(&shader("gs_5_0", &OUTPUTS[..2], &["m0:SV_Position 0 xyzw 0 POS float", "m2:SIZE 1 xy 0 NONE float"], code))
}

fn device() -> Device {
    Device::builder().threads(1).build().unwrap()
}

/// A pipeline of both shaders.
fn desc() -> PipelineDesc {
    let mut desc = PipelineDesc::new(&vertex(&OUTPUTS[..2]), None);
    desc.modules[StageKind::Geometry] = Some(geometry());
    desc.topology = Topology::PointList;
    desc
}

fn refused(desc: &PipelineDesc) -> String {
    match Pipeline::new(&device(), desc) {
        Ok(_) => "nothing is said".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn entry(stream: u32, semantic: Option<&str>, first_component: u32, components: u32, buffer: u32) -> StreamOutputEntry {
    let semantic = semantic.map(|name| Semantic::new(name, u32::from(name == "SIZE")));
    StreamOutputEntry { stream, semantic, first_component, components, buffer }
}

#[test]
fn shaders_that_do_not_fit_are_refused() {
    let mut other = desc();
    other.topology = Topology::LineStripAdjacent;
    assert_eq!(refused(&other), "the geometry shader takes primitives `point`, but the topology is LINESTRIP_ADJ");

    let mut missing = desc();
    missing.modules[StageKind::Vertex] = Some(vertex(&[OUTPUTS[0], "COLOR 0 xyzw 1 NONE float"]));
    assert_eq!(
        refused(&missing),
        "the geometry shader reads TEXCOORD0 from v1.xyzw, but the vertex shader writes COLOR0 to o1.xyzw"
    );

    let mut patches = desc();
    patches.modules[StageKind::Geometry] = None;
    patches.topology = Topology::Patch3;
    patches.depth_format = Some(Format::D32_FLOAT);
    assert_eq!(
        refused(&patches),
        "patches cannot be rasterized without hull and domain shaders, or a geometry shader that takes them"
    );

    // A number of the primitive that the geometry shader does not hand on.
    let mut numbered = desc();
    numbered.modules[StageKind::Pixel] = Some(module(&shader(
        "ps_5_0",
        &["SV_PrimitiveID 0 x 1 PRIMID uint"],
        &[],
        "dcl_globalFlags refactoringAllowed\ndcl_input_ps_sgv constant v1.x, primitive_id\ndcl_output o0.xyzw\n\
         mov o0.xyzw, v1.xxxx",
    )));
    numbered = numbered.target(TargetState::new(Format::R32_UINT));
    assert_eq!(
        refused(&numbered),
        "the pixel shader reads SV_PrimitiveID0 from v1.x, but the geometry shader writes nothing to o1"
    );

    // Stream 2 has no position.
    let mut drawn = desc();
    drawn.modules[StageKind::Pixel] = Some(module(&pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(0,0,0,0)")));
    drawn = drawn.target(TargetState::new(Format::R8G8B8A8_UNORM));
    drawn.modules[StageKind::Pixel] = Some(module(&shader(
        "ps_5_0",
        &[],
        &[],
        "dcl_globalFlags refactoringAllowed\ndcl_output o0.xyzw\nmov o0.xyzw, l(0,0,0,0)",
    )));
    drawn.stream_output = Some(StreamOutput { rasterized_stream: Some(2), ..StreamOutput::default() });
    assert_eq!(refused(&drawn), "the geometry shader writes no SV_Position, without which nothing can be drawn");
    drawn.stream_output = Some(StreamOutput { rasterized_stream: Some(1), ..StreamOutput::default() });
    assert_eq!(refused(&drawn), "stream output: stream 1 is to be rasterized, which the geometry shader does not have");
}

#[test]
fn declarations_of_stream_output_are_checked() {
    let said = |entries: Vec<StreamOutputEntry>, strides: &[u32]| {
        let strides = strides.to_vec();
        refused(&PipelineDesc {
            stream_output: Some(StreamOutput { entries, strides, rasterized_stream: None }),
            ..desc()
        })
    };
    let position = |count| entry(0, Some("SV_Position"), 0, count, 0);
    assert_eq!(said(vec![position(4)], &[]), "nothing is said");
    assert_eq!(
        said(vec![position(4), entry(0, Some("SV_Positoin"), 0, 4, 0)], &[]),
        "stream output: entry 1 is SV_Positoin0, which the geometry shader does not write to stream 0 [did you mean \
         `SV_Position0`?]"
    );
    assert_eq!(
        said(vec![entry(2, Some("SV_Position"), 0, 4, 0)], &[]),
        "stream output: entry 0 is SV_Position0, which the geometry shader does not write to stream 2"
    );
    assert_eq!(
        said(vec![entry(2, Some("SIZE"), 1, 2, 0)], &[]),
        "stream output: entry 0 has components 1 to 3 of SIZE1, which has 2"
    );
    assert_eq!(
        said(vec![entry(4, Some("SIZE"), 0, 1, 0)], &[]),
        "stream output: entry 0 is of stream 4 for buffer 0: there are 0 to 3 of each"
    );
    assert_eq!(
        said(vec![position(1), entry(2, Some("SIZE"), 0, 1, 0)], &[]),
        "stream output: entry 1 is of stream 2, but buffer 0 takes stream 0 already"
    );
    assert_eq!(
        said(vec![position(4)], &[12]),
        "stream output: the stride of buffer 0 is 12: it must be 16 to 2048, a multiple of 4"
    );
    assert_eq!(
        said(vec![position(4)], &[18]),
        "stream output: the stride of buffer 0 is 18: it must be 16 to 2048, a multiple of 4"
    );
    assert_eq!(
        said(vec![entry(0, None, 0, 600, 0)], &[]),
        "stream output: entry 0 ends at byte 2400 of buffer 0: 2048 is the most"
    );
    assert_eq!(
        said(vec![position(1), entry(0, None, 0, 127, 0), position(1)], &[]),
        "stream output: buffer 0 gets 516 bytes of a vertex: 512 are the most"
    );
    assert_eq!(
        said((0..33).map(|_| position(4)).collect(), &[]),
        "stream output: stream 0 has 132 scalars a vertex: 128 are the most"
    );
}

#[test]
fn buffers_of_a_draw_are_checked() {
    let device = device();
    let entries = vec![entry(0, Some("SV_Position"), 0, 4, 0), entry(2, Some("SIZE"), 0, 2, 1)];
    let output = StreamOutput { entries, strides: Vec::new(), rasterized_stream: None };
    let streams = Pipeline::new(&device, &PipelineDesc { stream_output: Some(output), ..desc() }).unwrap();
    let plain = Pipeline::new(&device, &desc()).unwrap();
    let [one, other] = [(); 2].map(|()| device.buffer(64).unwrap());
    let target = |buffer: &brolga::Buffer, offset_bytes| Some(StreamTarget { buffer: buffer.clone(), offset_bytes });
    let said = |pipeline: &Pipeline, targets: Vec<Option<StreamTarget>>, change: &dyn Fn(&mut Draw<'_>)| {
        let mut draw = Draw::new(pipeline, 1);
        draw.stream_targets = targets;
        change(&mut draw);
        let done = Pass::new(&device, Targets::default()).unwrap().draw(&draw);
        done.map_or_else(|error| error.to_string(), |_| "nothing is said".to_owned())
    };
    assert_eq!(said(&streams, vec![target(&one, Some(4)), target(&other, None)], &|_| {}), "nothing is said");
    assert_eq!(said(&streams, vec![], &|_| {}), "nothing is said");
    // What no entry names is not looked at.
    let many = vec![None, target(&one, Some(0)), target(&one, Some(2))];
    assert_eq!(said(&streams, many, &|_| {}), "nothing is said");
    assert_eq!(
        said(&plain, vec![target(&one, None)], &|_| {}),
        "stream output: the draw has buffers for it, but the pipeline streams nothing out"
    );
    assert_eq!(
        said(&streams, vec![target(&one, Some(6))], &|_| {}),
        "stream output: buffer 0 is written from byte 6 on, not from a multiple of 4"
    );
    assert_eq!(
        said(&streams, vec![target(&one, None), target(&one, None)], &|_| {}),
        "stream output: buffers 0 and 1 are the same memory"
    );
    assert_eq!(said(&streams, vec![None; 5], &|_| {}), "stream output: the draw has 5 buffers, but 4 are the most");
    let indices = |draw: &mut Draw<'_>| {
        draw.index_buffer = Some(IndexBuffer { buffer: one.clone(), offset_bytes: 0, is_short: false });
    };
    assert_eq!(
        said(&streams, vec![target(&one, None)], &indices),
        "stream output: buffer 0 is the index buffer of the same draw"
    );

    let auto = |change: &dyn Fn(&mut Draw<'_>)| {
        let mut draw = Draw::new(&plain, 1);
        change(&mut draw);
        Pass::new(&device, Targets::default()).unwrap().draw_auto(&draw).unwrap_err().to_string()
    };
    assert_eq!(auto(&|_| {}), "stream output: a draw of what was streamed out has no vertex buffer");
    let without_stride = |draw: &mut Draw<'_>| *draw = draw.clone().vertex_buffer(one.clone(), 0);
    assert_eq!(
        auto(&without_stride),
        "stream output: a draw of what was streamed out has a vertex buffer without a stride"
    );
    assert_eq!(auto(&indices), "stream output: what was streamed out is not drawn with an index buffer");
}

/// A buffer that is read and written in one draw: the vertices, and a resource of a shader.
#[test]
fn what_is_streamed_to_is_not_read_in_the_same_draw() {
    let device = device();
    let vertex = shader(
        "vs_5_0",
        &["PLACE 0 xyzw 0 NONE float"],
        &["PLACE 0 xyzw 0 NONE float"],
        "dcl_globalFlags refactoringAllowed\ndcl_input v0.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v0.xyzw",
    );
    let mut desc = PipelineDesc::new(&module(&vertex), None);
    desc = desc.input(brolga::raster::InputElement::new("PLACE", Format::R32G32B32A32_FLOAT, 0));
    let entries = vec![entry(0, Some("PLACE"), 0, 4, 0)];
    desc.stream_output = Some(StreamOutput { entries, strides: Vec::new(), rasterized_stream: None });
    let pipeline = Pipeline::new(&device, &desc).unwrap();
    let buffer = device.buffer(64).unwrap();
    let mut draw = Draw::new(&pipeline, 3).vertex_buffer(buffer.clone(), 16);
    draw.stream_targets = vec![Some(StreamTarget { buffer, offset_bytes: None })];
    let error = Pass::new(&device, Targets::default()).unwrap().draw(&draw).unwrap_err();
    assert!(matches!(error, DrawError::StreamOutput { .. }));
    assert_eq!(error.to_string(), "stream output: the vertex shader uses buffer 0 as vertex buffer 0 in the same draw");
}

/// Declarations that bound what an invocation emits: 13.3, 22.3.7.
#[test]
fn shaders_that_emit_too_much_are_refused() {
    let said = |declarations: &str| {
        let code = format!("dcl_globalFlags refactoringAllowed\ndcl_input v[1][0].xyzw\n{declarations}");
        let error = Module::load(&shader("gs_5_0", &[], &[], &code), &Limits::default()).err();
        error.map_or("nothing is said".to_owned(), |error| error.to_string())
    };
    let of_points = "dcl_inputprimitive point\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output o0.xyzw\n";
    let with = |more: &str| said(&format!("{of_points}{more}"));
    assert_eq!(with("dcl_maxout 256"), "nothing is said");
    assert!(with("dcl_maxout 257").ends_with("scalars of all vertices 1028, it must be 0 to 1024"));
    assert!(
        with("dcl_gsinstances 32\ndcl_maxout 33").ends_with("vertices of all instances 1056, it must be 0 to 1024")
    );
    assert!(with("dcl_gsinstances 33\ndcl_maxout 1").ends_with("count 33, it must be 1 to 32"));
    assert!(with("dcl_maxout 0").ends_with("count 0, it must be 1 to 1024"));
    assert!(with("").ends_with("is missing in a geometry shader"));
    assert!(
        said("dcl_stream m0\ndcl_outputtopology pointlist\ndcl_maxout 1").ends_with("is missing in a geometry shader")
    );
    let list = "dcl_inputprimitive point\ndcl_stream m0\ndcl_outputtopology trianglelist\ndcl_maxout 1";
    let expected = "a geometry shader emits a pointlist, a linestrip or a trianglestrip, not a trianglelist";
    assert!(said(list).ends_with(expected), "{}", said(list));
}
