//! Proves of objects that no run can access them wrongly, so that they need no probes.

use crate::entity::{LocalId, Region, ResourceId, SharedId};
use crate::function::{Function, InstKind, Object};
use crate::interface::ResourceClass;

/// What of an object must be watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watch {
    /// Nothing.
    Nothing,
    /// Whether words are written before they are read.
    Written,
    /// All accesses.
    All,
}

/// What must be watched of each object of a function.
pub(super) struct Proofs {
    shared: Vec<Watch>,
    locals: Vec<Watch>,
    views: Vec<Watch>,
    atomics: Vec<Object>,
}

impl Proofs {
    /// Analyses a function whose first indexable temporaries are the shader's own.
    pub fn find(func: &Function, own_locals: usize) -> Self {
        let mut proofs = Self {
            shared: vec![Watch::Nothing; func.interface.shared.len()],
            locals: vec![Watch::Nothing; func.interface.locals.len()],
            views: vec![Watch::Nothing; func.interface.resources.len()],
            atomics: Vec::new(),
        };
        for region in 0..func.region_count() {
            for &inst in &func.region(Region::new(region)).insts {
                let kind = &func.inst(inst).kind;
                let object = match kind {
                    InstKind::Load { place } | InstKind::Store { place, .. } | InstKind::Atomic { place, .. } => {
                        place.object
                    }
                    InstKind::TexelLoad { resource, .. }
                    | InstKind::TexelStore { resource, .. }
                    | InstKind::TexelAtomic { resource, .. } => Object::Resource(*resource),
                    _ => continue,
                };
                if matches!(kind, InstKind::Atomic { .. } | InstKind::TexelAtomic { .. }) {
                    proofs.atomics.push(object);
                }
                match object {
                    Object::Shared(id) => proofs.shared[id.index()] = Watch::All,
                    Object::Local(id) if id.index() < own_locals => proofs.locals[id.index()] = Watch::Written,
                    Object::Resource(resource)
                        if func.interface.resource(resource.id).class == ResourceClass::UnorderedAccess =>
                    {
                        proofs.views[resource.id.index()] = Watch::All;
                    }
                    _ => {}
                }
            }
        }
        proofs
    }

    pub fn shared(&self, id: SharedId) -> Watch {
        self.shared[id.index()]
    }

    pub fn local(&self, id: LocalId) -> Watch {
        self.locals[id.index()]
    }

    pub fn view(&self, id: ResourceId) -> Watch {
        self.views[id.index()]
    }

    /// `true` if there are atomics on it.
    pub fn has_atomics(&self, object: Object) -> bool {
        self.atomics.contains(&object)
    }
}
