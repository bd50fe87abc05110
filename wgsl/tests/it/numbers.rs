//! Operators and conversions. Expected values are those of the WGSL specification (sections 8.7, 8.12, 15.7).

use crate::run::{Run, map, map_floats};

fn ints(values: &[i32]) -> Vec<u32> {
    values.iter().map(|&value| value as u32).collect()
}

#[test]
fn integers_are_divided_without_faults() {
    let pairs = [[7, 2], [-7, 2], [7, -2], [-7, -2], [5, 0], [-5, 0], [i32::MIN, -1], [i32::MIN, 0], [i32::MIN, 1]];
    let words: Vec<u32> = pairs.concat().iter().map(|&value| value as u32).collect();
    let quotients = map("vec2i", "i32", "x.x / x.y", &words);
    assert_eq!(quotients, ints(&[3, -3, -3, 3, 5, -5, i32::MIN, i32::MIN, i32::MIN]));
    let remainders = map("vec2i", "i32", "x.x % x.y", &words);
    assert_eq!(remainders, ints(&[1, -1, 1, -1, 0, 0, 0, 0, 0]));
    let words = [7, 2, 5, 0, u32::MAX, 0, u32::MAX, 10];
    assert_eq!(map("vec2u", "u32", "x.x / x.y", &words), [3, 5, u32::MAX, 429_496_729]);
    assert_eq!(map("vec2u", "u32", "x.x % x.y", &words), [1, 0, 0, 5]);
    // Also where the divisor is one number for all components.
    assert_eq!(map("vec2i", "i32", "(x / x.y).x + (x % x.y).y", &ints(&[9, 0])), [9]);
}

#[test]
fn shifts_take_the_low_bits_of_the_count() {
    let words = [1, 31, 1, 32, 1, 33, 0x8000_0000, 4];
    assert_eq!(map("vec2u", "u32", "x.x << x.y", &words), [0x8000_0000, 1, 2, 0]);
    assert_eq!(map("vec2u", "u32", "x.x >> x.y", &words), [0, 1, 0, 0x0800_0000]);
    assert_eq!(map("vec2u", "i32", "bitcast<i32>(x.x) >> x.y", &words), [0, 1, 0, 0xf800_0000]);
}

#[test]
fn floats_become_integers_towards_zero_and_clamped() {
    let floats = [1.9, -1.9, 0.5, -0.5, 3e9, -3e9, 5e9, f32::INFINITY, f32::NEG_INFINITY];
    let words: Vec<u32> = floats.iter().map(|float: &f32| float.to_bits()).collect();
    let signed = ints(&[1, -1, 0, 0, 0x7fff_ff80, i32::MIN, 0x7fff_ff80, 0x7fff_ff80, i32::MIN]);
    assert_eq!(map("f32", "i32", "i32(x)", &words), signed);
    let unsigned = [1, 0, 0, 0, 3_000_000_000, 0, 0xffff_ff00, 0xffff_ff00, 0];
    assert_eq!(map("f32", "u32", "u32(x)", &words), unsigned);
    assert_eq!(map("f32", "u32", "select(0u, 1u, bool(x))", &[0, 0x8000_0000, 0x3f80_0000, 0x7fc0_0000]), [0, 0, 1, 1]);
    assert_eq!(map("i32", "f32", "f32(x)", &ints(&[-3])), [(-3f32).to_bits()]);
    assert_eq!(map("u32", "f32", "f32(x)", &[u32::MAX]), [4_294_967_296f32.to_bits()]);
    assert_eq!(map("u32", "u32", "u32(bool(x)) + u32(x == 7u)", &[0, 1, 7]), [0, 1, 2]);
}

#[test]
fn remainders_of_floats_have_the_sign_of_the_dividend() {
    let words = [7.5f32, 2.0, -7.5, 2.0, 7.5, -2.0, 1e10, 3.0].map(f32::to_bits);
    let expected = [1.5f32, -1.5, 1.5].map(f32::to_bits);
    assert_eq!(map("vec2f", "f32", "x.x % x.y", &words)[..3], expected);
}

