//! From the tree of a random shader to a container.
//!
//! The layout of operands and declarations is stated here anew, from the format's description; the opcodes' numbers come
//! from the instruction table, as the generator does.

use brolga_bytecode::sm5::Op;
use brolga_bytecode::sm5::codes::{ResourceDimension, ReturnType};
use brolga_runtime::format::Encoding;
use brolga_runtime::{Dimension, Format};

use crate::bound::content::Form;
use crate::program::{
    Block, Condition, Exit, Index, Instr, Jump, Modifier, Node, Operand, Parts, Program, Register, Rounds,
};
use crate::views::SHARED_BYTES_PER_THREAD;

/// Operand types by number.
mod file {
    pub const TEMP: u32 = 0;
    pub const ARRAY: u32 = 3;
    pub const WORDS: u32 = 4;
    pub const DOUBLES: u32 = 5;
    pub const SAMPLER: u32 = 6;
    pub const RESOURCE: u32 = 7;
    pub const CONSTANT: u32 = 8;
    pub const IMMEDIATE: u32 = 9;
    pub const LABEL: u32 = 10;
    pub const NULL: u32 = 13;
    pub const UAV: u32 = 30;
    pub const SHARED: u32 = 31;
    pub const THREAD_ID: u32 = 32;
    pub const GROUP_ID: u32 = 33;
    pub const ID_IN_GROUP: u32 = 34;
    pub const INDEX_IN_GROUP: u32 = 36;
}

/// The control bit of `_sat`.
pub const SATURATE: u32 = 1 << 13;
/// The control bit of `_nz`.
const NON_ZERO: u32 = 1 << 18;
/// The control bits of `sync_g_t`, as written at the end of each part.
pub const SYNC_G_T: u32 = 1 << 11 | 1 << 12;

impl Program {
    /// The container with the program.
    pub fn container(&self) -> Vec<u8> {
        let words = self.words();
        let program_words = words.len() as u32 + 2;
        let size = 36 + 8 + 4 * program_words;
        let mut all = vec![u32::from_le_bytes(*b"DXBC"), 0, 0, 0, 0, 1, size, 1, 36];
        all.extend([u32::from_le_bytes(*b"SHEX"), 4 * program_words, 0x0005_0050, program_words]);
        all.extend(words);
        all.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// The tokens after version and length.
    fn words(&self) -> Vec<u32> {
        let mut encoder = Encoder { program: self, words: Vec::new(), function: 0 };
        encoder.declarations();
        encoder.own_number();
        encoder.block(&self.body);
        encoder.show();
        encoder.emit(Op::Ret, 0, &[]);
        for (n, body) in self.functions.iter().enumerate() {
            encoder.function = 1 + n as u32;
            encoder.words.extend([
                u32::from(Op::Label.info().code) | 3 << 24,
                0x0010_0000 | file::LABEL << 12,
                n as u32,
            ]);
            encoder.block(body);
            encoder.emit(Op::Ret, 0, &[]);
        }
        encoder.words
    }

    /// The number of a register that is an `r#`.
    fn temp(&self, register: &Register) -> Option<u32> {
        Some(match register {
            Register::Temp(n) => *n,
            Register::Small => self.temps,
            Register::Own => self.temps + 1,
            Register::Scratch => self.temps + 2,
            Register::Unused => self.temps + 3,
            Register::Uniform => self.temps + 4,
            _ => return None,
        })
    }

    /// Which of the inputs are used: by thread, group, in group, index in group.
    fn inputs(&self) -> [bool; 4] {
        let mut used = [false, true, false, true];
        let mut visit = |operand: &Operand| match operand.register {
            Register::ThreadId => used[0] = true,
            Register::IdInGroup => used[2] = true,
            _ => {}
        };
        self.each_instr(&mut |instr| instr.operands.iter().for_each(&mut visit));
        self.each_operand_of_flow(&mut visit);
        used
    }

    /// Operands of conditions, selectors and rounds.
    pub(crate) fn each_operand_of_flow(&self, visit: &mut impl FnMut(&Operand)) {
        self.each_node(&mut |node| match node {
            Node::If { cond, .. } => visit(&cond.operand),
            Node::Loop { rounds: Rounds::Masked(operand, _), .. } => visit(operand),
            Node::Switch { selector, .. } => visit(selector),
            Node::Call { cond, .. } | Node::Jump { cond, .. } => {
                if let Some(cond) = cond {
                    visit(&cond.operand);
                }
            }
            _ => {}
        });
    }

    fn uses_shared(&self) -> bool {
        let mut uses = false;
        self.each_instr(&mut |instr| {
            uses |= instr.operands.iter().any(|operand| matches!(operand.register, Register::Shared(_)));
        });
        uses
    }
}

struct Encoder<'a> {
    program: &'a Program,
    words: Vec<u32>,
    /// 0 for the main program, then the subroutines.
    function: u32,
}

