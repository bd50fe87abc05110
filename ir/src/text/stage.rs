//! Prints what a stage declares.

use std::fmt::{self, Write};

use super::words::{mask_letters, quoted};
use crate::stage::{Parameter, Semantic, Stage};

/// Prints what only hull, domain and geometry shaders have.
pub(super) fn write_declarations(out: &mut String, stage: &Stage) -> fmt::Result {
    match stage {
        Stage::Compute { .. } | Stage::Vertex(_) | Stage::Pixel(_) => {}
        Stage::Hull(hull) => {
            writeln!(out, "  input_points {}", hull.input_points)?;
            writeln!(out, "  output_points {}", hull.output_points)?;
            if hull.passes_points {
                writeln!(out, "  passes_points")?;
            }
            writeln!(out, "  domain {}", hull.domain.name())?;
            writeln!(out, "  partitioning {}", hull.partitioning.name())?;
            writeln!(out, "  output_primitive {}", hull.output.name())?;
        }
        Stage::Domain(domain) => {
            writeln!(out, "  input_points {}", domain.points)?;
            writeln!(out, "  domain {}", domain.domain.name())?;
            if domain.asks_active {
                writeln!(out, "  asks_active")?;
            }
        }
        Stage::Geometry(geometry) => {
            writeln!(out, "  primitive {}", geometry.input)?;
            writeln!(out, "  most_vertices {}", geometry.most_vertices)?;
            writeln!(out, "  instances {}", geometry.instances)?;
            if geometry.is_tagged {
                writeln!(out, "  tagged")?;
            }
            for (number, topology) in geometry.streams.iter().enumerate() {
                if let Some(topology) = topology {
                    writeln!(out, "  stream {number} {}", topology.name())?;
                }
            }
        }
    }
    Ok(())
}

/// Prints an input or output, which the first word says.
pub(super) fn write_parameter(out: &mut String, word: &str, parameter: &Parameter) -> fmt::Result {
    write!(out, "  {word} {} {}", parameter.row, mask_letters(parameter.mask))?;
    write!(out, " {}", parameter.interpolation.name())?;
    if let Some(value) = parameter.system_value {
        write!(out, " {}", value.name())?;
    }
    if let Some(Semantic { name, index }) = &parameter.semantic {
        write!(out, " {} {index}", quoted(name))?;
    }
    if parameter.stream != 0 {
        write!(out, " stream {}", parameter.stream)?;
    }
    writeln!(out)
}
