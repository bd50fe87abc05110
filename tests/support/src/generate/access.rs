//! Generates reads of memory that is never written, and accesses of threads to their own memory.

use brolga_bytecode::sm5::Op;
use brolga_bytecode::sm5::ops::{Type, Width};
use brolga_runtime::Dimension;

use super::Generator;
use super::flow::Context;
use super::pure::Scope;
use crate::program::{Instr, Modifier, Operand, Parts, Register};
use crate::views::{BYTES_PER_THREAD, Order};

/// Atomics that give the word before, with those that do not.
pub(super) const ATOMICS: [(Op, Option<Op>); 10] = [
    (Op::ImmAtomicAnd, Some(Op::AtomicAnd)),
    (Op::ImmAtomicOr, Some(Op::AtomicOr)),
    (Op::ImmAtomicXor, Some(Op::AtomicXor)),
    (Op::ImmAtomicIAdd, Some(Op::AtomicIAdd)),
    (Op::ImmAtomicIMax, Some(Op::AtomicIMax)),
    (Op::ImmAtomicIMin, Some(Op::AtomicIMin)),
    (Op::ImmAtomicUMax, Some(Op::AtomicUMax)),
    (Op::ImmAtomicUMin, Some(Op::AtomicUMin)),
    // Those that do not commute.
    (Op::ImmAtomicCmpExch, Some(Op::AtomicCmpStore)),
    (Op::ImmAtomicExch, None),
];

/// A component of the scratch register, to write and to read.
pub(super) fn scratch(component: u8) -> (Operand, Operand) {
    (Operand::to(Register::Scratch, 1 << component), Operand::one(Register::Scratch, component))
}

impl Generator {
    /// Some access.
    pub(super) fn access(&mut self, context: Context) -> Vec<Instr> {
        if let Some(shared) = context.shared
            && !self.random.one_in(4)
        {
            return self.shared_access(shared);
        }
        match self.random.below(24) {
            0 | 1 => {
                let to = self.loaded(0xf);
                self.read_raw_to(to)
            }
            2 | 3 => self.read_structured(),
            4 | 5 => self.read_texel(),
            6 => self.question(),
            7..=9 => self.own_record(),
            10..=13 => self.own_bytes(),
            14 | 15 => self.own_texel(),
            16 => self.own_image(),
            17..=19 => self.total(),
            20 => self.counted(),
            _ => self.sample(),
        }
    }

    /// A general register to load into, with components of a mask.
    pub(super) fn loaded(&mut self, within: u8) -> Operand {
        let mask = match self.random.below(3) {
            0 => within,
            1 => 1 << self.random.below(4) & within,
            _ => (1 + self.random.below(15) as u8) & within,
        };
        let mask = if mask == 0 { 1 } else { mask };
        Operand::to(self.temp(), mask)
    }

    /// A memory operand to load from.
    pub(super) fn from(&mut self, register: Register) -> Operand {
        let swizzle = match self.random.below(3) {
            0 => [0, 0, 1, 2].map(|n: u8| (n + self.random.below(2) as u8) & 3),
            _ => [0, 1, 2, 3],
        };
        Operand::new(register, Parts::Swizzle(swizzle))
    }

    /// A memory operand to store to.
    pub(super) fn into(&mut self, register: Register) -> Operand {
        Operand::to(register, self.random.pick(&[1, 3, 7, 15]))
    }

    /// A number that grows by one from lane to lane, or nearly.
    fn lane_number(&mut self) -> Operand {
        match self.random.below(6) {
            0 | 1 => Operand::new(Register::IndexInGroup, Parts::None),
            2 => Operand::one(Register::ThreadId, self.random.below(3) as u8),
            3 => Operand::one(Register::Own, 0),
            4 => Operand::one(Register::IdInGroup, self.random.below(3) as u8),
            _ => Operand::one(Register::Small, self.random.below(4) as u8),
        }
    }

