//! Random geometry shaders: statements that are written as a listing, and that a plain model runs for one invocation.
//!
//! Values are words, and operations those of integers, so that the model needs no floats. Loops are short, and emits
//! are anywhere: in loops and conditions, too many, none.

use brolga_testing::random::Random;

/// Registers of a vertex, in and out.
pub const ROWS: u32 = 3;

/// Temporary registers of loops, by depth, and one for sums.
const MOST_DEPTH: u32 = 3;
const SUM: u32 = MOST_DEPTH;

/// A value of one component.
#[derive(Clone, Debug)]
enum Operand {
    /// A component of a vertex, whose number is known or a loop's counter.
    Input {
        vertex: Vertex,
        row: u32,
        component: u32,
    },
    PrimitiveId,
    Instance,
    Constant(u32),
    Counter(u32),
}

#[derive(Clone, Copy, Debug)]
enum Vertex {
    Known(u32),
    /// A counter and an offset.
    Counted(u32, u32),
}

#[derive(Clone, Debug)]
enum Statement {
    /// Writes components of an output: a value, or the sum of two.
    Set {
        row: Row,
        mask: u8,
        first: Operand,
        second: Option<Operand>,
    },
    Emit {
        stream: u32,
        cuts: bool,
    },
    Cut {
        stream: u32,
    },
    /// Where the lowest bits of a value are not 0.
    If {
        value: Operand,
        bits: u32,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// So often as the lowest bits of a value say.
    Loop {
        count: Operand,
        bits: u32,
        body: Vec<Statement>,
    },
    /// Where the lowest bits of a value are 0.
    Return {
        value: Operand,
        bits: u32,
    },
}

#[derive(Clone, Copy, Debug)]
enum Row {
    Known(u32),
    /// A counter's lowest bit.
    Counted(u32),
}

/// A geometry shader.
#[derive(Debug)]
pub struct Program {
    pub primitive: &'static str,
    /// Vertices of a primitive.
    pub vertices: u32,
    pub most: u32,
    pub instances: u32,
    /// Each with its number and what it emits: points, lines or triangles by the number of their vertices.
    pub streams: Vec<(u32, u32)>,
    /// Components of each row, of each stream.
    pub masks: [[u8; ROWS as usize]; 4],
    is_indexed: bool,
    body: Vec<Statement>,
}

/// What an invocation emits: vertices of streams, each with whether a strip begins.
pub type Emitted = Vec<(u32, bool, [[u32; 4]; ROWS as usize])>;

impl Program {
    /// A random one for primitives of this name and number of vertices.
    pub fn new(random: &mut Random, primitive: &'static str, vertices: u32) -> Self {
        let streams = match random.below(4) {
            0 => {
                let all = random.below(16) as u32;
                (0..4).filter(|stream| all >> stream & 1 != 0).map(|stream| (stream, 1)).collect()
            }
            _ => vec![(0, 1 + random.below(3) as u32)],
        };
        let streams: Vec<(u32, u32)> = if streams.is_empty() { vec![(1, 1)] } else { streams };
        let is_indexed = streams.len() == 1 && random.one_in(5);
        let mut mask = |row: u32| match random.below(4) {
            _ if is_indexed && row < 2 => 15,
            0 => 15,
            1 if row > 0 => 0,
            2 => 3,
            _ => 1 << random.below(4),
        };
        let masks = [(); 4].map(|()| [0, 1, 2].map(&mut mask));
        let (most, instances) = (random.pick(&[1, 2, 3, 4, 7, 30]), random.pick(&[1, 1, 1, 2, 5]));
        let mut program = Self { primitive, vertices, most, instances, streams, masks, is_indexed, body: Vec::new() };
        let count = 2 + random.below(8);
        program.body = program.block(random, count, 0);
        program
    }

    fn operand(&self, random: &mut Random, depth: u32) -> Operand {
        match random.below(8) {
            0 => Operand::PrimitiveId,
            1 => Operand::Instance,
            2 => Operand::Constant(random.word()),
            3 if depth > 0 => Operand::Counter(random.below(depth as usize) as u32),
            _ => {
                let known = |random: &mut Random| Vertex::Known(random.below(self.vertices as usize) as u32);
                let vertex = match depth > 0 && random.one_in(2) {
                    true => Vertex::Counted(random.below(depth as usize) as u32, random.below(3) as u32),
                    false => known(random),
                };
                Operand::Input { vertex, row: random.below(ROWS as usize) as u32, component: random.below(4) as u32 }
            }
        }
    }

    fn block(&self, random: &mut Random, count: usize, depth: u32) -> Vec<Statement> {
        (0..count).map(|_| self.statement(random, depth)).collect()
    }

