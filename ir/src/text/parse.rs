//! Reads the text form.
//!
//! The parser checks names and grammar, not types or structure: that is the verifier's work. Blocks are kept on a
//! stack of its own; nesting and length have limits, so that no text makes it run out of anything.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::lex::{Lexer, ParseError, ParseProblem, Position, Token};
use super::words::{Word, input_from_word, sync_words};
use crate::entity::{Inst, LocalId, Region, ResourceId, SharedId, Slot, Value};
use crate::function::{
    AtomicOp, Case, CounterOp, Element, Function, Input, InstKind, Object, Origin, Place, Query, ResourceRef, Sync,
    Values,
};
use crate::interface::{Component, Dimension, Interface, Local, Resource, ResourceClass, ResourceKind, Shared};
use crate::ops::Op;
use crate::types::{Const, Type};

/// The longest text that is read, in bytes.
pub const MAX_BYTES: usize = 64 << 20;

/// The most slots: a line of text declares any number of them. Direct3D has 4096 registers of 4 components.
pub const MAX_SLOTS: usize = 4096 * 4;

/// The most regions in one another. Other parts of the crate walk regions recursively; a translated shader has at most
/// half as many.
pub const MAX_NESTING: usize = 512;

/// Reads a function. It is as the text says, right or wrong: [`verify`](crate::verify()) it.
pub fn parse(text: &str) -> Result<Function, ParseError> {
    let mut lexer = Lexer::new(text);
    let (token, position) = lexer.next()?;
    if text.len() > MAX_BYTES {
        return Err(position.error(ParseProblem::Length { found: text.len(), limit: MAX_BYTES }));
    }
    let mut parser = Parser {
        lexer,
        token,
        position,
        func: Function::new("", Interface::default()),
        values: HashMap::new(),
        labels: HashMap::new(),
        blocks: Vec::new(),
    };
    parser.function()?;
    Ok(parser.func)
}

/// A block that is not closed yet.
enum Block {
    /// The function's body.
    Body,
    /// The first block of an `if`; the second is to follow.
    Then { else_region: Region },
    /// The second block of an `if`, or a loop's.
    Last,
    /// The arms of a switch: between the arms.
    Arms { switch: Inst, default: Region, has_default: bool },
    /// One of the arms.
    Arm,
}

struct OpenBlock {
    block: Block,
    /// Where its statements go.
    region: Region,
    /// Regions around it, itself included.
    depth: usize,
}

/// Results that stand in the text before what gives them.
struct Named {
    number: u32,
    ty: Type,
    position: Position,
}

type Names = SmallVec<[Named; 4]>;

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token and its position.
    token: Token<'a>,
    position: Position,
    func: Function,
    values: HashMap<u32, Value>,
    labels: HashMap<u32, Inst>,
    blocks: Vec<OpenBlock>,
}

type Parsed<T> = Result<T, ParseError>;

/// The number in a name of this kind, as `v12`.
fn numbered(prefix: &str, word: &str) -> Option<u32> {
    let digits = word.strip_prefix(prefix)?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}

impl<'a> Parser<'a> {
    // Tokens.

    fn advance(&mut self) -> Parsed<Token<'a>> {
        let (token, position) = self.lexer.next()?;
        self.position = position;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn error<T>(&self, problem: ParseProblem) -> Parsed<T> {
        Err(self.position.error(problem))
    }

    fn unexpected<T>(&self, expected: &str) -> Parsed<T> {
        self.error(ParseProblem::Unexpected { found: self.token.to_string(), expected: expected.into() })
    }

