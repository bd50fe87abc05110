//! Makes statements.

use std::rc::Rc;

use super::expression::{holds, literal};
use super::make::{Maker, Moment};
use super::tree::{
    Argument, Atomic, Block, Counter, Expr, Kind, Node, SHARED_ATOMICS, Space, Statement, Type, Var, atomic_kind,
};

impl Maker {
    /// Statements in a scope of their own.
    pub fn block(&mut self, count: usize, depth: usize) -> Block {
        let outer = self.scope.len();
        let is_inner = std::mem::replace(&mut self.is_inner, depth < 2);
        let block = self.statements(count, depth);
        self.is_inner = is_inner;
        self.scope.truncate(outer);
        block
    }

    pub fn statements(&mut self, count: usize, depth: usize) -> Block {
        let mut block = Vec::new();
        for _ in 0..count {
            if self.size >= self.most {
                break;
            }
            self.cost += self.rounds;
            self.size += 1;
            if (self.rounds > 1 || self.moment == Moment::Function) && self.r.one_in(12) {
                self.zeroed(&mut block);
                continue;
            }
            let statement = self.statement(depth);
            let is_end = matches!(statement, Statement::Break | Statement::Continue | Statement::Return(_));
            block.push(statement);
            if is_end {
                break;
            }
        }
        block
    }

    /// A variable that begins with zeros in each round, and in each call, whatever the one before left in it.
    fn zeroed(&mut self, block: &mut Block) {
        let Some(to) = self.writable() else { return };
        let (ty, most) = (to.ty.clone(), 1 + self.r.below(4) as u32);
        let is_array = self.r.one_in(2);
        let var = self.var(if is_array { Type::Array(Rc::new(ty.clone()), most) } else { ty.clone() }, Space::Function);
        let [from, left] = [false, true].map(|is_written| self.place(&var, &ty, is_written));
        let value = self.expr(&ty, 1);
        block.push(Statement::Var(Rc::clone(&var), None));
        block.push(Statement::Assign(to, Expr { ty, is_const: false, node: Node::Load(from) }));
        block.push(Statement::Assign(left, value));
        self.scope.push(var);
    }

    fn condition(&mut self) -> Expr {
        self.expr(&Type::Scalar(Kind::Bool), self.depth)
    }

    fn let_(&mut self, ty: Type) -> Statement {
        // To naga the name of a constant value is a constant where it is an index.
        let value = match ty {
            Type::Scalar(_) | Type::Vector(..) => self.varying(&ty, self.depth),
            _ => self.expr(&ty, self.depth),
        };
        let var = self.var(ty, Space::Value);
        self.scope.push(Rc::clone(&var));
        Statement::Let(var, value)
    }

    fn statement(&mut self, depth: usize) -> Statement {
        match self.r.below(if depth == 0 { 14 } else { 24 }) {
            0 | 1 => {
                let ty = self.any_type();
                self.let_(ty)
            }
            2 | 3 => {
                let ty = self.any_type();
                let value = self.r.one_in(2).then(|| self.expr(&ty, self.depth));
                let var = self.var(ty, Space::Function);
                self.scope.push(Rc::clone(&var));
                Statement::Var(var, value)
            }
            4 => self.call(),
            5 => self.update(),
            6 => self.jump(),
            7 => self.atomic(),
            8 => match self.writable() {
                Some(to) if matches!(to.root.space, Space::Function | Space::Private | Space::Slots) => {
                    let var = self.var(to.ty.clone(), Space::Pointer);
                    // A vector's component has no pointer.
                    let is_component = matches!(to.ty, Type::Scalar(_)) && !to.path.is_empty();
                    if is_component {
                        return self.assign();
                    }
                    self.scope.push(Rc::clone(&var));
                    self.aliases.push(var.id);
                    Statement::Pointer(var, to)
                }
                _ => self.assign(),
            },
            9..14 => self.assign(),
            14..17 => {
                let condition = self.condition();
                let (first, second) = (1 + self.r.below(3), self.r.below(3));
                Statement::If(condition, self.block(first, depth - 1), self.block(second, depth - 1))
            }
            17..19 => self.switch(depth),
            19 => Statement::Block(self.block(2, depth - 1)),
            _ => self.loop_(depth),
        }
    }

    fn assign(&mut self) -> Statement {
        let Some(to) = self.writable() else { return self.let_(Type::Scalar(Kind::U32)) };
        let value = self.expr(&to.ty, self.depth);
        Statement::Assign(to, value)
    }

