//! Parses instructions that own no regions, and their operands.

use super::{Parsed, Parser, numbered};
use crate::entity::{ArrayId, LocalId, MessageId, ResourceId, SharedId, Value};
use crate::function::{CounterOp, Element, Input, InstKind, MemoryRef, Object, Query, ResourceRef, Sync, Values};
use crate::ops::Op;
use crate::sampling::{Offsets, Sampling};
use crate::text::lex::{ParseProblem, Token};
use crate::text::words::{SAMPLE_KINDS, input_from_word, sync_words};
use crate::types::{Const, Type};

impl Parser<'_> {
    /// An instruction without regions. A constant has the type of its result.
    pub(super) fn instruction(&mut self, first_result: Type) -> Parsed<InstKind> {
        let Token::Word(word) = self.token else { return self.unexpected("an instruction") };
        if let Some(op) = Op::from_name(word) {
            self.advance()?;
            return Ok(InstKind::Op { op, args: self.values()? });
        }
        let read: fn(&mut Self) -> Parsed<InstKind> = match word {
            "const" => {
                self.advance()?;
                return Ok(InstKind::Const(Const { ty: first_result, bits: self.bits()? }));
            }
            "input" => |p| Ok(InstKind::Input(p.input()?)),
            "get" => |p| Ok(InstKind::SlotGet(p.slot()?)),
            "set" => |p| p.slot_and_value().map(|(slot, value)| InstKind::SlotSet(slot, value)),
            "note" => |p| p.slot_and_value().map(|(slot, value)| InstKind::Note(slot, value)),
            "load" => |p| Ok(InstKind::Load { place: p.memory_ref()? }),
            "store" => |p| {
                let place = p.memory_ref()?;
                p.sign(',')?;
                Ok(InstKind::Store { place, values: p.values()?, effect: p.effect()? })
            },
            "atomic" => |p| {
                let (op, place) = (p.one_of()?, p.memory_ref()?);
                let (value, compare, effect) = p.update()?;
                Ok(InstKind::Atomic { op, place, value, compare, effect })
            },
            "counter" => |p| {
                let op = p.one_of::<CounterOp>()?;
                Ok(InstKind::Counter { op, resource: p.view()?, effect: p.effect()? })
            },
            "texel_load" => |p| {
                let (resource, coords) = p.texel()?;
                Ok(InstKind::TexelLoad { resource, coords, level: p.optional("level")? })
            },
            "texel_store" => |p| {
                let (resource, coords) = p.texel()?;
                p.sign(',')?;
                Ok(InstKind::TexelStore { resource, coords, values: p.values()?, effect: p.effect()? })
            },
            "texel_atomic" => |p| {
                let op = p.one_of()?;
                let (resource, coords) = p.texel()?;
                let (value, compare, effect) = p.update()?;
                Ok(InstKind::TexelAtomic { op, resource, coords, value, compare, effect })
            },
            "query" => |p| {
                let query = p.one_of::<Query>()?;
                Ok(InstKind::Query { query, resource: p.view()?, level: p.optional("level")? })
            },
            "sample" => |p| {
                let sampling = p.sampling()?;
                let (texture, sampler) = (p.view()?, p.view()?);
                p.sign('[')?;
                let args = p.values()?;
                p.sign(']')?;
                Ok(InstKind::Sample { sampling, texture, sampler, args })
            },
            "send" => |p| {
                let message = p.message()?;
                p.sign(',')?;
                Ok(InstKind::Message { message, values: p.values()?, effect: p.effect()? })
            },
            "packet_all" => |p| Ok(InstKind::PacketAll(p.value()?)),
            "quad_read" => |p| {
                let mut from = [0; 4];
                for lane in &mut from {
                    *lane = p.small_number()?;
                }
                p.sign(',')?;
                Ok(InstKind::QuadRead { from, value: p.value()? })
            },
            "barrier" => |p| Ok(InstKind::Barrier(p.sync()?)),
            "yield" => |p| Ok(InstKind::Yield(p.jump_values()?)),
            "break" => |p| Ok(InstKind::Break { target: p.label()?, args: p.jump_values()? }),
            "continue" => |p| Ok(InstKind::Continue { target: p.label()?, args: p.jump_values()? }),
            "return" => |_| Ok(InstKind::Return),
            _ => return self.unexpected("an instruction or the name of an operation"),
        };
        self.advance()?;
        read(self)
    }

    fn bits(&mut self) -> Parsed<u64> {
        if self.accept_word("true")? {
            return Ok(1);
        }
        if self.accept_word("false")? {
            return Ok(0);
        }
        self.number64()
    }

    fn input(&mut self) -> Parsed<Input> {
        self.any_word(
            "an input: `thread_id.x`, `group_id.x`, `thread_id_in_group.x` or `thread_index`",
            input_from_word,
        )
    }

    fn sync(&mut self) -> Parsed<Sync> {
        let mut sync = Sync::default();
        while let Token::Word(word) = self.token {
            let Some((_, flag)) = sync_words(&mut sync).into_iter().find(|(name, _)| *name == word) else {
                return self.unexpected("`threads`, `shared`, `views_group` or `views_global`");
            };
            *flag = true;
            self.advance()?;
        }
        Ok(sync)
    }

    /// The kind of `sample`, without its operands.
    fn sampling(&mut self) -> Parsed<Sampling> {
        let kind = self.any_word("`filter`, `compare`, `gather.x`, `gather_compare` or `level`", |word| {
            SAMPLE_KINDS.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind)
        })?;
        let level = self.one_of()?;
        let offsets = if self.accept_word("offsets")? {
            Offsets::Computed
        } else if self.accept_word("offset")? {
            let mut fixed = [0; 3];
            for offset in &mut fixed {
                let is_negative = self.accept('-')?;
                let number = self.small_number()? as i8;
                *offset = if is_negative { -number } else { number };
            }
            Offsets::Fixed(fixed)
        } else {
            Offsets::Fixed([0; 3])
        };
        Ok(Sampling {
            kind,
            level,
            has_bias: self.accept_word("bias")?,
            has_clamp: self.accept_word("clamp")?,
            offsets,
        })
    }

    /// A number from 0 to 8.
    fn small_number(&mut self) -> Parsed<u8> {
        let position = self.position;
        match self.number()? {
            number @ 0..=8 => Ok(number as u8),
            number => Err(position.error(ParseProblem::TooLarge(number.to_string()))),
        }
    }

    /// A value after a word, if the word is there.
    fn optional(&mut self, word: &str) -> Parsed<Option<Value>> {
        if self.accept_word(word)? { Ok(Some(self.value()?)) } else { Ok(None) }
    }

    fn effect(&mut self) -> Parsed<Value> {
        self.word("where")?;
        self.value()
    }

    fn update(&mut self) -> Parsed<(Value, Option<Value>, Value)> {
        self.sign(',')?;
        Ok((self.value()?, self.optional("compare")?, self.effect()?))
    }

    fn message(&mut self) -> Parsed<MessageId> {
        let position = self.position;
        let number = self.any_word("a message: `message0`", |word| numbered("message", word))?;
        if (number as usize) < self.func.interface.messages.len() {
            return Ok(MessageId::new(number as usize));
        }
        Err(position.error(ParseProblem::Undefined(format!("message{number}"))))
    }

    fn view(&mut self) -> Parsed<ResourceRef> {
        let view = match self.token {
            Token::Word(word) => self.view_of(word)?,
            _ => None,
        };
        let Some(view) = view else { return self.unexpected("a view: `res0`, `res0.1` or `res0.v1`") };
        self.advance()?;
        Ok(view)
    }

    /// The view that a word names, if its form is that of a view.
    fn view_of(&self, word: &str) -> Parsed<Option<ResourceRef>> {
        let (name, element) = word.split_once('.').map_or((word, None), |(name, element)| (name, Some(element)));
        let Some(number) = numbered("res", name) else { return Ok(None) };
        if number as usize >= self.func.interface.resources.len() {
            return self.error(ParseProblem::Undefined(format!("res{number}")));
        }
        let element = match element {
            None => Element::Fixed(0),
            Some(text) => match (numbered("", text), self.lookup(text)) {
                (Some(fixed), _) => Element::Fixed(fixed),
                (None, Some(value)) => Element::Computed(value?),
                (None, None) => return Ok(None),
            },
        };
        Ok(Some(ResourceRef { id: ResourceId::new(number as usize), element }))
    }

    fn object(&mut self) -> Parsed<Object> {
        type Numbered = fn(usize) -> Object;
        let interface = &self.func.interface;
        // By their names' beginnings.
        let declared: [(&str, usize, Numbered); 3] = [
            ("g", interface.shared.len(), |n| Object::Shared(SharedId::new(n))),
            ("x", interface.locals.len(), |n| Object::Local(LocalId::new(n))),
            ("array", interface.arrays.len(), |n| Object::Array(ArrayId::new(n))),
        ];
        let object = match self.token {
            Token::Word("icb") => Some(Object::Immediate),
            Token::Word("srgb") => Some(Object::Curve),
            Token::Word(word) => {
                let named = |&(prefix, count, object)| Some((numbered(prefix, word)? as usize, count, object));
                match declared.iter().find_map(named) {
                    Some((number, count, _)) if number >= count => {
                        return self.error(ParseProblem::Undefined(word.into()));
                    }
                    Some((number, _, object)) => Some(object(number)),
                    None => self.view_of(word)?.map(Object::Resource),
                }
            }
            _ => None,
        };
        let Some(object) = object else { return self.unexpected("memory: `res0`, `g0`, `x0`, `array0` or `icb`") };
        self.advance()?;
        Ok(object)
    }

    fn memory_ref(&mut self) -> Parsed<MemoryRef> {
        let object = self.object()?;
        self.sign('[')?;
        let first = self.value()?;
        let (index, offset) = if self.accept('+')? { (Some(first), self.value()?) } else { (None, first) };
        self.sign(']')?;
        Ok(MemoryRef { object, index, offset })
    }

    fn texel(&mut self) -> Parsed<(ResourceRef, Values)> {
        let view = self.view()?;
        self.sign('[')?;
        let coords = self.values()?;
        self.sign(']')?;
        Ok((view, coords))
    }
}
