//! Defines the reasons why a shader cannot be compiled.

/// The reason why a shader could not be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The JIT supports only x86-64 with SSE4.2; the interpreter runs everywhere.
    #[error("the JIT needs an x86-64 processor with SSE4.2 and POPCNT")]
    Unsupported,
    /// Private arrays need too much memory.
    #[error("private arrays need {bytes} bytes per worker, the limit is {limit}")]
    LocalMemory {
        /// Bytes needed.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The stack frame is too large.
    #[error("the shader needs a stack frame of {bytes} bytes, the limit is {limit}")]
    Frame {
        /// Bytes needed.
        bytes: u32,
        /// Bytes allowed.
        limit: u32,
    },
    /// Code generation would take too long, or too much memory.
    #[error("the shader takes more than {limit} instructions in the code generator, the limit")]
    TooLarge {
        /// Instructions allowed.
        limit: u32,
    },
    /// Cranelift refused the function.
    #[error("code generation failed: {message}")]
    Codegen {
        /// Cranelift's message.
        message: String,
    },
    /// Bytes that should be a compiled shader are not.
    #[error("the stored machine code is damaged")]
    Damaged,
    /// The system provided no executable memory.
    #[error("no executable memory for {bytes} bytes of code")]
    Memory {
        /// Bytes of code.
        bytes: usize,
        /// The system's error.
        source: std::io::Error,
    },
}

impl CompileError {
    /// `true` if the shader is too large for machine code. The interpreter can run it.
    pub fn is_size(&self) -> bool {
        matches!(self, Self::TooLarge { .. } | Self::Frame { .. })
    }
}
