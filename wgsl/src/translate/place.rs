//! Places: what pointers point to. A pointer is resolved to a variable and a path when it is translated; none exists when
//! the shader runs.

use std::rc::Rc;

use brolga_ir::Op;
use brolga_ir::entity::Value;
use brolga_ir::function::{MemoryRef, Object};
use brolga_ir::insight::OUTSIDE;
use smallvec::SmallVec;

use super::types::{Layout, Shape};
use super::{Result, Translator};

/// Where a variable or a part of one is kept.
#[derive(Clone, Debug)]
pub(super) enum Home {
    /// Scalars in slots, from the one with this number.
    Slots(usize),
    /// An object.
    Memory(Memory),
    /// Elements or members, each of which has a home of its own.
    Parts(Rc<[Home]>),
}

/// An object with bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// The object.
    pub object: Object,
    /// How values lie in it.
    pub layout: Layout,
    /// Bytes of an element; `None` if the object is raw.
    pub unit: Option<u32>,
}

/// What a pointer points to.
#[derive(Clone, Debug)]
pub(super) struct Place<'m> {
    /// The variable, or the part of it.
    pub home: Home,
    /// What is there.
    pub shape: Shape<'m>,
    /// Bytes into the object.
    offset: u32,
    /// Computed numbers, each with the bytes that it counts.
    terms: SmallVec<[(Value, u32); 2]>,
    /// Holds if all computed numbers are in range. Where it does not, reads give zero and writes do nothing.
    pub valid: Option<Value>,
    /// In slots, the number of a component, if it is computed, and how many there are.
    pub component: Option<(Value, u32)>,
}

impl<'m> Place<'m> {
    /// A whole variable.
    pub fn new(home: Home, shape: Shape<'m>) -> Self {
        Self::at(home, shape, 0)
    }

    /// What lies this many bytes into an object.
    pub fn at(home: Home, shape: Shape<'m>, offset: u32) -> Self {
        Self { home, shape, offset, terms: SmallVec::new(), valid: None, component: None }
    }

    /// The values in it, which may have to be carried.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let component = self.component.iter_mut().map(|(value, _)| value);
        self.terms.iter_mut().map(|(value, _)| value).chain(&mut self.valid).chain(component)
    }
}