impl Encoder<'_> {
    fn declarations(&mut self) {
        // Refactoring allowed, doubles and their extensions.
        self.words.push(106 | 1 << 24 | 1 << 11 | 1 << 12 | 1 << 17);
        let icb = &self.program.immediate;
        if !icb.is_empty() {
            self.words.extend([53 | 3 << 11, 2 + 4 * icb.len() as u32]);
            self.words.extend(icb.iter().flatten());
        }
        for register in self.program.views() {
            self.view(&register);
        }
        let inputs = [file::THREAD_ID, file::GROUP_ID, file::ID_IN_GROUP, file::INDEX_IN_GROUP];
        for (file, used) in inputs.into_iter().zip(self.program.inputs()) {
            if used {
                let operand = if file == file::INDEX_IN_GROUP { 1 } else { 0x72 };
                self.words.extend([95 | 2 << 24, operand | file << 12]);
            }
        }
        let functions = self.program.functions.len() as u32;
        self.words.extend([104 | 2 << 24, self.program.temps + 5 + 2 * (1 + functions)]);
        for (n, &vectors) in self.program.arrays.iter().enumerate() {
            self.words.extend([105 | 4 << 24, n as u32, vectors, 4]);
        }
        if self.program.uses_shared() {
            let threads = self.program.group_threads();
            let operand = 0x0010_0000 | file::SHARED << 12;
            self.words.extend([160 | 5 << 24, operand, 0, self.program.layout.shared_bytes, threads]);
            self.words.extend([159 | 4 << 24, operand, 1, threads * SHARED_BYTES_PER_THREAD]);
        }
        self.words.push(155 | 4 << 24);
        self.words.extend(self.program.group);
    }

    fn view(&mut self, register: &Register) {
        let form = self.program.form(register);
        let (file, number) = match *register {
            Register::Resource(n) => (file::RESOURCE, n),
            Register::Uav(n) => (file::UAV, n),
            Register::Sampler(n) => (file::SAMPLER, n),
            Register::Constant(n, _) => {
                let vectors = self.program.layout.constants[n as usize];
                // Dynamically indexed.
                return self.words.extend([89 | 1 << 11 | 4 << 24, 0x0020_8e46, n, vectors]);
            }
            _ => unreachable!("no view"),
        };
        let is_uav = file == file::UAV;
        let operand = 0x0010_0000 | file << 12;
        match form {
            Form::Sampler(sampler) => {
                let mode = u32::from(sampler.compares()) << 11;
                self.words.extend([90 | mode | 3 << 24, operand, number]);
            }
            Form::Raw => self.words.extend([if is_uav { 157 } else { 161 } | 3 << 24, operand, number]),
            Form::Structured { stride_bytes } => {
                let counter = if *register == Register::Uav(3) { 1 << 23 } else { 0 };
                let opcode = if is_uav { 158 | counter } else { 162 };
                self.words.extend([opcode | 4 << 24, operand, number, stride_bytes]);
            }
            Form::Typed(format) => self.typed(is_uav, number, ResourceDimension::Buffer, format),
            Form::Texture(picture) => self.typed(is_uav, number, dimension_of(picture.dimension), picture.format),
            Form::Constant => unreachable!("constant buffers are declared above"),
        }
    }

    fn typed(&mut self, is_uav: bool, number: u32, dimension: ResourceDimension, format: Format) {
        let returns = match format.encoding() {
            Encoding::Unorm | Encoding::Srgb => ReturnType::Unorm,
            Encoding::Snorm => ReturnType::Snorm,
            Encoding::Sint => ReturnType::Sint,
            Encoding::Uint => ReturnType::Uint,
            _ => ReturnType::Float,
        };
        let (opcode, file) = if is_uav { (156, file::UAV) } else { (88, file::RESOURCE) };
        let declared = opcode | dimension.code() << 11 | 4 << 24;
        self.words.extend([declared, 0x0010_0000 | file << 12, number, returns.code() * 0x1111]);
    }

    /// The thread's number: groups in order, threads in order within them.
    fn own_number(&mut self) {
        let [_, _, z] = self.program.groups;
        let (scratch, own) = (Register::Scratch, Register::Own);
        let group = if self.program.groups[1] * z > 1 {
            let [across, down, _] = self.program.groups.map(Operand::word);
            let [x, y, z] = [0, 1, 2].map(|n| Operand::one(Register::GroupId, n));
            let to = || Operand::to(scratch.clone(), 1);
            self.emit(Op::IMad, 0, &[to(), z, down, y]);
            self.emit(Op::IMad, 0, &[to(), Operand::one(scratch.clone(), 0), across, x]);
            Operand::one(scratch.clone(), 0)
        } else {
            Operand::one(Register::GroupId, 0)
        };
        let threads = Operand::new(Register::GroupThreads, Parts::None);
        let index = Operand::new(Register::IndexInGroup, Parts::None);
        self.emit(Op::IMad, 0, &[Operand::to(own, 1), group, threads, index]);
    }

    /// Writes general registers to the thread's record.
    fn show(&mut self) {
        let order = self.program.layout.records;
        let mut position = Operand::one(Register::Own, 0);
        if order.reverse {
            let negated = Operand { modifier: Modifier::Negate, ..position };
            let last = Operand::new(Register::LastThread, Parts::None);
            self.emit(Op::IAdd, 0, &[Operand::to(Register::Scratch, 1), last, negated]);
            position = Operand::one(Register::Scratch, 0);
        }
        if order.spread != 1 {
            let to = Operand::to(Register::Scratch, 1);
            let zero = Operand::word(0);
            self.emit(Op::IMad, 0, &[to, position, Operand::word(order.spread), zero]);
            position = Operand::one(Register::Scratch, 0);
        }
        for n in 0..self.program.shown {
            let to = Operand::to(Register::Uav(0), 0xf);
            let value = Operand::whole(Register::Temp(n));
            self.emit(Op::StoreStructured, 0, &[to, position.clone(), Operand::word(16 * n), value]);
        }
    }

    fn block(&mut self, block: &Block) {
        for node in block {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Plain(instr) => self.instr(instr),
            Node::Group(instrs) => instrs.iter().for_each(|instr| self.instr(instr)),
            Node::If { cond, then, otherwise } => {
                self.conditional(Op::If, cond);
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.emit(Op::Else, 0, &[]);
                    self.block(otherwise);
                }
                self.emit(Op::EndIf, 0, &[]);
            }
            Node::Loop { depth, rounds, exit, head, body } => self.counted_loop(*depth, rounds, *exit, head, body),
            Node::Switch { selector, arms } => {
                self.emit(Op::Switch, 0, std::slice::from_ref(selector));
                for arm in arms {
                    for label in &arm.labels {
                        match label {
                            Some(value) => self.emit(Op::Case, 0, &[Operand::word(*value)]),
                            None => self.emit(Op::Default, 0, &[]),
                        }
                    }
                    self.block(&arm.body);
                    if !arm.falls {
                        self.emit(Op::Break, 0, &[]);
                    }
                }
                self.emit(Op::EndSwitch, 0, &[]);
            }
            Node::Call { function, cond } => {
                let label = [0x0010_0000 | file::LABEL << 12, *function as u32];
                let start = self.words.len();
                match cond {
                    None => self.emit(Op::Call, 0, &[]),
                    Some(cond) => self.conditional(Op::CallC, cond),
                }
                self.words.extend(label);
                self.words[start] += 2 << 24;
            }
            Node::Jump { jump, cond, shows } => self.jump(*jump, cond.as_ref(), *shows),
            Node::Part(body) => {
                self.block(body);
                self.emit(Op::Sync, SYNC_G_T, &[]);
            }
            Node::Sync(controls) => self.emit(Op::Sync, *controls, &[]),
        }
    }

    fn jump(&mut self, jump: Jump, cond: Option<&Condition>, shows: bool) {
        let (plain, conditional) = match jump {
            Jump::Break => (Op::Break, Op::BreakC),
            Jump::Continue => (Op::Continue, Op::ContinueC),
            Jump::Return => (Op::Ret, Op::RetC),
            Jump::Abort => (Op::Abort, Op::If),
        };
        match cond {
            Some(cond) if shows || conditional == Op::If => {
                self.conditional(Op::If, cond);
                if shows {
                    self.show();
                }
                self.emit(plain, 0, &[]);
                self.emit(Op::EndIf, 0, &[]);
            }
            Some(cond) => self.conditional(conditional, cond),
            None => {
                if shows {
                    self.show();
                }
                self.emit(plain, 0, &[]);
            }
        }
    }

    fn counted_loop(&mut self, depth: usize, rounds: &Rounds, exit: Exit, head: &Block, body: &Block) {
        let counter = Register::Temp(self.program.temps + 5 + 2 * self.function);
        let bound = Register::Temp(self.program.temps + 6 + 2 * self.function);
        let component = depth as u8;
        let count = || Operand::one(counter.clone(), component);
        let counted = || Operand::to(counter.clone(), 1 << component);
        self.emit(Op::Mov, 0, &[counted(), Operand::word(0)]);
        let end = match rounds {
            Rounds::Fixed(rounds) => Operand::word(*rounds),
            Rounds::Masked(operand, mask) => {
                let to = Operand::to(bound.clone(), 1 << component);
                self.emit(Op::And, 0, &[to, operand.clone(), Operand::word(*mask)]);
                Operand::one(bound, component)
            }
        };
        self.emit(Op::Loop, 0, &[]);
        self.block(head);
        let scratch = Operand::one(Register::Scratch, 3);
        let holds_when_over = matches!(exit, Exit::NonZero | Exit::If);
        let test = if holds_when_over { Op::UGe } else { Op::ULt };
        self.emit(test, 0, &[Operand::to(Register::Scratch, 8), count(), end]);
        match exit {
            Exit::NonZero => self.emit(Op::BreakC, NON_ZERO, &[scratch]),
            Exit::Zero => self.emit(Op::BreakC, 0, &[scratch]),
            Exit::If => {
                self.emit(Op::If, NON_ZERO, &[scratch]);
                self.emit(Op::Break, 0, &[]);
                self.emit(Op::EndIf, 0, &[]);
            }
            Exit::Else => self.emit(Op::If, NON_ZERO, &[scratch]),
        }
        self.emit(Op::IAdd, 0, &[counted(), count(), Operand::word(1)]);
        self.block(body);
        if exit == Exit::Else {
            self.emit(Op::Else, 0, &[]);
            self.emit(Op::Break, 0, &[]);
            self.emit(Op::EndIf, 0, &[]);
        }
        self.emit(Op::EndLoop, 0, &[]);
    }

    fn conditional(&mut self, op: Op, cond: &Condition) {
        let controls = if cond.non_zero { NON_ZERO } else { 0 };
        self.emit(op, controls, std::slice::from_ref(&cond.operand));
    }

    fn instr(&mut self, instr: &Instr) {
        match instr.offsets {
            None => self.emit(instr.op, instr.controls, &instr.operands),
            Some([u, v, w]) => {
                let nibble = |offset: i8, shift: u32| (offset as u32 & 0xf) << shift;
                let extended = 1 | nibble(u, 9) | nibble(v, 13) | nibble(w, 17);
                self.emit_with(instr.op, instr.controls | 1 << 31, &[extended], &instr.operands);
            }
        }
    }

    fn emit(&mut self, op: Op, controls: u32, operands: &[Operand]) {
        self.emit_with(op, controls, &[], operands);
    }

    fn emit_with(&mut self, op: Op, controls: u32, extended: &[u32], operands: &[Operand]) {
        let start = self.words.len();
        self.words.push(0);
        self.words.extend(extended);
        for operand in operands {
            self.operand(operand);
        }
        let length = (self.words.len() - start) as u32;
        assert!(length < 128, "the length field has seven bits");
        self.words[start] = u32::from(op.info().code) | controls | length << 24;
    }

    fn operand(&mut self, operand: &Operand) {
        let parts = match operand.parts {
            Parts::None => 0,
            Parts::Mask(mask) => 2 | u32::from(mask) << 4,
            Parts::Swizzle(swizzle) => {
                let bits = swizzle.iter().enumerate();
                bits.fold(2 | 1 << 2, |bits, (n, &component)| bits | u32::from(component) << (4 + 2 * n))
            }
            Parts::Select(component) => 2 | 2 << 2 | u32::from(component) << 4,
        };
        let modifier = match operand.modifier {
            Modifier::None => None,
            some => Some(1 | (some as u32) << 6),
        };
        let program = self.program;
        let literal = |word| (file::WORDS, vec![word]);
        let (file, words) = match &operand.register {
            Register::Null => (file::NULL, Vec::new()),
            Register::Literal(words) => (file::WORDS, words.clone()),
            Register::Doubles(doubles) => {
                (file::DOUBLES, doubles.iter().flat_map(|bits| [*bits as u32, (bits >> 32) as u32]).collect())
            }
            Register::GroupThreads => literal(program.group_threads()),
            Register::LastThread => literal(program.threads() - 1),
            Register::LastInGroup => literal(program.group_threads() - 1),
            Register::ThreadId => (file::THREAD_ID, Vec::new()),
            Register::GroupId => (file::GROUP_ID, Vec::new()),
            Register::IdInGroup => (file::ID_IN_GROUP, Vec::new()),
            Register::IndexInGroup => (file::INDEX_IN_GROUP, Vec::new()),
            Register::Array(n, index) => return self.indexed(file::ARRAY, parts, modifier, Some(*n), Some(index)),
            Register::Constant(n, index) => {
                return self.indexed(file::CONSTANT, parts, modifier, Some(*n), Some(index));
            }
            Register::Immediate(index) => return self.indexed(file::IMMEDIATE, parts, modifier, None, Some(index)),
            Register::Resource(n) => return self.indexed(file::RESOURCE, parts, modifier, Some(*n), None),
            Register::Uav(n) => return self.indexed(file::UAV, parts, modifier, Some(*n), None),
            Register::Sampler(n) => return self.indexed(file::SAMPLER, parts, modifier, Some(*n), None),
            Register::Shared(n) => return self.indexed(file::SHARED, parts, modifier, Some(*n), None),
            temp => {
                let number = program.temp(temp).expect("every other register is an r#");
                return self.indexed(file::TEMP, parts, modifier, Some(number), None);
            }
        };
        let parts = match (file, words.len()) {
            (file::INDEX_IN_GROUP, _) | (file::WORDS, 1) => 1,
            (file::WORDS | file::DOUBLES, _) => 2,
            _ => parts,
        };
        self.words.push(parts | file << 12 | if modifier.is_some() { 1 << 31 } else { 0 });
        self.words.extend(modifier);
        self.words.extend(words);
    }

    /// An operand with a number, an index, or both.
    fn indexed(&mut self, file: u32, parts: u32, modifier: Option<u32>, number: Option<u32>, index: Option<&Index>) {
        let count = u32::from(number.is_some()) + u32::from(index.is_some());
        let relative = index.and_then(|index| index.relative.as_ref());
        // A bare register, or a number and a register.
        let form = match (relative, index.map_or(0, |index| index.base)) {
            (None, _) => 0,
            (Some(_), 0) => 2,
            (Some(_), _) => 3,
        };
        let position = if number.is_some() { 25 } else { 22 };
        let extended = if modifier.is_some() { 1 << 31 } else { 0 };
        self.words.push(parts | file << 12 | count << 20 | form << position | extended);
        self.words.extend(modifier);
        self.words.extend(number);
        if let Some(index) = index {
            if form != 2 {
                self.words.push(index.base);
            }
            if let Some((register, component)) = relative {
                self.operand(&Operand::one((**register).clone(), *component));
            }
        }
    }
}

fn dimension_of(dimension: Dimension) -> ResourceDimension {
    match dimension {
        Dimension::Buffer => ResourceDimension::Buffer,
        Dimension::Texture1d => ResourceDimension::Texture1D,
        Dimension::Texture1dArray => ResourceDimension::Texture1DArray,
        Dimension::Texture2d => ResourceDimension::Texture2D,
        Dimension::Texture2dArray => ResourceDimension::Texture2DArray,
        Dimension::Texture2dMs => ResourceDimension::Texture2DMs,
        Dimension::Texture2dMsArray => ResourceDimension::Texture2DMsArray,
        Dimension::Texture3d => ResourceDimension::Texture3D,
        Dimension::TextureCube => ResourceDimension::TextureCube,
        Dimension::TextureCubeArray => ResourceDimension::TextureCubeArray,
    }
}
