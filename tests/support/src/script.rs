//! Programs of any size, said once: as shader tokens, and run by a plain model that gives what memory must hold.
//!
//! The model executes the statements for all threads of a group side by side, each with registers of its own and a flag
//! that says whether it is active. It knows nothing of Brolga. Every program has the same interface: a thread reads
//! and writes elements of structured buffers, `t0` and `u0`, of one word each.

use crate::tokens::{
    INDEXABLE_TEMP, NON_ZERO, Operand, RESOURCE, SHARED, SYNC_G_T, TEMP, THREAD_ID, Tokens, UAV, dst, literal,
    literal4, op, own, src,
};

/// Opcodes that the model can run and what they make of their operands, component by component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alu {
    /// `mov`
    Mov,
    /// `iadd`
    Add,
    /// `imad`
    Mad,
    /// `xor`
    Xor,
    /// `and`
    And,
    /// `ushr`
    Shr,
    /// `ieq`
    Eq,
    /// `uge`
    Ge,
    /// `add` of floats
    FAdd,
    /// `mul` of floats
    FMul,
}

impl Alu {
    fn opcode(self) -> u32 {
        match self {
            Alu::Mov => op::MOV,
            Alu::Add => op::IADD,
            Alu::Mad => 35,
            Alu::Xor => 87,
            Alu::And => 1,
            Alu::Shr => 85,
            Alu::Eq => 32,
            Alu::Ge => 80,
            Alu::FAdd => op::ADD,
            Alu::FMul => op::MUL,
        }
    }

    fn eval(self, [a, b, c]: [u32; 3]) -> u32 {
        let all_ones = |holds: bool| if holds { u32::MAX } else { 0 };
        let float = |f: fn(f32, f32) -> f32| f(f32::from_bits(a), f32::from_bits(b)).to_bits();
        match self {
            Alu::Mov => a,
            Alu::Add => a.wrapping_add(b),
            Alu::Mad => a.wrapping_mul(b).wrapping_add(c),
            Alu::Xor => a ^ b,
            Alu::And => a & b,
            Alu::Shr => a >> (b & 31),
            Alu::Eq => all_ones(a == b),
            Alu::Ge => all_ones(a >= b),
            Alu::FAdd => float(|a, b| a + b),
            Alu::FMul => float(|a, b| a * b),
        }
    }
}

/// Doubles in `.xy` and `.zw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Double {
    /// `dadd`
    Add,
    /// `dmul`
    Mul,
}

/// What an instruction reads: four components.
#[derive(Clone, Copy, Debug)]
pub enum From {
    /// A register, swizzled.
    Temp(u32, [u8; 4]),
    /// Constants.
    Literal([u32; 4]),
    /// The thread's number along x, in every component.
    Thread,
}

/// One component of a register, in every component.
pub fn scalar(component: u32) -> From {
    From::Temp(component / 4, [(component % 4) as u8; 4])
}

/// A constant in every component.
pub fn constant(word: u32) -> From {
    From::Literal([word; 4])
}

/// A register as it is.
pub fn vector(register: u32) -> From {
    From::Temp(register, [0, 1, 2, 3])
}

/// Memory with a word for each index; out of range reads give 0 and writes do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// `t0`
    Input,
    /// `u0`
    Output,
    /// `g0`
    Shared,
}

/// A statement. Components are numbered: `4 * register + component`.
#[derive(Clone, Debug)]
pub enum Do {
    /// An instruction on registers: destination register, write mask, operands.
    Alu(Alu, u32, u8, [From; 3]),
    /// An instruction on doubles: destination register, two whole registers.
    Double(Double, u32, [u32; 2]),
    /// Reads a word into a component, at the index in another.
    Load(Memory, u32, u32),
    /// Writes a component, at the index in another.
    Store(Memory, u32, u32),
    /// Reads `x0[component]` into a register.
    ReadArray(u32, u32),
    /// Writes a register to `x0[component]`.
    WriteArray(u32, u32),
    /// Where a component is not zero, and where it is.
    If(u32, Vec<Do>, Vec<Do>),
    /// Until a break.
    Loop(Vec<Do>),
    /// Leaves the loop or switch where a component is not zero.
    BreakIf(u32),
    /// Goes to the loop's next round where a component is not zero.
    ContinueIf(u32),
    /// The arm with the number in a component; the last one for all other numbers.
    Switch(u32, Vec<Vec<Do>>),
    /// `sync_g_t`
    Barrier,
}

