//! Operators and functions by the rules of WGSL, one scalar at a time, where these leave no choice, or Brolga's documents
//! say what is chosen: denormals are flushed, a shift counts by the low five bits.

use super::tree::{Expr, Kind, Type};

fn float(word: u32) -> f32 {
    flushed(f32::from_bits(word))
}

fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

fn bits(value: f32) -> u32 {
    flushed(value).to_bits()
}

pub fn unary(op: &str, kind: Kind, a: u32) -> u32 {
    match (op, kind) {
        ("-", Kind::F32) => a ^ 0x8000_0000,
        ("-", _) => a.wrapping_neg(),
        ("!", _) => u32::from(a == 0),
        ("~", _) => !a,
        _ => unreachable!("{op}"),
    }
}

/// An operator on scalars of one kind.
pub fn binary(op: &str, kind: Kind, a: u32, b: u32) -> u32 {
    let (i, j) = (a as i32, b as i32);
    match (op, kind) {
        ("<<", _) => a << (b & 31),
        (">>", Kind::I32) => (i >> (b & 31)) as u32,
        (">>", _) => a >> (b & 31),
        ("&" | "&&", _) => a & b,
        ("|" | "||", _) => a | b,
        ("^", _) => a ^ b,
        (_, Kind::F32) => {
            let (x, y) = (float(a), float(b));
            match op {
                "+" => bits(x + y),
                "-" => bits(x - y),
                "*" => bits(x * y),
                "/" => bits(x / y),
                "%" => {
                    let whole = flushed(flushed(x / y).trunc());
                    bits(x - flushed(y * whole))
                }
                _ => compare(op, &x, &y),
            }
        }
        (_, Kind::I32) => match op {
            "+" => i.wrapping_add(j) as u32,
            "-" => i.wrapping_sub(j) as u32,
            "*" => i.wrapping_mul(j) as u32,
            "/" if j == 0 => a,
            "/" => i.wrapping_div(j) as u32,
            "%" if j == 0 => 0,
            "%" => i.wrapping_rem(j) as u32,
            _ => compare(op, &i, &j),
        },
        _ => match op {
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" => a.checked_div(b).unwrap_or(a),
            "%" => a.checked_rem(b).unwrap_or(0),
            _ => compare(op, &a, &b),
        },
    }
}

fn compare<T: PartialOrd>(op: &str, a: &T, b: &T) -> u32 {
    u32::from(match op {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        _ => unreachable!("{op}"),
    })
}

pub fn convert(from: Kind, to: Kind, word: u32) -> u32 {
    match (from, to) {
        (Kind::F32, Kind::Bool) => u32::from(float(word) != 0.0),
        (_, Kind::Bool) => u32::from(word != 0),
        // The greatest integer that is a float is the most; no NaN is an integer, and it becomes 0.
        (Kind::F32, Kind::I32) => (float(word) as i32).min(0x7fff_ff80) as u32,
        (Kind::F32, Kind::U32) => (float(word) as u32).min(0xffff_ff00),
        (Kind::I32, Kind::F32) => (word as i32 as f32).to_bits(),
        (Kind::U32 | Kind::Bool, Kind::F32) => (word as f32).to_bits(),
        _ => word,
    }
}

/// The scalar result of a function whose arguments are scalars of one kind; the last of a few are of another.
fn scalar(fun: &str, kind: Kind, args: &[u32]) -> u32 {
    let a = args[0];
    if kind == Kind::F32 {
        let [x, y, z] = [0, 1, 2].map(|n| args.get(n).map_or(0.0, |&word| float(word)));
        return bits(match fun {
            "abs" => return a & 0x7fff_ffff,
            "min" => x.min(y),
            "max" => x.max(y),
            "clamp" => x.max(y).min(z),
            // A NaN becomes 0.
            "saturate" if x.is_nan() => 0.0,
            "saturate" => x.clamp(0.0, 1.0),
            "floor" => x.floor(),
            "ceil" => x.ceil(),
            "trunc" => x.trunc(),
            "round" => x.round_ties_even(),
            "sign" if x == 0.0 || x.is_nan() => x,
            "sign" => x.signum(),
            "step" => f32::from(u8::from(y >= x)),
            "sqrt" => x.sqrt(),
            "fma" => x.mul_add(y, z),
            "mix" => flushed(x * flushed(1.0 - z)) + flushed(y * z),
            _ => unreachable!("{fun}"),
        });
    }
    let is_signed = kind == Kind::I32;
    let least = |a: u32, b: u32| if is_signed { (a as i32).min(b as i32) as u32 } else { a.min(b) };
    let most = |a: u32, b: u32| if is_signed { (a as i32).max(b as i32) as u32 } else { a.max(b) };
    let none = u32::MAX;
    match fun {
        "abs" if is_signed => (a as i32).wrapping_abs() as u32,
        "abs" => a,
        "min" => least(a, args[1]),
        "max" => most(a, args[1]),
        "clamp" => least(most(a, args[1]), args[2]),
        "sign" => (a as i32).signum() as u32,
        "countOneBits" => a.count_ones(),
        "countLeadingZeros" => a.leading_zeros(),
        "countTrailingZeros" => a.trailing_zeros(),
        "reverseBits" => a.reverse_bits(),
        "firstTrailingBit" => {
            if a == 0 {
                none
            } else {
                a.trailing_zeros()
            }
        }
        "firstLeadingBit" => {
            let a = if is_signed && (a as i32) < 0 { !a } else { a };
            if a == 0 { none } else { 31 - a.leading_zeros() }
        }
        "extractBits" => {
            let offset = args[1].min(32);
            let count = args[2].min(32 - offset);
            // Bit by bit; the last one goes on upwards if the integer has a sign.
            let bit = |n: u32| a >> (offset + n) & 1;
            let of = |n: u32| match n < count {
                true => bit(n),
                false if is_signed && count > 0 => bit(count - 1),
                false => 0,
            };
            (0..32).map(|n| of(n) << n).sum()
        }
        "insertBits" => {
            let offset = args[2].min(32);
            let count = args[3].min(32 - offset);
            let of =
                |n: u32| if (offset..offset + count).contains(&n) { args[1] >> (n - offset) & 1 } else { a >> n & 1 };
            (0..32).map(|n| of(n) << n).sum()
        }
        _ => unreachable!("{fun}"),
    }
}