    /// Any address for reads: `step` is the usual distance of neighbours, `end` about the end of the view. Computed in
    /// a component of the scratch register if need be.
    pub(super) fn address(&mut self, component: u8, step: u32, end: u32, setup: &mut Vec<Instr>) -> Operand {
        let (to, from) = scratch(component);
        match self.random.below(12) {
            0 => Operand::word(self.random.below(end as usize + 8) as u32),
            1..=3 => {
                let lane = self.lane_number();
                let base = self.random.pick(&[0, 0, step, end.saturating_sub(4 * step), end / 2]);
                let step = self.random.pick(&[step, step, step, 2 * step, step / 2, 1, step.wrapping_neg()]);
                setup.push(Instr::new(Op::IMad, vec![to, lane, Operand::word(step), Operand::word(base)]));
                from
            }
            4 if step.is_power_of_two() => {
                let lane = self.lane_number();
                setup.push(Instr::new(Op::IShl, vec![to, lane, Operand::word(step.trailing_zeros())]));
                from
            }
            5 if step == 1 => self.lane_number(),
            6 | 7 => {
                let mask = self.random.pick(&[end.next_power_of_two() - 1, (end.next_power_of_two() - 1) & !3, 15]);
                let any = self.source(Type::Uint, Width::One, Scope::Any);
                setup.push(Instr::new(Op::And, vec![to, any, Operand::word(mask)]));
                from
            }
            8 | 9 => {
                let small = Operand::one(Register::Small, self.random.below(4) as u8);
                setup.push(Instr::new(
                    Op::IMul,
                    vec![Operand::new(Register::Null, Parts::None), to, small, Operand::word(step)],
                ));
                from
            }
            10 => self.source(Type::Uint, Width::One, Scope::Uniform),
            _ => self.source(Type::Uint, Width::One, Scope::Any),
        }
    }

    /// A byte offset into something of this size.
    pub(super) fn offset(&mut self, size_bytes: u32) -> Operand {
        match self.random.below(8) {
            0..=4 => Operand::word(4 * self.random.below(size_bytes as usize / 4 + 1) as u32),
            5 => Operand::word(self.random.below(size_bytes as usize + 8) as u32),
            6 => Operand::one(Register::Small, self.random.below(4) as u8),
            _ => self.source(Type::Uint, Width::One, Scope::Any),
        }
    }

    /// An instruction or its twin with a status word.
    fn load(&mut self, op: Op, with_status: Op, operands: Vec<Operand>) -> Instr {
        if self.random.one_in(8) { self.with_status(with_status, operands) } else { Instr::new(op, operands) }
    }

    /// An instruction with a status word after its destination.
    fn with_status(&mut self, op: Op, mut operands: Vec<Operand>) -> Instr {
        let status = if self.random.one_in(2) {
            Operand::new(Register::Null, Parts::None)
        } else {
            Operand::to(self.temp(), 1 << self.random.below(4))
        };
        operands.insert(1, status);
        if self.random.one_in(8) {
            operands[0] = Operand::new(Register::Null, Parts::None);
        }
        Instr::new(op, operands)
    }

    pub(super) fn read_raw_to(&mut self, to: Operand) -> Vec<Instr> {
        let mut group = Vec::new();
        let address = self.address(0, 4, 480, &mut group);
        let from = self.from(Register::Resource(0));
        group.push(self.load(Op::LdRaw, Op::LdRawS, vec![to, address, from]));
        group
    }

    /// Words of `t0` that exist, different ones in each thread of a small group.
    pub(super) fn read_input_to(&mut self, to: Operand) -> Vec<Instr> {
        let (address, from) = scratch(0);
        let index = Operand::new(Register::IndexInGroup, Parts::None);
        let step = Operand::word(self.random.pick(&[4, 4, 16]));
        let base = Operand::word(4 * self.random.below(40) as u32);
        vec![
            Instr::new(Op::IMad, vec![address, index, step, base]),
            Instr::new(Op::LdRaw, vec![to, from, Operand::whole(Register::Resource(0))]),
        ]
    }

    fn read_structured(&mut self) -> Vec<Instr> {
        let mut group = Vec::new();
        let stride_bytes = self.program.layout.input_bytes;
        let index = self.address(0, 1, 480 / stride_bytes, &mut group);
        let offset = self.offset(stride_bytes);
        let (to, from) = (self.loaded(0xf), self.from(Register::Resource(1)));
        group.push(self.load(Op::LdStructured, Op::LdStructuredS, vec![to, index, offset, from]));
        group
    }

