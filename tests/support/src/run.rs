//! Runs one group of a container on every engine and thread count, over structured views with guard bytes around them.

use brolga_runtime::{Bindings, CompileOptions, Device, Dispatch, Engine, Oversize, Shader, View};

/// Bytes before and after each view; a multiple of what views may start at.
const GUARD: usize = 256;
/// What guard bytes hold.
const GUARD_BYTE: u8 = 0xa5;

/// A structured view to bind.
pub struct Structured<'a> {
    /// Its register: `t0`, `u0`.
    pub register: &'a str,
    /// Bytes from one element to the next.
    pub stride_bytes: u32,
    /// Content before the run, in words.
    pub words: &'a [u32],
}

/// Devices with one and with two threads.
pub struct Devices([Device; 2]);

impl Default for Devices {
    fn default() -> Self {
        Self::new()
    }
}

impl Devices {
    /// Starts them.
    pub fn new() -> Self {
        Self([1, 2].map(|threads| Device::builder().threads(threads).build().expect("two small pools")))
    }

    /// Compiles a container for each engine.
    pub fn compile(&self, container: &[u8], what: &str) -> Vec<Shader> {
        let compile = |engine| self.0[0].compile(container, &CompileOptions::new(engine).oversize(Oversize::Refuse));
        let engines = [Engine::Interpreter, Engine::Jit];
        engines.map(|engine| compile(engine).unwrap_or_else(|error| panic!("{what}: {engine}: {error}"))).into()
    }

    /// Why each engine refuses a container.
    pub fn refuse(&self, container: &[u8], what: &str) -> String {
        let refuse = |engine| match self.0[0].compile(container, &CompileOptions::new(engine)) {
            Ok(_) => panic!("{what}: {engine} takes it"),
            Err(error) => error.to_string(),
        };
        let [why, same] = [Engine::Interpreter, Engine::Jit].map(refuse);
        assert_eq!(why, same, "{what}");
        why
    }

    /// Runs each engine's shader with one and two threads, checks the guards and that all agree, and gives the views'
    /// words after the run.
    pub fn run(&self, shaders: &[Shader], views: &[Structured<'_>], what: &str) -> Vec<Vec<u32>> {
        let mut agreed: Option<Vec<Vec<u32>>> = None;
        for shader in shaders {
            for device in &self.0 {
                let words = run_on(device, shader, views, what);
                let expected = agreed.get_or_insert_with(|| words.clone());
                assert_eq!(*expected, words, "{what}: {} differs from the interpreter on one thread", shader.engine());
            }
        }
        agreed.expect("ran at least once")
    }
}

fn run_on(device: &Device, shader: &Shader, views: &[Structured<'_>], what: &str) -> Vec<Vec<u32>> {
    let engine = shader.engine();
    let mut bindings = Bindings::new();
    let mut buffers = Vec::new();
    for view in views {
        let mut bytes = vec![GUARD_BYTE; GUARD];
        bytes.extend(view.words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.resize(bytes.len() + GUARD, GUARD_BYTE);
        let buffer = device.buffer_from(&bytes).expect("a small buffer");
        let size_bytes = view.words.len() as u64 * 4;
        let bound = View::structured(buffer.clone(), view.stride_bytes)
            .and_then(|bound| bound.with_range(GUARD as u64, size_bytes))
            .expect("the range is in the buffer");
        bindings.set(view.register.parse().expect("a register name"), bound);
        buffers.push(buffer);
    }
    device
        .dispatch(shader, &bindings, &Dispatch::new([1, 1, 1]))
        .unwrap_or_else(|error| panic!("{what}: {engine}: {error}"));
    let inside = |bytes: Vec<u8>, register: &str| {
        let (head, rest) = bytes.split_at(GUARD);
        let (words, tail) = rest.split_at(rest.len() - GUARD);
        let whole = head.iter().chain(tail).all(|&byte| byte == GUARD_BYTE);
        assert!(whole, "{what}: {engine}: bytes around {register} changed");
        words.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    };
    buffers
        .iter()
        .zip(views)
        .map(|(buffer, view)| inside(buffer.to_vec().expect("a small buffer"), view.register))
        .collect()
}
