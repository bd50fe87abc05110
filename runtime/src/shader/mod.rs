//! Compiled shaders.
//!
//! | file | what |
//! |---|---|
//! | `compile.rs` | makes them |
//! | `instance.rs` | what interface variables can stand for |
//! | `linkage.rs` | what the chosen instances make of each interface slot |
//! | `apart.rs` | makes them in a thread of its own |
//! | `declared.rs` | what they declare |
//! | `figures.rs` | what compiling took and gave |
//! | `outline.rs` | what dispatches ask of them |
//! | `stored.rs` | their place in the disk cache |
//! | `place.rs` | names their instructions |

mod apart;
mod compile;
mod declared;
mod figures;
mod instance;
mod linkage;
mod outline;
mod place;
mod stored;

use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use brolga_bytecode::sm5::{Model, Stage};
use brolga_ir::Width;
use brolga_ir::function::Origin;
use brolga_ir::passes::Level;
use brolga_ir::span::Packing;
use brolga_ir::texel::TexelFormat;
use brolga_ir::verify::VerifiedFunction;

pub use brolga_jit::listing::{Line, LineKind, Listing};
pub use declared::Declared;
pub use figures::{CodeFigures, CompileStage, StageTimes};
pub use instance::{ClassInstance, InstanceError, PlacedInstance, Unset};
pub(crate) use outline::Outline;
pub use place::Place;
use smallvec::SmallVec;

use crate::bindings::{BindingRules, Bindings};
use crate::device::Device;
use crate::dispatch::StopWord;
use crate::engine::{Code, usual_packing};
use crate::error::Error;
use crate::host::BoundViews;
use crate::limits::Limits;
use crate::perf_map::NamedCode;
use crate::resource::GuardPages;
use apart::apart;
use compile::Source;
use figures::StageClock;
use instance::Instances;
use stored::Stored;

/// What runs a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Machine code, on processors it can be made for.
    Jit,
    /// The interpreter, which defines what is right and runs on every processor.
    Interpreter,
}

impl Engine {
    /// The fastest that this processor can run. Results are the same.
    pub fn best() -> Self {
        if brolga_jit::Options::host().is_some() { Engine::Jit } else { Engine::Interpreter }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Jit => "jit",
            Engine::Interpreter => "interpreter",
        })
    }
}

/// What becomes of a shader that is too large for machine code: it would be more than
/// [`Limits::code_instructions`](crate::Limits::code_instructions), or need more than a stack frame has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Oversize {
    /// The interpreter runs it, and [`Shader::engine`] says so.
    #[default]
    Interpret,
    /// It is not compiled. Code that a dispatch of groups in short rows takes is larger, and may be refused then.
    Refuse,
}

/// How to compile a shader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CompileOptions {
    /// What shall run it; the best for this processor if nothing is said.
    pub engine: Engine,
    /// What becomes of a shader that is too large for machine code.
    pub oversize: Oversize,
    /// Which simplifications are made before. Results are the same.
    pub level: Level,
    /// Threads of a packet; what suits the shader if nothing is said. Shaders whose threads race may see it.
    pub width: Option<Width>,
    instances: Instances,
    name: Option<String>,
}

impl CompileOptions {
    /// Options for an engine.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            oversize: Oversize::default(),
            level: Level::default(),
            width: None,
            instances: Instances::default(),
            name: None,
        }
    }

    /// Sets what becomes of a shader that is too large for machine code.
    pub fn oversize(mut self, oversize: Oversize) -> Self {
        self.oversize = oversize;
        self
    }

    /// Sets which simplifications are made.
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Sets how many threads a packet has.
    pub fn width(mut self, width: Width) -> Self {
        self.width = Some(width);
        self
    }

    /// Chooses what an interface variable of the shader stands for. Each must stand for something; the calls through it
    /// are compiled in place, so that another choice is another shader.
    ///
    /// `variable` is its name in the source, or the listing's `fp#`. The name of an array stands for all of its elements,
    /// but for those that are named by themselves, as in `lights[2]`.
    pub fn instance(mut self, variable: impl Into<String>, instance: impl Into<ClassInstance>) -> Self {
        self.instances.add(variable.into(), instance.into());
        self
    }

    /// Names the shader for profilers, as the file it comes from; without a name they show its checksum.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self::new(Engine::best())
    }
}

/// A form of a shader to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Emit {
    /// The optimised intermediate representation.
    Ir,
    /// The same as packets run it, with what was decided about each operation.
    Packet,
    /// What Cranelift is given.
    Clif,
    /// Machine code below the shader's instructions.
    Asm,
}

/// A compiled compute shader. Cheap to clone and usable from any thread.
#[derive(Clone)]
pub struct Shader {
    inner: Arc<Inner>,
}

