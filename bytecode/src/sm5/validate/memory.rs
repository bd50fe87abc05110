//! Checks that the memory, textures and samplers that an instruction names are declared as it needs them.
//!
//! The dimensions and modes that an instruction takes are in its row of the table; the rules are those of each
//! instruction's page in the functional specification, and the messages of the real compiler's own check.

use super::operands::DeclarationLookup;
use super::{RegisterName, Rule, declared};
use crate::sm5::codes::{ResourceDimension, ReturnType, SamplerMode};
use crate::sm5::declaration::{RegisterRange, ResourceKind};
use crate::sm5::instruction::{Instruction, ResourceHint};
use crate::sm5::operand::{Components, Operand, RegisterFile as File};
use crate::sm5::ops::{Op, Storage};
use crate::sm5::valid::SharedMemoryKind;
use crate::sm5::{RegisterFile, Stage};

impl DeclarationLookup<'_> {
    /// Checks memory, or an object that is queried.
    pub(super) fn memory(
        &self,
        instruction: &Instruction,
        operand: &Operand,
        storage: Storage,
        is_stored: bool,
    ) -> Result<(), Rule> {
        if !file_fits(operand.file, storage, is_stored, self.stage) {
            return Err(Rule::wrong_file(operand, expected(storage, is_stored)));
        }
        if operand.file == File::Rasterizer {
            return Ok(());
        }
        let hint = instruction.resource.filter(|hint| hint.dimension == ResourceDimension::StructuredBuffer);
        let Some((register, kind)) = self.memory_kind(operand)? else {
            // In shaders with interfaces the number of t# itself may be computed; it may then be any declared one, or
            // one that only the instruction describes.
            return hint.map_or(Ok(()), |hint| declared::stride(hint.stride_bytes.into()));
        };
        let fits = match kind {
            ResourceKind::Typed { dimension, .. } => storage.takes(dimension),
            ResourceKind::Raw => matches!(storage, Storage::Raw | Storage::Buffer | Storage::Atomic),
            ResourceKind::Structured { .. } => {
                matches!(storage, Storage::Structured | Storage::Counter | Storage::Buffer | Storage::Atomic)
            }
        };
        if !fits {
            return Err(Rule::Kind { register, found: description(kind), expected: expected(storage, is_stored) });
        }
        returned(instruction.op, register, kind, storage)?;
        repeated_stride(register, kind, hint)
    }

    /// Checks memory that is written.
    pub(super) fn stored(&self, instruction: &Instruction, operand: &Operand, storage: Storage) -> Result<(), Rule> {
        self.memory(instruction, operand, storage, true)?;
        let mask = operand.mask();
        let expected = match storage {
            Storage::Raw | Storage::Structured if !matches!(mask, 0b0001 | 0b0011 | 0b0111 | 0b1111) => {
                ".x, .xy, .xyz or .xyzw"
            }
            Storage::TypedUav if mask != 0xf => ".xyzw",
            _ => return Ok(()),
        };
        Err(Rule::wrong_mask(operand, expected))
    }

    /// The register that an operand names and its declared kind; `None` if its number is computed.
    fn memory_kind(&self, operand: &Operand) -> Result<Option<(RegisterName, ResourceKind)>, Rule> {
        if operand.file == File::SharedMemory {
            let register = self.number_of(operand, operand.file)?;
            let kind = self.shared.get(&register.number).ok_or(self.not_declared(register))?;
            let kind = match *kind {
                SharedMemoryKind::Raw { .. } => ResourceKind::Raw,
                SharedMemoryKind::Structured { stride_bytes, .. } => ResourceKind::Structured { stride_bytes },
            };
            return Ok(Some((register, kind)));
        }
        let Some(register) = self.ranged_number(operand)? else { return Ok(None) };
        let declared: Option<(RegisterRange, ResourceKind)> = match operand.file {
            File::Resource => self.resources.get(&register.number).map(|resource| (resource.range, resource.kind)),
            _ => self.uavs.get(&register.number).map(|uav| (uav.range, uav.kind)),
        };
        let (range, kind) = declared.ok_or(self.not_declared(register))?;
        self.in_range(operand, register, range)?;
        Ok(Some((register, kind)))
    }

    pub(super) fn sampler(&self, operand: &Operand, select: bool, mode: SamplerMode) -> Result<(), Rule> {
        if operand.file != File::Sampler {
            return Err(Rule::wrong_file(operand, "s#"));
        }
        if select && !matches!(operand.components, Components::Select(_)) {
            return Err(Rule::wrong_components(operand, "a selected component"));
        }
        let Some(register) = self.ranged_number(operand)? else { return Ok(()) };
        let declared = self.samplers.get(&register.number).ok_or(self.not_declared(register))?;
        self.in_range(operand, register, declared.range)?;
        if declared.mode == mode {
            return Ok(());
        }
        Err(Rule::Kind { register, found: declared.mode.text(), expected: mode.text() })
    }
}

