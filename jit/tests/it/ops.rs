//! Compares the machine code of every pure operation with `Op::eval`, bit for bit.
//!
//! For each row of the table, each packet shape, each feature level, both float modes and each mixture of uniform and
//! per-lane operands: the cross product of edge values at every lane, then random operands. Only the payload of a NaN
//! that arithmetic made is unspecified. `cargo test -p brolga-jit --test it ops:: -- --nocapture` lists the operations
//! with the number of lanes compared, by vectors of a packet.

use brolga_ir::float_class::ClassSet;
use brolga_ir::interface::Interface;
use brolga_ir::{Builder, Const, Function, Op, Type};
use brolga_jit::FloatMode;
use brolga_jit::ops::{Known, lower_op};
use brolga_jit::packet::{Emit, PacketOperand, is_wide};
use cranelift_codegen::ir::{InstBuilder, Value};

use crate::support::{Code, Compiled, FLAGS, Random, Record, Variant, load_lanes, lower_last, store_lanes, unknown};

const RANDOM_TUPLES: usize = 1500;

/// Zeros, ones, extremes, patterns, shift amounts, NaNs with payloads, denormals, halves and their limits.
const EDGES_32: &[u32] = &[
    0,
    1,
    2,
    31,
    32,
    33,
    u32::MAX,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0x5555_5555,
    0xaaaa_aaaa,
    0x0000_ffff,
    0x0001_0000,
    0x3f80_0000, // 1
    0xbf80_0000,
    0x3f7f_ffff, // just under 1
    0x3f00_0000, // a half
    0x4020_0000, // 2.5
    0x0080_0000, // smallest normal
    0x8080_0000,
    0x00ff_ffff, // its product with a half is tiny after rounding
    0x007f_ffff, // largest denormal
    0x807f_ffff,
    0x7f7f_ffff, // largest
    0xff7f_ffff,
    0x7f80_0000, // infinity
    0xff80_0000,
    0x7fc0_0000, // NaNs
    0x7f80_0001,
    0xffc1_2345,
    0x4b00_0001, // 2^23 + 1
    0x4eff_ffff, // under 2^31
    0x4f00_0000,
    0xcf00_0000,
    0x4f7f_ffff, // under 2^32
    0x4f80_0000,
    0x477f_ffff, // largest that halves hold, cut off
    0x4780_0000,
    0x3880_0000, // smallest normal half
    0x387f_ffff,
    0x3380_0000, // smallest denormal half
    0x337f_ffff,
    0x7c00, // half infinity
    0x7c01,
    0xfbff,
    0x0400,
    0x83ff,
];

const EDGES_64: &[u64] = &[
    0,
    1,
    1 << 63,
    (1 << 63) | 1,
    u64::MAX,
    0x5555_5555_5555_5555,
    0x0123_4567_89ab_cdef,
    0x3ff0_0000_0000_0000, // 1
    0xbff0_0000_0000_0000,
    0x3fef_ffff_ffff_ffff,
    0x3fe0_0000_0000_0000,
    0x4004_0000_0000_0000, // 2.5
    0x0010_0000_0000_0000, // smallest normal
    0x000f_ffff_ffff_ffff, // largest denormal
    0x800f_ffff_ffff_ffff,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0xfff8_0000_1234_5678,
    0x3810_0000_0000_0000, // smallest normal float
    0x380f_ffff_f000_0000, // where smaller ones are tiny after rounding
    0x380f_ffff_efff_ffff,
    0xb80f_ffff_efff_ffff,
    0x380f_ffff_e000_0000, // rounds to the smallest normal float as a denormal
    0x3800_0000_0000_0000,
    0x41df_ffff_ffc0_0000, // 2^31 - 1
    0x41df_ffff_ffff_ffff,
    0x41e0_0000_0000_0000,
    0xc1e0_0000_0000_0000,
    0xc1e0_0000_001f_ffff,
    0x41ef_ffff_ffe0_0000, // 2^32 - 1
    0x41ef_ffff_ffff_ffff,
    0x41f0_0000_0000_0000,
    0x47ef_ffff_efff_ffff, // below the least that rounds to a float infinity
    0x47ef_ffff_f000_0000,
];

