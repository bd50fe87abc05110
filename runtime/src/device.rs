//! The device: owns the pool, the limits and the cache, makes shaders, buffers and textures, and runs dispatches.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use brolga_fenv::in_default_mode;
use brolga_jit::{CpuFeatures, VectorBytes, has_fast_64_bytes};
use brolga_resource::{Access, Buffer, CopyBudget, GuardPages, Texture, TextureShape};
use bytemuck::NoUninit;

use crate::bindings::{Bindings, Layers, check};
use crate::cache::Cache;
use crate::dispatch::{self, BoundShader, Dispatch, Report, Runner, StageRun, StageSeat};
use crate::engine::Workspaces;
use crate::error::{Error, Limit};
use crate::limits::Limits;
use crate::perf_map::PerfMap;
use crate::pool::Pool;
use crate::shader::{CompileOptions, Compiler, Module, Permits, Shader};
use crate::stop::{CancelToken, Deadline, Timer, Watch};

/// Options of a [`Device`].
#[derive(Clone, Debug, Default)]
pub struct DeviceBuilder {
    threads: usize,
    pool: Option<Pool>,
    limits: Limits,
    guard_pages: GuardPages,
    perf_map: Option<PerfMap>,
    cache: Option<Cache>,
    features: Option<CpuFeatures>,
    vector_bytes: Option<VectorBytes>,
    copy_bytes: Option<u64>,
    worth_help: Option<Duration>,
}

impl DeviceBuilder {
    /// Threads of the device's own pool, the caller's included, at most [`Pool::MOST_THREADS`]; 0, the default, means
    /// one for each processor.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Uses a pool that others may use too, instead of one of its own.
    pub fn pool(mut self, pool: Pool) -> Self {
        self.pool = Some(pool);
        self
    }

