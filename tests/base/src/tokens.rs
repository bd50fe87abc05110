//! Writes shader model 5 programs word by word, so that tests can hold what no compiler writes.
//!
//! The encoding is stated here anew, from the format's description, not taken from Brolga's tables: a mistake there
//! must not hide itself. Registers are written as functions: `dst(TEMP, 0, 0b0011)` is `r0.xy`.

/// Operand types.
pub const TEMP: u32 = 0;
/// `x#`
pub const INDEXABLE_TEMP: u32 = 3;
/// `t#`
pub const RESOURCE: u32 = 7;
/// `cb#`
pub const CONSTANT_BUFFER: u32 = 8;
/// `u#`
pub const UAV: u32 = 30;
/// `g#`
pub const SHARED: u32 = 31;
/// `vThreadID`
pub const THREAD_ID: u32 = 32;
/// `vThreadGroupID`
pub const GROUP_ID: u32 = 33;
/// `vThreadIDInGroup`
pub const THREAD_PLACE: u32 = 34;
/// `vThreadIDInGroupFlattened`
pub const THREAD_INDEX: u32 = 36;

/// Opcode numbers used by tests.
pub mod op {
    #![allow(missing_docs)]
    pub const ADD: u32 = 0;
    pub const AND: u32 = 1;
    pub const BREAK: u32 = 2;
    pub const BREAKC: u32 = 3;
    pub const CASE: u32 = 6;
    pub const CONTINUEC: u32 = 8;
    pub const DEFAULT: u32 = 10;
    pub const DIV: u32 = 14;
    pub const ELSE: u32 = 18;
    pub const ENDIF: u32 = 21;
    pub const ENDLOOP: u32 = 22;
    pub const ENDSWITCH: u32 = 23;
    pub const IADD: u32 = 30;
    pub const IF: u32 = 31;
    pub const IEQ: u32 = 32;
    pub const IMAD: u32 = 35;
    pub const IMUL: u32 = 38;
    pub const LOOP: u32 = 48;
    pub const MIN: u32 = 51;
    pub const MAX: u32 = 52;
    pub const MOV: u32 = 54;
    pub const MUL: u32 = 56;
    pub const RET: u32 = 62;
    pub const RETC: u32 = 63;
    pub const SWITCH: u32 = 76;
    pub const UGE: u32 = 80;
    pub const LD_STRUCTURED: u32 = 167;
    pub const STORE_STRUCTURED: u32 = 168;
    pub const ATOMIC_IADD: u32 = 173;
    pub const IMM_ATOMIC_IADD: u32 = 180;
    pub const SYNC: u32 = 190;
    pub const DADD: u32 = 191;
    pub const DMUL: u32 = 194;
    pub const DMOV: u32 = 199;
    pub const DMOVC: u32 = 200;
    pub const DTOF: u32 = 201;
    pub const FTOD: u32 = 202;
}

/// An operand's words.
pub type Operand = Vec<u32>;

/// Source modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modifier {
    /// As it is.
    None,
    /// `-x`
    Negate,
    /// `|x|`
    Absolute,
    /// `-|x|`
    NegateAbsolute,
}

impl Modifier {
    /// All four.
    pub const ALL: [Modifier; 4] = [Modifier::None, Modifier::Negate, Modifier::Absolute, Modifier::NegateAbsolute];
}

/// A destination: a register with a write mask, x = 1 to w = 8.
pub fn dst(file: u32, register: u32, mask: u32) -> Operand {
    vec![0x0010_0002 | mask << 4 | file << 12, register]
}

/// A source: a register with a swizzle.
pub fn src(file: u32, register: u32, swizzle: [u32; 4]) -> Operand {
    modified(file, register, swizzle, Modifier::None)
}

/// A source with a modifier.
pub fn modified(file: u32, register: u32, swizzle: [u32; 4], modifier: Modifier) -> Operand {
    let bits = swizzle.iter().enumerate().fold(0, |bits, (n, component)| bits | component << (4 + 2 * n));
    let token = 0x0010_0006 | bits | file << 12;
    match modifier {
        Modifier::None => vec![token, register],
        some => vec![token | 1 << 31, 1 | (some as u32) << 6, register],
    }
}

/// One component of a source.
pub fn one(file: u32, register: u32, component: u32) -> Operand {
    vec![0x0010_000a | component << 4 | file << 12, register]
}

/// `vThreadID.x` and its like: a register file of one register, one component of it.
pub fn own(file: u32, component: u32) -> Operand {
    if file == THREAD_INDEX { vec![0x0000_0001 | file << 12] } else { vec![0x0000_000a | component << 4 | file << 12] }
}

