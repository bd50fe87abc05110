//! Custom data: blocks of words in the stream that are not instructions.

use super::operand::Operand;

/// A custom data block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CustomData {
    /// The byte in the file where it begins.
    pub at: u32,
    /// The content.
    pub content: CustomContent,
}

/// Content of a custom data block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CustomContent {
    /// A comment; its words are in [`super::Program::words`].
    Comment,
    /// Debug information.
    DebugInfo,
    /// Data of any meaning.
    Opaque,
    /// The immediate constant buffer, read as `icb[n]`.
    ImmediateConstantBuffer(Vec<[u32; 4]>),
    /// A message that the shader prints when it reaches the block.
    Message(Message),
    /// Clip planes for Direct3D 9 hardware.
    ClipPlanes,
    /// An unknown class.
    Unknown {
        /// The class number.
        class: u32,
    },
}

impl CustomContent {
    /// The name of such a block in fxc's listing.
    pub fn text(&self) -> &'static str {
        match self {
            Self::Comment => "customdata_comment",
            Self::DebugInfo => "customdata_debuginfo",
            Self::Opaque => "customdata_opaque",
            Self::ImmediateConstantBuffer(_) => "dcl_immediateConstantBuffer",
            Self::Message(_) => "shader_message",
            Self::ClipPlanes => "shader_clip_plane_maps",
            Self::Unknown { .. } => "customdata",
        }
    }

    /// The class number in the token stream.
    pub fn class(&self) -> u32 {
        match self {
            Self::Comment => 0,
            Self::DebugInfo => 1,
            Self::Opaque => 2,
            Self::ImmediateConstantBuffer(_) => 3,
            Self::Message(_) => 4,
            Self::ClipPlanes => 5,
            Self::Unknown { class } => *class,
        }
    }
}

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// `printf`
    Message,
    /// `errorf`
    Error,
}

impl MessageKind {
    /// Its name in fxc's listing.
    pub fn text(self) -> &'static str {
        match self {
            MessageKind::Message => "printf",
            MessageKind::Error => "errorf",
        }
    }

    /// The number of a message in the token stream.
    pub(super) const MESSAGE_CODE: u32 = 0x0020_0102;
    /// The number of an error in the token stream.
    pub(super) const ERROR_CODE: u32 = 0x0020_0103;
}

/// A message of `printf` or `errorf`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The kind: message or error.
    pub kind: MessageKind,
    /// `true` if `text` is a format string with placeholders for the operands, rather than plain text.
    pub is_format: bool,
    /// The text.
    pub text: String,
    /// The values to print.
    pub operands: Vec<Operand>,
}