    /// Sets the time that a dispatch must take the caller's thread alone before others are woken for it: 150
    /// microseconds by default, about the point where two are as fast as one. It is estimated from earlier dispatches
    /// of the shader, or from the groups done so far. [`Duration::ZERO`] wakes them at once.
    pub fn wakes_threads_from(mut self, alone: Duration) -> Self {
        self.worth_help = Some(alone);
        self
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether inaccessible pages surround buffers, textures and the memory of workers.
    pub fn guard_pages(mut self, guard_pages: GuardPages) -> Self {
        self.guard_pages = guard_pages;
        self
    }

    /// Records the machine code of every shader that the device compiles in a perf map.
    pub fn perf_map(mut self, perf_map: PerfMap) -> Self {
        self.perf_map = Some(perf_map);
        self
    }

    /// Keeps machine code in a cache, and takes it from there. Without one, which is the default, every shader is
    /// compiled.
    pub fn cache(mut self, cache: Cache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// Restricts machine code to these instruction sets of the processor; by default code uses all that it supports.
    /// Results are the same.
    pub fn features(mut self, features: CpuFeatures) -> Self {
        self.features = Some(features);
        self
    }

    /// Limits the vectors of machine code to this many bytes, if the processor has them. By default it uses 32, and 64
    /// for shaders that gain from them, on processors that have those at full rate. Results are the same.
    pub fn vector_bytes(mut self, vector_bytes: VectorBytes) -> Self {
        self.vector_bytes = Some(vector_bytes);
        self
    }

    /// Limits copies of compressed textures to this many bytes, by default [`Device::COPY_BYTES`]; 0 means none.
    /// Filters read expanded texels from such a copy, of which only the sampled parts are made. Where a part does not
    /// fit, copies that no run uses are evicted, the least recently used first; if that is not enough, blocks are
    /// expanded at each sample, which is slower. Results are the same.
    pub fn copy_bytes(mut self, copy_bytes: u64) -> Self {
        self.copy_bytes = Some(copy_bytes);
        self
    }

    /// Starts the threads, if the device has its own.
    ///
    /// # Errors
    /// If the threads do not start, or the processor lacks an instruction set that was asked for.
    pub fn build(self) -> Result<Device, Error> {
        let pool = match self.pool {
            Some(pool) => pool,
            None => Pool::new(self.threads)?,
        };
        let Self { guard_pages, perf_map, cache, features, vector_bytes, .. } = self;
        let has = CpuFeatures::detect();
        if let Some(asked) = features
            && !has.is_some_and(|has| asked.is_subset(has))
        {
            return Err(Error::Features { asked: asked.names(), has: has.map_or(Vec::new(), CpuFeatures::names) });
        }
        let (features, limits) = (features.or(has), Arc::new(self.limits));
        let permits = Arc::new(Permits::new(Device::MOST_GIVEN_UP));
        let has_fast_64_bytes = features.is_some_and(|features| features.avx512) && has_fast_64_bytes();
        let vector_bytes = vector_bytes.or((!has_fast_64_bytes).then_some(VectorBytes::ThirtyTwo));
        let copy_bytes = self.copy_bytes.unwrap_or(Device::COPY_BYTES);
        let compiler =
            Compiler { limits: Arc::clone(&limits), features, vector_bytes, copy_bytes, cache, perf_map, permits };
        let (workspaces, timer) = (Workspaces::new(guard_pages), Timer::default());
        let copies = CopyBudget::new(copy_bytes);
        let worth_help = self.worth_help.unwrap_or(dispatch::WORTH_HELP);
        let runner = Runner { pool, worth_help, limits, guard_pages, copies, workspaces, timer };
        Ok(Device { compiler: Arc::new(compiler), runner: Arc::new(runner) })
    }
}

/// Compiles and runs shaders. Cheap to clone; clones share everything.
#[derive(Clone, Debug)]
pub struct Device {
    compiler: Arc<Compiler>,
    runner: Arc<Runner>,
}

impl Device {
    /// Most interruptible compilations that run at once, abandoned ones included; others wait for one to end.
    pub const MOST_GIVEN_UP: usize = 8;

    /// Bytes that copies of compressed textures may have, unless [`DeviceBuilder::copy_bytes`] says otherwise: 256 MiB.
    /// That is three textures of 4096 x 4096 texels with all mip levels, or the texels that a picture of eight million
    /// pixels, each sampling four textures, touches of any number of them.
    pub const COPY_BYTES: u64 = 256 << 20;

    /// Options for a new device.
    pub fn builder() -> DeviceBuilder {
        DeviceBuilder::default()
    }

    /// The pool.
    pub fn pool(&self) -> &Pool {
        &self.runner.pool
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.runner.limits
    }

    /// Guard pages around the memory that it allocates.
    pub fn guard_pages(&self) -> GuardPages {
        self.runner.guard_pages
    }

    /// The most bytes that copies of compressed textures may have.
    pub fn copy_bytes(&self) -> u64 {
        self.runner.copies.most_bytes()
    }

    /// Bytes that such copies take now: those of the parts that shaders sampled.
    pub fn copy_bytes_used(&self) -> u64 {
        self.runner.copies.used_bytes()
    }

    /// Instruction sets that its machine code may use; `None` where none can run.
    pub fn features(&self) -> Option<CpuFeatures> {
        self.compiler.features
    }

    /// The cache, with its counters.
    pub fn cache(&self) -> Option<&Cache> {
        self.compiler.cache.as_ref()
    }

    /// Compiles the compute, vertex or pixel shader in a container, or takes its code from the cache. It runs on a
    /// stack that is large enough, whatever the caller's is. Threads that compile concurrently do not wait for each
    /// other. [`Codegen`](crate::Codegen) decides which code is made when.
    pub fn compile(&self, container: &[u8], options: &CompileOptions) -> Result<Shader, Error> {
        Shader::compile(|limits| Module::read(container, limits, Arc::default()), options, &self.compiler)
    }

    /// The same, until a token is cancelled or the time is over. Work that cannot be stopped at once is abandoned and
    /// ends by itself, within the bound of [`Limits::code_instructions`]. At most [`Self::MOST_GIVEN_UP`] such
    /// compilations run at once; another one waits for its turn, and can be stopped meanwhile.
    ///
    /// # Errors
    /// As [`compile`](Self::compile), and [`Error::CompileStopped`].
    pub fn compile_until(
        &self,
        container: &[u8],
        options: &CompileOptions,
        cancel: &CancelToken,
        time_limit: Option<Duration>,
    ) -> Result<Shader, Error> {
        let watch = Watch::new(cancel, &self.runner.timer, Instant::now(), time_limit).map_err(Error::timer)?;
        let (container, stop) = (container.to_vec(), Arc::clone(watch.stop()));
        let module = move |limits: &Limits| Module::read(&container, limits, stop);
        Shader::compile_until(module, options, &self.compiler, watch.stop())
    }

    /// A token that is cancelled with another one, or when a time from now has passed.
    ///
    /// # Errors
    /// If the timer's thread does not start.
    pub fn deadline(&self, cancel: &CancelToken, time_limit: Option<Duration>) -> Result<Deadline<'_>, Error> {
        let watch = Watch::new(cancel, &self.runner.timer, Instant::now(), time_limit).map_err(Error::timer)?;
        Ok(Deadline::new(watch))
    }

    /// Compiles a module: one of a container, of another front end, or of a function that was built or parsed from
    /// text. The passes of the options' level run on it, and errors name operations by the byte offsets recorded in
    /// them.
    ///
    /// # Errors
    /// If it declares more than the limits allow, the options do not fit it, or no code can be made.
    pub fn compile_module(&self, module: &Module, options: &CompileOptions) -> Result<Shader, Error> {
        Shader::compile(|_| Ok(module.clone()), options, &self.compiler)
    }

    /// The same, until a token is cancelled or the time is over: see [`compile_until`](Self::compile_until).
    ///
    /// # Errors
    /// As [`compile_module`](Self::compile_module), and [`Error::CompileStopped`].
    pub fn compile_module_until(
        &self,
        module: &Module,
        options: &CompileOptions,
        cancel: &CancelToken,
        time_limit: Option<Duration>,
    ) -> Result<Shader, Error> {
        let watch = Watch::new(cancel, &self.runner.timer, Instant::now(), time_limit).map_err(Error::timer)?;
        let module = module.clone();
        Shader::compile_until(|_| Ok(module), options, &self.compiler, watch.stop())
    }

    /// A buffer of zeros.
    pub fn buffer(&self, size_bytes: u64) -> Result<Buffer, Error> {
        self.check_size(size_bytes)?;
        Ok(Buffer::zeroed(size_bytes, self.guard_pages())?)
    }

    /// A buffer with a copy of `elements`, as `&[f32]`, `&[[u32; 4]]` or plain bytes.
    pub fn buffer_from<T: NoUninit>(&self, elements: &[T]) -> Result<Buffer, Error> {
        let buffer = self.buffer(size_of_val(elements) as u64)?;
        buffer.write(0, elements)?;
        Ok(buffer)
    }

    /// A buffer that maps a file. With [`Access::ReadWrite`], shaders' writes go to the file.
    ///
    /// The file must not be shortened while the buffer lives: the system kills a process that accesses a page that is
    /// gone. A file mapped twice is two buffers to the check that nothing is bound as both `t#` and `u#`; a shader that
    /// reads what it writes that way gets the file's bytes from before or after the write.
    pub fn map_buffer(&self, path: &Path, access: Access) -> Result<Buffer, Error> {
        self.map_buffer_from(path, access, 0)
    }

    /// The same for a file from a byte offset on, a multiple of 4: the data after a header.
    pub fn map_buffer_from(&self, path: &Path, access: Access, offset_bytes: u64) -> Result<Buffer, Error> {
        let buffer = Buffer::map_from(path, access, offset_bytes)?;
        self.check_size(buffer.size_bytes())?;
        Ok(buffer)
    }

    /// A texture of zeros.
    pub fn texture(&self, shape: TextureShape) -> Result<Texture, Error> {
        let size_bytes = shape.size_bytes()?;
        Ok(Texture::new(self.buffer(size_bytes)?, shape)?)
    }

    /// A texture with a copy of all its texels, packed as [`TextureShape`] says.
    pub fn texture_from<T: NoUninit>(&self, shape: TextureShape, texels: &[T]) -> Result<Texture, Error> {
        self.check_size(shape.size_bytes()?)?;
        Ok(Texture::new(self.buffer_from(texels)?, shape)?)
    }

    /// Checks bindings against a shader, to dispatch it with them repeatedly.
    ///
    /// # Errors
    /// If a register is not bound as the shader declares it.
    pub fn bind(&self, shader: &Shader, bindings: &Bindings) -> Result<BoundShader, Error> {
        BoundShader::new(&self.runner, shader, bindings)
    }

    /// Checks bindings against a shader, without building anything from them.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    pub fn check_bindings(&self, shader: &Shader, bindings: Layers<'_>) -> Result<(), Error> {
        let declared = &shader.outline().declared;
        check::resolve(declared, bindings, self.limits(), |_, _, _| ()).map(|_| ())
    }

