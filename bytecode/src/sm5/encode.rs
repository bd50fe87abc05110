//! Encodes a [`Program`] to words: the reverse of `decode.rs`, bit for bit for the output of compilers.
//!
//! Details missing from the decoded form (reserved bits, needless extended tokens, words that nothing reads) are
//! written as the real compiler writes them. Comparing with the original words reveals any difference.

use super::codes::{MinPrecision, ResinfoReturn};
use super::custom::{CustomContent, Message, MessageKind};
use super::declaration::{Declaration, DeclarationKind, RegisterRange, ResourceKind};
use super::instruction::{Instruction, Test};
use super::operand::{Components, Index, IndexForm, Operand, RegisterFile};
use super::ops::{Carries, Op, Slot};
use super::{Item, ItemKind, Model, Program, Stage};
use smallvec::{SmallVec, smallvec};

/// Error in encoding a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// An instruction is too long for its length field.
    #[error("{op} takes {words} words, and {most} are the most there can be")]
    Length {
        /// The opcode.
        op: Op,
        /// Words it takes.
        words: usize,
        /// The most words possible.
        most: usize,
    },
    /// A number does not fit its field.
    #[error("{op}: {what} {number} is over the largest there can be, {most}")]
    Number {
        /// The opcode.
        op: Op,
        /// Kind of the number.
        what: &'static str,
        /// The number.
        number: u32,
        /// The largest that fits.
        most: u32,
    },
    /// An operand has too many indices.
    #[error("an operand of {file} has {count} indices, and 3 are the most there can be", file = file.description())]
    Indices {
        /// The register file.
        file: RegisterFile,
        /// Number of indices.
        count: usize,
    },
}

const EXTENDED: u32 = 1 << 31;
/// The largest length that fits an opcode token.
const SHORT: usize = 0x7f;

/// The words of a program, with its version and length.
///
/// Custom data whose content is not decoded is taken from [`Program::words`].
pub fn encode(program: &Program) -> Result<Vec<u32>, EncodeError> {
    let mut words = vec![version(program.model, program.stage), 0];
    for item in &program.items {
        words.extend(encode_item(program, item)?);
    }
    words[1] = words.len() as u32;
    Ok(words)
}

/// The version token.
pub fn version(model: Model, stage: Stage) -> u32 {
    let (major, minor) = model.numbers();
    (stage as u32) << 16 | major << 4 | minor
}

/// The words of one item of a program.
pub fn encode_item(program: &Program, item: &Item) -> Result<Vec<u32>, EncodeError> {
    match &item.kind {
        ItemKind::Instruction(instruction) => encode_instruction(instruction),
        ItemKind::Declaration(declaration) => encode_declaration(declaration, program.model),
        ItemKind::CustomData(data) => {
            let words = encode_custom(&data.content)?;
            Ok(words.unwrap_or_else(|| program.words_of(item).to_vec()))
        }
    }
}

/// The words of an instruction.
pub fn encode_instruction(instruction: &Instruction) -> Result<Vec<u32>, EncodeError> {
    let info = instruction.op.info();
    let bit = |set: bool, position: u32| u32::from(set) << position;
    let mut token = u32::from(info.code);
    token |= u32::from(instruction.precise & 0xf) << 19;
    if info.carries.has(Carries::SAT) {
        token |= bit(instruction.saturate, 13);
    }
    if info.carries.has(Carries::TEST) {
        token |= bit(instruction.test == Test::NonZero, 18);
    }
    if info.carries.has(Carries::SYNC) {
        let sync = instruction.sync;
        token |= bit(sync.threads, 11) | bit(sync.shared_memory, 12) | bit(sync.uav_group, 13);
        token |= bit(sync.uav_global, 14);
    }
    if info.carries.has(Carries::RESINFO) {
        token |= instruction.resinfo.code() << 11;
    }
    if info.carries.has(Carries::SAMPLEINFO) {
        token |= bit(instruction.resinfo == ResinfoReturn::Uint, 11);
    }

    let mut extended: SmallVec<[u32; 3]> = smallvec![];
    if let Some(offsets) = instruction.offsets {
        let field = |n: usize, shift: u32| (offsets[n] as u32 & 0xf) << shift;
        extended.push(1 | field(0, 9) | field(1, 13) | field(2, 17));
    }
    if let Some(resource) = instruction.resource {
        extended.push(2 | resource.dimension.code() << 6 | u32::from(resource.stride_bytes & 0xfff) << 11);
    }
    if let Some([x, y, z, w]) = instruction.returns.map(|returns| returns.map(|returned| returned.code())) {
        extended.push(3 | x << 6 | y << 10 | z << 14 | w << 18);
    }
    let mut words = vec![token];
    for next in extended {
        *words.last_mut().expect("there is a token before") |= EXTENDED;
        words.push(next);
    }
    for (slot, operand) in instruction.slots() {
        if *slot == Slot::Interface {
            words.push(instruction.call_site);
        }
        encode_operand(&mut words, operand)?;
    }
    words.extend(instruction.trailing);
    with_length(instruction.op, words)
}

