//! What a register is bound to, as data: it can be bound again and again, on any device, between guard bytes.

use brolga_runtime::{BindingRules, Bindings, Buffer, Counter, Device, Format, Register, Sampler, TextureShape, View};

/// Bytes before and after a guarded view; a multiple of whatever a view may start at.
const GUARD_BYTES: u64 = 256;
/// What guard bytes hold.
const GUARD: u8 = 0xa5;

/// How the bytes are seen.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A constant buffer.
    Constant,
    /// Bytes.
    Raw,
    /// Structures.
    Structured {
        /// Bytes of each.
        stride_bytes: u32,
    },
    /// A typed buffer.
    Typed(Format),
    /// A texture.
    Texture(TextureShape),
    /// No memory at all.
    Sampler(Sampler),
}

/// A view's form and first content.
#[derive(Clone, Debug)]
pub struct Content {
    /// How the bytes are seen.
    pub form: Form,
    /// The first content.
    pub bytes: Vec<u8>,
    /// First value of the hidden counter.
    pub counter: Option<u32>,
}

impl Content {
    /// Content without a hidden counter.
    pub fn new(form: Form, bytes: Vec<u8>) -> Self {
        Self { form, bytes, counter: None }
    }

    /// A view of a buffer or texture that holds nothing else.
    pub fn view(&self, device: &Device) -> View {
        let buffer = device.buffer_from(&self.bytes).expect("content is made to fit");
        self.see(buffer)
    }

    /// A view between guard bytes, and the buffer with them. Textures have no such buffer.
    pub fn guarded_view(&self, device: &Device) -> (View, Option<Buffer>) {
        if let Form::Texture(_) | Form::Sampler(_) = self.form {
            return (self.view(device), None);
        }
        let guard = [GUARD; GUARD_BYTES as usize];
        let buffer =
            device.buffer_from(&[&guard, self.bytes.as_slice(), &guard].concat()).expect("content is made to fit");
        let view =
            self.see(buffer.clone()).with_range(GUARD_BYTES, self.bytes.len() as u64).expect("content is made to fit");
        (view, Some(buffer))
    }

    fn see(&self, buffer: Buffer) -> View {
        let view = match self.form {
            Form::Constant => View::constant(buffer),
            Form::Raw => View::raw(buffer),
            Form::Structured { stride_bytes } => View::structured(buffer, stride_bytes),
            Form::Typed(format) => View::typed(buffer, format),
            Form::Sampler(sampler) => View::sampler(sampler),
            Form::Texture(shape) => {
                Ok(View::texture(brolga_runtime::Texture::new(buffer, shape).expect("content is made to fit")))
            }
        };
        let view = view.expect("content is made to fit");
        match self.counter {
            Some(value) => view.with_counter(Counter::new(value)).expect("content is made to fit"),
            None => view,
        }
    }
}

/// Everything that a shader gets, by register.
pub type Contents = Vec<(Register, Content)>;

/// Binds everything anew.
pub fn bind(contents: &Contents, device: &Device) -> Bindings {
    let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
    for (register, content) in contents {
        bindings.set(*register, content.view(device));
    }
    bindings
}

/// Views between guard bytes.
pub struct Guarded {
    /// The views.
    pub bindings: Bindings,
    buffers: Vec<(Register, Buffer)>,
}

impl Guarded {
    /// Binds everything anew.
    pub fn bind(contents: &Contents, device: &Device) -> Self {
        let (mut bindings, mut buffers) = (Bindings::with_rules(BindingRules::PARTIAL), Vec::new());
        for (register, content) in contents {
            let (view, buffer) = content.guarded_view(device);
            bindings.set(*register, view);
            buffers.extend(buffer.map(|buffer| (*register, buffer)));
        }
        Self { bindings, buffers }
    }

    /// The first register whose guard bytes were written.
    pub fn broken(&self) -> Option<Register> {
        let whole = |buffer: &Buffer| {
            let mut guard = [0; GUARD_BYTES as usize];
            [0, buffer.size_bytes() - GUARD_BYTES].into_iter().all(|at| {
                buffer.read(at, &mut guard).expect("content is made to fit");
                guard == [GUARD; GUARD_BYTES as usize]
            })
        };
        self.buffers.iter().find(|(_, buffer)| !whole(buffer)).map(|(register, _)| *register)
    }
}
