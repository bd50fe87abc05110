//! Writes random shaders, as text, that access texels at every kind of address, under every kind of control flow.

use std::fmt::Write;

use brolga_runtime::{Component, Dimension};

use brolga_testing_base::random::Random;

/// Groups of a dispatch along each axis.
pub const GROUPS: [u32; 3] = [2, 2, 2];

/// Words of `t1` for each thread and request: three coordinates, and a word to write.
pub const REQUESTS: u32 = 4;

/// Sizes of groups: rows that fill packets, rows that do not, and rows across packets.
const GROUP_SIZES: [[u32; 3]; 5] = [[8, 4, 1], [16, 2, 1], [32, 1, 1], [4, 4, 2], [5, 3, 1]];

/// Use of texels by a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Reads `t0`.
    Load,
    /// Reads and writes `u1`.
    Store,
    /// Changes words of `u1`, and reads it.
    Atomic,
}

/// A shader. `cb0` holds the extents that the coordinates are along, the extents less one, any coordinates inside, and
/// a mip level or sample; `t1` requests; each thread stores what it has read to `u0`.
pub struct Shader {
    /// The assembler's text.
    pub text: String,
    /// Threads of the dispatch.
    pub threads: u32,
}

/// Writes a shader. The threads of a calm one access rows, and none far beyond an edge.
pub fn write(dimension: Dimension, component: Component, to: Use, calm: bool, random: &mut Random) -> Shader {
    let group = random.pick(&GROUP_SIZES);
    let text = String::new();
    let mut writer = Writer { text, random, dimension, component, to, calm, request: 0, loops: 0 };
    writer.head(group);
    for _ in 0..3 + writer.random.below(3) {
        writer.piece();
    }
    writer.line("store_structured u0.xyzw, r0.x, l(0), r3.xyzw\nret");
    Shader { text: writer.text, threads: (0..3).map(|axis| group[axis] * GROUPS[axis]).product() }
}

