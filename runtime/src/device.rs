//! The device: owns the pool and the limits, makes shaders, buffers and textures, and runs dispatches.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::bindings::Bindings;
use crate::dispatch::{self, Dispatch, Report};
use crate::error::{Error, Limit};
use crate::limits::Limits;
use crate::perf_map::PerfMap;
use crate::resource::{Access, Buffer, GuardPages, Texture, TextureShape};
use crate::shader::{CompileOptions, Shader};

/// Worker threads that devices may share. The thread that calls [`Device::dispatch`] works too, so that a pool of `n`
/// threads starts `n - 1`.
#[derive(Clone)]
pub struct Pool {
    threads: usize,
    workers: Option<Workers>,
}

/// Something for a worker to do.
pub type Task = Box<dyn FnOnce() + Send>;

#[derive(Clone)]
enum Workers {
    Own(Arc<rayon::ThreadPool>),
    Borrowed(Arc<dyn Fn(Task) + Send + Sync>),
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let borrowed = matches!(self.workers, Some(Workers::Borrowed(_)));
        f.debug_struct("Pool").field("threads", &self.threads).field("borrowed", &borrowed).finish()
    }
}

impl Pool {
    /// A pool for `threads` threads, the caller's included. 0 means as many as the machine has processors.
    pub fn new(threads: usize) -> Result<Self, Error> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        };
        if threads == 1 {
            return Ok(Self { threads, workers: None });
        }
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads(threads - 1)
            .thread_name(|n| format!("brolga-{}", n + 1))
            .build()
            .map_err(|error| Error::Pool { threads, reason: error.to_string() })?;
        Ok(Self { threads, workers: Some(Workers::Own(Arc::new(workers))) })
    }

    /// The caller's own threads: `spawn` hands a task to one of them, now or later, or drops it, and returns at once. A
    /// dispatch uses up to `threads`, the one that calls it included, and waits only for tasks that have begun; it goes
    /// well even if none ever does, and inside of one of these threads too.
    ///
    /// With a rayon pool: `Pool::borrowed(pool.current_num_threads(), move |task| pool.spawn(task))`.
    pub fn borrowed(threads: usize, spawn: impl Fn(Task) + Send + Sync + 'static) -> Self {
        Self { threads: threads.max(1), workers: Some(Workers::Borrowed(Arc::new(spawn))) }
    }

    /// Threads that work on a dispatch, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `work` once in the caller's thread and in up to `helpers` workers, and waits for those that began, even if a
    /// borrowed thread cannot be had but for a panic. A worker that is busy with another dispatch is not waited for.
    pub(crate) fn run(&self, helpers: usize, work: Arc<dyn Fn() + Send + Sync>) {
        let gate = Arc::new(Gate::default());
        let _closing = Closing { gate: &gate };
        if let Some(workers) = &self.workers {
            for _ in 0..helpers.min(self.threads - 1) {
                // A task that comes too late must not keep what the dispatch used.
                let (gate, work) = (gate.clone(), Arc::downgrade(&work));
                let task = move || {
                    if let Some(_inside) = gate.enter()
                        && let Some(work) = work.upgrade()
                    {
                        work();
                    }
                };
                match workers {
                    Workers::Own(pool) => pool.spawn(task),
                    Workers::Borrowed(spawn) => spawn(Box::new(task)),
                }
            }
        }
        work();
    }
}

/// Lets workers into a dispatch until it is closed.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<GateState>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    inside: usize,
    closed: bool,
}

impl Gate {
    /// Goes in, unless it is closed. Leaves when the result is dropped.
    fn enter(&self) -> Option<Inside<'_>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return None;
        }
        state.inside += 1;
        Some(Inside { gate: self })
    }

    /// Lets nobody in any more and waits until all have left.
    fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed = true;
        while state.inside > 0 {
            state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Closes a gate in the end.
struct Closing<'a> {
    gate: &'a Gate,
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.gate.close();
    }
}

/// A worker inside a gate.
struct Inside<'a> {
    gate: &'a Gate,
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.gate.state.lock().unwrap_or_else(PoisonError::into_inner).inside -= 1;
        self.gate.left.notify_one();
    }
}