fn edges(ty: Type) -> Vec<u64> {
    match ty {
        Type::Bool => vec![0, 1],
        Type::I32 | Type::F32 => EDGES_32.iter().map(|&bits| u64::from(bits)).collect(),
        Type::I64 | Type::F64 => EDGES_64.to_vec(),
    }
}

/// Random bits; half of the floats get a moderate exponent, so that results are neither all huge nor all tiny.
fn random(ty: Type, random: &mut Random) -> u64 {
    let bits = random.bits();
    let moderate = bits >> 63 != 0;
    match ty {
        Type::Bool => bits & 1,
        Type::I32 => u64::from(bits as u32 >> (bits >> 40 & 31)),
        Type::F32 if moderate => u64::from(bits as u32 & 0x83ff_ffff | 0x3c00_0000),
        Type::F32 => u64::from(bits as u32),
        Type::F64 if moderate => bits & 0x803f_ffff_ffff_ffff | 0x3fc0_0000_0000_0000,
        Type::I64 | Type::F64 => random.bits(),
    }
}

/// The form of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Uniform,
    Packet,
}

/// Every mixture of forms for this many operands.
fn mixtures(operands: usize) -> Vec<Vec<Form>> {
    (0..1 << operands)
        .map(|bits: u32| (0..operands).map(|n| if bits >> n & 1 != 0 { Form::Uniform } else { Form::Packet }).collect())
        .collect()
}

/// Operands of some packets: for each operand, one value per lane of each packet (all equal for a uniform one).
type Columns = Vec<Vec<u64>>;

/// Lays tuples out in lanes, beginning at lane `shift`. Uniform operands must be the same throughout.
fn lay_out(tuples: &[Vec<u64>], operands: usize, lanes: usize, shift: usize, columns: &mut Columns) {
    columns.resize(operands, Vec::new());
    for (n, column) in columns.iter_mut().enumerate() {
        column.extend(std::iter::repeat_n(tuples[0][n], shift));
        column.extend(tuples.iter().map(|tuple| tuple[n]));
        let padded = column.len().next_multiple_of(lanes);
        column.resize(padded, tuples[0][n]);
    }
}

/// Every tuple of these values.
fn cross(values: &[Vec<u64>]) -> Vec<Vec<u64>> {
    values.iter().fold(vec![Vec::new()], |tuples, choices| {
        let extend = |tuple: &Vec<u64>| {
            let tuple = tuple.clone();
            choices.iter().map(move |&choice| tuple.iter().copied().chain([choice]).collect()).collect::<Vec<_>>()
        };
        tuples.iter().flat_map(extend).collect()
    })
}

/// The operands that an operation is tried on: the cross product at every lane, then random ones.
fn columns_for(op: Op, forms: &[Form], lanes: usize) -> Columns {
    let types = op.args();
    // Three operands with all edges would be too many tuples; every third still meets every other.
    let step = if types.iter().filter(|&&ty| ty != Type::Bool).count() == 3 { 3 } else { 1 };
    let values: Vec<Vec<u64>> = types
        .iter()
        .map(|&ty| if ty == Type::Bool { edges(ty) } else { edges(ty).into_iter().step_by(step).collect() })
        .collect();
    let uniform_values = (0..types.len()).map(|n| if forms[n] == Form::Uniform { values[n].clone() } else { vec![0] });
    let mut columns = Columns::new();
    let mut shift = 0;
    for fixed in cross(&uniform_values.collect::<Vec<_>>()) {
        let choices = |n: usize| if forms[n] == Form::Uniform { vec![fixed[n]] } else { values[n].clone() };
        let tuples = cross(&(0..types.len()).map(choices).collect::<Vec<_>>());
        let all_uniform = forms.iter().all(|&form| form == Form::Uniform);
        let shifts = if all_uniform {
            0..1
        } else if tuples.len() > 200 {
            0..lanes
        } else {
            shift..shift + 1
        };
        shift = (shift + 1) % lanes;
        for shift in shifts {
            lay_out(&tuples, types.len(), lanes, shift, &mut columns);
        }
    }
    let mut source = Random(0x5eed ^ op as u64);
    let packets = RANDOM_TUPLES.div_ceil(lanes);
    for (n, column) in columns.iter_mut().enumerate() {
        for _ in 0..packets {
            let first = random(types[n], &mut source);
            column.push(first);
            for _ in 1..lanes {
                column.push(if forms[n] == Form::Uniform { first } else { random(types[n], &mut source) });
            }
        }
    }
    columns
}

