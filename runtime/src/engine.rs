//! The two engines behind one front: compiled code with its tables, and the interpreter.
//!
//! The only unsafe code here is the call of compiled code. What that code relies on (`brolga_jit::abi`, A and B) is
//! arranged by [`Tables::new`] and [`Link::worker`].

#![allow(unsafe_code)]

use std::sync::Arc;
use std::time::Duration;

use brolga_ir::Width;
use brolga_ir::host::Fault;
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::span::{Grid, Packing, Span};
use brolga_ir::verify::VerifiedFunction;
use brolga_jit::abi::{Bindings, MOST_NAMED, Range, View, helpers};
use brolga_jit::{CompileError, Compiled, CpuFeatures, FloatGuard, FloatMode, Options, Run};

use crate::error::Error;
use crate::host::{Bound, BoundViews};
use crate::shader::{Engine, Oversize, Shader, Texels};
use crate::workspace::{Workspace, Workspaces};

/// A shader in the form that an engine runs.
#[derive(Debug)]
pub(crate) enum Code {
    Jit(Box<Compiled>),
    Interpreter(Interpreter),
}

impl Code {
    /// Prepares a shader for an engine. The name is for profilers.
    pub fn new(
        function: &VerifiedFunction,
        target: Target,
        packing: Packing,
        name: &str,
    ) -> Result<Self, CompileError> {
        let interpreter = || Code::Interpreter(Interpreter::with_packing(function, packing));
        match target.engine {
            Engine::Interpreter => Ok(interpreter()),
            Engine::Jit => match brolga_jit::compile_named(function, &target.jit_options(packing)?, name) {
                Ok(compiled) => Ok(Code::Jit(Box::new(compiled))),
                Err(error) if error.is_size() && target.oversize == Oversize::Interpret => Ok(interpreter()),
                Err(error) => Err(error),
            },
        }
    }

    /// How packets are put together.
    pub fn packing(&self) -> Packing {
        match self {
            Code::Jit(compiled) => compiled.packing(),
            Code::Interpreter(interpreter) => interpreter.packing(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        match self {
            Code::Jit(_) => Engine::Jit,
            Code::Interpreter(_) => Engine::Interpreter,
        }
    }

    /// The machine code, if there is any.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Code::Jit(compiled) => Some(compiled.code()),
            Code::Interpreter(_) => None,
        }
    }

    /// Private memory that one worker needs.
    pub fn arena_bytes(&self) -> u64 {
        match self {
            Code::Jit(compiled) => compiled.arena_layout().size_bytes as u64,
            Code::Interpreter(interpreter) => interpreter.arena_bytes() as u64,
        }
    }
}

/// The packets that suit most dispatches of a shader.
pub(crate) fn usual_packing(function: &VerifiedFunction) -> Packing {
    if Packing::may_span(function) { Packing::Row } else { Packing::Group }
}

/// What code is made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub engine: Engine,
    /// What machine code may use of the processor; `None` where it cannot run.
    pub features: Option<CpuFeatures>,
    /// Instructions that the code generator is given at most.
    pub most_instructions: u32,
    /// What becomes of shaders with more.
    pub oversize: Oversize,
}

impl Target {
    /// What machine code is made with.
    pub fn jit_options(self, packing: Packing) -> Result<Options, CompileError> {
        let Self { most_instructions, .. } = self;
        Ok(Options { features: self.features.ok_or(CompileError::Unsupported)?, packing, most_instructions })
    }
}

/// A shader with what is bound to it. Workers of one dispatch share it.
#[derive(Debug)]
pub(crate) struct Link<'a> {
    shader: &'a Shader,
    code: Arc<Code>,
    made_in: Duration,
    views: BoundViews<'a>,
    tables: Tables,
    workspaces: &'a Workspaces,
}

impl<'a> Link<'a> {
    /// Puts a shader, for a dispatch of these groups, together with views that were checked against its declarations.
    pub fn new(
        shader: &'a Shader,
        grid: Grid,
        views: BoundViews<'a>,
        workspaces: &'a Workspaces,
    ) -> Result<Self, Error> {
        let function = shader.outline();
        let threads = function.threads_per_group();
        let usual = shader.usual_code();
        let packing = match usual.packing() {
            Packing::Group => Packing::Group,
            _ => Packing::for_grid(grid, threads, function.width.lanes()),
        };
        let texels = match usual.engine() {
            Engine::Jit => views.texel_formats(),
            // It is the definition, and asks the host.
            Engine::Interpreter => Texels::default(),
        };
        let (code, made_in) = shader.code(packing, texels, views.stop())?;
        let tables = Tables::new(&views);
        Ok(Self { shader, code, made_in, views, tables, workspaces })
    }

    /// How long it took to make code that no dispatch before had.
    pub fn made_in(&self) -> Duration {
        self.made_in
    }

    /// How packets are put together.
    pub fn packing(&self) -> Packing {
        self.code.packing()
    }

    /// Threads of a group.
    pub fn threads_per_group(&self) -> u32 {
        self.shader.outline().threads_per_group()
    }

    /// Threads of a packet.
    pub fn width(&self) -> Width {
        self.shader.outline().width
    }

