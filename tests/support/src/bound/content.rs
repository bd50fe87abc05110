//! Describes the content of a register as data: it can be bound again and again, on any device, between guard bytes.

use brolga_runtime::{BindingRules, Bindings, Device, Format, Register, Sampler, View};

use super::backing::{Backing, GUARD_BYTES, Left};
use crate::picture::Picture;

/// The form in which the bytes are seen.
#[derive(Clone, Copy, PartialEq, Debug)]
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
    /// A texture, or a part of one.
    Texture(Picture),
    /// No memory at all.
    Sampler(Sampler),
}

/// A view's form and first content.
#[derive(Clone, Debug)]
pub struct Content {
    /// The form in which the bytes are seen.
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
        self.backed(device, 0).0
    }

    fn backed(&self, device: &Device, guard_bytes: usize) -> (View, Backing) {
        let backing = Backing::new(device, self, guard_bytes).expect("content is made to fit");
        (backing.view(self.form).expect("content is made to fit"), backing)
    }
}

/// The content of every register of a shader.
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
    backings: Vec<(Register, Backing)>,
}

impl Guarded {
    /// Binds everything anew.
    pub fn bind(contents: &Contents, device: &Device) -> Self {
        let (mut bindings, mut backings) = (Bindings::with_rules(BindingRules::PARTIAL), Vec::new());
        for (register, content) in contents {
            let (view, backing) = content.backed(device, GUARD_BYTES);
            bindings.set(*register, view);
            backings.push((*register, backing));
        }
        Self { bindings, backings }
    }

    /// The memory behind each register, or the first register whose guard bytes were written.
    pub fn left(&self) -> Result<Vec<Left>, Register> {
        self.backings.iter().map(|(register, backing)| backing.left(*register).ok_or(*register)).collect()
    }

    /// The first register whose guard bytes were written.
    pub fn broken(&self) -> Option<Register> {
        self.left().err()
    }
}
