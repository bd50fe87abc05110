//! Generates random shaders of Direct3D 9, as text: every version, every instruction that it has, flow control,
//! predicates, addresses.
//!
//! They keep the rules of their version, and end: loops are nested at most twice, and tests set small integer
//! constants.

use brolga_bytecode::sm3::ops::{Class, Slot};
use brolga_bytecode::sm3::{Op, RegisterFile, Version};
use brolga_bytecode::sm5::Stage;

use crate::random::Random;

/// Temporary registers that programs use, of those that the version has.
const TEMPS: u16 = 4;
const COMPARISONS: [&str; 6] = ["gt", "eq", "ge", "lt", "ne", "le"];
const MASKS: [&str; 15] = ["x", "y", "xy", "z", "xz", "yz", "xyz", "w", "xw", "yw", "xyw", "zw", "xzw", "yzw", "xyzw"];

/// A program for the seed. `size` bounds the number of statements of a block.
pub fn generate(seed: u64, size: usize) -> String {
    let mut random = Random(seed);
    let version = random.pick(Version::ALL);
    let mut generator = Generator {
        random,
        version,
        text: String::new(),
        size,
        loops: 0,
        counters: 0,
        subroutine: None,
        has_colors: true,
    };
    generator.program();
    generator.text
}

struct Generator {
    random: Random,
    version: Version,
    text: String,
    size: usize,
    /// Loops that are open, and those of them that have a counter.
    loops: u32,
    counters: u32,
    /// The subroutine that is being written.
    subroutine: Option<u32>,
    /// Set if a pixel shader may read colours, as ps_1_4 does in its last phase alone.
    has_colors: bool,
}

impl Generator {
    fn is_vertex(&self) -> bool {
        self.version.stage() == Stage::Vertex
    }

    fn major(&self) -> u32 {
        self.version.major()
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text += "\n";
    }

    fn has(&self, file: RegisterFile) -> bool {
        file.count(self.version) > 0
    }

    fn has_op(&self, op: Op) -> bool {
        op.info().versions.contains(self.version)
    }

    /// Subroutines of the program; 2.0 lets calls be nested once.
    fn subroutines(&self) -> u32 {
        match (self.has_op(Op::Call), self.version) {
            (false, _) => 0,
            (true, Version::Vs2_0) => 1,
            (true, _) => 2,
        }
    }

    fn program(&mut self) {
        let version = self.version.text();
        self.line(version);
        self.declare();
        if !self.is_vertex() && self.major() == 1 {
            return self.phases();
        }
        self.begin();
        self.results();
        (0..self.statements()).for_each(|_| self.statement(2));
        self.results();
        for label in 0..self.subroutines() {
            self.line(&format!("ret\nlabel l{label}"));
            self.subroutine = Some(label);
            (0..self.statements()).for_each(|_| self.statement(1));
        }
        if self.subroutine.is_some() {
            self.line("ret");
        }
    }

    /// Writes the registers that versions without flow control must write before they read them.
    fn begin(&mut self) {
        let input = match self.version {
            Version::Vs1_0 | Version::Vs1_1 => "v2",
            Version::Ps2_0 => "t2",
            _ => return,
        };
        (0..TEMPS).for_each(|n| self.line(&format!("mov r{n}, {input}")));
        if self.is_vertex() {
            self.line("mov a0.x, v1.x");
        }
    }

    /// Shader model 1: texture instructions and then arithmetic, in ps_1_4 perhaps twice.
    fn phases(&mut self) {
        let is_last_version = self.version == Version::Ps1_4;
        let has_second = is_last_version && self.random.one_in(2);
        let gives_depth = has_second && self.random.one_in(4);
        self.has_colors = !has_second;
        if self.has_texture_registers() {
            (0..4).for_each(|n| self.line(&format!("tex t{n}")));
        }
        self.textures();
        (0..RegisterFile::Temp.count(self.version).min(TEMPS)).for_each(|n| self.line(&format!("mov r{n}, c{n}")));
        if gives_depth {
            self.line("mov r5, c1");
        }
        self.arithmetic();
        if has_second {
            self.line("phase");
            self.has_colors = true;
            for line in ["texkill r1", "texld r0, r2", "texld r2, r3_dz"] {
                if self.random.one_in(2) {
                    self.line(line);
                }
            }
            if gives_depth {
                self.line("texdepth r5");
            }
            self.textures();
            self.arithmetic();
        }
        self.results();
    }

