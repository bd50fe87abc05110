//! Parses the declarations before the body.

use super::{MAX_SLOTS, Parsed, Parser, numbered};
use crate::interface::{Array, Component, Dimension, Local, Resource, ResourceClass, ResourceKind, Shared};
use crate::message::Message;
use crate::stage::Stage;
use crate::text::lex::{ParseProblem, Token};
use crate::width::Width;

impl Parser<'_> {
    /// One declaration, without the end of its line.
    pub(super) fn declaration(&mut self) -> Parsed<()> {
        const EXPECTED: &str = "a declaration (`group`, `stage`, `packet`, `fills_packets`, `res0`, `g0`, `x0`, \
                                `array0`, `message0`, `inputs`, `outputs`, `input`, `output`, `icb` or `slots`) or `body`";
        let Token::Word(word) = self.token else { return self.unexpected(EXPECTED) };
        let interface = &self.func.interface;
        let next = [
            ("res", interface.resources.len()),
            ("g", interface.shared.len()),
            ("x", interface.locals.len()),
            ("array", interface.arrays.len()),
            ("message", interface.messages.len()),
        ];
        if word == "group" {
            self.advance()?;
            let group_size = [self.number()?, self.number()?, self.number()?];
            self.func.interface.stage = Stage::Compute { group_size };
            return Ok(());
        }
        if word == "stage" {
            self.advance()?;
            self.func.interface.stage = self.stage_of_name()?;
            return Ok(());
        }
        // Moved out and back, since reading a line needs all of the parser.
        let mut stage = std::mem::take(&mut self.func.interface.stage);
        let is_of_stage = self.stage(word, &mut stage);
        self.func.interface.stage = stage;
        if is_of_stage? {
            return Ok(());
        }
        if word == "packet" {
            self.advance()?;
            let position = self.position;
            let lanes = self.number()?;
            let width = Width::ALL.into_iter().find(|width| width.lanes() == lanes);
            self.func.width = width.ok_or_else(|| position.error(ParseProblem::PacketWidth(lanes)))?;
            return Ok(());
        }
        if word == "fills_packets" {
            self.func.interface.fills_packets = true;
            self.advance()?;
            return Ok(());
        }
        if word == "icb" {
            self.advance()?;
            return self.immediate();
        }
        if word == "slots" {
            self.advance()?;
            return self.slots();
        }
        let Some((prefix, count)) = next.into_iter().find(|(prefix, _)| numbered(prefix, word).is_some()) else {
            return self.unexpected(EXPECTED);
        };
        // Declarations are indexed by their position; a gap would be a hole.
        self.word(&format!("{prefix}{count}"))?;
        self.sign('=')?;
        match prefix {
            "res" => self.resource(),
            "g" => self.shared(),
            "array" => self.array(),
            "message" => self.message_declaration(),
            _ => self.local(),
        }
    }

    fn slots(&mut self) -> Parsed<()> {
        let position = self.position;
        let count = self.number()?;
        if count as usize > MAX_SLOTS - self.func.slot_count() {
            return Err(position.error(ParseProblem::TooLarge(count.to_string())));
        }
        let ty = self.ty()?;
        for _ in 0..count {
            self.func.add_slot(ty);
        }
        Ok(())
    }

    fn resource(&mut self) -> Parsed<()> {
        let (class, lower) = self.any_word("a register: `b0`, `t0`, `u0` or `s0`", |word| {
            ResourceClass::ALL.iter().find_map(|&class| Some((class, numbered(class.name(), word)?)))
        })?;
        let count = if !self.accept('[')? {
            Some(1)
        } else if self.accept(']')? {
            None
        } else {
            let count = self.number()?;
            self.sign(']')?;
            Some(count)
        };
        let expected = "`constant`, `raw`, `structured`, `typed`, `sampler` or `comparison_sampler`";
        let kind = self.any_word(expected, |word| match word {
            "constant" => Some(ResourceKind::Constant { vectors: 0 }),
            "raw" => Some(ResourceKind::Raw),
            "structured" => Some(ResourceKind::Structured { stride_bytes: 0 }),
            "sampler" => Some(ResourceKind::Sampler { compares: false }),
            "comparison_sampler" => Some(ResourceKind::Sampler { compares: true }),
            "typed" => Some(ResourceKind::Typed { dimension: Dimension::Buffer, component: Component::Mixed }),
            _ => None,
        })?;
        let kind = match kind {
            ResourceKind::Constant { .. } => ResourceKind::Constant { vectors: self.number()? },
            ResourceKind::Raw | ResourceKind::Sampler { .. } => kind,
            ResourceKind::Structured { .. } => {
                self.word("stride")?;
                ResourceKind::Structured { stride_bytes: self.number()? }
            }
            ResourceKind::Typed { .. } => ResourceKind::Typed { dimension: self.one_of()?, component: self.one_of()? },
        };
        let space = if self.accept_word("space")? { self.number()? } else { 0 };
        let uses_counter = self.accept_word("counter")?;
        let is_ordered = self.accept_word("ordered")?;
        let element_bytes = if self.accept_word("elements")? { Some(self.number()?) } else { None };
        self.func.interface.resources.push(Resource {
            class,
            kind,
            space,
            lower,
            count,
            uses_counter,
            is_ordered,
            element_bytes,
        });
        Ok(())
    }

    fn shared(&mut self) -> Parsed<()> {
        let register = self.any_word("a register: `g0`", |word| numbered("g", word))?;
        let raw = self.any_word("`raw` or `structured`", |word| match word {
            "raw" => Some(true),
            "structured" => Some(false),
            _ => None,
        })?;
        self.word("stride")?;
        let stride_bytes = self.number()?;
        self.word("count")?;
        let count = self.number()?;
        self.func.interface.shared.push(Shared { register, raw, stride_bytes, count });
        Ok(())
    }

    fn local(&mut self) -> Parsed<()> {
        let register = self.any_word("a register: `x0`", |word| numbered("x", word))?;
        self.word("registers")?;
        let registers = self.number()?;
        self.word("components")?;
        let components = self.number()?;
        self.func.interface.locals.push(Local { register, registers, components });
        Ok(())
    }

    fn array(&mut self) -> Parsed<()> {
        let is_written = self.any_word("`read` or `written`", |word| match word {
            "read" => Some(false),
            "written" => Some(true),
            _ => None,
        })?;
        self.word("stride")?;
        let stride_bytes = self.number()?;
        self.func.interface.arrays.push(Array { stride_bytes, is_written });
        Ok(())
    }

    fn message_declaration(&mut self) -> Parsed<()> {
        let kind = self.one_of()?;
        let is_format = self.any_word("`format` or `plain`", |word| match word {
            "format" => Some(true),
            "plain" => Some(false),
            _ => None,
        })?;
        let Token::Text(text) = &mut self.token else { return self.unexpected("the message's text in quotes") };
        let text = std::mem::take(text);
        self.advance()?;
        self.func.interface.messages.push(Message { kind, is_format, text });
        Ok(())
    }

    fn immediate(&mut self) -> Parsed<()> {
        self.sign('{')?;
        self.newlines()?;
        while !self.accept('}')? {
            let mut vector = [0; 4];
            for word in &mut vector {
                *word = self.number()?;
                self.newlines()?;
            }
            self.func.interface.immediate.push(vector);
        }
        Ok(())
    }
}
