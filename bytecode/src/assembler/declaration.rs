//! Assembles declarations as fxc lists them.

use super::cursor::{Cursor, Read};
use super::error::Problem;
use super::instruction::{dimensions, return_types};
use super::literal::words;
use super::operand::{Role, operand};
use crate::sm5::codes::{
    Interpolation, ResourceDimension, SamplerMode, SystemValue, TessellatorDomain, TessellatorOutput,
    TessellatorPartitioning, Topology,
};
use crate::sm5::declare_text::{PATCH_BASE, PRIMITIVES};
use crate::sm5::ops::Form;
use crate::sm5::{
    Declaration, DeclarationKind, GlobalFlags, Model, Op, RegisterRange, ResourceKind, UavFlags, example,
};

/// Reads a declaration up to the end of its line.
pub(super) fn declaration(cursor: &mut Cursor<'_>, model: Model) -> Read<Declaration> {
    let start = cursor.at();
    let word = cursor.word();
    let mut head = Head::of(cursor, start, word, model)?;
    // The number of samples belongs to the name: `dcl_resource_texture2dms(4)`.
    if matches!(head.dimension, Some(ResourceDimension::Texture2DMs | ResourceDimension::Texture2DMsArray))
        && cursor.eat("(")
    {
        let start = cursor.at();
        let samples = u8::try_from(cursor.number()?).ok().filter(|samples| *samples < 128);
        head.samples = samples.ok_or_else(|| cursor.no_number(start, "sample count, which is at most 127"))?;
        cursor.expect(")")?;
    }
    cursor.spaces();
    let op = head.op;
    let kind = Declaring { cursor, model, head }.kind();
    let kind = kind.map_err(|error| error.with_example(|| example::declaration(op, model).to_owned()))?;
    Ok(Declaration { at: 0, op, kind })
}

/// The first word of a declaration, taken apart.
struct Head {
    op: Op,
    dimension: Option<ResourceDimension>,
    samples: u8,
    flags: UavFlags,
    dynamic: bool,
}

impl Head {
    fn of(cursor: &Cursor<'_>, start: usize, word: &str, model: Model) -> Read<Self> {
        let mut head =
            Self { op: Op::DclTemps, dimension: None, samples: 0, flags: UavFlags::default(), dynamic: false };
        let mut name = word;
        if name.starts_with("dcl_uav") {
            let mut take = |suffix: &str| match name.strip_suffix(suffix) {
                Some(shorter) => {
                    name = shorter;
                    true
                }
                None => false,
            };
            let [counter, rasterizer_ordered, globally_coherent] = ["_opc", "_rov", "_glc"].map(&mut take);
            head.flags = UavFlags { globally_coherent, rasterizer_ordered, counter };
        }
        // Without a flag the word is `dcl_globalFlagsnone`.
        if let Some(flags) = name.strip_suffix("none") {
            name = flags;
        }
        if let Some(interface) = name.strip_suffix("_dynamicindexed") {
            (name, head.dynamic) = (interface, true);
        }
        // Some names are followed by a dimension.
        let is_whole =
            |op: &Op| op.info().form == Form::Declaration && !matches!(op, Op::DclResource | Op::DclUavTyped);
        let declarations = || Op::ALL.iter().copied().filter(is_whole);
        let exact = declarations().find(|op| op.text() == name);
        if let Some(op) = exact {
            head.op = op;
            return Ok(head);
        }
        let known = || declarations().map(|op| op.text()).chain(["dcl_resource_texture2d", "dcl_uav_typed_texture2d"]);
        let no_declaration = || cursor.unknown(start, "declaration", known());
        for op in [Op::DclUavTyped, Op::DclResource] {
            if name == op.text() {
                let nearest = Some(example::declaration(op, model).to_owned());
                return Err(cursor.error(start, Problem::Unknown { kind: "declaration", name: word.into(), nearest }));
            }
            let dimension_text = name.strip_prefix(op.text()).and_then(|rest| rest.strip_prefix('_'));
            if let Some(text) = dimension_text {
                head.op = op;
                if let Some((dimension, _)) = dimensions().find(|(_, name)| *name == text) {
                    head.dimension = Some(dimension);
                    return Ok(head);
                }
                let unknown = cursor.unknown(
                    start + op.text().len() + 1,
                    "resource dimension",
                    dimensions().map(|(_, name)| name),
                );
                return Err(if unknown.has_nearest() { unknown } else { no_declaration() });
            }
        }
        Err(no_declaration())
    }
}

