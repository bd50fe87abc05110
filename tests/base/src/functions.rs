//! Random functions that follow every rule of the IR: all operations, all accesses, nested control flow.
//!
//! The same seed gives the same function. The functions are made for printing and checking; they may not end.

use brolga_ir::builder::Builder;
use brolga_ir::entity::{Inst, LocalId, Region, ResourceId, SharedId, Value};
use brolga_ir::function::{AtomicOp, CounterOp, Element, Input, MemoryRef, Object, Origin, Query, ResourceRef, Sync};
use brolga_ir::interface::{Component, Dimension, Interface, Local, Resource, ResourceClass, ResourceKind, Shared};
use brolga_ir::stage::Stage;
use brolga_ir::{Const, Function, Op, Type};

use crate::random::Random;

const COMPONENTS: [Component; 7] = [
    Component::Float,
    Component::Unorm,
    Component::Snorm,
    Component::Sint,
    Component::Uint,
    Component::Mixed,
    Component::Double,
];

/// Declarations of every kind.
fn interface(random: &mut Random) -> Interface {
    let mut resources = Vec::new();
    let mut add = |class, kind, uses_counter| {
        let count = random.pick(&[Some(1), Some(1), Some(5), None]);
        let (space, lower) = (random.pick(&[0, 0, 3]), random.below(20) as u32);
        resources.push(Resource { class, kind, space, lower, count, uses_counter, texel_bytes: None });
    };
    add(ResourceClass::Constant, ResourceKind::Constant { vectors: 7 }, false);
    for class in [ResourceClass::ShaderResource, ResourceClass::UnorderedAccess] {
        add(class, ResourceKind::Raw, false);
        add(class, ResourceKind::Structured { stride_bytes: 20 }, false);
        for (n, dimension) in Dimension::ALL.into_iter().enumerate() {
            add(class, ResourceKind::Typed { dimension, component: COMPONENTS[n % COMPONENTS.len()] }, false);
        }
    }
    add(ResourceClass::UnorderedAccess, ResourceKind::Structured { stride_bytes: 4 }, true);
    Interface {
        stage: Stage::Compute { group_size: [random.below(9) as u32 + 1, 2, 1] },
        resources,
        shared: vec![
            Shared { register: 0, raw: true, stride_bytes: 4, count: 64 },
            Shared { register: 3, raw: false, stride_bytes: 12, count: 10 },
        ],
        arrays: Vec::new(),
        locals: vec![Local { register: 1, registers: 6, components: 3 }],
        immediate: (0..random.below(4)).map(|n| [n as u32, 1, u32::MAX, 0x3f80_0000]).collect(),
    }
}

/// A random function with about this many instructions.
pub fn function(seed: u64, size: usize) -> Function {
    let mut random = Random(seed);
    let interface = interface(&mut random);
    let mut func = Function::new(format!("random {seed:#x}"), interface);
    let mut generator =
        Generator { random, b: Builder::new(&mut func), pool: Vec::new(), targets: Vec::new(), left: size };
    generator.block(None);
    func
}

struct Target {
    inst: Inst,
    types: Vec<Type>,
    is_loop: bool,
}

struct Generator<'a> {
    random: Random,
    b: Builder<'a>,
    /// Values that can be used here.
    pool: Vec<Value>,
    /// Loops and switches around here.
    targets: Vec<Target>,
    /// Instructions still to make, about.
    left: usize,
}