    /// Begins a run of batches of a stage, which threads share. Fuel, cancel token and log are those of a dispatch without
    /// groups, whose time limit is ignored. The number of the draw orders messages.
    ///
    /// # Errors
    /// As [`bind`](Self::bind), and as for a dispatch before any group runs.
    pub fn stage_run<'a>(
        &'a self,
        shader: &'a Shader,
        bindings: Layers<'_>,
        what: &'a Dispatch,
        draw: u32,
    ) -> Result<StageRun<'a>, Error> {
        in_default_mode(|| StageRun::new(&self.runner, shader, bindings, what, draw))
    }

    /// The resources that a thread needs to run batches of such runs.
    pub fn stage_seat(&self) -> StageSeat<'_> {
        StageSeat::new(&self.runner)
    }

    /// Runs a shader over thread groups once and waits for all of them: [`bind`](Self::bind) and
    /// [`BoundShader::dispatch`] in one. The thread needs 512 KiB of stack.
    pub fn dispatch(&self, shader: &Shader, bindings: &Bindings, dispatch: &Dispatch) -> Result<Report, Error> {
        dispatch::once(&self.runner, shader, bindings, dispatch)
    }

    fn check_size(&self, value: u64) -> Result<(), Error> {
        let most = self.limits().buffer_bytes;
        if value > most {
            return Err(Error::OverLimit { limit: Limit::BufferBytes, value, most });
        }
        Ok(())
    }
}
