//! Checks each borrowed operation by name: Cranelift selects a single instruction for it, which widening turns into
//! what it stands for.

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, Signature, Value, types};
use cranelift_codegen::{Context, ir};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use iced_x86::{Decoder, DecoderOptions, Mnemonic};

use super::super::borrowed::{self, Shift};
use super::super::widen;
use crate::codegen::{self, TargetSettings};
use crate::options::Options;

const FLAGS: MemFlagsData = MemFlagsData::new().with_notrap();

/// A function that applies an operation to two vectors and stores the result as a part or, if it is whole, as a vector.
/// The vectors are computed values, or one and the same.
fn function(
    builder: &mut FunctionBuilder<'_>,
    is_same: bool,
    operation: impl FnOnce(&mut FunctionBuilder<'_>, [Value; 2], Value) -> Option<Value>,
) {
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    let memory = builder.block_params(block)[0];
    let [a, b] = [0, 64].map(|offset| builder.ins().load(types::I32X4, FLAGS, memory, offset));
    let x = builder.ins().bxor(a, b);
    let y = if is_same { x } else { builder.ins().iadd(a, b) };
    if let Some(result) = operation(builder, [x, y], memory) {
        builder.ins().store(FLAGS, result, memory, 128);
    }
    builder.ins().return_(&[]);
    builder.seal_all_blocks();
}

fn cast(builder: &mut FunctionBuilder<'_>, value: Value, ty: ir::Type) -> Value {
    builder.ins().bitcast(ty, crate::packet::lane_order(), value)
}

/// Checks that an operation is one instruction in stock code, and one in code with so many parts, where no other has
/// its mnemonic.
fn check(
    parts: u8,
    stock: Mnemonic,
    wide: Mnemonic,
    operation: impl Fn(&mut FunctionBuilder<'_>, [Value; 2], Value) -> Option<Value>,
) {
    let Some(options) = Options::host().filter(|options| options.features.avx2 && options.features.fma) else {
        return println!("skipped: the processor has no AVX2");
    };
    let settings = TargetSettings { blocks: true, widened: true, ..TargetSettings::default() };
    let isa = codegen::host(&options, settings).expect("this processor");
    for is_same in [false, true] {
        let mut context = Context::new();
        context.func.signature = Signature::new(isa.default_call_conv());
        context.func.signature.params.push(AbiParam::new(types::I64));
        let mut builder_context = FunctionBuilderContext::new();
        let mut builder = FunctionBuilder::new(&mut context.func, &mut builder_context);
        function(&mut builder, is_same, &operation);
        builder.finalize(isa.frontend_config());
        context.compile(&*isa, &mut ControlPlane::default()).expect("a small function");
        let code = context.compiled_code().expect("just compiled");
        let widened = widen(code.code_buffer(), &code.bb_starts, parts).expect("nothing in it is refused");
        let count = |bytes: &[u8], of| {
            Decoder::new(64, bytes, DecoderOptions::NONE).into_iter().filter(|inst| inst.mnemonic() == of).count()
        };
        let code_bytes = widened.code_bytes() as usize;
        let counts = [count(code.code_buffer(), stock), count(&widened.bytes[..code_bytes], wide)];
        assert_eq!(counts, [1, 1], "{stock:?} and {wide:?}, one operand twice: {is_same}");
        assert!(stock == wide || count(&widened.bytes[..code_bytes], stock) == 0, "{stock:?} is still there");
    }
}

/// Extracts a part, stored as 128 bits.
fn take(position: usize) -> impl Fn(&mut FunctionBuilder<'_>, [Value; 2], Value) -> Option<Value> {
    move |builder, [vector, _], memory| {
        let vector = cast(builder, vector, borrowed::type_to_take(position));
        let part = borrowed::take(builder.ins(), vector, position);
        let part = cast(builder, part, borrowed::STORED_PART);
        builder.ins().store(FLAGS, part, memory, 128);
        None
    }
}

/// Inserts a part into a vector.
fn insert(position: usize) -> impl Fn(&mut FunctionBuilder<'_>, [Value; 2], Value) -> Option<Value> {
    move |builder, [vector, _], memory| {
        let part = borrowed::load_part(builder.ins(), FLAGS, memory, 16);
        let [vector, part] = [vector, part].map(|value| cast(builder, value, borrowed::type_to_insert(position)));
        Some(borrowed::insert(builder.ins(), vector, part, position))
    }
}

fn shift(shift: Shift) -> impl Fn(&mut FunctionBuilder<'_>, [Value; 2], Value) -> Option<Value> {
    move |builder, operands, _| {
        let [vector, amount] = operands.map(|value| cast(builder, value, shift.ty()));
        Some(shift.emit(builder.ins(), vector, amount))
    }
}

fn rotate(builder: &mut FunctionBuilder<'_>, operands: [Value; 2], _: Value) -> Option<Value> {
    let [vector, amount] = operands.map(|value| cast(builder, value, borrowed::ROTATED));
    Some(borrowed::rotate_left(builder.ins(), vector, amount))
}

fn load_splat(builder: &mut FunctionBuilder<'_>, _: [Value; 2], memory: Value) -> Option<Value> {
    Some(borrowed::load_splat(builder.ins(), FLAGS, memory, 4))
}

fn gather(builder: &mut FunctionBuilder<'_>, [offsets, _]: [Value; 2], memory: Value) -> Option<Value> {
    let offsets = cast(builder, offsets, types::I8X16);
    let address = builder.ins().ireduce(types::I8, memory);
    Some(borrowed::gather(builder.ins(), address, offsets, 3))
}

macro_rules! operations {
    ($($name:ident: $parts:literal parts, $stock:ident to $wide:ident, $operation:expr;)+) => {
        $(
            #[test]
            fn $name() {
                check($parts, Mnemonic::$stock, Mnemonic::$wide, $operation);
            }
        )+
    };
}

operations! {
    the_first_of_two_is_taken: 2 parts, Vpsubsb to Vmovdqa, take(0);
    the_second_of_two_is_taken: 2 parts, Vpsubsw to Vextracti128, take(1);
    the_first_of_four_is_taken: 4 parts, Vpsubsb to Vmovdqa, take(0);
    the_second_of_four_is_taken: 4 parts, Vpsubsw to Vextracti32x4, take(1);
    the_third_is_taken: 4 parts, Vpsubusb to Vextracti32x4, take(2);
    the_fourth_is_taken: 4 parts, Vpsubusw to Vextracti32x4, take(3);
    the_second_of_two_is_inserted: 2 parts, Vpaddusb to Vinserti128, insert(1);
    the_second_of_four_is_inserted: 4 parts, Vpaddusb to Vinserti32x4, insert(1);
    the_third_is_inserted: 4 parts, Vpaddusw to Vinserti32x4, insert(2);
    the_fourth_is_inserted: 4 parts, Vpaddsb to Vinserti32x4, insert(3);
    lanes_are_shifted_left: 2 parts, Vpavgb to Vpsllvd, shift(Shift::Left);
    lanes_are_shifted_right: 2 parts, Vpavgw to Vpsrlvd, shift(Shift::Right);
    lanes_are_shifted_right_with_their_sign: 2 parts, Vpmulhrsw to Vpsravd, shift(Shift::SignedRight);
    lanes_of_64_bytes_are_shifted_left: 4 parts, Vpavgb to Vpsllvd, shift(Shift::Left);
    lanes_of_64_bytes_are_shifted_right: 4 parts, Vpavgw to Vpsrlvd, shift(Shift::Right);
    lanes_of_64_bytes_are_shifted_right_with_their_sign: 4 parts, Vpmulhrsw to Vpsravd, shift(Shift::SignedRight);
    lanes_are_rotated: 2 parts, Vpaddsw to Vprolvd, rotate;
    lanes_of_64_bytes_are_rotated: 4 parts, Vpaddsw to Vprolvd, rotate;
    word_of_memory_is_splatted: 2 parts, Vpmovsxdq to Vpbroadcastd, load_splat;
    word_of_memory_is_splatted_over_64_bytes: 4 parts, Vpmovsxdq to Vpbroadcastd, load_splat;
    words_are_gathered: 2 parts, Vpinsrb to Vpgatherdd, gather;
    words_are_gathered_over_64_bytes: 4 parts, Vpinsrb to Vpgatherdd, gather;
    part_of_memory_is_loaded: 2 parts, Vpmovsxbw to Vinserti128, insert(1);
    part_of_memory_is_stored: 2 parts, Vmovupd to Vextracti128, take(1);
}
