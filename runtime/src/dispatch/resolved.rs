//! Keeps the state of a bound shader between dispatches: its views, the formats that select code, the code, and the
//! kits that earlier runs left for reuse.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use brolga_ir::span::{Grid, Packing};
use brolga_resource::View;

use super::Runner;
use super::run::{Kit, bind};
use crate::bindings::{Bindings, Register};
use crate::engine::{Code, Variant};
use crate::error::Error;
use crate::host::{BoundViews, Change, TexelFormats};
use crate::shader::Shader;
use crate::stop::StopWord;

/// The most kits that finished runs leave for later ones: one for each thread that dispatches at once.
const MOST_KEPT: usize = 64;

/// State prepared ahead of a dispatch.
#[derive(Debug)]
pub(super) struct Resolved {
    views: BoundViews,
    formats: TexelFormats,
    /// Code for packets within rows, and for packets that cross row ends.
    codes: [OnceLock<Arc<Code>>; 2],
    /// Kit for consecutive runs.
    first: Mutex<Option<Kit>>,
    /// Kits left by concurrent runs.
    others: Mutex<Vec<Kit>>,
}

impl Resolved {
    /// Checks bindings against a shader.
    pub fn new(shader: &Shader, bindings: &Bindings, runner: &Runner) -> Result<Self, Error> {
        let views = bind(shader, bindings.into(), runner)?;
        let formats = views.texel_formats();
        Ok(Self { views, formats, codes: Default::default(), first: Mutex::default(), others: Mutex::default() })
    }

    /// The bound views.
    pub fn views(&self) -> &BoundViews {
        &self.views
    }

    /// Binds another view to a register. The bindings are those before the change. On an error nothing changes.
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
                // An unbounded range has more registers now.
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
        let first = self.first.get_mut().unwrap_or_else(PoisonError::into_inner);
        let others = self.others.get_mut().unwrap_or_else(PoisonError::into_inner);
        let other_formats = self.views.apply(change, |index, bound| {
            // If memory runs out, the kit is dropped and made anew when needed.
            others.retain_mut(|kit| kit.frame.rebind(index, bound).is_ok());
            if first.as_mut().is_some_and(|kit| kit.frame.rebind(index, bound).is_err()) {
                *first = None;
            }
        });
        if other_formats {
            self.formats = self.views.texel_formats();
            self.codes = Default::default();
        }
    }

    /// The code for a dispatch, and the time it took to make if it was missing.
    pub fn code(&self, shader: &Shader, grid: Grid, stop: &StopWord) -> Result<(&Arc<Code>, Duration), Error> {
        self.code_by(shader, grid, |shader, variant| shader.code_until(variant, stop))
    }

    /// The same, which nothing stops.
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
        // If another thread was faster, it found the same.
        Ok((slot.get_or_init(|| code), start.elapsed()))
    }

    /// Lends a run the kit that another left, or, while others run concurrently, one of its own.
    pub fn with_kit<T>(&self, runner: &Runner, run: impl FnOnce(&mut Kit) -> Result<T, Error>) -> Result<T, Error> {
        match self.first.try_lock() {
            Ok(mut first) => {
                let kit = match &mut *first {
                    Some(kit) => kit,
                    none => none.insert(Kit::new(&self.views, runner)?),
                };
                let result = run(kit);
                kit.settle(runner);
                result
            }
            Err(_) => {
                let mut kit = self.take(runner)?;
                let result = run(&mut kit);
                self.put_back(kit, runner);
                result
            }
        }
    }

    /// A kit for a run while others run concurrently.
    pub fn take(&self, runner: &Runner) -> Result<Kit, Error> {
        let left = self.others.lock().unwrap_or_else(PoisonError::into_inner).pop();
        left.map_or_else(|| Kit::new(&self.views, runner), Ok)
    }

    /// Keeps it for the next one.
    pub fn put_back(&self, mut kit: Kit, runner: &Runner) {
        kit.settle(runner);
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if others.len() < MOST_KEPT {
            others.push(kit);
        }
    }
}
