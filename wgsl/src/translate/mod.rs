//! Translates an entry point to IR.
//!
//! | file | content |
//! |---|---|
//! | `types.rs` | types, their scalars and layouts |
//! | `place.rs` | pointers: a variable and a path |
//! | `memory.rs` | reads and writes of places, atomics |
//! | `constant.rs` | constants, overrides, constant arrays |
//! | `globals.rs` | declarations: resources, private and workgroup variables, inputs |
//! | `described.rs` | what callers are told of declarations |
//! | `expression.rs` | one arm per expression |
//! | `operator.rs` | operators and conversions |
//! | `builtin/` | built-in functions |
//! | `texture.rs` | textures and samplers |
//! | `control.rs` | statements: blocks, `if`, `switch`, `loop` |
//! | `call.rs` | calls, which are inlined, and variables of functions |
//!
//! Scalars of variables are slots; an array or matrix that a computed number indexes is a private array of the IR. The
//! origin of each instruction is the byte of its expression or statement in the text.
//!
//! Hostile texts are bounded by [`Limits`](crate::Limits): inlined calls count like everything else.

mod builtin;
mod call;
mod constant;
mod control;
mod described;
mod expression;
mod globals;
mod memory;
mod operator;
mod place;
mod texture;
mod types;

use std::rc::Rc;

use brolga_ir::entity::{ResourceId, Value};
use brolga_ir::function::{Function, Origin};
use brolga_ir::interface::Interface;
use brolga_ir::{Builder, Const, Type};
use naga::valid::ModuleInfo;
use naga::{Expression, Handle, Module, Scalar, Span};
use smallvec::SmallVec;

pub use described::{MemberInfo, OverrideInfo, TypeInfo, TypeKind};
pub use globals::Binding;

use crate::error::{Fault, Quantity};
use crate::options::Options;
use crate::usage::ModuleUsage;
use call::Frame;
use constant::Constants;
use control::Flow;
use place::Place;
use types::{Shape, Types};

type Result<T = ()> = std::result::Result<T, Fault>;

/// Scalars of a value, in order.
type Words = SmallVec<[Value; 4]>;

/// What an expression is.
#[derive(Clone, Debug)]
enum Val<'m> {
    /// Scalars.
    Words(Words),
    /// The zero of its type.
    Zero,
    /// A pointer.
    Place(Place<'m>),
    /// A texture or sampler.
    Resource(ResourceId),
}

/// A fault, and the byte in the text.
pub(crate) struct FaultAt {
    /// The byte; `None` if it is of the shader as a whole.
    pub at: Option<u32>,
    /// The fault.
    pub fault: Fault,
}

/// A translated entry point.
pub(crate) struct Translated {
    /// Its function.
    pub function: Function,
    /// Its resources by name.
    pub bindings: Vec<Binding>,
    /// The variables in its shared memory, in the order of its numbers.
    pub shared: Vec<String>,
    /// The overrides of the text.
    pub overrides: Vec<OverrideInfo>,
}

/// Translates the entry point with this number of a module that was validated.
///
/// To check it, accesses outside of arrays in memory, which WGSL leaves out, are made outside of the memory.
pub(crate) fn translate(
    (module, info): (&Module, &ModuleInfo),
    entry: usize,
    options: &Options,
    is_to_check: bool,
) -> std::result::Result<Translated, FaultAt> {
    let complete = |found| constant::complete(found, module, options);
    let (overrides, group_size) = constant::sizes(module, info, entry, options).map_err(complete)?;
    let types = Types::new(module, |size| overrides.value(size));
    let told = described::overrides(module, &overrides);
    let mut function = Function::new(module.entry_points[entry].name.as_str(), Interface::compute(group_size));
    let mut translator = Translator::new(module, info, types, options, &mut function);
    translator.constants.overrides = Rc::new(overrides);
    translator.is_to_check = is_to_check;
    let done = translator.entry_point(entry);
    let Translator { at, ref mut bindings, ref mut shared, .. } = translator;
    let (bindings, shared) = (std::mem::take(bindings), std::mem::take(shared));
    done.map_err(|fault| complete(FaultAt { at, fault }))?;
    function.list_samples();
    Ok(Translated { function, bindings, shared, overrides: told })
}

