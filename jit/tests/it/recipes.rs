//! Compares expressions that the lowering has a shorter recipe for with `Op::eval` of each operation.

use brolga_ir::interface::Interface;
use brolga_ir::{Builder, Const, Function, Op, Type, entity};
use brolga_jit::FloatMode;
use brolga_jit::packet::Emit;
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::support::{self, Code, FLAGS, Random, Record, Variant, lower_last, unknown};

/// Operations on two words, `x` and `y`.
#[derive(Clone, PartialEq, Debug)]
enum Expr {
    X,
    Y,
    Const(Const),
    Op(Op, Vec<Expr>),
}

impl Expr {
    fn ty(&self) -> Type {
        match self {
            Expr::X | Expr::Y => Type::I32,
            Expr::Const(value) => value.ty,
            Expr::Op(op, _) => op.result(),
        }
    }

    /// Emits it, except parts that were emitted already.
    fn build(&self, b: &mut Builder<'_>, written: &mut Vec<(Expr, entity::Value)>) -> entity::Value {
        if let Some((_, value)) = written.iter().find(|(expr, _)| expr == self) {
            return *value;
        }
        let value = match self {
            Expr::X | Expr::Y => unreachable!("words are there before"),
            Expr::Const(value) => b.constant(*value),
            Expr::Op(op, args) => {
                let args: Vec<entity::Value> = args.iter().map(|arg| arg.build(b, written)).collect();
                b.op(*op, &args)
            }
        };
        written.push((self.clone(), value));
        value
    }

    /// `true` if it needs denormals, which only one mode leaves alone.
    fn has_doubles(&self) -> bool {
        match self {
            Expr::Op(op, args) => op.is_f64_arithmetic() || args.iter().any(Expr::has_doubles),
            _ => false,
        }
    }

    fn eval(&self, inputs: [u32; 2]) -> u64 {
        match self {
            Expr::X => inputs[0].into(),
            Expr::Y => inputs[1].into(),
            Expr::Const(value) => value.bits,
            Expr::Op(op, args) => op.eval(&args.iter().map(|arg| arg.eval(inputs)).collect::<Vec<_>>()),
        }
    }
}

fn op(op: Op, args: &[&Expr]) -> Expr {
    Expr::Op(op, args.iter().map(|&arg| arg.clone()).collect())
}

fn float(value: f32) -> Expr {
    Expr::Const(Const::f32(value))
}

fn integer(value: u32) -> Expr {
    Expr::Const(Const::i32(value))
}

/// Two words as floats, read as they are or flushed.
fn floats(flushed: bool) -> [Expr; 2] {
    [Expr::X, Expr::Y].map(|word| {
        let value = op(Op::AsF32, &[&word]);
        if flushed { op(Op::FFlush, &[&value]) } else { value }
    })
}

fn edges() -> Vec<u32> {
    let floats = [
        0.0,
        1.0,
        0.5,
        127.0,
        128.0,
        1e10,
        f32::MIN_POSITIVE,
        f32::MIN_POSITIVE / 2.0,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
        12_582_912.0,
        2_147_483_648.0,
        2_147_483_520.0,
    ];
    let words = [1, 15, 16, 31, 32, 0x7f80_0001, 0xffff_ffff, 0x1234_5678, 0xf000_0000, 0x8000_0001];
    let signed = floats.iter().flat_map(|float| [float.to_bits(), float.to_bits() ^ 0x8000_0000]);
    signed.chain(words).collect()
}