#[test]
fn matrices_are_multiplied_by_columns() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(1) fn main() {
            let m = mat2x3f(1, 2, 3, 4, 5, 6);
            let v = m * vec2f(10, 100);
            let r = vec3f(1, 10, 100) * m;
            let p = m * mat2x2f(1, 2, 3, 4) + m * 2.0 - m;
            let t = transpose(m);
            out[0] = v.x; out[1] = v.y; out[2] = v.z;
            out[3] = r.x; out[4] = r.y;
            for (var c = 0; c < 2; c++) { for (var k = 0; k < 3; k++) { out[5 + c * 3 + k] = p[c][k]; } }
            for (var c = 0; c < 3; c++) { for (var k = 0; k < 2; k++) { out[11 + c * 2 + k] = t[c][k]; } }
            out[17] = determinant(mat2x2f(1, 2, 3, 4));
            out[18] = determinant(mat3x3f(2, 0, 1, 1, 3, 2, 1, 1, 4));
            out[19] = determinant(mat4x4f(1, 2, 0, 1, 0, 3, 1, 0, 2, 0, 1, 4, 1, 1, 0, 2));
        }";
    let words = Run::new(text).buffer(0, &[0; 20]).words();
    let floats: Vec<f32> = words.into_iter().map(f32::from_bits).collect();
    let product = [1. + 8., 2. + 10., 3. + 12., 3. + 16., 6. + 20., 9. + 24.];
    let mut expected = vec![410., 520., 630., 321., 654.];
    expected.extend(product.iter().zip([1., 2., 3., 4., 5., 6.]).map(|(product, m): (&f32, f32)| product + m));
    expected.extend([1., 4., 2., 5., 3., 6., -2., 18., 5.]);
    assert_eq!(floats, expected);
}

#[test]
fn bits_are_counted_found_and_moved() {
    let words = [0, 1, 0x8000_0000, 0x00f0_0000, u32::MAX];
    assert_eq!(map("u32", "u32", "countOneBits(x)", &words), [0, 1, 1, 4, 32]);
    assert_eq!(map("u32", "u32", "countLeadingZeros(x)", &words), [32, 31, 0, 8, 0]);
    assert_eq!(map("u32", "u32", "countTrailingZeros(x)", &words), [32, 0, 31, 20, 0]);
    assert_eq!(map("u32", "u32", "firstLeadingBit(x)", &words), [u32::MAX, 0, 31, 23, 31]);
    assert_eq!(map("u32", "u32", "firstTrailingBit(x)", &words), [u32::MAX, 0, 31, 20, 0]);
    assert_eq!(map("i32", "i32", "firstLeadingBit(x)", &words), [u32::MAX, 0, 30, 23, u32::MAX]);
    assert_eq!(map("i32", "i32", "firstLeadingBit(x)", &ints(&[-2, -256])), [0, 7]);
    assert_eq!(map("u32", "u32", "reverseBits(x)", &words), [0, 0x8000_0000, 1, 0xf00, u32::MAX]);
    let fields = [0, 8, 4, 4, 28, 8, 31, 1, 32, 5, 40, 5, 0, 32, 0, 40, 12, 0];
    let unsigned = map("vec2u", "u32", "extractBits(0x89abcdefu, x.x, x.y)", &fields);
    assert_eq!(unsigned, [0xef, 0xe, 0x8, 1, 0, 0, 0x89ab_cdef, 0x89ab_cdef, 0]);
    let signed = map("vec2u", "i32", "extractBits(bitcast<i32>(0x89abcdefu + x.x * 0u), x.x, x.y)", &fields);
    let all = 0x89ab_cdefu32 as i32;
    assert_eq!(signed, ints(&[-17, -2, -8, -1, 0, 0, all, all, 0]));
    let inserted = map("vec2u", "u32", "insertBits(0xffffffffu, 0x12345678u, x.x, x.y)", &fields);
    let expected = [0xffff_ff78, 0xffff_ff8f, 0x8fff_ffff, 0x7fff_ffff, u32::MAX, u32::MAX, 0x1234_5678, 0x1234_5678];
    assert_eq!(inserted, [&expected[..], &[u32::MAX]].concat());
}

#[test]
fn integers_have_signs_and_bounds() {
    let words = ints(&[5, -5, 0, i32::MIN]);
    assert_eq!(map("i32", "i32", "abs(x)", &words), ints(&[5, 5, 0, i32::MIN]));
    assert_eq!(map("i32", "i32", "sign(x)", &words), ints(&[1, -1, 0, -1]));
    assert_eq!(map("i32", "i32", "clamp(x, -2, 3)", &words), ints(&[3, -2, 0, -2]));
    assert_eq!(map("u32", "u32", "clamp(x, 2u, 9u) + min(x, 1u) + max(x, 4u)", &[0, 3, 100]), [6, 8, 110]);
    assert_eq!(map("i32", "i32", "-x + ~x", &words), ints(&[-11, 9, -1, -1]));
    assert_eq!(map("vec2i", "i32", "dot(x, vec2i(3, -4))", &ints(&[2, 5])), ints(&[-14]));
    assert_eq!(
        map("vec2u", "i32", "dot4I8Packed(x.x, x.y)", &[0x01ff_807f, 0x02ff_7f01]),
        ints(&[2 + 1 - 16256 + 127])
    );
    assert_eq!(map("vec2u", "u32", "dot4U8Packed(x.x, x.y)", &[0x01ff_807f, 0x02ff_7f01]), [2 + 65025 + 16256 + 127]);
}

