//! Runs shaders on both engines, with and without optimisation, which must agree.

use brolga_runtime::insight::{CheckOptions, Finding};
use brolga_runtime::{
    Bindings, BoundShader, Buffer, CompileOptions, Device, Dispatch, Engine, Error, Level, Register, ResourceClass,
    Shader as Compiled, Texture, View,
};
use brolga_wgsl::{Options, Shader};

/// What to run on what.
pub struct Run<'a> {
    pub text: &'a str,
    pub options: Options,
    pub groups: [u32; 3],
    /// The words of buffers, by binding.
    pub buffers: Vec<(u32, Vec<u32>)>,
    /// Other views, in the class of their register.
    pub views: Vec<(Register, View)>,
}

/// Memory that a shader writes.
pub enum Memory {
    Buffer(Buffer),
    Texture(Texture),
}

impl Memory {
    pub fn words(&self) -> Vec<u32> {
        match self {
            Memory::Buffer(buffer) => buffer.to_vec().unwrap(),
            Memory::Texture(texture) => texture.buffer().to_vec().unwrap(),
        }
    }
}

pub fn device() -> Device {
    Device::builder().threads(1).build().unwrap()
}

impl<'a> Run<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, options: Options::default(), groups: [1; 3], buffers: Vec::new(), views: Vec::new() }
    }

    pub fn groups(mut self, groups: [u32; 3]) -> Self {
        self.groups = groups;
        self
    }

    /// A buffer at a binding of group 0.
    pub fn buffer(mut self, binding: u32, words: &[u32]) -> Self {
        self.buffers.push((binding, words.to_vec()));
        self
    }

    pub fn floats(self, binding: u32, floats: &[f32]) -> Self {
        let words: Vec<u32> = floats.iter().map(|float| float.to_bits()).collect();
        self.buffer(binding, &words)
    }

    pub fn view(mut self, register: Register, view: View) -> Self {
        self.views.push((register, view));
        self
    }

    /// The buffers after the run, in their order, the same from all engines.
    pub fn results(&self) -> Vec<Vec<u32>> {
        let all = [
            (Engine::Interpreter, Level::None),
            (Engine::Interpreter, Level::Full),
            (Engine::Jit, Level::None),
            (Engine::Jit, Level::Full),
        ];
        let mut first: Option<Vec<Vec<u32>>> = None;
        for (engine, level) in all {
            let found = self.on(engine, level).unwrap_or_else(|error| panic!("{engine:?} {level:?}: {error}"));
            match &first {
                None => first = Some(found),
                Some(first) => assert_eq!(first, &found, "{engine:?} {level:?}"),
            }
        }
        first.unwrap()
    }

    /// The only buffer, or the first.
    pub fn words(&self) -> Vec<u32> {
        self.results().swap_remove(0)
    }

    pub fn on(&self, engine: Engine, level: Level) -> Result<Vec<Vec<u32>>, Error> {
        let (bound, buffers) = self.bound(engine, level)?;
        bound.dispatch(&Dispatch::new(self.groups))?;
        Ok(buffers.iter().map(|buffer| buffer.to_vec::<u32>().unwrap()).collect())
    }

    /// What a check finds, and the buffers after it.
    pub fn check(&self, engine: Engine) -> Result<(Vec<Finding>, Vec<Vec<u32>>), Error> {
        let (bound, buffers) = self.bound(engine, Level::Full)?;
        let checked = bound.check(&Dispatch::new(self.groups), &CheckOptions::default())?;
        Ok((checked.findings, buffers.iter().map(|buffer| buffer.to_vec::<u32>().unwrap()).collect()))
    }

    fn bound(&self, engine: Engine, level: Level) -> Result<(BoundShader, Vec<Buffer>), Error> {
        let device = device();
        let module = Shader::module(self.text, &self.options)?;
        let shader = device.compile_module(&module, &CompileOptions::new(engine).level(level))?;
        let mut bindings = Bindings::new();
        let mut buffers = Vec::new();
        for (binding, words) in &self.buffers {
            let buffer = device.buffer_from(words)?;
            bind(&mut bindings, &shader, *binding, &buffer);
            buffers.push(buffer);
        }
        for (register, view) in &self.views {
            bindings.set(*register, view.clone());
        }
        Ok((device.bind(&shader, &bindings)?, buffers))
    }
}

/// Binds a buffer to the register with this number, of whatever class it is.
fn bind(bindings: &mut Bindings, shader: &Compiled, number: u32, buffer: &brolga_runtime::Buffer) {
    for declared in shader.bindings().iter().filter(|declared| declared.register.index == number) {
        let view = match declared.register.class {
            ResourceClass::Constant => View::constant(buffer.clone()),
            _ => View::raw(buffer.clone()),
        };
        bindings.set(declared.register, view.unwrap());
    }
}

/// The words that an expression of `x` makes of each word, as another type. `from` and `to` are names of types.
pub fn map(from: &str, to: &str, expression: &str, words: &[u32]) -> Vec<u32> {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> results: array<{to}>;
         @group(0) @binding(1) var<storage> operands: array<{from}>;
         @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {{
             let x = operands[id.x];
             results[id.x] = {expression};
         }}"
    );
    let size = words_of(from);
    let count = words.len() / size;
    let room = vec![0; count * words_of(to)];
    let run = Run::new(&text).buffer(0, &room).buffer(1, words).groups([count.div_ceil(8) as u32, 1, 1]);
    run.words()
}

fn words_of(ty: &str) -> usize {
    match ty.as_bytes() {
        [b'v', b'e', b'c', b'2', ..] => 2,
        [b'v', b'e', b'c', ..] => 4,
        _ => 1,
    }
}

/// The same for floats.
pub fn map_floats(expression: &str, floats: &[f32]) -> Vec<f32> {
    let words: Vec<u32> = floats.iter().map(|float| float.to_bits()).collect();
    map("f32", "f32", expression, &words).into_iter().map(f32::from_bits).collect()
}