struct Writer<'a> {
    text: String,
    random: &'a mut Random,
    dimension: Dimension,
    component: Component,
    to: Use,
    calm: bool,
    request: u32,
    /// Enclosing loops; their counter is `r5.x`.
    loops: u32,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Declarations, and `r0.x`: the thread's number in the dispatch.
    fn head(&mut self, group: [u32; 3]) {
        let dimension = match self.dimension {
            Dimension::Buffer => "buffer",
            Dimension::Texture1d => "texture1d",
            Dimension::Texture1dArray => "texture1darray",
            Dimension::Texture2d => "texture2d",
            Dimension::Texture2dArray => "texture2darray",
            Dimension::Texture2dMs => "texture2dms(4)",
            Dimension::Texture2dMsArray => "texture2dmsarray(4)",
            Dimension::Texture3d => "texture3d",
            Dimension::TextureCube => "texturecube",
            Dimension::TextureCubeArray => "texturecubearray",
        };
        let component = match self.component {
            Component::Sint => "sint",
            Component::Uint => "uint",
            _ => "float",
        };
        let (kind, register) = if self.to == Use::Load { ("resource", "t0") } else { ("uav_typed", "u1") };
        let [x, y, z] = group;
        let (columns, rows) = (x * GROUPS[0], y * GROUPS[1]);
        write!(
            self.text,
            "cs_5_0\n\
             dcl_constantbuffer CB0[4], immediateIndexed\n\
             dcl_{kind}_{dimension} ({component},{component},{component},{component}) {register}\n\
             dcl_resource_structured t1, 16\n\
             dcl_uav_structured u0, 16\n\
             dcl_input vThreadID.xyz\n\
             dcl_temps 8\n\
             dcl_thread_group {x}, {y}, {z}\n\
             imad r0.x, vThreadID.z, l({rows}), vThreadID.y\n\
             imad r0.x, r0.x, l({columns}), vThreadID.x\n\
             imul null, r0.y, r0.x, l({REQUESTS})\n\
             mov r3.xyzw, l(1, 2, 3, 4)\n"
        )
        .expect("strings grow");
    }

    /// Some accesses, under some control flow.
    fn piece(&mut self) {
        // r4: a request. Another one for each piece.
        let request = self.request % REQUESTS;
        self.request += 1;
        self.line(&format!("iadd r0.z, r0.y, l({request})\nld_structured r4.xyzw, r0.z, l(0), t1.xyzw"));
        let bit = 1 << self.random.below(5);
        match self.random.below(8) {
            0..=2 => self.accesses(),
            3 => {
                self.line(&format!("and r6.x, r4.w, l({bit})\nif_nz r6.x"));
                self.accesses();
                if self.random.one_in(2) {
                    self.line("else");
                    self.accesses();
                }
                self.line("endif");
            }
            4 => {
                self.line(&format!("and r6.x, r0.x, l({bit})\nif_z r6.x"));
                self.accesses();
                self.line("endif");
            }
            6 | 7 => self.counted("l(3)"),
            8 => {
                self.line("and r6.y, r4.w, l(3)");
                self.counted("r6.y");
            }
            // Some threads are gone afterwards.
            _ => {
                self.accesses();
                self.line(
                    "and r6.x, r4.w, l(28)\n\
                     if_z r6.x\n\
                     store_structured u0.xyzw, r0.x, l(0), r3.xyzw\n\
                     ret\n\
                     endif",
                );
            }
        }
    }

    /// A loop of this many iterations.
    fn counted(&mut self, rounds: &str) {
        self.line(&format!("mov r5.x, l(0)\nloop\nuge r6.z, r5.x, {rounds}\nbreakc_nz r6.z"));
        self.loops += 1;
        self.accesses();
        self.loops -= 1;
        self.line("iadd r5.x, r5.x, l(1)\nendloop");
    }

    /// One access, or a stencil of them.
    fn accesses(&mut self) {
        let count = self.dimension.coordinates();
        let styles: Vec<usize> = (0..count).map(|_| self.random.below(if self.calm { 7 } else { 14 })).collect();
        let taps: &[i32] = if self.random.one_in(2) { &[0] } else { &[-1, 0, 1] };
        for &tap in taps {
            for (axis, &style) in styles.iter().enumerate() {
                self.coordinate(axis, style, tap);
            }
            // The mip level, after the coordinates.
            let has_level = self.to == Use::Load && self.random.one_in(6);
            self.line(if has_level { "mov r1.w, cb0[3].x" } else { "mov r1.w, l(0)" });
            self.access();
        }
    }

    /// A coordinate along an axis, in `r1`.
    fn coordinate(&mut self, axis: usize, style: usize, tap: i32) {
        let c = ["x", "y", "z"][axis];
        let (to, thread, extent, last) =
            (format!("r1.{c}"), format!("vThreadID.{c}"), format!("cb0[0].{c}"), format!("cb0[1].{c}"));
        match style {
            0 | 1 => {
                let base = if self.calm { 0 } else { self.random.pick(&[0, 0, 1, -1, 3, -5]) } + tap;
                self.line(&format!("iadd {to}, {thread}, l({base})"));
            }
            // As shaders keep coordinates inside.
            2..=5 => {
                let base = self.random.pick(&[0, 0, 1, -1, 4]) + tap;
                self.line(&format!("iadd {to}, {thread}, l({base})"));
                let clamps = [
                    format!("imax {to}, {to}, l(0)\nimin {to}, {to}, {last}"),
                    format!("imin {to}, {to}, {last}\nimax {to}, l(0), {to}"),
                    format!("umin {to}, {to}, {last}"),
                    format!("umin {to}, {last}, {to}"),
                    // Beyond the end.
                    format!("imax {to}, {to}, l(0)\numin {to}, {to}, {extent}"),
                    format!("imax {to}, {to}, l(1)"),
                    format!("umax {to}, {to}, l(2)"),
                ];
                let n = self.random.below(clamps.len());
                self.line(&clamps[n]);
            }
            6 | 7 => self.line(&format!("iadd {to}, cb0[2].{c}, l({tap})")),
            8 => {
                let step = self.random.pick(&["2", "3", "-1", "0x10000", "0x2001", "0x80000000"]);
                self.line(&format!("imad {to}, {thread}, l({step}), l({tap})"));
            }
            9 => {
                let word = self.random.pick(&[0, 1, 2, 6, u32::MAX, 1 << 31, 1 << 16, 1 << 30]);
                self.line(&format!("iadd {to}, l({word:#x}), l({tap})"));
            }
            10 => self.line(&format!("xor {to}, {thread}, l(1)")),
            11 => self.line(&format!("iadd {to}, {extent}, l({tap})")),
            _ => self.line(&format!("iadd {to}, r4.{c}, l({tap})")),
        }
        if self.loops > 0 && self.random.one_in(2) {
            self.line(&format!("iadd {to}, {to}, r5.x"));
        }
    }

    fn access(&mut self) {
        let swizzle = if self.random.one_in(4) { "wxzy" } else { "xyzw" };
        let is_load = match self.to {
            Use::Load => true,
            Use::Store | Use::Atomic => self.random.one_in(3),
        };
        if !is_load {
            return self.change();
        }
        let load = match (self.to, self.dimension.is_multisampled()) {
            (Use::Load, true) => format!("ldms r2.xyzw, r1.xyzw, t0.{swizzle}, cb0[3].x"),
            (Use::Load, false) => match self.dimension {
                Dimension::Texture1d | Dimension::Texture2d | Dimension::Texture3d if self.random.one_in(4) => {
                    let [x, y, z] = [0; 3].map(|_: usize| self.random.below(16) as i32 - 8);
                    format!("ld_aoffimmi({x},{y},{z}) r2.xyzw, r1.xyzw, t0.{swizzle}")
                }
                _ => format!("ld r2.xyzw, r1.xyzw, t0.{swizzle}"),
            },
            _ => format!("ld_uav_typed r2.xyzw, r1.xyzw, u1.{swizzle}"),
        };
        self.line(&load);
        self.see("r2.xyzw");
    }

    /// A store or an atomic.
    fn change(&mut self) {
        if self.to == Use::Store {
            match self.random.below(4) {
                // What was read, in any type.
                0 => self.line("mov r7.xyzw, r3.xyzw"),
                // Near the limits of fixed point.
                1 => self.line("itof r7.xyzw, r4.wxyz\nmul r7.xyzw, r7.xyzw, l(0.03125, 0.0078125, -0.03125, 0.25)"),
                2 => self.line("iadd r7.xyzw, r4.wwww, l(0, -3, 250, 0x7ff0)"),
                _ => self.line("mov r7.xyzw, r4.wzyx"),
            }
            return self.line("store_uav_typed u1.xyzw, r1.xyzw, r7.xyzw");
        }
        // Floats are exchanged, and nothing else.
        let is_float = self.component == Component::Float;
        match if is_float { 4 } else { self.random.below(4) } {
            0 => {
                let op = self.random.pick(&["cmp_store", "iadd", "and", "or", "xor", "imax", "imin", "umax", "umin"]);
                let compare = if op == "cmp_store" { "l(0), " } else { "" };
                self.line(&format!("atomic_{op} u1, r1.xyzw, {compare}r4.w"));
            }
            1 => {
                self.line("imm_atomic_cmp_exch r2.x, u1, r1.xyzw, r4.z, r4.w");
                self.see("r2.xxxx");
            }
            _ => {
                let ops = ["exch", "iadd", "and", "or", "xor", "imax", "imin", "umax", "umin"];
                let op = if is_float { ops[0] } else { self.random.pick(&ops) };
                self.line(&format!("imm_atomic_{op} r2.x, u1, r1.xyzw, r4.w"));
                self.see("r2.xxxx");
            }
        }
    }

    /// Adds what was read to the thread's output. Odd factors lose nothing.
    fn see(&mut self, what: &str) {
        self.line(&format!("imad r3.xyzw, r3.xyzw, l(0x01000193, 0x10001, 77, 0x9e3779b1), {what}"));
    }
}
