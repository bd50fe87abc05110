//! Checks declarations and the instructions that use them, as part of the verifier.

use super::{MemoryObject, Problem, Types, Verifier};
use crate::entity::{ArrayId, ResourceId, Value};
use crate::function::{AtomicOp, Element, InstData, InstKind, MemoryRef, Object, Query, ResourceRef};
use crate::interface::{Dimension, MOST_ARRAYS, Resource, ResourceClass, ResourceKind};
use crate::message::{MOST_MESSAGE_WORDS, MessageKind, SENDER_WORDS};
use crate::sampling::{SampleArg, Sampling};
use crate::stage::{Parameter, ROW_BYTES};
use crate::types::Type;

impl Verifier<'_> {
    /// Checks the declarations. Products and sums that later code computes must fit 32 bits.
    pub(super) fn interface(&mut self) {
        let interface = &self.func.interface;
        let [x, y, z] = interface.group_size();
        let threads = x.checked_mul(y).and_then(|xy| xy.checked_mul(z));
        if threads.is_none() {
            self.report(Problem::GroupSize(x, y, z));
        }
        for (n, resource) in interface.resources.iter().enumerate() {
            self.resource(ResourceId::new(n), resource);
        }
        let mut bytes = 0u64;
        for (n, shared) in interface.shared.iter().enumerate() {
            let stride = shared.stride_bytes;
            if stride == 0 || stride % 4 != 0 || (shared.raw && stride != 4) {
                self.report(Problem::Stride(format!("g{n}"), stride));
            }
            bytes = bytes.saturating_add(u64::from(stride) * u64::from(shared.count));
        }
        if bytes > u64::from(u32::MAX) {
            self.report(Problem::TooLarge("shared memory"));
        }
        let mut bytes = 0u64;
        for (n, local) in interface.locals.iter().enumerate() {
            if !(1..=4).contains(&local.components) {
                self.report(Problem::Components(crate::entity::LocalId::new(n), local.components));
            }
            bytes = bytes.saturating_add(16 * u64::from(local.registers));
        }
        if bytes > u64::from(u32::MAX) {
            self.report(Problem::TooLarge("the private arrays"));
        }
        if interface.arrays.len() > MOST_ARRAYS {
            self.report(Problem::ArrayCount(interface.arrays.len()));
        }
        for (n, array) in interface.arrays.iter().enumerate() {
            if array.stride_bytes == 0 || array.stride_bytes % 4 != 0 {
                self.report(Problem::Stride(ArrayId::new(n).to_string(), array.stride_bytes));
            }
        }
        if let Some(signature) = interface.stage.signature() {
            if !interface.shared.is_empty() {
                self.report(Problem::NoGroup("shared memory"));
            }
            self.parameters(signature.input_array, &signature.inputs, false);
            let inputs = signature.inputs.len();
            let array = signature.input_array.and_then(|id| interface.arrays.get(id.index()));
            // As for inputs, without an array the function itself makes them.
            let rows = array.map_or(u32::MAX, |array| array.stride_bytes / ROW_BYTES);
            if signature.at_center.iter().any(|&(row, input)| row >= rows || input >= inputs) {
                self.report(Problem::NoRows);
            }
            self.parameters(signature.output_array, &signature.outputs, true);
        }
    }

    /// Checks an array of inputs or outputs: it has elements of as many rows, and is written if it has outputs. Without
    /// one the function itself makes its inputs or uses its outputs.
    fn parameters(&mut self, array: Option<ArrayId>, parameters: &[Parameter], is_written: bool) {
        let Some(id) = array else { return };
        let Some(declared) = self.func.interface.arrays.get(id.index()) else {
            return self.report(Problem::NoArray(id));
        };
        let is_in = |parameter: &Parameter| {
            (1..16).contains(&parameter.mask) && (u64::from(parameter.row) + 1) * 16 <= u64::from(declared.stride_bytes)
        };
        if !parameters.iter().all(is_in) || (is_written && !declared.is_written) {
            self.report(Problem::NoRows);
        }
    }

    fn resource(&mut self, id: ResourceId, resource: &Resource) {
        let Resource { class, kind, .. } = *resource;
        let constant = matches!(kind, ResourceKind::Constant { .. });
        let sampler = matches!(kind, ResourceKind::Sampler { .. });
        if constant != (class == ResourceClass::Constant) || sampler != (class == ResourceClass::Sampler) {
            self.report(Problem::ResourceKind { id, class, kind });
        }
        if resource.count.is_some_and(|count| count == 0 || resource.lower.checked_add(count - 1).is_none()) {
            self.report(Problem::RangeSize(id));
        }
        let structured = matches!(kind, ResourceKind::Structured { .. });
        if resource.uses_counter && !(structured && class == ResourceClass::UnorderedAccess) {
            self.report(Problem::CounterDeclaration(id));
        }
        let stride_bytes = match kind {
            ResourceKind::Structured { stride_bytes } => Some(stride_bytes),
            _ => resource.element_bytes,
        };
        if let Some(stride_bytes) = stride_bytes.filter(|bytes| *bytes == 0 || bytes % 4 != 0) {
            self.report(Problem::Stride(id.to_string(), stride_bytes));
        }
        if resource.element_bytes.is_some() && !matches!(kind, ResourceKind::Typed { .. } | ResourceKind::Raw) {
            self.report(Problem::ResourceKind { id, class, kind });
        }
    }

    /// Checks an instruction that accesses memory or a view.
    pub(super) fn access(&mut self, data: &InstData) {
        match &data.kind {
            InstKind::Load { place } => {
                self.memory_ref("load", place);
                self.words("results", &data.results);
            }
            InstKind::Store { place, values, effect } => {
                if let Some(target) = self.memory_ref("store", place) {
                    self.writable("store", target);
                }
                self.words("stored values", values);
                self.expect("effect", *effect, Type::Bool);
                self.expect_results(data, &[]);
            }
            InstKind::Atomic { op, place, value, compare, effect } => {
                if let Some(target) = self.memory_ref("atomic", place) {
                    self.writable("atomic", target);
                    if matches!(target, MemoryObject::Local(_) | MemoryObject::Array(..)) {
                        self.report(Problem::WrongTarget { what: "atomic", target });
                    }
                }
                self.update(data, *op, *value, *compare, *effect);
            }
            InstKind::Counter { resource, effect, .. } => {
                if let Some((target, declared)) = self.view(resource) {
                    let structured = matches!(declared.kind, ResourceKind::Structured { .. });
                    if !structured || declared.class != ResourceClass::UnorderedAccess {
                        self.report(Problem::WrongTarget { what: "counter", target });
                    } else if !declared.uses_counter {
                        self.report(Problem::NoCounter(resource.id));
                    }
                }
                self.expect("effect", *effect, Type::Bool);
                self.expect_results(data, &[Type::I32]);
            }
            InstKind::Message { message, values, effect } => {
                let declared = self.func.interface.messages.get(message.index());
                if declared.is_none() {
                    self.report(Problem::NoMessage(*message));
                }
                let is_probe = declared.is_some_and(|message| message.kind == MessageKind::Probe);
                let least = if is_probe { 0 } else { SENDER_WORDS };
                if !(least..=SENDER_WORDS + MOST_MESSAGE_WORDS).contains(&values.len()) {
                    self.report(Problem::MessageWords(values.len()));
                }
                self.expect_all("words of the message", values, Type::I32);
                self.expect("effect", *effect, Type::Bool);
                self.expect_results(data, &[]);
            }
            InstKind::TexelLoad { resource, coords, level } => {
                if let Some((target, dimension, class)) = self.texels("texel load", resource, coords)
                    && level.is_some()
                    && (dimension == Dimension::Buffer || class == ResourceClass::UnorderedAccess)
                {
                    self.report(Problem::LevelGiven(target));
                }
                self.expect_all("level", level.as_slice(), Type::I32);
                self.expect_results(data, &[Type::I32; 4]);
            }
            InstKind::TexelStore { resource, coords, values, effect } => {
                if let Some((target, ..)) = self.texels("texel store", resource, coords) {
                    self.writable("texel store", target);
                }
                self.expect_list("stored values", values, Types(vec![Type::I32; 4]));
                self.expect("effect", *effect, Type::Bool);
                self.expect_results(data, &[]);
            }
            InstKind::TexelAtomic { op, resource, coords, value, compare, effect } => {
                if let Some((target, ..)) = self.texels("texel atomic", resource, coords) {
                    self.writable("texel atomic", target);
                }
                self.update(data, *op, *value, *compare, *effect);
            }
            InstKind::Query { query, resource, level } => {
                self.query(*query, resource, level.is_some());
                self.expect_all("level", level.as_slice(), Type::I32);
                self.expect_results(data, &[Type::I32; 4]);
            }
            InstKind::Sample { sampling, texture, sampler, args } => {
                self.sample(*sampling, texture, sampler, args);
                self.expect_results(data, &[Type::I32; 4]);
            }
            _ => unreachable!("only called for accesses"),
        }
    }

    /// Checks a sample: of textures that are read and have no samples; a comparison takes a comparison sampler, all
    /// else another one.
    fn sample(&mut self, sampling: Sampling, texture: &ResourceRef, sampler: &ResourceRef, args: &[Value]) {
        let what = "sample";
        let compares = sampling.kind.compares();
        if let Some((target, declared)) = self.view(sampler)
            && declared.kind != (ResourceKind::Sampler { compares })
        {
            self.report(Problem::WrongTarget { what, target });
        }
        let Some((target, declared)) = self.view(texture) else { return };
        let dimension = match declared.kind {
            ResourceKind::Typed { dimension, .. } if declared.class == ResourceClass::ShaderResource => dimension,
            _ => return self.report(Problem::WrongTarget { what, target }),
        };
        if dimension == Dimension::Buffer || dimension.is_multisampled() {
            return self.report(Problem::WrongTarget { what, target });
        }
        let expected = sampling.arg_count(dimension);
        if args.len() != expected {
            return self.report(Problem::Count { what: "operands", found: args.len(), expected });
        }
        let mut rest = args;
        for (arg, count) in sampling.args(dimension) {
            let (group, others) = rest.split_at(count);
            rest = others;
            let ty = if arg == SampleArg::Offsets { Type::I32 } else { Type::F32 };
            self.expect_all("operand", group, ty);
        }
    }

    fn words(&mut self, what: &'static str, values: &[Value]) {
        if !(1..=4).contains(&values.len()) {
            self.report(Problem::Words { what, found: values.len() });
        }
        self.expect_all(what, values, Type::I32);
    }

    /// Checks the parts that all read-modify-writes have.
    fn update(&mut self, data: &InstData, op: AtomicOp, value: Value, compare: Option<Value>, effect: Value) {
        self.expect("operand", value, Type::I32);
        if compare.is_some() != (op == AtomicOp::CompareExchange) {
            self.report(Problem::Comparand);
        }
        self.expect_all("comparand", compare.as_slice(), Type::I32);
        self.expect("effect", effect, Type::Bool);
        self.expect_results(data, &[Type::I32]);
    }

    /// Checks the reference and returns its declaration, if there is one.
    fn view(&mut self, resource: &ResourceRef) -> Option<(MemoryObject, Resource)> {
        let Some(declared) = self.func.interface.resources.get(resource.id.index()) else {
            self.report(Problem::NoResource(resource.id));
            return None;
        };
        match (resource.element, declared.count) {
            (Element::Fixed(element), Some(count)) if element >= count => {
                self.report(Problem::Element { id: resource.id, element, count });
            }
            (Element::Fixed(_), _) => {}
            (Element::Computed(value), _) => self.expect("element", value, Type::I32),
        }
        Some((MemoryObject::Resource(resource.id, declared.class, declared.kind), declared.clone()))
    }

    /// Checks an address and returns the memory that it refers to, if that exists.
    fn memory_ref(&mut self, what: &'static str, place: &MemoryRef) -> Option<MemoryObject> {
        self.expect("offset", place.offset, Type::I32);
        self.expect_all("index", place.index.as_slice(), Type::I32);
        let (target, has_elements) = match place.object {
            Object::Resource(ref resource) => {
                let (target, declared) = self.view(resource)?;
                let has_words = match declared.kind {
                    ResourceKind::Typed { .. } => declared.element_bytes.is_some(),
                    ResourceKind::Sampler { .. } => false,
                    _ => true,
                };
                if !has_words {
                    self.report(Problem::WrongTarget { what, target });
                    return None;
                }
                (target, declared.stride_bytes().is_some())
            }
            Object::Shared(id) => {
                let Some(shared) = self.func.interface.shared.get(id.index()) else {
                    self.report(Problem::NoShared(id));
                    return None;
                };
                (MemoryObject::Shared(id), !shared.raw)
            }
            Object::Local(id) => {
                if id.index() >= self.func.interface.locals.len() {
                    self.report(Problem::NoLocal(id));
                    return None;
                }
                (MemoryObject::Local(id), true)
            }
            Object::Array(id) => {
                let Some(array) = self.func.interface.arrays.get(id.index()) else {
                    self.report(Problem::NoArray(id));
                    return None;
                };
                (MemoryObject::Array(id, array.is_written), true)
            }
            Object::Immediate => (MemoryObject::Immediate, true),
            Object::Curve => (MemoryObject::Curve, true),
        };
        match (has_elements, place.index) {
            (true, None) => self.report(Problem::IndexMissing(target)),
            (false, Some(_)) => self.report(Problem::IndexGiven(target)),
            (true, Some(_)) | (false, None) => {}
        }
        Some(target)
    }

    /// Checks that memory may be written: `u#`, shared memory, private arrays and some arrays of a batch.
    fn writable(&mut self, what: &'static str, target: MemoryObject) {
        match target {
            MemoryObject::Resource(_, ResourceClass::UnorderedAccess, _)
            | MemoryObject::Shared(_)
            | MemoryObject::Local(_) => {}
            MemoryObject::Array(_, true) => {}
            MemoryObject::Resource(..)
            | MemoryObject::Array(_, false)
            | MemoryObject::Immediate
            | MemoryObject::Curve => self.report(Problem::WrongTarget { what, target }),
        }
    }

    /// Checks a typed view and its coordinates.
    fn texels(
        &mut self,
        what: &'static str,
        resource: &ResourceRef,
        coords: &[Value],
    ) -> Option<(MemoryObject, Dimension, ResourceClass)> {
        self.expect_all("coordinate", coords, Type::I32);
        let (target, declared) = self.view(resource)?;
        let ResourceKind::Typed { dimension, .. } = declared.kind else {
            self.report(Problem::WrongTarget { what, target });
            return None;
        };
        if coords.len() != dimension.coordinates() {
            let (found, expected) = (coords.len(), dimension.coordinates());
            self.report(Problem::Count { what: "coordinates", found, expected });
        }
        Some((target, dimension, declared.class))
    }

    /// Checks a query: sizes in elements are of buffers, sizes in texels of textures, samples of multisampled ones.
    fn query(&mut self, query: Query, resource: &ResourceRef, has_level: bool) {
        let Some((target, declared)) = self.view(resource) else { return };
        let texture = match declared.kind {
            ResourceKind::Typed { dimension: Dimension::Buffer, .. } => None,
            ResourceKind::Typed { dimension, .. } => Some(dimension),
            _ => None,
        };
        let constant = matches!(declared.class, ResourceClass::Constant | ResourceClass::Sampler);
        let (what, fits) = match query {
            Query::BufferSize => ("buffer size", texture.is_none() && !constant),
            Query::TextureSize => ("texture size", texture.is_some()),
            Query::SampleCount => ("sample count", texture.is_some_and(Dimension::is_multisampled)),
            Query::SamplePosition => ("sample position", texture.is_some_and(Dimension::is_multisampled)),
            Query::Layout => ("layout", texture.is_some() && declared.element_bytes.is_some()),
        };
        if !fits {
            self.report(Problem::WrongTarget { what, target });
        }
        if has_level && !query.takes_level() {
            self.report(Problem::LevelGiven(target));
        }
    }
}