/// State of a translation.
struct Translator<'m, 'f> {
    module: &'m Module,
    info: &'m ModuleInfo,
    types: Types<'m>,
    options: &'m Options,
    is_to_check: bool,
    b: Builder<'f>,
    constants: Constants,
    /// Global variables that the entry point uses.
    globals: Vec<Option<Val<'m>>>,
    bindings: Vec<Binding>,
    shared: Vec<String>,
    usage: Option<Rc<ModuleUsage>>,
    /// The function that is being translated.
    frame: Frame<'m>,
    flow: Flow,
    /// The byte of what is being translated.
    at: Option<u32>,
}

impl<'m, 'f> Translator<'m, 'f> {
    fn new(
        module: &'m Module,
        info: &'m ModuleInfo,
        types: Types<'m>,
        options: &'m Options,
        function: &'f mut Function,
    ) -> Self {
        Self {
            module,
            info,
            types,
            options,
            is_to_check: false,
            b: Builder::new(function),
            constants: Constants::default(),
            globals: vec![None; module.global_variables.len()],
            bindings: Vec::new(),
            shared: Vec::new(),
            usage: None,
            frame: Frame::of_module(module, info),
            flow: Flow::default(),
            at: None,
        }
    }

    fn internal(&self, what: &str) -> Fault {
        Fault::Internal { what: what.to_owned() }
    }

    fn unsupported<T>(&self, name: impl Into<String>) -> Result<T> {
        Err(Fault::Unsupported { name: name.into() })
    }

    /// Instructions that follow come from here.
    fn come_from(&mut self, span: Span) {
        if let Some(range) = span.to_range() {
            let byte = range.start as u32;
            self.at = Some(byte);
            self.b.set_origin(Origin(byte));
        }
    }

    /// Counts instructions that are about to be made against the limit.
    fn reserve(&mut self, count: u32) -> Result {
        let found = self.b.func.inst_count() as u64 + self.flow.steps as u64 + u64::from(count);
        self.check(Quantity::Instructions, found, self.options.limits.instructions as u64)
    }

    fn check(&self, quantity: Quantity, found: u64, most: u64) -> Result {
        if found > most { Err(Fault::TooMany { quantity, found, most }) } else { Ok(()) }
    }

    /// The type of an expression of the function.
    fn shape(&self, expression: Handle<Expression>) -> Shape<'m> {
        self.types.resolved(self.frame.ty(expression))
    }

    /// The kind of number that an expression is made of.
    fn scalar(&self, expression: Handle<Expression>) -> Result<Scalar> {
        match self.shape(expression) {
            Shape::Scalar(scalar) | Shape::Vector(_, scalar) | Shape::Matrix(_, _, scalar) => {
                self.scalar_type(scalar)?;
                Ok(scalar)
            }
            _ => Err(self.internal("an operand is no number")),
        }
    }

    fn zero_scalar(&mut self, scalar: Scalar) -> Result<Value> {
        let ty = self.scalar_type(scalar)?;
        Ok(self.b.constant(Const::zero(ty)))
    }

    /// The zero of a type.
    fn zero(&mut self, shape: Shape<'m>) -> Result<Words> {
        self.reserve(self.types.words(shape))?;
        let mut kinds: SmallVec<[Type; 4]> = SmallVec::new();
        self.types.each_scalar(shape, &mut |scalar| -> Result {
            kinds.push(self.scalar_type(scalar)?);
            Ok(())
        })?;
        Ok(kinds.into_iter().map(|ty| self.b.constant(Const::zero(ty))).collect())
    }
}
