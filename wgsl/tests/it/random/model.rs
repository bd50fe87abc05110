//! A plain model: walks over the tree of a program, one thread at a time between barriers.

use std::rc::Rc;

use super::ops;
use super::text::is_row;
use super::tree::{
    Argument, Atomic, Block, Counter, Expr, Function, Item, Kind, Node, Place, Program, Space, Statement, Step, Type,
    Var, atomic_kind,
};

/// What a program is run on, as scalars in order, without the gaps that memory has.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub slots: Vec<u32>,
    pub input: Vec<u32>,
    pub uniform: Vec<u32>,
    pub sums: Vec<u32>,
    pub own: Vec<u32>,
    /// A texel for each thread.
    pub texels: Vec<u32>,
    /// 8 x 4 texels of one component.
    pub image: Vec<u32>,
}

/// A place that was resolved.
#[derive(Clone, Debug)]
struct Spot {
    root: Rc<Var>,
    /// The first scalar.
    start: usize,
    count: usize,
    /// `false` if a number was out of range.
    is_in: bool,
}

/// What a name stands for in a thread.
#[derive(Clone, Debug)]
enum Known {
    Nothing,
    Words(Vec<u32>),
    Spot(Spot),
}

/// How a statement ends.
enum End {
    Next,
    Break,
    Continue,
    Return(Vec<u32>),
}

struct Thread {
    names: Vec<Known>,
    number: usize,
    has_ended: bool,
}

struct Group<'p> {
    program: &'p Program,
    memory: &'p mut Memory,
    /// Elements for the threads, then the value of all.
    shared: Vec<u32>,
    common: Vec<u32>,
    tally: [u32; 8],
}

/// Runs all groups.
pub fn run(program: &Program, memory: &mut Memory) {
    let threads = (program.group[0] * program.group[1]) as usize;
    for number in 0..program.groups as usize {
        let shared = vec![0; threads * program.shared.ty.words()];
        let common = vec![0; program.common.ty.words()];
        let mut group = Group { program, memory, shared, common, tally: [0; 8] };
        let mut all: Vec<Thread> = (0..threads).map(|local| group.thread(number, threads, local)).collect();
        group.items(&program.main, &mut all);
    }
}