#[test]
fn floats_are_rounded_and_split() {
    let floats = [2.5, 3.5, -2.5, 0.5, -0.25, 1.75];
    assert_eq!(map_floats("round(x)", &floats), [2.0, 4.0, -2.0, 0.0, -0.0, 2.0]);
    assert_eq!(map_floats("floor(x)", &floats), [2.0, 3.0, -3.0, 0.0, -1.0, 1.0]);
    assert_eq!(map_floats("ceil(x)", &floats), [3.0, 4.0, -2.0, 1.0, -0.0, 2.0]);
    assert_eq!(map_floats("trunc(x)", &floats), [2.0, 3.0, -2.0, 0.0, -0.0, 1.0]);
    assert_eq!(map_floats("fract(x)", &floats), [0.5, 0.5, 0.5, 0.5, 0.75, 0.75]);
    assert_eq!(map_floats("modf(x).fract", &floats), [0.5, 0.5, -0.5, 0.5, -0.25, 0.75]);
    assert_eq!(map_floats("modf(x).whole", &floats), [2.0, 3.0, -2.0, 0.0, -0.0, 1.0]);
    assert_eq!(map_floats("sign(x)", &[3.0, -0.5, 0.0, -0.0]), [1.0, -1.0, 0.0, 0.0]);
    let numbers = [1.0, 1.5, 0.75, -8.0, 0.0, 2e-38, 3e38];
    let (fractions, exponents) = (map_floats("frexp(x).fract", &numbers), map_floats("f32(frexp(x).exp)", &numbers));
    for ((number, fraction), exponent) in numbers.into_iter().zip(&fractions).zip(&exponents) {
        assert!(number == 0.0 || (0.5..1.0).contains(&fraction.abs()), "{number}: {fraction}");
        assert_eq!(f64::from(*fraction) * 2f64.powi(*exponent as i32), f64::from(number));
    }
    let scaled = map("vec2i", "f32", "ldexp(bitcast<f32>(x.x), x.y)", &{
        let pairs =
            [(1.5f32, 3), (1.0, -126), (-0.75, 128), (1.0, 127), (2f32.powi(-100), 227), (1.0, -200), (1.0, 200)];
        pairs.into_iter().flat_map(|(value, exponent)| [value.to_bits(), exponent as u32]).collect::<Vec<_>>()
    });
    let expected =
        [12.0, 2f32.powi(-126), -0.75 * 2f32.powi(127) * 2.0, 2f32.powi(127), 2f32.powi(127), 0.0, f32::INFINITY];
    assert_eq!(scaled, expected.map(f32::to_bits));
}

#[test]
fn vectors_have_lengths_and_directions() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @group(0) @binding(1) var<storage> in: array<vec3f>;
        @compute @workgroup_size(1) fn main() {
            let a = in[0];
            let b = in[1];
            out[0] = length(a);
            out[1] = distance(a, b);
            out[2] = dot(a, b);
            let c = cross(a, b);
            out[3] = c.x; out[4] = c.y; out[5] = c.z;
            out[6] = normalize(a).y;
            out[7] = faceForward(a, b, a).x;
            out[8] = faceForward(a, b, -a).x;
            out[9] = reflect(a, vec3f(0, 1, 0) * a.z).y;
            let r = refract(vec3f(0.6, -0.8, 0) * a.z, vec3f(0, 1, 0), 0.5);
            out[10] = r.x; out[11] = r.y;
            out[12] = refract(vec3f(0.8, -0.6, 0) * a.z, vec3f(0, 1, 0), 2.0).x;
            out[13] = length(a.x - 5.0);
            out[14] = mix(a.x, b.x, 0.25);
            out[15] = step(2.0, a.x) + step(4.0, a.x) * 10.0;
            out[16] = smoothstep(2.0, 4.0, a.x);
            out[17] = fma(a.x, 2.0, b.y);
            out[18] = saturate(a.x) + saturate(-a.x);
            out[19] = degrees(radians(a.x));
        }";
    let vectors = [3.0, 4.0, 1.0, 0.0, 7.0, 8.0, 1.0, 0.0];
    let words = Run::new(text).buffer(0, &[0; 20]).floats(1, &vectors).words();
    let found: Vec<f64> = words.into_iter().map(|word| f64::from(f32::from_bits(word))).collect();
    let expected = [
        26f64.sqrt(),
        32f64.sqrt(),
        54.0,
        4.0 - 8.0,
        7.0 - 3.0,
        24.0 - 28.0,
        4.0 / 26f64.sqrt(),
        -3.0,
        3.0,
        -4.0,
        0.3,
        -(1f64 - 0.25 * 0.36).sqrt(),
        0.0,
        2.0,
        4.0,
        1.0,
        0.5,
        14.0,
        1.0,
        3.0,
    ];
    for (n, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{n}: {found}, not {expected}");
    }
}

