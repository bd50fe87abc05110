//! Represents a shader's meaning (the IR): typed values in structured regions, for one thread.
//!
//! | file | content |
//! |---|---|
//! | `types.rs` | types and constants |
//! | `ops.rs` | the table of pure operations with their meaning |
//! | `float.rs` | Direct3D's float rules on single numbers |
//! | `entity.rs` | typed indices |
//! | `named.rs` | enums whose values have names, or numbers too |
//! | `stage.rs` | the stage of a shader, its inputs and outputs |
//! | `stages.rs` | one value for each stage of a pipeline |
//! | `interface.rs` | the declarations of a shader: resources, memory, arrays |
//! | `operand.rs` | inputs, memory references, operations on memory |
//! | `function.rs` | instructions, regions, values |
//! | `instruction.rs` | the kinds of instructions: effects, operands, regions |
//! | `replacements.rs` | replacing values by others |
//! | `builder.rs` | writes instructions at a cursor |
//! | `math.rs` | exp2, log2, sine and cosine from the operations |
//! | `phases.rs` | the division of a shader at its barriers |
//! | `passes/` | SSA construction and simplification, one visible list |
//! | `host.rs` | a running shader's interface to the outside world |
//! | `sampling.rs` | the kinds of sample instructions and their operands |
//! | `texel.rs` | the layout of texels in memory, and code that converts them |
//! | `text.rs` | the text form: printing and parsing |
//! | `verify.rs` | the rules a function obeys; a checked function is another type |
//! | `flow.rs` | uses, nesting and edges, for the analyses |
//! | `span.rs` | groups that run together, and packing their threads |
//! | `srgb.rs` | the sRGB curve |
//! | `width.rs` | the number of threads in a packet |
//! | `uniformity.rs` | uniform values and control flow |
//! | `shape/` | variation of addresses across the lanes of a packet |
//! | `bound.rs` | upper bounds of integers |
//! | `float_class.rs` | floats that can be denormals, infinities, NaNs |
//! | `float_range.rs` | ranges of floats |
//! | `pipeline/` | the fixed functions around a shader: interpolation, the output merger |
//! | `translate/` | bytecode to IR |
//! | `interp/` | runs a shader: the reference for compiled code |
//! | `insight/` | checks what a shader does while the interpreter runs it |
#![forbid(unsafe_code)]

pub mod bound;
pub mod builder;
pub mod entity;
pub mod float;
pub mod float_class;
pub mod float_range;
pub mod flow;
pub mod function;
pub mod host;
pub mod insight;
mod instruction;
pub mod interface;
pub mod interp;
pub mod math;
pub mod named;
mod operand;
pub mod ops;
pub mod passes;
pub mod phases;
pub mod pipeline;
mod replacements;
pub mod sampling;
pub mod shape;
pub mod span;
pub mod srgb;
pub mod stage;
pub mod stages;
pub mod texel;
pub mod text;
pub mod translate;
pub mod types;
pub mod uniformity;
pub mod verify;
pub mod width;

pub use builder::Builder;
pub use function::Function;
pub use interp::Interpreter;
pub use ops::Op;
pub use stage::{batch, message};
pub use types::{Const, Type};
pub use verify::{VerifiedFunction, verify};
pub use width::Width;
