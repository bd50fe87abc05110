//! Generates the parts that only wild programs have: declarations of every kind, and accesses to any of them.

use brolga_ir::entity::{LocalId, ResourceId, SharedId, Value};
use brolga_ir::function::{AtomicOp, CounterOp, Element, MemoryRef, Object, Query, ResourceRef, Sync};
use brolga_ir::interface::{Component, Dimension, Interface, Resource, ResourceClass, ResourceKind, Shared};

use super::Generator;
use crate::random::Random;

/// Adds declarations of every kind to those that all programs have.
pub(super) fn declare(interface: &mut Interface, random: &mut Random) {
    let mut add = |class, kind, uses_counter| {
        let count = random.pick(&[Some(1), Some(1), Some(5), None]);
        let (space, lower) = (random.pick(&[0, 0, 3]), random.below(20) as u32);
        interface.resources.push(Resource { space, count, uses_counter, ..Resource::new(class, kind, lower) });
    };
    add(ResourceClass::Constant, ResourceKind::Constant { vectors: 7 }, false);
    for class in [ResourceClass::ShaderResource, ResourceClass::UnorderedAccess] {
        add(class, ResourceKind::Raw, false);
        add(class, ResourceKind::Structured { stride_bytes: 20 }, false);
        for (n, dimension) in Dimension::ALL.into_iter().enumerate() {
            add(class, ResourceKind::Typed { dimension, component: Component::ALL[n % Component::ALL.len()] }, false);
        }
    }
    add(ResourceClass::UnorderedAccess, ResourceKind::Structured { stride_bytes: 4 }, true);
    interface.shared.extend([
        Shared { register: 1, raw: true, stride_bytes: 4, count: 64 },
        Shared { register: 3, raw: false, stride_bytes: 12, count: 10 },
    ]);
}

impl Generator<'_> {
    /// Any access to any memory or view, in whatever order threads come.
    pub(super) fn access(&mut self) {
        match self.random.below(9) {
            0 => {
                let (place, count) = (self.place(false, false), 1 + self.random.below(4));
                let words = self.b.load(place, count);
                self.set(words[count - 1]);
            }
            1 => {
                let (place, count) = (self.place(true, false), 1 + self.random.below(4));
                let (values, effect) = (self.registers(count), self.condition());
                self.b.store(place, &values, effect);
            }
            2 => {
                let place = self.place(true, true);
                let (op, value, compare, effect) = self.update();
                let old = self.b.atomic(op, place, value, compare, effect);
                self.set(old);
            }
            3 => {
                let op = self.random.pick(&[CounterOp::Alloc, CounterOp::Consume]);
                let (resource, _) = self.resource(|r| r.uses_counter);
                let effect = self.condition();
                let count = self.b.counter(op, resource, effect);
                self.set(count);
            }
            4 => {
                let (resource, coords, has_level) = self.texel(false);
                let level = has_level.then(|| self.get());
                let words = self.b.texel_load(resource, &coords, level);
                words.into_iter().for_each(|word| self.set(word));
            }
            5 => {
                let (resource, coords, _) = self.texel(true);
                let (values, effect) = (std::array::from_fn(|_| self.get()), self.condition());
                self.b.texel_store(resource, &coords, values, effect);
            }
            6 => {
                let (resource, coords, _) = self.texel(true);
                let (op, value, compare, effect) = self.update();
                let old = self.b.texel_atomic(op, resource, &coords, value, compare, effect);
                self.set(old);
            }
            7 => self.query(),
            _ => {
                let [threads, shared, views_group, views_global] = [(); 4].map(|()| self.random.one_in(2));
                self.b.barrier(Sync { threads, shared, views_group, views_global });
            }
        }
    }

    /// One of the resources that fit, and its declaration.
    fn resource(&mut self, fits: impl Fn(&Resource) -> bool) -> (ResourceRef, Resource) {
        let resources = &self.b.func.interface.resources;
        let fitting: Vec<usize> = (0..resources.len()).filter(|&n| fits(&resources[n])).collect();
        let n = self.random.pick(&fitting);
        let resource = self.b.func.interface.resources[n].clone();
        let element = match self.random.below(3) {
            0 => Element::Computed(self.leaf()),
            1 => Element::Fixed(0),
            _ => Element::Fixed(self.random.below(resource.count.unwrap_or(1000) as usize) as u32),
        };
        (ResourceRef { id: ResourceId::new(n), element }, resource)
    }

    fn place(&mut self, writable: bool, atomic: bool) -> MemoryRef {
        let (object, has_elements) = match self.random.below(6) {
            n @ 0..3 => (Object::Shared(SharedId::new(n)), n != 1),
            3 if !atomic => (Object::Local(LocalId::new(0)), true),
            4 if !writable => (Object::Immediate, true),
            _ => {
                let (resource, declared) = self.resource(|r| {
                    !matches!(r.kind, ResourceKind::Typed { .. })
                        && (!writable || r.class == ResourceClass::UnorderedAccess)
                });
                (Object::Resource(resource), declared.kind.stride_bytes().is_some())
            }
        };
        let index = has_elements.then(|| self.leaf());
        MemoryRef { object, index, offset: self.leaf() }
    }

    /// A texture or typed buffer, coordinates in it, and `true` if it has mip levels or samples.
    fn texel(&mut self, writable: bool) -> (ResourceRef, Vec<Value>, bool) {
        let (resource, declared) = self.resource(|r| {
            matches!(r.kind, ResourceKind::Typed { .. }) && (!writable || r.class == ResourceClass::UnorderedAccess)
        });
        let ResourceKind::Typed { dimension, .. } = declared.kind else { unreachable!("only typed ones fit") };
        let coords = (0..dimension.coordinates()).map(|_| self.leaf()).collect();
        let has_level = declared.class == ResourceClass::ShaderResource && dimension != Dimension::Buffer;
        (resource, coords, has_level)
    }

    fn update(&mut self) -> (AtomicOp, Value, Option<Value>, Value) {
        let op = self.random.pick(&AtomicOp::ALL);
        let compare = (op == AtomicOp::CompareExchange).then(|| self.leaf());
        (op, self.get(), compare, self.condition())
    }

    fn query(&mut self) {
        let query = self.random.pick(&Query::OF_SHADERS);
        let (resource, _) = self.resource(|r| match (query, r.kind) {
            (_, ResourceKind::Constant { .. }) => false,
            (Query::BufferSize, ResourceKind::Typed { dimension, .. }) => dimension == Dimension::Buffer,
            (Query::BufferSize, _) => true,
            (Query::TextureSize, ResourceKind::Typed { dimension, .. }) => dimension != Dimension::Buffer,
            (Query::SampleCount | Query::SamplePosition, ResourceKind::Typed { dimension, .. }) => {
                dimension.is_multisampled()
            }
            (_, _) => false,
        });
        let level = (query.takes_level() && self.random.one_in(2)).then(|| self.leaf());
        let words = self.b.query(query, resource, level);
        words.into_iter().for_each(|word| self.set(word));
    }
}
