//! Keeps the code of a shader in each of its variants. Each is made once, however often it is requested: while one
//! thread makes it others wait, and if a requester gives up, the next one finds the work in progress.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use super::apart::wait;
use crate::engine::{Code, Variant};
use crate::error::Error;
use crate::stop::StopWord;

/// The most variants with texel formats that a shader has; beyond them texels are accessed through the host.
const MOST_VARIANTS: usize = 32;

/// The code that exists or is being made.
#[derive(Debug, Default)]
pub(super) struct Variants {
    slots: Mutex<Vec<(Variant, VariantSlot)>>,
    changed: Condvar,
    /// The usual code once more, for access without locking.
    usual: OnceLock<Arc<Code>>,
}

#[derive(Clone, Debug)]
enum VariantSlot {
    Making,
    Made(Made),
}

/// Code, and its origin: compiled or from the cache.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub code: Arc<Code>,
    pub is_cached: bool,
}

/// The outcome of requesting a variant.
pub(super) enum Claim {
    /// The variant exists.
    Made(Arc<Code>),
    /// The requester must make it.
    Mine(Mark),
    /// There are too many variants already.
    Full,
}

/// Marks a variant as being made, until it is dropped.
pub(super) struct Mark {
    variants: Arc<Variants>,
    variant: Variant,
}

impl Variants {
    /// Requests a variant; `None` while another thread makes it.
    pub fn claim_now(self: &Arc<Self>, variant: &Variant) -> Option<Claim> {
        let mut slots = self.lock();
        match slots.iter().find(|(known, _)| known == variant) {
            Some((_, VariantSlot::Made(made))) => Some(Claim::Made(Arc::clone(&made.code))),
            Some((_, VariantSlot::Making)) => None,
            None if slots.len() >= MOST_VARIANTS && !variant.texels.is_empty() => Some(Claim::Full),
            None => {
                slots.push((variant.clone(), VariantSlot::Making));
                Some(Claim::Mine(Mark { variants: Arc::clone(self), variant: variant.clone() }))
            }
        }
    }

    /// The same, and waits while another thread makes it.
    pub fn claim(self: &Arc<Self>, variant: &Variant) -> Claim {
        loop {
            if let Some(claim) = self.claim_now(variant) {
                return claim;
            }
            let _ = self.made(variant, &StopWord::default());
        }
    }

    /// A variant that exists; while another thread makes it, waits for that until the word is set.
    pub fn made(&self, variant: &Variant, stop: &StopWord) -> Result<Option<Arc<Code>>, Error> {
        let mut slots = self.lock();
        loop {
            match slots.iter().find(|(known, _)| known == variant) {
                Some((_, VariantSlot::Made(made))) => return Ok(Some(Arc::clone(&made.code))),
                Some((_, VariantSlot::Making)) => slots = wait(&self.changed, slots, stop)?,
                None => return Ok(None),
            }
        }
    }

    /// The usual code.
    pub fn usual(&self) -> Option<&Arc<Code>> {
        self.usual.get()
    }

    /// `true` if the code of a variant exists.
    pub fn has(&self, variant: &Variant) -> bool {
        self.lock().iter().any(|(known, slot)| known == variant && slot.made().is_some())
    }

    /// The usual code, or else the first made.
    pub fn foremost(&self) -> Option<(Variant, Arc<Code>)> {
        let slots = self.lock();
        let made = || slots.iter().filter_map(|(variant, slot)| Some((variant, slot.made()?)));
        let found = made().find(|(variant, _)| variant.is_usual()).or_else(|| made().next());
        found.map(|(variant, made)| (variant.clone(), Arc::clone(&made.code)))
    }

    /// `true` if there is code, and all of it comes from the cache.
    pub fn are_cached(&self) -> bool {
        let slots = self.lock();
        let mut made = slots.iter().filter_map(|(_, slot)| slot.made()).peekable();
        made.peek().is_some() && made.all(|made| made.is_cached)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Variant, VariantSlot)>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VariantSlot {
    fn made(&self) -> Option<&Made> {
        match self {
            VariantSlot::Making => None,
            VariantSlot::Made(made) => Some(made),
        }
    }
}

impl Mark {
    /// The variant that is to be made.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Publishes the code.
    pub fn keep(self, made: Made) -> Arc<Code> {
        let code = Arc::clone(&made.code);
        if self.variant.is_usual() {
            let _ = self.variants.usual.set(Arc::clone(&code));
        }
        if let Some((_, slot)) = self.variants.lock().iter_mut().find(|(known, _)| *known == self.variant) {
            *slot = VariantSlot::Made(made);
        }
        code
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // A waiting thread that finds nothing tries itself, and gets its own error.
        let is_mine = |(known, slot): &(Variant, VariantSlot)| *known == self.variant && slot.made().is_none();
        self.variants.lock().retain(|slot| !is_mine(slot));
        self.variants.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use brolga_ir::builder::Builder;
    use brolga_ir::function::Function;
    use brolga_ir::interface::Interface;
    use brolga_ir::interp::Interpreter;
    use brolga_ir::stage::Stage;
    use brolga_ir::verify::verify;

    use super::*;

    fn code() -> Made {
        let mut function = Function::new(
            "nothing",
            Interface { stage: Stage::Compute { group_size: [1; 3] }, ..Interface::default() },
        );
        Builder::new(&mut function).return_();
        let code = Code::Interpreter(Interpreter::new(&verify(function).unwrap()));
        Made { code: Arc::new(code), is_cached: false }
    }

    #[test]
    fn each_is_made_once_and_again_only_if_it_failed() {
        let variants = Arc::new(Variants::default());
        let (tries, made) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| match variants.claim(&Variant::usual()) {
                    Claim::Mine(mark) => {
                        // The first try fails.
                        if tries.fetch_add(1, Ordering::Relaxed) > 0 {
                            made.fetch_add(1, Ordering::Relaxed);
                            mark.keep(code());
                        }
                    }
                    Claim::Made(_) => {}
                    Claim::Full => panic!("there is room"),
                });
            }
        });
        assert_eq!((tries.into_inner(), made.into_inner()), (2, 1));
        assert!(variants.foremost().is_some() && !variants.are_cached());
    }
}