    fn read_texel(&mut self) -> Vec<Instr> {
        let (to, coords) = (self.loaded(0xf), self.coordinates());
        if self.random.one_in(2) {
            let from = self.from(Register::Resource(2));
            return vec![self.load(Op::Ld, Op::LdS, vec![to, coords, from])];
        }
        // Texels of cubes are not read by themselves.
        let is_cube =
            matches!(self.program.layout.picture.dimension, Dimension::TextureCube | Dimension::TextureCubeArray);
        let picture = if is_cube || self.random.one_in(8) { 4 } else { 3 };
        let from = self.from(Register::Resource(picture));
        let mut load = if picture == 4 {
            let sample = Operand::one(Register::Small, self.random.below(4) as u8);
            self.load(Op::LdMs, Op::LdMsS, vec![to, coords, from, sample])
        } else {
            self.load(Op::Ld, Op::LdS, vec![to, coords, from])
        };
        if self.random.one_in(4) {
            load.suffix = self.offsets();
        }
        vec![load]
    }

    /// Coordinates, mostly in range.
    fn coordinates(&mut self) -> Operand {
        let swizzle = [0; 4].map(|_: u8| self.random.below(4) as u8);
        match self.random.below(6) {
            0 => Operand::new(self.temp(), Parts::Swizzle(swizzle)),
            1 => Operand::new(Register::IdInGroup, Parts::Swizzle([0, 1, 2, 0])),
            2 => Operand::new(Register::Literal(vec![self.random.below(9) as u32, 1, 0, 0]), Parts::None),
            _ => Operand::new(Register::Small, Parts::Swizzle(swizzle)),
        }
    }

    /// A filtered read of `t3`, or four of its texels.
    fn sample(&mut self) -> Vec<Instr> {
        use Dimension::{Texture2d, Texture2dArray, Texture3d, TextureCube, TextureCubeArray};
        let picture = self.program.layout.picture;
        let is_cube = matches!(picture.dimension, TextureCube | TextureCubeArray);
        // A resource without two axes is not gathered from, cubes take no offsets, and integers are not filtered.
        let mut ops: Vec<Op> = Vec::new();
        if !picture.format.encoding().is_integer() {
            ops.extend([Op::SampleL, Op::SampleL, Op::SampleD, Op::SampleD]);
            ops.extend((picture.dimension != Texture3d).then_some(Op::SampleCLz));
        }
        if is_cube || matches!(picture.dimension, Texture2d | Texture2dArray) {
            ops.extend([Op::Gather4, Op::Gather4, Op::Gather4C]);
        }
        if matches!(picture.dimension, Texture2d | Texture2dArray) {
            ops.extend([Op::Gather4Po, Op::Gather4PoC]);
        }
        if ops.is_empty() {
            return self.read_texel();
        }
        let mut group = Vec::new();
        let coords = self.place(&mut group);
        let op = self.random.pick(&ops);
        let compares = matches!(op, Op::SampleCLz | Op::Gather4C | Op::Gather4PoC);
        let component = if compares { 0 } else { self.random.below(4) as u8 };
        let sampler = match op {
            Op::SampleL | Op::SampleD | Op::SampleCLz => Parts::None,
            _ => Parts::Select(component),
        };
        let mut operands = vec![self.loaded(0xf), coords];
        if matches!(op, Op::Gather4Po | Op::Gather4PoC) {
            operands.push(match self.random.one_in(2) {
                true => self.source(Type::Int, Width::Each, Scope::Any),
                false => Operand::whole(Register::Small),
            });
        }
        operands.push(self.from(Register::Resource(3)));
        operands.push(Operand::new(Register::Sampler(u32::from(compares)), sampler));
        if op == Op::SampleD {
            operands.extend([self.derivatives(), self.derivatives()]);
        }
        if compares || op == Op::SampleL {
            operands.push(self.level());
        }
        // Each has one with a status word; that of derivatives has a bound of the level too, or none.
        let with_status = match op {
            Op::SampleL => Op::SampleLS,
            Op::SampleD => Op::SampleDClS,
            Op::SampleCLz => Op::SampleCLzS,
            Op::Gather4 => Op::Gather4S,
            Op::Gather4C => Op::Gather4CS,
            Op::Gather4Po => Op::Gather4PoS,
            _ => Op::Gather4PoCS,
        };
        let mut sample = if self.random.one_in(3) {
            if op == Op::SampleD {
                let none = Operand::new(Register::Null, Parts::None);
                operands.push(if self.random.one_in(3) { none } else { self.level() });
            }
            self.with_status(with_status, operands)
        } else {
            Instr::new(op, operands)
        };
        let has_offsets = !matches!(op, Op::Gather4Po | Op::Gather4PoC) && !is_cube;
        if has_offsets && self.random.one_in(4) {
            sample.suffix = self.offsets();
        }
        group.push(sample);
        group
    }