    fn statement(&self, random: &mut Random, depth: u32) -> Statement {
        let (stream, _) = random.pick(&self.streams);
        let inner = 1 + random.below(4);
        match random.below(12) {
            0..=3 => {
                let first = self.operand(random, depth);
                let second = random.one_in(2).then(|| self.operand(random, depth));
                let rows: Vec<u32> = (0..ROWS).filter(|&row| self.declared(row) != 0).collect();
                if depth > 0 && self.is_indexed && random.one_in(2) {
                    let row = Row::Counted(random.below(depth as usize) as u32);
                    return Statement::Set { row, mask: 1 << random.below(4), first, second };
                }
                let row = random.pick(&rows);
                let some = self.declared(row) & (1 + random.below(15) as u8);
                let mask = if some == 0 { self.declared(row) } else { some };
                Statement::Set { row: Row::Known(row), mask, first, second }
            }
            4 if depth < MOST_DEPTH => Statement::If {
                value: self.operand(random, depth),
                bits: 1 + random.below(3) as u32,
                then: self.block(random, inner, depth),
                otherwise: if random.one_in(2) { self.block(random, 1, depth) } else { Vec::new() },
            },
            5 | 6 if depth < MOST_DEPTH => Statement::Loop {
                count: match random.one_in(2) {
                    true => Operand::Constant(random.below(8) as u32),
                    false => self.operand(random, depth),
                },
                bits: 7,
                body: self.block(random, inner, depth + 1),
            },
            7 if random.one_in(3) => Statement::Return { value: self.operand(random, depth), bits: 3 },
            8 => Statement::Cut { stream },
            _ => Statement::Emit { stream, cuts: random.one_in(5) },
        }
    }

    /// Components of a row that any stream has.
    fn declared(&self, row: u32) -> u8 {
        self.streams.iter().fold(0, |all, &(stream, _)| all | self.masks[stream as usize][row as usize])
    }

    /// The rows of its signature for outputs.
    pub fn outputs(&self) -> Vec<String> {
        let mut rows = Vec::new();
        for &(stream, _) in &self.streams {
            for (row, &mask) in self.masks[stream as usize].iter().enumerate().filter(|(_, mask)| **mask != 0) {
                rows.push(format!("m{stream}:OUT {row} {} {row} NONE uint", letters(mask)));
            }
        }
        rows
    }

    /// Its listing, from the model on.
    pub fn text(&self) -> String {
        let mut lines = vec!["dcl_globalFlags refactoringAllowed".to_owned()];
        lines.extend((0..ROWS).map(|row| format!("dcl_input v[{}][{row}].xyzw", self.vertices)));
        lines.extend(["dcl_input vPrim".to_owned(), "dcl_input vGSInstanceID".to_owned()]);
        if self.is_indexed {
            lines.push("dcl_indexrange o0.xyzw 2".to_owned());
        }
        lines.push(format!("dcl_temps {}", SUM + 1));
        lines.push(format!("dcl_gsinstances {}", self.instances));
        lines.push(format!("dcl_inputprimitive {}", self.primitive));
        for &(stream, vertices) in &self.streams {
            lines.push(format!("dcl_stream m{stream}"));
            let topology = ["", "pointlist", "linestrip", "trianglestrip"][vertices as usize];
            lines.push(format!("dcl_outputtopology {topology}"));
            for (row, &mask) in self.masks[stream as usize].iter().enumerate().filter(|(_, mask)| **mask != 0) {
                lines.push(format!("dcl_output o{row}.{}", letters(mask)));
            }
        }
        lines.push(format!("dcl_maxout {}", self.most));
        // The declaration of a range follows those of its registers.
        if let Some(at) = lines.iter().position(|line| line.starts_with("dcl_indexrange")) {
            let range = lines.remove(at);
            lines.insert(lines.len() - 1, range);
        }
        write(&self.body, 0, &mut lines);
        lines.join("\n")
    }

