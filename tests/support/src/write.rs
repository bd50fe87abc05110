//! Writes the tree of a random shader in assembly language, and its container.

use std::fmt::{self, Write as _};

use brolga_runtime::Format;
use brolga_runtime::format::Encoding;

use crate::bound::content::Form;
use crate::program::{Block, Condition, Exit, Index, Instr, Jump, Node, Operand, Parts, Program, Register, Rounds};
use crate::run::assemble;
use crate::views::SHARED_BYTES_PER_THREAD;

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

impl Program {
    /// The container with the program.
    pub fn container(&self) -> Vec<u8> {
        let mut writer = Writer { program: self, text: String::new(), function: 0 };
        writer.declarations();
        writer.own_number();
        writer.block(&self.body);
        writer.show();
        writer.line("ret");
        for (n, body) in self.functions.iter().enumerate() {
            writer.function = 1 + n as u32;
            writer.line(format_args!("label label{n}"));
            writer.block(body);
            writer.line("ret");
        }
        assemble(&writer.text)
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

    /// Inputs that are used: by thread, group, in group, index in group.
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

    /// Operands of conditions, selectors and counts of iterations.
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

struct Writer<'a> {
    program: &'a Program,
    text: String,
    /// 0 for the main program, then the subroutines.
    function: u32,
}

impl Writer<'_> {
    fn line(&mut self, text: impl fmt::Display) {
        writeln!(self.text, "{text}").expect("strings take everything");
    }

    fn declarations(&mut self) {
        let program = self.program;
        self.line("cs_5_0");
        self.line("dcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps | enable11_1DoubleExtensions");
        if !program.immediate.is_empty() {
            let vector = |[x, y, z, w]: &[u32; 4]| format!("{{ {x:#x}, {y:#x}, {z:#x}, {w:#x} }}");
            let vectors: Vec<String> = program.immediate.iter().map(vector).collect();
            self.line(format_args!("dcl_immediateConstantBuffer {{ {} }}", vectors.join(", ")));
        }
        for register in program.views() {
            self.view(&register);
        }
        let inputs = ["vThreadID.xyz", "vThreadGroupID.xyz", "vThreadIDInGroup.xyz", "vThreadIDInGroupFlattened"];
        for (input, used) in inputs.into_iter().zip(program.inputs()) {
            if used {
                self.line(format_args!("dcl_input {input}"));
            }
        }
        self.line(format_args!("dcl_temps {}", program.temps + 5 + 2 * (1 + program.functions.len() as u32)));
        for (n, vectors) in program.arrays.iter().enumerate() {
            self.line(format_args!("dcl_indexableTemp x{n}[{vectors}], 4"));
        }
        if program.uses_shared() {
            let threads = program.group_threads();
            self.line(format_args!("dcl_tgsm_structured g0, {}, {threads}", program.layout.shared_bytes));
            self.line(format_args!("dcl_tgsm_raw g1, {}", threads * SHARED_BYTES_PER_THREAD));
        }
        let [x, y, z] = program.group;
        self.line(format_args!("dcl_thread_group {x}, {y}, {z}"));
    }

    fn view(&mut self, register: &Register) {
        if let Register::Constant(n, _) = *register {
            let vectors = self.program.layout.constants[n as usize];
            return self.line(format_args!("dcl_constantbuffer CB{n}[{vectors}], dynamicIndexed"));
        }
        let name = self.register(register);
        let (class, typed) = if name.starts_with('u') { ("uav", "uav_typed") } else { ("resource", "resource") };
        match self.program.form(register) {
            Form::Sampler(sampler) => {
                let mode = if sampler.compares() { "comparison" } else { "default" };
                self.line(format_args!("dcl_sampler {name}, mode_{mode}"));
            }
            Form::Raw => self.line(format_args!("dcl_{class}_raw {name}")),
            Form::Structured { stride_bytes } => {
                let counter = if *register == Register::Uav(3) { "_opc" } else { "" };
                self.line(format_args!("dcl_{class}_structured{counter} {name}, {stride_bytes}"));
            }
            Form::Typed(format) => self.line(format_args!("dcl_{typed}_buffer {} {name}", returns(format))),
            Form::Texture(picture) => {
                let samples = if picture.dimension.is_multisampled() && class == "resource" { "(0)" } else { "" };
                let (dimension, returns) = (picture.dimension.name(), returns(picture.format));
                self.line(format_args!("dcl_{typed}_{dimension}{samples} {returns} {name}"));
            }
            Form::Constant => unreachable!("constant buffers are declared above"),
        }
    }