/// Compares the machine code of expressions with their meaning, over edge values and random ones.
fn check(exprs: &[Expr]) {
    let mut pairs: Vec<[u32; 2]> = edges().iter().flat_map(|&x| edges().into_iter().map(move |y| [x, y])).collect();
    let mut random = Random(0x0dd5);
    pairs.extend((0..300).map(|_| [random.bits() as u32, random.bits() as u32]));
    pairs.resize(pairs.len().next_multiple_of(support::MAX_LANES), [0; 2]);
    let column = |n: usize| -> Vec<u8> { pairs.iter().flat_map(|pair| pair[n].to_le_bytes()).collect() };
    // The lowering has packets of two vectors.
    for variant in Variant::all().into_iter().filter(|variant| variant.shape.vectors == 2) {
        let mut code = Code::new(variant);
        let mut cases = Vec::new();
        for expr in exprs {
            let modes = if expr.has_doubles() { 1 } else { 2 };
            for &mode in &[FloatMode::Default, FloatMode::Flush][..modes] {
                cases.push((expr, mode, compile(&mut code, expr, mode)));
            }
        }
        let compiled = code.finish();
        for (expr, mode, function) in cases {
            let (mut x, mut y, mut output) = (column(0), column(1), vec![0xcd; pairs.len() * 4]);
            let packets = pairs.len() / variant.shape.lanes() as usize;
            compiled.run(function, mode, &mut Record::new(), [&mut x, &mut y, &mut Vec::new(), &mut output], packets);
            for (&pair, got) in pairs.iter().zip(output.chunks_exact(4)) {
                let got = u32::from_le_bytes(got.try_into().expect("four bytes"));
                let want = expr.eval(pair) as u32;
                let is_nan = |bits: u32| expr.ty() == Type::F32 && f32::from_bits(bits).is_nan();
                assert!(
                    got == want || is_nan(got) && is_nan(want),
                    "{expr:?} of {pair:#x?} gave {got:#x}, not {want:#x}; {variant:?}, {mode:?}"
                );
            }
        }
    }
}

fn compile(code: &mut Code, expr: &Expr, mode: FloatMode) -> usize {
    let mut func = Function::new("expression", Interface::default());
    let mut b = Builder::new(&mut func);
    let [x, y] = [(); 2].map(|()| unknown(&mut b, Type::I32));
    expr.build(&mut b, &mut vec![(Expr::X, x), (Expr::Y, y)]);
    code.function(|emit, index, pointers| {
        let bytes = emit.shape.bytes_of(Type::I32);
        let offset = emit.builder.ins().imul_imm_u(index, i64::from(bytes));
        let address = |emit: &mut Emit<'_, '_>, pointer: Value| emit.builder.ins().iadd(pointer, offset);
        let words = [(x, pointers[0]), (y, pointers[1])].map(|(value, pointer)| {
            let at = address(emit, pointer);
            (value, emit.load(Type::I32, at, 0, FLAGS).into())
        });
        let result = lower_last(emit, &func, &words, mode);
        let packet = emit.packet(&result);
        let at = address(emit, pointers[3]);
        emit.store(&packet, at, 0, FLAGS);
    })
}

#[test]
fn selects_of_what_is_compared_pick_the_same() {
    let mut exprs = Vec::new();
    for flushed in [false, true] {
        let [x, y] = floats(flushed);
        for other in [y, float(-127.0), float(0.0), float(-0.0), float(f32::NAN), float(f32::MIN_POSITIVE / 4.0)] {
            for sides in [[&x, &other], [&other, &x]] {
                let less = op(Op::FLt, &sides);
                exprs.push(op(Op::SelectF32, &[&less, &x, &other]));
                exprs.push(op(Op::SelectF32, &[&less, &other, &x]));
                exprs.push(op(Op::SelectF32, &[&less, &x, &float(3.0)]));
            }
        }
    }
    check(&exprs);
}

#[test]
fn bits_of_what_is_no_nan_are_its_bits() {
    let mut exprs = Vec::new();
    for flushed in [false, true] {
        let [x, y] = floats(flushed);
        for extreme in [Op::FMin, Op::FMax] {
            for bound in [&float(128.0), &float(-1.0), &float(0.0), &float(f32::INFINITY), &float(f32::NAN), &y] {
                for sides in [[&x, bound], [bound, &x]] {
                    let bounded = op(extreme, &sides);
                    exprs.push(op(Op::BitsF32, &[&bounded]));
                    exprs.push(op(Op::FToS, &[&bounded]));
                    let floor = op(Op::FFloor, &[&bounded]);
                    for addend in [12_582_912.0, f32::INFINITY, f32::NEG_INFINITY] {
                        for arithmetic in [Op::FAdd, Op::FSub] {
                            let sum = op(arithmetic, &[&floor, &float(addend)]);
                            exprs.push(op(Op::BitsF32, &[&sum]));
                        }
                    }
                }
            }
        }
    }
    check(&exprs);
}

/// The visible properties of floats: their bits, and the results of conversions.
fn visible(float: &Expr) -> Vec<Expr> {
    match float.ty() {
        Type::F64 => vec![op(Op::High64, &[&op(Op::BitsF64, &[float])]), op(Op::DToS, &[float])],
        _ => [Op::BitsF32, Op::F32ToF16, Op::FToS].map(|made| op(made, &[float])).into(),
    }
}

