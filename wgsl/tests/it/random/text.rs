//! Programs as text.

use std::fmt::Write;
use std::rc::Rc;

use super::tree::{
    Argument, Block, Counter, Expr, Function, Item, Kind, Node, Place, Program, Space, Statement, Step, Type, Var,
};

pub fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "bool",
        Kind::I32 => "i32",
        Kind::U32 => "u32",
        Kind::F32 => "f32",
    }
}

pub fn ty(of: &Type) -> String {
    match of {
        Type::Scalar(of) => kind(*of).to_owned(),
        Type::Vector(count, of) => format!("vec{count}<{}>", kind(*of)),
        Type::Matrix(columns, rows) => format!("mat{columns}x{rows}<f32>"),
        Type::Array(element, count) => format!("array<{}, {count}>", ty(element)),
        Type::Struct(of) => of.name.clone(),
    }
}

fn name(var: &Var) -> String {
    let letter = match var.space {
        Space::Value => "l",
        Space::Constant => "C",
        Space::Override => "o",
        Space::Function => "v",
        Space::Private => "p",
        Space::Shared => "s",
        Space::Slots => return "slots".to_owned(),
        Space::Input => return "inputs".to_owned(),
        Space::Uniform => return "settings".to_owned(),
        Space::Pointer => "q",
    };
    format!("{letter}{}", var.id)
}

fn literal(of: Kind, word: u32) -> String {
    match of {
        Kind::Bool => (word != 0).to_string(),
        Kind::U32 => format!("{word}u"),
        Kind::I32 if (word as i32) < 0 => format!("i32({})", word as i32),
        Kind::I32 => format!("{word}i"),
        Kind::F32 => format!("f32({:?})", f32::from_bits(word)),
    }
}

fn list<'a>(all: impl IntoIterator<Item = &'a Expr>) -> String {
    all.into_iter().map(expr).collect::<Vec<_>>().join(", ")
}

pub fn expr(of: &Expr) -> String {
    match &of.node {
        Node::Literal(word) => literal(of.ty.kinds()[0], *word),
        Node::Zero => format!("{}()", ty(&of.ty)),
        Node::Name(var) => name(var),
        Node::Load(from) => place(from),
        Node::Unary(op, a) => format!("({op}{})", expr(a)),
        Node::Binary(op, ab) => format!("({} {op} {})", expr(&ab[0]), expr(&ab[1])),
        Node::Build(parts) => format!("{}({})", ty(&of.ty), list(parts)),
        Node::Convert(a) => format!("{}({})", ty(&of.ty), expr(a)),
        Node::Bitcast(a) => format!("bitcast<{}>({})", ty(&of.ty), expr(a)),
        Node::Builtin(fun, args) => format!("{fun}({})", list(args)),
        Node::Index(ab) => format!("{}[{}]", expr(&ab[0]), expr(&ab[1])),
        Node::Part(a, number) => format!("{}{}", expr(a), part(&a.ty, *number)),
        Node::Swizzle(a, parts) => {
            let letters: String = parts.iter().map(|&part| b"xyzw"[part as usize] as char).collect();
            format!("{}.{letters}", expr(a))
        }
        Node::Call(function, args) => call(function, args),
        Node::Length => "arrayLength(&inputs)".to_owned(),
        Node::Image => "image".to_owned(),
    }
}

fn part(of: &Type, number: u32) -> String {
    match of {
        Type::Struct(_) => format!(".m{number}"),
        Type::Vector(..) if number.is_multiple_of(2) => format!(".{}", b"xyzw"[number as usize] as char),
        _ => format!("[{number}]"),
    }
}

fn call(function: &Function, args: &[Argument]) -> String {
    let args = args.iter().map(|argument| match argument {
        Argument::Value(value) => expr(value),
        Argument::Pointer(to) if to.root.space == Space::Pointer && to.path.is_empty() => name(&to.root),
        Argument::Pointer(to) => format!("&{}", place(to)),
    });
    format!("f{}({})", function.id, args.collect::<Vec<_>>().join(", "))
}

fn place(of: &Place) -> String {
    let mut text = match of.root.space {
        Space::Pointer => format!("(*{})", name(&of.root)),
        // A row of elements of this type, of which the first step takes one.
        _ => name(&of.root),
    };
    let mut at = of.root.ty.clone();
    for (n, step) in of.path.iter().enumerate() {
        let is_element = n == 0 && is_row(of.root.space);
        match step {
            Step::Known(number) if is_element => write!(text, "[{number}]"),
            Step::Known(number) => write!(text, "{}", part(&at, *number)),
            Step::Computed(index) => write!(text, "[{}]", expr(index)),
        }
        .unwrap();
        if !is_element {
            at = at.child(if let Step::Known(number) = step { *number } else { 0 });
        }
    }
    text
}

