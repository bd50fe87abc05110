//! Which parts of variables are indexed by computed numbers: those are kept in arrays, all others in slots.
//!
//! A pointer that is passed on is followed into the function that gets it, so that no part is found out too late.

use std::collections::BTreeMap;

use naga::proc::TypeResolution;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{AddressSpace, Block, Expression, Function, Handle, Literal, Module, Statement, TypeInner};

/// The uses of a variable or a part of one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// Set if its elements are chosen by a computed number.
    pub is_indexed: bool,
    /// Elements and members with uses of their own.
    pub parts: BTreeMap<u32, Usage>,
}

impl Usage {
    /// `true` if it or a part of it is indexed.
    pub fn holds_indexed(&self) -> bool {
        self.is_indexed || self.parts.values().any(Usage::holds_indexed)
    }

    fn part(&mut self, path: &[u32]) -> &mut Usage {
        path.iter().fold(self, |usage, &number| usage.parts.entry(number).or_default())
    }

    fn add(&mut self, other: &Usage) {
        self.is_indexed |= other.is_indexed;
        for (&number, part) in &other.parts {
            self.parts.entry(number).or_default().add(part);
        }
    }
}

/// The uses in one function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionUsage {
    /// By local variable.
    pub locals: Vec<Usage>,
    /// By argument; those that are no pointers have none.
    arguments: Vec<Usage>,
}

/// The uses in a module.
#[derive(Debug)]
pub(crate) struct ModuleUsage {
    /// By function.
    pub functions: Vec<FunctionUsage>,
    /// Of the entry point.
    pub entry: FunctionUsage,
    /// By global variable; only private ones have any.
    pub globals: Vec<Usage>,
}

impl ModuleUsage {
    /// The uses in all functions and an entry point.
    pub fn new(module: &Module, info: &ModuleInfo, entry: usize) -> Self {
        let mut globals = vec![Usage::default(); module.global_variables.len()];
        let mut functions = Vec::new();
        // A function comes after those that it calls.
        for (handle, function) in module.functions.iter() {
            let usage = of_function(module, function, &info[handle], &functions, &mut globals);
            functions.push(usage);
        }
        let main = &module.entry_points[entry].function;
        let entry = of_function(module, main, info.get_entry_point(entry), &functions, &mut globals);
        Self { functions, entry, globals }
    }
}

#[derive(Clone, Copy)]
enum Root {
    Local(usize),
    Argument(usize),
    Global(usize),
}

/// A part of a variable, by the numbers of elements and members on the way to it.
#[derive(Clone)]
struct Path {
    root: Root,
    numbers: Vec<u32>,
    /// Set if it is in a part that is indexed.
    is_below: bool,
}

fn of_function(
    module: &Module,
    function: &Function,
    info: &FunctionInfo,
    callees: &[FunctionUsage],
    globals: &mut [Usage],
) -> FunctionUsage {
    let mut usage = FunctionUsage {
        locals: vec![Usage::default(); function.local_variables.len()],
        arguments: vec![Usage::default(); function.arguments.len()],
    };
    let mut paths: Vec<Option<Path>> = Vec::with_capacity(function.expressions.len());
    let from = |root| Some(Path { root, numbers: Vec::new(), is_below: false });
    for (_, expression) in function.expressions.iter() {
        let base = |base: Handle<Expression>| paths.get(base.index()).cloned().flatten();
        let path = match *expression {
            Expression::LocalVariable(variable) => from(Root::Local(variable.index())),
            Expression::FunctionArgument(number) => from(Root::Argument(number as usize)),
            Expression::GlobalVariable(variable) => {
                let is_private = module.global_variables[variable].space == AddressSpace::Private;
                if is_private { from(Root::Global(variable.index())) } else { None }
            }
            Expression::AccessIndex { base: of, index } => base(of).map(|path| path.child(index)),
            Expression::Access { base: of, index } => base(of).map(|mut path| {
                if let Some(number) = literal(&function.expressions[index]) {
                    return path.child(number);
                }
                // An element of a vector is selected.
                if !path.is_below && !is_vector(module, &info[of].ty) {
                    usage.at(&path, globals).is_indexed = true;
                }
                path.is_below = true;
                path
            }),
            _ => None,
        };
        paths.push(path);
    }
    calls(&function.body, &mut |callee, arguments| {
        let Some(callee) = callees.get(callee.index()) else { return };
        for (argument, used) in arguments.iter().zip(&callee.arguments) {
            if let Some(Some(path)) = paths.get(argument.index())
                && !path.is_below
                && used.holds_indexed()
            {
                usage.at(path, globals).add(used);
            }
        }
    });
    usage
}

impl Path {
    fn child(mut self, number: u32) -> Self {
        if !self.is_below {
            self.numbers.push(number);
        }
        self
    }
}

impl FunctionUsage {
    fn at<'a>(&'a mut self, path: &Path, globals: &'a mut [Usage]) -> &'a mut Usage {
        let root = match path.root {
            Root::Local(number) => &mut self.locals[number],
            Root::Argument(number) => &mut self.arguments[number],
            Root::Global(number) => &mut globals[number],
        };
        root.part(&path.numbers)
    }
}

/// The number that a literal index is.
pub(crate) fn literal(expression: &Expression) -> Option<u32> {
    match *expression {
        Expression::Literal(Literal::U32(number)) => Some(number),
        Expression::Literal(Literal::I32(number)) => u32::try_from(number).ok(),
        _ => None,
    }
}

fn is_vector(module: &Module, pointer: &TypeResolution) -> bool {
    match *pointer.inner_with(&module.types) {
        TypeInner::Pointer { base, .. } => matches!(module.types[base].inner, TypeInner::Vector { .. }),
        TypeInner::ValuePointer { size, .. } => size.is_some(),
        _ => false,
    }
}

/// Calls `f` with each call in a block.
fn calls(block: &Block, f: &mut impl FnMut(Handle<Function>, &[Handle<Expression>])) {
    for statement in block {
        match statement {
            Statement::Call { function, arguments, .. } => f(*function, arguments),
            Statement::Block(inner) => calls(inner, f),
            Statement::If { accept, reject, .. } => {
                calls(accept, f);
                calls(reject, f);
            }
            Statement::Switch { cases, .. } => cases.iter().for_each(|case| calls(&case.body, f)),
            Statement::Loop { body, continuing, .. } => {
                calls(body, f);
                calls(continuing, f);
            }
            _ => {}
        }
    }
}