/// Options of a [`Device`].
#[derive(Clone, Debug, Default)]
pub struct DeviceBuilder {
    threads: usize,
    pool: Option<Pool>,
    limits: Limits,
    guard_pages: GuardPages,
    perf_map: Option<PerfMap>,
}

impl DeviceBuilder {
    /// Threads of the device's own pool, the caller's included; 0, the default, means one for each processor.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Uses a pool that others may use too, in place of an own one.
    pub fn pool(mut self, pool: Pool) -> Self {
        self.pool = Some(pool);
        self
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether pages that nobody may touch lie beside buffers, textures and the memory of workers.
    pub fn guard_pages(mut self, guard_pages: GuardPages) -> Self {
        self.guard_pages = guard_pages;
        self
    }

    /// Notes the machine code of every shader that the device compiles in a perf map.
    pub fn perf_map(mut self, perf_map: PerfMap) -> Self {
        self.perf_map = Some(perf_map);
        self
    }

    /// Starts the threads, if the device has its own.
    pub fn build(self) -> Result<Device, Error> {
        let pool = match self.pool {
            Some(pool) => pool,
            None => Pool::new(self.threads)?,
        };
        Ok(Device { pool, limits: Arc::new(self.limits), guard_pages: self.guard_pages, perf_map: self.perf_map })
    }
}

/// Where shaders run. Cheap to clone; clones share the pool.
#[derive(Clone, Debug)]
pub struct Device {
    pool: Pool,
    limits: Arc<Limits>,
    guard_pages: GuardPages,
    perf_map: Option<PerfMap>,
}

impl Device {
    /// Options for a new device.
    pub fn builder() -> DeviceBuilder {
        DeviceBuilder::default()
    }

    /// The pool.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether guard pages lie beside the memory it makes.
    pub fn guard_pages(&self) -> GuardPages {
        self.guard_pages
    }

    /// Compiles the compute shader in a container.
    pub fn compile(&self, container: &[u8], options: &CompileOptions) -> Result<Shader, Error> {
        Shader::compile(container, options, &self.limits, self.perf_map.as_ref())
    }

    /// A buffer of zeros.
    pub fn buffer(&self, size_bytes: u64) -> Result<Buffer, Error> {
        self.check_size(size_bytes)?;
        Ok(Buffer::zeroed(size_bytes, self.guard_pages)?)
    }

    /// A buffer with a copy of `bytes`.
    pub fn buffer_from_bytes(&self, bytes: &[u8]) -> Result<Buffer, Error> {
        let buffer = self.buffer(bytes.len() as u64)?;
        buffer.write(0, bytes)?;
        Ok(buffer)
    }

    /// A buffer whose content is that of a file. With [`Access::ReadWrite`] what shaders write goes to the file.
    ///
    /// Nobody may shorten the file while the buffer lives: the system ends a process that touches a page that is gone.
    /// A file mapped twice is two buffers to the check that nothing is bound as `t#` and `u#` at once; a shader that reads
    /// what it writes that way gets the file's bytes from before or after.
    pub fn map_buffer(&self, path: &Path, access: Access) -> Result<Buffer, Error> {
        let buffer = Buffer::map(path, access)?;
        self.check_size(buffer.size_bytes())?;
        Ok(buffer)
    }

    /// A texture of zeros.
    pub fn texture(&self, shape: TextureShape) -> Result<Texture, Error> {
        let size_bytes = shape.size_bytes()?;
        Ok(Texture::new(self.buffer(size_bytes)?, shape)?)
    }

    /// A texture with a copy of `bytes`, which are all its texels tightly packed: for each layer, each mip, each slice,
    /// each row.
    pub fn texture_from_bytes(&self, shape: TextureShape, bytes: &[u8]) -> Result<Texture, Error> {
        self.check_size(shape.size_bytes()?)?;
        Ok(Texture::new(self.buffer_from_bytes(bytes)?, shape)?)
    }

    /// Runs a shader over thread groups and waits for all of them.
    pub fn dispatch(&self, shader: &Shader, bindings: &Bindings, dispatch: &Dispatch) -> Result<Report, Error> {
        dispatch::run(self, shader, bindings, dispatch)
    }

    fn check_size(&self, value: u64) -> Result<(), Error> {
        let most = self.limits.buffer_bytes;
        if value > most {
            return Err(Error::OverLimit { limit: Limit::BufferBytes, value, most });
        }
        Ok(())
    }
}
