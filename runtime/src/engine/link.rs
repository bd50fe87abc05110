//! Puts code, frame and stop word together for one run. (The stage `Link` of compiling is another thing: it makes code
//! executable.)

use brolga_jit::abi::{Bindings, helpers};

use super::code::Code;
use super::frame::Frame;
use crate::host::{BoundViews, Outbox, Reach};
use crate::stop::StopWord;

/// A shader's code with its bindings, for one run. All of its workers share it.
#[derive(Debug)]
pub(crate) struct Link<'a> {
    code: &'a Code,
    frame: &'a Frame,
    reach: Reach<'a>,
}

impl<'a> Link<'a> {
    /// Links them. The code must be of the shader that the views are bound to, in a variant for their formats; the
    /// frame must be made of the views and used by no other run.
    pub fn new(
        code: &'a Code,
        views: &'a BoundViews,
        frame: &'a Frame,
        stop: &'a StopWord,
        outbox: &'a dyn Outbox,
    ) -> Self {
        Self { code, frame, reach: Reach::new(views, frame.constants(), frame.copies(), stop, outbox) }
    }

    /// The code.
    pub fn code(&self) -> &'a Code {
        self.code
    }

    /// The host: all that a running shader can access.
    pub(super) fn reach(&self) -> &Reach<'a> {
        &self.reach
    }

    /// The arguments of compiled code, with this arena. They point to the link.
    pub(super) fn bindings(&self, arena: *mut u8) -> Bindings {
        Bindings {
            ranges: self.frame.ranges().as_ptr(),
            helpers: helpers::<Reach>(),
            samples: self.reach.samples().as_ptr(),
            host: std::ptr::from_ref(&self.reach).cast(),
            stop: self.reach.stop().word(),
            arena,
            fuel: u64::MAX,
        }
    }
}
