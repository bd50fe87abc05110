//! Defines the items of a program: instructions, declarations, definitions and comments.

use super::operand::{Destination, Operand, Source};
use super::ops::{Op, Slot};
use crate::codes::codes;

codes! {
    /// A comparison of two values.
    Comparison {
        1 Greater "gt";
        2 Equal "eq";
        3 GreaterEqual "ge";
        4 Less "lt";
        5 NotEqual "ne";
        6 LessEqual "le";
    }
}

codes! {
    /// Usage of an input or output.
    Usage {
        0 Position "position";
        1 BlendWeight "blendweight";
        2 BlendIndices "blendindices";
        3 Normal "normal";
        4 PointSize "psize";
        5 TexCoord "texcoord";
        6 Tangent "tangent";
        7 Binormal "binormal";
        8 TessFactor "tessfactor";
        9 PositionT "positiont";
        10 Color "color";
        11 Fog "fog";
        12 Depth "depth";
        13 Sample "sample";
    }
}

codes! {
    /// The kind of texture that a sampler is declared for.
    TextureType {
        2 Texture2D "2d";
        3 TextureCube "cube";
        4 Volume "volume";
    }
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The instruction.
    pub op: Op,
    /// The comparison, where the instruction has one.
    pub comparison: Option<Comparison>,
    /// `+`: it is co-issued with the instruction before it.
    pub coissue: bool,
    /// The predicate of each component.
    pub predicate: Option<Source>,
    /// The operands in the order of [`super::ops::OpInfo::slots`].
    pub operands: Vec<Operand>,
}

impl Instruction {
    /// The operands, each with its slot of the table.
    pub fn slots(&self) -> impl Iterator<Item = (Slot, &Operand)> {
        self.op.info().slots.iter().copied().zip(&self.operands)
    }

    /// The components that it writes, if it has a destination.
    pub fn written(&self) -> Option<u8> {
        match self.operands.first() {
            Some(Operand::Destination(destination)) => Some(destination.mask),
            _ => None,
        }
    }
}

/// A declaration of an input, output or sampler: a usage token, and the register with its components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Declaration {
    /// The usage token.
    pub usage_token: u32,
    /// The register.
    pub register: Destination,
}

impl Declaration {
    /// The token of a declaration without a usage.
    pub const PLAIN: u32 = 1 << 31;

    /// The usage token of an input or output; `index` is below 16.
    pub const fn usage_token(usage: Usage, index: u32) -> u32 {
        Self::PLAIN | usage.code() | (index & 0xf) << 16
    }

    /// The usage token of a sampler.
    pub const fn texture_token(texture: TextureType) -> u32 {
        Self::PLAIN | texture.code() << 27
    }

    /// The number of the usage: bits 0 to 4.
    pub const fn usage_code(&self) -> u32 {
        self.usage_token & 0x1f
    }

    /// The usage; `None` if the number is unknown.
    pub const fn usage(&self) -> Option<Usage> {
        Usage::from_code(self.usage_code())
    }

    /// The usage index: bits 16 to 19.
    pub const fn usage_index(&self) -> u32 {
        self.usage_token >> 16 & 0xf
    }

    /// The number of the texture type: bits 27 to 30.
    pub const fn texture_code(&self) -> u32 {
        self.usage_token >> 27 & 0xf
    }

    /// The texture type; `None` if the number is unknown.
    pub const fn texture(&self) -> Option<TextureType> {
        TextureType::from_code(self.texture_code())
    }
}

/// The definition of a constant in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Definition {
    /// The register.
    pub register: Destination,
    /// Its value.
    pub value: Value,
}

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// `def`: the bits of four floats.
    Float([u32; 4]),
    /// `defi`
    Int([i32; 4]),
    /// `defb`: any nonzero word is true.
    Bool(u32),
}

impl Value {
    /// The instruction that defines it.
    pub const fn op(self) -> Op {
        match self {
            Self::Float(_) => Op::Def,
            Self::Int(_) => Op::DefI,
            Self::Bool(_) => Op::DefB,
        }
    }
}

/// A comment: data that no instruction reads. The compiler puts the constant table and debug data there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Comment {
    /// Its words, the name first.
    pub words: Vec<u32>,
}

impl Comment {
    /// The most words a comment can have.
    pub const MOST_WORDS: usize = 0x7fff;

    /// The four characters that name the comment's content.
    pub fn name(&self) -> Option<[u8; 4]> {
        self.words.first().map(|word| word.to_le_bytes())
    }
}