/// Text of the memory that an instruction takes, for messages.
fn expected(storage: Storage, is_stored: bool) -> &'static str {
    match storage {
        Storage::Sampled => "a texture t# without samples that returns float, unorm or snorm",
        Storage::Compared => "a texture t# that returns float, unorm or snorm, neither texture3d nor with samples",
        Storage::Measured => "a texture t# without samples",
        Storage::Gathered => "texture2d, texturecube or an array of them, as t#",
        Storage::GatheredAround => "texture2d or texture2darray, as t#",
        Storage::Texels => "a typed buffer t#, or a texture t# that is no cube and has no samples",
        Storage::Samples => "texture2dms or texture2dmsarray, as t#",
        Storage::Texture => "a texture, as t# or u#",
        Storage::SamplesOrRasterizer => "texture2dms or texture2dmsarray as t#, or rasterizer",
        Storage::TypedUav => "a typed u#",
        Storage::Raw if is_stored => "raw u# or g#",
        Storage::Raw => "raw t#, u# or g#",
        Storage::Structured if is_stored => "structured u# or g#",
        Storage::Structured => "structured t#, u# or g#",
        Storage::Buffer => "a buffer t# or u#",
        Storage::Atomic => "u# or g#",
        Storage::Counter => "a structured u#",
    }
}

fn file_fits(file: RegisterFile, storage: Storage, is_stored: bool, stage: Stage) -> bool {
    match storage {
        Storage::Sampled
        | Storage::Compared
        | Storage::Measured
        | Storage::Gathered
        | Storage::GatheredAround
        | Storage::Texels
        | Storage::Samples => file == File::Resource,
        Storage::SamplesOrRasterizer => file == File::Resource || (file == File::Rasterizer && stage == Stage::Pixel),
        Storage::Texture | Storage::Buffer => matches!(file, File::Resource | File::Uav),
        Storage::TypedUav | Storage::Counter => file == File::Uav,
        Storage::Raw | Storage::Structured => {
            matches!(file, File::Uav | File::SharedMemory) || (file == File::Resource && !is_stored)
        }
        Storage::Atomic => matches!(file, File::Uav | File::SharedMemory),
    }
}

/// Text of a register's declared kind, for messages.
fn description(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Typed { dimension: ResourceDimension::Buffer, .. } => "a typed buffer",
        ResourceKind::Typed { dimension, .. } => dimension.text(),
        ResourceKind::Raw => "raw",
        ResourceKind::Structured { .. } => "structured",
    }
}

/// Checks the return type of typed memory: fractions if it is filtered, integers for atomics. Only an exchange accepts
/// any type, and the real compiler writes one for floats.
fn returned(op: Op, register: RegisterName, kind: ResourceKind, storage: Storage) -> Result<(), Rule> {
    let ResourceKind::Typed { returns: [found, ..], .. } = kind else { return Ok(()) };
    let (is_integer, is_fraction) = (
        matches!(found, ReturnType::Sint | ReturnType::Uint),
        matches!(found, ReturnType::Float | ReturnType::Unorm | ReturnType::Snorm),
    );
    let (fits, expected) = match storage {
        Storage::Sampled | Storage::Compared => (is_fraction, "float, unorm or snorm"),
        Storage::Atomic if op == Op::ImmAtomicExch => (is_integer || found == ReturnType::Float, "sint, uint or float"),
        Storage::Atomic => (is_integer, "sint or uint"),
        _ => return Ok(()),
    };
    if fits { Ok(()) } else { Err(Rule::Returns { register, found, expected }) }
}

/// Checks the stride that an instruction repeats.
fn repeated_stride(register: RegisterName, kind: ResourceKind, hint: Option<ResourceHint>) -> Result<(), Rule> {
    let (ResourceKind::Structured { stride_bytes }, Some(hint)) = (kind, hint) else { return Ok(()) };
    let found = u32::from(hint.stride_bytes);
    if register.file == File::SharedMemory || found == stride_bytes {
        return Ok(());
    }
    Err(Rule::Stride { register, found, declared: stride_bytes })
}
