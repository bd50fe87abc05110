//! Parses the text form.
//!
//! The parser checks names and grammar, not types or structure: that is the verifier's work. Blocks are kept on a stack
//! of its own; nesting and length have limits, so that no text makes it run out of anything.

mod declaration;
mod instruction;
mod stage;

use std::collections::HashMap;

use smallvec::SmallVec;

use super::lex::{Lexer, ParseError, ParseProblem, Position, Token};
use crate::entity::{Inst, Region, Slot, Value};
use crate::function::{Case, Function, InstKind, Origin, Values};
use crate::interface::Interface;
use crate::named::Named;
use crate::types::Type;

/// The longest text that is read, in bytes.
pub const MAX_BYTES: usize = 64 << 20;

/// The most slots: a line of text declares any number of them. Direct3D has 4096 registers of 4 components.
pub const MAX_SLOTS: usize = 4096 * 4;

/// The most nested regions. Other parts of the crate walk regions recursively; a translated shader has at most half as
/// many.
pub const MAX_NESTING: usize = 512;

/// Parses a function. It is as the text says, right or wrong: [`verify`](crate::verify()) it.
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
    parser.func.list_samples();
    Ok(parser.func)
}

/// A block that is not closed yet.
enum BlockKind {
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
    block: BlockKind,
    /// The region of its statements.
    region: Region,
    /// Regions around it, itself included.
    depth: usize,
}

/// Results that stand in the text before their definition.
struct Definition {
    number: u32,
    ty: Type,
    position: Position,
}

type NamedResults = SmallVec<[Definition; 4]>;

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

    /// Takes a name of an enum's value; the message lists all of them.
    fn one_of<T: Named>(&mut self) -> Parsed<T> {
        let all: Vec<String> = T::VALUES.iter().map(|value| format!("`{}`", value.named())).collect();
        let of_name = |name: &str| T::VALUES.iter().copied().find(|value| value.named() == name);
        self.any_word(&format!("one of {}", all.join(", ")), of_name)
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
        self.open(BlockKind::Body, body)?;
        while !self.blocks.is_empty() {
            self.step()?;
        }
        self.newlines()?;
        self.sign('}')?;
        self.newlines()?;
        if self.token == Token::End { Ok(()) } else { self.unexpected("the end of the text") }
    }

    // Names.

    /// Makes a name of the text stand for a value.
    fn bind(&mut self, named: &Definition, value: Value) -> Parsed<()> {
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
    fn names(&mut self) -> Parsed<NamedResults> {
        let mut names = NamedResults::new();
        let mut untyped: SmallVec<[(u32, Position); 4]> = SmallVec::new();
        loop {
            untyped.push(self.name()?);
            let typed = self.accept(':')?;
            if typed {
                let ty = self.ty()?;
                names.extend(untyped.drain(..).map(|(number, position)| Definition { number, ty, position }));
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

    fn slot_and_value(&mut self) -> Parsed<(Slot, Value)> {
        let slot = self.slot()?;
        self.sign(',')?;
        Ok((slot, self.value()?))
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

    fn open(&mut self, block: BlockKind, region: Region) -> Parsed<()> {
        let depth =
            self.blocks.last().map_or(0, |open| open.depth) + usize::from(!matches!(block, BlockKind::Arms { .. }));
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
        if let BlockKind::Arms { switch, default, ref mut has_default } = open.block {
            if *has_default {
                self.sign('}')?;
                self.blocks.pop();
                return self.line_end("the end of the line");
            }
            if self.token == Token::Word("default") {
                *has_default = true;
                self.advance()?;
                return self.open(BlockKind::Arm, default);
            }
            if !self.accept_word("case")? {
                return self.unexpected("`case` or `default`");
            }
            let labels = self.case_labels()?;
            let region = self.func.add_region();
            if let InstKind::Switch { cases, .. } = &mut self.func.inst_mut(switch).kind {
                cases.push(Case { labels, region });
            }
            return self.open(BlockKind::Arm, region);
        }
        if !self.has('}') {
            return self.statement(region);
        }
        self.advance()?;
        match self.blocks.pop().map(|open| open.block) {
            Some(BlockKind::Then { else_region }) => {
                self.newlines()?;
                self.word("else")?;
                self.open(BlockKind::Last, else_region)
            }
            Some(BlockKind::Last) => self.line_end("the end of the line"),
            Some(BlockKind::Arm | BlockKind::Body | BlockKind::Arms { .. }) | None => self.newlines(),
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
        let mut results = NamedResults::new();
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
    fn finish(&mut self, kind: InstKind, results: &NamedResults, region: Region, precise: bool) -> Parsed<Inst> {
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

    fn arrow_results(&mut self) -> Parsed<NamedResults> {
        if self.token != Token::Arrow {
            return Ok(NamedResults::new());
        }
        self.advance()?;
        self.names()
    }

    fn if_(&mut self, region: Region, precise: bool) -> Parsed<()> {
        let cond = self.value()?;
        let results = self.arrow_results()?;
        let (then_region, else_region) = (self.func.add_region(), self.func.add_region());
        self.finish(InstKind::If { cond, then_region, else_region }, &results, region, precise)?;
        self.open(BlockKind::Then { else_region }, then_region)
    }

    fn loop_(&mut self, region: Region, precise: bool) -> Parsed<()> {
        let label = self.new_label_name()?;
        self.sign('(')?;
        let (mut params, mut inits) = (NamedResults::new(), Values::new());
        while !self.has(')') {
            if !params.is_empty() {
                self.sign(',')?;
            }
            let (number, position) = self.name()?;
            self.sign(':')?;
            params.push(Definition { number, ty: self.ty()?, position });
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
        self.open(BlockKind::Last, body)
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
        self.open(BlockKind::Arms { switch: inst, default, has_default: false }, region)
    }

    fn new_label_name(&mut self) -> Parsed<(u32, Position)> {
        let position = self.position;
        let number = self.any_word("a label: `l0`", |word| numbered("l", word))?;
        Ok((number, position))
    }
}