    /// Coordinates in a texture, mostly within its bounds. Computed in the scratch register if need be.
    fn place(&mut self, setup: &mut Vec<Instr>) -> Operand {
        if self.random.one_in(4) {
            return self.source(Type::Float, Width::Each, Scope::Any);
        }
        let to = || Operand::to(Register::Scratch, 0xf);
        let swizzle = [0; 4].map(|_: u8| self.random.below(4) as u8);
        let steps =
            self.random.pick(&[[0.125; 4], [0.3, 0.2, 0.7, 1.0], [-0.4, 0.11, 0.25, 0.5], [1.0, 0.0, 0.0, 3.0]]);
        let starts = self.random.pick(&[[0.0; 4], [-0.5, 0.25, 0.0, 0.0], [0.0, -1.5, -1.0, 2.0]]);
        let literal =
            |numbers: [f32; 4]| Operand::new(Register::Literal(numbers.map(f32::to_bits).to_vec()), Parts::None);
        setup.push(Instr::new(Op::UtoF, vec![to(), Operand::new(Register::Small, Parts::Swizzle(swizzle))]));
        let scratch = Operand::whole(Register::Scratch);
        setup.push(Instr::new(Op::Mad, vec![to(), scratch.clone(), literal(steps), literal(starts)]));
        scratch
    }

    /// Offsets in texels, as they follow a name.
    fn offsets(&mut self) -> String {
        let [u, v, w] = [0; 3].map(|_: i32| self.random.below(16) as i32 - 8);
        format!("_aoffimmi({u},{v},{w})")
    }

    /// Derivatives of coordinates from pixel to pixel.
    fn derivatives(&mut self) -> Operand {
        if self.random.one_in(3) {
            return self.source(Type::Float, Width::Each, Scope::Any);
        }
        let numbers = [0; 4].map(|_: u32| self.random.pick(&[0f32, 0.01, 0.125, -0.3, 0.7, 2.0]).to_bits());
        Operand::new(Register::Literal(numbers.to_vec()), Parts::None)
    }

    /// A level of detail, or a reference.
    fn level(&mut self) -> Operand {
        match self.random.below(3) {
            0 => self.source(Type::Float, Width::One, Scope::Any),
            _ => Operand::word(self.random.pick(&[0f32, 0.5, 1.0, 1.75, -1.0, 9.0]).to_bits()),
        }
    }

    /// A query of a view.
    fn question(&mut self) -> Vec<Instr> {
        let to = self.loaded(0xf);
        let buffers = [0, 1, 2].map(Register::Resource).into_iter().chain([0, 1, 2, 3, 4].map(Register::Uav));
        let buffers: Vec<Register> = buffers.collect();
        match self.random.below(4) {
            0 | 1 => {
                let buffer = buffers[self.random.below(buffers.len())].clone();
                vec![Instr::new(Op::BufInfo, vec![to, self.from(buffer)])]
            }
            2 => {
                let texture = self.random.pick(&[3, 3, 4, 5]);
                let texture = if texture == 5 { Register::Uav(5) } else { Register::Resource(texture) };
                let level = Operand::one(Register::Small, self.random.below(4) as u8);
                let mut info = Instr::new(Op::ResInfo, vec![to, level, self.from(texture)]);
                info.suffix = ["", "_rcpfloat", "_uint"][self.random.below(3)].to_owned();
                vec![info]
            }
            _ if self.random.one_in(2) => {
                let sample = Operand::one(Register::Small, self.random.below(4) as u8);
                vec![Instr::new(Op::SamplePos, vec![to, self.from(Register::Resource(4)), sample])]
            }
            _ => {
                let mut info = Instr::new(Op::SampleInfo, vec![to, self.from(Register::Resource(4))]);
                info.suffix = ["", "_uint"][self.random.below(2)].to_owned();
                vec![info]
            }
        }
    }