    /// What one thread needs to run groups.
    pub fn worker(&self) -> Result<Worker<'_>, Error> {
        let state = match &*self.code {
            Code::Interpreter(interpreter) => State::Interpreter { interpreter, arena: Arena::new() },
            Code::Jit(compiled) => {
                let layout = compiled.arena_layout();
                debug_assert!(layout.align <= crate::resource::ALIGNMENT, "arenas ask for a vector");
                let bind = |arena| Bindings {
                    ranges: self.tables.ranges.as_ptr(),
                    helpers: helpers::<BoundViews>(),
                    host: std::ptr::from_ref(&self.views).cast(),
                    stop: self.views.stop().word(),
                    arena,
                    fuel: u64::MAX,
                };
                State::Jit { compiled, workspace: self.workspaces.take(layout.size_bytes as u64, bind)? }
            }
        };
        Ok(Worker { host: &self.views, state })
    }

    /// Keeps what a worker that is done has used for the next one.
    pub fn put_back(&self, worker: Worker<'_>) {
        if let State::Jit { workspace, .. } = worker.state {
            self.workspaces.put_back(workspace);
        }
    }
}

/// One thread's part in a dispatch: its arena and the record that compiled code works on.
#[derive(Debug)]
pub(crate) struct Worker<'a> {
    host: &'a BoundViews<'a>,
    state: State<'a>,
}

#[derive(Debug)]
enum State<'a> {
    Jit { compiled: &'a Compiled, workspace: Workspace },
    Interpreter { interpreter: &'a Interpreter, arena: Arena },
}

impl Worker<'_> {
    /// Sets the float mode in which it runs groups. Numbers of the interpreter presume the default one.
    pub fn float_guard(&self) -> FloatGuard {
        FloatGuard::new(match &self.state {
            State::Interpreter { .. } => FloatMode::Default,
            State::Jit { compiled, .. } => compiled.float_mode(),
        })
    }

    /// Makes it ready to run groups in that mode.
    pub fn start<'a>(&'a mut self, mode: &'a FloatGuard) -> Running<'a> {
        match &mut self.state {
            State::Interpreter { interpreter, arena } => Running::Interpreter { interpreter, host: self.host, arena },
            // SAFETY: the context was bound by `Link::worker` for this shader, with tables that fit its declarations, a
            // host of the helpers' type, and an arena of its own as large as it asks for; the link that owns the
            // tables and the views outlives the worker. The code was compiled for this processor's features.
            State::Jit { compiled, workspace } => Running::Jit(unsafe { compiled.start(&mut workspace.context, mode) }),
        }
    }
}

/// A worker that runs groups.
#[derive(Debug)]
pub(crate) enum Running<'a> {
    Jit(Run<'a>),
    Interpreter { interpreter: &'a Interpreter, host: &'a BoundViews<'a>, arena: &'a mut Arena },
}

impl Running<'_> {
    /// Runs the groups of a span, with a budget of loop rounds for each.
    pub fn span(&mut self, span: &Span, fuel: u64) -> Result<(), Fault> {
        let mut fuel = fuel.saturating_mul(span.groups.into());
        match self {
            Running::Jit(run) => run.span(span, fuel),
            Running::Interpreter { interpreter, host, arena } => interpreter.run_span(*host, span, arena, &mut fuel),
        }
    }
}

/// The tables of views that compiled code reads: a range for every declared resource.
#[derive(Debug)]
struct Tables {
    ranges: Vec<Range>,
    /// What `ranges` points to.
    _views: Vec<View>,
}

// SAFETY: the pointers are only copied here. What they point to is kept by the link beside the tables, and only compiled
// code goes there, which treats it as memory that any thread may change.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

impl Tables {
    /// Each range has at least the declared views, since bindings were resolved so; strides are as declared; constant
    /// buffers are padded; memory is aligned and valid for its size.
    fn new(bound: &BoundViews<'_>) -> Self {
        let views: Vec<View> =
            bound.views().ranges().flatten().map(|bound| bound.as_ref().map_or(View::UNBOUND, view)).collect();
        let mut rest = views.as_slice();
        let ranges = bound.views().ranges().map(|range| {
            let (of_range, others) = rest.split_at(range.len());
            rest = others;
            Range { views: of_range.as_ptr(), count: of_range.len() as u32 }
        });
        Self { ranges: ranges.collect(), _views: views }
    }
}

/// A view as compiled code sees it.
fn view(bound: &Bound<'_>) -> View {
    match bound {
        Bound::Sampler(_) => View::UNBOUND,
        Bound::Texels(texels) => texels.layout().map_or(View::UNBOUND, |layout| View {
            base: layout.base,
            size_bytes: layout.count * u64::from(layout.format.size_bytes()),
            count: layout.count,
            counter: std::ptr::null_mut(),
            layout: layout.extents,
        }),
        Bound::Words(words) => View {
            base: words.base(),
            size_bytes: words.size_bytes().min(MOST_NAMED),
            count: words.count().min(MOST_NAMED),
            counter: words.counter().map_or(std::ptr::null_mut(), |counter| counter.as_ptr()),
            layout: [0; 4],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_code_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Link>();
        shared::<Code>();
        shared::<crate::Shader>();
    }
}
