//! Makes programs: valid ones that end, whose results do not depend on the order of threads.
//!
//! A thread writes its own element of the results and of workgroup memory only; it reads those of others in other phases,
//! behind a barrier. An atomic variable that threads share has one operation, which commutes.

use std::rc::Rc;

use brolga_testing_base::random::Random;

use super::expression::{binary, holds, literal, made, named, wide};
use super::tree::{Block, Expr, Function, Item, Kind, Node, Place, Program, Space, Statement, Step, Struct, Type, Var};

/// What a part of the entry point may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Inside of a function.
    Function,
    /// Threads write their own elements of workgroup memory.
    Write,
    /// They read any.
    Read,
}

/// Statements that a thread may run.
const MOST_COST: u64 = 4000;

pub struct Maker {
    pub r: Random,
    pub is_wild: bool,
    pub is_in_range: bool,
    pub moment: Moment,
    /// Names that may be used.
    pub scope: Vec<Rc<Var>>,
    pub functions: Vec<Rc<Function>>,
    /// A private variable of each kind.
    pub scalars: Vec<Rc<Var>>,
    pub numbers: [Rc<Var>; 3],
    pub threads: u32,
    pub inputs: u32,
    /// The number of the workgroup variable that all threads share.
    pub common: usize,
    next: usize,
    structs: Vec<Rc<Struct>>,
    /// Open loops, and switches, which are `false`.
    pub jumps: Vec<bool>,
    /// `true` in a block of a statement, behind which more may follow.
    pub is_inner: bool,
    /// What the function returns, if it may do so here.
    pub returns: Option<Option<Type>>,
    /// `false` in functions that expressions call.
    pub may_change: bool,
    /// Functions that write to more than their variables.
    changing: Vec<usize>,
    /// Pointers that a function made itself.
    pub aliases: Vec<usize>,
    /// How often a statement here runs at most.
    pub rounds: u64,
    pub cost: u64,
    pub size: u64,
    /// Bounds on the statements, and on the levels of expressions: large programs take long to compile.
    pub most: u64,
    pub depth: usize,
}

impl Maker {
    pub fn var(&mut self, ty: Type, space: Space) -> Rc<Var> {
        self.next += 1;
        Rc::new(Var { id: self.next - 1, ty, space })
    }

    /// A variable that can be read here.
    pub fn readable(&mut self) -> Option<Rc<Var>> {
        let from = self.r.below(self.scope.len());
        let root = Rc::clone(&self.scope[from]);
        let is_readable = match (root.space, self.moment) {
            (Space::Slots, Moment::Function) | (Space::Shared, Moment::Function) => false,
            (Space::Shared, Moment::Write) => root.id != self.common,
            _ => true,
        };
        is_readable.then_some(root)
    }

    /// A place that can be written here, of a type that is picked.
    pub fn writable(&mut self) -> Option<Place> {
        let is_writable = |var: &Rc<Var>, maker: &Self| match var.space {
            Space::Function | Space::Pointer => true,
            Space::Private => maker.may_change,
            Space::Slots => maker.moment != Moment::Function,
            Space::Shared => maker.moment == Moment::Write && var.id != maker.common,
            _ => false,
        };
        let all: Vec<_> = self.scope.iter().filter(|var| is_writable(var, self)).cloned().collect();
        let root = all.get(self.r.below(all.len().max(1)))?;
        // Any type on a way down.
        let mut ty = root.ty.clone();
        while ty.children() > 0 && !self.r.one_in(3) {
            let number = self.r.below(ty.children() as usize) as u32;
            ty = ty.child(number);
        }
        Some(self.place(root, &ty, true))
    }

    pub fn is_pure(&self, function: &Function) -> bool {
        !self.changing.contains(&function.id)
    }

    /// `true` if a call costs little enough here.
    pub fn may_call(&self, function: &Function) -> bool {
        self.cost + self.rounds * function.cost < MOST_COST && self.size + function.size < self.most + 40
    }

    pub fn pay(&mut self, function: &Function) {
        self.cost += self.rounds * function.cost;
        self.size += function.size;
    }

    fn kind(&mut self) -> Kind {
        self.r.pick(&[Kind::U32, Kind::I32, Kind::F32, Kind::U32, Kind::I32, Kind::F32, Kind::Bool])
    }

    fn number_kind(&mut self) -> Kind {
        self.r.pick(&[Kind::U32, Kind::I32, Kind::F32])
    }

