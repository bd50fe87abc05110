//! Bounds on what a device accepts.
//!
//! Each is checked before anything is allocated or run for the thing it bounds, and has its own [`Limit`](crate::Limit)
//! in the error.

use brolga_bytecode::Limits as FileLimits;

/// Upper bounds of one device. The defaults are Direct3D's where it has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// Limits on parsing a shader file.
    pub file: FileLimits,
    /// Threads in a group; Direct3D allows 1,024.
    pub group_threads: u32,
    /// Bytes of shared memory of one group; Direct3D allows 32 KiB.
    pub shared_bytes: u32,
    /// Groups of a dispatch along each axis, counting from the origin to the last one; Direct3D allows 65,535.
    pub dispatch_groups: u32,
    /// Bytes in one buffer or texture.
    pub buffer_bytes: u64,
    /// Registers of one declared range, which bounds the tables made for a dispatch. As many may be bound in an
    /// unbounded range.
    pub range_registers: u32,
    /// Vectors of a constant buffer that shaders see; Direct3D allows 4,096.
    pub constant_vectors: u32,
    /// Bytes of private memory that one worker may need for arrays, kept values and shared memory. Direct3D's 4,096
    /// registers in 1,024 threads are 64 MiB of words; the interpreter takes twice that and a little.
    pub arena_bytes: u64,
    /// Instructions that the code generator is given for one shader. Each takes it 1 to 2 us and about 450 bytes while
    /// it runs. [`CompileOptions::oversize`](crate::CompileOptions::oversize) decides about shaders with more.
    pub code_instructions: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file: FileLimits::default(),
            group_threads: 1024,
            shared_bytes: 32 << 10,
            dispatch_groups: 65_535,
            buffer_bytes: 32 << 30,
            range_registers: 1 << 16,
            constant_vectors: 4096,
            arena_bytes: 192 << 20,
            code_instructions: 900_000,
        }
    }
}