/// A program with what it runs on.
#[derive(Clone, Debug)]
pub struct Script {
    /// What it shows.
    pub name: &'static str,
    /// Threads of a group; one group is run.
    pub threads: u32,
    /// Registers r#.
    pub temps: u32,
    /// Registers of x0.
    pub array: u32,
    /// Words of g0.
    pub shared: u32,
    /// Words of u0.
    pub output: u32,
    /// The program.
    pub body: Vec<Do>,
}

impl Script {
    /// Instructions, each block's end counted.
    pub fn instructions(&self) -> usize {
        count(&self.body) + 1
    }

    /// What `t0` holds.
    pub fn input(&self) -> Vec<u32> {
        (0..self.threads).map(|n| n.wrapping_mul(0x9e37_79b9).rotate_left(7)).collect()
    }

    /// The container.
    pub fn container(&self) -> Vec<u8> {
        let mut tokens = Tokens::compute([self.threads, 1, 1], self.temps)
            .input(THREAD_ID)
            .structured(RESOURCE, 0, 4)
            .structured(UAV, 0, 4);
        if self.shared > 0 {
            tokens = tokens.shared(0, 4, self.shared);
        }
        if self.array > 0 {
            tokens = tokens.array(0, self.array, 4);
        }
        write(&mut tokens, &self.body);
        tokens.emit(op::RET, 0, &[]);
        tokens.container()
    }

    /// What `u0` holds after the run.
    pub fn expected(&self) -> Vec<u32> {
        let thread = |n| Thread { number: n, registers: vec![[0; 4]; self.temps as usize], ..Thread::default() };
        let mut model = Model {
            threads: (0..self.threads).map(thread).collect(),
            input: self.input(),
            output: vec![0; self.output as usize],
            shared: vec![0; self.shared as usize],
        };
        for thread in &mut model.threads {
            thread.array = vec![[0; 4]; self.array as usize];
        }
        let all: Vec<usize> = (0..self.threads as usize).collect();
        let end = model.block(&self.body, all);
        assert!(end.broken.is_empty() && end.continued.is_empty(), "{}: jumps stay in their loops", self.name);
        model.output
    }
}

fn count(body: &[Do]) -> usize {
    let one = |statement: &Do| match statement {
        Do::If(_, then, otherwise) => 2 + count(then) + count(otherwise) + usize::from(!otherwise.is_empty()),
        Do::Loop(body) => 2 + count(body),
        Do::Switch(_, arms) => 2 + arms.iter().map(|arm| 2 + count(arm)).sum::<usize>(),
        _ => 1,
    };
    body.iter().map(one).sum()
}