/// A declaration that is being read.
struct Declaring<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    model: Model,
    head: Head,
}

impl Declaring<'_, '_> {
    fn kind(mut self) -> Read<DeclarationKind> {
        let op = self.head.op;
        let kind = match op {
            Op::DclGlobalFlags => self.global_flags()?,
            Op::DclResource | Op::DclResourceRaw | Op::DclResourceStructured => {
                let (range, kind) = self.resource("t")?;
                DeclarationKind::Resource { range, kind }
            }
            Op::DclUavTyped | Op::DclUavRaw | Op::DclUavStructured => {
                let (range, kind) = self.resource("u")?;
                DeclarationKind::Uav { range, kind, flags: self.head.flags }
            }
            Op::DclSampler => {
                let range = self.range("s")?;
                self.cursor.expect(",")?;
                let mode = self.code("sampler mode", SamplerMode::ALL, SamplerMode::text)?;
                DeclarationKind::Sampler { range: self.space(range)?, mode }
            }
            Op::DclConstantBuffer => self.constant_buffer()?,
            Op::DclInput => self.input(false, false)?,
            Op::DclInputSgv | Op::DclInputSiv => self.input(false, true)?,
            Op::DclInputPs => self.input(true, false)?,
            Op::DclInputPsSgv | Op::DclInputPsSiv => self.input(true, true)?,
            Op::DclOutput => self.output(false)?,
            Op::DclOutputSgv | Op::DclOutputSiv => self.output(true)?,
            Op::DclIndexRange => {
                let operand = operand(self.cursor, Role::Declared)?;
                self.cursor.eat(",");
                DeclarationKind::IndexRange { operand, count: self.cursor.number()? }
            }
            Op::DclTemps => DeclarationKind::Temps { count: self.cursor.number()? },
            Op::DclIndexableTemp => {
                let register = self.register("x")?;
                self.cursor.expect("[")?;
                let count = self.cursor.number()?;
                self.cursor.expect("]")?;
                DeclarationKind::IndexableTemp { register, count, components: self.next_number()? }
            }
            Op::DclInputPrimitive => DeclarationKind::InputPrimitive { primitive: self.primitive()? },
            Op::DclOutputTopology => {
                DeclarationKind::OutputTopology(self.code("topology", Topology::ALL, Topology::text)?)
            }
            Op::DclMaxOutputVertexCount => DeclarationKind::MaxOutputVertexCount(self.cursor.number()?),
            Op::DclGsInstances => DeclarationKind::GsInstances(self.cursor.number()?),
            Op::DclStream => DeclarationKind::Stream { register: self.register("m")? },
            Op::DclInputControlPointCount => DeclarationKind::InputControlPointCount(self.cursor.number()?),
            Op::DclOutputControlPointCount => DeclarationKind::OutputControlPointCount(self.cursor.number()?),
            Op::DclTessellatorDomain => {
                let all = TessellatorDomain::ALL;
                DeclarationKind::TessellatorDomain(self.code("domain", all, TessellatorDomain::text)?)
            }
            Op::DclTessellatorPartitioning => {
                let all = TessellatorPartitioning::ALL;
                DeclarationKind::TessellatorPartitioning(self.code(
                    "partitioning",
                    all,
                    TessellatorPartitioning::text,
                )?)
            }
            Op::DclTessellatorOutputPrimitive => {
                let all = TessellatorOutput::ALL;
                DeclarationKind::TessellatorOutput(self.code("output primitive", all, TessellatorOutput::text)?)
            }
            Op::DclHsMaxTessFactor => {
                self.cursor.expect("l(")?;
                let factor = words(self.cursor, ")")?;
                let [factor] = factor[..] else { return Err(self.cursor.expected("one number")) };
                DeclarationKind::HsMaxTessFactor(factor)
            }
            Op::DclHsForkPhaseInstanceCount => DeclarationKind::ForkInstanceCount(self.cursor.number()?),
            Op::DclHsJoinPhaseInstanceCount => DeclarationKind::JoinInstanceCount(self.cursor.number()?),
            Op::DclThreadGroup => {
                DeclarationKind::ThreadGroup { size: [self.cursor.number()?, self.next_number()?, self.next_number()?] }
            }
            Op::DclTgsmRaw => DeclarationKind::TgsmRaw { register: self.register("g")?, bytes: self.next_number()? },
            Op::DclTgsmStructured => DeclarationKind::TgsmStructured {
                register: self.register("g")?,
                stride_bytes: self.next_number()?,
                count: self.next_number()?,
            },
            Op::DclFunctionBody => DeclarationKind::FunctionBody { body: self.register("fb")? },
            Op::DclFunctionTable => {
                let table = self.register("ft")?;
                DeclarationKind::FunctionTable { table, bodies: self.list("fb")? }
            }
            Op::DclInterface => self.interface()?,
            op => unreachable!("{op} has the form of a declaration in the table and no text here"),
        };
        self.cursor.end_of_line()?;
        Ok(kind)
    }