    /// What an invocation emits, by the vertices of its primitive.
    pub fn run(&self, vertices: &[[[u32; 4]; ROWS as usize]], primitive_id: u32, instance: u32) -> Emitted {
        let mut run = Run {
            program: self,
            vertices,
            ids: [primitive_id, instance],
            counters: [0; MOST_DEPTH as usize],
            outputs: [[0; 4]; ROWS as usize],
            begins: [true; 4],
            emitted: Vec::new(),
        };
        run.block(&self.body, 0);
        run.emitted
    }
}

fn letters(mask: u8) -> String {
    "xyzw".chars().enumerate().filter(|(n, _)| mask >> n & 1 != 0).map(|(_, letter)| letter).collect()
}

fn text(operand: &Operand) -> String {
    match *operand {
        Operand::Input { vertex: Vertex::Known(vertex), row, component } => {
            format!("v[{vertex}][{row}].{}", letters(1 << component))
        }
        Operand::Input { vertex: Vertex::Counted(counter, offset), row, component } => {
            format!("v[r{counter}.x + {offset}][{row}].{}", letters(1 << component))
        }
        Operand::PrimitiveId => "vPrim".to_owned(),
        Operand::Instance => "vGSInstanceID.x".to_owned(),
        Operand::Constant(word) => format!("l({})", word as i32),
        Operand::Counter(depth) => format!("r{depth}.x"),
    }
}

fn write(block: &[Statement], depth: u32, lines: &mut Vec<String>) {
    let masked = |value: &Operand, bits: u32, lines: &mut Vec<String>| {
        lines.push(format!("and r{SUM}.x, {}, l({bits})", text(value)));
    };
    for statement in block {
        match statement {
            Statement::Set { row, mask, first, second } => {
                let value = match second {
                    None => text(first),
                    Some(second) => {
                        lines.push(format!("iadd r{SUM}.y, {}, {}", text(first), text(second)));
                        format!("r{SUM}.y")
                    }
                };
                let mask = letters(*mask);
                match row {
                    Row::Known(row) => lines.push(format!("mov o{row}.{mask}, {value}")),
                    Row::Counted(counter) => {
                        lines.push(format!("and r{SUM}.x, r{counter}.x, l(1)"));
                        lines.push(format!("mov o[r{SUM}.x + 0].{mask}, {value}"));
                    }
                }
            }
            Statement::Emit { stream, cuts: false } => lines.push(format!("emit_stream m{stream}")),
            Statement::Emit { stream, cuts: true } => lines.push(format!("emit_then_cut_stream m{stream}")),
            Statement::Cut { stream } => lines.push(format!("cut_stream m{stream}")),
            Statement::If { value, bits, then, otherwise } => {
                masked(value, *bits, lines);
                lines.push(format!("if_nz r{SUM}.x"));
                write(then, depth, lines);
                if !otherwise.is_empty() {
                    lines.push("else".to_owned());
                    write(otherwise, depth, lines);
                }
                lines.push("endif".to_owned());
            }
            Statement::Loop { count, bits, body } => {
                // The limit stays in another component of the counter's register.
                lines.push(format!("and r{depth}.y, {}, l({bits})", text(count)));
                lines.push(format!("mov r{depth}.x, l(0)"));
                lines.push("loop".to_owned());
                lines.push(format!("uge r{SUM}.x, r{depth}.x, r{depth}.y"));
                lines.push(format!("breakc_nz r{SUM}.x"));
                write(body, depth + 1, lines);
                lines.push(format!("iadd r{depth}.x, r{depth}.x, l(1)"));
                lines.push("endloop".to_owned());
            }
            Statement::Return { value, bits } => {
                masked(value, *bits, lines);
                lines.push(format!("retc_z r{SUM}.x"));
            }
        }
    }
}

/// The state of the model.
struct Run<'p> {
    program: &'p Program,
    vertices: &'p [[[u32; 4]; ROWS as usize]],
    ids: [u32; 2],
    counters: [u32; MOST_DEPTH as usize],
    outputs: [[u32; 4]; ROWS as usize],
    begins: [bool; 4],
    emitted: Emitted,
}

impl Run<'_> {
    fn value(&self, operand: &Operand) -> u32 {
        match *operand {
            Operand::Input { vertex, row, component } => {
                let number = match vertex {
                    Vertex::Known(vertex) => vertex,
                    Vertex::Counted(counter, offset) => self.counters[counter as usize] + offset,
                };
                self.vertices.get(number as usize).map_or(0, |vertex| vertex[row as usize][component as usize])
            }
            Operand::PrimitiveId => self.ids[0],
            Operand::Instance => self.ids[1],
            Operand::Constant(word) => word,
            Operand::Counter(depth) => self.counters[depth as usize],
        }
    }

    /// Runs statements; `false` if the invocation has ended.
    fn block(&mut self, block: &[Statement], depth: usize) -> bool {
        block.iter().all(|statement| self.statement(statement, depth))
    }

    fn statement(&mut self, statement: &Statement, depth: usize) -> bool {
        match statement {
            Statement::Set { row, mask, first, second } => {
                let value = self.value(first).wrapping_add(second.as_ref().map_or(0, |second| self.value(second)));
                let row = match *row {
                    Row::Known(row) => row,
                    Row::Counted(counter) => self.counters[counter as usize] & 1,
                };
                let row = &mut self.outputs[row as usize];
                row.iter_mut().enumerate().filter(|(n, _)| mask >> n & 1 != 0).for_each(|(_, word)| *word = value);
            }
            Statement::Emit { stream, cuts } => {
                let begins = std::mem::replace(&mut self.begins[*stream as usize], *cuts);
                self.emitted.push((*stream, begins, self.outputs));
                return self.emitted.len() < self.program.most as usize;
            }
            Statement::Cut { stream } => self.begins[*stream as usize] = true,
            Statement::If { value, bits, then, otherwise } => {
                let block = if self.value(value) & bits != 0 { then } else { otherwise };
                return self.block(block, depth);
            }
            Statement::Loop { count, bits, body } => {
                let count = self.value(count) & bits;
                for n in 0..count {
                    self.counters[depth] = n;
                    if !self.block(body, depth + 1) {
                        return false;
                    }
                }
                self.counters[depth] = count;
            }
            Statement::Return { value, bits } => return self.value(value) & bits != 0,
        }
        true
    }
}