impl Generator<'_> {
    /// Fills the current region; `yields` are the types of its yield, none in the body.
    fn block(&mut self, yields: Option<&[Type]>) {
        let mark = self.pool.len();
        let statements = if yields.is_none() { usize::MAX } else { self.random.below(8) };
        for _ in 0..statements {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let origin = if self.chance(70) { self.random.below(0x1000) as u32 } else { 0 };
            self.b.set_origin(Origin(origin));
            let precise = self.chance(20);
            self.b.set_precise(precise);
            self.statement();
        }
        let jump = !self.targets.is_empty() && self.chance(25);
        match yields {
            Some(_) if jump => {
                let n = self.random.below(self.targets.len());
                let (inst, is_loop) = (self.targets[n].inst, self.targets[n].is_loop);
                let types = self.targets[n].types.clone();
                let args = self.values(&types);
                if is_loop && self.chance(50) {
                    self.b.continue_(inst, &args);
                } else {
                    self.b.break_(inst, &args);
                }
            }
            Some(types) if self.chance(95) => {
                let args = self.values(types);
                self.b.yield_(&args);
            }
            _ => self.b.return_(),
        }
        self.pool.truncate(mark);
    }

    fn inner(&mut self, region: Region, yields: &[Type]) {
        let before = self.b.switch_to(region);
        let mark = self.pool.len();
        let params = self.b.func.region(region).params.clone();
        self.pool.extend(params);
        self.block(Some(yields));
        self.pool.truncate(mark);
        self.b.switch_to(before);
    }

    /// True in `percent` of 100 cases.
    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    fn types(&mut self) -> Vec<Type> {
        (0..self.random.below(4)).map(|_| self.random.pick(&Type::ALL)).collect()
    }

    fn values(&mut self, types: &[Type]) -> Vec<Value> {
        types.iter().map(|&ty| self.value(ty)).collect()
    }

    fn value(&mut self, ty: Type) -> Value {
        let known: Vec<Value> = self.pool.iter().copied().filter(|&value| self.b.func.ty(value) == ty).collect();
        if !known.is_empty() && self.chance(85) {
            return self.random.pick(&known);
        }
        let bits = match self.random.below(3) {
            0 => self.random.bits(),
            1 => self.random.bits() & 0xff,
            _ => self.random.pick(&[0, 1, 0x7fc0_0001, 0x3f80_0000, u64::MAX]),
        };
        let width = match ty {
            Type::Bool => 1,
            Type::I32 | Type::F32 => 32,
            Type::I64 | Type::F64 => 64,
        };
        let value = self.b.constant(Const { ty, bits: bits & (u64::MAX >> (64 - width)) });
        self.pool.push(value);
        value
    }

    fn resource(&mut self, fits: impl Fn(&Resource) -> bool) -> (ResourceRef, Resource) {
        let resources = &self.b.func.interface.resources;
        let fitting: Vec<usize> = (0..resources.len()).filter(|&n| fits(&resources[n])).collect();
        let n = self.random.pick(&fitting);
        let resource = self.b.func.interface.resources[n].clone();
        let element = match self.random.below(3) {
            0 => Element::Computed(self.value(Type::I32)),
            1 => Element::Fixed(0),
            _ => Element::Fixed(self.random.below(resource.count.unwrap_or(1000) as usize) as u32),
        };
        (ResourceRef { id: ResourceId::new(n), element }, resource)
    }

    fn place(&mut self, writable: bool, atomic: bool) -> MemoryRef {
        let (object, has_elements) = match self.random.below(5) {
            0 => (Object::Shared(SharedId::new(0)), false),
            1 => (Object::Shared(SharedId::new(1)), true),
            2 if !atomic => (Object::Local(LocalId::new(0)), true),
            3 if !writable => (Object::Immediate, true),
            _ => {
                let (resource, declared) = self.resource(|r| {
                    !matches!(r.kind, ResourceKind::Typed { .. })
                        && (!writable || r.class == ResourceClass::UnorderedAccess)
                });
                (Object::Resource(resource), declared.kind.stride_bytes().is_some())
            }
        };
        let index = has_elements.then(|| self.value(Type::I32));
        MemoryRef { object, index, offset: self.value(Type::I32) }
    }

    fn texel(&mut self, writable: bool) -> (ResourceRef, Vec<Value>, bool) {
        let (resource, declared) = self.resource(|r| {
            matches!(r.kind, ResourceKind::Typed { .. }) && (!writable || r.class == ResourceClass::UnorderedAccess)
        });
        let ResourceKind::Typed { dimension, .. } = declared.kind else { unreachable!("only typed ones fit") };
        let coords = self.values(&[Type::I32; 3][..dimension.coordinates()]);
        let has_level = declared.class == ResourceClass::ShaderResource && dimension != Dimension::Buffer;
        (resource, coords, has_level)
    }

    fn update(&mut self) -> (AtomicOp, Value, Option<Value>, Value) {
        let op = self.random.pick(&AtomicOp::ALL);
        let compare = (op == AtomicOp::CompareExchange).then(|| self.value(Type::I32));
        (op, self.value(Type::I32), compare, self.value(Type::Bool))
    }

    fn statement(&mut self) {
        match self.random.below(100) {
            0..50 => {
                let op = self.random.pick(Op::ALL);
                let args = self.values(op.args());
                let value = self.b.op(op, &args);
                self.pool.push(value);
            }
            50..54 => {
                let n = self.random.below(3) as u8;
                let inputs = [Input::ThreadId(n), Input::GroupId(n), Input::ThreadIdInGroup(n), Input::ThreadIndex];
                let input = self.random.pick(&inputs);
                let value = self.b.input(input);
                self.pool.push(value);
            }
            54..60 => {
                let (place, count) = (self.place(false, false), self.random.below(4) + 1);
                let values = self.b.load(place, count);
                self.pool.extend(values);
            }
            60..64 => {
                let place = self.place(true, false);
                let count = self.random.below(4) + 1;
                let values = self.values(&[Type::I32; 4][..count]);
                let effect = self.value(Type::Bool);
                self.b.store(place, &values, effect);
            }
            64..67 => {
                let place = self.place(true, true);
                let (op, value, compare, effect) = self.update();
                let value = self.b.atomic(op, place, value, compare, effect);
                self.pool.push(value);
            }
            67..69 => {
                let op = self.random.pick(&[CounterOp::Alloc, CounterOp::Consume]);
                let (resource, _) = self.resource(|r| r.uses_counter);
                let effect = self.value(Type::Bool);
                let value = self.b.counter(op, resource, effect);
                self.pool.push(value);
            }
            69..73 => {
                let (resource, coords, has_level) = self.texel(false);
                let level = has_level.then(|| self.value(Type::I32));
                let values = self.b.texel_load(resource, &coords, level);
                self.pool.extend(values);
            }
            73..75 => {
                let (resource, coords, _) = self.texel(true);
                let values: [Value; 4] = std::array::from_fn(|_| self.value(Type::I32));
                let effect = self.value(Type::Bool);
                self.b.texel_store(resource, &coords, values, effect);
            }
            75..77 => {
                let (resource, coords, _) = self.texel(true);
                let (op, value, compare, effect) = self.update();
                let value = self.b.texel_atomic(op, resource, &coords, value, compare, effect);
                self.pool.push(value);
            }
            77..80 => self.query(),
            80..82 => {
                let bits = self.random.below(16);
                self.b.barrier(Sync {
                    threads: bits & 1 != 0,
                    shared: bits & 2 != 0,
                    views_group: bits & 4 != 0,
                    views_global: bits & 8 != 0,
                });
            }
            82..90 => {
                let cond = self.value(Type::Bool);
                let types = self.types();
                let (inst, then_region, else_region) = self.b.if_else(cond, &types);
                self.inner(then_region, &types);
                self.inner(else_region, &types);
                self.results(inst);
            }
            90..95 => {
                let types = self.types();
                let inits = self.values(&types);
                let (inst, body) = self.b.loop_(&inits);
                self.targets.push(Target { inst, types: types.clone(), is_loop: true });
                self.inner(body, &types);
                self.targets.pop();
                self.results(inst);
            }
            _ => {
                let selector = self.value(Type::I32);
                let mut label = self.random.bits() as u32 / 2;
                let labels = (0..self.random.below(4))
                    .map(|_| {
                        (0..self.random.below(3) + 1)
                            .map(|_| {
                                label += self.random.below(5) as u32 + 1;
                                label
                            })
                            .collect()
                    })
                    .collect();
                let types = self.types();
                let (inst, arms, default) = self.b.switch(selector, labels, &types);
                self.targets.push(Target { inst, types: types.clone(), is_loop: false });
                for region in arms {
                    self.inner(region, &types);
                }
                self.inner(default, &types);
                self.targets.pop();
                self.results(inst);
            }
        }
    }

    fn results(&mut self, inst: Inst) {
        let results = self.b.func.inst(inst).results.clone();
        self.pool.extend(results);
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
        let level = (query.takes_level() && self.chance(50)).then(|| self.value(Type::I32));
        let values = self.b.query(query, resource, level);
        self.pool.extend(values);
    }
}
