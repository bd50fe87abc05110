//! Runs vertex and pixel shaders for the caller's own rasterizer: the state that they are compiled with, workers,
//! batches.

use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

pub use brolga::pipeline::record::{BatchPrimitive, BatchQuad, BatchState, BatchVertex};
use brolga::pipeline::{record, state};
use brolga::{ArrayWords, BoundShader, Dispatch, Session, Worker as NativeWorker};
use self_cell::{MutBorrow, self_cell};

use crate::arguments::{array, at_most, flag, format, growing, init, options, put, slice, slice_mut};
use crate::dispatch::{Bound, DispatchOptions, current};
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};
use crate::merger::{DepthState, TargetState};

/// A thread's share of a bound shader: it runs groups of a dispatch, or batches of vertices or pixels, on the calling
/// thread, and involves no other. One thread uses it at a time (BROLGA_CODE_OUT_OF_ORDER otherwise); different threads
/// use workers of their own.
pub struct Worker(());

impl HandleKind for Worker {
    type Value = Mutex<State>;
    const NAME: &'static str = "a worker";
}

self_cell!(
    pub(crate) struct Idle {
        owner: Arc<BoundShader>,
        #[covariant]
        dependent: NativeWorker,
    }
);

/// The objects that a session borrows.
pub(crate) struct Begun {
    worker: MutBorrow<Idle>,
    dispatch: Dispatch,
}

self_cell!(
    pub(crate) struct Running {
        owner: Begun,
        #[covariant]
        dependent: Session,
    }
);

/// A worker, and the session that it has begun.
pub(crate) struct State {
    bound: Arc<BoundShader>,
    running: Option<Running>,
}

/// The source of an input register of a vertex shader.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct VertexElement {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The input register: v#.
    pub row: u32,
    /// The slot of the vertex buffer, 0 to 31.
    pub slot: u32,
    /// Offset from the start of a vertex in bytes.
    pub offset_bytes: u32,
    /// The format of its bytes: a BrolgaFormat, or a number of DXGI_FORMAT.
    pub format: u32,
    /// `true` if it advances by instances, not by vertices.
    pub is_per_instance: MaybeUninit<bool>,
    /// Number of instances after which it advances, if so; 0 for never.
    pub instance_step: u32,
}

impl Default for VertexElement {
    fn default() -> Self {
        let (row, slot, offset_bytes, format, instance_step) = (0, 0, 0, 0, 1);
        let (size, is_per_instance) = (size_of::<Self>(), MaybeUninit::new(false));
        Self { size, row, slot, offset_bytes, format, is_per_instance, instance_step }
    }
}

/// The stage before a vertex shader: the fetch of its inputs from vertex buffers, which are bound as raw views to
/// "t#,space4294967295", the number of the slot.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VertexState {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The sources of its inputs.
    pub elements: *const VertexElement,
    /// Number of elements.
    pub element_count: usize,
}

impl Default for VertexState {
    fn default() -> Self {
        Self { size: size_of::<Self>(), elements: std::ptr::null(), element_count: 0 }
    }
}

/// The stages around a pixel shader: interpolation before it, the depth test and the output merger after it. Targets
/// are bound as views of textures to "u#,space4294967295", the number of the output.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PixelState {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// Number of registers of a vertex, as the stage before writes them.
    pub vertex_rows: u32,
    /// The format of the depth buffer that is tested after the shader, for shaders that compute the depth; 0, the
    /// default, if the caller tests depths. It is bound to "u8,space4294967295" as a view whose format is R16_UINT for
    /// 16 bits, R32G32_UINT for D32_FLOAT_S8X24_UINT, and R32_UINT otherwise.
    pub depth_format: u32,
    /// The depth and stencil tests; NULL for the defaults.
    pub depth: *const DepthState,
    /// The targets: output o0 goes to the first one, and so on.
    pub targets: *const TargetState,
    /// Number of targets, at most 8.
    pub target_count: usize,
    /// `true` if a batch gets one more array: a word for each pixel, which becomes 1 where it was written and 0
    /// elsewhere.
    pub reports_live: MaybeUninit<bool>,
    /// `true` if targets and depth buffer are arrays, whose layer is in BrolgaBatchState.
    pub has_layers: MaybeUninit<bool>,
    /// `true` if pixels are only written where the first output's alpha is above a half.
    pub alpha_to_coverage: MaybeUninit<bool>,
}

