//! Tests what is refused of hull and domain shaders, and what is said.

use brolga::raster::{Pipeline, PipelineDesc, Topology};
use brolga::{Device, Domain, Module, OutputPrimitive, StageKind};
use brolga_testing::run::module;

use super::super::drawing::shaders;
use super::shaders::{Hull, constant_factors, domain, factors_from_attributes};

fn hull(shape: Domain, output: OutputPrimitive, points: u32) -> Module {
    module(&Hull::new(shape, output, points, &constant_factors(shape, &[1.0; 6])).container())
}

fn of_domain(shape: Domain, points: u32) -> Module {
    let code = "mov o0.xyzw, vDomain.xyxx\nmov o1.xyzw, l(0,0,0,0)";
    module(&domain(shape, points, "dcl_input vDomain.xy", code))
}

/// A pipeline of patches of two control points, with nothing behind them.
fn desc() -> PipelineDesc {
    let mut desc = PipelineDesc::new(&module(&shaders::vertex()), None);
    desc.modules[StageKind::Hull] = Some(hull(Domain::Quad, OutputPrimitive::Point, 2));
    desc.modules[StageKind::Domain] = Some(of_domain(Domain::Quad, 2));
    desc.topology = Topology::Patch2;
    desc.input_layout = ["POSITION", "TEXCOORD", "TEXCOORD1", "TEXCOORD2"]
        .map(|semantic| brolga::raster::InputElement::new(semantic, brolga::Format::R32G32B32A32_FLOAT, 0))
        .to_vec();
    desc
}

fn refused(set: impl FnOnce(&mut PipelineDesc)) -> String {
    let mut desc = desc();
    set(&mut desc);
    match Pipeline::new(&Device::builder().threads(1).build().unwrap(), &desc) {
        Ok(_) => "nothing is said".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn shaders_that_do_not_fit_are_refused() {
    assert_eq!(refused(|_| {}), "nothing is said");
    assert_eq!(
        refused(|desc| desc.modules[StageKind::Domain] = None),
        "tessellation: the pipeline has a hull shader, but no domain shader"
    );
    assert_eq!(
        refused(|desc| desc.modules[StageKind::Hull] = None),
        "tessellation: the pipeline has a domain shader, but no hull shader"
    );
    assert_eq!(
        refused(|desc| desc.topology = Topology::Patch3),
        "tessellation: the hull shader takes patches of 2 control points, but the topology is \
         3_CONTROL_POINT_PATCHLIST"
    );
    assert_eq!(
        refused(|desc| desc.topology = Topology::TriangleList),
        "tessellation: the hull shader takes patches of 2 control points, but the topology is TRIANGLELIST"
    );
    assert_eq!(
        refused(|desc| desc.modules[StageKind::Domain] = Some(of_domain(Domain::Isoline, 2))),
        "tessellation: the hull shader's domain is `quad`, but the domain shader's is `isoline`"
    );
    assert_eq!(
        refused(|desc| desc.modules[StageKind::Domain] = Some(of_domain(Domain::Quad, 4))),
        "tessellation: the hull shader makes patches of 2 control points, but the domain shader takes 4"
    );
    assert_eq!(
        refused(|desc| desc.modules[StageKind::Hull] = Some(hull(Domain::Quad, OutputPrimitive::Line, 2))),
        "tessellation: a hull shader with domain `quad` cannot output `line`"
    );
    let swapped = refused(|desc| desc.modules[StageKind::Hull] = Some(of_domain(Domain::Quad, 2)));
    assert_eq!(swapped, "the pipeline's hull shader is a domain shader");
    let phases = factors_from_attributes(Domain::Quad, 2);
    let passing = Hull::new(Domain::Quad, OutputPrimitive::Point, 2, &phases);
    assert_eq!(refused(|desc| desc.modules[StageKind::Hull] = Some(module(&passing.container()))), "nothing is said");
}