    /// The thread's number: groups in order, threads in order within them.
    fn own_number(&mut self) {
        let [across, down, z] = self.program.groups;
        let [scratch, own] = [Register::Scratch, Register::Own].map(|register| self.register(&register));
        let mut group = "vThreadGroupID.x".to_owned();
        if down * z > 1 {
            self.line(format_args!("imad {scratch}.x, vThreadGroupID.z, l({down}), vThreadGroupID.y"));
            self.line(format_args!("imad {scratch}.x, {scratch}.x, l({across}), vThreadGroupID.x"));
            group = format!("{scratch}.x");
        }
        let threads = self.program.group_threads();
        self.line(format_args!("imad {own}.x, {group}, l({threads}), vThreadIDInGroupFlattened.x"));
    }

    /// Writes general registers to the thread's record.
    fn show(&mut self) {
        let order = self.program.layout.records;
        let scratch = format!("{}.x", self.register(&Register::Scratch));
        let mut position = format!("{}.x", self.register(&Register::Own));
        if order.reverse {
            self.line(format_args!("iadd {scratch}, l({}), -{position}", self.program.threads() - 1));
            position.clone_from(&scratch);
        }
        if order.spread != 1 {
            self.line(format_args!("imad {scratch}, {position}, l({}), l(0)", order.spread));
            position = scratch;
        }
        for n in 0..self.program.shown {
            self.line(format_args!("store_structured u0.xyzw, {position}, l({}), r{n}.xyzw", 16 * n));
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
                self.conditional("if", cond, "");
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.block(otherwise);
                }
                self.line("endif");
            }
            Node::Loop { depth, rounds, exit, head, body } => self.counted_loop(*depth, rounds, *exit, head, body),
            Node::Switch { selector, arms } => {
                self.line(format_args!("switch {}", self.operand(selector)));
                for arm in arms {
                    for label in &arm.labels {
                        match label {
                            Some(value) => self.line(format_args!("case l({value:#x})")),
                            None => self.line("default"),
                        }
                    }
                    self.block(&arm.body);
                    if !arm.falls {
                        self.line("break");
                    }
                }
                self.line("endswitch");
            }
            Node::Call { function, cond: None } => self.line(format_args!("call label{function}")),
            Node::Call { function, cond: Some(cond) } => {
                self.conditional("callc", cond, &format!(", label{function}"));
            }
            Node::Jump { jump, cond, shows } => self.jump(*jump, cond.as_ref(), *shows),
            Node::Part(body) => {
                self.block(body);
                self.line("sync_g_t");
            }
            Node::Sync(flags) => self.line(format_args!("sync{flags}")),
        }
    }

    fn jump(&mut self, jump: Jump, cond: Option<&Condition>, shows: bool) {
        let (plain, conditional) = match jump {
            Jump::Break => ("break", "breakc"),
            Jump::Continue => ("continue", "continuec"),
            Jump::Return => ("ret", "retc"),
        };
        match cond {
            Some(cond) if !shows => return self.conditional(conditional, cond, ""),
            Some(cond) => self.conditional("if", cond, ""),
            None => {}
        }
        if shows {
            self.show();
        }
        self.line(plain);
        if cond.is_some() {
            self.line("endif");
        }
    }

    fn counted_loop(&mut self, depth: usize, rounds: &Rounds, exit: Exit, head: &Block, body: &Block) {
        let first = self.program.temps + 5 + 2 * self.function;
        let [counter, bound] = [0, 1].map(|n| format!("r{}.{}", first + n, LETTERS[depth]));
        self.line(format_args!("mov {counter}, l(0)"));
        let end = match rounds {
            Rounds::Fixed(rounds) => format!("l({rounds})"),
            Rounds::Masked(operand, mask) => {
                self.line(format_args!("and {bound}, {}, l({mask})", self.operand(operand)));
                bound
            }
        };
        self.line("loop");
        self.block(head);
        let over = format!("{}.w", self.register(&Register::Scratch));
        let test = if matches!(exit, Exit::NonZero | Exit::If) { "uge" } else { "ult" };
        self.line(format_args!("{test} {over}, {counter}, {end}"));
        match exit {
            Exit::NonZero => self.line(format_args!("breakc_nz {over}")),
            Exit::Zero => self.line(format_args!("breakc_z {over}")),
            Exit::If => self.line(format_args!("if_nz {over}\nbreak\nendif")),
            Exit::Else => self.line(format_args!("if_nz {over}")),
        }
        self.line(format_args!("iadd {counter}, {counter}, l(1)"));
        self.block(body);
        if exit == Exit::Else {
            self.line("else\nbreak\nendif");
        }
        self.line("endloop");
    }

    fn conditional(&mut self, name: &str, cond: &Condition, rest: &str) {
        let test = if cond.non_zero { "nz" } else { "z" };
        self.line(format_args!("{name}_{test} {}{rest}", self.operand(&cond.operand)));
    }

    fn instr(&mut self, instr: &Instr) {
        let operands: Vec<String> = instr.operands.iter().map(|operand| self.operand(operand)).collect();
        self.line(format_args!("{}{} {}", instr.op.info().text, instr.suffix, operands.join(", ")));
    }

    fn operand(&self, operand: &Operand) -> String {
        let mut text = self.register(&operand.register);
        let letters: String = match operand.parts {
            Parts::None => String::new(),
            Parts::Mask(mask) => (0..4).filter(|n| mask >> n & 1 != 0).map(|n| LETTERS[n]).collect(),
            Parts::Swizzle(swizzle) => swizzle.iter().map(|&n| LETTERS[usize::from(n)]).collect(),
            Parts::Select(n) => LETTERS[usize::from(n)].into(),
        };
        // A register without components to select, whatever the tree says.
        let is_scalar = text.ends_with(')') || operand.register == Register::IndexInGroup;
        if !letters.is_empty() && !is_scalar {
            text = format!("{text}.{letters}");
        }
        operand.modifier.around(&text)
    }

    fn register(&self, register: &Register) -> String {
        let program = self.program;
        let words = |words: &[u32]| words.iter().map(|word| format!("{word:#x}")).collect::<Vec<_>>().join(", ");
        match register {
            Register::Null => "null".to_owned(),
            Register::Literal(literal) => format!("l({})", words(literal)),
            Register::Doubles(doubles) => {
                let halves: Vec<u32> = doubles.iter().flat_map(|bits| [*bits as u32, (bits >> 32) as u32]).collect();
                format!("d({})", words(&halves))
            }
            Register::GroupThreads => format!("l({})", program.group_threads()),
            Register::LastThread => format!("l({})", program.threads() - 1),
            Register::LastInGroup => format!("l({})", program.group_threads() - 1),
            Register::ThreadId => "vThreadID".to_owned(),
            Register::GroupId => "vThreadGroupID".to_owned(),
            Register::IdInGroup => "vThreadIDInGroup".to_owned(),
            Register::IndexInGroup => "vThreadIDInGroupFlattened.x".to_owned(),
            Register::Array(n, index) => format!("x{n}[{}]", self.index(index)),
            Register::Constant(n, index) => format!("cb{n}[{}]", self.index(index)),
            Register::Immediate(index) => format!("icb[{}]", self.index(index)),
            Register::Resource(n) => format!("t{n}"),
            Register::Uav(n) => format!("u{n}"),
            Register::Sampler(n) => format!("s{n}"),
            Register::Shared(n) => format!("g{n}"),
            temp => format!("r{}", program.temp(temp).expect("every other register is an r#")),
        }
    }

    fn index(&self, Index { base, relative }: &Index) -> String {
        match relative {
            None => base.to_string(),
            Some((register, component)) => {
                format!("{} + {base}", self.operand(&Operand::one((**register).clone(), *component)))
            }
        }
    }
}

/// The types that a typed view returns.
fn returns(format: Format) -> String {
    let name = match format.encoding() {
        Encoding::Unorm | Encoding::Srgb => "unorm",
        Encoding::Snorm => "snorm",
        Encoding::Sint => "sint",
        Encoding::Uint => "uint",
        _ => "float",
    };
    format!("({name},{name},{name},{name})")
}