impl Default for PixelState {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            vertex_rows: 0,
            depth_format: 0,
            depth: std::ptr::null(),
            targets: std::ptr::null(),
            target_count: 0,
            reports_live: MaybeUninit::new(false),
            has_layers: MaybeUninit::new(false),
            alpha_to_coverage: MaybeUninit::new(false),
        }
    }
}

growing! {
    VertexElement as "BrolgaVertexElement";
    VertexState as "BrolgaVertexState";
    PixelState as "BrolgaPixelState";
}

/// The words of one array of a batch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Array {
    /// The words, at a multiple of 4.
    pub words: *mut u32,
    /// Number of words.
    pub count: usize,
    /// `true` if the shader writes them. Such an array must not overlap any other.
    pub is_written: MaybeUninit<bool>,
}

impl VertexElement {
    fn native(&self) -> Result<state::VertexElement, Failure> {
        let format = format(self.format, "BrolgaVertexElement.format")?;
        let none = || Failure::argument(format!("BrolgaVertexElement.format is {format}, which vertices cannot have"));
        let texel = format.vertex_format().ok_or_else(none)?;
        let unit = format.size_bytes().min(4);
        if self.slot >= record::SLOTS || !self.offset_bytes.is_multiple_of(unit) {
            let text = format!(
                "BrolgaVertexElement of format {format} begins at byte {} of slot {}: it must begin at a multiple of {unit}, and \
                 slots are 0 to {}",
                self.offset_bytes,
                self.slot,
                record::SLOTS - 1
            );
            return Err(Failure::argument(text));
        }
        Ok(state::VertexElement {
            row: self.row,
            slot: self.slot,
            offset: self.offset_bytes,
            format: texel,
            is_scaled: false,
            size_bytes: format.size_bytes(),
            advance: match flag(self.is_per_instance) {
                true => state::Advance::Instance { step: self.instance_step },
                false => state::Advance::Vertex,
            },
        })
    }
}

impl VertexState {
    /// # Safety
    /// Its pointers are null or point to valid objects of their types.
    pub(crate) unsafe fn native(&self) -> Result<state::VertexState, Failure> {
        // SAFETY: promised to this function.
        let elements = unsafe { array(self.elements, self.element_count) }?;
        Ok(state::VertexState { elements: elements.iter().map(VertexElement::native).collect::<Result<_, _>>()? })
    }
}

impl PixelState {
    /// # Safety
    /// Its pointers are null or point to valid objects of their types.
    pub(crate) unsafe fn native(&self) -> Result<state::PixelState, Failure> {
        // SAFETY: promised to this function.
        let (targets, depth) = unsafe {
            let target_count = at_most(self.target_count, 8, "BrolgaPixelState.target_count")?;
            (array(self.targets, target_count)?, options(self.depth)?)
        };
        at_most(self.vertex_rows as usize, record::REGISTERS, "BrolgaPixelState.vertex_rows")?;
        let target = |(n, target): (u32, &TargetState)| Ok::<_, Failure>(target.native()?.for_output(n)?);
        let depth = match self.depth_format {
            0 => None,
            number => depth.native()?.for_buffer(format(number, "BrolgaPixelState.depth_format")?, depth.stencil()?)?,
        };
        Ok(state::PixelState {
            vertex_rows: self.vertex_rows,
            targets: (0..).zip(&targets).map(target).collect::<Result<_, _>>()?,
            depth,
            reports_live: flag(self.reports_live),
            has_layers: flag(self.has_layers),
            alpha_to_coverage: flag(self.alpha_to_coverage),
            ..state::PixelState::default()
        })
    }
}

/// Locks the state of a worker that nobody else uses.
fn take(worker: &Mutex<State>) -> Result<MutexGuard<'_, State>, Failure> {
    // A panic leaves nothing behind that would be unsafe to use, but its results are unknown.
    worker.try_lock().map_err(|_| Failure::order("the worker is used by another thread, or failed before"))
}

/// Calls a function with the session of a worker that has begun.
fn with_session(
    worker: &Mutex<State>,
    work: impl FnOnce(&mut Session<'_>) -> Result<(), brolga::Error>,
) -> Result<(), Failure> {
    let mut state = take(worker)?;
    let not_begun = || Failure::order("the worker has not begun: call brolga_worker_begin first");
    let running = state.running.as_mut().ok_or_else(not_begun)?;
    Ok(running.with_dependent_mut(|_, session| work(session))?)
}

/// Fills options with the defaults. `size` is sizeof(BrolgaVertexElement).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_vertex_element_init(vertex_element: *mut VertexElement, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(vertex_element, size) }
}

