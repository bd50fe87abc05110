//! One computation instead of two equal ones.
//!
//! Pure operations, constants, inputs and reads of memory that nobody writes during a run (constant buffers, `icb`,
//! `t#`) that are equal to an earlier one in the same or an enclosing region are replaced by it.

use rustc_hash::FxHashMap;

use crate::entity::{Inst, Region, Value};
use crate::function::{Function, Input, InstKind, Object, Place, Query, ResourceRef, Values};
use crate::interface::ResourceClass;
use crate::ops::Op;
use crate::passes::alias::Aliases;
use crate::types::Const;

/// Runs the pass; gives whether anything was replaced.
pub(super) fn run(func: &mut Function) -> bool {
    let mut cse = Cse { known: FxHashMap::default(), log: Vec::new(), aliases: Aliases::new(func), changed: false };
    cse.region(func, func.body());
    cse.changed
}

/// What makes two computations equal.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Const(Const),
    Input(Input),
    Op(Op, Values),
    Load(Place),
    Texel(ResourceRef, Values, Option<Value>),
    Query(Query, ResourceRef, Option<Value>),
}

struct Cse {
    /// The first of its kind, or the one with most results. Only looked up, never iterated.
    known: FxHashMap<Key, Inst>,
    /// What each open region added or changed, to be undone at its end.
    log: Vec<(Key, Option<Inst>)>,
    aliases: Aliases,
    changed: bool,
}

impl Cse {
    fn region(&mut self, func: &mut Function, region: Region) {
        let mark = self.log.len();
        let mut insts = std::mem::take(&mut func.region_mut(region).insts);
        insts.retain(|&inst| {
            let mut kind = std::mem::replace(&mut func.inst_mut(inst).kind, InstKind::Return);
            self.aliases.apply(&mut kind);
            let key = key(func, &kind);
            let regions = kind.regions();
            func.inst_mut(inst).kind = kind;
            for inner in regions {
                self.region(func, inner);
            }
            let Some(key) = key else { return true };
            let results = &func.inst(inst).results;
            let first = self.known.get(&key).map(|&first| &func.inst(first).results);
            match first {
                // A wider load serves a narrower one.
                Some(first) if first.len() >= results.len() => {
                    for (&value, &by) in results.iter().zip(first) {
                        self.aliases.replace(value, by);
                    }
                    self.changed = true;
                    false
                }
                _ => {
                    let old = self.known.insert(key.clone(), inst);
                    self.log.push((key, old));
                    true
                }
            }
        });
        func.region_mut(region).insts = insts;
        for (key, old) in self.log.drain(mark..).rev() {
            match old {
                Some(old) => self.known.insert(key, old),
                None => self.known.remove(&key),
            };
        }
    }
}

fn key(func: &Function, kind: &InstKind) -> Option<Key> {
    match kind {
        InstKind::Const(value) => Some(Key::Const(*value)),
        InstKind::Input(input) => Some(Key::Input(*input)),
        InstKind::Op { op, args } => Some(Key::Op(*op, args.clone())),
        InstKind::Load { place } if is_read_only(func, &place.object) => Some(Key::Load(*place)),
        InstKind::TexelLoad { resource, coords, level } if is_read_only(func, &Object::Resource(*resource)) => {
            Some(Key::Texel(*resource, coords.clone(), *level))
        }
        InstKind::Query { query, resource, level } => Some(Key::Query(*query, *resource, *level)),
        _ => None,
    }
}

/// Whether nothing can write the object while the shader runs: the runtime refuses memory bound as `t#` and `u#`.
pub(super) fn is_read_only(func: &Function, object: &Object) -> bool {
    match object {
        Object::Resource(resource) => func.interface.resource(resource.id).class != ResourceClass::UnorderedAccess,
        Object::Immediate => true,
        Object::Shared(_) | Object::Local(_) => false,
    }
}