    fn update(&mut self) -> Statement {
        let Some(to) = self.writable() else { return self.assign() };
        let kind = to.ty.kinds()[0];
        let (Type::Scalar(_) | Type::Vector(..), false) = (&to.ty, kind == Kind::Bool) else { return self.assign() };
        if kind != Kind::F32 && to.ty.words() == 1 && self.r.one_in(2) {
            return Statement::Step(to, self.r.one_in(2));
        }
        let op = match kind {
            Kind::F32 => self.r.pick(&["+", "-", "*", "/"]),
            _ => self.r.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]),
        };
        let ty = to.ty.clone();
        let value = self.right(op, &ty, kind, self.depth);
        Statement::Update(to, op, value)
    }

    fn jump(&mut self) -> Statement {
        match self.r.below(6) {
            0 if !self.jumps.is_empty() => Statement::Break,
            1 | 2 if self.jumps.contains(&true) => Statement::Continue,
            3.. if self.is_inner => match self.returns.clone() {
                None => self.assign(),
                Some(None) => Statement::Return(None),
                Some(Some(ty)) => Statement::Return(Some(self.expr(&ty, self.depth))),
            },
            _ => self.assign(),
        }
    }

    fn switch(&mut self, depth: usize) -> Statement {
        let selector = self.selector();
        let mut labels: Vec<Option<u32>> = (0..1 + self.r.below(5) as u32).map(Some).collect();
        if self.r.one_in(3) {
            let far = [u32::MAX, 0x8000_0000, 1000];
            labels.push(Some(self.r.pick(&far)));
        }
        labels.push(None);
        for n in (1..labels.len()).rev() {
            let with = self.r.below(n + 1);
            labels.swap(n, with);
        }
        let mut cases: Vec<(Vec<Option<u32>>, Block)> = Vec::new();
        self.jumps.push(false);
        for label in labels {
            match cases.last_mut() {
                Some((last, _)) if self.r.one_in(3) => last.push(label),
                _ => {
                    let count = self.r.below(3);
                    let block = self.block(count, depth - 1);
                    cases.push((vec![label], block));
                }
            }
        }
        self.jumps.pop();
        Statement::Switch(selector, cases)
    }

    fn loop_(&mut self, depth: usize) -> Statement {
        let end = 1 + self.r.below(5) as u32;
        if self.cost + self.rounds * u64::from(end) * 6 > 1000 {
            return self.assign();
        }
        let outer = self.scope.len();
        let counter = self.var(Type::Scalar(Kind::U32), Space::Value);
        self.rounds *= u64::from(end);
        self.jumps.push(true);
        let count = 2 + self.r.below(3);
        let statement = match self.r.below(3) {
            0 => {
                self.scope.push(Rc::clone(&counter));
                Statement::For(counter, end, self.statements(count, depth - 1))
            }
            1 => {
                let condition = self.condition();
                self.scope.push(Rc::clone(&counter));
                Statement::While(counter, end, condition, self.statements(count, depth - 1))
            }
            _ => {
                self.scope.push(Rc::clone(&counter));
                let body = self.statements(count, depth - 1);
                // The continuing block sees what is declared before a `continue` may skip the rest.
                let seen = body.iter().position(continues).unwrap_or(body.len());
                let is_late = |var: &Rc<Var>| body[seen..].iter().any(|statement| declares(statement, var));
                let first = self.scope[outer..].iter().position(is_late).map_or(self.scope.len(), |n| outer + n);
                self.scope.truncate(first);
                let (jumps, returns) = (std::mem::take(&mut self.jumps), self.returns.take());
                let count = self.r.below(3);
                let continuing = self.statements(count, depth.min(1));
                let condition = self.r.one_in(2).then(|| self.condition());
                (self.jumps, self.returns) = (jumps, returns);
                Statement::Loop(counter, end, body, continuing, condition)
            }
        };
        self.jumps.pop();
        self.rounds /= u64::from(end);
        self.scope.truncate(outer);
        statement
    }

    fn call(&mut self) -> Statement {
        let all: Vec<_> = self.functions.iter().filter(|of| self.may_call(of)).cloned().collect();
        let all: Vec<_> = all.into_iter().filter(|of| self.may_change || self.is_pure(of)).collect();
        let Some(function) = all.get(self.r.below(all.len().max(1))) else { return self.assign() };
        let mut args = Vec::new();
        let mut taken = Vec::new();
        for var in &function.parameters {
            if var.space != Space::Pointer {
                args.push(Argument::Value(self.expr(&var.ty, self.depth)));
                continue;
            }
            // No variable twice, nor one that a pointer of this function may lead to.
            let is_part = !matches!(var.ty, Type::Scalar(_)) && self.r.one_in(2);
            let fits = |root: &&Rc<Var>| {
                matches!(root.space, Space::Function | Space::Pointer)
                    && (root.ty == var.ty || is_part && holds(&root.ty, &var.ty))
                    && !taken.contains(&root.id)
                    && !self.aliases.contains(&root.id)
            };
            let Some(root) = self.scope.iter().rev().find(fits).cloned() else { return self.declare(&var.ty) };
            taken.push(root.id);
            args.push(Argument::Pointer(self.place(&root, &var.ty, true)));
        }
        self.pay(function);
        let result = match &function.result {
            Some(ty) if self.r.one_in(2) => {
                let var = self.var(ty.clone(), Space::Value);
                self.scope.push(Rc::clone(&var));
                Some(var)
            }
            _ => None,
        };
        Statement::Call(Rc::clone(function), args, result)
    }

    /// A variable for a later call.
    fn declare(&mut self, ty: &Type) -> Statement {
        let value = self.expr(ty, self.depth);
        let var = self.var(ty.clone(), Space::Function);
        self.scope.push(Rc::clone(&var));
        Statement::Var(var, Some(value))
    }

    fn atomic(&mut self) -> Statement {
        if self.moment == Moment::Function {
            return self.assign();
        }
        let number = self.r.below(8) as u32;
        let on = match self.r.below(4) {
            0 => Counter::Sum(number),
            1 => Counter::Tally(number),
            2 => Counter::Own(number % 2),
            _ => {
                let value = self.expr(&Type::Scalar(Kind::U32), self.depth);
                return Statement::Texel(value);
            }
        };
        let kind = atomic_kind(on);
        let value = self.expr(&Type::Scalar(kind), self.depth);
        let mut atomic = Atomic { on, name: SHARED_ATOMICS[number as usize], value, compare: None, result: None };
        match on {
            Counter::Sum(_) => {}
            Counter::Tally(_) if self.moment == Moment::Write => {}
            Counter::Tally(_) => atomic.name = "atomicLoad",
            Counter::Own(_) => {
                atomic.name = self.r.pick(&[
                    "atomicAdd",
                    "atomicSub",
                    "atomicMax",
                    "atomicMin",
                    "atomicAnd",
                    "atomicOr",
                    "atomicXor",
                    "atomicStore",
                    "atomicExchange",
                    "atomicLoad",
                    "atomicCompareExchangeWeak",
                ]);
                if atomic.name == "atomicCompareExchangeWeak" {
                    atomic.compare = Some(self.expr(&Type::Scalar(kind), 1));
                }
            }
        }
        let gives = atomic.name == "atomicLoad" || matches!(on, Counter::Own(_)) && atomic.name != "atomicStore";
        if gives {
            let var = self.var(Type::Scalar(kind), Space::Value);
            self.scope.push(Rc::clone(&var));
            atomic.result = Some(var);
        }
        Statement::Atomic(atomic)
    }

    /// A constant of a type.
    pub fn constant(&mut self, ty: &Type) -> Expr {
        let node = match ty {
            Type::Scalar(Kind::Bool) => return literal(Kind::Bool, self.r.below(2) as u32),
            Type::Scalar(Kind::F32) => return literal(Kind::F32, self.moderate()),
            Type::Scalar(kind) => return literal(*kind, self.r.word()),
            _ => Node::Build((0..ty.children()).map(|number| self.constant(&ty.child(number))).collect()),
        };
        Expr { ty: ty.clone(), is_const: true, node }
    }
}

/// `true` if a statement may go on with the next round of the loop around it.
fn continues(statement: &Statement) -> bool {
    let any = |block: &Block| block.iter().any(continues);
    match statement {
        Statement::Continue => true,
        Statement::Block(block) => any(block),
        Statement::If(_, accept, reject) => any(accept) || any(reject),
        Statement::Switch(_, cases) => cases.iter().any(|(_, block)| any(block)),
        _ => false,
    }
}

/// `true` if a statement declares a name for those after it.
fn declares(statement: &Statement, name: &Rc<Var>) -> bool {
    match statement {
        Statement::Let(var, _) | Statement::Var(var, _) | Statement::Pointer(var, _) => var == name,
        Statement::Call(_, _, result) => result.as_ref() == Some(name),
        Statement::Atomic(atomic) => atomic.result.as_ref() == Some(name),
        _ => false,
    }
}
