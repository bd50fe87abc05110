//// assign_let
// error: assignment to a let
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    let x = 1u; x = 2u; o[0] = x;
}
//// assign_swizzle
// error: assignment to two components (newer tint: a language feature)
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    var v = vec4<u32>(); v.xy = vec2<u32>(1u); o[0] = v.x;
}
//// atomic_plain_read
// error: an atomic read without atomicLoad
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> w: atomic<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = w;
}
//// atomic_plain_write
// error: an atomic written without atomicStore
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> w: atomic<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    w = 1u; o[0] = atomicLoad(&w);
}
//// barrier_after_return
// error: barrier after a non-uniform return
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    if (li == 0u) { return; } workgroupBarrier(); o[0] = 1u;
}
//// barrier_loop_nonuniform
// error: barrier in a loop left at different times
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    for (var i = 0u; i < 10u; i++) { workgroupBarrier(); if (li + i > 7u) { break; } } o[0] = 1u;
}
//// barrier_nonuniform
// error: workgroupBarrier in non-uniform control flow
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    if (li > 2u) { workgroupBarrier(); } o[0] = 1u;
}
//// bool_in_buffer
// error: bool in a storage buffer
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<bool>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = select(0u, 1u, b[0]);
}
//// const_array_index
// error: constant index out of an array
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    var a = array<u32, 4>(); o[0] = a[4];
}
//// const_bitcast_nan
// error: bitcast of a constant to a NaN
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    const a = bitcast<f32>(0x7fc00000u); o[0] = bitcast<u32>(a);
}
//// const_clamp
// error: clamp with constant low > high
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = clamp(o[1], 5u, 1u);
}
//// const_div_zero
// error: i32 division by a constant zero
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = u32(7 / 0);
}
//// const_extract_bits
// error: extractBits with offset + count of 40, constants
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = extractBits(o[1], 20u, 20u);
}
//// const_float_overflow
// error: f32 overflow in a const-expression
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    const a = 3.0e38f * 10.0f; o[0] = u32(a);
}
//// const_ldexp
// error: ldexp by a constant 200
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = u32(ldexp(f32(o[1]), 200));
}
//// const_log_zero
// error: log(0.0), constant
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    const a = log(0.0f); o[0] = u32(a);
}
//// const_min_div_minus_one
// error: most negative i32 / -1, constant
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = u32(i32(-2147483648) / -1i);
}
//// const_negative_index
// error: negative constant index of a run-time array
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = o[-1];
}
//// const_overflow_abstract
// error: AbstractInt overflow (of concrete i32 and u32 it would wrap)
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    const a = 9223372036854775807 + 1; o[0] = u32(a & 1);
}
//// const_quantize
// error: quantizeToF16 of a constant 1e10
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    const a = quantizeToF16(1e10f); o[0] = u32(a);
}
//// const_shift_overflow
// error: constant shift that loses bits
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    const a = 0x80000000u << 1u; o[0] = a;
}
//// const_shift_too_far
// error: shift of u32 by a constant 32
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = o[1] << 32u;
}
//// const_smoothstep
// error: smoothstep with equal constant edges
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = u32(smoothstep(1.0, 1.0, f32(o[1])));
}
//// const_sqrt_negative
// error: sqrt(-1.0), constant
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    const a = sqrt(-1.0f); o[0] = u32(a);
}
//// const_u32_to_f16_range
// error: const_assert that is false
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
const_assert 1 + 1 == 3;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = 1u;
}
//// const_vector_index
// error: constant index out of a vector
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    let v = vec3<u32>(o[0]); o[0] = v[3];
}
//// div_const_zero_divisor
// error: run-time dividend, constant zero divisor
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = o[1] / 0u;
}
//// infinite_loop
// error: a loop without any way out
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    loop { o[0] = 1u; }
}
//// literal_i32_range
// error: i32 literal out of range
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    let a: i32 = 2147483648; o[0] = u32(a);
}
//// literal_u32_negative
// error: u32 from a negative literal
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    let a: u32 = -1; o[0] = a;
}
//// missing_return
// error: a path without a return
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f(x: u32) -> u32 { if (x == 0u) { return 1u; } }
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = f(3u);
}
//// mixed_logic
// error: `||` mixed with `&&` without parentheses
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    if (o[0] == 1u || o[1] == 2u && o[2] == 3u) { o[0] = 1u; }
}
//// mixed_precedence
// error: `|` mixed with `<=` without parentheses
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    if (o[1] <= 0u | o[2] < 3u) { o[0] = 1u; }
}
//// mixed_types
// error: i32 + u32
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = u32(1i + o[1]);
}
//// param_shadowed
// error: a let that redeclares a parameter in the function body
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f(x: u32) -> u32 { let x = x + 1u; return x; }
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = f(1u);
}
//// recursion
// error: recursion
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f(x: u32) -> u32 { if (x == 0u) { return 1u; } return f(x - 1u) * x; }
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = f(3u);
}
//// rem_const_zero_divisor
// error: the same with %
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = o[1] % 0u;
}
//// reserved_word
// error: a reserved word as a name
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    let goto = 1u; o[0] = goto;
}
//// same_binding_twice
// error: two resources of one entry point with one binding
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(0) var<storage, read> p: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = p[0];
}
//// shift_i32_amount
// error: shift amount of i32
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = o[1] << i32(o[2]);
}
//// store_read_only
// error: a store to a read-only buffer
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read> p: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    p[0] = 1u; o[0] = 1u;
}
//// texture_sample_compute
// error: textureSample in a compute shader
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var t: texture_2d<f32>; @group(0) @binding(2) var s: sampler;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = u32(textureSample(t, s, vec2<f32>(0.0)).x);
}
//// uniform_array_stride
// error: array<f32, 4> in a uniform buffer (an error without the feature uniform_buffer_standard_layout)
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
struct S { a: array<f32, 4> }
@group(0) @binding(1) var<uniform> u: S;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = u32(u.a[1]);
}
//// unused_must_use
// error: the value of a @must_use function thrown away
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) li: u32) {
    max(o[0], 1u);
}
//// workgroup_too_large
// error: workgroup of 2048 (a limit of the API, 256 by default)
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(2048)
fn main(@builtin(local_invocation_index) li: u32) {
    o[0] = 1u;
}
