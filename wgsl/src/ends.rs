//! Functions that end in a loop without end.
//!
//! A loop that nothing breaks has no end that code could reach, so that a function may return a value in it alone. Naga
//! wants one after it, too.

use naga::{Block, Expression, Function, Module, Span, Statement};

/// Lets functions return a value behind loops that do not end.
pub(crate) fn complete(module: &mut Module) {
    let points = module.entry_points.iter_mut().map(|point| &mut point.function);
    for function in module.functions.iter_mut().map(|(_, function)| function).chain(points) {
        let Some(result) = &function.result else { continue };
        let ty = result.ty;
        let Function { body, expressions, .. } = function;
        each_end(body, &mut |end| {
            let zero = expressions.append(Expression::ZeroValue(ty), Span::UNDEFINED);
            *end = Statement::Return { value: Some(zero) };
        });
    }
}

/// Visits each `return` without a value that stands behind a loop without end, at the end of a block or of those in its last
/// statement.
fn each_end(block: &mut Block, visit: &mut impl FnMut(&mut Statement)) {
    let [.., before, last] = &mut block[..] else {
        if let Some(last) = block.last_mut() {
            each_end_of(last, visit);
        }
        return;
    };
    match last {
        Statement::Return { value: None } if never_ends(before) => visit(last),
        last => each_end_of(last, visit),
    }
}

fn each_end_of(last: &mut Statement, visit: &mut impl FnMut(&mut Statement)) {
    match last {
        Statement::Block(block) => each_end(block, visit),
        Statement::If { accept, reject, .. } => [accept, reject].into_iter().for_each(|block| each_end(block, visit)),
        Statement::Switch { cases, .. } => cases.iter_mut().for_each(|case| each_end(&mut case.body, visit)),
        _ => {}
    }
}

/// `true` for a loop that nothing breaks.
fn never_ends(statement: &Statement) -> bool {
    match statement {
        Statement::Loop { body, continuing, break_if } => {
            break_if.is_none() && !body.iter().chain(continuing.iter()).any(breaks)
        }
        _ => false,
    }
}

/// `true` if a statement may break the loop around it.
fn breaks(statement: &Statement) -> bool {
    match statement {
        Statement::Break => true,
        Statement::Block(block) => block.iter().any(breaks),
        Statement::If { accept, reject, .. } => accept.iter().chain(reject.iter()).any(breaks),
        // A `break` in a switch or an inner loop ends that.
        _ => false,
    }
}
