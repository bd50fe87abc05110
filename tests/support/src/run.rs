//! Assembles shaders, and runs one group of a container on every engine and thread count, over structured views with
//! guard bytes around them.

use std::time::Duration;

use brolga_bytecode::{Limits, assembler};
use brolga_runtime::{CompileOptions, Device, Dispatch, Engine, Module, Oversize, Shader};

use crate::bound::content::{Content, Form, Guarded};

/// The container of a shader in assembly language.
pub fn assemble(text: &str) -> Vec<u8> {
    assembler::assemble(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}\n{text}")).bytes
}

/// A shader, to be drawn with.
pub fn module(bytes: &[u8]) -> Module {
    Module::load(bytes, &brolga_runtime::Limits::default()).unwrap_or_else(|error| panic!("{error}"))
}

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
        Self([1, 2].map(|threads| {
            Device::builder().threads(threads).wakes_threads_from(Duration::ZERO).build().expect("two small pools")
        }))
    }

    /// Compiles a container for each engine.
    pub fn compile(&self, container: &[u8], what: &str) -> Vec<Shader> {
        let compile = |engine| self.0[0].compile(container, &CompileOptions::new(engine).oversize(Oversize::Refuse));
        let engines = [Engine::Interpreter, Engine::Jit];
        engines.map(|engine| compile(engine).unwrap_or_else(|error| panic!("{what}: {engine}: {error}"))).into()
    }

    /// The reason why each engine refuses a container.
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
    let content = |view: &Structured<'_>| {
        let bytes = view.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let form = Form::Structured { stride_bytes: view.stride_bytes };
        (view.register.parse().expect("a register name"), Content::new(form, bytes))
    };
    let guarded = Guarded::bind(&views.iter().map(content).collect(), device);
    device
        .dispatch(shader, &guarded.bindings, &Dispatch::new([1, 1, 1]))
        .unwrap_or_else(|error| panic!("{what}: {engine}: {error}"));
    let left = guarded.left().unwrap_or_else(|register| panic!("{what}: {engine}: bytes around {register} changed"));
    let word = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
    left.iter().map(|left| left.bytes.as_chunks().0.iter().map(word).collect()).collect()
}