/// The sum of products, in order.
fn dot(kind: Kind, a: &[u32], b: &[u32]) -> u32 {
    let products = a.iter().zip(b).map(|(&a, &b)| binary("*", kind, a, b));
    products.reduce(|sum, product| binary("+", kind, sum, product)).unwrap()
}

/// A matrix, with columns of so many rows, times columns.
fn product(a: &[u32], rows: usize, b: &[u32]) -> Vec<u32> {
    let row = |n: usize| a.iter().skip(n).step_by(rows).copied().collect::<Vec<_>>();
    let columns = b.chunks(a.len() / rows);
    columns.flat_map(|column| (0..rows).map(|n| dot(Kind::F32, &row(n), column)).collect::<Vec<_>>()).collect()
}

/// An operator on values: scalars go with each component.
pub fn operator(op: &str, types: [&Type; 2], a: &[u32], b: &[u32]) -> Vec<u32> {
    match (op, types) {
        ("*", [Type::Matrix(_, rows), Type::Matrix(..) | Type::Vector(..)]) => return product(a, *rows as usize, b),
        ("*", [Type::Vector(rows, _), Type::Matrix(..)]) => {
            return b.chunks(*rows as usize).map(|column| dot(Kind::F32, a, column)).collect();
        }
        _ => {}
    }
    let kind = types[0].kinds()[0];
    let of = |words: &[u32], n: usize| if words.len() == 1 { words[0] } else { words[n] };
    (0..a.len().max(b.len())).map(|n| binary(op, kind, of(a, n), of(b, n))).collect()
}

/// A built-in function of values.
pub fn builtin(fun: &str, args: &[Expr], values: &[Vec<u32>], result: &Type) -> Vec<u32> {
    let kind = args[0].ty.kinds()[0];
    let a = &values[0];
    match fun {
        "select" => {
            let condition = |n: usize| values[2][if values[2].len() == 1 { 0 } else { n }];
            (0..a.len()).map(|n| if condition(n) != 0 { values[1][n] } else { a[n] }).collect()
        }
        "all" => vec![u32::from(a.iter().all(|&word| word != 0))],
        "any" => vec![u32::from(a.iter().any(|&word| word != 0))],
        "dot" => vec![dot(kind, a, &values[1])],
        "cross" => {
            let b = &values[1];
            let times = |i: usize, j: usize| binary("*", kind, a[i], b[j]);
            [[1, 2], [2, 0], [0, 1]].map(|[i, j]| binary("-", kind, times(i, j), times(j, i))).to_vec()
        }
        "transpose" => {
            let Type::Matrix(_, rows) = args[0].ty else { unreachable!("no matrix") };
            let rows = rows as usize;
            (0..rows).flat_map(|row| a.iter().skip(row).step_by(rows).copied()).collect()
        }
        "pack4xI8" | "pack4xU8" => vec![joined(a, |word| word)],
        "pack4xI8Clamp" => vec![joined(a, |word| (word as i32).clamp(-128, 127) as u32)],
        "pack4xU8Clamp" => vec![joined(a, |word| word.min(255))],
        "unpack4xI8" => a[0].to_le_bytes().map(|byte| byte as i8 as u32).to_vec(),
        "unpack4xU8" => a[0].to_le_bytes().map(u32::from).to_vec(),
        "dot4I8Packed" | "dot4U8Packed" => {
            let parts = |word: u32| match fun {
                "dot4I8Packed" => word.to_le_bytes().map(|byte| i32::from(byte as i8)),
                _ => word.to_le_bytes().map(i32::from),
            };
            let products = parts(a[0]).into_iter().zip(parts(values[1][0])).map(|(a, b)| a * b);
            vec![products.sum::<i32>() as u32]
        }
        _ => {
            let of = |n: usize| values.iter().map(|words| if words.len() == 1 { words[0] } else { words[n] }).collect();
            (0..result.words()).map(|n| scalar(fun, kind, &of(n) as &Vec<u32>)).collect()
        }
    }
}

fn joined(parts: &[u32], byte: impl Fn(u32) -> u32) -> u32 {
    parts.iter().enumerate().map(|(n, &part)| (byte(part) & 255) << (8 * n)).sum()
}

/// An atomic operation: what the variable holds after it.
pub fn atomic(name: &str, kind: Kind, old: u32, value: u32, compare: Option<u32>) -> u32 {
    match name {
        "atomicAdd" => old.wrapping_add(value),
        "atomicSub" => old.wrapping_sub(value),
        "atomicMax" => scalar("max", kind, &[old, value]),
        "atomicMin" => scalar("min", kind, &[old, value]),
        "atomicAnd" => old & value,
        "atomicOr" => old | value,
        "atomicXor" => old ^ value,
        "atomicStore" | "atomicExchange" => value,
        "atomicLoad" => old,
        "atomicCompareExchangeWeak" if compare == Some(old) => value,
        "atomicCompareExchangeWeak" => old,
        _ => unreachable!("{name}"),
    }
}
