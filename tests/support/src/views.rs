//! Lays out the memory of a random program: its content behind each register, and how threads share it.
//!
//! | register | contents | use |
//! |---|---|---|
//! | `cb0` `cb1` | constants | read; `cb1` is bound shorter than declared |
//! | `t0` `t1` `t2` `t3` | raw, structured, typed buffer, texture | read at any address |
//! | `t4` | a multisampled texture | read at any address and sample |
//! | `s0` `s1` | samplers | for `t3`; `s1` compares |
//! | `u0` | structured records | each thread its own |
//! | `u1` | raw bytes | each thread its own [`BYTES_PER_THREAD`] |
//! | `u2` | totals, of any kind | [`TOTALS`] operations, four words each, by all threads |
//! | `u3` | structured with a counter | appended to, or consumed from; all threads write the same |
//! | `u4` | typed buffer | each thread its own texel |
//! | `u5` | texture | each thread its own texel |
//! | `g0` `g1` | structured and raw shared memory | see [`crate::program`] |

use brolga_runtime::{Format, Sampler};

use crate::bound::content::{Content, Contents, Form};
use crate::picture::Picture;
use crate::program::{Program, Register};
use crate::random::Random;

/// Bytes of `u1` for each thread.
pub const BYTES_PER_THREAD: u32 = 64;
/// Bytes of `g1` for each thread.
pub const SHARED_BYTES_PER_THREAD: u32 = 32;
/// Operations on `u2`.
pub const TOTALS: u32 = 8;
/// Words of `u2` for each operation.
pub const TOTALS_EACH: u32 = 4;
/// The value written to the slots of `u3`, which hold zeros at first.
pub const COUNTED: u32 = 0x1234_5678;
/// Elements of `u3`.
const COUNTED_ELEMENTS: u32 = 40;
/// Words behind `t0` and `t1`.
const INPUT_WORDS: u32 = 120;
/// Texels of a row of `u5`.
pub const IMAGE_WIDTH: u32 = 8;

/// The layout of memory, chosen with the program.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Declared vectors of `cb0` and `cb1`.
    pub constants: [u32; 2],
    /// Bytes of a structure of `u0`, a multiple of 16.
    pub record_bytes: u32,
    /// The order of threads' records.
    pub records: Order,
    /// The order of threads' bytes.
    pub bytes: Order,
    /// The order of threads' texels.
    pub texels: Order,
    /// The declaration of `u2`.
    pub totals: Totals,
    /// Bytes of a structure of `u3`.
    pub counted_bytes: u32,
    /// Set if `u3` is consumed from instead of appended to.
    pub consumes: bool,
    /// Format of `u4`.
    pub texel_format: Format,
    /// `u5`, but for its extents.
    pub image: Picture,
    /// Bytes of a structure of `t1`.
    pub input_bytes: u32,
    /// Format of `t2`.
    pub input_format: Format,
    /// `t3`
    pub picture: Picture,
    /// `t4`
    pub samples: Picture,
    /// `s0` and `s1`
    pub samplers: [Sampler; 2],
    /// Bytes of a structure of `g0`.
    pub shared_bytes: u32,
    /// Set if threads' structures of `g0` and bytes of `g1` are in reverse order.
    pub shared_reverse: bool,
    /// A register that nothing is bound to.
    pub unbound: Option<Register>,
}

/// The position of each thread's own element of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Elements from one thread to the next.
    pub spread: u32,
    /// Set if the last thread has the first one.
    pub reverse: bool,
    /// Missing size of the view: in elements, or in bytes if it is raw.
    pub cut: u32,
}

/// The declaration of `u2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Totals {
    /// `dcl_uav_raw`
    Raw,
    /// `dcl_uav_structured`, a structure for each operation.
    Structured,
    /// `dcl_uav_typed` of a buffer.
    Typed(Format),
}

impl Program {
    /// The form of a `cb#`, `t#`, `u#` or `s#`.
    pub fn form(&self, register: &Register) -> Form {
        let layout = &self.layout;
        match register {
            Register::Constant(..) => Form::Constant,
            Register::Resource(0) | Register::Uav(1) => Form::Raw,
            Register::Resource(1) => Form::Structured { stride_bytes: layout.input_bytes },
            Register::Resource(2) => Form::Typed(layout.input_format),
            Register::Resource(3) => Form::Texture(layout.picture),
            Register::Resource(_) => Form::Texture(layout.samples),
            Register::Sampler(n) => Form::Sampler(layout.samplers[*n as usize]),
            Register::Uav(0) => Form::Structured { stride_bytes: layout.record_bytes },
            Register::Uav(2) => match layout.totals {
                Totals::Raw => Form::Raw,
                Totals::Structured => Form::Structured { stride_bytes: 4 * TOTALS_EACH },
                Totals::Typed(format) => Form::Typed(format),
            },
            Register::Uav(3) => Form::Structured { stride_bytes: layout.counted_bytes },
            Register::Uav(4) => Form::Typed(layout.texel_format),
            Register::Uav(_) => {
                let (mut image, rows) = (layout.image, (self.threads() / IMAGE_WIDTH).max(1));
                image.shape = image.shape.height(rows << image.mips[0]);
                Form::Texture(image)
            }
            other => unreachable!("{other:?} is no view"),
        }
    }