/// Bytes of an operand as packet code reads them.
fn bytes_of(ty: Type, column: &[u64]) -> Vec<u8> {
    match ty {
        Type::Bool => column.iter().flat_map(|&bit| (0u32.wrapping_sub(bit as u32)).to_le_bytes()).collect(),
        ty if is_wide(ty) => column.iter().flat_map(|bits| bits.to_le_bytes()).collect(),
        _ => column.iter().flat_map(|&bits| (bits as u32).to_le_bytes()).collect(),
    }
}

fn word_at(ty: Type, bytes: &[u8], index: usize) -> u64 {
    if is_wide(ty) {
        u64::from_le_bytes(bytes[index * 8..index * 8 + 8].try_into().expect("eight bytes"))
    } else {
        u64::from(u32::from_le_bytes(bytes[index * 4..index * 4 + 4].try_into().expect("four bytes")))
    }
}

/// Address of a packet in an array of them.
fn packet_address(emit: &mut Emit<'_, '_>, ty: Type, base: Value, index: Value) -> Value {
    let bytes = emit.shape.bytes_of(ty);
    let offset = emit.builder.ins().imul_imm_u(index, i64::from(bytes));
    emit.builder.ins().iadd(base, offset)
}

/// Compiles an operation on operands from memory; its result is stored at the last pointer.
fn compile(code: &mut Code, op: Op, forms: &[Form], mode: FloatMode) -> usize {
    code.function(|emit, index, pointers| {
        let mut operands = Vec::new();
        for (n, &ty) in op.args().iter().enumerate() {
            let address = packet_address(emit, ty, pointers[n], index);
            operands.push(load_operand(emit, ty, forms[n], address));
        }
        let result = lower_op(emit, op, &operands, &Known::NOTHING, mode);
        store_result(emit, op, &result, forms.iter().all(|&form| form == Form::Uniform), index, pointers[3]);
    })
}

fn load_operand(emit: &mut Emit<'_, '_>, ty: Type, form: Form, address: Value) -> PacketOperand {
    match form {
        Form::Uniform if ty == Type::Bool => {
            // Memory has all ones for true.
            let mut uniform = emit.load_uniform(ty, address, 0, FLAGS);
            uniform.value = emit.builder.ins().band_imm_u(uniform.value, 1);
            uniform.into()
        }
        Form::Uniform => emit.load_uniform(ty, address, 0, FLAGS).into(),
        Form::Packet => load_lanes(emit, ty, address).into(),
    }
}

fn store_result(emit: &mut Emit<'_, '_>, op: Op, result: &PacketOperand, uniform: bool, index: Value, output: Value) {
    assert_eq!(result.is_uniform(), uniform, "{op:?}: uniform operands give a uniform result and others a packet");
    assert_eq!(result.ty(), op.result(), "{op:?}");
    let address = packet_address(emit, op.result(), output, index);
    let packet = emit.packet(result);
    store_lanes(emit, &packet, address);
}