/// All of `vThreadID` and its like: `.xyzx`.
pub fn own_all(file: u32) -> Operand {
    vec![0x0000_0246 | file << 12]
}

/// A register without components, as atomics name their memory.
pub fn bare(file: u32, register: u32) -> Operand {
    vec![0x0010_0000 | file << 12, register]
}

/// `cb#[vector]`, one component.
pub fn constant(register: u32, vector: u32, component: u32) -> Operand {
    vec![0x0020_000a | component << 4 | CONSTANT_BUFFER << 12, register, vector]
}

/// `-cb#[vector].xyzw`.
pub fn negated_constant(register: u32, vector: u32) -> Operand {
    vec![0x8020_0e46 | CONSTANT_BUFFER << 12, 1 | 1 << 6, register, vector]
}

/// A scalar literal.
pub fn literal(word: u32) -> Operand {
    vec![0x0000_4001, word]
}

/// A literal of four words.
pub fn literal4(words: [u32; 4]) -> Operand {
    let mut operand = vec![0x0000_4002];
    operand.extend(words);
    operand
}

/// A program under construction.
#[derive(Default, Clone)]
pub struct Tokens {
    words: Vec<u32>,
}

impl Tokens {
    /// A compute shader with doubles allowed.
    pub fn compute(threads: [u32; 3], temps: u32) -> Self {
        let mut tokens = Self::default();
        // dcl_globalFlags: doubles and their 11.1 extensions, so that IEEE rules hold for them.
        tokens.words.push(106 | 1 << 24 | 1 << 12 | 1 << 17);
        if temps > 0 {
            tokens.words.extend([104 | 2 << 24, temps]);
        }
        tokens.words.push(155 | 4 << 24);
        tokens.words.extend(threads);
        tokens
    }

    /// `dcl_input` of a register file without numbers, all of x, y, z where it has them.
    pub fn input(mut self, file: u32) -> Self {
        let operand = if file == THREAD_INDEX { 0x0000_0001 | file << 12 } else { 0x0000_0072 | file << 12 };
        self.words.splice(1..1, [95 | 2 << 24, operand]);
        self
    }

    /// `dcl_resource_structured` or `dcl_uav_structured`.
    pub fn structured(mut self, file: u32, register: u32, stride: u32) -> Self {
        let opcode = if file == UAV { 158 } else { 162 };
        // The operand of such a declaration has neither mask nor swizzle of its own.
        let words = [opcode | 4 << 24, 0x0010_0000 | file << 12, register, stride];
        self.words.splice(1..1, words);
        self
    }

    /// `dcl_tgsm_structured`.
    pub fn shared(mut self, register: u32, stride: u32, count: u32) -> Self {
        let words = [160 | 5 << 24, 0x0010_0000 | SHARED << 12, register, stride, count];
        self.words.splice(1..1, words);
        self
    }

    /// `dcl_indexableTemp x#[registers], components`.
    pub fn array(mut self, register: u32, registers: u32, components: u32) -> Self {
        self.words.splice(1..1, [105 | 4 << 24, register, registers, components]);
        self
    }

    /// `dcl_constantbuffer cb#[size], immediateIndexed`.
    pub fn constants(mut self, register: u32, vectors: u32) -> Self {
        let words = [89 | 4 << 24, 0x0020_8e46, register, vectors];
        self.words.splice(1..1, words);
        self
    }

    /// An instruction with control bits and operands.
    pub fn emit(&mut self, opcode: u32, controls: u32, operands: &[Operand]) -> &mut Self {
        let length = 1 + operands.iter().map(Vec::len).sum::<usize>() as u32;
        self.words.push(opcode | controls | length << 24);
        self.words.extend(operands.iter().flatten());
        self
    }

    /// The container: header, one program chunk, a checksum of zeros (which nobody asked to be enforced).
    pub fn container(&self) -> Vec<u8> {
        let program_words = self.words.len() as u32 + 2;
        let size = 36 + 8 + 4 * program_words;
        let mut words = vec![u32::from_le_bytes(*b"DXBC"), 0, 0, 0, 0, 1, size, 1, 36];
        words.extend([u32::from_le_bytes(*b"SHEX"), 4 * program_words, 0x0005_0050, program_words]);
        words.extend(&self.words);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The control bit of `_sat`.
pub const SATURATE: u32 = 1 << 13;
/// The control bit of `_nz`.
pub const NON_ZERO: u32 = 1 << 18;
/// The control bits of `sync_g_t`.
pub const SYNC_G_T: u32 = 0x1800;