    /// A name of an enumeration.
    fn code<T: Copy>(&mut self, kind: &'static str, all: &[T], text: fn(T) -> &'static str) -> Read<T> {
        self.cursor.named(kind, all.iter().map(|value| (*value, text(*value))))
    }

    fn next_number(&mut self) -> Read<u32> {
        self.cursor.expect(",")?;
        self.cursor.number()
    }

    /// A register of a file by its number.
    fn register(&mut self, file: &'static str) -> Read<u32> {
        if !self.cursor.rest().starts_with(file) {
            return Err(self.cursor.expected(&format!("`{file}` and a number")));
        }
        self.cursor.eat(file);
        let digits_start = self.cursor.at();
        let number = self.cursor.take_while(|letter| letter.is_ascii_digit()).parse();
        let number = number.map_err(|_| self.cursor.no_number(digits_start, "register number"))?;
        self.cursor.spaces();
        Ok(number)
    }

    fn global_flags(&mut self) -> Read<DeclarationKind> {
        let mut flags = 0;
        loop {
            if flags == 0 && matches!(self.cursor.peek(), None | Some('\r' | '\n' | '/')) {
                break;
            }
            flags |= self.cursor.named("flag", GlobalFlags::NAMES.iter().copied())?.0;
            if !self.cursor.eat("|") {
                break;
            }
        }
        Ok(DeclarationKind::GlobalFlags(GlobalFlags(flags)))
    }

    /// `t3`, and in 5.1 `T0[3:5]`.
    fn range(&mut self, file: &'static str) -> Read<RegisterRange> {
        let is_5_1 = self.model == Model::Sm5_1;
        let capital = match file {
            "t" => "T",
            "u" => "U",
            "s" => "S",
            _ => file,
        };
        let file = if is_5_1 { capital } else { file };
        let id = self.register(file)?;
        if !is_5_1 {
            return Ok(RegisterRange { id, lower: id, upper: Some(id), space: 0 });
        }
        self.cursor.expect("[")?;
        let lower = self.cursor.number()?;
        self.cursor.expect(":")?;
        let upper = if self.cursor.eat("*") { None } else { Some(self.cursor.number()?) };
        self.cursor.expect("]")?;
        Ok(RegisterRange { id, lower, upper, space: 0 })
    }

    /// `, space=2`, which ends declarations in 5.1; without it the space is 0.
    fn space(&mut self, range: RegisterRange) -> Read<RegisterRange> {
        if self.model != Model::Sm5_1 || !self.cursor.eat(",") {
            return Ok(range);
        }
        self.cursor.expect("space=")?;
        Ok(RegisterRange { space: self.cursor.number()?, ..range })
    }

