//! What is known of a shader and its bindings ahead of a dispatch: the views, the formats that select code, the code, and
//! what earlier runs left to be used again.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use brolga_ir::span::{Grid, Packing};

use super::Runner;
use super::run::{Kit, bind};
use crate::bindings::{Bindings, Register};
use crate::engine::{Code, Seat, Variant};
use crate::error::Error;
use crate::host::{BoundViews, Change, TexelFormats};
use crate::resource::View;
use crate::shader::Shader;
use crate::stop::StopWord;

/// What runs that are over leave for later ones at most, as many as there are threads that dispatch at once.
const MOST_KEPT: usize = 64;

/// What is known ahead of a dispatch.
#[derive(Debug)]
pub(super) struct Resolved {
    views: BoundViews,
    formats: TexelFormats,
    /// For packets that lie in rows, and for those that lie over their ends.
    codes: [OnceLock<Arc<Code>>; 2],
    kept: Mutex<Vec<Box<Kit>>>,
}

impl Resolved {
    /// Holds bindings against a shader.
    pub fn new(shader: &Shader, bindings: &Bindings, runner: &Runner) -> Result<Self, Error> {
        let views = bind(shader, bindings, runner)?;
        let formats = views.texel_formats();
        Ok(Self { views, formats, codes: Default::default(), kept: Mutex::default() })
    }

    /// What is bound.
    pub fn views(&self) -> &BoundViews {
        &self.views
    }

    /// Binds another view to a register. The bindings are those before. Whatever is wrong, nothing changes.
    pub fn set(
        &mut self,
        shader: &Shader,
        bindings: &Bindings,
        runner: &Runner,
        register: Register,
        view: &View,
    ) -> Result<(), Error> {
        let declared = &shader.outline().declared;
        match self.views.change(declared, bindings, &runner.limits, register, view)? {
            Some(change) => self.apply(change),
            None => {
                // A range without an end has more registers now.
                let mut bindings = bindings.clone();
                bindings.set(register, view.clone());
                let new = Self::new(shader, &bindings, runner)?;
                let codes = if new.formats == self.formats { std::mem::take(&mut self.codes) } else { new.codes };
                *self = Self { codes, ..new };
            }
        }
        Ok(())
    }

    /// Binds nothing to a register.
    pub fn remove(&mut self, shader: &Shader, bindings: &Bindings, register: Register) -> Result<(), Error> {
        let change = self.views.removal(&shader.outline().declared, bindings, register)?;
        self.apply(change);
        Ok(())
    }

    fn apply(&mut self, change: Change) {
        let kept = self.kept.get_mut().unwrap_or_else(PoisonError::into_inner);
        let other_formats = self.views.apply(change, |index, bound| {
            // A frame for which there is no memory is made anew when it is needed.
            kept.retain_mut(|kit| kit.frame.rebind(index, bound).is_ok());
        });
        if other_formats {
            self.formats = self.views.texel_formats();
            self.codes = Default::default();
        }
    }

    /// The code for a dispatch, and how long it took to make if nobody had.
    pub fn code(&self, shader: &Shader, grid: Grid, stop: &StopWord) -> Result<(&Arc<Code>, Duration), Error> {
        self.code_by(shader, grid, |shader, variant| shader.code_until(variant, stop))
    }

    /// The same, made in the caller's thread.
    pub fn code_here(&self, shader: &Shader, grid: Grid) -> Result<(), Error> {
        self.code_by(shader, grid, Shader::code_here).map(|_| ())
    }

    fn code_by(
        &self,
        shader: &Shader,
        grid: Grid,
        make: impl FnOnce(&Shader, &Variant) -> Result<Arc<Code>, Error>,
    ) -> Result<(&Arc<Code>, Duration), Error> {
        let packing = shader.packing(grid);
        let slot = &self.codes[usize::from(packing == Packing::Grid)];
        if let Some(code) = slot.get() {
            return Ok((code, Duration::ZERO));
        }
        let start = Instant::now();
        let code = make(shader, &shader.variant(packing, self.formats.clone()))?;
        // If another thread was faster it found the same.
        Ok((slot.get_or_init(|| code), start.elapsed()))
    }

    /// What a run needs: what another left, if there is something.
    pub fn take(&self, runner: &Runner) -> Result<Box<Kit>, Error> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.map_or_else(|| Ok(Box::new(Kit::new(&self.views, runner)?)), Ok)
    }

    /// Keeps what a run that is over leaves.
    pub fn put_back(&self, mut kit: Box<Kit>, runner: &Runner) {
        if !kit.seat.as_ref().is_some_and(Seat::is_small) {
            kit.give_back(runner);
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST_KEPT {
            kept.push(kit);
        }
    }
}
