//! Builds programs of any size in assembly language, and their memory after a run by the plain model of
//! [`crate::scalar`].
//!
//! Every program has the same interface: a thread reads and writes elements of structured buffers, `t0` and `u0`, of
//! one word each. Components are numbered: `4 * register + component`.

use brolga_bytecode::{LoadOptions, Shader};
use brolga_ir::translate::sm5::{TranslateOptions, translate};

use crate::run::assemble;
use crate::scalar::{self, Memory};

/// Statements in assembly language, those with a body on several lines.
pub type Body = Vec<String>;

/// A program and its input.
#[derive(Clone, Debug)]
pub struct Script {
    /// Its purpose.
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
    pub body: Body,
}

impl Script {
    /// Instructions, each block's end counted.
    pub fn instructions(&self) -> usize {
        self.body.iter().map(|statement| statement.lines().count()).sum::<usize>() + 1
    }

    /// The content of `t0`.
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
        assemble(&(text + &lines(&self.body) + "ret"))
    }

    /// The content of `u0` after the run: of the translated code, thread by thread.
    pub fn expected(&self) -> Vec<u32> {
        let shader = Shader::load(&self.container(), &LoadOptions::default()).expect("scripts are valid");
        let func = translate(&shader.program, &TranslateOptions::default()).expect("scripts are within the limits");
        let memory = Memory::new(&func.interface, &[self.input(), vec![0; self.output as usize]]);
        scalar::run_group(&func, &memory, [0; 3]);
        memory.words().swap_remove(1)
    }
}

fn lines(body: &[String]) -> String {
    body.iter().map(|statement| format!("{statement}\n")).collect()
}

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// A component as a destination.
fn one(component: u32) -> String {
    format!("r{}.{}", component / 4, LETTERS[component as usize % 4])
}

/// One component of a register, in every component.
pub fn scalar(component: u32) -> String {
    temp(component / 4, &LETTERS[component as usize % 4].to_string().repeat(4))
}

/// A register, swizzled.
pub fn temp(register: u32, swizzle: &str) -> String {
    format!("r{register}.{swizzle}")
}

/// A register as it is.
pub fn vector(register: u32) -> String {
    temp(register, "xyzw")
}

/// Constants.
pub fn literal([x, y, z, w]: [u32; 4]) -> String {
    format!("l({x:#x}, {y:#x}, {z:#x}, {w:#x})")
}

/// A constant in every component.
pub fn constant(word: u32) -> String {
    literal([word; 4])
}

/// An instruction that writes a component.
pub fn alu<const N: usize>(op: &str, to: u32, from: [String; N]) -> String {
    format!("{op} {}, {}", one(to), from.join(", "))
}

/// An instruction that writes a whole register.
pub fn whole<const N: usize>(op: &str, register: u32, from: [String; N]) -> String {
    format!("{op} {}, {}", vector(register), from.join(", "))
}

/// Reads a word of `t0`, `u0` or `g0` into a component, at the index in another. Out of range reads give 0.
pub fn load(memory: &str, to: u32, index: u32) -> String {
    format!("ld_structured {}, {}, l(0), {memory}.xxxx", one(to), one(index))
}

/// Writes a component, at the index in another. Out of range writes do nothing.
pub fn store(memory: &str, value: u32, index: u32) -> String {
    format!("store_structured {memory}.x, {}, l(0), {}", one(index), scalar(value))
}

/// Reads `x0[component]` into a register.
pub fn read_array(register: u32, index: u32) -> String {
    format!("mov {}, x0[{}].xyzw", vector(register), one(index))
}

/// Writes a register to `x0[component]`.
pub fn write_array(register: u32, index: u32) -> String {
    format!("mov x0[{}].xyzw, {}", one(index), vector(register))
}

/// Runs the one body if a component is not zero, else the other.
pub fn branch(condition: u32, then: &[String], otherwise: &[String]) -> String {
    let otherwise = if otherwise.is_empty() { String::new() } else { format!("else\n{}", lines(otherwise)) };
    format!("if_nz {}\n{}{otherwise}endif", one(condition), lines(then))
}

/// A loop, until a break.
pub fn repeat(body: &[String]) -> String {
    format!("loop\n{}endloop", lines(body))
}

/// Leaves the loop or switch if a component is not zero.
pub fn break_if(condition: u32) -> String {
    format!("breakc_nz {}", one(condition))
}

/// Continues with the loop's next iteration if a component is not zero.
pub fn continue_if(condition: u32) -> String {
    format!("continuec_nz {}", one(condition))
}

/// The arm with the number in a component; the last one for all other numbers.
pub fn choose(selector: u32, arms: &[Body]) -> String {
    let label = |n| if n + 1 < arms.len() { format!("case l({n})") } else { "default".to_owned() };
    let arm = |(n, arm): (usize, &Body)| format!("{}\n{}break\n", label(n), lines(arm));
    format!("switch {}\n{}endswitch", one(selector), arms.iter().enumerate().map(arm).collect::<String>())
}