fn write(tokens: &mut Tokens, body: &[Do]) {
    const BREAK: u32 = 2;
    const CASE: u32 = 6;
    const CONTINUEC: u32 = 8;
    const DEFAULT: u32 = 10;
    const ELSE: u32 = 18;
    const ENDSWITCH: u32 = 23;
    const SWITCH: u32 = 76;
    let one = |component: u32| crate::tokens::one(TEMP, component / 4, component % 4);
    let all = |component: u32| operand(scalar(component));
    let target = |component: u32| dst(TEMP, component / 4, 1 << (component % 4));
    for statement in body {
        match statement {
            Do::Alu(alu, register, mask, from) => {
                let count = match alu {
                    Alu::Mov => 1,
                    Alu::Mad => 3,
                    _ => 2,
                };
                let mut operands = vec![dst(TEMP, *register, u32::from(*mask))];
                operands.extend(from[..count].iter().map(|&from| operand(from)));
                tokens.emit(alu.opcode(), 0, &operands);
            }
            Do::Double(double, register, [a, b]) => {
                let opcode = if *double == Double::Add { op::DADD } else { op::DMUL };
                let operands = [dst(TEMP, *register, 15), operand(vector(*a)), operand(vector(*b))];
                tokens.emit(opcode, 0, &operands);
            }
            Do::Load(memory, to, index) => {
                let place = src(file(*memory), 0, [0; 4]);
                tokens.emit(op::LD_STRUCTURED, 0, &[target(*to), one(*index), literal(0), place]);
            }
            Do::Store(memory, value, index) => {
                let operands = [dst(file(*memory), 0, 1), one(*index), literal(0), all(*value)];
                tokens.emit(op::STORE_STRUCTURED, 0, &operands);
            }
            Do::ReadArray(register, index) => {
                let mut element = vec![0x0020_0006 | 0xe4 << 4 | INDEXABLE_TEMP << 12 | 2 << 25, 0];
                element.extend(one(*index));
                tokens.emit(op::MOV, 0, &[dst(TEMP, *register, 15), element]);
            }
            Do::WriteArray(register, index) => {
                let mut element = vec![0x0020_0002 | 15 << 4 | INDEXABLE_TEMP << 12 | 2 << 25, 0];
                element.extend(one(*index));
                tokens.emit(op::MOV, 0, &[element, operand(vector(*register))]);
            }
            Do::If(condition, then, otherwise) => {
                tokens.emit(op::IF, NON_ZERO, &[one(*condition)]);
                write(tokens, then);
                if !otherwise.is_empty() {
                    tokens.emit(ELSE, 0, &[]);
                    write(tokens, otherwise);
                }
                tokens.emit(op::ENDIF, 0, &[]);
            }
            Do::Loop(body) => {
                tokens.emit(op::LOOP, 0, &[]);
                write(tokens, body);
                tokens.emit(op::ENDLOOP, 0, &[]);
            }
            Do::BreakIf(condition) => {
                tokens.emit(op::BREAKC, NON_ZERO, &[one(*condition)]);
            }
            Do::ContinueIf(condition) => {
                tokens.emit(CONTINUEC, NON_ZERO, &[one(*condition)]);
            }
            Do::Switch(selector, arms) => {
                tokens.emit(SWITCH, 0, &[one(*selector)]);
                for (n, arm) in arms.iter().enumerate() {
                    match n + 1 < arms.len() {
                        true => tokens.emit(CASE, 0, &[literal(n as u32)]),
                        false => tokens.emit(DEFAULT, 0, &[]),
                    };
                    write(tokens, arm);
                    tokens.emit(BREAK, 0, &[]);
                }
                tokens.emit(ENDSWITCH, 0, &[]);
            }
            Do::Barrier => {
                tokens.emit(op::SYNC, SYNC_G_T, &[]);
            }
        }
    }
}

fn file(memory: Memory) -> u32 {
    match memory {
        Memory::Input => RESOURCE,
        Memory::Output => UAV,
        Memory::Shared => SHARED,
    }
}

fn operand(from: From) -> Operand {
    match from {
        From::Temp(register, swizzle) => src(TEMP, register, swizzle.map(u32::from)),
        From::Literal(words) => literal4(words),
        From::Thread => own(THREAD_ID, 0),
    }
}

#[derive(Default)]
struct Thread {
    number: u32,
    registers: Vec<[u32; 4]>,
    array: Vec<[u32; 4]>,
}

impl Thread {
    fn get(&self, component: u32) -> u32 {
        self.registers[component as usize / 4][component as usize % 4]
    }

    fn set(&mut self, component: u32, word: u32) {
        self.registers[component as usize / 4][component as usize % 4] = word;
    }

    fn read(&self, from: From) -> [u32; 4] {
        match from {
            From::Temp(register, swizzle) => swizzle.map(|n| self.registers[register as usize][usize::from(n)]),
            From::Literal(words) => words,
            From::Thread => [self.number; 4],
        }
    }

    /// Statements that neither reach other threads nor jump.
    fn run(&mut self, statement: &Do) {
        match statement {
            Do::Alu(alu, register, mask, from) => {
                let from = from.map(|from| self.read(from));
                for n in (0..4).filter(|n| mask >> n & 1 != 0) {
                    self.registers[*register as usize][n] = alu.eval([from[0][n], from[1][n], from[2][n]]);
                }
            }
            Do::Double(double, register, operands) => {
                let [a, b] = operands.map(|register| pair(self.registers[register as usize]));
                let eval = |n: usize| match double {
                    Double::Add => a[n] + b[n],
                    Double::Mul => a[n] * b[n],
                };
                let [x, z] = [0, 1].map(|n| eval(n).to_bits());
                self.registers[*register as usize] = [x as u32, (x >> 32) as u32, z as u32, (z >> 32) as u32];
            }
            Do::ReadArray(register, index) => {
                let element = self.array.get(self.get(*index) as usize).copied();
                self.registers[*register as usize] = element.unwrap_or_default();
            }
            Do::WriteArray(register, index) => {
                let index = self.get(*index) as usize;
                if let Some(element) = self.array.get_mut(index) {
                    *element = self.registers[*register as usize];
                }
            }
            _ => unreachable!("statements of several threads are the model's"),
        }
    }
}

