//! Links a hull shader with a domain shader.

use brolga_ir::stage::{Domain, DomainStage, HullStage, InputPrimitive, OutputPrimitive};

use crate::error::DrawError;
use crate::state::{Kind, Topology};

/// Hull and domain shaders as a draw runs them.
#[derive(Clone, Debug)]
pub struct TessellationLayout {
    /// The hull shader's declarations.
    pub hull: HullStage,
    /// The word of each tessellation factor in the values of a patch, if it is written.
    pub factor_words: Vec<Option<usize>>,
    /// Registers of a control point.
    pub point_rows: u32,
    /// Registers of a patch's values.
    pub constant_rows: u32,
    /// Registers of a vertex that the domain shader writes.
    pub vertex_rows: u32,
}

impl TessellationLayout {
    /// Checks that the shaders fit each other and the topology; vertices have so many registers.
    pub fn new(
        hull: &HullStage,
        domain: &DomainStage,
        topology: Topology,
        vertex_rows: u32,
    ) -> Result<Self, DrawError> {
        let failed = |what: String| Err(DrawError::Tessellation { what });
        if topology.primitive() != InputPrimitive::Patch(hull.input_points) {
            let (points, topology) = (hull.input_points, topology.name());
            return failed(format!(
                "the hull shader takes patches of {points} control points, but the topology is {topology}"
            ));
        }
        if hull.domain != domain.domain {
            let [hull, domain] = [hull.domain, domain.domain].map(Domain::name);
            return failed(format!("the hull shader's domain is `{hull}`, but the domain shader's is `{domain}`"));
        }
        // A domain shader without control points may say nothing of them.
        if domain.points != hull.output_points && domain.points != 0 {
            let [hull, domain] = [hull.output_points, domain.points];
            return failed(format!(
                "the hull shader makes patches of {hull} control points, but the domain shader takes {domain}"
            ));
        }
        let is_isoline = hull.domain == Domain::Isoline;
        let fits = match hull.output {
            OutputPrimitive::Point => true,
            OutputPrimitive::Line => is_isoline,
            OutputPrimitive::TriangleClockwise | OutputPrimitive::TriangleCounterClockwise => !is_isoline,
        };
        if !fits {
            let [domain, output] = [hull.domain.name(), hull.output.name()];
            return failed(format!("a hull shader with domain `{domain}` cannot output `{output}`"));
        }
        let point_rows = if hull.passes_points { vertex_rows } else { hull.signature.output_rows() };
        Ok(Self {
            factor_words: hull.factor_words().collect(),
            point_rows: point_rows.max(domain.signature.input_rows()).max(1),
            constant_rows: hull.constant_rows().max(domain.constant_rows()).max(1),
            vertex_rows: domain.signature.output_rows().max(1),
            hull: hull.clone(),
        })
    }

    /// The kind of primitives that the tessellator makes.
    pub fn kind(&self) -> Kind {
        match self.hull.output {
            OutputPrimitive::Point => Kind::Point,
            OutputPrimitive::Line => Kind::Line,
            OutputPrimitive::TriangleClockwise | OutputPrimitive::TriangleCounterClockwise => Kind::Triangle,
        }
    }

    /// The same, as geometry shaders take them.
    pub fn primitive(&self) -> InputPrimitive {
        match self.kind() {
            Kind::Point => InputPrimitive::Point,
            Kind::Line => InputPrimitive::Line,
            Kind::Triangle => InputPrimitive::Triangle,
        }
    }
}