    /// A type that memory of the host may have.
    fn stored_type(&mut self, depth: usize) -> Type {
        let count = self.r.below(3) as u32 + 2;
        match self.r.below(if depth == 0 { 5 } else { 9 }) {
            0..2 => Type::Scalar(self.number_kind()),
            2..4 => Type::Vector(count, self.number_kind()),
            4 => Type::Matrix(count, self.r.below(3) as u32 + 2),
            5..8 => {
                let element = self.stored_type(depth - 1);
                let most = if element.words() <= 2 { 12 } else { 5 };
                Type::Array(Rc::new(element), self.r.below(most) as u32 + 1)
            }
            _ if self.structs.is_empty() => Type::Scalar(Kind::U32),
            _ => {
                let at = self.r.below(self.structs.len());
                Type::Struct(Rc::clone(&self.structs[at]))
            }
        }
    }

    /// A type of a variable.
    pub fn any_type(&mut self) -> Type {
        match self.r.below(8) {
            0..3 => Type::Scalar(self.kind()),
            3..5 => wide(self.r.below(3) as u32 + 2, self.kind()),
            5 => Type::Array(Rc::new(Type::Scalar(Kind::Bool)), self.r.below(5) as u32 + 1),
            _ => self.stored_type(2),
        }
    }

    fn structure(&mut self, name: String, members: usize) -> Rc<Struct> {
        let members = (0..members).map(|_| self.stored_type(1)).collect();
        Rc::new(Struct { name, members })
    }

    /// A structure that uniform memory may have: arrays of whole vectors, nothing nested.
    fn uniform(&mut self) -> Type {
        let mut members = vec![Type::Vector(4, Kind::U32)];
        for _ in 0..1 + self.r.below(4) {
            let count = self.r.below(3) as u32 + 2;
            members.push(match self.r.below(4) {
                0 => Type::Scalar(self.number_kind()),
                1 => Type::Vector(count, self.number_kind()),
                2 => Type::Matrix(count, self.r.below(3) as u32 + 2),
                _ => Type::Array(Rc::new(Type::Vector(4, self.number_kind())), count),
            });
        }
        let of = Rc::new(Struct { name: "Settings".to_owned(), members });
        self.structs.push(Rc::clone(&of));
        Type::Struct(of)
    }

    /// A function; those that expressions may call change nothing but their variables.
    fn function_of(&mut self, id: usize) -> Rc<Function> {
        let is_pure = self.r.one_in(2);
        self.may_change = !is_pure;
        let outer = self.scope.len();
        let mut parameters = Vec::new();
        for _ in 0..1 + self.r.below(3) {
            let space = if !is_pure && self.r.one_in(2) { Space::Pointer } else { Space::Value };
            let ty = self.any_type();
            let var = self.var(ty, space);
            self.scope.push(Rc::clone(&var));
            parameters.push(var);
        }
        let result = (is_pure || self.r.one_in(2))
            .then(|| if self.r.one_in(4) { self.any_type() } else { wide(1 + self.r.below(4) as u32, self.kind()) });
        self.returns = Some(result.clone());
        (self.cost, self.size, self.rounds) = (1, 1, 1);
        let count = 2 + self.r.below(5);
        let mut body = self.block(count, 2);
        self.end(&mut body, result.as_ref());
        self.scope.truncate(outer);
        self.returns = None;
        if !is_pure {
            self.changing.push(id);
        }
        Rc::new(Function { id, parameters, result, body, cost: self.cost, size: self.size })
    }

    /// Returns a result at every end.
    fn end(&mut self, body: &mut Block, result: Option<&Type>) {
        let Some(result) = result else { return };
        if matches!(body.last(), Some(Statement::Return(_))) {
            return;
        }
        let value = |maker: &mut Self| vec![Statement::Return(Some(maker.expr(result, 2)))];
        match self.r.below(4) {
            0 => {
                let condition = self.expr(&Type::Scalar(Kind::Bool), self.depth);
                let (accept, reject) = (value(self), value(self));
                body.push(Statement::If(condition, accept, reject));
            }
            1 => {
                let selector = self.selector();
                let cases = vec![(vec![Some(1), Some(2)], value(self)), (vec![None], value(self))];
                body.push(Statement::Switch(selector, cases));
            }
            _ => body.append(&mut value(self)),
        }
    }

    /// A selector that often has one of the first numbers.
    pub fn selector(&mut self) -> Expr {
        let kind = self.r.pick(&[Kind::U32, Kind::I32]);
        let ty = Type::Scalar(kind);
        let value = self.expr(&ty, self.depth);
        let value = if value.is_const { binary("+", ty.clone(), self.scalar(kind), literal(kind, 1)) } else { value };
        if self.r.one_in(4) { value } else { binary("&", ty, value, literal(kind, 3)) }
    }

    fn scalar(&self, kind: Kind) -> Expr {
        let root = self.scalars.iter().find(|var| var.ty == Type::Scalar(kind)).unwrap();
        made(root.ty.clone(), Node::Load(Place { root: Rc::clone(root), path: Vec::new(), ty: root.ty.clone() }))
    }