/// `true` if code made of the operation's row may give these bits.
fn agrees(op: Op, got: u64, expected: u64) -> bool {
    let moves =
        matches!(op, Op::SelectF32 | Op::SelectF64 | Op::FNeg | Op::FAbs | Op::DNeg | Op::DAbs | Op::AsF32 | Op::AsF64);
    match op.result() {
        Type::Bool => got == if expected != 0 { 0xffff_ffff } else { 0 },
        Type::F32 if !moves && f32::from_bits(expected as u32).is_nan() => f32::from_bits(got as u32).is_nan(),
        Type::F64 if !moves && f64::from_bits(expected).is_nan() => f64::from_bits(got).is_nan(),
        _ => got == expected,
    }
}

/// Runs compiled code on operands of these types; gives the result of each lane.
fn run(
    compiled: &Compiled,
    function: usize,
    mode: FloatMode,
    types: &[Type],
    columns: &Columns,
    result: Type,
    lanes: usize,
) -> Vec<u64> {
    let count = columns[0].len();
    let mut inputs: Vec<Vec<u8>> = types.iter().zip(columns).map(|(&ty, column)| bytes_of(ty, column)).collect();
    inputs.resize(3, Vec::new());
    let mut output = vec![0xcd; count * if is_wide(result) { 8 } else { 4 }];
    let [a, b, c] = &mut inputs[..] else { unreachable!("three inputs") };
    compiled.run(function, mode, &mut Record::new(), [a, b, c, &mut output], count / lanes);
    (0..count).map(|index| word_at(result, &output, index)).collect()
}

/// Runs compiled code on all operands; panics with the first wrong lane.
fn check(compiled: &Compiled, function: usize, op: Op, columns: &Columns, lanes: usize, mode: FloatMode, what: &str) {
    let results = run(compiled, function, mode, op.args(), columns, op.result(), lanes);
    for (index, got) in results.into_iter().enumerate() {
        let args = [0, 1, 2].map(|n| columns.get(n).map_or(0, |column| column[index]));
        let args = &args[..columns.len()];
        let expected = op.eval(args);
        assert!(
            agrees(op, got, expected),
            "{op:?}({args:#x?}) gave {got:#x} at lane {}, eval says {expected:#x}; {what}",
            index % lanes
        );
    }
}

fn modes(op: Op) -> Vec<FloatMode> {
    if op.is_f64_arithmetic() { vec![FloatMode::Default] } else { vec![FloatMode::Default, FloatMode::Flush] }
}

/// Checks every operation; gives how many lanes were compared for each, in the order of the table.
fn check_all(variant: Variant) -> Vec<usize> {
    let mut compared = vec![0; Op::ALL.len()];
    let lanes = variant.shape.lanes() as usize;
    let mut code = Code::new(variant);
    let mut cases = Vec::new();
    for &op in Op::ALL {
        for forms in mixtures(op.args().len()) {
            for mode in modes(op) {
                let function = compile(&mut code, op, &forms, mode);
                cases.push((op, forms.clone(), mode, function));
            }
        }
    }
    let compiled = code.finish();
    for (op, forms, mode, function) in &cases {
        let columns = columns_for(*op, forms, lanes);
        let what = format!("{variant:?}, {mode:?}, {forms:?}");
        check(&compiled, *function, *op, &columns, lanes, *mode, &what);
        compared[*op as usize] += columns[0].len();
    }
    compared
}

#[test]
fn every_operation_gives_the_bits_of_eval() {
    let variants = Variant::all();
    let compared: Vec<Vec<usize>> = variants.iter().map(|&variant| check_all(variant)).collect();
    print!("{:<14}", "code of");
    variants.iter().for_each(|variant| print!("{:>12}", format!("{:?} {}", variant.level, variant.shape.vectors)));
    println!();
    for (n, op) in Op::ALL.iter().enumerate() {
        print!("{:<14}", op.name());
        for (variant, compared) in variants.iter().zip(&compared) {
            print!("{:>12}", compared[n]);
            assert!(compared[n] > 0, "{} is not tried in {variant:?}", op.name());
        }
        println!();
    }
}