/// By declared range, the format of the texels that code goes to by itself; empty if there are none.
pub(crate) type Texels = SmallVec<[Option<TexelFormat>; 2]>;

/// What code of a shader is made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    /// How packets are put together. [`Packing::Row`] stands for whatever is usual.
    pub packing: Packing,
    /// Formats of texels.
    pub texels: Texels,
}

impl Variant {
    /// What most dispatches run, and any could.
    pub fn usual() -> Self {
        Self { packing: Packing::Row, texels: Texels::default() }
    }

    /// What tells it from the usual one, behind a name.
    fn difference(&self) -> &'static str {
        match (self.packing == Packing::Grid, self.texels == Texels::default()) {
            (false, true) => "",
            (false, false) => ", bound formats",
            (true, true) => ", short rows",
            (true, false) => ", short rows, bound formats",
        }
    }
}

/// Variants with formats of texels that a shader has at most; beyond them texels are left to the host.
const MOST_VARIANTS: usize = 32;

struct Inner {
    /// What runs the usual dispatch.
    code: Arc<Code>,
    /// The same in other variants, made for the first dispatch of each.
    others: RwLock<Vec<(Variant, Arc<Code>)>>,
    source: Source,
    /// Made of the source when something is made of it.
    function: OnceLock<VerifiedFunction>,
    outline: Outline,
    /// The place of its code in the cache, if there is one.
    stored: Option<Stored>,
    is_cached: bool,
    compile_times: StageTimes,
    /// Where profilers are told of its code.
    profiled: Option<NamedCode>,
}

impl Inner {
    fn function(&self) -> Result<&VerifiedFunction, Error> {
        if self.function.get().is_none() {
            // If another thread was faster its function is the same.
            let _ = self.function.set(self.source.function(&mut StageClock::start())?);
        }
        Ok(self.function.get().expect("set above"))
    }

    /// The code of a variant; nothing if code that goes to texels by itself would be too large.
    fn make(&self, variant: &Variant) -> Result<Option<Code>, Error> {
        if let Some((_, code)) = self.stored.as_ref().and_then(|stored| stored.load(variant, self.source.name())) {
            return Ok(Some(code));
        }
        let mut target = self.source.target();
        if !variant.texels.is_empty() {
            // Only machine code has such variants.
            target.oversize = Oversize::Refuse;
        }
        let special;
        let function = match variant.texels.is_empty() {
            true => self.function()?,
            false => {
                special = self.source.function_for(&variant.texels, self.outline.width)?;
                &special
            }
        };
        let packing = if variant.packing == Packing::Grid { variant.packing } else { usual_packing(function) };
        let code = match Code::new(function, target, packing, self.source.name()) {
            Err(error) if error.is_size() && !variant.texels.is_empty() => return Ok(None),
            code => code?,
        };
        if let Some(stored) = &self.stored {
            stored.store(variant, &self.outline, &code);
        }
        Ok(Some(code))
    }

    /// The code of a variant, made if there is none yet, and how long that took; nothing if there is no room for another
    /// variant.
    fn other(self: &Arc<Self>, variant: &Variant, stop: &StopWord) -> Result<Option<(Arc<Code>, Duration)>, Error> {
        let (found, count) = {
            let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
            (find(&others, variant), others.len())
        };
        if found.is_some() || (count >= MOST_VARIANTS && !variant.texels.is_empty()) {
            return Ok(found.map(|code| (code, Duration::ZERO)));
        }
        let start = Instant::now();
        let (inner, wanted) = (Arc::clone(self), variant.clone());
        let code = apart(stop, move || inner.add(&wanted))?;
        Ok(Some((code, start.elapsed())))
    }

    /// Makes the code of a variant, unless somebody was faster, and keeps it for all dispatches from now on.
    fn add(&self, variant: &Variant) -> Result<Arc<Code>, Error> {
        if let Some(code) = find(&self.others.read().unwrap_or_else(PoisonError::into_inner), variant) {
            return Ok(code);
        }
        let made = match self.make(variant)? {
            Some(code) => {
                self.note_for_profilers(&code)?;
                Arc::new(code)
            }
            // What does without the formats stands in for it from now on.
            None => {
                let plain = Variant { packing: variant.packing, texels: Texels::default() };
                match plain == Variant::usual() {
                    true => Arc::clone(&self.code),
                    false => self.add(&plain)?,
                }
            }
        };
        let mut others = self.others.write().unwrap_or_else(PoisonError::into_inner);
        // If another thread was faster its code is as good.
        Ok(find(&others, variant).unwrap_or_else(|| {
            others.push((variant.clone(), Arc::clone(&made)));
            made
        }))
    }

    fn note_for_profilers(&self, code: &Code) -> Result<(), Error> {
        match (&self.profiled, code.bytes()) {
            (Some(named), Some(bytes)) => named.add(bytes),
            _ => Ok(()),
        }
    }
}