    /// What all threads of a group know.
    fn uniform_condition(&mut self, uniform: &Rc<Var>) -> Expr {
        let known: Vec<_> = self.scope.iter().filter(|var| var.space == Space::Override).cloned().collect();
        let (bool, word) = (Type::Scalar(Kind::Bool), Type::Scalar(Kind::U32));
        let value = match self.r.below(3) {
            0 => named(&self.numbers[2]),
            1 if !known.is_empty() => {
                let var = self.r.below(known.len());
                made(word.clone(), Node::Convert(Box::new(named(&known[var]))))
            }
            _ => {
                let path = vec![Step::Known(0), Step::Known(self.r.below(4) as u32)];
                made(word.clone(), Node::Load(Place { root: Rc::clone(uniform), path, ty: word.clone() }))
            }
        };
        let value = binary("&", word, value, literal(Kind::U32, 3));
        let op = self.r.pick(&["<", "==", "!=", ">="]);
        binary(op, bool, value, literal(Kind::U32, 1))
    }

    fn items(&mut self, count: usize, depth: usize, common: &Rc<Var>, uniform: &Rc<Var>) -> Vec<Item> {
        let mut items = Vec::new();
        for _ in 0..count {
            if self.size > self.most {
                break;
            }
            match self.r.below(6) {
                0 if depth > 0 => {
                    let (outer, counter) = (self.scope.len(), self.var(Type::Scalar(Kind::U32), Space::Value));
                    self.scope.push(Rc::clone(&counter));
                    let end = 1 + self.r.below(3) as u32;
                    self.rounds *= u64::from(end);
                    let inner = self.items(2, depth - 1, common, uniform);
                    self.rounds /= u64::from(end);
                    self.scope.truncate(outer);
                    items.push(Item::For(counter, end, inner));
                }
                1 if depth > 0 => {
                    let condition = self.uniform_condition(uniform);
                    let outer = self.scope.len();
                    let [accept, reject] = [1, 1].map(|count| {
                        let items = self.items(count, depth - 1, common, uniform);
                        self.scope.truncate(outer);
                        items
                    });
                    items.push(Item::If(condition, accept, reject));
                }
                2 => {
                    let (mut ty, mut path) = (common.ty.clone(), vec![Step::Known(0)]);
                    // A vector's component has no address.
                    while ty.children() > 0 && !matches!(ty, Type::Vector(..)) && self.r.one_in(2) {
                        let number = self.r.below(ty.children() as usize) as u32;
                        ty = ty.child(number);
                        path.push(Step::Known(number));
                    }
                    let from = Place { root: Rc::clone(common), path, ty: ty.clone() };
                    let var = self.var(ty, Space::Value);
                    items.push(Item::Load(Rc::clone(&var), from));
                    self.scope.push(var);
                }
                _ => {
                    for moment in [Moment::Write, Moment::Read] {
                        self.moment = moment;
                        let size = 1 + self.r.below(4);
                        let mut block = self.statements(size, 2);
                        if moment == Moment::Write && self.r.one_in(2) {
                            let ty = common.ty.clone();
                            let to = self.place(common, &ty, true);
                            let value = self.expr(&ty, self.depth);
                            let first =
                                binary("==", Type::Scalar(Kind::Bool), named(&self.numbers[1]), literal(Kind::U32, 0));
                            block.push(Statement::If(first, vec![Statement::Assign(to, value)], Vec::new()));
                        }
                        items.push(Item::Phase(block));
                        items.push(Item::Barrier(self.r.pick(&[
                            "workgroupBarrier",
                            "workgroupBarrier",
                            "workgroupBarrier(); storageBarrier",
                        ])));
                    }
                    self.moment = Moment::Write;
                }
            }
        }
        items
    }

    /// Gives the private scalars values that threads and runs differ in.
    fn start(&mut self, input: &Rc<Var>) -> Block {
        self.scalars
            .clone()
            .into_iter()
            .map(|root| {
                let kind = root.ty.kinds()[0];
                let of = self.r.pick(&[Kind::U32, Kind::I32, Kind::F32]);
                let wanted = [kind, of, Kind::U32, Kind::I32, Kind::F32];
                let from = wanted.into_iter().map(Type::Scalar).find(|ty| holds(&input.ty, ty)).unwrap();
                let place = self.place(input, &from, false);
                let value = made(from.clone(), Node::Load(place));
                let value = if from == root.ty { value } else { made(root.ty.clone(), Node::Convert(Box::new(value))) };
                Statement::Assign(Place { ty: root.ty.clone(), path: Vec::new(), root }, value)
            })
            .collect()
    }
}