    /// A value for the whole group, from memory. For many addresses no analysis can tell that all threads have the
    /// same: they have to agree on everything that depends on such a value.
    pub(super) fn uniform_read(&mut self) -> Vec<Instr> {
        let mut group = Vec::new();
        let to = Operand::to(Register::Uniform, 1 + self.random.below(15) as u8);
        let is_raw = self.random.one_in(2);
        let stride_bytes = self.program.layout.input_bytes;
        let mut address = match (self.random.one_in(4), is_raw) {
            (true, _) => self.source(Type::Uint, Width::One, Scope::Uniform),
            (_, true) => Operand::word(4 * self.random.below(120) as u32),
            (_, false) => Operand::word(self.random.below(480 / stride_bytes as usize) as u32),
        };
        if self.random.one_in(2) {
            let (sum, from) = scratch(0);
            let index = Operand::new(Register::IndexInGroup, Parts::None);
            group.push(Instr::new(Op::UShr, vec![sum.clone(), index, Operand::word(31)]));
            group.push(Instr::new(Op::IAdd, vec![sum, from.clone(), address]));
            address = from;
        }
        group.push(if is_raw {
            Instr::new(Op::LdRaw, vec![to, address, self.from(Register::Resource(0))])
        } else {
            let offset = Operand::word(4 * self.random.below(3) as u32);
            Instr::new(Op::LdStructured, vec![to, address, offset, self.from(Register::Resource(1))])
        });
        group
    }

    /// The thread's number in the dispatch.
    fn own_number(&mut self, component: u8, setup: &mut Vec<Instr>) -> Operand {
        let [_, height, depth] = self.program.group;
        let [_, down, deep] = self.program.groups;
        let in_a_row = down * deep == 1;
        match self.random.below(3) {
            0 if in_a_row && height * depth == 1 => Operand::one(Register::ThreadId, 0),
            1 if in_a_row => {
                let (to, from) = scratch(component);
                let threads = Operand::new(Register::GroupThreads, Parts::None);
                let index = Operand::new(Register::IndexInGroup, Parts::None);
                setup.push(Instr::new(Op::IMad, vec![to, Operand::one(Register::GroupId, 0), threads, index]));
                from
            }
            _ => Operand::one(Register::Own, 0),
        }
    }

    /// The thread's own element of a view.
    fn own_element(&mut self, order: Order, component: u8, setup: &mut Vec<Instr>) -> Operand {
        let mut number = self.own_number(component, setup);
        let (to, from) = scratch(component);
        if order.reverse {
            let last = Operand::new(Register::LastThread, Parts::None);
            let negated = Operand { modifier: Modifier::Negate, ..number };
            setup.push(Instr::new(Op::IAdd, vec![to.clone(), last, negated]));
            number = from.clone();
        }
        if order.spread > 1 {
            setup.push(Instr::new(Op::IMad, vec![to.clone(), number, Operand::word(order.spread), Operand::word(0)]));
            number = from.clone();
        }
        if self.random.one_in(16) {
            // Far outside.
            let far = self.random.pick(&[0x8000_0000, 0x4000_0000, 0x1000_0000]);
            setup.push(Instr::new(Op::Or, vec![to, number, Operand::word(far)]));
            number = from;
        }
        number
    }

    fn value(&mut self) -> Operand {
        self.source(Type::Any, Width::Each, Scope::Any)
    }

    fn own_record(&mut self) -> Vec<Instr> {
        let mut group = Vec::new();
        let layout = &self.program.layout;
        let (order, size_bytes) = (layout.records, layout.record_bytes);
        let index = self.own_element(order, 0, &mut group);
        let offset = self.offset(size_bytes);
        let view = Register::Uav(0);
        match self.random.below(4) {
            0 | 1 => {
                let (to, value) = (self.into(view), self.value());
                group.push(Instr::new(Op::StoreStructured, vec![to, index, offset, value]));
            }
            2 => {
                let (to, from) = (self.loaded(0xf), self.from(view));
                group.push(self.load(Op::LdStructured, Op::LdStructuredS, vec![to, index, offset, from]));
            }
            _ => self.own_atomic(view, &[index, offset], &mut group),
        }
        group
    }