/// Puts the length of an instruction into its first token.
fn with_length(op: Op, mut words: Vec<u32>) -> Result<Vec<u32>, EncodeError> {
    if words.len() > SHORT {
        return Err(EncodeError::Length { op, words: words.len(), most: SHORT });
    }
    words[0] |= (words.len() as u32) << 24;
    Ok(words)
}

/// Appends the words of an operand with everything that belongs to it.
fn encode_operand(words: &mut Vec<u32>, operand: &Operand) -> Result<(), EncodeError> {
    if operand.indices.len() > 3 {
        return Err(EncodeError::Indices { file: operand.file, count: operand.indices.len() });
    }
    let mut token = operand.file.code() << 12 | (operand.indices.len() as u32) << 20;
    token |= match operand.components {
        Components::None => 0,
        Components::One => 1,
        Components::Mask(mask) => 2 | u32::from(mask & 0xf) << 4,
        Components::Swizzle(swizzle) => {
            let letter = |n: usize| u32::from(swizzle[n] & 3) << (4 + 2 * n);
            2 | 1 << 2 | letter(0) | letter(1) | letter(2) | letter(3)
        }
        Components::Select(component) => 2 | 2 << 2 | u32::from(component & 3) << 4,
    };
    for (n, index) in operand.indices.iter().enumerate() {
        let form = match index.form {
            IndexForm::Immediate32 => 0,
            IndexForm::Immediate64 => 1,
            IndexForm::Relative => 2,
            IndexForm::Relative32 => 3,
            IndexForm::Relative64 => 4,
        };
        token |= form << (22 + 3 * n);
    }
    let modifier = u32::from(operand.negate) | u32::from(operand.absolute) << 1;
    if modifier != 0 || operand.min_precision != MinPrecision::Full || operand.non_uniform {
        words.push(token | EXTENDED);
        words.push(1 | modifier << 6 | operand.min_precision.code() << 14 | u32::from(operand.non_uniform) << 17);
    } else {
        words.push(token);
    }
    words.extend(&operand.immediate);
    operand.indices.iter().try_for_each(|index| encode_index(words, index))
}

fn encode_index(words: &mut Vec<u32>, index: &Index) -> Result<(), EncodeError> {
    match index.form {
        IndexForm::Immediate32 | IndexForm::Relative32 => words.push(index.immediate as u32),
        IndexForm::Immediate64 | IndexForm::Relative64 => {
            words.extend([(index.immediate >> 32) as u32, index.immediate as u32]);
        }
        IndexForm::Relative => {}
    }
    index.relative.as_ref().map_or(Ok(()), |relative| encode_operand(words, relative))
}

/// The words of a declaration in a program of this model.
pub fn encode_declaration(declaration: &Declaration, model: Model) -> Result<Vec<u32>, EncodeError> {
    let op = declaration.op;
    let mut encoding = Encoding { op, model, words: vec![u32::from(op.info().code)] };
    encoding.kind(&declaration.kind)?;
    match op {
        Op::DclFunctionTable | Op::DclInterface if encoding.words.len() > SHORT => {
            // The long form has its length in a separate word.
            encoding.words[0] |= EXTENDED;
            let length = encoding.words.len() as u32 + 1;
            encoding.words.insert(1, length);
            Ok(encoding.words)
        }
        _ => with_length(op, encoding.words),
    }
}

/// A declaration that is being encoded.
struct Encoding {
    op: Op,
    model: Model,
    words: Vec<u32>,
}