impl Group<'_> {
    fn thread(&mut self, group: usize, threads: usize, local: usize) -> Thread {
        let number = group * threads + local;
        let mut thread = Thread { names: Vec::new(), number, has_ended: false };
        for (var, value) in self.program.numbers.iter().zip([number, local, group]) {
            thread.set(var, Known::Words(vec![value as u32]));
        }
        for (var, value) in &self.program.constants {
            let words = self.expr(&mut thread, value);
            thread.set(var, Known::Words(words));
        }
        for (var, default, value) in &self.program.overrides {
            thread.set(var, Known::Words(vec![value.unwrap_or(*default)]));
        }
        for (var, value) in &self.program.privates {
            let words = value.as_ref().map_or(vec![0; var.ty.words()], |value| self.expr(&mut thread, value));
            thread.set(var, Known::Words(words));
        }
        thread
    }

    fn items(&mut self, items: &[Item], threads: &mut [Thread]) {
        for item in items {
            match item {
                Item::Phase(block) => {
                    for thread in threads.iter_mut().filter(|thread| !thread.has_ended) {
                        thread.has_ended = matches!(self.block(thread, block), End::Return(_));
                    }
                }
                Item::Barrier(_) => {}
                Item::Load(var, from) => {
                    for thread in threads.iter_mut() {
                        let spot = self.spot(thread, from);
                        let words = self.load(thread, &spot);
                        thread.set(var, Known::Words(words));
                    }
                }
                Item::For(var, end, inner) => {
                    for round in 0..*end {
                        threads.iter_mut().for_each(|thread| thread.set(var, Known::Words(vec![round])));
                        self.items(inner, threads);
                    }
                }
                Item::If(condition, accept, reject) => {
                    let holds = self.expr(&mut threads[0], condition)[0] != 0;
                    self.items(if holds { accept } else { reject }, threads);
                }
            }
        }
    }

    fn block(&mut self, thread: &mut Thread, block: &Block) -> End {
        for statement in block {
            match self.statement(thread, statement) {
                End::Next => {}
                end => return end,
            }
        }
        End::Next
    }

    fn statement(&mut self, thread: &mut Thread, statement: &Statement) -> End {
        match statement {
            Statement::Let(var, value) => {
                let words = self.expr(thread, value);
                thread.set(var, Known::Words(words));
            }
            Statement::Var(var, value) => {
                let words = value.as_ref().map_or(vec![0; var.ty.words()], |value| self.expr(thread, value));
                thread.set(var, Known::Words(words));
            }
            Statement::Pointer(var, to) => {
                let spot = self.spot(thread, to);
                thread.set(var, Known::Spot(spot));
            }
            Statement::Assign(to, value) => {
                let spot = self.spot(thread, to);
                let words = self.expr(thread, value);
                self.store(thread, &spot, &words);
            }
            Statement::Update(to, op, value) => {
                let spot = self.spot(thread, to);
                let old = self.load(thread, &spot);
                let value_words = self.expr(thread, value);
                let words = ops::operator(op, [&to.ty, &value.ty], &old, &value_words);
                self.store(thread, &spot, &words);
            }
            Statement::Step(to, up) => {
                let spot = self.spot(thread, to);
                let old = self.load(thread, &spot)[0];
                let word = if *up { old.wrapping_add(1) } else { old.wrapping_sub(1) };
                self.store(thread, &spot, &[word]);
            }
            Statement::If(condition, accept, reject) => {
                let holds = self.expr(thread, condition)[0] != 0;
                return self.block(thread, if holds { accept } else { reject });
            }
            Statement::Switch(selector, cases) => {
                let word = self.expr(thread, selector)[0];
                let with = |label: Option<u32>| cases.iter().find(|(labels, _)| labels.contains(&label));
                let (_, block) = with(Some(word)).or_else(|| with(None)).unwrap();
                return match self.block(thread, block) {
                    End::Break => End::Next,
                    end => end,
                };
            }
            Statement::For(var, end, body) => {
                for round in 0..*end {
                    thread.set(var, Known::Words(vec![round]));
                    match self.block(thread, body) {
                        End::Next | End::Continue => {}
                        End::Break => break,
                        end => return end,
                    }
                }
            }
            Statement::While(var, end, condition, body) => {
                for round in 0..*end {
                    thread.set(var, Known::Words(vec![round]));
                    if self.expr(thread, condition)[0] == 0 {
                        break;
                    }
                    thread.set(var, Known::Words(vec![round + 1]));
                    match self.block(thread, body) {
                        End::Next | End::Continue => {}
                        End::Break => break,
                        end => return end,
                    }
                }
            }
            Statement::Loop(var, end, body, continuing, break_if) => {
                for round in 0.. {
                    thread.set(var, Known::Words(vec![round]));
                    if break_if.is_none() && round >= *end {
                        break;
                    }
                    match self.block(thread, body) {
                        End::Next | End::Continue => {}
                        End::Break => break,
                        end => return end,
                    }
                    self.block(thread, continuing);
                    thread.set(var, Known::Words(vec![round + 1]));
                    let Some(condition) = break_if else { continue };
                    if round + 1 >= *end || self.expr(thread, condition)[0] != 0 {
                        break;
                    }
                }
            }
            Statement::Break => return End::Break,
            Statement::Continue => return End::Continue,
            Statement::Return(value) => {
                return End::Return(value.as_ref().map_or(Vec::new(), |value| self.expr(thread, value)));
            }
            Statement::Call(function, args, result) => {
                let words = self.call(thread, function, args);
                if let Some(result) = result {
                    thread.set(result, Known::Words(words));
                }
            }
            Statement::Block(block) => return self.block(thread, block),
            Statement::Atomic(atomic) => self.atomic(thread, atomic),
            Statement::Texel(value) => self.memory.texels[thread.number] = self.expr(thread, value)[0],
        }
        End::Next
    }

    fn atomic(&mut self, thread: &mut Thread, atomic: &Atomic) {
        let value = self.expr(thread, &atomic.value)[0];
        let compare = atomic.compare.as_ref().map(|compare| self.expr(thread, compare)[0]);
        let word = match atomic.on {
            Counter::Sum(n) => &mut self.memory.sums[n as usize],
            Counter::Tally(n) => &mut self.tally[n as usize],
            Counter::Own(n) => &mut self.memory.own[2 * thread.number + n as usize],
        };
        let old = *word;
        *word = ops::atomic(atomic.name, atomic_kind(atomic.on), old, value, compare);
        if let Some(result) = &atomic.result {
            thread.set(result, Known::Words(vec![old]));
        }
    }

    fn call(&mut self, thread: &mut Thread, function: &Function, args: &[Argument]) -> Vec<u32> {
        let args: Vec<Known> = args
            .iter()
            .map(|argument| match argument {
                Argument::Value(value) => Known::Words(self.expr(thread, value)),
                Argument::Pointer(to) => Known::Spot(self.spot(thread, to)),
            })
            .collect();
        for (var, known) in function.parameters.iter().zip(args) {
            thread.set(var, known);
        }
        match self.block(thread, &function.body) {
            End::Return(words) => words,
            _ => Vec::new(),
        }
    }

    fn spot(&mut self, thread: &mut Thread, place: &Place) -> Spot {
        let mut spot = match (place.root.space, &thread.names.get(place.root.id)) {
            (Space::Pointer, Some(Known::Spot(spot))) => spot.clone(),
            (Space::Pointer, _) => unreachable!("a pointer to nothing"),
            _ => Spot { root: Rc::clone(&place.root), start: 0, count: 0, is_in: true },
        };
        let mut at = place.root.ty.clone();
        for (n, step) in place.path.iter().enumerate() {
            let number = match step {
                Step::Known(number) => *number,
                Step::Computed(index) => self.expr(thread, index)[0],
            };
            if n == 0 && is_row(place.root.space) {
                let count = self.row(thread, &place.root).len() / at.words();
                spot.is_in &= (number as usize) < count;
                spot.start += number.min(count as u32) as usize * at.words();
                continue;
            }
            if number >= at.children() {
                spot.is_in = false;
                at = at.child(0);
                continue;
            }
            spot.start += (0..number).map(|before| at.child(before).words()).sum::<usize>();
            at = at.child(number);
        }
        spot.count = at.words();
        spot
    }

    /// The scalars of a variable.
    fn row<'a>(&'a mut self, thread: &'a mut Thread, root: &Var) -> &'a mut Vec<u32> {
        match root.space {
            Space::Shared if root.id == self.program.common.id => &mut self.common,
            Space::Shared => &mut self.shared,
            Space::Slots => &mut self.memory.slots,
            Space::Input => &mut self.memory.input,
            Space::Uniform => &mut self.memory.uniform,
            _ => match &mut thread.names[root.id] {
                Known::Words(words) => words,
                _ => unreachable!("no variable"),
            },
        }
    }

    fn load(&mut self, thread: &mut Thread, spot: &Spot) -> Vec<u32> {
        match spot.is_in {
            true => self.row(thread, &spot.root)[spot.start..spot.start + spot.count].to_vec(),
            false => vec![0; spot.count],
        }
    }

    fn store(&mut self, thread: &mut Thread, spot: &Spot, words: &[u32]) {
        if spot.is_in {
            self.row(thread, &spot.root)[spot.start..spot.start + spot.count].copy_from_slice(words);
        }
    }

    fn expr(&mut self, thread: &mut Thread, expr: &Expr) -> Vec<u32> {
        let kind = expr.ty.kinds()[0];
        match &expr.node {
            Node::Literal(word) => vec![*word],
            Node::Zero => vec![0; expr.ty.words()],
            Node::Name(var) => match &thread.names[var.id] {
                Known::Words(words) => words.clone(),
                _ => unreachable!("no value"),
            },
            Node::Load(from) => {
                let spot = self.spot(thread, from);
                self.load(thread, &spot)
            }
            Node::Unary(op, a) => self.expr(thread, a).into_iter().map(|word| ops::unary(op, kind, word)).collect(),
            Node::Binary(op, ab) => {
                let [a, b] = [0, 1].map(|n| self.expr(thread, &ab[n]));
                ops::operator(op, [&ab[0].ty, &ab[1].ty], &a, &b)
            }
            Node::Build(parts) => {
                let words: Vec<u32> = parts.iter().flat_map(|part| self.expr(thread, part)).collect();
                if words.len() == 1 { words.repeat(expr.ty.words()) } else { words }
            }
            Node::Convert(a) => {
                let from = a.ty.kinds()[0];
                self.expr(thread, a).into_iter().map(|word| ops::convert(from, kind, word)).collect()
            }
            Node::Bitcast(a) => self.expr(thread, a),
            Node::Builtin("textureLoad", args) => {
                let at = self.expr(thread, &args[1]);
                let is_in = at[0] < 8 && at[1] < 4;
                let texel = if is_in { self.memory.image[(at[1] * 8 + at[0]) as usize] } else { 0 };
                // Components that the format lacks are 0, 0 and 1; nothing at all is there out of range.
                vec![texel, 0, 0, u32::from(is_in)]
            }
            Node::Builtin(fun, args) => {
                let values: Vec<_> = args.iter().map(|argument| self.expr(thread, argument)).collect();
                ops::builtin(fun, args, &values, &expr.ty)
            }
            Node::Index(ab) => {
                let [a, index] = [0, 1].map(|n| self.expr(thread, &ab[n]));
                let count = expr.ty.words();
                a.chunks(count).nth(index[0] as usize).map_or(vec![0; count], <[u32]>::to_vec)
            }
            Node::Part(a, number) => {
                let words = self.expr(thread, a);
                let before: usize = (0..*number).map(|before| a.ty.child(before).words()).sum();
                words[before..before + expr.ty.words()].to_vec()
            }
            Node::Swizzle(a, parts) => {
                let words = self.expr(thread, a);
                parts.iter().map(|&part| words[part as usize]).collect()
            }
            Node::Call(function, args) => self.call(thread, function, args),
            Node::Image => Vec::new(),
            Node::Length => vec![(self.memory.input.len() / self.program.input.ty.words()) as u32],
        }
    }
}

impl Thread {
    fn set(&mut self, var: &Var, known: Known) {
        if self.names.len() <= var.id {
            self.names.resize(var.id + 1, Known::Nothing);
        }
        self.names[var.id] = known;
    }
}

/// `true` if a word is what the model says. Of floats all NaNs are one, and so are the zeros: the rules leave open which.
pub fn is_same(kind: Kind, expected: u32, found: u32) -> bool {
    let [a, b] = [expected, found].map(f32::from_bits);
    expected == found || kind == Kind::F32 && (a == b || a.is_nan() && b.is_nan())
}

/// The scalars of elements of a type in memory, and the other way.
pub fn gathered(ty: &Type, words: &[u32]) -> Vec<u32> {
    let (offsets, stride) = (ty.offsets(), row_stride(ty));
    words.chunks(stride).flat_map(|element| offsets.iter().map(|&at| element[at])).collect()
}

/// Words from one element of an array to the next.
pub fn row_stride(ty: &Type) -> usize {
    let (align, size) = ty.layout();
    size.next_multiple_of(align) as usize / 4
}