    fn own_bytes(&mut self) -> Vec<Instr> {
        let mut group = Vec::new();
        let order = self.program.layout.bytes;
        let number = self.own_element(order, 0, &mut group);
        let (to, address) = scratch(0);
        // Up to four words stay within the thread's bytes.
        let base = if self.random.one_in(6) { self.random.below(17) } else { 4 * self.random.below(5) } as u32;
        group
            .push(Instr::new(Op::IMad, vec![to.clone(), number, Operand::word(BYTES_PER_THREAD), Operand::word(base)]));
        if self.random.one_in(3) {
            let any = self.source(Type::Uint, Width::One, Scope::Any);
            let (more, from) = scratch(1);
            let mask = self.random.pick(&[0x1f, 0x1c, 0x10, 4]);
            group.push(Instr::new(Op::And, vec![more, any, Operand::word(mask)]));
            group.push(Instr::new(Op::IAdd, vec![to, address.clone(), from]));
        }
        let view = Register::Uav(1);
        match self.random.below(4) {
            0 | 1 => {
                let (to, value) = (self.into(view), self.value());
                group.push(Instr::new(Op::StoreRaw, vec![to, address, value]));
            }
            2 => {
                let (to, from) = (self.loaded(0xf), self.from(view));
                group.push(self.load(Op::LdRaw, Op::LdRawS, vec![to, address, from]));
            }
            _ => self.own_atomic(view, &[address], &mut group),
        }
        group
    }

    fn own_texel(&mut self) -> Vec<Instr> {
        let mut group = Vec::new();
        let order = self.program.layout.texels;
        let number = self.own_element(order, 0, &mut group);
        self.texel(Register::Uav(4), number, self.program.layout.texel_format.allows_atomics(), &mut group);
        group
    }

    fn own_image(&mut self) -> Vec<Instr> {
        let mut group = Vec::new();
        let number = Operand::one(Register::Own, 0);
        let [x, y] = [0, 1].map(|component| scratch(component).0);
        group.push(Instr::new(Op::And, vec![x, number.clone(), Operand::word(crate::views::IMAGE_WIDTH - 1)]));
        let shift = Operand::word(crate::views::IMAGE_WIDTH.trailing_zeros());
        group.push(Instr::new(Op::UShr, vec![y, number, shift]));
        let coords = Operand::new(Register::Scratch, Parts::Swizzle([0, 1, 1, 1]));
        self.texel(Register::Uav(5), coords, self.program.layout.image.format.allows_atomics(), &mut group);
        group
    }

    /// An access to the thread's own texel.
    fn texel(&mut self, view: Register, coords: Operand, atomics: bool, group: &mut Vec<Instr>) {
        let coords = match coords.parts {
            Parts::Select(component) => Operand { parts: Parts::Swizzle([component; 4]), ..coords },
            _ => coords,
        };
        match self.random.below(if atomics { 4 } else { 3 }) {
            0 => {
                let (to, value) = (Operand::to(view, 0xf), self.value());
                group.push(Instr::new(Op::StoreUavTyped, vec![to, coords, value]));
            }
            1 | 2 => {
                let (to, from) = (self.loaded(0xf), self.from(view));
                group.push(self.load(Op::LdUavTyped, Op::LdUavTypedS, vec![to, coords, from]));
            }
            _ => self.atomic_at(view, coords, group),
        }
    }

    /// An atomic on a word that is the thread's own, so that its result may be used.
    pub(super) fn own_atomic(&mut self, view: Register, address: &[Operand], group: &mut Vec<Instr>) {
        let address = match address {
            [offset] => offset.clone(),
            parts => {
                for (component, part) in parts.iter().enumerate() {
                    let (to, from) = scratch(component as u8);
                    if *part != from {
                        group.push(Instr::new(Op::Mov, vec![to, part.clone()]));
                    }
                }
                Operand::new(Register::Scratch, Parts::Swizzle([0, 1, 1, 1]))
            }
        };
        self.atomic_at(view, address, group);
    }

    fn atomic_at(&mut self, view: Register, address: Operand, group: &mut Vec<Instr>) {
        let (with_result, without) = self.random.pick(&ATOMICS);
        let mut operands = vec![Operand::to(view, 1), address, self.source(Type::Uint, Width::One, Scope::Any)];
        if with_result == Op::ImmAtomicCmpExch {
            operands.push(self.source(Type::Uint, Width::One, Scope::Any));
        }
        match without {
            Some(op) if self.random.one_in(3) => group.push(Instr::new(op, operands)),
            _ => {
                operands.insert(0, Operand::to(self.temp(), 1 << self.random.below(4)));
                group.push(Instr::new(with_result, operands));
            }
        }
    }
}