impl Encoding {
    fn kind(&mut self, kind: &DeclarationKind) -> Result<(), EncodeError> {
        match kind {
            DeclarationKind::GlobalFlags(flags) => self.words[0] |= flags.0 & 0x00ff_f800,
            DeclarationKind::Resource { range, kind } => self.resource(RegisterFile::Resource, range, kind)?,
            DeclarationKind::Uav { range, kind, flags } => {
                self.words[0] |= u32::from(flags.globally_coherent) << 16
                    | u32::from(flags.rasterizer_ordered) << 17
                    | u32::from(flags.counter) << 23;
                self.resource(RegisterFile::Uav, range, kind)?;
            }
            DeclarationKind::Sampler { range, mode } => {
                self.words[0] |= mode.code() << 11;
                self.range(RegisterFile::Sampler, range)?;
                self.space(range);
            }
            DeclarationKind::ConstantBuffer { range, vectors, dynamic } => {
                self.words[0] |= u32::from(*dynamic) << 11;
                self.constant_buffer(range, *vectors)?;
            }
            DeclarationKind::Input { operand, system_value, interpolation } => {
                self.words[0] |= interpolation.map_or(0, |interpolation| interpolation.code() << 11);
                encode_operand(&mut self.words, operand)?;
                self.words.extend(system_value.map(|value| value.code()));
            }
            DeclarationKind::Output { operand, system_value } => {
                encode_operand(&mut self.words, operand)?;
                self.words.extend(system_value.map(|value| value.code()));
            }
            DeclarationKind::IndexRange { operand, count } => {
                encode_operand(&mut self.words, operand)?;
                self.words.push(*count);
            }
            DeclarationKind::IndexableTemp { register, count, components } => {
                self.words.extend([*register, *count, *components]);
            }
            DeclarationKind::InputPrimitive { primitive } => self.field("primitive", *primitive, 11, 0x3f)?,
            DeclarationKind::OutputTopology(topology) => self.words[0] |= topology.code() << 11,
            DeclarationKind::Temps { count }
            | DeclarationKind::MaxOutputVertexCount(count)
            | DeclarationKind::GsInstances(count)
            | DeclarationKind::HsMaxTessFactor(count)
            | DeclarationKind::ForkInstanceCount(count)
            | DeclarationKind::JoinInstanceCount(count) => self.words.push(*count),
            DeclarationKind::Stream { register } => self.register(RegisterFile::Stream, *register)?,
            DeclarationKind::InputControlPointCount(count) | DeclarationKind::OutputControlPointCount(count) => {
                self.field("control point count", *count, 11, 0x3f)?;
            }
            DeclarationKind::TessellatorDomain(domain) => self.words[0] |= domain.code() << 11,
            DeclarationKind::TessellatorPartitioning(partitioning) => self.words[0] |= partitioning.code() << 11,
            DeclarationKind::TessellatorOutput(output) => self.words[0] |= output.code() << 11,
            DeclarationKind::ThreadGroup { size } => self.words.extend(size),
            DeclarationKind::TgsmRaw { register, bytes } => {
                self.register(RegisterFile::SharedMemory, *register)?;
                self.words.push(*bytes);
            }
            DeclarationKind::TgsmStructured { register, stride_bytes, count } => {
                self.register(RegisterFile::SharedMemory, *register)?;
                self.words.extend([*stride_bytes, *count]);
            }
            DeclarationKind::FunctionBody { body } => self.words.push(*body),
            DeclarationKind::FunctionTable { table, bodies } => {
                self.words.extend([*table, bodies.len() as u32]);
                self.words.extend(bodies);
            }
            DeclarationKind::Interface { interface, dynamic, call_sites, array_length, tables } => {
                self.words[0] |= u32::from(*dynamic) << 11;
                let [length, count] = [*array_length, tables.len() as u32];
                self.fits("array length", length, 0xffff)?;
                self.fits("number of tables", count, 0xffff)?;
                self.words.extend([*interface, *call_sites, length << 16 | count]);
                self.words.extend(tables);
            }
        }
        Ok(())
    }

    fn fits(&self, what: &'static str, number: u32, most: u32) -> Result<(), EncodeError> {
        if number > most {
            return Err(EncodeError::Number { op: self.op, what, number, most });
        }
        Ok(())
    }

    /// Puts a number into the opcode token.
    fn field(&mut self, what: &'static str, number: u32, shift: u32, most: u32) -> Result<(), EncodeError> {
        self.fits(what, number, most)?;
        self.words[0] |= number << shift;
        Ok(())
    }