    fn textures(&mut self) {
        for _ in 0..self.statements() {
            match self.random.below(3) {
                0 => self.stage(),
                _ => self.any_of(|op| op.info().class == Class::Texture),
            }
        }
    }

    fn arithmetic(&mut self) {
        for _ in 0..self.statements() {
            match self.random.below(5) {
                0 => self.pair(),
                _ => self.any_of(|op| op.info().class == Class::Arithmetic),
            }
        }
    }

    fn statements(&mut self) -> usize {
        1 + self.random.below(self.size)
    }

    fn declare(&mut self) {
        let text = match (self.is_vertex(), self.major()) {
            (true, 3) => {
                "dcl_position v0\ndcl_texcoord v1.xy\ndcl_normal v1.zw\ndcl_color v2\ndcl_2d s0\ndcl_cube s1\ndcl_volume s2
                dcl_position o0\ndcl_texcoord o1.xy\ndcl_texcoord1 o1.zw\ndcl_color o2\ndcl_fog o3.x"
            }
            (true, _) => "dcl_position v0\ndcl_texcoord v1\ndcl_color v2",
            (false, 3) => {
                "dcl_texcoord v0\ndcl_texcoord1_centroid v1.xy\ndcl_color v2\ndcl vPos.xy\ndcl vFace\ndcl_2d s0\ndcl_cube s1
                dcl_volume s2"
            }
            (false, 2) => "dcl t0\ndcl t1.xy\ndcl t2\ndcl v0\ndcl v1.xyz\ndcl_2d s0\ndcl_cube s1\ndcl_volume s2",
            _ => "",
        };
        self.line(text);
        for register in [1, 3, 4] {
            if self.random.one_in(2) {
                let words = [(); 4].map(|()| self.number());
                self.line(&format!("def c{register}, {}", words.join(", ")));
            }
        }
        if self.has(RegisterFile::ConstInt) && self.random.one_in(2) {
            let [count, first] = [5, 6].map(|end| self.random.below(end));
            self.line(&format!("defi i0, {count}, {first}, 1, 0"));
        }
        if self.has(RegisterFile::ConstBool) && self.random.one_in(2) {
            let value = self.random.one_in(2);
            self.line(&format!("defb b0, {value}"));
        }
    }

    fn number(&mut self) -> String {
        self.random.pick(&["0", "1", "-1", "0.5", "2", "-3.25", "1e30", "1e-30"]).to_owned()
    }

    /// Writes of outputs.
    fn results(&mut self) {
        self.line(match (self.is_vertex(), self.major()) {
            (true, 3) => "mov o0, r0\nmov o1.xy, r1",
            (true, _) => "mov oPos, r0\nmov oD0, r1\nmov oFog, r0.x",
            (false, 1) => "mad r0, r1, v0, r0",
            _ => "mov oC0, r0",
        });
    }