/// The program of a seed. Those for other implementations keep indexes in range, where these may differ.
pub fn program(seed: u64, is_wild: bool, is_in_range: bool) -> Program {
    let mut r = Random(seed);
    (0..3).for_each(|_| _ = r.bits());
    let none = |id| Rc::new(Var { id, ty: Type::Scalar(Kind::U32), space: Space::Value });
    let numbers = [none(0), none(1), none(2)];
    let group = r.pick(&[[1, 1], [4, 1], [8, 1], [3, 2], [5, 1], [4, 4]]);
    let inputs = 1 + r.below(20) as u32;
    let (most, depth) = r.pick(&[(12, 2), (12, 3), (25, 1), (25, 2), (40, 1), (60, 1)]);
    let mut m = Maker {
        r,
        most,
        depth,
        is_wild,
        is_in_range,
        moment: Moment::Function,
        scope: Vec::new(),
        functions: Vec::new(),
        scalars: Vec::new(),
        numbers: numbers.clone(),
        threads: group[0] * group[1],
        inputs,
        common: 0,
        next: 3,
        structs: Vec::new(),
        jumps: Vec::new(),
        returns: None,
        is_inner: false,
        may_change: true,
        changing: Vec::new(),
        aliases: Vec::new(),
        rounds: 1,
        cost: 0,
        size: 0,
    };
    for n in 0..m.r.below(3) {
        let count = 1 + m.r.below(4);
        let of = m.structure(format!("S{n}"), count);
        m.structs.push(of);
    }
    let count = 2 + m.r.below(4);
    let slot = m.structure("Slot".to_owned(), count);
    let element = m.stored_type(2);
    let [shared, common] = [(); 2].map(|()| {
        let ty = m.any_type();
        m.var(ty, Space::Shared)
    });
    m.common = common.id;
    m.structs.push(Rc::clone(&slot));
    let slots = m.var(Type::Struct(slot), Space::Slots);
    let input = m.var(element, Space::Input);
    let uniform = m.uniform();
    let uniform = m.var(uniform, Space::Uniform);

    let mut constants = Vec::new();
    for _ in 0..m.r.below(3) {
        let ty = m.stored_type(2);
        let value = m.constant(&ty);
        constants.push((m.var(ty, Space::Constant), value));
    }
    let mut overrides = Vec::new();
    for _ in 0..m.r.below(3) {
        let kind = m.kind();
        let [default, set] = [(); 2].map(|()| match kind {
            Kind::F32 => (m.r.below(9) as f32 - 4.0).to_bits(),
            Kind::Bool => m.r.below(2) as u32,
            _ => m.r.below(9) as u32,
        });
        let set = m.r.one_in(2).then_some(set);
        overrides.push((m.var(Type::Scalar(kind), Space::Override), default, set));
    }
    let mut privates = Vec::new();
    for kind in [Kind::Bool, Kind::I32, Kind::U32, Kind::F32] {
        let var = m.var(Type::Scalar(kind), Space::Private);
        m.scalars.push(Rc::clone(&var));
        privates.push((var, None));
    }
    for _ in 0..m.r.below(3) {
        let ty = m.any_type();
        let value = m.r.one_in(2).then(|| m.constant(&ty));
        privates.push((m.var(ty, Space::Private), value));
    }
    m.scope.extend(constants.iter().map(|(var, _)| Rc::clone(var)));
    m.scope.extend(overrides.iter().map(|(var, ..)| Rc::clone(var)));
    m.scope.extend(privates.iter().map(|(var, _)| Rc::clone(var)));
    m.scope.extend([&input, &uniform].map(Rc::clone));

    for id in 0..1 + m.r.below(3) {
        let function = m.function_of(id);
        m.functions.push(function);
    }
    m.scope.extend([&shared, &common, &slots, &slots].map(Rc::clone));
    m.scope.extend(numbers.iter().map(Rc::clone));
    (m.cost, m.size, m.rounds, m.may_change) = (0, 0, 1, true);
    m.moment = Moment::Write;
    let mut main = vec![Item::Phase(m.start(&input))];
    let count = 1 + m.r.below(3);
    main.extend(m.items(count, 2, &common, &uniform));
    m.moment = Moment::Read;
    m.returns = Some(None);
    main.push(Item::Phase(m.statements(3, 2)));
    // Whatever happened reaches the results.
    let all = slots.ty.clone();
    let to = m.place(&slots, &all.child(0), true);
    let value = m.expr(&all.child(0), depth);
    main.push(Item::Phase(vec![Statement::Assign(to, value)]));
    let groups = 1 + m.r.below(3) as u32;
    let Maker { structs, functions, .. } = m;
    let is_modelled = !is_wild;
    Program {
        structs,
        constants,
        overrides,
        privates,
        shared,
        common,
        slots,
        input,
        uniform,
        functions,
        numbers,
        main,
        group,
        groups,
        inputs: inputs as usize,
        is_modelled,
    }
}