/// `true` if a variable is a row of elements of its type, of which the first step of a path takes one.
pub fn is_row(space: Space) -> bool {
    matches!(space, Space::Shared | Space::Slots | Space::Input)
}

fn counter(of: Counter) -> String {
    match of {
        Counter::Sum(n) if n < 4 => format!("sums.a[{n}]"),
        Counter::Sum(n) => format!("sums.b[{}]", n - 4),
        Counter::Tally(n) if n < 4 => format!("tally_a[{n}]"),
        Counter::Tally(n) => format!("tally_b[{}]", n - 4),
        Counter::Own(n) => format!("own[number].{}", ["a", "b"][n as usize]),
    }
}

struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text.extend(std::iter::repeat_n("    ", self.depth));
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    fn nested(&mut self, head: impl AsRef<str>, inside: impl FnOnce(&mut Self)) {
        self.line(format!("{} {{", head.as_ref()).trim_start());
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line("}");
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(var, value) => self.line(format!("let {} = {};", name(var), expr(value))),
            Statement::Var(var, Some(value)) => {
                self.line(format!("var {}: {} = {};", name(var), ty(&var.ty), expr(value)));
            }
            Statement::Var(var, None) => self.line(format!("var {}: {};", name(var), ty(&var.ty))),
            Statement::Pointer(var, to) => self.line(format!("let {} = &{};", name(var), place(to))),
            Statement::Assign(to, value) => self.line(format!("{} = {};", place(to), expr(value))),
            Statement::Update(to, op, value) => self.line(format!("{} {op}= {};", place(to), expr(value))),
            Statement::Step(to, up) => self.line(format!("{}{};", place(to), if *up { "++" } else { "--" })),
            Statement::If(condition, accept, reject) => {
                self.nested(format!("if {}", expr(condition)), |w| w.block(accept));
                if !reject.is_empty() {
                    self.nested("else", |w| w.block(reject));
                }
            }
            Statement::Switch(selector, cases) => self.nested(format!("switch {}", expr(selector)), |w| {
                let of = selector.ty.kinds()[0];
                for (labels, block) in cases {
                    let text = |label: &Option<u32>| label.map_or("default".to_owned(), |word| literal(of, word));
                    let labels: Vec<_> = labels.iter().map(text).collect();
                    let head = if labels == ["default"] {
                        "default".to_owned()
                    } else {
                        format!("case {}", labels.join(", "))
                    };
                    w.nested(format!("{head}:"), |w| w.block(block));
                }
            }),
            Statement::For(var, end, body) => {
                let name = name(var);
                self.nested(format!("for (var {name} = 0u; {name} < {end}u; {name}++)"), |w| w.block(body));
            }
            Statement::While(var, end, condition, body) => {
                let name = name(var);
                self.line(format!("var {name} = 0u;"));
                self.nested(format!("while ({name} < {end}u) && {}", expr(condition)), |w| {
                    w.line(format!("{name} += 1u;"));
                    w.block(body);
                });
            }
            Statement::Loop(var, end, body, continuing, break_if) => {
                let name = name(var);
                self.line(format!("var {name} = 0u;"));
                self.nested("loop", |w| {
                    if break_if.is_none() {
                        w.line(format!("if {name} >= {end}u {{ break; }}"));
                    }
                    w.block(body);
                    w.nested("continuing", |w| {
                        w.block(continuing);
                        w.line(format!("{name} += 1u;"));
                        if let Some(condition) = break_if {
                            w.line(format!("break if ({name} >= {end}u) || {};", expr(condition)));
                        }
                    });
                });
            }
            Statement::Break => self.line("break;"),
            Statement::Continue => self.line("continue;"),
            Statement::Return(None) => self.line("return;"),
            Statement::Return(Some(value)) => self.line(format!("return {};", expr(value))),
            Statement::Call(function, args, None) if function.result.is_some() => {
                self.line(format!("_ = {};", call(function, args)));
            }
            Statement::Call(function, args, None) => self.line(format!("{};", call(function, args))),
            Statement::Call(function, args, Some(result)) => {
                self.line(format!("let {} = {};", name(result), call(function, args)));
            }
            Statement::Block(block) => self.nested("", |w| w.block(block)),
            Statement::Atomic(atomic) => {
                let compare = atomic.compare.as_ref().map_or(String::new(), |compare| format!("{}, ", expr(compare)));
                let args = match atomic.name {
                    "atomicLoad" => String::new(),
                    _ => format!(", {compare}{}", expr(&atomic.value)),
                };
                let call = format!("{}(&{}{args})", atomic.name, counter(atomic.on));
                let old = if atomic.compare.is_some() { ".old_value" } else { "" };
                match &atomic.result {
                    Some(result) => self.line(format!("let {} = {call}{old};", name(result))),
                    None => self.line(format!("{call};")),
                }
            }
            Statement::Texel(value) => {
                self.line(format!("textureStore(texels, vec2u(number, 1u), vec4u({}, 0u, 0u, 1u));", expr(value)));
            }
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Phase(block) => self.block(block),
                Item::Barrier(kind) => self.line(format!("{kind}();")),
                Item::Load(var, from) => {
                    self.line(format!("let {} = workgroupUniformLoad(&{});", name(var), place(from)))
                }
                Item::For(var, end, inner) => {
                    let name = name(var);
                    self.nested(format!("for (var {name} = 0u; {name} < {end}u; {name}++)"), |w| w.items(inner));
                }
                Item::If(condition, accept, reject) => {
                    self.nested(format!("if {}", expr(condition)), |w| w.items(accept));
                    self.nested("else", |w| w.items(reject));
                }
            }
        }
    }

    fn function(&mut self, function: &Function) {
        let parameter = |var: &Rc<Var>| match var.space {
            Space::Pointer => format!("{}: ptr<function, {}>", name(var), ty(&var.ty)),
            _ => format!("{}: {}", name(var), ty(&var.ty)),
        };
        let parameters = function.parameters.iter().map(parameter).collect::<Vec<_>>().join(", ");
        let result = function.result.as_ref().map_or(String::new(), |result| format!(" -> {}", ty(result)));
        self.nested(format!("fn f{}({parameters}){result}", function.id), |w| w.block(&function.body));
    }
}

