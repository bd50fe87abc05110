//! The verifier: a well-formed function passes, each broken rule is found.

use brolga_ir::builder::Builder;
use brolga_ir::function::Input;
use brolga_ir::interface::Interface;
use brolga_ir::verify::{Problem, Stage, check};
use brolga_ir::{Function, Op, Type, verify};

#[test]
fn a_counting_loop_passes() {
    let mut func = Function::new("count", Interface::default());
    let mut b = Builder::new(&mut func);
    let (zero, one) = (b.i32(0), b.i32(1));
    let end = b.input(Input::ThreadIndex);
    let (outer, body) = b.loop_(&[zero]);
    let before = b.switch_to(body);
    let n = b.func.region(body).params[0];
    let done = b.op(Op::UGe, &[n, end]);
    let (_, then_region, else_region) = b.if_else(done, &[Type::I32]);
    b.switch_to(then_region);
    b.break_(outer, &[n]);
    b.switch_to(else_region);
    let next = b.op(Op::IAdd, &[n, one]);
    b.yield_(&[next]);
    b.switch_to(body);
    let next = b.func.inst(*b.func.region(body).insts.last().expect("the if")).results[0];
    b.yield_(&[next]);
    b.switch_to(before);
    b.return_();
    verify(func).expect("follows every rule");
}

#[test]
fn slots_may_stay_only_before_ssa_construction() {
    let mut func = Function::new("slots", Interface::default());
    let slot = func.add_slot(Type::F32);
    let mut b = Builder::new(&mut func);
    let value = b.slot_get(slot);
    b.slot_set(slot, value);
    b.return_();
    check(&func, Stage::BeforeSsa).expect("slots are allowed");
    let found = check(&func, Stage::Final).expect_err("slots are left").errors;
    assert_eq!(found.iter().map(|e| &e.problem).collect::<Vec<_>>(), [&Problem::SlotLeft(slot); 2]);
}
