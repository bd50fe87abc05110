//! Programs of any size, stated once: written in assembly language, and run by a plain model that gives what memory must hold.
//!
//! The model executes the statements for all threads of a group side by side, each with registers of its own and a flag
//! that says whether it is active. It knows nothing of Brolga. Every program has the same interface: a thread reads
//! and writes elements of structured buffers, `t0` and `u0`, of one word each.

use crate::run::assemble;

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
    fn mnemonic(self) -> &'static str {
        match self {
            Alu::Mov => "mov",
            Alu::Add => "iadd",
            Alu::Mad => "imad",
            Alu::Xor => "xor",
            Alu::And => "and",
            Alu::Shr => "ushr",
            Alu::Eq => "ieq",
            Alu::Ge => "uge",
            Alu::FAdd => "add",
            Alu::FMul => "mul",
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

impl Memory {
    fn name(self) -> &'static str {
        match self {
            Memory::Input => "t0",
            Memory::Output => "u0",
            Memory::Shared => "g0",
        }
    }
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
        let mut text = String::from(
            "cs_5_0
            dcl_globalFlags enableDoublePrecisionFloatOps | enable11_1DoubleExtensions
            dcl_resource_structured t0, 4
            dcl_uav_structured u0, 4
            dcl_input vThreadID.x\n",
        );
        if self.array > 0 {
            text += &format!("dcl_indexableTemp x0[{}], 4\n", self.array);
        }
        if self.shared > 0 {
            text += &format!("dcl_tgsm_structured g0, 4, {}\n", self.shared);
        }
        text += &format!("dcl_temps {}\ndcl_thread_group {}, 1, 1\n", self.temps, self.threads);
        write(&mut text, &self.body);
        assemble(&(text + "ret"))
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

fn write(text: &mut String, body: &[Do]) {
    for statement in body {
        match statement {
            Do::Alu(alu, register, mask, from) => {
                let count = match alu {
                    Alu::Mov => 1,
                    Alu::Mad => 3,
                    _ => 2,
                };
                let mask: String = (0..4).filter(|n| mask >> n & 1 != 0).map(|n| LETTERS[n]).collect();
                let from = from[..count].iter().map(|&from| operand(from)).collect::<Vec<_>>().join(", ");
                *text += &format!("{} r{register}.{mask}, {from}\n", alu.mnemonic());
            }
            Do::Double(double, register, [a, b]) => {
                let mnemonic = if *double == Double::Add { "dadd" } else { "dmul" };
                *text += &format!("{mnemonic} r{register}.xyzw, r{a}.xyzw, r{b}.xyzw\n");
            }
            Do::Load(memory, to, index) => {
                *text += &format!("ld_structured {}, {}, l(0), {}.xxxx\n", one(*to), one(*index), memory.name());
            }
            Do::Store(memory, value, index) => {
                let (name, value) = (memory.name(), operand(scalar(*value)));
                *text += &format!("store_structured {name}.x, {}, l(0), {value}\n", one(*index));
            }
            Do::ReadArray(register, index) => {
                *text += &format!("mov r{register}.xyzw, x0[{}].xyzw\n", one(*index));
            }
            Do::WriteArray(register, index) => {
                *text += &format!("mov x0[{}].xyzw, r{register}.xyzw\n", one(*index));
            }
            Do::If(condition, then, otherwise) => {
                *text += &format!("if_nz {}\n", one(*condition));
                write(text, then);
                if !otherwise.is_empty() {
                    *text += "else\n";
                    write(text, otherwise);
                }
                *text += "endif\n";
            }
            Do::Loop(body) => {
                *text += "loop\n";
                write(text, body);
                *text += "endloop\n";
            }
            Do::BreakIf(condition) => *text += &format!("breakc_nz {}\n", one(*condition)),
            Do::ContinueIf(condition) => *text += &format!("continuec_nz {}\n", one(*condition)),
            Do::Switch(selector, arms) => {
                *text += &format!("switch {}\n", one(*selector));
                for (n, arm) in arms.iter().enumerate() {
                    match n + 1 < arms.len() {
                        true => *text += &format!("case l({n})\n"),
                        false => *text += "default\n",
                    }
                    write(text, arm);
                    *text += "break\n";
                }
                *text += "endswitch\n";
            }
            Do::Barrier => *text += "sync_g_t\n",
        }
    }
}

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// A component by its number.
fn one(component: u32) -> String {
    format!("r{}.{}", component / 4, LETTERS[component as usize % 4])
}

fn operand(from: From) -> String {
    match from {
        From::Temp(register, swizzle) => {
            let swizzle: String = swizzle.iter().map(|&n| LETTERS[usize::from(n)]).collect();
            format!("r{register}.{swizzle}")
        }
        From::Literal([x, y, z, w]) => format!("l({x:#x}, {y:#x}, {z:#x}, {w:#x})"),
        From::Thread => "vThreadID.x".to_owned(),
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