/// The code of a variant among others.
fn find(others: &[(Variant, Arc<Code>)], variant: &Variant) -> Option<Arc<Code>> {
    others.iter().find(|(other, _)| other == variant).map(|(_, code)| Arc::clone(code))
}

impl Shader {
    /// Compiles a container in the caller's thread.
    pub(crate) fn compile(container: &[u8], options: &CompileOptions, device: &Device) -> Result<Self, Error> {
        Self::compile_by(container, options, device, StageClock::start())
    }

    /// Compiles a container in a thread of its own, which is left to itself once the word is set.
    pub(crate) fn compile_until(
        container: &[u8],
        options: &CompileOptions,
        device: &Device,
        stop: &Arc<StopWord>,
    ) -> Result<Self, Error> {
        let (container, options, device) = (container.to_vec(), options.clone(), device.clone());
        let clock = StageClock::until(Arc::clone(stop));
        apart(stop, move || Self::compile_by(&container, &options, &device, clock))
    }

    fn compile_by(
        container: &[u8],
        options: &CompileOptions,
        device: &Device,
        clock: StageClock,
    ) -> Result<Self, Error> {
        let mut inner = compile::compile(container, options, device, clock)?;
        if let Some(map) = device.perf_map() {
            inner.profiled = Some(map.named(inner.source.name().to_owned()));
        }
        inner.note_for_profilers(&inner.code)?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What runs it.
    pub fn engine(&self) -> Engine {
        self.inner.code.engine()
    }

    /// The shader model.
    pub fn model(&self) -> Model {
        self.inner.source.program().model()
    }

    /// The stage.
    pub fn stage(&self) -> Stage {
        self.inner.source.program().stage()
    }

    /// Threads of a group along x, y and z.
    pub fn group_size(&self) -> [u32; 3] {
        self.inner.outline.group_size
    }

    /// The declared registers in declaration order.
    pub fn bindings(&self) -> &[Declared] {
        &self.inner.outline.declared
    }

    /// Time from bytes to something that runs.
    pub fn compile_time(&self) -> Duration {
        self.inner.compile_times.total()
    }

    /// The same by stage.
    pub fn compile_times(&self) -> StageTimes {
        self.inner.compile_times
    }

    /// Whether its code comes from the device's cache.
    pub fn is_cached(&self) -> bool {
        self.inner.is_cached
    }

    /// Bytes of machine code; the interpreter has none.
    pub fn code_bytes(&self) -> Option<usize> {
        self.inner.code.bytes().map(<[u8]>::len)
    }

    /// What its machine code is made of, counted in code that is made anew; the interpreter has none.
    pub fn code_figures(&self) -> Result<Option<CodeFigures>, Error> {
        compile::figures(&self.inner)
    }

    /// A form of the shader as text. What Cranelift is given, and machine code, are made anew, with any engine.
    pub fn emit(&self, form: Emit) -> Result<Listing, Error> {
        compile::emit(&self.inner, form, &[])
    }

    /// The same of what runs with these bindings: compiled code goes to texels of many formats by itself, in a variant of
    /// the shader that is made for them.
    pub fn emit_for(&self, form: Emit, bindings: &Bindings) -> Result<Listing, Error> {
        let (limits, guards, stop) = (Limits::default(), GuardPages::default(), StopWord::default());
        let views = BoundViews::new(&self.inner.outline, bindings, BindingRules::Partial, &limits, guards, &stop)?;
        compile::emit(&self.inner, form, &views.texel_formats())
    }

    /// Names the instruction that an operation comes from.
    pub(crate) fn place(&self, origin: Origin) -> Place {
        Place::find(self.inner.source.program(), origin)
    }

    /// The usual code.
    pub(crate) fn usual_code(&self) -> &Code {
        &self.inner.code
    }

    /// The code for a dispatch with this packing ([`Packing::Grid`], or whatever is usual) and these formats of texels, and
    /// how long it took to make it if nobody had.
    pub(crate) fn code(
        &self,
        packing: Packing,
        texels: Texels,
        stop: &StopWord,
    ) -> Result<(Arc<Code>, Duration), Error> {
        let packing = if packing == Packing::Grid { packing } else { Packing::Row };
        let variant = Variant { packing, texels };
        if variant == Variant::usual() {
            return Ok((Arc::clone(&self.inner.code), Duration::ZERO));
        }
        match self.inner.other(&variant, stop)? {
            Some(code) => Ok(code),
            None => self.code(packing, Texels::default(), stop),
        }
    }

    /// What is known of its function.
    pub(crate) fn outline(&self) -> &Outline {
        &self.inner.outline
    }
}

impl fmt::Debug for Shader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shader")
            .field("engine", &self.engine())
            .field("model", &self.model())
            .field("group_size", &self.group_size())
            .finish_non_exhaustive()
    }
}