impl<'m> Translator<'m, '_> {
    /// The element or member with a known number.
    pub(super) fn part(&self, place: &Place<'m>, number: u32) -> Place<'m> {
        let mut part = place.clone();
        part.shape = self.types.child(place.shape, number);
        match &place.home {
            Home::Slots(first) => {
                part.home = Home::Slots(first + self.types.words_before(place.shape, number) as usize);
            }
            Home::Memory(memory) => {
                let before = self.types.offset(place.shape, memory.layout, number);
                part.offset = place.offset.saturating_add(before);
            }
            Home::Parts(parts) => {
                if let Some(home) = parts.get(number as usize) {
                    part.home = home.clone();
                }
            }
        }
        part
    }

    /// The element with a computed number.
    pub(super) fn element(&mut self, place: &Place<'m>, index: Value) -> Result<Place<'m>> {
        let count = self.types.children(place.shape);
        if let Some(known) = self.b.func.as_const(index) {
            let number = known.bits as u32;
            if count.is_some_and(|count| number < count) {
                return Ok(self.part(place, number));
            }
        }
        match place.home {
            Home::Memory(memory) => {
                let stride = self.types.stride(place.shape, memory.layout);
                let limit = match count {
                    Some(count) if self.is_checked_by_object(place, &memory, count, stride) => None,
                    Some(count) => Some(count),
                    // The buffer is checked when it is accessed. Unless it consists of these elements, a number so large
                    // that its bytes wrap may be any place in it, as the specification allows.
                    None => None,
                };
                let mut element = self.unchecked_element(place, index);
                if let Some(limit) = limit {
                    let is_in = self.is_below(index, limit);
                    self.demand(&mut element, is_in);
                }
                Ok(element)
            }
            Home::Slots(_) if matches!(place.shape, Shape::Vector(..)) => {
                let mut element = self.part(place, 0);
                element.component = Some((index, count.unwrap_or(0)));
                Ok(element)
            }
            Home::Slots(_) | Home::Parts(_) => Err(self.internal("an indexed variable is not in memory")),
        }
    }

    /// The element of an array in memory whose number is in range.
    pub(super) fn unchecked_element(&mut self, place: &Place<'m>, index: Value) -> Place<'m> {
        let mut element = self.part(place, 0);
        if let Home::Memory(memory) = place.home {
            element.terms.push((index, self.types.stride(place.shape, memory.layout)));
        }
        element
    }

    /// `true` if the object itself checks the number of an element: it consists of these elements.
    fn is_checked_by_object(&self, place: &Place<'m>, memory: &Memory, count: u32, stride: u32) -> bool {
        let elements = match memory.object {
            Object::Local(id) => self.b.func.interface.local(id).registers,
            Object::Shared(id) => self.b.func.interface.shared(id).count,
            _ => return false,
        };
        place.terms.is_empty() && place.offset == 0 && memory.unit == Some(stride) && elements == count
    }

    /// The condition that a number is below a limit.
    pub(super) fn is_below(&mut self, number: Value, limit: u32) -> Value {
        let limit = self.b.i32(limit);
        self.b.op(Op::ULt, &[number, limit])
    }

    fn demand(&mut self, place: &mut Place<'m>, condition: Value) {
        place.valid = Some(match place.valid {
            Some(valid) => self.b.op(Op::BAnd, &[valid, condition]),
            None => condition,
        });
    }

    /// The condition that decides about accesses of a place; `None` if they all happen, or are checked.
    pub(super) fn condition(&self, place: &Place<'m>) -> Option<Value> {
        place.valid.filter(|_| !self.is_to_check)
    }

    /// The address of a word of a place, this many bytes into it.
    pub(super) fn address(&mut self, place: &Place<'m>, memory: &Memory, bytes: u32) -> MemoryRef {
        let mut address = self.address_inside(place, memory, bytes);
        if let Some(valid) = place.valid.filter(|_| self.is_to_check) {
            let number = address.index.as_mut().unwrap_or(&mut address.offset);
            let outside = self.b.i32(OUTSIDE);
            *number = self.b.select(valid, *number, outside);
        }
        address
    }

    /// The same where all computed numbers are in range.
    fn address_inside(&mut self, place: &Place<'m>, memory: &Memory, bytes: u32) -> MemoryRef {
        let object = memory.object;
        let offset = place.offset.saturating_add(bytes);
        let Some(unit) = memory.unit else {
            let offset = self.sum(&place.terms, 1, offset);
            return MemoryRef { object, index: None, offset };
        };
        let (whole, parts): (SmallVec<[_; 2]>, SmallVec<[_; 2]>) =
            place.terms.iter().copied().partition(|(_, stride)| stride % unit == 0);
        if parts.is_empty() {
            let index = self.sum(&whole, unit, offset / unit);
            let offset = self.b.i32(offset % unit);
            return MemoryRef { object, index: Some(index), offset };
        }
        // Numbers of words or halves of vectors: units are powers of two wherever these reach past one.
        let bytes = self.sum(&parts, 1, offset % unit);
        let index = self.sum(&whole, unit, offset / unit);
        // Elements that are one after the other begin with one: parts of one stay in it.
        if memory.layout == Layout::Words || self.has_elements(memory) || parts.iter().all(|(_, stride)| *stride == 4) {
            return MemoryRef { object, index: Some(index), offset: bytes };
        }
        let unit = self.b.i32(unit);
        let carried = self.b.op(Op::UDiv, &[bytes, unit]);
        let offset = self.b.op(Op::UMod, &[bytes, unit]);
        let index = self.b.op(Op::IAdd, &[index, carried]);
        MemoryRef { object, index: Some(index), offset }
    }

    /// `true` for a buffer that consists of elements.
    pub(super) fn has_elements(&self, memory: &Memory) -> bool {
        match memory.object {
            Object::Resource(resource) => self.b.func.interface.resource(resource.id).element_bytes.is_some(),
            _ => false,
        }
    }

    /// The sum of terms in units, and of a known number.
    fn sum(&mut self, terms: &[(Value, u32)], unit: u32, known: u32) -> Value {
        let mut sum = None;
        for &(value, stride) in terms {
            let count = stride / unit;
            let term = match count {
                1 => value,
                _ if count.is_power_of_two() => {
                    let by = self.b.i32(count.trailing_zeros());
                    self.b.op(Op::Shl, &[value, by])
                }
                _ => {
                    let count = self.b.i32(count);
                    self.b.op(Op::IMul, &[value, count])
                }
            };
            sum = Some(match sum {
                Some(sum) => self.b.op(Op::IAdd, &[sum, term]),
                None => term,
            });
        }
        match sum {
            Some(sum) if known == 0 => sum,
            Some(sum) => {
                let known = self.b.i32(known);
                self.b.op(Op::IAdd, &[sum, known])
            }
            None => self.b.i32(known),
        }
    }

    /// The bytes from the start of the object to a place without computed numbers.
    pub(super) fn known_offset(&self, place: &Place<'m>) -> u32 {
        place.offset
    }
}