/// Operands with known properties: no NaN, no denormal, no sign, but one zero.
#[test]
fn what_is_known_of_operands_changes_no_bits() {
    let [x, y] = floats(false);
    let bound = op(Op::FMin, &[&x, &float(128.0)]);
    let magnitude = op(Op::FAbs, &[&y]);
    let negative = op(Op::FNeg, &[&magnitude]);
    let square = op(Op::FMul, &[&x, &x]);
    let known = [op(Op::FSat, &[&x]), op(Op::UToF, &[&Expr::X]), op(Op::FFlush, &[&x])];
    let operands: Vec<Expr> = known.into_iter().chain([x, y, bound, magnitude, negative, square]).collect();
    let mut exprs = Vec::new();
    for a in &operands {
        for b in &operands {
            let made = [Op::FMin, Op::FMax, Op::FAdd, Op::FDiv].map(|made| op(made, &[a, b]));
            exprs.extend(made.iter().flat_map(visible));
            let less = op(Op::FLt, &[a, b]);
            exprs.extend([[a, b], [b, a]].map(|[p, q]| op(Op::SelectF32, &[&less, p, q])));
        }
    }
    check(&exprs);
}

#[test]
fn what_is_known_of_doubles_changes_no_bits() {
    let [x, _] = floats(false);
    let [wide, other] =
        [[&Expr::X, &Expr::Y], [&Expr::Y, &Expr::X]].map(|words| op(Op::AsF64, &[&op(Op::Pack64, &words)]));
    let known = [op(Op::FToD, &[&op(Op::FSat, &[&x])]), op(Op::SToD, &[&Expr::Y]), op(Op::DAbs, &[&other])];
    let zero = Expr::Const(Const::f64(-0.0));
    let operands: Vec<Expr> = known.into_iter().chain([op(Op::FToD, &[&x]), wide, other, zero]).collect();
    let mut exprs = Vec::new();
    for a in &operands {
        for b in &operands {
            let less = op(Op::DLt, &[a, b]);
            let selected = [[a, b], [b, a]].map(|[p, q]| op(Op::SelectF64, &[&less, p, q]));
            let made = [Op::DMin, Op::DMax, Op::DAdd].map(|made| op(made, &[a, b]));
            exprs.extend(made.iter().chain(&selected).flat_map(visible));
        }
    }
    check(&exprs);
}

#[test]
fn shifts_of_both_halves_rotate() {
    let shift = |shift, places| op(shift, &[&Expr::X, &integer(places)]);
    let mut exprs = Vec::new();
    for places in 0..=32 {
        let [left, right] = [shift(Op::Shl, places), shift(Op::UShr, 32 - places)];
        exprs.extend([Op::Or, Op::Xor, Op::IAdd].map(|join| op(join, &[&left, &right])));
        exprs.push(op(Op::Or, &[&right, &left]));
        // Other bits of the same number, and the same of another.
        exprs.push(op(Op::Or, &[&left, &shift(Op::UShr, 31 - places.min(31))]));
        exprs.push(op(Op::Or, &[&left, &op(Op::UShr, &[&Expr::Y, &integer(32 - places)])]));
        exprs.push(op(Op::RotL, &[&Expr::X, &integer(places)]));
    }
    exprs.push(op(Op::RotL, &[&Expr::X, &Expr::Y]));
    check(&exprs);
}

#[test]
fn shifts_by_small_amounts_shift() {
    let mut exprs = Vec::new();
    for most in [15, 7, 16, 31] {
        let masked = op(Op::And, &[&Expr::Y, &integer(most)]);
        for fixed in [0, 1, 4, 15, 16, 17, 31, u32::MAX] {
            let amount = op(Op::IAdd, &[&masked, &integer(fixed)]);
            exprs.push(op(Op::UShr, &[&Expr::X, &amount]));
            exprs.push(op(Op::SShr, &[&Expr::X, &amount]));
        }
        exprs.push(op(Op::UShr, &[&Expr::X, &masked]));
    }
    for places in [26, 27, 28, 29, 31] {
        let top = op(Op::UShr, &[&Expr::Y, &integer(places)]);
        exprs.push(op(Op::UShr, &[&Expr::X, &top]));
        exprs.push(op(Op::UShr, &[&Expr::X, &op(Op::IAdd, &[&top, &integer(4)])]));
        exprs.push(op(Op::UShr, &[&integer(0xdead_beef), &top]));
    }
    check(&exprs);
}
