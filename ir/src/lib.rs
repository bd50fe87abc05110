//! The intermediate representation: what a shader means, as typed values in structured regions, for one thread.
//!
//! | file | what |
//! |---|---|
//! | `types.rs` | types and constants |
//! | `ops.rs` | the table of pure operations with their meaning |
//! | `float.rs` | Direct3D's float rules on one number |
//! | `entity.rs` | typed indices |
//! | `named.rs` | enums whose values have names, or numbers too |
//! | `stage.rs` | the stage that a shader is for, its inputs and outputs |
//! | `stages.rs` | what there is one of for each stage of a pipeline |
//! | `interface.rs` | what a shader declares of the world outside |
//! | `operand.rs` | what instructions are made of |
//! | `function.rs` | instructions, regions, values |
//! | `instruction.rs` | what an instruction is: kinds, effects, operands, regions |
//! | `replacements.rs` | which value replaces which |
//! | `builder.rs` | writes instructions at a cursor |
//! | `math.rs` | exp2, log2, sine and cosine from the operations |
//! | `phases.rs` | where barriers divide a shader |
//! | `passes/` | SSA construction and simplification, one visible list |
//! | `host.rs` | a running shader's interface to the outside world |
//! | `batch.rs` | the memory passed with a batch of invocations |
//! | `sampling.rs` | the kinds of sample instructions and their operands |
//! | `texel.rs` | the layout of texels in memory, and code that converts them |
//! | `text.rs` | the text form: printing and parsing |
//! | `verify.rs` | the rules a function obeys; a checked function is another type |
//! | `flow.rs` | uses, nesting and edges, for the analyses |
//! | `span.rs` | which groups run together, and which threads share packets |
//! | `srgb.rs` | the sRGB curve |
//! | `width.rs` | how many threads a packet has |
//! | `uniformity.rs` | what is the same in all threads |
//! | `shape/` | how addresses vary across the lanes of a packet |
//! | `bound.rs` | the largest number that an integer can be |
//! | `float_class.rs` | which floats can be denormals, infinities, NaNs |
//! | `float_range.rs` | between which numbers a float lies |
//! | `pipeline/` | what stands around the shader of a stage: interpolation, the output merger |
//! | `translate/` | bytecode to IR |
//! | `interp/` | runs a shader: the reference for compiled code |
#![forbid(unsafe_code)]

pub mod batch;
pub mod bound;
pub mod builder;
pub mod entity;
pub mod float;
pub mod float_class;
pub mod float_range;
pub mod flow;
pub mod function;
pub mod host;
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
pub use types::{Const, Type};
pub use verify::{VerifiedFunction, verify};
pub use width::Width;