/// Constants take another path into packets than scalars do.
#[test]
fn constant_operands_give_the_bits_of_eval() {
    for variant in Variant::all() {
        let lanes = variant.shape.lanes() as usize;
        let mut code = Code::new(variant);
        let mut cases = Vec::new();
        for &op in Op::ALL.iter().filter(|op| op.args().len() > 1) {
            let last = op.args().len() - 1;
            for bits in edges(op.args()[last]).into_iter().step_by(3) {
                for mode in modes(op) {
                    let function = code.function(|emit, index, pointers| {
                        let mut operands = Vec::new();
                        for (n, &ty) in op.args()[..last].iter().enumerate() {
                            let address = packet_address(emit, ty, pointers[n], index);
                            operands.push(PacketOperand::from(load_lanes(emit, ty, address)));
                        }
                        let constant = Const { ty: op.args()[last], bits };
                        operands.push(emit.constant(constant).into());
                        let mut known = Known::NOTHING;
                        known.classes[last] = ClassSet::of(constant);
                        known.divisor = matches!(op, Op::UDiv | Op::UMod).then_some(constant.bits as u32);
                        let result = lower_op(emit, op, &operands, &known, mode);
                        store_result(emit, op, &result, false, index, pointers[3]);
                    });
                    cases.push((op, bits, mode, function));
                }
            }
        }
        let compiled = code.finish();
        for &(op, bits, mode, function) in &cases {
            let last = op.args().len() - 1;
            let mut values: Vec<Vec<u64>> = op.args()[..last].iter().map(|&ty| edges(ty)).collect();
            values.push(vec![bits]);
            let mut columns = Columns::new();
            lay_out(&cross(&values), op.args().len(), lanes, 0, &mut columns);
            check(&compiled, function, op, &columns, lanes, mode, &format!("{variant:?}, {mode:?}, constant last"));
        }
    }
}

/// Min and max treat constants specially as either operand: zeros, denormals and NaNs are not as other numbers.
#[test]
fn constant_first_operands_give_the_bits_of_eval() {
    let ops = [Op::FMin, Op::FMax, Op::DMin, Op::DMax, Op::FSub, Op::FDiv];
    let variants = Variant::all().into_iter().filter(|variant| variant.shape.vectors == 1);
    for (variant, form) in variants.flat_map(|variant| [(variant, Form::Packet), (variant, Form::Uniform)]) {
        let lanes = variant.shape.lanes() as usize;
        let mut code = Code::new(variant);
        let mut cases = Vec::new();
        for op in ops {
            let ty = op.args()[0];
            for (bits, mode) in
                edges(ty).into_iter().flat_map(|bits| modes(op).into_iter().map(move |mode| (bits, mode)))
            {
                let function = code.function(|emit, index, pointers| {
                    let address = packet_address(emit, ty, pointers[1], index);
                    let second = load_operand(emit, ty, form, address);
                    let constant = Const { ty, bits };
                    let first = emit.constant(constant).into();
                    let mut known = Known::NOTHING;
                    known.classes[0] = ClassSet::of(constant);
                    let result = lower_op(emit, op, &[first, second], &known, mode);
                    store_result(emit, op, &result, form == Form::Uniform, index, pointers[3]);
                });
                cases.push((op, bits, mode, function));
            }
        }
        let compiled = code.finish();
        for &(op, bits, mode, function) in &cases {
            let mut columns = vec![Vec::new(); 2];
            for second in edges(op.args()[1]) {
                columns[0].extend(vec![bits; lanes]);
                columns[1].extend(vec![second; lanes]);
            }
            let what = format!("{variant:?}, {mode:?}, {form:?}, constant first");
            check(&compiled, function, op, &columns, lanes, mode, &what);
        }
    }
}