    fn newlines(&mut self) -> Parsed<()> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Ok(())
    }

    fn has(&self, sign: char) -> bool {
        self.token == Token::Sign(sign)
    }

    /// Takes a sign if it is there.
    fn accept(&mut self, sign: char) -> Parsed<bool> {
        let found = self.has(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn sign(&mut self, sign: char) -> Parsed<()> {
        if self.accept(sign)? { Ok(()) } else { self.unexpected(&format!("`{sign}`")) }
    }

    /// Takes a word if it is there.
    fn accept_word(&mut self, word: &str) -> Parsed<bool> {
        let found = self.token == Token::Word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word)? { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    /// Takes a word that `read` understands.
    fn any_word<T>(&mut self, expected: &str, read: impl FnOnce(&str) -> Option<T>) -> Parsed<T> {
        let found = match self.token {
            Token::Word(word) => read(word),
            _ => None,
        };
        let Some(value) = found else { return self.unexpected(expected) };
        self.advance()?;
        Ok(value)
    }

    /// Takes a word of an enum; the message lists all of them.
    fn one_of<T: Word>(&mut self) -> Parsed<T> {
        let all: Vec<String> = T::ALL.iter().map(|value| format!("`{}`", value.word())).collect();
        self.any_word(&format!("one of {}", all.join(", ")), T::from_word)
    }

    fn number64(&mut self) -> Parsed<u64> {
        let Token::Number(number) = self.token else { return self.unexpected("a number") };
        self.advance()?;
        Ok(number)
    }

    fn number(&mut self) -> Parsed<u32> {
        let position = self.position;
        let number = self.number64()?;
        u32::try_from(number).map_err(|_| position.error(ParseProblem::TooLarge(number.to_string())))
    }

    fn ty(&mut self) -> Parsed<Type> {
        self.any_word("a type: `bool`, `i32`, `f32`, `i64` or `f64`", Type::from_name)
    }

    /// The end of a statement: of the line, or of the block around it.
    fn line_end(&mut self, expected: &str) -> Parsed<()> {
        match self.token {
            Token::Newline => self.newlines(),
            Token::Sign('}') => Ok(()),
            _ => self.unexpected(expected),
        }
    }

    // Declarations.

    fn function(&mut self) -> Parsed<()> {
        self.newlines()?;
        self.word("function")?;
        let Token::Text(name) = &mut self.token else { return self.unexpected("the function's name in quotes") };
        self.func.name = std::mem::take(name);
        self.advance()?;
        self.newlines()?;
        self.sign('{')?;
        self.newlines()?;
        while !self.accept_word("body")? {
            self.declaration()?;
            self.line_end("the end of the line")?;
        }
        let body = self.func.body();
        self.open(Block::Body, body)?;
        while !self.blocks.is_empty() {
            self.step()?;
        }
        self.newlines()?;
        self.sign('}')?;
        self.newlines()?;
        if self.token == Token::End { Ok(()) } else { self.unexpected("the end of the text") }
    }

    fn declaration(&mut self) -> Parsed<()> {
        const EXPECTED: &str = "a declaration (`group`, `res0`, `g0`, `x0`, `icb` or `slots`) or `body`";
        let Token::Word(word) = self.token else { return self.unexpected(EXPECTED) };
        let interface = &self.func.interface;
        let next = [("res", interface.resources.len()), ("g", interface.shared.len()), ("x", interface.locals.len())];
        if word == "group" {
            self.advance()?;
            self.func.interface.group_size = [self.number()?, self.number()?, self.number()?];
            return Ok(());
        }
        if word == "icb" {
            self.advance()?;
            return self.immediate();
        }
        if word == "slots" {
            self.advance()?;
            return self.slots();
        }
        let Some((prefix, count)) = next.into_iter().find(|(prefix, _)| numbered(prefix, word).is_some()) else {
            return self.unexpected(EXPECTED);
        };
        // Declarations are indexed by their position; a gap would be a hole.
        self.word(&format!("{prefix}{count}"))?;
        self.sign('=')?;
        match prefix {
            "res" => self.resource(),
            "g" => self.shared(),
            _ => self.local(),
        }
    }

    fn slots(&mut self) -> Parsed<()> {
        let position = self.position;
        let count = self.number()?;
        if count as usize > MAX_SLOTS - self.func.slot_count() {
            return Err(position.error(ParseProblem::TooLarge(count.to_string())));
        }
        let ty = self.ty()?;
        for _ in 0..count {
            self.func.add_slot(ty);
        }
        Ok(())
    }

    fn resource(&mut self) -> Parsed<()> {
        let (class, lower) = self.any_word("a register: `b0`, `t0` or `u0`", |word| {
            ResourceClass::ALL.iter().find_map(|&class| Some((class, numbered(class.word(), word)?)))
        })?;
        let count = if !self.accept('[')? {
            Some(1)
        } else if self.accept(']')? {
            None
        } else {
            let count = self.number()?;
            self.sign(']')?;
            Some(count)
        };
        let kind = self.any_word("`constant`, `raw`, `structured` or `typed`", |word| match word {
            "constant" => Some(ResourceKind::Constant { vectors: 0 }),
            "raw" => Some(ResourceKind::Raw),
            "structured" => Some(ResourceKind::Structured { stride_bytes: 0 }),
            "typed" => Some(ResourceKind::Typed { dimension: Dimension::Buffer, component: Component::Mixed }),
            _ => None,
        })?;
        let kind = match kind {
            ResourceKind::Constant { .. } => ResourceKind::Constant { vectors: self.number()? },
            ResourceKind::Raw => kind,
            ResourceKind::Structured { .. } => {
                self.word("stride")?;
                ResourceKind::Structured { stride_bytes: self.number()? }
            }
            ResourceKind::Typed { .. } => ResourceKind::Typed { dimension: self.one_of()?, component: self.one_of()? },
        };
        let space = if self.accept_word("space")? { self.number()? } else { 0 };
        let uses_counter = self.accept_word("counter")?;
        self.func.interface.resources.push(Resource { class, kind, space, lower, count, uses_counter });
        Ok(())
    }

    fn shared(&mut self) -> Parsed<()> {
        let register = self.any_word("a register: `g0`", |word| numbered("g", word))?;
        let raw = self.any_word("`raw` or `structured`", |word| match word {
            "raw" => Some(true),
            "structured" => Some(false),
            _ => None,
        })?;
        self.word("stride")?;
        let stride_bytes = self.number()?;
        self.word("count")?;
        let count = self.number()?;
        self.func.interface.shared.push(Shared { register, raw, stride_bytes, count });
        Ok(())
    }

    fn local(&mut self) -> Parsed<()> {
        let register = self.any_word("a register: `x0`", |word| numbered("x", word))?;
        self.word("registers")?;
        let registers = self.number()?;
        self.word("components")?;
        let components = self.number()?;
        self.func.interface.locals.push(Local { register, registers, components });
        Ok(())
    }

    fn immediate(&mut self) -> Parsed<()> {
        self.sign('{')?;
        self.newlines()?;
        while !self.accept('}')? {
            let mut vector = [0; 4];
            for word in &mut vector {
                *word = self.number()?;
                self.newlines()?;
            }
            self.func.interface.immediate.push(vector);
        }
        Ok(())
    }

    // Names.

    /// Makes a name of the text stand for a value.
    fn bind(&mut self, named: &Named, value: Value) -> Parsed<()> {
        match self.values.insert(named.number, value) {
            None => Ok(()),
            Some(_) => Err(named.position.error(ParseProblem::Redefined(format!("v{}", named.number)))),
        }
    }

    fn lookup(&self, word: &str) -> Option<Parsed<Value>> {
        let number = numbered("v", word)?;
        Some(match self.values.get(&number) {
            Some(&value) => Ok(value),
            None => self.error(ParseProblem::Undefined(format!("v{number}"))),
        })
    }

    fn value(&mut self) -> Parsed<Value> {
        let found = match self.token {
            Token::Word(word) => self.lookup(word),
            _ => None,
        };
        let Some(value) = found else { return self.unexpected("a value: `v0`") };
        let value = value?;
        self.advance()?;
        Ok(value)
    }

    /// Values with commas between them, at least one.
    fn values(&mut self) -> Parsed<Values> {
        let mut values = Values::new();
        loop {
            values.push(self.value()?);
            if !self.accept(',')? {
                return Ok(values);
            }
        }
    }

    /// Values up to the end of the statement, perhaps none.
    fn jump_values(&mut self) -> Parsed<Values> {
        match self.token {
            Token::Word(_) => self.values(),
            _ => Ok(Values::new()),
        }
    }

    fn name(&mut self) -> Parsed<(u32, Position)> {
        let position = self.position;
        let number = self.any_word("a value: `v0`", |word| numbered("v", word))?;
        Ok((number, position))
    }

    /// Names with their types: one type serves all names before it that have none.
    fn names(&mut self) -> Parsed<Names> {
        let mut names = Names::new();
        let mut untyped: SmallVec<[(u32, Position); 4]> = SmallVec::new();
        loop {
            untyped.push(self.name()?);
            let typed = self.accept(':')?;
            if typed {
                let ty = self.ty()?;
                names.extend(untyped.drain(..).map(|(number, position)| Named { number, ty, position }));
            }
            if !self.accept(',')? {
                if typed {
                    return Ok(names);
                }
                return self.unexpected("`,` or `:` and a type");
            }
        }
    }

    fn label(&mut self) -> Parsed<Inst> {
        let position = self.position;
        let number = self.any_word("a label: `l0`", |word| numbered("l", word))?;
        self.labels.get(&number).copied().ok_or(position.error(ParseProblem::Undefined(format!("l{number}"))))
    }

    fn new_label(&mut self, inst: Inst, (number, position): (u32, Position)) -> Parsed<()> {
        match self.labels.insert(number, inst) {
            None => Ok(()),
            Some(_) => Err(position.error(ParseProblem::Redefined(format!("l{number}")))),
        }
    }

    fn slot(&mut self) -> Parsed<Slot> {
        let position = self.position;
        let number = self.any_word("a slot: `slot0`", |word| numbered("slot", word))?;
        if (number as usize) < self.func.slot_count() {
            return Ok(Slot::new(number as usize));
        }
        Err(position.error(ParseProblem::Undefined(format!("slot{number}"))))
    }

    // Blocks.

    fn open(&mut self, block: Block, region: Region) -> Parsed<()> {
        let depth = self.blocks.last().map_or(0, |open| open.depth) + usize::from(!matches!(block, Block::Arms { .. }));
        if depth > MAX_NESTING {
            return self.error(ParseProblem::Nesting { limit: MAX_NESTING });
        }
        self.sign('{')?;
        self.newlines()?;
        self.blocks.push(OpenBlock { block, region, depth });
        Ok(())
    }

    /// One statement, one arm's head, or the end of a block.
    fn step(&mut self) -> Parsed<()> {
        let Some(open) = self.blocks.last_mut() else { return Ok(()) };
        let region = open.region;
        if let Block::Arms { switch, default, ref mut has_default } = open.block {
            if *has_default {
                self.sign('}')?;
                self.blocks.pop();
                return self.line_end("the end of the line");
            }
            if self.token == Token::Word("default") {
                *has_default = true;
                self.advance()?;
                return self.open(Block::Arm, default);
            }
            if !self.accept_word("case")? {
                return self.unexpected("`case` or `default`");
            }
            let labels = self.case_labels()?;
            let region = self.func.add_region();
            if let InstKind::Switch { cases, .. } = &mut self.func.inst_mut(switch).kind {
                cases.push(Case { labels, region });
            }
            return self.open(Block::Arm, region);
        }
        if !self.has('}') {
            return self.statement(region);
        }
        self.advance()?;
        match self.blocks.pop().map(|open| open.block) {
            Some(Block::Then { else_region }) => {
                self.newlines()?;
                self.word("else")?;
                self.open(Block::Last, else_region)
            }
            Some(Block::Last) => self.line_end("the end of the line"),
            Some(Block::Arm | Block::Body | Block::Arms { .. }) | None => self.newlines(),
        }
    }

    fn case_labels(&mut self) -> Parsed<Vec<u32>> {
        let mut labels = Vec::new();
        loop {
            labels.push(self.number()?);
            if !self.accept(',')? {
                return Ok(labels);
            }
        }
    }

    fn statement(&mut self, region: Region) -> Parsed<()> {
        let Token::Word(word) = self.token else { return self.unexpected("a statement or `}`") };
        let mut results = Names::new();
        if numbered("v", word).is_some() {
            results = self.names()?;
            self.sign('=')?;
        }
        let precise = self.accept_word("precise")?;
        let Token::Word(word) = self.token else { return self.unexpected("an instruction") };
        if results.is_empty() && matches!(word, "if" | "loop" | "switch") {
            self.advance()?;
            return match word {
                "if" => self.if_(region, precise),
                "loop" => self.loop_(region, precise),
                _ => self.switch(region, precise),
            };
        }
        let kind = self.instruction(results.first().map_or(Type::I32, |named| named.ty))?;
        let inst = self.finish(kind, &results, region, precise)?;
        debug_assert!(self.func.inst(inst).kind.regions().is_empty(), "control flow is read above");
        self.line_end("the end of the line")
    }

    /// Adds an instruction to its region; the origin is read here.
    fn finish(&mut self, kind: InstKind, results: &Names, region: Region, precise: bool) -> Parsed<Inst> {
        let origin = if self.accept('@')? { Origin(self.number()?) } else { Origin::default() };
        let types: SmallVec<[Type; 4]> = results.iter().map(|named| named.ty).collect();
        let inst = self.func.add_inst(kind, &types, origin);
        self.func.inst_mut(inst).precise = precise;
        self.func.region_mut(region).insts.push(inst);
        for (n, named) in results.iter().enumerate() {
            let value = self.func.inst(inst).results[n];
            self.bind(named, value)?;
        }
        Ok(inst)
    }

    fn arrow_results(&mut self) -> Parsed<Names> {
        if self.token != Token::Arrow {
            return Ok(Names::new());
        }
        self.advance()?;
        self.names()
    }

    fn if_(&mut self, region: Region, precise: bool) -> Parsed<()> {
        let cond = self.value()?;
        let results = self.arrow_results()?;
        let (then_region, else_region) = (self.func.add_region(), self.func.add_region());
        self.finish(InstKind::If { cond, then_region, else_region }, &results, region, precise)?;
        self.open(Block::Then { else_region }, then_region)
    }

    fn loop_(&mut self, region: Region, precise: bool) -> Parsed<()> {
        let label = self.new_label_name()?;
        self.sign('(')?;
        let (mut params, mut inits) = (Names::new(), Values::new());
        while !self.has(')') {
            if !params.is_empty() {
                self.sign(',')?;
            }
            let (number, position) = self.name()?;
            self.sign(':')?;
            params.push(Named { number, ty: self.ty()?, position });
            self.sign('=')?;
            inits.push(self.value()?);
        }
        self.sign(')')?;
        let body = self.func.add_region();
        for named in &params {
            let value = self.func.add_param(body, named.ty);
            self.bind(named, value)?;
        }
        let results = self.arrow_results()?;
        let inst = self.finish(InstKind::Loop { inits, body }, &results, region, precise)?;
        self.new_label(inst, label)?;
        self.open(Block::Last, body)
    }

    fn switch(&mut self, region: Region, precise: bool) -> Parsed<()> {
        let label = self.new_label_name()?;
        let selector = self.value()?;
        let results = self.arrow_results()?;
        let default = self.func.add_region();
        let kind = InstKind::Switch { selector, cases: Vec::new(), default };
        let inst = self.finish(kind, &results, region, precise)?;
        self.new_label(inst, label)?;
        // The arms' own block holds no statement; its region is never used.
        self.open(Block::Arms { switch: inst, default, has_default: false }, region)
    }

    fn new_label_name(&mut self) -> Parsed<(u32, Position)> {
        let position = self.position;
        let number = self.any_word("a label: `l0`", |word| numbered("l", word))?;
        Ok((number, position))
    }

    // Instructions.

    /// An instruction without regions. A constant has the type of its result.
    fn instruction(&mut self, first_result: Type) -> Parsed<InstKind> {
        let Token::Word(word) = self.token else { return self.unexpected("an instruction") };
        if let Some(op) = Op::from_name(word) {
            self.advance()?;
            return Ok(InstKind::Op { op, args: self.values()? });
        }
        let read: fn(&mut Self) -> Parsed<InstKind> = match word {
            "const" => {
                self.advance()?;
                return Ok(InstKind::Const(Const { ty: first_result, bits: self.bits()? }));
            }
            "input" => |p| Ok(InstKind::Input(p.input()?)),
            "get" => |p| Ok(InstKind::SlotGet(p.slot()?)),
            "set" => |p| {
                let slot = p.slot()?;
                p.sign(',')?;
                Ok(InstKind::SlotSet(slot, p.value()?))
            },
            "load" => |p| Ok(InstKind::Load { place: p.place()? }),
            "store" => |p| {
                let place = p.place()?;
                p.sign(',')?;
                Ok(InstKind::Store { place, values: p.values()?, effect: p.effect()? })
            },
            "atomic" => |p| {
                let (op, place) = (p.atomic_op()?, p.place()?);
                let (value, compare, effect) = p.update()?;
                Ok(InstKind::Atomic { op, place, value, compare, effect })
            },
            "counter" => |p| {
                let op = p.one_of::<CounterOp>()?;
                Ok(InstKind::Counter { op, resource: p.view()?, effect: p.effect()? })
            },
            "texel_load" => |p| {
                let (resource, coords) = p.texel()?;
                Ok(InstKind::TexelLoad { resource, coords, level: p.optional("level")? })
            },
            "texel_store" => |p| {
                let (resource, coords) = p.texel()?;
                p.sign(',')?;
                Ok(InstKind::TexelStore { resource, coords, values: p.values()?, effect: p.effect()? })
            },
            "texel_atomic" => |p| {
                let op = p.atomic_op()?;
                let (resource, coords) = p.texel()?;
                let (value, compare, effect) = p.update()?;
                Ok(InstKind::TexelAtomic { op, resource, coords, value, compare, effect })
            },
            "query" => |p| {
                let query = p.one_of::<Query>()?;
                Ok(InstKind::Query { query, resource: p.view()?, level: p.optional("level")? })
            },
            "barrier" => |p| Ok(InstKind::Barrier(p.sync()?)),
            "yield" => |p| Ok(InstKind::Yield(p.jump_values()?)),
            "break" => |p| Ok(InstKind::Break { target: p.label()?, args: p.jump_values()? }),
            "continue" => |p| Ok(InstKind::Continue { target: p.label()?, args: p.jump_values()? }),
            "return" => |_| Ok(InstKind::Return),
            _ => return self.unexpected("an instruction or the name of an operation"),
        };
        self.advance()?;
        read(self)
    }

    fn bits(&mut self) -> Parsed<u64> {
        if self.accept_word("true")? {
            return Ok(1);
        }
        if self.accept_word("false")? {
            return Ok(0);
        }
        self.number64()
    }

    fn input(&mut self) -> Parsed<Input> {
        self.any_word(
            "an input: `thread_id.x`, `group_id.x`, `thread_id_in_group.x` or `thread_index`",
            input_from_word,
        )
    }

    fn atomic_op(&mut self) -> Parsed<AtomicOp> {
        self.any_word("an atomic operation, as `add` or `compare_exchange`", |word| {
            AtomicOp::ALL.into_iter().find(|op| op.name() == word)
        })
    }

    fn sync(&mut self) -> Parsed<Sync> {
        let mut sync = Sync::default();
        while let Token::Word(word) = self.token {
            let Some((_, flag)) = sync_words(&mut sync).into_iter().find(|(name, _)| *name == word) else {
                return self.unexpected("`threads`, `shared`, `views_group` or `views_global`");
            };
            *flag = true;
            self.advance()?;
        }
        Ok(sync)
    }

    /// A value behind a word, if the word is there.
    fn optional(&mut self, word: &str) -> Parsed<Option<Value>> {
        if self.accept_word(word)? { Ok(Some(self.value()?)) } else { Ok(None) }
    }

    fn effect(&mut self) -> Parsed<Value> {
        self.word("where")?;
        self.value()
    }

    fn update(&mut self) -> Parsed<(Value, Option<Value>, Value)> {
        self.sign(',')?;
        Ok((self.value()?, self.optional("compare")?, self.effect()?))
    }

    fn view(&mut self) -> Parsed<ResourceRef> {
        let view = match self.token {
            Token::Word(word) => self.view_of(word)?,
            _ => None,
        };
        let Some(view) = view else { return self.unexpected("a view: `res0`, `res0.1` or `res0.v1`") };
        self.advance()?;
        Ok(view)
    }

    /// The view that a word names, if its form is that of a view.
    fn view_of(&self, word: &str) -> Parsed<Option<ResourceRef>> {
        let (name, element) = word.split_once('.').map_or((word, None), |(name, element)| (name, Some(element)));
        let Some(number) = numbered("res", name) else { return Ok(None) };
        if number as usize >= self.func.interface.resources.len() {
            return self.error(ParseProblem::Undefined(format!("res{number}")));
        }
        let element = match element {
            None => Element::Fixed(0),
            Some(text) => match (numbered("", text), self.lookup(text)) {
                (Some(fixed), _) => Element::Fixed(fixed),
                (None, Some(value)) => Element::Computed(value?),
                (None, None) => return Ok(None),
            },
        };
        Ok(Some(ResourceRef { id: ResourceId::new(number as usize), element }))
    }

    fn object(&mut self) -> Parsed<Object> {
        let interface = &self.func.interface;
        let (shared, locals) = (interface.shared.len(), interface.locals.len());
        let object = match self.token {
            Token::Word("icb") => Some(Object::Immediate),
            Token::Word(word) => {
                if let Some(number) = numbered("g", word) {
                    if number as usize >= shared {
                        return self.error(ParseProblem::Undefined(word.into()));
                    }
                    Some(Object::Shared(SharedId::new(number as usize)))
                } else if let Some(number) = numbered("x", word) {
                    if number as usize >= locals {
                        return self.error(ParseProblem::Undefined(word.into()));
                    }
                    Some(Object::Local(LocalId::new(number as usize)))
                } else {
                    self.view_of(word)?.map(Object::Resource)
                }
            }
            _ => None,
        };
        let Some(object) = object else { return self.unexpected("memory: `res0`, `g0`, `x0` or `icb`") };
        self.advance()?;
        Ok(object)
    }

    fn place(&mut self) -> Parsed<Place> {
        let object = self.object()?;
        self.sign('[')?;
        let first = self.value()?;
        let (index, offset) = if self.accept('+')? { (Some(first), self.value()?) } else { (None, first) };
        self.sign(']')?;
        Ok(Place { object, index, offset })
    }

    fn texel(&mut self) -> Parsed<(ResourceRef, Values)> {
        let view = self.view()?;
        self.sign('[')?;
        let coords = self.values()?;
        self.sign(']')?;
        Ok((view, coords))
    }
}