#[test]
fn numbers_are_packed_by_the_formulas() {
    let floats = |values: [f32; 4]| values.map(f32::to_bits);
    let snorm = floats([1.0, -1.0, 0.5, -2.0]);
    // floor(0.5 + 127 * x): 127, -127, 64, -127.
    assert_eq!(map("vec4f", "u32", "pack4x8snorm(x)", &snorm), [0x8140_817f]);
    let unorm = floats([1.0, 0.5, -1.0, 0.2]);
    assert_eq!(map("vec4f", "u32", "pack4x8unorm(x)", &unorm), [0x3300_80ff]);
    assert_eq!(map("vec4f", "u32", "pack2x16snorm(x.xy)", &snorm), [0x8001_7fff]);
    assert_eq!(map("vec4f", "u32", "pack2x16unorm(x.xy)", &unorm), [0x8000_ffff]);
    let halves = floats([1.5, -0.25, 65504.0, 2f32.powi(-24)]);
    assert_eq!(map("vec4f", "u32", "pack2x16float(x.xy)", &halves), [0xb400_3e00]);
    assert_eq!(map("vec4f", "u32", "pack2x16float(x.zw)", &halves), [0x0001_7bff]);
    assert_eq!(map("vec4i", "u32", "pack4xI8(x)", &ints(&[1, -1, 300, -128])), [0x802c_ff01]);
    assert_eq!(map("vec4i", "u32", "pack4xI8Clamp(x)", &ints(&[1, -1, 300, -300])), [0x807f_ff01]);
    assert_eq!(map("vec4u", "u32", "pack4xU8(x)", &[1, 2, 300, 255]), [0xff2c_0201]);
    assert_eq!(map("vec4u", "u32", "pack4xU8Clamp(x)", &[1, 2, 300, 255]), [0xffff_0201]);
    let word = [0x8001_7fff];
    let unpacked =
        |expression: &str| map("u32", "vec4f", expression, &word).into_iter().map(f32::from_bits).collect::<Vec<_>>();
    assert_eq!(unpacked("unpack4x8snorm(x)"), [-1.0 / 127.0, 1.0, 1.0 / 127.0, -1.0]);
    assert_eq!(unpacked("unpack4x8unorm(x)"), [1.0, 127.0 / 255.0, 1.0 / 255.0, 128.0 / 255.0]);
    assert_eq!(
        unpacked("vec4f(unpack2x16snorm(x), unpack2x16unorm(x))"),
        [1.0, -1.0, 32767.0 / 65535.0, 32769.0 / 65535.0]
    );
    assert_eq!(map("u32", "vec2f", "unpack2x16float(x)", &[0xb400_3e00]), [1.5f32, -0.25].map(f32::to_bits));
    assert_eq!(map("u32", "vec4i", "unpack4xI8(x)", &word), ints(&[-1, 127, 1, -128]));
    assert_eq!(map("u32", "vec4u", "unpack4xU8(x)", &word), [255, 127, 1, 128]);
    // Ties go to even: 1 + 2^-11 and 1 + 3 * 2^-11.
    let ties = [1.0 + 2f32.powi(-11), 1.0 + 3.0 * 2f32.powi(-11), 1.0 + 2f32.powi(-11) + 2f32.powi(-20), -65504.0];
    let expected = [1.0, 1.0 + 2f32.powi(-9), 1.0 + 2f32.powi(-10), -65504.0];
    assert_eq!(map_floats("quantizeToF16(x)", &ties), expected);
}

#[test]
fn conditions_are_joined_and_selected() {
    let words = [0, 0, 0, 5, 6, 7];
    let text = "select(0u, 1u, all(x == vec2u(0, 5))) + select(0u, 10u, any(x == vec2u(0, 5)))
        + dot(select(vec2u(100), vec2u(200), x < vec2u(3)), vec2u(1))";
    assert_eq!(map("vec2u", "u32", text, &words), [10 + 400, 11 + 300, 200]);
    let logic =
        "u32((x.x > 1u) != (x.y > 1u)) + u32((x.x > 1u) == (x.y > 1u)) * 2u + u32(!(x.x > 1u) & (x.y > 1u)) * 4u
        + u32((x.x > 1u) | (x.y > 1u)) * 8u + u32(x.x > 1u && x.y > 6u) * 16u";
    assert_eq!(map("vec2u", "u32", logic, &words), [2, 1 + 4 + 8, 2 + 8 + 16]);
}