    fn statement(&mut self, depth: u32) {
        let can_branch = depth > 0 && self.has_op(Op::IfC);
        match self.random.below(12) {
            0 | 1 if can_branch => self.branch(depth),
            2 if depth > 0 && self.loops < 2 && self.has_op(Op::Rep) => self.repeat(depth),
            3 if self.loops > 0 => self.leave(),
            4 if self.subroutine.map_or(0, |label| label + 1) < self.subroutines() && self.loops == 0 => self.call(),
            _ => self.any_of(|op| matches!(op.info().class, Class::Arithmetic | Class::Texture)),
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..self.statements() {
            self.statement(depth);
        }
    }

    fn branch(&mut self, depth: u32) {
        let condition = match self.random.below(3) {
            0 => self.condition(),
            1 if self.has(RegisterFile::Predicate) => self.predicate(),
            _ => {
                let comparison = self.random.pick(&COMPARISONS);
                let (left, right) = (self.source(Op::IfC, true), self.source(Op::IfC, true));
                self.line(&format!("if_{comparison} {left}, {right}"));
                return self.rest_of_branch(depth);
            }
        };
        self.line(&format!("if {condition}"));
        self.rest_of_branch(depth);
    }

    fn rest_of_branch(&mut self, depth: u32) {
        self.block(depth - 1);
        if self.random.one_in(2) {
            self.line("else");
            self.block(depth - 1);
        }
        self.line("endif");
    }

    fn condition(&mut self) -> String {
        format!("{}b{}", if self.random.one_in(2) { "!" } else { "" }, self.random.below(2))
    }

    /// A component of the predicate.
    fn predicate(&mut self) -> String {
        format!("{}p0.{}", if self.random.one_in(2) { "!" } else { "" }, self.random.pick(&["x", "y", "z", "w"]))
    }

    fn repeat(&mut self, depth: u32) {
        // In vs_2_0 loops are not nested, even across calls.
        if self.version == Version::Vs2_0 && (self.loops > 0 || self.subroutine.is_some()) {
            return;
        }
        let counts = self.has_op(Op::Loop) && self.random.one_in(2);
        let integer = self.random.below(2);
        self.line(&format!("{} i{integer}", if counts { "loop aL," } else { "rep" }));
        self.loops += 1;
        self.counters += u32::from(counts);
        self.block(depth - 1);
        self.counters -= u32::from(counts);
        self.loops -= 1;
        self.line(if counts { "endloop" } else { "endrep" });
    }

    fn leave(&mut self) {
        if self.random.one_in(3) && self.has(RegisterFile::Predicate) {
            let predicate = self.predicate();
            return self.line(&format!("breakp {predicate}"));
        }
        if self.has_op(Op::BreakC) {
            let comparison = self.random.pick(&COMPARISONS);
            let (left, right) = (self.source(Op::BreakC, true), self.source(Op::BreakC, true));
            self.line(&format!("break_{comparison} {left}, {right}"));
        }
    }

    fn call(&mut self) {
        let label = self.subroutine.map_or(0, |label| label + 1);
        let line = match self.random.below(3) {
            0 => format!("call l{label}"),
            1 if self.has(RegisterFile::Predicate) => format!("callnz l{label}, {}", self.predicate()),
            _ => format!("callnz l{label}, {}", self.condition()),
        };
        self.line(&line);
    }

    /// An instruction of the version that is of a kind.
    fn any_of(&mut self, is_wanted: impl Fn(Op) -> bool) {
        let of_stage = [Op::TexDepth, Op::TexM3x2Tex, Op::TexM3x2Depth, Op::TexM3x2Pad, Op::TexM3x3Pad];
        let of_stage = [&of_stage[..], &[Op::TexM3x3, Op::TexM3x3Tex, Op::TexM3x3Spec, Op::TexM3x3VSpec]].concat();
        let is_op = |op: &Op| self.has_op(*op) && is_wanted(*op) && !of_stage.contains(op);
        let ops: Vec<Op> = Op::ALL.iter().copied().filter(is_op).collect();
        let op = self.random.pick(&ops);
        self.instruction(op, None);
    }

    /// An instruction; with a given mask, without a predicate.
    fn instruction(&mut self, op: Op, mask: Option<&str>) {
        let can_be_predicated =
            self.has(RegisterFile::Predicate) && !matches!(op, Op::SetP | Op::Nop) && mask.is_none();
        if can_be_predicated && self.random.one_in(5) {
            let not = if self.random.one_in(2) { "!" } else { "" };
            let component = self.random.pick(&["", ".x", ".w"]);
            self.text += &format!("({not}p0{component}) ");
        }
        let mut name = op.text().to_owned();
        if op == Op::SetP {
            name = format!("setp_{}", self.random.pick(&COMPARISONS));
        }
        let slots = op.info().slots;
        let is_value = slots.first() == Some(&Slot::Write);
        if is_value && op.info().class == Class::Arithmetic {
            name += &self.shift();
            if (!self.is_vertex() || self.major() == 3) && self.random.one_in(6) {
                name += "_sat";
            }
        }
        let operands: Vec<String> = slots.iter().map(|&slot| self.operand(op, slot, mask)).collect();
        self.line(&format!("{name} {}", operands.join(", ")));
    }

    fn shift(&mut self) -> String {
        if self.is_vertex() || self.major() > 1 || !self.random.one_in(6) {
            return String::new();
        }
        self.random.pick(&["_x2", "_x4", "_d2"]).to_owned()
    }

    fn operand(&mut self, op: Op, slot: Slot, mask: Option<&str>) -> String {
        match slot {
            Slot::Write => self.destination(op, mask),
            Slot::WriteAddress => format!("a0.{}", self.mask()),
            Slot::WritePredicate => format!("p0.{}", self.mask()),
            Slot::Test if !self.is_vertex() && self.major() == 1 => self.texture(),
            Slot::Test => self.temp(),
            Slot::Read => self.source(op, false),
            Slot::ReadScalar if op == Op::Cnd => "r0.a".to_owned(),
            Slot::ReadScalar => self.source(op, true),
            Slot::Matrix(_) => format!("c{}", self.random.below(4)),
            Slot::Sampler => format!("s{}", self.random.below(3)),
            Slot::Label | Slot::Loop | Slot::Integer | Slot::Condition | Slot::Predicate => {
                unreachable!("flow instructions are written elsewhere")
            }
        }
    }

    fn mask(&mut self) -> &'static str {
        self.random.pick(&MASKS)
    }

