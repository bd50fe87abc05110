//! Bounds on the counts and sizes in a file.
//!
//! Every count and length that a file states is checked against one of these before anything is allocated for it. The
//! defaults are far above the output of compilers and keep the memory for one file under about 200 MB.

/// Upper bounds that decoding and validation enforce.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes in a container.
    pub blob_bytes: u32,
    /// Chunks in a container.
    pub chunks: u32,
    /// Elements in one signature.
    pub signature_elements: u32,
    /// Bytes in one name of a signature or of the resource definitions.
    pub name_bytes: u32,
    /// Bindings, buffers, variables, types and members in the resource definitions, all together.
    pub resource_records: u32,
    /// Files, lines, variables, places of them and types in the debug information, all together.
    pub debug_records: u32,
    /// Words in a program.
    pub program_words: u32,
    /// Levels of indices within indices of one operand.
    pub index_depth: u32,
    /// Levels of `if`, `loop` and `switch` within each other.
    pub flow_depth: u32,
    /// Functions of one program.
    pub functions: u32,
    /// Registers of one file that are declared, one by one or as ranges.
    pub declared_registers: u32,
    /// Findings about one file that [`crate::findings`] lists.
    pub findings: u32,
    /// Threads in a thread group; Direct3D allows 1,024.
    pub group_threads: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            blob_bytes: 64 << 20,
            chunks: 1024,
            signature_elements: 1024,
            name_bytes: 4096,
            resource_records: 1 << 16,
            debug_records: 1 << 20,
            program_words: 1 << 20,
            index_depth: 4,
            flow_depth: 1024,
            functions: 4096,
            declared_registers: 4096,
            findings: 100,
            group_threads: 1024,
        }
    }
}
