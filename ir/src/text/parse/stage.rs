//! Parses what a stage declares.

use super::{Parsed, Parser, numbered};
use crate::entity::ArrayId;
use crate::stage::{DomainStage, GeometryStage, HullStage, InputPrimitive, Parameter, Semantic, Signature, Stage};
use crate::text::lex::{ParseProblem, Token};
use crate::text::words::mask_from_letters;

impl Parser<'_> {
    /// A stage, by its name.
    pub(super) fn stage_of_name(&mut self) -> Parsed<Stage> {
        self.any_word("`vertex`, `hull`, `domain`, `geometry` or `pixel`", |word| match word {
            "vertex" => Some(Stage::Vertex(Signature::default())),
            "hull" => Some(Stage::Hull(Box::default())),
            "domain" => Some(Stage::Domain(Box::default())),
            "geometry" => Some(Stage::Geometry(Box::default())),
            "pixel" => Some(Stage::Pixel(Signature::default())),
            _ => None,
        })
    }

    /// A line about a stage that begins with a word; returns `false` if it is none.
    pub(super) fn stage(&mut self, word: &str, stage: &mut Stage) -> Parsed<bool> {
        let is_of_signature =
            matches!(word, "forces_early_tests" | "inputs" | "outputs" | "input" | "output" | "at_center");
        if is_of_signature && let Some(signature) = stage.signature_mut() {
            self.advance()?;
            return self.signature(word, signature).map(|()| true);
        }
        match (stage, word) {
            (
                Stage::Hull(hull),
                "input_points" | "output_points" | "passes_points" | "domain" | "partitioning" | "output_primitive"
                | "constant",
            ) => {
                self.advance()?;
                self.hull(word, hull)?;
            }
            (Stage::Domain(domain), "input_points" | "domain" | "asks_active" | "constant") => {
                self.advance()?;
                self.domain(word, domain)?;
            }
            (Stage::Geometry(geometry), "primitive" | "most_vertices" | "instances" | "tagged" | "stream") => {
                self.advance()?;
                self.geometry(word, geometry)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A line that only hull shaders have.
    fn hull(&mut self, word: &str, hull: &mut HullStage) -> Parsed<()> {
        match word {
            "input_points" => hull.input_points = self.number()?,
            "output_points" => hull.output_points = self.number()?,
            "passes_points" => hull.passes_points = true,
            "domain" => hull.domain = self.one_of()?,
            "partitioning" => hull.partitioning = self.one_of()?,
            "output_primitive" => hull.output = self.one_of()?,
            _ => hull.constants.push(self.constant()?),
        }
        Ok(())
    }

    /// A line that only domain shaders have.
    fn domain(&mut self, word: &str, domain: &mut DomainStage) -> Parsed<()> {
        match word {
            "input_points" => domain.points = self.number()?,
            "domain" => domain.domain = self.one_of()?,
            "asks_active" => domain.asks_active = true,
            _ => domain.constants.push(self.constant()?),
        }
        Ok(())
    }

    fn constant(&mut self) -> Parsed<Parameter> {
        let row = self.number()?;
        self.parameter(row)
    }

    /// A line that only geometry shaders have.
    fn geometry(&mut self, word: &str, geometry: &mut GeometryStage) -> Parsed<()> {
        match word {
            "primitive" => {
                geometry.input = self.any_word("a primitive: `triangle`, `patch4`", InputPrimitive::from_name)?;
            }
            "most_vertices" => geometry.most_vertices = self.number()?,
            "instances" => geometry.instances = self.number()?,
            "tagged" => geometry.is_tagged = true,
            _ => {
                let position = self.position;
                let number = self.number()?;
                let stream = geometry.streams.get_mut(number as usize);
                let stream = stream.ok_or_else(|| position.error(ParseProblem::TooLarge(number.to_string())))?;
                *stream = Some(self.one_of()?);
            }
        }
        Ok(())
    }

    /// A line about inputs or outputs.
    fn signature(&mut self, word: &str, signature: &mut Signature) -> Parsed<()> {
        if word == "forces_early_tests" {
            signature.forces_early_tests = true;
            return Ok(());
        }
        if matches!(word, "inputs" | "outputs") {
            let id = self.any_word("an array: `array0`", |word| numbered("array", word))?;
            let array = Some(ArrayId::new(id as usize));
            match word {
                "inputs" => signature.input_array = array,
                _ => signature.output_array = array,
            }
            return Ok(());
        }
        let row = self.number()?;
        if word == "at_center" {
            signature.at_center.push((row, self.number()? as usize));
            return Ok(());
        }
        let parameters = if word == "input" { &mut signature.inputs } else { &mut signature.outputs };
        parameters.push(self.parameter(row)?);
        Ok(())
    }

    /// The rest of an input or output.
    fn parameter(&mut self, row: u32) -> Parsed<Parameter> {
        let mask = self.any_word("components: `xyzw`", mask_from_letters)?;
        let interpolation = self.one_of()?;
        let system_value = match self.token {
            Token::Word(word) if word != "stream" => Some(self.one_of()?),
            _ => None,
        };
        let semantic = match &mut self.token {
            Token::Text(name) => {
                let name = std::mem::take(name);
                self.advance()?;
                Some(Semantic { name, index: self.number()? })
            }
            _ => None,
        };
        let stream = if self.accept_word("stream")? { self.number()? } else { 0 };
        Ok(Parameter { semantic, row, mask, system_value, interpolation, stream })
    }
}