/// An operation on the result of another: the lowering leaves flushes out where it sees that one was made.
#[test]
fn operations_on_results_give_the_bits_of_eval() {
    let flushed_by = |op: &&Op| op.result() == Type::F32;
    let reads_floats = |op: &&Op| op.args().first() == Some(&Type::F32);
    let variants = Variant::all().into_iter().filter(|variant| variant.shape.vectors == 1);
    for (variant, form) in variants.flat_map(|variant| [(variant, Form::Packet), (variant, Form::Uniform)]) {
        let mut code = Code::new(variant);
        let mut cases = Vec::new();
        for &inner in Op::ALL.iter().filter(flushed_by) {
            for &outer in Op::ALL.iter().filter(reads_floats) {
                for mode in modes(inner).into_iter().filter(|mode| modes(outer).contains(mode)) {
                    for position in 0..outer.args().len() {
                        let function = compile_chain(&mut code, inner, outer, position, form, mode);
                        cases.push((inner, outer, position, mode, function));
                    }
                }
            }
        }
        let compiled = code.finish();
        for &(inner, outer, position, mode, function) in &cases {
            check_chain(&compiled, inner, outer, position, variant.shape.lanes() as usize, form, mode, function);
        }
    }
}

/// Inputs of a chain: the inner operation's, then a float for the outer one if there is room for it.
fn chain_types(inner: Op) -> Vec<Type> {
    let mut types = inner.args().to_vec();
    types.resize(3, Type::F32);
    types
}

fn compile_chain(code: &mut Code, inner: Op, outer: Op, position: usize, form: Form, mode: FloatMode) -> usize {
    let types = chain_types(inner);
    let mut func = Function::new("chain", Interface::default());
    let mut b = Builder::new(&mut func);
    let inputs: Vec<_> = types.iter().map(|&ty| unknown(&mut b, ty)).collect();
    let result = b.op(inner, &inputs[..inner.args().len()]);
    let mut outer_args = vec![inputs[2]; outer.args().len()];
    outer_args[position] = result;
    b.op(outer, &outer_args);
    code.function(|emit, index, pointers| {
        let mut operands = Vec::new();
        for ((&value, &ty), &base) in inputs.iter().zip(&types).zip(pointers) {
            let address = packet_address(emit, ty, base, index);
            operands.push((value, load_operand(emit, ty, form, address)));
        }
        let result = lower_last(emit, &func, &operands, mode);
        store_result(emit, outer, &result, form == Form::Uniform, index, pointers[3]);
    })
}

#[expect(clippy::too_many_arguments, reason = "each is one axis of the cross product")]
fn check_chain(
    compiled: &Compiled,
    inner: Op,
    outer: Op,
    position: usize,
    lanes: usize,
    form: Form,
    mode: FloatMode,
    function: usize,
) {
    let types = chain_types(inner);
    let values: Vec<Vec<u64>> = types.iter().map(|&ty| edges(ty).into_iter().step_by(4).collect()).collect();
    let tuples = cross(&values);
    let repeat = if form == Form::Uniform { lanes } else { 1 };
    let mut columns: Columns =
        (0..3).map(|n| tuples.iter().flat_map(|tuple| vec![tuple[n]; repeat]).collect()).collect();
    for column in &mut columns {
        let padded = column.len().next_multiple_of(lanes);
        column.resize(padded, 0);
    }
    let results = run(compiled, function, mode, &types, &columns, outer.result(), lanes);
    for (index, got) in results.into_iter().enumerate() {
        let args = [0, 1, 2].map(|n| columns[n][index]);
        let mut outer_args = [args[2]; 3];
        outer_args[position] = inner.eval(&args[..inner.args().len()]);
        let expected = outer.eval(&outer_args[..outer.args().len()]);
        let is_nan = |bits: u64| outer.result() == Type::F32 && f32::from_bits(bits as u32).is_nan();
        assert!(
            agrees(outer, got, expected) || is_nan(got) && is_nan(expected),
            "{outer:?} with {inner:?}({args:#x?}) in position {position} gave {got:#x}, eval says {expected:#x}; {mode:?}, {form:?}"
        );
    }
}