    fn temp(&mut self) -> String {
        let count = RegisterFile::Temp.count(self.version).min(TEMPS);
        format!("r{}", self.random.below(count.into()))
    }

    fn texture(&mut self) -> String {
        format!("t{}", self.random.below(4))
    }

    fn has_texture_registers(&self) -> bool {
        matches!(self.version, Version::Ps1_1 | Version::Ps1_2 | Version::Ps1_3)
    }

    fn destination(&mut self, op: Op, mask: Option<&str>) -> String {
        if op.info().class == Class::Texture && self.has_texture_registers() {
            return self.texture();
        }
        let masks: &[&str] = match op {
            Op::M4x4 | Op::M3x4 => &["xyzw"],
            Op::M4x3 | Op::M3x3 => &["xyz"],
            Op::M3x2 | Op::Bem => &["xy"],
            Op::Nrm => &["xyz", "xyzw"],
            Op::Crs => &["x", "xy", "yz", "xyz"],
            Op::SinCos | Op::SinCosTaylor => &["x", "y", "xy"],
            _ if op.info().class == Class::Texture && self.major() < 3 => &["xyzw"],
            _ => &MASKS,
        };
        let mask = mask.unwrap_or_else(|| self.random.pick(masks));
        let register = match self.random.below(8) {
            0 if self.is_vertex() && self.major() == 3 && self.counters > 0 => {
                return format!("o2[aL].{}", if masks.len() == MASKS.len() { mask } else { masks[0] });
            }
            0 if self.is_vertex() && self.major() == 3 && mask == "xyzw" => "o2".to_owned(),
            0 if self.is_vertex() && self.major() < 3 => self.random.pick(&["oPos", "oD1", "oT0", "oT3"]).to_owned(),
            // Versions 2.x write colours whole; the depth is one component, which mov must select.
            0 if !self.is_vertex() && self.major() > 1 => match self.random.below(2) {
                0 if op != Op::Mov => "oDepth".to_owned(),
                _ if self.major() == 3 || mask == "xyzw" => "oC1".to_owned(),
                _ => self.temp(),
            },
            1 if self.version <= Version::Vs1_1 && op == Op::Mov => return "a0.x".to_owned(),
            _ => self.temp(),
        };
        format!("{register}.{mask}")
    }