/// The text of a program.
pub fn program(program: &Program) -> String {
    let mut w = Writer { text: String::new(), depth: 0 };
    for of in &program.structs {
        let members = of.members.iter().enumerate().map(|(n, member)| format!("m{n}: {}", ty(member)));
        w.line(format!("struct {} {{ {} }}", of.name, members.collect::<Vec<_>>().join(", ")));
    }
    w.line("struct Sums { a: array<atomic<u32>, 4>, b: array<atomic<i32>, 4> }");
    w.line("struct Own { a: atomic<u32>, b: atomic<i32> }");
    w.line(format!("@group(0) @binding(0) var<storage, read_write> slots: array<{}>;", ty(&program.slots.ty)));
    w.line(format!("@group(0) @binding(1) var<storage> inputs: array<{}>;", ty(&program.input.ty)));
    w.line(format!("@group(0) @binding(2) var<uniform> settings: {};", ty(&program.uniform.ty)));
    w.line("@group(0) @binding(3) var<storage, read_write> sums: Sums;");
    w.line("@group(0) @binding(4) var<storage, read_write> own: array<Own>;");
    w.line("@group(0) @binding(5) var texels: texture_storage_2d<r32uint, write>;");
    w.line("@group(0) @binding(6) var image: texture_2d<u32>;");
    w.line("var<workgroup> tally_a: array<atomic<u32>, 4>;\nvar<workgroup> tally_b: array<atomic<i32>, 4>;");
    let threads = program.group[0] * program.group[1];
    w.line(format!("var<workgroup> {}: array<{}, {threads}>;", name(&program.shared), ty(&program.shared.ty)));
    w.line(format!("var<workgroup> {}: array<{}, 1>;", name(&program.common), ty(&program.common.ty)));
    for (var, value) in &program.constants {
        w.line(format!("const {}: {} = {};", name(var), ty(&var.ty), expr(value)));
    }
    for (var, default, _) in &program.overrides {
        let of = var.ty.kinds()[0];
        w.line(format!("override {}: {} = {};", name(var), kind(of), literal(of, *default)));
    }
    for (var, value) in &program.privates {
        let value = value.as_ref().map_or(String::new(), |value| format!(" = {}", expr(value)));
        w.line(format!("var<private> {}: {}{value};", name(var), ty(&var.ty)));
    }
    program.functions.iter().for_each(|function| w.function(function));
    w.line(format!("@compute @workgroup_size({}, {})", program.group[0], program.group[1]));
    let [number, local, group] = &program.numbers;
    let parameters = format!(
        "fn main(@builtin(local_invocation_index) {}: u32, @builtin(workgroup_id) group_id: vec3u)",
        name(local)
    );
    w.nested(parameters, |w| {
        w.line(format!("let {} = group_id.x;", name(group)));
        w.line(format!("let number = {} * {threads}u + {};", name(group), name(local)));
        w.line(format!("let {} = number;", name(number)));
        // Both textures are used, so that both are bound.
        w.line("textureStore(texels, vec2u(number, 0u), textureLoad(image, vec2u(number & 7u, 0u), 0));");
        w.items(&program.main);
    });
    w.text
}

/// The name of an override.
pub fn override_name(var: &Var) -> String {
    name(var)
}