    /// The `cb#`, `t#`, `u#` and `s#` that the program uses, by file and number.
    pub fn views(&self) -> Vec<Register> {
        let mut used = [[false; 6]; 4];
        used[2][0] = self.shown > 0;
        self.each_instr(&mut |instr| {
            for operand in &instr.operands {
                match operand.register {
                    Register::Constant(n, _) => used[0][n as usize] = true,
                    Register::Resource(n) => used[1][n as usize] = true,
                    Register::Uav(n) => used[2][n as usize] = true,
                    Register::Sampler(n) => used[3][n as usize] = true,
                    _ => {}
                }
            }
        });
        self.each_operand_of_flow(&mut |operand| {
            if let Register::Constant(n, _) = operand.register {
                used[0][n as usize] = true;
            }
        });
        let all = |file: usize, make: fn(u32) -> Register| {
            (0..6u32).filter(|&n| used[file][n as usize]).map(make).collect::<Vec<_>>()
        };
        let constant = |n| Register::Constant(n, crate::program::Index::fixed(0));
        [all(0, constant), all(1, Register::Resource), all(2, Register::Uav), all(3, Register::Sampler)].concat()
    }

    /// `true` if it samples textures.
    pub fn samples(&self) -> bool {
        self.views().iter().any(|register| matches!(register, Register::Sampler(_)))
    }

    /// The initial content of every register that is bound.
    pub fn contents(&self) -> Contents {
        let bound = |register: &&Register| self.layout.unbound.as_ref() != Some(register);
        self.views().iter().filter(bound).map(|register| self.content(register)).collect()
    }

    fn content(&self, register: &Register) -> (brolga_runtime::Register, Content) {
        let (file, number) = match *register {
            Register::Constant(n, _) => ('b', n),
            Register::Resource(n) => ('t', n),
            Register::Uav(n) => ('u', n),
            Register::Sampler(n) => ('s', n),
            _ => unreachable!("no view"),
        };
        let form = self.form(register);
        let size_bytes = self.size_bytes(register, form) as usize;
        let mut random = Random(self.seed ^ u64::from(number) << 32 ^ (file as u64) << 40);
        let is_counted = *register == Register::Uav(3);
        let is_tiny = self.is_tiny();
        let mut bytes = Vec::with_capacity(size_bytes + 4);
        while bytes.len() < size_bytes {
            let word = match is_counted {
                true => 0,
                false if is_tiny && !random.one_in(4) => random.tiny(),
                false => value(&mut random),
            };
            bytes.extend(word.to_le_bytes());
        }
        bytes.truncate(size_bytes);
        let counter = is_counted.then_some(if self.layout.consumes { COUNTED_ELEMENTS - 3 } else { 3 });
        (format!("{file}{number}").parse().expect("a register name"), Content { form, bytes, counter })
    }

    fn size_bytes(&self, register: &Register, form: Form) -> u32 {
        let elements = |order: Order| (self.threads() * order.spread).saturating_sub(order.cut).max(1);
        let layout = &self.layout;
        match (register, form) {
            (Register::Constant(1, _), _) => 16 * layout.constants[1].saturating_sub(2).max(1),
            (Register::Constant(n, _), _) => 16 * layout.constants[*n as usize],
            (_, Form::Sampler(_)) => 0,
            (Register::Uav(0), _) => elements(layout.records) * layout.record_bytes,
            (Register::Uav(1), _) => {
                let all = self.threads() * layout.bytes.spread * BYTES_PER_THREAD;
                all.saturating_sub(layout.bytes.cut).max(4)
            }
            (Register::Uav(2), _) => 4 * TOTALS * TOTALS_EACH,
            (Register::Uav(3), _) => COUNTED_ELEMENTS * layout.counted_bytes,
            (Register::Uav(_), Form::Typed(format)) => elements(layout.texels) * format.size_bytes(),
            (_, Form::Texture(picture)) => picture.shape.size_bytes().expect("generated shapes exist") as u32,
            (_, Form::Structured { stride_bytes }) => 4 * INPUT_WORDS / stride_bytes * stride_bytes,
            (_, Form::Typed(format)) => 4 * INPUT_WORDS / format.size_bytes() * format.size_bytes(),
            _ => 4 * INPUT_WORDS,
        }
    }
}

/// Words of which many are small numbers, floats and edges.
fn value(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.below(8) as u32,
        1 | 2 => random.float(),
        _ => random.word(),
    }
}
