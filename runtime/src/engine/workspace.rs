//! Pools the arenas and contexts with which workers run compiled code of any shader. A device keeps those of finished
//! workers for later dispatches.

use std::ptr;
use std::sync::{Mutex, PoisonError};

use brolga_jit::abi::{Bindings, Context, helpers};
use brolga_resource::{GuardPages, Memory};

use crate::error::Error;
use crate::host::Reach;

/// The most workspaces that a device keeps.
const MOST_KEPT: usize = 64;

/// The most bytes of arenas that a device keeps.
const MOST_KEPT_BYTES: u64 = 32 << 20;

/// Arena and context of one worker. Nothing may rely on what its last user left in them.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub context: Box<Context>,
    arena: Memory,
}

impl Workspace {
    /// Bytes of the arena.
    pub fn arena_bytes(&self) -> u64 {
        self.arena.size_bytes()
    }

    /// The arena, for compiled code.
    pub fn arena_base(&self) -> *mut u8 {
        self.arena.base()
    }
}

/// Workspaces not in use, the most recently used last.
#[derive(Debug)]
pub(crate) struct Workspaces {
    unused: Mutex<Vec<Workspace>>,
    guard_pages: GuardPages,
}

impl Workspaces {
    /// An empty pool.
    pub fn new(guard_pages: GuardPages) -> Self {
        Self { unused: Mutex::default(), guard_pages }
    }

    /// One with an arena of exactly this many bytes, so that guard pages are adjacent to it, and a context that is
    /// bound to nothing, or still to its last user's bindings.
    pub fn take(&self, arena_bytes: u64) -> Result<Workspace, Error> {
        let kept = {
            let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = unused.iter().rposition(|workspace| workspace.arena.size_bytes() == arena_bytes);
            fits.map(|n| unused.remove(n))
        };
        match kept {
            Some(workspace) => Ok(workspace),
            None => {
                let arena = Memory::zeroed(arena_bytes, self.guard_pages)?;
                Ok(Workspace { context: Context::new(nothing(arena.base())), arena })
            }
        }
    }

    /// Keeps one for later, evicting the least recently used.
    pub fn put_back(&self, workspace: Workspace) {
        let bytes = |workspace: &Workspace| workspace.arena.size_bytes();
        if bytes(&workspace) > MOST_KEPT_BYTES {
            return;
        }
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        unused.push(workspace);
        while unused.len() > MOST_KEPT || unused.iter().map(bytes).sum::<u64>() > MOST_KEPT_BYTES {
            unused.remove(0);
        }
    }
}

/// Contents of a context before anything is bound.
fn nothing(arena: *mut u8) -> Bindings {
    Bindings {
        ranges: ptr::null(),
        helpers: helpers::<Reach>(),
        samples: ptr::null(),
        host: ptr::null(),
        stop: ptr::null(),
        arena,
        fuel: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_worker_of_the_same_size_gets_it_and_no_other() {
        for guard_pages in [GuardPages::Off, GuardPages::After, GuardPages::Before] {
            let workspaces = Workspaces::new(guard_pages);
            let take = |bytes| workspaces.take(bytes).unwrap();
            let (first, second) = (take(4096), take(8192));
            let bases = [&first, &second].map(|workspace| workspace.arena.base());
            workspaces.put_back(first);
            workspaces.put_back(second);
            assert!(!bases.contains(&take(64).arena.base()));
            assert_eq!([take(4096), take(8192)].map(|workspace| workspace.arena_base()), bases);
        }
    }

    #[test]
    fn few_are_kept() {
        let workspaces = Workspaces::new(GuardPages::Off);
        let kept = || workspaces.unused.lock().unwrap().iter().map(|one| one.arena.size_bytes()).collect::<Vec<_>>();
        let take = |bytes| workspaces.take(bytes).unwrap();
        let many: Vec<_> = (0..70).map(|n| take(64 * n)).collect();
        many.into_iter().for_each(|workspace| workspaces.put_back(workspace));
        assert_eq!(kept(), (6..70).map(|n| 64 * n).collect::<Vec<_>>());
        workspaces.put_back(take(MOST_KEPT_BYTES + 1));
        assert_eq!(kept().len(), MOST_KEPT);
        workspaces.put_back(take(MOST_KEPT_BYTES));
        assert_eq!(kept(), [MOST_KEPT_BYTES]);
    }
}