fn pair([x, y, z, w]: [u32; 4]) -> [f64; 2] {
    let double = |low: u32, high: u32| f64::from_bits(u64::from(high) << 32 | u64::from(low));
    [double(x, y), double(z, w)]
}

struct Model {
    threads: Vec<Thread>,
    input: Vec<u32>,
    output: Vec<u32>,
    shared: Vec<u32>,
}

/// Where the threads are that began a block.
#[derive(Default)]
struct End {
    reached: Vec<usize>,
    broken: Vec<usize>,
    continued: Vec<usize>,
}

impl Model {
    fn memory(&mut self, memory: Memory) -> &mut Vec<u32> {
        match memory {
            Memory::Input => &mut self.input,
            Memory::Output => &mut self.output,
            Memory::Shared => &mut self.shared,
        }
    }

    /// Those whose component is not zero, and the others.
    fn part(&self, active: Vec<usize>, component: u32) -> [Vec<usize>; 2] {
        let (yes, no) = active.into_iter().partition(|&n| self.threads[n].get(component) != 0);
        [yes, no]
    }

    fn block(&mut self, body: &[Do], active: Vec<usize>) -> End {
        let mut end = End { reached: active, ..End::default() };
        for statement in body {
            let active = std::mem::take(&mut end.reached);
            if active.is_empty() {
                break;
            }
            match statement {
                Do::Load(memory, to, index) => {
                    for &n in &active {
                        let index = self.threads[n].get(*index) as usize;
                        let word = self.memory(*memory).get(index).copied().unwrap_or(0);
                        self.threads[n].set(*to, word);
                    }
                    end.reached = active;
                }
                Do::Store(memory, value, index) => {
                    for &n in &active {
                        let [value, index] = [*value, *index].map(|component| self.threads[n].get(component));
                        if let Some(word) = self.memory(*memory).get_mut(index as usize) {
                            *word = value;
                        }
                    }
                    end.reached = active;
                }
                Do::If(condition, then, otherwise) => {
                    let [yes, no] = self.part(active, *condition);
                    for (side, threads) in [(then, yes), (otherwise, no)] {
                        let side = self.block(side, threads);
                        end.reached.extend(side.reached);
                        end.broken.extend(side.broken);
                        end.continued.extend(side.continued);
                    }
                }
                Do::Loop(body) => {
                    let mut round = active;
                    while !round.is_empty() {
                        let inner = self.block(body, round);
                        end.reached.extend(inner.broken);
                        round = inner.reached;
                        round.extend(inner.continued);
                    }
                }
                Do::BreakIf(condition) => {
                    let [yes, no] = self.part(active, *condition);
                    end.broken.extend(yes);
                    end.reached = no;
                }
                Do::ContinueIf(condition) => {
                    let [yes, no] = self.part(active, *condition);
                    end.continued.extend(yes);
                    end.reached = no;
                }
                Do::Switch(selector, arms) => {
                    let mut by_arm = vec![Vec::new(); arms.len()];
                    for n in active {
                        by_arm[(self.threads[n].get(*selector) as usize).min(arms.len() - 1)].push(n);
                    }
                    for (arm, threads) in arms.iter().zip(by_arm) {
                        let inner = self.block(arm, threads);
                        end.reached.extend(inner.reached.into_iter().chain(inner.broken));
                        end.continued.extend(inner.continued);
                    }
                }
                Do::Barrier => {
                    assert_eq!(active.len(), self.threads.len(), "all threads come to a barrier");
                    end.reached = active;
                }
                own => {
                    active.iter().for_each(|&n| self.threads[n].run(own));
                    end.reached = active;
                }
            }
        }
        end
    }
}