/// Fills a state with the defaults. `size` is sizeof(BrolgaVertexState).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_vertex_state_init(vertex_state: *mut VertexState, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(vertex_state, size) }
}

/// Fills a state with the defaults. `size` is sizeof(BrolgaPixelState).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pixel_state_init(pixel_state: *mut PixelState, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(pixel_state, size) }
}

/// Makes a worker of a bound shader, which it keeps alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_worker_create(
    bound: *const Bound,
    worker: *mut *mut Worker,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, bound): (_, &RwLock<_>) = (NewHandle::new(worker)?, get(bound)?);
            handle.put(Mutex::new(State { bound: current(bound), running: None }));
            Ok(())
        })
    }
}

/// Destroys a worker.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_worker_destroy(worker: *mut Worker) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(worker) }
}

/// Begins to run groups of a dispatch, or batches: reads the constant buffers, compiles code if necessary, and starts
/// the time limit. The numbers of groups do not matter for batches. `dispatch_options` may be NULL. A worker may begin
/// any number of times; each time ends the session before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_worker_begin(
    worker: *const Worker,
    dispatch_options: *const DispatchOptions,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let mut state = take(get(worker)?)?;
            let dispatch = options(dispatch_options)?.native()?;
            // The resources of a session go back to the bound shader first, so that the next one gets them.
            state.running = None;
            let idle = Idle::try_new(Arc::clone(&state.bound), |bound| bound.worker())?;
            let begun = Begun { worker: MutBorrow::new(idle), dispatch };
            state.running = Some(Running::try_new(begun, |begun| {
                begun.worker.borrow_mut().with_dependent_mut(|_, worker| worker.begin(&begun.dispatch))
            })?);
            Ok(())
        })
    }
}

/// Runs the groups from number `first` up to, and without, number `end` of the dispatch, counted along x first, in
/// order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_worker_run(worker: *const Worker, first: u64, end: u64, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || with_session(get(worker)?, |session| session.run(first..end))) }
}

/// Returns the number of groups that fill packets: ranges that begin and end at multiples of it leave the fewest lanes
/// idle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_worker_quantum(worker: *const Worker, groups: *mut u64, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let mut quantum = 0;
            with_session(get(worker)?, |session| {
                quantum = session.quantum();
                Ok(())
            })?;
            put(groups, quantum, "the number of groups")
        })
    }
}

/// Runs a batch of `invocations` vertices or pixels: of these, four in a row are a quad. `arrays` are those of the
/// stage, in order.
///
/// Vertices with a BrolgaVertexState: a BrolgaBatchVertex for each; 32 words, the stride of each slot in bytes; and
/// written, four words for each output register of each vertex. Pixels with a BrolgaPixelState: a BrolgaBatchQuad for
/// every four; the primitives, each a BrolgaBatchPrimitive with its attributes; a BrolgaBatchState; and written, where
/// the state reports live pixels, a word for each. Without a state: four words for each input register of each
/// invocation, if it has inputs; and written, four words for each output register. Elements that an array of inputs
/// lacks are zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_worker_batch(
    worker: *const Worker,
    invocations: u32,
    arrays: *const Array,
    array_count: usize,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let worker = get(worker)?;
            let array_count = at_most(array_count, 4, "the number of the batch's arrays")?;
            let arrays = slice(arrays, array_count, "the arrays of the batch")?;
            check_overlaps(arrays)?;
            let words = |array: &Array| {
                Ok::<_, Failure>(match flag(array.is_written) {
                    true => ArrayWords::Write(slice_mut(array.words, array.count, "an array of the batch")?),
                    false => ArrayWords::Read(slice(array.words, array.count, "an array of the batch")?),
                })
            };
            let mut words = arrays.iter().map(words).collect::<Result<Vec<_>, _>>()?;
            with_session(worker, |session| session.batch(invocations, &mut words))
        })
    }
}

/// Checks that no array that is written overlaps another.
fn check_overlaps(arrays: &[Array]) -> Result<(), Failure> {
    let range = |array: &Array| {
        let start = array.words.addr();
        start..start.saturating_add(array.count.saturating_mul(4))
    };
    for (n, one) in arrays.iter().enumerate() {
        for (m, other) in arrays.iter().enumerate().skip(n + 1) {
            let (a, b) = (range(one), range(other));
            let is_common = a.start < b.end && b.start < a.end && !a.is_empty() && !b.is_empty();
            if is_common && (flag(one.is_written) || flag(other.is_written)) {
                return Err(Failure::argument(format!("arrays {n} and {m} of the batch overlap, but one is written")));
            }
        }
    }
    Ok(())
}