    fn resource(&mut self, file: RegisterFile, range: &RegisterRange, kind: &ResourceKind) -> Result<(), EncodeError> {
        self.range(file, range)?;
        match kind {
            ResourceKind::Raw => {}
            ResourceKind::Structured { stride_bytes } => self.words.push(*stride_bytes),
            ResourceKind::Typed { dimension, samples, returns } => {
                self.words[0] |= dimension.code() << 11;
                if file == RegisterFile::Resource {
                    self.field("sample count", u32::from(*samples), 16, 0x7f)?;
                }
                let [x, y, z, w] = returns.map(|returned| returned.code());
                self.words.push(x | y << 4 | z << 8 | w << 12);
            }
        }
        self.space(range);
        Ok(())
    }

    fn constant_buffer(&mut self, range: &RegisterRange, vectors: u32) -> Result<(), EncodeError> {
        if self.model == Model::Sm5_1 {
            self.range(RegisterFile::ConstantBuffer, range)?;
            self.words.push(vectors);
            self.space(range);
            return Ok(());
        }
        self.named(RegisterFile::ConstantBuffer, &[range.id, vectors])
    }

    /// The operand that names a range: its id and bounds in 5.1, one number before.
    fn range(&mut self, file: RegisterFile, range: &RegisterRange) -> Result<(), EncodeError> {
        match self.model {
            Model::Sm5_1 => self.named(file, &[range.id, range.lower, range.upper.unwrap_or(u32::MAX)]),
            Model::Sm4_0 | Model::Sm4_1 | Model::Sm5_0 => self.named(file, &[range.id]),
        }
    }

    fn register(&mut self, file: RegisterFile, register: u32) -> Result<(), EncodeError> {
        self.named(file, &[register])
    }

    /// An operand of numbers alone, with the components that the compiler writes there.
    fn named(&mut self, file: RegisterFile, numbers: &[u32]) -> Result<(), EncodeError> {
        let has_swizzle = file == RegisterFile::ConstantBuffer
            || self.model == Model::Sm5_1
                && matches!(file, RegisterFile::Resource | RegisterFile::Uav | RegisterFile::Sampler);
        let components = if has_swizzle { Components::Swizzle([0, 1, 2, 3]) } else { Components::None };
        let mut operand = Operand::new(file, components);
        operand.indices = numbers.iter().map(|&number| Index::number(number)).collect();
        encode_operand(&mut self.words, &operand)
    }

    fn space(&mut self, range: &RegisterRange) {
        if self.model == Model::Sm5_1 {
            self.words.push(range.space);
        }
    }
}

/// The words of a block of custom data; `None` if its content is not decoded.
pub fn encode_custom(content: &CustomContent) -> Result<Option<Vec<u32>>, EncodeError> {
    let data: Vec<u32> = match content {
        CustomContent::ImmediateConstantBuffer(vectors) => vectors.iter().flatten().copied().collect(),
        CustomContent::Message(message) => message_words(message)?,
        CustomContent::Comment
        | CustomContent::DebugInfo
        | CustomContent::Opaque
        | CustomContent::ClipPlanes
        | CustomContent::Unknown { .. } => return Ok(None),
    };
    let mut words = vec![u32::from(Op::CustomData.info().code) | content.class() << 11, data.len() as u32 + 2];
    words.extend(data);
    Ok(Some(words))
}

fn message_words(message: &Message) -> Result<Vec<u32>, EncodeError> {
    let mut operands = Vec::new();
    for operand in &message.operands {
        encode_operand(&mut operands, operand)?;
    }
    let number = match message.kind {
        MessageKind::Message => MessageKind::MESSAGE_CODE,
        MessageKind::Error => MessageKind::ERROR_CODE,
    };
    let mut text: Vec<u8> = message.text.clone().into_bytes();
    let characters = text.len() as u32;
    // The text ends with a zero and fills whole words.
    text.push(0);
    text.resize(text.len().next_multiple_of(4), 0);
    let [operand_count, operand_words] = [message.operands.len() as u32, operands.len() as u32];
    let mut words = vec![number, u32::from(message.is_format), characters, operand_count, operand_words];
    words.extend(operands);
    words.extend(text.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
    Ok(words)
}