    /// A source, of one component if the instruction takes no more.
    fn source(&mut self, op: Op, is_scalar: bool) -> String {
        let is_texture = op.info().class == Class::Texture;
        let compares = matches!(op, Op::Cmp | Op::IfC | Op::BreakC | Op::SetP);
        let register = match (self.is_vertex(), self.major(), self.random.below(6)) {
            (false, 1, _) if is_texture && self.version == Version::Ps1_4 => return self.texture(),
            (false, 1, _) if is_texture => self.texture(),
            (_, _, 0) => format!("c{}", self.random.below(6)),
            (true, major, 1) if !is_texture => match self.random.below(3) {
                0 if self.counters > 0 && major >= 2 => format!("c{}[aL]", self.random.below(4)),
                1 if self.counters > 0 && major == 3 => "v0[aL]".to_owned(),
                _ => format!("c{}[a0.x]", self.random.below(4)),
            },
            (true, _, 2) => format!("v{}", self.random.below(3)),
            (false, 1, 1) if self.has_texture_registers() => self.texture(),
            (false, 1, 2) if self.has_colors => format!("v{}", self.random.below(2)),
            (false, 2, 1) => format!("t{}", self.random.below(3)),
            (false, 2, 2) => format!("v{}", self.random.below(2)),
            (false, 3, 1) if compares && self.random.one_in(2) => return "vFace".to_owned(),
            (false, 3, 1) if self.counters > 0 => "v0[aL]".to_owned(),
            (false, 3, 1) if !is_texture => "vPos".to_owned(),
            (false, 3, 2) => format!("v{}", self.random.below(3)),
            _ => self.temp(),
        };
        let register = self.modified(&register);
        let swizzle: String = match is_scalar {
            true => self.random.pick(&["x", "y", "z", "w"]).to_owned(),
            false if self.random.one_in(2) => return register,
            false => (0..4).map(|_| self.random.pick(&['x', 'y', 'z', 'w'])).collect(),
        };
        format!("{register}.{swizzle}")
    }

    fn modified(&mut self, register: &str) -> String {
        let is_ps_1 = !self.is_vertex() && self.major() == 1;
        match self.random.below(12) {
            0 => format!("-{register}"),
            1 if self.major() == 3 => format!("{register}_abs"),
            2 if self.major() == 3 => format!("-{register}_abs"),
            1 if is_ps_1 => format!("{register}_bx2"),
            2 if is_ps_1 => format!("{register}_bias"),
            3 if is_ps_1 => format!("1-{register}"),
            4 if self.version == Version::Ps1_4 => format!("-{register}_x2"),
            _ => register.to_owned(),
        }
    }

    /// Writes a sequence of shader model 1 that belongs together: the rows of a matrix, and their uses.
    fn stage(&mut self) {
        if !self.has_texture_registers() {
            return;
        }
        let (two, three) = (["texm3x2tex", "texm3x2depth"], ["texm3x3tex", "texm3x3vspec", "texm3x3"]);
        if self.random.one_in(2) {
            let last = if self.version == Version::Ps1_3 { self.random.pick(&two) } else { two[0] };
            return self.line(&format!("texm3x2pad t1, t0\n{last} t2, t0"));
        }
        let last =
            if self.version == Version::Ps1_1 { self.random.pick(&three[..2]) } else { self.random.pick(&three) };
        self.line(&format!("texm3x3pad t1, t0\ntexm3x3pad t2, t0\n{last} t3, t0"));
    }

    /// Two instructions that run together.
    fn pair(&mut self) {
        let ops = [Op::Mov, Op::Add, Op::Mul, Op::Mad, Op::Sub];
        let op = self.random.pick(&ops);
        self.instruction(op, Some("xyz"));
        self.text += "+ ";
        let op = self.random.pick(&ops);
        self.instruction(op, Some("w"));
    }
}