    fn resource(&mut self, file: &'static str) -> Read<(RegisterRange, ResourceKind)> {
        let Some(dimension) = self.head.dimension else {
            let range = self.range(file)?;
            let kind = match self.head.op {
                Op::DclResourceStructured | Op::DclUavStructured => {
                    ResourceKind::Structured { stride_bytes: self.next_number()? }
                }
                _ => ResourceKind::Raw,
            };
            return Ok((self.space(range)?, kind));
        };
        let returns = return_types(self.cursor)?;
        let range = self.range(file)?;
        Ok((self.space(range)?, ResourceKind::Typed { dimension, samples: self.head.samples, returns }))
    }

    fn constant_buffer(&mut self) -> Read<DeclarationKind> {
        // Also accepts the spelling of operands.
        let file = if self.cursor.rest().starts_with("cb") { "cb" } else { "CB" };
        let range = self.range(file)?;
        self.cursor.expect("[")?;
        let vectors = self.cursor.number()?;
        self.cursor.expect("]")?;
        self.cursor.expect(",")?;
        let access = [("immediateIndexed", false), ("dynamicIndexed", true)];
        let (_, dynamic) = self.code("access", &access, |(text, _)| text)?;
        Ok(DeclarationKind::ConstantBuffer { range: self.space(range)?, vectors, dynamic })
    }

    fn input(&mut self, interpolated: bool, named: bool) -> Read<DeclarationKind> {
        let interpolation = if interpolated { Some(self.interpolation()?) } else { None };
        let operand = operand(self.cursor, Role::Declared)?;
        Ok(DeclarationKind::Input { operand, system_value: self.system_value(named)?, interpolation })
    }

    fn output(&mut self, named: bool) -> Read<DeclarationKind> {
        let operand = operand(self.cursor, Role::Declared)?;
        Ok(DeclarationKind::Output { operand, system_value: self.system_value(named)? })
    }

    /// Such as `linear noperspective centroid`: takes the longest name that matches.
    fn interpolation(&mut self) -> Read<Interpolation> {
        let known = || Interpolation::ALL.iter().map(|mode| (*mode, mode.text()));
        let mut end = self.cursor.clone();
        let (mut words, mut found) = (Vec::new(), None);
        while end.peek().is_some_and(|letter| letter.is_ascii_alphabetic()) && words.len() < 3 {
            words.push(end.word());
            end.spaces();
            let text = words.join(" ");
            if let Some((mode, _)) = known().find(|(_, name)| *name == text) {
                found = Some((mode, end.clone()));
            }
        }
        let Some((mode, end)) = found else { return self.cursor.named("interpolation mode", known()) };
        *self.cursor = end;
        Ok(mode)
    }

    fn system_value(&mut self, named: bool) -> Read<Option<SystemValue>> {
        if !named {
            return Ok(None);
        }
        self.cursor.expect(",")?;
        self.code("system value", SystemValue::ALL, SystemValue::text).map(Some)
    }

    fn primitive(&mut self) -> Read<u32> {
        let start = self.cursor.at();
        let name = self.cursor.word();
        let named = PRIMITIVES.iter().find(|(_, text)| *text == name).map(|(number, _)| *number);
        let patch = || {
            let points: u32 = name.strip_prefix("patch")?.parse().ok()?;
            (points <= 32).then_some(PATCH_BASE + points)
        };
        let unknown = || self.cursor.unknown(start, "primitive", PRIMITIVES.iter().map(|(_, text)| *text));
        named.or_else(patch).ok_or_else(unknown)
    }

    /// `= {fb0, fb1}`
    fn list(&mut self, file: &'static str) -> Read<Vec<u32>> {
        self.cursor.expect("=")?;
        self.cursor.expect("{")?;
        let mut numbers = Vec::new();
        while !self.cursor.eat("}") {
            if !numbers.is_empty() {
                self.cursor.expect(",")?;
            }
            numbers.push(self.register(file)?);
        }
        Ok(numbers)
    }

    fn interface(&mut self) -> Read<DeclarationKind> {
        let interface = self.register("fp")?;
        let mut bracket = || {
            self.cursor.expect("[")?;
            let number = self.cursor.number()?;
            self.cursor.expect("]")?;
            Ok(number)
        };
        let (array_length, call_sites) = (bracket()?, bracket()?);
        let dynamic = self.head.dynamic;
        Ok(DeclarationKind::Interface { interface, dynamic, call_sites, array_length, tables: self.list("ft")? })
    }
}
